/* gemm_cores.h: products dealt to the cores of a device (gemm_cores.c). */
#ifndef DTRT_GEMM_CORES_H
#define DTRT_GEMM_CORES_H
#include <stdbool.h>
#include "dtrt.h"

/* What dtrt_gemm of f32, dtrt_gemm_epilogue or, of half-width a and b, dtrt_gemm_half is given. */
typedef struct GemmCall {
  int32_t dtype;
  int rounds; /* DTRT_ROUND_A, ... */
  int ta, tb;
  int64_t m, n, k;
  const void *a;
  int64_t lda;
  const void *b;
  int64_t ldb;
  float *c;
  int64_t ldc;
  int accumulate, keeps;
  const dtrt_epilogue *then; /* NULL: nothing */
} GemmCall;

/* Parts of the result by rows and columns: so many. 1 x 1: it is not dealt. */
typedef struct GemmCut {
  int64_t rows, columns;
} GemmCut;
/* For so many cores; which cut is the cheapest, as each part packs what it reads. Rows are cut at
 * multiples of `unit`. */
GemmCut gemm_cut(int64_t m, int64_t n, int64_t k, bool then, int64_t unit, int cores);
enum { GEMM_ROW_UNIT = 14 }; /* the tiles of AVX-512, which has the largest */

/* False: it is for one core. */
bool gemm_dealt(const GemmCall *p);
/* The same of a matrix and a vector, of f32. */
bool gemm_vector_dealt(const GemmCall *p);
#endif
