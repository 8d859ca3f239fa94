/* Linear algebra over the last two dims; the dims before are a batch, cut freely. LAPACK computes
 * (runtime/kernels/matrices.c), in f32 or f64; halves are computed in f32. What has several results
 * is one primitive whose result holds them below each other, and a composite that slices it. Where
 * a matrix has no result (it is singular, is not positive definite), that is NaN. */
#include "matrix.h"
#include <float.h>

extern const OpDef op_cholesky;

/* -------- primitives -------- */

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }

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
  if (matrix_rows(b, x) == matrix_columns(b, x)) return true;
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

static bool infer_cholesky(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, matrix_rows(b, x), matrix_rows(b, x));
}
static bool infer_lu(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, matrix_rows(b, x), matrix_rows(b, x) + 1);
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
  const int64_t m = matrix_rows(b, x), c = matrix_columns(b, x);
  return infer_with(b, n, m + c, lesser(m, c));
}
static bool infer_eigh(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  return takes_square(b, x) && infer_with(b, n, matrix_rows(b, x) + 1, matrix_rows(b, x));
}
static bool infer_svd(Build *b, Node *n) {
  const NodeId x = n->operand[0];
  if (!takes(b, x)) return false;
  const int64_t m = matrix_rows(b, x), c = matrix_columns(b, x);
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
  return infer_with(b, n, matrix_rows(b, y), matrix_columns(b, y));
}

/* Batch dims pass; matrices are whole, but for the columns of right-hand sides. */
static void rule_matrix(const Graph *g, const Node *n, Rule *r) {
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

static NodeId mk_matrix(Build *b, Op op, NodeId x) { return build_node(b, op, 1, &x, 0, NULL, 0); }

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
  return back(b, vector ? matrix_without(b, r, 0) : r, t);
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
  const NodeId r = mk_triangular_solve(b, x, y, is_lower, transposed, unit);
  return back(b, vector ? matrix_without(b, r, 0) : r, t);
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
  return back(b, mk_solve(b, x, matrix_identity_of(b, x)), t);
}
COMPOSITE(inv, "x", "the inverse of square matrices; a singular one gives NaN",
          "f32[2, 3, 3] x: inv(x + 9 * eye(3, dtype=f32))")

static Arg call_det(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  return back(b, matrix_without(b, mk_matrix(b, &op_determinant, x), 0), t);
}
COMPOSITE(det, "x", "the determinant of square matrices; no gradient where it is 0",
          "f32[2, 3, 3] x: det(x + 9 * eye(3, dtype=f32))")

static Arg call_slogdet(Build *b, const Arg *a) {
  NodeId x;
  DType t;
  if (!matrix(b, &a[0], "x", &x, &t)) return NOTHING;
  const NodeId d = mk_matrix(b, &op_log_determinant, x);
  if (d == NO_NODE) return NOTHING;
  return list_of(b, 2,
                 (NodeId[]){matrix_without(b, matrix_column_part(b, d, 0, 1), 0),
                            matrix_without(b, matrix_column_part(b, d, 1, 1), 0)},
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
  const NodeId both = matrix_column_part(b, f, 0, matrix_rows(b, f));
  return list_of(b, 3,
                 (NodeId[]){matrix_permutation(b, f),
                            mk_add(b, matrix_lower(b, both, -1), matrix_identity_of(b, both)),
                            matrix_upper(b, both, 0)},
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
  const int64_t m = matrix_rows(b, x), n = matrix_columns(b, x);
  return list_of(
      b, 2, (NodeId[]){matrix_row_part(b, f, 0, m), matrix_swapped(b, matrix_row_part(b, f, m, n))},
      t);
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
  const int64_t n = matrix_columns(b, f);
  *w = matrix_without(b, matrix_row_part(b, f, n, 1), 1);
  *v = matrix_row_part(b, f, 0, n);
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
  const int64_t m = matrix_rows(b, r->x), n = matrix_columns(b, r->x);
  r->u = matrix_row_part(b, f, 0, m);
  r->v = matrix_row_part(b, f, m, n);
  r->s = matrix_without(b, matrix_row_part(b, f, m + n, 1), 1);
  return true;
}
static Arg call_svd(Build *b, const Arg *a) {
  Svd r;
  if (!svd(b, &a[0], &r)) return NOTHING;
  return list_of(b, 3, (NodeId[]){r.u, r.s, matrix_swapped(b, r.v)}, r.type);
}
COMPOSITE(svd, "x",
          "u, s, vh with x = (u * s) @ vh: singular vectors as columns of u and rows of vh, whose "
          "signs are LAPACK's, and the singular values, falling",
          "f32[2, 3, 4] x: svd(x)[1]")

static Arg call_pinv(Build *b, const Arg *a) {
  Svd r;
  if (!svd(b, &a[0], &r)) return NOTHING;
  const int64_t m = matrix_rows(b, r.x), n = matrix_columns(b, r.x);
  double least = (double)(m > n ? m : n) * (type_of(b, r.x) == DT_F64 ? DBL_EPSILON : FLT_EPSILON);
  if (a[1].kind != ARG_NONE && !arg_number(b, &a[1], "rcond", &least)) return NOTHING;
  const Shape s = *shape_of(b, r.s), columns_of_v = *shape_of(b, r.v);
  const uint32_t along = 1u << (s.rank - 1);
  const NodeId most = mk_unreduce(b, mk_reduce(b, &op_reduce_max, r.s, along, false), &s, along);
  const NodeId large = mk2(b, &op_gt, r.s, mk_scale(b, most, least));
  const NodeId by = matrix_inverse_or_zero(b, mk_select(b, large, r.s, mk_number(b, r.s, 0)));
  const NodeId scaled = mk2(b, &op_mul, r.v, matrix_spread(b, by, &columns_of_v, true));
  return back(b, matrix_times(b, scaled, matrix_swapped(b, r.u)), r.type);
}
COMPOSITE(pinv, "x, rcond=none",
          "the pseudo-inverse; singular values up to rcond (or the larger size times the type's "
          "rounding) of the largest count as 0",
          "f32[2, 4, 3] x: pinv(x + 9 * eye(4, 3, dtype=f32))")
