/* Tests include/dtrt_math.h: accuracy against double libm, special values, whole-number and storage
 * types against plain wide arithmetic, Philox against the vectors published with Random123, moments
 * of the random numbers. math_bits.c tests that the bits are the same everywhere. `math --dense`
 * samples 256 times as many arguments and takes a minute. */
#include "dtrt.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check(int ok, const char *what, double x, double y, double got, double want) {
  if (ok) return;
  if (failures++ < 50) printf("FAIL %s(%.9g, %.9g) = %.9g, want %.9g\n", what, x, y, got, want);
}

/* -------- accuracy -------- */

typedef float fn1(float);
typedef double ref1(double);

static double ref_rsqrt(double x) { return x == 0 ? copysign((double)INFINITY, x) : 1 / sqrt(x); }
static double ref_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }

#define WRAP1(f)                                                                                   \
  static float call_##f(float x) { return dtrt_##f##_f32(x); }
WRAP1(exp)
WRAP1(expm1)
WRAP1(log)
WRAP1(log1p)
WRAP1(sqrt)
WRAP1(rsqrt)
WRAP1(tanh)
WRAP1(sigmoid)
WRAP1(erf)
WRAP1(sin)
WRAP1(cos)

/* The bounds are those that dtrt_math.h states. */
static const struct Accuracy {
  const char *name;
  fn1 *f;
  ref1 *ref;
  double bound;
} accuracy[] = {
    {"exp", call_exp, exp, 0.9},    {"expm1", call_expm1, expm1, 1.4},
    {"log", call_log, log, 1.0},    {"log1p", call_log1p, log1p, 1.3},
    {"sqrt", call_sqrt, sqrt, 0.5}, {"rsqrt", call_rsqrt, ref_rsqrt, 1.5},
    {"tanh", call_tanh, tanh, 1.4}, {"sigmoid", call_sigmoid, ref_sigmoid, 1.5},
    {"erf", call_erf, erf, 1.2},    {"sin", call_sin, sin, 0.51},
    {"cos", call_cos, cos, 0.51},
};

/* |got - want| in units in the last place of a float near want; huge when one is not a number or
 * only one is infinite. A want beyond the largest float may be infinite or that float. */
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
  int sign_ok = want != 0 || got != 0 || !signbit(got) == !signbit(want);
  check(u <= a->bound && sign_ok, a->name, (double)x, 0, (double)got, want);
  if (u > *worst) *worst = u, *at = x;
}

static void test_accuracy(int dense) {
  for (size_t k = 0; k < sizeof accuracy / sizeof *accuracy; k++) {
    const struct Accuracy *a = &accuracy[k];
    double worst = 0;
    float at = 0;
    uint64_t step = dense ? 37 : 9473;
    for (uint64_t u = 0; u < 1ull << 32; u += step)
      sample(a, dtrt_from_bits_f32((uint32_t)u), &worst, &at);
    for (int i = 0, n = dense ? 1 << 24 : 1 << 16; i < n; i++)
      sample(a, 40.0f * ((float)i - 0.5f * (float)n) / (float)n, &worst, &at);
    printf("%-8s %.4f ulp at %a\n", a->name, worst, (double)at);
  }
}

/* f64 functions of both headers, against long double libm: 11 bits more. */
typedef double fn64(double);
typedef long double ref64(long double);

#define WRAP64(f)                                                                                  \
  static double call_##f##64(double x) { return dtrt_##f##_f64(x); }
WRAP64(exp)
WRAP64(expm1)
WRAP64(tanh)
WRAP64(sigmoid)
WRAP64(log)
WRAP64(log1p)
WRAP64(erf)
WRAP64(erfc)
WRAP64(exp2)
WRAP64(log2)
WRAP64(log10)
WRAP64(sinh)
WRAP64(cosh)
WRAP64(asinh)
WRAP64(acosh)
WRAP64(atanh)
WRAP64(atan)
WRAP64(sin)
WRAP64(cos)
WRAP64(tan)
WRAP64(asin)
WRAP64(acos)
WRAP64(cbrt)
static long double ref_sigmoid64(long double x) {
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static const struct Accuracy64 {
  const char *name;
  fn64 *f;
  ref64 *ref;
  double bound;
} accuracy64[] = {
    {"exp_f64", call_exp64, expl, 0.9},       {"expm1_f64", call_expm164, expm1l, 1.9},
    {"tanh_f64", call_tanh64, tanhl, 2.6},    {"sigmoid_f64", call_sigmoid64, ref_sigmoid64, 2.4},
    {"log_f64", call_log64, logl, 0.7},       {"log1p_f64", call_log1p64, log1pl, 0.7},
    {"erf_f64", call_erf64, erfl, 1},         {"erfc_f64", call_erfc64, erfcl, 2.5},
    {"exp2_f64", call_exp264, exp2l, 0.7},    {"log2_f64", call_log264, log2l, 0.7},
    {"log10_f64", call_log1064, log10l, 0.7}, {"sinh_f64", call_sinh64, sinhl, 1.7},
    {"cosh_f64", call_cosh64, coshl, 1.3},    {"asinh_f64", call_asinh64, asinhl, 1.6},
    {"acosh_f64", call_acosh64, acoshl, 2.3}, {"atanh_f64", call_atanh64, atanhl, 1.8},
    {"atan_f64", call_atan64, atanl, 2.1},    {"sin_f64", call_sin64, sinl, 0.8},
    {"cos_f64", call_cos64, cosl, 0.8},       {"tan_f64", call_tan64, tanl, 2.3},
    {"asin_f64", call_asin64, asinl, 2.4},    {"acos_f64", call_acos64, acosl, 2.4},
    {"cbrt_f64", call_cbrt64, cbrtl, 0.8},
};

static double ulps64(double got, long double want) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : 1e30;
  if (isinf(got) || isinf(want)) return got == (double)want ? 0 : 1e30;
  int e;
  frexpl(want, &e);
  return (double)(fabsl(got - want) / ldexpl(1, (e < -1021 ? -1021 : e) - 53));
}

