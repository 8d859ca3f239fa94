/* conv_weight.c: a convolution's gradient with respect to the weights: a product whose inner dim
 * is the pixels. A tile's rows are channels of the input under one tap, or under several adjacent
 * ones; its columns are channels of the output, or the other way around. Chunks are some hundred
 * pixels, so that data shared by several tiles stays in cache; the chunks' sums are added in their
 * order, in blocks of BLOCK pixels and the rest of the last chunk, and such blocks in f64. */
#include "conv_weight.h"
#include "device.h"
#include <string.h>

enum {
  BLOCK = CONV_PIECE * CONV_PIECES,
  PIXELS = 128, /* of a chunk, about: not counted in channels, so that those may be cut */
  PITCH = 16    /* words between transposed channels: not all at multiples of 4 KiB */
};

/* n columns of y from `at` on, as words. */
static void pack_words(const Grad *g, const ConvChunk *c, int64_t at, int64_t n, int64_t columns) {
  const ConvReach *d = g->from.dim;
  const int64_t out = g->groups * g->wide, line = d[2].count * out;
  float *to = g->panel;
  for (int64_t b = c->b; b < c->b_end; b++) {
    const uint16_t *y = (const uint16_t *)g->y + (b * d[0].count + c->j) * d[1].count * line + at;
    for (int64_t i = 0; i < (c->j_end - c->j) * d[1].count; i++, y += line)
      conv_pack_line(g->from.dtype, y, out, d[2].count, n, columns, to), to += g->deep * columns;
  }
}

/* Columns j.. of y, for tiles that are wider than what is left of it. */
static void pack(const Grad *g, const ConvChunk *c, int64_t at, int64_t n) {
  const ConvReach *d = g->from.dim;
  const int64_t columns = g->kernel->columns, out = g->groups * g->wide;
  const int64_t row = d[1].count * d[2].count, image = d[0].count * row;
  if (g->packed) {
    pack_words(g, c, at, n, columns);
    return;
  }
  enum { UNIT = 8 }; /* floats that are copied at a time */
  const float *const end = (const float *)g->y + g->from.batch * image * out;
  float *to = g->panel;
  for (int64_t b = c->b; b < c->b_end; b++) {
    const float *y = (const float *)g->y + (b * image + c->j * row) * out + at;
    for (int64_t i = 0; i < (c->j_end - c->j) * row; i++, y += out, to += columns) {
      if (columns % UNIT == 0 && end - y >= columns) { /* what is behind n is of no use */
        for (int64_t k = 0; k < columns; k += UNIT) memcpy(to + k, y + k, UNIT * sizeof *to);
        continue;
      }
      memcpy(to, y, (size_t)n * sizeof *to);
      memset(to + n, 0, (size_t)(columns - n) * sizeof *to);
    }
  }
}

/* The lines of a chunk that taps i0, i1 meet. `y`: of the chunk's first pixel, `lead` floats each.
 */
static int64_t runs_of(const Grad *g, const ConvChunk *c, const ConvCopy *t, int64_t i0, int64_t i1,
                       const float *y, int64_t image, int64_t lead) {
  const ConvReach *d = g->from.dim;
  const int64_t shift = (d[2].first - t->left) * g->from.channels;
  ConvPlace place = g->place;
  int64_t n = 0;
  for (int64_t b = 0; b < c->b_end - c->b; b++)
    for (int64_t j0 = c->j; j0 < c->j_end; j0++) {
      const int64_t p0 = j0 * d[0].step + d[0].first + i0 * d[0].far;
      if (!conv_reach_has(&d[0], p0)) {
        conv_skip(&place, d[1].count);
        continue;
      }
      for (int64_t j1 = 0; j1 < d[1].count; j1++) {
        const int64_t p1 = j1 * d[1].step + d[1].first + i1 * d[1].far;
        if (!conv_reach_has(&d[1], p1)) {
          conv_skip(&place, 1);
          continue;
        }
        const int64_t line = b * image + ((j0 - c->j) * d[1].count + j1) * g->deep;
        const float *x = t->at + b * t->image + (p0 - t->low) * t->plane + p1 * t->line + shift;
        const int64_t step = g->step;
        n = g->across ? conv_run(g->run, n, &place, y + line * lead, x, lead, step)
                      : conv_run(g->run, n, &place, x, y + line * lead, step, lead);
      }
    }
  return n;
}

