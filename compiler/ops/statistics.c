/* Moments, norms, order statistics and running products and extremes, composed of reductions, sorts
 * and shifts. */
#include "compose.h"

/* -------- var, std, norm -------- */

typedef struct Over {
  NodeId x; /* halves as f32 */
  uint32_t dims;
  bool keep;
  DType type;
  double count;
} Over;

static bool over_args(Build *b, const Arg *x, const Arg *axis, const Arg *keep, Over *o) {
  if (!arg_tensor(b, x, "x", &o->x) || !check_float(b, o->x) ||
      !arg_dims(b, axis, "axis", shape_of(b, o->x)->rank, &o->dims) ||
      !arg_bool(b, keep, "keepdims", &o->keep))
    return false;
  o->type = type_of(b, o->x);
  o->count = 1;
  for (int d = 0; d < shape_of(b, o->x)->rank; d++)
    if (o->dims & 1u << d) o->count *= (double)shape_of(b, o->x)->dim[d];
  o->x = wide(b, o->x);
  return true;
}

/* Two passes: what is summed is small where the mean is large. */
static NodeId variance(Build *b, const Arg *a, DType *type) {
  Over o;
  int64_t less;
  if (!over_args(b, &a[0], &a[1], &a[2], &o) || !arg_int(b, &a[3], "ddof", &less)) return NO_NODE;
  *type = o.type;
  if (less < 0 || o.count - (double)less <= 0)
    return op_fail(b, a[3].kind == ARG_INT ? a[3].span : b->span,
                   "%g elements of %s leave nothing to divide by with ddof=%ld", o.count,
                   op_describe(b, o.x), (long)less);
  Shape s = *shape_of(b, o.x);
  NodeId mean = mk_scale(b, mk_reduce(b, &op_sum, o.x, o.dims, false), 1 / o.count);
  NodeId away = mk2(b, &op_sub, o.x, mk_unreduce(b, mean, &s, o.dims));
  NodeId sum = mk_reduce(b, &op_sum, mk2(b, &op_mul, away, away), o.dims, o.keep);
  return mk_scale(b, sum, 1 / (o.count - (double)less));
}

static Arg call_var(Build *b, const Arg *a) {
  DType t = DT_F32;
  NodeId r = variance(b, a, &t);
  return arg_node(build_cast(b, r, t));
}
static Arg call_std(Build *b, const Arg *a) {
  DType t = DT_F32;
  NodeId r = mk1(b, &op_sqrt, variance(b, a, &t));
  return arg_node(build_cast(b, r, t));
}
#define VARIANCE "x, axis=none, keepdims=false, ddof=0"
/* op_var is a variable. */
const OpDef op_variance = {
    .name = "var",
    .params = VARIANCE,
    .doc = "the variance over axis: squares summed, divided by their number less ddof",
    .example = "f32[4, 6] x: var(x, axis=1)",
    .call = call_var};
COMPOSITE(std, VARIANCE, "the standard deviation, sqrt(var(x))",
          "f32[4, 6] x: std(x, axis=0, ddof=1)")

static Arg call_norm(Build *b, const Arg *a) {
  Over o;
  double p;
  Arg x = a[0];
  if (x.kind == ARG_TENSOR && x.node != NO_NODE && dtype_is_complex(type_of(b, x.node)))
    x.node = mk1(b, &op_abs, x.node);
  if (!over_args(b, &x, &a[1], &a[2], &o) || !arg_number(b, &a[3], "ord", &p)) return NOTHING;
  if (!(p > 0)) return arg_node(op_fail(b, a[3].span, "`ord` must be above 0, but it is %g", p));
  NodeId r, size = p == 2 ? o.x : mk1(b, &op_abs, o.x);
  if (isinf(p)) {
    r = mk_reduce(b, &op_reduce_max, size, o.dims, o.keep);
  } else if (p == 1) {
    r = mk_reduce(b, &op_sum, size, o.dims, o.keep);
  } else if (p == 2) {
    r = mk1(b, &op_sqrt, mk_reduce(b, &op_sum, mk2(b, &op_mul, size, size), o.dims, o.keep));
  } else {
    NodeId sum =
        mk_reduce(b, &op_sum, mk2(b, &op_pow, size, mk_number(b, size, p)), o.dims, o.keep);
    r = mk2(b, &op_pow, sum, mk_number(b, sum, 1 / p));
  }
  return arg_node(build_cast(b, r, o.type));
}
COMPOSITE(norm, "x, axis=none, keepdims=false, ord=2",
          "the norm over axis as of one vector: sum(abs(x) ** ord) ** (1 / ord); inf: the largest",
          "f32[4, 6] x: norm(x, axis=1)", .flags = OPF_COMPLEX)

