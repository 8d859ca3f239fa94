/* gemm_blocked.c: splits a product into tiles for the kernels of gemm_kernel.h, after Goto and van
 * de Geijn 2008. The most frequently used data stays in the nearest cache. With more rows than
 * columns, all of y is packed (in parts of L2) and tiles of rows pass over it; with more columns
 * than rows, all of x is packed and panels of y, as wide as a tile, pass over it. Operands mostly
 * come from L3 or memory, too far for the CPU's own prefetching of short rows: each tile
 * prefetches a few lines of the data that is packed next. */
#include "gemm_kept.h"
#include "gemm_product.h"
#include <string.h>

/* -------- rows and columns that tiles pass over -------- */

/* The first row of tile q; where a part is live, no tile lies in two of its blocks of rows. */
static int64_t row_of(const GemmProduct *p, int64_t q, int64_t tiles) {
  if (!p->band) return tile_row(q, p->m, tiles);
  const int each = (int)tiles_of(DTRT_BAND_BLOCK, p->rows);
  const int64_t i = q / each * DTRT_BAND_BLOCK, here = least(p->m - i, DTRT_BAND_BLOCK);
  if (here == DTRT_BAND_BLOCK) return i + (int)(q % each) * DTRT_BAND_BLOCK / each;
  return here <= 0 ? p->m : i + tile_row(q % each, here, tiles_of(here, p->rows));
}

static int64_t row_tiles(const GemmProduct *p) {
  if (!p->band) return tiles_of(p->m, p->rows);
  return p->m / DTRT_BAND_BLOCK * tiles_of(DTRT_BAND_BLOCK, p->rows) +
         tiles_of(p->m % DTRT_BAND_BLOCK, p->rows);
}

/* Of the depths from *l to *end, those that rows i0 to i1, which are whole blocks or lie in one,
 * meet something alive at in column j; none: *end = *l. False: their elements of that column are
 * dead. */
static bool live_depths(const GemmProduct *p, int64_t i0, int64_t i1, int64_t j, int64_t *l,
                        int64_t *end) {
  const dtrt_band *v = p->band;
  if (!v) return true;
  if (v->of == DTRT_BAND_C)
    return j >= dtrt_band_from(i0, v->low, p->n) && j < dtrt_band_to(i1 - 1, v->high, p->n);
  const bool a = v->of == DTRT_BAND_A;
  const int64_t low = a ? dtrt_band_from(i0, v->low, p->k) : dtrt_band_from(j, 1 - v->high, p->k);
  const int64_t high = a ? dtrt_band_to(i1 - 1, v->high, p->k) : dtrt_band_to(j, 1 - v->low, p->k);
  if (*l < low) *l = least(low, *end);
  if (*end > high) *end = high;
  if (*end < *l) *end = *l;
  return true;
}

/* Rows of so many elements are worth a call, and still in L1. */
enum { THEN_ELEMENTS = 4096 };

/* Depths l.. of panels of columns, one after the other; tiles of rows pass over each. Nothing is
 * packed but columns whose numbers lie apart: y is read seldom, or stays in L1 while tiles pass
 * over it. */
static void as_it_lies(GemmProduct *p, int64_t l, int64_t depth) {
  const int wide = p->wide;
  const int64_t tiles = tiles_of(p->m, p->rows);
  const bool far = (p->n + p->beyond) * depth >= p->setup->near_floats;
  const float *x = p->x + l * p->xl;
  GemmTile t;
  t.depth = depth, t.run = GEMM_RUN, t.skip = 0, t.xi = p->xi, t.xl = p->xl,
  t.add = p->add || l > 0;
  if (p->n > wide && rows_collide(p, depth) && p->m * (depth + GAP) <= p->setup->all_floats) {
    pack_rows(p, l, depth, 0, (int)p->m, p->all);
    packed_strides(p, depth, &t);
    x = p->all;
  }
  t.x = x;
  ahead_clear(&t, depth);
  int had = 0;
  for (int64_t j = 0; j < p->n; j += wide) {
    const bool lies =
        p->yj == 1 && (p->kernel->parts || p->n - j >= wide || (p->n - j) % p->kernel->lanes == 0);
    if (!lies) pack_columns(p, l, depth, j, p->packed);
    t.y = lies ? p->y + l * p->yl + j : p->packed;
    t.lead = lies ? p->yl : wide;
    ahead_none(p->ahead);
    if (far) columns_ahead(p, l, depth, j + wide, wide);
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t i = tile_row(q, p->m, tiles);
      t.x = x + i * t.xi;
      if (far) had = ahead_take(p->ahead, &t, tiles - q, had);
      tile_at(p, &t, (int)(tile_row(q + 1, p->m, tiles) - i), i, j);
    }
  }
}

