/* watch.c: passes each value to a watch function, after the step that computes it and before a
 * later step can overwrite it. The tables of values are in the order of the steps, so a device
 * keeps one position in them. */
#include "nan.h"
#include "session.h"

void dtrt_watch(dtrt_session *s, dtrt_watch_fn *watch, void *user) {
  if (!s) return;
  s->watch = watch;
  s->watch_user = user;
}

static void show(Device *d, int32_t i) {
  dtrt_session *s = d->session;
  const dtrt_value *v = &d->entry->value[i];
  BlockSpan box[DTRT_MAX_RANK];
  dtrt_seen seen = {.program = s->program[d->program].p,
                    .entry = d->entry,
                    .value = i,
                    .device = d->id,
                    .coord = d->coord,
                    .count = block_box(&s->mesh, v->layout, d->coord, box),
                    .data = watch_at(d, v)};
  for (int k = 0; k < v->layout->rank; k++) seen.lo[k] = box[k].lo, seen.hi[k] = box[k].hi;
  if (s->check_nan == DTRT_CHECK_FULL && d->nan) nan_value(d, &seen);
  if (s->watch) s->watch(s->watch_user, &seen);
}

/* Steps of a loop come again, and those of a body that does not run never: so what the last step
 * has made is shown, wherever it stands. */
void watch_until(Device *d, int32_t step) {
  const dtrt_entry *e = d->entry;
  const int32_t made = d->watched;
  d->watched = step;
  if (!e) return;
  while (d->shown > 0 && e->value[d->shown - 1].step >= made) d->shown--;
  while (d->shown < e->nvalues && e->value[d->shown].step < made) d->shown++;
  while (d->shown < e->nvalues && e->value[d->shown].step == made) show(d, d->shown++);
}
