/* front_compile, read top to bottom: load, mesh, run the top level, build each entry, apply
 * layout statements. */
#include "elaborate.h"
#include <stdio.h>
#include <string.h>

enum { MOST_ADOPTIONS = 16 };

static bool declared_only(const Stmt *s) {
  return s->kind == ST_IMPORT || s->kind == ST_CONST || s->kind == ST_FN || s->kind == ST_LAYER ||
         s->kind == ST_ENTRY || s->kind == ST_MESH || s->kind == ST_LAYOUT ||
         s->kind == ST_PRECISION;
}

/* What makes instances and variables, in order; fns, layers and entries are known before. */
static void run_top(Elab *e, Module *m) {
  for (int i = 0; i < m->stmts.n; i++) {
    Stmt *s = m->stmts.at[i];
    StmtVec one = {.at = &s, .n = 1};
    if (!declared_only(s)) stmt_run(e, &m->scope, &one, IN_TOP);
  }
}

/* A const without uses is still checked. */
static void run_consts(Elab *e, Module *m) {
  for (int i = 0; i < m->scope.names.n; i++) {
    const Binding *b = m->scope.names.at[i];
    if (b->is_const && b->lazy) scope_lookup(e, &m->scope, (Ident){b->name, b->span});
  }
}

static void keep_consts(Elab *e, const Module *m) {
  for (int i = 0; i < m->scope.names.n; i++) {
    const Binding *b = m->scope.names.at[i];
    const Value *v = &b->value;
    char text[64] = "";
    if (!b->is_const || m->library) continue;
    if (v->kind == V_INT) snprintf(text, sizeof text, "%lld", (long long)v->i);
    if (v->kind == V_BOOL) snprintf(text, sizeof text, "%s", v->i ? "true" : "false");
    if (v->kind == V_REAL) snprintf(text, sizeof text, "%.17g", v->real);
    const char *value = v->kind == V_STRING ? v->text : text;
    if (*value)
      vec_push(e->arena, &e->program->constants,
               ((Constant){b->name, arena_printf(e->arena, "%s", value)}));
  }
}

static void run_entries(Elab *e, Module *m) {
  for (int i = 0; i < m->scope.names.n && !e->stop; i++) {
    const Value *v = &m->scope.names.at[i]->value;
    if (v->kind != V_ENTRY) continue;
    int same = program_find_entry(e->program, v->def->stmt->name.text);
    if (same > 0) {
      elab_fail(e, v->def->stmt->name.span, "two entries are named `%s`", v->def->stmt->name.text);
      diag_note(e->diag, e->program->entries.at[same].span, "the first is here");
    } else {
      entry_build(e, v->def);
    }
  }
}

static void elaborate(Elab *e) {
  module_load_all(e);
  if (e->diag->errors) return; /* what was not understood would be missed everywhere */
  says_read_options(e);
  spec_mesh(e);
  precision_begin(e);
  entry_begin(e, &e->init, "init", 0, (Span){0});
  vec_push(e->arena, &e->program->entries, e->init.entry);
  for (int i = 0; i < e->modules.n; i++) run_consts(e, e->modules.at[i]);
  for (int i = 0; i < e->modules.n; i++) keep_consts(e, e->modules.at[i]);
  for (int i = 0; i < e->modules.n; i++) run_top(e, e->modules.at[i]);
  for (int i = 0; i < e->modules.n; i++) run_entries(e, e->modules.at[i]);
  if (e->program->entries.n == 1 && !e->diag->errors)
    elab_fail(e, (Span){0}, "the program has no `entry`");
  entry_end(e, &e->init);
  e->program->entries.at[0] = e->init.entry;
  if (!e->stop) says_apply(e);
  if (!e->diag->errors) precision_end(e);
}

/* What is found while elaborating, and known the next time. */
typedef struct Learned {
  StagedVec staged;
  Adoptions adopted;
} Learned;

/* With what is known of the stacks of pipelines; `found`, unless NULL, gets it. `parsed` gets the
 * texts. */
static Program *front_elaborate(Arena *a, Diag *d, const FrontOptions *o, Learned *known,
                                StagedVec *found, const Parsed **parsed) {
  Program *p = arena_new_of(a, Program);
  p->arena = a;
  p->diag = d;
  p->layouts = layout_set_new(a, &p->mesh);
  Elab *e = arena_new_of(a, Elab);
  *e = (Elab){.arena = a,
              .diag = d,
              .names = names_over(a, o->parsed ? o->parsed->names : NULL),
              .options = o,
              .parsed = arena_new_of(a, Parsed),
              .program = p,
              .owner = "",
              .staged = known->staged,
              .adopted = &known->adopted,
              .step_var = -1};
  p->parsed = *parsed = e->parsed;
  e->parsed->names = e->names;
  elaborate(e);
  if (!d->errors && found) pipeline_cuts(e, found);
  return d->errors ? NULL : p;
}

/* Once more as long as that finds types of numbers, of the same texts under the same numbers. */
static Program *front_settled(Arena *a, Diag *d, FrontOptions *o, Learned *known,
                              StagedVec *found) {
  const int sources = d->sources.n;
  for (int more = MOST_ADOPTIONS;; more--) {
    const int before = known->adopted.changes;
    const Parsed *parsed;
    Withheld held;
    d->sources.n = sources;
    diag_hold(d, &held);
    Program *p = front_elaborate(a, d, o, known, found, &parsed);
    diag_take(d, &held);
    if (!o->parsed) o->parsed = parsed;
    if (more && known->adopted.changes > before) continue;
    diag_show(d, &held);
    if (!p || known->adopted.changes == before) return p;
    diag_error(d, known->adopted.region,
               "the numbers that this carries take other types each time it is compiled: give them "
               "one, as in `f32(0)`");
    return NULL;
  }
}

Program *front_compile(Arena *a, Diag *d, const FrontOptions *o) {
  const int sources = d->sources.n;
  FrontOptions again = *o;
  Learned known = {0};
  StagedVec cut = {0};
  Program *p = front_settled(a, d, &again, &known, &cut);
  if (p && cut.n) {
    known.staged = cut;
    d->sources.n = sources;
    p = front_settled(a, d, &again, &known, NULL);
  }
  if (p && !o->parsed) p->parsed = again.parsed;
  return p;
}

bool front_dump_ast(Arena *a, Diag *d, const FrontOptions *o, Str *out) {
  Names *names = names_new(a);
  for (int i = 0; i < o->nsources; i++) {
    const FrontSource *s = &o->source[i];
    StmtVec v = parse_text(a, d, names, s->name, s->text, s->len);
    ast_print_stmts(out, &v);
  }
  return !d->errors;
}
