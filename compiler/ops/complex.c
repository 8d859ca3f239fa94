/* Complex numbers. To the front end c64 and c128 are types as others. The pass `complex` then
 * computes with the parts of each tensor, two real tensors: an op that moves elements, or that is
 * linear, does the same to both; what others do stands here. So gradients, layouts, collectives and
 * kernels are those of real numbers, and only inputs, variables, outputs and prints hold complex
 * elements, which the three primitives here take apart and put together.
 *
 *   %3 = mul %1, %2   ->   %7 = sub (re %1 * re %2), (im %1 * im %2)
 *                          %8 = add (re %1 * im %2), (im %1 * re %2)
 *
 * A number, or what was cast from a real type, has no imaginary part here (NO_NODE), and costs
 * none. */
#include "complex.h"
#include "compose.h"
#include "fold.h"

bool build_broadcast_pair(Build *b, NodeId *x, NodeId *y);

extern const OpDef op_atan2, op_tan, op_tanh;

bool op_takes_complex(const Graph *g, const Node *n) {
  const Op op = n->op;
  if (op->complex || op->linear_jointly || op->passes == 1) return true;
  if (op->class == OPC_SOURCE || op->class == OPC_TELL || op->class == OPC_EXCHANGE) return true;
  if (op->flags & (OPF_MOVES | OPF_GRAD | OPF_CARRY | OPF_AFTER)) return true;
  uint32_t complex = 0;
  for (int k = 0; k < n->noperands; k++)
    if (dtype_is_complex(graph_operand(g, n, k)->dtype)) complex |= 1u << k;
  return complex && !(complex & (complex - 1)) && op->linear & complex;
}

/* -------- the three primitives -------- */

static bool infer_part(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (!dtype_is_complex(x->dtype)) {
    op_fail(b, b->span,
            "takes complex numbers, c64 or c128, not %s; complex(x) makes them of real numbers, "
            "and complex(x[..., 0], x[..., 1]) of pairs",
            op_describe(b, n->operand[0]));
    op_declared(b, 1, n->operand);
    return false;
  }
  n->dtype = dtype_part(x->dtype);
  n->shape = x->shape;
  return true;
}

static bool infer_join(Build *b, Node *n) {
  const Node *re = graph_operand(b->graph, n, 0), *im = graph_operand(b->graph, n, 1);
  if (re->dtype != im->dtype || !shape_equal(&re->shape, &im->shape)) {
    op_fail(b, b->span, "re and im differ: %s and %s", op_describe(b, n->operand[0]),
            op_describe(b, n->operand[1]));
    op_declared(b, 2, n->operand);
    return false;
  }
  n->dtype = re->dtype == DT_F64 ? DT_C128 : DT_C64;
  n->shape = re->shape;
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static Complex parts_re(Build *b, const Node *n, const Complex *x) {
  (void)b, (void)n;
  return (Complex){x[0].re, NO_NODE};
}
static Complex parts_im(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return (Complex){x[0].im != NO_NODE ? x[0].im : mk_number(b, x[0].re, 0), NO_NODE};
}
static bool is_zero(const Build *b, NodeId x) {
  const Node *n = op_node(b, x);
  return n->op == &op_const && n->value == 0 && !signbit(n->value);
}
static Complex parts_join(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return (Complex){x[0].re, is_zero(b, x[1].re) ? NO_NODE : x[1].re};
}

#define PRIMITIVE(NAME, DOC, INFER, ...)                                                           \
  const OpDef op_##NAME = {.name = #NAME,                                                          \
                           .doc = DOC,                                                             \
                           .infer = INFER,                                                         \
                           .rule = rule_elementwise,                                               \
                           .no_grad = "gradients are taken of the parts of complex numbers",       \
                           .complex = parts_##NAME,                                                \
                           .c = __VA_ARGS__,                                                       \
                           .class = OPC_ELEMENT,                                                   \
                           .flags = OPF_ELEMENTWISE};
