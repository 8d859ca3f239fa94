/* Tensors made of numbers and indices, and copies of tensors in other arrangements: arange to
 * rot90. All are composed of iota, broadcasts, comparisons and reversals. */
#include "compose.h"
#include "plural.h"

static NodeId index_along(Build *b, const Shape *s, int dim) { return mk_iota(b, DT_I32, s, dim); }

/* Whether a number is given as an integer. */
static bool whole_arg(const Arg *a) { return a->kind == ARG_INT || a->kind == ARG_NONE; }

/* -------- arange, linspace, eye -------- */

static Arg call_arange(Build *b, const Arg *a) {
  double from, to, by;
  Arg zero = arg_of_int(0);
  const Arg *first = a[1].kind == ARG_NONE ? &zero : &a[0],
            *last = a[1].kind == ARG_NONE ? &a[0] : &a[1];
  bool whole = whole_arg(&a[0]) && whole_arg(&a[1]) && whole_arg(&a[2]);
  DType t = whole ? DT_I32 : DT_F32;
  if (!arg_number(b, first, "start", &from) || !arg_number(b, last, "stop", &to) ||
      !arg_number(b, &a[2], "step", &by) ||
      (a[3].kind != ARG_NONE && !arg_dtype(b, &a[3], "dtype", &t)))
    return NOTHING;
  if (by == 0) return arg_node(op_fail(b, a[2].span, "`step` cannot be 0"));
  double n = fmax(0, ceil((to - from) / by));
  if (!(n < 0x1p46)) return arg_node(op_fail(b, b->span, "%g numbers are too many", n));
  if (t == DT_BOOL) return arg_node(op_fail(b, b->span, "counts in numbers, not bool"));
  if (!whole && dtype_is_int(t))
    return arg_node(
        op_fail(b, b->span, "%s takes integers as start, stop and step", dtype_name(t)));
  Shape s = {.rank = 1, .dim = {(int64_t)n}};
  if (dtype_is_float(t)) {
    NodeId i = mk_iota(b, t == DT_F64 ? t : DT_F32, &s, 0);
    if (by != 1) i = mk_scale(b, i, by);
    return arg_node(build_cast(b, from != 0 ? mk_shift(b, i, from) : i, t));
  }
  Arg end = arg_of_int(first->i + ((int64_t)n - 1) * a[2].i);
  if (n > 0 && (build_tensor(b, first, t) == NO_NODE || build_tensor(b, &end, t) == NO_NODE))
    return NOTHING;
  NodeId i = mk_iota(b, t, &s, 0);
  if (by != 1) i = mk2(b, &op_mul, i, mk_whole(b, t, &s, a[2].i));
  return arg_node(first->i ? mk2(b, &op_add, i, mk_whole(b, t, &s, first->i)) : i);
}
COMPOSITE(arange, "start, stop=none, step=1, dtype=none",
          "start, start + step, ... below stop; arange(n) is 0 to n - 1. i32 of integers, else f32",
          "i32[4] x: x + arange(2, 13, 3)")

static Arg call_linspace(Build *b, const Arg *a) {
  double from, to;
  int64_t n;
  DType t;
  if (!arg_number(b, &a[0], "start", &from) || !arg_number(b, &a[1], "stop", &to) ||
      !arg_int(b, &a[2], "n", &n) || !arg_dtype(b, &a[3], "dtype", &t) ||
      !op_check_number(b, a[0].span, t, from) || !op_check_number(b, a[1].span, t, to))
    return NOTHING;
  if (n < 1)
    return arg_node(op_fail(b, a[2].span, "`n` must be at least 1, but it is %ld", (long)n));
  if (!dtype_is_float(t))
    return arg_node(op_fail(b, b->span, "gives floating-point numbers, not %s", dtype_name(t)));
  Shape s = {.rank = 1, .dim = {n}};
  DType u = t == DT_F64 ? t : DT_F32;
  NodeId i = mk_iota(b, u, &s, 0), x = n == 1 ? i : mk_scale(b, i, (to - from) / (double)(n - 1));
  x = mk_shift(b, x, from);
  if (n > 1) /* exactly */
    x = mk_select(b, mk2(b, &op_eq, i, number_like(b, i, (double)(n - 1))), number_like(b, x, to),
                  x);
  return arg_node(build_cast(b, x, t));
}
COMPOSITE(linspace, "start, stop, n, dtype=f32", "n numbers at equal distances from start to stop",
          "f32[5] x: x + linspace(-1, 1, 5, f32)")

