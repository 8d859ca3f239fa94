/* tiles.c: every tile of the kernels for products, of all their rows and vectors, beside the order
 * of docs/sums.md, bit for bit: those that this CPU can run, or with PORTABLE_ONLY the portable
 * ones, which is also compiled for ARM and run under emulation where that is installed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gemm_kernel.h"

enum { DEEP = 256, WIDE = 64 };

/* Without FMA the portable kernels round products before they are added. */
static float add_product(bool fused, float a, float b, float sum) {
  if (fused) return fmaf(a, b, sum);
  volatile float product = a * b;
  return sum + product;
}

static float element(const GemmTile *t, bool fused, int i, int j) {
  float all = 0;
  for (int64_t run = 0; run < t->depth; run += GEMM_RUN) {
    float sum = 0;
    for (int64_t l = run; l < t->depth && l < run + GEMM_RUN; l++)
      sum = add_product(fused, t->x[i * t->xi + l * t->xl], t->y[l * t->lead + j], sum);
    all = run ? all + sum : sum;
  }
  return all;
}

/* Of `n` tiles tried the wrong ones. */
static int wrong_tiles(const GemmKernel *k, bool fused, int *n) {
  static float x[GEMM_ROWS * (DEEP + 16)], y[DEEP * WIDE], c[GEMM_ROWS * WIDE],
      want[GEMM_ROWS * WIDE], packed[DEEP * WIDE];
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) y[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  /* Products of these are too small for any number but 0, whose sign counts. */
  for (int i = 0; i < DEEP + 16; i++) x[i] = i % 3 ? -1e-30f : 1e-30f;
  for (int i = 0; i < DEEP * WIDE; i += 8) y[i] = 1e-30f;
  int wrong = 0;
  for (int v = 1; v <= GEMM_VECTORS; v++)
    for (int m = 1; m <= k->rows[v] && k->tile[m][v - 1]; m++)
      for (int form = 0; form < 32; form++) {
        static const int depths[] = {1, 16, 63, 64, 65, 128, 200, 256};
        const bool turned = form & 1, add = form & 2;
        GemmTile t = {.depth = depths[form / 4],
                      .run = GEMM_RUN,
                      .x = x,
                      .y = y,
                      .c = c,
                      .ldc = WIDE,
                      .add = add};
        t.xi = turned ? 1 : DEEP + 16, t.xl = turned ? GEMM_ROWS : 1;
        t.lead = v * k->lanes, t.tail = 1 + (form + m) % k->lanes;
        for (int a = 0; a < GEMM_AHEAD; a++) t.ahead[a] = (GemmAhead){(const char *)x, 0};
        for (int i = 0; i < GEMM_ROWS * WIDE; i++) c[i] = want[i] = (float)i;
        for (int i = 0; i < m; i++)
          for (int j = 0; j < (v - 1) * k->lanes + t.tail; j++) {
            const float sum = element(&t, fused, i, j);
            want[i * WIDE + j] = add ? sum + want[i * WIDE + j] : sum;
          }
        k->tile[m][v - 1](&t);
        wrong += memcmp(c, want, sizeof c) != 0;
        ++*n;
        if (v != 2 || !k->packing[m]) continue; /* gemm_narrow.c has none */
        for (int i = 0; i < GEMM_ROWS * WIDE; i++) c[i] = (float)i;
        k->packing[m](&t, packed);
        wrong += memcmp(c, want, sizeof c) != 0;
        for (int64_t l = 0; l < t.depth; l++)
          wrong += memcmp(packed + l * t.lead, y + l * t.lead,
                          (size_t)(k->lanes + t.tail) * sizeof *y) != 0;
      }
  return wrong;
}

/* In sequence, or lanes and then halves of them, as gemm_kernel.h says of `dots`. */
static float dot_sum(bool fused, const float *x, const float *y, int k) {
  float lane[GEMM_DOT_LANES] = {0};
  for (int l = 0; l < k && k <= GEMM_RUN; l++) lane[0] = add_product(fused, x[l], y[l], lane[0]);
  if (k <= GEMM_RUN) return lane[0];
  for (int l = 0; l < k; l++)
    lane[l % GEMM_DOT_LANES] = add_product(fused, x[l], y[l], lane[l % GEMM_DOT_LANES]);
  for (int w = GEMM_DOT_LANES / 2; w; w /= 2)
    for (int j = 0; j < w; j++) lane[j] += lane[j + w];
  return lane[0];
}

/* A matrix times a vector, along its rows and down its columns; of `n` products the wrong ones. */
static int wrong_vectors(const GemmKernel *k, bool fused, int *n) {
  enum { ROWS = 37, LEAD = DEEP + 5 };
  static float x[3 * DEEP], y[ROWS * LEAD], sum[LEAD], want[LEAD];
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) y[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  int wrong = 0;
  for (int rows = 1; rows <= ROWS; rows++)
    for (int columns = 1; columns <= DEEP; columns += 1 + columns / 5) {
      const GemmFetch fetch = {rows % 3, rows, columns % 2 ? y : NULL, columns % 4 < 2};
      for (int i = 0; i < LEAD; i++) sum[i] = want[i] = (float)i;
      for (int i = 0; i < rows; i++) want[i] = dot_sum(fused, x, y + i * LEAD, columns);
      k->dots(x, y, LEAD, rows, columns, sum, &fetch);
      wrong += memcmp(sum, want, sizeof sum) != 0;
      for (int i = 0; i < LEAD; i++) sum[i] = want[i] = (float)i;
      for (int j = 0; j < columns; j++)
        for (int l = 0; l < rows; l++)
          want[j] = add_product(fused, x[3 * l], y[l * LEAD + j], want[j]);
      k->rows_sum(x, 3, y, LEAD, rows, columns, sum, &fetch);
      wrong += memcmp(sum, want, sizeof sum) != 0;
      *n += 2;
    }
  return wrong;
}

static int failed;
static void try(const char *name, const GemmKernel *k, bool fused) {
  int n = 0;
  const int wrong = wrong_tiles(k, fused, &n);
  printf("%s: %d tiles, %d wrong\n", name, n, wrong);
  failed |= wrong || n < 100;
  if (!k->dots) return;
  n = 0;
  const int other = wrong_vectors(k, fused, &n);
  printf("%s: %d products by a vector, %d wrong\n", name, n, other);
  failed |= other || n < 100;
}

int main(void) {
#if defined(__FMA__) || defined(__aarch64__)
  try("portable", &gemm_kernel_portable, true);
#else
  try("portable", &gemm_kernel_portable, false);
#endif
#if defined(__x86_64__) && !defined(PORTABLE_ONLY)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    try("avx2", &gemm_kernel_avx2, true);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    try("avx512", &gemm_kernel_avx512, true);
    try("narrow", &gemm_kernel_narrow, true);
  }
#endif
  return failed;
}
