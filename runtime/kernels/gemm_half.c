/* gemm_half.c: products of bf16 and f16, added up in f32 and rounded once (docs/sums.md). Operands
 * become words as they are packed (gemm_half.h), so nothing is converted in a pass of its own; sums
 * lie in this thread's room until they are whole. */
#include "gemm_half.h"
#include "conv.h"
#include "variables.h"
#include <string.h>

enum {
  GAP = 16,           /* words between packed rows */
  ROWS_AT_ONCE = 2048, /* whose sums lie in the room */
  NARROW = 8          /* columns that are better rows */
};

typedef struct HalfProduct {
  const HalfKernel *kernel;
  int dtype, wide, across; /* wide: columns of a tile; across: rows of one where x is transposed */
  int64_t m, n, k;
  const uint16_t *x, *y;
  int64_t xi, xl, yl, yj;
  uint16_t *c;
  int64_t ci, cj;
  float *all, *strip, *temp;
  float *sum; /* [rows][columns] of what is worked on */
  double *blocks; /* the same, of the blocks before; NULL: there is one */
} HalfProduct;

const HalfKernel *half_kernel(int dtype) {
  const GemmKernel *g = gemm_kernel();
#if defined(__x86_64__)
  const char *say = variable(VARIABLE_GEMM);
  const bool pairs = !say || strcmp(say, "avx512");
  if (g == &gemm_kernel_avx512 && dtype == DTRT_BF16 && pairs &&
      __builtin_cpu_supports("avx512bf16"))
    return &half_kernel_bf16;
  if (g == &gemm_kernel_avx512) return &half_kernel_avx512;
  if (g == &gemm_kernel_avx2) return &half_kernel_avx2;
#endif
  (void)dtype, (void)g;
  return &half_kernel_portable;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t tiles_of(int64_t n, int64_t most) { return (n + most - 1) / most; }

/* Numbers of a part. */
static int64_t part_of_depth(int64_t k) {
  const int64_t parts = tiles_of(k, HALF_DEPTH);
  return k > DTRT_GEMM_BLOCK ? HALF_DEPTH : ((k + parts - 1) / parts + 15) / 16 * 16;
}

static int64_t words_of(const HalfProduct *p, int64_t depth) {
  const int64_t pairs = (depth + 1) / 2;
  return p->dtype != DTRT_BF16 ? depth : p->kernel->numbers == 2 ? pairs : 2 * pairs;
}

/* Rows i.. of x at depths l.. for the tile t. */
static void pack_strip(const HalfProduct *p, GemmTile *t, int64_t l, int64_t depth, int64_t i,
                       int rows) {
  const uint16_t *x = p->x + i * p->xi + l * p->xl;
  const int64_t pitch = t->depth + GAP;
  t->x = p->strip;
  if (p->xl == 1) {
    p->kernel->rows(p->dtype, x, p->xi, depth, rows, p->strip, pitch);
    t->xi = pitch, t->xl = 1;
  } else {
    /* More than the tile's, which is faster than fewer. */
    p->kernel->panels(p->dtype, x, p->xl, depth, least(p->m - i, p->across), p->strip, p->across);
    t->xi = 1, t->xl = p->across;
  }
}

/* Columns j0 to j1 of y at depths l.., as panels. */
static void pack_block(const HalfProduct *p, int64_t l, int64_t depth, int64_t j0, int64_t j1) {
  const GemmKernel *k = p->kernel->tiles;
  const int64_t words = words_of(p, depth), pitch = words + GAP;
  if (p->yj == 1) {
    p->kernel->panels(p->dtype, p->y + l * p->yl + j0, p->yl, depth, j1 - j0, p->all, p->wide);
    return;
  }
  for (int64_t j = j0; j < j1; j += p->wide) {
    const int n = (int)least(j1 - j, p->wide);
    p->kernel->rows(p->dtype, p->y + j * p->yj + l, p->yj, depth, n, p->temp, pitch);
    for (int at = 0; at < n; at += k->lanes)
      k->turn(p->temp + at * pitch, pitch, words, (int)least(n - at, k->lanes),
              p->all + (j - j0) * words + at, p->wide);
  }
}

/* Depths l.. of the sums of rows i0 to i1 and columns j0 to j1. */
static void add_part(const HalfProduct *p, int64_t l, int64_t depth, int64_t i0, int64_t i1,
                     int64_t j0, int64_t j1, bool add) {
  const GemmKernel *k = p->kernel->tiles;
  const int64_t rows = i1 - i0, tiles = tiles_of(rows, k->rows[2]), columns = j1 - j0;
  GemmTile t;
  t.depth = words_of(p, depth), t.run = HALF_RUN / p->kernel->numbers, t.skip = 0;
  t.lead = p->wide, t.ldc = columns, t.add = add;
  for (int64_t s = 0; s * GEMM_STRETCH < t.depth; s++)
    t.ahead[s] = (GemmAhead){(const char *)p->strip, 0};
  pack_block(p, l, depth, j0, j1);
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = q * rows / tiles, next = (q + 1) * rows / tiles;
    pack_strip(p, &t, l, depth, i0 + i, (int)(next - i));
    for (int64_t j = 0; j < columns; j += p->wide) {
      const int left = (int)least(columns - j, p->wide), vectors = (left + k->lanes - 1) / k->lanes;
      t.tail = left - (vectors - 1) * k->lanes;
      t.y = p->all + j * t.depth;
      t.c = p->sum + i * columns + j;
      k->tile[next - i][vectors - 1](&t);
    }
  }
}

