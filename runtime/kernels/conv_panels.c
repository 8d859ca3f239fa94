/* conv_panels.c: a convolution's gradient with respect to the weights, of whose operands each tile
 * reads what lies in one piece: of y the columns of a tile, of x the rows of one, both packed.
 * Where pixels have many channels, those of a tile lie in few sets of L1, and each on a page of
 * its own. Lines of many pixels are cut into sections that L1 can hold; the sums of a section go
 * on where those of the section before ended, in the same order as in one tile. */
#include <string.h>
#include "conv_weight.h"

enum {
  PIECES = 2, /* of a section */
  PIXELS = PIECES * CONV_PIECE,
  UNIT = 16 /* channels of x side by side: a line of L1; several tiles read their rows from it */
};

/* Pixels of whole lines, or a part of one line. */
typedef struct LineSection {
  ConvChunk c;
  int64_t j1, j1_end, j2, j2_end;
  int64_t piece; /* number of its first one in the chunk */
} LineSection;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Whether chunks have several sections: then they are rows of one image and of one position of the
 * first dim. */
static bool in_sections(const Grad *g) {
  const ConvReach *d = g->from.dim;
  return g->images * g->rows * d[1].count * d[2].count > PIXELS;
}

/* Lines of a section of several. */
static int64_t section_lines(const Grad *g) { return PIECES * g->place.fit; }

/* The section behind s in a chunk, the first if s->j1_end is 0. False: s was the last. */
static bool next_section(const Grad *g, const ConvChunk *c, LineSection *s) {
  const ConvReach *d = g->from.dim;
  if (!in_sections(g)) {
    if (s->j1_end) return false;
    *s = (LineSection){.c = *c, .j1_end = d[1].count, .j2_end = d[2].count};
    return true;
  }
  const bool first = !s->j1_end;
  s->c = *c;
  if (g->place.parts > 1) { /* a part of a line, and of a block */
    s->j2 = first ? 0 : s->j2_end;
    if (first || s->j2 >= d[2].count) {
      s->j1 = first ? 0 : s->j1 + 1;
      s->j2 = 0;
      if (s->j1 >= d[1].count) return false;
    }
    s->j1_end = s->j1 + 1;
    s->piece = s->j1 * g->place.parts + s->j2 / CONV_PIECE;
    const int64_t pieces = smaller(PIECES, CONV_PIECES - s->piece % CONV_PIECES);
    s->j2_end = smaller(d[2].count, s->j2 + pieces * CONV_PIECE);
    return true;
  }
  s->j1 = first ? 0 : s->j1_end;
  if (s->j1 >= d[1].count) return false;
  s->j1_end = smaller(d[1].count, s->j1 + section_lines(g));
  s->j2 = 0, s->j2_end = d[2].count;
  s->piece = s->j1 / g->place.fit;
  return true;
}

/* -------- the rows of x -------- */

/* How rows lie: [units][images][planes][lines][pixels][pitch]. The taps of a line share its pixels,
 * or each has those it meets side by side. */
typedef struct PackedRows {
  int64_t units, pitch;           /* of channels of a group */
  int64_t low, high, low1, high1; /* planes and lines */
  bool shared;
  int64_t pixels; /* of a line */
  int64_t unit;   /* floats */
} PackedRows;

static int64_t units_of(const Grad *g) { return (g->each + UNIT - 1) / UNIT; }
static int64_t pitch_of(const Grad *g) { return g->from.channels < UNIT ? g->from.channels : UNIT; }
/* Units have each / units channels, the first ones one more. */
static int64_t channels_of(const Grad *g, int64_t units, int64_t q) {
  return g->each / units + (q < g->each % units);
}

static int64_t pixels_shared(const ConvReach *d, int64_t pixels) {
  return (pixels - 1) * d->step + (d->taps - 1) * d->far + 1;
}

