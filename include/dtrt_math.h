/* dtrt_math.h: what the loops of emitted C call inline: elementary functions, whole-number
 * arithmetic, casts, storage types, random numbers. Included by dtrt.h, which defines int32_t and
 * its kin.
 *
 * Law: a result is a function of the arguments alone, to the bit. It is the same at any vector
 * width and place in an array, under gcc and clang, at any -O, with and without FMA or AVX-512 in
 * hardware. So polynomials have one fixed order, every a*b+c that matters is an explicit fma
 * (nothing is left for a compiler to contract), and nothing branches, so that loops vectorise. The
 * bits of NaNs are not promised. Not under -ffast-math, not with denormals flushed to zero, only
 * when rounding to nearest. Where the runtime flushes to zero (while entries run) only results that
 * are denormal are different: they are zeros.
 *
 * Accuracy is in units in the last place (ulp), the largest seen by tests/unit/math.c and rounded
 * up. sin, cos and pow of f64 are in dtrt_special.h. Polynomials are minimax fits made for this
 * file. */
#ifndef DTRT_MATH_H
#define DTRT_MATH_H

#define DTRT_INF_F32 __builtin_inff()
#define DTRT_NAN_F32 __builtin_nanf("")
#define DTRT_INF_F64 __builtin_inf()
#define DTRT_NAN_F64 __builtin_nan("")

DTRT_FN uint32_t dtrt_bits_f32(float x) {
  uint32_t u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}
DTRT_FN float dtrt_from_bits_f32(uint32_t u) {
  float x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}
DTRT_FN uint64_t dtrt_bits_f64(double x) {
  uint64_t u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}
DTRT_FN double dtrt_from_bits_f64(uint64_t u) {
  double x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}
#define DTRT_FMA32(a, b, c) __builtin_fmaf(a, b, c)
#define DTRT_FMA64(a, b, c) __builtin_fma(a, b, c)

/* The sum of a matrix product with one product more, as the runtime's kernels add it. */
DTRT_FN float dtrt_add_product_f32(float a, float b, float sum) { return DTRT_FMA32(a, b, sum); }
DTRT_FN double dtrt_add_product_f64(double a, double b, double sum) {
  return DTRT_FMA64(a, b, sum);
}

/* ------------------------------------------------------------------ 1. f32 functions */

DTRT_FN float dtrt_abs_f32(float x) { return __builtin_fabsf(x); }
DTRT_FN float dtrt_neg_f32(float x) { return -x; }
DTRT_FN float dtrt_floor_f32(float x) { return __builtin_floorf(x); }
DTRT_FN float dtrt_ceil_f32(float x) { return __builtin_ceilf(x); }
/* Halves go to even, as NumPy has it. */
DTRT_FN float dtrt_round_f32(float x) { return __builtin_rintf(x); }
/* -1, 0, 1 or NaN */
DTRT_FN float dtrt_sign_f32(float x) {
  float r = x > 0 ? 1.0f : (x < 0 ? -1.0f : 0.0f);
  return x == x ? r : x;
}

/* __builtin_sqrtf sets errno unless the compiler knows that it is not read (cc1's default, not
 * the driver's), and a loop that may set errno does not vectorise. */
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define DTRT_SQRT32(x) __builtin_elementwise_sqrt(x)
#define DTRT_SQRT64(x) __builtin_elementwise_sqrt(x)
#endif
#endif
#ifndef DTRT_SQRT32
#define DTRT_SQRT32(x) __builtin_sqrtf(x)
#define DTRT_SQRT64(x) __builtin_sqrt(x)
#endif
DTRT_FN float dtrt_sqrt_f32(float x) { return DTRT_SQRT32(x); }         /* 0.5 ulp */
DTRT_FN float dtrt_rsqrt_f32(float x) { return 1.0f / DTRT_SQRT32(x); } /* 1.5 ulp */

/* t = y * c + DTRT_ROUND32 holds the nearest integer to y * c in its low bits, two's
 * complement; t - DTRT_ROUND32 is that number. For |y * c| < 2^22. */
#define DTRT_ROUND32 0x1.8p23f
#define DTRT_ROUND64 0x1.8p52

/* e^r for |r| <= ln(2)/2 */
DTRT_FN float dtrt_exp_poly_f32(float r) {
  float p = 0x1.6a238ep-10f;
  p = DTRT_FMA32(p, r, 0x1.123a4ap-7f);
  p = DTRT_FMA32(p, r, 0x1.5558ccp-5f);
  p = DTRT_FMA32(p, r, 0x1.555490p-3f);
  p = DTRT_FMA32(p, r, 0x1.fffffcp-2f);
  p = DTRT_FMA32(p, r, 1.0f);
  return DTRT_FMA32(p, r, 1.0f);
}

/* y - n ln(2), n whole, |n| < 256 */
DTRT_FN float dtrt_exp_reduce_f32(float y, float n) {
  float r = DTRT_FMA32(n, -0x1.62e4p-1f, y);
  return DTRT_FMA32(n, -0x1.7f7d1cp-20f, r);
}

/* 0.9 ulp. What is 0 in f32 is not left to the multiplications: results below the normal numbers
 * take the processor a hundred times as long, and a mask of -1e9 makes many. */
DTRT_FN float dtrt_exp_f32(float x) {
  int gone = x < -104.0f;
  float y = gone ? 0.0f : x;
  y = y > 89.0f ? 89.0f : y;
  float t = DTRT_FMA32(y, 0x1.715476p+0f, DTRT_ROUND32);
  float p = dtrt_exp_poly_f32(dtrt_exp_reduce_f32(y, t - DTRT_ROUND32));
  /* 2^n in two factors: the first product is exact, the second rounds once, denormal or not */
  int32_t n = (int32_t)(dtrt_bits_f32(t) - dtrt_bits_f32(DTRT_ROUND32));
  int32_t h = n >> 1;
  float s1 = dtrt_from_bits_f32((uint32_t)(h + 127) << 23);
  float s2 = dtrt_from_bits_f32((uint32_t)(n - h + 127) << 23);
  return gone ? 0.0f : p * s1 * s2;
}

/* e^x for -87 <= x <= 88 (or NaN): no clamps, one scale */
DTRT_FN float dtrt_exp_mid_f32(float x) {
  float t = DTRT_FMA32(x, 0x1.715476p+0f, DTRT_ROUND32);
  float p = dtrt_exp_poly_f32(dtrt_exp_reduce_f32(x, t - DTRT_ROUND32));
  return p * dtrt_from_bits_f32((dtrt_bits_f32(t) << 23) + 0x3f800000u);
}

/* 1.4 ulp */
DTRT_FN float dtrt_expm1_f32(float x) {
  float y = x < -18.0f ? -18.0f : x;
  y = y > 89.0f ? 89.0f : y;
  float t = DTRT_FMA32(y, 0x1.715476p+0f, DTRT_ROUND32);
  float r = dtrt_exp_reduce_f32(y, t - DTRT_ROUND32);
  float p = 0x1.a04248p-13f;
  p = DTRT_FMA32(p, r, 0x1.6d72b0p-10f);
  p = DTRT_FMA32(p, r, 0x1.111220p-7f);
  p = DTRT_FMA32(p, r, 0x1.5554d0p-5f);
  p = DTRT_FMA32(p, r, 0x1.555554p-3f);
  p = DTRT_FMA32(p, r, 0.5f);
  p = DTRT_FMA32(p * r, r, r); /* e^r - 1 */
  /* 2 (p 2^(n-1) + 2^(n-1) - 1/2): 2^128 would not fit, 2^127 does. c is rounded, so what it lost
   * is added. */
  float s = dtrt_from_bits_f32((dtrt_bits_f32(t) - dtrt_bits_f32(DTRT_ROUND32) + 126u) << 23);
  float c = s - 0.5f;
  float m = 2.0f * (DTRT_FMA32(p, s, s - c - 0.5f) + c);
  return __builtin_fabsf(x) < 0x1p-25f ? x : m; /* -0 and denormals */
}

/* log(1 + f) for -1/3 <= f <= 1/3 */
DTRT_FN float dtrt_log_poly_f32(float f) {
  float p = -0x1.09323cp-3f;
  p = DTRT_FMA32(p, f, 0x1.1ed0c2p-3f);
  p = DTRT_FMA32(p, f, -0x1.f25daep-4f);
  p = DTRT_FMA32(p, f, 0x1.1ebe7ep-3f);
  p = DTRT_FMA32(p, f, -0x1.55a75ap-3f);
  p = DTRT_FMA32(p, f, 0x1.99d212p-3f);
  p = DTRT_FMA32(p, f, -0x1.fffe98p-3f);
  p = DTRT_FMA32(p, f, 0x1.555500p-2f);
  p = DTRT_FMA32(p, f, -0.5f);
  return DTRT_FMA32(p * f, f, f);
}

/* log(x) for x positive, finite and not denormal: x = 2^n m with 2/3 <= m < 4/3 */
DTRT_FN float dtrt_log_mid_f32(float x, float n0) {
  uint32_t u = dtrt_bits_f32(x), e = (u - 0x3f2aaaabu) & 0xff800000u;
  float n = DTRT_FMA32((float)(int32_t)e, 0x1p-23f, n0);
  float r = dtrt_log_poly_f32(dtrt_from_bits_f32(u - e) - 1.0f);
  return DTRT_FMA32(n, 0x1.62e43p-1f, r);
}

/* 1.0 ulp */
DTRT_FN float dtrt_log_f32(float x) {
  int denormal = x < 0x1p-126f;
  float r = dtrt_log_mid_f32(denormal ? x * 0x1p23f : x, denormal ? -23.0f : 0.0f);
  r = x < DTRT_INF_F32 ? r : x; /* inf and NaN */
  r = x < 0 ? DTRT_NAN_F32 : r;
  return x == 0 ? -DTRT_INF_F32 : r;
}

/* 1.3 ulp */
DTRT_FN float dtrt_log1p_f32(float x) {
  /* 1 + x = 2^n (1 + f), -1/4 <= f < 1/2; f is made from x, not from the rounded 1 + x */
  uint32_t e = (dtrt_bits_f32(1.0f + x) - 0x3f400000u) & 0xff800000u;
  float s = dtrt_from_bits_f32(0x40800000u - e); /* 4 / 2^n */
  float f = dtrt_from_bits_f32(dtrt_bits_f32(x) - e) + DTRT_FMA32(0.25f, s, -1.0f);
  float p = -0x1.6fe67cp-5f;
  p = DTRT_FMA32(p, f, 0x1.abf692p-4f);
  p = DTRT_FMA32(p, f, -0x1.0d8fe2p-3f);
  p = DTRT_FMA32(p, f, 0x1.2897acp-3f);
  p = DTRT_FMA32(p, f, -0x1.54f254p-3f);
  p = DTRT_FMA32(p, f, 0x1.996880p-3f);
  p = DTRT_FMA32(p, f, -0x1.00002cp-2f);
  p = DTRT_FMA32(p, f, 0x1.5555a6p-2f);
  p = DTRT_FMA32(p, f, -0.5f);
  float r = DTRT_FMA32((float)(int32_t)e * 0x1p-23f, 0x1.62e43p-1f, DTRT_FMA32(p * f, f, f));
  r = x < DTRT_INF_F32 ? r : x;
  r = x < -1.0f ? DTRT_NAN_F32 : r;
  r = x == -1.0f ? -DTRT_INF_F32 : r;
  return x == 0 ? x : r;
}

