/* conv_boxes.c: a chunk of a convolution's result (conv_sum.c) by boxes of positions that meet the
 * same taps, which therefore have the same runs: of an image with padding its inside, its edges and
 * its corners. Tiles of a box lie along one of its dims, that which takes the fewest cycles: along
 * lines inside, along columns at the ends of lines, along images at corners. Where lines are copied
 * with zeros at their ends, boxes are whole lines. */
#include "conv_sum.h"

enum {
  DIMS = 4,    /* image, and the three of a position */
  LATENCY = 4, /* cycles of a multiply and add */
  SUMS = 16,   /* vectors of a tile at most: see rows_along */
  WAYS = 8,
  PAGE = 4096 / sizeof(float), /* of L1, which a page fills once */
  /* Cycles of beginning a run, a tile, a vector of it, and a box. */
  RUN = 10,
  TILE = 60,
  SUM = 2,
  BOX = 400
};

typedef struct ConvBox {
  int64_t from[DIMS], n[DIMS];
  ConvMet met;
  int64_t tap, tap_end; /* along lines */
} ConvBox;

/* Taps that position j meets. */
static void meets(const ConvReach *d, int64_t j, int64_t *from, int64_t *to) {
  int64_t p = j * d->step + d->first, tap = 0;
  for (; tap < d->taps && p < 0; tap++) p += d->far;
  *from = tap;
  for (; tap < d->taps && p < d->size; tap++) p += d->far;
  *to = tap;
}

/* How many positions from j on, up to `end`, meet the same taps. `all`: each counts as meeting
 * all. */
static int64_t alike(const ConvReach *d, bool all, int64_t j, int64_t end, int64_t *from,
                     int64_t *to) {
  *from = 0, *to = d->taps;
  if (all) return end - j;
  meets(d, j, from, to);
  int64_t n = 1, a, b;
  for (; j + n < end; n++) {
    meets(d, j + n, &a, &b);
    if (a != *from || b != *to) break;
  }
  return n;
}

/* The box behind b in a chunk, the first if b->n[0] is 0. False: b was the last. */
static bool next_box(const Sum *s, const ConvChunk *c, ConvBox *b) {
  const ConvReach *d = s->from.dim;
  const int64_t begin[DIMS] = {c->b, c->j, 0, 0},
                end[DIMS] = {c->b_end, c->j_end, d[1].count, d[2].count};
  int q = DIMS - 1;
  if (b->n[0])
    for (; q > 0 && b->from[q] + b->n[q] >= end[q]; q--) {
    }
  const bool first = !b->n[0];
  if (!first && !q) return false;
  for (int i = first ? 0 : q; i < DIMS; i++) {
    b->from[i] = !first && i == q ? b->from[i] + b->n[i] : begin[i];
    if (b->from[i] >= end[i]) return false;
    if (i == 0)
      b->n[i] = end[i] - begin[i];
    else if (i < DIMS - 1)
      b->n[i] = alike(&d[i - 1], false, b->from[i], end[i], &b->met.from[i - 1], &b->met.to[i - 1]);
    else
      b->n[i] = alike(&d[i - 1], !s->from.ends_left_out, b->from[i], end[i], &b->tap, &b->tap_end);
  }
  return true;
}

/* Rows of a tile of the first `left` columns along a dim, whose positions lie `step` words apart in
 * the source. SUMS vectors keep multiplying busy; more of them fetch what comes next in larger
 * bursts, which it then waits for. Lines, planes and images that lie whole pages apart meet in one
 * set of L1. */
static int64_t rows_along(const Sum *s, int64_t left, int64_t step, int q) {
  const bool whole = left > s->kernel->columns / 2;
  int64_t most = s->kernel->rows[whole];
  if (!s->kernel->square && most > SUMS >> whole) most = SUMS >> whole;
  return q < DIMS - 1 && step % PAGE == 0 && most > WAYS ? WAYS : most;
}

static ConvCost cost_along(const Sum *s, const ConvBox *b, int64_t left, int64_t step, int q) {
  const int64_t most = rows_along(s, left, step, q), tiles = (b->n[q] + most - 1) / most,
                vectors = left > s->kernel->columns / 2 ? 2 : 1,
                outer = (b->met.to[0] - b->met.from[0]) * (b->met.to[1] - b->met.from[1]),
                runs = outer * (s->joined ? 1 : b->tap_end - b->tap),
                depth = outer * (b->tap_end - b->tap) * s->each;
  int64_t others = 1, cycles = 0;
  for (int i = 0; i < DIMS; i++) others *= i == q ? 1 : b->n[i];
  for (int64_t i = 0; i < tiles; i++) {
    const int64_t sums = ((i + 1) * b->n[q] / tiles - i * b->n[q] / tiles) * vectors;
    cycles += TILE + RUN * runs + SUM * sums + depth * (sums < LATENCY ? LATENCY : sums);
  }
  return (ConvCost){others * tiles, others * cycles};
}

/* Words between positions of the source along each dim. */
static void steps_of(const Sum *s, int64_t image, int64_t plane, int64_t line, int64_t step[DIMS]) {
  const ConvReach *d = s->from.dim;
  step[0] = image, step[1] = d[0].step * plane, step[2] = d[1].step * line,
  step[3] = d[2].step * s->from.channels;
}

/* The dim that tiles of a box lie along, of its first `left` columns. */
static int along(const Sum *s, const ConvBox *b, int64_t left, const int64_t step[DIMS],
                 ConvCost *cost) {
  int best = DIMS - 1;
  *cost = cost_along(s, b, left, step[best], best);
  for (int q = best; s->from.ends_left_out && q-- > 0;) {
    const ConvCost other = cost_along(s, b, left, step[q], q);
    if (other.cycles < cost->cycles) *cost = other, best = q;
  }
  return best;
}

