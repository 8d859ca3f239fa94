/* draws.c: random numbers into memory, for the first values of variables. */
#include "draws.h"
#include "dtrt.h"
#include "vectors.h"

static const DrawKernels *kernels(void) {
#if defined(DTRT_X86_KERNELS)
  static const DrawKernels *const all[] = {&draws_portable, &draws_avx2, &draws_avx512};
  return all[kernel_vectors()];
#else
  return &draws_portable;
#endif
}

void dtrt_draw_uniform_f32(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n) {
  kernels()->uniform(to, key, step, first, n);
}
void dtrt_draw_normal_f32(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n) {
  kernels()->normal(to, key, step, first, n);
}
