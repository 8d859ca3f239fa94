/* wire.c: see wire.h. */
#include "wire.h"
#include <math.h>

static const double ROUNDING = 1e-9; /* of times: so much of a whole is nothing */

/* The device waits until then: what is on the wire meanwhile is exposed. */
static void wait_until(Wire *w, double until, double *hidden) {
  for (int i = 0; i <= DTRT_SLOTS && until > w->now; i++) {
    if (!w->slot[i].flies) continue;
    const double from = fmax(w->slot[i].begin, w->now), to = fmin(w->slot[i].end, until);
    double *h = &hidden[w->slot[i].step];
    if (to > from) *h -= to - from;
    if (*h < ROUNDING * (w->slot[i].end - w->slot[i].begin)) *h = 0;
  }
  w->now = fmax(w->now, until);
}

void wire_step(Wire *w, const Step *s, int t, const StepCost *c, double *hidden) {
  const int slot = step_moves(s) ? s->slot : 0;
  hidden[t] = 0;
  if (s->kind == STEP_WAIT) {
    if (w->slot[slot].flies) wait_until(w, w->slot[slot].end, hidden);
    w->slot[slot].flies = false;
    return;
  }
  w->now += c->compute;
  if (c->exchange <= 0) return;
  if (!c->messages) { /* at once, or when it is awaited: the device is busy as long */
    w->now += c->exchange;
    return;
  }
  const double begin = fmax(w->now, w->free);
  w->free = begin + c->exchange;
  w->slot[slot].flies = true, w->slot[slot].step = t;
  w->slot[slot].begin = begin, w->slot[slot].end = w->free;
  hidden[t] = c->exchange;
  if (slot) return;
  wait_until(w, w->free, hidden);
  w->slot[slot].flies = false;
}