static PackedRows rows_of(const Grad *g, const LineSection *s) {
  const ConvReach *d = g->from.dim;
  PackedRows r = {.units = units_of(g), .pitch = pitch_of(g)};
  conv_planes(&g->from, &s->c, &r.low, &r.high);
  r.low1 = s->j1 * d[1].step + d[1].first;
  r.high1 = r.low1 + pixels_shared(&d[1], s->j1_end - s->j1);
  if (r.low1 < 0) r.low1 = 0;
  if (r.high1 > d[1].size) r.high1 = d[1].size;
  if (r.high1 < r.low1) r.high1 = r.low1;
  const int64_t n = s->j2_end - s->j2, shared = pixels_shared(&d[2], n);
  r.shared = shared <= d[2].taps * n;
  r.pixels = r.shared ? shared : d[2].taps * n;
  const int64_t lines = (s->c.b_end - s->c.b) * (r.high - r.low) * (r.high1 - r.low1);
  r.unit = lines * r.pixels * r.pitch;
  return r;
}

/* Floats of all rows of the largest section. */
static int64_t rows_floats(const Grad *g) {
  const ConvReach *d = g->from.dim;
  const bool cut = in_sections(g), parts = g->place.parts > 1;
  const int64_t lines = cut ? smaller(d[1].count, parts ? 1 : section_lines(g)) : d[1].count,
                pixels = cut && parts ? smaller(d[2].count, PIXELS) : d[2].count,
                planes = smaller(pixels_shared(&d[0], g->rows), d[0].size),
                in_plane = smaller(pixels_shared(&d[1], lines), d[1].size),
                in_line = smaller(pixels_shared(&d[2], pixels), d[2].taps * pixels);
  return units_of(g) * g->images * planes * in_plane * in_line * pitch_of(g);
}

/* n pixels of so many channels from x on, `step` apart; to has `pitch` floats each, where what is
 * behind the channels is of no use. `end`: of what may be read. */
static void put_pixels(const float *x, int64_t step, int64_t n, int64_t channels, const float *end,
                       float *to, int64_t pitch) {
  int64_t i = 0;
  if (channels == step && pitch == step) {
    memcpy(to, x, (size_t)(n * step) * sizeof *to);
    return;
  }
  if (pitch == UNIT)
    for (; i < n && end - x >= UNIT; i++, x += step, to += pitch) memcpy(to, x, UNIT * sizeof *to);
  for (; i < n; i++, x += step, to += pitch)
    for (int64_t j = 0; j < channels; j++) to[j] = x[j];
}

/* n pixels of a line from `first` on, `step` apart, to all units. */
static float *put_line(const Grad *g, const PackedRows *r, const float *line, int64_t first,
                       int64_t n, int64_t step, const float *last, float *to) {
  enum { TOGETHER = 8 }; /* pixels that stay in L1 from unit to unit */
  const int64_t size = g->from.dim[2].size, channels = g->from.channels;
  int64_t from = first < 0 ? smaller(n, (step - 1 - first) / step) : 0,
          end = first < size ? smaller(n, (size - first + step - 1) / step) : 0;
  if (end < from) end = from;
  for (int64_t q = 0; q < r->units; q++) {
    float *unit = to + q * r->unit;
    memset(unit, 0, (size_t)(from * r->pitch) * sizeof *unit);
    memset(unit + end * r->pitch, 0, (size_t)((n - end) * r->pitch) * sizeof *unit);
  }
  const int64_t together = r->units > 1 ? TOGETHER : n;
  for (int64_t i = from; i < end; i += together) {
    const float *x = line + (first + i * step) * channels;
    for (int64_t q = 0; q < r->units; q++) {
      const int64_t here = channels_of(g, r->units, q);
      put_pixels(x, step * channels, smaller(together, end - i), here, last,
                 to + q * r->unit + i * r->pitch, r->pitch);
      x += here;
    }
  }
  return to + n * r->pitch;
}

