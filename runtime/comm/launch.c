/* launch.c: this process among those that mpiexec started, before any session: which one it is, and
 * bytes from rank 0 to all, so that one process compiles for the others. */
#include <stdlib.h>
#include <string.h>
#include "comm.h"
#include "launcher.h"

int dtrt_launch_size(void) { return launcher_find().size; }
int dtrt_launch_rank(void) { return launcher_find().rank; }
int dtrt_launch_local(void) { return launcher_local(); }

static _Thread_local char launch_why[COMM_WHY]; /* there is no session yet to keep it */

const char *dtrt_launch_error(void) { return launch_why; }

/* False when somebody is missing. */
static bool wait_all(Comm *c) {
  CommWait w = {0};
  CommState s = {.waits = 1, .npeers = COMM_MESSAGES, .at = "the compiled program"};
  for (unsigned turn = 0;; turn++) {
    int done = c->verbs->finish(c, c->rank, 0);
    if (done > 0) break;
    if (done < 0) return false;
    comm_pause(c->spin, turn);
    if (!comm_wait_is_long(&w, turn)) continue;
    w.watched = true;
    if (c->verbs->watch(c, c->rank, &s, w.waited, launch_why)) return false;
  }
  if (w.watched) c->verbs->watch(c, c->rank, NULL, 0, NULL);
  return true;
}

/* Rank 0 sends to each: programs are small and this happens once. */
static dtrt_status bcast(Comm *c, void **bytes, int64_t *n) {
  const CommVerbs *v = c->verbs;
  if (c->rank == 0) {
    int bad = 0;
    for (int peer = 1; peer < c->nranks && !bad; peer++)
      bad = v->send(c, 0, 0, peer, n, sizeof *n) || v->send(c, 0, 0, peer, *bytes, *n);
    return bad || !wait_all(c) ? DTRT_NO_MEMORY : DTRT_OK;
  }
  int64_t size = 0;
  if (v->recv(c, c->rank, 0, 0, &size, sizeof size)) return DTRT_NO_MEMORY;
  if (!wait_all(c)) return DTRT_FAILED;
  char *to = malloc(size > 0 ? (size_t)size : 1);
  if (!to) return DTRT_NO_MEMORY;
  if (v->recv(c, c->rank, 0, 0, to, size) || !wait_all(c)) {
    free(to);
    return DTRT_NO_MEMORY;
  }
  *bytes = to;
  *n = size;
  return DTRT_OK;
}

static Comm *open_mpi(int ndevices, const void *mpi_comm) {
  launch_why[0] = 0;
  double timeout = comm_timeout(launch_why);
  if (timeout < 0) timeout = 0; /* which is told when the session opens */
  return comm_open_mpi(
      &(CommOpen){.ndevices = ndevices, .per_rank = 1, .timeout = timeout, .mpi_comm = mpi_comm},
      launch_why);
}

dtrt_status dtrt_launch_place(const void *mpi_comm, int *rank, int *size) {
  if (!rank || !size) return DTRT_INVALID;
  *rank = dtrt_launch_rank();
  *size = dtrt_launch_size();
  if (!mpi_comm) return DTRT_OK;
  Comm *c = open_mpi(0, mpi_comm);
  if (!c) return DTRT_FAILED;
  *rank = c->rank;
  *size = c->nranks;
  c->verbs->close(c);
  return DTRT_OK;
}

dtrt_status dtrt_launch_bcast(const void *mpi_comm, void **bytes, int64_t *n) {
  if (!bytes || !n) return DTRT_INVALID;
  int size = mpi_comm ? 0 : dtrt_launch_size();
  if (size == 1) return DTRT_OK;
  Comm *c = open_mpi(size, mpi_comm);
  if (!c) return DTRT_FAILED;
  dtrt_status s = bcast(c, bytes, n);
  c->verbs->close(c);
  return s;
}
