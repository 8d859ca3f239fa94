/* team.h: the threads of a process that owns several devices, one each.
 *
 * The caller's thread is the first of them, so that as many threads run as there are devices. The
 * others are started once and wait between jobs. */
#ifndef DTG_RUNTIME_TEAM_H
#define DTG_RUNTIME_TEAM_H
#include <stdbool.h>

typedef struct Team Team;
typedef void TeamJob(void *arg, int device);

/* n >= 2 threads for devices first, first + 1, ...; NULL with a reason (of COMM_WHY bytes). `spin`:
 * there is a core for each. `alone`: no other process has devices. */
Team *team_open(int first, int n, bool spin, bool alone, char *why);
/* Runs the job on every device and returns when all have. */
void team_run(Team *t, TeamJob *job, void *arg);
void team_close(Team *t); /* NULL is allowed */

#endif
