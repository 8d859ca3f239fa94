/* matrices.c: linear algebra of batches of matrices, by the LAPACK in OpenBLAS. The matrices of a
 * batch are computed one after the other, each on its own, so that its bits do not depend on the
 * others. Where there is no result (the matrix is singular, is not positive definite, holds NaN or
 * infinity, or an iteration does not converge) all of it is NaN. */
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "dtrt.h"

typedef blasint Whole;

typedef enum MatrixKind {
  MATRIX_CHOLESKY,
  MATRIX_LU,
  MATRIX_DETERMINANT,
  MATRIX_QR,
  MATRIX_EIGH,
  MATRIX_SVD,
  MATRIX_SOLVE,
  MATRIX_TRIANGULAR_SOLVE
} MatrixKind;

enum { /* dtrt_triangular_solve's flags */ MATRIX_LOWER = 1,
       MATRIX_TRANSPOSED = 2,
       MATRIX_UNIT = 4 };

typedef struct Matrix {
  int64_t rows, cols, flags;
  Whole room, wholes; /* of what LAPACK asks for in numbers and in integers */
} Matrix;

/* Elements of a matrix of each. */
typedef struct MatrixSizes {
  int64_t a, b, out, work, whole;
} MatrixSizes;

typedef bool MatrixFn(const Matrix *m, const void *a, const void *b, void *out, void *work,
                      Whole *whole);

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

static MatrixSizes sizes_of(MatrixKind kind, const Matrix *m) {
  const int64_t rows = m->rows, cols = m->cols, k = rows < cols ? rows : cols, all = rows * cols;
  switch (kind) {
  case MATRIX_CHOLESKY: return (MatrixSizes){.a = all, .out = all};
  case MATRIX_LU: return (MatrixSizes){.a = all, .out = all + rows, .work = all, .whole = rows};
  case MATRIX_DETERMINANT: return (MatrixSizes){.a = all, .out = 3, .work = all, .whole = rows};
  case MATRIX_QR: return (MatrixSizes){.a = all, .out = (rows + cols) * k, .work = all + k};
  case MATRIX_EIGH: return (MatrixSizes){.a = all, .out = all + rows, .work = all};
  case MATRIX_SVD:
    return (MatrixSizes){
        .a = all, .out = (rows + cols + 1) * k, .work = all + (rows + cols) * k, .whole = 8 * k};
  case MATRIX_SOLVE:
    return (MatrixSizes){
        .a = rows * rows, .b = all, .out = all, .work = rows * rows + all, .whole = rows};
  case MATRIX_TRIANGULAR_SOLVE: break;
  }
  return (MatrixSizes){.a = rows * rows, .b = all, .out = all};
}

static void matrices(MatrixKind kind, int32_t dtype, int64_t batch, Matrix m, const void *a,
                     const void *b, void *out) {
  if (batch < 1 || ((m.rows < 1 || m.cols < 1) && kind != MATRIX_DETERMINANT)) return;
  const bool is_f64 = dtype == DTRT_F64;
  if (m.rows > INT32_MAX || m.cols > INT32_MAX)
    device_fail(fail_current(), "matrices of %ld rows and %ld columns are too large for LAPACK",
                (long)m.rows, (long)m.cols);
  (is_f64 ? room_f64 : room_f32)(kind, &m);
  const MatrixSizes s = sizes_of(kind, &m);
  const size_t element = is_f64 ? sizeof(double) : sizeof(float);
  void *work = malloc(((size_t)s.work + (size_t)m.room) * element);
  Whole *whole = malloc(((size_t)s.whole + (size_t)m.wholes + 1) * sizeof *whole);
  if (!work || !whole) {
    free(work), free(whole);
    device_fail(fail_current(),
                "out of memory for the factors of a matrix of %ld rows and %ld columns",
                (long)m.rows, (long)m.cols);
  }
  if (is_f64)
    each_f64(kind, &m, &s, batch, a, b, out, work, whole);
  else
    each_f32(kind, &m, &s, batch, a, b, out, work, whole);
  free(work), free(whole);
}

#define FACTORS(NAME, KIND)                                                                        \
  void dtrt_##NAME(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,        \
                   void *out) {                                                                    \
    matrices(KIND, dtype, batch, (Matrix){.rows = rows, .cols = cols}, a, a, out);                 \
  }
FACTORS(cholesky, MATRIX_CHOLESKY)
FACTORS(lu, MATRIX_LU)
FACTORS(determinant, MATRIX_DETERMINANT)
FACTORS(qr, MATRIX_QR)
FACTORS(eigh, MATRIX_EIGH)
FACTORS(svd, MATRIX_SVD)

#define SOLUTION(NAME, KIND)                                                                       \
  void dtrt_##NAME(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,        \
                   const void *b, void *x, int64_t flags) {                                        \
    matrices(KIND, dtype, batch, (Matrix){.rows = rows, .cols = cols, .flags = flags}, a, b, x);   \
  }
SOLUTION(solve, MATRIX_SOLVE)
SOLUTION(triangular_solve, MATRIX_TRIANGULAR_SOLVE)
