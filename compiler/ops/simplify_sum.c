/* Removes zero addends from sums. A centred value, u - mean(u), sums to zero over the dims of its
 * mean; the backward pass of a norm contains such sums, and each would require another pass over
 * memory.
 *
 *   sum(a + k * (u - mean(u)))  ->  sum(a)        k constant along the summed dims */
#include "opdefs.h"

enum { DEEP = 8 }; /* terms and factors are looked at so far down */

/* Along the summed dims all elements are the same. */
static bool is_level(const Graph *g, NodeId id, int64_t dims, int deep) {
  const Node *n = graph_node(g, id);
  if (n->op == &op_const) return true;
  if (n->op == &op_broadcast) {
    for (int d = 0; d < graph_operand(g, n, 0)->shape.rank; d++)
      if (dims >> node_attrs(n, "dims")[d] & 1) return false;
    return true;
  }
  if (!deep || !(n->op->flags & OPF_ELEMENTWISE) || !n->noperands) return false;
  for (int k = 0; k < n->noperands; k++)
    if (!is_level(g, n->operand[k], dims, deep - 1)) return false;
  return true;
}

/* Which of u's dims, those of one element left out, a node has in turn. */
typedef struct DimsInTurn {
  int n, of[MAX_RANK];
} DimsInTurn;

/* The value is sum(u, dims) / how many, in every shape that only adds or leaves out dims of one
 * element. `have`: what its dims are of u's. */
static bool is_mean(const Graph *g, NodeId id, NodeId u, int64_t dims, const DimsInTurn *have) {
  const Shape *whole = &graph_node(g, u)->shape;
  double factor = 1, count = 1;
  for (int deep = DEEP; deep; deep--) {
    const Node *n = graph_node(g, id);
    if (n->op == &op_sum) break;
    id = n->operand ? n->operand[0] : NO_NODE;
    if (n->op == &op_reshape) {
      /* Dims of more than one element in the same order, and nothing else moved. */
      if (!shape_equal_but_ones(&n->shape, &graph_node(g, id)->shape)) return false;
    } else if (n->op == &op_mul || n->op == &op_div) {
      const Node *by = graph_operand(g, n, 1);
      if (by->op != &op_const) return false;
      factor = n->op == &op_mul ? factor * by->value : factor / by->value;
    } else {
      return false;
    }
  }
  const Node *n = graph_node(g, id);
  if (n->op != &op_sum || n->operand[0] != u || node_attr(n, "axis") != dims) return false;
  int left = 0;
  for (int d = 0; d < whole->rank; d++) {
    if (dims >> d & 1)
      count *= (double)whole->dim[d];
    else if (whole->dim[d] != 1 && (left == have->n || have->of[left++] != d))
      return false;
  }
  return left == have->n && fabs(factor * count - 1) < 1e-6;
}

/* u - mean(u), times what is level. */
static bool adds_up_to_zero(const Graph *g, NodeId id, int64_t dims, int deep) {
  const Node *n = graph_node(g, id);
  if (!deep) return false;
  if (n->op == &op_neg) return adds_up_to_zero(g, n->operand[0], dims, deep - 1);
  if (n->op == &op_mul)
    for (int k = 0; k < 2; k++)
      if (is_level(g, n->operand[k], dims, 3) &&
          adds_up_to_zero(g, n->operand[1 - k], dims, deep - 1))
        return true;
  if (n->op != &op_sub) return false;
  const Node *b = graph_operand(g, n, 1);
  if (b->op != &op_broadcast) return false;
  const Node *mean = graph_operand(g, b, 0);
  DimsInTurn have = {0};
  for (int d = 0; d < mean->shape.rank; d++)
    if (mean->shape.dim[d] != 1) have.of[have.n++] = (int)node_attrs(b, "dims")[d];
  return is_mean(g, b->operand[0], n->operand[0], dims, &have);
}

static NodeId like(NewGraph *w, NodeId of, Op op, int noperands, NodeId a, NodeId b) {
  const Node *n = graph_node(w->graph, of);
  NodeId x[2] = {a, b};
  Node new = {.op = op,
              .dtype = n->dtype,
              .shape = n->shape,
              .span = n->span,
              .site = n->site,
              .noperands = noperands,
              .operand = x};
  return w->intern(w->user, &new);
}

/* The value without terms that add up to zero; NO_NODE: nothing is left. */
static NodeId without_zeros(NewGraph *w, NodeId id, int64_t dims, int deep) {
  const Node n = *graph_node(w->graph, id);
  if (adds_up_to_zero(w->graph, id, dims, DEEP)) return NO_NODE;
  if (!deep || n.spec || (n.op != &op_add && n.op != &op_sub && n.op != &op_neg)) return id;
  NodeId a = without_zeros(w, n.operand[0], dims, deep - 1), b = NO_NODE;
  if (n.op == &op_neg) {
    if (a == n.operand[0]) return id;
    return a == NO_NODE ? NO_NODE : like(w, id, &op_neg, 1, a, NO_NODE);
  }
  b = without_zeros(w, n.operand[1], dims, deep - 1);
  if (a == n.operand[0] && b == n.operand[1]) return id;
  if (b == NO_NODE) return a;
  if (a == NO_NODE) return n.op == &op_add ? b : like(w, id, &op_neg, 1, b, NO_NODE);
  return like(w, id, n.op, 2, a, b);
}

NodeId simplify_sum(NewGraph *w, Node *n) {
  NodeId x = n->operand[0];
  if (!dtype_is_float(n->dtype) || w->full) return NO_NODE;
  NodeId rest = without_zeros(w, x, node_attr(n, "axis"), DEEP);
  if (rest != NO_NODE) n->operand = arena_copy(w->arena, &rest, sizeof rest);
  return NO_NODE;
}
