/* conv_kernel.h: convolutions of our own, f32, without unrolling them into a matrix. A kernel
 * computes a tile of the result in registers as a product does (gemm_kernel.h), but its depths lie
 * in several runs: the taps of a window, or the lines of pixels that a gradient sums over. Every
 * element is one sum in the order of its taps and channels, whatever the tile it falls in: the
 * bits do not depend on how images, lines or result channels are dealt to devices. It adds up
 * pieces of up to CONV_PIECE depths in sequence: as many whole runs as fit, or a part of a longer
 * run. Pieces go in sequence within a block of CONV_PIECES; and blocks in f64, rounded once
 * (docs/sums.md). */
#ifndef DTRT_CONV_KERNEL_H
#define DTRT_CONV_KERNEL_H
#include <stdbool.h>
#include <stdint.h>

enum {
  CONV_ROWS = 32,
  CONV_COLUMNS = 32, /* no tile is larger */
  CONV_LONGER = 3,
  CONV_PIECE = 64,
  CONV_PIECES = 32
};

/* Where a run of depths begins, which lies in one piece. `last`: what it ends, as the next run lies
 * in another. */
typedef struct ConvRun {
  const float *x, *y;
  int depth;
  enum { CONV_GOES_ON, CONV_ENDS_PIECE, CONV_ENDS_BLOCK } last;
  int64_t piece;
} ConvRun;

/* Row i, depth l of a run is x[shift + i * xi + l * xl]; y has `lead` floats a depth, of which the
 * tile's columns are the first; c has `ldc` floats a row. add: to what c holds. goes_on: that is
 * the sum of earlier pieces of the same block. */
typedef struct ConvTile {
  const ConvRun *run;
  int64_t runs;
  int64_t x_shift, y_shift;
  int64_t xi, xl, lead;
  float *c;
  int64_t ldc;
  bool add, goes_on;
} ConvTile;

/* Pixels of a line whose channels have a sum each: channel c of pixel i is the sum over taps k, in
 * order, of x[i * x_step + x_at[k] + c] * w[w_at[k] + c]. */
typedef struct ConvDepth {
  const float *x, *w;
  float *y;
  int64_t taps;
  const int64_t *x_at, *w_at;
  int64_t pixels, x_step, y_step, channels;
} ConvDepth;

typedef struct ConvKernel {
  bool panels; /* tiles are so small that what they read should lie in L1: see conv_panels.c */
  int rows[2]; /* of the largest half tile, and whole one */
  int columns; /* of a whole tile: two vectors; a half one has one */
  void (*tile[CONV_ROWS + 1][2])(const ConvTile *t); /* [rows][1: whole] */
  /* Tiles of few rows and four vectors, as sums of two would wait for each other; NULL: none. */
  void (*longer[CONV_LONGER + 1])(const ConvTile *t);
  /* In their place, of any rows, between `begin` and `end` on this
   * thread; else NULL. */
  void (*square)(const ConvTile *t, int rows, bool whole);
  void (*begin)(void);
  void (*end)(void);
  void (*transpose)(const float *y, int64_t lead, int64_t depth, int columns, float *to,
                    int64_t step);
  void (*across)(const float *e, int64_t step, int rows, int n, float *c, int64_t ldc, bool add);
  /* gemm_kernel.h's */
  void (*depth)(const ConvDepth *t); /* NULL: of words that are not f32 */
  int64_t near; /* floats of half of L2: what is packed and copied is in it; 0: of 1 MB */
} ConvKernel;

static inline void conv_tile(const ConvKernel *k, const ConvTile *t, int rows, bool whole) {
  if (k->square)
    k->square(t, rows, whole);
  else
    k->tile[rows][whole](t);
}

/* Of pairs of bf16, on CPUs with AMX. Its sums have an order of their own. */
ConvKernel conv_kernel_amx(void);

extern const ConvKernel conv_kernel_avx512, conv_kernel_avx2, conv_kernel_portable;
/* Of words that are pairs of bf16 (gemm_half.h): by the CPU, or by parts with the same bits. */
extern const ConvKernel conv_pairs_bf16, conv_pairs_avx512, conv_pairs_avx2, conv_pairs_portable;
#endif