/* 1.4 ulp */
DTRT_FN float dtrt_tanh_f32(float x) {
  float a = __builtin_fabsf(x), s = x * x;
  float p = -0x1.66b7dap-8f;
  p = DTRT_FMA32(p, s, 0x1.4ef30ap-6f);
  p = DTRT_FMA32(p, s, -0x1.b7cd52p-5f);
  p = DTRT_FMA32(p, s, 0x1.1104a0p-3f);
  p = DTRT_FMA32(p, s, -0x1.55552ep-2f);
  float small = DTRT_FMA32(p * s, a, a);
  float y = a > 9.1f ? 9.1f : a; /* tanh is 1 from there on */
  float large = 1.0f - 2.0f / (dtrt_exp_mid_f32(2.0f * y) + 1.0f);
  return __builtin_copysignf(a < 0.625f ? small : large, x);
}

/* 1.5 ulp */
DTRT_FN float dtrt_sigmoid_f32(float x) {
  float e = dtrt_exp_f32(-__builtin_fabsf(x)), d = 1.0f + e;
  float n = x < 0 ? e : 1.0f, q = n / d;
  /* q + (n - q (1 + e)) / d: undoes the roundings of d and q; a line is near enough to 1/d */
  float rest = DTRT_FMA32(-q, e - (d - 1.0f), DTRT_FMA32(-q, d, n));
  return DTRT_FMA32(rest, DTRT_FMA32(-0.5f, d, 1.457f), q);
}

/* 1.2 ulp */
DTRT_FN float dtrt_erf_f32(float x) {
  float a = __builtin_fabsf(x), s = x * x;
  float p = 0x1.574ebep-14f; /* erf(x)/x - 1, a polynomial in x^2 */
  p = DTRT_FMA32(p, s, -0x1.a88d8cp-11f);
  p = DTRT_FMA32(p, s, 0x1.549660p-8f);
  p = DTRT_FMA32(p, s, -0x1.b80960p-6f);
  p = DTRT_FMA32(p, s, 0x1.ce2dccp-4f);
  p = DTRT_FMA32(p, s, -0x1.812742p-2f);
  p = DTRT_FMA32(p, s, 0x1.06eba8p-3f);
  float small = DTRT_FMA32(p, a, a);
  float t = a > 3.95f ? 3.95f : a; /* erf is 1 from there on */
  float q = 0x1.174a16p-16f;       /* -log(1 - erf(t)) - t */
  q = DTRT_FMA32(q, t, -0x1.873ff6p-12f);
  q = DTRT_FMA32(q, t, 0x1.f4d66ap-9f);
  q = DTRT_FMA32(q, t, -0x1.8a08aep-6f);
  q = DTRT_FMA32(q, t, 0x1.b3c7d6p-4f);
  q = DTRT_FMA32(q, t, 0x1.454260p-1f);
  q = DTRT_FMA32(q, t, 0x1.0718dap-3f);
  q = DTRT_FMA32(q, t, 0x1.02950cp-14f);
  float large = 1.0f - dtrt_exp_mid_f32(-(q + t));
  return __builtin_copysignf(a < 0.921875f ? small : large, x);
}

/* The constant for the size class of |x|: below 2^50, 2^76, 2^102, and above. */
DTRT_FN double dtrt_by_class(double a, double c0, double c1, double c2, double c3) {
  double lo = a < 0x1p50 ? c0 : c1, hi = a < 0x1p102 ? c2 : c3;
  return a < 0x1p76 ? lo : hi;
}

/* sin((k + f) pi/2) for |f| <= 1/2 */
DTRT_FN double dtrt_sin_quarters_f64(double f, uint64_t k) {
  double r = f * 0x1.921fb54442d18p+0, s = r * r;
  double p = DTRT_FMA64(0x1.6ce32ab749259p-19, s, -0x1.a00fd9249a161p-13);
  p = DTRT_FMA64(p, s, 0x1.111108fdedc34p-7);
  p = DTRT_FMA64(p, s, -0x1.5555554d9a029p-3);
  p = DTRT_FMA64(p, s, 1.0) * r;
  double q = DTRT_FMA64(0x1.993ad8bba5941p-16, s, -0x1.6c08b003d727bp-10);
  q = DTRT_FMA64(q, s, 0x1.55553eefdc32ep-5);
  q = DTRT_FMA64(q, s, -0x1.ffffffd58d839p-2);
  q = DTRT_FMA64(q, s, 1.0);
  double v = (k & 1) ? q : p;
  return dtrt_from_bits_f64(dtrt_bits_f64(v) ^ ((k & 2) << 62));
}

/* x 2/pi, for every finite x: whole quarters modulo 4, and the part. It is summed from exact
 * products of x with 27-bit pieces of 2/pi; whole quarters are taken off between them. For large x
 * the leading bits of 2/pi, which make multiples of 4 quarters, are left out. All in f64. */
DTRT_FN uint64_t dtrt_quarters_f32(float x, double *part) {
  double d = (double)x, a = __builtin_fabs(d);
  double c0 = dtrt_by_class(a, 0x1.45f306cp-1, 0x1.b939104p-26, 0x1.529fc24p-52, 0x1.d5f47d4p-78);
  double c1 = dtrt_by_class(a, 0x1.c9c8828p-29, 0x1.4a7f098p-54, 0x1.abe8fa8p-79, 0x1.a6ee06p-107);
  double c2 = dtrt_by_class(a, 0x1.29fc27p-56, 0x1.57d1f5p-80, 0x1.a6ee068p-107, 0x1.b629598p-132);
  double c3 = dtrt_by_class(a, 0x1.5f47d4d377037p-82, 0x1.a6ee06db14acdp-107,
                            0x1.6c52b32788721p-133, 0x1.3c439041fe516p-160);
  double t0 = DTRT_FMA64(d, c0, DTRT_ROUND64);
  double f = DTRT_FMA64(d, c0, -(t0 - DTRT_ROUND64));
  f = DTRT_FMA64(d, c1, f);
  double t1 = DTRT_FMA64(d, c2, f) + DTRT_ROUND64;
  f = f - (t1 - DTRT_ROUND64);
  f = DTRT_FMA64(d, c3, DTRT_FMA64(d, c2, f));
  *part = f;
  return dtrt_bits_f64(t0) + dtrt_bits_f64(t1);
}

/* sin(x + quarter pi/2), rounded once to f32 */
DTRT_FN float dtrt_sin_from_f32(float x, uint64_t quarter) {
  double f;
  uint64_t k = dtrt_quarters_f32(x, &f);
  return (float)dtrt_sin_quarters_f64(f, k + quarter);
}

/* 0.51 ulp */
DTRT_FN float dtrt_sin_f32(float x) { return dtrt_sin_from_f32(x, 0); }
DTRT_FN float dtrt_cos_f32(float x) { return dtrt_sin_from_f32(x, 1); }

/* log2(x) for x > 0 a float held in a double; absolute and relative error below 2^-38 */
DTRT_FN double dtrt_log2_poly_f64(double x) {
  /* x = 2^n m, 2/3 <= m < 4/3; n + 1023 becomes a double by being put under the bits of 2^52 */
  uint64_t u = dtrt_bits_f64(x), e = (u + 0x000AAAAAAAAAAAABu) >> 52;
  double n = dtrt_from_bits_f64(0x4330000000000000u | e) - (0x1p52 + 1023.0);
  double f = dtrt_from_bits_f64(u - ((e - 1023u) << 52)) - 1.0;
  double p = DTRT_FMA64(-0x1.3460d645461c8p-3, f, 0x1.432be829ae3cap-3);
  p = DTRT_FMA64(p, f, -0x1.c9a31ca734da6p-4);
  p = DTRT_FMA64(p, f, 0x1.f9c319880a12ep-4);
  p = DTRT_FMA64(p, f, -0x1.28fd1da47859fp-3);
  p = DTRT_FMA64(p, f, 0x1.4986f7deb3f3dp-3);
  p = DTRT_FMA64(p, f, -0x1.71426f2e7dd5ep-3);
  p = DTRT_FMA64(p, f, 0x1.a60ad5c9df934p-3);
  p = DTRT_FMA64(p, f, -0x1.ec710a341a937p-3);
  p = DTRT_FMA64(p, f, 0x1.2776e33d35ca3p-2);
  p = DTRT_FMA64(p, f, -0x1.715475c3da710p-2);
  p = DTRT_FMA64(p, f, 0x1.ec709d8d6941ap-2);
  p = DTRT_FMA64(p, f, -0x1.71547652ee42bp-1);
  p = DTRT_FMA64(p, f, 0x1.71547652bc26ap+0);
  return DTRT_FMA64(p, f, n);
}

/* 2^z for |z| <= 200, or NaN */
DTRT_FN double dtrt_exp2_poly_f64(double z) {
  double t = z + DTRT_ROUND64, r = z - (t - DTRT_ROUND64);
  double p = DTRT_FMA64(0x1.01088fa318e76p-16, r, 0x1.445f19756e604p-13);
  p = DTRT_FMA64(p, r, 0x1.5d8701cd3e956p-10);
  p = DTRT_FMA64(p, r, 0x1.3b29f032bbdf2p-7);
  p = DTRT_FMA64(p, r, 0x1.c6b08e0ec288bp-5);
  p = DTRT_FMA64(p, r, 0x1.ebfbe07b819f1p-3);
  p = DTRT_FMA64(p, r, 0x1.62e42fef728cep-1);
  p = DTRT_FMA64(p, r, 1.0);
  return p * dtrt_from_bits_f64((dtrt_bits_f64(t) << 52) + 0x3ff0000000000000u);
}

