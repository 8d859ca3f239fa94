/* gemm_small_avx512.c: products of small matrices for CPUs with AVX-512; of few columns in vectors
 * of half the length, of which these CPUs do twice as many. */
#include <immintrin.h>
#include "gemm_small.h"

#define TROWS 8
#define T float
#define TLANES 8
#define TNAME(x) x##_f32_narrow
#define TPart __mmask8
#define TPART_OF(n) (TPart)((1u << (n)) - 1)
#define TLOAD_PART(p, part) (Lane_f32_narrow) _mm256_maskz_loadu_ps(part, p)
#define TSTORE_PART(p, part, v) _mm256_mask_storeu_ps(p, part, (__m256)(v))
#include "gemm_small.inc"
#undef T
#undef TLANES
#undef TNAME
#undef TPart
#undef TLOAD_PART
#undef TSTORE_PART
#define T float
#define TINT int32_t
#define TLANES 16
#define TNAME(x) x##_f32
#define TX512(x) _mm512_##x##_ps
#define TPart __mmask16
#define TLOAD_PART(p, part) (Lane_f32) _mm512_maskz_loadu_ps(part, p)
#define TSTORE_PART(p, part, v) _mm512_mask_storeu_ps(p, part, (__m512)(v))
#define TREGISTERS registers_f32
#define TNARROW small_f32_narrow
#include "gemm_small_512.inc"
#include "gemm_small.inc"
#undef T
#undef TINT
#undef TLANES
#undef TNAME
#undef TX512
#undef TPart
#undef TLOAD_PART
#undef TSTORE_PART
#undef TREGISTERS
#undef TNARROW
#define T double
#define TLANES 4
#define TNAME(x) x##_f64_narrow
#define TPart __mmask8
#define TLOAD_PART(p, part) (Lane_f64_narrow) _mm256_maskz_loadu_pd(part, p)
#define TSTORE_PART(p, part, v) _mm256_mask_storeu_pd(p, part, (__m256d)(v))
#include "gemm_small.inc"
#undef T
#undef TLANES
#undef TNAME
#undef TLOAD_PART
#undef TSTORE_PART
#define T double
#define TINT int64_t
#define TLANES 8
#define TNAME(x) x##_f64
#define TX512(x) _mm512_##x##_pd
#define TLOAD_PART(p, part) (Lane_f64) _mm512_maskz_loadu_pd(part, p)
#define TSTORE_PART(p, part, v) _mm512_mask_storeu_pd(p, part, (__m512d)(v))
#define TREGISTERS registers_f64
#define TNARROW small_f64_narrow
#include "gemm_small_512.inc"
#include "gemm_small.inc"

const GemmSmallKernels gemm_small_avx512 = {small_f32, small_f64};
