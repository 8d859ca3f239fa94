/* Sums and products of floats, in the order that docs/sums.md states: a line along the trailing
 * reduced dims, and above it, or where there is no line, rows: blocks of 32 in sequence, combined
 * pairwise. Up to 32 rows are added up in the result's place; the partial sums of more lie in
 * memory that the pass `memory` gave them. */
#include "loop_reduce.h"

typedef struct Sum {
  ReduceNest *r;
  Loop *l;
  const Node *n, *x;
  SumOrder order;
  int64_t unit;  /* rows that are added up apart from others; 0: all are one run */
  Expr in_part;  /* the unit of this turn, where cores have some each; NO_EXPR */
  int first_row; /* reduced dims from here to the last that counts rows are one loop */
  int kept;      /* kept dims from here to the last that counts rows are loops within a block */
} Sum;

static Expr number(Sum *s, int64_t v) { return loop_int(s->l, v); }
static Expr add(Sum *s, Expr a, Expr b) { return expr_add(s->l->x, a, b); }
static Expr sub(Sum *s, Expr a, Expr b) { return expr_sub(s->l->x, a, b); }
static Expr mul(Sum *s, Expr a, Expr b) { return expr_mul(s->l->x, a, b); }
static Expr equal(Sum *s, Expr a, Expr b) { return expr_compare(s->l->x, EXPR_EQUAL, a, b); }
static Expr less(Sum *s, Expr a, Expr b) { return expr_compare(s->l->x, EXPR_LESS, a, b); }
static Expr block_word(Sum *s) { return loop_word(s->l, "DTRT_SUM_BLOCK", SUM_BLOCK); }
static Expr blocks_in(Sum *s, Expr i) { return expr_div(s->l->x, i, block_word(s)); }
static Expr in_block(Sum *s, Expr i) { return expr_mod(s->l->x, i, block_word(s)); }
static Expr operand(Sum *s) { return loop_value(s->l, s->n->operand[0], &s->r->in); }
static bool has(const Sum *s, int d) { return has_loop(s->l, &s->r->in, d); }

/* -------- lines -------- */

/* Fewer than 32 elements, one after the other. */
static Expr short_line(Sum *s) {
  Loop *l = s->l;
  const At *in = &s->r->in;
  const Expr acc = loop_local(l, LOCAL_VALUE, s->n->dtype, "acc", 0, reduction_identity(s->r));
  int loops = 0;
  if (!l->f.flat)
    loops = reduction_open(s->r, s->order.first, s->x->shape.rank, true, LOOP_SOME);
  else if (!is_int(l, in->flat, 0))
    loop_open(l, in->flat, loop_count(l, s->x), LOOP_SOME), loops++;
  loop_set(l, acc, reduction_joined(s->r, acc, operand(s)));
  loop_close(l, loops);
  return acc;
}

static bool several_dims(const Sum *s) {
  int loops = 0;
  for (int d = s->order.first; d < s->x->shape.rank; d++) loops += has(s, d);
  return loops > 1;
}

static Expr long_line(Sum *s) {
  Loop *l = s->l;
  const int64_t most = s->order.line;
  const Expr zero = number(s, 0);
  if (!l->f.flat && reads_band(l, s->r->id) && !several_dims(s)) {
    lanes_band(s->r, most);
    return lanes_end(s->r);
  }
  lanes_begin(s->r, most, zero);
  if (l->f.flat)
    lanes_line(s->r, most, zero, loop_count(l, s->x));
  else if (several_dims(s))
    lanes_buffered(s->r, most, s->order.first);
  else
    lanes_line(s->r, most, zero, loop_extent(l, s->x, s->r->last));
  return lanes_end(s->r);
}

static void add_line(Sum *s) {
  if (several_dims(s))
    lanes_buffered(s->r, s->order.line, s->order.first);
  else
    lanes_line(s->r, s->order.line, number(s, 0), loop_extent(s->l, s->x, s->r->last));
}

/* The one dim that counts lines, if these are cheap enough to be written twice; -1. */
static int only_dim_of_lines(const Sum *s) {
  int only = -1;
  for (int d = 0; d < s->order.first; d++) {
    if (!s->r->gone[d] || !has(s, d)) continue;
    if (only >= 0) return -1;
    only = d;
  }
  return reduction_is_cheap(s->r, operand((Sum *)s)) ? only : -1;
}