/* 0.51 ulp; all the special cases of C's pow */
DTRT_FN float dtrt_pow_f32(float x, float y) {
  float a = __builtin_fabsf(x), half = y * 0.5f;
  double l = dtrt_log2_poly_f64((double)a);
  l = a < DTRT_INF_F32 ? l : (double)a;
  l = a == 0 ? -DTRT_INF_F64 : l;
  double z = (a == 1.0f && y == y) ? 0.0 : (double)y * l;
  z = z > 200.0 ? 200.0 : z;
  z = z < -200.0 ? -200.0 : z;
  float r = (float)dtrt_exp2_poly_f64(z);
  int whole = __builtin_floorf(y) == y, odd = whole & (__builtin_floorf(half) != half);
  uint32_t sign = odd ? dtrt_bits_f32(x) & 0x80000000u : 0u;
  r = dtrt_from_bits_f32(dtrt_bits_f32(r) ^ sign);
  r = ((x < 0) & !whole & (a < DTRT_INF_F32)) ? DTRT_NAN_F32 : r;
  return ((x == 1.0f) | (y == 0)) ? 1.0f : r;
}

/* ------------------------------------------------------------------ 2. f64 functions */

DTRT_FN double dtrt_abs_f64(double x) { return __builtin_fabs(x); }
DTRT_FN double dtrt_neg_f64(double x) { return -x; }
DTRT_FN double dtrt_floor_f64(double x) { return __builtin_floor(x); }
DTRT_FN double dtrt_ceil_f64(double x) { return __builtin_ceil(x); }
DTRT_FN double dtrt_round_f64(double x) { return __builtin_rint(x); }
DTRT_FN double dtrt_sign_f64(double x) {
  double r = x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0);
  return x == x ? r : x;
}
DTRT_FN double dtrt_sqrt_f64(double x) { return DTRT_SQRT64(x); }
DTRT_FN double dtrt_rsqrt_f64(double x) { return 1.0 / DTRT_SQRT64(x); }

/* (e^r - 1 - r) / r^2 for |r| <= ln(2)/2 */
DTRT_FN double dtrt_exp_poly_f64(double r) {
  double p = 0x1.1f730349868cep-29;
  p = DTRT_FMA64(p, r, 0x1.af4de97ca4194p-26);
  p = DTRT_FMA64(p, r, 0x1.27e4db646b17ep-22);
  p = DTRT_FMA64(p, r, 0x1.71de0231960ebp-19);
  p = DTRT_FMA64(p, r, 0x1.a01a01a6d889cp-16);
  p = DTRT_FMA64(p, r, 0x1.a01a01abe7fe1p-13);
  p = DTRT_FMA64(p, r, 0x1.6c16c16c162d4p-10);
  p = DTRT_FMA64(p, r, 0x1.11111111100dcp-7);
  p = DTRT_FMA64(p, r, 0x1.5555555555556p-5);
  p = DTRT_FMA64(p, r, 0x1.5555555555557p-3);
  return DTRT_FMA64(p, r, 0.5);
}

/* y - n ln(2), n whole, |n| < 2048 */
DTRT_FN double dtrt_exp_reduce_f64(double y, double n) {
  double r = DTRT_FMA64(n, -0x1.62e42fefa38p-1, y);
  return DTRT_FMA64(n, -0x1.ef35793c7673p-45, r);
}

/* e^r 2^(n + more) of one = 1 + r, rest = what that lost and what r lacks, t = n + DTRT_ROUND64 */
DTRT_FN double dtrt_exp_scale_f64(double one, double rest, double r, double t, int64_t more) {
  double p = one + DTRT_FMA64(dtrt_exp_poly_f64(r), r * r, rest);
  int64_t n = (int64_t)(dtrt_bits_f64(t) - dtrt_bits_f64(DTRT_ROUND64)) + more;
  int64_t h = n >> 1;
  double s1 = dtrt_from_bits_f64((uint64_t)(h + 1023) << 52);
  double s2 = dtrt_from_bits_f64((uint64_t)(n - h + 1023) << 52);
  return p * s1 * s2;
}

/* e^(x + low) 2^more */
DTRT_FN double dtrt_exp_wide_f64(double x, double low, int64_t more) {
  int64_t gone = x < -746.0;
  double y = gone ? 0.0 : x;
  y = y > 712.0 ? 712.0 : y;
  double t = DTRT_FMA64(y, 0x1.71547652b82fep+0, DTRT_ROUND64);
  double r = dtrt_exp_reduce_f64(y, t - DTRT_ROUND64), one = 1.0 + r;
  double e = dtrt_exp_scale_f64(one, (r - (one - 1.0)) + low, r + low, t, more);
  return gone ? 0.0 : e;
}

/* 0.9 ulp; as dtrt_exp_f32, with what 1 + r lost added */
DTRT_FN double dtrt_exp_f64(double x) { return dtrt_exp_wide_f64(x, 0.0, 0); }

/* 1.9 ulp; as dtrt_expm1_f32 */
DTRT_FN double dtrt_expm1_f64(double x) {
  double y = x < -38.0 ? -38.0 : x;
  y = y > 710.0 ? 710.0 : y;
  double t = DTRT_FMA64(y, 0x1.71547652b82fep+0, DTRT_ROUND64);
  double r = dtrt_exp_reduce_f64(y, t - DTRT_ROUND64);
  double p = DTRT_FMA64(dtrt_exp_poly_f64(r) * r, r, r); /* e^r - 1 */
  double s = dtrt_from_bits_f64((dtrt_bits_f64(t) - dtrt_bits_f64(DTRT_ROUND64) + 1022u) << 52);
  double c = s - 0.5;
  double m = 2.0 * (DTRT_FMA64(p, s, s - c - 0.5) + c);
  return __builtin_fabs(x) < 0x1p-54 ? x : m; /* -0 and denormals */
}

/* 2.6 ulp: of e = e^2|x| - 1 it is e / (e + 2), or 1 - 2 / (e + 2) */
DTRT_FN double dtrt_tanh_f64(double x) {
  double a = __builtin_fabs(x), y = a > 20.0 ? 20.0 : a; /* tanh is 1 from there on */
  double e = dtrt_expm1_f64(2.0 * y);
  double q = (a < 0.5 ? e : -2.0) / (e + 2.0);
  return __builtin_copysign(a < 0.5 ? q : 1.0 + q, x);
}

