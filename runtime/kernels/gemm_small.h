/* gemm_small.h: products of small matrices, many at a time (gemm_small.c). An element is the sum of
 * its products in sequence, k at most GEMM_RUN, which is the order of all products of such a k
 * (docs/sums.md). */
#ifndef DTRT_GEMM_SMALL_H
#define DTRT_GEMM_SMALL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEMM_SMALL_SIDE = 32 }; /* rows or columns: beyond, packing pays */

/* c[i * ci + j * cj] = or += the sum over l of a[i * ai + l * al] * b[l * bl + j * bj]. The next
 * product of a batch begins so many elements further on in each. */
typedef struct GemmSmall {
  int64_t m, n, k;
  int64_t ai, al, bl, bj, ci, cj;
  int64_t anext, bnext, cnext;
  bool add;
} GemmSmall;

typedef void GemmSmallKernel(const GemmSmall *p, int64_t count, const void *a, const void *b,
                             void *c);

typedef struct GemmSmallKernels {
  GemmSmallKernel *f32, *f64;
} GemmSmallKernels;
extern const GemmSmallKernels gemm_small_avx512, gemm_small_avx2, gemm_small_portable;

struct GemmCall;
/* Whether a product is computed by them: of all cuts of a product that give the same bits. */
bool gemm_is_small(const struct GemmCall *p);
/* So many products, the next of which begins `step` further on in a, b and c. */
void gemm_small(const struct GemmCall *p, int64_t count, const void *a, const void *b, void *c,
                const int64_t *step);
void gemm_small_f32(const GemmSmall *p, int64_t count, const float *a, const float *b, float *c);
/* The same of bf16 and f16, whose results are f32 (gemm_half_small.c). */
bool gemm_half_is_small(const struct GemmCall *p);
void gemm_half_small(const struct GemmCall *p, int64_t count, const uint16_t *a, const uint16_t *b,
                     float *c, const int64_t *step);
#endif
