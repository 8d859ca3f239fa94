/* Which region each node belongs to, and regions of a rewritten graph (graph.h). */
#include "op.h"

/* Of two regions, one of which is around the other: that other. */
static int inner_of(const Entry *e, int a, int b) {
  for (int r = a; r != NO_REGION; r = e->regions.at[r].parent)
    if (r == b) return a;
  return b == NO_REGION ? a : b;
}

int *regions_find(Arena *a, const Entry *e, const Graph *g) {
  int *region = arena_array(a, int, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    region[i] = NO_REGION;
    if (op_is(n, OPF_CARRY))
      region[i] = (int)node_attr(n, "region");
    else if (op_is(n, OPF_AFTER))
      region[i] = e->regions.at[region[n->operand[0]]].parent;
    else
      for (int k = 0; k < n->noperands; k++)
        region[i] = inner_of(e, region[i], region[n->operand[k]]);
  }
  return region;
}

bool region_within(const Entry *e, int region, int outer) {
  while (region != outer && region != NO_REGION) region = e->regions.at[region].parent;
  return region == outer;
}

double region_runs(const Region *r) {
  if (r->kind != REGION_LOOP) return 1;
  if (r->turns != TURNS_UNKNOWN) return (double)r->turns;
  return r->most ? (double)r->most : REGION_RUNS_GUESS;
}

double *regions_runs(Arena *a, const Entry *e, const Graph *g) {
  double *runs = arena_array(a, double, g->nodes.n + 1);
  const int *region = e->regions.n ? regions_find(a, e, g) : NULL;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    runs[i] = 1;
    for (int r = region ? region[i] : NO_REGION; r != NO_REGION; r = e->regions.at[r].parent)
      runs[i] *= region_runs(&e->regions.at[r]);
    runs[i] = runs[i] < 1 ? 1 : runs[i] < REGION_RUNS_MOST ? runs[i] : REGION_RUNS_MOST;
  }
  return runs;
}

/* Whether a carry of region r is left where the old one was. */
static bool is_carry(const Graph *g, NodeId id, int r) {
  return id != NO_NODE && op_is(graph_node(g, id), OPF_CARRY) &&
         node_attr(graph_node(g, id), "region") == r;
}

static void remap_region(Entry *e, int index, const NodeId *map) {
  Region *r = &e->regions.at[index];
  int n = 0;
  for (int i = 0; i < r->carries.n; i++) {
    Carry c = r->carries.at[i];
    if (!is_carry(e->graph, map[c.node], index)) continue;
    c.node = map[c.node], c.next = map[c.next];
    r->carries.at[n++] = c;
  }
  r->carries.n = n;
  r->condition = n ? map[r->condition] : NO_NODE;
}

void entry_rewritten(Entry *e, Graph *g, const NodeId *map) {
  e->graph = g;
  for (int i = 0; i < e->inputs.n; i++) e->inputs.at[i].node = map[e->inputs.at[i].node];
  for (int i = 0; i < e->outputs.n; i++) e->outputs.at[i].node = map[e->outputs.at[i].node];
  for (int i = 0; i < e->assigns.n; i++) e->assigns.at[i].node = map[e->assigns.at[i].node];
  for (int i = 0; i < e->regions.n; i++) remap_region(e, i, map);
}
