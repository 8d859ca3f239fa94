/* matrices.c: linear algebra of batches of matrices, by the LAPACK in OpenBLAS or, of small ones,
 * in the lanes of vectors (matrices.h). The device's cores divide a batch. Where there is no result
 * (the matrix is singular, is not positive definite, holds NaN or infinity, or an iteration does
 * not converge) all of it is NaN; where a right-hand side holds NaN or infinity, its column is. */
#include "matrices.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "device.h"
#include "dtrt.h"
#include "vectors.h"

typedef blasint Whole;

enum {
  LEAST = 1 << 16, /* operations for which another core is worth waking */
  SUMS = 16        /* at the same time */
};

/* What LAPACK asks for in numbers and in integers. */
typedef struct Room {
  Whole numbers, wholes;
} Room;

typedef bool MatrixFn(const MatrixBatch *m, const Room *r, const void *a, const void *b, void *out,
                      void *work, Whole *whole);

/* Fortran passes everything by address, and the lengths of texts at the end. */
#define LAPACK_OF(T, P)                                                                            \
  void P##potrf_(const char *, const Whole *, T *, const Whole *, Whole *, size_t);                \
  void P##getrf_(const Whole *, const Whole *, T *, const Whole *, Whole *, Whole *);              \
  void P##getrs_(const char *, const Whole *, const Whole *, const T *, const Whole *,             \
                 const Whole *, T *, const Whole *, Whole *, size_t);                              \
  void P##geqrf_(const Whole *, const Whole *, T *, const Whole *, T *, T *, const Whole *,        \
                 Whole *);                                                                         \
  void P##orgqr_(const Whole *, const Whole *, const Whole *, T *, const Whole *, const T *, T *,  \
                 const Whole *, Whole *);                                                          \
  void P##syevd_(const char *, const char *, const Whole *, T *, const Whole *, T *, T *,          \
                 const Whole *, Whole *, const Whole *, Whole *, size_t, size_t);                  \
  void P##gesdd_(const char *, const Whole *, const Whole *, T *, const Whole *, T *, T *,         \
                 const Whole *, T *, const Whole *, T *, const Whole *, Whole *, Whole *, size_t);
LAPACK_OF(float, s)
LAPACK_OF(double, d)

#define T float
#define REAL(x) x##_f32
#define LAPACK(x) s##x##_
#define CBLAS(x) cblas_s##x
#define LOG logf
#include "matrices.inc"
#undef T
#undef REAL
#undef LAPACK
#undef CBLAS
#undef LOG
#define T double
#define REAL(x) x##_f64
#define LAPACK(x) d##x##_
#define CBLAS(x) cblas_d##x
#define LOG log
#include "matrices.inc"

/* -------- batches -------- */

/* Numbers of a matrix's operands and result. */
static void lay_out(MatrixBatch *m) {
  const int64_t rows = m->rows, cols = m->cols, k = rows < cols ? rows : cols, all = rows * cols;
  m->anext = all, m->bnext = 0, m->outnext = all;
  switch (m->kind) {
  case MATRIX_CHOLESKY: break;
  case MATRIX_LU: m->outnext = all + rows; break;
  case MATRIX_DETERMINANT: m->outnext = 1; break;
  case MATRIX_LOG_DETERMINANT: m->outnext = 2; break;
  case MATRIX_QR: m->outnext = (rows + cols) * k; break;
  case MATRIX_EIGH: m->outnext = all + rows; break;
  case MATRIX_SVD: m->outnext = (rows + cols + 1) * k; break;
  case MATRIX_SOLVE:
  case MATRIX_TRIANGULAR_SOLVE: m->anext = rows * rows, m->bnext = all; break;
  }
}

/* Whether matrices are computed in lanes. */
static bool matrices_in_lanes(const MatrixBatch *m) {
  return m->rows <= MATRIX_LANES_MOST && m->kind != MATRIX_QR && m->kind != MATRIX_EIGH &&
         m->kind != MATRIX_SVD;
}

/* Numbers of LAPACK's operands, beside what it asks for; integers. */
static void work_of(const MatrixBatch *m, int64_t *numbers, int64_t *wholes) {
  const int64_t rows = m->rows, cols = m->cols, k = rows < cols ? rows : cols;
  *numbers = m->anext + m->bnext;
  if (m->kind == MATRIX_QR) *numbers += k;
  if (m->kind == MATRIX_SVD) *numbers += (rows + cols) * k;
  *wholes = m->kind == MATRIX_SVD ? 8 * k : rows;
}

typedef struct MatrixJob {
  MatrixBatch m;
  bool is_f64;
  const MatrixLanes *lanes; /* or, by LAPACK: */
  Room room;
} MatrixJob;

static void no_memory(const MatrixBatch *m) {
  device_fail(fail_current(),
              "out of memory for the factors of a matrix of %ld rows and %ld columns",
              (long)m->rows, (long)m->cols);
}

