/* Numbers the values of a program while it is still the same on any mesh, so that two runs can be
 * compared (dtgc_verify). For the oracle, on one device, it also removes the mesh and all layout
 * statements; the result is the same graph with the same numbers.
 *
 *   %5 = relayout %4, [batch, _]   ->   %5 = stop_gradient %4, which is %4 */
#include "opdefs.h"
#include "graph_passes.h"

static void forget_entry(Entry *e) {
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    Node *n = graph_node(e->graph, i);
    n->spec = NULL;
    n->forbid = (Span){0};
    if (!op_is(n, OPF_LAYOUT)) continue;
    node_becomes_operand(n);
  }
  for (int i = 0; i < e->outputs.n; i++) e->outputs.at[i].spec = NULL;
}

static void forget_layouts(Program *g) {
  g->mesh.naxes = 0;
  g->forbid = g->forbid_keep = (Span){0};
  for (int i = 0; i < g->vars.n; i++) {
    g->vars.at[i].spec = NULL;
    g->vars.at[i].forbid = g->vars.at[i].forbid_keep = (Span){0};
  }
  for (int i = 0; i < g->entries.n; i++) forget_entry(&g->entries.at[i]);
}

void single(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) {
    Graph *g = p->program->entries.at[i].graph;
    for (NodeId k = 0; k < g->nodes.n; k++) graph_node(g, k)->tag = k + 1;
  }
  if (p->single) forget_layouts(p->program);
}
