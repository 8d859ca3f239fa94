/* profile.h: the time of each step of each entry on each device, and the part of it spent waiting
 * for others.
 *
 * A device takes the time when a step begins, which ends the previous one, so that the steps of a
 * call add up to the call. Times are kept as sums, whatever the length of the run, and the steps
 * of the first calls also as events for the trace, up to PROFILE_EVENTS. Without a profile a step
 * costs the call of dtrt_begin_step, which tests one pointer. */
#ifndef DTG_RUNTIME_PROFILE_H
#define DTG_RUNTIME_PROFILE_H
#include "dtrt.h"

enum { PROFILE_EVENTS = 1 << 17 }; /* of a process, 40 bytes each */
enum { PROFILE_RECENT = 100 };     /* calls whose waits are kept one by one */

/* What an entry spends its time on: its steps, [0, nsteps), and then */
enum {
  PROFILE_COPIES,  /* into variables and outputs, after the last step */
  PROFILE_INPUTS,  /* bringing inputs into the arena, and all before the first step */
  PROFILE_CHECKS,  /* looking for NaN in outputs and variables */
  PROFILE_OUTPUTS, /* handing outputs to the host */
  PROFILE_CALL,    /* all of these together */
  PROFILE_PARTS
};

/* Nanoseconds throughout. */
typedef struct ProfileTime {
  int64_t times, ns, waited; /* waited: of ns, in exchanges, for other devices */
} ProfileTime;

typedef struct ProfileEvent {
  int64_t table, part, began, ended, waited;
} ProfileEvent;

/* Of one exchange of an entry: how long the device waited in it in call i, at i % PROFILE_RECENT. */
typedef struct ProfileRecent {
  int64_t axes; /* along which it met others */
  int64_t waited[PROFILE_RECENT];
} ProfileRecent;

typedef struct ProfileTable { /* of an entry that has been called */
  int64_t program, entry, parts;
  int64_t calls, ns; /* ns: from the host's call until its return; of several ranks the mean */
  ProfileTime *time; /* [devices][parts] */
  int64_t nrecent;
  int64_t *nth;          /* [parts] a step's number among the exchanges; -1: it is none */
  ProfileRecent *recent; /* [devices][nrecent] */
} ProfileTable;

/* Of the devices of one process; after profile_collect, on rank 0, of all. */
typedef struct Profile {
  int64_t origin;      /* the clock when it began */
  int64_t first, last; /* when the first call began, and when the last one did or ended */
  int64_t elapsed;     /* collected: from first to last, the mean of all ranks */
  int64_t ntables, devices;
  ProfileTable *table;
  int64_t *nevents;     /* [devices] */
  ProfileEvent **event; /* [devices][nevents] */
  int running;          /* table of the call that runs */
} Profile;

/* Of one device, written by its own thread. */
typedef struct DeviceProfile {
  ProfileTime *time; /* [parts] of the running entry */
  const int64_t *nth;
  ProfileRecent *recent; /* [nrecent] of it */
  int64_t slot;          /* of the running call */
  int64_t table, nsteps;
  int64_t part; /* -1: no call runs */
  int64_t began, since, waited_in_call;
  ProfileEvent *event;
  int64_t nevents, room;
  int keeps; /* the running call as events */
} DeviceProfile;

struct Device;
/* The host's side of a call; -1 when out of memory. */
int profile_call(dtrt_session *s, int program, int entry);
void profile_called(dtrt_session *s, int64_t runs);
/* A device's side. */
void profile_enter(struct Device *d);
void profile_part(struct Device *d, int64_t part);
void profile_leave(struct Device *d);
void profile_close(dtrt_session *s);

/* What all ranks have timed, on rank 0; on others their own. All ranks call. Freed by profile_free.
 */
dtrt_status profile_collect(dtrt_session *s, Profile *out);
void profile_free(Profile *p);
/* `mine` of every rank: on rank 0 in of[1], of[2], ..., malloc'ed; elsewhere these stay NULL. All
 * ranks call, after they have agreed that they can. */
dtrt_status profile_gather(dtrt_session *s, const int64_t *mine, int64_t n, int64_t **of);
/* The devices that others have waited for longest, by exchange, as text, malloc'ed; "" on all ranks
 * but the first. All ranks call. */
dtrt_status profile_stragglers(dtrt_session *s, char **text);
#endif
