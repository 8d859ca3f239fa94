/* element.c: see element.h. Integers are converted through int64_t, the rest through double; both
 * are exact for everything that element_allowed accepts (a u64 above INT64_MAX, which no other type
 * has, stays a u64). */
#include "element.h"
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "dtrt_math.h"
#include "dtype_table.h"

static const struct {
  const char *name;
  uint8_t size, bits; /* bits: precision, of floats */
  bool is_float;
  double largest;      /* of floats */
  int unit;            /* the exponent of the smallest denormal float */
  int64_t least, most; /* of integers */
  const char *range;
} kinds[] = {
#define DTYPE(ID, NAME, C, COMPUTED, DIGITS, EXPONENT, LEAST, MOST, LARGEST, RANGE, ...)           \
  [ELEMENT_##ID] = {NAME,  sizeof(C), DIGITS, (DIGITS) > 0, LARGEST, (EXPONENT) - (DIGITS),        \
                    LEAST, MOST,      RANGE},
#include "dtypes.def"
};

size_t element_size(int kind) { return kinds[kind].size; }
const char *element_name(int kind) { return kinds[kind].name; }
bool element_is_float(int kind) { return kinds[kind].is_float; }
int element_digits(int kind) { return kinds[kind].bits; }
int element_part(int kind) { return dtype_part(kind); }
bool element_is_complex(int kind) { return dtype_part(kind) != kind; }
const char *element_range(int dtype) { return kinds[dtype].range; }

bool element_allowed(int from, int to) {
  if (element_is_complex(to)) return element_allowed(element_part(from), element_part(to));
  if (element_is_complex(from)) return false;
  if (from == to || !(kinds[from].is_float || kinds[to].is_float)) return true;
  if (kinds[from].is_float) /* f16 and bf16 have numbers that the other has not, as have the f8 */
    return kinds[to].is_float && kinds[from].bits < kinds[to].bits &&
           kinds[from].largest <= kinds[to].largest && kinds[from].unit >= kinds[to].unit;
  unsigned bits = from == ELEMENT_BOOL ? 1u : 8u * kinds[from].size;
  return bits <= kinds[to].bits;
}

/* The element's bytes as a number in this machine's order, low bits first. */
static uint64_t bits_at(int kind, bool swap, const void *at) {
  uint16_t b2;
  uint32_t b4;
  uint64_t b8;
  switch (kinds[kind].size) {
  case 1: return *(const uint8_t *)at;
  case 2: memcpy(&b2, at, 2); return swap ? __builtin_bswap16(b2) : b2;
  case 4: memcpy(&b4, at, 4); return swap ? __builtin_bswap32(b4) : b4;
  default: memcpy(&b8, at, 8); return swap ? __builtin_bswap64(b8) : b8;
  }
}

static bool load_whole(int kind, bool swap, const void *at, int64_t *v) {
  const uint64_t b = bits_at(kind, swap, at), sign = 1ull << (8 * kinds[kind].size - 1);
  *v = (int64_t)(kinds[kind].least < 0 ? (b ^ sign) - sign : b);
  return kinds[kind].least < 0 || b <= (uint64_t)kinds[kind].most;
}

static double load_float(int kind, bool swap, const void *at) {
  const uint64_t b = bits_at(kind, swap, at);
  return dtype_number(kind, &b); /* little-endian machines only, as is the whole runtime */
}

static bool store_whole(int dtype, int64_t v, void *to) {
  if (kinds[dtype].is_float) return false;
  if (v < kinds[dtype].least || v > kinds[dtype].most) return false;
  switch (kinds[dtype].size) {
  case 1: *(uint8_t *)to = (uint8_t)v; return true;
  case 2: memcpy(to, &(uint16_t){(uint16_t)v}, 2); return true;
  case 4: memcpy(to, &(uint32_t){(uint32_t)v}, 4); return true;
  default: memcpy(to, &v, 8); return true;
  }
}

