/* gemm_deep.h: products with a very large inner dim, block by block (gemm_deep.c), and the
 * functions of gemm.c that they use. */
#ifndef DTRT_GEMM_DEEP_H
#define DTRT_GEMM_DEEP_H
#include <stdbool.h>
#include "dtrt.h"

enum { GEMM_BLOCK = DTRT_GEMM_BLOCK };

typedef struct GemmOperands {
  int ta, tb;
  int64_t m, n, k;
  const float *a;
  int64_t lda;
  const float *b;
  int64_t ldb;
  const dtrt_band *band; /* NULL: all; not of C */
  dtrt_band shifted;     /* what `band` points to, of some of the depths */
} GemmOperands;

static inline GemmOperands gemm_piece(const GemmOperands *p, int64_t i, int64_t m, int64_t j,
                                      int64_t n) {
  GemmOperands q = *p;
  q.a += i * (p->ta ? 1 : p->lda), q.b += j * (p->tb ? p->ldb : 1);
  q.m = m, q.n = n;
  return q;
}

/* c = or += the product, at most GEMM_BLOCK deep, in parts of DTRT_GEMM_DEPTH. */
void gemm_once(const GemmOperands *p, float *c, int64_t ldc, bool add);
/* Depths l to l + k of a product; l is a multiple of DTRT_BAND_BLOCK where a part of it is live. */
GemmOperands gemm_depths(const GemmOperands *p, int64_t l, int64_t k);
/* c = or += the product, then `then` (NULL: nothing) on its rows. */
void gemm_deep(const GemmOperands *p, float *c, int64_t ldc, bool add,
               const dtrt_epilogue *epilogue);
#endif
