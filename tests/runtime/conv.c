/* conv.c: dtrt_conv and its gradients against loops over all points: random types, shapes, strides,
 * dilations, groups and blocks that padding surrounds or cuts into. Values are whole numbers, so
 * that sums are exact in any order. Then that several calls for parts give the bits of one, and
 * that the kernels of all CPUs with fused multiply-add do. With PORTABLE_ONLY it is the portable
 * kernels alone, without the rest of the runtime: compiled for ARM and run under emulation.
 */
#include <math.h>
#include "conv.h"
#include "gemm_half.h"
#include "harness.h"

#ifdef PORTABLE_ONLY
#include "crew.h"
#include "device.h"
int crew_cores(void) { return 1; }
void crew_run(int64_t count, int64_t grain, CrewPart *f, void *arg) {
  (void)grain;
  f(arg, 0, 0, count);
}
Device *fail_current(void) { return NULL; }
void device_fail(Device *d, const char *why, ...) {
  (void)d, (void)why;
  abort();
}
const char *dtrt_dtype_name(int32_t type) { return type == DTRT_F32 ? "f32" : "a half"; }
static ConvKernel portable(const dtrt_slide *s) {
  ConvKernel k = s->dtype == DTRT_BF16 ? conv_pairs_portable : conv_kernel_portable;
  k.transpose = gemm_kernel_portable.transpose, k.across = gemm_kernel_portable.across;
  return k;
}
/* Of sizes that are not 0. */
void dtrt_conv(const dtrt_slide *s, const void *x, const void *w, void *y) {
  const ConvKernel k = portable(s);
  if (!conv_forward(&k, s, x, w, y, NULL)) abort();
}
void dtrt_conv_input(const dtrt_slide *s, const void *y, const void *w, void *x) {
  const ConvKernel k = portable(s);
  if (!conv_to_input(&k, s, y, w, x, NULL)) abort();
}
void dtrt_conv_weight(const dtrt_slide *s, const void *x, const void *y, void *w) {
  const ConvKernel k = portable(s);
  if (!conv_to_weight(&k, s, x, y, w)) abort();
}
#endif

static int64_t volume(const dtrt_slide *s, const int64_t *size) {
  int64_t n = 1;
  for (int d = 0; d < s->n; d++) n *= size[d];
  return n;
}
static int64_t count_x(const dtrt_slide *s) { return s->batch * volume(s, s->large) * s->in; }
static int64_t count_y(const dtrt_slide *s) { return s->batch * volume(s, s->small) * s->out; }
static int64_t count_w(const dtrt_slide *s) { return volume(s, s->taps) * s->each * s->out; }

/* Row of x that position q of y and tap k meet (both flat), or -1. */
static int64_t meets(const dtrt_slide *s, int64_t q, int64_t k) {
  int64_t at[3], row = 0;
  for (int d = s->n; d-- > 0; q /= s->small[d], k /= s->taps[d]) {
    at[d] = q % s->small[d] * s->stride[d] + s->start[d] + k % s->taps[d] * s->dilation[d];
    if (at[d] < 0 || at[d] >= s->large[d]) return -1;
  }
  for (int d = 0; d < s->n; d++) row = row * s->large[d] + at[d];
  return row;
}

/* r[0] += x w into y, r[1] += y w into x, r[2] += x y into w. */
static void naive(const dtrt_slide *s, const double *x, const double *w, const double *y,
                  double *const r[3]) {
  const int64_t groups = s->in / s->each, wide = s->out / groups;
  const int64_t small = volume(s, s->small), large = volume(s, s->large), taps = volume(s, s->taps);
  for (int64_t b = 0; b < s->batch; b++)
    for (int64_t q = 0; q < small; q++)
      for (int64_t k = 0; k < taps; k++) {
        const int64_t row = meets(s, q, k);
        if (row < 0) continue;
        for (int64_t i = 0; i < s->each; i++)
          for (int64_t o = 0; o < s->out; o++) {
            const int64_t ix = (b * large + row) * s->in + o / wide * s->each + i,
                          iy = (b * small + q) * s->out + o, iw = (k * s->each + i) * s->out + o;
            r[0][iy] += x[ix] * w[iw];
            r[1][ix] += y[iy] * w[iw];
            r[2][iw] += x[ix] * y[iy];
          }
      }
}

