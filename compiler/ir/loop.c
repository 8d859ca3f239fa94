/* See loop.h. */
#include "loop.h"
#include <string.h>

int loop_buffer(const LoopFunction *f, const Graph *g, NodeId id) {
  return lookup_get(&f->buffer_at, graph_node(g, id)) - 1;
}

int loop_exprs(const Exprs *x, const LoopFunction *f, const LoopStmt *s, Expr *e) {
  int n = 0;
  if (s->kind == STMT_SET || s->kind == STMT_STORE) {
    const ExprNode *place = expr_node(x, s->a);
    e[n++] = s->b;
    for (int i = 0; i < place->n; i++) e[n++] = place->arg[i];
    return n;
  }
  if (s->a != NO_EXPR) e[n++] = s->a;
  if (s->kind != STMT_FOR) return n;
  if (!loop_in_parts(f, s)) e[n++] = s->b;
  e[n++] = s->c;
  return n;
}

bool loop_counts_up(const Exprs *x, const LoopStmt *s) {
  int64_t from, by;
  return s && s->kind == STMT_FOR && !s->goes_on && expr_is_int(x, s->a, &from) && !from &&
         expr_is_int(x, s->c, &by) && by == 1;
}

/* -------- text -------- */

typedef struct LoopText LoopText;
struct LoopText {
  Str *out;
  const Plan *plan;
  const LocalEntry *le;
  const Exprs *x;
  const LoopFunction *f; /* NULL: of an entry */
  const LoopEntry *en;
  const LoopText *caller; /* of a function whose statements are shown at its call, ... */
  const ExprNode *call; /* ... this; NULL: it is shown alone */
  const char **name;    /* by expression: what stands for it */
  int *uses;            /* by expression: in the block */
  bool *moves;          /* by expression: a local is part of it */
  ExprNames names;
  int values, indent, first; /* step of the first run of the block */
};

static const char *label(const LoopText *t, NodeId id) {
  return local_label(t->plan->program, t->le, id, t->plan->arena);
}

static const char *value_label(void *user, NodeId id) { return label(user, id); }

/* What the call passes as the memory of a node: an EXPR_PLACE; NULL: nothing is known. *after: the
 * elements behind it, or NO_EXPR. */
static const ExprNode *passed(const LoopText *t, NodeId id, Expr *after) {
  const int buffer = t->call ? loop_buffer(t->f, t->le->graph, id) : -1;
  *after = NO_EXPR;
  if (buffer < 0) return NULL;
  const ExprNode *n = expr_node(t->caller->x, t->call->arg[t->f->used.n + buffer]);
  if (n->kind == EXPR_AFTER) *after = n->arg[1], n = expr_node(t->caller->x, n->arg[0]);
  return n->kind == EXPR_PLACE ? n : NULL;
}

static bool is_zero(const Exprs *x, Expr e) {
  int64_t v;
  return expr_is_int(x, e, &v) && v == 0;
}

/* The function's indices are those of the tensor less where the part begins. */
static bool is_part_of(const LoopText *t, const ExprNode *place, NodeId id) {
  const Graph *g = t->le->graph;
  const LoopView *v = &t->caller->en->views.at[place->v];
  const int rank = graph_node(g, id)->shape.rank;
  return (!t->f->flat || rank < 2) && place->n == rank &&
         shape_equal(&graph_node(g, v->node)->shape, &graph_node(g, id)->shape);
}

static void put_of_caller(const LoopText *t, Str *out, Expr e) {
  const LoopText *c = t->caller;
  expr_put(out, c->x, c->plan->program, c->le->graph, e, &c->names);
}

/* "tile0", of x[i + tile0, j]. */
static const char *part_begin(void *user, NodeId id, int d) {
  const LoopText *t = user;
  Expr after;
  const ExprNode *place = passed(t, id, &after);
  if (!place || after != NO_EXPR || !is_part_of(t, place, id)) return NULL;
  if (d >= place->n || is_zero(t->caller->x, place->arg[d])) return NULL;
  Str s = str_new(t->plan->arena);
  put_of_caller(t, &s, place->arg[d]);
  return s.at;
}

/* Of memory that is seen otherwise than it lies its first element: x[tile0, 0][i]. */
static const char *part_label(void *user, NodeId id) {
  const LoopText *t = user;
  Expr after;
  const ExprNode *place = passed(t, id, &after);
  bool whole = !place || (after == NO_EXPR && is_part_of(t, place, id));
  if (!whole && after == NO_EXPR) {
    whole = true;
    for (int d = 0; d < place->n; d++) whole = whole && is_zero(t->caller->x, place->arg[d]);
  }
  if (whole) return label(t, id);
  Str s = str_new(t->plan->arena);
  str_puts(&s, after == NO_EXPR ? "" : "(");
  str_puts(&s, label(t, id));
  for (int d = 0; d < place->n; d++) {
    str_puts(&s, d ? ", " : "[");
    put_of_caller(t, &s, place->arg[d]);
  }
  str_puts(&s, place->n ? "]" : "");
  if (after == NO_EXPR) return s.at;
  str_puts(&s, " + ");
  put_of_caller(t, &s, after);
  str_puts(&s, ")");
  return s.at;
}

