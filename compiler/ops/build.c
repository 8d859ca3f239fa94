/* Builds nodes: shorthands for the primitives, and NumPy's broadcasting. */
#include "opdefs.h"
#include "dtrt_math.h"
#include "plural.h"
#include <string.h>

static bool is_complex(const Build *b, NodeId x) {
  return x != NO_NODE && dtype_is_complex(op_node(b, x)->dtype);
}

/* Types for storage have casts and what moves elements alone. */
static bool computes(Op op) {
  switch (op->class) {
  case OPC_CALL:
  case OPC_SOURCE:
  case OPC_CONST:
  case OPC_MOVE:
  case OPC_VIEW:
  case OPC_TELL:
  case OPC_EXCHANGE: return false;
  default: break;
  }
  const uint32_t passes = OPF_MOVES | OPF_GRAD | OPF_CARRY | OPF_AFTER;
  return !(op->flags & passes || op == &op_cast || op == &op_stop_gradient || op->passes == 1);
}

bool op_computes_in(Build *b, DType t) {
  if (!dtype_is_stored(t)) return true;
  op_fail(b, b->span, "%s is a type to store numbers in; compute in another, as f32(...)",
          dtype_name(t));
  return false;
}

static bool stored_fits(Build *b, const Node *n) {
  if (!computes(n->op)) return true;
  for (int k = 0; k < n->noperands; k++)
    if (!op_computes_in(b, graph_operand(b->graph, n, k)->dtype)) return false;
  return op_computes_in(b, n->dtype);
}

static bool complex_fits(Build *b, const Node *n) {
  NodeId of = NO_NODE;
  for (int k = 0; k < n->noperands && of == NO_NODE; k++)
    if (is_complex(b, n->operand[k])) of = n->operand[k];
  if ((of == NO_NODE && !dtype_is_complex(n->dtype)) || op_takes_complex(b->graph, n)) return true;
  op_not_complex(b, n->op, of == NO_NODE ? dtype_name(n->dtype) : op_describe(b, of));
  return false;
}

/* What is surely out of range ends the program when it runs, so it is an error here, but in what
 * may not run. Passes build what the front end has checked. */
static bool indices_fit(Build *b, const Node *n) {
  if (!n->op->below || op_is(n, OPF_ELEMENTWISE) || !b->user || b->within) return true;
  for (int k = 0; k < n->noperands; k++) {
    const int64_t below = n->op->below(b->graph, n, k);
    int64_t index;
    if (below <= 0 || !index_lies_outside(b->graph, n->operand[k], below, &index)) continue;
    const bool window = n->op == &op_window || n->op == &op_put;
    op_fail(b, b->span, "%s %ld is outside [0, %ld)%s", window ? "position" : "index", (long)index,
            (long)below,
            index < 0 ? "; only numbers and lists in x[...] count from the end"
            : window  ? ", where it may begin"
                      : "");
    return false;
  }
  return true;
}

void op_not_complex(Build *b, Op op, const char *of) {
  const uint8_t order = ORDER_LESS | ORDER_GREATER;
  const bool orders = op->flags & OPF_EXTREME || op->class == OPC_SORT || op->class == OPC_SEARCH ||
                      (op->compares & order && (op->compares & order) != order);
  op_fail(b, b->span, "%s (%s); take real(x), imag(x) or abs(x)",
          orders ? "complex numbers have no order" : "is not defined for complex numbers", of);
}

NodeId build_node(Build *b, Op op, int noperands, const NodeId *operands, int nattr,
                  const int64_t *attr, double value) {
  for (int i = 0; i < noperands; i++)
    if (operands[i] == NO_NODE) return NO_NODE;
  Node n = {.op = op,
            .noperands = noperands,
            .operand = operands,
            .nattr = nattr,
            .attr = attr,
            .value = value,
            .span = b->span,
            .site = b->site,
            .precision = b->precision,
            .back = b->back,
            .stores = b->stores,
            .within = noperands ? b->within : 0};
  if (!op->infer(b, &n) || !stored_fits(b, &n) || !complex_fits(b, &n) || !indices_fit(b, &n))
    return NO_NODE;
  return graph_add(b->graph, &n);
}

