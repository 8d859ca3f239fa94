/* The C file: tables of layouts and exchanges, the loops, one function an entry, the program. */
#include "emit.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* -------- names and numbers -------- */

bool is_number(const char *text, int64_t v) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  return strtoll(text, &end, 10) == v && !*end;
}

static bool as_number(const char *text, int64_t *v) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  *v = strtoll(text, &end, 10);
  return !*end;
}

const char *emit_product(Emit *e, const char *a, const char *b) {
  int64_t x = 0, y = 0;
  bool nx = as_number(a, &x), ny = as_number(b, &y);
  if (nx && ny) return arena_printf(e->arena, "%ld", (long)(x * y));
  if (nx && x == 1) return b;
  if (ny && y == 1) return a;
  if ((nx && x == 0) || (ny && y == 0)) return "0";
  return arena_printf(e->arena, "%s * %s", a, b);
}

const char *emit_identifier(Emit *e, const char *name) {
  Str s = str_new(e->arena);
  if (isdigit((unsigned char)*name)) str_puts(&s, "_");
  for (const char *c = name; *c; c++) {
    bool ok = isalnum((unsigned char)*c) || *c == '_';
    if (ok)
      str_put(&s, c, 1);
    else if (s.n && s.at[s.n - 1] != '_' && c[1])
      str_puts(&s, "_");
  }
  while (s.n && s.at[s.n - 1] == '_') s.at[--s.n] = 0;
  if (!s.n) str_puts(&s, "t");
  /* Words of C and of the runtime. */
  static const char *const taken[] = {
      "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
      "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
      "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
      "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
      "volatile", "while",  "acc",    "at",       "best",     "row",      "dev",      "once",
      "x",        "asm",    "typeof"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(s.at, taken[i])) str_puts(&s, "_");
  if (s.n > 40) s.at[s.n = 40] = 0;
  return s.at;
}

/* -------- tables -------- */

int emit_find(Emit *e, const Lookup *table, const char *text) {
  return lookup_get(table, name_of(e->names, text, strlen(text)));
}

void emit_keep(Emit *e, Lookup *table, const char *text, int value) {
  lookup_put(table, e->arena, name_of(e->names, text, strlen(text)), value);
}

static void dim_initializer(Str *s, const DimLayout *d, int64_t n) {
  str_printf(s, "{.n = %ld, .granule = %ld", (long)n, (long)d->granule);
  if (d->window.of)
    str_printf(s, ", .of = %ld, .mul = %ld, .div = %ld, .first = %ld, .last = %ld",
               (long)d->window.of, (long)d->window.mul, (long)d->window.div, (long)d->window.first,
               (long)d->window.last);
  if (d->naxes) {
    str_printf(s, ", .naxes = %d, .axis = {", d->naxes);
    for (int i = 0; i < d->naxes; i++) str_printf(s, "%s%d", i ? ", " : "", d->axis[i]);
    str_puts(s, "}");
  }
  str_puts(s, "}");
}

static const char *dim_table(Emit *e, const DimLayout *d, int64_t n) {
  Str s = str_new(e->arena);
  dim_initializer(&s, d, n);
  int had = emit_find(e, &e->dim_at, s.at);
  if (had) return e->dims.at[had - 1].name;
  const char *name = arena_printf(e->arena, "dim_%d", e->dims.n);
  str_line(&e->tables, "static const dtrt_dim %s = %s;", name, s.at);
  vec_push(e->arena, &e->dims, ((Table){s.at, name}));
  emit_keep(e, &e->dim_at, s.at, e->dims.n);
  return name;
}

static const char *layout_table(Emit *e, const Layout *l, const Shape *shape) {
  static const char *const how[] = {"DTRT_SUM", "DTRT_MAX", "DTRT_MIN", "DTRT_PROD"};
  Str s = str_new(e->arena);
  for (int d = 0; d < l->rank; d++) {
    str_puts(&s, d ? ",\n    " : "\n    ");
    dim_initializer(&s, &l->dim[d], shape->dim[d]);
  }
  str_printf(&s, "|%x|%d", l->partial, l->reduce);
  int had = emit_find(e, &e->layout_at, s.at);
  if (had) return e->layouts.at[had - 1].name;
  const char *name = arena_printf(e->arena, "layout_%d", e->layouts.n);
  str_printf(&e->tables, "/* ");
  shape_put(&e->tables, shape);
  str_printf(&e->tables, " on %s */\n", layout_text(e->arena, e->mesh, l));
  if (l->rank)
    str_printf(&e->tables, "static const dtrt_dim %s_dims[] = {%.*s};\n", name,
               (int)(strchr(s.at, '|') - s.at), s.at);
  str_printf(&e->tables, "static const dtrt_layout %s = {%d, 0x%x, %s, ", name, l->rank, l->partial,
             how[l->reduce]);
  if (l->rank)
    str_printf(&e->tables, "%s_dims};\n", name);
  else
    str_puts(&e->tables, "0};\n");
  vec_push(e->arena, &e->layouts, ((Table){s.at, name}));
  emit_keep(e, &e->layout_at, s.at, e->layouts.n);
  return name;
}

