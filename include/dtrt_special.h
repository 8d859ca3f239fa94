/* dtrt_special.h: elementary and special functions that few programs use, and those of bits.
 * Included by dtrt.h after dtrt_math.h, whose law it keeps: a result is a function of the arguments
 * alone, to the bit. f32 functions compute in f64 without branches, so that loops vectorise, and
 * round once; polygamma alone is a loop. Accuracy is in units in the last place (ulp), as
 * tests/unit/special.c sees it. Of the f64 functions lgamma alone calls libm. */
#ifndef DTRT_SPECIAL_H
#define DTRT_SPECIAL_H

#define DTRT_LN2 0x1.62e42fefa39efp-1
#define DTRT_PI 0x1.921fb54442d18p+1

/* ------------------------------------------------------------------ 1. in f64, to 2^-30 */

/* ln(x) for x > 0, normal and finite */
DTRT_FN double dtrt_ln_wide(double x) { return DTRT_LN2 * dtrt_log2_poly_f64(x); }
/* e^x for |x| <= 138 */
DTRT_FN double dtrt_exp_wide(double x) { return dtrt_exp2_poly_f64(x * 0x1.71547652b82fep+0); }

/* (asin(z) - z) / z^3 for s = z^2 <= 1/4 */
DTRT_FN double dtrt_asin_poly(double s) {
  double p = DTRT_FMA64(0x1.e0231588b1e55p-6, s, 0x1.64b97e009bd03p-8);
  p = DTRT_FMA64(p, s, 0x1.3c5053c2afce1p-6);
  p = DTRT_FMA64(p, s, 0x1.6a9e3262c37dbp-6);
  p = DTRT_FMA64(p, s, 0x1.f208eb1ddd0fbp-6);
  p = DTRT_FMA64(p, s, 0x1.6db5cfb6af282p-5);
  p = DTRT_FMA64(p, s, 0x1.333334ceb6520p-4);
  p = DTRT_FMA64(p, s, 0x1.55555554ee47bp-3);
  return p;
}
/* atan(t) for 0 <= t <= 1 */
DTRT_FN double dtrt_atan_poly(double t) {
  double s = t * t;
  double p = DTRT_FMA64(-0x1.8c3df2f8025f2p-12, s, 0x1.78e5494f454ddp-9);
  p = DTRT_FMA64(p, s, -0x1.501b58d7c5d83p-7);
  p = DTRT_FMA64(p, s, 0x1.7ce6bf2e13f66p-6);
  p = DTRT_FMA64(p, s, -0x1.3d9456c30b29cp-5);
  p = DTRT_FMA64(p, s, 0x1.b1b76c9c6a591p-5);
  p = DTRT_FMA64(p, s, -0x1.09b5c76aff80ep-4);
  p = DTRT_FMA64(p, s, 0x1.39851af4a0e9ep-4);
  p = DTRT_FMA64(p, s, -0x1.7425acb13e55ep-4);
  p = DTRT_FMA64(p, s, 0x1.c717c7c1bc05ap-4);
  p = DTRT_FMA64(p, s, -0x1.24922eae8609bp-3);
  p = DTRT_FMA64(p, s, 0x1.9999992244316p-3);
  p = DTRT_FMA64(p, s, -0x1.555555552843ap-2);
  return DTRT_FMA64(p * s, t, t);
}
/* sin(pi x) and cos(pi x) */
DTRT_FN double dtrt_sin_pi(double x) {
  double t = 2.0 * x + DTRT_ROUND64;
  return dtrt_sin_quarters_f64(2.0 * x - (t - DTRT_ROUND64), dtrt_bits_f64(t));
}
DTRT_FN double dtrt_cos_pi(double x) {
  double t = 2.0 * x + DTRT_ROUND64;
  return dtrt_sin_quarters_f64(2.0 * x - (t - DTRT_ROUND64), dtrt_bits_f64(t) + 1u);
}

/* ------------------------------------------------------------------ 2. f32 functions */

/* 0.52 ulp */
DTRT_FN float dtrt_tan_f32(float x) {
  double f;
  uint64_t k = dtrt_quarters_f32(x, &f);
  return (float)(dtrt_sin_quarters_f64(f, k) / dtrt_sin_quarters_f64(f, k + 1u));
}

/* asin(a) for 0 <= a <= 1, else NaN */
DTRT_FN double dtrt_asin_wide(double a) {
  int large = a > 0.5;
  double s = large ? 0.5 * (1.0 - a) : a * a, z = large ? DTRT_SQRT64(s) : a;
  double r = DTRT_FMA64(dtrt_asin_poly(s) * s, z, z);
  return large ? 0.5 * DTRT_PI - 2.0 * r : r;
}
/* 0.52 ulp */
DTRT_FN float dtrt_asin_f32(float x) {
  return __builtin_copysignf((float)dtrt_asin_wide((double)__builtin_fabsf(x)), x);
}
/* 0.52 ulp */
DTRT_FN float dtrt_acos_f32(float x) {
  double a = __builtin_fabs((double)x);
  int large = a > 0.5;
  double s = large ? 0.5 * (1.0 - a) : a * a, z = large ? DTRT_SQRT64(s) : a;
  double r = DTRT_FMA64(dtrt_asin_poly(s) * s, z, z); /* asin(z) */
  double near = x < 0 ? DTRT_PI - 2.0 * r : 2.0 * r;
  double far = 0.5 * DTRT_PI - (x < 0 ? -r : r);
  return (float)(large ? near : far);
}
/* 0.51 ulp; the quadrant of (x, y), signs of zeros included, as C's */
DTRT_FN float dtrt_atan2_f32(float y, float x) {
  double a = __builtin_fabs((double)x), b = __builtin_fabs((double)y);
  int steep = b > a;
  double hi = steep ? b : a, lo = steep ? a : b;
  double t = lo / hi;
  t = hi == 0 ? 0.0 : t;
  t = (lo == DTRT_INF_F64) ? 1.0 : t;
  double r = dtrt_atan_poly(t);
  r = steep ? 0.5 * DTRT_PI - r : r;
  r = (dtrt_bits_f32(x) >> 31) ? DTRT_PI - r : r;
  float q = __builtin_copysignf((float)r, y);
  return ((x != x) | (y != y)) ? x + y : q;
}
/* 0.51 ulp */
DTRT_FN float dtrt_atan_f32(float x) { return dtrt_atan2_f32(x, 1.0f); }

/* 0.51 ulp */
DTRT_FN float dtrt_sinh_f32(float x) {
  double a = __builtin_fabs((double)x), s = a * a;
  double small = DTRT_FMA64(s, 0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7);
  small = DTRT_FMA64(DTRT_FMA64(s, small, 0x1.5555555555555p-3) * s, a, a);
  double e = dtrt_exp_wide(a > 90.0 ? 90.0 : a), large = 0.5 * (e - 1.0 / e);
  return __builtin_copysignf((float)(a < 0.25 ? small : large), x);
}
/* 0.51 ulp */
DTRT_FN float dtrt_cosh_f32(float x) {
  double a = __builtin_fabs((double)x), e = dtrt_exp_wide(a > 90.0 ? 90.0 : a);
  return (float)(0.5 * (e + 1.0 / e));
}
/* 0.51 ulp */
DTRT_FN float dtrt_asinh_f32(float x) {
  double a = __builtin_fabs((double)x), s = a * a;
  double small = DTRT_FMA64(s, -0x1.6db6db6db6db7p-5, 0x1.3333333333333p-4);
  small = DTRT_FMA64(DTRT_FMA64(s, small, -0x1.5555555555555p-3) * s, a, a);
  double r = dtrt_ln_wide(a + DTRT_SQRT64(s + 1.0));
  r = a < DTRT_INF_F64 ? r : a;
  return __builtin_copysignf((float)(a < 0.0625 ? small : r), x);
}
/* 0.51 ulp */
DTRT_FN float dtrt_acosh_f32(float x) {
  double a = (double)x, s = (a - 1.0) * (a + 1.0);
  float r = (float)dtrt_ln_wide(a + DTRT_SQRT64(s < 0 ? 0.0 : s));
  r = x < DTRT_INF_F32 ? r : x;
  return x < 1.0f ? DTRT_NAN_F32 : r;
}
/* 0.51 ulp */
DTRT_FN float dtrt_atanh_f32(float x) {
  double a = __builtin_fabs((double)x), s = a * a;
  double small = DTRT_FMA64(s, 0x1.c71c71c71c71cp-4, 0x1.2492492492492p-3);
  small = DTRT_FMA64(s, DTRT_FMA64(s, small, 0x1.999999999999ap-3), 0x1.5555555555555p-2);
  small = DTRT_FMA64(small * s, a, a);
  double r = 0.5 * dtrt_ln_wide(a < 1.0 ? (1.0 + a) / (1.0 - a) : 1.0);
  float q = (float)(a < 0.0625 ? small : r);
  q = a == 1.0 ? DTRT_INF_F32 : q;
  return __builtin_copysignf(a <= 1.0 ? q : DTRT_NAN_F32, x);
}

