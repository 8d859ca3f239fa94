/* Sum, min, max and similar reductions over dims, and functions composed of them: softmax and
 * cross entropies. The primitives drop the reduced dims; attribute 0 is the set of dims (argmax,
 * argmin: the dim). A split reduced dim gives a partial result, so a split class dim costs small
 * all-reduces only. */
#include "blocks.h"
#include "scatters.h"
#include <string.h>

static bool infer_dims(Build *b, Node *n, bool numbers, bool booleans) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (x->dtype == DT_BOOL ? !booleans : !numbers) {
    op_fail(b, b->span, "takes %s, not %s",
            numbers ? "numbers: cast with f32(...) or i32(...)" : "bool tensors",
            op_describe(b, n->operand[0]));
    return false;
  }
  n->dtype = x->dtype;
  for (int d = 0; d < x->shape.rank; d++)
    if (!(node_attr(n, "axis") & 1 << d)) n->shape.dim[n->shape.rank++] = x->shape.dim[d];
  return true;
}

static bool infer_numbers(Build *b, Node *n) { return infer_dims(b, n, true, false); }
static bool infer_bools(Build *b, Node *n) { return infer_dims(b, n, false, true); }

static bool infer_extreme(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  for (int d = 0; d < x->shape.rank; d++)
    if (node_attr(n, "axis") & 1 << d && x->shape.dim[d] == 0) {
      op_fail(b, b->span, "dim %d of %s is empty", d, op_describe(b, n->operand[0]));
      return false;
    }
  return infer_numbers(b, n);
}

static void rule_dims(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  int out = 0;
  for (int d = 0; d < x->shape.rank; d++) {
    bool gone = node_attr(n, "axis") & 1 << d;
    int f = rule_factor(r, x->shape.dim[d], gone ? FACTOR_REDUCE : FACTOR_PASS);
    r->operand[0][d] = (RuleDim){.n = 1, .factor = {(int8_t)f}};
    if (!gone) r->result[out++] = r->operand[0][d];
  }
}

#define IN(i) (op_node(b, node)->operand[i])

static double addends(const Graph *g, const Node *n) {
  return fmax(1, shape_size(&graph_operand(g, n, 0)->shape) / shape_size(&n->shape));
}

static NodeId spread(Build *b, NodeId node, NodeId dy) {
  Shape s = op_node(b, IN(0))->shape;
  return mk_unreduce(b, dy, &s, (uint32_t)node_attr(op_node(b, node), "axis"));
}

static void grad_sum(Build *b, NodeId node, NodeId dy, NodeId *dx) { dx[0] = spread(b, node, dy); }

/* Equal extremes share the gradient. */
static void grad_extreme(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  NodeId x = IN(0), at = mk2(b, &op_eq, x, spread(b, node, mk_again(b, node)));
  NodeId one = build_cast(b, at, op_node(b, x)->dtype);
  NodeId count = mk_reduce(b, &op_sum, one, (uint32_t)node_attr(op_node(b, node), "axis"), false);
  dx[0] = mk_select(b, at, spread(b, node, mk2(b, &op_div, dy, count)), mk_number(b, x, 0));
}

/* The product of the others, written so that its own derivatives are right where elements are 0
 * too: with c zeros among the others it is the product of what is not 0, times the product of those
 * c zeros, which is the c-th elementary symmetric polynomial of the zeros (of three and more taken
 * for a flat 0, which the fourth derivative would notice). */
NodeId product_of_others(Build *b, NodeId x, NodeId (*total)(void *user, Reduce how, NodeId x),
                         void *user) {
  NodeId zero = mk_number(b, x, 0), one = mk_number(b, x, 1), two = mk_number(b, x, 2);
  NodeId is_zero = mk2(b, &op_eq, x, zero);
  NodeId safe = mk_select(b, is_zero, one, x), z = mk_select(b, is_zero, x, zero);
  NodeId product = total(user, RED_PROD, safe);
  NodeId square = mk2(b, &op_mul, z, z), count = mk_select(b, is_zero, one, zero);
  NodeId others[3], of[3] = {count, z, square};
  for (int i = 0; i < 3; i++) others[i] = mk2(b, &op_sub, total(user, RED_SUM, of[i]), of[i]);
  NodeId pairs =
      mk_scale(b, mk2(b, &op_sub, mk2(b, &op_mul, others[1], others[1]), others[2]), 0.5);
  NodeId zeros = mk_select(b, mk2(b, &op_eq, others[0], two), pairs, zero);
  zeros = mk_select(b, mk2(b, &op_eq, others[0], one), others[1], zeros);
  zeros = mk_select(b, mk2(b, &op_eq, others[0], zero), one, zeros);
  return mk2(b, &op_mul, mk2(b, &op_div, product, safe), zeros);
}