/* Whole blocks are a loop apart, whose counts follow from the extent, so that a compiler that knows
 * it keeps the lanes in registers; then the lines left over. */
static void add_blocks_of_lines(Sum *s, int d) {
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
static void count_lines(Sum *s) {
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
static void sum_short_lines(Sum *s) {
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

static void sum_lines(Sum *s) {
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
  const Expr v = lanes ? long_line(s) : short_line(s);
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

/* -------- rows -------- */

/* A tile may have no loop over a dim that its own loops go over. */
static bool counts_rows(const Sum *s, int d) {
  return s->r->gone[d] && !is_int(s->l, site_extent(s->l, s->x, d), 1);
}

/* Whether dims [first, first + n) of a node are one dim to whoever reads it at an index of them:
 * they lie side by side in whatever has them. */
static bool is_one_dim(const Sum *s, NodeId id, int first, int n, int *looks) {
  enum { MOST_LOOKS = 64 };
  Loop *l = s->l;
  const Node *x = graph_node(l->g, id);
  const NodeId base = node_base(l->g, id);
  if (++*looks > MOST_LOOKS) return false;
  if (node_is_const(x)) return true;
  if (l->le->stored[base] && !loop_stores(l, base)) {
    for (int d = first + 1; d < first + n; d++)
      if (site_room(l, x, d) != site_extent(l, x, d)) return false;
    return true;
  }
  if (op_is(x, OPF_REPEATS)) {
    const int rank = graph_operand(l->g, x, 0)->shape.rank;
    int with = 0, at = 0, of[MAX_RANK];
    x->op->dims(l->g, x, of);
    for (int d = rank - 1; d >= 0; d--)
      if (of[d] >= first && of[d] < first + n) at = d, with++;
    for (int d = 0; d < with; d++)
      if (of[at + d] != first + d) return false;
    return !with || (with == n && is_one_dim(s, x->operand[0], at, n, looks));
  }
  if (!op_is(x, OPF_ELEMENTWISE)) return false;
  for (int k = 0; k < x->noperands; k++)
    if (!is_one_dim(s, x->operand[k], first, n, looks)) return false;
  return true;
}

/* Reduced dims side by side become one loop: blocks of 32 rows then end where they will. */
static void join_rows(Sum *s) {
  int last = s->x->shape.rank - 1, first, looks = 0;
  while (last > 0 && !counts_rows(s, last)) last--;
  for (first = last; first > 0 && s->r->gone[first - 1];) first--;
  s->first_row = last;
  if (s->l->tile || first == last || !has(s, last) ||
      !is_one_dim(s, s->n->operand[0], first, last - first + 1, &looks))
    return;
  s->first_row = first;
  for (int d = first; d < last; d++) s->r->in.dim[d] = number(s, 0);
}

static int open_row(Sum *s, int from) {
  int loops = 0;
  for (int d = from; d < s->x->shape.rank; d++)
    loops += reduction_open(s->r, d, d + 1, false, d == s->r->last ? LOOP_PLAIN : LOOP_OUTER);
  return loops;
}

/* Number of the first row of this device's block that the loop over dim `last` begins with: that of
 * the tile, and of the outer reduced dims. */
static Expr first_row(Sum *s, int last) {
  Loop *l = s->l;
  Expr row = number(s, 0);
  for (int d = 0; d <= last; d++) {
    if (!s->r->gone[d]) continue;
    const Expr all = loop_param(l, PARAM_EXTENT, site_extent(l, s->x, d)),
               from = loop_param(l, PARAM_OFFSET, site_at(l, s->x, d));
    row = add(s, mul(s, row, all), d < last ? add(s, from, s->r->in.dim[d]) : from);
  }
  return row;
}

/* Rows of dims [from, to]. */
static Expr rows_of(Sum *s, int from, int to) {
  Expr n = number(s, 1);
  for (int d = from; d <= to; d++)
    if (s->r->gone[d]) n = mul(s, n, site_extent(s->l, s->x, d));
  return loop_param(s->l, PARAM_EXTENT, n);
}

/* Rows of the last dim that counts them, and of those before that are one loop with it. */
static Expr rows_extent(Sum *s, int last) {
  return s->first_row == last ? loop_extent(s->l, s->x, last) : rows_of(s, s->first_row, last);
}

/* The place of an element within a row of partial results: that in the whole result. */
static Expr place_in_row(Sum *s, const At *out) {
  Expr stride = number(s, 1), at = number(s, 0);
  for (int d = s->n->shape.rank - 1; d >= 0; d--) {
    at = add(s, at, mul(s, out->dim[d], stride));
    stride = mul(s, stride, loop_room(s->l, s->n, d));
  }
  return at;
}

static Expr row_size(Sum *s) {
  Expr n = number(s, 1);
  for (int d = 0; d < s->n->shape.rank; d++) n = mul(s, n, site_room(s->l, s->n, d));
  return loop_param(s->l, PARAM_EXTENT, n);
}

static Expr local(Sum *s, const char *name) {
  return expr_local(s->l->x, dtype_computed(s->n->dtype), name, NO_EXPR);
}

/* The rows of partial results, of this unit. */
static Expr partial(Sum *s) { return local(s, s->unit ? "sums" : "partial"); }

static Expr local_at(Sum *s, Expr local, Expr i) {
  return expr_address(s->l->x, loop_element(s->l, local, i));
}

/* The dim of the result at which dim d of the operand is; -1: a tile has it elsewhere. */
static int result_dim(const Sum *s, int d) {
  for (int i = 0; i < s->n->shape.rank; i++)
    if (s->r->out.dim[i] == s->r->in.dim[d]) return i;
  return -1;
}

/* The sum of a unit, at a place in it. */
static Expr unit_sum(Sum *s, Expr place) { return local_at(s, local(s, "own_sum"), place); }

/* Calls a helper upon each run of a row, the innermost dims that lie side by side in the result:
 * `result` goes in front, `rest` behind. */
static void put_runs(Sum *s, int last, const char *verb, bool result, int nrest, const Expr *rest) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const int from = s->kept < last ? s->kept : last + 1;
  Expr len = number(s, 1);
  At out = r->out;
  bool whole = true;
  int run = s->x->shape.rank, loops = 0;
  for (int d = run - 1; d >= from && whole; d--) {
    if (r->gone[d] || !has(s, d)) continue;
    const int i = result_dim(s, d);
    run = d;
    len = mul(s, site_len(l, s->x, d), len);
    if (i >= 0) out.dim[i] = number(s, 0);
    whole = i >= 0 && site_room(l, s->n, i) == site_len(l, s->x, d);
  }
  for (int d = from; d < run; d++)
    if (!r->gone[d] && has(s, d))
      loop_open(l, r->in.dim[d], loop_extent(l, s->x, d), LOOP_OUTER), loops++;
  const Expr place = place_in_row(s, &out);
  Expr arg[8];
  int n = 0;
  if (result)
    arg[n++] = s->unit ? unit_sum(s, place) : expr_address(l->x, loop_load(l, r->id, &out));
  arg[n++] = is_int(l, place, 0) ? partial(s) : local_at(s, partial(s), place);
  arg[n++] = loop_param(l, PARAM_EXTENT, len), arg[n++] = row_size(s);
  for (int i = 0; i < nrest; i++) arg[n++] = rest[i];
  loop_run(l, reduction_helper(r, arena_printf(l->arena, "%s_row", verb)), n, arg);
  loop_close(l, loops);
}

/* It reads a value that is the same along a row. */
static bool reads_of_row(const Loop *l, Expr e, const char *along, bool *met) {
  const ExprNode *n = expr_node(l->x, e);
  if (met[e]) return false;
  met[e] = true;
  if (n->kind == EXPR_LOAD && n->n) {
    bool moves = false;
    for (int i = 0; i < n->n; i++) moves = moves || expr_mentions(l->x, n->arg[i], along);
    if (!moves) return true;
  }
  for (int i = 0; i < n->n; i++)
    if (reads_of_row(l, n->arg[i], along, met)) return true;
  return false;
}

static bool has_value_of_row(Sum *s, Expr v) {
  Loop *l = s->l;
  if (s->r->last < 0) return false;
  const ExprNode *i = expr_node(l->x, s->r->in.dim[s->r->last]);
  return i->kind == EXPR_SYMBOL &&
         reads_of_row(l, v, i->name, arena_array(l->arena, bool, l->x->at.n));
}

/* How many rows are added to a block's sum at a time, so that it is read and written less often.
 * One where an element takes so much to compute that this does not count, as it is there twice,
 * where it reads what is the same along a row, which compilers gather, and where memory is waited
 * for, which brings one stream best; more of short rows, whose sums wait for each other: so many
 * that few are left over. */
static int together(Sum *s, int last, Expr v) {
  enum { SHORT = 128 };
  const Shape local = layout_local(s->l->mesh, s->x->layout, &s->x->shape);
  int64_t columns = 1, run = 1;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = s->first_row; d <= last; d++) run *= local.dim[d];
  if (!reduction_is_cheap(s->r, v) || !has(s, last) || has_value_of_row(s, v)) return 1;
  const int64_t bytes = shape_count(&local) * (int64_t)dtype_size(s->x->dtype);
  const bool cached = bytes <= machine_cache(s->l->plan->program->machine, CACHE_L2) / 2;
  int rows = columns <= SHORT ? 8 : cached ? 4 : 1;
  if (run <= SUM_BLOCK && run % rows) rows = run % 4 ? 2 : 4;
  return run >= rows ? rows : 1;
}

/* Runs of short rows that kept dims part from each other: their sums stay in registers from one end
 * of a run to the other, as the loop does nothing else. Where rows follow each other without end,
 * several at a time are faster. */
static bool row_in_registers(const Sum *s, int last) {
  enum { MOST = 32 };
  const Shape local = layout_local(s->l->mesh, s->x->layout, &s->x->shape);
  int64_t columns = 1;
  int runs = 0;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = last; d > 0; d--) runs += !s->r->gone[d] && local.dim[d] > 1;
  return runs && columns <= MOST && has(s, last);
}

static void add_short_rows(Sum *s, int last, Expr own, Expr begin, Expr end, Expr fresh) {
  Loop *l = s->l;
  loop_if(l, equal(s, begin, fresh));
  int loops = open_row(s, last + 1);
  loop_set(l, own, reduction_identity(s->r));
  loop_close(l, loops + 1);
  loop_open_from(l, s->r->in.dim[last], begin, end, LOOP_OUTER);
  loops = open_row(s, last + 1);
  loop_set(l, own, reduction_joined(s->r, own, operand(s)));
  loop_close(l, loops + 1);
}

/* Adds rows `begin` to `end`, which lie in one block, whose first is `fresh`. */
static void add_rows(Sum *s, int last, Expr own, Expr begin, Expr end, Expr fresh) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const Expr i = r->in.dim[last], identity = reduction_identity(r), v = operand(s);
  const bool rows = has(s, last);
  const int some = together(s, last, v);
  Expr from = begin;
  if (some > 1) {
    from = loop_integer(l, "first", begin, false);
    loop_open_on(l, from, end, number(s, some), LOOP_OUTER);
    const int loops = open_row(s, last + 1);
    const Expr sum = loop_local(l, LOCAL_VALUE, s->n->dtype, "sum", 0,
                                loop_choose(l, equal(s, from, fresh), identity, own));
    loop_open_from(l, i, from, add(s, from, number(s, some)), LOOP_WHOLE);
    loop_set(l, sum, reduction_joined(r, sum, v));
    loop_close(l, 1);
    loop_set(l, own, sum);
    loop_close(l, loops + 1);
  }
  if (rows) loop_open_from(l, i, from, end, LOOP_OUTER);
  const int loops = rows + open_row(s, last + 1);
  const Expr before = loop_choose(l, equal(s, i, fresh), identity, own);
  loop_set(l, own, reduction_joined(r, before, v));
  loop_close(l, loops);
}

