/* gemm_kept.h: second matrices of products that stay packed from call to call, as long as a loop or
 * a nest of tiles runs in which they do not change. */
#ifndef DTRT_GEMM_KEPT_H
#define DTRT_GEMM_KEPT_H
#include <stdbool.h>
#include <stdint.h>

/* What was packed, and for which kernel. */
typedef struct KeptMatrix {
  const void *kernel, *y;
  int64_t k, n, yl, yj;
  int dtype;
} KeptMatrix;

/* The nest that this thread's device is in; 0: none. */
int64_t gemm_nest(void);
/* This thread's room for the matrix, `floats` of at most `most` (always as many): *fresh, if it is
 * to be packed now. nest 0: for this call alone. NULL: there is no room for it beside those that came
 * before it in this nest, which stay: in a loop over more than there is room for, each would
 * otherwise drive out the one that comes next. */
float *gemm_keep(const KeptMatrix *m, int64_t nest, int64_t floats, int64_t most, bool *fresh);
#endif
