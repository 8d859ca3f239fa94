/* Ops that change the shape and keep the elements: reshape, transpose, broadcast. */
#include "opdefs.h"
#include "plural.h"
#include <string.h>

#define IN(i) (op_node(b, node)->operand[i])

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

static void shape_text(Str *s, const int64_t *dims, int n) {
  Shape t = {.rank = n};
  memcpy(t.dim, dims, sizeof *dims * (size_t)n);
  shape_put(s, &t);
}

/* -------- reshape -------- */

static bool infer_reshape(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape.rank = n->nattr;
  memcpy(n->shape.dim, n->attr, sizeof *n->attr * (size_t)n->nattr);
  if (!op_check_size(b, b->span, n->dtype, &n->shape)) return false;
  if (shape_count(&n->shape) == shape_count(&x->shape)) return true;
  Str s = str_new(b->arena);
  shape_text(&s, n->attr, n->nattr);
  op_fail(b, b->span, "%s has %ld element%s and %s has %ld", op_describe(b, n->operand[0]),
          (long)shape_count(&x->shape), PLURAL(shape_count(&x->shape)), s.at,
          (long)shape_count(&n->shape));
  return false;
}

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

typedef struct DimWalk {
  const Shape *shape;
  RuleDim *dims;
  int d;        /* current dim */
  int64_t left; /* what is left of it */
} DimWalk;

static void walk_next(DimWalk *w) {
  while (w->left == 1 && w->d < w->shape->rank) {
    w->d++;
    w->left = w->d < w->shape->rank ? w->shape->dim[w->d] : 1;
  }
}

static void walk_take(DimWalk *w, int f, int64_t size) {
  RuleDim *d = &w->dims[w->d];
  d->factor[d->n++] = (int8_t)f;
  w->left /= size;
  walk_next(w);
}

/* Both shapes are walked from the major end. What the current dims have in common is a factor that
 * passes; parts that share no divisor stay whole until the products meet again. */
static void rule_reshape(const Graph *g, const Node *n, Rule *r) {
  DimWalk x = {.shape = &graph_operand(g, n, 0)->shape, .dims = r->operand[0], .d = -1, .left = 1};
  DimWalk y = {.shape = &n->shape, .dims = r->result, .d = -1, .left = 1};
  if (shape_count(x.shape) == 0) {
    r->linear_in = 0;
    return;
  }
  walk_next(&x);
  walk_next(&y);
  while (x.d < x.shape->rank && y.d < y.shape->rank) {
    int64_t c = gcd(x.left, y.left);
    if (c > 1) {
      int f = rule_factor(r, c, FACTOR_PASS);
      walk_take(&x, f, c);
      walk_take(&y, f, c);
      continue;
    }
    int64_t px = 1, py = 1;
    do {
      DimWalk *w = px <= py ? &x : &y;
      int64_t size = w->left;
      *(w == &x ? &px : &py) *= size;
      walk_take(w, rule_factor(r, size, FACTOR_WHOLE), size);
    } while (px != py);
  }
}

static void grad_reshape(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Shape s = op_node(b, IN(0))->shape;
  dx[0] = mk_reshape(b, dy, &s);
}

/* A reshape of a reshape is one. */
static NodeId simplify_reshape(NewGraph *w, Node *n) {
  const Node *x = graph_node(w->graph, n->operand[0]);
  for (; x->op == &op_reshape && !x->spec && !x->forbid.file;
       x = graph_node(w->graph, n->operand[0]))
    n->operand = arena_copy(w->arena, x->operand, sizeof *x->operand);
  if (shape_equal(&x->shape, &n->shape)) return n->operand[0];
  if (x->op != &op_const || x->spec || x->forbid.file) return NO_NODE;
  Node number = *x; /* the same number in each element */
  number.shape = n->shape;
  return w->intern(w->user, &number);
}

static Arg call_reshape(Build *b, const Arg *a) {
  NodeId x;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  int64_t total = shape_count(&op_node(b, x)->shape), known = 1;
  Arg dims = a[1];
  int hole = -1;
  for (int i = 0; dims.kind == ARG_LIST && i < dims.n; i++) {
    if (dims.at[i].kind != ARG_INT) continue;
    if (dims.at[i].i == -1) {
      if (hole >= 0) return arg_node(op_fail(b, dims.at[i].span, "only one size can be -1"));
      hole = i;
    } else if (dims.at[i].i > 0 && __builtin_mul_overflow(known, dims.at[i].i, &known)) {
      known = INT64_MAX; /* more than there can be */
      break;
    }
  }
  if (hole >= 0) {
    if (known == 0 || total % known)
      return arg_node(op_fail(b, dims.at[hole].span,
                              "%s cannot be split into equal parts: %ld is not a multiple of %ld",
                              op_describe(b, x), (long)total, (long)known));
    dims.at = arena_copy(b->arena, dims.at, sizeof *dims.at * (size_t)dims.n);
    dims.at[hole].i = total / known;
    dims.at[hole].real = (double)dims.at[hole].i;
  }
  Shape s;
  return arg_node(arg_shape(b, &dims, "shape", &s) ? mk_reshape(b, x, &s) : NO_NODE);
}

