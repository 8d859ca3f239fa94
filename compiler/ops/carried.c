/* What regions are made with (ir/graph.h): the two ends of a value that one carries: what it is
 * when a run of the body begins, and what it is behind the region. Law: nothing may be concluded of
 * their elements from the operand's, since runs in between change them; so neither `passes` nor is
 * linear. */
#include "opdefs.h"

enum { COUNTS_BY = 1 << 20 }; /* so that what several runs add fits in any type */

bool loop_counts(const Graph *g, NodeId condition, NodeId carry, NodeId next, Counts *out) {
  const Node *c = graph_node(g, condition), *add = graph_node(g, next);
  if (c->op != &op_lt || add->op != &op_add || c->operand[0] != carry) return false;
  const DType t = graph_node(g, carry)->dtype;
  for (int k = 0; k < 2; k++) {
    const Node *by = graph_node(g, add->operand[1 - k]);
    if (add->operand[k] != carry || !node_is_const(by) || by->whole < 1) continue;
    *out = (Counts){.by = by->whole, .limit = c->operand[1]};
    return (t == DT_I32 || t == DT_I64) && by->whole < COUNTS_BY;
  }
  return false;
}

NodeId mk_has_runs(Build *b, NodeId carry, NodeId limit, int64_t by, int64_t runs) {
  const NodeId last = mk_whole(b, op_node(b, carry)->dtype, &(Shape){0}, (runs - 1) * by);
  /* A difference that does not fit is negative, and the runs are left to the loop behind. */
  const NodeId left = mk2(b, &op_sub, limit, carry);
  return mk2(b, &op_and, mk2(b, &op_lt, carry, limit), mk2(b, &op_lt, last, left));
}

NodeId mk_after(Build *b, NodeId carry) { return mk1(b, &op_after, carry); }

static bool infer_same(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

static const char NO_GRAD[] =
    "the gradient is taken inside of the body, and would go on through earlier runs; take it behind "
    "the loop, or with respect to the value that the loop carries, or leave earlier runs out by "
    "stop_gradient(...) of that";

const OpDef op_carry = {.name = "carry",
                        .doc = "a value that a region carries, when a run of its body begins",
                        .attr = {{"region", ATTR_INT}, {"number", ATTR_INT}},
                        .infer = infer_same,
                        .rule = rule_elementwise,
                        .no_grad = NO_GRAD,
                        .c = "$0",
                        .class = OPC_ELEMENT,
                        .flags = OPF_ELEMENTWISE | OPF_CARRY};
const OpDef op_after = {.name = "after",
                        .doc = "a value that a region carries, behind the region",
                        .infer = infer_same,
                        .rule = rule_elementwise,
                        .no_grad = NO_GRAD,
                        .lower = lower_reshape,
                        .class = OPC_VIEW,
                        .flags = OPF_MOVES | OPF_ONE_TO_ONE | OPF_AFTER};
