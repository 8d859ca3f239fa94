/* gemm_small_avx2.c: products of small matrices for CPUs with AVX2 and FMA. */
#include <immintrin.h>
#include "gemm_small.h"

static inline __m256i part_f32(int n) {
  static const int lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(const void *)(lanes + 8 - n));
}
static inline __m256i part_f64(int n) {
  static const int64_t lanes[8] = {-1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(const void *)(lanes + 4 - n));
}

#define T float
#define TLANES 8
#define TROWS 4
#define TNAME(x) x##_f32
#define TPart __m256i
#define TPART_OF part_f32
#define TLOAD_PART(p, part) (Lane_f32) _mm256_maskload_ps(p, part)
#define TSTORE_PART(p, part, v) _mm256_maskstore_ps(p, part, (__m256)(v))
#include "gemm_small.inc"
#undef T
#undef TLANES
#undef TNAME
#undef TPART_OF
#undef TLOAD_PART
#undef TSTORE_PART
#define T double
#define TLANES 4
#define TNAME(x) x##_f64
#define TPART_OF part_f64
#define TLOAD_PART(p, part) (Lane_f64) _mm256_maskload_pd(p, part)
#define TSTORE_PART(p, part, v) _mm256_maskstore_pd(p, part, (__m256d)(v))
#include "gemm_small.inc"

const GemmSmallKernels gemm_small_avx2 = {small_f32, small_f64};
