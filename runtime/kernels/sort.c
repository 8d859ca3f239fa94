/* sort.c: indices of the first elements of each line in sorted order. The order is total: equal
 * elements by index, 0 and -0 being equal, and NaN the largest, so that every algorithm gives the
 * same indices.
 *
 * A few of many are kept in a heap, in the result itself, with the last of them on top. A whole
 * line is sorted with its indices in two rows of scratch, 16 bytes per element of the line (32 for
 * 8-byte types), one line at a time: by merging, or a long one by the bytes of its keys from the
 * last to the first. Without memory for it, by the heap. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "crew.h"
#include "half.h"

enum { MANY = 8 }; /* a line is sorted whole when more than one of so many is asked for */

/* -------- keys: unsigned numbers in the order of the values -------- */

static uint32_t key_f32(float x) {
  uint32_t k;
  if (x != x) return UINT32_MAX;
  x += 0.0f; /* -0 becomes 0 */
  memcpy(&k, &x, sizeof k);
  return k & 0x80000000u ? ~k : k | 0x80000000u;
}

static uint64_t key_f64(double x) {
  uint64_t k;
  if (x != x) return UINT64_MAX;
  x += 0.0;
  memcpy(&k, &x, sizeof k);
  return k >> 63 ? ~k : k | (uint64_t)1 << 63;
}

static uint32_t key_u8(uint8_t x) { return x; }
static uint32_t key_i8(int8_t x) { return (uint32_t)(x + 128); }
static uint32_t key_i16(int16_t x) { return (uint32_t)(x + 32768); }
static uint32_t key_u16(uint16_t x) { return x; }
static uint32_t key_u32(uint32_t x) { return x; }
static uint64_t key_u64(uint64_t x) { return x; }
static uint32_t key_i32(int32_t x) { return (uint32_t)x ^ 0x80000000u; }
static uint64_t key_i64(int64_t x) { return (uint64_t)x ^ (uint64_t)1 << 63; }
static uint32_t key_f16(uint16_t x) { return key_f32(half_from_f16(x)); }
static uint32_t key_bf16(uint16_t x) { return key_f32(half_from_bf16(x)); }

/* -------- sorting items -------- */

enum { RUN = 8 }; /* items that are put in order before such runs are merged */

/* A key above its index is one number; a 64-bit key has the index beside it. */
typedef uint64_t Short;
typedef struct Long {
  uint64_t key;
  int32_t index;
} Long;

static bool less_Short(Short a, Short b) { return a < b; }
static bool less_Long(Long a, Long b) { return a.key < b.key; }
static uint64_t key_Short(Short a) { return a >> 32; }
static uint64_t key_Long(Long a) { return a.key; }

/* Stable. Returns where the sorted items are: in x or in y. */
#define MERGE_SORT(T)                                                                              \
  static T *merge_##T(T *x, T *y, int64_t n) {                                                     \
    for (int64_t lo = 0; lo < n; lo += RUN)                                                        \
      for (int64_t i = lo + 1; i < lo + RUN && i < n; i++) {                                       \
        T v = x[i];                                                                                \
        int64_t j = i;                                                                             \
        for (; j > lo && less_##T(v, x[j - 1]); j--) x[j] = x[j - 1];                              \
        x[j] = v;                                                                                  \
      }                                                                                            \
    for (int64_t len = RUN; len < n; len *= 2) {                                                   \
      for (int64_t lo = 0; lo < n; lo += 2 * len) {                                                \
        int64_t a = lo, mid = lo + len < n ? lo + len : n, b = mid;                                \
        int64_t hi = mid + len < n ? mid + len : n, to = lo;                                       \
        while (a < mid && b < hi) {                                                                \
          bool right = less_##T(x[b], x[a]);                                                       \
          y[to++] = right ? x[b] : x[a];                                                           \
          b += right;                                                                              \
          a += !right;                                                                             \
        }                                                                                          \
        memcpy(y + to, x + a, (size_t)(mid - a) * sizeof *x);                                      \
        memcpy(y + to + (mid - a), x + b, (size_t)(hi - b) * sizeof *x);                           \
      }                                                                                            \
      T *t = x;                                                                                    \
      x = y;                                                                                       \
      y = t;                                                                                       \
    }                                                                                              \
    return x;                                                                                      \
  }

