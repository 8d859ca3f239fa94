/* Sorting and picking along a dim. `order` computes the indices of the sorted elements and
 * `take_along_axis` fetches them, so that values and indices agree and the gradient is that of
 * fetching. The order is total: equal elements are ordered by index, and NaN is the largest, so
 * that top_k(x, 1) and argmax agree. */
#include "blocks.h"
#include "scan.h"

#define IN(i) (op_node(b, node)->operand[i])

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

/* -------- order -------- */

static bool infer_order(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  int dim = (int)node_attr(n, "axis");
  if (x->dtype == DT_BOOL) {
    op_fail(b, b->span, "takes numbers, not bool");
    return false;
  }
  if (x->shape.dim[dim] > INT32_MAX) {
    op_fail(b, b->span, "dim %d of %s has more elements than i32 can index", dim,
            op_describe(b, n->operand[0]));
    return false;
  }
  n->dtype = DT_I32;
  n->shape = x->shape;
  n->shape.dim[dim] = node_attr(n, "count");
  return true;
}

/* Until `distribute` has been there a cut of the sorted dim passes to the result, as for cumsum. */
static void rule_order(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  for (int d = 0; d < n->shape.rank; d++) {
    int64_t size = x->shape.dim[d], count = n->shape.dim[d];
    bool passes = d != node_attr(n, "axis") || (!node_attr(n, "placed") && count == size);
    int f = rule_factor(r, size, passes ? FACTOR_PASS : FACTOR_WHOLE);
    r->operand[0][d] = r->result[d] = one(f);
    if (count != size) r->result[d] = one(rule_factor(r, count, FACTOR_WHOLE));
  }
}

/* What comes after everything in the order. */
static void last_value(DType t, bool descending, double *v, int64_t *w) {
  *w = 0;
  *v = descending ? -INFINITY : NAN;
  if (!dtype_is_int(t)) return;
  *w = descending ? dtype_least(t) : dtype_top(t);
  *v = (double)*w;
}

/* Every block has at least `count` elements, so that no candidate is one that only fills up: it is
 * no better than any other element of its row, and stands behind all. */
static NodeId order_blocks(Distribute *d, NodeId old, NodeId x, const Split *s) {
  Build *b = &d->b;
  Node n = *graph_node(d->old, old);
  int dim = (int)node_attr(&n, "axis");
  int64_t count = node_attr(&n, "count"), whole;
  bool descending = node_attr(&n, "descending");
  double fill;
  last_value(graph_node(b->graph, x)->dtype, descending, &fill, &whole);
  NodeId rows = split_deal(b, x, dim, s, fill, whole);
  NodeId at = mk_order(b, rows, dim + 1, count, descending, true);
  NodeId value = mk_pick(b, rows, at, dim + 1);
  Shape shape = graph_node(b->graph, at)->shape;
  NodeId index = mk2(b, &op_add, at, split_row_begin(b, &shape, dim, s));
  Shape flat = shape_with(&shape, dim, 2, 1, (int64_t[]){s->parts * count});
  d->best[old] = mk_reshape(b, value, &flat);
  d->chosen[old] = mk_order(b, d->best[old], dim, count, descending, true);
  return mk_pick(b, mk_reshape(b, index, &flat), d->chosen[old], dim);
}

static NodeId distribute_order(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  const int dim = (int)node_attr(n, "axis");
  const int64_t count = node_attr(n, "count");
  Split s;
  if (node_attr(n, "placed") || !split_of(d, x, dim, &s)) return NO_NODE;
  /* Values and indices of the candidates of k blocks. */
  bool fits = 2 * count * s.parts * s.granule <= s.n;
  if (split_must_merge(d, x, dim, &s)) fits = s.n / s.granule / s.parts * s.granule >= count;
  return fits && split_rank_fits(x, &s) ? order_blocks(d, id, y, &s) : NO_NODE;
}

const OpDef op_order = {.name = "order",
                        .doc =
                            "the indices that sort a dim; sort, argsort and top_k are made of it",
                        .class = OPC_SORT,
                        .attr = {{"axis", ATTR_INT},
                                 {"placed", ATTR_BOOL},
                                 {"count", ATTR_INT},
                                 {"descending", ATTR_BOOL}},
                        .infer = infer_order,
                        .rule = rule_order,
                        .no_grad = "its result is an integer",
                        .flops = 20,
                        .distribute = distribute_order};

NodeId mk_order(Build *b, NodeId x, int dim, int64_t count, bool descending, bool placed) {
  return build_node(b, &op_order, 1, &x, ORDER_ATTRS,
                    (int64_t[]){[ORDER_DIM] = dim,
                                [ORDER_COUNT] = count,
                                [ORDER_DESCENDING] = descending,
                                [ORDER_PLACED] = placed},
                    0);
}