/* 0.51 ulp */
DTRT_FN float dtrt_exp2_f32(float x) {
  double z = (double)x;
  z = z > 150.0 ? 150.0 : z;
  return (float)dtrt_exp2_poly_f64(z < -190.0 ? -190.0 : z);
}
/* log(x) times `by` over log(2) */
DTRT_FN float dtrt_log_by_f32(float x, double by) {
  float r = (float)(by * dtrt_log2_poly_f64((double)x));
  r = x < DTRT_INF_F32 ? r : x; /* inf and NaN */
  r = x < 0 ? DTRT_NAN_F32 : r;
  return x == 0 ? -DTRT_INF_F32 : r;
}
/* 0.51 ulp */
DTRT_FN float dtrt_log2_f32(float x) { return dtrt_log_by_f32(x, 1.0); }
DTRT_FN float dtrt_log10_f32(float x) { return dtrt_log_by_f32(x, 0x1.34413509f79ffp-2); }
/* 0.51 ulp, but 2^-30 where a negative operand makes the result smaller than 1 */
DTRT_FN float dtrt_logaddexp_f32(float x, float y) {
  double m = (double)(x > y ? x : y), d = (double)x - (double)y;
  d = -__builtin_fabs(d);
  d = x == y ? 0.0 : d;
  float r = (float)(m + dtrt_ln_wide(1.0 + dtrt_exp_wide(d < -138.0 ? -138.0 : d)));
  return ((x != x) | (y != y)) ? x + y : r;
}
/* 0.51 ulp */
DTRT_FN float dtrt_cbrt_f32(float x) {
  double a = __builtin_fabs((double)x);
  float r = (float)dtrt_exp2_poly_f64(dtrt_log2_poly_f64(a) * 0x1.5555555555555p-2);
  r = a < DTRT_INF_F64 ? r : (float)a;
  return __builtin_copysignf(a == 0 ? 0.0f : r, x);
}
/* 0.51 ulp; infinite if either is, even beside NaN */
DTRT_FN float dtrt_hypot_f32(float x, float y) {
  double a = __builtin_fabs((double)x), b = __builtin_fabs((double)y);
  float r = (float)DTRT_SQRT64(DTRT_FMA64(a, a, b * b));
  return ((a == DTRT_INF_F64) | (b == DTRT_INF_F64)) ? DTRT_INF_F32 : r;
}

/* 0.52 ulp: exp(-x^2) times a polynomial in (x - 2) / (x + 2) */
DTRT_FN float dtrt_erfc_f32(float x) {
  double a = __builtin_fabs((double)x), y = a > 10.5 ? 10.5 : a, u = (y - 2.0) / (y + 2.0);
  double p = DTRT_FMA64(0x1.35f93f90787f4p-20, u, 0x1.75a5bdc8e8828p-20);
  p = DTRT_FMA64(p, u, -0x1.672f41b377b9bp-17);
  p = DTRT_FMA64(p, u, -0x1.b90801727e95fp-16);
  p = DTRT_FMA64(p, u, 0x1.afe2afcfa4df5p-16);
  p = DTRT_FMA64(p, u, 0x1.6b8f4dd00a16ep-13);
  p = DTRT_FMA64(p, u, 0x1.718a207c3cf4cp-15);
  p = DTRT_FMA64(p, u, -0x1.01559b8fee5d2p-10);
  p = DTRT_FMA64(p, u, -0x1.bc2f5b2b4568dp-11);
  p = DTRT_FMA64(p, u, 0x1.ca95199715679p-8);
  p = DTRT_FMA64(p, u, 0x1.e94742683889ep-9);
  p = DTRT_FMA64(p, u, -0x1.437f0a8e0378dp-4);
  p = DTRT_FMA64(p, u, 0x1.eeea7dc357379p-3);
  p = DTRT_FMA64(p, u, -0x1.b57034f0d50bep-2);
  p = DTRT_FMA64(p, u, 0x1.058671b530552p-2);
  double r = dtrt_exp_wide(-(y * y)) * p;
  return (float)(x < 0 ? 2.0 - r : r);
}
/* erf's inverse, in w = -log(1 - x^2) as M. Giles has it. 0.52 ulp */
DTRT_FN float dtrt_erfinv_f32(float x) {
  double a = __builtin_fabs((double)x);
  double w = -dtrt_ln_wide(a < 1.0 ? (1.0 - a) * (1.0 + a) : 0.5);
  double v = w - 2.5, s = DTRT_SQRT64(w < 0 ? 0.0 : w) - 3.0;
  double p = DTRT_FMA64(-0x1.75045e36fd876p-36, v, 0x1.0e8b1b9516a51p-33);
  p = DTRT_FMA64(p, v, 0x1.c9c81e3c5b325p-31);
  p = DTRT_FMA64(p, v, -0x1.74f4495a187ccp-27);
  p = DTRT_FMA64(p, v, 0x1.d66fac2d14be4p-27);
  p = DTRT_FMA64(p, v, 0x1.00f8719914c4ap-21);
  p = DTRT_FMA64(p, v, -0x1.caa32f746fad4p-19);
  p = DTRT_FMA64(p, v, -0x1.4f4496f9c1788p-18);
  p = DTRT_FMA64(p, v, 0x1.c9b46cd91df7ap-13);
  p = DTRT_FMA64(p, v, -0x1.4863d1009b540p-10);
  p = DTRT_FMA64(p, v, -0x1.11c3c3612a2ccp-8);
  p = DTRT_FMA64(p, v, 0x1.f91e89955a57fp-3);
  p = DTRT_FMA64(p, v, 0x1.805c5cfcedef5p+0);
  double q = DTRT_FMA64(-0x1.4c9bbb75e55ccp-17, s, -0x1.209bdebc9fde4p-16);
  q = DTRT_FMA64(q, s, 0x1.719aed9050eaep-13);
  q = DTRT_FMA64(q, s, -0x1.37db1237f22f6p-12);
  q = DTRT_FMA64(q, s, -0x1.0ff3258f652b6p-13);
  q = DTRT_FMA64(q, s, 0x1.85ad57ab7a5cdp-10);
  q = DTRT_FMA64(q, s, -0x1.d32966b136de0p-9);
  q = DTRT_FMA64(q, s, 0x1.74931d0ed4d71p-8);
  q = DTRT_FMA64(q, s, -0x1.f4e785a23f3a1p-8);
  q = DTRT_FMA64(q, s, 0x1.3582bcaea0a4ap-7);
  q = DTRT_FMA64(q, s, 0x1.006dca265a8d0p+0);
  q = DTRT_FMA64(q, s, 0x1.6a9efbd6bd05cp+1);
  float r = (float)(a * (w < 5.0 ? p : q));
  r = a == 1.0 ? DTRT_INF_F32 : r;
  return __builtin_copysignf(a <= 1.0 ? r : DTRT_NAN_F32, x);
}

