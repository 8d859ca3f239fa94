/* gemm.c: the runtime's products over some hundred shapes, beside other libraries on one
 * thread each, by turns: OpenBLAS, and where their libraries are named, MKL and oneDNN.
 *   bench_gemm [-r ROUNDS] [-m libmkl_rt.so] [-d libdnnl.so] [-l] [-b] [-f] [PART]
 * -f: each product takes the next of second matrices of 256 MB, so that none is in a cache.
 * -b: dtg's and MKL's in bf16 (MKL's result is f32), the others' in f32 all the same; -l: also
 * products of 4096 and 8192 cubed, PART: only shapes whose line has it. Prints for each GFLOP/s (of
 * the fastest round, by the thread's CPU time), the peak of FMA as measured between rounds, the
 * fraction of it, and the ratio to the fastest of the others: * is below 0.97. Before anything is
 * timed all must agree. */
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "device.h"
#include "gemm.h"
#include "peak.h"

typedef struct Case {
  const char *what;
  int ta, tb, m, n, k;
  int batch; /* so many products of their own matrices, at once where a library can; 0: one */
} Case;

static const Case cases[] = {
    {"square", 0, 0, 128, 128, 128, 0},
    {"square", 0, 0, 192, 192, 192, 0},
    {"square", 0, 0, 256, 256, 256, 0},
    {"square", 0, 0, 384, 384, 384, 0},
    {"square", 0, 0, 512, 512, 512, 0},
    {"square", 0, 0, 768, 768, 768, 0},
    {"square", 0, 0, 1024, 1024, 1024, 0},
    {"square", 0, 0, 1536, 1536, 1536, 0},
    {"square", 0, 0, 2048, 2048, 2048, 0},
    {"square, odd", 0, 0, 257, 257, 257, 0},
    {"square, odd", 0, 0, 511, 511, 511, 0},
    {"square, odd", 0, 0, 1023, 1025, 1023, 0},
    {"large", 0, 0, 4096, 4096, 4096, 0},
    {"large", 0, 0, 8192, 8192, 8192, 0},
    {"transposed", 1, 0, 512, 512, 512, 0},
    {"transposed", 0, 1, 512, 512, 512, 0},
    {"transposed", 1, 1, 512, 512, 512, 0},
    {"transposed", 1, 0, 1536, 1536, 1536, 0},
    {"transposed", 0, 1, 1536, 1536, 1536, 0},
    {"mnist x @ w1", 0, 0, 128, 700, 784, 0},
    {"mnist h1 @ w2", 0, 0, 128, 500, 700, 0},
    {"mnist h2 @ w3", 0, 0, 128, 10, 500, 0},
    {"mnist d3 @ w3'", 0, 1, 128, 500, 10, 0},
    {"mnist h2' @ d3", 1, 0, 500, 10, 128, 0},
    {"mnist d2 @ w2'", 0, 1, 128, 700, 500, 0},
    {"mnist h1' @ d2", 1, 0, 700, 500, 128, 0},
    {"mnist x' @ d1", 1, 0, 784, 700, 128, 0},
    {"mnist of 8", 0, 0, 128, 88, 784, 0},
    {"mnist of 8", 0, 0, 16, 10, 500, 0},
    {"mnist of 8", 0, 1, 128, 88, 500, 0},
    {"mnist of 8", 1, 0, 784, 88, 128, 0},
    {"imdb x @ w1", 0, 0, 64, 48, 1200, 0},
    {"imdb h @ w2", 0, 0, 64, 2, 48, 0},
    {"imdb x' @ d1", 1, 0, 1200, 48, 64, 0},
    {"columns", 0, 0, 1024, 2, 1024, 0},
    {"columns", 0, 0, 1024, 3, 1024, 0},
    {"columns", 0, 0, 1024, 4, 1024, 0},
    {"columns", 0, 0, 1024, 8, 1024, 0},
    {"columns", 0, 0, 1024, 12, 1024, 0},
    {"columns", 0, 0, 1024, 16, 1024, 0},
    {"columns", 0, 0, 256, 2, 256, 0},
    {"columns", 0, 0, 256, 4, 256, 0},
    {"columns", 1, 0, 1024, 2, 1024, 0},
    {"columns", 1, 0, 1024, 4, 1024, 0},
    {"columns", 1, 0, 1024, 8, 256, 0},
    {"columns", 0, 1, 1024, 4, 1024, 0},
    {"rows", 0, 0, 2, 1024, 1024, 0},
    {"rows", 0, 0, 4, 1024, 1024, 0},
    {"rows", 0, 0, 8, 1024, 1024, 0},
    {"rows", 0, 0, 16, 1024, 1024, 0},
    {"rows", 0, 0, 16, 4096, 4096, 0},
    {"rows", 0, 1, 4, 1024, 1024, 0},
    {"rows", 0, 1, 16, 1024, 1024, 0},
    {"vector", 0, 0, 1024, 1, 1024, 0},
    {"vector", 0, 0, 1, 1024, 1024, 0},
    {"skinny", 0, 0, 4096, 32, 512, 0},
    {"skinny", 0, 0, 4096, 64, 64, 0},
    {"skinny", 0, 0, 32, 4096, 512, 0},
    {"skinny", 0, 0, 8192, 40, 128, 0},
    {"deep", 0, 0, 64, 64, 16384, 0},
    {"deep", 1, 0, 64, 64, 16384, 0},
    {"deep", 1, 0, 256, 256, 8192, 0},
    {"deep", 0, 1, 128, 128, 2048, 0},
    {"not deep", 0, 0, 1024, 1024, 8, 0},
    {"not deep", 0, 0, 1024, 1024, 32, 0},
    {"not deep", 1, 0, 784, 700, 16, 0},
    {"gpt x @ qkv", 0, 0, 2048, 768, 256, 0},
    {"gpt x @ up", 0, 0, 2048, 1536, 384, 0},
    {"gpt h @ down", 0, 0, 2048, 384, 1536, 0},
    {"gpt dh", 0, 1, 2048, 1536, 384, 0},
    {"gpt dw up", 1, 0, 384, 1536, 2048, 0},
    {"gpt dw down", 1, 0, 1536, 384, 2048, 0},
    {"mlp x @ w", 0, 0, 256, 4096, 4096, 0},
    {"mlp d @ w'", 0, 1, 256, 4096, 4096, 0},
    {"mlp x' @ d", 1, 0, 4096, 4096, 256, 0},
    {"batch 960", 0, 0, 960, 2048, 2048, 0},
    {"batch 1040", 0, 0, 1040, 2048, 2048, 0},
    {"batch 960, dw", 1, 0, 2048, 2048, 960, 0},
    {"batch 1040, dw", 1, 0, 2048, 2048, 1040, 0},
    {"writing x @ q", 0, 0, 16, 768, 768, 0},
    {"writing x @ up", 0, 0, 4, 3072, 768, 0},
    {"writing x @ up", 0, 0, 16, 3072, 768, 0},
    {"writing h @ down", 0, 0, 16, 768, 3072, 0},
    {"writing d @ up'", 0, 1, 16, 768, 3072, 0},
    {"writing x @ table'", 0, 1, 4, 50257, 768, 0},
    {"writing x @ table'", 0, 1, 16, 50257, 768, 0},
    {"lm head", 0, 0, 16, 50257, 768, 0},
    {"lm head", 0, 0, 32, 50257, 768, 0},
    {"lm head", 0, 0, 128, 50257, 768, 0},
    {"lm head", 0, 0, 512, 50257, 768, 0},
    {"lm head, d @ w'", 0, 1, 128, 768, 50257, 0},
    {"lm head, x' @ d", 1, 0, 768, 50257, 128, 0},
    {"lstm", 0, 0, 64, 1024, 256, 0},
    {"lstm d @ w'", 0, 1, 64, 256, 1024, 0},
    {"batch of small", 0, 0, 16, 16, 16, 64},
    {"batch of small", 0, 0, 32, 32, 32, 64},
    {"batch of small", 0, 0, 64, 64, 64, 64},
    {"batch of small", 0, 1, 49, 49, 32, 48},
    {"batch of small", 0, 0, 49, 32, 49, 48},
    {"batch of small", 1, 0, 24, 24, 100, 48},
    {"attention q @ k'", 0, 1, 256, 256, 64, 12},
    {"attention p @ v", 0, 0, 256, 64, 256, 12},
    {"odd", 0, 0, 2, 2, 2, 0},
    {"odd", 0, 0, 3, 3, 3, 0},
    {"odd", 0, 0, 5, 5, 5, 0},
    {"odd", 0, 0, 7, 7, 7, 0},
    {"odd", 0, 0, 9, 9, 9, 0},
    {"odd", 0, 0, 13, 13, 13, 0},
    {"odd", 0, 0, 17, 17, 17, 0},
    {"odd", 0, 0, 21, 21, 21, 0},
    {"odd", 0, 0, 25, 25, 25, 0},
    {"odd", 0, 0, 31, 31, 31, 0},
    {"odd", 0, 0, 33, 33, 33, 0},
    {"odd", 0, 0, 41, 41, 41, 0},
    {"odd", 0, 0, 47, 47, 47, 0},
    {"odd", 0, 0, 55, 55, 55, 0},
    {"odd", 0, 0, 63, 63, 63, 0},
    {"odd", 0, 0, 65, 65, 65, 0},
    {"odd, d @ w'", 0, 1, 65, 17, 33, 0},
    {"odd, x' @ d", 1, 0, 19, 65, 37, 0},
};

