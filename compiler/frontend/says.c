/* Finds the tensors of layout statements: by path, by an input's plain name, or by a pattern. A
 * name takes precedence over a pattern, the command line over the sources; two statements of equal
 * precedence that disagree are an error that names both. In a file with `layout first` (and on a
 * command line with it) the first matching pattern applies. */
#include "elaborate.h"
#include "pattern.h"
#include "stack.h"
#include <stdarg.h>
#include <string.h>

/* Which statement wrote a tensor's layout. */
typedef struct Claim {
  const Spec **slot;
  const Said *by;
  const Named *name; /* that it was found by: a tensor may have several */
} Claim;

typedef struct Applying {
  Elab *e;
  VEC(Claim) claims;
  Lookup claim_at; /* 1 + its place in claims, by slot */
  Lookup first;    /* 1 + the first call by a name (interned) ... */
  int *next; /* ... and 1 + the next; e->named[i] is called by its text, 2i, and plainly, 2i+1 */
  VEC(uint32_t) first_files; /* with `layout first` */
  bool first_options;
} Applying;

void says_here(Elab *e, const char *target, const SpecExpr *spec) {
  Said *s = arena_new_of(e->arena, Said);
  *s =
      (Said){.target = target, .here = true, .strength = BY_NAME, .spec = spec, .span = spec->span};
  vec_push(e->arena, &e->said, s);
}

static void add_statement(Applying *a, const Stmt *stmt, bool option) {
  Elab *e = a->e;
  Said *s = arena_new_of(e->arena, Said);
  const AstExpr *t = stmt->value;
  Str path = str_new(e->arena);
  if (stmt->name.text) { /* layout first */
    if (option)
      a->first_options = true;
    else
      vec_push(e->arena, &a->first_files, stmt->span.file);
    return;
  }
  if (!t) { /* layout forbid gather */
    Span *at = stmt->keep ? &e->program->forbid_keep : &e->program->forbid;
    if (!at->file) *at = stmt->span;
    return;
  }
  bool pattern = t->kind == EX_STRING;
  if (pattern)
    str_puts(&path, t->text);
  else
    ast_print_path(&path, t);
  *s = (Said){
      .target = path.at, .pattern = pattern, .option = option, .spec = stmt->spec, .span = t->span};
  if (stmt->forbid.file) s->forbid = stmt->span, s->keep = stmt->keep;
  s->strength = pattern  ? (option ? BY_OPTION_PATTERN : BY_PATTERN)
                : option ? BY_OPTION_NAME
                         : BY_NAME;
  s->record = arena_new_of(e->arena, Statement);
  s->record->span = s->span;
  vec_push(e->arena, &e->program->statements, s->record);
  vec_push(e->arena, &e->said, s);
}

/* Anywhere in a file, it applies to all the file's patterns. */
static void mark_first(Applying *a) {
  for (int i = 0; i < a->e->said.n; i++) {
    Said *s = a->e->said.at[i];
    if (!s->pattern) continue;
    s->first = s->option && a->first_options;
    for (int k = 0; k < a->first_files.n && !s->option; k++)
      s->first = s->first || s->span.file == a->first_files.at[k];
  }
}

void says_read_options(Elab *e) {
  for (int i = 0; i < e->options->nlayouts; i++) {
    char *text = arena_printf(e->arena, "layout %s", e->options->layout[i]);
    const char *called = module_option(e, "--layout", "layout", i, e->options->nlayouts);
    StmtVec v = parse_text(e->arena, e->diag, e->names, called, text, strlen(text));
    for (int k = 0; k < v.n; k++) vec_push(e->arena, &e->optional, v.at[k]);
  }
}