static void put_expr(LoopText *t, Expr e) {
  expr_put(t->out, t->x, t->plan->program, t->le->graph, e, &t->names);
}

static void begin_line(LoopText *t) { str_printf(t->out, "%*s", t->indent, ""); }

/* Parameters are shown as what they are in the entry. */
static void name_params(LoopText *t) {
  const Exprs *x = t->x;
  for (Expr e = 0; e < x->n; e++) {
    const ExprNode *n = expr_node(x, e);
    t->moves[e] = n->kind == EXPR_LOCAL;
    for (int i = 0; i < n->n; i++) t->moves[e] |= t->moves[n->arg[i]];
    if (n->kind != EXPR_PARAM) continue;
    const Expr value = t->f->params.at[n->v].value;
    const ExprNode *v = expr_node(x, value);
    Str s = str_new(t->plan->arena);
    const bool wraps = v->n + (v->kind == EXPR_LINEAR && v->v) > 1;
    str_puts(&s, wraps ? "(" : "");
    expr_put(&s, x, t->plan->program, t->le->graph, value,
             &(ExprNames){.value = value_label, .user = t});
    str_puts(&s, wraps ? ")" : "");
    t->name[e] = s.at;
  }
}

static void count_uses(LoopText *t, Expr e) {
  const ExprNode *n = expr_node(t->x, e);
  if (t->uses[e]++) return;
  for (int i = 0; i < n->n; i++) count_uses(t, n->arg[i]);
}

static void put_shared(LoopText *t, Expr e) {
  const ExprNode *n = expr_node(t->x, e);
  if (t->name[e]) return;
  for (int i = 0; i < n->n; i++) put_shared(t, n->arg[i]);
  if (t->uses[e] < 2 || n->kind < EXPR_OP || t->moves[e]) return;
  const char *own = arena_printf(t->plan->arena, "v%d", t->values++);
  begin_line(t);
  str_printf(t->out, "%s = ", own);
  put_expr(t, e);
  str_puts(t->out, "\n");
  t->name[e] = own;
}

static void put_block(LoopText *t, const LoopStmt *s);
static void put_step(LoopText *t, const LoopStmt *s);
static void put_exchange(LoopText *t, const LoopStmt *s);
static void put_call(LoopText *t, Expr e);

/* "for i in 64, j in 10"; "for k from 0 to 1024 by 32". */
static const LoopStmt *put_loops(LoopText *t, const LoopStmt *s) {
  str_puts(t->out, loop_in_parts(t->f, s) ? "parallel for " : "for ");
  while (loop_counts_up(t->x, s)) {
    str_printf(t->out, "%s in ", s->name);
    put_expr(t, s->b);
    if (!loop_counts_up(t->x, s->body) || s->body->next || loop_in_parts(t->f, s->body))
      return s->body;
    str_puts(t->out, ", ");
    s = s->body;
  }
  str_puts(t->out, s->name);
  if (!s->goes_on) str_puts(t->out, " from "), put_expr(t, s->a);
  str_puts(t->out, " to ");
  put_expr(t, s->b);
  int64_t by;
  if (expr_is_int(t->x, s->c, &by) && by == 1) return s->body;
  str_puts(t->out, " by ");
  put_expr(t, s->c);
  return s->body;
}

static void put_body(LoopText *t, const LoopStmt *s) {
  str_puts(t->out, "\n");
  t->indent += 2;
  put_block(t, s);
  t->indent -= 2;
}

static void put_local(LoopText *t, const LoopStmt *s) {
  str_puts(t->out, s->name);
  if (s->local == LOCAL_ARRAY || s->local == LOCAL_LANES_ARRAY)
    str_printf(t->out, ": %ld %s%s", (long)s->count, s->local == LOCAL_ARRAY ? "" : "lanes of ",
               dtype_name(s->type));
  if (s->a == NO_EXPR) return;
  str_puts(t->out, s->local == LOCAL_LANES ? " = lanes of " : " = ");
  put_expr(t, s->a);
}

static void put_names(LoopText *t, const NodeId *id, int n);
static void put_function(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f,
                         int indent, const LoopText *caller, const ExprNode *call);

