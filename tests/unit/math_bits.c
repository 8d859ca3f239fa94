/* The invariant of include/dtrt_math.h: a result is the same to the bit at any vector width and
 * place in an array, under any compiler and at any -O. Hashes of results over many arguments are
 * pinned here, and CMake builds this file several times (-O0; -O3 for this CPU with contraction on;
 * the other compiler): all must find them. `math_bits --hash` prints the table as it is, to pin a
 * deliberate change. */
#include "dtrt.h"
#include <stdio.h>
#include <string.h>

static int failures;

/* Inputs: bit patterns of all kinds (a), values of the usual sizes (b), small whole numbers among
 * large (m). */
enum { N = 40009 };
static float in_a[N], in_b[N], out_f[N], again[N];
static int32_t in_i[N], in_j[N], out_i[N];
static double in_d[N], out_d[N];

static void make_inputs(void) {
  for (int i = 0; i < N; i++) {
    uint32_t w[4];
    dtrt_philox(5, 6, (uint32_t)i, 0, 0, 0, w);
    in_a[i] = dtrt_from_bits_f32(w[0]);
    in_b[i] = (float)(int32_t)w[1] * 0x1p-27f; /* -16 to 16 */
    in_i[i] = (int32_t)w[2];
    in_j[i] = (int32_t)w[3] >> (w[1] & 31);
    in_d[i] = dtrt_from_bits_f64((uint64_t)w[0] << 32 | w[3]);
  }
}
static uint64_t hash_word(uint64_t h, uint64_t w) {
  return dtrt_mix64(h ^ w) + 0x9E3779B97F4A7C15u;
}
static uint64_t hash_f32(uint64_t h, float x) {
  return hash_word(h, x == x ? dtrt_bits_f32(x) : 0x7fc00000u);
}
static uint64_t hash_f64(uint64_t h, double x) {
  return hash_word(h, x == x ? dtrt_bits_f64(x) : 0x7ff8000000000000u);
}

/* Each function runs over its inputs in one loop, which the compiler may vectorise, and again from
 * other places in the array, so that its vectors begin and end elsewhere; the bits must not know.
 * `expr` is over x = in_a or in_b, y, i. The loop is compiled once: these are 60 functions, each of
 * them expanded wherever it is called. */
typedef void Bits_f32(float *restrict out, int from, int to);
static uint64_t bits_f32(Bits_f32 *run, const char *name, const float *in) {
  uint64_t h = 0;
  run(out_f, 0, N);
  for (int part = 0; part < 3; part++) {
    const int from = 3 + part * 11, to = (part + 1) * (N / 3);
    run(again, from, to);
    for (int i = from; i < to; i++)
      if (hash_f32(0, again[i]) != hash_f32(0, out_f[i]))
        failures++, printf("FAIL %s at another place at %a\n", name, (double)in[i]);
  }
  for (int i = 0; i < N; i++) h = hash_f32(h, out_f[i]);
  return h;
}
#define BITS_F32(name, in, expr)                                                                   \
  static __attribute__((noinline)) void run_##name(float *restrict out, int from, int to) {        \
    for (int i = from; i < to; i++) {                                                              \
      float x = in[i], y = in_b[i];                                                                \
      (void)x, (void)y;                                                                            \
      out[i] = expr;                                                                               \
    }                                                                                              \
  }                                                                                                \
  static uint64_t bits_##name(void) { return bits_f32(run_##name, #name, in); }
#define BITS(name, out, hash, expr)                                                                \
  static uint64_t bits_##name(void) {                                                              \
    uint64_t h = 0;                                                                                \
    for (int i = 0; i < N; i++) out[i] = expr;                                                     \
    for (int i = 0; i < N; i++) h = hash(h, out[i]);                                               \
    return h;                                                                                      \
  }
#define hash_i32(h, x) hash_word(h, (uint32_t)(x))

