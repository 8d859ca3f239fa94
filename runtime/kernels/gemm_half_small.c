/* gemm_half_small.c: many products of small matrices of bf16 and f16 (gemm_small.h). Some products'
 * operands at a time become f32, in the order in which gemm_half.h adds them up, and are multiplied
 * as such: the bits are those of gemm_half.c. */
#include "gemm_cores.h"
#include "gemm_half.h"
#include "gemm_small.h"

enum { ROOM = 4096 }; /* floats of an operand: half of L1 */
_Static_assert((int)GEMM_SMALL_SIDE *((int)GEMM_RUN + 1) <= (int)ROOM, "one product has room");
_Static_assert((int)GEMM_RUN <= (int)HALF_RUN, "one sequence");

/* An operand's lines (rows of the first, columns of the second matrix) of k numbers each. */
typedef struct HalfLines {
  const uint16_t *from;
  int64_t n, k, lead, next; /* from line to line, or from depth to depth; to the next product */
  bool along;               /* numbers of a line lie side by side; else those of a depth do */
} HalfLines;

/* `count` products' lines; so many calls as do not lie as one matrix. */
static void widen(const HalfKernel *kernel, int dtype, const HalfLines *s, int64_t count,
                  float *to) {
  const int64_t words = half_words(dtype, 1, s->k);
  const bool dense = s->next == (s->along ? s->n : s->k) * s->lead;
  const bool joins = dense && (s->along || words == s->k);
  const int64_t calls = joins ? 1 : count, each = joins ? count : 1;
  for (int64_t q = 0; q < calls; q++, to += s->n * words) {
    const uint16_t *from = s->from + q * s->next;
    if (!s->along)
      kernel->panels(dtype, from, s->lead, each * s->k, s->n, to, s->n);
    else if (s->lead == s->k && words == s->k)
      kernel->rows(dtype, from, 0, each * s->n * s->k, 1, to, 0);
    else
      kernel->rows(dtype, from, s->lead, s->k, (int)(each * s->n), to, words);
  }
}

/* A vector of bf16 is multiplied in an order of its own, and squares of AMX have another. */
static const HalfKernel *kernel_for(const GemmCall *p) {
  const HalfKernel *kernel = half_kernel(p->dtype);
  GemmCall f32 = *p;
  f32.dtype = DTRT_F32;
  if (p->m > GEMM_SMALL_SIDE || p->n > GEMM_SMALL_SIDE || !gemm_is_small(&f32)) return NULL;
  if (p->dtype == DTRT_BF16 && (kernel->square || p->m == 1 || p->n == 1)) return NULL;
#if defined(DTRT_X86_KERNELS)
  if (kernel->numbers == 2) return &half_kernel_avx512;
#endif
  return kernel;
}

bool gemm_half_is_small(const GemmCall *p) { return kernel_for(p) != NULL; }

void gemm_half_small(const GemmCall *p, int64_t count, const uint16_t *a, const uint16_t *b,
                     float *c, const int64_t *step) {
  const HalfKernel *kernel = kernel_for(p);
  _Alignas(64) float room[2][ROOM];
  HalfLines x = {a, p->m, p->k, p->lda, step[0], !p->ta},
            y = {b, p->n, p->k, p->ldb, step[1], p->tb};
  const int64_t words = half_words(p->dtype, 1, p->k), most = p->m > p->n ? p->m : p->n;
  const GemmSmall s = {.m = p->m,
                       .n = p->n,
                       .k = words,
                       .ai = x.along ? words : 1,
                       .al = x.along ? 1 : p->m,
                       .bl = y.along ? 1 : p->n,
                       .bj = y.along ? words : 1,
                       .ci = p->ldc,
                       .cj = 1,
                       .anext = p->m * words,
                       .bnext = p->n * words,
                       .cnext = step[2],
                       .add = p->accumulate};
  for (int64_t q = 0, here; q < count; q += here) {
    here = ROOM / (most * words) < count - q ? ROOM / (most * words) : count - q;
    widen(kernel, p->dtype, &x, here, room[0]);
    widen(kernel, p->dtype, &y, here, room[1]);
    gemm_small_f32(&s, here, room[0], room[1], c + q * step[2]);
    x.from += here * x.next, y.from += here * y.next;
  }
}
