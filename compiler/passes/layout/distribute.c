/* Ops along one split dim: each device works on its own block, and only the blocks' results are
 * merged. Graphs stay global: the parts are ordinary ops, whose splits cost no exchange except for
 * the merge, whatever partition decides.
 *
 *   cumsum  x [.., n, ..] is split into [.., k, n/k, ..] (ops/scan.c), each row is summed, and an
 *           exclusive running sum of the k totals is added to the rows
 *   argmax  the maximum of all, then its lowest index: max and min of partial values
 *   top_k   the best of each row, then the best of those
 *   sort    has no smaller merge: the dim is made whole, by moving its axes to other dims where
 *           they fit (partition decides)
 *   slice   in two steps where that moves less: first what a device can do with its own block
 *   rows    at positions in several dims, which become one: in the order in which devices have them
 *           (ops/joined_dims.c)
 *
 * A dim is processed in blocks if the merge moves less than making the dim whole. If anything was
 * rewritten layouts are inferred again. At the end every cumsum and order is marked as placed:
 * from then on its dim must be whole. */
#include "choose.h"
#include "blocks.h"
#include "graph_passes.h"
#include <string.h>

static bool may_be_whole(const Program *p, const Node *n) { return !forbid_of(p, n).file; }

static NodeId copy(Distribute *d, NodeId id) {
  Node n = *graph_node(d->old, id);
  NodeId *x = arena_array(d->b.arena, NodeId, n.noperands + 1);
  for (int k = 0; k < n.noperands; k++) x[k] = d->map[n.operand[k]];
  n.operand = x;
  return graph_add(d->b.graph, &n);
}

static bool goes_along_dim(const Graph *g) {
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (graph_node(g, i)->op->distribute) return true;
  return false;
}

static bool rewrite(Plan *p, Entry *e) {
  int count = e->graph->nodes.n;
  bool any = false;
  if (!p->program->mesh.naxes || !goes_along_dim(e->graph)) return false;
  Distribute d = {
      .program = p->program, .old = e->graph, .may_be_whole = may_be_whole, .cost = cost_exchange};
  d.b = (Build){.arena = p->arena,
                .diag = p->program->diag,
                .graph = graph_new(p->arena, VIEW_GLOBAL, count)};
  d.map = arena_array(p->arena, NodeId, count + 1);
  d.best = arena_array(p->arena, NodeId, count + 1);
  d.chosen = arena_array(p->arena, NodeId, count + 1);
  for (NodeId i = 0; i < count; i++) {
    const Node *n = graph_node(e->graph, i);
    d.best[i] = d.chosen[i] = NO_NODE;
    d.b.span = n->span, d.b.site = n->site, d.b.within = n->within;
    NodeId y = n->op->distribute ? n->op->distribute(&d, i, d.map[n->operand[0]]) : NO_NODE;
    any = any || y != NO_NODE;
    d.map[i] = y != NO_NODE ? y : copy(&d, i);
    Node *made = graph_node(d.b.graph, d.map[i]);
    if (y != NO_NODE)
      made->name = n->name, made->spec = n->spec, made->forbid = n->forbid, made->tag = n->tag;
  }
  if (!any) return false;
  entry_rewritten(e, d.b.graph, d.map);
  return true;
}

/* True when any was not. */
static bool mark_placed(Arena *a, Graph *g) {
  bool any = false;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    Node *n = graph_node(g, i);
    if (!op_has_attr(n->op, "placed")) continue;
    int64_t *attr = arena_copy(a, n->attr, sizeof *attr * (size_t)n->nattr);
    int64_t *placed = &attr[node_attrs(n, "placed") - n->attr];
    any = any || !*placed;
    *placed = 1;
    n->attr = attr;
  }
  return any;
}

void distribute(Plan *p) {
  bool any = false;
  for (int i = 0; i < p->program->entries.n; i++) any |= rewrite(p, &p->program->entries.at[i]);
  if (any) {
    p->chosen = NULL;
    p->contests = NULL;
    simplify(p); /* candidates whose values have no uses, for example */
    propagate(p);
    contest(p);
  }
  for (int i = 0; i < p->program->entries.n; i++)
    if (mark_placed(p->arena, p->program->entries.at[i].graph))
      p->chosen = NULL; /* there, the dim could be cut */
}
