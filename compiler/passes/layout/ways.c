/* The ways to compute an op.
 *
 * Each mesh axis is assigned to one factor of the op's rule, to a partial operand passed through,
 * or to none (replicated computation). That determines the layout in which each operand is
 * required and that of the result. Axes on one factor may be in either order, and in the granules
 * of a reshape nearby. Equal ops share their ways, so that the blocks of a deep model are
 * enumerated once. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum {
  TO_NONE = -1,
  CARRY_JOINTLY = MAX_FACTORS, /* all operands partial, and the result */
  CARRY_IN = MAX_FACTORS + 1,  /* + operand: it alone, and the result */
  MAX_OPTIONS = MAX_FACTORS + 2 * MAX_RANK,
  MOST_WAYS = 700, /* above it an axis is assigned only to factors that a neighbor has it on */
  MOST_WAYS_MANY =
      100, /* the same on meshes of more than three axes: tables grow with the square */
  MOST_ORDERS = 8
};

/* Axes in an order, in granules, that a layout nearby has on a factor. */
typedef struct NearbyCut {
  int factor;
  Cut cut;
} NearbyCut;

typedef struct Entrant {
  uint64_t hash;
  size_t size;
  const void *key;
  Ways *ways;
  struct Entrant *next;
} Entrant;

typedef struct Lying {
  int form, noperands;
  const int *operand_form;
  double price;
  Ways *ways;
} Lying;

enum { SLOTS = 4096 };

struct WaysCache {
  Routes *routes;
  Arena *arena;
  Entrant *slot[SLOTS];
  VEC(Lying) lying;
  bool work; /* counts */
};

typedef struct Enumerate {
  Routes *r;
  bool work; /* counts */
  Program *program;
  const Mesh *mesh;
  Arena *arena;
  const Graph *g;
  const Node *n;
  const int *form; /* by node */
  const bool *can_be_partial;
  int result_form;
  Rule rule;
  VEC(NearbyCut) seen;
  int naxes, axis[MAX_AXES];
  int noptions[MAX_AXES], option[MAX_AXES][MAX_OPTIONS];
  int to[MAX_AXES];
  VEC(Way) ways;
} Enumerate;

static const RuleDim *dims_of(const Enumerate *s, int i) {
  return i < s->n->noperands ? s->rule.operand[i] : s->rule.result;
}
static const Shape *shape_of(const Enumerate *s, int i) {
  return i < s->n->noperands ? &graph_operand(s->g, s->n, i)->shape : &s->n->shape;
}
static int form_here(const Enumerate *s, int i) {
  return i < s->n->noperands ? s->form[s->n->operand[i]] : s->result_form;
}

/* -------- layouts of neighbors -------- */

static void see(Enumerate *s, int i, const Layout *l, bool granules_only) {
  if (!l) return;
  for (int d = 0; d < l->rank; d++) {
    const RuleDim *rd = &dims_of(s, i)[d];
    if (!l->dim[d].naxes || l->dim[d].window.of) continue;
    if (granules_only && l->dim[d].granule <= 1) continue;
    for (int j = 0; j < rd->n; j++) {
      NearbyCut x = {.factor = rd->factor[j]};
      if (!cut_of(s->mesh, &s->rule, rd, &l->dim[d], x.factor, &x.cut) || !x.cut.naxes) continue;
      if (granules_only && x.cut.granule <= 1) continue;
      bool known = false;
      for (int k = 0; k < s->seen.n && !known; k++)
        known = s->seen.at[k].factor == x.factor && s->seen.at[k].cut.naxes == x.cut.naxes &&
                s->seen.at[k].cut.granule == x.cut.granule &&
                !memcmp(s->seen.at[k].cut.axis, x.cut.axis, sizeof(int) * (size_t)x.cut.naxes);
      if (!known && s->seen.n < 64) vec_push(s->arena, &s->seen, x);
    }
  }
}

/* The layouts that propagate found around the op, and the granules of any known for its operands.
 */
static void look_around(Enumerate *s) {
  for (int i = 0; i <= s->n->noperands; i++) {
    see(s, i, i < s->n->noperands ? graph_operand(s->g, s->n, i)->layout : s->n->layout, false);
    const Form *f = &s->r->forms.at[form_here(s, i)];
    for (int k = 0; k < f->layouts.n; k++) see(s, i, f->layouts.at[k], true);
  }
}

