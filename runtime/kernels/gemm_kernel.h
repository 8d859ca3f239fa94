/* gemm_kernel.h: matrix products of our own, f32. A kernel computes a tile of the result in
 * registers; gemm_blocked.c cuts a product into tiles and packs what they read. Kernels are
 * compiled once for each kind of CPU (gemm_kernel.inc) and chosen when the process starts. Every
 * element is a sum of runs of k, GEMM_RUN in sequence, begun anew each part of k (GEMM_DEPTH at
 * most), whatever the tile it falls in: a product gives the same bits when its rows or columns are
 * dealt to several devices. */
#ifndef DTRT_GEMM_KERNEL_H
#define DTRT_GEMM_KERNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dtrt.h"

enum {
  GEMM_DEPTH = DTRT_GEMM_DEPTH, /* most of k in one pass over the result */
  GEMM_DOT_LANES = 32,
  GEMM_RUN = 64,        /* of it in sequence; such runs are added in sequence too */
  GEMM_ROWS = 16,       /* no tile has more rows ... */
  GEMM_COLUMNS = 48,    /* ... or columns */
  GEMM_TRANSPOSING = 8, /* rows of a tile that transposes its columns, at most */
  GEMM_VECTORS = 3,     /* side by side in a tile, at most */
  GEMM_STRETCH = 2,     /* depths, for which two lines are fetched */
  GEMM_FETCHED = GEMM_RUN / GEMM_STRETCH, /* pairs of lines a run */
  GEMM_GROUP = 4,      /* panels of columns that are packed at a time where rows are packed whole */
  GEMM_KEPT_ROOMS = 8, /* what stays packed, times what is packed in parts: beyond L2 */
  GEMM_TILES_FLOATS = GEMM_GROUP * GEMM_DEPTH * GEMM_COLUMNS,
  GEMM_EDGE_FLOATS = GEMM_ROWS * GEMM_COLUMNS,
  GEMM_AHEAD = 2 * GEMM_DEPTH / GEMM_RUN + 1 /* runs of a tile, at most */
};

/* Lines fetched into L2 for later tiles, two each GEMM_STRETCH depths of a run, `step` bytes apart.
 */
typedef struct GemmAhead {
  const char *at;
  int64_t step;
} GemmAhead;

/* One tile. x[i * xi + l * xl] is row i, depth l, one of the strides being 1; y has `lead` floats a
 * depth, of which the tile's columns are the first; c has `ldc` floats a row. */
typedef struct GemmTile {
  int64_t depth;
  int64_t run;  /* of it in sequence: GEMM_RUN, but where a depth is not one number (gemm_half.h) */
  int64_t skip; /* of the first run, as they are dead: runs begin where they do without */
  const float *x;
  int64_t xi, xl;
  const float *y;
  int64_t lead;
  float *c;
  int64_t ldc;
  /* Columns of the last vector. What lies beyond in c is not touched; in y it is read but by
   * kernels that have `parts`. */
  int tail;
  bool add;                    /* to what c holds */
  GemmAhead ahead[GEMM_AHEAD]; /* by runs */
} GemmTile;

typedef void GemmTileKernel(const GemmTile *t);

/* Rows of a matrix that are fetched while others are multiplied: `ahead` (0: none) rows on, of the
 * `left` rows that the matrix has from here if `own`, and then of the next matrix, which lies like
 * it (NULL: there is none). */
typedef struct GemmFetch {
  int64_t ahead, left;
  const float *next;
  bool own;
} GemmFetch;

/* Tiles are of one vector, two, or three; of three they have fewer rows, as registers are few. */
typedef struct GemmKernel {
  int lanes;                  /* of a vector */
  int rows[GEMM_VECTORS + 1]; /* most, by vectors */
  int held[GEMM_VECTORS + 1]; /* of which the totals, beside the sums of a run, stay in registers */
  bool parts;                 /* reads parts of a vector as fast as whole ones */
  GemmTileKernel *tile[GEMM_ROWS + 1][GEMM_VECTORS]; /* [rows of the tile][vectors - 1] */
  /* Tiles of two vectors that also pack what they read of y, as [depth][two vectors]. */
  void (*packing[GEMM_ROWS + 1])(const GemmTile *t, float *to);
  /* Tiles of one vector of columns whose numbers lie along the depths, y[j * lead + l], and are
   * transposed in registers; of at most so many rows. x is [depth][rows]. What lies ahead->step
   * bytes (0: nothing) after what is read is fetched. */
  int rows_transposing;
  GemmTileKernel *transposing[GEMM_TRANSPOSING + 1];
  /* to[l * step + j] = y[j * lead + l] for j < n, l < depth; n at most lanes. What lies between n
   * and lanes is written too. */
  void (*transpose)(const float *y, int64_t lead, int64_t depth, int n, float *to, int64_t step);
  /* to[l * step + j] = y[l * lead + j], for the same; 0 beyond. */
  void (*copy)(const float *y, int64_t lead, int64_t depth, int n, float *to, int64_t step);
  /* n columns of y, y[l * lead + j], as panels [depth][wide], one after the other; 0 beyond. */
  void (*panels)(const float *y, int64_t lead, int64_t depth, int64_t n, float *to, int64_t wide);
  /* c[i * ldc + j] = or += e[j * step + i] for i < rows, j < n, each at most lanes; e has so many
   * rows. */
  void (*across)(const float *e, int64_t step, int rows, int n, float *c, int64_t ldc, bool add);
  /* sum[j] += x[l * step] * y[l * lead + j] for j < n, l < depth in sequence. */
  void (*rows_sum)(const float *x, int64_t step, const float *y, int64_t lead, int64_t depth,
                   int64_t n, float *sum, const GemmFetch *fetch);
  /* sum[i] = the sum of x[l] * y[i * lead + l] for l < k: in sequence up to GEMM_RUN, else in
   * GEMM_DOT_LANES lanes: number l goes to lane l mod GEMM_DOT_LANES; then lane j is joined with
   * that half of them on, and so on. */
  void (*dots)(const float *x, const float *y, int64_t lead, int64_t n, int64_t k, float *sum,
               const GemmFetch *fetch);
  /* sum[i * room + j] = the sum of x(i, l) * y[l * lead + j] for l < depth in sequence, i < m,
   * j < n; room has whole pairs of vectors. x has `deep` depths of each row side by side, then
   * those of the next row, then the next depths, and at the end each depth by itself. `into`, if it
   * is not NULL, has the sums added to it, and `sum` is of no use afterwards. What y has at `then`,
   * which is read next in the same way, is fetched meanwhile. */
  int deep;
  void (*streams)(const float *x, int64_t m, const float *y, int64_t lead, int64_t depth, int64_t n,
                  float *sum, int64_t room, const float *then, float *into);
  void (*join)(float *to, const float *from, int64_t n); /* to[i] += from[i]; whole vectors */
} GemmKernel;

