/* Ops whose result at an index depends only on their operands at that index. When a node is made
 * its operands have one shape: broadcasts are separate nodes. */
#include "elementwise.h"

bool build_broadcast_pair(Build *b, NodeId *x, NodeId *y);

void rule_elementwise(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) {
    int f = rule_factor(r, n->shape.dim[d], FACTOR_PASS);
    r->result[d] = (RuleDim){.n = 1, .factor = {(int8_t)f}};
    for (int i = 0; i < n->noperands; i++) r->operand[i][d] = r->result[d];
  }
}

static bool infer_abs(Build *b, Node *n) {
  if (!infer_number(b, n)) return false;
  n->dtype = dtype_part(n->dtype);
  return true;
}

static bool infer_div(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (!dtype_is_float(x->dtype)) {
    op_fail(b, b->span, "%s tensors do not divide with /; use // or cast with f32(...)",
            dtype_name(x->dtype));
    return false;
  }
  return infer_float(b, n);
}

/* -------- folding of one number; of two and three: fold.c -------- */

static Folded fold_not(const Scalar *x, Scalar *out) {
  return x->kind == NUM_BOOL ? fold_truth(!x->i, out) : FOLD_NONE;
}

FOLD_UNARY(neg, x->i == INT64_MIN ? FOLD_TOO_LARGE : fold_whole(-x->i, out))
FOLD_UNARY(abs, x->i == INT64_MIN ? FOLD_TOO_LARGE : fold_whole(dtrt_abs_i64(x->i), out))
FOLD_UNARY(sign, fold_whole(dtrt_sign_i64(x->i), out))

static Folded fold_stop_gradient(const Scalar *x, Scalar *out) {
  *out = *x;
  return is_number(x) ? FOLDED : FOLD_NONE;
}

FOLD_FLOAT(exp)
FOLD_FLOAT(expm1)
FOLD_FLOAT(log)
FOLD_FLOAT(log1p)
FOLD_FLOAT(sqrt)
FOLD_FLOAT(rsqrt)
FOLD_FLOAT(tanh)
FOLD_FLOAT(sigmoid)
FOLD_FLOAT(erf)
FOLD_FLOAT(sin)
FOLD_FLOAT(cos)

FOLD_ROUNDING(floor)
FOLD_ROUNDING(ceil)
FOLD_ROUNDING(round)

/* -------- what is known of the numbers in operands -------- */

/* Through casts and what repeats an element. */
static const Node *origin_of(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  while (n->op == &op_cast || n->op == &op_broadcast || n->op == &op_reshape)
    n = graph_operand(g, n, 0);
  return n;
}

/* Compared with an index: it numbers what that counts. */
static int64_t below_index(const Graph *g, const Node *n, int k) {
  const Node *i = origin_of(g, n->operand[1 - k]);
  return i->op == &op_iota ? i->shape.dim[node_attr(i, "axis")] : 0;
}

/* A class that is checked against their number. */
static int64_t below_constant(const Graph *g, const Node *n, int k) {
  const Node *c = origin_of(g, n->operand[1]);
  if (k != 0 || c->op != &op_const || !dtype_is_int(c->dtype)) return 0;
  return c->value > 0 && c->value < 0x1p31 ? (int64_t)c->value : 0;
}

/* -------- simplification -------- */

static bool is_all(const NewGraph *w, NodeId x, double v) {
  const Node *n = graph_node(w->graph, x);
  return n->op == &op_const && n->value == v;
}
/* x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1 */
static NodeId without_0(NewGraph *w, Node *n) {
  if (is_all(w, n->operand[1], 0)) return n->operand[0];
  if (n->op != &op_add) return NO_NODE;
  if (is_all(w, n->operand[0], 0)) return n->operand[1];
  const NodeId joined = simplify_pads(w, n);
  return joined != NO_NODE ? joined : simplify_puts(w, n);
}
static NodeId without_1(NewGraph *w, Node *n) {
  if (is_all(w, n->operand[1], 1)) return n->operand[0];
  return n->op == &op_mul && is_all(w, n->operand[0], 1) ? n->operand[1] : NO_NODE;
}
static NodeId negated_twice(NewGraph *w, Node *n) {
  const Node *x = graph_node(w->graph, n->operand[0]);
  return x->op == &op_neg ? x->operand[0] : NO_NODE;
}
/* Gradients have been taken. */
static NodeId drop(NewGraph *w, Node *n) {
  (void)w;
  return n->operand[0];
}

