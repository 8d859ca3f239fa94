/* hand_team.h: threads as devices for the hand-written programs of the benchmark: a team that runs
 * a job on every device, a barrier, and an all-reduce that adds in the order of the devices.
 *
 * The ways are those of the runtime (the caller is device 0; flags that only grow; spin with a core
 * for each device, else sched_yield; each sums its own chunk from the peers' memory and writes it
 * to all), so that a comparison with it compares what is around them. */
#ifndef HAND_TEAM_H
#define HAND_TEAM_H
#include <stdatomic.h>
#include <stddef.h>

enum { TEAM_MOST = 64, TEAM_SMALL = 2048 /* floats: reduced by all, one barrier */ };

typedef struct Team Team;
typedef void TeamJob(void *arg, int device);

Team *team_new(int ndevices); /* NULL: no memory or no threads */
void team_free(Team *t);
int team_size(const Team *t);
void team_run(Team *t, TeamJob *job, void *arg); /* returns when all devices have finished */

void team_barrier(Team *t, int me);
/* each[i], [n], is device i's: all become the sum. */
void team_all_reduce(Team *t, int me, float *const *each, size_t n);
/* Adds [lo, hi) of everybody's into `to`, [hi - lo], in the order of the devices. */
void team_sum(const Team *t, float *const *each, size_t lo, size_t hi, float *to);
/* The part of n floats that is device `me`'s, on cache lines. */
void team_chunk(const Team *t, int me, size_t n, size_t *lo, size_t *hi);

/* Zeroed memory on huge pages where there are any; never freed, the benchmark ends with it. */
float *team_floats(size_t n);
#endif
