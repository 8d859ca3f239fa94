/* Ops whose result blocks are shifted or clipped operand blocks: windows of the operand
 * (ir/layout.h). If such a dim is split, they exchange only the elements that a device needs and
 * does not own. */
#include "opdefs.h"
#include "plural.h"
#include <string.h>

#define IN(i) (op_node(b, node)->operand[i])

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

/* -------- slice -------- */

/* attr: starts, sizes, steps; steps are positive. */
static bool infer_slice(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape.rank = x->shape.rank;
  memcpy(n->shape.dim, n->attr + x->shape.rank, sizeof *n->attr * (size_t)n->shape.rank);
  return true;
}

static void rule_slice(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  int rank = n->shape.rank;
  for (int d = 0; d < rank; d++) {
    int64_t start = node_attrs(n, "begin")[d], step = node_attrs(n, "step")[d];
    bool touched = start || step != 1 || n->shape.dim[d] != x->shape.dim[d];
    int f = rule_factor(r, n->shape.dim[d], touched ? FACTOR_SHIFT : FACTOR_PASS);
    r->result[d] = r->operand[0][d] = one(f);
    if (touched) r->operand[0][d].window = (Window){n->shape.dim[d], step, 1, start, start, 0};
  }
}

static void grad_slice(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  Shape s = op_node(b, IN(0))->shape;
  int64_t lo[MAX_RANK], hi[MAX_RANK], interior[MAX_RANK];
  for (int d = 0; d < s.rank; d++) {
    int64_t start = node_attrs(n, "begin")[d], size = n->shape.dim[d],
            step = node_attrs(n, "step")[d];
    lo[d] = size ? start : 0;
    interior[d] = size ? step - 1 : 0;
    hi[d] = size ? s.dim[d] - (start + (size - 1) * step + 1) : s.dim[d];
  }
  dx[0] = mk_pad(b, dy, lo, hi, interior, 0);
}

/* One number a dim, or none. */
static bool per_dim(Build *b, const Arg *a, const char *param, int rank, int64_t otherwise,
                    int64_t *out) {
  for (int d = 0; d < rank; d++) out[d] = otherwise;
  if (a->kind == ARG_NONE) return true;
  if (a->kind != ARG_LIST || a->n != rank) {
    op_fail(b, a->span, "`%s` must list one number for each of the %d dim%s", param, rank,
            PLURAL(rank));
    return false;
  }
  for (int d = 0; d < rank; d++)
    if (!arg_int(b, &a->at[d], param, &out[d])) return false;
  return true;
}

static Arg call_slice(Build *b, const Arg *a) {
  NodeId x;
  int64_t begin[MAX_RANK], end[MAX_RANK], step[MAX_RANK];
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  int rank = op_node(b, x)->shape.rank;
  if (!per_dim(b, &a[1], "begin", rank, 0, begin) ||
      !per_dim(b, &a[2], "end", rank, INT64_MAX, end) || !per_dim(b, &a[3], "step", rank, 1, step))
    return arg_node(NO_NODE);
  Subscript s[MAX_RANK];
  for (int d = 0; d < rank; d++) {
    if (step[d] < 1)
      return arg_node(op_fail(b, a[3].span, "steps must be positive: %ld", (long)step[d]));
    s[d] = (Subscript){.span = b->span,
                       .has_begin = true,
                       .has_end = true,
                       .begin = begin[d],
                       .end = end[d],
                       .step = step[d]};
  }
  return arg_node(build_subscript(b, x, rank, s));
}

/* What a slice leaves of a padding is a padding by less, or by less than nothing, of the same
 * tensor: a stencil's neighbours, pad(x, 1)[2:], are read where they are, and no padded copy is
 * made. */
