/* collective.c: the all-reduce, of one tensor or of several as one.
 *
 * Each device combines its own chunk of all tensors laid end to end, straight from the peers'
 * buffers, and writes the result to all; two barriers. Where it moves no more to any (two devices
 * whose terms are small, or a single element) everyone combines everything from the stages, one
 * barrier. By messages the same two ways. Terms are always taken in the order of the devices.
 * Chunks are blocks by the block law, so of e elements the device with the largest, c = ceil(e/g),
 * receives e + (g-2) c: 2 (g-1)/g of them where g divides e. Scratch: see exchange.c. */
#include "device.h"
#include "reduce.h"

/* Between two devices a second barrier is dearer than copying so much to a stage, and cheaper than
 * copying more. */
enum { PAIR_BYTES = 1024 };

typedef struct Reduction {
  Device *d;
  const Group *g;
  int n, dtype, op;
  int64_t size, total; /* bytes of an element; bytes of all tensors */
  const Plan *const *plan;
  const void *const *from;
  void *const *to;
} Reduction;

/* Chunk i of the tensors laid end to end, in bytes. */
static Span chunk(const Reduction *r, int i) {
  int64_t elements = r->total / r->size;
  return (Span){block_share(i, elements, r->g->n) * r->size,
                block_share(i + 1, elements, r->g->n) * r->size};
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
  device_staged(d, r->total * (g->n - 1), r->total * (g->n - 1)); /* all read all stages */
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
    for (int i = 0; i < g->n; i++) {
      if (i == g->me) continue;
      device_took(d, g->device[i], part.hi - part.lo);
      device_gave(d, g->device[i], part.hi - part.lo);
    }
  }
  device_leave(d, g);
}

/* -------- messages -------- */

static void send(Reduction *r, int peer, const void *at, int64_t bytes) {
  if (r->d->comm->verbs->send(r->d->comm, r->d->id, peer, at, bytes))
    device_fail(r->d, "out of memory for messages");
  device_staged(r->d, bytes, 0);
}
static void recv(Reduction *r, int peer, void *at, int64_t bytes) {
  if (r->d->comm->verbs->recv(r->d->comm, r->d->id, peer, at, bytes))
    device_fail(r->d, "out of memory for messages");
  device_staged(r->d, 0, bytes);
}

static void messages_small(Reduction *r) {
  const Group *g = r->g;
  int64_t pointers = g->n * (int64_t)sizeof(void *);
  const void **from = (const void **)(void *)device_scratch(r->d, pointers + r->total * g->n);
  char *terms = (char *)(from + g->n), *own = terms + g->me * r->total;
  to_dense(r, (Span){0, r->total}, own);
  for (int i = 0; i < g->n; i++) {
    from[i] = terms + i * r->total;
    if (i != g->me && r->total) recv(r, g->device[i], terms + i * r->total, r->total);
  }
  for (int i = 0; i < g->n; i++)
    if (i != g->me && r->total) send(r, g->device[i], own, r->total);
  device_finish(r->d);
  void *sum = own; /* over my own term: elements are combined one by one */
  combine(r, &sum, 1, from, r->total);
  from_dense(r, (Span){0, r->total}, own);
}

/* Bytes [at, at + len) of chunk i. */
static Span chunk_part(const Reduction *r, int i, int64_t at, int64_t len) {
  Span s = chunk(r, i);
  int64_t lo = s.lo + at < s.hi ? s.lo + at : s.hi;
  return (Span){lo, lo + len < s.hi ? lo + len : s.hi};
}

/* The same part of every chunk at a time, so that the scratch is bounded: my terms (then the
 * results) of all chunks, and all terms of my own. */
static void messages_part(Reduction *r, int64_t at, int64_t len, char *mine, char *terms,
                          const void **from) {
  const Group *g = r->g;
  Span own = chunk_part(r, g->me, at, len);
  int64_t n = own.hi - own.lo;
  for (int i = 0; i < g->n; i++) {
    from[i] = i == g->me ? mine + i * len : terms + i * len;
    if (i != g->me && n) recv(r, g->device[i], terms + i * len, n);
  }
  for (int i = 0; i < g->n; i++) {
    Span s = chunk_part(r, i, at, len);
    to_dense(r, s, mine + i * len);
    if (i != g->me && s.lo < s.hi) send(r, g->device[i], mine + i * len, s.hi - s.lo);
  }
  device_finish(r->d);
  void *sum = mine + g->me * len;
  combine(r, &sum, 1, from, n);
  for (int i = 0; i < g->n; i++) {
    Span s = chunk_part(r, i, at, len);
    if (i == g->me) continue;
    if (s.lo < s.hi) recv(r, g->device[i], mine + i * len, s.hi - s.lo);
    if (n) send(r, g->device[i], sum, n);
  }
  device_finish(r->d);
  for (int i = 0; i < g->n; i++) from_dense(r, chunk_part(r, i, at, len), mine + i * len);
}

static void messages_large(Reduction *r) {
  const Group *g = r->g;
  int64_t pointers = g->n * (int64_t)sizeof(void *), longest = 0;
  int64_t len = (COMM_SCRATCH - pointers) / (2 * g->n) / COMM_LINE * COMM_LINE;
  for (int i = 0; i < g->n; i++) {
    Span s = chunk(r, i);
    if (s.hi - s.lo > longest) longest = s.hi - s.lo;
  }
  if (len < COMM_LINE) len = COMM_LINE;
  if (len > longest) len = longest;
  char *scratch = device_scratch(r->d, pointers + 2 * g->n * len);
  const void **from = (const void **)(void *)scratch;
  char *mine = scratch + pointers, *terms = mine + g->n * len;
  for (int64_t at = 0; at < longest; at += len) messages_part(r, at, len, mine, terms, from);
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
  int64_t pair = g->direct ? PAIR_BYTES : COMM_STAGE_BYTES;
  bool small = most <= (g->n == 2 ? pair : r.size);
  device_begin(d, g->direct);
  if (!g->direct)
    small ? messages_small(&r) : messages_large(&r);
  else if (small)
    direct_small(&r);
  else
    direct_large(&r);
  device_counted(d);
}
