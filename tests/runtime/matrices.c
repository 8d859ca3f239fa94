/* matrices.c: linear algebra of batches of matrices: every kernel in lanes that this CPU can do
 * beside LAPACK, by what the results leave of the equation, and beside the first kernel to the bit.
 * A matrix has the bits that it has alone, and a right-hand side too. Nothing beyond the tensors is
 * read or written; a matrix without a result is NaN and its neighbours are not. */
#include "matrices.h"
#include <float.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>
#include "comm.h"
#include "gemm.h"
#include "harness.h"

enum { MOST = 40, COLS = 70, BATCH = 35 };
enum { NUMBERS = BATCH * MOST * COLS };

static const MatrixLanes *kernels[3];
static int nkernels;
static char *a_end, *b_end, *out_end, *other_end; /* of pages before one that nobody may touch */

static char *page(int64_t bytes) {
  const int64_t size = sysconf(_SC_PAGESIZE), all = (bytes + size - 1) / size * size;
  char *p =
      mmap(NULL, (size_t)(all + size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + all, (size_t)size, PROT_NONE)) exit(2);
  return p + all;
}

static uint64_t state = 88172645463325252u;
static double drawn(void) { /* from -1 to 1 */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(int64_t)state / 0x1p63;
}

static double at(bool wide, const void *p, int64_t i) {
  return wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void put(bool wide, void *p, int64_t i, double x) {
  if (wide)
    ((double *)p)[i] = x;
  else
    ((float *)p)[i] = (float)x;
}

typedef struct Case {
  MatrixKind kind;
  bool wide;
  int64_t n, cols, batch, flags;
} Case;

static int64_t in_of(const Case *c) { return c->n * c->n; }
static bool has_sides(const Case *c) {
  return c->kind == MATRIX_SOLVE || c->kind == MATRIX_TRIANGULAR_SOLVE;
}
static int64_t out_of(const Case *c) {
  switch (c->kind) {
  case MATRIX_LU: return c->n * (c->n + 1);
  case MATRIX_DETERMINANT: return 1;
  case MATRIX_LOG_DETERMINANT: return 2;
  case MATRIX_CHOLESKY: return c->n * c->n;
  default: return c->n * c->cols;
  }
}
static size_t size(const Case *c, int64_t numbers) {
  return (size_t)numbers * (c->wide ? sizeof(double) : sizeof(float));
}
static double epsilon(const Case *c) { return c->wide ? DBL_EPSILON : (double)FLT_EPSILON; }

static void compute(const MatrixLanes *by, const Case *c, const void *a, const void *b, void *out) {
  matrices_by(by, c->wide ? DTRT_F64 : DTRT_F32,
              (MatrixBatch){.kind = c->kind,
                            .rows = c->n,
                            .cols = has_sides(c) ? c->cols : c->n,
                            .flags = c->flags,
                            .count = c->batch,
                            .a = a,
                            .b = has_sides(c) ? b : a,
                            .out = out});
}

/* Element i, j of the triangle that flags speak of. */
static double of_triangle(const Case *c, const void *a, int64_t i, int64_t j) {
  if (c->flags & MATRIX_TRANSPOSED) {
    const int64_t k = i;
    i = j, j = k;
  }
  if (i == j && c->flags & MATRIX_UNIT) return 1;
  return (c->flags & MATRIX_LOWER ? j > i : i > j) ? 0 : at(c->wide, a, i * c->n + j);
}

/* What a matrix's result leaves of its equation, in units of rounding of what is added. */
static double left(const Case *c, const void *a, const void *b, const void *out) {
  const int64_t n = c->n, cols = c->cols;
  double worst = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < (has_sides(c) ? cols : c->kind == MATRIX_CHOLESKY ? i + 1 : n); j++) {
      double sum = 0, size = 0;
      for (int64_t k = 0; k < n; k++) {
        double x = 0, y = 0;
        if (c->kind == MATRIX_CHOLESKY) {
          x = at(c->wide, out, i * n + k), y = at(c->wide, out, j * n + k);
          if (k > i) CHECK(x == 0, "n %d: %g above the diagonal", (int)n, x);
        } else if (c->kind == MATRIX_LU) {
          x = k < i ? at(c->wide, out, i * (n + 1) + k) : k == i;
          y = k <= j ? at(c->wide, out, k * (n + 1) + j) : 0;
          CHECK(fabs(x) <= 1, "n %d: %g in L", (int)n, x);
        } else {
          x = c->kind == MATRIX_SOLVE ? at(c->wide, a, i * n + k) : of_triangle(c, a, i, k);
          y = at(c->wide, out, k * cols + j);
        }
        sum += x * y, size += fabs(x * y);
      }
      const double is = has_sides(c) ? at(c->wide, b, i * cols + j)
                        : c->kind == MATRIX_LU
                            ? at(c->wide, a, (int64_t)at(c->wide, out, i * (n + 1) + n) * n + j)
                            : at(c->wide, a, i * n + j);
      const double x = fabs(sum - is) / ((size + fabs(is)) * epsilon(c) + DBL_MIN);
      if (!(x <= worst)) worst = x;
    }
  return worst;
}