static bool is_half(int type) { return type == DTRT_BF16 || type == DTRT_F16; }
static size_t size_of(int type) { return type == DTRT_F64 ? 8 : is_half(type) ? 2 : 4; }
static double at(int type, const void *p, int64_t i) {
  return type == DTRT_F64 ? ((const double *)p)[i] : ((const float *)p)[i];
}
static void set(int type, void *p, int64_t i, double v) {
  if (type == DTRT_F64)
    ((double *)p)[i] = v;
  else if (is_half(type))
    ((uint16_t *)p)[i] = type == DTRT_BF16 ? dtrt_f32_to_bf16((float)v) : dtrt_f32_to_f16((float)v);
  else
    ((float *)p)[i] = (float)v;
}

/* Fractions, so that each order has its own bits. */
static void *fractions(int type, int64_t n, uint64_t seed) {
  void *p = calloc((size_t)n + 1, size_of(type));
  for (int64_t i = 0; i < n; i++)
    set(type, p, i, (double)(harness_mix(seed + (uint64_t)i) % 2001) / 1000 - 1);
  return p;
}

static const char *describe(const dtrt_slide *s) {
  static char text[400];
  int n = snprintf(text, sizeof text,
                   "%s n %d batch %ld in %ld each %ld out %ld:", dtrt_dtype_name(s->dtype), s->n,
                   (long)s->batch, (long)s->in, (long)s->each, (long)s->out);
  for (int d = 0; d < s->n; d++)
    n += snprintf(text + n, sizeof text - (size_t)n, " [%ld to %ld taps %ld /%ld *%ld at %ld]",
                  (long)s->large[d], (long)s->small[d], (long)s->taps[d], (long)s->stride[d],
                  (long)s->dilation[d], (long)s->start[d]);
  return text;
}

static void one(const dtrt_slide *s, uint64_t seed) {
  const int64_t n[3] = {count_x(s), count_w(s), count_y(s)};
  const int made = s->dtype == DTRT_F64 ? DTRT_F64 : DTRT_F32;
  double *exact[3], *want[3];
  void *have[3], *out[3]; /* x, w, y */
  for (int i = 0; i < 3; i++) {
    exact[i] = calloc((size_t)n[i] + 1, 8), want[i] = calloc((size_t)n[i] + 1, 8);
    have[i] = calloc((size_t)n[i] + 1, size_of(s->dtype));
    out[i] = calloc((size_t)n[i] + 1, size_of(made));
    for (int64_t j = 0; j <= n[i]; j++) {
      exact[i][j] = (double)(harness_mix(seed + (uint64_t)(3 * j + i)) % 9) - 4;
      set(s->dtype, have[i], j, exact[i][j]), set(made, out[i], j, NAN);
    }
  }
  naive(s, exact[0], exact[1], exact[2], (double *[]){want[2], want[0], want[1]});
  dtrt_conv(s, have[0], have[1], out[2]);
  dtrt_conv_input(s, have[2], have[1], out[0]);
  dtrt_conv_weight(s, have[0], have[2], out[1]);
  static const char *const what[] = {"to input", "to weight", "forward"};
  for (int i = 0; i < 3; i++) {
    int64_t wrong = 0;
    for (int64_t j = 0; j < n[i]; j++) wrong += at(made, out[i], j) != want[i][j];
    CHECK(!wrong, "%s: %ld of %ld wrong: %s", what[i], (long)wrong, (long)n[i], describe(s));
    CHECK(isnan(at(made, out[i], n[i])), "%s: wrote beyond the end: %s", what[i], describe(s));
    free(exact[i]), free(want[i]), free(have[i]), free(out[i]);
  }
}

static int64_t pick(uint64_t *state, uint64_t n) { return (int64_t)(harness_mix(++*state) % n); }

