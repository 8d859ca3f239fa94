/* Entries as C: one call after the other, step by step; the epilogues of kernels, and blocks of
 * steps that run several times, as functions of what each use of them is given:
 *
 *   for (int i = 0; i < 12; i++) entry_train_block1(dev, 10 + 21 * i, entry_train_block1_given[i]);
 *
 * --disable=repeat writes all steps out; --repeat-saves=N makes a function of what saves N steps.
 */
#include "print_entry.h"
#include <string.h>

/* -------- a function being written -------- */

static void own_stmt(Print *p, const LoopStmt *s);

/* `f` is where it stays. */
static void begin_function(Function *f, Emit *e, const LoopEntry *en) {
  f->e = e, f->en = en;
  f->head = str_new(e->arena);
  f->print = (Print){.arena = e->arena,
                     .le = en->le,
                     .x = en->x,
                     .headers = &e->counts->uses,
                     .user = f,
                     .own_expr = print_of_entry,
                     .own_stmt = own_stmt,
                     .code = str_new(e->arena)};
  print_begin(&f->print);
  f->print.code.indent = f->head.indent = 1;
  f->view = arena_array(e->arena, const char *, en->views.n + 1);
  f->symbol = arena_array(e->arena, bool, en->symbols.n + 1);
  f->at = arena_array(e->arena, const char *, en->le->buffers.n + 1);
  static const char *const words[] = {"p",     "n",         "i",         "place",  "first",
                                      "given", "exchanges", "first_row", "end_row"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) emit_keep(e, &f->used, words[i], 1);
  for (Expr s = 0; s < en->x->n; s++)
    if (expr_node(en->x, s)->kind == EXPR_SYMBOL)
      emit_keep(e, &f->used, expr_node(en->x, s)->name, 1);
}

static const char *unique(Function *f, const char *base) {
  return emit_unique(f->e, &f->used, base);
}

/* -------- memory -------- */

/* "contract_6": a value without a name is called by its op and line. */
static const char *unnamed(Function *f, const Node *n) {
  int line, column;
  n = emit_named(f->e, n);
  if (n->name || !diag_source(f->e->program->diag, n->span.file))
    return node_called(n);
  diag_locate(f->e->program->diag, n->span, &line, &column);
  return arena_printf(f->e->arena, "%s_%d", n->op->name, line);
}

static const char *view_name(Function *f, const LoopView *v) {
  Emit *e = f->e;
  const LocalEntry *le = f->en->le;
  const Node *n = graph_node(le->graph, v->node);
  if (v->partial && f->rows) return "partial";
  if (f->rows) return emit_short_name(e, n);
  const Buffer *b = &le->buffers.at[v->buffer];
  const char *entry = arena_printf(e->arena, "%s.", le->entry->name), *said = n->name;
  if (v->partial) {
    const char *to = e->assigned[v->node] ? e->assigned[v->node] : said;
    return to ? arena_printf(e->arena, "partial_%s", emit_identifier(e, to)) : "partial";
  }
  if (!said && b->node != NO_NODE) said = graph_node(le->graph, b->node)->name;
  if (!said && b->place == PLACE_VAR) said = e->program->vars.at[b->var].path;
  if (!said) said = unnamed(f, n);
  if (!strncmp(said, entry, strlen(entry))) said += strlen(entry);
  return emit_identifier(e, said);
}

/* Its memory changes places with others. */
static bool is_moved(const Function *f, const LoopView *v) {
  return !f->rows && expr_node(f->en->x, v->address)->v == SPACE_ARENA && f->at[v->buffer];
}

/* "float (*const x)[6] = " */
static void put_pointer(Function *f, Str *to, const LoopView *v, const char *name) {
  str_printf(to, v->rank > 1 ? "%s (*%s%s)" : "%s *%s%s", dtype_c_name(v->type),
             is_moved(f, v) ? "" : "const ", name);
  for (int d = 1; d < v->rank; d++) str_printf(to, "[%s]", print_alone(&f->print, v->room[d]));
  str_puts(to, " = ");
}

static const char *view_note(Function *f, const LoopView *v) {
  const Node *n = graph_node(f->en->le->graph, v->node);
  if (v->partial) return "partial sums";
  Str s = str_new(f->e->arena);
  str_puts(&s, dtype_name(n->dtype));
  shape_put(&s, &n->shape);
  str_printf(&s, " %s", layout_text(f->e->arena, f->e->mesh, n->layout));
  return emit_comment(f->e, s.at);
}

