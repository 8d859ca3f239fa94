/* Loop nests. A node that has no memory is a function from an index to an expression; a loop is made by
 * asking for the value of what it stores at the loop's index and writing down what comes back.
 *
 * While a loop is being written its parameters are marks (\1p0\2 a pointer, \1n0\2 a number), so that two
 * loops that do the same to other tensors are the same text, and one function serves both. */
#include "emit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Index {
  const char *flat; /* one index over all elements; else: */
  const char *at[MAX_RANK];
} Index;

typedef struct Pointer {
  int buffer;
  NodeId node; /* as seen: gives the extents */
  bool written;
} Pointer;

typedef struct Number {
  const char *value; /* in the entry */
  char kind;         /* n: extent, o: offset, k: key */
} Number;

typedef struct Memo {
  NodeId node;
  const char *index;
  int uses;
  const char *text;
} Memo;

typedef struct Loop {
  Emit *e;
  const LocalEntry *le;
  const Graph *g;
  const Step *step; /* what a map stores; NULL for other loops */
  bool flat, counting, needs_dev;
  int guard; /* inside an expression that is not always evaluated */
  int temps;
  VEC(Pointer) pointers;
  VEC(Number) numbers;
  VEC(Memo) memo;
  Str code;
} Loop;

static const char LETTERS[] = "ijklpqrs";

/* -------- marks -------- */

static const char *number(Loop *l, char kind, const char *value) {
  if (is_number(value, 0) || is_number(value, 1)) return value;
  int i = 0;
  while (i < l->numbers.n && strcmp(l->numbers.at[i].value, value)) i++;
  if (i == l->numbers.n) vec_push(l->e->arena, &l->numbers, ((Number){value, kind}));
  return arena_printf(l->e->arena, "\1n%d\2", i);
}

static const char *extent(Loop *l, const Node *n, int d) {
  return number(l, 'n', emit_extent(l->e, &n->layout->dim[d], n->shape.dim[d]));
}

static const char *offset(Loop *l, const Node *n, int d) {
  return number(l, 'o', emit_offset(l->e, &n->layout->dim[d], n->shape.dim[d]));
}

static const char *literal(Loop *l, int64_t v) { return arena_printf(l->e->arena, "%ld", (long)v); }