/* Its rows are as wide as a tile, and one follows the other: packing would copy it. */
static bool is_packed(const GemmProduct *p) {
  return p->yj == 1 && p->yl == p->wide && p->n == p->wide;
}

/* Columns j0 to j1 at depths l.., as panels in `to`. Where a part is live, what lies outside is not
 * read. */
static void pack_all(const GemmProduct *p, int64_t l, int64_t depth, int64_t j0, int64_t j1,
                     float *to) {
  const int wide = p->wide;
  if (p->yj == 1 && !p->band) {
    p->kernel->panels(p->y + l * p->yl + j0, p->yl, depth, least(p->n, j1) - j0, to, wide);
    return;
  }
  for (int64_t j = j0; j < j1 && j < p->n; j += wide) {
    int64_t from = l, end = l + depth;
    if (live_depths(p, 0, p->m, j, &from, &end) && from < end)
      pack_columns(p, from, end - from, j, to + (j - j0) * depth + (from - l) * wide);
  }
}

/* Floats of all columns down to depth l, as they stay packed. */
static int64_t kept_before(const GemmProduct *p, int64_t l) {
  return l * (tiles_of(p->n, p->wide) * p->wide);
}

/* Tiles of rows that pass over a panel of columns as soon as it is packed. A tile fetches a line a
 * depth, and a depth of a panel has two. */
enum { FIRST_TILES = 2 };

/* Tiles of rows that are packed at a time. */
static int64_t group_of_rows(const GemmProduct *p, int64_t depth) {
  return p->xi != 1 || p->band || lines_stay(p->setup, depth, p->xl) ? 1 : GEMM_GROUP;
}

/* Tiles q to end of rows, one after the other; where depths lie apart, some of all tiles at a time.
 */
static void pack_tiles(const GemmProduct *p, int64_t l, int64_t depth, int64_t q, int64_t end,
                       int64_t tiles) {
  const int64_t each = packed_tile(p, depth), some = end - q > 1 && p->xi == 1 ? 8 : depth;
  for (int64_t d = 0; d < depth; d += some)
    for (int64_t g = q; g < end; g++) {
      const int64_t i = row_of(p, g, tiles), here = least(some, depth - d);
      float *to = p->packed + (g - q) * each + d * (p->xi == 1 ? across_rows(p) : 1);
      pack_rows(p, l + d, here, i, (int)(row_of(p, g + 1, tiles) - i), to);
    }
}

/* The first tiles of rows (at most FIRST_TILES; x of tile q at x[q]) over columns that are packed
 * meanwhile, panel by panel: what comes from beyond L2 is fetched while tiles are computed. */
static void first_over_columns(GemmProduct *p, GemmTile *t, const float *const *x, int64_t tiles,
                               int64_t all_tiles, int64_t l, int64_t j0, int64_t j1) {
  const int64_t depth = t->depth;
  int had = 0;
  for (int64_t j = j0; j < j1; j += p->wide) {
    float *y = p->all + (j - j0) * depth;
    const bool by_tile = packed_by_tile(p, depth, j);
    if (!by_tile) pack_all(p, l, depth, j, j + p->wide, y);
    ahead_none(p->ahead);
    if (j + p->wide < j1)
      columns_ahead(p, l, depth, j + p->wide, p->wide);
    else
      rows_ahead(p, l, depth, row_of(p, tiles, all_tiles),
                 row_of(p, tiles + 1, all_tiles) - row_of(p, tiles, all_tiles));
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t i = row_of(p, q, all_tiles);
      t->x = x[q], t->y = y;
      had = ahead_take(p->ahead, t, tiles - q, had);
      const int rows = (int)(row_of(p, q + 1, all_tiles) - i);
      if (by_tile && q == 0)
        first_tile(p, t, rows, i, j, l, y);
      else
        tile_at(p, t, rows, i, j);
    }
  }
  ahead_clear(t, depth);
}