static void declare(Function *f, int number) {
  const LoopView *v = &f->en->views.at[number];
  const int64_t space = expr_node(f->en->x, v->address)->v;
  const bool sum = space != SPACE_INPUT && space != SPACE_OUTPUT;
  if (f->view[number]) return;
  f->view[number] = unique(f, view_name(f, v));
  Str line = str_new(f->e->arena);
  put_pointer(f, &line, v, f->view[number]);
  str_line(&f->print.code, sum ? "%s(void *)(%s); /* %s */" : "%s(void *)%s; /* %s */", line.at,
           print_alone(&f->print, v->address), view_note(f, v));
}

static void declare_used(Function *f, const LoopStmt *s) {
  LoopUses uses;
  loop_uses(f->print.arena, f->en, s, &uses);
  for (int i = 0; i < uses.views.n; i++) declare(f, uses.views.at[i]);
}

/* -------- steps -------- */

static void line_mark(const Emit *e, Str *to, Span at) {
  const Source *s = diag_source(e->program->diag, at.file);
  if (!e->options->line_marks || !s) return;
  int line, column;
  diag_locate(e->program->diag, at, &line, &column);
  str_printf(to, "#line %d ", line);
  str_literal(to, s->name, false);
  str_puts(to, "\n");
}

static Span span_of(const Function *f, const Step *s) {
  return graph_node(f->en->le->graph, s->nodes.at[s->nodes.n - 1])->span;
}

/* Within a tile; without names, since like steps share it. */
static void put_note(Function *f, const Step *s) {
  const Node *n = graph_node(f->en->le->graph, s->nodes.at[0]);
  const char *where = diag_where(f->e->program->diag, f->e->arena, n->span);
  str_line(&f->print.code, "/* %s%s%s */", n->op->name, *where ? "    " : "",
           emit_comment(f->e, where));
}

static void put_step(Function *f, const LoopStmt *s) {
  Print *p = &f->print;
  const Step *step = s->step;
  if (s->a == NO_EXPR) {
    put_note(f, step);
    print_block(p, s->body);
    return;
  }
  const StepText *t = step ? &f->e->text[step - f->en->le->steps.at] : NULL;
  str_puts(&p->code, "\n");
  if (t)
    str_line(&p->code, "/* %s%s%s */", emit_comment(f->e, t->what), *t->where ? "    " : "",
             emit_comment(f->e, t->where));
  else
    str_line(&p->code, "/* copies into outputs and variables */");
  if (t) line_mark(f->e, &p->code, span_of(f, step));
  str_line(&p->code, "dtrt_begin_step(dev, %s);", print_expr(p, s->a));
  declare_used(f, s->body);
  print_block(p, s->body);
}

/* -------- repeated blocks -------- */

static void put_table(Emit *e, const LoopRepeat *r, const char *name) {
  str_printf(&e->entries, "static const int64_t %s[%d][%d] = {\n", name, r->runs, r->columns);
  for (int k = 0; k < r->runs; k++) {
    str_puts(&e->entries, "    {");
    for (int c = 0; c < r->columns; c++)
      str_printf(&e->entries, "%s%ld",
                 c == 0   ? ""
                 : c % 10 ? ", "
                          : ",\n     ",
                 (long)r->given[k * r->columns + c]);
    str_puts(&e->entries, "},\n");
  }
  str_puts(&e->entries, "};\n");
}

/* Statements of one step, many times. */
static void put_turns(Function *f, const LoopStmt *s) {
  Print *p = &f->print;
  const char *table = arena_printf(p->arena, "%s_copies%d", f->id, ++f->copies);
  str_puts(&f->e->entries, "/* where to, where from, bytes */\n");
  put_table(f->e, s->repeat, table);
  f->given = arena_printf(p->arena, "%s[i]", table);
  str_line(&p->code, "for (int i = 0; i < %d; i++) {", s->repeat->runs);
  p->code.indent++;
  print_block(p, s->body);
  p->code.indent--;
  str_line(&p->code, "}");
}