/* Rows of w under taps i0, i1 and all of the last dim's, columns j.. of a group. */
static void rows(const Grad *g, ConvTile t, int64_t outer, int64_t group, int64_t j, int64_t n) {
  const ConvReach *d = &g->from.dim[2];
  const bool joined = d->far == 1 && g->groups == 1;
  const int64_t parts = joined ? 1 : d->taps, all = joined ? d->taps * g->each : g->each;
  const bool whole = n > g->kernel->columns / 2,
             fits = n == g->kernel->columns || n == g->kernel->columns / 2;
  const int64_t most = g->kernel->rows[whole], tiles = (all + most - 1) / most,
                out = g->groups * g->wide;
  const bool add = t.add;
  for (int64_t i2 = 0; i2 < parts; i2++)
    for (int64_t q = 0; q < tiles; q++) {
      const int64_t from = q * all / tiles;
      const int here = (int)((q + 1) * all / tiles - from);
      float *c = g->w + ((outer * d->taps + i2) * g->each + from) * out + group * g->wide + j;
      t.x_shift = i2 * d->far * g->from.channels + group * g->each + from;
      t.c = fits ? c : g->edge, t.ldc = fits ? out : CONV_COLUMNS, t.add = add && fits;
      conv_grad_fetch(g);
      g->kernel->tile[here][whole](&t);
      if (!fits) conv_put(c, out, g->edge, here, n, add);
    }
}

/* Of all taps of a line the channels, which lie side by side in the source: vectors of more than
 * lie there read on in the copy of it. */
static int64_t joined_channels(const Grad *g) { return g->from.dim[2].taps * g->each; }

/* Whether few channels of the output, or some more than a vector has lanes, leave more lanes empty
 * than the channels of all taps would. */
static bool is_across(const Grad *g) {
  const ConvKernel *k = g->kernel;
  const int64_t lanes = k->columns / 2, all = joined_channels(g);
  if (g->groups > 1 || g->from.dim[2].far != 1 || !all || conv_copy_in_place(&g->from))
    return false;
  const bool few = g->wide < lanes && g->wide <= k->rows[1],
             more = k->panels && g->wide > lanes && g->wide <= k->rows[0];
  if (!few && !more) return false;
  return all * 90 / ((all + lanes - 1) / lanes * lanes) >
         g->wide * 100 / (few ? lanes : k->columns);
}

/* Of a tile: one vector, where a tile of two has fewer rows. */
static int64_t across_columns(const Grad *g) {
  const bool half = g->kernel->panels && g->wide > g->kernel->rows[1];
  return half ? g->kernel->columns / 2 : g->kernel->columns;
}

/* Rows of w under taps i0, i1 and all of the last dim's, whose runs t has. */
static void columns_across(const Grad *g, ConvTile t, int64_t outer, bool add) {
  const int64_t lanes = g->kernel->columns / 2, all = joined_channels(g), wide = g->wide,
                columns = across_columns(g);
  t.c = g->edge, t.ldc = CONV_COLUMNS, t.add = false;
  for (int64_t j = 0; j < all; j += columns) {
    t.y_shift = j;
    conv_grad_fetch(g);
    g->kernel->tile[wide][columns > lanes && all - j > lanes](&t);
    for (int64_t q = j; q < all && q < j + columns; q += lanes)
      for (int64_t i = 0; i < wide; i += lanes)
        g->kernel->across(g->edge + i * CONV_COLUMNS + (q - j), CONV_COLUMNS,
                          (int)(all - q < lanes ? all - q : lanes),
                          (int)(wide - i < lanes ? wide - i : lanes),
                          g->w + (outer * all + q) * wide + i, wide, add);
  }
}