BINARY(add, "add", "x + y", "f32[4, 6] x, f32[6] y: x + y", infer_number, dy, dy, NULL, "$0 + $1",
       .sign = "+", .binds = BINDS_SUM, .c_whole = "dtrt_add_@($0, $1)", .linear_jointly = true,
       .index = {1, 1}, .simplify = without_0)
BINARY(sub, "sub", "x - y", "f32[4, 6] x, f32[4, 6] y: x - y", infer_number, dy,
       mk1(b, &op_neg, dy), NULL, "$0 - $1", .sign = "-", .binds = BINDS_SUM,
       .c_whole = "dtrt_sub_@($0, $1)", .linear_jointly = true, .index = {1, -1},
       .simplify = without_0)
BINARY(mul, "mul", "x * y", "f32[4, 6] x, f32[4, 1] y: x * y", infer_number,
       mk2(b, &op_mul, dy, IN(1)), mk2(b, &op_mul, dy, IN(0)), NULL, "$0 * $1", .sign = "*",
       .binds = BINDS_TERM, .c_whole = "dtrt_mul_@($0, $1)", .linear = 3, .simplify = without_1,
       .complex = complex_mul)
BINARY(div, "div", "x / y, for floating-point tensors", "f32[4, 6] x, f32[6] y+: x / y", infer_div,
       mk2(b, &op_div, dy, IN(1)),
       mk1(b, &op_neg, mk2(b, &op_mul, dy, mk2(b, &op_div, node, IN(1)))), NULL, "$0 / $1",
       .sign = "/", .binds = BINDS_TERM, .linear = 1, .positive = 2, .simplify = without_1,
       .complex = complex_div)
BINARY(floordiv, "floordiv", "x // y: the quotient rounded down; an integer divided by 0 is 0",
       "i32[4, 6] x, i32[6] y: x // y", infer_number, flat_grad(b, node, dy),
       flat_grad(b, node, dy), FLAT, "dtrt_floordiv_@($0, $1)", .sign = "//", .binds = BINDS_TERM)
BINARY(mod, "mod", "x % y: the remainder, with the sign of y; 0 for an integer modulo 0",
       "i32[4, 6] x, i32[6] y: x % y", infer_number, dy,
       mk1(b, &op_neg, mk2(b, &op_mul, dy, mk2(b, &op_floordiv, IN(0), IN(1)))), NULL,
       "dtrt_mod_@($0, $1)", .sign = "%", .binds = BINDS_TERM)

/* y x^(y-1). x^0 is 1 at 0 too, where the formula would give 0 * infinity. */
static NodeId pow_to_base(Build *b, NodeId node, NodeId dy) {
  NodeId x = IN(0), y = IN(1);
  if (op_node(b, y)->op == &op_const) {
    Arg base = arg_node(x), power = {.kind = ARG_REAL, .real = op_node(b, y)->value - 1};
    if (power.real == -1) return NO_NODE;
    return mk2(b, &op_mul, dy, mk2(b, &op_mul, y, build_operator(b, &op_pow, &base, &power).node));
  }
  NodeId zero = mk_number(b, y, 0), one = mk_number(b, y, 1);
  NodeId x_0 = mk2(b, &op_eq, x, zero), y_0 = mk2(b, &op_eq, y, zero);
  NodeId both_0 = mk2(b, &op_and, x_0, y_0);
  NodeId less = mk2(b, &op_sub, mk_select(b, both_0, one, y), one);
  return mk2(b, &op_mul, dy, mk2(b, &op_mul, y, mk2(b, &op_pow, x, less)));
}

/* x^y log(x): NaN below 0. At 0 the limit is 0 for y > 0, and taken so for y = 0. */
static NodeId pow_to_exponent(Build *b, NodeId node, NodeId dy) {
  NodeId x = IN(0), zero = mk_number(b, x, 0), one = mk_number(b, x, 1);
  NodeId x_0 = mk2(b, &op_eq, x, zero), y_0_up = mk2(b, &op_ge, IN(1), zero);
  NodeId flat = mk2(b, &op_and, x_0, y_0_up);
  NodeId slope = mk2(b, &op_mul, node, mk1(b, &op_log, mk_select(b, flat, one, x)));
  return mk2(b, &op_mul, dy, mk_select(b, flat, zero, slope));
}

