/* What a step of a loop reads of a tensor, in whose place the loop writes rows (row_place.c). */
#include "plan.h"

/* Node n is the row of its first operand that `put` writes. */
static bool is_row(const Graph *g, const Node *n, const Node *put) {
  const int64_t in = node_attr(put, "axis");
  if (n->noperands != 2 || n->operand[1] != put->operand[2] ||
      !same_space(graph_operand(g, n, 0), put))
    return false;
  if (op_class(n) != OPC_MOVE || n->op->updates || n->op->by_index != 1) return false;
  if (op_has_attr(n->op, "step")) /* a window, else one row is gathered */
    return node_attr(n, "axis") == in && same_space(n, graph_operand(g, put, 1));
  return op_has_attr(n->op, "axis") && graph_operand(g, n, 1)->shape.rank == 0 &&
         INT64_C(1) << node_attr(n, "axis") == in;
}

typedef struct RowWalk {
  const LocalEntry *le;
  const Node *put;
  NodeId of;
  bool *seen;
} RowWalk;

/* All that a step computes to make node id reads rows alone of `of`. */
static bool rows_alone(RowWalk *w, NodeId id) {
  const Graph *g = w->le->graph;
  const Node *n = graph_node(g, id);
  if (w->seen[id]) return true;
  w->seen[id] = true;
  for (int k = 0; k < n->noperands; k++) {
    const NodeId base = node_base(g, n->operand[k]);
    if (base == w->of && (k || !is_row(g, n, w->put))) return false;
    if (!w->le->stored[base] && !rows_alone(w, base)) return false;
  }
  return true;
}

bool over_rows_hold(Arena *a, const LocalEntry *le, int region, NodeId put, NodeId of) {
  const RegionSpan span = region_span(le, region);
  ArenaMark mark = arena_mark(a);
  RowWalk w = {le, graph_node(le->graph, put), of, arena_array(a, bool, le->graph->nodes.n + 1)};
  bool holds = true, written = false;
  for (int t = span.begin; t < span.end && holds; t++) {
    const Step *s = &le->steps.at[t];
    Reads r = {0};
    step_reads(le, s, a, &r);
    bool reads = false;
    for (int i = 0; i < r.n; i++) reads = reads || r.at[i].node == of;
    written = written || step_stores(s, put);
    holds = !reads || !written;
    const bool tiles = s->kind == STEP_TILES;
    for (int i = 0; reads && holds && i < (tiles ? s->tile->steps.n : 1); i++) {
      const Step *own = tiles ? &s->tile->steps.at[i] : s;
      for (int k = 0; k < own->nodes.n; k++) holds = holds && rows_alone(&w, own->nodes.at[k]);
    }
  }
  arena_release(a, mark);
  return holds && written;
}