/* -------- who multiplies -------- */

enum { DTG, OPENBLAS, MKL, ONEDNN, SIDES };
static const char *const side_name[SIDES] = {"dtg", "OpenBLAS", "MKL", "oneDNN"};

typedef void BlasProduct(int order, int ta, int tb, int m, int n, int k, float alpha,
                         const float *a, int lda, const float *b, int ldb, float beta, float *c,
                         int ldc);
typedef int DnnProduct(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha,
                       const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                       float *c, int64_t ldc);

typedef void HalfProduct(int order, int ta, int tb, int m, int n, int k, float alpha,
                         const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta,
                         float *c, int ldc);

typedef void BlasProducts(int order, int ta, int tb, int m, int n, int k, float alpha,
                          const float *a, int lda, int anext, const float *b, int ldb, int bnext,
                          float beta, float *c, int ldc, int cnext, int count);

static BlasProduct *mkl;
static BlasProducts *mkl_batch;
static HalfProduct *mkl_half;
static bool half; /* bf16, for those that have it */
static DnnProduct *dnn;

/* MKL asks this before it uses its kernels for AVX-512, and says no on CPUs of others. */
int mkl_serv_intel_cpu_true(void);
int mkl_serv_intel_cpu_true(void) { return 1; }

static void *open_library(const char *path, const char *name) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_GLOBAL), *f = lib ? dlsym(lib, name) : NULL;
  if (f) return f;
  fprintf(stderr, "bench_gemm: %s\n", dlerror());
  exit(1);
}

