/* Values of the elaborator, the scopes that hold them, and their descriptions in messages. */
#include "elaborate.h"
#include <ctype.h>
#include <string.h>

const Value value_error = {.kind = V_ERROR}, value_none = {.kind = V_NONE};

Value value_int(int64_t i) { return (Value){.kind = V_INT, .i = i}; }
Value value_real(double r) { return (Value){.kind = V_REAL, .real = r}; }
Value value_bool(bool b) { return (Value){.kind = V_BOOL, .i = b}; }
Value value_text(const char *s) { return (Value){.kind = V_STRING, .text = s}; }
Value value_node(NodeId id) {
  return id == NO_NODE ? value_error : (Value){.kind = V_TENSOR, .node = id};
}

Value value_list(Elab *e, const Value *at, int n) {
  ValueList *l = arena_new_of(e->arena, ValueList);
  *l = (ValueList){arena_copy(e->arena, at, sizeof *at * (size_t)n), n};
  return (Value){.kind = V_LIST, .list = l};
}

bool list_fits(Elab *e, Span at, int64_t n) {
  if (n > 1000000) elab_fail(e, at, "this list has more than a million elements");
  return n <= 1000000;
}

Value value_type(Elab *e, DType t, const Shape *s) {
  Type *type = arena_new_of(e->arena, Type);
  *type = (Type){t, *s};
  return (Value){.kind = V_TYPE, .type = type};
}

bool value_number(const Value *v, double *out) {
  if (v->kind == V_INT) *out = (double)v->i;
  if (v->kind == V_REAL) *out = v->real;
  return v->kind == V_INT || v->kind == V_REAL;
}

bool value_same(const Value *a, const Value *b) {
  double x, y;
  if (a->kind == V_INT && b->kind == V_INT) return a->i == b->i;
  if (value_number(a, &x) && value_number(b, &y)) return x == y;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case V_NONE: return true;
  case V_BOOL: return a->i == b->i;
  case V_STRING: return !strcmp(a->text, b->text);
  case V_DTYPE: return a->dtype == b->dtype;
  case V_TYPE:
    return a->type->dtype == b->type->dtype && shape_equal(&a->type->shape, &b->type->shape);
  case V_VAR: return a->var == b->var;
  case V_ROW: return a->row == b->row;
  case V_FAMILY: return a->family == b->family;
  case V_INSTANCE: return a->instance == b->instance;
  case V_LAYER:
  case V_FN: return a->def->stmt == b->def->stmt;
  case V_METHOD:
    return a->method->stmt == b->method->stmt && a->method->instance == b->method->instance;
  case V_OP: return a->op == b->op;
  case V_MAKE: return a->make == b->make;
  case V_LIST:
    if (a->list->n != b->list->n) return false;
    for (int i = 0; i < a->list->n; i++)
      if (!value_same(&a->list->at[i], &b->list->at[i])) return false;
    return true;
  default: return false;
  }
}

const char *type_text(Elab *e, DType t, const Shape *s) {
  Str out = str_new(e->arena);
  str_puts(&out, dtype_name(t));
  shape_put(&out, s);
  return out.at;
}

static const char *list_text(Elab *e, const ValueList *l) {
  Str s = str_new(e->arena);
  str_puts(&s, "the list [");
  for (int i = 0; i < l->n; i++) {
    if (l->at[i].kind != V_INT || i == 8) return arena_printf(e->arena, "a list of %d", l->n);
    str_printf(&s, "%s%ld", i ? ", " : "", (long)l->at[i].i);
  }
  str_puts(&s, "]");
  return s.at;
}

const Stack *value_stack(const Value *v) {
  if (v->kind != V_INSTANCE || !v->instance->stack) return NULL;
  return v->instance->nrow == v->instance->stack->depth - 1 ? v->instance->stack : NULL;
}

