/* gemm_streams.c: products of few rows and a large matrix, which is read once, as it lies, while
 * what is read next is fetched. */
#include "gemm_product.h"
#include <string.h>

/* -------- a matrix whose rows lie along the result's, in streams -------- */

/* In the time of one multiplication and addition: to pack an element of y; to wait for one that is
 * not packed, while tiles read it, longer than streams do; and, for a product of it, the reading
 * and writing of the sum, which serves as many depths as the kernel takes at once. */
enum { PACKED_COST = 12, WAITED_COST = 4, SUM_COST = 1 };

bool gemm_streams(const GemmProduct *p, int64_t depth) {
  if (p->band || p->across || p->yj != 1 || p->n < 4 * p->kernel->lanes ||
      p->m * depth > GEMM_TILES_FLOATS)
    return false;
  const int64_t floats = p->yl * p->k, near = p->setup->all_floats, sums = p->m * SUM_COST;
  if (reads_from_l2(p, depth)) return floats > near && sums <= WAITED_COST * p->kernel->deep;
  return floats >= near && sums <= PACKED_COST * p->kernel->deep;
}

enum { WIDEST_DEEP = 8 }; /* most depths that a kernel takes at once */

/* x at depths l.., as `streams` of the kernel reads it. */
static void pack_streams(const GemmProduct *p, int64_t l, int64_t depth, float *to) {
  const int deep = p->kernel->deep;
  for (int64_t end = l + depth; l < end;) {
    const int d = end - l >= deep ? deep : 1;
    for (int64_t i = 0; i < p->m; i++, to += d) {
      const float *x = p->x + i * p->xi + l * p->xl;
      if (p->xl == 1 && d == WIDEST_DEEP)
        memcpy(to, x, WIDEST_DEEP * sizeof *to); /* one vector */
      else
        for (int q = 0; q < d; q++) to[q] = x[q * p->xl];
    }
    l += d;
  }
}

/* A block of columns, and the floats from one row of its sums to the next. */
typedef struct Columns {
  int64_t j, n, room;
} Columns;

/* At depths l..: runs in `sum`, which are added up in `part`, and that in c, whose lines are
 * fetched before they are written for the first time. `then`: what is read next. */
static void stream_columns(const GemmProduct *p, const Columns *b, int64_t l, int64_t depth,
                           const float *x, const float *then) {
  float *sum = p->all, *part = p->all + p->m * b->room;
  int64_t fetched = l ? p->m : 0;
  for (int64_t at = 0; at < depth; at += GEMM_RUN) {
    const int64_t here = least(GEMM_RUN, depth - at);
    const float *y = p->y + (l + at) * p->yl + b->j;
    for (; fetched * depth < p->m * (at + here); fetched++)
      for (int64_t q = 0; q < b->n; q += LINE / 4)
        __builtin_prefetch(p->c + fetched * p->ldc + b->j + q, 1);
    p->kernel->streams(x + at * p->m, p->m, y, p->yl, here, b->n, at ? sum : part, b->room,
                       at + here < depth ? y + here * p->yl : then, at ? part : NULL);
  }
  const int64_t vectors = b->n / p->kernel->lanes * p->kernel->lanes;
  for (int64_t i = 0; i < p->m; i++) {
    float *c = p->c + i * p->ldc + b->j;
    const float *s = part + i * b->room;
    if (!p->add && !l) {
      memcpy(c, s, (size_t)b->n * sizeof *c);
      continue;
    }
    p->kernel->join(c, s, vectors);
    for (int64_t q = vectors; q < b->n; q++) c[q] += s[q];
  }
}

/* -------- such a matrix, by tiles as it lies -------- */

/* Tiles keep their sums in registers, where streams load and store them every few depths; but they
 * read y from L2, twice, beside what is fetched, which only a core that multiplies one vector a
 * cycle does not wait for. Of y a tile reads two lines a depth: vectors that lie in two lines each,
 * and come from L2, would take it some ten cycles more. It fetches them for every other depth of
 * the next panel, so that there are to be two tiles of rows. */
static bool panels_pay(const GemmProduct *p) {
  const uintptr_t at = (uintptr_t)p->y | (uintptr_t)(p->yl * 4);
  return p->setup->halves && at % LINE == 0 && p->kernel->lanes * 4 == LINE &&
         p->m > p->kernel->rows[2];
}

