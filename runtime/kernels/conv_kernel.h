/* conv_kernel.h: convolutions of our own, f32, without unrolling them into a matrix. A kernel
 * computes a tile of the result in registers as a product does (gemm_kernel.h), but its depths lie
 * in several runs: the taps of a window, or the lines of pixels that a gradient sums over. Every
 * element is one sum in the order of its taps and channels, whatever the tile it falls in: the
 * bits do not depend on how images, lines or result channels are dealt to devices. */
#ifndef DTRT_CONV_KERNEL_H
#define DTRT_CONV_KERNEL_H
#include <stdbool.h>
#include <stdint.h>

enum { CONV_ROWS = 16, CONV_COLUMNS = 32 }; /* no tile is larger */

/* Where a run of depths begins. */
typedef struct ConvRun {
  const float *x, *y;
} ConvRun;

/* Row i, depth l of a run is x[shift + i * xi + l * xl]; y has `lead` floats a depth, of which the
 * tile's columns are the first; c has `ldc` floats a row. add: to what c holds. */
typedef struct ConvTile {
  const ConvRun *run;
  int64_t runs, depth; /* depths of each run */
  int64_t x_shift, y_shift;
  int64_t xi, xl, lead;
  float *c;
  int64_t ldc;
  bool add;
} ConvTile;

typedef struct ConvKernel {
  int rows;    /* of the largest tile */
  int columns; /* of a tile: two vectors; a half tile has one */
  void (*tile[CONV_ROWS + 1][2])(const ConvTile *t); /* [rows][0: half, 1: whole] */
  void (*turn)(const float *y, int64_t lead, int64_t depth, int columns, float *to, int64_t step);
  /* gemm_kernel.h's */
} ConvKernel;

extern const ConvKernel conv_kernel_avx512, conv_kernel_avx2;
#endif
