/* Statements about what products multiply: `precision bf16` is for all, `precision model.head =
 * f32` and `precision "model\\.head.*" = f32` for the methods of some instances and all that these
 * call. The innermost instance that a statement names decides; of several about one a name is
 * stronger than a pattern. Initial values are computed without. */
#include "pattern.h"
#include <string.h>

typedef struct PrecisionRule {
  const Stmt *stmt;
  const char *path; /* NULL: a pattern */
  Pattern pattern;
  bool used;
} PrecisionRule;

typedef struct PrecisionRules {
  int all;               /* 1 + the statement that is for all; 0: none */
  VEC(PrecisionRule) at; /* as in Program.precisions */
} PrecisionRules;

static int add(Elab *e, const Stmt *s) {
  PrecisionRule r = {.stmt = s};
  Precision p = {.span = s->span, .activations = s->master.text != NULL};
  dtype_from_name(s->name.text, &p.dtype);
  if (s->value && s->value->kind == EX_STRING) {
    if (!pattern_compile(e, s->value->text, s->value->span, &r.pattern)) return 0;
  } else if (s->value) {
    Str path = str_new(e->arena);
    ast_print_path(&path, s->value);
    r.path = path.at;
  }
  vec_push(e->arena, &e->precision->at, r);
  vec_push(e->arena, &e->program->precisions, p);
  return e->precision->at.n;
}

static void take(Elab *e, const Stmt *s) {
  if (s->value) {
    add(e, s);
    return;
  }
  if (e->options->precision) return; /* the option's instead */
  if (e->precision->all) {
    elab_fail(e, s->span, "the precision of all products is given twice");
    diag_note(e->diag, e->program->precisions.at[e->precision->all - 1].span, "the first is here");
    return;
  }
  e->precision->all = add(e, s);
}

static void take_option(Elab *e) {
  const char *called = e->options->command_line ? "--precision" : "precision";
  const char *text = arena_printf(e->arena, "precision %s", e->options->precision);
  const int errors = e->diag->errors;
  StmtVec v = parse_text(e->arena, e->diag, e->names, called, text, strlen(text));
  if (v.n == 1 && v.at[0]->kind == ST_PRECISION && !v.at[0]->value)
    e->precision->all = add(e, v.at[0]);
  else if (e->diag->errors == errors)
    elab_fail(e, (Span){0}, "%s takes bf16, f16 or f32, not `%s`", called, e->options->precision);
}

void precision_begin(Elab *e) {
  e->precision = arena_new_of(e->arena, PrecisionRules);
  if (e->options->precision) take_option(e);
  for (int i = 0; i < e->modules.n; i++)
    for (int k = 0; k < e->modules.at[i]->stmts.n; k++)
      if (e->modules.at[i]->stmts.at[k]->kind == ST_PRECISION)
        take(e, e->modules.at[i]->stmts.at[k]);
}

static bool says_same(const Elab *e, int i, int k) {
  const Precision *x = &e->program->precisions.at[i], *y = &e->program->precisions.at[k];
  return x->dtype == y->dtype && x->activations == y->activations;
}

/* The statement about an instance. */
static int find(Elab *e, const Instance *in) {
  int best = -1;
  bool named = false;
  for (int i = 0; i < e->precision->at.n; i++) {
    PrecisionRule *r = &e->precision->at.at[i];
    if (!r->stmt->value) continue;
    if (r->path ? strcmp(r->path, in->path) : !pattern_names(e, &r->pattern, in->path)) continue;
    r->used = true;
    if (best >= 0 && named && !r->path) continue;
    if (best >= 0 && named == (r->path != NULL) && !says_same(e, i, best)) {
      elab_fail(e, r->stmt->span, "`%s` is given two precisions", in->path);
      diag_note(e->diag, e->precision->at.at[best].stmt->span, "the other is here");
    }
    best = i, named = r->path;
  }
  return best + 1;
}

int precision_of(Elab *e, Instance *in, int outer) {
  if (!in) return e->precision->all;
  if (!in->called) in->precision = find(e, in), in->called = true;
  return in->precision ? in->precision : outer;
}

void precision_end(Elab *e) {
  for (int i = 0; i < e->precision->at.n; i++) {
    const PrecisionRule *r = &e->precision->at.at[i];
    if (r->used || !r->stmt->value) continue;
    Near near = {.want = r->path ? r->path : r->pattern.text};
    for (int k = 0; k < e->paths.n; k++)
      if (program_find_var(e->program, e->paths.at[k].text) < 0)
        near_offer(&near, e->paths.at[k].text);
    const char *text = arena_printf(
        e->arena, "no entry calls a method of an instance %s; this statement has no effect%s",
        arena_printf(e->arena, r->path ? "`%s`" : "that \"%s\" matches", near.want),
        near_text(e, &near));
    if (e->options->strict_layouts)
      elab_fail(e, r->stmt->span, "%s", text);
    else
      diag_warning(e->diag, r->stmt->span, "%s", text);
  }
}