static dtrt_slide chance(uint64_t seed) {
  static const int64_t channels[] = {1, 2, 3, 5, 8, 10, 16, 17, 32, 33, 48, 70};
  uint64_t r = seed << 8;
  static const int types[] = {DTRT_F32,  DTRT_F32, DTRT_F32, DTRT_BF16,
                              DTRT_BF16, DTRT_F16, DTRT_F64};
  dtrt_slide s = {.dtype = types[pick(&r, 7)]};
  s.n = (int)pick(&r, 3) + 1;
  const int64_t groups = pick(&r, 3) ? 1 : pick(&r, 3) + 1;
  const uint64_t few = s.n == 3 ? 6 : 12, most = s.n == 1 ? 90 : s.n == 2 ? 20 : 7;
  s.batch = pick(&r, 12) ? pick(&r, 4) + 1 : 0;
  s.each = channels[pick(&r, few)], s.in = s.each * groups;
  s.out = channels[pick(&r, few)] * groups;
  for (int d = 0; d < s.n; d++) {
    s.taps[d] = pick(&r, 5) + 1, s.stride[d] = pick(&r, 3) + 1, s.dilation[d] = pick(&r, 3) + 1;
    s.large[d] = pick(&r, 20) ? pick(&r, most) + 1 : 0;
    s.small[d] = pick(&r, 20) ? pick(&r, most) + 1 : 0;
    s.start[d] = pick(&r, 9) - 6;
  }
  if (!pick(&r, 4)) s.each = 1, s.in = s.out = channels[pick(&r, 12)]; /* of a channel a group */
  return s;
}

/* Output channels or parts of lines: in pieces they have the bits of the whole. */
static void dealt(const dtrt_slide *s) {
  const int64_t nx = count_x(s), nw = count_w(s), ny = count_y(s);
  const size_t size = size_of(s->dtype); /* of an operand */
  float *y = calloc((size_t)ny, 4), *z = calloc((size_t)ny, 4), *u = calloc((size_t)nw, 4),
        *dw = calloc((size_t)nw, 4);
  char *x = fractions(s->dtype, nx, 0), *w = fractions(s->dtype, nw, 99),
       *v = calloc((size_t)nw, size), *dy = fractions(s->dtype, ny, 7),
       *dz = calloc((size_t)ny, size);
  dtrt_conv(s, x, w, y);
  dtrt_conv_weight(s, x, dy, dw);
  dtrt_slide p = *s;
  const int64_t rows = nw / s->out, pixels = ny / s->out;
  for (int64_t o = 0, piece = 20; o < s->out; o += piece) { /* [o, o + piece) of the channels */
    const int64_t here = s->out - o < piece ? s->out - o : piece;
    p.out = here;
    for (int64_t i = 0; i < rows; i++)
      memcpy(v + i * here * (int64_t)size, w + (i * s->out + o) * (int64_t)size,
             (size_t)here * size);
    dtrt_conv(&p, x, v, z);
    int64_t wrong = 0;
    for (int64_t i = 0; i < pixels; i++)
      wrong += memcmp(z + i * here, y + i * s->out + o, (size_t)here * 4) != 0;
    CHECK(!wrong, "forward, channels from %ld: %s", (long)o, describe(s));
    for (int64_t i = 0; i < pixels; i++)
      memcpy(dz + i * here * (int64_t)size, dy + (i * s->out + o) * (int64_t)size,
             (size_t)here * size);
    dtrt_conv_weight(&p, x, dz, u);
    wrong = 0;
    for (int64_t i = 0; i < rows; i++)
      wrong += memcmp(u + i * here, dw + i * s->out + o, (size_t)here * 4) != 0;
    CHECK(!wrong, "to weight, channels from %ld: %s", (long)o, describe(s));
  }
  /* The last dim in two: lines of another length, which tiles deal otherwise. */
  p = *s;
  const int d = s->n - 1;
  const int64_t lines = pixels / s->small[d], half = s->small[d] / 3;
  p.small[d] = half;
  dtrt_conv(&p, x, w, z);
  int64_t wrong = 0;
  for (int64_t i = 0; i < lines; i++)
    wrong += memcmp(z + i * half * s->out, y + i * s->small[d] * s->out,
                    (size_t)(half * s->out) * 4) != 0;
  p.small[d] = s->small[d] - half, p.start[d] += half * s->stride[d];
  dtrt_conv(&p, x, w, z);
  for (int64_t i = 0; i < lines; i++)
    wrong += memcmp(z + i * p.small[d] * s->out, y + (i * s->small[d] + half) * s->out,
                    (size_t)(p.small[d] * s->out) * 4) != 0;
  CHECK(!wrong, "forward, lines in two: %s", describe(s));
  free(x), free(w), free(y), free(z), free(v), free(u), free(dw), free(dy), free(dz);
}

