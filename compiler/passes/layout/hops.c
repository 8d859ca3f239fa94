/* What one exchange between two layouts of a tensor costs.
 *
 * Axes of one size that lie alike in the machine may be exchanged for each other: a pair of layouts
 * costs what it costs with two such axes in each other's place, so that of all these pairs one is
 * priced. On a mesh of 2x2x2 devices that is one of six. */
#include "choose.h"
#include <math.h>

static bool same_dims(const Layout *a, const Layout *b) {
  for (int d = 0; d < a->rank; d++)
    if (!dim_equal(&a->dim[d], &b->dim[d])) return false;
  return true;
}

static double hop_price(const Routes *r, const Form *f, int from, int to) {
  const Exchange x = exchange_between(f->exchanges, r->program, from, to, f->dtype);
  const double elements = (double)exchange_table_end(f->exchanges, to)->elements;
  double waiting;
  const double time = cost_exchange_is(r->program, &x, elements * dtype_size(f->dtype), &waiting);
  return time + waiting;
}

/* In one exchange. */
double hop(const Routes *r, const Form *f, int i, int k) {
  const ExchangeEnd *x = exchange_table_end(f->exchanges, i),
                    *y = exchange_table_end(f->exchanges, k);
  const Layout *from = x->layout, *to = y->layout;
  if (i == k) return 0;
  if (!x->plain || to->partial & ~from->partial) return INFINITY;
  if (to->partial && to->reduce != from->reduce) return INFINITY;
  uint32_t settle = from->partial & ~to->partial;
  if (settle & ~y->axes && !same_dims(from, to)) return INFINITY;
  double cost = hop_price(r, f, i, k);
  bool guarded = f->guard == GUARD_WHOLE || (f->guard == GUARD_GATHER && x->axes);
  if (guarded && layout_is_whole(&r->program->mesh, to, &f->shape)) cost += CHOICE_FORBIDDEN;
  return cost;
}

/* -------- axes that are alike -------- */

enum { MOST_MAPS = 24 };
struct AxisMaps {
  int n;
  int to[MOST_MAPS][MAX_AXES]; /* by axis: the one in its place */
};

static void each_map(const Program *p, AxisMaps *all, int *to, uint32_t used, int axis) {
  if (all->n == MOST_MAPS) return;
  if (axis == p->mesh.naxes) {
    for (int a = 0; a < axis; a++) all->to[all->n][a] = to[a];
    all->n++;
    return;
  }
  for (int a = 0; a < p->mesh.naxes; a++) {
    if (used & 1u << a || !cost_axes_alike(p, axis, a)) continue;
    to[axis] = a;
    each_map(p, all, to, used | 1u << a, axis + 1);
  }
}

/* The first leaves all as they are. */
static const AxisMaps *maps_of(Routes *r) {
  if (r->maps) return r->maps;
  int to[MAX_AXES];
  AxisMaps *all = arena_new_of(r->arena, AxisMaps);
  each_map(r->program, all, to, 0, 0);
  return r->maps = all;
}

static uint32_t set_mapped(uint32_t axes, const int *to) {
  uint32_t set = 0;
  for (; axes; axes &= axes - 1) set |= 1u << to[__builtin_ctz(axes)];
  return set;
}

/* Its index; -1: it is not among the first n. */
static int layout_mapped(const Routes *r, const Form *f, const Layout *l, const int *to, int n) {
  Layout x = *l;
  x.partial = set_mapped(l->partial, to);
  for (int d = 0; d < x.rank; d++)
    for (int i = 0; i < x.dim[d].naxes; i++) x.dim[d].axis[i] = to[l->dim[d].axis[i]];
  const int at = lookup_get(&f->at, layout_of(r->program->layouts, &x, &f->shape)) - 1;
  return at < n ? at : -1;
}

void hops(Routes *r, Form *f, int n) {
  const AxisMaps *all = maps_of(r);
  int *image = arena_array(r->arena, int, (size_t)all->n *(size_t)n); /* [map][layout] */
  for (int m = 1; m < all->n; m++)
    for (int i = 0; i < n; i++)
      image[m * n + i] = layout_mapped(r, f, f->layouts.at[i], all->to[m], n);
  for (int i = 0; i < n; i++)
    for (int k = 0; f->row.at[i] >= 0 && k < n; k++) {
      if (form_costs(f, i)[k] >= 0) continue;
      const double cost = form_costs(f, i)[k] = hop(r, f, i, k);
      for (int m = 1; m < all->n; m++) {
        const int x = image[m * n + i], y = image[m * n + k];
        if (x >= 0 && y >= 0) form_costs(f, x)[y] = cost;
      }
    }
}