/* So many columns read rows of x as they lie faster than those are packed. */
enum { LYING_COLUMNS = 96 };

/* Depths l.. of the columns from j0 to j1, which are packed; tiles of rows pass over them.
 * last: the rows are final then. */
static void over_columns(GemmProduct *p, int64_t l, int64_t depth, int64_t j0, int64_t j1,
                         bool last) {
  const int wide = p->wide;
  const int64_t tiles = row_tiles(p), panels = tiles_of(j1 - j0, wide);
  const bool packed =
      p->xi == 1 ? panels > 1 : panels * wide > LYING_COLUMNS || rows_collide(p, depth);
  const float *all = p->kept        ? p->kept + kept_before(p, l) + j0 * depth
                     : is_packed(p) ? p->y + l * p->yl
                                    : p->all;
  GemmTile t;
  t.run = GEMM_RUN, t.xi = p->xi, t.xl = p->xl, t.lead = wide, t.x = p->x;
  t.depth = depth, t.skip = 0, t.add = p->add || l > 0;
  if (packed) packed_strides(p, depth, &t);
  ahead_clear(&t, depth);
  int64_t first = 0;
  if (all == p->all && panels_stay(p, depth)) {
    const float *x[FIRST_TILES];
    const int64_t each = packed_tile(p, depth);
    first = least(FIRST_TILES, tiles);
    if (packed) pack_tiles(p, l, depth, 0, first, tiles);
    for (int64_t q = 0; q < first; q++)
      x[q] = packed ? p->packed + q * each : p->x + row_of(p, q, tiles) * p->xi + l * p->xl;
    first_over_columns(p, &t, x, first, tiles, l, j0, j1);
  } else if (all == p->all) {
    pack_all(p, l, depth, j0, j1, p->all);
  }
  const int64_t group = packed ? group_of_rows(p, depth) : 1;
  int had = 0;
  int64_t i = row_of(p, first, tiles), next = row_of(p, first + 1, tiles), done = 0, end = first;
  for (int64_t q = first, begin = q; q < tiles; q++, i = next, next = row_of(p, q + 1, tiles)) {
    if (q == end) {
      begin = q, end = least(tiles, q + group);
      if (packed) pack_tiles(p, l, depth, q, end, tiles);
      const int64_t ahead = row_of(p, end, tiles);
      ahead_none(p->ahead);
      rows_ahead(p, l, depth, ahead, row_of(p, least(tiles, end + group), tiles) - ahead);
    }
    const float *x =
        packed ? p->packed + (q - begin) * packed_tile(p, depth) : p->x + i * p->xi + l * p->xl;
    for (int a = 0; last && p->epilogue && a < p->epilogue->nread; a++)
      ahead_bytes(p->ahead, (const float *)p->epilogue->read[a] + i * p->n, (next - i) * p->n * 4);
    int64_t left = (end - q) * panels;
    for (int64_t j = j0; j < j1; j += wide, left--) {
      int64_t from = l, to = l + depth;
      t.add = p->add || l > 0;
      if (!live_depths(p, i, next, j, &from, &to) || (from == to && t.add)) continue;
      t.depth = to - from;
      t.skip = (from - l) % GEMM_RUN;
      t.x = x + (from - l) * t.xl;
      t.y = all + (j - j0) * depth + (from - l) * wide;
      had = ahead_take(p->ahead, &t, left, had);
      tile_at(p, &t, (int)(next - i), i, j);
    }
    if (last && ((next - done) * p->n >= THEN_ELEMENTS || q + 1 == tiles)) {
      epilogue_rows(p, done, next);
      done = next;
    }
  }
  if (last && done < p->m) epilogue_rows(p, done, p->m);
}

/* Depths l.. of the rows from i0 to i1, which are packed, and columns from j0 to j1; panels of
 * columns pass over the rows, some packed at a time. */
