/* Several runs of a loop as one (halos.c): its body as often, one behind the other; the first has a
 * halo so wide that the others need none. */
#ifndef DTG_HALOS_H
#define DTG_HALOS_H
#include "schedule_passes.h"

enum {
  HALOS_WIDEST = 64, /* elements of a border */
  HALOS_NODES = 2000 /* of all runs: what compiling them takes */
};

/* The entry with `runs` runs of the loop, which has no region in it, as one, and nothing after its
 * graph. False: that cannot be done with this loop, or with so many runs. */
bool halos_made(const Plan *p, const LocalEntry *le, int region, int runs, LocalEntry *out);

#endif
