/* Steps that repeat, the blocks of a deep model, become one statement: the first run's steps, in
 * which what the runs are given is a column of a table, with a row for each. Clang's time does not
 * grow with the depth then. */
#include "entry_build.h"
#include "repeat.h"
#include <string.h>

typedef struct RepeatBuild {
  EntryBuild *b;
  const LoopUses *uses; /* by step, from the block's first on */
  int period, runs;
  VEC(const int64_t *) columns;
  Lookup column_at; /* 1 + the place in columns, by interned row */
  /* the step that is rewritten */
  const LoopUses *own;
  const int *view; /* by place in own->views */
  int given;       /* how many it has met */
} RepeatBuild;

/* What the runs are given in one place: a number that is the same in all, or a column. */
static Expr given(RepeatBuild *k, const int64_t *row) {
  bool varies = false;
  for (int i = 1; i < k->runs; i++) varies = varies || row[i] != row[0];
  if (!varies) return loop_given(k->b->l, row[0]);
  const char *name = name_of(k->b->names, (const char *)row, sizeof *row * (size_t)k->runs);
  int had = lookup_get(&k->column_at, name);
  if (!had) {
    vec_push(k->b->l->arena, &k->columns, row);
    lookup_put(&k->column_at, k->b->l->arena, name, had = k->columns.n);
  }
  return expr_of_entry(k->b->en->x, EXPR_COLUMN, DT_I64, had - 1, NULL, 0, NULL);
}

static const LoopView *view_in(const RepeatBuild *k, int step, int run, int i) {
  return &k->b->en->views.at[k->uses[step + run * k->period].views.at[i]];
}

/* The i-th view of a step of the block. */
static int block_view(RepeatBuild *k, int step, int i) {
  Exprs *x = k->b->en->x;
  LoopView v = *view_in(k, step, 0, i);
  int64_t *row = arena_array(k->b->l->arena, int64_t, k->runs);
  for (int r = 0; r < k->runs; r++)
    row[r] = expr_node(x, expr_node(x, view_in(k, step, r, i)->address)->arg[0])->v;
  const Expr at = given(k, row);
  v.address = expr_of_entry(x, EXPR_MEMORY, DT_I64, expr_node(x, v.address)->v, NULL, 1, &at);
  return (int)expr_node(x, entry_view(k->b, &v))->v;
}

static Expr rewrite_atom(void *user, Expr e) {
  RepeatBuild *k = user;
  Exprs *x = k->b->en->x;
  const ExprNode n = *expr_node(x, e);
  if (n.kind == EXPR_GIVEN) {
    const int step = (int)(k->own - k->uses), i = k->given++;
    int64_t *row = arena_array(k->b->l->arena, int64_t, k->runs);
    for (int r = 0; r < k->runs; r++)
      row[r] = expr_node(x, k->uses[step + r * k->period].given.at[i])->v;
    return given(k, row);
  }
  if (n.kind != EXPR_PLACE) return NO_EXPR;
  int i = 0;
  while (k->own->views.at[i] != n.v) i++;
  return expr_of_entry(x, EXPR_PLACE, n.type, k->view[i], NULL, n.n, n.arg);
}

static Expr rewrite_expr(RepeatBuild *k, Expr e) {
  Exprs *x = k->b->en->x;
  return e == NO_EXPR ? e : expr_rebuild(x, x, e, rewrite_atom, k);
}

/* In the order in which loop_uses meets what is given. */
static LoopStmt *rewrite(RepeatBuild *k, const LoopStmt *s) {
  LoopStmt *first = NULL, **next = &first;
  for (; s; s = s->next) {
    LoopStmt *own = *next = arena_copy(k->b->l->arena, s, sizeof *s);
    next = &own->next;
    own->a = rewrite_expr(k, s->a);
    if (s->kind == STMT_FOR) own->b = rewrite_expr(k, s->b), own->c = rewrite_expr(k, s->c);
    own->body = rewrite(k, s->body);
    own->other = rewrite(k, s->other);
  }
  *next = NULL;
  return first;
}

static LoopStmt *block_step(RepeatBuild *k, const LoopStmt *s, int step) {
  Exprs *x = k->b->en->x;
  LoopStmt *own = arena_copy(k->b->l->arena, s, sizeof *s);
  k->own = &k->uses[step], k->given = 0;
  int *view = arena_array(k->b->l->arena, int, k->own->views.n + 1);
  for (int i = 0; i < k->own->views.n; i++) view[i] = block_view(k, step, i);
  k->view = view;
  own->a = expr_add(x, loop_symbol(k->b->l, "first", 0, INT64_MAX), loop_int(k->b->l, step));
  own->body = rewrite(k, s->body);
  return own;
}

