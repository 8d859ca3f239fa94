/* Elements and windows at lists of positions in several dims: each list has one integer for each of
 * the first dims of the table, behind batches. Those dims become one, in which the positions are
 * one number each; so everything else is a gather or a scatter of rows, or with batches of the
 * places of lines, with its gradient and its order of sums. */
#include "scatters.h"

/* -------- position: an index that is checked before it becomes part of another -------- */

static bool infer_position(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  if (dtype_is_int(x->dtype)) return true;
  op_fail(b, b->span, "indices must be integers, not %s", op_describe(b, n->operand[0]));
  return false;
}

static int64_t below_size(const Graph *g, const Node *n, int k) {
  (void)g, (void)k;
  return node_attr(n, "size") - node_attr(n, "reach");
}

const OpDef op_position = {.name = "position",
                           .doc = "an index that stops the program where it, or what is `reach` "
                                  "behind it, is not below `size`",
                           .attr = {{"size", ATTR_INT}, {"reach", ATTR_INT}},
                           .infer = infer_position,
                           .rule = rule_elementwise,
                           .no_grad = "its result is an integer",
                           .lower = lower_position,
                           .class = OPC_MOVE,
                           .flags = OPF_MOVES | OPF_ONE_TO_ONE,
                           .passes = 1,
                           .below = below_size};

static NodeId mk_position(Build *b, NodeId x, int64_t size, int64_t reach) {
  if (x != NO_NODE && dtype_is_int(op_node(b, x)->dtype)) x = build_cast(b, x, DT_I64);
  return build_node(b, &op_position, 1, &x, 2, (int64_t[]){size, reach}, 0);
}

/* -------- lists of them -------- */

typedef struct Positions {
  NodeId row;    /* where in the dims that became one, one for each element that is meant */
  Shape lists;   /* their shape: batches, lists, the window's sizes */
  int batch, of; /* dims of the table that are batches, and those that have positions */
  Shape table;   /* with the dims that have positions as one, at `batch` */
  int64_t size[MAX_RANK]; /* of a window at each position, by dim that has positions; 1 without */
  bool windows;
} Positions;

static NodeId times_plus(Build *b, NodeId row, int64_t size, NodeId p) {
  if (row == NO_NODE || p == NO_NODE) return row == NO_NODE ? p : NO_NODE;
  const Shape s = *shape_of(b, row);
  return mk_add(b, mk2(b, &op_mul, row, mk_whole(b, DT_I64, &s, size)), p);
}

/* Positions in dim k of those that have them, one a list. */
static NodeId column(Build *b, NodeId index, const Shape *lists, int k) {
  const int last = shape_of(b, index)->rank - 1;
  return mk_reshape(b, part_of(b, index, last, k, 1), lists);
}

/* Dim k of those that have positions: where the elements that are meant lie in it. */
static NodeId along(Build *b, NodeId index, const Positions *p, const Shape *lists, int k,
                    int64_t size) {
  const NodeId at = mk_position(b, column(b, index, lists, k), size, p->size[k] - 1);
  int map[MAX_RANK];
  if (!p->windows) return at;
  for (int d = 0; d < lists->rank; d++) map[d] = d;
  return mk_add(b, mk_broadcast(b, at, &p->lists, map),
                mk_iota(b, DT_I64, &p->lists, lists->rank + k));
}

static bool window_of(Build *b, const Arg *a, const Shape *t, Positions *p) {
  Shape size;
  for (int k = 0; k < p->of; k++) p->size[k] = 1;
  if (a->kind == ARG_NONE) return true;
  if (!arg_shape(b, a, "window", &size)) return false;
  bool fits = size.rank == p->of;
  for (int k = 0; fits && k < p->of; k++) {
    p->size[k] = size.dim[k];
    fits = size.dim[k] >= 1 && size.dim[k] <= t->dim[p->batch + k];
  }
  p->windows = true;
  if (fits) return true;
  op_fail(b, a->span,
          "`window` has a size for each of the %d dims that have positions, from 1 to "
          "that of the dim",
          p->of);
  return false;
}