static void some_in_lanes(void *arg, int core, int64_t from, int64_t to) {
  const MatrixJob *j = arg;
  const int64_t numbers = j->lanes->room[j->is_f64](&j->m);
  const size_t each = j->is_f64 ? sizeof(double) : sizeof(float), line = MATRIX_LANE_BYTES;
  void *room = aligned_alloc(line, ((size_t)numbers * each / line + 1) * line);
  (void)core;
  if (!room) no_memory(&j->m);
  j->lanes->fn[j->is_f64](&j->m, from, to, room);
  free(room);
}

static void some_by_lapack(void *arg, int core, int64_t from, int64_t to) {
  const MatrixJob *j = arg;
  int64_t numbers, wholes;
  work_of(&j->m, &numbers, &wholes);
  numbers += j->room.numbers, wholes += j->room.wholes + 1;
  void *work = malloc((size_t)numbers * (j->is_f64 ? sizeof(double) : sizeof(float)));
  Whole *whole = malloc((size_t)wholes * sizeof *whole);
  (void)core;
  if (!work || !whole) {
    free(work), free(whole);
    no_memory(&j->m);
  }
  if (j->is_f64)
    each_f64(&j->m, &j->room, from, to, work, whole);
  else
    each_f32(&j->m, &j->room, from, to, work, whole);
  free(work), free(whole);
}

void matrices_by(const MatrixLanes *lanes, int32_t dtype, MatrixBatch m) {
  lay_out(&m);
  if (m.count < 1 || m.outnext < 1) return;
  if (m.rows > INT32_MAX || m.cols > INT32_MAX)
    device_fail(fail_current(), "matrices of %ld rows and %ld columns are too large for LAPACK",
                (long)m.rows, (long)m.cols);
  MatrixJob j = {.m = m, .is_f64 = dtype == DTRT_F64, .lanes = lanes};
  if (!lanes) j.room = (j.is_f64 ? room_f64 : room_f32)(&m);
  const int64_t unit = lanes ? lanes->lanes[j.is_f64] : 1;
  const double work = (double)m.anext * (double)(m.rows > m.cols ? m.rows : m.cols) + 1;
  const int64_t grain = work < LEAST ? (int64_t)(LEAST / work) : 1;
  crew_run(m.count, (grain + unit - 1) / unit * unit, lanes ? some_in_lanes : some_by_lapack, &j);
}

static const MatrixLanes *lanes_of_cpu(void) {
#if defined(DTRT_X86_KERNELS)
  static const MatrixLanes *const all[] = {&matrix_lanes_portable, &matrix_lanes_avx2,
                                           &matrix_lanes_avx512};
  return all[kernel_vectors()];
#else
  return &matrix_lanes_portable;
#endif
}

static void matrices(int32_t dtype, MatrixBatch m) {
  matrices_by(matrices_in_lanes(&m) ? lanes_of_cpu() : NULL, dtype, m);
}

#define FACTORS(NAME, KIND, FLAGS)                                                                 \
  void dtrt_##NAME(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,        \
                   void *out) {                                                                    \
    matrices(dtype, (MatrixBatch){.kind = KIND,                                                    \
                                  .rows = rows,                                                    \
                                  .cols = cols,                                                    \
                                  .flags = FLAGS,                                                  \
                                  .count = batch,                                                  \
                                  .a = a,                                                          \
                                  .b = a,                                                          \
                                  .out = out});                                                    \
  }
FACTORS(cholesky, MATRIX_CHOLESKY, 0)
FACTORS(lu, MATRIX_LU, 0)
FACTORS(determinant, MATRIX_DETERMINANT, 0)
FACTORS(log_determinant, MATRIX_LOG_DETERMINANT, 0)
FACTORS(qr, MATRIX_QR, 0)
FACTORS(qr_triangle, MATRIX_QR, MATRIX_VALUES)
FACTORS(eigh, MATRIX_EIGH, 0)
FACTORS(eigh_values, MATRIX_EIGH, MATRIX_VALUES)
FACTORS(svd, MATRIX_SVD, 0)
FACTORS(svd_values, MATRIX_SVD, MATRIX_VALUES)

#define SOLUTION(NAME, KIND)                                                                       \
  void dtrt_##NAME(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,        \
                   const void *b, void *x, int64_t flags) {                                        \
    matrices(dtype, (MatrixBatch){.kind = KIND,                                                    \
                                  .rows = rows,                                                    \
                                  .cols = cols,                                                    \
                                  .flags = flags,                                                  \
                                  .count = batch,                                                  \
                                  .a = a,                                                          \
                                  .b = b,                                                          \
                                  .out = x});                                                      \
  }
SOLUTION(solve, MATRIX_SOLVE)
SOLUTION(triangular_solve, MATRIX_TRIANGULAR_SOLVE)
