/* The exchange between two layouts: its kind, its axes and its bytes. */
#include "algorithm.h"
#include "exchange_dims.h"

const char *exchange_name(int kind) {
  static const char *const name[] = {"copy",       "all-reduce", "reduce-scatter", "all-gather",
                                     "all-to-all", "permute",    "boxes",          "halo"};
  return name[kind];
}

/* -------- the most that a device receives -------- */

/* Dims that axes link: an axis that cuts one of them before and another behind. Of each such set
 * the parts that there are, over the coordinates along its own axes alone: what a device receives
 * is made of one part of each set, and all that are made so are those of some device. */
static uint32_t linked(DimPair *const *pair, int rank, uint32_t dims, uint32_t *axes) {
  uint32_t set = dims & -dims;
  for (uint32_t before = 0; before != set;) {
    before = set;
    for (int d = 0; d < rank; d++)
      if (set >> d & 1) *axes |= pair[d]->from_axes | pair[d]->to_axes;
    for (int d = 0; d < rank; d++)
      if (dims >> d & 1 && (pair[d]->from_axes | pair[d]->to_axes) & *axes) set |= 1u << d;
  }
  return set;
}

static Need times(Need a, const Need *b) {
  return (Need){a.need * b->need, a.own * b->own, a.blocks * b->blocks};
}

/* Of several dims that axes link. A place at which a device needs the most, has none of that and
 * hears from the most stands for all; it mostly comes soon. */
static Needs parts_of(const Program *p, DimPair *const *pair, int rank, uint32_t dims,
                      uint32_t axes) {
  DimNeeds dim[MAX_RANK];
  const PlaceSteps *of[MAX_RANK];
  const Mesh *m = &p->mesh;
  Need most = {1, 0, 1};
  int ndims = 0, *at[MAX_RANK], few = how_few(m, axes);
  int choices = steps_along(m, axes, few).choices;
  for (int d = 0; d < rank; d++) {
    if (!(dims >> d & 1)) continue;
    dim[ndims] = dim_pair_every(p, pair[d], few);
    of[ndims] = &dim[ndims].steps, at[ndims] = &dim[ndims].now;
    most.need *= dim[ndims].most.need, most.blocks *= dim[ndims].most.blocks;
    ndims++;
  }
  PlaceWalk walk = walk_along(m, axes, few);
  Need part[MOST_PLACES];
  Needs out = {part, 0};
  for (int c = 0; c < choices; c++) {
    Need all = {1, 1, 1};
    for (int d = 0; d < ndims; d++) all = times(all, &dim[d].at[dim[d].now]);
    needs_add(&out, all);
    if (all.own == 0 && all.need == most.need && all.blocks == most.blocks) {
      out.at[0] = all, out.n = 1;
      break;
    }
    walk_step(&walk, ndims, of, at);
  }
  return (Needs){arena_copy(p->arena, part, sizeof *part * (size_t)out.n), out.n};
}

typedef struct Received {
  int64_t elements, senders;
} Received;

/* `terms` is how many devices hold a term each. */
static Received most_received(const Program *p, DimPair *const *pair, int rank, int64_t terms) {
  Need everywhere = {1, 1, 1};
  Needs sets[MAX_RANK + 1];
  int n = 0, at[MAX_RANK + 1] = {0};
  uint32_t varies = 0;
  for (int d = 0; d < rank; d++) {
    if (pair[d]->uniform)
      everywhere = times(everywhere, &pair[d]->first);
    else
      varies |= 1u << d;
  }
  sets[n++] = (Needs){&everywhere, 1};
  for (uint32_t left = varies; left; n++) {
    uint32_t axes = 0, dims = linked(pair, rank, left, &axes);
    if (dims & (dims - 1))
      sets[n] = parts_of(p, pair, rank, dims, axes);
    else
      sets[n] = dim_pair_alone(p, pair[__builtin_ctz(dims)]);
    left &= ~dims;
  }
  Received most = {0, 0};
  for (int k = 0; k < n;) {
    Need x = {1, 1, 1};
    for (int i = 0; i < n; i++) x = times(x, &sets[i].at[at[i]]);
    int64_t elements = terms * x.need - x.own, senders = terms * x.blocks - (x.own > 0);
    if (x.need && elements > most.elements) most.elements = elements;
    if (x.need && senders > most.senders) most.senders = senders;
    for (k = 0; k < n && ++at[k] == sets[k].n; k++) at[k] = 0;
  }
  return most;
}

/* -------- what it is -------- */

static int classify(DimPair *const *pair, int rank, bool plain, bool settles) {
  bool equal = true, nested = true, gathers = true, same_parts = true, same_axes = true;
  uint32_t from_axes = 0, to_axes = 0;
  for (int d = 0; d < rank; d++) {
    const DimPair *x = pair[d];
    equal = equal && x->equal;
    nested = nested && x->nested;
    gathers = gathers && x->gathers;
    same_parts = same_parts && x->same_parts;
    same_axes = same_axes && x->same_axes;
    from_axes |= x->from_axes, to_axes |= x->to_axes;
  }
  if (settles) return equal ? DTRT_ALL_REDUCE : DTRT_REDUCE_SCATTER;
  if (nested) return DTRT_COPY;
  if (gathers) return DTRT_ALL_GATHER;
  if (same_parts) return DTRT_PERMUTE;
  if (same_axes && !plain) return DTRT_HALO;
  if (from_axes == to_axes && plain) return DTRT_ALL_TO_ALL;
  return DTRT_BOXES;
}

