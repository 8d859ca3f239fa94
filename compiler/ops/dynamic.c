/* Windows that begin at positions known while running: read (`window`) and written (`put`). Where
 * such a dim is split, each device looks up the elements it owns and the results are added, so that
 * as many bytes move as the window has; and each writes those it owns. A window that does not lie
 * within its dim stops the program; it is never moved. `put` is made in the place of its operand
 * where that is read no more: then the window alone is written. What is put may begin elsewhere in
 * each row of a dim before: the position is a tensor along that dim, of size 1 in all others, and
 * is cut as the rows are. */
#include "compose.h"
#include "plural.h"
#include "scan.h"

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

static bool starts_fit(Build *b, const Node *n) {
  for (int k = 1; k < n->noperands; k++) {
    const Node *i = graph_operand(b->graph, n, k);
    if (dtype_is_int(i->dtype) && !i->shape.rank) continue;
    op_fail(b, b->span, "a position is a scalar of an integer type, but this is %s",
            op_describe(b, n->operand[k]));
    return false;
  }
  return true;
}

/* The position has one element for each row of dims that are put whole and come before dim d. */
static bool is_by_row(const Node *put, const Node *begin, uint32_t dims, int d) {
  if (!dtype_is_int(begin->dtype) || begin->shape.rank != put->shape.rank) return false;
  for (int e = 0; e < put->shape.rank; e++)
    if (begin->shape.dim[e] != 1 &&
        (e > d || dims >> e & 1 || begin->shape.dim[e] != put->shape.dim[e]))
      return false;
  return true;
}

static bool puts_fit(Build *b, const Node *n) {
  const uint32_t dims = (uint32_t)node_attr(n, "axis");
  for (int d = 0, k = 2; d < n->shape.rank; d++) {
    if (!(dims >> d & 1)) continue;
    const Node *i = graph_operand(b->graph, n, k++);
    if (dtype_is_int(i->dtype) && (!i->shape.rank || is_by_row(n, i, dims, d))) continue;
    op_fail(b, b->span, "a position is a scalar of an integer type, but this is %s",
            op_describe(b, n->operand[k - 1]));
    return false;
  }
  return true;
}

/* From the first to the last element of a window. */
static int64_t reach(int64_t size, int64_t step) { return size ? (size - 1) * step : 0; }

static bool window_fits(Build *b, NodeId x, int d, int64_t size, int64_t step) {
  const int64_t n = op_node(b, x)->shape.dim[d];
  if (size >= 1 && step >= 1 && size <= n && (size == 1 || step <= (n - 1) / (size - 1)))
    return true;
  op_fail(b, b->span, "a window of %ld element%s%s does not fit in dim %d of %s", (long)size,
          PLURAL(size), step > 1 ? arena_printf(b->arena, " in steps of %ld", (long)step) : "", d,
          op_describe(b, x));
  return false;
}

/* -------- window -------- */

/* attr: the dims that have a begin, the result's sizes, steps. Operands: x, a begin for each of
 * those dims. */
static bool infer_window(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape.rank = x->shape.rank;
  for (int d = 0; d < x->shape.rank; d++) {
    n->shape.dim[d] = node_attrs(n, "shape")[d];
    if (node_attr(n, "axis") >> d & 1 &&
        !window_fits(b, n->operand[0], d, n->shape.dim[d], node_attrs(n, "step")[d]))
      return false;
  }
  return starts_fit(b, n);
}

static void rule_window(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  for (int d = 0; d < n->shape.rank; d++) {
    const bool moves = node_attr(n, "axis") >> d & 1;
    const int f = rule_factor(r, n->shape.dim[d], moves ? FACTOR_NEW : FACTOR_PASS);
    r->result[d] = one(f);
    r->operand[0][d] = one(moves ? rule_factor(r, x->shape.dim[d], FACTOR_REDUCE) : f);
  }
}

static void grad_window(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node n = *op_node(b, node);
  dx[0] = mk_put(b, mk_number(b, n.operand[0], 0), dy, (uint32_t)node_attr(&n, "axis"),
                 n.operand + 1, node_attrs(&n, "step"));
  for (int k = 1; k < n.noperands; k++) dx[k] = NO_NODE;
}

