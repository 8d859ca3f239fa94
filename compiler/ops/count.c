/* Sorting by keys, places in sorted lines, and counts by class. */
#include "compose.h"
#include "scan.h"

static Arg as_list(Build *b, const Arg *a) {
  if (a->kind == ARG_LIST) return *a;
  Arg one = arg_of_list(b, 1);
  one.at[0] = *a;
  return one;
}

static Arg call_sort_by(Build *b, const Arg *a) {
  NodeId first = NO_NODE, at = NO_NODE;
  int d = 0;
  const Arg keys = as_list(b, &a[0]), values = as_list(b, &a[1]), down = as_list(b, &a[3]);
  Arg out = arg_of_list(b, keys.n + values.n);
  if (!keys.n) return arg_node(op_fail(b, a[0].span, "an empty list of keys"));
  if (a[3].kind == ARG_LIST && down.n != keys.n)
    return arg_node(op_fail(b, a[3].span,
                            "`descending` must have one value for each of %d keys, but it has %d",
                            keys.n, down.n));
  if (!arg_along(b, &keys.at[0], &a[2], &first, &d)) return NOTHING;
  for (int i = 0; i < out.n; i++) {
    NodeId x;
    const Arg *from = i < keys.n ? &keys.at[i] : &values.at[i - keys.n];
    if (!arg_tensor(b, from, i < keys.n ? "keys" : "values", &x)) return NOTHING;
    if (!shape_equal(shape_of(b, x), shape_of(b, first)))
      return arg_node(op_fail(b, from->span, "%s is not of the shape of the keys, %s",
                              op_describe(b, x), op_describe(b, first)));
    out.at[i] = arg_node(x);
  }
  /* From the last key to the first: sorts are stable. */
  for (int i = keys.n; i-- > 0;) {
    bool descending;
    if (!arg_bool(b, a[3].kind == ARG_LIST ? &down.at[i] : &a[3], "descending", &descending))
      return NOTHING;
    const NodeId key = at == NO_NODE ? out.at[i].node : mk_pick(b, out.at[i].node, at, d);
    const NodeId order = mk_order(b, key, d, shape_of(b, first)->dim[d], descending, false);
    if (order == NO_NODE) return NOTHING;
    at = at == NO_NODE ? order : mk_pick(b, at, order, d);
  }
  for (int i = 0; i < out.n; i++) out.at[i].node = mk_pick(b, out.at[i].node, at, d);
  return out;
}
COMPOSITE(
    sort_by, "keys, values, axis=-1, descending=false",
    "a list of the keys sorted along one dim, as by sort, and of each of a list of values in "
    "the same order: `keys, a, b = sort_by(keys, [a, b])`; of a list of keys each decides where "
    "those before are equal, and `descending` may be a list, too",
    "f32[4, 6] x, f32[4, 6] y: sort_by(x, [y, x])[1]", .flags = OPF_COMPLEX)

/* How many of n sorted elements come before each x: steps of a power of 2, from the largest. */
static NodeId places(Build *b, NodeId sorted, NodeId x, bool right) {
  int64_t n = shape_of(b, sorted)->dim[0], step = 1;
  Shape s = *shape_of(b, x);
  bool real = dtype_is_float(type_of(b, x));
  NodeId at = mk_whole(b, DT_I32, &s, 0);
  while (step * 2 <= n) step *= 2;
  for (; step >= 1 && n > 0 && at != NO_NODE; step /= 2) {
    NodeId next = mk2(b, &op_add, at, mk_whole(b, DT_I32, &s, step));
    NodeId last = mk2(b, &op_sub, next, mk_whole(b, DT_I32, &s, 1));
    NodeId v = mk_gather(b, sorted, mk2(b, &op_min, last, mk_whole(b, DT_I32, &s, n - 1)), 0);
    NodeId before = mk2(b, right ? &op_le : &op_lt, v, x);
    if (real) { /* NaN is the largest */
      NodeId nan = mk1(b, &op_isnan, x);
      if (!right) nan = mk2(b, &op_and, nan, mk1(b, &op_not, mk1(b, &op_isnan, v)));
      before = mk2(b, &op_or, before, nan);
    }
    before = mk2(b, &op_and, before, mk2(b, &op_le, next, mk_whole(b, DT_I32, &s, n)));
    at = mk_select(b, before, next, at);
  }
  return at;
}

