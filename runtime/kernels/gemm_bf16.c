/* gemm_bf16.c: products of bf16 for CPUs with AVX-512 that multiply pairs of it (avx512_bf16):
 * tiles as in gemm_avx512.c, whose words are pairs. */
#include <immintrin.h>
#define PAIRS
#define DOT_PAIRS(sum, a, b) _mm512_dpbf16_ps((__m512)(sum), (__m512bh)(a), (__m512bh)(b))
#define MULTIPLY_ADD(a, b, sum) (Vec) DOT_PAIRS(sum, a, b)
#define TILES_ONLY
#define NAME gemm_kernel_pairs
#define HALF_NAME half_kernel_bf16
#include "gemm_avx512.inc"