NodeId mk_window(Build *b, NodeId x, uint32_t dims, const NodeId *begin, const int64_t *size,
                 const int64_t *step) {
  NodeId operand[MAX_RANK + 1] = {x};
  int64_t attr[2 * MAX_RANK + 1] = {dims};
  int n = 1;
  if (x == NO_NODE) return x;
  const int rank = op_node(b, x)->shape.rank;
  for (int d = 0; d < rank; d++) {
    attr[1 + d] = dims >> d & 1 ? size[d] : op_node(b, x)->shape.dim[d];
    attr[1 + rank + d] = dims >> d & 1 ? step[d] : 1;
    if (dims >> d & 1) operand[n] = begin[n - 1], n++;
  }
  return dims ? build_node(b, &op_window, n, operand, 1 + 2 * rank, attr, 0) : x;
}

/* A position: a scalar tensor or a number. */
static NodeId position(Build *b, const Arg *a) {
  NodeId i;
  if (a->kind == ARG_INT) return build_whole(b, DT_I64, a->i);
  if (!arg_tensor(b, a, "begin", &i)) return NO_NODE;
  if (dtype_is_int(op_node(b, i)->dtype) && !op_node(b, i)->shape.rank) return i;
  return op_fail(b, a->span, "a position is a scalar of an integer type, but this is %s",
                 op_describe(b, i));
}

/* One position for each dim in begin[]. */
static bool positions(Build *b, const Arg *a, int rank, NodeId *begin) {
  if (a->kind != ARG_LIST || a->n != rank) {
    op_fail(b, a->span, "`begin` must list one position for each of the %d dim%s", rank,
            PLURAL(rank));
    return false;
  }
  for (int d = 0; d < rank; d++)
    if ((begin[d] = position(b, &a->at[d])) == NO_NODE) return false;
  return true;
}

/* The dims that a window of `size` does not hold whole, and where it begins in each of them. */
static uint32_t moving_dims(Build *b, const Shape *s, const Shape *size, const NodeId *begin,
                            NodeId *moving, int64_t *step) {
  uint32_t dims = 0;
  for (int d = 0, n = 0; d < s->rank; d++) {
    const Node *i = op_node(b, begin[d]);
    step[d] = 1;
    if (node_is_const(i) && i->whole == 0 && size->dim[d] == s->dim[d]) continue;
    dims |= 1u << d;
    moving[n++] = begin[d];
  }
  return dims;
}

static Arg call_window(Build *b, const Arg *a) {
  NodeId x, begin[MAX_RANK], moving[MAX_RANK];
  Shape size;
  int64_t step[MAX_RANK];
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  const Shape s = op_node(b, x)->shape;
  if (!positions(b, &a[1], s.rank, begin) || !arg_shape(b, &a[2], "size", &size))
    return arg_node(NO_NODE);
  if (size.rank != s.rank)
    return arg_node(op_fail(b, a[2].span, "`size` must list one size for each of the %d dim%s",
                            s.rank, PLURAL(s.rank)));
  const uint32_t dims = moving_dims(b, &s, &size, begin, moving, step);
  return arg_node(mk_window(b, x, dims, moving, size.dim, step));
}

/* What operand k, the begin of a window in one of `dims`, has to stay below. */
static int64_t below_end(const Node *n, uint32_t dims, const Shape *full, const Shape *size,
                         int k) {
  for (int d = 0; d < full->rank; d++)
    if (dims >> d & 1 && k-- == 0)
      return full->dim[d] - reach(size->dim[d], node_attrs(n, "step")[d]);
  return 0;
}

static int64_t below_window(const Graph *g, const Node *n, int k) {
  if (k < 1) return 0;
  return below_end(n, (uint32_t)node_attr(n, "axis"), &graph_operand(g, n, 0)->shape, &n->shape,
                   k - 1);
}

const OpDef op_window = {
    .name = "window",
    .params = "x, begin, size",
    .doc = "the elements of x from positions known while running on, as x[i : i + n] in each dim; "
           "a window that leaves x stops the program",
    .example = "f32[6, 5] x, i32[] i%4, i32[] j%3: window(x, [i, j], [3, 3])",
    .call = call_window,
    .attr = {{"axis", ATTR_SET}, {"shape", ATTR_SHAPE}, {"step", ATTR_LIST}},
    .infer = infer_window,
    .rule = rule_window,
    .grad = grad_window,
    .lower = lower_window,
    .class = OPC_MOVE,
    .flags = OPF_MOVES,
    .linear = 1,
    .passes = 1,
    .by_index = 1,
    .in_memory = 1,
    .below = below_window};

/* -------- put -------- */

/* attr: the dims that have a begin, steps. Operands: x, the value (as many dims), a begin for each
 * of those dims. Without such dims it is the value, in the place of x. */
