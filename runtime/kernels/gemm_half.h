/* gemm_half.h: products of bf16 and f16 (gemm_half.c): what each kind of CPU has for them. Operands
 * are packed as words of 32 bits, which the tiles of gemm_kernel.h take for floats. A word is a
 * number that has become f32; or two of bf16, depths 2l and 2l + 1, where the CPU multiplies pairs.
 * That adds the odd one first, then the even one, each by a fused multiply-add that takes results
 * below the smallest normal number for 0: so words of f32 lie in that order, too, and bf16 has the
 * same bits on all CPUs with fused multiply-add, but for those with AMX (gemm_amx.c), whose order
 * is another. */
#ifndef DTRT_GEMM_HALF_H
#define DTRT_GEMM_HALF_H
#include "gemm_kernel.h"

enum {
  HALF_RUN = 128,   /* numbers in sequence */
  HALF_DEPTH = 512, /* of a part */
  HALF_LANES = 16,  /* of a matrix times a vector: in pairs */
  HALF_WIDE = 256,
  HALF_NARROW = 32,
  HALF_SQUARE = 32,   /* rows and columns that AMX takes together */
  HALF_AMX_BLOCK = 32 /* numbers of depth, too */
};

typedef struct HalfKernel {
  const GemmKernel *tiles;
  int numbers; /* in a word: 1 or 2 */
  /* to[i * pitch + word] = row i, from[i * step + l], l < depth. */
  void (*rows)(int dtype, const uint16_t *from, int64_t step, int64_t depth, int n, float *to,
               int64_t pitch);
  /* Panels [word][wide] of n columns, from[l * step + j]; 0 beyond n. */
  void (*panels)(int dtype, const uint16_t *from, int64_t step, int64_t depth, int64_t n, float *to,
                 int64_t wide);
  /* to[i] = from[i], rounded; what lies `ahead` floats behind is fetched. */
  void (*shorten)(int dtype, const float *from, int64_t n, int64_t ahead, uint16_t *to);
  /* Of bf16: y[i] = the sum over l of a[i * step + l] x[l], l < depth <= DTRT_GEMM_BLOCK, for 4
   * rows; x has zeros up to a multiple of 2 * HALF_LANES. */
  void (*dots)(const uint16_t *a, int64_t step, int64_t depth, const uint16_t *x, float y[4]);
  /* Of bf16: y[j] = the sum over l of x[l] b[l * step + j], in sequence, l < depth, for HALF_WIDE
   * columns where `wide`, else for HALF_NARROW; x has a zero behind an odd depth. */
  void (*lines)(const uint16_t *b, int64_t step, int64_t depth, const uint16_t *x, bool wide,
                float *y);
  /* Where the CPU has tiles for it, else NULL. c[i * ldc + j] = or += the sums of `rows` x
   * `columns`, at most HALF_SQUARE, over `blocks` of depth; x has rows of words, `pitch` apart, y a
   * panel [word][HALF_SQUARE]. Both have HALF_SQUARE rows or columns that may be read. Sums of a
   * block are added in sequence, to c where `add`; between `begin` and `end` on this thread. */
  void (*square)(const float *x, int64_t pitch, const float *y, int64_t blocks, float *c,
                 int64_t ldc, int rows, int columns, bool add);
  void (*begin)(void);
  void (*end)(void);
} HalfKernel;

/* Words of so many numbers, some of them in each: bf16 is added up by pairs. */
static inline int64_t half_words(int dtype, int numbers, int64_t depth) {
  const int64_t pairs = (depth + 1) / 2;
  return dtype != DTRT_BF16 ? depth : numbers == 2 ? pairs : 2 * pairs;
}

/* Of this CPU; f16 is never in pairs. */
const HalfKernel *half_kernel(int dtype);
extern const HalfKernel half_kernel_bf16, half_kernel_avx512, half_kernel_avx2,
    half_kernel_portable;
const HalfKernel *
half_kernel_amx(void); /* NULL: this CPU has none, or the process may not use it */

#endif