/* 2.4 ulp */
DTRT_FN double dtrt_sigmoid_f64(double x) {
  double e = dtrt_exp_f64(-__builtin_fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

/* log(1 + f) = f - f^2/2 + s (f^2/2 + z p(z)) for s = f / (2 + f), z = s^2: p */
DTRT_FN double dtrt_log_poly_f64(double z) {
  double p = 0x1.2b5900de53b32p-3;
  p = DTRT_FMA64(p, z, 0x1.39fe51a7c18f9p-3);
  p = DTRT_FMA64(p, z, 0x1.7462b51cb66b1p-3);
  p = DTRT_FMA64(p, z, 0x1.c71c62e3f11e6p-3);
  p = DTRT_FMA64(p, z, 0x1.2492492df281ap-2);
  p = DTRT_FMA64(p, z, 0x1.99999999952d7p-2);
  return DTRT_FMA64(p, z, 0x1.5555555555558p-1);
}

/* n (step + step_low) + unit (log(1 + f) + c) for sqrt(1/2) <= 1 + f < sqrt(2); n * step is exact.
 * hi + lo is the logarithm, and sum + rest n times step plus hi, to twice the digits. */
DTRT_FN double dtrt_log_sum_f64(double n, double f, double c, double step, double step_low,
                                double unit, double unit_low) {
  double s = f / (2.0 + f), z = s * s, half = -0.5 * f;
  double hi = DTRT_FMA64(half, f, f);
  double lo = DTRT_FMA64(half, f, f - hi) + c;
  lo = DTRT_FMA64(s, DTRT_FMA64(z, dtrt_log_poly_f64(z), 0.5 * f * f), lo);
  double sum = DTRT_FMA64(unit, hi, n * step);
  double rest = DTRT_FMA64(unit, hi, DTRT_FMA64(n, step, -sum));
  rest = DTRT_FMA64(unit_low, hi, DTRT_FMA64(n, step_low, rest));
  return sum + DTRT_FMA64(unit, lo, rest);
}

/* x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), for x positive, finite and not denormal; n + 1023
 * becomes a double by being put under the bits of 2^52 */
DTRT_FN double dtrt_log_parts_f64(double x, double *f) {
  uint64_t u = dtrt_bits_f64(x), e = (u + 0x00095f619980c433u) >> 52;
  *f = dtrt_from_bits_f64(u - ((e - 1023u) << 52)) - 1.0;
  return dtrt_from_bits_f64(0x4330000000000000u | e) - (0x1p52 + 1023.0);
}

/* log(x) * unit */
DTRT_FN double dtrt_log_unit_f64(double x, double step, double step_low, double unit,
                                 double unit_low) {
  int64_t denormal = x < 0x1p-1022;
  double f, n = dtrt_log_parts_f64(denormal ? x * 0x1p54 : x, &f) - (denormal ? 54.0 : 0.0);
  double r = dtrt_log_sum_f64(n, f, 0.0, step, step_low, unit, unit_low);
  r = x < DTRT_INF_F64 ? r : x; /* inf and NaN */
  r = x < 0 ? DTRT_NAN_F64 : r;
  return x == 0 ? -DTRT_INF_F64 : r;
}
#define DTRT_LOG_STEPS 0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45 /* ln(2), 42 bits and the rest */

/* 0.7 ulp */
DTRT_FN double dtrt_log_f64(double x) { return dtrt_log_unit_f64(x, DTRT_LOG_STEPS, 1.0, 0.0); }

/* 0.7 ulp. Of u = 1 + x it is log(u) + c / u, c what the sum lost; near 0 x itself is f. */
DTRT_FN double dtrt_log1p_f64(double x) {
  double u = 1.0 + x, c = (x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
  double f, n = dtrt_log_parts_f64(u, &f);
  f = n == 0 ? x : f;
  c = n == 0 ? 0.0 : c;
  double r = dtrt_log_sum_f64(n, f, c, DTRT_LOG_STEPS, 1.0, 0.0);
  r = __builtin_fabs(x) < 0x1p-54 ? x : r; /* -0 */
  r = x < DTRT_INF_F64 ? r : x;
  r = x < -1.0 ? DTRT_NAN_F64 : r;
  return x == -1.0 ? -DTRT_INF_F64 : r;
}

/* erf(x) / x - 1 for z = x^2 <= 0.65 */
DTRT_FN double dtrt_erf_poly_f64(double z) {
  double p = 0x1.7af6a64fe2ae5p-27;
  p = DTRT_FMA64(p, z, -0x1.5391b4d25d07ep-23);
  p = DTRT_FMA64(p, z, 0x1.b8a38a0fe52bcp-20);
  p = DTRT_FMA64(p, z, -0x1.f4bccdff8ce26p-17);
  p = DTRT_FMA64(p, z, 0x1.f9a2394ec058fp-14);
  p = DTRT_FMA64(p, z, -0x1.c02dad6819964p-11);
  p = DTRT_FMA64(p, z, 0x1.565bccf128167p-8);
  p = DTRT_FMA64(p, z, -0x1.b82ce311f1082p-6);
  p = DTRT_FMA64(p, z, 0x1.ce2f21a0412a7p-4);
  p = DTRT_FMA64(p, z, -0x1.812746b0379cdp-2);
  return DTRT_FMA64(p, z, 0x1.06eba8214db68p-3);
}
/* (1 + 2a) e^(a^2) erfc(a) for t = (a - 3) / (a + 3), 0.49 <= a <= 28 */
DTRT_FN double dtrt_erfcx_poly_f64(double t) {
  double p = 0x1.4056af95e83ebp-27;
  p = DTRT_FMA64(p, t, 0x1.2e5ffe7469dccp-24);
  p = DTRT_FMA64(p, t, -0x1.70219757f8702p-24);
  p = DTRT_FMA64(p, t, -0x1.3882a41965114p-21);
  p = DTRT_FMA64(p, t, 0x1.46c476758244bp-22);
  p = DTRT_FMA64(p, t, 0x1.cf2042f222764p-19);
  p = DTRT_FMA64(p, t, -0x1.78c65051627c1p-21);
  p = DTRT_FMA64(p, t, -0x1.5116234fccbcdp-16);
  p = DTRT_FMA64(p, t, 0x1.4b7210f232debp-18);
  p = DTRT_FMA64(p, t, 0x1.06590524a9cfdp-13);
  p = DTRT_FMA64(p, t, -0x1.b90fed54d3515p-14);
  p = DTRT_FMA64(p, t, -0x1.98db44780bc09p-11);
  p = DTRT_FMA64(p, t, 0x1.ef1bd7a5f473ep-10);
  p = DTRT_FMA64(p, t, 0x1.4b884df2263e4p-9);
  p = DTRT_FMA64(p, t, -0x1.8574c4048e436p-6);
  p = DTRT_FMA64(p, t, 0x1.17ca287816b59p-4);
  p = DTRT_FMA64(p, t, -0x1.e88b803a5c38bp-4);
  p = DTRT_FMA64(p, t, 0x1.098366a5b3e94p-3);
  p = DTRT_FMA64(p, t, -0x1.85a15c58a9c1ep-5);
  p = DTRT_FMA64(p, t, -0x1.15c084bb9e8e2p-3);
  return DTRT_FMA64(p, t, 0x1.40c522d7e4987p+0);
}

/* by erfc(a) + base for a >= 0.5. Nothing is lost of a^2, nor of the quotient of the polynomial. */
DTRT_FN double dtrt_erfc_tail_f64(double a, double by, double base) {
  double b = a > 28.0 ? 28.0 : a, p = dtrt_erfcx_poly_f64((b - 3.0) / (b + 3.0));
  double d = DTRT_FMA64(2.0, b, 1.0), q = p / d, y = -b * b;
  double rest = DTRT_FMA64(-q, DTRT_FMA64(2.0, b, 1.0 - d), DTRT_FMA64(-q, d, p));
  double e = dtrt_exp_wide_f64(y, DTRT_FMA64(-b, b, -y) + rest / p, 0);
  return DTRT_FMA64(by * e, q, base);
}

/* 1.0 ulp */
DTRT_FN double dtrt_erf_f64(double x) {
  double a = __builtin_fabs(x), b = a > 6.0 ? 6.0 : a;
  double near = DTRT_FMA64(x, dtrt_erf_poly_f64(b * b), x);
  double far = __builtin_copysign(dtrt_erfc_tail_f64(b, -1.0, 1.0), x);
  return a >= 0.8 ? far : near;
}

/* sin((k + hi + lo) pi/2) for |hi| <= 1/2, lo below its last place */
DTRT_FN double dtrt_sin_part_f64(double hi, double lo, uint64_t k) {
  double r = hi * 0x1.921fb54442d18p+0, t = DTRT_FMA64(hi, 0x1.921fb54442d18p+0, -r);
  t = DTRT_FMA64(hi, 0x1.1a62633145c07p-54, DTRT_FMA64(lo, 0x1.921fb54442d18p+0, t));
  double z = r * r, half = 0.5 * z, one = 1.0 - half;
  double p = DTRT_FMA64(0x1.5d93012ba7190p-33, z, -0x1.ae5e663b93a66p-26);
  p = DTRT_FMA64(p, z, 0x1.71de3577b880ep-19);
  p = DTRT_FMA64(p, z, -0x1.a01a019c119c6p-13);
  p = DTRT_FMA64(p, z, 0x1.111111110f87ap-7);
  p = DTRT_FMA64(p, z, -0x1.5555555555549p-3);
  p = r + DTRT_FMA64(p * z, r, t * one);
  double q = DTRT_FMA64(-0x1.8fa4682e6bd47p-37, z, 0x1.1ee9d756b33f0p-29);
  q = DTRT_FMA64(q, z, -0x1.27e4f7ea3d2b9p-22);
  q = DTRT_FMA64(q, z, 0x1.a01a019c8397ap-16);
  q = DTRT_FMA64(q, z, -0x1.6c16c16c14f8ap-10);
  q = DTRT_FMA64(q, z, 0x1.555555555554bp-5);
  q = one + (((1.0 - one) - half) + DTRT_FMA64(q * z, z, -(r * t)));
  double v = (k & 1) ? q : p;
  return dtrt_from_bits_f64(dtrt_bits_f64(v) ^ ((k & 2) << 62));
}

/* ------------------------------------------------------------------ 3. arithmetic of all types */

/* Python's // and %: the quotient goes down, the remainder has the sign of b. NumPy's rules for
 * zeros and infinities: x % 0 is NaN, x // 0 is x / 0. min and max give NaN when either is NaN;
 * which of 0 and -0 they give is not promised. */
#define DTRT_FLOAT_ARITHMETIC(S, T)                                                                \
  DTRT_FN T dtrt_add_##S(T a, T b) { return a + b; }                                               \
  DTRT_FN T dtrt_sub_##S(T a, T b) { return a - b; }                                               \
  DTRT_FN T dtrt_mul_##S(T a, T b) { return a * b; }                                               \
  DTRT_FN T dtrt_div_##S(T a, T b) { return a / b; }                                               \
  DTRT_FN T dtrt_min_##S(T a, T b) { return ((a < b) | (a != a)) ? a : b; }                        \
  DTRT_FN T dtrt_max_##S(T a, T b) { return ((a > b) | (a != a)) ? a : b; }
DTRT_FLOAT_ARITHMETIC(f32, float)
DTRT_FLOAT_ARITHMETIC(f64, double)

/* fmod of two f32, b != 0. In f64 each step leaves what is below 2^-51 of it, whatever is lost in the
 * quotient, and is exact: it has at most 26 bits behind those that cancel. Of the largest quotient,
 * 2^277, the sixth leaves less than b; vectors have no other division with a remainder. */
DTRT_FN double dtrt_fmod_of_f32(double a, double b) {
#if defined __FMA__ || defined __aarch64__
  double x = __builtin_fabs(a), y = __builtin_fabs(b), by = 1 / y, m = x;
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = __builtin_fma(-__builtin_rint(m * by), y, m);
  m = m < 0 ? m + y : m;
  m = y > 0x1p200 ? x + (x - x) : m; /* infinity times 0 */
  return __builtin_copysign(m, a);
#else
  return __builtin_fmod(a, b);
#endif
}
/* Nothing on the way may be denormal, since it would be flushed to 0: f32 goes through f64, and small
 * f64 are scaled up, which is exact. */
DTRT_FN float dtrt_mod_f32(float a, float b) {
  double m = dtrt_fmod_of_f32((double)a, (double)b);
  float sum = __builtin_fabs(m) < 0x1p-126 ? (float)(m + (double)b) : (float)m + b;
  float r = ((b < 0) != (m < 0)) ? sum : (float)m;
  r = m == 0 ? __builtin_copysignf(0.0f, b) : r;
  return b == 0 ? DTRT_NAN_F32 : r;
}
/* a // b for b != 0 and m, their fmod, where neither a nor a multiple of b near it is denormal */
DTRT_FN double dtrt_floordiv_scaled(double a, double b, double m) {
  double d = (a - m) / b;
  d = ((m != 0) & ((b < 0) != (m < 0))) ? d - 1 : d;
  double f = __builtin_floor(d);
  f = d - f > 0.5 ? f + 1 : f;
  return d == 0 ? __builtin_copysign(0.0, a) * __builtin_copysign(1.0, b) : f;
}
DTRT_FN float dtrt_floordiv_f32(float a, float b) {
  double m = dtrt_fmod_of_f32((double)a, (double)b);
  return b == 0 ? a / b : (float)dtrt_floordiv_scaled((double)a, (double)b, m);
}
#define DTRT_SHARED static __attribute__((noinline, unused))

/* No part of a loop, where clang would compute it for all elements and choose afterwards. */
DTRT_SHARED double dtrt_fmod_libm(double a, double b) { return __builtin_fmod(a, b); }
/* fmod of two f64, b != 0, where |a| >= |b| or a is not denormal. A quotient below 2^53, rounded
 * and then truncated, is right or one too large, and what it leaves, a multiple of b's last place
 * below b, is exact; libm's fmod takes ten times as long. */
DTRT_FN double dtrt_fmod_of_f64(double a, double b) {
#if defined __FMA__ || defined __aarch64__
  double x = __builtin_fabs(a), y = __builtin_fabs(b), q = __builtin_trunc(x / y);
  int simple = (q < 0x1p53) & (y > 0x1p-900) & (y < __builtin_inf());
  if (__builtin_expect(simple, 1)) {
    double m = __builtin_fma(-q, y, x);
    return __builtin_copysign(m < 0 ? m + y : m, a);
  }
#endif
  return dtrt_fmod_libm(a, b);
}
/* Calls keep // and % of f64 from vectors, and branches on what is as often so as not would take
 * most of their time: here on signs that differ. Of two doubles compared clang makes none, of the
 * signs of integers it does. */
DTRT_FN double dtrt_mod_f64(double a, double b) {
  double m = dtrt_fmod_of_f64(a, b);
  m = __builtin_fabs(a) < __builtin_fabs(b) ? a : m;
  double r = (b < 0 ? -m : m) < 0 ? m + b : m;
  r = m == 0 ? __builtin_copysign(0.0, b) : r;
  return b == 0 ? DTRT_NAN_F64 : r;
}
DTRT_FN double dtrt_floordiv_f64(double a, double b) {
  int small = __builtin_fabs(a) < 0x1p-900, far = !small & (__builtin_fabs(b) < 0x1p-1000);
  double scale = small ? 0x1p120 : 1.0;
  double x = a * scale, y = b * scale;
  if (__builtin_expect(far, 0)) /* above 2^100, so an integer; NaN for infinity */
    return b == 0 ? a / b : a / b + (a - a);
  double m = dtrt_fmod_of_f64(x, y), d = (x - m) / y; /* as in dtrt_floordiv_scaled */
  d -= (double)((m != 0) & ((y < 0) != (m < 0)));
  double f = __builtin_floor(d);
  f += (double)(d - f > 0.5);
  uint64_t none = 0 - (uint64_t)(d == 0), sign = (dtrt_bits_f64(x) ^ dtrt_bits_f64(y)) & 1ull << 63;
  f = dtrt_from_bits_f64((dtrt_bits_f64(f) & ~none) | (sign & none));
  return b == 0 ? a / b : f;
}

/* Integers wrap. W: an unsigned type no narrower than int, in which + - * cannot overflow. */
#define DTRT_INT_ARITHMETIC(S, T, W)                                                               \
  DTRT_FN T dtrt_add_##S(T a, T b) { return (T)((W)a + (W)b); }                                    \
  DTRT_FN T dtrt_sub_##S(T a, T b) { return (T)((W)a - (W)b); }                                    \
  DTRT_FN T dtrt_mul_##S(T a, T b) { return (T)((W)a * (W)b); }                                    \
  DTRT_FN T dtrt_neg_##S(T a) { return (T)(0 - (W)a); }                                            \
  DTRT_FN T dtrt_min_##S(T a, T b) { return a < b ? a : b; }                                       \
  DTRT_FN T dtrt_max_##S(T a, T b) { return a > b ? a : b; }                                       \
  DTRT_FN T dtrt_floor_##S(T a) { return a; }                                                      \
  DTRT_FN T dtrt_ceil_##S(T a) { return a; }                                                       \
  DTRT_FN T dtrt_round_##S(T a) { return a; }
DTRT_INT_ARITHMETIC(i32, int32_t, uint32_t)
DTRT_INT_ARITHMETIC(i64, int64_t, uint64_t)

/* The most negative number is its own absolute value, as in NumPy. */
DTRT_FN int32_t dtrt_abs_i32(int32_t a) { return a < 0 ? dtrt_neg_i32(a) : a; }
DTRT_FN int64_t dtrt_abs_i64(int64_t a) { return a < 0 ? dtrt_neg_i64(a) : a; }
DTRT_FN int32_t dtrt_sign_i32(int32_t a) { return (a > 0) - (a < 0); }
DTRT_FN int64_t dtrt_sign_i64(int64_t a) { return (a > 0) - (a < 0); }

/* Python's // and %; x // 0 and x % 0 are 0, the most negative // -1 is itself.
 * 32 bits and fewer go through doubles, whose quotient, rounded, cannot pass an integer (that
 * would take 53 bits): vectors have no whole-number division. */
DTRT_FN int32_t dtrt_floordiv_i32(int32_t a, int32_t b) {
  int by_minus = b == -1;
  double d = (double)(((b == 0) | by_minus) ? 1 : b);
  int32_t q = (int32_t)__builtin_floor((double)a / d);
  q = by_minus ? dtrt_neg_i32(a) : q;
  return b == 0 ? 0 : q;
}
DTRT_FN int32_t dtrt_mod_i32(int32_t a, int32_t b) {
  int32_t r = dtrt_sub_i32(a, dtrt_mul_i32(dtrt_floordiv_i32(a, b), b));
  return b == 0 ? 0 : r;
}
DTRT_FN int64_t dtrt_floordiv_i64(int64_t a, int64_t b) {
  int by_minus = b == -1;
  int64_t d = ((b == 0) | by_minus) ? 1 : b, q = a / d, r = a % d;
  q -= (r != 0) & ((r < 0) != (d < 0));
  q = by_minus ? dtrt_neg_i64(a) : q;
  return b == 0 ? 0 : q;
}
DTRT_FN int64_t dtrt_mod_i64(int64_t a, int64_t b) {
  int64_t d = ((b == 0) | (b == -1)) ? 1 : b, r = a % d;
  /* clang makes a branch on signs of a choice */
  return r + (d & -(int64_t)((r != 0) & ((r < 0) != (d < 0))));
}

/* a ** b, wrapping. For b < 0: 0, but 1 for a = 1, and 1 or -1 for a = -1. Narrower types are the
 * low bits. */
DTRT_FN int64_t dtrt_pow_i64(int64_t a, int64_t b) {
  uint64_t r = 1, x = (uint64_t)a;
  for (uint64_t e = b < 0 ? 0 : (uint64_t)b; e; e >>= 1) {
    r *= e & 1 ? x : 1;
    x *= x;
  }
  int64_t below = a == 1 ? 1 : (a == -1 ? (b & 1 ? -1 : 1) : 0);
  return b < 0 ? below : (int64_t)r;
}
DTRT_FN int32_t dtrt_pow_i32(int32_t a, int32_t b) { return (int32_t)dtrt_pow_i64(a, b); }

/* ------------------------------------------------------------------ 4. casts and storage types */

/* Complex elements and their parts. */
DTRT_FN float dtrt_re_c64(float _Complex z) { return __real__ z; }
DTRT_FN float dtrt_im_c64(float _Complex z) { return __imag__ z; }
DTRT_FN double dtrt_re_c128(double _Complex z) { return __real__ z; }
DTRT_FN double dtrt_im_c128(double _Complex z) { return __imag__ z; }
DTRT_FN float _Complex dtrt_join_f32(float re, float im) {
  float _Complex z;
  __real__ z = re, __imag__ z = im;
  return z;
}
DTRT_FN double _Complex dtrt_join_f64(double re, double im) {
  double _Complex z;
  __real__ z = re, __imag__ z = im;
  return z;
}

/* dtrt_cast_FROM_TO. A float to an integer goes towards 0, saturates, and NaN gives 0 (C leaves
 * both open). An integer to a narrower one keeps the low bits. To bool: x != 0, so NaN is true.
 * `last` is the largest value of F that does not overflow T. */
#define DTRT_CAST_FLOAT_INT(FS, F, TS, T, lowest, last, highest)                                   \
  DTRT_FN T dtrt_cast_##FS##_##TS(F x) {                                                           \
    F y = x == x ? x : 0;                                                                          \
    y = y < (F)(lowest) ? (F)(lowest) : y;                                                         \
    T r = (T)(y > (F)(last) ? (F)(last) : y);                                                      \
    return y > (F)(last) ? (highest) : r;                                                          \
  }
#define DTRT_I32_MIN (-2147483647 - 1)
#define DTRT_I64_MIN (-9223372036854775807 - 1)
DTRT_CAST_FLOAT_INT(f32, float, i32, int32_t, -0x1p31, 0x1.fffffep30, 2147483647)
DTRT_CAST_FLOAT_INT(f32, float, i64, int64_t, -0x1p63, 0x1.fffffep62, 9223372036854775807)
DTRT_CAST_FLOAT_INT(f64, double, i32, int32_t, -0x1p31, 2147483647, 2147483647)
DTRT_CAST_FLOAT_INT(f64, double, i64, int64_t, -0x1p63, 0x1.fffffffffffffp62, 9223372036854775807)

#define DTRT_CAST(FS, F, TS, T)                                                                    \
  DTRT_FN T dtrt_cast_##FS##_##TS(F x) { return (T)x; }
#define DTRT_CAST_FROM(FS, F)                                                                      \
  DTRT_FN uint8_t dtrt_cast_##FS##_bool(F x) { return x != 0; }                                    \
  DTRT_CAST(FS, F, f32, float) DTRT_CAST(FS, F, f64, double)
#define DTRT_CAST_FROM_INT(FS, F)                                                                  \
  DTRT_CAST_FROM(FS, F)                                                                            \
  DTRT_CAST(FS, F, i32, int32_t) DTRT_CAST(FS, F, i64, int64_t)
DTRT_CAST_FROM(f32, float)
DTRT_CAST_FROM(f64, double)
DTRT_CAST_FROM_INT(bool, uint8_t)
DTRT_CAST_FROM_INT(i32, int32_t)
DTRT_CAST_FROM_INT(i64, int64_t)

/* Integers other than i32 and i64: all of 3 and 4 again. Guarded like a header of its own: the
 * compiler leaves out what a program does not use. */
#ifndef DTRT_INTS_H
#define DTRT_INTS_H
DTRT_INT_ARITHMETIC(u8, uint8_t, uint32_t)
DTRT_INT_ARITHMETIC(i8, int8_t, uint32_t)
DTRT_INT_ARITHMETIC(i16, int16_t, uint32_t)
DTRT_INT_ARITHMETIC(u16, uint16_t, uint32_t)
DTRT_INT_ARITHMETIC(u32, uint32_t, uint32_t)
DTRT_INT_ARITHMETIC(u64, uint64_t, uint64_t)

DTRT_FN uint8_t dtrt_abs_u8(uint8_t a) { return a; }
DTRT_FN int8_t dtrt_abs_i8(int8_t a) { return a < 0 ? dtrt_neg_i8(a) : a; }
DTRT_FN int16_t dtrt_abs_i16(int16_t a) { return a < 0 ? dtrt_neg_i16(a) : a; }
DTRT_FN uint16_t dtrt_abs_u16(uint16_t a) { return a; }
DTRT_FN uint32_t dtrt_abs_u32(uint32_t a) { return a; }
DTRT_FN uint64_t dtrt_abs_u64(uint64_t a) { return a; }
DTRT_FN uint8_t dtrt_sign_u8(uint8_t a) { return a > 0; }
DTRT_FN int8_t dtrt_sign_i8(int8_t a) { return (int8_t)((a > 0) - (a < 0)); }
DTRT_FN int16_t dtrt_sign_i16(int16_t a) { return (int16_t)((a > 0) - (a < 0)); }
DTRT_FN uint16_t dtrt_sign_u16(uint16_t a) { return a > 0; }
DTRT_FN uint32_t dtrt_sign_u32(uint32_t a) { return a > 0; }
DTRT_FN uint64_t dtrt_sign_u64(uint64_t a) { return a > 0; }

DTRT_FN uint8_t dtrt_floordiv_u8(uint8_t a, uint8_t b) { return (uint8_t)dtrt_floordiv_i32(a, b); }
DTRT_FN uint8_t dtrt_mod_u8(uint8_t a, uint8_t b) { return (uint8_t)dtrt_mod_i32(a, b); }
DTRT_FN int8_t dtrt_floordiv_i8(int8_t a, int8_t b) { return (int8_t)dtrt_floordiv_i32(a, b); }
DTRT_FN int8_t dtrt_mod_i8(int8_t a, int8_t b) { return (int8_t)dtrt_mod_i32(a, b); }
DTRT_FN int16_t dtrt_floordiv_i16(int16_t a, int16_t b) { return (int16_t)dtrt_floordiv_i32(a, b); }
DTRT_FN int16_t dtrt_mod_i16(int16_t a, int16_t b) { return (int16_t)dtrt_mod_i32(a, b); }
DTRT_FN uint16_t dtrt_floordiv_u16(uint16_t a, uint16_t b) {
  return (uint16_t)dtrt_floordiv_i32(a, b);
}
DTRT_FN uint16_t dtrt_mod_u16(uint16_t a, uint16_t b) { return (uint16_t)dtrt_mod_i32(a, b); }
DTRT_FN uint32_t dtrt_floordiv_u32(uint32_t a, uint32_t b) { return b ? a / b : 0; }
DTRT_FN uint32_t dtrt_mod_u32(uint32_t a, uint32_t b) { return b ? a % b : 0; }
DTRT_FN uint64_t dtrt_floordiv_u64(uint64_t a, uint64_t b) { return b ? a / b : 0; }
DTRT_FN uint64_t dtrt_mod_u64(uint64_t a, uint64_t b) { return b ? a % b : 0; }

DTRT_FN int8_t dtrt_pow_i8(int8_t a, int8_t b) { return (int8_t)dtrt_pow_i64(a, b); }
DTRT_FN uint8_t dtrt_pow_u8(uint8_t a, uint8_t b) { return (uint8_t)dtrt_pow_i64(a, b); }
DTRT_FN int16_t dtrt_pow_i16(int16_t a, int16_t b) { return (int16_t)dtrt_pow_i64(a, b); }
DTRT_FN uint16_t dtrt_pow_u16(uint16_t a, uint16_t b) { return (uint16_t)dtrt_pow_i64(a, b); }
DTRT_FN uint32_t dtrt_pow_u32(uint32_t a, uint32_t b) { return (uint32_t)dtrt_pow_i64(a, b); }
DTRT_FN uint64_t dtrt_pow_u64(uint64_t a, uint64_t b) {
  uint64_t r = 1;
  for (; b; b >>= 1) {
    r *= b & 1 ? a : 1;
    a *= a;
  }
  return r;
}

DTRT_CAST_FLOAT_INT(f32, float, i8, int8_t, -128, 127, 127)
DTRT_CAST_FLOAT_INT(f32, float, u8, uint8_t, 0, 255, 255)
DTRT_CAST_FLOAT_INT(f32, float, i16, int16_t, -32768, 32767, 32767)
DTRT_CAST_FLOAT_INT(f32, float, u16, uint16_t, 0, 65535, 65535)
DTRT_CAST_FLOAT_INT(f32, float, u32, uint32_t, 0, 0x1.fffffep31, 4294967295u)
DTRT_CAST_FLOAT_INT(f32, float, u64, uint64_t, 0, 0x1.fffffep63, 18446744073709551615u)
DTRT_CAST_FLOAT_INT(f64, double, i8, int8_t, -128, 127, 127)
DTRT_CAST_FLOAT_INT(f64, double, u8, uint8_t, 0, 255, 255)
DTRT_CAST_FLOAT_INT(f64, double, i16, int16_t, -32768, 32767, 32767)
DTRT_CAST_FLOAT_INT(f64, double, u16, uint16_t, 0, 65535, 65535)
DTRT_CAST_FLOAT_INT(f64, double, u32, uint32_t, 0, 4294967295.0, 4294967295u)
DTRT_CAST_FLOAT_INT(f64, double, u64, uint64_t, 0, 0x1.fffffffffffffp63, 18446744073709551615u)

#define DTRT_CAST_TO_INTS(FS, F)                                                                   \
  DTRT_CAST(FS, F, u8, uint8_t) DTRT_CAST(FS, F, i8, int8_t)                                       \
  DTRT_CAST(FS, F, u16, uint16_t) DTRT_CAST(FS, F, i16, int16_t)                                   \
  DTRT_CAST(FS, F, u32, uint32_t) DTRT_CAST(FS, F, u64, uint64_t)
#define DTRT_CAST_INTS(FS, F) DTRT_CAST_FROM_INT(FS, F) DTRT_CAST_TO_INTS(FS, F)
DTRT_CAST_TO_INTS(bool, uint8_t)
DTRT_CAST_TO_INTS(i32, int32_t)
DTRT_CAST_TO_INTS(i64, int64_t)
DTRT_CAST_INTS(u8, uint8_t)
DTRT_CAST_INTS(i8, int8_t)
DTRT_CAST_INTS(i16, int16_t)
DTRT_CAST_INTS(u16, uint16_t)
DTRT_CAST_INTS(u32, uint32_t)
DTRT_CAST_INTS(u64, uint64_t)
#endif

/* bf16 and f16 lie in memory as their bits. Rounding is to nearest, halves to even; too large
 * becomes inf; NaN stays NaN. */
DTRT_FN float dtrt_bf16_to_f32(uint16_t h) { return dtrt_from_bits_f32((uint32_t)h << 16); }
DTRT_FN uint16_t dtrt_f32_to_bf16(float x) {
  uint32_t u = dtrt_bits_f32(x), r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : r);
}
/* What CPUs have instructions for, clang makes vectors of; the bits are the same. The lowest 13 bits
 * are 0 without being masked: clang would compare, or take functions of, the f16 instead of the f32
 * that is the same number, for which CPUs have no instructions. */
#if defined(__clang__) && __clang_major__ >= 15 && defined(__F16C__)
DTRT_FN float dtrt_f16_to_f32(uint16_t h) {
  _Float16 x;
  __builtin_memcpy(&x, &h, sizeof x);
  return dtrt_from_bits_f32(dtrt_bits_f32((float)x) & 0xffffe000u);
}
DTRT_FN uint16_t dtrt_f32_to_f16(float x) {
  _Float16 h = (_Float16)x;
  uint16_t r;
  __builtin_memcpy(&r, &h, sizeof r);
  return r;
}
#else
DTRT_FN float dtrt_f16_to_f32(uint16_t h) {
  uint32_t m = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
  /* a denormal is put under the bits of 1/2, whose unit is 2^-24 */
  uint32_t denormal = dtrt_bits_f32(dtrt_from_bits_f32(m | 0x3f000000u) - 0.5f);
  uint32_t r = (m << 13) + (m < 0x7c00u ? 112u << 23 : 224u << 23);
  r |= m > 0x7c00u ? 0x400000u : 0; /* a signalling NaN is a quiet one from here on */
  return dtrt_from_bits_f32((m < 0x400u ? denormal : r) | sign);
}
DTRT_FN uint16_t dtrt_f32_to_f16(float x) {
  uint32_t u = dtrt_bits_f32(x), a = u & 0x7fffffffu;
  uint32_t r = (a - (112u << 23) + 0xfffu + ((a >> 13) & 1u)) >> 13;
  uint32_t denormal = dtrt_bits_f32(dtrt_from_bits_f32(a) + 0.5f) - 0x3f000000u;
  r = a < 0x38800000u ? denormal : r;
  r = a >= 0x477ff000u ? 0x7c00u : r;
  r = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : r;
  return (uint16_t)(r | (u >> 31 << 15));
}
#endif
/* f8e4m3 has no infinity: finite numbers beyond its largest, 448, become that, infinity becomes NaN.
 * f8e5m2 is the upper half of an f16: too large becomes infinity. */
DTRT_FN float dtrt_f8e4m3_to_f32(uint8_t h) {
  uint32_t m = h & 0x7fu, sign = (uint32_t)(h & 0x80u) << 24;
  uint32_t denormal = dtrt_bits_f32((float)(int32_t)m * 0x1p-9f), r = (m << 20) + (120u << 23);
  r = m < 8u ? denormal : r;
  r = m == 0x7fu ? 0x7fc00000u : r;
  return dtrt_from_bits_f32(r | sign);
}
DTRT_FN uint8_t dtrt_f32_to_f8e4m3(float x) {
  uint32_t u = dtrt_bits_f32(x), a = u & 0x7fffffffu;
  uint32_t r = (a - (120u << 23) + 0x7ffffu + ((a >> 20) & 1u)) >> 20;
  /* below 2^-6 adding 2^14, whose unit is 2^-9, rounds */
  uint32_t denormal = dtrt_bits_f32(dtrt_from_bits_f32(a) + 0x1p14f) - 0x46800000u;
  r = a < 0x3c800000u ? denormal : r;
  r = a > 0x43e00000u ? 0x7eu : r;
  r = a >= 0x7f800000u ? 0x7fu : r;
  return (uint8_t)(r | (u >> 31 << 7));
}
DTRT_FN float dtrt_f8e5m2_to_f32(uint8_t h) { return dtrt_f16_to_f32((uint16_t)(h << 8)); }
DTRT_FN uint8_t dtrt_f32_to_f8e5m2(float x) {
  uint32_t u = dtrt_bits_f32(x), a = u & 0x7fffffffu;
  uint32_t r = (a - (112u << 23) + 0xfffffu + ((a >> 21) & 1u)) >> 21;
  uint32_t denormal = dtrt_bits_f32(dtrt_from_bits_f32(a) + 0x1p7f) - 0x43000000u;
  r = a < 0x38800000u ? denormal : r;
  r = a >= 0x47700000u ? 0x7cu : r; /* 61440 and more */
  r = a > 0x7f800000u ? 0x7eu : r;
  return (uint8_t)(r | (u >> 31 << 7));
}
/* f64 to f32 with the last bit set when inexact, so that rounding again to a short type rounds
 * once. */
DTRT_FN float dtrt_f64_to_odd_f32(double x) {
  float f = (float)x;
  double a = __builtin_fabs(x), b = (double)__builtin_fabsf(f);
  uint32_t u = dtrt_bits_f32(f);
  u = b > a ? u - 1u : u;
  return dtrt_from_bits_f32(((b > a) | (b < a)) ? u | 1u : u);
}
/* An i32 or a u32 as an f32 that rounds to a shorter type as the integer would: beyond 2^24, where
 * f16 ends and bf16 sees 8 bits, the low 16 bits become one that says whether there are any. */
DTRT_FN float dtrt_i32_to_odd_f32(int32_t x) {
  int large = (x >= 1 << 24) | (x <= -(1 << 24));
  uint32_t u = (uint32_t)x, y = (u & ~0xffffu) | ((u & 0xffffu) ? 0x8000u : 0u);
  return (float)(int32_t)(large ? y : u);
}
DTRT_FN float dtrt_u32_to_odd_f32(uint32_t x) {
  uint32_t y = (x & ~0xffffu) | ((x & 0xffffu) ? 0x8000u : 0u);
  return (float)(x >= 1u << 24 ? y : x);
}
/* An i64 as an f64 that rounds to a type of 32 bits or fewer as the i64 would: beyond 2^53 the low 16
 * bits, which no such rounding sees one by one, become one bit that says whether there are any. */
DTRT_FN double dtrt_i64_to_odd_f64(int64_t x) {
  int large = (x >= ((int64_t)1 << 53)) | (x <= -((int64_t)1 << 53));
  uint64_t u = (uint64_t)x, y = (u & ~(uint64_t)0xffff) | ((u & 0xffff) ? 0x8000u : 0u);
  return (double)(int64_t)(large ? y : u);
}
DTRT_FN double dtrt_u64_to_odd_f64(uint64_t x) {
  uint64_t y = (x & ~(uint64_t)0xffff) | ((x & 0xffff) ? 0x8000u : 0u);
  return (double)(x >= (uint64_t)1 << 53 ? y : x);
}
DTRT_FN uint8_t dtrt_f64_to_f8e4m3(double x) { return dtrt_f32_to_f8e4m3(dtrt_f64_to_odd_f32(x)); }
DTRT_FN uint8_t dtrt_f64_to_f8e5m2(double x) { return dtrt_f32_to_f8e5m2(dtrt_f64_to_odd_f32(x)); }
DTRT_FN uint16_t dtrt_f64_to_bf16(double x) { return dtrt_f32_to_bf16(dtrt_f64_to_odd_f32(x)); }
DTRT_FN uint16_t dtrt_f64_to_f16(double x) { return dtrt_f32_to_f16(dtrt_f64_to_odd_f32(x)); }

/* ------------------------------------------------------------------ 5. random numbers */

/* docs/random.md says what each value is. */

/* Philox 4x32-10: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3. */
DTRT_FN void dtrt_philox(uint32_t k0, uint32_t k1, uint32_t c0, uint32_t c1, uint32_t c2,
                         uint32_t c3, uint32_t out[4]) {
/* Written out: a loop would depend on being unrolled for the caller's loop to vectorise. */
#define DTRT_PHILOX_ROUND(r)                                                                       \
  do {                                                                                             \
    uint64_t p = (uint64_t)0xD2511F53u * c0, q = (uint64_t)0xCD9E8D57u * c2;                       \
    c0 = (uint32_t)(q >> 32) ^ c1 ^ (k0 + r##u * 0x9E3779B9u);                                     \
    c2 = (uint32_t)(p >> 32) ^ c3 ^ (k1 + r##u * 0xBB67AE85u);                                     \
    c1 = (uint32_t)q;                                                                              \
    c3 = (uint32_t)p;                                                                              \
  } while (0)
  DTRT_PHILOX_ROUND(0);
  DTRT_PHILOX_ROUND(1);
  DTRT_PHILOX_ROUND(2);
  DTRT_PHILOX_ROUND(3);
  DTRT_PHILOX_ROUND(4);
  DTRT_PHILOX_ROUND(5);
  DTRT_PHILOX_ROUND(6);
  DTRT_PHILOX_ROUND(7);
  DTRT_PHILOX_ROUND(8);
  DTRT_PHILOX_ROUND(9);
#undef DTRT_PHILOX_ROUND
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* A bijection of 64 bits: the finalizer of splitmix64 */
DTRT_FN uint64_t dtrt_mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
/* The Philox key of one random call. For one seed, different streams have different keys. */
DTRT_FN uint64_t dtrt_seed_word(uint64_t seed) { return dtrt_mix64(seed + 0x9E3779B97F4A7C15u); }
DTRT_FN uint64_t dtrt_word_key(uint64_t word, int64_t stream) {
  return dtrt_mix64((uint64_t)stream ^ word);
}
DTRT_FN uint64_t dtrt_stream_key(uint64_t seed, uint64_t stream) {
  return dtrt_word_key(dtrt_seed_word(seed), (int64_t)stream);
}
DTRT_FN void dtrt_random_words(uint64_t key, uint64_t step, int64_t i, uint32_t out[4]) {
  uint64_t u = (uint64_t)i;
  dtrt_philox((uint32_t)key, (uint32_t)(key >> 32), (uint32_t)u, (uint32_t)(u >> 32),
              (uint32_t)step, (uint32_t)(step >> 32), out);
}

/* Element i of a call at a step. Those named _key take dtrt_stream_key's result, for loops. */
DTRT_FN float dtrt_uniform_of_f32(uint32_t w) { return (float)(int32_t)(w >> 8) * 0x1p-24f; }
DTRT_FN float dtrt_uniform_key_f32(uint64_t key, uint64_t step, int64_t i) { /* [0, 1) */
  uint32_t w[4];
  dtrt_random_words(key, step, i, w);
  return dtrt_uniform_of_f32(w[0]);
}
DTRT_FN double dtrt_unit_f64(uint32_t hi, uint32_t lo) { /* top 53 bits of 64, in [0, 1) */
  return DTRT_FMA64((double)(int32_t)(hi >> 5), 0x1p-27,
                    (double)(int32_t)((lo >> 11) | (hi & 31u) << 21) * 0x1p-53);
}
DTRT_FN double dtrt_uniform_key_f64(uint64_t key, uint64_t step, int64_t i) { /* [0, 1) */
  uint32_t w[4];
  dtrt_random_words(key, step, i, w);
  return dtrt_unit_f64(w[0], w[1]);
}

/* Mean 0, variance 1, by Box and Muller: sqrt(-2 log(u)) cos(2 pi v), u in (0, 1] from word 0, v in
 * [0, 1) from word 1. The largest value is 6.77. */
DTRT_FN float dtrt_normal_of_f32(uint32_t w0, uint32_t w1) {
  float u = DTRT_FMA32((float)w0, 0x1p-32f, 0x1p-33f);
  float radius = DTRT_SQRT32(-2.0f * dtrt_log_mid_f32(u, 0.0f));
  /* v = (quarter + r) / 4 exactly, -1/2 <= r < 1/2 */
  uint32_t v = w1 >> 8, quarter = (v + (1u << 21)) >> 22;
  float r = (float)((int32_t)v - (int32_t)(quarter << 22)) * 0x1.921fb6p-22f, s = r * r;
  float p = DTRT_FMA32(-0x1.9952fap-13f, s, 0x1.110776p-7f);
  p = DTRT_FMA32(p, s, -0x1.555546p-3f);
  p = DTRT_FMA32(p * s, r, r); /* sin(r pi/2) */
  float q = DTRT_FMA32(0x1.9a6766p-16f, s, -0x1.6c0e2ep-10f);
  q = DTRT_FMA32(q, s, 0x1.55554ep-5f);
  q = DTRT_FMA32(q, s, -0.5f);
  q = DTRT_FMA32(q, s, 1.0f); /* cos(r pi/2) */
  float c = (quarter & 1u) ? p : q;
  c = dtrt_from_bits_f32(dtrt_bits_f32(c) ^ ((quarter + 1u) & 2u) << 30);
  return radius * c;
}
DTRT_FN float dtrt_normal_key_f32(uint64_t key, uint64_t step, int64_t i) {
  uint32_t w[4];
  dtrt_random_words(key, step, i, w);
  return dtrt_normal_of_f32(w[0], w[1]);
}
/* The same from words 0, 1 and words 2, 3. The largest value is 8.57. */
DTRT_FN double dtrt_normal_key_f64(uint64_t key, uint64_t step, int64_t i) {
  uint32_t w[4];
  dtrt_random_words(key, step, i, w);
  double u = dtrt_unit_f64(w[0], w[1]) + 0x1p-53, v = dtrt_unit_f64(w[2], w[3]);
  double t = DTRT_FMA64(4.0, v, DTRT_ROUND64), part = 4.0 * v - (t - DTRT_ROUND64); /* exact */
  return DTRT_SQRT64(-2.0 * dtrt_log_f64(u)) * dtrt_sin_part_f64(part, 0.0, dtrt_bits_f64(t) + 1);
}
/* Elements [first, first + n) of a call into memory, where programs need not compile them. */
void dtrt_draw_uniform_f32(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n);
void dtrt_draw_normal_f32(float *to, uint64_t key, uint64_t step, int64_t first, int64_t n);
DTRT_FN uint8_t dtrt_bernoulli_key(uint64_t key, uint64_t step, int64_t i, float p) {
  return dtrt_uniform_key_f32(key, step, i) < p;
}

DTRT_FN float dtrt_uniform_f32(uint64_t seed, uint64_t stream, uint64_t step, int64_t i) {
  return dtrt_uniform_key_f32(dtrt_stream_key(seed, stream), step, i);
}
DTRT_FN double dtrt_uniform_f64(uint64_t seed, uint64_t stream, uint64_t step, int64_t i) {
  return dtrt_uniform_key_f64(dtrt_stream_key(seed, stream), step, i);
}
DTRT_FN float dtrt_normal_f32(uint64_t seed, uint64_t stream, uint64_t step, int64_t i) {
  return dtrt_normal_key_f32(dtrt_stream_key(seed, stream), step, i);
}
DTRT_FN double dtrt_normal_f64(uint64_t seed, uint64_t stream, uint64_t step, int64_t i) {
  return dtrt_normal_key_f64(dtrt_stream_key(seed, stream), step, i);
}
/* 1 with probability p: uniform < p */
DTRT_FN uint8_t dtrt_bernoulli(uint64_t seed, uint64_t stream, uint64_t step, int64_t i, float p) {
  return dtrt_bernoulli_key(dtrt_stream_key(seed, stream), step, i, p);
}

/* How many elements are stored of the last n of a line: where vectors have masks whole vectors of
 * `width`, with identities behind the elements. */
#if defined(__clang__) && defined(__AVX512VL__)
#define DTRT_REST(n, width) (((n) + (width)-1) / (width) * (width))
#else
#define DTRT_REST(n, width) (n)
#endif

/* ------------------------------------------------------------------ lanes */
/* Guarded like a header of its own: the compiler leaves out what a program does not use. */
#ifndef DTRT_LANES_H
#define DTRT_LANES_H

/* Reductions along a line of floats: element i goes to lane i mod DTRT_LANES, and lane i is joined at
 * the end with i + 16, with i + 8, and so on down to one. Of sums and products a lane takes
 * DTRT_SUM_BLOCK elements in sequence, and such blocks are combined pairwise (docs/sums.md). That
 * is the order on every CPU, whatever its vectors; a short last turn is filled up with what changes
 * nothing. */
#define DTRT_LANES 32
#define DTRT_JOIN_sum(V, M, a, b) ((a) + (b))
#define DTRT_JOIN_prod(V, M, a, b) ((a) * (b))
#define DTRT_SELECT(V, M, m, a, b) ((V)(((m) & (M)(a)) | (~(m) & (M)(b))))
/* As dtrt_max and dtrt_min. The inner choice is one instruction of x86, which gives b if either is
 * NaN; one comparison more finds where a is. That a NaN of a is chosen as a quiet one, which it is
 * already unless it came with the data, keeps clang from joining both into two comparisons. */
#define DTRT_QUIET_BIT(M) (((M){0} + 1) << (sizeof(((M){0})[0]) == 4 ? 22 : 51))
#define DTRT_SELECT_NUMBER(V, M, better, a, b)                                                     \
  DTRT_SELECT(V, M, (a) != (a), (M)(a) | DTRT_QUIET_BIT(M), DTRT_SELECT(V, M, better, a, b))
#define DTRT_JOIN_max(V, M, a, b) DTRT_SELECT_NUMBER(V, M, (a) > (b), a, b)
#define DTRT_JOIN_min(V, M, a, b) DTRT_SELECT_NUMBER(V, M, (a) < (b), a, b)
#define DTRT_LANES_OF(S, T, I)                                                                     \
  typedef T dtrt_lanes_##S __attribute__((vector_size(DTRT_LANES * sizeof(T))));                   \
  typedef T dtrt_lanes16_##S __attribute__((vector_size(16 * sizeof(T))));                         \
  typedef T dtrt_lanes8_##S __attribute__((vector_size(8 * sizeof(T))));                           \
  typedef T dtrt_lanes4_##S __attribute__((vector_size(4 * sizeof(T))));                           \
  typedef I dtrt_mask_##S __attribute__((vector_size(DTRT_LANES * sizeof(T))));                    \
  typedef I dtrt_mask16_##S __attribute__((vector_size(16 * sizeof(T))));                          \
  typedef I dtrt_mask8_##S __attribute__((vector_size(8 * sizeof(T))));                            \
  typedef I dtrt_mask4_##S __attribute__((vector_size(4 * sizeof(T))));                            \
  DTRT_FN T dtrt_sum_##S(T a, T b) { return a + b; }                                               \
  DTRT_FN T dtrt_prod_##S(T a, T b) { return a * b; }
/* The lower half of the lanes joined with the upper. */
#define DTRT_HALVES(OP, S, T, W, from)                                                             \
  dtrt_lanes##W##_##S a##W, b##W;                                                                  \
  __builtin_memcpy(&a##W, from, sizeof a##W);                                                      \
  __builtin_memcpy(&b##W, (const T *)(from) + W, sizeof b##W);                                     \
  a##W = DTRT_JOIN_##OP(dtrt_lanes##W##_##S, dtrt_mask##W##_##S, a##W, b##W)
#define DTRT_LINE(OP, S, T)                                                                        \
  /* An element for each lane. */                                                                  \
  DTRT_FN void dtrt_accumulate_##OP##_##S(dtrt_lanes_##S *acc, const T *line) {                    \
    dtrt_lanes_##S a = *acc, b;                                                                    \
    __builtin_memcpy(&b, line, sizeof b);                                                          \
    *acc = DTRT_JOIN_##OP(dtrt_lanes_##S, dtrt_mask_##S, a, b);                                    \
  }                                                                                                \
  DTRT_FN T dtrt_line_##OP##_##S(const dtrt_lanes_##S *acc) {                                      \
    T t[4];                                                                                        \
    DTRT_HALVES(OP, S, T, 16, acc);                                                                \
    DTRT_HALVES(OP, S, T, 8, &a16);                                                                \
    DTRT_HALVES(OP, S, T, 4, &a8);                                                                 \
    __builtin_memcpy(t, &a4, sizeof t);                                                            \
    return dtrt_##OP##_##S(dtrt_##OP##_##S(t[0], t[2]), dtrt_##OP##_##S(t[1], t[3]));              \
  }
/* The place of the first of the best, among `found` (-1: none), which is `best`, and n elements
 * from place `at` on. NaN is better than numbers. Most turns have none that is better. */
#define DTRT_FIND(OP, BETTER, WORSE, S, T)                                                         \
  DTRT_FN int64_t dtrt_find_##OP##_##S(T *best, const T *line, int64_t n, int64_t at,              \
                                       int64_t found) {                                            \
    const T had = *best;                                                                           \
    if (found >= 0 && had != had) return found;                                                    \
    if (found >= 0 && n == DTRT_LANES) {                                                           \
      int any = 0;                                                                                 \
      for (int i = 0; i < DTRT_LANES; i++) any |= !(line[i] WORSE had);                            \
      if (!any) return found;                                                                      \
    }                                                                                              \
    for (int64_t i = 0; i < n; i++) {                                                              \
      const T x = line[i];                                                                         \
      if (found < 0 || x BETTER *best || (x != x && *best == *best)) *best = x, found = at + i;    \
    }                                                                                              \
    return found;                                                                                  \
  }
/* Pairwise combination of blocks: partial[j] combines 2^j of them, where bit j of their number is
 * set. `carry` takes block number `block`, counted from 0; `fold` combines all `blocks` and the
 * last, unfinished one. */
#define DTRT_PAIRWISE(OP, S, V, name, one)                                                         \
  DTRT_SHARED void dtrt_combine_##name##_##S(V *partial, int64_t block, const V *acc) {            \
    V v = *acc;                                                                                    \
    int j = 0;                                                                                     \
    for (; block >> j & 1; j++) v = DTRT_JOIN_##OP(V, , partial[j], v);                            \
    partial[j] = v;                                                                                \
  }                                                                                                \
  DTRT_FN void dtrt_carry_##name##_##S(V *partial, int64_t block, V *acc) {                        \
    V v = *acc;                                                                                    \
    if (block & 1)                                                                                 \
      dtrt_combine_##name##_##S(partial, block, &v);                                               \
    else                                                                                           \
      partial[0] = v;                                                                              \
    *acc = (V){0} + (one);                                                                         \
  }                                                                                                \
  DTRT_FN void dtrt_fold_##name##_##S(const V *partial, int64_t blocks, V *acc) {                  \
    V v = *acc;                                                                                    \
    for (int j = 0; blocks >> j; j++)                                                              \
      if (blocks >> j & 1) v = DTRT_JOIN_##OP(V, , partial[j], v);                                 \
    *acc = v;                                                                                      \
  }
