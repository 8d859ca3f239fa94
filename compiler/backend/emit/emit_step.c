/* A step as C: pointers to what it reads and stores, and the calls. What a like step would be given
 * otherwise is a mark in the text, until emit_entry.c knows which function the step stands in. */
#include "emit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- marks -------- */

static const char *mark(Emit *e, char kind, int number) {
  return arena_printf(e->arena, "%c%d%c", kind, number, MARK_END);
}

/* Given to the step being written; declared in it where it is first asked for. */
static const char *give(Emit *e, int number) {
  Given *g = &e->givens.at[number];
  if (g->step != e->step) {
    g->step = e->step;
    vec_push(e->arena, &e->step->given, number);
    if (g->before) str_puts(e->tile ? &e->before : &e->body, mark(e, MARK_DECLARE, number));
  }
  return mark(e, MARK_GIVEN, number);
}

static int add_given(Emit *e, const char *key, Given g) {
  vec_push(e->arena, &e->givens, g);
  emit_keep(e, &e->given_at, key, e->givens.n);
  return e->givens.n - 1;
}

const char *emit_number(Emit *e, uint64_t value) {
  const char *key = arena_printf(e->arena, "%lx", (unsigned long)value);
  int had = emit_find(e, &e->given_at, key);
  return give(e, had ? had - 1 : add_given(e, key, (Given){.value = (int64_t)value}));
}

/* -------- extents, offsets, pointers -------- */

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
  if (had) return mark(e, MARK_EXTENT, had - 1);
  const char *name = unique(e, arena_printf(e->arena, "%s%d_%s", prefix, e->extents.n, suffix));
  vec_push(e->arena, &e->extents, ((Table){definition, name}));
  emit_keep(e, &e->extent_at, definition, e->extents.n);
  return mark(e, MARK_EXTENT, e->extents.n - 1);
}

const char *emit_extent(Emit *e, const DimLayout *d, int64_t n) {
  if (dim_even(e->mesh, d, n))
    return arena_printf(e->arena, "%ld", (long)dim_block_most(e->mesh, d, n));
  const char *t = emit_dim(e, d, n);
  return named(e, arena_printf(e->arena, "dtrt_hi(dev, &%s) - dtrt_lo(dev, &%s)", t, t), "n",
               axes_word(e, d));
}

const char *emit_offset(Emit *e, const DimLayout *d, int64_t n) {
  if (!d->naxes && !d->window.of) return "0";
  return named(e, arena_printf(e->arena, "dtrt_lo(dev, &%s)", emit_dim(e, d, n)), "from",
               axes_word(e, d));
}

const char *emit_count(Emit *e, const Node *n) {
  const char *c = "1";
  for (int d = 0; d < n->shape.rank; d++)
    c = emit_product(e, c, emit_extent(e, &n->layout->dim[d], n->shape.dim[d]));
  return c;
}

/* Which input of the entry a node is that stays with the host, or -1. */
static int lent_input(const LocalEntry *le, NodeId base) {
  if (graph_node(le->graph, base)->op != OP_input) return -1;
  for (int i = 0; i < le->entry->inputs.n; i++)
    if (le->input[i] == base) return le->lent[i] != NOT_LENT ? i : -1;
  return -1;
}