static NodeId slice_of_joined(NewGraph *w, Node *n) {
  const Node *pad = graph_operand(w->graph, n, 0);
  const int rank = n->shape.rank;
  if (pad->op != &op_pad) return simplify_slice(w, n);
  if (w->full || w->stays(w->user, n->operand[0])) return NO_NODE;
  const Node *x = graph_operand(w->graph, pad, 0);
  int64_t *attr = arena_array(w->arena, int64_t, 3 * rank + 1);
  bool same = true;
  for (int d = 0; d < rank; d++) {
    if (node_attrs(n, "step")[d] != 1 || node_attrs(pad, "between")[d]) return NO_NODE;
    const int64_t lo = node_attrs(pad, "before")[d] - node_attrs(n, "begin")[d],
                  hi = n->shape.dim[d] - x->shape.dim[d] - lo;
    if (lo >= n->shape.dim[d] || lo + x->shape.dim[d] <= 0) return NO_NODE; /* the filling alone */
    attr[d] = lo, attr[rank + d] = hi;
    same = same && !lo && !hi;
  }
  if (same) return pad->operand[0];
  Node new = *pad;
  new.shape = n->shape, new.span = n->span, new.site = n->site, new.name = n->name;
  new.nattr = 3 * rank, new.attr = attr;
  return w->intern(w->user, &new);
}

const OpDef op_slice = {
    .name = "slice",
    .params = "x, begin, end=none, step=none",
    .doc = "x[b:e:s] in every dim at once, with lists; negative bounds count from the end",
    .example = "f32[7, 6] x: slice(x, [1, 0], [7, 4], [2, 1])",
    .call = call_slice,
    .attr = {{"begin", ATTR_LIST}, {"shape", ATTR_SHAPE}, {"step", ATTR_LIST}},
    .infer = infer_slice,
    .rule = rule_slice,
    .grad = grad_slice,
    .simplify = slice_of_joined,
    .join = simplify_slice,
    .lower = lower_slice,
    .class = OPC_MOVE,
    .flags = OPF_MOVES | OPF_SHIFTS,
    .linear = 1,
    .passes = 1,
    .distribute = distribute_slice};

/* -------- pad -------- */

/* attr: lo, hi, interior (elements put between neighbours); value: what is put. Where lo or hi is
 * negative (simplify makes such, not the language) as many elements are left out. */
static bool infer_pad(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  int rank = n->shape.rank = x->shape.rank;
  n->dtype = x->dtype;
  for (int d = 0; d < rank; d++) {
    int64_t gaps = x->shape.dim[d] ? (x->shape.dim[d] - 1) * node_attrs(n, "between")[d] : 0;
    if (node_attrs(n, "before")[d] > (int64_t)1 << 46 || node_attrs(n, "after")[d] > (int64_t)1
                                                                                         << 46) {
      op_fail(b, b->span, "the padding is too large");
      return false;
    }
    n->shape.dim[d] =
        node_attrs(n, "before")[d] + x->shape.dim[d] + gaps + node_attrs(n, "after")[d];
  }
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_pad(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  int rank = n->shape.rank;
  for (int d = 0; d < rank; d++) {
    bool touched =
        node_attrs(n, "before")[d] || node_attrs(n, "after")[d] || node_attrs(n, "between")[d];
    int f = rule_factor(r, n->shape.dim[d], touched ? FACTOR_SHIFT : FACTOR_PASS);
    r->result[d] = r->operand[0][d] = one(f);
    if (touched)
      r->operand[0][d].window = (Window){n->shape.dim[d],
                                         1,
                                         node_attrs(n, "between")[d] + 1,
                                         -node_attrs(n, "before")[d],
                                         -node_attrs(n, "before")[d],
                                         0};
  }
  if (n->value != 0) r->linear_in = 0;
}

static void grad_pad(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  Shape s = op_node(b, IN(0))->shape;
  int64_t step[MAX_RANK], start[MAX_RANK];
  for (int d = 0; d < s.rank; d++)
    start[d] = node_attrs(n, "before")[d], step[d] = node_attrs(n, "between")[d] + 1;
  dx[0] = mk_slice(b, dy, start, s.dim, step);
}

static bool pad_value(Build *b, const Arg *a, DType t, double *out) {
  if (a->kind == ARG_TENSOR && a->node != NO_NODE && node_is_const(op_node(b, a->node)) &&
      op_node(b, a->node)->dtype == t && dtype_is_int(t)) { /* of composites */
    *out = (double)op_node(b, a->node)->whole;
    return true;
  }
  return arg_fill(b, a, "value", t, out);
}

/* [[1, 0], [2, 3]]: what NumPy takes, a pair for each dim. */
static bool is_pairs(const Arg *a) {
  for (int i = 0; a->kind == ARG_LIST && i < a->n; i++) {
    const Arg *pair = &a->at[i];
    if (pair->kind != ARG_LIST || pair->n != 2) return false;
    if (pair->at[0].kind != ARG_INT || pair->at[1].kind != ARG_INT) return false;
  }
  return a->kind == ARG_LIST && a->n;
}

static NodeId not_pairs(Build *b, const Arg *a) {
  Str s = str_new(b->arena);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < a->n; i++)
      str_printf(&s, "%s%ld", i ? ", " : side ? "], [" : "[", (long)a->at[i].at[side].i);
  return op_fail(b, a->span,
                 "takes the numbers before each dim and those behind as two lists: write "
                 "pad(x, %s])",
                 s.at);
}