/* -------- options -------- */

static void add_option(Enumerate *s, int a, int to) {
  for (int i = 0; i < s->noptions[a]; i++)
    if (s->option[a][i] == to) return;
  if (s->noptions[a] < MAX_OPTIONS) s->option[a][s->noptions[a]++] = to;
}

static bool seen_on(const Enumerate *s, int axis, int f) {
  for (int k = 0; k < s->seen.n; k++)
    for (int j = 0; s->seen.at[k].factor == f && j < s->seen.at[k].cut.naxes; j++)
      if (s->seen.at[k].cut.axis[j] == axis) return true;
  return false;
}

static bool seen_on_whole(const Enumerate *s, int axis) {
  for (int f = 0; f < s->rule.nfactors; f++)
    if (s->rule.factor[f].kind == FACTOR_WHOLE && seen_on(s, axis, f)) return true;
  return false;
}

static void collect_axis(Enumerate *s, int axis, bool all) {
  int a = s->naxes++;
  int64_t size = s->mesh->axis[axis].size;
  s->axis[a] = axis;
  s->noptions[a] = 0;
  add_option(s, a, TO_NONE);
  bool redeal = seen_on_whole(s, axis);
  for (int f = 0; f < s->rule.nfactors; f++) {
    const Factor *x = &s->rule.factor[f];
    if (x->kind == FACTOR_WHOLE) continue;
    bool fits = x->size >= size && (all || (redeal && x->kind == FACTOR_PASS));
    if (fits || seen_on(s, axis, f)) add_option(s, a, f);
  }
  bool joint = s->rule.linear_jointly;
  for (int i = 0; i < s->n->noperands; i++) {
    bool can = s->can_be_partial[s->n->operand[i]];
    joint = joint && can;
    bool twice = false; /* x * x is not linear in x */
    for (int k = 0; k < s->n->noperands; k++)
      twice = twice || (k != i && s->n->operand[k] == s->n->operand[i]);
    const bool linear = i < 32 && s->rule.linear_in >> i & 1; /* lists may be longer */
    if (can && !twice && linear) add_option(s, a, CARRY_IN + i);
  }
  if (joint && s->n->noperands) add_option(s, a, CARRY_JOINTLY);
}

static double combinations(const Enumerate *s) {
  double n = 1;
  for (int a = 0; a < s->naxes; a++) n *= s->noptions[a];
  return n;
}

static void collect_axes(Enumerate *s, bool all) {
  s->naxes = 0;
  for (int axis = 0; axis < s->mesh->naxes; axis++)
    if (s->mesh->axis[axis].size > 1) collect_axis(s, axis, all);
}

/* -------- one way -------- */

/* The window of a dim can be left out: the op takes the whole of an uncut dim, and a shift its own
 * block where that has all it needs. */
static bool can_do_without(const Enumerate *s, int i, const DimLayout *d, int dim) {
  if (!d->window.of) return false;
  return !d->naxes ||
         (op_is(s->n, OPF_SHIFTS) && window_is_there(s->mesh, d, shape_of(s, i)->dim[dim]));
}

/* Layout of tensor i when the factors are cut so; NULL: it would be no box. With `windows` a dim is
 * needed as far as its window reaches, otherwise without those that can be left out. */
static const Layout *layout_here(Enumerate *s, int i, const Cut *cut, bool windows) {
  Layout l = {.rank = shape_of(s, i)->rank, .reduce = RED_SUM};
  for (int d = 0; d < l.rank; d++) {
    if (!cut_join(s->mesh, &s->rule, &dims_of(s, i)[d], cut, &l.dim[d])) return NULL;
    if (!windows && can_do_without(s, i, &l.dim[d], d)) l.dim[d].window = (Window){0};
    if (l.dim[d].window.cyclic && l.dim[d].naxes &&
        !cyclic_fits(s->mesh, &l.dim[d], shape_of(s, i)->dim[d]))
      return NULL;
  }
  bool result = i == s->n->noperands;
  uint32_t reduced = 0;
  for (int a = 0; a < s->naxes; a++) {
    int to = s->to[a];
    uint32_t bit = 1u << s->axis[a];
    if (to == CARRY_JOINTLY || (to >= CARRY_IN && (result || to == CARRY_IN + i))) l.partial |= bit;
    if (result && to >= 0 && to < MAX_FACTORS && s->rule.factor[to].kind == FACTOR_REDUCE)
      reduced |= bit;
  }
  if (reduced && l.partial && s->rule.reduce != RED_SUM) return NULL;
  if (reduced) l.reduce = s->rule.reduce;
  l.partial |= reduced;
  return layout_of(s->program->layouts, &l, shape_of(s, i));
}

