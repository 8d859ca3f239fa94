/* Linear algebra over the last two dims; the dims before are a batch, cut freely. LAPACK computes
 * (runtime/kernels/matrices.c), in f32 or f64; halves are computed in f32. What has several results
 * is one primitive whose result holds them below each other, and a composite that slices it. Where
 * a matrix has no result (it is singular, is not positive definite), that is NaN. */
#include "compose.h"
#include <float.h>

extern const OpDef op_matmul, op_tril, op_triu, op_cholesky, op_solve, op_triangular_solve;

#define IN(i) (op_node(b, node)->operand[i])

/* -------- helpers -------- */

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }
static int last(const Build *b, NodeId x) { return shape_of(b, x)->rank - 1; }
static int64_t columns(const Build *b, NodeId x) { return shape_of(b, x)->dim[last(b, x)]; }
static int64_t rows_of(const Build *b, NodeId x) { return shape_of(b, x)->dim[last(b, x) - 1]; }

static NodeId swapped(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const int rank = shape_of(b, x)->rank;
  int perm[MAX_RANK];
  for (int d = 0; d < rank; d++) perm[d] = d;
  perm[rank - 2] = rank - 1, perm[rank - 1] = rank - 2;
  return mk_transpose(b, x, perm);
}

/* In full precision: what is solved or decomposed magnifies errors of its operands. */
static NodeId times(Build *b, NodeId x, NodeId y) {
  const int precision = b->precision;
  b->precision = 0;
  const NodeId z = build_call(b, &op_matmul, (Arg[]){arg_node(x), arg_node(y)}).node;
  b->precision = precision;
  return z;
}
static NodeId lower(Build *b, NodeId x, int64_t k) {
  return build_call(b, &op_tril, (Arg[]){arg_node(x), arg_of_int(k)}).node;
}
static NodeId upper(Build *b, NodeId x, int64_t k) {
  return build_call(b, &op_triu, (Arg[]){arg_node(x), arg_of_int(k)}).node;
}
static NodeId row_part(Build *b, NodeId x, int64_t from, int64_t n) {
  return x == NO_NODE ? x : part_of(b, x, last(b, x) - 1, from, n);
}
static NodeId column_part(Build *b, NodeId x, int64_t from, int64_t n) {
  return x == NO_NODE ? x : part_of(b, x, last(b, x), from, n);
}
static NodeId half_sum(Build *b, NodeId x, NodeId y) { return mk_scale(b, mk_add(b, x, y), 0.5); }

/* Without the last dim but `back`, which has one element. */
static NodeId without(Build *b, NodeId x, int back) {
  if (x == NO_NODE) return x;
  Shape s = *shape_of(b, x), t = {0};
  for (int d = 0; d < s.rank; d++)
    if (d != s.rank - 1 - back) t.dim[t.rank++] = s.dim[d];
  return mk_reshape(b, x, &t);
}

/* v[..., n] as a matrix of that shape: its elements lie along the rows, or along the columns. */
static NodeId spread(Build *b, NodeId v, const Shape *s, bool along_rows) {
  int map[MAX_RANK];
  if (v == NO_NODE) return v;
  for (int d = 0; d < s->rank - 2; d++) map[d] = d;
  map[s->rank - 2] = along_rows ? s->rank - 1 : s->rank - 2;
  return mk_broadcast(b, v, s, map);
}

static NodeId identity(Build *b, const Shape *s, DType t) {
  const NodeId row = mk_iota(b, DT_I32, s, s->rank - 2),
               column = mk_iota(b, DT_I32, s, s->rank - 1);
  return build_cast(b, mk2(b, &op_eq, row, column), t);
}

static NodeId identity_of(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const Shape s = *shape_of(b, x);
  return identity(b, &s, type_of(b, x));
}

