/* Random values by global index: element i of a call depends on the session's seed, the call's
 * stream key, the step and i, never on mesh or layout (docs/random.md). */
#include "draw.h"
#include <string.h>

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

/* attr: dtype, stream, sizes. Operands: the step, i64[], and, i64[] too, a stream in the place of
 * the attribute, if it is known while running alone. Of steps i64[n] each row of the first dim has
 * one: it is what a draw of the other dims alone would be at that step. */
static bool infer_random(Build *b, Node *n) {
  n->dtype = (DType)n->attr[0];
  if (n->dtype != DT_F32 && n->dtype != DT_F64) {
    if (dtype_is_complex(n->dtype))
      op_fail(b, b->span,
              "generates real numbers, not %s; draw the parts, of %s, and join them by "
              "complex(re, im)",
              dtype_name(n->dtype), dtype_name(dtype_part(n->dtype)));
    else
      op_fail(b, b->span, "generates floating-point numbers, not %s; cast the result",
              dtype_name(n->dtype));
    return false;
  }
  n->shape.rank = n->nattr - 2;
  memcpy(n->shape.dim, n->attr + 2, sizeof *n->attr * (size_t)n->shape.rank);
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_random(const Graph *g, const Node *n, Rule *r) {
  const bool by_row = graph_operand(g, n, 0)->shape.rank;
  for (int d = 0; d < n->shape.rank; d++)
    r->result[d] = one(rule_factor(r, n->shape.dim[d], by_row && !d ? FACTOR_PASS : FACTOR_NEW));
  if (by_row) r->operand[0][0] = r->result[0];
}

/* The stream of all calls that are given a seed, which takes the place of the step. */
static const uint64_t SEEDED = 0x5eeded5eeded5eedu;

static NodeId seed_node(Build *b, const Arg *seed) {
  NodeId x = build_tensor(b, seed, DT_I64);
  if (x == NO_NODE) return x;
  if (op_node(b, x)->shape.rank || !dtype_is_int(op_node(b, x)->dtype))
    return op_fail(b, seed->span, "`seed` must be an integer or a scalar of integers, not %s",
                   op_describe(b, x));
  return build_cast(b, x, DT_I64);
}

NodeId random_node(Build *b, Op op, DType t, const Shape *s, const Arg *seed) {
  if (!b->stream || !b->step) return op_fail(b, b->span, "random values are not allowed here");
  const bool seeded = seed->kind != ARG_NONE;
  int64_t attr[MAX_RANK + 2] = {t, (int64_t)(seeded ? SEEDED : b->stream(b->user))};
  const NodeId row = seeded ? NO_NODE : b->row_stream(b->user);
  const NodeId operand[] = {seeded ? seed_node(b, seed) : b->step(b->user), row};
  memcpy(attr + 2, s->dim, sizeof *attr * (size_t)s->rank);
  return build_node(b, op, row == NO_NODE ? 1 : 2, operand, s->rank + 2, attr, 0);
}

/* x * by + shift, leaving out what does nothing. */
static NodeId affine(Build *b, NodeId x, double by, double shift) {
  if (by != 1) x = mk_scale(b, x, by);
  return shift != 0 ? mk_shift(b, x, shift) : x;
}

/* The neighbour of v in a type, towards `to`; not a denormal, which would be slow. */
static double neighbour(DType t, double v, double to) {
  double least = dtype_smallest(t), step = least, r = v;
  if (fabs(v) <= least) return v == 0 || (v > 0) == (to > v) ? copysign(least, to - v) : 0;
  /* Half of the distance of neighbours at v or more is lost to rounding; less does not move v. */
  step = ldexp(1, ilogb(v) - dtype_digits(t) + 1);
  for (step /= 2; r == v; step *= 2) r = dtype_round(t, v + copysign(step, to - v));
  return r;
}

/* Evenly from lo to hi, hi itself left out, though sums that come near it are rounded to it. */
static NodeId spread_evenly(Build *b, NodeId x, DType t, double lo, double hi) {
  DType computed = op_node(b, x)->dtype;
  lo = dtype_round(t, lo), hi = dtype_round(t, hi);
  bool wide = !isfinite(dtype_round(computed, hi - lo));
  NodeId y;
  if (wide) { /* hi - lo does not fit */
    NodeId rest = mk2(b, &op_sub, mk_number(b, x, 1), x), low = mk_scale(b, rest, lo);
    y = mk2(b, &op_add, mk_scale(b, x, hi), low);
  } else {
    y = affine(b, x, hi - lo, lo);
  }
  bool exact = computed == t && lo == 0 && hi == 1;
  if (exact || lo == hi || y == NO_NODE) return y;
  return mk2(b, lo < hi ? &op_min : &op_max, y, mk_number(b, y, neighbour(t, hi, lo)));
}

static Arg random_call(Build *b, Op op, const Arg *a, const char *p, const char *q) {
  Shape s;
  double u, v;
  DType t;
  if (!arg_shape(b, &a[0], "shape", &s) || !arg_number(b, &a[1], p, &u) ||
      !arg_number(b, &a[2], q, &v) || !arg_dtype(b, &a[3], "dtype", &t) ||
      !op_check_number(b, a[1].span, t, u) || !op_check_number(b, a[2].span, t, v))
    return arg_node(NO_NODE);
  if (!isfinite(u) || !isfinite(v))
    return arg_node(
        op_fail(b, a[isfinite(u) ? 2 : 1].span, "`%s` must be finite", isfinite(u) ? q : p));
  /* Half-width types are drawn in f32 and rounded. */
  bool half = dtype_is_half(t);
  NodeId x = random_node(b, op, half ? DT_F32 : t, &s, &a[4]);
  if (x == NO_NODE) return arg_node(NO_NODE);
  x = op == &op_uniform ? spread_evenly(b, x, t, u, v) : affine(b, x, v, u);
  return arg_node(half ? build_cast(b, x, t) : x);
}
static Arg call_uniform(Build *b, const Arg *a) {
  return random_call(b, &op_uniform, a, "lo", "hi");
}
static Arg call_normal(Build *b, const Arg *a) {
  return random_call(b, &op_normal, a, "mean", "stddev");
}

static const char NO_OPERAND[] = "it is not differentiable in any operand";
const OpDef op_uniform = {
    .name = "uniform",
    .params = "shape=declared, lo=0, hi=1, dtype=declared, seed=none",
    .doc = "random numbers, evenly from [lo, hi). With `seed`, an integer or a scalar, as of "
           "every call with that seed and shape, whatever the step",
    .example = "f32[4, 6] x: x + uniform([4, 6], -1, 1, f32)",
    .call = call_uniform,
    .attr = {{"dtype", ATTR_DTYPE}, {"key", ATTR_KEY}, {"shape", ATTR_SHAPE}},
    .infer = infer_random,
    .rule = rule_random,
    .no_grad = NO_OPERAND,
    .lower = lower_random,
    .class = OPC_RANDOM,
    .flops = 40};
const OpDef op_normal = {.name = "normal",
                         .params = "shape=declared, mean=0, stddev=1, dtype=declared, seed=none",
                         .doc = "random numbers from the normal distribution",
                         .example = "f32[4, 6] x: x + normal([4, 6], 0, 1, f32)",
                         .call = call_normal,
                         .attr = {{"dtype", ATTR_DTYPE}, {"key", ATTR_KEY}, {"shape", ATTR_SHAPE}},
                         .infer = infer_random,
                         .rule = rule_random,
                         .no_grad = NO_OPERAND,
                         .lower = lower_random,
                         .class = OPC_RANDOM,
                         .flops = 80};

static bool probability(Build *b, const Arg *a, const char *name, double *out) {
  if (!arg_number(b, a, name, out)) return false;
  if (*out >= 0 && *out <= 1) return true;
  op_fail(b, a->span, "`%s` must be between 0 and 1, but it is %g", name, *out);
  return false;
}

static Arg call_bernoulli(Build *b, const Arg *a) {
  Shape s;
  double p;
  if (!arg_shape(b, &a[0], "shape", &s) || !probability(b, &a[1], "p", &p))
    return arg_node(NO_NODE);
  NodeId u = random_node(b, &op_uniform, DT_F32, &s, &a[2]);
  return arg_node(mk2(b, &op_lt, u, mk_number(b, u, p)));
}
const OpDef op_bernoulli = {.name = "bernoulli",
                            .params = "shape=declared, p=0.5, seed=none",
                            .doc = "bool: true with probability p",
                            .example = "f32[4, 6] x: where(bernoulli([4, 6], 0.3), x, 0)",
                            .call = call_bernoulli};

static Arg call_dropout(Build *b, const Arg *a) {
  NodeId x;
  double rate;
  if (!arg_tensor(b, &a[0], "x", &x) || !probability(b, &a[1], "rate", &rate))
    return arg_node(NO_NODE);
  if (!dtype_is_float(op_node(b, x)->dtype))
    return arg_node(op_fail(b, b->span, "takes floating-point tensors, not %s", op_describe(b, x)));
  if (rate == 0) return arg_node(x);
  Shape s = op_node(b, x)->shape;
  NodeId u = random_node(b, &op_uniform, DT_F32, &s, &a[2]);
  NodeId keep = mk2(b, &op_ge, u, mk_number(b, u, rate));
  return arg_node(
      mk_select(b, keep, rate < 1 ? mk_scale(b, x, 1 / (1 - rate)) : x, mk_number(b, x, 0)));
}
const OpDef op_dropout = {
    .name = "dropout",
    .params = "x, rate, seed=none",
    .doc = "x with each element zeroed with probability rate, the others divided by 1 - rate",
    .example = "f32[4, 6] x: dropout(x, 0.4)",
    .call = call_dropout};
