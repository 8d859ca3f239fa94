/* gemm.c: dtrt_gemm against three loops: all transpositions, degenerate shapes, leading dims,
 * accumulation. */
#include <math.h>
#include <sys/mman.h>
#include "gemm_kernel.h"
#include "harness.h"

static double at(int type, const void *p, int64_t i) {
  return type == DTRT_F64 ? ((const double *)p)[i] : ((const float *)p)[i];
}
static void put(int type, void *p, int64_t i, double v) {
  if (type == DTRT_F64)
    ((double *)p)[i] = v;
  else
    ((float *)p)[i] = (float)v;
}

/* Sizes around the blocks of gemm_blocked.c; whole numbers, so that sums are exact in any order. */
static void large(int ta, int tb, int m, int n, int k, int add) {
  float *a = calloc((size_t)m * (size_t)k, 4), *b = calloc((size_t)k * (size_t)n, 4),
        *c = calloc((size_t)m * (size_t)n, 4);
  for (int i = 0; i < m * k; i++) a[i] = (float)(harness_mix((uint64_t)i) % 7) - 3;
  for (int i = 0; i < k * n; i++) b[i] = (float)(harness_mix((uint64_t)i + 99) % 5) - 2;
  for (int i = 0; i < m * n; i++) c[i] = add ? (float)(i % 5) : NAN;
  dtrt_gemm(DTRT_F32, ta, tb, m, n, k, a, ta ? m : k, b, tb ? k : n, c, n, add);
  int wrong = 0;
  for (int i = 0; i < m; i += 1 + m / 23)
    for (int j = 0; j < n; j++) {
      int sum = add ? (i * n + j) % 5 : 0;
      for (int l = 0; l < k; l++)
        sum += (int)a[ta ? l * m + i : i * k + l] * (int)b[tb ? j * k + l : l * n + j];
      wrong += c[i * n + j] != (float)sum;
    }
  CHECK(!wrong, "ta %d tb %d %dx%dx%d add %d: %d wrong", ta, tb, m, n, k, add, wrong);
  free(a), free(b), free(c);
}

/* Rows or columns dealt to several calls give the bits of one call: what a device computes is what
 * all would. Not for single rows and columns, which are matrix times vector. */
static void dealt(int m, int n, int k, int parts) {
  float *a = calloc((size_t)m * (size_t)k, 4), *b = calloc((size_t)k * (size_t)n, 4),
        *c = calloc((size_t)m * (size_t)n, 4), *d = calloc((size_t)m * (size_t)n, 4),
        *e = calloc((size_t)m * (size_t)n, 4);
  for (int i = 0; i < m * k; i++) a[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
  for (int i = 0; i < k * n; i++) b[i] = (float)harness_mix((uint64_t)i + 99) / 1e19f - 0.9f;
  dtrt_gemm(DTRT_F32, 0, 0, m, n, k, a, k, b, n, c, n, 0);
  for (int p = 0; p < parts; p++) {
    int i = p * m / parts, j = p * n / parts;
    dtrt_gemm(DTRT_F32, 0, 0, (p + 1) * m / parts - i, n, k, a + i * k, k, b, n, d + i * n, n, 0);
    dtrt_gemm(DTRT_F32, 0, 0, m, (p + 1) * n / parts - j, k, a, k, b + j, n, e + j, n, 0);
  }
  CHECK(!memcmp(c, d, (size_t)m * (size_t)n * 4), "%dx%dx%d: rows in %d parts have other bits", m,
        n, k, parts);
  CHECK(!memcmp(c, e, (size_t)m * (size_t)n * 4), "%dx%dx%d: columns in %d parts have other bits",
        m, n, k, parts);
  free(a), free(b), free(c), free(d), free(e);
}

/* Many products in loops, beside each by itself: matrices times a vector, small ones, and such as
 * are fetched ahead. */
static void many(int m, int n, int k, int tb, int count, int added) {
  const int64_t b = (int64_t)k * n + 24, x = (int64_t)m * k, c = (int64_t)m * n;
  float *px = calloc((size_t)(x * count * added), 4), *pb = calloc((size_t)(b * count * added), 4),
        *pc = calloc((size_t)(c * count), 4), *want = calloc((size_t)(c * count), 4);
  for (int64_t i = 0; i < x * count * added; i++)
    px[i] = (float)harness_mix((uint64_t)i) / 1e19f - 0.9f;
  for (int64_t i = 0; i < b * count * added; i++)
    pb[i] = (float)harness_mix((uint64_t)i + 99) / 1e19f - 0.9f;
  const dtrt_loops loops = {2, 1, {count, added}, {x * added, x}, {b, b * count}, {c, 0}};
  dtrt_gemm_loops(DTRT_F32, 0, tb, m, n, k, px, k, pb, tb ? k : n, pc, n, 1, &loops);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < added; j++)
      dtrt_gemm(DTRT_F32, 0, tb, m, n, k, px + (i * added + j) * x, k, pb + (i + j * count) * b,
                tb ? k : n, want + i * c, n, 1);
  CHECK(!memcmp(pc, want, (size_t)(c * count) * 4), "%d x %d of %dx%dx%d tb %d have other bits",
        count, added, m, n, k, tb);
  free(px), free(pb), free(pc), free(want);
}

