/* collective.c: the all-reduce, of one tensor or of several as one.
 *
 * Small: everyone combines everything from the stages, one barrier. Large: each combines its own
 * chunk of all tensors laid end to end, straight from the peers' buffers, and writes the result to
 * all; two barriers. By messages the same two ways. Terms are always taken in the order of the
 * devices. Bytes received: small, (g-1) n; large, the least possible, 2 n (g-1)/g on average. */
#include "device.h"
#include "reduce.h"

typedef struct Reduction {
  Device *d;
  const Group *g;
  int n, dtype, op;
  int64_t size, total; /* bytes of an element; bytes of all tensors */
  const Plan *const *plan;
  const void *const *from;
  void *const *to;
} Reduction;

/* Chunk i of the tensors laid end to end, in bytes, on cache lines. */
static Span chunk(const Reduction *r, int i) {
  int64_t lines = (r->total + 63) / 64;
  Span s = {block_share(i, lines, r->g->n) * 64, block_share(i + 1, lines, r->g->n) * 64};
  if (s.lo > r->total) s.lo = r->total;
  if (s.hi > r->total) s.hi = r->total;
  return s;
}

/* Steps over the parts of a chunk that lie in one tensor. `tensor` starts at 0, `base` too. */
static bool part_of(const Reduction *r, Span s, int *tensor, int64_t *base, Span *part) {
  for (; *tensor < r->n; (*tensor)++) {
    int64_t bytes = r->plan[*tensor]->elements * r->size;
    Span own = {s.lo > *base ? s.lo - *base : 0, s.hi - *base < bytes ? s.hi - *base : bytes};
    *base += bytes;
    if (own.lo >= own.hi) continue;
    *part = own;
    (*tensor)++;
    return true;
  }
  return false;
}

static void to_dense(const Reduction *r, Span s, char *dense) {
  Span part;
  int64_t base = 0;
  for (int i = 0; part_of(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy(dense, (const char *)r->from[i - 1] + part.lo, part.hi - part.lo);
}

static void from_dense(const Reduction *r, Span s, const char *dense) {
  Span part;
  int64_t base = 0;
  for (int i = 0; part_of(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy((char *)r->to[i - 1] + part.lo, dense, part.hi - part.lo);
}

static void combine(const Reduction *r, void *const *to, int nto, const void *const *from,
                    int64_t bytes) {
  reduce_terms(r->dtype, r->op, to, nto, from, r->g->n, bytes / r->size);
}

/* -------- direct -------- */

static void direct_small(Reduction *r) {
  Device *d = r->d;
  const Group *g = r->g;
  const void **from =
      (const void **)(void *)device_scratch(d, COMM_STAGE_BYTES + g->n * (int64_t)sizeof *from);
  char *sum = (char *)(from + g->n);
  int stage = d->next_stage;
  to_dense(r, (Span){0, r->total}, device_stage(d, g));
  device_arrive(d, g);
  for (int i = 0; i < g->n; i++) from[i] = d->comm->slot[g->device[i]]->stage[stage];
  if (r->n == 1) {
    combine(r, r->to, 1, from, r->total);
    return;
  }
  void *to = sum;
  combine(r, &to, 1, from, r->total);
  from_dense(r, (Span){0, r->total}, sum);
}

static void direct_large(Reduction *r) {
  Device *d = r->d;
  const Group *g = r->g;
  Slot *slot = d->comm->slot[d->id];
  const void **from = (const void **)(void *)device_scratch(d, 2 * g->n * (int64_t)sizeof *from);
  void **to = (void **)(void *)(from + g->n);
  for (int i = 0; i < r->n; i++) {
    slot->from[i] = device_address(d, r->from[i]);
    slot->to[i] = device_address(d, r->to[i]);
  }
  device_arrive(d, g);
  Span s = chunk(r, g->me), part;
  int64_t base = 0;
  for (int t = 0; part_of(r, s, &t, &base, &part);) {
    for (int i = 0; i < g->n; i++) {
      const Slot *peer = d->comm->slot[g->device[i]];
      from[i] = device_peer(d, g->device[i], peer->from[t - 1]) + part.lo;
      to[i] = device_peer(d, g->device[i], peer->to[t - 1]) + part.lo;
    }
    combine(r, to, g->n, from, part.hi - part.lo);
  }
  device_leave(d, g);
}

/* -------- messages -------- */

static void send(Reduction *r, int peer, const void *at, int64_t bytes) {
  if (r->d->comm->verbs->send(r->d->comm, r->d->id, peer, at, bytes))
    device_fail(r->d, "out of memory for messages");
}
static void recv(Reduction *r, int peer, void *at, int64_t bytes) {
  if (r->d->comm->verbs->recv(r->d->comm, r->d->id, peer, at, bytes))
    device_fail(r->d, "out of memory for messages");
}

/* All terms of span s of everybody's tensors, then combined into `sum`: I get those of mine[i] and
 * everyone else gets theirs. */
static void messages(Reduction *r, bool small) {
  const Group *g = r->g;
  Span own = small ? (Span){0, r->total} : chunk(r, g->me);
  int64_t len = own.hi - own.lo, pointers = g->n * (int64_t)sizeof(void *);
  char *dense = device_scratch(r->d, pointers + r->total + len * g->n);
  const void **from = (const void **)(void *)dense;
  dense += pointers;
  char *terms = dense + r->total;
  to_dense(r, (Span){0, r->total}, dense);
  for (int i = 0; i < g->n; i++) {
    from[i] = i == g->me ? dense + own.lo : terms + i * len;
    if (i != g->me && len) recv(r, g->device[i], terms + i * len, len);
  }
  for (int i = 0; i < g->n; i++) {
    Span s = small ? own : chunk(r, i);
    if (i != g->me && s.lo < s.hi) send(r, g->device[i], dense + s.lo, s.hi - s.lo);
  }
  device_finish(r->d);
  void *sum = dense + own.lo; /* over my own term: elements are combined one by one */
  combine(r, &sum, 1, from, len);
  for (int i = 0; !small && i < g->n; i++) {
    Span s = chunk(r, i);
    if (i == g->me) continue;
    if (s.lo < s.hi) recv(r, g->device[i], dense + s.lo, s.hi - s.lo);
    if (len) send(r, g->device[i], sum, len);
  }
  if (!small) device_finish(r->d);
  from_dense(r, (Span){0, r->total}, dense);
}

void collective_all_reduce(Device *d, int n, const Plan *const *p, const void *const *from,
                           void *const *to) {
  const Group *g = device_group(d, p[0]->axes);
  Reduction r = {d, g, n, p[0]->dtype, p[0]->reduce, p[0]->size, 0, p, from, to};
  int64_t most = 0; /* decides, since it is the same everywhere */
  for (int i = 0; i < n; i++) {
    r.total += p[i]->elements * r.size;
    most += p[i]->most;
  }
  bool small = most <= COMM_STAGE_BYTES;
  device_begin(d, g->direct);
  if (!g->direct)
    messages(&r, small);
  else if (small)
    direct_small(&r);
  else
    direct_large(&r);
  Span own = chunk(&r, g->me);
  device_count(d, small ? r.total * (g->n - 1)
                        : (own.hi - own.lo) * (g->n - 1) + r.total - (own.hi - own.lo));
}
