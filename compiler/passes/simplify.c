/* Removes what is not needed: nodes nobody reads, nodes equal to earlier ones, and operations that
 * do nothing. Keeps every input, so that an entry's arguments stay.
 *
 *   %3 = reshape %1 ; %4 = reshape %3     ->  %4 = reshape %1
 *   %5 = mul %2, 1                        ->  %2
 *   %7 = sum (%5 + %2 * (%1 - mean %1))   ->  %7 = sum %5    simplify_sum.c
 *   %8 = pad %1 + pad %2                  ->  concat %1, %2  simplify_pads.c */
#include "simplify.h"
#include <string.h>

static bool *find_used(Arena *a, const Entry *e) {
  bool *used = arena_array(a, bool, e->graph->nodes.n + 1);
  for (int i = 0; i < e->inputs.n; i++) used[e->inputs.at[i].node] = true;
  for (int i = 0; i < e->outputs.n; i++) used[e->outputs.at[i].node] = true;
  for (int i = 0; i < e->assigns.n; i++) used[e->assigns.at[i].node] = true;
  for (NodeId i = e->graph->nodes.n - 1; i >= 0; i--) {
    const Node *n = graph_node(e->graph, i);
    for (int k = 0; used[i] && k < n->noperands; k++) used[n->operand[k]] = true;
  }
  return used;
}

static bool is_const(const Graph *g, NodeId id, double v) {
  const Node *n = graph_node(g, id);
  return n->op == OP_const && n->value == v;
}

static bool same_type(const Graph *g, NodeId x, const Node *n) {
  const Node *o = graph_node(g, x);
  return o->dtype == n->dtype && shape_equal(&o->shape, &n->shape);
}

/* The node that n (operands already new) is the same as, or NO_NODE. May rewrite n's operands. */
static NodeId reduce_node(Simplify *s, Node *n) {
  const Graph *g = s->graph;
  const NodeId *x = n->operand;
  switch (n->op) {
  case OP_add:
    if (is_const(g, x[1], 0)) return x[0];
    if (is_const(g, x[0], 0)) return x[1];
    return simplify_pads(s, n);
  case OP_sub:
    if (is_const(g, x[1], 0)) return x[0];
    break;
  case OP_mul:
    if (is_const(g, x[1], 1)) return x[0];
    if (is_const(g, x[0], 1)) return x[1];
    break;
  case OP_div:
    if (is_const(g, x[1], 1)) return x[0];
    break;
  case OP_neg:
    if (graph_node(g, x[0])->op == OP_neg) return graph_node(g, x[0])->operand[0];
    break;
  case OP_sum: {
    NodeId *y = arena_new_of(s->arena, NodeId);
    *y = simplify_sum(s, n);
    n->operand = y;
    break;
  }
  case OP_stop_gradient: return x[0]; /* gradients have been taken */
  case OP_reshape:
    while (graph_node(g, x[0])->op == OP_reshape && !graph_node(g, x[0])->spec &&
           !graph_node(g, x[0])->forbid.file) {
      NodeId *y = arena_new_of(s->arena, NodeId);
      *y = graph_node(g, x[0])->operand[0];
      n->operand = x = y;
    }
    if (same_type(g, x[0], n)) return x[0];
    break;
  default: break;
  }
  return NO_NODE;
}

static bool node_equal(const Node *a, const Node *b) {
  return a->op == b->op && a->dtype == b->dtype && a->noperands == b->noperands &&
         a->nattr == b->nattr && !memcmp(&a->value, &b->value, sizeof a->value) &&
         a->spec == b->spec && a->whole == b->whole && shape_equal(&a->shape, &b->shape) &&
         !memcmp(a->operand, b->operand, sizeof *a->operand * (size_t)a->noperands) &&
         !memcmp(a->attr, b->attr, sizeof *a->attr * (size_t)a->nattr);
}

static uint64_t node_hash(const Node *n) {
  uint64_t h = hash_words(&n->value, sizeof n->value, (uint64_t)n->op * 31 + (uint64_t)n->dtype);
  h = hash_words(n->shape.dim, sizeof *n->shape.dim * (size_t)n->shape.rank, h);
  h = hash_words(n->operand, sizeof *n->operand * (size_t)n->noperands, h);
  return hash_words(n->attr, sizeof *n->attr * (size_t)n->nattr, h);
}

NodeId simplify_intern(Simplify *s, const Node *n) {
  if (n->op == OP_input) return graph_add(s->graph, n);
  uint64_t i = node_hash(n) % (uint64_t)s->nslots;
  for (; s->slot[i] != NO_NODE; i = (i + 1) % (uint64_t)s->nslots) {
    Node *o = graph_node(s->graph, s->slot[i]);
    if (!node_equal(o, n)) continue;
    if (!o->name) o->name = n->name;
    if (!o->forbid.file) o->forbid = n->forbid;
    return s->slot[i];
  }
  return s->slot[i] = graph_add(s->graph, n);
}

static void rewrite(Plan *p, Entry *e) {
  int count = e->graph->nodes.n;
  Simplify s = {.arena = p->arena,
                .old = e->graph,
                .graph = graph_new(p->arena, VIEW_GLOBAL, e->graph->nodes.n)};
  s.graph->nodes.at = arena_array(p->arena, Node, count + 1); /* it hardly gets larger */
  s.graph->nodes.cap = count + 1;
  s.nslots = 4 * count + 16;
  s.slot = arena_array(p->arena, NodeId, s.nslots);
  for (int i = 0; i < s.nslots; i++) s.slot[i] = NO_NODE;
  s.map = arena_array(p->arena, NodeId, count + 1);
  bool *used = find_used(p->arena, e);
  for (NodeId i = 0; i < count; i++) {
    if (!used[i]) continue;
    Node n = *graph_node(e->graph, i);
    NodeId *x = arena_array(p->arena, NodeId, n.noperands);
    for (int k = 0; k < n.noperands; k++) x[k] = s.map[n.operand[k]];
    n.operand = x;
    NodeId same = n.spec ? NO_NODE : reduce_node(&s, &n);
    if (same != NO_NODE && same_type(s.graph, same, &n)) {
      Node *o = graph_node(s.graph, same);
      if (!o->name) o->name = n.name;
      if (!o->forbid.file) o->forbid = n.forbid;
      s.map[i] = same;
    } else {
      s.map[i] = simplify_intern(&s, &n);
    }
  }
  for (int i = 0; i < e->inputs.n; i++) e->inputs.at[i].node = s.map[e->inputs.at[i].node];
  for (int i = 0; i < e->outputs.n; i++) e->outputs.at[i].node = s.map[e->outputs.at[i].node];
  for (int i = 0; i < e->assigns.n; i++) e->assigns.at[i].node = s.map[e->assigns.at[i].node];
  e->graph = s.graph;
}

void simplify(Plan *p) {
  /* Twice: the first round uncovers what nobody reads any more. */
  for (int i = 0; i < p->program->entries.n; i++) {
    rewrite(p, &p->program->entries.at[i]);
    rewrite(p, &p->program->entries.at[i]);
  }
}