static void put_string(Str *s, const char *text) {
  if (!text) {
    str_puts(s, "0");
    return;
  }
  str_puts(s, "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '\n') {
      str_puts(s, c[1] ? "\\n\"\n    \"" : "\\n");
      continue;
    }
    if (*c == '"' || *c == '\\') str_puts(s, "\\");
    if ((unsigned char)*c < 32)
      str_printf(s, "\\%03o", (unsigned char)*c);
    else if (*c == '?' && c[1] == '?')
      str_puts(s, "?\"\"");
    else
      str_put(s, c, 1);
  }
  str_puts(s, "\"");
}

static const char *kind_name(int kind) {
  static const char *const name[] = {"DTRT_COPY",       "DTRT_ALL_REDUCE", "DTRT_REDUCE_SCATTER",
                                     "DTRT_ALL_GATHER", "DTRT_ALL_TO_ALL", "DTRT_PERMUTE",
                                     "DTRT_BOXES",      "DTRT_HALO"};
  return name[kind];
}

static const char *dtype_enum(Emit *e, DType t) {
  char *s = arena_printf(e->arena, "DTRT_%s", dtype_name(t));
  for (char *c = s + 5; *c; c++) *c = (char)toupper((unsigned char)*c);
  return s;
}

static const char *what_is(Emit *e, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  return n->name ? n->name : arena_printf(e->arena, "%s", op_def(n->op)->name);
}

static const char *exchange_table(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  Exchange ex = exchange_of(e->program, x->layout, n->layout, &n->shape, n->dtype);
  const char *from = layout_table(e, x->layout, &n->shape),
             *to = layout_table(e, n->layout, &n->shape);
  const char *name = arena_printf(e->arena, "exchange_%d", e->exchange_names.n);
  str_printf(&e->tables, "static const dtrt_exchange %s = {%d, %s, %s, 0x%x, &%s, &%s,\n    ", name,
             e->exchange_names.n, kind_name(ex.kind), dtype_enum(e, n->dtype), ex.axes, from, to);
  put_string(&e->tables, what_is(e, g, n->operand[0]));
  str_puts(&e->tables, ", ");
  put_string(&e->tables, node_where(e->program, n));
  str_puts(&e->tables, "};\n");
  vec_push(e->arena, &e->exchange_names, name);
  return name;
}

/* -------- extents, offsets, pointers of an entry -------- */

static const char *axes_word(Emit *e, const DimLayout *d) {
  Str s = str_new(e->arena);
  for (int i = 0; i < d->naxes; i++) str_printf(&s, "%s_", e->mesh->axis[d->axis[i]].name);
  return emit_identifier(e, s.at);
}

static const char *unique(Emit *e, const char *base) {
  const char *name = base;
  int k = emit_find(e, &e->used, base);
  for (int taken = k; taken; taken = emit_find(e, &e->used, name))
    name = arena_printf(e->arena, "%s_%d", base, k++);
  if (k) emit_keep(e, &e->used, base, k);
  emit_keep(e, &e->used, name, 2);
  return name;
}

static const char *named(Emit *e, const char *definition, const char *prefix, const char *suffix) {
  int had = emit_find(e, &e->extent_at, definition);
  if (had) return e->extents.at[had - 1].name;
  const char *name = unique(e, arena_printf(e->arena, "%s%d_%s", prefix, e->extents.n, suffix));
  str_line(&e->head, "const int64_t %s = %s;", name, definition);
  vec_push(e->arena, &e->extents, ((Table){definition, name}));
  emit_keep(e, &e->extent_at, definition, e->extents.n);
  return name;
}

const char *emit_extent(Emit *e, const DimLayout *d, int64_t n) {
  if (dim_even(e->mesh, d, n))
    return arena_printf(e->arena, "%ld", (long)dim_block_most(e->mesh, d, n));
  const char *t = dim_table(e, d, n);
  return named(e, arena_printf(e->arena, "dtrt_hi(dev, &%s) - dtrt_lo(dev, &%s)", t, t), "n",
               axes_word(e, d));
}

