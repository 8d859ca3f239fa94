/* dtype_table.c: sizes and names of the data types, and numbers of them, from their table. */
#include "dtype_table.h"
#include "dtrt_math.h"
#include "sum_type.h"
#include <string.h>

int dtrt_dtype_size(int dtype) {
  static const signed char size[] = {
#define DTYPE(ID, NAME, C, ...) [DTRT_##ID] = sizeof(C),
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)sizeof size ? size[dtype] : 0;
}

const char *dtrt_dtype_name(int dtype) {
  static const char *const name[] = {
#define DTYPE(ID, NAME, ...) [DTRT_##ID] = NAME,
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)(sizeof name / sizeof *name) ? name[dtype] : "?";
}

int sum_type(int dtype) {
  static const signed char type[] = {
#define DTYPE(ID, NAME, C, COMPUTED, ...) [DTRT_##ID] = DTRT_##COMPUTED,
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)sizeof type ? type[dtype] : dtype;
}

#define DTYPE_SAME(x) (x)
#define DTYPE(ID, NAME, C, COMPUTED, DIGITS, EXPONENT, LEAST, MOST, LARGEST, RANGE, TO, FROM)      \
  static double number_##ID(const void *at) {                                                      \
    C x;                                                                                           \
    memcpy(&x, at, sizeof x);                                                                      \
    return (double)TO(x);                                                                          \
  }                                                                                                \
  static void store_##ID(void *at, double v) {                                                     \
    const C x = (C)FROM(v);                                                                        \
    memcpy(at, &x, sizeof x);                                                                      \
  }
#include "dtypes.def"

double dtype_number(int dtype, const void *at) {
  static double (*const number[])(const void *at) = {
#define DTYPE(ID, ...) [DTRT_##ID] = number_##ID,
#include "dtypes.def"
  };
  return number[dtype](at);
}

void dtype_store(int dtype, void *at, double v) {
  static void (*const store[])(void *at, double v) = {
#define DTYPE(ID, ...) [DTRT_##ID] = store_##ID,
#include "dtypes.def"
  };
  store[dtype](at, v);
}
