/* Reductions whose result does not depend on the order. Sums and products of floats are in sum.c.
 */
#include "loop_reduce.h"
#include "op_list.h"

enum { FEW = SUM_FEW }; /* elements of a short line */

/* The innermost dim is reduced, or all are: an accumulator in a register, or with `lanes` a
 * register of them. */
static void reduce_lines(ReduceNest *r, bool lanes) {
  Loop *l = r->l;
  const Expr zero = loop_int(l, 0);
  const int outer = reduction_open(r, 0, r->x->shape.rank, false, LOOP_OUTER);
  if (lanes) {
    lanes_begin(r, 0, zero);
    const int inner = l->f.flat ? 0 : reduction_open(r, 0, r->last, true, LOOP_SOME);
    if (reads_band(l, r->id))
      lanes_band(r, 0);
    else
      lanes_line(r, 0, zero, reduction_line(r));
    loop_close(l, inner);
  }
  const Expr sum = lanes ? lanes_end(r) : reduction_in_sequence(r, 0);
  loop_set(l, reduction_result(r), sum);
  loop_close(l, outer);
}

/* Loops over blocks of columns of the innermost dim, and where the block begins and ends; how many
 * loops are open. A block is of whole vectors: the best of its columns stay in L1, and rows are
 * whole lines. */
static int open_columns(ReduceNest *r, int outer, Expr *from, Expr *to) {
  Loop *l = r->l;
  Exprs *x = l->x;
  const Expr len = loop_extent(l, r->x, r->last), size = loop_int(l, loop_unrolled(l));
  const int64_t columns = loop_unrolled(l),
                blocks = (reduction_most(r, r->last) + columns - 1) / columns;
  const Expr block = loop_symbol(l, "block_", 0, blocks - 1),
             n = expr_div(x, expr_add(x, len, loop_int(l, columns - 1)), size);
  if (!outer) l->apart = block, l->apart_extent = n;
  loop_open(l, block, n, LOOP_OUTER);
  *from = loop_integer(l, "from_", expr_mul(x, block, size), true);
  *to = loop_integer(l, "to_", loop_part_end(l, *from, len, size), true);
  return outer + 1;
}

/* The innermost dim is kept, and the result has a shorter type than is computed in: rows go into an
 * array of some columns, which are stored at the end. */
