/* The law of loop.h about sums (docs/sums.md): a sum's addends come in the order of their index,
 * row-major, which was settled when its loops were built. No pass over these loops reorders those
 * of reduced dims, turns one around, takes other than DTRT_LANES elements to the lanes at once, or
 * changes which blocks are combined: neither the calls that do, nor the integers that say, while it
 * runs, where a block begins and ends and when it is combined with which. The same holds of running
 * sums along their dim, of scatters over their indices, and of products in loops over what they
 * sum. */
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
  static const char *const verbs[] = {"dtrt_accumulate_", "dtrt_carry_",   "dtrt_fold_",
                                      "dtrt_scan_",       "dtrt_scatter_", "dtrt_sum_rows_"};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (!strncmp(name, verbs[i], strlen(verbs[i]))) return true;
  return false;
}

/* The call of such a function that the statement is, or whose result it keeps; NULL: none. */
static const ExprNode *combining(const Exprs *x, const LoopStmt *s) {
  const bool sets = s->kind == STMT_SET || s->kind == STMT_STORE;
  if (!sets && s->kind != STMT_CALL && s->kind != STMT_LOCAL) return NULL;
  const Expr e = sets ? s->b : s->a;
  const ExprNode *n = e == NO_EXPR ? NULL : expr_node(x, e);
  return n && n->kind == EXPR_CALL && combines(n->name) ? n : NULL;
}

static void put_calls(Str *out, const Exprs *x, const LoopStmt *s) {
  for (; s; s = s->next) {
    const ExprNode *call = combining(x, s);
    if (call) str_printf(out, "%s%s", out->n ? " " : "", call->name);
    put_calls(out, x, s->body);
    put_calls(out, x, s->other);
  }
}

const char *loop_sum_calls(Arena *a, const LoopFunction *f) {
  Str s = str_new(a);
  put_calls(&s, f->x, f->body);
  return s.n ? s.at : "";
}

/* -------- what counts blocks -------- */

static bool combines_within(const Exprs *x, const LoopStmt *s) {
  for (; s; s = s->next)
    if (combining(x, s) || combines_within(x, s->body) || combines_within(x, s->other)) return true;
  return false;
}

/* The integer that the statement declares, sets or counts; NULL: none. */
static const char *integer_of(const Exprs *x, const LoopStmt *s) {
  if (s->kind == STMT_FOR) return s->name;
  if (s->kind == STMT_LOCAL && s->type == DT_I64) return s->name;
  if (s->kind != STMT_SET) return NULL;
  const ExprNode *to = expr_node(x, s->a);
  return to->kind == EXPR_SYMBOL ? to->name : NULL;
}

typedef struct CountSearch {
  Arena *arena;
  const Exprs *x;
  LoopSum *sum;
  bool found; /* another one, by this round */
} CountSearch;

static bool counts(const LoopSum *sum, const char *name) {
  for (int i = 0; i < sum->counts.n; i++)
    if (sum->counts.at[i] == name) return true;
  return false;
}

/* The index is one that the sum is added up along. */
static bool adds_along(const Exprs *x, const LoopSum *sum, const char *index) {
  for (int d = 0; d < sum->dims; d++)
    if (expr_mentions(x, sum->at[d], index)) return true;
  return false;
}

/* An integer of the function that a sum's blocks follow from. */
static void take_integer(CountSearch *c, const char *name, Expr e) {
  if (e == NO_EXPR || counts(c->sum, name) || !expr_mentions(c->x, e, name)) return;
  vec_push(c->arena, &c->sum->counts, name);
  c->found = true;
}

/* Of the integer `name`: whether some statement asks for it that decides about blocks. */
static void ask(CountSearch *c, const LoopStmt *s, const char *name) {
  for (; s; s = s->next) {
    const ExprNode *call = combining(c->x, s);
    for (int i = 0; call && i < call->n; i++) take_integer(c, name, call->arg[i]);
    if ((s->kind == STMT_IF || s->kind == STMT_WHILE) &&
        (combines_within(c->x, s->body) || combines_within(c->x, s->other)))
      take_integer(c, name, s->a);
    const char *own = integer_of(c->x, s);
    const bool matters = own && (counts(c->sum, own) || adds_along(c->x, c->sum, own)),
               pointer = s->kind == STMT_LOCAL && s->local == LOCAL_POINTER;
    if ((matters && own != name) || pointer) {
      if (s->kind != STMT_SET) take_integer(c, name, s->a);
      if (s->kind != STMT_LOCAL) take_integer(c, name, s->b);
    }
    ask(c, s->body, name);
    ask(c, s->other, name);
  }
}

static void ask_for_all(CountSearch *c, const LoopFunction *f, const LoopStmt *s) {
  for (; s; s = s->next) {
    const char *own = integer_of(c->x, s);
    if (own && !counts(c->sum, own)) ask(c, f->body, own);
    ask_for_all(c, f, s->body);
    ask_for_all(c, f, s->other);
  }
}

void loop_sum_find_counts(Arena *a, const LoopFunction *f, LoopSum *sum) {
  CountSearch c = {.arena = a, .x = f->x, .sum = sum, .found = true};
  while (c.found) {
    c.found = false;
    ask_for_all(&c, f, f->body);
  }
}

static void put_counts(Str *out, const Exprs *x, const LoopSum *sum, const LoopStmt *s) {
  for (; s; s = s->next) {
    const char *own = integer_of(x, s);
    const ExprNode *call = combining(x, s);
    const bool along = own && adds_along(x, sum, own);
    const bool pointer = s->kind == STMT_LOCAL && s->local == LOCAL_POINTER;
    if (pointer ||
        (own && (s->kind == STMT_FOR ? !along && counts(sum, own) : along || counts(sum, own))))
      str_printf(out, "%s=%d,%d ", own ? own : s->name, s->kind == STMT_SET ? 0 : s->a, s->b);
    for (int i = 0; call && i < call->n; i++) str_printf(out, "%d ", call->arg[i]);
    const bool decides = (s->kind == STMT_IF || s->kind == STMT_WHILE) &&
                         (combines_within(x, s->body) || combines_within(x, s->other));
    if (decides) str_printf(out, "if %d ", s->a);
    put_counts(out, x, sum, s->body);
    put_counts(out, x, sum, s->other);
  }
}

const char *loop_sum_counts(Arena *a, const LoopFunction *f, const LoopSum *sum) {
  Str s = str_new(a);
  put_counts(&s, f->x, sum, f->body);
  return s.n ? s.at : "";
}

/* -------- loops -------- */

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
  if (over && c->sum->lanes && (!is_number(c, s->c, &by) || by != c->sum->lanes))
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
  static const char *const joins[][2] = {[SUM_REDUCED] = {"dtrt_carry_", "dtrt_fold_"},
                                         [SUM_RUNNING] = {"dtrt_scan_", ""},
                                         [SUM_SCATTERED] = {"dtrt_scatter_begin", "dtrt_scatter_"},
                                         [SUM_OF_PRODUCTS] = {"", ""}};
  const char *const *by = joins[f->sum->kind];
  const bool at_once = f->sum->kind == SUM_REDUCED && strstr(calls, "dtrt_sum_rows_");
  if (f->sum->blocks && !at_once && (!strstr(calls, by[0]) || !strstr(calls, by[1])))
    breaks(&c, NULL, "blocks are not combined pairwise");
  if (strcmp(loop_sum_counts(a, f, f->sum), f->sum->counted))
    breaks(&c, NULL, "its blocks are counted otherwise");
  return c.breach;
}