static void sample64(const struct Accuracy64 *a, double x, double *worst, double *at) {
  const double got = a->f(x);
  const long double want = a->ref((long double)x);
  const double u = ulps64(got, want);
  check(u <= a->bound && (want != 0 || !signbit(got) == !signbit(want)), a->name, x, 0, got,
        (double)want);
  if (u > *worst) *worst = u, *at = x;
}

static void test_accuracy64(int dense) {
  static const double special[] = {0,
                                   -0.0,
                                   0x1p-1074,
                                   -0x1p-1074,
                                   0x1p-1022,
                                   INFINITY,
                                   NAN,
                                   -INFINITY,
                                   709.782712893384,
                                   709.7827128933841,
                                   -745.1,
                                   -745.2,
                                   -746,
                                   -708.4,
                                   710,
                                   -38,
                                   -37.5,
                                   20,
                                   0.5,
                                   -0.5,
                                   1e300,
                                   -1e300};
  for (size_t k = 0; k < sizeof accuracy64 / sizeof *accuracy64; k++) {
    const struct Accuracy64 *a = &accuracy64[k];
    double worst = 0, at = 0;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
      sample64(a, special[i], &worst, &at);
    for (int64_t i = 0, n = dense ? 1 << 24 : 1 << 17; i < n; i++) {
      uint32_t w[4];
      dtrt_philox(5, 6, (uint32_t)i, 0, 0, 0, w);
      const uint64_t u = (uint64_t)w[0] << 32 | w[1];
      const double part = ((double)u * 0x1p-64 - 0.5) * 2;
      sample64(a, dtrt_from_bits_f64(u), &worst, &at);
      sample64(a, part * 750, &worst, &at);
      sample64(a, part * 2, &worst, &at);
      sample64(a, part * 30, &worst, &at);
      sample64(a, 1 + part * 0x1p-10, &worst, &at);
    }
    printf("%-12s %.4f ulp at %a\n", a->name, worst, at);
  }
}

static void check64(const char *name, double x, double y, double got, long double want,
                    double bound) {
  const int ok = ulps64(got, want) <= bound && (isnan(got) || !signbit(got) == !signbit(want));
  check(ok, name, x, y, got, (double)want);
}

static void test_two_of_f64(int dense) {
  static const double at[] = {0,
                              1,
                              INFINITY,
                              NAN,
                              0x1p-1074,
                              0x1p-1022,
                              1e308,
                              2,
                              0.5,
                              1e-200,
                              1e200,
                              3,
                              1e-10,
                              1e154,
                              0x1p500,
                              0x1p-400,
                              0x1.fffffffffffffp1023};
  const int n = (int)(sizeof at / sizeof *at);
  for (int i = 0; i < 4 * n * n; i++) {
    const double x = at[i / 4 % n] * (i & 1 ? -1 : 1), y = at[i / 4 / n] * (i & 2 ? -1 : 1);
    check64("atan2_f64", y, x, dtrt_atan2_f64(y, x), atan2l(y, x), 2.1);
    check64("hypot_f64", y, x, dtrt_hypot_f64(y, x), hypotl(y, x), 1.0);
    check64("pow_f64", y, x, dtrt_pow_f64(y, x), powl(y, x), 0.8);
  }
  for (int64_t i = 0, m = dense ? 1 << 24 : 1 << 17; i < m; i++) {
    uint32_t w[4];
    dtrt_philox(5, 6, (uint32_t)i, 0, 0, 0, w);
    double x = dtrt_from_bits_f64((uint64_t)w[0] << 32 | w[1]);
    double y = ldexp(x, (int)(w[2] % 80) - 40) * (1 + w[3] * 0x1p-33);
    if (i & 1) x = (int32_t)w[0] * 0x1p-30, y = (int32_t)w[1] * 0x1p-30;
    check64("atan2_f64", y, x, dtrt_atan2_f64(y, x), atan2l(y, x), 2.1);
    check64("hypot_f64", y, x, dtrt_hypot_f64(y, x), hypotl(y, x), 1.0);
    check64("pow_f64", y, x, dtrt_pow_f64(y, x), powl(y, x), 0.8);
    const double base = dtrt_abs_f64(i & 2 ? x : 1 + (int32_t)w[0] * 0x1p-40);
    const double most = log(base) == 0 ? 1 : (int32_t)w[3] * 0x1.65p-22 / log(base);
    check64("pow_f64", base, most, dtrt_pow_f64(base, most), powl(base, most), 0.8);
  }
  for (int i = -1074; i < 1024; i++) {
    const double x = ldexp(1, i), got = dtrt_log2_f64(x);
    check(got == i, "log2_f64", x, 0, got, i);
  }
  double ten = 1; /* 10^22 is the largest that is a double */
  for (int i = 0; i < 23; i++, ten *= 10)
    check(dtrt_log10_f64(ten) == i, "log10_f64", ten, 0, dtrt_log10_f64(ten), i);
}

