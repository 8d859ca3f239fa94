/* Values. A node that has no memory is a function from an index to an expression: broadcasts,
 * transposes, slices and reshapes only change the index, so fusing them takes no code of its own.
 */
#include "emit_loop.h"
#include <math.h>
#include <stdio.h>
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

bool loop_is_half(DType t) { return t == DT_F16 || t == DT_BF16; }
DType loop_computed_as(DType t) { return loop_is_half(t) ? DT_F32 : t; }

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

static const char *sum(Emit *e, const char *a, const char *b) {
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  return arena_printf(e->arena, "%s + %s", a, loop_wrap(e, b));
}
static const char *difference(Emit *e, const char *a, const char *b) {
  if (is_number(b, 0)) return a;
  return arena_printf(e->arena, "%s - %s", a, loop_wrap(e, b));
}
static const char *times(Emit *e, const char *a, const char *b) {
  if (is_number(a, 0) || is_number(b, 0)) return "0";
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  return arena_printf(e->arena, "%s * %s", loop_wrap(e, a), loop_wrap(e, b));
}

static const char *round_half(Emit *e, DType t, const char *v) {
  if (!loop_is_half(t)) return v;
  const char *s = dtype_name(t);
  return arena_printf(e->arena, "dtrt_%s_to_f32(dtrt_f32_to_%s(%s))", s, s, v);
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

static bool step_writes_buffer(const Loop *l, int b) {
  for (int i = 0; l->step && i < l->step->nodes.n; i++)
    if (l->le->buffer[l->step->nodes.at[i]] == b) return true;
  return false;
}

static const char *expand(Loop *l, const Node *n, const char *template, const Index *at) {
  Emit *e = l->e;
  Str s = str_new(e->arena);
  DType t = loop_computed_as(graph_operand(l->g, n, 0)->dtype);
  for (const char *c = template; *c; c++) {
    if (*c == '@')
      str_puts(&s, dtype_name(t));
    else if (*c == '$')
      str_puts(&s, loop_wrap(e, loop_value(l, n->operand[*++c - '0'], at)));
    else
      str_put(&s, c, 1);
  }
  return s.at;
}

static const char *elementwise(Loop *l, const Node *n, const Index *at) {
  const char *template = op_def(n->op)->c;
  if (dtype_is_int(n->dtype) && (n->op == OP_add || n->op == OP_sub || n->op == OP_mul))
    template = n->op == OP_add   ? "dtrt_add_@($0, $1)"
               : n->op == OP_sub ? "dtrt_sub_@($0, $1)"
                                 : "dtrt_mul_@($0, $1)";
  if (dtype_is_int(n->dtype) && n->op == OP_neg) template = "dtrt_neg_@($0)";
  if (n->op == OP_where && graph_operand(l->g, n, 1)->dtype != n->dtype) template = "$0 ? $1 : $2";
  const char *v = expand(l, n, template, at);
  return n->op == OP_where ? v : round_half(l->e, n->dtype, v);
}

static const char *cast(Loop *l, const Node *n, const Index *at) {
  const Node *x = graph_operand(l->g, n, 0);
  const char *v = loop_value(l, n->operand[0], at);
  DType from = loop_computed_as(x->dtype), to = loop_computed_as(n->dtype);
  const char *s = dtype_name(n->dtype);
  if (loop_is_half(n->dtype) && x->dtype == DT_I32)
    v = arena_printf(l->e->arena, "(double)%s", loop_wrap(l->e, v));
  if (loop_is_half(n->dtype) && x->dtype == DT_I64)
    v = arena_printf(l->e->arena, "dtrt_i64_to_odd_f64(%s)", v);
  if (loop_is_half(n->dtype) && (x->dtype == DT_F64 || x->dtype == DT_I32 || x->dtype == DT_I64))
    return arena_printf(l->e->arena, "dtrt_%s_to_f32(dtrt_f64_to_%s(%s))", s, s, v);
  if (from != to)
    v = arena_printf(l->e->arena, "dtrt_cast_%s_%s(%s)", dtype_name(from), dtype_name(to), v);
  return loop_is_half(n->dtype) && !loop_is_half(x->dtype) ? round_half(l->e, n->dtype, v) : v;
}

/* Through a reshape that nothing stores: dims that are the same pass; the rest goes by the flat
 * index. */
static Index through_view(Loop *l, const Node *n, const Index *at) {
  const Node *x = graph_operand(l->g, n, 0);
  Index r = {.flat = at->flat};
  if (at->flat) return r;
  int nr = n->shape.rank, xr = x->shape.rank;
  /* Leading dims in common, skipping ones. */
  int i = 0, j = 0;
  for (int d = 0; d < xr; d++) r.at[d] = "0";
  for (;;) {
    while (i < nr && n->shape.dim[i] == 1) i++;
    while (j < xr && x->shape.dim[j] == 1) j++;
    if (i == nr || j == xr || n->shape.dim[i] != x->shape.dim[j]) break;
    r.at[j++] = at->at[i++];
  }
  if (i == nr && j == xr) return r;
  const char *rest = "0";
  for (int d = i; d < nr; d++) rest = sum(l->e, times(l->e, rest, loop_extent(l, n, d)), at->at[d]);
  for (int d = xr - 1; d >= j; d--) {
    const char *len = loop_extent(l, x, d), *w = loop_wrap(l->e, rest);
    if (is_number(len, 1)) continue;
    r.at[d] = d == j ? rest : arena_printf(l->e->arena, "%s %% %s", w, len);
    rest = arena_printf(l->e->arena, "%s / %s", w, len);
  }
  return r;
}

static const char *fill_value(Emit *e, const Node *n) {
  if (!dtype_is_int(n->dtype)) return loop_constant(e, loop_computed_as(n->dtype), n->value);
  if (n->whole == INT64_MIN) return "DTRT_I64_MIN";
  if (n->whole == INT32_MIN) return "DTRT_I32_MIN";
  return arena_printf(e->arena, "%ld", (long)n->whole);
}

static const char *pad(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const Node *x = graph_operand(l->g, n, 0);
  int rank = n->shape.rank;
  Str cond = str_new(e->arena);
  Index in = {0};
  for (int d = 0; d < rank; d++) {
    int64_t lo = n->attr[d], hi = n->attr[rank + d], gap = n->attr[2 * rank + d] + 1;
    in.at[d] = at->at[d];
    if (!lo && !hi && gap == 1) continue;
    const char *p = sum(e, at->at[d], loop_offset(l, n, d));
    p = difference(e, p, loop_literal(l, lo));
    const char *w = loop_wrap(e, p), *step = loop_literal(l, gap);
    if (lo || gap > 1) str_printf(&cond, "%s%s >= 0", cond.n ? " && " : "", w);
    if (hi)
      str_printf(&cond, "%s%s < %s", cond.n ? " && " : "", w,
                 loop_literal(l, (x->shape.dim[d] - 1) * gap + 1));
    if (x->shape.dim[d] == 0) str_printf(&cond, "%s0", cond.n ? " && " : "");
    if (gap > 1) {
      str_printf(&cond, "%s%s %% %s == 0", cond.n ? " && " : "", w, step);
      p = arena_printf(e->arena, "%s / %s", w, step);
    }
    in.at[d] = difference(e, p, loop_offset(l, x, d));
  }
  if (!cond.n) return loop_value(l, n->operand[0], &in);
  Part part = loop_part(l, n->operand[0], &in);
  part.cond = cond.at;
  part.wraps = true;
  return loop_choose(l, n, &part, 1, fill_value(e, n));
}

static const char *concat(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  int dim = (int)n->attr[0];
  int64_t end = n->shape.dim[dim];
  const char *p = sum(e, at->at[dim], loop_offset(l, n, dim));
  Part *part = arena_array(e->arena, Part, n->noperands + 1);
  int first = n->noperands;
  for (int i = n->noperands - 1; i >= 0; i--) {
    const Node *x = graph_operand(l->g, n, i);
    int64_t begin = end - x->shape.dim[dim];
    Index in = *at;
    if (x->shape.dim[dim]) {
      in.at[dim] = difference(e, difference(e, p, loop_literal(l, begin)), loop_offset(l, x, dim));
      part[--first] = loop_part(l, n->operand[i], &in);
      part[first].cond = arena_printf(e->arena, "%s < %s", loop_wrap(e, p), loop_literal(l, end));
    }
    end = begin;
  }
  if (first == n->noperands) return loop_constant(e, loop_computed_as(n->dtype), 0);
  return loop_choose(l, n, part + first, n->noperands - first, NULL);
}

static const char *gather(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const Node *t = graph_operand(l->g, n, 0), *x = graph_operand(l->g, n, 1);
  int dim = (int)n->attr[0], ri = x->shape.rank;
  Index in = {0}, row = {0};
  for (int d = 0; d < ri; d++) in.at[d] = at->at[dim + d];
  const char *i = loop_value(l, n->operand[1], &in);
  const char *checked =
      arena_printf(e->arena, "dtrt_index(dev, %s, %s)", i, loop_literal(l, t->shape.dim[dim]));
  l->needs_dev = true;
  for (int d = 0; d < t->shape.rank; d++) row.at[d] = at->at[d < dim ? d : d + ri - 1];
  const char *lo = loop_offset(l, t, dim);
  if (!t->layout->dim[dim].naxes) {
    row.at[dim] = checked;
    return loop_load(l, n->operand[0], &row);
  }
  /* Another device owns the row: it looks it up, and the terms are added. Adding -0 changes
   * nothing, where adding 0 would make a 0 of a -0. */
  const char *len = loop_extent(l, t, dim);
  const char *mine = arena_printf(e->arena, "dtrt_owns(%s, %s, %s)", checked, lo, len);
  row.at[dim] = difference(e, i, lo);
  return arena_printf(
      e->arena, "%s ? %s : %s", mine, loop_load(l, n->operand[0], &row),
      loop_constant(e, loop_computed_as(n->dtype), dtype_is_float(n->dtype) ? -0.0 : 0));
}

/* One row is here, and of the dim it is dealt from the same block. */
static bool one_row(const Loop *l, const Node *rows, const Node *line, int dim) {
  const DimLayout *a = &rows->layout->dim[dim], *b = &line->layout->dim[dim];
  return dim_equal(a, b) && !a->window.of && dim_parts(l->e->mesh, a) == rows->shape.dim[dim];
}

/* Element j of row i: the row begins at floor(i * n / k), and may be an element short. */
static const char *deal(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  int dim = (int)n->attr[0];
  const Node *x = graph_operand(l->g, n, 0);
  const char *j = at->at[dim + 1], *len;
  Index in = {0};
  for (int d = 0; d < n->shape.rank; d++)
    if (d != dim + 1) in.at[d > dim ? d - 1 : d] = at->at[d];
  if (one_row(l, n, x, dim)) {
    len = loop_extent(l, x, dim);
    in.at[dim] = j;
  } else {
    const char *i = sum(e, at->at[dim], loop_offset(l, n, dim)), *next = sum(e, i, "1");
    long size = (long)x->shape.dim[dim], k = (long)n->attr[1];
    const char *from = arena_printf(e->arena, "dtrt_row(%s, %ld, %ld)", i, size, k);
    len = arena_printf(e->arena, "dtrt_row(%s, %ld, %ld) - %s", next, size, k, from);
    in.at[dim] = difference(e, sum(e, from, j), loop_offset(l, x, dim));
  }
  Part part = loop_part(l, n->operand[0], &in);
  part.cond = arena_printf(e->arena, "%s < %s", loop_wrap(e, j), len);
  return loop_choose(l, n, &part, 1, fill_value(e, n));
}

static const char *undeal(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  int dim = (int)n->attr[0];
  const Node *x = graph_operand(l->g, n, 0);
  Index in = {0};
  for (int d = 0; d < n->shape.rank; d++) in.at[d > dim ? d + 1 : d] = at->at[d];
  if (one_row(l, x, n, dim)) {
    in.at[dim] = "0";
    in.at[dim + 1] = at->at[dim];
  } else {
    const char *p = sum(e, at->at[dim], loop_offset(l, n, dim));
    long size = (long)n->attr[1], k = (long)x->shape.dim[dim];
    const char *row = arena_printf(e->arena, "dtrt_row_of(%s, %ld, %ld)", p, size, k);
    const char *from = arena_printf(e->arena, "dtrt_row(%s, %ld, %ld)", row, size, k);
    in.at[dim + 1] = difference(e, p, from);
    in.at[dim] = difference(e, row, loop_offset(l, x, dim));
  }
  return loop_value(l, n->operand[0], &in);
}

/* As gather, but the index has a place on every line. */
static const char *pick(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const Node *x = graph_operand(l->g, n, 0);
  int dim = (int)n->attr[0];
  const char *i = loop_value(l, n->operand[1], at);
  const char *checked =
      arena_printf(e->arena, "dtrt_index(dev, %s, %s)", i, loop_literal(l, x->shape.dim[dim]));
  Index in = *at;
  bool named = !l->le->stored[node_base(l->g, n->operand[0])]; /* what is computed looks it up */
  const char *key = named ? arena_printf(e->arena, "pick;%s", loop_key(l, n->operand[1], at)) : "";
  l->needs_dev = true;
  if (!x->layout->dim[dim].naxes) {
    in.at[dim] = named ? loop_place(l, key, checked) : checked;
    return loop_value(l, n->operand[0], &in);
  }
  const char *lo = loop_offset(l, x, dim);
  const char *mine =
      arena_printf(e->arena, "dtrt_owns(%s, %s, %s)", checked, lo, loop_extent(l, x, dim));
  in.at[dim] = difference(e, i, lo);
  if (named) in.at[dim] = loop_place(l, key, in.at[dim]);
  Part part = loop_part(l, n->operand[0], &in);
  part.cond = mine;
  return loop_choose(
      l, n, &part, 1,
      loop_constant(e, loop_computed_as(n->dtype), dtype_is_float(n->dtype) ? -0.0 : 0));
}

static const char *random_value(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const char *key = loop_number(l, 'k',
                                arena_printf(e->arena, "(int64_t)dtrt_stream_key(dev->seed, %s)",
                                             emit_number(e, (uint64_t)n->attr[1])));
  const char *i = "0";
  if (at->flat) {
    const char *inner = "1";
    for (int d = 1; d < n->shape.rank; d++)
      inner = emit_product(e, inner, emit_extent(e, &n->layout->dim[d], n->shape.dim[d]));
    const char *lo =
        n->shape.rank ? emit_product(e, emit_offset(e, &n->layout->dim[0], n->shape.dim[0]), inner)
                      : "0";
    i = sum(e, at->flat, loop_number(l, 'o', lo));
  } else {
    for (int d = 0; d < n->shape.rank; d++)
      i = sum(e, times(e, i, loop_literal(l, n->shape.dim[d])),
              sum(e, at->at[d], loop_offset(l, n, d)));
  }
  Index none = {0};
  const char *step = loop_value(l, n->operand[0], &none);
  return arena_printf(e->arena, "dtrt_%s_key_%s((uint64_t)%s, (uint64_t)%s, %s)",
                      n->op == OP_uniform ? "uniform" : "normal", dtype_name(n->dtype), key,
                      loop_wrap(e, step), i);
}

static const char *compute(Loop *l, NodeId id, const Index *at) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  Index in = {.flat = at->flat};
  if (l->outside && emit_mask(e, id)) return loop_value(l, n->operand[emit_mask(e, id)], at);
  switch (n->op) {
  case OP_const: return fill_value(e, n);
  case OP_cast: return cast(l, n, at);
  case OP_broadcast:
    if (at->flat)
      in.flat = "0"; /* loop_is_flat: of a scalar, which may be a reshape of more dims */
    for (int d = 0; d < graph_operand(l->g, n, 0)->shape.rank; d++) in.at[d] = at->at[n->attr[d]];
    return loop_value(l, n->operand[0], &in);
  case OP_transpose:
    for (int d = 0; d < n->shape.rank; d++) in.at[n->attr[d]] = at->at[d];
    return loop_value(l, n->operand[0], &in);
  case OP_reshape: in = through_view(l, n, at); return loop_value(l, n->operand[0], &in);
  case OP_slice:
    for (int d = 0; d < n->shape.rank; d++) {
      const Node *x = graph_operand(l->g, n, 0);
      int64_t start = n->attr[d], step = n->attr[2 * n->shape.rank + d];
      in.at[d] = at->at[d];
      if (!start && step == 1 && n->shape.dim[d] == x->shape.dim[d]) continue;
      const char *p = times(e, sum(e, at->at[d], loop_offset(l, n, d)), loop_literal(l, step));
      in.at[d] = difference(e, sum(e, p, loop_literal(l, start)), loop_offset(l, x, d));
    }
    return loop_value(l, n->operand[0], &in);
  case OP_reverse:
    for (int d = 0; d < n->shape.rank; d++) {
      in.at[d] = at->at[d];
      if (!(n->attr[0] & 1 << d)) continue;
      const char *p = sum(e, at->at[d], loop_offset(l, n, d));
      in.at[d] = difference(e, difference(e, loop_literal(l, n->shape.dim[d] - 1), p),
                            loop_offset(l, graph_operand(l->g, n, 0), d));
    }
    return loop_value(l, n->operand[0], &in);
  case OP_pad: return pad(l, n, at);
  case OP_concat: return concat(l, n, at);
  case OP_gather: return gather(l, n, at);
  case OP_deal: return deal(l, n, at);
  case OP_undeal: return undeal(l, n, at);
  case OP_pick: return pick(l, n, at);
  case OP_iota: {
    int d = (int)n->attr[1];
    const char *i = sum(e, at->at[d], loop_offset(l, n, d));
    if (loop_is_half(n->dtype))
      return arena_printf(e->arena, "dtrt_%1$s_to_f32(dtrt_f64_to_%1$s((double)%2$s))",
                          dtype_name(n->dtype), loop_wrap(e, i));
    return arena_printf(e->arena, "(%s)%s", dtype_c_name(n->dtype), loop_wrap(e, i));
  }
  case OP_uniform:
  case OP_normal: return random_value(l, n, at);
  default: return elementwise(l, n, at);
  }
}

