/* Running sums along a dim, and the two ops for working within the blocks of a split dim: `deal`
 * stacks the k blocks of a dim as rows, and `undeal` concatenates them again. Row i has the
 * elements that the block law (ir/layout.h) gives device i of k, so `deal` and `undeal` of a dim
 * split k ways move no element. */
#include "blocks.h"
#include "scan.h"
#include <stdio.h>
#include <stdlib.h>

#define IN(i) (op_node(b, node)->operand[i])

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

/* -------- cumsum -------- */

/* attr: see scan.h */
static bool infer_cumsum(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (x->dtype == DT_BOOL) {
    op_fail(b, b->span, "takes numbers: cast with f32(...) or i32(...)");
    return false;
  }
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

/* Until `distribute` has said how it runs, a cut of the summed dim passes to the result, so that
 * propagate lays both alike; from then on the dim must be whole. */
static void rule_cumsum(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) {
    bool whole = d == node_attr(n, "axis") && node_attr(n, "placed");
    int f = rule_factor(r, n->shape.dim[d], whole ? FACTOR_WHOLE : FACTOR_PASS);
    r->operand[0][d] = r->result[d] = one(f);
  }
}

static NodeId mk_cumsum(Build *b, NodeId x, int dim, bool reverse, bool exclusive, bool placed) {
  return build_node(b, &op_cumsum, 1, &x, SCAN_ATTRS,
                    (int64_t[]){[SCAN_DIM] = dim,
                                [SCAN_REVERSE] = reverse,
                                [SCAN_EXCLUSIVE] = exclusive,
                                [SCAN_PLACED] = placed},
                    0);
}

/* y[i] sums x[j] for j <= i, so x[j] goes into y[i] for i >= j. */
static void grad_cumsum(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  dx[0] = mk_cumsum(b, dy, (int)node_attr(n, "axis"), !node_attr(n, "reverse"),
                    node_attr(n, "exclusive") != 0, false);
}

static Arg call_cumsum(Build *b, const Arg *a) {
  NodeId x;
  int d = 0;
  bool reverse, exclusive;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  int rank = op_node(b, x)->shape.rank;
  if (!rank) return arg_node(op_fail(b, b->span, "a scalar has no dim to sum along"));
  if (a[1].kind == ARG_NONE && rank > 1)
    return arg_node(op_fail(b, b->span, "give the dim to sum along, as axis=1"));
  if ((a[1].kind != ARG_NONE && !arg_dim(b, &a[1], "axis", rank, &d)) ||
      !arg_bool(b, &a[2], "reverse", &reverse) || !arg_bool(b, &a[3], "exclusive", &exclusive))
    return arg_node(NO_NODE);
  DType t = op_node(b, x)->dtype;
  if (!op_computes_in(b, t)) return arg_node(NO_NODE);
  bool half = dtype_is_half(t);
  if (half) x = build_cast(b, x, DT_F32);
  x = t == DT_BOOL ? build_cast(b, x, DT_I32) : mk_wide_integer(b, x);
  NodeId y = mk_cumsum(b, x, d, reverse, exclusive, false);
  return arg_node(half ? build_cast(b, y, t) : y);
}

static double addends(const Graph *g, const Node *n) {
  (void)g;
  return (double)n->shape.dim[node_attr(n, "axis")];
}

static NodeId scan_blocks(Build *b, NodeId x, const Node *n, const Split *s) {
  int dim = (int)node_attr(n, "axis");
  bool reverse = node_attr(n, "reverse"), exclusive = node_attr(n, "exclusive");
  NodeId rows = split_deal(b, x, dim, s, 0, 0);
  NodeId sums = mk_cumsum(b, rows, dim + 1, reverse, exclusive, true);
  Shape all = graph_node(b->graph, sums)->shape;
  int64_t last = reverse ? 0 : all.dim[dim + 1] - 1;
  NodeId total = split_element(b, sums, dim + 1, last);
  if (exclusive) total = mk2(b, &op_add, total, split_element(b, rows, dim + 1, last));
  NodeId before = mk_cumsum(b, total, dim, reverse, true, true);
  return split_undeal(b, mk2(b, &op_add, sums, mk_unreduce(b, before, &all, 1u << (dim + 1))), dim,
                      s);
}

static NodeId distribute_cumsum(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  Split s;
  if (node_attr(n, "placed") || !split_of(d, x, (int)node_attr(n, "axis"), &s)) return NO_NODE;
  /* An element a block moves, where else the dim would. */
  return s.n / s.granule > s.parts && split_rank_fits(x, &s) ? scan_blocks(&d->b, y, n, &s)
                                                             : NO_NODE;
}

const OpDef op_cumsum = {
    .name = "cumsum",
    .params = "x, axis=none, reverse=false, exclusive=false",
    .doc = "running sums along one dim; from the end with reverse, without the element itself with "
           "exclusive. Of integers of 8 and 16 bits they are i64, of bool i32",
    .example = "f32[4, 6] x: cumsum(x, axis=1)",
    .call = call_cumsum,
    .attr = {{"axis", ATTR_INT},
             {"placed", ATTR_BOOL},
             {"reverse", ATTR_BOOL},
             {"exclusive", ATTR_BOOL}},
    .infer = infer_cumsum,
    .rule = rule_cumsum,
    .grad = grad_cumsum,
    .class = OPC_SCAN,
    .flags = OPF_SUMS,
    .linear = 1,
    .addends = addends,
    .flops = 1,
    .rounding = 1,
    .distribute = distribute_cumsum};

