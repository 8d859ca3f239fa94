/* matrices.h: linear algebra of batches of matrices: by LAPACK, one after the other (matrices.inc),
 * or, of small ones, side by side in the lanes of vectors (matrix_lanes.inc), compiled once for
 * each kind of CPU. Which of both depends on the rows and the kind alone, and each matrix and each
 * right-hand side has the arithmetic it would have alone: bits do not depend on how a batch or its
 * right-hand sides are divided among devices and cores. */
#ifndef DTRT_MATRICES_H
#define DTRT_MATRICES_H
#include <stdbool.h>
#include <stdint.h>

typedef enum MatrixKind {
  MATRIX_CHOLESKY,
  MATRIX_LU,
  MATRIX_DETERMINANT,
  MATRIX_LOG_DETERMINANT,
  MATRIX_QR,
  MATRIX_EIGH,
  MATRIX_SVD,
  MATRIX_SOLVE,
  MATRIX_TRIANGULAR_SOLVE
} MatrixKind;

enum { /* dtrt_triangular_solve's flags */ MATRIX_LOWER = 1,
       MATRIX_TRANSPOSED = 2,
       MATRIX_UNIT = 4,
       MATRIX_VALUES = 8 /* of factors: the orthogonal ones are not wanted and become 0 */ };

/* A batch: its matrices begin so many numbers after each other in a, b and out. */
typedef struct MatrixBatch {
  MatrixKind kind;
  int64_t rows, cols, flags, count;
  int64_t anext, bnext, outnext;
  const void *a, *b;
  void *out;
} MatrixBatch;

/* Most rows of a matrix that is computed in a lane: the vectors of 64 bytes that hold a matrix in
 * each lane fit into every L1 cache. One matrix alone goes the same way, with idle lanes, and takes
 * up to twice LAPACK's time. CPUs with shorter vectors follow the same rule, so that they have the
 * same bits. */
enum { MATRIX_LANE_BYTES = 64, MATRIX_LANES_MOST = 22 };
_Static_assert(MATRIX_LANES_MOST *MATRIX_LANES_MOST *MATRIX_LANE_BYTES <= 1 << 15, "L1");

/* Matrices [from, to) of a batch; room is of so many numbers of the type as `room` says, and begins
 * at a multiple of MATRIX_LANE_BYTES. */
typedef void MatrixLanesFn(const MatrixBatch *m, int64_t from, int64_t to, void *room);
typedef struct MatrixLanes {
  MatrixLanesFn *fn[2]; /* of f32, of f64 */
  int lanes[2];         /* of a vector */
  int64_t (*room[2])(const MatrixBatch *m);
} MatrixLanes;
extern const MatrixLanes matrix_lanes_avx512, matrix_lanes_avx2, matrix_lanes_portable;

/* By one of these kernels, or, with NULL, by LAPACK. `m` needs kind, rows, cols, flags, count, a, b
 * and out. */
void matrices_by(const MatrixLanes *lanes, int32_t dtype, MatrixBatch m);
#endif