/* Whether a tap meets position p of a dim. */
static bool is_met(const ConvReach *d, int64_t p) {
  for (int64_t i = 0; i < d->taps && i < d->step; i++)
    if ((p - d->first - i * d->far) % d->step == 0) return true;
  return false;
}

static void put_rows(const Grad *g, const LineSection *s, const PackedRows *r, int64_t group) {
  const ConvReach *d = g->from.dim;
  const int64_t line = d[2].size * g->from.channels, n = s->j2_end - s->j2,
                at = s->j2 * d[2].step + d[2].first;
  const float *const last = (const float *)g->from.x + g->from.batch * d[0].size * d[1].size * line;
  float *to = g->rows_of_x;
  for (int64_t b = s->c.b; b < s->c.b_end; b++)
    for (int64_t p0 = r->low; p0 < r->high; p0++)
      for (int64_t p1 = r->low1; p1 < r->high1; p1++) {
        if (!is_met(&d[0], p0) || !is_met(&d[1], p1)) {
          to += r->pixels * r->pitch;
          continue;
        }
        const float *x = (const float *)g->from.x + ((b * d[0].size + p0) * d[1].size + p1) * line +
                         group * g->each;
        if (r->shared)
          to = put_line(g, r, x, at, r->pixels, 1, last, to);
        else
          for (int64_t i = 0; i < d[2].taps; i++)
            to = put_line(g, r, x, at + i * d[2].far, n, d[2].step, last, to);
      }
}

/* -------- the columns of y -------- */

/* Floats between pixels, beyond which those of a chunk meet in few sets of L1. */
enum { APART = 128 };

static bool columns_in_place(const Grad *g, int64_t n) {
  const int64_t columns = g->kernel->columns;
  return g->groups * g->wide < APART && (n == columns || n == columns / 2);
}

/* n columns from number `at` on; what is behind them in the panel may be anything. */
static void put_columns(const Grad *g, const LineSection *s, int64_t at, int64_t n) {
  const ConvReach *d = g->from.dim;
  const int64_t columns = g->kernel->columns, out = g->groups * g->wide;
  const float *const end =
      (const float *)g->y + g->from.batch * d[0].count * d[1].count * d[2].count * out;
  float *to = g->panel;
  for (int64_t b = s->c.b; b < s->c.b_end; b++)
    for (int64_t j0 = s->c.j; j0 < s->c.j_end; j0++)
      for (int64_t j1 = s->j1; j1 < s->j1_end; j1++) {
        const int64_t line = ((b * d[0].count + j0) * d[1].count + j1) * d[2].count;
        const float *y = (const float *)g->y + (line + s->j2) * out + at;
        put_pixels(y, out, s->j2_end - s->j2, n, end, to, columns);
        to += (s->j2_end - s->j2) * columns;
      }
}

/* -------- sums -------- */

/* The runs of a section under taps i0, i1, and the first of the last dim's. Its y begins at y, and
 * has the pixels of a section, or all of each line. */
static int64_t runs_of(const Grad *g, const LineSection *s, const PackedRows *r, int64_t i0,
                       int64_t i1, const float *y, int64_t lead) {
  const ConvReach *d = g->from.dim;
  const int64_t pixels = lead == g->kernel->columns ? s->j2_end - s->j2 : d[2].count,
                planes = r->high - r->low, lines = r->high1 - r->low1,
                xl = r->shared ? d[2].step * r->pitch : r->pitch;
  ConvPlace place = g->place;
  place.piece = g->place.parts > 1 ? s->piece - s->j2 / CONV_PIECE : s->piece;
  int64_t n = 0;
  for (int64_t b = 0; b < s->c.b_end - s->c.b; b++)
    for (int64_t j0 = s->c.j; j0 < s->c.j_end; j0++)
      for (int64_t j1 = s->j1; j1 < s->j1_end; j1++, y += pixels * lead) {
        const int64_t p0 = j0 * d[0].step + d[0].first + i0 * d[0].far,
                      p1 = j1 * d[1].step + d[1].first + i1 * d[1].far;
        if (!conv_reach_has(&d[0], p0) || !conv_reach_has(&d[1], p1)) {
          conv_skip(&place, 1);
          continue;
        }
        const float *x = g->rows_of_x +
                         ((b * planes + p0 - r->low) * lines + p1 - r->low1) * r->pixels * r->pitch;
        n = conv_run_some(g->run, n, &place, x - s->j2 * xl, y - s->j2 * lead, xl, lead, s->j2,
                          s->j2_end);
      }
  return n;
}