static void collect(Applying *a) {
  Elab *e = a->e;
  for (int i = 0; i < e->modules.n; i++)
    for (int k = 0; k < e->modules.at[i]->stmts.n; k++)
      if (e->modules.at[i]->stmts.at[k]->kind == ST_LAYOUT)
        add_statement(a, e->modules.at[i]->stmts.at[k], false);
  for (int i = 0; i < e->optional.n; i++)
    if (e->optional.at[i]->kind == ST_LAYOUT)
      add_statement(a, e->optional.at[i], true);
    else
      elab_fail(e, e->optional.at[i]->span, "expected a layout statement here");
  mark_first(a);
}

/* -------- one tensor -------- */

static bool is_var(const Named *n) {
  return n->kind == NAMED_VAR || n->kind == NAMED_ALIAS_OF_VAR;
}

static const Spec **slot_of(Elab *e, const Named *n, int *rank) {
  Program *p = e->program;
  if (is_var(n)) {
    *rank = p->vars.at[n->index].shape.rank;
    return &p->vars.at[n->index].spec;
  }
  Entry *entry = &p->entries.at[n->entry];
  NodeId id = n->kind == NAMED_INPUT    ? entry->inputs.at[n->index].node
              : n->kind == NAMED_OUTPUT ? entry->outputs.at[n->index].node
                                        : n->index;
  if (id == NO_NODE) return NULL;
  Node *node = graph_node(entry->graph, id);
  *rank = node->shape.rank;
  return n->kind == NAMED_OUTPUT ? &entry->outputs.at[n->index].spec : &node->spec;
}

static const char *said_text(Elab *e, const Said *s) {
  if (s->here) return "the `on` of its declaration";
  return arena_printf(e->arena, s->pattern ? "\"%s\"" : "`%s`", s->target);
}

static void conflict(Elab *e, const Named *n, const Said *s, Span other, const char *other_text) {
  if (!strcmp(said_text(e, s), other_text))
    elab_fail(e, s->span, "%s is given two different layouts", other_text);
  else
    elab_fail(e, s->span, "%s and %s give `%s` different layouts", said_text(e, s), other_text,
              n->text);
  diag_note(e->diag, other, "the other is here");
}

/* An output is the value it is given. `forbid` applies whatever its layout.
 */
static void forbid(Elab *e, const Said *s, const Named *n) {
  Program *p = e->program;
  NodeId id = n->index;
  Span *at;
  if (is_var(n)) {
    at = &p->vars.at[n->index].forbid;
  } else {
    Entry *entry = &p->entries.at[n->entry];
    if (n->kind == NAMED_INPUT) id = entry->inputs.at[n->index].node;
    if (n->kind == NAMED_OUTPUT) id = entry->outputs.at[n->index].node;
    if (id == NO_NODE) return;
    at = &graph_node(entry->graph, id)->forbid;
  }
  if (!at->file) *at = s->forbid;
}

static bool gives_way(const Said *s, const Said *had) {
  if (had->strength != s->strength) return had->strength > s->strength;
  return s->first && had->first && (s->option || s->span.file == had->span.file);
}

/* A variable can be gathered again from its blocks; a computed value has no such source. */
static void forbid_keep(Elab *e, const Said *s, const Named *n) {
  if (is_var(n))
    e->program->vars.at[n->index].forbid_keep = s->forbid;
  else
    elab_fail(e, s->span, "`forbid keep` applies to variables, and `%s` is not one", n->text);
}

/* What is said of one layer's variable leaves the dims of its stacks whole. */
static const SpecExpr *of_rows(Elab *e, const SpecExpr *x, const Var *v) {
  int rests = 0;
  for (int i = 0; i < x->items.n; i++) rests += x->items.at[i].kind == ITEM_REST;
  if (!v->stacked || rests || x->items.n != v->shape.rank - v->stacked || !x->items.n) return x;
  SpecExpr *out = arena_copy(e->arena, x, sizeof *x);
  const AstItem whole = {.kind = ITEM_WHOLE, .span = x->span, .granule = 1};
  out->items = (ItemVec){0};
  for (int d = 0; d < v->stacked; d++) vec_push(e->arena, &out->items, whole);
  for (int i = 0; i < x->items.n; i++) vec_push(e->arena, &out->items, x->items.at[i]);
  return out;
}

