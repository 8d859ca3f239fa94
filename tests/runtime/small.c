/* small.c: products of small matrices, many at a time and each by itself, beside the order of
 * docs/sums.md, bit for bit: all sizes up to 6 and some larger, transposed, with gaps, added to
 * what is there, one operand for all, vectors; nothing beyond the matrices is read or written.
 * Kernels of all CPUs that this one can do. */
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include "gemm_small.h"
#include "harness.h"

enum { ROOM = 1 << 16, PAGE = 4096, PAGES = 1 << 19, BATCH = 11 };

typedef struct Page { /* ends before one without access */
  char *map, *end;
} Page;

static Page page(void) {
  Page p;
  p.map = mmap(NULL, PAGES + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p.map == MAP_FAILED) exit(1);
  p.end = p.map + PAGES;
  mprotect(p.end, PAGE, PROT_NONE);
  return p;
}

static double at(bool wide, const void *p, int64_t i) {
  return wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void put(bool wide, void *p, int64_t i, double v) {
  if (wide)
    ((double *)p)[i] = v;
  else
    ((float *)p)[i] = (float)v;
}

/* In the type, and fused or not. */
static double add_product(bool wide, bool fused, double a, double b, double sum) {
  if (wide && fused) return fma(a, b, sum);
  if (fused) return (double)fmaf((float)a, (float)b, (float)sum);
  if (wide) {
    volatile double product = a * b;
    return sum + product;
  }
  volatile float product = (float)a * (float)b;
  return (double)((float)sum + product);
}
static double add(bool wide, double a, double b) {
  return wide ? a + b : (double)((float)a + (float)b);
}

static int64_t extent(int64_t m, int64_t n, int64_t mi, int64_t ni, int64_t count, int64_t next) {
  return (m - 1) * mi + (n - 1) * ni + (count - 1) * next + 1;
}

static Page a, b, c, d;

static void check(const char *name, bool wide, bool fused, const GemmSmallKernels *kernels,
                  const GemmSmall *p, int64_t count) {
  const int64_t size = wide ? 8 : 4, na = extent(p->m, p->k, p->ai, p->al, count, p->anext),
                nb = extent(p->k, p->n, p->bl, p->bj, count, p->bnext),
                nc = extent(p->m, p->n, p->ci, p->cj, count, p->cnext);
  if (na * size > PAGES || nb * size > PAGES || nc * size > PAGES) {
    CHECK(false, "%ldx%ldx%ld is larger than the pages", (long)p->m, (long)p->n, (long)p->k);
    return;
  }
  void *x = a.end - na * size, *y = b.end - nb * size, *is = c.end - nc * size,
       *want = d.end - nc * size;
  for (int64_t i = 0; i < nc; i++) put(wide, is, i, (double)(i % 7) / 3);
  memcpy(want, is, (size_t)(nc * size));
  for (int64_t q = 0; q < count; q++)
    for (int64_t i = 0; i < p->m; i++)
      for (int64_t j = 0; j < p->n; j++) {
        double sum = 0;
        for (int64_t l = 0; l < p->k; l++)
          sum = add_product(wide, fused, at(wide, x, q * p->anext + i * p->ai + l * p->al),
                            at(wide, y, q * p->bnext + l * p->bl + j * p->bj), sum);
        const int64_t to = q * p->cnext + i * p->ci + j * p->cj;
        put(wide, want, to, p->add ? add(wide, at(wide, want, to), sum) : sum);
      }
  (wide ? kernels->f64 : kernels->f32)(p, count, x, y, is);
  CHECK(!memcmp(is, want, (size_t)(nc * size)),
        "%s f%d %ldx%ldx%ld, a %ld %ld, b %ld %ld, c %ld %ld, add %d, %ld times", name,
        wide ? 64 : 32, (long)p->m, (long)p->n, (long)p->k, (long)p->ai, (long)p->al, (long)p->bl,
        (long)p->bj, (long)p->ci, (long)p->cj, p->add, (long)count);
}

/* form: transposed a, transposed b, transposed c, gaps, added, one b for all. */
static void size(const char *name, bool fused, const GemmSmallKernels *kernels, int64_t m,
                 int64_t n, int64_t k, int form) {
  const int64_t gap = form & 8 ? 3 : 0, lda = (form & 1 ? m : k) + gap,
                ldb = (form & 2 ? k : n) + gap, ldc = (form & 4 ? m : n) + gap;
  const GemmSmall p = {.m = m,
                       .n = n,
                       .k = k,
                       .ai = form & 1 ? 1 : lda,
                       .al = form & 1 ? lda : 1,
                       .bl = form & 2 ? 1 : ldb,
                       .bj = form & 2 ? ldb : 1,
                       .ci = form & 4 ? 1 : ldc,
                       .cj = form & 4 ? ldc : 1,
                       .anext = lda * (form & 1 ? k : m) + gap,
                       .bnext = form & 32 ? 0 : ldb * (form & 2 ? n : k) + gap,
                       .cnext = ldc * (form & 4 ? n : m) + gap,
                       .add = form & 16};
  for (int wide = 0; wide < 2; wide++)
    check(name, wide, fused, kernels, &p, m * n * k % 3 ? BATCH : 1);
}

static void sizes(const char *name, bool fused, const GemmSmallKernels *kernels) {
  static const int some[] = {1, 3, 8, 12, 15, 16, 17, 31, 32, 33};
  for (int m = 1; m <= 6; m++)
    for (int n = 1; n <= 6; n++)
      for (int k = 1; k <= 6; k++)
        for (int form = (m + n + k) % 3; form < 64; form += 3)
          size(name, fused, kernels, m, n, k, form);
  for (int i = 0; i < 1000; i++)
    for (int form = i % 31; form < 64; form += 31)
      size(name, fused, kernels, some[i % 10], some[i / 10 % 10], some[i / 100], form);
  for (int k = 60; k <= 64; k++) size(name, fused, kernels, 1 + k % 5, 70, k, k % 64);
}

/* Batches cut anywhere, in loops of two dims or added up, as single calls have them. */
static void loops(int type, int64_t m, int64_t n, int64_t k, int tb) {
  enum { ROWS = 5, COLUMNS = 7 };
  static double x[ROOM], y[ROOM], is[ROOM], want[ROOM];
  const int64_t size = type == DTRT_F64 ? 8 : 4;
  for (int i = 0; i < ROOM; i++) {
    put(type == DTRT_F64, x, i, (double)harness_mix((uint64_t)i) / 1e19 - 0.9);
    put(type == DTRT_F64, y, i, (double)harness_mix((uint64_t)i + 77) / 1e19 - 0.9);
  }
  memset(is, 0, sizeof is), memset(want, 0, sizeof want);
  for (int added = 0; added < 2; added++) {
    const int64_t cstep = added ? 0 : m * n;
    const dtrt_loops l = {2,
                          added ? 1 : 2,
                          {ROWS, COLUMNS},
                          {COLUMNS * m * k, m * k},
                          {k * n, ROWS * k * n},
                          {COLUMNS * m * n, cstep}};
    dtrt_gemm_loops(type, 0, tb, m, n, k, x, k, y, tb ? k : n, is, n, added, &l);
    for (int64_t i = 0; i < ROWS; i++)
      for (int64_t j = 0; j < COLUMNS; j++)
        dtrt_gemm(type, 0, tb, m, n, k, (char *)x + (i * l.a[0] + j * l.a[1]) * size, k,
                  (char *)y + (i * l.b[0] + j * l.b[1]) * size, tb ? k : n,
                  (char *)want + (i * l.c[0] + j * l.c[1]) * size, n, added);
    CHECK(!memcmp(is, want, sizeof is), "%s loops of %ldx%ldx%ld, %d %d", dtrt_dtype_name(type),
          (long)m, (long)n, (long)k, tb, added);
  }
}

/* A vector's product is a column's of a matrix, and a row's: no cut changes bits. */
static void vectors(int type, int64_t m, int64_t k) {
  static double x[ROOM], y[ROOM], is[ROOM], one[ROOM];
  const bool wide = type == DTRT_F64;
  for (int i = 0; i < ROOM; i++) {
    put(wide, x, i, (double)harness_mix((uint64_t)i) / 1e19 - 0.9);
    put(wide, y, i, (double)harness_mix((uint64_t)i + 77) / 1e19 - 0.9);
  }
  dtrt_gemm(type, 0, 0, m, 2, k, x, k, y, 2, is, 2, 0);
  for (int j = 0; j < 2; j++) {
    dtrt_gemm(type, 0, 0, m, 1, k, x, k, (char *)y + j * (wide ? 8 : 4), 2, one, 1, 0);
    int wrong = 0;
    for (int64_t i = 0; i < m; i++) wrong += at(wide, is, 2 * i + j) != at(wide, one, i);
    CHECK(!wrong, "%s %ldx%ld times a vector: %d not those of a matrix", dtrt_dtype_name(type),
          (long)m, (long)k, wrong);
  }
}

int main(void) {
  a = page(), b = page(), c = page(), d = page();
  for (int64_t i = 0; i < ROOM / 4; i++) {
    ((float *)(void *)a.map)[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
    ((float *)(void *)b.map)[i] = (float)harness_mix((uint64_t)i + 99) / 1e19f - 0.9f;
  }
#if defined(__FMA__) || defined(__aarch64__)
  sizes("portable", true, &gemm_small_portable);
#else
  sizes("portable", false, &gemm_small_portable);
#endif
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sizes("avx2", true, &gemm_small_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    sizes("avx512", true, &gemm_small_avx512);
#endif
  for (int type = DTRT_F32; type <= DTRT_F64; type++)
    for (int64_t k = 1; k <= 64; k += 1 + k / 4) {
      loops(type, 4, 4, k, 0), loops(type, 3, 1, k, 1), loops(type, 5, 17, k, 1);
      vectors(type, 30, k), vectors(DTRT_F32, 300, k);
    }
  return harness_result();
}
