/* Entries as C: one call after the other, step by step. Steps that repeat, the blocks of a deep
 * model, are written once, as a function of what each run of it is given, so that clang's time does
 * not grow with the depth:
 *
 *   for (int i = 0; i < 12; i++) entry_train_block1(dev, 10 + 21 * i, exchanges, table[i]);
 *
 * --disable=repeat writes all of them out; --repeat-saves=N makes a function of what saves N steps.
 */
#include "emit.h"
#include "repeat.h"
#include <string.h>

enum { LEAST_SAVED = 24, LEAST_IN_TABLE = 16 /* copies */ };

/* -------- a function being written -------- */

/* What stands for a Given in the function. */
typedef struct Argument {
  const Given *given;
  const char *name;  /* of a pointer */
  const char *value; /* its offset, or the number */
  bool declared;
  int column;         /* of a block's table, counted from 1; 0: none yet */
  const int64_t *row; /* by run of the block; NULL: the same in all */
} Argument;

typedef struct Function {
  Emit *e;
  Str head, text; /* extents; steps */
  bool *has_extent;
  Argument *argument;
  const char *exchanges; /* of a block: its parameter; NULL: by their names */
  int exchange;          /* of a block: the first of its first run */
  int nexchanges, ncolumns;
} Function;

static Function function_new(Emit *e) {
  Function f = {.e = e, .head = str_new(e->arena), .text = str_new(e->arena)};
  f.head.indent = f.text.indent = 1;
  f.has_extent = arena_array(e->arena, bool, e->extents.n + 1);
  return f;
}

int mark_number(const char **c) {
  int n = 0;
  while (*++*c != MARK_END) n = 10 * n + (**c - '0');
  return n;
}

int step_given(const StepText *t, int number) {
  int i = 0;
  while (t->given.at[i] != number) i++;
  return i;
}

static void put_extent(Function *f, Str *to, int number) {
  const Table *x = &f->e->extents.at[number];
  if (!f->has_extent[number]) str_line(&f->head, "const int64_t %s = %s;", x->name, x->text);
  f->has_extent[number] = true;
  str_puts(to, x->name);
}

/* Text in which extents are the only marks. */
static void put_type(Function *f, const char *text) {
  for (const char *c = text; *c; c++)
    if (*c == MARK_EXTENT)
      put_extent(f, &f->text, mark_number(&c));
    else
      str_put(&f->text, c, 1);
}

static const char *value_of(Function *f, Argument *a) {
  if (a->row && !a->column) {
    a->column = ++f->ncolumns;
    a->value = arena_printf(f->e->arena, "given[%d]", a->column - 1);
  }
  return a->value;
}

static void declare(Function *f, Argument *a) {
  if (a->declared) return;
  a->declared = true;
  str_puts(&f->text, "  ");
  put_type(f, a->given->before);
  str_puts(&f->text, a->name);
  put_type(f, a->given->after);
  str_printf(&f->text, " = (void *)%s%s%s; /* %s */\n", a->given->base, value_of(f, a),
             a->given->end, emit_comment(f->e, a->given->note));
}

static void put_exchange(Function *f, int number) {
  if (!f->exchanges) {
    str_printf(&f->text, "&exchange_%d", number);
    return;
  }
  number -= f->exchange;
  if (number >= f->nexchanges) f->nexchanges = number + 1;
  str_printf(&f->text, "%s[%d]", f->exchanges, number);
}

/* The code of a step; argument[i] stands for the i-th it is given. */
static void put_code(Function *f, const StepText *t, const int *argument) {
  for (const char *c = t->code; *c; c++) {
    if (*c < MARK_GIVEN || *c > MARK_EXTENT) {
      const char *end = c;
      while (*end && (*end < MARK_GIVEN || *end > MARK_EXTENT)) end++;
      str_put(&f->text, c, (size_t)(end - c));
      c = end - 1;
      continue;
    }
    char kind = *c;
    int number = mark_number(&c);
    if (kind == MARK_EXTENT)
      put_extent(f, &f->text, number);
    else if (kind == MARK_EXCHANGE)
      put_exchange(f, number);
    else {
      Argument *a = &f->argument[argument[step_given(t, number)]];
      if (kind == MARK_DECLARE)
        declare(f, a);
      else
        str_puts(&f->text, a->given->before ? a->name : value_of(f, a));
    }
  }
}