/* The first complex tensor in an argument. */
static NodeId complex_in(const Build *b, const Arg *a) {
  NodeId of = a->kind == ARG_TENSOR && is_complex(b, a->node) ? a->node : NO_NODE;
  for (int i = 0; a->kind == ARG_LIST && i < a->n && of == NO_NODE; i++)
    of = complex_in(b, &a->at[i]);
  return of;
}

static int parameters(const OpDef *def) {
  int n = *def->params != 0, depth = 0;
  for (const char *c = def->params; *c; c++) {
    depth += (*c == '[') - (*c == ']');
    n += *c == ',' && !depth;
  }
  return n;
}

/* A composite of parts that take complex numbers may still mean something else by them: a norm is
 * no root of the sum of x * x. */
static bool complex_goes(Build *b, const OpDef *def, const Arg *args) {
  if (def->flags & OPF_COMPLEX || (def->class != OPC_CALL && def->class != OPC_MATRIX)) return true;
  for (int i = 0; i < parameters(def); i++) {
    const NodeId of = complex_in(b, &args[i]);
    if (of != NO_NODE) return op_not_complex(b, def, op_describe(b, of)), false;
  }
  return true;
}

Arg build_call(Build *b, const OpDef *def, const Arg *args) {
  const char *outer = b->what;
  b->what = def->name;
  Arg r = complex_goes(b, def, args) ? def->call(b, args) : arg_node(NO_NODE);
  b->what = outer;
  return r;
}

NodeId mk1(Build *b, Op op, NodeId x) { return build_node(b, op, 1, &x, 0, NULL, 0); }

NodeId mk2(Build *b, Op op, NodeId x, NodeId y) {
  return build_node(b, op, 2, (NodeId[]){x, y}, 0, NULL, 0);
}

void node_becomes_zero(Node *n) {
  n->op = &op_const;
  n->noperands = 0;
}

void node_becomes_operand(Node *n) {
  n->op = &op_stop_gradient;
  n->noperands = 1;
  n->nattr = 0;
}

NodeId mk_add(Build *b, NodeId x, NodeId y) { return mk2(b, &op_add, x, y); }

NodeId mk_const(Build *b, DType t, const Shape *s, double value) {
  int64_t attr[MAX_RANK + 1] = {t};
  memcpy(attr + 1, s->dim, sizeof *attr * (size_t)s->rank);
  /* Rounded here: a constant is the same number whether it is stored or stands in a loop. */
  NodeId id = build_node(b, &op_const, 0, NULL, s->rank + 1, attr, dtype_round(t, value));
  if (id != NO_NODE && !dtype_is_float(t))
    graph_node(b->graph, id)->whole = t == DT_BOOL ? value != 0 : (int64_t)value;
  return id;
}

NodeId mk_whole(Build *b, DType t, const Shape *s, int64_t value) {
  NodeId id = mk_const(b, t, s, (double)value);
  if (id != NO_NODE) graph_node(b->graph, id)->whole = value;
  return id;
}

NodeId build_whole(Build *b, DType t, int64_t value) { return mk_whole(b, t, &(Shape){0}, value); }

NodeId build_const(Build *b, DType t, double value) { return mk_const(b, t, &(Shape){0}, value); }

NodeId mk_number(Build *b, NodeId like, double value) {
  if (like == NO_NODE) return NO_NODE;
  const Node *n = op_node(b, like);
  Shape s = n->shape;
  return mk_const(b, n->dtype, &s, value);
}

NodeId mk_scale(Build *b, NodeId x, double by) { return mk2(b, &op_mul, x, mk_number(b, x, by)); }
NodeId mk_shift(Build *b, NodeId x, double by) { return mk2(b, &op_add, x, mk_number(b, x, by)); }

NodeId mk_select(Build *b, NodeId cond, NodeId x, NodeId y) {
  return build_node(b, &op_where, 3, (NodeId[]){cond, x, y}, 0, NULL, 0);
}

