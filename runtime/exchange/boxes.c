/* boxes.c: boxes that move from peers' memory, with their terms combined on the way: two
 * algorithms.
 *
 * Staged: small blocks go through the slots' stages, so that no device waits for readers; one
 * barrier. Direct: blocks are read in place; two barriers. */
#include <stddef.h>
#include "device.h"
#include "exchange.h"
#include "messages.h"
#include "reduce_terms.h"

/* -------- one piece -------- */

/* Combines the terms of a piece run by run. from: [2 * nterms], the blocks they are in or dense
 * boxes, and as much room. */
static void exchange_reduce(const Transfer *p, const Piece *q, const char **from, bool dense,
                            char *to) {
  const void **run = (const void **)(from + p->nterms);
  if (q->elements == 0) return;
  BlockWalk w = block_walk(q);
  do {
    int64_t at = (dense ? w.dense : w.from) * p->size;
    for (int t = 0; t < p->nterms; t++) run[t] = from[t] + at;
    void *result = to + w.to * p->size;
    reduce_terms(p->dtype, p->reduce, &result, 1, run, p->nterms, q->run);
  } while (block_next(&w));
}

/* -------- from peers' memory -------- */

/* The offset of the block of exchange k in a stage: after the largest that the ones before can
 * have.
 */
static int64_t stage_offset(const Together *t, int k) {
  int64_t at = 0;
  for (int i = 0; i < k; i++) at += divide_up(t->transfer[i]->most, COMM_LINE) * COMM_LINE;
  return at;
}

/* A peer's block of exchange k. */
static const char *block_of(const Together *t, int k, bool staged, int peer) {
  if (peer == t->d->id) return t->from[k];
  return staged ? device_stage_of(t, peer) + stage_offset(t, k)
                : device_peer(t->d, peer, device_from(t, peer)[k]);
}

static void take_terms(const Together *t, int k, bool staged, const Piece *q, const char **term) {
  const Transfer *p = t->transfer[k];
  for (int i = 0; i < p->nterms; i++) {
    int peer = q->peer + p->term[i];
    term[i] = block_of(t, k, staged, peer);
    if (peer != t->d->id) device_took(t->d, peer, q->elements * p->size);
  }
  exchange_reduce(p, q, term, false, t->to[k]);
}

static void take(const Together *t, bool staged) {
  Device *d = t->d;
  for (int k = 0; k < t->n; k++) {
    const Transfer *p = t->transfer[k];
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

/* -------- the algorithms -------- */

static bool staged_fits(const Collective *c) {
  return c->direct && !c->all_reduce && c->staged <= collective_stage(c);
}

static Price staged_price(const Collective *c, const Speed *s) {
  (void)s;
  return (Price){.bytes = c->received, .peers = c->senders, .rounds = 1};
}

static RunWait staged_run(CollectiveRun *r) {
  Together *t = r->all;
  if (r->step) {
    take(t, true);
    return RUN_OVER;
  }
  char *stage = device_open_stage(t);
  for (int k = 0; k < t->n; k++)
    dtrt_copy(stage + stage_offset(t, k), t->from[k],
              t->transfer[k]->elements * t->transfer[k]->size);
  return RUN_ARRIVE;
}

const CollectiveAlgorithm memory_staged = {"memory-staged", staged_fits, staged_price, staged_run};

static bool direct_fits(const Collective *c) { return c->direct && !c->all_reduce; }

static Price direct_price(const Collective *c, const Speed *s) {
  (void)s;
  return (Price){.bytes = c->received, .peers = c->senders, .rounds = 2};
}

static RunWait direct_run(CollectiveRun *r) {
  Together *t = r->all;
  if (r->step == 0) {
    for (int k = 0; k < t->n; k++) device_from(t, t->d->id)[k] = device_address(t->d, t->from[k]);
    return RUN_ARRIVE;
  }
  if (r->step == 2) return RUN_OVER;
  take(t, false);
  return RUN_LEAVE;
}

const CollectiveAlgorithm memory_direct = {"memory-direct", direct_fits, direct_price, direct_run};