static bool positions_of(Build *b, NodeId table, NodeId index, const Arg *batch, const Arg *window,
                         Positions *p) {
  const Shape t = *shape_of(b, table), s = *shape_of(b, index);
  int64_t batches;
  if (!arg_int(b, batch, "batch", &batches)) return false;
  *p = (Positions){.row = NO_NODE, .lists = s, .batch = (int)batches};
  bool fits = s.rank >= 1 && batches >= 0 && batches < s.rank && batches < t.rank;
  for (int d = 0; fits && d < batches; d++) fits = s.dim[d] == t.dim[d];
  if (fits) p->of = (int)(s.dim[s.rank - 1] < MAX_RANK ? s.dim[s.rank - 1] : MAX_RANK);
  if (!fits || p->of < 1 || p->batch + p->of > t.rank) {
    op_fail(b, b->span,
            "the last dim of the index has a position for each of the first dims of %s%s, which %s "
            "has not",
            op_describe(b, table), batches ? " behind those of the batch" : "",
            op_describe(b, index));
    return false;
  }
  p->lists.rank--;
  const Shape lists = p->lists;
  if (!window_of(b, window, &t, p)) return false;
  if (lists.rank + (p->windows ? p->of : 0) + t.rank - p->batch - p->of > MAX_RANK) {
    op_fail(b, b->span, "the result would have more than %d dims", MAX_RANK);
    return false;
  }
  for (int k = 0; p->windows && k < p->of; k++) p->lists.dim[p->lists.rank++] = p->size[k];
  p->table = (Shape){.rank = p->batch + 1};
  for (int d = 0; d < p->batch; d++) p->table.dim[d] = t.dim[d];
  p->table.dim[p->batch] = 1;
  for (int k = 0; k < p->of; k++) {
    const int64_t size = t.dim[p->batch + k];
    p->row = times_plus(b, p->row, size, along(b, index, p, &lists, k, size));
    p->table.dim[p->batch] *= size;
    if (p->row == NO_NODE) return false;
  }
  for (int d = p->batch + p->of; d < t.rank; d++) p->table.dim[p->table.rank++] = t.dim[d];
  return true;
}

/* What is meant, as the caller sees it. */
static Shape meant(const Positions *p) {
  Shape s = p->lists;
  for (int d = p->batch + 1; d < p->table.rank; d++) s.dim[s.rank++] = p->table.dim[d];
  return s;
}

/* The lists of a batch as one dim, and its rows for each element of a row: with batches every line
 * of the table has places of its own, so that batches and rows may be cut in any way. */
static NodeId places(Build *b, const Positions *p, Shape *rows) {
  Shape list = {.rank = p->batch + 1};
  int map[MAX_RANK];
  list.dim[p->batch] = 1;
  for (int d = 0; d < p->lists.rank; d++) {
    if (d < p->batch)
      list.dim[d] = p->lists.dim[d];
    else
      list.dim[p->batch] *= p->lists.dim[d];
  }
  *rows = p->table;
  rows->dim[p->batch] = list.dim[p->batch];
  for (int d = 0; d < list.rank; d++) map[d] = d;
  return mk_broadcast(b, mk_reshape(b, p->row, &list), rows, map);
}

static Arg call_gather_nd(Build *b, const Arg *a) {
  NodeId table, index;
  Positions p;
  Shape rows;
  if (!arg_tensor(b, &a[0], "table", &table)) return NOTHING;
  index = build_tensor(b, &a[1], DT_I64);
  if (index == NO_NODE || !positions_of(b, table, index, &a[2], &a[3], &p)) return NOTHING;
  table = mk_reshape(b, table, &p.table);
  if (!p.batch) return arg_node(mk_gather(b, table, p.row, 0));
  const Shape s = meant(&p);
  return arg_node(mk_reshape(b, mk_pick(b, table, places(b, &p, &rows), p.batch), &s));
}

const OpDef op_gather_nd = {
    .name = "gather_nd",
    .params = "table, index, batch=0, window=none",
    .doc = "elements or rows of `table` at lists of positions, which the last dim of `index` has; "
           "the first `batch` dims are those of both. With `window`, a list of sizes, as many from "
           "each position on",
    .example = "f32[6, 5] t, i32[4, 2] i%5: gather_nd(t, i)",
    .call = call_gather_nd,
    .flags = OPF_COMPLEX};