static Arg call_eye(Build *b, const Arg *a) {
  Shape s = {.rank = 2};
  DType t;
  if (!arg_int(b, &a[0], "n", &s.dim[0]) || !arg_dtype(b, &a[2], "dtype", &t)) return NOTHING;
  s.dim[1] = s.dim[0];
  if (a[1].kind != ARG_NONE && !arg_int(b, &a[1], "m", &s.dim[1])) return NOTHING;
  if (s.dim[0] < 0 || s.dim[1] < 0)
    return arg_node(op_fail(b, b->span, "a size cannot be negative"));
  return arg_node(build_cast(b, mk2(b, &op_eq, index_along(b, &s, 0), index_along(b, &s, 1)), t));
}
COMPOSITE(eye, "n, m=none, dtype=f32", "the identity matrix of n rows and m (or n) columns",
          "f32[4, 6] x: x + eye(4, 6, f32)")

/* -------- tril, triu, diag -------- */

/* column - row of the last two dims of s, compared with k. */
static NodeId beside_diagonal(Build *b, const Shape *s, Op compare, int64_t k) {
  NodeId row = index_along(b, s, s->rank - 2), column = index_along(b, s, s->rank - 1);
  if (k) row = mk2(b, &op_add, row, mk_whole(b, DT_I32, s, k));
  return mk2(b, compare, row, column);
}

static Arg triangle(Build *b, const Arg *a, Op compare) {
  NodeId x;
  int64_t k;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_int(b, &a[1], "k", &k)) return NOTHING;
  Shape s = *shape_of(b, x);
  if (s.rank < 2)
    return arg_node(op_fail(b, b->span, "takes two dims at least, not %s", op_describe(b, x)));
  if (k > INT32_MAX / 2 || k < INT32_MIN / 2)
    return arg_node(op_fail(b, a[1].span, "there is no diagonal %ld", (long)k));
  return arg_node(mk_select(b, beside_diagonal(b, &s, compare, k), x, number_like(b, x, 0)));
}
static Arg call_tril(Build *b, const Arg *a) { return triangle(b, a, &op_ge); }
static Arg call_triu(Build *b, const Arg *a) { return triangle(b, a, &op_le); }
COMPOSITE(tril, "x, k=0", "the last two dims with 0 above their diagonal k",
          "f32[4, 6] x: tril(x, 1)",
          .flags = OPF_COMPLEX)
COMPOSITE(triu, "x, k=0", "the last two dims with 0 below their diagonal k", "f32[4, 6] x: triu(x)",
          .flags = OPF_COMPLEX)

static NodeId on_diagonal(Build *b, NodeId x, int64_t k) {
  Shape s = {.rank = 2};
  int64_t n = shape_of(b, x)->dim[0], far = k < 0 ? -k : k;
  s.dim[0] = s.dim[1] = n + far;
  NodeId line = mk_pad(b, x, (int64_t[]){0}, &far, (int64_t[]){0}, 0);
  NodeId all = spread_along(b, line, &s, k < 0); /* x[i] along its row, or its column */
  return mk_select(b, beside_diagonal(b, &s, &op_eq, k), all, number_like(b, all, 0));
}

