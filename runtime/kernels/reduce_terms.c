/* reduce_terms.c: chooses the reduction kernel for a dtype, an op and this CPU; see reduce_terms.h
 * for the law.
 *
 * Up to four addends are combined at a time, in tiles that stay in L1; the tile is then copied to
 * every result. The kernels are reduce_kernels.inc, compiled once per vector width: the order of
 * an element's addends is in the loop over addends, so the width cannot change a bit. */
#include "reduce_terms.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "half.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  TILE = 4096,       /* bytes of the values of a tile, as f32 or as they are */
  STREAMED = 8 << 20 /* so many bytes of results are in no cache when they are wanted */
};

typedef void Kernel(void *to, const void *const *from, int64_t at, int terms, int64_t n);

#define WIDTH(name) name##_base
#define TARGET
#include "reduce_kernels.inc"
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDTH(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#include "reduce_kernels.inc"
#endif

static Kernel *kernel_of(int dtype, int op) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) return table_avx2[dtype][op];
#endif
  return table_base[dtype][op];
}

/* Past the caches: what is so long would only push out what is wanted soon, and its lines would be
 * read before they are written. */
static void stream(char *to, const char *tile, size_t n) {
#if defined(__SSE2__)
  size_t head = (size_t)(-(uintptr_t)to & 15), i = head < n ? head : n;
  memcpy(to, tile, i);
  for (; i + 16 <= n; i += 16)
    _mm_stream_si128((__m128i *)(void *)(to + i),
                     _mm_loadu_si128((const __m128i *)(const void *)(tile + i)));
  memcpy(to + i, tile + i, n - i);
#else
  memcpy(to, tile, n);
#endif
}

enum { LEVELS = 16 /* of 32 terms each and more: 2 million devices */ };

/* A tile of the sum of more than DTRT_SUM_BLOCK terms: blocks of them, combined pairwise as in
 * dtrt_math.h (dtrt_carry_row_sum_f32). */
static void pairwise(Kernel *kernel, char *tile, const void *const *from, int64_t at, int terms,
                     int64_t len, int64_t bytes) {
  _Alignas(64) char partial[LEVELS][TILE], spare[2][TILE];
  const int blocks = terms / DTRT_SUM_BLOCK, rest = terms % DTRT_SUM_BLOCK;
  char *sum = spare[0], *next = spare[1];
  for (int b = 0; b < blocks; b++) {
    kernel(sum, from + b * DTRT_SUM_BLOCK, at, DTRT_SUM_BLOCK, len);
    int level = 0;
    for (; b >> level & 1; level++) {
      kernel(next, (const void *const[]){partial[level], sum}, 0, 2, len);
      char *last = sum;
      sum = next, next = last;
    }
    memcpy(partial[level], sum, (size_t)bytes);
  }
  bool any = rest > 0;
  if (any) kernel(sum, from + terms - rest, at, rest, len);
  for (int level = 0; blocks >> level; level++) {
    if (!(blocks >> level & 1)) continue;
    const void *const both[] = {partial[level], sum};
    kernel(next, both, 0, any ? 2 : 1, len);
    char *last = sum;
    sum = next, next = last;
    any = true;
  }
  memcpy(tile, sum, (size_t)bytes);
}

static bool in_blocks(int dtype, int op, int terms) {
  return terms > DTRT_SUM_BLOCK && (dtype == DTRT_F32 || dtype == DTRT_F64) &&
         (op == DTRT_SUM || op == DTRT_PROD);
}

void reduce_terms(int dtype, int op, void *const *to, int nto, const void *const *from, int terms,
                  int64_t n) {
  Kernel *kernel = kernel_of(dtype, op);
  const bool blocks = in_blocks(dtype, op, terms);
  int64_t size = dtrt_dtype_size(dtype);
  int64_t step = TILE / (size < (int64_t)sizeof(float) ? (int64_t)sizeof(float) : size);
  bool streams = n * size >= STREAMED;
  _Alignas(64) char tile[TILE];
  for (int64_t i = 0; i < n; i += step) {
    int64_t len = n - i < step ? n - i : step;
    if (blocks)
      pairwise(kernel, tile, from, i, terms, len, len * size);
    else
      kernel(tile, from, i, terms, len);
    for (int j = 0; j < nto; j++) {
      char *at = (char *)to[j] + i * size;
      if (streams)
        stream(at, tile, (size_t)(len * size));
      else
        memcpy(at, tile, (size_t)(len * size));
    }
  }
#if defined(__SSE2__)
  if (streams) _mm_sfence();
#endif
}

void reduce_identity(int dtype, int op, void *to, int64_t n) {
  size_t size = (size_t)dtrt_dtype_size(dtype);
  memset(to, 0, (size_t)n * size);
  if (op != DTRT_PROD) return;
  unsigned char one[8] = {1}; /* little-endian, as all machines this runs on */
  float f = 1;
  double d = 1;
  if (dtype == DTRT_F32) memcpy(one, &f, sizeof f);
  if (dtype == DTRT_F64) memcpy(one, &d, sizeof d);
  if (dtype == DTRT_F16) memcpy(one, &(uint16_t){0x3c00}, 2);
  if (dtype == DTRT_BF16) memcpy(one, &(uint16_t){0x3f80}, 2);
  for (int64_t i = 0; i < n; i++) memcpy((char *)to + (size_t)i * size, one, size);
}