/* 1 / x, and 0 where x is. */
static NodeId inverse_or_zero(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const DType t = type_of(b, x);
  const NodeId zero = build_cast(b, mk2(b, &op_eq, x, mk_number(b, x, 0)), t);
  const NodeId nonzero = mk2(b, &op_sub, mk_number(b, x, 1), zero);
  return mk2(b, &op_div, nonzero, mk_add(b, x, zero));
}

/* 1 / (v[j] - v[i]), and 0 where they are equal. */
static NodeId inverse_gaps(Build *b, NodeId v, const Shape *s) {
  return inverse_or_zero(b, mk2(b, &op_sub, spread(b, v, s, true), spread(b, v, s, false)));
}

/* -------- primitives -------- */

static bool takes(Build *b, NodeId x) {
  const Node *n = op_node(b, x);
  if (n->dtype != DT_F32 && n->dtype != DT_F64) {
    op_fail(b, b->span, "takes floating-point tensors, not %s; cast with f32(...)",
            op_describe(b, x));
    return false;
  }
  if (n->shape.rank < 2)
    op_fail(b, b->span, "takes matrices, two dims at least, not %s", op_describe(b, x));
  return n->shape.rank >= 2;
}

static bool takes_square(Build *b, NodeId x) {
  if (!takes(b, x)) return false;
  if (rows_of(b, x) == columns(b, x)) return true;
  op_fail(b, b->span, "takes square matrices, but the last two dims of %s differ",
          op_describe(b, x));
  op_declared(b, 1, &x);
  return false;
}

static bool infer_with(Build *b, Node *n, int64_t rows, int64_t cols) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  n->shape.dim[n->shape.rank - 2] = rows;
  n->shape.dim[n->shape.rank - 1] = cols;
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

static int64_t lesser(int64_t a, int64_t c) { return a < c ? a : c; }

static bool infer_cholesky(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, rows_of(b, x), rows_of(b, x));
}
static bool infer_lu(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, rows_of(b, x), rows_of(b, x) + 1);
}
static bool infer_numbers(Build *b, Node *n, int64_t numbers) {
  const NodeId x = n->operand[0];
  if (!takes_square(b, x)) return false;
  n->dtype = type_of(b, x);
  n->shape = *shape_of(b, x);
  n->shape.dim[--n->shape.rank - 1] = numbers;
  return true;
}
static bool infer_determinant(Build *b, Node *n) { return infer_numbers(b, n, 1); }
static bool infer_log_determinant(Build *b, Node *n) { return infer_numbers(b, n, 2); }
static bool infer_qr(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  if (!takes(b, x)) return false;
  const int64_t m = rows_of(b, x), c = columns(b, x);
  return infer_with(b, n, m + c, lesser(m, c));
}
static bool infer_eigh(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, rows_of(b, x) + 1, rows_of(b, x));
}
static bool infer_svd(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  if (!takes(b, x)) return false;
  const int64_t m = rows_of(b, x), c = columns(b, x);
  return infer_with(b, n, m + c + 1, lesser(m, c));
}

static bool infer_solve(Build *b, Node *n) {
  const NodeId a = n->operand[0], y = n->operand[1];
  if (!takes_square(b, a) || !takes(b, y)) return false;
  const Shape *s = shape_of(b, a), *t = shape_of(b, y);
  bool fit = s->rank == t->rank && type_of(b, a) == type_of(b, y);
  for (int d = 0; fit && d < s->rank - 1; d++) fit = s->dim[d] == t->dim[d];
  bool lacks_column = t->rank == s->rank - 1;
  for (int d = 0; lacks_column && d < t->rank; d++) lacks_column = s->dim[d] == t->dim[d];
  if (!fit) {
    op_fail(b, b->span,
            "%s and the right-hand sides %s must have the same type and, but for the "
            "last, the same dims%s",
            op_describe(b, a), op_describe(b, y),
            lacks_column
                ? "; a vector for each matrix is a column, b[..., none], and its result x[..., 0]"
                : "");
    op_declared(b, 2, (NodeId[]){a, y});
    return false;
  }
  return infer_with(b, n, rows_of(b, y), columns(b, y));
}