static void over_rows(GemmProduct *p, int64_t l, int64_t depth, int64_t i0, int64_t i1, int64_t j0,
                      int64_t j1) {
  const int wide = p->wide, group = GEMM_GROUP * wide;
  const int64_t rows = i1 - i0, tiles = tiles_of(rows, p->rows), each = packed_tile(p, depth);
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = tile_row(q, rows, tiles), next = tile_row(q + 1, rows, tiles);
    pack_rows(p, l, depth, i0 + i, (int)(next - i), p->all + q * each);
  }
  GemmTile t;
  t.depth = depth, t.run = GEMM_RUN, t.skip = 0, t.lead = wide, t.add = p->add || l > 0,
  t.x = p->all;
  packed_strides(p, depth, &t);
  ahead_clear(&t, depth);
  const TileRows from_first = tile_rows(rows, tiles);
  int had = 0;
  for (int64_t g = j0; g < j1; g += group) {
    const int64_t end = least(j1, g + group), panels = tiles_of(end - g, wide);
    const bool by_tile = packed_by_tile(p, depth, g + (panels - 1) * wide);
    if (!by_tile) pack_all(p, l, depth, g, end, p->packed);
    ahead_none(p->ahead);
    columns_ahead(p, l, depth, g + group, group);
    int64_t left = panels * tiles; /* of the group */
    for (int64_t j = g; j < end; j += wide) {
      float *const y = p->packed + (j - g) * depth;
      TileRows d = from_first;
      t.x = p->all, t.y = y;
      for (int64_t q = 0; q < tiles; q++, left--, t.x += each) {
        const int64_t i = i0 + d.at;
        const int here = tile_rows_next(&d);
        had = ahead_take(p->ahead, &t, left, had);
        if (by_tile && q == 0) {
          first_tile(p, &t, here, i, j, l, y);
          t.y = y;
        } else {
          tile_at(p, &t, here, i, j);
        }
      }
    }
  }
}

/* -------- how a product is cut -------- */

/* A tile of few columns leaves lanes empty, which the transposed product fills. To transpose x
 * takes shuffles: of 16 x 16 numbers four for each vector, of 8 x 8, whose halves come by loads,
 * two, of 4 x 4 one: a quarter of what it takes to multiply by as many columns as there are lanes.
 * So it is worth it where a quarter of the lanes are empty (with 8 and 16 of them as measured,
 * too); in one tile of rows, so that nothing is transposed twice. */
static bool narrow(const GemmProduct *p) {
  const int lanes = p->kernel->lanes;
  const int rows = p->kernel->rows[p->m > 2 * lanes && p->m <= 3 * lanes ? 3 : 2];
  return !p->band && p->n <= rows && 4 * p->n <= 3 * lanes && p->m >= lanes;
}

static void change_places(GemmProduct *p) {
  const GemmProduct s = *p;
  p->across = true;
  p->m = s.n, p->n = s.m;
  p->x = s.y, p->xi = s.yj, p->xl = s.yl;
  p->y = s.x, p->yl = s.xl, p->yj = s.xi;
}

/* Rows of y that lie in L2 are read as they are by so few tiles that to pack them would take
 * longer. In cycles: to pack an element; and a depth of a tile more, as rows of y begin on many
 * pages, and with vectors that lie in two lines or x transposed. */
static bool lies_well(const GemmProduct *p, int64_t depth) {
  const double packed = 0.6, apart = 0.45, straddled = 2;
  if (p->yj != 1 || p->n * depth > p->setup->all_floats) return false;
  const int64_t half_a_way = p->setup->l1_way / 2 / (int64_t)sizeof(float);
  if (p->yl % half_a_way == 0 && !reads_from_l2(p, depth))
    return false; /* L1 keeps few of such rows */
  const bool aligned =
      p->xi != 1 &&
      ((uintptr_t)p->y / sizeof(float) | (uintptr_t)p->yl) % (uintptr_t)p->kernel->lanes == 0;
  return (double)tiles_of(p->m, p->rows) * (aligned ? apart : straddled) < packed * p->wide;
}

/* Packing would cost more than it saves: a panel of y is read by one tile or two, or it stays in L1
 * as it lies and x is near; or by some, and stays in L2. */
