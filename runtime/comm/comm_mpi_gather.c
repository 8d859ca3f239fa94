/* comm_mpi_gather.c: what ranks do all together while they open and between entries: gather and
 * agree. Waits are loops of a call that does not block, and watched, so that a rank that does not
 * come is named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "comm_mpi.h"

/* Waits for requests of the process itself; `from` is the rank it waits for, or COMM_ALL. -1 with a
 * reason after `timeout` (0: none). */
static int mpi_wait(Mpi *m, int n, MPI_Request *r, const int *from, const char *at, double timeout,
                    char *why) {
  CommWait w = {0};
  for (unsigned turn = 0;; turn++) {
    CommState s = {.waits = 1};
    int left = 0;
    for (int i = 0; i < n; i++) {
      int done = 1;
      if (r[i] != MPI_REQUEST_NULL && MPI_Test(&r[i], &done, MPI_STATUS_IGNORE)) {
        if (why) snprintf(why, COMM_WHY, "messages at %.*s have failed", COMM_AT, at);
        return -1;
      }
      left += !done;
      if (done) continue;
      if (from[i] == COMM_ALL) s.npeers = COMM_ALL;
      if (s.npeers >= 0 && s.npeers < COMM_PEERS) s.peer[s.npeers++] = from[i] * m->comm.count;
    }
    if (!left) break;
    comm_pause(m->comm.spin, turn);
    if (!comm_wait_is_long(&w, turn)) continue;
    w.watched = true;
    snprintf(s.at, sizeof s.at, "%s", at);
    if (mpi_watch_all(m, &s, w.waited, timeout, why)) return -1;
  }
  if (w.watched) mpi_watch_all(m, NULL, 0, 0, NULL);
  return 0;
}

/* Buffers of a gather that has failed stay, since MPI may still write there. */
int mpi_gather(Mpi *m, const void *mine, void *all, int bytes, const char *at, double timeout,
               char *why) {
  int n = m->comm.nranks, me = m->comm.rank, late = 0;
  MPI_Request *r = calloc((size_t)n, sizeof *r), whole;
  int *from = calloc((size_t)n, sizeof *from);
  char *to = calloc((size_t)n, (size_t)bytes);
  snprintf(why, COMM_WHY, "out of memory");
  if (!r || !from || !to) return free(r), free(from), free(to), -1;
  for (int i = 0; i < n; i++) {
    r[i] = MPI_REQUEST_NULL;
    from[i] = i;
    if (me == 0 && i > 0)
      MPI_Irecv(to + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, i, MPI_TAG_FACE, m->on, &r[i]);
  }
  memcpy(to + (size_t)me * (size_t)bytes, mine, (size_t)bytes);
  if (me)
    MPI_Isend(to + (size_t)me * (size_t)bytes, bytes, MPI_BYTE, 0, MPI_TAG_FACE, m->on, &r[0]);
  late = mpi_wait(m, n, r, from, at, timeout, why);
  if (late) return -1;
  /* All ranks are present now, or will be: rank 0 reports. */
  MPI_Datatype face;
  MPI_Type_contiguous(bytes, MPI_BYTE, &face);
  MPI_Type_commit(&face);
  MPI_Ibcast(to, n, face, 0, m->on, &whole);
  MPI_Type_free(&face);
  late = mpi_wait(m, 1, &whole, (int[]){me ? 0 : COMM_ALL}, at, timeout, why);
  if (late) return -1;
  memcpy(all, to, (size_t)n * (size_t)bytes);
  free(r);
  free(from);
  free(to);
  return 0;
}

/* A thread that failed inside MPI may hold the mutex. */
void mpi_fail(Comm *c, const char *message) {
  Mpi *m = (Mpi *)(void *)c;
  struct timespec soon;
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec++;
  int held = pthread_mutex_timedlock(&m->mutex, &soon);
  mpi_abort_quietly(1);
  if (!held) pthread_mutex_unlock(&m->mutex);
}

/* Ranks that died meanwhile end all: the others cannot proceed without their message. */
void mpi_must_wait(Mpi *m, MPI_Request *r) {
  char why[COMM_WHY];
  if (mpi_wait(m, 1, r, (int[]){COMM_ALL}, "opening", 0, why)) mpi_fail(&m->comm, why);
}

bool mpi_all_agree(Mpi *m, bool yes) {
  int mine = yes, all = 0;
  MPI_Request r;
  MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, m->on, &r);
  mpi_must_wait(m, &r);
  return all;
}
