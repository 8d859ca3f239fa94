/* caches.h: sizes of the caches of the core that runs this, as the system says. */
#ifndef DTG_RUNTIME_CACHES_H
#define DTG_RUNTIME_CACHES_H
#include <stdint.h>

/* Bytes of the data cache of level 1, 2 or 3 that a core uses; 0: the system does not say. */
int64_t caches_bytes(int level);
/* Bytes after which addresses are in the same set of the level again; `otherwise`: the system does
 * not say. A power of two. */
int64_t caches_way(int level, int64_t otherwise);

#endif
