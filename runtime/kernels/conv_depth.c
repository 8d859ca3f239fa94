/* conv_depth.c: a convolution of one channel a group, and its gradient with respect to the input:
 * the vectors are channels, each of which is added up over its taps in registers. Taps that meet
 * nothing are left out. Of more taps than a piece has, conv_sum.c's tiles add up the pieces.
 *
 * Few channels leave most of a vector empty. Where positions of a line lie side by side on both
 * sides, TOGETHER of them count as one with as many channels, for which the weights are repeated:
 * each element has the same sum. */
#include <string.h>
#include "conv_sum.h"

bool conv_depth_fits(const Sum *s) {
  const ConvReach *d = s->from.dim;
  const int64_t taps = d[0].taps * d[1].taps * d[2].taps;
  return s->kernel->depth && s->from.dtype == DTRT_F32 && s->groups > 1 && s->each == 1 &&
         s->wide == 1 && taps <= CONV_PIECE;
}

enum { FEW = 16, TOGETHER = 32, MOST_REPEATED = 8192 }; /* channels; positions; floats */

/* Whether it does so. Fills `repeated`: TOGETHER times the weights of each tap. */
static bool repeat_weights(const Sum *s, float *repeated) {
  const ConvReach *d = &s->from.dim[2];
  const float *w = s->w;
  const int64_t taps = s->w_taps[0] * s->w_taps[1] * s->w_taps[2], n = s->groups;
  if (n >= FEW || d->step != 1 || d->to_step != 1 || taps * TOGETHER * n > MOST_REPEATED)
    return false;
  for (int64_t i = 0; i < taps * TOGETHER; i++)
    memcpy(repeated + i * n, w + i / TOGETHER * n, (size_t)n * sizeof *repeated);
  return true;
}

/* The taps of a line that meet something; from and to: of the last dim's. */
typedef struct Met {
  bool made;
  ConvMet outer;
  int64_t from, to;
  int64_t x_at[CONV_PIECE], w_at[CONV_PIECE], repeated_at[CONV_PIECE], taps;
} Met;

enum { PARTS = 8 };

static void meet(const Sum *s, Met *m, const ConvMet *outer, int64_t from, int64_t to) {
  const ConvReach *d = s->from.dim;
  if (m->made && conv_same_met(&m->outer, outer) && m->from == from && m->to == to) return;
  m->made = true, m->outer = *outer, m->from = from, m->to = to, m->taps = 0;
  for (int64_t i0 = outer->from[0]; i0 < outer->to[0]; i0++)
    for (int64_t i1 = outer->from[1]; i1 < outer->to[1]; i1++)
      for (int64_t i2 = from; i2 < to; i2++) {
        int64_t tap = d[0].tap_first + i0 * d[0].tap_step;
        tap = tap * s->w_taps[1] + d[1].tap_first + i1 * d[1].tap_step;
        tap = tap * s->w_taps[2] + d[2].tap_first + i2 * d[2].tap_step;
        const int64_t row = i0 * d[0].far * d[1].size + i1 * d[1].far;
        m->x_at[m->taps] = (row * d[2].size + i2 * d[2].far) * s->groups;
        m->repeated_at[m->taps] = tap * s->groups * TOGETHER;
        m->w_at[m->taps++] = tap * s->groups;
      }
}

/* Positions of the last dim, up to the last of which all taps meet something. */
static int64_t whole_end(const ConvReach *d) {
  const int64_t last = d->size - 1 - (d->taps - 1) * d->far - d->first;
  const int64_t end = last < 0 ? 0 : last / d->step + 1;
  return end < d->count ? end : d->count;
}

static void together(const Sum *s, const ConvDepth *one, const Met *m, const float *repeated) {
  ConvDepth t = *one;
  t.w = repeated, t.w_at = m->repeated_at;
  t.x_step = t.y_step = t.channels = TOGETHER * s->groups;
  t.pixels = one->pixels / TOGETHER;
  s->kernel->depth(&t);
  const int64_t done = t.pixels * t.channels;
  t.x += done, t.y += done, t.pixels = 1;
  t.channels = one->pixels % TOGETHER * s->groups;
  if (t.channels) s->kernel->depth(&t);
}

/* Of `channels` from the first of x and y on. `repeated`: NULL, or where the weights are. */
static void line(const Sum *s, const ConvMet *outer, const float *x, const float *w, float *y,
                 int64_t channels, const float *repeated, Met *whole, Met *part) {
  const ConvReach *d = &s->from.dim[2];
  for (int64_t q = 0, next; q < d->count; q = next) {
    const int64_t p = q * d->step + d->first;
    int64_t from = 0, to = d->taps;
    while (from < to && p + from * d->far < 0) from++;
    while (to > from && p + (to - 1) * d->far >= d->size) to--;
    const bool all = from == 0 && to == d->taps;
    /* Parts at both ends of a line are in places of their own, for the next line. */
    Met *m = all ? whole : &part[(from ? from : PARTS / 2 + d->taps - to) % PARTS];
    meet(s, m, outer, from, to);
    next = !d->taps ? d->count : all ? whole_end(d) : q + 1;
    const ConvDepth one = {.x = x + p * s->groups,
                           .w = w,
                           .y = y + q * d->to_step * s->groups,
                           .taps = m->taps,
                           .x_at = m->x_at,
                           .w_at = m->w_at,
                           .pixels = next - q,
                           .x_step = d->step * s->groups,
                           .y_step = d->to_step * s->groups,
                           .channels = channels};
    if (all && repeated)
      together(s, &one, m, repeated);
    else
      s->kernel->depth(&one);
  }
}

static void fetch(const ConvAhead *from, int64_t line) {
  ConvAhead a = *from;
  a.at += line * a.bytes;
  if (a.at < a.end) conv_fetch(&a);
}

/* `next`: the chunk after it, which is fetched in parts; NULL: there is none. */
void conv_depth(const Sum *s, const ConvChunk *c, const ConvChunk *next) {
  const ConvReach *d = s->from.dim;
  const int64_t lines = (c->b_end - c->b) * (c->j_end - c->j) * d[1].count;
  const ConvAhead x_ahead = next ? conv_ahead(&s->from, next, lines) : (ConvAhead){0};
  const float *x = s->from.x;
  Met whole, part[PARTS];
  whole.made = false;
  for (int i = 0; i < PARTS; i++) part[i].made = false;
  float room[MOST_REPEATED];
  const float *repeated = repeat_weights(s, room) ? room : NULL;
  int64_t n = 0;
  for (int64_t b = c->b; b < c->b_end; b++)
    for (int64_t j0 = c->j; j0 < c->j_end; j0++)
      for (int64_t j1 = 0; j1 < d[1].count; j1++) {
        ConvMet outer;
        conv_meets(d, j0, j1, &outer);
        int64_t row = b * d[0].size + j0 * d[0].step + d[0].first;
        row = row * d[1].size + j1 * d[1].step + d[1].first;
        fetch(&x_ahead, n++);
        float *y = conv_line_of(s, b, j0, j1);
        for (int64_t i = 0; i < d[2].count * d[2].to_step * s->groups; i += 16) /* a later line's */
          __builtin_prefetch(y + d[2].count * d[2].to_step * s->groups + i, 1);
        line(s, &outer, x + row * d[2].size * s->groups, s->w, y, s->groups, repeated, &whole,
             part);
      }
}
