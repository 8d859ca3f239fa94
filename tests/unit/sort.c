/* dtrt_order against the definition of its order: element i stands before j when its value comes
 * first, or the values are equal and i < j. Every type, both directions, lines near and apart, few
 * of many and all, with scratch memory and without. Values repeat often and hold not-a-number,
 * infinities and both zeros. */
#include <stdio.h>
#include <stdlib.h>
static int no_memory;
#define malloc(n) (no_memory ? NULL : (malloc)(n))
#include "../../runtime/kernels/sort.c"
#undef malloc

enum { MOST = 90, INNER = 3, LONG = 6000 };

static int failures;
static uint64_t state = 1;

static uint32_t random_below(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

static double some_value(int dtype) {
  static const double ends[][2] = {{0, 1},
                                   {0, 255},
                                   {-128, 127},
                                   {INT32_MIN, INT32_MAX},
                                   {-9007199254740992.0, 9007199254740992.0},
                                   [DTRT_I16] = {INT16_MIN, INT16_MAX},
                                   [DTRT_U16] = {0, UINT16_MAX},
                                   [DTRT_U32] = {0, UINT32_MAX},
                                   [DTRT_U64] = {0, 0x1.fffffffffffffp63}};
  uint32_t r = random_below(20);
  bool whole = dtype < DTRT_F16 || dtype > DTRT_F64;
  if (whole && r < 2) return ends[dtype][r];
  if (!whole && r < 4)
    return (double[]){__builtin_nan(""), __builtin_inf(), -__builtin_inf(), -0.0}[r];
  int low = dtype == DTRT_U8 || dtype == DTRT_BOOL || dtype > DTRT_I16 ? 0 : -3,
      high = dtype == DTRT_BOOL ? 1 : 6;
  return low + (int)random_below((uint32_t)(high - low + 1));
}

static void put(int dtype, void *to, int64_t i, double v) {
  switch (dtype) {
  case DTRT_BOOL:
  case DTRT_U8: ((uint8_t *)to)[i] = (uint8_t)v; break;
  case DTRT_I8: ((int8_t *)to)[i] = (int8_t)v; break;
  case DTRT_I16: ((int16_t *)to)[i] = (int16_t)v; break;
  case DTRT_U16: ((uint16_t *)to)[i] = (uint16_t)v; break;
  case DTRT_U32: ((uint32_t *)to)[i] = (uint32_t)v; break;
  case DTRT_U64: ((uint64_t *)to)[i] = (uint64_t)v; break;
  case DTRT_I32: ((int32_t *)to)[i] = (int32_t)v; break;
  case DTRT_I64: ((int64_t *)to)[i] = (int64_t)v; break;
  case DTRT_F16: ((uint16_t *)to)[i] = half_to_f16((float)v); break;
  case DTRT_BF16: ((uint16_t *)to)[i] = half_to_bf16((float)v); break;
  case DTRT_F32: ((float *)to)[i] = (float)v; break;
  default: ((double *)to)[i] = v;
  }
}

static bool stands_before(double a, double b, int64_t i, int64_t j, bool down) {
  bool na = a != a, nb = b != b;
  if (na != nb) return na == down;
  if (na || a == b) return i < j;
  return down ? a > b : a < b;
}

static void check(int dtype, int64_t n, int64_t count, bool down) {
  static double v[2][MOST][INNER];
  static _Alignas(16) char x[2 * MOST * INNER * 8];
  static int32_t out[2 * MOST * INNER + 1];
  for (int o = 0; o < 2; o++)
    for (int64_t i = 0; i < n; i++)
      for (int k = 0; k < INNER; k++) {
        v[o][i][k] = some_value(dtype);
        put(dtype, x, (o * n + i) * INNER + k, v[o][i][k]);
      }
  out[2 * count * INNER] = 12345;
  dtrt_order(dtype, 2, n, INNER, x, count, down, out);
  for (int o = 0; o < 2; o++)
    for (int k = 0; k < INNER; k++)
      for (int64_t i = 0; i < n; i++) {
        int64_t rank = 0;
        for (int64_t j = 0; j < n; j++)
          rank += j != i && stands_before(v[o][j][k], v[o][i][k], j, i, down);
        if (rank >= count || out[(o * count + rank) * INNER + k] == i) continue;
        if (failures++ < 10)
          fprintf(stderr, "type %d, n %ld, first %ld, %s: place %ld is %d, not %ld\n", dtype,
                  (long)n, (long)count, down ? "down" : "up", (long)rank,
                  out[(o * count + rank) * INNER + k], (long)i);
      }
  if (out[2 * count * INNER] != 12345) failures++, fprintf(stderr, "wrote past the end\n");
}

/* Long lines go by the bytes of their keys: neighbours stand in order, and none stands there twice.
 */
static void check_long(int dtype, int64_t n, int64_t count, bool down) {
  static double v[LONG];
  static _Alignas(16) char x[LONG * 8];
  static int32_t out[LONG];
  static bool seen[LONG];
  for (int64_t i = 0; i < n; i++) {
    v[i] = random_below(2) ? some_value(dtype)
                           : (double)(random_below(1u << 31) >> random_below(31)) /
                                 (dtype >= DTRT_F16 && dtype <= DTRT_F64 ? 0x1p15 : 1);
    const uint64_t most = dtype == DTRT_BOOL                        ? 1
                          : dtype == DTRT_U8 || dtype == DTRT_I8    ? 127
                          : dtype == DTRT_I16 || dtype == DTRT_U16  ? 32767
                          : dtype == DTRT_F16 || dtype == DTRT_BF16 ? 255
                                                                    : UINT32_MAX;
    if (v[i] > (double)most) v[i] = (double)((uint64_t)v[i] & most);
    if (dtype == DTRT_F16 || dtype == DTRT_BF16) v[i] = __builtin_rint(v[i]);
    put(dtype, x, i, v[i]);
    if (dtype == DTRT_U64) v[i] = (double)((uint64_t *)x)[i];
    if (dtype == DTRT_F32) v[i] = ((float *)x)[i];
    seen[i] = false;
  }
  dtrt_order(dtype, 1, n, 1, x, count, down, out);
  for (int64_t i = 0; i < count; i++) {
    const bool wrong = out[i] < 0 || out[i] >= n || seen[out[i]] ||
                       (i && !stands_before(v[out[i - 1]], v[out[i]], out[i - 1], out[i], down));
    if (wrong && failures++ < 10)
      fprintf(stderr, "type %d, n %ld, first %ld, %s: place %ld is %d\n", dtype, (long)n,
              (long)count, down ? "down" : "up", (long)i, out[i]);
    if (wrong) return;
    seen[out[i]] = true;
  }
}

int main(void) {
  long checked = 0;
  for (no_memory = 0; no_memory < 2; no_memory++)
    for (int dtype = DTRT_BOOL; dtype <= DTRT_U64; dtype++)
      for (int64_t n = 0; n < MOST; n += n < 20 ? 1 : 13)
        for (int64_t count = 0; count <= n; count += count < 4 || count + 7 > n ? 1 : 7)
          for (int down = 0; down < 2; down++, checked++) check(dtype, n, count, down);
  no_memory = 0;
  for (int dtype = DTRT_BOOL; dtype <= DTRT_U64; dtype++)
    for (int down = 0; down < 2; down++)
      for (int64_t n = 700; n <= LONG; n = n * 11 / 8 + 1) {
        check_long(dtype, n, n, down);
        check_long(dtype, n, n / 9, down); /* by the heap */
      }
  printf("%ld sorts of 6 lines, %d failures\n", checked, failures);
  return failures != 0;
}
