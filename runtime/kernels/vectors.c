#include "vectors.h"
#include <pthread.h>
#include <string.h>
#include "variables.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static KernelVectors chosen; /* of this process */

static void choose(void) {
#if defined(DTRT_X86_KERNELS)
  const char *say = variable(VARIABLE_GEMM);
  if (say && !strcmp(say, "portable")) return;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  chosen = VECTORS_AVX2;
  if (say && !strcmp(say, "avx2")) return;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    chosen = VECTORS_AVX512;
#endif
}

KernelVectors kernel_vectors(void) {
  pthread_once(&once, choose);
  return chosen;
}
