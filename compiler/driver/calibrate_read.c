/* Memory read rate of a core: sums over a buffer with its widest vectors, in eight chains, so that
 * only the reads take time. The width is chosen at run time, like that of products. */
#include "calibrate.h"

/* `at` is aligned to a vector and holds whole runs of 8. Every word is added, so that none is left
 * out. */
#define STREAM(NAME, TARGET, BYTES)                                                                \
  typedef int64_t NAME##_vector __attribute__((vector_size(BYTES)));                               \
  TARGET static int64_t NAME(const char *at, int64_t bytes) {                                      \
    const NAME##_vector *p = (const NAME##_vector *)(const void *)at, *end = p + bytes / (BYTES);  \
    NAME##_vector a = {0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a;                        \
    for (; p < end; p += 8) {                                                                      \
      a += p[0], b += p[1], c += p[2], d += p[3];                                                  \
      e += p[4], f += p[5], g += p[6], h += p[7];                                                  \
    }                                                                                              \
    a += b + c + d + e + f + g + h;                                                                \
    int64_t sum = 0;                                                                               \
    for (int i = 0; i < (BYTES) / 8; i++) sum += a[i];                                             \
    return sum;                                                                                    \
  }

STREAM(stream_16, , 16)
#if defined(__x86_64__)
STREAM(stream_32, __attribute__((target("avx2"))), 32)
STREAM(stream_64, __attribute__((target("avx512f"))), 64)
#endif

int64_t read_stream(const char *at, int64_t bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return stream_64(at, bytes);
  if (__builtin_cpu_supports("avx2")) return stream_32(at, bytes);
#endif
  return stream_16(at, bytes);
}