static Arg call_pad(Build *b, const Arg *a) {
  NodeId x;
  int64_t lo[MAX_RANK], hi[MAX_RANK], zero[MAX_RANK] = {0};
  double value;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  int rank = op_node(b, x)->shape.rank;
  if (is_pairs(&a[1])) return arg_node(not_pairs(b, &a[1]));
  if (!per_dim(b, &a[1], "before", rank, 0, lo) || !per_dim(b, &a[2], "after", rank, 0, hi) ||
      !pad_value(b, &a[3], op_node(b, x)->dtype, &value))
    return arg_node(NO_NODE);
  for (int d = 0; d < rank; d++)
    if (lo[d] < 0 || hi[d] < 0)
      return arg_node(op_fail(b, a[1].span, "a padding cannot be negative; slice instead"));
  if (pad_has_mode(&a[4])) return arg_node(pad_by_mode(b, a, x, lo, hi));
  NodeId y = mk_pad(b, x, lo, hi, zero, value);
  if (y != NO_NODE && y != x && dtype_is_int(op_node(b, x)->dtype)) {
    /* Checked and exact, as a number that meets the tensor would be. */
    NodeId fill = build_tensor(b, &a[3], op_node(b, x)->dtype);
    if (fill == NO_NODE) return arg_node(NO_NODE);
    graph_node(b->graph, y)->whole = op_node(b, fill)->whole;
  }
  return arg_node(y);
}

const OpDef op_pad = {
    .name = "pad",
    .params = "x, before, after=none, value=0, mode=\"constant\"",
    .doc = "x padded with `before` and `after` (none: no) elements of `value`, one number per dim; "
           "with `mode` \"wrap\", \"edge\", \"reflect\" or \"symmetric\" with its own elements, as "
           "NumPy does",
    .example = "f32[4, 6] x: pad(x, [1, 0], [2, 3])",
    .call = call_pad,
    .attr = {{"before", ATTR_LIST}, {"after", ATTR_LIST}, {"between", ATTR_LIST}},
    .infer = infer_pad,
    .rule = rule_pad,
    .grad = grad_pad,
    .lower = lower_pad,
    .class = OPC_MOVE,
    .flags = OPF_MOVES | OPF_SHIFTS,
    .linear = 1,
    .passes = 1};

/* -------- concat, stack, split -------- */