static const char *pointer(Loop *l, NodeId id, bool written) {
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

static bool is_half(DType t) { return t == DT_F16 || t == DT_BF16; }
static DType computed_as(DType t) { return is_half(t) ? DT_F32 : t; }

static const char *wrap(Emit *e, const char *s) {
  int depth = 0;
  bool simple = *s != '-';
  for (const char *c = s; *c; c++) {
    if (*c == '(' || *c == '[') depth++;
    if (*c == ')' || *c == ']') depth--;
    if (*c == ' ' && depth == 0) simple = false;
  }
  return simple ? s : arena_printf(e->arena, "(%s)", s);
}

static const char *constant(Emit *e, DType t, double v) {
  if (t == DT_F64 || dtype_is_float(t)) {
    const char *suffix = t == DT_F64 ? "" : "f", *type = t == DT_F64 ? "F64" : "F32";
    if (isnan(v)) return arena_printf(e->arena, "DTRT_NAN_%s", type);
    if (isinf(v)) return arena_printf(e->arena, "%sDTRT_INF_%s", v < 0 ? "-" : "", type);
    const char *s = arena_printf(e->arena, t == DT_F64 ? "%.17g" : "%.9g", v);
    /* 0.1 is nicer than 0.100000001 where it is the same number. */
    const char *shorter = arena_printf(e->arena, "%.*g", t == DT_F64 ? 15 : 6, v);
    double a, b;
    sscanf(s, "%lf", &a), sscanf(shorter, "%lf", &b);
    if (t == DT_F64 ? a == b : (float)a == (float)b) s = shorter;
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
  return arena_printf(e->arena, "%s + %s", a, wrap(e, b));
}
static const char *difference(Emit *e, const char *a, const char *b) {
  if (is_number(b, 0)) return a;
  return arena_printf(e->arena, "%s - %s", a, wrap(e, b));
}
static const char *times(Emit *e, const char *a, const char *b) {
  if (is_number(a, 0) || is_number(b, 0)) return "0";
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  return arena_printf(e->arena, "%s * %s", wrap(e, a), wrap(e, b));
}

static const char *round_half(Emit *e, DType t, const char *v) {
  if (!is_half(t)) return v;
  const char *s = dtype_name(t);
  return arena_printf(e->arena, "dtrt_%s_to_f32(dtrt_f32_to_%s(%s))", s, s, v);
}

/* An element of memory. */
static const char *element(Loop *l, NodeId id, const Index *at, bool written) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  Str s = str_new(e->arena);
  str_puts(&s, pointer(l, id, written));
  if (n->shape.rank == 0) {
    str_puts(&s, "[0]");
  } else if (at->flat) {
    str_printf(&s, "[%s]", at->flat);
  } else {
    for (int d = 0; d < n->shape.rank; d++) str_printf(&s, "[%s]", at->at[d]);
  }
  return s.at;
}

static const char *load(Loop *l, NodeId id, const Index *at) {
  const Node *n = graph_node(l->g, id);
  const char *x = element(l, id, at, false);
  return is_half(n->dtype) ? arena_printf(l->e->arena, "dtrt_%s_to_f32(%s)", dtype_name(n->dtype), x) : x;
}

/* -------- values -------- */

static const char *value(Loop *l, NodeId id, const Index *at);

static bool step_stores(const Loop *l, NodeId id) {
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
  DType t = computed_as(graph_operand(l->g, n, 0)->dtype);
  for (const char *c = template; *c; c++) {
    if (*c == '@') str_puts(&s, dtype_name(t));
    else if (*c == '$') str_puts(&s, wrap(e, value(l, n->operand[*++c - '0'], at)));
    else str_put(&s, c, 1);
  }
  return s.at;
}

static const char *elementwise(Loop *l, const Node *n, const Index *at) {
  const char *template = op_def(n->op)->c;
  if (dtype_is_int(n->dtype) && (n->op == OP_add || n->op == OP_sub || n->op == OP_mul))
    template = n->op == OP_add ? "dtrt_add_@($0, $1)" : n->op == OP_sub ? "dtrt_sub_@($0, $1)" : "dtrt_mul_@($0, $1)";
  if (dtype_is_int(n->dtype) && n->op == OP_neg) template = "dtrt_neg_@($0)";
  if (n->op == OP_where && graph_operand(l->g, n, 1)->dtype != n->dtype) template = "$0 ? $1 : $2";
  const char *v = expand(l, n, template, at);
  return n->op == OP_where ? v : round_half(l->e, n->dtype, v);
}

static const char *cast(Loop *l, const Node *n, const Index *at) {
  const Node *x = graph_operand(l->g, n, 0);
  const char *v = value(l, n->operand[0], at);
  DType from = computed_as(x->dtype), to = computed_as(n->dtype);
  if (is_half(n->dtype) && x->dtype == DT_F64)
    return arena_printf(l->e->arena, "dtrt_%s_to_f32(dtrt_f64_to_%s(%s))", dtype_name(n->dtype),
                        dtype_name(n->dtype), v);
  if (from != to) v = arena_printf(l->e->arena, "dtrt_cast_%s_%s(%s)", dtype_name(from), dtype_name(to), v);
  return is_half(n->dtype) && !is_half(x->dtype) ? round_half(l->e, n->dtype, v) : v;
}

/* Through a reshape that nothing stores: dims that are the same pass; the rest goes by the flat index. */
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
  for (int d = i; d < nr; d++) rest = sum(l->e, times(l->e, rest, extent(l, n, d)), at->at[d]);
  for (int d = xr - 1; d >= j; d--) {
    const char *len = extent(l, x, d), *w = wrap(l->e, rest);
    if (is_number(len, 1)) continue;
    r.at[d] = d == j ? rest : arena_printf(l->e->arena, "%s %% %s", w, len);
    rest = arena_printf(l->e->arena, "%s / %s", w, len);
  }
  return r;
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
    const char *p = sum(e, at->at[d], offset(l, n, d));
    p = difference(e, p, literal(l, lo));
    const char *w = wrap(e, p), *step = literal(l, gap);
    if (lo || gap > 1) str_printf(&cond, "%s%s >= 0", cond.n ? " && " : "", w);
    if (hi) str_printf(&cond, "%s%s < %s", cond.n ? " && " : "", w, literal(l, (x->shape.dim[d] - 1) * gap + 1));
    if (x->shape.dim[d] == 0) str_printf(&cond, "%s0", cond.n ? " && " : "");
    if (gap > 1) {
      str_printf(&cond, "%s%s %% %s == 0", cond.n ? " && " : "", w, step);
      p = arena_printf(e->arena, "%s / %s", w, step);
    }
    in.at[d] = difference(e, p, offset(l, x, d));
  }
  l->guard++;
  const char *v = value(l, n->operand[0], &in);
  l->guard--;
  if (!cond.n) return v;
  return arena_printf(e->arena, "(%s) ? %s : %s", cond.at, wrap(e, v),
                      constant(e, computed_as(n->dtype), n->value));
}

static const char *concat(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  int dim = (int)n->attr[0];
  int64_t end = n->shape.dim[dim];
  const char *p = sum(e, at->at[dim], offset(l, n, dim)), *v = NULL;
  l->guard++;
  for (int i = n->noperands - 1; i >= 0; i--) {
    const Node *x = graph_operand(l->g, n, i);
    int64_t begin = end - x->shape.dim[dim];
    Index in = *at;
    if (x->shape.dim[dim]) {
      in.at[dim] = difference(e, difference(e, p, literal(l, begin)), offset(l, x, dim));
      const char *u = value(l, n->operand[i], &in);
      v = v ? arena_printf(e->arena, "%s < %s ? %s : %s", wrap(e, p), literal(l, end), wrap(e, u), wrap(e, v)) : u;
    }
    end = begin;
  }
  l->guard--;
  return v ? v : constant(e, computed_as(n->dtype), 0);
}

