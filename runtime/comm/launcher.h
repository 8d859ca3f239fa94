/* launcher.h: the launcher that started this process, from the environment: its name, which
 * process this is and of how many. MPI knows only the processes its own launcher started, and the
 * two must agree: otherwise every process would train alone, and all would write the same
 * files. Also part of libdtrt-mpi.so, so it calls nothing of libdtrt. */
#ifndef DTG_RUNTIME_LAUNCHER_H
#define DTG_RUNTIME_LAUNCHER_H
#include <stdbool.h>
#include <stddef.h>

typedef struct launcher {
  const char *name;     /* "srun"; NULL: none */
  const char *variable; /* with the size: "SLURM_STEP_NUM_TASKS" */
  int rank, size;
} launcher;

/* The innermost launcher of more than one process; else {NULL, NULL, 0, 1}. */
launcher launcher_find(void);
/* Of its processes those on this host; 0: it does not say. */
int launcher_local(void);
/* A launcher has started this process, be it alone. */
bool launcher_is_there(void);
/* Figures of hydra, MPICH's launcher: the texts of PMI_RANK and PMI_SIZE ("?": not set), how many
 * ranks this host has (0: unsaid), and the descriptor of its socket (-1: unsaid). */
typedef struct launcher_hydra {
  const char *rank, *size;
  int here, socket;
} launcher_hydra;
launcher_hydra launcher_find_hydra(void);
/* Under `dtgc launch`: where it listens, "TOKEN PORT ADDRESS..."; else NULL. It knows how each rank
 * ends, and ends the others. */
const char *launcher_home(void);
/* The socket on which it takes lines of progress, of rank 0; else -1. */
int launcher_progress(void);
/* This process's number, be it alone; -1: no launcher has started it. */
int launcher_rank(void);
/* UCX, MPICH's network, is told to use no memory between processes: these have connections, be they
 * on one host, as where all others are lost. */
bool launcher_without_memory(void);
/* Within an allocation of Slurm, outside of its steps. */
bool launcher_allocates(void);
/* Whether MPI's number of processes is that of the launcher. False with why. `open_mpi`: the MPI is
 * Open MPI, else MPICH. */
bool launcher_agrees(int nranks, bool open_mpi, char *why, size_t whysize);
#endif
