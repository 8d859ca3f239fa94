/* What moves between two layouts: its kind, its axes and its bytes. */
#include "passes.h"

const char *exchange_name(int kind) {
  static const char *const name[] = {"copy",       "all-reduce", "reduce-scatter", "all-gather",
                                     "all-to-all", "permute",    "boxes",          "halo"};
  return name[kind];
}

/* Every block of `to` lies in the device's own block of `from`. */
static bool dim_nested(const Mesh *m, const DimLayout *from, const DimLayout *to, int64_t n) {
  if (!from->naxes) return true;
  if (to->window.of) return dim_inside(m, from, to, n);
  if (to->naxes < from->naxes || to->granule != from->granule) return false;
  for (int i = 0; i < from->naxes; i++)
    if (to->axis[i] != from->axis[i]) return false;
  return true;
}

static uint32_t dim_axes(const DimLayout *d) {
  uint32_t set = 0;
  for (int i = 0; i < d->naxes; i++) set |= 1u << d->axis[i];
  return set;
}

/* The axes along which elements of one dim move. Those that both cut by first, alike, lead a device
 * to the same part before and after: nothing leaves it. */
static uint32_t dim_moving(const DimLayout *from, const DimLayout *to, uint32_t from_axes) {
  DimLayout f = *from, t = *to;
  int same = 0;
  if (f.granule == t.granule && !t.window.of)
    while (same < f.naxes && same < t.naxes && f.axis[same] == t.axis[same]) same++;
  for (int i = same; i < f.naxes; i++) f.axis[i - same] = f.axis[i];
  for (int i = same; i < t.naxes; i++) t.axis[i - same] = t.axis[i];
  f.naxes -= same, t.naxes -= same;
  return dim_axes(&f) | (dim_axes(&t) & from_axes);
}

static int64_t clip(int64_t a_lo, int64_t a_hi, int64_t b_lo, int64_t b_hi) {
  int64_t lo = a_lo > b_lo ? a_lo : b_lo, hi = a_hi < b_hi ? a_hi : b_hi;
  return hi > lo ? hi - lo : 0;
}

/* The block of a cut dim that holds element x. */
static int64_t block_at(const Mesh *m, const DimLayout *d, int64_t n, int64_t x) {
  int64_t k = dim_parts(m, d), units = n / d->granule;
  return ((x / d->granule + 1) * k - 1) / units;
}

/* How many blocks of the dim hold some of [lo, hi): where it has fewer granules than parts, some of
 * those in between are empty. */
static int64_t owners(const Mesh *m, const DimLayout *d, int64_t n, int64_t lo, int64_t hi) {
  int64_t blocks = block_at(m, d, n, hi - 1) - block_at(m, d, n, lo) + 1;
  int64_t granules = (hi - 1) / d->granule - lo / d->granule + 1;
  return blocks < granules ? blocks : granules;
}

/* Each device that needs something needs the whole block of one device: a shift by blocks. */
static bool dim_shifted(const Mesh *m, const DimLayout *from, const DimLayout *to, int64_t n) {
  int64_t k = dim_parts(m, from);
  if (!to->window.of || from->window.of || !dim_same_axes(from, to) || k > DIM_BLOCKS_SEEN)
    return false;
  for (int64_t i = 0; i < k; i++) {
    int64_t lo, hi, owner_lo, owner_hi;
    dim_box_at(m, to, n, i, &lo, &hi);
    if (lo >= hi) continue;
    dim_box_at(m, from, n, block_at(m, from, n, lo), &owner_lo, &owner_hi);
    if (lo != owner_lo || hi != owner_hi) return false;
  }
  return true;
}

typedef struct Received {
  int64_t elements, senders;
} Received;

/* Of some dims, of one device: elements that it needs, how many of these it has, and from how many
 * blocks they come. */
typedef struct Part {
  int64_t need, own, blocks;
} Part;

typedef struct Parts {
  Part *at;
  int n;
} Parts;