/* Columns j.. of w under taps i0, i1, whose runs t has, and all of the last dim's. */
static void tiles(const Grad *g, ConvTile t, const PackedRows *r, const LineSection *s,
                  int64_t outer, int64_t group, int64_t j, float *w) {
  const ConvReach *d = &g->from.dim[2];
  const int64_t columns = g->kernel->columns, out = g->groups * g->wide,
                n = smaller(columns, g->wide - j), most = g->kernel->rows[n > columns / 2],
                tap = (r->shared ? d->far : s->j2_end - s->j2) * r->pitch;
  const bool whole = n > columns / 2, fits = n == columns || n == columns / 2, add = t.add;
  /* Channels of all taps, if they lie side by side. */
  const bool joined = r->shared && d->far == 1 && r->pitch == g->each;
  const int64_t parts = joined ? 1 : d->taps;
  w += outer * d->taps * g->each * out + group * g->wide + j;
  for (int64_t i2 = 0; i2 < parts; i2++)
    for (int64_t q = 0; q < r->units; q++) {
      const int64_t all = joined ? d->taps * g->each : channels_of(g, r->units, q),
                    cut = (all + most - 1) / most;
      for (int64_t k = 0; k < cut; k++) {
        const int64_t from = k * all / cut;
        const int here = (int)((k + 1) * all / cut - from);
        float *c = w + from * out;
        t.x_shift = q * r->unit + i2 * tap + from;
        t.c = fits ? c : g->edge, t.ldc = fits ? out : CONV_COLUMNS, t.add = add && fits;
        conv_grad_fetch(g);
        for (int i = 0; i < here; i++) __builtin_prefetch(c + i * out, 1);
        if (!fits && t.goes_on)
          for (int i = 0; i < here; i++)
            memcpy(g->edge + i * CONV_COLUMNS, c + i * out, (size_t)n * sizeof *c);
        g->kernel->tile[here][whole](&t);
        if (!fits) conv_put(c, out, g->edge, here, n, add);
      }
      w += all * out;
    }
}

/* Where y of a section begins. */
static const float *first_of(const Grad *g, const LineSection *s) {
  const ConvReach *d = g->from.dim;
  const int64_t line = (s->c.b * d[0].count + s->c.j) * d[1].count + s->j1;
  return (const float *)g->y + (line * d[2].count + s->j2) * g->groups * g->wide;
}

static void section(const Grad *g, const LineSection *s, bool add, float *w) {
  const ConvReach *d = g->from.dim;
  const PackedRows r = rows_of(g, s);
  const int64_t columns = g->kernel->columns;
  for (int64_t group = 0; group < g->groups; group++) {
    put_rows(g, s, &r, group);
    for (int64_t j = 0; j < g->wide; j += columns) {
      const int64_t n = smaller(columns, g->wide - j), at = group * g->wide + j;
      const bool in_place = columns_in_place(g, n);
      const int64_t lead = in_place ? g->groups * g->wide : columns;
      const float *y = in_place ? first_of(g, s) + at : g->panel;
      if (!in_place) put_columns(g, s, at, n);
      for (int64_t i0 = 0; i0 < d[0].taps; i0++)
        for (int64_t i1 = 0; i1 < d[1].taps; i1++) {
          const int64_t outer = i0 * d[1].taps + i1;
          const bool cut = in_sections(g);
          if (cut && g->outer[outer].now == CONV_MEETS_NOTHING) continue;
          tiles(g,
                (ConvTile){.run = g->run,
                           .runs = runs_of(g, s, &r, i0, i1, y, lead),
                           .xi = 1,
                           .xl = r.shared ? d[2].step * r.pitch : r.pitch,
                           .lead = lead,
                           .add = add,
                           .goes_on = cut && g->outer[outer].now == CONV_CONTINUES},
                &r, s, outer, group, j, w);
        }
    }
  }
}

