#include "depend.h"

Depend depend_of(Arena *a, const LocalEntry *le) {
  const Graph *g = le->graph;
  const int n = g->nodes.n, nsteps = le->steps.n;
  Depend d = {.arena = a,
              .le = le,
              .reads = arena_array(a, Reads, nsteps + 1),
              .made_by = arena_array(a, int, n + 1),
              .readers = arena_array(a, IntVec, n + 1),
              .at_end = arena_array(a, bool, n + 1),
              .variable = arena_array(a, int, n + 1)};
  int nvars = 0;
  for (int i = 0; i < n; i++) {
    const Node *v = graph_node(g, i);
    d.made_by[i] = d.variable[i] = -1;
    if (v->op == OP_var && node_source(v) >= nvars) nvars = node_source(v) + 1;
  }
  for (int i = le->entry->assigns.n - 1; i >= 0; i--) {
    const int var = le->entry->assigns.at[i].var;
    d.variable[node_base(g, le->assign[i])] = var;
    if (var >= nvars) nvars = var + 1;
  }
  d.old = arena_array(a, IntVec, nvars + 1);
  for (int i = 0; i < n; i++) {
    const Node *v = graph_node(g, i);
    if (v->op == OP_var) vec_push(a, &d.old[node_source(v)], i);
  }
  kept_mark(le, d.at_end);
  for (int t = 0; t < nsteps; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      int *by = &d.made_by[s->nodes.at[i]];
      if (*by < 0) *by = t; /* a tile nest may make it once more */
    }
    step_reads(le, s, a, &d.reads[t]);
    for (int i = 0; i < d.reads[t].n; i++) vec_push(a, &d.readers[d.reads[t].at[i].node], t);
  }
  return d;
}

bool reads_node(const Reads *r, NodeId id) {
  for (int i = 0; i < r->n; i++)
    if (r->at[i].node == id) return true;
  return false;
}

bool step_updates(const Graph *g, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++)
    if (node_goes_on(graph_node(g, s->nodes.at[i]))) return true;
  return false;
}

bool depend_old_read(const Depend *d, int var, int from, int to) {
  for (int k = 0; k < d->old[var].n; k++) {
    const IntVec *readers = &d->readers[d->old[var].at[k]];
    for (int r = 0; r < readers->n; r++)
      if (readers->at[r] >= from && readers->at[r] < to) return true;
  }
  return false;
}

bool depend_update_waits(const Depend *d, const Step *s, int from, int to) {
  for (int i = 0; i < s->nodes.n; i++) {
    const int var = d->variable[s->nodes.at[i]];
    if (var >= 0 && depend_old_read(d, var, from, to)) return true;
  }
  return false;
}
