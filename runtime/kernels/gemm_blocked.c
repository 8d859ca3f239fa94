/* gemm_blocked.c: splits a product into tiles for the kernels of gemm_kernel.h, after Goto and van
 * de Geijn 2008. The most frequently used data stays in the nearest cache. With more rows than
 * columns, all of y is packed (in parts of L2) and tiles of rows pass over it; with more columns
 * than rows, all of x is packed and panels of y, as wide as a tile, pass over it. Operands mostly
 * come from L3 or memory, too far for the CPU's own prefetching of short rows: each tile
 * prefetches a few lines of the data that is packed next. */
#include "gemm.h"
#include "gemm_kernel.h"
#include "dtrt.h"
#include "variables.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const GemmKernel *gemm_kernel(void) {
#if defined(__x86_64__)
  const char *say = variable(VARIABLE_GEMM);
  if (say && !strcmp(say, "openblas")) return NULL;
  bool narrow = say && !strcmp(say, "avx2");
  if (!narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return &gemm_kernel_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &gemm_kernel_avx2;
#endif
  return NULL;
}

/* -------- a thread's room for packing -------- */

enum {
  ALL_FLOATS = 288 * 1024, /* the operand that is packed whole: half of an L2 of 2 MB */
  STRIP_FLOATS = GEMM_DEPTH * GEMM_COLUMNS,
  EDGE_FLOATS = GEMM_ROWS * GEMM_COLUMNS,
  NEAR = 16 * 1024, /* floats that are hardly worth fetching */
  SMALL = 5 * 1024, /* floats that stay in L1 beside a tile of x */
  HUGE_PAGE = 2 << 20,
  ROOM_BYTES = HUGE_PAGE
};
_Static_assert((ALL_FLOATS + STRIP_FLOATS + EDGE_FLOATS) * 4 <= ROOM_BYTES, "room");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const GemmKernel *kernel; /* of this process; NULL: none */
static pthread_key_t room_key;

static void prepare(void) {
  if (pthread_key_create(&room_key, free) == 0) kernel = gemm_kernel();
}

static float *room_of_thread(void) {
  static _Thread_local float *room;
  if (room) return room;
  float *p = aligned_alloc(HUGE_PAGE, ROOM_BYTES);
  if (p) madvise(p, ROOM_BYTES, MADV_HUGEPAGE); /* what is packed is on one page */
  if (p && pthread_setspecific(room_key, p)) {
    free(p);
    p = NULL;
  }
  return room = p;
}

/* -------- lines to be fetched ahead -------- */

enum { MOST_RANGES = 48, LINE = 64 };

typedef struct Ahead {
  GemmAhead range[MOST_RANGES];
  int n, at;
  int64_t lines; /* not fetched yet */
} Ahead;

static void ahead_none(Ahead *a) {
  a->n = a->at = 0;
  a->lines = 0;
}

static void ahead_add(Ahead *a, const void *at, int64_t n, int64_t step) {
  if (n <= 0 || a->n == MOST_RANGES) return; /* fetching is no duty */
  a->range[a->n++] = (GemmAhead){at, n, step};
  a->lines += n;
}

static void ahead_bytes(Ahead *a, const void *at, int64_t bytes) {
  ahead_add(a, at, (bytes + LINE - 1) / LINE, LINE);
}

/* What one of `tiles` tiles still to come should fetch. */
static void ahead_take(Ahead *a, GemmTile *t, int64_t tiles) {
  int64_t want = (a->lines + tiles - 1) / tiles;
  if (want > t->depth) want = t->depth;
  int64_t at = 0; /* depth; no range lies in two runs */
  for (t->nahead = 0; want && t->nahead < GEMM_AHEAD; t->nahead++) {
    GemmAhead *r = &a->range[a->at];
    const int64_t left = GEMM_RUN - (t->skip + at) % GEMM_RUN, some = want < r->n ? want : r->n;
    const int64_t n = some < left ? some : left;
    at += n;
    t->ahead[t->nahead] = (GemmAhead){r->at, n, r->step};
    r->n -= n, r->at += n * r->step;
    a->lines -= n, want -= n;
    a->at += !r->n;
  }
}

/* -------- packing -------- */

