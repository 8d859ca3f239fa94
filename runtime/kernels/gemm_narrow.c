/* gemm_narrow.c: tiles of 14 rows x 8 lanes for CPUs with AVX-512, which has registers for them:
 * where a result is so narrow, a vector of 16 would be half empty (gemm_streams.c). */
#include <immintrin.h>
#define LANES 8
#define MOST 14
#define NAME gemm_kernel_narrow
#define TILES_ONLY
#define PARTS true
#define LOW_PAIRS(p, q) __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_PAIRS(p, q) __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_HALVES(p, q) __builtin_shufflevector(p, q, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_HALVES(p, q) __builtin_shufflevector(p, q, 2, 3, 10, 11, 6, 7, 14, 15)

/* The first n lanes. */
typedef __mmask8 Part;
static inline Part part_of(int n) { return (Part)((1u << n) - 1); }
static inline __m256 load_part(const float *p, Part part) { return _mm256_maskz_loadu_ps(part, p); }
static inline void store_part(float *p, Part part, __m256 v) { _mm256_mask_storeu_ps(p, part, v); }
/* Two of them: a vector has no more. */
static inline __m256 four_quads(const float *a, const float *b, const float *c, const float *d) {
  (void)c, (void)d;
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
#include "gemm_kernel.inc"
