/* gemm_streams.c: products of few rows and a large matrix, which is read once, as it lies, while
 * what is read next is fetched. */
#include "gemm_product.h"
#include <string.h>

/* In the time of one multiplication and addition: to pack an element of y, and, for a product of
 * it, the reading and writing of the sum, which serves as many depths as the kernel takes at once.
 */
enum { PACKED_COST = 12, SUM_COST = 1 };

bool gemm_streams(const Product *p, int64_t depth) {
  return !p->band && !p->across && p->yj == 1 && p->n >= 4 * p->kernel->lanes &&
         p->yl * p->k >= p->setup->all_floats && p->m * SUM_COST <= PACKED_COST * p->kernel->deep &&
         p->m * depth <= GEMM_TILES_FLOATS;
}

/* x at depths l.., as `streams` of the kernel reads it. */
static void pack_streams(const Product *p, int64_t l, int64_t depth, float *to) {
  const int deep = p->kernel->deep;
  for (int64_t end = l + depth; l < end;) {
    const int d = end - l >= deep ? deep : 1;
    for (int64_t i = 0; i < p->m; i++)
      for (int q = 0; q < d; q++) *to++ = p->x[i * p->xi + (l + q) * p->xl];
    l += d;
  }
}

/* Columns from j on at depths l..: runs into `sum`, which join in `part`, and that c. */
static void stream_columns(const Product *p, int64_t l, int64_t depth, int64_t j, int64_t columns,
                           int64_t room, const float *x) {
  float *sum = p->all, *part = p->all + p->m * room;
  const int64_t n = least(columns, p->n - j);
  for (int64_t at = 0; at < depth; at += GEMM_RUN) {
    const int64_t here = least(GEMM_RUN, depth - at);
    p->kernel->streams(x + at * p->m, p->m, p->y + (l + at) * p->yl + j, p->yl, here, n,
                       at ? sum : part, room);
    if (at) p->kernel->join(part, sum, p->m * room);
  }
  for (int64_t i = 0; i < p->m; i++) {
    float *c = p->c + i * p->ldc + j;
    const float *s = part + i * room;
    if (p->add || l)
      for (int64_t q = 0; q < n; q++) c[q] += s[q];
    else
      memcpy(c, s, (size_t)n * sizeof *c);
  }
}

void gemm_by_streams(Product *p, int64_t most) {
  const int64_t pair = 2 * p->kernel->lanes, room = SMALL / p->m / pair * pair;
  for (int64_t l = 0; l < p->k; l += most) {
    const int64_t depth = least(most, p->k - l);
    pack_streams(p, l, depth, p->packed);
    for (int64_t j = 0; j < p->n; j += room) stream_columns(p, l, depth, j, room, room, p->packed);
  }
  epilogue_rows(p, 0, p->m);
}