NodeId mk_reshape(Build *b, NodeId x, const Shape *s) {
  if (x == NO_NODE) return NO_NODE;
  if (shape_equal(&op_node(b, x)->shape, s)) return x;
  return build_node(b, &op_reshape, 1, &x, s->rank, s->dim, 0);
}

NodeId mk_transpose(Build *b, NodeId x, const int *perm) {
  if (x == NO_NODE) return NO_NODE;
  int64_t attr[MAX_RANK];
  int rank = op_node(b, x)->shape.rank;
  bool same = true;
  for (int i = 0; i < rank; i++) {
    attr[i] = perm[i];
    same = same && perm[i] == i;
  }
  return same ? x : build_node(b, &op_transpose, 1, &x, rank, attr, 0);
}

NodeId mk_broadcast(Build *b, NodeId x, const Shape *s, const int *map) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = op_node(b, x);
  if (shape_equal(&n->shape, s)) return x;
  if (n->op == &op_const && dtype_is_int(n->dtype)) return mk_whole(b, n->dtype, s, n->whole);
  if (n->op == &op_const) return mk_const(b, n->dtype, s, n->value);
  int64_t attr[2 * MAX_RANK];
  int rank = n->shape.rank;
  for (int i = 0; i < rank; i++) attr[i] = map[i];
  memcpy(attr + rank, s->dim, sizeof *attr * (size_t)s->rank);
  return build_node(b, &op_broadcast, 1, &x, rank + s->rank, attr, 0);
}

NodeId mk_broadcast_to(Build *b, NodeId x, const Shape *s) {
  if (x == NO_NODE) return NO_NODE;
  const Node *n = op_node(b, x);
  Shape from = n->shape, kept = {0};
  int map[MAX_RANK], off = s->rank - from.rank;
  for (int d = 0; d < from.rank; d++)
    if (from.dim[d] == s->dim[d + off]) {
      map[kept.rank] = d + off;
      kept.dim[kept.rank++] = from.dim[d];
    }
  return mk_broadcast(b, mk_reshape(b, x, &kept), s, map);
}

/* Halves as f32: sums of many halves are rounded once, at their end, not once a device. */
static NodeId widened(Build *b, NodeId x) {
  DType t = op_node(b, x)->dtype;
  if (!op_computes_in(b, t)) return NO_NODE;
  return dtype_is_half(t) ? build_cast(b, x, DT_F32) : x;
}

