/* comm_mpi_life.c: which ranks are dead. A killed rank sends nothing, and not every launcher
 * ends the others then, so waiting ranks check, within seconds of its death:
 *
 *   of one host   every rank holds a lock on its byte of a file in shared memory, which the kernel
 *                 releases with the process; before it closes in order it leaves a mark there
 *   of others     the first rank of each host has a connection to rank 0, which ends with either
 *
 * Neither is needed: where there is no shared memory, or no way to rank 0, the timeout remains. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "comm_mpi_life.h"

static const double life_seconds = 0.2; /* between two checks */

/* The first rank of this host that has neither its lock nor a mark; -1: none. */
static int find_dead(const Mpi *m, const Life *l) {
  const Comm *c = &m->comm;
  for (int i = 0; l->mark && i < c->nranks; i++) {
    struct flock its = life_lock(i);
    if (m->index[i * c->count] < 0 || i == c->rank || atomic_load(&l->mark[i].left)) continue;
    if (fcntl(l->fd, F_GETLK, &its) == 0 && its.l_type == F_UNLCK && !atomic_load(&l->mark[i].left))
      return i;
  }
  return -1;
}

/* The rank at the other end of a line that ended without a word; -1: none. */
static int find_cut(Life *l) {
  for (int i = 0; i < l->nlines; i++) {
    LifeLine *line = &l->line[i];
    char word;
    ssize_t n;
    if (line->left) continue;
    while ((n = recv(line->fd, &word, 1, MSG_DONTWAIT)) == 1) line->left = true;
    if (line->left) continue;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return line->rank;
  }
  return -1;
}

void mpi_life_await_word(const Mpi *m) {
  const Life *l = m->life;
  if (l && l->mark && atomic_exchange(l->told, 1)) nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
}

int mpi_life_look(Mpi *m, const CommState *from, char *why) {
  Life *l = m->life;
  Comm *c = &m->comm;
  double now = comm_now();
  char process[32] = "";
  if (!l || now - l->last < life_seconds) return 0;
  l->last = now;
  int dead = find_dead(m, l);
  if (dead >= 0) snprintf(process, sizeof process, " (process %d)", (int)l->mark[dead].pid);
  if (dead < 0) dead = find_cut(l);
  if (dead < 0) return 0;
  mpi_life_await_word(m);
  const char *host = c->host[dead];
  snprintf(why, COMM_WHY, "rank %d%s%.*s%s has died; rank %d was at %.*s", dead,
           *host ? " on host " : "", COMM_HOST, host, process, c->rank, COMM_AT - 1, from->at);
  return -1;
}

void mpi_life_close(Mpi *m) {
  Life *l = m->life;
  if (!l) return;
  if (l->mark) atomic_store(&l->mark[m->comm.rank].left, 1);
  for (int i = 0; i < l->nlines; i++) {
    (void)!send(l->line[i].fd, "L", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(l->line[i].fd);
  }
  if (l->mark) munmap((char *)(void *)l->mark - MPI_PAGE, (size_t)l->bytes);
  if (l->fd >= 0) close(l->fd);
  free(l->line);
  free(l);
  m->life = NULL;
}
