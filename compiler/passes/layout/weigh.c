/* The final choice of how the ops of an entry are computed. The sum that `choose` minimizes omits
 * two effects: bucketed exchanges share their messages, and each step has a start-up cost. So for
 * small entries the best choices found are kept, by the sum with the messages of identical
 * exchanges counted once; a plan is made of each, and the one that is cheapest by the figures of
 * --dump=cost is taken. */
#include "choose.h"
#include <math.h>
#include <string.h>

double choice_figure(const Plan *p, int entry, const Choice *c) {
  Plan trial = *p;
  memset(&trial.entries, 0, sizeof trial.entries);
  partition_as(&trial, entry, c);
  p->steps(&trial);
  return cost_entry(&trial, &trial.entries.at[0]).time;
}

static double figure(const Plan *p, int entry, Choice *c, const Noted *x) {
  choice_take(c, x);
  if (c->total > c->least + CHOICE_FORBIDDEN / 2) return INFINITY; /* that may not be */
  return choice_figure(p, entry, c);
}

void weigh(Plan *p) {
  for (int e = 1; e < p->program->entries.n && p->program->mesh.naxes; e++) {
    Choice *c = p->chosen[e];
    choice_probe(c);
    if (c->nnoted < 2) continue;
    const Noted *best = NULL;
    double least = INFINITY;
    for (int i = 0; i < c->nnoted; i++) {
      double time = figure(p, e, c, &c->noted[i]);
      if (time < least * (1 - 1e-6)) least = time, best = &c->noted[i];
    }
    if (best) choice_take(c, best);
  }
}