static const char *gather(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const Node *t = graph_operand(l->g, n, 0), *x = graph_operand(l->g, n, 1);
  int dim = (int)n->attr[0], ri = x->shape.rank;
  Index in = {0}, row = {0};
  for (int d = 0; d < ri; d++) in.at[d] = at->at[dim + d];
  const char *i = value(l, n->operand[1], &in);
  const char *checked = arena_printf(e->arena, "dtrt_index(dev, %s, %s)", i, literal(l, t->shape.dim[dim]));
  l->needs_dev = true;
  for (int d = 0; d < t->shape.rank; d++) row.at[d] = at->at[d < dim ? d : d + ri - 1];
  const char *lo = offset(l, t, dim);
  if (!t->layout->dim[dim].naxes) {
    row.at[dim] = checked;
    return load(l, n->operand[0], &row);
  }
  /* Another device owns the row: it looks it up, and the terms are added. Adding -0 changes nothing, where
   * adding 0 would make a 0 of a -0. */
  const char *len = extent(l, t, dim);
  const char *mine = arena_printf(e->arena, "dtrt_owns(%s, %s, %s)", checked, lo, len);
  row.at[dim] = difference(e, i, lo);
  return arena_printf(e->arena, "%s ? %s : %s", mine, load(l, n->operand[0], &row),
                      constant(e, computed_as(n->dtype), dtype_is_float(n->dtype) ? -0.0 : 0));
}

static const char *random_value(Loop *l, const Node *n, const Index *at) {
  Emit *e = l->e;
  const char *key = number(l, 'k', arena_printf(e->arena, "(int64_t)dtrt_stream_key(dev->seed, 0x%lxu)",
                                                (unsigned long)n->attr[1]));
  const char *i = "0";
  if (at->flat) {
    const char *inner = "1";
    for (int d = 1; d < n->shape.rank; d++) inner = emit_product(e, inner, emit_extent(e, &n->layout->dim[d], n->shape.dim[d]));
    const char *lo = n->shape.rank ? emit_product(e, emit_offset(e, &n->layout->dim[0], n->shape.dim[0]), inner) : "0";
    i = sum(e, at->flat, number(l, 'o', lo));
  } else {
    for (int d = 0; d < n->shape.rank; d++)
      i = sum(e, times(e, i, literal(l, n->shape.dim[d])), sum(e, at->at[d], offset(l, n, d)));
  }
  Index none = {0};
  const char *step = value(l, n->operand[0], &none);
  return arena_printf(e->arena, "dtrt_%s_key_%s((uint64_t)%s, (uint64_t)%s, %s)",
                      n->op == OP_uniform ? "uniform" : "normal", dtype_name(n->dtype), key, wrap(e, step), i);
}

static const char *compute(Loop *l, NodeId id, const Index *at) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  Index in = {.flat = at->flat};
  switch (n->op) {
  case OP_const: return constant(e, computed_as(n->dtype), n->value);
  case OP_cast: return cast(l, n, at);
  case OP_broadcast:
    if (at->flat) in.flat = "0"; /* can_flat: of a scalar, which may be a reshape of more dims */
    for (int d = 0; d < graph_operand(l->g, n, 0)->shape.rank; d++) in.at[d] = at->at[n->attr[d]];
    return value(l, n->operand[0], &in);
  case OP_transpose:
    for (int d = 0; d < n->shape.rank; d++) in.at[n->attr[d]] = at->at[d];
    return value(l, n->operand[0], &in);
  case OP_reshape: in = through_view(l, n, at); return value(l, n->operand[0], &in);
  case OP_slice:
    for (int d = 0; d < n->shape.rank; d++) {
      int64_t start = n->attr[d], step = n->attr[2 * n->shape.rank + d];
      const char *p = times(e, sum(e, at->at[d], offset(l, n, d)), literal(l, step));
      in.at[d] = start || step != 1 || n->shape.dim[d] != graph_operand(l->g, n, 0)->shape.dim[d]
                     ? difference(e, sum(e, p, literal(l, start)), offset(l, graph_operand(l->g, n, 0), d))
                     : at->at[d];
    }
    return value(l, n->operand[0], &in);
  case OP_reverse:
    for (int d = 0; d < n->shape.rank; d++) {
      in.at[d] = at->at[d];
      if (!(n->attr[0] & 1 << d)) continue;
      const char *p = sum(e, at->at[d], offset(l, n, d));
      in.at[d] = difference(e, difference(e, literal(l, n->shape.dim[d] - 1), p),
                            offset(l, graph_operand(l->g, n, 0), d));
    }
    return value(l, n->operand[0], &in);
  case OP_pad: return pad(l, n, at);
  case OP_concat: return concat(l, n, at);
  case OP_gather: return gather(l, n, at);
  case OP_iota: {
    int d = (int)n->attr[1];
    const char *i = sum(e, at->at[d], offset(l, n, d));
    if (is_half(n->dtype)) return round_half(e, n->dtype, arena_printf(e->arena, "(float)%s", wrap(e, i)));
    return arena_printf(e->arena, "(%s)%s", dtype_c_name(n->dtype), wrap(e, i));
  }
  case OP_uniform:
  case OP_normal: return random_value(l, n, at);
  default: return elementwise(l, n, at);
  }
}