/* What lies in the buffers, in their order. */
static void put_rotation(LoopText *t, const LoopStmt *s) {
  static const char *const word[] = {"places of ", "change places: ", "back: "};
  str_puts(t->out, word[s->count]);
  for (int i = 0; i < s->rotation->buffers.n; i++) {
    str_puts(t->out, i ? ", " : "");
    put_names(t, &t->le->buffers.at[s->rotation->buffers.at[i]].node, 1);
  }
}

static void put_stmt(LoopText *t, const LoopStmt *s) {
  const ExprNode *called = s->kind == STMT_CALL ? expr_node(t->x, s->a) : NULL;
  if (called && called->kind == EXPR_RUN) { /* its statements in its place */
    put_function(t->out, t->plan, t->le, &t->en->runs.at[called->v], t->indent, t, called);
    return;
  }
  if (s->kind != STMT_STEP) begin_line(t);
  switch (s->kind) {
  case STMT_FOR: put_body(t, put_loops(t, s)); return;
  case STMT_WHILE:
  case STMT_IF:
    str_puts(t->out, s->kind == STMT_IF ? "if " : "while ");
    put_expr(t, s->a);
    put_body(t, s->body);
    if (!s->other) return;
    begin_line(t);
    str_puts(t->out, "else");
    put_body(t, s->other);
    return;
  case STMT_LOCAL: put_local(t, s); break;
  case STMT_SET:
  case STMT_STORE:
    put_expr(t, s->a);
    str_puts(t->out, " = ");
    put_expr(t, s->b);
    break;
  case STMT_CALL: put_call(t, s->a); return;
  case STMT_NEXT: str_puts(t->out, "next"); break;
  case STMT_LEAVE: str_puts(t->out, "leave"); break;
  case STMT_STEP: put_step(t, s); return;
  case STMT_EXCHANGE: put_exchange(t, s); break;
  case STMT_REPEAT:
    str_printf(t->out, "repeat %d times", s->repeat->runs);
    t->first = s->repeat->first;
    put_body(t, s->body);
    return;
  case STMT_ROTATE: put_rotation(t, s); break;
  case STMT_RETURN:
    str_puts(t->out, "return ");
    put_expr(t, s->a);
    break;
  }
  str_puts(t->out, "\n");
}

/* What is used twice in a block is computed once: a line of its own before its first use. */
static void put_block(LoopText *t, const LoopStmt *first) {
  if (t->en) {
    for (const LoopStmt *s = first; s; s = s->next) put_stmt(t, s);
    return;
  }
  Expr e[LOOP_EXPRS];
  const int size = t->x->n;
  const char **name = t->name;
  int *uses = t->uses;
  t->uses = arena_array(t->plan->arena, int, size);
  t->name = arena_copy(t->plan->arena, name, sizeof *name * (size_t)size);
  t->names.at = t->name;
  for (const LoopStmt *s = first; s; s = s->next)
    for (int i = 0, n = loop_exprs(t->x, t->f, s, e); i < n; i++) count_uses(t, e[i]);
  for (const LoopStmt *s = first; s; s = s->next) {
    for (int i = 0, n = loop_exprs(t->x, t->f, s, e); i < n; i++) put_shared(t, e[i]);
    put_stmt(t, s);
  }
  t->uses = uses, t->names.at = t->name = name;
}

static void put_function(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f,
                         int indent, const LoopText *caller, const ExprNode *call) {
  const int n = f->x->n;
  LoopText t = {.out = out,
                .plan = p,
                .le = le,
                .x = f->x,
                .f = f,
                .caller = caller,
                .call = call,
                .name = arena_array(p->arena, const char *, n),
                .moves = arena_array(p->arena, bool, n),
                .indent = indent};
  t.names = (ExprNames){.at = t.name, .n = n, .value = part_label, .begin = part_begin, .user = &t};
  name_params(&t);
  if (f->part && !strcmp(f->part, LOOP_PART_FROM)) { /* no loop of its own has it */
    begin_line(&t);
    str_printf(out, "parallel for %s to part_to in ", f->part);
    put_expr(&t, f->iterations);
    str_puts(out, "\n");
    t.indent += 2;
  }
  put_block(&t, f->body);
}

void loop_put(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f, int indent) {
  put_function(out, p, le, f, indent, NULL, NULL);
}

/* -------- entries -------- */

static void put_names(LoopText *t, const NodeId *id, int n) {
  for (int i = 0; i < n; i++) str_printf(t->out, "%s%s", i ? ", " : "", label(t, id[i]));
}

/* "contract y f32[64, 10] of x, w" */
static void put_kernel_head(LoopText *t, const Node *n, NodeId id) {
  const Shape local = node_local(&t->plan->program->mesh, n);
  str_printf(t->out, "%s ", n->op->name);
  put_names(t, &id, 1);
  str_printf(t->out, " %s", dtype_name(n->dtype));
  shape_put(t->out, &local);
  str_puts(t->out, n->noperands ? " of " : "");
  put_names(t, n->operand, n->noperands);
}