static bool few_rows(const GemmProduct *p, int64_t depth) {
  if (p->band) return false;
  if (p->across || p->m <= p->rows) return true;
  if (p->m <= 2 * p->rows) return p->yj != 1 || p->n * p->k < p->setup->far_floats;
  if (p->m * depth <= p->setup->near_floats &&
      depth * (p->yj == 1 ? p->yl : p->wide) <= p->setup->beside_floats)
    return true;
  return lies_well(p, depth);
}

/* Panels of y that lie across are read to their end one after the other, as many as half of L2
 * holds: with all of k, they are one piece of memory. */
static void few_by_columns(const GemmProduct *p, int64_t most) {
  int64_t columns = p->n;
  if (p->yj != 1 && !p->across) columns = p->setup->all_floats / p->k / p->wide * p->wide;
  if (columns < p->wide) columns = p->wide;
  for (int64_t j = 0; j < p->n; j += columns) {
    GemmProduct q = *p;
    q.n = least(columns, p->n - j), q.y = p->y + j * p->yj, q.c = p->c + j;
    q.beyond = p->n - j - q.n;
    for (int64_t l = 0; l < p->k; l += most) as_it_lies(&q, l, least(most, p->k - l));
  }
}

/* Whether x is to be packed once, by blocks of rows, and y anew for each; else the other way round.
 * In cycles an element: to copy or transpose it, of x' a line for each depth of a tile; to wait for
 * memory where all is packed at once, longer where lines of L2 drive each other out, and where it
 * is fetched while tiles are computed; and down a panel, tiles of c have their lines on other pages
 * each time, which tiles of narrow vectors hide, as they take twice as long for a line. Measured on
 * CPUs with vectors of 16 lanes, and on one of 8 (Zen 3). */
static bool rows_first(const GemmProduct *p, int64_t depth, int64_t parts) {
  const bool narrow_vectors = p->kernel->lanes < 16;
  const double copied = 0.25, transposed = 0.6, waited = 1.15, collided = 1.6, fetched = 0.35;
  const double line = narrow_vectors ? 6 : 3.5, down = narrow_vectors ? 0.15 : 1;
  const double x = (double)(p->m * p->k), y = (double)(p->n * p->k);
  const double pack_x = p->xi == 1 ? line / p->rows : copied;
  const double pack_y = p->yj == 1 ? copied : transposed;
  const int64_t tall = p->setup->all_floats / packed_tile(p, depth) * p->rows;
  const int64_t wide = p->setup->all_floats / (depth * p->wide) * p->wide;
  return (pack_x + waited) * x + (double)blocks_of(p->m, tall) * (pack_y + fetched) * y +
             down * (double)(p->m * p->n * parts) <
         (pack_y + (panels_stay(p, depth) ? waited : collided)) * y +
             (double)blocks_of(p->n, wide) * (pack_x + fetched) * x;
}

/* Blocks of rows, whose x is packed whole in parts of L2; of columns, whose c stays in the third
 * level while all of k is summed. */
static void by_rows(GemmProduct *p, int64_t most) {
  const int64_t deep = least(p->k, most), tiles = tiles_of(p->m, p->rows);
  const int64_t blocks = tiles_of(tiles, (int)(p->setup->all_floats / packed_tile(p, deep)));
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t from = b * tiles / blocks * p->rows,
                  to = least((b + 1) * tiles / blocks * p->rows, p->m);
    int64_t columns = p->k <= most ? p->n : p->setup->kept_floats / (to - from) / p->wide * p->wide;
    if (columns < GEMM_GROUP * p->wide) columns = GEMM_GROUP * p->wide;
    for (int64_t j = 0; j < p->n; j += columns)
      for (int64_t l = 0; l < p->k; l += most)
        over_rows(p, l, least(most, p->k - l), from, to, j, least(p->n, j + columns));
  }
  epilogue_rows(p, 0, p->m);
}

