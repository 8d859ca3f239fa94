/* Ops that read indices from data. An index outside the dim stops the program with an error; it is
 * never clamped. Gathering along a split dim does not gather the table: each device looks up the
 * rows it owns, and the results are added. */
#include "scatters.h"

#define IN(i) (op_node(b, node)->operand[i])

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

static bool check_index(Build *b, NodeId index) {
  if (dtype_is_int(op_node(b, index)->dtype)) return true;
  op_fail(b, b->span, "indices must be integers, not %s", op_describe(b, index));
  return false;
}

/* attr: dim. Result: table dims before it, index dims, table dims after it. */
static bool infer_gather(Build *b, Node *n) {
  const Node *t = graph_operand(b->graph, n, 0), *x = graph_operand(b->graph, n, 1);
  int dim = (int)node_attr(n, "axis");
  if (!check_index(b, n->operand[1])) return false;
  if (t->shape.rank + x->shape.rank - 1 > MAX_RANK) {
    op_fail(b, b->span, "the result would have more than %d dims", MAX_RANK);
    return false;
  }
  n->dtype = t->dtype;
  for (int d = 0; d < dim; d++) n->shape.dim[n->shape.rank++] = t->shape.dim[d];
  for (int d = 0; d < x->shape.rank; d++) n->shape.dim[n->shape.rank++] = x->shape.dim[d];
  for (int d = dim + 1; d < t->shape.rank; d++) n->shape.dim[n->shape.rank++] = t->shape.dim[d];
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_gather(const Graph *g, const Node *n, Rule *r) {
  const Node *t = graph_operand(g, n, 0), *x = graph_operand(g, n, 1);
  int dim = (int)node_attr(n, "axis"), out = 0;
  for (int d = 0; d < dim; d++)
    r->result[out++] = r->operand[0][d] = one(rule_factor(r, t->shape.dim[d], FACTOR_PASS));
  r->operand[0][dim] = one(rule_factor(r, t->shape.dim[dim], FACTOR_REDUCE));
  for (int d = 0; d < x->shape.rank; d++)
    r->result[out++] = r->operand[1][d] = one(rule_factor(r, x->shape.dim[d], FACTOR_PASS));
  for (int d = dim + 1; d < t->shape.rank; d++)
    r->result[out++] = r->operand[0][d] = one(rule_factor(r, t->shape.dim[d], FACTOR_PASS));
}

static void grad_gather(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  int dim = (int)node_attr(op_node(b, node), "axis");
  dx[0] = mk_scatter(b, IN(1), dy, dim, op_node(b, IN(0))->shape.dim[dim]);
  dx[1] = NO_NODE;
}

static Arg call_gather(Build *b, const Arg *a) {
  NodeId t, x;
  int d;
  if (!arg_tensor(b, &a[0], "table", &t)) return arg_node(NO_NODE);
  if (!op_node(b, t)->shape.rank)
    return arg_node(op_fail(b, b->span, "a scalar has no dim to index"));
  if (!arg_dim(b, &a[2], "axis", op_node(b, t)->shape.rank, &d)) return arg_node(NO_NODE);
  x = build_tensor(b, &a[1], DT_I32);
  return arg_node(mk_gather(b, t, x, d));
}

static int64_t below_size(const Graph *g, const Node *n, int k) {
  return k == 1 ? graph_operand(g, n, 0)->shape.dim[node_attr(n, "axis")] : 0;
}

const OpDef op_gather = {.name = "gather",
                         .params = "table, index, axis=0",
                         .doc = "rows of `table` along one dim, picked by integers; an index "
                                "outside stops the program",
                         .example = "f32[6, 5] t, i32[4] i%6: gather(t, i)",
                         .call = call_gather,
                         .attr = {{"axis", ATTR_INT}},
                         .infer = infer_gather,
                         .rule = rule_gather,
                         .grad = grad_gather,
                         .lower = lower_gather,
                         .class = OPC_MOVE,
                         .flags = OPF_MOVES,
                         .linear = 1,
                         .passes = 1,
                         .by_index = 1,
                         .rows = true,
                         .in_memory = 1,
                         .below = below_size,
                         .distribute = distribute_rows};

const OpDef op_take = {.name = "take",
                       .params = "table, index, axis=0",
                       .doc = "gather, by NumPy's name",
                       .example = "f32[6, 5] t, i32[4] i%5: take(t, i, axis=1)",
                       .call = call_gather,
                       .flags = OPF_COMPLEX};

/* attr: dim, its size. Operands: index, updates. The result is zero where nothing is added. */
bool infer_scatter(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *u = graph_operand(b->graph, n, 1);
  int dim = (int)node_attr(n, "axis"), ri = x->shape.rank;
  if (!check_index(b, n->operand[0])) return false;
  bool fits = u->shape.rank >= ri + dim && u->dtype != DT_BOOL;
  for (int d = 0; fits && d < ri; d++) fits = u->shape.dim[dim + d] == x->shape.dim[d];
  if (!fits) {
    op_fail(b, b->span, "updates %s do not match indices %s along dim %d",
            op_describe(b, n->operand[1]), op_describe(b, n->operand[0]), dim);
    return false;
  }
  n->dtype = u->dtype;
  for (int d = 0; d < dim; d++) n->shape.dim[n->shape.rank++] = u->shape.dim[d];
  n->shape.dim[n->shape.rank++] = node_attr(n, "size");
  for (int d = dim + ri; d < u->shape.rank; d++) n->shape.dim[n->shape.rank++] = u->shape.dim[d];
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

void rule_scatter(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0), *u = graph_operand(g, n, 1);
  int dim = (int)node_attr(n, "axis"), ri = x->shape.rank, out = 0;
  for (int d = 0; d < dim; d++)
    r->result[out++] = r->operand[1][d] = one(rule_factor(r, u->shape.dim[d], FACTOR_PASS));
  r->result[out++] = one(rule_factor(r, node_attr(n, "size"), FACTOR_NEW));
  for (int d = 0; d < ri; d++)
    r->operand[0][d] = r->operand[1][dim + d] = one(rule_factor(r, x->shape.dim[d], FACTOR_REDUCE));
  for (int d = dim + ri; d < u->shape.rank; d++)
    r->result[out++] = r->operand[1][d] = one(rule_factor(r, u->shape.dim[d], FACTOR_PASS));
}

static void grad_scatter(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = NO_NODE;
  dx[1] = mk_gather(b, dy, IN(0), (int)node_attr(op_node(b, node), "axis"));
}

/* All rows may go to one. */
static double addends(const Graph *g, const Node *n) {
  return shape_size(&graph_operand(g, n, 0)->shape);
}

static int64_t below_rows(const Graph *g, const Node *n, int k) {
  (void)g;
  return k == 0 ? node_attr(n, "size") : 0;
}

const OpDef op_scatter_add = {
    .name = "scatter_add",
    .params = "base, index, updates, axis=0",
    .doc = "base with `updates` added to the rows that `index` names; equal indices add up",
    .example = "f32[6, 5] t, i32[4] i%6, f32[4, 5] u: scatter_add(t, i, u)",
    .call = call_scatter_add,
    .attr = {{"axis", ATTR_INT}, {"size", ATTR_INT}},
    .infer = infer_scatter,
    .rule = rule_scatter,
    .grad = grad_scatter,
    .class = OPC_ADD_ROWS,
    .flags = OPF_SUMS,
    .linear = 2,
    .addends = addends,
    .below = below_rows,
    .flops = 1,
    .rounding = 1};

/* -------- iota, one_hot -------- */

/* attr: dtype, dim, sizes. */
static bool infer_iota(Build *b, Node *n) {
  n->dtype = (DType)n->attr[0];
  n->shape.rank = n->nattr - 2;
  memcpy(n->shape.dim, n->attr + 2, sizeof *n->attr * (size_t)n->shape.rank);
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_iota(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++)
    r->result[d] = one(rule_factor(r, n->shape.dim[d], FACTOR_NEW));
}

static Arg call_iota(Build *b, const Arg *a) {
  Shape s;
  int d = 0;
  DType t;
  if (!arg_shape(b, &a[0], "shape", &s) || !arg_dtype(b, &a[2], "dtype", &t))
    return arg_node(NO_NODE);
  if (!s.rank) return arg_node(op_fail(b, b->span, "a scalar has no index"));
  if (t == DT_BOOL) return arg_node(op_fail(b, b->span, "indices are numbers, not bool"));
  if (!arg_dim(b, &a[1], "axis", s.rank, &d)) return arg_node(NO_NODE);
  return arg_node(mk_iota(b, t, &s, d));
}

const OpDef op_iota = {.name = "iota",
                       .params = "shape, axis=0, dtype=i32",
                       .doc = "each element's own index along one dim; iota(5) is 0 1 2 3 4",
                       .example = "f32[4, 6] x: x + f32(iota([4, 6], axis=1))",
                       .call = call_iota,
                       .attr = {{"dtype", ATTR_DTYPE}, {"axis", ATTR_INT}, {"shape", ATTR_SHAPE}},
                       .infer = infer_iota,
                       .rule = rule_iota,
                       .no_grad = "it has no operand",
                       .lower = lower_iota,
                       .class = OPC_INDEX,
                       .flags = OPF_FREE};

/* A type that the label is cut to before it is compared would take 2^32 + 1 for 1. */
NodeId mk_class(Build *b, NodeId label, int64_t classes) {
  if (label == NO_NODE) return NO_NODE;
  if (classes > INT32_MAX)
    return op_fail(b, b->span, "%ld classes are more than i32 can index", (long)classes);
  const DType t = op_node(b, label)->dtype;
  if (t == DT_U32 || t == DT_U64) label = build_cast(b, label, DT_I64);
  if (op_node(b, label)->dtype != DT_I64) return build_cast(b, label, DT_I32);
  Shape s = op_node(b, label)->shape;
  NodeId above = mk2(b, &op_ge, label, mk_number(b, label, 0));
  NodeId below = mk2(b, &op_lt, label, mk_whole(b, DT_I64, &s, classes));
  NodeId inside = mk2(b, &op_and, above, below);
  return build_cast(b, mk_select(b, inside, label, mk_number(b, label, -1)), DT_I32);
}

static Arg call_one_hot(Build *b, const Arg *a) {
  NodeId x;
  int64_t n;
  DType t;
  if (!arg_tensor(b, &a[0], "index", &x) || !arg_int(b, &a[1], "size", &n) ||
      !arg_dtype(b, &a[2], "dtype", &t) || !check_index(b, x))
    return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape;
  if (s.rank == MAX_RANK)
    return arg_node(op_fail(b, b->span, "a tensor has at most %d dims", MAX_RANK));
  if (n < 0) return arg_node(op_fail(b, a[1].span, "a size cannot be negative: %ld", (long)n));
  s.dim[s.rank++] = n;
  NodeId i = mk_unreduce(b, mk_class(b, x, n), &s, 1u << (s.rank - 1));
  if (i == NO_NODE) return arg_node(NO_NODE);
  return arg_node(build_cast(b, mk2(b, &op_eq, i, mk_iota(b, DT_I32, &s, s.rank - 1)), t));
}

const OpDef op_one_hot = {.name = "one_hot",
                          .params = "index, size, dtype=f32",
                          .doc = "a new last dim of `size` that is 1 at the index and 0 elsewhere; "
                                 "all 0 for an index outside",
                          .example = "i32[4] i%6: one_hot(i, 6)",
                          .call = call_one_hot};
