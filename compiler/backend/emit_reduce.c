/* Reductions as loop nests. Sums, products and extremes of floats along the last dim go in 32 lanes
 * (dtrt_math.h), so that their order is the same on every CPU; where the last dim is kept, rows are
 * added up one after the other. */
#include "emit_loop.h"
#include <math.h>
#include <string.h>

static const char *identity(Emit *e, const Node *n) {
  DType t = n->dtype;
  static const double lowest[] = {0, 0, -128, -2147483648.0, -9223372036854775808.0};
  static const double highest[] = {1, 255, 127, 2147483647.0, 9223372036854775807.0};
  switch (n->op) {
  case OP_prod: return loop_constant(e, t, 1);
  case OP_all: return "1";
  case OP_reduce_max:
    return dtype_is_float(t) ? loop_constant(e, t, -INFINITY) : loop_constant(e, t, lowest[t]);
  case OP_reduce_min:
    return dtype_is_float(t) ? loop_constant(e, t, INFINITY)
           : t == DT_I64     ? "9223372036854775807"
                             : loop_constant(e, t, highest[t]);
  default: return loop_constant(e, t, 0);
  }
}

static const char *combined(Emit *e, const Node *n, const char *acc, const char *v) {
  const char *t = dtype_name(loop_computed_as(n->dtype));
  bool whole = dtype_is_int(n->dtype);
  switch (n->op) {
  case OP_sum:
    return arena_printf(e->arena, whole ? "dtrt_add_%3$s(%1$s, %2$s)" : "%1$s + %2$s", acc,
                        loop_wrap(e, v), t);
  case OP_prod:
    return arena_printf(e->arena, whole ? "dtrt_mul_%3$s(%1$s, %2$s)" : "%1$s * %2$s", acc,
                        loop_wrap(e, v), t);
  case OP_reduce_max: return arena_printf(e->arena, "dtrt_max_%s(%s, %s)", t, acc, v);
  case OP_reduce_min: return arena_printf(e->arena, "dtrt_min_%s(%s, %s)", t, acc, v);
  case OP_any: return arena_printf(e->arena, "%s | %s", acc, loop_wrap(e, v));
  default: return arena_printf(e->arena, "%s & %s", acc, loop_wrap(e, v));
  }
}

static void value_twice(Loop *l, NodeId id, const Index *at) {
  loop_count(l, true);
  loop_value(l, id, at);
  loop_count(l, false);
}

/* -------- lines: the innermost loop of a reduction of floats, in lanes -------- */

static const char LANE[] = "at + lane";

static const char *lanes_word(const Node *n) {
  switch (n->op) {
  case OP_sum: return "sum";
  case OP_prod: return "prod";
  case OP_reduce_max: return "max";
  case OP_reduce_min: return "min";
  default: return NULL;
  }
}

/* Lines of at least so many elements are taken in lanes (dtrt_math.h); shorter ones, in the whole
 * tensor, one after the other. */
enum { LANES = 32 };

static bool in_lanes(const Node *n, int64_t line) {
  return dtype_is_float(n->dtype) && lanes_word(n) && line >= LANES;
}

static void lanes_begin(Loop *l, const Node *n) {
  const char *t = dtype_name(loop_computed_as(n->dtype));
  str_line(&l->code, "dtrt_lanes_%s acc = (dtrt_lanes_%s){0} + (%s);", t, t, identity(l->e, n));
}

/* The value at `at`, in which LANE stands for the index along the line, goes to its lane. */
static void lanes_put(Loop *l, const Node *n, const Index *at) {
  const char *v = loop_value(l, n->operand[0], at);
  str_line(&l->code, "line[lane] = %s;", v);
}

/* Lanes that got nothing of the dead columns take what those are: 0 in a sum, which is no news. */
static void lanes_of_dead(Loop *l, const Node *n, const Index *at, const char *from,
                          const char *len) {
  const Node *x = graph_operand(l->g, n, 0);
  if (n->op == OP_sum) return;
  str_line(&l->code, "if (%s > 0 || %s < %s) {", from, len, loop_extent(l, x, x->shape.rank - 1));
  l->code.indent++;
  const char *v = loop_value_outside(l, n->operand[0], at);
  str_line(&l->code, "for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = %s;", v);
  str_line(&l->code, "dtrt_turn_%s_%s(&acc, line);", lanes_word(n),
           dtype_name(loop_computed_as(n->dtype)));
  loop_close(l, 1);
}