static float call_pow(float x, float y) { return dtrt_pow_f32(x, y); }

static void test_pow(int dense) {
  static const float special[] = {0,         -0.0f,       1,         -1,        2,
                                  -2,        0.5f,        -0.5f,     3,         -3,
                                  2.5,       -2.5,        1e9,       -1e9,      16777215,
                                  1e-40f,    -1e-40f,     INFINITY,  -INFINITY, NAN,
                                  127,       -126,        -149,      150,       0x1.fffffep127f,
                                  0x1p-149f, 0.99999994f, 1.0000001f};
  int n = (int)(sizeof special / sizeof *special);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float x = special[i], y = special[j], got = call_pow(x, y);
      double want = pow((double)x, (double)y);
      int ok = ulps(got, want) < 0.51 && (isnan(got) || !signbit(got) == !signbit(want));
      check(ok, "pow", (double)x, (double)y, (double)got, want);
    }
  double worst = 0;
  float ax = 0, ay = 0;
  for (int64_t i = 0, m = dense ? 1 << 26 : 1 << 18; i < m; i++) {
    uint32_t w[4];
    dtrt_philox(1, 2, (uint32_t)i, 0, 0, 0, w);
    float x = dtrt_from_bits_f32(w[0] & 0x7fffffffu), y = dtrt_from_bits_f32(w[1]);
    if (i & 1) { /* results spread over all floats */
      double l = log2((double)x);
      y = (float)(((double)w[1] * 0x1p-32 - 0.5) * 300 / (l == 0 ? 1 : l));
    }
    double want = pow((double)x, (double)y), u = ulps(call_pow(x, y), want);
    check(u < 0.51, "pow", (double)x, (double)y, (double)call_pow(x, y), want);
    if (u > worst) worst = u, ax = x, ay = y;
  }
  printf("%-8s %.4f ulp at %a, %a\n", "pow", worst, (double)ax, (double)ay);
}

