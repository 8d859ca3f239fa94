/* gemm_transposing.c: products of few rows and a matrix whose numbers lie along the sums, such as
 * those of a matrix and few columns: each block of the matrix is transposed in registers, once, and
 * multiplied by all rows (gemm_product.h). */
#include "gemm_product.h"

/* In cycles, a number of y: to transpose it in registers (four depths of as many columns as a
 * vector has lanes come as quads, all but the first of which take a multiplier's port, and take two
 * permutations a vector); and to multiply a vector by each row. By lines (gemm_streams.c) a vector
 * of half the lanes is multiplied for each number, two a cycle. To transpose what is packed before
 * takes longer always. */
bool gemm_transposing(const GemmProduct *p) {
  if (p->band || p->yj == 1 || p->m > p->kernel->rows_transposing ||
      p->m * p->k > GEMM_TILES_FLOATS)
    return false;
  const double lanes = p->kernel->lanes, vector = p->setup->halves ? 1 : 0.5, by_lines = 0.5;
  const double transposed = vector * (lanes / 4 + 1) / lanes,
               multiplied = vector * (double)p->m / lanes;
  return !gemm_lines(p) || transposed + multiplied < by_lines;
}

/* x as [depth][rows]; packed, if it does not lie so. */
static const float *depths_of(const GemmProduct *p) {
  if ((p->xi == 1 || p->m == 1) && p->xl == p->m) return p->x;
  float *to = p->packed;
  for (int64_t l = 0; l < p->k; l++)
    for (int64_t i = 0; i < p->m; i++) *to++ = p->x[i * p->xi + l * p->xl];
  return p->packed;
}

void gemm_by_transposing(const GemmProduct *p, int64_t most) {
  GemmTileKernel *const kernel = p->kernel->transposing[p->m];
  const int lanes = p->kernel->lanes, m = (int)p->m;
  const bool far = p->n * p->k > p->setup->all_floats;
  const float *x = depths_of(p);
  GemmTile t;
  t.run = GEMM_RUN, t.lead = p->yj;
  for (int64_t j = 0; j < p->n; j += lanes) {
    t.tail = (int)least(lanes, p->n - j);
    /* Beyond the last column lies something else. */
    t.ahead[0] = (GemmAhead){NULL, far && j + 2 * lanes <= p->n ? lanes * p->yj * 4 : 0};
    for (int64_t l = 0; l < p->k; l += most) {
      t.depth = least(most, p->k - l), t.x = x + l * m, t.y = p->y + j * p->yj + l;
      if (!p->across) {
        t.c = p->c + j, t.ldc = p->ldc, t.add = p->add || l > 0;
        kernel(&t);
        continue;
      }
      t.c = p->edge, t.ldc = GEMM_COLUMNS, t.add = l > 0 && !p->add;
      kernel(&t);
      if (p->add || l + most >= p->k)
        put_across(p->kernel, p->edge, t.tail, m, p->c + j * p->ldc, p->ldc, p->add);
    }
  }
}
