/* Facts about two layouts of one dim: whether blocks stay in place, and what a device receives. */
#include "exchange_dims.h"

/* Every block of `to` is inside the device's own block of `from`. */
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

/* What a box of a cyclic window shows is one piece of the dim, or two. */
typedef struct Pieces {
  int64_t at[2][2];
  int n;
} Pieces;

static Pieces pieces_of(const DimLayout *d, int64_t n, int64_t lo, int64_t hi) {
  Pieces p = {.n = 0};
  if (lo >= hi) return p;
  const int64_t down = d->window.cyclic ? law_floor_div(lo, n) * n : 0;
  lo -= down, hi -= down;
  p.at[p.n][0] = lo, p.at[p.n++][1] = d->window.cyclic && hi > n ? n : hi;
  if (d->window.cyclic && hi > n) p.at[p.n][0] = 0, p.at[p.n++][1] = hi - n;
  return p;
}

/* How many blocks of `d` hold some of them. */
static int64_t owners_of(const Mesh *m, const DimLayout *d, int64_t n, const Pieces *p) {
  int64_t blocks = 0;
  for (int i = 0; i < p->n; i++) blocks += owners(m, d, n, p->at[i][0], p->at[i][1]);
  if (p->n == 2 && block_at(m, d, n, p->at[0][0]) == block_at(m, d, n, p->at[1][1] - 1)) blocks--;
  return blocks;
}

/* Each device that needs something needs the whole block of one device: a shift by blocks. */
static bool dim_shifted(const Mesh *m, const DimLayout *from, const DimLayout *to, int64_t n) {
  int64_t k = dim_parts(m, from);
  if (!to->window.of || from->window.of || !dim_same_axes(from, to) || k > DIM_BLOCKS_SEEN)
    return false;
  for (int64_t i = 0; i < k; i++) {
    int64_t lo, hi, owner_lo, owner_hi;
    dim_box_at(m, to, n, i, &lo, &hi);
    const Pieces p = pieces_of(to, n, lo, hi);
    if (p.n > 1) return false;
    if (!p.n) continue;
    dim_box_at(m, from, n, block_at(m, from, n, p.at[0][0]), &owner_lo, &owner_hi);
    if (p.at[0][0] != owner_lo || p.at[0][1] != owner_hi) return false;
  }
  return true;
}

/* Every device needs as much of the dim and has as much of that: even blocks, one list of axes
 * beginning with the other. */
static bool same_everywhere(const Mesh *m, const DimLayout *f, const DimLayout *t, int64_t n) {
  if (f->window.of || t->window.of || !dim_even(m, f, n) || !dim_even(m, t, n)) return false;
  for (int i = 0; i < f->naxes && i < t->naxes; i++)
    if (f->axis[i] != t->axis[i]) return false;
  return true;
}

/* -------- places -------- */

/* Blocks differ by one granule only, so ends and middle stand for all, and the cost does not grow
 * with the devices. */
static int ways_along(const Mesh *m, int axis, int few) {
  int64_t size = m->axis[axis].size;
  return size <= few ? (int)size : few == EVERY ? 3 : few;
}

static int coord_of(const Mesh *m, int axis, int few, int way) {
  int64_t size = m->axis[axis].size;
  return size <= few || way == 0 ? way : (int)(way == 1 ? size - 1 : size / 2);
}

int how_few(const Mesh *m, uint32_t axes) {
  for (int few = EVERY;; few--) {
    int places = 1;
    for (int a = 0; a < m->naxes; a++)
      if (axes & 1u << a) places *= ways_along(m, a, few);
    if (places <= MOST_PLACES || few == 2) return few;
  }
}

PlaceSteps steps_along(const Mesh *m, uint32_t axes, int few) {
  PlaceSteps s = {.choices = 1};
  for (int i = 0; i < m->naxes; i++) {
    if (!(axes & 1u << i)) continue;
    s.stride[i] = s.choices;
    s.choices *= ways_along(m, i, few);
  }
  return s;
}

PlaceWalk walk_along(const Mesh *m, uint32_t axes, int few) {
  PlaceWalk w = {.n = 0};
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) w.axis[w.n] = i, w.ways[w.n++] = ways_along(m, i, few);
  return w;
}

void walk_step(PlaceWalk *w, int n, const PlaceSteps *const *of, int **at) {
  for (int i = 0; i < w->n; i++) {
    bool again = ++w->way[i] == w->ways[i];
    int by = again ? 1 - w->ways[i] : 1;
    for (int k = 0; k < n; k++) *at[k] += by * of[k]->stride[w->axis[i]];
    if (!again) return;
    w->way[i] = 0;
  }
}

typedef struct PlaceBoxes {
  PlaceSteps steps;
  int64_t (*at)[2]; /* begin, end */
} PlaceBoxes;

static PlaceBoxes boxes_of(Arena *a, const Mesh *m, const DimLayout *d, int64_t n, uint32_t axes,
                           int few) {
  PlaceBoxes b = {.steps = steps_along(m, axes & dim_axes(d), few)};
  int coord[MAX_AXES] = {0};
  PlaceWalk w = walk_along(m, axes & dim_axes(d), few);
  b.at = arena_alloc(a, sizeof *b.at * (size_t)b.steps.choices);
  for (int c = 0; c < b.steps.choices; c++) {
    for (int i = 0; i < w.n; i++) coord[w.axis[i]] = coord_of(m, w.axis[i], few, w.way[i]);
    dim_box(m, d, n, coord, &b.at[c][0], &b.at[c][1]);
    walk_step(&w, 0, NULL, NULL);
  }
  return b;
}