static void add_way(Enumerate *s, const Cut *cut, bool windows) {
  int n = s->n->noperands;
  const Layout **lies = arena_array(s->arena, const Layout *, n + 1);
  int *need = arena_array(s->arena, int, n + 1);
  const Layout *result = layout_here(s, n, cut, windows);
  if (!result) return;
  for (int i = 0; i < n; i++) {
    if (!(lies[i] = layout_here(s, i, cut, windows))) return;
    need[i] = form_layout(s->r, form_here(s, i), lies[i]);
  }
  Way w = {.need = need, .result = form_layout(s->r, s->result_form, result)};
  if (s->work) w.work = cost_op(s->program, s->g, s->n, &s->rule, lies, result);
  if (s->r->forms.at[s->result_form].guard == GUARD_WHOLE &&
      layout_is_whole(s->mesh, result, shape_of(s, n)))
    w.work += CHOICE_FORBIDDEN;
  for (int k = 0; k < s->ways.n; k++) {
    Way *x = &s->ways.at[k];
    if (x->result != w.result || memcmp(x->need, need, sizeof *need * (size_t)n)) continue;
    if (w.work < x->work) x->work = w.work;
    return;
  }
  vec_push(s->arena, &s->ways, w);
}

/* A window that can be left out: the op may read what it shows out of more, or be given no more. */
static bool has_choice_of_windows(const Enumerate *s, const Cut *cut) {
  for (int i = 0; i < s->n->noperands; i++)
    for (int d = 0; d < shape_of(s, i)->rank; d++) {
      const RuleDim *rd = &dims_of(s, i)[d];
      DimLayout l;
      if (rd->window.of && cut_join(s->mesh, &s->rule, rd, cut, &l) && can_do_without(s, i, &l, d))
        return true;
    }
  return false;
}

static int orders_of(const Enumerate *s, int f, const Cut *cut, Cut *out) {
  int n = 0;
  out[n++] = *cut;
  if (cut->naxes == 2) {
    out[n] = *cut;
    out[n].axis[0] = cut->axis[1], out[n].axis[1] = cut->axis[0];
    n++;
  }
  for (int k = 0; k < s->seen.n && n < MOST_ORDERS; k++) {
    const NearbyCut *x = &s->seen.at[k];
    uint32_t a = 0, b = 0;
    for (int j = 0; j < cut->naxes; j++) a |= 1u << cut->axis[j];
    for (int j = 0; j < x->cut.naxes; j++) b |= 1u << x->cut.axis[j];
    if (x->factor != f || a != b) continue;
    bool new_one = true;
    for (int o = 0; o < n; o++)
      if (out[o].granule == x->cut.granule &&
          !memcmp(out[o].axis, x->cut.axis, sizeof(int) * (size_t)cut->naxes))
        new_one = false;
    if (new_one) out[n++] = x->cut;
  }
  return n;
}

/* Every order of the axes on factor f and those after it. */
static void each_order(Enumerate *s, Cut *cut, int f) {
  while (f < s->rule.nfactors && !cut[f].naxes) f++;
  if (f == s->rule.nfactors) {
    add_way(s, cut, false);
    if (has_choice_of_windows(s, cut)) add_way(s, cut, true);
    return;
  }
  Cut order[MOST_ORDERS], kept = cut[f];
  int n = orders_of(s, f, &cut[f], order);
  for (int i = 0; i < n; i++) {
    cut[f] = order[i];
    each_order(s, cut, f + 1);
  }
  cut[f] = kept;
}

static void each_dealing(Enumerate *s, int a) {
  if (a < s->naxes) {
    for (int i = 0; i < s->noptions[a]; i++) {
      s->to[a] = s->option[a][i];
      each_dealing(s, a + 1);
    }
    return;
  }
  Cut cut[MAX_FACTORS];
  for (int f = 0; f < s->rule.nfactors; f++) cut[f] = (Cut){.granule = 1};
  for (int k = 0; k < s->naxes; k++)
    if (s->to[k] >= 0 && s->to[k] < MAX_FACTORS) {
      Cut *c = &cut[s->to[k]];
      c->axis[c->naxes++] = s->axis[k];
    }
  each_order(s, cut, 0);
}