#define KERNELS_F32(K)                                                                             \
  K(exp, in_a, dtrt_exp_f32(x))                                                                    \
  K(exp_b, in_b, dtrt_exp_f32(x))                                                                  \
  K(expm1, in_a, dtrt_expm1_f32(x))                                                                \
  K(expm1_b, in_b, dtrt_expm1_f32(x))                                                              \
  K(log, in_a, dtrt_log_f32(x))                                                                    \
  K(log1p, in_a, dtrt_log1p_f32(x))                                                                \
  K(log1p_b, in_b, dtrt_log1p_f32(x))                                                              \
  K(sqrt, in_a, dtrt_sqrt_f32(x))                                                                  \
  K(rsqrt, in_a, dtrt_rsqrt_f32(x))                                                                \
  K(tanh, in_a, dtrt_tanh_f32(x))                                                                  \
  K(tanh_b, in_b, dtrt_tanh_f32(x))                                                                \
  K(sigmoid, in_a, dtrt_sigmoid_f32(x))                                                            \
  K(sigmoid_b, in_b, dtrt_sigmoid_f32(x))                                                          \
  K(erf, in_a, dtrt_erf_f32(x))                                                                    \
  K(erf_b, in_b, dtrt_erf_f32(x))                                                                  \
  K(sin, in_a, dtrt_sin_f32(x))                                                                    \
  K(sin_b, in_b, dtrt_sin_f32(x))                                                                  \
  K(cos, in_a, dtrt_cos_f32(x))                                                                    \
  K(cos_b, in_b, dtrt_cos_f32(x))                                                                  \
  K(pow, in_a, dtrt_pow_f32(x, y))                                                                 \
  K(pow_b, in_b, dtrt_pow_f32(dtrt_abs_f32(x), y))                                                 \
  K(tan, in_a, dtrt_tan_f32(x))                                                                    \
  K(asin, in_a, dtrt_asin_f32(x))                                                                  \
  K(acos, in_a, dtrt_acos_f32(x))                                                                  \
  K(atan, in_a, dtrt_atan_f32(x))                                                                  \
  K(sinh, in_a, dtrt_sinh_f32(x))                                                                  \
  K(cosh, in_a, dtrt_cosh_f32(x))                                                                  \
  K(asinh, in_a, dtrt_asinh_f32(x))                                                                \
  K(acosh, in_a, dtrt_acosh_f32(x))                                                                \
  K(atanh, in_a, dtrt_atanh_f32(x))                                                                \
  K(exp2, in_a, dtrt_exp2_f32(x))                                                                  \
  K(log2, in_a, dtrt_log2_f32(x))                                                                  \
  K(log10, in_a, dtrt_log10_f32(x))                                                                \
  K(cbrt, in_a, dtrt_cbrt_f32(x))                                                                  \
  K(erfc, in_a, dtrt_erfc_f32(x))                                                                  \
  K(erfinv, in_a, dtrt_erfinv_f32(x))                                                              \
  K(lgamma, in_a, dtrt_lgamma_f32(x))                                                              \
  K(digamma, in_a, dtrt_digamma_f32(x))                                                            \
  K(trunc, in_a, dtrt_trunc_f32(x))                                                                \
  K(frac, in_a, dtrt_frac_f32(x))                                                                  \
  K(asin_b, in_b, dtrt_asin_f32(x * 0.06f))                                                        \
  K(acos_b, in_b, dtrt_acos_f32(x * 0.06f))                                                        \
  K(atanh_b, in_b, dtrt_atanh_f32(x * 0.06f))                                                      \
  K(erfinv_b, in_b, dtrt_erfinv_f32(x * 0.06f))                                                    \
  K(erfc_b, in_b, dtrt_erfc_f32(x * 1.0f))                                                         \
  K(lgamma_b, in_b, dtrt_lgamma_f32(x * 1.0f))                                                     \
  K(digamma_b, in_b, dtrt_digamma_f32(x * 1.0f))                                                   \
  K(tan_b, in_b, dtrt_tan_f32(x * 1.0f))                                                           \
  K(sinh_b, in_b, dtrt_sinh_f32(x * 1.0f))                                                         \
  K(atan2, in_a, dtrt_atan2_f32(x, y))                                                             \
  K(logaddexp, in_a, dtrt_logaddexp_f32(x, y))                                                     \
  K(hypot, in_a, dtrt_hypot_f32(x, y))                                                             \
  K(nextafter, in_a, dtrt_nextafter_f32(x, y))                                                     \
  K(copysign, in_a, dtrt_copysign_f32(x, y))                                                       \
  K(fmod, in_a, dtrt_fmod_f32(x, y))                                                               \
  K(polygamma, in_b, dtrt_polygamma_f32(2.0f, x))                                                  \
  K(round, in_a, dtrt_round_f32(x) + dtrt_floor_f32(x) + dtrt_ceil_f32(x))                         \
  K(sign, in_a, dtrt_sign_f32(x))                                                                  \
  K(min, in_a, dtrt_min_f32(x, y))                                                                 \
  K(max, in_a, dtrt_max_f32(x, y))                                                                 \
  K(mod, in_a, dtrt_mod_f32(x, y))                                                                 \
  K(floordiv, in_a, dtrt_floordiv_f32(x, y))                                                       \
  K(bf16, in_a, dtrt_bf16_to_f32(dtrt_f32_to_bf16(x)))                                             \
  K(f16, in_b, dtrt_f16_to_f32(dtrt_f32_to_f16(x *y *y *y)))                                       \
  K(uniform, in_a, dtrt_uniform_f32(1, 2, 3, i))                                                   \
  K(normal, in_a, dtrt_normal_f32(1, 2, 3, i))                                                     \
  K(bernoulli, in_a, dtrt_bernoulli(1, 2, 3, i, 0.3f))                                             \
  K(exp_log, in_b, dtrt_log_f32(dtrt_exp_f32(x) * 0.7f) * dtrt_sigmoid_f32(y))