static bool infer_concat(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  int dim = (int)node_attr(n, "axis");
  n->dtype = x->dtype;
  n->shape = x->shape;
  for (int i = 1; i < n->noperands; i++) {
    const Node *y = graph_operand(b->graph, n, i);
    if (y->dtype != x->dtype) {
      op_types_differ(b, n->operand[0], n->operand[i]);
      return false;
    }
    bool fits = y->shape.rank == x->shape.rank;
    for (int d = 0; fits && d < x->shape.rank; d++)
      fits = d == dim || y->shape.dim[d] == x->shape.dim[d];
    if (!fits) {
      op_fail(b, b->span, "%s and %s may differ in dim %d only", op_describe(b, n->operand[0]),
              op_describe(b, n->operand[i]), dim);
      return false;
    }
    n->shape.dim[dim] += y->shape.dim[dim];
    if (!op_check_size(b, b->span, n->dtype, &n->shape)) return false;
  }
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_concat(const Graph *g, const Node *n, Rule *r) {
  int64_t offset = 0;
  for (int d = 0; d < n->shape.rank; d++) {
    int f = rule_factor(r, n->shape.dim[d], d == node_attr(n, "axis") ? FACTOR_SHIFT : FACTOR_PASS);
    r->result[d] = one(f);
    for (int i = 0; i < n->noperands; i++) r->operand[i][d] = one(f);
  }
  for (int i = 0; i < n->noperands; i++) {
    int d = (int)node_attr(n, "axis");
    r->operand[i][d].window = (Window){n->shape.dim[d], 1, 1, -offset, -offset, 0};
    offset += graph_operand(g, n, i)->shape.dim[d];
  }
}

static void grad_concat(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  int count = op_node(b, node)->noperands, dim = (int)node_attr(op_node(b, node), "axis");
  int64_t start[MAX_RANK] = {0}, step[MAX_RANK];
  for (int d = 0; d < MAX_RANK; d++) step[d] = 1;
  for (int i = 0; i < count; i++) {
    Shape s = op_node(b, IN(i))->shape;
    dx[i] = mk_slice(b, dy, start, s.dim, step);
    start[dim] += s.dim[dim];
  }
}

static bool is_literal(const Arg *a) {
  return a->kind == ARG_INT || a->kind == ARG_REAL || a->kind == ARG_BOOL || a->kind == ARG_LIST;
}

/* Numbers and lists of them take the type of the first tensor that has one. */
static bool tensor_list(Build *b, const Arg *a, NodeId **out) {
  if (a->kind != ARG_LIST || !a->n) {
    op_fail(b, a->span, "takes a list of tensors, as in [x, y]");
    return false;
  }
  int typed = 0;
  while (typed < a->n && (a->at[typed].kind != ARG_TENSOR || a->at[typed].node == NO_NODE ||
                          untyped_is(b, a->at[typed].node)))
    typed++;
  *out = arena_array(b->arena, NodeId, a->n);
  for (int i = 0; i < a->n; i++) {
    const Arg *x = &a->at[i];
    if (typed < a->n && is_literal(x))
      (*out)[i] = build_tensor(b, x, op_node(b, a->at[typed].node)->dtype);
    else if (!arg_tensor(b, x, "x", &(*out)[i]))
      return false;
    if ((*out)[i] == NO_NODE) return false;
  }
  return untyped_agree(b, a->n, *out);
}

static Arg call_concat(Build *b, const Arg *a) {
  NodeId *x;
  int d;
  if (!tensor_list(b, &a[0], &x)) return arg_node(NO_NODE);
  int rank = op_node(b, x[0])->shape.rank;
  if (!rank) return arg_node(op_fail(b, b->span, "scalars have no dim to join; stack them"));
  return arg_node(arg_dim(b, &a[1], "axis", rank, &d) ? mk_concat(b, a[0].n, x, d) : NO_NODE);
}

const OpDef op_concat = {.name = "concat",
                         .params = "x, axis=0",
                         .doc = "a list of tensors joined along one dim",
                         .example = "f32[4, 6] x, f32[3, 6] y: concat([x, y], axis=0)",
                         .call = call_concat,
                         .attr = {{"axis", ATTR_INT}},
                         .infer = infer_concat,
                         .rule = rule_concat,
                         .grad = grad_concat,
                         .simplify = simplify_concat,
                         .join = simplify_concat,
                         .lower = lower_concat,
                         .class = OPC_MOVE,
                         .flags = OPF_MOVES | OPF_SHIFTS,
                         .linear_jointly = true,
                         .passes = ~0u};

static Arg call_stack(Build *b, const Arg *a) {
  NodeId *x;
  int d;
  if (!tensor_list(b, &a[0], &x)) return arg_node(NO_NODE);
  Shape s = op_node(b, x[0])->shape, t = {.rank = s.rank + 1};
  if (s.rank == MAX_RANK)
    return arg_node(op_fail(b, b->span, "a tensor has at most %d dims", MAX_RANK));
  if (!arg_dim(b, &a[1], "axis", t.rank, &d)) return arg_node(NO_NODE);
  for (int i = 0; i < t.rank; i++) t.dim[i] = i < d ? s.dim[i] : i == d ? 1 : s.dim[i - 1];
  for (int i = 1; i < a[0].n; i++) {
    if (op_node(b, x[i])->dtype != op_node(b, x[0])->dtype)
      return arg_node(op_types_differ(b, x[0], x[i]));
    if (!shape_equal(&op_node(b, x[i])->shape, &s))
      return arg_node(op_fail(b, b->span, "shapes differ: %s and %s", op_describe(b, x[0]),
                              op_describe(b, x[i])));
  }
  for (int i = 0; i < a[0].n; i++) x[i] = mk_reshape(b, x[i], &t);
  return arg_node(mk_concat(b, a[0].n, x, d));
}

const OpDef op_stack = {.name = "stack",
                        .params = "x, axis=0",
                        .doc = "a list of equal shapes joined along a new dim",
                        .example = "f32[4, 6] x, f32[4, 6] y: stack([x, y], axis=1)",
                        .call = call_stack,
                        .flags = OPF_COMPLEX};

static Arg call_split(Build *b, const Arg *a) {
  NodeId x;
  int d;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape;
  if (!arg_dim(b, &a[2], "axis", s.rank, &d)) return arg_node(NO_NODE);
  int n = a[1].n;
  int64_t parts = 0, sum = 0;
  if (a[1].kind != ARG_LIST) {
    if (!arg_int(b, &a[1], "parts", &parts)) return arg_node(NO_NODE);
    if (parts < 1 || parts > 4096 || s.dim[d] % parts)
      return arg_node(op_fail(b, a[1].span, "dim %d of %s does not split into %ld equal parts", d,
                              op_describe(b, x), (long)parts));
    n = (int)parts;
  }
  Arg list = {.kind = ARG_LIST, .n = n, .at = arena_array(b->arena, Arg, n)};
  int64_t start[MAX_RANK] = {0}, step[MAX_RANK], total = s.dim[d];
  for (int i = 0; i < MAX_RANK; i++) step[i] = 1;
  for (int i = 0; i < n; i++) {
    if (parts)
      s.dim[d] = total / parts;
    else if (!arg_int(b, &a[1].at[i], "parts", &s.dim[d]))
      return arg_node(NO_NODE);
    if (s.dim[d] < 0 || s.dim[d] > total - sum)
      return arg_node(
          op_fail(b, a[1].span, "the parts do not add up to dim %d of %s", d, op_describe(b, x)));
    start[d] = sum;
    list.at[i] = arg_node(mk_slice(b, x, start, s.dim, step));
    sum += s.dim[d];
  }
  if (sum != total)
    return arg_node(op_fail(b, a[1].span, "the parts add up to %ld, dim %d of %s is %ld", (long)sum,
                            d, op_describe(b, x), (long)total));
  return list;
}

const OpDef op_split = {
    .name = "split",
    .params = "x, parts, axis=0",
    .doc = "a list of slices along one dim: `parts` equal ones, or of the sizes listed",
    .example = "f32[4, 6] x: split(x, [2, 4], axis=1)[1]",
    .call = call_split,
    .flags = OPF_COMPLEX};

/* -------- reverse, roll -------- */

/* attr: the set of dims. */
static bool infer_moved(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

static void rule_reverse(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) {
    int64_t size = n->shape.dim[d];
    bool touched = node_attr(n, "axis") & 1 << d;
    r->result[d] = r->operand[0][d] =
        one(rule_factor(r, size, touched ? FACTOR_SHIFT : FACTOR_PASS));
    if (touched) r->operand[0][d].window = (Window){size, -1, 1, size - 1, size - 1, 0};
  }
}

static void grad_reverse(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = build_node(b, &op_reverse, 1, &dy, 1, op_node(b, node)->attr, 0);
}

static Arg call_reverse(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  if (!arg_tensor(b, &a[0], "x", &x) ||
      !arg_dims(b, &a[1], "axis", op_node(b, x)->shape.rank, &dims))
    return arg_node(NO_NODE);
  return arg_node(dims ? build_node(b, &op_reverse, 1, &x, 1, (int64_t[]){dims}, 0) : x);
}

const OpDef op_reverse = {.name = "reverse",
                          .params = "x, axis=none",
                          .doc = "the elements in reverse order along the named dims, or all dims",
                          .example = "f32[5, 6] x: reverse(x, axis=0)",
                          .call = call_reverse,
                          .attr = {{"axis", ATTR_SET}},
                          .infer = infer_moved,
                          .rule = rule_reverse,
                          .grad = grad_reverse,
                          .lower = lower_reverse,
                          .class = OPC_MOVE,
                          .flags = OPF_MOVES | OPF_SHIFTS,
                          .linear = 1,
                          .passes = 1};

int64_t roll_from(int64_t by, int64_t size) { return by <= size / 2 ? -by : size - by; }

/* attr: by how many places, for each dim of size n a number from 0 to n - 1. */
static void rule_roll(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) {
    const int64_t size = n->shape.dim[d], by = node_attrs(n, "shift")[d],
                  from = roll_from(by, size);
    r->result[d] = r->operand[0][d] = one(rule_factor(r, size, by ? FACTOR_SHIFT : FACTOR_PASS));
    if (by) r->operand[0][d].window = (Window){size, 1, 1, from, from, 1};
  }
}