static const char *index_key(Loop *l, const Node *n, const Index *at) {
  if (at->flat) return at->flat;
  Str s = str_new(l->e->arena);
  for (int d = 0; d < n->shape.rank; d++) str_printf(&s, "%s;", at->at[d]);
  return s.at;
}

static const char *temp_type(DType t) { return dtype_c_name(computed_as(t)); }

enum { LONG_TEXT = 110 };

/* The value of a node at an index. The first pass counts how often each is asked for; in the second, what
 * is asked for twice is computed once. */
static const char *value(Loop *l, NodeId id, const Index *at) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id);
  NodeId base = node_base(l->g, id);
  if (n->op == OP_const) return compute(l, id, at);
  bool in_memory = l->le->stored[base] && !step_stores(l, base);
  const char *key = index_key(l, n, at);
  Memo *m = NULL;
  for (int i = 0; i < l->memo.n && !m; i++)
    if (l->memo.at[i].node == id && !strcmp(l->memo.at[i].index, key)) m = &l->memo.at[i];
  if (l->counting) {
    if (m) {
      m->uses++;
      return "x";
    }
    vec_push(e->arena, &l->memo, ((Memo){id, key, 1, NULL}));
    return in_memory ? load(l, id, at) : compute(l, id, at);
  }
  if (m && m->text) return m->text;
  const char *text = in_memory ? load(l, id, at) : compute(l, id, at);
  /* The memo may have moved. */
  for (int i = 0; i < l->memo.n; i++)
    if (l->memo.at[i].node == id && !strcmp(l->memo.at[i].index, key)) m = &l->memo.at[i];
  bool overwritten = in_memory && step_writes_buffer(l, l->le->buffer[base]);
  bool simple = !strpbrk(text, " (") && !overwritten;
  if (l->guard == 0 && m && !simple && (m->uses > 1 || overwritten || strlen(text) > LONG_TEXT)) {
    const char *name = arena_printf(e->arena, "v%d", l->temps++);
    str_line(&l->code, "const %s %s = %s;", temp_type(n->dtype), name, text);
    m->text = name;
    return name;
  }
  if (m && l->guard == 0 && simple) m->text = text;
  return text;
}

/* -------- nests -------- */

static void open_loop(Loop *l, const char *var, const char *len, const char *pragma) {
  if (*pragma) str_line(&l->code, "%s", pragma);
  str_line(&l->code, "for (int64_t %s = 0; %s < %s; %s++) {", var, var, len, var);
  l->code.indent++;
}

static void close_loops(Loop *l, int n) {
  for (int i = 0; i < n; i++) {
    l->code.indent--;
    str_line(&l->code, "}");
  }
}

static const char *letter(Loop *l, int d) { return arena_printf(l->e->arena, "%c", LETTERS[d]); }

/* Index of a whole nest over the dims of n: dims of one element have no loop. */
static Index nest_index(Loop *l, const Node *n) {
  Index at = {0};
  for (int d = 0; d < n->shape.rank; d++) at.at[d] = is_number(extent(l, n, d), 1) ? "0" : letter(l, d);
  return at;
}

/* Whether a value can be had by one flat index: everything in memory is seen in the same order. */
static bool can_flat(const Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  NodeId base = node_base(l->g, id);
  if (l->le->stored[base] && !step_stores(l, base)) return true;
  if (n->op == OP_const) return true;
  if (n->op == OP_reshape) return can_flat(l, n->operand[0]);
  if (n->op == OP_broadcast) {
    NodeId x = n->operand[0];
    return graph_node(l->g, x)->shape.rank == 0 && can_flat(l, x);
  }
  if (n->op == OP_uniform || n->op == OP_normal) {
    for (int d = 1; d < n->shape.rank; d++)
      if (n->layout->dim[d].naxes) return false;
    return true;
  }
  if (!(op_def(n->op)->flags & OPF_ELEMENTWISE)) return false;
  for (int k = 0; k < n->noperands; k++)
    if (!can_flat(l, n->operand[k])) return false;
  return true;
}

static Loop loop_new(Emit *e, const Step *s) {
  return (Loop){.e = e, .le = e->le, .g = e->le->graph, .step = s, .code = str_new(e->arena)};
}

static const char *pointer_name(Loop *l, int i) {
  const Pointer *p = &l->pointers.at[i];
  const Node *n = graph_node(l->g, p->node);
  const char *name = n->name, *last = name;
  /* opt.m[model.d1.w] -> m_w, model.d1.w -> d1_w: short, but telling. */
  if (!name) name = last = "t";
  else {
    int dots = 0;
    for (const char *c = name + strlen(name); c > name && dots < 2; c--)
      if (c[-1] == '.' && ++dots == 2) last = c;
    if (dots < 2) last = name;
  }
  return emit_identifier(l->e, last);
}