static bool infer_put(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *v = graph_operand(b->graph, n, 1);
  n->dtype = x->dtype;
  n->shape = x->shape;
  bool fits = v->dtype == x->dtype && v->shape.rank == x->shape.rank;
  for (int d = 0; fits && d < x->shape.rank; d++) {
    if (node_attr(n, "axis") >> d & 1) {
      if (!window_fits(b, n->operand[0], d, v->shape.dim[d], node_attrs(n, "step")[d]))
        return false;
    } else {
      fits = v->shape.dim[d] == x->shape.dim[d];
    }
  }
  if (fits) return puts_fit(b, n);
  op_fail(b, b->span, "%s cannot be put into %s here", op_describe(b, n->operand[1]),
          op_describe(b, n->operand[0]));
  return false;
}

static void rule_put(const Graph *g, const Node *n, Rule *r) {
  const Node *v = graph_operand(g, n, 1);
  for (int d = 0; d < n->shape.rank; d++) {
    const int f = rule_factor(r, n->shape.dim[d], FACTOR_PASS);
    r->result[d] = r->operand[0][d] = r->operand[1][d] = one(f);
    if (node_attr(n, "axis") >> d & 1)
      r->operand[1][d] = one(rule_factor(r, v->shape.dim[d], FACTOR_WHOLE));
  }
  for (int k = 2; k < n->noperands; k++) {
    const Shape *s = &graph_operand(g, n, k)->shape;
    for (int d = 0; d < s->rank; d++)
      r->operand[k][d] = s->dim[d] > 1 ? r->result[d] : one(rule_factor(r, 1, FACTOR_WHOLE));
  }
}

NodeId mk_put(Build *b, NodeId x, NodeId v, uint32_t dims, const NodeId *begin,
              const int64_t *step) {
  NodeId operand[MAX_RANK + 2] = {x, v};
  int64_t attr[MAX_RANK + 1] = {dims};
  int n = 2;
  if (x == NO_NODE || v == NO_NODE) return NO_NODE;
  const int rank = op_node(b, x)->shape.rank;
  for (int d = 0; d < rank; d++) {
    attr[1 + d] = dims >> d & 1 ? step[d] : 1;
    if (dims >> d & 1) operand[n] = begin[n - 2], n++;
  }
  return build_node(b, &op_put, n, operand, 1 + rank, attr, 0);
}

/* For each element of shape s how far from `begin` on in dim d it is. */
static NodeId stepped(Build *b, NodeId begin, const Shape *s, int d, int64_t step) {
  const NodeId at = mk_broadcast_to(b, build_cast(b, begin, DT_I64), s);
  if (s->dim[d] == 1) return at;
  const NodeId i = mk_iota(b, DT_I64, s, d);
  return mk_add(b, at, mk2(b, &op_mul, i, mk_whole(b, DT_I64, s, step)));
}

/* The elements of y that put n wrote, of shape `size`. */
static NodeId read_back(Build *b, const Node *n, NodeId y, const Shape *size) {
  const uint32_t dims = (uint32_t)node_attr(n, "axis");
  const int64_t *step = node_attrs(n, "step");
  NodeId begin[MAX_RANK];
  int64_t steps[MAX_RANK];
  uint32_t scalars = 0;
  int moving = 0;
  for (int d = 0, k = 2; d < n->shape.rank; d++) {
    steps[d] = step[d];
    if (!(dims >> d & 1)) continue;
    const NodeId i = n->operand[k++];
    if (!op_node(b, i)->shape.rank) scalars |= 1u << d, begin[moving++] = i;
  }
  y = mk_window(b, y, scalars, begin, size->dim, steps);
  for (int d = 0, k = 2; d < n->shape.rank && y != NO_NODE; d++) {
    if (!(dims >> d & 1)) continue;
    const NodeId i = n->operand[k++];
    if (!op_node(b, i)->shape.rank) continue;
    Shape s = op_node(b, y)->shape;
    s.dim[d] = size->dim[d];
    y = mk_pick(b, y, stepped(b, i, &s, d, steps[d]), d);
  }
  return y;
}

static void grad_put(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node n = *op_node(b, node);
  const uint32_t dims = (uint32_t)node_attr(&n, "axis");
  const Shape size = op_node(b, n.operand[1])->shape;
  int64_t step[MAX_RANK];
  for (int d = 0; d < n.shape.rank; d++) step[d] = node_attrs(&n, "step")[d];
  /* What is read stands before what is written over it, in place. */
  dx[1] = read_back(b, &n, dy, &size);
  dx[0] = dims ? mk_put(b, dy, mk_number(b, n.operand[1], 0), dims, n.operand + 2, step) : NO_NODE;
  for (int k = 2; k < n.noperands; k++) dx[k] = NO_NODE;
}