/* What is said of a value in a layer of a pipeline leaves the dim of the rows to inference. */
static const SpecExpr *of_all_rows(Elab *e, const SpecExpr *x) {
  SpecExpr *out = arena_copy(e->arena, x, sizeof *x);
  const AstItem rows = {.kind = ITEM_OPEN, .span = x->span, .granule = 1};
  const AstItem rest = {.kind = ITEM_REST, .span = x->span, .granule = 1};
  out->items = (ItemVec){0};
  vec_push(e->arena, &out->items, rows);
  for (int i = 0; i < x->items.n; i++) vec_push(e->arena, &out->items, x->items.at[i]);
  if (!x->items.n) vec_push(e->arena, &out->items, rest);
  return out;
}

/* A pattern for tensors of many ranks, `[a, ...]`, may match scalars, which have nothing to split:
 * the count of an optimizer's steps beside its moments. */
static const SpecExpr *of_scalar(Elab *e, const SpecExpr *x) {
  int rests = 0;
  for (int i = 0; i < x->items.n; i++) rests += x->items.at[i].kind == ITEM_REST;
  if (!rests || x->partial.n) return x;
  SpecExpr *out = arena_copy(e->arena, x, sizeof *x);
  out->items = (ItemVec){0};
  return out;
}

/* Applies this statement to this tensor, unless a stronger one applies. */
static void claim(Applying *a, const Said *s, const Named *n) {
  Elab *e = a->e;
  if (s->forbid.file) {
    (s->keep ? forbid_keep : forbid)(e, s, n);
    if (!s->spec) vec_push(e->arena, &s->record->gave, n->text);
  }
  if (!s->spec) return;
  int rank = 0;
  const Spec **slot = slot_of(e, n, &rank);
  if (!slot) return;
  int at = lookup_get(&a->claim_at, slot);
  Claim *had = at ? &a->claims.at[at - 1] : NULL;
  if (had && gives_way(s, had->by)) {
    if (s->record) {
      vec_push(e->arena, &s->record->yielded, n->text);
      vec_push(e->arena, &s->record->to, had->by->span);
    }
    return;
  }
  const char *what = arena_printf(e->arena, "`%s`", n->text);
  const SpecExpr *said = is_var(n)    ? of_rows(e, s->spec, &e->program->vars.at[n->index])
                         : n->of_rows ? of_all_rows(e, s->spec)
                                      : s->spec;
  if (s->pattern && !rank) said = of_scalar(e, said);
  const Spec *spec = spec_make(e, said, rank, what, n->kind == NAMED_NODE, false);
  if (!spec) return;
  if (*slot) { /* annotated by relayout(...) or another statement */
    const Spec *both = spec_both(e->arena, *slot, spec);
    if (!both && had) {
      conflict(e, n, s, had->by->span, said_text(e, had->by));
      if (strcmp(had->name->text, n->text))
        diag_note(e->diag, s->span,
                  "`%s` and `%s` are one tensor; relayout(...) gives a value a second layout",
                  n->text, had->name->text);
    } else if (!both)
      conflict(e, n, s, (*slot)->span, "the relayout(...) in the program");
    if (!both) return;
    spec = both;
  }
  *slot = spec;
  if (s->record) vec_push(e->arena, &s->record->gave, n->text);
  if (had) return;
  vec_push(e->arena, &a->claims, ((Claim){slot, s, n}));
  lookup_put(&a->claim_at, e->arena, slot, a->claims.n);
}

/* -------- names -------- */

static void index_name(Applying *a, const char *name, int call) {
  Elab *e = a->e;
  const char *text = name_of(e->names, name, strlen(name));
  a->next[call] = lookup_get(&a->first, text);
  lookup_put(&a->first, e->arena, text, call + 1);
}

