/* How elementwise ops are defined: UNARY and BINARY are one row each, with doc line, example,
 * types, gradient and C. Before a row stands its fold: what the op makes of numbers (fold.h). */
#ifndef DTG_ELEMENTWISE_H
#define DTG_ELEMENTWISE_H
#include "fold.h"

/* A file whose rows have their C in dtrt_special.h says so before it includes this. */
#ifndef ELEMENT_IN_SPECIAL
#define ELEMENT_IN_SPECIAL false
#endif

#define ELEMENT_FN static inline __attribute__((unused))

enum { TAKES_BOOL = 1, TAKES_INT = 2, TAKES_FLOAT = 4 };

ELEMENT_FN bool takes(Build *b, const Node *x, int kinds, const char *what) {
  int k = x->dtype == DT_BOOL ? TAKES_BOOL : dtype_is_float(x->dtype) ? TAKES_FLOAT : TAKES_INT;
  if (kinds & k) return true;
  const char *hint = kinds == TAKES_FLOAT  ? "cast with f32(...)"
                     : kinds == TAKES_BOOL ? "compare first, as in x != 0"
                     : kinds == TAKES_INT  ? "cast with i32(...)"
                                           : "cast with f32(...) or i32(...)";
  op_fail(b, b->span, "%s%s%s, not %s; %s", what, *what ? " takes " : "takes ",
          kinds == TAKES_BOOL    ? "bool tensors"
          : kinds == TAKES_FLOAT ? "floating-point tensors"
          : kinds == TAKES_INT   ? "integer tensors"
                                 : "tensors of numbers",
          dtype_name(x->dtype), hint);
  return false;
}

ELEMENT_FN bool same_shapes(Build *b, const Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  for (int i = 1; i < n->noperands; i++)
    if (!shape_equal(&x->shape, &graph_operand(b->graph, n, i)->shape)) {
      op_fail(b, b->span, "shapes differ: %s and %s", op_describe(b, n->operand[0]),
              op_describe(b, n->operand[i]));
      return false;
    }
  return true;
}

ELEMENT_FN bool infer_like(Build *b, Node *n, int kinds, bool to_bool) {
  const Node *x = graph_operand(b->graph, n, 0);
  if (!takes(b, x, kinds, "") || !same_shapes(b, n)) return false;
  n->dtype = to_bool ? DT_BOOL : x->dtype;
  n->shape = x->shape;
  return true;
}

ELEMENT_FN bool infer_number(Build *b, Node *n) {
  return infer_like(b, n, TAKES_INT | TAKES_FLOAT, false);
}
ELEMENT_FN bool infer_float(Build *b, Node *n) { return infer_like(b, n, TAKES_FLOAT, false); }
ELEMENT_FN bool infer_integer(Build *b, Node *n) { return infer_like(b, n, TAKES_INT, false); }
ELEMENT_FN bool infer_class(Build *b, Node *n) { return infer_like(b, n, TAKES_FLOAT, true); }
ELEMENT_FN bool infer_bool(Build *b, Node *n) { return infer_like(b, n, TAKES_BOOL, false); }
ELEMENT_FN bool infer_order(Build *b, Node *n) {
  return infer_like(b, n, TAKES_INT | TAKES_FLOAT, true);
}
ELEMENT_FN bool infer_equal(Build *b, Node *n) {
  return infer_like(b, n, TAKES_BOOL | TAKES_INT | TAKES_FLOAT, true);
}
ELEMENT_FN bool infer_any(Build *b, Node *n) {
  return infer_like(b, n, TAKES_BOOL | TAKES_INT | TAKES_FLOAT, false);
}

ELEMENT_FN Arg unary(Build *b, Op op, const Arg *a) {
  NodeId x = complex_written(b, op, &a[0], NULL);
  if (x != NO_NODE) return arg_node(x);
  return arg_node(arg_tensor(b, &a[0], "x", &x) ? mk1(b, op, x) : NO_NODE);
}
ELEMENT_FN Arg binary(Build *b, Op op, const Arg *a) { return build_operator(b, op, &a[0], &a[1]); }

ELEMENT_FN NodeId flat_grad(Build *b, NodeId node, NodeId dy) {
  (void)b, (void)node, (void)dy;
  return NO_NODE;
}

#define IN(i) (op_node(b, node)->operand[i])

