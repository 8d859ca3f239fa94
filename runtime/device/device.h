/* device.h: what the runtime keeps of a session and of each device behind dtrt_device.
 *
 * A Device is written by its own thread only. What others may see of it is its Slot (comm.h). */
#ifndef DTG_RUNTIME_DEVICE_H
#define DTG_RUNTIME_DEVICE_H
#include <setjmp.h>
#include <stdbool.h>
#include "hold.h"
#include "block.h"
#include "comm.h"
#include "messages.h"
#include "transfer.h"
#include "profile.h"
#include "team.h"

/* Devices that differ only in some axes, in ascending order. */
typedef struct DeviceGroup {
  uint32_t axes;
  int n, me;   /* me: index of the device whose group it is */
  bool direct; /* all can be addressed */
  int device[];
} DeviceGroup;

/* Exchanges over the same axes that are done as one: all-reduces, or none of them. */
typedef struct Together {
  struct Device *d;
  const DeviceGroup *g;
  int algorithm; /* ALGORITHM_...; how: by what it was chosen */
  Collective how;
  int lane;  /* 0: they are done at once */
  int stage; /* of the slot, with lane 0 */
  int n;
  const Transfer *const *transfer; /* [n], as the rest */
  const void *const *from;
  void *const *to;
} Together;

/* What was started and has not been awaited. */
typedef struct Flight {
  enum { FLIGHT_NONE, FLIGHT_DIRECT, FLIGHT_MESSAGES, FLIGHT_OVER } state;
  uint64_t uses; /* of the lane, the same on all devices */
  Together all;
  const Transfer *transfer[COMM_BATCH];
  const void *from[COMM_BATCH];
  void *to[COMM_BATCH];
  /* Who may still read the stage of the lane, since which use of it; NULL: nobody. */
  const DeviceGroup *readers;
  uint64_t read_at;
  CollectiveRun run;
  char *scratch;
  int64_t scratch_bytes;
} Flight;

/* A program of a session. Exchanges of the program itself are followed by those that bring whole
 * outputs and variables to a host (under mpi), which have the ids after them. */
typedef struct SessionProgram {
  const dtrt_program *p;
  int nexchanges; /* with those for hosts */
  dtrt_exchange *host;
  dtrt_layout *whole;
  dtrt_dim *dims;
  int *
      first_out; /* [nentries] index in host of the first output of an entry; variables come last */
  int first_var;
} SessionProgram;

typedef struct Device {
  dtrt_device pub; /* first: emitted C has a pointer to this */
  int id;
  int32_t coord[DTRT_MAX_AXES];
  dtrt_session *session;
  Comm *comm;
  const dtrt_entry *entry; /* running; NULL between calls */
  const char *doing;       /* what a failure happened in, when not a step */
  bool in_entry;
  const void **in; /* pub.in, with room for the inputs of any entry */
  int room_in;
  Transfer ***transfer; /* [program][exchange], made when first needed */
  int ntransfers;       /* programs in it */
  int program;    /* whose exchanges are running */
  DeviceGroup **group; /* [1 << naxes], made when first needed */
  uint64_t count; /* exchanges begun */
  struct {        /* who last read each stage of the slot, and at which exchange */
    const DeviceGroup *group;
    uint64_t count;
  } stage[COMM_STAGES];
  int next_stage;
  Flight flight[DTRT_FLIGHTS];
  int under_way; /* flights by messages that are not over */
  char *scratch;
  int64_t scratch_bytes;
  int64_t packing;        /* room that matrix products have taken in its thread */
  int64_t received, sent; /* bytes that I have moved myself; others do it too, see Slot */
  int64_t exchanges;      /* that were not local */
  struct {
    int64_t exchanges, messages, rounds;
  } ran[ALGORITHMS];      /* of those */
  bool uncounted;         /* what moves now is for a host */
  DeviceProfile *profile; /* NULL: nothing is timed */
  struct NanCheck *nan;   /* NULL: nothing is looked for */
  int32_t shown;          /* of the running entry's values, how many watchers have seen */
  sigjmp_buf jump;        /* out of the entry, when this or another device has failed */
} Device;

struct dtrt_session {
  Hold hold; /* by the thread whose call uses it */
  SessionProgram *program; /* [nprograms] */
  int nprograms;
  BlockMesh mesh;
  Comm *comm;
  Team *team;       /* NULL for one device */
  Device *device;   /* [comm->count] */
  Profile *profile; /* NULL: nothing is timed */
  dtrt_watch_fn *watch; /* NULL: nobody looks */
  void *watch_user;
  int check_nan;    /* DTRT_CHECK_OFF ... */
  char found[1024]; /* what that has found, the first; "" nothing */
  uint64_t seed;
  bool handlers; /* signal handlers are held */
  bool opened;
  bool told; /* error says why a device of this process failed */
  char error[1024];
};

static inline Device *device_of(dtrt_device *dev) { return (Device *)(void *)dev; }
static inline const BlockMesh *device_mesh(const dtrt_device *dev) {
  return &((const Device *)(const void *)dev)->session->mesh;
}