static void test_special(void) {
  static const float xs[] = {0,
                             -0.0f,
                             0x1p-149f,
                             -0x1p-149f,
                             0x1p-126f,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             88.72284f,
                             88.72283f,
                             -103.97f,
                             -103.98f,
                             -87.4f,
                             89,
                             -104,
                             -1,
                             1,
                             -0x1.fffffep-1f,
                             1e10f,
                             -1e10f,
                             0x1.fffffep127f,
                             -0x1.fffffep127f,
                             1e20f,
                             0x1p50f,
                             0x1p76f,
                             0x1p102f,
                             0x1.fffffep49f,
                             0.625f,
                             0.921875f};
  for (size_t k = 0; k < sizeof accuracy / sizeof *accuracy; k++)
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++) {
      double worst = 0;
      float at = 0;
      sample(&accuracy[k], xs[i], &worst, &at);
    }
  check(dtrt_round_f32(2.5f) == 2 && dtrt_round_f32(3.5f) == 4 && dtrt_round_f32(-0.5f) == 0,
        "round", 2.5, 0, 0, 0);
  check(dtrt_floor_f32(-0.5f) == -1 && dtrt_ceil_f32(0.5f) == 1, "floor", 0.5, 0, 0, 0);
  check(isnan(dtrt_sign_f32(NAN)) && dtrt_sign_f32(-3) == -1 && dtrt_sign_f32(-0.0f) == 0, "sign",
        0, 0, 0, 0);
  for (int i = 0; i < 2; i++) { /* NaN on either side */
    float a = i ? NAN : 1, b = i ? 1 : NAN;
    check(isnan(dtrt_min_f32(a, b)) && isnan(dtrt_max_f32(a, b)), "min", (double)a, (double)b, 0,
          NAN);
    check(isnan(dtrt_min_f64((double)a, (double)b)) && isnan(dtrt_max_f64((double)a, (double)b)),
          "min64", (double)a, (double)b, 0, NAN);
  }
  /* Python: (a, b, a // b, a % b) */
  static const float q[][4] = {{7, 3, 2, 1},
                               {-7, 3, -3, 2},
                               {7, -3, -3, -2},
                               {-7, -3, 2, -1},
                               {6, -3, -2, -0.0f},
                               {1, INFINITY, 0, 1},
                               {-1, INFINITY, -1, INFINITY},
                               {1, 0, INFINITY, NAN},
                               {0, 0, NAN, NAN},
                               {1, 0.1f, 9, 0.0999999866f},
                               {-0.0f, 1, -0.0f, 0},
                               {0x1p-126f, 3 * 0x1p-149f, 2796202, 2 * 0x1p-149f},
                               {INFINITY, 3 * 0x1p-149f, NAN, NAN},
                               {-0x1p-149f, 1, -1, 1}};
  for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
    float d = dtrt_floordiv_f32(q[i][0], q[i][1]), m = dtrt_mod_f32(q[i][0], q[i][1]);
    check(d == q[i][2] || (isnan(d) && isnan(q[i][2])), "floordiv", (double)q[i][0],
          (double)q[i][1], (double)d, (double)q[i][2]);
    check(m == q[i][3] || (isnan(m) && isnan(q[i][3])), "mod", (double)q[i][0], (double)q[i][1],
          (double)m, (double)q[i][3]);
    double d64 = dtrt_floordiv_f64((double)q[i][0], (double)q[i][1]);
    check(d64 == (double)q[i][2] || (isnan(d64) && isnan(q[i][2])), "floordiv64", (double)q[i][0],
          (double)q[i][1], d64, (double)q[i][2]);
  }
  /* Remainders of f64 are libm's, and so exact: of any bits, and of numbers beside a multiple. */
  for (int i = 0; i < 200000; i++) {
    uint32_t w[4];
    dtrt_philox(3, 4, (uint32_t)i, 0, 0, 0, w);
    double x = dtrt_from_bits_f64((uint64_t)w[0] << 32 | w[1]);
    double y = dtrt_from_bits_f64((uint64_t)w[2] << 32 | w[3]);
    if (i % 4 == 1) x = (double)(int32_t)w[0], y = (double)(int32_t)w[2] * 0x1p-7;
    if (i % 4 == 2) x = y * (double)(w[0] >> w[1] % 32);
    if (i % 4 == 3) x = nextafter(y * (double)w[0], w[1] & 1 ? 0 : INFINITY);
    if (!(fabs(x) >= fabs(y)) || y == 0) continue;
    double got = dtrt_fmod_of_f64(x, y), want = fmod(x, y);
    check((isnan(got) && isnan(want)) || dtrt_bits_f64(got) == dtrt_bits_f64(want), "fmod64", x, y,
          got, want);
  }
  check(dtrt_sigmoid_f64(-1000) == 0 && dtrt_sigmoid_f64(1000) == 1 && dtrt_sigmoid_f64(0) == 0.5,
        "sigmoid64", 0, 0, 0, 0);
}

/* -------- whole numbers: against __int128, which holds every exact result but powers -------- */

