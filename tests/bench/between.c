/* between.c: all-reduces of f32 between hosts, by dtg and by MPI_Allreduce, in turns in one run.
 *
 *   mpiexec ... between DEVICES [ROUNDS [BYTES...]]
 *
 * A line a size: bytes, and of the rounds the least and the median in milliseconds, of dtg and of
 * MPICH. DEVICES are dealt to the ranks, between which MPI_Allreduce goes. A round is as many
 * exchanges as take about a tenth of a second, at least one. tests/bench/hosts runs it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"

enum { SIZES = 32, ROUNDS = 64 };

static int nsizes, now, times;
static int64_t bytes[SIZES], room;
static dtrt_dim dims[SIZES];
static dtrt_layout from[SIZES], to[SIZES];
static dtrt_exchange exchange[SIZES];
static const dtrt_exchange *list[SIZES];
static double took; /* of the first device of the process */

static void init(dtrt_device *dev) { memset(dev->arena, 0, 2 * (size_t)room); }

static void run(dtrt_device *dev) {
  double start = MPI_Wtime();
  for (int i = 0; i < times; i++)
    dtrt_run_exchange(dev, &exchange[now], dev->arena, dev->arena + room);
  if (dev->coord[0] == 0) took = (MPI_Wtime() - start) / times;
}

static dtrt_session *open_session(int32_t devices) {
  static const char *const names[] = {"d"};
  static int32_t n;
  static dtrt_entry entry[2];
  entry[0] = (dtrt_entry){.name = "init", .run = init, .arena_bytes = 2 * room};
  entry[1] = (dtrt_entry){.name = "run", .run = run, .arena_bytes = 2 * room};
  static dtrt_program p;
  n = devices;
  p = (dtrt_program){.abi = DTRT_ABI,
                     .name = "between",
                     .naxes = 1,
                     .axis_name = names,
                     .axis_size = &n,
                     .nentries = 2,
                     .entry = entry,
                     .nexchanges = nsizes,
                     .exchange = list};
  dtrt_session *s;
  dtrt_options o = {.transport = "mpi"};
  if (dtrt_open(&p, &o, &s)) {
    fprintf(stderr, "%s\n", dtrt_session_error(s));
    exit(1);
  }
  return s;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double by_mpich(char *a, char *b) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int i = 0; i < times; i++)
    MPI_Allreduce(a, b, (int)(bytes[now] / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return (MPI_Wtime() - start) / times;
}

static double by_dtg(dtrt_session *s) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (dtrt_call(s, 1, NULL, NULL)) fprintf(stderr, "%s\n", dtrt_session_error(s)), exit(1);
  return took;
}

static void measure(dtrt_session *s, int rank, int rounds, char *a, char *b) {
  double t[2][ROUNDS];
  for (now = 0; now < nsizes; now++) {
    times = 1;
    double once = by_dtg(s), other = by_mpich(a, b);
    times = (int)(0.1 / (once > other ? once : other)) + 1;
    MPI_Bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < rounds; r++) t[0][r] = by_dtg(s), t[1][r] = by_mpich(a, b);
    for (int i = 0; i < 2; i++) qsort(t[i], (size_t)rounds, sizeof t[i][0], by_size);
    if (rank) continue;
    printf("%10ld B  dtg %10.3f %10.3f ms  MPICH %10.3f %10.3f ms\n", (long)bytes[now],
           t[0][0] * 1e3, t[0][rounds / 2] * 1e3, t[1][0] * 1e3, t[1][rounds / 2] * 1e3);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  static const int64_t usual[] = {8, 4096, 65536, 1 << 20, 10 << 20, 100 << 20};
  int devices = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 5, rank;
  if (devices < 1 || rounds < 1 || rounds > ROUNDS || argc - 3 > SIZES) return 2;
  nsizes = argc > 3 ? argc - 3 : (int)(sizeof usual / sizeof *usual);
  for (int i = 0; i < nsizes; i++) {
    bytes[i] = argc > 3 ? atoll(argv[3 + i]) / 4 * 4 : usual[i];
    if (bytes[i] > room) room = (bytes[i] + 63) / 64 * 64;
    dims[i] = (dtrt_dim){.n = bytes[i] / 4, .granule = 1};
    from[i] = (dtrt_layout){1, 1, DTRT_SUM, &dims[i]};
    to[i] = (dtrt_layout){1, 0, DTRT_SUM, &dims[i]};
    exchange[i] = (dtrt_exchange){.id = i,
                                  .kind = DTRT_ALL_REDUCE,
                                  .dtype = DTRT_F32,
                                  .axes = 1,
                                  .from = &from[i],
                                  .to = &to[i],
                                  .what = "x",
                                  .where = ""};
    list[i] = &exchange[i];
  }
  char *a = calloc((size_t)room, 1), *b = calloc((size_t)room, 1);
  if (!a || !b) return 1;
  dtrt_session *s = open_session(devices); /* starts MPI, and ends it when the process exits */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (dtrt_call(s, 0, NULL, NULL)) return 1;
  measure(s, rank, rounds, a, b);
  dtrt_close(s);
  free(a);
  free(b);
  return 0;
}
