/* The caches and cores of this computer. */
#ifndef DTG_HOST_MACHINE_H
#define DTG_HOST_MACHINE_H
#include "machine.h"

/* The generic machine with what is known of this computer. */
const Machine *host_machine(Arena *a);
/* Fills in cores, caches (their bandwidths by the machine's memory_bandwidth), vectors, lines and
 * pages. */
void host_hardware(Machine *m);
/* The CPU multiplies and adds with one rounding, as kernels of products then do. */
bool host_multiplies_adds(void);

/* How many CPUs "0-3,8" lists; 0: it is no such list. "48K" in bytes; 0: no size. */
int64_t host_count_list(const char *list);
double host_size(const char *text);

#endif
