/* comm_mpi.c: the devices are MPI ranks, one each.
 *
 * Ranks that can share memory (all on one machine) do: slots and segments lie in POSIX shared
 * memory and the collectives run directly, as between threads. Else, or with DTRT_MPI_SHARED=0, by
 * messages. MPI's blocking calls spin, which is ruinous when ranks outnumber cores: every wait here
 * is a loop of a nonblocking call and comm_pause. POSIX memory is used rather than
 * MPI_Win_allocate_shared because it can be reserved: too small a /dev/shm is then told here, and
 * is not a SIGBUS later. Built into libdtrt_mpi.a and libdtrt-mpi.so; the only file that knows MPI.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "comm.h"

typedef struct Map { /* a stretch of shared memory: a page of header, then `stride` bytes a rank */
  char *at;
  int64_t bytes;
} Map;

typedef struct Mpi {
  Comm comm; /* first */
  MPI_Comm on;
  bool shared;
  _Atomic int failed; /* used when nothing is shared */
  Map control, map[NSEGMENTS];
  char *own[NSEGMENTS]; /* when not shared */
  MPI_Request *request;
  MPI_Status *status; /* unused, but gcc takes MPICH's MPI_STATUSES_IGNORE for an overflow */
  int nrequests, room;
} Mpi;

enum { TAG = 17, PAGE = 4096, CHUNK = 1 << 30 };

static void wait_request(const Comm *c, MPI_Request *r) {
  int done = 0;
  for (unsigned turn = 0; MPI_Test(r, &done, MPI_STATUS_IGNORE), !done; turn++)
    comm_pause(c->spin, turn);
}

static bool all_agree(Mpi *m, bool yes) {
  int mine = yes, all = 0;
  MPI_Request r;
  MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, m->on, &r);
  wait_request(&m->comm, &r);
  return all;
}

/* -------- shared memory -------- */

typedef struct Offer {
  uint64_t nonce; /* also in the header: another machine may have a file of the same name */
  int64_t stride;
  int32_t fine;
  char name[64];
} Offer;

