/* How ops along one dim run where that dim is cut: each device works on its own block, and only
 * what the blocks come to is merged. Graphs stay global: the parts are ordinary ops, whose cuts
 * cost no exchange but for the merge, whatever partition decides.
 *
 *   cumsum  x [.., n, ..] is dealt to [.., k, n/k, ..] (ops/scan.c), each row is summed up, a running
 *           sum of the k totals gives what comes before each row, and is added
 *   argmax  the largest of all, then the lowest index where it stands: max and min of partial values
 *   top_k   the best of each row, then the best of those
 *   sort    has no merge smaller than itself: the dim is made whole, by dealing its axes to other
 *           dims where they fit (partition decides)
 *   slice   in two where that moves less: first what a device does with what it has
 *
 * A dim is worked on in blocks where the merge moves less than making the dim whole. Where anything
 * was rewritten layouts are inferred anew. In the end every cumsum and order is marked as placed:
 * what dim it goes along must be whole from now on. */
#include "choose.h"
#include "opdefs.h"
#include "scan.h"
#include <math.h>
#include <string.h>

typedef struct Split { /* how the dim is cut */
  int64_t n, parts, granule;
} Split;

typedef struct Distribute {
  const Program *program;
  Build b;
  const Graph *old;
  NodeId *map;    /* old node -> new node */
  NodeId *best;   /* old order node -> the values of its candidates, or NO_NODE */
  NodeId *chosen; /* and which of them it took */
} Distribute;

/* -------- when -------- */

static bool is_cut(const Distribute *d, const Node *n, int dim, Split *s) {
  const DimLayout *l = &n->layout->dim[dim];
  *s = (Split){n->shape.dim[dim], dim_parts(&d->program->mesh, l), l->granule};
  return s->parts > 1 && !l->window.of && n->layout->partial == 0;
}

/* Another dim can take the axes, so that making this one whole is no gather. */
static bool has_room(const Node *n, int dim, int64_t parts) {
  for (int d = 0; d < n->shape.rank; d++)
    if (d != dim && !n->layout->dim[d].naxes && n->shape.dim[d] >= parts) return true;
  return false;
}

static bool rank_fits(const Node *n, const Split *s) {
  return n->shape.rank + 1 + (s->granule > 1) <= MAX_RANK;
}

/* -------- pieces -------- */

static Shape shape_with(const Shape *s, int dim, int drop, int n, const int64_t *sizes) {
  Shape t = {0};
  for (int d = 0; d < dim; d++) t.dim[t.rank++] = s->dim[d];
  for (int i = 0; i < n; i++) t.dim[t.rank++] = sizes[i];
  for (int d = dim + drop; d < s->rank; d++) t.dim[t.rank++] = s->dim[d];
  return t;
}

/* [.., n, ..] -> [.., k, most of a block, ..] */
static NodeId deal(Build *b, NodeId x, int dim, const Split *s, double fill, int64_t whole) {
  Shape full = graph_node(b->graph, x)->shape;
  if (s->granule == 1) return mk_deal(b, x, dim, s->parts, fill, whole);
  Shape units = shape_with(&full, dim, 1, 2, (int64_t[]){s->n / s->granule, s->granule});
  NodeId y = mk_deal(b, mk_reshape(b, x, &units), dim, s->parts, fill, whole);
  Shape dealt = graph_node(b->graph, y)->shape;
  Shape rows = shape_with(&dealt, dim + 1, 2, 1, (int64_t[]){dealt.dim[dim + 1] * s->granule});
  return mk_reshape(b, y, &rows);
}

static NodeId undeal(Build *b, NodeId x, int dim, const Split *s) {
  if (s->granule == 1) return mk_undeal(b, x, dim, s->n);
  Shape rows = graph_node(b->graph, x)->shape;
  Shape dealt =
      shape_with(&rows, dim + 1, 1, 2, (int64_t[]){rows.dim[dim + 1] / s->granule, s->granule});
  NodeId y = mk_undeal(b, mk_reshape(b, x, &dealt), dim, s->n / s->granule);
  Shape units = graph_node(b->graph, y)->shape;
  Shape full = shape_with(&units, dim, 2, 1, &s->n);
  return mk_reshape(b, y, &full);
}

