/* Variables: declared with a path, initialized in `init`, read and assigned in entries. Every
 * value that a variable has had in an entry is kept, so that grad finds the one its loss was
 * computed from. */
#include "stack.h"
#include <string.h>

bool elab_claim_path(Elab *e, const char *path, Span at) {
  const char *name = name_of(e->names, path, strlen(path));
  int had = lookup_get(&e->path_at, name);
  if (had) {
    elab_fail(e, at, "two definitions have the path `%s`", path);
    diag_note(e->diag, e->paths.at[had - 1].span, "the first is created here");
    return false;
  }
  vec_push(e->arena, &e->paths, ((Ident){name, at}));
  lookup_put(&e->path_at, e->arena, name, e->paths.n);
  return true;
}

/* -------- values over time -------- */

NodeVec *variable_versions(Elab *e, Building *b, int var) {
  if (var >= b->nversions) {
    int n = 2 * e->program->vars.n + 16;
    NodeVec *more = arena_array(e->arena, NodeVec, n);
    int *assigned = arena_array(e->arena, int, n);
    if (b->nversions) {
      memcpy(more, b->version, sizeof *more * (size_t)b->nversions);
      memcpy(assigned, b->assigned, sizeof *assigned * (size_t)b->nversions);
    }
    b->version = more;
    b->assigned = assigned;
    b->nversions = n;
  }
  return &b->version[var];
}

static NodeId read_all(Elab *e, int var, Span at) {
  NodeVec *v = variable_versions(e, e->at, var);
  if (!v->n) {
    /* In init every variable has its value from its declaration on. */
    if (e->at->index == 0) return NO_NODE;
    e->at->build.span = at;
    NodeId id = build_var(&e->at->build, &e->program->vars.at[var], var);
    if (id == NO_NODE) return id;
    vec_push(e->arena, v, id);
  }
  region_carry_variable(e, var, at);
  v = variable_versions(e, e->at, var);
  return v->at[v->n - 1];
}

NodeId variable_read_row(Elab *e, const LayerRow *row, Span at) {
  const NodeId all = read_all(e, row->var, at);
  e->at->build.span = at;
  return stack_row(e, all, row->n, row->at);
}

NodeId variable_read(Elab *e, int var, Span at) {
  /* In the initial values of a stack it is what one layer has of it. */
  const int own = e->at->index == 0 && e->init_rows ? stack_own(e, &e->program->vars.at[var]) : 0;
  return own ? variable_read_row(e, &(LayerRow){var, own, stack_init_rows(e)}, at)
             : read_all(e, var, at);
}

static void set_value(Elab *e, int var, NodeId id, Span at) {
  Building *b = e->at;
  b->writes++;
  if (b->open) read_all(e, var, at); /* what it is if the body does not run */
  NodeVec *v = variable_versions(e, b, var);
  vec_push(e->arena, v, id);
  if (b->assigned[var]) {
    b->assigns.at[b->assigned[var] - 1] = (Assign){var, id, at};
    return;
  }
  vec_push(e->arena, &b->assigns, ((Assign){var, id, at}));
  b->assigned[var] = b->assigns.n;
}

/* Which nodes the loss depends on, through what loops behind which it stands have made of what they
 * carry, too. */
static bool *reached_from(Elab *e, NodeId loss) {
  const Graph *g = e->at->build.graph;
  bool *seen = arena_array(e->arena, bool, g->nodes.n);
  NodeVec look = {0};
  vec_push(e->arena, &look, loss);
  while (look.n) {
    const NodeId i = look.at[--look.n];
    const Node *n = graph_node(g, i);
    if (seen[i]) continue;
    seen[i] = true;
    for (int k = 0; k < n->noperands; k++) vec_push(e->arena, &look, n->operand[k]);
    if (!op_is(n, OPF_CARRY)) continue;
    const Region *r = &e->at->entry.regions.at[node_attr(n, "region")];
    vec_push(e->arena, &look, r->carries.at[node_attr(n, "number")].next);
  }
  return seen;
}

NodeId variable_in_loss(Elab *e, int var, NodeId loss, Span at) {
  NodeVec *v = variable_versions(e, e->at, var);
  if (v->n < 2) return v->n ? v->at[0] : variable_read(e, var, at);
  bool *seen = reached_from(e, loss);
  /* The latest: an earlier one is reached through the later ones that were computed from it. */
  for (int i = v->n; i-- > 0;)
    if (seen[v->at[i]]) return v->at[i];
  return v->at[0];
}

/* -------- assigning -------- */

