/* Paddings and joined ends become part of what reads them, as each op's `join` says. Runs before
 * gradients are taken, which then are of that form, too: the gradient of a convolution with wrapped
 * borders is one, that of a roll a roll. Where layouts are annotated it does the same, so that they
 * change no sum. What a gradient is asked to stays what is read.
 *
 *   %3 = pad %1 [.. 1 ..] ; %4 = conv %3, %2          ->  %4 = conv %1, %2 before=[1, 1]
 *   %3 = concat %1[-1:], %1, %1[:1] ; %4 = conv %3, %2  ->  %4 = conv %1, %2 wraps=[1, 0]
 *   %3 = concat %1[-1:], %1[:-1]                      ->  %3 = roll %1 */
#include "graph_passes.h"
#include "op.h"

typedef struct Joins {
  NewGraph w;
  int within;       /* the branch of the node that is rewritten */
  VEC(bool) wanted; /* by new node, as far as they reach: a gradient with respect to it is */
} Joins;

static NodeId add(void *user, const Node *n) {
  Joins *j = user;
  Node copy = *n;
  if (copy.noperands && !copy.within) copy.within = j->within;
  return graph_add(j->w.graph, &copy);
}

static bool is_wanted(void *user, NodeId x) {
  const Joins *j = user;
  return x < j->wanted.n && j->wanted.at[x];
}

static void want(Joins *j, NodeId x) {
  while (j->wanted.n <= x) vec_push(j->w.arena, &j->wanted, false);
  j->wanted.at[x] = true;
}

static bool any(const Graph *g) {
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (graph_node(g, i)->op->join) return true;
  return false;
}

/* By old node. */
static bool *find_wanted(Arena *a, const Graph *g) {
  bool *wanted = arena_array(a, bool, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 1; k < n->noperands && op_is(n, OPF_GRAD); k++) wanted[n->operand[k]] = true;
  }
  return wanted;
}

static void rewrite(Plan *p, Entry *e) {
  const int count = e->graph->nodes.n;
  Graph *g = graph_new(p->arena, VIEW_GLOBAL, count + 1);
  Joins j = {.w = {.arena = p->arena, .graph = g, .stays = is_wanted, .intern = add}};
  j.w.user = &j;
  const bool *wanted = find_wanted(p->arena, e->graph);
  NodeId *map = arena_array(p->arena, NodeId, count + 1);
  for (NodeId i = 0; i < count; i++) {
    Node n = *graph_node(e->graph, i);
    NodeId *x = arena_array(p->arena, NodeId, n.noperands);
    for (int k = 0; k < n.noperands; k++) x[k] = map[n.operand[k]];
    n.operand = x;
    j.within = n.within;
    const NodeId before = g->nodes.n;
    NodeId same = n.op->join && !wanted[i] ? n.op->join(&j.w, &n) : NO_NODE;
    const bool annotated = n.spec || n.forbid.file;
    if (same != NO_NODE && same < before && annotated)
      same = NO_NODE; /* it has a layout of its own */
    map[i] = same != NO_NODE ? same : graph_add(g, &n);
    Node *made = graph_node(g, map[i]);
    if (!made->name) made->name = n.name;
    if (map[i] >= before) made->spec = n.spec, made->forbid = n.forbid;
    if (wanted[i]) want(&j, map[i]);
  }
  entry_rewritten(e, g, map);
}

void joins(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++)
    if (any(p->program->entries.at[i].graph)) rewrite(p, &p->program->entries.at[i]);
}
