/* conv_sum.c: a convolution, and its gradient with respect to the input, which is a convolution of
 * the other side with reversed taps; with strides it is one for each position modulo the stride,
 * of the taps that meet it. The weights are packed in panels as wide as a tile. A tile is pixels
 * of one line, or of one column, read in place (conv_boxes.c); if lines are short it is pixels of
 * several, gathered. */
#include <string.h>
#include "conv_sum.h"

enum {
  NEAR = 128 << 10, /* where a kernel does not say: ConvKernel.near */
  LINE = 16         /* floats between gathered rows: not all at multiples of 4 KiB */
};

/* Floats of weights packed at once, but at least one panel: half of L2. */
static int64_t panels_floats(const Sum *s) { return s->kernel->near ? s->kernel->near : NEAR; }

/* -------- packing -------- */

static void pack_tap(const Sum *s, int64_t tap, int64_t group, int64_t j, float *to) {
  if (s->from.dtype != DTRT_F32) {
    conv_pack_half(s, tap, group, j, to);
    return;
  }
  const int64_t columns = s->kernel->columns, half = columns / 2;
  const int64_t here = s->wide - j < columns ? s->wide - j : columns;
  if (!s->transposed) {
    const float *w = (const float *)s->w + tap * s->w_in * s->w_out + group * s->wide + j;
    for (int64_t c = 0; c < s->each; c++)
      memcpy(to + c * columns, w + c * s->w_out, (size_t)here * sizeof *to);
    return;
  }
  const float *w = (const float *)s->w + (tap * s->w_in + j) * s->w_out + group * s->each;
  for (int64_t at = 0; at < here; at += half)
    s->kernel->transpose(w + at * s->w_out, s->w_out, s->each,
                         (int)(here - at < half ? here - at : half), to + at, columns);
}

/* Columns j.. of the result as [taps][channels][columns]; those beyond the last are 0. */
static void pack_panel(const Sum *s, int64_t group, int64_t j, float *to) {
  const ConvReach *d = s->from.dim;
  const int64_t columns = s->kernel->columns;
  if (s->wide - j < columns) memset(to, 0, (size_t)(s->depth * columns) * sizeof *to);
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++)
      for (int64_t i2 = 0; i2 < d[2].taps; i2++, to += s->each * columns) {
        int64_t tap = d[0].tap_first + i0 * d[0].tap_step;
        tap = tap * s->w_taps[1] + d[1].tap_first + i1 * d[1].tap_step;
        tap = tap * s->w_taps[2] + d[2].tap_first + i2 * d[2].tap_step;
        pack_tap(s, tap, group, j, to);
      }
}

/* -------- tiles -------- */

/* What one pixel's taps meet, one after the other, with zeros for those that meet nothing. */
static void gather(const Sum *s, const ConvMet *m, const ConvCopy *t, const float *x, float *to) {
  const ConvReach *d = s->from.dim;
  const int64_t runs = s->joined ? 1 : d[2].taps, deep = s->place.depth;
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++)
      for (int64_t i2 = 0; i2 < runs; i2++, to += deep)
        if (conv_has_met(m, i0, i1))
          memcpy(to,
                 x + i0 * d[0].far * t->plane + i1 * d[1].far * t->line +
                     i2 * d[2].far * s->from.channels,
                 (size_t)deep * sizeof *to);
        else
          memset(to, 0, (size_t)deep * sizeof *to);
}

/* Of a tile, if there are several panels a whole one. */
static int rows_most(const Sum *s) { return s->kernel->rows[s->wide > s->kernel->columns / 2]; }

