/* Loop functions being built: their statements; and, when they are done, the numbering of what they
 * take, by which equal functions are found. */
#include "loop_build.h"
#include "thresholds.h"
#include <string.h>

/* -------- statements -------- */

LoopStmt *loop_add(Loop *l, LoopStmt s) {
  OpenBody *o = &l->open.at[l->open.n - 1];
  LoopStmt *own = *o->next = loop_stmt(l, s);
  o->next = &own->next;
  return own;
}

void loop_open_body(Loop *l, LoopStmt s) {
  LoopStmt *own = loop_add(l, s);
  vec_push(l->arena, &l->open, ((OpenBody){own, &own->body}));
}

static bool uses(const Exprs *x, Expr e, Expr index) {
  const ExprNode *n = expr_node(x, e);
  bool found = e == index;
  for (int i = 0; i < n->n && !found; i++) found = uses(x, n->arg[i], index);
  return found;
}

/* The index is divided, as where a reshape splits the dim: what is read there lies in no row. */
static bool is_divided(const Loop *l, Expr index) {
  for (Expr e = 0; e < l->x->n; e++) {
    const ExprNode *n = expr_node(l->x, e);
    if ((n->kind == EXPR_DIV || n->kind == EXPR_MOD) && uses(l->x, n->arg[0], index)) return true;
  }
  return false;
}

void loop_adds_up(Loop *l, const LoopSum *sum) {
  LoopSum *own = arena_copy(l->arena, sum, sizeof *sum);
  own->calls = loop_sum_calls(l->arena, &l->f);
  loop_sum_find_counts(l->arena, &l->f, own);
  own->counted = loop_sum_counts(l->arena, &l->f, own);
  l->f.sum = own;
}

/* An innermost loop over few elements that reads by a divided index has its length in the function,
 * though functions are then shared less: with a known length compilers shuffle what they read once,
 * with an unknown one they gather each element. */
static Expr known_if_few(Loop *l, Expr index, Expr to) {
  const ExprNode *n = expr_node(l->x, to);
  int64_t count;
  const bool few = n->kind == EXPR_PARAM && expr_is_int(l->x, l->f.params.at[n->v].value, &count) &&
                   count <= loop_unrolled(l);
  return few && l->open.n && is_divided(l, index) ? loop_int(l, count) : to;
}

void loop_open_by(Loop *l, Expr index, Expr from, Expr to, Expr step, LoopHow how) {
  if (how == LOOP_PLAIN) to = known_if_few(l, index, to);
  const char *name = expr_node(l->x, index)->name;
  loop_open_body(
      l, (LoopStmt){.kind = STMT_FOR, .how = how, .name = name, .a = from, .b = to, .c = step});
}

void loop_open_from(Loop *l, Expr index, Expr from, Expr to, LoopHow how) {
  loop_open_by(l, index, from, to, loop_int(l, 1), how);
}

void loop_open(Loop *l, Expr index, Expr to, LoopHow how) {
  loop_open_from(l, index, loop_int(l, 0), to, how);
}

void loop_open_on(Loop *l, Expr index, Expr to, Expr step, LoopHow how) {
  loop_open_body(l, (LoopStmt){.kind = STMT_FOR,
                               .how = how,
                               .goes_on = true,
                               .name = expr_node(l->x, index)->name,
                               .a = index,
                               .b = to,
                               .c = step});
}

void loop_while(Loop *l, Expr cond, LoopHow how) {
  loop_open_body(l, (LoopStmt){.kind = STMT_WHILE, .how = how, .a = cond});
}

void loop_if(Loop *l, Expr cond) { loop_open_body(l, (LoopStmt){.kind = STMT_IF, .a = cond}); }

void loop_else(Loop *l) {
  OpenBody *o = &l->open.at[l->open.n - 1];
  o->next = &o->of->other;
}

void loop_close(Loop *l, int n) { l->open.n -= n; }

void loop_close_filled(Loop *l) {
  const LoopStmt *own = l->open.at[--l->open.n].of;
  OpenBody *around = &l->open.at[l->open.n - 1];
  LoopStmt **at = around->of ? &around->of->body : &l->f.body;
  if (own->body) return;
  while (*at != own) at = &(*at)->next;
  *at = NULL;
  around->next = at;
}

