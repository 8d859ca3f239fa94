/* Calls: matches arguments with parameters, expands the bodies of fns and methods in place, and
 * creates instances of layers. Fns may call themselves up to a depth; other recursion is reported
 * with its chain. */
#include "stack.h"
#include <string.h>

enum { DEEPEST_RECURSION = 100 }; /* of one fn */

/* -------- matching -------- */

static const char *formal_list(Elab *e, const Formal *f, int n) {
  Str s = str_new(e->arena);
  for (int i = 0; i < n; i++)
    str_printf(&s, "%s%s%s", i ? ", " : "", f[i].name,
               f[i].rest       ? "..."
               : f[i].required ? ""
                               : "=");
  return s.at;
}

/* How the callee is declared: a note where that is in a text, else the end of the message. */
static const char *signature_text(Elab *e, const char *label, const char *signature,
                                  Span declared_at) {
  return declared_at.file ? "" : arena_printf(e->arena, "; it is %s(%s)", label, signature);
}

static bool note_signature(Elab *e, const char *label, const char *signature, Span declared_at) {
  if (declared_at.file) diag_note(e->diag, declared_at, "declared here: %s(%s)", label, signature);
  return false;
}

static int find_formal(const Formal *f, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(f[i].name, name)) return i;
  return -1;
}

static bool bind_keyword(Elab *e, const char *label, const Formal *f, int n, const Actual *a,
                         int index, int *which, const char *tail) {
  int i = find_formal(f, n, a->name.text);
  if (i < 0 || f[i].rest) {
    Near near = {.want = a->name.text};
    for (int k = 0; k < n; k++) near_offer(&near, f[k].name);
    elab_fail(e, a->name.span, "`%s` has no parameter `%s`%s%s", label, a->name.text,
              near_text(e, &near), near.best ? "" : tail);
    return false;
  }
  if (which[i] >= 0) {
    elab_fail(e, a->name.span, "`%s` is given twice%s", a->name.text, tail);
    return false;
  }
  which[i] = index;
  return true;
}

bool call_bind(Elab *e, Span call, const char *label, const char *signature, Span declared_at,
               const Formal *f, int n, const Actual *a, int na, int *which, int *rest_from) {
  int next = 0;
  bool named = false;
  *rest_from = na;
  if (!signature) signature = formal_list(e, f, n);
  const char *tail = signature_text(e, label, signature, declared_at);
  for (int i = 0; i < n; i++) which[i] = -1;
  for (int i = 0; i < na; i++) {
    if (a[i].name.text) {
      named = true;
      if (!bind_keyword(e, label, f, n, &a[i], i, which, tail))
        return note_signature(e, label, signature, declared_at);
      continue;
    }
    if (named) {
      elab_fail(e, a[i].span, "an argument by position cannot follow one by name");
      return false;
    }
    if (next < n && f[next].rest) {
      if (*rest_from == na) *rest_from = i;
      continue;
    }
    if (next == n) {
      const char *example = declared_at.file || n == 1 ? NULL : builtin_example(label);
      elab_fail(e, a[i].span, "`%s` takes %d argument%s, more are given%s%s%s", label, n,
                n == 1 ? "" : "s", tail, example ? ", as in " : "", example ? example : "");
      return note_signature(e, label, signature, declared_at);
    }
    which[next++] = i;
  }
  for (int i = 0; i < n; i++)
    if (f[i].required && which[i] < 0) {
      elab_fail(e, call, "`%s` is missing its argument `%s`%s%s", label, f[i].name, tail,
                strcmp(f[0].name, "self") ? "" : "; a method is declared without `self`");
      return note_signature(e, label, signature, declared_at);
    }
  return true;
}

/* How many parameters take one argument each: all but a last one `name...`. */
static int single_params(const Stmt *decl) {
  return decl->params.n - (decl->params.n && decl->params.at[decl->params.n - 1].rest);
}

static bool takes(const Stmt *decl, const char *name) {
  for (int i = 0; i < single_params(decl); i++)
    if (decl->params.at[i].name.text == name) return true;
  return false;
}

