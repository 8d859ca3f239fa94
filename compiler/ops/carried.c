/* What regions are made with (ir/graph.h). `put` is made in the place of its operand where that is
 * read no more: a loop that collects writes a row in each run.
 *
 * The two ends of a value that a region carries: what it is when a run of the body
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
    "the gradient is taken inside of the body, and would go on through earlier runs; take it behind "
    "the loop, or with respect to the value that the loop carries";

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

/* -------- put -------- */

static bool infer_put(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *i = graph_operand(b->graph, n, 1),
             *v = graph_operand(b->graph, n, 2);
  const int axis = (int)n->attr[0];
  Shape row = {.rank = x->shape.rank - 1};
  for (int d = 0; d < row.rank; d++) row.dim[d] = x->shape.dim[d < axis ? d : d + 1];
  n->dtype = x->dtype;
  n->shape = x->shape;
  if (!dtype_is_int(i->dtype) || i->shape.rank) {
    op_fail(b, b->span, "the index is a scalar of an integer type, but this is %s",
            op_describe(b, n->operand[1]));
    return false;
  }
  if (shape_equal(&row, &v->shape) && v->dtype == x->dtype) return true;
  op_fail(b, b->span, "a row along dim %d of %s is put, which %s is not", axis,
          op_describe(b, n->operand[0]), op_describe(b, n->operand[2]));
  return false;
}

static void rule_put(const Graph *g, const Node *n, Rule *r) {
  const int axis = (int)node_attr(n, "axis");
  (void)g;
  for (int d = 0; d < n->shape.rank; d++) {
    const RuleDim one = {.n = 1, .factor = {(int8_t)rule_factor(r, n->shape.dim[d], FACTOR_PASS)}};
    r->result[d] = r->operand[0][d] = one;
    if (d != axis) r->operand[2][d < axis ? d : d - 1] = one;
  }
}

static NodeId mk_put(Build *b, NodeId x, NodeId index, NodeId v, int axis) {
  const int64_t attr = axis;
  return build_node(b, &op_put, 3, (NodeId[]){x, index, v}, 1, &attr, 0);
}

static void grad_put(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  const Node n = *op_node(b, node);
  const int axis = (int)node_attr(&n, "axis");
  dx[0] = mk_put(b, dy, n.operand[1], mk_number(b, n.operand[2], 0), axis);
  dx[1] = NO_NODE;
  dx[2] = mk_gather(b, dy, n.operand[1], axis);
}

static Arg call_put(Build *b, const Arg *a) {
  NodeId x, index, v;
  int axis;
  if (!arg_tensor(b, &a[0], "x", &x)) return arg_node(NO_NODE);
  index = a[1].kind == ARG_INT ? build_whole(b, DT_I64, a[1].i) : NO_NODE;
  if (index == NO_NODE && !arg_tensor(b, &a[1], "index", &index)) return arg_node(NO_NODE);
  if (!arg_tensor(b, &a[2], "value", &v) ||
      !arg_dim(b, &a[3], "axis", op_node(b, x)->shape.rank, &axis))
    return arg_node(NO_NODE);
  return arg_node(mk_put(b, x, index, v, axis));
}

const OpDef op_put = {.name = "put",
                      .params = "x, index, value, axis=0",
                      .doc = "x with `value` in the place of its row `index` along a dim",
                      .example = "f32[4, 6] x, f32[6] v: put(x, 2, v)",
                      .call = call_put,
                      .attr = {{"axis", ATTR_INT}},
                      .infer = infer_put,
                      .rule = rule_put,
                      .grad = grad_put,
                      .lower = lower_put,
                      .class = OPC_MOVE,
                      .updates = true,
                      .passes = 1 | 4,
                      .flags = OPF_MOVES};