/* ln(Gamma(x)) for x > 0, finite: a polynomial on [1, 3), which lower x reach by one step up;
 * Stirling's series for x + 5 above */
DTRT_FN double dtrt_lgamma_wide(double x) {
  int low = x < 1.0, high = x >= 3.0;
  double m = low ? x + 1.0 : (high ? 2.0 : x), t = m - 2.0;
  double p = DTRT_FMA64(-0x1.34df482ac2f00p-19, t, 0x1.4564f2f5c3f05p-18);
  p = DTRT_FMA64(p, t, -0x1.17cfe646d002fp-20);
  p = DTRT_FMA64(p, t, 0x1.39c59f425683dp-19);
  p = DTRT_FMA64(p, t, -0x1.53a497546d057p-16);
  p = DTRT_FMA64(p, t, 0x1.6d9e0c91a37aep-15);
  p = DTRT_FMA64(p, t, -0x1.573255e168528p-14);
  p = DTRT_FMA64(p, t, 0x1.7940d98c660e2p-13);
  p = DTRT_FMA64(p, t, -0x1.a9c3ae4982c50p-12);
  p = DTRT_FMA64(p, t, 0x1.e0498de07419ap-11);
  p = DTRT_FMA64(p, t, -0x1.144fb5d632746p-9);
  p = DTRT_FMA64(p, t, 0x1.4795caa7e6c43p-8);
  p = DTRT_FMA64(p, t, -0x1.95ce269a92f10p-7);
  p = DTRT_FMA64(p, t, 0x1.0e0ca03d7ef98p-5);
  p = DTRT_FMA64(p, t, -0x1.9ae6509d888bfp-4);
  p = DTRT_FMA64(p, t, 0x1.b0ee6071763efp-2);
  double r = (m - 1.0) * t * p - (low ? dtrt_ln_wide(x) : 0.0);
  double z = high ? x : 3.0, y = z + 5.0, i = 1.0 / y, s = i * i;
  double q = DTRT_FMA64(s, -0x1.3813813813814p-11, 0x1.a01a01a01a01ap-11);
  q = DTRT_FMA64(DTRT_FMA64(s, q, -0x1.6c16c16c16c17p-9), s, 0x1.5555555555555p-4);
  double up = z * (z + 1.0) * (z + 2.0) * (z + 3.0) * (z + 4.0);
  double large = (y - 0.5) * dtrt_ln_wide(y) - y + 0x1.d67f1c864beb5p-1 + q * i - dtrt_ln_wide(up);
  return high ? large : r;
}
/* 0.52 ulp for x > 0; below that 2^-33 of the larger of the two terms of the reflection */
DTRT_FN float dtrt_lgamma_f32(float x) {
  double d = (double)x, a = __builtin_fabs(d), up = d > 0 ? d : 1.0 - d;
  double g = dtrt_lgamma_wide(up < 0x1p127 ? up : 0x1p127);
  double n = __builtin_fabs(dtrt_sin_pi(a < 0x1p23 ? a - __builtin_floor(a) : 0.0));
  double r = dtrt_ln_wide(DTRT_PI / (n > 0 ? n : 1.0)) - g;
  float q = (float)(d > 0 ? g : r);
  q = ((d <= 0) & (n == 0)) ? DTRT_INF_F32 : q;
  q = a > 0x1p123 ? DTRT_INF_F32 : q;
  return x == x ? q : x;
}

/* Gamma'(x) / Gamma(x) for x > 0: a polynomial on [1, 2) times the distance to its root, with a
 * step up or down; the asymptotic series for x + 5 above 3 */
DTRT_FN double dtrt_digamma_wide(double x) {
  int low = x < 1.0, mid = x >= 2.0, high = x >= 3.0;
  double m = low ? x + 1.0 : (high ? 1.5 : (mid ? x - 1.0 : x)), t = m - 1.5;
  double p = DTRT_FMA64(-0x1.cd4355151b869p-9, t, 0x1.5a07d983ab444p-8);
  p = DTRT_FMA64(p, t, -0x1.3d73f6883750dp-8);
  p = DTRT_FMA64(p, t, 0x1.dca258b2fdbccp-8);
  p = DTRT_FMA64(p, t, -0x1.88bc333ea581ep-7);
  p = DTRT_FMA64(p, t, 0x1.27499fbda3491p-6);
  p = DTRT_FMA64(p, t, -0x1.b9dbcf953191bp-6);
  p = DTRT_FMA64(p, t, 0x1.4dd40050e9ea1p-5);
  p = DTRT_FMA64(p, t, -0x1.fb44bbfedcc9ap-5);
  p = DTRT_FMA64(p, t, 0x1.85135a72c0338p-4);
  p = DTRT_FMA64(p, t, -0x1.2feeeafbe98b2p-3);
  p = DTRT_FMA64(p, t, 0x1.eca188cdc4440p-3);
  p = DTRT_FMA64(p, t, -0x1.b1cb63009226cp-2);
  p = DTRT_FMA64(p, t, 0x1.e6f0cbb899d04p-1);
  double root = (m - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54;
  double step = low ? -1.0 / x : (mid ? 1.0 / m : 0.0);
  double z = high ? x : 3.0, y = z + 5.0, i = 1.0 / y, s = i * i;
  double q = DTRT_FMA64(s, -0x1.f07c1f07c1f08p-8, 0x1.1111111111111p-8);
  q = DTRT_FMA64(s, q, -0x1.0410410410410p-8);
  q = DTRT_FMA64(DTRT_FMA64(s, q, 0x1.1111111111111p-7), s, -0x1.5555555555555p-4);
  double sum = 1.0 / z + 1.0 / (z + 1.0) + 1.0 / (z + 2.0) + 1.0 / (z + 3.0) + 1.0 / (z + 4.0);
  double large = dtrt_ln_wide(y) - 0.5 * i + q * s - sum;
  return high ? large : DTRT_FMA64(root, p, step);
}
/* 0.52 ulp for x > 0; below that 2^-32 of the larger of the two terms of the reflection */
DTRT_FN float dtrt_digamma_f32(float x) {
  double d = (double)x, up = d > 0 ? d : 1.0 - d;
  double g = dtrt_digamma_wide(up < 0x1p130 ? up : 0x1p130);
  double f = __builtin_fabs(d) < 0x1p23 ? d - __builtin_rint(d) : 0.0, n = dtrt_sin_pi(f);
  double r = g - DTRT_PI * dtrt_cos_pi(f) / (f == 0 ? 1.0 : n);
  float q = (float)(d > 0 ? g : r);
  q = ((d < 0) & (f == 0)) ? DTRT_NAN_F32 : q;
  q = x == 0 ? -__builtin_copysignf(DTRT_INF_F32, x) : q;
  q = x == DTRT_INF_F32 ? x : q;
  return x == x ? q : x;
}

DTRT_FN float dtrt_trunc_f32(float x) { return __builtin_truncf(x); }
DTRT_FN float dtrt_frac_f32(float x) { return x - __builtin_truncf(x); }
DTRT_FN float dtrt_copysign_f32(float x, float y) { return __builtin_copysignf(x, y); }
/* The remainder with the sign of x, exact. */
DTRT_FN float dtrt_fmod_f32(float x, float y) {
  float r = (float)dtrt_fmod_of_f32((double)x, (double)y);
  return y == 0 ? DTRT_NAN_F32 : r;
}

/* ------------------------------------------------------------------ 3. f64 functions */

/* (atan(x) - x) / x^3 for z = x^2 <= 1 */
DTRT_FN double dtrt_atan_poly_f64(double z) {
  double p = 0x1.2f07811f9f6e9p-16;
  p = DTRT_FMA64(p, z, -0x1.a359b96a4eee4p-13);
  p = DTRT_FMA64(p, z, 0x1.1325b2f8964bep-10);
  p = DTRT_FMA64(p, z, -0x1.ca3677db66678p-9);
  p = DTRT_FMA64(p, z, 0x1.123baedb61abdp-7);
  p = DTRT_FMA64(p, z, -0x1.fd0e4de8fed90p-7);
  p = DTRT_FMA64(p, z, 0x1.843f4bca23369p-6);
  p = DTRT_FMA64(p, z, -0x1.00390504e9f2fp-5);
  p = DTRT_FMA64(p, z, 0x1.3328700bb8169p-5);
  p = DTRT_FMA64(p, z, -0x1.5d02278205cc7p-5);
  p = DTRT_FMA64(p, z, 0x1.841dcf603a209p-5);
  p = DTRT_FMA64(p, z, -0x1.aebbb1647a168p-5);
  p = DTRT_FMA64(p, z, 0x1.e1d0239d392a6p-5);
  p = DTRT_FMA64(p, z, -0x1.110fff599e4d2p-4);
  p = DTRT_FMA64(p, z, 0x1.3b1399d1dcdc7p-4);
  p = DTRT_FMA64(p, z, -0x1.745d15ee35819p-4);
  p = DTRT_FMA64(p, z, 0x1.c71c71bb00a6cp-4);
  p = DTRT_FMA64(p, z, -0x1.24924924753ecp-3);
  p = DTRT_FMA64(p, z, 0x1.9999999999620p-3);
  return DTRT_FMA64(p, z, -0x1.5555555555555p-2);
}

/* 2.1 ulp; as dtrt_atan2_f32 */
DTRT_FN double dtrt_atan2_f64(double y, double x) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  int64_t steep = b > a;
  double hi = steep ? b : a, lo = steep ? a : b, t = lo / hi;
  t = hi == 0 ? 0.0 : t;
  t = lo == DTRT_INF_F64 ? 1.0 : t;
  double z = t * t, r = DTRT_FMA64(t * z, dtrt_atan_poly_f64(z), t);
  r = steep ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
  r = (dtrt_bits_f64(x) >> 63) ? DTRT_PI - (r - 0x1.1a62633145c07p-53) : r;
  r = __builtin_copysign(r, y);
  return ((x != x) | (y != y)) ? x + y : r;
}
/* 2.1 ulp */
DTRT_FN double dtrt_atan_f64(double x) { return dtrt_atan2_f64(x, 1.0); }

