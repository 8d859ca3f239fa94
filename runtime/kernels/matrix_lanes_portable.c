/* matrix_lanes_portable.c: linear algebra of small matrices for any CPU, in vectors of 16 bytes. */
#define NAME matrix_lanes_portable
#define VECTOR_BYTES 16
#include "matrix_lanes_types.inc"
