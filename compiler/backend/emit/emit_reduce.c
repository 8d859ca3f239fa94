/* Reductions as loop nests: those whose result does not depend on the order. Sums and products of
 * floats are in emit_sum.c. */
#include "emit_reduce.h"
#include <math.h>
#include <string.h>

const char *reduction_identity(Emit *e, const Node *n) {
  DType t = n->dtype;
  switch (n->op->reduce) {
  case RED_PROD: return loop_constant(e, t, 1);
  case RED_MAX:
    if (t == DT_BOOL) return "0";
    return dtype_is_float(t) ? loop_constant(e, t, -INFINITY)
                             : loop_constant(e, t, (double)dtype_least(t));
  case RED_MIN:
    if (t == DT_BOOL) return "1";
    return dtype_is_float(t) ? loop_constant(e, t, INFINITY)
           : t == DT_I64     ? "9223372036854775807"
                             : loop_constant(e, t, (double)dtype_most(t));
  default: return loop_constant(e, t, 0);
  }
}

const char *reduction_combined(Emit *e, const Node *n, const char *acc, const char *v) {
  const char *t = dtype_name(loop_computed_as(n->dtype));
  bool whole = dtype_is_int(n->dtype);
  const bool truth = n->dtype == DT_BOOL;
  switch (n->op->reduce) {
  case RED_SUM:
    return arena_printf(e->arena, whole ? "dtrt_add_%3$s(%1$s, %2$s)" : "%1$s + %2$s", acc,
                        loop_wrap(e, v), t);
  case RED_PROD:
    return arena_printf(e->arena, whole ? "dtrt_mul_%3$s(%1$s, %2$s)" : "%1$s * %2$s", acc,
                        loop_wrap(e, v), t);
  case RED_MAX:
    if (truth) return arena_printf(e->arena, "%s | %s", acc, loop_wrap(e, v));
    return arena_printf(e->arena, "dtrt_max_%s(%s, %s)", t, acc, v);
  default:
    if (truth) return arena_printf(e->arena, "%s & %s", acc, loop_wrap(e, v));
    return arena_printf(e->arena, "dtrt_min_%s(%s, %s)", t, acc, v);
  }
}

void reduction_count(Loop *l, const Node *n, const Index *at) {
  loop_count(l, true);
  loop_value(l, n->operand[0], at);
  loop_count(l, false);
  l->pointers.n = 0;
}

void reduction_store(Loop *l, NodeId id, const Index *at, const char *v) {
  const Node *n = graph_node(l->g, id);
  const char *to = loop_element(l, id, at, true);
  if (loop_is_half(n->dtype))
    str_line(&l->code, "%s = dtrt_f32_to_%s(%s);", to, dtype_name(n->dtype), v);
  else
    str_line(&l->code, "%s = %s;", to, v);
}

Nest reduction_nest(Loop *l, const Node *n, uint32_t dims) {
  const Node *x = graph_operand(l->g, n, 0);
  Nest t = {.first_gone = x->shape.rank, .last = -1};
  t.in = loop_nest_index(l, x);
  int o = 0;
  for (int d = 0; d < x->shape.rank; d++) {
    t.gone[d] = dims & 1u << d;
    if (!t.gone[d]) t.out.at[o++] = t.in.at[d];
    if (!strcmp(t.in.at[d], "0")) continue;
    if (t.gone[d] && t.first_gone == x->shape.rank) t.first_gone = d;
    t.last = d;
  }
  return t;
}

bool nest_has_loop(const Nest *t, int d) { return strcmp(t->in.at[d], "0") != 0; }

/* The innermost dim is reduced: an accumulator in a register, or with `lanes` a register of them.
 */
static void reduce_scalar(Loop *l, NodeId id, const Nest *t, bool lanes) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < x->shape.rank; d++)
    if (!t->gone[d] && nest_has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  if (lanes)
    lanes_begin(l, n, 0, "0");
  else
    str_line(&l->code, "%s acc = %s;", loop_type(n->dtype), reduction_identity(e, n));
  for (int d = 0; d < x->shape.rank; d++)
    if (t->gone[d] && nest_has_loop(t, d) && !(lanes && d == t->last))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), ""), inner++;
  if (lanes && emit_reads_band(e, id)) {
    const char *from = loop_live_from(l, x, &t->in), *len = loop_live_to(l, x, &t->in);
    lanes_line(l, n, 0, &t->in, from, len);
    lanes_of_dead(l, n, &t->in, from, len);
  } else if (lanes) {
    lanes_line(l, n, 0, &t->in, "0", loop_extent(l, x, t->last));
  } else {
    const char *v = loop_value(l, n->operand[0], &t->in);
    str_line(&l->code, "acc = %s;", reduction_combined(e, n, "acc", v));
  }
  loop_close(l, inner);
  reduction_store(l, id, &t->out, lanes ? lanes_end(l, n) : "acc");
  loop_close(l, outer);
}