/* (sinh(x) - x) / x^3 for z = x^2 <= 1 */
DTRT_FN double dtrt_sinh_poly_f64(double z) {
  double p = 0x1.b41232cf9950fp-41;
  p = DTRT_FMA64(p, z, 0x1.611cb330c1fe8p-33);
  p = DTRT_FMA64(p, z, 0x1.ae6460fae3728p-26);
  p = DTRT_FMA64(p, z, 0x1.71de3a4e14f40p-19);
  p = DTRT_FMA64(p, z, 0x1.a01a01a01ee70p-13);
  p = DTRT_FMA64(p, z, 0x1.11111111110fdp-7);
  return DTRT_FMA64(p, z, 0x1.5555555555555p-3);
}

/* 1.7 ulp; e^a / 2 is finite where sinh is */
DTRT_FN double dtrt_sinh_f64(double x) {
  double a = __builtin_fabs(x), b = a > 1.0 ? 1.0 : a, e = dtrt_exp_wide_f64(a, 0.0, -1);
  double small = DTRT_FMA64(b * b * b, dtrt_sinh_poly_f64(b * b), b), large = e - 0.25 / e;
  return __builtin_copysign(a <= 1.0 ? small : large, x);
}
/* 1.3 ulp */
DTRT_FN double dtrt_cosh_f64(double x) {
  double e = dtrt_exp_wide_f64(__builtin_fabs(x), 0.0, -1);
  return e + 0.25 / e;
}
/* 1.6 ulp; above 2^28 it is log(2a), to the last place */
DTRT_FN double dtrt_asinh_f64(double x) {
  double a = __builtin_fabs(x), b = a > 0x1p28 ? 1.0 : a, s = b * b;
  double small = dtrt_log1p_f64(b + s / (1.0 + DTRT_SQRT64(DTRT_FMA64(b, b, 1.0))));
  double large = dtrt_log_f64(a) + 0x1.62e42fefa39efp-1;
  return __builtin_copysign(a > 0x1p28 ? large : small, x);
}
/* 2.3 ulp */
DTRT_FN double dtrt_acosh_f64(double x) {
  double b = x > 0x1p28 ? 2.0 : x, t = x < 1.0 ? DTRT_NAN_F64 : b - 1.0;
  double small = dtrt_log1p_f64(t + DTRT_SQRT64(DTRT_FMA64(t, t, 2.0 * t)));
  double large = dtrt_log_f64(x) + 0x1.62e42fefa39efp-1;
  return x > 0x1p28 ? large : small;
}
/* 1.8 ulp */
DTRT_FN double dtrt_atanh_f64(double x) {
  double a = __builtin_fabs(x);
  return __builtin_copysign(0.5 * dtrt_log1p_f64(2.0 * a / (1.0 - a)), x);
}

