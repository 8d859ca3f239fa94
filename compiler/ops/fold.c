/* Results of ops on numbers known at compile time. Invariant: an integer or real result is that of
 * i64 or f64 tensors of those numbers, computed by the same functions of dtrt_math.h; integer
 * overflow, division by zero and results that are not finite are reported instead. Integers divide
 * by / and take negative powers as reals, unless the quotient is an integer. */
#include "fold.h"

static bool both_whole(const Scalar *x) { return x[0].kind == NUM_INT && x[1].kind == NUM_INT; }

Folded op_fold(const OpDef *d, const Scalar *x, int n, Scalar *out) {
  if (!d->fold || n > d->numbers) return FOLD_NONE;
  Scalar all[MOST_NUMBERS] = {0};
  for (int i = 0; i < n; i++) all[i] = x[i];
  Folded r = d->fold(all, out);
  if (r != FOLDED || out->kind != NUM_REAL || isfinite(out->real)) return r;
  for (int i = 0; i < n; i++)
    if (!isfinite(number_real(&all[i]))) return FOLDED;
  return FOLD_NOT_FINITE;
}

/* -------- two numbers -------- */

typedef bool IntFn(int64_t a, int64_t b, int64_t *out); /* true: it does not fit */

static bool int_add(int64_t a, int64_t b, int64_t *r) { return __builtin_add_overflow(a, b, r); }
static bool int_sub(int64_t a, int64_t b, int64_t *r) { return __builtin_sub_overflow(a, b, r); }
static bool int_mul(int64_t a, int64_t b, int64_t *r) { return __builtin_mul_overflow(a, b, r); }
static bool int_floordiv(int64_t a, int64_t b, int64_t *r) {
  *r = dtrt_floordiv_i64(a, b);
  return a == INT64_MIN && b == -1;
}
static bool int_mod(int64_t a, int64_t b, int64_t *r) {
  *r = dtrt_mod_i64(a, b);
  return false;
}
static bool int_pow(int64_t a, int64_t n, int64_t *out) {
  bool over = false;
  int64_t r = 1;
  while (n > 0 && !over) {
    if (n & 1) over = __builtin_mul_overflow(r, a, &r);
    n >>= 1;
    if (n && !over) over = __builtin_mul_overflow(a, a, &a);
  }
  *out = r;
  return over;
}

#define ARITHMETIC(NAME)                                                                           \
  Folded fold_##NAME(const Scalar *x, Scalar *out) {                                               \
    if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;                                  \
    if (!both_whole(x))                                                                            \
      return fold_real(dtrt_##NAME##_f64(number_real(x), number_real(x + 1)), out);                \
    int64_t r;                                                                                     \
    return int_##NAME(x[0].i, x[1].i, &r) ? FOLD_TOO_LARGE : fold_whole(r, out);                   \
  }
ARITHMETIC(add)
ARITHMETIC(sub)
ARITHMETIC(mul)

#define DIVISION(NAME)                                                                             \
  Folded fold_##NAME(const Scalar *x, Scalar *out) {                                               \
    if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;                                  \
    if (number_real(x + 1) == 0) return FOLD_BY_ZERO;                                              \
    if (!both_whole(x))                                                                            \
      return fold_real(dtrt_##NAME##_f64(number_real(x), number_real(x + 1)), out);                \
    int64_t r;                                                                                     \
    return int_##NAME(x[0].i, x[1].i, &r) ? FOLD_TOO_LARGE : fold_whole(r, out);                   \
  }
DIVISION(floordiv)
DIVISION(mod)

Folded fold_div(const Scalar *x, Scalar *out) {
  if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;
  if (number_real(x + 1) == 0) return FOLD_BY_ZERO;
  bool edge = both_whole(x) && x[0].i == INT64_MIN && x[1].i == -1;
  if (both_whole(x) && !edge && x[0].i % x[1].i == 0) return fold_whole(x[0].i / x[1].i, out);
  return edge ? FOLD_TOO_LARGE : fold_real(number_real(x) / number_real(x + 1), out);
}

