/* comm.h: the verbs of a transport, and what devices that share memory see of each other.
 *
 * A transport (self, threads, mpi) starts devices and gives two ways to a peer, and the collectives
 * are written once over them: direct    the peer's memory can be read and written here: its Slot
 * and segments are in the tables. Threads of one process; MPI ranks of one node. messages  it
 * cannot: send, recv, finish. A peer is a device, whichever process it lives in, so that a process
 * may own several.
 *
 * Every device runs the same exchanges in the same order, whatever their groups, so the number of
 * an exchange is the same on all: exchange e arrives by the flag 2e+1, and is over for a device by
 * 2e+2. */
#ifndef DTG_RUNTIME_COMM_H
#define DTG_RUNTIME_COMM_H
#include <stdatomic.h>
#include <stdbool.h>
#include "algorithm.h"
#include "raised.h"
#include "dtrt.h"

enum {
  COMM_STAGES = 4,
  COMM_APART = 128, /* what two cores write is so far apart: lines are fetched in pairs */
  COMM_LANES = 1 + DTRT_SLOTS, /* lane 0: exchanges that are done at once */
  COMM_TRACKS = 8,             /* of a lane: lane * COMM_TRACKS and on */
  COMM_WHY = 512,              /* bytes of a reason */
  COMM_AT = 160,               /* bytes of a place in a program */
  COMM_PEERS = 14,
  COMM_HOST = 64 /* bytes of a host's name */
};
enum { SEGMENT_VARS, SEGMENT_ARENA, NSEGMENTS };

/* An exchange in flight (pending.c), of one device. */
typedef struct Lane {
  _Alignas(COMM_APART) Raised flag; /* 2n-1: the n-th of this lane has begun; 2n: it is over */
  uint64_t from[COMM_BATCH], to[COMM_BATCH];
  char stage[COMM_LANE_BYTES];
} Lane;

/* One a device. Only its device writes to it, but for the counters. */
typedef struct Slot {
  _Alignas(COMM_APART) Raised flag;
  /* Bytes that others have read here, and have written here. */
  _Alignas(COMM_APART) _Atomic int64_t taken, given;
  _Alignas(COMM_APART) uint64_t from[COMM_BATCH],
      to[COMM_BATCH]; /* see device_address */
  _Alignas(COMM_APART) char stage[COMM_STAGES][COMM_STAGE_BYTES];
  Lane lane[DTRT_SLOTS];
} Slot;

/* What processes must agree on before any of them waits for another, as hashes (program_check.c),
 * and where each is at that time. */
enum {
  COMM_MESH,
  COMM_VARS,
  COMM_ENTRIES,
  COMM_EXCHANGES,
  COMM_LINKS,
  COMM_SEED,
  COMM_CODE,
  COMM_FACES
};
typedef struct CommFace {
  char at[COMM_AT]; /* "barrier `saved`" */
  uint64_t hash[COMM_FACES];
} CommFace;

/* Where a device that has waited for long is, and for whom: reported to processes that search for
 * the one that is missing (comm_mpi_watch.c). */
typedef struct CommState {
  int32_t waits;  /* 0: it computes, or is in code of the host */
  int32_t npeers; /* COMM_ALL: for any other device; COMM_MESSAGES: for those of its messages */
  int32_t peer[COMM_PEERS]; /* the first of them */
  char at[COMM_AT];         /* "entry `train` at all-reduce of x (model.dtg:14)" */
} CommState;
enum { COMM_ALL = -1, COMM_MESSAGES = -2 };

typedef struct Comm Comm;

