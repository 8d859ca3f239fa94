/* What a loop writes row by row where it reads the same rows for the last time:
 *
 *   all: f32[64, n] of before;  run t reads all[t], computes, and then writes kept[t]
 *
 * A tensor whose first value nothing reads (fills.c), and that each run writes one row to, has
 * the memory of another of its shape if each run reads that row of it alone, before it is written,
 * and nothing reads the other behind the loop. So the gradients of what a loop reads take its
 * place, and their rows come into caches once. */
#include "lives.h"

/* Region r is over before anything else could look at node id: it is no input's, no variable's, and
 * nothing that the region or one around it carries. */
static bool dies_in(const EntryMemory *m, int r, NodeId id) {
  const LocalEntry *le = m->le;
  const int last = lives_last(m, r);
  if (m->made_at[id] < 0 || m->made_at[id] >= m->span[r].begin || m->last_read[id] > last ||
      le->buffer[id] >= 0 || m->d.at_end[id] || lives_in_tile(m, id) || m->remade[id].n ||
      op_class(graph_node(le->graph, id)) == OPC_SOURCE || (le->borders && le->borders[id]) ||
      lives_behind(m, id, last, NO_REGION))
    return false;
  for (int q = r; q != NO_REGION; q = le->entry->regions.at[q].parent)
    for (int i = 0; i < le->region[q].carries.n; i++)
      if (le->region[q].carries.at[i].node == id || lives_next(m, q, i) == id) return false;
  return true;
}

static bool is_taken(const EntryMemory *m, NodeId id) {
  for (NodeId i = 0; i < m->le->graph->nodes.n; i++)
    if (m->le->over_rows[i] == id) return true;
  return false;
}

/* The tensor whose rows the carry's take the place of; NO_NODE: there is none. */
static NodeId place_for(const EntryMemory *m, int r, NodeId carry, NodeId put) {
  const LocalEntry *le = m->le;
  const Node *c = graph_node(le->graph, carry);
  for (int t = m->span[r].begin; t < m->made_at[put]; t++)
    for (int i = 0; i < m->d.reads[t].n; i++) {
      const NodeId id = m->d.reads[t].at[i].node;
      const Node *n = graph_node(le->graph, id);
      if (n->dtype == c->dtype && same_space(n, c) && m->made_at[id] < m->made_at[carry] &&
          dies_in(m, r, id) && !is_taken(m, id) && over_rows_hold(m->plan->arena, le, r, put, id))
        return id;
    }
  return NO_NODE;
}

void row_place_find(EntryMemory *m) {
  LocalEntry *le = m->le;
  const int n = le->graph->nodes.n;
  le->over_rows = NULL;
  if (!le->unfilled || m->plan->observe != OBSERVE_NOTHING) return;
  le->over_rows = arena_array(m->plan->arena, NodeId, n + 1);
  for (NodeId i = 0; i <= n; i++) le->over_rows[i] = NO_NODE;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; lives_region(m, r) && i < le->region[r].carries.n; i++) {
      const NodeId carry = le->region[r].carries.at[i].node, put = lives_next(m, r, i);
      if (!le->unfilled[carry] || m->next_of[put] != carry || m->next_of[carry] != NO_NODE ||
          le->buffer[carry] >= 0 || !lives_in_body(m, r, m->made_at[put]))
        continue;
      const NodeId of = place_for(m, r, carry, put);
      if (of != NO_NODE) m->next_of[carry] = le->over_rows[carry] = of;
    }
}