/* Of a device whose boxes before and behind are these. */
static Part part_of_dim(const Mesh *m, const DimLayout *from, int64_t n, const int64_t *have,
                        const int64_t *need) {
  Part p = {need[1] - need[0], clip(need[0], need[1], have[0], have[1]), 1};
  if (need[1] > need[0] && !from->window.of && from->naxes)
    p.blocks = owners(m, from, n, need[0], need[1]);
  return p;
}

/* One that receives at least as much, whatever the other dims are, stands for it. */
static void add_part(Parts *p, Part x) {
  for (int i = 0; i < p->n; i++) {
    const Part *y = &p->at[i];
    if (y->need >= x.need && y->own <= x.own && y->blocks >= x.blocks) return;
  }
  p->at[p->n++] = x;
}

/* Every device needs as much of the dim and has as much of that: even blocks, one list of axes
 * beginning with the other. */
static bool same_everywhere(const Mesh *m, const DimLayout *f, const DimLayout *t, int64_t n) {
  if (f->window.of || t->window.of || !dim_even(m, f, n) || !dim_even(m, t, n)) return false;
  for (int i = 0; i < f->naxes && i < t->naxes; i++)
    if (f->axis[i] != t->axis[i]) return false;
  return true;
}

/* Dims that axes link: an axis that cuts one of them before and another behind. Of each such set
 * the parts that there are, over the coordinates along its own axes alone: what a device receives
 * is made of one part of each set, and all that are made so are those of some device. */
static uint32_t linked(const Layout *from, const Layout *to, uint32_t dims, uint32_t *axes) {
  uint32_t set = dims & -dims;
  for (uint32_t before = 0; before != set;) {
    before = set;
    for (int d = 0; d < from->rank; d++)
      if (set >> d & 1) *axes |= dim_axes(&from->dim[d]) | dim_axes(&to->dim[d]);
    for (int d = 0; d < from->rank; d++)
      if (dims >> d & 1 && (dim_axes(&from->dim[d]) | dim_axes(&to->dim[d])) & *axes)
        set |= 1u << d;
  }
  return set;
}

/* Of an axis of up to 4 every coordinate is looked at, of a longer one the first, the middle and
 * the last: blocks differ by one granule only, and the cost must not grow with the devices. Along
 * many axes it would grow with these: then fewer are looked at, the ends in any case. */
enum { EVERY = 4, MOST_PLACES = 256 };

static int ways_along(const Mesh *m, int axis, int few) {
  int64_t size = m->axis[axis].size;
  return size <= few ? (int)size : few == EVERY ? 3 : few;
}

static int coord_of(const Mesh *m, int axis, int few, int way) {
  int64_t size = m->axis[axis].size;
  return size <= few || way == 0 ? way : (int)(way == 1 ? size - 1 : size / 2);
}

static int how_few(const Mesh *m, uint32_t axes) {
  for (int few = EVERY;; few--) {
    int places = 1;
    for (int a = 0; a < m->naxes; a++)
      if (axes & 1u << a) places *= ways_along(m, a, few);
    if (places <= MOST_PLACES || few == 2) return few;
  }
}

/* By the ways along some axes; the number of an entry is a sum of strides. */
typedef struct Steps {
  int stride[MAX_AXES], choices;
} Steps;

static Steps steps_along(const Mesh *m, uint32_t axes, int few) {
  Steps s = {.choices = 1};
  for (int i = 0; i < m->naxes; i++) {
    if (!(axes & 1u << i)) continue;
    s.stride[i] = s.choices;
    s.choices *= ways_along(m, i, few);
  }
  return s;
}

/* To the next entry of a walk over axes; at[k] goes by of[k]'s strides. */
static void step(const Mesh *m, uint32_t axes, int few, int *way, int n, const Steps *const *of,
                 int **at) {
  for (int i = 0; i < m->naxes; i++) {
    if (!(axes & 1u << i)) continue;
    int ways = ways_along(m, i, few);
    bool again = ++way[i] == ways;
    for (int k = 0; k < n; k++) *at[k] += (again ? 1 - ways : 1) * of[k]->stride[i];
    if (!again) return;
    way[i] = 0;
  }
}

