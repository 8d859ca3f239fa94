/* Fourier transforms. The four primitives (runtime/kernels/dft.c) are of pairs, a last dim of re
 * and im, or of real numbers, a last dim of one: they transform any dim before it, which is whole
 * on a device, and do not scale. What users call takes and gives complex tensors and scales by
 * `norm`. */
#include "complex.h"
#include "compose.h"

extern const OpDef op_dft, op_dft_inverse, op_dft_of_real, op_dft_to_real;

static int rank_of(const Build *b, NodeId x) { return shape_of(b, x)->rank; }

/* -------- pairs -------- */

static bool arg_complex(Build *b, const Arg *a, NodeId *x) {
  if (!arg_tensor(b, a, "z", x)) return false;
  if (dtype_is_complex(type_of(b, *x))) return true;
  op_fail(b, a->span.file ? a->span : b->span,
          "takes complex numbers, c64 or c128, not %s; %s(x) makes them of real numbers, and "
          "complex(x[..., 0], x[..., 1]) of pairs",
          op_describe(b, *x), type_of(b, *x) == DT_F64 ? "c128" : "c64");
  op_declared(b, 1, x);
  return false;
}

/* Re (0) or im (1). */
static NodeId half_of(Build *b, NodeId z, int which) {
  if (z == NO_NODE) return z;
  Shape s = *shape_of(b, z);
  z = part_of(b, z, --s.rank, which, 1);
  return mk_reshape(b, z, &s);
}

static NodeId pairs_of(Build *b, NodeId z) {
  const Complex x = complex_parts(b, z);
  Arg both = arg_of_list(b, 2);
  if (x.im == NO_NODE) return NO_NODE;
  both.at[0] = arg_node(x.re), both.at[1] = arg_node(x.im);
  return build_call(b, &op_stack, (Arg[]){both, arg_of_int(-1)}).node;
}

static NodeId of_pairs(Build *b, NodeId x) {
  return complex_join(b, (Complex){half_of(b, x, 0), half_of(b, x, 1)});
}

/* -------- primitives -------- */

static bool infer_line(Build *b, Node *n, int64_t rows, int64_t numbers) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  n->shape.dim[node_attr(n, "axis")] = rows;
  n->shape.dim[n->shape.rank - 1] = numbers;
  return op_check_size(b, b->span, n->dtype, &n->shape);
}
static int64_t lines(const Build *b, const Node *n) {
  return shape_of(b, n->operand[0])->dim[node_attr(n, "axis")];
}
static bool infer_dft(Build *b, Node *n) { return infer_line(b, n, lines(b, n), 2); }
static bool infer_dft_of_real(Build *b, Node *n) {
  return infer_line(b, n, lines(b, n) / 2 + 1, 2);
}
static bool infer_dft_to_real(Build *b, Node *n) {
  return infer_line(b, n, node_attr(n, "length"), 1);
}

/* All dims pass but that which is transformed and the numbers of an element. */
static void rule_dft(const Graph *g, const Node *n, Rule *r) {
  const Shape *s = &graph_operand(g, n, 0)->shape;
  for (int d = 0; d < s->rank; d++) {
    const bool passes = d != node_attr(n, "axis") && d != s->rank - 1;
    const FactorKind role = passes ? FACTOR_PASS : FACTOR_WHOLE;
    r->operand[0][d] = (RuleDim){.n = 1, .factor = {(int8_t)rule_factor(r, s->dim[d], role)}};
    r->result[d] =
        passes ? r->operand[0][d]
               : (RuleDim){.n = 1, .factor = {(int8_t)rule_factor(r, n->shape.dim[d], role)}};
  }
}

/* The factors come to the square of a line's numbers. */
static double points_of(double points, double square, double n) {
  return points / square * n * (1 + log2(n));
}
static double points_dft(const Node *n, double points) {
  const double m = (double)n->shape.dim[node_attr(n, "axis")];
  return points_of(points, 4 * m * m, m);
}
static double points_real(const Node *n, double points) {
  const int64_t rows = n->shape.dim[node_attr(n, "axis")];
  const double m = n->shape.dim[n->shape.rank - 1] == 2 ? 2.0 * (double)rows : (double)rows;
  return points_of(points, m * m, m);
}

