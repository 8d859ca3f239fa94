/* Which region each node belongs to, and regions of a rewritten graph (graph.h). */
#include "op.h"

/* Of two regions, one of which is around the other: that other. */
static int inner_of(const Entry *e, int a, int b) {
  for (int r = a; r != NO_REGION; r = e->regions.at[r].parent)
    if (r == b) return a;
  return b == NO_REGION ? a : b;
}

int regions_common(const Entry *e, int r, int other) {
  for (; r != NO_REGION; r = e->regions.at[r].parent)
    if (inner_of(e, other, r) == other) return r;
  return NO_REGION;
}

bool region_may_rest(const Region *r) {
  return r->kind == REGION_BRANCH || r->turns == TURNS_UNKNOWN || !r->turns;
}

/* By what nodes depend on, and where they are written. */
static int *find(Arena *a, const Entry *e, const Graph *g, bool written) {
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
    if (written && n->within && !op_is(n, OPF_CARRY | OPF_AFTER))
      region[i] = inner_of(e, region[i], n->within - 1);
  }
  return region;
}

bool region_within(const Entry *e, int region, int outer) {
  while (region != outer && region != NO_REGION) region = e->regions.at[region].parent;
  return region == outer;
}

int region_loop(const Entry *e, int region) {
  while (region != NO_REGION && e->regions.at[region].kind != REGION_LOOP)
    region = e->regions.at[region].parent;
  return region;
}

int *regions_find(Arena *a, const Entry *e, const Graph *g) { return find(a, e, g, true); }

/* Where it is read, as far as that is seen; NOWHERE: not yet. */
enum { NOWHERE = -2 };

static void read_in(const Entry *e, int *in, NodeId x, int region) {
  in[x] = in[x] == NOWHERE ? region : regions_common(e, in[x], region);
}

static void read_by_regions(const Entry *e, int *in) {
  for (int r = 0; r < e->regions.n; r++) {
    const Region *x = &e->regions.at[r];
    for (int k = 0; k < x->carries.n; k++) read_in(e, in, x->carries.at[k].next, r);
    if (x->condition != NO_NODE)
      read_in(e, in, x->condition, x->kind == REGION_LOOP ? r : x->parent);
  }
}

bool node_may_fail(const Graph *g, const Node *n) {
  for (int k = 0; n->op->below && k < n->noperands; k++)
    if (n->op->below(g, n, k)) return true;
  return false;
}

/* A loop holds what its gradient may go through, so that it is not where the loop has no runs. */
static int settled(const Entry *e, const Node *n, bool fails, int r) {
  while (r != NO_REGION &&
         (!region_may_rest(&e->regions.at[r]) ||
          (e->regions.at[r].kind == REGION_LOOP && !fails && !dtype_is_float(n->dtype))))
    r = e->regions.at[r].parent;
  return r;
}

void regions_settle(Arena *a, const Entry *e) {
  const Graph *g = e->graph;
  int *in = arena_array(a, int, g->nodes.n + 1);
  const int *region = find(a, e, g, false);
  for (NodeId i = 0; i < g->nodes.n; i++) in[i] = NOWHERE;
  for (int i = 0; i < e->outputs.n; i++) read_in(e, in, e->outputs.at[i].node, NO_REGION);
  for (int i = 0; i < e->assigns.n; i++) read_in(e, in, e->assigns.at[i].node, NO_REGION);
  read_by_regions(e, in);
  for (NodeId i = g->nodes.n - 1; i >= 0; i--) {
    Node *n = graph_node(g, i);
    int here = region[i];
    if (op_is(n, OPF_CARRY)) {
      here = e->regions.at[here].parent;
    } else if (n->within) {
      here = in[i] == NOWHERE ? n->within - 1 : regions_common(e, in[i], n->within - 1);
      here = settled(e, n, node_may_fail(g, n), here);
      n->within = here + 1;
      here = inner_of(e, region[i], here);
    }
    for (int k = 0; k < n->noperands; k++) read_in(e, in, n->operand[k], here);
  }
}

NodeId regions_broken(Arena *a, const Entry *e) {
  const Graph *g = e->graph;
  const int *region = regions_find(a, e, g);
  int *in = arena_array(a, int, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) in[i] = region[i];
  for (int i = 0; i < e->outputs.n; i++) read_in(e, in, e->outputs.at[i].node, NO_REGION);
  for (int i = 0; i < e->assigns.n; i++) read_in(e, in, e->assigns.at[i].node, NO_REGION);
  read_by_regions(e, in);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    const int here = op_is(n, OPF_CARRY) ? e->regions.at[region[i]].parent : region[i];
    for (int k = 0; !op_is(n, OPF_AFTER) && k < n->noperands; k++)
      read_in(e, in, n->operand[k], here);
  }
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (in[i] != region[i]) return i;
  return NO_NODE;
}

void regions_loosen(const Entry *e) {
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    Node *n = graph_node(e->graph, i);
    if (!n->within || node_may_fail(e->graph, n)) continue;
    for (int r = n->within - 1; r != NO_REGION; r = e->regions.at[r].parent)
      if (e->regions.at[r].kind == REGION_LOOP) n->within = e->regions.at[r].parent + 1;
  }
}

double region_runs(const Region *r) {
  if (r->kind != REGION_LOOP) return 1;
  if (r->turns != TURNS_UNKNOWN) return (double)r->turns;
  if (r->mean > 0) return r->mean;
  if (r->rest) return 0; /* how many are left is not known: few beside all others */
  if (r->most) return (double)r->most;
  return r->as_one ? REGION_RUNS_GUESS / (double)r->as_one : REGION_RUNS_GUESS;
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
