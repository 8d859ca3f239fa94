/* partials.c: the tensors of an all-reduce laid end to end, and what devices of one place do with
 * the terms of all of them: see collective.h.
 *
 * Law: subtrees of a place lie one after the other, each dense; leaves in the type itself, the
 * others in that of reduce_wide. Both ends of a message know which are which from the places alone.
 */
#include "collective.h"
#include "reduce_terms.h"

/* Of tensor i what is for my copy, in bytes. */
static BlockSpan own_span(const Reduction *r, int i) {
  const Transfer *x = r->t->transfer[i];
  if (r->whole) return (BlockSpan){0, x->copy ? 0 : x->elements * r->size};
  return (BlockSpan){law_share(x->copy, x->elements, x->copies) * r->size,
                     law_share(x->copy + 1, x->elements, x->copies) * r->size};
}

int64_t reduction_begin(const Reduction *r) { return own_span(r, 0).lo; }

static Reduction make(const Together *t, bool whole) {
  Reduction r = {.t = t, .whole = whole, .size = t->transfer[0]->size};
  for (int i = 0; i < t->n; i++) {
    const Transfer *x = t->transfer[i];
    const BlockSpan own = own_span(&r, i);
    r.total += own.hi - own.lo;
    r.most += (whole ? x->elements : divide_up(x->elements, x->copies)) * r.size;
  }
  return r;
}

Reduction reduction_of(const Together *t) { return make(t, false); }
Reduction reduction_by_first(const Together *t) { return make(t, true); }

BlockSpan reduction_chunk(const Reduction *r, int i) {
  int64_t elements = r->total / r->size;
  return (BlockSpan){law_share(i, elements, r->t->g->n) * r->size,
                     law_share(i + 1, elements, r->t->g->n) * r->size};
}

bool reduction_part(const Reduction *r, BlockSpan s, int *tensor, int64_t *base, BlockSpan *part) {
  for (; *tensor < r->t->n; (*tensor)++) {
    const BlockSpan mine = own_span(r, *tensor);
    const int64_t bytes = mine.hi - mine.lo;
    BlockSpan own = {s.lo > *base ? s.lo - *base : 0, s.hi - *base < bytes ? s.hi - *base : bytes};
    *base += bytes;
    if (own.lo >= own.hi) continue;
    *part = (BlockSpan){mine.lo + own.lo, mine.lo + own.hi};
    (*tensor)++;
    return true;
  }
  return false;
}