PRIMITIVE(re, "the real parts of complex elements", infer_part, "dtrt_re_@($0)")
PRIMITIVE(im, "the imaginary parts of complex elements", infer_part, "dtrt_im_@($0)")
PRIMITIVE(join, "complex elements of two parts", infer_join, "dtrt_join_@($0, $1)")

Complex complex_parts(Build *b, NodeId z) {
  return (Complex){mk1(b, &op_re, z), mk1(b, &op_im, z)};
}

NodeId complex_join(Build *b, Complex z) {
  return z.re == NO_NODE ? NO_NODE
                         : mk2(b, &op_join, z.re, z.im == NO_NODE ? mk_number(b, z.re, 0) : z.im);
}

/* -------- what ops make of parts -------- */

static NodeId add(Build *b, NodeId x, NodeId y) { return mk2(b, &op_add, x, y); }
static NodeId sub(Build *b, NodeId x, NodeId y) { return mk2(b, &op_sub, x, y); }
static NodeId mul(Build *b, NodeId x, NodeId y) { return mk2(b, &op_mul, x, y); }
static NodeId over(Build *b, NodeId x, NodeId y) { return mk2(b, &op_div, x, y); }
static NodeId neg(Build *b, NodeId x) { return mk1(b, &op_neg, x); }
static NodeId im_of(Build *b, Complex x) { return x.im != NO_NODE ? x.im : mk_number(b, x.re, 0); }
static Complex scaled(Build *b, Complex x, NodeId by) {
  return (Complex){mul(b, x.re, by), x.im == NO_NODE ? NO_NODE : mul(b, x.im, by)};
}

static Complex times(Build *b, Complex x, Complex y) {
  if (y.im == NO_NODE) return scaled(b, x, y.re);
  if (x.im == NO_NODE) return scaled(b, y, x.re);
  return (Complex){sub(b, mul(b, x.re, y.re), mul(b, x.im, y.im)),
                   add(b, mul(b, x.re, y.im), mul(b, x.im, y.re))};
}
Complex complex_mul(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return times(b, x[0], x[1]);
}

/* By the larger part of the divisor (Smith 1962), so that nothing overflows on the way; which it is
 * decides what to divide by before anything is divided, so that gradients of the other case, which
 * may divide by 0, are not there. */
static Complex divided(Build *b, Complex x, Complex y) {
  if (y.im == NO_NODE)
    return (Complex){over(b, x.re, y.re), x.im == NO_NODE ? NO_NODE : over(b, x.im, y.re)};
  const NodeId im = im_of(b, x),
               wide = mk2(b, &op_ge, mk1(b, &op_abs, y.re), mk1(b, &op_abs, y.im)),
               large = mk_select(b, wide, y.re, y.im), small = mk_select(b, wide, y.im, y.re),
               p = mk_select(b, wide, x.re, im), q = mk_select(b, wide, im, x.re),
               r = over(b, small, large), by = add(b, large, mul(b, small, r)),
               turned = over(b, sub(b, q, mul(b, p, r)), by);
  return (Complex){over(b, add(b, p, mul(b, q, r)), by),
                   mk_select(b, wide, turned, neg(b, turned))};
}
Complex complex_div(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return divided(b, x[0], x[1]);
}

static Complex compared(Build *b, const Complex *x, Op parts, Op both) {
  const NodeId re = mk2(b, parts, x[0].re, x[1].re);
  if (x[0].im == NO_NODE && x[1].im == NO_NODE) return (Complex){re, NO_NODE};
  return (Complex){mk2(b, both, re, mk2(b, parts, im_of(b, x[0]), im_of(b, x[1]))), NO_NODE};
}
Complex complex_eq(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return compared(b, x, &op_eq, &op_and);
}
Complex complex_ne(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return compared(b, x, &op_ne, &op_or);
}

/* isnan and isinf: of either part; isfinite: of both. */
static Complex classed(Build *b, const Node *n, const Complex *x, Op both) {
  const NodeId re = mk1(b, n->op, x[0].re);
  return (Complex){x[0].im == NO_NODE ? re : mk2(b, both, re, mk1(b, n->op, x[0].im)), NO_NODE};
}
Complex complex_any(Build *b, const Node *n, const Complex *x) { return classed(b, n, x, &op_or); }
Complex complex_all(Build *b, const Node *n, const Complex *x) { return classed(b, n, x, &op_and); }

