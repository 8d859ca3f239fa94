/* gemm_blocked.c: a product cut into tiles for the kernels of gemm_kernel.h, after Goto and van de
 * Geijn 2008 (which packs x too; here x is read where it lies unless its rows are columns). y is
 * packed in panels as wide as a tile, since each panel is read once for every tile of rows; with
 * few rows that does not pay, and y is read where it lies. */
#include "gemm_kernel.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const GemmKernel *gemm_kernel(void) {
#if defined(__x86_64__)
  const char *say = getenv("DTRT_GEMM");
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

enum { ROW = GEMM_DEPTH + 16 }; /* from a packed row to the next */
enum {
  ROOM = GEMM_DEPTH * (GEMM_WIDTH + GEMM_COLUMNS) + ROW * GEMM_ROWS + GEMM_ROWS * GEMM_COLUMNS
};

static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_ready;
static void room_make(void) { room_ready = pthread_key_create(&room_key, free) == 0; }

static float *room_of_thread(void) {
  static _Thread_local float *room;
  if (room) return room;
  pthread_once(&room_once, room_make);
  if (!room_ready) return NULL;
  float *p = aligned_alloc(64, ROOM * sizeof(float));
  if (p && pthread_setspecific(room_key, p)) {
    free(p);
    p = NULL;
  }
  return room = p;
}

/* -------- packing -------- */

typedef struct Product {
  const GemmKernel *kernel;
  int64_t m, n, k;
  const float *x, *y;
  int64_t xi, xl, yl, yj;
  float *c;
  int64_t ldc;
  bool add;
  float *panels; /* [columns / width of a tile][depth][width] */
  float *rows;   /* [depth][rows of a tile], or [rows of a tile][ROW] */
  float *edge;   /* [GEMM_ROWS][GEMM_COLUMNS]: a tile that is wider than what is left of c */
} Product;

/* Columns j.. of y at depths l.. as one panel; those beyond the last are 0. */
static void pack_panel(const Product *p, int64_t l, int64_t depth, int64_t j, float *to) {
  const int wide = p->kernel->columns, half = wide / 2;
  int here = p->n - j < wide ? (int)(p->n - j) : wide;
  const float *y = p->y + l * p->yl + j * p->yj;
  if (here < wide) memset(to, 0, (size_t)depth * (size_t)wide * sizeof *to);
  if (p->yj == 1) {
    for (int64_t i = 0; i < depth; i++)
      memcpy(to + i * wide, y + i * p->yl, (size_t)here * sizeof *to);
    return;
  }
  for (int at = 0; at < here; at += half)
    p->kernel->turn(y + at * p->yj, p->yj, depth, here - at < half ? here - at : half, to + at,
                    wide);
}

/* Rows i.. of x at depths l.. lie side by side, each in its own lines: rows that are far apart by a
 * multiple of 4 KiB drive each other out of L1. Where x lies with its rows innermost, so does the
 * copy. */
static void pack_rows(const Product *p, GemmTile *t, int rows) {
  const float *x = t->x;
  if (t->xi == 1) {
    for (int64_t d = 0; d < t->depth; d++, x += t->xl)
      for (int r = 0; r < rows; r++) p->rows[d * rows + r] = x[r];
    t->xl = rows;
  } else {
    for (int r = 0; r < rows; r++)
      memcpy(p->rows + r * ROW, x + r * t->xi, (size_t)t->depth * sizeof *x);
    t->xi = ROW;
  }
  t->x = p->rows;
}

/* -------- tiles -------- */

/* c = or += e, of n elements, in pieces of fixed sizes, which are vectors to the compiler. */
static void put(float *c, const float *e, int n, bool add) {
  int i = 0;
#define PIECE(most)                                                                                \
  for (; i + most <= n; i += most)                                                                 \
    for (int q = 0; q < most; q++) c[i + q] = add ? c[i + q] + e[i + q] : e[i + q];
  PIECE(8) PIECE(4) PIECE(1)
#undef PIECE
}

/* The tile at column j; t has its rows, and y of the columns. */
static void tile(const Product *p, GemmTile *t, int rows, int64_t j) {
  const int wide = p->kernel->columns;
  int64_t left = p->n - j;
  bool whole = left > wide / 2;
  if (left >= wide || left == wide / 2) {
    p->kernel->tile[rows][whole](t);
    return;
  }
  GemmTile e = *t;
  e.c = p->edge, e.ldc = GEMM_COLUMNS, e.add = false;
  p->kernel->tile[rows][whole](&e);
  for (int i = 0; i < rows; i++)
    put(t->c + i * t->ldc, p->edge + i * GEMM_COLUMNS, (int)left, t->add);
}

/* Columns j.. can be read where they lie: nothing beyond the last is. */
static bool fits(const Product *p, int64_t j) {
  const int wide = p->kernel->columns;
  return p->n - j >= wide || p->n - j == wide / 2;
}

/* Depths l.. of the columns from j0 to j1. */
static void pass(Product *p, int64_t l, int64_t depth, int64_t j0, int64_t j1) {
  const int wide = p->kernel->columns;
  const int64_t tiles = (p->m + p->kernel->rows - 1) / p->kernel->rows;
  const bool pack = p->yj != 1 || tiles > 2;
  for (int64_t j = j0; j < j1; j += wide)
    if (pack || !fits(p, j)) pack_panel(p, l, depth, j, p->panels + (j - j0) * depth);
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t i = q * p->m / tiles;
    const int rows = (int)((q + 1) * p->m / tiles - i);
    GemmTile t = {.depth = depth,
                  .x = p->x + i * p->xi + l * p->xl,
                  .xi = p->xi,
                  .xl = p->xl,
                  .ldc = p->ldc,
                  .add = p->add || l > 0};
    if (j1 - j0 > (p->xi == 1 ? 1 : 8) * wide) pack_rows(p, &t, rows);
    for (int64_t j = j0; j < j1; j += wide) {
      const bool packed = pack || !fits(p, j);
      t.y = packed ? p->panels + (j - j0) * depth : p->y + l * p->yl + j;
      t.lead = packed ? wide : p->yl;
      t.c = p->c + i * p->ldc + j;
      tile(p, &t, rows, j);
    }
  }
}

bool gemm_blocked(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
                  const float *y, int64_t yl, int64_t yj, float *c, int64_t ldc, bool add) {
  static const GemmKernel *kernel;
  static bool asked;
  if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
    kernel = gemm_kernel();
    __atomic_store_n(&asked, true, __ATOMIC_RELEASE);
  }
  float *room = kernel ? room_of_thread() : NULL;
  if (!room) return false;
  Product p = {kernel, m, n, k, x, y, xi, xl, yl, yj, c, ldc, add, room, NULL, NULL};
  p.rows = room + GEMM_DEPTH * (GEMM_WIDTH + GEMM_COLUMNS);
  p.edge = p.rows + ROW * GEMM_ROWS;
  /* Depths in parts of equal size, up to one. */
  const int64_t depths = (k + GEMM_DEPTH - 1) / GEMM_DEPTH;
  for (int64_t j = 0; j < n; j += GEMM_WIDTH)
    for (int64_t d = 0; d < depths; d++) {
      const int64_t l = d * k / depths;
      pass(&p, l, (d + 1) * k / depths - l, j, n - j < GEMM_WIDTH ? n : j + GEMM_WIDTH);
    }
  return true;
}