/* -------- median, quantile -------- */

/* Between the sorted elements at position q (n - 1); NaN where there is any, which sorts last. */
static NodeId quantile_of(Build *b, NodeId sorted, int d, double q) {
  int64_t n = shape_of(b, sorted)->dim[d];
  double at = q * (double)(n - 1), w = at - floor(at);
  NodeId r = part_of(b, sorted, d, (int64_t)at, 1), last = part_of(b, sorted, d, n - 1, 1);
  if (w > 0) {
    NodeId above = part_of(b, sorted, d, (int64_t)at + 1, 1);
    if (w == 0.5) /* halves are exact, and infinite ones have a mean */
      r = mk_add(b, mk_scale(b, r, w), mk_scale(b, above, w));
    else
      r = mk_add(b, r, mk_scale(b, mk2(b, &op_sub, above, r), w));
  }
  return mk_select(b, mk1(b, &op_isnan, last), last, r);
}

static NodeId without(Build *b, NodeId x, int d, bool keep) {
  if (x == NO_NODE || keep) return x;
  Shape s = *shape_of(b, x), t = {0};
  for (int i = 0; i < s.rank; i++)
    if (i != d) t.dim[t.rank++] = s.dim[i];
  return mk_reshape(b, x, &t);
}

static bool sorted_args(Build *b, const Arg *x, const Arg *axis, const Arg *keep, NodeId *out,
                        int *d, bool *kept) {
  if (!arg_along(b, x, axis, out, d) || !arg_bool(b, keep, "keepdims", kept) ||
      !check_float(b, *out))
    return false;
  if (!shape_of(b, *out)->dim[*d])
    return op_fail(b, b->span, "dim %d of %s is empty", *d, op_describe(b, *out)), false;
  *out = build_call(b, &op_sort, (Arg[]){arg_node(*out), arg_of_int(*d), {.kind = ARG_BOOL}}).node;
  return *out != NO_NODE;
}

static Arg call_median(Build *b, const Arg *a) {
  NodeId x;
  int d;
  bool keep;
  if (!sorted_args(b, &a[0], &a[1], &a[2], &x, &d, &keep)) return NOTHING;
  return arg_node(without(b, quantile_of(b, x, d, 0.5), d, keep));
}
COMPOSITE(median, "x, axis=-1, keepdims=false",
          "the middle of each line along one dim, or the mean of the two in the middle",
          "f32[4, 6] x: median(x, axis=1)")

static Arg call_quantile(Build *b, const Arg *a) {
  NodeId x;
  int d, n = a[1].kind == ARG_LIST ? a[1].n : 1;
  bool keep;
  double q;
  const Arg *at = a[1].kind == ARG_LIST ? a[1].at : &a[1];
  if (!sorted_args(b, &a[0], &a[2], &a[3], &x, &d, &keep)) return NOTHING;
  Arg all = arg_of_list(b, n);
  for (int i = 0; i < n; i++) {
    if (!arg_number(b, &at[i], "q", &q)) return NOTHING;
    if (!(q >= 0 && q <= 1))
      return arg_node(op_fail(b, at[i].span, "`q` must be between 0 and 1, but it is %g", q));
    all.at[i] = arg_node(without(b, quantile_of(b, x, d, q), d, keep));
  }
  if (a[1].kind != ARG_LIST) return all.at[0];
  return build_call(b, &op_stack, (Arg[]){all, arg_of_int(0)});
}
COMPOSITE(quantile, "x, q, axis=-1, keepdims=false",
          "the element at share q of each sorted line along one dim, between two in proportion; of "
          "a list of shares in a new first dim",
          "f32[4, 6] x: quantile(x, [0.1, 0.75], axis=1)")

