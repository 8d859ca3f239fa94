/* gemm_avx512.c: products for CPUs with AVX-512: tiles of 14 rows x 2 vectors of 16, 28 sums in 32
 * registers. */
#include <immintrin.h>
#define LANES 16
#define MOST 14
#define NAME gemm_kernel_avx512
#define PARTS true
#define LOAD_LAST load_part
#define LOW_PAIRS(p, q)                                                                            \
  __builtin_shufflevector(p, q, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_PAIRS(p, q)                                                                           \
  __builtin_shufflevector(p, q, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_HALVES(p, q)                                                                           \
  __builtin_shufflevector(p, q, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_HALVES(p, q)                                                                          \
  __builtin_shufflevector(p, q, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)

/* The first n lanes. */
typedef __mmask16 Part;
static inline Part part_of(int n) { return (Part)((1u << n) - 1); }
static inline __m512 load_part(const float *p, Part part) { return _mm512_maskz_loadu_ps(part, p); }
static inline void store_part(float *p, Part part, __m512 v) { _mm512_mask_storeu_ps(p, part, v); }
static inline __m512 four_quads(const float *a, const float *b, const float *c, const float *d) {
  __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(a));
  v = _mm512_insertf32x4(v, _mm_loadu_ps(b), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps(c), 2);
  return _mm512_insertf32x4(v, _mm_loadu_ps(d), 3);
}
#include "gemm_kernel.inc"
