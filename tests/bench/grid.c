/* grid.c: heat in a plate (f32) and conjugate gradients (f64) on a grid of n x n points beside C by hand (hand_grid.c), by
 * turns in one process, all steps in one call: minima and medians.
 *   bench_grid SAMPLES [N [STEPS [ROUNDS]]]
 * on one device and on 2x2; what both have computed is compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dtgc.h"
#include "hand_grid.h"

enum { MOST_ROUNDS = 101 };

static int n = 1024, steps = 1000, rounds = 7;
static const char *samples;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static dtgc_program *compiled(const char *of, const char *model, int ndevices) {
  static char name[2][4096], text[3][64];
  const char *define[] = {text[0], text[1]};
  snprintf(name[0], sizeof name[0], "%s/%s/%s.dtg", samples, of, model);
  snprintf(name[1], sizeof name[1], "%s/%s/grid.dtg", samples, of);
  snprintf(text[0], sizeof text[0], "n=%d", n);
  snprintf(text[1], sizeof text[1], "most=%d", steps);
  const dtgc_source source[] = {{.name = name[0]}, {.name = name[1]}};
  const dtgc_options o = {.define = define, .ndefines = strcmp(of, "heat") ? 2 : 1, .cores = 1};
  dtgc_program *p;
  if (dtgc_compile(source, ndevices > 1 ? 2 : 1, &o, &p) == DTGC_OK) return p;
  fprintf(stderr, "%s: %s\n", name[0], dtgc_error(p));
  exit(1);
}

static int told(const char *what, int ndevices, double (*took)[MOST_ROUNDS], double differs,
                double most) {
  for (int k = 0; k < 2; k++) qsort(took[k], (size_t)rounds, sizeof took[k][0], by_size);
  printf("%-8s %d x %d, %d device%s  us a step: dtg %8.1f (median %8.1f)  by hand %8.1f (median %8.1f)  "
         "%.3f times by minima, %.3f by medians; they differ by %g%s\n",
         what, n, n, ndevices, ndevices > 1 ? "s" : " ", took[0][0], took[0][rounds / 2], took[1][0],
         took[1][rounds / 2], took[0][0] / took[1][0], took[0][rounds / 2] / took[1][rounds / 2],
         differs, differs <= most ? "" : ", which is WRONG");
  fflush(stdout);
  return !(differs <= most);
}

static int heat(int cuts) {
  static double took[2][MOST_ROUNDS];
  const size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
  float *first = malloc(bytes), *out[2] = {malloc(bytes), malloc(bytes)}, mean;
  int32_t turns = steps;
  for (size_t i = 0; i < count; i++) first[i] = (float)(i * 2654435761u % 1000) * 1e-3f;
  dtgc_program *p = compiled("heat", "heat", cuts * cuts);
  HandGrid *g = hand_grid(n, cuts, cuts);
  const dtgc_buffer in[] = {{"u", first, bytes}, {"steps", &turns, sizeof turns}};
  dtgc_buffer result[] = {{"u", out[0], bytes}, {"heat", &mean, sizeof mean}};
  for (int r = -1; r < rounds; r++)
    for (int k = 0; k < 2; k++) {
      if (k) memcpy(out[1], first, bytes);
      const double start = now();
      if (k)
        hand_heat(g, out[1], steps, 0.2f);
      else if (dtgc_run(p, "run", in, 2, result, 2) != DTGC_OK)
        fprintf(stderr, "heat: %s\n", dtgc_error(p)), exit(1);
      if (r >= 0) took[k][r] = (now() - start) / steps * 1e6;
    }
  double differs = 0;
  for (size_t i = 0; i < count; i++) differs = fmax(differs, fabs((double)out[0][i] - (double)out[1][i]));
  hand_grid_free(g);
  dtgc_free(p);
  return told("heat", cuts * cuts, took, differs, 1e-5);
}

static int solver(int cuts) {
  static double took[2][MOST_ROUNDS];
  const size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(double);
  double *b = malloc(bytes), *x[2] = {malloc(bytes), malloc(bytes)}, tol = 0, residual, most = 0, differs = 0;
  int64_t done;
  for (size_t i = 0; i < count; i++) b[i] = (double)(i * 2654435761u % 1000) * 1e-3;
  dtgc_program *p = compiled("solver", "solver", cuts * cuts);
  HandGrid *g = hand_grid(n, cuts, cuts);
  const dtgc_buffer in[] = {{"b", b, bytes}, {"tol", &tol, sizeof tol}};
  dtgc_buffer result[] = {{"x", x[0], bytes}, {"steps", &done, sizeof done}, {"residual", &residual, sizeof residual}};
  for (int r = -1; r < rounds; r++)
    for (int k = 0; k < 2; k++) {
      const double start = now();
      if (k)
        hand_solve(g, b, x[1], steps);
      else if (dtgc_run(p, "solve", in, 2, result, 3) != DTGC_OK)
        fprintf(stderr, "solver: %s\n", dtgc_error(p)), exit(1);
      if (r >= 0) took[k][r] = (now() - start) / steps * 1e6;
    }
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(x[0][i]));
    differs = fmax(differs, fabs(x[0][i] - x[1][i]));
  }
  hand_grid_free(g);
  dtgc_free(p);
  return told("solver", cuts * cuts, took, differs / most, 1e-6);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: bench_grid SAMPLES [N [STEPS [ROUNDS]]]\n"), 2;
  samples = argv[1];
  if (argc > 2) n = atoi(argv[2]);
  if (argc > 3) steps = atoi(argv[3]);
  if (argc > 4) rounds = atoi(argv[4]);
  if (n < 64 || n % 64 || steps < 1 || rounds < 1 || rounds > MOST_ROUNDS)
    return fprintf(stderr, "bench_grid: N is a multiple of 64, STEPS and ROUNDS are at least 1\n"), 2;
  int wrong = 0;
  for (int cuts = 1; cuts <= 2; cuts++) wrong |= heat(cuts) | solver(cuts);
  return wrong;
}
