/* conv_bf16.c: convolutions for CPUs with AVX-512 that multiply pairs of bf16 (avx512_bf16): tiles
 * as in conv_avx512.c, whose words are pairs. */
#include <immintrin.h>
#define DOT_PAIRS(sum, a, b) _mm512_dpbf16_ps((__m512)(sum), (__m512bh)(a), (__m512bh)(b))
#define LANES 16
#define MOST 14
#define NAME conv_pairs_bf16
#include "conv_kernel.inc"