typedef struct CommVerbs {
  const char *name;
  /* (Re)allocates a segment of every device of this process, zeroed; collective over processes. 0,
   * or -1 with a reason. */
  int (*segment)(Comm *c, int which, int64_t bytes, char *why);
  /* Every process's face, in the order of ranks; collective over processes. NULL where there is
   * only one. -1 with a reason when a process has not come in time. */
  int (*faces)(Comm *c, const CommFace *mine, CommFace *all /* [nranks] */, double timeout,
               char *why);
  /* Messages. Those of one lane, from one device to another, come in the order in which they were
   * sent, whatever its tracks; lanes know nothing of each other. The bytes must stay until finish
   * returns 1: all of that track have come and gone. `finish` makes progress and never blocks. Both
   * return -1 when out of memory; finish, when messages cannot come any more. */
  int (*send)(Comm *c, int me, int track, int peer, const void *bytes, int64_t n);
  int (*recv)(Comm *c, int me, int track, int peer, void *bytes, int64_t n);
  int (*finish)(Comm *c, int me, int track);
  /* Device `me` has waited for so long, and still does (state), or no longer (NULL). -1 with a
   * reason that names who is missing, once Comm.timeout is over. NULL where there is only one
   * process. */
  int (*watch)(Comm *c, int me, const CommState *state, double waited, char *why);
  /* Stops the other processes; may not return. */
  void (*fail)(Comm *c, const char *message);
  /* All processes have agreed to end, so closing ends in order whatever the exit status will be.
   * NULL where there is only one. */
  void (*leave)(Comm *c);
  void (*close)(Comm *c);
} CommVerbs;

struct Comm {
  const CommVerbs *verbs;
  int ndevices;              /* of the mesh */
  int first, count;          /* devices of this process */
  int rank, nranks;          /* processes; each owns `count` devices, in the order of ranks */
  int nhosts;                /* machines that they run on */
  char (*host)[COMM_HOST];   /* [nranks] where each runs; NULL where there is only one */
  double timeout;            /* seconds that a process may be waited for; 0: no limit */
  int beside;                /* devices of this host that share CPUs with mine, those included */
  int before;                /* of these, how many come before mine */
  bool spin;                 /* there is a core for every device: waiting may spin a little */
  _Atomic int *failed;       /* set once by the first device that fails; shared as the slots are */
  bool all_direct;           /* every device is addressable here */
  /* [ndevices] of a device, which memory it is in: those of equal numbers read each other's. The
   * same on all processes. NULL: there is one. */
  int *place;
  int lanes;                 /* that messages can have: COMM_LANES or 1 */
  bool any_thread;           /* messages may be taken further by threads other than a device's own */
  Slot **slot;               /* [ndevices]; NULL where not addressable */
  char **segment[NSEGMENTS]; /* [ndevices] */
  int64_t segment_bytes[NSEGMENTS];
};

typedef struct CommOpen {
  int ndevices;         /* 0: as many as there are ranks (mpi) */
  int per_rank;         /* devices of a process; 0: as many as come out even */
  double timeout;       /* seconds; 0: none */
  double slow;          /* seconds of a wait after which a warning names who is awaited; 0: never */
  const void *mpi_comm; /* MPI_Comm *, or NULL */
} CommOpen;

/* 600 s, or $DTRT_TIMEOUT; 0: none. Less than 0 when that is no number, with a reason. */
double comm_timeout(char *why);
/* 10 s, or $DTRT_SLOW: CommOpen.slow. Less than 0 likewise. */
double comm_slow(char *why);

/* Each returns NULL with a reason in why. The tables are the transport's, freed by close. */
Comm *comm_open_self(const CommOpen *o, char *why);
Comm *comm_open_threads(const CommOpen *o, char *why);
/* In comm_mpi.c, which is linked in (libdtrt_mpi.a) or loaded (libdtrt-mpi.so): calls nothing of
 * libdtrt. */
Comm *dtrt_comm_open_mpi(const CommOpen *o, char *why);
/* Finds the above. */
Comm *comm_open_mpi(const CommOpen *o, char *why);
bool comm_under_mpi(void); /* whether mpiexec or srun started this process among others */

/* What loops that wait call: a short pause at first, then the core is given away, then short
 * sleeps. `turn` counts from 0. */
void comm_pause(bool spin, unsigned turn);
/* Whether they do so still, where they can sleep until they are woken (raised.h). */
bool comm_awake(bool spin, unsigned turn);
int comm_cores(void);
double comm_now(void); /* seconds of a clock that only goes forward */

/* How long a loop has waited. Time in which the process itself was stopped does not count. */
typedef struct CommWait {
  double waited, last;
  bool watched; /* the transport knows of it */
} CommWait;
/* Whether it is time to poll the other processes: some 20 times a second, once a wait is a long
 * one.
 */
bool comm_wait_is_long(CommWait *w, unsigned turn);

/* Memory for a large block: zeroed, 64-byte aligned, on huge pages when it is large, not
 * touched yet. */
char *comm_map(int64_t bytes);
void comm_unmap(char *at, int64_t bytes);

#endif
