/* Loop nests: maps, and products that no matrix product fits; reductions are in
 * emit_reduce.c. A nest asks for the value of what it stores at its own index and writes down what
 * comes back. */
#include "emit_loop.h"
#include <stdlib.h>
#include <string.h>

static const char LETTERS[] = "ijklpqrs";

/* -------- nests -------- */

void loop_open(Loop *l, const char *var, const char *len, const char *pragma) {
  if (*pragma) str_line(&l->code, "%s", pragma);
  str_line(&l->code, "for (int64_t %s = 0; %s < %s; %s++) {", var, var, len, var);
  l->code.indent++;
}

void loop_close(Loop *l, int n) {
  for (int i = 0; i < n; i++) {
    l->code.indent--;
    str_line(&l->code, "}");
  }
}

static const char *letter(Loop *l, int d) { return arena_printf(l->e->arena, "%c", LETTERS[d]); }

Index loop_nest_index(Loop *l, const Node *n) {
  Index at = {0};
  for (int d = 0; d < n->shape.rank; d++)
    at.at[d] = is_number(loop_extent(l, n, d), 1) ? "0" : letter(l, d);
  return at;
}

bool loop_is_flat(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  NodeId base = node_base(l->g, id);
  /* A tile need not lie in one piece; rows of an epilogue do. */
  if (l->e->strip && !l->e->strip->epilogue) return false;
  if (l->le->stored[base] && !loop_stores(l, base)) return true;
  if (node_is_const(n)) return true;
  if (op_class(n) == OPC_VIEW) return loop_is_flat(l, n->operand[0]);
  if (op_is(n, OPF_REPEATS)) {
    NodeId x = n->operand[0];
    return graph_node(l->g, x)->shape.rank == 0 && loop_is_flat(l, x);
  }
  if (op_class(n) == OPC_RANDOM) {
    for (int d = 1; d < n->shape.rank; d++)
      if (n->layout->dim[d].naxes) return false;
    return true;
  }
  if (!op_is(n, OPF_ELEMENTWISE)) return false;
  if (lookup_get(&l->flat_known, n)) return true;
  for (int k = 0; k < n->noperands; k++)
    if (!loop_is_flat(l, n->operand[k])) return false;
  lookup_put(&l->flat_known, l->e->arena, n, 1);
  return true;
}

Loop loop_new(Emit *e, const Step *s) {
  return (Loop){.e = e, .le = e->le, .g = e->le->graph, .step = s, .code = str_new(e->arena)};
}

/* opt.m[model.d1.w] -> m_w, model.d1.w -> d1_w: short, but telling. */
const char *emit_short_name(Emit *e, const Node *n) {
  const char *name = n->name, *last = name;
  if (!name)
    name = last = "t";
  else {
    int dots = 0;
    for (const char *c = name + strlen(name); c > name && dots < 2; c--)
      if (c[-1] == '.' && ++dots == 2) last = c;
    if (dots < 2) last = name;
  }
  return emit_identifier(e, last);
}

/* Fills the marks in. */
static const char *fill(Loop *l, const char *text, const char *const *pname,
                        const char *const *nname, const char *fname) {
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
      const char *len = loop_room(l, n, d);
      str_printf(s, "[%s]", is_number(len, 0) ? "1" : len);
    }
  }
  if (l->partial)
    str_printf(s, "%s%s *restrict partial", sep, dtype_c_name(l->partial_type)), sep = ", ";
  if (l->then) str_printf(s, "%sconst dtrt_then *then", sep);
}

/* "n0", "from12", "first0", "key1": what name_parameters calls numbers. "i0", "v12": what loops
 * call their indices and values. (Words such as "acc" are left to emit_identifier.) */
static bool is_local_name(const char *s) {
  static const char *const numbered[] = {"n",     "from", "key", "last", "first",
                                         "bound", "i",    "v",   "p"};
  for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
    size_t n = strlen(numbered[i]);
    if (!strncmp(s, numbered[i], n) && s[n] && strspn(s + n, "0123456789") == strlen(s + n))
      return true;
  }
  return false;
}

/* Unique short names for the parameters. */
static void name_parameters(Loop *l, const char **pname, const char **nname) {
  Emit *e = l->e;
  int count[128] = {0};
  Lookup taken = {0}, next = {0}; /* names; by base, the number that the next one may have */
  for (int i = 0; i < l->numbers.n; i++) {
    char kind = l->numbers.at[i].kind;
    const char *word = kind == 'n'   ? "n"
                       : kind == 'o' ? "from"
                       : kind == 'k' ? "key"
                       : kind == 'b' ? "bound"
                       : kind == 'l' ? "last"
                                     : "first";
    nname[i] = arena_printf(e->arena, "%s%d", word, count[(int)kind]++);
  }
  for (int i = 0; i < l->pointers.n; i++) {
    const char *base = emit_short_name(e, graph_node(l->g, l->pointers.at[i].node));
    pname[i] = base;
    if (strlen(base) < 2 || is_local_name(base)) pname[i] = arena_printf(e->arena, "%s_", base);
    int k = emit_find(e, &next, base);
    for (k = k ? k : 2; emit_find(e, &taken, pname[i]); k++)
      pname[i] = arena_printf(e->arena, "%s_%d", base, k);
    emit_keep(e, &taken, pname[i], 1);
    emit_keep(e, &next, base, k);
  }
}

