/* conv_copy.c: copies the lines of an image that a convolution reads at once, with zeros for
 * padding, so that kernels need not handle it. If no window reaches beyond the ends of a line, or
 * taps that do are left out, lines are read in place. */
#include <string.h>
#include "conv.h"

/* Positions from the first to the last that `count` windows meet. */
static int64_t span(const ConvReach *r, int64_t count) {
  return !r->taps ? 0 : (count - 1) * r->step + (r->taps - 1) * r->far + 1;
}

bool conv_copy_in_place(const ConvSource *s) {
  const ConvReach *r = &s->dim[2];
  return s->ends_left_out ||
         (!s->copied && r->first >= 0 && r->first + span(r, r->count) <= r->size);
}

int64_t conv_copy_floats(const ConvSource *s, int64_t images, int64_t rows) {
  int64_t planes = span(&s->dim[0], rows), wide = span(&s->dim[2], s->dim[2].count);
  if (planes > s->dim[0].size) planes = s->dim[0].size;
  return images * planes * s->dim[1].size * wide * s->channels;
}

bool conv_chunk_at(const ConvSource *s, int64_t images, int64_t rows, int64_t n, ConvChunk *c) {
  const int64_t all = s->dim[0].count, parts = (all + rows - 1) / rows;
  *c = (ConvChunk){.b = n / parts * images, .j = n % parts * all / parts};
  if (c->b >= s->batch) return false;
  c->b_end = c->b + images < s->batch ? c->b + images : s->batch;
  c->j_end = (n % parts + 1) * all / parts;
  return true;
}

void conv_planes(const ConvSource *s, const ConvChunk *c, int64_t *low, int64_t *high) {
  const ConvReach *r = &s->dim[0];
  *low = c->j * r->step + r->first, *high = *low + span(r, c->j_end - c->j);
  if (*low < 0) *low = 0;
  if (*high > r->size) *high = r->size;
  if (*high < *low) *high = *low;
}

ConvAhead conv_ahead_of(const char *at, const char *end, int64_t tiles) {
  enum { LINE = 64 };
  const int64_t bytes = tiles ? (end - at) / tiles + 1 : 0;
  return (ConvAhead){at, end, (bytes + LINE - 1) / LINE * LINE};
}

ConvAhead conv_ahead(const ConvSource *s, const ConvChunk *c, int64_t tiles) {
  const int64_t plane = s->dim[1].size * s->dim[2].size * s->pixel, image = s->dim[0].size * plane;
  int64_t low, high;
  conv_planes(s, c, &low, &high);
  const char *x = s->x;
  return conv_ahead_of(x + c->b * image + low * plane, x + (c->b_end - 1) * image + high * plane,
                       tiles);
}

ConvCopy conv_copy_make(const ConvSource *s, const ConvChunk *c, float *room) {
  const ConvReach *d0 = &s->dim[0], *d1 = &s->dim[1], *d2 = &s->dim[2];
  const int64_t line = d2->size * s->pixel, plane = d1->size * line, image = d0->size * plane;
  const char *x = (const char *)s->x + c->b * image;
  if (conv_copy_in_place(s))
    return (ConvCopy){.at = (const float *)(const void *)x,
                      .image = image / 4,
                      .plane = plane / 4,
                      .line = line / 4};
  int64_t low, high;
  conv_planes(s, c, &low, &high);
  ConvCopy t = {.at = room, .low = low, .left = d2->first};
  /* Of a padded line, columns `from` to `to` are there. */
  const int64_t wide = span(d2, d2->count);
  int64_t from = t.left < 0 ? -t.left : 0, to = d2->size - t.left;
  if (to > wide) to = wide;
  if (from > wide) from = wide;
  if (to < from) to = from;
  t.line = wide * s->channels, t.plane = d1->size * t.line, t.image = (high - low) * t.plane;
  for (int64_t b = c->b; b < c->b_end; b++, x += image)
    for (int64_t i = 0; i < (high - low) * d1->size; i++, room += t.line) {
      const char *have = x + low * plane + i * line + (t.left + from) * s->pixel;
      if (s->pairs_of_pixels) {
        conv_pair_pixels(s, have, from, to - from, wide, room);
        continue;
      }
      memset(room, 0, (size_t)(from * s->channels) * sizeof *room);
      conv_copy_pixels(s, have, to - from, room + from * s->channels);
      memset(room + to * s->channels, 0, (size_t)((wide - to) * s->channels) * sizeof *room);
    }
  return t;
}
