/* conv_pixels.c: a convolution to fewer channels than a vector has lanes: here the vectors of a
 * tile are pixels of a line, and its rows are channels of the result. The lines of the source are
 * copied for that as one row of pixels for each channel and, with strides, for each position modulo
 * the stride. The order of sums is that of conv_sum.c. */
#include <string.h>
#include "conv_sum.h"

static int64_t rounded_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

bool conv_pixels_fit(const Sum *s) {
  enum { PIXELS_COST = 80, CHAIN = 25 }; /* percent: what copying leaves, and one row of a tile */
  const int64_t lanes = s->kernel->columns / 2, pixels = s->from.dim[2].count;
  if (s->kernel->square || !s->depth || s->wide >= lanes || s->wide > s->kernel->rows[1] || !pixels) return false;
  const int64_t most = s->wide * CHAIN < 100 ? s->wide * CHAIN : 100;
  return pixels * PIXELS_COST / rounded_up(pixels, lanes) * most / 100 > s->wide * 100 / lanes;
}

/* Positions modulo the stride that taps meet. */
static int64_t phases(const ConvReach *d) { return d->taps > 1 ? d->step : 1; }

/* Positions of a line that taps meet. */
static int64_t span(const ConvReach *d) {
  return (d->count - 1) * d->step + (d->taps - 1) * d->far + 1;
}

/* Tiles of twice as many columns, where the kernel has them for so few rows. */
static void (*longer_of(const Sum *s))(const ConvTile *t) {
  return s->wide <= CONV_LONGER ? s->kernel->longer[s->wide] : NULL;
}

/* Floats of a row of pixels: of whole tiles, and not so that all rows meet in few sets of L1. */
static int64_t pitch_of(const Sum *s) {
  enum { SAME_SETS = 256 };
  const ConvReach *d = &s->from.dim[2];
  const int64_t columns = s->kernel->columns, reach = (d->taps - 1) * d->far / d->step,
                tile = d->count > columns && longer_of(s) ? 2 * columns : columns,
                n = rounded_up(rounded_up(d->count, tile) + reach, columns / 2);
  return n % SAME_SETS ? n : n + columns / 2;
}

/* A line as it is copied first. Blocks of lanes x lanes are transposed, which read on behind it. */
static int64_t copy_floats(const Sum *s) {
  const ConvReach *d = &s->from.dim[2];
  const int64_t lanes = s->kernel->columns / 2;
  return rounded_up((span(d) + (lanes + 1) * d->step) * s->each + lanes, 16);
}

int64_t conv_pixels_floats(Sum *s, int64_t images, int64_t rows) {
  s->pitch = pitch_of(s);
  s->line_floats = phases(&s->from.dim[2]) * s->each * s->pitch;
  const int64_t lines = conv_copy_floats(&s->from, images, rows) / span(&s->from.dim[2]);
  return copy_floats(s) + lines / s->from.channels * s->line_floats;
}

int64_t conv_pixels_runs(const Sum *s) {
  const ConvReach *d = s->from.dim;
  return d[0].taps * d[1].taps * d[2].taps * (s->each / CONV_PIECE + 2);
}

/* The group's channels of a line at x, with zeros at its ends: where they are the whole line, which
 * is faster to transpose from L1, or no words yet, or vectors would read on behind the last line.
 */
static void copy_line(const Sum *s, const char *x, float *to) {
  ConvSource one = s->from;
  one.groups = 1, one.channels = s->each;
  const ConvReach *d = &s->from.dim[2];
  const int64_t each = s->each, end = d->first + span(d);
  int64_t p = d->first;
  const int64_t before = (end < 0 ? end : 0) - p;
  if (before > 0) {
    memset(to, 0, (size_t)(before * each) * sizeof *to);
    p += before, to += before * each;
  }
  const int64_t here = (end < d->size ? end : d->size) - p;
  if (here > 0) {
    x += p * s->from.pixel;
    if (s->groups == 1)
      conv_copy_pixels(&one, x, here, to);
    else
      for (int64_t i = 0; i < here; i++)
        conv_copy_pixels(&one, x + i * s->from.pixel, 1, to + i * each);
    p += here, to += here * each;
  }
  if (p < end) memset(to, 0, (size_t)((end - p) * each) * sizeof *to);
}

