/* crew.h: the cores of one device. Core 0 is the thread that the device runs on; the others wait
 * for parts of what it does. Law: whoever calls crew_run gives parts that write apart and whose
 * bits do not depend on where they begin and end, so that the number of cores is never seen in a
 * result.
 *
 * Work is found by the thread: code that a device runs asks for "its" cores without being told
 * which device it serves. Within a part there is one core, so that nothing nests. */
#ifndef DTG_RUNTIME_CREW_H
#define DTG_RUNTIME_CREW_H
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include "block.h"

struct Device;
typedef struct Crew Crew;
/* A part of all that is to do, done by one core. */
typedef void CrewPart(void *arg, int core, int64_t from, int64_t to);

enum { CREW_MOST = 1024 }; /* cores of a device */

/* n >= 2 cores. `spin`: each has a CPU to itself, so that waiting may spin a little. NULL with a
 * reason (of COMM_WHY bytes): the system rejects it. */
Crew *crew_open(struct Device *d, int n, bool spin, char *why);
void crew_close(Crew *c); /* NULL is allowed */
/* Core k, from 1, runs on these CPUs. */
bool crew_bind(Crew *c, int k, const cpu_set_t *set);
int crew_size(const Crew *c); /* of NULL, 1 */
/* Each core but the first has so many bytes of its own at least (dtrt_own). -1: out of memory. Of
 * NULL, nothing. */
int crew_make_own(Crew *c, int64_t bytes);

/* Cores that crew_run has here: of the device whose code this thread runs; 1 within a part. */
int crew_cores(void);
/* Calls f upon parts that make up [0, count), which begin at multiples of `grain` and run at the
 * same time; each core begins with its own share, the same from call to call, and then helps
 * others. Returns when all are done. Leaves the entry if one has failed. */
void crew_run(int64_t count, int64_t grain, CrewPart *f, void *arg);
/* block_copy, by all of them. */
void crew_copy(const Piece *p, int64_t size, void *to, const void *from);

#endif