static void line_mark(const Emit *e, Str *to, Span at) {
  const Source *s = diag_source(e->program->diag, at.file);
  if (!e->options->line_marks || !s) return;
  int line, column;
  diag_locate(e->program->diag, at, &line, &column);
  str_printf(to, "#line %d ", line);
  emit_line_string(to, s->name);
  str_puts(to, "\n");
}

static void put_step(Function *f, const StepText *t, const char *index, const int *argument) {
  str_puts(&f->text, "\n");
  str_line(&f->text, "/* %s%s%s */", emit_comment(f->e, t->what), *t->where ? "    " : "",
           emit_comment(f->e, t->where));
  line_mark(f->e, &f->text, t->at);
  str_line(&f->text, "dtrt_begin_step(dev, %s);", index);
  put_code(f, t, argument);
}

/* -------- blocks -------- */

typedef struct Block {
  const StepText *steps; /* of the first run */
  int period, count;
  VEC(Argument) arguments;
  int **argument; /* [period][given]: which argument it is */
  Lookup at;      /* 1 + the place in arguments, by type and values */
  Lookup used;    /* names, interned */
} Block;

/* The i-th that step j is given: one argument for all that are the same in each run. */
static int block_argument(Emit *e, Block *b, int j, int i) {
  const Given *g = &e->givens.at[b->steps[j].given.at[i]];
  int64_t *row = arena_array(e->arena, int64_t, b->count);
  bool varies = false;
  for (int k = 0; k < b->count; k++) {
    row[k] = e->givens.at[b->steps[j + k * b->period].given.at[i]].value;
    varies |= row[k] != row[0];
  }
  Str key = str_new(e->arena);
  if (g->before) str_printf(&key, "%s|%s|%s", g->before, g->after, g->base);
  str_put(&key, (const char *)row, sizeof *row * (size_t)b->count);
  const char *same = name_of(e->names, key.at, key.n);
  int had = lookup_get(&b->at, same);
  if (had) return had - 1;
  Argument a = {.given = g, .name = g->name, .row = varies ? row : NULL};
  for (int n = 2; g->before && emit_find(e, &b->used, a.name); n++)
    a.name = arena_printf(e->arena, "%s_%d", g->name, n);
  if (g->before) emit_keep(e, &b->used, a.name, 1);
  if (!varies) a.value = arena_printf(e->arena, g->before ? "%ld" : "0x%lxu", (long)g->value);
  vec_push(e->arena, &b->arguments, a);
  lookup_put(&b->at, e->arena, same, b->arguments.n);
  return b->arguments.n - 1;
}

static void put_table(Emit *e, const Block *b, const Function *f, const char *name) {
  str_printf(&e->entries, "static const int64_t %s_given[%d][%d] = {\n", name, b->count,
             f->ncolumns);
  const int64_t **row = arena_array(e->arena, const int64_t *, f->ncolumns);
  for (int i = 0; i < b->arguments.n; i++)
    if (b->arguments.at[i].column) row[b->arguments.at[i].column - 1] = b->arguments.at[i].row;
  for (int k = 0; k < b->count; k++) {
    str_puts(&e->entries, "    {");
    for (int c = 0; c < f->ncolumns; c++)
      str_printf(&e->entries, "%s%ld", c == 0 ? "" : c % 10 ? ", " : ",\n     ", (long)row[c][k]);
    str_puts(&e->entries, "},\n");
  }
  str_puts(&e->entries, "};\n");
}