/* 0.7 ulp */
DTRT_FN double dtrt_exp2_f64(double x) {
  int64_t gone = x < -1080.0;
  double y = gone ? 0.0 : x;
  y = y > 1025.0 ? 1025.0 : y;
  double t = y + DTRT_ROUND64, f = y - (t - DTRT_ROUND64);
  double one = DTRT_FMA64(f, DTRT_LN2, 1.0), rest = DTRT_FMA64(f, DTRT_LN2, 1.0 - one);
  rest = DTRT_FMA64(f, 0x1.abc9e3b39803fp-56, rest);
  double e = dtrt_exp_scale_f64(one, rest, f * DTRT_LN2, t, 0);
  return gone ? 0.0 : e;
}
/* 0.7 ulp, exact where x is a power of two */
DTRT_FN double dtrt_log2_f64(double x) {
  return dtrt_log_unit_f64(x, 1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
/* 0.7 ulp, exact where x is a power of ten */
DTRT_FN double dtrt_log10_f64(double x) {
  return dtrt_log_unit_f64(x, 0x1.34413509f78p-2, 0x1.fef311f12b358p-46, 0x1.bcb7b1526e50ep-2,
                           0x1.95355baaafad3p-57);
}
DTRT_FN double dtrt_logaddexp_f64(double x, double y) {
  double m = x > y ? x : y, d = x == y ? 0.0 : -__builtin_fabs(x - y);
  return ((x != x) | (y != y)) ? x + y : m + dtrt_log1p_f64(dtrt_exp_f64(d));
}
/* 1.0 ulp; scaled, so that no square that matters is denormal or infinite */
DTRT_FN double dtrt_hypot_f64(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y), hi = a > b ? a : b, lo = a > b ? b : a;
  double by = hi < 0x1p-400 ? 0x1p600 : 1.0, back = hi < 0x1p-400 ? 0x1p-600 : 1.0;
  by = hi > 0x1p500 ? 0x1p-600 : by, back = hi > 0x1p500 ? 0x1p600 : back;
  double u = hi * by, v = lo * by, r = DTRT_SQRT64(DTRT_FMA64(u, u, v * v)) * back;
  return ((a == DTRT_INF_F64) | (b == DTRT_INF_F64)) ? DTRT_INF_F64 : r;
}
/* 2.5 ulp */
DTRT_FN double dtrt_erfc_f64(double x) {
  double a = __builtin_fabs(x), b = a > 0.5 ? 0.5 : a;
  double near = 1.0 - DTRT_FMA64(x, dtrt_erf_poly_f64(b * b), x);
  double far = dtrt_erfc_tail_f64(a, x < 0 ? -1.0 : 1.0, x < 0 ? 2.0 : 0.0);
  return a < 0.5 ? near : far;
}
/* a + b = sum + *rest, whichever is larger */
DTRT_FN double dtrt_two_sum(double a, double b, double *rest) {
  double s = a + b, t = s - a;
  *rest = (a - (s - t)) + (b - t);
  return s;
}
/* x without multiples of 4, which are whole turns */
DTRT_FN double dtrt_less_turns(double x) { return DTRT_FMA64(__builtin_rint(0.25 * x), -4.0, x); }

/* |x| 2/pi for every finite x: whole quarters modulo 4, and the part, as *hi + *lo. It is summed
 * from exact products of x with four pieces of 2/pi, 212 bits. Which bits: for large x the leading
 * ones make multiples of 4 quarters, and are left out; a row of the table is for 32 exponents, the
 * first for all up to 2^65. From 2^289 on the pieces are 2^256 times as large, and x smaller. No x
 * is nearer than 2^-62 to a whole quarter that is not 0, so that the part has 120 bits behind its
 * point. */
DTRT_FN uint64_t dtrt_quarters_f64(double x, double *hi, double *lo) {
  static const double pieces[31][4] = {{0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55,
                                        -0x1.6447e493ad4cep-109, 0x1.e21c820ff28b2p-163},
                                       {0x1.9836e4e44152ap-12, -0x1.ec54170565912p-71,
                                        0x1.b6c52b3278872p-129, 0x1.07f9458eaf7afp-186},
                                       {0x1.054a7f09d5f48p-46, -0x1.596447e493ad5p-101,
                                        0x1.93c439041fe51p-156, 0x1.8eaf7aef1586ep-210},
                                       {0x1.d5f47d4d37703p-78, 0x1.b6295993c4390p-132,
                                        0x1.07f9458eaf7afp-186, -0x1.d4f246dc8e2dfp-243},
                                       {0x1.4ddc0db629599p-108, 0x1.e21c820ff28b2p-163,
                                        -0x1.508510ea79237p-218, 0x1.b8e909374b802p-274},
                                       {0x1.4acc9e21c8210p-143, -0x1.ae9c5421443aap-200,
                                        0x1.b7246e3a424ddp-256, 0x1.700324977504fp-311},
                                       {0x1.c820ff28b1d5fp-175, -0x1.443a9e48db91cp-232,
                                        -0x1.6f6c8b47fe6dbp-286, -0x1.115f62e6de302p-340},
                                       {0x1.163abdebbc562p-204, -0x1.236e4716f6c8bp-258,
                                        -0x1.1ff9b6d115f63p-312, 0x1.921cfe1deb1cbp-368},
                                       {0x1.bc561b7246e3ap+20, 0x1.09374b801924cp-34,
                                        -0x1.15f62e6de301ep-88, -0x1.0a71a76b2c609p-143},
                                       {0x1.1b8e909374b80p-14, 0x1.924bba8274648p-70,
                                        0x1.cfe1deb1cb12ap-124, -0x1.63045df7282b4p-178},
                                       {0x1.ba5c00c925dd4p-45, 0x1.3a32439fc3bd6p-101,
                                        0x1.cb129a73ee882p-156, 0x1.afa975da24275p-211},
                                       {0x1.25dd413a3243ap-77, -0x1.e214e34ed658cp-136,
                                        -0x1.177dca0ad144cp-192, 0x1.213a671c09ad1p-246},
                                       {0x1.1921cfe1deb1dp-108, -0x1.3b5963045df73p-162,
                                        0x1.f52ebb4484e9ap-216, -0x1.c7eca5d040df6p-271},
                                       {0x1.deb1cb129a73fp-140, -0x1.77dca0ad144bbp-196,
                                        -0x1.ec598e3f652e8p-250, -0x1.037d8cdc538d0p-305},
                                       {0x1.34e7dd1046beap-173, 0x1.75da24274ce38p-227,
                                        0x1.35a2fbf209cc9p-283, -0x1.4e33e566305b2p-339},
                                       {0x1.1afa975da2427p-207, 0x1.338e04d68befdp-261,
                                        -0x1.f633714e33e56p-315, -0x1.8c16c6f740e88p-369},
                                       {0x1.b4484e99c7027p-236, -0x1.2e8206fb19b8ap-290,
                                        -0x1.c67cacc60b638p-344, 0x1.17e2ef7e4a0ecp-398},
                                       {0x1.c7026b45f7e41p-268, 0x1.cc8eb1cc1a99dp-323,
                                        -0x1.6c6f740e8840ep-381, 0x1.41d8ffc4bffefp-435},
                                       {0x1.f7e413991d63ap-300, -0x1.f2b3182d8dee8p-354,
                                        -0x1.d1081b5f13802p-410, 0x1.2fffbc0b301fep-465},
                                       {0x1.1d639835339f5p-332, -0x1.8dee81d1081b6p-386,
                                        0x1.d8ffc4bffef03p-443, -0x1.9fc04343b9d29p-498},
                                       {0x1.339f49c845f8cp-364, -0x1.081b5f13801dap-418,
                                        -0x1.0fd33f8086877p-483, -0x1.d297d64b824b2p-538},
                                       {0x1.17e2ef7e4a0ecp-398, 0x1.ff897ffde0598p-452,
                                        0x1.fde5e2316b415p-509, -0x1.2e092c98130d8p-564},
                                       {0x1.9283b1ff89800p-428, -0x1.0fd33f8086877p-483,
                                        -0x1.d297d64b824b2p-538, -0x1.8130d834f648bp-592},
                                       {0x1.897ffde059810p-460, -0x1.0d0ee74a5f593p-516,
                                        0x1.f6d367ecf27cbp-572, 0x1.36e9e8c7ecd3dp-629},
                                       {0x1.6603fbcbc462dp-494, 0x1.a0a6d1f6d367fp-548,
                                        -0x1.86c1a7b24585dp-603, 0x1.fb34f2ff516bbp-659},
                                       {0x1.e2316b414da3fp-525, -0x1.2c98130d834f6p-580,
                                        -0x1.22c2e70265868p-634, -0x1.5d28ad8453814p-692},
                                       {0x1.4da3eda6cfd9ep-557, 0x1.3e584dba7a320p-611,
                                        -0x1.32c3402ba515bp-665, -0x1.14e050683a131p-722},
                                       {0x1.67ecf27cb09b7p-588, 0x1.3d18fd9a797fbp-642,
                                        -0x1.d28ad84538142p-696, 0x1.7c5ecf41ce7dep-750},
                                       {0x1.6136e9e8c7ecdp-621, 0x1.e5fea2d7527bbp-676,
                                        -0x1.c0a0d0742617cp-731, -0x1.8c10eb5ada2b3p-785},
                                       {0x1.8fd9a797fa8b6p-654, -0x1.5b08a7028341dp-709,
                                        -0x1.30be31821d6b6p-766, 0x1.2ea6bfb5fb120p-820},
                                       {0x1.fea2d7527bac8p-684, -0x1.41a0e84c2f8c6p-740,
                                        -0x1.0eb5ada2b2809p-797, -0x1.0277039517bd5p-851}};
  double a = __builtin_fabs(x), scaled = a >= 0x1p289 ? a * 0x1p-256 : a;
  uint64_t e = dtrt_bits_f64(a) >> 57;
  const double *c = pieces[e > 33 ? e - 33 : 0];
  double p0 = scaled * c[0], p1 = scaled * c[1], p2 = scaled * c[2];
  double e0 = dtrt_less_turns(DTRT_FMA64(scaled, c[0], -p0)), e1 = DTRT_FMA64(scaled, c[1], -p1),
         e2 = DTRT_FMA64(scaled, c[2], -p2);
  p0 = dtrt_less_turns(p0), p1 = dtrt_less_turns(p1);
  double t = p0 + e0 + p1 + DTRT_ROUND64, r0, r1, r2, r3, r4, r5;
  double s = dtrt_two_sum(p0 - (t - DTRT_ROUND64), e0, &r0);
  s = dtrt_two_sum(s, p1, &r1);
  s = dtrt_two_sum(s, e1, &r2);
  s = dtrt_two_sum(s, p2, &r3);
  s = dtrt_two_sum(s, r0, &r4);
  s = dtrt_two_sum(s, r1, &r5);
  double rest = (r2 + r3) + (r4 + r5) + DTRT_FMA64(scaled, c[3], e2);
  *hi = s + rest;
  *lo = rest - (*hi - s);
  return dtrt_bits_f64(t);
}

/* r, of |x|, with the sign of x */
DTRT_FN double dtrt_odd_f64(double r, double x) {
  r = dtrt_from_bits_f64(dtrt_bits_f64(r) ^ (dtrt_bits_f64(x) & 1ull << 63));
  return __builtin_fabs(x) < 0x1p-27 ? x : r; /* -0 and denormals */
}
/* 0.8 ulp, as cos */
DTRT_FN double dtrt_sin_f64(double x) {
  double hi, lo;
  uint64_t k = dtrt_quarters_f64(x, &hi, &lo);
  return dtrt_odd_f64(dtrt_sin_part_f64(hi, lo, k), x);
}
DTRT_FN double dtrt_cos_f64(double x) {
  double hi, lo;
  uint64_t k = dtrt_quarters_f64(x, &hi, &lo);
  return dtrt_sin_part_f64(hi, lo, k + 1);
}
/* 2.3 ulp */
DTRT_FN double dtrt_tan_f64(double x) {
  double hi, lo;
  uint64_t k = dtrt_quarters_f64(x, &hi, &lo);
  return dtrt_odd_f64(dtrt_sin_part_f64(hi, lo, k) / dtrt_sin_part_f64(hi, lo, k + 1), x);
}
/* log(a) as *hi + *lo, to 2^-66 of it, for a > 0 and finite. Of a = 2^n (1 + f) it is n log(2) and
 * 2 atanh(s) = 2 s + s^3 (2/3 + z w), s = f / (2 + f), z = s^2; all but w to twice the digits. */
DTRT_FN void dtrt_log_wide_f64(double a, double *hi, double *lo) {
  int64_t denormal = a < 0x1p-1022;
  double f, n = dtrt_log_parts_f64(denormal ? a * 0x1p54 : a, &f) - (denormal ? 54.0 : 0.0);
  double d = 2.0 + f, by = 1.0 / d, s = f * by;
  double sl = DTRT_FMA64(-s, f - (d - 2.0), DTRT_FMA64(-s, d, f)) * by;
  double z = s * s, zl = DTRT_FMA64(2.0 * s, sl, DTRT_FMA64(s, s, -z));
  double w = DTRT_FMA64(0x1.0e43b81032c12p-3, z, 0x1.0f7fcd8ac2a39p-3);
  w = DTRT_FMA64(w, z, 0x1.3b1eed3734075p-3);
  w = DTRT_FMA64(w, z, 0x1.745ce9dd012ccp-3);
  w = DTRT_FMA64(w, z, 0x1.c71c722d7893bp-3);
  w = DTRT_FMA64(w, z, 0x1.2492492457c8ep-2);
  w = DTRT_FMA64(w, z, 0x1.9999999999b30p-2);
  double u = z * w, ul = DTRT_FMA64(zl, w, DTRT_FMA64(z, w, -u));
  double v = 0x1.5555555555555p-1 + u;
  double vl = (0x1.5555555555555p-1 - v) + u + (ul + 0x1.5555555555555p-55);
  double y = z * s, yl = DTRT_FMA64(zl, s, DTRT_FMA64(z, sl, DTRT_FMA64(z, s, -y)));
  double t = y * v, tl = DTRT_FMA64(yl, v, DTRT_FMA64(y, vl, DTRT_FMA64(y, v, -t)));
  double whole = n * 0x1.62e42fefa38p-1, part = 2.0 * s;
  double sum = whole + part, rest = (whole - sum) + part;
  rest = n == 0 ? 0.0 : rest;
  double all = sum + t;
  rest += (sum - all) + t;
  rest += DTRT_FMA64(n, 0x1.ef35793c7673p-45, DTRT_FMA64(2.0, sl, tl));
  *hi = all + rest;
  *lo = (all - *hi) + rest;
}

/* 0.8 ulp; all the special cases of C's pow */
DTRT_FN double dtrt_pow_f64(double x, double y) {
  double a = __builtin_fabs(x), half = y * 0.5, l, low;
  dtrt_log_wide_f64(a, &l, &low);
  l = a < DTRT_INF_F64 ? l : a;
  l = a == 0 ? -DTRT_INF_F64 : l;
  double z = (a == 1.0 && y == y) ? 0.0 : y * l;
  double rest = DTRT_FMA64(y, low, DTRT_FMA64(y, l, -z));
  double r = dtrt_exp_wide_f64(z, ((a != 1.0) & (__builtin_fabs(z) < 800.0)) ? rest : 0.0, 0);
  int64_t whole = __builtin_floor(y) == y, odd = whole & (__builtin_floor(half) != half);
  uint64_t sign = odd ? dtrt_bits_f64(x) & 1ull << 63 : 0u;
  r = dtrt_from_bits_f64(dtrt_bits_f64(r) ^ sign);
  r = ((x < 0) & !whole & (a < DTRT_INF_F64)) ? DTRT_NAN_F64 : r;
  return ((x == 1.0) | (y == 0)) ? 1.0 : r;
}
/* 0.8 ulp: e^(log(x) / 3) */
DTRT_FN double dtrt_cbrt_f64(double x) {
  double a = __builtin_fabs(x), l, low;
  dtrt_log_wide_f64(a, &l, &low);
  double z = l * 0x1.5555555555555p-2;
  double r = dtrt_exp_wide_f64(z, (DTRT_FMA64(-3.0, z, l) + low) / 3.0, 0);
  r = a < DTRT_INF_F64 ? r : a;
  return __builtin_copysign(a == 0 ? 0.0 : r, x);
}
/* 2.4 ulp: the angles of a right triangle whose longest side is 1 */
DTRT_FN double dtrt_asin_f64(double x) {
  return dtrt_atan2_f64(x, DTRT_SQRT64((1.0 - x) * (1.0 + x)));
}
DTRT_FN double dtrt_acos_f64(double x) {
  return dtrt_atan2_f64(DTRT_SQRT64((1.0 - x) * (1.0 + x)), x);
}
/* libm's lgamma writes a global sign, which is a race between devices. */
extern double dtrt_libm_lgamma(double x, int *sign) __asm__("lgamma_r");
DTRT_FN double dtrt_lgamma_f64(double x) {
  int sign;
  return dtrt_libm_lgamma(x, &sign);
}
DTRT_FN double dtrt_trunc_f64(double x) { return __builtin_trunc(x); }
DTRT_FN double dtrt_frac_f64(double x) { return x - __builtin_trunc(x); }
DTRT_FN double dtrt_copysign_f64(double x, double y) { return __builtin_copysign(x, y); }
DTRT_FN double dtrt_fmod_f64(double x, double y) {
  double r = dtrt_fmod_of_f64(x, y);
  r = __builtin_fabs(x) < __builtin_fabs(y) ? x : r;
  return y == 0 ? DTRT_NAN_F64 : r;
}

/* A guess to 2^-21 and a step of Halley. 3 ulp */
DTRT_FN double dtrt_erfinv_f64(double x) {
  double a = __builtin_fabs(x), w = -dtrt_log_f64((1.0 - a) * (1.0 + a));
  double v = w - 2.5, s = DTRT_SQRT64(w) - 4.0;
  double p = DTRT_FMA64(-0x1.75045e36fd876p-36, v, 0x1.0e8b1b9516a51p-33);
  p = DTRT_FMA64(p, v, 0x1.c9c81e3c5b325p-31);
  p = DTRT_FMA64(p, v, -0x1.74f4495a187ccp-27);
  p = DTRT_FMA64(p, v, 0x1.d66fac2d14be4p-27);
  p = DTRT_FMA64(p, v, 0x1.00f8719914c4ap-21);
  p = DTRT_FMA64(p, v, -0x1.caa32f746fad4p-19);
  p = DTRT_FMA64(p, v, -0x1.4f4496f9c1788p-18);
  p = DTRT_FMA64(p, v, 0x1.c9b46cd91df7ap-13);
  p = DTRT_FMA64(p, v, -0x1.4863d1009b540p-10);
  p = DTRT_FMA64(p, v, -0x1.11c3c3612a2ccp-8);
  p = DTRT_FMA64(p, v, 0x1.f91e89955a57fp-3);
  p = DTRT_FMA64(p, v, 0x1.805c5cfcedef5p+0);
  double q = DTRT_FMA64(0x1.894430535e5cep-21, s, -0x1.147f54a2e2ee1p-19);
  q = DTRT_FMA64(q, s, -0x1.0b98077499509p-17);
  q = DTRT_FMA64(q, s, 0x1.3a5c5ef1f4dfdp-15);
  q = DTRT_FMA64(q, s, -0x1.7ce257e3565bap-15);
  q = DTRT_FMA64(q, s, 0x1.ab660a27b8359p-16);
  q = DTRT_FMA64(q, s, -0x1.8a2d761cbd079p-14);
  q = DTRT_FMA64(q, s, 0x1.675a2e92283f4p-12);
  q = DTRT_FMA64(q, s, -0x1.cfa64949742acp-11);
  q = DTRT_FMA64(q, s, 0x1.48c049cd29956p-10);
  q = DTRT_FMA64(q, s, 0x1.026e520628f83p+0);
  q = DTRT_FMA64(q, s, 0x1.eb7e0b2ce443dp+1);
  double y = a * (w < 5.0 ? p : q);
  double near = dtrt_erf_f64(y) - a, far = dtrt_erfc_tail_f64(y, -1.0, 1.0 - a);
  double step = (a < 0.5 ? near : far) * 0x1.c5bf891b4ef6bp-1 * dtrt_exp_f64(y * y);
  y = y - step / DTRT_FMA64(y, step, 1.0);
  y = a < 1.0 ? y : a == 1.0 ? DTRT_INF_F64 : DTRT_NAN_F64;
  y = a < 0x1p-28 ? a * 0x1.c5bf891b4ef6bp-1 : y; /* nothing on the way may be denormal */
  return __builtin_copysign(y, x);
}

/* 4 ulp, but 2^-49 near its roots below 0. From 0 to 3 as in f32, with a longer polynomial. */
DTRT_SHARED double dtrt_digamma_f64(double x) {
  double r = 0;
  if (x == 0) return -__builtin_copysign(DTRT_INF_F64, x);
  if (x < 0) {
    double f = x - __builtin_rint(x);
    if (!(f < 0 || f > 0)) return DTRT_NAN_F64;
    double h = __builtin_fabs(f);
    double cot = h > 0.25 ? __builtin_tan(DTRT_PI * (0.5 - h)) : 1.0 / __builtin_tan(DTRT_PI * h);
    r = -DTRT_PI * __builtin_copysign(cot, f);
    x = 1.0 - x;
  }
  if (x < 3.0) {
    double m = x < 1.0 ? x + 1.0 : (x < 2.0 ? x : x - 1.0), t = m - 1.5;
    double p = DTRT_FMA64(-0x1.6b107f71aa124p-13, t, 0x1.104c9d0897b58p-12);
    p = DTRT_FMA64(p, t, -0x1.3db05b36d9a48p-13);
    p = DTRT_FMA64(p, t, 0x1.dc8ae08af0fc4p-13);
    p = DTRT_FMA64(p, t, -0x1.f99f529bd0771p-12);
    p = DTRT_FMA64(p, t, 0x1.7b3b41b0b38cdp-11);
    p = DTRT_FMA64(p, t, -0x1.1002aaf6255f5p-10);
    p = DTRT_FMA64(p, t, 0x1.980fc9c9f0be8p-10);
    p = DTRT_FMA64(p, t, -0x1.33661f9073563p-9);
    p = DTRT_FMA64(p, t, 0x1.cd3e42d157015p-9);
    p = DTRT_FMA64(p, t, -0x1.5a071c746535bp-8);
    p = DTRT_FMA64(p, t, 0x1.03c00801ba958p-7);
    p = DTRT_FMA64(p, t, -0x1.86355f6f68797p-7);
    p = DTRT_FMA64(p, t, 0x1.256475e5ac975p-6);
    p = DTRT_FMA64(p, t, -0x1.b9f8b1367959dp-6);
    p = DTRT_FMA64(p, t, 0x1.4de9aa05d3418p-5);
    p = DTRT_FMA64(p, t, -0x1.fb442029cdbf4p-5);
    p = DTRT_FMA64(p, t, 0x1.8512e5905d180p-4);
    p = DTRT_FMA64(p, t, -0x1.2feeeb98a7cd8p-3);
    p = DTRT_FMA64(p, t, 0x1.eca189b8e6da1p-3);
    p = DTRT_FMA64(p, t, -0x1.b1cb63005ee97p-2);
    p = DTRT_FMA64(p, t, 0x1.e6f0cbb873617p-1);
    r += x < 1.0 ? -1.0 / x : (x < 2.0 ? 0.0 : 1.0 / m);
    return r + ((m - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54) * p;
  }
  for (; x < 12.0; x += 1.0) r -= 1.0 / x;
  double i = 1.0 / x, s = i * i;
  double q = DTRT_FMA64(s, 0x1.5555555555555p-4, -0x1.5995995995996p-6);
  q = DTRT_FMA64(s, q, 0x1.f07c1f07c1f08p-8);
  q = DTRT_FMA64(s, q, -0x1.1111111111111p-8);
  q = DTRT_FMA64(s, q, 0x1.0410410410410p-8);
  q = DTRT_FMA64(s, q, -0x1.1111111111111p-7);
  q = DTRT_FMA64(s, q, 0x1.5555555555555p-4);
  return r + (__builtin_log(x) - 0.5 * i - q * s);
}

/* The derivative of order n of digamma, for x > 0: (-1)^(n+1) n! zeta(n + 1, x) by Euler and
 * Maclaurin. NaN where n is not an integer from 1 on, and below 0. */
#define DTRT_POLYGAMMA(S, T, POWER)                                                                \
  DTRT_SHARED T dtrt_polygamma_##S(T n, T x) {                                                     \
    static const double divisor[] = {12.0,                                                         \
                                     -720.0,                                                       \
                                     30240.0,                                                      \
                                     -1209600.0,                                                   \
                                     47900160.0,                                                   \
                                     -1.8924375803183791606e9,                                     \
                                     7.47242496e10,                                                \
                                     -2.950130727918164224e12,                                     \
                                     1.1646782814350067249e14,                                     \
                                     -4.5979787224074726105e15,                                    \
                                     1.8152105401943546773e17,                                     \
                                     -7.1661652561756670113e18};                                   \
    double s = (double)n + 1.0, y = (double)x, sum = 0, factorial = 1;                             \
    if (x == 0) return (T)DTRT_INF_F64;                                                            \
    if (!(n >= 1 && n <= 100 && n == (T)(int)n && x > 0)) return (T)DTRT_NAN_F64;                  \
    for (double k = 2; k < s; k++) factorial *= k;                                                 \
    for (; y < 9.0 + s; y += 1.0) sum += POWER(y, -s);                                             \
    double at = POWER(y, -s), by = s, power = at / y;                                              \
    sum += at * y / (s - 1.0) + 0.5 * at;                                                          \
    for (int k = 0; k < 12; k++) {                                                                 \
      sum += by * power / divisor[k];                                                              \
      by *= (s + 2 * k + 1) * (s + 2 * k + 2);                                                     \
      power /= y * y;                                                                              \
    }                                                                                              \
    T r = (T)(factorial * sum);                                                                    \
    return ((int)n & 1) ? r : -r;                                                                  \
  }
DTRT_FN double dtrt_power_wide(double x, double y) {
  double z = y * dtrt_log2_poly_f64(x);
  z = z > 1000.0 ? 1000.0 : z;
  return z < -1000.0 ? 0.0 : dtrt_exp2_poly_f64(z);
}
DTRT_POLYGAMMA(f32, float, dtrt_power_wide)
DTRT_POLYGAMMA(f64, double, __builtin_pow)

/* How a draw x from the gamma distribution of parameter a moves with a while its share of the
 * distribution, F(x, a), stays (Figurnov et al. 2018): -(dF/da) / (dF/dx), by the series of F. Its
 * terms cancel in the tail above: the relative error is some 1e-16 / (1 - F), and 2e-16 a. From a
 * million on, where both are off by some 1e-9, Cornish and Fisher's expansion is in its place. */
DTRT_SHARED double dtrt_gamma_slope_f64(double x, double a) {
  if (!(a > 0) || !(x >= 0) || !(x < DTRT_INF_F64) || !(a < DTRT_INF_F64)) return DTRT_NAN_F64;
  if (x == 0) return 0;
  const double over = x - a;
  if (a > 1e6) return 1 + over / (2 * a) - (over / a * over - 1) / (6 * a);
  const double ln = dtrt_log_f64(x);
  double term = 1 / a, sum = 0, all = 0, psi = dtrt_digamma_f64(a + 1);
  for (double k = 1;; k += 1) {
    const double part = term * (ln - psi);
    sum += part;
    all += part < 0 ? -part : part;
    if (k > over && term * (1 + (ln > psi ? ln - psi : psi - ln)) <= 1e-18 * all) break;
    term *= x / (a + k);
    psi += 1 / (a + k);
  }
  return -x * sum;
}
DTRT_FN float dtrt_gamma_slope_f32(float x, float a) {
  return (float)dtrt_gamma_slope_f64((double)x, (double)a);
}

/* ------------------------------------------------------------------ 4. all floats */

/* nextafter is x's neighbour towards y, as C has it, by the bits: no comparison takes a denormal
 * number for 0. */
#define DTRT_FLOAT_CLASSES(S, T, U, I)                                                             \
  DTRT_FN uint8_t dtrt_isnan_##S(T x) { return x != x; }                                           \
  DTRT_FN uint8_t dtrt_isinf_##S(T x) { return dtrt_abs_##S(x) == (T)DTRT_INF_F64; }               \
  DTRT_FN uint8_t dtrt_isfinite_##S(T x) { return dtrt_abs_##S(x) < (T)DTRT_INF_F64; }             \
  DTRT_FN T dtrt_nextafter_##S(T x, T y) {                                                         \
    const U sign = (U)1 << (8 * sizeof(U) - 1), u = dtrt_bits_##S(x), v = dtrt_bits_##S(y);        \
    /* integers in the order of the floats */                                                      \
    const I a = (I)(u & sign ? sign - u : u), b = (I)(v & sign ? sign - v : v);                    \
    U next = a == 0 ? (b < 0 ? sign | 1u : 1u) : (((a < 0) == (b < a)) ? u + 1u : u - 1u);         \
    next = a == b ? v : next;                                                                      \
    T r = dtrt_from_bits_##S(next);                                                                \
    return ((x != x) | (y != y)) ? x + y : r;                                                      \
  }
