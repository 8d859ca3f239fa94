/* cores.c: products and convolutions have the same bits on any number of cores, epilogues too, and
 * large ones are dealt: in parts whose sizes the cost of packing decides. */
#include <math.h>
#include "cpus.h"
#include "gemm_cores.h"
#include "gemm_kernel.h"
#include "harness.h"

enum { MOST = 3 << 20, RESULTS = 160 };
static float *a, *b, *c, *base;
static uint16_t *short_a, *short_b; /* a and b in bf16 */
static uint64_t found[RESULTS], expected[RESULTS];
static int results;

static uint64_t hash(const float *x, int64_t n) {
  uint64_t h = 1;
  for (int64_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    h = (h ^ bits) * 0x100000001b3u;
  }
  return h;
}

static void keep(int64_t n) {
  CHECK(results < RESULTS && n <= MOST, "the test is too small: %d", results);
  found[results++] = hash(c, n);
}

/* Each row once, with what its number says. */
static void epilogue(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  float *x = p[0];
  (void)dev;
  for (int64_t i = from; i < to; i++)
    for (int64_t j = 0; j < n[0]; j++)
      x[i * n[0] + j] = x[i * n[0] + j] * 0.5f + (float)i + ((const float *)p[1])[i * n[0] + j];
}

/* Adds rows up, each after those before. */
static void ordered(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  float *sum = p[1];
  (void)dev;
  CHECK((int64_t)sum[n[0]] == from, "row %ld comes after row %g", (long)from, (double)sum[n[0]]);
  for (int64_t i = from; i < to; i++)
    for (int64_t j = 0; j < n[0]; j++) sum[j] += ((float *)p[0])[i * n[0] + j];
  sum[n[0]] = (float)to;
}

/* Adds rows up within units of n[1]: those of a unit each after those before, whichever is first.
 */
static void in_units(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  (void)dev;
  for (int64_t i = from; i < to; i++) {
    const int64_t unit = i / n[1], own = i - unit * n[1];
    float *sum = (float *)p[1] + unit * (n[0] + 1);
    CHECK((int64_t)sum[n[0]] == own, "row %ld of a unit comes after row %g", (long)own,
          (double)sum[n[0]]);
    for (int64_t j = 0; j < n[0]; j++) sum[j] += ((float *)p[0])[i * n[0] + j];
    sum[n[0]]++;
  }
}

/* The room of their sums, zeroed. */
static float *unit_sums(float *at, int64_t rows, int64_t n, int64_t unit) {
  memset(at, 0, (size_t)((rows + unit - 1) / unit * (n + 1)) * 4);
  return at;
}

static void product(dtrt_device *dev, int64_t m, int64_t n, int64_t k) {
  for (int t = 0; t < 4; t++) {
    const int ta = t & 1, tb = t >> 1;
    memcpy(c, base, (size_t)(m * n) * 4);
    dtrt_gemm(DTRT_F32, ta, tb, m, n, k, a, ta ? m : k, b, tb ? k : n, c, n, t == 1);
    keep(m * n);
  }
  const dtrt_epilogue then = {
      epilogue, dev, (void *const[]){c, base}, (const int64_t[]){n}, 1, (const void *const[]){base},
      0};
  dtrt_gemm_epilogue(0, 0, m, n, k, a, k, b, n, c, &then);
  keep(m * n);
  float *sum = c + m * n;
  memset(sum, 0, (size_t)(n + 1) * 4);
  const dtrt_epilogue in_order = {
      .rows = ordered, .dev = dev, .p = (void *const[]){c, sum}, .n = &n, .unit = DTRT_FAR};
  dtrt_gemm_epilogue(0, 0, m, n, k, a, k, b, n, c, &in_order);
  keep(m * n + n);
  for (int64_t unit = 32; unit <= 128; unit *= 4) {
    const dtrt_epilogue then = {.rows = in_units,
                                .dev = dev,
                                .p = (void *const[]){c, unit_sums(sum, m, n, unit)},
                                .n = (const int64_t[]){n, unit},
                                .unit = unit};
    dtrt_gemm_epilogue(0, 0, m, n, k, a, k, b, n, c, &then);
    keep(m * n + (m + unit - 1) / unit * (n + 1));
  }
}

static void products(dtrt_device *dev) {
  static const int64_t sizes[][3] = {
      {256, 700, 300},  {1500, 48, 64}, {2, 3000, 500}, {3000, 3, 500}, {97, 101, 2500},
      {333, 257, 4200}, {64, 64, 64},   {1, 900, 900},  {900, 1, 900},  {31, 4096, 128},
      {1, 4097, 700},   {4097, 1, 700}, {1, 300, 6000}, {300, 1, 6000}, {8193, 1, 40}};
  results = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    product(dev, sizes[i][0], sizes[i][1], sizes[i][2]);
}

