/* gemm_vector.c: a matrix times a vector, f32: the matrix is read once, as it lies. Long sums go in
 * blocks, which are combined pairwise (docs/sums.md). */
#include "gemm_vector.h"
#include "conv.h"
#include "dtrt_math.h"
#include <string.h>

enum {
  SEQUENCE = 64,     /* of k in sequence, where the matrix's columns are summed */
  LANES_OF = 2048,   /* of k in lanes, where its rows are */
  COLUMNS = 4096,    /* sums that stay in the nearest cache */
  AHEAD = 8,         /* rows: as many as the kernel sums at a time ... */
  AHEAD_BYTES = 4096 /* ... or more, where they are short */
};

GemmVector gemm_vector_of(int ta, int tb, int64_t m, int64_t n, int64_t k, const float *a,
                          int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc,
                          bool add) {
  if (n == 1) return (GemmVector){!ta, m, k, a, lda, b, tb ? 1 : ldb, c, ldc, add, {0}};
  return (GemmVector){tb, n, k, b, ldb, a, ta ? lda : 1, c, 1, add, {0}};
}

/* Rows of the matrix, or a block of them along the vector. */
static void dots(const GemmKernel *kernel, const GemmVector *p, int64_t l, int64_t k, float *sum) {
  float side_by_side[LANES_OF];
  const float *x = p->x + l * p->step;
  for (int64_t i = 0; p->step != 1 && i < k; i++) side_by_side[i] = x[i * p->step];
  kernel->dots(p->step == 1 ? x : side_by_side, p->a + l, p->lead, p->n, k, sum, &p->fetch);
}

/* Columns j.. of rows l.. */
static void columns(const GemmKernel *kernel, const GemmVector *p, int64_t j, int64_t n, int64_t l,
                    int64_t k, float *sum) {
  GemmFetch f = p->fetch;
  f.left -= l;
  if (f.next) f.next += j;
  memset(sum, 0, (size_t)n * sizeof *sum);
  kernel->rows_sum(p->x + l * p->step, p->step, p->a + l * p->lead + j, p->lead, k, n, sum, &f);
}

/* n sums from the j-th on, in blocks of k. */
static void in_blocks(const GemmKernel *kernel, const GemmVector *p, int64_t j, int64_t n,
                      float *room) {
  const int64_t block = p->along ? LANES_OF : SEQUENCE;
  float *to = p->c + j * p->cstep, *sum = room, *partial = room + n;
  const bool direct = p->cstep == 1 && !p->add;
  if (p->k <= block) {
    if (direct) sum = to;
    if (p->along)
      dots(kernel, p, 0, p->k, sum);
    else
      columns(kernel, p, j, n, 0, p->k, sum);
  } else {
    int64_t at = 0, blocks = 0;
    for (int64_t here; at < p->k; at += here) {
      here = p->k - at < block ? p->k - at : block;
      float *own = partial + blocks % 2 * n;
      if (p->along)
        dots(kernel, p, at, here, own);
      else
        columns(kernel, p, j, n, at, here, own);
      if (here < block) break;
      if (blocks % 2) dtrt_carry_row_sum_f32(partial, n, n, blocks);
      blocks++;
    }
    dtrt_fold_row_sum_f32(direct ? to : sum, partial, n, n, blocks, at < p->k);
  }
  if (direct) return;
  for (int64_t i = 0; i < n; i++) to[i * p->cstep] = sum[i] + (p->add ? to[i * p->cstep] : 0);
}

/* Columns that come from memory: what the CPU itself fetches ends with each page of each row. */
static GemmFetch fetch_columns(const GemmVector *p, const GemmSetup *setup) {
  if (p->along || p->n * p->k < setup->all_floats) return (GemmFetch){0};
  const int64_t more = AHEAD_BYTES / (4 * p->n) / AHEAD * AHEAD;
  return (GemmFetch){more > AHEAD ? more : AHEAD, p->k, NULL, true};
}

bool gemm_vector(const GemmVector *given) {
  float *packing;
  const GemmSetup *setup = gemm_setup(&packing);
  if (!setup->kernel) return false;
  GemmVector own = *given, *p = &own;
  if (!p->fetch.ahead) p->fetch = fetch_columns(p, setup);
  const int64_t block = p->along ? LANES_OF : SEQUENCE;
  const int64_t most = p->along || p->n < COLUMNS ? p->n : COLUMNS;
  int64_t rows = 3; /* the result, and those of dtrt_carry_row_sum_f32 */
  for (int64_t blocks = p->k / block; blocks; blocks /= 2) rows++;
  float *room = conv_room(rows * most);
  if (!room) return false;
  for (int64_t j = 0; j < p->n; j += most) {
    if (!given->fetch.ahead) p->fetch.next = j + most < p->n ? p->a + most : NULL;
    in_blocks(setup->kernel, p, j, p->n - j < most ? p->n - j : most, room);
  }
  return true;
}
