/* conv_avx2.c: convolutions for CPUs with AVX2 and FMA: tiles as in gemm_avx2.c. */
#define LANES 8
#define MOST 6
#define NAME conv_kernel_avx2
#define PAIRS_NAME conv_pairs_avx2
#include "conv_kernel.inc"
