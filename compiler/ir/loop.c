/* See loop.h. */
#include "loop.h"
#include <string.h>

int loop_buffer(const LoopFunction *f, const Graph *g, NodeId id) {
  return lookup_get(&f->buffer_at, graph_node(g, id)) - 1;
}

/* -------- text -------- */

typedef struct Text {
  Str *out;
  const Plan *plan;
  const LocalEntry *le;
  const LoopFunction *f;
  const char **name; /* by expression: what stands for it */
  int *uses;         /* by expression: in the block */
  bool *moves;       /* by expression: a local is part of it */
  ExprNames names;
  int values, indent;
} Text;

static void put_expr(Text *t, Expr e) {
  expr_put(t->out, t->f->x, t->plan->program, t->le->graph, e, &t->names);
}

static void begin_line(Text *t) { str_printf(t->out, "%*s", t->indent, ""); }

/* Parameters are shown as what they are in the entry. */
static void name_params(Text *t) {
  const Exprs *x = t->f->x;
  for (Expr e = 0; e < x->at.n; e++) {
    const ExprNode *n = expr_node(x, e);
    t->moves[e] = n->kind == EXPR_LOCAL;
    for (int i = 0; i < n->n; i++) t->moves[e] |= t->moves[n->arg[i]];
    if (n->kind != EXPR_PARAM) continue;
    const Expr value = t->f->params.at[n->v].value;
    const ExprNode *v = expr_node(x, value);
    Str s = str_new(t->plan->arena);
    const bool wraps = v->n + (v->kind == EXPR_LINEAR && v->v) > 1;
    str_puts(&s, wraps ? "(" : "");
    expr_put(&s, x, t->plan->program, t->le->graph, value, NULL);
    str_puts(&s, wraps ? ")" : "");
    t->name[e] = s.at;
  }
}

/* A block's own expressions, in the order in which they are evaluated. */
static int own_exprs(const Exprs *x, const LoopStmt *s, Expr *e) {
  int n = 0;
  if (s->kind == STMT_SET || s->kind == STMT_STORE) {
    const ExprNode *place = expr_node(x, s->a);
    e[n++] = s->b;
    for (int i = 0; i < place->n; i++) e[n++] = place->arg[i];
    return n;
  }
  if (s->a != NO_EXPR) e[n++] = s->a;
  if (s->kind == STMT_FOR) e[n++] = s->b, e[n++] = s->c;
  return n;
}

static void count_uses(Text *t, Expr e) {
  const ExprNode *n = expr_node(t->f->x, e);
  if (t->uses[e]++) return;
  for (int i = 0; i < n->n; i++) count_uses(t, n->arg[i]);
}

static void put_shared(Text *t, Expr e) {
  const ExprNode *n = expr_node(t->f->x, e);
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

static void put_block(Text *t, const LoopStmt *s);

static bool counts_up(const Text *t, const LoopStmt *s) {
  int64_t from, by;
  return s && s->kind == STMT_FOR && !s->goes_on && expr_is_int(t->f->x, s->a, &from) && !from &&
         expr_is_int(t->f->x, s->c, &by) && by == 1;
}

/* "for i in 64, j in 10"; "for k from 0 to 1024 by 32". */
static const LoopStmt *put_loops(Text *t, const LoopStmt *s) {
  str_puts(t->out, loop_in_parts(t->f, s) ? "parallel for " : "for ");
  while (counts_up(t, s)) {
    str_printf(t->out, "%s in ", s->name);
    put_expr(t, s->b);
    if (!counts_up(t, s->body) || s->body->next || loop_in_parts(t->f, s->body)) return s->body;
    str_puts(t->out, ", ");
    s = s->body;
  }
  str_puts(t->out, s->name);
  if (!s->goes_on) str_puts(t->out, " from "), put_expr(t, s->a);
  str_puts(t->out, " to ");
  put_expr(t, s->b);
  int64_t by;
  if (expr_is_int(t->f->x, s->c, &by) && by == 1) return s->body;
  str_puts(t->out, " by ");
  put_expr(t, s->c);
  return s->body;
}

static void put_body(Text *t, const LoopStmt *s) {
  str_puts(t->out, "\n");
  t->indent += 2;
  put_block(t, s);
  t->indent -= 2;
}

static void put_local(Text *t, const LoopStmt *s) {
  str_puts(t->out, s->name);
  if (s->local == LOCAL_ARRAY || s->local == LOCAL_LANES_ARRAY)
    str_printf(t->out, ": %ld %s%s", (long)s->count, s->local == LOCAL_ARRAY ? "" : "lanes of ",
               dtype_name(s->type));
  if (s->a == NO_EXPR) return;
  str_puts(t->out, s->local == LOCAL_LANES ? " = lanes of " : " = ");
  put_expr(t, s->a);
}

static void put_stmt(Text *t, const LoopStmt *s) {
  begin_line(t);
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
  case STMT_CALL: put_expr(t, s->a); break;
  case STMT_RETURN:
    str_puts(t->out, "return ");
    put_expr(t, s->a);
    break;
  }
  str_puts(t->out, "\n");
}

