/* between.c: all-reduces of f32 between hosts, by dtg and by MPI_Allreduce, in turns in one run;
 * or other exchanges by dtg alone.
 *
 *   mpiexec ... between DEVICES [ROUNDS [BYTES...]]
 *   mpiexec ... between DEVICES ROUNDS all-gather|reduce-scatter|all-to-all|halo [BYTES...]
 * With TEST_SUMS=fast as --sums=fast has it; TEST_DTYPE=bf16: of bf16, which MPI_Allreduce takes
 * for f32 of as many bytes. TEST_COPIES=N: N devices in a row do the same, on another mesh axis.
 *
 * A line a size: bytes of the whole tensor, and of the rounds the least and the median in
 * milliseconds, of dtg and of MPICH. Of other exchanges instead of MPICH's times the bytes that
 * rank 0's devices receive by messages, and those they need that no device of the rank has: the
 * bound where each rank is a host. DEVICES are dealt to the ranks, between which MPI_Allreduce
 * goes. A round is as many exchanges as take about a tenth of a second, at least one.
 * tests/bench/hosts runs it. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"

enum { SIZES = 32, ROUNDS = 64, ROWS = 256 };
typedef enum Kind { REDUCE, GATHER, SCATTER, TURN, HALO, KINDS } Kind;
static const char *const kinds[KINDS] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                         "halo"};

static int nsizes, now, times, size_of = 4;
static int64_t bytes[SIZES], room;
static Kind kind;
static dtrt_dim dims[SIZES][2][2]; /* of the operand, and of the result */
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
  static const char *const names[] = {"d", "copy"};
  static int32_t n[2];
  static dtrt_entry entry[2];
  entry[0] = (dtrt_entry){.name = "init", .run = init, .arena_bytes = 2 * room};
  entry[1] = (dtrt_entry){.name = "run", .run = run, .arena_bytes = 2 * room};
  static dtrt_program p;
  const char *copies = getenv("TEST_COPIES");
  n[1] = copies ? atoi(copies) : 1;
  n[0] = devices / n[1];
  p = (dtrt_program){.abi = DTRT_ABI,
                     .name = "between",
                     .naxes = 2,
                     .axis_name = names,
                     .axis_size = n,
                     .nentries = 2,
                     .entry = entry,
                     .nexchanges = nsizes,
                     .exchange = list};
  const char *sums = getenv("TEST_SUMS");
  if (sums && !strcmp(sums, "fast")) p.sums = DTRT_SUMS_FAST;
  dtrt_session *s;
  dtrt_options o = {.transport = "mpi"};
  if (dtrt_open(&p, &o, &s)) {
    fprintf(stderr, "%s\n", dtrt_session_error(s));
    exit(1);
  }
  return s;
}

/* A matrix of 256 rows, cut by rows or columns; to be added up: a line. */
static void describe(int i) {
  static const int codes[KINDS] = {DTRT_ALL_REDUCE, DTRT_ALL_GATHER, DTRT_REDUCE_SCATTER,
                                   DTRT_ALL_TO_ALL, DTRT_HALO};
  const bool adds = kind == REDUCE || kind == SCATTER;
  const int rank = adds ? 1 : 2;
  for (int k = 0; k < 2; k++) {
    dtrt_dim *d = dims[i][k];
    d[0] = d[1] = (dtrt_dim){.n = bytes[i] / size_of / ROWS, .granule = 1};
    d[0].n = adds ? bytes[i] / size_of : ROWS;
  }
  if (!adds) dims[i][0][kind == TURN].naxes = 1;
  if (kind == SCATTER || kind == TURN || kind == HALO) dims[i][1][0].naxes = 1;
  if (kind == HALO) {
    dtrt_dim *d = &dims[i][1][0];
    d->of = ROWS, d->mul = d->div = 1, d->first = -1, d->last = 1;
  }
  from[i] = (dtrt_layout){rank, adds, DTRT_SUM, dims[i][0]};
  to[i] = (dtrt_layout){rank, 0, DTRT_SUM, dims[i][1]};
  exchange[i] = (dtrt_exchange){.id = i,
                                .kind = codes[kind],
                                .dtype = size_of == 2 ? DTRT_BF16 : DTRT_F32,
                                .axes = 1,
                                .from = &from[i],
                                .to = &to[i],
                                .what = "x",
                                .where = ""};
  list[i] = &exchange[i];
}

