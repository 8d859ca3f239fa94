/* team.h: the threads of a process that owns several devices.
 *
 * With a core for each device there is a thread for each, and the caller's is the first of them.
 * With fewer cores there are as many threads as cores, and the devices of a thread take turns as
 * fibers (fiber.h): each runs until it has to wait. A device stays with its thread. Threads are
 * started once and wait between jobs. */
#ifndef DTG_RUNTIME_TEAM_H
#define DTG_RUNTIME_TEAM_H
#include <stdbool.h>

typedef struct Team Team;
typedef void TeamJob(void *arg, int device);

/* n >= 2 devices first, first + 1, ... on so many threads, or fewer; NULL with a reason (of
 * COMM_WHY bytes). `spin`: there is a core for each thread. */
Team *team_open(int first, int n, int threads, bool spin, char *why);
/* Runs the job on every device and returns when all have. */
void team_run(Team *t, TeamJob *job, void *arg);
/* What a device calls in a loop that waits; `turn` counts from 0. Other devices run meanwhile. */
void team_pause(Team *t, int device, unsigned turn);
/* Whether the device's thread has no other device to run. */
bool team_alone(const Team *t, int device);
void team_close(Team *t); /* NULL is allowed */

#endif
