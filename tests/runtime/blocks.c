/* blocks.c: how products are cut, without a clock. Kernels that only count take the place of those
 * that compute, over shapes of all kinds up to 8192 cubed and for L2 of 256 KB to 2 MB: tiles do
 * little that is not asked for, each number of the operands is packed seldom, tiles are not small,
 * and no shape takes much more than its neighbours. Real kernels give the same bits whatever the
 * caches are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"
#include "gemm_kernel.h"
#include "harness.h"

typedef struct Counts {
  double flops, calls, packed, transposed; /* multiplications of tiles; floats */
} Counts;
static Counts counts;

#define COUNT(m, v)                                                                                \
  static void count_##m##_##v(const GemmTile *t) {                                                 \
    counts.calls++, counts.flops += (double)t->depth * m * v * 16;                                 \
  }
#define COUNT_ROWS(v)                                                                              \
  COUNT(1, v)                                                                                      \
  COUNT(2, v)                                                                                      \
  COUNT(3, v)                                                                                      \
  COUNT(4, v) COUNT(5, v) COUNT(6, v) COUNT(7, v) COUNT(8, v) COUNT(9, v) COUNT(10, v)             \
      COUNT(11, v) COUNT(12, v) COUNT(13, v) COUNT(14, v)
COUNT_ROWS(1)
COUNT_ROWS(2)
COUNT_ROWS(3)
#define BY_VECTORS(m)                                                                              \
  { count_##m##_1, count_##m##_2, count_##m##_3 }

static void count_transpose(const float *y, int64_t lead, int64_t depth, int n, float *to,
                            int64_t step) {
  (void)y, (void)lead, (void)to, (void)step;
  counts.transposed += (double)depth * n;
}
static void count_copy(const float *y, int64_t lead, int64_t depth, int n, float *to,
                       int64_t step) {
  (void)y, (void)lead, (void)to, (void)step;
  counts.packed += (double)depth * n;
}
static void count_panels(const float *y, int64_t lead, int64_t depth, int64_t n, float *to,
                         int64_t wide) {
  (void)y, (void)lead, (void)to, (void)wide;
  counts.packed += (double)depth * (double)n;
}
static void count_across(const float *e, int64_t step, int rows, int n, float *c, int64_t ldc,
                         bool add) {
  (void)e, (void)step, (void)rows, (void)n, (void)c, (void)ldc, (void)add;
}

static void count_streams(const float *x, int64_t m, const float *y, int64_t lead, int64_t depth,
                          int64_t n, float *sum, int64_t room, const float *then, float *into) {
  (void)x, (void)y, (void)lead, (void)sum, (void)room, (void)then, (void)into;
  counts.calls++, counts.flops += (double)depth * (double)m * (double)((n + 15) / 16 * 16);
}
static void count_join(float *to, const float *from, int64_t n) { (void)to, (void)from, (void)n; }

static const GemmKernel counting = {.lanes = 16,
                                    .rows = {0, 14, 14, 8},
                                    .parts = true,
                                    .tile = {{0},
                                             BY_VECTORS(1),
                                             BY_VECTORS(2),
                                             BY_VECTORS(3),
                                             BY_VECTORS(4),
                                             BY_VECTORS(5),
                                             BY_VECTORS(6),
                                             BY_VECTORS(7),
                                             BY_VECTORS(8),
                                             BY_VECTORS(9),
                                             BY_VECTORS(10),
                                             BY_VECTORS(11),
                                             BY_VECTORS(12),
                                             BY_VECTORS(13),
                                             BY_VECTORS(14)},
                                    .transpose = count_transpose,
                                    .copy = count_copy,
                                    .panels = count_panels,
                                    .across = count_across,
                                    .deep = 8,
                                    .streams = count_streams,
                                    .join = count_join};

typedef struct BlockShape {
  int64_t m, n, k, lda; /* lda: of x not transposed; 0: dense */
} BlockShape;

/* What a product does, in `counts`. Rows are copied by memcpy, so x has to be there: one row over and
 * over, as its stride is 0. */
static void count(const BlockShape *s, int ta, int tb, int64_t l2) {
  GemmSetup setup = {.kernel = &counting};
  gemm_setup_sizes(&setup, 32 << 10, l2, 32 << 20);
  static float row[1 << 16];
  float *room = malloc((size_t)GEMM_ROOM_FLOATS(&setup) * sizeof *room);
  if (!room) exit(1);
  counts = (Counts){0};
  /* Lines that do not collide, as padded matrices have: strides are what the choice looks at. */
  gemm_blocked_by(&setup, room, s->m, s->n, s->k, row, ta ? 1 : 0, ta ? 0 : 1, row,
                  tb ? 1 : 48 + s->n, tb ? 48 + s->k : 1, row, 0, false, NULL, NULL, 0);
  free(room);
}

static void modelled(const BlockShape *s, int ta, int tb, int64_t l2) {
  count(s, ta, tb, l2);
  const double need = (double)s->m * (double)s->n * (double)s->k;
  const double used = need / counts.flops, y = (double)s->n * (double)s->k;
  const double x = (double)s->m * (double)s->k;
  char say[120];
  snprintf(say, sizeof say, "%s%ldx%ldx%ld%s, L2 of %ld KB", ta ? "'" : "", (long)s->m, (long)s->n,
           (long)s->k, tb ? "'" : "", (long)l2 >> 10);
  /* Work in empty lanes: a part of a vector at the end of each row. */
  const double lanes = (double)((s->n + 15) / 16 * 16), few = s->n < 16 && s->m > s->n;
  CHECK(few || used >= 0.999 * (double)s->n / lanes, "%s: %.2f of the work in tiles is asked for",
        say, used);
  /* In cycles: a tile does 32 multiplications in one, packing takes 0.25 and transposing 0.6. */
  const double work = counts.flops / 32, pack = 0.25 * counts.packed + 0.6 * counts.transposed;
  const double once = 0.25 * (tb ? 2.4 : 1) * y + 0.25 * (ta || few ? 2.4 : 0) * x;
  /* What is read again and again is packed the more often the smaller the blocks are. */
  const double again = 0.03 * (l2 < 1 << 20 ? (double)(1 << 20) / (double)l2 : 1);
  CHECK(pack <= 1.05 * once + again * work, "%s: packing takes %.3f of the time of tiles", say,
        pack / work);
  /* A call takes some 30 cycles. */
  CHECK(counts.calls * 30 <=
            0.02 * work + 30 * (1 + (double)((s->m + 13) / 14) * (double)((s->n + 31) / 32) *
                                        (double)((s->k + 255) / 256)),
        "%s: %.0f calls of tiles", say, counts.calls);
}

/* -------- neighbours -------- */

/* Cycles, as above, of what a shape takes: tiles, packing and calls. */
static double cycles(const BlockShape *s, int ta, int tb) {
  count(s, ta, tb, 1 << 20);
  return counts.flops / 32 + 0.25 * counts.packed + 0.6 * counts.transposed + 30 * counts.calls;
}

typedef enum Which { M, N, K } Which;
typedef struct Sweep {
  const char *what;
  BlockShape shape; /* but for the size that goes from `from` to `to` */
  Which which;
  int64_t from, to, step;
  int ta, tb;
  double most; /* times what the neighbour takes, beside being as much larger */
} Sweep;

/* Columns count in whole vectors. */
static double work_of(Which which, int64_t size) {
  return (double)(which == N ? (size + 15) / 16 * 16 : size);
}

/* No step takes much more than the one before for what it has more to do, nor much less. */
static void sweep(const Sweep *w) {
  double before = 0;
  for (int64_t size = w->from; size <= w->to; size += w->step) {
    BlockShape s = w->shape;
    *(w->which == M ? &s.m : w->which == N ? &s.n : &s.k) = size;
    const double now = cycles(&s, w->ta, w->tb);
    const double grows = work_of(w->which, size) / work_of(w->which, size - w->step);
    CHECK(size == w->from || (now <= w->most * grows * before && w->most * now >= before),
          "%s: %s%ldx%ldx%ld%s takes %.3f times what its neighbour takes", w->what,
          w->ta ? "'" : "", (long)s.m, (long)s.n, (long)s.k, w->tb ? "'" : "", now / before);
    before = now;
  }
}

/* `most` is 1.03 but where another way begins: from 97 rows of a head on y is packed, from 33 on it
 * is transposed if it lies across; small ones have a tile more; and of few columns, up to a quarter of
 * a vector less than one, x is transposed, which these cycles count as much as the tiles. */
static void sweeps(void) {
  static const Sweep all[] = {
      {"head of a language model", {0, 50257, 768, 0}, M, 32, 512, 16, 0, 0, 1.1},
      {"the same, by single rows", {0, 50257, 768, 0}, M, 120, 136, 1, 0, 0, 1.03},
      {"the same, to x", {0, 768, 50257, 0}, M, 32, 512, 16, 0, 1, 1.4},
      {"the same, to the weights", {768, 50257, 0, 0}, K, 32, 512, 16, 1, 0, 1.03},
      {"batches about 960", {0, 4096, 1024, 0}, M, 944, 976, 1, 0, 0, 1.03},
      {"batches about 1040", {0, 4096, 1024, 0}, M, 1024, 1056, 1, 0, 0, 1.03},
      {"gradients to weights of them", {1024, 1024, 0, 0}, K, 944, 1056, 4, 1, 0, 1.03},
      {"gradients to inputs of them", {0, 1024, 4096, 0}, M, 944, 1056, 4, 0, 1, 1.03},
      {"small rows", {0, 33, 33, 0}, M, 1, 65, 1, 0, 0, 1.07},
      {"small columns", {33, 0, 33, 0}, N, 9, 65, 1, 0, 0, 1.07},
      {"small depths", {33, 33, 0, 0}, K, 1, 65, 1, 0, 0, 1.03},
      {"few columns", {1024, 0, 1024, 0}, N, 2, 17, 1, 0, 0, 1.95},
      {"few columns, transposed", {1024, 0, 1024, 0}, N, 2, 17, 1, 0, 1, 1.95},
      {"few rows", {0, 1024, 1024, 0}, M, 2, 17, 1, 0, 0, 1.03},
      {"few rows, transposed", {0, 1024, 1024, 0}, M, 2, 17, 1, 1, 0, 1.03}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) sweep(&all[i]);
}

/* Bits with blocks of several sizes, and with tiles as one or as two. */
static void same_bits(const BlockShape *s, int ta, int tb) {
  const int64_t lda = ta ? s->m : s->lda ? s->lda : s->k, ldb = tb ? s->k : s->n;
  const int64_t na = ta ? s->k * lda : s->m * lda;
  float *a = malloc((size_t)na * 4), *b = malloc((size_t)(s->k * s->n) * 4), *first = NULL;
  for (int64_t i = 0; i < na; i++) a[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
  for (int64_t i = 0; i < s->k * s->n; i++)
    b[i] = (float)harness_mix((uint64_t)i + 9) / 1e19f - 0.9f;
  static const int64_t sizes[] = {64 << 10, 1 << 20, 2 << 20, 64 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    GemmSetup setup = {.kernel = gemm_kernel(), .halves = i % 2 == 1};
    gemm_setup_sizes(&setup, sizes[i] / 32, sizes[i], 2 * sizes[i]);
    float *room = aligned_alloc(64, (size_t)(GEMM_ROOM_FLOATS(&setup) + 15) / 16 * 64);
    float *c = calloc((size_t)(s->m * s->n), 4);
    gemm_blocked_by(&setup, room, s->m, s->n, s->k, a, ta ? 1 : lda, ta ? lda : 1, b, tb ? 1 : ldb,
                    tb ? ldb : 1, c, s->n, false, NULL, NULL, 0);
    CHECK(!first || !memcmp(first, c, (size_t)(s->m * s->n) * 4),
          "%ldx%ldx%ld, ta %d tb %d: other bits with an L2 of %ld KB", (long)s->m, (long)s->n,
          (long)s->k, ta, tb, (long)sizes[i] >> 10);
    free(room);
    if (first)
      free(c);
    else
      first = c;
  }
  free(a), free(b), free(first);
}

int main(void) {
  static const BlockShape large[] = {
      {256, 256, 256, 0},   {1024, 1024, 1024, 0}, {2048, 2048, 2048, 0}, {8192, 8192, 8192, 0},
      {960, 4096, 4096, 0}, {1040, 4096, 4096, 0}, {4096, 4096, 256, 0},  {512, 50257, 768, 0},
      {128, 50257, 768, 0}, {768, 50257, 128, 0},  {2048, 768, 256, 0},   {2048, 256, 1024, 0},
      {4096, 64, 64, 0},    {64, 4096, 512, 0},    {1000, 16, 1000, 0},   {16, 1000, 1000, 0},
      {256, 256, 8192, 0},  {64, 64, 2048, 0},     {1024, 1024, 8, 0},    {700, 500, 128, 0},
      {4096, 4, 1024, 0},   {1 << 15, 32, 32, 0}};
  static const int64_t l2[] = {256 << 10, 1 << 20, 2 << 20};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++)
    for (int t = 0; t < 4; t++)
      for (int c = 0; c < 3; c++) modelled(&large[i], t & 1, t >> 1, l2[c]);
  for (int n = 1; n <= 65; n++) modelled(&(BlockShape){n + 1, n + 1, n, 0}, 0, 0, 1 << 20);
  sweeps();
  /* Some of few rows, of which y is read in streams where it is larger than half of L2. The last:
   * rows that collide in the cache, and more of them than there is room for. */
  static const BlockShape real[] = {{70, 90, 300, 0},   {300, 50, 512, 0},   {40, 700, 1024, 0},
                                    {500, 9, 256, 0},   {33, 65, 1030, 0},   {5, 333, 300, 0},
                                    {16, 1031, 130, 0}, {96, 65, 1030, 0},   {2, 129, 4100, 0},
                                    {23, 700, 777, 0},  {2000, 100, 3, 1024}};
  for (size_t i = 0; gemm_kernel() && i < sizeof real / sizeof *real; i++)
    for (int t = 0; t < 4; t++) same_bits(&real[i], t & 1, t >> 1);
  return harness_result();
}
