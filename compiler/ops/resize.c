/* Images of other sizes, general windows and pixel shuffles, for tensors [n, sizes..., channels].
 * Sizes change dim by dim: each result element is a weighted sum of a few elements that an index
 * computed from its own picks. */
#include "complex.h"
#include "compose.h"

typedef enum ResizeMethod { NEAREST, LINEAR, CUBIC } ResizeMethod;

static bool method_arg(Build *b, const Arg *a, ResizeMethod *out) {
  static const char *const name[] = {"nearest", "linear", "cubic"};
  for (int i = 0; i < 3 && a->kind == ARG_STRING; i++)
    if (!strcmp(a->text, name[i])) return *out = (ResizeMethod)i, true;
  op_fail(b, a->span, "`method` must be \"nearest\", \"linear\" or \"cubic\"");
  return false;
}

/* The spatial dims of x: all but the first and the last. */
static bool image_arg(Build *b, const Arg *a, NodeId *x, int *sizes) {
  if (!arg_tensor(b, a, "x", x)) return false;
  *sizes = shape_of(b, *x)->rank - 2;
  if (*sizes >= 1) return true;
  op_fail(b, b->span, "takes [n, sizes..., channels], not %s", op_describe(b, *x));
  return false;
}

/* A number for all, or one for each. */
static bool numbers_arg(Build *b, const Arg *a, const char *name, int n, int64_t least,
                        int64_t *out) {
  if (a->kind == ARG_LIST && a->n != n) {
    op_fail(b, a->span, "`%s` must have %d numbers, but it has %d", name, n, a->n);
    return false;
  }
  for (int i = 0; i < n; i++) {
    const Arg *at = a->kind == ARG_LIST ? &a->at[i] : a;
    if (!arg_int(b, at, name, &out[i])) return false;
    if (out[i] < least || out[i] > INT32_MAX) {
      op_fail(b, at->span, "`%s` must be from %ld to 2^31 - 1, but it is %ld", name, (long)least,
              (long)out[i]);
      return false;
    }
  }
  return true;
}

/* Keys 1981 with -1/2: the weight of an element at distance d, 0 <= d < 2. */
static NodeId cubic_weight(Build *b, NodeId d, bool outer) {
  NodeId r = mk_scale(b, d, outer ? -0.5 : 1.5);
  r = mk2(b, &op_mul, mk_shift(b, r, outer ? 2.5 : -2.5), d);
  if (outer)
    r = mk2(b, &op_mul, mk_shift(b, r, -4), d);
  else
    r = mk2(b, &op_mul, r, d);
  return mk_shift(b, r, outer ? 2 : 1);
}

/* The element of dim d beside `at`, held at the edges. */
static NodeId pick_beside(Build *b, NodeId x, int d, NodeId at, int64_t by) {
  int64_t n = shape_of(b, x)->dim[d];
  NodeId i = by ? mk2(b, &op_add, at, number_like(b, at, (double)by)) : at;
  i = mk2(b, &op_min, mk2(b, &op_max, i, number_like(b, i, 0)), number_like(b, i, (double)(n - 1)));
  return mk_gather(b, x, i, d);
}

/* Half-pixel centers: element o of m lies at ((2 o + 1) n - m) / (2 m) of n, in exact integers. */
static NodeId resize_dim(Build *b, NodeId x, int d, int64_t m, ResizeMethod method) {
  if (x == NO_NODE) return NO_NODE;
  const int64_t n = shape_of(b, x)->dim[d];
  const DType t = type_of(b, x);
  Shape s = {.rank = 1, .dim = {m}};
  if (n == m) return x;
  NodeId o = mk_iota(b, DT_I64, &s, 0), two_m = mk_whole(b, DT_I64, &s, 2 * m);
  NodeId place = mk2(b, &op_mul, o, mk_whole(b, DT_I64, &s, 2 * n));
  place = mk2(b, &op_add, place, mk_whole(b, DT_I64, &s, method == NEAREST ? n : n - m));
  NodeId at = mk2(b, &op_floordiv, place, two_m);
  if (method == NEAREST) return mk_gather(b, x, build_cast(b, at, DT_I32), d);
  NodeId over = mk2(b, &op_sub, place, mk2(b, &op_mul, at, two_m));
  NodeId w = mk_scale(b, build_cast(b, over, t), 0.5 / (double)m), sum = NO_NODE;
  at = build_cast(b, at, DT_I32);
  Shape full = *shape_of(b, x);
  full.dim[d] = m;
  for (int k = method == LINEAR ? 0 : -1; k <= (method == LINEAR ? 1 : 2); k++) {
    NodeId far = k <= 0 ? w : mk2(b, &op_sub, mk_number(b, w, 1), w); /* from 0, or from 1 */
    if (k == -1 || k == 2) far = mk_shift(b, far, 1);
    NodeId weight = method == CUBIC ? cubic_weight(b, far, k == -1 || k == 2)
                                    : mk2(b, &op_sub, mk_number(b, far, 1), far);
    NodeId term = mk2(b, &op_mul, pick_beside(b, x, d, at, k), spread_along(b, weight, &full, d));
    sum = sum == NO_NODE ? term : mk_add(b, sum, term);
  }
  return sum;
}