/* The gradient at 0 is 0, as that of abs(x). */
static NodeId magnitude(Build *b, Complex x) {
  if (x.im == NO_NODE) return mk1(b, &op_abs, x.re);
  const NodeId zero = mk_number(b, x.re, 0), one = mk_number(b, x.re, 1),
               at_0 = mk2(b, &op_and, mk2(b, &op_eq, x.re, zero), mk2(b, &op_eq, x.im, zero));
  return mk_select(b, at_0, zero, mk2(b, &op_hypot, mk_select(b, at_0, one, x.re), x.im));
}
Complex complex_abs(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return (Complex){magnitude(b, x[0]), NO_NODE};
}

/* Times e^(i angle). */
static Complex polar(Build *b, NodeId size, NodeId angle) {
  return (Complex){mul(b, size, mk1(b, &op_cos, angle)), mul(b, size, mk1(b, &op_sin, angle))};
}
static Complex exponential(Build *b, Complex x) {
  const NodeId size = mk1(b, &op_exp, x.re);
  return x.im == NO_NODE ? (Complex){size, NO_NODE} : polar(b, size, x.im);
}
Complex complex_exp(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return exponential(b, x[0]);
}

static Complex logarithm(Build *b, Complex x) {
  const NodeId im = im_of(b, x);
  return (Complex){mk1(b, &op_log, mk2(b, &op_hypot, x.re, im)), mk2(b, &op_atan2, im, x.re)};
}
Complex complex_log(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return logarithm(b, x[0]);
}

/* The root of no negative real part. With t = sqrt((|x| + |re|) / 2) one part is t and the other
 * im / 2t, without cancellation. */
static Complex root(Build *b, Complex x) {
  const NodeId im = im_of(b, x), size = mk2(b, &op_hypot, x.re, im), zero = mk_number(b, x.re, 0),
               at_0 = mk2(b, &op_eq, size, zero),
               t = mk1(b, &op_sqrt,
                       add(b, mk_scale(b, size, 0.5), mk_scale(b, mk1(b, &op_abs, x.re), 0.5))),
               u = mk_select(b, at_0, zero, over(b, mk_scale(b, im, 0.5), t)),
               right = mk2(b, &op_ge, x.re, zero);
  return (Complex){mk_select(b, right, t, mk1(b, &op_abs, u)),
                   mk_select(b, right, u, mk2(b, &op_copysign, t, im))};
}
Complex complex_sqrt(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return root(b, x[0]);
}
Complex complex_rsqrt(Build *b, const Node *n, const Complex *x) {
  (void)n;
  return divided(b, (Complex){mk_number(b, x[0].re, 1), NO_NODE}, root(b, x[0]));
}

Complex complex_sin(Build *b, const Node *n, const Complex *x) {
  const NodeId re = x[0].re, im = x[0].im;
  if (im == NO_NODE) return (Complex){mk1(b, n->op, re), NO_NODE};
  return (Complex){mul(b, mk1(b, &op_sin, re), mk1(b, &op_cosh, im)),
                   mul(b, mk1(b, &op_cos, re), mk1(b, &op_sinh, im))};
}
Complex complex_cos(Build *b, const Node *n, const Complex *x) {
  const NodeId re = x[0].re, im = x[0].im;
  if (im == NO_NODE) return (Complex){mk1(b, n->op, re), NO_NODE};
  return (Complex){mul(b, mk1(b, &op_cos, re), mk1(b, &op_cosh, im)),
                   neg(b, mul(b, mk1(b, &op_sin, re), mk1(b, &op_sinh, im)))};
}
Complex complex_sinh(Build *b, const Node *n, const Complex *x) {
  const NodeId re = x[0].re, im = x[0].im;
  if (im == NO_NODE) return (Complex){mk1(b, n->op, re), NO_NODE};
  return (Complex){mul(b, mk1(b, &op_sinh, re), mk1(b, &op_cos, im)),
                   mul(b, mk1(b, &op_cosh, re), mk1(b, &op_sin, im))};
}
Complex complex_cosh(Build *b, const Node *n, const Complex *x) {
  const NodeId re = x[0].re, im = x[0].im;
  if (im == NO_NODE) return (Complex){mk1(b, n->op, re), NO_NODE};
  return (Complex){mul(b, mk1(b, &op_cosh, re), mk1(b, &op_cos, im)),
                   mul(b, mk1(b, &op_sinh, re), mk1(b, &op_sin, im))};
}
/* (t (1 + u^2) + i u (1 - t^2)) / (1 + t^2 u^2) with t = tanh(re), u = tan(im): nothing overflows.
 */