typedef struct Product {
  const GemmKernel *kernel;
  int wide, rows; /* of a tile, at most */
  int64_t m, n, k;
  const float *x, *y;
  int64_t xi, xl, yl, yj;
  float *c;
  int64_t ldc;
  bool add;
  const dtrt_then *then;
  const dtrt_live *live; /* NULL: all */
  float *all;            /* the operand packed whole, tile after tile */
  float *strip;          /* one tile of the other */
  bool across;           /* the product is y' @ x' = c': m and n, x and y have changed places */
  float *edge;           /* [GEMM_ROWS][GEMM_COLUMNS]: a tile of c' */
  Ahead *ahead;
} Product;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t tiles_of(int64_t rows, int most) { return (rows + most - 1) / most; }

/* `n` rows (at most `wide`) of `depth` numbers, [l * by_depth + q * by_row] one of them, as
 * [depth][step]. */
static void pack(const GemmKernel *kernel, const float *from, int64_t by_row, int64_t by_depth,
                 int64_t depth, int n, int step, float *to) {
  const int half = kernel->lanes;
  for (int at = 0; at < step && n > 0; at += half, n -= half) {
    const float *f = from + at * by_row;
    if (by_row != 1)
      kernel->turn(f, by_row, depth, n < half ? n : half, to + at, step);
    else
      kernel->copy(f, by_depth, depth, n < half ? n : half, to + at, step);
  }
}

/* Columns j.. of y at depths l.. as [depth][width of a tile]. */
static void pack_columns(const Product *p, int64_t l, int64_t depth, int64_t j, float *to) {
  const int wide = p->wide;
  pack(p->kernel, p->y + l * p->yl + j * p->yj, p->yj, p->yl, depth, (int)least(p->n - j, wide),
       wide, to);
}

/* Rows i.. of x at depths l.. as [depth][lanes]; more than a tile's where there
 * are more, which is faster than fewer. */
static void pack_rows(const Product *p, int64_t l, int64_t depth, int64_t i, float *to) {
  const int half = p->kernel->lanes;
  pack(p->kernel, p->x + i * p->xi + l * p->xl, p->xi, p->xl, depth, (int)least(p->m - i, half),
       half, to);
}

/* `n` rows of `bytes` bytes, `step` bytes from one to the next, line by line over all of them. The
 * first line of each is also the last of what lies before, and was fetched with that. */
static void block_ahead(Ahead *a, const float *at, int64_t n, int64_t bytes, int64_t step) {
  for (int64_t b = LINE; b < bytes + LINE; b += LINE)
    ahead_add(a, (const char *)at + (b < bytes ? b : bytes) - 4, n, step);
}

static void columns_ahead(Product *p, int64_t l, int64_t depth, int64_t j) {
  if (j >= p->n) return;
  const int64_t here = least(p->n - j, p->wide);
  const float *y = p->y + l * p->yl + j * p->yj;
  if (p->yj == 1)
    block_ahead(p->ahead, y, depth, here * 4, p->yl * 4);
  else
    block_ahead(p->ahead, y, here, depth * 4, p->yj * 4);
}

static void rows_ahead(Product *p, int64_t l, int64_t depth, int64_t i, int64_t rows) {
  if (i >= p->m || p->m * depth < NEAR) return;
  const float *x = p->x + i * p->xi + l * p->xl;
  if (p->xi == 1)
    block_ahead(p->ahead, x, depth, rows * 4, p->xl * 4);
  else
    block_ahead(p->ahead, x, rows, depth * 4, p->xi * 4);
}

/* -------- tiles -------- */

/* The tile of rows i.. and columns j..; t has its rows, and y of the columns. */
static void tile_at(const Product *p, GemmTile *t, int rows, int64_t i, int64_t j) {
  const GemmKernel *k = p->kernel;
  const bool deep = t->depth > GEMM_RUN - t->skip;
  const int left = (int)least(p->n - j, p->wide), vectors = (left + k->lanes - 1) / k->lanes;
  t->tail = left - (vectors - 1) * k->lanes;
  if (!p->across) {
    t->c = p->c + i * p->ldc + j, t->ldc = p->ldc;
    (t->keep ? k->pack[deep][rows] : k->tile[deep][rows][t->xi == 1][vectors - 1])(t);
    return;
  }
  GemmTile e = *t;
  e.c = p->edge, e.ldc = GEMM_COLUMNS, e.add = false;
  k->tile[deep][rows][t->xi == 1][vectors - 1](&e);
  for (int at = 0; at < left; at += k->lanes)
    k->across(p->edge + at, GEMM_COLUMNS, left - at < k->lanes ? left - at : k->lanes, rows,
              p->c + (j + at) * p->ldc + i, p->ldc, t->add);
}

