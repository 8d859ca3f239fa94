/* matrix_lanes_avx512.c: linear algebra of small matrices for CPUs with AVX-512. */
#include <immintrin.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "dtrt.h"
#include "dtrt_math.h"
#include "matrices.h"

#define T float
#define TYPE_IS_F64 0
#define VL 16
#define TNAME(x) x##_f32
#include "matrix_lanes.inc"
#undef T
#undef TYPE_IS_F64
#undef VL
#undef TNAME
#define T double
#define TYPE_IS_F64 1
#define VL 8
#define TNAME(x) x##_f64
#include "matrix_lanes.inc"

const MatrixLanes matrix_lanes_avx512 = {
    {lanes_f32, lanes_f64}, {16, 8}, {lanes_room_f32, lanes_room_f64}};
