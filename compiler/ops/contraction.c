/* Products summed over shared dims. The one primitive, `contract`, is an einsum of two operands:
 * its attributes are the index letters of x, of y and of the result, as numbers. matmul, batched
 * and transposed products are lowered to it, so no product requires a transpose. */
#include "opdefs.h"
#include <string.h>

static bool infer_contract(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *y = graph_operand(b->graph, n, 1);
  const Letters l = product_letters(b->graph, n);
  if (x->dtype != y->dtype) {
    op_fail(b, b->span, "types differ: %s and %s", op_describe(b, n->operand[0]),
            op_describe(b, n->operand[1]));
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
  n->dtype = x->dtype;
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

const OpDef op_contract = {.name = "contract",
                           .doc = "@ and einsum after lowering: a product summed over shared dims",
                           .attr = {{"letters", ATTR_LETTERS}},
                           .infer = infer_contract,
                           .rule = rule_contract,
                           .grad = grad_contract,
                           .class = OPC_PRODUCT,
                           .flags = OPF_SUMS | OPF_PRODUCT | OPF_ROWS,
                           .linear = 3,
                           .addends = addends,
                           .flops = 2,
                           .rounding = 1};

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

/* Takes the diagonal of repeated letters. */
static NodeId unrepeat(Build *b, NodeId x, int8_t *l) {
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

/* Sums the dims whose letters are neither in the other operand nor in the result. */
static NodeId sum_alone(Build *b, NodeId x, int8_t *l, uint32_t wanted) {
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

static uint32_t letter_set(const int8_t *l, int n) {
  uint32_t s = 0;
  for (int i = 0; i < n; i++) s |= 1u << l[i];
  return s;
}

/* One operand: diagonals, sums, a transpose. */
static NodeId einsum_one(Build *b, NodeId x, int8_t *l, const int8_t *lout, int rank) {
  x = sum_alone(b, unrepeat(b, x, l), l, letter_set(lout, rank));
  if (x == NO_NODE) return NO_NODE;
  int perm[MAX_RANK];
  for (int i = 0; i < rank; i++)
    for (int d = 0; d < op_node(b, x)->shape.rank; d++)
      if (l[d] == lout[i]) perm[i] = d;
  return mk_transpose(b, x, perm);
}

/* Half-width floats are stored, not computed with: the product is taken in f32. */
static NodeId contract_any(Build *b, NodeId x, NodeId y, const int8_t *lx, const int8_t *ly,
                           int rank, const int8_t *lout) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  DType t = op_node(b, x)->dtype;
  if (t == DT_BOOL) return op_fail(b, b->span, "a product takes tensors of numbers, not bool");
  if (!dtype_is_half(t)) return mk_contract(b, x, y, lx, ly, rank, lout);
  if (op_node(b, y)->dtype != t) return mk_contract(b, x, y, lx, ly, rank, lout);
  return build_cast(
      b, mk_contract(b, build_cast(b, x, DT_F32), build_cast(b, y, DT_F32), lx, ly, rank, lout), t);
}

static bool parse_term(Build *b, const Arg *a, const char **s, int8_t *l, int *n, const char *end) {
  *n = 0;
  for (; *s < end; (*s)++) {
    if (**s == ' ') continue;
    if (**s < 'a' || **s > 'z') {
      op_fail(b, a->span, "invalid index `%c` in \"%s\": expected a letter a to z", **s, a->text);
      return false;
    }
    if (*n == MAX_RANK) {
      op_fail(b, a->span, "more than %d dims in one operand of \"%s\"", MAX_RANK, a->text);
      return false;
    }
    l[(*n)++] = (int8_t)(**s - 'a');
  }
  return true;
}

typedef struct Equation {
  int8_t l[3][MAX_RANK]; /* two operands and the result */
  int n[3];
} Equation;

static bool parse_equation(Build *b, const Arg *a, int noperands, Equation *e) {
  const char *arrow = strstr(a->text, "->"), *s = a->text;
  if (!arrow) {
    op_fail(b, a->span, "the equation requires `->`, as in \"ik,kj->ij\"");
    return false;
  }
  for (int t = 0; t < noperands; t++) {
    const char *end = memchr(s, ',', (size_t)(arrow - s));
    if ((end != NULL) != (t + 1 < noperands)) {
      op_fail(b, a->span, "\"%s\" does not name %d operand%s", a->text, noperands,
              noperands == 1 ? "" : "s");
      return false;
    }
    if (!parse_term(b, a, &s, e->l[t], &e->n[t], end ? end : arrow)) return false;
    if (end) s = end + 1;
  }
  s = arrow + 2;
  if (!parse_term(b, a, &s, e->l[2], &e->n[2], s + strlen(s))) return false;
  uint32_t have =
      letter_set(e->l[0], e->n[0]) | (noperands == 2 ? letter_set(e->l[1], e->n[1]) : 0);
  for (int i = 0; i < e->n[2]; i++) {
    bool twice = letter_set(e->l[2], i) & 1u << e->l[2][i];
    if (!twice && have & 1u << e->l[2][i]) continue;
    op_fail(b, a->span,
            twice ? "index `%c` occurs twice in the result"
                  : "index `%c` of the result is in no operand",
            'a' + e->l[2][i]);
    return false;
  }
  return true;
}

static Arg call_einsum(Build *b, const Arg *a) {
  NodeId x[2];
  Equation e;
  int n = a[1].n;
  if (a[0].kind != ARG_STRING)
    return arg_node(op_fail(b, a[0].span, "the equation must be a string such as \"ik,kj->ij\""));
  if (n < 1 || n > 2) return arg_node(op_fail(b, b->span, "takes one or two tensors, not %d", n));
  if (!parse_equation(b, &a[0], n, &e)) return arg_node(NO_NODE);
  for (int t = 0; t < n; t++) {
    if (!arg_tensor(b, &a[1].at[t], "operand", &x[t])) return arg_node(NO_NODE);
    if (op_node(b, x[t])->shape.rank != e.n[t])
      return arg_node(op_fail(b, a[1].at[t].span, "operand %d has %d dims, %s; \"%s\" gives it %d",
                              t + 1, op_node(b, x[t])->shape.rank, op_describe(b, x[t]), a[0].text,
                              e.n[t]));
  }
  if (n == 1) return arg_node(einsum_one(b, x[0], e.l[0], e.l[2], e.n[2]));
  for (int p = 0; p < e.n[0]; p++)
    for (int q = 0; q < e.n[1]; q++)
      if (e.l[0][p] == e.l[1][q] &&
          op_node(b, x[0])->shape.dim[p] != op_node(b, x[1])->shape.dim[q])
        return arg_node(op_fail(b, b->span, "index `%c` has size %ld in %s and %ld in %s",
                                'a' + e.l[0][p], (long)op_node(b, x[0])->shape.dim[p],
                                op_describe(b, x[0]), (long)op_node(b, x[1])->shape.dim[q],
                                op_describe(b, x[1])));
  uint32_t out = letter_set(e.l[2], e.n[2]);
  x[0] = unrepeat(b, x[0], e.l[0]);
  x[1] = unrepeat(b, x[1], e.l[1]);
  if (x[0] == NO_NODE || x[1] == NO_NODE) return arg_node(NO_NODE);
  uint32_t in0 = letter_set(e.l[0], op_node(b, x[0])->shape.rank);
  uint32_t in1 = letter_set(e.l[1], op_node(b, x[1])->shape.rank);
  x[0] = sum_alone(b, x[0], e.l[0], out | in1);
  x[1] = sum_alone(b, x[1], e.l[1], out | in0);
  return arg_node(contract_any(b, x[0], x[1], e.l[0], e.l[1], e.n[2], e.l[2]));
}

const OpDef op_einsum = {.name = "einsum",
                         .params = "equation, operands...",
                         .doc = "NumPy's einsum of one or two tensors, with `->` and without "
                                "`...`: einsum(\"bik,bkj->bij\", x, y)",
                         .example =
                             "f32[3, 4, 5] x, f32[3, 5, 2] y: einsum(\"bik,bkj->bij\", x, y)",
                         .call = call_einsum};

/* -------- matmul -------- */

static Arg call_matmul(Build *b, const Arg *a) {
  NodeId x, y;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_tensor(b, &a[1], "y", &y)) return arg_node(NO_NODE);
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
    .call = call_matmul};
