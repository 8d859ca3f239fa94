/* What the ranges of integers in an expression decide: a loop's index is compared with a number
 * that it never reaches. */
#include "expr.h"
#include "op.h"

bool expr_range(const Exprs *x, Expr e, int64_t *lo, int64_t *hi) {
  const ExprNode *n = expr_node(x, e), *i = n->kind == EXPR_COUNT ? expr_node(x, n->arg[0]) : NULL;
  if (!dtype_is_int(n->type) || n->type == DT_U64) return false;
  if (n->kind == EXPR_NUMBER) return *lo = *hi = n->v, true;
  if (!i || i->lo < dtype_least(n->type) || i->hi > dtype_most(n->type)) return false;
  return *lo = i->lo, *hi = i->hi, true;
}

void expr_range_of_parts(const Exprs *x, ExprNode *select) {
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  for (int i = 0; i < select->n; i++) {
    const ExprNode *part = expr_node(x, select->arg[i]);
    if (!expr_is_part(select, i)) continue;
    if (part->kind > EXPR_MOD && part->kind != EXPR_SELECT) return;
    if (part->lo < lo) lo = part->lo;
    if (part->hi > hi) hi = part->hi;
  }
  select->lo = lo, select->hi = hi;
  /* The smaller of two, or the larger. */
  const ExprNode *cond = expr_node(x, select->arg[0]);
  if (select->n != 3 || cond->kind != EXPR_LESS) return;
  const ExprNode *a = expr_node(x, cond->arg[0]), *b = expr_node(x, cond->arg[1]);
  if (select->arg[1] == cond->arg[0] && select->arg[2] == cond->arg[1])
    select->hi = a->hi < b->hi ? a->hi : b->hi;
  if (select->arg[1] == cond->arg[1] && select->arg[2] == cond->arg[0])
    select->lo = a->lo > b->lo ? a->lo : b->lo;
}

/* How a and b may be ordered; 0: in any way. */
static int orders(const Exprs *x, Expr a, Expr b) {
  int64_t lo[2], hi[2];
  if (!expr_range(x, a, &lo[0], &hi[0]) || !expr_range(x, b, &lo[1], &hi[1])) return 0;
  return (lo[0] < hi[1] ? ORDER_LESS : 0) | (hi[0] > lo[1] ? ORDER_GREATER : 0) |
         (lo[0] <= hi[1] && lo[1] <= hi[0] ? ORDER_EQUAL : 0);
}

/* Whether the op is the larger of two. */
static bool is_larger(Op op) {
  const Scalar two[] = {{.kind = NUM_INT, .i = 1}, {.kind = NUM_INT}};
  Scalar out;
  return op->fold(two, &out) == FOLDED && out.i == 1;
}

int expr_decided(const Exprs *x, Op op, int n, const Expr *arg) {
  if (op->flags & OPF_CHOICE && n == 3) {
    const ExprNode *c = expr_node(x, arg[0]);
    return c->kind != EXPR_NUMBER ? UNDECIDED : c->v ? 1 : 2;
  }
  const bool extreme = op->flags & OPF_EXTREME && op->fold;
  const int may = n == 2 && (op->compares || extreme) ? orders(x, arg[0], arg[1]) : 0;
  if (may && op->compares) {
    if (!(may & ~op->compares)) return DECIDED_TRUE;
    return may & op->compares ? UNDECIDED : DECIDED_FALSE;
  }
  if (!may || (may & ORDER_LESS && may & ORDER_GREATER)) return UNDECIDED;
  return is_larger(op) == !(may & ORDER_LESS) ? 0 : 1;
}
