/* Converts one layout of a tensor to another, in one exchange or in several.
 *
 * One exchange can move boxes, with partial axes passed through; reduce in place (all-reduce); or
 * reduce and give each device its part, if the reduced axes split the result (reduce-scatter).
 * Other conversions, or cheaper ones, go through intermediate layouts: a sum over two axes as a
 * reduce-scatter over the fast one, an all-reduce over the slow one, an all-gather.
 *
 * A table holds the shortest paths among all its layouts, maintained as layouts are added (Floyd
 * and Warshall, a layout at a time). Invariant: route(x, z) <= route(x, y) + route(y, z). All
 * layouts that a tensor can have on the mesh serve as intermediate layouts if they are few, as on
 * any mesh of two axes; on larger ones those whose axes are in the order of the mesh, if these are
 * few. */
#include "choose.h"
#include <math.h>
#include <string.h>

static int *slot_of(Routes *r, const Shape *s, DType t, Guard guard) {
  const uint64_t kind = (uint64_t)t << 32 | (uint64_t)guard;
  const uint64_t hash = hash_words(s->dim, sizeof *s->dim * (size_t)s->rank, kind);
  return &r->form_slot[hash % ROUTE_SLOTS];
}

/* Forms are added elsewhere, too. */
static void enter_forms(Routes *r) {
  while (r->form_next.n < r->forms.n) {
    const Form *f = &r->forms.at[r->form_next.n];
    int *slot = slot_of(r, &f->shape, f->dtype, f->guard);
    vec_push(r->arena, &r->form_next, *slot);
    *slot = r->form_next.n;
  }
}

int form_guarded(Routes *r, const Shape *s, DType t, Guard guard) {
  enter_forms(r);
  for (int i = *slot_of(r, s, t, guard); i; i = r->form_next.at[i - 1]) {
    const Form *f = &r->forms.at[i - 1];
    if (f->dtype == t && f->guard == guard && shape_equal(&f->shape, s)) return i - 1;
  }
  Form f = {.shape = *s, .dtype = t, .guard = guard};
  vec_push(r->arena, &r->forms, f);
  return r->forms.n - 1;
}

int form_of(Routes *r, const Shape *s, DType t) { return form_guarded(r, s, t, GUARD_NONE); }

int form_layout(Routes *r, int form, const Layout *l) {
  Form *f = &r->forms.at[form];
  const int known = lookup_get(&f->at, l);
  if (known) return known - 1;
  const bool plain = layout_is_plain(l);
  vec_push(r->arena, &f->row, plain ? f->plain.n : -1);
  if (plain) vec_push(r->arena, &f->plain, f->layouts.n);
  vec_push(r->arena, &f->layouts, l);
  lookup_put(&f->at, r->arena, l, f->layouts.n);
  return f->layouts.n - 1;
}

/* By a quarter: a table of as many rows as columns takes 1.6 times what it needs at most. */
static int grown(int room, int n) {
  if (room >= n) return room;
  const int more = room + room / 4;
  return ((n > more ? n : more) + 15) / 16 * 16;
}

/* Layouts with windows may be as many as a program has slices; plain ones are few. */
static void grow(Routes *r, Form *f) {
  const int cap = grown(f->cap, f->layouts.n), rows = grown(f->rows, f->plain.n);
  if (cap == f->cap && rows == f->rows) return;
  double *cost = arena_array(r->arena, double, (size_t)rows *(size_t)cap);
  int *via = arena_array(r->arena, int, (size_t)rows * (size_t)cap);
  for (size_t i = 0; i < (size_t)rows * (size_t)cap; i++) cost[i] = -1, via[i] = -1;
  for (int i = 0; i < f->rows; i++) {
    memcpy(&cost[(size_t)i * cap], &f->cost[(size_t)i * f->cap], sizeof *cost * (size_t)f->cap);
    memcpy(&via[(size_t)i * cap], &f->via[(size_t)i * f->cap], sizeof *via * (size_t)f->cap);
  }
  f->cost = cost, f->via = via, f->cap = cap, f->rows = rows;
}

static double *costs_from(const Form *f, int from) { return form_costs(f, from); }
static int *vias_from(const Form *f, int from) { return &f->via[f->row.at[from] * f->cap]; }

static double cost_between(const Form *f, int from, int to) {
  if (f->row.at[from] >= 0) return costs_from(f, from)[to];
  return from == to ? 0 : INFINITY;
}