const char *emit_pointer(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id);
  int b = e->le->buffer[node_base(g, id)], lent = lent_input(e->le, node_base(g, id));
  const Buffer *buf = &e->le->buffers.at[b];
  Str type = str_new(e->arena);
  for (int d = 1; d < n->shape.rank; d++) {
    const char *len = emit_room(e, n, d);
    str_printf(&type, "[%s]", is_number(len, 0) ? "1" : len);
  }
  const char *key = arena_printf(e->arena, "%d%s %s%s", b, lent < 0 ? "" : " lent",
                                 dtype_c_name(n->dtype), type.at);
  int had = emit_find(e, &e->given_at, key);
  if (had) return give(e, had - 1);
  const Node *made = buf->node == NO_NODE ? n : graph_node(g, buf->node);
  const char *said = n->name ? n->name : made->name;
  const char *entry = arena_printf(e->arena, "%s.", e->le->entry->name);
  if (said && !strncmp(said, entry, strlen(entry))) said += strlen(entry);
  const char *name = unique(e, said ? emit_identifier(e, said) : arena_printf(e->arena, "t%d", id));
  bool rows = n->shape.rank > 1;
  Str note = str_new(e->arena);
  str_printf(&note, "%s", dtype_name(n->dtype));
  shape_put(&note, &n->shape);
  str_printf(&note, " %s", layout_text(e->arena, e->mesh, n->layout));
  Given made_known = {.before = arena_printf(e->arena, "%s %s", dtype_c_name(n->dtype),
                                             rows ? "(*const " : "*const "),
                      .after = arena_printf(e->arena, "%s%s", rows ? ")" : "", rows ? type.at : ""),
                      .base = lent >= 0                 ? "dev->in["
                              : buf->place == PLACE_VAR ? "(dev->vars + "
                                                        : "(dev->arena + ",
                      .short_name = emit_short_name(e, n),
                      .end = lent >= 0 ? "]" : ")",
                      .name = name,
                      .note = note.at,
                      .value = lent >= 0 ? lent : buf->offset};
  return give(e, add_given(e, key, made_known));
}

const char *emit_partial(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  const int b = e->le->scratch[id];
  if (b < 0) {
    fprintf(stderr, "dtgc: bug: the partial sums of %s have no memory\n", n->op->name);
    abort();
  }
  const char *key = arena_printf(e->arena, "%d partial", b), *stride = "1";
  const int had = emit_find(e, &e->given_at, key);
  const char *to = e->assigned[id] ? e->assigned[id] : n->name ? n->name : "";
  const char *type = op_class(n) == OPC_PRODUCT ? "double" : dtype_c_name(n->dtype);
  Given partial = {.before = arena_printf(e->arena, "%s *const ", type),
                   .after = "",
                   .base = "(dev->arena + ",
                   .short_name = "partial",
                   .end = ")",
                   .note = "partial sums",
                   .value = e->le->buffers.at[b].offset};
  if (!had)
    partial.name =
        unique(e, *to ? arena_printf(e->arena, "partial_%s", emit_identifier(e, to)) : "partial");
  Str s = str_new(e->arena);
  str_puts(&s, give(e, had ? had - 1 : add_given(e, key, partial)));
  for (int d = n->shape.rank - 1; d >= 0; d--) {
    const char *at = emit_at(e, n, d);
    if (!is_number(at, 0))
      str_printf(&s, is_number(stride, 1) ? " + %s" : " + %s * %s", at, stride);
    stride = emit_product(e, stride, emit_room(e, n, d));
  }
  return s.at;
}

/* -------- exchanges -------- */

static const char *what_is(Emit *e, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  return n->name ? n->name : arena_printf(e->arena, "%s", n->op->name);
}

/* Writes the table of an exchange; its mark. */
static const char *exchange_table(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  Exchange ex = exchange_of(e->program, x->layout, n->layout, &n->shape, n->dtype);
  const char *from = emit_layout(e, x->layout, &n->shape),
             *to = emit_layout(e, n->layout, &n->shape);
  int number = e->exchanges.n;
  const char *what = arena_printf(e->arena, "%s, %s, 0x%x, &%s, &%s", emit_kind(ex.kind),
                                  emit_dtype(e, n->dtype), ex.axes, from, to);
  str_printf(&e->tables, "static const dtrt_exchange exchange_%d = {%d, %s,\n    ", number, number,
             what);
  emit_string(&e->tables, what_is(e, g, n->operand[0]));
  str_puts(&e->tables, ", ");
  emit_string(&e->tables, node_where(e->program, n));
  str_printf(&e->tables, ", %lld, %lld, %lld};\n", (long long)ex.bytes, (long long)ex.senders,
             (long long)ex.run);
  vec_push(e->arena, &e->exchanges, what);
  return mark(e, MARK_EXCHANGE, number);
}