/* -------- kernels -------- */

/* The kernels for a type that this CPU can run; how many. */
static int kernels_for(int type, ConvKernel k[3]) {
  int n = 0;
#if defined(__x86_64__) && !defined(PORTABLE_ONLY)
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool pairs = type == DTRT_BF16;
  if (pairs && wide && __builtin_cpu_supports("avx512bf16")) {
    k[n] = conv_pairs_bf16;
    k[n].transpose = gemm_kernel_avx512.transpose, k[n++].across = gemm_kernel_avx512.across;
  }
  if (wide) {
    k[n] = pairs ? conv_pairs_avx512 : conv_kernel_avx512;
    k[n].transpose = gemm_kernel_avx512.transpose, k[n++].across = gemm_kernel_avx512.across;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    k[n] = pairs ? conv_pairs_avx2 : conv_kernel_avx2;
    k[n].transpose = gemm_kernel_avx2.transpose, k[n++].across = gemm_kernel_avx2.across;
  }
#else
  (void)type, (void)k;
#endif
  return n;
}

static void alike(const dtrt_slide *s, uint64_t seed) {
  static const char *const what[] = {"to input", "to weight", "forward"};
  const int64_t n[3] = {count_x(s), count_w(s), count_y(s)};
  ConvKernel k[3];
  void *have[3];
  float *first[3], *out[3];
  for (int i = 0; i < 3; i++) {
    have[i] = fractions(s->dtype, n[i], seed + (uint64_t)i * 1000003);
    first[i] = calloc((size_t)n[i] + 1, 4), out[i] = calloc((size_t)n[i] + 1, 4);
  }
  const int kernels = kernels_for(s->dtype, k);
  for (int j = 0; j < kernels; j++) {
    float **r = j ? out : first;
    CHECK(conv_forward(&k[j], s, have[0], have[1], r[2], NULL), "no memory");
    CHECK(conv_to_input(&k[j], s, have[2], have[1], r[0], NULL), "no memory");
    CHECK(conv_to_weight(&k[j], s, have[0], have[2], r[1]), "no memory");
    for (int i = 0; i < 3 && j; i++)
      CHECK(!memcmp(first[i], out[i], (size_t)n[i] * 4), "%s: kernel %d has other bits: %s",
            what[i], j, describe(s));
  }
  const char *say = getenv("DTRT_GEMM");
  if (s->dtype == DTRT_F32 && kernels && !say) { /* by products, too */
    dtrt_conv(s, have[0], have[1], out[2]);
    dtrt_conv_input(s, have[2], have[1], out[0]);
    for (int i = 0; i < 3; i += 2)
      CHECK(!memcmp(first[i], out[i], (size_t)n[i] * 4), "%s: other bits than the kernel: %s",
            what[i], describe(s));
  }
  static const int64_t nears[] = {2 << 10, 32 << 10, 512 << 10}; /* whatever L2 is */
  for (size_t j = 0; j < sizeof nears / sizeof *nears; j++) {
    k[0].near = nears[j];
    CHECK(conv_forward(&k[0], s, have[0], have[1], out[2], NULL), "no memory");
    CHECK(conv_to_input(&k[0], s, have[2], have[1], out[0], NULL), "no memory");
    CHECK(conv_to_weight(&k[0], s, have[0], have[2], out[1]), "no memory");
    for (int i = 0; i < 3; i++)
      CHECK(!memcmp(first[i], out[i], (size_t)n[i] * 4), "%s: other bits with %ld floats near: %s",
            what[i], (long)nears[j], describe(s));
  }
  for (int i = 0; i < 3; i++) free(have[i]), free(first[i]), free(out[i]);
}