/* -------- the table -------- */

enum { MOST_STOPS = 256 };

typedef struct Stops {
  Routes *r;
  int form, left; /* how many more it may be */
  bool any_order;
  Reduce how;
} Stops;

/* Axes from `axis` on, each cutting a dim (with any_order at any place in its list), a term of what
 * is partial, or neither. */
static void each_stop(Stops *s, Layout *l, uint32_t partial, int axis, bool count_only) {
  const Mesh *m = &s->r->program->mesh;
  if (s->left < 0) return;
  while (axis < m->naxes && m->axis[axis].size == 1) axis++;
  if (axis == m->naxes) {
    s->left--;
    if (count_only) return;
    const Shape *shape = &s->r->forms.at[s->form].shape;
    form_layout(s->r, s->form, layout_of(s->r->program->layouts, l, shape));
    return;
  }
  each_stop(s, l, partial, axis + 1, count_only);
  if (partial & 1u << axis) {
    l->partial |= 1u << axis;
    each_stop(s, l, partial, axis + 1, count_only);
    l->partial &= ~(1u << axis);
  }
  for (int d = 0; d < l->rank; d++) {
    DimLayout was = l->dim[d], *x = &l->dim[d];
    for (int at = s->any_order ? 0 : was.naxes; at <= was.naxes; at++) {
      *x = was;
      memmove(&x->axis[at + 1], &x->axis[at], sizeof x->axis[0] * (size_t)(was.naxes - at));
      x->axis[at] = axis;
      x->naxes++;
      each_stop(s, l, partial, axis + 1, count_only);
    }
    *x = was;
  }
}

/* False: they are too many. */
static bool add_stops(Routes *r, int form, uint32_t partial, Reduce how) {
  Layout l = {.rank = r->forms.at[form].shape.rank, .reduce = how};
  for (int d = 0; d < l.rank; d++) l.dim[d].granule = 1;
  for (int any_order = 1; any_order >= 0; any_order--) {
    Stops s = {r, form, MOST_STOPS, any_order, how};
    each_stop(&s, &l, partial, 0, true);
    if (s.left < 0) continue;
    s.left = MOST_STOPS;
    each_stop(&s, &l, partial, 0, false);
    return true;
  }
  return false;
}

static void add_stop(Routes *r, int form, const Layout *l) {
  form_layout(r, form, layout_of(r->program->layouts, l, &r->forms.at[form].shape));
}

/* The same boxes with fewer terms: however many layouts there are, a sum can be taken. */
static void add_settled(Routes *r, int form, const Layout *x) {
  Layout l = *x;
  for (uint32_t t = x->partial; t; t = (t - 1) & x->partial) {
    l.partial = x->partial & ~t;
    add_stop(r, form, &l);
  }
}

/* Its reduce-scatters onto one dim, of all axes or of one. */
static void add_scattered(Routes *r, int form, const Layout *x) {
  for (int d = 0; d < x->rank && layout_is_plain(x); d++) {
    Layout all = *x;
    all.partial = 0;
    for (int a = 0; a < MAX_AXES; a++) {
      if (!(x->partial & 1u << a)) continue;
      Layout one = *x;
      one.partial &= ~(1u << a);
      one.dim[d].axis[one.dim[d].naxes++] = a;
      add_stop(r, form, &one);
      all.dim[d].axis[all.dim[d].naxes++] = a;
    }
    if (x->partial) add_stop(r, form, &all);
  }
}

/* A table takes time by the cube of its layouts. Along up to three axes there are few sets of terms;
 * along more, those met later do with the layouts next to them. */
static bool has_room(const Routes *r, const Form *f) {
  int axes = 0;
  for (int a = 0; a < r->program->mesh.naxes; a++) axes += r->program->mesh.axis[a].size > 1;
  return axes <= 3 || f->layouts.n < MOST_STOPS;
}

