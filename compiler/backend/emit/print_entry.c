/* Entries as C: one call after the other, step by step; the epilogues of kernels, and blocks of
 * steps that run several times, as functions of what each use of them is given:
 *
 *   for (int i = 0; i < 12; i++) entry_train_block1(dev, 10 + 21 * i, entry_train_block1_given[i]);
 *
 * --disable=repeat writes all steps out; --repeat-saves=N makes a function of what saves N steps.
 */
#include "print_loop.h"
#include <string.h>

enum { MOST_COLUMNS = 100 };

/* -------- a function being written -------- */

typedef struct Function {
  Emit *e;
  const LoopEntry *en;
  const LoopRows *rows; /* it is an epilogue */
  const char *id;       /* of the entry */
  const char *given;    /* what a repeated block is given: a row of its table */
  Print print;
  Str head;          /* extents */
  const char **view; /* by view: its name; NULL: not declared */
  bool *symbol;      /* by entry symbol: it is declared */
  Lookup used;       /* identifiers, interned: the next number for another; 1: a variable's */
  int blocks, copies;
} Function;

static const char *own_expr(Print *p, const ExprNode *n, int scope);
static void own_stmt(Print *p, const LoopStmt *s);

/* `f` is where it stays. */
static void begin_function(Function *f, Emit *e, const LoopEntry *en) {
  f->e = e, f->en = en;
  f->head = str_new(e->arena);
  f->print = (Print){.arena = e->arena,
                     .le = en->le,
                     .x = en->x,
                     .user = f,
                     .own_expr = own_expr,
                     .own_stmt = own_stmt,
                     .code = str_new(e->arena)};
  print_begin(&f->print);
  f->print.code.indent = f->head.indent = 1;
  f->view = arena_array(e->arena, const char *, en->views.n + 1);
  f->symbol = arena_array(e->arena, bool, en->symbols.n + 1);
  const char *const words[] = {f->rows ? "p" : "given", f->rows ? "n" : "given"};
  for (int i = 0; i < 2; i++) emit_keep(e, &f->used, words[i], 1);
  for (Expr s = 0; s < en->x->at.n; s++)
    if (expr_node(en->x, s)->kind == EXPR_SYMBOL)
      emit_keep(e, &f->used, expr_node(en->x, s)->name, 1);
}

static const char *unique(Function *f, const char *base) {
  if (print_is_local(base) || emit_find(f->e, &f->used, base) == 1)
    base = arena_printf(f->e->arena, "%s_", base);
  const char *name = base;
  int k = emit_find(f->e, &f->used, base);
  for (int taken = k; taken; taken = emit_find(f->e, &f->used, name))
    name = arena_printf(f->e->arena, "%s_%d", base, k++);
  if (k) emit_keep(f->e, &f->used, base, k);
  emit_keep(f->e, &f->used, name, 2);
  return name;
}

/* -------- memory -------- */