void reduction_to_dense(const Reduction *r, BlockSpan s, char *dense) {
  BlockSpan part;
  int64_t base = 0;
  for (int i = 0; reduction_part(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy(dense, (const char *)r->t->from[i - 1] + part.lo, part.hi - part.lo);
}

void reduction_from_dense(const Reduction *r, BlockSpan s, const char *dense) {
  BlockSpan part;
  int64_t base = 0;
  for (int i = 0; reduction_part(r, s, &i, &base, &part); dense += part.hi - part.lo)
    dtrt_copy((char *)r->t->to[i - 1] + part.lo, dense, part.hi - part.lo);
}

void reduction_combine(const Reduction *r, void *const *to, int nto, const void *const *from,
                       int64_t bytes) {
  const Transfer *p = r->t->transfer[0];
  reduce_terms(p->dtype, p->reduce, to, nto, from, r->t->g->n, bytes / r->size);
}

/* -------- blocks of a place -------- */

void reduction_publish(const Reduction *r) {
  const Together *t = r->t;
  Device *d = t->d;
  uint64_t *from = device_from(t, d->id), *to = device_to(t, d->id);
  for (int i = 0; i < t->n; i++) {
    from[i] = device_address(d, t->from[i]);
    to[i] = device_address(d, t->to[i]);
  }
}

/* A peer's block of tensor i: after RUN_ARRIVE. */
static char *reduction_from(const Reduction *r, int member, int i) {
  const Together *t = r->t;
  const int device = t->g->device[member];
  if (member == t->g->me) return (char *)(uintptr_t)t->from[i];
  return device_peer(t->d, device, device_from(t, device)[i]);
}

char *reduction_next_to(const Reduction *r, int i, int *near, int *copy, int64_t bytes) {
  const Together *t = r->t;
  const Places *p = t->g->places;
  const int mine = p->place[t->g->me];
  if (*near == places_near(p, mine)) return NULL;
  const int member = p->member[p->first[mine] + *near], at = *copy;
  const int device = device_copy(t->d, t->transfer[i]->copied, t->g->device[member], at);
  if (++*copy == t->transfer[i]->copies) *copy = 0, ++*near;
  if (device == t->d->id) return t->to[i];
  device_gave(t->d, device, bytes);
  return device_peer(t->d, device, device_to(t, device)[i]);
}

/* -------- subtrees -------- */

static int64_t node_size(const Reduction *r, SumNode node) {
  return node.level > 0 ? dtrt_dtype_size(reduce_wide(r->t->transfer[0]->dtype)) : r->size;
}

int64_t reduction_subtrees_bytes(const Reduction *r, int place, int64_t bytes) {
  const Places *p = r->t->g->places;
  int64_t all = 0;
  for (int i = p->subtree[place]; i < p->subtree[place + 1]; i++)
    all += bytes / r->size * node_size(r, p->node[i]);
  return all;
}

static void took(const Reduction *r, int member, int64_t bytes) {
  const DeviceGroup *g = r->t->g;
  if (member != g->me) device_took(r->t->d, g->device[member], bytes);
}

/* The leaves of one subtree, which begin at member[0]. */
static void combine_subtree(const Reduction *r, BlockSpan s, SumNode top, const int *member, int n,
                            char *to, const void **from, SumNode *node) {
  const bool fast = r->t->g->fast;
  const Transfer *x = r->t->transfer[0];
  BlockSpan part;
  int64_t base = 0;
  for (int t = 0; reduction_part(r, s, &t, &base, &part);) {
    for (int i = 0; i < n; i++) {
      from[i] = reduction_from(r, member[i], t - 1) + part.lo;
      node[i] = (SumNode){0, fast ? i : member[i]};
      took(r, member[i], part.hi - part.lo);
    }
    int64_t elements = (part.hi - part.lo) / r->size;
    void *at = to;
    reduce_nodes(x->dtype, x->reduce, top.level > 0, &at, 1, from, node, n, elements);
    to += elements * node_size(r, top);
  }
}

int64_t reduction_subtrees(const Reduction *r, BlockSpan s, char *to, const void **from,
                           SumNode *node) {
  const DeviceGroup *g = r->t->g;
  const Places *p = g->places;
  const int mine = p->place[g->me];
  const int *member = p->member + p->first[mine];
  int left = places_near(p, mine);
  int64_t all = 0;
  for (int i = p->subtree[mine]; i < p->subtree[mine + 1]; i++) {
    int n = places_leaves(p, p->node[i], member, left);
    combine_subtree(r, s, p->node[i], member, n, to + all, from, node);
    all += (s.hi - s.lo) / r->size * node_size(r, p->node[i]);
    member += n, left -= n;
  }
  return all;
}

int64_t terms_room_bytes(const DeviceGroup *g) {
  int64_t bytes = g->nterms * (int64_t)(sizeof(void *) + sizeof(SumNode)) +
                  (g->near->n + 1) * (int64_t)sizeof(void *);
  return divide_up(bytes, COMM_LINE) * COMM_LINE;
}

TermsRoom terms_room(const DeviceGroup *g, char *at) {
  TermsRoom room = {.from = (const void **)(void *)at};
  room.to = (void **)(void *)(room.from + g->nterms);
  room.node = (SumNode *)(void *)(room.to + g->near->n + 1);
  return room;
}

void reduction_settle(const Reduction *r, BlockSpan s, const TermsRoom *room,
                      const char *const *subtree, char *dense) {
  const Together *t = r->t;
  const DeviceGroup *g = t->g;
  const Transfer *x = t->transfer[0];
  int64_t done = 0, base = 0;
  BlockSpan part;
  for (int k = 0; reduction_part(r, s, &k, &base, &part);) {
    const int64_t bytes = part.hi - part.lo;
    int nto = 0;
    for (int i = 0; i < g->nterms; i++) {
      const GroupTerm *term = &g->term[i];
      room->node[i] = term->node;
      room->from[i] = term->member < 0 ? subtree[term->number] + done * node_size(r, term->node)
                                       : reduction_from(r, term->member, k - 1) + part.lo;
      if (term->member >= 0) took(r, term->member, bytes);
    }
    int near = 0, copy = 0;
    for (char *to; (to = reduction_next_to(r, k - 1, &near, &copy, bytes));)
      room->to[nto++] = to + part.lo;
    if (dense) room->to[nto++] = dense + done * r->size;
    reduce_nodes(x->dtype, x->reduce, false, room->to, nto, room->from, room->node, g->nterms,
                 bytes / r->size);
    done += bytes / r->size;
  }
}
