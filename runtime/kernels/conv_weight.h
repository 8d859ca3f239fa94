/* conv_weight.h: shared by conv_weight.c and conv_panels.c: a convolution's gradient with respect
 * to the weights. */
#ifndef DTRT_CONV_WEIGHT_H
#define DTRT_CONV_WEIGHT_H
#include "conv.h"

/* The sums of taps i0, i1 of the first two dims over the sections of a chunk that were met. */
typedef struct ConvHeld {
  int64_t block; /* of CONV_PIECES, from which w's are */
  bool some;     /* there are any; */
  bool before;   /* those of the blocks before, too, in f64 */
  enum { CONV_MEETS_NOTHING, CONV_BEGINS, CONV_CONTINUES } now;
} ConvHeld;

typedef struct Grad {
  const ConvKernel *kernel;
  ConvSource from;
  int64_t groups, each, wide;
  int64_t deep;         /* words of a line's pixels */
  int64_t images, rows; /* of a chunk at most */
  int64_t weights;
  const void *y;
  bool packed; /* y's numbers are no words */
  float *w, *copied, *panel, *edge;
  double *blocks; /* as w; NULL: there is one */
  ConvRun *run;
  ConvPlace place; /* of the first */
  int64_t step;    /* words from a depth to the next */
  bool across;     /* a tile's rows are channels of the output, and its columns the others */
  bool in_panels;  /* see conv_panels.c: */
  float *rows_of_x, *held; /* held: as w */
  double *held_blocks;     /* of one chunk; NULL: it has one */
  ConvHeld *outer;         /* by taps of the first two dims */
  float *transposed;       /* by AMX: a chunk of y as [channels][lines][words], */
  int64_t pitch;           /* words from a channel to the next, */
  float *sums; /* and the sums, as AMX writes them: [outer taps][groups][parts][wide][columns] */
  ConvAhead *ahead; /* [2]: what the next chunk reads of both */
} Grad;

static inline void conv_grad_fetch(const Grad *g) {
  conv_fetch(&g->ahead[0]), conv_fetch(&g->ahead[1]);
}

/* Whether that is faster than by lines where they lie. g has all but its room. */
bool conv_panels_fit(const Grad *g);
/* Floats of its room, which begins at `room` (NULL: counted alone). */
int64_t conv_panels_room(Grad *g, float *room);
/* The sums of a chunk. */
void conv_panels(const Grad *g, const ConvChunk *c, bool add);
#endif