DTRT_FLOAT_CLASSES(f32, float, uint32_t, int32_t)
DTRT_FLOAT_CLASSES(f64, double, uint64_t, int64_t)

/* ------------------------------------------------------------------ 5. integers */

/* The remainder with the sign of a; 0 where b is 0. */
#define DTRT_INT_FMOD(S, T)                                                                        \
  DTRT_FN T dtrt_fmod_##S(T a, T b) {                                                              \
    const T r = dtrt_mod_##S(a, b);                                                                \
    return ((r != 0) & ((a < 0) != (b < 0))) ? dtrt_sub_##S(r, b) : r;                             \
  }
DTRT_INT_FMOD(i8, int8_t)
DTRT_INT_FMOD(i16, int16_t)
DTRT_INT_FMOD(i32, int32_t)
DTRT_FN int64_t dtrt_fmod_i64(int64_t a, int64_t b) { return a % (((b == 0) | (b == -1)) ? 1 : b); }
DTRT_FN uint8_t dtrt_fmod_u8(uint8_t a, uint8_t b) { return dtrt_mod_u8(a, b); }
DTRT_FN uint16_t dtrt_fmod_u16(uint16_t a, uint16_t b) { return dtrt_mod_u16(a, b); }
DTRT_FN uint32_t dtrt_fmod_u32(uint32_t a, uint32_t b) { return dtrt_mod_u32(a, b); }
DTRT_FN uint64_t dtrt_fmod_u64(uint64_t a, uint64_t b) { return dtrt_mod_u64(a, b); }

