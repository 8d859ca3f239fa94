/* draws_avx2.c: random numbers for CPUs with AVX2. */
#define DRAWS draws_avx2
#include "draws.inc"
