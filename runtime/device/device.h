/* device.h: what the runtime keeps of each device behind dtrt_device: its place in the mesh, its
 * peers, what it knows of its exchanges; and how it waits and fails. What rooms above do while it
 * waits they leave here as callbacks.
 *
 * A Device is written by its own thread only, but for what is in flight, which a progress thread may
 * take further (exchange/pending.c). What other devices may see of it is its Slot (comm.h). */
#ifndef DTG_RUNTIME_DEVICE_H
#define DTG_RUNTIME_DEVICE_H
#include <setjmp.h>
#include <stdbool.h>
#include "hold.h"
#include "block.h"
#include "comm.h"
#include "places.h"
#include "transfer.h"
#include "crew.h"
#include "team.h"

/* What one of a place combines with what comes from others: a leaf of its own place, or a subtree
 * of another's. */
typedef struct GroupTerm {
  SumNode node;
  int member; /* the leaf; -1: a subtree elsewhere, ... */
  int number; /* ... its number among all of those, place by place */
} GroupTerm;

/* Devices that differ only in some axes, in ascending order. */
typedef struct DeviceGroup {
  uint32_t axes;
  int n, me;                /* me: index of the device whose group it is */
  uint32_t copied;          /* axes along which others of my place do the same (transfer.h) ... */
  struct DeviceGroup *next; /* ... the group of the same members with others */
  bool direct;              /* all can be addressed */
  bool fast;                /* a place has one sum (places.h) */
  struct DeviceGroup *near; /* those that can, along the copied axes too; itself where all can */
  Places *places;           /* of its members; the rest is there unless it is direct: */
  PlacesShape shape;
  GroupTerm *term; /* [nterms] all that is combined, in the order of the tree */
  int nterms;
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

/* What the device does in the exchanges of a program, made when first needed. */
typedef struct TransferTable {
  const dtrt_program *program;
  Transfer **of; /* [n] by exchange: those of the program itself, then those for hosts */
  int n;
} TransferTable;

enum { DEVICE_ERROR = 1024 };
enum { DEVICE_POLLED_BY_NONE, DEVICE_POLLED_BY_ITSELF, DEVICE_POLLED_BY_GUEST };

typedef struct Device {
  dtrt_device pub; /* first: emitted C has a pointer to this */
  int id;
  int32_t coord[DTRT_MAX_AXES];
  /* Of the session that it belongs to, which sets them before device_init. */
  dtrt_session *session;
  const BlockMesh *mesh;
  Comm *comm;
  Team *team;  /* NULL for one device */
  _Atomic int64_t nest; /* the last dtrt_gemm_nest, of all devices */
  Crew *crew;  /* NULL for one core */
  bool tells;  /* a core that helps has failed, and it is for the device to tell other processes */
  char *error; /* [DEVICE_ERROR] why a device of this process failed, and whether that is told */
  bool *told;
  const dtrt_entry *entry; /* running; NULL between calls */
  const char *doing;       /* what a failure happened in, when not a step */
  bool in_entry;
  int64_t run;     /* of the call, from 0 */
  const void **in; /* pub.in, with room for the inputs of any entry */
  int room_in;
  char **out; /* pub.out, the same of outputs */
  int room_out;
  const uint32_t *share; /* [nshared] the program's: shared.c */
  int nshared;
  char **shared;         /* [nshared] pub.shared */
  struct SharedRange {
    int64_t begin, end;
  } *share_range;        /* [nshared] bytes of the segment with what is shared so, which lies together */
  struct DeviceGroup *sharers; /* of this process, those that share any with it; NULL: none */
  TransferTable *transfers; /* [nprograms] */
  int nprograms;
  int program;         /* whose exchanges are running */
  DeviceGroup **group; /* [2 << naxes], made when first needed; the second half: --sums=fast */
  uint64_t count;      /* exchanges begun */
  struct {             /* who last read each stage of the slot, and at which exchange */
    const DeviceGroup *group;
    uint64_t count;
  } stage[COMM_STAGES];
  struct Pending *pending;            /* [DTRT_SLOTS]: pending.h */
  struct ProgressThread *thread;      /* NULL: messages go on by the device's own polls alone */
  _Atomic int under_way;              /* slots with messages that are not over ... */
  void (*progress)(struct Device *d); /* ... and what takes them further, as far as that goes now */
  _Atomic int polled;                 /* DEVICE_...: who does just that */
  struct {
    char *at;
    int64_t bytes;
  } scratch[COMM_LANES];  /* by lane */
  int64_t packing;        /* room that matrix products have taken in its thread */
  /* Counters, which the thread that takes messages further raises, too (device_count). */
  _Atomic int64_t received, sent; /* bytes that I have moved myself; others do it too, see Slot */
  _Atomic int64_t exchanges;      /* that were not local */
  struct {
    _Atomic int64_t exchanges, messages, rounds, bytes; /* bytes: by messages */
  } ran[ALGORITHMS];                                    /* of those */
  bool uncounted;                               /* what moves now is for a host */
  struct DeviceProfile *profile;                /* NULL: nothing is timed */
  int64_t waited;                               /* nanoseconds, while it is timed */
  uint32_t across;                              /* axes along which it met others in this step */
  struct NanCheck *nan;                         /* NULL: no check */
  /* Checks the result of an exchange; NULL: no check. */
  void (*brought)(struct Device *d, int dtype, int64_t n, const void *at);
  dtrt_print_fn *print; /* NULL: to stderr */
  void *print_user;
  int32_t watched; /* the step that runs, for watchers; -1: none yet */
  int32_t shown;   /* of the running entry's values, how many watchers have seen */
  sigjmp_buf jump; /* out of the entry, when this or another device has failed */
} Device;

static inline Device *device_of(dtrt_device *dev) { return (Device *)(void *)dev; }
static inline const BlockMesh *device_mesh(const dtrt_device *dev) {
  return ((const Device *)(const void *)dev)->mesh;
}

int device_init(Device *d); /* 0, or -1 when out of memory */
void device_free(Device *d);
/* Makes room in the tables for the last of so many programs, of so many exchanges with those for
 * hosts. */
int device_add_program(Device *d, int nprograms, const dtrt_program *p, int nexchanges);
const DeviceGroup *device_group(Device *d, uint32_t axes);
/* The same, whose `near` are also those along other axes, all of which are of its place. */
const DeviceGroup *device_group_with(Device *d, uint32_t axes, uint32_t copied);
/* A device with my coordinates on the copied axes: that of copy i with its own on the others. */
int device_copy(const Device *d, uint32_t copied, int device, int i);
void device_group_free(DeviceGroup *g);
void device_places(Collective *c, const DeviceGroup *g); /* its parts that say so, */
void device_teams(Device *d, Transfer *p);               /* and those of its `one` */
/* Where its transfer is kept; NULL there: not made yet (exchange_transfer). */
Transfer **device_transfer(Device *d, const dtrt_exchange *x);
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
/* My stage for these, which no peer reads now; and a peer's. */
char *device_open_stage(Together *t);
const char *device_stage_of(const Together *t, int peer);
/* The addresses of a device's blocks, for its peers: device_address of each. */
uint64_t *device_from(const Together *t, int device);
uint64_t *device_to(const Together *t, int device);
void device_finish(Device *d, int track); /* until all its messages have come and gone */
bool device_finished(Device *d, int track);
__attribute__((noreturn, cold)) void device_messages_failed(Device *d);
/* The same two of an exchange in flight: flags are those of the lane. */
void device_lane_raise(Device *d, int lane, uint64_t flag);
void device_lane_wait(Device *d, const DeviceGroup *g, int lane, uint64_t flag);
bool device_lane_raised(const Device *d, const DeviceGroup *g, int lane, uint64_t flag);
uint64_t device_address(Device *d, const void *at); /* for Slot.from and .to */
char *device_peer(const Device *d, int peer, uint64_t address);
/* The counters of traffic, at each place where bytes move. */
static inline void device_count(_Atomic int64_t *counter, int64_t n) {
  atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}
void device_took(Device *d, int peer, int64_t bytes);          /* from the peer's memory */
void device_gave(Device *d, int peer, int64_t bytes);          /* into the peer's memory */
void device_staged(Device *d, int64_t sent, int64_t received); /* by stages or messages */
void device_counted(const Together *t);                        /* an exchange begins */
dtrt_traffic device_traffic(const Device *d);

/* -------- variables that devices share: shared.c -------- */

/* Once the segments of variables are there. -1: out of memory. */
int device_share(Device *d, const dtrt_program *p);
void device_unshare(Device *d);
/* Where the device's block of a variable is, and whether it is the one that writes it for others. */
char *device_variable(const Device *d, const dtrt_tensor *t);
bool device_writes(const Device *d, const dtrt_tensor *t);
/* The axes along which what lies at `at`, laid out so, is shared; 0: it is not. */
uint32_t device_shared_at(const Device *d, const dtrt_layout *l, const void *at);
/* Where the device has memory of its own for what lies there. */
char *device_apart(const Device *d, uint32_t axes, void *at);

/* -------- failing: fail.c -------- */

/* Reports which device failed in which step and why, stops all others, and leaves the entry. */
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
/* The same for a part of what the device does, on one of its cores. Not within a
 * part. */
int fail_guard_part(Device *d, int core, void (*f)(void *arg), void *arg);
bool fail_in_part(void);
Device *fail_current(void); /* whose entry this thread is in, or NULL */
/* The device whose entry this thread is in becomes another; returns what it was. */
Device *fail_swap(Device *running);
void fail_hold_signals(void); /* once a session; handlers are process-wide and counted */
void fail_release_signals(void);
void fail_alt_stack(bool on); /* on this thread, so that an overflow of the stack can be told */

#endif
