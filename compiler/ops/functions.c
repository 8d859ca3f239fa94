/* Elementary and special functions beside those of elementwise.c, one row each. Their C is
 * dtrt_special.h's: f32 in f64 without branches, f64 by libm. */
#define ELEMENT_IN_SPECIAL true
#include "elementwise.h"

FOLD_FLOAT(tan)
FOLD_FLOAT(asin)
FOLD_FLOAT(acos)
FOLD_FLOAT(atan)
FOLD_FLOAT(sinh)
FOLD_FLOAT(cosh)
FOLD_FLOAT(asinh)
FOLD_FLOAT(acosh)
FOLD_FLOAT(atanh)
FOLD_FLOAT(exp2)
FOLD_FLOAT(log2)
FOLD_FLOAT(log10)
FOLD_FLOAT(cbrt)
FOLD_FLOAT(erfc)
FOLD_FLOAT(erfinv)
FOLD_FLOAT(lgamma)
FOLD_FLOAT(digamma)
FOLD_FLOAT(frac)
FOLD_ROUNDING(trunc)
FOLD_REALS(atan2)
FOLD_REALS(hypot)
FOLD_REALS(logaddexp)
FOLD_REALS(copysign)
FOLD_REALS(nextafter)
FOLD_REALS(polygamma)

#define FOLD_CLASS(NAME)                                                                           \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    return is_number(x) ? fold_truth(dtrt_##NAME##_f64(number_real(x)), out) : FOLD_NONE;          \
  }
FOLD_CLASS(isnan)
FOLD_CLASS(isinf)
FOLD_CLASS(isfinite)

static Folded fold_fmod(const Scalar *x, Scalar *out) {
  if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;
  if (number_real(x + 1) == 0) return FOLD_BY_ZERO;
  if (x[0].kind == NUM_INT && x[1].kind == NUM_INT)
    return fold_whole(dtrt_fmod_i64(x[0].i, x[1].i), out);
  return fold_real(dtrt_fmod_f64(number_real(x), number_real(x + 1)), out);
}

/* -------- pieces of gradients -------- */

static NodeId times(Build *b, NodeId x, NodeId y) { return mk2(b, &op_mul, x, y); }
static NodeId over(Build *b, NodeId x, NodeId y) { return mk2(b, &op_div, x, y); }
static NodeId square(Build *b, NodeId x) { return times(b, x, x); }
/* 1 - x^2 and x^2 - 1 without loss near 1 */
static NodeId to_one(Build *b, NodeId x) {
  return times(b, mk2(b, &op_sub, mk_number(b, x, 1), x), mk_shift(b, x, 1));
}
static NodeId from_one(Build *b, NodeId x) {
  return times(b, mk_shift(b, x, -1), mk_shift(b, x, 1));
}
static NodeId root(Build *b, NodeId x) { return mk1(b, &op_sqrt, x); }

/* e^x / (e^x + e^y), the slope of logaddexp in x: x - y is taken as 0 where both are infinite. */
static NodeId share(Build *b, NodeId x, NodeId y) {
  NodeId d = mk2(b, &op_sub, x, y);
  NodeId ends = mk2(b, &op_and, mk2(b, &op_eq, x, y), mk1(b, &op_isinf, x));
  return mk1(b, &op_sigmoid, mk_select(b, ends, mk_number(b, d, 0), d));
}

/* y / (x^2 + y^2), in terms of h = hypot(x, y), which does not overflow */
static NodeId over_square(Build *b, NodeId y, NodeId h) { return over(b, over(b, y, h), h); }

static NodeId order_above(Build *b, NodeId n) {
  const Node *c = op_node(b, n);
  return node_is_const(c) ? mk_number(b, n, c->value + 1) : mk_shift(b, n, 1);
}

static bool infer_neighbour(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (!infer_float(b, n)) return false;
  if (!dtype_is_half(x->dtype)) return true;
  op_fail(b, b->span, "takes f32 and f64, not %s, which is computed in f32", dtype_name(x->dtype));
  return false;
}

/* -------- of one number -------- */

#define F "f32[4, 6] x: "
UNARY(tan, "tan", "the tangent of x radians", F "tan(x / 2)", infer_float,
      times(b, dy, mk_shift(b, square(b, node), 1)), NULL, "dtrt_tan_@($0)", 20)
UNARY(asin, "asin", "the angle in radians whose sine is x; NaN beyond 1", F "asin(x / 4)",
      infer_float, over(b, dy, root(b, to_one(b, IN(0)))), NULL, "dtrt_asin_@($0)", 20)