/* Numbers that were asked for but not written are no parameters; the others are counted anew. */
static const char *drop_unused(Loop *l) {
  Emit *e = l->e;
  Str all = str_new(e->arena), text = str_new(e->arena);
  for (int i = 0; i < l->pointers.n; i++) {
    const Node *n = graph_node(l->g, l->pointers.at[i].node);
    for (int d = 1; !l->flat && d < n->shape.rank; d++) str_puts(&all, loop_room(l, n, d));
  }
  str_puts(&all, l->code.at);
  int *to = arena_array(e->arena, int, l->numbers.n + 1), kept = 0;
  for (const char *c = all.at; (c = strstr(c, "\1n")); c++) to[strtol(c + 2, NULL, 10)] = 1;
  for (int i = 0; i < l->numbers.n; i++) {
    to[i] = to[i] ? kept : -1;
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

/* Writes the function if no equal one is there. */
const char *loop_function(Loop *l, const char *what) {
  Emit *e = l->e;
  const char *code = drop_unused(l);
  Str text = str_new(e->arena), params = str_new(e->arena);
  put_parameters(l, &params);
  str_printf(&text, "DTRT_LOOP %s \3(%s) {\n%s}\n\n", l->returns ? l->returns : "void", params.at,
             code);
  const char **pname = arena_array(e->arena, const char *, l->pointers.n + 1);
  const char **nname = arena_array(e->arena, const char *, l->numbers.n + 1);
  const char *name = NULL;
  int had = emit_find(e, &e->loop_at, text.at);
  if (had) name = e->loop.at[had - 1].name;
  if (!name) {
    name = arena_printf(e->arena, "loop%d_%s", e->loop.n + 1, emit_word(e, what));
    vec_push(e->arena, &e->loop, ((LoopText){text.at, name}));
    emit_keep(e, &e->loop_at, text.at, e->loop.n);
    name_parameters(l, pname, nname);
    str_puts(&e->loops, fill(l, text.at, pname, nname, name));
  }
  return name;
}

const char *loop_call(Loop *l, const char *what) {
  Emit *e = l->e;
  const char *name = loop_function(l, what);
  Str call = str_new(e->arena);
  const char *sep = "";
  str_printf(&call, "%s(", name);
  if (l->needs_dev) str_puts(&call, "dev"), sep = ", ";
  for (int i = 0; i < l->numbers.n; i++, sep = ", ")
    str_printf(&call, "%s%s", sep, l->numbers.at[i].value);
  for (int i = 0; i < l->pointers.n; i++, sep = ", ") {
    const Node *n = graph_node(l->g, l->pointers.at[i].node);
    const char *p = emit_start(e, l->pointers.at[i].node);
    str_printf(&call, n->shape.rank > 1 && (l->flat || *p == '&') ? "%s(void *)%s" : "%s%s", sep,
               p);
  }
  if (l->partial) str_printf(&call, "%s%s", sep, l->partial), sep = ", ";
  if (l->then) str_printf(&call, "%s\n      %s", *sep ? "," : "", l->then);
  str_puts(&call, ")");
  return call.at;
}

void loop_finish(Loop *l, const char *what) {
  const char *call = loop_call(l, what);
  str_line(&l->e->body, "%s;", call);
}

static void store_values(Loop *l, const Step *s, const Index *at) {
  const char **v = arena_array(l->e->arena, const char *, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) v[i] = loop_value(l, s->nodes.at[i], at);
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(l->g, s->nodes.at[i]);
    if (l->counting) continue;
    const char *to = loop_element(l, s->nodes.at[i], at, true);
    if (loop_is_half(n->dtype))
      str_line(&l->code, "%s = dtrt_f32_to_%s(%s);", to, dtype_name(n->dtype), v[i]);
    else
      str_line(&l->code, "%s = %s;", to, v[i]);
  }
}

static void map_body(Loop *l, const Step *s, const Index *at) {
  loop_count(l, true);
  store_values(l, s, at);
  loop_count(l, false);
  store_values(l, s, at);
}

/* The loops over dims from `d` on, and the body in them. `split`: a dim that is gone over in parts,
 * or -1. */
static void map_loops(Loop *l, const Step *s, int d, Index *at, int split, const Cuts *cut) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  int last = -1;
  for (int k = d; k < n->shape.rank; k++)
    if (strcmp(at->at[k], "0")) last = k;
  if (last < 0) {
    map_body(l, s, at);
    return;
  }
  while (!strcmp(at->at[d], "0")) d++;
  const char *pragma = d == last ? "DTRT_PLAIN" : "DTRT_OUTER", *index = at->at[d];
  if (d != split) {
    if (emit_in_band(l->e, s->nodes.at[0]) && d == last)
      loop_open_live(l, n, at);
    else
      loop_open(l, index, loop_extent(l, n, d), pragma);
    map_loops(l, s, d + 1, at, split, cut);
    loop_close(l, 1);
    return;
  }
  for (int i = 0; i + 1 < cut->n; i++) {
    const int64_t from = cut->at[i], to = cut->at[i + 1];
    const bool one = to == from + 1;
    if (one) {
      at->at[d] = loop_literal(l, from);
    } else {
      l->part = index, l->part_lo = from, l->part_hi = to - 1;
      str_line(&l->code, "%s", pragma);
      str_line(&l->code, "for (int64_t %s = %ld; %s < %ld; %s++) {", index, (long)from, index,
               (long)to, index);
      l->code.indent++;
    }
    map_loops(l, s, d + 1, at, split, cut);
    if (!one) loop_close(l, 1);
    at->at[d] = index;
    l->part = NULL;
  }
}