/* Fills the marks in. */
static const char *fill(Loop *l, const char *text, const char *const *pname, const char *const *nname,
                        const char *fname) {
  Str s = str_new(l->e->arena);
  for (const char *c = text; *c; c++) {
    if (*c == '\3') {
      str_puts(&s, fname);
    } else if (*c == '\1') {
      char kind = *++c;
      int i = 0;
      while (*++c != '\2') i = i * 10 + (*c - '0');
      str_puts(&s, kind == 'p' ? pname[i] : nname[i]);
    } else {
      str_put(&s, c, 1);
    }
  }
  return s.at;
}

static void put_parameters(Loop *l, Str *s) {
  const char *sep = "";
  if (l->needs_dev) str_puts(s, "dtrt_device *dev"), sep = ", ";
  for (int i = 0; i < l->numbers.n; i++, sep = ", ") str_printf(s, "%sint64_t \1n%d\2", sep, i);
  for (int i = 0; i < l->pointers.n; i++, sep = ", ") {
    const Pointer *p = &l->pointers.at[i];
    const Node *n = graph_node(l->g, p->node);
    const char *type = dtype_c_name(n->dtype);
    if (l->flat || n->shape.rank < 2) {
      str_printf(s, "%s%s%s *restrict \1p%d\2", sep, p->written ? "" : "const ", type, i);
      continue;
    }
    str_printf(s, "%s%s (*restrict \1p%d\2)", sep, type, i);
    for (int d = 1; d < n->shape.rank; d++) {
      const char *len = extent(l, n, d);
      str_printf(s, "[%s]", is_number(len, 0) ? "1" : len);
    }
  }
}

/* Unique short names for the parameters. */
static void name_parameters(Loop *l, const char **pname, const char **nname) {
  Emit *e = l->e;
  int count[128] = {0};
  for (int i = 0; i < l->numbers.n; i++) {
    char kind = l->numbers.at[i].kind;
    const char *word = kind == 'n' ? "n" : kind == 'o' ? "from" : "key";
    nname[i] = arena_printf(e->arena, "%s%d", word, count[(int)kind]++);
  }
  for (int i = 0; i < l->pointers.n; i++) {
    const char *base = pointer_name(l, i);
    pname[i] = base;
    if (strlen(base) < 2) pname[i] = arena_printf(e->arena, "%s_", base);
    for (int k = 2, j = 0; j < i; j++)
      if (!strcmp(pname[i], pname[j])) pname[i] = arena_printf(e->arena, "%s_%d", base, k++), j = -1;
  }
}

/* Numbers that were asked for but not written are no parameters; the others are counted anew. */
static const char *drop_unused(Loop *l) {
  Emit *e = l->e;
  Str all = str_new(e->arena), text = str_new(e->arena);
  for (int i = 0; i < l->pointers.n; i++) {
    const Node *n = graph_node(l->g, l->pointers.at[i].node);
    for (int d = 1; !l->flat && d < n->shape.rank; d++) str_puts(&all, extent(l, n, d));
  }
  str_puts(&all, l->code.at);
  int *to = arena_array(e->arena, int, l->numbers.n + 1), kept = 0;
  for (int i = 0; i < l->numbers.n; i++) {
    to[i] = strstr(all.at, arena_printf(e->arena, "\1n%d\2", i)) ? kept : -1;
    if (to[i] >= 0) l->numbers.at[kept++] = l->numbers.at[i];
  }
  l->numbers.n = kept;
  for (const char *c = l->code.at; *c; c++) {
    str_put(&text, c, 1);
    if (*c != '\1' || c[1] != 'n') continue;
    int i = 0;
    for (c += 2; *c != '\2'; c++) i = i * 10 + (*c - '0');
    str_printf(&text, "n%d\2", to[i]);
  }
  return text.at;
}

/* Writes the function if no equal one is there, and the call. */
static void finish(Loop *l, const char *what) {
  Emit *e = l->e;
  const char *code = drop_unused(l);
  Str text = str_new(e->arena), params = str_new(e->arena);
  put_parameters(l, &params);
  str_printf(&text, "DTRT_LOOP void \3(%s) {\n%s}\n\n", params.at, code);
  const char **pname = arena_array(e->arena, const char *, l->pointers.n + 1);
  const char **nname = arena_array(e->arena, const char *, l->numbers.n + 1);
  const char *name = NULL;
  for (int i = 0; i < e->loop.n && !name; i++)
    if (!strcmp(e->loop.at[i].key, text.at)) name = e->loop.at[i].name;
  if (!name) {
    name = arena_printf(e->arena, "loop%d_%s", e->loop.n + 1, emit_identifier(e, what));
    vec_push(e->arena, &e->loop, ((LoopText){text.at, name}));
    name_parameters(l, pname, nname);
    str_puts(&e->loops, fill(l, text.at, pname, nname, name));
  }
  Str call = str_new(e->arena);
  const char *sep = "";
  str_printf(&call, "%s(", name);
  if (l->needs_dev) str_puts(&call, "dev"), sep = ", ";
  for (int i = 0; i < l->numbers.n; i++, sep = ", ") str_printf(&call, "%s%s", sep, l->numbers.at[i].value);
  for (int i = 0; i < l->pointers.n; i++, sep = ", ") {
    const Node *n = graph_node(l->g, l->pointers.at[i].node);
    const char *p = emit_pointer(e, l->pointers.at[i].node);
    str_printf(&call, l->flat && n->shape.rank > 1 ? "%s(void *)%s" : "%s%s", sep, p);
  }
  str_puts(&call, ");");
  str_line(&e->body, "%s", call.at);
}

