/* comm_mpi.h: what the files of the MPI transport share. The only ones that know MPI; they make
 * libdtrt_mpi.a and libdtrt-mpi.so, and call nothing of libdtrt but comm.c.
 *
 * R processes own T devices each: rank r owns devices rT to rT + T - 1, one a thread. MPI is
 * entered by one thread at a time, behind `mutex`, and never by a call that blocks, so
 * It is initialized with MPI_THREAD_SERIALIZED. MPI's blocking calls spin, which is ruinous
 * when ranks outnumber cores: every wait is a loop of a nonblocking call and comm_pause. */
#ifndef DTG_RUNTIME_COMM_MPI_H
#define DTG_RUNTIME_COMM_MPI_H
#include <mpi.h>
#include <pthread.h>
#include "comm.h"

#ifdef OPEN_MPI
#define MPI_IS_OPEN true
#else
#define MPI_IS_OPEN false
#endif

typedef struct Map { /* a stretch of shared memory: a page of header, then `stride` bytes a device
                      */
  char *at;
  int64_t bytes;
} Map;

typedef struct Box { /* messages of a device and track that are under way */
  MPI_Request *request;
  int *peer;
  int n, room, done; /* done: so many, from the first on */
  bool broken;       /* one has failed, which whoever asks is told */
} Box;

typedef struct ShareOffer { /* a file in shared memory, of the first rank of a machine */
  uint64_t nonce;      /* also in its header: another machine may have a file of the same name */
  int64_t stride;
  int32_t fine;
  char name[64];
} ShareOffer;

typedef struct Life Life;

typedef struct Mpi {
  Comm comm;      /* first */
  MPI_Comm given; /* the host's */
  MPI_Comm on;    /* ours: no message of the host's is mistaken for one of ours; at first `given` */
  pthread_mutex_t mutex;
  Box *box; /* [count][COMM_LANES * COMM_TRACKS] */
  /* comm_mpi_share.c */
  int *index;  /* [ndevices] of a device among those of this machine; -1: of another */
  int on_host; /* devices of this machine */
  int leader;  /* the first rank of this machine */
  bool shared;
  bool leaves;        /* all ranks end together, once this is closed */
  _Atomic int failed; /* used when nothing is shared */
  Slot *own_slots;    /* likewise, [count] */
  Map control, map[NSEGMENTS];
  Life *life; /* comm_mpi_life.c */
  /* comm_mpi_watch.c */
  CommState *state; /* [count] */
  CommState *reply; /* [ndevices], of the devices that have answered */
  char *got;        /* [nranks] who has */
  int64_t asked;    /* number of the last query */
  struct StateAnswer *answers;
  bool asking;
  double stand_down; /* until when another rank is asking */
  int fruitless;     /* times in a row that no rank was missing */
  int32_t *pid;      /* [nranks] */
  double slow;       /* seconds of a wait after which a warning names who is missing; 0: never */
} Mpi;

enum { MPI_PAGE = 4096, MPI_TAG_FACE = 17, MPI_TAG_ASK, MPI_TAG_ANSWER, MPI_TAG_DEVICES };
/* Of messages between devices there is a tag for each pair of two processes and each lane, where
 * MPI has so many: it promises 32767, which are enough for one lane. */
enum { MPI_MOST_PER_RANK = 128 };

static inline Box *mpi_box(Mpi *m, int device, int track) {
  return &m->box[(device - m->comm.first) * COMM_LANES * COMM_TRACKS + track];
}

/* MPI_Init, once a process. False with a reason. */
bool mpi_start(double timeout, char *why);
/* MPI_Finalize, if mpi_start has started MPI; once all ranks have agreed to end. */
void mpi_end(void);
/* Ends all ranks, without a word. May return. */
void mpi_abort_quietly(int status);

/* Everyone's `bytes` in the order of ranks, through rank 0, which so knows who is missing. */
int mpi_gather(Mpi *m, const void *mine, void *all, int bytes, const char *at, double timeout,
               char *why);
/* Collective, once all are known to be there. */
bool mpi_all_agree(Mpi *m, bool yes);
/* Waits for one request; ranks that died meanwhile end all. */
void mpi_must_wait(Mpi *m, MPI_Request *r);
/* Says the message and ends all ranks; may return. */
void mpi_fail(Comm *c, const char *message);

/* What ranks report when they open. */
typedef struct Hello {
  char host[COMM_HOST];
  uint64_t memory; /* what names the memory that ranks may share: machine, and its /dev/shm */
  cpu_set_t cores;
  int32_t ndevices, per_rank, pid;
} Hello;
void mpi_hello(Hello *h);
/* Who is on this machine. */
void mpi_share_hosts(Mpi *m, const Hello *all);
/* Tables of this machine, and slots; once hosts are known. -1 with why. */
int mpi_share_open(Mpi *m, char *why);
void mpi_share_close(Mpi *m);
/* Makes the file of an offer, `total` bytes, and leaves it open; -1. */
int mpi_make_file(ShareOffer *o, int64_t total);
int mpi_segment(Comm *c, int which, int64_t bytes, char *why);

/* Collective, once hosts are known: how deaths will show. False with why: a rank is missing. */
bool mpi_life_open(Mpi *m, char *why);
/* -1 with why: a rank has died. Polls a few times a second, however often it is called. */
int mpi_life_look(Mpi *m, const CommState *from, char *why);
/* Of a host one rank reports why all end; the others wait here, and go on only if that has not ended
 * them. */
void mpi_life_await_word(const Mpi *m);
void mpi_life_close(Mpi *m); /* in order */

int mpi_watch(Comm *c, int me, const CommState *state, double waited, char *why);
/* The same of the process itself, while no device runs. */
int mpi_watch_all(Mpi *m, const CommState *state, double waited, double timeout, char *why);
/* Queries and answers not received yet. */
void mpi_watch_drop(Mpi *m);
void mpi_watch_close(Mpi *m);

#endif
