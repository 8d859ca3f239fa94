/* gemm_avx2.c: products for CPUs with AVX2 and FMA: tiles of 6 rows x 2 vectors of 8, 12 sums in 16
 * registers. */
#include <immintrin.h>
#define LANES 8
#define MOST 6
#define NAME gemm_kernel_avx2
#define TILES_NAME NAME
#define HALF_NAME half_kernel_avx2
#define PARTS false
#define LOW_PAIRS(p, q) __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_PAIRS(p, q) __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_HALVES(p, q) __builtin_shufflevector(p, q, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_HALVES(p, q) __builtin_shufflevector(p, q, 2, 3, 10, 11, 6, 7, 14, 15)

/* The first n lanes. */
typedef __m256i Part;
static inline Part part_of(int n) {
  static const int lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(const void *)(lanes + 8 - n));
}
static inline __m256 load_part(const float *p, Part part) { return _mm256_maskload_ps(p, part); }
static inline void store_part(float *p, Part part, __m256 v) { _mm256_maskstore_ps(p, part, v); }
/* Two of them: a vector has no more. */
static inline __m256 four_quads(const float *a, const float *b, const float *c, const float *d) {
  (void)c, (void)d;
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
#include "gemm_kernel.inc"
#include "gemm_half.inc"