const char *emit_offset(Emit *e, const DimLayout *d, int64_t n) {
  if (!d->naxes && !d->window.of) return "0";
  return named(e, arena_printf(e->arena, "dtrt_lo(dev, &%s)", dim_table(e, d, n)), "from",
               axes_word(e, d));
}

const char *emit_count(Emit *e, const Node *n) {
  const char *c = "1";
  for (int d = 0; d < n->shape.rank; d++)
    c = emit_product(e, c, emit_extent(e, &n->layout->dim[d], n->shape.dim[d]));
  return c;
}

const char *emit_pointer(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id);
  int b = e->le->buffer[node_base(g, id)];
  const Buffer *buf = &e->le->buffers.at[b];
  Str decl = str_new(e->arena), type = str_new(e->arena);
  for (int d = 1; d < n->shape.rank; d++) {
    const char *len = emit_extent(e, &n->layout->dim[d], n->shape.dim[d]);
    str_printf(&type, "[%s]", is_number(len, 0) ? "1" : len);
  }
  const char *key = arena_printf(e->arena, "%d %s%s", b, dtype_c_name(n->dtype), type.at);
  int had = emit_find(e, &e->pointer_at, key);
  if (had) return e->pointers.at[had - 1];
  const Node *made = buf->node == NO_NODE ? n : graph_node(g, buf->node);
  const char *said = n->name ? n->name : made->name;
  const char *entry = arena_printf(e->arena, "%s.", e->le->entry->name);
  if (said && !strncmp(said, entry, strlen(entry))) said += strlen(entry);
  const char *name = unique(e, said ? emit_identifier(e, said) : arena_printf(e->arena, "t%d", id));
  bool rows = n->shape.rank > 1;
  str_printf(&decl, "%s %s%s%s%s = (void *)(dev->%s + %ld);", dtype_c_name(n->dtype),
             rows ? "(*const " : "*const ", name, rows ? ")" : "", rows ? type.at : "",
             buf->place == PLACE_VAR ? "vars" : "arena", (long)buf->offset);
  Str note = str_new(e->arena);
  str_printf(&note, "%s", dtype_name(n->dtype));
  shape_put(&note, &n->shape);
  str_printf(&note, " %s", layout_text(e->arena, e->mesh, n->layout));
  str_line(&e->body, "%s /* %s */", decl.at, note.at);
  vec_push(e->arena, &e->pointers, name);
  emit_keep(e, &e->pointer_at, key, e->pointers.n);
  return name;
}

/* -------- steps -------- */

static const char *global_name(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  return n->name ? n->name : arena_printf(e->arena, "%%%d", e->le->origin.at[id]);
}

/* The variable that a node is the new value of. */
static const char *assigned_name(Emit *e, NodeId id) {
  for (int i = 0; i < e->le->entry->assigns.n; i++)
    if (node_base(e->le->graph, e->le->assign[i]) == id)
      return e->program->vars.at[e->le->entry->assigns.at[i].var].path;
  return NULL;
}

/* What a step is, for comments, messages and profiles: "h = contract(x, model.d1.w)". */
static const char *step_text(Emit *e, const Step *s) {
  Str t = str_new(e->arena);
  for (int i = 0; i < s->nodes.n && i < 4; i++) {
    const Node *n = graph_node(e->le->graph, s->nodes.at[i]);
    const char *to = assigned_name(e, s->nodes.at[i]);
    str_printf(&t, "%s%s", i ? ", " : "", to ? to : global_name(e, s->nodes.at[i]));
    if (s->kind == STEP_EXCHANGE) continue;
    str_printf(&t, " %s %s(", to ? "<-" : "=", op_def(n->op)->name);
    for (int k = 0; k < n->noperands && k < 4; k++)
      str_printf(&t, "%s%s", k ? ", " : "", global_name(e, n->operand[k]));
    str_puts(&t, n->noperands > 4 ? ", ...)" : ")");
  }
  if (s->nodes.n > 4) str_printf(&t, " and %d more", s->nodes.n - 4);
  if (s->kind != STEP_EXCHANGE) return t.at;
  const Node *n = graph_node(e->le->graph, s->nodes.at[0]);
  Exchange x = exchange_of(e->program, graph_operand(e->le->graph, n, 0)->layout, n->layout,
                           &n->shape, n->dtype);
  Str axes = str_new(e->arena);
  for (int a = 0; a < e->mesh->naxes; a++)
    if (x.axes & 1u << a) str_printf(&axes, "%s%s", axes.n ? ", " : "", e->mesh->axis[a].name);
  return arena_printf(e->arena, axes.n ? "%s over %s: %s" : "%s%s: %s", exchange_name(x.kind),
                      axes.at, t.at);
}