typedef struct Boxes {
  Steps steps;
  int64_t (*at)[2]; /* begin, end */
} Boxes;

static Boxes boxes_of(Arena *a, const Mesh *m, const DimLayout *d, int64_t n, uint32_t axes,
                      int few) {
  Boxes b = {.steps = steps_along(m, axes & dim_axes(d), few)};
  int coord[MAX_AXES] = {0}, way[MAX_AXES] = {0};
  b.at = arena_alloc(a, sizeof *b.at * (size_t)b.steps.choices);
  for (int c = 0; c < b.steps.choices; c++) {
    for (int i = 0; i < m->naxes; i++) coord[i] = coord_of(m, i, few, way[i]);
    dim_box(m, d, n, coord, &b.at[c][0], &b.at[c][1]);
    step(m, axes & dim_axes(d), few, way, 0, NULL, NULL);
  }
  return b;
}

/* The parts of one dim, by the ways along the axes that it has before or behind. */
typedef struct DimParts {
  Part *at;
  Steps steps;
  int now;
} DimParts;

static DimParts parts_of_dim(Arena *a, const Mesh *m, const DimLayout *from, const DimLayout *to,
                             int64_t n, uint32_t axes, int few) {
  const Boxes have = boxes_of(a, m, from, n, axes, few), need = boxes_of(a, m, to, n, axes, few);
  const Steps *of[] = {&have.steps, &need.steps};
  int way[MAX_AXES] = {0}, h = 0, w = 0, *at[] = {&h, &w};
  axes &= dim_axes(from) | dim_axes(to);
  DimParts p = {.steps = steps_along(m, axes, few)};
  p.at = arena_alloc(a, sizeof *p.at * (size_t)p.steps.choices);
  for (int c = 0; c < p.steps.choices; c++) {
    p.at[c] = part_of_dim(m, from, n, have.at[h], need.at[w]);
    step(m, axes, few, way, 2, of, at);
  }
  return p;
}

static void parts_of(Arena *a, const Mesh *m, const Layout *from, const Layout *to, const Shape *s,
                     uint32_t dims, uint32_t axes, Parts *out) {
  DimParts dim[MAX_RANK];
  const Steps *of[MAX_RANK];
  int ndims = 0, way[MAX_AXES] = {0}, *at[MAX_RANK], few = how_few(m, axes);
  int choices = steps_along(m, axes, few).choices;
  for (int d = 0; d < s->rank; d++) {
    if (!(dims >> d & 1)) continue;
    dim[ndims] = parts_of_dim(a, m, &from->dim[d], &to->dim[d], s->dim[d], axes, few);
    of[ndims] = &dim[ndims].steps, at[ndims] = &dim[ndims].now;
    ndims++;
  }
  *out = (Parts){arena_alloc(a, sizeof *out->at * (size_t)choices), 0};
  for (int c = 0; c < choices; c++) {
    Part all = {1, 1, 1};
    for (int d = 0; d < ndims; d++) {
      const Part *x = &dim[d].at[dim[d].now];
      all = (Part){all.need * x->need, all.own * x->own, all.blocks * x->blocks};
    }
    add_part(out, all);
    step(m, axes, few, way, ndims, of, at);
  }
}