static Arg call_nd(Build *b, Scatters how, const Arg *a) {
  NodeId base, index, u;
  Positions p;
  Shape rows;
  if (!arg_tensor(b, &a[0], "base", &base)) return NOTHING;
  index = build_tensor(b, &a[1], DT_I64);
  u = build_tensor(b, &a[2], type_of(b, base));
  if (index == NO_NODE || u == NO_NODE || !positions_of(b, base, index, &a[3], &a[4], &p))
    return NOTHING;
  const Shape s = *shape_of(b, base), want = meant(&p);
  if (type_of(b, u) != type_of(b, base) || !shape_equal(&want, shape_of(b, u)))
    return arg_node(op_fail(b, b->span, "updates %s do not match base %s and indices %s",
                            op_describe(b, u), op_describe(b, base), op_describe(b, index)));
  const NodeId table = mk_reshape(b, base, &p.table);
  NodeId at = p.row;
  if (p.batch) {
    at = places(b, &p, &rows);
    u = mk_reshape(b, u, &rows);
  }
  const NodeId y = mk_scatter_with(b, how, table, at, u, p.batch, p.batch > 0);
  return arg_node(p.batch || y == table
                      ? mk_reshape(b, y, &s)
                      : mk_put_few(b, base, mk_reshape(b, y, &s), at, p.table.dim[0]));
}

#define SCATTER_ND(WORD, HOW, DOC)                                                                 \
  static Arg call_scatter_nd_##WORD(Build *b, const Arg *a) { return call_nd(b, HOW, a); }         \
  COMPOSITE(scatter_nd_##WORD, "base, index, updates, batch=0, window=none", DOC,                  \
            "f32[6, 5] t, i32[4, 2] i%5, f32[4] u: scatter_nd_" #WORD "(t, i, u)",                 \
            .flags = OPF_COMPLEX)

SCATTER_ND(set, SCATTER_SET,
           "base with `updates` in the place of what lists of positions name, as gather_nd's; of "
           "equal positions the last wins")
SCATTER_ND(add, SCATTER_ADD,
           "base with `updates` added at lists of positions, as gather_nd names them; equal "
           "positions add up")
SCATTER_ND(mul, SCATTER_MUL, "base times `updates` at lists of positions, as scatter_nd_add")
SCATTER_ND(max, SCATTER_MAX,
           "the larger of base and all `updates` at lists of positions, as scatter_nd_add")
SCATTER_ND(min, SCATTER_MIN,
           "the smaller of base and all `updates` at lists of positions, as scatter_nd_add")

/* -------- tensors as subscripts -------- */

/* Of one shape, as NumPy broadcasts them. */
static bool of_one_shape(Build *b, int n, NodeId *index) {
  Shape s = {0};
  for (int i = 0; i < n; i++) {
    const Shape x = *shape_of(b, index[i]);
    bool fits = true;
    for (; s.rank < x.rank; s.rank++) {
      for (int d = s.rank; d > 0; d--) s.dim[d] = s.dim[d - 1];
      s.dim[0] = 1;
    }
    for (int d = 1; fits && d <= x.rank; d++) {
      int64_t *all = &s.dim[s.rank - d], one = x.dim[x.rank - d];
      fits = *all == 1 || one == 1 || *all == one;
      if (*all == 1) *all = one;
    }
    if (!fits) {
      op_fail(b, b->span, "these subscripts have no common shape: %s and %s",
              op_describe(b, index[0]), op_describe(b, index[i]));
      return false;
    }
  }
  for (int i = 0; i < n; i++) index[i] = mk_broadcast_to(b, index[i], &s);
  return true;
}