/* All elements in one loop. */
static void reduce_flat(Loop *l, NodeId id) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  const char *count = emit_count(e, x);
  const bool many = !is_number(count, 1), lanes = many && lanes_fit(n, shape_count(&x->shape));
  const Index at = {.flat = lanes ? LANE : many ? "i" : "0"}, none = {0};
  if (lanes)
    lanes_begin(l, n, 0, "0");
  else
    str_line(&l->code, "%s acc = %s;", loop_type(n->dtype), reduction_identity(e, n));
  reduction_count(l, n, &at);
  const char *len = many ? loop_number(l, 'n', count) : count;
  if (lanes) {
    lanes_line(l, n, 0, &at, "0", len);
  } else {
    if (many) loop_open(l, "i", len, "");
    const char *v = loop_value(l, n->operand[0], &at);
    str_line(&l->code, "acc = %s;", reduction_combined(e, n, "acc", v));
    loop_close(l, many);
  }
  reduction_store(l, id, &none, lanes ? lanes_end(l, n) : "acc");
}

/* The innermost dim is kept: rows are added up into the result, which stays in cache. */
static void reduce_rows(Loop *l, NodeId id, const Nest *t) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < t->first_gone; d++)
    if (nest_has_loop(t, d)) loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  const char *to = loop_element(l, id, &t->out, true), *first = emit_first(e, id);
  if (first) str_line(&l->code, "if (%s)", loop_number(l, 'f', first)), l->code.indent++;
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (!t->gone[d] && nest_has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"),
          inner++;
  str_line(&l->code, "%s = %s;", to, reduction_identity(e, n));
  loop_close(l, inner);
  if (first) l->code.indent--;
  inner = 0;
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (nest_has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"),
          inner++;
  str_line(&l->code, "%s = %s;", to,
           reduction_combined(e, n, to, loop_value(l, n->operand[0], &t->in)));
  loop_close(l, inner);
  loop_close(l, outer);
}

static void reduce_index(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  Nest t = reduction_nest(l, n, 1u << node_attr(n, "axis"));
  int dim = (int)node_attr(n, "axis"), outer = 0;
  DType vt = x->dtype;
  reduction_count(l, n, &t.in);
  for (int d = 0; d < x->shape.rank; d++)
    if (!t.gone[d] && nest_has_loop(&t, d))
      loop_open(l, t.in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  str_line(&l->code, "int32_t at = -1;");
  str_line(&l->code, "%s best = 0;", loop_type(vt));
  if (nest_has_loop(&t, dim))
    loop_open(l, t.in.at[dim], loop_extent(l, x, dim), "");
  else
    str_line(&l->code, "{"), l->code.indent++;
  str_line(&l->code, "const %s x = %s;", loop_type(vt), loop_value(l, n->operand[0], &t.in));
  str_line(&l->code, "if (at < 0 || x %s best%s) best = x, at = (int32_t)%s;",
           n->op->reduce == RED_MAX ? ">" : "<",
           dtype_is_float(vt) ? " || (x != x && best == best)" : "", t.in.at[dim]);
  loop_close(l, 1);
  str_line(&l->code, "%s = at;", loop_element(l, id, &t.out, true));
  loop_close(l, outer);
}

static void reduce_nested(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  Nest t = reduction_nest(l, n, (uint32_t)node_attr(n, "axis"));
  const bool lanes = t.last >= 0 && t.gone[t.last] && lanes_fit(n, x->shape.dim[t.last]);
  if (lanes) t.in.at[t.last] = LANE;
  reduction_count(l, n, &t.in);
  const bool rows =
      t.last >= 0 && !t.gone[t.last] && t.first_gone < x->shape.rank && !loop_is_half(n->dtype);
  if (rows || emit_first(l->e, id))
    reduce_rows(l, id, &t);
  else
    reduce_scalar(l, id, &t, lanes);
}

void emit_reduce(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  const SumOrder order = sum_order(e->mesh, l.g, n);
  l.code.indent = 1;
  if (op_class(n) == OPC_SEARCH) {
    reduce_index(&l, id);
  } else if (order.fixed) {
    emit_sum(&l, id, &order);
  } else if (n->shape.rank == 0 && loop_is_flat(&l, n->operand[0])) {
    l.flat = true;
    reduce_flat(&l, id);
  } else {
    reduce_nested(&l, id);
  }
  loop_finish(&l, n->name ? n->name : n->op->name);
}
