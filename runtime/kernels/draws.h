/* draws.h: random numbers into memory, by functions compiled once for each kind of CPU, all with
 * the same bits. */
#ifndef DTRT_DRAWS_H
#define DTRT_DRAWS_H
#include <stdint.h>

typedef struct DrawKernels {
  void (*uniform)(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n);
  void (*normal)(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n);
} DrawKernels;
extern const DrawKernels draws_avx512, draws_avx2, draws_portable;

#endif