/* Where row i begins in the dim, i being the index along dim of a tensor of this shape. */
static NodeId row_begin(Build *b, const Shape *shape, int dim, const Split *s) {
  NodeId i = mk_iota(b, DT_I64, shape, dim);
  i = mk2(b, OP_mul, i, mk_whole(b, DT_I64, shape, s->n / s->granule));
  i = mk2(b, OP_floordiv, i, mk_whole(b, DT_I64, shape, s->parts));
  i = mk2(b, OP_mul, i, mk_whole(b, DT_I64, shape, s->granule));
  return build_cast(b, i, DT_I32);
}

/* One element of a dim, which is dropped. */
static NodeId element(Build *b, NodeId x, int dim, int64_t at) {
  Shape s = graph_node(b->graph, x)->shape, size = s;
  int64_t start[MAX_RANK] = {0}, step[MAX_RANK];
  for (int d = 0; d < s.rank; d++) step[d] = 1;
  start[dim] = at, size.dim[dim] = 1;
  Shape t = shape_with(&s, dim, 1, 0, NULL);
  return mk_reshape(b, mk_slice(b, x, start, size.dim, step), &t);
}

/* -------- cumsum -------- */

static NodeId scan_blocks(Build *b, NodeId x, const Node *n, const Split *s) {
  int dim = (int)n->attr[SCAN_DIM];
  bool reverse = n->attr[SCAN_REVERSE], exclusive = n->attr[SCAN_EXCLUSIVE];
  NodeId rows = deal(b, x, dim, s, 0, 0);
  NodeId sums = mk_cumsum(b, rows, dim + 1, reverse, exclusive, true);
  Shape all = graph_node(b->graph, sums)->shape;
  int64_t last = reverse ? 0 : all.dim[dim + 1] - 1;
  NodeId total = element(b, sums, dim + 1, last);
  if (exclusive) total = mk2(b, OP_add, total, element(b, rows, dim + 1, last));
  NodeId before = mk_cumsum(b, total, dim, reverse, true, true);
  return undeal(b, mk2(b, OP_add, sums, mk_unreduce(b, before, &all, 1u << (dim + 1))), dim, s);
}

/* -------- argmax, argmin -------- */

static NodeId find_best(Build *b, NodeId x, const Node *n) {
  bool max = n->op == OP_argmax;
  uint32_t dims = 1u << n->attr[0];
  Shape s = graph_node(b->graph, x)->shape;
  NodeId best = mk_reduce(b, max ? OP_reduce_max : OP_reduce_min, x, dims, false);
  NodeId here = mk2(b, OP_eq, x, mk_unreduce(b, best, &s, dims));
  if (dtype_is_float(graph_node(b->graph, x)->dtype)) /* best is not-a-number when any is */
    here = mk2(b, OP_or, here, mk2(b, OP_ne, x, x));
  NodeId index = mk_iota(b, DT_I32, &s, (int)n->attr[0]);
  NodeId at = mk_select(b, here, index, mk_whole(b, DT_I32, &s, INT32_MAX));
  return mk_reduce(b, OP_reduce_min, at, dims, false);
}

/* -------- top_k -------- */

/* What comes after everything in the order. */
static void last_value(DType t, bool descending, double *v, int64_t *w) {
  static const int64_t lowest[] = {0, 0, INT8_MIN, INT32_MIN, INT64_MIN};
  static const int64_t highest[] = {1, UINT8_MAX, INT8_MAX, INT32_MAX, INT64_MAX};
  *w = 0;
  *v = descending ? -INFINITY : NAN;
  if (!dtype_is_int(t)) return;
  *w = descending ? lowest[t] : highest[t];
  *v = (double)*w;
}

