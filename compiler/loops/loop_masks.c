/* Innermost loops whose last turns fill no vector. Compilers do half a vector of these at once, and
 * the others one by one, each in two thirds of a vector's time: of 31 tanh, 7 are left
 * over. Where the CPU has masks the last vector is a masked one instead, unless masking each takes
 * longer: an operation for each load and store, and some for the mask. */
#include "loop_build.h"

enum { MASK = 4 }; /* operations: the length is spread, compared, moved to a mask and checked */

typedef struct TurnCost {
  const Loop *l;
  bool *met; /* by expression */
  double operations, accesses;
  int64_t times, vector; /* of the loop within that is looked at; elements of the widest type's */
  bool rows;             /* there was one */
} TurnCost;

static void count(TurnCost *t, Expr e) {
  if (e == NO_EXPR || t->met[e]) return;
  t->met[e] = true;
  const ExprNode *n = expr_node(t->l->x, e);
  if (n->kind == EXPR_OP) t->operations += n->op->flops * (double)t->times;
  if (n->kind == EXPR_LOAD) t->accesses += (double)t->times;
  for (int i = 0; i < n->n; i++) count(t, n->arg[i]);
}

/* How many turns it has, if that is known; else 0. */
static int64_t turns_of(const Loop *l, const LoopStmt *s) {
  const ExprNode *to = expr_node(l->x, s->b);
  int64_t from, by, n;
  if (loop_in_parts(&l->f, s) || !expr_is_int(l->x, s->c, &by) || by != 1) return 0;
  if (!expr_is_int(l->x, s->a, &from)) return 0;
  const Expr end = to->kind == EXPR_PARAM ? l->f.params.at[to->v].value : s->b;
  return expr_is_int(l->x, end, &n) && n > from ? n - from : 0;
}

/* Values that are stored, and sums of several rows, in a loop that is written out. False: it is
 * more than that. */
static bool count_all(TurnCost *t, const LoopStmt *s) {
  const Machine *m = loop_machine(t->l);
  for (; s; s = s->next) {
    const bool sum = s->kind == STMT_SET || (s->kind == STMT_LOCAL && s->local == LOCAL_VALUE);
    int64_t n;
    if (s->kind == STMT_FOR && s->how == LOOP_WHOLE && t->times == 1 &&
        expr_is_int(t->l->x, s->b, &n)) {
      t->times = n, t->rows = true;
      if (!count_all(t, s->body)) return false;
      t->times = 1;
      continue;
    }
    if (s->kind == STMT_LOCAL && s->local == LOCAL_CONST && s->type == DT_I64) continue;
    if (s->kind != STMT_STORE && !sum) return false;
    const Expr value = s->kind == STMT_LOCAL ? s->a : s->b;
    const int64_t own = machine_vector(m, (int64_t)dtype_size(expr_node(t->l->x, value)->type));
    if (own < t->vector) t->vector = own;
    count(t, value);
    if (s->kind != STMT_LOCAL && t->times == 1) t->accesses++;
  }
  return true;
}

static bool gains(Loop *l, const LoopStmt *s) {
  TurnCost t = {.l = l,
                .met = arena_array(l->plan->scratch, bool, l->x->n),
                .times = 1,
                .vector = (int64_t)loop_machine(l)->vector};
  const int64_t turns = turns_of(l, s);
  if (!count_all(&t, s->body) || t.vector < 2) return false;
  /* Of sums of several rows compilers do a quarter at once where less than a half is left. */
  const int64_t over = turns % t.vector, half = t.vector / 2,
                once = t.rows && over < half && half > 1 ? half / 2 : half;
  const double rest = (double)(over / once + over % once), vectors = (double)(turns / t.vector);
  return vectors && t.operations * (rest * 2 / 3 - 1) > (t.accesses + MASK) * (vectors + 1);
}

/* A loop with none around it runs once, which is not worth a function of its own. */
static void look(Loop *l, LoopStmt *s, bool again) {
  for (; s; s = s->next) {
    const bool loop = s->kind == STMT_FOR;
    if (loop && again && s->how == LOOP_PLAIN && !s->goes_on && gains(l, s)) s->how = LOOP_LONG;
    look(l, s->body, again || loop);
    look(l, s->other, again);
  }
}

void loop_masks(Loop *l) {
  const ArenaMark mark = arena_mark(l->plan->scratch);
  look(l, l->f.body, false);
  arena_release(l->plan->scratch, mark);
}
