/* See variables.h. */
#include "variables.h"
#include <stdlib.h>

const char *variable(variable_id id) {
  static const char *const name[] = {[VARIABLE_TIMEOUT] = "DTRT_TIMEOUT",
                                     [VARIABLE_SLOW] = "DTRT_SLOW",
                                     [VARIABLE_MPI_MODULE] = "DTRT_MPI_MODULE",
                                     [VARIABLE_MPI_SHARED] = "DTRT_MPI_SHARED",
                                     [VARIABLE_THREAD_EACH] = "DTRT_THREAD_EACH",
                                     [VARIABLE_CORES] = "DTRT_CORES",
                                     [VARIABLE_PROGRESS] = "DTRT_PROGRESS",
                                     [VARIABLE_GEMM] = "DTRT_GEMM",
                                     [VARIABLE_CORETYPE] = "OPENBLAS_CORETYPE",
                                     [VARIABLE_TMPDIR] = "TMPDIR",
                                     [VARIABLE_TERM] = "TERM"};
  return getenv(name[id]);
}