BINARY(pow, "pow", "x ** y; of integers a negative y gives 0, 1 or -1",
       "f32[4, 6] x+, f32[6] y: x ** y", infer_number, pow_to_base(b, node, dy),
       pow_to_exponent(b, node, dy), NULL, "dtrt_pow_@($0, $1)", .sign = "**", .binds = BINDS_POWER,
       .c_special_f64 = true, .positive = 1)
BINARY(eq, "eq", "x == y", "i32[4, 6] x, i32[6] y: x == y", infer_equal, NO_NODE, NO_NODE, BOOLEAN,
       "$0 == $1", .sign = "==", .binds = BINDS_COMPARE, .compares = ORDER_EQUAL,
       .below = below_index, .complex = complex_eq)
BINARY(ne, "ne", "x != y", "i32[4, 6] x, i32[6] y: x != y", infer_equal, NO_NODE, NO_NODE, BOOLEAN,
       "$0 != $1", .sign = "!=", .binds = BINDS_COMPARE, .compares = ORDER_LESS | ORDER_GREATER,
       .complex = complex_ne)
BINARY(lt, "lt", "x < y", "f32[4, 6] x, f32[6] y: x < y", infer_order, NO_NODE, NO_NODE, BOOLEAN,
       "$0 < $1", .sign = "<", .binds = BINDS_COMPARE, .compares = ORDER_LESS,
       .below = below_constant)
BINARY(le, "le", "x <= y", "f32[4, 6] x, f32[6] y: x <= y", infer_order, NO_NODE, NO_NODE, BOOLEAN,
       "$0 <= $1", .sign = "<=", .binds = BINDS_COMPARE, .compares = ORDER_LESS | ORDER_EQUAL)
BINARY(gt, "gt", "x > y", "f32[4, 6] x, f32[6] y: x > y", infer_order, NO_NODE, NO_NODE, BOOLEAN,
       "$0 > $1", .sign = ">", .binds = BINDS_COMPARE, .compares = ORDER_GREATER)
BINARY(ge, "ge", "x >= y", "f32[4, 6] x, f32[6] y: x >= y", infer_order, NO_NODE, NO_NODE, BOOLEAN,
       "$0 >= $1", .sign = ">=", .binds = BINDS_COMPARE, .compares = ORDER_GREATER | ORDER_EQUAL)
BINARY(and, "and", "x and y, for bool tensors", "bool[4, 6] x, bool[6] y: x and y", infer_bool,
       NO_NODE, NO_NODE, BOOLEAN, "$0 & $1", .sign = "and", .binds = BINDS_AND, .logic = '&')
BINARY(or, "or", "x or y, for bool tensors", "bool[4, 6] x, bool[6] y: x or y", infer_bool, NO_NODE,
       NO_NODE, BOOLEAN, "$0 | $1", .sign = "or", .binds = BINDS_OR, .logic = '|')

UNARY(not, "not", "not x, for bool tensors", "bool[4, 6] x: not x", infer_bool, NO_NODE, BOOLEAN,
      "!$0", 1, .sign = "not", .binds = BINDS_NOT, .logic = '!')
UNARY(neg, "neg", "-x", "f32[4, 6] x: -x", infer_number, mk1(b, &op_neg, dy), NULL, "-$0", 1,
      .sign = "-", .binds = BINDS_FACTOR, .c_whole = "dtrt_neg_@($0)", .linear = 1, .index = {-1},
      .simplify = negated_twice)
UNARY(abs, "abs", "the magnitude of x, also of complex numbers, of which it is real",
      "f32[4, 6] x: abs(x)", infer_abs, mk2(b, &op_mul, dy, mk1(b, &op_sign, IN(0))), NULL,
      "dtrt_abs_@($0)", 1, .complex = complex_abs)
UNARY(sign, "sign", "-1, 0 or 1; NaN stays NaN", "f32[4, 6] x: sign(x)", infer_number,
      flat_grad(b, node, dy), FLAT, "dtrt_sign_@($0)", 1)
UNARY(exp, "exp", "e to the power x", "f32[4, 6] x: exp(x)", infer_float, mk2(b, &op_mul, dy, node),
      NULL, "dtrt_exp_@($0)", 10, .vanishes = true, .complex = complex_exp)
UNARY(expm1, "expm1", "exp(x) - 1, exact near 0", "f32[4, 6] x: expm1(x)", infer_float,
      mk2(b, &op_mul, dy, mk_shift(b, node, 1)), NULL, "dtrt_expm1_@($0)", 14)
