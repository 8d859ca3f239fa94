/* exchange.c: runs the plans of exchanges, reading peers' memory or by messages (messages.c).
 *
 * Both ways combine the same terms in the same order, so their bits are the same. What a device
 * owns is copied, never sent.
 *
 * Memory: the block that goes in, the block that comes out, and scratch. Reading peers' memory
 * takes 16 bytes of scratch for each device whose terms are combined, and the slot's stages, 16
 * KiB and 1 KiB a flight. By messages it is COMM_SCRATCH, 1 MiB, or 144 bytes for each such device
 * if that is more, and beside that up to 4 MiB for each that is in flight. An all-reduce
 * (collective.c) takes 16 bytes a device and 4 KiB; by messages the same as above. Beside that a
 * device keeps the plans it has made: a piece (240 bytes) for each device it meets.
 */
#include "device.h"
#include "nan.h"
#include "reduce_terms.h"

static bool is_reduce(const Plan *p) { return p->kind == PLAN_ALL_REDUCE; }

/* All that need others over the same axes; all-reduces also of the same kind. */
static bool go_together(const Plan *a, const Plan *b) {
  if (a->kind != b->kind || a->axes != b->axes || !a->axes) return false;
  return !is_reduce(a) || (a->dtype == b->dtype && a->reduce == b->reduce);
}

void exchange_gather(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                     void *const *to, const Plan **p, Together *t) {
  int len = 0;
  for (; len < n && len < COMM_BATCH; len++) {
    p[len] = device_plan(d, x[len]);
    if (len && !go_together(p[0], p[len])) break;
  }
  *t = (Together){.d = d, .n = len, .plan = p, .from = from, .to = to};
}

void exchange_check(Device *d, int n, const Plan *const *p, void *const *to) {
  for (int i = 0; d->session->check_nan == DTRT_CHECK_CHEAP && i < n; i++)
    nan_exchanged(d, p[i]->dtype, p[i]->to_elements, to[i]);
}

void dtrt_run_exchange(dtrt_device *dev, const dtrt_exchange *x, const void *from, void *to) {
  Device *d = device_of(dev);
  const Plan *p = device_plan(d, x);
  exchange_do(&(Together){.d = d, .n = 1, .plan = &p, .from = &from, .to = &to});
  exchange_check(d, 1, &p, &to);
}

void dtrt_run_exchanges(dtrt_device *dev, int n, const dtrt_exchange *const *x,
                        const void *const *from, void *const *to) {
  for (int i = 0; i < n;) {
    const Plan *p[COMM_BATCH];
    Together t;
    exchange_gather(device_of(dev), n - i, x + i, from + i, to + i, p, &t);
    exchange_do(&t);
    exchange_check(device_of(dev), t.n, p, to + i);
    i += t.n;
  }
}

void exchange_run(Device *d, const Plan *p, const void *from, void *to) {
  exchange_do(&(Together){.d = d, .n = 1, .plan = &p, .from = &from, .to = &to});
}

void exchange_do(Together *t) {
  Device *d = t->d;
  if (exchange_alone(t)) return;
  t->g = device_group(d, t->plan[0]->axes);
  bool reduce = is_reduce(t->plan[0]);
  device_begin(d, t->g->direct);
  if (t->g->direct) {
    reduce ? collective_publish(t) : exchange_publish(t);
    device_arrive(d, t->g);
    reduce ? collective_take(t) : exchange_take(t);
    if (!(reduce ? collective_staged(t) : exchange_staged(t))) device_leave(d, t->g);
  } else {
    Messages m;
    messages_begin(&m, t);
    messages_wait(&m);
  }
  device_counted(d);
}

bool exchange_alone(const Together *t) {
  const Plan *p = t->plan[0];
  if (is_reduce(p)) return false;
  for (int k = 0; k < t->n; k++)
    if (t->plan[k]->identity)
      reduce_identity(t->plan[k]->dtype, t->plan[k]->reduce, t->to[k], t->plan[k]->to_elements);
  if (p->axes) return false;
  if (p->kind == PLAN_LOCAL) {
    if (t->from[0] != t->to[0]) dtrt_copy(t->to[0], t->from[0], p->elements * p->size);
    return true;
  }
  /* All I need is mine: uniform over the mesh, so nobody waits. */
  for (int i = 0; i < p->nrecv; i++) block_copy(&p->recv[i], p->size, t->to[0], t->from[0]);
  return true;
}

/* -------- one piece -------- */

void exchange_settle(const Plan *p, const Piece *q, const char **from, bool dense, char *to) {
  const void **run = (const void **)(from + p->nterms);
  if (q->elements == 0) return;
  Walk w = block_walk(q);
  do {
    int64_t at = (dense ? w.dense : w.from) * p->size;
    for (int t = 0; t < p->nterms; t++) run[t] = from[t] + at;
    void *result = to + w.to * p->size;
    reduce_terms(p->dtype, p->reduce, &result, 1, run, p->nterms, q->run);
  } while (block_next(&w));
}

/* -------- from peers' memory -------- */

/* Where the block of exchange k lies in a stage: after the largest that the ones before can have.
 */
static int64_t stage_offset(const Together *t, int k) {
  int64_t at = 0;
  for (int i = 0; i < k; i++) at += (t->plan[i]->most + COMM_LINE - 1) / COMM_LINE * COMM_LINE;
  return at;
}

bool exchange_staged(const Together *t) {
  int last = t->n - 1;
  return stage_offset(t, last) + t->plan[last]->most <=
         (t->lane ? COMM_LANE_BYTES : COMM_STAGE_BYTES);
}

void exchange_publish(Together *t) {
  Device *d = t->d;
  if (exchange_staged(t)) {
    char *stage = device_open_stage(t);
    for (int k = 0; k < t->n; k++)
      dtrt_copy(stage + stage_offset(t, k), t->from[k], t->plan[k]->elements * t->plan[k]->size);
    return;
  }
  for (int k = 0; k < t->n; k++) device_from(t, d->id)[k] = device_address(d, t->from[k]);
}

/* A peer's block of exchange k. */
static const char *block_of(const Together *t, int k, bool staged, int peer) {
  if (peer == t->d->id) return t->from[k];
  return staged ? device_stage_of(t, peer) + stage_offset(t, k)
                : device_peer(t->d, peer, device_from(t, peer)[k]);
}

static void take_terms(const Together *t, int k, bool staged, const Piece *q, const char **term) {
  const Plan *p = t->plan[k];
  for (int i = 0; i < p->nterms; i++) {
    int peer = q->peer + p->term[i];
    term[i] = block_of(t, k, staged, peer);
    if (peer != t->d->id) device_took(t->d, peer, q->elements * p->size);
  }
  exchange_settle(p, q, term, false, t->to[k]);
}

void exchange_take(const Together *t) {
  Device *d = t->d;
  bool staged = exchange_staged(t);
  for (int k = 0; k < t->n; k++) {
    const Plan *p = t->plan[k];
    const char **term = NULL;
    if (p->nterms > 1)
      term = (const char **)(void *)device_scratch(d, p->nterms * 2 * (int64_t)sizeof *term);
    for (int i = 0; i < p->nrecv; i++) {
      const Piece *q = &p->recv[i];
      if (term) {
        take_terms(t, k, staged, q, term);
        continue;
      }
      block_copy(q, p->size, t->to[k], block_of(t, k, staged, q->peer));
      if (q->peer != d->id) device_took(d, q->peer, q->elements * p->size);
    }
  }
}
