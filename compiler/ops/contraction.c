/* Products summed over shared dims. The one primitive, `contract`, is an einsum of two operands:
 * its attributes are the index letters of x, of y and of the result, as numbers. matmul, batched
 * and transposed products are lowered to it, so no product requires a transpose. */
#include "contraction.h"
#include <string.h>

static bool infer_contract(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *y = graph_operand(b->graph, n, 1);
  const Letters l = product_letters(b->graph, n);
  if (x->dtype != y->dtype) {
    op_types_differ(b, n->operand[0], n->operand[1]);
    return false;
  }
  int64_t size[26];
  for (int i = 0; i < 26; i++) size[i] = -1;
  for (int i = 0; i < x->shape.rank; i++) size[l.x[i]] = x->shape.dim[i];
  for (int i = 0; i < y->shape.rank; i++) {
    if (size[l.y[i]] >= 0 && size[l.y[i]] != y->shape.dim[i]) {
      op_fail(b, b->span, "dim %d of %s must match: it has %ld, the other side %ld", i,
              op_describe(b, n->operand[1]), (long)y->shape.dim[i], (long)size[l.y[i]]);
      return false;
    }
    size[l.y[i]] = y->shape.dim[i];
  }
  n->dtype = dtype_computed(x->dtype); /* of half-width floats it is not rounded */
  n->shape.rank = n->nattr - x->shape.rank - y->shape.rank;
  for (int i = 0; i < n->shape.rank; i++) n->shape.dim[i] = size[l.out[i]];
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static void rule_contract(const Graph *g, const Node *n, Rule *r) {
  char text[4 * MAX_RANK + 8], *t = text;
  const Letters l = product_letters(g, n);
  for (int i = 0; i < graph_operand(g, n, 0)->shape.rank; i++) *t++ = (char)('a' + l.x[i]);
  *t++ = ',';
  for (int i = 0; i < graph_operand(g, n, 1)->shape.rank; i++) *t++ = (char)('a' + l.y[i]);
  *t++ = '-', *t++ = '>';
  for (int i = 0; i < n->shape.rank; i++) *t++ = (char)('a' + l.out[i]);
  *t = 0;
  rule_from_text(r, g, n, text);
}

static void grad_contract(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node *n = op_node(b, node);
  NodeId x = n->operand[0], y = n->operand[1];
  int8_t l[3][MAX_RANK];
  int rank[3] = {op_node(b, x)->shape.rank, op_node(b, y)->shape.rank, n->shape.rank};
  const int64_t *at = n->attr;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < rank[t]; i++) l[t][i] = (int8_t)*at++;
  dx[0] = mk_contract(b, dy, y, l[2], l[1], rank[0], l[0]);
  dx[1] = mk_contract(b, x, dy, l[0], l[2], rank[1], l[1]);
}

/* k sqrt(batch) */
static double addends(const Graph *g, const Node *n) {
  double x = shape_size(&graph_operand(g, n, 0)->shape),
         y = shape_size(&graph_operand(g, n, 1)->shape);
  return fmax(1, sqrt(x * y / shape_size(&n->shape)));
}

/* A half-width float that was made an f32, or NULL. */
static const Node *widened(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  if (n->op != &op_cast || n->dtype != DT_F32 || n->spec) return NULL;
  const Node *x = graph_operand(g, n, 0);
  return dtype_is_half(x->dtype) && !dtype_is_stored(x->dtype) ? x : NULL;
}

NodeId read_halves(NewGraph *w, Node *n) {
  const Node *x = widened(w->graph, n->operand[0]), *y = widened(w->graph, n->operand[1]);
  if (!x || !y || x->dtype != y->dtype) return NO_NODE;
  NodeId *read = arena_array(w->arena, NodeId, 2);
  for (int k = 0; k < 2; k++) read[k] = graph_node(w->graph, n->operand[k])->operand[0];
  n->operand = read;
  return NO_NODE;
}

/* A matrix is read transposed as fast as it lies: by other letters. One that the user gives a
 * layout is made. */
static void read_transposed(NewGraph *w, Node *n) {
  NodeId *read = arena_array(w->arena, NodeId, 2);
  int64_t *letter = arena_array(w->arena, int64_t, n->nattr);
  memcpy(letter, n->attr, (size_t)n->nattr * sizeof *letter);
  int64_t *own = letter;
  for (int k = 0; k < 2; k++) {
    const Node *x = graph_node(w->graph, read[k] = n->operand[k]);
    const int rank = x->shape.rank;
    for (; x->op == &op_transpose && !x->spec && !x->forbid.file;
         x = graph_node(w->graph, read[k])) {
      int64_t of[MAX_RANK];
      for (int d = 0; d < rank; d++) of[node_attrs(x, "perm")[d]] = own[d];
      memcpy(own, of, (size_t)rank * sizeof *own);
      read[k] = x->operand[0];
    }
    own += rank;
  }
  n->operand = read;
  n->attr = letter;
}