static void lanes_line(Loop *l, const Node *n, const Index *at, const char *from, const char *len) {
  const char *t = dtype_name(loop_computed_as(n->dtype)), *word = lanes_word(n);
  Str outside = l->code;
  l->code = str_new(l->e->arena);
  l->code.indent = outside.indent + 2;
  lanes_put(l, n, at);
  const char *body = l->code.at;
  l->code = outside;
  str_line(&l->code, "%s line[DTRT_LANES];", loop_type(n->dtype));
  str_line(&l->code, "int64_t at = %s;", from);
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (; at + DTRT_LANES <= %s; at += DTRT_LANES) {", len);
  l->code.indent++;
  loop_open(l, "lane", "DTRT_LANES", "DTRT_PLAIN");
  str_puts(&l->code, body);
  loop_close(l, 1);
  str_line(&l->code, "dtrt_turn_%s_%s(&acc, line);", word, t);
  loop_close(l, 1);
  str_line(&l->code, "if (at < %s) {", len);
  l->code.indent++;
  str_line(&l->code, "for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = %s;",
           identity(l->e, n));
  str_line(&l->code, "DTRT_FEW");
  str_line(&l->code, "for (int64_t lane = 0; at + lane < %s; lane++) {", len);
  str_puts(&l->code, body);
  str_line(&l->code, "}");
  str_line(&l->code, "dtrt_turn_%s_%s(&acc, line);", word, t);
  loop_close(l, 1);
}

static const char *lanes_end(Loop *l, const Node *n) {
  return arena_printf(l->e->arena, "dtrt_line_%s_%s(&acc)", lanes_word(n),
                      dtype_name(loop_computed_as(n->dtype)));
}

static void store_reduced(Loop *l, NodeId id, const Index *at, const char *v) {
  const Node *n = graph_node(l->g, id);
  const char *to = loop_element(l, id, at, true);
  if (loop_is_half(n->dtype))
    str_line(&l->code, "%s = dtrt_f32_to_%s(%s);", to, dtype_name(n->dtype), v);
  else
    str_line(&l->code, "%s = %s;", to, v);
}

/* All elements of a reduction in one loop. */
static void reduce_all_flat(Loop *l, NodeId id) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  const char *count = emit_count(e, x);
  bool many = !is_number(count, 1), lanes = many && in_lanes(n, shape_count(&x->shape));
  Index at = {.flat = lanes ? LANE : many ? "i" : "0"}, none = {0};
  if (lanes)
    lanes_begin(l, n);
  else
    str_line(&l->code, "%s acc = %s;", loop_type(n->dtype), identity(e, n));
  value_twice(l, n->operand[0], &at);
  l->pointers.n = 0;
  const char *len = many ? loop_number(l, 'n', count) : count;
  if (lanes) {
    lanes_line(l, n, &at, "0", len);
  } else {
    if (many) loop_open(l, "i", len, "");
    str_line(&l->code, "acc = %s;", combined(e, n, "acc", loop_value(l, n->operand[0], &at)));
    loop_close(l, many);
  }
  store_reduced(l, id, &none, lanes ? lanes_end(l, n) : "acc");
}

typedef struct Nest {
  Index in, out;        /* of the operand, of the result */
  bool gone[MAX_RANK];  /* by dim of the operand */
  int first_gone, last; /* dims with loops */
  bool lanes;           /* the last is a line in lanes */
} Nest;