/* Batch dims pass; matrices are whole, but for the columns of right-hand sides. */
void rule_matrix(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 0);
  const int batch = x->shape.rank - 2;
  for (int d = 0; d < batch; d++) r->result[d] = one(rule_factor(r, x->shape.dim[d], FACTOR_PASS));
  for (int k = 0; k < n->noperands; k++) {
    const Shape *s = &graph_operand(g, n, k)->shape;
    for (int d = 0; d < batch; d++) r->operand[k][d] = r->result[d];
    for (int d = batch; d < s->rank; d++)
      r->operand[k][d] = one(rule_factor(r, s->dim[d], FACTOR_WHOLE));
  }
  for (int d = batch; d < n->shape.rank; d++)
    r->result[d] = one(rule_factor(r, n->shape.dim[d], FACTOR_WHOLE));
  if (n->noperands == 2)
    r->operand[1][batch + 1] = r->result[batch + 1] =
        one(rule_factor(r, n->shape.dim[batch + 1], FACTOR_PASS));
}

/* Each element of a matrix takes some operations a row. */
static double points_matrix(const Node *n, double points) {
  return points * (double)n->shape.dim[n->shape.rank - 1];
}

enum { SOLVE_LOWER, SOLVE_TRANSPOSED, SOLVE_UNIT };

static NodeId mk_matrix(Build *b, Op op, NodeId x) { return build_node(b, op, 1, &x, 0, NULL, 0); }
static NodeId mk_solve(Build *b, NodeId a, NodeId y) {
  return build_node(b, &op_solve, 2, (NodeId[]){a, y}, 0, NULL, 0);
}
static NodeId mk_triangular(Build *b, NodeId a, NodeId y, bool is_lower, bool transposed,
                            bool unit) {
  return build_node(b, &op_triangular_solve, 2, (NodeId[]){a, y}, 3,
                    (int64_t[]){is_lower, transposed, unit}, 0);
}

/* -------- gradients -------- */

static void grad_cholesky(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const NodeId m = times(b, swapped(b, node), dy);
  const NodeId p = half_sum(b, lower(b, m, 0), lower(b, m, -1));
  const NodeId x = mk_triangular(b, node, p, true, true, false);
  const NodeId s = mk_triangular(b, node, swapped(b, x), true, true, false);
  dx[0] = half_sum(b, s, swapped(b, s));
}

static void grad_solve(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[1] = mk_solve(b, swapped(b, IN(0)), dy);
  dx[0] = mk1(b, &op_neg, times(b, dx[1], swapped(b, node)));
}

static void grad_triangular(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t *attr = op_node(b, node)->attr;
  const bool is_lower = attr[SOLVE_LOWER], transposed = attr[SOLVE_TRANSPOSED],
             unit = attr[SOLVE_UNIT];
  dx[1] = mk_triangular(b, IN(0), dy, is_lower, !transposed, unit);
  const NodeId da =
      transposed ? times(b, node, swapped(b, dx[1])) : times(b, dx[1], swapped(b, node));
  dx[0] = mk1(b, &op_neg, is_lower ? lower(b, da, -unit) : upper(b, da, unit));
}

/* The matrix that puts row i where the factors' row i came from. */
static NodeId permutation(Build *b, NodeId factors) {
  if (factors == NO_NODE) return factors;
  const int64_t n = rows_of(b, factors);
  Shape s = *shape_of(b, factors);
  s.dim[s.rank - 1] = n;
  const NodeId from = build_cast(b, without(b, column_part(b, factors, n, 1), 0), DT_I32);
  const NodeId at = spread(b, from, &s, true), row = mk_iota(b, DT_I32, &s, s.rank - 2);
  return build_cast(b, mk2(b, &op_eq, row, at), type_of(b, factors));
}

