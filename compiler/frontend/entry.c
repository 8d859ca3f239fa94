/* Builds one graph per entry: inputs, the body statement by statement, outputs, assignments.
 * Random calls get their keys here, from the entry, the path of the enclosing layer and their
 * ordinal there, so that an unrelated edit or another layout does not change them. */
#include "stack.h"
#include <string.h>

/* -------- random values -------- */

static const char *stream_path(Elab *e) {
  const Building *b = e->at;
  if (b->index == 0) return b->stream_path;
  const Frame *f = e->frame;
  while (f && !f->instance) f = f->up;
  return f ? arena_printf(e->arena, "%s/%s", b->entry.name, f->instance->path) : b->entry.name;
}

static uint64_t next_stream(void *user) {
  Elab *e = user;
  Building *b = e->at;
  const char *path = stream_path(e);
  const char *name = name_of(e->names, path, strlen(path));
  int count = lookup_get(&b->streams, name);
  lookup_put(&b->streams, e->arena, name, count + 1);
  b->drawn = count;
  return hash_bytes(path, strlen(path), (uint64_t)count);
}

/* Of the draw that next_stream gave a stream: the streams of a stack's rows. */
static NodeId row_stream(void *user) {
  Elab *e = user;
  if (e->at->index || !e->init_rows) return NO_NODE;
  stack_init_rows(e);
  return stack_stream(e, e->at->stream_path, (uint64_t)e->at->drawn);
}

/* The counter that every entry with random values moves on: i64[], 0 at first. */
static int step_variable(Elab *e) {
  if (e->step_var >= 0) return e->step_var;
  Type t = {.dtype = DT_I64};
  if (!elab_claim_path(e, "random.step", e->at->build.span)) e->stop = true;
  e->step_var = variable_add(e, "random.step", &t, false, (Span){0});
  Building *at = e->at;
  e->at = &e->init;
  variable_assign(e, e->step_var, value_int(0), (Span){0});
  e->at = at;
  return e->step_var;
}

static NodeId random_step(void *user) {
  Elab *e = user;
  if (e->at->index == 0) return region_random_step(e, build_const(&e->at->build, DT_I64, 0));
  e->at->random = true;
  return region_random_step(e, variable_read(e, step_variable(e), e->at->build.span));
}

static void remade(void *user, NodeId from, NodeId to) {
  Elab *e = user;
  int i = e->named.n - 1;
  while (i >= 0 && (e->named.at[i].kind != NAMED_NODE || e->named.at[i].index != from ||
                    e->named.at[i].entry != e->at->index))
    i--;
  if (i >= 0) entry_name_node(e, e->named.at[i].text, to);
}

/* -------- begin and end -------- */

void entry_begin(Elab *e, Building *b, const char *name, int index, Span span) {
  *b = (Building){.index = index, .run = NO_NODE};
  b->entry = (Entry){.name = name, .span = span, .graph = graph_new(e->arena, VIEW_GLOBAL, 0)};
  b->build = (Build){.arena = e->arena,
                     .diag = e->diag,
                     .graph = b->entry.graph,
                     .span = span,
                     .user = e,
                     .precision = index ? precision_of(e, NULL, 0) : 0,
                     .untyped = untyped_new(e->arena),
                     .stream = next_stream,
                     .row_stream = row_stream,
                     .step = random_step,
                     .remade = remade};
  tell_begin(b);
}

void entry_end(Elab *e, Building *b) {
  build_told(&b->build, b->told);
  for (int i = 0; i < b->assigns.n; i++) vec_push(e->arena, &b->entry.assigns, b->assigns.at[i]);
}

/* -------- names of tensors -------- */

void entry_name_node(Elab *e, const char *text, NodeId id) {
  if (!e->at || e->at->index == 0) return;
  Node *n = graph_node(e->at->build.graph, id);
  Named named = {.text = text, .kind = NAMED_NODE, .entry = e->at->index, .index = id};
  /* An alias of an input or a variable: annotations of it are annotations of that. */
  const int var = n->op == OP_var ? node_source(n) : region_variable_of(e, id);
  if (var >= 0)
    named.kind = NAMED_ALIAS_OF_VAR, named.index = var;
  else if (n->op != OP_input)
    n->name = text;
  vec_push(e->arena, &e->named, named);
}

/* -------- inputs -------- */

/* The const that an input's dim was written as, if it is one name. */
static const char *const_of(Elab *e, NameScope *s, const AstExpr *type, int rank, int dim) {
  if (type->kind != EX_INDEX || type->subs.n != rank) return NULL;
  const AstExpr *x = type->subs.at[dim].begin;
  if (!x || x->kind != EX_NAME) return NULL;
  for (; s; s = s->up)
    for (int i = 0; i < s->names.n; i++)
      if (s->names.at[i]->name == x->name.text)
        return s->names.at[i]->is_const ? x->name.text : NULL;
  for (int i = 0; i < e->modules.n; i++) {
    const Module *m = e->modules.at[i];
    const Binding *b = m->library ? NULL : scope_find(&m->scope, x->name.text);
    if (b && b->is_const) return x->name.text;
  }
  return NULL;
}