/* Every block has at least `count` elements, so that no candidate is one that only fills up: it is
 * no better than any other element of its row, and stands behind all. */
static NodeId order_blocks(Distribute *d, NodeId old, NodeId x, const Split *s) {
  Build *b = &d->b;
  Node n = *graph_node(d->old, old);
  int dim = (int)n.attr[ORDER_DIM];
  int64_t count = n.attr[ORDER_COUNT], whole;
  bool descending = n.attr[ORDER_DESCENDING];
  double fill;
  last_value(graph_node(b->graph, x)->dtype, descending, &fill, &whole);
  NodeId rows = deal(b, x, dim, s, fill, whole);
  NodeId at = mk_order(b, rows, dim + 1, count, descending, true);
  NodeId value = mk_pick(b, rows, at, dim + 1);
  Shape shape = graph_node(b->graph, at)->shape;
  NodeId index = mk2(b, OP_add, at, row_begin(b, &shape, dim, s));
  Shape flat = shape_with(&shape, dim, 2, 1, (int64_t[]){s->parts * count});
  d->best[old] = mk_reshape(b, value, &flat);
  d->chosen[old] = mk_order(b, d->best[old], dim, count, descending, true);
  return mk_pick(b, mk_reshape(b, index, &flat), d->chosen[old], dim);
}

/* -------- slices -------- */

/* A slice done in two: `first` what a device can do with what it has, whole dims and strides, and
 * then what shifts blocks. An exchange moves boxes, so that after the first there is less in them.
 *
 *   x[1024:3072, ::8], x [a, _]  ->  x[:, ::8], of which only [1024:3072] moves */
typedef struct TwoSlices {
  Shape between;
  int64_t start[2][MAX_RANK], size[2][MAX_RANK], step[2][MAX_RANK];
} TwoSlices;

/* False: one of the two would do nothing. */
static bool part_slice(const Node *n, const Node *x, TwoSlices *t) {
  int rank = n->shape.rank;
  bool any[2] = {false, false};
  t->between.rank = rank;
  for (int d = 0; d < rank; d++) {
    int64_t all = x->shape.dim[d], size = n->shape.dim[d], step = n->attr[2 * rank + d];
    int64_t start = n->attr[d], offset = start % step, strided = (all - offset + step - 1) / step;
    bool is_cut = x->layout->dim[d].naxes || n->layout->dim[d].naxes;
    bool here = !is_cut || size == 0;
    t->start[0][d] = here ? start : offset;
    t->step[0][d] = step;
    t->size[0][d] = t->between.dim[d] = here ? size : strided;
    t->start[1][d] = here ? 0 : start / step;
    t->step[1][d] = 1;
    t->size[1][d] = size;
    any[0] = any[0] || t->between.dim[d] != all;
    any[1] = any[1] || t->between.dim[d] != size;
  }
  return any[0] && any[1];
}

/* The exchange before a slice from `from` to `to`: as far as the slice reaches, or more where that
 * is there or not cut. */
static double slice_cost(const Distribute *d, const Layout *from, const Shape *s, DType type,
                         const Layout *to, const Shape *sliced, const int64_t *start,
                         const int64_t *step) {
  double best = INFINITY;
  for (int windows = 0; windows < 2; windows++) {
    Layout need = *to;
    for (int i = 0; i < s->rank; i++) {
      bool touched = start[i] || step[i] != 1 || s->dim[i] != sliced->dim[i];
      if (touched) need.dim[i].window = (Window){sliced->dim[i], step[i], 1, start[i], start[i]};
      if (touched && !windows &&
          (!need.dim[i].naxes || window_is_there(&d->program->mesh, &need.dim[i], s->dim[i])))
        need.dim[i].window = (Window){0};
    }
    const Layout *l = layout_of(d->program->layouts, &need, s);
    best = fmin(best, cost_exchange(d->program, from, l, s, type));
  }
  return best;
}

