/* A wider halo for several runs of a loop. Where each run of a loop exchanges borders and does
 * nothing else with other devices, k runs are one, which exchanges borders k times as wide, once,
 * and computes in each run but the last what its neighbours compute, too, as far as the runs behind
 * it need it:
 *
 *   repeat { u = step(halo(u, 1)) }  ->  repeat { v = halo(u, 2); u = step(step(v)) }, and the rest
 *
 * A run then waits for others a k-th as often; the bytes are the same and a little more, and the
 * computation grows with the borders. k is the number for which the entry takes least time, with
 * the schedule that comes of it, if that is less by GAIN; twice as many are tried as long as that
 * helps. The loop for the rest, which has up to k - 1 runs, may have a halo for several of them in
 * its turn. What is computed twice has the same bits, and sums are in no such loop. */
#include "halos.h"
#include <string.h>

static const double GAIN = 0.05;

static double time_of(const Plan *p, const LocalEntry *le) {
  Plan trial = *p;
  trial.entries.at = NULL;
  trial.entries.n = trial.entries.cap = 0;
  vec_push(p->arena, &trial.entries, *le);
  p->steps(&trial);
  return cost_entry(&trial, &trial.entries.at[0]).time;
}

static void halos_of(Plan *p, LocalEntry *le, int region);

/* Regions of an entry of our own, the last from `first` on left of others and expected to run so
 * often. */
static Entry *expecting(Plan *p, const Entry *from, int first, double mean) {
  Entry *e = arena_copy(p->arena, from, sizeof *e);
  memset(&e->regions, 0, sizeof e->regions);
  for (int r = 0; r < from->regions.n; r++) {
    Region x = from->regions.at[r];
    if (r >= first) x.mean = mean;
    vec_push(p->arena, &e->regions, x);
  }
  return e;
}

/* The loop for the runs that are left of k as one has up to k - 1, half as many in the mean. */
static void halos_of_rest(Plan *p, LocalEntry *le, int region) {
  LocalEntry made = *le;
  const Entry *e = made.entry =
      expecting(p, le->entry, region, (double)le->entry->regions.at[region].most / 2);
  halos_of(p, &made, region);
  if (made.entry == e) return;
  made.entry = expecting(p, made.entry, region, 0);
  *le = made;
}

/* Twice as many runs as long as that helps; then some more or fewer than the best, by halves. */
static void halos_of(Plan *p, LocalEntry *le, int region) {
  LocalEntry made, best = *le;
  if (!halos_made(p, le, region, 2, &made)) return;
  const double once = time_of(p, le);
  double least = once;
  int most = 1;
  for (int runs = 2; halos_made(p, le, region, runs, &made); runs *= 2) {
    const double time = time_of(p, &made);
    if (time >= least) break;
    least = time, best = made, most = runs;
  }
  for (int step = most / 2; step >= 1 && most >= 2; step /= 2)
    for (int sign = -1; sign <= 1; sign += 2) {
      const int k = most + sign * step;
      if (k < 2 || !halos_made(p, le, region, k, &made)) continue;
      const double time = time_of(p, &made);
      if (time < least) least = time, best = made, most = k;
    }
  if (least > once * (1 - GAIN)) return;
  const int rest = le->entry->regions.n;
  *le = best;
  if (le->entry->regions.n > rest) halos_of_rest(p, le, rest);
}

/* By region: it is a loop that exchanges something, and has no region within. */
static bool *find_loops(const Plan *p, const LocalEntry *le) {
  const Entry *e = le->entry;
  bool *found = arena_array(p->arena, bool, e->regions.n + 1);
  const int *in = regions_find(p->arena, e, le->graph);
  for (NodeId i = 0; i < le->graph->nodes.n; i++)
    if (in[i] != NO_REGION && graph_node(le->graph, i)->op == OP_exchange) found[in[i]] = true;
  for (int r = 0; r < e->regions.n; r++) {
    const int around = e->regions.at[r].parent;
    if (around != NO_REGION && le->region[r].condition != NO_NODE) found[around] = false;
    if (e->regions.at[r].kind != REGION_LOOP || le->region[r].condition == NO_NODE)
      found[r] = false;
  }
  return found;
}

static void halos_entry(Plan *p, LocalEntry *le) {
  const int n = le->entry->regions.n;
  const bool *loops = n ? find_loops(p, le) : NULL;
  for (int r = 0; r < n; r++)
    if (loops[r]) halos_of(p, le, r);
}

void halos(Plan *p) {
  if (!p->program->mesh.naxes || p->observe || p->memory > 0) return;
  for (int e = 1; e < p->entries.n; e++) halos_entry(p, &p->entries.at[e]);
}