/* The most that any device receives; `terms` is how many devices hold a term each. */
static Received most_received(const Program *p, const Layout *from, const Layout *to,
                              const Shape *s, int64_t terms) {
  ArenaMark mark = arena_mark(p->arena);
  uint32_t varies = 0, all = (1u << s->rank) - 1;
  for (int d = 0; d < s->rank; d++)
    if (!same_everywhere(&p->mesh, &from->dim[d], &to->dim[d], s->dim[d])) varies |= 1u << d;
  Parts sets[MAX_RANK + 1];
  int n = 1;
  parts_of(p->arena, &p->mesh, from, to, s, all & ~varies, 0, &sets[0]);
  for (uint32_t left = varies; left; n++) {
    uint32_t axes = 0, dims = linked(from, to, left, &axes);
    parts_of(p->arena, &p->mesh, from, to, s, dims, axes, &sets[n]);
    left &= ~dims;
  }
  Received most = {0, 0};
  int at[MAX_RANK + 1] = {0};
  for (int k = 0; k < n;) {
    Part x = {1, 1, 1};
    for (int i = 0; i < n; i++) {
      const Part *y = &sets[i].at[at[i]];
      x = (Part){x.need * y->need, x.own * y->own, x.blocks * y->blocks};
    }
    int64_t elements = terms * x.need - x.own, senders = terms * x.blocks - (x.own > 0);
    if (x.need && elements > most.elements) most.elements = elements;
    if (x.need && senders > most.senders) most.senders = senders;
    for (k = 0; k < n && ++at[k] == sets[k].n; k++) at[k] = 0;
  }
  arena_release(p->arena, mark);
  return most;
}

static int classify(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                    uint32_t settled) {
  const Mesh *m = &p->mesh;
  bool equal = true, nested = true, gather = true, same_parts = true, same_axes = true;
  uint32_t from_axes = layout_axes(from), to_axes = layout_axes(to);
  for (int d = 0; d < from->rank; d++) {
    const DimLayout *f = &from->dim[d], *t = &to->dim[d];
    equal = equal && dim_equal(f, t);
    same_axes = same_axes && dim_axes(f) == dim_axes(t) && (!t->window.of || t->naxes);
    int64_t n = s->dim[d];
    nested = nested && dim_nested(m, f, t, n);
    gather = gather && dim_nested(m, t, f, n) && !t->window.of;
    same_parts =
        same_parts &&
        ((dim_parts(m, f) == dim_parts(m, t) && !t->window.of && f->granule == t->granule) ||
         dim_shifted(m, f, t, n));
  }
  if (settled) return equal ? DTRT_ALL_REDUCE : DTRT_REDUCE_SCATTER;
  if (nested) return DTRT_COPY;
  if (gather) return DTRT_ALL_GATHER;
  if (same_parts) return DTRT_PERMUTE;
  if (same_axes && !layout_is_plain(to)) return DTRT_HALO;
  if (from_axes == to_axes && layout_is_plain(to)) return DTRT_ALL_TO_ALL;
  return DTRT_BOXES;
}

Exchange exchange_of(const Program *p, const Layout *from, const Layout *to, const Shape *shape,
                     DType t) {
  const Mesh *m = &p->mesh;
  uint32_t settled = from->partial & ~to->partial;
  Exchange x = {.kind = classify(p, from, to, shape, settled), .axes = settled, .group = 1};
  int64_t terms = 1;
  for (int a = 0; a < m->naxes; a++)
    if (settled & 1u << a) terms *= m->axis[a].size;
  for (int d = 0; d < shape->rank; d++)
    if (!dim_nested(m, &from->dim[d], &to->dim[d], shape->dim[d]))
      x.axes |= dim_moving(&from->dim[d], &to->dim[d], layout_axes(from));
  for (int a = 0; a < m->naxes; a++)
    if (x.axes & 1u << a) x.group *= m->axis[a].size;
  if (x.kind == DTRT_ALL_REDUCE) {
    Shape local = layout_local(m, from, shape);
    /* With the largest of the chunks (runtime/collective.c): 2 (terms - 1) / terms of an even
     * block. */
    int64_t n = shape_count(&local);
    x.bytes = (n + (terms - 2) * ((n + terms - 1) / terms)) * dtype_size(t);
    x.senders = terms - 1;
    return x;
  }
  Received r = most_received(p, from, to, shape, terms);
  x.bytes = r.elements * dtype_size(t);
  x.senders = r.senders;
  return x;
}
