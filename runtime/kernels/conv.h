/* conv.h: what the files of convolutions share. All spatial dims are three here: dims of one
 * position stand in for those that a convolution does not have, the middle one first. */
#ifndef DTRT_CONV_H
#define DTRT_CONV_H
#include "conv_kernel.h"
#include "dtrt.h"
#include "gemm_kernel.h"

/* One dim of a sum over taps. Position j of the `count` that are summed is to_first + j * to_step
 * of the result; there tap i meets position j * step + first + i * far of the source, which has
 * `size` of them and is 0 outside, and is tap tap_first + i * tap_step of the weights. far > 0. */
typedef struct Reach {
  int64_t count, to_first, to_step;
  int64_t taps, tap_first, tap_step;
  int64_t size, step, first, far;
} Reach;

typedef struct Source {
  const float *x; /* [batch][sizes...][channels] */
  int64_t batch, channels;
  Reach dim[3];
} Source;

/* Images b to b_end, and of each the rows (positions of dim 0) j to j_end: what is worked on at
 * once. It is several whole images, or rows of one. */
typedef struct Chunk {
  int64_t b, b_end, j, j_end;
} Chunk;

/* The source's lines that a chunk meets, where they lie or copied with zeros at their ends: image
 * b, positions p, q, r are at[(b - chunk's) * image + (p - low) * plane + q * line + (r - left) *
 * channels]. Lines beyond the first two dims' sizes are not there. */
typedef struct Strip {
  const float *at;
  int64_t image, plane, line, low, left;
} Strip;

int64_t strip_floats(const Source *s, int64_t images, int64_t rows); /* that so many rows meet */
bool strip_in_place(const Source *s);
/* Of chunks of so many images of `rows` rows each, or of one image and fewer rows, the n-th. False:
 * there are no more. */
bool chunk_at(const Source *s, int64_t images, int64_t rows, int64_t n, Chunk *c);
Strip strip_make(const Source *s, const Chunk *c, float *room);
/* Whether position p of dim d is one of the source's. */
static inline bool reach_has(const Reach *r, int64_t p) { return p >= 0 && p < r->size; }

/* This thread's room, at least so many floats, 64-byte aligned; what it held is lost. NULL: there
 * is not so much memory. */
float *conv_room(int64_t floats);

/* A dim as the forward pass sees it. */
void conv_reach(const dtrt_slide *s, Reach dim[3]);
/* e's `n` columns to c, row by row. */
void conv_put(float *c, int64_t ldc, const float *e, int rows, int64_t n, bool add);

/* False: not done (no memory), nor `then` (NULL: nothing), which is upon all positions of the
 * result as rows. */
bool conv_forward(const ConvKernel *k, const dtrt_slide *s, const float *x, const float *w,
                  float *y, const dtrt_then *then);
bool conv_to_input(const ConvKernel *k, const dtrt_slide *s, const float *y, const float *w,
                   float *x, const dtrt_then *then);
bool conv_to_weight(const ConvKernel *k, const dtrt_slide *s, const float *x, const float *y,
                    float *w);

enum { CONV, CONV_INPUT, CONV_WEIGHT };
/* By products of lines, for all types and CPUs. `result` is x, w or y. */
void conv_by_lines(int result, const dtrt_slide *s, char *x, char *w, char *y);
#endif
