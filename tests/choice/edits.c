/* What a user could gain by annotating more. Layouts that fit the mesh are given to each value
 * of a random small program without annotations, one at a time, results included, as
 * --dump=edits would: by the sum over ops and conversions that choices are made by, no program may
 * be cheaper so than as it stands by more than BOUND, and by the figures of --dump=cost, where
 * exchanges share messages and steps have starts, not by more than BOUND_OF_FIGURES. (Annotations
 * are binding: other layouts of inputs may well be cheaper, and axes that no statement has come
 * into no plan.)
 *
 *   choice_edits [first seed] [how many] */
#include "kit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times; the worst of 100 programs were 1.366 and 1.736. */
static const double BOUND = 1.4, BOUND_OF_FIGURES = 1.8;
static const double START = 0.5e-6; /* seconds: programs that take less than some steps' starts */
enum { MOST_EDITS = 40 };

static void on_message(void *user, const Message *m) { (void)user, (void)m; }

/* Modelled seconds of entry f. */
typedef struct Cost {
  double sum, figure;
} Cost;

static Cost cost_of(const Plan *p) {
  const LocalEntry *le = &p->entries.at[1];
  return (Cost){le->choice->least, cost_entry(p, le).time};
}

/* Infinite when it does not compile. */
static Cost cost_of_text(const char *text) {
  Arena *a = arena_new();
  if (!a || arena_catch(a)) abort();
  Diag d;
  FrontSource source = {"test.dtg", text, strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  diag_init(&d, a, on_message, NULL);
  Program *g = front_compile(a, &d, &o);
  Plan *p = g ? pipeline_run(g, NULL) : NULL;
  Cost c = p ? cost_of(p) : (Cost){INFINITY, INFINITY};
  arena_free(a);
  return c;
}

/* Sizes of the axes that some statement has: no others come into a plan of themselves. */
static void axes_said(const Plan *p, const char *text, int *axes) {
  const char *said = strstr(text, "\nlayout");
  for (int a = 0; a < 3; a++) axes[a] = 0;
  for (int a = 0; a < p->program->mesh.naxes; a++)
    for (const char *s = said; s && *s && !axes[a]; s++)
      if (*s == 'a' + a && strchr("[ (", s[-1])) axes[a] = (int)p->program->mesh.axis[a].size;
}

/* The value f.xN of the plan, or NULL. */
static const Node *find(const Plan *p, int x) {
  char name[16];
  snprintf(name, sizeof name, "f.x%d", x);
  const Graph *g = p->program->entries.at[1].graph;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (n->name && !strcmp(n->name, name) && n->noperands) return n;
  }
  return NULL;
}

typedef struct Tally {
  int programs, edits, wrong;
  double sum, figure; /* the most that an edit gained, times */
} Tally;

static void try_edits(Tally *t, const Kit *k, const char *text, int nvalues, uint64_t seed) {
  static char edited[9000];
  Cost base = cost_of(k->plan);
  uint64_t r = seed;
  for (int x = 0; x < nvalues; x++) {
    char said[24], l[100];
    const Node *n = find(k->plan, x);
    int axes[3], dim[MAX_RANK];
    snprintf(said, sizeof said, "layout f.x%d ", x);
    if (!n || strstr(text, said)) continue;
    axes_said(k->plan, text, axes);
    for (int d = 0; d < n->shape.rank; d++) dim[d] = (int)n->shape.dim[d];
    for (int i = 0; i < MOST_EDITS / nvalues; i++) {
      kit_layout(&r, axes, n->shape.rank, dim, l, sizeof l);
      snprintf(edited, sizeof edited, "%slayout f.x%d = %s\n", text, x, l);
      Cost c = cost_of_text(edited);
      double sum = (base.sum + START) / (c.sum + START);
      double figure = (base.figure + START) / (c.figure + START);
      t->edits++;
      t->sum = fmax(t->sum, sum), t->figure = fmax(t->figure, figure);
      if (sum <= BOUND && figure <= BOUND_OF_FIGURES) continue;
      t->wrong++;
      printf("FAIL seed %ld: sum %.6g s, %.6g s (%.3f), figures %.6g s, %.6g s (%.3f) with layout "
             "f.x%d = %s\n%s",
             (long)seed, base.sum, c.sum, sum, base.figure, c.figure, figure, x, l, text);
      return;
    }
  }
}

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 20;
  Tally t = {0};
  for (int i = 0; i < count; i++) {
    static char text[8192];
    uint64_t seed = first + (uint64_t)i;
    int nvalues = kit_mixed_program(seed, i % 2 == 0, text, sizeof text);
    Kit *k = kit_compile(text);
    if (!k) {
      printf("FAIL seed %ld does not compile:\n%s", (long)seed, text);
      return 1;
    }
    t.programs++;
    try_edits(&t, k, text, nvalues, seed);
    kit_free(k);
  }
  printf("%d programs, %d edits: %d programs would be cheaper with one; by up to %.3f times by the "
         "sum and %.3f by the figures\n",
         t.programs, t.edits, t.wrong, t.sum, t.figure);
  return t.wrong != 0;
}