/* Parts to parts; a real number has none but the first. */
static int64_t convert_complex(int kind, bool swap, const char *from, int64_t n, int dtype,
                               char *to) {
  const int part = element_part(kind), out = element_part(dtype);
  const size_t step = kinds[kind].size, size = kinds[out].size;
  if (part != kind) return element_convert(part, swap, from, 2 * n, out, to) / 2;
  for (int64_t i = 0; i < n; i++, from += step, to += 2 * size) {
    memset(to + size, 0, size);
    if (!element_convert(kind, swap, from, 1, out, to)) return i;
  }
  return n;
}

int64_t element_convert(int kind, bool swap, const void *from, int64_t n, int dtype, void *to) {
  size_t step = kinds[kind].size, out = kinds[dtype].size;
  if (element_is_complex(dtype)) return convert_complex(kind, swap, from, n, dtype, to);
  if (kind == dtype && kind != ELEMENT_BOOL && (!swap || step == 1)) {
    memcpy(to, from, (size_t)n * step);
    return n;
  }
  const char *f = from;
  char *t = to;
  for (int64_t i = 0; i < n; i++, f += step, t += out) {
    int64_t v;
    uint64_t bits;
    if (kind == dtype && kind != ELEMENT_BOOL) { /* swap alone: keeps the payload of a NaN */
      bits = bits_at(kind, swap, f);
      memcpy(t, &bits, out); /* little-endian machines only, as is the whole runtime */
    } else if (kinds[kind].is_float) {
      dtype_store(dtype, t, load_float(kind, swap, f));
    } else {
      if (!load_whole(kind, swap, f, &v)) return i;
      if (kinds[dtype].is_float)
        dtype_store(dtype, t, dtype == ELEMENT_F64 ? (double)v : dtrt_i64_to_odd_f64(v));
      else if (!store_whole(dtype, v, t))
        return i;
    }
  }
  return n;
}

double element_value(int dtype, const void *at) {
  int64_t v;
  const int part = element_part(dtype);
  if (part != dtype)
    return hypot(load_float(part, false, at),
                 load_float(part, false, (const char *)at + kinds[part].size));
  if (kinds[dtype].is_float) return load_float(dtype, false, at);
  return load_whole(dtype, false, at, &v) ? (double)v : (double)bits_at(dtype, false, at);
}

void element_print(int kind, bool swap, const void *at, char *text, size_t size) {
  int64_t v;
  if (element_is_complex(kind)) { /* as Python writes and reads it: 1-2.5j */
    const int part = element_part(kind);
    element_print(part, swap, at, text, size);
    const size_t n = strlen(text);
    char im[40];
    element_print(part, swap, (const char *)at + kinds[part].size, im, sizeof im);
    snprintf(text + n, size - n, "%s%sj", *im == '-' ? "" : "+", im);
  } else if (kind == ELEMENT_U64 || kind == ELEMENT_BOOL) {
    snprintf(text, size, "%llu", (unsigned long long)bits_at(kind, swap, at));
  } else if (!kinds[kind].is_float) {
    (void)load_whole(kind, swap, at, &v);
    snprintf(text, size, "%lld", (long long)v);
  } else {
    double d = load_float(kind, swap, at);
    for (int digits = kind == ELEMENT_F64 ? 15 : 3; digits <= 17; digits++) {
      snprintf(text, size, "%.*g", digits, d);
      double back = strtod(text, NULL);
      if (isnan(d) || back == d || (kind != ELEMENT_F64 && (float)back == (float)d)) break;
    }
  }
}

static bool parse_digits(const char *text, int64_t *v) {
  bool minus = *text == '-';
  const char *p = text + (*text == '-' || *text == '+');
  int64_t sum = 0;
  int n = 0;
  for (; *p >= '0' && *p <= '9' && n < 18; p++, n++) sum = sum * 10 + (*p - '0');
  *v = minus ? -sum : sum;
  return n > 0 && !*p && !(minus && !sum); /* "-0" is for the float path */
}

static bool parse_truth(const char *text, void *to) {
  const bool yes = !strcasecmp(text, "true");
  if (!yes && strcasecmp(text, "false")) return false;
  return *(uint8_t *)to = yes, true;
}

