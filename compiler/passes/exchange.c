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

/* What a device at `coord` receives; `terms` is how many devices hold a term each. */
static Received received(const Mesh *m, const Layout *from, const Layout *to, const Shape *s,
                         const int *coord, int64_t terms) {
  int64_t need = 1, own = 1, blocks = 1;
  for (int d = 0; d < s->rank; d++) {
    int64_t lo, hi, my_lo, my_hi;
    dim_box(m, &to->dim[d], s->dim[d], coord, &lo, &hi);
    dim_box(m, &from->dim[d], s->dim[d], coord, &my_lo, &my_hi);
    need *= hi - lo;
    own *= clip(lo, hi, my_lo, my_hi);
    if (hi > lo && !from->dim[d].window.of)
      blocks *= owners(m, &from->dim[d], s->dim[d], lo, hi);
  }
  if (need == 0) return (Received){0, 0};
  return (Received){terms * need - own, terms * blocks - (own > 0)};
}

/* Every device needs as much of the dim and has as much of that: even blocks, one list of axes
 * beginning with the other. */
static bool same_everywhere(const Mesh *m, const DimLayout *f, const DimLayout *t, int64_t n) {
  if (f->window.of || t->window.of || !dim_even(m, f, n) || !dim_even(m, t, n)) return false;
  for (int i = 0; i < f->naxes && i < t->naxes; i++)
    if (f->axis[i] != t->axis[i]) return false;
  return true;
}

/* The most that any device receives. Of an axis of up to 4 every coordinate is looked at, of a
 * longer one the first, the middle and the last: blocks differ by one granule only, and the cost
 * must not grow with the devices. */
static Received most_received(const Mesh *m, const Layout *from, const Layout *to, const Shape *s,
                              int64_t terms) {
  uint32_t axes = 0;
  for (int d = 0; d < s->rank; d++)
    if (!same_everywhere(m, &from->dim[d], &to->dim[d], s->dim[d]))
      axes |= dim_axes(&from->dim[d]) | dim_axes(&to->dim[d]);
  int coord[MAX_AXES] = {0}, naxes = 0, axis[MAX_AXES], choices = 1;
  for (int a = 0; a < m->naxes; a++)
    if (axes & 1u << a) axis[naxes++] = a;
  int ways[MAX_AXES];
  for (int i = 0; i < naxes; i++) {
    ways[i] = m->axis[axis[i]].size <= 4 ? (int)m->axis[axis[i]].size : 3;
    choices *= ways[i];
  }
  Received most = {0, 0};
  for (int c = 0; c < choices; c++) {
    for (int i = 0, rest = c; i < naxes; rest /= ways[i++]) {
      int64_t size = m->axis[axis[i]].size;
      int k = rest % ways[i];
      coord[axis[i]] = size <= 4 ? k : (int)(k == 0 ? 0 : k == 1 ? size - 1 : size / 2);
    }
    Received r = received(m, from, to, s, coord, terms);
    if (r.elements > most.elements) most.elements = r.elements;
    if (r.senders > most.senders) most.senders = r.senders;
  }
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
  Received r = most_received(m, from, to, shape, terms);
  x.bytes = r.elements * dtype_size(t);
  x.senders = r.senders;
  return x;
}
