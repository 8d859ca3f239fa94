/* Distributions beside the uniform and the normal one, made of draws of those two. */
#include "compose.h"
#include "draw.h"

static bool draw_type(Build *b, const Arg *a, DType *t) {
  if (!arg_dtype(b, a, "dtype", t)) return false;
  if (dtype_is_float(*t) && !dtype_is_complex(*t)) return true;
  op_fail(b, a->span, "generates floating-point numbers, not %s; cast the result", dtype_name(*t));
  return false;
}

/* In [0, 1), with 53 bits where that matters. */
static NodeId unit_draw(Build *b, DType t, const Shape *s, const Arg *seed) {
  return random_node(b, &op_uniform, t == DT_F64 ? t : DT_F32, s, seed);
}

/* -log(-log(u)) is Gumbel's: the largest of logits + that is class i with probability softmax(i).
 */
static Arg call_categorical(Build *b, const Arg *a) {
  NodeId x;
  int d;
  if (!arg_along(b, &a[0], &a[1], &x, &d) || !check_float(b, x)) return NOTHING;
  if (!shape_of(b, x)->dim[d])
    return arg_node(op_fail(b, b->span, "dim %d of %s is empty", d, op_describe(b, x)));
  Shape s = *shape_of(b, x);
  x = wide(b, x);
  NodeId u = unit_draw(b, type_of(b, x), &s, &a[2]);
  NodeId gumbel = mk1(b, &op_log, mk1(b, &op_neg, mk1(b, &op_log, u)));
  NodeId noisy = mk2(b, &op_sub, x, gumbel);
  return arg_node(build_node(b, &op_argmax, 1, &noisy, 1, (int64_t[]){d}, 0));
}
COMPOSITE(
    categorical, "logits, axis=-1, seed=none",
    "a class (i32) drawn from each line along one dim, with the probabilities softmax(logits)",
    "f32[4, 6] x: categorical(x)")

static Arg call_randint(Build *b, const Arg *a) {
  Shape s;
  int64_t lo, hi;
  DType t;
  if (!arg_shape(b, &a[0], "shape", &s) || !arg_int(b, &a[1], "lo", &lo) ||
      !arg_int(b, &a[2], "hi", &hi) || !arg_dtype(b, &a[3], "dtype", &t))
    return NOTHING;
  if (!dtype_is_int(t))
    return arg_node(op_fail(b, a[3].span, "generates integers, not %s", dtype_name(t)));
  if (lo >= hi) return arg_node(op_fail(b, a[2].span, "`hi` must be above `lo`, %ld", (long)lo));
  if (lo < dtype_least(t) || hi - 1 > dtype_most(t) || (double)hi - (double)lo > 0x1p52)
    return arg_node(op_fail(b, a[1].span, "%ld to %ld is not a range of %s that can be drawn from",
                            (long)lo, (long)hi, dtype_name(t)));
  NodeId u = mk_scale(b, unit_draw(b, DT_F64, &s, &a[4]), (double)(hi - lo));
  NodeId i = build_cast(b, u, DT_I64); /* towards 0, below hi - lo: 53 bits are enough */
  return arg_node(build_cast(b, lo ? mk2(b, &op_add, i, number_like(b, i, (double)lo)) : i, t));
}
COMPOSITE(randint, "shape, lo, hi, dtype=i32, seed=none",
          "random integers, evenly from lo to hi - 1",
          "i32[4, 6] x: x + randint([4, 6], -3, 10, i32)")