typedef struct Reduced {
  Build *b;
  NodeId node;
} Reduced;

static NodeId in_total(void *user, Reduce how, NodeId x) {
  const Reduced *r = user;
  const uint32_t dims = (uint32_t)node_attr(op_node(r->b, r->node), "axis");
  return spread(r->b, r->node,
                mk_reduce(r->b, how == RED_PROD ? &op_prod : &op_sum, x, dims, false));
}

static void grad_prod(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = mk2(b, &op_mul, spread(b, node, dy),
              product_of_others(b, IN(0), in_total, &(Reduced){b, node}));
}

static bool is_half(const Build *b, NodeId x) {
  DType t = op_node(b, x)->dtype;
  return dtype_is_half(t);
}

/* The shared call: (x, axis=none, keepdims=false). */
static Arg reduce_call(Build *b, Op op, const Arg *a) {
  NodeId x;
  uint32_t dims;
  bool keep;
  if (!arg_tensor(b, &a[0], "x", &x) ||
      !arg_dims(b, &a[1], "axis", op_node(b, x)->shape.rank, &dims) ||
      !arg_bool(b, &a[2], "keepdims", &keep))
    return arg_node(NO_NODE);
  return arg_node(mk_reduce(b, op, x, dims, keep));
}

NodeId mk_wide_integer(Build *b, NodeId x) {
  if (x == NO_NODE) return NO_NODE;
  DType t = op_node(b, x)->dtype;
  return dtype_is_int(t) && dtype_size(t) <= 2 ? build_cast(b, x, DT_I64) : x;
}

static Arg wide_argument(Build *b, const Arg *a) {
  Arg x = *a;
  if (x.kind == ARG_TENSOR) x.node = mk_wide_integer(b, x.node);
  return x;
}

static Arg call_sum(Build *b, const Arg *a) {
  Arg x = wide_argument(b, &a[0]);
  if (x.kind == ARG_TENSOR && x.node != NO_NODE && op_node(b, x.node)->dtype == DT_BOOL)
    x.node = build_cast(b, x.node, DT_I32);
  return reduce_call(b, &op_sum, (Arg[]){x, a[1], a[2]});
}
static Arg call_reduce_max(Build *b, const Arg *a) { return reduce_call(b, &op_reduce_max, a); }
static Arg call_reduce_min(Build *b, const Arg *a) { return reduce_call(b, &op_reduce_min, a); }
static Arg call_prod(Build *b, const Arg *a) {
  return reduce_call(b, &op_prod, (Arg[]){wide_argument(b, &a[0]), a[1], a[2]});
}
static Arg call_any(Build *b, const Arg *a) { return reduce_call(b, &op_any, a); }
static Arg call_all(Build *b, const Arg *a) { return reduce_call(b, &op_all, a); }

#define PARAMS "x, axis=none, keepdims=false"

const OpDef op_sum = {
    .name = "sum",
    .params = PARAMS,
    .doc =
        "the sum over axis (a dim, a list of dims, or none for all). Of integers of 8 and 16 "
        "bits it is an i64, of bool an i32, which counts; wider integers wrap: sum(i64(x)) of i32 "
        "does not",
    .example = "f32[4, 6] x: sum(x, axis=1)",
    .call = call_sum,
    .attr = {{"axis", ATTR_SET}},
    .infer = infer_numbers,
    .rule = rule_dims,
    .grad = grad_sum,
    .class = OPC_REDUCE,
    .flags = OPF_SUMS,
    .reduce = RED_SUM,
    .addends = addends,
    .linear = 1,
    .simplify = simplify_sum,
    .flops = 1,
    .rounding = 1};
const OpDef op_reduce_max = {.name = "reduce_max",
                             .params = PARAMS,
                             .doc = "the largest over axis; max(x, axis=...) is the same",
                             .example = "f32[4, 6] x: max(x, axis=1)",
                             .call = call_reduce_max,
                             .attr = {{"axis", ATTR_SET}},
                             .infer = infer_extreme,
                             .rule = rule_dims,
                             .grad = grad_extreme,
                             .class = OPC_REDUCE,
                             .reduce = RED_MAX,
                             .flags = OPF_EXTREME,
                             .flops = 1};