/* -------- the order of AMX -------- */

#if defined(__x86_64__) && !defined(PORTABLE_ONLY)
/* Numbers of a run, added in blocks of 32: the even ones and the odd ones in sequence. */
typedef struct Amx {
  float sum, half[2];
  int n;
} Amx;
static void amx_end(Amx *a) {
  if (a->n) a->sum += a->half[0] + a->half[1];
  a->half[0] = a->half[1] = 0, a->n = 0;
}
static void amx_add(Amx *a, float x, float y) {
  a->half[a->n % 2] = fmaf(x, y, a->half[a->n % 2]);
  if (++a->n == 32) amx_end(a);
}

static float bf16_at(const void *p, int64_t i) {
  return dtrt_bf16_to_f32(((const uint16_t *)p)[i]);
}

/* x's number of channel i at row `row` of its image (no row: 0). */
static float amx_x(const dtrt_slide *s, const void *x, int64_t b, int64_t row, int64_t i) {
  return row < 0 ? 0 : bf16_at(x, (b * volume(s, s->large) + row) * s->in + i);
}

/* Of two dims: a line of taps is a run, or with groups or dilation each of its taps; channels are
 * an even number. Lines that meet nothing are left out. */
static float amx_forward(const dtrt_slide *s, const void *x, const void *w, int64_t b, int64_t q,
                         int64_t o) {
  const int64_t groups = s->in / s->each, group = o / (s->out / groups);
  const bool joined = groups == 1 && s->dilation[1] == 1;
  Amx a = {0};
  for (int64_t k0 = 0; k0 < s->taps[0]; k0++) {
    const int64_t row = q / s->small[1] * s->stride[0] + s->start[0] + k0 * s->dilation[0];
    for (int64_t k1 = 0; row >= 0 && row < s->large[0] && k1 < s->taps[1]; k1++) {
      const int64_t k = k0 * s->taps[1] + k1, at = meets(s, q, k);
      for (int64_t i = 0; i < s->each + s->each % 2; i++) {
        const bool there = i < s->each;
        amx_add(&a, there ? amx_x(s, x, b, at, group * s->each + i) : 0,
                there ? bf16_at(w, (k * s->each + i) * s->out + o) : 0);
      }
      if (!joined) amx_end(&a);
    }
    amx_end(&a);
  }
  return a.sum;
}

/* A line of pixels is a run. Fewer than 2048 pixels. */
static float amx_weight(const dtrt_slide *s, const void *x, const void *y, int64_t k, int64_t i,
                        int64_t o) {
  const int64_t groups = s->in / s->each, group = o / (s->out / groups),
                small = volume(s, s->small);
  Amx a = {0};
  for (int64_t q = 0; q < s->batch * small; q++) {
    const float dy = bf16_at(y, q * s->out + o);
    amx_add(&a, amx_x(s, x, q / small, meets(s, q % small, k), group * s->each + i), dy);
    if (q % s->small[1] == s->small[1] - 1) amx_end(&a);
  }
  return a.sum;
}