static Arg call_put(Build *b, const Arg *a) {
  NodeId x, v, begin;
  int axis;
  if (!arg_tensor(b, &a[0], "x", &x) || (begin = position(b, &a[1])) == NO_NODE ||
      !arg_dim(b, &a[3], "axis", op_node(b, x)->shape.rank, &axis))
    return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape, row = {.rank = s.rank - 1};
  int64_t step[MAX_RANK];
  v = build_tensor(b, &a[2], op_node(b, x)->dtype);
  if (v == NO_NODE) return arg_node(v);
  for (int d = 0; d < row.rank; d++) row.dim[d] = s.dim[d < axis ? d : d + 1];
  for (int d = 0; d < s.rank; d++) step[d] = 1;
  if (!shape_equal(&row, &op_node(b, v)->shape) || op_node(b, v)->dtype != op_node(b, x)->dtype)
    return arg_node(op_fail(b, b->span, "a row along dim %d of %s is put, which %s is not", axis,
                            op_describe(b, x), op_describe(b, v)));
  s.dim[axis] = 1;
  return arg_node(mk_put(b, x, mk_reshape(b, v, &s), 1u << axis, &begin, step));
}

static int64_t below_put(const Graph *g, const Node *n, int k) {
  if (k < 2) return 0;
  return below_end(n, (uint32_t)node_attr(n, "axis"), &n->shape, &graph_operand(g, n, 1)->shape,
                   k - 2);
}

const OpDef op_put = {.name = "put",
                      .params = "x, index, value, axis=0",
                      .doc = "x with `value` in the place of its row `index` along a dim",
                      .example = "f32[4, 6] x, f32[6] v: put(x, 2, v)",
                      .call = call_put,
                      .attr = {{"axis", ATTR_SET}, {"step", ATTR_LIST}},
                      .infer = infer_put,
                      .rule = rule_put,
                      .grad = grad_put,
                      .lower = lower_put,
                      .class = OPC_MOVE,
                      .updates = true,
                      .passes = 1 | 2,
                      .below = below_put,
                      .flags = OPF_MOVES};

static Arg call_put_window(Build *b, const Arg *a) {
  NodeId x, v, begin[MAX_RANK], moving[MAX_RANK];
  int64_t step[MAX_RANK];
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  const Shape s = op_node(b, x)->shape;
  v = build_tensor(b, &a[2], op_node(b, x)->dtype);
  if (v == NO_NODE || !positions(b, &a[1], s.rank, begin)) return arg_node(NO_NODE);
  const Shape size = op_node(b, v)->shape;
  if (size.rank != s.rank || op_node(b, v)->dtype != op_node(b, x)->dtype)
    return arg_node(
        op_fail(b, b->span, "%s cannot be put into %s here", op_describe(b, v), op_describe(b, x)));
  const uint32_t dims = moving_dims(b, &s, &size, begin, moving, step);
  return arg_node(dims ? mk_put(b, x, v, dims, moving, step) : v);
}

const OpDef op_put_window = {
    .name = "put_window",
    .params = "x, begin, value",
    .doc = "x with `value` in the place of its elements from positions known while running on",
    .example = "f32[6, 5] x, i32[] i%4, i32[] j%3, f32[3, 3] v: put_window(x, [i, j], v)",
    .call = call_put_window,
    .flags = OPF_COMPLEX};

/* -------- parts, as subscripts name them -------- */

typedef struct WindowPart {
  uint32_t dims; /* that have a begin */
  NodeId begin[MAX_RANK];
  int64_t size[MAX_RANK], step[MAX_RANK];
} WindowPart;

/* Where a subscript of x begins, `start` behind its position; a list of those, one for each row of
 * a dim, lies along that dim. */
static NodeId begin_of(Build *b, NodeId x, const Subscript *u, int64_t start) {
  Shape s = {.rank = shape_of(b, x)->rank};
  NodeId at = u->at;
  if (start) {
    const Arg i = arg_node(at),
              by = {.kind = ARG_INT, .i = start, .real = (double)start, .span = u->span};
    at = build_operator(b, &op_add, &i, &by).node;
  }
  if (!u->rows) return at;
  for (int d = 0; d < s.rank; d++) s.dim[d] = 1;
  s.dim[u->rows - 1] = shape_of(b, x)->dim[u->rows - 1];
  return mk_reshape(b, at, &s);
}