const OpDef op_reduce_min = {.name = "reduce_min",
                             .params = PARAMS,
                             .doc = "the smallest over axis; min(x, axis=...) is the same",
                             .example = "f32[4, 6] x: min(x, axis=0)",
                             .call = call_reduce_min,
                             .attr = {{"axis", ATTR_SET}},
                             .infer = infer_extreme,
                             .rule = rule_dims,
                             .grad = grad_extreme,
                             .class = OPC_REDUCE,
                             .reduce = RED_MIN,
                             .flags = OPF_EXTREME,
                             .flops = 1};
const OpDef op_prod = {
    .name = "prod",
    .params = PARAMS,
    .doc =
        "the product over axis; of integers of 8 and 16 bits it is an i64. Derivatives up to the "
        "third are right where elements are 0",
    .example = "f32[4, 6] x: prod(x, axis=1)",
    .call = call_prod,
    .attr = {{"axis", ATTR_SET}},
    .infer = infer_numbers,
    .rule = rule_dims,
    .grad = grad_prod,
    .class = OPC_REDUCE,
    .flags = OPF_SUMS,
    .reduce = RED_PROD,
    .addends = addends,
    .flops = 1,
    .rounding = 1};

static const char BOOLEAN[] = "its result is true or false";
const OpDef op_any = {.name = "any",
                      .params = PARAMS,
                      .doc = "whether any is true over axis",
                      .example = "bool[4, 6] x: any(x, axis=1)",
                      .call = call_any,
                      .attr = {{"axis", ATTR_SET}},
                      .infer = infer_bools,
                      .rule = rule_dims,
                      .no_grad = BOOLEAN,
                      .class = OPC_REDUCE,
                      .reduce = RED_MAX,
                      .flops = 1};
const OpDef op_all = {.name = "all",
                      .params = PARAMS,
                      .doc = "whether all are true over axis",
                      .example = "bool[4, 6] x: all(x, axis=1)",
                      .call = call_all,
                      .attr = {{"axis", ATTR_SET}},
                      .infer = infer_bools,
                      .rule = rule_dims,
                      .no_grad = BOOLEAN,
                      .class = OPC_REDUCE,
                      .reduce = RED_MIN,
                      .flops = 1};

static NodeId mean_of(Build *b, NodeId x, uint32_t dims, bool keep) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = op_node(b, x);
  DType t = n->dtype;
  if (!dtype_is_float(t))
    return op_fail(b, b->span, "the mean of %s is not an integer: cast with f32(...)",
                   op_describe(b, x));
  if (!op_computes_in(b, t)) return NO_NODE;
  double count = 1;
  for (int d = 0; d < n->shape.rank; d++)
    if (dims & 1u << d) count *= (double)n->shape.dim[d];
  if (count == 0) return op_fail(b, b->span, "the mean of an empty tensor: %s", op_describe(b, x));
  NodeId s = mk_reduce(b, &op_sum, build_cast(b, x, dtype_is_half(t) ? DT_F32 : t), dims, keep);
  return build_cast(b, mk_scale(b, s, 1 / count), t);
}

static Arg call_mean(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  bool keep;
  if (!arg_tensor(b, &a[0], "x", &x) ||
      !arg_dims(b, &a[1], "axis", op_node(b, x)->shape.rank, &dims) ||
      !arg_bool(b, &a[2], "keepdims", &keep))
    return arg_node(NO_NODE);
  return arg_node(mean_of(b, x, dims, keep));
}
const OpDef op_mean = {.name = "mean",
                       .params = PARAMS,
                       .doc = "the mean over axis",
                       .example = "f32[4, 6] x: mean(x, axis=0)",
                       .call = call_mean,
                       .flags = OPF_COMPLEX};

/* -------- argmax, argmin -------- */

static bool infer_arg(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (x->dtype == DT_BOOL) {
    op_fail(b, b->span, "takes numbers, not bool");
    return false;
  }
  if (x->shape.dim[node_attr(n, "axis")] == 0) {
    op_fail(b, b->span, "dim %ld of %s is empty", (long)node_attr(n, "axis"),
            op_describe(b, n->operand[0]));
    return false;
  }
  if (x->shape.dim[node_attr(n, "axis")] > INT32_MAX) {
    op_fail(b, b->span, "dim %ld of %s has more elements than i32 can index",
            (long)node_attr(n, "axis"), op_describe(b, n->operand[0]));
    return false;
  }
  n->dtype = DT_I32;
  for (int d = 0; d < x->shape.rank; d++)
    if (d != node_attr(n, "axis")) n->shape.dim[n->shape.rank++] = x->shape.dim[d];
  return true;
}

