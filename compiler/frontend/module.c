/* Sources and imports. The sources of the command line are one module; each imported file is
 * another, loaded once, whose names are visible to its importers. Cycles are reported with their
 * chain. */
#include "elaborate.h"
#include <string.h>

/* "a/./b/../c" as "a/c", so that one file has one name. */
static const char *normal(Elab *e, const char *path) {
  size_t n = strlen(path), out = 0;
  char *to = arena_alloc(e->arena, n + 2);
  for (const char *s = path; *s;) {
    size_t len = strcspn(s, "/");
    bool dot = len == 1 && s[0] == '.', up = len == 2 && !memcmp(s, "..", 2);
    if (up && out > 1 && to[out - 1] == '/' && !(out >= 3 && !memcmp(to + out - 3, "../", 3))) {
      for (out--; out && to[out - 1] != '/';) out--;
    } else if (!dot && (len || s == path)) {
      memcpy(to + out, s, len);
      out += len;
      if (s[len]) to[out++] = '/';
    }
    s += len + (s[len] == '/');
  }
  to[out] = 0;
  return to;
}

static const char *folder_of(Elab *e, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_strndup(e->arena, path, (size_t)(slash - path) + 1) : "";
}

/* -------- declarations -------- */

static void declare(Elab *e, Module *m, const Stmt *s) {
  if (s->kind != ST_FN && s->kind != ST_LAYER && s->kind != ST_ENTRY && s->kind != ST_CONST) return;
  Binding *had = scope_find(&m->scope, s->name.text);
  if (had) {
    elab_fail(e, s->name.span, "`%s` is already defined", s->name.text);
    diag_note(e->diag, had->span, "the first is here");
    return;
  }
  if (s->kind == ST_ENTRY && !strcmp(s->name.text, "init")) {
    elab_fail(e, s->name.span,
              "`init` is the name of the entry that initializes variables; choose another name");
    return;
  }
  Def *def = arena_new_of(e->arena, Def);
  *def = (Def){s, m};
  ValueKind kind = s->kind == ST_FN ? V_FN : s->kind == ST_LAYER ? V_LAYER : V_ENTRY;
  Binding *b = scope_bind(e, &m->scope, s->name, (Value){.kind = kind, .def = def});
  if (s->kind != ST_CONST) return;
  *b = (Binding){
      .name = s->name.text, .span = s->name.span, .lazy_in = m, .lazy = s, .is_const = true};
}

static Binding *find_const(Elab *e, const char *name) {
  Binding *b = scope_find(&e->main->scope, name);
  for (int i = 0; i < e->modules.n && !(b && b->is_const); i++)
    if (!e->modules.at[i]->library) b = scope_find(&e->modules.at[i]->scope, name);
  return b && b->is_const ? b : NULL;
}

const char *module_option(Elab *e, const char *flag, const char *field, int i, int n) {
  if (!e->options->command_line) return arena_printf(e->arena, "%s[%d]", field, i);
  return n > 1 ? arena_printf(e->arena, "%s %d", flag, i + 1) : flag;
}

static void define(Elab *e, const char *text, const char *called) {
  char *line = arena_printf(e->arena, "const %s", text);
  int errors = e->diag->errors;
  StmtVec v = parse_text(e->arena, e->diag, e->names, called, line, strlen(line));
  if (e->diag->errors > errors) return;
  if (v.n != 1 || v.at[0]->kind != ST_CONST) {
    elab_fail(e, (Span){0}, "%s takes NAME=VALUE, not `%s`", called, text);
    return;
  }
  Ident name = v.at[0]->name;
  Binding *b = find_const(e, name.text);
  if (b) {
    b->lazy = v.at[0];
    b->span = name.span;
    return;
  }
  Near near = {.want = name.text};
  for (int i = 0; i < e->modules.n; i++) {
    const Module *m = e->modules.at[i];
    for (int k = 0; k < m->scope.names.n && !m->library; k++)
      if (m->scope.names.at[k]->is_const) near_offer(&near, m->scope.names.at[k]->name);
  }
  elab_fail(e, name.span, "the program has no `const %s`%s", name.text, near_text(e, &near));
}