/* The dims that move, of those with a position known while running; the others of `all` too. */
static bool part_named(Build *b, NodeId x, int n, const Subscript *sub, bool all, WindowPart *p) {
  const Shape s = op_node(b, x)->shape;
  int moving = 0;
  *p = (WindowPart){0};
  for (int d = 0; d < s.rank; d++) {
    const Subscript *u = d < n ? &sub[d] : NULL;
    p->size[d] = s.dim[d], p->step[d] = 1;
    if (!u || u->whole || (!u->running && !all)) continue;
    const SubscriptRange r = subscript_range(u, s.dim[d]);
    if (!u->running && !r.inside) {
      op_fail(b, u->span, "index %ld is outside dim %d of %s", (long)u->begin, d,
              op_describe(b, x));
      return false;
    }
    p->size[d] = r.size, p->step[d] = r.step;
    if (!u->running && !r.start && r.size == s.dim[d]) continue;
    p->dims |= 1u << d;
    p->begin[moving++] = u->running ? begin_of(b, x, u, r.start) : build_whole(b, DT_I64, r.start);
  }
  return true;
}

bool build_is_iota(const Build *b, NodeId x, int64_t n) {
  const Node *i = graph_node(b->graph, x);
  while (i->op == &op_cast && dtype_is_int(i->dtype)) i = graph_operand(b->graph, i, 0);
  return i->op == &op_iota && i->shape.rank == 1 && i->shape.dim[0] == n;
}

/* The windows of rows that have one of their own, which become whole. */
static NodeId windows_by_row(Build *b, NodeId x, int n, Subscript *sub) {
  for (int d = 0; d < n && x != NO_NODE; d++) {
    Subscript *u = &sub[d];
    if (!u->rows) continue;
    Shape s = *shape_of(b, x);
    const SubscriptRange r = subscript_range(u, s.dim[d]);
    s.dim[d] = r.size;
    if (!window_fits(b, x, d, r.size, r.step)) return NO_NODE;
    x = mk_pick(b, x, stepped(b, begin_of(b, x, u, r.start), &s, d, r.step), d);
    *u = (Subscript){.span = u->span, .drop = u->drop, .step = u->step < 0 ? -1 : 1};
    u->whole = !u->drop && u->step > 0;
  }
  return x;
}

NodeId build_window(Build *b, NodeId x, int n, Subscript *sub) {
  WindowPart p;
  x = windows_by_row(b, x, n, sub);
  if (x == NO_NODE || !part_named(b, x, n, sub, false, &p)) return NO_NODE;
  const NodeId y = mk_window(b, x, p.dims, p.begin, p.size, p.step);
  for (int d = 0; d < n; d++) { /* what remains to be done along these dims */
    Subscript *u = &sub[d];
    if (!u->running) continue;
    *u = (Subscript){.span = u->span, .drop = u->drop, .step = u->step < 0 ? -1 : 1};
  }
  return y;
}

/* Which dims go from the last to the first. */
static uint32_t backwards(int n, const Subscript *sub, const WindowPart *p) {
  uint32_t dims = 0;
  for (int d = 0; d < n; d++)
    if (!sub[d].whole && !sub[d].drop && sub[d].step < 0 && p->size[d] > 1) dims |= 1u << d;
  return dims;
}

NodeId build_put(Build *b, NodeId x, int n, const Subscript *sub, const Arg *value) {
  WindowPart p;
  if (x == NO_NODE || !part_named(b, x, n, sub, true, &p)) return NO_NODE;
  const Node *of = op_node(b, x);
  Shape kept = {0}, full = of->shape;
  bool empty = false;
  for (int d = 0; d < full.rank; d++) {
    full.dim[d] = p.size[d];
    empty = empty || !p.size[d];
    if (d >= n || !sub[d].drop) kept.dim[kept.rank++] = p.size[d];
  }
  const DType t = of->dtype;
  NodeId v = build_tensor(b, value, t);
  if (v == NO_NODE) return v;
  const Node *given = op_node(b, v);
  bool fits = given->dtype == t && given->shape.rank <= kept.rank;
  for (int d = 1; fits && d <= given->shape.rank; d++) {
    const int64_t have = given->shape.dim[given->shape.rank - d];
    fits = have == 1 || have == kept.dim[kept.rank - d];
  }
  if (!fits) {
    const NodeId like = mk_const(b, t, &kept, 0);
    return op_fail(b, value->span, "the part that is written is %s, but the value is %s",
                   op_describe(b, like), op_describe(b, v));
  }
  v = mk_reshape(b, mk_broadcast_to(b, v, &kept), &full);
  if (empty) return x;
  const uint32_t turned = backwards(n, sub, &p);
  if (turned) v = build_node(b, &op_reverse, 1, &v, 1, (int64_t[]){turned}, 0);
  return p.dims ? mk_put(b, x, v, p.dims, p.begin, p.step) : v;
}
