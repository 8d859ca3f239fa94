/* half.c: products of bf16 and f16 beside the order of docs/sums.md, bit for bit, whatever the CPU
 * multiplies pairs by: all transpositions, odd sizes, leading dims, a matrix times a vector, deep
 * ones; nothing is written or read beyond the matrices. */
#include <math.h>
#include <sys/mman.h>
#include "gemm_half.h"
#include "harness.h"

typedef struct Half {
  int dtype, ta, tb, m, n, k, lda, ldb, ldc;
  const uint16_t *a, *b;
} Half;

static bool fused;   /* products are added by fused multiply-add */
static bool squares; /* ... of bf16 in the order of AMX */

static float number(int dtype, uint16_t h) {
  return dtype == DTRT_BF16 ? dtrt_bf16_to_f32(h) : dtrt_f16_to_f32(h);
}
static float add(float a, float b, float sum) {
  if (fused) return fmaf(a, b, sum);
  volatile float product = a * b;
  return sum + product;
}
static float x_at(const Half *p, int i, int l) {
  return l < p->k ? number(p->dtype, p->a[p->ta ? l * p->lda + i : i * p->lda + l]) : 0;
}
static float y_at(const Half *p, int l, int j) {
  return l < p->k ? number(p->dtype, p->b[p->tb ? j * p->ldb + l : l * p->ldb + j]) : 0;
}

/* Depths from to end, in pairs of which the odd one comes first; of f16 one by one. */
static float in_sequence(const Half *p, int i, int j, int from, int end) {
  float sum = 0;
  if (p->dtype == DTRT_F16)
    for (int l = from; l < end; l++) sum = add(x_at(p, i, l), y_at(p, l, j), sum);
  else
    for (int l = from; l < end; l += 2) {
      sum = add(x_at(p, i, l + 1), y_at(p, l + 1, j), sum);
      sum = add(x_at(p, i, l), y_at(p, l, j), sum);
    }
  return sum;
}

/* Blocks of 32 in sequence, in each the even depths and the odd ones. */
static float of_square(const Half *p, int i, int j) {
  double whole = 0;
  for (int block = 0; block < p->k; block += 2048) {
    float sum = 0;
    for (int l = block; l < block + 2048 && l < p->k; l += 32) {
      float half[2] = {0};
      for (int q = 0; q < 32; q++)
        half[q % 2] = add(x_at(p, i, l + q), y_at(p, l + q, j), half[q % 2]);
      sum += half[0] + half[1];
    }
    whole += sum;
  }
  return (float)whole;
}

static float of_matrix(const Half *p, int i, int j) {
  if (p->dtype == DTRT_BF16 && squares) return of_square(p, i, j);
  const int parts = (p->k + 511) / 512;
  const int part = p->k > 2048 ? 512 : ((p->k + parts - 1) / parts + 15) / 16 * 16;
  double whole = 0;
  for (int block = 0; block < p->k; block += 2048) {
    float sum = 0;
    const int block_end = block + 2048 < p->k ? block + 2048 : p->k;
    for (int l = block; l < block_end; l += part) {
      float of_part = 0;
      const int end = l + part < block_end ? l + part : block_end;
      for (int run = l; run < end; run += 128) {
        const float s = in_sequence(p, i, j, run, run + 128 < end ? run + 128 : end);
        of_part = run > l ? of_part + s : s;
      }
      sum = l > block ? of_part + sum : of_part;
    }
    whole += sum;
  }
  return (float)whole;
}

static float of_vector(const Half *p, int i, int j) {
  double whole = 0;
  for (int block = 0; block < p->k; block += 2048) {
    float lane[16] = {0};
    for (int l = block; l < block + 2048 && l < p->k; l += 32)
      for (int q = 0; q < 16; q++) {
        const int at = l + 2 * q;
        lane[q] = add(x_at(p, i, at + 1), y_at(p, at + 1, j), lane[q]);
        lane[q] = add(x_at(p, i, at), y_at(p, at, j), lane[q]);
      }
    for (int half = 8; half; half /= 2)
      for (int q = 0; q < half; q++) lane[q] += lane[q + half];
    whole += lane[0];
  }
  return (float)whole;
}

/* `n` numbers between pages without access, right before the second. */
typedef struct Fenced {
  char *map;
  size_t bytes;
  uint16_t *at;
} Fenced;