/* "contract_6": a value without a name is called by its op and line. */
static const char *unnamed(Function *f, const Node *n) {
  int line, column;
  n = emit_named(f->e, n);
  if (n->name || !diag_source(f->e->program->diag, n->span.file))
    return n->name ? n->name : n->op->name;
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

/* "float (*const x)[6] = " */
static void put_pointer(Function *f, Str *to, const LoopView *v, const char *name) {
  str_printf(to, v->rank > 1 ? "%s (*const %s)" : "%s *const %s", dtype_c_name(v->type), name);
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
  const bool sum = expr_node(f->en->x, v->address)->v != SPACE_INPUT;
  if (f->view[number]) return;
  f->view[number] = unique(f, view_name(f, v));
  Str line = str_new(f->e->arena);
  put_pointer(f, &line, v, f->view[number]);
  str_line(&f->print.code, sum ? "%s(void *)(%s); /* %s */" : "%s(void *)%s; /* %s */", line.at,
           print_alone(&f->print, v->address), view_note(f, v));
}

/* -------- expressions -------- */

static const char *space_name(int64_t space) {
  return space == SPACE_ARENA ? "arena" : space == SPACE_VARS ? "vars" : "in";
}

static const char *number(Arena *a, int64_t v) {
  return v >> 48 ? arena_printf(a, "0x%lxu", (unsigned long)v) : arena_printf(a, "%ld", (long)v);
}

/* What an epilogue is passed in place of an integer of the entry; NULL: it is no such. */
static const char *passed(const Function *f, const ExprNode *n) {
  for (int i = 0; f->rows && i < f->rows->integers.n; i++)
    if (expr_node(f->en->x, f->rows->integers.at[i]) == n)
      return arena_printf(f->e->arena, "n[%d]", i);
  return NULL;
}

static const char *symbol(Function *f, const ExprNode *n) {
  const LoopSymbols *all = &f->en->symbols;
  const char *own = passed(f, n);
  for (int i = 0; !own && i < all->n; i++) {
    const LoopSymbol *s = &all->at[i];
    if (s->kind > INTEGER_FROM || expr_node(f->en->x, s->symbol) != n || f->symbol[i]) continue;
    const Node *of = graph_node(f->en->le->graph, s->node);
    const char *t = emit_dim(f->e, &of->layout->dim[s->dim], of->shape.dim[s->dim]);
    if (s->kind == INTEGER_BLOCK)
      str_line(&f->head, "const int64_t %s = dtrt_hi(dev, &%s) - dtrt_lo(dev, &%s);", n->name, t,
               t);
    else
      str_line(&f->head, "const int64_t %s = dtrt_lo(dev, &%s);", n->name, t);
    f->symbol[i] = true;
  }
  return own ? own : n->name;
}

static const char *place(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  if (!n->n) return f->view[n->v];
  Str s = str_new(p->arena);
  str_printf(&s, "&%s", f->view[n->v]);
  for (int d = 0; d < n->n; d++) str_printf(&s, "[%s]", print_in(p, n->arg[d], scope));
  return s.at;
}

static const char *after(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const ExprNode *of = expr_node(p->x, n->arg[0]);
  const char *from = print_in(p, n->arg[0], scope), *by = print_in(p, n->arg[1], scope);
  const LoopView *v = &f->en->views.at[of->v];
  const bool flat = v->rank == 1 && !of->n && v->type == n->type;
  const char *cast = flat ? "" : arena_printf(p->arena, "(%s *)", dtype_c_name(n->type));
  int64_t none;
  if (expr_is_int(p->x, n->arg[1], &none) && !none)
    return arena_printf(p->arena, "%s%s", cast, from);
  return arena_printf(p->arena, "%s%s + %s", cast, from, by);
}

static const char *joined(Arena *a, const char *const *text, int n) {
  Str s = str_new(a);
  for (int i = 0; i < n; i++) str_printf(&s, "%s%s", i ? ", " : "", text[i]);
  return n ? s.at : "";
}

static const char **texts(Print *p, const Expr *e, int n, int scope) {
  const char **text = arena_array(p->arena, const char *, n + 1);
  for (int i = 0; i < n; i++) text[i] = print_in(p, e[i], scope);
  return text;
}

/* A struct; an array is one of its fields. */
static const char *list(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
  str_printf(&s, "(%s){", n->name);
  for (int i = 0; i < n->n; i++) {
    const ExprNode *arg = expr_node(p->x, n->arg[i]);
    str_puts(&s, i ? ", " : "");
    if (arg->kind == EXPR_LIST)
      str_printf(&s, ".%s = {%s}", arg->name,
                 joined(p->arena, texts(p, arg->arg, arg->n, scope), arg->n));
    else
      str_puts(&s, print_in(p, n->arg[i], scope));
  }
  str_puts(&s, "}");
  return s.at;
}

/* Buffers of functions that see them otherwise are passed as no pointer in particular. */
static const char **arguments(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopFunction *called = &f->en->runs.at[n->v];
  const char **text = texts(p, n->arg, n->n, scope);
  for (int i = called->used.n; i < n->n; i++) {
    const ExprNode *arg = expr_node(p->x, n->arg[i]);
    if (arg->kind != EXPR_PLACE || f->en->views.at[arg->v].rank < 2) continue;
    if (called->flat || arg->n) text[i] = arena_printf(p->arena, "(void *)%s", text[i]);
  }
  return text;
}

static const char *run(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopFunction *called = &f->en->runs.at[n->v];
  return arena_printf(p->arena, "%s(%s%s)", f->e->unit[called->number],
                      !called->uses_dev ? ""
                      : n->n            ? "dev, "
                                        : "dev",
                      joined(p->arena, arguments(p, n, scope), n->n));
}

static const char *epilogue(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopRows *r = &f->en->rows.at[n->v];
  const char **text = texts(p, n->arg, n->n, scope);
  const char *pointers = joined(p->arena, text, r->views.n),
             *numbers = joined(p->arena, text + r->views.n, r->integers.n),
             *ahead = joined(p->arena, text + n->n - r->ahead, r->ahead);
  Str s = str_new(p->arena);
  str_printf(&s, "&(dtrt_then){%s, dev, ", f->e->unit[r->number]);
  str_printf(&s, *pointers ? "(void *const[]){%s}, " : "0, ", pointers);
  str_printf(&s, *numbers ? "(const int64_t[]){%s}, " : "0, ", numbers);
  str_printf(&s, *ahead ? "%d, (const void *const[]){%s}" : "%d, 0", r->ahead, ahead);
  str_puts(&s, r->ordered ? ", 1}" : ", 0}");
  return s.at;
}

static const char *own_expr(Print *p, const ExprNode *n, int scope) {
  Function *f = p->user;
  switch (n->kind) {
  case EXPR_SYMBOL: return symbol(f, n);
  case EXPR_GIVEN: {
    const char *own = passed(f, n);
    return own ? own : number(p->arena, n->v);
  }
  case EXPR_COLUMN: return arena_printf(p->arena, "%s[%ld]", f->given, (long)n->v);
  case EXPR_MEMORY:
    return arena_printf(p->arena, n->v == SPACE_INPUT ? "dev->%s[%s]" : "dev->%s + %s",
                        space_name(n->v), print_wrapped_in(p, n->arg[0], scope));
  case EXPR_PLACE: return place(p, n, scope);
  case EXPR_AFTER: return after(p, n, scope);
  case EXPR_LIST: return list(p, n, scope);
  case EXPR_RUN: return run(p, n, scope);
  default: return epilogue(p, n, scope);
  }
}

/* -------- calls -------- */

/* "function(a, b, c);", on as many lines as it takes. */
static void put_call(Print *p, const char *function, const char *const *text, int n) {
  Str line = str_new(p->arena);
  const int indent = 2 * p->code.indent;
  int column = indent + (int)strlen(function) + 1;
  str_printf(&line, "%s(", function);
  for (int i = 0; i < n; i++) {
    const int length = (int)strlen(text[i]) + 2;
    const bool wraps = i && column + length > MOST_COLUMNS;
    str_puts(&line, i ? "," : "");
    if (wraps) str_printf(&line, "\n%*s", indent + 4, "");
    if (i && !wraps) str_puts(&line, " ");
    str_puts(&line, text[i]);
    column = (wraps ? indent + 4 : column) + length;
  }
  str_line(&p->code, "%s);", line.at);
}

/* A loop function as dtrt_parallel calls it, one for each set of integers that are numbers: clang then
 * knows them in the loops. Others come through n: their places in the call are in `through`. */
static const char *part_function(Print *p, const ExprNode *n, int *through, int *nthrough) {
  const Function *f = p->user;
  Emit *e = f->e;
  const LoopFunction *called = &f->en->runs.at[n->v];
  const char *of = e->unit[called->number];
  Str text = str_new(e->arena);
  str_printf(&text,
             "(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {\n"
             "  (void)dev, (void)n;\n  %s(%sfrom, to",
             of, called->uses_dev ? "dev, " : "");
  for (int i = 0; i < called->used.n; i++) {
    int64_t v;
    if (expr_is_int(p->x, n->arg[i], &v))
      str_printf(&text, ", %ld", (long)v);
    else
      str_printf(&text, ", n[%d]", *nthrough), through[(*nthrough)++] = i;
  }
  for (int i = 0; i < called->buffers.n; i++) str_printf(&text, ", p[%d]", i);
  str_puts(&text, ");\n}\n\n");
  const int had = emit_find(e, &e->part_at, text.at);
  if (had) return e->parts.at[had - 1];
  const char *own = arena_printf(e->arena, "part%d_%s", e->parts.n + 1, of);
  vec_push(e->arena, &e->parts, own);
  emit_keep(e, &e->part_at, text.at, e->parts.n);
  str_printf(&e->loops, "static void %s%s", own, text.at);
  return own;
}

/* dtrt_parallel(dev, part8_loop7_x, 4096, 64, pointers, integers) */
static void put_parallel(Print *p, const ExprNode *n) {
  const Function *f = p->user;
  const LoopFunction *called = &f->en->runs.at[n->v];
  const int integers = called->used.n, buffers = called->buffers.n;
  const char **own = texts(p, n->arg, n->n, p->scope),
             **passed = arena_array(p->arena, const char *, integers + 1);
  int *through = arena_array(p->arena, int, integers + 1), k = 0;
  const char *name = part_function(p, n, through, &k);
  for (int i = 0; i < k; i++) passed[i] = own[through[i]];
  const char *const text[] = {
      "dev",
      name,
      own[n->n - 2],
      own[n->n - 1],
      arena_printf(p->arena, "(void *const[]){%s}", joined(p->arena, own + integers, buffers)),
      !k ? "0" : arena_printf(p->arena, "(const int64_t[]){%s}", joined(p->arena, passed, k))};
  put_call(p, "dtrt_parallel", text, 6);
}

/* dtrt_parallel(dev, tiles9_x, 8, 1, pointers, integers) */
static void put_tiles(Print *p, const ExprNode *n) {
  const Function *f = p->user;
  const LoopRows *r = &f->en->rows.at[n->v];
  const char **own = texts(p, n->arg, n->n, p->scope),
             *pointers = joined(p->arena, own, r->views.n),
             *integers = joined(p->arena, own + r->views.n, r->integers.n);
  const char *const text[] = {
      "dev",
      f->e->unit[r->number],
      own[n->n - 2],
      own[n->n - 1],
      *pointers ? arena_printf(p->arena, "(void *const[]){%s}", pointers) : "0",
      *integers ? arena_printf(p->arena, "(const int64_t[]){%s}", integers) : "0"};
  put_call(p, "dtrt_parallel", text, 6);
}

static void put_called(Print *p, Expr e) {
  const Function *f = p->user;
  const ExprNode *n = expr_node(p->x, e);
  if (n->kind == EXPR_ROWS) {
    put_tiles(p, n);
    return;
  }
  if (n->kind == EXPR_CALL) {
    put_call(p, n->name, texts(p, n->arg, n->n, p->scope), n->n);
    return;
  }
  const LoopFunction *called = &f->en->runs.at[n->v];
  if (called->part) {
    put_parallel(p, n);
    return;
  }
  const char **text = arena_array(p->arena, const char *, n->n + 1), **own;
  own = arguments(p, n, p->scope);
  text[0] = "dev";
  memcpy(text + called->uses_dev, own, sizeof *own * (size_t)n->n);
  put_call(p, f->e->unit[called->number], text, n->n + called->uses_dev);
}

/* In place of an exchange that is left out: what an earlier value left there may be right by
 * chance. A sum in the place of its addends stays the device's own. */
static void spoil(Function *f, NodeId id, const char *to) {
  const LocalEntry *le = f->en->le;
  const int at = le->buffer[id];
  if (at == le->buffer[node_base(le->graph, graph_node(le->graph, id)->operand[0])]) return;
  str_line(&f->print.code, "for (int64_t i = 0; i < %ld; i++) ((char *)%s)[i] = 0x7f;",
           (long)le->buffers.at[at].bytes, to);
}

static const char *exchange_name_of(Function *f, Expr e) {
  const ExprNode *n = expr_node(f->en->x, e);
  const char *text = print_expr(&f->print, e);
  return arena_printf(f->e->arena, n->kind == EXPR_GIVEN ? "&exchange_%s" : "exchanges[%s]", text);
}

static void put_exchange(Function *f, const Step *step, const LoopStmt *s) {
  Print *p = &f->print;
  const int most = step->nodes.n;
  const char **x = arena_array(p->arena, const char *, 3 * most), **from = x + most,
             **to = from + most;
  int n = 0;
  for (int i = 0; i < most; i++) {
    const bool dropped = emit_is_dropped(f->e, step->nodes.at[i]);
    if (s->a == NO_EXPR) {
      n += !dropped;
      continue;
    }
    const Expr *arg = expr_node(p->x, s->a)->arg + 3 * i;
    x[n] = exchange_name_of(f, arg[0]);
    from[n] = print_expr(p, arg[1]), to[n] = print_expr(p, arg[2]);
    if (dropped)
      spoil(f, step->nodes.at[i], to[n]);
    else
      n++;
  }
  if (n == 0) return;
  if (s->a == NO_EXPR) {
    str_line(&p->code, "dtrt_wait_exchange(dev, %ld);", (long)s->count);
    return;
  }
  const char *flight = s->count ? arena_printf(p->arena, "dev, %ld", (long)s->count) : "dev",
             *name = arena_printf(p->arena, "dtrt_%s_exchange%s", s->count ? "start" : "run",
                                  n > 1 ? "s" : "");
  if (n == 1) {
    put_call(p, name, (const char *[]){flight, x[0], from[0], to[0]}, 4);
    return;
  }
  const char *count = arena_printf(p->arena, "%d", n),
             *all = arena_printf(p->arena, "(const dtrt_exchange *const[]){%s}",
                                 joined(p->arena, x, n)),
             *froms =
                 arena_printf(p->arena, "(const void *const[]){%s}", joined(p->arena, from, n)),
             *tos = arena_printf(p->arena, "(void *const[]){%s}", joined(p->arena, to, n));
  put_call(p, name, (const char *[]){flight, count, all, froms, tos}, 5);
}

/* -------- steps -------- */

static void line_mark(const Emit *e, Str *to, Span at) {
  const Source *s = diag_source(e->program->diag, at.file);
  if (!e->options->line_marks || !s) return;
  int line, column;
  diag_locate(e->program->diag, at, &line, &column);
  str_printf(to, "#line %d ", line);
  emit_line_string(to, s->name);
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
  if (t) line_mark(f->e, &p->code, span_of(f, step));
  str_line(&p->code, "dtrt_begin_step(dev, %s);", print_expr(p, s->a));
  LoopUses uses;
  loop_uses(p->arena, f->en, s->body, &uses);
  for (int i = 0; i < uses.views.n; i++) declare(f, uses.views.at[i]);
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

/* -------- functions -------- */

static void own_stmt(Print *p, const LoopStmt *s) {
  Function *f = p->user;
  switch (s->kind) {
  case STMT_CALL: put_called(p, s->a); break;
  case STMT_STEP: put_step(f, s); break;
  case STMT_EXCHANGE: put_exchange(f, s->step, s); break;
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
  str_printf(
      &e->loops,
      "static void %s(dtrt_device *dev, void *const *p, const int64_t *n, int64_t first_row, "
      "int64_t end_row) {\n  (void)dev, (void)p, (void)n;\n%s}\n\n",
      name, f.print.code.at);
}

/* What bodies of loops and branches use is declared before them: behind them it is used, too. */
static void declare_in_bodies(Function *f, const LoopStmt *s, bool within) {
  for (; s; s = s->next) {
    if (s->kind == STMT_WHILE || s->kind == STMT_IF) declare_in_bodies(f, s->body, true);
    if (s->kind != STMT_STEP || !within) continue;
    LoopUses uses;
    loop_uses(f->print.arena, f->en, s->body, &uses);
    for (int i = 0; i < uses.views.n; i++) declare(f, uses.views.at[i]);
  }
}

void print_entry(Emit *e, const LoopEntry *en, const char *id) {
  Function f = {.id = id};
  const Entry *own = en->le->entry;
  begin_function(&f, e, en);
  declare_in_bodies(&f, en->body, false);
  print_block(&f.print, en->body);
  const char *where = diag_where(e->program->diag, e->arena, own->span);
  str_printf(&e->entries, "/* entry %s%s%s */\n", own->name, *where ? "    " : "",
             emit_comment(e, where));
  line_mark(e, &e->entries, own->span);
  str_printf(&e->entries, "DTRT_ENTRY void %s(dtrt_device *dev) {\n  (void)dev;\n%s%s}\n\n", id,
             f.head.n ? f.head.at : "", f.print.code.n ? f.print.code.at : "");
}
