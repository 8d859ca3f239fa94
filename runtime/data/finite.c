/* finite.c: see finite.h. */
#include "finite.h"
#include <math.h>
#include "element.h"

#define ANY(T)                                                                                     \
  {                                                                                                \
    const T *x = at, mask = (T)exponent;                                                           \
    T any = 0;                                                                                     \
    for (int64_t i = 0; i < n; i++) any |= (T)((x[i] & mask) == mask);                             \
    return any != 0;                                                                               \
  }

/* The exponent is all ones. */
bool finite_fails(int dtype, int64_t n, const void *at) {
  if (element_is_complex(dtype)) return finite_fails(element_part(dtype), 2 * n, at);
  const int size = (int)element_size(dtype), digits = element_digits(dtype);
  if (!digits) return false;
  const uint64_t exponent = (UINT64_C(1) << (8 * size - 1)) - (UINT64_C(1) << (digits - 1));
  switch (size) {
  case 2: ANY(uint16_t)
  case 4: ANY(uint32_t)
  default: ANY(uint64_t)
  }
}

int finite_flags_of(double v) { return isnan(v) ? HAS_NAN : isinf(v) ? HAS_INF : 0; }

int finite_flags(int dtype, int64_t n, const void *at) {
  int flags = 0;
  if (!finite_fails(dtype, n, at)) return 0;
  for (int64_t i = 0; i < n && flags != (HAS_NAN | HAS_INF); i++)
    flags |= finite_flags_of(element_value(dtype, (const char *)at + i * dtrt_dtype_size(dtype)));
  return flags;
}

int64_t finite_first_bad(int dtype, int64_t n, const void *at) {
  for (int64_t i = 0; i < n; i++)
    if (finite_flags_of(element_value(dtype, (const char *)at + i * dtrt_dtype_size(dtype))))
      return i;
  return -1;
}