/* Blocks of columns, whose y is packed whole. */
static void by_columns(GemmProduct *p, int64_t most) {
  const int64_t deep = least(p->k, most), tiles = tiles_of(p->n, p->wide);
  const int64_t blocks = tiles_of(tiles, (int)(p->setup->all_floats / (deep * p->wide)));
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t from = b * tiles / blocks * p->wide,
                  to = least((b + 1) * tiles / blocks * p->wide, p->n);
    for (int64_t l = 0; l < p->k; l += most)
      over_columns(p, l, least(most, p->k - l), from, to, blocks == 1 && l + most >= p->k);
  }
  if (blocks > 1) epilogue_rows(p, 0, p->m);
}

/* A product that one tile is, or two, as it lies: without what larger ones have to find out. */
static bool few_tiles(const GemmSetup *s, GemmTile *t, int64_t m, int64_t n, int64_t depth,
                      int64_t yj, Ahead *next) {
  const GemmKernel *k = s->kernel;
  const int lanes = k->lanes, rows = k->rows[2];
  if (m > (n > rows ? 2 * rows : rows) || n > 2 * lanes || depth > GEMM_DEPTH || yj != 1 ||
      !k->parts)
    return false;
  const int vectors = n > lanes ? 2 : 1, first = (int)(m > rows ? m / 2 : m);
  t->depth = depth, t->run = GEMM_RUN, t->skip = 0;
  t->tail = (int)n - (vectors - 1) * lanes;
  ahead_clear(t, depth);
  gemm_tile(s, t, first, vectors, NULL, next);
  if (first == m) return true;
  t->x += first * t->xi, t->c += first * t->ldc;
  gemm_tile(s, t, (int)(m - first), vectors, NULL, next);
  return true;
}

/* A product of more tiles whose operands lie close together and stay near: the same. Tiles go along
 * the rows of c, which may be far, as a CPU fetches lines that follow each other. */
static bool near_tiles(const GemmSetup *s, GemmTile *t, int64_t m, int64_t n, int64_t depth,
                       int64_t yj, Ahead *next) {
  const GemmKernel *k = s->kernel;
  const int wide = 2 * k->lanes, rows = s->halves ? k->held[2] : k->rows[2];
  if (!k->parts || yj != 1 || depth > GEMM_DEPTH || n <= k->rows[2] ||
      (t->xi == 1 ? t->xl * depth : t->xi * m) + t->lead * depth > s->near_floats)
    return false;
  const int64_t tiles = tiles_of(m, rows);
  const float *x = t->x, *y = t->y;
  float *c = t->c;
  t->depth = depth, t->run = GEMM_RUN, t->skip = 0;
  ahead_clear(t, depth);
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = tile_row(q, m, tiles);
    const int high = (int)(tile_row(q + 1, m, tiles) - i);
    t->x = x + i * t->xi;
    for (int64_t j = 0; j < n; j += wide) {
      const int here = (int)least(n - j, wide), vectors = here > k->lanes ? 2 : 1;
      t->tail = here - (vectors - 1) * k->lanes;
      t->y = y + j, t->c = c + i * t->ldc + j;
      gemm_tile(s, t, high, vectors, NULL, next);
    }
  }
  return true;
}

bool gemm_blocked(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                  const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                  const dtrt_epilogue *epilogue) {
  return gemm_blocked_band(m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, epilogue, NULL, 0);
}

bool gemm_blocked_band(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                       const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                       const dtrt_epilogue *epilogue, const dtrt_band *band, int64_t part) {
  float *room;
  const GemmSetup *setup = gemm_setup(&room);
  if (!room) return false;
  if (!epilogue && !band) {
    GemmTile t;
    t.x = x, t.xi = xi, t.xl = xl, t.y = y, t.lead = yl, t.c = c, t.ldc = ldc, t.add = add;
    Ahead *next = ahead_then();
    if (few_tiles(setup, &t, m, n, k, yj, next) || near_tiles(setup, &t, m, n, k, yj, next))
      return true;
  }
  gemm_blocked_by(setup, room, m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, epilogue, band, part);
  return true;
}