static LoopStmt *block(EntryBuild *b, LoopStmt *const *step, const LoopUses *uses,
                       const Repeat *r) {
  Arena *a = b->l->arena;
  RepeatBuild k = {.b = b, .uses = uses + r->first, .period = r->period, .runs = r->count};
  LoopStmt *s = arena_new_of(a, LoopStmt);
  *s = (LoopStmt){.kind = STMT_REPEAT, .a = NO_EXPR};
  LoopStmt **next = &s->body;
  for (int i = 0; i < r->period; i++, next = &(*next)->next)
    *next = block_step(&k, step[r->first + i], i);
  *next = NULL;
  int64_t *table = arena_array(a, int64_t, r->count * k.columns.n + 1);
  for (int run = 0; run < r->count; run++)
    for (int c = 0; c < k.columns.n; c++) table[run * k.columns.n + c] = k.columns.at[c][run];
  LoopRepeat *own = arena_new_of(a, LoopRepeat);
  const int first = (int)(step[r->first]->step - b->en->le->steps.at);
  *own = (LoopRepeat){r->count, k.columns.n, table, first, r->period};
  s->repeat = own;
  return s;
}

/* Equal of steps that are alike. The line is part of it, so that a debugger's line is right in all
 * of them. */
static int key_of(EntryBuild *b, Lookup *known, const Step *s, const LoopUses *uses) {
  const Node *last = graph_node(b->en->le->graph, s->nodes.at[s->nodes.n - 1]);
  Arena *scratch = b->l->plan->scratch;
  Str key = str_new(scratch);
  str_printf(&key, "%u:%u ", last->span.file, last->span.begin);
  str_put(&key, uses->key.at, uses->key.n);
  const char *name = name_of(b->names, key.at, key.n);
  const int had = lookup_get(known, name);
  if (!had) lookup_put(known, scratch, name, known->n + 1);
  return lookup_get(known, name) - 1;
}

/* What a block is given are places in memory: a step whose memory changes places is in none. */
static bool is_moved(const EntryBuild *b, const LoopUses *uses) {
  for (int i = 0; i < uses->views.n; i++)
    if (plan_rotates(b->en->le, b->en->views.at[uses->views.at[i]].buffer)) return true;
  return false;
}

/* Steps in a row of one list; what stands behind them. */
static LoopStmt *repeats_in(EntryBuild *b, LoopStmt **list, int least) {
  Arena *a = b->l->plan->scratch;
  const ArenaMark mark = arena_mark(a);
  int n = 0;
  LoopStmt *after = *list;
  for (; after && after->kind == STMT_STEP && after->step; after = after->next) n++;
  LoopStmt **step = arena_array(a, LoopStmt *, n + 1), *s = *list;
  LoopUses *uses = arena_array(a, LoopUses, n + 1);
  int *key = arena_array(a, int, n + 1);
  Lookup known = {0};
  for (int i = 0; i < n; i++, s = s->next) {
    step[i] = s;
    loop_uses(a, b->en, s->body, &uses[i]);
    if (is_moved(b, &uses[i])) str_printf(&uses[i].key, " alone %d", i);
    key[i] = key_of(b, &known, s->step, &uses[i]);
  }
  EntryRepeats found = {0};
  repeat_find(a, key, n, least, &found);
  LoopStmt **next = list;
  for (int i = 0, k = 0; i < n;) {
    const Repeat *r = k < found.n && found.at[k].first == i ? &found.at[k++] : NULL;
    *next = r ? block(b, step, uses, r) : step[i];
    next = &(*next)->next;
    i += r ? r->period * r->count : 1;
  }
  *next = after;
  arena_release(a, mark);
  return after;
}

/* The bodies of regions hold steps, too. */
static void repeats_of(EntryBuild *b, LoopStmt **list, int least) {
  for (LoopStmt **at = list; *at; at = &(*at)->next) {
    LoopStmt *const after = repeats_in(b, at, least);
    while (*at != after) at = &(*at)->next;
    if (!*at) return;
    if ((*at)->kind == STMT_WHILE || (*at)->kind == STMT_IF) repeats_of(b, &(*at)->body, least);
  }
}

void entry_repeats(EntryBuild *b, int least) { repeats_of(b, &b->en->body, least); }