/* Rows of n elements, `size` from one to the next: even blocks are added up in row 0, odd ones in
 * row 1; row j + 1 combines 2^j blocks, j > 0. `carry` ends an odd block; `fold` combines what
 * there is, with `rest` also the unfinished block. The sums of `units`, whole subtrees, lie one
 * after the other: `join_rows` has their sum; of a line (`join_lines`), these are lanes. `sum_rows`
 * does all of it for rows of n elements that lie in memory, `stride` elements from one to the next,
 * `some` at a time: rows `first` and on of `all`, `rows` of them, and with the last of all their
 * sum; `in_units` so for each unit of `unit` rows, whose sums are `whole` elements apart, and which
 * has `levels` rows of partial results. They are the runtime's, so that programs need not compile
 * them. */
#define DTRT_PAIRWISE_ROWS(OP, S, T)                                                               \
  void dtrt_carry_row_##OP##_##S(T *partial, int64_t n, int64_t size, int64_t block);              \
  void dtrt_fold_row_##OP##_##S(T *to, const T *partial, int64_t n, int64_t size, int64_t blocks,  \
                                int rest);                                                         \
  void dtrt_join_rows_##OP##_##S(void *result, void *sums, int64_t n, int64_t units);              \
  void dtrt_join_lines_##OP##_##S(void *result, void *lanes, int64_t n, int64_t units);
