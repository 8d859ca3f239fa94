/* gemm_half.c: products of bf16 and f16, added up in f32 (docs/sums.md). Operands become words as
 * they are packed (gemm_half.h), and those of f32 are rounded there: nothing is converted in a pass
 * of its own. A second matrix that several blocks of rows read, of one call or of a nest of tiles,
 * is packed once. Sums grow in the result, or in this thread's room where that is added to, lies
 * transposed, or has to wait for f64.
 */
#include "gemm_half.h"
#include "conv.h"
#include "device.h"
#include "gemm.h"
#include "gemm_cores.h"
#include "gemm_kept.h"
#include <string.h>

enum {
  GAP = 16,            /* words between packed rows */
  ROWS_AT_ONCE = 2048, /* whose sums lie in the room */
  NARROW = 8,          /* columns that are better rows */
  TOGETHER = 4,        /* tiles packed at a time where x is transposed */
  ROWS_AHEAD = 2,      /* of f32 that are rounded, fetched ahead; and lines of them */
  LINES_AHEAD = 8,
  LONG = 1024, /* a line, in which so many numbers are fetched ahead */
  TILE_FLOATS = GEMM_ROWS * (HALF_DEPTH + GAP)
};

/* Elements of the type that is multiplied, or of f32 to round to it. */
typedef struct HalfMatrix {
  const void *at;
  bool wide;
} HalfMatrix;

typedef struct HalfProduct {
  const HalfKernel *kernel;
  int dtype, wide, across; /* wide: columns of a tile; across: rows of one where x is transposed */
  int64_t m, n, k;
  HalfMatrix x, y;
  int64_t xi, xl, yl, yj;
  float *c;
  int64_t ci, cj;
  bool add; /* to what c holds */
  float *all, *packed, *temp;
  const float *kept; /* y, packed whole; NULL: it is packed part by part, into `all` */
  float *room;       /* [rows][columns] of what is worked on; NULL: c */
  double *blocks;    /* the same, of the blocks before; NULL: there is one */
} HalfProduct;

/* Rows i0 to i1 of the result, dealt to tiles. */
typedef struct HalfRows {
  int64_t i0, i1, tiles;
} HalfRows;