static bool bind_stmt(Elab *e, Span call, const Stmt *decl, const Actual *a, int na, int *which) {
  int n = decl->params.n, rest;
  Formal *f = arena_array(e->arena, Formal, n);
  for (int i = 0; i < n; i++) {
    const Param *p = &decl->params.at[i];
    f[i] = (Formal){p->name.text, !p->value && !p->rest, p->rest};
  }
  const char *signature = formal_list(e, f, n);
  return call_bind(e, call, decl->name.text, signature, decl->span, f, single_params(decl), a, na,
                   which, &rest);
}

/* Of the arguments, in place, those that single parameters take; what is given by another name goes
 * to a parameter `name...`, and of what is handed on the rest is left out. The number that stay. */
static int part_with_rest(Elab *e, const Stmt *decl, Actual *a, int na, Given *given) {
  const bool rest = single_params(decl) < decl->params.n;
  Actual *more = arena_array(e->arena, Actual, na);
  int n = 0, nmore = 0;
  for (int i = 0; i < na; i++) {
    const bool own = !a[i].name.text || takes(decl, a[i].name.text);
    bool before = false; /* what the call itself gives by that name */
    for (int k = 0; k < n && own && a[i].taken; k++)
      before = before || a[k].name.text == a[i].name.text;
    if (before) continue;
    if (own || (!rest && !a[i].taken)) {
      if (a[i].taken) *a[i].taken = true;
      a[n++] = a[i];
    } else if (rest) {
      more[nmore] = a[i];
      if (!a[i].taken) more[nmore].taken = arena_new_of(e->arena, bool);
      nmore++;
    }
  }
  *given = (Given){more, nmore};
  return n;
}

/* After the body: what was given by name to `name...` and no call in it took. */
static void reject_untaken(Elab *e, const char *label, const Actual *a, int na,
                           const Given *given) {
  for (int i = 0; i < given->n; i++) {
    const Actual *g = &given->at[i];
    bool handed = false; /* by a caller, which looks after it */
    for (int k = 0; k < na; k++) handed = handed || a[k].taken == g->taken;
    if (*g->taken || handed) continue;
    elab_fail(e, g->name.span,
              "`%s` has no parameter `%s`, and no call that it hands it on to has one", label,
              g->name.text);
  }
}

/* Binds the parameters in `inner`; defaults are evaluated there, in order, so that they see those
 * before them. `matched` is false when the arguments do not fit: the caller's affair, with no note
 * into the callee. */
static bool enter_params(Elab *e, NameScope *inner, Span call, const Stmt *decl, const Actual *a,
                         int na, Given *given, bool *matched) {
  int *which = arena_array(e->arena, int, decl->params.n);
  Actual *own = arena_copy(e->arena, a, sizeof *a * (size_t)na);
  const int nown = part_with_rest(e, decl, own, na, given), n = single_params(decl);
  a = own;
  *matched = bind_stmt(e, call, decl, a, nown, which);
  if (!*matched) return false;
  for (int i = 0; i < n; i++) {
    const Param *p = &decl->params.at[i];
    Value v;
    if (!e->at) e->base = path_join(e, e->owner, p->name.text);
    v = which[i] >= 0 ? a[which[i]].value : eval_expr(e, inner, p->value);
    e->base = NULL;
    if (v.kind == V_ERROR) return false;
    scope_bind(e, inner, p->name, v)->given = true;
  }
  if (n < decl->params.n)
    scope_bind(e, inner, decl->params.at[n].name, (Value){.kind = V_GIVEN, .given = given})->given =
        true;
  return true;
}

/* -------- frames -------- */

static const char *frame_text(Elab *e, const Stmt *decl, const Instance *in) {
  if (decl->kind == ST_METHOD && in)
    return arena_printf(e->arena, "%s.%s", in->path, decl->name.text);
  return decl->name.text;
}

static int times_open(const Elab *e, const Stmt *decl) {
  int n = 0;
  for (const Frame *f = e->frame; f; f = f->up) n += f->decl == decl;
  return n;
}