static void convolution(dtrt_device *dev, const dtrt_slide *s, const void *a, const void *b) {
  int64_t px = s->batch, py = s->batch, nw = s->each * s->out;
  for (int d = 0; d < s->n; d++) px *= s->large[d], py *= s->small[d], nw *= s->taps[d];
  CHECK(px * s->in <= MOST && py * s->out <= MOST && nw <= MOST, "the test is too small: %d",
        results);
  dtrt_conv(s, a, b, c);
  keep(py * s->out);
  dtrt_conv_input(s, a, b, c);
  keep(px * s->in);
  dtrt_conv_weight(s, a, b, c);
  keep(nw);
  const dtrt_epilogue then = {epilogue,
                              dev,
                              (void *const[]){c, base},
                              (const int64_t[]){s->out},
                              1,
                              (const void *const[]){base},
                              0};
  dtrt_conv_epilogue(s, a, b, c, &then);
  keep(py * s->out);
  const dtrt_epilogue back = {epilogue,
                              dev,
                              (void *const[]){c, base},
                              (const int64_t[]){s->in},
                              1,
                              (const void *const[]){base},
                              0};
  dtrt_conv_input_epilogue(s, a, b, c, &back);
  keep(px * s->in);
  float *sum = c + py * s->out;
  memset(sum, 0, (size_t)(s->out + 1) * 4);
  const dtrt_epilogue in_order = {
      .rows = ordered, .dev = dev, .p = (void *const[]){c, sum}, .n = &s->out, .unit = DTRT_FAR};
  dtrt_conv_epilogue(s, a, b, c, &in_order);
  keep((py + 1) * s->out);
  for (int64_t unit = 32; unit <= 2048; unit *= 8) {
    const dtrt_epilogue then = {.rows = in_units,
                                .dev = dev,
                                .p = (void *const[]){c, unit_sums(sum, py, s->out, unit)},
                                .n = (const int64_t[]){s->out, unit},
                                .unit = unit};
    dtrt_conv_epilogue(s, a, b, c, &then);
    keep(py * s->out + (py + unit - 1) / unit * (s->out + 1));
  }
}

static void convolutions(dtrt_device *dev) {
  static const dtrt_slide slides[] = {
      {DTRT_F32, 2, 32, 3, 3, 16, {32, 32}, {32, 32}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      {DTRT_F32, 2, 40, 16, 16, 16, {16, 16}, {16, 16}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      {DTRT_F32, 2, 11, 20, 20, 40, {31, 30}, {16, 15}, {3, 3}, {2, 2}, {1, 1}, {-1, -1}},
      {DTRT_F32, 2, 2, 64, 64, 64, {40, 37}, {40, 37}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      {DTRT_F32, 1, 5, 24, 12, 24, {900}, {900}, {7}, {1}, {1}, {-3}},
      {DTRT_F32, 2, 9, 32, 32, 32, {14, 14}, {14, 14}, {1, 1}, {1, 1}, {1, 1}, {0, 0}},
      {DTRT_F32, 2, 1, 32, 32, 32, {64, 64}, {64, 64}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}}};
  results = 0;
  for (size_t i = 0; i < sizeof slides / sizeof *slides; i++) convolution(dev, &slides[i], a, b);
}

static void short_convolutions(dtrt_device *dev) {
  static const dtrt_slide slides[] = {
      {DTRT_BF16, 2, 40, 16, 16, 16, {16, 16}, {16, 16}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}},
      {DTRT_BF16, 2, 11, 19, 19, 40, {31, 30}, {16, 15}, {3, 3}, {2, 2}, {1, 1}, {-1, -1}},
      {DTRT_BF16, 2, 32, 32, 32, 8, {32, 32}, {32, 32}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}}};
  results = 0;
  for (size_t i = 0; i < sizeof slides / sizeof *slides; i++)
    convolution(dev, &slides[i], short_a, short_b);
}

static void on_cores(int cores, bool first, void (*run)(dtrt_device *), const char *what) {
  Fixture f;
  dtrt_session *s = NULL;
  harness_program(&f, 0, NULL, 64);
  harness_entry(&f, "run", run);
  CHECK(dtrt_open(&f.program, &(dtrt_options){.cores = cores}, &s) == DTRT_OK, "%s",
        dtrt_session_error(s));
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  for (int i = 0; i < results; i++)
    CHECK(first || found[i] == expected[i], "%s: result %d on %d cores", what, i, cores);
  if (first) memcpy(expected, found, sizeof found);
  dtrt_close(s);
}