static void chunk_across(const Grad *g, const ConvChunk *c, const ConvCopy *s, bool add) {
  const ConvReach *d = g->from.dim;
  const int64_t row = d[1].count * d[2].count, image = d[0].count * row;
  const float *y =
      g->packed ? g->panel : (const float *)g->y + (c->b * image + c->j * row) * g->wide;
  const int64_t pitch = g->packed ? (c->j_end - c->j) * d[1].count * g->deep : image;
  if (g->packed) pack_words(g, c, 0, g->wide, g->wide);
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++)
      columns_across(g,
                     (ConvTile){.run = g->run,
                                .runs = runs_of(g, c, s, i0, i1, y, pitch, g->wide),
                                .xi = 1,
                                .xl = g->wide,
                                .lead = g->step},
                     i0 * d[1].taps + i1, add);
}

/* -------- by AMX -------- */

/* Columns of a tile of sums: channels under one tap, or under all of the last dim's. */
typedef struct TapColumns {
  int64_t n, wide, columns;
} TapColumns;

static TapColumns parts_of(const Grad *g) {
  const ConvReach *d = &g->from.dim[2];
  const bool joined = d->far == 1 && g->groups == 1;
  const int64_t wide = joined ? joined_channels(g) : g->each, unit = g->kernel->columns / 2;
  return (TapColumns){joined ? 1 : d->taps, wide, (wide + unit - 1) / unit * unit};
}

static int64_t sums_floats(const Grad *g) {
  const TapColumns p = parts_of(g);
  return g->from.dim[0].taps * g->from.dim[1].taps * g->groups * p.n * g->wide * p.columns;
}

/* A group's part of y. */
static void transpose_y(const Grad *g, const ConvChunk *c, int64_t group) {
  const ConvReach *d = g->from.dim;
  const int64_t lanes = g->kernel->columns / 2;
  for (int64_t j = 0; j < g->wide; j += lanes) {
    const int64_t n = g->wide - j < lanes ? g->wide - j : lanes;
    const int64_t words = (c->b_end - c->b) * (c->j_end - c->j) * d[1].count * g->deep;
    pack_words(g, c, group * g->wide + j, n, n);
    for (int64_t l = 0; l < words; l += lanes)
      g->kernel->across(g->panel + l * n, n, (int)n, (int)(words - l < lanes ? words - l : lanes),
                        g->transposed + j * g->pitch + l, g->pitch, false);
  }
}

/* The sums of one tap or of some, whose runs t has. */
static void square_sums(const Grad *g, ConvTile t, const TapColumns *p, float *sums) {
  const int64_t most = g->kernel->rows[1], columns = g->kernel->columns, x = t.y_shift;
  t.ldc = p->columns;
  for (int64_t i = 0; i < g->wide; i += most)
    for (int64_t j = 0; j < p->columns; j += columns) {
      t.x_shift = i * g->pitch, t.y_shift = x + j, t.c = sums + i * p->columns + j;
      g->kernel->square(&t, (int)(g->wide - i < most ? g->wide - i : most),
                        p->columns - j >= columns);
    }
}

static void chunk_squares(const Grad *g, const ConvChunk *c, const ConvCopy *s, bool add) {
  const ConvReach *d = g->from.dim;
  const TapColumns p = parts_of(g);
  const int64_t image = (c->j_end - c->j) * d[1].count * g->deep, all = g->wide * p.columns;
  for (int64_t group = 0; group < g->groups; group++) {
    transpose_y(g, c, group);
    float *sums = g->sums + group * p.n * all;
    for (int64_t i0 = 0; i0 < d[0].taps; i0++)
      for (int64_t i1 = 0; i1 < d[1].taps; i1++, sums += g->groups * p.n * all) {
        ConvTile t = {.run = g->run,
                      .runs = runs_of(g, c, s, i0, i1, g->transposed, image, 1),
                      .xi = g->pitch,
                      .xl = 1,
                      .lead = g->step,
                      .add = add};
        for (int64_t i2 = 0; i2 < p.n; i2++) {
          t.y_shift = i2 * d[2].far * g->from.channels + group * g->each;
          square_sums(g, t, &p, sums + i2 * all);
        }
      }
  }
}