static bool recursive(Elab *e, const Stmt *decl, const Instance *in, Span call) {
  const Frame *f = e->frame;
  while (f && (f->decl != decl || (decl->kind == ST_METHOD && f->instance != in))) f = f->up;
  if (!f || (decl->kind == ST_FN && times_open(e, decl) < DEEPEST_RECURSION)) return false;
  const char *chain = frame_text(e, decl, in);
  for (const Frame *g = e->frame; g != f; g = g->up)
    chain = arena_printf(e->arena, "%s -> %s", frame_text(e, g->decl, g->instance), chain);
  chain = arena_printf(e->arena, "%s -> %s", frame_text(e, decl, in), chain);
  if (decl->kind == ST_FN) {
    elab_fail(e, call, "`%s` calls itself more than %d times: %s", frame_text(e, decl, in),
              DEEPEST_RECURSION, chain);
    diag_note(e->diag, decl->span,
              "calls are expanded while compiling: an `if` on a number known then must end them");
    e->stop = true;
    return true;
  }
  elab_fail(e, call, "`%s` calls itself: %s", frame_text(e, decl, in), chain);
  diag_note(e->diag, decl->span,
            "methods and layers are expanded while compiling, so none may contain itself; fns may");
  return true;
}

/* Where messages went as a call began. */
typedef struct Called {
  int errors, at_calls;
  LibraryCall within;
} Called;

static Called begin_call(Elab *e, const Stmt *decl, const Instance *in, Span call) {
  Diag *d = e->diag;
  const Called before = {d->errors, d->at_calls, d->call};
  const char *name = decl->name.text;
  if (!diag_in_library(d, decl->span))
    d->call = (LibraryCall){0};
  else if (!diag_in_library(d, call))
    d->call = (LibraryCall){call, in ? arena_printf(e->arena, "`%s` of %s", name, in->path)
                                     : arena_printf(e->arena, "`%s`", name)};
  return before;
}

/* After errors inside a call: the callers, unless all errors are shown at it. Calls deep in a chain
 * are left out. */
static void end_call(Elab *e, const Stmt *decl, const Instance *in, Span call, bool matched,
                     Called before) {
  Diag *d = e->diag;
  const int errors = d->errors - before.errors, at_calls = d->at_calls - before.at_calls;
  const bool shown = errors == at_calls && d->call.at.file && !before.within.at.file;
  const int errors_before = before.errors;
  int depth = 0;
  for (const Frame *f = e->frame; f; f = f->up) depth++;
  d->call = before.within;
  if (!matched || !errors || shown || depth >= 4) return;
  if (in)
    diag_note_since(e->diag, call, errors_before, "in `%s` of %s, called here", decl->name.text,
                    in->path);
  else
    diag_note_since(e->diag, call, errors_before, "in `%s`, called here", decl->name.text);
}

/* -------- running -------- */

static Value run_body(Elab *e, NameScope *inner, const Stmt *decl, Instance *in, Span call,
                      Where where, const Actual *a, int na) {
  if (recursive(e, decl, in, call)) return value_error;
  const Called before = begin_call(e, decl, in, call);
  const int errors = before.errors, raised = e->diag->raised;
  Frame frame = {e->frame, decl, in, call};
  const char *owner = e->owner, *base = e->base;
  Value v = value_error;
  Span site = e->at ? e->at->build.site : (Span){0};
  const int precision = e->at ? e->at->build.precision : 0;
  if (e->at && !diag_in_library(e->diag, call)) e->at->build.site = call;
  if (e->at && in && e->at->index) e->at->build.precision = precision_of(e, in, precision);
  const uint64_t place = place_enter(e, place_span(call));
  e->frame = &frame;
  if (!e->at) e->owner = base;
  Given *given = arena_new_of(e->arena, Given);
  bool matched, entered = enter_params(e, inner, call, decl, a, na, given, &matched);
  if (entered) v = stmt_run(e, inner, &decl->body, where) ? e->result : value_none;
  e->frame = frame.up;
  e->place = place;
  e->owner = owner;
  e->base = base;
  if (e->at) e->at->build.site = site, e->at->build.precision = precision;
  end_call(e, decl, in, call, matched, before);
  if (e->diag->errors == errors) reject_untaken(e, frame_text(e, decl, in), a, na, given);
  if (entered && e->diag->raised > raised && v.kind == V_NONE) v = value_error;
  return v;
}

