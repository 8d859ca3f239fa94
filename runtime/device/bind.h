/* bind.h: devices bound to cores or NUMA nodes (`--bind core|numa`), within the affinity mask that
 * the process was started with. Threads that are no device's keep that mask. */
#ifndef DTG_RUNTIME_BIND_H
#define DTG_RUNTIME_BIND_H
#include <stdbool.h>
#include "crew.h"

typedef struct CpuBinding CpuBinding;

/* For devices of `cores` cores each; `index`: of the process's first among `beside` that share the
 * mask. `how`: DTRT_BIND_CORE or NUMA. NULL with a reason (of COMM_WHY bytes). */
CpuBinding *bind_open(int how, int index, int beside, int cores, char *why);
/* On the thread of the process's i-th device: binds it and the cores of its crew (or NULL). False:
 * the system rejects it. */
bool bind_device(const CpuBinding *b, int i, Crew *crew);
void bind_loosen(const CpuBinding *b); /* the calling thread gets the whole mask; NULL is allowed */
void bind_close(CpuBinding *b);        /* on the thread of the first device; NULL is allowed */
#endif