/* The sums of a block become w's. */
static void put_sums(const Grad *g) {
  const ConvReach *d = g->from.dim;
  const TapColumns p = parts_of(g);
  const int64_t lanes = g->kernel->columns / 2, out = g->groups * g->wide;
  const float *from = g->sums;
  for (int64_t outer = 0; outer < d[0].taps * d[1].taps; outer++)
    for (int64_t group = 0; group < g->groups; group++)
      for (int64_t i2 = 0; i2 < p.n; i2++, from += g->wide * p.columns)
        for (int64_t i = 0; i < g->wide; i += lanes)
          for (int64_t j = 0; j < p.wide; j += lanes)
            g->kernel->across(
                from + i * p.columns + j, p.columns, (int)(p.wide - j < lanes ? p.wide - j : lanes),
                (int)(g->wide - i < lanes ? g->wide - i : lanes),
                g->w + ((outer * p.n + i2) * p.wide + j) * out + group * g->wide + i, out, false);
}

static void chunk(const Grad *g, const ConvChunk *c, bool add) {
  if (g->in_panels) {
    conv_panels(g, c, add);
    return;
  }
  const ConvReach *d = g->from.dim;
  const ConvCopy s = conv_copy_make(&g->from, c, g->copied);
  if (g->kernel->square) {
    chunk_squares(g, c, &s, add);
    return;
  }
  if (g->across) {
    chunk_across(g, c, &s, add);
    return;
  }
  const int64_t columns = g->kernel->columns, out = g->groups * g->wide;
  const int64_t row = d[1].count * d[2].count, image = d[0].count * row;
  for (int64_t group = 0; group < g->groups; group++)
    for (int64_t j = 0; j < g->wide; j += columns) {
      const int64_t n = g->wide - j < columns ? g->wide - j : columns;
      const bool in_place = !g->packed && (n == columns || n == columns / 2);
      const float *y =
          (const float *)g->y + (c->b * image + c->j * row) * out + group * g->wide + j;
      if (!in_place) pack(g, c, group * g->wide + j, n);
      const int64_t lead = in_place ? out : columns,
                    pitch = in_place ? image : (c->j_end - c->j) * d[1].count * g->deep;
      for (int64_t i0 = 0; i0 < d[0].taps; i0++)
        for (int64_t i1 = 0; i1 < d[1].taps; i1++) {
          const int64_t runs = runs_of(g, c, &s, i0, i1, in_place ? y : g->panel, pitch, lead);
          rows(g,
               (ConvTile){
                   .run = g->run, .runs = runs, .xi = 1, .xl = g->step, .lead = lead, .add = add},
               i0 * d[1].taps + i1, group, j, n);
        }
    }
}

/* Tiles of a chunk. */
static int64_t tiles_of(const Grad *g) {
  const ConvReach *d = g->from.dim;
  const int64_t columns = g->kernel->columns, outer = d[0].taps * d[1].taps;
  if (g->across) return outer * ((joined_channels(g) + across_columns(g) - 1) / across_columns(g));
  const bool joined = d[2].far == 1 && g->groups == 1;
  const int64_t all = joined ? joined_channels(g) : g->each, parts = joined ? 1 : d[2].taps,
                most = g->kernel->rows[g->wide > columns / 2];
  return g->groups * ((g->wide + columns - 1) / columns) * outer * parts *
         ((all + most - 1) / most);
}

