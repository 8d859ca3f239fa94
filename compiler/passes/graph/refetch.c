/* Gives each use of a variable under `forbid keep` its own read: every op then has its own copy in
 * the layout it requires, made right before it and freed after it. Parameters that are laid out
 * split are gathered in the forward pass and once more in the backward pass (ZeRO, stage 3:
 * Rajbhandari et al. 2020).
 *
 *   %1 = var w ; %5 = contract %3, %1 ; ... ; %9 = contract %8, %1
 *   ->  %1 = var w ; %5 = contract %3, %1 ; ... ; %9 = var w ; %10 = contract %8, %9 */
#include "graph_passes.h"

typedef struct Refetch {
  Plan *plan;
  const Graph *old;
  Graph *graph;
  NodeId *map;
  bool *read; /* by old node: it has a reader */
} Refetch;

static bool is_anew(const Program *p, const Node *n) {
  return n->op == OP_var && (p->forbid_keep.file || p->vars.at[node_source(n)].forbid_keep.file);
}

static NodeId operand_of(Refetch *r, NodeId x) {
  const Node *n = graph_node(r->old, x);
  if (!is_anew(r->plan->program, n)) return r->map[x];
  if (r->read[x]) return graph_add(r->graph, n);
  r->read[x] = true;
  return r->map[x];
}

static void rewrite(Plan *p, Entry *e) {
  int n = e->graph->nodes.n;
  Refetch r = {.plan = p, .old = e->graph};
  bool any = false;
  for (NodeId i = 0; i < n; i++) any = any || is_anew(p->program, graph_node(e->graph, i));
  if (!any) return;
  r.graph = graph_new(p->arena, VIEW_GLOBAL, n);
  r.map = arena_array(p->arena, NodeId, n);
  r.read = arena_array(p->arena, bool, n);
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(e->graph, i);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++) {
      x[k] = NO_NODE;
      for (int j = 0; j < k && x[k] == NO_NODE; j++) /* an op reads it once */
        if (copy.operand[j] == copy.operand[k]) x[k] = x[j];
      if (x[k] == NO_NODE) x[k] = operand_of(&r, copy.operand[k]);
    }
    copy.operand = x;
    r.map[i] = graph_add(r.graph, &copy);
  }
  entry_rewritten(e, r.graph, r.map);
}

void refetch(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) rewrite(p, &p->program->entries.at[i]);
}