Complex complex_tanh(Build *b, const Node *n, const Complex *x) {
  const NodeId t = mk1(b, &op_tanh, x[0].re);
  if (x[0].im == NO_NODE) return (Complex){t, NO_NODE};
  (void)n;
  const NodeId u = mk1(b, &op_tan, x[0].im), one = mk_number(b, t, 1), tu = mul(b, t, u),
               by = add(b, one, mul(b, tu, tu)), slope = over(b, one, mk1(b, &op_cosh, x[0].re));
  return (Complex){over(b, mul(b, t, add(b, one, mul(b, u, u))), by),
                   over(b, mul(b, u, mul(b, slope, slope)), by)};
}

Complex complex_cast(Build *b, const Node *n, const Complex *x) {
  const DType t = dtype_part(n->dtype);
  return (Complex){build_cast(b, x[0].re, t),
                   x[0].im == NO_NODE ? NO_NODE : build_cast(b, x[0].im, t)};
}

/* A product that is linear in each of two operands: four of real numbers, or two where one of them
 * is real. Three would do (Gauss), of sums that cancel. */
static NodeId product(Build *b, const Node *n, NodeId x, NodeId y) {
  return build_node(b, n->op, 2, (NodeId[]){x, y}, n->nattr, n->attr, 0);
}
Complex complex_bilinear(Build *b, const Node *n, const Complex *x) {
  const Complex p = x[0], q = x[1];
  const NodeId re = product(b, n, p.re, q.re);
  if (p.im == NO_NODE && q.im == NO_NODE) return (Complex){re, NO_NODE};
  if (q.im == NO_NODE) return (Complex){re, product(b, n, p.im, q.re)};
  if (p.im == NO_NODE) return (Complex){re, product(b, n, p.re, q.im)};
  return (Complex){sub(b, re, product(b, n, p.im, q.im)),
                   add(b, product(b, n, p.re, q.im), product(b, n, p.im, q.re))};
}

/* -------- composites -------- */

/* Whole powers by squaring; others are exp(y log(x)). */
static NodeId whole_power(Build *b, NodeId x, int64_t n) {
  NodeId y = NO_NODE;
  for (int64_t k = n < 0 ? -n : n; k; k >>= 1) {
    if (k & 1) y = y == NO_NODE ? x : mul(b, y, x);
    if (k > 1) x = mul(b, x, x);
  }
  if (y == NO_NODE) return mk_number(b, x, 1);
  return n < 0 ? over(b, mk_number(b, y, 1), y) : y;
}

NodeId complex_power(Build *b, const Arg *x, const Arg *y) {
  enum { MOST_POWER = 1 << 16 };
  const bool whole = x->kind == ARG_TENSOR && (y->kind == ARG_INT || y->kind == ARG_REAL) &&
                     y->real == floor(y->real) && fabs(y->real) <= MOST_POWER;
  if (whole) return whole_power(b, x->node, (int64_t)y->real);
  const DType t = type_of(b, x->kind == ARG_TENSOR ? x->node : y->node);
  NodeId p = x->kind == ARG_TENSOR ? x->node : build_tensor(b, x, t);
  NodeId q = y->kind == ARG_TENSOR ? y->node : build_tensor(b, y, t);
  if (p == NO_NODE || q == NO_NODE || !literals_agree(b, &p, &q)) return NO_NODE;
  if (type_of(b, p) != type_of(b, q)) return op_types_differ(b, p, q);
  if (!build_broadcast_pair(b, &p, &q)) return NO_NODE;
  return mk1(b, &op_exp, mul(b, q, mk1(b, &op_log, p)));
}