const char *value_describe(Elab *e, const Value *v) {
  Arena *a = e->arena;
  switch (v->kind) {
  case V_ERROR: return "a mistake";
  case V_NONE: return "none";
  case V_INT: return arena_printf(a, "the number %ld", (long)v->i);
  case V_REAL: return arena_printf(a, "the number %g", v->real);
  case V_BOOL: return v->i ? "true" : "false";
  case V_STRING: return arena_printf(a, "the string \"%.60s\"", v->text);
  case V_LIST: return list_text(e, v->list);
  case V_DTYPE: return arena_printf(a, "the element type %s", dtype_name(v->dtype));
  case V_TYPE: return arena_printf(a, "the type %s", type_text(e, v->type->dtype, &v->type->shape));
  case V_TENSOR: {
    const Node *n = e->at ? graph_node(e->at->build.graph, v->node) : NULL;
    return n ? arena_printf(a, "a tensor %s", type_text(e, n->dtype, &n->shape)) : "a tensor";
  }
  case V_VAR: {
    const Var *var = &e->program->vars.at[v->var];
    return arena_printf(a, "the variable %s: %s", var->path, type_text(e, var->dtype, &var->shape));
  }
  case V_ROW:
    return arena_printf(a, "the variable %s of one layer", e->program->vars.at[v->row->var].path);
  case V_FAMILY: return arena_printf(a, "the variables %s[...]", v->family->path);
  case V_INSTANCE:
    return arena_printf(a, "%s (%s `%s`)", v->instance->path,
                        value_stack(v) ? "a stack of layers" : "a layer",
                        v->instance->def->stmt->name.text);
  case V_LAYER: return arena_printf(a, "the layer `%s`", v->def->stmt->name.text);
  case V_FN: return arena_printf(a, "the fn `%s`", v->def->stmt->name.text);
  case V_METHOD: return arena_printf(a, "the method `%s`", v->method->stmt->name.text);
  case V_OP: return arena_printf(a, "the builtin `%s`", v->op->name);
  case V_MAKE: return arena_printf(a, "the builtin `%s`", v->make);
  case V_GIVEN: return "what was given by name";
  case V_ENTRY: return arena_printf(a, "the entry `%s`", v->def->stmt->name.text);
  }
  return "?";
}

/* The variables that an instance itself has. */
static const char *its_variables(Elab *e, const Instance *in) {
  enum { MOST = 6 };
  const NameScope *s = &in->scope;
  Str out = str_new(e->arena);
  int n = 0;
  for (int i = 0; i < s->names.n; i++) {
    if (s->names.at[i]->value.kind != V_VAR) continue;
    if (n < MOST)
      str_printf(&out, "%s`%s.%s`", n ? ", " : "; its variables are ", in->path,
                 s->names.at[i]->name);
    n++;
  }
  if (n > MOST) str_puts(&out, ", ...");
  return n ? out.at : "";
}

const char *value_instead(Elab *e, const Value *v) {
  switch (v->kind) {
  case V_INSTANCE: return its_variables(e, v->instance);
  case V_FN:
    return arena_printf(e->arena, "; a call has a value: %s(...)", v->def->stmt->name.text);
  case V_METHOD:
    return arena_printf(e->arena, "; a call has a value: %s(...)", v->method->stmt->name.text);
  case V_OP: return arena_printf(e->arena, "; a call has a value: %s(...)", v->op->name);
  default: return "";
  }
}

Value elab_fail(Elab *e, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_error(e->diag, at, "%s", arena_vprintf(e->arena, fmt, ap));
  va_end(ap);
  return value_error;
}

/* -------- scopes -------- */

Binding *scope_find(const NameScope *s, const char *name) {
  for (int i = s->names.n; i-- > 0;)
    if (s->names.at[i]->name == name) return s->names.at[i];
  return NULL;
}

Binding *scope_bind(Elab *e, NameScope *s, Ident name, Value v) {
  Binding *b = scope_find(s, name.text);
  if (!b) {
    b = arena_new_of(e->arena, Binding);
    vec_push(e->arena, &s->names, b);
  }
  *b = (Binding){.name = name.text, .span = name.span, .value = v};
  return b;
}

void scope_drop(NameScope *s, const char *name) {
  int n = 0;
  for (int i = 0; i < s->names.n; i++)
    if (s->names.at[i]->name != name) s->names.at[n++] = s->names.at[i];
  s->names.n = n;
}

void near_offer(Near *n, const char *candidate) {
  const size_t len = strlen(n->want);
  /* Any letter is one edit from any other. */
  if (len == 1 && tolower((unsigned char)*n->want) != tolower((unsigned char)*candidate)) return;
  int most = len <= 3 ? 1 : 2;
  int d = str_distance(n->want, candidate, most);
  if (d > most || !d || (n->best && d >= n->distance)) return;
  n->best = candidate;
  n->distance = d;
}

const char *near_text(Elab *e, const Near *n) {
  return n->best ? arena_printf(e->arena, "; did you mean `%s`?", n->best) : "";
}

const char *path_join(Elab *e, const char *owner, const char *name) {
  if (!owner) return NULL;
  return *owner ? arena_printf(e->arena, "%s.%s", owner, name) : name;
}

bool path_below(const char *path, const char *top) {
  size_t n = strlen(top);
  return !strncmp(path, top, n) && (!path[n] || path[n] == '.' || path[n] == '[');
}