static int64_t group_of(const Mesh *m, uint32_t axes) {
  int64_t n = 1;
  for (int a = 0; a < m->naxes; a++)
    if (axes & 1u << a) n *= m->axis[a].size;
  return n;
}

/* Elements of a box that are contiguous at both ends: all of the dims that are the same before and
 * behind, and what the box has of the next; or all of the box, where the dims outside of that are
 * of one element. */
static int64_t run_of(DimPair *const *pair, const Shape *a, const Shape *b) {
  int64_t run = 1;
  int d = a->rank - 1;
  for (; d >= 0 && pair[d]->equal; d--) run *= a->dim[d];
  if (d >= 0) run *= a->dim[d] < b->dim[d] ? a->dim[d] : b->dim[d];
  return run;
}

ExchangeEnd exchange_end(const Program *p, const Layout *l, const Shape *s) {
  ExchangeEnd x = {.layout = l,
                   .axes = layout_axes(l),
                   .plain = layout_is_plain(l),
                   .block = layout_local(&p->mesh, l, s)};
  x.elements = shape_count(&x.block);
  return x;
}

static Known find(const Program *p, DimPair *const *pair, const ExchangeEnd *from,
                  const ExchangeEnd *to) {
  const Mesh *m = &p->mesh;
  const int rank = from->block.rank;
  const uint32_t settled = from->layout->partial & ~to->layout->partial;
  Known x = {.kind = classify(pair, rank, to->plain, settled), .axes = settled};
  int64_t terms = group_of(m, settled);
  x.terms = terms;
  x.most = from->elements;
  x.run = run_of(pair, &from->block, &to->block);
  for (int d = 0; d < rank; d++)
    if (!pair[d]->nested) x.axes |= pair[d]->moving_from | (pair[d]->moving_to & from->axes);
  x.settled = settled;
  x.alike = x.axes & ~to->axes & ~(to->layout->partial & ~from->layout->partial);
  if (x.kind == DTRT_ALL_REDUCE) {
    const Collective all = {.group = terms, .size = 1, .wide = 1, .most = x.most};
    x.elements = terms > 1 ? collective_chunked(&all) : 0;
    x.senders = terms - 1;
    return x;
  }
  Received r = most_received(p, pair, rank, terms);
  x.elements = r.elements;
  x.senders = r.senders;
  return x;
}

/* Axes of several devices that the exchange does not know: all but those of its ends. */
static uint32_t idle_axes(const Mesh *m, uint32_t known) {
  uint32_t idle = 0;
  for (int a = 0; a < m->naxes; a++)
    if (m->axis[a].size > 1 && !(known >> a & 1)) idle |= 1u << a;
  return idle;
}

/* `ends`: axes that cut a dim of either layout. */
static Exchange exchange_as(const Program *p, const Known *x, const Layout *from, const Layout *to,
                            uint32_t ends, DType t) {
  return (Exchange){.kind = x->kind,
                    .axes = x->axes,
                    .settled = x->settled,
                    .alike = x->alike,
                    .idle = idle_axes(&p->mesh, x->axes | ends | from->partial | to->partial),
                    .bytes = x->elements * dtype_size(t),
                    .group = group_of(&p->mesh, x->axes),
                    .senders = x->senders,
                    .most = x->most * dtype_size(t),
                    .terms = x->terms,
                    .size = dtype_size(t),
                    .wide = dtype_size(dtype_computed(t)),
                    .run = x->run * dtype_size(t)};
}

Exchange exchange_by(const Program *p, DimPair *const *pair, const ExchangeEnd *from,
                     const ExchangeEnd *to, DType t) {
  const Known x = find(p, pair, from, to);
  return exchange_as(p, &x, from->layout, to->layout, from->axes | to->axes, t);
}

static Known find_here(const Program *p, KnownAt at, const Layout *from, const Layout *to,
                       const Shape *s) {
  const ExchangeEnd f = exchange_end(p, from, s), g = exchange_end(p, to, s);
  DimPair *pair[MAX_RANK];
  for (int d = 0; d < s->rank; d++)
    pair[d] = known_dim_pair(p, p->known, at, from, to, d, s->dim[d]);
  return find(p, pair, &f, &g);
}

Exchange exchange_of(const Program *p, const Layout *from, const Layout *to, const Shape *shape,
                     DType t) {
  Known x;
  KnownAt at = {0};
  if (p->known) at = known_at(p->known, from, to, shape);
  if (!p->known || !known_get(p->known, at, &x)) {
    ArenaMark mark = arena_mark(p->arena);
    x = find_here(p, at, from, to, shape);
    arena_release(p->arena, mark);
    if (p->known) known_put(p->known, at, &x);
  }
  return exchange_as(p, &x, from, to, layout_axes(from) | layout_axes(to), t);
}