static void emit_exchange(Emit *e, const Step *s) {
  const Graph *g = e->le->graph;
  const char **x = arena_array(e->arena, const char *, s->nodes.n),
             **from = arena_array(e->arena, const char *, s->nodes.n),
             **to = arena_array(e->arena, const char *, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i];
    x[i] = exchange_table(e, id);
    from[i] = emit_pointer(e, graph_node(g, id)->operand[0]);
    to[i] = emit_pointer(e, id);
  }
  if (s->nodes.n == 1) {
    str_line(&e->body, "dtrt_run_exchange(dev, &%s, %s, %s);", x[0], from[0], to[0]);
    return;
  }
  Str xs = str_new(e->arena), fs = str_new(e->arena), ts = str_new(e->arena);
  for (int i = 0; i < s->nodes.n; i++) {
    str_printf(&xs, "%s&%s", i ? ", " : "", x[i]);
    str_printf(&fs, "%s%s", i ? ", " : "", from[i]);
    str_printf(&ts, "%s%s", i ? ", " : "", to[i]);
  }
  str_line(&e->body, "dtrt_run_all_reduces(dev, %d, (const dtrt_exchange *const[]){%s},",
           s->nodes.n, xs.at);
  str_line(&e->body, "                     (const void *const[]){%s},", fs.at);
  str_line(&e->body, "                     (void *const[]){%s});", ts.at);
}

static void line_mark(Emit *e, Span at) {
  const Source *s = diag_source(e->program->diag, at.file);
  if (!e->options->line_marks || !s) return;
  int line, column;
  diag_locate(e->program->diag, at, &line, &column);
  str_printf(&e->body, "#line %d ", line);
  put_string(&e->body, s->name);
  str_puts(&e->body, "\n");
}

static void emit_product_of(Emit *e, NodeId id) {
  Op op = graph_node(e->le->graph, id)->op;
  if (op == OP_contract)
    emit_contract(e, id);
  else if (op == OP_conv || op == OP_conv_input || op == OP_conv_weight)
    emit_conv(e, id);
  else if (op == OP_order)
    emit_order(e, id);
  else
    emit_pool(e, id);
}

static void emit_step(Emit *e, const Step *s, int index) {
  const Graph *g = e->le->graph;
  Span at = graph_node(g, s->nodes.at[s->nodes.n - 1])->span;
  const char *where = node_where(e->program, graph_node(g, s->nodes.at[s->nodes.n - 1]));
  str_puts(&e->body, "\n");
  str_line(&e->body, "/* %s%s%s */", step_text(e, s), *where ? "    " : "", where);
  line_mark(e, at);
  str_line(&e->body, "dtrt_begin_step(dev, %d);", index);
  switch (s->kind) {
  case STEP_MAP: emit_map(e, s); break;
  case STEP_REDUCE:
    if (graph_node(g, s->nodes.at[0])->op == OP_cumsum)
      emit_cumsum(e, s->nodes.at[0]);
    else
      emit_reduce(e, s->nodes.at[0]);
    break;
  case STEP_CONTRACT: emit_product_of(e, s->nodes.at[0]); break;
  case STEP_SCATTER:
    if (graph_node(g, s->nodes.at[0])->op == OP_unpick)
      emit_unpick(e, s->nodes.at[0]);
    else
      emit_scatter(e, s->nodes.at[0]);
    break;
  case STEP_EXCHANGE: emit_exchange(e, s); break;
  }
}

/* -------- entries -------- */

static const char *buffer_address(Emit *e, const Buffer *b) {
  return arena_printf(e->arena, "dev->%s + %ld", b->place == PLACE_VAR ? "vars" : "arena",
                      (long)b->offset);
}

static void put_tensor(Emit *e, Str *s, const char *name, DType t, const Layout *l,
                       const Shape *shape, int64_t offset, int trainable, const char *dim_const,
                       Span at) {
  Shape local = layout_local(e->mesh, l, shape);
  str_puts(s, "    {");
  put_string(s, name);
  str_printf(s, ", %s, %d, &%s, %ld, %ld, %s, ", dtype_enum(e, t), trainable,
             layout_table(e, l, shape), (long)offset, (long)(shape_count(&local) * dtype_size(t)),
             dim_const);
  put_string(s, diag_where(e->program->diag, e->arena, at));
  str_puts(s, "},\n");
}

