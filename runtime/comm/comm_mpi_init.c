/* comm_mpi_init.c: starting MPI, once a process, and ending it.
 *
 * MPI_Init returns when all ranks have called it. A rank that never does cannot be named from
 * within MPI, so a thread watches the clock meanwhile, and searches the processes that the same
 * launcher has started on this machine for ranks that have not come as far (docs/clusters.md). */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "comm_mpi.h"
#include "launcher.h"

/* -------- who has come: a name in the abstract namespace of sockets, gone with its process
 * -------- */

static socklen_t presence_name(struct sockaddr_un *a, long pid) {
  memset(a, 0, sizeof *a);
  a->sun_family = AF_UNIX;
  int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "dtrt-starts-%ld", pid);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int say_present(void) {
  struct sockaddr_un a;
  socklen_t n = presence_name(&a, (long)getpid());
  int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s >= 0 && bind(s, (struct sockaddr *)(void *)&a, n)) {
    close(s);
    return -1;
  }
  return s;
}

static bool is_present(long pid) {
  struct sockaddr_un a;
  socklen_t n = presence_name(&a, pid);
  int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool is = s >= 0 && connect(s, (struct sockaddr *)(void *)&a, n) == 0;
  if (s >= 0) close(s);
  return is;
}

/* -------- who has not: among the descendants of the launcher -------- */

static long read_proc(long pid, const char *what, char *text, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", pid, what);
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, room - 1, f) : 0;
  if (f) fclose(f);
  text[n] = 0;
  return (long)n;
}

/* "pid (name) state parent ..." */
static long parent_of(long pid, char *name, size_t room, char *state) {
  char text[512];
  long parent = 0;
  if (!read_proc(pid, "stat", text, sizeof text)) return 0;
  char *open = strchr(text, '('), *end = strrchr(text, ')');
  if (!open || !end || sscanf(end + 1, " %c %ld", state, &parent) != 2) return 0;
  snprintf(name, room, "%.*s", (int)(end - open - 1), open + 1);
  return parent;
}

