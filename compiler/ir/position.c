/* How far two positions known while running are apart, where their expressions show it. */
#include "op.h"
#include <string.h>

enum { MOST_TERMS = 8, DEEPEST = 32 };

/* number + the sum of times[] * node[] */
typedef struct Distance {
  const Graph *g;
  int64_t number;
  int n;
  NodeId node[MOST_TERMS];
  int64_t times[MOST_TERMS];
} Distance;

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

static bool add_term(Distance *f, NodeId id, int64_t times) {
  for (int i = 0; i < f->n; i++)
    if (same(f->g, f->node[i], id, DEEPEST)) {
      f->times[i] += times;
      return true;
    }
  if (f->n == MOST_TERMS) return false;
  f->node[f->n] = id;
  f->times[f->n++] = times;
  return true;
}

static bool add_to(Distance *f, NodeId id, int64_t times, int depth) {
  const Node *n = graph_node(f->g, id);
  if (node_is_const(n)) {
    int64_t by;
    return !__builtin_mul_overflow(n->whole, times, &by) &&
           !__builtin_add_overflow(f->number, by, &f->number);
  }
  bool sum = depth && n->op->index[0] && n->shape.rank == 0;
  for (int k = 0; k < n->noperands; k++)
    sum = sum && dtype_is_int(graph_operand(f->g, n, k)->dtype);
  for (int k = 0; sum && k < n->noperands; k++)
    if (!add_to(f, n->operand[k], times * n->op->index[k], depth - 1)) return false;
  return sum || add_term(f, id, times);
}

bool position_distance(const Graph *g, NodeId from, NodeId to, int64_t *out) {
  Distance f = {.g = g};
  if (!add_to(&f, to, 1, DEEPEST) || !add_to(&f, from, -1, DEEPEST)) return false;
  for (int i = 0; i < f.n; i++)
    if (f.times[i]) return false;
  *out = f.number;
  return true;
}