static void on_each(void (*run)(dtrt_device *), const char *what) {
#ifdef __SANITIZE_THREAD__
  static const int cores[] = {7}; /* races are looked for here, and other builds compare bits */
#else
  static const int cores[] = {1, 2, 3, 7};
#endif
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) on_cores(cores[i], i == 0, run, what);
}

static void cut(int64_t m, int64_t n, int64_t k, bool then, int cores, bool rows, bool columns) {
  const GemmCut g = gemm_cut(m, n, k, then, GEMM_ROW_UNIT, cores);
  CHECK((g.rows > 1) == rows && (g.columns > 1) == columns, "%ldx%ldx%ld for %d: %ld x %ld",
        (long)m, (long)n, (long)k, cores, (long)g.rows, (long)g.columns);
  CHECK(g.rows * g.columns == 1 || g.rows * g.columns >= cores, "%d cores, %ld x %ld", cores,
        (long)g.rows, (long)g.columns);
}

/* The calling thread is on one CPU while the session is open, within the mask that it had. */
static void bound(const cpu_set_t *mask) {
  Fixture f;
  cpu_set_t now;
  dtrt_session *s = NULL;
  int n = CPU_COUNT(mask);
  harness_program(&f, 0, NULL, 64);
  for (int how = DTRT_BIND_NONE; how <= DTRT_BIND_NUMA; how++) {
    CHECK(dtrt_open(&f.program, &(dtrt_options){.cores = 1, .bind = how}, &s) == DTRT_OK,
          "bind %d: %s", how, dtrt_session_error(s));
    sched_getaffinity(0, sizeof now, &now);
    if (how == DTRT_BIND_CORE) CHECK(CPU_COUNT(&now) == 1, "bound to %d CPUs", CPU_COUNT(&now));
    if (how == DTRT_BIND_NONE) CHECK(CPU_EQUAL(&now, mask), "another mask without --bind");
    CPU_AND(&now, &now, mask);
    CHECK(CPU_COUNT(&now) >= 1, "bound outside of the mask");
    dtrt_close(s);
    sched_getaffinity(0, sizeof now, &now);
    CHECK(CPU_EQUAL(&now, mask), "the mask was not given back after bind %d", how);
  }
  for (int how = -1; how <= 3; how++) {
    if (how >= DTRT_BIND_NONE && how != DTRT_BIND_CORE) continue;
    CHECK(dtrt_open(&f.program, &(dtrt_options){.cores = n + 1, .bind = how}, &s) == DTRT_INVALID,
          "bind %d to %d cores of %d", how, n + 1, n);
    dtrt_close(s);
  }
}

static void bindings(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  bound(&all);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &all)) last--;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof one, &one);
  bound(&one);
  sched_setaffinity(0, sizeof all, &all);
}

/* Counts that do not divide: each core is of at most one device, and none is left over. */
static void shares(void) {
  for (int n = 1; n <= 9; n++)
    for (int cores = n; cores <= 70; cores++) {
      CHECK(cpus_first(cores, n, 0) == 0 && cpus_first(cores, n, n) == cores, "%d of %d", n, cores);
      for (int i = 0; i < n; i++)
        CHECK(cpus_first(cores, n, i + 1) - cpus_first(cores, n, i) >= cores / n,
              "device %d of %d has too few of %d cores", i, n, cores);
    }
}

int main(void) {
  shares();
  bindings();
  a = malloc(4 * MOST), b = malloc(4 * MOST), c = malloc(4 * MOST), base = malloc(4 * MOST);
  short_a = malloc(2 * MOST), short_b = malloc(2 * MOST);
  for (int64_t i = 0; i < MOST; i++) {
    a[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
    b[i] = (float)harness_mix((uint64_t)i + 99) / 1e19f - 0.9f;
    base[i] = (float)(i % 101) * 0.01f;
    short_a[i] = dtrt_f32_to_bf16(a[i]), short_b[i] = dtrt_f32_to_bf16(b[i]);
  }
  on_each(products, "products");
  on_each(convolutions, "convolutions");
  on_each(short_convolutions, "convolutions of bf16");
  cut(256, 4096, 4096, false, 2, false, true); /* what is larger is cut */
  cut(256, 4096, 4096, true, 2, false, true);  /* another pass over the result is cheaper */
  cut(2048, 384, 384, true, 2, true, false);
  cut(4096, 64, 4096, false, 2, true, false);
  cut(64, 64, 64, false, 2, false, false);
  cut(4096, 4096, 4096, false, 64, true, true);
  free(a), free(b), free(c), free(base), free(short_a), free(short_b);
  return harness_result();
}