static NodeId mk_dft(Build *b, Op op, NodeId x, int64_t dim) {
  return build_node(b, op, 1, &x, 1, &dim, 0);
}
static NodeId mk_dft_to_real(Build *b, NodeId x, int64_t dim, int64_t n) {
  return build_node(b, &op_dft_to_real, 1, &x, 2, (int64_t[]){dim, n}, 0);
}

/* Frequency k of a real line of n stands for n - k too, but for 0 and half of n: the others by
 * `by`. */
static NodeId by_twins(Build *b, NodeId x, int64_t dim, int64_t n, double by) {
  if (x == NO_NODE) return x;
  const Shape s = *shape_of(b, x);
  const NodeId k = mk_iota(b, DT_I64, &s, (int)dim);
  NodeId alone = mk2(b, &op_eq, k, mk_whole(b, DT_I64, &s, 0));
  if (n % 2 == 0) alone = mk2(b, &op_or, alone, mk2(b, &op_eq, k, mk_whole(b, DT_I64, &s, n / 2)));
  return mk_select(b, alone, x, mk_scale(b, x, by));
}

static void grad_dft(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  dx[0] = mk_dft(b, n->op == &op_dft ? &op_dft_inverse : &op_dft, dy, node_attr(n, "axis"));
}
static void grad_dft_of_real(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = lines(b, op_node(b, node)), dim = node_attr(op_node(b, node), "axis");
  dx[0] = mk_dft_to_real(b, by_twins(b, dy, dim, n, 0.5), dim, n);
}
static void grad_dft_to_real(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = node_attr(op_node(b, node), "length"),
                dim = node_attr(op_node(b, node), "axis");
  dx[0] = by_twins(b, mk_dft(b, &op_dft_of_real, dy, dim), dim, n, 2);
}

#define DFT(NAME, DOC, INFER, POINTS, GRAD, ...)                                                   \
  const OpDef op_##NAME = {.name = #NAME,                                                          \
                           .doc = DOC,                                                             \
                           .infer = INFER,                                                         \
                           .rule = rule_dft,                                                       \
                           .grad = GRAD,                                                           \
                           .class = OPC_MATRIX,                                                    \
                           .kernel = "dtrt_" #NAME,                                                \
                           .flops = 4,                                                             \
                           .points = POINTS,                                                       \
                           .rounding = 8,                                                          \
                           __VA_ARGS__}
DFT(dft, "the sums over j of x[j] * exp(-2 pi i j k / n)", infer_dft, points_dft, grad_dft,
    .attr = {{"axis", ATTR_INT}});
DFT(dft_inverse, "the sums over k of x[k] * exp(2 pi i j k / n)", infer_dft, points_dft, grad_dft,
    .attr = {{"axis", ATTR_INT}});
DFT(dft_of_real, "dft of real numbers: frequencies 0 to n / 2", infer_dft_of_real, points_real,
    grad_dft_of_real, .attr = {{"axis", ATTR_INT}});
DFT(dft_to_real, "dft_inverse of frequencies 0 to n / 2, the others being their conjugates",
    infer_dft_to_real, points_real, grad_dft_to_real,
    .attr = {{"axis", ATTR_INT}, {"length", ATTR_INT}});

/* -------- transforms -------- */

enum { MOST_AXES = 3 };
typedef enum Which { FFT, IFFT, RFFT, IRFFT } Which;

static NodeId along(Build *b, NodeId z, int d, bool inverse) {
  return z == NO_NODE ? z : mk_dft(b, inverse ? &op_dft_inverse : &op_dft, z, d);
}

static NodeId of_real(Build *b, NodeId x, int d) {
  if (x == NO_NODE) return x;
  Shape s = *shape_of(b, x);
  s.dim[s.rank++] = 1;
  return mk_dft(b, &op_dft_of_real, mk_reshape(b, x, &s), d);
}

static NodeId to_real(Build *b, NodeId z, int d, int64_t n) {
  if (z == NO_NODE) return z;
  z = mk_dft_to_real(b, z, d, n);
  if (z == NO_NODE) return z;
  Shape s = *shape_of(b, z);
  s.rank--;
  return mk_reshape(b, z, &s);
}

