/* Tests include/dtrt_special.h: accuracy of f32 functions against libm in f64 and of f64 functions
 * against sums in long double, special values, and functions of bits against plain loops. The
 * bounds are those that the header states. */
#include "dtrt.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static int failures;

static void check(int ok, const char *what, double x, double y, double got, double want) {
  if (ok) return;
  if (failures++ < 50) printf("FAIL %s(%.9g, %.9g) = %.17g, want %.17g\n", what, x, y, got, want);
}

/* -------- references -------- */

/* In long double; 1e-18 or better. */
static long double ref_digammal(long double x) {
  long double r = 0, i;
  if (x < 0) {
    long double f = x - rintl(x);
    r = -M_PIl / tanl(M_PIl * f);
    x = 1 - x;
  }
  for (; x < 30; x++) r -= 1 / x;
  i = 1 / (x * x);
  return r + logl(x) - 0.5L / x -
         i * (1 / 12.0L - i * (1 / 120.0L - i * (1 / 252.0L - i * (1 / 240.0L - i / 132))));
}
static double ref_digamma(double x) {
  if (x == 0) return -copysign((double)INFINITY, x);
  if (x < 0 && x == floor(x)) return NAN;
  return (double)ref_digammal((long double)x);
}
static double ref_erfinv(double x) {
  long double a = fabsl((long double)x), lo = 0, hi = 10;
  if (a == 1) return copysign((double)INFINITY, x);
  if (!(a < 1)) return NAN;
  if (a < 1e-5L) return (double)(x * sqrtl(M_PIl) / 2 * (1 + M_PIl / 12 * a * a));
  for (int i = 0; i < 70; i++) {
    long double y = (lo + hi) / 2;
    if (a < 0.5L ? erfl(y) < a : erfcl(y) > 1 - a)
      lo = y;
    else
      hi = y;
  }
  return copysign((double)((lo + hi) / 2), x);
}
static double ref_lgamma(double x) { return x == -(double)INFINITY ? -x : lgamma(x); }
static double ref_frac(double x) { return x - trunc(x); }
static double ref_logaddexp(double x, double y) {
  return isnan(x) || isnan(y) ? (double)NAN
         : x == y             ? x + log(2)
                              : fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* -------- one argument -------- */

typedef float fn1(float);
typedef double ref1(double);
#define WRAP1(f)                                                                                   \
  static float call_##f(float x) { return dtrt_##f##_f32(x); }
WRAP1(tan)
WRAP1(asin)
WRAP1(acos)
WRAP1(atan)
WRAP1(sinh)
WRAP1(cosh)
WRAP1(asinh)
WRAP1(acosh)
WRAP1(atanh)
WRAP1(exp2)
WRAP1(log2)
WRAP1(log10)
WRAP1(cbrt)
WRAP1(erfc)
WRAP1(erfinv)
WRAP1(lgamma)
WRAP1(digamma)
WRAP1(trunc)
WRAP1(frac)

static double of_step(double x) { return 1 + fabs(lgamma(1 - x)); }
static double of_cot(double x) { return 4 + fabs(ref_digamma(x)); }

/* Below 0 the reflection of the gamma functions keeps 2^-32 of its terms. */
static const struct Accuracy {
  const char *name;
  fn1 *f;
  ref1 *ref;
  double bound;
  ref1 *terms;
  int step; /* of the arguments' bits; 0: the usual */
} accuracy[] = {
    {"tan", call_tan, tan, 0.52, NULL, 0},
    {"asin", call_asin, asin, 0.52, NULL, 0},
    {"acos", call_acos, acos, 0.52, NULL, 0},
    {"atan", call_atan, atan, 0.51, NULL, 0},
    {"sinh", call_sinh, sinh, 0.51, NULL, 0},
    {"cosh", call_cosh, cosh, 0.51, NULL, 0},
    {"asinh", call_asinh, asinh, 0.51, NULL, 0},
    {"acosh", call_acosh, acosh, 0.51, NULL, 0},
    {"atanh", call_atanh, atanh, 0.51, NULL, 0},
    {"exp2", call_exp2, exp2, 0.51, NULL, 0},
    {"log2", call_log2, log2, 0.51, NULL, 0},
    {"log10", call_log10, log10, 0.51, NULL, 0},
    {"cbrt", call_cbrt, cbrt, 0.51, NULL, 0},
    {"erfc", call_erfc, erfc, 0.52, NULL, 0},
    {"erfinv", call_erfinv, ref_erfinv, 0.52, NULL, 1000003},
    {"lgamma", call_lgamma, ref_lgamma, 0.52, of_step, 0},
    {"digamma", call_digamma, ref_digamma, 0.52, of_cot, 100003},
    {"trunc", call_trunc, trunc, 0, NULL, 0},
    {"frac", call_frac, ref_frac, 0, NULL, 0},
};

/* See math.c. */
static double ulps(float got, double want) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : 1e30;
  if (isinf(got) || isinf(want)) return (double)got == want || (float)want == got ? 0 : 1e30;
  int e;
  frexp(want, &e);
  return fabs((double)got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static void sample(const struct Accuracy *a, float x, double *worst, float *at) {
  float got = a->f(x);
  double want = a->ref((double)x), u = ulps(got, want);
  int close = u <= a->bound ||
              (a->terms && x < 0 &&
               fabs((double)got - want) <= 0x1p-32 * a->terms((double)x) + 0x1p-24 * fabs(want));
  check(close, a->name, (double)x, 0, (double)got, want);
  if (u > *worst && (x > 0 || !a->terms)) *worst = u, *at = x;
}

static void test_accuracy(void) {
  static const float ends[] = {0,
                               -0.0f,
                               1,
                               -1,
                               0.5f,
                               -0.5f,
                               2,
                               3,
                               -2,
                               INFINITY,
                               NAN,
                               0.0625f,
                               0.25f,
                               0x1p-126f,
                               -INFINITY,
                               0x1.fffffep127f,
                               1.4616321f,
                               89.5f,
                               -89.5f,
                               128,
                               -150,
                               0x1.fffffep-1f,
                               -0x1.fffffep-1f,
                               0x1.000002p0f,
                               34.5f,
                               -0.25f};
  for (size_t k = 0; k < sizeof accuracy / sizeof *accuracy; k++) {
    const struct Accuracy *a = &accuracy[k];
    double worst = 0;
    float at = 0;
    for (uint64_t u = 0; u < 1ull << 32; u += (uint64_t)(a->step ? a->step : 40009))
      sample(a, dtrt_from_bits_f32((uint32_t)u), &worst, &at);
    for (int i = 0, n = a->step > 1000000 ? 3000 : 20000; i < n; i++)
      sample(a, 20.0f * ((float)i - 0.5f * (float)n) / (float)n, &worst, &at);
    for (int i = 0, n = 3000; i < n; i++)
      sample(a, 2.0f * ((float)i - 0.5f * (float)n) / (float)n, &worst, &at);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) sample(a, ends[i], &worst, &at);
    printf("%-8s %.4f ulp at %a\n", a->name, worst, (double)at);
  }
}

/* -------- two arguments -------- */

#define WRAP2(f)                                                                                   \
  static float call_##f(float x, float y) { return dtrt_##f##_f32(x, y); }
WRAP2(atan2)
WRAP2(hypot)
WRAP2(logaddexp)
WRAP2(fmod)
WRAP2(copysign)

static const struct Accuracy2 {
  const char *name;
  float (*f)(float, float);
  double (*ref)(double, double);
  double bound, absolute;
} accuracy2[] = {{"atan2", call_atan2, atan2, 0.51, 0},
                 {"hypot", call_hypot, hypot, 0.51, 0},
                 {"logaddexp", call_logaddexp, ref_logaddexp, 0.51, 0x1p-30},
                 {"fmod", call_fmod, fmod, 0, 0},
                 {"copysign", call_copysign, copysign, 0, 0}};

static void sample2(const struct Accuracy2 *a, float x, float y) {
  float got = a->f(x, y);
  double want = a->ref((double)x, (double)y), u = ulps(got, want);
  int sign = isnan(got) || want != 0 || !signbit(got) == !signbit(want) || a->ref == ref_logaddexp;
  check((u <= a->bound || fabs((double)got - want) <= a->absolute) && sign, a->name, (double)x,
        (double)y, (double)got, want);
}

static void test_two(void) {
  static const float v[] = {0,        -0.0f,     1,   -1,   2.5f, -2.5f, 1e-40f, -1e-40f, 3e38f,
                            INFINITY, -INFINITY, NAN, 0.3f, -7,   1e10f, 100,    -100};
  int n = (int)(sizeof v / sizeof *v);
  for (size_t k = 0; k < sizeof accuracy2 / sizeof *accuracy2; k++) {
    for (int i = 0; i < n * n; i++) sample2(&accuracy2[k], v[i / n], v[i % n]);
    for (int i = 0; i < 200000; i++) {
      uint32_t w[4];
      dtrt_philox(1, 2, (uint32_t)i, 0, 0, 0, w);
      float x = (float)(int32_t)w[0] * 0x1p-28f, y = (float)(int32_t)w[1] * 0x1p-28f;
      sample2(&accuracy2[k], x, y);
      sample2(&accuracy2[k], dtrt_from_bits_f32(w[2]), i & 1 ? dtrt_from_bits_f32(w[3]) : y);
    }
  }
  for (int i = 0; i < n * n; i++) {
    float x = v[i / n], y = v[i % n], got = dtrt_nextafter_f32(x, y), want = nextafterf(x, y);
    check((isnan(got) && isnan(want)) || dtrt_bits_f32(got) == dtrt_bits_f32(want), "nextafter",
          (double)x, (double)y, (double)got, (double)want);
    double d = dtrt_nextafter_f64((double)x, (double)y), e = nextafter((double)x, (double)y);
    check((isnan(d) && isnan(e)) || dtrt_bits_f64(d) == dtrt_bits_f64(e), "nextafter64", (double)x,
          (double)y, d, e);
  }
}

/* -------- f64 functions that are the header's own -------- */

static void test_wide(void) {
  for (int i = 1; i < 4000; i++) {
    double x = (double)i / 250, got = dtrt_digamma_f64(x), want = ref_digamma(x);
    check(fabs(got - want) <= 4 * 0x1p-52 * fabs(want), "digamma64", x, 0, got, want);
    double n = -x + 0.001, r = ref_digamma(n);
    got = dtrt_digamma_f64(n);
    check(fabs(got - r) <= 0x1p-50 * (4 - r * r * n), "digamma64", n, 0, got, r);
    x = 1 - ldexp(1, -i % 54) * (i / 4000.0);
    if (i % 3 == 0) x = (double)i / 4000;
    got = dtrt_erfinv_f64(x), want = ref_erfinv(x);
    check(got == want || fabs(got - want) <= 3 * 0x1p-52 * fabs(want), "erfinv64", x, 0, got, want);
    check(dtrt_erfinv_f64(-x) == -got, "erfinv64", -x, 0, 0, 0);
  }
  check(isinf(dtrt_erfinv_f64(-1)) && isnan(dtrt_erfinv_f64(2)) && isnan(dtrt_erfinv_f64(NAN)) &&
            dtrt_erfinv_f64(0) == 0,
        "erfinv64", 1, 0, 0, 0);
  for (int n = 1; n <= 8; n++)
    for (int i = 1; i < 300; i++) {
      double x = (double)i / 12, factorial = tgamma(n + 1);
      long double sum = 0, y = (long double)x;
      for (int k = 0; k < 60; k++, y++) sum += powl(y, -n - 1);
      sum += powl(y, -n) / n + powl(y, -n - 1) / 2 + (n + 1) * powl(y, -n - 2) / 12;
      sum -= (n + 1) * (n + 2) * (n + 3) * powl(y, -n - 4) / 720;
      sum += (n + 1) * (n + 2) * (n + 3) * (n + 4) * (n + 5) * powl(y, -n - 6) / 30240;
      double want = (n & 1 ? 1 : -1) * factorial * (double)sum, got = dtrt_polygamma_f64(n, x);
      check(fabs(got - want) <= 0x1p-49 * fabs(want), "polygamma64", n, x, got, want);
      float f = dtrt_polygamma_f32((float)n, (float)x);
      double g = dtrt_polygamma_f64(n, (double)(float)x);
      check(ulps(f, g) <= 0.6, "polygamma", n, x, (double)f, g);
    }
  check(isnan(dtrt_polygamma_f64(1.5, 2)) && isnan(dtrt_polygamma_f32(0, 2)), "polygamma", 0, 0, 0,
        0);
}

/* -------- bits -------- */

#define TEST_BITS(S, T, BITS)                                                                      \
  static void test_##S(int64_t i, int64_t j) {                                                     \
    const T a = (T)i, b = (T)j;                                                                    \
    const int64_t wide = (int64_t)a, by = (int64_t)b;                                              \
    T ones = 0, lead = BITS, left = 0, right = 0, both = 0, any = 0, odd = 0, flipped;             \
    flipped = (T)(-1 - wide);                                                                      \
    for (int k = 0; k < BITS; k++) {                                                               \
      int p = (int)((uint64_t)wide >> k & 1), q = (int)((uint64_t)by >> k & 1);                    \
      ones = (T)(ones + p);                                                                        \
      if (p) lead = (T)(BITS - 1 - k);                                                             \
      uint64_t bit = (uint64_t)1 << k, v = (uint64_t)wide;                                         \
      both = (T)((uint64_t)(int64_t)both | (p & q ? bit : 0));                                     \
      any = (T)((uint64_t)(int64_t)any | (p | q ? bit : 0));                                       \
      odd = (T)((uint64_t)(int64_t)odd | (p ^ q ? bit : 0));                                       \
      if (by >= 0 && k >= by && (v >> (k - by) & 1)) left = (T)((uint64_t)(int64_t)left | bit);    \
      int from = by >= 0 && by < BITS - k ? k + (int)by : BITS;                                    \
      int on = from < BITS ? (int)(v >> from & 1) : wide < 0;                                      \
      right = (T)((uint64_t)(int64_t)right | (on ? bit : 0));                                      \
    }                                                                                              \
    check(dtrt_bit_and_##S(a, b) == both && dtrt_bit_or_##S(a, b) == any &&                        \
              dtrt_bit_xor_##S(a, b) == odd && dtrt_bit_not_##S(a) == flipped,                     \
          "bit_and ... of " #S, (double)i, (double)j, 0, 0);                                       \
    check(dtrt_popcount_##S(a) == ones, "popcount_" #S, (double)i, 0, 0, (double)ones);            \
    check(dtrt_clz_##S(a) == lead, "clz_" #S, (double)i, 0, (double)dtrt_clz_##S(a),               \
          (double)lead);                                                                           \
    check(dtrt_shift_left_##S(a, b) == left, "shift_left_" #S, (double)i, (double)j,               \
          (double)dtrt_shift_left_##S(a, b), (double)left);                                        \
    check(dtrt_shift_right_##S(a, b) == right, "shift_right_" #S, (double)i, (double)j,            \
          (double)dtrt_shift_right_##S(a, b), (double)right);                                      \
  }
TEST_BITS(u8, uint8_t, 8)
TEST_BITS(i8, int8_t, 8)
TEST_BITS(i32, int32_t, 32)
TEST_BITS(i64, int64_t, 64)

static void test_bits(void) {
  static const int64_t v[] = {0,   1,   -1,  2,         3,         5,         7,        8,
                              9,   31,  32,  33,        63,        64,        65,       -2,
                              100, 127, 128, INT32_MIN, INT32_MAX, INT64_MAX, INT64_MIN};
  int n = (int)(sizeof v / sizeof *v);
  for (int i = 0; i < n * n; i++) {
    test_u8(v[i / n] & 255, v[i % n] & 255);
    test_i8(v[i / n], v[i % n]);
    test_i32(v[i / n], v[i % n]);
    test_i64(v[i / n], v[i % n]);
  }
}

int main(void) {
  test_accuracy();
  test_two();
  test_wide();
  test_bits();
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