/* Shifts by a negative amount, or by all bits and more, leave nothing: 0, and -1 of a negative
 * number to the right. clz of 0 is the number of bits. U: unsigned, of the same size. */
#define DTRT_BITS(S, T, U)                                                                         \
  DTRT_FN T dtrt_bit_and_##S(T a, T b) { return (T)((U)a & (U)b); }                                \
  DTRT_FN T dtrt_bit_or_##S(T a, T b) { return (T)((U)a | (U)b); }                                 \
  DTRT_FN T dtrt_bit_xor_##S(T a, T b) { return (T)((U)a ^ (U)b); }                                \
  DTRT_FN T dtrt_bit_not_##S(T a) { return (T)(U) ~(U)a; }                                         \
  DTRT_FN T dtrt_shift_left_##S(T a, T n) {                                                        \
    const U most = 8 * sizeof(U) - 1, by = (U)n;                                                   \
    const U r = (U)((uint64_t)(U)a << (by > most ? most : by));                                    \
    return by > most ? (T)0 : (T)r;                                                                \
  }                                                                                                \
  DTRT_FN T dtrt_shift_right_##S(T a, T n) {                                                       \
    const U most = 8 * sizeof(U) - 1, by = (U)n;                                                   \
    const T r = (T)(a >> (by > most ? most : by));                                                 \
    return by > most ? (T)(r >> 1) : r;                                                            \
  }                                                                                                \
  DTRT_FN T dtrt_popcount_##S(T a) { return (T)__builtin_popcountll((uint64_t)(U)a); }             \
  DTRT_FN T dtrt_clz_##S(T a) {                                                                    \
    const U u = (U)a;                                                                              \
    const int none = (int)(8 * sizeof(U)), lead = __builtin_clzll((uint64_t)u | 1u) - (64 - none); \
    return (T)(u ? lead : none);                                                                   \
  }
DTRT_BITS(u8, uint8_t, uint8_t)
DTRT_BITS(i8, int8_t, uint8_t)
DTRT_BITS(i16, int16_t, uint16_t)
DTRT_BITS(u16, uint16_t, uint16_t)
DTRT_BITS(i32, int32_t, uint32_t)
DTRT_BITS(u32, uint32_t, uint32_t)
DTRT_BITS(u64, uint64_t, uint64_t)
DTRT_BITS(i64, int64_t, uint64_t)

#endif