Expr loop_local(Loop *l, LocalKind kind, DType t, const char *name, int64_t count, Expr value) {
  name = name_of(l->x->names, name, strlen(name));
  loop_add(l, (LoopStmt){.kind = STMT_LOCAL,
                         .local = kind,
                         .type = dtype_computed(t),
                         .name = name,
                         .count = count,
                         .a = value});
  return expr_local(l->x, dtype_computed(t), name, NO_EXPR);
}

Expr loop_element(Loop *l, Expr local, Expr index) {
  const ExprNode n = *expr_node(l->x, local);
  return expr_local(l->x, n.type, n.name, index);
}

Expr loop_integer(Loop *l, const char *name, Expr value, bool constant) {
  const ExprNode n = *expr_node(l->x, value);
  loop_local(l, constant ? LOCAL_CONST : LOCAL_VALUE, DT_I64, name, 0, value);
  return constant ? loop_symbol(l, name, n.lo, n.hi) : loop_symbol(l, name, INT64_MIN, INT64_MAX);
}

Expr loop_partial(Loop *l, NodeId id, DType t) {
  l->f.partial = id;
  l->f.partial_type = dtype_computed(t);
  return expr_local(l->x, l->f.partial_type, "partial", NO_EXPR);
}

void loop_set(Loop *l, Expr place, Expr value) {
  loop_add(l, (LoopStmt){.kind = STMT_SET, .a = place, .b = value});
}

void loop_run(Loop *l, const char *function, int n, const Expr *arg) {
  loop_add(l, (LoopStmt){.kind = STMT_CALL, .a = loop_call(l, function, DT_I64, n, arg)});
}

void loop_zero_at(Loop *l, Expr address, Expr count, int size) {
  loop_run(l, "dtrt_zero", 2, (Expr[]){address, expr_scale(l->x, count, size)});
}

void loop_zero(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  const Expr p = expr_element(l->x, EXPR_LOAD, n->dtype, id, 0, NULL);
  loop_zero_at(l, expr_address(l->x, p), loop_count(l, n), dtype_size(n->dtype));
}

Expr loop_part_end(Loop *l, Expr begin, Expr len, Expr size) {
  const Expr cond = expr_compare(l->x, EXPR_LESS, expr_sub(l->x, len, begin), size);
  return loop_choose(l, cond, len, expr_add(l->x, begin, size));
}

void loop_step(Loop *l, Expr integer, int64_t by) {
  loop_set(l, integer, expr_add(l->x, integer, loop_int(l, by)));
}

void loop_open_dim(Loop *l, const Node *n, const At *at, int d, LoopHow how) {
  const Expr from = expr_sub(l->x, loop_index(l, at, d), at->dim[d]);
  loop_open_from(l, loop_index(l, at, d), from, expr_add(l->x, from, loop_extent(l, n, d)), how);
}

int loop_open_dims(Loop *l, const Node *n, const At *at, int from, int to, LoopHow how,
                   LoopHow last) {
  int loops = 0, inner = -1;
  for (int d = from; d < to; d++)
    if (has_loop(l, at, d)) inner = d;
  for (int d = from; d < to; d++)
    if (has_loop(l, at, d))
      loop_open(l, at->dim[d], loop_extent(l, n, d), d == inner ? last : how), loops++;
  return loops;
}

/* -------- what it takes -------- */

typedef struct FunctionKey {
  Loop *l;
  Str *key;
  int *met, size, n; /* by expression: 1 + its number */
  Str *numbers; /* that may be parameters: the key has places for them; NULL: it has them itself */
  int *place, given; /* ... by expression: 1 + its place */
} FunctionKey;

static void put_int(FunctionKey *w, int64_t v) { str_put(w->key, (const char *)&v, sizeof v); }
static void put_small(FunctionKey *w, int32_t v) { str_put(w->key, (const char *)&v, sizeof v); }
static void put_text(FunctionKey *w, const char *s) { str_put(w->key, s, strlen(s) + 1); }