static void store_values(Loop *l, const Step *s, const Index *at) {
  const char **v = arena_array(l->e->arena, const char *, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) v[i] = value(l, s->nodes.at[i], at);
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(l->g, s->nodes.at[i]);
    const char *to = element(l, s->nodes.at[i], at, true);
    if (l->counting) continue;
    if (is_half(n->dtype)) str_line(&l->code, "%s = dtrt_f32_to_%s(%s);", to, dtype_name(n->dtype), v[i]);
    else str_line(&l->code, "%s = %s;", to, v[i]);
  }
}

static void clear_values(Loop *l, bool counting) {
  l->counting = counting;
  if (counting) l->memo.n = 0;
}

void emit_map(Emit *e, const Step *s) {
  Loop l = loop_new(e, s);
  const Node *n = graph_node(l.g, s->nodes.at[0]);
  l.flat = n->shape.rank > 0;
  for (int i = 0; i < s->nodes.n; i++) l.flat = l.flat && can_flat(&l, s->nodes.at[i]);
  Index at = {0};
  l.code.indent = 1;
  int loops = 0;
  if (l.flat) {
    const char *count = emit_count(e, n);
    at.flat = is_number(count, 1) ? "0" : "i";
    if (!is_number(count, 1)) open_loop(&l, "i", number(&l, 'n', count), "DTRT_PLAIN"), loops++;
  } else {
    at = nest_index(&l, n);
    int last = -1;
    for (int d = 0; d < n->shape.rank; d++)
      if (strcmp(at.at[d], "0")) last = d;
    for (int d = 0; d < n->shape.rank; d++)
      if (strcmp(at.at[d], "0")) open_loop(&l, at.at[d], extent(&l, n, d), d == last ? "DTRT_PLAIN" : "DTRT_OUTER"), loops++;
  }
  clear_values(&l, true);
  store_values(&l, s, &at);
  clear_values(&l, false);
  l.pointers.n = 0;
  store_values(&l, s, &at);
  close_loops(&l, loops);
  finish(&l, n->name ? n->name : op_def(n->op)->name);
}

/* -------- reductions -------- */

static const char *identity(Emit *e, const Node *n) {
  DType t = n->dtype;
  static const double lowest[] = {0, 0, -128, -2147483648.0, -9223372036854775808.0};
  static const double highest[] = {1, 255, 127, 2147483647.0, 9223372036854775807.0};
  switch (n->op) {
  case OP_prod: return constant(e, t, 1);
  case OP_all: return "1";
  case OP_reduce_max: return dtype_is_float(t) ? constant(e, t, -INFINITY) : constant(e, t, lowest[t]);
  case OP_reduce_min:
    return dtype_is_float(t) ? constant(e, t, INFINITY)
           : t == DT_I64     ? "9223372036854775807"
                             : constant(e, t, highest[t]);
  default: return constant(e, t, 0);
  }
}

static const char *combined(Emit *e, const Node *n, const char *acc, const char *v) {
  const char *t = dtype_name(computed_as(n->dtype));
  bool whole = dtype_is_int(n->dtype);
  switch (n->op) {
  case OP_sum:
    return arena_printf(e->arena, whole ? "dtrt_add_%3$s(%1$s, %2$s)" : "%1$s + %2$s", acc, wrap(e, v), t);
  case OP_prod:
    return arena_printf(e->arena, whole ? "dtrt_mul_%3$s(%1$s, %2$s)" : "%1$s * %2$s", acc, wrap(e, v), t);
  case OP_reduce_max: return arena_printf(e->arena, "dtrt_max_%s(%s, %s)", t, acc, v);
  case OP_reduce_min: return arena_printf(e->arena, "dtrt_min_%s(%s, %s)", t, acc, v);
  case OP_any: return arena_printf(e->arena, "%s | %s", acc, wrap(e, v));
  default: return arena_printf(e->arena, "%s & %s", acc, wrap(e, v));
  }
}

static void value_twice(Loop *l, NodeId id, const Index *at) {
  clear_values(l, true);
  value(l, id, at);
  clear_values(l, false);
}

/* All elements of a reduction in one loop. */
static void reduce_all_flat(Loop *l, NodeId id) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  const char *count = emit_count(e, x);
  Index at = {.flat = is_number(count, 1) ? "0" : "i"};
  str_line(&l->code, "%s acc = %s;", temp_type(n->dtype), identity(e, n));
  value_twice(l, n->operand[0], &at);
  l->pointers.n = 0;
  bool many = !is_number(count, 1);
  if (many) open_loop(l, "i", number(l, 'n', count), n->op == OP_sum && dtype_is_float(n->dtype) ? "DTRT_SUMMING" : "");
  str_line(&l->code, "acc = %s;", combined(e, n, "acc", value(l, n->operand[0], &at)));
  close_loops(l, many);
  Index none = {0};
  const char *to = element(l, id, &none, true);
  if (is_half(n->dtype)) str_line(&l->code, "%s = dtrt_f32_to_%s(acc);", to, dtype_name(n->dtype));
  else str_line(&l->code, "%s = acc;", to);
}

