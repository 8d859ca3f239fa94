/* gemm_avx512.c: products for CPUs with AVX-512. */
#include <immintrin.h>
#define NAME gemm_kernel_avx512
#define HALF_NAME half_kernel_avx512
#include "gemm_avx512.inc"
