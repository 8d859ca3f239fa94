/* in_place.c: what is stored for the sake of windows (x[i] <- e), by what moves the fewest bytes.
 */
#ifndef DTG_IN_PLACE_H
#define DTG_IN_PLACE_H
#include "sites.h"

/* Of an entry, before it is decided what else is stored; region: of each node, NULL: it has none.
 */
void in_place_store(const Plan *p, LocalEntry *le, Sites *sites, const int *region, Arena *a);

#endif