/* Of a dim that is cut `distribute` makes other ops where their merge is smaller than the dim. */
static void rule_arg(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  int out = 0;
  for (int d = 0; d < x->shape.rank; d++) {
    int f = rule_factor(r, x->shape.dim[d], d == node_attr(n, "axis") ? FACTOR_WHOLE : FACTOR_PASS);
    r->operand[0][d] = (RuleDim){.n = 1, .factor = {(int8_t)f}};
    if (d != node_attr(n, "axis")) r->result[out++] = r->operand[0][d];
  }
}

static Arg arg_call(Build *b, Op op, const Arg *a) {
  NodeId x;
  int d;
  bool keep;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape;
  if (!s.rank) return arg_node(op_fail(b, b->span, "a scalar has no dim to search"));
  if (a[1].kind == ARG_NONE && s.rank == 1)
    d = 0;
  else if (a[1].kind == ARG_NONE)
    return arg_node(op_fail(b, b->span, "give the dim to search, as axis=1"));
  else if (!arg_dim(b, &a[1], "axis", s.rank, &d))
    return arg_node(NO_NODE);
  if (!arg_bool(b, &a[2], "keepdims", &keep)) return arg_node(NO_NODE);
  NodeId y = build_node(b, op, 1, &x, 1, (int64_t[]){d}, 0);
  if (!keep) return arg_node(y);
  s.dim[d] = 1;
  return arg_node(mk_reshape(b, y, &s));
}
static Arg call_argmax(Build *b, const Arg *a) { return arg_call(b, &op_argmax, a); }
static Arg call_argmin(Build *b, const Arg *a) { return arg_call(b, &op_argmin, a); }

static NodeId find_best(Build *b, NodeId x, const Node *n) {
  const bool max = n->op->reduce == RED_MAX;
  uint32_t dims = 1u << node_attr(n, "axis");
  Shape s = graph_node(b->graph, x)->shape;
  NodeId best = mk_reduce(b, max ? &op_reduce_max : &op_reduce_min, x, dims, false);
  NodeId here = mk2(b, &op_eq, x, mk_unreduce(b, best, &s, dims));
  if (dtype_is_float(graph_node(b->graph, x)->dtype)) /* best is NaN if any element is */
    here = mk2(b, &op_or, here, mk2(b, &op_ne, x, x));
  NodeId index = mk_iota(b, DT_I32, &s, (int)node_attr(n, "axis"));
  NodeId at = mk_select(b, here, index, mk_whole(b, DT_I32, &s, INT32_MAX));
  return mk_reduce(b, &op_reduce_min, at, dims, false);
}

static NodeId distribute_arg(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  const int dim = (int)node_attr(n, "axis");
  Split s;
  if (!split_of(d, x, dim, &s)) return NO_NODE;
  /* Two all-reduces come to 4(k-1)/k elements; the dim made whole to (k-1)/k of n, or where the
   * axes go to another dim of n/k. */
  return s.n > (split_has_room(x, dim, s.parts) ? 4 * s.parts : 4) ||
                 split_must_merge(d, x, dim, &s)
             ? find_best(&d->b, y, n)
             : NO_NODE;
}

static const char WHOLE[] = "its result is an integer";
const OpDef op_argmax = {
    .name = "argmax",
    .params = PARAMS,
    .doc = "the index (i32) of the largest along one dim; of equal ones the first",
    .example = "f32[4, 6] x: argmax(x, axis=1)",
    .call = call_argmax,
    .class = OPC_SEARCH,
    .reduce = RED_MAX,
    .attr = {{"axis", ATTR_INT}},
    .infer = infer_arg,
    .rule = rule_arg,
    .no_grad = WHOLE,
    .flops = 1,
    .distribute = distribute_arg};
const OpDef op_argmin = {
    .name = "argmin",
    .params = PARAMS,
    .doc = "the index (i32) of the smallest along one dim; of equal ones the first",
    .example = "f32[4, 6] x: argmin(x, axis=1)",
    .call = call_argmin,
    .class = OPC_SEARCH,
    .reduce = RED_MIN,
    .attr = {{"axis", ATTR_INT}},
    .infer = infer_arg,
    .rule = rule_arg,
    .no_grad = WHOLE,
    .flops = 1,
    .distribute = distribute_arg};

