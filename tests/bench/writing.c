/* writing.c: positions a second that a decoder of 124 million parameters writes with a cache,
 * beside what the machine allows: each step reads all weights once and of the cache what is filled,
 * at the bandwidth of as many threads adding up numbers, and multiplies each number by each row, at
 * most at the peak of multiply-adds, both measured by turns with it. The bound is what takes
 * longer. With one thread all times are the process's processor time, which other programs change
 * less; with two those of a clock. bench_writing FOLDER [--rows N] [--positions N] [--rounds N]
 * [--only SETUP] FOLDER has writing.dtg and writing_cut.dtg. Setups: 0 a device of one core, 1 a
 * device of two, 2 two devices. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "dtgc.h"
#include "peak.h"

enum { SETUPS = 3, MOST_ROUNDS = 101, WARM = 2, THREADS = 2, LANES = 64, HUGE_PAGE = 2 << 20 };
static const int64_t READ = (int64_t)64 << 20; /* floats */
static const double LAYERS = 12, WIDTH = 768;

static clockid_t timer = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(timer, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void stop(const dtgc_program *p, const char *what) {
  fprintf(stderr, "%s: %s\n", what, p ? dtgc_error(p) : "failed");
  exit(1);
}

typedef struct Share {
  const float *at;
  int64_t n;
  float sum;
} Share;

static void *add_up(void *arg) {
  Share *s = arg;
  float sum[LANES] = {0};
  for (int64_t i = 0; i < s->n; i += LANES)
    for (int j = 0; j < LANES; j++) sum[j] += s->at[i + j];
  for (int j = 0; j < LANES; j++) s->sum += sum[j];
  return NULL;
}

/* Bytes a second. */
static double bandwidth(const float *numbers, int threads) {
  Share share[THREADS];
  pthread_t other[THREADS];
  const double start = now();
  for (int i = 0; i < threads; i++) {
    share[i] = (Share){numbers + READ / threads * i, READ / threads, 0};
    if (i && pthread_create(&other[i], NULL, add_up, &share[i])) stop(NULL, "pthread_create");
  }
  add_up(&share[0]);
  for (int i = 1; i < threads; i++) pthread_join(other[i], NULL);
  return (double)READ * sizeof(float) / (now() - start);
}

typedef struct Setup {
  const char *name;
  int cores, threads;
  bool cut;
  dtgc_program *p;
  double each[MOST_ROUNDS], read[MOST_ROUNDS], share[MOST_ROUNDS]; /* seconds a position, of
                                              what reading takes, and of the bound */
} Setup;

static Setup setups[SETUPS] = {{.name = "1 device, 1 core", .cores = 1, .threads = 1},
                               {.name = "1 device, 2 cores", .cores = 2, .threads = 2},
                               {.name = "2 devices", .cores = 1, .threads = 2, .cut = true}};

static double run(Setup *s, int rows, int32_t n) {
  static int32_t first[1024];
  dtgc_buffer in[] = {{"first", first, (size_t)rows * sizeof *first}, {"n", &n, sizeof n}};
  const double start = now();
  if (dtgc_run(s->p, "write", in, 2, NULL, 0) != DTGC_OK) stop(s->p, s->name);
  return now() - start;
}

static double weight_bytes(const dtgc_program *p) {
  double bytes = 0;
  dtgc_tensor t;
  for (int i = 0; dtgc_var(p, i, &t) == DTGC_OK; i++)
    if (!strstr(t.name, "place")) bytes += (double)t.bytes;
  return bytes;
}

int main(int argc, char **argv) {
  int rows = 1, positions = 64, rounds = 7, only = -1;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--rows")) rows = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--positions")) positions = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--rounds")) rounds = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--only")) only = atoi(argv[i + 1]);
  }
  if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS || rows < 1 || rows > 1024 || positions < 1)
    return 2;
  char model[512], layouts[512], define[32];
  snprintf(model, sizeof model, "%s/writing.dtg", argv[1]);
  snprintf(layouts, sizeof layouts, "%s/writing_cut.dtg", argv[1]);
  snprintf(define, sizeof define, "rows=%d", rows);
  float *numbers = aligned_alloc(HUGE_PAGE, (size_t)READ * sizeof *numbers);
  if (!numbers) stop(NULL, "memory");
  madvise(numbers, (size_t)READ * sizeof *numbers, MADV_HUGEPAGE); /* as devices' memory is */
  for (int64_t i = 0; i < READ; i++) numbers[i] = 1;
  for (int k = 0; k < SETUPS; k++) {
    if (only >= 0 && k != only) continue;
    const char *defines[] = {define, NULL};
    const dtgc_options o = {.cores = setups[k].cores, .define = defines, .ndefines = 1};
    const dtgc_source source[] = {{.name = model}, {.name = layouts}};
    if (dtgc_compile(source, setups[k].cut ? 2 : 1, &o, &setups[k].p) != DTGC_OK)
      stop(setups[k].p, model);
    run(&setups[k], rows, WARM);
  }
  double most = 0; /* multiplications and additions a second of a core */
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < SETUPS; k++) {
      Setup *s = &setups[k];
      if (only >= 0 && k != only) continue;
      timer = s->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
      const double before = bandwidth(numbers, s->threads), few = run(s, rows, WARM),
                   all = run(s, rows, WARM + positions), after = bandwidth(numbers, s->threads);
      s->each[r] = (all - few) / positions;
      const double filled = WARM + (positions - 1) / 2.0, flops = peak(now) * 1e9;
      if (flops > most) most = flops;
      const double cache = rows * filled * 2 * LAYERS * WIDTH, weights = weight_bytes(s->p) / 4;
      const double reading = 4 * (weights + cache) / ((before + after) / 2);
      const double multiplying = 2 * (weights * rows + cache) / (most * s->threads);
      s->read[r] = reading / s->each[r];
      s->share[r] = (reading > multiplying ? reading : multiplying) / s->each[r];
    }
  for (int k = 0; k < SETUPS; k++) {
    Setup *s = &setups[k];
    if (!s->p) continue;
    qsort(s->each, (size_t)rounds, sizeof *s->each, by_size);
    qsort(s->read, (size_t)rounds, sizeof *s->read, by_size);
    qsort(s->share, (size_t)rounds, sizeof *s->share, by_size);
    printf("%-18s %2d rows: a step min %7.2f ms, median %7.2f; %7.1f positions a second; reading "
           "alone median %.2f, the bound %.2f\n",
           s->name, rows, s->each[0] * 1e3, s->each[rounds / 2] * 1e3, rows / s->each[rounds / 2],
           s->read[rounds / 2], s->share[rounds / 2]);
    dtgc_free(s->p);
  }
  free(numbers);
  return 0;
}