/* Rows are dealt to tiles evenly: the first row of tile q. */
static int64_t tile_row(int64_t q, int64_t rows, int64_t tiles) { return q * rows / tiles; }

/* Columns j.. are packed by the first tile that reads them, in passing. */
static bool in_passing(const Product *p, int64_t j) {
  return p->yj == 1 && p->wide == 2 * p->kernel->lanes && p->n - j > p->kernel->lanes;
}

/* The first row of tile q; where a part is live, no tile lies in two of its blocks of rows. */
static int64_t row_of(const Product *p, int64_t q, int64_t tiles) {
  if (!p->live) return tile_row(q, p->m, tiles);
  const int each = (int)tiles_of(DTRT_LIVE, p->rows);
  const int64_t i = q / each * DTRT_LIVE, here = least(p->m - i, DTRT_LIVE);
  if (here == DTRT_LIVE) return i + (int)(q % each) * DTRT_LIVE / each;
  return here <= 0 ? p->m : i + tile_row(q % each, here, tiles_of(here, p->rows));
}

static int64_t row_tiles(const Product *p) {
  if (!p->live) return tiles_of(p->m, p->rows);
  return p->m / DTRT_LIVE * tiles_of(DTRT_LIVE, p->rows) + tiles_of(p->m % DTRT_LIVE, p->rows);
}

/* Of the depths from *l to *end, those that rows i0 to i1, which are whole blocks or lie in one,
 * meet something alive at in column j; none: *end = *l. False: their elements of that column are
 * dead. */
static bool live_depths(const Product *p, int64_t i0, int64_t i1, int64_t j, int64_t *l,
                        int64_t *end) {
  const dtrt_live *v = p->live;
  if (!v) return true;
  if (v->of == DTRT_LIVE_C)
    return j >= dtrt_live_from(i0, v->low, p->n) && j < dtrt_live_to(i1 - 1, v->high, p->n);
  const bool a = v->of == DTRT_LIVE_A;
  const int64_t low = a ? dtrt_live_from(i0, v->low, p->k) : dtrt_live_from(j, 1 - v->high, p->k);
  const int64_t high = a ? dtrt_live_to(i1 - 1, v->high, p->k) : dtrt_live_to(j, 1 - v->low, p->k);
  if (*l < low) *l = least(low, *end);
  if (*end > high) *end = high;
  if (*end < *l) *end = *l;
  return true;
}

static void then_rows(const Product *p, int64_t from, int64_t to) {
  if (p->then) p->then->rows(p->then->dev, p->then->p, p->then->n, from, to);
}

/* Rows of so many elements are worth a call, and still in L1. */
enum { THEN_ELEMENTS = 4096 };

/* Depths l.. of panels of columns, one after the other; tiles of rows pass over each. Nothing is
 * packed but columns whose numbers lie apart: y is read seldom, or stays in L1 while tiles pass
 * over it. */
static void as_it_lies(Product *p, int64_t l, int64_t depth) {
  const int wide = p->wide;
  const int64_t tiles = tiles_of(p->m, p->rows);
  const bool far = p->n * depth >= NEAR;
  GemmTile t = {.depth = depth, .xi = p->xi, .xl = p->xl, .add = p->add || l > 0};
  for (int64_t j = 0; j < p->n; j += wide) {
    /* Kernels that read x by columns would read beyond the last of y. */
    const bool lies = p->yj == 1 && (p->xi != 1 || least(p->n - j, wide) % p->kernel->lanes == 0);
    if (!lies) pack_columns(p, l, depth, j, p->strip);
    t.y = lies ? p->y + l * p->yl + j : p->strip;
    t.lead = lies ? p->yl : wide;
    ahead_none(p->ahead);
    if (far) columns_ahead(p, l, depth, j + wide);
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t i = tile_row(q, p->m, tiles);
      t.x = p->x + i * p->xi + l * p->xl;
      if (far) ahead_take(p->ahead, &t, tiles - q);
      tile_at(p, &t, (int)(tile_row(q + 1, p->m, tiles) - i), i, j);
    }
  }
}

