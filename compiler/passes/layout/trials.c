/* Layouts that passes try: entries are chosen anew with them, and what becomes faster is kept. */
#include "choose.h"
#include <math.h>

PlanTrial trial_of_plan(Plan *p, WaysCache *ways) {
  const int n = p->program->entries.n;
  PlanTrial t = {0, arena_array(p->arena, Choice *, n + 1)};
  for (int e = 1; e < n; e++) {
    t.chosen[e] = choose_entry(p, e, ways);
    t.time += t.chosen[e]->total;
  }
  return t;
}

int trial_nodes(const Program *g) {
  int n = 0;
  for (int e = 1; e < g->entries.n; e++) n += g->entries.at[e].graph->nodes.n;
  return n;
}

bool trial_wins(EntryTrials *t) {
  if (t->left <= 0) return false;
  t->left--;
  Choice *now = choose_entry(t->plan, t->index, t->ways);
  if (!(now->total < t->best->total * (1 - TRIAL_GAIN))) return false;
  t->best = now;
  return true;
}

void trials_of_entries(Plan *p, int most, bool (*opens)(const Entry *e),
                       void (*place)(EntryTrials *t)) {
  Program *g = p->program;
  if (!g->mesh.naxes) return;
  Choice **chosen = arena_array(p->arena, Choice *, g->entries.n + 1);
  WaysCache *ways = plan_ways(p);
  for (int e = 1; e < g->entries.n; e++) {
    EntryTrials t = {.plan = p, .entry = &g->entries.at[e], .index = e, .ways = ways};
    const Graph *graph = t.entry->graph;
    chosen[e] = p->chosen ? p->chosen[e] : NULL;
    t.left = most / (graph->nodes.n + 1);
    if (t.left < 2 || !opens(t.entry)) continue;
    t.best = chosen[e] ? chosen[e] : choose_entry(p, e, ways);
    for (NodeId i = 0; i < graph->nodes.n; i++) t.axes |= layout_axes(graph_node(graph, i)->layout);
    if (t.best->total < INFINITY) place(&t);
    chosen[e] = t.best;
  }
  p->chosen = chosen;
}
