/* Sums with at most one addend that is not 0: the one whose index a tensor gives, as the loss of a
 * class is chosen by where(iota == label, x, 0). No order of zeros makes a difference, so it is
 * fetched:
 *
 *   for (i ...) y[i] = 0 + (label[i] is in the line ? x[i][label[i]] : 0); */
#include "sum_build.h"
#include "op_list.h"
#include <math.h>

typedef struct Pick {
  Expr index, place; /* of the line: where it is `place`, an addend is not 0 */
} Pick;

static bool is_zero(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  return n->kind == EXPR_NUMBER && n->real == 0 && !signbit(n->real) && n->v == 0;
}

/* The place in the line at which `count`, which rises with its index, is `is`; NO_EXPR: another
 * form. */
static Expr place_of(Loop *l, Expr count, Expr is, Expr index) {
  const ExprNode *n = expr_node(l->x, count), *i = expr_node(l->x, index);
  if (n->kind != EXPR_COUNT || (n->type != DT_I32 && n->type != DT_I64)) return NO_EXPR;
  if (i->kind != EXPR_SYMBOL || expr_mentions(l->x, is, i->name)) return NO_EXPR;
  const Expr before = expr_sub(l->x, n->arg[0], index);
  if (expr_mentions(l->x, before, i->name)) return NO_EXPR;
  return expr_sub(l->x, loop_call(l, "dtrt_at", DT_I64, 1, &is), before);
}

static Expr in_its_place(void *user, Expr e) {
  const Pick *p = user;
  return e == p->index ? p->place : NO_EXPR;
}

bool sum_picked(SumNest *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  Exprs *x = l->x;
  int dim = -1;
  for (int d = 0; d < s->x->shape.rank; d++) {
    if (!r->gone[d] || !has(s, d)) continue;
    if (dim >= 0) return false;
    dim = d;
  }
  if (dim < 0 || s->n->op->reduce != RED_SUM || reads_band(l, r->id)) return false;
  if (!dtype_is_float(s->n->dtype) || site_first(l, r->id) != NO_EXPR) return false;
  const ExprNode where = *expr_node(x, operand(s));
  if (where.kind != EXPR_OP || where.op != loop_ops.where || !is_zero(x, where.arg[2]))
    return false;
  const ExprNode same = *expr_node(x, where.arg[0]);
  if (same.kind != EXPR_OP || same.op != loop_ops.equal) return false;
  const Expr index = r->in.dim[dim];
  Pick p = {index, place_of(l, same.arg[0], same.arg[1], index)};
  if (p.place == NO_EXPR) p.place = place_of(l, same.arg[1], same.arg[0], index);
  if (p.place == NO_EXPR) return false;
  const int loops = reduction_open_row(r, 0);
  Expr *now = arena_array(l->arena, Expr, x->n);
  const Expr found = expr_rewrite(x, where.arg[1], now, in_its_place, &p);
  const Expr within = expr_within(x, p.place, number(s, 0), loop_extent(l, s->x, dim));
  const Expr addend = loop_choose(l, within, found, where.arg[2]);
  loop_set(l, reduction_result(r), reduction_joined(r, reduction_identity(r), addend));
  loop_close(l, loops);
  return true;
}
