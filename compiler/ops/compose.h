/* Helpers of ops that are composed of others (OPC_CALL): one COMPOSITE row each, with a `call` that
 * builds nodes. Gradients, layouts and code are those of the parts. */
#ifndef DTG_COMPOSE_H
#define DTG_COMPOSE_H
#include "opdefs.h"
#include <string.h>

#define COMPOSE_FN static inline __attribute__((unused))

/* Behind the example may stand more of the definition, as `.flags = OPF_COMPLEX`. */
#define COMPOSITE(NAME, PARAMS, DOC, ...)                                                          \
  const OpDef op_##NAME = {.name = #NAME,                                                          \
                           .params = PARAMS,                                                       \
                           .doc = DOC,                                                             \
                           .call = call_##NAME,                                                    \
                           .example = __VA_ARGS__};

static const Arg NOTHING = {.kind = ARG_TENSOR, .node = NO_NODE};

COMPOSE_FN Arg arg_of_int(int64_t i) { return (Arg){.kind = ARG_INT, .i = i, .real = (double)i}; }
COMPOSE_FN Arg arg_of_real(double r) { return (Arg){.kind = ARG_REAL, .real = r}; }
COMPOSE_FN Arg arg_of_list(Build *b, int n) {
  return (Arg){.kind = ARG_LIST, .n = n, .at = arena_array(b->arena, Arg, n + 1)};
}

COMPOSE_FN const Shape *shape_of(const Build *b, NodeId x) { return &op_node(b, x)->shape; }
COMPOSE_FN DType type_of(const Build *b, NodeId x) { return op_node(b, x)->dtype; }

/* A tensor and one of its dims; negative ones count from the end. */
COMPOSE_FN bool arg_along(Build *b, const Arg *x, const Arg *axis, NodeId *out, int *dim) {
  if (!arg_tensor(b, x, "x", out)) return false;
  int rank = shape_of(b, *out)->rank;
  if (!rank) return op_fail(b, b->span, "a scalar has no dim"), false;
  if (axis->kind == ARG_NONE && rank > 1)
    return op_fail(b, b->span, "give the dim, as axis=1"), false;
  *dim = 0;
  return axis->kind == ARG_NONE || arg_dim(b, axis, "axis", rank, dim);
}

COMPOSE_FN bool check_float(Build *b, NodeId x) {
  if (dtype_is_float(type_of(b, x))) return true;
  op_fail(b, b->span, "takes floating-point tensors, not %s; cast with f32(...)",
          op_describe(b, x));
  return false;
}
COMPOSE_FN bool check_integer(Build *b, NodeId x, const char *what) {
  if (dtype_is_int(type_of(b, x))) return true;
  op_fail(b, b->span, "%s must be integers, not %s", what, op_describe(b, x));
  return false;
}

/* Halves as f32, in which composites compute; the result is cast back. */
COMPOSE_FN NodeId wide(Build *b, NodeId x) {
  if (x == NO_NODE || !dtype_is_half(type_of(b, x))) return x;
  return op_computes_in(b, type_of(b, x)) ? build_cast(b, x, DT_F32) : NO_NODE;
}

/* x[..., from : from + size, ...] along one dim. */
COMPOSE_FN NodeId part_of(Build *b, NodeId x, int dim, int64_t from, int64_t size) {
  if (x == NO_NODE) return NO_NODE;
  int64_t start[MAX_RANK] = {0}, sizes[MAX_RANK], step[MAX_RANK];
  const Shape *s = shape_of(b, x);
  for (int d = 0; d < s->rank; d++) sizes[d] = s->dim[d], step[d] = 1;
  start[dim] = from, sizes[dim] = size;
  return mk_slice(b, x, start, sizes, step);
}

/* One line along `dim` of a tensor of shape s: all else broadcast. */
COMPOSE_FN NodeId spread_along(Build *b, NodeId line, const Shape *s, int dim) {
  return mk_broadcast(b, line, s, &dim);
}

/* An integer constant, or the same number as a float, of like's shape. */
COMPOSE_FN NodeId number_like(Build *b, NodeId like, double v) {
  if (like == NO_NODE) return NO_NODE;
  Shape s = *shape_of(b, like);
  DType t = type_of(b, like);
  return dtype_is_int(t) ? mk_whole(b, t, &s, (int64_t)v) : mk_const(b, t, &s, v);
}
#endif