typedef struct Nest {
  Index in, out;            /* of the operand, of the result */
  bool gone[MAX_RANK];      /* by dim of the operand */
  int first_gone, last;     /* dims with loops */
} Nest;

static Nest reduce_nest(Loop *l, const Node *n, uint32_t dims) {
  const Node *x = graph_operand(l->g, n, 0);
  Nest t = {.first_gone = x->shape.rank, .last = -1};
  t.in = nest_index(l, x);
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

/* The innermost dim is reduced: an accumulator in a register. */
static void reduce_scalar(Loop *l, NodeId id, const Nest *t) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < x->shape.rank; d++)
    if (!t->gone[d] && has_loop(t, d)) open_loop(l, t->in.at[d], extent(l, x, d), "DTRT_OUTER"), outer++;
  str_line(&l->code, "%s acc = %s;", temp_type(n->dtype), identity(e, n));
  for (int d = 0; d < x->shape.rank; d++)
    if (t->gone[d] && has_loop(t, d)) {
      bool sums = d == t->last && n->op == OP_sum && dtype_is_float(n->dtype);
      open_loop(l, t->in.at[d], extent(l, x, d), sums ? "DTRT_SUMMING" : ""), inner++;
    }
  str_line(&l->code, "acc = %s;", combined(e, n, "acc", value(l, n->operand[0], &t->in)));
  close_loops(l, inner);
  const char *to = element(l, id, &t->out, true);
  if (is_half(n->dtype)) str_line(&l->code, "%s = dtrt_f32_to_%s(acc);", to, dtype_name(n->dtype));
  else str_line(&l->code, "%s = acc;", to);
  close_loops(l, outer);
}

