/* The part of a strip's scores that masks of indices leave alive: strip_mask.c reads masks,
 * strip_band.c finds out whether a strip's steps can do without the rest. */
#ifndef DTG_STRIP_BAND_H
#define DTG_STRIP_BAND_H
#include "schedule_passes.h"

/* low <= column - row < high, the column being the last dim. */
typedef struct Band {
  int row;
  int64_t low, high; /* -BAND_FAR, BAND_FAR: no bound */
} Band;

/* The node is a `where` that takes operand *dead wherever its indices are outside of *out. */
bool band_of_mask(const Graph *g, NodeId id, Band *out, int *dead);

/* Fills in the band of a strip that is otherwise done. --disable=band: there is none. */
void strip_band(Plan *p, const LocalEntry *le, Strip *s);

#endif
