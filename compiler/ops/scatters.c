/* Scatters that do not add: the largest, the smallest and the product of what goes to one row
 * (`scatter_max`) or to one place of a line (`unpick_max`), and the last of it (`scatter_set`).
 * A place to which nothing goes has the identity: -inf or the least integer, inf or the most, 1.
 * The last is found by its number, the largest that goes to a row, so that it is the same in any
 * layout. */
#include "scatters.h"
#include "thresholds.h"
#include <limits.h>

#define IN(i) (op_node(b, node)->operand[i])

/* What an op of this file was given, as `grad` needs it. */
typedef struct Scattered {
  Build *b;
  NodeId index;
  int axis;
  int64_t size;
  bool each;
} Scattered;

static Scattered scattered_of(Build *b, NodeId node) {
  const Node *n = op_node(b, node);
  return (Scattered){b, n->operand[0], (int)node_attr(n, "axis"), node_attr(n, "size"),
                     op_class(n) == OPC_ADD_EACH};
}

static NodeId read_back(const Scattered *p, NodeId y) {
  return p->each ? mk_pick(p->b, y, p->index, p->axis) : mk_gather(p->b, y, p->index, p->axis);
}

/* For each update what `how` makes of all that go where it goes. */
static NodeId in_total(void *user, Reduce how, NodeId x) {
  const Scattered *p = user;
  return read_back(p, mk_scatter_by(p->b, how, p->index, x, p->axis, p->size, p->each));
}

/* Equal extremes share the gradient. */
static void grad_extreme(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Scattered p = scattered_of(b, node);
  const NodeId u = IN(1), at = mk2(b, &op_eq, u, read_back(&p, mk_again(b, node)));
  const NodeId zero = mk_number(b, u, 0), one = mk_select(b, at, mk_number(b, u, 1), zero);
  const NodeId share = mk2(b, &op_div, read_back(&p, dy), in_total(&p, RED_SUM, one));
  dx[0] = NO_NODE;
  dx[1] = mk_select(b, at, share, zero);
}

static void grad_product(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Scattered p = scattered_of(b, node);
  dx[0] = NO_NODE;
  dx[1] = mk2(b, &op_mul, read_back(&p, dy), product_of_others(b, IN(1), in_total, &p));
}

/* -------- the primitives -------- */

#define PRIMITIVE(OP, NAME, LIKE, CLASS, REDUCE, FLAGS, GRAD, ROUNDING, ...)                       \
  const OpDef OP = {.name = NAME,                                                                  \
                    .attr = {{"axis", ATTR_INT}, {"size", ATTR_INT}},                              \
                    .infer = infer_##LIKE,                                                         \
                    .rule = rule_##LIKE,                                                           \
                    .grad = GRAD,                                                                  \
                    .class = CLASS,                                                                \
                    .reduce = REDUCE,                                                              \
                    .flags = FLAGS,                                                                \
                    .below = below_rows,                                                           \
                    .flops = 1,                                                                    \
                    .rounding = ROUNDING,                                                          \
                    __VA_ARGS__};

static int64_t below_rows(const Graph *g, const Node *n, int k) {
  (void)g;
  return k == 0 ? node_attr(n, "size") : 0;
}