static NodeId simplify_contract(NewGraph *w, Node *n) {
  read_transposed(w, n);
  const NodeId elements = simplify_product(w, n);
  if (elements != NO_NODE) return elements;
  const NodeId same = read_halves(w, n);
  if (same == NO_NODE) read_transposed(w, n);
  return same;
}

const OpDef op_small_contract = {.name = "small_contract",
                                 .doc = "contract of so few operations in a loop that each element "
                                        "is an expression (unroll.c)",
                                 .attr = {{"letters", ATTR_LETTERS}},
                                 .infer = infer_contract,
                                 .rule = rule_contract,
                                 .no_grad = "it is made when gradients are written out",
                                 .lower = lower_small_contract,
                                 .class = OPC_MOVE,
                                 .flags = OPF_SUMS,
                                 .linear = 3,
                                 .addends = addends,
                                 .flops = 2,
                                 .rounding = 1};

const OpDef op_contract = {.name = "contract",
                           .doc = "@ and einsum after lowering: a product summed over shared dims",
                           .attr = {{"letters", ATTR_LETTERS}},
                           .infer = infer_contract,
                           .rule = rule_contract,
                           .grad = grad_contract,
                           .class = OPC_PRODUCT,
                           .unrolled = &op_small_contract,
                           .flags = OPF_SUMS | OPF_PRODUCT | OPF_ROWS,
                           .linear = 3,
                           .complex = complex_bilinear,
                           .addends = addends,
                           .flops = 2,
                           .rounding = 1,
                           .simplify = simplify_contract};

/* -------- einsum -------- */

/* The diagonal of dims p < q of x: they are merged, and every (n+1)-th element is kept. */
static NodeId diagonal(Build *b, NodeId x, int p, int q, int8_t *l) {
  Shape s = op_node(b, x)->shape;
  int64_t n = s.dim[p];
  int perm[MAX_RANK], k = 0;
  int8_t moved[MAX_RANK];
  for (int d = 0; d < s.rank; d++)
    if (d != p && d != q) moved[k] = l[d], perm[k++] = d;
  moved[k] = l[p], perm[k++] = p, perm[k++] = q;
  x = mk_transpose(b, x, perm);
  Shape flat = {.rank = s.rank - 1};
  for (int d = 0; d < s.rank - 2; d++) flat.dim[d] = s.dim[perm[d]];
  flat.dim[s.rank - 2] = n * n;
  x = mk_reshape(b, x, &flat);
  int64_t start[MAX_RANK] = {0}, size[MAX_RANK], step[MAX_RANK];
  for (int d = 0; d < flat.rank; d++) size[d] = flat.dim[d], step[d] = 1;
  size[flat.rank - 1] = n, step[flat.rank - 1] = n + 1;
  memcpy(l, moved, sizeof moved);
  return mk_slice(b, x, start, size, step);
}

NodeId unrepeat(Build *b, NodeId x, int8_t *l) {
again:
  for (int p = 0; x != NO_NODE && p < op_node(b, x)->shape.rank; p++)
    for (int q = p + 1; q < op_node(b, x)->shape.rank; q++)
      if (l[p] == l[q]) {
        const Shape *s = &op_node(b, x)->shape;
        if (s->dim[p] != s->dim[q])
          return op_fail(b, b->span, "index `%c` has sizes %ld and %ld in one operand", 'a' + l[p],
                         (long)s->dim[p], (long)s->dim[q]);
        x = diagonal(b, x, p, q, l);
        goto again;
      }
  return x;
}

NodeId sum_alone(Build *b, NodeId x, int8_t *l, uint32_t wanted) {
  if (x == NO_NODE) return NO_NODE;
  int rank = op_node(b, x)->shape.rank, k = 0;
  uint32_t gone = 0;
  for (int d = 0; d < rank; d++)
    if (wanted & 1u << l[d])
      l[k++] = l[d];
    else
      gone |= 1u << d;
  return mk_reduce(b, &op_sum, x, gone, false);
}

uint32_t letter_set(const int8_t *l, int n) {
  uint32_t s = 0;
  for (int i = 0; i < n; i++) s |= 1u << l[i];
  return s;
}

