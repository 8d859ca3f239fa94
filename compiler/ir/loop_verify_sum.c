/* The law of loop.h about sums (docs/sums.md): a sum's addends come in the order of their index,
 * row-major, which was settled when its loops were built. No pass over these loops reorders those
 * of reduced dims, turns one around, takes other than DTRT_LANES elements to the lanes at once, or
 * changes which blocks are combined. */
#include "loop.h"
#include <string.h>

typedef struct SumCheck {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const LoopFunction *f;
  const LoopSum *sum;
  VEC(const LoopStmt *) around; /* loops, outermost first */
  const char *breach;
} SumCheck;

/* What combines blocks, or takes addends to the lanes. */
static bool combines(const char *name) {
  static const char *const verbs[] = {"dtrt_accumulate_", "dtrt_carry_", "dtrt_fold_"};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (!strncmp(name, verbs[i], strlen(verbs[i]))) return true;
  return false;
}

static void put_calls(Str *out, const Exprs *x, const LoopStmt *s) {
  for (; s; s = s->next) {
    if (s->kind == STMT_CALL && expr_node(x, s->a)->kind == EXPR_CALL &&
        combines(expr_node(x, s->a)->name))
      str_printf(out, "%s%s", out->n ? " " : "", expr_node(x, s->a)->name);
    put_calls(out, x, s->body);
    put_calls(out, x, s->other);
  }
}

const char *loop_sum_calls(Arena *a, const LoopFunction *f) {
  Str s = str_new(a);
  put_calls(&s, f->x, f->body);
  return s.n ? s.at : "";
}

static void breaks(SumCheck *c, const LoopStmt *s, const char *what) {
  if (c->breach) return;
  const Node *n = graph_node(c->le->graph, c->sum->node);
  c->breach = arena_printf(c->arena, "the sum %s is added up in another order: %s%s%s",
                           node_called(n), s ? s->name : "", s ? " " : "", what);
}

/* The place of the loop's dim among the reduced dims; -1: it is none of them, or its one
 * turn has no index. */
static int dim_of(const SumCheck *c, const LoopStmt *s) {
  for (int d = 0; s->name && d < c->sum->dims; d++)
    if (expr_mentions(c->f->x, c->sum->at[d], s->name)) return d;
  return -1;
}

static bool is_number(const SumCheck *c, Expr e, int64_t *v) {
  const ExprNode *n = expr_node(c->f->x, e);
  *v = n->lo;
  return n->lo == n->hi;
}

static void check_loop(SumCheck *c, const LoopStmt *s) {
  const int dim = dim_of(c, s);
  const ExprNode *by = expr_node(c->f->x, s->c), *to = expr_node(c->f->x, s->b);
  if (by->lo < 1) breaks(c, s, "does not count up");
  for (int i = 0; dim >= 0 && i < c->around.n; i++) {
    const LoopStmt *outer = c->around.at[i];
    const int own = dim_of(c, outer);
    const ExprNode *step = expr_node(c->f->x, outer->c);
    if (own > dim) breaks(c, s, "goes over a dim before that of the loop around it");
    if (own == dim && outer->name != s->name && to->hi > step->hi && step->hi > 1)
      breaks(c, s, "goes beyond a turn of the loop around it");
  }
}

/* Loops over the same index that follow each other go on. */
static void check_next(SumCheck *c, const LoopStmt *s) {
  int64_t from, next;
  for (const LoopStmt *k = s->next; k; k = k->next)
    if (k->kind == STMT_FOR && k->name == s->name && !s->goes_on && !k->goes_on &&
        dim_of(c, s) >= 0 && is_number(c, s->a, &from) && is_number(c, k->a, &next) && next < from)
      breaks(c, k, "comes after a later part of its dim");
}

/* The innermost loop around, if it is over what the call takes, or over the line itself. */
static void check_lanes(SumCheck *c, const ExprNode *call) {
  const LoopStmt *s = c->around.n ? c->around.at[c->around.n - 1] : NULL;
  int64_t by;
  if (strncmp(call->name, "dtrt_accumulate_", 16) || !s || !s->name) return;
  bool over = dim_of(c, s) == c->sum->dims - 1;
  for (int i = 0; i < call->n; i++) over = over || expr_mentions(c->f->x, call->arg[i], s->name);
  if (over && (!is_number(c, s->c, &by) || by != c->sum->lanes))
    breaks(c, s, "takes other than DTRT_LANES elements at once");
}

static void check(SumCheck *c, const LoopStmt *s) {
  for (; s && !c->breach; s = s->next) {
    const ExprNode *call = s->kind == STMT_CALL ? expr_node(c->f->x, s->a) : NULL;
    if (call && call->kind == EXPR_CALL) check_lanes(c, call);
    const int around = c->around.n;
    if (s->kind == STMT_FOR) {
      check_loop(c, s);
      check_next(c, s);
      vec_push(c->arena, &c->around, s);
    }
    check(c, s->body);
    check(c, s->other);
    c->around.n = around;
  }
}

const char *loop_verify_sum(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f) {
  if (!f->sum) return NULL;
  SumCheck c = {.arena = a, .plan = p, .le = le, .f = f, .sum = f->sum};
  check(&c, f->body);
  const char *calls = loop_sum_calls(a, f);
  if (strcmp(calls, f->sum->calls)) breaks(&c, NULL, "blocks are combined otherwise");
  if (f->sum->blocks && (!strstr(calls, "dtrt_carry_") || !strstr(calls, "dtrt_fold_")))
    breaks(&c, NULL, "blocks are not combined pairwise");
  return c.breach;
}