NodeId mk_reduce(Build *b, Op op, NodeId x, uint32_t dims, bool keepdims) {
  if (x == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape;
  if (!dims) return x;
  const DType t = op_node(b, x)->dtype;
  if (op == &op_sum || op == &op_prod) x = widened(b, x);
  NodeId y = op == &op_prod && is_complex(b, x) ? complex_prod(b, x, dims)
                                                : build_node(b, op, 1, &x, 1, (int64_t[]){dims}, 0);
  if (op == &op_sum || op == &op_prod) y = build_cast(b, y, t);
  if (y == NO_NODE || !keepdims) return y;
  for (int d = 0; d < s.rank; d++)
    if (dims & 1u << d) s.dim[d] = 1;
  return mk_reshape(b, y, &s);
}

NodeId mk_again(Build *b, NodeId node) {
  const Node n = *op_node(b, node);
  if (!n.precision) return node;
  return build_node(b, n.op, n.noperands, n.operand, n.nattr, n.attr, n.value);
}

NodeId mk_unreduce(Build *b, NodeId x, const Shape *full, uint32_t dims) {
  int map[MAX_RANK], n = 0;
  for (int d = 0; d < full->rank; d++)
    if (!(dims & 1u << d)) map[n++] = d;
  return mk_broadcast(b, x, full, map);
}

NodeId mk_slice(Build *b, NodeId x, const int64_t *start, const int64_t *size,
                const int64_t *step) {
  if (x == NO_NODE) return NO_NODE;
  const Shape *s = &op_node(b, x)->shape;
  int64_t attr[3 * MAX_RANK];
  int r = s->rank;
  bool same = true, empty = false;
  for (int i = 0; i < r; i++) {
    attr[i] = start[i];
    attr[r + i] = size[i];
    attr[2 * r + i] = step[i];
    empty = empty || !size[i];
    same = same && start[i] == 0 && size[i] == s->dim[i] && step[i] == 1;
  }
  if (same) return x;
  if (empty) { /* needs nothing of x, which no window could say */
    Shape none = {.rank = r};
    memcpy(none.dim, size, sizeof *size * (size_t)r);
    return mk_const(b, op_node(b, x)->dtype, &none, 0);
  }
  return build_node(b, &op_slice, 1, &x, 3 * r, attr, 0);
}

NodeId mk_slice_whole(Build *b, NodeId x) {
  const Shape s = op_node(b, x)->shape;
  int64_t attr[3 * MAX_RANK] = {0};
  for (int i = 0; i < s.rank; i++) attr[s.rank + i] = s.dim[i], attr[2 * s.rank + i] = 1;
  return build_node(b, &op_slice, 1, &x, 3 * s.rank, attr, 0);
}

NodeId mk_pad(Build *b, NodeId x, const int64_t *lo, const int64_t *hi, const int64_t *interior,
              double value) {
  if (x == NO_NODE) return NO_NODE;
  int r = op_node(b, x)->shape.rank;
  int64_t attr[3 * MAX_RANK];
  bool same = true;
  for (int i = 0; i < r; i++) {
    attr[i] = lo[i];
    attr[r + i] = hi[i];
    attr[2 * r + i] = interior[i];
    same = same && !lo[i] && !hi[i] && !interior[i];
  }
  value = dtype_round(op_node(b, x)->dtype, value);
  return same ? x : build_node(b, &op_pad, 1, &x, 3 * r, attr, value);
}

NodeId mk_concat(Build *b, int n, const NodeId *x, int dim) {
  return n == 1 ? x[0] : build_node(b, &op_concat, n, x, 1, (int64_t[]){dim}, 0);
}

NodeId mk_iota(Build *b, DType t, const Shape *s, int dim) {
  int64_t attr[MAX_RANK + 2] = {t, dim};
  memcpy(attr + 2, s->dim, sizeof *attr * (size_t)s->rank);
  return build_node(b, &op_iota, 0, NULL, s->rank + 2, attr, 0);
}

NodeId mk_gather(Build *b, NodeId table, NodeId index, int dim) {
  return build_node(b, &op_gather, 2, (NodeId[]){table, index}, 1, (int64_t[]){dim}, 0);
}

NodeId mk_scatter(Build *b, NodeId index, NodeId updates, int dim, int64_t size) {
  if (updates == NO_NODE) return NO_NODE;
  DType t = op_node(b, updates)->dtype;
  NodeId y = build_node(b, &op_scatter_add, 2, (NodeId[]){index, widened(b, updates)}, 2,
                        (int64_t[]){dim, size}, 0);
  return build_cast(b, y, t);
}

NodeId mk_contract(Build *b, NodeId x, NodeId y, const int8_t *lx, const int8_t *ly, int rank,
                   const int8_t *lout) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  int rx = op_node(b, x)->shape.rank, ry = op_node(b, y)->shape.rank;
  int64_t attr[3 * MAX_RANK];
  for (int i = 0; i < rx; i++) attr[i] = lx[i];
  for (int i = 0; i < ry; i++) attr[rx + i] = ly[i];
  for (int i = 0; i < rank; i++) attr[rx + ry + i] = lout[i];
  return build_node(b, &op_contract, 2, (NodeId[]){x, y}, rx + ry + rank, attr, 0);
}

/* An integer as a floating-point number of a type, rounded once. */
static double whole_as(DType t, DType of, int64_t w) {
  if (of == DT_U64 && w < 0) {
    const uint64_t u = (uint64_t)w;
    return t == DT_F64 ? (double)u : t == DT_F32 ? (double)(float)u : dtrt_u64_to_odd_f64(u);
  }
  return t == DT_F64 ? (double)w : t == DT_F32 ? (double)(float)w : dtrt_i64_to_odd_f64(w);
}

