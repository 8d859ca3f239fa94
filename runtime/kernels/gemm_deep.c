/* gemm_deep.c: f32 products that sum over more than GEMM_BLOCK: each block is computed like any
 * product, in parts of 256 that are added in sequence; the blocks are added in f64 and rounded
 * once (docs/sums.md). The bits do not depend on how the result is split, nor on whether k comes
 * at once or in tiles that are whole parts. */
#include "gemm_deep.h"
#include "conv.h"
#include "device.h"

enum {
  COLUMNS = 4096, /* of a piece of the result, whose sums in f64 lie in the thread's room ... */
  PIECE =
      4 << 20 /* ... so many of them; it is large, as the other operand is packed anew for each */
};

typedef enum DepthPiece { FIRST, NEXT, LAST } DepthPiece;

static void join(DepthPiece how, double *restrict acc, int64_t step, float *restrict c, int64_t ldc,
                 int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; i++, acc += step, c += ldc)
    for (int64_t j = 0; j < n; j++) {
      if (how == FIRST)
        acc[j] = c[j];
      else if (how == NEXT)
        acc[j] += c[j];
      else
        c[j] = (float)(acc[j] + c[j]);
    }
}

/* Depths `at` to at + p.k of `all`, into c; what came before is in acc, and of the block that is
 * not yet whole in c. held: acc holds something before the first block. */
static void add_depths(GemmOperands p, float *c, int64_t ldc, double *acc, int64_t step, int64_t at,
                       int64_t all, bool held) {
  for (int64_t l = 0, here; l < p.k; l += here) {
    const int64_t from = at + l, in_block = from % GEMM_BLOCK;
    here = GEMM_BLOCK - in_block < p.k - l ? GEMM_BLOCK - in_block : p.k - l;
    GemmOperands q = gemm_depths(&p, l, here);
    gemm_once(&q, c, ldc, in_block > 0);
    const bool before = held || from >= GEMM_BLOCK;
    if (from + here == all) {
      if (before) join(LAST, acc, step, c, ldc, p.m, p.n);
    } else if ((from + here) % GEMM_BLOCK == 0) {
      join(before ? NEXT : FIRST, acc, step, c, ldc, p.m, p.n);
    }
  }
}

/* Not in conv_room, where a block of one row or column, a matrix times a vector, has its sums. */
static double *room_for(int64_t elements) {
  double *room = (double *)(void *)conv_sums_room(2 * elements);
  Device *d = fail_current();
  if (!room && d)
    device_fail(d, "out of memory for the sums of a product (%ld bytes)", 8 * (long)elements);
  return room;
}

void gemm_deep(const GemmOperands *p, float *c, int64_t ldc, bool add,
               const dtrt_epilogue *epilogue) {
  int64_t rows = 1, columns = 1; /* of pieces */
  if (!p->band && p->n * p->m > PIECE) {
    columns = (p->n + COLUMNS - 1) / COLUMNS;
    const int64_t wide = (p->n + columns - 1) / columns;
    rows = (p->m * wide + PIECE - 1) / PIECE;
  }
  double *acc = room_for(((p->m + rows - 1) / rows) * ((p->n + columns - 1) / columns));
  if (!acc) return;
  for (int64_t r = 0; r < rows; r++) {
    const int64_t i = dtrt_row(r, p->m, rows), high = dtrt_row(r + 1, p->m, rows) - i;
    for (int64_t q = 0; q < columns; q++) {
      const int64_t j = dtrt_row(q, p->n, columns), wide = dtrt_row(q + 1, p->n, columns) - j;
      float *to = c + i * ldc + j;
      if (add) join(FIRST, acc, wide, to, ldc, high, wide);
      add_depths(gemm_piece(p, i, high, j, wide), to, ldc, acc, wide, 0, p->k, add);
    }
    if (epilogue) epilogue->rows(epilogue->dev, epilogue->p, epilogue->n, i, i + high);
  }
}

void dtrt_gemm_sum(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                   const void *b, int64_t ldb, void *c, int64_t ldc, double *acc, int64_t at,
                   int64_t all, const dtrt_band *band) {
  if (m <= 0 || n <= 0) return;
  if (all <= GEMM_BLOCK && band) {
    dtrt_gemm_band(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, at > 0, *band);
    return;
  }
  if (all <= GEMM_BLOCK) {
    dtrt_gemm(DTRT_F32, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, at > 0);
    return;
  }
  const GemmOperands p = {ta, tb, m, n, k, a, lda, b, ldb, band, {0}};
  add_depths(p, c, ldc, acc, ldc, at, all, false);
}