static Arg call_permutation(Build *b, const Arg *a) {
  NodeId x = NO_NODE;
  Shape s = {.rank = 1};
  int d = 0;
  if (a[0].kind == ARG_TENSOR) {
    if (!arg_tensor(b, &a[0], "x", &x)) return NOTHING;
    if (!shape_of(b, x)->rank) return arg_node(op_fail(b, b->span, "a scalar has no dim"));
    if (!arg_dim(b, &a[1], "axis", shape_of(b, x)->rank, &d)) return NOTHING;
    s.dim[0] = shape_of(b, x)->dim[d];
  } else if (!arg_int(b, &a[0], "x", &s.dim[0])) {
    return NOTHING;
  }
  if (s.dim[0] < 0) return arg_node(op_fail(b, a[0].span, "a size cannot be negative"));
  Arg order[] = {arg_node(unit_draw(b, DT_F64, &s, &a[2])), arg_of_int(0), {.kind = ARG_BOOL}};
  NodeId at = build_call(b, &op_argsort, order).node;
  return arg_node(x == NO_NODE ? at : mk_gather(b, x, at, d));
}
COMPOSITE(permutation, "x, axis=0, seed=none",
          "the numbers below x (i32), or a tensor's rows along one dim, in a random order",
          "f32[7, 3] x: permutation(x)", .flags = OPF_COMPLEX)

/* By the inverse of the distribution: mean + stddev sqrt(2) erfinv(2 u - 1), u between its ends. */
static Arg call_normal_between(Build *b, const Arg *a) {
  Shape s;
  double mean, stddev, lo, hi;
  DType t;
  if (!arg_shape(b, &a[0], "shape", &s) || !arg_number(b, &a[1], "lo", &lo) ||
      !arg_number(b, &a[2], "hi", &hi) || !arg_number(b, &a[3], "mean", &mean) ||
      !arg_number(b, &a[4], "stddev", &stddev) || !draw_type(b, &a[5], &t))
    return NOTHING;
  if (!(lo < hi)) return arg_node(op_fail(b, a[2].span, "`hi` must be above `lo`, %g", lo));
  if (!(stddev > 0) || !isfinite(stddev) || !isfinite(mean))
    return arg_node(op_fail(b, a[4].span, "`mean` must be finite and `stddev` above 0"));
  const double p = (lo - mean) / stddev, q = (hi - mean) / stddev;
  if (p > 5 || q < -5)
    return arg_node(op_fail(b, b->span, "[%g, %g] is too far from the mean, %g", lo, hi, mean));
  const double from = erf(p * M_SQRT1_2), to = erf(q * M_SQRT1_2);
  NodeId u = mk_shift(b, mk_scale(b, unit_draw(b, DT_F64, &s, &a[6]), to - from), from);
  NodeId x = mk_shift(b, mk_scale(b, mk1(b, &op_erfinv, u), stddev * M_SQRT2), mean);
  x = build_cast(b, x, t);
  if (isfinite(lo)) x = mk2(b, &op_max, x, number_like(b, x, lo));
  if (isfinite(hi)) x = mk2(b, &op_min, x, number_like(b, x, hi));
  return arg_node(x);
}
const OpDef op_normal_between = {
    .name = "normal_between",
    .params = "shape, lo, hi, mean=0, stddev=1, dtype=f32, seed=none",
    .doc = "random numbers from the normal distribution within [lo, hi], by the inverse of it: the "
           "truncated normal distribution",
    .example = "f32[4, 6] x: x + normal_between([4, 6], -1, 2, 0, 1, f32)",
    .call = call_normal_between};

/* Marsaglia and Tsang 2000. A round accepts 0.95 or more; of 12 rounds the last is taken as it is,
 * which 1 in 10^15 are. Below 1 a step up: gamma(a) is gamma(a + 1) u^(1 / a). */