static NodeId spread(Elab *e, NodeId x, const Shape *s, Span at) {
  if (x == NO_NODE || s->rank == 0) return x;
  Arg dims = {
      .kind = ARG_LIST, .span = at, .at = arena_array(e->arena, Arg, s->rank), .n = s->rank};
  for (int i = 0; i < s->rank; i++)
    dims.at[i] = (Arg){.kind = ARG_INT, .span = at, .i = s->dim[i], .real = (double)s->dim[i]};
  Arg out = build_call(&e->at->build, op_find("broadcast"),
                       (Arg[]){{.kind = ARG_TENSOR, .node = x, .span = at}, dims});
  return out.node;
}

/* The value as a tensor of the variable's type, or of one layer's of a stack; NO_NODE after a
 * report. A scalar fills it, a list of numbers is one of its type. */
static NodeId fit(Elab *e, int var, const Type *own, Value v, Span at) {
  Var to = e->program->vars.at[var];
  if (own) to.shape = own->shape;
  Build *b = &e->at->build;
  Arg a;
  v = eval_read(e, v, at);
  if (v.kind == V_ERROR) return NO_NODE;
  b->span = at;
  if (v.kind == V_INT || v.kind == V_REAL || v.kind == V_BOOL) {
    builtin_arg(e, &v, at, &a);
    return spread(e, build_tensor(b, &a, to.dtype), &to.shape, at);
  }
  const char *wanted = type_text(e, to.dtype, &to.shape);
  if (v.kind != V_TENSOR && v.kind != V_LIST) {
    elab_fail(e, at, "`%s` is %s, but the value is %s", to.path, wanted, value_describe(e, &v));
    return NO_NODE;
  }
  if (!builtin_arg(e, &v, at, &a)) return NO_NODE;
  v.node = build_tensor(b, &a, to.dtype);
  if (v.node == NO_NODE) return NO_NODE;
  const Node *n = graph_node(b->graph, v.node);
  if (n->dtype == to.dtype && shape_equal(&n->shape, &to.shape)) return v.node;
  if (n->dtype == to.dtype && n->shape.rank == 0) return spread(e, v.node, &to.shape, at);
  elab_fail(e, at, "`%s` is %s, but the value is %s%s%s%s", to.path, wanted,
            type_text(e, n->dtype, &n->shape), n->dtype == to.dtype ? "" : "; cast with ",
            n->dtype == to.dtype ? "" : dtype_name(to.dtype), n->dtype == to.dtype ? "" : "(...)");
  diag_note(e->diag, to.span, "`%s` is declared here", to.path);
  return NO_NODE;
}

void variable_assign(Elab *e, int var, Value v, Span at) {
  NodeId id = fit(e, var, NULL, v, at);
  if (id != NO_NODE) set_value(e, var, id, at);
}

void variable_assign_row(Elab *e, const LayerRow *row, Value v, Span at) {
  Type own = {.dtype = e->program->vars.at[row->var].dtype};
  const Shape all = e->program->vars.at[row->var].shape;
  for (int d = row->n; d < all.rank; d++) own.shape.dim[own.shape.rank++] = all.dim[d];
  const NodeId id = fit(e, row->var, &own, v, at);
  if (id == NO_NODE) return;
  const NodeId was = read_all(e, row->var, at);
  const NodeId put = stack_put_row(e, was, row->n, row->at, id, at);
  if (put != NO_NODE) set_value(e, row->var, put, at);
}

/* -------- declaring -------- */

const char *variable_key(Elab *e, const Value *key, Span at) {
  if (key->kind == V_VAR) return e->program->vars.at[key->var].path;
  if (key->kind == V_INSTANCE) return key->instance->path;
  if (key->kind == V_INT) return arena_printf(e->arena, "%ld", (long)key->i);
  if (key->kind != V_ERROR)
    elab_fail(e, at, "a key is a variable, a layer instance or an integer, but this is %s",
              value_describe(e, key));
  return NULL;
}

int variable_add(Elab *e, const char *path, const Type *t, bool trainable, Span at) {
  Program *p = e->program;
  Var v = {.path = path, .dtype = t->dtype, .shape = t->shape, .trainable = trainable, .span = at};
  vec_push(p->arena, &p->vars, v);
  vec_push(e->arena, &e->named, ((Named){.text = path, .kind = NAMED_VAR, .index = p->vars.n - 1}));
  return p->vars.n - 1;
}

static void add_member(Elab *e, Family *f, const char *key, int var) {
  lookup_put(&f->members, e->arena, name_of(e->names, key, strlen(key)), var + 1);
}