#define EACH(WORD, REDUCE, FLAGS, GRAD, ROUNDING)                                                  \
  PRIMITIVE(op_unpick_##WORD, "unpick_" #WORD, unpick, OPC_ADD_EACH, REDUCE, FLAGS, GRAD,          \
            ROUNDING, .doc = "scatter_" #WORD " along the lines of one dim")

EACH(max, RED_MAX, OPF_EXTREME, grad_extreme, 0)
EACH(min, RED_MIN, OPF_EXTREME, grad_extreme, 0)
EACH(prod, RED_PROD, OPF_SUMS, grad_product, 1)

NodeId mk_scatter_by(Build *b, Reduce how, NodeId index, NodeId updates, int axis, int64_t size,
                     bool each) {
  static const Op rows[] = {&op_scatter_add, &op_scatter_mul, &op_scatter_max, &op_scatter_min},
                  lines[] = {&op_unpick, &op_unpick_prod, &op_unpick_max, &op_unpick_min};
  if (index == NO_NODE || updates == NO_NODE) return NO_NODE;
  const int i = how == RED_SUM ? 0 : how == RED_PROD ? 1 : how == RED_MAX ? 2 : 3;
  const DType t = op_node(b, updates)->dtype;
  if (!op_computes_in(b, t)) return NO_NODE;
  const NodeId x = i < 2 && dtype_is_half(t) ? build_cast(b, updates, DT_F32) : updates;
  const NodeId y = build_node(b, each ? lines[i] : rows[i], 2, (NodeId[]){index, x}, 2,
                              (int64_t[]){axis, size}, 0);
  return build_cast(b, y, t);
}

/* -------- into what is there -------- */

/* The numbers of updates, from 0 on, one for each index. */
static NodeId numbers(Build *b, NodeId index, int axis, bool each) {
  const Shape s = *shape_of(b, index);
  if (each) return mk_iota(b, s.dim[axis] <= INT32_MAX ? DT_I32 : DT_I64, &s, axis);
  Shape line = {1, {shape_count(&s)}};
  return mk_reshape(b, mk_iota(b, line.dim[0] <= INT32_MAX ? DT_I32 : DT_I64, &line, 0), &s);
}

NodeId mk_set_places(Build *b, NodeId base, int n, const int *dim, NodeId row, NodeId u,
                     int first) {
  if (base == NO_NODE || row == NO_NODE || u == NO_NODE) return NO_NODE;
  const Shape s = *shape_of(b, base), list = *shape_of(b, row), given = *shape_of(b, u);
  Shape sizes = {.rank = n}, flat = {.rank = first + 1}, apart = {.rank = first};
  int64_t rows = 1;
  int perm[MAX_RANK], place[MAX_RANK];
  for (int k = 0; k < n; k++) rows *= sizes.dim[k] = s.dim[place[k] = dim[k]];
  const NodeId last = mk_scatter_by(b, RED_MAX, row, numbers(b, row, 0, false), 0, rows, false);
  if (last == NO_NODE || !shape_count(&list)) return last == NO_NODE ? last : base;
  for (int d = 0; d < first; d++) flat.dim[d] = apart.dim[d] = given.dim[d];
  flat.dim[first] = shape_count(&list);
  for (int k = 0; k < n; k++) apart.dim[apart.rank++] = sizes.dim[k];
  for (int d = first + list.rank; d < given.rank; d++)
    flat.dim[flat.rank++] = apart.dim[apart.rank++] = given.dim[d];
  for (int d = 0, k = 0, rest = 0; d < s.rank; d++) {
    const bool named = k < n && dim[k] == d;
    perm[d] = named ? first + k++ : rest < first ? rest++ : n + rest++;
  }
  const NodeId at = mk2(b, &op_max, last, number_like(b, last, 0));
  const NodeId there = mk2(b, &op_ge, last, number_like(b, last, 0));
  const NodeId v = mk_reshape(b, mk_gather(b, mk_reshape(b, u, &flat), at, first), &apart);
  return mk_select(b, mk_broadcast(b, mk_reshape(b, there, &sizes), &s, place),
                   mk_transpose(b, v, perm), base);
}

static NodeId set_each(Build *b, NodeId base, NodeId index, NodeId u, int axis) {
  const int64_t size = shape_of(b, base)->dim[axis];
  const NodeId last =
      mk_scatter_by(b, RED_MAX, index, numbers(b, index, axis, true), axis, size, true);
  if (last == NO_NODE || !shape_of(b, u)->dim[axis]) return last == NO_NODE ? last : base;
  const NodeId at = mk2(b, &op_max, last, number_like(b, last, 0));
  const NodeId there = mk2(b, &op_ge, last, number_like(b, last, 0));
  return mk_select(b, there, mk_pick(b, u, at, axis), base);
}

static const Reduce reduces[] = {[SCATTER_ADD] = RED_SUM,
                                 [SCATTER_MUL] = RED_PROD,
                                 [SCATTER_MAX] = RED_MAX,
                                 [SCATTER_MIN] = RED_MIN};
static const Op joins[] = {[SCATTER_ADD] = &op_add,
                           [SCATTER_MUL] = &op_mul,
                           [SCATTER_MAX] = &op_max,
                           [SCATTER_MIN] = &op_min};

/* base with each place joined with what goes to it, or set to the last of that. */
NodeId mk_scatter_with(Build *b, Scatters how, NodeId base, NodeId index, NodeId u, int axis,
                       bool each) {
  if (base == NO_NODE || index == NO_NODE || u == NO_NODE) return NO_NODE;
  if (how == SCATTER_SET)
    return each ? set_each(b, base, index, u, axis)
                : mk_set_places(b, base, 1, &axis, index, u, axis);
  if (type_of(b, base) == DT_BOOL)
    return op_fail(b, b->span, "takes numbers, not bool; of bools there is scatter_set");
  const NodeId y =
      mk_scatter_by(b, reduces[how], index, u, axis, shape_of(b, base)->dim[axis], each);
  return y == NO_NODE ? y : mk2(b, joins[how], base, y);
}

static bool is_few(Build *b, NodeId index, int64_t rows) {
  return shape_count(shape_of(b, index)) <= rows / NAMED_ROWS;
}

/* It has a place that may be written to. */
static bool has_place(Build *b, NodeId x) {
  const Node *n = op_node(b, x);
  return n->op == OP_var || op_is(n, OPF_CARRY) || n->op->updates;
}

NodeId mk_put_few(Build *b, NodeId base, NodeId y, NodeId index, int64_t rows) {
  if (y == NO_NODE || !has_place(b, base) || !is_few(b, index, rows)) return y;
  return mk_put(b, base, y, 0, NULL, NULL);
}

/* Few places along another dim than the first of what has a place are rows of a transposed table:
 * only the named ones are touched. */
static NodeId across(Build *b, Scatters how, NodeId base, NodeId index, NodeId u, int axis) {
  const Shape s = *shape_of(b, base), given = *shape_of(b, u);
  const int lists = shape_of(b, index)->rank;
  int first[MAX_RANK], back[MAX_RANK];
  for (int d = 0; d < given.rank; d++)
    first[d] = d < lists ? axis + d : d < lists + axis ? d - lists : d;
  for (int d = 0; d < s.rank; d++) back[d] = d == axis ? 0 : d < axis ? d + 1 : d;
  const NodeId y =
      mk_scatter_by(b, reduces[how], index, mk_transpose(b, u, first), 0, s.dim[axis], false);
  return y == NO_NODE ? y : mk2(b, joins[how], base, mk_transpose(b, y, back));
}

/* Few rows are written into base, so that several scatters may follow each other in its place. */
static NodeId scattered_into(Build *b, Scatters how, NodeId base, NodeId index, NodeId u,
                             int axis) {
  if (base == NO_NODE || index == NO_NODE || u == NO_NODE) return NO_NODE;
  const bool few = is_few(b, index, shape_of(b, base)->dim[axis]), place = has_place(b, base);
  const bool turned = axis && few && place && how != SCATTER_SET && type_of(b, base) != DT_BOOL;
  const NodeId y = turned ? across(b, how, base, index, u, axis)
                          : mk_scatter_with(b, how, base, index, u, axis, false);
  const bool written = place || (!axis && op_class(op_node(b, base)) != OPC_VIEW);
  if (y == NO_NODE || y == base || !few || !written) return y;
  return mk_put(b, base, y, 0, NULL, NULL);
}

static Arg call_into(Build *b, Scatters how, const Arg *a) {
  NodeId base, x, u;
  int axis;
  if (!arg_tensor(b, &a[0], "base", &base)) return NOTHING;
  const Shape s = *shape_of(b, base);
  if (!s.rank) return arg_node(op_fail(b, b->span, "a scalar has no dim to index"));
  if (!arg_dim(b, &a[3], "axis", s.rank, &axis)) return NOTHING;
  x = build_tensor(b, &a[1], DT_I32);
  u = build_tensor(b, &a[2], type_of(b, base));
  if (x == NO_NODE || u == NO_NODE || !check_integer(b, x, "indices")) return NOTHING;
  const Shape list = *shape_of(b, x), *have = shape_of(b, u);
  Shape want = {.rank = s.rank - 1 + list.rank};
  bool fits = want.rank <= MAX_RANK && type_of(b, u) == type_of(b, base);
  for (int d = 0; fits && d < want.rank; d++)
    want.dim[d] = d < axis               ? s.dim[d]
                  : d < axis + list.rank ? list.dim[d - axis]
                                         : s.dim[d - list.rank + 1];
  if (!fits || !shape_equal(have, &want))
    return arg_node(op_fail(b, b->span, "updates %s do not match base %s and indices %s",
                            op_describe(b, u), op_describe(b, base), op_describe(b, x)));
  return arg_node(scattered_into(b, how, base, x, u, axis));
}

Arg call_scatter_add(Build *b, const Arg *a) { return call_into(b, SCATTER_ADD, a); }

#define PARAMS "base, index, updates, axis=0"
#define ROWS(WORD, HOW, REDUCE, FLAGS, GRAD, ROUNDING, DOC)                                        \
  static Arg call_scatter_##WORD(Build *b, const Arg *a) { return call_into(b, HOW, a); }          \
  PRIMITIVE(op_scatter_##WORD, "scatter_" #WORD, scatter, OPC_ADD_ROWS, REDUCE, FLAGS, GRAD,       \
            ROUNDING, .params = PARAMS, .doc = DOC,                                                \
            .example = "f32[6, 5] t, i32[4] i%6, f32[4, 5] u: scatter_" #WORD "(t, i, u)",         \
            .call = call_scatter_##WORD)

ROWS(max, SCATTER_MAX, RED_MAX, OPF_EXTREME, grad_extreme, 0,
     "base with each row that `index` names as the larger of it and all updates to it")
ROWS(min, SCATTER_MIN, RED_MIN, OPF_EXTREME, grad_extreme, 0,
     "base with each row that `index` names as the smaller of it and all updates to it")
ROWS(mul, SCATTER_MUL, RED_PROD, OPF_SUMS, grad_product, 1,
     "base with each row that `index` names times all updates to it, in their order")

static Arg call_scatter_set(Build *b, const Arg *a) { return call_into(b, SCATTER_SET, a); }
COMPOSITE(scatter_set, PARAMS,
          "base with `updates` in the place of the rows that `index` names; of equal indices the "
          "last wins",
          "f32[6, 5] t, i32[4] i%6, f32[4, 5] u: scatter_set(t, i, u)", .flags = OPF_COMPLEX)

/* -------- segments -------- */

static bool segment_args(Build *b, const Arg *a, NodeId *x, NodeId *class, int64_t *n, int *d) {
  if (!arg_tensor(b, &a[0], "x", x) || !arg_tensor(b, &a[1], "segment", class) ||
      !check_integer(b, *class, "segments") || !arg_int(b, &a[2], "count", n))
    return false;
  if (!shape_of(b, *x)->rank) return op_fail(b, b->span, "a scalar has no segments"), false;
  if (!arg_dim(b, &a[3], "axis", shape_of(b, *x)->rank, d)) return false;
  if (*n < 0) return op_fail(b, a[2].span, "`count` cannot be negative: %ld", (long)*n), false;
  if (type_of(b, *x) == DT_BOOL) return op_fail(b, b->span, "takes numbers, not bool"), false;
  const int64_t rows = shape_of(b, *x)->dim[*d];
  if (*n == 0 && rows)
    return op_fail(b, a[2].span, "`count` is 0, and x has %ld row%s that must be of a segment",
                   (long)rows, rows == 1 ? "" : "s"),
           false;
  return true;
}

static Arg call_segment(Build *b, Reduce how, const Arg *a) {
  NodeId x, class;
  int64_t n;
  int d;
  if (!segment_args(b, a, &x, &class, &n, &d)) return NOTHING;
  return arg_node(mk_scatter_by(b, how, class, x, d, n, false));
}

#define SEGMENT_PARAMS "x, segment, count, axis=0"
#define SEGMENT(WORD, HOW, DOC)                                                                    \
  static Arg call_segment_##WORD(Build *b, const Arg *a) { return call_segment(b, HOW, a); }       \
  COMPOSITE(segment_##WORD, SEGMENT_PARAMS, DOC,                                                   \
            "f32[9, 3] x, i32[9] at%2: segment_" #WORD "(x, at, 2)", .flags = OPF_COMPLEX)

SEGMENT(sum, RED_SUM,
        "row s is the sum of the rows of x along one dim whose segment is s, below `count`; they "
        "need not be sorted")
SEGMENT(max, RED_MAX,
        "the largest of each segment, as segment_sum; of none -inf, or the least integer of the "
        "type")
SEGMENT(min, RED_MIN,
        "the smallest of each segment, as segment_sum; of none inf, or the most of the type")
SEGMENT(prod, RED_PROD, "the product of each segment, as segment_sum; of none 1")

static Arg call_segment_mean(Build *b, const Arg *a) {
  NodeId x, class;
  int64_t n;
  int d;
  if (!segment_args(b, a, &x, &class, &n, &d) || !check_float(b, x)) return NOTHING;
  const DType t = type_of(b, x);
  const NodeId sum = mk_scatter_by(b, RED_SUM, class, wide(b, x), d, n, false);
  if (sum == NO_NODE) return NOTHING;
  const Shape s = *shape_of(b, sum), list = *shape_of(b, class);
  NodeId count = mk_scatter_by(b, RED_SUM, class, mk_whole(b, DT_I64, &list, 1), 0, n, false);
  count = build_cast(b, mk2(b, &op_max, count, number_like(b, count, 1)), type_of(b, sum));
  return arg_node(build_cast(b, mk2(b, &op_div, sum, spread_along(b, count, &s, d)), t));
}
COMPOSITE(segment_mean, SEGMENT_PARAMS, "the mean of each segment, as segment_sum; of none 0",
          "f32[6, 3] x, i32[6] at%4: segment_mean(x, at, 4)", .flags = OPF_COMPLEX)