typedef __int128 wide;
static wide floor_div(wide a, wide b) {
  wide q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

#define CHECK_INT(S, T, op, expr)                                                                  \
  check(dtrt_##op##_##S(a, b) == (T)(expr), #op "_" #S, (double)a, (double)b,                      \
        (double)dtrt_##op##_##S(a, b), (double)(T)(expr))
#define TEST_INT(S, T)                                                                             \
  static void test_##S(T a, T b) {                                                                 \
    wide x = a, y = b;                                                                             \
    CHECK_INT(S, T, add, x + y);                                                                   \
    CHECK_INT(S, T, sub, x - y);                                                                   \
    CHECK_INT(S, T, mul, (unsigned __int128)x *(unsigned __int128)y);                              \
    CHECK_INT(S, T, floordiv, y == 0 ? 0 : floor_div(x, y));                                       \
    CHECK_INT(S, T, mod, y == 0 ? 0 : x - y * floor_div(x, y));                                    \
    CHECK_INT(S, T, min, x < y ? x : y);                                                           \
    CHECK_INT(S, T, max, x > y ? x : y);                                                           \
    check(dtrt_neg_##S(a) == (T)-x, "neg_" #S, (double)a, 0, 0, 0);                                \
    check(dtrt_abs_##S(a) == (T)(x < 0 ? -x : x), "abs_" #S, (double)a, 0, 0, 0);                  \
    check(dtrt_sign_##S(a) == (T)((x > 0) - (x < 0)), "sign_" #S, (double)a, 0, 0, 0);             \
    if (y >= 0 && y < 80) {                                                                        \
      uint64_t p = 1;                                                                              \
      for (int i = 0; i < (int)y; i++) p *= (uint64_t)x;                                           \
      CHECK_INT(S, T, pow, p);                                                                     \
    } else if (y < 0) {                                                                            \
      CHECK_INT(S, T, pow, x == 1 ? 1 : (x == -1 ? (y % 2 ? -1 : 1) : 0));                         \
    }                                                                                              \
  }
TEST_INT(u8, uint8_t)
TEST_INT(i8, int8_t)
TEST_INT(i32, int32_t)
TEST_INT(i64, int64_t)

/* Lanes of max and min against the functions that loops call, bit for bit, NaNs of both signs and
 * zeros among them. */
#define LANES_OF_EXTREMES(S, T, OP)                                                                \
  static void test_lanes_##OP##_##S(const T *x, int n) {                                           \
    for (int i = 0; i < n; i++)                                                                    \
      for (int j = 0; j < n; j += DTRT_LANES) {                                                    \
        T a[DTRT_LANES], b[DTRT_LANES], got[DTRT_LANES];                                           \
        for (int k = 0; k < DTRT_LANES; k++) a[k] = x[(i + k) % n], b[k] = x[(j + 7 * k) % n];     \
        dtrt_lanes_##S acc;                                                                        \
        memcpy(&acc, a, sizeof acc);                                                               \
        dtrt_accumulate_##OP##_##S(&acc, b);                                                       \
        memcpy(got, &acc, sizeof got);                                                             \
        for (int k = 0; k < DTRT_LANES; k++) {                                                     \
          const T want = dtrt_##OP##_##S(a[k], b[k]);                                              \
          check(!memcmp(&got[k], &want, sizeof want), "lanes of " #OP, (double)a[k], (double)b[k], \
                (double)got[k], (double)want);                                                     \
        }                                                                                          \
      }                                                                                            \
  }
LANES_OF_EXTREMES(f32, float, max)
LANES_OF_EXTREMES(f32, float, min)
LANES_OF_EXTREMES(f64, double, max)
LANES_OF_EXTREMES(f64, double, min)

static void test_lanes(void) {
  enum { N = 67 };
  float x[N];
  double y[N];
  for (int i = 0; i < N; i++) x[i] = (float)(i * 37 % N) - 30;
  x[3] = NAN, x[9] = -NAN, x[14] = INFINITY, x[20] = -INFINITY, x[31] = 0, x[32] = -0.0f;
  x[40] = dtrt_from_bits_f32(0x7fc01234), x[41] = dtrt_from_bits_f32(0xffd54321), x[50] = 0x1p-149f;
  for (int i = 0; i < N; i++) y[i] = (double)x[i];
  test_lanes_max_f32(x, N), test_lanes_min_f32(x, N);
  test_lanes_max_f64(y, N), test_lanes_min_f64(y, N);
}

static void test_ints(void) {
  for (int a = -128; a < 256; a++)
    for (int b = -128; b < 256; b++) {
      if (a >= 0 && b >= 0) test_u8((uint8_t)a, (uint8_t)b);
      if (a < 128 && b < 128) test_i8((int8_t)a, (int8_t)b);
    }
  int64_t edge[160];
  int n = 0;
  for (int s = 0; s < 64; s += 3)
    for (int64_t d = -1; d < 2; d++) {
      edge[n++] = (int64_t)((1ull << s) + (uint64_t)d);
      edge[n++] = (int64_t)(0 - (1ull << s) + (uint64_t)d);
    }
  edge[n++] = INT64_MAX;
  edge[n++] = INT64_MIN;
  edge[n++] = INT32_MAX;
  edge[n++] = INT32_MIN;
  edge[n++] = 10, edge[n++] = -7, edge[n++] = 79;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      test_i64(edge[i], edge[j]);
      test_i32((int32_t)edge[i], (int32_t)edge[j]);
    }
  for (int64_t i = 0; i < 20000; i++) {
    uint32_t w[4];
    dtrt_philox(3, 4, (uint32_t)i, 0, 0, 0, w);
    test_i32((int32_t)w[0], (int32_t)(w[1] >> (w[2] & 31)));
    test_i32((int32_t)w[0], -(int32_t)(w[1] >> 1 >> (w[2] & 30)));
  }
}

/* -------- casts and storage types -------- */

#define CHECK_CAST(FS, TS, T, low, high, x)                                                        \
  do {                                                                                             \
    double v = (double)(x);                                                                        \
    T want = isnan(v) ? 0 : (v <= (double)(low) ? (low) : (v >= (double)(high) ? (high) : (T)v));  \
    check(dtrt_cast_##FS##_##TS(x) == want, "cast_" #FS "_" #TS, v, 0,                             \
          (double)dtrt_cast_##FS##_##TS(x), (double)want);                                         \
  } while (0)
#define CHECK_CASTS(FS, x)                                                                         \
  CHECK_CAST(FS, i8, int8_t, INT8_MIN, INT8_MAX, x);                                               \
  CHECK_CAST(FS, u8, uint8_t, 0, UINT8_MAX, x);                                                    \
  CHECK_CAST(FS, i32, int32_t, INT32_MIN, INT32_MAX, x);                                           \
  CHECK_CAST(FS, i64, int64_t, INT64_MIN, INT64_MAX, x);                                           \
  check(dtrt_cast_##FS##_bool(x) == ((x) != 0), "cast_bool", (double)(x), 0, 0, 0)

/* Nearest of the finite values of a 16-bit float (ascending for rising bits) by search: slow and
 * plain. */
static uint16_t nearest16(double x, float (*value)(uint16_t), uint16_t inf) {
  if (isnan(x)) return inf + 1;
  uint16_t sign = signbit(x) ? 0x8000u : 0, lo = 0, hi = inf;
  double a = fabs(x),
         below = 2 * (double)value(inf - 1) - (double)value(inf - 2); /* as if inf were next */
  while (hi - lo > 1) {
    uint16_t mid = (uint16_t)((lo + hi) / 2);
    if ((double)value(mid) <= a)
      lo = mid;
    else
      hi = mid;
  }
  double top = hi == inf ? below : (double)value(hi), dl = a - (double)value(lo), dh = top - a;
  uint16_t r = dl < dh || (dl == dh && !(lo & 1)) ? lo : hi;
  return r | sign;
}
static float value_bf16(uint16_t h) { return dtrt_bf16_to_f32(h); }
static float value_f16(uint16_t h) { return dtrt_f16_to_f32(h); }
static int same16(uint16_t a, uint16_t b, uint16_t inf) {
  return a == b || ((a & 0x7fff) > inf && (b & 0x7fff) > inf);
}

static void check_storage(float x, double d) {
  double dx = (double)x;
  uint16_t b = dtrt_f32_to_bf16(x), h = dtrt_f32_to_f16(x);
  check(same16(b, nearest16(dx, value_bf16, 0x7f80), 0x7f80), "f32_to_bf16", dx, 0, b,
        nearest16(dx, value_bf16, 0x7f80));
  check(same16(h, nearest16(dx, value_f16, 0x7c00), 0x7c00), "f32_to_f16", dx, 0, h,
        nearest16(dx, value_f16, 0x7c00));
  b = dtrt_f64_to_bf16(d), h = dtrt_f64_to_f16(d);
  check(same16(b, nearest16(d, value_bf16, 0x7f80), 0x7f80), "f64_to_bf16", d, 0, b,
        nearest16(d, value_bf16, 0x7f80));
  check(same16(h, nearest16(d, value_f16, 0x7c00), 0x7c00), "f64_to_f16", d, 0, h,
        nearest16(d, value_f16, 0x7c00));
}

/* Integers at the middle between h and h + 1, and on both sides of it: beyond 2^24 and 2^53 there
 * is no float or double of them, and rounding to one first would make a tie. */
static void check_integers(double middle, uint16_t h, int bf16) {
  if (middle != floor(middle) || fabs(middle) >= 0x1p63) return;
  int away = h & 0x8000 ? -1 : 1; /* where h + 1 lies */
  for (int by = -1; by <= 1; by++) {
    int64_t x = (int64_t)middle + by;
    uint16_t up = (uint16_t)(h + 1), want = by == 0 ? (h & 1 ? up : h) : by == away ? up : h;
    double d = dtrt_i64_to_odd_f64(x);
    uint16_t got = bf16 ? dtrt_f64_to_bf16(d) : dtrt_f64_to_f16(d);
    check(got == want, bf16 ? "i64_to_bf16" : "i64_to_f16", (double)x, by, got, want);
    if (x >= 0 && x <= UINT32_MAX) {
      const float f = dtrt_u32_to_odd_f32((uint32_t)x);
      got = bf16 ? dtrt_f32_to_bf16(f) : dtrt_f32_to_f16(f);
      check(got == want, bf16 ? "u32_to_bf16" : "u32_to_f16", (double)x, by, got, want);
    }
    if (x < INT32_MIN || x > INT32_MAX) continue;
    const float f = dtrt_i32_to_odd_f32((int32_t)x);
    got = bf16 ? dtrt_f32_to_bf16(f) : dtrt_f32_to_f16(f);
    check(got == want, bf16 ? "i32_to_bf16" : "i32_to_f16", (double)x, by, got, want);
  }
}

/* The 8-bit floats by their definition: all of them, the middles between neighbours and a hair to
 * both sides, and what lies beyond the largest. */
static double value_f8(int e5m2, int h) {
  const int digits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, e = (h & 0x7f) >> digits,
            m = h & ((1 << digits) - 1);
  if (e5m2 ? e == 31 : (h & 0x7f) == 0x7f) return e5m2 && !m ? INFINITY : NAN;
  return ldexp(e ? (1 << digits) + m : m, (e ? e : 1) - bias - digits);
}
static int f8_of(int e5m2, double d, int from_f64) {
  if (from_f64) return e5m2 ? dtrt_f64_to_f8e5m2(d) : dtrt_f64_to_f8e4m3(d);
  return e5m2 ? dtrt_f32_to_f8e5m2((float)d) : dtrt_f32_to_f8e4m3((float)d);
}
static void test_f8(void) {
  for (int e5m2 = 0; e5m2 < 2; e5m2++) {
    const int top = e5m2 ? 0x7b : 0x7e, past = e5m2 ? 0x7c : 0x7e;
    for (int h = 0; h < 256; h++) {
      const double want = value_f8(e5m2, h), sign = h & 0x80 ? -1 : 1;
      const float got = e5m2 ? dtrt_f8e5m2_to_f32((uint8_t)h) : dtrt_f8e4m3_to_f32((uint8_t)h);
      check(isnan(want) ? isnan(got) : (double)got == sign * want, "f8_to_f32", h, e5m2,
            (double)got, want);
      check(isnan(want) || !signbit(got) == !(h & 0x80), "f8 sign", h, e5m2, (double)got, want);
      for (int wide = 0; wide < 2; wide++) {
        if (!isnan(want))
          check(f8_of(e5m2, sign * want, wide) == h, "f8 there and back", h, e5m2,
                f8_of(e5m2, sign * want, wide), h);
        if ((h & 0x7f) > top) continue;
        /* as if the next after the largest were a number */
        const double next =
            (h & 0x7f) == top ? 2 * want - value_f8(e5m2, h - 1) : value_f8(e5m2, h + 1);
        const int up = (h & 0x7f) == top ? past | (h & 0x80) : h + 1;
        const double middle = (want + next) / 2,
                     less = wide ? nextafter(middle, 0) : (double)nextafterf((float)middle, 0),
                     more = wide ? nextafter(middle, INFINITY)
                                 : (double)nextafterf((float)middle, INFINITY);
        check(f8_of(e5m2, sign * middle, wide) == (h & 1 ? up : h), "f8 middle", middle, e5m2,
              f8_of(e5m2, sign * middle, wide), up);
        check(f8_of(e5m2, sign * less, wide) == h, "f8 below the middle", less, e5m2,
              f8_of(e5m2, sign * less, wide), h);
        check(f8_of(e5m2, sign * more, wide) == up, "f8 above the middle", more, e5m2,
              f8_of(e5m2, sign * more, wide), up);
      }
    }
    for (int wide = 0; wide < 2; wide++) {
      const int inf = f8_of(e5m2, -INFINITY, wide), most = f8_of(e5m2, wide ? 1e300 : 3e38, wide);
      check(inf == (e5m2 ? 0xfc : 0xff), "f8 of -inf", 0, e5m2, inf, 0);
      check(most == past, "f8 of the largest", 0, e5m2, most, past);
      check(isnan(value_f8(e5m2, f8_of(e5m2, NAN, wide) & 0x7f)), "f8 of NaN", 0, e5m2, 0, 0);
      check(f8_of(e5m2, -1e-45, wide) == 0x80, "f8 of the smallest", 0, e5m2, 0, 0);
    }
  }
}

static void test_storage(void) {
  test_f8();
  for (uint32_t u = 0; u < 65536; u++) {
    uint16_t h = (uint16_t)u, m = h & 0x3ff, e = (h >> 10) & 31;
    double want = e == 31 ? (m ? NAN : INFINITY) : ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
    float f = dtrt_f16_to_f32(h);
    check((isnan(f) && isnan(want)) || ((double)fabsf(f) == want && !signbit(f) == !(h & 0x8000)),
          "f16_to_f32", u, 0, (double)f, want);
    check(same16(dtrt_f32_to_f16(f), h, 0x7c00), "f16 there and back", u, 0, 0, 0);
    f = dtrt_bf16_to_f32(h);
    check(same16(dtrt_f32_to_bf16(f), h, 0x7f80), "bf16 there and back", u, 0, 0, 0);
    if (!isfinite(f)) continue;
    /* halfway to the next and a hair to both sides of it, for both types */
    double half[2] = {((double)value_bf16(h) + (double)value_bf16(h + 1)) / 2,
                      ((double)value_f16(h) + (double)value_f16(h + 1)) / 2};
    for (int k = 0; k < 2; k++)
      check_storage((float)half[k], nextafter(half[k], u & 4 ? 0 : INFINITY));
    if ((h & 0x7fff) < 0x7f7f) check_integers(half[0], h, 1);
    if ((h & 0x7fff) < 0x7bff) check_integers(half[1], h, 0);
  }
  for (uint64_t u = 0; u < 1ull << 32; u += 65521 * 2) {
    float x = dtrt_from_bits_f32((uint32_t)u);
    check_storage(x, dtrt_from_bits_f64(u << 32 | u));
    CHECK_CASTS(f32, x);
    double d = dtrt_from_bits_f64(u << 32 | u);
    CHECK_CASTS(f64, d);
  }
  static const double xs[] = {
      0,          -0.9,          0.9,         127.5,     128,        -128.9,
      -129,       255.5,         256,         -1,        2147483647, 2147483648,
      2147483520, -2147483648.5, -2147483650, 0x1p63,    -0x1p63,    0x1.fffffep62,
      1e300,      -1e300,        INFINITY,    -INFINITY, NAN};
  for (size_t i = 0; i < sizeof xs / sizeof *xs; i++) {
    double d = xs[i];
    CHECK_CASTS(f64, d);
    float x = (float)d;
    CHECK_CASTS(f32, x);
  }
}

/* -------- random numbers -------- */

static void test_philox(void) {
  /* Random123, tests/kat_vectors, philox4x32 10: counter, key, result */
  static const uint32_t kat[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
       0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int i = 0; i < 3; i++) {
    const uint32_t *v = kat[i];
    uint32_t w[4];
    dtrt_philox(v[4], v[5], v[0], v[1], v[2], v[3], w);
    check(!memcmp(w, v + 6, sizeof w), "philox", i, 0, w[0], v[6]);
  }
}

struct Moments {
  double mean, var, skew, kurt, min, max;
};
static struct Moments moments(double (*f)(int64_t), int64_t n) {
  double s[5] = {0}, lo = 1e9, hi = -1e9;
  for (int64_t i = 0; i < n; i++) {
    double x = f(i), p = 1;
    for (int k = 1; k < 5; k++) p *= x, s[k] += p;
    lo = x < lo ? x : lo, hi = x > hi ? x : hi;
  }
  double m = s[1] / (double)n, m2 = s[2] / (double)n, m3 = s[3] / (double)n, m4 = s[4] / (double)n;
  struct Moments r = {m,
                      m2 - m * m,
                      m3 - 3 * m * m2 + 2 * m * m * m,
                      m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m,
                      lo,
                      hi};
  return r;
}
static double uniform32(int64_t i) { return (double)dtrt_uniform_f32(1, 2, 3, i); }
static double uniform64(int64_t i) { return dtrt_uniform_f64(1, 2, 3, i); }
static double normal32(int64_t i) { return (double)dtrt_normal_f32(1, 2, 3, i); }
static double normal64(int64_t i) { return dtrt_normal_f64(1, 2, 3, i); }
static double steps32(int64_t i) { return (double)dtrt_normal_f32(1, 2, (uint64_t)i, 5); }
static double streams32(int64_t i) { return (double)dtrt_normal_f32(1, (uint64_t)i, 0, 5); }
static double lagged32(int64_t i) {
  return normal32(i) * normal32(i + 1);
} /* mean 0 when neighbours are unrelated */

static void test_random(void) {
  enum { n = 1 << 17 };
  double sd = sqrt(1.0 / n); /* bounds: 5 standard deviations of the estimate */
  double (*uniform[])(int64_t) = {uniform32, uniform64},
         (*normal[])(int64_t) = {normal32, normal64, steps32, streams32};
  for (int k = 0; k < 2; k++) {
    struct Moments m = moments(uniform[k], n);
    check(m.min >= 0 && m.max < 1 && fabs(m.mean - 0.5) < 5 * sd * sqrt(1.0 / 12) &&
              fabs(m.var - 1.0 / 12) < 5 * sd * sqrt(1.0 / 180),
          "uniform", k, 0, m.mean, 0.5);
  }
  for (int k = 0; k < 4; k++) {
    struct Moments m = moments(normal[k], n);
    check(fabs(m.mean) < 5 * sd && fabs(m.var - 1) < 5 * sd * sqrt(2.0) &&
              fabs(m.skew) < 5 * sd * sqrt(6.0) && fabs(m.kurt - 3) < 5 * sd * sqrt(96.0),
          "normal", k, 0, m.mean, 0);
    check(m.max > 3.8 && m.max < 6.8 && m.min < -3.8 && m.min > -6.8, "normal range", k, 0, m.min,
          m.max);
  }
  check(fabs(moments(lagged32, n).mean) < 5 * sd, "normal neighbours", 0, 0,
        moments(lagged32, n).mean, 0);
  int ones = 0;
  for (int64_t i = 0; i < n; i++) ones += dtrt_bernoulli(9, 8, 7, i, 0.1f);
  check(fabs(ones / (double)n - 0.1) < 5 * sd * 0.3, "bernoulli", 0.1, 0, ones / (double)n, 0.1);
  for (int64_t i = 0; i < 1000; i++) {
    check(dtrt_bernoulli(9, 8, 7, i, 1.0f) == 1 && dtrt_bernoulli(9, 8, 7, i, 0.0f) == 0,
          "bernoulli", (double)i, 0, 0, 0);
    int64_t far = i + ((int64_t)1 << 40); /* the high words count */
    check(dtrt_uniform_f64(1, 2, 3, i) != dtrt_uniform_f64(1, 2, 3, far), "high word of index",
          (double)i, 0, 0, 0);
    check(dtrt_uniform_f64(1, 2, 3, i) != dtrt_uniform_f64(1, 2, 3 + (1ull << 40), i),
          "high word of step", (double)i, 0, 0, 0);
    check(dtrt_uniform_f64(1, 2, 3, i) != dtrt_uniform_f64(1 + (1ull << 40), 2, 3, i),
          "high word of seed", (double)i, 0, 0, 0);
    check(fabs(normal64(i)) < 8.6 && fabs(normal32(i)) < 6.8, "normal", (double)i, 0, 0, 0);
  }
}

int main(int argc, char **argv) {
  int dense = argc > 1 && !strcmp(argv[1], "--dense");
  test_accuracy(dense);
  test_accuracy64(dense);
  test_two_of_f64(dense);
  test_pow(dense);
  test_lanes();
  test_special();
  test_ints();
  test_storage();
  test_philox();
  test_random();
  printf("%d failures\n", failures);
  return failures != 0;
}