/* Rows of x at depths l.., tile by tile, as [depth][rows of the tile]. */
static void pack_tiles(const GemmProduct *p, int64_t l, int64_t depth, int64_t tiles, float *to) {
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = tile_row(q, p->m, tiles), rows = tile_row(q + 1, p->m, tiles) - i;
    const float *x = p->x + i * p->xi + l * p->xl;
    for (int64_t d = 0; d < depth; d++, x += p->xl)
      for (int64_t r = 0; r < rows; r++) *to++ = x[r * p->xi];
  }
}

/* Depths of one part, of which x is packed, and two vectors of columns. */
static void panel(const GemmProduct *p, GemmTile *t, int64_t j, const float *x) {
  const int lanes = p->kernel->lanes;
  const int64_t columns = least(2 * lanes, p->n - j), next = j + 2 * lanes;
  const int64_t tiles = tiles_of(p->m, p->kernel->rows[2]);
  const int vectors = columns > lanes ? 2 : 1;
  t->tail = (int)columns - (vectors - 1) * lanes;
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = tile_row(q, p->m, tiles), rows = tile_row(q + 1, p->m, tiles) - i;
    t->x = x + i * t->depth, t->xl = rows, t->c = p->c + i * p->ldc + j;
    ahead_clear(t, t->depth);
    for (int64_t s = 0; next < p->n && q < GEMM_STRETCH && s * GEMM_RUN < t->depth; s++)
      t->ahead[s] = (GemmAhead){(const char *)(t->y + 2 * lanes + (s * GEMM_RUN + q) * p->yl),
                                GEMM_STRETCH * p->yl * 4};
    p->kernel->tile[rows][vectors - 1](t);
  }
}

/* With as many depths as x can be packed of, as c stays near then. */
static void by_panels(const GemmProduct *p, int64_t most) {
  const int64_t tiles = tiles_of(p->m, p->kernel->rows[2]);
  const int64_t deep = GEMM_TILES_FLOATS / (p->m * most) * most;
  GemmTile t = {.run = GEMM_RUN, .lead = p->yl, .xi = 1, .ldc = p->ldc};
  for (int64_t first = 0; first < p->k; first += deep) {
    const int64_t end = least(p->k, first + deep);
    for (int64_t l = first; l < end; l += most)
      pack_tiles(p, l, least(most, end - l), tiles, p->packed + (l - first) * p->m);
    for (int64_t j = 0; j < p->n; j += 2 * p->kernel->lanes)
      for (int64_t l = first; l < end; l += most) {
        t.depth = least(most, end - l), t.add = p->add || l > 0;
        t.y = p->y + l * p->yl + j;
        panel(p, &t, j, p->packed + (l - first) * p->m);
      }
  }
  epilogue_rows(p, 0, p->m);
}

/* -------- in streams -------- */

/* Blocks of columns of one size, with all depths that x is packed of, as c stays near then. */
void gemm_by_streams(GemmProduct *p, int64_t most) {
  if (panels_pay(p)) {
    by_panels(p, most);
    return;
  }
  const int64_t pair = 2 * p->kernel->lanes, near = p->setup->beside_floats / p->m / pair * pair,
                blocks = blocks_of(p->n, near > pair ? near : pair);
  const int64_t columns = blocks_of(blocks_of(p->n, blocks), pair) * pair;
  const int64_t deep = GEMM_TILES_FLOATS / (p->m * most) * most;
  const int64_t collide = 256; /* rows of sums so far apart meet in few lines of L1 */
  Columns b = {.room = columns % collide ? columns : columns + pair};
  for (int64_t first = 0; first < p->k; first += deep) {
    const int64_t end = least(p->k, first + deep);
    for (int64_t l = first; l < end; l += most)
      pack_streams(p, l, least(most, end - l), p->packed + (l - first) * p->m);
    for (b.j = 0; b.j < p->n; b.j += columns) {
      b.n = least(columns, p->n - b.j);
      const bool last = b.j + columns >= p->n;
      const float *next = !last        ? p->y + first * p->yl + b.j + columns
                          : end < p->k ? p->y + end * p->yl
                                       : p->y;
      for (int64_t l = first; l < end; l += most)
        stream_columns(p, &b, l, least(most, end - l), p->packed + (l - first) * p->m,
                       l + most < end ? p->y + (l + most) * p->yl + b.j : next);
    }
  }
  epilogue_rows(p, 0, p->m);
}

/* -------- a matrix whose columns lie along the sums -------- */

/* What packs and transposes, and what multiplies: of half the lanes where more would be empty. */
typedef struct StreamKernels {
  const GemmKernel *of, *tiles;
  int vectors;
} StreamKernels;

