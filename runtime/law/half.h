/* half.h: f16 and bf16 as f32 and back, rounding to nearest even, by bits: the same on every
 * compiler. */
#ifndef DTG_RUNTIME_HALF_H
#define DTG_RUNTIME_HALF_H
#include <string.h>
#include "dtrt.h"

static inline float half_bits(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}
static inline uint32_t half_word(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static inline float half_from_bf16(uint16_t h) { return half_bits((uint32_t)h << 16); }

static inline uint16_t half_to_bf16(float f) {
  uint32_t u = half_word(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40); /* NaN stays one */
  return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

static inline float half_from_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
  if (rest >= 0x7c00) return half_bits(sign | 0x7f800000u | (rest & 0x3ff) << 13);
  /* The exponent is 112 too small; a multiplication mends it, subnormals too, exactly. */
  return half_bits(sign | half_word(half_bits(rest << 13) * half_bits(0x77800000u)));
}

static inline uint16_t half_to_f16(float f) {
  uint32_t u = half_word(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffffu;
  if (rest > 0x7f800000u) return (uint16_t)(sign | 0x7e00 | (rest >> 13 & 0x3ff));
  if (rest >= 0x477ff000u) return (uint16_t)(sign | 0x7c00); /* 65520 and more round to infinity */
  if (rest < 0x38800000u) /* below 2^-14: adding 0.5 rounds to a multiple of 2^-24 */
    return (uint16_t)(sign | (half_word(half_bits(rest) + 0.5f) - 0x3f000000u));
  return (uint16_t)(sign | ((rest - 0x38000000u + 0xfffu + (rest >> 13 & 1)) >> 13));
}

#endif
