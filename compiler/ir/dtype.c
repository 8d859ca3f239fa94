/* The table of data types (runtime/law/dtypes.def, shared with the runtime). */
#include "dtype.h"
#include "dtrt_math.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define DTYPE_SAME(x) (x)

/* Elements in memory, as numbers; rounding a number is storing it and reading it back. */
#define DTYPE(ID, NAME, C, COMPUTED, DIGITS, EXPONENT, LEAST, MOST, LARGEST, RANGE, TO, FROM)      \
  static double get_##ID(const void *at) {                                                         \
    C x;                                                                                           \
    memcpy(&x, at, sizeof x);                                                                      \
    return (double)TO(x);                                                                          \
  }                                                                                                \
  static void set_##ID(void *at, double v) {                                                       \
    const C x = (C)FROM(v);                                                                        \
    memcpy(at, &x, sizeof x);                                                                      \
  }
#include "dtypes.def"

static const struct {
  const char *name, *constant, *c;
  int size, digits, exponent;
  DType computed;
  int64_t least, most;
  double largest;
  double (*get)(const void *at);
  void (*set)(void *at, double v);
} table[DT_COUNT] = {
#define DTYPE(ID, NAME, C, COMPUTED, DIGITS, EXPONENT, LEAST, MOST, LARGEST, RANGE, TO, FROM)      \
  [DT_##ID] = {NAME,  "DTRT_" #ID, #C,   sizeof(C), DIGITS,   EXPONENT, DT_##COMPUTED,                          \
               LEAST, MOST, LARGEST,   get_##ID, set_##ID},
#include "dtypes.def"
};

const char *dtype_name(DType t) { return table[t].name; }
const char *dtype_constant(DType t) { return table[t].constant; }
const char *dtype_c_name(DType t) { return table[t].c; }
int dtype_size(DType t) { return table[t].size; }
bool dtype_is_float(DType t) { return table[t].digits > 0; }
bool dtype_is_int(DType t) { return t != DT_BOOL && !table[t].digits; }
DType dtype_computed(DType t) { return table[t].computed; }
bool dtype_is_half(DType t) { return table[t].computed != t; }
bool dtype_is_stored(DType t) { return dtype_is_float(t) && table[t].size == 1; }
bool dtype_is_complex(DType t) { return t == DT_C64 || t == DT_C128; }
DType dtype_part(DType t) { return t == DT_C64 ? DT_F32 : t == DT_C128 ? DT_F64 : t; }
int dtype_digits(DType t) { return table[t].digits; }
double dtype_smallest(DType t) { return ldexp(1, table[t].exponent); }
double dtype_largest(DType t) { return table[t].largest; }
int64_t dtype_least(DType t) { return table[t].least; }
int64_t dtype_most(DType t) { return table[t].most; }
int64_t dtype_top(DType t) { return t == DT_U64 ? -1 : table[t].most; }
int64_t dtype_wrap(DType t, int64_t v) {
  const uint64_t sign = 1ull << (8 * table[t].size - 1), low = (uint64_t)v & (sign | (sign - 1));
  return (int64_t)(table[t].least < 0 ? (low ^ sign) - sign : low);
}
double dtype_unit(DType t) { return table[t].digits ? ldexp(1, 1 - table[t].digits) : 0; }

double dtype_get(DType t, const void *at, int64_t i) {
  return table[t].get((const char *)at + i * table[t].size);
}
void dtype_set(DType t, void *at, int64_t i, double v) {
  table[t].set((char *)at + i * table[t].size, v);
}

double dtype_round(DType t, double v) {
  double stored[2];
  if (!dtype_is_float(t)) return v;
  table[t].set(stored, v);
  return table[t].get(stored);
}

bool dtype_from_name(const char *name, DType *out) {
  for (int t = 0; t < DT_COUNT; t++)
    if (!strcmp(name, table[t].name)) {
      *out = (DType)t;
      return true;
    }
  return false;
}