UNARY(acos, "acos", "the angle in radians whose cosine is x; NaN beyond 1", F "acos(x / 4)",
      infer_float, mk1(b, &op_neg, over(b, dy, root(b, to_one(b, IN(0))))), NULL, "dtrt_acos_@($0)",
      20)
UNARY(atan, "atan", "the angle in radians whose tangent is x", F "atan(x)", infer_float,
      over(b, dy, mk_shift(b, square(b, IN(0)), 1)), NULL, "dtrt_atan_@($0)", 24)
UNARY(sinh, "sinh", "the hyperbolic sine", F "sinh(x)", infer_float,
      times(b, dy, mk1(b, &op_cosh, IN(0))), NULL, "dtrt_sinh_@($0)", 20,
      .complex = complex_sinh)
UNARY(cosh, "cosh", "the hyperbolic cosine", F "cosh(x)", infer_float,
      times(b, dy, mk1(b, &op_sinh, IN(0))), NULL, "dtrt_cosh_@($0)", 18,
      .complex = complex_cosh)
UNARY(asinh, "asinh", "the number whose hyperbolic sine is x", F "asinh(x)", infer_float,
      over(b, dy, root(b, mk_shift(b, square(b, IN(0)), 1))), NULL, "dtrt_asinh_@($0)", 28)
UNARY(acosh, "acosh", "the number from 0 whose hyperbolic cosine is x; NaN below 1",
      "f32[4, 6] x+: acosh(x + 1)", infer_float, over(b, dy, root(b, from_one(b, IN(0)))), NULL,
      "dtrt_acosh_@($0)", 26)
UNARY(atanh, "atanh", "the number whose hyperbolic tangent is x; NaN beyond 1", F "atanh(x / 4)",
      infer_float, over(b, dy, to_one(b, IN(0))), NULL, "dtrt_atanh_@($0)", 28)
UNARY(exp2, "exp2", "2 to the power x", F "exp2(x)", infer_float,
      times(b, dy, mk_scale(b, node, M_LN2)), NULL, "dtrt_exp2_@($0)", 10)
UNARY(log2, "log2", "the logarithm to base 2", "f32[4, 6] x+: log2(x)", infer_float,
      over(b, mk_scale(b, dy, M_LOG2E), IN(0)), NULL, "dtrt_log2_@($0)", 16, .positive = 1)
UNARY(log10, "log10", "the logarithm to base 10", "f32[4, 6] x+: log10(x)", infer_float,
      over(b, mk_scale(b, dy, M_LOG10E), IN(0)), NULL, "dtrt_log10_@($0)", 16, .positive = 1)
UNARY(cbrt, "cbrt", "the cube root", "f32[4, 6] x+: cbrt(x)", infer_float,
      over(b, dy, mk_scale(b, square(b, node), 3)), NULL, "dtrt_cbrt_@($0)", 26)
UNARY(erfc, "erfc", "1 - erf(x), exact where erf is near 1", F "erfc(x)", infer_float,
      times(b, mk_scale(b, dy, -M_2_SQRTPI), mk1(b, &op_exp, mk1(b, &op_neg, square(b, IN(0))))),
      NULL, "dtrt_erfc_@($0)", 28)
UNARY(erfinv, "erfinv", "the number whose erf is x; NaN beyond 1", F "erfinv(x / 4)", infer_float,
      times(b, mk_scale(b, dy, 1 / M_2_SQRTPI), mk1(b, &op_exp, square(b, node))), NULL,
      "dtrt_erfinv_@($0)", 50)
UNARY(lgamma, "lgamma", "the logarithm of the magnitude of the gamma function",
      "f32[4, 6] x+: lgamma(x)", infer_float, times(b, dy, mk1(b, &op_digamma, IN(0))), NULL,
      "dtrt_lgamma_@($0)", 70, .positive = 1)
static NodeId trigamma(Build *b, NodeId x) { return mk2(b, &op_polygamma, mk_number(b, x, 1), x); }
UNARY(digamma, "digamma", "the derivative of lgamma", "f32[4, 6] x+: digamma(x)", infer_float,
      times(b, dy, trigamma(b, IN(0))), NULL, "dtrt_digamma_@($0)", 70, .positive = 1)
UNARY(trunc, "trunc", "the nearest integer towards 0", F "trunc(x)", infer_float,
      flat_grad(b, node, dy), FLAT, "dtrt_trunc_@($0)", 1)
UNARY(frac, "frac", "x - trunc(x), with the sign of x", F "frac(x)", infer_float, dy, NULL,
      "dtrt_frac_@($0)", 1)