/* -------- take_along_axis -------- */

static bool check_index(Build *b, NodeId x, NodeId index, int dim) {
  const Shape *s = &op_node(b, x)->shape, *t = &op_node(b, index)->shape;
  if (!dtype_is_int(op_node(b, index)->dtype)) {
    op_fail(b, b->span, "indices must be integers, not %s", op_describe(b, index));
    return false;
  }
  bool fits = s->rank == t->rank;
  for (int d = 0; fits && d < s->rank; d++) fits = d == dim || s->dim[d] == t->dim[d];
  if (fits) return true;
  op_fail(b, b->span, "%s and the indices %s may differ in dim %d only", op_describe(b, x),
          op_describe(b, index), dim);
  op_declared(b, 2, (NodeId[]){x, index});
  return false;
}

/* attr: dim */
static bool infer_pick(Build *b, Node *n) {
  if (!check_index(b, n->operand[0], n->operand[1], (int)node_attr(n, "axis"))) return false;
  n->dtype = graph_operand(b->graph, n, 0)->dtype;
  n->shape = graph_operand(b->graph, n, 1)->shape;
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

/* A cut of the dim that is picked from costs no gather of x: each device looks up what it owns, and
 * the results are added, as for `gather`. */
static void rule_pick(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  for (int d = 0; d < n->shape.rank; d++) {
    r->result[d] = r->operand[0][d] = r->operand[1][d] =
        one(rule_factor(r, n->shape.dim[d], FACTOR_PASS));
    if (d == node_attr(n, "axis"))
      r->operand[0][d] = one(rule_factor(r, x->shape.dim[d], FACTOR_REDUCE));
  }
}

static void grad_pick(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  int64_t dim = node_attr(op_node(b, node), "axis"), size = op_node(b, IN(0))->shape.dim[dim];
  DType t = op_node(b, dy)->dtype;
  if (dtype_is_half(t)) dy = build_cast(b, dy, DT_F32);
  dx[0] = build_node(b, &op_unpick, 2, (NodeId[]){IN(1), dy}, 2, (int64_t[]){dim, size}, 0);
  dx[0] = build_cast(b, dx[0], t);
  dx[1] = NO_NODE;
}

NodeId mk_pick(Build *b, NodeId x, NodeId index, int dim) {
  return build_node(b, &op_pick, 2, (NodeId[]){x, index}, 1, (int64_t[]){dim}, 0);
}

/* The tensor and the dim of a call; a scalar has none. */
static bool dim_args(Build *b, const Arg *x, const Arg *axis, NodeId *out, int *dim) {
  if (!arg_tensor(b, x, "x", out)) return false;
  int rank = op_node(b, *out)->shape.rank;
  if (rank) return arg_dim(b, axis, "axis", rank, dim);
  op_fail(b, b->span, "a scalar has no dim to sort or to pick from");
  return false;
}

static Arg call_pick(Build *b, const Arg *a) {
  NodeId x, index;
  int d;
  if (!dim_args(b, &a[0], &a[2], &x, &d) || !arg_tensor(b, &a[1], "index", &index))
    return arg_node(NO_NODE);
  return arg_node(mk_pick(b, x, index, d));
}

static int64_t below_size(const Graph *g, const Node *n, int k) {
  return k == 1 ? graph_operand(g, n, 0)->shape.dim[node_attr(n, "axis")] : 0;
}

/* From the tensor where `order` found it: it is among the candidates. */
static NodeId distribute_pick(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *at = graph_operand(d->old, n, 1);
  const NodeId order = n->operand[1], rows = distribute_rows(d, id, y);
  if (rows != NO_NODE) return rows;
  if (d->best[order] == NO_NODE || at->operand[0] != n->operand[0] ||
      node_attr(at, "axis") != node_attr(n, "axis"))
    return NO_NODE;
  return mk_pick(&d->b, d->best[order], d->chosen[order], (int)node_attr(n, "axis"));
}

const OpDef op_pick = {
    .name = "take_along_axis",
    .params = "x, index, axis=-1",
    .doc = "for each place of `index` the element of x on the same line along one dim; an index "
           "outside stops the program",
    .example = "f32[4, 6] x, i32[4, 3] i%6: take_along_axis(x, i)",
    .call = call_pick,
    .attr = {{"axis", ATTR_INT}},
    .infer = infer_pick,
    .rule = rule_pick,
    .grad = grad_pick,
    .lower = lower_pick,
    .class = OPC_MOVE,
    .flags = OPF_MOVES,
    .linear = 1,
    .passes = 1,
    .by_index = 1,
    .below = below_size,
    .distribute = distribute_pick};

/* attr: dim, its size. Operands: index, updates. The result is zero where nothing is added. */
bool infer_unpick(Build *b, Node *n) {
  const Node *dy = graph_operand(b->graph, n, 1);
  if (!check_index(b, n->operand[1], n->operand[0], -1)) return false;
  n->dtype = dy->dtype;
  n->shape = dy->shape;
  n->shape.dim[node_attr(n, "axis")] = node_attr(n, "size");
  return true;
}

void rule_unpick(const Graph *g, const Node *n, Rule *r) {
  const Node *dy = graph_operand(g, n, 1);
  for (int d = 0; d < n->shape.rank; d++) {
    bool along = d == node_attr(n, "axis");
    int f = rule_factor(r, dy->shape.dim[d], along ? FACTOR_REDUCE : FACTOR_PASS);
    r->result[d] = r->operand[0][d] = r->operand[1][d] = one(f);
    if (along) r->result[d] = one(rule_factor(r, n->shape.dim[d], FACTOR_NEW));
  }
}

static void grad_unpick(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = NO_NODE;
  dx[1] = mk_pick(b, dy, IN(0), (int)node_attr(op_node(b, node), "axis"));
}

const OpDef op_unpick = {.name = "unpick",
                         .doc = "take_along_axis's gradient: adds where an index points",
                         .attr = {{"axis", ATTR_INT}, {"size", ATTR_INT}},
                         .infer = infer_unpick,
                         .rule = rule_unpick,
                         .grad = grad_unpick,
                         .class = OPC_ADD_EACH,
                         .flags = OPF_SUMS,
                         .linear = 2,
                         .flops = 1,
                         .rounding = 1};

/* -------- sort, argsort, top_k -------- */

static NodeId order_all(Build *b, const Arg *a, NodeId *x, int *d) {
  bool descending;
  if (!dim_args(b, &a[0], &a[1], x, d) || !arg_bool(b, &a[2], "descending", &descending))
    return NO_NODE;
  return mk_order(b, *x, *d, op_node(b, *x)->shape.dim[*d], descending, false);
}

static Arg call_argsort(Build *b, const Arg *a) {
  NodeId x;
  int d;
  return arg_node(order_all(b, a, &x, &d));
}

static Arg call_sort(Build *b, const Arg *a) {
  NodeId x;
  int d;
  NodeId at = order_all(b, a, &x, &d);
  return arg_node(at == NO_NODE ? NO_NODE : mk_pick(b, x, at, d));
}

#define PARAMS "x, axis=-1, descending=false"
const OpDef op_sort = {.name = "sort",
                       .params = PARAMS,
                       .doc = "the elements of each line along one dim in rising (or descending) "
                              "order; NaN sorts last, as the largest",
                       .example = "f32[4, 6] x: sort(x)",
                       .call = call_sort};
const OpDef op_argsort = {.name = "argsort",
                          .params = PARAMS,
                          .doc =
                              "the indices (i32) that sort each line along one dim; a stable sort",
                          .example = "f32[4, 6] x: argsort(x, axis=0)",
                          .call = call_argsort};

static Arg call_top_k(Build *b, const Arg *a) {
  NodeId x;
  int d;
  int64_t k;
  if (!dim_args(b, &a[0], &a[2], &x, &d) || !arg_int(b, &a[1], "k", &k)) return arg_node(NO_NODE);
  int64_t n = op_node(b, x)->shape.dim[d];
  if (n == 0) return arg_node(op_fail(b, b->span, "dim %d of %s is empty", d, op_describe(b, x)));
  if (k < 1 || k > n)
    return arg_node(op_fail(b, a[1].span,
                            "`k` must be from 1 to %ld, the size of dim %d of %s, but "
                            "it is %ld",
                            (long)n, d, op_describe(b, x), (long)k));
  NodeId at = mk_order(b, x, d, k, true, false);
  if (at == NO_NODE) return arg_node(NO_NODE);
  Arg both = {.kind = ARG_LIST, .n = 2, .at = arena_array(b->arena, Arg, 2)};
  both.at[0] = arg_node(mk_pick(b, x, at, d));
  both.at[1] = arg_node(at);
  return both;
}

const OpDef op_top_k = {
    .name = "top_k",
    .params = "x, k, axis=-1",
    .doc = "the k largest of each line along one dim, the largest first, and their indices (i32): "
           "`values, indices = top_k(x, 3)`",
    .example = "f32[4, 6] x: top_k(x, 3)[0]",
    .call = call_top_k};
