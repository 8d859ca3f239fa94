/* launcher.c: see launcher.h. Of several launchers the one inside counts: srun starts the proxies
 * of mpiexec, whose processes then have the variables of both. A script of sbatch and a shell of
 * salloc have SLURM_NTASKS, the size of the allocation, but are one process: only a step counts. */
#include "launcher.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
  const char *name, *rank, *size;
  enum { STARTS_MPI, STARTS_ANYTHING, STARTS_HERE } kind; /* HERE: the size is that of one host */
} launchers[] = {
    {"mpiexec", "PMI_RANK", "PMI_SIZE", STARTS_MPI},
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", STARTS_MPI},
    {"mpirun of MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", STARTS_MPI},
    {"a launcher of PMIx", "PMIX_RANK", "PMIX_SIZE", STARTS_MPI},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", STARTS_MPI},
    {"mpiexec", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", STARTS_HERE},
    {"flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", STARTS_ANYTHING},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", STARTS_ANYTHING},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* An integer from `least`, or -1. */
static int number(const char *name, int least) {
  const char *text = getenv(name);
  char *end;
  long v = text && *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
  return v >= least && v < 1 << 30 && !*end ? (int)v : -1;
}

launcher launcher_find(void) {
  for (int i = 0; i < LAUNCHERS; i++) {
    int size = number(launchers[i].size, 2), rank = number(launchers[i].rank, 0);
    if (size > 1 && rank >= 0) return (launcher){launchers[i].name, launchers[i].size, rank, size};
  }
  return (launcher){.size = 1};
}

int launcher_local(void) {
  static const char *const here[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "MV2_COMM_WORLD_LOCAL_SIZE"};
  for (size_t i = 0; i < sizeof here / sizeof *here; i++)
    if (number(here[i], 1) > 0) return number(here[i], 1);
  return 0;
}

bool launcher_is_there(void) {
  static const char *const rank[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                     "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)
    if (getenv(rank[i])) return true;
  return false;
}

launcher_hydra launcher_find_hydra(void) {
  const char *rank = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");
  const int here = number("MPI_LOCALNRANKS", 1);
  return (launcher_hydra){rank ? rank : "?", size ? size : "?", here < 0 ? 0 : here,
                          number("PMI_FD", 0)};
}

const char *launcher_home(void) { return getenv("DTGC_LAUNCH"); }

int launcher_progress(void) {
  struct stat s;
  const int fd = number("DTGC_LAUNCH_PROGRESS", 0);
  return launcher_home() && fd > 2 && fstat(fd, &s) == 0 && S_ISSOCK(s.st_mode) ? fd : -1;
}

int launcher_rank(void) {
  for (int i = 0; i < LAUNCHERS; i++)
    if (launchers[i].kind != STARTS_HERE && number(launchers[i].rank, 0) >= 0)
      return number(launchers[i].rank, 0);
  return -1;
}

bool launcher_without_memory(void) {
  static const char *const memory[] = {"all", "sm", "shm", "mm", "posix", "sysv", "xpmem", "cma"};
  const char *transports = getenv("UCX_TLS");
  if (!transports || *transports == '^') return false;
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    if (strstr(transports, memory[i])) return false;
  return true;
}

bool launcher_allocates(void) {
  return getenv("SLURM_JOB_ID") && number("SLURM_STEP_NUM_TASKS", 1) < 0;
}

static const char *hint_of(int launcher, bool open_mpi) {
  const bool slurm = !strcmp(launchers[launcher].name, "srun");
  if (open_mpi)
    return slurm ? "srun --mpi=pmix, or mpirun of Open MPI inside the allocation"
                 : "the mpirun of Open MPI";
  return slurm ? "srun --mpi=pmi2, or mpiexec of MPICH inside the allocation"
               : "the mpiexec of MPICH";
}

/* What started a launcher of MPI does not count, as an outer step of srun. */
bool launcher_agrees(int nranks, bool open_mpi, char *why, size_t whysize) {
  int wrong = -1;
  for (int i = 0; i < LAUNCHERS; i++) {
    int size = number(launchers[i].size, 1);
    if (size < 1 || number(launchers[i].rank, 0) < 0) continue;
    if (wrong >= 0 && launchers[i].kind != STARTS_MPI) break;
    if (launchers[i].kind == STARTS_HERE ? size <= nranks : size == nranks) return true;
    if (wrong < 0) wrong = i;
  }
  if (wrong < 0) return true;
  snprintf(why, whysize,
           "%s has started %d processes%s (%s), but MPI has %d rank%s: it is not the launcher of "
           "this MPI, and each process would run alone; start them with %s",
           launchers[wrong].name, number(launchers[wrong].size, 1),
           launchers[wrong].kind == STARTS_HERE ? " on this host" : "", launchers[wrong].size,
           nranks, nranks == 1 ? "" : "s", hint_of(wrong, open_mpi));
  return false;
}
