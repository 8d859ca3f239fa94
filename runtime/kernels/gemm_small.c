/* gemm_small.c: which products are computed by the kernels of gemm_small.h, and by which. A product
 * costs them some nanoseconds, where packing, or a call of OpenBLAS, costs a hundred. */
#include <pthread.h>
#include "gemm_cores.h"
#include "gemm_kernel.h"
#include "gemm_small.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const GemmSmallKernels *kernels; /* of this process; NULL: none */

static void choose(void) {
  const GemmKernel *k = gemm_kernel();
  if (k) kernels = &gemm_small_portable;
#if defined(DTRT_X86_KERNELS)
  if (k == &gemm_kernel_avx2) kernels = &gemm_small_avx2;
  if (k == &gemm_kernel_avx512) kernels = &gemm_small_avx512;
#endif
}

/* The dot products of a vector have another order elsewhere, so all of a small k are here. */
bool gemm_is_small(const GemmCall *p) {
  if (p->m < 1 || p->n < 1 || p->k < 1 || p->k > GEMM_RUN) return false;
  pthread_once(&once, choose);
  if (!kernels) return false;
  if (p->m <= GEMM_SMALL_SIDE && p->n <= GEMM_SMALL_SIDE) return true;
  const bool dots = p->n == 1 ? !p->ta : p->m == 1 && p->tb;
  return dots || (p->dtype == DTRT_F64 && (p->m == 1 || p->n == 1));
}

void gemm_small(const GemmCall *p, int64_t count, const void *a, const void *b, void *c,
                const int64_t *step) {
  const GemmSmall s = {.m = p->m,
                       .n = p->n,
                       .k = p->k,
                       .ai = p->ta ? 1 : p->lda,
                       .al = p->ta ? p->lda : 1,
                       .bl = p->tb ? 1 : p->ldb,
                       .bj = p->tb ? p->ldb : 1,
                       .ci = p->ldc,
                       .cj = 1,
                       .anext = step[0],
                       .bnext = step[1],
                       .cnext = step[2],
                       .add = p->accumulate};
  (p->dtype == DTRT_F64 ? kernels->f64 : kernels->f32)(&s, count, a, b, c);
}

/* Of what gemm_is_small() was true of. */
void gemm_small_f32(const GemmSmall *p, int64_t count, const float *a, const float *b, float *c) {
  kernels->f32(p, count, a, b, c);
}