static Arg call_searchsorted(Build *b, const Arg *a) {
  NodeId sorted, x;
  if (!arg_tensor(b, &a[0], "sorted", &sorted)) return NOTHING;
  x = build_tensor(b, &a[1], type_of(b, sorted));
  if (x == NO_NODE) return NOTHING;
  bool right = a[2].kind == ARG_STRING && !strcmp(a[2].text, "right");
  if (!right && (a[2].kind != ARG_STRING || strcmp(a[2].text, "left")))
    return arg_node(op_fail(b, a[2].span, "`side` must be \"left\" or \"right\""));
  if (shape_of(b, sorted)->rank != 1)
    return arg_node(op_fail(b, a[0].span, "`sorted` has one dim, not %s", op_describe(b, sorted)));
  if (type_of(b, sorted) != type_of(b, x) || type_of(b, x) == DT_BOOL)
    return arg_node(op_fail(b, b->span, "takes numbers of one type, not %s and %s",
                            op_describe(b, sorted), op_describe(b, x)));
  if (shape_of(b, sorted)->dim[0] > INT32_MAX / 2)
    return arg_node(
        op_fail(b, a[0].span, "%s has more elements than i32 can index", op_describe(b, sorted)));
  return arg_node(places(b, sorted, x, right));
}
COMPOSITE(searchsorted, "sorted, x, side=\"left\"",
          "how many elements of a rising tensor of one dim are below each x (i32), or with "
          "side=\"right\" not above it: where x would stand",
          "f32[7] x, f32[4, 6] y: searchsorted(sort(x), y)")

/* -------- counts by class -------- */

static NodeId flat(Build *b, NodeId x) {
  Shape s = {1, {shape_count(shape_of(b, x))}};
  return mk_reshape(b, x, &s);
}

static Arg call_bincount(Build *b, const Arg *a) {
  NodeId x, w;
  int64_t n;
  if (!arg_tensor(b, &a[0], "x", &x) || !check_integer(b, x, "classes") ||
      !arg_int(b, &a[1], "count", &n))
    return NOTHING;
  if (n < 0) return arg_node(op_fail(b, a[1].span, "`count` cannot be negative: %ld", (long)n));
  Shape s = *shape_of(b, x);
  if (a[2].kind == ARG_NONE) {
    w = mk_whole(b, DT_I32, &s, 1);
  } else {
    if (!arg_tensor(b, &a[2], "weights", &w)) return NOTHING;
    if (!shape_equal(shape_of(b, w), &s) || type_of(b, w) == DT_BOOL)
      return arg_node(op_fail(b, a[2].span, "`weights` must be numbers of the shape of %s, not %s",
                              op_describe(b, x), op_describe(b, w)));
  }
  DType t = type_of(b, w);
  return arg_node(build_cast(b, mk_scatter(b, flat(b, x), flat(b, wide(b, w)), 0, n), t));
}
COMPOSITE(
    bincount, "x, count, weights=none",
    "how often each of the classes 0 to count - 1 occurs in x (i32), or the sum of its weights; "
    "another class stops the program",
    "i32[4, 6] x%5, f32[4, 6] w: bincount(x, 5, w)")

static Arg call_histogram(Build *b, const Arg *a) {
  NodeId x;
  int64_t n;
  double lo, hi;
  if (!arg_tensor(b, &a[0], "x", &x) || !check_float(b, x) || !arg_int(b, &a[1], "bins", &n) ||
      !arg_number(b, &a[2], "lo", &lo) || !arg_number(b, &a[3], "hi", &hi))
    return NOTHING;
  if (n < 1 || n > 1 << 24)
    return arg_node(op_fail(b, a[1].span, "`bins` must be from 1 to 2^24, but it is %ld", (long)n));
  if (!(lo < hi) || !isfinite(hi - lo))
    return arg_node(op_fail(b, a[2].span, "`lo` must be below `hi`"));
  x = flat(b, wide(b, x));
  NodeId at = mk_scale(b, mk_shift(b, x, -lo), (double)n / (hi - lo));
  NodeId inside = mk2(b, &op_and, mk2(b, &op_ge, x, mk_number(b, x, lo)),
                      mk2(b, &op_le, x, mk_number(b, x, hi)));
  NodeId i = build_cast(b, at, DT_I32); /* towards 0; beyond the ends it saturates */
  i = mk2(b, &op_min, mk2(b, &op_max, i, number_like(b, i, 0)), number_like(b, i, (double)(n - 1)));
  return arg_node(mk_scatter(b, i, build_cast(b, inside, DT_I32), 0, n));
}
COMPOSITE(
    histogram, "x, bins, lo, hi",
    "how many elements of x lie in each of `bins` equal parts of [lo, hi] (i32); hi is in the "
    "last, others and NaN in none",
    "f32[4, 6] x: histogram(x, 5, -1, 1)")
