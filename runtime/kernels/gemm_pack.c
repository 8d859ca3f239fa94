/* gemm_pack.c: what tiles read, packed; and the lines that they fetch ahead (gemm_product.h). */
#include "gemm_product.h"
#include <string.h>

/* -------- lines to be fetched ahead -------- */

void ahead_none(Ahead *a) {
  a->n = a->at = 0;
  a->pairs = a->each = 0;
}

static void ahead_add(Ahead *a, const void *at, int64_t n, int64_t step) {
  if (n <= 0 || a->n == MOST_RANGES) return; /* fetching is no duty */
  a->range[a->n++] = (AheadLines){at, n, step};
  a->pairs += n;
  a->each = 0;
}

void ahead_bytes(Ahead *a, const void *at, int64_t bytes) {
  ahead_add(a, at, (bytes + 2 * LINE - 1) / (2 * LINE), 2 * LINE);
}

int ahead_take_some(Ahead *a, GemmTile *t, int64_t tiles, int had) {
  if (!a->each) a->each = (a->pairs + tiles - 1) / tiles;
  const int64_t want = a->pairs - a->each; /* to be left */
  const int runs = (int)((t->depth + GEMM_RUN - 1) / GEMM_RUN);
  int s = 0;
  for (; s < runs && a->pairs && a->pairs > want; s++) {
    AheadLines *r = &a->range[a->at];
    const int64_t n = r->n < GEMM_FETCHED ? r->n : GEMM_FETCHED;
    t->ahead[s] = (GemmAhead){r->at, r->step};
    r->n -= n, r->at += n * r->step;
    a->pairs -= n;
    a->at += !r->n;
  }
  for (int i = s; i < had; i++) t->ahead[i] = (GemmAhead){(const char *)t->x, 0};
  return s;
}

/* `n` rows of `bytes` bytes, `step` bytes from one to the next, two lines at a time over all of
 * them. The first line of each is also the last of what lies before, and was fetched with that. */
static void block_ahead(Ahead *a, const float *at, int64_t n, int64_t bytes, int64_t step) {
  for (int64_t b = LINE; b < bytes + LINE; b += 2 * LINE)
    ahead_add(a, (const char *)at + (b < bytes ? b : bytes) - 4, n, step);
}

/* -------- the next product -------- */

/* A thread multiplies many matrices one after the other, and no CPU knows where the next ones lie.
 */
static _Thread_local Ahead then;

static void matrix_ahead(const float *at, int64_t rows, int64_t n, int64_t step) {
  if (step == n)
    ahead_bytes(&then, at, rows * n * 4);
  else
    block_ahead(&then, at, rows, n * 4, step * 4);
}

void gemm_then_nothing(void) { ahead_none(&then); }

void gemm_then(int64_t m, int64_t n, int64_t k, const float *x, int64_t xi, int64_t xl,
               const float *y, int64_t yl, int64_t yj, const float *c, int64_t ldc) {
  ahead_none(&then);
  matrix_ahead(y, yj == 1 ? k : n, yj == 1 ? n : k, yj == 1 ? yl : yj);
  matrix_ahead(x, xi == 1 ? k : m, xi == 1 ? m : k, xi == 1 ? xl : xi);
  matrix_ahead(c, m, n, ldc);
}

Ahead *ahead_then(void) { return then.pairs ? &then : NULL; }

void ahead_fill(Ahead *next, GemmTile *t) {
  int64_t left = t->depth;
  for (int s = 0; left > 0 && next->pairs; s++, left -= GEMM_RUN) {
    if (t->ahead[s].step) continue;
    AheadLines *r = &next->range[next->at];
    const int64_t n = least(r->n, (least(left, GEMM_RUN) + GEMM_STRETCH - 1) / GEMM_STRETCH);
    t->ahead[s] = (GemmAhead){r->at, r->step};
    r->n -= n, r->at += n * r->step;
    next->pairs -= n;
    next->at += !r->n;
  }
}

/* -------- packing -------- */

void pack(const GemmKernel *kernel, const float *from, int64_t by_row, int64_t by_depth,
          int64_t depth, int n, int step, float *to) {
  const int half = kernel->lanes;
  for (int at = 0; at < step && n > 0; at += half, n -= half) {
    const float *f = from + at * by_row;
    if (by_row != 1)
      kernel->transpose(f, by_row, depth, n < half ? n : half, to + at, step);
    else
      kernel->copy(f, by_depth, depth, n < half ? n : half, to + at, step);
  }
}

void pack_columns(const GemmProduct *p, int64_t l, int64_t depth, int64_t j, float *to) {
  const int wide = p->wide;
  pack(p->kernel, p->y + l * p->yl + j * p->yj, p->yj, p->yl, depth, (int)least(p->n - j, wide),
       wide, to);
}

int across_rows(const GemmProduct *p) {
  return (int)tiles_of(p->kernel->rows[2], p->kernel->lanes) * p->kernel->lanes;
}

void pack_rows(const GemmProduct *p, int64_t l, int64_t depth, int64_t i, int rows, float *to) {
  const float *x = p->x + i * p->xi + l * p->xl;
  if (p->xi == 1)
    pack(p->kernel, x, 1, p->xl, depth, (int)least(p->m - i, across_rows(p)), across_rows(p), to);
  else
    for (int q = 0; q < rows; q++, x += p->xi, to += depth + GAP)
      memcpy(to, x, (size_t)depth * sizeof *to);
}

void packed_strides(const GemmProduct *p, int64_t depth, GemmTile *t) {
  t->xi = p->xi == 1 ? 1 : depth + GAP;
  t->xl = p->xi == 1 ? across_rows(p) : 1;
}

bool rows_collide(const GemmProduct *p, int64_t depth) {
  const int64_t way = p->setup->l1_way, step = p->xi * 4 % way,
                apart = step < way - step ? step : way - step;
  return p->xi != 1 && depth * 4 > apart && (apart < 512 || way % apart == 0) && apart * 8 <= way;
}

void columns_ahead(GemmProduct *p, int64_t l, int64_t depth, int64_t j, int64_t columns) {
  if (j >= p->n + p->beyond) return;
  const int64_t here = least(p->n + p->beyond - j, columns);
  const float *y = p->y + l * p->yl + j * p->yj;
  if (p->yj == 1)
    block_ahead(p->ahead, y, depth, here * 4, p->yl * 4);
  else
    block_ahead(p->ahead, y, here, depth * 4, p->yj * 4);
}

void rows_ahead(GemmProduct *p, int64_t l, int64_t depth, int64_t i, int64_t rows) {
  if (i >= p->m || p->m * depth < p->setup->near_floats) return;
  const float *x = p->x + i * p->xi + l * p->xl;
  if (p->xi == 1)
    block_ahead(p->ahead, x, depth, rows * 4, p->xl * 4);
  else
    block_ahead(p->ahead, x, rows, depth * 4, p->xi * 4);
}

int64_t packed_tile(const GemmProduct *p, int64_t depth) {
  return p->xi == 1 ? depth * across_rows(p) : (depth + GAP) * p->rows;
}

void put_across(const GemmKernel *k, const float *edge, int wide, int rows, float *c, int64_t ldc,
                bool add) {
  for (int at = 0; at < wide; at += k->lanes)
    for (int r = 0; r < rows; r += k->lanes) /* a tile may have more rows than a vector lanes */
      k->across(edge + r * GEMM_COLUMNS + at, GEMM_COLUMNS, (int)least(wide - at, k->lanes),
                (int)least(rows - r, k->lanes), c + at * ldc + r, ldc, add);
}