/* What is used twice in a block is computed once: a line of its own before its first use. */
static void put_block(Text *t, const LoopStmt *first) {
  Expr e[MAX_RANK + 2];
  const int size = t->f->x->at.n;
  const char **name = t->name;
  int *uses = t->uses;
  t->uses = arena_array(t->plan->arena, int, size);
  t->name = arena_copy(t->plan->arena, name, sizeof *name * (size_t)size);
  t->names.at = t->name;
  for (const LoopStmt *s = first; s; s = s->next)
    for (int i = 0, n = own_exprs(t->f->x, s, e); i < n; i++) count_uses(t, e[i]);
  for (const LoopStmt *s = first; s; s = s->next) {
    for (int i = 0, n = own_exprs(t->f->x, s, e); i < n; i++) put_shared(t, e[i]);
    put_stmt(t, s);
  }
  t->uses = uses, t->names.at = t->name = name;
}

void loop_put(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f, int indent) {
  const int n = f->x->at.n;
  Text t = {.out = out,
            .plan = p,
            .le = le,
            .f = f,
            .name = arena_array(p->arena, const char *, n),
            .moves = arena_array(p->arena, bool, n),
            .indent = indent};
  t.names = (ExprNames){t.name, n};
  name_params(&t);
  put_block(&t, f->body);
}

/* -------- the law -------- */

typedef struct Check {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const Exprs *x;
  bool *met;
  VEC(const char *) index; /* of the loops around */
  const char *breach;
} Check;

/* What ranges say of an integer is exact: of loop indices alone, each of which it has once. `had`:
 * set of those met. */
static bool is_exact(const Check *c, Expr e, uint32_t *had) {
  const ExprNode *n = expr_node(c->x, e);
  for (int i = 0; n->kind == EXPR_SYMBOL && i < c->index.n; i++)
    if (n->name == c->index.at[i]) {
      const bool again = *had >> i & 1;
      *had |= 1u << i;
      return !again;
    }
  if (n->kind != EXPR_LINEAR && n->kind != EXPR_DIV && n->kind != EXPR_MOD) return false;
  for (int i = 0; i < n->n; i++)
    if (!is_exact(c, n->arg[i], had)) return false;
  return true;
}

static void check(Check *c, Expr e) {
  if (c->met[e] || c->breach) return;
  const ExprNode *n = expr_node(c->x, e);
  c->met[e] = true;
  const Node *of = n->kind == EXPR_LOAD ? graph_node(c->le->graph, (NodeId)n->v) : NULL;
  for (int d = 0; of && n->n == of->shape.rank && d < n->n; d++) {
    const ExprNode *i = expr_node(c->x, n->arg[d]);
    const int64_t most =
        dim_block_most(&c->plan->program->mesh, &of->layout->dim[d], of->shape.dim[d]);
    uint32_t had = 0;
    if ((i->lo >= 0 && i->hi < most) || !is_exact(c, n->arg[d], &had)) continue;
    Str s = str_new(c->arena);
    expr_put(&s, c->x, c->plan->program, c->le->graph, e, NULL);
    c->breach = s.at;
    return;
  }
  /* Parts of a select hold where its conditions do, of which ranges say nothing. */
  for (int i = 0; i < n->n; i++)
    if (n->kind != EXPR_SELECT || !(i % 2 || i == n->n - 1)) check(c, n->arg[i]);
}

static void check_all(Check *c, const LoopStmt *s) {
  for (; s && !c->breach; s = s->next) {
    if (s->a != NO_EXPR) check(c, s->a);
    if (s->kind == STMT_SET || s->kind == STMT_STORE) check(c, s->b);
    if (s->kind == STMT_IF) continue;
    const int around = c->index.n;
    if (s->kind == STMT_FOR && around < 32) vec_push(c->arena, &c->index, s->name);
    check_all(c, s->body);
    c->index.n = around;
  }
}

const char *loop_verify(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f) {
  Check c = {.arena = a, .plan = p, .le = le, .x = f->x, .met = arena_array(a, bool, f->x->at.n)};
  check_all(&c, f->body);
  return c.breach;
}
