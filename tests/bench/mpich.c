/* mpich.c: the same as collectives.c by MPI_Allreduce.    mpiexec -n RANKS mpich [MOST] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long bytes[] = {4, 4 << 10, 64 << 10, 1 << 20, 64 << 20};
enum { SIZES = sizeof bytes / sizeof *bytes, WARM = 3 };

/* With more ranks than cores each waits for a slice of time, and few rounds are enough. */
static long times_of(long n, int ranks) {
  long times = n <= 4 << 10 ? 5000 : (192 << 20) / n;
  return ranks > 2 ? times / 200 + 1 : times;
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long most = argc > 1 ? atol(argv[1]) : bytes[SIZES - 1];
  char *from = malloc((size_t)most), *to = malloc((size_t)most);
  if (!from || !to) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(from, 0, (size_t)most);
  memset(to, 0, (size_t)most);
  for (int s = 0; s < SIZES && bytes[s] <= most; s++) {
    double start = 0;
    long times = times_of(bytes[s], ranks);
    for (long i = -WARM; i < times; i++) {
      if (i == 0) start = MPI_Wtime();
      MPI_Allreduce(from, to, (int)(bytes[s] / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    double us = (MPI_Wtime() - start) / (double)times * 1e6;
    if (rank == 0) printf("%ld %.3f\n", bytes[s], us);
  }
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