NodeId build_cast(Build *b, NodeId x, DType to) {
  if (x == NO_NODE || op_node(b, x)->dtype == to) return x;
  x = complex_literal_as(b, untyped_cast(b, x, to), to);
  if (x == NO_NODE || op_node(b, x)->dtype == to) return x;
  const Node *n = op_node(b, x);
  Shape s = n->shape;
  if (n->op == &op_const && dtype_is_int(n->dtype)) {
    int64_t w = n->whole;
    if (dtype_is_float(to)) return mk_const(b, to, &s, whole_as(to, n->dtype, w));
    if (to == DT_BOOL) return mk_const(b, to, &s, w != 0);
    /* To a narrower type the low bits are kept. */
    return mk_whole(b, to, &s, dtype_wrap(to, w));
  }
  if (n->op == &op_const && dtype_is_float(to)) return mk_const(b, to, &s, n->value);
  return build_node(b, &op_cast, 1, &x, 1, (int64_t[]){to}, 0);
}

NodeId build_tensor(Build *b, const Arg *x, DType t) {
  if (x->kind == ARG_TENSOR && x->node == NO_NODE) return NO_NODE;
  if (x->kind == ARG_TENSOR) return complex_literal_as(b, untyped_as(b, x->node, t), t);
  if (x->kind == ARG_BOOL && t == DT_BOOL) return build_const(b, t, x->i ? 1 : 0);
  if (x->kind == ARG_LIST) return build_array(b, x, &t);
  if (x->kind != ARG_INT && x->kind != ARG_REAL)
    return x->kind == ARG_BOOL
               ? op_fail(b, x->span, "%s meets %s, and only bool tensors hold it; write a number",
                         x->i ? "true" : "false", dtype_name(t))
               : op_fail(b, x->span, "expected a tensor or a number");
  if (!dtype_is_float(t) && (x->kind == ARG_REAL && x->real != floor(x->real)))
    return op_fail(b, x->span, "%g is not an integer, as %s requires", x->real, dtype_name(t));
  if (t == DT_BOOL)
    return op_fail(b, x->span,
                   "a number cannot be combined with a bool tensor; write true or false, or cast "
                   "it, as in i32(...)");
  if (dtype_is_float(t)) {
    double v = x->kind == ARG_INT ? whole_as(t, DT_I64, x->i) : x->real;
    return op_check_number(b, x->span, t, v) ? build_const(b, t, v) : NO_NODE;
  }
  bool fits = x->kind == ARG_INT || fabs(x->real) < 0x1p63;
  int64_t w = !fits ? 0 : x->kind == ARG_INT ? x->i : (int64_t)x->real;
  if (!fits || w < dtype_least(t) || w > dtype_most(t))
    return op_fail(b, x->span, "%.17g does not fit in %s", x->real, dtype_name(t));
  return build_whole(b, t, w);
}

/* NumPy's rule: right-aligned, a dim of 1 grows. */
static bool broadcast_shapes(Build *b, NodeId x, NodeId y, Shape *out) {
  const Shape *p = &op_node(b, x)->shape, *q = &op_node(b, y)->shape;
  out->rank = p->rank > q->rank ? p->rank : q->rank;
  for (int i = 1; i <= out->rank; i++) {
    int64_t u = i <= p->rank ? p->dim[p->rank - i] : 1, v = i <= q->rank ? q->dim[q->rank - i] : 1;
    if (u != v && u != 1 && v != 1) {
      op_fail(b, b->span, "shapes %s and %s do not match in dim %d: %ld and %ld", op_describe(b, x),
              op_describe(b, y), out->rank - i, (long)u, (long)v);
      op_declared(b, 2, (NodeId[]){x, y});
      return false;
    }
    out->dim[out->rank - i] = u == 1 ? v : u;
  }
  return true;
}

