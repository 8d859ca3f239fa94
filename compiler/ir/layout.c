#include "layout.h"
#include <string.h>

int64_t mesh_devices(const Mesh *m) {
  int64_t n = 1;
  for (int i = 0; i < m->naxes; i++) n *= m->axis[i].size;
  return n;
}

int mesh_find(const Mesh *m, const char *name) {
  for (int i = 0; i < m->naxes; i++)
    if (!strcmp(m->axis[i].name, name)) return i;
  return -1;
}

int64_t shape_count(const Shape *s) {
  int64_t n = 1;
  for (int i = 0; i < s->rank; i++) n *= s->dim[i];
  return n;
}

int shape_last(const Shape *s) {
  int d = s->rank - 1;
  while (d >= 0 && s->dim[d] == 1) d--;
  return d;
}

bool shape_equal(const Shape *a, const Shape *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dim[i] != b->dim[i]) return false;
  return true;
}

bool shape_equal_but_ones(const Shape *a, const Shape *b) {
  for (int i = 0, j = 0;; i++, j++) {
    while (i < a->rank && a->dim[i] == 1) i++;
    while (j < b->rank && b->dim[j] == 1) j++;
    if (i == a->rank || j == b->rank) return i == a->rank && j == b->rank;
    if (a->dim[i] != b->dim[j]) return false;
  }
}

void shape_put(Str *out, const Shape *s) {
  str_puts(out, "[");
  for (int i = 0; i < s->rank; i++) str_printf(out, "%s%ld", i ? ", " : "", (long)s->dim[i]);
  str_puts(out, "]");
}

/* -------- interning -------- */

typedef struct LayoutSlot {
  struct LayoutSlot *next;
  uint64_t hash;
  Layout layout;
} LayoutSlot;

enum { SLOTS = 1024 };

struct LayoutSet {
  Arena *arena;
  const Mesh *mesh;
  LayoutSlot *slot[SLOTS];
};

LayoutSet *layout_set_new(Arena *a, const Mesh *mesh) {
  LayoutSet *s = arena_new_of(a, LayoutSet);
  s->arena = a;
  s->mesh = mesh;
  return s;
}

/* A window with exactly the blocks of a plain cut into so many parts: those of `deal` and
 * `undeal` (ops/scan.c), rows of elements and elements in rows, where the parts divide the rows. */
static bool window_is_plain(const Window *w, int64_t n, int64_t granule, int64_t parts) {
  if (granule > 1 || w->mul != n || w->div != w->of) return false;
  if (w->of <= n) return w->of % parts == 0 && w->first == 1 - w->of && w->last == n - w->of;
  return n > 0 && n % parts == 0 && w->first == n - w->of && w->last == n - 1;
}

/* Every block has as its window what it would be without: so for a shift by whole blocks. */
static bool window_is_block(const Mesh *m, const DimLayout *d, int64_t n) {
  DimLayout plain = *d;
  plain.window = (Window){0};
  if (plain.granule < 1 || n % plain.granule) return false;
  return dim_inside(m, d, &plain, n) && dim_inside(m, &plain, d, n);
}

/* Copies field by field into zeroed memory, so that padding and unused axes compare equal. */
static void dim_canonical(const Mesh *m, DimLayout *out, const DimLayout *d, int64_t n) {
  for (int i = 0; i < d->naxes; i++)
    if (m->axis[d->axis[i]].size > 1) out->axis[out->naxes++] = d->axis[i];
  out->granule = 1;
  int64_t units = d->window.of ? d->window.of : n;
  if (d->window.of && window_is_plain(&d->window, n, d->granule, dim_parts(m, out))) return;
  if (out->naxes) {
    /* k blocks of m granules of g: when k divides m, so does it divide m*g, and the blocks are the
     * same. */
    int64_t g = d->granule > 0 ? d->granule : 1;
    if (units % g) g = 1; /* it came from a dim of another size, such as a slice's operand */
    out->granule = g > 1 && (units / g) % dim_parts(m, out) == 0 ? 1 : g;
    if (d->window.of) {
      out->window.of = d->window.of;
      out->window.mul = d->window.mul;
      out->window.div = d->window.div;
      out->window.first = d->window.first;
      out->window.last = d->window.last;
      out->window.cyclic = d->window.cyclic;
      if (window_is_block(m, out, n)) out->window = (Window){0};
    }
  } else if (d->window.of && !d->window.cyclic) {
    /* An uncut dim behind a window: the window of the whole. */
    out->window = d->window;
  }
}

static uint64_t layout_hash(const Layout *l) {
  uint64_t seed = ((uint64_t)l->partial * 4 + (uint64_t)l->reduce) * 16 + (uint64_t)l->rank;
  return hash_words(l->dim, sizeof l->dim[0] * (size_t)l->rank, seed);
}