static Value call_fn(Elab *e, const Def *def, Span call, const Actual *a, int na) {
  NameScope inner = {.up = &def->module->scope};
  return run_body(e, &inner, def->stmt, NULL, call, IN_FN, a, na);
}

static Value call_method(Elab *e, const Method *m, Span call, const Actual *a, int na) {
  m = loss_scaling_method(m);
  if (!e->at)
    return elab_fail(e, call, "`%s` works on tensors: it can be called in entries and methods",
                     frame_text(e, m->stmt, m->instance));
  if (stack_whole(e, m->instance, call)) return value_error;
  NameScope inner = {.up = &m->instance->scope};
  Value v = run_body(e, &inner, m->stmt, m->instance, call, IN_METHOD, a, na);
  if (v.kind == V_TENSOR) {
    bool apply = !strcmp(m->stmt->name.text, "apply");
    entry_name_node(e, path_join(e, m->instance->path, apply ? "output" : m->stmt->name.text),
                    v.node);
  }
  return v;
}

const Method *call_find_method(const Instance *in, const char *name) {
  for (int i = 0; i < in->scope.names.n; i++) {
    const Value *v = &in->scope.names.at[i]->value;
    if (v->kind == V_METHOD && v->method->instance == in &&
        !strcmp(v->method->stmt->name.text, name))
      return v->method;
  }
  return NULL;
}

Value call_instance(Elab *e, Instance *in, Span call, const Actual *a, int na) {
  const StmtVec *body = &in->def->stmt->body;
  const Method *apply = call_find_method(in, "apply");
  if (apply) return call_method(e, apply, call, a, na);
  elab_fail(e, call, "%s cannot be called: the layer `%s` has no method `apply`", in->path,
            in->def->stmt->name.text);
  for (int i = 0; i < body->n; i++)
    if (body->at[i]->kind == ST_METHOD)
      diag_note(e->diag, body->at[i]->span, "it has this method: %s.%s(...)", in->path,
                body->at[i]->name.text);
  return value_error;
}

/* -------- making an instance -------- */

Value call_layer(Elab *e, const Def *def, Span call, const Actual *a, int na) {
  const char *name = def->stmt->name.text;
  if (e->at)
    return elab_fail(
        e, call,
        "the layer `%s` is instantiated at top level or in a layer, not where tensors are computed",
        name);
  if (!e->base)
    return elab_fail(e, call, "an instance of `%s` requires a name, as in `model = %s(...)`", name,
                     name);
  if (recursive(e, def->stmt, NULL, call) || !elab_claim_path(e, e->base, call)) return value_error;
  Instance *in = arena_new_of(e->arena, Instance);
  const Called before = begin_call(e, def->stmt, NULL, call);
  const int errors = before.errors;
  *in = (Instance){.path = e->base,
                   .def = def,
                   .scope = {.up = &def->module->scope},
                   .span = call,
                   .within = e->stack};
  Frame frame = {e->frame, def->stmt, in, call};
  const char *owner = e->owner, *base = e->base;
  e->frame = &frame;
  e->owner = in->path;
  e->base = NULL;
  Given *given = arena_new_of(e->arena, Given);
  bool matched, ok = enter_params(e, &in->scope, call, def->stmt, a, na, given, &matched);
  for (int i = 0; i < def->stmt->body.n && ok; i++) {
    const Stmt *m = def->stmt->body.at[i];
    if (m->kind != ST_METHOD) continue;
    const Binding *had = scope_find(&in->scope, m->name.text);
    if (had) {
      elab_fail(e, m->name.span, "`%s` is already defined", m->name.text);
      diag_note(e->diag, had->span, "the first is here");
      continue;
    }
    Method *method = arena_new_of(e->arena, Method);
    *method = (Method){m, in};
    scope_bind(e, &in->scope, m->name, (Value){.kind = V_METHOD, .method = method});
  }
  if (ok) stmt_run(e, &in->scope, &def->stmt->body, IN_LAYER);
  if (e->diag->errors == errors) reject_untaken(e, name, a, na, given);
  ok = ok && e->diag->errors == errors;
  e->frame = frame.up;
  e->owner = owner;
  e->base = base;
  end_call(e, def->stmt, NULL, call, matched, before);
  return ok ? (Value){.kind = V_INSTANCE, .instance = in} : value_error;
}