/* NULL: OpenBLAS does everything. DTRT_GEMM=openblas in the environment asks for that, avx2 and
 * portable for narrower kernels, avx512 for no pairs of bf16. */
const GemmKernel *gemm_kernel(void);
/* What products are computed with, as the CPU and its caches say. Blocks follow from it, the bits
 * do not. */
typedef struct GemmSetup {
  const GemmKernel *kernel; /* NULL: none */
  int64_t all_floats;       /* of the operand that is packed whole: half of L2 */
  int64_t far_floats;       /* of an operand that no cache holds: half of L3 */
  int64_t kept_floats;    /* of c, that stay in L3 while all of k is summed, for each of 8 cores */
  int64_t near_floats;    /* that are hardly worth fetching: two of L1 */
  int64_t beside_floats;  /* that stay in L1 beside a tile of x, which has three eighths */
  int64_t l1_way, l2_way; /* bytes after which addresses are in the same set again */
  int64_t l2_ways;        /* lines of a set */
  /* Tiles are cut into two where the totals of all their rows do not fit in registers: what comes
   * from L2 is read twice as often, but no sum is written. Where a core multiplies one vector a
   * cycle, L2 is fast enough for that. */
  bool halves;
} GemmSetup;

/* This process's, and this thread's room for packing (GEMM_ROOM_FLOATS); NULL: there is none. */
const GemmSetup *gemm_setup(float **room);
/* What this thread multiplies after its next product, of the same sizes: tiles of that one fetch
 * this into L2 where they fetch nothing else. Operands are as gemm_blocked has them. */
void gemm_then(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
               const float *y, int64_t yl, int64_t yj, const float *c, int64_t ldc);
void gemm_then_nothing(void);
/* Floats of the operand that is packed whole, where L2 has so many bytes (0: unknown). */
int64_t gemm_packed_floats(int64_t l2);
/* What follows from the bytes of caches; 0: the system does not say. Ways are those of this CPU. */
void gemm_setup_sizes(GemmSetup *s, int64_t l1, int64_t l2, int64_t l3);
/* This thread's room for packing: so many floats as above, and GEMM_TILES_FLOATS. NULL: no memory.
 */
float *gemm_room(int64_t *floats);
extern const GemmKernel gemm_kernel_avx512, gemm_kernel_avx2, gemm_kernel_portable;
/* Tiles for AVX-512 with the lanes of AVX2's, whose kernels do the rest. */
extern const GemmKernel gemm_kernel_narrow;

/* c (m x n) = or += x (m x k) @ y (k x n), each as it lies: x[i * xi + l * xl], y[l * yl + j * yj],
 * one of the two strides being 1; then `then` (NULL: nothing) on all rows. False: not done (no
 * kernel, no memory). */
struct dtrt_epilogue;
struct dtrt_band;
bool gemm_blocked(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                  const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                  const struct dtrt_epilogue *epilogue);
/* The same of a y that stays packed from call to call as long as `nest` is the same (gemm_kept.h),
 * where packing it pays. */
bool gemm_blocked_kept(int64_t nest, int64_t m, int64_t n, int64_t k, const float *x, int64_t xi,
                       int64_t xl, const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc,
                       bool add, const struct dtrt_epilogue *epilogue);
/* The same of `band` (NULL: all; see dtrt_gemm_band), in parts of so many of k (0:
 * dtrt_gemm_part). */
bool gemm_blocked_band(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                       const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add,
                       const struct dtrt_epilogue *epilogue, const struct dtrt_band *band,
                       int64_t part);
/* The same with another kernel or other caches; room: GEMM_ROOM_FLOATS(s). */
void gemm_blocked_by(const GemmSetup *s, float *room, int64_t m, int64_t n, int64_t k,
                     const float *x, int64_t xi, int64_t xl, const float *y, int64_t yl, int64_t yj,
                     float *c, int64_t ldc, bool add, const struct dtrt_epilogue *epilogue,
                     const struct dtrt_band *band, int64_t part);
#define GEMM_ROOM_FLOATS(s) ((s)->all_floats + GEMM_TILES_FLOATS + GEMM_EDGE_FLOATS)
#endif