bool build_broadcast_pair(Build *b, NodeId *x, NodeId *y) {
  Shape s;
  if (*x == NO_NODE || *y == NO_NODE || !broadcast_shapes(b, *x, *y, &s)) return false;
  if (!op_check_size(b, b->span, op_node(b, *x)->dtype, &s)) return false;
  *x = mk_broadcast_to(b, *x, &s);
  *y = mk_broadcast_to(b, *y, &s);
  return *x != NO_NODE && *y != NO_NODE;
}

bool literals_agree(Build *b, NodeId *x, NodeId *y) {
  NodeId both[] = {*x, *y};
  if (!untyped_agree(b, 2, both)) return false;
  *x = both[0], *y = both[1];
  complex_agree(b, x, y);
  return true;
}

static bool is_tensor(const Arg *a) { return a->kind == ARG_TENSOR; }

/* x**2 and x**3 are products; x**0.5 is a square root. */
static NodeId small_power(Build *b, NodeId x, const Arg *y) {
  if (y->kind != ARG_INT && y->kind != ARG_REAL) return NO_NODE;
  if (!dtype_is_float(op_node(b, x)->dtype)) return NO_NODE;
  if (y->real == 1) return x;
  if (y->real == 2) return mk2(b, &op_mul, x, x);
  if (y->real == 3) return mk2(b, &op_mul, mk2(b, &op_mul, x, x), x);
  if (y->real == 0.5) return mk1(b, &op_sqrt, x);
  return NO_NODE;
}

Arg build_operator(Build *b, Op op, const Arg *x, const Arg *y) {
  const char *outer = b->what;
  NodeId p, q, r = NO_NODE;
  b->what = op_written(op);
  if ((r = complex_written(b, op, x, y)) != NO_NODE) goto done;
  if (!y) {
    r = is_tensor(x) ? mk1(b, op, x->node) : op_fail(b, x->span, "expected a tensor");
    goto done;
  }
  if ((is_tensor(x) && x->node == NO_NODE) || (is_tensor(y) && y->node == NO_NODE)) goto done;
  if (op == &op_pow &&
      ((is_tensor(x) && is_complex(b, x->node)) || (is_tensor(y) && is_complex(b, y->node)))) {
    r = complex_power(b, x, y);
    goto done;
  }
  if (op == &op_pow && is_tensor(x) && (r = small_power(b, x->node, y)) != NO_NODE) goto done;
  DType t = is_tensor(x)   ? op_node(b, x->node)->dtype
            : is_tensor(y) ? op_node(b, y->node)->dtype
                           : DT_F32;
  p = is_tensor(x) ? x->node : build_tensor(b, x, t);
  q = is_tensor(y) ? y->node : build_tensor(b, y, t);
  if (p == NO_NODE || q == NO_NODE || !literals_agree(b, &p, &q)) goto done;
  if (op_node(b, p)->dtype != op_node(b, q)->dtype) {
    op_types_differ(b, p, q);
    goto done;
  }
  if (build_broadcast_pair(b, &p, &q)) r = mk2(b, op, p, q);
done:
  untyped_add(b, r, op, y ? 2 : 1, (Arg[]){*x, y ? *y : *x});
  b->what = outer;
  return arg_node(r);
}

SubscriptRange subscript_range(const Subscript *u, int64_t n) {
  if (u->drop && u->running) return (SubscriptRange){0, 1, 1, true};
  if (u->drop) {
    const int64_t i = u->begin < 0 ? u->begin + n : u->begin;
    return (SubscriptRange){i, 1, 1, i >= 0 && i < n};
  }
  if (u->whole) return (SubscriptRange){0, n, 1, true};
  const bool down = u->step < 0;
  const int64_t t = u->step == INT64_MIN ? INT64_MAX : down ? -u->step : u->step ? u->step : 1;
  int64_t from = u->has_begin ? u->begin
                 : down       ? n - 1
                              : 0,
          to = u->has_end ? u->end
               : down     ? -1 - n
                          : n;
  if (!u->running) {
    const int64_t least = down ? -1 : 0, most = down ? n - 1 : n;
    if (from < 0) from += n;
    if (to < 0) to += n;
    from = from < least ? least : from > most ? most : from;
    to = to < least ? least : to > most ? most : to;
  }
  SubscriptRange r = {.start = from, .step = 1, .inside = true};
  if (down ? from > to : to > from) r.size = (down ? from - to - 1 : to - from - 1) / t + 1;
  if (down) r.start = r.size ? from - (r.size - 1) * t : 0;
  if (r.size > 1) r.step = t; /* a step that is not taken may be any number */
  return r;
}