static int64_t by_messages(dtrt_session *s) {
  const int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  int64_t all = 0;
  for (int d = first; d < first + n; d++)
    for (int i = 0;; i++) {
      dtrt_algorithm a = dtrt_session_algorithm(s, d, i);
      if (!a.name) break;
      all += a.bytes;
    }
  return all;
}

static int64_t bound(int i, int ranks) {
  const int64_t all = bytes[i] / 4 / ROWS * 4 * ROWS;
  if (kind == SCATTER) return bytes[i] / ranks * (ranks - 1);
  if (kind == TURN) return all / ranks * (ranks - 1) / ranks;
  if (kind == HALO) return all / ROWS * (ranks > 1); /* of rank 0, which has one neighbour */
  return all / ranks * (ranks - 1);
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

static void measure_reduce(dtrt_session *s, int rank, int rounds, char *a, char *b) {
  double t[2][ROUNDS];
  times = 1;
  double once = by_dtg(s), other = by_mpich(a, b);
  times = (int)(0.1 / (once > other ? once : other)) + 1;
  MPI_Bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const int64_t before = by_messages(s);
  for (int r = 0; r < rounds; r++) t[0][r] = by_dtg(s), t[1][r] = by_mpich(a, b);
  const int64_t got = (by_messages(s) - before) / rounds / times;
  for (int i = 0; i < 2; i++) qsort(t[i], (size_t)rounds, sizeof t[i][0], by_size);
  if (rank) return;
  printf("%10ld B  dtg %10.3f %10.3f ms, received %ld B  MPICH %10.3f %10.3f ms\n",
         (long)bytes[now], t[0][0] * 1e3, t[0][rounds / 2] * 1e3, (long)got, t[1][0] * 1e3,
         t[1][rounds / 2] * 1e3);
}

static void measure_other(dtrt_session *s, int rank, int rounds) {
  double t[ROUNDS];
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  times = 1;
  by_dtg(s);
  const int64_t before = by_messages(s);
  for (int r = 0; r < rounds; r++) t[r] = by_dtg(s);
  const int64_t got = (by_messages(s) - before) / rounds;
  qsort(t, (size_t)rounds, sizeof *t, by_size);
  if (rank) return;
  printf("%10ld B  %s %10.3f %10.3f ms  received %ld B, bound %ld\n", (long)bytes[now], kinds[kind],
         t[0] * 1e3, t[rounds / 2] * 1e3, (long)got, (long)bound(now, ranks));
}

int main(int argc, char **argv) {
  static const int64_t usual[] = {8, 4096, 65536, 1 << 20, 10 << 20, 100 << 20};
  int devices = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 5, rank, at = 3;
  for (int k = 0; argc > 3 && k < KINDS; k++)
    if (!strcmp(argv[3], kinds[k])) kind = (Kind)k, at = 4;
  if (getenv("TEST_DTYPE")) size_of = 2;
  if (devices < 1 || rounds < 1 || rounds > ROUNDS || argc - at > SIZES) return 2;
  nsizes = argc > at ? argc - at : (int)(sizeof usual / sizeof *usual);
  for (int i = 0; i < nsizes; i++) {
    bytes[i] = argc > at ? atoll(argv[at + i]) / 4 * 4 : usual[i];
    if (bytes[i] > room) room = (bytes[i] + 63) / 64 * 64;
    describe(i);
  }
  char *a = calloc((size_t)room, 1), *b = calloc((size_t)room, 1);
  if (!a || !b) return 1;
  dtrt_session *s = open_session(devices); /* starts MPI, and ends it when the process exits */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (dtrt_call(s, 0, NULL, NULL)) return 1;
  for (now = 0; now < nsizes; now++) {
    if (kind == REDUCE)
      measure_reduce(s, rank, rounds, a, b);
    else
      measure_other(s, rank, rounds);
    fflush(stdout);
  }
  dtrt_close(s);
  free(a);
  free(b);
  return 0;
}