/* Its rows are as wide as a tile, and one follows the other: packing would copy it. */
static bool is_packed(const Product *p) {
  return p->yj == 1 && p->yl == p->wide && p->n == p->wide;
}

/* Depths l.. of the columns from j0 to j1, which are packed; tiles of rows pass over them.
 * last: the rows are final then. */
static void over_columns(Product *p, int64_t l, int64_t depth, int64_t j0, int64_t j1, bool last) {
  const int wide = p->wide;
  const int64_t tiles = row_tiles(p), panels = tiles_of(j1 - j0, wide);
  const bool turned = panels > (p->xi == 1 ? 1 : 3); /* x is packed */
  const bool passes = turned && !p->live;            /* the first tile packs y */
  const bool copied = !is_packed(p);
  const float *all = copied ? p->all : p->y + l * p->yl;
  for (int64_t j = j0; copied && j < j1; j += wide) {
    int64_t from = l, to = l + depth;
    if (passes && in_passing(p, j)) continue;
    if (live_depths(p, 0, p->m, j, &from, &to) && from < to)
      pack_columns(p, from, to - from, j, p->all + (j - j0) * depth + (from - l) * wide);
  }
  int64_t i = 0, next = row_of(p, 1, tiles), after, done = 0;
  for (int64_t q = 0; q < tiles; q++, i = next, next = after) {
    after = row_of(p, q + 2, tiles);
    GemmTile t = {.xi = p->xi, .xl = p->xl, .add = p->add || l > 0};
    const float *x = p->x + i * p->xi + l * p->xl;
    if (turned) {
      pack_rows(p, l, depth, i, p->strip);
      x = p->strip, t.xi = 1, t.xl = p->kernel->lanes;
    }
    ahead_none(p->ahead);
    for (int a = 0; last && p->then && a < p->then->nread; a++)
      ahead_bytes(p->ahead, (const float *)p->then->read[a] + i * p->n, (next - i) * p->n * 4);
    rows_ahead(p, l, depth, next, after - next);
    for (int64_t j = j0; j < j1; j += wide) {
      int64_t from = l, to = l + depth;
      if (!live_depths(p, i, next, j, &from, &to) || (from == to && t.add)) continue;
      const int64_t panel = (j - j0) * depth;
      t.keep = copied && passes && q == 0 && in_passing(p, j) ? p->all + panel : NULL;
      t.depth = to - from;
      t.skip = (from - l) % GEMM_RUN;
      t.x = x + (from - l) * t.xl;
      t.y = t.keep ? p->y + from * p->yl + j : all + panel + (from - l) * wide;
      t.lead = t.keep ? p->yl : wide;
      ahead_take(p->ahead, &t, tiles_of(j1 - j, wide));
      tile_at(p, &t, (int)(next - i), i, j);
    }
    if (last && ((next - done) * p->n >= THEN_ELEMENTS || q + 1 == tiles)) {
      then_rows(p, done, next);
      done = next;
    }
  }
}

/* Depths l.. of the rows from i0 to i1, which are packed; panels of columns pass over them. */
static void over_rows(Product *p, int64_t l, int64_t depth, int64_t i0, int64_t i1) {
  const int wide = p->wide;
  const int64_t rows = i1 - i0, tiles = tiles_of(rows, p->rows), each = depth * p->kernel->lanes;
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = tile_row(q, rows, tiles);
    pack_rows(p, l, depth, i0 + i, p->all + q * each);
  }
  GemmTile t = {.depth = depth, .xi = 1, .xl = p->kernel->lanes, .add = p->add || l > 0};
  for (int64_t j = 0; j < p->n; j += wide) {
    const bool passing = in_passing(p, j);
    if (!passing) pack_columns(p, l, depth, j, p->strip);
    ahead_none(p->ahead);
    columns_ahead(p, l, depth, j + wide);
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t i = tile_row(q, rows, tiles);
      t.x = p->all + q * each;
      t.keep = passing && q == 0 ? p->strip : NULL;
      t.y = t.keep ? p->y + l * p->yl + j : p->strip;
      t.lead = t.keep ? p->yl : wide;
      ahead_take(p->ahead, &t, tiles - q);
      tile_at(p, &t, (int)(tile_row(q + 1, rows, tiles) - i), i0 + i, j);
    }
  }
}