/* -------- steps -------- */

static const char *global_name(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  if (n->name) return n->name;
  return node_text(e->program, e->le->entry->graph, e->le->origin.at[id], e->arena);
}

/* What a step is, for comments, messages and profiles: "h = contract(x, model.d1.w)". */
static const char *step_text(Emit *e, const Step *s) {
  bool exchanges = s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT;
  Str t = str_new(e->arena);
  for (int i = 0; i < s->nodes.n && i < 4; i++) {
    const Node *n = graph_node(e->le->graph, s->nodes.at[i]);
    const char *to = e->assigned[s->nodes.at[i]];
    str_puts(&t, i ? ", " : "");
    if (exchanges || to || n->name) str_puts(&t, to ? to : global_name(e, s->nodes.at[i]));
    if (exchanges) continue;
    str_printf(&t, "%s%s(", to ? " <- " : n->name ? " = " : "", n->op->name);
    for (int k = 0; k < n->noperands && k < 4; k++)
      str_printf(&t, "%s%s", k ? ", " : "", global_name(e, n->operand[k]));
    str_puts(&t, n->noperands > 4 ? ", ...)" : ")");
  }
  if (s->nodes.n > 4) str_printf(&t, " and %d more", s->nodes.n - 4);
  if (!exchanges) return t.at;
  const Node *n = graph_node(e->le->graph, s->nodes.at[0]);
  Exchange x = exchange_of(e->program, graph_operand(e->le->graph, n, 0)->layout, n->layout,
                           &n->shape, n->dtype);
  Str axes = str_new(e->arena);
  for (int a = 0; a < e->mesh->naxes; a++)
    if (x.axes & 1u << a) str_printf(&axes, "%s%s", axes.n ? ", " : "", e->mesh->axis[a].name);
  const char *part = s->kind == STEP_WAIT ? "wait for " : s->flight ? "start of " : "";
  return arena_printf(e->arena, axes.n ? "%s%s over %s: %s" : "%s%s%s: %s", part,
                      exchange_name(x.kind), axes.at, t.at);
}

static void put_list(Emit *e, const char *const *word, int n) {
  for (int i = 0; i < n; i++) str_printf(&e->body, "%s%s", i ? ", " : "", word[i]);
}

/* In place of an exchange that is left out: what an earlier value left there may be right by
 * chance. A sum in the place of its addends stays the device's own. */
static void spoil(Emit *e, NodeId id) {
  const LocalEntry *le = e->le;
  int to = le->buffer[id];
  if (to == le->buffer[node_base(le->graph, graph_node(le->graph, id)->operand[0])]) return;
  const char *at = emit_pointer(e, id);
  str_line(&e->body, "for (int64_t i = 0; i < %ld; i++) ((char *)%s)[i] = 0x7f;",
           (long)le->buffers.at[to].bytes, at);
}

static void emit_exchange(Emit *e, const Step *s) {
  const Graph *g = e->le->graph;
  int n = 0;
  const char **x = arena_array(e->arena, const char *, s->nodes.n),
             **from = arena_array(e->arena, const char *, s->nodes.n),
             **to = arena_array(e->arena, const char *, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i];
    if (emit_is_dropped(e, id)) {
      spoil(e, id);
      continue;
    }
    x[n] = exchange_table(e, id);
    from[n] = emit_pointer(e, graph_node(g, id)->operand[0]);
    to[n++] = emit_pointer(e, id);
  }
  if (n == 0) return;
  const char *call = arena_printf(
      e->arena, s->flight ? "dtrt_start_exchange%s(dev, %d, " : "dtrt_run_exchange%s(dev, ",
      n > 1 ? "s" : "", s->flight);
  if (n == 1) {
    str_line(&e->body, "%s%s, %s, %s);", call, x[0], from[0], to[0]);
    return;
  }
  int indent = (int)(strchr(call, '(') - call) + 3;
  str_printf(&e->body, "  %s%d, (const dtrt_exchange *const[]){", call, n);
  put_list(e, x, n);
  str_printf(&e->body, "},\n%*s(const void *const[]){", indent, "");
  put_list(e, from, n);
  str_printf(&e->body, "},\n%*s(void *const[]){", indent, "");
  put_list(e, to, n);
  str_puts(&e->body, "});\n");
}

