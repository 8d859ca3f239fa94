/* A window sliding over n spatial dims: what convolutions and pools share. Position q of the small
 * side and tap k of the window meet position p = q*stride - before + k*dilation of the large side.
 *
 * Where a dim wraps, positions below 0 and from its size on are those at the other end; else there
 * are zeros.
 *
 * Attributes of every op of this kind, in this order: n, then stride, before, dilation, taps, the
 * large side's sizes and whether it wraps for each spatial dim, then groups, then the small side's
 * sizes. */
#ifndef DTG_SLIDE_H
#define DTG_SLIDE_H
#include "graph.h"

enum { MAX_SLIDE = 3, SLIDE_ATTRS = 2 + 7 * MAX_SLIDE };

typedef struct Slide {
  int n;
  int64_t stride[MAX_SLIDE], before[MAX_SLIDE], dilation[MAX_SLIDE], taps[MAX_SLIDE];
  int64_t large[MAX_SLIDE], small[MAX_SLIDE];
  int64_t wraps[MAX_SLIDE];
  int64_t groups;
} Slide;

Slide slide_of(const Node *n);
/* The tensors of node `id`, which is one of them. taps: NO_NODE of a pool. */
typedef struct SlideTensors {
  NodeId large, small, taps;
} SlideTensors;
SlideTensors slide_tensors(const Graph *g, NodeId id);
/* Of a convolution: one channel goes in and out of each of its groups. */
bool slide_is_depthwise(const Graph *g, const Node *n);
int slide_attrs(const Slide *s, int64_t *attr); /* how many */
/* Windows lie side by side along dim d and fill the large side: a cut between them moves nothing. */
bool slide_is_tiles(const Slide *s, int d);
/* What a block of the small side needs of the large one, and the reverse. */
Window slide_up(const Slide *s, int d);
Window slide_down(const Slide *s, int d);

#endif
