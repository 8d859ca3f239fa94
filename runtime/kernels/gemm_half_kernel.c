/* gemm_half_kernel.c: what this CPU multiplies bf16 and f16 by (gemm_half.h). */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "dtrt.h"
#include "gemm.h"
#include "gemm_half.h"
#include "variables.h"

static atomic_bool leaves_amx;

bool gemm_by_amx(void) { return half_kernel(DTRT_BF16)->square != NULL; }
void gemm_leave_amx(void) { atomic_store(&leaves_amx, true); }

#if defined(DTRT_X86_KERNELS)
static pthread_once_t once = PTHREAD_ONCE_INIT;
static HalfKernel pairs;               /* of this CPU, which has avx512_bf16 */
static bool has_pairs, takes_squares; /* as $DTRT_GEMM says, which costs as much as a small product */

/* Cores of Intel's start a multiplication of pairs every other cycle, and two of f32 each cycle: of
 * a pair, which is two, half as long. AMD's start as many of pairs as of f32. In both, a matrix
 * that is read once, by a vector, is faster read as pairs. */
static void choose_pairs(void) {
  const char *say = variable(VARIABLE_GEMM);
  has_pairs = (!say || strcmp(say, "avx512")) && __builtin_cpu_supports("avx512bf16");
  takes_squares = !say || strcmp(say, "pairs");
  pairs = half_kernel_bf16;
  if (!__builtin_cpu_is("intel")) return;
  pairs.tiles = half_kernel_avx512.tiles, pairs.numbers = half_kernel_avx512.numbers;
  pairs.rows = half_kernel_avx512.rows, pairs.panels = half_kernel_avx512.panels;
}
#endif

const HalfKernel *half_kernel(int dtype) {
  const GemmKernel *g = gemm_kernel();
#if defined(DTRT_X86_KERNELS)
  pthread_once(&once, choose_pairs);
  if (g == &gemm_kernel_avx512 && dtype == DTRT_BF16 && has_pairs) {
    const bool leaves = atomic_load_explicit(&leaves_amx, memory_order_relaxed);
    const HalfKernel *amx = leaves || !takes_squares ? NULL : half_kernel_amx();
    return amx ? amx : &pairs;
  }
  if (g == &gemm_kernel_avx512) return &half_kernel_avx512;
  if (g == &gemm_kernel_avx2) return &half_kernel_avx2;
#endif
  (void)dtype, (void)g;
  return &half_kernel_portable;
}