static int take_buffer(Loop *l, NodeId id, bool written) {
  LoopFunction *f = &l->f;
  int i = loop_buffer(f, l->g, id);
  if (i < 0) {
    const Node *n = graph_node(l->g, id);
    const int b = loop_memory(l, id);
    for (i = 0; i < f->buffers.n; i++) {
      const NodeId had = f->buffers.at[i].node;
      if (loop_memory(l, had) == b && (f->flat || same_space(graph_node(l->g, had), n))) break;
    }
    if (i == f->buffers.n)
      vec_push(l->arena, &f->buffers,
               ((LoopBuffer){.node = id, .first = n->shape.rank ? n->shape.rank - 1 : 0}));
    lookup_put(&f->buffer_at, l->arena, n, i + 1);
  }
  f->buffers.at[i].written |= written;
  return i;
}

/* The element is used: of the dims that it has another index in than 0, the first. */
static int take_element(Loop *l, const ExprNode *load) {
  const int i = take_buffer(l, (NodeId)load->v, false);
  int first = 0;
  if (!load->n) return i;
  while (first < load->n - 1 && is_int(l, load->arg[first], 0)) first++;
  if (l->f.buffers.at[i].first > first) l->f.buffers.at[i].first = first;
  return i;
}

static int take_param(Loop *l, int number) {
  LoopParam *p = &l->f.params.at[number];
  if (p->place < 0) {
    p->place = l->f.used.n;
    vec_push(l->arena, &l->f.used, number);
  }
  return p->place;
}

/* Equal numbers have one place. */
static void put_place(FunctionKey *w, Expr e) {
  if (!w->place[e]) {
    const ExprNode *n = expr_node(w->l->x, e);
    w->place[e] = ++w->given;
    str_put(w->numbers, (const char *)&n->real, sizeof n->real);
  }
  put_small(w, INT32_MIN + w->place[e]); /* no expression's */
  put_small(w, (int)expr_node(w->l->x, e)->type);
}

static void walk(FunctionKey *w, Expr e) {
  if (e == NO_EXPR) {
    put_small(w, -1);
    return;
  }
  if (e >= w->size) { /* made since */
    int *met = arena_array(w->l->plan->scratch, int, 2 * e + 1);
    memcpy(met, w->met, sizeof *met * (size_t)w->size);
    w->met = met, w->size = 2 * e + 1;
  }
  if (w->met[e]) {
    put_small(w, w->met[e]);
    return;
  }
  const ExprNode n = *expr_node(w->l->x, e);
  w->met[e] = ++w->n;
  put_small(w, -2 - (int)n.kind);
  put_small(w, (int)n.type << 16 | n.n);
  switch (n.kind) {
  case EXPR_LOAD: put_small(w, take_element(w->l, &n)); break;
  case EXPR_PARAM: put_small(w, take_param(w->l, (int)n.v)); break;
  case EXPR_LINEAR: put_int(w, n.v); break;
  case EXPR_NUMBER:
    put_int(w, n.v);
    str_put(w->key, (const char *)&n.real, sizeof n.real);
    break;
  case EXPR_RANDOM: w->l->f.draws_once |= loop_runs_once(w->l); /* fallthrough */
  case EXPR_OP: put_text(w, n.op->name); break;
  case EXPR_CALL:
    w->l->f.uses_dev |= expr_takes_device(&n);
    /* fallthrough */
  case EXPR_SYMBOL:
  case EXPR_LOCAL: put_text(w, n.name); break;
  default: break;
  }
  for (int i = 0; n.coef && i < n.n; i++) put_int(w, n.coef[i]);
  for (int i = 0; i < n.n; i++)
    if (w->numbers && loop_number_may_be_given(w->l, &n, i))
      put_place(w, n.arg[i]);
    else
      walk(w, n.arg[i]);
  const ExprNode *of = n.kind == EXPR_ADDRESS ? expr_node(w->l->x, n.arg[0]) : NULL;
  if (of && of->kind == EXPR_LOAD) take_buffer(w->l, (NodeId)of->v, !n.v);
}