static void multiply(int side, const Case *s, const float *a, const float *b, float *c) {
  const int lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n;
  const uint16_t *ha = (const uint16_t *)(const void *)a, *hb = (const uint16_t *)(const void *)b;
  const int ta = s->ta ? CblasTrans : CblasNoTrans, tb = s->tb ? CblasTrans : CblasNoTrans;
  if (side == DTG && half)
    dtrt_gemm_half(DTRT_BF16, 0, s->ta, s->tb, s->m, s->n, s->k, a, lda, b, ldb, c, s->n, 0, 0,
                   NULL);
  else if (side == MKL && half)
    mkl_half(CblasRowMajor, ta, tb, s->m, s->n, s->k, 1, ha, lda, hb, ldb, 0, c, s->n);
  else if (side == DTG)
    dtrt_gemm(DTRT_F32, s->ta, s->tb, s->m, s->n, s->k, a, lda, b, ldb, c, s->n, 0);
  else if (side == OPENBLAS)
    cblas_sgemm(CblasRowMajor, (CBLAS_TRANSPOSE)ta, (CBLAS_TRANSPOSE)tb, s->m, s->n, s->k, 1, a,
                lda, b, ldb, 0, c, s->n);
  else if (side == MKL)
    mkl(CblasRowMajor, ta, tb, s->m, s->n, s->k, 1, a, lda, b, ldb, 0, c, s->n);
  else
    dnn(s->ta ? 'T' : 'N', s->tb ? 'T' : 'N', s->m, s->n, s->k, 1, a, lda, b, ldb, 0, c, s->n);
}

static void run(int side, const Case *s, const float *a, const float *b, float *c) {
  const int64_t na = (int64_t)s->m * s->k, nb = (int64_t)s->k * s->n, nc = (int64_t)s->m * s->n;
  const int lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n;
  if (s->batch && side == DTG && !half) { /* as a program has them */
    const dtrt_loops loops = {1, 1, {s->batch}, {na}, {nb}, {nc}};
    dtrt_gemm_loops(DTRT_F32, s->ta, s->tb, s->m, s->n, s->k, a, lda, b, ldb, c, s->n, 0, &loops);
    return;
  }
  if (s->batch && side == MKL && !half) {
    mkl_batch(CblasRowMajor, s->ta ? CblasTrans : CblasNoTrans, s->tb ? CblasTrans : CblasNoTrans,
              s->m, s->n, s->k, 1, a, lda, (int)na, b, ldb, (int)nb, 0, c, s->n, (int)nc, s->batch);
    return;
  }
  for (int i = 0; i < (s->batch ? s->batch : 1); i++)
    multiply(side, s, a + i * na, b + i * nb, c + i * nc);
}

/* -------- time -------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { HUGE_PAGE = 2 << 20, MOST_ROUNDS = 1001, FAR_FLOATS = 64 << 20 };

static float *numbers(int64_t n) {
  size_t bytes =
      ((size_t)n * 4 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; /* as devices' memory is */
  float *x = aligned_alloc(HUGE_PAGE, bytes);
  if (!x) exit(1);
  madvise(x, bytes, MADV_HUGEPAGE);
  for (int64_t i = 0; i < n; i++) x[i] = (float)(rand() % 2001 - 1000) / 1000;
  return x;
}