/* For every set of terms that a layout of the form has. Adds layouts to the form. */
static void add_all_stops(Routes *r, int form) {
  int known = r->forms.at[form].layouts.n;
  for (int i = r->forms.at[form].closed; i < known; i++) {
    const Layout *l = r->forms.at[form].layouts.at[i];
    add_settled(r, form, l);
    Form *f = &r->forms.at[form];
    int k = 0;
    while (k < f->nterms &&
           (f->terms[k].partial != l->partial || (l->partial && f->terms[k].how != l->reduce)))
      k++;
    if (k == MAX_TERMS) continue;
    if (k == f->nterms) {
      f->terms[k] = (Terms){l->partial, l->reduce, true};
      f->nterms++;
      f->terms[k].all = has_room(r, f) && add_stops(r, form, l->partial, l->reduce);
    }
    if (!f->terms[k].all) add_scattered(r, form, l);
  }
}

static void take(Form *f, int from, int to, double cost, int next) {
  double *old = &costs_from(f, from)[to];
  if (!(cost < *old * (1 - 1e-12))) return; /* by more than rounding: ways without end are none */
  *old = cost;
  vias_from(f, from)[to] = next;
}

/* Some way from layout `from` is shorter by way of one that costs `first` to get to. Written so that
 * it becomes vector instructions: most rows of a table have nothing to take. */
static inline bool shorter(const double *old, double first, const double *rest, int n) {
  int64_t any = 0; /* as wide as what is compared */
  for (int j = 0; j < n; j++) any |= first + rest[j] < old[j] * (1 - 1e-12) ? -1 : 0;
  return any != 0;
}

typedef bool Shorter(const double *old, double first, const double *rest, int n);
static bool shorter_base(const double *old, double first, const double *rest, int n) {
  return shorter(old, first, rest, n);
}
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDER(NAME, TARGET)                                                                        \
  __attribute__((target(TARGET))) static bool NAME(const double *old, double first,                \
                                                   const double *rest, int n) {                    \
    return shorter(old, first, rest, n);                                                           \
  }
WIDER(shorter_32, "avx2")
WIDER(shorter_64, "avx512f,avx512vl,avx512dq")

static Shorter *any_shorter(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return shorter_64;
  return __builtin_cpu_supports("avx2") ? shorter_32 : shorter_base;
}
#else
static Shorter *any_shorter(void) { return shorter_base; }
#endif

static int next_of(const Form *f, int from, int to) {
  int via = f->row.at[from] >= 0 ? vias_from(f, from)[to] : -1;
  return via < 0 ? to : via;
}

/* Of pricing one exchange on a mesh (exchange_kind.c) and of the paths through a layout. */
static double effort_of(const Mesh *m, int layouts) {
  double coords = 1;
  for (int a = 0; a < m->naxes; a++) coords *= fmin(4, (double)m->axis[a].size);
  return 2.0 * layouts * (400 + 8 * fmin(coords, 256)) + 2.0 * layouts * layouts;
}

/* The shortest paths among layouts 0 to x - 1 are known: then those with x too. */
static void close_over(const Routes *r, Form *f, int x) {
  const bool plain = f->row.at[x] >= 0;
  Shorter *any = any_shorter();
  r->program->effort += effort_of(&r->program->mesh, x);
  for (int k = 0; plain && k <= x; k++) costs_from(f, x)[k] = hop(r, f, x, k);
  for (int i = 0; i < f->plain.n && f->plain.at[i] < x; i++)
    costs_from(f, f->plain.at[i])[x] = hop(r, f, f->plain.at[i], x);
  for (int p = 0; p < f->plain.n && f->plain.at[p] < x; p++) {
    const int k = f->plain.at[p];
    const double *rest = costs_from(f, k), last = rest[x];
    const double first = plain ? costs_from(f, x)[k] : INFINITY;
    if (first < INFINITY && vias_from(f, x)[k] < 0 && any(costs_from(f, x), first, rest, x))
      for (int j = 0; j < x; j++) take(f, x, j, first + rest[j], k);
    if (!(last < INFINITY) || vias_from(f, k)[x] >= 0) continue;
    for (int q = 0; q < f->plain.n && f->plain.at[q] < x; q++) {
      const int i = f->plain.at[q];
      const double *out = costs_from(f, i);
      if (out[k] + last < out[x]) take(f, i, x, out[k] + last, next_of(f, i, k));
    }
  }
  for (int q = 0; plain && q < f->plain.n && f->plain.at[q] < x; q++) {
    const int i = f->plain.at[q], next = next_of(f, i, x);
    const double first = costs_from(f, i)[x], *out = costs_from(f, x);
    if (!(first < INFINITY) || !any(costs_from(f, i), first, out, x)) continue;
    for (int j = 0; j < x; j++) take(f, i, j, first + out[j], next);
  }
}