/* What the next chunk reads, shared out among this one's tiles. */
static void next_ahead(const Grad *g, const ConvChunk *next) {
  const ConvReach *d = g->from.dim;
  const int64_t line = d[1].count * d[2].count * g->groups * g->wide * (g->packed ? 2 : 4);
  const char *y = (const char *)g->y;
  const int64_t tiles = tiles_of(g);
  g->ahead[0] = conv_ahead(&g->from, next, tiles);
  g->ahead[1] = conv_ahead_of(y + (next->b * d[0].count + next->j) * line,
                              y + ((next->b_end - 1) * d[0].count + next->j_end) * line, tiles);
}

/* The chunks of one block from number n on, into w; the first of the next. */
static int64_t block(const Grad *g, int64_t n) {
  const ConvReach *d = g->from.dim;
  int64_t pixels = 0;
  ConvChunk c, next;
  for (; pixels < BLOCK && conv_chunk_at(&g->from, g->images, g->rows, n, &c); n++) {
    if (conv_chunk_at(&g->from, g->images, g->rows, n + 1, &next))
      next_ahead(g, &next);
    else
      g->ahead[0] = g->ahead[1] = (ConvAhead){0};
    chunk(g, &c, pixels > 0);
    pixels += (c.b_end - c.b) * (c.j_end - c.j) * d[1].count * d[2].count;
  }
  if (g->kernel->square) put_sums(g);
  return n;
}

static void all_chunks(const Grad *g) {
  ConvChunk c;
  bool some = false;
  for (int64_t n = block(g, 0); conv_chunk_at(&g->from, g->images, g->rows, n, &c);
       n = block(g, n)) {
    conv_end_block(g->blocks, g->w, g->weights, some);
    some = true;
  }
  if (some) conv_round_blocks(g->blocks, g->w, g->weights);
}

/* What a thread needs for chunks. */
static bool scratch(Grad *g, ConvAhead ahead[2], bool blocks) {
  g->ahead = ahead;
  if (g->in_panels) {
    const int64_t floats = conv_panels_room(g, NULL);
    float *room = conv_room(floats + (blocks ? 2 * g->weights : 0));
    if (!room) return false;
    conv_panels_room(g, room);
    g->blocks = blocks ? (double *)(void *)(room + floats) : NULL;
    return true;
  }
  const int64_t row = g->from.dim[1].count * g->from.dim[2].count;
  const int64_t copied = conv_copy_in_place(&g->from)
                             ? 0
                             : conv_copy_floats(&g->from, g->images, g->rows) + CONV_COLUMNS,
                panel = (g->images * g->rows * row * g->kernel->columns + 15) / 16 * 16,
                edge = CONV_ROWS * CONV_COLUMNS,
                runs = conv_runs_most(g->images * g->rows * g->from.dim[1].count,
                                      g->from.dim[2].count) *
                       (int64_t)(sizeof(ConvRun) / sizeof(float)),
                sums = blocks ? 2 * g->weights : 0;
  const bool squares = g->kernel->square;
  g->pitch = g->images * g->rows * g->from.dim[1].count * g->deep + PITCH;
  const int64_t transposed = squares ? (g->wide * g->pitch + 15) / 16 * 16 : 0,
                by_amx = transposed + (squares ? (sums_floats(g) + 15) / 16 * 16 : 0);
  float *at =
      conv_room(by_amx + (copied + 15) / 16 * 16 + panel + edge + (runs + 1) / 2 * 2 + sums);
  if (!at) return false;
  g->sums = at, g->transposed = at + by_amx - transposed;
  at += by_amx;
  g->edge = at, g->panel = at + edge;
  g->run = (ConvRun *)(void *)(g->panel + panel);
  g->blocks = blocks ? (double *)(void *)(g->panel + panel + (runs + 1) / 2 * 2) : NULL;
  g->copied = g->panel + panel + (runs + 1) / 2 * 2 + sums;
  return true;
}

/* -------- blocks dealt to cores -------- */

enum { BLOCKS_FLOATS = 16 << 20 }; /* the sums of all blocks: so many at most */

