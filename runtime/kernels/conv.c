/* conv.c: convolutions and their two gradients, by kernels of our own where this CPU and type have
 * them, else by matrix products. */
#include "conv.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* -------- a thread's room -------- */

static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_ready;
static void room_make(void) { room_ready = pthread_key_create(&room_key, free) == 0; }

float *conv_room(int64_t floats) {
  static _Thread_local int64_t have;
  pthread_once(&room_once, room_make);
  if (!room_ready) return NULL;
  float *room = pthread_getspecific(room_key);
  if (floats <= have) return room;
  free(room);
  have = 0;
  room = aligned_alloc(64, (size_t)(floats + 15) / 16 * 64);
  if (pthread_setspecific(room_key, room)) {
    free(room);
    pthread_setspecific(room_key, NULL);
    return NULL;
  }
  if (room) have = floats;
  return room;
}

static ConvKernel kernel;
static bool has_kernel;
static void kernel_choose(void) {
#if defined(__x86_64__)
  const GemmKernel *g = gemm_kernel();
  if (!g) return;
  kernel = g == &gemm_kernel_avx512 ? conv_kernel_avx512 : conv_kernel_avx2;
  kernel.turn = g->turn;
  has_kernel = true;
#endif
}

/* NULL: this CPU has none, or DTRT_GEMM in the environment wants none (gemm_kernel.h). */
static const ConvKernel *kernel_of_cpu(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, kernel_choose);
  return has_kernel ? &kernel : NULL;
}

/* -------- what the passes share -------- */

void conv_reach(const dtrt_slide *s, ConvReach dim[3]) {
  const ConvReach none = {
      .count = 1, .to_step = 1, .taps = 1, .tap_step = 1, .size = 1, .step = 1, .far = 1};
  dim[0] = dim[1] = none;
  for (int d = 0; d < s->n; d++)
    dim[d == s->n - 1 ? 2 : d] = (ConvReach){.count = s->small[d],
                                             .to_step = 1,
                                             .taps = s->taps[d],
                                             .tap_step = 1,
                                             .size = s->large[d],
                                             .step = s->stride[d],
                                             .first = s->at[d],
                                             .far = s->dilation[d]};
}

void conv_put(float *c, int64_t ldc, const float *e, int rows, int64_t n, bool add) {
  for (; rows-- > 0; c += ldc, e += CONV_COLUMNS) {
    int64_t i = 0;
    /* Pieces of fixed sizes are vectors to the compiler. */
#define PIECE(most)                                                                                \
  for (; i + most <= n; i += most)                                                                 \
    for (int q = 0; q < most; q++) c[i + q] = add ? c[i + q] + e[i + q] : e[i + q];
    PIECE(8) PIECE(4) PIECE(1)
#undef PIECE
  }
}

ConvPlace conv_place(int64_t depth) {
  ConvPlace p = {.depth = depth, .parts = (depth + CONV_PIECE - 1) / CONV_PIECE, .fit = 1};
  if (depth && p.parts == 1) p.fit = CONV_PIECE / depth;
  return p;
}

void conv_end_block(double *restrict blocks, const float *restrict sum, int64_t n, bool some) {
  if (some)
    for (int64_t i = 0; i < n; i++) blocks[i] += sum[i];
  else
    for (int64_t i = 0; i < n; i++) blocks[i] = sum[i];
}

void conv_round_blocks(const double *restrict blocks, float *restrict sum, int64_t n) {
  for (int64_t i = 0; i < n; i++) sum[i] = (float)(blocks[i] + sum[i]);
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