/* -------- softmax and its kin, over one dim -------- */

/* The tensor as f32 if it is a half, whose sums would overflow and lose digits; *type is its own
 * type, to which the result goes back. */
static bool soft_args(Build *b, const Arg *x, const Arg *axis, NodeId *out, uint32_t *dims,
                      DType *type) {
  if (!arg_tensor(b, x, "x", out)) return false;
  const Node *n = op_node(b, *out);
  if (!dtype_is_float(n->dtype)) {
    op_fail(b, b->span, "takes floating-point tensors, not %s; cast with f32(...)",
            op_describe(b, *out));
    return false;
  }
  if (!n->shape.rank) {
    op_fail(b, b->span, "a scalar has no dim to sum over");
    return false;
  }
  *type = n->dtype;
  if (!arg_dims(b, axis, "axis", n->shape.rank, dims)) return false;
  if (!op_computes_in(b, op_node(b, *out)->dtype)) return false;
  if (is_half(b, *out)) *out = build_cast(b, *out, DT_F32);
  return true;
}

/* The largest, a constant to the gradient: results do not depend on it. */
static NodeId largest(Build *b, NodeId x, uint32_t dims) {
  return mk1(b, &op_stop_gradient, mk_reduce(b, &op_reduce_max, x, dims, false));
}

