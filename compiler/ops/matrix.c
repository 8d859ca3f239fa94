/* Matrices in the last two dims: their parts, triangles, products and identities, of which linear
 * algebra and its gradients are made. */
#include "matrix.h"

extern const OpDef op_matmul, op_tril, op_triu, op_solve, op_triangular_solve;

static int last(const Build *b, NodeId x) { return shape_of(b, x)->rank - 1; }
int64_t matrix_columns(const Build *b, NodeId x) { return shape_of(b, x)->dim[last(b, x)]; }
int64_t matrix_rows(const Build *b, NodeId x) { return shape_of(b, x)->dim[last(b, x) - 1]; }

NodeId matrix_swapped(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const int rank = shape_of(b, x)->rank;
  int perm[MAX_RANK];
  for (int d = 0; d < rank; d++) perm[d] = d;
  perm[rank - 2] = rank - 1, perm[rank - 1] = rank - 2;
  return mk_transpose(b, x, perm);
}

/* In full precision: what is solved or decomposed magnifies errors of its operands. */
NodeId matrix_times(Build *b, NodeId x, NodeId y) {
  const int precision = b->precision;
  b->precision = 0;
  const NodeId z = build_call(b, &op_matmul, (Arg[]){arg_node(x), arg_node(y)}).node;
  b->precision = precision;
  return z;
}
NodeId matrix_lower(Build *b, NodeId x, int64_t k) {
  return build_call(b, &op_tril, (Arg[]){arg_node(x), arg_of_int(k)}).node;
}
NodeId matrix_upper(Build *b, NodeId x, int64_t k) {
  return build_call(b, &op_triu, (Arg[]){arg_node(x), arg_of_int(k)}).node;
}
NodeId matrix_row_part(Build *b, NodeId x, int64_t from, int64_t n) {
  return x == NO_NODE ? x : part_of(b, x, last(b, x) - 1, from, n);
}
NodeId matrix_column_part(Build *b, NodeId x, int64_t from, int64_t n) {
  return x == NO_NODE ? x : part_of(b, x, last(b, x), from, n);
}

/* Without the last dim but `back`, which has one element. */
NodeId matrix_without(Build *b, NodeId x, int back) {
  if (x == NO_NODE) return x;
  Shape s = *shape_of(b, x), t = {0};
  for (int d = 0; d < s.rank; d++)
    if (d != s.rank - 1 - back) t.dim[t.rank++] = s.dim[d];
  return mk_reshape(b, x, &t);
}

/* v[..., n] as a matrix of that shape: its elements lie along the rows, or along the columns. */
NodeId matrix_spread(Build *b, NodeId v, const Shape *s, bool along_rows) {
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

NodeId matrix_identity_of(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const Shape s = *shape_of(b, x);
  return identity(b, &s, type_of(b, x));
}

/* 1 / x, and 0 where x is. */
NodeId matrix_inverse_or_zero(Build *b, NodeId x) {
  if (x == NO_NODE) return x;
  const DType t = type_of(b, x);
  const NodeId zero = build_cast(b, mk2(b, &op_eq, x, mk_number(b, x, 0)), t);
  const NodeId nonzero = mk2(b, &op_sub, mk_number(b, x, 1), zero);
  return mk2(b, &op_div, nonzero, mk_add(b, x, zero));
}

/* The matrix that puts row i where the factors' row i came from. */
NodeId matrix_permutation(Build *b, NodeId factors) {
  if (factors == NO_NODE) return factors;
  const int64_t n = matrix_rows(b, factors);
  Shape s = *shape_of(b, factors);
  s.dim[s.rank - 1] = n;
  const NodeId from =
      build_cast(b, matrix_without(b, matrix_column_part(b, factors, n, 1), 0), DT_I32);
  const NodeId at = matrix_spread(b, from, &s, true), row = mk_iota(b, DT_I32, &s, s.rank - 2);
  return build_cast(b, mk2(b, &op_eq, row, at), type_of(b, factors));
}

NodeId mk_solve(Build *b, NodeId a, NodeId y) {
  return build_node(b, &op_solve, 2, (NodeId[]){a, y}, 0, NULL, 0);
}
NodeId mk_triangular_solve(Build *b, NodeId a, NodeId y, bool is_lower, bool transposed,
                           bool unit) {
  return build_node(b, &op_triangular_solve, 2, (NodeId[]){a, y}, 3,
                    (int64_t[]){is_lower, transposed, unit}, 0);
}