/* One dim at a time, halves by halves. */
NodeId complex_prod(Build *b, NodeId x, uint32_t dims) {
  for (int d = MAX_RANK - 1; d >= 0 && x != NO_NODE; d--) {
    if (!(dims & 1u << d)) continue;
    Shape s = *shape_of(b, x);
    int64_t n = s.dim[d];
    for (; n > 1; n = n / 2 + n % 2) {
      const NodeId y = mul(b, part_of(b, x, d, 0, n / 2), part_of(b, x, d, n / 2, n / 2));
      x = n % 2 ? mk_concat(b, 2, (NodeId[]){y, part_of(b, x, d, n - 1, 1)}, d) : y;
      if (x == NO_NODE) return x;
    }
    s.rank--;
    for (int e = d; e < s.rank; e++) s.dim[e] = s.dim[e + 1];
    x = n ? mk_reshape(b, x, &s) : mk_const(b, type_of(b, x), &s, 1);
  }
  return x;
}

/* Of two numbers: c64, unless it meets a c128. */
static NodeId literal(Build *b, double re, double im) {
  const Shape scalar = {0};
  return build_cast(
      b, mk2(b, &op_join, mk_const(b, DT_F64, &scalar, re), mk_const(b, DT_F64, &scalar, im)),
      DT_C64);
}

/* The join of two numbers that z, a c64, is a cast of; or NULL. */
static const Node *literal_join(const Build *b, NodeId z) {
  if (z == NO_NODE) return NULL;
  const Node *n = op_node(b, z);
  if (n->op != &op_cast || n->dtype != DT_C64) return NULL;
  const Node *join = op_node(b, n->operand[0]);
  const bool literal = join->op == &op_join && node_is_const(op_node(b, join->operand[0])) &&
                       node_is_const(op_node(b, join->operand[1]));
  return literal ? join : NULL;
}

NodeId complex_literal_as(Build *b, NodeId z, DType t) {
  return t == DT_C128 && literal_join(b, z) ? op_node(b, z)->operand[0] : z;
}

typedef struct Written {
  double re, im;
} Written;

/* A number of the text, complex or real. */
static bool written(const Build *b, const Arg *a, Written *out) {
  if (a->kind == ARG_INT || a->kind == ARG_REAL) {
    *out = (Written){a->real, 0};
    return true;
  }
  const Node *join = a->kind == ARG_TENSOR ? literal_join(b, a->node) : NULL;
  if (!join || join->shape.rank) return false;
  *out = (Written){op_node(b, join->operand[0])->value, op_node(b, join->operand[1])->value};
  return true;
}

/* As Smith does. */
static Written written_div(Written x, Written y) {
  if (fabs(y.re) >= fabs(y.im)) {
    const double r = y.im / y.re, d = y.re + y.im * r;
    return (Written){(x.re + x.im * r) / d, (x.im - x.re * r) / d};
  }
  const double r = y.re / y.im, d = y.re * r + y.im;
  return (Written){(x.re * r + x.im) / d, (x.im * r - x.re) / d};
}

NodeId complex_written(Build *b, Op op, const Arg *x, const Arg *y) {
  Written p, q = {0};
  if (x->kind != ARG_TENSOR && (!y || y->kind != ARG_TENSOR)) return NO_NODE;
  if (!written(b, x, &p) || (y && !written(b, y, &q))) return NO_NODE;
  if (!y && op == &op_neg) return literal(b, -p.re, -p.im);
  if (!y && op == &op_exp) {
    const double size = dtrt_exp_f64(p.re);
    return literal(b, size * dtrt_cos_f64(p.im), size * dtrt_sin_f64(p.im));
  }
  if (!y) return NO_NODE;
  if (op == &op_add) return literal(b, p.re + q.re, p.im + q.im);
  if (op == &op_sub) return literal(b, p.re - q.re, p.im - q.im);
  if (op == &op_mul) return literal(b, p.re * q.re - p.im * q.im, p.re * q.im + p.im * q.re);
  if (op != &op_div) return NO_NODE;
  p = written_div(p, q);
  return literal(b, p.re, p.im);
}