static void add_input(Elab *e, Building *b, NameScope *s, const Param *p, int index) {
  Type t;
  Value v = value_error;
  if (p->type && eval_type(e, s->up, p->type, &t)) {
    b->build.span = p->name.span;
    NodeId id = build_input(&b->build, t.dtype, &t.shape, p->name.text, index);
    Input in = {.name = p->name.text, .node = id};
    for (int d = 0; d < t.shape.rank; d++)
      in.dim_const[d] = const_of(e, s->up, p->type, t.shape.rank, d);
    vec_push(e->arena, &b->entry.inputs, in);
    const char *text = path_join(e, b->entry.name, p->name.text);
    Named named = {text, p->name.text, NAMED_INPUT, b->index, b->entry.inputs.n - 1, false};
    vec_push(e->arena, &e->named, named);
    if (p->on) says_here(e, text, p->on);
    v = value_node(id);
  }
  scope_bind(e, s, p->name, v)->given = true;
}

/* -------- outputs -------- */

static NodeId output_node(Elab *e, Value v, Span at) {
  Build *b = &e->at->build;
  b->span = at;
  if (v.kind == V_TENSOR) return v.node;
  if (v.kind == V_INT) return build_whole(b, DT_I64, v.i);
  if (v.kind == V_REAL) return build_const(b, DT_F32, v.real);
  if (v.kind == V_BOOL) return build_const(b, DT_BOOL, v.i ? 1 : 0);
  if (v.kind != V_ERROR)
    elab_fail(e, at, "an entry returns tensors, but this is %s", value_describe(e, &v));
  return NO_NODE;
}

static void add_output(Elab *e, Building *b, const AstGiven *g, int ordinal, NodeId id) {
  const char *name = g->name.text                ? g->name.text
                     : g->value->kind == EX_NAME ? g->value->name.text
                                                 : arena_printf(e->arena, "out%d", ordinal);
  Span at = g->name.text ? g->name.span : g->value->span;
  for (int i = 0; i < b->entry.outputs.n; i++)
    if (!strcmp(b->entry.outputs.at[i].name, name)) {
      elab_fail(e, at,
                "the entry has two outputs named `%s`; name one of them, as in `return %s, "
                "again = ...`",
                name, name);
      diag_note(e->diag, b->entry.outputs.at[i].span, "the first is here");
      return;
    }
  Output out = {.name = name, .node = id, .span = at};
  vec_push(e->arena, &b->entry.outputs, out);
  Named named = {path_join(e, b->entry.name, name),
                 NULL,
                 NAMED_OUTPUT,
                 b->index,
                 b->entry.outputs.n - 1,
                 false};
  vec_push(e->arena, &e->named, named);
}

void entry_return(Elab *e, NameScope *s, const Stmt *stmt) {
  for (int i = 0; i < stmt->given.n; i++) {
    const AstGiven *g = &stmt->given.at[i];
    Value v = eval_read(e, eval_expr(e, s, g->value), g->value->span);
    NodeId id = output_node(e, v, g->value->span);
    if (id == NO_NODE) continue;
    if (g->name.text) entry_name_node(e, path_join(e, e->at->entry.name, g->name.text), id);
    add_output(e, e->at, g, i, id);
  }
}

/* -------- the whole -------- */

static void warn_of_nothing(Elab *e, const Building *b, const Def *def) {
  if (b->entry.outputs.n || b->assigns.n || b->told != NO_NODE) return;
  diag_warning(e->diag, def->stmt->name.span,
               "the entry `%s` returns nothing and assigns no variable, so it computes nothing",
               def->stmt->name.text);
}

void entry_build(Elab *e, const Def *def) {
  Building b;
  NameScope s = {.up = &def->module->scope};
  entry_begin(e, &b, def->stmt->name.text, e->program->entries.n, def->stmt->name.span);
  for (int i = 0; i < def->stmt->params.n; i++) add_input(e, &b, &s, &def->stmt->params.at[i], i);
  e->at = &b;
  stmt_run(e, &s, &def->stmt->body, IN_ENTRY);
  if (!e->diag->errors) warn_of_nothing(e, &b, def);
  if (b.random) {
    Arg step = {.kind = ARG_TENSOR, .node = variable_read(e, e->step_var, b.build.span)};
    Arg one = {.kind = ARG_INT, .i = 1, .real = 1};
    Arg next = build_operator(&b.build, op_operator("+", 2), &step, &one);
    variable_assign(e, e->step_var, value_node(next.node), b.build.span);
  }
  entry_end(e, &b);
  e->at = NULL;
  vec_push(e->arena, &e->program->entries, b.entry);
}
