/* Decides conflicts of propagation by cost.
 *
 *   y = x @ w, x [(a, b), _], w [_, (a, c)]  ->  y [(a, b), _]? [(a, b), c]? [b, (a, c)]?
 *
 * If ops disagree on how a tensor without annotation is to be split, `propagate` takes the first
 * or the largest and records the rejected proposals. Here each of these outcomes is tried, most
 * expensive tensors first: layouts are inferred again, and the outcome is kept if the modelled
 * time of all entries but `init` falls by more than TRIAL_GAIN. For inner values the way of computing
 * their op is chosen anyway; this matters for outputs, inputs and variables, which keep their
 * inferred layouts.
 *
 * The work is bounded by the size of the program, so that large ones compile as fast as before:
 * there everything stays as inferred. */
#include "choose.h"
#include <math.h>

enum { MOST_TRIED = 2000 }; /* nodes, over all trials */

static double bytes_of(const Contest *x) {
  return (double)shape_count(&x->shape) * x->tensors.n;
}

/* The largest that has not been tried, or NULL. */
static Contest *next(Contests *all) {
  Contest *best = NULL;
  for (int i = 0; i < all->at.n; i++) {
    Contest *x = &all->at.at[i];
    if (!x->tried && (!best || bytes_of(x) > bytes_of(best))) best = x;
  }
  return best;
}

static PlanTrial hold_contests(Plan *p, PlanTrial best, int left, WaysCache *ways) {
  Contests *all = p->contests;
  bool now = true; /* layouts are those of the best */
  for (Contest *x; best.time < INFINITY && left > 0 && (x = next(all)); left--) {
    x->tried = x->held = true;
    propagate(p);
    PlanTrial t = trial_of_plan(p, ways);
    now = t.time < best.time * (1 - TRIAL_GAIN);
    x->held = now;
    if (now) best = t;
  }
  if (!now) propagate(p);
  return best;
}

void contest(Plan *p) {
  Program *g = p->program;
  int left = MOST_TRIED / (trial_nodes(g) + 1);
  p->contests->known = true;
  if (!p->contests->at.n || !left) return;
  WaysCache *ways = plan_ways(p);
  p->chosen = hold_contests(p, trial_of_plan(p, ways), left, ways).chosen;
}