static void grad_lu(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = rows_of(b, node);
  const NodeId f = column_part(b, node, 0, n), df = column_part(b, dy, 0, n);
  const NodeId u = upper(b, f, 0), l = mk_add(b, lower(b, f, -1), identity_of(b, f));
  const NodeId left = lower(b, times(b, swapped(b, l), lower(b, df, -1)), -1);
  const NodeId right = upper(b, times(b, upper(b, df, 0), swapped(b, u)), 0);
  const NodeId y = mk_triangular(b, l, mk_add(b, left, right), true, true, true);
  const NodeId z = swapped(b, mk_triangular(b, u, swapped(b, y), false, false, false));
  dx[0] = times(b, permutation(b, node), z);
}

/* `by` times a's inverse, transposed; by is one number for each matrix. */
static NodeId times_inverse(Build *b, NodeId a, NodeId by) {
  const Shape s = *shape_of(b, a);
  const NodeId inverse = swapped(b, mk_solve(b, a, identity_of(b, a)));
  int map[MAX_RANK];
  for (int d = 0; d < s.rank - 2; d++) map[d] = d;
  return mk2(b, &op_mul, inverse, mk_broadcast(b, without(b, by, 0), &s, map));
}
static void grad_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = times_inverse(b, IN(0), mk2(b, &op_mul, node, dy));
}
static void grad_log_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = times_inverse(b, IN(0), column_part(b, dy, 1, 1));
}

static void grad_qr(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t m = rows_of(b, IN(0)), n = columns(b, IN(0));
  if (m < n) {
    dx[0] = op_fail(b, b->span, "qr of %s has no gradient: it has fewer rows than columns",
                    op_describe(b, IN(0)));
    return;
  }
  const NodeId q = row_part(b, node, 0, m), r = swapped(b, row_part(b, node, m, n));
  const NodeId dq = row_part(b, dy, 0, m), dr = upper(b, swapped(b, row_part(b, dy, m, n)), 0);
  const NodeId k = mk2(b, &op_sub, times(b, r, swapped(b, dr)), times(b, swapped(b, dq), q));
  const NodeId both = mk_add(b, lower(b, k, 0), swapped(b, lower(b, k, -1)));
  const NodeId right = mk_add(b, dq, times(b, q, both));
  dx[0] = swapped(b, mk_triangular(b, r, swapped(b, right), false, false, false));
}

static void grad_eigh(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = columns(b, node);
  const Shape s = *shape_of(b, IN(0));
  const NodeId v = row_part(b, node, 0, n), w = without(b, row_part(b, node, n, 1), 1);
  const NodeId dv = row_part(b, dy, 0, n), dw = without(b, row_part(b, dy, n, 1), 1);
  const NodeId turn = mk2(b, &op_mul, inverse_gaps(b, w, &s), times(b, swapped(b, v), dv));
  const NodeId inner =
      mk_add(b, turn, mk2(b, &op_mul, identity_of(b, turn), spread(b, dw, &s, true)));
  const NodeId x = times(b, times(b, v, inner), swapped(b, v));
  dx[0] = half_sum(b, x, swapped(b, x));
}

/* What U or V turn by: gaps * (u' du - du' u). */
static NodeId turned(Build *b, NodeId gaps, NodeId u, NodeId du) {
  const NodeId x = times(b, swapped(b, u), du);
  return mk2(b, &op_mul, gaps, mk2(b, &op_sub, x, swapped(b, x)));
}
/* du less what lies in the space of u's columns, its columns divided by s. */
static NodeId beside(Build *b, NodeId u, NodeId du, NodeId by) {
  if (u == NO_NODE) return u;
  const Shape s = *shape_of(b, u);
  const NodeId x = mk2(b, &op_sub, du, times(b, u, times(b, swapped(b, u), du)));
  return mk2(b, &op_mul, x, spread(b, by, &s, true));
}

