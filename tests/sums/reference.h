/* docs/sums.md, written as plainly as possible. */
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

/* What a running sum has in front of a block: whole subtrees of the blocks before, the largest
 * first. */
static inline float before_block(const float *x, int64_t blocks) {
  float sum = 0;
  int64_t at = 0;
  for (int64_t width = (int64_t)1 << 40; width; width /= 2) {
    if (!(blocks & width)) continue;
    const float part = in_blocks(SUM, x + at * 32, width * 32, 1);
    sum = at ? sum + part : part;
    at += width;
  }
  return sum;
}

/* Short lines side by side: lane i takes element i, i + 32, ... of each line, as many whole lines
 * in sequence as have at most 32 elements for a lane; these blocks are combined pairwise, and then
 * the lanes joined. `from` is the first element of each line. */
static inline float short_lines(Kind k, const float *const *from, int64_t lines, int64_t n) {
  const int64_t in_block = 32 / ((n + 31) / 32), blocks = (lines + in_block - 1) / in_block;
  float lane[32], *sum = malloc(sizeof *sum * (size_t)blocks);
  int64_t width = 1;
  if (!sum) abort();
  while (width < blocks) width *= 2;
  for (int64_t i = 0; i < 32; i++) {
    for (int64_t b = 0; b < blocks; b++) {
      sum[b] = nothing(k);
      for (int64_t r = b * in_block; r < lines && r < (b + 1) * in_block; r++)
        for (int64_t j = i; j < n; j += 32) sum[b] = join(k, sum[b], from[r][j]);
    }
    lane[i] = tree(k, sum, 0, width, blocks);
  }
  for (int half = 16; half; half /= 2)
    for (int l = 0; l < half; l++) lane[l] = join(k, lane[l], lane[l + half]);
  free(sum);
  return lane[0];
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

/* Output o at pixel (r, q) of x[6, 7, c] by w[3, 3, c, n] with padding: taps of a line are one run;
 * a piece is as many whole runs as have 64 products, or 64 of a longer run; 32 pieces are a block,
 * and blocks go in f64. */
static inline float convolution(const float *x, const float *w, int64_t c, int64_t n, int64_t r,
                                int64_t q, int64_t o) {
  const int64_t run = 3 * c, parts = (run + 63) / 64, fit = run <= 64 ? 64 / run : 1;
  double all = 0;
  float block = 0, piece = 0;
  int64_t before = 0;
  for (int64_t l = 0; l < 3 * run; l++) {
    const int64_t tap = l / c, at = parts > 1 ? l / run * parts + l % run / 64 : l / run / fit;
    const int64_t i = r + tap / 3 - 1, j = q + tap % 3 - 1;
    if (at != before) {
      block += piece, piece = 0;
      if (at / 32 != before / 32) all += block, block = 0;
      before = at;
    }
    if (i < 0 || i >= 6 || j < 0 || j >= 7) continue;
    piece = fmaf(x[(i * 7 + j) * c + l % c], w[l * n + o], piece);
  }
  return (float)(all + (double)(block + piece));
}

#endif