/* The shortest paths among the first n layouts, none known yet: row by row (Floyd and
 * Warshall). */
static void close_all(Routes *r, Form *f, int n) {
  const Mesh *m = &r->program->mesh;
  Shorter *any = any_shorter();
  for (int x = 0; x < n; x++) r->program->effort += effort_of(m, x);
  hops(r, f, n);
  for (int p = 0; p < f->plain.n; p++) {
    const int k = f->plain.at[p];
    const double *rest = costs_from(f, k);
    for (int q = 0; q < f->plain.n; q++) {
      const int i = f->plain.at[q];
      double first = costs_from(f, i)[k];
      if (i == k || !(first < INFINITY) || !any(costs_from(f, i), first, rest, n)) continue;
      int next = next_of(f, i, k);
      for (int j = 0; j < n; j++) take(f, i, j, first + rest[j], next);
    }
  }
  f->closed = n;
}

double route_find(Routes *r, int form, int from, int to) {
  add_all_stops(r, form);
  Form *f = &r->forms.at[form];
  grow(r, f);
  if (!f->exchanges) f->exchanges = exchange_table_new(r->arena, &f->shape);
  for (int i = exchange_table_count(f->exchanges); i < f->layouts.n; i++)
    exchange_table_add(f->exchanges, r->program, f->layouts.at[i]);
  if (!f->closed) close_all(r, f, f->layouts.n);
  for (; f->closed < f->layouts.n; f->closed++) close_over(r, f, f->closed);
  return cost_between(f, from, to);
}

static bool is_table(const RouteTable *t, int form, const int *from, int nfrom, const int *to,
                     int nto) {
  return t->form == form && t->nfrom == nfrom && t->nto == nto &&
         !memcmp(t->from, from, sizeof *from * (size_t)nfrom) &&
         !memcmp(t->to, to, sizeof *to * (size_t)nto);
}

static RouteTable *table_at(Routes *r, int form, const int *from, int nfrom, const int *to,
                            int nto) {
  const uint64_t seed = hash_bytes(from, sizeof *from * (size_t)nfrom, (uint64_t)form),
                 h = hash_bytes(to, sizeof *to * (size_t)nto, seed);
  RouteTable **at = &r->table[h % ROUTE_SLOTS], *t = *at;
  while (t && !is_table(t, form, from, nfrom, to, nto)) t = t->next;
  if (t) return t;
  t = arena_new_of(r->arena, RouteTable);
  *t = (RouteTable){.next = *at, .form = form, .nfrom = nfrom, .nto = nto, .closed = -1};
  t->from = arena_copy(r->arena, from, sizeof *from * (size_t)nfrom);
  t->to = arena_copy(r->arena, to, sizeof *to * (size_t)nto);
  t->cost = arena_array(r->arena, double, nfrom * nto);
  t->turned = arena_array(r->arena, double, nfrom * nto);
  return *at = t;
}

/* A layout that was added since may be a stop on a cheaper way. */
const RouteTable *route_table(Routes *r, int form, const int *from, int nfrom, const int *to,
                              int nto) {
  RouteTable *t = table_at(r, form, from, nfrom, to, nto);
  if (nfrom && nto) route(r, form, from[0], to[0]);
  while (t->closed != r->forms.at[form].closed) {
    t->closed = r->forms.at[form].closed;
    for (int i = 0; i < nfrom; i++)
      for (int k = 0; k < nto; k++)
        t->cost[i * nto + k] = t->turned[k * nfrom + i] = route(r, form, from[i], to[k]);
  }
  return t;
}

int route_next(Routes *r, int form, int from, int to) {
  route(r, form, from, to);
  return next_of(&r->forms.at[form], from, to);
}

/* -------- trees -------- */

/* The cheapest tree from a root to a few leaves, by way of any stops (Dreyfus and Wagner): what the
 * best tree from v to a set of leaves costs is found for all v, for larger and larger sets. It goes
 * from v to some u, and there the set is parted in two. */
enum { MOST_LEAVES = 6 };

typedef struct Steiner {
  const Form *f;
  int n, root, nstops;
  const int *leaf;
  int *stop;         /* the root first; all the leaves' trees can branch at */
  double *cost;      /* [set * nstops + stop] */
  int16_t *to, *one; /* beside it: u, and one of the two sets; -1: u is the leaf */
} Steiner;

