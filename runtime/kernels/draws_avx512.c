/* draws_avx512.c: random numbers for CPUs with AVX-512. */
#define DRAWS draws_avx512
#include "draws.inc"