/* What the section s reads that the one before did not, shared out among its tiles. */
static void section_ahead(const Grad *g, const LineSection *s) {
  const ConvReach *d = g->from.dim;
  const int64_t columns = g->kernel->columns, most = g->kernel->rows[g->wide > columns / 2],
                out = g->groups * g->wide,
                n = (s->j1_end - s->j1 - 1) * d[2].count + s->j2_end - s->j2,
                tiles = g->groups * ((g->wide + columns - 1) / columns) * d[0].taps * d[1].taps *
                        ((d[2].taps * g->each + most - 1) / most);
  const float *y = first_of(g, s);
  g->ahead[1] = conv_ahead_of((const char *)y, (const char *)(y + n * out), tiles);
  /* What the last taps meet. */
  const int64_t p0 = s->c.j * d[0].step + d[0].first + (d[0].taps - 1) * d[0].far,
                p1 = s->j1 * d[1].step + d[1].first + (d[1].taps - 1) * d[1].far,
                p2 = s->j2 * d[2].step + d[2].first + (d[2].taps - 1) * d[2].far;
  g->ahead[0] = (ConvAhead){0};
  if (!conv_reach_has(&d[0], p0) || !conv_reach_has(&d[1], p1) || !conv_reach_has(&d[2], p2))
    return;
  const int64_t line = d[2].size * g->from.channels,
                end = smaller(d[1].size * line,
                              (p1 + (s->j1_end - s->j1 - 1) * d[1].step) * line +
                                  (p2 + (s->j2_end - s->j2) * d[2].step) * g->from.channels);
  const float *x = (const float *)g->from.x + (s->c.b * d[0].size + p0) * d[1].size * line;
  g->ahead[0] = conv_ahead_of((const char *)(x + p1 * line + p2 * g->from.channels),
                              (const char *)(x + end), tiles);
}

/* What a section meets, and the ends of blocks before it. */
static void begin_section(const Grad *g, const LineSection *s, float *w) {
  const ConvReach *d = g->from.dim;
  const int64_t each = g->weights / (d[0].taps * d[1].taps), block = s->piece / CONV_PIECES;
  ConvHeld *h = g->outer;
  for (int64_t i0 = 0; i0 < d[0].taps; i0++)
    for (int64_t i1 = 0; i1 < d[1].taps; i1++, h++) {
      bool met = false;
      for (int64_t j1 = s->j1; j1 < s->j1_end && !met; j1++)
        met = conv_reach_has(&d[0], s->c.j * d[0].step + d[0].first + i0 * d[0].far) &&
              conv_reach_has(&d[1], j1 * d[1].step + d[1].first + i1 * d[1].far);
      h->now = !met ? CONV_MEETS_NOTHING : CONV_BEGINS;
      if (!met) continue;
      const int64_t at = (h - g->outer) * each;
      if (h->some && h->block == block) h->now = CONV_CONTINUES;
      if (h->some && h->block != block) {
        conv_end_block(g->held_blocks + at, w + at, each, h->before);
        h->before = true;
      }
      h->some = true, h->block = block;
    }
}

