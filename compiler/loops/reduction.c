/* reduction.c: what all reductions are built of, whatever their order: identity, step and result.
 */
#include "loop_reduce.h"
#include "op_list.h"
#include <math.h>

Expr reduction_identity(ReduceNest *r) { return loop_reduced_none(r->l, r->n); }

Expr loop_reduced_none(Loop *l, const Node *n) {
  const DType t = dtype_computed(n->dtype);
  const bool real = dtype_is_float(t);
  switch (n->op->reduce) {
  case RED_PROD: return loop_number(l, t, 1);
  case RED_MAX:
    return real ? loop_number(l, t, -INFINITY) : expr_number(l->x, t, 0, dtype_least(t));
  case RED_MIN: return real ? loop_number(l, t, INFINITY) : expr_number(l->x, t, 0, dtype_top(t));
  default: return loop_number(l, t, 0);
  }
}

Expr reduction_joined(ReduceNest *r, Expr acc, Expr v) {
  return loop_op2(r->l, reduction_step(r->n), r->n->dtype, acc, v);
}

Expr reduction_result(ReduceNest *r) { return loop_load(r->l, r->id, &r->out); }

const char *reduction_helper(ReduceNest *r, const char *what) {
  return arena_printf(r->l->arena, "dtrt_%s_%s_%s", what, r->word, r->type);
}

int reduction_open(ReduceNest *r, int from, int to, bool gone, LoopHow how) {
  int loops = 0;
  for (int d = from; d < to; d++)
    if (r->gone[d] == gone && has_loop(r->l, &r->in, d))
      loop_open(r->l, r->in.dim[d], loop_extent(r->l, r->x, d), how), loops++;
  return loops;
}

Expr reduction_line(ReduceNest *r) {
  return r->l->f.flat ? loop_count(r->l, r->x) : loop_extent(r->l, r->x, r->last);
}

Expr reduction_in_sequence(ReduceNest *r, int first) {
  Loop *l = r->l;
  const Expr acc = loop_local(l, LOCAL_VALUE, r->n->dtype, "acc", 0, reduction_identity(r));
  int loops = 0;
  if (!l->f.flat)
    loops = reduction_open(r, first, r->x->shape.rank, true, LOOP_SOME);
  else if (!is_int(l, r->in.flat, 0))
    loop_open(l, r->in.flat, loop_count(l, r->x), LOOP_SOME), loops++;
  loop_set(l, acc, reduction_joined(r, acc, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, loops);
  return acc;
}

/* Values that are used more than once, each of which is a line of C. */
static int shared_values(const Exprs *x, Expr e, uint8_t *met) {
  const ExprNode *n = expr_node(x, e);
  int shared = 0;
  if (met[e]) return n->kind >= EXPR_OP && met[e]++ == 1;
  met[e] = 1;
  for (int i = 0; i < n->n; i++) shared += shared_values(x, n->arg[i], met);
  return shared;
}

bool reduction_is_cheap(ReduceNest *r, Expr v) {
  enum { FEW_VALUES = 8 };
  const Exprs *x = r->l->x;
  return shared_values(x, v, arena_array(r->l->arena, uint8_t, x->at.n)) <= FEW_VALUES;
}

int reduction_if_first(ReduceNest *r) {
  const Expr first = site_first(r->l, r->id);
  if (first == NO_EXPR) return 0;
  loop_if(r->l, loop_param(r->l, PARAM_FIRST, first));
  return 1;
}