static bool in_two_is_cheaper(const Distribute *d, const Node *n, const Node *x,
                              const TwoSlices *t) {
  if (!layout_is_plain(x->layout) || x->layout->partial || n->layout->partial) return false;
  Layout l = *x->layout;
  for (int i = 0; i < l.rank; i++)
    if (t->between.dim[i] != x->shape.dim[i]) l.dim[i].granule = 1;
  const Layout *between = layout_of(d->program->layouts, &l, &t->between);
  const int64_t *start = n->attr, *step = n->attr + 2 * n->shape.rank;
  /* As it is to lie by propagation, or whole, should its readers need that. */
  const Layout *to[2] = {n->layout, layout_whole(d->program->layouts, n->shape.rank)};
  double one[2], two[2], more = d->program->machine->start;
  for (int i = 0; i < 2; i++) {
    one[i] = slice_cost(d, x->layout, &x->shape, n->dtype, to[i], &n->shape, start, step);
    two[i] = slice_cost(d, x->layout, &x->shape, n->dtype, between, &t->between, t->start[0],
                        t->step[0]) +
             slice_cost(d, between, &t->between, n->dtype, to[i], &n->shape, t->start[1],
                        t->step[1]);
  }
  return two[0] + more < one[0] || (two[0] <= one[0] && two[1] + more < one[1]);
}

static NodeId slice_in_two(Distribute *d, NodeId y, const Node *n, const Node *x) {
  TwoSlices t;
  if (!part_slice(n, x, &t) || !in_two_is_cheaper(d, n, x, &t)) return NO_NODE;
  NodeId first = mk_slice(&d->b, y, t.start[0], t.size[0], t.step[0]);
  return mk_slice(&d->b, first, t.start[1], t.size[1], t.step[1]);
}

/* -------- the pass -------- */

/* It may not be made whole, and no other dim can take the axes: the merge is the only way. */
static bool must_merge(const Distribute *d, const Node *x, int dim, const Split *s) {
  return forbid_of(d->program, x).file && !has_room(x, dim, s->parts);
}

/* The new node that takes the place of an op along a cut dim; NO_NODE: it stays as it is. */
static NodeId replace(Distribute *d, NodeId id) {
  const Node *n = graph_node(d->old, id);
  Split s;
  bool fits;
  if (!n->noperands) return NO_NODE;
  const Node *x = graph_operand(d->old, n, 0);
  NodeId y = d->map[n->operand[0]];
  switch (n->op) {
  case OP_cumsum:
    if (n->attr[SCAN_PLACED] || !is_cut(d, x, (int)n->attr[SCAN_DIM], &s)) return NO_NODE;
    /* An element a block moves, where else the dim would. */
    return s.n / s.granule > s.parts && rank_fits(x, &s) ? scan_blocks(&d->b, y, n, &s) : NO_NODE;
  case OP_argmax:
  case OP_argmin:
    if (!is_cut(d, x, (int)n->attr[0], &s)) return NO_NODE;
    /* Two all-reduces come to 4(k-1)/k elements; the dim made whole to (k-1)/k of n, or where the
     * axes go to another dim of n/k. */
    return s.n > (has_room(x, (int)n->attr[0], s.parts) ? 4 * s.parts : 4) ||
                   must_merge(d, x, (int)n->attr[0], &s)
               ? find_best(&d->b, y, n)
               : NO_NODE;
  case OP_order:
    if (n->attr[ORDER_PLACED] || !is_cut(d, x, (int)n->attr[ORDER_DIM], &s)) return NO_NODE;
    /* Values and indices of the candidates of k blocks. */
    fits = 2 * n->attr[ORDER_COUNT] * s.parts * s.granule <= s.n;
    if (must_merge(d, x, (int)n->attr[ORDER_DIM], &s))
      fits = s.n / s.granule / s.parts * s.granule >= n->attr[ORDER_COUNT];
    return fits && rank_fits(x, &s) ? order_blocks(d, id, y, &s) : NO_NODE;
  case OP_slice: return slice_in_two(d, y, n, x);
  case OP_pick: /* of the same tensor, where order found it: it is among the candidates */
    if (d->best[n->operand[1]] == NO_NODE ||
        graph_operand(d->old, n, 1)->operand[0] != n->operand[0] ||
        graph_operand(d->old, n, 1)->attr[ORDER_DIM] != n->attr[0])
      return NO_NODE;
    return mk_pick(&d->b, d->best[n->operand[1]], d->chosen[n->operand[1]], (int)n->attr[0]);
  default: return NO_NODE;
  }
}

