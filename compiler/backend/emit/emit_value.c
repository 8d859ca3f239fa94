/* Values. A node that has no memory is a function from an index to an expression: broadcasts,
 * transposes, slices and reshapes only change the index, so fusing them takes no code of its own.
 */
#include "emit_loop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- marks -------- */

const char *loop_number(Loop *l, char kind, const char *value) {
  if (is_number(value, 0) || is_number(value, 1)) return value;
  int i = 0;
  while (i < l->numbers.n && strcmp(l->numbers.at[i].value, value)) i++;
  if (i == l->numbers.n) vec_push(l->e->arena, &l->numbers, ((Number){value, kind}));
  return arena_printf(l->e->arena, "\1n%d\2", i);
}

const char *loop_extent(Loop *l, const Node *n, int d) {
  return loop_number(l, 'n', emit_len(l->e, n, d));
}

const char *loop_room(Loop *l, const Node *n, int d) {
  return loop_number(l, 'n', emit_room(l->e, n, d));
}

const char *loop_offset(Loop *l, const Node *n, int d) {
  return loop_number(l, 'o', emit_from(l->e, n, d));
}

const char *loop_literal(Loop *l, int64_t v) { return arena_printf(l->e->arena, "%ld", (long)v); }

const char *loop_pointer(Loop *l, NodeId id, bool written) {
  int b = l->le->buffer[node_base(l->g, id)], i = 0;
  for (; i < l->pointers.n; i++)
    if (l->pointers.at[i].buffer == b &&
        (l->flat || same_space(graph_node(l->g, l->pointers.at[i].node), graph_node(l->g, id))))
      break;
  if (i == l->pointers.n) vec_push(l->e->arena, &l->pointers, ((Pointer){b, id, written}));
  l->pointers.at[i].written |= written;
  return arena_printf(l->e->arena, "\1p%d\2", i);
}

/* -------- text -------- */

bool loop_is_half(DType t) { return dtype_is_half(t); }
DType loop_computed_as(DType t) { return dtype_computed(t); }

const char *loop_wrap(Emit *e, const char *s) {
  int depth = 0;
  bool simple = *s != '-';
  for (const char *c = s; *c; c++) {
    if (*c == '(' || *c == '[') depth++;
    if (*c == ')' || *c == ']') depth--;
    if (*c == ' ' && depth == 0) simple = false;
  }
  return simple ? s : arena_printf(e->arena, "(%s)", s);
}

const char *loop_constant(Emit *e, DType t, double v) {
  if (t == DT_F64 || dtype_is_float(t)) {
    const char *suffix = t == DT_F64 ? "" : "f", *type = t == DT_F64 ? "F64" : "F32";
    if (isnan(v)) return arena_printf(e->arena, "DTRT_NAN_%s", type);
    if (isinf(v)) return arena_printf(e->arena, "%sDTRT_INF_%s", v < 0 ? "-" : "", type);
    /* The shortest text that is read as the same number: 0.1, not 0.100000001. */
    const char *s = "";
    for (int digits = t == DT_F64 ? 15 : 6; digits <= (t == DT_F64 ? 17 : 9); digits++) {
      double back;
      s = arena_printf(e->arena, "%.*g", digits, v);
      sscanf(s, "%lf", &back);
      if (t == DT_F64 ? back == v : (float)back == (float)v) break;
    }
    bool point = strpbrk(s, ".e") != NULL;
    return arena_printf(e->arena, "%s%s%s", s, point ? "" : ".0", suffix);
  }
  if (t == DT_I64 && v <= -9223372036854775808.0) return "DTRT_I64_MIN";
  if (t == DT_I32 && v <= -2147483648.0) return "DTRT_I32_MIN";
  return arena_printf(e->arena, "%ld", (long)v);
}

/* An element of memory. */
const char *loop_element(Loop *l, NodeId id, const Index *at, bool written) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  Str s = str_new(e->arena);
  str_puts(&s, loop_pointer(l, id, written));
  if (n->shape.rank == 0) {
    str_puts(&s, "[0]");
  } else if (at->flat) {
    str_printf(&s, "[%s]", at->flat);
  } else {
    for (int d = 0; d < n->shape.rank; d++) str_printf(&s, "[%s]", at->at[d]);
  }
  return s.at;
}

const char *loop_load(Loop *l, NodeId id, const Index *at) {
  const Node *n = graph_node(l->g, id);
  const char *x = loop_element(l, id, at, false);
  return loop_is_half(n->dtype)
             ? arena_printf(l->e->arena, "dtrt_%s_to_f32(%s)", dtype_name(n->dtype), x)
             : x;
}