int device_init(Device *d, dtrt_session *s, int id); /* 0, or -1 when out of memory */
void device_free(Device *d);
/* Makes room in the tables for the session's programs. */
int device_add_program(Device *d, int nprograms, const SessionProgram *g);
const DeviceGroup *device_group(Device *d, uint32_t axes);
const Transfer *device_transfer(Device *d, const dtrt_exchange *x);
char *device_scratch(Device *d, int64_t bytes); /* contents are lost when it grows */
/* That of a lane: what is in flight keeps its own. */
char *device_lane_scratch(Device *d, int lane, int64_t bytes);

/* -------- waiting: wait.c -------- */

/* What a loop that waits calls, with `turn` from 0 on: devices of the same thread get on meanwhile.
 */
void device_pause(Device *d, unsigned turn);
/* Begins exchange number d->count; each call of dtrt_run_exchange that is not local does this once.
 */
void device_begin(Device *d, bool direct);
void device_arrive(Device *d, const DeviceGroup *g); /* barrier: all have begun this exchange */
void device_leave(Device *d, const DeviceGroup *g);  /* barrier: all have finished it */
/* My stage for these, which nobody reads now; and a peer's. */
char *device_open_stage(Together *t);
const char *device_stage_of(const Together *t, int peer);
/* What a device tells its peers of its blocks: device_address of each. */
uint64_t *device_from(const Together *t, int device);
uint64_t *device_to(const Together *t, int device);
void device_finish(Device *d, int lane); /* until all its messages have come and gone */
__attribute__((noreturn, cold)) void device_messages_failed(Device *d);
/* The same two of an exchange in flight: flags are those of the lane. */
void device_lane_raise(Device *d, int lane, uint64_t flag);
void device_lane_wait(Device *d, const DeviceGroup *g, int lane, uint64_t flag);
uint64_t device_address(Device *d, const void *at); /* for Slot.from and .to */
char *device_peer(const Device *d, int peer, uint64_t address);
/* The counters of traffic, at each place where bytes move. */
void device_took(Device *d, int peer, int64_t bytes);          /* from the peer's memory */
void device_gave(Device *d, int peer, int64_t bytes);          /* into the peer's memory */
void device_staged(Device *d, int64_t sent, int64_t received); /* by stages or messages */
void device_counted(const Together *t);                        /* an exchange begins */
dtrt_traffic device_traffic(const Device *d);

/* -------- watching: watch.c -------- */

/* Shows what is there before step `step` and has not been shown. */
void watch_until(Device *d, int32_t step);
void *watch_at(const Device *d, const dtrt_value *v);
static inline bool device_watched(const Device *d) {
  return d->session->watch || d->session->check_nan == DTRT_CHECK_FULL;
}

/* -------- failing: fail.c -------- */

/* Says which device failed in which step and why, stops all others, and leaves the entry. */
__attribute__((noreturn, cold, format(printf, 2, 3))) void device_fail(Device *d, const char *why,
                                                                       ...);
__attribute__((noreturn, cold)) void device_give_up(Device *d); /* another has failed */
/* The same with a message that names who is missing. */
__attribute__((noreturn, cold)) void device_missing(Device *d, const char *message);
/* "entry `train` at all-reduce of x (model.dtg:14)" */
void fail_place(const Device *d, char *out, size_t room);
static inline bool device_stopped(const Device *d) {
  return atomic_load_explicit(d->comm->failed, memory_order_relaxed) != 0;
}
/* Runs f(d, arg) so that a failure returns here. 0, or -1 after a failure. */
int fail_guard(Device *d, void (*f)(Device *d, void *arg), void *arg);
Device *fail_current(void); /* whose entry this thread is in, or NULL */
/* The device whose entry this thread is in becomes another; returns what it was. */
Device *fail_swap(Device *running);
void fail_hold_signals(void); /* once a session; handlers are process-wide and counted */
void fail_release_signals(void);
void fail_alt_stack(bool on); /* on this thread, so that an overflow of the stack can be told */

/* Room of a thread that multiplies, and what this one has taken of it by now, in bytes. */
int64_t gemm_room_bytes(void);
int64_t gemm_room_taken(void);
void gemm_prepare(int device_threads, char *why); /* why stays "" when all is well */
/* Whether nobody else takes part, and then does all of it. */
bool exchange_alone(const Together *t);
/* Finds the group and the algorithm. */
void exchange_choose(Together *t);
/* Combines the terms of a piece run by run. from: [2 * nterms], the blocks they lie in or dense
 * boxes, and as much room. */
void exchange_settle(const Transfer *p, const Piece *q, const char **from, bool dense, char *to);
void exchange_run(Device *d, const Transfer *p, const void *from, void *to);
/* Looks at what n exchanges have brought. */
void exchange_check(Device *d, int n, const Transfer *const *p, void *const *to);
/* Does them, one or several as one. */
void exchange_do(Together *t);
/* Puts the first of n exchanges that can go as one into `t`, whose transfers are in p [COMM_BATCH].
 */
void exchange_gather(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                     void *const *to, const Transfer **p, Together *t);
/* Takes flights by messages further, as far as that goes without waiting. */
void flights_turn(Device *d);

#endif
