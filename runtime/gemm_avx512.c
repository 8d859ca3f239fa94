/* gemm_avx512.c: products for CPUs with AVX-512: tiles of 14 rows x 2 vectors of 16, 28 sums in 32
 * registers. */
#define LANES 16
#define MOST 14
#define NAME gemm_kernel_avx512
#define SWAP1(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);    \
  b = __builtin_shufflevector(p, q, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
#define SWAP2(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);     \
  b = __builtin_shufflevector(p, q, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
#define SWAP4(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);     \
  b = __builtin_shufflevector(p, q, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
#define SWAP8(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);       \
  b = __builtin_shufflevector(p, q, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
#define ROUND(r, far, swap)                                                                        \
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) if (!(i & far)) {                          \
    const Vec p = r[i], q = r[i + far];                                                            \
    swap(r[i], r[i + far], p, q)                                                                   \
  }
#define TURN(r) ROUND(r, 1, SWAP1) ROUND(r, 2, SWAP2) ROUND(r, 4, SWAP4) ROUND(r, 8, SWAP8)
#include "gemm_kernel.inc"