/* 5.0 and 1e3 are integers too. A long double has 64 bits: what it must round is none. */
static element_text parse_real_whole(const char *text, int dtype, void *to) {
  const int mode = fegetround();
  char *end;
  long double low = strtold(text, &end), high = low;
  if (end == text || *end) return ELEMENT_NOT_A_NUMBER;
  if (!(fabsl(low) < 0x1p64L)) return ELEMENT_OUT_OF_RANGE;
  if (!fesetround(FE_DOWNWARD)) low = strtold(text, NULL);
  if (!fesetround(FE_UPWARD)) high = strtold(text, NULL);
  fesetround(mode);
  if (low != high || low != floorl(low)) return ELEMENT_FRACTION;
  if (dtype == ELEMENT_U64 && low >= 0)
    return memcpy(to, &(uint64_t){(uint64_t)low}, 8), ELEMENT_FITS;
  if (low < -0x1p63L || low >= 0x1p63L) return ELEMENT_OUT_OF_RANGE;
  return store_whole(dtype, (int64_t)low, to) ? ELEMENT_FITS : ELEMENT_OUT_OF_RANGE;
}

static element_text parse_whole(const char *text, int dtype, void *to) {
  char *end;
  if (dtype == ELEMENT_BOOL && parse_truth(text, to)) return ELEMENT_FITS;
  errno = 0;
  if (dtype == ELEMENT_U64 && *text != '-') {
    const unsigned long long u = strtoull(text, &end, 10);
    if (end != text && !*end)
      return errno ? ELEMENT_OUT_OF_RANGE : (memcpy(to, &(uint64_t){u}, 8), ELEMENT_FITS);
    errno = 0;
  }
  long long v = strtoll(text, &end, 10);
  if (end != text && !*end) {
    if (errno == ERANGE || !store_whole(dtype, v, to)) return ELEMENT_OUT_OF_RANGE;
    return ELEMENT_FITS;
  }
  return parse_real_whole(text, dtype, to);
}

/* Rounds to odd, so that rounding to a narrower type later is exact: of the two f64 around a
 * number, the one whose last bit is set. */
static double parse_odd(const char *text, char **end) {
  const int mode = fegetround();
  if (fesetround(FE_DOWNWARD)) return strtod(text, end);
  const double low = strtod(text, end);
  fesetround(FE_UPWARD);
  const double high = strtod(text, end);
  fesetround(mode);
  uint64_t bits;
  memcpy(&bits, &low, sizeof bits);
  return bits & 1 ? low : high;
}

element_text element_parse(const char *text, int dtype, void *to) {
  int64_t v;
  if (element_is_complex(dtype)) { /* real numbers alone are read */
    const int part = element_part(dtype);
    memset((char *)to + kinds[part].size, 0, kinds[part].size);
    return element_parse(text, part, to);
  }
  if (parse_digits(text, &v)) {
    if (!kinds[dtype].is_float)
      return store_whole(dtype, v, to) ? ELEMENT_FITS : ELEMENT_OUT_OF_RANGE;
    if (dtype == ELEMENT_F32) return memcpy(to, &(float){(float)v}, 4), ELEMENT_FITS;
    if (dtype == ELEMENT_F64) return memcpy(to, &(double){(double)v}, 8), ELEMENT_FITS;
  }
  if ((*text >= '\t' && *text <= ' ') || !*text) return ELEMENT_NOT_A_NUMBER;
  if (!kinds[dtype].is_float) return parse_whole(text, dtype, to);
  char *end;
  double d = dtype == ELEMENT_F64   ? strtod(text, &end)
             : dtype == ELEMENT_F32 ? (double)strtof(text, &end)
                                    : parse_odd(text, &end);
  if (end == text || *end) return ELEMENT_NOT_A_NUMBER;
  dtype_store(dtype, to, d);
  bool named = strpbrk(text, "nN") != NULL; /* inf and nan themselves are allowed */
  if (!named && isinf(element_value(dtype, to))) return ELEMENT_OUT_OF_RANGE;
  return ELEMENT_FITS;
}

bool element_is_number(const char *text, int dtype) {
  double d;
  return element_parse(text, ELEMENT_F64, &d) != ELEMENT_NOT_A_NUMBER ||
         (dtype == ELEMENT_BOOL && parse_truth(text, &d));
}