void conv_panels(const Grad *g, const ConvChunk *c, bool add) {
  const ConvReach *d = g->from.dim;
  LineSection s = {0};
  if (!in_sections(g)) {
    next_section(g, c, &s);
    section(g, &s, add, g->w);
    return;
  }
  const int64_t outer = d[0].taps * d[1].taps, each = g->weights / outer;
  float *w = add ? g->held : g->w;
  memset(g->outer, 0, (size_t)outer * sizeof *g->outer);
  for (bool more = next_section(g, c, &s); more;) {
    LineSection next = s;
    more = next_section(g, c, &next);
    if (more) section_ahead(g, &next);
    begin_section(g, &s, w);
    section(g, &s, false, w);
    s = next;
  }
  for (int64_t i = 0; i < outer; i++) {
    if (!g->outer[i].some) memset(w + i * each, 0, (size_t)each * sizeof *w);
    if (g->outer[i].before) conv_round_blocks(g->held_blocks + i * each, w + i * each, each);
  }
  if (add)
    for (int64_t i = 0; i < g->weights; i++) g->w[i] += w[i];
}

int64_t conv_panels_room(Grad *g, float *room) {
  const ConvReach *d = g->from.dim;
  const bool cut = in_sections(g);
  const int64_t all = d[1].count * d[2].count, outer = d[0].taps * d[1].taps,
                pixels = cut ? PIXELS : g->images * g->rows * all,
                lines =
                    cut ? smaller(d[1].count, section_lines(g)) : g->images * g->rows * d[1].count,
                runs = conv_runs_most(lines, cut ? smaller(d[2].count, PIXELS) : d[2].count),
                pieces = g->place.parts > 1 ? d[1].count * g->place.parts
                                            : (d[1].count + g->place.fit - 1) / g->place.fit;
  const int64_t unit = sizeof(float);
  const int64_t size[] = {rows_floats(g),
                          pixels * g->kernel->columns,
                          CONV_ROWS * CONV_COLUMNS,
                          runs * (int64_t)sizeof(ConvRun) / unit,
                          cut ? outer * (int64_t)sizeof(ConvHeld) / unit : 0,
                          cut ? g->weights : 0,
                          cut && pieces > CONV_PIECES ? 2 * g->weights : 0};
  enum { PARTS = sizeof size / sizeof *size };
  int64_t at[PARTS], sum = 0;
  for (int i = 0; i < PARTS; i++) at[i] = sum, sum += (size[i] + 15) / 16 * 16;
  if (!room) return sum;
  g->rows_of_x = room + at[0], g->panel = room + at[1], g->edge = room + at[2];
  g->run = (ConvRun *)(void *)(room + at[3]);
  g->outer = (ConvHeld *)(void *)(room + at[4]);
  g->held = room + at[5];
  g->held_blocks = (double *)(void *)(room + at[6]);
  return sum;
}

bool conv_panels_fit(const Grad *g) {
  /* Tiles that read a number of x and y, for which copying pays; and where a kernel does not say
   * how many floats are half of L2. */
  enum { X_READ = 8, Y_READ = 16, NEAR = 64 << 10 };
  const ConvReach *d = g->from.dim;
  if (!g->kernel->panels || g->packed || g->across) return false;
  if (d[0].far > 1 && pixels_shared(&d[0], g->rows) > d[0].taps * g->rows) return false;
  const int64_t taps = d[0].taps * d[1].taps * d[2].taps, columns = g->kernel->columns,
                out = g->groups * g->wide, pixels = g->images * g->rows * d[1].count * d[2].count,
                near = g->kernel->near ? g->kernel->near : NEAR;
  /* Chunks that do not stay in L2, while more than two tiles read the same. */
  if (in_sections(g) && pixels * (g->step + out) > near && taps * g->each > 2 * g->kernel->rows[1])
    return true;
  return (g->step >= APART || out >= APART) &&
         taps * ((g->wide + columns - 1) / columns) >= X_READ &&
         taps * g->each >= Y_READ * g->kernel->rows[1];
}
