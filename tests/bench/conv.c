/* conv.c: a convolution and its two gradients, compiled for one device and written by hand as
 * im2col and OpenBLAS, by turns in one run. GFLOP/s: 2 x batch x space x taps x in x out a call
 * (padding counts as work).
 *
 *   conv [SECONDS]   of each side and pass; default 0.5
 *
 * Before anything is timed both sides are compared with loops in f64, at some hundred elements of
 * each result; if they differ by more than 1e-5 of the sum of what is added, the program fails. */
#include <cblas.h>
#include <dtgc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FORWARD, INPUT, WEIGHT, PASSES, MOST_TIMES = 4096, SAMPLES = 400 };
static const char *const pass_name[] = {"forward", "input", "weight"};

typedef struct Case {
  int batch, size, in, taps, stride, out;
} Case;

typedef struct Sides {
  const Case *c;
  int small, before; /* size of y; padding before x */
  size_t nx, nw, ny;
  float *x, *w, *dy, *y, *dx, *dw; /* of the side by hand */
  float *col;                      /* [images at once * small * small][taps][taps][in] */
  int images;
  dtgc_program *dtg;
} Sides;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *why) {
  fprintf(stderr, "conv: %s\n", why);
  exit(1);
}

static float *floats(size_t n) {
  float *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64);
  if (!p) fail("there is no memory left");
  memset(p, 0, n * sizeof *p);
  return p;
}

static const char model[] =
    "layer convolution() {\n"
    "  param x: f32[B, S, S, I] = normal([B, S, S, I])\n"
    "  param w: f32[K, K, I, O] = normal([K, K, I, O])\n"
    "  state dy: f32[B, S // T, S // T, O] = normal([B, S // T, S // T, O])\n"
    "  state y: f32[B, S // T, S // T, O] = zeros()\n"
    "  state dx: f32[B, S, S, I] = zeros()\n"
    "  state dw: f32[K, K, I, O] = zeros()\n"
    "  forward() { y <- conv(x, w, stride=T) }\n"
    "  input() { dx <- grad(sum(conv(x, w, stride=T) * dy), x) }\n"
    "  weight() { dw <- grad(sum(conv(x, w, stride=T) * dy), w) }\n"
    "}\n"
    "c = convolution()\n"
    "entry forward() { c.forward() }\n"
    "entry input() { c.input() }\n"
    "entry weight() { c.weight() }\n";

/* -------- by hand -------- */

/* Images b.. of x as a row of taps for each pixel, or (back) the rows added to dx. */
static void columns(const Sides *s, int b, int images, float *x, bool back) {
  const Case *c = s->c;
  const size_t in = (size_t)c->in;
  float *to = s->col;
  for (int i = 0; i < images; i++)
    for (int q = 0; q < s->small; q++)
      for (int r = 0; r < s->small; r++)
        for (int k = 0; k < c->taps; k++)
          for (int l = 0; l < c->taps; l++, to += in) {
            const int p = q * c->stride + k - s->before, o = r * c->stride + l - s->before;
            const bool there = p >= 0 && p < c->size && o >= 0 && o < c->size;
            float *at = x + ((size_t)((b + i) * c->size + p) * (size_t)c->size + (size_t)o) * in;
            if (!there && !back) memset(to, 0, in * sizeof *to);
            if (there && !back) memcpy(to, at, in * sizeof *to);
            if (there && back)
              for (size_t j = 0; j < in; j++) at[j] += to[j];
          }
}

static void by_hand(const Sides *s, int pass) {
  const Case *c = s->c;
  const int k = c->taps * c->taps * c->in, out = c->out, pixels = s->small * s->small;
  if (pass == INPUT) memset(s->dx, 0, s->nx * sizeof *s->dx);
  for (int b = 0; b < c->batch; b += s->images) {
    const int images = c->batch - b < s->images ? c->batch - b : s->images, m = images * pixels;
    const size_t at = (size_t)b * (size_t)pixels * (size_t)out;
    if (pass != INPUT) columns(s, b, images, s->x, false);
    if (pass == FORWARD)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, out, k, 1, s->col, k, s->w, out, 0,
                  s->y + at, out);
    else if (pass == WEIGHT)
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, out, m, 1, s->col, k, s->dy + at, out,
                  b ? 1 : 0, s->dw, out);
    else
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, k, out, 1, s->dy + at, out, s->w, out,
                  0, s->col, k);
    if (pass == INPUT) columns(s, b, images, s->dx, true);
  }
}