/* Writes the function of a block, and into `f` the loop that runs it. */
static void put_block(Function *f, const StepText *steps, const Repeat *r, const char *entry,
                      const char *name) {
  Emit *e = f->e;
  Block b = {.steps = &steps[r->first], .period = r->period, .count = r->count};
  b.argument = arena_array(e->arena, int *, r->period);
  for (int j = 0; j < r->period; j++) {
    b.argument[j] = arena_array(e->arena, int, b.steps[j].given.n + 1);
    for (int i = 0; i < b.steps[j].given.n; i++) b.argument[j][i] = block_argument(e, &b, j, i);
  }
  Function g = function_new(e);
  g.argument = b.arguments.at;
  g.exchanges = "exchange";
  g.exchange = b.steps[0].exchange;
  for (int j = 0; j < r->period; j++)
    put_step(&g, &b.steps[j], j ? arena_printf(e->arena, "first + %d", j) : "first", b.argument[j]);
  const char *take_x = g.nexchanges ? ", const dtrt_exchange *const *exchange" : "",
             *take = g.ncolumns ? ", const int64_t *given" : "";
  if (g.ncolumns) put_table(e, &b, &g, name);
  str_printf(&e->entries,
             "/* Steps %d to %d of entry %s, and %d times more the like of them; names are of the "
             "first. */\n",
             r->first, r->first + r->period - 1, entry, r->count - 1);
  line_mark(e, &e->entries, b.steps[0].at);
  str_printf(&e->entries, "DTRT_ENTRY void %s(dtrt_device *dev, int32_t first%s%s) {\n%s%s}\n\n",
             name, take_x, take, g.head.at, g.text.at);
  str_puts(&f->text, "\n");
  str_line(&f->text, "/* steps %d to %d, %d at a time */", r->first,
           r->first + r->period * r->count - 1, r->period);
  line_mark(e, &f->text, b.steps[0].at);
  str_line(&f->text, "for (int i = 0; i < %d; i++)", r->count);
  const char *x = "", *given = "";
  if (g.nexchanges)
    x = arena_printf(e->arena, ", exchanges + %d + %d * i", g.exchange,
                     b.steps[r->period].exchange - g.exchange);
  if (g.ncolumns) given = arena_printf(e->arena, ", %s_given[i]", name);
  str_line(&f->text, "  %s(dev, %d + %d * i%s%s);", name, r->first, r->period, x, given);
}

/* -------- entries -------- */

static const char *place_name(const Buffer *b) { return b->place == PLACE_VAR ? "vars" : "arena"; }

static const char *buffer_address(Emit *e, const Buffer *b) {
  return arena_printf(e->arena, "dev->%s + %ld", place_name(b), (long)b->offset);
}

/* How many copies from `first` on go between the same places. */
static int like_copies(const LocalEntry *le, int first) {
  const Buffer *b = le->buffers.at;
  const Copy *c = le->copies.at;
  int n = first;
  while (n < le->copies.n && b[c[n].from].place == b[c[first].from].place &&
         b[c[n].to].place == b[c[first].to].place)
    n++;
  return n - first;
}

/* Many are a table: a call each would take clang as long as a loop. */
static void put_copy_table(Function *f, const LocalEntry *le, int first, int n, const char *name) {
  Str *to = &f->e->entries;
  str_printf(to, "/* where to, where from, bytes */\nstatic const int64_t %s[%d][3] = {\n", name,
             n);
  for (int i = 0; i < n; i++) {
    const Copy *c = &le->copies.at[first + i];
    const Buffer *a = &le->buffers.at[c->to], *b = &le->buffers.at[c->from];
    str_printf(to, "%s{%ld, %ld, %ld}",
               i == 0  ? "    "
               : i % 4 ? ", "
                       : ",\n    ",
               (long)a->offset, (long)b->offset, (long)a->bytes);
  }
  str_puts(to, "};\n");
  const Copy *c = &le->copies.at[first];
  str_line(&f->text, "for (int i = 0; i < %d; i++)", n);
  str_line(&f->text, "  dtrt_copy(dev->%s + %s[i][0], dev->%s + %s[i][1], %s[i][2]);",
           place_name(&le->buffers.at[c->to]), name, place_name(&le->buffers.at[c->from]), name,
           name);
}