static StreamKernels lines_of(const GemmProduct *p) {
  StreamKernels l = {p->kernel, p->kernel, 0};
#if defined(DTRT_X86_KERNELS)
  if (p->kernel == &gemm_kernel_avx512 && p->m <= gemm_kernel_narrow.lanes)
    l.of = &gemm_kernel_avx2, l.tiles = &gemm_kernel_narrow;
#endif
  l.vectors = (int)tiles_of(p->m, l.of->lanes);
  return l;
}

/* Rows of a tile: half of them, where the numbers that they have at a depth meet in one line or two
 * of L1, and would drive each other out. */
static int lines_rows(const GemmProduct *p, const StreamKernels *k) {
  const int most = k->tiles->rows[k->vectors];
  const int64_t way = p->setup->l1_way, step = p->yj * 4 % way,
                apart = step < way - step ? step : way - step;
  return most * apart < 2 * LINE ? most / 2 : most;
}

/* In cycles: to transpose an element, to wait for one that no cache of the core holds while nothing
 * is multiplied, to transpose one of the result; and to multiply by one, with all vectors of this
 * kernel's.
 */
bool gemm_lines(const GemmProduct *p) {
  const double transposed = 0.6, waited = 0.35, across = 1;
  if (p->band || p->across || p->yj == 1 || p->m > 2 * p->kernel->lanes) return false;
  const StreamKernels k = lines_of(p);
  const double lanes = p->kernel->lanes;
  if (p->n < 2 * k.tiles->rows[k.vectors]) return false;
  const double x = (double)(p->m * p->k), y = (double)(p->n * p->k), c = (double)(p->m * p->n);
  const double far = p->n * p->k > p->setup->all_floats ? waited : 0;
  return y * k.vectors * k.of->lanes / lanes + transposed * x + across * c <
         y * ((double)p->m / lanes + transposed + far);
}

/* What tiles fetch of the next one's rows, which follow each other: 64 lines a run. Left to the
 * CPU, which fetches along each row to the end of its page, are rows that lie far apart; and rows
 * of a page and more, where two vectors are multiplied a cycle, as there is less time to wait for
 * lines that are fetched beside. */
static void lines_ahead(const GemmProduct *p, GemmTile *t, int64_t j, int64_t rows, int64_t l) {
  const int64_t bytes = GEMM_FETCHED * 2 * LINE, runs = blocks_of(p->k, GEMM_RUN);
  const bool left = !p->setup->halves && p->yj * 4 >= p->setup->l1_way;
  const bool near = !left && rows * p->yj * 4 <= runs * bytes;
  const char *from = (const char *)(p->y + j * p->yj) + l / GEMM_RUN * bytes;
  for (int64_t s = 0; s * GEMM_RUN < t->depth; s++)
    t->ahead[s] =
        near && rows ? (GemmAhead){from + s * bytes, 2 * LINE} : (GemmAhead){(const char *)t->x, 0};
}

void gemm_by_lines(GemmProduct *p, int64_t most) {
  const StreamKernels k = lines_of(p);
  const int wide = k.vectors * k.of->lanes;
  const int64_t tiles = tiles_of(p->n, lines_rows(p, &k));
  const int64_t deep = GEMM_TILES_FLOATS / (wide * most) * most;
  GemmTile t = {.run = GEMM_RUN, .lead = wide, .xi = p->yj, .xl = 1, .c = p->edge};
  t.ldc = GEMM_COLUMNS, t.tail = (int)p->m - (k.vectors - 1) * k.of->lanes;
  for (int64_t first = 0; first < p->k; first += deep) {
    const int64_t end = least(p->k, first + deep);
    const bool again = p->add || first;
    pack(k.of, p->x + first * p->xl, p->xi, p->xl, end - first, (int)p->m, wide, p->packed);
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t j = tile_row(q, p->n, tiles), next = tile_row(q + 1, p->n, tiles);
      for (int64_t l = first; l < end; l += most) {
        t.depth = least(most, end - l), t.add = l > first && !again;
        t.x = p->y + j * p->yj + l, t.y = p->packed + (l - first) * wide;
        lines_ahead(p, &t, next, tile_row(least(q + 2, tiles), p->n, tiles) - next, l);
        k.tiles->tile[next - j][k.vectors - 1](&t);
        if (again || l + most >= end)
          put_across(k.of, p->edge, (int)p->m, (int)(next - j), p->c + j, p->ldc, again);
      }
    }
  }
  epilogue_rows(p, 0, p->m);
}
