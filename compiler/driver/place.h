/* place.h: the layout of a host's tensor on the mesh, for the files of dtgc.h. */
#ifndef DTG_PLACE_H
#define DTG_PLACE_H
#include "program.h"

typedef struct Placed {
  const dtgc_tensor *tensor;
  const Layout *layout;
  bool input; /* boxes of devices may overlap without being the same: windows */
} Placed;

typedef struct PlaceBox {
  int rank;
  int64_t lo[MAX_RANK], hi[MAX_RANK], count;
  size_t bytes;
} PlaceBox;

/* An input or output of an entry, or (entry NULL) a variable. */
dtgc_status place_find(dtgc_program *p, const char *entry, const char *name, Placed *out);
/* coord: [MAX_AXES]. */
dtgc_status place_device(dtgc_program *p, int64_t device, int *coord);
void place_box(const dtgc_program *p, const Placed *t, const int *coord, PlaceBox *box);

#endif
