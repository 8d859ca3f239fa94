/* steps.c: how long a training step takes, compiled from .dtg and written by hand with the same
 * OpenBLAS, in one run and by turns (A B A B), on 1, 2 and 8 devices; and how long it takes to
 * compile one.
 *
 *   steps [ROUNDS [NAME...]]  15 rounds of all; NAME: mnist, imdb, gpt, small, chain, compile
 *
 *   steps check               only whether both sides compute the same
 *
 *   steps one NAME DEVICES K  only side K (0: dtg, 1: by hand), for two seconds: for perf
 *
 * Both sides must give the same losses (1e-4 relative, from the same parameters on the same
 * batches) before anything is timed; if they do not, the program says so and fails. Every round
 * begins at the first values, so that the numbers stay those of training. */
#include <dtgc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hand.h"
#include "texts.h"

char *openblas_get_corename(void);

enum { MOST_ROUNDS = 101, MOST_SIDES = 4, BATCHES = 8, CHECKED = 10 };

typedef struct Side {
  const char *name;
  dtgc_program *dtg; /* or */
  Hand *hand;
  double us[MOST_ROUNDS];
} Side;

typedef struct Case {
  const Text *text;
  int devices, nsides;
  Side side[MOST_SIDES]; /* 0: dtg, 1: by hand, to which the others are compared */
  float *x;
  int32_t *label;
  float *first[HAND_PARTS + 1]; /* of the parameters; ends in NULL */
} Case;

static void die(const char *what, const char *why) {
  fprintf(stderr, "steps: %s: %s\n", what, why);
  exit(1);
}

static void *need(void *memory) {
  if (!memory) die("memory", "there is none left");
  return memory;
}

/* -------- one step of one side -------- */

static float step(Case *c, Side *s, int i) {
  const Text *t = c->text;
  size_t n = (size_t)t->batch * (size_t)t->width;
  const float *x = c->x + (size_t)(i % BATCHES) * n;
  const int32_t *label = c->label + i % BATCHES * t->batch;
  if (s->hand) return hand_step(s->hand, x, label);
  float loss;
  dtgc_buffer in[] = {{"x", (void *)x, n * sizeof *x},
                      {"label", (void *)label, (size_t)t->batch * sizeof *label}};
  dtgc_buffer out = {"loss", &loss, sizeof loss};
  if (dtgc_run(s->dtg, "train", in, t->ninputs, &out, 1)) die(t->name, dtgc_error(s->dtg));
  return loss;
}

/* To the first values, as the .dtg says them. */
static void reset(Case *c, Side *s) {
  if (s->hand) {
    hand_reset(s->hand);
    for (int i = 0; c->first[i]; i++) hand_set(s->hand, i, c->first[i]);
  } else if (dtgc_run(s->dtg, "init", NULL, 0, NULL, 0)) {
    die(c->text->name, dtgc_error(s->dtg));
  }
}

static bool agree(Case *c) {
  double worst = 0;
  bool fine = true;
  float loss[MOST_SIDES] = {0};
  for (int k = 0; k < c->nsides; k++) reset(c, &c->side[k]);
  for (int i = 0; i < CHECKED; i++) {
    for (int k = 0; k < c->nsides; k++) loss[k] = step(c, &c->side[k], i);
    for (int k = 0; k < c->nsides; k++) {
      double off = fabs((double)loss[k] - (double)loss[1]) / fabs((double)loss[1]);
      if (off > worst) worst = off;
      fine &= off <= 1e-4; /* false for a NaN */
    }
  }
  printf("%s, %d device%s: loss %.6g after %d steps, the sides agree to %.1e\n", c->text->name,
         c->devices, c->devices > 1 ? "s" : "", (double)loss[1], CHECKED, worst);
  if (!fine) printf("  NOT TIMED: they do not compute the same\n");
  return fine;
}

