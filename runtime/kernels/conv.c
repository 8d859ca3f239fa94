/* conv.c: convolutions and their two gradients, by kernels of our own where this CPU and type have
 * them, else by matrix products. */
#include "conv.h"
#include "crew.h"
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
                      const dtrt_epilogue *then) {
  const ConvKernel *k = s->dtype == DTRT_F32 ? kernel_of_cpu() : NULL;
  if (!k) return false;
  if (result == CONV) return conv_forward(k, s, x, w, y, then);
  if (result == CONV_INPUT) return conv_to_input(k, s, y, w, x, then);
  return conv_to_weight(k, s, x, y, w);
}

static void convolve(int result, const dtrt_slide *s, void *x, void *w, void *y,
                     const dtrt_epilogue *then) {
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

/* -------- images dealt to cores -------- */

typedef struct Images {
  int result;
  const dtrt_slide *s;
  char *x, *w, *y;
  const dtrt_epilogue *then;
} Images;

static void rows_of_part(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from,
                         int64_t to) {
  const dtrt_epilogue *then = p[0];
  then->rows(dev, then->p, then->n, n[0] + from, n[0] + to);
}

/* Images `from` to `to`, each of which is computed alone. */
static void images(void *arg, int core, int64_t from, int64_t to) {
  const Images *t = arg;
  dtrt_slide s = *t->s;
  (void)core;
  const int64_t px = positions(&s, s.large), py = positions(&s, s.small);
  const int64_t row = from * (t->result == CONV ? py : px),
                channels = t->result == CONV ? s.out : s.in;
  char *x = t->x + from * px * s.in * 4, *y = t->y + from * py * s.out * 4;
  s.batch = to - from;
  if (!t->then) {
    convolve(t->result, &s, x, t->w, y, NULL);
    return;
  }
  dtrt_epilogue then = *t->then;
  const void *read[8];
  for (int32_t i = 0; i < then.nread; i++) read[i] = (const float *)then.read[i] + row * channels;
  then.rows = rows_of_part, then.p = (void *const[]){(void *)t->then}, then.n = &row;
  then.read = read;
  convolve(t->result, &s, x, t->w, y, &then);
}

/* Images of a part at least: parts take some microseconds, and pack the weights again. */
static int64_t least_images(const dtrt_slide *s) {
  enum { PART_FLOPS = 1000000, TIMES_PACKED = 8 };
  const double weights = (double)(positions(s, s->taps) * s->each * s->out),
               pixels = (double)positions(s, s->small);
  const double by_flops = PART_FLOPS / (2 * weights * pixels + 1),
               by_pack = TIMES_PACKED / (pixels + 1);
  return 1 + (int64_t)(by_flops > by_pack ? by_flops : by_pack);
}

/* Images whose rows are whole units of the epilogue: so many at a time. */
static int64_t images_in_units(const dtrt_epilogue *then, int64_t rows) {
  if (!then || !then->unit || !rows) return 1;
  int64_t a = then->unit, b = rows;
  while (b) {
    const int64_t rest = a % b;
    a = b, b = rest;
  }
  return then->unit / a;
}

static void rows_after(void *arg, int core, int64_t from, int64_t to) {
  const dtrt_epilogue *then = arg;
  (void)core;
  then->rows(then->dev, then->p, then->n, from, to);
}

static void deal(int result, const dtrt_slide *s, const void *x, const void *w, const void *y,
                 const dtrt_epilogue *then) {
  const int64_t rows = positions(s, result == CONV ? s->small : s->large), least = least_images(s),
                together = images_in_units(then, rows),
                grain = (least + together - 1) / together * together;
  const bool after = then && grain * crew_cores() > s->batch && grain > least;
  Images t = {result, s, (char *)x, (char *)w, (char *)y, after ? NULL : then};
  if (s->dtype != DTRT_F32 || s->batch < 2 || crew_cores() < 2 || !kernel_of_cpu()) {
    convolve(result, s, t.x, t.w, t.y, then);
    return;
  }
  crew_run(s->batch, after ? least : grain, images, &t);
  if (after) crew_run(s->batch * rows, then->unit ? then->unit : 1, rows_after, (void *)then);
}

void dtrt_conv(const dtrt_slide *s, const void *x, const void *w, void *y) {
  deal(CONV, s, x, w, y, NULL);
}
void dtrt_conv_input(const dtrt_slide *s, const void *y, const void *w, void *x) {
  deal(CONV_INPUT, s, x, w, y, NULL);
}
void dtrt_conv_weight(const dtrt_slide *s, const void *x, const void *y, void *w) {
  convolve(CONV_WEIGHT, s, (void *)x, w, (void *)y, NULL);
}
void dtrt_conv_epilogue(const dtrt_slide *s, const void *x, const void *w, void *y,
                        const dtrt_epilogue *then) {
  deal(CONV, s, x, w, y, then);
}
void dtrt_conv_input_epilogue(const dtrt_slide *s, const void *y, const void *w, void *x,
                              const dtrt_epilogue *then) {
  deal(CONV_INPUT, s, x, w, y, then);
}