/* How many units all rows of the block have. */
static Expr units(Sum *s) {
  const Expr all = rows_of(s, 0, s->x->shape.rank - 1);
  return expr_div(s->l->x, add(s, all, number(s, s->unit - 1)), number(s, s->unit));
}

/* Where the sum and the partial results of unit `own` are; its first row. */
static Expr put_unit(Sum *s, Expr own) {
  Loop *l = s->l;
  const DType t = s->n->dtype;
  const Expr all = loop_param(l, PARAM_EXTENT, units(s)),
             rows = add(s, all, mul(s, own, number(s, sum_unit_levels(s->unit)))),
             whole = local(s, "partial");
  loop_local(l, LOCAL_POINTER, t, "own_sum", 0, local_at(s, whole, mul(s, own, row_size(s))));
  loop_local(l, LOCAL_POINTER, t, "sums", 0, local_at(s, whole, mul(s, rows, row_size(s))));
  return loop_integer(l, "base", mul(s, own, number(s, s->unit)), true);
}

/* The sums of units are joined by the entry, when all are done. */
static void leave_units(Sum *s) {
  LoopFunction *f = &s->l->f;
  f->join = reduction_helper(s->r, "join_rows");
  f->size = row_size(s), f->units = loop_param(s->l, PARAM_EXTENT, units(s));
}