static Fenced fenced(int64_t n, int dtype, uint64_t seed) {
  enum { PAGE = 4096 };
  Fenced e = {.bytes = ((size_t)n * 2 + PAGE - 1) / PAGE * PAGE};
  e.map =
      mmap(NULL, e.bytes + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (e.map == MAP_FAILED) exit(1);
  mprotect(e.map, PAGE, PROT_NONE), mprotect(e.map + PAGE + e.bytes, PAGE, PROT_NONE);
  e.at = (uint16_t *)(void *)(e.map + PAGE + e.bytes - n * 2);
  for (int64_t i = 0; i < n; i++) {
    const float v = (float)harness_mix((uint64_t)i + seed) / 1e19f - 0.9f;
    e.at[i] = dtype == DTRT_BF16 ? dtrt_f32_to_bf16(v) : dtrt_f32_to_f16(v);
  }
  return e;
}
static void unmap(Fenced e) { munmap(e.map, e.bytes + 8192); }

/* The same numbers in f32, a little off: rounded, they are these. Right before a page, too. */
static Fenced widened(const Fenced *of, int64_t n, int dtype) {
  Fenced e = fenced(2 * n, dtype, 0);
  float *to = (float *)(void *)e.at;
  const float off = dtype == DTRT_BF16 ? 0x1p-10f : 0x1p-13f;
  for (int64_t i = 0; i < n; i++) {
    const float x = dtype == DTRT_BF16 ? dtrt_bf16_to_f32(of->at[i]) : dtrt_f16_to_f32(of->at[i]);
    to[i] = x + x * (float)(i % 3 - 1) * off;
  }
  return e;
}

static void see_rows(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  int *rows = p[0];
  (void)dev, (void)n;
  rows[0] = from == rows[0] && to <= rows[1] ? (int)to : -1;
}

static void one(int dtype, int ta, int tb, int m, int n, int k, int pad, int adds) {
  Half p = {.dtype = dtype, .ta = ta, .tb = tb, .m = m, .n = n, .k = k};
  p.lda = (ta ? m : k) + pad, p.ldb = (tb ? k : n) + pad, p.ldc = n + pad;
  const int64_t nc = (int64_t)(m - 1) * p.ldc + n;
  Fenced a = fenced((int64_t)((ta ? k : m) - 1) * p.lda + (ta ? m : k), dtype, 1),
         b = fenced((int64_t)((tb ? n : k) - 1) * p.ldb + (tb ? k : n), dtype, 77),
         r = fenced(2 * nc, dtype, 5);
  float *c = (float *)(void *)r.at, *had = calloc((size_t)nc, sizeof *had);
  for (int64_t i = 0; i < nc; i++) c[i] = had[i] = (float)(i % 5);
  int rows[2] = {0, m}; /* an epilogue sees each row once, in order */
  void *const seen[] = {rows};
  const dtrt_epilogue then = {.rows = see_rows, .p = seen};
  p.a = a.at, p.b = b.at;
  dtrt_gemm_half(dtype, 0, ta, tb, m, n, k, a.at, p.lda, b.at, p.ldb, c, p.ldc, adds, 0,
                 pad ? NULL : &then);
  CHECK(rows[0] == (pad ? 0 : m), "%dx%dx%d: the epilogue saw %d rows", m, n, k, rows[0]);
  const bool vector = dtype == DTRT_BF16 && ((n == 1 && !ta) || (m == 1 && tb));
  int wrong = 0;
  for (int64_t at = 0; at < nc; at++) {
    const int i = (int)(at / p.ldc), j = (int)(at % p.ldc);
    float want = had[at];
    if (j < n) {
      const float sum = (vector ? of_vector : of_matrix)(&p, i, j);
      want = adds ? want + sum : sum;
    }
    wrong += memcmp(&c[at], &want, sizeof want) != 0;
  }
  CHECK(!wrong, "%s ta %d tb %d %dx%dx%d pad %d: %d wrong", dtrt_dtype_name(dtype), ta, tb, m, n, k,
        pad, wrong);
  const int64_t na = (int64_t)((ta ? k : m) - 1) * p.lda + (ta ? m : k),
                nb = (int64_t)((tb ? n : k) - 1) * p.ldb + (tb ? k : n);
  Fenced wide_a = widened(&a, na, dtype), wide_b = widened(&b, nb, dtype);
  float *again = malloc((size_t)nc * sizeof *again);
  for (int rounds = 1; rounds < 4; rounds++) {
    memcpy(again, had, (size_t)nc * sizeof *again);
    dtrt_gemm_half(dtype, rounds, ta, tb, m, n, k, rounds & DTRT_ROUND_A ? wide_a.at : a.at, p.lda,
                   rounds & DTRT_ROUND_B ? wide_b.at : b.at, p.ldb, again, p.ldc, adds, 0, NULL);
    CHECK(!memcmp(again, c, (size_t)nc * sizeof *again),
          "%s ta %d tb %d %dx%dx%d: rounded as they are packed (%d), they have other bits",
          dtrt_dtype_name(dtype), ta, tb, m, n, k, rounds);
  }
  unmap(a), unmap(b), unmap(r), unmap(wide_a), unmap(wide_b), free(had), free(again);
}

/* `count` products that lie `apart` elements apart, in one call and each in its own. */
static void many(int dtype, int ta, int tb, int m, int n, int k, int count, int apart, int adds) {
  const int lda = (ta ? m : k) + apart / 2, ldb = (tb ? k : n) + apart / 3, ldc = n + apart;
  const int64_t a_next = (ta ? k : m) * (int64_t)lda + apart, c_next = m * (int64_t)ldc + apart,
                b_next = count % 4 ? (tb ? n : k) * (int64_t)ldb + apart : 0;
  Fenced a = fenced((count - 1) * a_next + ((ta ? k : m) - 1) * (int64_t)lda + (ta ? m : k), dtype,
                    3),
         b = fenced((count - 1) * b_next + ((tb ? n : k) - 1) * (int64_t)ldb + (tb ? k : n), dtype,
                    9);
  const int64_t nc = count * c_next;
  float *one = malloc((size_t)nc * sizeof *one), *all = malloc((size_t)nc * sizeof *all);
  for (int64_t i = 0; i < nc; i++) one[i] = all[i] = (float)(i % 7);
  for (int q = 0; q < count; q++)
    dtrt_gemm_half(dtype, 0, ta, tb, m, n, k, a.at + q * a_next, lda, b.at + q * b_next, ldb,
                   one + q * c_next, ldc, adds, 0, NULL);
  const dtrt_loops loops = {1, 1, {count}, {a_next}, {b_next}, {c_next}};
  dtrt_gemm_loops(dtype, ta, tb, m, n, k, a.at, lda, b.at, ldb, all, ldc, adds, &loops);
  CHECK(!memcmp(one, all, (size_t)nc * sizeof *one),
        "%d products of %s ta %d tb %d %dx%dx%d, %d apart", count, dtrt_dtype_name(dtype), ta, tb,
        m, n, k, apart);
  unmap(a), unmap(b), free(one), free(all);
}

int main(void) {
  static const int shapes[][3] = {
      {1, 1, 1},    {1, 1, 33},    {1, 40, 64},   {40, 1, 64},   {3, 1, 2100},  {5, 1, 31},
      {1, 7, 2049}, {2, 2, 2},     {7, 5, 3},     {14, 32, 128}, {15, 33, 129}, {30, 3, 70},
      {64, 8, 200}, {16, 100, 17}, {33, 65, 49},  {29, 31, 515}, {9, 40, 1025}, {13, 17, 2048},
      {6, 9, 4500}, {1, 300, 700}, {70, 1, 4200}, {100, 600, 40}};
  Fixture f;
  harness_program(&f, 0, NULL, 64);
  dtrt_session *s = harness_open(&f, NULL);
  fused = half_kernel(DTRT_BF16) != &half_kernel_portable;
  squares = half_kernel(DTRT_BF16)->square != NULL;
#if defined(__aarch64__)
  fused = true;
#endif
  for (int dtype = DTRT_F16; dtype <= DTRT_BF16; dtype++)
    for (int t = 0; t < 4; t++)
      for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        one(dtype, t & 1, t >> 1, shapes[i][0], shapes[i][1], shapes[i][2], (int)i % 3, (int)i % 2);
  for (int i = 0; i < 600; i++) {
    const uint64_t r = harness_mix((uint64_t)i);
    many(r & 1 ? DTRT_F16 : DTRT_BF16, r >> 1 & 1, r >> 2 & 1, 1 + (int)(r >> 8 & 255) % 34,
         1 + (int)(r >> 16 & 255) % 34, 1 + (int)(r >> 24 & 255) % 68,
         1 + (int)(r >> 32 & 255) % 70, r >> 3 & 1 ? (int)(r >> 40 & 7) : 0, r >> 4 & 1);
  }
  one(DTRT_BF16, 0, 0, 2100, 40, 24, 0, 1); /* more rows than are summed at once */
  dtrt_close(s);
  return harness_result();
}