static void one(int type, int ta, int tb, int m, int n, int k, int pad, int add) {
  static char a[1 << 18], b[1 << 18], c[1 << 18], d[1 << 18];
  int64_t lda = (ta ? m : k) + pad, ldb = (tb ? k : n) + pad, ldc = n + pad;
  for (int i = 0; i < 20000; i++) {
    put(type, a, i, (double)(harness_mix((uint64_t)i) % 17) - 8);
    put(type, b, i, (double)(harness_mix((uint64_t)i + 99) % 13) - 6);
    put(type, c, i, add ? i % 5 : NAN); /* what is not added to may be anything */
    put(type, d, i, at(type, c, i));
  }
  dtrt_gemm(type, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = add ? at(type, d, i * ldc + j) : 0;
      for (int l = 0; l < k; l++)
        sum += at(type, a, ta ? l * lda + i : i * lda + l) *
               at(type, b, tb ? j * ldb + l : l * ldb + j);
      put(type, d, i * ldc + j, sum);
    }
  size_t size = (size_t)dtrt_dtype_size(type);
  CHECK(!memcmp(c, d, 20000 * size), "%s ta %d tb %d %dx%dx%d pad %d add %d", dtrt_dtype_name(type),
        ta, tb, m, n, k, pad, add);
}

/* An element of the matrix of a band, in a block of it. */
static bool alive(const dtrt_band *v, int i, int j) {
  const int r = i / DTRT_BAND_BLOCK,
            c = j / DTRT_BAND_BLOCK; /* some element of the block is in the band */
  return DTRT_BAND_BLOCK * (c - r) + DTRT_BAND_BLOCK - 1 >= v->low &&
         DTRT_BAND_BLOCK * (c - r) - DTRT_BAND_BLOCK + 1 < v->high;
}

/* What is dead is not read: it is NaN here; of C it is not written. Whole numbers, so that sums are
 * exact. */
static void live(dtrt_band v, int ta, int tb, int m, int n, int k, int add) {
  float *a = calloc((size_t)m * (size_t)k, 4), *b = calloc((size_t)k * (size_t)n, 4),
        *c = calloc((size_t)m * (size_t)n, 4);
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++)
      a[ta ? l * m + i : i * k + l] =
          v.of == DTRT_BAND_A && !alive(&v, i, l) ? NAN : (float)((i * 7 + l) % 5) - 2;
  for (int l = 0; l < k; l++)
    for (int j = 0; j < n; j++)
      b[tb ? j * k + l : l * n + j] =
          v.of == DTRT_BAND_B && !alive(&v, l, j) ? NAN : (float)((l * 3 + j) % 7) - 3;
  for (int i = 0; i < m * n; i++) c[i] = add ? (float)(i % 5) : NAN;
  dtrt_gemm_band(ta, tb, m, n, k, a, ta ? m : k, b, tb ? k : n, c, n, add, v);
  float *rows = calloc((size_t)k * (size_t)n, 4), *sum = malloc((size_t)n * 4); /* b, dead ones 0 */
  for (int l = 0; l < k; l++)
    for (int j = 0; j < n; j++)
      if (v.of != DTRT_BAND_B || alive(&v, l, j)) rows[l * n + j] = b[tb ? j * k + l : l * n + j];
  int wrong = 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) sum[j] = add ? (float)((i * n + j) % 5) : 0;
    for (int l = 0; l < k; l++) {
      const float x = a[ta ? l * m + i : i * k + l];
      if (v.of == DTRT_BAND_A && !alive(&v, i, l)) continue;
      for (int j = 0; j < n; j++) sum[j] += x * rows[l * n + j];
    }
    for (int j = 0; j < n; j++) {
      const float had = add ? (float)((i * n + j) % 5) : NAN, is = c[i * n + j];
      if (v.of == DTRT_BAND_C && !alive(&v, i, j))
        wrong += add ? is != had : !isnan(is);
      else
        wrong += is != sum[j];
    }
  }
  CHECK(!wrong, "band of %d from %ld to %ld, ta %d tb %d %dx%dx%d add %d: %d wrong", v.of,
        (long)v.low, (long)v.high, ta, tb, m, n, k, add, wrong);
  free(a), free(b), free(c), free(rows), free(sum);
}