static void good(const Case *c, const char *a, const char *b, const char *out, const char *lapack) {
  for (int64_t k = 0; k < c->batch; k++) {
    const char *m = a + size(c, k * in_of(c)), *r = out + size(c, k * out_of(c)),
               *l = lapack + size(c, k * out_of(c)), *s = b + size(c, k * c->n * c->cols);
    if (c->kind == MATRIX_DETERMINANT || c->kind == MATRIX_LOG_DETERMINANT) {
      const double x = at(c->wide, r, 0), y = at(c->wide, l, 0);
      CHECK(fabs(x - y) <= 2000 * epsilon(c) * fabs(y), "n %d: %g, not %g", (int)c->n, x, y);
      if (c->kind == MATRIX_DETERMINANT) continue;
      const double p = at(c->wide, r, 1), q = at(c->wide, l, 1);
      CHECK(fabs(p - q) <= 2000 * epsilon(c), "n %d: log %g, not %g", (int)c->n, p, q);
      continue;
    }
    const double mine = left(c, m, s, r), theirs = left(c, m, s, l);
    CHECK(mine <= 2 * theirs + (double)c->n, "kind %d n %d cols %d: %g, LAPACK %g", c->kind,
          (int)c->n, (int)c->cols, mine, theirs);
  }
}

static void fill(const Case *c, void *a, void *b) {
  const int64_t n = c->n;
  for (int64_t k = 0; k < c->batch; k++) {
    char *m = (char *)a + size(c, k * n * n);
    for (int64_t i = 0; i < n * n; i++) put(c->wide, m, i, drawn());
    const bool far = c->kind == MATRIX_CHOLESKY || c->kind == MATRIX_DETERMINANT ||
                     c->kind == MATRIX_LOG_DETERMINANT || c->kind == MATRIX_TRIANGULAR_SOLVE;
    for (int64_t i = 0; far && i < n; i++) /* far from singular */
      put(c->wide, m, i * n + i, (double)n + fabs(drawn()));
    for (int64_t i = 0; c->kind != MATRIX_CHOLESKY && far && i + 1 < n && k % 2; i++)
      for (int64_t j = 0; j < n && c->kind != MATRIX_TRIANGULAR_SOLVE; j++) { /* rows that turn */
        const double x = at(c->wide, m, i * n + j);
        put(c->wide, m, i * n + j, at(c->wide, m, (i + 1) * n + j));
        put(c->wide, m, (i + 1) * n + j, x);
      }
  }
  for (int64_t i = 0; has_sides(c) && i < c->batch * n * c->cols; i++) put(c->wide, b, i, drawn());
}

/* Matrix k alone, and its last right-hand side alone, have the same bits. */
static void alone(const MatrixLanes *by, const Case *c, const char *a, const char *b,
                  const char *out, int64_t k) {
  static double sides[MOST], one[MOST * COLS];
  Case d = *c;
  d.batch = 1;
  compute(by, &d, a + size(c, k * in_of(c)), b + size(c, k * c->n * c->cols), one);
  CHECK(!memcmp(one, out + size(c, k * out_of(c)), size(c, out_of(c))), "kind %d n %d alone",
        c->kind, (int)c->n);
  if (!has_sides(c)) return;
  const int64_t j = c->cols - 1;
  for (int64_t i = 0; i < c->n; i++)
    put(c->wide, sides, i, at(c->wide, b, (k * c->n + i) * c->cols + j));
  d.cols = 1;
  compute(by, &d, a + size(c, k * in_of(c)), sides, one);
  for (int64_t i = 0; i < c->n; i++)
    CHECK(at(c->wide, one, i) == at(c->wide, out, (k * c->n + i) * c->cols + j),
          "kind %d n %d of %d columns: one alone", c->kind, (int)c->n, (int)c->cols);
}