/* -------- one side or the other, and whether they are right -------- */

static void call(const Sides *s, int pass, int side) {
  if (side)
    by_hand(s, pass);
  else if (dtgc_run(s->dtg, pass_name[pass], NULL, 0, NULL, 0))
    fail(dtgc_error(s->dtg));
}

/* Element i of a result in f64; *size: the sum of its terms' absolute values. */
static double exact(const Sides *s, int pass, size_t i, double *size) {
  const Case *c = s->c;
  const size_t in = (size_t)c->in, out = (size_t)c->out, taps = (size_t)c->taps,
               n = (size_t)s->small, m = (size_t)c->size;
  double sum = *size = 0;
  /* The points of the sum: image b, position q, r of y, tap k, l, channels o and j. Those that the
   * element fixes are ranges of one. */
  size_t from[7] = {0}, to[7] = {(size_t)c->batch, n, n, taps, taps, out, in};
  size_t p = 0, t = 0;
#define FIX(d, v) (from[d] = (v), to[d] = from[d] + 1)
  if (pass == FORWARD)
    FIX(5, i % out), i /= out, FIX(2, i % n), i /= n, FIX(1, i % n), FIX(0, i / n);
  else if (pass == WEIGHT)
    FIX(5, i % out), i /= out, FIX(6, i % in), i /= in, FIX(4, i % taps), FIX(3, i / taps);
  else
    FIX(6, i % in), i /= in, t = i % m, i /= m, p = i % m, FIX(0, i / m);
#undef FIX
  for (size_t b = from[0]; b < to[0]; b++)
    for (size_t q = from[1]; q < to[1]; q++)
      for (size_t k = from[3]; k < to[3]; k++) {
        const size_t row = q * (size_t)c->stride + k - (size_t)s->before;
        if (row >= m || (pass == INPUT && row != p)) continue;
        for (size_t r = from[2]; r < to[2]; r++)
          for (size_t l = from[4]; l < to[4]; l++) {
            const size_t column = r * (size_t)c->stride + l - (size_t)s->before;
            if (column >= m || (pass == INPUT && column != t)) continue;
            for (size_t o = from[5]; o < to[5]; o++)
              for (size_t j = from[6]; j < to[6]; j++) {
                const double x = s->x[((b * m + row) * m + column) * in + j],
                             y = s->dy[((b * n + q) * n + r) * out + o],
                             w = s->w[((k * taps + l) * in + j) * out + o];
                const double term = pass == FORWARD ? x * w : pass == INPUT ? y * w : x * y;
                sum += term, *size += fabs(term);
              }
          }
      }
  return sum;
}

static void check(const Sides *s, int pass) {
  static const char *const name[] = {"c.y", "c.dx", "c.dw"};
  const size_t n = pass == FORWARD ? s->ny : pass == INPUT ? s->nx : s->nw;
  const float *hand = pass == FORWARD ? s->y : pass == INPUT ? s->dx : s->dw;
  float *dtg = floats(n);
  call(s, pass, 0), call(s, pass, 1);
  if (dtgc_get(s->dtg, name[pass], dtg, n * sizeof *dtg)) fail(dtgc_error(s->dtg));
  for (size_t i = 0; i < SAMPLES; i++) {
    const size_t at = i < 50 ? i % n : i < 100 ? n - 1 - (i - 50) % n : i * 2654435761u % n;
    double size, want = exact(s, pass, at, &size);
    if (!(fabs(dtg[at] - want) <= 1e-5 * size) || !(fabs(hand[at] - want) <= 1e-5 * size)) {
      fprintf(stderr, "conv: %s, element %zu: dtg %g, by hand %g, exact %g\n", pass_name[pass], at,
              (double)dtg[at], (double)hand[at], want);
      exit(1);
    }
  }
  free(dtg);
}