/* Backwards, so that those of one name are in order. */
static void index_names(Applying *a) {
  Elab *e = a->e;
  a->next = arena_array(e->arena, int, 2 * e->named.n + 1);
  for (int i = e->named.n - 1; i >= 0; i--) {
    const Named *n = &e->named.at[i];
    if (n->plain) index_name(a, n->plain, 2 * i + 1);
    index_name(a, n->text, 2 * i);
  }
}

static bool apply_name(Applying *a, const Said *s) {
  Elab *e = a->e;
  bool output = false, any = false;
  int first = lookup_get(&a->first, name_of(e->names, s->target, strlen(s->target)));
  for (int call = first; call; call = a->next[call - 1])
    if (e->named.at[(call - 1) / 2].kind == NAMED_OUTPUT) output = true;
  for (int call = first; call; call = a->next[call - 1]) {
    const Named *n = &e->named.at[(call - 1) / 2];
    if (output && (n->kind == NAMED_NODE || n->kind == NAMED_ALIAS_OF_VAR)) continue;
    claim(a, s, n);
    any = true;
  }
  return any;
}

/* -------- patterns -------- */

/* Variables first: "model\..*" is about the model's variables, not about values named after it. */
static bool apply_pattern(Applying *a, const Said *s) {
  Elab *e = a->e;
  Pattern p;
  bool any = false;
  if (!pattern_compile(e, s->target, s->span, &p)) return true;
  for (int others = 0; others < 2 && !any; others++)
    for (int i = 0; i < e->named.n; i++) {
      const Named *n = &e->named.at[i];
      if ((n->kind != NAMED_VAR) != others) continue;
      if (!pattern_names(e, &p, n->text) && !(n->plain && pattern_matches(e, &p, n->plain)))
        continue;
      claim(a, s, n);
      any = true;
    }
  return any;
}

/* -------- statements without effect -------- */

/* A warning, or with --strict-layouts an error. */
__attribute__((format(printf, 3, 4))) static void no_effect(Elab *e, const Said *s, const char *fmt,
                                                            ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *text = arena_vprintf(e->arena, fmt, ap);
  va_end(ap);
  if (e->options->strict_layouts)
    elab_fail(e, s->span, "%s", text);
  else
    diag_warning(e->diag, s->span, "%s", text);
}

/* A pattern must match complete paths; one that matches only a part of them gets a warning. */
static const Named *matches_part(Elab *e, const Said *s) {
  Pattern p;
  const char *wider = arena_printf(e->arena, ".*(?:%s).*", s->target);
  if (!s->pattern || !pattern_compile(e, wider, s->span, &p)) return NULL;
  for (int i = 0; i < e->named.n; i++)
    if (e->named.at[i].kind == NAMED_VAR && pattern_matches(e, &p, e->named.at[i].text))
      return &e->named.at[i];
  return NULL;
}

/* The tensor whose path ends in these words: `d1/kernel` and `d1.kernel` are short for
 * `model.d1.kernel`, and none of an entry's values where a variable is. */
static const Named *ends_path(Elab *e, const Said *s) {
  char *want = arena_strdup(e->arena, s->target);
  size_t n = strlen(want);
  bool slash = strchr(want, '/') != NULL;
  for (char *c = want; *c; c++)
    if (*c == '/') *c = '.';
  for (int others = 0; others < 2; others++)
    for (int i = 0; i < e->named.n; i++) {
      const Named *x = &e->named.at[i];
      size_t len = strlen(x->text);
      if ((x->kind != NAMED_VAR) != others || len < n || strcmp(x->text + len - n, want)) continue;
      if (len == n ? slash : x->text[len - n - 1] == '.') return x;
    }
  return NULL;
}

