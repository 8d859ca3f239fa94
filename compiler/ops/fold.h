/* Folding: see fold.c. Helpers for its definitions. */
#ifndef DTG_FOLD_H
#define DTG_FOLD_H
#include "opdefs.h"
#include "dtrt_math.h"
#include "dtrt_special.h"
#include "dtrt_special.h"

static inline Folded fold_whole(int64_t i, Scalar *out) {
  *out = (Scalar){.kind = NUM_INT, .i = i};
  return FOLDED;
}
static inline Folded fold_real(double r, Scalar *out) {
  *out = (Scalar){.kind = NUM_REAL, .real = r};
  return FOLDED;
}
static inline Folded fold_truth(bool b, Scalar *out) {
  *out = (Scalar){.kind = NUM_BOOL, .i = b};
  return FOLDED;
}

static inline bool is_number(const Scalar *x) { return x->kind == NUM_INT || x->kind == NUM_REAL; }

/* Of a number: OF_INT of an integer (x->i), else dtrt_NAME_f64. */
#define FOLD_UNARY(NAME, OF_INT)                                                                   \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    if (!is_number(x)) return FOLD_NONE;                                                           \
    if (x->kind == NUM_INT) return OF_INT;                                                         \
    return fold_real(dtrt_##NAME##_f64(x->real), out);                                             \
  }
#define FOLD_FLOAT(NAME) FOLD_UNARY(NAME, fold_real(dtrt_##NAME##_f64((double)x->i), out))

#endif
