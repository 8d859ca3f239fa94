/* gemm_vector.h: a matrix times a vector, f32, by our own kernels (gemm_kernel.h). */
#ifndef DTRT_GEMM_VECTOR_H
#define DTRT_GEMM_VECTOR_H
#include "gemm_kernel.h"

/* c[i * cstep] = or += the sum of x[l * step] * a(i, l) for l < k, i < n: a[i * lead + l] where the
 * matrix's rows lie along the vector, else a[l * lead + i]. */
typedef struct GemmVector {
  bool along;
  int64_t n, k;
  const float *a;
  int64_t lead;
  const float *x;
  int64_t step;
  float *c;
  int64_t cstep;
  bool add;
  GemmFetch fetch; /* rows of the matrix; of no use where it has none `ahead` */
} GemmVector;

/* A product with m or n of 1. */
GemmVector gemm_vector_of(int ta, int tb, int64_t m, int64_t n, int64_t k, const float *a,
                          int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc,
                          bool add);
/* k at least 1. False: not done (no kernel, no memory). */
bool gemm_vector(const GemmVector *p);
#endif
