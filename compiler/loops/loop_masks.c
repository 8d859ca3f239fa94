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
} TurnCost;

static void count(TurnCost *t, Expr e) {
  if (e == NO_EXPR || t->met[e]) return;
  t->met[e] = true;
  const ExprNode *n = expr_node(t->l->x, e);
  if (n->kind == EXPR_OP) t->operations += n->op->flops;
  t->accesses += n->kind == EXPR_LOAD;
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

static bool gains(Loop *l, const LoopStmt *s) {
  TurnCost t = {.l = l, .met = arena_array(l->plan->scratch, bool, l->x->n)};
  const int64_t turns = turns_of(l, s);
  const Machine *m = loop_machine(l);
  int64_t vector = (int64_t)m->vector;
  for (const LoopStmt *b = s->body; b; b = b->next) {
    if (b->kind != STMT_STORE) return false;
    const int64_t own = machine_vector(m, (int64_t)dtype_size(expr_node(l->x, b->b)->type));
    if (own < vector) vector = own;
    count(&t, b->b);
    t.accesses++;
  }
  if (vector < 2) return false;
  const int64_t over = turns % vector, half = vector / 2;
  const double rest = (double)(over / half + over % half), vectors = (double)(turns / vector);
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