/* Of a device whose boxes before and behind are these. */
static Need part_of_dim(const Mesh *m, const DimPair *pair, const int64_t *have,
                        const int64_t *need) {
  const DimLayout *from = pair->from;
  const Pieces all = pieces_of(pair->to, pair->n, need[0], need[1]);
  Need p = {need[1] - need[0], 0, 1};
  for (int i = 0; i < all.n; i++) p.own += clip(all.at[i][0], all.at[i][1], have[0], have[1]);
  if (all.n && !from->window.of && from->naxes) p.blocks = owners_of(m, from, pair->n, &all);
  return p;
}

static DimNeeds parts_of_dim(Arena *a, const Mesh *m, const DimPair *pair, uint32_t axes, int few) {
  const DimLayout *from = pair->from, *to = pair->to;
  int64_t n = pair->n;
  const PlaceBoxes have = boxes_of(a, m, from, n, axes, few),
                   need = boxes_of(a, m, to, n, axes, few);
  const PlaceSteps *of[] = {&have.steps, &need.steps};
  int h = 0, w = 0, *at[] = {&h, &w};
  axes &= pair->from_axes | pair->to_axes;
  PlaceWalk walk = walk_along(m, axes, few);
  DimNeeds p = {.steps = steps_along(m, axes, few)};
  p.at = arena_alloc(a, sizeof *p.at * (size_t)p.steps.choices);
  for (int c = 0; c < p.steps.choices; c++) {
    Need x = p.at[c] = part_of_dim(m, pair, have.at[h], need.at[w]);
    if (c == 0) p.most = x;
    if (x.need > p.most.need) p.most.need = x.need;
    if (x.own < p.most.own) p.most.own = x.own;
    if (x.blocks > p.most.blocks) p.most.blocks = x.blocks;
    walk_step(&walk, 2, of, at);
  }
  return p;
}

/* One that receives at least as much, whatever the other dims are, stands for it. */
void needs_add(Needs *p, Need x) {
  for (int i = 0; i < p->n; i++) {
    const Need *y = &p->at[i];
    if (y->need >= x.need && y->own <= x.own && y->blocks >= x.blocks) return;
  }
  p->at[p->n++] = x;
}

/* -------- the pair -------- */

/* Drops the common first axes, and sets the axes that are left. */
static void moving(DimPair *x) {
  DimLayout f = *x->from, t = *x->to;
  int same = 0;
  if (f.granule == t.granule && !t.window.of)
    while (same < f.naxes && same < t.naxes && f.axis[same] == t.axis[same]) same++;
  for (int i = same; i < f.naxes; i++) x->moving_from |= 1u << f.axis[i];
  for (int i = same; i < t.naxes; i++) x->moving_to |= 1u << t.axis[i];
}

void dim_pair_set(const Mesh *m, DimPair *x, const DimLayout *f, const DimLayout *t, int64_t n) {
  x->from = f, x->to = t, x->n = n;
  x->from_axes = dim_axes(f), x->to_axes = dim_axes(t);
  moving(x);
  x->equal = dim_equal(f, t);
  x->nested = dim_nested(m, f, t, n);
  x->gathers = dim_nested(m, t, f, n) && !t->window.of;
  x->same_parts =
      (dim_parts(m, f) == dim_parts(m, t) && !t->window.of && f->granule == t->granule) ||
      dim_shifted(m, f, t, n);
  x->same_axes = x->from_axes == x->to_axes && (!t->window.of || t->naxes);
  x->uniform = same_everywhere(m, f, t, n);
  const int coord[MAX_AXES] = {0};
  int64_t have[2], need[2];
  dim_box(m, f, n, coord, &have[0], &have[1]);
  dim_box(m, t, n, coord, &need[0], &need[1]);
  x->first = part_of_dim(m, x, have, need);
}

static Arena *room(const Program *p, const DimPair *x) {
  return x->kept && arena_used(x->kept) < KNOWN_BYTES ? x->kept : p->arena;
}

DimNeeds dim_pair_every(const Program *p, DimPair *x, int few) {
  if (x->every[few].at) return x->every[few];
  Arena *a = room(p, x);
  DimNeeds d = parts_of_dim(a, &p->mesh, x, x->from_axes | x->to_axes, few);
  if (a != p->arena || !x->kept) x->every[few] = d;
  return d;
}

Needs dim_pair_alone(const Program *p, DimPair *x) {
  if (x->alone.at) return x->alone;
  uint32_t axes = x->from_axes | x->to_axes;
  DimNeeds d = dim_pair_every(p, x, how_few(&p->mesh, axes));
  Arena *a = room(p, x);
  Needs out = {arena_alloc(a, sizeof *out.at * (size_t)d.steps.choices), 0};
  for (int i = 0; i < d.steps.choices; i++) needs_add(&out, d.at[i]);
  if (a != p->arena || !x->kept) x->alone = out;
  return out;
}
