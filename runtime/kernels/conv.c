/* conv.c: convolutions and their two gradients, by kernels of our own where this CPU and type have
 * them, else by matrix products. */
#include "conv.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static ConvKernel kernel;
static bool has_kernel;
static void kernel_choose(void) {
  const GemmKernel *g = gemm_kernel();
  if (!g) return;
  kernel = conv_kernel_portable;
#if defined(__x86_64__)
  if (g != &gemm_kernel_portable)
    kernel = g == &gemm_kernel_avx512 ? conv_kernel_avx512 : conv_kernel_avx2;
#endif
  kernel.turn = g->turn;
  has_kernel = true;
}

/* NULL: DTRT_GEMM in the environment wants none (gemm_kernel.h). */
static const ConvKernel *kernel_of_cpu(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, kernel_choose);
  return has_kernel ? &kernel : NULL;
}

/* -------- the three calls -------- */

static int64_t positions(const dtrt_slide *s, const int64_t size[3]) {
  int64_t n = 1;
  for (int d = 0; d < s->n; d++) n *= size[d];
  return n;
}

/* False: not done. */
static bool by_kernel(int result, const dtrt_slide *s, void *x, void *w, void *y,
                      const dtrt_then *then) {
  const ConvKernel *k = s->dtype == DTRT_F32 ? kernel_of_cpu() : NULL;
  if (!k) return false;
  if (result == CONV) return conv_forward(k, s, x, w, y, then);
  if (result == CONV_INPUT) return conv_to_input(k, s, y, w, x, then);
  return conv_to_weight(k, s, x, y, w);
}

static void convolve(int result, const dtrt_slide *s, void *x, void *w, void *y,
                     const dtrt_then *then) {
  const int64_t bytes = s->dtype == DTRT_F64 ? 8 : 4;
  const int64_t px = s->batch * positions(s, s->large), py = s->batch * positions(s, s->small);
  const int64_t nx = px * s->in, ny = py * s->out, nw = positions(s, s->taps) * s->each * s->out;
  if (!(result == CONV ? ny : result == CONV_INPUT ? nx : nw)) return;
  if (!nx || !ny || !nw) { /* a sum of nothing */
    if (result == CONV) memset(y, 0, (size_t)(ny * bytes));
    if (result == CONV_INPUT) memset(x, 0, (size_t)(nx * bytes));
    if (result == CONV_WEIGHT) memset(w, 0, (size_t)(nw * bytes));
  } else {
    if (by_kernel(result, s, x, w, y, then)) return;
    conv_by_lines(result, s, x, w, y);
  }
  if (then) then->rows(then->dev, then->p, then->n, 0, result == CONV ? py : px);
}

void dtrt_conv(const dtrt_slide *s, const void *x, const void *w, void *y) {
  convolve(CONV, s, (void *)x, (void *)w, y, NULL);
}
void dtrt_conv_input(const dtrt_slide *s, const void *y, const void *w, void *x) {
  convolve(CONV_INPUT, s, x, (void *)w, (void *)y, NULL);
}
void dtrt_conv_weight(const dtrt_slide *s, const void *x, const void *y, void *w) {
  convolve(CONV_WEIGHT, s, (void *)x, w, (void *)y, NULL);
}
void dtrt_conv_then(const dtrt_slide *s, const void *x, const void *w, void *y,
                    const dtrt_then *then) {
  convolve(CONV, s, (void *)x, (void *)w, y, then);
}
void dtrt_conv_input_then(const dtrt_slide *s, const void *y, const void *w, void *x,
                          const dtrt_then *then) {
  convolve(CONV_INPUT, s, x, (void *)w, (void *)y, then);
}
