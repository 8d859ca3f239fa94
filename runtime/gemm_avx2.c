/* gemm_avx2.c: products for CPUs with AVX2 and FMA: tiles of 6 rows x 2 vectors of 8, 12 sums in 16
 * registers. */
#define LANES 8
#define MOST 6
#define NAME gemm_kernel_avx2
#define SWAP1(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 8, 2, 10, 4, 12, 6, 14);                                    \
  b = __builtin_shufflevector(p, q, 1, 9, 3, 11, 5, 13, 7, 15);
#define SWAP2(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 1, 8, 9, 4, 5, 12, 13);                                     \
  b = __builtin_shufflevector(p, q, 2, 3, 10, 11, 6, 7, 14, 15);
#define SWAP4(a, b, p, q)                                                                          \
  a = __builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11);                                     \
  b = __builtin_shufflevector(p, q, 4, 5, 6, 7, 12, 13, 14, 15);
#define ROUND(r, far, swap)                                                                        \
  _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) if (!(i & far)) {                           \
    const Vec p = r[i], q = r[i + far];                                                            \
    swap(r[i], r[i + far], p, q)                                                                   \
  }
#define TURN(r) ROUND(r, 1, SWAP1) ROUND(r, 2, SWAP2) ROUND(r, 4, SWAP4)
#include "gemm_kernel.inc"