/* The rows of dim `last`, a block at a time. */
static void put_blocks(Sum *s, int last) {
  Loop *l = s->l;
  const Expr one = number(s, 1), two = number(s, 2);
  loop_partial(l, s->r->id, s->n->dtype);
  const Expr start = loop_integer(l, "start", first_row(s, last), true);
  const Expr extent = rows_extent(s, last);
  Expr first = start, until = add(s, start, extent);
  if (s->in_part != NO_EXPR) {
    const Expr end = mul(s, add(s, s->in_part, one), number(s, s->unit));
    first = mul(s, s->in_part, number(s, s->unit));
    until = loop_choose(l, less(s, end, extent), end, extent);
  }
  const Expr stop = loop_integer(l, "stop", until, true);
  const Expr begin = loop_integer(l, "begin", first, false);
  loop_while(l, less(s, begin, stop), LOOP_OUTER);
  Expr base = number(s, 0);
  if (s->unit)
    base =
        put_unit(s, s->in_part != NO_EXPR
                        ? s->in_part
                        : loop_integer(l, "unit", expr_div(l->x, begin, number(s, s->unit)), true));
  const Expr block = loop_integer(l, "block", blocks_in(s, sub(s, begin, base)), true);
  const Expr next =
      loop_integer(l, "next", add(s, base, mul(s, add(s, block, one), block_word(s))), true);
  const Expr end = loop_integer(l, "end", loop_choose(l, less(s, next, stop), next, stop), true);
  const Expr odd = expr_mod(l->x, block, two);
  const Expr own_row = loop_local(l, LOCAL_POINTER, s->n->dtype, "own", 0,
                                  local_at(s, partial(s), mul(s, odd, row_size(s))));
  const Expr fresh =
      loop_integer(l, "fresh", sub(s, add(s, base, mul(s, block, block_word(s))), start), true);
  const Expr own = loop_element(l, own_row, place_in_row(s, &s->r->out)),
             from = sub(s, begin, start), to = sub(s, end, start);
  const int loops = reduction_open(s->r, s->kept, last, false, LOOP_OUTER);
  (row_in_registers(s, last) ? add_short_rows : add_rows)(s, last, own, from, to, fresh);
  loop_close(l, loops);
  loop_set(l, begin, end);
  loop_if(l, expr_and(l->x, equal(s, end, next), equal(s, odd, one)));
  put_runs(s, last, "carry", false, 1, &block);
  loop_close(l, 1);
  const Expr all = rows_of(s, 0, s->x->shape.rank - 1);
  if (s->unit) {
    const Expr done = sub(s, end, base);
    loop_if(l, expr_or(l->x, equal(s, done, number(s, s->unit)), equal(s, end, all)));
    put_runs(s, last, "fold", true, 2,
             (Expr[]){blocks_in(s, done), less(s, number(s, 0), in_block(s, done))});
    loop_close(l, 2);
    leave_units(s);
    return;
  }
  loop_close(l, 1);
  loop_if(l, equal(s, stop, all));
  put_runs(s, last, "fold", true, 2,
           (Expr[]){blocks_in(s, stop), less(s, number(s, 0), in_block(s, stop))});
  loop_close(l, 1);
}