/* Elements that a map goes over: of the tile that is being written, if there is one. */
static const char *map_count(Emit *e, const Node *n) {
  const char *count = "1";
  for (int d = 0; d < n->shape.rank; d++) count = emit_product(e, count, emit_len(e, n, d));
  return count;
}

static Loop map_nest(Emit *e, const Step *s, bool flat) {
  Loop l = loop_new(e, s);
  const Node *n = graph_node(l.g, s->nodes.at[0]);
  l.flat = flat && n->shape.rank > 0;
  for (int i = 0; i < s->nodes.n; i++) l.flat = l.flat && loop_is_flat(&l, s->nodes.at[i]);
  Index at = {0};
  l.code.indent = 1;
  if (l.flat) {
    const char *count = map_count(e, n);
    const bool many = !is_number(count, 1);
    at.flat = many ? "i" : "0";
    if (many) loop_open(&l, "i", loop_number(&l, 'n', count), "DTRT_PLAIN");
    map_body(&l, s, &at);
    loop_close(&l, many);
    return l;
  }
  at = loop_nest_index(&l, n);
  Cuts cut = {0};
  const int split = e->strip ? -1 : loop_split(&l, s, &at, &cut);
  map_loops(&l, s, 0, &at, split, &cut);
  return l;
}

/* In a tile, what depends on the index itself (random numbers) wants the whole's. */
static Loop map_loop(Emit *e, const Step *s) {
  Loop l = map_nest(e, s, true);
  if (e->strip && l.flat && (l.needs_dev || l.numbers.n > 1)) l = map_nest(e, s, false);
  return l;
}

void emit_map(Emit *e, const Step *s) {
  const Node *n = graph_node(e->le->graph, s->nodes.at[0]);
  Loop l = map_loop(e, s);
  loop_finish(&l, n->name ? n->name : n->op->name);
}

/* -------- products as loops -------- */

void emit_contract_loops(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id), *x = graph_operand(l.g, n, 0), *y = graph_operand(l.g, n, 1);
  const Letters letter = product_letters(l.g, n);
  const char *var[26] = {0}, *len[26];
  Index at[3] = {0};
  int nvars = 0, loops = 0, inner = 0;
  l.code.indent = 1;
  const Node *t[3] = {n, x, y};
  const int64_t *letters[3] = {letter.out, letter.x, letter.y};
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < t[k]->shape.rank; d++) {
      int64_t c = letters[k][d];
      if (!var[c]) {
        len[c] = loop_extent(&l, t[k], d);
        var[c] = is_number(len[c], 1) ? "0" : arena_printf(e->arena, "i%d", nvars++);
        if (strcmp(var[c], "0")) {
          if (k == 0) loop_open(&l, var[c], len[c], ""), loops++;
        }
      }
      at[k].at[d] = var[c];
    }
  const char *first = emit_first(e, id);
  if (first)
    str_line(&l.code, "%s acc = %s ? 0 : %s;", dtype_c_name(n->dtype), loop_number(&l, 'f', first),
             loop_element(&l, id, &at[0], true));
  else
    str_line(&l.code, "%s acc = 0;", dtype_c_name(n->dtype));
  bool opened[26] = {0};
  for (int d = 0; d < n->shape.rank; d++) opened[letter.out[d]] = true;
  for (int k = 1; k < 3; k++)
    for (int d = 0; d < t[k]->shape.rank; d++) {
      int64_t c = letters[k][d];
      if (!opened[c] && strcmp(var[c], "0")) loop_open(&l, var[c], len[c], ""), inner++;
      opened[c] = true;
    }
  const char *a = loop_load(&l, n->operand[0], &at[1]), *b = loop_load(&l, n->operand[1], &at[2]);
  const char *dt = dtype_name(n->dtype);
  if (dtype_is_int(n->dtype))
    str_line(&l.code, "acc = dtrt_add_%s(acc, dtrt_mul_%s(%s, %s));", dt, dt, a, b);
  else
    str_line(&l.code, "acc += %s * %s;", a, b);
  loop_close(&l, inner);
  str_line(&l.code, "%s = acc;", loop_element(&l, id, &at[0], true));
  loop_close(&l, loops);
  loop_finish(&l, n->name ? n->name : "contract");
}