const OpDef op_reshape = {
    .name = "reshape",
    .params = "x, shape",
    .doc = "the same elements in row-major order in another shape; one size may be -1",
    .example = "f32[4, 6] x: reshape(x, [2, 2, 6])",
    .call = call_reshape,
    .attr = {{"shape", ATTR_SHAPE}},
    .infer = infer_reshape,
    .rule = rule_reshape,
    .grad = grad_reshape,
    .lower = lower_reshape,
    .class = OPC_VIEW,
    .flags = OPF_MOVES | OPF_ONE_TO_ONE,
    .linear = 1,
    .passes = 1,
    .simplify = simplify_reshape,
    .distribute = distribute_apart};

static Arg call_expand(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  int none, more = a[1].kind == ARG_LIST ? a[1].n : 1;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape, t = {.rank = s.rank + more};
  if (more > MAX_RANK - s.rank)
    return arg_node(op_fail(b, b->span, "a tensor has at most %d dims", MAX_RANK));
  if (a[1].kind == ARG_NONE && !arg_dim(b, &a[1], "axis", t.rank, &none)) return arg_node(NO_NODE);
  if (!arg_dims(b, &a[1], "axis", t.rank, &dims)) return arg_node(NO_NODE);
  for (int i = 0, from = 0; i < t.rank; i++) t.dim[i] = dims & 1u << i ? 1 : s.dim[from++];
  return arg_node(mk_reshape(b, x, &t));
}

const OpDef op_expand = {
    .name = "expand",
    .params = "x, axis",
    .doc = "a new dim of size 1 at that place of the result, or at each of a list",
    .example = "f32[4, 6] x: expand(x, 1)",
    .call = call_expand,
    .flags = OPF_COMPLEX};

static Arg call_squeeze(Build *b, const Arg *a) {
  NodeId x;
  uint32_t dims;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  Shape s = op_node(b, x)->shape, t = {0};
  if (!arg_dims(b, &a[1], "axis", s.rank, &dims)) return arg_node(NO_NODE);
  for (int i = 0; i < s.rank; i++) {
    bool drop = dims & 1u << i && (s.dim[i] == 1 || a[1].kind != ARG_NONE);
    if (drop && s.dim[i] != 1)
      return arg_node(op_fail(b, a[1].span, "dim %d of %s is not 1", i, op_describe(b, x)));
    if (!drop) t.dim[t.rank++] = s.dim[i];
  }
  return arg_node(mk_reshape(b, x, &t));
}

const OpDef op_squeeze = {
    .name = "squeeze",
    .params = "x, axis=none",
    .doc = "without the named dims of size 1; without all of them if none is named",
    .example = "f32[4, 1, 6] x: squeeze(x, axis=1)",
    .call = call_squeeze,
    .flags = OPF_COMPLEX};

/* -------- transpose -------- */

static bool infer_transpose(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape.rank = x->shape.rank;
  for (int i = 0; i < n->shape.rank; i++) n->shape.dim[i] = x->shape.dim[node_attrs(n, "perm")[i]];
  return true;
}

static void rule_transpose(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  for (int i = 0; i < n->shape.rank; i++) {
    int f = rule_factor(r, x->shape.dim[node_attrs(n, "perm")[i]], FACTOR_PASS);
    r->result[i] = r->operand[0][node_attrs(n, "perm")[i]] = one(f);
  }
}

static void grad_transpose(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  int inverse[MAX_RANK];
  for (int i = 0; i < n->shape.rank; i++) inverse[node_attrs(n, "perm")[i]] = i;
  dx[0] = mk_transpose(b, dy, inverse);
}

static void dims_of_transpose(const Graph *g, const Node *n, int *of) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) of[node_attrs(n, "perm")[d]] = d;
}