static Arg call_argtopk(Build *b, const Arg *a) {
  Arg both = build_call(b, &op_top_k, a);
  return both.kind == ARG_LIST ? both.at[1] : both;
}
COMPOSITE(argtopk, "x, k, axis=-1", "the indices (i32) of the k largest of each line, as of top_k",
          "f32[4, 6] x: argtopk(x, 3)")

/* -------- cumprod, cummax, cummin -------- */

/* x moved by k places along a dim, away from where it begins, with `fill` where nothing is. */
static NodeId moved(Build *b, NodeId x, int d, int64_t k, bool reverse, const Arg *fill) {
  if (x == NO_NODE) return NO_NODE;
  const Shape *s = shape_of(b, x);
  int rank = s->rank;
  int64_t n = s->dim[d];
  Arg none = arg_of_list(b, rank), by = arg_of_list(b, rank);
  for (int i = 0; i < rank; i++) none.at[i] = arg_of_int(0), by.at[i] = arg_of_int(i == d ? k : 0);
  NodeId rest = part_of(b, x, d, reverse ? k : 0, n - k);
  return build_call(b, &op_pad,
                    (Arg[5]){arg_node(rest), reverse ? none : by, reverse ? by : none, *fill})
      .node;
}

/* Running results in log2(n) steps: each combines with what is 1, 2, 4, ... places before (Hillis
 * and Steele 1986). Along a split dim a step is an exchange with neighbours. */
static NodeId running(Build *b, NodeId x, int d, bool reverse, Op op, const Arg *fill) {
  int64_t n = shape_of(b, x)->dim[d];
  for (int64_t k = 1; k < n && x != NO_NODE; k *= 2)
    x = mk2(b, op, x, moved(b, x, d, k, reverse, fill));
  return x;
}

static Arg run(Build *b, const Arg *a, Op op) {
  NodeId x;
  int d;
  bool reverse, exclusive = false;
  if (!arg_along(b, &a[0], &a[1], &x, &d) || !arg_bool(b, &a[2], "reverse", &reverse) ||
      (op == &op_mul && !arg_bool(b, &a[3], "exclusive", &exclusive)))
    return NOTHING;
  DType t = type_of(b, x);
  if (t == DT_BOOL)
    return arg_node(op_fail(b, b->span, "takes numbers: cast with f32(...) or i32(...)"));
  x = op == &op_mul ? mk_wide_integer(b, wide(b, x)) : wide(b, x);
  DType u = type_of(b, x);
  Arg fill = arg_of_real(op == &op_max ? -INFINITY : INFINITY);
  if (dtype_is_int(u))
    fill = arg_node(build_whole(b, u, op == &op_max ? dtype_least(u) : dtype_top(u)));
  if (op == &op_mul) fill = arg_of_int(1);
  if (exclusive && shape_of(b, x)->dim[d]) x = moved(b, x, d, 1, reverse, &fill);
  if (x == NO_NODE) return NOTHING;
  x = running(b, x, d, reverse, op, &fill);
  return arg_node(dtype_is_half(t) ? build_cast(b, x, t) : x);
}
static Arg call_cumprod(Build *b, const Arg *a) { return run(b, a, &op_mul); }
static Arg call_cummax(Build *b, const Arg *a) { return run(b, a, &op_max); }
static Arg call_cummin(Build *b, const Arg *a) { return run(b, a, &op_min); }
COMPOSITE(
    cumprod, "x, axis=none, reverse=false, exclusive=false",
    "running products along one dim, with the options of cumsum; i64 of integers of 8 and 16 bits",
    "f32[4, 6] x: cumprod(x, axis=1)")
COMPOSITE(cummax, "x, axis=none, reverse=false", "the largest so far along one dim",
          "f32[4, 6] x: cummax(x, axis=1)")
COMPOSITE(cummin, "x, axis=none, reverse=false", "the smallest so far along one dim",
          "f32[5, 6] x: cummin(x, axis=0, reverse=true)")
