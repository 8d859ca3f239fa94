/* conv_portable.c: convolutions for any CPU: tiles as in gemm_portable.c. */
#define LANES 4
#if defined(__x86_64__)
#define MOST 6
#else
#define MOST 14
#endif
#define NAME conv_kernel_portable
#define PAIRS_NAME conv_pairs_portable
#include "conv_kernel.inc"
