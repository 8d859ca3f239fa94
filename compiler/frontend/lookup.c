/* What a name stands for: through the scopes, the imports and the builtins. A constant is evaluated
 * when it is first asked for. */
#include "elaborate.h"
#include "foreign.h"
#include <string.h>

static void near_scope(Near *n, const NameScope *s) {
  for (int i = 0; i < s->names.n; i++) near_offer(n, s->names.at[i]->name);
}

/* What a scope binds, but for entries: only the host calls those, so they hide nothing. */
static Binding *find_value(const NameScope *s, Ident name, Binding **entry) {
  Binding *b = scope_find(s, name.text);
  if (!b || b->value.kind != V_ENTRY) return b;
  *entry = b;
  return NULL;
}

/* Own names first, then those of imports, and of their imports. */
static Binding *find_imported(Elab *e, Module *m, Ident name, Binding *found, Binding **entry) {
  if (m->seen) return found;
  m->seen = true;
  Binding *b = find_value(&m->scope, name, entry);
  if (b && found && found != b) {
    if (found->span.file != b->span.file || found->span.begin != b->span.begin) {
      elab_fail(e, name.span, "`%s` is defined by two imported files", name.text);
      diag_note(e->diag, found->span, "here");
      diag_note(e->diag, b->span, "and here");
    }
    return found;
  }
  if (b) return b;
  for (int i = 0; i < m->imports.n; i++)
    found = find_imported(e, m->imports.at[i], name, found, entry);
  return found;
}

static void near_modules(Elab *e, Near *n) {
  for (int i = 0; i < e->modules.n; i++)
    if (e->modules.at[i]->seen) near_scope(n, &e->modules.at[i]->scope);
}

static Value evaluate_const(Elab *e, Binding *b) {
  if (!b->lazy) return b->value;
  if (b->evaluating) {
    b->lazy = NULL;
    b->value = value_error;
    return elab_fail(e, b->span, "`%s` is defined in terms of itself", b->name);
  }
  b->evaluating = true;
  Building *at = e->at;
  const char *base = e->base;
  const Type *declared = e->declared;
  e->at = NULL, e->base = NULL, e->declared = NULL;
  Value v = eval_expr(e, &b->lazy_in->scope, b->lazy->value);
  e->at = at, e->base = base, e->declared = declared;
  b->evaluating = false;
  if (b->lazy) b->value = v;
  b->lazy = NULL;
  return b->value;
}

/* Whether the name was reported elsewhere, or a statement that was would have bound it. The same
 * place is reported again: a loop may be elaborated several times, and its messages be shown of the
 * last. */
static bool told_elsewhere(const Elab *e, Ident name) {
  bool told = false;
  for (int i = 0; e->diag->errors && i < e->failed.n; i++) {
    const Ident f = e->failed.at[i];
    if (f.text == name.text && f.span.file == name.span.file && f.span.begin == name.span.begin)
      return false;
    told = told || f.text == name.text;
  }
  return told;
}

static Value unknown_name(Elab *e, NameScope *s, Ident name) {
  Near near = {.want = name.text};
  if (told_elsewhere(e, name)) return value_error;
  vec_push(e->arena, &e->failed, name);
  for (; s; s = s->up) near_scope(&near, s);
  near_modules(e, &near);
  builtin_near(&near);
  if (!strcmp(name.text, "declared"))
    return elab_fail(
        e, name.span,
        "`declared` is the variable being initialized; no variable is initialized here");
  for (int i = 0; i < e->ended.n; i++)
    if (e->ended.at[i].text == name.text) {
      elab_fail(e, name.span,
                "`%s` ends with the body that binds it: bind it before the loop or the branch, too",
                name.text);
      diag_note(e->diag, e->ended.at[i].span, "it is bound here");
      return value_error;
    }
  const char *module = builtin_shipped(name.text);
  if (module)
    return elab_fail(e, name.span, "unknown name `%s`; it is in the library: import \"%s\"",
                     name.text, module);
  /* Of words with two meanings, as `var`, an expression has the function. */
  const char *foreign = foreign_name(name.text), *instead = foreign ? NULL : op_instead(name.text);
  if (!foreign && !instead) foreign = foreign_statement(name.text);
  if (foreign) return elab_fail(e, name.span, "unknown name `%s`: %s", name.text, foreign);
  if (instead)
    return elab_fail(e, name.span, "unknown name `%s`; write it as in `%s`", name.text, instead);
  return elab_fail(e, name.span, "unknown name `%s`%s", name.text, near_text(e, &near));
}

