/* conv_avx512.c: convolutions for CPUs with AVX-512: tiles as in gemm_avx512.c. */
#define LANES 16
#define MOST 14
#define NAME conv_kernel_avx512
#define PAIRS_NAME conv_pairs_avx512
#include "conv_kernel.inc"
