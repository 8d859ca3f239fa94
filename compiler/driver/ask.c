/* dtgc.h: questions about a plan: why a tensor has its layout, and how two plans differ. */
#include "program.h"
#include "diff.h"
#include "why.h"
#include <string.h>

static dtgc_status give(dtgc_program *p, const Str *s, char **text) {
  *text = text_copy(s);
  return *text ? DTGC_OK : program_fail(p, DTGC_NO_MEMORY, "out of memory");
}

typedef struct WhyArgs {
  const char *name;
  Str out;
  bool found;
} WhyArgs;

static dtgc_status why_inside(dtgc_program *p, void *arg) {
  WhyArgs *w = arg;
  w->out = str_new(p->arena);
  w->found = why_put(p->plan, w->name, &w->out);
  return DTGC_OK;
}

/* The layout statement of a tensor that is part of what reads it, or that nothing reads. */
static const Statement *statement_of(const Program *p, const char *name) {
  for (int i = 0; i < p->statements.n; i++) {
    const Statement *s = p->statements.at[i];
    for (int k = 0; k < s->gave.n; k++)
      if (!strcmp(s->gave.at[k], name)) return s;
  }
  return NULL;
}

dtgc_status dtgc_why(dtgc_program *p, const char *name, char **text) {
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!name || !text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL", name ? "text" : "name");
  WhyArgs w = {.name = name};
  if ((s = program_guard(p, why_inside, &w))) return s;
  if (w.found) return give(p, &w.out, text);
  const Statement *gone = statement_of(p->plan->program, name);
  if (gone)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "`%s`, whose layout is annotated at %s, is not stored: what reads it reads "
                        "what it is made of, or nothing does",
                        name, diag_where(&p->diag, p->arena, gone->span));
  return program_fail(p, DTGC_BAD_ARGUMENT, "the program has no tensor `%s`%s%s%s", name,
                      w.out.n ? "; the nearest names: " : "", w.out.n ? w.out.at : "",
                      w.out.n ? "" : " (--dump=layouts shows their names)");
}

typedef struct DiffArgs {
  dtgc_program *p;
  const dtgc_program *other;
  const char *was, *now;
  Str out;
} DiffArgs;

static dtgc_status diff_inside(dtgc_program *p, void *arg) {
  DiffArgs *d = arg;
  d->out = str_new(p->arena);
  diff_put(p->plan, d->other->plan, d->was, d->now, &d->out);
  return DTGC_OK;
}

/* Texts are made in the arenas of both. */
static dtgc_status diff_both(dtgc_program *other, void *arg) {
  (void)other;
  return program_guard(((DiffArgs *)arg)->p, diff_inside, arg);
}

dtgc_status dtgc_diff(dtgc_program *p, dtgc_program *other, const char *was, const char *now,
                      char **text) {
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!other || !text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL", other ? "text" : "other");
  PROGRAM_USE_TOO(p, other, "the other program");
  if (other != p && (s = program_plan(other)))
    return program_fail(p, s, "the other program: %s", dtgc_error(other));
  DiffArgs d = {.p = p, .other = other, .was = was ? was : "this", .now = now ? now : "other"};
  if ((s = program_guard(other, diff_both, &d)))
    return program_fail(p, s, "%s", dtgc_error(other->out_of_memory ? other : p));
  return give(p, &d.out, text);
}