static Binding *find_bound(Elab *e, const NameScope *s, Ident name) {
  Binding *b = NULL, *entry = NULL;
  for (int i = 0; i < e->modules.n; i++) e->modules.at[i]->seen = false;
  for (; s && !b; s = s->up) {
    b = find_value(s, name, &entry);
    if (!b && s->module) b = find_imported(e, s->module, name, NULL, &entry);
  }
  return b ? b : entry;
}

/* What dtg has for the last name of np.linalg.inv. */
static const char *without_module(Elab *e, const char *name) {
  Value v;
  const char *instead = op_instead(name), *library = builtin_shipped(name), *foreign;
  if (builtin_find(name, &v) && v.kind == V_OP && v.op->params)
    return arena_printf(e->arena, "operations have no module: write %s(%s)", name, v.op->params);
  if (builtin_find(name, &v)) return arena_printf(e->arena, "write `%s`", name);
  if (library)
    return arena_printf(e->arena, "`%s` is in the library: import \"%s\"", name, library);
  if (instead)
    return arena_printf(e->arena, "operations have no module; write it as in `%s`", instead);
  foreign = foreign_name(name);
  return foreign ? foreign : FOREIGN_MODULE;
}

bool lookup_module(Elab *e, NameScope *s, const AstExpr *x) {
  const AstExpr *root = x;
  while (root->kind == EX_FIELD) root = root->x;
  if (root->kind != EX_NAME || !foreign_module(root->name.text)) return false;
  if (find_bound(e, s, root->name)) return false;
  const char *text = diag_source(e->diag, x->span.file)->text + x->span.begin;
  elab_fail(e, x->span, "unknown name `%.*s`: %s", (int)(x->span.end - x->span.begin), text,
            without_module(e, x->name.text));
  return true;
}

Value scope_lookup(Elab *e, NameScope *s, Ident name) {
  Value v;
  Binding *b = find_bound(e, s, name);
  if (b && b->value.kind == V_ENTRY && builtin_find(name.text, &v)) return v;
  if (b) return evaluate_const(e, b);
  if (e->declared && !strcmp(name.text, "declared"))
    return value_type(e, e->declared->dtype, &e->declared->shape);
  if (builtin_find(name.text, &v)) return v;
  return unknown_name(e, s, name);
}

bool lookup_known(Elab *e, const NameScope *s, Ident name) { return find_bound(e, s, name); }

void lookup_note(Elab *e, const NameScope *s, const AstExpr *x, const char *how) {
  if (x->kind != EX_NAME) return;
  const Binding *b = find_bound(e, s, x->name);
  if (b && !b->given) diag_note(e->diag, b->span, "`%s` is %s", b->name, how);
}

static const Binding *value_of(Elab *e, const NameScope *s, const AstExpr *x) {
  const Binding *b = x->kind == EX_NAME ? find_bound(e, s, x->name) : NULL;
  return b && b->value_of ? b : NULL;
}

bool lookup_value_of(Elab *e, const NameScope *s, const AstExpr *x) { return value_of(e, s, x); }

void lookup_note_value(Elab *e, const NameScope *s, const AstExpr *x) {
  const Binding *b = value_of(e, s, x);
  if (!b) return;
  const char *text = diag_source(e->diag, b->as.file)->text + b->as.begin;
  diag_note(e->diag, b->as, "`%s` is the value of %s, bound here; the variable is `%.*s`", b->name,
            b->value_of, (int)(b->as.end - b->as.begin), text);
}