/* -------- texts -------- */

/* An AST is not written to, so that variants of a program share it. */
static StmtVec parse(Elab *e, const char *name, const char *text, size_t len) {
  const Parsed *known = e->options->parsed;
  uint32_t file = (uint32_t)e->diag->sources.n + 1;
  for (int i = 0; known && i < known->texts.n; i++) {
    const ParsedText *x = &known->texts.at[i];
    if (x->file != file || x->len != len || strcmp(x->name, name) || memcmp(x->text, text, len))
      continue;
    diag_add_source(e->diag, name, text, len);
    return x->stmts;
  }
  int before = e->diag->errors + e->diag->warnings;
  StmtVec v = parse_text(e->arena, e->diag, e->names, name, text, len);
  if (e->diag->errors + e->diag->warnings == before)
    vec_push(e->arena, &e->parsed->texts, ((ParsedText){name, text, len, file, v}));
  return v;
}

/* -------- imports -------- */

static const FrontModule *shipped(const char *name) {
  for (const FrontModule *m = front_library; m->name; m++)
    if (!strcmp(m->name, name)) return m;
  return NULL;
}

typedef struct ModuleText {
  const char *path, *text;
  size_t len;
  bool library;
  const char *why; /* the file is there and cannot be read */
} ModuleText;

static bool try_file(Elab *e, const char *folder, const char *name, ModuleText *out) {
  const FrontOptions *o = e->options;
  size_t n = strlen(name), f = strlen(folder);
  const char *suffix = n > 4 && !strcmp(name + n - 4, ".dtg") ? "" : ".dtg";
  const char *slash = f && folder[f - 1] != '/' && *name != '/' ? "/" : "";
  out->path = normal(
      e, arena_printf(e->arena, "%s%s%s%s", *name == '/' ? "" : folder, slash, name, suffix));
  out->text = o->read ? o->read(o->user, e->arena, out->path, &out->len, &out->why) : NULL;
  return out->text || out->why;
}

static bool find_module(Elab *e, const Module *from, const AstExpr *name, ModuleText *out) {
  const FrontOptions *o = e->options;
  const Source *src = diag_source(e->diag, name->span.file);
  *out = (ModuleText){.library = true};
  if (!from->library) {
    out->library = false;
    if (try_file(e, folder_of(e, src->name), name->text, out)) return true;
    for (int i = 0; i < o->nimport_dirs; i++)
      if (try_file(e, o->import_dir[i], name->text, out)) return true;
  }
  const FrontModule *m = shipped(name->text);
  if (!m) return false;
  *out = (ModuleText){arena_printf(e->arena, "dtg/%s.dtg", m->name), m->text, m->len, true, NULL};
  return true;
}

static void not_found(Elab *e, const AstExpr *name, const ModuleText *f) {
  if (f->why) {
    elab_fail(e, name->span, "%s cannot be read: %s", f->path, f->why);
    return;
  }
  Near near = {.want = name->text};
  const FrontOptions *o = e->options;
  for (const FrontModule *m = front_library; m->name; m++) near_offer(&near, m->name);
  elab_fail(e, name->span, "cannot find \"%s\" to import%s", name->text, near_text(e, &near));
  Str s = str_new(e->arena);
  str_puts(&s, "looked in the folder of this file");
  for (int i = 0; i < o->nimport_dirs; i++) str_printf(&s, ", in %s", o->import_dir[i]);
  diag_note(e->diag, name->span, "%s and in the shipped library", s.at);
}

static void cycle(Elab *e, const Module *from, const Module *to, const AstExpr *name) {
  const char *chain = to->path;
  for (const Module *m = from; m; m = m == to ? NULL : m->importer)
    chain = arena_printf(e->arena, "%s -> %s", m->path, chain);
  elab_fail(e, name->span, "circular imports: %s", chain);
}

