/* reduction.c: what all reductions are built of, whatever their order: identity, step and result.
 */
#include "loop_reduce.h"
#include "op_list.h"

Expr reduction_identity(ReduceNest *r) { return loop_reduced_none(r->l, r->n); }

Expr loop_reduced_none(Loop *l, const Node *n) {
  const Scalar none = reduction_none(n);
  return expr_number(l->x, dtype_computed(n->dtype), none.real, none.i);
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

/* Of half a vector and less compilers make none, but write the loop out, and take a vector of rows
 * at a time: if they know how long it is. */
static bool is_written_out(ReduceNest *r) {
  int64_t known;
  return expr_is_int(r->l->x, site_len(r->l, r->x, r->last), &known) &&
         (double)(known * dtype_size(r->n->dtype)) <= loop_machine(r->l)->vector / 2;
}

/* The one reduced dim from `first` on, if its sequence is short and written out, or its elements
 * are more than loads: one that waits for each element before the next would compute them one by
 * one. */
static bool is_short_line(ReduceNest *r, int first, Expr v) {
  const Loop *l = r->l;
  if (l->f.flat || r->last < 0 || !r->gone[r->last]) return false;
  for (int d = first; d < r->last; d++)
    if (r->gone[d] && has_loop(l, &r->in, d)) return false;
  return has_loop(l, &r->in, r->last) && most_of(l, r->x, r->last) <= LANES &&
         (expr_node(l->x, v)->kind != EXPR_LOAD || is_written_out(r));
}

/* The elements in masked vectors, and then their sum, unless it is written out. */
static Expr sum_of_short_line(ReduceNest *r, Expr v) {
  Loop *l = r->l;
  const bool written_out = is_written_out(r);
  const Expr i = r->in.dim[r->last],
             len = written_out ? site_len(l, r->x, r->last) : loop_extent(l, r->x, r->last);
  if (!written_out) {
    const Expr line = loop_local(l, LOCAL_ARRAY, r->n->dtype, "line", LANES, NO_EXPR);
    loop_open(l, i, len, LOOP_FEW);
    loop_set(l, loop_element(l, line, i), v);
    loop_close(l, 1);
    v = loop_element(l, line, i);
  }
  const Expr acc = loop_local(l, LOCAL_VALUE, r->n->dtype, "acc", 0, reduction_identity(r));
  loop_open(l, i, len, written_out ? LOOP_WHOLE : LOOP_SOME);
  loop_set(l, acc, reduction_joined(r, acc, v));
  loop_close(l, 1);
  return acc;
}

Expr reduction_in_sequence(ReduceNest *r, int first) {
  Loop *l = r->l;
  const Expr v = loop_value(l, r->n->operand[0], &r->in);
  if (is_short_line(r, first, v)) return sum_of_short_line(r, v);
  const Expr acc = loop_local(l, LOCAL_VALUE, r->n->dtype, "acc", 0, reduction_identity(r));
  int loops = 0;
  if (!l->f.flat)
    loops = reduction_open(r, first, r->x->shape.rank, true, LOOP_SOME);
  else if (!is_int(l, r->in.flat, 0))
    loop_open(l, r->in.flat, loop_count(l, r->x), LOOP_SOME), loops++;
  loop_set(l, acc, reduction_joined(r, acc, v));
  loop_close(l, loops);
  return acc;
}

int reduction_open_row(ReduceNest *r, int from) {
  int loops = 0;
  for (int d = from; d < r->x->shape.rank; d++)
    loops += reduction_open(r, d, d + 1, false, d == r->last ? LOOP_PLAIN : LOOP_OUTER);
  return loops;
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
  return shared_values(x, v, arena_array(r->l->arena, uint8_t, x->n)) <= FEW_VALUES;
}

int reduction_if_first(ReduceNest *r) {
  const Expr first = site_first(r->l, r->id);
  if (first == NO_EXPR) return 0;
  loop_if(r->l, loop_param(r->l, PARAM_FIRST, first));
  return 1;
}