Folded fold_pow(const Scalar *x, Scalar *out) {
  if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;
  int64_t r;
  if (!both_whole(x) || x[1].i < 0)
    return fold_real(dtrt_pow_f64(number_real(x), number_real(x + 1)), out);
  return int_pow(x[0].i, x[1].i, &r) ? FOLD_TOO_LARGE : fold_whole(r, out);
}

/* -1, 0, 1; 2 where one is NaN. An integer and a real are compared without rounding the integer. */
static int order(const Scalar *x, const Scalar *y) {
  if (x->kind != NUM_REAL && y->kind != NUM_REAL) return (x->i > y->i) - (x->i < y->i);
  if (x->kind == NUM_REAL && y->kind == NUM_REAL)
    return isnan(x->real) || isnan(y->real) ? 2 : (x->real > y->real) - (x->real < y->real);
  if (x->kind == NUM_REAL) {
    int o = order(y, x);
    return o == 2 ? o : -o;
  }
  if (isnan(y->real)) return 2;
  if (y->real >= 0x1p63) return -1;
  if (y->real < -0x1p63) return 1;
  int64_t below = (int64_t)floor(y->real);
  return x->i > below ? 1 : x->i < below ? -1 : y->real > floor(y->real) ? -1 : 0;
}

#define COMPARISON(NAME, KINDS, CONDITION)                                                         \
  Folded fold_##NAME(const Scalar *x, Scalar *out) {                                               \
    if (!KINDS) return FOLD_NONE;                                                                  \
    int o = order(&x[0], &x[1]);                                                                   \
    return fold_truth(CONDITION, out);                                                             \
  }
#define NUMBERS (is_number(&x[0]) && is_number(&x[1]))
#define ALIKE (NUMBERS || (x[0].kind == NUM_BOOL && x[1].kind == NUM_BOOL))
COMPARISON(eq, ALIKE, o == 0)
COMPARISON(ne, ALIKE, o != 0)
COMPARISON(lt, NUMBERS, o == -1)
COMPARISON(le, NUMBERS, o == -1 || o == 0)
COMPARISON(gt, NUMBERS, o == 1)
COMPARISON(ge, NUMBERS, o == 1 || o == 0)

Folded fold_min(const Scalar *x, Scalar *out) {
  if (!NUMBERS) return FOLD_NONE;
  int o = order(&x[0], &x[1]);
  *out = o == 2 ? (x[0].kind == NUM_REAL && isnan(x[0].real) ? x[0] : x[1]) : x[o == 1];
  return FOLDED;
}
Folded fold_max(const Scalar *x, Scalar *out) {
  if (!NUMBERS) return FOLD_NONE;
  int o = order(&x[0], &x[1]);
  *out = o == 2 ? (x[0].kind == NUM_REAL && isnan(x[0].real) ? x[0] : x[1]) : x[o == -1];
  return FOLDED;
}

#define BOOLS (x[0].kind == NUM_BOOL && x[1].kind == NUM_BOOL)
Folded fold_and(const Scalar *x, Scalar *out) {
  return BOOLS ? fold_truth(x[0].i && x[1].i, out) : FOLD_NONE;
}
Folded fold_or(const Scalar *x, Scalar *out) {
  return BOOLS ? fold_truth(x[0].i || x[1].i, out) : FOLD_NONE;
}

/* -------- three -------- */

Folded fold_where(const Scalar *x, Scalar *out) {
  if (x[0].kind != NUM_BOOL || !is_number(&x[1]) || !is_number(&x[2])) return FOLD_NONE;
  *out = x[0].i ? x[1] : x[2];
  return FOLDED;
}

Folded fold_clamp(const Scalar *x, Scalar *out) {
  if (!is_number(&x[0]) || x[1].kind == NUM_BOOL || x[2].kind == NUM_BOOL) return FOLD_NONE;
  *out = x[0];
  if (x[1].kind) fold_max((Scalar[]){*out, x[1]}, out);
  if (x[2].kind) fold_min((Scalar[]){*out, x[2]}, out);
  return FOLDED;
}