/* The group's channels of a line at x, whose pixels are `channels` apart and are there from number
 * `low` to `high`, transposed, with zeros for the others. */
static void transpose_line(const Sum *s, const float *x, int64_t channels, int64_t low,
                           int64_t high, float *to) {
  const ConvReach *d = &s->from.dim[2];
  const int64_t lanes = s->kernel->columns / 2, each = s->each, pitch = s->pitch, all = span(d),
                step = d->step;
  for (int64_t phase = 0; phase < phases(d); phase++, to += each * pitch) {
    const int64_t n = phase < all ? (all - phase + step - 1) / step : 0, first = d->first + phase;
    int64_t from = first < low ? (low - first + step - 1) / step : 0,
            end = first < high ? (high - first + step - 1) / step : 0;
    if (from > n) from = n;
    if (end > n) end = n;
    if (end < from) end = from;
    for (int64_t c = 0; c < each && (from > 0 || n > end); c++) {
      memset(to + c * pitch, 0, (size_t)from * sizeof *to);
      memset(to + c * pitch + end, 0, (size_t)(n - end) * sizeof *to);
    }
    if (channels == 1 && step == 1) {
      memcpy(to + from, x + first + from, (size_t)(end - from) * sizeof *to);
      continue;
    }
    for (int64_t p = from; p < end; p += lanes)
      for (int64_t c = 0; c < each; c += lanes)
        s->kernel->across(x + (first + p * step) * channels + c, step * channels,
                          (int)(each - c < lanes ? each - c : lanes),
                          (int)(end - p < lanes ? end - p : lanes), to + c * pitch + p, pitch,
                          false);
  }
}

/* Lines of the chunk's planes from `low` to `high`, one after the other. */
static void transpose_chunk(const Sum *s, const ConvChunk *c, int64_t group, int64_t low,
                            int64_t high, float *to) {
  const ConvReach *d = s->from.dim;
  const int64_t line = d[2].size * s->from.pixel, lines = (high - low) * d[1].size,
                lanes = s->kernel->columns / 2, all = s->from.batch * d[0].size * d[1].size * line,
                more = (lanes * d[2].step + 1) * s->from.pixel + lanes * (int64_t)sizeof *to;
  for (int64_t b = c->b; b < c->b_end; b++) {
    const char *x = (const char *)s->from.x + (b * d[0].size + low) * d[1].size * line +
                    group * (s->from.pixel / s->groups);
    for (int64_t i = 0; i < lines; i++, x += line, to += s->line_floats) {
      if (s->groups > 1 && !s->from.copied && (const char *)s->from.x + all - x > line + more) {
        transpose_line(s, (const float *)(const void *)x, s->from.channels, 0, d[2].size, to);
        continue;
      }
      copy_line(s, x, s->copied);
      transpose_line(s, s->copied - d[2].first * s->each, s->each, d[2].first,
                     d[2].first + span(&d[2]), to);
    }
  }
}

static int64_t append(ConvRun *run, int64_t n, ConvRun next) {
  ConvRun *before = run + n - 1;
  if (n && before->piece != next.piece)
    before->last = (before->piece ^ next.piece) < CONV_PIECES ? CONV_ENDS_PIECE : CONV_ENDS_BLOCK;
  run[n] = next;
  return n + 1;
}

/* The taps along a line, whose weights begin at x and whose pixels at y: one run of conv_sum.c, or
 * as many as taps, in whose pieces they lie. */
