/* What a user could gain by saying more. Every layout that the mesh has room for is said of each
 * value of a random small program of which nothing is said, one at a time, results included, as
 * --dump=edits would: no plan may be cheaper so, by the model's own figures, than the program as it
 * stands, by more than BOUND. (What is said binds; saying other things of the inputs may well be
 * cheaper.)
 *
 *   choice_edits [first seed] [how many] */
#include "kit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double BOUND = 0.01; /* of the time: `contest` goes for no less */
enum { MOST_EDITS = 40 };

static void on_message(void *user, const Message *m) { (void)user, (void)m; }

/* Modelled seconds of all entries but init; infinite when it does not compile. */
static double total_of(const char *text) {
  Arena *a = arena_new();
  if (!a || arena_catch(a)) abort();
  Diag d;
  FrontSource source = {"test.dtg", text, strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  diag_init(&d, a, on_message, NULL);
  Program *g = front_compile(a, &d, &o);
  Plan *p = g ? pipeline_run(g, NULL) : NULL;
  double t = p ? 0 : INFINITY;
  for (int e = 1; p && e < p->entries.n; e++) t += p->entries.at[e].choice->total;
  arena_free(a);
  return t;
}

static int naxes_of(const char *text) { return strstr(text, "c=") ? 3 : strstr(text, "b=") ? 2 : 1; }

/* The rank of f.xN in the text's plan, or -1. */
static int rank_of(const Plan *p, int x) {
  char name[16];
  snprintf(name, sizeof name, "f.x%d", x);
  const Graph *g = p->program->entries.at[1].graph;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (n->name && !strcmp(n->name, name) && n->noperands) return n->shape.rank;
  }
  return -1;
}

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 60, wrong = 0, edits = 0, programs = 0;
  double worst = 1;
  for (int i = 0; i < count; i++) {
    static char text[8192], edited[9000];
    uint64_t seed = first + (uint64_t)i, r = seed;
    int nvalues = kit_mixed_program(seed, i % 2 == 0, text, sizeof text);
    Kit *k = kit_compile(text);
    if (!k) {
      printf("FAIL seed %ld does not compile:\n%s", (long)seed, text);
      return 1;
    }
    double base = 0, best = INFINITY;
    char which[200] = "";
    for (int e = 1; e < k->plan->entries.n; e++) base += k->plan->entries.at[e].choice->total;
    programs++;
    for (int x = 0; x < nvalues; x++) {
      char said[24];
      int rank = rank_of(k->plan, x);
      snprintf(said, sizeof said, "layout f.x%d ", x);
      if (rank < 0 || strstr(text, said)) continue;
      for (int t = 0; t < MOST_EDITS / nvalues; t++) {
        char l[100];
        kit_layout(&r, naxes_of(text), rank, l, sizeof l);
        snprintf(edited, sizeof edited, "%slayout f.x%d = %s\n", text, x, l);
        double time = total_of(edited);
        edits++;
        if (time < best) best = time, snprintf(which, sizeof which, "layout f.x%d = %s", x, l);
      }
    }
    kit_free(k);
    worst = fmax(worst, base / best);
    if (!(best < base * (1 - BOUND) - 1e-9)) continue;
    wrong++;
    printf("FAIL %s seed %ld: %.6g s, and %.6g s (%.3f) with %s\n%s", i % 2 ? "open" : "said", (long)seed, base, best,
           base / best, which, text);
  }
  printf("%d programs, %d edits: %d programs would be cheaper with one (up to %.3f times)\n",
         programs, edits, wrong, worst);
  return wrong != 0;
}