#define KERNELS(K)                                                                                 \
  K(floordiv_i32, out_i, hash_i32, dtrt_floordiv_i32(in_i[i], in_j[i]))                            \
  K(mod_i32, out_i, hash_i32, dtrt_mod_i32(in_i[i], in_j[i]))                                      \
  K(cast_f32_i32, out_i, hash_i32, dtrt_cast_f32_i32(in_a[i]))                                     \
  K(cast_f64_u8, out_i, hash_i32, dtrt_cast_f64_u8(in_d[i]))                                       \
  K(f64_f16, out_i, hash_i32, dtrt_f64_to_f16(in_d[i]))                                            \
  K(sqrt_f64, out_d, hash_f64, dtrt_sqrt_f64(in_d[i]))                                             \
  K(exp_f64, out_d, hash_f64, dtrt_exp_f64(in_d[i]))                                               \
  K(exp_of_f64, out_d, hash_f64, dtrt_exp_f64(50 * (double)in_b[i]))                               \
  K(expm1_f64, out_d, hash_f64, dtrt_expm1_f64((double)in_b[i]))                                   \
  K(tanh_f64, out_d, hash_f64, dtrt_tanh_f64((double)in_b[i]))                                     \
  K(sigmoid_f64, out_d, hash_f64, dtrt_sigmoid_f64((double)in_b[i]))                               \
  K(log_f64, out_d, hash_f64, dtrt_log_f64(in_d[i]))                                               \
  K(log_of_f64, out_d, hash_f64, dtrt_log_f64((double)in_b[i]))                                    \
  K(log1p_f64, out_d, hash_f64, dtrt_log1p_f64((double)in_b[i]))                                   \
  K(erf_f64, out_d, hash_f64, dtrt_erf_f64((double)in_b[i]))                                       \
  K(erfc_f64, out_d, hash_f64, dtrt_erfc_f64((double)in_b[i]))                                     \
  K(exp2_f64, out_d, hash_f64, dtrt_exp2_f64((double)in_b[i]))                                     \
  K(log2_f64, out_d, hash_f64, dtrt_log2_f64((double)in_b[i]))                                     \
  K(log10_f64, out_d, hash_f64, dtrt_log10_f64((double)in_b[i]))                                   \
  K(sinh_f64, out_d, hash_f64, dtrt_sinh_f64((double)in_b[i]))                                     \
  K(cosh_f64, out_d, hash_f64, dtrt_cosh_f64((double)in_b[i]))                                     \
  K(asinh_f64, out_d, hash_f64, dtrt_asinh_f64((double)in_b[i]))                                   \
  K(acosh_f64, out_d, hash_f64, dtrt_acosh_f64((double)in_b[i]))                                   \
  K(atanh_f64, out_d, hash_f64, dtrt_atanh_f64((double)in_b[i] / 16))                              \
  K(erfinv_f64, out_d, hash_f64, dtrt_erfinv_f64((double)in_b[i] / 16))                            \
  K(atan2_f64, out_d, hash_f64, dtrt_atan2_f64((double)in_b[i], (double)in_a[i]))                  \
  K(hypot_f64, out_d, hash_f64, dtrt_hypot_f64((double)in_b[i], in_d[i]))                          \
  K(sin_f64, out_d, hash_f64, dtrt_sin_f64(in_d[i]))                                               \
  K(sin_of_f64, out_d, hash_f64, dtrt_sin_f64((double)in_b[i]))                                    \
  K(cos_f64, out_d, hash_f64, dtrt_cos_f64(50 * (double)in_b[i]))                                  \
  K(tan_f64, out_d, hash_f64, dtrt_tan_f64((double)in_b[i]))                                       \
  K(asin_f64, out_d, hash_f64, dtrt_asin_f64((double)in_b[i] / 16))                                \
  K(acos_f64, out_d, hash_f64, dtrt_acos_f64((double)in_b[i] / 16))                                \
  K(cbrt_f64, out_d, hash_f64, dtrt_cbrt_f64(in_d[i]))                                             \
  K(pow_f64, out_d, hash_f64, dtrt_pow_f64((double)in_a[i], (double)in_b[i]))                      \
  K(normal_f64, out_d, hash_f64, dtrt_normal_f64(1, 2, 3, i))                                      \
  K(uniform_f64, out_d, hash_f64, dtrt_uniform_f64(1, 2, 3, i))