/* Rank 0 makes the file. Every rank reserves its own part, so that the pages are near it. */
static int make_file(Offer *o, int64_t total) {
  FILE *f = fopen("/dev/urandom", "rb");
  size_t got = f ? fread(&o->nonce, sizeof o->nonce, 1, f) : 0;
  if (f) fclose(f);
  if (got != 1) return -1;
  snprintf(o->name, sizeof o->name, "/dtrt-%ld-%016llx", (long)getpid(),
           (unsigned long long)o->nonce);
  int fd = shm_open(o->name, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (fd < 0) return -1;
  if (ftruncate(fd, total) || posix_fallocate(fd, 0, PAGE) ||
      pwrite(fd, &o->nonce, sizeof o->nonce, 0) != sizeof o->nonce) {
    close(fd);
    shm_unlink(o->name);
    return -1;
  }
  o->fine = 1;
  return fd;
}

/* Collective. A stretch with `bytes` for every rank, or {NULL} on all ranks. */
static Map share(Mpi *m, int64_t bytes, int64_t *stride) {
  Map map = {NULL, 0};
  Offer o = {.stride = (bytes + PAGE - 1) / PAGE * PAGE};
  if (o.stride == 0) o.stride = PAGE;
  int64_t total = PAGE + o.stride * m->comm.nranks;
  int fd = -1;
  if (m->comm.rank == 0) fd = make_file(&o, total);
  MPI_Request r;
  MPI_Ibcast(&o, sizeof o, MPI_BYTE, 0, m->on, &r);
  wait_request(&m->comm, &r);
  if (o.fine && m->comm.rank != 0) fd = shm_open(o.name, O_RDWR, 0);
  bool fine =
      o.fine && fd >= 0 && posix_fallocate(fd, PAGE + o.stride * m->comm.rank, o.stride) == 0;
  if (fine) {
    map.at = mmap(NULL, (size_t)total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    map.bytes = total;
    fine = map.at != MAP_FAILED && !memcmp(map.at, &o.nonce, sizeof o.nonce);
    if (map.at == MAP_FAILED) map.at = NULL;
  }
  if (fd >= 0) close(fd);
  fine = all_agree(m, fine);
  if (m->comm.rank == 0 && o.fine) shm_unlink(o.name);
  *stride = o.stride;
  if (fine) return map;
  if (map.at) munmap(map.at, (size_t)map.bytes);
  return (Map){NULL, 0};
}

static void stop_sharing(Mpi *m) {
  m->shared = m->comm.all_direct = false;
  for (int i = 0; i < m->comm.nranks; i++) {
    m->comm.slot[i] = NULL;
    for (int s = 0; s < NSEGMENTS; s++)
      if (i != m->comm.rank) m->comm.segment[s][i] = NULL;
  }
}

static void share_control(Mpi *m) {
  int64_t stride;
  const char *asked = getenv("DTRT_MPI_SHARED");
  if (!all_agree(m, !asked || strcmp(asked, "0") != 0)) return;
  m->control = share(m, sizeof(Slot), &stride);
  if (!m->control.at) return;
  for (int i = 0; i < m->comm.nranks; i++)
    m->comm.slot[i] = (Slot *)(void *)(m->control.at + PAGE + stride * i);
  m->comm.failed = (_Atomic int *)(void *)(m->control.at + 64);
  m->shared = m->comm.all_direct = true;
}

static int mpi_segment(Comm *c, int which, int64_t bytes, char *why) {
  Mpi *m = (Mpi *)(void *)c;
  bool first = c->segment[which][c->rank] == NULL;
  if (m->map[which].at) munmap(m->map[which].at, (size_t)m->map[which].bytes);
  comm_unmap(m->own[which], c->segment_bytes[which]);
  m->map[which] = (Map){NULL, 0};
  m->own[which] = NULL;
  c->segment_bytes[which] = bytes;
  if (m->shared) {
    int64_t stride;
    m->map[which] = share(m, bytes, &stride);
    if (m->map[which].at) {
      for (int i = 0; i < c->nranks; i++)
        c->segment[which][i] = m->map[which].at + PAGE + stride * i;
      return 0;
    }
    if (!first) {
      snprintf(why, COMM_WHY,
               "shared memory for %lld bytes a rank: /dev/shm is too small (DTRT_MPI_SHARED=0 does "
               "without)",
               (long long)bytes);
      return -1;
    }
    stop_sharing(m);
  }
  c->segment[which][c->rank] = m->own[which] = comm_map(bytes);
  if (all_agree(m, m->own[which] != NULL)) return 0;
  snprintf(why, COMM_WHY, "out of memory: %lld bytes for each rank", (long long)bytes);
  return -1;
}

/* -------- messages -------- */

static MPI_Request *new_request(Mpi *m) {
  if (m->nrequests == m->room) {
    int room = m->room ? 2 * m->room : 64;
    MPI_Request *r = realloc(m->request, (size_t)room * sizeof *r);
    if (!r) return NULL;
    m->request = r;
    MPI_Status *s = realloc(m->status, (size_t)room * sizeof *s);
    if (!s) return NULL;
    m->status = s;
    m->room = room;
  }
  return &m->request[m->nrequests++];
}

/* Counts are int in MPI, so long messages go in several; they arrive in order. */
static int mpi_send(Comm *c, int me, int peer, const void *bytes, int64_t n) {
  Mpi *m = (Mpi *)(void *)c;
  (void)me;
  for (int64_t at = 0; at < n; at += CHUNK) {
    MPI_Request *r = new_request(m);
    if (!r) return -1;
    int len = n - at < CHUNK ? (int)(n - at) : CHUNK;
    MPI_Isend((const char *)bytes + at, len, MPI_BYTE, peer, TAG, m->on, r);
  }
  return 0;
}

static int mpi_recv(Comm *c, int me, int peer, void *bytes, int64_t n) {
  Mpi *m = (Mpi *)(void *)c;
  (void)me;
  for (int64_t at = 0; at < n; at += CHUNK) {
    MPI_Request *r = new_request(m);
    if (!r) return -1;
    int len = n - at < CHUNK ? (int)(n - at) : CHUNK;
    MPI_Irecv((char *)bytes + at, len, MPI_BYTE, peer, TAG, m->on, r);
  }
  return 0;
}

static int mpi_finish(Comm *c, int me) {
  Mpi *m = (Mpi *)(void *)c;
  (void)me;
  int done = 0;
  MPI_Testall(m->nrequests, m->request, &done, m->status);
  if (done) m->nrequests = 0;
  return done;
}

static int mpi_faces(Comm *c, const CommFace *mine, CommFace *all) {
  Mpi *m = (Mpi *)(void *)c;
  MPI_Request r;
  MPI_Iallgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, m->on, &r);
  wait_request(c, &r);
  return 0;
}

static void mpi_run(Comm *c, CommJob *job, void *arg) { job(arg, c->first); }

static void mpi_fail(Comm *c, const char *message) {
  (void)c;
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
  /* mpiexec drops what it has not yet read of a rank when it ends it. */
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1); /* of a duplicate, MPICH waits for the others first */
}

