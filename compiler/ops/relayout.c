/* Ops that change a tensor's layout and not its value. The user writes `relayout`; partition
 * inserts `exchange` for it and wherever an op requires boxes that a device does not own. */
#include "opdefs.h"

static bool infer_same(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (n->noperands == 2 && !shape_equal(&x->shape, &graph_operand(b->graph, n, 1)->shape)) {
    op_fail(b, b->span, "shapes differ: %s and %s", op_describe(b, n->operand[0]),
            op_describe(b, n->operand[1]));
    return false;
  }
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

/* The gradient comes back in the layout of the operand. */
static void grad_relayout(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  dx[0] = build_relayout_like(b, dy, op_node(b, node)->operand[0]);
  if (op_node(b, node)->noperands == 2) dx[1] = NO_NODE;
}

const OpDef op_relayout = {.name = "relayout",
                           .doc = "relayout(x, [batch, _]): x under that layout",
                           .infer = infer_same,
                           .rule = rule_elementwise,
                           .grad = grad_relayout,
                           .c = "$0",
                           .class = OPC_ELEMENT,
                           .passes = 1,
                           .linear = 1,
                           .flags = OPF_ELEMENTWISE | OPF_LAYOUT};
static Arg call_like(Build *b, const Arg *a) {
  NodeId x, like;
  if (!arg_tensor(b, &a[0], "x", &x) || !arg_tensor(b, &a[1], "like", &like))
    return arg_node(NO_NODE);
  return arg_node(build_relayout_like(b, x, like));
}
const OpDef op_relayout_like = {.name = "relayout_like",
                                .params = "x, like",
                                .doc = "x under the layout of another tensor of the same shape",
                                .example = "f32[4, 6] x, f32[4, 6] y: relayout_like(x, y)",
                                .call = call_like,
                                .infer = infer_same,
                                .rule = rule_elementwise,
                                .grad = grad_relayout,
                                .c = "$0",
                                .class = OPC_ELEMENT,
                                .passes = 1,
                                .flags = OPF_ELEMENTWISE | OPF_LAYOUT};
const OpDef op_exchange = {.name = "exchange",
                           .doc = "x moved between devices to another layout",
                           .class = OPC_EXCHANGE,
                           .infer = infer_same,
                           .rule = rule_elementwise,
                           .no_grad = "gradients are taken before exchanges are inserted"};