static Arg call_random_gamma(Build *b, const Arg *a) {
  enum { ROUNDS = 12 };
  Shape s;
  DType t;
  if (!arg_shape(b, &a[0], "shape", &s) || !draw_type(b, &a[2], &t)) return NOTHING;
  DType u = t == DT_F64 ? t : DT_F32;
  Arg alpha = a[1];
  if (alpha.kind == ARG_TENSOR && alpha.node != NO_NODE)
    alpha = arg_node(build_cast(b, wide(b, alpha.node), u));
  NodeId x = build_tensor(b, &alpha, u), like = mk_const(b, u, &s, 0);
  if ((alpha.kind == ARG_INT || alpha.kind == ARG_REAL) && !(alpha.real > 0))
    return arg_node(op_fail(b, a[1].span, "`a` must be above 0, but it is %g", alpha.real));
  x = build_operator(b, &op_add, &(Arg){.kind = ARG_TENSOR, .node = x},
                     &(Arg){.kind = ARG_TENSOR, .node = like})
          .node;
  if (x == NO_NODE) return NOTHING;
  if (!shape_equal(shape_of(b, x), &s))
    return arg_node(
        op_fail(b, a[1].span, "`a`, %s, does not broadcast to the shape", op_describe(b, x)));
  const NodeId own = x;
  x = mk1(b, &op_stop_gradient, x);
  NodeId low = mk2(b, &op_lt, x, mk_number(b, x, 1));
  NodeId d = mk_shift(b, mk_select(b, low, mk_shift(b, x, 1), x), -1.0 / 3);
  NodeId c = mk_scale(b, mk1(b, &op_rsqrt, d), 1.0 / 3), r = NO_NODE;
  Shape rounds = {.rank = s.rank + 1};
  if (s.rank == MAX_RANK)
    return arg_node(op_fail(b, a[0].span, "takes %d dims at most", MAX_RANK - 1));
  rounds.dim[0] = ROUNDS + 1;
  memcpy(rounds.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank);
  Arg other = a[3]; /* normals and uniforms of one seed differ: of another stream */
  if (other.kind != ARG_NONE)
    other = build_operator(
        b, &op_bit_not, &(Arg){.kind = ARG_TENSOR, .node = build_tensor(b, &a[3], DT_I64)}, NULL);
  NodeId z = random_node(b, &op_normal, u, &rounds, &a[3]),
         w = random_node(b, &op_uniform, u, &rounds, &other);
  for (int k = ROUNDS; k-- > 0;) {
    NodeId n = mk_reshape(b, part_of(b, z, 0, k, 1), &s), v = mk_shift(b, mk2(b, &op_mul, c, n), 1);
    NodeId cube = mk2(b, &op_mul, mk2(b, &op_mul, v, v), v);
    NodeId safe = mk2(b, &op_max, cube, mk_number(b, cube, 1e-30));
    NodeId room = mk_shift(b, mk2(b, &op_sub, mk1(b, &op_log, safe), cube), 1);
    room = mk2(b, &op_add, mk_scale(b, mk2(b, &op_mul, n, n), 0.5), mk2(b, &op_mul, d, room));
    NodeId take = mk2(b, &op_lt, mk1(b, &op_log, mk_reshape(b, part_of(b, w, 0, k, 1), &s)), room);
    take = mk2(b, &op_and, take, mk2(b, &op_gt, v, mk_number(b, v, 0)));
    r = r == NO_NODE ? safe : mk_select(b, take, cube, r);
  }
  NodeId last = mk_reshape(b, part_of(b, w, 0, ROUNDS, 1), &s), one = mk_number(b, x, 1);
  NodeId step = mk2(b, &op_pow, mk2(b, &op_sub, one, last), mk2(b, &op_div, one, x));
  r = mk2(b, &op_mul, mk2(b, &op_mul, d, r), mk_select(b, low, step, one));
  if (alpha.kind == ARG_TENSOR) r = mk2(b, &op_gamma_drawn, r, own);
  return arg_node(build_cast(b, r, t));
}
const OpDef op_random_gamma = {
    .name = "gamma",
    .params = "shape, a, dtype=f32, seed=none",
    .doc = "random numbers from the gamma distribution of shape parameter a, a number or a tensor, "
           "and scale 1; gradients flow to a, by implicit reparameterization",
    .example = "f32[4, 6] x: x + gamma([4, 6], 2.5, f32)",
    .call = call_random_gamma};
