/* Sums along lines, the trailing reduced dims: in lanes that are joined at the end, or one after
 * the other where lines are short; lines in turn are added up in blocks, as rows are. */
#include "sum_build.h"

bool sum_several_dims(const SumNest *s) {
  int loops = 0;
  for (int d = s->order.first; d < s->x->shape.rank; d++) loops += has(s, d);
  return loops > 1;
}

static void add_line(SumNest *s) {
  if (!s->l->f.flat && sum_several_dims(s))
    lanes_buffered(s->r, s->order.line, s->order.first);
  else
    lanes_line(s->r, s->order.line, number(s, 0), reduction_line(s->r));
}

static Expr long_line(SumNest *s) {
  const int64_t most = s->order.line;
  if (!s->l->f.flat && reads_band(s->l, s->r->id) && !sum_several_dims(s)) {
    lanes_band(s->r, most);
    return lanes_end(s->r);
  }
  lanes_begin(s->r, most, number(s, 0));
  add_line(s);
  return lanes_end(s->r);
}

/* The one dim that counts lines, if these are cheap enough to be written twice; -1. */
static int only_dim_of_lines(const SumNest *s) {
  int only = -1;
  for (int d = 0; d < s->order.first; d++) {
    if (!s->r->gone[d] || !has(s, d)) continue;
    if (only >= 0) return -1;
    only = d;
  }
  return reduction_is_cheap(s->r, operand((SumNest *)s)) ? only : -1;
}

/* Whole blocks are a loop apart, whose counts follow from the extent, so that a compiler that knows
 * it keeps the lanes in registers; then the lines left over. */
static void add_blocks_of_lines(SumNest *s, int d) {
  Loop *l = s->l;
  const Expr i = s->r->in.dim[d], all = loop_extent(l, s->x, d);
  const int64_t size = s->order.lines_in_block;
  const Expr whole = expr_div(l->x, all, number(s, size));
  const Expr block = loop_symbol(l, "block", 0, s->order.rows / size);
  loop_open(l, block, whole, LOOP_OUTER);
  loop_open_from(l, i, expr_scale(l->x, block, size),
                 expr_scale(l->x, add(s, block, number(s, 1)), size), LOOP_OUTER);
  add_line(s);
  loop_close(l, 1);
  lanes_carry(s->r, block);
  loop_close(l, 1);
  loop_open_from(l, i, expr_scale(l->x, whole, size), all, LOOP_OUTER);
  add_line(s);
  loop_close(l, 1);
  lanes_fold(s->r, whole);
}

/* Blocks end wherever the lines of several dims are as many. */
static void count_lines(SumNest *s) {
  Loop *l = s->l;
  const Expr lines = loop_integer(l, "lines", number(s, 0), false),
             block = loop_integer(l, "block", number(s, 0), false);
  const int loops = reduction_open(s->r, 0, s->order.first, true, LOOP_OUTER);
  add_line(s);
  loop_step(l, lines, 1);
  loop_if(l, equal(s, lines, number(s, s->order.lines_in_block)));
  lanes_carry(s->r, block);
  loop_step(l, block, 1);
  loop_set(l, lines, number(s, 0));
  loop_close(l, 1 + loops);
  lanes_fold(s->r, block);
}

/* Whole lines side by side in the lanes, which are joined once at the end. */
static void sum_short_lines(SumNest *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const int64_t in_block = s->order.lines_in_block;
  const bool blocks = s->order.rows > in_block;
  const int outer = reduction_open(r, 0, s->order.first, false, LOOP_OUTER);
  const int only = only_dim_of_lines(s);
  lanes_begin(r, blocks ? s->order.rows / in_block * LANES_BLOCK + 1 : 0, number(s, 0));
  if (blocks && only >= 0) {
    add_blocks_of_lines(s, only);
  } else if (blocks) {
    count_lines(s);
  } else {
    const int inner = reduction_open(r, 0, s->order.first, true, LOOP_OUTER);
    add_line(s);
    loop_close(l, inner);
  }
  loop_set(l, reduction_result(r), lanes_end(r));
  loop_close(l, outer);
}

void sum_lines(SumNest *s) {
  if (s->order.lines_in_block) {
    sum_short_lines(s);
    return;
  }
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const DType t = s->n->dtype;
  const bool blocks = s->order.rows > SUM_BLOCK, lanes = lanes_fit(s->n, s->order.line);
  bool many = false; /* lines; a dim of which some devices have nothing counts */
  Expr sum = NO_EXPR, rows = NO_EXPR, row = NO_EXPR;
  for (int d = 0; d < s->order.first; d++) many = many || (r->gone[d] && has(s, d));
  const int outer = reduction_open(r, 0, s->order.first, false, LOOP_OUTER);
  if (many) sum = loop_local(l, LOCAL_VALUE, t, "sum", 0, reduction_identity(r));
  if (blocks) {
    rows = loop_local(l, LOCAL_ARRAY, t, "rows", sum_levels(s->order.rows), NO_EXPR);
    row = loop_integer(l, "row", number(s, 0), false);
  }
  const int inner = reduction_open(r, 0, s->order.first, true, LOOP_OUTER);
  const Expr v = lanes ? long_line(s) : reduction_in_sequence(r, s->order.first);
  if (many) loop_set(l, sum, reduction_joined(r, sum, v));
  if (many && blocks) {
    loop_set(l, row, add(s, row, number(s, 1)));
    loop_if(l, equal(s, in_block(s, row), number(s, 0)));
    loop_run(l, reduction_helper(r, "carry"), 3,
             (Expr[]){rows, sub(s, blocks_in(s, row), number(s, 1)), expr_address(l->x, sum)});
    loop_close(l, 1);
  }
  loop_close(l, inner);
  if (blocks)
    loop_run(l, reduction_helper(r, "fold"), 3,
             (Expr[]){rows, blocks_in(s, row), expr_address(l->x, sum)});
  loop_set(l, reduction_result(r), many ? sum : v);
  loop_close(l, outer);
}
