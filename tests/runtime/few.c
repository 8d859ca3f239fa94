/* few.c: products of few rows and a matrix that L2 does not hold, which is read as it lies
 * (gemm_streams.c), beside the order of docs/sums.md, bit for bit: every number of rows up to two
 * vectors of them and more, odd sizes, transposed operands, rows with gaps between them, rows that
 * meet in the same lines of L1, rows that begin on lines, results that are added to. */
#include <math.h>
#include "gemm_kept.h"
#include "gemm_kernel.h"
#include "harness.h"

typedef struct Shape {
  int64_t m, n, k;
  int ta, tb, gap; /* floats between rows of every matrix */
} Shape;

static bool fused; /* products are not rounded before they are added */

static float add_product(float a, float b, float sum) {
  if (fused) return fmaf(a, b, sum);
  volatile float product = a * b;
  return sum + product;
}

static float element(const Shape *s, const float *x, const float *y, float c, bool add) {
  const int64_t part = dtrt_gemm_part(s->k), lda = (s->ta ? s->m : s->k) + s->gap,
                ldb = (s->tb ? s->k : s->n) + s->gap;
  for (int64_t l = 0; l < s->k; l += part) {
    float all = 0;
    for (int64_t run = l; run < l + part && run < s->k; run += GEMM_RUN) {
      float sum = 0;
      for (int64_t q = run; q < run + GEMM_RUN && q < l + part && q < s->k; q++)
        sum = add_product(x[q * (s->ta ? lda : 1)], y[q * (s->tb ? 1 : ldb)], sum);
      all = run > l ? all + sum : sum;
    }
    c = add || l ? c + all : all;
  }
  return c;
}

static float *numbers(int64_t n, uint64_t from) {
  float *x = aligned_alloc(64, (size_t)(n + 15) / 16 * 64); /* as devices' memory is */
  if (!x) exit(1);
  for (int64_t i = 0; i < n; i++) x[i] = (float)harness_mix((uint64_t)i + from) / 1e19f - 0.9f;
  return x;
}

/* As an L2 of 64 KB would have it, with tiles as one or as two. */
static void one(const Shape *s, bool add, bool halves) {
  GemmSetup setup = {.kernel = gemm_kernel(), .halves = halves};
  gemm_setup_sizes(&setup, 32 << 10, 64 << 10, 128 << 10);
  const int64_t lda = (s->ta ? s->m : s->k) + s->gap, ldb = (s->tb ? s->k : s->n) + s->gap,
                ldc = s->n + s->gap, nc = s->m * ldc;
  float *a = numbers((s->ta ? s->k : s->m) * lda, 1), *b = numbers((s->tb ? s->n : s->k) * ldb, 9),
        *c = numbers(nc, 77), *had = numbers(nc, 77);
  float *room = aligned_alloc(64, (size_t)(GEMM_ROOM_FLOATS(&setup) + 15) / 16 * 64);
  if (!room) exit(1);
  gemm_blocked_by(&setup, room, s->m, s->n, s->k, a, s->ta ? 1 : lda, s->ta ? lda : 1, b,
                  s->tb ? 1 : ldb, s->tb ? ldb : 1, c, ldc, add, NULL, NULL, 0);
  int64_t wrong = 0;
  for (int64_t i = 0; i < nc; i++) {
    const int64_t row = i / ldc, j = i % ldc;
    const float want =
        j < s->n ? element(s, a + row * (s->ta ? 1 : lda), b + j * (s->tb ? ldb : 1), had[i], add)
                 : had[i];
    wrong += memcmp(&c[i], &want, sizeof want) != 0;
  }
  CHECK(!wrong, "%ldx%ldx%ld, ta %d tb %d, gaps of %d, add %d: %ld wrong", (long)s->m, (long)s->n,
        (long)s->k, s->ta, s->tb, s->gap, add, (long)wrong);
  free(a), free(b), free(c), free(had), free(room);
}

/* What stays packed in a nest stays where more comes than there is room for. */
static void kept(void) {
  static const float y[4];
  KeptMatrix m[] = {
      {NULL, y, 1, 1, 1, 1, 0}, {NULL, y + 1, 1, 1, 1, 1, 0}, {NULL, y + 2, 1, 1, 1, 1, 0}};
  float *at[3] = {NULL};
  for (int run = 0; run < 3; run++)
    for (int i = 0; i < 3; i++) {
      bool fresh = false;
      float *to = gemm_keep(&m[i], 5, 400, 1000, &fresh);
      if (run == 0) at[i] = to;
      CHECK((to != NULL) == (i < 2) && to == at[i], "run %d: matrix %d is elsewhere", run, i);
      CHECK(fresh == (run == 0 && i < 2), "run %d: matrix %d is packed %s", run, i,
            fresh ? "again" : "not at all");
    }
  bool fresh = false;
  CHECK(gemm_keep(&m[2], 6, 400, 1000, &fresh) && fresh, "another nest has no room");
}

int main(void) {
  kept();
  const GemmKernel *kernel = gemm_kernel();
  if (!kernel) return 0;
#if defined(__FMA__) || defined(__aarch64__)
  fused = true;
#else
  fused = kernel != &gemm_kernel_portable;
#endif
  static const int64_t sides[][2] = {{333, 130}, {129, 300}, {70, 521}};
  for (int64_t m = 2; m <= 35; m++)
    for (int t = 0; t < 4; t++) {
      const int64_t *side = sides[(m + t) % 3];
      one(&(Shape){m, side[0], side[1], t & 1, t >> 1, (int)(m * 5 + t) % 4}, (m + t) % 5 < 2,
          m % 3 == 0);
    }
  /* Rows that meet, a matrix of more depths than stay packed, and a result wider than a block. */
  static const Shape more[] = {
      {9, 40, 1024, 0, 1, 0},   {16, 60, 1024, 0, 1, 1}, {5, 60, 1024, 1, 1, 0},
      {17, 35, 2048, 0, 1, 0},  {32, 64, 2048, 0, 1, 0}, {32, 64, 2048, 1, 0, 0},
      {2, 5003, 17, 0, 0, 0},   {16, 1031, 64, 0, 0, 1}, {16, 1031, 64, 1, 1, 3},
      {90, 64, 700, 0, 0, 0},   {15, 70, 521, 0, 0, 10}, {29, 90, 300, 1, 0, 6},
      {40, 84, 1300, 0, 0, 12}, {20, 1040, 257, 0, 0, 0}};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    for (int form = 0; form < 4; form++) one(&more[i], form & 1, form & 2);
  return harness_result();
}