static Arg call_diag(Build *b, const Arg *a) {
  NodeId x;
  int64_t k;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_int(b, &a[1], "k", &k)) return NOTHING;
  Shape s = *shape_of(b, x);
  int r = s.rank;
  const DType t = type_of(b, x);
  if (!r) return arg_node(op_fail(b, b->span, "a scalar has no diagonal"));
  if (k > 1 << 30 || k < -(1 << 30))
    return arg_node(op_fail(b, a[1].span, "there is no diagonal %ld", (long)k));
  if (r == 1) return arg_node(on_diagonal(b, x, k));
  int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  int64_t m = s.dim[r - 2] - row, n = s.dim[r - 1] - column, len = m < n ? m : n;
  if (len < 0)
    return arg_node(op_fail(b, a[1].span, "%s has no diagonal %ld", op_describe(b, x), (long)k));
  x = part_of(b, part_of(b, x, r - 2, row, len), r - 1, column, len);
  s.dim[r - 2] = s.dim[r - 1] = len;
  if (dtype_is_stored(t)) x = build_cast(b, x, DT_F32);
  x = mk_select(b, beside_diagonal(b, &s, &op_eq, 0), x, number_like(b, x, 0));
  x = mk_reduce(b, t == DT_BOOL ? &op_any : &op_sum, x, 1u << (r - 1), false);
  return arg_node(build_cast(b, x, t));
}
COMPOSITE(diag, "x, k=0",
          "of one dim: the matrix with x on its diagonal k; of more: that diagonal of the last two",
          "f32[4, 6] x: diag(x, 1)",
          .flags = OPF_COMPLEX)

/* -------- array -------- */

enum { MOST_PARTS = 1024 };

typedef struct Literal {
  Shape shape;
  const Arg **at;
  int64_t n;
  bool real, truth;
} Literal;

static bool read_literal(Build *b, const Arg *a, int depth, Literal *l) {
  if (a->kind != ARG_LIST) {
    if (a->kind != ARG_INT && a->kind != ARG_REAL && a->kind != ARG_BOOL)
      return op_fail(b, a->span, "an array is made of numbers or of true and false%s",
                     a->kind == ARG_TENSOR ? "; stack([x, y]) makes a tensor of tensors" : ""),
             false;
    if (depth != l->shape.rank)
      return op_fail(b, a->span, "a number beside a list: rows of an array are of one shape"),
             false;
    l->real = l->real || a->kind == ARG_REAL;
    l->truth = l->truth || a->kind == ARG_BOOL;
    l->at[l->n++] = a;
    return true;
  }
  if (depth == l->shape.rank)
    return op_fail(b, a->span, "a list beside a number: rows of an array are of one shape"), false;
  if (a->n != l->shape.dim[depth])
    return op_fail(b, a->span, "this row has %d element%s, the first one of its kind %ld", a->n,
                   a->n == 1 ? "" : "s", (long)l->shape.dim[depth]),
           false;
  for (int i = 0; i < a->n; i++)
    if (!read_literal(b, &a->at[i], depth + 1, l)) return false;
  return true;
}

/* Runs of equal elements are one constant each. */
static NodeId literal_line(Build *b, const Literal *l, DType t) {
  NodeId part[MOST_PARTS];
  int parts = 0;
  for (int64_t i = 0, from = 0; i < l->n; from = i) {
    const Arg *x = l->at[i];
    while (i < l->n && l->at[i]->kind == x->kind && l->at[i]->i == x->i &&
           !memcmp(&l->at[i]->real, &x->real, sizeof x->real))
      i++;
    if (parts == MOST_PARTS)
      return op_fail(b, b->span,
                     "an array literal may have %d runs of different numbers; read longer ones "
                     "from a file, as an input or a variable",
                     MOST_PARTS);
    Arg number = *x;
    if (t != DT_BOOL && x->kind == ARG_BOOL) number = arg_of_int(x->i);
    NodeId one = build_tensor(b, &number, t);
    part[parts++] = one == NO_NODE ? one : mk_broadcast_to(b, one, &(Shape){1, {i - from}});
    if (part[parts - 1] == NO_NODE) return NO_NODE;
  }
  if (!parts) return mk_const(b, t, &(Shape){1, {0}}, 0);
  return mk_concat(b, parts, part, 0);
}

