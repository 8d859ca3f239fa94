/* What linear algebra (linear_algebra.c) and its gradients (matrix_gradients.c) are made of: the
 * last two dims are matrices, those before a batch. NO_NODE of one gives NO_NODE. */
#ifndef DTG_MATRIX_H
#define DTG_MATRIX_H
#include "compose.h"

int64_t matrix_columns(const Build *b, NodeId x);
int64_t matrix_rows(const Build *b, NodeId x);
NodeId matrix_swapped(Build *b, NodeId x);
NodeId matrix_times(Build *b, NodeId x, NodeId y);
NodeId matrix_lower(Build *b, NodeId x, int64_t k);
NodeId matrix_upper(Build *b, NodeId x, int64_t k);
NodeId matrix_row_part(Build *b, NodeId x, int64_t from, int64_t n);
NodeId matrix_column_part(Build *b, NodeId x, int64_t from, int64_t n);
NodeId matrix_without(Build *b, NodeId x, int back);
NodeId matrix_spread(Build *b, NodeId v, const Shape *s, bool along_rows);
NodeId matrix_identity_of(Build *b, NodeId x);
NodeId matrix_inverse_or_zero(Build *b, NodeId x);
NodeId matrix_permutation(Build *b, NodeId factors);
NodeId mk_solve(Build *b, NodeId a, NodeId y);
NodeId mk_triangular_solve(Build *b, NodeId a, NodeId y, bool is_lower, bool transposed, bool unit);

/* Attributes of triangular_solve. */
enum { SOLVE_LOWER, SOLVE_TRANSPOSED, SOLVE_UNIT };

static inline int64_t lesser(int64_t a, int64_t c) { return a < c ? a : c; }

void grad_cholesky(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_solve(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_triangular(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_lu(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_log_determinant(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_qr(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_eigh(Build *b, NodeId node, NodeId dy, NodeId *dx);
void grad_svd(Build *b, NodeId node, NodeId dy, NodeId *dx);

#endif