/* -------- -------- */

static Distinct distinct_of(Arena *a, const Ways *w, int operand) {
  Distinct d = {.layout = arena_array(a, int, w->n + 1), .of = arena_array(a, int, w->n + 1)};
  for (int i = 0; i < w->n; i++) {
    int l = operand < 0 ? w->way[i].result : w->way[i].need[operand], k = 0;
    while (k < d.n && d.layout[k] != l) k++;
    if (k == d.n) d.layout[d.n++] = l;
    d.of[i] = k;
  }
  return d;
}

static void finish_ways(Arena *a, const Routes *r, int form, Ways *w) {
  w->result = distinct_of(a, w, -1);
  w->need = arena_array(a, Distinct, w->noperands + 1);
  for (int k = 0; k < w->noperands; k++) w->need[k] = distinct_of(a, w, k);
  w->least = INFINITY;
  for (int i = 0; i < w->n; i++) {
    w->partial = w->partial || form_at(r, form, w->way[i].result)->partial;
    w->least = fmin(w->least, w->way[i].work);
  }
}

const Ways *ways_one(Arena *a, const Routes *r, int form, const Ways *all, int way) {
  Ways *w = arena_new_of(a, Ways);
  w->n = 1, w->noperands = all->noperands;
  w->way = arena_copy(a, &all->way[way], sizeof *w->way);
  finish_ways(a, r, form, w);
  return w;
}

static Ways *finish(Enumerate *s) {
  Ways *w = arena_new_of(s->arena, Ways);
  w->n = s->ways.n, w->way = s->ways.at, w->noperands = s->n->noperands;
  finish_ways(s->arena, s->r, s->result_form, w);
  return w;
}

/* A conversion that the user requires. */
static Ways *relayout_way(Enumerate *s) {
  int n = s->n->noperands;
  int *need = arena_array(s->arena, int, n + 1);
  need[0] = form_layout(s->r, form_here(s, 0), s->n->layout);
  for (int i = 1; i < n; i++) {
    const Node *x = graph_operand(s->g, s->n, i);
    need[i] = form_layout(s->r, form_here(s, i), x->layout);
  }
  Way w = {.need = need, .result = form_layout(s->r, s->result_form, s->n->layout)};
  vec_push(s->arena, &s->ways, w);
  return finish(s);
}

/* What comes after a region is the carry's own memory. */
static Ways *after_way(Enumerate *s) {
  const Layout *l = graph_operand(s->g, s->n, 0)->layout;
  int *need = arena_array(s->arena, int, 1);
  need[0] = form_layout(s->r, form_here(s, 0), l);
  vec_push(s->arena, &s->ways,
           ((Way){.need = need, .result = form_layout(s->r, s->result_form, l)}));
  return finish(s);
}

/* All that the ways depend on, as bytes. */
static void key_put(Enumerate *s, Str *key) {
  str_put(key, (const char *)&s->n->op, sizeof s->n->op);
  int head[] = {s->result_form, s->n->noperands, s->n->nattr};
  str_put(key, (const char *)head, sizeof head);
  str_put(key, (const char *)s->n->attr, sizeof *s->n->attr * (size_t)s->n->nattr);
  for (int i = 0; i < s->n->noperands; i++) {
    int twice = 0;
    for (int k = 0; k < i; k++) twice = twice || s->n->operand[k] == s->n->operand[i];
    int x[] = {form_here(s, i), s->can_be_partial[s->n->operand[i]], twice};
    str_put(key, (const char *)x, sizeof x);
  }
  for (int k = 0; k < s->seen.n; k++) {
    const NearbyCut *x = &s->seen.at[k];
    int64_t y[3 + MAX_AXES] = {x->factor, x->cut.naxes, x->cut.granule};
    for (int j = 0; j < x->cut.naxes; j++) y[3 + j] = x->cut.axis[j];
    str_put(key, (const char *)y, sizeof y);
  }
}

WaysCache *ways_cache(Program *p, Arena *a, bool work) {
  WaysCache *c = arena_new_of(a, WaysCache);
  c->routes = arena_new_of(a, Routes);
  *c->routes = (Routes){.program = p, .arena = a};
  c->arena = a;
  c->work = work;
  return c;
}