const char *loop_type(DType t) { return dtype_c_name(loop_computed_as(t)); }

/* From here on the text stands for the value, to the end of the innermost guard. */
static const char *remember(Loop *l, int memo, const char *text) {
  l->memo.at[memo].text = text;
  if (l->guard) vec_push(l->e->arena, &l->known, memo);
  return text;
}

/* The value of a node at an index. The first pass counts how often each is asked for; in the
 * second, what is asked for twice is computed once. */
const char *loop_value(Loop *l, NodeId id, const Index *wanted) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  NodeId base = node_base(l->g, id);
  if (n->op == OP_const) return compute(l, id, wanted);
  bool in_memory =
      l->le->stored[base] && !loop_stores(l, base) && !(l->outside && emit_in_band(e, base));
  Index in = *wanted, *at = &in;
  for (int d = 0; d < n->shape.rank && !at->flat; d++) in.at[d] = loop_short(l, in.at[d]);
  const char *key = loop_key(l, id, at);
  int m = emit_find(e, &l->memo_at, key) - 1;
  if (l->counting) {
    if (m >= 0) {
      l->memo.at[m].uses++;
      return "x";
    }
    vec_push(e->arena, &l->memo, ((Memo){1, NULL}));
    emit_keep(e, &l->memo_at, key, l->memo.n);
    const char *first = in_memory ? loop_load(l, id, at) : compute(l, id, at);
    return strlen(first) > LONG_TEXT ? "x" : first;
  }
  if (m >= 0 && l->memo.at[m].text) return l->memo.at[m].text;
  const char *text = in_memory ? loop_load(l, id, at) : compute(l, id, at);
  if (m < 0) return text;
  bool overwritten = in_memory && step_writes_buffer(l, l->le->buffer[base]) && !l->guard;
  bool simple = !strpbrk(text, " (") && !overwritten;
  const size_t length = strlen(text);
  bool again = l->memo.at[m].uses > 1;
  bool names = l->guard ? length > (again ? LONG_TEXT : LONGEST_TEXT)
                        : again || overwritten || length > LONG_TEXT;
  if (!simple && names) {
    const char *name = arena_printf(e->arena, "v%d", l->temps++);
    str_line(&l->code, "const %s %s = %s;", loop_type(n->dtype), name, text);
    return remember(l, m, name);
  }
  return simple || l->guard ? remember(l, m, text) : text;
}

void loop_count(Loop *l, bool counting) {
  l->counting = counting;
  l->known.n = 0;
  for (int i = 0; i < l->places.n; i++) l->places.at[i].declared = false;
  if (!counting) return;
  l->memo.n = 0;
  l->memo_at = (Lookup){0};
}
