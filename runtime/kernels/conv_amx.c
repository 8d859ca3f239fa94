/* conv_amx.c: convolutions of bf16 for CPUs with the tiles of AMX: the tiles of conv_kernel.h, up
 * to 32 x 32 of the result. Runs are cut into blocks of 32 numbers from where they begin, each of
 * which is added as in gemm_amx.c; blocks of numbers in sequence, and blocks of CONV_PIECES pieces
 * in f64, as conv_kernel.inc has them. */
#include <immintrin.h>
#include "conv.h"
#include "gemm_amx.h"

enum { SIDE = 16, WORDS = 16 /* of a row of a tile */ };

/* Tiles 0 to 3 hold sums; 4 and 5 a block of x and of y; 6 and 7 those that stand below and to the
 * right or, where runs end with `rest` words, what ends them. */
typedef struct AmxShape {
  int rows, rest;
} AmxShape;
static _Thread_local AmxShape shape; /* of the tiles now */

static void be(int rows, int rest) {
  if (shape.rows == rows && shape.rest == rest) return;
  AmxShapes s = {.palette = 1};
  for (int i = 0; i < 8; i++) s.line[i] = AMX_LINE, s.rows[i] = (uint8_t)(i == 5 ? SIDE : rows);
  s.rows[7] = (uint8_t)(rest ? rest : SIDE);
  if (rest) s.line[6] = (uint16_t)(rest * 4);
  amx_configure(&s);
  shape = (AmxShape){rows, rest};
}

static void begin(void) { shape = (AmxShape){0}; }

#define ZERO(t, i, j) _tile_zero(t)
#define LOAD(t, i, j) _tile_loadd(t, c + (i)*under * ldc + (j)*SIDE, ldc * 4)
#define STORE(t, i, j) _tile_stored(t, c + (i)*under * ldc + (j)*SIDE, ldc * 4)

/* One block by tiles a and b, the lower and right ones after the others. */
#define BLOCK(a, b)                                                                                \
  {                                                                                                \
    _tile_loadd(a, x, xi * 4);                                                                     \
    _tile_loadd(b, y, lead * 4);                                                                   \
    _tile_dpbf16ps(0, a, b);                                                                       \
    if (right) {                                                                                   \
      _tile_loadd(b, y + SIDE, lead * 4);                                                          \
      _tile_dpbf16ps(1, a, b);                                                                     \
    }                                                                                              \
    if (below) {                                                                                   \
      _tile_loadd(a, z, xi * 4);                                                                   \
      if (right) {                                                                                 \
        _tile_dpbf16ps(3, a, b);                                                                   \
        _tile_loadd(b, y, lead * 4);                                                               \
      }                                                                                            \
      _tile_dpbf16ps(2, a, b);                                                                     \
    }                                                                                              \
  }
/* The same where nothing ends otherwise. */
#define WHOLE_BLOCK                                                                                \
  {                                                                                                \
    _tile_loadd(4, x, xi * 4);                                                                     \
    _tile_loadd(5, y, lead * 4);                                                                   \
    _tile_dpbf16ps(0, 4, 5);                                                                       \
    _tile_loadd(7, y + SIDE, lead * 4);                                                            \
    _tile_dpbf16ps(1, 4, 7);                                                                       \
    _tile_loadd(6, z, xi * 4);                                                                     \
    _tile_dpbf16ps(2, 6, 5);                                                                       \
    _tile_dpbf16ps(3, 6, 7);                                                                       \
  }

/* Sums of these runs to c, from what is there if `add`; the rows from `under` on are the lower
 * ones. */
static inline __attribute__((always_inline)) void sum_runs(const ConvTile *t, int64_t runs,
                                                           int64_t under, bool right, bool below,
                                                           float *c, int64_t ldc, bool add) {
  const int64_t xi = t->xi, lead = t->lead;
  const bool rest = shape.rest;
  AMX_BARRIER;
  if (add)
    AMX_SUMS(LOAD)
  else
    AMX_SUMS(ZERO)
  for (const ConvRun *r = t->run, *end = r + runs; r < end; r++) {
    const float *x = r->x + t->x_shift, *z = x + under * xi, *y = r->y + t->y_shift;
    int left = r->depth;
    if (right && below && !rest)
      for (; left; left -= WORDS, x += WORDS, z += WORDS, y += WORDS * lead) WHOLE_BLOCK
    for (; left >= WORDS; left -= WORDS, x += WORDS, z += WORDS, y += WORDS * lead) BLOCK(4, 5)
    if (left) BLOCK(6, 7)
  }
  AMX_SUMS(STORE)
  AMX_BARRIER;
}

static void sum_block(const ConvTile *t, int64_t runs, int rows, bool right, float *c, int64_t ldc,
                      bool add) {
  if (rows <= SIDE && right)
    sum_runs(t, runs, 0, true, false, c, ldc, add);
  else if (rows <= SIDE)
    sum_runs(t, runs, 0, false, false, c, ldc, add);
  else if (right)
    sum_runs(t, runs, rows / 2, true, true, c, ldc, add);
  else
    sum_runs(t, runs, rows / 2, false, true, c, ldc, add);
}

/* Each block is summed apart, and then joined as everywhere (conv_shared.c). */
static __attribute__((noinline)) void of_blocks(const ConvTile *tile, int rows, bool right) {
  enum { ALL = AMX_SQUARE * AMX_SQUARE };
  _Alignas(AMX_LINE) float sum[ALL] = {0};
  double blocks[ALL];
  ConvTile t = *tile;
  for (bool some = false;; some = true) {
    int64_t runs = 1;
    while (runs < t.runs && t.run[runs - 1].last != CONV_ENDS_BLOCK) runs++;
    sum_block(&t, runs, rows, right, sum, AMX_SQUARE, false);
    t.run += runs, t.runs -= runs;
    if (!t.runs) break;
    conv_end_block(blocks, sum, ALL, some);
  }
  conv_round_blocks(blocks, sum, ALL);
  conv_put(t.c, t.ldc, sum, rows, right ? AMX_SQUARE : SIDE, t.add);
}

/* An odd number of rows above 16: the middle one is in the upper and in the lower tile. */
static void square(const ConvTile *t, int rows, bool right) {
  const int64_t last = t->runs - 1;
  be(rows <= SIDE ? rows : (rows + 1) / 2, t->runs ? t->run[last].depth % WORDS : 0);
  if (t->runs && t->run[0].piece / CONV_PIECES != t->run[last].piece / CONV_PIECES)
    of_blocks(t, rows, right);
  else
    sum_block(t, t->runs, rows, right, t->c, t->ldc, t->add);
}

ConvKernel conv_kernel_amx(void) {
  return (ConvKernel){.rows = {AMX_SQUARE, AMX_SQUARE},
                      .columns = AMX_SQUARE,
                      .square = square,
                      .begin = begin,
                      .end = amx_release};
}
