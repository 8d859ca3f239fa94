/* conv.h: shared by the files of convolutions. All of them have three spatial dims here: missing
 * ones have size 1, the middle one first. */
#ifndef DTRT_CONV_H
#define DTRT_CONV_H
#include "conv_kernel.h"
#include "dtrt.h"
#include "gemm_kernel.h"

/* One dim of a sum over taps. Position j of the `count` that are summed is to_first + j * to_step
 * of the result; there tap i meets position j * step + first + i * far of the source, which has
 * `size` of them and is 0 outside, and is tap tap_first + i * tap_step of the weights. far > 0. */
typedef struct ConvReach {
  int64_t count, to_first, to_step;
  int64_t taps, tap_first, tap_step;
  int64_t size, step, first, far;
} ConvReach;

/* Of numbers of 16 bits, what is copied has words for them, and a pixel `channels` words
 * (conv_half.c); else a word is a number. */
typedef struct ConvSource {
  const void *x; /* [batch][sizes...][groups][each] */
  int64_t batch, channels;
  int32_t dtype;
  bool copied;                 /* what lies there is not words */
  bool ends_left_out;          /* lines are read in place: taps beyond their ends are left out */
  bool pairs_of_pixels;        /* a word has a number of this pixel, and that of the next step */
  int64_t pixel, groups, each; /* bytes of a pixel; numbers of a group */
  ConvReach dim[3];
} ConvSource;
/* All but the dims. */
ConvSource conv_source(int32_t dtype, const void *x, int64_t batch, int64_t channels,
                       int64_t groups);
/* Pixels side by side, as words. */
void conv_copy_pixels(const ConvSource *s, const char *from, int64_t pixels, float *to);
/* A line of `wide` pixels of 16-bit numbers, of which `pixels` are there, behind `first` zeros: as
 * pairs of pixels. */
void conv_pair_pixels(const ConvSource *s, const char *from, int64_t first, int64_t pixels,
                      int64_t wide, float *to);
/* Words of a line of pixels whose numbers are 16-bit and are summed; and n columns of it, y[pixel *
 * lead + j], as [words][columns]. */
int64_t conv_line_words(int32_t dtype, int64_t pixels);
void conv_pack_line(int32_t dtype, const uint16_t *y, int64_t lead, int64_t pixels, int64_t n,
                    int64_t columns, float *to);

/* Images b to b_end, and of each the rows (positions of dim 0) j to j_end: what is worked on at
 * once. It is several whole images, or rows of one. */
typedef struct ConvChunk {
  int64_t b, b_end, j, j_end;
} ConvChunk;

/* The source's lines that a chunk meets, where they lie or copied with zeros at their ends: image
 * b, positions p, q, r are at[(b - chunk's) * image + (p - low) * plane + q * line + (r - left) *
 * channels]. Lines beyond the first two dims' sizes are not there. */
typedef struct ConvCopy {
  const float *at;
  int64_t image, plane, line, low, left;
} ConvCopy;

int64_t conv_copy_floats(const ConvSource *s, int64_t images,
                         int64_t rows); /* that so many rows meet */
bool conv_copy_in_place(const ConvSource *s);
/* Of chunks of so many images of `rows` rows each, or of one image and fewer rows, the n-th. False:
 * there are no more. */
bool conv_chunk_at(const ConvSource *s, int64_t images, int64_t rows, int64_t n, ConvChunk *c);
/* Planes (positions of dim 0) of the source that rows of a chunk meet: *low to *high. */
void conv_planes(const ConvSource *s, const ConvChunk *c, int64_t *low, int64_t *high);
ConvCopy conv_copy_make(const ConvSource *s, const ConvChunk *c, float *room);
/* What the next chunk reads, a part of which each tile of the one before fetches. */
typedef struct ConvAhead {
  const char *at, *end;
  int64_t bytes; /* a tile */
} ConvAhead;
ConvAhead conv_ahead_of(const char *at, const char *end, int64_t tiles);
ConvAhead conv_ahead(const ConvSource *s, const ConvChunk *c, int64_t tiles);
static inline void conv_fetch(ConvAhead *a) {
  const char *stop = a->end - a->at > a->bytes ? a->at + a->bytes : a->end;
  for (; a->at < stop; a->at += 64) __builtin_prefetch(a->at, 0, 2);
}
/* Whether position p of dim d is one of the source's. */
static inline bool conv_reach_has(const ConvReach *r, int64_t p) { return p >= 0 && p < r->size; }

