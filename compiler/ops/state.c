/* Leaves of graphs: constants, inputs and variables; and the gradient before it is expanded. */
#include "opdefs.h"
#include <string.h>

static void rule_source(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  for (int d = 0; d < n->shape.rank; d++)
    r->result[d] =
        (RuleDim){.n = 1, .factor = {(int8_t)rule_factor(r, n->shape.dim[d], FACTOR_NEW)}};
}

static bool infer_sizes(Node *n, int skip) {
  n->dtype = (DType)n->attr[0];
  n->shape.rank = n->nattr - skip;
  memcpy(n->shape.dim, n->attr + skip, sizeof *n->attr * (size_t)n->shape.rank);
  return true;
}

/* attr: dtype, sizes. */
static bool infer_const(Build *b, Node *n) {
  return infer_sizes(n, 1) && op_check_size(b, b->span, n->dtype, &n->shape);
}
/* attr: dtype, index, sizes. */
static bool infer_named(Build *b, Node *n) {
  (void)b;
  return infer_sizes(n, 2);
}

static const char NO_OPERAND[] = "it has no operand";
const OpDef op_const = {.name = "const",
                        .doc = "a constant tensor",
                        .attr = {{"dtype", ATTR_DTYPE}, {"shape", ATTR_SHAPE}},
                        .infer = infer_const,
                        .rule = rule_source,
                        .no_grad = NO_OPERAND,
                        .lower = lower_const,
                        .class = OPC_CONST,
                        .flags = OPF_MOVES | OPF_FREE | OPF_NO_WORK};
const OpDef op_input = {
    .name = "input",
    .doc = "an input that the host passes",
    .class = OPC_SOURCE,
    .flags = OPF_MOVES,
    .attr = {{"dtype", ATTR_DTYPE}, {"index", ATTR_INDEX}, {"shape", ATTR_SHAPE}},
    .infer = infer_named,
    .rule = rule_source,
    .no_grad = NO_OPERAND};
const OpDef op_var = {.name = "var",
                      .doc = "a variable's value when the entry begins",
                      .class = OPC_SOURCE,
                      .flags = OPF_MOVES,
                      .attr = {{"dtype", ATTR_DTYPE}, {"index", ATTR_INDEX}, {"shape", ATTR_SHAPE}},
                      .infer = infer_named,
                      .rule = rule_source,
                      .no_grad = NO_OPERAND};

static Arg fill(Build *b, const Arg *shape, const Arg *dtype, double value) {
  Shape s;
  DType t;
  if (!arg_shape(b, shape, "shape", &s) || !arg_dtype(b, dtype, "dtype", &t))
    return arg_node(NO_NODE);
  return arg_node(mk_const(b, t, &s, value));
}
static Arg call_zeros(Build *b, const Arg *a) { return fill(b, &a[0], &a[1], 0); }
static Arg call_ones(Build *b, const Arg *a) { return fill(b, &a[0], &a[1], 1); }
/* A scalar tensor in all places; `typed`: of type t. */
static NodeId filled(Build *b, const Arg *a, const Shape *s, bool typed, DType t) {
  const NodeId x = typed ? build_tensor(b, a, t) : a->node;
  if (x == NO_NODE) return x;
  const Node *n = op_node(b, x);
  if (n->shape.rank != 0 || (typed && n->dtype != t))
    return op_fail(b, a->span, "`value` must be a number or a scalar%s%s, but it is %s",
                   typed ? " of type " : "", typed ? dtype_name(t) : "", op_describe(b, x));
  return mk_broadcast_to(b, x, s);
}

static Arg call_full(Build *b, const Arg *a) {
  double v;
  Shape s;
  DType t = a[1].kind == ARG_BOOL ? DT_BOOL : DT_F32;
  if (!arg_shape(b, &a[0], "shape", &s) ||
      (a[2].kind != ARG_NONE && !arg_dtype(b, &a[2], "dtype", &t)))
    return arg_node(NO_NODE);
  if (a[1].kind == ARG_TENSOR) return arg_node(filled(b, &a[1], &s, a[2].kind != ARG_NONE, t));
  if (a[1].kind == ARG_INT && dtype_is_int(t) && t != DT_BOOL)
    return arg_node(mk_broadcast_to(b, build_tensor(b, &a[1], t), &s));
  return arg_node(arg_fill(b, &a[1], "value", t, &v) ? mk_const(b, t, &s, v) : NO_NODE);
}

const OpDef op_zeros = {.name = "zeros",
                        .params = "shape=declared, dtype=declared",
                        .doc = "all 0; without arguments, for the variable being declared",
                        .example = "f32[4, 6] x: x + zeros([4, 6], f32)",
                        .call = call_zeros};
const OpDef op_ones = {.name = "ones",
                       .params = "shape=declared, dtype=declared",
                       .doc = "all 1; without arguments, for the variable being declared",
                       .example = "f32[4, 6] x: x * ones([4, 6], f32)",
                       .call = call_ones};
const OpDef op_full = {.name = "full",
                       .params = "shape, value, dtype=none",
                       .doc = "all `value`, a number or a scalar: f32 of a number, bool of true or "
                              "false, if no type is given",
                       .example = "f32[4, 6] x: x + full([4, 6], 2.5, f32)",
                       .call = call_full};

static bool infer_grad(Build *b, Node *n) {
  const Node *loss = graph_operand(b->graph, n, 0), *x = graph_operand(b->graph, n, 1);
  if (loss->shape.rank != 0) {
    op_fail(b, b->span, "only a scalar has a gradient here: the loss is %s; take its mean or sum",
            op_describe(b, n->operand[0]));
    return false;
  }
  if (!dtype_is_float(loss->dtype) || !dtype_is_float(x->dtype)) {
    op_fail(b, b->span, "gradients are of floating-point tensors: the loss is %s, the other %s",
            op_describe(b, n->operand[0]), op_describe(b, n->operand[1]));
    return false;
  }
  if (dtype_is_complex(loss->dtype)) {
    op_fail(b, b->span, "gradients are of real numbers: the loss is %s; take real(...) or abs(...)",
            op_describe(b, n->operand[0]));
    return false;
  }
  n->dtype = x->dtype;
  n->shape = x->shape;
  return true;
}

const OpDef op_grad = {.name = "grad",
                       .doc = "d loss / d x, until the autodiff pass replaces it",
                       .flags = OPF_GRAD, /* may have an attribute: 1, 2: of re, of im */
                       .infer = infer_grad,
                       .rule = rule_source,
                       .no_grad = "it is replaced before gradients are taken of it"};
