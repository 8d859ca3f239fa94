/* Reads tensors that are joined at their ends as what they are: cyclic.
 *
 *   concat([x[-1:], x[:-1]])             ->  roll(x, 1)
 *   p = concat([x[-1:], x, x[:1]]); p[2:]  ->  roll(x, -1)     a border of what is at the other end
 *   roll(roll(x, 1), 1, axis=1)          ->  roll(x, [1, 1], axis=[0, 1])
 *   concat([a, b])[:n]                   ->  a[:n]           n at most the elements of a
 *
 * What rolls need of neighbours is one halo; a concat would be a tensor of its own, of a size that
 * devices do not share out as they do x. */
#include "opdefs.h"
#include <string.h>

/* The elements of `whole` along `dim` that node `id` is: all of them, or those of a slice. */
static bool range_of(const NewGraph *w, NodeId id, NodeId whole, int dim, int64_t *begin) {
  const Node *n = graph_node(w->graph, id), *x = graph_node(w->graph, whole);
  *begin = 0;
  if (id == whole) return true;
  if (n->op != &op_slice || n->operand[0] != whole || w->stays(w->user, id)) return false;
  for (int d = 0; d < n->shape.rank; d++) {
    if (node_attrs(n, "step")[d] != 1) return false;
    if (d != dim && n->shape.dim[d] != x->shape.dim[d]) return false;
  }
  *begin = node_attrs(n, "begin")[dim];
  return true;
}

static bool is_cycle_of(const NewGraph *w, const Node *n, NodeId whole, Cycle *c) {
  const int dim = (int)node_attr(n, "axis");
  const int64_t size = graph_node(w->graph, whole)->shape.dim[dim];
  int64_t next = 0;
  if (!size) return false;
  for (int k = 0; k < n->noperands; k++) {
    int64_t begin;
    if (!range_of(w, n->operand[k], whole, dim, &begin)) return false;
    if (k && begin != next % size) return false;
    if (!k) *c = (Cycle){whole, dim, begin};
    next = begin + graph_operand(w->graph, n, k)->shape.dim[dim];
  }
  return true;
}

bool is_cycle(const NewGraph *w, const Node *n, Cycle *c) {
  const NodeId first = n->operand[0];
  const Node *x = graph_node(w->graph, first);
  return is_cycle_of(w, n, first, c) || (x->op == &op_slice && is_cycle_of(w, n, x->operand[0], c));
}

static Node alike(const Node *n, Op op, const NodeId *x, int nattr, const int64_t *attr) {
  return (Node){.op = op,
                .dtype = n->dtype,
                .shape = n->shape,
                .span = n->span,
                .site = n->site,
                .noperands = 1,
                .operand = (NodeId *)x,
                .nattr = nattr,
                .attr = attr};
}

/* x shifted by `by`. */
static NodeId roll_of(NewGraph *w, const Node *n, NodeId x, int64_t *by) {
  const Node *of = graph_node(w->graph, x);
  const bool again = of->op == &op_roll && !w->stays(w->user, x);
  bool moves = false;
  for (int d = 0; d < of->shape.rank; d++) {
    if (again) by[d] += node_attrs(of, "shift")[d];
    if (by[d]) by[d] %= of->shape.dim[d];
    moves = moves || by[d];
  }
  if (again) x = of->operand[0];
  if (!moves) return x;
  Node roll = alike(n, &op_roll, &x, of->shape.rank, by);
  roll.shape = of->shape;
  return w->intern(w->user, &roll);
}

/* x from `begin` on, all of the dim. */
static NodeId turned(NewGraph *w, const Node *n, NodeId x, int dim, int64_t begin) {
  const Shape *s = &graph_node(w->graph, x)->shape;
  int64_t *by = arena_array(w->arena, int64_t, s->rank);
  by[dim] = (s->dim[dim] - begin % s->dim[dim]) % s->dim[dim];
  return roll_of(w, n, x, by);
}

NodeId simplify_roll(NewGraph *w, Node *n) {
  const Node *x = graph_operand(w->graph, n, 0);
  if (w->full || x->op != &op_roll || w->stays(w->user, n->operand[0])) return NO_NODE;
  int64_t *by = arena_array(w->arena, int64_t, n->nattr);
  memcpy(by, n->attr, sizeof *by * (size_t)n->nattr);
  return roll_of(w, n, n->operand[0], by);
}

/* Slice n, but of x, and from `begin` on along `dim`. */
static NodeId slice_of(NewGraph *w, const Node *n, NodeId x, int dim, int64_t begin, int64_t size) {
  const int rank = n->shape.rank;
  int64_t *attr = arena_array(w->arena, int64_t, 3 * rank);
  memcpy(attr, n->attr, sizeof *attr * 3 * (size_t)rank);
  attr[dim] = begin, attr[rank + dim] = size;
  Node slice = alike(n, &op_slice, &x, 3 * rank, attr);
  slice.shape.dim[dim] = size;
  const Node *of = graph_node(w->graph, x);
  bool whole = shape_equal(&slice.shape, &of->shape);
  for (int d = 0; d < rank; d++) whole = whole && !attr[d] && attr[2 * rank + d] == 1;
  if (whole) return x;
  const NodeId simpler = simplify_slice(w, &slice);
  return simpler != NO_NODE ? simpler : w->intern(w->user, &slice);
}

NodeId simplify_concat(NewGraph *w, Node *n) {
  Cycle c;
  if (w->full || !is_cycle(w, n, &c)) return NO_NODE;
  if (!shape_equal(&n->shape, &graph_node(w->graph, c.x)->shape)) return NO_NODE;
  return turned(w, n, c.x, c.dim, c.begin);
}

NodeId simplify_slice(NewGraph *w, Node *n) {
  const Node *of = graph_operand(w->graph, n, 0);
  if (w->full || of->op != &op_concat || w->stays(w->user, n->operand[0])) return NO_NODE;
  const int dim = (int)node_attr(of, "axis");
  const int64_t begin = node_attrs(n, "begin")[dim], size = n->shape.dim[dim];
  if (node_attrs(n, "step")[dim] != 1) return NO_NODE;
  int64_t at = 0;
  for (int k = 0; k < of->noperands; k++) {
    const int64_t len = graph_operand(w->graph, of, k)->shape.dim[dim];
    if (begin >= at && begin + size <= at + len)
      return slice_of(w, n, of->operand[k], dim, begin - at, size);
    at += len;
  }
  Cycle c;
  if (!is_cycle(w, of, &c) || size != graph_node(w->graph, c.x)->shape.dim[dim]) return NO_NODE;
  return turned(w, n, slice_of(w, n, c.x, dim, 0, size), dim, c.begin + begin);
}