/* A matrix that has no result, and what is not read of one that has. */
static void without(const MatrixLanes *by, const Case *c, char *a, char *b, char *out) {
  const int64_t n = c->n, k = c->batch / 2;
  char *m = a + size(c, k * n * n);
  const bool triangle = c->kind == MATRIX_CHOLESKY || c->kind == MATRIX_TRIANGULAR_SOLVE;
  const bool lower = c->kind == MATRIX_CHOLESKY || c->flags & MATRIX_LOWER;
  if (triangle && n > 1) {
    const int64_t unread = lower ? n - 1 : n * (n - 1);
    const double x = at(c->wide, m, unread);
    put(c->wide, m, unread, (double)NAN);
    compute(by, c, a, b, out);
    for (int64_t i = 0; i < out_of(c); i++)
      CHECK(!isnan(at(c->wide, out, k * out_of(c) + i)), "kind %d n %d reads what it should not",
            c->kind, (int)n);
    put(c->wide, m, unread, x);
  }
  const bool diagonal = !(c->kind == MATRIX_TRIANGULAR_SOLVE && c->flags & MATRIX_UNIT);
  for (int how = 0; how < 3; how++) { /* NaN, infinity, singular */
    if (!diagonal && n < 2) continue;
    const int64_t where = diagonal ? (n / 2) * (n + 1) : lower ? n * (n - 1) : n - 1;
    const double x = at(c->wide, m, where);
    if (how < 2) put(c->wide, m, where, how ? (double)INFINITY : (double)NAN);
    const bool singular = c->kind == MATRIX_SOLVE;
    if (how == 2 && (!diagonal || !(triangle || singular))) continue;
    if (how == 2 && triangle) put(c->wide, m, where, 0);
    for (int64_t i = 0; how == 2 && singular && i < n; i++) put(c->wide, m, i * n + n / 2, 0);
    compute(by, c, a, b, out);
    for (int64_t i = 0; i < c->batch * out_of(c); i++)
      CHECK(!isnan(at(c->wide, out, i)) == (i / out_of(c) != k), "kind %d n %d bad %d: at %d",
            c->kind, (int)n, how, (int)i);
    put(c->wide, m, where, x);
  }
}

/* A right-hand side that holds NaN or infinity has no result; those beside it have theirs. */
static void without_side(const MatrixLanes *by, const Case *c, char *a, char *b, char *out) {
  const int64_t k = c->batch / 2, j = c->cols / 2, where = (k * c->n + c->n / 2) * c->cols + j;
  const double x = at(c->wide, b, where);
  for (int how = 0; how < 2; how++) {
    put(c->wide, b, where, how ? (double)INFINITY : (double)NAN);
    compute(by, c, a, b, out);
    for (int64_t i = 0; i < c->batch * out_of(c); i++) {
      const bool none = i / out_of(c) == k && i % c->cols == j;
      CHECK(isnan(at(c->wide, out, i)) == none, "kind %d n %d, %d columns, bad %d: at %d", c->kind,
            (int)c->n, (int)c->cols, how, (int)i);
    }
  }
  put(c->wide, b, where, x);
}

static void one(Case c) {
  char *a = a_end - size(&c, c.batch * in_of(&c)), *b = b_end - size(&c, c.batch * c.n * c.cols),
       *out = out_end - size(&c, c.batch * out_of(&c)),
       *other = other_end - size(&c, c.batch * out_of(&c));
  fill(&c, a, b);
  for (int i = 0; i < nkernels; i++) {
    char *to = i ? other : out;
    compute(kernels[i], &c, a, b, to);
    if (i)
      CHECK(!memcmp(out, other, size(&c, c.batch * out_of(&c))), "kind %d n %d kernel %d", c.kind,
            (int)c.n, i);
    for (int64_t k = 0; k < c.batch; k += 11) alone(kernels[i], &c, a, b, to, k);
  }
  compute(NULL, &c, a, b, other);
  good(&c, a, b, out, other);
  for (int i = 0; i < nkernels; i++) without(kernels[i], &c, a, b, out);
  without(NULL, &c, a, b, out);
  for (int i = 0; has_sides(&c) && i <= nkernels; i++)
    without_side(i < nkernels ? kernels[i] : NULL, &c, a, b, out);
}

static void rows(int64_t n) {
  static const int64_t batches[] = {1, 2, 7, 8, 9, 16, 17, BATCH};
  static const MatrixKind factors[] = {MATRIX_CHOLESKY, MATRIX_LU, MATRIX_DETERMINANT,
                                       MATRIX_LOG_DETERMINANT};
  for (int i = 0; i < 16; i++) {
    if ((i / 2 + n) % 2) continue;
    Case c = {.n = n, .wide = i % 2, .batch = batches[i / 2]};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) c.kind = factors[k], one(c);
    static const int64_t cols[] = {1, 2, 5, 8, 16, 33, COLS};
    for (size_t k = 0; k < sizeof cols / sizeof *cols; k++) {
      if ((k + (size_t)n + (size_t)i) % 3) continue;
      c.cols = cols[k];
      c.kind = MATRIX_SOLVE, c.flags = 0, one(c);
      c.kind = MATRIX_TRIANGULAR_SOLVE, c.flags = (n + i + (int64_t)k) % 8, one(c);
    }
  }
}

int main(void) {
  char why[COMM_WHY] = "";
  gemm_prepare(1, why); /* as a session does: OpenBLAS's own threads wait for each other */
  a_end = page((int64_t)NUMBERS * 8), b_end = page((int64_t)NUMBERS * 8);
  out_end = page((int64_t)NUMBERS * 8), other_end = page((int64_t)NUMBERS * 8);
  kernels[nkernels++] = &matrix_lanes_portable;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels[nkernels++] = &matrix_lanes_avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    kernels[nkernels++] = &matrix_lanes_avx512;
#endif
  for (int64_t n = 1; n <= MATRIX_LANES_MOST; n++) rows(n);
  return harness_result();
}