static void grad_svd(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t m = rows_of(b, IN(0)), n = columns(b, IN(0)), k = lesser(m, n);
  Shape s = *shape_of(b, node);
  s.dim[s.rank - 2] = k;
  const NodeId u = row_part(b, node, 0, m), v = row_part(b, node, m, n),
               w = without(b, row_part(b, node, m + n, 1), 1);
  const NodeId du = row_part(b, dy, 0, m), dv = row_part(b, dy, m, n),
               dw = without(b, row_part(b, dy, m + n, 1), 1);
  const NodeId gaps = inverse_gaps(b, mk2(b, &op_mul, w, w), &s), by = inverse_or_zero(b, w);
  const NodeId left = mk2(b, &op_mul, turned(b, gaps, u, du), spread(b, w, &s, true));
  const NodeId right = mk2(b, &op_mul, turned(b, gaps, v, dv), spread(b, w, &s, false));
  NodeId inner = mk_add(b, left, right);
  inner = mk_add(b, inner, mk2(b, &op_mul, identity_of(b, inner), spread(b, dw, &s, true)));
  NodeId x = times(b, times(b, u, inner), swapped(b, v));
  x = mk_add(b, x, times(b, beside(b, u, du, by), swapped(b, v)));
  dx[0] = mk_add(b, x, times(b, u, swapped(b, beside(b, v, dv, by))));
}

/* -------- definitions -------- */

/* The tensor, halves as f32; *type is what results become again. */
static bool matrix(Build *b, const Arg *a, const char *name, NodeId *x, DType *type) {
  if (!arg_tensor(b, a, name, x)) return false;
  *type = type_of(b, *x);
  *x = wide(b, *x);
  return *x != NO_NODE;
}

static Arg back(Build *b, NodeId x, DType type) {
  return arg_node(x == NO_NODE ? x : build_cast(b, x, type));
}

static Arg list_of(Build *b, int n, const NodeId *x, DType type) {
  Arg all = arg_of_list(b, n);
  for (int i = 0; i < n; i++) all.at[i] = back(b, x[i], type);
  return all;
}

/* Whether nothing is read of a node but its rows from `first` on. */
static bool reads_from(const Graph *g, NodeId id, int64_t first) {
  for (NodeId k = 0; k < g->nodes.n; k++) {
    const Node *n = graph_node(g, k);
    for (int i = 0; i < n->noperands; i++) {
      if (n->operand[i] != id) continue;
      const int rows = graph_node(g, id)->shape.rank - 2;
      if (n->op != &op_slice || node_attrs(n, "begin")[rows] < first) return false;
    }
  }
  return true;
}

extern const OpDef op_qr_factors, op_qr_triangle, op_eigh_factors, op_eigh_values, op_svd_factors,
    op_svd_values;
/* Factors without the orthogonal ones take LAPACK half of the time and less. */
static Op qr_as_read(const Graph *g, NodeId id) {
  const Shape *x = &graph_operand(g, graph_node(g, id), 0)->shape;
  return reads_from(g, id, x->dim[x->rank - 2]) ? &op_qr_triangle : &op_qr_factors;
}
static Op eigh_as_read(const Graph *g, NodeId id) {
  const Shape *x = &graph_operand(g, graph_node(g, id), 0)->shape;
  return reads_from(g, id, x->dim[x->rank - 1]) ? &op_eigh_values : &op_eigh_factors;
}
static Op svd_as_read(const Graph *g, NodeId id) {
  const Shape *x = &graph_operand(g, graph_node(g, id), 0)->shape;
  const int64_t vectors = x->dim[x->rank - 2] + x->dim[x->rank - 1];
  return reads_from(g, id, vectors) ? &op_svd_values : &op_svd_factors;
}

#define FACTORS(NAME, SHOWN, DOC, KERNEL, SHAPED, AS_READ)                                         \
  const OpDef op_##NAME = {.name = SHOWN,                                                          \
                           .doc = DOC,                                                             \
                           .infer = infer_##SHAPED,                                                \
                           .rule = rule_matrix,                                                    \
                           .grad = grad_##SHAPED,                                                  \
                           .class = OPC_MATRIX,                                                    \
                           .kernel = "dtrt_" #KERNEL,                                              \
                           .as_read = AS_READ,                                                     \
                           .flops = 2,                                                             \
                           .points = points_matrix,                                                \
                           .rounding = 64}