static void put_copies(Function *f, const LocalEntry *le, const char *id) {
  if (le->copies.n == 0) return;
  str_puts(&f->text, "\n");
  str_line(&f->text, "dtrt_begin_step(dev, %d);", le->steps.n);
  for (int i = 0, tables = 0; i < le->copies.n;) {
    int n = like_copies(le, i);
    if (n >= LEAST_IN_TABLE) {
      put_copy_table(f, le, i, n, arena_printf(f->e->arena, "%s_copies%d", id, ++tables));
      i += n;
      continue;
    }
    const Buffer *from = &le->buffers.at[le->copies.at[i].from],
                 *to = &le->buffers.at[le->copies.at[i].to];
    str_line(&f->text, "dtrt_copy(%s, %s, %ld);", buffer_address(f->e, to),
             buffer_address(f->e, from), (long)to->bytes);
    i++;
  }
}

static void find_repeats(Emit *e, const StepText *steps, int n, EntryRepeats *out) {
  const int least = e->options->repeat_saves ? e->options->repeat_saves : LEAST_SAVED;
  int *key = arena_array(e->arena, int, n + 1);
  for (int t = 0; t < n; t++) key[t] = steps[t].key;
  if (plan_has(e->plan, FEATURE_REPEAT)) repeat_find(e->arena, key, n, least, out);
}

/* Variables by the nodes that are their new values. */
static void find_assigned(Emit *e, const LocalEntry *le) {
  e->assigned = arena_array(e->arena, const char *, le->graph->nodes.n + 1);
  for (int i = le->entry->assigns.n - 1; i >= 0; i--)
    e->assigned[node_base(le->graph, le->assign[i])] =
        e->program->vars.at[le->entry->assigns.at[i].var].path;
}

static void begin_entry(Emit *e, const LocalEntry *le) {
  e->le = le;
  e->extents.n = e->givens.n = e->nkeys = 0;
  e->extent_at = e->given_at = e->used = e->key_at = (Lookup){0};
  static const char *const parameters[] = {"first", "exchange", "given"}; /* of blocks */
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    emit_keep(e, &e->used, parameters[i], 2);
  find_assigned(e, le);
}

const StepText *emit_entry(Emit *e, const LocalEntry *le, const char *id) {
  int n = le->steps.n;
  begin_entry(e, le);
  StepText *steps = arena_array(e->arena, StepText, n + 1);
  for (int t = 0; t < n; t++) emit_step(e, &le->steps.at[t], &steps[t]);
  EntryRepeats repeats = {0};
  find_repeats(e, steps, n, &repeats);
  Function f = function_new(e);
  f.argument = arena_array(e->arena, Argument, e->givens.n + 1);
  for (int i = 0; i < e->givens.n; i++) {
    const Given *g = &e->givens.at[i];
    f.argument[i] = (Argument){.given = g, .name = g->name};
    f.argument[i].value = arena_printf(e->arena, g->before ? "%ld" : "0x%lxu", (long)g->value);
  }
  for (int t = 0, k = 0; t < n;) {
    const Repeat *r = k < repeats.r.n ? &repeats.r.at[k] : NULL;
    if (!r || t < r->first) {
      put_step(&f, &steps[t], arena_printf(e->arena, "%d", t), steps[t].given.at);
      t++;
      continue;
    }
    put_block(&f, steps, r, le->entry->name, arena_printf(e->arena, "%s_block%d", id, ++k));
    t += r->period * r->count;
  }
  put_copies(&f, le, id);
  const char *where = diag_where(e->program->diag, e->arena, le->entry->span);
  str_printf(&e->entries, "/* entry %s%s%s */\n", le->entry->name, *where ? "    " : "",
             emit_comment(e, where));
  line_mark(e, &e->entries, le->entry->span);
  str_printf(&e->entries, "DTRT_ENTRY void %s(dtrt_device *dev) {\n  (void)dev;\n%s%s}\n\n", id,
             f.head.at, f.text.at);
  return steps;
}
