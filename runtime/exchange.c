/* exchange.c: runs the plan of an exchange, reading peers' memory or by messages (messages.c).
 *
 * Both ways combine the same terms in the same order, so their bits are the same. What a device
 * owns is copied, never sent.
 *
 * Memory: the block that goes in, the block that comes out, and scratch. Reading peers' memory
 * takes 16 bytes of scratch for each device whose terms are combined, and the slot's stages, 16
 * KiB. By messages it is COMM_SCRATCH, 1 MiB, or 144 bytes for each such device if that is more. An
 * all-reduce (collective.c) takes 16 bytes a device and 4 KiB; by messages the same as above.
 * Beside that a device keeps the plans it has made: a piece (240 bytes) for each device it meets.
 */
#include "device.h"
#include "reduce.h"

void dtrt_run_exchange(dtrt_device *dev, const dtrt_exchange *x, const void *from, void *to) {
  Device *d = device_of(dev);
  const Plan *p = device_plan(d, x);
  if (p->kind == PLAN_ALL_REDUCE)
    collective_all_reduce(d, 1, &p, &from, &to);
  else
    exchange_run(d, p, from, to);
}

void dtrt_run_all_reduces(dtrt_device *dev, int n, const dtrt_exchange *const *x,
                          const void *const *from, void *const *to) {
  Device *d = device_of(dev);
  for (int i = 0; i < n;) {
    const Plan *p[COMM_BATCH];
    int len = 0;
    for (; i + len < n && len < COMM_BATCH; len++) {
      p[len] = device_plan(d, x[i + len]);
      if (p[len]->kind != PLAN_ALL_REDUCE || p[len]->axes != p[0]->axes ||
          p[len]->dtype != p[0]->dtype || p[len]->reduce != p[0]->reduce)
        break;
    }
    if (len == 0) { /* not an all-reduce after all: a mesh axis of 1, say */
      exchange_run(d, p[0], from[i], to[i]);
      len = 1;
    } else {
      collective_all_reduce(d, len, p, from + i, to + i);
    }
    i += len;
  }
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

/* -------- direct -------- */

/* Blocks of the peers, by what they published or from their stages. */
static const char *block_of_peer(Device *d, int peer, bool staged, int stage) {
  Slot *slot = d->comm->slot[peer];
  return staged ? slot->stage[stage] : device_peer(d, peer, slot->from[0]);
}

static void direct(Device *d, const Plan *p, const Group *g, const char *from, char *to) {
  bool staged = p->most <= COMM_STAGE_BYTES;
  int stage = d->next_stage;
  device_begin(d, true);
  Slot *slot = d->comm->slot[d->id];
  if (staged)
    dtrt_copy(device_stage(d, g), from, p->elements * p->size);
  else
    slot->from[0] = device_address(d, from);
  device_arrive(d, g);
  if (p->nterms > 1) {
    const char **term =
        (const char **)(void *)device_scratch(d, p->nterms * 2 * (int64_t)sizeof *term);
    for (int i = 0; i < p->nrecv; i++) {
      const Piece *q = &p->recv[i];
      for (int t = 0; t < p->nterms; t++) {
        int peer = q->peer + p->term[t];
        term[t] = peer == d->id ? from : block_of_peer(d, peer, staged, stage);
        if (peer != d->id) device_took(d, peer, q->elements * p->size);
      }
      exchange_settle(p, q, term, false, to);
    }
  } else {
    for (int i = 0; i < p->nrecv; i++) {
      int peer = p->recv[i].peer;
      block_copy(&p->recv[i], p->size, to,
                 peer == d->id ? from : block_of_peer(d, peer, staged, stage));
      if (peer != d->id) device_took(d, peer, p->recv[i].elements * p->size);
    }
  }
  if (!staged) device_leave(d, g);
}

void exchange_run(Device *d, const Plan *p, const void *from, void *to) {
  if (p->identity) reduce_identity(p->dtype, p->reduce, to, p->to_elements);
  if (p->kind == PLAN_LOCAL) {
    if (from != to) dtrt_copy(to, from, p->elements * p->size);
    return;
  }
  if (p->axes == 0) { /* all I need is mine: uniform over the mesh, so nobody waits */
    for (int i = 0; i < p->nrecv; i++) block_copy(&p->recv[i], p->size, to, from);
    return;
  }
  const Group *g = device_group(d, p->axes);
  if (g->direct)
    direct(d, p, g, from, to);
  else
    messages_run(d, p, from, to);
  device_counted(d);
}
