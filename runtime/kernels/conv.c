/* conv.c: convolutions and their two gradients, by kernels of our own where this CPU and type have
 * them, else by matrix products. */
#include "conv.h"
#include "crew.h"
#include "device.h"
#include "gemm_half.h"
#include "gemm_kernel.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static ConvKernel kernel, pairs, squares; /* of f32, which f16 becomes; of bf16, also by AMX */
static bool has_kernel;
static void kernel_choose(void) {
  const GemmKernel *g = gemm_kernel();
  has_kernel = g;
  if (!g) g = &gemm_kernel_portable; /* OpenBLAS has no halves */
  kernel = conv_kernel_portable, pairs = conv_pairs_portable;
#if defined(DTRT_X86_KERNELS)
  if (g == &gemm_kernel_avx512) kernel = conv_kernel_avx512, pairs = conv_pairs_avx512;
  if (g == &gemm_kernel_avx2) kernel = conv_kernel_avx2, pairs = conv_pairs_avx2;
  /* Whether the CPU multiplies pairs; products may do without (gemm_half.c). */
  if (half_kernel(DTRT_BF16)->dots == half_kernel_bf16.dots) pairs = conv_pairs_bf16;
  squares = conv_kernel_amx();
#endif
  kernel.transpose = pairs.transpose = squares.transpose = g->transpose;
  kernel.across = pairs.across = squares.across = g->across;
  float *room;
  kernel.near = pairs.near = squares.near = gemm_setup(&room)->all_floats;
}

/* NULL: there is none for f64, or DTRT_GEMM in the environment wants none of f32. */
static const ConvKernel *kernel_for(int32_t dtype) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, kernel_choose);
  if (dtype == DTRT_F64 || (dtype == DTRT_F32 && !has_kernel)) return NULL;
  if (dtype == DTRT_BF16 && half_kernel(dtype)->square) return &squares;
  return dtype == DTRT_BF16 ? &pairs : &kernel;
}

/* -------- the three calls -------- */

static int64_t positions(const dtrt_slide *s, const int64_t size[3]) {
  int64_t n = 1;
  for (int d = 0; d < s->n; d++) n *= size[d];
  return n;
}

/* Each position of the result meets one of what is read, and so does each of that. */
static bool meets_one(const dtrt_slide *s) {
  for (int d = 0; d < s->n; d++)
    if (s->taps[d] != 1 || s->stride[d] != 1 || s->start[d] != 0 || s->large[d] != s->small[d])
      return false;
  return s->each == s->in;
}

/* A convolution with taps of one position is a product, positions by channels, whose sums are in
 * the same order as long as a product has one part. Kernels of convolutions have channels of the
 * result in vectors, which few do not fill; those of products then have rows there. False: not
 * done. */
static bool by_product(const ConvKernel *kernel, int result, const dtrt_slide *s, const float *x,
                       const float *w, const float *y, const dtrt_epilogue *epilogue) {
  enum { SEQUENCE = 64 }; /* of more numbers one column has sums of its own */
  const int64_t vector = kernel->columns / 2, n = result == CONV ? s->out : s->in,
                k = result == CONV ? s->in : s->out, m = s->batch * positions(s, s->small);
  if (s->dtype != DTRT_F32 || result == CONV_WEIGHT || !meets_one(s)) return false;
  if (n % vector == 0 || k > DTRT_GEMM_DEPTH) return false;
  const bool back = result == CONV_INPUT;
  const float *from = back ? y : x;
  float *to = (float *)(back ? x : y);
  if (n == 1 && k > SEQUENCE)
    return gemm_blocked(m, n, k, from, k, 1, w, back ? 1 : n, back ? k : 1, to, n, false, epilogue);
  if (epilogue)
    dtrt_gemm_epilogue(0, back, m, n, k, from, k, w, back ? k : n, to, epilogue);
  else
    dtrt_gemm(DTRT_F32, 0, back, m, n, k, from, k, w, back ? k : n, to, n, 0);
  return true;
}

/* The same of longer lines, as positions lie side by side on both sides: in lines of 7, tiles have
 * 4 rows and 3, which keep multiplying less busy than 6. */
static dtrt_slide in_long_lines(const dtrt_slide *s) {
  enum { LONG = 128 };
  const int64_t line = s->small[s->n - 1], lines = s->batch * positions(s, s->small) / line;
  int64_t together = LONG / line;
  if (together < 1) together = 1;
  while (lines % together) together--;
  dtrt_slide flat = *s;
  flat.n = 1, flat.batch = lines / together;
  flat.large[0] = flat.small[0] = together * line;
  flat.taps[0] = flat.stride[0] = flat.dilation[0] = 1, flat.start[0] = 0;
  return flat;
}

