/* conv_sum.h: shared by conv_sum.c and conv_sum.c, which compute a convolution by tiles whose
 * vectors are channels of the result, or pixels. */
#ifndef DTRT_CONV_SUM_H
#define DTRT_CONV_SUM_H
#include "conv.h"

enum { CONV_READS = 8 }; /* of an epilogue at most */

typedef struct Sum {
  const ConvKernel *kernel;
  ConvSource from;
  int64_t groups, each, wide; /* words of the source and channels of the result in a group */
  float *to;                  /* [batch][to_size...][groups * wide] */
  int64_t to_size[3];
  const void *w; /* [w_taps...][in][out] */
  int64_t w_taps[3], w_in, w_out;
  bool transposed;     /* the source has w's out channels, the result its in channels */
  bool by_pixels;      /* see conv_pixels.c; else: */
  bool in_lines;       /* see conv_boxes.c */
  bool joined;         /* the taps of a line lie side by side in the source: they are one run */
  int64_t depth;       /* of all taps */
  ConvPlace place;     /* of the first run */
  int64_t panels_most; /* columns whose panels are packed at once, and whole groups */
  int64_t groups_most;
  int64_t pitch, line_floats; /* conv_pixels.c's: of a row of pixels, and of all of a line's */
  float *copied, *panels, *rows, *edge;
  ConvRun *run;
  ConvAhead ahead;
  const dtrt_epilogue *epilogue; /* upon positions of the result that are done; NULL: nothing */
  ConvAhead read[CONV_READS];    /* what it reads beside them of this chunk */
  int nread;
} Sum;

/* What a tile has to fetch. */
static inline void conv_fetch_all(Sum *s) {
  conv_fetch(&s->ahead);
  for (int i = 0; i < s->nread; i++) conv_fetch(&s->read[i]);
}

/* The taps of the first two dims that meet something, which lie side by side. Lines for which they
 * are the same have the same runs. */
typedef struct ConvMet {
  int64_t from[2], to[2];
} ConvMet;
static inline void conv_meets(const ConvReach *d, int64_t j0, int64_t j1, ConvMet *m) {
  for (int i = 0; i < 2; i++) {
    int64_t p = (i ? j1 : j0) * d[i].step + d[i].first, tap = 0;
    for (; tap < d[i].taps && p < 0; tap++) p += d[i].far;
    m->from[i] = tap;
    for (; tap < d[i].taps && p < d[i].size; tap++) p += d[i].far;
    m->to[i] = tap;
  }
}
static inline bool conv_has_met(const ConvMet *m, int64_t i0, int64_t i1) {
  return i0 >= m->from[0] && i0 < m->to[0] && i1 >= m->from[1] && i1 < m->to[1];
}
static inline bool conv_same_met(const ConvMet *a, const ConvMet *b) {
  return a->from[0] == b->from[0] && a->to[0] == b->to[0] && a->from[1] == b->from[1] &&
         a->to[1] == b->to[1];
}

/* Where a line of the result is: its positions are to_step apart. */
static inline float *conv_line_of(const Sum *s, int64_t b, int64_t j0, int64_t j1) {
  const ConvReach *d = s->from.dim;
  int64_t at = b * s->to_size[0] + d[0].to_first + j0 * d[0].to_step;
  at = at * s->to_size[1] + d[1].to_first + j1 * d[1].to_step;
  at = at * s->to_size[2] + d[2].to_first;
  return s->to + at * s->groups * s->wide;
}

/* From t->at to where the first tap of a position meets, which may lie outside. */
static inline int64_t conv_shift_of(const Sum *s, const ConvChunk *c, const ConvCopy *t, int64_t b,
                                    int64_t j0, int64_t j1, int64_t j2) {
  const ConvReach *d = s->from.dim;
  return (b - c->b) * t->image + (j0 * d[0].step + d[0].first - t->low) * t->plane +
         (j1 * d[1].step + d[1].first) * t->line +
         (d[2].first - t->left + j2 * d[2].step) * s->from.channels;
}

/* A chunk of the result, columns j to j_end of a group, whose panels are packed; what it takes for
 * one panel, about. */
typedef struct ConvCost {
  int64_t tiles, cycles;
} ConvCost;
void conv_boxes(Sum *s, const ConvChunk *c, const ConvCopy *t, int64_t group, int64_t j,
                int64_t j_end);
ConvCost conv_boxes_cost(const Sum *s, const ConvChunk *c);
/* Columns j.. of one tap's weights of 16 bits. */
void conv_pack_half(const Sum *s, int64_t tap, int64_t group, int64_t j, float *to);
/* Whether that is faster, s having its kernel, source and depths; floats of `copied`, for so many
 * images and rows; ConvRuns. */
bool conv_pixels_fit(const Sum *s);
int64_t conv_pixels_floats(Sum *s, int64_t images, int64_t rows);
int64_t conv_pixels_runs(const Sum *s);
/* The group's part of a chunk of the result, whose weights are packed. */
void conv_pixels(Sum *s, const ConvChunk *c, int64_t group);
/* Whether each channel is a group of its own, of f32; a chunk of the result, without any room. */
bool conv_depth_fits(const Sum *s);
void conv_depth(const Sum *s, const ConvChunk *c, const ConvChunk *next);
#endif