static void put_exchange_head(LoopText *t, const Step *s) {
  const Graph *g = t->le->graph;
  const Exchange e = exchange_at(t->plan->program, g, graph_node(g, s->nodes.at[0]));
  str_printf(t->out, "%s%s of ",
             s->kind == STEP_WAIT ? "wait for "
             : s->slot            ? "start "
                                  : "",
             exchange_name(e.kind));
  for (int i = 0; i < s->nodes.n; i++) {
    str_puts(t->out, i ? ", " : "");
    put_names(t, graph_node(g, s->nodes.at[i])->operand, 1);
  }
}

/* What it stores, or which kernel it calls, and where it stands. */
static void put_head(LoopText *t, const Step *s) {
  const NodeId id = s->nodes.at[0];
  const Graph *g = t->le->graph;
  if (s->kind == STEP_TILES && s->tile->epilogue) {
    put_head(t, &s->tile->steps.at[0]);
    return;
  }
  if (step_moves(s))
    put_exchange_head(t, s);
  else if (s->kind == STEP_KERNEL)
    put_kernel_head(t, graph_node(g, id), id);
  else
    put_names(t, s->nodes.at, s->nodes.n);
  const char *where = node_where(t->plan->program, graph_node(g, s->nodes.at[s->nodes.n - 1]));
  if (*where) str_printf(t->out, "    # %s", where);
}

static void put_step(LoopText *t, const LoopStmt *s) {
  const int indent = t->indent;
  if (s->a != NO_EXPR) {
    const ExprNode *n = expr_node(t->x, s->a); /* a number, or what comes after the block's first */
    const int64_t in_block = n->kind == EXPR_SYMBOL || n->n ? t->first : 0;
    str_printf(t->out, "%*s%4ld  ", t->indent, "", (long)(in_block + n->v));
    t->indent += 6;
  } else {
    begin_line(t);
  }
  if (s->step)
    put_head(t, s->step);
  else
    str_puts(t->out, "copies into outputs and variables");
  put_body(t, s->body);
  t->indent = indent;
}

static void put_exchange(LoopText *t, const LoopStmt *s) {
  const ExprNode *n = s->a == NO_EXPR ? NULL : expr_node(t->x, s->a);
  str_puts(t->out, !n ? "wait" : s->count ? "start" : "run");
  for (int i = 0; n && i + 2 < n->n; i += 3) {
    str_puts(t->out, i ? ", from " : " from ");
    put_expr(t, n->arg[i + 1]);
    str_puts(t->out, " to ");
    put_expr(t, n->arg[i + 2]);
  }
  if (s->count) str_printf(t->out, ", slot %ld", (long)s->count);
}

/* A kernel's call, and below it its epilogue. */
static void put_call(LoopText *t, Expr e) {
  const ExprNode *n = expr_node(t->x, e);
  if (n->kind == EXPR_ROWS) {
    const LoopRows *tiles = &t->en->rows.at[n->v];
    str_puts(t->out, "parallel for first_row to end_row in ");
    put_expr(t, n->arg[n->n - 2]);
    put_body(t, tiles->body);
    return;
  }
  put_expr(t, e);
  str_puts(t->out, "\n");
  const ExprNode *last = n->n ? expr_node(t->x, n->arg[n->n - 1]) : n;
  if (last->kind != EXPR_ROWS) return;
  const LoopRows *r = &t->en->rows.at[last->v];
  str_printf(t->out, "%*sepilogue, by %ld rows", t->indent, "", (long)r->most);
  if (r->unit == LOOP_ALL_ROWS)
    str_puts(t->out, " in order");
  else if (r->unit)
    str_printf(t->out, " in order within %ld", (long)r->unit);
  put_body(t, r->body);
}

static const char *view_text(void *user, int64_t v) {
  const LoopText *t = user;
  const LoopView *w = &t->en->views.at[v];
  const char *name = label(t, w->node);
  return w->partial ? arena_printf(t->plan->arena, "partial of %s", name) : name;
}

static const char *run_text(void *user, int64_t v) {
  return ((const LoopText *)user)->en->runs.at[v].what;
}

void loop_put_entry(Str *out, const Plan *p, const LoopEntry *en) {
  LoopText t = {.out = out, .plan = p, .le = en->le, .x = en->x, .en = en};
  t.names = (ExprNames){.value = value_label, .view = view_text, .called = run_text, .user = &t};
  str_printf(out, "entry %s: %d step%s\n", en->le->entry->name, en->le->steps.n,
             en->le->steps.n == 1 ? "" : "s");
  put_block(&t, en->body);
}