NodeId contract_any(Build *b, NodeId x, NodeId y, const int8_t *lx, const int8_t *ly, int rank,
                    const int8_t *lout) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  DType t = op_node(b, x)->dtype;
  if (t == DT_BOOL) return op_fail(b, b->span, "a product takes tensors of numbers, not bool");
  if (!op_computes_in(b, t)) return NO_NODE;
  if (!dtype_is_half(t)) return mk_contract(b, x, y, lx, ly, rank, lout);
  if (op_node(b, y)->dtype != t) return mk_contract(b, x, y, lx, ly, rank, lout);
  return build_cast(
      b, mk_contract(b, build_cast(b, x, DT_F32), build_cast(b, y, DT_F32), lx, ly, rank, lout), t);
}

/* -------- matmul -------- */

/* A list beside a tensor is one of its type. */
static bool matrix_arg(Build *b, const Arg *a, const Arg *other, const char *name, NodeId *out) {
  if (a->kind != ARG_LIST || other->kind != ARG_TENSOR || other->node == NO_NODE)
    return arg_tensor(b, a, name, out);
  return (*out = build_array(b, a, &op_node(b, other->node)->dtype)) != NO_NODE;
}

static Arg call_matmul(Build *b, const Arg *a) {
  NodeId x, y;
  if (!matrix_arg(b, &a[0], &a[1], "x", &x) || !matrix_arg(b, &a[1], &a[0], "y", &y))
    return arg_node(NO_NODE);
  if (!literals_agree(b, &x, &y)) return arg_node(NO_NODE);
  const Shape *p = &op_node(b, x)->shape, *q = &op_node(b, y)->shape;
  const char *what = b->what;
  b->what = "@";
  if (!p->rank || !q->rank) {
    op_fail(b, b->span, "scalars have no dims to contract: %s and %s; use *", op_describe(b, x),
            op_describe(b, y));
    goto fail;
  }
  int64_t inner_x = p->dim[p->rank - 1], inner_y = q->dim[q->rank > 1 ? q->rank - 2 : 0];
  if (inner_x != inner_y) {
    op_fail(b, b->span, "the inner dims must match: dim %d of %s is %ld, dim %d of %s is %ld",
            p->rank - 1, op_describe(b, x), (long)inner_x, q->rank > 1 ? q->rank - 2 : 0,
            op_describe(b, y), (long)inner_y);
    op_declared(b, 2, (NodeId[]){x, y});
    goto fail;
  }
  /* Letters: 0.. batch (right-aligned), then m, k, n. */
  int batch_x = p->rank > 2 ? p->rank - 2 : 0, batch_y = q->rank > 2 ? q->rank - 2 : 0;
  int batch = batch_x > batch_y ? batch_x : batch_y, M = batch, K = batch + 1, N = batch + 2;
  int8_t lx[MAX_RANK], ly[MAX_RANK], lout[MAX_RANK];
  int rx = 0, ry = 0, rout = 0;
  Shape sx = {0}, sy = {0}; /* without the batch dims of 1 that the other side grows */
  for (int i = 0; i < batch; i++) {
    int dx = i - (batch - batch_x), dy = i - (batch - batch_y);
    int64_t u = dx >= 0 ? p->dim[dx] : 1, v = dy >= 0 ? q->dim[dy] : 1;
    if (u != v && u != 1 && v != 1) {
      op_fail(b, b->span, "batch dims do not match: %s and %s", op_describe(b, x),
              op_describe(b, y));
      goto fail;
    }
    if (dx >= 0 && (u != 1 || v == 1)) lx[rx] = (int8_t)i, sx.dim[rx++] = u;
    if (dy >= 0 && (v != 1 || (u == 1 && dx < 0))) ly[ry] = (int8_t)i, sy.dim[ry++] = v;
    lout[rout++] = (int8_t)i;
  }
  if (p->rank > 1) lx[rx] = (int8_t)M, sx.dim[rx++] = p->dim[p->rank - 2], lout[rout++] = (int8_t)M;
  lx[rx] = (int8_t)K, sx.dim[rx++] = inner_x;
  ly[ry] = (int8_t)K, sy.dim[ry++] = inner_x;
  if (q->rank > 1) ly[ry] = (int8_t)N, sy.dim[ry++] = q->dim[q->rank - 1], lout[rout++] = (int8_t)N;
  sx.rank = rx, sy.rank = ry;
  NodeId r = contract_any(b, mk_reshape(b, x, &sx), mk_reshape(b, y, &sy), lx, ly, rout, lout);
  b->what = what;
  return arg_node(r);
fail:
  b->what = what;
  return arg_node(NO_NODE);
}

const OpDef op_matmul = {
    .sign = "@",
    .binds = BINDS_TERM,
    .name = "matmul",
    .params = "x, y",
    .doc = "x @ y: rows by columns, over the last two dims; leading dims broadcast",
    .example = "f32[4, 5] x, f32[5, 6] y: x @ y",
    .call = call_matmul,
    .flags = OPF_COMPLEX};