static int64_t taps_of_line(const Sum *s, int64_t n, ConvPlace *place, const float *x,
                            const float *y) {
  const ConvReach *d = &s->from.dim[2];
  const int64_t pitch = s->pitch;
  int64_t piece = place->piece, left = CONV_PIECE;
  for (int64_t i = 0; i < d->taps; i++) {
    const int64_t at = i * d->far;
    const float *pixels = d->step == 1 ? y + at : y + at % d->step * s->each * pitch + at / d->step;
    for (int64_t c = 0, here; c < s->each; c += here) {
      here = place->parts > 1 && s->each - c > left ? left : s->each - c;
      n = append(s->run, n,
                 (ConvRun){.x = x + (i * s->each + c) * s->kernel->columns,
                           .y = pixels + c * pitch,
                           .depth = (int)here,
                           .piece = piece});
      if (place->parts > 1 && !(left -= here)) piece++, left = CONV_PIECE;
    }
    if (s->joined) continue;
    conv_skip(place, 1);
    piece = place->piece, left = CONV_PIECE;
  }
  if (s->joined) conv_skip(place, 1);
  return n;
}

/* The runs of lines that meet taps m, from where the first tap would meet what is at `pixels`. */
static int64_t runs_of(const Sum *s, const ConvMet *m, const float *pixels) {
  const ConvReach *d = s->from.dim;
  const int64_t all = d[2].taps * s->each * s->kernel->columns;
  ConvPlace place = s->place;
  int64_t n = 0;
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++)
      if (conv_has_met(m, i0, i1))
        n = taps_of_line(s, n, &place, s->panels + (i0 * d[1].taps + i1) * all,
                         pixels + (i0 * d[0].far * d[1].size + i1 * d[1].far) * s->line_floats);
      else
        conv_skip(&place, s->joined ? 1 : d[2].taps);
  return n;
}

static void line(Sum *s, ConvTile *t, int64_t from, float *to) {
  enum { LINE = 64 / sizeof *to };
  const ConvReach *d = &s->from.dim[2];
  const int64_t columns = s->kernel->columns, lanes = columns / 2,
                step = d->to_step * s->groups * s->wide;
  for (int64_t p = 0, wide; p < d->count; p += wide) {
    const bool longer = longer_of(s) && d->count - p > columns;
    wide = longer ? 2 * columns : columns;
    t->y_shift = from + p;
    conv_fetch_all(s);
    for (int64_t q = 0; q < wide * step; q += step < LINE ? LINE : step) /* a later tile's */
      __builtin_prefetch(to + (p + 2 * columns) * step + q, 1);
    (longer ? longer_of(s) : s->kernel->tile[s->wide][d->count - p > lanes])(t);
    for (int64_t q = p; q < d->count && q < p + wide; q += lanes)
      s->kernel->across(s->edge + (q - p), CONV_COLUMNS,
                        (int)(d->count - q < lanes ? d->count - q : lanes), (int)s->wide,
                        to + q * step, step, false);
  }
}

void conv_pixels(Sum *s, const ConvChunk *c, int64_t group) {
  const ConvReach *d = s->from.dim;
  float *const pixels = s->copied + copy_floats(s);
  int64_t low, high;
  conv_planes(&s->from, c, &low, &high);
  transpose_chunk(s, c, group, low, high, pixels);
  ConvTile t = {.run = s->run,
                .xi = 1,
                .xl = s->kernel->columns,
                .lead = s->pitch,
                .c = s->edge,
                .ldc = CONV_COLUMNS};
  ConvMet met = {0}, before = {0};
  for (int64_t b = c->b; b < c->b_end; b++)
    for (int64_t j0 = c->j; j0 < c->j_end; j0++)
      for (int64_t j1 = 0; j1 < d[1].count; j1++) {
        conv_meets(d, j0, j1, &met);
        if (!conv_same_met(&met, &before)) t.runs = runs_of(s, &met, pixels);
        before = met;
        const int64_t plane = (b - c->b) * (high - low) + j0 * d[0].step + d[0].first - low;
        line(s, &t, (plane * d[1].size + j1 * d[1].step + d[1].first) * s->line_floats,
             conv_line_of(s, b, j0, j1) + group * s->wide);
      }
}