static void emit_wait(Emit *e, const Step *s) {
  bool any = false;
  for (int i = 0; i < s->nodes.n; i++) any = any || !emit_is_dropped(e, s->nodes.at[i]);
  if (any) str_line(&e->body, "dtrt_wait_exchange(dev, %d);", s->flight);
}

static void emit_kernel(Emit *e, NodeId id, const Epilogue *epilogue) {
  bool took = false;
  const LoopSite site = emit_site(e);
  LoopFunction f;
  switch (op_class(graph_node(e->le->graph, id))) {
  case OPC_PRODUCT: took = emit_contract(e, id, epilogue); break;
  case OPC_CONVOLUTION: took = emit_conv(e, id, epilogue); break;
  case OPC_SORT: emit_order(e, id); break;
  default: loop_of_pool(&site, id, &f), emit_loop(e, &f); break;
  }
  if (epilogue && !took) str_line(&e->body, "%s;", epilogue->call);
}

void emit_calls(Emit *e, const Step *s, const Epilogue *epilogue) {
  const LoopSite site = emit_site(e);
  LoopFunction f;
  switch (s->kind) {
  case STEP_MAP:
  case STEP_REDUCE:
  case STEP_SCATTER: loop_of(&site, s, &f), emit_loop(e, &f); break;
  case STEP_CONTRACT: emit_kernel(e, s->nodes.at[0], epilogue); break;
  case STEP_EXCHANGE: emit_exchange(e, s); break;
  case STEP_TILES: emit_tiles(e, s); break;
  case STEP_WAIT: emit_wait(e, s); break;
  }
}

/* -------- like steps -------- */

/* The code with what is given replaced by what kind of thing it is: like steps have equal keys. The
 * line is part of it, so that a debugger's line is right in all of them. */
static int key_of(Emit *e, const StepText *t) {
  Str key = str_new(e->arena);
  str_printf(&key, "%u:%u ", t->at.file, t->at.begin);
  for (const char *c = t->code; *c; c++) {
    if (*c < MARK_GIVEN || *c > MARK_EXCHANGE) {
      str_put(&key, c, 1);
      continue;
    }
    char kind = *c;
    int number = mark_number(&c);
    if (kind == MARK_EXCHANGE) {
      str_puts(&key, e->exchanges.at[number]);
      continue;
    }
    const Given *g = &e->givens.at[number];
    str_printf(&key, "%c%d", kind, step_given(t, number));
    if (kind == MARK_DECLARE) str_printf(&key, "%s|%s|%s", g->before, g->after, g->base);
  }
  int had = emit_find(e, &e->key_at, key.at);
  if (had) return had - 1;
  emit_keep(e, &e->key_at, key.at, ++e->nkeys);
  return e->nkeys - 1;
}

void emit_step(Emit *e, const Step *s, StepText *out) {
  const Node *last = graph_node(e->le->graph, s->nodes.at[s->nodes.n - 1]);
  *out = (StepText){.what = step_text(e, s),
                    .where = node_where(e->program, last),
                    .at = last->span,
                    .exchange = e->exchanges.n};
  e->step = out;
  e->body = str_new(e->arena);
  e->body.indent = 1;
  emit_calls(e, s, NULL);
  out->code = e->body.at;
  out->key = key_of(e, out);
}