/* False: not done. */
static bool by_kernel(int result, const dtrt_slide *s, void *x, void *w, void *y,
                      const dtrt_epilogue *epilogue) {
  const ConvKernel *k = kernel_for(s->dtype);
  if (!k) return false;
  if (by_product(k, result, s, x, w, y, epilogue)) return true;
  dtrt_slide flat;
  if (k->panels && result != CONV_WEIGHT && s->n > 0 && meets_one(s))
    flat = in_long_lines(s), s = &flat;
  if (k->begin) k->begin();
  const bool done = result == CONV         ? conv_forward(k, s, x, w, y, epilogue)
                    : result == CONV_INPUT ? conv_to_input(k, s, y, w, x, epilogue)
                                           : conv_to_weight(k, s, x, y, w);
  if (k->end) k->end();
  Device *d = fail_current();
  if (!done && s->dtype != DTRT_F32 && d) device_fail(d, "out of memory for a convolution");
  return done || s->dtype != DTRT_F32;
}

static void convolve(int result, const dtrt_slide *s, void *x, void *w, void *y,
                     const dtrt_epilogue *epilogue) {
  const int64_t bytes = s->dtype == DTRT_F64 ? 8 : 4;
  const int64_t px = s->batch * positions(s, s->large), py = s->batch * positions(s, s->small);
  const int64_t nx = px * s->in, ny = py * s->out, nw = positions(s, s->taps) * s->each * s->out;
  if (!(result == CONV ? ny : result == CONV_INPUT ? nx : nw)) return;
  if (!nx || !ny || !nw) { /* a sum of nothing */
    if (result == CONV) memset(y, 0, (size_t)(ny * bytes));
    if (result == CONV_INPUT) memset(x, 0, (size_t)(nx * bytes));
    if (result == CONV_WEIGHT) memset(w, 0, (size_t)(nw * bytes));
  } else {
    if (by_kernel(result, s, x, w, y, epilogue)) return;
    conv_by_lines(result, s, x, w, y);
  }
  if (epilogue)
    epilogue->rows(epilogue->dev, epilogue->p, epilogue->n, 0, result == CONV ? py : px);
}

/* -------- images dealt to cores -------- */

typedef struct Images {
  int result;
  const dtrt_slide *s;
  char *x, *w, *y;
  const dtrt_epilogue *epilogue;
} Images;

static void rows_of_part(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from,
                         int64_t to) {
  const dtrt_epilogue *epilogue = p[0];
  epilogue->rows(dev, epilogue->p, epilogue->n, n[0] + from, n[0] + to);
}

/* Images `from` to `to`, each of which is computed alone. */
static void images(void *arg, int core, int64_t from, int64_t to) {
  const Images *t = arg;
  dtrt_slide s = *t->s;
  (void)core;
  const int64_t px = positions(&s, s.large), py = positions(&s, s.small);
  const int64_t row = from * (t->result == CONV ? py : px),
                channels = t->result == CONV ? s.out : s.in;
  const int64_t read_bytes = s.dtype == DTRT_F32 ? 4 : 2;
  char *x = t->x + from * px * s.in * (t->result == CONV ? read_bytes : 4),
       *y = t->y + from * py * s.out * (t->result == CONV ? 4 : read_bytes);
  s.batch = to - from;
  if (!t->epilogue) {
    convolve(t->result, &s, x, t->w, y, NULL);
    return;
  }
  dtrt_epilogue epilogue = *t->epilogue;
  const void *read[8];
  for (int32_t i = 0; i < epilogue.nread; i++)
    read[i] = (const float *)epilogue.read[i] + row * channels;
  epilogue.rows = rows_of_part, epilogue.p = (void *const[]){(void *)t->epilogue},
  epilogue.n = &row;
  epilogue.read = read;
  convolve(t->result, &s, x, t->w, y, &epilogue);
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
static int64_t images_in_units(const dtrt_epilogue *epilogue, int64_t rows) {
  if (!epilogue || !epilogue->unit || !rows) return 1;
  int64_t a = epilogue->unit, b = rows;
  while (b) {
    const int64_t rest = a % b;
    a = b, b = rest;
  }
  return epilogue->unit / a;
}

static void rows_after(void *arg, int core, int64_t from, int64_t to) {
  const dtrt_epilogue *epilogue = arg;
  (void)core;
  epilogue->rows(epilogue->dev, epilogue->p, epilogue->n, from, to);
}

static void deal(int result, const dtrt_slide *s, const void *x, const void *w, const void *y,
                 const dtrt_epilogue *epilogue) {
  const int64_t rows = positions(s, result == CONV ? s->small : s->large), least = least_images(s),
                together = images_in_units(epilogue, rows),
                grain = (least + together - 1) / together * together;
  const bool after = epilogue && grain * crew_cores() > s->batch && grain > least;
  Images t = {result, s, (char *)x, (char *)w, (char *)y, after ? NULL : epilogue};
  if (s->batch < 2 || crew_cores() < 2 || !kernel_for(s->dtype)) {
    convolve(result, s, t.x, t.w, t.y, epilogue);
    return;
  }
  crew_run(s->batch, after ? least : grain, images, &t);
  if (after)
    crew_run(s->batch * rows, epilogue->unit ? epilogue->unit : 1, rows_after, (void *)epilogue);
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
                        const dtrt_epilogue *epilogue) {
  deal(CONV, s, x, w, y, epilogue);
}
void dtrt_conv_input_epilogue(const dtrt_slide *s, const void *y, const void *w, void *x,
                              const dtrt_epilogue *epilogue) {
  deal(CONV_INPUT, s, x, w, y, epilogue);
}