UNARY(log, "log", "the natural logarithm", "f32[4, 6] x+: log(x)", infer_float,
      mk2(b, &op_div, dy, IN(0)), NULL, "dtrt_log_@($0)", 12, .positive = 1, .complex = complex_log)
UNARY(log1p, "log1p", "log(1 + x), exact near 0", "f32[4, 6] x+: log1p(x)", infer_float,
      mk2(b, &op_div, dy, mk_shift(b, IN(0), 1)), NULL, "dtrt_log1p_@($0)", 16)
UNARY(sqrt, "sqrt", "the square root", "f32[4, 6] x+: sqrt(x)", infer_float,
      mk2(b, &op_div, mk_scale(b, dy, 0.5), node), NULL, "dtrt_sqrt_@($0)", 4, .positive = 1,
      .complex = complex_sqrt)
UNARY(rsqrt, "rsqrt", "1 / sqrt(x)", "f32[4, 6] x+: rsqrt(x)", infer_float,
      mk2(b, &op_mul, mk_scale(b, dy, -0.5), mk2(b, &op_mul, node, mk2(b, &op_mul, node, node))),
      NULL, "dtrt_rsqrt_@($0)", 6, .positive = 1, .complex = complex_rsqrt)
UNARY(tanh, "tanh", "the hyperbolic tangent", "f32[4, 6] x: tanh(x)", infer_float,
      mk2(b, &op_mul, dy, mk2(b, &op_sub, mk_number(b, dy, 1), mk2(b, &op_mul, node, node))), NULL,
      "dtrt_tanh_@($0)", 14, .complex = complex_tanh)
UNARY(sigmoid, "sigmoid", "1 / (1 + exp(-x))", "f32[4, 6] x: sigmoid(x)", infer_float,
      mk2(b, &op_mul, dy, mk2(b, &op_mul, node, mk2(b, &op_sub, mk_number(b, dy, 1), node))), NULL,
      "dtrt_sigmoid_@($0)", 12, .vanishes = true)
UNARY(erf, "erf", "the error function", "f32[4, 6] x: erf(x)", infer_float,
      mk2(b, &op_mul, mk_scale(b, dy, 1.1283791670955126),
          mk1(b, &op_exp, mk1(b, &op_neg, mk2(b, &op_mul, IN(0), IN(0))))),
      NULL, "dtrt_erf_@($0)", 16)
UNARY(sin, "sin", "the sine of x radians", "f32[4, 6] x: sin(x)", infer_float,
      mk2(b, &op_mul, dy, mk1(b, &op_cos, IN(0))), NULL, "dtrt_sin_@($0)", 14,
      .c_special_f64 = true, .complex = complex_sin)
UNARY(cos, "cos", "the cosine of x radians", "f32[4, 6] x: cos(x)", infer_float,
      mk1(b, &op_neg, mk2(b, &op_mul, dy, mk1(b, &op_sin, IN(0)))), NULL, "dtrt_cos_@($0)", 14,
      .c_special_f64 = true, .complex = complex_cos)
UNARY(floor, "floor", "the largest integer not above x", "f32[4, 6] x: floor(x)", infer_float,
      flat_grad(b, node, dy), FLAT, "dtrt_floor_@($0)", 1)
UNARY(ceil, "ceil", "the smallest integer not below x", "f32[4, 6] x: ceil(x)", infer_float,
      flat_grad(b, node, dy), FLAT, "dtrt_ceil_@($0)", 1)
UNARY(round, "round", "the nearest integer, halves to even", "f32[4, 6] x: round(x)", infer_float,
      flat_grad(b, node, dy), FLAT, "dtrt_round_@($0)", 1)
UNARY(stop_gradient, "stop_gradient", "x, through which no gradient flows",
      "f32[4, 6] x: stop_gradient(x)", infer_any, NO_NODE, "that is its purpose", "$0", 0,
      .linear = 1, .passes = 1, .simplify = drop)

/* min and max are two things by one name: of two tensors, or over dims. */