static void amx_order(uint64_t seed) {
  uint64_t r = seed << 8;
  dtrt_slide s = {.dtype = DTRT_BF16, .n = 2, .batch = pick(&r, 3) + 1, .each = pick(&r, 40) + 1};
  const int64_t groups = pick(&r, 3) ? 1 : 2;
  s.in = s.each * groups, s.out = (pick(&r, 50) + 1) * groups;
  for (int d = 0; d < 2; d++) {
    s.taps[d] = pick(&r, 4) + 1, s.stride[d] = pick(&r, 2) + 1, s.dilation[d] = pick(&r, 2) + 1;
    s.small[d] = pick(&r, d ? 40 : 6) + 1, s.large[d] = s.small[d] * s.stride[d];
    s.start[d] = -pick(&r, 3);
  }
  char *x = fractions(DTRT_BF16, count_x(&s), seed), *w = fractions(DTRT_BF16, count_w(&s), 3),
       *dy = fractions(DTRT_BF16, count_y(&s), 4);
  float *y = calloc((size_t)count_y(&s), 4), *dw = calloc((size_t)count_w(&s), 4);
  dtrt_conv(&s, x, w, y);
  dtrt_conv_weight(&s, x, dy, dw);
  int64_t wrong[2] = {0};
  const int64_t small = volume(&s, s.small);
  for (int64_t e = 0; e < count_y(&s); e++) {
    const int64_t q = e / s.out;
    wrong[0] += amx_forward(&s, x, w, q / small, q % small, e % s.out) != y[e];
  }
  for (int64_t e = 0; e < count_w(&s); e++)
    wrong[1] += amx_weight(&s, x, dy, e / s.out / s.each, e / s.out % s.each, e % s.out) != dw[e];
  CHECK(!wrong[0] && !wrong[1], "order of AMX: forward %ld of %ld, weight %ld of %ld wrong: %s",
        (long)wrong[0], (long)count_y(&s), (long)wrong[1], (long)count_w(&s), describe(&s));
  free(x), free(w), free(dy), free(y), free(dw);
}
#endif

