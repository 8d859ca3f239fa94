/* collectives.c: how long an all-reduce of f32 takes, a line a size: bytes, microseconds.
 *
 *   collectives TRANSPORT NDEVICES [MOST]     one round, of sizes up to MOST bytes; under mpiexec:
 *                                             mpi and the number of ranks
 *
 * tests/bench/collectives.sh takes rounds of this and of mpich.c by turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dtrt.h"

static const int64_t bytes[] = {4, 4 << 10, 64 << 10, 1 << 20, 64 << 20};
enum { SIZES = sizeof bytes / sizeof *bytes, WARM = 3 };

static dtrt_dim dims[SIZES];
static dtrt_layout from[SIZES], to[SIZES];
static dtrt_exchange exchange[SIZES];
static const dtrt_exchange *list[SIZES];
static int size;
static int64_t room;
static double result; /* written by device 0 */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The pages are touched. */
static void init(dtrt_device *dev) { memset(dev->arena, 0, 2 * (size_t)room); }

/* Some tens of milliseconds. */
static int64_t times_of(int64_t n) { return n <= 4 << 10 ? 5000 : (192 << 20) / n; }

static void run(dtrt_device *dev) {
  double start = 0;
  for (int64_t i = -WARM; i < times_of(bytes[size]); i++) {
    if (i == 0) start = now();
    dtrt_run_exchange(dev, &exchange[size], dev->arena, dev->arena + room);
  }
  if (dev->coord[0] == 0) result = (now() - start) / (double)times_of(bytes[size]) * 1e6;
}

static int measure(const char *transport, int32_t n, int64_t most) {
  static const char *const names[] = {"d"};
  dtrt_entry entry[] = {{.name = "init", .run = init, .arena_bytes = 2 * room},
                        {.name = "run", .run = run}};
  dtrt_program p = {.abi = DTRT_ABI,
                    .name = "bench",
                    .naxes = 1,
                    .axis_name = names,
                    .axis_size = &n,
                    .nentries = 2,
                    .entry = entry,
                    .nexchanges = SIZES,
                    .exchange = list};
  dtrt_session *s;
  dtrt_options o = {.transport = transport};
  if (dtrt_open(&p, &o, &s)) {
    fprintf(stderr, "%s\n", dtrt_session_error(s));
    return 1;
  }
  for (size = 0; size < SIZES && bytes[size] <= most; size++) {
    if (dtrt_call(s, 1, NULL, NULL)) fprintf(stderr, "%s\n", dtrt_session_error(s));
    if (dtrt_session_rank(s) == 0) printf("%ld %.3f\n", (long)bytes[size], result);
  }
  dtrt_close(s);
  return 0;
}

int main(int argc, char **argv) {
  int64_t most = argc > 3 ? atoll(argv[3]) : bytes[SIZES - 1];
  if (argc < 3) {
    fprintf(stderr, "collectives TRANSPORT NDEVICES [MOST]\n");
    return 2;
  }
  room = most;
  for (int i = 0; i < SIZES; i++) {
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
  return measure(argv[1], atoi(argv[2]), most);
}