/* This thread's room, at least so many floats, 64-byte aligned; what it held is lost. NULL: there
 * is not so much memory. */
float *conv_room(int64_t floats);
/* Another of the same: sums that other cores write (conv_weight.c), or that stay while products are
 * computed (gemm_deep.c). */
float *conv_sums_room(int64_t floats);
/* And one that gemm_kept.c alone takes, always as large. */
float *gemm_kept_room(int64_t floats);

/* Where in its pieces a tile's list of runs is, all of which have `depth` depths: without
 * divisions, as each line has such a list. */
typedef struct ConvPlace {
  int64_t depth, parts; /* pieces of a run that is longer than one */
  int64_t fit, at;      /* else: runs of a piece; how many of them there were */
  int64_t piece;
} ConvPlace;
ConvPlace conv_place(int64_t depth);
static inline void conv_skip(ConvPlace *p, int64_t runs) {
  if (p->parts > 1) {
    p->piece += runs * p->parts;
    return;
  }
  for (p->at += runs; p->at >= p->fit; p->at -= p->fit) p->piece++;
}
/* Appends the next run's depths `from` to `to` to the n runs that are there, and goes on; returns
 * how many there are now. The run begins at x and y; its depths are `xl` and `lead` apart. Runs
 * that meet nothing may be skipped. */
static inline int64_t conv_run_some(ConvRun *run, int64_t n, ConvPlace *p, const float *x,
                                    const float *y, int64_t xl, int64_t lead, int64_t from,
                                    int64_t to) {
  for (int64_t at = from, here; at < to; at += here) {
    const int64_t part = p->parts > 1 ? at / CONV_PIECE : 0, piece = p->piece + part,
                  end = p->parts > 1 ? (part + 1) * CONV_PIECE : to;
    here = (end < to ? end : to) - at;
    ConvRun *before = run + n - 1;
    if (n > 0 && before->piece != piece)
      before->last = (before->piece ^ piece) < CONV_PIECES ? CONV_ENDS_PIECE : CONV_ENDS_BLOCK;
    run[n++] =
        (ConvRun){.x = x + at * xl, .y = y + at * lead, .depth = (int)here, .piece = piece};
  }
  conv_skip(p, 1);
  return n;
}
/* All of the next run. */
static inline int64_t conv_run(ConvRun *run, int64_t n, ConvPlace *p, const float *x,
                               const float *y, int64_t xl, int64_t lead) {
  return conv_run_some(run, n, p, x, y, xl, lead, 0, p->depth);
}
/* So many at most become of `runs`. */
static inline int64_t conv_runs_most(int64_t runs, int64_t depth) {
  return runs * (depth / CONV_PIECE + 1);
}

/* The end of a block: its sums go to those of the blocks before, if there are `some`; and at last
 * these and the last block's are rounded. */
void conv_end_block(double *blocks, const float *sum, int64_t n, bool some);
void conv_round_blocks(const double *blocks, float *sum, int64_t n);

/* A dim as the forward pass sees it. */
void conv_reach(const dtrt_slide *s, ConvReach dim[3]);
/* e's `n` columns to c, row by row. */
void conv_put(float *c, int64_t ldc, const float *e, int rows, int64_t n, bool add);

/* False: not done (no memory), nor `then` (NULL: nothing), which is upon all positions of the
 * result as rows. */
bool conv_forward(const ConvKernel *k, const dtrt_slide *s, const void *x, const void *w, float *y,
                  const dtrt_epilogue *then);
bool conv_to_input(const ConvKernel *k, const dtrt_slide *s, const void *y, const void *w, float *x,
                   const dtrt_epilogue *then);
bool conv_to_weight(const ConvKernel *k, const dtrt_slide *s, const void *x, const void *y,
                    float *w);

enum { CONV, CONV_INPUT, CONV_WEIGHT };
/* By products of lines, for all types and CPUs. `result` is x, w or y. */
void conv_by_lines(int result, const dtrt_slide *s, char *x, char *w, char *y);
#endif