/* Pixels of a chunk, counted through all its lines, are gathered a tile at a time. */
static void gathered(Sum *s, const ConvChunk *c, const ConvCopy *t, int64_t group, int64_t j,
                     int64_t j_end) {
  const ConvReach *d = s->from.dim;
  const int64_t rows0 = c->j_end - c->j,
                pixels = (c->b_end - c->b) * rows0 * d[1].count * d[2].count, most = rows_most(s),
                tiles = (pixels + most - 1) / most, pitch = s->depth + LINE;
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t from = q * pixels / tiles;
    const int rows = (int)((q + 1) * pixels / tiles - from);
    float *to[CONV_ROWS];
    for (int i = 0; i < rows; i++) {
      int64_t at = from + i, j2 = at % d[2].count, j1 = (at /= d[2].count) % d[1].count;
      int64_t j0 = c->j + (at /= d[1].count) % rows0, b = c->b + at / rows0;
      ConvMet met;
      conv_meets(d, j0, j1, &met);
      gather(s, &met, t, t->at + conv_shift_of(s, c, t, b, j0, j1, j2) + group * s->each,
             s->rows + i * pitch);
      to[i] = conv_line_of(s, b, j0, j1) + j2 * d[2].to_step * s->groups * s->wide;
    }
    int64_t runs = 0;
    ConvPlace place = s->place;
    for (int64_t at = 0; at < s->depth; at += s->place.depth)
      runs = conv_run(s->run, runs, &place, s->rows + at, s->panels + at * s->kernel->columns, 1,
                      s->kernel->columns);
    for (int64_t p = j; p < j_end; p += s->kernel->columns) {
      ConvTile one = {.run = s->run,
                      .runs = runs,
                      .y_shift = (p - j) * s->depth,
                      .xi = pitch,
                      .xl = 1,
                      .lead = s->kernel->columns,
                      .c = s->edge,
                      .ldc = CONV_COLUMNS};
      const int64_t left = s->wide - p < one.lead ? s->wide - p : one.lead;
      conv_tile(s->kernel, &one, rows, left > one.lead / 2);
      for (int i = 0; i < rows; i++)
        memcpy(to[i] + group * s->wide + p, s->edge + i * CONV_COLUMNS,
               (size_t)left * sizeof *s->edge);
    }
  }
}

/* -------- a whole sum -------- */

/* Floats of the source that so many images and rows of the result meet, or of the result: which are
 * more. */
static int64_t chunk_floats(const Sum *s, int64_t images, int64_t rows) {
  const ConvReach *d = s->from.dim;
  const int64_t from = conv_copy_floats(&s->from, images, rows),
                to = images * rows * d[1].count * d[2].count * s->groups * s->wide;
  return from > to ? from : to;
}

/* Rows of an image, or images, that are worked on at once: of the source, and of the result, at
 * most so many floats. */
static void chunking(const Sum *s, int64_t floats, int64_t *images, int64_t *rows) {
  const ConvSource *f = &s->from;
  const int64_t all = chunk_floats(s, 1, f->dim[0].count);
  *images = 1, *rows = f->dim[0].count;
  if (all <= floats) {
    *images = all ? floats / all : f->batch;
    if (*images > f->batch) *images = f->batch;
    return;
  }
  while (*rows > 1 && chunk_floats(s, 1, *rows) > floats) *rows = (*rows + 1) / 2;
}

static int64_t copied_floats(Sum *s, int64_t images, int64_t rows) {
  if (s->by_pixels) return conv_pixels_floats(s, images, rows);
  return conv_copy_in_place(&s->from) ? 0 : conv_copy_floats(&s->from, images, rows);
}