#define UNARY(NAME, SYM, DOC, EXAMPLE, INFER, GRAD, WHY, C, COST, ...)                             \
  static void grad_##NAME(Build *b, NodeId node, NodeId dy, NodeId *dx) {                          \
    (void)b, (void)node, (void)dy;                                                                 \
    dx[0] = GRAD;                                                                                  \
  }                                                                                                \
  extern const OpDef op_##NAME;                                                                    \
  static Arg call_##NAME(Build *b, const Arg *a) { return unary(b, &op_##NAME, a); }               \
  const OpDef op_##NAME = {.name = SYM,                                                            \
                           .params = "x",                                                          \
                           .doc = DOC,                                                             \
                           .example = EXAMPLE,                                                     \
                           .call = call_##NAME,                                                    \
                           .fold = fold_##NAME,                                                    \
                           .numbers = 1,                                                           \
                           .infer = INFER,                                                         \
                           .rule = rule_elementwise,                                               \
                           .grad = grad_##NAME,                                                    \
                           .no_grad = WHY,                                                         \
                           .c = C,                                                                 \
                           .c_special = ELEMENT_IN_SPECIAL,                                        \
                           .class = OPC_ELEMENT,                                                   \
                           .flags = OPF_ELEMENTWISE,                                               \
                           .flops = COST,                                                          \
                           .rounding = (COST) > 1 /* others are exact */,                          \
                           __VA_ARGS__};

#define BINARY(NAME, ...) BINARY_OF("x, y", NAME, __VA_ARGS__)
#define BINARY_OF(PARAMS, NAME, SYM, DOC, EXAMPLE, INFER, GRADX, GRADY, WHY, C, ...)               \
  static void grad_##NAME(Build *b, NodeId node, NodeId dy, NodeId *dx) {                          \
    (void)b, (void)node, (void)dy;                                                                 \
    dx[0] = GRADX;                                                                                 \
    dx[1] = GRADY;                                                                                 \
  }                                                                                                \
  extern const OpDef op_##NAME;                                                                    \
  static Arg call_##NAME(Build *b, const Arg *a) { return binary(b, &op_##NAME, a); }              \
  const OpDef op_##NAME = {.name = SYM,                                                            \
                           .params = PARAMS,                                                       \
                           .doc = DOC,                                                             \
                           .example = EXAMPLE,                                                     \
                           .call = call_##NAME,                                                    \
                           .fold = fold_##NAME,                                                    \
                           .numbers = 2,                                                           \
                           .infer = INFER,                                                         \
                           .rule = rule_elementwise,                                               \
                           .grad = grad_##NAME,                                                    \
                           .no_grad = WHY,                                                         \
                           .c = C,                                                                 \
                           .c_special = ELEMENT_IN_SPECIAL,                                        \
                           .class = OPC_ELEMENT,                                                   \
                           .flags = OPF_ELEMENTWISE,                                               \
                           .flops = 1,                                                             \
                           .rounding = 1,                                                          \
                           __VA_ARGS__};

#define FLAT "its slope is zero almost everywhere"
#define BOOLEAN "its result is true or false"
#define INTEGER "its operands are integers"

/* Of two numbers: dtrt_NAME_f64 of them as reals; dtrt_NAME_i64 of integers, which may wrap. */
#define FOLD_REALS(NAME)                                                                           \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    if (!is_number(&x[0]) || !is_number(&x[1])) return FOLD_NONE;                                  \
    return fold_real(dtrt_##NAME##_f64(number_real(x), number_real(x + 1)), out);                  \
  }
#define FOLD_INTEGERS(NAME)                                                                        \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    if (x[0].kind != NUM_INT || x[1].kind != NUM_INT) return FOLD_NONE;                            \
    return fold_whole(dtrt_##NAME##_i64(x[0].i, x[1].i), out);                                     \
  }
#define FOLD_INTEGER(NAME)                                                                         \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    return x->kind == NUM_INT ? fold_whole(dtrt_##NAME##_i64(x->i), out) : FOLD_NONE;              \
  }
/* An integer, as in Python, where 64 bits hold it. */
#define FOLD_ROUNDING(NAME)                                                                        \
  static Folded fold_##NAME(const Scalar *x, Scalar *out) {                                        \
    if (!is_number(x)) return FOLD_NONE;                                                           \
    double r = dtrt_##NAME##_f64(number_real(x));                                                  \
    if (x->kind == NUM_INT) return fold_whole(x->i, out);                                          \
    return fabs(r) < 0x1p63 ? fold_whole((int64_t)r, out) : fold_real(r, out);                     \
  }

#endif