static void reduce_columns(ReduceNest *r) {
  Loop *l = r->l;
  const Expr i = r->in.dim[r->last];
  Expr from, to;
  const int outer = open_columns(r, reduction_open(r, 0, r->last, false, LOOP_OUTER), &from, &to);
  const Expr bests = loop_local(l, LOCAL_ARRAY, r->n->dtype, "best_", loop_unrolled(l), NO_EXPR);
  const Expr best = loop_element(l, bests, expr_sub(l->x, i, from));
  loop_open_from(l, i, from, to, LOOP_PLAIN);
  loop_set(l, best, reduction_identity(r));
  loop_close(l, 1);
  const int inner = reduction_open(r, 0, r->last, true, LOOP_OUTER);
  loop_open_from(l, i, from, to, LOOP_PLAIN);
  loop_set(l, best, reduction_joined(r, best, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, 1 + inner);
  loop_open_from(l, i, from, to, LOOP_PLAIN);
  loop_set(l, reduction_result(r), best);
  loop_close(l, 1 + outer);
}

/* Takes `some` rows of dim `last` at a time, as long as there are as many. */
static void reduce_together(ReduceNest *r, int last, int some) {
  Loop *l = r->l;
  const Expr to = reduction_result(r), i = r->in.dim[last], len = loop_extent(l, r->x, last),
             by = loop_int(l, some), first = loop_integer(l, "first", loop_int(l, 0), false);
  loop_open_on(l, first, len, by, LOOP_OUTER);
  int loops = reduction_open_row(r, last + 1);
  const Expr best = loop_local(l, LOCAL_VALUE, r->n->dtype, "best", 0, to);
  loop_open_from(l, i, first, expr_add(l->x, first, by), LOOP_WHOLE);
  loop_set(l, best, reduction_joined(r, best, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, 1);
  loop_set(l, to, best);
  loop_close(l, loops + 1);
  int64_t known;
  if (expr_is_int(l->x, site_len(l, r->x, last), &known) && known % some == 0) return;
  loop_open_from(l, i, first, len, LOOP_OUTER);
  loops = reduction_open_row(r, last + 1);
  loop_set(l, to, reduction_joined(r, to, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, loops + 1);
}

/* The innermost dim is kept: rows are added up into the result, which stays in cache. */
static void reduce_rows(ReduceNest *r) {
  Loop *l = r->l;
  const int rank = r->x->shape.rank, from = r->first_gone;
  int last = rank - 1;
  while (last > from && (!r->gone[last] || !has_loop(l, &r->in, last))) last--;
  const Expr v = loop_value(l, r->n->operand[0], &r->in);
  const int first_row = l->joined ? l->joined_from[last] : last,
            some = l->tile ? 1 : reduction_together(r, first_row, last, v);
  const int outer = loop_open_dims(l, r->x, &r->in, 0, from, LOOP_OUTER, LOOP_OUTER);
  int inner = reduction_if_first(r);
  inner += reduction_open_row(r, from);
  loop_set(l, reduction_result(r), reduction_identity(r));
  loop_close(l, inner);
  if (some > 1) {
    inner = loop_open_dims(l, r->x, &r->in, from, last, LOOP_OUTER, LOOP_OUTER);
    reduce_together(r, last, some);
    loop_close(l, inner + outer);
    return;
  }
  inner = loop_open_dims(l, r->x, &r->in, from, rank, LOOP_OUTER, LOOP_PLAIN);
  const Expr to = reduction_result(r);
  loop_set(l, to, reduction_joined(r, to, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, inner + outer);
}

/* The first of the trailing dims that are reduced, if these are a short line and a kept dim lies
 * between them and another reduced one; -1. Vectors take the same element of several lines, and
 * casts of those would leave them. */
static int short_lines(ReduceNest *r) {
  int tail = r->x->shape.rank, d;
  int64_t line = 1;
  if (r->last < 0 || !r->gone[r->last] || dtype_is_half(r->n->dtype)) return -1;
  while (tail > 0 && (r->gone[tail - 1] || !has_loop(r->l, &r->in, tail - 1)))
    line *= has_loop(r->l, &r->in, --tail) ? reduction_most(r, tail) : 1;
  for (d = tail - 1; d > r->first_gone && !has_loop(r->l, &r->in, d);) d--;
  const bool fits =
      r->first_gone < tail && d > r->first_gone && line <= FEW && !reduction_widens(r);
  return fits ? tail : -1;
}

/* Rows whose elements are what is left of a line, rather than a column of lines after the other. */
static void reduce_rows_of_lines(ReduceNest *r, int tail) {
  Loop *l = r->l;
  const int from = r->first_gone;
  const int outer = loop_open_dims(l, r->x, &r->in, 0, from, LOOP_OUTER, LOOP_OUTER);
  const int row = reduction_open_row(r, from);
  loop_set(l, reduction_result(r), reduction_identity(r));
  loop_close(l, row);
  const int inner = loop_open_dims(l, r->x, &r->in, from, tail, LOOP_OUTER, LOOP_PLAIN);
  const Expr to = reduction_result(r);
  loop_set(l, to, reduction_joined(r, to, reduction_in_sequence(r, tail)));
  loop_close(l, inner + outer);
}

/* Whether x is to be taken in the place of `best`. */
static Expr is_better(ReduceNest *r, Expr x, Expr best) {
  Loop *l = r->l;
  const LoopOps *o = &loop_ops;
  const Op beats = r->n->op->reduce == RED_MAX ? o->greater : o->less;
  const Expr better = loop_op2(l, beats, DT_BOOL, x, best);
  if (!dtype_is_float(r->x->dtype)) return better;
  /* NaN is the largest, and the smallest */
  return expr_or(l->x, better,
                 expr_and(l->x, loop_op2(l, o->unequal, DT_BOOL, x, x),
                          loop_op2(l, o->equal, DT_BOOL, best, best)));
}

/* The innermost dim is kept: row by row, of some columns at a time.
 *
 *   for (i ...) for (j ...) { x = y[i][j]; if (x > best_[j]) best_[j] = x, argmax[j] = i } */
static void index_of_rows(ReduceNest *r) {
  Loop *l = r->l;
  Exprs *x = l->x;
  const int dim = (int)node_attr(r->n, "axis"), last = r->last;
  const DType t = r->x->dtype;
  Expr from, to;
  const int outer = open_columns(r, reduction_open(r, 0, last, false, LOOP_OUTER), &from, &to);
  const Expr bests = loop_local(l, LOCAL_ARRAY, t, "best_", loop_unrolled(l), NO_EXPR);
  const Expr best = loop_element(l, bests, expr_sub(x, r->in.dim[last], from));
  const At in = r->in;
  r->in.dim[dim] = loop_int(l, 0);
  loop_open_from(l, in.dim[last], from, to, LOOP_PLAIN);
  loop_set(l, best, loop_value(l, r->n->operand[0], &r->in));
  loop_set(l, reduction_result(r), loop_number(l, DT_I32, 0));
  loop_close(l, 1);
  r->in = in;
  loop_open_from(l, in.dim[dim], loop_int(l, 1), loop_extent(l, r->x, dim), LOOP_OUTER);
  loop_open_from(l, in.dim[last], from, to, LOOP_PLAIN);
  const Expr v = loop_local(l, LOCAL_CONST, t, "x_", 0, loop_value(l, r->n->operand[0], &r->in));
  const Expr better = loop_local(l, LOCAL_CONST, DT_BOOL, "better_", 0, is_better(r, v, best));
  const Expr own = reduction_result(r);
  loop_set(l, best, loop_choose(l, better, v, best));
  loop_set(l, own, loop_choose(l, better, expr_count(x, DT_I32, in.dim[dim]), own));
  loop_close(l, 2 + outer);
}

static void reduce_index(ReduceNest *r) {
  Loop *l = r->l;
  const int dim = (int)node_attr(r->n, "axis"), rank = r->x->shape.rank;
  const DType t = r->x->dtype;
  if (has_loop(l, &r->in, dim) && dim < r->last) {
    reduction_join(r, dim + 1);
    index_of_rows(r);
    return;
  }
  const int outer = reduction_open(r, 0, rank, false, LOOP_OUTER);
  const Expr at = loop_integer(l, "found", loop_int(l, -1), false);
  const Expr best = loop_local(l, LOCAL_VALUE, t, "best", 0, loop_number(l, t, 0));
  if (lanes_can_find(r)) {
    lanes_find(r, at, best);
    loop_set(l, reduction_result(r), expr_count(l->x, DT_I32, at));
    loop_close(l, outer);
    return;
  }
  const int inner = reduction_open(r, dim, dim + 1, true, LOOP_SOME);
  const Expr v = loop_value(l, r->n->operand[0], &r->in);
  const Expr x = loop_local(l, LOCAL_CONST, t, "x", 0, v);
  const Expr first = expr_compare(l->x, EXPR_LESS, at, loop_int(l, 0));
  loop_if(l, expr_or(l->x, first, is_better(r, x, best)));
  loop_set(l, best, x);
  loop_set(l, at, r->in.dim[dim]);
  loop_close(l, 1 + inner);
  loop_set(l, reduction_result(r), expr_count(l->x, DT_I32, at));
  loop_close(l, outer);
}

/* One after the other, each element waits for the one before. Lanes, which any order may fill, are
 * filled and joined in the time of some eight such steps. */
static bool fit_lanes(const ReduceNest *r) {
  return dtype_is_float(r->n->dtype) && reduction_most(r, r->last) > FEW;
}

/* Each of the outer dims has rows of few elements. */
static bool reduce_few_columns(ReduceNest *r) {
  Loop *l = r->l;
  if (r->first_gone == 0 || r->first_gone == r->x->shape.rank || site_first(l, r->id) != NO_EXPR ||
      !reduction_few_columns(r, r->first_gone))
    return false;
  const int outer = loop_open_dims(l, r->x, &r->in, 0, r->first_gone, LOOP_OUTER, LOOP_OUTER);
  reduction_in_registers(r, r->first_gone);
  loop_close(l, outer);
  return true;
}

static void reduce_nested(ReduceNest *r) {
  reduction_join(r, 0);
  if (reduce_few_columns(r)) return;
  const bool lanes = r->last >= 0 && r->gone[r->last] && fit_lanes(r);
  const bool rows = r->last >= 0 && !r->gone[r->last] && r->first_gone < r->x->shape.rank;
  const bool first = site_first(r->l, r->id) != NO_EXPR;
  const bool in_place = first || (rows && !dtype_is_half(r->n->dtype));
  if (lanes) r->in.dim[r->last] = lanes_index(r->l, reduction_most(r, r->last));
  const int tail = lanes || first ? -1 : short_lines(r);
  if (tail >= 0)
    reduce_rows_of_lines(r, tail);
  else if (rows && !in_place)
    reduce_columns(r);
  else if (in_place)
    reduce_rows(r);
  else
    reduce_lines(r, lanes);
}

Loop *reduce_nest(const LoopSite *s, NodeId id, const Step *made, bool *stores) {
  static const char *const word[] = {
      [RED_SUM] = "sum", [RED_PROD] = "prod", [RED_MAX] = "max", [RED_MIN] = "min"};
  Loop *l = loop_new(s);
  l->step = made;
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  const bool search = op_class(n) == OPC_SEARCH;
  const SumOrder order = sum_order(l->mesh, l->g, n);
  const uint32_t axis = (uint32_t)node_attr(n, "axis"), dims = search ? 1u << axis : axis;
  ReduceNest r = {.l = l,
                  .id = id,
                  .n = n,
                  .x = x,
                  .in = loop_nest_index(l, x),
                  .out = {.flat = NO_EXPR},
                  .first_gone = x->shape.rank,
                  .last = -1,
                  .storing = made,
                  .word = word[n->op->reduce],
                  .type = dtype_name(dtype_computed(n->dtype))};
  for (int d = 0, o = 0; d < x->shape.rank; d++) {
    r.gone[d] = dims >> d & 1;
    if (!r.gone[d]) r.out.dim[o++] = r.in.dim[d];
    if (!has_loop(l, &r.in, d)) continue;
    if (r.gone[d] && r.first_gone == x->shape.rank) r.first_gone = d;
    r.last = d;
  }
  if (search)
    reduce_index(&r);
  else if (order.fixed)
    build_sum(&r, &order);
  else if (n->shape.rank == 0 && loop_is_flat(l, n->operand[0]))
    reduce_lines(&r, lanes_flat(&r, shape_count(&x->shape)));
  else
    reduce_nested(&r);
  *stores = r.stores;
  return l;
}

void build_reduce(const LoopSite *s, NodeId id, LoopFunction *out) {
  bool stores;
  loop_done_as(reduce_nest(s, id, NULL, &stores), id, out);
}
