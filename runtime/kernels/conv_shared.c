/* conv_shared.c: what the passes of a convolution share: see conv.h. */
#include "conv.h"

void conv_reach(const dtrt_slide *s, ConvReach dim[3]) {
  const ConvReach none = {
      .count = 1, .to_step = 1, .taps = 1, .tap_step = 1, .size = 1, .step = 1, .far = 1};
  dim[0] = dim[1] = none;
  for (int d = 0; d < s->n; d++)
    dim[d == s->n - 1 ? 2 : d] = (ConvReach){.count = s->small[d],
                                             .to_step = 1,
                                             .taps = s->taps[d],
                                             .tap_step = 1,
                                             .size = s->large[d],
                                             .step = s->stride[d],
                                             .first = s->start[d],
                                             .far = s->dilation[d]};
}

void conv_put(float *c, int64_t ldc, const float *e, int rows, int64_t n, bool add) {
  for (; rows-- > 0; c += ldc, e += CONV_COLUMNS) {
    int64_t i = 0;
    /* Pieces of fixed sizes are vectors to the compiler. */
#define PIECE(most)                                                                                \
  for (; i + most <= n; i += most)                                                                 \
    for (int q = 0; q < most; q++) c[i + q] = add ? c[i + q] + e[i + q] : e[i + q];
    PIECE(8) PIECE(4) PIECE(1)
#undef PIECE
  }
}

ConvPlace conv_place(int64_t depth) {
  ConvPlace p = {.depth = depth, .parts = (depth + CONV_PIECE - 1) / CONV_PIECE, .fit = 1};
  if (depth && p.parts == 1) p.fit = CONV_PIECE / depth;
  return p;
}

void conv_end_block(double *restrict blocks, const float *restrict sum, int64_t n, bool some) {
  if (some)
    for (int64_t i = 0; i < n; i++) blocks[i] += sum[i];
  else
    for (int64_t i = 0; i < n; i++) blocks[i] = sum[i];
}

void conv_round_blocks(const double *restrict blocks, float *restrict sum, int64_t n) {
  for (int64_t i = 0; i < n; i++) sum[i] = (float)(blocks[i] + sum[i]);
}