KERNELS_F32(BITS_F32)
KERNELS(BITS)

/* `math_bits --hash` writes this table. */
static const struct Bits {
  const char *name;
  uint64_t (*f)(void);
  uint64_t pinned;
} bits[] = {
    {"exp", bits_exp, 0xb9a29d1a2027a39fu},
    {"exp_b", bits_exp_b, 0x42e2e4d70ef0bca9u},
    {"expm1", bits_expm1, 0x0a65406f91428b7eu},
    {"expm1_b", bits_expm1_b, 0x5808a820bf99ea2du},
    {"log", bits_log, 0x014ef8c145d2b683u},
    {"log1p", bits_log1p, 0x74faa7eaef4f9c93u},
    {"log1p_b", bits_log1p_b, 0x3ab620a24949f1a6u},
    {"sqrt", bits_sqrt, 0x7d0eda0b2530059fu},
    {"rsqrt", bits_rsqrt, 0x1fc91d185385f515u},
    {"tanh", bits_tanh, 0x8e21505cad09b6b2u},
    {"tanh_b", bits_tanh_b, 0x72165b5af75d23d8u},
    {"sigmoid", bits_sigmoid, 0x5fdc4d05238bd987u},
    {"sigmoid_b", bits_sigmoid_b, 0x88ea29285cef5371u},
    {"erf", bits_erf, 0x57634aa8181d54bau},
    {"erf_b", bits_erf_b, 0x853208dd4bd3a811u},
    {"sin", bits_sin, 0x03815f5372aca2e2u},
    {"sin_b", bits_sin_b, 0xecfcbea8187f2f3cu},
    {"cos", bits_cos, 0xcb161c41b88fb4c4u},
    {"cos_b", bits_cos_b, 0xe602055da4d3a936u},
    {"pow", bits_pow, 0xe588aa4ec201339du},
    {"pow_b", bits_pow_b, 0x96048f3c2e93d0b8u},
    {"tan", bits_tan, 0xae479fdac7c02dfbu},
    {"asin", bits_asin, 0x15ead2346f61b59fu},
    {"acos", bits_acos, 0x3700c25e8b4a565bu},
    {"atan", bits_atan, 0xc35b1c5c6b0e9a93u},
    {"sinh", bits_sinh, 0xf213426256b18f0au},
    {"cosh", bits_cosh, 0x5d6a74422e82e694u},
    {"asinh", bits_asinh, 0x8231047d780d0bd1u},
    {"acosh", bits_acosh, 0xcd869fc826a63b6eu},
    {"atanh", bits_atanh, 0x8ddeb32ce426951eu},
    {"exp2", bits_exp2, 0x245c153446c6b4beu},
    {"log2", bits_log2, 0x810eaa2eb525cfffu},
    {"log10", bits_log10, 0xa27a2c180df6d6c7u},
    {"cbrt", bits_cbrt, 0x339bc89fc72ebc95u},
    {"erfc", bits_erfc, 0x6fb3d228a9bd766bu},
    {"erfinv", bits_erfinv, 0xb45d5f6199ee18f1u},
    {"lgamma", bits_lgamma, 0x33a88b18f440c463u},
    {"digamma", bits_digamma, 0x22447d55d3305447u},
    {"trunc", bits_trunc, 0xefae85e4d9befb1du},
    {"frac", bits_frac, 0x271ffb531005085du},
    {"asin_b", bits_asin_b, 0x635035e346351ee3u},
    {"acos_b", bits_acos_b, 0xcc68913156ba01d4u},
    {"atanh_b", bits_atanh_b, 0x4fc55a4c75c0bedau},
    {"erfinv_b", bits_erfinv_b, 0x9c3db7320158c882u},
    {"erfc_b", bits_erfc_b, 0xe33aa486c6e73a6bu},
    {"lgamma_b", bits_lgamma_b, 0x9918a6a947633d03u},
    {"digamma_b", bits_digamma_b, 0xc4f37283e88c142bu},
    {"tan_b", bits_tan_b, 0x585110407769c0f6u},
    {"sinh_b", bits_sinh_b, 0xe7af3d74c9e9d4e1u},
    {"atan2", bits_atan2, 0xdc39530e22885479u},
    {"logaddexp", bits_logaddexp, 0xaf175a70aec10d0bu},
    {"hypot", bits_hypot, 0x65f35bd1974cc186u},
    {"nextafter", bits_nextafter, 0x80bbf36ec68d9a99u},
    {"copysign", bits_copysign, 0xc858da2422dec95bu},
    {"fmod", bits_fmod, 0x4c2d28fbc945ff49u},
    {"polygamma", bits_polygamma, 0xf8aa768166d96699u},
    {"round", bits_round, 0x62333bdb346eb834u},
    {"sign", bits_sign, 0x12ca07be0db358a8u},
    {"min", bits_min, 0x9b217d8365beed92u},
    {"max", bits_max, 0x7fb61b18c1c6de47u},
    {"mod", bits_mod, 0x63c4dcb689200133u},
    {"floordiv", bits_floordiv, 0xe59e27bc3b474399u},
    {"bf16", bits_bf16, 0x5e7d23495d8d0a1bu},
    {"f16", bits_f16, 0x6b6434c9001235fbu},
    {"uniform", bits_uniform, 0x876d0fe096122c01u},
    {"normal", bits_normal, 0x209b514f6f8b0464u},
    {"bernoulli", bits_bernoulli, 0x88491ddf8028188eu},
    {"exp_log", bits_exp_log, 0x3ae3de2c15750617u},
    {"floordiv_i32", bits_floordiv_i32, 0xedbc92cb1def2759u},
    {"mod_i32", bits_mod_i32, 0xb2ae2292177638e1u},
    {"cast_f32_i32", bits_cast_f32_i32, 0x9e7c62eae80fbbe2u},
    {"cast_f64_u8", bits_cast_f64_u8, 0x0ca45b9c294569f3u},
    {"f64_f16", bits_f64_f16, 0x4ce503e667f5c8c7u},
    {"sqrt_f64", bits_sqrt_f64, 0x2c3f51710636daa1u},
    {"exp_f64", bits_exp_f64, 0x409cef9ce39c9f1bu},
    {"exp_of_f64", bits_exp_of_f64, 0x1c474f0bd0a016bau},
    {"expm1_f64", bits_expm1_f64, 0x12b9d6a24d8421b7u},
    {"tanh_f64", bits_tanh_f64, 0x0551b7a5321f82ecu},
    {"sigmoid_f64", bits_sigmoid_f64, 0x7c81fae860a1fc8du},
    {"log_f64", bits_log_f64, 0x2a914504c005a2dcu},
    {"log_of_f64", bits_log_of_f64, 0xd4d97aecdf9af897u},
    {"log1p_f64", bits_log1p_f64, 0xedf23116a1647506u},
    {"erf_f64", bits_erf_f64, 0xb8809e02d95fb2e6u},
    {"erfc_f64", bits_erfc_f64, 0xa1b0935c7711368du},
    {"exp2_f64", bits_exp2_f64, 0xb747de9e641e4304u},
    {"log2_f64", bits_log2_f64, 0x49ebac6d02eb5bd4u},
    {"log10_f64", bits_log10_f64, 0x00a8626fe3552072u},
    {"sinh_f64", bits_sinh_f64, 0xe01abf8920b6519cu},
    {"cosh_f64", bits_cosh_f64, 0x4f7ccbdd210b853au},
    {"asinh_f64", bits_asinh_f64, 0x71d2b7a3a323711cu},
    {"acosh_f64", bits_acosh_f64, 0x2173239b6d3e23c0u},
    {"atanh_f64", bits_atanh_f64, 0xa88cb42a1cba73f8u},
    {"erfinv_f64", bits_erfinv_f64, 0xe0092184caac1d52u},
    {"atan2_f64", bits_atan2_f64, 0xbe5f960b3332e070u},
    {"hypot_f64", bits_hypot_f64, 0xd6fb656aedc7536fu},
    {"sin_f64", bits_sin_f64, 0xce1617eda2ee05afu},
    {"sin_of_f64", bits_sin_of_f64, 0xea5f3a0c00d5df5eu},
    {"cos_f64", bits_cos_f64, 0x59f7537608e748e4u},
    {"tan_f64", bits_tan_f64, 0xf3b7b3ec2927ba7eu},
    {"asin_f64", bits_asin_f64, 0x6f3b9aab495b7789u},
    {"acos_f64", bits_acos_f64, 0x9e14e44d8d3d1b58u},
    {"cbrt_f64", bits_cbrt_f64, 0xf83cfad96a1ad7bcu},
    {"pow_f64", bits_pow_f64, 0x680d212ca75bdfa6u},
    {"normal_f64", bits_normal_f64, 0x76f0408e62ceccd9u},
    {"uniform_f64", bits_uniform_f64, 0x2bfc8b987e2273fbu},
};

static void test_bits(int print) {
  make_inputs();
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
    uint64_t h = bits[i].f();
    if (print) {
      printf("{\"%s\", bits_%s, 0x%016llxu},\n", bits[i].name, bits[i].name, (unsigned long long)h);
    } else if (h != bits[i].pinned) {
      failures++;
      printf("FAIL bits of %s: hash %016llx, pinned %016llx\n", bits[i].name, (unsigned long long)h,
             (unsigned long long)bits[i].pinned);
    }
  }
}

int main(int argc, char **argv) {
  test_bits(argc > 1 && !strcmp(argv[1], "--hash"));
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
