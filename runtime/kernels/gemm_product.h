/* gemm_product.h: a product while it is cut into tiles, packed and computed: gemm_blocked.c,
 * gemm_pack.c, gemm_streams.c. */
#ifndef DTRT_GEMM_PRODUCT_H
#define DTRT_GEMM_PRODUCT_H
#include "gemm_kernel.h"
#include "dtrt.h"

enum { GAP = 16 }; /* floats between packed rows */

enum { MOST_RANGES = 48, LINE = 64 };

typedef struct AheadLines { /* n pairs of lines, `step` bytes apart */
  const char *at;
  int64_t n, step;
} AheadLines;

typedef struct Ahead {
  AheadLines range[MOST_RANGES];
  int n, at;
  int64_t pairs; /* not fetched yet */
  int64_t each; /* of them for each tile that is asked next; 0: not counted since some were added */
} Ahead;

typedef struct GemmProduct {
  const GemmSetup *setup;
  const GemmKernel *kernel;
  int vectors, wide, rows; /* of a tile, at most */
  bool plain;              /* a tile is one call of the kernel and nothing else */
  int64_t m, n, k;
  int64_t beyond; /* columns of y that a later part of the product has */
  const float *x, *y;
  int64_t xi, xl, yl, yj;
  float *c;
  int64_t ldc;
  bool add;
  const dtrt_epilogue *epilogue;
  const dtrt_band *band; /* NULL: all */
  float *all;            /* the operand packed whole, tile after tile */
  const float *kept;     /* all of y, packed in parts of k; NULL: it is packed block by block */
  float *packed;         /* one tile of the other, or GEMM_GROUP */
  bool across;           /* the product is y' @ x' = c': m and n, x and y have changed places */
  float *edge;           /* [GEMM_ROWS][GEMM_COLUMNS]: a tile of c' */
  Ahead *ahead;
  Ahead *next; /* of the product after this one (gemm_then); NULL: nothing */
} GemmProduct;

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t blocks_of(int64_t n, int64_t most) { return (n + most - 1) / most; }
static inline int64_t tiles_of(int64_t rows, int most) { return (rows + most - 1) / most; }

/* Rows are dealt to tiles evenly: the first row of tile q. */
static inline int64_t tile_row(int64_t q, int64_t rows, int64_t tiles) { return q * rows / tiles; }

/* The same without a division for each tile: `at` is the first row of the next one. */
typedef struct TileRows {
  int64_t at, each, more, over, tiles;
} TileRows;
static inline TileRows tile_rows(int64_t rows, int64_t tiles) {
  return (TileRows){.each = rows / tiles, .more = rows % tiles, .tiles = tiles};
}
/* The rows of that tile; then the next one is. */
static inline int tile_rows_next(TileRows *d) {
  d->over += d->more;
  const bool one_more = d->over >= d->tiles;
  if (one_more) d->over -= d->tiles;
  const int64_t rows = d->each + one_more;
  d->at += rows;
  return (int)rows;
}

static inline void epilogue_rows(const GemmProduct *p, int64_t from, int64_t to) {
  if (p->epilogue) p->epilogue->rows(p->epilogue->dev, p->epilogue->p, p->epilogue->n, from, to);
}

/* Whether tiles that read the columns of y as they lie, at so many depths, have them in L2, and do
 * not wait for it: a tile multiplies a depth, two vectors a cycle, as long as L2 takes. Where tiles
 * are cut into two they read it twice as often. */
static inline bool reads_from_l2(const GemmProduct *p, int64_t depth) {
  enum { L2_CYCLES = 14 };
  return !p->setup->halves && p->kernel->rows[2] >= L2_CYCLES && p->yj == 1 && p->yl == p->n &&
         p->n * depth <= p->setup->all_floats;
}

/* -------- gemm_pack.c -------- */

/* A tile that fetches nothing but its own first line. */
static inline void ahead_clear(GemmTile *t, int64_t depth) {
  for (int64_t s = 0; s * GEMM_RUN < depth; s++) t->ahead[s] = (GemmAhead){(const char *)t->x, 0};
}

void ahead_none(Ahead *a);
void ahead_bytes(Ahead *a, const void *at, int64_t bytes);
int ahead_take_some(Ahead *a, GemmTile *t, int64_t tiles, int had);
/* What one of `tiles` tiles still to come should fetch; `had`: runs of the one before that had
 * some. Returns those of this one. */
