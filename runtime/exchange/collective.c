/* collective.c: the all-reduce, of one tensor or of several as one, in memory that all can read:
 * two algorithms.
 *
 * Two shots: each device combines its own chunk of all tensors laid end to end, straight from the
 * peers' buffers, and writes the result to all; two barriers. One shot, where that moves no more to
 * any (two devices whose terms are small, or a single element): everyone combines everything from
 * the stages, one barrier. By messages the same two (collective_messages.c). Terms are always taken
 * in the order of the devices. Chunks are blocks by the block law. Scratch: see exchange.c. */
#include "collective.h"
#include "messages.h"
#include "reduce_terms.h"

/* Between two devices a second barrier is dearer than copying so much to a stage, and cheaper than
 * copying more. */
enum { PAIR_BYTES = 1024 };

Reduction reduction_of(const Together *t) {
  Reduction r = {t, t->transfer[0]->size, 0};
  for (int i = 0; i < t->n; i++) r.total += t->transfer[i]->elements * r.size;
  return r;
}

bool one_shot_fits(const Collective *c, int64_t pair_bytes) {
  return c->all_reduce && c->most <= (c->group == 2 ? pair_bytes : c->size);
}

BlockSpan reduction_chunk(const Reduction *r, int i) {
  int64_t elements = r->total / r->size;
  return (BlockSpan){law_share(i, elements, r->t->g->n) * r->size,
                     law_share(i + 1, elements, r->t->g->n) * r->size};
}

/* Steps over the parts of a chunk that are in one tensor. `tensor` starts at 0, `base` too. */
static bool part_of(const Reduction *r, BlockSpan s, int *tensor, int64_t *base, BlockSpan *part) {
  for (; *tensor < r->t->n; (*tensor)++) {
    int64_t bytes = r->t->transfer[*tensor]->elements * r->size;
    BlockSpan own = {s.lo > *base ? s.lo - *base : 0, s.hi - *base < bytes ? s.hi - *base : bytes};
    *base += bytes;
    if (own.lo >= own.hi) continue;
    *part = own;
    (*tensor)++;
    return true;
  }
  return false;
}

void reduction_to_dense(const Reduction *r, BlockSpan s, char *dense) {
  BlockSpan part;
  int64_t base = 0;
  for (int i = 0; part_of(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy(dense, (const char *)r->t->from[i - 1] + part.lo, part.hi - part.lo);
}

void reduction_from_dense(const Reduction *r, BlockSpan s, const char *dense) {
  BlockSpan part;
  int64_t base = 0;
  for (int i = 0; part_of(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy((char *)r->t->to[i - 1] + part.lo, dense, part.hi - part.lo);
}

void reduction_combine(const Reduction *r, void *const *to, int nto, const void *const *from,
                       int64_t bytes) {
  const Transfer *p = r->t->transfer[0];
  reduce_terms(p->dtype, p->reduce, to, nto, from, r->t->g->n, bytes / r->size);
}

/* -------- from peers' memory: one shot -------- */

static bool one_fits(const Collective *c) { return c->direct && one_shot_fits(c, PAIR_BYTES); }

static Price one_price(const Collective *c) {
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

static Price two_price(const Collective *c) {
  return (Price){.bytes = collective_chunked(c), .peers = c->group - 1, .rounds = 2};
}

static void publish(Together *t) {
  Device *d = t->d;
  uint64_t *from = device_from(t, d->id), *to = device_to(t, d->id);
  for (int i = 0; i < t->n; i++) {
    from[i] = device_address(d, t->from[i]);
    to[i] = device_address(d, t->to[i]);
  }
}

static void combine_chunk(const Reduction *r) {
  const Together *all = r->t;
  Device *d = all->d;
  const DeviceGroup *g = all->g;
  const void **from = (const void **)(void *)device_scratch(d, 2 * g->n * (int64_t)sizeof *from);
  void **to = (void **)(void *)(from + g->n);
  BlockSpan s = reduction_chunk(r, g->me), part;
  int64_t base = 0;
  for (int t = 0; part_of(r, s, &t, &base, &part);) {
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
    publish(run->all);
    return RUN_ARRIVE;
  }
  if (run->step == 2) return RUN_OVER;
  combine_chunk(&r);
  return RUN_LEAVE;
}

const CollectiveAlgorithm memory_two_shot = {"memory-two-shot", two_fits, two_price, two_run};