/* -------- deal, undeal -------- */

static const char LATE[] = "it is made after gradients have been taken";

/* attr: dim, k; value: what fills the rows that are one element shorter than the longest. */
static bool infer_deal(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  int dim = (int)node_attr(n, "axis");
  int64_t k = node_attr(n, "parts");
  n->dtype = x->dtype;
  for (int d = 0; d < x->shape.rank; d++) {
    if (d == dim) n->shape.dim[n->shape.rank++] = k;
    n->shape.dim[n->shape.rank++] = d == dim ? (x->shape.dim[d] + k - 1) / k : x->shape.dim[d];
  }
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

/* Rows [lo, hi) of k are the elements [floor(lo*n/k), floor(hi*n/k)) of n. */
static void rule_deal(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  int dim = (int)node_attr(n, "axis");
  int64_t k = node_attr(n, "parts"), size = x->shape.dim[dim];
  for (int d = 0; d < n->shape.rank; d++) {
    FactorKind kind = d == dim ? FACTOR_SHIFT : d == dim + 1 ? FACTOR_WHOLE : FACTOR_PASS;
    r->result[d] = one(rule_factor(r, n->shape.dim[d], kind));
    if (d != dim + 1) r->operand[0][d > dim ? d - 1 : d] = r->result[d];
  }
  r->operand[0][dim].window = (Window){k, size, k, 1 - k, size - k, 0};
  if (n->value != 0 || n->whole != 0) r->linear_in = 0;
}

const OpDef op_deal = {.name = "deal",
                       .doc = "the blocks of a dim as rows",
                       .attr = {{"axis", ATTR_INT}, {"parts", ATTR_INT}},
                       .infer = infer_deal,
                       .rule = rule_deal,
                       .no_grad = LATE,
                       .lower = lower_deal,
                       .class = OPC_MOVE,
                       .flags = OPF_MOVES,
                       .passes = 1,
                       .linear = 1};

NodeId mk_deal(Build *b, NodeId x, int dim, int64_t k, double fill, int64_t whole) {
  if (x == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape;
  if (s.dim[dim] % k) {
    NodeId y = build_node(b, &op_deal, 1, &x, 2, (int64_t[]){dim, k}, fill);
    if (y != NO_NODE) graph_node(b->graph, y)->whole = whole;
    return y;
  }
  Shape t = {.rank = s.rank + 1};
  for (int d = 0; d < t.rank; d++)
    t.dim[d] = d < dim ? s.dim[d] : d == dim ? k : d == dim + 1 ? s.dim[dim] / k : s.dim[d - 1];
  return mk_reshape(b, x, &t);
}

/* attr: dim, its size n. */
static bool infer_undeal(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  int dim = (int)node_attr(n, "axis");
  n->dtype = x->dtype;
  for (int d = 0; d < x->shape.rank; d++)
    if (d != dim + 1)
      n->shape.dim[n->shape.rank++] = d == dim ? node_attr(n, "size") : x->shape.dim[d];
  return true;
}

/* Elements [lo, hi) of n are in the rows from that of lo to that of hi-1; element e is in row
 * floor(((e+1)*k - 1) / n). */
static void rule_undeal(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  int dim = (int)node_attr(n, "axis");
  int64_t size = node_attr(n, "size"), k = x->shape.dim[dim];
  for (int d = 0; d < n->shape.rank; d++) {
    r->result[d] = one(rule_factor(r, n->shape.dim[d], d == dim ? FACTOR_SHIFT : FACTOR_PASS));
    r->operand[0][d > dim ? d + 1 : d] = r->result[d];
  }
  r->operand[0][dim].window = (Window){size, k, size, k - size, k - 1, 0};
  r->operand[0][dim + 1] = one(rule_factor(r, x->shape.dim[dim + 1], FACTOR_WHOLE));
}

const OpDef op_undeal = {.name = "undeal",
                         .doc = "the rows of deal end to end",
                         .attr = {{"axis", ATTR_INT}, {"size", ATTR_INT}},
                         .infer = infer_undeal,
                         .rule = rule_undeal,
                         .no_grad = LATE,
                         .lower = lower_undeal,
                         .class = OPC_MOVE,
                         .flags = OPF_MOVES,
                         .passes = 1,
                         .linear = 1};

NodeId mk_undeal(Build *b, NodeId x, int dim, int64_t n) {
  if (x == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape, t = {.rank = s.rank - 1};
  if (s.dim[dim] * s.dim[dim + 1] != n)
    return build_node(b, &op_undeal, 1, &x, 2, (int64_t[]){dim, n}, 0);
  for (int d = 0; d < t.rank; d++) t.dim[d] = d < dim ? s.dim[d] : d == dim ? n : s.dim[d + 1];
  return mk_reshape(b, x, &t);
}

void scan_need_placed(const Node *n) {
  if (node_attr(n, "placed")) return;
  fprintf(stderr, "dtgc: bug: %s was not placed by the pass distribute\n", n->op->name);
  abort();
}
