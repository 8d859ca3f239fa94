/* Initial order: one step for each stored value, in the order of the graph. An exchange with a
 * smaller result than its operand, and the only use of it, comes right after the operand, so that
 * the operand is freed early: a reduce-scatter of a gradient, a copy of the local block.
 *
 *   grad w2 ; grad w1 ; scatter w2 ; update w2 ; ...  ->  grad w2 ; scatter w2 ; grad w1 ; ... */
#include "schedule_passes.h"

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

typedef struct Schedule {
  Plan *plan;
  LocalEntry *le;
  const bool *needed;
  NodeId
      *only; /* by base node: the exchange that alone reads it and makes less of it, or NO_NODE */
  bool *is_early; /* by node: it is somebody's `only` */
} Schedule;

static int64_t local_bytes(const Plan *p, const Node *n) {
  Shape local = layout_local(&p->program->mesh, n->layout, &n->shape);
  return shape_count(&local) * dtype_size(n->dtype);
}

static void find_early(Schedule *s) {
  const Graph *g = s->le->graph;
  int n = g->nodes.n, *readers = arena_array(s->plan->arena, int, n + 1);
  s->only = arena_array(s->plan->arena, NodeId, n + 1);
  s->is_early = arena_array(s->plan->arena, bool, n + 1);
  for (NodeId i = 0; i < n; i++) s->only[i] = NO_NODE;
  for (int i = 0; i < s->le->entry->outputs.n; i++) readers[node_base(g, s->le->output[i])] = 2;
  for (int i = 0; i < s->le->entry->assigns.n; i++) readers[node_base(g, s->le->assign[i])] = 2;
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(g, i);
    if (!s->needed[i] || node_class(x) == CLASS_VIEW) continue;
    for (int k = 0; k < x->noperands; k++) {
      NodeId base = node_base(g, x->operand[k]);
      readers[base]++;
      if (node_class(x) == CLASS_EXCHANGE) s->only[base] = i;
    }
  }
  for (NodeId i = 0; i < n; i++) {
    NodeId e = s->only[i];
    if (e == NO_NODE) continue;
    NodeClass c = node_class(graph_node(g, i));
    /* An all-reduce is not issued early: it may join others in a bucket (bucket.c). */
    if (readers[i] == 1 && c != CLASS_SOURCE && (c != CLASS_EXCHANGE || s->is_early[i]) &&
        local_bytes(s->plan, graph_node(g, e)) < local_bytes(s->plan, graph_node(g, i)))
      s->is_early[e] = true;
    else
      s->only[i] = NO_NODE;
  }
}

static void add_step(Schedule *s, NodeId id) {
  for (NodeId i = id; i != NO_NODE; i = s->only[i]) {
    Step step = {.kind = step_kind(graph_node(s->le->graph, i))};
    vec_push(s->plan->arena, &step.nodes, i);
    vec_push(s->plan->arena, &s->le->steps, step);
  }
}

static void schedule_entry(Plan *p, LocalEntry *le) {
  Schedule s = {.plan = p, .le = le, .needed = find_needed(p, le)};
  find_early(&s);
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    if (!le->stored[i] || !s.needed[i] || s.is_early[i] || node_class(n) == CLASS_SOURCE ||
        node_class(n) == CLASS_VIEW)
      continue;
    add_step(&s, i);
  }
}

void make_steps(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) schedule_entry(p, &p->entries.at[e]);
}
