/* Decides conflicts of propagation by cost.
 *
 *   y = x @ w, x [(a, b), _], w [_, (a, c)]  ->  y [(a, b), _]? [(a, b), c]? [b, (a, c)]?
 *
 * If ops disagree on how a tensor without annotation is to be split, `propagate` takes the first
 * or the largest and records the rejected proposals. Here each of these outcomes is tried, most
 * expensive tensors first: layouts are inferred again, and the outcome is kept if the modelled
 * time of all entries but `init` falls by more than GAIN. For inner values the way of computing
 * their op is chosen anyway; this matters for outputs, inputs and variables, which keep their
 * inferred layouts.
 *
 * The work is bounded by the size of the program, so that large ones compile as fast as before:
 * there everything stays as inferred. */
#include "choose.h"
#include <math.h>
#include <string.h>

static const double GAIN = 0.01; /* of the time */
enum { MOST_TRIED = 2000 };      /* nodes, over all trials */

typedef struct Trial {
  double time;
  Choice **chosen; /* by entry */
} Trial;

static Trial try_all(Plan *p, Routes *routes, WaysCache *ways) {
  int n = p->program->entries.n;
  Trial t = {0, arena_array(p->arena, Choice *, n + 1)};
  for (int e = 1; e < n; e++) {
    t.chosen[e] = choose_entry(p, e, routes, ways);
    t.time += t.chosen[e]->total;
  }
  return t;
}

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

static int budget(int nodes) { return MOST_TRIED / (nodes + 1); }

static int nodes_of(const Program *g) {
  int nodes = 0;
  for (int e = 1; e < g->entries.n; e++) nodes += g->entries.at[e].graph->nodes.n;
  return nodes;
}

static Trial hold_contests(Plan *p, Trial best, int left, Routes *routes, WaysCache *ways) {
  Contests *all = p->contests;
  bool now = true; /* layouts are those of the best */
  for (Contest *x; best.time < INFINITY && left > 0 && (x = next(all)); left--) {
    x->tried = x->held = true;
    propagate(p);
    Trial t = try_all(p, routes, ways);
    now = t.time < best.time * (1 - GAIN);
    x->held = now;
    if (now) best = t;
  }
  if (!now) propagate(p);
  return best;
}

void contest(Plan *p) {
  Program *g = p->program;
  int left = budget(nodes_of(g));
  p->contests->known = true;
  if (!p->contests->at.n || !left) return;
  Routes *routes = arena_new_of(p->arena, Routes);
  *routes = (Routes){.program = g, .arena = p->arena};
  WaysCache *ways = ways_cache(routes, true);
  p->chosen = hold_contests(p, try_all(p, routes, ways), left, routes, ways).chosen;
}