static void matched_nothing(Elab *e, const Said *s) {
  Near near = {.want = s->target};
  size_t len = strlen(s->target);
  const Named *whole = !s->pattern || strchr(s->target, '/') ? ends_path(e, s) : NULL;
  if (whole) {
    no_effect(e, s, "%s names no tensor; this layout statement has no effect; did you mean `%s`?",
              said_text(e, s), whole->text);
    return;
  }
  const Named *part = matches_part(e, s);
  if (part) {
    bool either = strchr(s->target, '|');
    no_effect(e, s,
              "\"%s\" matches no complete path; this layout statement has no effect; "
              "\".*%s%s%s.*\" would "
              "match `%s`",
              s->target, either ? "(" : "", s->target, either ? ")" : "", part->text);
    return;
  }
  for (int i = 0; i < e->named.n; i++) {
    const Named *n = &e->named.at[i];
    if (!s->pattern && !strncmp(n->text, s->target, len) && n->text[len] == '.') {
      no_effect(e, s,
                "`%s` is not a tensor; this layout statement has no effect; did you mean `%s`?",
                s->target, n->text);
      return;
    }
    near_offer(&near, n->text);
    if (n->plain) near_offer(&near, n->plain);
  }
  no_effect(e, s, "%s names no tensor; this layout statement has no effect%s", said_text(e, s),
            near_text(e, &near));
}

static const Said *said_at(Elab *e, Span at) {
  for (int i = 0; i < e->said.n; i++) {
    Span s = e->said.at[i]->span;
    if (s.file == at.file && s.begin == at.begin) return e->said.at[i];
  }
  return NULL;
}

/* In first-match order a pattern below a wider one has no effect. One whose tensors several
 * others have taken is a fallback, and fine. */
static void came_too_late(Elab *e, const Said *s) {
  const Statement *r = s->record;
  if (!s->first || r->gave.n || !r->yielded.n || s->forbid.file) return;
  const Said *wider = said_at(e, r->to.at[0]);
  for (int i = 0; i < r->to.n; i++)
    if (said_at(e, r->to.at[i]) != wider) return;
  if (!wider || wider->strength != s->strength) return;
  no_effect(e, s, "%s has no effect: %s, which comes first, matches everything it matches",
            said_text(e, s), said_text(e, wider));
  diag_note(e->diag, wider->span, "the other pattern is here");
}

static bool is_replicated(const Spec *s) {
  for (int d = 0; d < s->rank; d++)
    if (s->dim[d].naxes) return false;
  return !s->open && !s->partial;
}

/* A variable that is annotated as replicated has its slots (an optimizer's m[w]) so too, where
 * they are not annotated: `updates` would split them, and `replicated` is meant for the whole
 * state. */
static void slots_follow(Applying *a) {
  Elab *e = a->e;
  for (int i = 0; i < e->program->vars.n; i++) {
    Var *slot = &e->program->vars.at[i];
    if (!slot->key || slot->spec) continue;
    Var *of = &e->program->vars.at[slot->key - 1];
    if (!of->spec || !is_replicated(of->spec) || !shape_equal(&slot->shape, &of->shape)) continue;
    slot->spec = of->spec;
    int at = lookup_get(&a->claim_at, &of->spec);
    Statement *record = at ? a->claims.at[at - 1].by->record : NULL;
    if (record) vec_push(e->arena, &record->gave, slot->path);
  }
}

void says_apply(Elab *e) {
  Applying a = {.e = e};
  int before = e->diag->errors; /* when there are any, not all tensors came to be */
  collect(&a);
  index_names(&a);
  /* From the strongest: weaker statements are skipped where a stronger one applies. */
  for (int strength = BY_OPTION_NAME; strength >= BY_PATTERN; strength--)
    for (int i = 0; i < e->said.n; i++) {
      const Said *s = e->said.at[i];
      if ((int)s->strength != strength) continue;
      bool any = s->pattern ? apply_pattern(&a, s) : apply_name(&a, s);
      if (before) continue;
      if (any)
        came_too_late(e, s);
      else
        matched_nothing(e, s);
    }
  slots_follow(&a);
}
