/* matrix_lanes_avx512.c: linear algebra of small matrices for CPUs with AVX-512. */
#define NAME matrix_lanes_avx512
#define VECTOR_BYTES 64
#include "matrix_lanes_types.inc"