const Layout *layout_of(LayoutSet *s, const Layout *l, const Shape *shape) {
  Layout c;
  memset(&c, 0, sizeof c);
  c.rank = l->rank;
  for (int i = 0; i < s->mesh->naxes; i++)
    if (s->mesh->axis[i].size > 1) c.partial |= l->partial & 1u << i;
  c.reduce = c.partial ? l->reduce : RED_SUM;
  for (int i = 0; i < l->rank; i++) dim_canonical(s->mesh, &c.dim[i], &l->dim[i], shape->dim[i]);
  uint64_t h = layout_hash(&c);
  LayoutSlot **at = &s->slot[h % SLOTS];
  for (LayoutSlot *e = *at; e; e = e->next)
    if (e->hash == h && !memcmp(&e->layout, &c, sizeof c)) return &e->layout;
  LayoutSlot *e = arena_new_of(s->arena, LayoutSlot);
  e->hash = h;
  memcpy(&e->layout, &c, sizeof c);
  e->next = *at;
  *at = e;
  return &e->layout;
}

const Layout *layout_whole(LayoutSet *s, int rank) {
  Layout l = {.rank = rank};
  Shape shape = {.rank = rank};
  return layout_of(s, &l, &shape);
}

const Layout *layout_without_partial(LayoutSet *s, const Layout *l, const Shape *shape) {
  if (!l->partial) return l;
  Layout c = *l;
  c.partial = 0;
  return layout_of(s, &c, shape);
}

int layout_dim_cut(const Layout *l, int axis) {
  for (int d = 0; d < l->rank; d++)
    for (int i = 0; i < l->dim[d].naxes; i++)
      if (l->dim[d].axis[i] == axis) return d;
  return -1;
}

uint32_t layout_axes(const Layout *l) {
  uint32_t set = 0;
  for (int i = 0; i < l->rank; i++)
    for (int j = 0; j < l->dim[i].naxes; j++) set |= 1u << l->dim[i].axis[j];
  return set;
}

int64_t dim_parts(const Mesh *m, const DimLayout *d) {
  int64_t k = 1;
  for (int i = 0; i < d->naxes; i++) k *= m->axis[d->axis[i]].size;
  return k;
}

bool dim_equal(const DimLayout *a, const DimLayout *b) {
  if (a->naxes != b->naxes || a->granule != b->granule) return false;
  for (int i = 0; i < a->naxes; i++)
    if (a->axis[i] != b->axis[i]) return false;
  return a->window.of == b->window.of && a->window.mul == b->window.mul &&
         a->window.div == b->window.div && a->window.first == b->window.first &&
         a->window.last == b->window.last && a->window.cyclic == b->window.cyclic;
}

bool layout_is_plain(const Layout *l) {
  for (int i = 0; i < l->rank; i++)
    if (l->dim[i].window.of) return false;
  return true;
}

/* -------- boxes -------- */

void dim_box_at(const Mesh *m, const DimLayout *d, int64_t n, int64_t i, int64_t *lo, int64_t *hi) {
  const int64_t units = d->window.of ? d->window.of : n;
  const BlockSpan s = law_window(&d->window, n, law_block(units, d->granule, dim_parts(m, d), i));
  *lo = s.lo, *hi = s.hi;
}

void dim_box(const Mesh *m, const DimLayout *d, int64_t n, const int *coord, int64_t *lo,
             int64_t *hi) {
  int64_t i = 0;
  for (int j = 0; j < d->naxes; j++) i = i * m->axis[d->axis[j]].size + coord[d->axis[j]];
  dim_box_at(m, d, n, i, lo, hi);
}

bool dim_same_axes(const DimLayout *a, const DimLayout *b) {
  for (int i = 0; i < a->naxes && i < b->naxes; i++)
    if (a->axis[i] != b->axis[i]) return false;
  return a->naxes == b->naxes;
}

/* Windows on the blocks of one dim that begin alike for each. */
static bool window_same_blocks(const DimLayout *a, const DimLayout *b) {
  return a->granule == b->granule && a->window.of && a->window.of == b->window.of &&
         a->window.mul == b->window.mul && a->window.div == b->window.div;
}

bool dim_inside(const Mesh *m, const DimLayout *outer, const DimLayout *inner, int64_t n) {
  if (!outer->naxes && !outer->window.of) return true;
  if (!dim_same_axes(outer, inner)) return false;
  const Window *o = &outer->window, *w = &inner->window;
  if (window_same_blocks(outer, inner) && o->cyclic >= w->cyclic && o->first <= w->first &&
      o->last >= w->last)
    return true;
  if (dim_parts(m, outer) > DIM_BLOCKS_SEEN) return false;
  for (int64_t i = 0; i < dim_parts(m, outer); i++) {
    int64_t lo, hi, in_lo, in_hi;
    dim_box_at(m, outer, n, i, &lo, &hi);
    dim_box_at(m, inner, n, i, &in_lo, &in_hi);
    if (in_lo < in_hi && (in_lo < lo || in_hi > hi)) return false;
  }
  return true;
}

int64_t dim_block_most(const Mesh *m, const DimLayout *d, int64_t n) {
  return law_block_most(&d->window, n, d->granule, dim_parts(m, d));
}