/* What starts the ranks of a host: of hydra, Slurm and Open MPI. */
static bool is_launcher(const char *name) {
  static const char *const names[] = {"hydra_pmi_proxy", "slurmstepd", "mpirun",
                                      "mpirun.openmpi",  "mpiexec",    "mpiexec.openmp",
                                      "orterun",         "orted"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

static long launcher_of(long pid) {
  char name[32], state;
  for (int i = 0; i < 64 && pid > 1; i++) {
    pid = parent_of(pid, name, sizeof name, &state);
    char own[32];
    if (pid > 1 && parent_of(pid, own, sizeof own, &state) && is_launcher(own)) return pid;
  }
  return 0;
}

static int rank_of(long pid) {
  static char text[1 << 16]; /* used by one thread */
  static const char *const names[] = {"PMI_RANK=", "PMIX_RANK=", "SLURM_PROCID="};
  long n = read_proc(pid, "environ", text, sizeof text);
  for (long at = 0; at < n; at += (long)strlen(text + at) + 1)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (!strncmp(text + at, names[i], strlen(names[i])))
        return atoi(text + at + strlen(names[i]));
  return -1;
}

/* Ranks of this launcher on this machine, by rank: here (1), or not and which process (2). */
typedef struct Absent {
  int rank;
  long pid;
  char name[32], state;
} Absent;

enum { MOST_ABSENT = 8 };

/* The last process of each rank counts: wrappers come before what they start. `first`: whether I am
 * the lowest of those that are here. */
static int look_for_absent(Absent *list, bool *first) {
  long launcher = launcher_of(getpid());
  DIR *d = launcher ? opendir("/proc") : NULL;
  int n = 0, here[256], nhere = 0, own = rank_of(getpid());
  *first = true;
  for (struct dirent *e; d && (e = readdir(d));) {
    long pid = isdigit((unsigned char)e->d_name[0]) ? atol(e->d_name) : 0;
    if (pid <= 0 || launcher_of(pid) != launcher) continue;
    Absent a = {.rank = rank_of(pid), .pid = pid};
    if (a.rank < 0 || !parent_of(pid, a.name, sizeof a.name, &a.state)) continue;
    if (is_present(pid)) {
      if (nhere < 256) here[nhere++] = a.rank;
      if (a.rank < own) *first = false;
      continue;
    }
    int at = 0;
    while (at < n && list[at].rank != a.rank) at++;
    if (at == MOST_ABSENT || (at < n && list[at].pid > pid)) continue;
    list[at] = a;
    if (at == n) n++;
  }
  if (d) closedir(d);
  int kept = 0;
  for (int i = 0; i < n; i++) {
    bool is = false;
    for (int k = 0; k < nhere; k++) is = is || here[k] == list[i].rank;
    if (!is) list[kept++] = list[i];
  }
  return kept;
}

static void tell(double seconds) {
  char host[COMM_HOST] = "?", text[1024];
  const launcher own = launcher_find();
  Absent absent[MOST_ABSENT];
  bool first;
  int n = look_for_absent(absent, &first);
  /* One rank reports it; the others if it cannot. */
  if (!first) nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
  gethostname(host, sizeof host - 1);
  int at = 0;
  for (int i = 0; i < n; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%srank %d on host %s (process %ld, %s%s)",
                   i == 0       ? ""
                   : i + 1 == n ? " and "
                                : ", ",
                   absent[i].rank, host, absent[i].pid, absent[i].name,
                   absent[i].state == 'T' ? ", stopped" : "");
  if (n)
    fprintf(stderr, "%s did not reach MPI_Init within %g s\n", text, seconds);
  else
    fprintf(stderr,
            "rank %d of %d: MPI_Init has been waiting for ranks of other hosts for %g s; all ranks "
            "of host %s have reached it\n",
            own.rank, own.size, seconds, host);
  fflush(stderr);
}

/* -------- the watch -------- */

typedef struct InitWatch {
  pthread_mutex_t mutex;
  pthread_cond_t end;
  pthread_t thread;
  bool ended, on;
  double timeout;
} InitWatch;

static void *watch_main(void *arg) {
  InitWatch *w = arg;
  struct timespec t;
  double end = comm_now() + w->timeout;
  t.tv_sec = (time_t)end;
  t.tv_nsec = (long)((end - (double)t.tv_sec) * 1e9);
  pthread_mutex_lock(&w->mutex);
  int late = 0;
  while (!w->ended && late != ETIMEDOUT) late = pthread_cond_timedwait(&w->end, &w->mutex, &t);
  bool ended = w->ended;
  pthread_mutex_unlock(&w->mutex);
  if (ended) return NULL;
  tell(w->timeout);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* mpiexec still has to read it */
  _exit(1);
}

static void watch_start(InitWatch *w, double timeout) {
  pthread_condattr_t a;
  *w = (InitWatch){.timeout = timeout};
  if (timeout <= 0) return;
  pthread_condattr_init(&a);
  pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
  pthread_cond_init(&w->end, &a);
  pthread_condattr_destroy(&a);
  pthread_mutex_init(&w->mutex, NULL);
  w->on = pthread_create(&w->thread, NULL, watch_main, w) == 0;
}

static void watch_end(InitWatch *w) {
  if (!w->on) return;
  pthread_mutex_lock(&w->mutex);
  w->ended = true;
  pthread_cond_signal(&w->end);
  pthread_mutex_unlock(&w->mutex);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->end);
  pthread_mutex_destroy(&w->mutex);
}

/* -------- the end -------- */

/* A byte from and to every rank, then a barrier: no messages are pending any more. Ranks that do
 * not come are not waited for long; they have their own reasons. */
static bool meet_all(void) {
  enum { TAG = 32767, SECONDS = 20 };
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) return false;
  char *bytes = calloc((size_t)ranks + 1, 1);
  MPI_Request *r = calloc(2 * (size_t)ranks + 1, sizeof *r);
  double end = comm_now() + SECONDS;
  for (int k = 0; bytes && r && k < ranks; k++) {
    MPI_Irecv(bytes + k, 1, MPI_BYTE, k, TAG, MPI_COMM_WORLD, &r[2 * k]);
    MPI_Isend(bytes + ranks, 1, MPI_BYTE, k, TAG, MPI_COMM_WORLD, &r[2 * k + 1]);
  }
  int at = 0; /* those before it are done */
  while (bytes && r && at < 2 * ranks && comm_now() < end) {
    int done = 0;
    if (MPI_Test(&r[at], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (done)
      at++;
    else
      sched_yield();
  }
  bool all = at == 2 * ranks;
  MPI_Request met = MPI_REQUEST_NULL;
  int together = 0;
  if (all && MPI_Ibarrier(MPI_COMM_WORLD, &met) == MPI_SUCCESS)
    for (; !together && comm_now() < end; sched_yield())
      if (MPI_Test(&met, &together, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
  if (!all) return false; /* what is under way still has its memory */
  free(r);
  free(bytes);
  return together;
}

/* Over connections MPICH over UCX hangs in MPI_Finalize now and then (seen with 4.0.2 and 1.13): a
 * rank that has closed its connections waits in the launcher's barrier and moves nothing more,
 * while another waits for it. So where there are several hosts, or one without memory between its
 * processes, ranks meet, and then take their leave of hydra in its own words (PMI, version 1).
 * False: that is not how it is here. */
static bool leave_hydra(void) {
  static const char bye[] = "cmd=finalize\n";
  const launcher_hydra hydra = launcher_find_hydra();
  char answer[256];
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool by_memory = hydra.here == ranks && !launcher_without_memory();
  if (!hydra.here || hydra.socket < 0 || by_memory || !meet_all()) return false;
  struct pollfd p = {.fd = hydra.socket, .events = POLLIN};
  return send(p.fd, bye, sizeof bye - 1, MSG_NOSIGNAL) == (ssize_t)sizeof bye - 1 &&
         poll(&p, 1, 5000) == 1 && read(p.fd, answer, sizeof answer) > 0;
}

typedef enum Stage { STAGE_NONE, STAGE_STARTED, STAGE_ENDED, STAGE_ABORTED } Stage;
static Stage mpi_stage; /* of MPI as mpi_start has started it, once a process */

void mpi_end(void) {
  int gone = 0;
  MPI_Finalized(&gone);
  if (mpi_stage != STAGE_STARTED || gone) return;
  mpi_stage = STAGE_ENDED;
  if (!leave_hydra()) MPI_Finalize();
}

/* MPI_Abort has the launcher end all ranks with this status, also where it would not notice a
 * process that ends by itself. But MPICH writes "Abort(1) on node 0 ..." under the message
 * already, whatever MPIR_CVAR_SUPPRESS_ABORT_MESSAGE is, so nothing can be written meanwhile. */
void mpi_abort_quietly(int status) {
  fflush(NULL);
  if (launcher_home())
    _exit(status); /* dtgc launch knows whose status this is, and ends the others */
  /* mpiexec drops what it has not yet read of a rank when it ends it. */
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  mpi_stage = STAGE_ABORTED;
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC), was = dup(STDERR_FILENO);
  if (null >= 0) dup2(null, STDERR_FILENO);
  MPI_Abort(MPI_COMM_WORLD, status); /* of a duplicate, MPICH waits for the others first */
  if (was >= 0) dup2(was, STDERR_FILENO);
  if (was >= 0) close(was);
  if (null >= 0) close(null);
}

/* A process that ends with a failure ends all; why was told before. */
static void finalize_at_exit(int status, void *unused) {
  (void)unused;
  int gone = 0, ranks = 1;
  MPI_Finalized(&gone);
  if (gone || mpi_stage != STAGE_STARTED) return;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (status == 0)
    mpi_end();
  else if (ranks > 1)
    mpi_abort_quietly(status);
}

/* MPI_Abort notifies the launcher, and then ends this process by exit. A launcher that sees the
 * second before it has read the first takes it for a crash, and reports that at length: it is given
 * time to end us itself. */
static void linger_at_exit(int status, void *unused) {
  (void)unused;
  if (status && mpi_stage == STAGE_ABORTED)
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
}

/* What is sent was mostly asked for before, in pieces of which few are under way, so between hosts
 * that are joined by Ethernet a message need not ask whether it may come: over 1.1 ms that halved
 * an all-reduce of 1 MiB. MPICH over UCX is told so; what the user has set stays. Fast networks
 * write past the CPU, and ask for it. */
static void need_not_ask(void) {
  const launcher_hydra hydra = launcher_find_hydra();
  const bool several = hydra.here > 0 && atoi(hydra.size) > hydra.here;
  if (several && access("/sys/class/infiniband", F_OK)) setenv("UCX_RNDV_THRESH", "1m", 0);
}

bool mpi_start(double timeout, char *why) {
  int on = 0, gone = 0, level;
  MPI_Initialized(&on);
  MPI_Finalized(&gone);
  if (gone || mpi_stage > STAGE_STARTED) {
    snprintf(why, COMM_WHY, "transport mpi: MPI has been finalized in this process");
    return false;
  }
  if (on) return true;
  InitWatch w;
  int present = say_present();
  watch_start(&w, timeout);
  need_not_ask();
  int bad = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  watch_end(&w);
  if (present >= 0) close(present);
  if (bad != MPI_SUCCESS) {
    snprintf(why, COMM_WHY, "transport mpi: MPI cannot be started");
    return false;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* our own message is clearer */
  mpi_stage = STAGE_STARTED;
  on_exit(linger_at_exit, NULL); /* runs after the next, which is registered later */
  on_exit(finalize_at_exit, NULL);
  return true;
}
