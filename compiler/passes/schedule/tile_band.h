/* The unmasked band of a tile nest's scores: index_mask.c analyses masks, tile_band.c determines
 * whether the nest's steps can be restricted to the band. */
#ifndef DTG_TILE_BAND_H
#define DTG_TILE_BAND_H
#include "schedule_passes.h"

/* low <= column - row < high, the column being the last dim. */
typedef struct Band {
  int row;
  int64_t low, high; /* -BAND_FAR, BAND_FAR: no bound */
} Band;

/* The node is a `where` that takes operand *dead wherever its indices are outside of *out. */
bool band_of_mask(const Graph *g, NodeId id, Band *out, int *dead);

/* Fills in the band of a tile that is otherwise done. --disable=band: there is none. */
void tile_band(Plan *p, const LocalEntry *le, Tiles *s);

#endif
