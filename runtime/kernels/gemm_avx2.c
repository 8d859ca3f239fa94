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

/* The first n lanes. They are stored in up to three pieces: on some CPUs a masked store takes more
 * than ten cycles. */
typedef struct Part {
  __m256i lanes;
  int n;
} Part;
static inline Part part_of(int n) {
  static const int lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return (Part){_mm256_loadu_si256((const __m256i *)(const void *)(lanes + 8 - n)), n};
}
static inline __m256 load_part(const float *p, Part part) {
  return _mm256_maskload_ps(p, part.lanes);
}
static inline void store_part(float *p, Part part, __m256 v) {
  if (part.n & 8) {
    _mm256_storeu_ps(p, v);
    return;
  }
  __m128 rest = _mm256_castps256_ps128(v);
  if (part.n & 4) {
    _mm_storeu_ps(p, rest);
    p += 4, rest = _mm256_extractf128_ps(v, 1);
  }
  if (part.n & 2) {
    _mm_storel_pi((__m64 *)(void *)p, rest);
    p += 2, rest = _mm_movehl_ps(rest, rest);
  }
  if (part.n & 1) _mm_store_ss(p, rest);
}
/* Two of them: a vector has no more. */
static inline __m256 four_quads(const float *a, const float *b, const float *c, const float *d) {
  (void)c, (void)d;
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
#include "gemm_kernel.inc"
#include "gemm_half.inc"
