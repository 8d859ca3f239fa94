/* conv_lines.c: a convolution as one accumulating matrix product for each line of the small side,
 * tap and group, with rows `stride` apart. For f64, and for CPUs without kernels. */
#include "conv.h"
#include <stdlib.h>
#include <string.h>

typedef struct ConvLines {
  int result;
  const dtrt_slide *s;
  ConvReach dim[3];
  int64_t bytes, groups, wide; /* of an element; groups here; output channels of each */
  char *x, *w, *y;
  char *transposed; /* [taps][out][each]: BLAS reads the small matrices of w slowly from the side */
} ConvLines;

static void transpose(ConvLines *p) {
  const int64_t taps = p->dim[0].taps * p->dim[1].taps * p->dim[2].taps, out = p->s->out,
                each = p->s->each;
  p->transposed = malloc((size_t)(taps * out * each * p->bytes));
  for (int64_t t = 0; p->transposed && t < taps; t++)
    for (int64_t i = 0; i < each; i++)
      for (int64_t o = 0; o < out; o++) {
        const int64_t to = (t * out + o) * each + i, from = (t * each + i) * out + o;
        if (p->bytes == 8)
          ((double *)p->transposed)[to] = ((double *)p->w)[from];
        else
          ((float *)p->transposed)[to] = ((float *)p->w)[from];
      }
}

/* Positions q to q_end of the small side's line, at flat row `small`, meet rows of the large side
 * from `large` on. */
static void product(const ConvLines *p, int64_t tap, int64_t small, int64_t large, int64_t n) {
  const dtrt_slide *s = p->s;
  const int64_t in = s->in, out = s->out, each = s->each, wide = p->wide;
  const int64_t step = p->dim[2].step * in;
  for (int64_t g = 0; g < p->groups; g++) {
    char *x = p->x + (large * in + g * each) * p->bytes,
         *w = p->w + (tap * each * out + g * wide) * p->bytes,
         *y = p->y + (small * out + g * wide) * p->bytes;
    if (p->result == CONV)
      dtrt_gemm(s->dtype, 0, 0, n, wide, each, x, step, w, out, y, out, 1);
    else if (p->result == CONV_WEIGHT)
      dtrt_gemm(s->dtype, 1, 0, each, wide, n, x, step, y, out, w, out, 1);
    else if (p->transposed)
      dtrt_gemm(s->dtype, 0, 0, n, each, wide, y, out,
                p->transposed + (tap * out + g * wide) * each * p->bytes, each, x, step, 1);
    else
      dtrt_gemm(s->dtype, 0, 1, n, each, wide, y, out, w, out, x, step, 1);
  }
}

/* All taps of one line of the small side. */
static void line(const ConvLines *p, int64_t b, int64_t j0, int64_t j1) {
  const ConvReach *d0 = &p->dim[0], *d1 = &p->dim[1], *d2 = &p->dim[2];
  const int64_t small = ((b * d0->count + j0) * d1->count + j1) * d2->count;
  for (int64_t i0 = 0; i0 < d0->taps; i0++) {
    const int64_t p0 = j0 * d0->step + d0->first + i0 * d0->far;
    if (!conv_reach_has(d0, p0)) continue;
    for (int64_t i1 = 0; i1 < d1->taps; i1++) {
      const int64_t p1 = j1 * d1->step + d1->first + i1 * d1->far;
      if (!conv_reach_has(d1, p1)) continue;
      const int64_t large = ((b * d0->size + p0) * d1->size + p1) * d2->size;
      for (int64_t i2 = 0; i2 < d2->taps; i2++) {
        const int64_t at = d2->first + i2 * d2->far, from = dtrt_first(at, d2->step, d2->count),
                      to = dtrt_last(at, d2->step, d2->count, d2->size);
        if (from < to)
          product(p, (i0 * d1->taps + i1) * d2->taps + i2, small + from,
                  large + from * d2->step + at, to - from);
      }
    }
  }
}

void conv_by_lines(int result, const dtrt_slide *s, char *x, char *w, char *y) {
  ConvLines p = {
      .result = result, .s = s, .bytes = s->dtype == DTRT_F64 ? 8 : 4, .x = x, .w = w, .y = y};
  conv_reach(s, p.dim);
  const ConvReach *d = p.dim;
  p.groups = s->in / s->each, p.wide = s->out / p.groups;
  const int64_t taps = d[0].taps * d[1].taps * d[2].taps;
  if (result == CONV)
    memset(y, 0, (size_t)(s->batch * d[0].count * d[1].count * d[2].count * s->out * p.bytes));
  else if (result == CONV_INPUT)
    memset(x, 0, (size_t)(s->batch * d[0].size * d[1].size * d[2].size * s->in * p.bytes));
  else
    memset(w, 0, (size_t)(taps * s->each * s->out * p.bytes));
  if (result == CONV_INPUT) transpose(&p);
  for (int64_t b = 0; b < s->batch; b++)
    for (int64_t j0 = 0; j0 < d[0].count; j0++)
      for (int64_t j1 = 0; j1 < d[1].count; j1++) line(&p, b, j0, j1);
  free(p.transposed);
}