static Arg call_transpose(Build *b, const Arg *a) {
  NodeId x;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  int rank = op_node(b, x)->shape.rank, perm[MAX_RANK];
  for (int i = 0; i < rank; i++) perm[i] = rank - 1 - i;
  if (a[1].kind != ARG_NONE) {
    uint32_t seen = 0;
    if (a[1].kind != ARG_LIST || a[1].n != rank)
      return arg_node(
          op_fail(b, a[1].span, "`perm` must list all %d dims of %s", rank, op_describe(b, x)));
    for (int i = 0; i < rank; i++) {
      if (!arg_dim(b, &a[1].at[i], "perm", rank, &perm[i])) return arg_node(NO_NODE);
      if (seen & 1u << perm[i])
        return arg_node(op_fail(b, a[1].at[i].span, "dim %d is given twice", perm[i]));
      seen |= 1u << perm[i];
    }
  }
  return arg_node(mk_transpose(b, x, perm));
}

const OpDef op_transpose_view = {
    .name = "transpose_view",
    .doc = "transpose on a device that has one element of each dim that goes "
           "past others: the same bytes",
    .attr = {{"perm", ATTR_LIST}},
    .infer = infer_transpose,
    .rule = rule_transpose,
    .grad = grad_transpose,
    .lower = lower_transpose_view,
    .class = OPC_VIEW,
    .flags = OPF_MOVES | OPF_ONE_TO_ONE,
    .linear = 1,
    .passes = 1,
    .dims = dims_of_transpose};

const OpDef op_transpose = {
    .name = "transpose",
    .params = "x, perm=none",
    .doc = "dims in another order: result dim i is dim perm[i] of x; reversed if none is given",
    .example = "f32[4, 5, 6] x: transpose(x, [2, 0, 1])",
    .call = call_transpose,
    .attr = {{"perm", ATTR_LIST}},
    .infer = infer_transpose,
    .rule = rule_transpose,
    .grad = grad_transpose,
    .lower = lower_transpose,
    .class = OPC_MOVE,
    .flags = OPF_MOVES | OPF_ONE_TO_ONE,
    .linear = 1,
    .passes = 1,
    .dims = dims_of_transpose,
    .stays = &op_transpose_view};

/* -------- broadcast -------- */

/* attr: for each dim of x its dim in the result; then the result's sizes. */
static bool infer_broadcast(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape.rank = n->nattr - x->shape.rank;
  memcpy(n->shape.dim, n->attr + x->shape.rank, sizeof *n->attr * (size_t)n->shape.rank);
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_broadcast(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  for (int i = 0; i < n->shape.rank; i++)
    r->result[i] = one(rule_factor(r, n->shape.dim[i], FACTOR_NEW));
  for (int i = 0; i < x->shape.rank; i++) {
    r->operand[0][i] = r->result[node_attrs(n, "dims")[i]];
    r->factor[r->result[node_attrs(n, "dims")[i]].factor[0]].kind = FACTOR_PASS;
  }
}

static void grad_broadcast(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  uint32_t gone = (1u << n->shape.rank) - 1;
  for (int i = 0; i < op_node(b, IN(0))->shape.rank; i++) gone &= ~(1u << node_attrs(n, "dims")[i]);
  dx[0] = mk_reduce(b, &op_sum, dy, gone, false);
}

static void dims_of_broadcast(const Graph *g, const Node *n, int *of) {
  for (int d = 0; d < graph_operand(g, n, 0)->shape.rank; d++)
    of[d] = (int)node_attrs(n, "dims")[d];
}

static Arg call_broadcast(Build *b, const Arg *a) {
  NodeId x;
  Shape s;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_shape(b, &a[1], "shape", &s)) return arg_node(NO_NODE);
  const Shape *f = &op_node(b, x)->shape;
  bool fits = f->rank <= s.rank;
  for (int i = 1; fits && i <= f->rank; i++)
    fits = f->dim[f->rank - i] == s.dim[s.rank - i] || f->dim[f->rank - i] == 1;
  if (fits) return arg_node(mk_broadcast_to(b, x, &s));
  Str t = str_new(b->arena);
  shape_put(&t, &s);
  return arg_node(op_fail(b, b->span, "%s does not broadcast to %s", op_describe(b, x), t.at));
}

const OpDef op_broadcast = {.name = "broadcast",
                            .params = "x, shape",
                            .doc = "x repeated to a larger shape, as NumPy's broadcast_to",
                            .example = "f32[6] x: broadcast(x, [4, 6])",
                            .call = call_broadcast,
                            .attr = {{"dims", ATTR_MAP}, {"shape", ATTR_SHAPE}},
                            .infer = infer_broadcast,
                            .rule = rule_broadcast,
                            .grad = grad_broadcast,
                            .lower = lower_broadcast,
                            .simplify = simplify_broadcast,
                            .class = OPC_MOVE,
                            .flags = OPF_MOVES | OPF_REPEATS | OPF_NO_WORK,
                            .linear = 1,
                            .passes = 1,
                            .dims = dims_of_broadcast};