NodeId build_array(Build *b, const Arg *a, const DType *type) {
  Literal l = {0};
  int64_t count = 1;
  for (const Arg *row = a; row->kind == ARG_LIST; row = row->at) {
    if (l.shape.rank == MAX_RANK)
      return op_fail(b, a->span, "a tensor has at most %d dims", MAX_RANK);
    l.shape.dim[l.shape.rank++] = row->n;
    count *= row->n;
    if (!row->n) break;
    if (count > 1 << 20)
      return op_fail(b, a->span, "an array literal of more than a million numbers");
  }
  l.at = arena_array(b->arena, const Arg *, (int)count + 1);
  if (count && !read_literal(b, a, 0, &l)) return NO_NODE;
  DType t = type ? *type : l.real ? DT_F32 : l.truth ? DT_BOOL : DT_I32;
  if (l.truth && t != DT_BOOL && !type)
    return op_fail(b, a->span, "truth values and numbers in one array");
  Shape s = l.shape;
  return mk_reshape(b, literal_line(b, &l, t), &s);
}

static Arg call_array(Build *b, const Arg *a) {
  DType t;
  if (a[0].kind == ARG_TENSOR) return a[0];
  if (a[0].kind != ARG_LIST)
    return arg_node(op_fail(b, a[0].span, "takes a list such as [[1, 2], [3, 4]]"));
  if (a[1].kind != ARG_NONE && !arg_dtype(b, &a[1], "dtype", &t)) return NOTHING;
  return arg_node(build_array(b, &a[0], a[1].kind == ARG_NONE ? NULL : &t));
}
COMPOSITE(array, "x, dtype=none",
          "the tensor of a list of numbers, or of lists of equal lengths: i32, f32 where one has a "
          "point, or bool. A list beside a tensor is one by itself, of the tensor's type",
          "f32[2, 3] x: x * [[1, 2, 3], [4, 5.5, 6]] + array([0.5, 1, 2], f32)")

/* -------- tile, repeat_interleave, meshgrid -------- */

/* Each line of dim d repeated: whole lines after each other, or each element n times. */
static NodeId repeated(Build *b, NodeId x, int d, int64_t n, bool each) {
  if (x == NO_NODE || n == 1) return x;
  Shape s = *shape_of(b, x), full = {.rank = s.rank + 1}, out = s;
  if (s.rank == MAX_RANK) {
    NodeId all[64];
    if (each || n < 1 || n > 64)
      return op_fail(b, b->span, "a tensor of %d dim%s has no room to repeat dim %d", s.rank,
                     PLURAL(s.rank), d);
    for (int i = 0; i < n; i++) all[i] = x;
    return mk_concat(b, (int)n, all, d);
  }
  int map[MAX_RANK], at = each ? d + 1 : d;
  for (int i = 0; i < s.rank; i++) map[i] = i < at ? i : i + 1, full.dim[map[i]] = s.dim[i];
  full.dim[at] = n;
  out.dim[d] *= n;
  if (!op_check_size(b, b->span, type_of(b, x), &full)) return NO_NODE;
  return mk_reshape(b, mk_broadcast(b, x, &full, map), &out);
}