#define DTRT_SUM_ROWS(S, T)                                                                        \
  void dtrt_sum_rows_##S(T *to, T *partial, int64_t size, const T *x, int64_t stride, int64_t n,   \
                         int64_t first, int64_t rows, int64_t all, int some);                      \
  void dtrt_sum_rows_in_units_##S(T *sums, T *partial, int64_t size, int64_t whole, int64_t unit,  \
                                  int64_t levels, const T *x, int64_t stride, int64_t n,           \
                                  int64_t first, int64_t rows, int64_t all, int some);
/* Running sums. After block number `block` the sum of all blocks so far is returned: whole subtrees
 * of 2^k blocks, added from the largest to the smallest. partial[k] holds the subtree of bit k of
 * their number, above[k] that and all larger ones. The rows of dtrt_scan_rows_f32 are one of zeros,
 * `levels` of above, and then as dtrt_carry_row_sum_f32 has them. */
#define DTRT_RUNNING(S, T)                                                                         \
  DTRT_FN T dtrt_scan_##S(T *partial, T *above, int64_t block, T acc) {                            \
    int k = 0;                                                                                     \
    for (; block >> k & 1; k++) acc = partial[k] + acc;                                            \
    partial[k] = acc;                                                                              \
    const int64_t larger = block >> k << k;                                                        \
    above[k] = larger ? above[__builtin_ctzll((uint64_t)larger)] + acc : acc;                      \
    return above[k];                                                                               \
  }                                                                                                \
  T *dtrt_scan_rows_##S(T *partial, int64_t n, int64_t levels, int64_t block);
