/* Gradients of linear algebra. Where a matrix has no derivative, as one with equal eigenvalues, the
 * term that divides by their difference is 0. */
#include "matrix.h"

#define IN(i) (op_node(b, node)->operand[i])

static NodeId half_sum(Build *b, NodeId x, NodeId y) { return mk_scale(b, mk_add(b, x, y), 0.5); }

/* 1 / (v[j] - v[i]), and 0 where they are equal. */
static NodeId inverse_gaps(Build *b, NodeId v, const Shape *s) {
  return matrix_inverse_or_zero(
      b, mk2(b, &op_sub, matrix_spread(b, v, s, true), matrix_spread(b, v, s, false)));
}

void grad_cholesky(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const NodeId m = matrix_times(b, matrix_swapped(b, node), dy);
  const NodeId p = half_sum(b, matrix_lower(b, m, 0), matrix_lower(b, m, -1));
  const NodeId x = mk_triangular_solve(b, node, p, true, true, false);
  const NodeId s = mk_triangular_solve(b, node, matrix_swapped(b, x), true, true, false);
  dx[0] = half_sum(b, s, matrix_swapped(b, s));
}

void grad_solve(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[1] = mk_solve(b, matrix_swapped(b, IN(0)), dy);
  dx[0] = mk1(b, &op_neg, matrix_times(b, dx[1], matrix_swapped(b, node)));
}

void grad_triangular(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t *attr = op_node(b, node)->attr;
  const bool is_lower = attr[SOLVE_LOWER], transposed = attr[SOLVE_TRANSPOSED],
             unit = attr[SOLVE_UNIT];
  dx[1] = mk_triangular_solve(b, IN(0), dy, is_lower, !transposed, unit);
  const NodeId da = transposed ? matrix_times(b, node, matrix_swapped(b, dx[1]))
                               : matrix_times(b, dx[1], matrix_swapped(b, node));
  dx[0] = mk1(b, &op_neg, is_lower ? matrix_lower(b, da, -unit) : matrix_upper(b, da, unit));
}

void grad_lu(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = matrix_rows(b, node);
  const NodeId f = matrix_column_part(b, node, 0, n), df = matrix_column_part(b, dy, 0, n);
  const NodeId u = matrix_upper(b, f, 0),
               l = mk_add(b, matrix_lower(b, f, -1), matrix_identity_of(b, f));
  const NodeId left =
      matrix_lower(b, matrix_times(b, matrix_swapped(b, l), matrix_lower(b, df, -1)), -1);
  const NodeId right =
      matrix_upper(b, matrix_times(b, matrix_upper(b, df, 0), matrix_swapped(b, u)), 0);
  const NodeId y = mk_triangular_solve(b, l, mk_add(b, left, right), true, true, true);
  const NodeId z =
      matrix_swapped(b, mk_triangular_solve(b, u, matrix_swapped(b, y), false, false, false));
  dx[0] = matrix_times(b, matrix_permutation(b, node), z);
}

/* `by` times a's inverse, transposed; by is one number for each matrix. */
static NodeId times_inverse(Build *b, NodeId a, NodeId by) {
  const Shape s = *shape_of(b, a);
  const NodeId inverse = matrix_swapped(b, mk_solve(b, a, matrix_identity_of(b, a)));
  int map[MAX_RANK];
  for (int d = 0; d < s.rank - 2; d++) map[d] = d;
  return mk2(b, &op_mul, inverse, mk_broadcast(b, matrix_without(b, by, 0), &s, map));
}
void grad_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = times_inverse(b, IN(0), mk2(b, &op_mul, node, dy));
}
void grad_log_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = times_inverse(b, IN(0), matrix_column_part(b, dy, 1, 1));
}