static bool room(Sum *s, int64_t images, int64_t rows) {
  const ConvReach *d = s->from.dim;
  const int64_t columns = s->kernel->columns, panel = s->depth * columns,
                all = (s->wide + columns - 1) / columns;
  int64_t panels = panel ? panels_floats(s) / panel : 1;
  panels = panels < 1 ? 1 : panels < all ? panels : all;
  s->panels_most = panels * columns;
  s->groups_most = panel && panels == all ? panels_floats(s) / (panels * panel) : 1;
  if (s->groups_most < 1) s->groups_most = 1;
  if (s->groups_most > s->groups) s->groups_most = s->groups;
  const int64_t runs = s->by_pixels
                           ? conv_pixels_runs(s)
                           : conv_runs_most(d[0].taps * d[1].taps * d[2].taps, s->place.depth);
  const int64_t size[] = {copied_floats(s, images, rows), s->groups_most * panels * panel,
                          s->in_lines || s->by_pixels ? 0 : CONV_ROWS * (s->depth + LINE),
                          CONV_ROWS * CONV_COLUMNS,
                          runs * (int64_t)(sizeof(ConvRun) / sizeof(float))};
  float *part[5];
  int64_t sum = 0;
  for (int i = 0; i < 5; i++) sum += (size[i] + 15) / 16 * 16;
  float *at = conv_room(sum);
  if (!at) return false;
  for (int i = 0; i < 5; i++) part[i] = at, at += (size[i] + 15) / 16 * 16;
  s->copied = part[0], s->panels = part[1], s->rows = part[2], s->edge = part[3];
  s->run = (ConvRun *)(void *)part[4];
  return true;
}

/* Positions of a chunk of the result, which is in one piece. */
static int64_t first_position(const Sum *s, const ConvChunk *c) {
  const ConvReach *d = s->from.dim;
  return (c->b * d[0].count + c->j) * d[1].count * d[2].count;
}
static int64_t end_position(const Sum *s, const ConvChunk *c) {
  const ConvReach *d = s->from.dim;
  return ((c->b_end - 1) * d[0].count + c->j_end) * d[1].count * d[2].count;
}

/* It is final, and still in the cache. */
static void epilogue_chunk(const Sum *s, const ConvChunk *c) {
  const dtrt_epilogue *t = s->epilogue;
  t->rows(t->dev, t->p, t->n, first_position(s, c), end_position(s, c));
}

/* What the epilogue will read of a chunk is fetched while the chunk is computed. */
static void reads_ahead(Sum *s, const ConvChunk *c, int64_t tiles) {
  const int64_t row = s->groups * s->wide * (int64_t)sizeof(float);
  s->nread = s->epilogue->nread;
  for (int i = 0; i < s->nread; i++) {
    const char *at = s->epilogue->read[i];
    s->read[i] =
        conv_ahead_of(at + first_position(s, c) * row, at + end_position(s, c) * row, tiles);
  }
}

/* Tiles of a chunk, about: what each has to fetch follows from it. */
static int64_t tiles_of(const Sum *s, const ConvChunk *c, int64_t wide) {
  const ConvReach *d = s->from.dim;
  const int64_t lines = (c->b_end - c->b) * (c->j_end - c->j) * d[1].count, rows = rows_most(s),
                columns = s->kernel->columns, panels = (wide + columns - 1) / columns;
  if (s->in_lines && !s->by_pixels) return conv_boxes_cost(s, c).tiles * panels;
  return s->in_lines ? lines * ((d[2].count + rows - 1) / rows) * panels
                     : (lines * d[2].count + rows - 1) / rows;
}

/* Groups g0 to g1 and of each the columns j to j_end, whose panels lie one after the other. */
static void chunks(Sum *s, int64_t images, int64_t rows, int64_t g0, int64_t g1, int64_t j,
                   int64_t j_end, bool last) {
  const int64_t columns = s->kernel->columns,
                panels = (j_end - j + columns - 1) / columns * columns * s->depth;
  for (int64_t g = g0; g < g1; g++)
    for (int64_t p = j; p < j_end; p += columns)
      pack_panel(s, g, p, s->panels + (g - g0) * panels + (p - j) * s->depth);
  float *const first = s->panels;
  ConvChunk c, next;
  int64_t tiles = 0;
  for (int64_t n = 0; conv_chunk_at(&s->from, images, rows, n, &c); n++) {
    const ConvCopy t = s->by_pixels ? (ConvCopy){0} : conv_copy_make(&s->from, &c, s->copied);
    if (!tiles || rows < s->from.dim[0].count) tiles = (g1 - g0) * tiles_of(s, &c, j_end - j);
    s->ahead = s->depth && conv_chunk_at(&s->from, images, rows, n + 1, &next)
                   ? conv_ahead(&s->from, &next, tiles)
                   : (ConvAhead){0};
    if (s->epilogue && last) reads_ahead(s, &c, tiles);
    for (int64_t g = g0; g < g1; g++, s->panels += panels)
      if (s->by_pixels)
        conv_pixels(s, &c, g);
      else
        (s->in_lines ? conv_boxes : gathered)(s, &c, &t, g, j, j_end);
    s->panels = first;
    if (s->epilogue && last) epilogue_chunk(s, &c);
  }
}