static void mpi_close(Comm *c) {
  Mpi *m = (Mpi *)(void *)c;
  int gone = 0;
  MPI_Finalized(&gone);
  if (!gone && m->on != MPI_COMM_NULL) MPI_Comm_free(&m->on);
  for (int i = 0; i < NSEGMENTS; i++) {
    if (m->map[i].at) munmap(m->map[i].at, (size_t)m->map[i].bytes);
    comm_unmap(m->own[i], c->segment_bytes[i]);
    free(c->segment[i]);
  }
  if (m->control.at) munmap(m->control.at, (size_t)m->control.bytes);
  free(c->slot);
  free(m->request);
  free(m->status);
  free(m);
}

/* -------- opening -------- */

/* Ending without MPI_Finalize makes mpiexec end the other ranks: right after a failure, wrong
 * otherwise. */
static void finalize_at_exit(int status, void *unused) {
  (void)unused;
  int gone = 0;
  MPI_Finalized(&gone);
  if (status == 0 && !gone) MPI_Finalize();
}

static bool start_mpi(char *why) {
  int on = 0, gone = 0, level;
  MPI_Initialized(&on);
  MPI_Finalized(&gone);
  if (gone) {
    snprintf(why, COMM_WHY, "transport mpi: MPI has been finalized in this process");
    return false;
  }
  if (on) return true;
  setenv("MPIR_CVAR_SUPPRESS_ABORT_MESSAGE", "1", 0); /* one message is enough */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) {
    snprintf(why, COMM_WHY, "transport mpi: MPI cannot be started");
    return false;
  }
  on_exit(finalize_at_exit, NULL);
  return true;
}

Comm *dtrt_comm_open_mpi(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {.name = "mpi",
                                  .segment = mpi_segment,
                                  .run = mpi_run,
                                  .faces = mpi_faces,
                                  .send = mpi_send,
                                  .recv = mpi_recv,
                                  .finish = mpi_finish,
                                  .fail = mpi_fail,
                                  .close = mpi_close};
  if (!start_mpi(why)) return NULL;
  MPI_Comm on = o->mpi_comm ? *(const MPI_Comm *)o->mpi_comm : MPI_COMM_WORLD;
  int rank, nranks;
  MPI_Comm_rank(on, &rank);
  MPI_Comm_size(on, &nranks);
  if (o->ndevices && nranks != o->ndevices) {
    snprintf(why, COMM_WHY,
             "the mesh has %d devices, but there are %d MPI ranks: start it with mpiexec -n %d",
             o->ndevices, nranks, o->ndevices);
    return NULL;
  }
  Mpi *m = calloc(1, sizeof *m);
  Slot **slot = calloc((size_t)nranks, sizeof *slot);
  char **vars = calloc((size_t)nranks, sizeof *vars),
       **arena = calloc((size_t)nranks, sizeof *arena);
  if (!m || !slot || !vars || !arena) {
    free(m);
    free(slot);
    free(vars);
    free(arena);
    snprintf(why, COMM_WHY, "out of memory");
    return NULL;
  }
  m->comm = (Comm){.verbs = &verbs,
                   .ndevices = nranks,
                   .first = rank,
                   .count = 1,
                   .rank = rank,
                   .nranks = nranks,
                   .spin = sysconf(_SC_NPROCESSORS_ONLN) >= nranks && comm_cores() >= nranks,
                   .failed = &m->failed,
                   .slot = slot,
                   .segment = {vars, arena}};
  MPI_Request r;
  MPI_Comm_idup(on, &m->on, &r); /* so that no message of the host's is mistaken for ours */
  wait_request(&m->comm, &r);
  share_control(m);
  return &m->comm;
}