/* What a run of rows has in a block is the same for all runs of an outer row: where these are
 * short, it is found once for all. */
static bool short_runs(const Sum *s, int last) {
  const Shape local = layout_local(s->l->mesh, s->x->layout, &s->x->shape);
  int64_t run = 1;
  for (int d = s->first_row; d <= last; d++) run *= local.dim[d];
  return run <= 2 * SUM_BLOCK;
}

/* Some device may have no row at all, and comes to no end of the last. */
static bool may_be_empty(const Sum *s) {
  for (int d = 0; d < s->x->shape.rank; d++)
    if (s->r->gone[d] && !dim_even(s->l->mesh, &s->x->layout->dim[d], s->x->shape.dim[d]))
      return true;
  return false;
}

/* The result before any row, in the first of the tiles that add to it. */
static void put_identity(Sum *s, int rows) {
  const int first = reduction_if_first(s->r), loops = open_row(s, rows);
  loop_set(s->l, reduction_result(s->r), reduction_identity(s->r));
  loop_close(s->l, loops + first);
}

static void sum_rows(Sum *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const int rank = s->x->shape.rank;
  const bool blocks = s->order.rows > SUM_BLOCK;
  int rows = rank, last = rank;
  for (int d = rank - 1; d >= 0; d--)
    if (counts_rows(s, d)) rows = d, last = last < rank ? last : d;
  int loops = loop_open_dims(l, s->x, &r->in, 0, rows, LOOP_OUTER, LOOP_OUTER);
  s->unit = l->tile                        ? (site_first(l, r->id) != NO_EXPR ? l->tile->unit : 0)
            : loops || s->first_row > rows ? 0
                                           : sum_unit(l->mesh, l->g, s->n);
  if (!blocks || (may_be_empty(s) && !s->unit)) put_identity(s, rows);
  s->kept = !blocks ? rank : short_runs(s, last) ? rows : last;
  for (int d = rows; d < (blocks ? last : rank); d++)
    if (r->gone[d] || d < s->kept)
      loops += loop_open_dims(l, s->x, &r->in, d, d + 1, LOOP_SOME,
                              d == r->last ? LOOP_PLAIN : LOOP_OUTER);
  s->in_part = NO_EXPR;
  if (s->unit && !l->tile) {
    const Expr n = loop_param(l, PARAM_EXTENT, units(s));
    s->in_part = loop_symbol(l, "unit", 0, (s->order.rows + s->unit - 1) / s->unit - 1);
    loop_open(l, s->in_part, n, LOOP_OUTER);
    l->apart = s->in_part, l->apart_extent = n;
    loops++;
  } else if (blocks && !l->tile) {
    for (int d = rows - 1; d >= 0; d--)
      if (has(s, d)) l->apart = r->in.dim[d], l->apart_extent = loop_extent(l, s->x, d);
  }
  if (blocks)
    put_blocks(s, last);
  else
    loop_set(l, reduction_result(r), reduction_joined(r, reduction_result(r), operand(s)));
  loop_close(l, loops);
}