static void store_rounded(const HalfProduct *p, int64_t i0, int64_t rows, int64_t j0,
                          int64_t columns) {
  for (int64_t i = 0; i < rows; i++) {
    const float *from = p->sum + i * columns;
    uint16_t *to = p->c + (i0 + i) * p->ci + j0 * p->cj;
    if (p->cj == 1) {
      p->kernel->round(p->dtype, from, columns, to);
      continue;
    }
    for (int64_t j = 0; j < columns; j++) p->kernel->round(p->dtype, from + j, 1, to + j * p->cj);
  }
}

static void block_of(const HalfProduct *p, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  const int64_t part = part_of_depth(p->k), elements = (i1 - i0) * (j1 - j0);
  for (int64_t l = 0; l < p->k; l += part) {
    const int64_t depth = least(part, p->k - l);
    add_part(p, l, depth, i0, i1, j0, j1, l % DTRT_GEMM_BLOCK > 0);
    if (l + depth < p->k && (l + depth) % DTRT_GEMM_BLOCK == 0)
      conv_end_block(p->blocks, p->sum, elements, l + depth > DTRT_GEMM_BLOCK);
  }
  if (p->blocks) conv_round_blocks(p->blocks, p->sum, elements);
  store_rounded(p, i0, i1 - i0, j0, j1 - j0);
}

/* A matrix whose rows lie whole, times a vector. */
static bool dots(const HalfProduct *p, const uint16_t *a, int64_t step, int64_t rows,
                 const uint16_t *v, int64_t vstep, uint16_t *to, int64_t tostep) {
  enum { AT_ONCE = 4 };
  const int64_t padded = tiles_of(p->k, 2 * HALF_LANES) * 2 * HALF_LANES;
  uint16_t *x = (uint16_t *)(void *)conv_room(padded / 2);
  if (!x) return false;
  for (int64_t l = 0; l < padded; l++) x[l] = l < p->k ? v[l * vstep] : 0;
  for (int64_t i = 0; i < rows; i += AT_ONCE) {
    const int64_t first = rows < AT_ONCE || i + AT_ONCE <= rows ? i : rows - AT_ONCE;
    double sum[AT_ONCE] = {0};
    for (int64_t l = 0; l < p->k; l += DTRT_GEMM_BLOCK) {
      float y[AT_ONCE];
      p->kernel->dots(a + first * step + l, rows < AT_ONCE ? 0 : step,
                      least(DTRT_GEMM_BLOCK, p->k - l), x + l, y);
      if (rows < AT_ONCE)
        for (int64_t q = 1; q < rows; q++) {
          float other[AT_ONCE];
          p->kernel->dots(a + (first + q) * step + l, 0, least(DTRT_GEMM_BLOCK, p->k - l), x + l,
                          other);
          y[q] = other[0];
        }
      for (int q = 0; q < AT_ONCE; q++) sum[q] += y[q];
    }
    for (int64_t q = 0; q < AT_ONCE && first + q < rows; q++) {
      const float whole = (float)sum[q];
      p->kernel->round(p->dtype, &whole, 1, to + (first + q) * tostep);
    }
  }
  return true;
}

/* Adds `n` sums of what comes next to those before, if there are `some`. */
static void add_sums(float *to, const float *sum, int64_t n, bool some) {
  for (int64_t j = 0; j < n; j++) to[j] = some ? sum[j] + to[j] : sum[j];
}