/* Binds the name, or adds the key to the family of that name. */
static bool bind_variable(Elab *e, NameScope *s, const Stmt *stmt, const char *key, int var) {
  Binding *had = scope_find(s, stmt->name.text);
  Value v = {.kind = V_VAR, .var = var};
  if (key && had && had->value.kind == V_FAMILY) {
    add_member(e, had->value.family, key, var);
    return true;
  }
  if (had) {
    if (had->value.kind == V_ERROR) return false;
    elab_fail(e, stmt->name.span, "`%s` is already defined", stmt->name.text);
    diag_note(e->diag, had->span, "the first is here");
    return false;
  }
  if (key) {
    Family *f = arena_new_of(e->arena, Family);
    f->path = path_join(e, e->owner, stmt->name.text);
    add_member(e, f, key, var);
    v = (Value){.kind = V_FAMILY, .family = f};
  }
  scope_bind(e, s, stmt->name, v);
  return true;
}

/* normal(0, 0.1): the first argument is the shape, though the declaration says that already. */
static void note_shape_first(Elab *e, NameScope *s, const AstExpr *x) {
  if (x->kind != EX_CALL || x->x->kind != EX_NAME || !x->given.n || x->given.at[0].name.text) return;
  const AstExpr *first = x->given.at[0].value;
  const AstExpr *number = first->kind == EX_UNARY ? first->x : first;
  if (number->kind != EX_INT && number->kind != EX_REAL) return;
  const Value f = scope_lookup(e, s, x->x->name);
  const char *rest = f.kind == V_OP ? strchr(f.op->params, ',') : NULL;
  if (!rest || strncmp(f.op->params, "shape", 5)) return;
  if (strncmp(f.op->params, "shape=declared", 14)) {
    diag_note(e->diag, first->span, "the first argument of `%s` is the shape", f.op->name);
    return;
  }
  const bool only = !strncmp(rest, ", dtype", 7);
  const int name = only ? 0 : (int)strcspn(rest + 2, "=,");
  diag_note(e->diag, first->span,
            "the first argument of `%s` is the shape; without it, as in %s(%.*s%s), it is the declared one",
            f.op->name, f.op->name, name, rest + 2, only ? "" : "=...");
}

static void first_value(Elab *e, NameScope *s, const Stmt *stmt, int var, const Type *t) {
  const Type *declared = e->declared;
  e->at = &e->init;
  e->declared = t;
  e->init.stream_path = e->program->vars.at[var].path;
  if (e->stack) stack_rows_begin(e, stmt->span);
  Value v = eval_expr(e, s, stmt->value);
  NodeId id = fit(e, var, t, v, stmt->value->span);
  if (id == NO_NODE) note_shape_first(e, s, stmt->value);
  if (e->stack) {
    const Var *all = &e->program->vars.at[var];
    id = stack_rows_end(e, id, &(Type){all->dtype, all->shape}, stmt->value->span);
  }
  if (id != NO_NODE) set_value(e, var, id, stmt->span);
  e->declared = declared;
  e->at = NULL;
}

void variable_declare(Elab *e, NameScope *s, const Stmt *stmt) {
  Type t;
  const char *key = NULL, *path = path_join(e, e->owner, stmt->name.text);
  int key_var = -1;
  const char *word = stmt->kind == ST_PARAM ? "param" : "state";
  const char *base = e->base;
  bool ok = true;
  e->base = NULL;
  if (stmt->key) {
    Value v = eval_expr(e, s, stmt->key);
    key = variable_key(e, &v, stmt->key->span);
    if (v.kind == V_VAR) key_var = v.var;
    if (key) path = arena_printf(e->arena, "%s[%s]", path, key);
    ok = key;
  }
  if (!eval_type(e, s, stmt->type, &t)) ok = false;
  if (ok && stmt->kind == ST_PARAM && (!dtype_is_float(t.dtype) || dtype_is_stored(t.dtype))) {
    elab_fail(e, stmt->type->span,
              "a param is trained by gradients, so its type is a floating-point one to compute in, not %s; a "
              "`state` may be any",
              dtype_name(t.dtype));
    ok = false;
  }
  if (!stmt->value) {
    elab_fail(e, stmt->span, "the %s `%s` requires an initial value, as in `= zeros()`", word,
              stmt->name.text);
    ok = false;
  }
  int var = -1;
  Type all;
  if (ok && stack_type(e, &t, stmt->type->span, &all) &&
      elab_claim_path(e, path, stmt->name.span)) {
    var = variable_add(e, path, &all, stmt->kind == ST_PARAM, stmt->span);
    e->program->vars.at[var].stacked = e->stack ? e->stack->depth : 0;
    e->program->vars.at[var].key = key_var + 1;
    const SpecExpr *named = stmt->spec ? spec_named(e, s, stmt->spec) : NULL;
    if (named) says_here(e, path, named);
    first_value(e, s, stmt, var, &t);
    ok = bind_variable(e, s, stmt, key, var);
  } else if (!scope_find(s, stmt->name.text)) {
    scope_bind(e, s, stmt->name, value_error);
  }
  e->base = base;
}