static void walk_all(FunctionKey *w, const LoopStmt *s) {
  for (; s; s = s->next) {
    put_small(w, (int)s->kind << 16 | (int)s->how << 8 | s->goes_on);
    if (s->kind == STMT_LOCAL)
      put_small(w, (int)s->local << 8 | (int)s->type), put_int(w, s->count);
    if (s->name) put_text(w, s->name);
    walk(w, s->kind == STMT_STORE || s->kind == STMT_SET ? s->b : s->a);
    if (s->kind == STMT_STORE || s->kind == STMT_SET) {
      const ExprNode *n = expr_node(w->l->x, s->a);
      walk(w, s->a);
      if (n->kind == EXPR_LOAD) take_buffer(w->l, (NodeId)n->v, true);
    }
    if (s->kind == STMT_FOR && !loop_in_parts(&w->l->f, s)) walk(w, s->b);
    if (s->kind == STMT_FOR) walk(w, s->c);
    walk_all(w, s->body);
    if (s->other) put_small(w, -1), walk_all(w, s->other);
    put_small(w, 0);
  }
}

static void put_buffer(FunctionKey *w, int i) {
  Loop *l = w->l;
  const LoopBuffer *b = &l->f.buffers.at[i];
  const Node *n = graph_node(l->g, b->node);
  put_small(w, (int)n->dtype << 8 | b->written);
  if (l->f.flat) return;
  put_small(w, n->shape.rank);
  for (int d = b->first + 1; d < n->shape.rank; d++) {
    const Expr room = loop_room(l, n, d);
    l->f.buffers.at[i].room[d] = room;
    walk(w, room);
  }
}

/* Parameters are passed in the order in which they were asked for, as the nest's dims are. */
static void order_params(FunctionKey *w) {
  LoopFunction *f = &w->l->f;
  int n = 0;
  for (int i = 0; i < f->params.n; i++) {
    LoopParam *p = &f->params.at[i];
    if (p->place < 0) continue;
    put_small(w, p->place << 4 | (int)p->use);
    p->place = n;
    f->used.at[n++] = i;
  }
}

/* Finds buffers and parameters, as they come. */
static void put_function(FunctionKey *w) {
  Loop *l = w->l;
  const LoopFunction *f = &l->f;
  w->met = arena_array(l->plan->scratch, int, l->x->n), w->size = l->x->n;
  walk_all(w, f->body);
  for (int i = 0; i < f->buffers.n; i++) put_buffer(w, i);
  put_small(w, f->flat << 2 | f->returns << 1 | (f->part != NULL));
  if (f->partial != NO_NODE) put_small(w, 1 + (int)f->partial_type);
  order_params(w);
}

static void take_nothing(LoopFunction *f) {
  f->buffers.n = f->used.n = 0;
  f->buffer_at = (Lookup){0};
  for (int i = 0; i < f->params.n; i++) f->params.at[i].place = -1;
}

/* Shares a function with loops of other numbers. */
static void share_numbers(Loop *l) {
  Arena *scratch = l->plan->scratch;
  Str key = str_new(scratch), numbers = str_new(scratch);
  if (!l->numbers || loop_runs_once(l)) return;
  FunctionKey w = {
      .l = l, .key = &key, .numbers = &numbers, .place = arena_array(scratch, int, l->x->n)};
  put_function(&w);
  take_nothing(&l->f);
  bool *differs = arena_array(scratch, bool, w.given + 1);
  if (loop_numbers_differ(l->numbers, &key, &numbers, differs))
    loop_numbers_given(l, w.place, differs);
}

void loop_done(Loop *l, const char *what, LoopFunction *out) {
  LoopFunction *f = &l->f;
  f->what = what;
  loop_part(l);
  loop_few(l);
  loop_blocks(l);
  loop_lines(l);
  loop_bypass(l);
  loop_check_behind(l);
  loop_index_numbers(l);
  loop_masks(l);
  Arena *scratch = l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  share_numbers(l);
  Str key = str_new(scratch);
  FunctionKey w = {.l = l, .key = &key};
  put_function(&w);
  f->key = (Str){.arena = l->arena, .at = arena_strndup(l->arena, key.at, key.n), .n = key.n};
  f->key.cap = key.n + 1;
  arena_release(scratch, mark);
  *out = *f;
}

void loop_done_as(Loop *l, NodeId id, LoopFunction *out) {
  loop_done(l, node_called(graph_node(l->g, id)), out);
}