static bool has(int side) {
  return side == MKL ? mkl != NULL : side == ONEDNN ? dnn != NULL : true;
}

static void compare(const Case *s, const char *say, float *c[SIDES]) {
  const int64_t n = (int64_t)s->m * s->n * (s->batch ? s->batch : 1);
  for (int side = 1; side < SIDES; side++)
    for (int64_t q = 0; has(side) && q < n; q++)
      if (!(fabs(c[0][q] - c[side][q]) <= 1e-4 * sqrt(s->k))) {
        fprintf(stderr, "bench_gemm: %s: %g, by %s %g\n", say, c[0][q], side_name[side],
                c[side][q]);
        exit(1);
      }
}

static bool far; /* second matrices come from memory */

static void one(const Case *s, const char *say, int rounds) {
  const int64_t batch = s->batch ? s->batch : 1, nb = batch * s->k * s->n;
  const int64_t copies = far ? FAR_FLOATS / nb + 1 : 1;
  float *a = numbers(batch * s->m * s->k), *b = numbers(nb), *all = b, *c[SIDES];
  if (far) {
    all = numbers(nb * copies);
    for (int64_t i = 0; i < copies; i++) memcpy(all + i * nb, b, (size_t)nb * sizeof *b);
  }
  int64_t turn = 0;
  const double flops = 2.0 * s->m * s->n * s->k * (double)batch;
  double took[SIDES] = {0}, most_peak = 0;
  const int times = (int)(1e8 / (flops + 2000)) + 1; /* half a millisecond or so */
  if (flops > 1e10 && rounds > 5) rounds = 5;
  for (int side = 0; side < SIDES; side++) {
    c[side] = numbers(batch * s->m * s->n);
    if (has(side)) run(side, s, a, b, c[side]);
  }
  if (!half) compare(s, say, c);
  for (int r = 0; r < rounds; r++) {
    const double p = peak(now);
    if (p > most_peak) most_peak = p;
    for (int side = 0; side < SIDES; side++) {
      if (!has(side)) continue;
      const double start = now();
      for (int t = 0; t < times; t++, turn++) run(side, s, a, all + turn % copies * nb, c[side]);
      const double each = (now() - start) / times;
      if (r == 0 || each < took[side]) took[side] = each;
    }
  }
  double best = 0;
  printf("| %s |", say);
  for (int side = 0; side < SIDES; side++) {
    if (!has(side)) continue;
    const double rate = flops / took[side] * 1e-9;
    printf(" %.1f |", rate);
    if (side && rate > best) best = rate;
  }
  const double own = flops / took[0] * 1e-9;
  printf(" %.0f | %.2f | %.2f%s |\n", most_peak, own / most_peak, own / best,
         own < 0.97 * best ? " *" : "");
  fflush(stdout);
  if (far) free(all);
  free(a), free(b);
  for (int side = 0; side < SIDES; side++) free(c[side]);
}

int main(int argc, char **argv) {
  int rounds = 15;
  bool large = false;
  setenv("OMP_NUM_THREADS", "1", 1), setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
  for (int o; (o = getopt(argc, argv, "r:m:d:lbf")) != -1;) {
    if (o == 'r') rounds = atoi(optarg);
    if (o == 'm') *(void **)&mkl = open_library(optarg, "cblas_sgemm");
    if (o == 'm') *(void **)&mkl_batch = open_library(optarg, "cblas_sgemm_batch_strided");
    if (o == 'm') *(void **)&mkl_half = open_library(optarg, "cblas_gemm_bf16bf16f32");
    if (o == 'b') half = true;
    if (o == 'd') *(void **)&dnn = open_library(optarg, "dnnl_sgemm");
    if (o == 'l') large = true;
    if (o == 'f') far = true;
    if (o == '?') return 1;
  }
  if (rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "bench_gemm: rounds: from 1 to %d\n", MOST_ROUNDS);
    return 1;
  }
  char why[COMM_WHY] = "";
  gemm_prepare(1, why);
  printf("| product, m x n x k, ' transposed |");
  for (int side = 0; side < SIDES; side++)
    if (has(side)) printf(" %s |", side_name[side]);
  printf(" FMA peak | of peak | of best |\n| --- |");
  for (int side = 0; side < SIDES; side++)
    if (has(side)) printf(" --- |");
  printf(" --- | --- | --- |\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const Case *s = &cases[i];
    char say[120];
    snprintf(say, sizeof say, "%s: %s%d x %d x %d%s", s->what, s->ta ? "' " : "", s->m, s->n, s->k,
             s->tb ? " '" : "");
    if (s->batch) snprintf(say + strlen(say), sizeof say - strlen(say), ", %d times", s->batch);
    if ((optind < argc && !strstr(say, argv[optind])) || (!large && strstr(say, "large"))) continue;
    one(s, say, rounds);
  }
  return 0;
}