static NodeId shifted(Build *b, NodeId x, NodeId top, uint32_t dims) {
  if (x == NO_NODE || top == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape;
  return mk2(b, &op_sub, x, mk_unreduce(b, top, &s, dims));
}

static NodeId log_of_sum(Build *b, NodeId z, uint32_t dims) {
  return mk1(b, &op_log, mk_reduce(b, &op_sum, mk1(b, &op_exp, z), dims, false));
}

/* Nothing is taken off where the largest is infinite: inf - inf would make NaN of what is -inf (all
 * are) or inf (one is). */
static NodeId log_sum_exp(Build *b, NodeId x, uint32_t dims) {
  NodeId top = largest(b, x, dims);
  if (top == NO_NODE) return NO_NODE;
  NodeId size = mk1(b, &op_abs, top);
  NodeId finite = mk2(b, &op_lt, size, mk_number(b, top, INFINITY));
  top = mk_select(b, finite, top, mk_number(b, top, 0));
  return mk2(b, &op_add, log_of_sum(b, shifted(b, x, top, dims), dims), top);
}

static NodeId log_probabilities(Build *b, NodeId x, uint32_t dims) {
  if (x == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape;
  NodeId z = shifted(b, x, largest(b, x, dims), dims);
  return mk2(b, &op_sub, z, mk_unreduce(b, log_of_sum(b, z, dims), &s, dims));
}

static Arg call_softmax(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  DType t;
  if (!soft_args(b, &a[0], &a[1], &x, &dims, &t)) return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape;
  NodeId e = mk1(b, &op_exp, shifted(b, x, largest(b, x, dims), dims));
  NodeId sum = mk_unreduce(b, mk_reduce(b, &op_sum, e, dims, false), &s, dims);
  return arg_node(build_cast(b, mk2(b, &op_div, e, sum), t));
}

static Arg call_log_softmax(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  DType t;
  if (!soft_args(b, &a[0], &a[1], &x, &dims, &t)) return arg_node(NO_NODE);
  return arg_node(build_cast(b, log_probabilities(b, x, dims), t));
}

static Arg call_logsumexp(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  DType t;
  bool keep;
  if (!soft_args(b, &a[0], &a[1], &x, &dims, &t) || !arg_bool(b, &a[2], "keepdims", &keep))
    return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape;
  NodeId y = build_cast(b, log_sum_exp(b, x, dims), t);
  if (!keep) return arg_node(y);
  for (int d = 0; d < s.rank; d++)
    if (dims & 1u << d) s.dim[d] = 1;
  return arg_node(mk_reshape(b, y, &s));
}

const OpDef op_softmax = {.name = "softmax",
                          .params = "x, axis=-1",
                          .doc =
                              "exp(x) / sum(exp(x)) over axis, safe for large x; NaN where x has "
                              "inf or all are -inf",
                          .example = "f32[4, 6] x: softmax(x)",
                          .call = call_softmax};
const OpDef op_log_softmax = {
    .name = "log_softmax",
    .params = "x, axis=-1",
    .doc = "log(softmax(x)), computed without the logarithm of a small number",
    .example = "f32[4, 6] x: log_softmax(x)",
    .call = call_log_softmax};
const OpDef op_logsumexp = {
    .name = "logsumexp",
    .params = "x, axis=-1, keepdims=false",
    .doc = "log(sum(exp(x))) over axis, safe for large x; inf where x has inf, "
           "-inf where all are",
    .example = "f32[4, 6] x: logsumexp(x)",
    .call = call_logsumexp};

static Arg call_dense_xent(Build *b, const Arg *a) {
  NodeId x, y, own;
  uint32_t dims;
  DType t;
  if (!soft_args(b, &a[0], &a[2], &x, &dims, &t) || !arg_tensor(b, &a[1], "target", &y) ||
      !arg_tensor(b, &a[0], "logits", &own))
    return arg_node(NO_NODE);
  if (!shape_equal(&op_node(b, own)->shape, &op_node(b, y)->shape) || t != op_node(b, y)->dtype)
    return arg_node(op_fail(b, b->span, "logits %s and target %s must have one shape and type",
                            op_describe(b, own), op_describe(b, y)));
  y = build_cast(b, y, op_node(b, x)->dtype);
  NodeId logp = log_probabilities(b, x, dims);
  NodeId sum = mk_reduce(b, &op_sum, mk2(b, &op_mul, y, logp), dims, false);
  return arg_node(build_cast(b, mk1(b, &op_neg, sum), t));
}

const OpDef op_softmax_cross_entropy = {
    .name = "softmax_cross_entropy",
    .params = "logits, target, axis=-1",
    .doc = "-sum(target * log_softmax(logits)) over axis: target holds probabilities",
    .example = "f32[4, 6] x, f32[4, 6] t: softmax_cross_entropy(x, t)",
    .call = call_dense_xent};

/* -log_softmax(logits)[label]: the label's logit is picked by comparing indices, so that a split
 * class dim needs no gather. */
static Arg call_sparse_xent(Build *b, const Arg *a) {
  NodeId x, y, own;
  uint32_t dims;
  DType t;
  if (!soft_args(b, &a[0], &a[2], &x, &dims, &t) || !arg_tensor(b, &a[1], "label", &y) ||
      !arg_tensor(b, &a[0], "logits", &own))
    return arg_node(NO_NODE);
  int d = 0;
  while (!(dims & 1u << d)) d++;
  if (dims != 1u << d) return arg_node(op_fail(b, a[2].span, "the classes lie along one dim"));
  Shape s = op_node(b, x)->shape, rest = {0};
  for (int i = 0; i < s.rank; i++)
    if (i != d) rest.dim[rest.rank++] = s.dim[i];
  if (!shape_equal(&op_node(b, y)->shape, &rest) || !dtype_is_int(op_node(b, y)->dtype)) {
    Str text = str_new(b->arena);
    shape_put(&text, &rest);
    return arg_node(op_fail(b, a[1].span,
                            "labels for logits %s must be integers of shape %s, not %s",
                            op_describe(b, own), text.at, op_describe(b, y)));
  }
  NodeId z = shifted(b, x, largest(b, x, dims), dims), l = log_of_sum(b, z, dims);
  NodeId label = mk_class(b, y, s.dim[d]);
  NodeId at = mk2(b, &op_eq, mk_iota(b, DT_I32, &s, d), mk_unreduce(b, label, &s, dims));
  NodeId picked = mk_reduce(b, &op_sum, mk_select(b, at, z, mk_number(b, z, 0)), dims, false);
  NodeId zero = mk_number(b, label, 0), above = mk2(b, &op_ge, label, zero);
  NodeId end = mk_number(b, label, (double)s.dim[d]), below = mk2(b, &op_lt, label, end);
  NodeId valid = mk2(b, &op_and, above, below);
  NodeId loss = mk_select(b, valid, mk2(b, &op_sub, l, picked), mk_number(b, l, NAN));
  return arg_node(build_cast(b, loss, t));
}

const OpDef op_sparse_softmax_cross_entropy = {
    .name = "sparse_softmax_cross_entropy",
    .params = "logits, label, axis=-1",
    .doc = "-log_softmax(logits)[label] over one dim: label holds class numbers. A label outside "
           "the classes "
           "makes its loss NaN",
    .example = "f32[4, 6] x, i32[4] label%6: sparse_softmax_cross_entropy(x, label)",
    .call = call_sparse_xent};