/* The innermost dim is kept: rows are added up into the result, which stays in cache. */
static void reduce_rows(Loop *l, NodeId id, const Nest *t) {
  Emit *e = l->e;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  int outer = 0, inner = 0;
  for (int d = 0; d < t->first_gone; d++)
    if (has_loop(t, d)) open_loop(l, t->in.at[d], extent(l, x, d), "DTRT_OUTER"), outer++;
  const char *to = element(l, id, &t->out, true);
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (!t->gone[d] && has_loop(t, d)) open_loop(l, t->in.at[d], extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"), inner++;
  str_line(&l->code, "%s = %s;", to, identity(e, n));
  close_loops(l, inner);
  inner = 0;
  for (int d = t->first_gone; d < x->shape.rank; d++)
    if (has_loop(t, d)) open_loop(l, t->in.at[d], extent(l, x, d), d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER"), inner++;
  str_line(&l->code, "%s = %s;", to, combined(e, n, to, value(l, n->operand[0], &t->in)));
  close_loops(l, inner);
  close_loops(l, outer);
}

static void reduce_index(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  Nest t = reduce_nest(l, n, 1u << n->attr[0]);
  int dim = (int)n->attr[0], outer = 0;
  DType vt = x->dtype;
  value_twice(l, n->operand[0], &t.in);
  l->pointers.n = 0;
  for (int d = 0; d < x->shape.rank; d++)
    if (!t.gone[d] && has_loop(&t, d)) open_loop(l, t.in.at[d], extent(l, x, d), "DTRT_OUTER"), outer++;
  str_line(&l->code, "int32_t at = -1;");
  str_line(&l->code, "%s best = 0;", temp_type(vt));
  if (has_loop(&t, dim)) open_loop(l, t.in.at[dim], extent(l, x, dim), "");
  else str_line(&l->code, "{"), l->code.indent++;
  str_line(&l->code, "const %s x = %s;", temp_type(vt), value(l, n->operand[0], &t.in));
  str_line(&l->code, "if (at < 0 || x %s best%s) best = x, at = (int32_t)%s;", n->op == OP_argmax ? ">" : "<",
           dtype_is_float(vt) ? " || (x != x && best == best)" : "", t.in.at[dim]);
  close_loops(l, 1);
  str_line(&l->code, "%s = at;", element(l, id, &t.out, true));
  close_loops(l, outer);
}

void emit_reduce(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  l.code.indent = 1;
  if (n->op == OP_argmax || n->op == OP_argmin) {
    reduce_index(&l, id);
  } else if (n->shape.rank == 0 && can_flat(&l, n->operand[0])) {
    l.flat = true;
    reduce_all_flat(&l, id);
  } else {
    Nest t = reduce_nest(&l, n, (uint32_t)n->attr[0]);
    value_twice(&l, n->operand[0], &t.in);
    l.pointers.n = 0;
    bool rows = t.last >= 0 && !t.gone[t.last] && t.first_gone < graph_operand(l.g, n, 0)->shape.rank &&
                !is_half(n->dtype);
    if (rows) reduce_rows(&l, id, &t);
    else reduce_scalar(&l, id, &t);
  }
  finish(&l, n->name ? n->name : op_def(n->op)->name);
}

/* -------- scatter, and products as loops -------- */

void emit_scatter(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id), *x = graph_operand(l.g, n, 0), *u = graph_operand(l.g, n, 1);
  int dim = (int)n->attr[0], ri = x->shape.rank, loops = 0;
  l.code.indent = 1;
  l.needs_dev = true;
  Index at = nest_index(&l, u), in = {0}, out = {0};
  for (int d = 0; d < ri; d++) in.at[d] = at.at[dim + d];
  for (int d = 0; d < n->shape.rank; d++) out.at[d] = d < dim ? at.at[d] : d > dim ? at.at[d + ri - 1] : "row";
  int size = dtype_size(n->dtype);
  str_line(&l.code, "dtrt_zero(%s, %s * %d);", pointer(&l, id, true), number(&l, 'n', emit_count(e, n)), size);
  for (int d = 0; d < dim + ri; d++)
    if (strcmp(at.at[d], "0")) open_loop(&l, at.at[d], extent(&l, u, d), ""), loops++;
  str_line(&l.code, "const int64_t row = dtrt_index(dev, %s, %s) - %s;", value(&l, n->operand[0], &in),
           literal(&l, n->shape.dim[dim]), offset(&l, n, dim));
  str_line(&l.code, "if (row < 0 || row >= %s) continue;", extent(&l, n, dim));
  if (!loops) {
    /* `continue` needs a loop. */
    l.code.n = 0;
    l.code.at[0] = 0;
    str_line(&l.code, "dtrt_zero(%s, %s * %d);", pointer(&l, id, true), number(&l, 'n', emit_count(e, n)), size);
    open_loop(&l, "once", "1", ""), loops++;
    str_line(&l.code, "const int64_t row = dtrt_index(dev, %s, %s) - %s;", value(&l, n->operand[0], &in),
             literal(&l, n->shape.dim[dim]), offset(&l, n, dim));
    str_line(&l.code, "if (row < 0 || row >= %s) continue;", extent(&l, n, dim));
  }
  for (int d = dim + ri; d < u->shape.rank; d++)
    if (strcmp(at.at[d], "0")) open_loop(&l, at.at[d], extent(&l, u, d), ""), loops++;
  const char *to = element(&l, id, &out, true), *from = value(&l, n->operand[1], &at);
  if (dtype_is_int(n->dtype)) str_line(&l.code, "%s = dtrt_add_%s(%s, %s);", to, dtype_name(n->dtype), to, from);
  else if (is_half(n->dtype))
    str_line(&l.code, "%s = dtrt_f32_to_%s(dtrt_%s_to_f32(%s) + %s);", to, dtype_name(n->dtype), dtype_name(n->dtype), to, from);
  else str_line(&l.code, "%s += %s;", to, from);
  close_loops(&l, loops);
  finish(&l, n->name ? n->name : "scatter_add");
}

void emit_contract_loops(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id), *x = graph_operand(l.g, n, 0), *y = graph_operand(l.g, n, 1);
  const int64_t *lx = n->attr, *ly = lx + x->shape.rank, *lo = ly + y->shape.rank;
  const char *var[26] = {0}, *len[26];
  Index at[3] = {0};
  int nvars = 0, loops = 0, inner = 0;
  l.code.indent = 1;
  const Node *t[3] = {n, x, y};
  const int64_t *letters[3] = {lo, lx, ly};
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < t[k]->shape.rank; d++) {
      int64_t c = letters[k][d];
      if (!var[c]) {
        len[c] = extent(&l, t[k], d);
        var[c] = is_number(len[c], 1) ? "0" : arena_printf(e->arena, "i%d", nvars++);
        if (strcmp(var[c], "0")) {
          if (k == 0) open_loop(&l, var[c], len[c], ""), loops++;
        }
      }
      at[k].at[d] = var[c];
    }
  str_line(&l.code, "%s acc = 0;", dtype_c_name(n->dtype));
  bool opened[26] = {0};
  for (int d = 0; d < n->shape.rank; d++) opened[lo[d]] = true;
  for (int k = 1; k < 3; k++)
    for (int d = 0; d < t[k]->shape.rank; d++) {
      int64_t c = letters[k][d];
      if (!opened[c] && strcmp(var[c], "0")) open_loop(&l, var[c], len[c], ""), inner++;
      opened[c] = true;
    }
  const char *a = load(&l, n->operand[0], &at[1]), *b = load(&l, n->operand[1], &at[2]);
  const char *dt = dtype_name(n->dtype);
  if (dtype_is_int(n->dtype)) str_line(&l.code, "acc = dtrt_add_%s(acc, dtrt_mul_%s(%s, %s));", dt, dt, a, b);
  else str_line(&l.code, "acc += %s * %s;", a, b);
  close_loops(&l, inner);
  str_line(&l.code, "%s = acc;", element(&l, id, &at[0], true));
  close_loops(&l, loops);
  finish(&l, n->name ? n->name : "contract");
}