/* To fewer elements with the kernel as wide as the step between them: the product with a matrix of
 * weights [m, n] whose rows add up to 1 (what lies outside has none). Element o lies
 * |(2 j + 1) m - (2 o + 1) n| / (2 n) steps from element j, exactly. */
static NodeId smooth_dim(Build *b, NodeId x, int d, int64_t m, ResizeMethod method) {
  if (x == NO_NODE) return NO_NODE;
  const Shape own = *shape_of(b, x), s = {.rank = 2, .dim = {m, own.dim[d]}};
  const int64_t n = own.dim[d];
  NodeId at[2];
  for (int k = 0; k < 2; k++) {
    NodeId odd = mk2(b, &op_mul, mk_iota(b, DT_I64, &s, 1 - k), mk_whole(b, DT_I64, &s, 2));
    odd = mk2(b, &op_add, odd, mk_whole(b, DT_I64, &s, 1));
    at[k] = mk2(b, &op_mul, odd, mk_whole(b, DT_I64, &s, k ? n : m));
  }
  NodeId far = build_cast(b, mk1(b, &op_abs, mk2(b, &op_sub, at[0], at[1])), DT_F64);
  far = mk_scale(b, far, 0.5 / (double)n);
  const NodeId one = mk_number(b, far, 1), none = mk_number(b, far, 0);
  NodeId w = method == CUBIC ? cubic_weight(b, far, false) : mk2(b, &op_sub, one, far), rest = none;
  if (method == CUBIC) {
    const NodeId near = mk2(b, &op_lt, far, mk_number(b, far, 2));
    rest = mk_select(b, near, cubic_weight(b, far, true), none);
  }
  w = mk_select(b, mk2(b, &op_lt, far, one), w, rest);
  const NodeId all = mk_reduce(b, &op_sum, w, 1u << 1, false);
  w = build_cast(b, mk2(b, &op_div, w, spread_along(b, all, &s, 0)), type_of(b, x));
  int8_t lx[MAX_RANK], lout[MAX_RANK], lw[2] = {(int8_t)own.rank, (int8_t)d};
  for (int k = 0; k < own.rank; k++) lx[k] = (int8_t)k, lout[k] = k == d ? lw[0] : (int8_t)k;
  const int precision = b->precision; /* an image's elements are no operands of a model's product */
  b->precision = 0;
  const NodeId y = mk_contract(b, x, w, lx, lw, own.rank, lout);
  b->precision = precision;
  return y;
}

static Arg resized(Build *b, NodeId x, int sizes, const int64_t *to, ResizeMethod method,
                   bool smooth) {
  DType t = type_of(b, x);
  if (method != NEAREST && dtype_is_complex(t)) {
    Complex z = complex_parts(b, x);
    z.re = resized(b, z.re, sizes, to, method, smooth).node;
    z.im = resized(b, z.im, sizes, to, method, smooth).node;
    return arg_node(z.im == NO_NODE ? NO_NODE : complex_join(b, z));
  }
  for (int i = 0; i < sizes; i++)
    if (!shape_of(b, x)->dim[i + 1])
      return arg_node(op_fail(b, b->span, "dim %d of %s is empty", i + 1, op_describe(b, x)));
  if (method != NEAREST && !check_float(b, x)) return NOTHING;
  if (method != NEAREST) x = wide(b, x);
  for (int i = 0; i < sizes && x != NO_NODE; i++)
    x = smooth && to[i] < shape_of(b, x)->dim[i + 1] ? smooth_dim(b, x, i + 1, to[i], method)
                                                     : resize_dim(b, x, i + 1, to[i], method);
  return arg_node(x == NO_NODE ? x : build_cast(b, x, t));
}

static Arg call_resize(Build *b, const Arg *a) {
  NodeId x;
  int sizes;
  int64_t to[MAX_RANK];
  ResizeMethod method;
  bool smooth;
  if (!image_arg(b, &a[0], &x, &sizes) || !numbers_arg(b, &a[1], "size", sizes, 1, to) ||
      !method_arg(b, &a[2], &method) || !arg_bool(b, &a[3], "antialias", &smooth))
    return NOTHING;
  if (smooth && method == NEAREST)
    return arg_node(op_fail(b, a[3].span, "`antialias` takes the method \"linear\" or \"cubic\""));
  return resized(b, x, sizes, to, method, smooth);
}
COMPOSITE(
    resize, "x, size, method=\"linear\", antialias=false",
    "[n, sizes..., channels] in other sizes, \"nearest\", \"linear\" or \"cubic\" (Keys, -1/2): "
    "half-pixel centers, edges repeated; with antialias, where it shrinks, means over as many more "
    "elements, as in Pillow and jax.image",
    "f32[2, 4, 3, 2] x: resize(x, [6, 5], \"linear\")", .flags = OPF_COMPLEX)