static void put_block(Function *f, const LoopStmt *s) {
  Emit *e = f->e;
  const LoopRepeat *r = s->repeat;
  const char *name = arena_printf(e->arena, "%s_block%d", f->id, ++f->blocks),
             *table = arena_printf(e->arena, "%s_given", name);
  Function own = {.given = "given"};
  const Span at = span_of(f, s->body->step);
  begin_function(&own, e, f->en);
  print_block(&own.print, s->body);
  if (r->columns) put_table(e, r, table);
  str_printf(&e->entries,
             "/* Steps %d to %d of entry %s, and %d times more the like of them; names are of the "
             "first. */\n",
             r->first, r->first + r->steps - 1, f->en->le->entry->name, r->runs - 1);
  line_mark(e, &e->entries, at);
  e->counts->functions++;
  str_printf(&e->entries, "DTRT_ENTRY void %s(dtrt_device *dev, int32_t first%s) {\n%s%s}\n\n",
             name, r->columns ? ", const int64_t *given" : "", own.head.n ? own.head.at : "",
             own.print.code.at);
  Str *to = &f->print.code;
  str_puts(to, "\n");
  str_line(to, "/* steps %d to %d, %d at a time */", r->first, r->first + r->steps * r->runs - 1,
           r->steps);
  line_mark(e, to, at);
  str_line(to, "for (int i = 0; i < %d; i++)", r->runs);
  if (r->columns)
    str_line(to, "  %s(dev, %d + %d * i, %s[i]);", name, r->first, r->steps, table);
  else
    str_line(to, "  %s(dev, %d + %d * i);", name, r->first, r->steps);
}

/* -------- buffers that change places -------- */

/* All pointers to them go where they are now. */
static void put_moved(Function *f, const Rotation *r) {
  for (int i = 0; i < r->buffers.n; i++)
    for (int v = 0; v < f->en->views.n; v++)
      if (f->view[v] && f->en->views.at[v].buffer == r->buffers.at[i] &&
          is_moved(f, &f->en->views.at[v]))
        str_line(&f->print.code, "%s = (void *)%s;", f->view[v], f->at[r->buffers.at[i]]);
}

/* Each goes to the place of the one after it; back: before it. */
static void put_turn(Function *f, const Rotation *r, bool back) {
  Str *to = &f->print.code;
  const int n = r->buffers.n, first = back ? n - 1 : 0;
  str_line(to, "char *const place = %s;", f->at[r->buffers.at[first]]);
  for (int i = 0; i < n - 1; i++) {
    const int own = back ? n - 1 - i : i;
    str_line(to, "%s = %s;", f->at[r->buffers.at[own]],
             f->at[r->buffers.at[back ? own - 1 : own + 1]]);
  }
  str_line(to, "%s = place;", f->at[r->buffers.at[back ? 0 : n - 1]]);
}

static void put_copy(Function *f, const char *to, const char *from, int64_t bytes) {
  str_line(&f->print.code, "dtrt_copy(%s, %s, %ld);", to, from, (long)bytes);
}

/* Several are wanted: one turn back of what is in the places, as long as they are not theirs. */
static void put_turn_of_contents(Function *f, const Rotation *r, const char *const *home) {
  const Buffer *between = &f->en->le->buffers.at[r->between];
  const char *by = arena_printf(f->e->arena, "dev->arena + %ld", (long)between->offset);
  put_copy(f, by, home[0], between->bytes);
  for (int i = 0; i + 1 < r->buffers.n; i++) put_copy(f, home[i], home[i + 1], between->bytes);
  put_copy(f, home[r->buffers.n - 1], by, between->bytes);
  put_turn(f, r, true);
}

static void put_back(Function *f, const Rotation *r, const char *const *home) {
  Str *to = &f->print.code;
  const int first = r->buffers.at[0];
  str_line(to, r->wanted.n > 1 ? "while (%s != %s) {" : "if (%s != %s) {", f->at[first], home[0]);
  to->indent++;
  if (r->wanted.n > 1) put_turn_of_contents(f, r, home);
  for (int i = 0; i < r->buffers.n && r->wanted.n <= 1; i++) {
    const int own = r->buffers.at[i];
    if (r->wanted.n && r->wanted.at[0] == own)
      put_copy(f, home[i], f->at[own], f->en->le->buffers.at[own].bytes);
    str_line(to, "%s = %s;", f->at[own], home[i]);
  }
  put_moved(f, r);
  to->indent--;
  str_line(to, "}");
}

