/* The runtime's variables of the environment, of dtrt programs and of hosts that have no command
 * line for them. All are read here, but those that launchers set (comm/launcher.c); docs/dtgc.1 has
 * the table of them, which tests/environment.sh compares. Also part of libdtrt-mpi.so. */
#ifndef DTG_RUNTIME_VARIABLES_H
#define DTG_RUNTIME_VARIABLES_H
#include <stdbool.h>
#include <stddef.h>

typedef enum variable_id {
  VARIABLE_TIMEOUT,
  VARIABLE_SLOW,
  VARIABLE_MPI_MODULE,
  VARIABLE_MPI_SHARED,
  VARIABLE_THREAD_EACH,
  VARIABLE_CORES,
  VARIABLE_PROGRESS,
  VARIABLE_GEMM,
  VARIABLE_CORETYPE,
  VARIABLE_TMPDIR,
  VARIABLE_TERM
} variable_id;

/* Its text, or NULL: it is not set. */
const char *variable(variable_id id);
/* Whether each that takes one of a few words has one of these; if not, what was expected, in `why`.
 * An empty one counts as not set. */
bool variables_good(char *why, size_t size);

#endif