int main(int argc, char **argv) {
#ifndef PORTABLE_ONLY
  Fixture f;
  harness_program(&f, 0, NULL, 64);
  dtrt_session *session = harness_open(&f, NULL); /* which makes OpenBLAS fit */
#endif
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 300); i++) {
    dtrt_slide s = chance((uint64_t)i);
#ifdef PORTABLE_ONLY
    if (s.dtype == DTRT_F64 || !count_x(&s) || !count_y(&s) || !count_w(&s)) continue;
#endif
    one(&s, (uint64_t)i);
    if (s.dtype != DTRT_F64 && count_x(&s) && count_y(&s) && count_w(&s) && i % 2)
      alike(&s, (uint64_t)i);
  }
  /* Too large for one tile, for one set of panels, for one chunk of pixels. */
  one(
      &(dtrt_slide){
          DTRT_F32, 2, 1, 64, 64, 64, {40, 37}, {40, 37}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      1);
  one(
      &(dtrt_slide){
          DTRT_F32, 2, 3, 160, 160, 130, {6, 5}, {6, 5}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      2);
  one(&(dtrt_slide){DTRT_F32, 1, 2, 3, 3, 40, {900}, {300}, {7}, {3}, {1}, {-2}}, 3);
  /* Pixels whole pages apart, of several and of one tap. */
  one(&(dtrt_slide){DTRT_F32, 1, 2, 512, 512, 40, {60}, {30}, {1}, {2}, {1}, {0}}, 4);
  one(
      &(dtrt_slide){
          DTRT_F32, 2, 2, 1024, 1024, 20, {3, 15}, {3, 15}, {1, 2}, {1, 1}, {1, 1}, {0, 0}},
      5);
  /* With padding that is left out: lines whole pages apart, corners of many images, windows whose
   * two ends lie in padding, edges of several pixels, volumes. */
  one(
      &(dtrt_slide){
          DTRT_F32, 2, 20, 64, 64, 64, {17, 16}, {17, 16}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      6);
  one(&(dtrt_slide){DTRT_F32, 2, 2, 40, 40, 48, {4, 18}, {4, 18}, {7, 5}, {1, 1}, {1, 2}, {-3, -4}},
      7);
  one(&(dtrt_slide){DTRT_F32, 2, 2, 96, 48, 80, {9, 23}, {7, 12}, {3, 5}, {1, 2}, {2, 3}, {-1, -5}},
      8);
  one(&(dtrt_slide){DTRT_F32,
                    3,
                    2,
                    33,
                    33,
                    35,
                    {3, 5, 9},
                    {3, 5, 9},
                    {3, 3, 3},
                    {1, 1, 1},
                    {1, 1, 1},
                    {-1, -1, -1}},
      9);
  /* Of several chunks and sets of panels. */
  alike(
      &(dtrt_slide){
          DTRT_F32, 2, 3, 64, 64, 64, {40, 37}, {40, 37}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      10);
  alike(
      &(dtrt_slide){
          DTRT_F32, 2, 3, 160, 160, 130, {6, 5}, {6, 5}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      11);
  /* Gradients to weights in sections (conv_panels.c): of lines of several blocks, of one more pixel
   * than a section, of taps far apart, of planes where some lines meet nothing; and of channels
   * that are packed. */
  static const dtrt_slide sections[] = {
      {DTRT_F32, 1, 3, 20, 20, 33, {5000}, {5000}, {3}, {1}, {1}, {-1}},
      {DTRT_F32, 1, 2, 3, 3, 24, {4200}, {2100}, {5}, {2}, {1}, {-3}},
      {DTRT_F32, 1, 2, 6, 3, 40, {2300}, {2300}, {2}, {1}, {200}, {-100}},
      {DTRT_F32, 1, 2, 17, 17, 8, {300}, {129}, {1}, {2}, {1}, {0}},
      {DTRT_F32, 2, 2, 5, 5, 17, {3, 700}, {3, 700}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      {DTRT_F32,
       3,
       2,
       4,
       4,
       8,
       {3, 25, 129},
       {3, 25, 129},
       {3, 5, 3},
       {1, 1, 1},
       {1, 9, 1},
       {-1, -18, -1}},
      {DTRT_F32,
       3,
       2,
       4,
       4,
       9,
       {3, 150, 20},
       {3, 150, 20},
       {3, 3, 3},
       {1, 1, 1},
       {1, 40, 2},
       {-1, -40, -2}},
      {DTRT_F32, 2, 3, 130, 130, 40, {9, 15}, {5, 8}, {3, 3}, {2, 2}, {1, 1}, {-1, -1}},
      {DTRT_F32, 2, 5, 128, 128, 160, {6, 6}, {6, 6}, {3, 1}, {1, 1}, {1, 1}, {-1, 0}}};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    one(&sections[i], 70 + i), alike(&sections[i], 70 + i);
  /* Taps of one position, of channels that fill no vector. */
  static const int64_t channels[][2] = {{3, 2},    {64, 1},  {65, 1}, {17, 5},
                                        {256, 33}, {257, 1}, {1, 9},  {48, 32}};
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
    const int64_t in = channels[i][0], to = channels[i][1];
    dtrt_slide s = {DTRT_F32, 2, 3, in, in, to, {5, 9}, {5, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    alike(&s, 12 + i);
    s.in = s.each = to, s.out = in;
    alike(&s, 22 + i);
    s.stride[1] = 2, s.small[1] = 5;
    alike(&s, 32 + i);
  }
  const char *say = getenv("DTRT_GEMM");
  for (int type = 0; type < 3; type++) {
    static const int types[] = {DTRT_BF16, DTRT_F16, DTRT_F32};
    if (types[type] == DTRT_F32 && say && !strcmp(say, "openblas")) continue;
    dealt(&(dtrt_slide){
        types[type], 2, 3, 24, 24, 70, {11, 23}, {11, 23}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}});
    dealt(&(dtrt_slide){
        types[type], 2, 2, 40, 40, 33, {30, 31}, {15, 16}, {5, 3}, {2, 2}, {1, 2}, {-2, -2}});
    dealt(&(dtrt_slide){
        types[type], 2, 2, 1024, 1024, 33, {2, 24}, {2, 24}, {1, 1}, {1, 1}, {1, 1}, {0, 0}});
  }
#if defined(__x86_64__) && !defined(PORTABLE_ONLY)
  for (int i = 0; i < 40 && half_kernel(DTRT_BF16)->square; i++) amx_order((uint64_t)i);
#endif
#ifndef PORTABLE_ONLY
  dtrt_close(session);
#endif
  return harness_result();
}
