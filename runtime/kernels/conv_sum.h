/* conv_sum.h: shared by conv_sum.c and conv_turned.c, which compute a convolution by tiles whose
 * vectors are channels of the result, or pixels. */
#ifndef DTRT_CONV_SUM_H
#define DTRT_CONV_SUM_H
#include "conv.h"

typedef struct Sum {
  const ConvKernel *kernel;
  ConvSource from;
  int64_t groups, each, wide; /* channels of the source and of the result in a group */
  float *to;                  /* [batch][to_size...][groups * wide] */
  int64_t to_size[3];
  const float *w; /* [w_taps...][in][out] */
  int64_t w_taps[3], w_in, w_out;
  bool turned;         /* the source has w's out channels, the result its in channels */
  bool in_lines;       /* tiles are of one line each */
  bool joined;         /* the taps of a line lie side by side in the source: they are one run */
  int64_t depth;       /* of all taps */
  ConvPlace place;     /* of the first run */
  int64_t panels_most; /* columns whose panels are packed at once, and whole groups */
  int64_t groups_most;
  float *strip, *panels, *rows, *edge;
  ConvRun *run;
  ConvAhead ahead;
  const dtrt_epilogue *epilogue; /* upon positions of the result that are done; NULL: nothing */
} Sum;

/* Where a line of the result is: its positions are to_step apart. */
float *conv_line_of(const Sum *s, int64_t b, int64_t j0, int64_t j1);
#endif
