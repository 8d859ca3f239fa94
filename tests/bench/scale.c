/* What compiling costs as programs and meshes grow, without clang: the training step of
 * tests/scale/gpt.dtg with 12, 32 and 96 blocks on 4, 256 and 65536 devices, and a chain of 1000
 * matrix products from text to callable. Cases are run by turns; each figure is a minimum and a
 * median over the rounds, in ms.
 *
 *   bench_scale FOLDER [ROUNDS [LAYOUT]]     FOLDER: tests/scale */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROUNDS = 99, MOST_STEPS = 256, NBLOCKS = 3, NMESHES = 3, NCASES = NBLOCKS * NMESHES };
static const int blocks[NBLOCKS] = {12, 32, 96};
static const int sizes[NMESHES] = {2, 16, 256};

typedef struct Case {
  const char *step[MOST_STEPS];
  double ms[MOST_STEPS][MOST_ROUNDS];
  double all[MOST_ROUNDS], passes[MOST_ROUNDS]; /* passes: all but the front end and partition */
  int nsteps;
} Case;

static Case cases[NCASES];
static double chain_cold[MOST_ROUNDS], chain_passes[MOST_ROUNDS];

static void die(const dtgc_program *p, const char *what) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  exit(1);
}

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static void print_figure(const char *name, double *ms, int n) {
  qsort(ms, (size_t)n, sizeof *ms, by_value);
  printf("  %-12s %8.2f %8.2f\n", name, ms[0], ms[n / 2]);
}

static void compile_gpt(const char *folder, const char *layout, int k, int round) {
  char model[1024], layouts[1024], nblocks[32], mesh[64];
  int b = blocks[k / NMESHES], m = sizes[k % NMESHES];
  snprintf(model, sizeof model, "%s/gpt.dtg", folder);
  snprintf(layouts, sizeof layouts, "%s/%s.dtg", folder, layout);
  snprintf(nblocks, sizeof nblocks, "blocks=%d", b);
  snprintf(mesh, sizeof mesh, "data=%d,model=%d", m, m);
  const char *define[] = {nblocks, "batch=65536"};
  dtgc_source s[] = {{.name = model}, {.name = layouts}};
  dtgc_options o = {.define = define, .ndefines = 2, .mesh = mesh};
  dtgc_program *p;
  if (dtgc_compile(s, 2, &o, &p)) die(p, mesh);
  dtgc_time t[MOST_STEPS];
  Case *c = &cases[k];
  int n = dtgc_times(p, t, MOST_STEPS);
  c->nsteps = n < MOST_STEPS ? n : MOST_STEPS;
  for (int i = 0; i < c->nsteps; i++) {
    c->step[i] = t[i].step; /* a constant of the library */
    c->ms[i][round] = t[i].ms;
    c->all[round] += t[i].ms;
    if (strcmp(t[i].step, "front") && strcmp(t[i].step, "partition")) c->passes[round] += t[i].ms;
  }
  dtgc_free(p);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void compile_chain(int round) {
  static const char text[] = "entry f(x: f32[64, 64], w: f32[64, 64]) {\n"
                             "  for i in 0..1000 { x = x @ w }\n"
                             "  return y = x\n"
                             "}\n";
  dtgc_options o = {.no_cache = 1};
  dtgc_program *p;
  double start = now_ms();
  if (dtgc_compile_string("chain.dtg", text, &o, &p)) die(p, "chain");
  chain_passes[round] = now_ms() - start;
  if (dtgc_start(p)) die(p, "chain");
  chain_cold[round] = now_ms() - start;
  dtgc_free(p);
}

int main(int argc, char **argv) {
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  const char *layout = argc > 3 ? argv[3] : "megatron";
  if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "bench_scale FOLDER [ROUNDS (1 to %d) [LAYOUT]]\n", MOST_ROUNDS);
    return 2;
  }
  for (int r = 0; r < rounds; r++) {
    for (int k = 0; k < NCASES; k++) compile_gpt(argv[1], layout, k, r);
    compile_chain(r);
  }
  printf("%s, %d rounds; ms, minimum and median\n", layout, rounds);
  for (int k = 0; k < NCASES; k++) {
    Case *c = &cases[k];
    int m = sizes[k % NMESHES];
    printf("%d blocks on %dx%d\n", blocks[k / NMESHES], m, m);
    for (int i = 0; i < c->nsteps; i++) print_figure(c->step[i], c->ms[i], rounds);
    print_figure("passes*", c->passes, rounds);
    print_figure("all", c->all, rounds);
  }
  printf("chain of 1000 products, 1 device\n");
  print_figure("passes", chain_passes, rounds);
  print_figure("callable", chain_cold, rounds);
  printf("* all but front and partition\n");
  return 0;
}
