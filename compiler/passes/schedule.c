/* The steps in the order of the graph: one for each stored value. */
#include "passes.h"

static StepKind step_kind(const Node *n) {
  switch (node_class(n)) {
  case CLASS_REDUCE: return STEP_REDUCE;
  case CLASS_CONTRACT: return STEP_CONTRACT;
  case CLASS_SCATTER: return STEP_SCATTER;
  case CLASS_EXCHANGE: return STEP_EXCHANGE;
  default: return STEP_MAP;
  }
}

/* Nodes that a stored value depends on. */
static bool *find_needed(Plan *p, const LocalEntry *le) {
  const Graph *g = le->graph;
  bool *needed = arena_array(p->arena, bool, g->nodes.n + 1);
  for (int i = 0; i < le->entry->outputs.n; i++) needed[le->output[i]] = true;
  for (int i = 0; i < le->entry->assigns.n; i++) needed[le->assign[i]] = true;
  for (NodeId i = g->nodes.n - 1; i >= 0; i--)
    for (int k = 0; needed[i] && k < graph_node(g, i)->noperands; k++)
      needed[graph_node(g, i)->operand[k]] = true;
  return needed;
}

void schedule(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) {
    LocalEntry *le = &p->entries.at[e];
    bool *needed = find_needed(p, le);
    for (NodeId i = 0; i < le->graph->nodes.n; i++) {
      const Node *n = graph_node(le->graph, i);
      if (!le->stored[i] || !needed[i] || node_class(n) == CLASS_SOURCE ||
          node_class(n) == CLASS_VIEW)
        continue;
      Step s = {.kind = step_kind(n)};
      vec_push(p->arena, &s.nodes, i);
      vec_push(p->arena, &le->steps, s);
    }
  }
}