static double far(const Steiner *s, int from, int to) { return cost_between(s->f, from, to); }

static void branch(Steiner *s, int set, double *parted, int *one) {
  for (int u = 0; u < s->nstops; u++) {
    parted[u] = INFINITY;
    for (int a = (set - 1) & set; a > (set & ~a); a = (a - 1) & set) {
      double c = s->cost[a * s->nstops + u] + s->cost[(set & ~a) * s->nstops + u];
      if (c < parted[u]) parted[u] = c, one[u] = a;
    }
  }
}

static void grow_sets(Steiner *s, double *parted, int *one) {
  int m = s->nstops, all = (1 << s->n) - 1;
  for (int set = 1; set <= all; set++) {
    double *cost = &s->cost[set * m];
    int only = 0;
    while (!(set & 1 << only)) only++;
    if (set & (set - 1)) branch(s, set, parted, one);
    for (int v = 0; v < (set == all ? 1 : m); v++) {
      if (!(set & (set - 1))) {
        cost[v] = far(s, s->stop[v], s->leaf[only]);
        s->to[set * m + v] = s->one[set * m + v] = -1;
        continue;
      }
      cost[v] = INFINITY;
      for (int u = 0; u < m; u++) {
        if (!(parted[u] < cost[v])) continue;
        double c = far(s, s->stop[v], s->stop[u]) + parted[u];
        if (c < cost[v]) {
          cost[v] = c;
          s->to[set * m + v] = (int16_t)u, s->one[set * m + v] = (int16_t)one[u];
        }
      }
    }
  }
}

/* Exchanges on the way, except to layouts that exist already. */
static void go(const Form *f, Tree *t, int root, int from, int to) {
  while (from != to) {
    int next = next_of(f, from, to);
    bool there = next == root;
    for (int i = 0; i < t->nhops && !there; i++) there = t->hop[i].to == next;
    if (!there && t->nhops < MAX_HOPS) t->hop[t->nhops++] = (Hop){from, next};
    from = next;
  }
}

static void write_tree(const Steiner *s, Tree *t, int set, int v) {
  int at = set * s->nstops + v, u = s->to[at];
  if (u < 0) {
    int only = 0;
    while (!(set & 1 << only)) only++;
    go(s->f, t, s->root, s->stop[v], s->leaf[only]);
    return;
  }
  go(s->f, t, s->root, s->stop[v], s->stop[u]);
  write_tree(s, t, s->one[at], u);
  write_tree(s, t, set & ~s->one[at], u);
}

/* A tree that branches there costs the way from the root and then the ways to two leaves or more. */
static bool worth_branching(const Form *f, int root, int stop, const int *leaf, int n,
                            double upper) {
  double most = upper * (1 + 1e-9) - cost_between(f, root, stop); /* but for rounding */
  double first = INFINITY, second = INFINITY;                     /* the shortest two */
  if (most < 0) return false;
  for (int i = 0; i < n; i++) {
    double way = cost_between(f, stop, leaf[i]);
    if (way < first) second = first, first = way;
    else if (way < second) second = way;
  }
  return first + second <= most;
}

/* `upper`: what some tree costs. */
static double best_tree(Routes *r, const Form *f, int root, const int *leaf, int n, double upper,
                        Tree *tree) {
  ArenaMark mark = arena_mark(r->arena);
  Steiner s = {.f = f, .n = n, .root = root, .leaf = leaf};
  s.stop = arena_array(r->arena, int, f->plain.n + 1);
  s.stop[s.nstops++] = root;
  for (int p = 0; p < f->plain.n && f->plain.at[p] < f->closed; p++) { /* later ones: no tables */
    const int i = f->plain.at[p];
    if (i != root && worth_branching(f, root, i, leaf, n, upper)) s.stop[s.nstops++] = i;
  }
  size_t entries = (size_t)s.nstops << n;
  s.cost = arena_array(r->arena, double, entries);
  s.to = arena_array(r->arena, int16_t, entries);
  s.one = arena_array(r->arena, int16_t, entries);
  grow_sets(&s, arena_array(r->arena, double, s.nstops), arena_array(r->arena, int, s.nstops));
  int all = (1 << n) - 1;
  double cost = s.cost[all * s.nstops];
  if (tree) tree->nhops = 0, write_tree(&s, tree, all, 0);
  arena_release(r->arena, mark);
  return cost;
}