void complex_agree(Build *b, NodeId *x, NodeId *y) {
  *x = complex_literal_as(b, *x, type_of(b, *y));
  *y = complex_literal_as(b, *y, type_of(b, *x));
}

/* Numbers beside a tensor are of its type. */
static Arg call_complex(Build *b, const Arg *a) {
  NodeId re = NO_NODE, im = NO_NODE;
  const Arg *typed = a[0].kind == ARG_TENSOR ? &a[0] : &a[1];
  if (typed->kind == ARG_TENSOR && typed->node == NO_NODE) return NOTHING;
  const DType t = typed->kind == ARG_TENSOR ? type_of(b, typed->node) : DT_F32;
  if (t != DT_F32 && t != DT_F64) {
    op_fail(b, typed->span, "makes complex numbers of f32 or f64, not of %s; cast with f32(...)",
            op_describe(b, typed->node));
    op_declared(b, 1, &typed->node);
    return NOTHING;
  }
  re = build_tensor(b, &a[0], t), im = build_tensor(b, &a[1], t);
  if (re == NO_NODE || im == NO_NODE) return NOTHING;
  if (typed->kind != ARG_TENSOR) return arg_node(literal(b, a[0].real, a[1].real));
  if (type_of(b, re) == type_of(b, im) && !build_broadcast_pair(b, &re, &im)) return NOTHING;
  return arg_node(mk2(b, &op_join, re, im));
}
COMPOSITE(complex, "re, im=0",
          "complex numbers of two real tensors: c64 of f32, c128 of f64. complex(0, 1) is i",
          "f32[4, 6] x, f32[6] y: abs(complex(x, y) * complex(0, 1))")

static Arg part_call(Build *b, const Arg *a, Op op) {
  NodeId z;
  return arg_tensor(b, &a[0], "z", &z) ? arg_node(mk1(b, op, z)) : NOTHING;
}
static Arg call_real(Build *b, const Arg *a) { return part_call(b, a, &op_re); }
static Arg call_imag(Build *b, const Arg *a) { return part_call(b, a, &op_im); }

static bool arg_complex(Build *b, const Arg *a, NodeId *re, NodeId *im) {
  NodeId z;
  if (!arg_tensor(b, a, "z", &z)) return false;
  *re = mk1(b, &op_re, z), *im = *re == NO_NODE ? NO_NODE : mk1(b, &op_im, z);
  return *re != NO_NODE;
}
static Arg call_conj(Build *b, const Arg *a) {
  NodeId re, im;
  return arg_complex(b, &a[0], &re, &im) ? arg_node(mk2(b, &op_join, re, neg(b, im))) : NOTHING;
}
static Arg call_angle(Build *b, const Arg *a) {
  NodeId re, im;
  return arg_complex(b, &a[0], &re, &im) ? arg_node(mk2(b, &op_atan2, im, re)) : NOTHING;
}

#define Z "f32[4, 6] x, f32[4, 6] y: "
COMPOSITE(real, "z", "the real parts of complex numbers", Z "real(complex(x, y) ** 2)",
          .flags = OPF_COMPLEX)
COMPOSITE(imag, "z", "the imaginary parts of complex numbers", Z "imag(complex(x, y) ** 2)",
          .flags = OPF_COMPLEX)
COMPOSITE(conj, "z", "complex numbers with the imaginary part negated",
          Z "imag(conj(complex(x, y)) ** 3)", .flags = OPF_COMPLEX)
COMPOSITE(angle, "z", "the angles of complex numbers, from -pi to pi: atan2(im, re)",
          "f32[4, 6] x, f32[4, 6] y+: angle(complex(x, y))", .flags = OPF_COMPLEX)
