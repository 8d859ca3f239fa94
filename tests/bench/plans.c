/* How good plans are, in the model of choose.h (docs/performance.md has a table of it):
 *
 *   - random graphs: how often the plan is cheaper than the one that each op for itself would have
 *     chosen, and by how much;
 *   - models under their layouts: the same;
 *   - dtgc --auto: how far the layouts found are from the bound at most, and the processor time it
 *     takes to find them, with the bound, after the program was compiled.
 *
 *   bench_plans SOURCES [how many random graphs] */
#include "auto.h"
#include "kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 100000 };

static const char *root;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void random_graphs(int count) {
  static double saved[MOST];
  int better = 0, n = count < MOST ? count : MOST;
  for (int i = 0; i < n; i++) {
    char text[8192];
    kit_program((uint64_t)i + 1, text, sizeof text);
    Kit *k = kit_compile(text);
    if (!k) exit(1);
    const Choice *c = k->plan->entries.at[1].choice;
    saved[i] = c->total > 0 ? 1 - c->total / c->greedy : 0;
    better += saved[i] > 1e-9;
    kit_free(k);
  }
  qsort(saved, (size_t)n, sizeof *saved, by_size);
  printf("%d random graphs: %.0f %% cheaper than greedy; of these by %.1f %% in the middle, %.1f "
         "%% at most\n",
         n, 100.0 * better / n, better ? 100 * saved[n - 1 - better / 2] : 0, 100 * saved[n - 1]);
}

/* -------- models -------- */

typedef struct Model {
  const char *what, *model, *layout; /* files below `root`; layout NULL: none */
  const char *define, *mesh;
} Model;

static char *read_text(const char *path, size_t *len) {
  char name[1000];
  snprintf(name, sizeof name, "%s/%s", root, path);
  FILE *f = fopen(name, "r");
  char *text = malloc(MOST);
  if (!f || !text) {
    fprintf(stderr, "%s cannot be read\n", name);
    exit(1);
  }
  *len = fread(text, 1, MOST - 1, f);
  text[*len] = 0;
  fclose(f);
  return text;
}

static Kit *open_model(const Model *m) {
  FrontSource s[2] = {{.name = "model.dtg"}, {.name = "layouts.dtg"}};
  char *text[2] = {NULL, NULL};
  text[0] = read_text(m->model, &s[0].len), s[0].text = text[0];
  if (m->layout) text[1] = read_text(m->layout, &s[1].len), s[1].text = text[1];
  FrontOptions o = {.source = s,
                    .nsources = m->layout ? 2 : 1,
                    .define = &m->define,
                    .ndefines = m->define != NULL,
                    .mesh = m->mesh};
  Kit *k = kit_open(&o);
  if (!k) exit(1);
  free(text[0]), free(text[1]);
  return k;
}

static double entry_of(const Kit *k, bool greedy) {
  double t = 0;
  for (int e = 0; e < k->plan->entries.n; e++)
    if (auto_entry(k->plan, e))
      t += greedy ? k->plan->entries.at[e].choice->greedy : k->plan->entries.at[e].choice->total;
  return t;
}

static void under_layouts(void) {
  static const Model models[] = {
      {"MNIST, data parallel", "samples/mnist/mlp.dtg", "samples/mnist/data_parallel.dtg", NULL,
       NULL},
      {"MNIST, model parallel", "samples/mnist/mlp.dtg", "samples/mnist/model_parallel.dtg", NULL,
       NULL},
      {"MNIST, mixed", "samples/mnist/mlp.dtg", "samples/mnist/mixed.dtg", NULL, NULL},
      {"CIFAR-10, batch", "samples/cifar10/cnn.dtg", "samples/cifar10/batch.dtg", NULL, NULL},
      {"CIFAR-10, space", "samples/cifar10/cnn.dtg", "samples/cifar10/space.dtg", NULL, NULL},
      {"CIFAR-10, mixed", "samples/cifar10/cnn.dtg", "samples/cifar10/mixed.dtg", NULL, NULL},
      {"GPT, 12 blocks, data", "tests/scale/gpt.dtg", "tests/scale/data.dtg", NULL, NULL},
      {"GPT, 12 blocks, megatron", "tests/scale/gpt.dtg", "tests/scale/megatron.dtg", NULL, NULL},
      {"GPT, 12 blocks, zero", "tests/scale/gpt.dtg", "tests/scale/zero.dtg", NULL, NULL},
  };
  printf("\n%-28s %10s %10s %8s\n", "a training step, modelled", "greedy", "plan", "saved");
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    Kit *k = open_model(&models[i]);
    double greedy = entry_of(k, true), plan = entry_of(k, false);
    printf("%-28s %7.3f ms %7.3f ms %6.1f %%\n", models[i].what, greedy * 1e3, plan * 1e3,
           100 * (1 - plan / greedy));
    kit_free(k);
  }
}

static void automatic(void) {
  static const Model models[] = {
      {"MNIST, 2x2", "samples/mnist/mlp.dtg", NULL, NULL, "data=2,model=2"},
      {"CIFAR-10, 2x2", "samples/cifar10/cnn.dtg", NULL, NULL, "data=2,model=2"},
      {"GPT, 2 blocks, 4x2", "tests/scale/gpt.dtg", NULL, "blocks=2", "data=4,model=2"},
      {"GPT, 12 blocks, 4x2", "tests/scale/gpt.dtg", NULL, "blocks=12", "data=4,model=2"},
      {"GPT, 32 blocks, 4x2", "tests/scale/gpt.dtg", NULL, "blocks=32", "data=4,model=2"},
      {"GPT, 96 blocks, 4x2", "tests/scale/gpt.dtg", NULL, "blocks=96", "data=4,model=2"},
      {"GPT, 32 blocks, 16x16", "tests/scale/gpt.dtg", NULL, "blocks=32", "data=16,model=16"},
  };
  printf("\n%-24s %12s %12s %12s %8s %9s %9s\n", "layouts found", "as it is", "found", "bound",
         "gap", "compile", "find");
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    double began = processor_time();
    Kit *k = open_model(&models[i]);
    double compiled = processor_time();
    const Auto *a = auto_find(k->plan, 0, true, true);
    double done = processor_time();
    printf("%-24s %9.3f ms %9.3f ms %9.3f ms %6.1f %% %7.2f s %7.2f s\n", models[i].what,
           entry_of(k, false) * 1e3, a->time * 1e3, a->bound * 1e3, 100 * (a->time / a->bound - 1),
           compiled - began, done - compiled);
    kit_free(k);
  }
}

int main(int argc, char **argv) {
  root = argc > 1 ? argv[1] : ".";
  random_graphs(argc > 2 ? atoi(argv[2]) : 300);
  under_layouts();
  automatic();
  return 0;
}
