/* cores.c: steps of a model on 1 core and on more, by turns, in one process: minima and medians.
 *   bench_cores MODEL.dtg [-D NAME=VALUE ...] [--cores N] [--rounds N] [--steps N]
 * Entry `train`; floats are random, integers below 10. Losses of both are compared bit for bit.
 * With --precision TYPE both run on N cores, the second with that precision, and losses may differ
 * by 1 %. --only 0 or 1 runs one side: for perf. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dtgc.h"

enum { MOST_INPUTS = 8, MOST_ROUNDS = 101, MOST_CONSTS = 16 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void stop(const dtgc_program *p, const char *what) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  exit(1);
}

static void fill(const dtgc_tensor *t, void *to) {
  unsigned long long x = 88172645463325252ull;
  for (int64_t i = 0; i < t->count; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    if (t->dtype == DTGC_F32)
      ((float *)to)[i] = (float)(x >> 40) / (float)(1 << 24) - 0.5f;
    else if (t->dtype == DTGC_I32)
      ((int32_t *)to)[i] = (int32_t)(x >> 33) % 10;
    else
      ((unsigned char *)to)[i] = (unsigned char)(x >> 33) % 10;
  }
}

int main(int argc, char **argv) {
  static char value[MOST_CONSTS][128];
  const char *consts[MOST_CONSTS + 1] = {0};
  const char *precision = NULL;
  int nconsts = 0, cores = 2, rounds = 7, steps = 3, only = -1, ncores[2];
  for (int i = 2; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "-D") && nconsts < MOST_CONSTS)
      snprintf(value[nconsts], sizeof value[0], "%s", argv[i + 1]),
          consts[nconsts] = value[nconsts], nconsts++;
    if (!strcmp(argv[i], "--precision")) precision = argv[i + 1];
    if (!strcmp(argv[i], "--only")) only = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--cores")) cores = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--rounds")) rounds = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--steps")) steps = atoi(argv[i + 1]);
  }
  if (argc < 2 || rounds > MOST_ROUNDS) return 2;
  dtgc_program *p[2];
  dtgc_buffer in[MOST_INPUTS];
  float loss[2];
  static double took[2][MOST_ROUNDS];
  ncores[0] = precision ? cores : 1, ncores[1] = cores;
  for (int k = 0; k < 2; k++) {
    dtgc_options o = {.cores = ncores[k],
                      .define = consts,
                      .ndefines = nconsts,
                      .precision = k ? precision : NULL};
    if (dtgc_compile_file(argv[1], &o, &p[k]) != DTGC_OK) stop(p[k], argv[1]);
  }
  const int n = dtgc_inputs(p[0], "train");
  if (n < 0 || n > MOST_INPUTS) return 2;
  for (int i = 0; i < n; i++) {
    dtgc_tensor t;
    if (dtgc_input(p[0], "train", i, &t) != DTGC_OK) stop(p[0], "inputs");
    in[i] = (dtgc_buffer){strdup(t.name), malloc(t.bytes), t.bytes};
    fill(&t, in[i].data);
  }
  for (int r = -1; r < rounds; r++) /* the first does not count */
    for (int k = 0; k < 2; k++) {
      if (only >= 0 && k != only) continue;
      dtgc_buffer out = {"loss", &loss[k], sizeof loss[k]};
      const double start = now();
      for (int s = 0; s < steps; s++)
        if (dtgc_run(p[k], "train", in, n, &out, 1) != DTGC_OK) stop(p[k], "train");
      if (r >= 0) took[k][r] = (now() - start) / steps * 1e3;
    }
  for (int k = 0; k < 2; k++) {
    qsort(took[k], (size_t)rounds, sizeof took[k][0], by_size);
    printf("%-24s %-4s %2d core%s  min %8.3f ms  median %8.3f ms\n", argv[1],
           k && precision ? precision : "", ncores[k], ncores[k] == 1 ? " " : "s", took[k][0],
           took[k][rounds / 2]);
  }
  bool same = !memcmp(&loss[0], &loss[1], sizeof loss[0]);
  const char *seen = same ? "the same bits" : "DIFFER";
  if (precision && fabsf(loss[1] - loss[0]) <= 0.01f * fabsf(loss[0]))
    same = true, seen = "within 1 %";
  printf("%-24s %.2f times by minima, %.2f by medians; losses %s: %g and %g\n", argv[1],
         took[0][0] / took[1][0], took[0][rounds / 2] / took[1][rounds / 2], seen, (double)loss[0],
         (double)loss[1]);
  for (int k = 0; k < 2; k++) dtgc_free(p[k]);
  return !same;
}
