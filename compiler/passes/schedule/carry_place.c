/* Values that loops and branches carry: which next values are made in their carry's place. */
#include "lives.h"

/* The next value of a carry is made in its place where that is read no later than there, and there
 * only at the same index. */
static bool makes_in_place(const EntryMemory *m, int region, NodeId carry, NodeId next) {
  const LocalEntry *le = m->le;
  const LocalRegion *x = &le->region[region];
  const int t = m->made_at[next];
  Reads over = {0};
  if (m->plan->observe == OBSERVE_ALL || m->next_of[next] != NO_NODE || le->buffer[next] >= 0 ||
      op_class(graph_node(le->graph, next)) == OPC_SOURCE || !lives_in_body(m, region, t))
    return false;
  for (int i = 0; i < x->carries.n; i++)
    if (lives_next(m, region, i) == carry) return false;
  if (lives_behind(m, carry, t, region)) return false;
  for (int k = m->span[region].begin; k < m->span[region].end; k++) {
    if (!reads_node(&m->d.reads[k], carry) || k < t) continue;
    if (k > t) return false;
    over = lives_over(m, next);
    if (!reads_aligned(&over, carry)) return false;
  }
  return true;
}

/* Several windows of a carry are written one after the other, all in its place: down to the carry,
 * or to a value that is made there as a whole. */
static bool chain_in_place(const EntryMemory *m, int region, NodeId carry, NodeId next) {
  for (NodeId id = lives_made_of(m->le, next); id != carry && id != NO_NODE;
       next = id, id = lives_made_of(m->le, id))
    if (!lives_passes(m, id, next) || !makes_in_place(m, region, carry, id)) return false;
  return true;
}

/* Windows of a value that is made elsewhere take no pass over it if they are written there, and the
 * two places change. */
static bool is_made_in_place(const EntryMemory *m, int region, NodeId carry, NodeId next) {
  const int64_t bytes = node_bytes(m->plan->program, graph_node(m->le->graph, carry));
  return makes_in_place(m, region, carry, next) &&
         (chain_in_place(m, region, carry, next) || !rotation_pays(m, region, bytes));
}

static void place_chain(EntryMemory *m, int region, NodeId carry, NodeId next) {
  m->next_of[next] = carry;
  for (NodeId id = lives_made_of(m->le, next); id != carry && id != NO_NODE;
       next = id, id = lives_made_of(m->le, id)) {
    if (!lives_passes(m, id, next) || !makes_in_place(m, region, carry, id)) return;
    m->next_of[id] = carry;
  }
}

/* Of carries that hand their values on (a, b = b, new) the one at the end, whose own value no other
 * takes over: the new one may be made in its place, and all change places then. */
static NodeId hands_on_to(const EntryMemory *m, int region, NodeId carry) {
  const LocalRegion *x = &m->le->region[region];
  NodeId last = carry;
  for (int turn = 0, k = 0; turn < x->carries.n && k < x->carries.n; turn++) {
    for (k = 0; k < x->carries.n; k++)
      if (lives_next(m, region, k) == last) break;
    if (k < x->carries.n) last = x->carries.at[k].node;
  }
  return last;
}

static bool makes_in_last(const EntryMemory *m, int region, NodeId carry, NodeId last,
                          NodeId next) {
  const Graph *g = m->le->graph;
  const Node *a = graph_node(g, last), *b = graph_node(g, next);
  const int64_t bytes = node_bytes(m->plan->program, a);
  return last != carry && a->dtype == b->dtype && m->le->buffer[last] < 0 && same_space(a, b) &&
         bytes == node_bytes(m->plan->program, b) && rotation_pays(m, region, bytes) &&
         makes_in_place(m, region, last, next);
}

void carry_place_find(EntryMemory *m) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; lives_region(m, r) && i < le->region[r].carries.n; i++) {
      const LocalCarry *c = &le->region[r].carries.at[i];
      const NodeId next = lives_next(m, r, i), last = hands_on_to(m, r, c->node);
      if (is_made_in_place(m, r, c->node, next)) {
        place_chain(m, r, c->node, next);
      } else if (makes_in_last(m, r, c->node, last, next)) {
        m->next_of[next] = last;
      }
    }
}

bool carry_place_elsewhere(const EntryMemory *m, NodeId carry) {
  const LocalEntry *le = m->le;
  const int r = (int)node_attr(graph_node(le->graph, carry), "region");
  const LocalRegion *x = &le->region[r];
  NodeId next = NO_NODE;
  for (int i = 0; i < x->carries.n; i++)
    if (x->carries.at[i].node == carry) next = lives_next(m, r, i);
  if (next == NO_NODE || next == carry || m->made_at[next] < m->span[r].begin ||
      !rotation_pays(m, r, node_bytes(m->plan->program, graph_node(le->graph, carry))))
    return false;
  if (!is_made_in_place(m, r, carry, next)) return true;
  for (NodeId id = next; id != NO_NODE && id != carry; id = lives_made_of(le, id)) {
    if (!op_is(graph_node(le->graph, id), OPF_CARRY)) continue;
    const int own = (int)node_attr(graph_node(le->graph, id), "region");
    if (own == r || !region_within(le->entry, own, r)) break; /* another carry's value */
    if (carry_place_elsewhere(m, id)) return true;
  }
  return false;
}

bool carry_place_left(const EntryMemory *m, int b, int t) {
  const LocalEntry *le = m->le;
  for (int r = m->region_at[t]; r != NO_REGION; r = le->entry->regions.at[r].parent)
    for (int i = 0; lives_region(m, r) && i < le->region[r].carries.n; i++)
      if (le->buffer[lives_next(m, r, i)] == b) return true;
  return false;
}
