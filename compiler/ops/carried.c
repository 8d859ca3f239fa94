/* What regions are made with (ir/graph.h): the two ends of a value that one carries: what it is
 * when a run of the body begins, and what it is behind the region. Law: nothing may be concluded of
 * their elements from the operand's, since runs in between change them; so neither `passes` nor is
 * linear. */
#include "opdefs.h"

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