static void bands(int m, int n, int k) {
  static const int64_t bounds[][2] = {
      {-DTRT_FAR, DTRT_FAR}, {-DTRT_FAR, 1},  {0, DTRT_FAR}, {-40, 1}, {-7, 33}, {31, 65},
      {500, DTRT_FAR},       {-DTRT_FAR, -90}};
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    for (int of = 0; of < 3; of++)
      for (int t = 0; t < 8; t++)
        live((dtrt_band){(dtrt_band_of)of, bounds[i][0], bounds[i][1]}, t & 1, t >> 1 & 1, m, n, k,
             t >> 2);
}

/* `n` numbers before or after a page without access. */
enum { PAGE = 4096 };
typedef struct Edge {
  char *map;
  size_t bytes;
  float *at;
} Edge;

static Edge edge(int64_t n, bool before) {
  Edge e = {.bytes = ((size_t)n * 4 + PAGE - 1) / PAGE * PAGE};
  e.map =
      mmap(NULL, e.bytes + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (e.map == MAP_FAILED) exit(1);
  mprotect(e.map, PAGE, PROT_NONE);
  mprotect(e.map + PAGE + e.bytes, PAGE, PROT_NONE);
  e.at = (float *)(void *)(before ? e.map + PAGE : e.map + PAGE + e.bytes - n * 4);
  return e;
}

/* Kernels read and write vectors: nothing beyond the matrices, whatever part of a vector is left.
 * Leading dims are larger than rows, and what lies between rows of c stays. */
static void bounds(int ta, int tb, int m, int n, int k, int add) {
  const int lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 5, ldc = n + 2;
  const int64_t na = (int64_t)((ta ? k : m) - 1) * lda + (ta ? m : k),
                nb = (int64_t)((tb ? n : k) - 1) * ldb + (tb ? k : n),
                nc = (int64_t)(m - 1) * ldc + n;
  for (int before = 0; before < 2; before++) {
    Edge a = edge(na, before), b = edge(nb, before), c = edge(nc, before);
    for (int64_t i = 0; i < na; i++) a.at[i] = (float)(harness_mix((uint64_t)i) % 7) - 3;
    for (int64_t i = 0; i < nb; i++) b.at[i] = (float)(harness_mix((uint64_t)i + 9) % 5) - 2;
    for (int64_t i = 0; i < nc; i++) c.at[i] = (float)(i % 5);
    dtrt_gemm(DTRT_F32, ta, tb, m, n, k, a.at, lda, b.at, ldb, c.at, ldc, add);
    int wrong = 0;
    for (int64_t at = 0; at < nc; at++) {
      const int i = (int)(at / ldc), j = (int)(at % ldc);
      int sum = j >= n || add ? (int)(at % 5) : 0;
      for (int l = 0; j < n && l < k; l++)
        sum +=
            (int)a.at[ta ? l * lda + i : i * lda + l] * (int)b.at[tb ? j * ldb + l : l * ldb + j];
      wrong += c.at[at] != (float)sum;
    }
    CHECK(!wrong, "ta %d tb %d %dx%dx%d add %d: %d wrong", ta, tb, m, n, k, add, wrong);
    munmap(a.map, a.bytes + 2 * PAGE), munmap(b.map, b.bytes + 2 * PAGE);
    munmap(c.map, c.bytes + 2 * PAGE);
  }
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 7, 33, 64};
  Fixture f;
  harness_program(&f, 0, NULL, 64);
  dtrt_session *s = harness_open(&f, NULL); /* which makes OpenBLAS fit */
  for (int type = DTRT_F32; type <= DTRT_F64; type++)
    for (int t = 0; t < 8; t++)
      for (int i = 0; i < 216; i++)
        one(type, t & 1, t >> 1 & 1, sizes[i / 36], sizes[i / 6 % 6], sizes[i % 6], i % 3, t >> 2);
  static const int odd[][3] = {
      {29, 800, 5},   {3, 1600, 400},   {130, 33, 770},   {15, 47, 1153}, {100, 16, 385},
      {57, 12, 100},  {40, 769, 33},    {1200, 48, 64},   {64, 48, 1200}, {9, 40, 300},
      {300, 20, 50},  {520, 1030, 260}, {1030, 520, 260}, {1, 9000, 70},  {1, 37, 4500},
      {4500, 1, 37},  {35, 1, 4500},    {1, 600, 900},    {600, 1030, 8}, {1024, 520, 8},
      {530, 515, 32}, {783, 700, 16},   {64, 1024, 256},  {35, 768, 700}, {16, 1024, 256}};
  for (int t = 0; t < 8; t++)
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
      large(t & 1, t >> 1 & 1, odd[i][0], odd[i][1], odd[i][2], t >> 2);
  /* Every tile there is; of portable kernels those turned over have more rows than a vector lanes.
   */
  for (int m = 1; m <= 36; m++)
    for (int n = 1; n <= 50; n++) large(m & 1, n & 1, m, n, 20, (m + n) >> 1 & 1);
  for (int t = 0; t < 8; t++)
    for (int m = 4; m <= 29; m += 5)
      for (int n = 1; n <= 16; n++) large(t & 1, t >> 1 & 1, m, n, 20, t >> 2);
  static const int tails[][3] = {{64, 2, 48},  {500, 10, 128}, {17, 14, 19}, {16, 3, 300},
                                 {33, 15, 40}, {28, 31, 17},   {40, 88, 60}, {3, 37, 50},
                                 {31, 49, 16}, {200, 17, 270}, {37, 4, 333}, {5, 70, 129},
                                 {85, 8, 600}, {1000, 1, 40}};
  for (int t = 0; t < 8; t++)
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
      bounds(t & 1, t >> 1 & 1, tails[i][0], tails[i][1], tails[i][2], t >> 2);
  if (gemm_kernel()) {
    dealt(64, 20, 300, 2); /* ten columns by another tile than twenty */
    dealt(96, 12, 70, 6);
    dealt(96, 16, 600, 4); /* four columns are turned in registers, sixteen are not */
    dealt(32, 64, 64, 8);
    dealt(128, 700, 784, 8);
    dealt(20, 96, 400, 3);
    dealt(33, 33, 33, 2);
    dealt(64, 48, 1200, 3);
    dealt(600, 1030, 260, 4);
    dealt(800, 900, 9, 4);
    dealt(64, 1024, 256, 4); /* rows of a multiple of 2 KB, read from L2; a part of them is not */
  }
  for (int tb = 0; tb < 2; tb++) {
    many(1, 128, 64, tb, 50, 1);
    many(1, 9, 80, tb, 400, 2);
    many(1, 500, 96, tb, 12, 3);
    many(40, 1, 5, tb, 3, 4);
    many(1, 64, 10, tb, 5, 1);
    many(49, 49, 64, tb, 24, 1);
    many(49, 64, 49, tb, 12, 2);
    many(37, 70, 130, tb, 9, 3);
    many(40, 33, 1500, tb, 4, 1); /* rows of more lines than are noted */
    many(33, 30, 20, tb, 120, 1);
  }
  bands(256, 256, 32);
  bands(70, 300, 40);
  bands(33, 45, 700);
  bands(300, 20, 333);
  bands(200, 1, 100);
  bands(1, 64, 64);
  bands(33, 12, 2100); /* the last block of rows or columns is a single one, and sums stay */
  bands(12, 33, 2100);
  dtrt_close(s);
  return harness_result();
}
