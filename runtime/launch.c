/* launch.c: this process among those that mpiexec started, before any session: which one it is, and
 * bytes from rank 0 to all, so that one process compiles for the others. */
#include <stdlib.h>
#include <string.h>
#include "comm.h"

/* By MPICH and Intel MPI, Open MPI, PMIx, Slurm. */
static const struct {
  const char *rank, *size;
} launchers[] = {{"PMI_RANK", "PMI_SIZE"},
                 {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMIX_RANK", "PMIX_SIZE"},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

int dtrt_launch_size(void) {
  if (!comm_under_mpi()) return 1;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
    if (size && rank && atoi(size) > 1) return atoi(size);
  }
  return 1;
}

int dtrt_launch_rank(void) {
  if (dtrt_launch_size() <= 1) return 0;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
    if (size && rank && atoi(size) > 1) return atoi(rank);
  }
  return 0;
}

static void wait_all(Comm *c) {
  for (unsigned turn = 0; !c->verbs->finish(c, c->rank); turn++) comm_pause(c->spin, turn);
}

/* Rank 0 sends to each: programs are small and this happens once. */
static dtrt_status bcast(Comm *c, void **bytes, int64_t *n) {
  const CommVerbs *v = c->verbs;
  if (c->rank == 0) {
    int bad = 0;
    for (int peer = 1; peer < c->nranks && !bad; peer++)
      bad = v->send(c, 0, peer, n, sizeof *n) || v->send(c, 0, peer, *bytes, *n);
    wait_all(c);
    return bad ? DTRT_NO_MEMORY : DTRT_OK;
  }
  int64_t size = 0;
  if (v->recv(c, c->rank, 0, &size, sizeof size)) return DTRT_NO_MEMORY;
  wait_all(c);
  char *to = malloc(size > 0 ? (size_t)size : 1);
  if (!to) return DTRT_NO_MEMORY;
  int bad = v->recv(c, c->rank, 0, to, size);
  wait_all(c);
  if (bad) {
    free(to);
    return DTRT_NO_MEMORY;
  }
  *bytes = to;
  *n = size;
  return DTRT_OK;
}

dtrt_status dtrt_launch_place(const void *mpi_comm, int *rank, int *size) {
  *rank = dtrt_launch_rank();
  *size = dtrt_launch_size();
  if (!mpi_comm) return DTRT_OK;
  char why[COMM_WHY] = "";
  Comm *c = comm_open_mpi(&(CommOpen){.mpi_comm = mpi_comm}, why);
  if (!c) return DTRT_FAILED;
  *rank = c->rank;
  *size = c->nranks;
  c->verbs->close(c);
  return DTRT_OK;
}

dtrt_status dtrt_launch_bcast(const void *mpi_comm, void **bytes, int64_t *n) {
  int size = mpi_comm ? 0 : dtrt_launch_size();
  if (size == 1) return DTRT_OK;
  char why[COMM_WHY] = "";
  Comm *c = comm_open_mpi(&(CommOpen){.ndevices = size, .mpi_comm = mpi_comm}, why);
  if (!c) return DTRT_FAILED;
  dtrt_status s = bcast(c, bytes, n);
  c->verbs->close(c);
  return s;
}