static Nest reduce_nest(Loop *l, const Node *n, uint32_t dims) {
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

static bool has_loop(const Nest *t, int d) { return strcmp(t->in.at[d], "0") != 0; }

/* The innermost dim is reduced: an accumulator in a register, or a register of lanes. */
static void reduce_scalar(Loop *l, NodeId id, const Nest *t) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < x->shape.rank; d++)
    if (!t->gone[d] && has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  if (t->lanes)
    lanes_begin(l, n);
  else
    str_line(&l->code, "%s acc = %s;", loop_type(n->dtype), identity(e, n));
  for (int d = 0; d < x->shape.rank; d++)
    if (t->gone[d] && has_loop(t, d) && !(t->lanes && d == t->last))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), ""), inner++;
  if (t->lanes && emit_reads_band(e, id)) {
    const char *from = loop_live_from(l, x, &t->in), *len = loop_live_to(l, x, &t->in);
    lanes_line(l, n, &t->in, from, len);
    lanes_of_dead(l, n, &t->in, from, len);
  } else if (t->lanes)
    lanes_line(l, n, &t->in, "0", loop_extent(l, x, t->last));
  else
    str_line(&l->code, "acc = %s;", combined(e, n, "acc", loop_value(l, n->operand[0], &t->in)));
  loop_close(l, inner);
  store_reduced(l, id, &t->out, t->lanes ? lanes_end(l, n) : "acc");
  loop_close(l, outer);
}

/* The innermost dim is kept: rows are added up into the result, which stays in cache. */
static void reduce_rows(Loop *l, NodeId id, const Nest *t) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < t->first_gone; d++)
    if (has_loop(t, d)) loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  const char *to = loop_element(l, id, &t->out, true), *first = emit_first(e, id);
  if (first) str_line(&l->code, "if (%s)", loop_number(l, 'f', first)), l->code.indent++;
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (!t->gone[d] && has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"),
          inner++;
  str_line(&l->code, "%s = %s;", to, identity(e, n));
  loop_close(l, inner);
  if (first) l->code.indent--;
  inner = 0;
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"),
          inner++;
  str_line(&l->code, "%s = %s;", to, combined(e, n, to, loop_value(l, n->operand[0], &t->in)));
  loop_close(l, inner);
  loop_close(l, outer);
}

static void reduce_index(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  Nest t = reduce_nest(l, n, 1u << n->attr[0]);
  int dim = (int)n->attr[0], outer = 0;
  DType vt = x->dtype;
  value_twice(l, n->operand[0], &t.in);
  l->pointers.n = 0;
  for (int d = 0; d < x->shape.rank; d++)
    if (!t.gone[d] && has_loop(&t, d))
      loop_open(l, t.in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), outer++;
  str_line(&l->code, "int32_t at = -1;");
  str_line(&l->code, "%s best = 0;", loop_type(vt));
  if (has_loop(&t, dim))
    loop_open(l, t.in.at[dim], loop_extent(l, x, dim), "");
  else
    str_line(&l->code, "{"), l->code.indent++;
  str_line(&l->code, "const %s x = %s;", loop_type(vt), loop_value(l, n->operand[0], &t.in));
  str_line(&l->code, "if (at < 0 || x %s best%s) best = x, at = (int32_t)%s;",
           n->op == OP_argmax ? ">" : "<", dtype_is_float(vt) ? " || (x != x && best == best)" : "",
           t.in.at[dim]);
  loop_close(l, 1);
  str_line(&l->code, "%s = at;", loop_element(l, id, &t.out, true));
  loop_close(l, outer);
}

void emit_reduce(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  l.code.indent = 1;
  if (n->op == OP_argmax || n->op == OP_argmin) {
    reduce_index(&l, id);
  } else if (n->shape.rank == 0 && loop_is_flat(&l, n->operand[0])) {
    l.flat = true;
    reduce_all_flat(&l, id);
  } else {
    Nest t = reduce_nest(&l, n, (uint32_t)n->attr[0]);
    const Node *x = graph_operand(l.g, n, 0);
    t.lanes = t.last >= 0 && t.gone[t.last] && in_lanes(n, x->shape.dim[t.last]);
    if (t.lanes) t.in.at[t.last] = LANE;
    value_twice(&l, n->operand[0], &t.in);
    l.pointers.n = 0;
    bool rows =
        t.last >= 0 && !t.gone[t.last] && t.first_gone < x->shape.rank && !loop_is_half(n->dtype);
    rows = rows || emit_first(e, id);
    if (rows)
      reduce_rows(&l, id, &t);
    else
      reduce_scalar(&l, id, &t);
  }
  loop_finish(&l, n->name ? n->name : op_def(n->op)->name);
}