/* A vector times columns of a matrix whose rows lie whole: in the order of a product. */
static void columns_of(const HalfProduct *p, const uint16_t *x, const uint16_t *y, bool wide,
                       float *to) {
  const int64_t part = part_of_depth(p->k), n = wide ? HALF_WIDE : HALF_NARROW;
  float run[HALF_WIDE], of_part[HALF_WIDE];
  double blocks[HALF_WIDE];
  for (int64_t l = 0; l < p->k; l += part) {
    const int64_t end = least(l + part, p->k);
    for (int64_t r = l; r < end; r += HALF_RUN) {
      p->kernel->lines(y + r * p->yl, p->yl, least(HALF_RUN, end - r), x + r, wide, run);
      for (int64_t j = 0; j < n; j++) of_part[j] = r > l ? of_part[j] + run[j] : run[j];
    }
    add_sums(to, of_part, n, l % DTRT_GEMM_BLOCK > 0);
    if (end < p->k && end % DTRT_GEMM_BLOCK == 0)
      conv_end_block(blocks, to, n, end > DTRT_GEMM_BLOCK);
  }
  if (p->k > DTRT_GEMM_BLOCK) conv_round_blocks(blocks, to, n);
}

static bool lines(const HalfProduct *p) {
  uint16_t *x = (uint16_t *)(void *)conv_room(p->k / 2 + 1);
  if (!x) return false;
  for (int64_t l = 0; l < p->k; l++) x[l] = p->x[l * p->xl];
  x[p->k] = 0;
  for (int64_t j = 0, here; j < p->n; j += here) {
    const bool wide = p->n - j >= HALF_WIDE;
    here = wide ? HALF_WIDE : HALF_NARROW;
    if (j + here > p->n) j = p->n - here;
    float sum[HALF_WIDE];
    columns_of(p, x, p->y + j, wide, sum);
    for (int64_t q = 0; q < here; q++)
      p->kernel->round(p->dtype, sum + q, 1, p->c + (j + q) * p->cj);
  }
  return true;
}

static void change_places(HalfProduct *p) {
  const HalfProduct s = *p;
  p->m = s.n, p->n = s.m;
  p->x = s.y, p->xi = s.yj, p->xl = s.yl;
  p->y = s.x, p->yl = s.xl, p->yj = s.xi;
  p->ci = s.cj, p->cj = s.ci;
}

bool gemm_half(int dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const uint16_t *a,
               int64_t lda, const uint16_t *b, int64_t ldb, uint16_t *c, int64_t ldc) {
  const HalfKernel *kernel = half_kernel(dtype);
  HalfProduct p = {.kernel = kernel,
                   .dtype = dtype,
                   .m = m,
                   .n = n,
                   .k = k,
                   .x = a,
                   .y = b,
                   .xi = ta ? 1 : lda,
                   .xl = ta ? lda : 1,
                   .yl = tb ? 1 : ldb,
                   .yj = tb ? ldb : 1,
                   .c = c,
                   .ci = ldc,
                   .cj = 1};
  if (m <= 0 || n <= 0) return true;
  if (dtype == DTRT_BF16 && k > 0 && n == 1 && !ta)
    return dots(&p, a, lda, m, b, tb ? 1 : ldb, c, ldc);
  if (dtype == DTRT_BF16 && k > 0 && m == 1 && tb)
    return dots(&p, b, ldb, n, a, ta ? lda : 1, c, 1);
  if (n <= NARROW && n < m) change_places(&p);
  if (dtype == DTRT_BF16 && k > 0 && p.m == 1 && p.yj == 1 && p.n >= HALF_NARROW) return lines(&p);
  const int lanes = kernel->tiles->lanes;
  p.wide = 2 * lanes, p.across = (int)tiles_of(kernel->tiles->rows[2], lanes) * lanes;
  int64_t floats;
  p.all = gemm_room(&floats);
  if (!p.all) return false;
  p.strip = p.all + floats;
  p.temp = p.strip + GEMM_ROWS * (HALF_DEPTH + GAP);
  const int64_t words = words_of(&p, least(part_of_depth(k > 0 ? k : 1), k > 0 ? k : 1));
  const int64_t columns = least(p.n, floats / words / p.wide * p.wide), rows = least(p.m, ROWS_AT_ONCE);
  p.sum = conv_room((k > DTRT_GEMM_BLOCK ? 3 : 1) * (rows * columns + GAP));
  if (!p.sum) return false;
  if (k > DTRT_GEMM_BLOCK)
    p.blocks = (double *)(void *)(p.sum + (rows * columns + GAP - 1) / GAP * GAP);
  if (k <= 0) memset(p.sum, 0, (size_t)(rows * columns) * sizeof *p.sum);
  for (int64_t i = 0; i < p.m; i += rows)
    for (int64_t j = 0; j < p.n; j += columns)
      block_of(&p, i, least(p.m, i + rows), j, least(p.n, j + columns));
  return true;
}
