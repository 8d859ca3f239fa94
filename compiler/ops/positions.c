/* Elements and windows at lists of positions in several dims: each list has one integer for each of
 * the first dims of the table. Those dims become one, in which the positions are one number each;
 * so everything else is a gather or a scatter of rows, with its gradient and its order of sums. */
#include "opdefs.h"

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
  return node_attr(n, "size");
}

const OpDef op_position = {.name = "position",
                           .doc = "an index that stops the program where it is not below `size`",
                           .attr = {{"size", ATTR_INT}},
                           .infer = infer_position,
                           .rule = rule_elementwise,
                           .no_grad = "its result is an integer",
                           .lower = lower_position,
                           .class = OPC_MOVE,
                           .flags = OPF_MOVES | OPF_ONE_TO_ONE,
                           .passes = 1,
                           .below = below_size};

static NodeId mk_position(Build *b, NodeId x, int64_t size) {
  if (x != NO_NODE && dtype_is_int(op_node(b, x)->dtype)) x = build_cast(b, x, DT_I64);
  return build_node(b, &op_position, 1, &x, 1, &size, 0);
}

/* -------- lists of them -------- */

typedef struct Positions {
  NodeId row;    /* where in the dims that became one, one a list */
  Shape lists;   /* the shape of row */
  int batch, of; /* dims of the table that are batches, and those that have positions */
  Shape table;   /* with those dims as one */
} Positions;

static NodeId times_plus(Build *b, NodeId row, int64_t size, NodeId p) {
  if (row == NO_NODE || p == NO_NODE) return row == NO_NODE ? p : NO_NODE;
  const Shape s = op_node(b, row)->shape;
  return mk_add(b, mk2(b, &op_mul, row, mk_whole(b, DT_I64, &s, size)), p);
}

/* Positions in dim k of those that have them, one a list. */
static NodeId column(Build *b, NodeId index, const Shape *lists, int k) {
  Shape s = op_node(b, index)->shape;
  int64_t start[MAX_RANK] = {0}, step[MAX_RANK];
  for (int d = 0; d < s.rank; d++) step[d] = 1;
  start[s.rank - 1] = k;
  s.dim[s.rank - 1] = 1;
  return mk_reshape(b, mk_slice(b, index, start, s.dim, step), lists);
}

static bool positions_of(Build *b, NodeId table, NodeId index, int64_t batch, Positions *p) {
  const Shape t = op_node(b, table)->shape, s = op_node(b, index)->shape;
  *p = (Positions){.row = NO_NODE, .lists = s, .batch = (int)batch};
  bool fits = s.rank >= 1 && batch >= 0 && batch < s.rank && batch < t.rank;
  for (int d = 0; fits && d < batch; d++) fits = s.dim[d] == t.dim[d];
  if (fits) p->of = (int)(s.dim[s.rank - 1] < MAX_RANK ? s.dim[s.rank - 1] : MAX_RANK);
  if (!fits || p->of < 1 || p->batch + p->of > t.rank) {
    op_fail(b, b->span,
            "the last dim of the index has a position for each of the first dims of %s%s, which %s "
            "has not",
            op_describe(b, table), batch ? " behind those of the batch" : "",
            op_describe(b, index));
    return false;
  }
  p->lists.rank--;
  p->table = (Shape){.rank = 1, .dim = {1}};
  for (int d = 0; d < t.rank; d++) {
    if (d >= p->batch + p->of) {
      p->table.dim[p->table.rank++] = t.dim[d];
      continue;
    }
    const NodeId at = d < p->batch
                          ? mk_iota(b, DT_I64, &p->lists, d)
                          : mk_position(b, column(b, index, &p->lists, d - p->batch), t.dim[d]);
    p->row = times_plus(b, p->row, t.dim[d], at);
    p->table.dim[0] *= t.dim[d];
    if (p->row == NO_NODE) return false;
  }
  return true;
}

static Arg call_gather_nd(Build *b, const Arg *a) {
  NodeId table, index;
  int64_t batch;
  Positions p;
  if (!arg_tensor(b, &a[0], "table", &table) || !arg_int(b, &a[2], "batch", &batch))
    return arg_node(NO_NODE);
  index = build_tensor(b, &a[1], DT_I64);
  if (index == NO_NODE || !positions_of(b, table, index, batch, &p)) return arg_node(NO_NODE);
  return arg_node(mk_gather(b, mk_reshape(b, table, &p.table), p.row, 0));
}

const OpDef op_gather_nd = {
    .name = "gather_nd",
    .params = "table, index, batch=0",
    .doc = "elements or windows of `table` at lists of positions, which the last dim of `index` "
           "has; the first `batch` dims are those of both",
    .example = "f32[6, 5] t, i32[4, 2] i%5: gather_nd(t, i)",
    .call = call_gather_nd};

static Arg call_scatter_nd(Build *b, const Arg *a) {
  NodeId base, index, u;
  int64_t batch;
  Positions p;
  if (!arg_tensor(b, &a[0], "base", &base) || !arg_int(b, &a[3], "batch", &batch))
    return arg_node(NO_NODE);
  index = build_tensor(b, &a[1], DT_I64);
  u = build_tensor(b, &a[2], op_node(b, base)->dtype);
  if (index == NO_NODE || u == NO_NODE || !positions_of(b, base, index, batch, &p))
    return arg_node(NO_NODE);
  const Shape s = op_node(b, base)->shape;
  Shape want = p.lists;
  bool fits = op_node(b, u)->dtype == op_node(b, base)->dtype;
  for (int d = 1; d < p.table.rank && want.rank < MAX_RANK; d++)
    want.dim[want.rank++] = p.table.dim[d];
  if (!fits || !shape_equal(&want, &op_node(b, u)->shape))
    return arg_node(op_fail(b, b->span, "updates %s do not match base %s and indices %s",
                            op_describe(b, u), op_describe(b, base), op_describe(b, index)));
  const NodeId sum = mk_scatter(b, p.row, u, 0, p.table.dim[0]);
  return arg_node(sum == NO_NODE ? sum : mk2(b, &op_add, base, mk_reshape(b, sum, &s)));
}

const OpDef op_scatter_nd_add = {
    .name = "scatter_nd_add",
    .params = "base, index, updates, batch=0",
    .doc = "base with `updates` added at lists of positions, as gather_nd names them; equal "
           "positions add up",
    .example = "f32[6, 5] t, i32[4, 2] i%5, f32[4] u: scatter_nd_add(t, i, u)",
    .call = call_scatter_nd};