FACTORS(lu_factors, "lu_factors", "the factors of lu in one, and last the rows they came from", lu,
        lu, NULL);
FACTORS(determinant, "determinant", "the determinant", determinant, determinant, NULL);
FACTORS(log_determinant, "log_determinant", "the determinant's sign, the logarithm of its size",
        log_determinant, log_determinant, NULL);
FACTORS(qr_factors, "qr_factors", "Q of qr, and below it R transposed", qr, qr, qr_as_read);
FACTORS(qr_triangle, "qr_triangle", "qr_factors with 0 for Q", qr_triangle, qr, NULL);
FACTORS(eigh_factors, "eigh_factors", "the eigenvectors of eigh, and below them the eigenvalues",
        eigh, eigh, eigh_as_read);
FACTORS(eigh_values, "eigh_values", "eigh_factors with 0 for the vectors", eigh_values, eigh, NULL);
FACTORS(svd_factors, "svd_factors", "U and V of svd, and below them the singular values", svd, svd,
        svd_as_read);
FACTORS(svd_values, "svd_values", "svd_factors with 0 for U and V", svd_values, svd, NULL);

static Arg call_cholesky(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  return back(b, mk_matrix(b, &op_cholesky, x), t);
}
const OpDef op_cholesky = {
    .name = "cholesky",
    .params = "x",
    .doc =
        "L with x = L @ transpose(L), lower triangular, of symmetric positive definite matrices, "
        "whose lower triangle alone is read; others give NaN",
    .example = "f32[2, 3, 3] x: cholesky(x @ transpose(x, [0, 2, 1]) + 9 * eye(3, dtype=f32))",
    .call = call_cholesky,
    .infer = infer_cholesky,
    .rule = rule_matrix,
    .grad = grad_cholesky,
    .class = OPC_MATRIX,
    .kernel = "dtrt_cholesky",
    .flops = 1,
    .points = points_matrix,
    .rounding = 64};

/* Both matrices; a vector of right-hand sides is one column. */
static bool sides(Build *b, const Arg *a, NodeId *x, NodeId *y, DType *type, bool *vector) {
  DType t;
  if (!matrix(b, &a[0], "a", x, type) || !matrix(b, &a[1], "b", y, &t)) return false;
  Shape s = *shape_of(b, *y);
  *vector = s.rank == 1 && shape_of(b, *x)->rank == 2;
  if (!*vector) return true;
  s.dim[s.rank++] = 1;
  *y = mk_reshape(b, *y, &s);
  return true;
}

static Arg call_solve(Build *b, const Arg *a) {
  NodeId x, y;
  DType t;
  bool vector;
  if (!sides(b, a, &x, &y, &t, &vector)) return NOTHING;
  const NodeId r = mk_solve(b, x, y);
  return back(b, vector ? without(b, r, 0) : r, t);
}
const OpDef op_solve = {
    .name = "solve",
    .params = "a, b",
    .doc = "x with a @ x = b, of square matrices a; b has their dims but for the last, or is a "
           "vector; a singular matrix gives NaN",
    .example = "f32[2, 3, 3] x, f32[2, 3, 4] y: solve(x + 9 * eye(3, dtype=f32), y)",
    .call = call_solve,
    .infer = infer_solve,
    .rule = rule_matrix,
    .grad = grad_solve,
    .class = OPC_MATRIX,
    .kernel = "dtrt_solve",
    .flops = 2,
    .points = points_matrix,
    .rounding = 64};