static void load_imports(Elab *e, Module *m);

static Module *begin_module(Elab *e, const char *path, bool library, Module *importer) {
  Module *m = arena_new_of(e->arena, Module);
  *m = (Module){.path = path, .library = library, .importer = importer};
  m->scope.module = m;
  return m;
}

static void finish_module(Elab *e, Module *m) {
  for (int i = 0; i < m->stmts.n; i++) declare(e, m, m->stmts.at[i]);
  load_imports(e, m);
  vec_push(e->arena, &e->modules, m);
}

/* A module that is being loaded, by path. */
static Module *being_loaded(Module *from, const char *path) {
  for (Module *m = from; m; m = m->importer)
    if (!strcmp(m->path, path)) return m;
  return NULL;
}

/* The source of the command line with that path; -1: none. All of them are the main module. */
static int source_at(Elab *e, const char *path) {
  for (int i = 0; i < e->options->nsources; i++)
    if (!strcmp(normal(e, e->options->source[i].name), path)) return i;
  return -1;
}

/* Statements run in the order of the command line, those of an import before the file with it. */
static bool is_given(Elab *e, const Module *from, const AstExpr *name, const char *path) {
  const int to = source_at(e, path);
  if (to < 0) return false;
  const int at = source_at(e, normal(e, diag_source(e->diag, name->span.file)->name));
  if (from == e->main && to < at) return true; /* it has run */
  if (from == e->main && to == at) {
    elab_fail(e, name->span, "%s imports itself", path);
  } else {
    elab_fail(e, name->span, "%s cannot be imported: it is on the command line, too", path);
    diag_note(e->diag, name->span, "leave it out there; its names are found by this import");
  }
  return true;
}

static Module *import(Elab *e, Module *from, const AstExpr *name) {
  ModuleText f;
  int depth = 0;
  for (Module *m = from; m; m = m->importer) depth++;
  if (depth > 64) {
    elab_fail(e, name->span, "imports are nested more than 64 deep");
    return NULL;
  }
  if (!find_module(e, from, name, &f) || f.why) {
    not_found(e, name, &f);
    return NULL;
  }
  Module *m = being_loaded(from, f.path);
  if (m && from != e->main) {
    cycle(e, from, m, name);
    return NULL;
  }
  if (is_given(e, from, name, f.path)) return NULL;
  for (int i = 0; i < e->modules.n; i++)
    if (!strcmp(e->modules.at[i]->path, f.path) && e->modules.at[i]->library == f.library)
      return e->modules.at[i];
  m = begin_module(e, f.path, f.library, from);
  m->stmts = parse(e, f.path, f.text, f.len);
  finish_module(e, m);
  return m;
}

static void load_imports(Elab *e, Module *m) {
  for (int i = 0; i < m->stmts.n; i++) {
    const Stmt *s = m->stmts.at[i];
    if (s->kind != ST_IMPORT) continue;
    Module *to = import(e, m, s->value);
    if (to) vec_push(e->arena, &m->imports, to);
  }
}

void module_load_all(Elab *e) {
  const FrontOptions *o = e->options;
  const char *first = o->nsources ? normal(e, o->source[0].name) : "";
  e->main = begin_module(e, first, false, NULL);
  for (int i = 0; i < o->nsources; i++) {
    const FrontSource *f = &o->source[i];
    StmtVec v = parse(e, f->name, f->text, f->len);
    for (int k = 0; k < v.n; k++) vec_push(e->arena, &e->main->stmts, v.at[k]);
  }
  finish_module(e, e->main);
  const int own = o->ndefines - (o->variant && o->command_line);
  for (int i = 0; i < o->ndefines; i++)
    define(e, o->define[i], i < own ? module_option(e, "-D", "define", i, own) : "--also");
}