static Arg call_tile(Build *b, const Arg *a) {
  NodeId x;
  Shape by;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_shape(b, &a[1], "reps", &by)) return NOTHING;
  Shape s = *shape_of(b, x);
  if (by.rank > s.rank) {
    Shape t = {.rank = by.rank};
    for (int d = 0; d < t.rank; d++)
      t.dim[d] = d < t.rank - s.rank ? 1 : s.dim[d - (t.rank - s.rank)];
    x = mk_reshape(b, x, &t);
  }
  int off = x == NO_NODE ? 0 : shape_of(b, x)->rank - by.rank;
  for (int d = 0; d < by.rank; d++) x = repeated(b, x, d + off, by.dim[d], false);
  return arg_node(x);
}
COMPOSITE(tile, "x, reps",
          "x repeated as a whole, by a number for each of the last dims, as NumPy's",
          "f32[4, 3] x: tile(x, [2, 3])",
          .flags = OPF_COMPLEX)

static Arg call_repeat_interleave(Build *b, const Arg *a) {
  NodeId x;
  int d;
  int64_t n;
  if (!arg_along(b, &a[0], &a[2], &x, &d) || !arg_int(b, &a[1], "n", &n)) return NOTHING;
  if (n < 0) return arg_node(op_fail(b, a[1].span, "`n` cannot be negative: %ld", (long)n));
  return arg_node(repeated(b, x, d, n, true));
}
COMPOSITE(repeat_interleave, "x, n, axis=none",
          "each element along one dim n times, as NumPy's repeat",
          "f32[4, 3] x: repeat_interleave(x, 2, axis=1)",
          .flags = OPF_COMPLEX)

static Arg call_meshgrid(Build *b, const Arg *a) {
  Shape s = {.rank = a[0].n};
  int n = a[0].n;
  if (n < 1 || n > MAX_RANK)
    return arg_node(op_fail(b, b->span, "takes 1 to %d tensors, not %d", MAX_RANK, n));
  Arg out = arg_of_list(b, n);
  for (int i = 0; i < n; i++) {
    if (!arg_tensor(b, &a[0].at[i], "x", &out.at[i].node)) return NOTHING;
    if (shape_of(b, out.at[i].node)->rank != 1)
      return arg_node(op_fail(b, a[0].at[i].span, "takes tensors of one dim, not %s",
                              op_describe(b, out.at[i].node)));
    s.dim[i] = shape_of(b, out.at[i].node)->dim[0];
  }
  if (!op_check_size(b, b->span, DT_F64, &s)) return NOTHING;
  for (int i = 0; i < n; i++) out.at[i] = arg_node(spread_along(b, out.at[i].node, &s, i));
  return out;
}
COMPOSITE(meshgrid, "x...",
          "a list with each tensor of one dim repeated along the dims of the others, which come in "
          "order: NumPy's with indexing=\"ij\"",
          "f32[4] x, f32[3] y: meshgrid(x, y)[0] * meshgrid(x, y)[1]",
          .flags = OPF_COMPLEX)

/* -------- flip, rot90 -------- */

static Arg call_flip(Build *b, const Arg *a) { return build_call(b, &op_reverse, a); }
COMPOSITE(flip, "x, axis=none", "reverse, by NumPy's name", "f32[4, 3] x: flip(x, axis=1)",
          .flags = OPF_COMPLEX)

static Arg call_rot90(Build *b, const Arg *a) {
  NodeId x;
  int64_t k;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_int(b, &a[1], "k", &k)) return NOTHING;
  int rank = shape_of(b, x)->rank, perm[MAX_RANK];
  if (rank < 2)
    return arg_node(op_fail(b, b->span, "takes two dims at least, not %s", op_describe(b, x)));
  for (int i = 0; i < rank; i++) perm[i] = i < 2 ? 1 - i : i;
  k = (k % 4 + 4) % 4;
  const uint32_t turned[] = {0, 1, 3, 2};
  if (k & 1) x = mk_transpose(b, x, perm);
  if (!k || x == NO_NODE) return arg_node(x);
  return arg_node(build_node(b, &op_reverse, 1, &x, 1, (int64_t[]){turned[k]}, 0));
}
COMPOSITE(rot90, "x, k=1", "the first two dims rotated by k quarters, from the first to the second",
          "f32[4, 3] x: rot90(x)",
          .flags = OPF_COMPLEX)