/* Pixels of a line that has tiles of its own. AMX takes as many cycles as a tile has rows, and some
 * for the tile of y: a quarter of 16 rows still costs no more than gathering does. */
static int64_t line_least(const ConvKernel *k) { return k->rows[1] / (k->square ? 8 : 2); }

/* Pixels of a tile that lie whole pages apart meet in one set of L1. Where each has one tap, to
 * gather them costs less. */
static bool in_one_set(const Sum *s) {
  enum { PAGE = 4096 / sizeof(float), WAYS = 8 };
  const ConvReach *d = &s->from.dim[2];
  return !s->kernel->square && s->depth == s->each && d->count > WAYS &&
         d->step * s->from.channels % PAGE == 0;
}

/* Whether to read lines in place, with taps that meet padding left out, takes fewer cycles than to
 * copy them with zeros at their ends. Zeros times infinite weights are seen in the result: so that
 * is decided for chunks of one size, whatever the CPU's L2 is. */
static bool leaves_ends_out(const Sum *s) {
  int64_t images, rows;
  enum { COPIED = 3 }; /* floats in a cycle, from L2 to L2 */
  if (s->kernel->square || s->from.copied || conv_copy_in_place(&s->from)) return false;
  const int64_t columns = s->kernel->columns,
                panels = (s->wide + columns - 1) / columns * s->groups;
  ConvChunk c;
  chunking(s, NEAR / 2, &images, &rows);
  conv_chunk_at(&s->from, images, rows, 0, &c);
  const int64_t copied = conv_copy_floats(&s->from, c.b_end - c.b, c.j_end - c.j);
  Sum without = *s;
  without.from.ends_left_out = true;
  return conv_boxes_cost(&without, &c).cycles * panels <
         conv_boxes_cost(s, &c).cycles * panels + copied / COPIED;
}

static void by_depth(const Sum *s) {
  int64_t images, rows;
  chunking(s, panels_floats(s) / 2, &images, &rows);
  ConvChunk c, next;
  for (int64_t n = 0; conv_chunk_at(&s->from, images, rows, n, &c); n++) {
    conv_depth(s, &c, conv_chunk_at(&s->from, images, rows, n + 1, &next) ? &next : NULL);
    if (s->epilogue) epilogue_chunk(s, &c);
  }
}

static bool sum(Sum *s) {
  const ConvReach *d = s->from.dim;
  if (conv_depth_fits(s)) {
    by_depth(s);
    return true;
  }
  s->depth = d[0].taps * d[1].taps * d[2].taps * s->each;
  s->joined = d[2].far == 1 && s->groups == 1;
  s->place = conv_place(s->joined ? d[2].taps * s->each : s->each);
  if (s->depth == 0) s->from.dim[0].taps = s->from.dim[1].taps = s->from.dim[2].taps = 0;
  s->in_lines = (d[2].count >= line_least(s->kernel) && !in_one_set(s)) || !s->depth;
  s->by_pixels = conv_pixels_fit(s);
  int64_t images, rows;
  chunking(s, panels_floats(s) / 2, &images, &rows);
  s->from.ends_left_out = s->in_lines && !s->by_pixels && leaves_ends_out(s);
  if (!room(s, images, rows)) return false;
  const bool whole = s->wide <= s->panels_most;
  const int64_t together = whole ? s->groups_most : 1;
  for (int64_t g = 0; g < s->groups; g += together)
    for (int64_t j = 0; j < s->wide; j += s->panels_most)
      chunks(s, images, rows, g, g + together < s->groups ? g + together : s->groups, j,
             j + s->panels_most < s->wide ? j + s->panels_most : s->wide,
             whole && together >= s->groups);
  if (s->epilogue && !(whole && together >= s->groups))
    epilogue_chunk(s, &(ConvChunk){.b_end = s->from.batch, .j_end = d[0].count});
  return true;
}

