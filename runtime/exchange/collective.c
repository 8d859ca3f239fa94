/* collective.c: the all-reduce, of one tensor or of several as one, in memory that all can read:
 * two algorithms.
 *
 * Two shots: each device combines its own chunk of all tensors laid end to end, straight from the
 * peers' buffers, and writes the result to all; two barriers. One shot, where that moves no more to
 * any (two devices whose terms are small, or a single element): everyone combines everything from
 * the stages, one barrier. By messages the same two (one_shot.c, two_shot.c). Terms are always
 * taken in the order of the devices. Chunks are blocks by the block law. Scratch: see exchange.c.
 */
#include "collective.h"
#include "messages.h"
#include "reduce_terms.h"

/* Between two devices a second barrier is dearer than copying so much to a stage, and cheaper than
 * copying more. */
enum { PAIR_BYTES = 1024 };

bool one_shot_fits(const Collective *c) {
  return c->all_reduce && c->most <= (c->group == 2 ? PAIR_BYTES : c->size);
}

/* -------- from peers' memory: one shot -------- */

static bool one_fits(const Collective *c) { return c->direct && one_shot_fits(c); }

static Price one_price(const Collective *c, const Speed *s) {
  (void)s;
  return (Price){.bytes = (c->group - 1) * c->most, .peers = c->group - 1, .rounds = 1};
}

static void take_stages(const Reduction *r) {
  const Together *t = r->t;
  Device *d = t->d;
  const DeviceGroup *g = t->g;
  const void **from =
      (const void **)(void *)device_scratch(d, COMM_STAGE_BYTES + g->n * (int64_t)sizeof *from);
  char *sum = (char *)(from + g->n);
  for (int i = 0; i < g->n; i++) from[i] = device_stage_of(t, g->device[i]);
  device_staged(d, r->total * (g->n - 1), r->total * (g->n - 1)); /* all read all stages */
  if (t->n == 1) {
    reduction_combine(r, t->to, 1, from, r->total);
    return;
  }
  void *to = sum;
  reduction_combine(r, &to, 1, from, r->total);
  reduction_from_dense(r, (BlockSpan){0, r->total}, sum);
}

static RunWait one_run(CollectiveRun *run) {
  Reduction r = reduction_of(run->all);
  if (run->step == 0) {
    reduction_to_dense(&r, (BlockSpan){0, r.total}, device_open_stage(run->all));
    return RUN_ARRIVE;
  }
  take_stages(&r);
  return RUN_OVER;
}

const CollectiveAlgorithm memory_one_shot = {"memory-one-shot", one_fits, one_price, one_run};

/* -------- from peers' memory: two shots -------- */

static bool two_fits(const Collective *c) { return c->direct && c->all_reduce; }

static Price two_price(const Collective *c, const Speed *s) {
  (void)s;
  return (Price){.bytes = collective_chunked(c), .peers = c->group - 1, .rounds = 2};
}

static void combine_chunk(const Reduction *r) {
  const Together *all = r->t;
  Device *d = all->d;
  const DeviceGroup *g = all->g;
  const void **from = (const void **)(void *)device_scratch(d, 2 * g->n * (int64_t)sizeof *from);
  void **to = (void **)(void *)(from + g->n);
  BlockSpan s = reduction_chunk(r, g->me), part;
  int64_t base = 0;
  for (int t = 0; reduction_part(r, s, &t, &base, &part);) {
    for (int i = 0; i < g->n; i++) {
      int peer = g->device[i];
      from[i] = device_peer(d, peer, device_from(all, peer)[t - 1]) + part.lo;
      to[i] = device_peer(d, peer, device_to(all, peer)[t - 1]) + part.lo;
    }
    reduction_combine(r, to, g->n, from, part.hi - part.lo);
    for (int i = 0; i < g->n; i++) {
      if (i == g->me) continue;
      device_took(d, g->device[i], part.hi - part.lo);
      device_gave(d, g->device[i], part.hi - part.lo);
    }
  }
}

static RunWait two_run(CollectiveRun *run) {
  Reduction r = reduction_of(run->all);
  if (run->step == 0) {
    reduction_publish(&r);
    return RUN_ARRIVE;
  }
  if (run->step == 2) return RUN_OVER;
  combine_chunk(&r);
  return RUN_LEAVE;
}

const CollectiveAlgorithm memory_two_shot = {"memory-two-shot", two_fits, two_price, two_run};