bool dim_even(const Mesh *m, const DimLayout *d, int64_t n) {
  if (d->window.of) return false;
  return (n / d->granule) % dim_parts(m, d) == 0;
}

Shape layout_local(const Mesh *m, const Layout *l, const Shape *global) {
  Shape s = {.rank = global->rank};
  for (int i = 0; i < global->rank; i++) s.dim[i] = dim_block_most(m, &l->dim[i], global->dim[i]);
  return s;
}

int64_t layout_bytes(const Mesh *m, const Layout *l, const Shape *global, DType t) {
  const Shape local = layout_local(m, l, global);
  return shape_count(&local) * dtype_size(t);
}

/* A dim's own block as a window on it. */
static DimLayout dim_as_window(const DimLayout *d, int64_t n) {
  DimLayout out = *d;
  if (!out.window.of && out.naxes) out.window = (Window){.of = n, .mul = 1, .div = 1};
  return out;
}

bool cyclic_fits(const Mesh *m, const DimLayout *d, int64_t n) {
  const Window *w = &d->window;
  DimLayout blocks = *d;
  blocks.window = (Window){0};
  const int64_t len = dim_block_most(m, &blocks, w->of);
  return law_floor_div((len - 1) * w->mul + w->last - w->first, w->div) < n;
}

bool layout_around(const Mesh *m, Layout *out, const Layout *a, const Layout *b, const Shape *s) {
  if (a->partial != b->partial || (a->partial && a->reduce != b->reduce)) return false;
  *out = *a;
  for (int d = 0; d < a->rank; d++) {
    if (dim_equal(&a->dim[d], &b->dim[d])) continue;
    const DimLayout x = dim_as_window(&a->dim[d], s->dim[d]),
                    y = dim_as_window(&b->dim[d], s->dim[d]);
    if (!dim_same_axes(&x, &y) || !window_same_blocks(&x, &y)) return false;
    out->dim[d] = x;
    if (y.window.first < x.window.first) out->dim[d].window.first = y.window.first;
    if (y.window.last > x.window.last) out->dim[d].window.last = y.window.last;
    if (y.window.cyclic) out->dim[d].window.cyclic = 1;
    if (out->dim[d].window.cyclic && !cyclic_fits(m, &out->dim[d], s->dim[d])) return false;
  }
  return true;
}

bool layout_is_whole(const Mesh *m, const Layout *l, const Shape *s) {
  if (l->partial || l->rank == 0 || shape_count(s) <= 1) return false;
  for (int d = 0; d < l->rank; d++) {
    const DimLayout *x = &l->dim[d];
    if (!x->window.of && x->naxes) return false;
    /* The blocks of the first and the last device are the outermost. */
    for (int last = 0; x->window.of && last < 2; last++) {
      int coord[MAX_AXES] = {0};
      int64_t lo, hi;
      for (int a = 0; last && a < m->naxes; a++) coord[a] = (int)m->axis[a].size - 1;
      dim_box(m, x, s->dim[d], coord, &lo, &hi);
      if (lo > 0 || hi < s->dim[d]) return false;
    }
  }
  return true;
}

/* -------- text -------- */

const char *axes_text(Arena *a, const Mesh *m, uint32_t axes) {
  Str s = str_new(a);
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) str_printf(&s, "%s%s", s.n ? ", " : "", m->axis[i].name);
  return s.n ? s.at : "";
}

static void put_piece(void *to, const char *text) { str_puts(to, text); }

void layout_put(Str *out, const Mesh *m, const Layout *l) {
  const char *axis[MAX_AXES];
  dtrt_dim dim[MAX_RANK];
  for (int i = 0; i < m->naxes; i++) axis[i] = m->axis[i].name;
  for (int i = 0; i < l->rank; i++) layout_dim(&dim[i], &l->dim[i], 0);
  const dtrt_layout all = {l->rank, l->partial, (int32_t)l->reduce, dim};
  law_put_layout(put_piece, out, axis, m->naxes, &all, true);
}

const char *layout_text(Arena *a, const Mesh *m, const Layout *l) {
  Str s = str_new(a);
  layout_put(&s, m, l);
  return s.at;
}

void layout_dim(dtrt_dim *out, const DimLayout *d, int64_t n) {
  *out = (dtrt_dim){.n = n,
                    .granule = d->granule,
                    .of = d->window.of,
                    .mul = d->window.mul,
                    .div = d->window.div,
                    .first = d->window.first,
                    .last = d->window.last,
                    .cyclic = d->window.cyclic,
                    .naxes = d->naxes};
  for (int i = 0; i < d->naxes; i++) out->axis[i] = d->axis[i];
}

bool window_is_there(const Mesh *m, const DimLayout *d, int64_t n) {
  DimLayout plain = *d;
  plain.window = (Window){0};
  return d->naxes && n % plain.granule == 0 && dim_inside(m, &plain, d, n);
}
