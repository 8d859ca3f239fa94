/* law.h: what an exchange must do, worked out here again element by element from the words of
 * dtrt.h and docs/layouts.md, and all layouts of small tensors on small meshes. At most 8 devices,
 * so that a set of devices is a byte. */
#ifndef DTG_TESTS_RUNTIME_LAW_H
#define DTG_TESTS_RUNTIME_LAW_H
#include <stdbool.h>
#include "dtrt.h"

enum { LAW_RANK = 3, LAW_AXES = 3, LAW_DEVICES = 8, LAW_LAYOUTS = 192 };

typedef struct Grid { /* a mesh */
  int naxes, size[LAW_AXES], ndevices;
  int32_t coord[LAW_DEVICES][LAW_AXES];
  uint8_t along[LAW_DEVICES][1 << LAW_AXES]; /* see grid_along, grid_nearest */
  int8_t nearest[LAW_DEVICES][1 << LAW_DEVICES];
} Grid;
Grid grid_of(int naxes, const int *size);
/* Devices that have the same coordinates as `device` on the axes of the set. */
static inline uint8_t grid_along(const Grid *g, int device, uint32_t same) {
  return g->along[device][same];
}
/* Of the devices of a set the nearest: whose coordinates differ on the fewest axes, then by the
 * least in all. -1: the set is empty or two are as near. */
static inline int grid_nearest(const Grid *g, int device, uint8_t set) {
  return g->nearest[device][set];
}

typedef struct Laid { /* a layout that owns its dims, and who holds which element */
  dtrt_layout l;
  dtrt_dim dim[LAW_RANK];
  uint8_t *held; /* [elements]: set of devices */
} Laid;

/* Every way to deal each axis to a dim (at any place in its order), to nothing or to a partial
 * value. granules: dims that 3 divides are cut in granules of 3. Returns how many. */
int law_layouts(const Grid *g, Laid *out, int rank, const int64_t *n, bool granules);
enum { LAW_WINDOWS = 9 };
/* Gives the first cut dim a window, so that devices need what overlaps, strides, is mirrored, is
 * far away or goes on at the other end. False: there is none to give. */
bool law_window(const Grid *g, Laid *o, int which);
void law_hold(const Grid *g, Laid *o); /* fills `held`, which is malloc'ed */
int64_t law_count(const dtrt_layout *l);

/* Axes that the exchange does not know, along which all devices are on one host (host[device]), do
 * the same, and share it out. */
uint32_t law_copied(const Grid *g, const dtrt_exchange *x, const int *host);
/* Of those along some axes, the first. */
int law_first(const Grid *g, uint32_t axes, int device);

/* The value that a device puts where it holds an element: it tells of the element and the device.
 */
float law_term(int64_t element, int device);

/* What every device has to receive and send, in elements, if each needed element (or term) comes
 * once from the nearest that holds it; for an all-reduce, if each device combines one chunk. */
typedef struct Moved {
  int64_t received[LAW_DEVICES], sent[LAW_DEVICES];
  /* Of an all-reduce, if each device takes the terms of all: few bytes by messages. */
  int64_t all_terms[LAW_DEVICES];
  int64_t most;   /* that any receives */
  bool ambiguous; /* two owners are as near */
} Moved;
Moved law_moved(const Grid *g, const dtrt_exchange *x, const Laid *from, const Laid *to);
/* Elements that the devices of each place (host[device]) receive from other places by messages: at
 * least what nobody of the place holds, once; at most what law_moved says of its devices, of those
 * along axes that are copied of the first. */
typedef struct MovedFar {
  int64_t least[LAW_DEVICES], most[LAW_DEVICES]; /* by place */
} MovedFar;
MovedFar law_far(const Grid *g, const dtrt_exchange *x, const Laid *from, const Laid *to,
                 const int *host);
/* What a device holds of an element afterwards, where those along the copied axes hold the same. */
float law_value(const Grid *g, const dtrt_exchange *x, const Laid *from, int64_t element,
                int device, uint32_t copied);
bool law_is_all_reduce(const Grid *g, const dtrt_exchange *x);
void law_print(const Grid *g, const dtrt_exchange *x); /* on stderr */
#endif