static int64_t tile_row(const HalfRows *r, int64_t q) {
  return r->i0 + q * (r->i1 - r->i0) / r->tiles;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t tiles_of(int64_t n, int64_t most) { return (n + most - 1) / most; }

/* Numbers of a part. */
static int64_t part_of_depth(const HalfKernel *kernel, int64_t k) {
  const int64_t parts = tiles_of(k, HALF_DEPTH), unit = kernel->square ? HALF_AMX_BLOCK : 16;
  return k > DTRT_GEMM_BLOCK ? HALF_DEPTH : ((k + parts - 1) / parts + unit - 1) / unit * unit;
}

static int64_t words_of(const HalfProduct *p, int64_t depth) {
  if (p->dtype == DTRT_BF16 && p->kernel->square)
    return tiles_of(depth, HALF_AMX_BLOCK) * (HALF_AMX_BLOCK / 2);
  return half_words(p->dtype, p->kernel->numbers, depth);
}

static HalfMatrix matrix_at(HalfMatrix x, int64_t i) {
  x.at = (const char *)x.at + i * (x.wide ? 4 : 2);
  return x;
}

/* Elements that lie side by side, at each of some depths. */
static void prefetch_depths(HalfMatrix x, int64_t step, int64_t depth, int64_t n) {
  const int64_t line = x.wide ? 16 : 32;
  for (int64_t l = 0; l < depth; l++)
    for (int64_t i = 0; i < n + line - 1; i += line)
      __builtin_prefetch(matrix_at(x, l * step + least(i, n - 1)).at, 0, 3);
}

/* HalfKernel.rows. */
static void take_rows(const HalfProduct *p, HalfMatrix x, int64_t step, int64_t depth, int64_t n,
                      float *to, int64_t pitch) {
  uint16_t some[HALF_DEPTH];
  if (!x.wide) {
    p->kernel->rows(p->dtype, x.at, step, depth, (int)n, to, pitch);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    p->kernel->shorten(p->dtype, matrix_at(x, i * step).at, depth, ROWS_AHEAD * step, some);
    p->kernel->rows(p->dtype, some, 0, depth, 1, to + i * pitch, pitch);
  }
}

/* HalfKernel.panels. */
static void take_panels(const HalfProduct *p, HalfMatrix x, int64_t step, int64_t depth, int64_t n,
                        float *to, int64_t wide) {
  enum { SOME = 16 }; /* depths of a panel before the next panel's */
  uint16_t some[SOME * GEMM_COLUMNS];
  if (!x.wide) {
    p->kernel->panels(p->dtype, x.at, step, depth, n, to, wide);
    return;
  }
  const int numbers = p->kernel->numbers;
  for (int64_t l = 0; l < depth; l += SOME) {
    const int64_t end = least(SOME, depth - l);
    float *part = to + half_words(p->dtype, numbers, l) * wide;
    for (int64_t j = 0; j < n; j += wide, part += half_words(p->dtype, numbers, depth) * wide) {
      const int64_t here = least(wide, n - j);
      for (int64_t d = 0; d < end; d++) {
        const float *from = matrix_at(x, (l + d) * step + j).at;
        p->kernel->shorten(p->dtype, from, here, SOME * step, some + d * wide);
      }
      p->kernel->panels(p->dtype, some, wide, end, here, part, wide);
    }
  }
}

/* Rows of x at depths l.. for the tiles q0 to q1 of `tiles` that rows i0 to i1 are dealt to, each
 * packed by itself. Where x is transposed, tiles share the cache lines of a depth, so some
 * depths are packed for all tiles before the next. */
static void pack_tiles(const HalfProduct *p, const HalfRows *r, int64_t q0, int64_t q1, int64_t l,
                       int64_t depth) {
  enum { AT_ONCE = 32 };
  const int64_t pitch = words_of(p, depth) + GAP, step = p->xl == 1 ? depth : AT_ONCE;
  for (int64_t d = 0; d < depth; d += step) {
    if (d + step < depth) /* while these are packed */
      prefetch_depths(matrix_at(p->x, tile_row(r, q0) * p->xi + (l + d + step) * p->xl), p->xl,
                      least(step, depth - d - step), tile_row(r, q1) - tile_row(r, q0));
    for (int64_t q = q0; q < q1; q++) {
      const int64_t i = tile_row(r, q), n = tile_row(r, q + 1) - i;
      const HalfMatrix x = matrix_at(p->x, i * p->xi + (l + d) * p->xl);
      float *to = p->packed + (q - q0) * TILE_FLOATS;
      if (p->xl == 1)
        take_rows(p, x, p->xi, depth, n, to, pitch);
      else /* more rows than the tile's, which is faster than fewer */
        take_panels(p, x, p->xl, least(step, depth - d), least(p->m - i, p->across),
                    to + words_of(p, d) * p->across, p->across);
    }
  }
}

/* Numbers of squares are whole blocks of depth, the last of zeros. */
static bool pads_depth(const HalfProduct *p, int64_t depth) {
  return p->kernel->square && (depth + 1) / 2 < words_of(p, depth);
}
static void end_rows(const HalfProduct *p, int64_t depth, int64_t n, float *rows, int64_t pitch) {
  const int64_t pairs = (depth + 1) / 2, words = words_of(p, depth);
  for (int64_t i = 0; i < n; i++)
    memset(rows + i * pitch + pairs, 0, (size_t)(words - pairs) * sizeof *rows);
}

/* Columns j0 to j1 of y at depths l.., as panels. */
static void pack_block(const HalfProduct *p, int64_t l, int64_t depth, int64_t j0, int64_t j1,
                       float *all) {
  const GemmKernel *k = p->kernel->tiles;
  const int64_t words = words_of(p, depth), pitch = words + GAP;
  const bool pads = pads_depth(p, depth);
  if (p->yj == 1 && !pads) {
    take_panels(p, matrix_at(p->y, l * p->yl + j0), p->yl, depth, j1 - j0, all, p->wide);
    return;
  }
  for (int64_t j = j0; j < j1; j += p->wide) {
    const int n = (int)least(j1 - j, p->wide);
    if (p->yj == 1) {
      float *to = all + (j - j0) * words;
      take_panels(p, matrix_at(p->y, l * p->yl + j), p->yl, depth, n, to, p->wide);
      memset(to + (depth + 1) / 2 * p->wide, 0,
             (size_t)((words - (depth + 1) / 2) * p->wide) * sizeof *to);
      continue;
    }
    take_rows(p, matrix_at(p->y, j * p->yj + l), p->yj, depth, n, p->temp, pitch);
    if (pads) end_rows(p, depth, n, p->temp, pitch);
    for (int at = 0; at < n; at += k->lanes)
      k->transpose(p->temp + at * pitch, pitch, words, (int)least(n - at, k->lanes),
                   all + (j - j0) * words + at, p->wide);
  }
}

/* -------- the second matrix, packed once -------- */

/* Words of all columns down to depth l, in parts of one size but for the last. */
static int64_t kept_before(const HalfProduct *p, int64_t l) {
  const int64_t part = part_of_depth(p->kernel, p->k), columns = tiles_of(p->n, p->wide) * p->wide;
  return (l / part * words_of(p, part) + words_of(p, l % part)) * columns;
}

/* NULL: there is no room for it. nest 0: it is of no use to other calls. */
static const float *keep(const HalfProduct *p, int64_t nest, int64_t most) {
  const KeptMatrix own = {p->kernel, p->y.at, p->k, p->n, p->yl, p->yj, p->dtype};
  const int64_t part = part_of_depth(p->kernel, p->k);
  bool fresh;
  float *to = gemm_keep(&own, nest, kept_before(p, p->k), most, &fresh);
  for (int64_t l = 0; to && fresh && l < p->k; l += part)
    pack_block(p, l, least(part, p->k - l), 0, p->n, to + kept_before(p, l));
  return to;
}

/* Rows i.. of x at depths l.., as rows. */
static void pack_square(const HalfProduct *p, int64_t i, int64_t n, int64_t l, int64_t depth,
                        int64_t pitch) {
  const HalfMatrix x = matrix_at(p->x, i * p->xi + l * p->xl);
  const GemmKernel *k = p->kernel->tiles;
  const int64_t words = words_of(p, depth), pairs = (depth + 1) / 2;
  if (p->xl == 1) {
    take_rows(p, x, p->xi, depth, n, p->packed, pitch);
    if (pairs < words) end_rows(p, depth, n, p->packed, pitch);
    return;
  }
  float *across = p->packed + HALF_SQUARE * pitch;
  take_panels(p, x, p->xl, depth, n, across, HALF_SQUARE);
  memset(across + pairs * HALF_SQUARE, 0, (size_t)((words - pairs) * HALF_SQUARE) * sizeof *across);
  for (int64_t w = 0; w < words; w += k->lanes)
    k->transpose(across + w * HALF_SQUARE, HALF_SQUARE, n, k->lanes, p->packed + w, pitch);
}

/* As add_part, by squares. */
static void add_squares(const HalfProduct *p, int64_t l, int64_t depth, int64_t i0, int64_t i1,
                        int64_t j0, int64_t j1, float *sum, int64_t ldc, bool add) {
  const int64_t words = words_of(p, depth), pitch = words + GAP;
  const float *y = p->kept ? p->kept + kept_before(p, l) + j0 * words : p->all;
  if (!p->kept) pack_block(p, l, depth, j0, j1, p->all);
  p->kernel->begin();
  for (int64_t i = i0; i < i1; i += HALF_SQUARE) {
    const int64_t rows = least(HALF_SQUARE, i1 - i);
    pack_square(p, i, rows, l, depth, pitch);
    for (int64_t j = j0; j < j1; j += HALF_SQUARE)
      p->kernel->square(p->packed, pitch, y + (j - j0) * words, words / (HALF_AMX_BLOCK / 2),
                        sum + (i - i0) * ldc + j - j0, ldc, (int)rows,
                        (int)least(HALF_SQUARE, j1 - j), add);
  }
  p->kernel->end();
}

/* Depths l.. of the sums of rows i0 to i1 and columns j0 to j1. */
static void add_part(const HalfProduct *p, int64_t l, int64_t depth, int64_t i0, int64_t i1,
                     int64_t j0, int64_t j1, float *sum, int64_t ldc, bool add) {
  const GemmKernel *k = p->kernel->tiles;
  const HalfRows r = {i0, i1, tiles_of(i1 - i0, k->rows[2])};
  const int64_t columns = j1 - j0, together = p->xl == 1 ? 1 : TOGETHER;
  GemmTile t;
  t.depth = words_of(p, depth), t.run = HALF_RUN / p->kernel->numbers, t.skip = 0;
  t.lead = p->wide, t.ldc = ldc, t.add = add;
  t.xi = p->xl == 1 ? t.depth + GAP : 1, t.xl = p->xl == 1 ? 1 : p->across;
  for (int64_t s = 0; s * t.run < t.depth; s++)
    t.ahead[s] = (GemmAhead){(const char *)p->packed, 0};
  const float *y = p->kept ? p->kept + kept_before(p, l) + j0 * t.depth : p->all;
  if (!p->kept) pack_block(p, l, depth, j0, j1, p->all);
  for (int64_t q = 0; q < r.tiles; q++) {
    const int64_t i = tile_row(&r, q), next = tile_row(&r, q + 1);
    if (q % together == 0) pack_tiles(p, &r, q, least(q + together, r.tiles), l, depth);
    t.x = p->packed + q % together * TILE_FLOATS;
    for (int64_t j = 0; j < columns; j += p->wide) {
      const int left = (int)least(columns - j, p->wide), vectors = (left + k->lanes - 1) / k->lanes;
      t.tail = left - (vectors - 1) * k->lanes;
      t.y = y + j * t.depth;
      t.c = sum + (i - i0) * ldc + j;
      k->tile[next - i][vectors - 1](&t);
    }
  }
}

static void put(const HalfProduct *p, int64_t i, int64_t j, float sum) {
  float *to = p->c + i * p->ci + j * p->cj;
  *to = p->add ? *to + sum : sum;
}

static void block_of(const HalfProduct *p, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  const int64_t part = part_of_depth(p->kernel, p->k), columns = j1 - j0,
                elements = (i1 - i0) * columns;
  float *sum = p->room ? p->room : p->c + i0 * p->ci + j0;
  for (int64_t l = 0; l < p->k; l += part) {
    const int64_t depth = least(part, p->k - l);
    (p->kernel->square ? add_squares : add_part)(
        p, l, depth, i0, i1, j0, j1, sum, p->room ? columns : p->ci, l % DTRT_GEMM_BLOCK > 0);
    if (l + depth < p->k && (l + depth) % DTRT_GEMM_BLOCK == 0)
      conv_end_block(p->blocks, sum, elements, l + depth > DTRT_GEMM_BLOCK);
  }
  if (p->blocks) conv_round_blocks(p->blocks, sum, elements);
  for (int64_t i = i0; p->room && i < i1; i++)
    for (int64_t j = j0; j < j1; j++) put(p, i, j, *sum++);
}

/* The k numbers of the vector, side by side. */
static void take_vector(const HalfProduct *p, uint16_t *to) {
  const uint16_t *x = p->x.at;
  const float *wide = p->x.at;
  for (int64_t l = 0; l < p->k; l++)
    if (p->x.wide)
      p->kernel->shorten(p->dtype, wide + l * p->xl, 1, 0, to + l);
    else
      to[l] = x[l * p->xl];
}

/* Some lines of y, `step` apart, of n numbers each: where they lie, or rounded, in `room`. */
static const uint16_t *take_lines(const HalfProduct *p, HalfMatrix y, int64_t lines, int64_t n,
                                  int64_t *step, uint16_t *room) {
  if (!y.wide) return y.at;
  const int64_t ahead = n >= LONG ? LONG : LINES_AHEAD * *step;
  for (int64_t i = 0; i < lines; i++)
    p->kernel->shorten(p->dtype, matrix_at(y, i * *step).at, n, ahead, room + i * n);
  *step = n;
  return room;
}

/* A matrix whose rows lie whole, times a vector. */
static bool dots(const HalfProduct *p) {
  enum { AT_ONCE = 4 };
  const int64_t padded = tiles_of(p->k, 2 * HALF_LANES) * 2 * HALF_LANES,
                more = p->y.wide ? AT_ONCE * least(p->k, DTRT_GEMM_BLOCK) : 0;
  uint16_t *x = (uint16_t *)(void *)conv_room((padded + more + 1) / 2), *room = x + padded;
  if (!x) return false;
  take_vector(p, x);
  memset(x + p->k, 0, (size_t)(padded - p->k) * sizeof *x);
  for (int64_t j = 0; j < p->n; j += AT_ONCE) {
    const int64_t rows = least(AT_ONCE, p->n - j), each = rows == AT_ONCE ? AT_ONCE : 1;
    double sum[AT_ONCE] = {0};
    for (int64_t l = 0; l < p->k; l += DTRT_GEMM_BLOCK)
      for (int64_t q = 0; q < rows; q += each) { /* of the last few, one by one */
        const int64_t depth = least(DTRT_GEMM_BLOCK, p->k - l);
        int64_t step = p->yj;
        float y[AT_ONCE];
        const uint16_t *from =
            take_lines(p, matrix_at(p->y, (j + q) * p->yj + l), each, depth, &step, room);
        p->kernel->dots(from, each > 1 ? step : 0, depth, x + l, y);
        for (int i = 0; i < each; i++) sum[q + i] += y[i];
      }
    for (int64_t q = 0; q < rows; q++) put(p, 0, j + q, (float)sum[q]);
  }
  return true;
}

/* Adds `n` sums of what comes next to those before, if there are `some`. */
static void add_sums(float *to, const float *sum, int64_t n, bool some) {
  for (int64_t j = 0; j < n; j++) to[j] = some ? sum[j] + to[j] : sum[j];
}

/* A vector times columns of a matrix whose rows lie whole: in the order of a product. */
static void columns_of(const HalfProduct *p, const uint16_t *x, HalfMatrix y, bool wide, float *to,
                       uint16_t *room) {
  const bool whole = p->kernel->square; /* goes through all of a block of depths */
  const int64_t part = whole ? DTRT_GEMM_BLOCK : part_of_depth(p->kernel, p->k),
                run_most = whole ? DTRT_GEMM_BLOCK : HALF_RUN, n = wide ? HALF_WIDE : HALF_NARROW;
  float run[HALF_WIDE], of_part[HALF_WIDE];
  double blocks[HALF_WIDE];
  for (int64_t l = 0; l < p->k; l += part) {
    const int64_t end = least(l + part, p->k);
    for (int64_t r = l; r < end; r += run_most) {
      const int64_t depth = least(run_most, end - r);
      int64_t step = p->yl;
      const uint16_t *from = take_lines(p, matrix_at(y, r * p->yl), depth, n, &step, room);
      p->kernel->lines(from, step, depth, x + r, wide, run);
      for (int64_t j = 0; j < n; j++) of_part[j] = r > l ? of_part[j] + run[j] : run[j];
    }
    add_sums(to, of_part, n, l % DTRT_GEMM_BLOCK > 0);
    if (end < p->k && end % DTRT_GEMM_BLOCK == 0)
      conv_end_block(blocks, to, n, end > DTRT_GEMM_BLOCK);
  }
  if (p->k > DTRT_GEMM_BLOCK) conv_round_blocks(blocks, to, n);
}

static bool lines(const HalfProduct *p) {
  const bool wholes = p->kernel->square; /* as columns_of: of wide ones so many are too many */
  const int64_t run = wholes ? DTRT_GEMM_BLOCK : HALF_RUN,
                more = p->y.wide ? run * (wholes ? HALF_NARROW : HALF_WIDE) : 0;
  uint16_t *x = (uint16_t *)(void *)conv_room((p->k + more) / 2 + 1), *room = x + p->k + 1;
  if (!x) return false;
  take_vector(p, x);
  x[p->k] = 0;
  for (int64_t j = 0, here; j < p->n; j += here) {
    const bool wide = p->n - j >= HALF_WIDE && !(p->y.wide && wholes);
    const int64_t n = wide ? HALF_WIDE : HALF_NARROW, again = j + n > p->n ? j + n - p->n : 0;
    here = n - again; /* the last ones go with some that were there before */
    float sum[HALF_WIDE];
    columns_of(p, x, matrix_at(p->y, j - again), wide, sum, room);
    for (int64_t q = again; q < n; q++) put(p, 0, j - again + q, sum[q]);
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

/* One row, by what reads the matrix once. */
static bool one_row(const HalfProduct *p, bool *done) {
  *done = p->dtype == DTRT_BF16 && p->m == 1 && p->k > 0 &&
          (p->yl == 1 || (p->yj == 1 && p->n >= HALF_NARROW));
  if (!*done) return true;
  return p->yl == 1 ? dots(p) : lines(p);
}

static bool blocks_of(HalfProduct *p, int64_t nest, const dtrt_epilogue *then) {
  const int64_t deep = least(part_of_depth(p->kernel, p->k), p->k);
  int64_t floats;
  p->all = gemm_room(&floats);
  if (!p->all) return false;
  p->packed = p->all + floats;
  p->temp = p->packed; /* tiles are packed later */
  _Static_assert(TOGETHER * TILE_FLOATS <= GEMM_TILES_FLOATS, "tiles");
  _Static_assert(GEMM_COLUMNS * (HALF_DEPTH + GAP) <= GEMM_TILES_FLOATS, "lines to transpose");
  _Static_assert(HALF_SQUARE * (HALF_DEPTH + GAP) <= GEMM_TILES_FLOATS, "a square's rows, twice");
  const int64_t columns = least(p->n, floats / words_of(p, deep) / p->wide * p->wide);
  const int64_t rows = least(p->m, then ? ROWS_AT_ONCE / 4 : ROWS_AT_ONCE);
  if (nest || rows < p->m) p->kept = keep(p, nest, GEMM_KEPT_ROOMS * floats);
  const bool deeper = p->k > DTRT_GEMM_BLOCK;
  if (deeper || p->add || p->cj != 1) {
    const int64_t some = (rows * columns + GAP - 1) / GAP * GAP;
    p->room = conv_room((deeper ? 3 : 1) * some);
    if (!p->room) return false;
    if (deeper) p->blocks = (double *)(void *)(p->room + some);
  }
  for (int64_t i = 0; i < p->m; i += rows) {
    const int64_t end = least(p->m, i + rows);
    for (int64_t j = 0; j < p->n; j += columns) block_of(p, i, end, j, least(p->n, j + columns));
    if (then) then->rows(then->dev, then->p, then->n, i, end);
  }
  return true;
}

void dtrt_gemm_half(int32_t dtype, int rounds, int ta, int tb, int64_t m, int64_t n, int64_t k,
                    const void *a, int64_t lda, const void *b, int64_t ldb, void *result,
                    int64_t ldc, int accumulate, int keeps, const dtrt_epilogue *then) {
  float *c = result;
  const HalfKernel *kernel = half_kernel(dtype);
  const int lanes = kernel->tiles->lanes;
  HalfProduct p = {.kernel = kernel,
                   .dtype = dtype,
                   .wide = 2 * lanes,
                   .across = (int)tiles_of(kernel->tiles->rows[2], lanes) * lanes,
                   .m = m,
                   .n = n,
                   .k = k,
                   .x = {a, rounds & DTRT_ROUND_A},
                   .y = {b, rounds & DTRT_ROUND_B},
                   .xi = ta ? 1 : lda,
                   .xl = ta ? lda : 1,
                   .yl = tb ? 1 : ldb,
                   .yj = tb ? ldb : 1,
                   .c = c,
                   .ci = ldc,
                   .cj = 1,
                   .add = accumulate != 0};
  if (m <= 0 || n <= 0) return;
  if (gemm_dealt(&(GemmCall){dtype, rounds, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate,
                             keeps, then}))
    return;
  for (int64_t i = 0; k <= 0 && !accumulate && i < m; i++)
    memset(c + i * ldc, 0, (size_t)n * sizeof *c);
  const bool transposed =
      n <= (kernel->square ? 1 : NARROW) && (n < m || (n == m && n == 1 && !tb));
  bool done = k <= 0, enough = true;
  if (transposed) change_places(&p);
  if (!done) enough = one_row(&p, &done);
  const bool last = done || transposed; /* rows are final at the end only */
  if (!done) enough = blocks_of(&p, keeps && !transposed ? gemm_nest() : 0, last ? NULL : then);
  Device *d = fail_current();
  if (!enough && d)
    device_fail(d, "out of memory for a product of %ldx%ldx%ld", (long)m, (long)n, (long)k);
  if (then && last) then->rows(then->dev, then->p, then->n, 0, m);
}