bool conv_forward(const ConvKernel *k, const dtrt_slide *s, const void *x, const void *w, float *y,
                  const dtrt_epilogue *epilogue) {
  Sum p = {.kernel = k,
           .from = conv_source(s->dtype, x, s->batch, s->in, s->in / s->each),
           .groups = s->in / s->each,
           .to = y,
           .w = w,
           .w_in = s->each,
           .w_out = s->out,
           .epilogue = epilogue};
  p.wide = s->out / p.groups, p.each = p.from.channels / p.groups;
  conv_reach(s, p.from.dim);
  for (int d = 0; d < 3; d++) p.to_size[d] = p.from.dim[d].count, p.w_taps[d] = p.from.dim[d].taps;
  return sum(&p);
}

/* Those positions of the large side that are `phase` modulo the stride, as a sum over the small
 * side: the taps that meet them, the last one first so that they go forward through the source. */
static ConvReach reach_back(const ConvReach *r, int64_t phase) {
  ConvReach b = {.count = phase < r->size ? (r->size - phase + r->step - 1) / r->step : 0,
                 .to_first = phase,
                 .to_step = r->step,
                 .size = r->count,
                 .step = 1,
                 .far = 1};
  int64_t last = -1, before = -1; /* the last two taps that meet it */
  for (int64_t k = 0; k < r->taps; k++) {
    if ((phase - r->first - k * r->far) % r->step) continue;
    before = last, last = k, b.taps++;
  }
  if (!b.taps) return b;
  b.tap_first = last;
  b.tap_step = before < 0 ? -1 : before - last;
  b.first = (phase - r->first - last * r->far) / r->step;
  if (before >= 0) b.far = (last - before) * r->far / r->step;
  return b;
}

bool conv_to_input(const ConvKernel *k, const dtrt_slide *s, const void *y, const void *w, float *x,
                   const dtrt_epilogue *epilogue) {
  ConvReach f[3];
  conv_reach(s, f);
  const bool one = f[0].step == 1 && f[1].step == 1 && f[2].step == 1; /* sum: all positions */
  Sum p = {.kernel = k,
           .from = conv_source(s->dtype, y, s->batch, s->out, s->in / s->each),
           .groups = s->in / s->each,
           .wide = s->each,
           .to = x,
           .w = w,
           .w_in = s->each,
           .w_out = s->out,
           .transposed = true,
           .epilogue = one ? epilogue : NULL};
  p.each = p.from.channels / p.groups;
  for (int d = 0; d < 3; d++) p.to_size[d] = f[d].size, p.w_taps[d] = f[d].taps;
  for (int64_t i = 0; i < f[0].step; i++)
    for (int64_t j = 0; j < f[1].step; j++)
      for (int64_t l = 0; l < f[2].step; l++) {
        const ConvReach b[3] = {reach_back(&f[0], i), reach_back(&f[1], j), reach_back(&f[2], l)};
        if (!b[0].count || !b[1].count || !b[2].count) continue;
        memcpy(p.from.dim, b, sizeof b);
        if (!sum(&p)) return false;
      }
  if (epilogue && !one)
    epilogue->rows(epilogue->dev, epilogue->p, epilogue->n, 0,
                   s->batch * f[0].size * f[1].size * f[2].size);
  return true;
}
