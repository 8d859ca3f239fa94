/* gemm.c: the runtime's f32 products against OpenBLAS's, both on one thread, interleaved.
 *   bench_gemm [ROUNDS [PART]]   GFLOP/s (medians, best) and the ratio of median times, dtg to
 * OpenBLAS
 */
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "device.h"
#include "gemm.h"

typedef struct Case {
  const char *what;
  int ta, tb, m, n, k;
} Case;

static const Case cases[] = {
    {"mnist x @ w1", 0, 0, 128, 700, 784},
    {"mnist h1 @ w2", 0, 0, 128, 500, 700},
    {"mnist h2 @ w3", 0, 0, 128, 10, 500},
    {"mnist d3 @ w3'", 0, 1, 128, 500, 10},
    {"mnist h2' @ d3", 1, 0, 500, 10, 128},
    {"mnist d2 @ w2'", 0, 1, 128, 700, 500},
    {"mnist h1' @ d2", 1, 0, 700, 500, 128},
    {"mnist x' @ d1", 1, 0, 784, 700, 128},
    {"of 8: x @ w1", 0, 0, 128, 88, 784},
    {"of 8: h1 @ w2", 0, 0, 128, 500, 88},
    {"of 8: h2 @ w3", 0, 0, 16, 10, 500},
    {"of 8: h2' @ d3", 1, 0, 500, 10, 16},
    {"of 8: d2 @ w2'", 0, 1, 128, 88, 500},
    {"of 8: h1' @ d2", 1, 0, 88, 500, 128},
    {"of 8: x' @ d1", 1, 0, 784, 88, 128},
    {"few rows: x @ w1", 0, 0, 16, 700, 784},
    {"few rows: d2 @ w2'", 0, 1, 16, 700, 500},
    {"not deep: x' @ d1", 1, 0, 784, 700, 16},
    {"imdb x @ w1", 0, 0, 64, 48, 1200},
    {"imdb h @ w2", 0, 0, 64, 2, 48},
    {"imdb x' @ d1", 1, 0, 1200, 48, 64},
    {"imdb of 8: x @ w1", 0, 0, 8, 48, 1200},
    {"imdb of 8: x' @ d1", 1, 0, 1200, 48, 8},
    {"small", 0, 0, 64, 64, 64},
    {"small, half", 0, 0, 32, 64, 64},
    {"gpt x @ qkv", 0, 0, 2048, 768, 256},
    {"gpt x @ up", 0, 0, 2048, 1024, 256},
    {"gpt h @ down", 0, 0, 2048, 256, 1024},
    {"gpt dw up", 1, 0, 256, 1024, 2048},
    {"gpt q @ k'", 0, 1, 256, 256, 32},
    {"gpt p @ v", 0, 0, 256, 32, 256},
    {"square 256", 0, 0, 256, 256, 256},
    {"square 1024", 0, 0, 1024, 1024, 1024},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

enum { HUGE_PAGE = 2 << 20 };

static float *numbers(int64_t n) {
  size_t bytes =
      ((size_t)n * 4 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; /* as devices' memory is */
  float *x = aligned_alloc(HUGE_PAGE, bytes);
  if (!x) exit(1);
  madvise(x, bytes, MADV_HUGEPAGE);
  for (int64_t i = 0; i < n; i++) x[i] = (float)(rand() % 2001 - 1000) / 1000;
  return x;
}

static void run(int side, const Case *s, const float *a, const float *b, float *c) {
  int lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n;
  if (side)
    cblas_sgemm(CblasRowMajor, s->ta ? CblasTrans : CblasNoTrans, s->tb ? CblasTrans : CblasNoTrans,
                s->m, s->n, s->k, 1, a, lda, b, ldb, 0, c, s->n);
  else
    dtrt_gemm(DTRT_F32, s->ta, s->tb, s->m, s->n, s->k, a, lda, b, ldb, c, s->n, 0);
}

enum { MOST_ROUNDS = 101 };

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  if (rounds < 7 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "bench_gemm: rounds: from 7 to %d\n", MOST_ROUNDS);
    return 1;
  }
  char why[COMM_WHY] = "";
  gemm_prepare(1, why);
  printf("| product | m x n x k | dtg GFLOP/s | best | OpenBLAS | best | ratio of median times "
         "|\n| --- "
         "| --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const Case *s = &cases[i];
    if (argc > 2 && !strstr(s->what, argv[2])) continue;
    float *a = numbers((int64_t)s->m * s->k), *b = numbers((int64_t)s->k * s->n),
          *c[2] = {numbers((int64_t)s->m * s->n), numbers((int64_t)s->m * s->n)};
    double flops = 2.0 * s->m * s->n * s->k, took[2][MOST_ROUNDS];
    int times = (int)(3e8 / flops) + 1; /* 2 ms or so */
    for (int side = 0; side < 2; side++) run(side, s, a, b, c[side]);
    for (int64_t q = 0; q < (int64_t)s->m * s->n; q++)
      if (!(fabs(c[0][q] - c[1][q]) <= 1e-4 * sqrt(s->k))) {
        fprintf(stderr, "bench_gemm: %s: %g, by OpenBLAS %g\n", s->what, c[0][q], c[1][q]);
        return 1;
      }
    for (int r = 0; r < rounds; r++)
      for (int side = 0; side < 2; side++) {
        double start = now();
        for (int t = 0; t < times; t++) run(side, s, a, b, c[side]);
        took[side][r] = (now() - start) / times;
      }
    for (int side = 0; side < 2; side++) qsort(took[side], (size_t)rounds, sizeof(double), by_size);
    printf("| %s | %s%d x %d x %d%s | %.0f | %.0f | %.0f | %.0f | %.2f |\n", s->what,
           s->ta ? "' " : "", s->m, s->n, s->k, s->tb ? " '" : "",
           flops / took[0][rounds / 2] * 1e-9, flops / took[0][0] * 1e-9,
           flops / took[1][rounds / 2] * 1e-9, flops / took[1][0] * 1e-9,
           took[0][rounds / 2] / took[1][rounds / 2]);
    free(a), free(b), free(c[0]), free(c[1]);
  }
  return 0;
}