static void grad_roll(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  int64_t back[MAX_RANK];
  for (int d = 0; d < n->shape.rank; d++) {
    const int64_t by = node_attrs(n, "shift")[d];
    back[d] = by ? n->shape.dim[d] - by : 0;
  }
  dx[0] = build_node(b, &op_roll, 1, &dy, n->shape.rank, back, 0);
}

/* By one number along a dim or each of a list of dims, or by a list with one for each of those. */
static Arg call_roll(Build *b, const Arg *a) {
  NodeId x;
  int64_t by[MAX_RANK] = {0};
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  const Shape s = op_node(b, x)->shape;
  const bool list = a[1].kind == ARG_LIST, dims = a[2].kind == ARG_LIST;
  const int n = dims ? a[2].n : 1;
  if (list && (!dims || a[1].n != n))
    return arg_node(op_fail(b, a[2].span, "lists of shifts and of dims must be of one length"));
  bool moves = false;
  for (int i = 0; i < n; i++) {
    int64_t shift;
    int d;
    if (!arg_int(b, list ? &a[1].at[i] : &a[1], "shift", &shift) ||
        !arg_dim(b, dims ? &a[2].at[i] : &a[2], "axis", s.rank, &d))
      return arg_node(NO_NODE);
    const int64_t size = s.dim[d];
    if (size) by[d] = ((by[d] + shift % size) % size + size) % size;
  }
  for (int d = 0; d < s.rank; d++) moves = moves || by[d];
  return arg_node(moves ? build_node(b, &op_roll, 1, &x, s.rank, by, 0) : x);
}

const OpDef op_roll = {
    .name = "roll",
    .params = "x, shift, axis=0",
    .doc = "elements shifted cyclically by `shift` places along one dim or each of a "
           "list of dims; or by a list, with a shift for each",
    .example = "f32[5, 6] x: roll(x, 2, axis=0)",
    .call = call_roll,
    .attr = {{"shift", ATTR_LIST}},
    .infer = infer_moved,
    .rule = rule_roll,
    .simplify = simplify_roll,
    .join = simplify_roll,
    .grad = grad_roll,
    .lower = lower_roll,
    .class = OPC_MOVE,
    .flags = OPF_MOVES | OPF_SHIFTS,
    .linear = 1,
    .passes = 1};
