/* From one layout of a tensor to another, in one exchange or in several.
 *
 * One exchange can move boxes, with terms still to be summed carried along; sum where the boxes
 * stay (all-reduce); or sum and give each device its part, when the axes summed over cut the result
 * (reduce-scatter). What none of these does alone goes by way of a stop. Stops tried: the sum
 * first, of all axes or of one; the move first; a reduce-scatter onto any dim of the old or the new
 * boxes. Boxes alone need no stop: one exchange moves no more than is needed and not owned. */
#include "choose.h"
#include <math.h>
#include <string.h>

int form_of(Routes *r, const Shape *s, DType t) {
  for (int i = 0; i < r->forms.n; i++)
    if (r->forms.at[i].dtype == t && shape_equal(&r->forms.at[i].shape, s)) return i;
  Form f = {.shape = *s, .dtype = t};
  vec_push(r->arena, &r->forms, f);
  return r->forms.n - 1;
}

int form_layout(Routes *r, int form, const Layout *l) {
  Form *f = &r->forms.at[form];
  for (int i = 0; i < f->layouts.n; i++)
    if (f->layouts.at[i] == l) return i;
  vec_push(r->arena, &f->layouts, l);
  return f->layouts.n - 1;
}

static void grow(Routes *r, Form *f) {
  int cap = f->cap;
  if (f->layouts.n <= cap) return;
  while (cap < f->layouts.n) cap = cap ? cap * 2 : 16;
  double *cost = arena_array(r->arena, double, (size_t)cap *(size_t)cap);
  int16_t *via = arena_array(r->arena, int16_t, (size_t)cap * (size_t)cap);
  for (int i = 0; i < cap * cap; i++) cost[i] = -1, via[i] = -1;
  for (int i = 0; i < f->cap; i++)
    for (int j = 0; j < f->cap; j++) {
      cost[i * cap + j] = f->cost[i * f->cap + j];
      via[i * cap + j] = f->via[i * f->cap + j];
    }
  f->cost = cost, f->via = via, f->cap = cap;
}

static bool same_dims(const Layout *a, const Layout *b) {
  for (int d = 0; d < a->rank; d++)
    if (!dim_equal(&a->dim[d], &b->dim[d])) return false;
  return true;
}

/* In one exchange. */
static double hop(const Routes *r, const Form *f, const Layout *from, const Layout *to) {
  if (from == to) return 0;
  if (!layout_is_plain(from) || to->partial & ~from->partial) return INFINITY;
  if (to->partial && to->reduce != from->reduce) return INFINITY;
  uint32_t settle = from->partial & ~to->partial;
  if (settle & ~layout_axes(to) && !same_dims(from, to)) return INFINITY;
  return cost_exchange(r->program, from, to, &f->shape, f->dtype);
}

/* -------- stops -------- */

typedef struct Finder {
  Routes *r;
  int form, from, to;
  double best;
  int via;
} Finder;

static void try_stop(Finder *s, const Layout *l) {
  Form *f = &s->r->forms.at[s->form];
  const Layout *from = f->layouts.at[s->from];
  if (l->partial & layout_axes(l)) return; /* its blocks are no terms of one sum */
  l = layout_of(s->r->program->layouts, l, &f->shape);
  if (l == from || l == f->layouts.at[s->to]) return;
  double first = hop(s->r, f, from, l);
  if (first >= s->best) return;
  int stop = form_layout(s->r, s->form, l);
  double all = first + route(s->r, s->form, stop, s->to);
  if (all < s->best) s->best = all, s->via = stop;
}

/* Axes of `set` appended to a dim of `dims`, in rising and falling order; the terms of `rest`
 * remain.
 */
static void try_scatter(Finder *s, const Layout *dims, uint32_t set, uint32_t rest, Reduce how) {
  if (set & layout_axes(dims)) return;
  for (int d = 0; d < dims->rank; d++) {
    if (dims->dim[d].window.of) continue;
    Layout up = *dims, down = *dims;
    up.partial = down.partial = rest;
    up.reduce = down.reduce = how;
    for (int a = 0; a < MAX_AXES; a++) {
      int b = MAX_AXES - 1 - a;
      if (set & 1u << a && up.dim[d].naxes < MAX_AXES) up.dim[d].axis[up.dim[d].naxes++] = a;
      if (set & 1u << b && down.dim[d].naxes < MAX_AXES) down.dim[d].axis[down.dim[d].naxes++] = b;
    }
    try_stop(s, &up);
    if (set & (set - 1)) try_stop(s, &down);
  }
}

static void try_settling(Finder *s, const Layout *from, const Layout *to, uint32_t set) {
  uint32_t rest = from->partial & ~set;
  Layout l = *from;
  l.partial = rest;
  try_stop(s, &l);
  try_scatter(s, from, set, rest, from->reduce);
  try_scatter(s, to, set, rest, from->reduce);
  if (!(set & layout_axes(to))) return;
  l = *to;
  l.partial = from->partial & ~(set & layout_axes(to)), l.reduce = from->reduce;
  if (layout_is_plain(to)) try_stop(s, &l);
}

double route_find(Routes *r, int form, int from, int to) {
  Form *f = &r->forms.at[form];
  const Layout *x = f->layouts.at[from], *y = f->layouts.at[to];
  Finder s = {r, form, from, to, hop(r, f, x, y), -1};
  uint32_t settle = x->partial & ~y->partial;
  bool possible =
      layout_is_plain(x) && !(y->partial & ~x->partial) && (!y->partial || y->reduce == x->reduce);
  if (settle && possible) {
    if (layout_is_plain(y) && !same_dims(x, y)) {
      Layout l = *y;
      l.partial = x->partial, l.reduce = x->reduce;
      if (!(layout_axes(y) & x->partial)) try_stop(&s, &l);
    }
    try_settling(&s, x, y, settle);
    for (int a = 0; a < MAX_AXES; a++)
      if (settle & 1u << a && settle != 1u << a) try_settling(&s, x, y, 1u << a);
  }
  f = &r->forms.at[form];
  grow(r, f);
  f->cost[from * f->cap + to] = s.best;
  f->via[from * f->cap + to] = (int16_t)s.via;
  return s.best;
}

int route_next(Routes *r, int form, int from, int to) {
  route(r, form, from, to);
  const Form *f = &r->forms.at[form];
  int via = f->via[from * f->cap + to];
  return via < 0 ? to : via;
}

/* -------- trees -------- */

double route_tree(Routes *r, int form, int from, const int *wanted, int n, Tree *tree) {
  int have[MAX_HOPS + 1] = {from}, nhave = 1;
  bool there[MAX_HOPS] = {false};
  double cost = 0;
  if (tree) tree->nhops = 0;
  if (n == 1 && !tree) return route(r, form, from, wanted[0]);
  for (;;) {
    double best = INFINITY;
    int to = -1, source = 0;
    bool all = true;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < nhave && !there[i]; k++)
        if (have[k] == wanted[i]) there[i] = true;
      for (int k = 0; k < nhave && !there[i]; k++) {
        double c = route(r, form, have[k], wanted[i]);
        if (c < best) best = c, to = i, source = have[k];
      }
      all = all && there[i];
    }
    if (all) break;
    if (to < 0) return INFINITY;
    for (int x = source; x != wanted[to];) {
      int next = route_next(r, form, x, wanted[to]);
      if (nhave > MAX_HOPS) return INFINITY;
      have[nhave++] = next;
      if (tree) tree->hop[tree->nhops++] = (Hop){x, next};
      x = next;
    }
    cost += best;
  }
  if (tree) tree->cost = cost;
  return cost;
}
