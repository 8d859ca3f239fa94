/* caches.h: sizes of the caches of the core that runs this, as the system says. */
#ifndef DTG_RUNTIME_CACHES_H
#define DTG_RUNTIME_CACHES_H
#include <stdint.h>

/* Bytes of the data cache of level 1, 2 or 3 that a core uses; 0: the system does not say. */
int64_t caches_bytes(int level);

#endif
