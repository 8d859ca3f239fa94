/* docs/sums.md, as plainly as it can be said. */
#ifndef DTG_TEST_SUMS_REFERENCE_H
#define DTG_TEST_SUMS_REFERENCE_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum Kind { SUM, PROD } Kind;

static inline float join(Kind k, float a, float b) { return k == SUM ? a + b : a * b; }
static inline float nothing(Kind k) { return k == SUM ? 0 : 1; }

/* A binary tree over leaves [lo, lo + width), width a power of 2, of which n there are. */
static inline float tree(Kind k, const float *leaf, int64_t lo, int64_t width, int64_t n) {
  if (lo >= n) return nothing(k);
  if (width == 1) return leaf[lo];
  const float left = tree(k, leaf, lo, width / 2, n);
  if (lo + width / 2 >= n) return left;
  return join(k, left, tree(k, leaf, lo + width / 2, width / 2, n));
}

/* Blocks of 32, the last of which may have fewer, combined pairwise. */
static inline float in_blocks(Kind k, const float *x, int64_t n, int64_t step) {
  const int64_t blocks = (n + 31) / 32;
  float *sum = malloc(sizeof *sum * (size_t)(blocks + 1));
  if (!sum) abort();
  for (int64_t b = 0; b < blocks; b++) {
    sum[b] = nothing(k);
    for (int64_t i = b * 32; i < n && i < b * 32 + 32; i++) sum[b] = join(k, sum[b], x[i * step]);
  }
  int64_t width = 1;
  while (width < blocks) width *= 2;
  const float r = tree(k, sum, 0, width, blocks);
  free(sum);
  return r;
}

/* sum of x[l] * y[l * step] as the runtime's own kernels add: runs of 64 by fused multiply-add
 * within parts, parts of one size within blocks, blocks in f64. */
static inline float product(const float *x, const float *y, int64_t k, int64_t step) {
  const int64_t parts = (k + 255) / 256, even = ((k + parts - 1) / parts + 15) / 16 * 16;
  const int64_t part = k > 2048 ? 256 : even, block = k > 2048 ? 2048 : k;
  double all = 0;
  float sum = 0;
  for (int64_t b = 0; b < k; b += block) {
    const int64_t end = b + block < k ? b + block : k;
    for (int64_t p = b; p < end; p += part) {
      const int64_t stop = p + part < end ? p + part : end;
      float own = 0;
      for (int64_t r = p; r < stop; r += 64) {
        float run = 0;
        for (int64_t l = r; l < stop && l < r + 64; l++) run = fmaf(x[l], y[l * step], run);
        own = r == p ? run : own + run;
      }
      sum = p == b ? own : sum + own;
    }
    all += sum;
  }
  return k > 2048 ? (float)all : sum;
}

static inline float line(Kind k, const float *x, int64_t n) {
  if (n < 32) {
    float sum = nothing(k);
    for (int64_t i = 0; i < n; i++) sum = join(k, sum, x[i]);
    return sum;
  }
  float lane[32];
  for (int64_t l = 0; l < 32; l++) lane[l] = in_blocks(k, x + l, (n - l + 31) / 32, 32);
  for (int half = 16; half; half /= 2)
    for (int l = 0; l < half; l++) lane[l] = join(k, lane[l], lane[l + half]);
  return lane[0];
}

#endif
