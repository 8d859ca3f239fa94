/* A broadcast of indices, and of what few operations make of them, as these of the larger shape:
 *
 *   broadcast(iota([n]))        ->  iota([n, m], axis=0)
 *   broadcast(iota([n]) // 4)   ->  iota([n, m], axis=0) // 4
 *
 * Neither has memory. But two broadcasts of one iota along different dims, which are compared in a
 * mask that is written as expand(iota(n), 1) >= iota(n), would be one value at two indices: no tile
 * could have its part of it. The mask itself stays, for whatever it is broadcast to. */
#include "opdefs.h"
#include <string.h>

/* At most, so that it is computed again for each element, as it is for each row anyway. */
enum { FLOPS = 8, NODES = 8, OPERANDS = 4 };

typedef struct Spread {
  NewGraph *w;
  const Node *to;     /* the broadcast */
  const int64_t *dim; /* of each of its operand's dims */
  int nodes;
  bool index; /* there is one */
} Spread;

/* What a loop carries is another value in each run. */
static bool is_element(const Node *n) {
  return op_class(n) == OPC_ELEMENT && n->noperands && n->noperands <= OPERANDS &&
         !op_is(n, OPF_CARRY | OPF_AFTER | OPF_TELLS | OPF_GRAD | OPF_LAYOUT);
}

/* Made of indices and numbers alone; *flops: of an element. */
static bool is_of_indices(Spread *s, NodeId x, double *flops) {
  const Node *n = graph_node(s->w->graph, x);
  if (s->w->stays(s->w->user, x) || ++s->nodes > NODES) return false;
  if (n->op == &op_const) return true;
  if (n->op == &op_iota) {
    const int64_t axis = node_attr(n, "axis");
    s->index = true;
    return n->shape.dim[axis] == s->to->shape.dim[s->dim[axis]];
  }
  if (!is_element(n)) return false;
  *flops += n->op->flops;
  for (int k = 0; k < n->noperands; k++)
    if (!is_of_indices(s, n->operand[k], flops)) return false;
  return *flops <= FLOPS;
}

static NodeId spread(Spread *s, NodeId x) {
  const Node n = *graph_node(s->w->graph, x);
  NodeId operand[OPERANDS];
  int64_t attr[MAX_RANK + 2];
  Node new = n;
  new.shape = s->to->shape;
  new.span = s->to->span, new.site = s->to->site, new.name = NULL, new.within = 0;
  if (n.op == &op_iota) {
    attr[0] = n.attr[0], attr[1] = s->dim[node_attr(&n, "axis")];
    memcpy(attr + 2, new.shape.dim, sizeof *attr * (size_t) new.shape.rank);
    new.attr = attr, new.nattr = 2 + new.shape.rank;
  }
  for (int k = 0; k < n.noperands; k++) operand[k] = spread(s, n.operand[k]);
  if (n.noperands) new.operand = operand;
  return s->w->intern(s->w->user, &new);
}

NodeId simplify_broadcast(NewGraph *w, Node *n) {
  Spread s = {.w = w, .to = n, .dim = node_attrs(n, "dims")};
  double flops = 0;
  const Node *x = graph_node(w->graph, n->operand[0]);
  if (w->full || !x->shape.rank || x->dtype == DT_BOOL ||
      !is_of_indices(&s, n->operand[0], &flops) || !s.index)
    return NO_NODE;
  return spread(&s, n->operand[0]);
}
