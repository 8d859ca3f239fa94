/* conv_half.c: convolutions of bf16 and f16, added up in f32. Numbers become words of 32 bits as
 * they are copied and packed (gemm_half.h): a bf16 and the next channel, or for gradients to the
 * weights the next pixel of the line, are a pair, which the tiles multiply as one word; an f16 is
 * an f32. A missing second number is 0. All else is as for f32, a word being a number. */
#include <string.h>
#include "conv_sum.h"
#include "dtrt_math.h"

typedef uint32_t Word;

static Word word_of_f16(uint16_t h) { return dtrt_bits_f32(dtrt_f16_to_f32(h)); }
static Word word_of_pair(uint16_t even, uint16_t odd) { return even | (Word)odd << 16; }

ConvSource conv_source(int32_t dtype, const void *x, int64_t batch, int64_t channels,
                       int64_t groups) {
  const int64_t each = channels / groups;
  ConvSource s = {.x = x,
                  .batch = batch,
                  .channels = channels,
                  .pixel = channels * 4,
                  .dtype = dtype,
                  .groups = groups,
                  .each = each};
  if (dtype == DTRT_F32) return s;
  s.pixel = channels * 2;
  if (dtype == DTRT_BF16) s.channels = groups * ((each + 1) / 2);
  s.copied = dtype == DTRT_F16 || each % 2;
  return s;
}

void conv_copy_pixels(const ConvSource *s, const char *from, int64_t pixels, float *to) {
  if (!s->copied) {
    memcpy(to, from, (size_t)(pixels * s->channels) * sizeof *to);
    return;
  }
  Word *w = (Word *)(void *)to;
  const uint16_t *x = (const uint16_t *)(const void *)from;
  if (s->dtype == DTRT_F16) {
    for (int64_t i = 0; i < pixels * s->channels; i++) w[i] = word_of_f16(x[i]);
    return;
  }
  const int64_t each = s->each, pairs = each / 2;
  for (int64_t i = 0; i < pixels * s->groups; i++, x += each, w += pairs + 1) {
    memcpy(w, x, (size_t)pairs * sizeof *w);
    w[pairs] = x[each - 1];
  }
}

/* -------- weights -------- */

/* The weights of one tap, [depth][columns], as [words][columns] from column j on. */
static void pack_across(const Sum *s, const uint16_t *w, int64_t here, Word *to) {
  const int64_t columns = s->kernel->columns, out = s->w_out, each = s->from.each;
  for (int64_t l = 0; l < s->each; l++, to += columns) {
    if (s->from.dtype == DTRT_F16) {
      for (int64_t o = 0; o < here; o++) to[o] = word_of_f16(w[l * out + o]);
      continue;
    }
    const uint16_t *even = w + 2 * l * out, *odd = even + out;
    if (2 * l + 1 < each)
      for (int64_t o = 0; o < here; o++) to[o] = word_of_pair(even[o], odd[o]);
    else
      for (int64_t o = 0; o < here; o++) to[o] = even[o];
  }
}

/* The same of [columns][depth]. */
static void pack_along(const Sum *s, const uint16_t *w, int64_t here, Word *to) {
  const int64_t columns = s->kernel->columns, half = columns / 2, each = s->from.each;
  if (s->from.dtype == DTRT_BF16 && each % 2 == 0) {
    const float *pairs = (const float *)(const void *)w;
    for (int64_t at = 0; at < here; at += half)
      s->kernel->transpose(pairs + at * s->w_out / 2, s->w_out / 2, s->each,
                           (int)(here - at < half ? here - at : half), (float *)(void *)to + at,
                           columns);
    return;
  }
  for (int64_t j = 0; j < here; j++, w += s->w_out)
    for (int64_t l = 0; l < s->each; l++)
      to[l * columns + j] = s->from.dtype == DTRT_F16 ? word_of_f16(w[l])
                            : 2 * l + 1 < each        ? word_of_pair(w[2 * l], w[2 * l + 1])
                                                      : w[2 * l];
}

void conv_pack_half(const Sum *s, int64_t tap, int64_t group, int64_t j, float *to) {
  const int64_t columns = s->kernel->columns;
  const int64_t here = s->wide - j < columns ? s->wide - j : columns;
  const uint16_t *w = (const uint16_t *)(const void *)s->w;
  if (s->transposed)
    pack_along(s, w + (tap * s->w_in + j) * s->w_out + group * s->from.each, here,
               (Word *)(void *)to);
  else
    pack_across(s, w + tap * s->w_in * s->w_out + group * s->wide + j, here, (Word *)(void *)to);
}

/* -------- gradients to the weights -------- */

int64_t conv_line_words(int32_t dtype, int64_t pixels) {
  return dtype == DTRT_BF16 ? (pixels + 1) / 2 : pixels;
}

void conv_pair_pixels(const ConvSource *s, const char *from, int64_t first, int64_t pixels,
                      int64_t wide, float *to) {
  const uint16_t *x = (const uint16_t *)(const void *)from;
  const int64_t n = s->channels, step = s->dim[2].step;
  const int64_t both = (pixels > step ? pixels - step : 0) * n, all = pixels * n,
                lone = (first < step ? first : step) * n; /* zeros that have a second number */
  Word *w = (Word *)(void *)to, *at = w + first * n;
  memset(w, 0, (size_t)(first * n) * sizeof *w);
  memset(at + all, 0, (size_t)(wide * n - first * n - all) * sizeof *w);
  const uint16_t *behind = x + (step * n - lone);
  for (int64_t i = 0; i < lone && i < all - (step * n - lone); i++)
    at[i - lone] = (Word)behind[i] << 16;
  for (int64_t i = 0; i < both; i++) at[i] = word_of_pair(x[i], x[i + step * n]);
  for (int64_t i = both; i < all; i++) at[i] = x[i];
}

void conv_pack_line(int32_t dtype, const uint16_t *y, int64_t lead, int64_t pixels, int64_t n,
                    int64_t columns, float *to) {
  Word *w = (Word *)(void *)to;
  const bool pairs = dtype == DTRT_BF16;
  for (int64_t l = 0; l < pixels; l += 1 + pairs, y += (1 + pairs) * lead, w += columns) {
    if (!pairs)
      for (int64_t j = 0; j < n; j++) w[j] = word_of_f16(y[j]);
    else if (l + 1 < pixels)
      for (int64_t j = 0; j < n; j++) w[j] = word_of_pair(y[j], y[lead + j]);
    else
      for (int64_t j = 0; j < n; j++) w[j] = y[j];
    memset(w + n, 0, (size_t)(columns - n) * sizeof *w);
  }
}