/* -------- the expression -------- */

/* The name under which an instance made in argument i is known to the callee. One too many has its
 * number: that it is one is reported once all are there. */
static const char *param_name(Elab *e, const Value *callee, const AstGiven *g, int i) {
  if (g->name.text) return g->name.text;
  if (callee->kind != V_LAYER && callee->kind != V_FN) return NULL;
  const ParamVec *params = &callee->def->stmt->params;
  return i < params->n ? params->at[i].name.text : arena_printf(e->arena, "%d", i);
}

typedef VEC(Actual) Actuals;

/* `value...`: all that a parameter `value...` took. */
static bool spread(Elab *e, const AstGiven *g, const Value *callee, const Value *v, Actuals *a) {
  if (v->kind == V_ERROR) return false;
  if (v->kind != V_GIVEN) {
    elab_fail(e, g->value->span, "`...` hands on what a parameter `name...` took, but this is %s",
              value_describe(e, v));
    return false;
  }
  if (callee->kind == V_OP || (callee->kind == V_MAKE && !builtin_gives(callee)) ||
      callee->kind == V_DTYPE)
    return true;
  for (int i = 0; i < v->given->n; i++) vec_push(e->arena, a, v->given->at[i]);
  return true;
}

static bool eval_actuals(Elab *e, NameScope *s, const AstExpr *x, const Value *callee, Actuals *a) {
  const char *base = e->base;
  bool ok = true;
  vec_reserve(e->arena, a, x->given.n);
  for (int i = 0; i < x->given.n; i++) {
    const AstGiven *g = &x->given.at[i];
    const char *name = base && !e->at ? param_name(e, callee, g, i) : NULL;
    e->base = name ? path_join(e, base, name) : NULL;
    const Value v = eval_expr(e, s, g->value);
    if (g->spread) {
      ok = spread(e, g, callee, &v, a) && ok;
      continue;
    }
    vec_push(e->arena, a, ((Actual){.name = g->name, .span = g->value->span, .value = v}));
    ok = ok && v.kind != V_ERROR;
  }
  e->base = base;
  return ok;
}

/* A builtin was given nothing: where the name of that comes from. */
static void note_nothing(Elab *e, const NameScope *s, const AstExpr *x, const Actual *a, int n) {
  for (int i = 0; i < n && i < x->given.n; i++)
    if (a[i].value.kind == V_NONE)
      lookup_note(e, s, x->given.at[i].value,
                  "bound here; what ends without `return` gives nothing");
}

static Value call_builtin(Elab *e, NameScope *s, const AstExpr *x, const Value *f, const Actual *a,
                          int n) {
  const int errors = e->diag->errors;
  const Value v = f->kind == V_OP ? builtin_op(e, f->op, x->span, a, n)
                                  : builtin_call(e, f->make, x->span, a, n);
  if (e->diag->errors > errors) note_nothing(e, s, x, a, n);
  return v;
}

Value call_expr(Elab *e, NameScope *s, const AstExpr *x) {
  const char *base = e->base;
  e->base = NULL;
  Value f = eval_expr(e, s, x->x);
  e->base = base;
  if (f.kind == V_ERROR) return f;
  Actuals given = {0};
  if (!eval_actuals(e, s, x, &f, &given)) return value_error;
  const Actual *a = given.at;
  const int n = given.n;
  switch (f.kind) {
  case V_FN: return call_fn(e, f.def, x->span, a, n);
  case V_LAYER: return call_layer(e, f.def, x->span, a, n);
  case V_METHOD: return call_method(e, f.method, x->span, a, n);
  case V_INSTANCE: return call_instance(e, f.instance, x->span, a, n);
  case V_DTYPE: return builtin_cast(e, f.dtype, x->span, a, n);
  case V_OP:
  case V_MAKE: return call_builtin(e, s, x, &f, a, n);
  case V_ENTRY:
    return elab_fail(e, x->span, "only the host can call %s; put shared code into a fn or a method",
                     value_describe(e, &f));
  default:
    elab_fail(e, x->x->span, "%s cannot be called", value_describe(e, &f));
    lookup_note(e, s, x->x, "bound here");
    return value_error;
  }
}