/* The dims in their order; `count`: of a name that says how many, else 0. None given: the last so
 * many, or all. */
static bool arg_axes(Build *b, const Arg *a, int rank, int count, int *n, int *axis) {
  const Arg *at = a->kind == ARG_LIST ? a->at : a;
  const int none = count && count <= rank ? count : rank;
  *n = a->kind == ARG_NONE ? none : a->kind == ARG_LIST ? a->n : 1;
  if (*n < 1 || *n > MOST_AXES || (count && *n != count)) {
    const Span span = a->kind == ARG_NONE ? b->span : a->span;
    if (count)
      op_fail(b, span, "transforms %d dim%s, not %d", count, count == 1 ? "" : "s", *n);
    else
      op_fail(b, span, "transforms 1 to %d dims, not %d%s", MOST_AXES, *n,
              a->kind == ARG_NONE ? "; give them, as axis=[0, 1]" : "");
    return false;
  }
  for (int i = 0; i < *n; i++) {
    axis[i] = rank - *n + i;
    if (a->kind != ARG_NONE && !arg_dim(b, &at[i], "axis", rank, &axis[i])) return false;
    for (int j = 0; j < i; j++)
      if (axis[j] == axis[i])
        return op_fail(b, at[i].span, "dim %d is given twice", axis[i]), false;
  }
  return true;
}

/* What to multiply by, of `points` in all. */
static bool arg_norm(Build *b, const Arg *a, bool inverse, double points, double *by) {
  const char *text = a->kind == ARG_STRING ? a->text : "";
  if (!strcmp(text, "backward"))
    *by = inverse ? 1 / points : 1;
  else if (!strcmp(text, "forward"))
    *by = inverse ? 1 : 1 / points;
  else if (!strcmp(text, "ortho"))
    *by = 1 / sqrt(points);
  else
    return op_fail(b, a->span, "`norm` must be \"backward\", \"ortho\" or \"forward\""), false;
  return true;
}

/* Of the last dim given, real numbers have half the frequencies. */
static Arg fourier(Build *b, Which which, int count, const Arg *x, const Arg *length,
                   const Arg *axes, const Arg *norm) {
  NodeId y;
  int n, axis[MOST_AXES];
  if (which == RFFT) {
    if (!arg_tensor(b, x, "x", &y)) return NOTHING;
    if (type_of(b, y) != DT_F32 && type_of(b, y) != DT_F64)
      return arg_node(op_fail(b, b->span, "takes f32 or f64, not %s%s", op_describe(b, y),
                              dtype_is_complex(type_of(b, y)) ? "; fft takes complex numbers"
                                                              : "; cast with f32(...)"));
  } else if (!arg_complex(b, x, &y)) {
    return NOTHING;
  }
  const int rank = rank_of(b, y);
  if (rank == MAX_RANK)
    return arg_node(
        op_fail(b, b->span, "takes up to %d dims, not %s", MAX_RANK - 1, op_describe(b, y)));
  if (rank < 1)
    return arg_node(op_fail(b, b->span, "%s has no dim to transform", op_describe(b, y)));
  if (!arg_axes(b, axes, rank, count, &n, axis)) return NOTHING;
  const int last = axis[n - 1];
  const int64_t given = shape_of(b, y)->dim[last];
  int64_t full = which == IRFFT ? 2 * (given - 1) : given;
  if (length && length->kind != ARG_NONE) {
    if (!arg_int(b, length, "n", &full)) return NOTHING;
    if (full < 1 || full / 2 + 1 != given)
      return arg_node(op_fail(
          b, length->span, "%ld real numbers have %ld frequencies, but dim %d of %s has %ld",
          (long)full, (long)(full < 1 ? 0 : full / 2 + 1), last, op_describe(b, y), (long)given));
  }
  double points = 1, by;
  for (int i = 0; i < n; i++)
    points *= (double)(axis[i] == last ? full : shape_of(b, y)->dim[axis[i]]);
  if (points < 1)
    return arg_node(op_fail(b, b->span, "there is nothing to transform in %s%s", op_describe(b, y),
                            which == IRFFT && given == 1 ? "; give n=1" : ""));
  const bool inverse = which == IFFT || which == IRFFT;
  if (!arg_norm(b, norm, inverse, points, &by)) return NOTHING;
  y = which == RFFT ? of_real(b, y, last) : pairs_of(b, y);
  for (int i = n - 1; i >= 0; i--)
    if (axis[i] != last || which == FFT || which == IFFT) y = along(b, y, axis[i], inverse);
  if (which == IRFFT) y = to_real(b, y, last, full);
  if (y != NO_NODE && by != 1) y = mk_scale(b, y, by);
  return arg_node(which == IRFFT || y == NO_NODE ? y : of_pairs(b, y));
}