static void put_step(Emit *e, Str *out, const Step *s) {
  StepWork w = emit_work(e, s);
  const char *kind = w.exchange ? "EXCHANGE" : w.flops > 0 ? "PRODUCT" : "LOOP";
  str_puts(out, "    {");
  put_string(out, step_text(e, s));
  str_puts(out, ", ");
  put_string(out, node_where(e->program, graph_node(e->le->graph, s->nodes.at[s->nodes.n - 1])));
  str_printf(out, ", DTRT_STEP_%s, %.0f, %.0f},\n", kind, w.flops, w.bytes);
}

static void put_entry_tables(Emit *e, Str *out, const char *id) {
  const LocalEntry *le = e->le;
  const Entry *en = le->entry;
  Str in = str_new(e->arena), outs = str_new(e->arena);
  for (int i = 0; i < en->inputs.n; i++) {
    const Input *x = &en->inputs.at[i];
    const Node *n = graph_node(le->graph, le->input[i]);
    const char *consts = "0";
    if (n->shape.rank) {
      consts = arena_printf(e->arena, "%s_dims_%d", id, i);
      str_printf(out, "static const char *const %s[] = {", consts);
      for (int d = 0; d < n->shape.rank; d++) {
        if (d) str_puts(out, ", ");
        put_string(out, x->dim_const[d]);
      }
      str_puts(out, "};\n");
    }
    put_tensor(e, &in, x->name, n->dtype, n->layout, &n->shape,
               le->buffers.at[le->buffer[le->input[i]]].offset, 0, consts, n->span);
  }
  for (int i = 0; i < en->outputs.n; i++) {
    const Node *n = graph_node(le->graph, le->output[i]);
    put_tensor(e, &outs, en->outputs.at[i].name, n->dtype, n->layout, &n->shape,
               le->buffers.at[le->output_buffer[i]].offset, 0, "0", en->outputs.at[i].span);
  }
  if (en->inputs.n) str_printf(out, "static const dtrt_tensor %s_in[] = {\n%s};\n", id, in.at);
  if (en->outputs.n) str_printf(out, "static const dtrt_tensor %s_out[] = {\n%s};\n", id, outs.at);
  if (le->steps.n) {
    str_printf(out, "static const dtrt_step %s_steps[] = {\n", id);
    for (int t = 0; t < le->steps.n; t++) put_step(e, out, &le->steps.at[t]);
    str_puts(out, "};\n");
  }
}

static const char *emit_entry(Emit *e, const LocalEntry *le, Str *tables, Str *row) {
  const Entry *en = le->entry;
  const char *id = arena_printf(e->arena, "entry_%s", emit_identifier(e, en->name));
  e->le = le;
  e->head = str_new(e->arena), e->body = str_new(e->arena);
  e->head.indent = e->body.indent = 1;
  e->extents.n = e->pointers.n = 0;
  e->extent_at = e->pointer_at = e->used = (Lookup){0};
  for (int t = 0; t < le->steps.n; t++) emit_step(e, &le->steps.at[t], t);
  if (le->copies.n) {
    str_puts(&e->body, "\n");
    str_line(&e->body, "dtrt_begin_step(dev, %d);", le->steps.n);
  }
  for (int i = 0; i < le->copies.n; i++) {
    const Buffer *from = &le->buffers.at[le->copies.at[i].from],
                 *to = &le->buffers.at[le->copies.at[i].to];
    str_line(&e->body, "dtrt_copy(%s, %s, %ld);", buffer_address(e, to), buffer_address(e, from),
             (long)to->bytes);
  }
  const char *where = diag_where(e->program->diag, e->arena, en->span);
  str_printf(&e->entries,
             "/* entry %s%s%s */\nDTRT_ENTRY void %s(dtrt_device *dev) {\n  (void)dev;\n%s%s}\n\n",
             en->name, *where ? "    " : "", where, id, e->head.at, e->body.at);
  put_entry_tables(e, tables, id);
  str_puts(row, "    {");
  put_string(row, en->name);
  str_printf(row, ", %s, %d, %d, %d, %d, ", id, en->inputs.n, en->outputs.n, le->steps.n,
             en->assigns.n > 0);
  str_printf(row, en->inputs.n ? "%s_in, " : "0, ", id);
  str_printf(row, en->outputs.n ? "%s_out, " : "0, ", id);
  str_printf(row, le->steps.n ? "%s_steps, " : "0, ", id);
  str_printf(row, "%ld},\n", (long)le->arena_bytes);
  return id;
}