/* -------- how a product is cut -------- */

/* Most lanes of a tile would be empty, and few would be if it were turned over. */
static bool narrow(const Product *p) {
  return !p->live && p->n <= p->kernel->rows[2] && p->m >= p->kernel->lanes;
}

static void change_places(Product *p) {
  const Product s = *p;
  p->across = true;
  p->m = s.n, p->n = s.m;
  p->x = s.y, p->xi = s.yj, p->xl = s.yl;
  p->y = s.x, p->yl = s.xl, p->yj = s.xi;
}

/* Packing would cost more than it saves: a panel of y is read by one tile or two, or it stays in L1
 * as it lies and x is near. */
static bool few_rows(const Product *p, int64_t depth) {
  if (p->live) return false;
  if (p->across || p->m <= 2 * p->rows) return true;
  return p->m * depth <= NEAR && depth * (p->yj == 1 ? p->yl : p->wide) <= SMALL;
}

bool gemm_blocked(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                  const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                  const dtrt_then *then) {
  return gemm_blocked_live(m, n, k, x, xi, xl, y, yl, yj, c, ldc, add, then, NULL, 0);
}

bool gemm_blocked_live(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                       const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                       const dtrt_then *then, const dtrt_live *live, int64_t part) {
  pthread_once(&once, prepare);
  float *room = kernel ? room_of_thread() : NULL;
  if (!room) return false;
  Product p = {.kernel = kernel,
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
               .then = then,
               .live = live,
               .all = room,
               .strip = room + ALL_FLOATS,
               .edge = room + ALL_FLOATS + STRIP_FLOATS};
  Ahead ahead; /* not part of the above, which begins as zeros */
  p.ahead = &ahead;
  if (narrow(&p)) change_places(&p);
  /* Three vectors where that is all of the columns; they would not fit into live blocks. */
  const int lanes = kernel->lanes, vectors = !live && p.n > 2 * lanes && p.n <= 3 * lanes ? 3 : 2;
  p.wide = vectors * lanes, p.rows = kernel->rows[vectors];
  /* Parts of k: of one size, but for the last; a multiple of 16, as blocks are turned whole. */
  const int64_t most = part ? part : dtrt_gemm_part(k);
  if (few_rows(&p, least(k, most))) {
    for (int64_t l = 0; l < k; l += most) as_it_lies(&p, l, least(most, k - l));
    then_rows(&p, 0, m);
    return true;
  }
  const bool whole = tiles_of(n, p.wide) * p.wide * least(k, most) <= ALL_FLOATS;
  const bool by_rows =
      vectors == 2 && !live && !(then && whole) && 4 * m <= 3 * n && m > 2 * p.rows;
  const int tile_side = by_rows ? p.rows : p.wide, each = by_rows ? lanes : p.wide;
  const int64_t side = by_rows ? m : n;
  const int64_t tiles = tiles_of(side, tile_side),
                room_tiles = ALL_FLOATS / (least(k, most) * each);
  const int64_t blocks = tiles_of(tiles, (int)room_tiles);
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t from = b * tiles / blocks * tile_side,
                  to = least((b + 1) * tiles / blocks * tile_side, side);
    for (int64_t l = 0; l < k; l += most)
      if (by_rows)
        over_rows(&p, l, least(most, k - l), from, to);
      else
        over_columns(&p, l, least(most, k - l), from, to, blocks == 1 && l + most >= k);
  }
  if (by_rows || blocks > 1) then_rows(&p, 0, m);
  return true;
}

/* -------- what the room takes -------- */

int64_t gemm_room_bytes(void) { return gemm_kernel() ? ROOM_BYTES : 0; }

int64_t gemm_room_taken(void) {
  pthread_once(&once, prepare);
  return kernel && pthread_getspecific(room_key) ? ROOM_BYTES : 0;
}