/* -------- timing -------- */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const Sides *s, int pass, double seconds) {
  static double times[2][MOST_TIMES];
  int n = 0;
  for (double begin = now(); n < MOST_TIMES && (n < 5 || now() - begin < 2 * seconds); n++)
    for (int side = 0; side < 2; side++) {
      const double t = now();
      call(s, pass, side);
      times[side][n] = now() - t;
    }
  const Case *c = s->c;
  const double flops = 2e-9 * c->batch * s->small * s->small * c->taps * c->taps * c->in * c->out;
  double median[2];
  printf("  %-8s", pass_name[pass]);
  for (int side = 0; side < 2; side++) {
    qsort(times[side], (size_t)n, sizeof **times, ascending);
    median[side] = times[side][n / 2];
    printf("%11.1f%8.1f", flops / times[side][0], flops / median[side]);
  }
  printf("%11.2f\n", median[0] / median[1]);
  fflush(stdout);
}

static void run(const Case *c, double seconds) {
  char text[4096];
  snprintf(text, sizeof text,
           "const B = %d\nconst S = %d\nconst I = %d\nconst O = %d\nconst K = %d\nconst T = %d\n%s",
           c->batch, c->size, c->in, c->out, c->taps, c->stride, model);
  Sides s = {.c = c, .small = c->size / c->stride};
  const int over = (s.small - 1) * c->stride + c->taps - c->size;
  s.before = over > 0 ? over / 2 : 0;
  const int pixels = s.small * s.small, k = c->taps * c->taps * c->in;
  s.nx = (size_t)(c->batch * c->size * c->size) * (size_t)c->in;
  s.ny = (size_t)(c->batch * pixels) * (size_t)c->out, s.nw = (size_t)k * (size_t)c->out;
  s.images = pixels < 784 ? 784 / pixels : 1; /* enough rows for OpenBLAS, and what L2 can hold */
  s.x = floats(s.nx), s.dx = floats(s.nx), s.w = floats(s.nw), s.dw = floats(s.nw);
  s.y = floats(s.ny), s.dy = floats(s.ny);
  s.col = floats((size_t)(s.images * pixels) * (size_t)k);
  const dtgc_options o = {0};
  if (dtgc_compile_string("conv.dtg", text, &o, &s.dtg) || dtgc_start(s.dtg) ||
      dtgc_get(s.dtg, "c.x", s.x, s.nx * sizeof *s.x) ||
      dtgc_get(s.dtg, "c.w", s.w, s.nw * sizeof *s.w) ||
      dtgc_get(s.dtg, "c.dy", s.dy, s.ny * sizeof *s.dy))
    fail(dtgc_error(s.dtg));
  printf("%d x %d x %d x %d, %d x %d, stride %d, to %d\n", c->batch, c->size, c->size, c->in,
         c->taps, c->taps, c->stride, c->out);
  for (int pass = 0; pass < PASSES; pass++) {
    check(&s, pass);
    measure(&s, pass, seconds);
  }
  free(s.x), free(s.dx), free(s.w), free(s.dw), free(s.y), free(s.dy), free(s.col);
  dtgc_free(s.dtg);
}

int main(int argc, char **argv) {
  /* The goal's; the layers of samples/cifar10, first to last; others; those of ResNet-20, few
   * channels, a first layer, 1x1. */
  static const Case cases[] = {
      {32, 28, 32, 3, 1, 32},  {128, 32, 3, 3, 1, 32},  {128, 32, 32, 3, 1, 32},
      {128, 16, 32, 3, 1, 64}, {128, 16, 64, 3, 1, 64}, {128, 8, 64, 3, 1, 128},
      {32, 28, 32, 1, 1, 32},  {32, 28, 32, 5, 1, 32},  {32, 28, 32, 3, 2, 32},
      {8, 14, 256, 3, 1, 256}, {64, 4, 64, 3, 1, 128},  {32, 28, 10, 3, 1, 10},
      {128, 32, 3, 3, 1, 16},  {128, 32, 16, 3, 1, 16}, {128, 32, 16, 3, 2, 32},
      {128, 32, 8, 3, 1, 8},   {8, 224, 3, 7, 2, 64},   {64, 32, 16, 1, 1, 16}};
  printf("GFLOP/s       dtg max  median  by hand  median  ratio of times\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run(&cases[i], argc > 1 ? atof(argv[1]) : 0.5);
  return 0;
}