static Arg call_upsample(Build *b, const Arg *a) {
  NodeId x;
  int sizes;
  int64_t to[MAX_RANK];
  ResizeMethod method;
  if (!image_arg(b, &a[0], &x, &sizes) || !numbers_arg(b, &a[1], "scale", sizes, 1, to) ||
      !method_arg(b, &a[2], &method))
    return NOTHING;
  if (method == NEAREST) {
    for (int i = 0; i < sizes; i++)
      x = build_call(b, &op_repeat_interleave,
                     (Arg[]){arg_node(x), arg_of_int(to[i]), arg_of_int(i + 1)})
              .node;
    return arg_node(x);
  }
  for (int i = 0; i < sizes; i++) to[i] *= shape_of(b, x)->dim[i + 1];
  return resized(b, x, sizes, to, method, false);
}
COMPOSITE(upsample, "x, scale, method=\"nearest\"",
          "[n, sizes..., channels] in sizes multiplied by integers, by the methods of resize",
          "f32[2, 3, 2, 2] x: upsample(x, [2, 3])", .flags = OPF_COMPLEX)

/* -------- reduce_window: dim by dim -------- */

typedef struct WindowArgs {
  int64_t size[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK],
      out[MAX_RANK];
  double points;
} WindowArgs;

static bool padding_arg(Build *b, const Arg *a, const Shape *s, WindowArgs *w) {
  bool same = a->kind == ARG_STRING && !strcmp(a->text, "same");
  bool valid = a->kind == ARG_STRING && !strcmp(a->text, "valid");
  if (!same && !valid && (a->kind != ARG_LIST || a->n != s->rank))
    return op_fail(b, a->span,
                   "`padding` must be \"valid\", \"same\" or a pair for each of %d dims", s->rank),
           false;
  for (int d = 0; d < s->rank; d++) {
    int64_t span = (w->size[d] - 1) * w->dilation[d] + 1, pair[2] = {0, 0};
    if (same) {
      int64_t out = (s->dim[d] + w->stride[d] - 1) / w->stride[d];
      int64_t all = (out - 1) * w->stride[d] + span - s->dim[d];
      pair[0] = all > 0 ? all / 2 : 0, pair[1] = all > 0 ? all - all / 2 : 0;
    } else if (!valid && !numbers_arg(b, &a->at[d], "padding", 2, 0, pair)) {
      return false;
    }
    w->lo[d] = pair[0], w->hi[d] = pair[1];
    int64_t room = s->dim[d] + pair[0] + pair[1] - span;
    if (room < 0)
      return op_fail(b, b->span, "a window of %ld does not fit in dim %d", (long)span, d), false;
    w->out[d] = room / w->stride[d] + 1;
    w->points *= (double)w->size[d];
  }
  return true;
}

/* x, whose dims behind d are reduced. */
static NodeId reduce_along(Build *b, Op op, NodeId x, int d, const WindowArgs *w) {
  int64_t start[MAX_RANK] = {0}, out[MAX_RANK], stride[MAX_RANK];
  const Shape s = *shape_of(b, x);
  for (int i = 0; i < s.rank; i++) out[i] = s.dim[i], stride[i] = 1;
  out[d] = w->out[d], stride[d] = w->stride[d];
  NodeId r = NO_NODE;
  for (int64_t p = 0; p < w->size[d]; p++, start[d] += w->dilation[d]) {
    const NodeId y = mk_slice(b, x, start, out, stride);
    r = r == NO_NODE ? y : mk2(b, op, r, y);
  }
  return r;
}