/* Each leaf in turn from the nearest that is there by then. */
static double near_tree(Routes *r, int form, int from, const int *wanted, int n, Tree *tree) {
  int have[MAX_HOPS + 1] = {from}, nhave = 1, seen = 0;
  struct {
    double cost;
    int source; /* the nearest of have[0 .. seen - 1]; -1: it is one of them */
  } leaf[MAX_HOPS];
  double cost = 0;
  if (tree) tree->nhops = 0;
  for (int i = 0; i < n; i++) leaf[i].cost = INFINITY, leaf[i].source = from;
  for (;;) {
    int to = -1;
    bool all = true;
    for (int i = 0; i < n; i++) {
      for (int k = seen; k < nhave && leaf[i].source >= 0; k++) {
        if (have[k] == wanted[i]) {
          leaf[i].source = -1;
          break;
        }
        double c = route(r, form, have[k], wanted[i]);
        if (c < leaf[i].cost) leaf[i].cost = c, leaf[i].source = have[k];
      }
      if (leaf[i].source < 0) continue;
      all = false;
      if (leaf[i].cost < (to < 0 ? INFINITY : leaf[to].cost)) to = i;
    }
    if (all) return cost;
    if (to < 0) return INFINITY;
    seen = nhave;
    cost += leaf[to].cost;
    for (int x = leaf[to].source; x != wanted[to];) {
      int next = route_next(r, form, x, wanted[to]);
      if (nhave > MAX_HOPS) return INFINITY;
      have[nhave++] = next;
      if (tree) tree->hop[tree->nhops++] = (Hop){x, next};
      x = next;
    }
  }
}

/* The same trees are requested many times. */
struct KnownTree {
  struct {
    int n, from, leaf[MOST_LEAVES];
  } key; /* leaves rising; n 0: nothing here */
  double cost;
};

static struct KnownTree *known(Routes *r, Form *f, int from, const int *leaf, int n) {
  struct KnownTree x = {.key = {.n = n, .from = from}, .cost = -1};
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && x.key.leaf[k - 1] > leaf[i]; k--) x.key.leaf[k] = x.key.leaf[k - 1];
    x.key.leaf[k] = leaf[i];
  }
  if (f->trees_closed != f->closed || f->ntrees * 2 >= f->tree_slots) { /* or start over */
    f->tree_slots = f->trees_closed != f->closed ? 256 : f->tree_slots * 2;
    f->tree = arena_array(r->arena, struct KnownTree, f->tree_slots);
    f->ntrees = 0, f->trees_closed = f->closed;
  }
  int i = (int)(hash_words(&x.key, sizeof x.key, 0) % (uint64_t)f->tree_slots);
  for (; f->tree[i].key.n; i = (i + 1) % f->tree_slots)
    if (!memcmp(&f->tree[i].key, &x.key, sizeof x.key)) return &f->tree[i];
  f->tree[i] = x, f->ntrees++;
  return &f->tree[i];
}

double route_tree(Routes *r, int form, int from, const int *wanted, int n, Tree *tree) {
  int leaf[MAX_HOPS], nleaves = 0;
  double farthest = 0;
  for (int i = 0; i < n; i++)
    if (wanted[i] != from) leaf[nleaves++] = wanted[i];
  for (int i = 0; i < nleaves; i++) {
    double one = route(r, form, from, leaf[i]);
    if (nleaves == 1 && !tree) return one;
    farthest = fmax(farthest, one);
  }
  Form *f = &r->forms.at[form];
  bool few = nleaves <= MOST_LEAVES && (double)(1 << nleaves) * f->closed * f->closed < 1e6;
  if (nleaves == 0 || !few) return near_tree(r, form, from, leaf, nleaves, tree);
  struct KnownTree *k = known(r, f, from, leaf, nleaves);
  if (k->cost < 0) {
    double upper = near_tree(r, form, from, leaf, nleaves, NULL);
    bool best =
        upper <= farthest || upper == INFINITY; /* no tree costs less than its longest way */
    k->cost = best ? upper : best_tree(r, f, from, leaf, nleaves, upper, NULL);
  }
  if (tree && k->cost < INFINITY) best_tree(r, f, from, leaf, nleaves, k->cost, tree);
  return k->cost;
}