static Arg min_or_max(Build *b, const Arg *a, Op pairwise, Op over_dims) {
  if (a[1].kind != ARG_NONE) {
    if (a[2].kind != ARG_NONE)
      return arg_node(op_fail(b, a[2].span, "give either a second tensor or an axis"));
    return build_operator(b, pairwise, &a[0], &a[1]);
  }
  return build_call(b, over_dims, (Arg[]){a[0], a[2], a[3]});
}
static Arg call_min(Build *b, const Arg *a) { return min_or_max(b, a, &op_min, &op_reduce_min); }
static Arg call_max(Build *b, const Arg *a) { return min_or_max(b, a, &op_max, &op_reduce_max); }

/* Where the operands are equal the second one takes the gradient: relu = max(x, 0) has slope 0 at
 * 0. */
static void grad_pick(Build *b, NodeId node, NodeId dy, NodeId *dx, Op first_wins) {
  NodeId first = mk2(b, first_wins, IN(0), IN(1)), zero = mk_number(b, dy, 0);
  dx[0] = mk_select(b, first, dy, zero);
  dx[1] = mk_select(b, first, zero, dy);
}
static void grad_min(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  grad_pick(b, node, dy, dx, &op_lt);
}
static void grad_max(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  grad_pick(b, node, dy, dx, &op_gt);
}

const OpDef op_min = {.name = "min",
                      .params = "x, y=none, axis=none, keepdims=false",
                      .doc = "the smaller of x and y, or with no y the smallest over axis. Where x "
                             "and y are equal the gradient is that of y",
                      .example = "f32[4, 6] x, f32[6] y: min(x, y)",
                      .call = call_min,
                      .fold = fold_min,
                      .numbers = 2,
                      .infer = infer_number,
                      .rule = rule_elementwise,
                      .grad = grad_min,
                      .c = "dtrt_min_@($0, $1)",
                      .extreme = ORDER_LESS,
                      .class = OPC_ELEMENT,
                      .passes = 3,
                      .flags = OPF_ELEMENTWISE | OPF_EXTREME,
                      .flops = 1};
const OpDef op_max = {.name = "max",
                      .params = "x, y=none, axis=none, keepdims=false",
                      .doc =
                          "the larger of x and y, or with no y the largest over axis. Where x and "
                          "y are equal the gradient is that of y: max(x, 0) has slope 0 at 0",
                      .example = "f32[4, 6] x, f32[6] y: max(x, y)",
                      .call = call_max,
                      .fold = fold_max,
                      .numbers = 2,
                      .infer = infer_number,
                      .rule = rule_elementwise,
                      .grad = grad_max,
                      .c = "dtrt_max_@($0, $1)",
                      .extreme = ORDER_GREATER,
                      .class = OPC_ELEMENT,
                      .passes = 3,
                      .flags = OPF_ELEMENTWISE | OPF_EXTREME,
                      .flops = 1};

