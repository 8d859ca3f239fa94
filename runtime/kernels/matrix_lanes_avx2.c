/* matrix_lanes_avx2.c: linear algebra of small matrices for CPUs with AVX2. */
#define NAME matrix_lanes_avx2
#define VECTOR_BYTES 32
#include "matrix_lanes_types.inc"