#define TRANSFORM(NAME, WHICH, COUNT, AXIS, DOC, EXAMPLE)                                          \
  static Arg call_##NAME(Build *b, const Arg *a) {                                                 \
    return fourier(b, WHICH, COUNT, &a[0], NULL, &a[1], &a[2]);                                    \
  }                                                                                                \
  COMPOSITE(NAME, "x, axis=" AXIS ", norm=\"backward\"", DOC, EXAMPLE, .flags = OPF_COMPLEX)
#define TO_REAL(NAME, COUNT, AXIS, DOC, EXAMPLE)                                                   \
  static Arg call_##NAME(Build *b, const Arg *a) {                                                 \
    return fourier(b, IRFFT, COUNT, &a[0], &a[1], &a[2], &a[3]);                                   \
  }                                                                                                \
  COMPOSITE(NAME, "x, n=none, axis=" AXIS ", norm=\"backward\"", DOC, EXAMPLE, .flags = OPF_COMPLEX)

TRANSFORM(fft, FFT, 1, "-1",
          "the Fourier transform of complex numbers along a dim. ifft divides by the size; norm: "
          "\"backward\", \"ortho\", \"forward\"",
          "f32[3, 6] x, f32[3, 6] y: imag(fft(complex(x, y), axis=1))")
TRANSFORM(ifft, IFFT, 1, "-1", "the inverse of fft",
          "f32[3, 6] x, f32[3, 6] y: real(ifft(complex(x, y), axis=0))")
TRANSFORM(
    rfft, RFFT, 1, "-1",
    "fft of real numbers, complex: frequencies 0 to n / 2, of which the others are conjugates",
    "f32[4, 6] x: imag(rfft(x))")
TO_REAL(irfft, 1, "-1",
        "the inverse of rfft: n real numbers, which is 2 (m - 1) of m frequencies, or given",
        "f32[3, 4] x, f32[3, 4] y: irfft(complex(x, y), 7)")
TRANSFORM(fft2, FFT, 2, "none", "fft along two dims; none: the last two",
          "f32[3, 5] x, f32[3, 5] y: imag(fft2(complex(x, y)))")
TRANSFORM(ifft2, IFFT, 2, "none", "the inverse of fft2",
          "f32[3, 5] x, f32[3, 5] y: imag(ifft2(complex(x, y)))")
TRANSFORM(rfft2, RFFT, 2, "none", "rfft along the last dim of axis, fft along the other",
          "f32[2, 4, 5] x: real(rfft2(x))")
TO_REAL(irfft2, 2, "none", "the inverse of rfft2; n: real numbers along the last dim of axis",
        "f32[2, 4, 3] x, f32[2, 4, 3] y: irfft2(complex(x, y))")
TRANSFORM(fftn, FFT, 0, "none", "fft along one to three dims; none: all",
          "f32[3, 4, 2] x, f32[3, 4, 2] y: imag(fftn(complex(x, y)))")
TRANSFORM(ifftn, IFFT, 0, "none", "the inverse of fftn",
          "f32[3, 4, 2] x, f32[3, 4, 2] y: real(ifftn(complex(x, y), axis=[2, 0]))")
TRANSFORM(rfftn, RFFT, 0, "none", "rfft along the last dim of axis, fft along up to two others",
          "f32[3, 4, 5] x: real(rfftn(x, norm=\"ortho\"))")
TO_REAL(irfftn, 0, "none", "the inverse of rfftn; n: real numbers along the last dim of axis",
        "f32[3, 4, 3] x, f32[3, 4, 3] y: irfftn(complex(x, y), 5)")