static void put_rotation(Function *f, const LoopStmt *s) {
  const Rotation *r = s->rotation;
  Str *to = &f->print.code;
  if (s->count == ROTATE_BEGIN) {
    for (int i = 0; i < r->buffers.n; i++) {
      const char *home = unique(f, "home");
      vec_push(f->e->arena, &f->homes, home);
      str_line(to, "char *const %s = %s;", home, f->at[r->buffers.at[i]]);
    }
  } else if (s->count == ROTATE_RUN) {
    str_line(to, "{");
    to->indent++;
    put_turn(f, r, false);
    put_moved(f, r);
    to->indent--;
    str_line(to, "}");
  } else {
    f->homes.n -= r->buffers.n;
    put_back(f, r, f->homes.at + f->homes.n);
  }
}

static void declare_places(Function *f, const LoopStmt *s) {
  for (; s; s = s->next) {
    declare_places(f, s->body);
    for (int i = 0; s->kind == STMT_ROTATE && i < s->rotation->buffers.n; i++) {
      const int own = s->rotation->buffers.at[i];
      if (f->at[own]) continue;
      f->at[own] = unique(f, "buffer");
      str_line(&f->print.code, "char *%s = dev->arena + %ld;", f->at[own],
               (long)f->en->le->buffers.at[own].offset);
    }
  }
}

/* -------- functions -------- */

static void own_stmt(Print *p, const LoopStmt *s) {
  Function *f = p->user;
  switch (s->kind) {
  case STMT_CALL: print_called(p, s->a); break;
  case STMT_STEP: put_step(f, s); break;
  case STMT_EXCHANGE: print_exchange(f, s); break;
  case STMT_ROTATE: put_rotation(f, s); break;
  default:
    if (s->repeat->steps)
      put_block(f, s);
    else
      put_turns(f, s);
  }
}

void print_rows(Emit *e, const LoopEntry *en, const LoopRows *r, const char *name) {
  Function f = {.rows = r};
  begin_function(&f, e, en);
  for (int i = 0; i < r->views.n; i++) {
    const int number = r->views.at[i];
    Str line = str_new(e->arena);
    f.view[number] = unique(&f, view_name(&f, &en->views.at[number]));
    put_pointer(&f, &line, &en->views.at[number], f.view[number]);
    if (r->own.at[i])
      str_line(&f.print.code, "%sdtrt_own(dev, p[%d], %ld);", line.at, i,
               (long)r->own.at[i] - 1);
    else
      str_line(&f.print.code, "%sp[%d];", line.at, i);
  }
  print_block(&f.print, r->body);
  static const char *const parameter[] = {"dtrt_device *dev", "void *const *p", "const int64_t *n",
                                          "int64_t first_row", "int64_t end_row"};
  emit_list(&e->loops, arena_printf(e->arena, "static void %s", name), parameter, 5, " {");
  str_printf(&e->loops, "  (void)dev, (void)p, (void)n;\n%s}\n\n", f.print.code.at);
  e->counts->functions++;
}

/* What bodies of loops and branches use is declared before them: behind them it is used, too. */
static void declare_in_bodies(Function *f, const LoopStmt *s, bool within) {
  for (; s; s = s->next) {
    if (s->kind == STMT_WHILE || s->kind == STMT_IF) declare_in_bodies(f, s->body, true);
    if (!within) continue;
    if (s->kind == STMT_STEP) declare_used(f, s->body);
    if (s->kind == STMT_CALL) declare_used(f, &(LoopStmt){.kind = s->kind, .a = s->a});
  }
}

void print_entry(Emit *e, const LoopEntry *en, const char *id) {
  Function f = {.id = id};
  const Entry *own = en->le->entry;
  begin_function(&f, e, en);
  declare_places(&f, en->body);
  declare_in_bodies(&f, en->body, false);
  print_block(&f.print, en->body);
  const char *where = diag_where(e->program->diag, e->arena, own->span);
  str_printf(&e->entries, "/* entry %s%s%s */\n", own->name, *where ? "    " : "",
             emit_comment(e, where));
  line_mark(e, &e->entries, own->span);
  e->counts->functions++;
  str_printf(&e->entries, "DTRT_ENTRY void %s(dtrt_device *dev) {\n  (void)dev;\n%s%s}\n\n", id,
             f.head.n ? f.head.at : "", f.print.code.n ? f.print.code.at : "");
}