void build_sum(ReduceNest *r, const SumOrder *o) {
  Loop *l = r->l;
  const Node *n = r->n, *x = r->x;
  Sum s = {.r = r, .l = l, .n = n, .x = x, .order = *o};
  const int64_t all = most_elements(l, x);
  const bool lines = o->first < x->shape.rank, lanes = lanes_fit(n, o->line);
  const bool goes_on = lines && site_first(l, r->id) != NO_EXPR;
  l->f.flat = lines && n->shape.rank == 0 && !l->tile && loop_is_flat(l, n->operand[0]);
  const int64_t unit = l->f.flat ? sum_line_unit(l->mesh, l->g, n) : 0;
  if (unit) {
    lanes_units(r, o->line, unit);
    return;
  }
  if (l->f.flat)
    r->in = at_flat(lanes                            ? lanes_index(l, all)
                    : is_int(l, site_count(l, x), 1) ? loop_int(l, 0)
                                                     : loop_symbol(l, "i", 0, all - 1));
  else if (lines && lanes && (goes_on || !several_dims(&s)))
    r->in.dim[r->last] = lanes_index(l, most_of(l, x, r->last));
  if (!lines && o->rows > SUM_BLOCK) join_rows(&s);
  if (goes_on)
    lanes_on(r, o->line);
  else if (lines)
    sum_lines(&s);
  else
    sum_rows(&s);
}