/* Where the indices point in the dims, one for each, as if those were one. */
static NodeId row_in(Build *b, const Shape *s, int n, const int *dim, NodeId *index) {
  NodeId row = NO_NODE;
  if (n == 1) return check_integer(b, index[0], "indices") ? index[0] : NO_NODE;
  if (!of_one_shape(b, n, index)) return NO_NODE;
  for (int k = 0; k < n; k++) {
    const int64_t size = s->dim[dim[k]];
    row = times_plus(b, row, size, mk_position(b, index[k], size, 0));
    if (row == NO_NODE) return NO_NODE;
  }
  return row;
}

/* Dims from `dim` on, one for each of n indices, as one; where in it the indices point. */
static NodeId join_dims(Build *b, NodeId x, int dim, int n, NodeId *index, NodeId *row) {
  const Shape s = *shape_of(b, x);
  Shape joined = {.rank = dim + 1};
  int dims[MAX_RANK];
  for (int k = 0; k < MAX_RANK; k++) dims[k] = dim + k;
  *row = row_in(b, &s, n, dims, index);
  if (n == 1 || *row == NO_NODE) return *row == NO_NODE ? NO_NODE : x;
  for (int d = 0; d < dim; d++) joined.dim[d] = s.dim[d];
  joined.dim[dim] = 1;
  for (int k = 0; k < n; k++) joined.dim[dim] *= s.dim[dim + k];
  for (int d = dim + n; d < s.rank; d++) joined.dim[joined.rank++] = s.dim[d];
  return mk_reshape(b, x, &joined);
}

NodeId build_pick(Build *b, NodeId x, int dim, int n, NodeId *index) {
  NodeId row;
  const int rank = shape_of(b, x)->rank - n;
  x = join_dims(b, x, dim, n, index, &row);
  if (x == NO_NODE) return x;
  if (rank + shape_of(b, row)->rank > MAX_RANK)
    return op_fail(b, b->span, "the result would have more than %d dims", MAX_RANK);
  return mk_gather(b, x, row, dim);
}

/* What to write where a list of positions has as many as a dim before has rows. */
static const char *rows_meant(Build *b, const Shape *s, int dim, const Shape *list) {
  for (int d = dim - 1; d >= 0 && list->rank == 1; d--)
    if (s->dim[d] == list->dim[0])
      return arena_printf(b->arena,
                          ": for a position in each of %ld rows, write iota(%ld) for their dim "
                          "instead of `:`",
                          (long)s->dim[d], (long)s->dim[d]);
  return "";
}

NodeId build_put_rows(Build *b, NodeId x, int n, const int *dim, NodeId *index, int first,
                      const Arg *value, bool whole) {
  const Shape s = *shape_of(b, x);
  const DType t = type_of(b, x);
  const NodeId row = row_in(b, &s, n, dim, index);
  NodeId v = build_tensor(b, value, t);
  if (row == NO_NODE || v == NO_NODE) return NO_NODE;
  const Shape list = *shape_of(b, row), given = *shape_of(b, v);
  Shape rest = {0}, want = {.rank = s.rank - n + list.rank};
  if (want.rank > MAX_RANK)
    return op_fail(b, b->span, "what is written would have more than %d dims", MAX_RANK);
  for (int d = 0, k = 0; d < s.rank; d++) {
    if (k < n && dim[k] == d)
      k++;
    else
      rest.dim[rest.rank++] = s.dim[d];
  }
  for (int d = 0; d < want.rank; d++)
    want.dim[d] = d < first               ? rest.dim[d]
                  : d < first + list.rank ? list.dim[d - first]
                                          : rest.dim[d - list.rank];
  bool fits = type_of(b, v) == t && given.rank <= want.rank;
  for (int d = 1; fits && d <= given.rank; d++)
    fits = given.dim[given.rank - d] == 1 || given.dim[given.rank - d] == want.dim[want.rank - d];
  if (!fits)
    return op_fail(b, value->span, "the part that is written is %s, but the value is %s%s",
                   op_describe(b, mk_const(b, t, &want, 0)), op_describe(b, v),
                   n == 1 && given.rank == want.rank - 1 ? rows_meant(b, &s, dim[0], &list) : "");
  v = mk_set_places(b, x, n, dim, row, mk_broadcast_to(b, v, &want), first);
  return whole ? mk_put(b, x, v, 0, NULL, NULL) : v;
}