typedef struct ChunkBlocks {
  const Grad *g;
  int64_t n, *first; /* [n] chunk of each */
  float *sums;       /* [n][weights] */
} ChunkBlocks;

static void some_blocks(void *arg, int core, int64_t from, int64_t to) {
  const ChunkBlocks *b = arg;
  Grad g = *b->g;
  ConvAhead ahead[2];
  (void)core;
  if (!scratch(&g, ahead, false)) device_fail(fail_current(), "out of memory for a convolution");
  if (g.kernel->begin) g.kernel->begin();
  for (int64_t i = from; i < to; i++) {
    g.w = b->sums + i * g.weights;
    block(&g, b->first[i]);
  }
  if (g.kernel->end) g.kernel->end();
}

/* The same additions as all_chunks does. */
static void join_blocks(void *arg, int core, int64_t from, int64_t to) {
  const ChunkBlocks *b = arg;
  (void)core;
  for (int64_t i = from; i < to; i++) {
    double sum = b->sums[i];
    for (int64_t k = 1; k < b->n; k++) sum += b->sums[k * b->g->weights + i];
    b->g->w[i] = (float)sum;
  }
}

/* False: it is for one core. */
static bool deal_blocks(const Grad *g) {
  enum { LEAST = 1000000, GRAIN = 4096 };
  const ConvReach *d = g->from.dim;
  const int64_t pixels = g->from.batch * d[0].count * d[1].count * d[2].count,
                most = pixels / BLOCK + 1;
  if (crew_cores() < 2 || pixels < 2 * BLOCK || pixels * g->weights < LEAST ||
      most > BLOCKS_FLOATS / (g->weights + 2))
    return false;
  float *at = conv_sums_room(most * (g->weights + 2));
  if (!at) return false;
  ChunkBlocks b = {.g = g, .first = (int64_t *)(void *)at, .sums = at + 2 * most};
  int64_t left = 0;
  ConvChunk c;
  for (int64_t n = 0; conv_chunk_at(&g->from, g->images, g->rows, n, &c); n++) {
    if (left <= 0) b.first[b.n++] = n, left = BLOCK;
    left -= (c.b_end - c.b) * (c.j_end - c.j) * d[1].count * d[2].count;
  }
  crew_run(b.n, 1, some_blocks, &b);
  crew_run(g->weights, GRAIN, join_blocks, &b);
  return true;
}

bool conv_to_weight(const ConvKernel *k, const dtrt_slide *s, const void *x, const void *y,
                    float *w) {
  Grad g = {.kernel = k,
            .from = conv_source(s->dtype, x, s->batch, s->in, s->in / s->each),
            .groups = s->in / s->each,
            .each = s->each,
            .y = y,
            .packed = s->dtype != DTRT_F32,
            .w = w};
  g.wide = s->out / g.groups;
  conv_reach(s, g.from.dim);
  const ConvReach *d = g.from.dim;
  g.from.channels = s->in, g.from.pairs_of_pixels = s->dtype == DTRT_BF16;
  g.from.copied = s->dtype != DTRT_F32;
  g.deep = g.packed ? conv_line_words(s->dtype, d[2].count) : d[2].count;
  g.step = (g.from.pairs_of_pixels ? 2 : 1) * d[2].step * s->in;
  g.place = conv_place(g.deep);
  g.across = k->square || is_across(&g);
  const int64_t row = d[1].count * d[2].count, all = d[0].count * row;
  g.images = all < PIXELS ? PIXELS / all : 1, g.rows = d[0].count;
  if (g.images > s->batch) g.images = s->batch;
  if (all > PIXELS) g.rows = row < PIXELS ? PIXELS / row : 1;
  g.weights = d[0].taps * d[1].taps * d[2].taps * s->each * s->out;
  g.in_panels = conv_panels_fit(&g);
  if (deal_blocks(&g)) return true;
  ConvAhead ahead[2];
  if (!scratch(&g, ahead, s->batch * all > BLOCK)) return false;
  all_chunks(&g);
  return true;
}
