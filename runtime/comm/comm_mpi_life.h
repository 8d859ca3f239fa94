/* comm_mpi_life.h: what is known of ranks' lives: made by comm_mpi_life_open.c, looked at and
 * closed by comm_mpi_life.c. */
#ifndef DTG_RUNTIME_COMM_MPI_LIFE_H
#define DTG_RUNTIME_COMM_MPI_LIFE_H
#include <fcntl.h>
#include "comm_mpi.h"

/* By rank, in the file. */
typedef struct LifeMark {
  int32_t pid;
  _Atomic int32_t left; /* it has closed in order */
} LifeMark;

/* A connection to the first rank of another host, or from there to rank 0. */
typedef struct LifeLine {
  int fd, rank;
  bool left;
} LifeLine;

struct Life {
  int fd; /* of the file, whose lock of this process goes when it is closed */
  LifeMark *mark;
  _Atomic int *told; /* in the header: a rank of this host reports one that is dead or missing */
  int64_t bytes;
  LifeLine *line;
  int nlines;
  double last;
};

static inline struct flock life_lock(int rank) {
  return (struct flock){
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = MPI_PAGE + rank, .l_len = 1};
}

#endif