/* -------- values -------- */

bool loop_stores(const Loop *l, NodeId id) {
  for (int i = 0; l->step && i < l->step->nodes.n; i++)
    if (l->step->nodes.at[i] == id) return true;
  return false;
}

/* -------- lowering -------- */

/* What stands in the text for an integer. */
static Expr atom(Loop *l, const char *text, int64_t lo, int64_t hi) {
  char *end;
  const long v = strtol(text, &end, 10);
  return *text && !*end ? expr_int(l->x, v) : expr_symbol(l->x, text, lo, hi);
}

static Expr extent(Lower *lower, const Node *n, int d) {
  Loop *l = lower->user;
  const char *len = emit_len(l->e, n, d);
  const int64_t most = dim_block_most(l->e->mesh, &n->layout->dim[d], n->shape.dim[d]);
  const Expr known = atom(l, len, 0, most);
  int64_t v;
  return expr_is_int(l->x, known, &v) ? known : atom(l, loop_number(l, 'n', len), 0, most);
}

static Expr offset(Lower *lower, const Node *n, int d) {
  return atom(lower->user, loop_offset(lower->user, n, d), 0, n->shape.dim[d]);
}

static Expr key(Lower *lower, const Node *n) {
  Loop *l = lower->user;
  const char *stream = emit_number(l->e, (uint64_t)node_attr(n, "key"));
  const char *value = arena_printf(l->e->arena, "(int64_t)dtrt_stream_key(dev->seed, %s)", stream);
  return atom(l, loop_number(l, 'k', value), INT64_MIN, INT64_MAX);
}

static Expr load(Lower *lower, NodeId id, const At *at) {
  if (node_is_const(graph_node(lower->g, id))) return lower_node(lower, id, at);
  return lower_element(lower, EXPR_LOAD, id, at);
}

static bool in_memory(const Loop *l, NodeId id) {
  const NodeId base = node_base(l->g, id);
  return l->le->stored[base] && !loop_stores(l, base) && !(l->outside && emit_in_band(l->e, base));
}

static Expr value(Lower *lower, NodeId id, const At *at) {
  Loop *l = lower->user;
  const Node *n = graph_node(l->g, id);
  if (node_is_const(n)) return lower_node(lower, id, at);
  if (in_memory(l, id)) return load(lower, id, at);
  const Expr k = lower_element(lower, EXPR_VALUE, id, at);
  const int mode = l->outside;
  while (l->known[mode].n <= k) vec_push(l->e->arena, &l->known[mode], 0);
  if (l->known[mode].at[k]) return l->known[mode].at[k] - 1;
  const int shown = l->outside ? emit_mask(l->e, id) : 0;
  const Expr made = shown ? value(lower, n->operand[shown], at) : lower_node(lower, id, at);
  l->known[mode].at[k] = made + 1;
  return made;
}

static void loop_lowers(Loop *l) {
  if (l->x) return;
  l->x = exprs_new(l->e->arena);
  l->lower = (Lower){.x = l->x,
                     .g = l->g,
                     .mesh = l->e->mesh,
                     .user = l,
                     .value = value,
                     .load = load,
                     .extent = extent,
                     .offset = offset,
                     .key = key};
}

/* -------- values -------- */

const char *loop_type(DType t) { return dtype_c_name(loop_computed_as(t)); }

static At index_of(Loop *l, const Node *n, const Index *in) {
  At at = {.flat = NO_EXPR};
  if (in->flat) at.flat = atom(l, in->flat, 0, shape_count(&n->shape));
  for (int d = 0; !in->flat && d < n->shape.rank; d++) {
    const int64_t most = dim_block_most(l->e->mesh, &n->layout->dim[d], n->shape.dim[d]);
    const bool part = l->part && !strcmp(in->at[d], l->part);
    at.dim[d] = atom(l, in->at[d], part ? l->part_lo : 0, part ? l->part_hi : most - 1);
  }
  return at;
}

Expr loop_expr(Loop *l, NodeId id, const Index *in) {
  loop_lowers(l);
  l->lower.user = l; /* it may have been copied */
  const At at = index_of(l, graph_node(l->g, id), in);
  return value(&l->lower, id, &at);
}

const char *loop_value(Loop *l, NodeId id, const Index *in) {
  const Expr e = loop_expr(l, id, in);
  if (!l->counting) return loop_text(l, e);
  loop_use(l, e);
  return "x";
}