static Arg call_triangular_solve(Build *b, const Arg *a) {
  NodeId x, y;
  DType t;
  bool vector, is_lower, transposed, unit;
  if (!sides(b, a, &x, &y, &t, &vector) || !arg_bool(b, &a[2], "lower", &is_lower) ||
      !arg_bool(b, &a[3], "transposed", &transposed) || !arg_bool(b, &a[4], "unit", &unit))
    return NOTHING;
  const NodeId r = mk_triangular(b, x, y, is_lower, transposed, unit);
  return back(b, vector ? without(b, r, 0) : r, t);
}
const OpDef op_triangular_solve = {
    .name = "triangular_solve",
    .params = "a, b, lower=true, transposed=false, unit=false",
    .doc = "solve(a, b) of triangular matrices; the other triangle is not read. With unit the "
           "diagonal is not read either and counts as 1; transposed: solve(transpose(a), b)",
    .example = "f32[2, 3, 3] x, f32[2, 3, 4] y: triangular_solve(x + 9 * eye(3, dtype=f32), y)",
    .call = call_triangular_solve,
    .attr = {[SOLVE_LOWER] = {"lower", ATTR_BOOL},
             [SOLVE_TRANSPOSED] = {"transposed", ATTR_BOOL},
             [SOLVE_UNIT] = {"unit", ATTR_BOOL}},
    .infer = infer_solve,
    .rule = rule_matrix,
    .grad = grad_triangular,
    .class = OPC_MATRIX,
    .kernel = "dtrt_triangular_solve",
    .flops = 1,
    .points = points_matrix,
    .rounding = 64};

/* -------- composites -------- */

static Arg call_inv(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t) || !takes_square(b, x)) return NOTHING;
  return back(b, mk_solve(b, x, identity_of(b, x)), t);
}
COMPOSITE(inv, "x", "the inverse of square matrices; a singular one gives NaN",
          "f32[2, 3, 3] x: inv(x + 9 * eye(3, dtype=f32))")

static Arg call_det(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  return back(b, without(b, mk_matrix(b, &op_determinant, x), 0), t);
}
COMPOSITE(det, "x", "the determinant of square matrices; no gradient where it is 0",
          "f32[2, 3, 3] x: det(x + 9 * eye(3, dtype=f32))")

static Arg call_slogdet(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  const NodeId d = mk_matrix(b, &op_log_determinant, x);
  if (d == NO_NODE) return NOTHING;
  return list_of(
      b, 2,
      (NodeId[]){without(b, column_part(b, d, 0, 1), 0), without(b, column_part(b, d, 1, 1), 0)},
      t);
}
COMPOSITE(slogdet, "x",
          "the sign of the determinant and the logarithm of its size: `sign, size = slogdet(x)`",
          "f32[2, 3, 3] x: slogdet(x + 9 * eye(3, dtype=f32))[1]")

static Arg call_lu(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  const NodeId f = mk_matrix(b, &op_lu_factors, x);
  if (f == NO_NODE) return NOTHING;
  const NodeId both = column_part(b, f, 0, rows_of(b, f));
  return list_of(b, 3,
                 (NodeId[]){permutation(b, f), mk_add(b, lower(b, both, -1), identity_of(b, both)),
                            upper(b, both, 0)},
                 t);
}
COMPOSITE(
    lu, "x",
    "p, l, u with x = p @ l @ u of square matrices: a permutation, a lower triangle with 1 on "
    "its diagonal, an upper one",
    "f32[2, 3, 3] x: lu(x + 9 * eye(3, dtype=f32))[2]")

static Arg call_qr(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  const NodeId f = mk_matrix(b, &op_qr_factors, x);
  if (f == NO_NODE) return NOTHING;
  const int64_t m = rows_of(b, x), n = columns(b, x);
  return list_of(b, 2, (NodeId[]){row_part(b, f, 0, m), swapped(b, row_part(b, f, m, n))}, t);
}
COMPOSITE(
    qr, "x",
    "q, r with x = q @ r: orthonormal columns and an upper triangle, as many as x has rows or "
    "columns, whichever is less; its gradient takes at least as many rows as columns",
    "f32[2, 4, 3] x: qr(x + 9 * eye(4, 3, dtype=f32))[1]")

