/* Positions known while running, as sums (op.h), and how far two are apart. */
#include "op.h"
#include <string.h>

enum { DEEPEST = 32 };

/* Two nodes that have the same value: computed the same way from the same. */
static bool same(const Graph *g, NodeId a, NodeId b, int depth) {
  const Node *x = graph_node(g, a), *y = graph_node(g, b);
  if (a == b) return true;
  if (!depth || x->op != y->op || x->spec || y->spec || x->dtype != y->dtype ||
      !shape_equal(&x->shape, &y->shape) || x->noperands != y->noperands || x->nattr != y->nattr ||
      x->value != y->value || x->whole != y->whole ||
      (x->nattr && memcmp(x->attr, y->attr, sizeof *x->attr * (size_t)x->nattr)))
    return false;
  for (int k = 0; k < x->noperands; k++)
    if (!same(g, x->operand[k], y->operand[k], depth - 1)) return false;
  return true;
}

static bool add_term(const Graph *g, Position *p, NodeId id, int64_t times) {
  int i = 0;
  while (i < p->n && !same(g, p->node[i], id, DEEPEST)) i++;
  if (i == POSITION_TERMS) return false;
  if (i == p->n) p->node[p->n] = id, p->times[p->n++] = 0;
  p->times[i] += times;
  if (p->times[i]) return true;
  p->n--;
  p->node[i] = p->node[p->n], p->times[i] = p->times[p->n];
  return true;
}

static bool add_to(const Graph *g, Position *p, NodeId id, int64_t times, int depth) {
  const Node *n = graph_node(g, id);
  if (node_is_const(n)) {
    int64_t by;
    return !__builtin_mul_overflow(n->whole, times, &by) &&
           !__builtin_add_overflow(p->number, by, &p->number);
  }
  bool sum = depth && n->op->index[0] && n->shape.rank < 2;
  for (int k = 0; k < n->noperands; k++)
    sum = sum && dtype_is_int(graph_operand(g, n, k)->dtype) &&
          shape_equal(&n->shape, &graph_operand(g, n, k)->shape);
  for (int k = 0; sum && k < n->noperands; k++)
    if (!add_to(g, p, n->operand[k], times * n->op->index[k], depth - 1)) return false;
  return sum || add_term(g, p, id, times);
}

bool position_of(const Graph *g, NodeId id, Position *out) {
  *out = (Position){.number = 0};
  return add_to(g, out, id, 1, DEEPEST);
}

bool position_distance(const Graph *g, NodeId from, NodeId to, int64_t *out) {
  Position p;
  if (!position_of(g, to, &p) || !add_to(g, &p, from, -1, DEEPEST) || p.n) return false;
  *out = p.number;
  return true;
}