static NodeId copy(Distribute *d, NodeId id) {
  Node n = *graph_node(d->old, id);
  NodeId *x = arena_array(d->b.arena, NodeId, n.noperands + 1);
  for (int k = 0; k < n.noperands; k++) x[k] = d->map[n.operand[k]];
  n.operand = x;
  return graph_add(d->b.graph, &n);
}

static bool goes_along_dim(const Graph *g) {
  for (NodeId i = 0; i < g->nodes.n; i++) {
    Op op = graph_node(g, i)->op;
    if (op == OP_cumsum || op == OP_order || op == OP_argmax || op == OP_argmin || op == OP_slice)
      return true;
  }
  return false;
}

static bool rewrite(Plan *p, Entry *e) {
  int count = e->graph->nodes.n;
  bool any = false;
  if (!p->program->mesh.naxes || !goes_along_dim(e->graph)) return false;
  Distribute d = {.program = p->program, .old = e->graph};
  d.b = (Build){.arena = p->arena,
                .diag = p->program->diag,
                .graph = graph_new(p->arena, VIEW_GLOBAL, count)};
  d.map = arena_array(p->arena, NodeId, count + 1);
  d.best = arena_array(p->arena, NodeId, count + 1);
  d.chosen = arena_array(p->arena, NodeId, count + 1);
  for (NodeId i = 0; i < count; i++) {
    const Node *n = graph_node(e->graph, i);
    d.best[i] = d.chosen[i] = NO_NODE;
    d.b.span = n->span, d.b.site = n->site;
    NodeId y = replace(&d, i);
    any = any || y != NO_NODE;
    d.map[i] = y != NO_NODE ? y : copy(&d, i);
    Node *made = graph_node(d.b.graph, d.map[i]);
    if (y != NO_NODE) made->name = n->name, made->spec = n->spec, made->forbid = n->forbid, made->tag = n->tag;
  }
  if (!any) return false;
  for (int i = 0; i < e->inputs.n; i++) e->inputs.at[i].node = d.map[e->inputs.at[i].node];
  for (int i = 0; i < e->outputs.n; i++) e->outputs.at[i].node = d.map[e->outputs.at[i].node];
  for (int i = 0; i < e->assigns.n; i++) e->assigns.at[i].node = d.map[e->assigns.at[i].node];
  e->graph = d.b.graph;
  return true;
}

/* True when any was not. */
static bool mark_placed(Arena *a, Graph *g) {
  bool any = false;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    Node *n = graph_node(g, i);
    if (n->op != OP_cumsum && n->op != OP_order) continue;
    int64_t *attr = arena_copy(a, n->attr, sizeof *attr * (size_t)n->nattr);
    int64_t *placed = &attr[n->op == OP_cumsum ? SCAN_PLACED : ORDER_PLACED];
    any = any || !*placed;
    *placed = 1;
    n->attr = attr;
  }
  return any;
}

void distribute(Plan *p) {
  bool any = false;
  for (int i = 0; i < p->program->entries.n; i++) any |= rewrite(p, &p->program->entries.at[i]);
  if (any) {
    p->chosen = NULL;
    p->contests = NULL;
    simplify(p); /* candidates whose values nobody wants, say */
    propagate(p);
    contest(p);
  }
  for (int i = 0; i < p->program->entries.n; i++)
    if (mark_placed(p->arena, p->program->entries.at[i].graph))
      p->chosen = NULL; /* there, the dim could be cut */
}