static bool infer_where(Build *b, Node *n) {
  const Node *c = graph_operand(b->graph, n, 0), *x = graph_operand(b->graph, n, 1);
  if (!takes(b, c, TAKES_BOOL, "the condition") || !same_shapes(b, n)) return false;
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

static Arg call_where(Build *b, const Arg *a) {
  NodeId c, x, y;
  if (!arg_tensor(b, &a[0], "cond", &c)) return arg_node(NO_NODE);
  const Arg *typed = a[1].kind == ARG_TENSOR ? &a[1] : &a[2];
  if (typed->kind == ARG_TENSOR && typed->node == NO_NODE) return arg_node(NO_NODE);
  DType t = typed->kind == ARG_TENSOR                            ? op_node(b, typed->node)->dtype
            : a[1].kind == ARG_BOOL && a[2].kind == ARG_BOOL ? DT_BOOL
                                                                 : DT_F32;
  x = a[1].kind == ARG_TENSOR ? a[1].node : build_tensor(b, &a[1], t);
  y = a[2].kind == ARG_TENSOR ? a[2].node : build_tensor(b, &a[2], t);
  if (x == NO_NODE || y == NO_NODE || !literals_agree(b, &x, &y)) return arg_node(NO_NODE);
  if (op_node(b, x)->dtype != op_node(b, y)->dtype) return arg_node(op_types_differ(b, x, y));
  if (!build_broadcast_pair(b, &x, &y) || !build_broadcast_pair(b, &c, &x) ||
      !build_broadcast_pair(b, &x, &y))
    return arg_node(NO_NODE);
  const NodeId r = mk_select(b, c, x, y);
  untyped_add(b, r, &op_where, 3, (Arg[]){arg_node(c), a[1], a[2]});
  return arg_node(r);
}

static void grad_where(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  NodeId zero = mk_number(b, dy, 0), c = IN(0);
  dx[0] = NO_NODE;
  dx[1] = mk_select(b, c, dy, zero);
  dx[2] = mk_select(b, c, zero, dy);
}

static NodeId simplify_where(NewGraph *w, Node *n) {
  const Node *c = graph_node(w->graph, n->operand[0]);
  if (c->op != &op_const) return NO_NODE;
  return n->operand[c->value != 0 || c->whole != 0 ? 1 : 2];
}

const OpDef op_where = {.name = "where",
                        .params = "cond, x, y",
                        .doc = "x where cond is true, y where it is false",
                        .example = "bool[4, 6] c, f32[4, 6] x, f32[6] y: where(c, x, y)",
                        .call = call_where,
                        .fold = fold_where,
                        .numbers = 3,
                        .infer = infer_where,
                        .rule = rule_elementwise,
                        .grad = grad_where,
                        .c = "$0 ? $1 : $2",
                        .simplify = simplify_where,
                        .class = OPC_ELEMENT,
                        .passes = 6,
                        .flags = OPF_ELEMENTWISE | OPF_MOVES | OPF_CHOICE,
                        .flops = 1};

static Arg call_clamp(Build *b, const Arg *a) {
  Arg x = a[0];
  if (a[1].kind != ARG_NONE) x = build_operator(b, &op_max, &x, &a[1]);
  if (a[2].kind != ARG_NONE) x = build_operator(b, &op_min, &x, &a[2]);
  return x;
}

const OpDef op_clamp = {.name = "clamp",
                        .params = "x, lo=none, hi=none",
                        .doc = "x kept between lo and hi",
                        .example = "f32[4, 6] x: clamp(x, -0.5, 0.5)",
                        .call = call_clamp,
                        .fold = fold_clamp,
                        .numbers = 3};

static bool complex_stays(Build *b, NodeId x, DType to) {
  if (!dtype_is_complex(op_node(b, x)->dtype) || dtype_is_complex(to)) return true;
  op_fail(b, b->span, "a complex number is not cast to %s: take real(x), imag(x) or abs(x) of %s",
          dtype_name(to), op_describe(b, x));
  return false;
}

static bool infer_cast(Build *b, Node *n) {
  if (!complex_stays(b, n->operand[0], (DType)n->attr[0])) return false;
  n->shape = graph_operand(b->graph, n, 0)->shape;
  n->dtype = (DType)n->attr[0];
  return true;
}

static void grad_cast(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  DType from = op_node(b, IN(0))->dtype, to = op_node(b, node)->dtype;
  const bool kept = dtype_is_stored(from) || dtype_is_stored(to);
  dx[0] = dtype_is_float(from) && dtype_is_float(to) && !kept ? build_cast(b, dy, from) : NO_NODE;
}

/* A number goes to the type at once, not by way of f32. */
static Arg call_cast(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!arg_dtype(b, &a[1], "dtype", &t)) return arg_node(NO_NODE);
  if (a[0].kind == ARG_REAL)
    x = build_tensor(b, &a[0], dtype_is_float(t) ? t : DT_F64);
  else if (a[0].kind == ARG_INT)
    x = build_tensor(b, &a[0], dtype_is_float(t) ? t : DT_I64);
  else if (!arg_tensor(b, &a[0], "x", &x))
    return arg_node(NO_NODE);
  if (x != NO_NODE && !complex_stays(b, x, t)) return arg_node(NO_NODE);
  return arg_node(build_cast(b, x, t));
}

const OpDef op_cast = {.name = "cast",
                       .params = "x, dtype",
                       .doc =
                           "x as another type; f32(x) is the same as cast(x, f32). Floating-point "
                           "to integers: towards zero, saturating, NaN becomes 0; integers to "
                           "narrower integers keep their low bits, as in NumPy. No gradient flows "
                           "through f8",
                       .example = "f32[4, 6] x: i32(x)",
                       .call = call_cast,
                       .attr = {{"dtype", ATTR_DTYPE}},
                       .infer = infer_cast,
                       .rule = rule_elementwise,
                       .grad = grad_cast,
                       .class = OPC_ELEMENT,
                       .passes = 1,
                       .index = {1},
                       .complex = complex_cast,
                       .flags = OPF_ELEMENTWISE,
                       .flops = 1,
                       .rounding = 1};
