/* Every function of include/dtrt_math.h and dtrt_special.h documented to vectorize, in a loop of the kind that emitted
 * C has. CTest compiles this with clang, -fno-math-errno and -Werror: a loop that cannot be
 * vectorised is an error. Nothing runs. */
#include "dtrt.h"

/* Parameters of a kernel: all the arrays that some expression reads or writes. */
#define KERNEL(name, T, expr)                                                                      \
  void vector_##name(int64_t n, T *restrict out, const float *restrict a, const float *restrict b, \
                     const double *restrict d, const int32_t *restrict j,                          \
                     const int32_t *restrict k, const uint16_t *restrict h, uint64_t key,          \
                     uint64_t step);                                                               \
  void vector_##name(int64_t n, T *restrict out, const float *restrict a, const float *restrict b, \
                     const double *restrict d, const int32_t *restrict j,                          \
                     const int32_t *restrict k, const uint16_t *restrict h, uint64_t key,          \
                     uint64_t step) {                                                              \
    (void)a, (void)b, (void)d, (void)j, (void)k, (void)h, (void)key, (void)step;                   \
    _Pragma("clang loop vectorize(enable)") for (int64_t i = 0; i < n; i++) out[i] = expr;         \
  }

KERNEL(exp, float, dtrt_exp_f32(a[i]))
KERNEL(expm1, float, dtrt_expm1_f32(a[i]))
KERNEL(log, float, dtrt_log_f32(a[i]))
KERNEL(log1p, float, dtrt_log1p_f32(a[i]))
KERNEL(sqrt, float, dtrt_sqrt_f32(a[i]))
KERNEL(rsqrt, float, dtrt_rsqrt_f32(a[i]))
KERNEL(tanh, float, dtrt_tanh_f32(a[i]))
KERNEL(sigmoid, float, dtrt_sigmoid_f32(a[i]))
KERNEL(erf, float, dtrt_erf_f32(a[i]))
KERNEL(sin, float, dtrt_sin_f32(a[i]))
KERNEL(cos, float, dtrt_cos_f32(a[i]))
KERNEL(pow, float, dtrt_pow_f32(a[i], b[i]))
KERNEL(floor, float, dtrt_floor_f32(a[i]))
KERNEL(ceil, float, dtrt_ceil_f32(a[i]))
KERNEL(round, float, dtrt_round_f32(a[i]))
KERNEL(abs, float, dtrt_abs_f32(a[i]))
KERNEL(sign, float, dtrt_sign_f32(a[i]))
KERNEL(min, float, dtrt_min_f32(a[i], b[i]))
KERNEL(max, float, dtrt_max_f32(a[i], b[i]))
KERNEL(max_f64, double, dtrt_max_f64(d[i], 0.0))
KERNEL(sqrt_f64, double, dtrt_sqrt_f64(d[i]))
KERNEL(floordiv_i32, int32_t, dtrt_floordiv_i32(j[i], k[i]))
KERNEL(mod_i32, int32_t, dtrt_mod_i32(j[i], k[i]))
KERNEL(cast_f32_i8, int8_t, dtrt_cast_f32_i8(a[i]))
KERNEL(cast_f32_u8, uint8_t, dtrt_cast_f32_u8(a[i]))
KERNEL(cast_f32_i32, int32_t, dtrt_cast_f32_i32(a[i]))
KERNEL(cast_f32_i64, int64_t, dtrt_cast_f32_i64(a[i]))
KERNEL(cast_f64_i32, int32_t, dtrt_cast_f64_i32(d[i]))
KERNEL(from_bf16, float, dtrt_bf16_to_f32(h[i]))
KERNEL(to_bf16, uint16_t, dtrt_f32_to_bf16(a[i]))
KERNEL(from_f16, float, dtrt_f16_to_f32(h[i]))
KERNEL(to_f16, uint16_t, dtrt_f32_to_f16(a[i]))
KERNEL(f64_to_f16, uint16_t, dtrt_f64_to_f16(d[i]))
KERNEL(uniform, float, dtrt_uniform_key_f32(key, step, i))
KERNEL(uniform_f64, double, dtrt_uniform_key_f64(key, step, i))
KERNEL(normal, float, dtrt_normal_key_f32(key, step, i))
KERNEL(bernoulli, uint8_t, dtrt_bernoulli_key(key, step, i, 0.1f))
KERNEL(tan, float, dtrt_tan_f32(a[i]))
KERNEL(asin, float, dtrt_asin_f32(a[i]))
KERNEL(acos, float, dtrt_acos_f32(a[i]))
KERNEL(atan, float, dtrt_atan_f32(a[i]))
KERNEL(sinh, float, dtrt_sinh_f32(a[i]))
KERNEL(cosh, float, dtrt_cosh_f32(a[i]))
KERNEL(asinh, float, dtrt_asinh_f32(a[i]))
KERNEL(acosh, float, dtrt_acosh_f32(a[i]))
KERNEL(atanh, float, dtrt_atanh_f32(a[i]))
KERNEL(exp2, float, dtrt_exp2_f32(a[i]))
KERNEL(log2, float, dtrt_log2_f32(a[i]))
KERNEL(log10, float, dtrt_log10_f32(a[i]))
KERNEL(cbrt, float, dtrt_cbrt_f32(a[i]))
KERNEL(erfc, float, dtrt_erfc_f32(a[i]))
KERNEL(erfinv, float, dtrt_erfinv_f32(a[i]))
KERNEL(lgamma, float, dtrt_lgamma_f32(a[i]))
KERNEL(digamma, float, dtrt_digamma_f32(a[i]))
KERNEL(trunc, float, dtrt_trunc_f32(a[i]))
KERNEL(frac, float, dtrt_frac_f32(a[i]))
KERNEL(atan2, float, dtrt_atan2_f32(a[i], b[i]))
KERNEL(logaddexp, float, dtrt_logaddexp_f32(a[i], b[i]))
KERNEL(hypot, float, dtrt_hypot_f32(a[i], b[i]))
KERNEL(nextafter, float, dtrt_nextafter_f32(a[i], b[i]))
KERNEL(copysign, float, dtrt_copysign_f32(a[i], b[i]))
KERNEL(isnan, uint8_t, dtrt_isnan_f32(a[i]))
KERNEL(isinf, uint8_t, dtrt_isinf_f32(a[i]))
KERNEL(popcount, int32_t, dtrt_popcount_i32(j[i]))
KERNEL(shift_right, int32_t, dtrt_shift_right_i32(j[i], k[i]))
KERNEL(clz, int32_t, dtrt_clz_i32(j[i]))
