/* Which values lie in memory. The others are computed inside the loops that use them. A value is
 * stored when something that is no loop reads it (a product, an exchange), when it leaves the
 * entry, or when computing it again would cost more than reading it. */
#include "passes.h"

enum { CHEAP = 6 }; /* operations an element that may be done twice rather than stored */

typedef struct Store {
  Arena *arena;
  LocalEntry *le;
  const Graph *g;
  double *cost; /* of computing one element, by node */
  bool *index;  /* by node: made of indices alone, by few operations: never worth memory */
  int *uses;    /* distinct loops that would compute it, at most 2 */
  NodeId *loop; /* the one of them when there is one */
} Store;

static double own_cost(const Node *n) {
  double f = op_def(n->op)->flops;
  return f > 0 ? f : n->op == OP_const || n->op == OP_broadcast ? 0 : 1;
}

static void add_loop(Store *s, NodeId id, NodeId loop) {
  if (s->uses[id] == 0)
    s->loop[id] = loop, s->uses[id] = 1;
  else if (s->loop[id] != loop)
    s->uses[id] = 2;
}

/* n computes an element of `base` again for each of a larger result, or at a computed index. */
static bool repeats(const Store *s, const Node *n, NodeId base) {
  return (n->op == OP_broadcast || n->op == OP_gather) && s->cost[base] > 1 &&
         shape_count(&n->shape) > shape_count(&graph_node(s->g, base)->shape);
}

/* A mask such as `row >= column`: quadratic in memory, and quicker to make than to read. */
static bool of_index(const Store *s, const Node *n, double cost) {
  if (n->op == OP_iota || n->op == OP_const) return true;
  if (cost > CHEAP || !n->noperands) return false;
  if (n->op != OP_broadcast && !(op_def(n->op)->flags & OPF_ELEMENTWISE)) return false;
  for (int k = 0; k < n->noperands; k++)
    if (!s->index[n->operand[k]]) return false;
  return true;
}

/* What reading n does to its operands: called once it is known whether n is stored. */
static void use_operands(Store *s, NodeId id) {
  const Node *n = graph_node(s->g, id);
  NodeClass c = node_class(n);
  for (int k = 0; k < n->noperands; k++) {
    NodeId x = n->operand[k], base = node_base(s->g, x);
    const Node *bn = graph_node(s->g, base);
    if (c == CLASS_CONTRACT || c == CLASS_SCATTER || c == CLASS_EXCHANGE) {
      s->le->stored[base] = true;
      continue;
    }
    if (c == CLASS_VIEW && s->le->stored[id]) s->le->stored[base] = true;
    if (repeats(s, n, base)) s->le->stored[base] = true;
    if (n->op == OP_gather && k == 0 && bn->op != OP_const) s->le->stored[base] = true;
    if (s->le->stored[id] || c == CLASS_REDUCE)
      add_loop(s, base, id);
    else if (s->uses[id] == 2)
      s->uses[base] = 2;
    else if (s->uses[id] == 1)
      add_loop(s, base, s->loop[id]);
  }
}

static void store_entry(Plan *p, LocalEntry *le) {
  int n = le->graph->nodes.n;
  Store s = {.arena = p->arena, .le = le, .g = le->graph};
  le->stored = arena_array(p->arena, bool, n + 1);
  s.cost = arena_array(p->arena, double, n + 1);
  s.index = arena_array(p->arena, bool, n + 1);
  s.uses = arena_array(p->arena, int, n + 1);
  s.loop = arena_array(p->arena, NodeId, n + 1);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(le->graph, i);
    NodeClass c = node_class(x);
    le->stored[i] = c != CLASS_MAP && c != CLASS_VIEW;
    if (c == CLASS_MAP) {
      s.cost[i] = own_cost(x);
      for (int k = 0; k < x->noperands; k++) /* what will be stored is only read */
        s.cost[i] += repeats(&s, x, node_base(s.g, x->operand[k])) ? 0 : s.cost[x->operand[k]];
      s.index[i] = of_index(&s, x, s.cost[i]);
      if (s.index[i] && s.cost[i] > 1) s.cost[i] = 1;
    } else if (c == CLASS_VIEW) {
      s.cost[i] = s.cost[x->operand[0]];
    }
  }
  for (int i = 0; i < le->entry->outputs.n; i++)
    le->stored[node_base(le->graph, le->output[i])] = true;
  for (int i = 0; i < le->entry->assigns.n; i++)
    le->stored[node_base(le->graph, le->assign[i])] = true;
  for (NodeId i = n - 1; i >= 0; i--) {
    const Node *x = graph_node(le->graph, i);
    if (node_class(x) == CLASS_MAP && s.uses[i] == 2 && s.cost[i] > CHEAP) le->stored[i] = true;
    if (le->stored[i] || s.uses[i]) use_operands(&s, i);
  }
}

void store(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) store_entry(p, &p->entries.at[i]);
}