UNARY(isnan, "isnan", "whether x is NaN", F "isnan(x / 0)", infer_class, NO_NODE, BOOLEAN,
      "dtrt_isnan_@($0)", 1, .complex = complex_any)
UNARY(isinf, "isinf", "whether x is infinite", F "isinf(x / 0)", infer_class, NO_NODE, BOOLEAN,
      "dtrt_isinf_@($0)", 1, .complex = complex_any)
UNARY(isfinite, "isfinite", "whether x is neither infinite nor NaN", F "isfinite(x / 0)",
      infer_class, NO_NODE, BOOLEAN, "dtrt_isfinite_@($0)", 1, .complex = complex_all)

/* -------- of two -------- */

#define FF "f32[4, 6] x, f32[6] y: "
BINARY_OF("y, x", atan2, "atan2", "the angle of the point (x, y) in radians, from -pi to pi",
          "f32[4, 6] y, f32[6] x+: atan2(y, x)", infer_float,
          times(b, dy, over_square(b, IN(1), mk2(b, &op_hypot, IN(1), IN(0)))),
          mk1(b, &op_neg, times(b, dy, over_square(b, IN(0), mk2(b, &op_hypot, IN(1), IN(0))))),
          NULL, "dtrt_atan2_@($0, $1)")
BINARY(hypot, "hypot", "sqrt(x * x + y * y), without overflow on the way",
       "f32[4, 6] x, f32[6] y+: hypot(x, y)", infer_float, times(b, dy, over(b, IN(0), node)),
       times(b, dy, over(b, IN(1), node)), NULL, "dtrt_hypot_@($0, $1)")
BINARY(logaddexp, "logaddexp", "log(exp(x) + exp(y)), without overflow on the way",
       FF "logaddexp(x, y)", infer_float, times(b, dy, share(b, IN(0), IN(1))),
       times(b, dy, share(b, IN(1), IN(0))), NULL, "dtrt_logaddexp_@($0, $1)")
BINARY(fmod, "fmod",
       "the remainder of x / y rounded towards 0, with the sign of x; 0 for an integer and 0",
       "f32[4, 6] x, f32[6] y+: fmod(x, y)", infer_number, dy,
       mk1(b, &op_neg, times(b, dy, mk1(b, &op_trunc, over(b, IN(0), IN(1))))), NULL,
       "dtrt_fmod_@($0, $1)")
BINARY(copysign, "copysign", "the magnitude of x with the sign of y, which a zero has too",
       FF "copysign(x, y)", infer_float,
       times(b, dy,
             times(b, mk1(b, &op_sign, IN(0)), mk2(b, &op_copysign, mk_number(b, dy, 1), IN(1)))),
       NO_NODE, NULL, "dtrt_copysign_@($0, $1)")
BINARY(nextafter, "nextafter", "the neighbour of x towards y, in f32 and f64", FF "nextafter(x, y)",
       infer_neighbour, dy, NO_NODE, NULL, "dtrt_nextafter_@($0, $1)")
BINARY_OF("n, x", polygamma, "polygamma",
          "the derivative of order n of digamma, for x above 0; n is an integer from 1 to 100",
          "f32[4, 6] x+: polygamma(1, x)", infer_float, NO_NODE,
          times(b, dy, mk2(b, &op_polygamma, order_above(b, IN(0)), IN(1))), NULL,
          "dtrt_polygamma_@($0, $1)", .positive = 2)

/* -------- draws -------- */

/* A draw, which the parameter of its distribution moves. Neither op is folded: no draw is a
 * constant. */
static void grad_gamma_drawn(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = NO_NODE;
  dx[1] = times(b, dy, mk2(b, &op_gamma_slope, IN(0), IN(1)));
}
static void grad_gamma_slope(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  (void)node, (void)dy;
  dx[0] = dx[1] = NO_NODE;
  op_fail(b, b->span, "of a draw from the gamma distribution only the first gradient is known");
}
#define PAIR                                                                                       \
  .numbers = 2, .infer = infer_float, .rule = rule_elementwise, .class = OPC_ELEMENT,              \
  .flags = OPF_ELEMENTWISE, .rounding = 1
const OpDef op_gamma_drawn = {.name = "gamma_drawn",
                              .doc = "x, drawn from the gamma distribution of parameter a",
                              .grad = grad_gamma_drawn,
                              .c = "$0",
                              .linear = 1,
                              PAIR};
const OpDef op_gamma_slope = {.name = "gamma_slope",
                              .doc = "how a draw from the gamma distribution moves with a",
                              .grad = grad_gamma_slope,
                              .c = "dtrt_gamma_slope_@($0, $1)",
                              .c_special = true,
                              .flops = 400,
                              PAIR};