static NodeId eigh(Build *b, const Arg *a, DType *t, NodeId *w, NodeId *v) {
  NodeId x;
  if (!matrix(b, a, "x", &x, t)) return NO_NODE;
  const NodeId f = mk_matrix(b, &op_eigh_factors, x);
  if (f == NO_NODE) return f;
  const int64_t n = columns(b, f);
  *w = without(b, row_part(b, f, n, 1), 1);
  *v = row_part(b, f, 0, n);
  return f;
}
static Arg call_eigh(Build *b, const Arg *a) {
  NodeId w, v;
  DType t;
  if (eigh(b, &a[0], &t, &w, &v) == NO_NODE) return NOTHING;
  return list_of(b, 2, (NodeId[]){w, v}, t);
}
COMPOSITE(
    eigh, "x",
    "w, v of symmetric matrices, whose lower triangle alone is read: the eigenvalues, rising, "
    "and the eigenvectors as columns, whose signs are LAPACK's",
    "f32[2, 3, 3] x: eigh(x + transpose(x, [0, 2, 1]))[0]")

static Arg call_eigvalsh(Build *b, const Arg *a) {
  NodeId w, v;
  DType t;
  return eigh(b, &a[0], &t, &w, &v) == NO_NODE ? NOTHING : back(b, w, t);
}
COMPOSITE(eigvalsh, "x", "the eigenvalues of symmetric matrices, rising: eigh(x)[0]",
          "f32[2, 3, 3] x: eigvalsh(x + transpose(x, [0, 2, 1]))")

typedef struct Svd {
  NodeId x, u, s, v; /* the singular vectors are columns */
  DType type;
} Svd;

static bool svd(Build *b, const Arg *a, Svd *r) {
  if (!matrix(b, a, "x", &r->x, &r->type)) return false;
  const NodeId f = mk_matrix(b, &op_svd_factors, r->x);
  if (f == NO_NODE) return false;
  const int64_t m = rows_of(b, r->x), n = columns(b, r->x);
  r->u = row_part(b, f, 0, m);
  r->v = row_part(b, f, m, n);
  r->s = without(b, row_part(b, f, m + n, 1), 1);
  return true;
}
static Arg call_svd(Build *b, const Arg *a) {
  Svd r;
  if (!svd(b, &a[0], &r)) return NOTHING;
  return list_of(b, 3, (NodeId[]){r.u, r.s, swapped(b, r.v)}, r.type);
}
COMPOSITE(svd, "x",
          "u, s, vh with x = (u * s) @ vh: singular vectors as columns of u and rows of vh, whose "
          "signs are LAPACK's, and the singular values, falling",
          "f32[2, 3, 4] x: svd(x)[1]")

static Arg call_pinv(Build *b, const Arg *a) {
  Svd r;
  if (!svd(b, &a[0], &r)) return NOTHING;
  const int64_t m = rows_of(b, r.x), n = columns(b, r.x);
  double least = (double)(m > n ? m : n) * (type_of(b, r.x) == DT_F64 ? DBL_EPSILON : FLT_EPSILON);
  if (a[1].kind != ARG_NONE && !arg_number(b, &a[1], "rcond", &least)) return NOTHING;
  const Shape s = *shape_of(b, r.s), columns_of_v = *shape_of(b, r.v);
  const uint32_t along = 1u << (s.rank - 1);
  const NodeId most = mk_unreduce(b, mk_reduce(b, &op_reduce_max, r.s, along, false), &s, along);
  const NodeId large = mk2(b, &op_gt, r.s, mk_scale(b, most, least));
  const NodeId by = inverse_or_zero(b, mk_select(b, large, r.s, mk_number(b, r.s, 0)));
  const NodeId scaled = mk2(b, &op_mul, r.v, spread(b, by, &columns_of_v, true));
  return back(b, times(b, scaled, swapped(b, r.u)), r.type);
}
COMPOSITE(pinv, "x, rcond=none",
          "the pseudo-inverse; singular values up to rcond (or the larger size times the type's "
          "rounding) of the largest count as 0",
          "f32[2, 4, 3] x: pinv(x + 9 * eye(4, 3, dtype=f32))")