static Arg call_reduce_window(Build *b, const Arg *a) {
  static const struct {
    const char *name;
    Op op;
  } how[] = {{"max", &op_max}, {"min", &op_min}, {"sum", &op_add}, {"prod", &op_mul}};
  NodeId x;
  WindowArgs w = {.points = 1};
  Op op = NULL;
  if (!arg_tensor(b, &a[0], "x", &x)) return NOTHING;
  Shape s = *shape_of(b, x);
  for (int i = 0; i < 4 && a[2].kind == ARG_STRING; i++)
    if (!strcmp(a[2].text, how[i].name)) op = how[i].op;
  if (!op)
    return arg_node(
        op_fail(b, a[2].span, "`reduce` must be \"max\", \"min\", \"sum\" or \"prod\""));
  DType t = type_of(b, x);
  if (t == DT_BOOL) return arg_node(op_fail(b, b->span, "takes numbers, not bool"));
  if (!numbers_arg(b, &a[1], "window", s.rank, 1, w.size) ||
      !numbers_arg(b, &a[3], "stride", s.rank, 1, w.stride) ||
      !numbers_arg(b, &a[5], "dilation", s.rank, 1, w.dilation) || !padding_arg(b, &a[4], &s, &w))
    return NOTHING;
  if (w.points > 4096)
    return arg_node(op_fail(b, a[1].span, "a window of %g elements is too large", w.points));
  x = wide(b, x);
  t = type_of(b, x);
  bool largest = op == &op_max, extreme = largest || op == &op_min;
  Arg fill = arg_of_int(op == &op_mul), lo = arg_of_list(b, s.rank), hi = arg_of_list(b, s.rank);
  if (extreme && dtype_is_int(t))
    fill = arg_node(build_whole(b, t, largest ? dtype_least(t) : dtype_top(t)));
  if (extreme && !dtype_is_int(t)) fill = arg_of_real(largest ? -INFINITY : INFINITY);
  for (int d = 0; d < s.rank; d++) lo.at[d] = arg_of_int(w.lo[d]), hi.at[d] = arg_of_int(w.hi[d]);
  x = build_call(b, &op_pad, (Arg[5]){arg_node(x), lo, hi, fill}).node;
  for (int d = s.rank; d-- > 0 && x != NO_NODE;) x = reduce_along(b, op, x, d, &w);
  return arg_node(x == NO_NODE ? x : build_cast(b, x, type_of(b, a[0].node)));
}
COMPOSITE(
    reduce_window, "x, window, reduce=\"max\", stride=1, padding=\"valid\", dilation=1",
    "max, min, sum or prod of the elements below a window at each of its places, in every dim",
    "f32[5, 6] x: reduce_window(x, [2, 3], \"sum\", stride=[1, 2], padding=\"same\")")

/* -------- pixel shuffle -------- */

/* [n, h, w, c r r] -> [n, h r, w r, c], or back. */
static Arg shuffled(Build *b, const Arg *a, bool back) {
  NodeId x;
  int sizes;
  int64_t r;
  if (!image_arg(b, &a[0], &x, &sizes) || !arg_int(b, &a[1], "r", &r)) return NOTHING;
  Shape s = *shape_of(b, x);
  if (sizes != 2)
    return arg_node(op_fail(b, b->span, "takes [n, h, w, channels], not %s", op_describe(b, x)));
  if (r < 1 || r > 1 << 15)
    return arg_node(op_fail(b, a[1].span, "`r` must be from 1 to 2^15, but it is %ld", (long)r));
  if (back ? s.dim[1] % r || s.dim[2] % r : s.dim[3] % (r * r))
    return arg_node(op_fail(b, b->span, "%s of %s is not a multiple of %ld",
                            back ? "a size" : "the number of channels", op_describe(b, x),
                            (long)(back ? r : r * r)));
  if (!back) {
    Shape t = {6, {s.dim[0], s.dim[1], s.dim[2], s.dim[3] / (r * r), r, r}};
    Shape u = {4, {s.dim[0], s.dim[1] * r, s.dim[2] * r, t.dim[3]}};
    return arg_node(
        mk_reshape(b, mk_transpose(b, mk_reshape(b, x, &t), (int[]){0, 1, 4, 2, 5, 3}), &u));
  }
  Shape t = {6, {s.dim[0], s.dim[1] / r, r, s.dim[2] / r, r, s.dim[3]}};
  Shape u = {4, {s.dim[0], t.dim[1], t.dim[3], s.dim[3] * r * r}};
  return arg_node(
      mk_reshape(b, mk_transpose(b, mk_reshape(b, x, &t), (int[]){0, 1, 3, 5, 2, 4}), &u));
}
static Arg call_pixel_shuffle(Build *b, const Arg *a) { return shuffled(b, a, false); }
static Arg call_pixel_unshuffle(Build *b, const Arg *a) { return shuffled(b, a, true); }
COMPOSITE(
    pixel_shuffle, "x, r",
    "[n, h, w, c r r] as [n, h r, w r, c]: channel (c, i, j) becomes row i and column j of a pixel",
    "f32[2, 3, 2, 8] x: pixel_shuffle(x, 2)",
    .flags = OPF_COMPLEX)
COMPOSITE(pixel_unshuffle, "x, r",
          "[n, h r, w r, c] as [n, h, w, c r r], what pixel_shuffle undoes",
          "f32[2, 4, 6, 2] x: pixel_unshuffle(x, 2)",
          .flags = OPF_COMPLEX)