static GemmProduct product_of(const GemmSetup *s, float *room, int64_t m, int64_t n, int64_t k,
                              const float *x, int64_t xi, int64_t xl, const float *y, int64_t yl,
                              int64_t yj, float *c, int64_t ldc, bool add,
                              const dtrt_epilogue *epilogue, const dtrt_band *band) {
  GemmProduct p = {.setup = s,
                   .kernel = s->kernel,
                   .m = m,
                   .n = n,
                   .k = k,
                   .x = x,
                   .y = y,
                   .xi = xi,
                   .xl = xl,
                   .yl = yl,
                   .yj = yj,
                   .c = c,
                   .ldc = ldc,
                   .add = add,
                   .epilogue = epilogue,
                   .band = band,
                   .next = ahead_then(),
                   .all = room,
                   .packed = room + s->all_floats,
                   .edge = room + s->all_floats + GEMM_TILES_FLOATS};
  if (narrow(&p)) change_places(&p);
  /* Three vectors where that is all of the columns; they would not fit into live blocks. */
  const int lanes = s->kernel->lanes;
  const int vectors = !band && p.n > 2 * lanes && p.n <= 3 * lanes ? 3 : 2;
  p.vectors = vectors, p.wide = vectors * lanes, p.rows = s->kernel->rows[vectors];
  p.plain = !p.across && !p.next && !s->halves;
  return p;
}

void gemm_blocked_by(const GemmSetup *s, float *room, int64_t m, int64_t n, int64_t k,
                     const float *x, int64_t xi, int64_t xl, const float *y, int64_t yl, int64_t yj,
                     float *c, int64_t ldc, bool add, const dtrt_epilogue *epilogue,
                     const dtrt_band *band, int64_t part) {
  GemmProduct p = product_of(s, room, m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, epilogue, band);
  Ahead ahead; /* not part of the above, which begins as zeros */
  p.ahead = &ahead;
  /* Parts of k: of one size, but for the last; a multiple of 16, as blocks are transposed whole. */
  const int64_t most = part ? part : dtrt_gemm_part(k);
  if (gemm_streams(&p, least(k, most))) {
    gemm_by_streams(&p, most);
    return;
  }
  if (gemm_transposing(&p)) {
    gemm_by_transposing(&p, most);
    epilogue_rows(&p, 0, m);
    return;
  }
  if (gemm_lines(&p)) {
    gemm_by_lines(&p, most);
    return;
  }
  if (few_rows(&p, least(k, most))) {
    few_by_columns(&p, most);
    epilogue_rows(&p, 0, m);
    return;
  }
  const int64_t deep = least(k, most);
  const bool whole = tiles_of(n, p.wide) * p.wide * deep <= s->all_floats;
  if (p.wide == 2 * s->kernel->lanes && !band && !(epilogue && whole) && m > 2 * p.rows &&
      rows_first(&p, deep, blocks_of(k, most)))
    by_rows(&p, most);
  else
    by_columns(&p, most);
}

/* Whether y is packed, or transposed panel by panel, in every call, or lies worse than packed. */
static bool packs(const GemmProduct *p, int64_t deep) {
  const bool few =
      few_rows(p, deep) && p->m <= 5 * p->rows && p->n * deep <= p->setup->all_floats / 2;
  return !p->across && (p->yj != 1 || !few) && !is_packed(p);
}

bool gemm_blocked_kept(int64_t nest, int64_t m, int64_t n, int64_t k, const float *x, int64_t xi,
                       int64_t xl, const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc,
                       bool add, const dtrt_epilogue *epilogue) {
  float *room;
  const GemmSetup *setup = gemm_setup(&room);
  if (!room) return false;
  GemmProduct p =
      product_of(setup, room, m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, epilogue, NULL);
  Ahead ahead;
  p.ahead = &ahead;
  const int64_t most = dtrt_gemm_part(k);
  const KeptMatrix own = {p.kernel, y, k, n, yl, yj, DTRT_F32};
  bool fresh = false;
  float *kept =
      nest && packs(&p, least(k, most))
          ? gemm_keep(&own, nest, kept_before(&p, k), GEMM_KEPT_ROOMS * setup->all_floats, &fresh)
          : NULL;
  if (!kept) return gemm_blocked(m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, epilogue);
  for (int64_t l = 0; fresh && l < k; l += most)
    pack_all(&p, l, least(most, k - l), 0, n, kept + kept_before(&p, l));
  p.kept = kept;
  by_columns(&p, most);
  return true;
}
