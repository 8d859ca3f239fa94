/* collectives.c: how long an all-reduce of f32 takes: medians, on 2 and 8 devices.
 *   collectives [TRANSPORT [NDEVICES]]      threads by default; under mpiexec: mpi and the number
 * of ranks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dtrt.h"

enum { ROUNDS = 15 };
static const int64_t bytes[] = {4, 64 << 10, 1 << 20, 16 << 20};
enum { SIZES = sizeof bytes / sizeof *bytes };

static dtrt_dim dims[SIZES];
static dtrt_layout from[SIZES], to[SIZES];
static dtrt_exchange exchange[SIZES];
static const dtrt_exchange *list[SIZES];
static int size;
static double result[ROUNDS]; /* written by device 0 */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nothing(dtrt_device *dev) { memset(dev->arena, 0, 32 << 20); }

static void run(dtrt_device *dev) {
  int64_t times = size == 0 ? 2000 : (64 << 20) / bytes[size] / 2;
  if (times > 2000) times = 2000;
  for (int r = 0; r < ROUNDS; r++) {
    double start = now();
    for (int64_t i = 0; i < times; i++)
      dtrt_run_exchange(dev, &exchange[size], dev->arena, dev->arena + (16 << 20));
    if (dev->coord[0] == 0) result[r] = (now() - start) / (double)times * 1e6;
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(const char *transport, int32_t n) {
  static const char *const names[] = {"d"};
  dtrt_entry entry[] = {{.name = "init", .run = nothing, .arena_bytes = 32 << 20},
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
  if (dtrt_session_rank(s) == 0) printf("%s %d:", transport, (int)n);
  for (size = 0; size < SIZES; size++) {
    if (dtrt_call(s, 1, NULL, NULL)) fprintf(stderr, "%s\n", dtrt_session_error(s));
    qsort(result, ROUNDS, sizeof *result, compare);
    if (dtrt_session_rank(s) == 0)
      printf("  %ld B %.2f us (best %.2f)", (long)bytes[size], result[ROUNDS / 2], result[0]);
  }
  if (dtrt_session_rank(s) == 0) printf("\n");
  dtrt_close(s);
  return 0;
}

int main(int argc, char **argv) {
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
  const char *transport = argc > 1 ? argv[1] : "threads";
  if (argc > 2) return measure(transport, atoi(argv[2]));
  return measure(transport, 2) | measure(transport, 8);
}
