/* exchange.c: runs the plan of an exchange, reading peers' memory or by messages.
 *
 * Both ways combine the same terms in the same order, so their bits are the same. What a device
 * owns is copied, never sent. */
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

/* Combines the terms of a piece run by run. `from` are the blocks they lie in, or dense boxes. */
static void settle(const Plan *p, const Piece *q, const char *const *from, bool dense,
                   const void **run, char *to) {
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
      }
      settle(p, q, term, false, (const void **)(term + p->nterms), to);
    }
  } else {
    for (int i = 0; i < p->nrecv; i++) {
      int peer = p->recv[i].peer;
      block_copy(&p->recv[i], p->size, to,
                 peer == d->id ? from : block_of_peer(d, peer, staged, stage));
    }
  }
  if (!staged) device_leave(d, g);
}

/* -------- messages -------- */

static void post_send(Device *d, int peer, const void *at, int64_t bytes) {
  if (d->comm->verbs->send(d->comm, d->id, peer, at, bytes))
    device_fail(d, "out of memory for messages");
}
static void post_recv(Device *d, int peer, void *at, int64_t bytes) {
  if (d->comm->verbs->recv(d->comm, d->id, peer, at, bytes))
    device_fail(d, "out of memory for messages");
}

/* Scratch: packed sends, then for each piece the terms as dense boxes (mine too). Nothing is packed
 * that is contiguous already. */
static void messages(Device *d, const Plan *p, const char *from, char *to) {
  bool terms = p->nterms > 1;
  int64_t need = 0, pointers = 2 * (int64_t)sizeof(char *) * p->nterms;
  for (int i = 0; i < p->nsend; i++)
    if (p->send[i].nloops) need += p->send[i].elements * p->size;
  for (int i = 0; i < p->nrecv; i++)
    if (terms || p->recv[i].nloops) need += p->recv[i].elements * p->size * p->nterms;
  device_begin(d, false);
  char *scratch = device_scratch(d, need + pointers), *at = scratch + pointers;
  for (int i = 0; i < p->nrecv; i++) {
    const Piece *q = &p->recv[i];
    int64_t bytes = q->elements * p->size;
    for (int t = 0; t < p->nterms; t++) {
      int peer = q->peer + p->term[t];
      bool packed = terms || (q->nloops && peer != d->id);
      if (peer != d->id)
        post_recv(d, peer, packed ? at : to + q->to * p->size, bytes);
      else if (terms)
        block_pack(q, p->size, at, from);
      if (packed || q->nloops) at += bytes;
    }
  }
  for (int i = 0; i < p->nsend; i++) {
    const Piece *q = &p->send[i];
    int64_t bytes = q->elements * p->size;
    if (!q->nloops) {
      post_send(d, q->peer, from + q->from * p->size, bytes);
      continue;
    }
    block_pack(q, p->size, at, from);
    post_send(d, q->peer, at, bytes);
    at += bytes;
  }
  if (!terms) /* what I own, while the rest is on its way */
    for (int i = 0; i < p->nrecv; i++)
      if (p->recv[i].peer == d->id) block_copy(&p->recv[i], p->size, to, from);
  device_finish(d);
  at = scratch + pointers;
  const char **term = (const char **)(void *)scratch;
  for (int i = 0; i < p->nrecv; i++) {
    const Piece *q = &p->recv[i];
    int64_t bytes = q->elements * p->size;
    if (!terms && !q->nloops) continue;
    if (!terms && q->peer != d->id) block_unpack(q, p->size, to, at);
    for (int t = 0; t < p->nterms; t++, at += bytes) term[t] = at;
    if (terms) settle(p, q, term, true, (const void **)(term + p->nterms), to);
  }
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
    messages(d, p, from, to);
  device_count(d, p->recv_bytes);
}