void grad_qr(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t m = matrix_rows(b, IN(0)), n = matrix_columns(b, IN(0));
  if (m < n) {
    dx[0] = op_fail(b, b->span, "qr of %s has no gradient: it has fewer rows than columns",
                    op_describe(b, IN(0)));
    return;
  }
  const NodeId q = matrix_row_part(b, node, 0, m),
               r = matrix_swapped(b, matrix_row_part(b, node, m, n));
  const NodeId dq = matrix_row_part(b, dy, 0, m),
               dr = matrix_upper(b, matrix_swapped(b, matrix_row_part(b, dy, m, n)), 0);
  const NodeId k = mk2(b, &op_sub, matrix_times(b, r, matrix_swapped(b, dr)),
                       matrix_times(b, matrix_swapped(b, dq), q));
  const NodeId both = mk_add(b, matrix_lower(b, k, 0), matrix_swapped(b, matrix_lower(b, k, -1)));
  const NodeId right = mk_add(b, dq, matrix_times(b, q, both));
  dx[0] =
      matrix_swapped(b, mk_triangular_solve(b, r, matrix_swapped(b, right), false, false, false));
}

void grad_eigh(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t n = matrix_columns(b, node);
  const Shape s = *shape_of(b, IN(0));
  const NodeId v = matrix_row_part(b, node, 0, n),
               w = matrix_without(b, matrix_row_part(b, node, n, 1), 1);
  const NodeId dv = matrix_row_part(b, dy, 0, n),
               dw = matrix_without(b, matrix_row_part(b, dy, n, 1), 1);
  const NodeId turn =
      mk2(b, &op_mul, inverse_gaps(b, w, &s), matrix_times(b, matrix_swapped(b, v), dv));
  const NodeId inner =
      mk_add(b, turn, mk2(b, &op_mul, matrix_identity_of(b, turn), matrix_spread(b, dw, &s, true)));
  const NodeId x = matrix_times(b, matrix_times(b, v, inner), matrix_swapped(b, v));
  dx[0] = half_sum(b, x, matrix_swapped(b, x));
}

/* What U or V turn by: gaps * (u' du - du' u). */
static NodeId turned(Build *b, NodeId gaps, NodeId u, NodeId du) {
  const NodeId x = matrix_times(b, matrix_swapped(b, u), du);
  return mk2(b, &op_mul, gaps, mk2(b, &op_sub, x, matrix_swapped(b, x)));
}
/* du less what lies in the space of u's columns, its columns divided by s. */
static NodeId beside(Build *b, NodeId u, NodeId du, NodeId by) {
  if (u == NO_NODE) return u;
  const Shape s = *shape_of(b, u);
  const NodeId x =
      mk2(b, &op_sub, du, matrix_times(b, u, matrix_times(b, matrix_swapped(b, u), du)));
  return mk2(b, &op_mul, x, matrix_spread(b, by, &s, true));
}

void grad_svd(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const int64_t m = matrix_rows(b, IN(0)), n = matrix_columns(b, IN(0)), k = lesser(m, n);
  Shape s = *shape_of(b, node);
  s.dim[s.rank - 2] = k;
  const NodeId u = matrix_row_part(b, node, 0, m), v = matrix_row_part(b, node, m, n),
               w = matrix_without(b, matrix_row_part(b, node, m + n, 1), 1);
  const NodeId du = matrix_row_part(b, dy, 0, m), dv = matrix_row_part(b, dy, m, n),
               dw = matrix_without(b, matrix_row_part(b, dy, m + n, 1), 1);
  const NodeId gaps = inverse_gaps(b, mk2(b, &op_mul, w, w), &s), by = matrix_inverse_or_zero(b, w);
  const NodeId left = mk2(b, &op_mul, turned(b, gaps, u, du), matrix_spread(b, w, &s, true));
  const NodeId right = mk2(b, &op_mul, turned(b, gaps, v, dv), matrix_spread(b, w, &s, false));
  NodeId inner = mk_add(b, left, right);
  inner = mk_add(b, inner,
                 mk2(b, &op_mul, matrix_identity_of(b, inner), matrix_spread(b, dw, &s, true)));
  NodeId x = matrix_times(b, matrix_times(b, u, inner), matrix_swapped(b, v));
  x = mk_add(b, x, matrix_times(b, beside(b, u, du, by), matrix_swapped(b, v)));
  dx[0] = mk_add(b, x, matrix_times(b, u, matrix_swapped(b, beside(b, v, dv, by))));
}
