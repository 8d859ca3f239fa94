/* gemm_portable.c: products for any CPU. It adds by fused multiply-add where the compiler may take
 * that for granted, as on ARM; else products are rounded before they are added (docs/sums.md). */
#include "portable.h"
#define NAME gemm_kernel_portable
#define TILES_NAME NAME
#define HALF_NAME half_kernel_portable
#define PARTS false
#define LOW_PAIRS(p, q) __builtin_shufflevector(p, q, 0, 4, 1, 5)
#define HIGH_PAIRS(p, q) __builtin_shufflevector(p, q, 2, 6, 3, 7)
#define LOW_HALVES(p, q) __builtin_shufflevector(p, q, 0, 1, 4, 5)
#define HIGH_HALVES(p, q) __builtin_shufflevector(p, q, 2, 3, 6, 7)

typedef float Quad __attribute__((vector_size(16)));
typedef int Part; /* the first n lanes */
static inline Part part_of(int n) { return n; }
static inline Quad load_part(const float *p, Part part) {
  Quad v = {0};
  for (int i = 0; i < part; i++) v[i] = p[i];
  return v;
}
static inline void store_part(float *p, Part part, Quad v) {
  for (int i = 0; i < part; i++) p[i] = v[i];
}
static inline Quad four_quads(const float *a, const float *b, const float *c, const float *d) {
  (void)b, (void)c, (void)d; /* a vector has one */
  return (Quad){a[0], a[1], a[2], a[3]};
}
#include "gemm_kernel.inc"
#include "gemm_half.inc"