/* The same, from the last byte of the keys to the first: BYTES passes. Those in which all keys have
 * one byte are left out. */
#define BYTES_SORT(T, BYTES, AS)                                                                   \
  static T *by_bytes_##T(T *x, T *y, int64_t n) {                                                  \
    int64_t at[BYTES][256] = {{0}};                                                                \
    for (int64_t i = 0; i < n; i++)                                                                \
      for (int b = 0; b < BYTES; b++) at[b][key_##T(x[i]) >> 8 * b & 255]++;                       \
    for (int b = 0; b < BYTES; b++) {                                                              \
      int64_t before = 0;                                                                          \
      if (at[b][key_##T(x[0]) >> 8 * b & 255] == n) continue;                                      \
      for (int v = 0; v < 256; v++) {                                                              \
        const int64_t many = at[b][v];                                                             \
        at[b][v] = before;                                                                         \
        before += many;                                                                            \
      }                                                                                            \
      for (int64_t i = 0; i < n; i++) y[at[b][key_##T(x[i]) >> 8 * b & 255]++] = x[i];             \
      T *t = x;                                                                                    \
      x = y;                                                                                       \
      y = t;                                                                                       \
    }                                                                                              \
    return x;                                                                                      \
  }                                                                                                \
  /* A pass that merges takes as long as AS by bytes, which also take what 256 items do. */        \
  static T *sort_##T(T *x, T *y, int64_t n) {                                                      \
    int64_t merges = 0;                                                                            \
    for (int64_t len = RUN; len < n; len *= 2) merges++;                                           \
    return BYTES * (n + 256) < AS * merges * n ? by_bytes_##T(x, y, n) : merge_##T(x, y, n);       \
  }
MERGE_SORT(Short)
MERGE_SORT(Long)
BYTES_SORT(Short, 4, 2)
BYTES_SORT(Long, 8, 4)

/* -------- a line of each type -------- */

typedef struct SortLine {
  int64_t n, step, count; /* step: between neighbours of the line, in x and in the result */
  bool down;
  void *scratch; /* of 2 n items, or NULL */
} SortLine;

#define PACK_Short(k, i) ((k) << 32 | (uint64_t)(i))
#define INDEX_Short(v) ((int32_t)(uint32_t)(v))
#define PACK_Long(k, i) ((Long){(k), (i)})
#define INDEX_Long(v) ((v).index)

#define ORDER(S, T, ITEM)                                                                          \
  static bool before_##S(const T *x, const SortLine *l, int32_t a, int32_t b) {                    \
    uint64_t p = key_##S(x[a * l->step]), q = key_##S(x[b * l->step]);                             \
    return p == q ? a < b : (p < q) != l->down;                                                    \
  }                                                                                                \
  static void sift_##S(const T *x, const SortLine *l, int32_t *at, int64_t i, int64_t n) {         \
    int32_t top = at[i * l->step];                                                                 \
    for (int64_t c; (c = 2 * i + 1) < n; i = c) {                                                  \
      if (c + 1 < n && before_##S(x, l, at[c * l->step], at[(c + 1) * l->step])) c++;              \
      if (!before_##S(x, l, top, at[c * l->step])) break;                                          \
      at[i * l->step] = at[c * l->step];                                                           \
    }                                                                                              \
    at[i * l->step] = top;                                                                         \
  }                                                                                                \
  static void heap_##S(const T *x, const SortLine *l, int32_t *at) {                               \
    for (int64_t i = 0; i < l->count; i++) at[i * l->step] = (int32_t)i;                           \
    for (int64_t i = l->count / 2 - 1; i >= 0; i--) sift_##S(x, l, at, i, l->count);               \
    uint64_t last_key = key_##S(x[at[0] * l->step]); /* of equal ones the later is behind */       \
    for (int64_t i = l->count; i < l->n; i++) {                                                    \
      const uint64_t k = key_##S(x[i * l->step]);                                                  \
      if (l->down ? k <= last_key : k >= last_key) continue;                                       \
      at[0] = (int32_t)i;                                                                          \
      sift_##S(x, l, at, 0, l->count);                                                             \
      last_key = key_##S(x[at[0] * l->step]);                                                      \
    }                                                                                              \
    for (int64_t i = l->count - 1; i > 0; i--) {                                                   \
      int32_t last = at[0];                                                                        \
      at[0] = at[i * l->step];                                                                     \
      at[i * l->step] = last;                                                                      \
      sift_##S(x, l, at, 0, i);                                                                    \
    }                                                                                              \
  }                                                                                                \
  static void order_##S(const void *from, const SortLine *l, int32_t *at) {                        \
    const T *x = from;                                                                             \
    ITEM *item = l->scratch;                                                                       \
    if (!item) {                                                                                   \
      heap_##S(x, l, at);                                                                          \
      return;                                                                                      \
    }                                                                                              \
    for (int64_t i = 0; i < l->n; i++) {                                                           \
      uint64_t k = key_##S(x[i * l->step]), turned = sizeof(ITEM) == 8 ? UINT32_MAX : UINT64_MAX;  \
      item[i] = PACK_##ITEM(l->down ? turned - k : k, (int32_t)i);                                 \
    }                                                                                              \
    item = sort_##ITEM(item, item + l->n, l->n);                                                   \
    for (int64_t i = 0; i < l->count; i++) at[i * l->step] = INDEX_##ITEM(item[i]);                \
  }

ORDER(u8, uint8_t, Short)
ORDER(i8, int8_t, Short)
ORDER(i16, int16_t, Short)
ORDER(u16, uint16_t, Short)
ORDER(u32, uint32_t, Short)
ORDER(u64, uint64_t, Long)
ORDER(i32, int32_t, Short)
ORDER(i64, int64_t, Long)
ORDER(f16, uint16_t, Short)
ORDER(bf16, uint16_t, Short)
ORDER(f32, float, Short)
ORDER(f64, double, Long)

/* -------- all lines -------- */

static const struct {
  void (*order)(const void *x, const SortLine *l, int32_t *at);
  size_t size, item;
} types[] = {
    [DTRT_BOOL] = {order_u8, 1, sizeof(Short)},   [DTRT_U8] = {order_u8, 1, sizeof(Short)},
    [DTRT_I8] = {order_i8, 1, sizeof(Short)},     [DTRT_I32] = {order_i32, 4, sizeof(Short)},
    [DTRT_I64] = {order_i64, 8, sizeof(Long)},    [DTRT_F16] = {order_f16, 2, sizeof(Short)},
    [DTRT_BF16] = {order_bf16, 2, sizeof(Short)}, [DTRT_F32] = {order_f32, 4, sizeof(Short)},
    [DTRT_F64] = {order_f64, 8, sizeof(Long)},    [DTRT_I16] = {order_i16, 2, sizeof(Short)},
    [DTRT_U16] = {order_u16, 2, sizeof(Short)},   [DTRT_U32] = {order_u32, 4, sizeof(Short)},
    [DTRT_U64] = {order_u64, 8, sizeof(Long)}};

typedef struct OrderLines {
  SortLine line;
  int32_t dtype;
  int64_t inner;
  const char *x;
  int32_t *out;
} OrderLines;

static void order_lines(void *arg, int core, int64_t from, int64_t to) {
  const OrderLines *s = arg;
  SortLine l = s->line;
  (void)core;
  if (l.count > l.n / MANY) l.scratch = malloc(2 * (size_t)l.n * types[s->dtype].item);
  for (int64_t at = from; at < to; at++) {
    const int64_t i = at / s->inner, j = at % s->inner;
    types[s->dtype].order(s->x + (size_t)(i * l.n * s->inner + j) * types[s->dtype].size, &l,
                          s->out + i * l.count * s->inner + j);
  }
  free(l.scratch);
}

void dtrt_order(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *x,
                int64_t count, int descending, int32_t *out) {
  enum { PART = 4096 }; /* elements that a core sorts in some tens of microseconds */
  OrderLines s = {
      {.n = n, .step = inner, .count = count, .down = descending != 0}, dtype, inner, x, out};
  if (count < 1 || outer < 1 || inner < 1) return;
  crew_run(outer * inner, n < PART ? PART / n : 1, order_lines, &s);
}