static inline int ahead_take(Ahead *a, GemmTile *t, int64_t tiles, int had) {
  return a->pairs || had ? ahead_take_some(a, t, tiles, had) : 0;
}
/* What gemm_then gave this thread and is not fetched yet; NULL: nothing. */
Ahead *ahead_then(void);
/* Runs of the tile that fetch nothing take some of it. */
void ahead_fill(Ahead *next, GemmTile *t);
/* `n` rows (at most `step`) of `depth` numbers, [l * by_depth + q * by_row] one of them, as
 * [depth][step]. */
void pack(const GemmKernel *kernel, const float *from, int64_t by_row, int64_t by_depth,
          int64_t depth, int n, int step, float *to);
/* Columns j.. of y at depths l.. as [depth][width of a tile]. */
void pack_columns(const GemmProduct *p, int64_t l, int64_t depth, int64_t j, float *to);
/* Floats a depth of rows of x that are packed transposed: whole vectors. */
int across_rows(const GemmProduct *p);
/* `rows` rows i.. of x at depths l..: as they lie, but closer; or, where x is transposed, as
 * [depth][whole vectors], more than a tile's where there are more, which is faster than fewer. */
void pack_rows(const GemmProduct *p, int64_t l, int64_t depth, int64_t i, int rows, float *to);
/* Strides of what pack_rows wrote. */
void packed_strides(const GemmProduct *p, int64_t depth, GemmTile *t);
/* Rows of x that a tile reads lie so that too many of them meet in few lines of L1. */
bool rows_collide(const GemmProduct *p, int64_t depth);
void columns_ahead(GemmProduct *p, int64_t l, int64_t depth, int64_t j, int64_t columns);
void rows_ahead(GemmProduct *p, int64_t l, int64_t depth, int64_t i, int64_t rows);
/* Floats that a tile's packed rows take. */
int64_t packed_tile(const GemmProduct *p, int64_t depth);
/* A tile of c', `rows` rows of `wide` columns in `edge`, to c. */
void put_across(const GemmKernel *k, const float *edge, int wide, int rows, float *c, int64_t ldc,
                bool add);

/* -------- gemm_tiles.c -------- */

/* The kernel's tile of `rows` rows, as two if that is faster; `to`: its columns, of two vectors,
 * are packed there by the way (NULL: they are not). Where it fetches nothing else, it does some of
 * `next` (NULL: nothing). */
void gemm_tile(const GemmSetup *s, const GemmTile *t, int rows, int vectors, float *to,
               Ahead *next);
/* The tile of rows i.. and columns j..; t has its rows, and y of the columns. */
void tile_of_part(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j);
static inline void tile_at(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j) {
  if (!p->plain || p->n - j < p->wide) {
    tile_of_part(p, t, rows, i, j);
    return;
  }
  t->c = p->c + i * p->ldc + j, t->ldc = p->ldc, t->tail = p->kernel->lanes;
  p->kernel->tile[rows][p->vectors - 1](t);
}
/* Whether `n` lines that begin `step` floats apart stay in L2 from when they are fetched to when
 * they are packed; else it is faster to pack more of what lies side by side. */
bool lines_stay(const GemmSetup *s, int64_t n, int64_t step);
/* Whether those of a panel of columns do. */
bool panels_stay(const GemmProduct *p, int64_t depth);
/* Whether the first tile that reads the panel of columns j.. packs it. */
bool packed_by_tile(const GemmProduct *p, int64_t depth, int64_t j);
/* The tile of rows i.. and columns j.. at depths l.., which packs its columns in `to`. */
void first_tile(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j, int64_t l,
                float *to);

/* -------- gemm_streams.c -------- */

/* Reading y in streams, when it comes from beyond L2, as part of a large matrix does, saves packing
 * it and costs more for each row. */
bool gemm_streams(const GemmProduct *p, int64_t depth);
/* Rows of y are read in streams, once; the sums of a block of columns stay in L1. */
void gemm_by_streams(GemmProduct *p, int64_t most);
/* Multiplying y's columns, as they lie, by rows of x that are packed transposed saves transposing
 * y. */
bool gemm_lines(const GemmProduct *p);
void gemm_by_lines(GemmProduct *p, int64_t most);

/* -------- gemm_transposing.c -------- */

/* Multiplying y, whose numbers lie along the depths, by few rows of x while it is transposed in
 * registers is faster than as lines, or packed. */
bool gemm_transposing(const GemmProduct *p);
void gemm_by_transposing(const GemmProduct *p, int64_t most);
#endif
