/* The two ends of a value that a region carries (ir/graph.h): what it is when a run of the body
 * begins, and what it is behind the region. Law: nothing may be concluded of their elements from
 * the operand's, since runs in between change them; so neither `passes` nor is linear. */
#include "opdefs.h"

static bool infer_same(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

static const char NO_GRAD[] =
    "gradients through `while`, `repeat` and `if` of tensors are not there yet; take the gradient "
    "inside of the body, or unroll the loop with `for`";

const OpDef op_carry = {.name = "carry",
                        .doc = "a value that a region carries, when a run of its body begins",
                        .attr = {{"region", ATTR_INT}, {"number", ATTR_INT}},
                        .infer = infer_same,
                        .rule = rule_elementwise,
                        .no_grad = NO_GRAD,
                        .c = "$0",
                        .class = OPC_ELEMENT,
                        .flags = OPF_ELEMENTWISE};
const OpDef op_after = {.name = "after",
                        .doc = "a value that a region carries, behind the region",
                        .infer = infer_same,
                        .rule = rule_elementwise,
                        .no_grad = NO_GRAD,
                        .lower = lower_reshape,
                        .class = OPC_VIEW,
                        .flags = OPF_MOVES | OPF_ONE_TO_ONE};