ConvCost conv_boxes_cost(const Sum *s, const ConvChunk *c) {
  const ConvReach *d = s->from.dim;
  const int64_t line = d[2].size * s->from.channels, plane = d[1].size * line;
  int64_t step[DIMS];
  steps_of(s, d[0].size * plane, plane, line, step);
  ConvCost all = {0}, one;
  for (ConvBox b = {0}; next_box(s, c, &b);) {
    along(s, &b, s->wide, step, &one);
    all.tiles += one.tiles, all.cycles += one.cycles + BOX;
  }
  return all;
}

/* The runs of a box, from where the first tap would meet what is at x. */
static int64_t runs_of(const Sum *s, const ConvBox *b, const ConvCopy *t, const float *x) {
  const ConvReach *d = s->from.dim;
  const int64_t runs = s->joined ? 1 : d[2].taps, deep = s->place.depth,
                columns = s->kernel->columns;
  ConvPlace place = s->place;
  int64_t n = 0, at = 0;
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++) {
      if (!conv_has_met(&b->met, i0, i1)) {
        at += runs * deep;
        conv_skip(&place, runs);
        continue;
      }
      const float *line = x + i0 * d[0].far * t->plane + i1 * d[1].far * t->line;
      for (int64_t i2 = 0; i2 < runs; i2++, at += deep) {
        const bool some = s->joined || (i2 >= b->tap && i2 < b->tap_end);
        n = conv_run_some(s->run, n, &place, line + i2 * d[2].far * s->from.channels,
                          s->panels + at * columns, 1, columns, s->joined ? b->tap * s->each : 0,
                          s->joined ? b->tap_end * s->each
                          : some    ? deep
                                    : 0);
      }
    }
  return n;
}

/* Lines that a later tile writes, which stores would wait for. */
static void fetch_result(const float *c, int64_t ldc, int rows, int64_t columns) {
  enum { LINE_FLOATS = 64 / sizeof *c };
  for (int i = 0; i < rows; i++, c += ldc)
    for (int64_t j = 0; j < columns; j += LINE_FLOATS) __builtin_prefetch(c + j, 1);
}

/* A tile at c, of the first `left` columns. */
static void tile(Sum *s, ConvTile *t, int rows, int64_t left) {
  const int64_t columns = s->kernel->columns;
  const bool whole = left > columns / 2;
  float *c = t->c;
  const int64_t ldc = t->ldc;
  fetch_result(c + 2 * rows * ldc, ldc, rows, left < columns ? left : columns);
  conv_fetch_all(s);
  if (left >= columns || left == columns / 2) {
    conv_tile(s->kernel, t, rows, whole);
    return;
  }
  t->c = s->edge, t->ldc = CONV_COLUMNS;
  conv_tile(s->kernel, t, rows, whole);
  conv_put(c, ldc, s->edge, rows, left, false);
  t->c = c, t->ldc = ldc;
}

/* Columns p.. of a row of n positions, at most `most` a tile; t has its runs. Positions are dealt
 * to tiles evenly. */
static void row(Sum *s, ConvTile *t, int64_t n, int64_t most, int64_t p) {
  const int64_t left = s->wide - p, tiles = (n + most - 1) / most, rows = n / tiles,
                more = n % tiles; /* tiles of one row more */
  for (int64_t q = 0; q < tiles; q++) {
    const int64_t here = rows + (q < more);
    tile(s, t, (int)here, left);
    t->x_shift += here * t->xi, t->c += here * t->ldc;
  }
}

static void box(Sum *s, const ConvBox *b, const ConvChunk *c, const ConvCopy *t, int64_t group,
                int64_t p, int64_t y_shift) {
  const ConvReach *d = s->from.dim;
  const int64_t pixel = s->groups * s->wide, *size = s->to_size,
                to[DIMS] = {size[0] * size[1] * size[2] * pixel,
                            d[0].to_step * size[1] * size[2] * pixel,
                            d[1].to_step * size[2] * pixel, d[2].to_step * pixel};
  int64_t step[DIMS], n[DIMS];
  steps_of(s, t->image, t->plane, t->line, step);
  ConvCost cost;
  const int q = along(s, b, s->wide - p, step, &cost);
  for (int i = 0; i < DIMS; i++) n[i] = i == q ? 1 : b->n[i];
  ConvTile one = {.run = s->run,
                  .runs = runs_of(s, b, t, t->at + group * s->each),
                  .y_shift = y_shift,
                  .xi = step[q],
                  .xl = 1,
                  .lead = s->kernel->columns,
                  .ldc = to[q]};
  const int64_t *f = b->from, first = conv_shift_of(s, c, t, f[0], f[1], f[2], f[3]),
                most = rows_along(s, s->wide - p, step[q], q);
  float *const at = conv_line_of(s, f[0], f[1], f[2]) + f[3] * to[3] + group * s->wide + p;
  for (int64_t i = 0; i < n[0]; i++)
    for (int64_t j = 0; j < n[1]; j++)
      for (int64_t k = 0; k < n[2]; k++)
        for (int64_t l = 0; l < n[3]; l++) {
          one.x_shift = first + i * step[0] + j * step[1] + k * step[2] + l * step[3];
          one.c = at + i * to[0] + j * to[1] + k * to[2] + l * to[3];
          row(s, &one, b->n[q], most, p);
        }
}

void conv_boxes(Sum *s, const ConvChunk *c, const ConvCopy *t, int64_t group, int64_t j,
                int64_t j_end) {
  for (int64_t p = j; p < j_end; p += s->kernel->columns)
    for (ConvBox b = {0}; next_box(s, c, &b);) box(s, &b, c, t, group, p, (p - j) * s->depth);
}