#define DTRT_PAIRWISE_OF(S, T)                                                                     \
  DTRT_PAIRWISE(sum, S, T, sum, 0)                                                                 \
  DTRT_PAIRWISE(prod, S, T, prod, 1)                                                               \
  DTRT_PAIRWISE(sum, S, dtrt_lanes_##S, lanes_sum, 0)                                              \
  DTRT_PAIRWISE(prod, S, dtrt_lanes_##S, lanes_prod, 1)                                            \
  DTRT_PAIRWISE_ROWS(sum, S, T)                                                                    \
  DTRT_PAIRWISE_ROWS(prod, S, T)                                                                   \
  DTRT_SUM_ROWS(S, T)                                                                              \
  DTRT_RUNNING(S, T)
DTRT_LANES_OF(f32, float, int32_t)
DTRT_PAIRWISE_OF(f32, float)
DTRT_LINE(sum, f32, float)
DTRT_LINE(prod, f32, float)
DTRT_LINE(max, f32, float)
DTRT_LINE(min, f32, float)
DTRT_FIND(max, >, <=, f32, float)
DTRT_FIND(min, <, >=, f32, float)
#ifndef DTRT_LANES_F64_H /* as above */
#define DTRT_LANES_F64_H
DTRT_LANES_OF(f64, double, int64_t)
DTRT_PAIRWISE_OF(f64, double)
DTRT_LINE(sum, f64, double)
DTRT_LINE(prod, f64, double)
DTRT_LINE(max, f64, double)
DTRT_LINE(min, f64, double)
DTRT_FIND(max, >, <=, f64, double)
DTRT_FIND(min, <, >=, f64, double)
#endif
#endif

#endif