/* -------- timing -------- */

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, int n) {
  qsort(v, (size_t)n, sizeof *v, by_size);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void time_side(Case *c, Side *s, int round, int steps) {
  reset(c, s);
  for (int i = 0; i < 2; i++) step(c, s, i);
  double start = text_now();
  for (int i = 0; i < steps; i++) step(c, s, i);
  s->us[round] = (text_now() - start) / steps * 1e6;
}

static void time_case(Case *c, int rounds) {
  for (int r = -1; r < rounds; r++) /* round -1 warms up */
    for (int k = 0; k < c->nsides; k++) time_side(c, &c->side[k], r < 0 ? 0 : r, c->text->steps);
  double hand = median(c->side[1].us, rounds), best = c->side[1].us[0];
  for (int k = 0; k < c->nsides; k++) {
    Side *s = &c->side[k];
    double mid = median(s->us, rounds);
    printf("  %-34s min %9.1f us  median %9.1f us", s->name, s->us[0], mid);
    if (k != 1) printf("  ratio %.2f (of minima %.2f)", mid / hand, s->us[0] / best);
    printf("\n");
  }
  fflush(stdout);
}

/* -------- a case -------- */

static void fill(Case *c) {
  const Text *t = c->text;
  size_t n = (size_t)t->batch * (size_t)t->width * BATCHES;
  c->x = need(malloc((n + 1) * sizeof *c->x));
  c->label = need(malloc((size_t)t->batch * BATCHES * sizeof *c->label));
  uint64_t r = 1;
  for (size_t i = 0; i < n; i++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    c->x[i] = (float)(r >> 40) / 16777216.0f - 0.5f;
  }
  for (int i = 0; i < t->batch * BATCHES; i++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    c->label[i] = (int32_t)((r >> 40) % (uint64_t)t->classes);
  }
}

static void first_values(Case *c, const Hand *h) {
  dtgc_program *p = c->side[0].dtg;
  for (int i = 0; c->text->part[i]; i++) {
    size_t bytes = hand_count(h, i) * sizeof(float);
    c->first[i] = need(malloc(bytes));
    if (dtgc_get(p, c->text->part[i], c->first[i], bytes)) die(c->text->name, dtgc_error(p));
  }
}

static Hand *by_hand(const Text *t, int devices, bool shared) {
  if (!strcmp(t->name, "mnist")) return hand_mnist(devices, shared);
  if (!strcmp(t->name, "imdb")) return hand_imdb(devices, shared);
  if (!strcmp(t->name, "gpt")) return hand_gpt(devices);
  return !strcmp(t->name, "small") ? hand_small(devices) : hand_chain();
}

static void open_case(Case *c, const Text *t, int devices) {
  *c = (Case){.text = t, .devices = devices, .nsides = 2};
  c->side[0] = (Side){.name = "dtg", .dtg = text_compile(t, devices, t->layouts)};
  c->side[1] = (Side){.name = "by hand", .hand = need(by_hand(t, devices, false))};
  if (devices > 1 && t->split_layouts[0]) {
    c->side[2] = (Side){.name = "by hand, one shared set of weights",
                        .hand = need(by_hand(t, devices, true))};
    c->side[3] = (Side){.name = "dtg, moments of Adam split",
                        .dtg = text_compile(t, devices, t->split_layouts)};
    c->nsides = 4;
  }
  fill(c);
  first_values(c, c->side[1].hand);
}

static void close_case(Case *c) {
  for (int k = 0; k < c->nsides; k++) {
    dtgc_free(c->side[k].dtg);
    hand_free(c->side[k].hand);
  }
  for (int i = 0; i < HAND_PARTS; i++) free(c->first[i]);
  free(c->x);
  free(c->label);
}

static bool run_case(const Text *t, int devices, int rounds) {
  Case c;
  open_case(&c, t, devices);
  bool fine = agree(&c);
  if (fine && rounds) time_case(&c, rounds);
  close_case(&c);
  return fine;
}

static int run_one(const char *name, int devices, int side) {
  const Text *t = text_all;
  while (t->name && strcmp(t->name, name)) t++;
  if (!t->name || !(devices == 1 || devices == 2 || devices == 8)) die(name, "no such case");
  Case c;
  open_case(&c, t, devices);
  if (side < 0 || side >= c.nsides) die(name, "no such side");
  double start = text_now();
  long steps = 0;
  for (reset(&c, &c.side[side]); text_now() - start < 2; steps++) {
    if (steps % t->steps == 0) reset(&c, &c.side[side]);
    step(&c, &c.side[side], (int)(steps % BATCHES));
  }
  printf("%s, %d, %s: %ld steps\n", name, devices, c.side[side].name, steps);
  close_case(&c);
  return 0;
}

/* -------- compiling: in a new process each time -------- */

static double compile_once(const char *self, int devices, bool cold, char *stages, size_t n) {
  char command[4096], line[512] = "";
  snprintf(command, sizeof command, "exec '%s' compile-once %d %d", self, devices, cold);
  FILE *f = popen(command, "r");
  if (!f) die(command, "cannot be started");
  if (!fgets(line, sizeof line, f) || pclose(f)) die(command, "failed");
  char *rest;
  double ms = strtod(line, &rest);
  snprintf(stages, n, "%s", rest);
  return ms;
}

static void time_compile(const char *self, int rounds) {
  static const int devices[] = {1, 8};
  for (int d = 0; d < 2; d++) {
    double ms[2][MOST_ROUNDS];
    char stages[2][512];
    compile_once(self, devices[d], false, stages[1], sizeof stages[1]); /* fills the cache */
    for (int r = 0; r < rounds; r++)
      for (int cold = 1; cold >= 0; cold--)
        ms[cold][r] = compile_once(self, devices[d], cold, stages[cold], sizeof stages[cold]);
    for (int cold = 1; cold >= 0; cold--) {
      double mid = median(ms[cold], rounds);
      printf(
          "mnist, text to callable, %d device%s, cache %s: min %.1f ms  median %.1f ms\n   last:%s",
          devices[d], devices[d] > 1 ? "s" : "", cold ? "cold" : "warm", ms[cold][0], mid,
          stages[cold]);
    }
  }
}

int main(int argc, char **argv) {
  static const int sizes[] = {1, 2, 8};
  if (argc == 4 && !strcmp(argv[1], "compile-once"))
    return text_compile_once(atoi(argv[2]), atoi(argv[3]));
  if (argc == 5 && !strcmp(argv[1], "one")) return run_one(argv[2], atoi(argv[3]), atoi(argv[4]));
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  bool check = argc == 2 && !strcmp(argv[1], "check");
  if (!check && (rounds < 7 || rounds > MOST_ROUNDS)) die("rounds", "from 7 to 101");
  bool fine = true, said = false;
  for (int i = 0; text_all[i].name; i++)
    for (int d = 0; d < 3; d++) {
      bool wanted = argc < 3;
      for (int k = 2; k < argc; k++) wanted |= !strcmp(argv[k], text_all[i].name);
      if (!wanted || !(text_all[i].devices & sizes[d])) continue;
      fine &= run_case(&text_all[i], sizes[d], check ? 0 : rounds);
      if (!said) printf("OpenBLAS kernels of both sides: %s\n", openblas_get_corename());
      said = true;
    }
  bool compile = argc < 3 && !check;
  for (int k = 2; k < argc; k++) compile |= !strcmp(argv[k], "compile");
  if (compile) time_compile(argv[0], rounds);
  return !fine;
}
