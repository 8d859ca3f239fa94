/* Adds in place what is zero but for a window. The gradient of reading x[i, j] is such a sum, one
 * a read: in a loop each would take passes over a tensor of x's size.
 *
 *   y + put(0, v, i, j)  ->  put(y, window(y, i, j) + v, i, j)
 *
 * On one device alone: a window of a tensor that is cut is exchanged. */
#include "opdefs.h"
#include <string.h>

enum { SMALL = 4 }; /* elements of the tensor for one of the window, at least */

static bool is_zero(const Node *n) { return n->op == &op_const && n->value == 0 && n->whole == 0; }

static bool is_small_put(const NewGraph *w, NodeId id) {
  const Node *p = graph_node(w->graph, id);
  if (p->op != &op_put || w->stays(w->user, id) || !is_zero(graph_operand(w->graph, p, 0)))
    return false;
  return shape_count(&graph_operand(w->graph, p, 1)->shape) * SMALL <= shape_count(&p->shape);
}

static NodeId add_window(NewGraph *w, const Node *n, NodeId y, NodeId put) {
  const Node p = *graph_node(w->graph, put);
  const NodeId v = p.operand[1];
  const Shape size = graph_node(w->graph, v)->shape;
  const int rank = size.rank, positions = p.noperands - 2;
  NodeId x[MAX_RANK + 2] = {y};
  int64_t attr[2 * MAX_RANK + 1] = {node_attr(&p, "axis")};
  memcpy(x + 1, p.operand + 2, sizeof *x * (size_t)positions);
  for (int d = 0; d < rank; d++)
    attr[1 + d] = size.dim[d], attr[1 + rank + d] = node_attrs(&p, "step")[d];
  Node new = {.op = &op_window,
              .dtype = n->dtype,
              .shape = size,
              .span = n->span,
              .site = n->site,
              .noperands = 1 + positions,
              .operand = x,
              .nattr = 1 + 2 * rank,
              .attr = attr};
  const NodeId old = w->intern(w->user, &new);
  new.op = &op_add, new.noperands = 2, new.nattr = 0;
  x[0] = old, x[1] = v;
  const NodeId sum = w->intern(w->user, &new);
  x[0] = y, x[1] = sum;
  memcpy(x + 2, p.operand + 2, sizeof *x * (size_t)positions);
  new = p;
  new.span = n->span, new.site = n->site, new.operand = x, new.within = 0, new.name = NULL;
  return w->intern(w->user, &new);
}

NodeId simplify_puts(NewGraph *w, const Node *n) {
  if (w->full || !w->alone) return NO_NODE;
  const NodeId x = n->operand[0], y = n->operand[1];
  if (is_small_put(w, y)) return add_window(w, n, x, y);
  return is_small_put(w, x) ? add_window(w, n, y, x) : NO_NODE;
}
