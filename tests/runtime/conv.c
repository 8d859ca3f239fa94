/* conv.c: dtrt_conv and its gradients against loops over all points: random shapes, strides,
 * dilations, groups and blocks that padding surrounds or cuts into. Values are whole numbers, so
 * that sums are exact in any order. Then that several calls for parts give the bits of one.
 */
#include <math.h>
#include "harness.h"

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
    at[d] = q % s->small[d] * s->stride[d] + s->at[d] + k % s->taps[d] * s->dilation[d];
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

static double at(int type, const void *p, int64_t i) {
  return type == DTRT_F64 ? ((const double *)p)[i] : ((const float *)p)[i];
}

static const char *describe(const dtrt_slide *s) {
  static char text[400];
  int n = snprintf(text, sizeof text,
                   "%s n %d batch %ld in %ld each %ld out %ld:", dtrt_dtype_name(s->dtype), s->n,
                   (long)s->batch, (long)s->in, (long)s->each, (long)s->out);
  for (int d = 0; d < s->n; d++)
    n += snprintf(text + n, sizeof text - (size_t)n, " [%ld to %ld taps %ld /%ld *%ld at %ld]",
                  (long)s->large[d], (long)s->small[d], (long)s->taps[d], (long)s->stride[d],
                  (long)s->dilation[d], (long)s->at[d]);
  return text;
}

static void one(const dtrt_slide *s, uint64_t seed) {
  const int64_t n[3] = {count_x(s), count_w(s), count_y(s)};
  const size_t size = s->dtype == DTRT_F64 ? 8 : 4;
  double *exact[3], *want[3];
  void *have[3], *out[3]; /* x, w, y */
  for (int i = 0; i < 3; i++) {
    exact[i] = calloc((size_t)n[i] + 1, 8), want[i] = calloc((size_t)n[i] + 1, 8);
    have[i] = calloc((size_t)n[i] + 1, size), out[i] = calloc((size_t)n[i] + 1, size);
    for (int64_t j = 0; j <= n[i]; j++) {
      exact[i][j] = (double)(harness_mix(seed + (uint64_t)(3 * j + i)) % 9) - 4;
      if (s->dtype == DTRT_F64)
        ((double *)have[i])[j] = exact[i][j], ((double *)out[i])[j] = NAN;
      else
        ((float *)have[i])[j] = (float)exact[i][j], ((float *)out[i])[j] = NAN;
    }
  }
  naive(s, exact[0], exact[1], exact[2], (double *[]){want[2], want[0], want[1]});
  dtrt_conv(s, have[0], have[1], out[2]);
  dtrt_conv_input(s, have[2], have[1], out[0]);
  dtrt_conv_weight(s, have[0], have[2], out[1]);
  static const char *const what[] = {"to input", "to weight", "forward"};
  for (int i = 0; i < 3; i++) {
    int64_t wrong = 0;
    for (int64_t j = 0; j < n[i]; j++) wrong += at(s->dtype, out[i], j) != want[i][j];
    CHECK(!wrong, "%s: %ld of %ld wrong: %s", what[i], (long)wrong, (long)n[i], describe(s));
    CHECK(isnan(at(s->dtype, out[i], n[i])), "%s: wrote beyond the end: %s", what[i], describe(s));
    free(exact[i]), free(want[i]), free(have[i]), free(out[i]);
  }
}

static int64_t pick(uint64_t *state, uint64_t n) { return (int64_t)(harness_mix(++*state) % n); }

static dtrt_slide chance(uint64_t seed) {
  static const int64_t channels[] = {1, 2, 3, 5, 8, 10, 16, 17, 32, 33, 48, 70};
  uint64_t r = seed << 8;
  dtrt_slide s = {.dtype = pick(&r, 4) ? DTRT_F32 : DTRT_F64};
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
    s.at[d] = pick(&r, 9) - 6;
  }
  return s;
}

/* Output channels or parts of lines: in pieces they have the bits of the whole. */
static void dealt(const dtrt_slide *s) {
  const int64_t nx = count_x(s), nw = count_w(s), ny = count_y(s);
  float *x = calloc((size_t)nx, 4), *w = calloc((size_t)nw, 4), *y = calloc((size_t)ny, 4),
        *z = calloc((size_t)ny, 4), *v = calloc((size_t)nw, 4), *u = calloc((size_t)nw, 4),
        *dw = calloc((size_t)nw, 4), *dv = calloc((size_t)nw, 4);
  for (int64_t i = 0; i < nx; i++) x[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
  for (int64_t i = 0; i < nw; i++) w[i] = (float)harness_mix((uint64_t)i + 99) / 1e19f - 0.9f;
  dtrt_conv(s, x, w, y);
  dtrt_conv_weight(s, x, y, dw);
  dtrt_slide p = *s;
  const int64_t rows = nw / s->out, pixels = ny / s->out;
  for (int64_t o = 0, piece = 20; o < s->out; o += piece) { /* [o, o + piece) of the channels */
    const int64_t here = s->out - o < piece ? s->out - o : piece;
    p.out = here;
    for (int64_t i = 0; i < rows; i++) memcpy(v + i * here, w + i * s->out + o, (size_t)here * 4);
    dtrt_conv(&p, x, v, z);
    int64_t wrong = 0;
    for (int64_t i = 0; i < pixels; i++)
      wrong += memcmp(z + i * here, y + i * s->out + o, (size_t)here * 4) != 0;
    CHECK(!wrong, "forward, channels from %ld: %s", (long)o, describe(s));
    for (int64_t i = 0; i < pixels; i++) memcpy(z + i * here, y + i * s->out + o, (size_t)here * 4);
    dtrt_conv_weight(&p, x, z, u);
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
  p.small[d] = s->small[d] - half, p.at[d] += half * s->stride[d];
  dtrt_conv(&p, x, w, z);
  for (int64_t i = 0; i < lines; i++)
    wrong += memcmp(z + i * p.small[d] * s->out, y + (i * s->small[d] + half) * s->out,
                    (size_t)(p.small[d] * s->out) * 4) != 0;
  CHECK(!wrong, "forward, lines in two: %s", describe(s));
  free(x), free(w), free(y), free(z), free(v), free(u), free(dw), free(dv);
}

int main(int argc, char **argv) {
  Fixture f;
  harness_program(&f, 0, NULL, 64);
  dtrt_session *session = harness_open(&f, NULL); /* which makes OpenBLAS fit */
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 300); i++) {
    dtrt_slide s = chance((uint64_t)i);
    one(&s, (uint64_t)i);
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
  const char *say = getenv("DTRT_GEMM");
  if (!say || strcmp(say, "openblas")) {
    dealt(&(dtrt_slide){
        DTRT_F32, 2, 3, 24, 24, 70, {11, 23}, {11, 23}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}});
    dealt(&(dtrt_slide){
        DTRT_F32, 2, 2, 40, 40, 33, {30, 31}, {15, 16}, {5, 3}, {2, 2}, {1, 2}, {-2, -2}});
  }
  dtrt_close(session);
  return harness_result();
}
