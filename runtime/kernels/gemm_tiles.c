/* gemm_tiles.c: one tile of a product, by the kernel: as one or as two, and packing what it reads
 * or not (gemm_product.h). */
#include "gemm_product.h"

/* The kernel's tile of `rows` rows; `to`: y, of two vectors, is packed there by the way (NULL: it
 * is not). */
static void tile_by_kernel(const GemmKernel *k, const GemmTile *t, int rows, int vectors,
                           float *to) {
  if (to)
    k->packing[rows](t, to);
  else
    k->tile[rows][vectors - 1](t);
}

/* Tiles that are cut into two fetch the lines of every other run each. */
void gemm_tile(const GemmSetup *s, const GemmTile *t, int rows, int vectors, float *to,
               Ahead *next) {
  const GemmKernel *k = s->kernel;
  if (next && !next->pairs) next = NULL;
  if (!s->halves || rows <= k->held[vectors]) {
    GemmTile own;
    if (next) {
      own = *t;
      ahead_fill(next, &own);
    }
    tile_by_kernel(k, next ? &own : t, rows, vectors, to);
    return;
  }
  const int first = (rows + 1) / 2;
  const GemmAhead none = {(const char *)t->x, 0};
  GemmTile half = *t;
  for (int r = 0; r * GEMM_RUN < t->depth; r++)
    if (r % 2) half.ahead[r] = none;
  if (next) ahead_fill(next, &half);
  tile_by_kernel(k, &half, first, vectors, to);
  half.x += first * t->xi, half.c += first * t->ldc;
  if (to) half.y = to, half.lead = vectors * k->lanes;
  for (int r = 0; r * GEMM_RUN < t->depth; r++) half.ahead[r] = r % 2 ? t->ahead[r] : none;
  if (next) ahead_fill(next, &half);
  tile_by_kernel(k, &half, rows - first, vectors, NULL);
}

/* The tile of rows i.. and columns j..; t has its rows, and y of the columns, which is packed by
 * the way if there is a `to`. */
static void tile_that_packs(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j,
                            float *to) {
  const GemmKernel *k = p->kernel;
  const int left = (int)least(p->n - j, p->wide), vectors = left <= k->lanes       ? 1
                                                            : left <= 2 * k->lanes ? 2
                                                                                   : 3;
  t->tail = left - (vectors - 1) * k->lanes;
  if (!p->across) {
    t->c = p->c + i * p->ldc + j, t->ldc = p->ldc;
    gemm_tile(p->setup, t, rows, vectors, to, p->next);
    return;
  }
  const bool add = t->add;
  t->c = p->edge, t->ldc = GEMM_COLUMNS, t->add = false;
  gemm_tile(p->setup, t, rows, vectors, to, p->next);
  t->add = add;
  put_across(k, p->edge, left, rows, p->c + j * p->ldc + i, p->ldc, add);
}

void tile_of_part(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j) {
  tile_that_packs(p, t, rows, i, j, NULL);
}

bool lines_stay(const GemmSetup *s, int64_t n, int64_t step) {
  const int64_t way = s->l2_way, bytes = 4 * step % way;
  const int64_t sets = bytes ? way / (bytes & -bytes) : 1; /* in which they begin */
  return n <= sets * s->l2_ways;
}

bool panels_stay(const GemmProduct *p, int64_t depth) {
  return !p->band &&
         (p->yj == 1 ? lines_stay(p->setup, depth, p->yl) : lines_stay(p->setup, p->wide, p->yj));
}

bool packed_by_tile(const GemmProduct *p, int64_t depth, int64_t j) {
  const int64_t left = p->n - j;
  return p->yj == 1 && p->wide == 2 * p->kernel->lanes && panels_stay(p, depth) &&
         p->kernel->packing[1] &&
         (left >= p->wide || (p->kernel->parts && left > p->kernel->lanes));
}

void first_tile(const GemmProduct *p, GemmTile *t, int rows, int64_t i, int64_t j, int64_t l,
                float *to) {
  t->y = p->y + l * p->yl + j, t->lead = p->yl;
  tile_that_packs(p, t, rows, i, j, to);
  t->lead = p->wide;
}