static void put_head(Emit *e, Str *out) {
  str_printf(out, "/* %s, made by dtgc from", e->options->name);
  for (int i = 0; i < e->program->diag->sources.n; i++)
    str_printf(out, "%s %s", i ? "," : "", e->program->diag->sources.at[i].name);
  str_puts(out, ".\n * ");
  if (e->mesh->naxes) {
    str_puts(out, "Mesh");
    for (int i = 0; i < e->mesh->naxes; i++)
      str_printf(out, "%s %s=%ld", i ? "," : "", e->mesh->axis[i].name,
                 (long)e->mesh->axis[i].size);
    str_puts(out, ": every device runs this on its own blocks. */\n");
  } else {
    str_puts(out, "For one device. */\n");
  }
  str_puts(out, "#include \"dtrt.h\"\n\n");
}

static void put_program(Emit *e, Str *out, const char *rows) {
  const Plan *p = e->plan;
  int naxes = e->mesh->naxes;
  if (naxes) {
    str_puts(out, "static const char *const axis_names[] = {");
    for (int i = 0; i < naxes; i++) {
      if (i) str_puts(out, ", ");
      put_string(out, e->mesh->axis[i].name);
    }
    str_puts(out, "};\nstatic const int32_t axis_sizes[] = {");
    for (int i = 0; i < naxes; i++)
      str_printf(out, "%s%ld", i ? ", " : "", (long)e->mesh->axis[i].size);
    str_puts(out, "};\n");
  }
  Str vars = str_new(e->arena);
  for (int i = 0; i < e->program->vars.n; i++) {
    const Var *v = &e->program->vars.at[i];
    put_tensor(e, &vars, v->path, v->dtype, v->layout, &v->shape, p->var_offset[i], v->trainable,
               "0", v->span);
  }
  str_puts(out, e->tables.at);
  e->tables = str_new(e->arena);
  if (e->program->vars.n)
    str_printf(out, "static const dtrt_tensor variables[] = {\n%s};\n", vars.at);
  if (e->exchange_names.n) {
    str_puts(out, "static const dtrt_exchange *const exchanges[] = {");
    for (int i = 0; i < e->exchange_names.n; i++)
      str_printf(out, "%s&%s", i == 0 ? "" : i % 6 ? ", " : ",\n    ", e->exchange_names.at[i]);
    str_puts(out, "};\n");
  }
  str_printf(out, "static const dtrt_entry entries[] = {\n%s};\n\n", rows);
  str_puts(
      out,
      "extern const dtrt_program dtg_program;\nconst dtrt_program dtg_program = {\n    DTRT_ABI, ");
  put_string(out, e->options->name);
  str_printf(out, ", %d, %s, %s, %d, %d, %d, %s, entries, %s, %ld,\n    ", naxes,
             naxes ? "axis_names" : "0", naxes ? "axis_sizes" : "0", e->program->vars.n,
             p->entries.n, e->exchange_names.n, e->program->vars.n ? "variables" : "0",
             e->exchange_names.n ? "exchanges" : "0", (long)p->vars_bytes);
  put_string(out, e->options->layouts);
  str_puts(out, "};\n");
}

void emit_c(Str *out, const Plan *plan, const EmitOptions *o) {
  Emit e = {.arena = plan->arena,
            .names = names_new(plan->arena),
            .plan = plan,
            .program = plan->program,
            .mesh = &plan->program->mesh,
            .options = o};
  e.tables = str_new(e.arena), e.loops = str_new(e.arena), e.entries = str_new(e.arena);
  Str tables = str_new(e.arena), rows = str_new(e.arena), program = str_new(e.arena);
  for (int i = 0; i < plan->entries.n; i++) emit_entry(&e, &plan->entries.at[i], &tables, &rows);
  Str early = e.tables;
  e.tables = str_new(e.arena);
  put_program(&e, &program, rows.at);
  put_head(&e, out);
  str_puts(out, early.at);
  str_puts(out, "\n");
  str_puts(out, e.loops.at);
  str_puts(out, e.entries.at);
  if (o->line_marks) str_puts(out, "#line 1 \"tables\"\n");
  str_puts(out, tables.at);
  str_puts(out, program.at);
}