WaysCache *plan_ways(Plan *p) {
  if (!p->ways) p->ways = ways_cache(p->program, p->arena, true);
  return p->ways;
}

Routes *ways_routes(const WaysCache *c) { return c->routes; }

const Ways *ways_of(WaysCache *c, const Graph *g, NodeId id, const int *form,
                    const bool *can_be_partial) {
  Enumerate s = {.r = c->routes,
                 .work = c->work,
                 .program = c->routes->program,
                 .mesh = &c->routes->program->mesh,
                 .arena = c->arena,
                 .g = g,
                 .n = graph_node(g, id),
                 .form = form,
                 .can_be_partial = can_be_partial,
                 .result_form = form[id]};
  ArenaMark mark = arena_mark(c->arena);
  rule_of(g, s.n, &s.rule, c->arena);
  if (op_is(s.n, OPF_LAYOUT | OPF_CARRY)) return relayout_way(&s);
  if (op_is(s.n, OPF_AFTER)) return after_way(&s);
  look_around(&s);
  Str key = str_new(c->arena);
  key_put(&s, &key);
  uint64_t h = hash_words(key.at, key.n, 0);
  Entrant **at = &c->slot[h % SLOTS];
  for (Entrant *e = *at; e; e = e->next)
    if (e->hash == h && e->size == key.n && !memcmp(e->key, key.at, key.n)) {
      arena_release(c->arena, mark);
      return e->ways;
    }
  collect_axes(&s, true);
  if (combinations(&s) > (s.naxes > 3 ? MOST_WAYS_MANY : MOST_WAYS)) collect_axes(&s, false);
  each_dealing(&s, 0);
  Entrant *e = arena_new_of(c->arena, Entrant);
  *e = (Entrant){h, key.n, key.at, finish(&s), *at};
  *at = e;
  return e->ways;
}

/* Every plain layout of a form: each axis cuts one dim or none. */
static void each_lying(WaysCache *c, int form, int axis, Layout *l, Ways *w, int most) {
  const Mesh *m = &c->routes->program->mesh;
  const Shape *s = &c->routes->forms.at[form].shape;
  while (axis < m->naxes && m->axis[axis].size == 1) axis++;
  if (w->n == most) return;
  if (axis == m->naxes) {
    w->way[w->n++].result =
        form_layout(c->routes, form, layout_of(c->routes->program->layouts, l, s));
    return;
  }
  each_lying(c, form, axis + 1, l, w, most);
  for (int d = 0; d < s->rank; d++) {
    DimLayout *x = &l->dim[d];
    if (s->dim[d] < dim_parts(m, x) * m->axis[axis].size) continue;
    x->axis[x->naxes++] = axis;
    each_lying(c, form, axis + 1, l, w, most);
    x->naxes--;
  }
}

const Ways *ways_of_lying(WaysCache *c, int form, int noperands, const int *operand_form,
                          double price) {
  enum { MOST = 256 };
  Routes *r = c->routes;
  for (int i = 0; i < c->lying.n; i++)
    if (c->lying.at[i].form == form && c->lying.at[i].noperands == noperands &&
        c->lying.at[i].price == price &&
        (!noperands || !memcmp(c->lying.at[i].operand_form, operand_form,
                               sizeof *operand_form * (size_t)noperands)))
      return c->lying.at[i].ways;
  Ways *w = arena_new_of(c->arena, Ways);
  vec_push(c->arena, &c->lying, ((Lying){form, noperands, operand_form, price, w}));
  Layout l = {.rank = r->forms.at[form].shape.rank};
  for (int d = 0; d < l.rank; d++) l.dim[d].granule = 1;
  w->way = arena_array(c->arena, Way, MOST);
  w->noperands = noperands;
  each_lying(c, form, 0, &l, w, MOST);
  for (int i = 0; i < w->n; i++) {
    Way *x = &w->way[i];
    int *need = arena_array(c->arena, int, noperands + 1);
    for (int k = 0; k < noperands; k++)
      need[k] = form_layout(r, operand_form[k], form_at(r, form, x->result));
    const Shape *shape = &r->forms.at[form].shape;
    const DType dtype = r->forms.at[form].dtype;
    x->need = need;
    x->work =
        price * (double)layout_bytes(&r->program->mesh, form_at(r, form, x->result), shape, dtype);
  }
  finish_ways(c->arena, r, form, w);
  return w;
}