/* Slices with a positive step, plain indexes that drop their dim; NumPy's clipping of ranges. */
NodeId build_subscript(Build *b, NodeId x, int n, const Subscript *subs) {
  if (x == NO_NODE) return NO_NODE;
  Shape s = op_node(b, x)->shape, kept = {0};
  if (n > s.rank)
    return op_fail(b, subs[s.rank].span, "%d subscript%s for a tensor of %d dim%s: %s", n,
                   PLURAL(n), s.rank, PLURAL(s.rank), op_describe(b, x));
  int64_t start[MAX_RANK] = {0}, size[MAX_RANK] = {0}, step[MAX_RANK] = {0};
  uint32_t reversed = 0;
  for (int d = 0; d < s.rank; d++) {
    const Subscript whole = {.whole = true}, *u = d < n ? &subs[d] : &whole;
    const SubscriptRange r = subscript_range(u, s.dim[d]);
    if (!r.inside)
      return op_fail(b, u->span, "index %ld is outside dim %d of %s", (long)u->begin, d,
                     op_describe(b, x));
    start[d] = r.start, size[d] = r.size, step[d] = r.step;
    if (!u->whole && !u->drop && u->step < 0 && r.size > 1) reversed |= 1u << d;
    if (!u->drop) kept.dim[kept.rank++] = r.size;
  }
  NodeId y = mk_slice(b, x, start, size, step);
  if (reversed && y != NO_NODE) y = build_node(b, &op_reverse, 1, &y, 1, (int64_t[]){reversed}, 0);
  return mk_reshape(b, y, &kept);
}

NodeId build_grad(Build *b, NodeId loss, NodeId wrt) {
  if (loss == NO_NODE || wrt == NO_NODE) return NO_NODE;
  const char *outer = b->what;
  b->what = "grad";
  NodeId r = build_node(b, &op_grad, 2, (NodeId[]){loss, wrt}, 0, NULL, 0);
  b->what = outer;
  return r;
}

NodeId build_input(Build *b, DType t, const Shape *shape, const char *name, int index) {
  if (!op_check_size(b, b->span, t, shape)) return NO_NODE;
  int64_t attr[MAX_RANK + 2] = {t, index};
  memcpy(attr + 2, shape->dim, sizeof *attr * (size_t)shape->rank);
  NodeId id = build_node(b, &op_input, 0, NULL, shape->rank + 2, attr, 0);
  if (id != NO_NODE) graph_node(b->graph, id)->name = name;
  return id;
}

NodeId build_var(Build *b, const Var *v, int index) {
  int64_t attr[MAX_RANK + 2] = {v->dtype, index};
  memcpy(attr + 2, v->shape.dim, sizeof *attr * (size_t)v->shape.rank);
  NodeId id = build_node(b, &op_var, 0, NULL, v->shape.rank + 2, attr, 0);
  if (id == NO_NODE) return id;
  graph_node(b->graph, id)->name = v->path;
  graph_node(b->graph, id)->span = v->span; /* notes point at the declaration */
  return id;
}

NodeId build_carry(Build *b, NodeId init, int region, int number) {
  return build_node(b, &op_carry, 1, &init, 2, (int64_t[]){region, number}, 0);
}

NodeId build_after(Build *b, NodeId carry) {
  return build_node(b, &op_after, 1, &carry, 0, NULL, 0);
}

NodeId build_relayout(Build *b, NodeId x, const Spec *spec) {
  NodeId id = build_node(b, &op_relayout, 1, &x, 0, NULL, 0);
  if (id != NO_NODE) graph_node(b->graph, id)->spec = spec;
  return id;
}

NodeId build_relayout_like(Build *b, NodeId x, NodeId like) {
  return mk2(b, &op_relayout_like, x, like);
}
