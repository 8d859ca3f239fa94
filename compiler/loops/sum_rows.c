/* Sums of rows, where the trailing dims are kept: blocks of 32 in sequence, combined pairwise by
 * dtrt_carry_row_sum_f32 and its kin. Many rows are added up in units, whole subtrees of that
 * order, that cores have some of each. */
#include "sum_build.h"
#include <string.h>

/* A tile may have no loop over a dim that its own loops go over. */
static bool counts_rows(const SumNest *s, int d) {
  return row_dim(s, d) && !is_int(s->l, site_extent(s->l, s->x, d), 1);
}

/* An element of a row: a value, or the sum of a short line, which is written out where its length
 * is known. */
static Expr addend(SumNest *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  if (s->end == s->x->shape.rank) return operand(s);
  const Expr acc = loop_local(l, LOCAL_VALUE, s->n->dtype, "acc", 0, reduction_identity(r));
  int loops = 0;
  for (int d = s->end; d < s->x->shape.rank; d++) {
    if (!r->gone[d] || !has(s, d)) continue;
    const Expr len = site_len(l, s->x, d);
    int64_t known;
    const bool is_known = expr_is_int(l->x, len, &known);
    loop_open(l, r->in.dim[d], is_known ? len : loop_extent(l, s->x, d),
              is_known ? LOOP_WHOLE : LOOP_SOME);
    loops++;
  }
  loop_set(l, acc, reduction_joined(r, acc, operand(s)));
  loop_close(l, loops);
  return acc;
}

void sum_join_rows(SumNest *s) {
  int last = s->end - 1, first;
  while (last > 0 && !counts_rows(s, last)) last--;
  for (first = last; first > 0 && s->r->gone[first - 1];) first--;
  s->first_row = last;
  if (s->l->tile || first == last || !has(s, last) ||
      !loop_is_one_dim(s->l, s->n->operand[0], first, last - first + 1))
    return;
  s->first_row = first;
  for (int d = first; d < last; d++) s->r->in.dim[d] = number(s, 0);
}

/* Number of the first row of this device's block that the loop over dim `last` begins with: that of
 * the tile, and of the outer reduced dims. */
static Expr first_row(SumNest *s, int last) {
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
static Expr rows_of(SumNest *s, int from, int to) {
  Expr n = number(s, 1);
  for (int d = from; d <= to; d++)
    if (row_dim(s, d)) n = mul(s, n, site_extent(s->l, s->x, d));
  return loop_param(s->l, PARAM_EXTENT, n);
}

/* Rows of the last dim that counts them, and of those before that are one loop with it. */
static Expr rows_extent(SumNest *s, int last) {
  return s->first_row == last ? loop_extent(s->l, s->x, last) : rows_of(s, s->first_row, last);
}

/* The place of an element within a row of partial results: that in the whole result. */
static Expr place_in_row(SumNest *s, const At *out) {
  Expr stride = number(s, 1), at = number(s, 0);
  for (int d = s->n->shape.rank - 1; d >= 0; d--) {
    at = add(s, at, mul(s, out->dim[d], stride));
    stride = mul(s, stride, loop_room(s->l, s->n, d));
  }
  return at;
}

static Expr row_size(SumNest *s) {
  const Expr size = site_product(s->l, s->n, 0, s->n->shape.rank, site_room);
  return loop_param(s->l, PARAM_EXTENT, size);
}

/* Rows of partial results begin cache lines, wherever their number of columns ends. */
static Expr whole_lines(SumNest *s, Expr n) {
  const int64_t line = sum_line_of(s->n->dtype);
  const Expr lines = expr_div(s->l->x, add(s, n, number(s, line - 1)), number(s, line));
  return loop_param(s->l, PARAM_EXTENT, mul(s, lines, number(s, line)));
}

static Expr partial_row_size(SumNest *s) { return whole_lines(s, row_size(s)); }

static Expr local(SumNest *s, const char *name) {
  return expr_local(s->l->x, dtype_computed(s->n->dtype), name, NO_EXPR);
}

/* The rows of partial results, of this unit. */
static Expr partial(SumNest *s) { return local(s, s->unit ? "sums" : "partial"); }

static Expr local_at(SumNest *s, Expr local, Expr i) {
  return expr_address(s->l->x, loop_element(s->l, local, i));
}

/* The dim of the result at which dim d of the operand is; -1: a tile has it elsewhere. */
static int result_dim(const SumNest *s, int d) {
  for (int i = 0; i < s->n->shape.rank; i++)
    if (s->r->out.dim[i] == s->r->in.dim[d]) return i;
  return -1;
}

/* The sum of a unit, at a place in it. */
static Expr unit_sum(SumNest *s, Expr place) { return local_at(s, local(s, "own_sum"), place); }

/* Calls a helper upon each run of a row, the innermost dims that lie side by side in the result:
 * `result` goes in front, `rest` behind. */
static void put_runs(SumNest *s, int last, const char *verb, bool result, int nrest,
                     const Expr *rest) {
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
    whole = i >= 0 && (loop_joins(l, s->x, d) || site_room(l, s->n, i) == site_len(l, s->x, d));
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
  arg[n++] = loop_param(l, PARAM_EXTENT, len), arg[n++] = partial_row_size(s);
  for (int i = 0; i < nrest; i++) arg[n++] = rest[i];
  loop_run(l, reduction_helper(r, arena_printf(l->arena, "%s_row", verb)), n, arg);
  loop_close(l, loops);
}

/* How many rows are added to a block's sum at a time. A line is several elements by itself. */
static int together(SumNest *s, int last, Expr v) {
  return s->end < s->x->shape.rank ? 1 : reduction_together(s->r, s->first_row, last, v);
}

/* Runs of short rows that kept dims part from each other: their sums stay in registers from one end
 * of a run to the other, as the loop does nothing else: as many as a line has lanes, which any CPU
 * has registers for. Where rows follow each other without end, several at a time are faster. */
static bool row_in_registers(const SumNest *s, int last) {
  const Shape local = node_local(s->l->mesh, s->x);
  int64_t columns = 1;
  int runs = 0;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = last; d > 0; d--) runs += !s->r->gone[d] && local.dim[d] > 1;
  return runs && columns <= LANES && columns >= LANES / 4 && has(s, last);
}

static void add_short_rows(SumNest *s, int last, Expr own, Expr begin, Expr end, Expr fresh) {
  Loop *l = s->l;
  loop_if(l, equal(s, begin, fresh));
  int loops = reduction_open_row(s->r, last + 1);
  loop_set(l, own, reduction_identity(s->r));
  loop_close(l, loops + 1);
  loop_open_from(l, s->r->in.dim[last], begin, end, LOOP_OUTER);
  loops = reduction_open_row(s->r, last + 1);
  loop_set(l, own, reduction_joined(s->r, own, addend(s)));
  loop_close(l, loops + 1);
}

/* Adds `some` rows from `from` on; `fresh` is the first of the block. The loop over them counts
 * from 0: compilers do not see that any other has so many turns where these call functions, leave
 * it as it is, and have no vectors of the loop around. */
static void add_group(SumNest *s, int last, Expr own, Expr from, int some, Expr fresh) {
  Loop *l = s->l;
  const Expr row = s->r->in.dim[last], turn = loop_symbol(l, "turn", 0, some - 1);
  const int loops = reduction_open_row(s->r, last + 1);
  const Expr before = loop_choose(l, equal(s, from, fresh), reduction_identity(s->r), own);
  const Expr sum = loop_local(l, LOCAL_VALUE, s->n->dtype, "sum", 0, before);
  loop_open(l, turn, number(s, some), LOOP_WHOLE);
  loop_local(l, LOCAL_CONST, DT_I64, expr_node(l->x, row)->name, 0, add(s, from, turn));
  loop_set(l, sum, reduction_joined(s->r, sum, addend(s)));
  loop_close(l, 1);
  loop_set(l, own, sum);
  loop_close(l, loops);
}

static void add_one_by_one(SumNest *s, int last, Expr own, Expr from, Expr to, Expr fresh) {
  Loop *l = s->l;
  const bool rows = has(s, last);
  const Expr i = s->r->in.dim[last];
  if (rows) loop_open_from(l, i, from, to, LOOP_OUTER);
  const int loops = rows + reduction_open_row(s->r, last + 1);
  const Expr before = loop_choose(l, equal(s, i, fresh), reduction_identity(s->r), own);
  loop_set(l, own, reduction_joined(s->r, before, addend(s)));
  loop_close(l, loops);
}

/* Adds rows `begin` to `end`, which lie in one block, whose first is `fresh`. */
static void add_rows(SumNest *s, int last, Expr own, Expr begin, Expr end, Expr fresh) {
  Loop *l = s->l;
  const int some = together(s, last, operand(s));
  Expr from = begin;
  if (some > 1) {
    from = loop_integer(l, "first", begin, false);
    loop_open_on(l, from, end, number(s, some), LOOP_OUTER);
    add_group(s, last, own, from, some, fresh);
    loop_close(l, 1);
  }
  add_one_by_one(s, last, own, from, end, fresh);
}

/* How many units all rows of the block have. */
static Expr units(SumNest *s) {
  const Expr all = rows_of(s, 0, s->x->shape.rank - 1);
  return expr_div(s->l->x, add(s, all, number(s, s->unit - 1)), number(s, s->unit));
}

/* Rows of a unit, and the rows of partial results that it has: functions are passed them, so that
 * sums of more and of fewer rows share one. */
static Expr unit_rows(SumNest *s) { return loop_param(s->l, PARAM_EXTENT, number(s, s->unit)); }
static Expr unit_levels(SumNest *s) {
  return loop_param(s->l, PARAM_EXTENT, number(s, sum_unit_levels(s->unit)));
}

/* Where the sum and the partial results of unit `own` are; its first row. */
static Expr put_unit(SumNest *s, Expr own) {
  Loop *l = s->l;
  const DType t = s->n->dtype;
  const Expr sums = whole_lines(s, mul(s, units(s), row_size(s))), whole = local(s, "partial"),
             memory = s->in_part != NO_EXPR ? s->from : own, rows = mul(s, memory, unit_levels(s));
  loop_local(l, LOCAL_POINTER, t, "own_sum", 0, local_at(s, whole, mul(s, own, row_size(s))));
  loop_local(l, LOCAL_POINTER, t, "sums", 0,
             local_at(s, whole, add(s, sums, mul(s, rows, partial_row_size(s)))));
  return loop_integer(l, "base", mul(s, own, unit_rows(s)), true);
}

/* The sums of units are joined by the entry, when all are done. */
static void leave_units(SumNest *s) {
  LoopFunction *f = &s->l->f;
  f->join = reduction_helper(s->r, "join_rows");
  f->size = row_size(s), f->units = loop_param(s->l, PARAM_EXTENT, units(s));
}

/* The row that block number `block` is added up in. */
static Expr row_of_block(SumNest *s, Expr block) {
  const Expr odd = expr_mod(s->l->x, block, number(s, 2));
  const Expr row = loop_local(s->l, LOCAL_POINTER, s->n->dtype, "own", 0,
                              local_at(s, partial(s), mul(s, odd, partial_row_size(s))));
  return loop_element(s->l, row, place_in_row(s, &s->r->out));
}

/* Rows that lie in memory as they are added up, each in one piece, as its sum does: the runtime
 * adds them up (dtrt_sum_rows_f32), and programs have no loops to compile. */
typedef struct StoredRows {
  Expr x, to; /* where the first row begins, and its sum */
  Expr place; /* ... in rows of partial results */
  Expr n, stride;
} StoredRows;

/* Whether operand v is an element of memory at the indices of the loops. */
static bool is_element(const SumNest *s, const ExprNode *v) {
  if (v->kind != EXPR_LOAD || v->n != s->x->shape.rank) return false;
  for (int d = 0; d < v->n; d++)
    if (v->arg[d] != s->r->in.dim[d]) return false;
  return true;
}

/* `from`: the first of the rows, at the index of its loop. */
static bool rows_are_stored(SumNest *s, int last, Expr from, StoredRows *out) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const DType t = s->n->dtype;
  const ExprNode *v = expr_node(l->x, operand(s));
  if (strcmp(r->word, "sum") || s->x->dtype != t || dtype_computed(t) != t) return false;
  if (s->end < s->x->shape.rank || !has(s, last) || !is_element(s, v)) return false;
  for (int d = s->kept; d < last; d++)
    if (!r->gone[d] && has(s, d)) return false;
  const Node *memory = graph_node(l->g, (NodeId)v->v);
  At in = r->in, to = r->out;
  Expr n = number(s, 1), stride = n;
  bool whole = true; /* so far: elements that follow each other */
  for (int d = s->x->shape.rank - 1; d > last; d--) {
    const Expr len = site_len(l, s->x, d), room = site_room(l, memory, d);
    stride = mul(s, stride, room);
    if (!has(s, d)) {
      whole = whole && is_int(l, room, 1);
      continue;
    }
    const int i = result_dim(s, d);
    if (!whole || i < 0) return false;
    n = mul(s, n, len);
    whole = room == len && site_room(l, s->n, i) == len;
    in.dim[d] = to.dim[i] = number(s, 0);
  }
  in.dim[last] = from;
  *out = (StoredRows){.x = expr_address_read(l->x, loop_value(l, s->n->operand[0], &in)),
                      .to = expr_address(l->x, loop_load(l, r->id, &to)),
                      .place = place_in_row(s, &to),
                      .n = loop_param(l, PARAM_EXTENT, n),
                      .stride = loop_param(l, PARAM_EXTENT, stride)};
  return true;
}

static Expr from_place(SumNest *s, Expr local, Expr place) {
  return is_int(s->l, place, 0) ? local : local_at(s, local, place);
}

static Expr some_together(SumNest *s, int last) {
  return loop_param(s->l, PARAM_EXTENT, number(s, together(s, last, operand(s))));
}

static void put_stored(SumNest *s, const char *how, int nargs, const Expr *arg) {
  const Shape local = node_local(s->l->mesh, s->x);
  s->l->called_ops += (double)shape_count(&local);
  loop_run(s->l, arena_printf(s->l->arena, "dtrt_sum_rows%s_%s", how, s->r->type), nargs, arg);
}

/* A unit whose rows follow each other: its whole blocks, and the rows left over. */
static void put_unit_of_rows(SumNest *s, int last) {
  Loop *l = s->l;
  const Expr size = block_word(s), all = rows_extent(s, last);
  const int some = together(s, last, operand(s));
  loop_partial(l, s->r->id, s->n->dtype);
  const Expr base = put_unit(s, s->in_part), end = add(s, base, unit_rows(s));
  const Expr stop = loop_integer(l, "stop", loop_choose(l, less(s, end, all), end, all), true);
  StoredRows o;
  if (rows_are_stored(s, last, base, &o)) {
    const Expr rows = loop_integer(l, "rows", sub(s, stop, base), true);
    put_stored(s, "", 10,
               (Expr[]){from_place(s, local(s, "own_sum"), o.place),
                        from_place(s, local(s, "sums"), o.place), partial_row_size(s), o.x,
                        o.stride, o.n, number(s, 0), rows, rows, some_together(s, last)});
    leave_units(s);
    return;
  }
  const Expr blocks = loop_integer(l, "blocks", blocks_in(s, sub(s, stop, base)), true);
  const Expr block = loop_symbol(l, "block", 0, s->unit / SUM_BLOCK - 1);
  loop_open(l, block, blocks, LOOP_OUTER);
  const Expr first = loop_integer(l, "first", add(s, base, mul(s, block, size)), true);
  const Expr next = add(s, first, size), own = row_of_block(s, block);
  if (some > 1) {
    const Expr from = loop_symbol(l, "from", 0, s->order.rows - 1);
    loop_open_by(l, from, first, next, number(s, some), LOOP_OUTER);
    add_group(s, last, own, from, some, first);
    loop_close(l, 1);
  } else {
    add_one_by_one(s, last, own, first, next, first);
  }
  loop_if(l, equal(s, expr_mod(l->x, block, number(s, 2)), number(s, 1)));
  put_runs(s, last, "carry", false, 1, &block);
  loop_close(l, 2);
  const Expr rest = loop_integer(l, "rest", add(s, base, mul(s, blocks, size)), true);
  loop_if(l, less(s, rest, stop));
  add_one_by_one(s, last, row_of_block(s, blocks), rest, stop, rest);
  loop_close(l, 1);
  put_runs(s, last, "fold", true, 2, (Expr[]){blocks, less(s, rest, stop)});
  leave_units(s);
}

static void put_blocks_stored(SumNest *s, int last, const StoredRows *o) {
  const Expr first = first_row(s, last), rows = rows_extent(s, last), some = some_together(s, last),
             all = rows_of(s, 0, s->x->shape.rank - 1), size = partial_row_size(s);
  if (!s->unit) {
    put_stored(s, "", 10,
               (Expr[]){o->to, from_place(s, local(s, "partial"), o->place), size, o->x, o->stride,
                        o->n, first, rows, all, some});
    return;
  }
  const Expr whole = row_size(s), own = whole_lines(s, mul(s, units(s), whole));
  put_stored(s, "_in_units", 13,
             (Expr[]){from_place(s, local(s, "partial"), o->place),
                      local_at(s, local(s, "partial"), add(s, own, o->place)), size, whole,
                      unit_rows(s), unit_levels(s), o->x, o->stride, o->n, first, rows, all, some});
  leave_units(s);
}

/* The rows of dim `last`, a block at a time. */
static void put_blocks(SumNest *s, int last) {
  Loop *l = s->l;
  const Expr one = number(s, 1), two = number(s, 2);
  loop_partial(l, s->r->id, s->n->dtype);
  StoredRows o;
  if (s->in_part == NO_EXPR && rows_are_stored(s, last, number(s, 0), &o)) {
    put_blocks_stored(s, last, &o);
    return;
  }
  const Expr start = loop_integer(l, "start", first_row(s, last), true);
  const Expr extent = rows_extent(s, last);
  Expr first = start, until = add(s, start, extent);
  if (s->in_part != NO_EXPR) {
    const Expr end = mul(s, add(s, s->in_part, one), unit_rows(s));
    first = mul(s, s->in_part, unit_rows(s));
    until = loop_choose(l, less(s, end, extent), end, extent);
  }
  const Expr stop = loop_integer(l, "stop", until, true);
  const Expr begin = loop_integer(l, "begin", first, false);
  loop_while(l, less(s, begin, stop), LOOP_OUTER);
  Expr base = number(s, 0);
  if (s->unit)
    base = put_unit(s, s->in_part != NO_EXPR
                           ? s->in_part
                           : loop_integer(l, "unit", expr_div(l->x, begin, unit_rows(s)), true));
  const Expr block = loop_integer(l, "block", blocks_in(s, sub(s, begin, base)), true);
  const Expr next =
      loop_integer(l, "next", add(s, base, mul(s, add(s, block, one), block_word(s))), true);
  const Expr end = loop_integer(l, "end", loop_choose(l, less(s, next, stop), next, stop), true);
  const Expr odd = expr_mod(l->x, block, two), own = row_of_block(s, block);
  const Expr fresh =
      loop_integer(l, "fresh", sub(s, add(s, base, mul(s, block, block_word(s))), start), true);
  const Expr from = sub(s, begin, start), to = sub(s, end, start);
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
    loop_if(l, expr_or(l->x, equal(s, done, unit_rows(s)), equal(s, end, all)));
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
static bool short_runs(const SumNest *s, int last) {
  const Shape local = node_local(s->l->mesh, s->x);
  int64_t run = 1;
  for (int d = s->first_row; d <= last; d++) run *= local.dim[d];
  return run <= 2 * SUM_BLOCK;
}

/* Some device may have no row at all, and comes to no end of the last. */
static bool may_be_empty(const SumNest *s) {
  for (int d = 0; d < s->x->shape.rank; d++)
    if (s->r->gone[d] && !dim_even(s->l->mesh, &s->x->layout->dim[d], s->x->shape.dim[d]))
      return true;
  return false;
}

/* The result before any row, in the first of the tiles that add to it. */
static void put_identity(SumNest *s, int rows) {
  const int first = reduction_if_first(s->r), loops = reduction_open_row(s->r, rows);
  loop_set(s->l, reduction_result(s->r), reduction_identity(s->r));
  loop_close(s->l, loops + first);
}

void sum_rows(SumNest *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const int rank = s->x->shape.rank;
  const bool blocks = s->order.rows > SUM_BLOCK;
  int rows = rank, last = rank;
  for (int d = rank - 1; d >= 0; d--)
    if (counts_rows(s, d)) rows = d, last = last < rank ? last : d;
  int loops = loop_open_dims(l, s->x, &r->in, 0, rows, LOOP_OUTER, LOOP_OUTER);
  if (!blocks && loops && s->end == rank && reduction_few_columns(r, rows)) {
    reduction_in_registers(r, rows);
    loop_close(l, loops);
    return;
  }
  const bool in_units =
      l->tile ? l->tile->unit && site_first(l, r->id) != NO_EXPR : !loops && s->first_row <= rows;
  s->unit = in_units ? sum_unit(l->mesh, l->g, s->n) : 0;
  if (!blocks || (may_be_empty(s) && !s->unit)) put_identity(s, rows);
  s->kept = !blocks ? rank : short_runs(s, last) ? rows : last;
  for (int d = rows; d < (blocks ? last : s->end); d++)
    if (r->gone[d] || d < s->kept)
      loops += loop_open_dims(l, s->x, &r->in, d, d + 1, LOOP_SOME,
                              d == r->last ? LOOP_PLAIN : LOOP_OUTER);
  s->in_part = NO_EXPR;
  if (s->unit && !l->tile) {
    const Expr n = loop_param(l, PARAM_EXTENT, units(s));
    s->in_part = loop_symbol(l, "unit", 0, (s->order.rows + s->unit - 1) / s->unit - 1);
    l->ranges = true;
    l->apart = s->from = loop_symbol(l, LOOP_PART_FROM, 0, INT64_MAX);
    l->apart_extent = n;
    loop_open_from(l, s->in_part, s->from, loop_symbol(l, "part_to", 0, INT64_MAX), LOOP_OUTER);
    loops++;
  } else if (blocks && !l->tile) {
    for (int d = rows - 1; d >= 0; d--)
      if (has(s, d)) l->apart = r->in.dim[d], l->apart_extent = loop_extent(l, s->x, d);
  }
  if (s->in_part != NO_EXPR && reduction_is_cheap(r, operand(s)))
    put_unit_of_rows(s, last);
  else if (blocks)
    put_blocks(s, last);
  else
    loop_set(l, reduction_result(r), reduction_joined(r, reduction_result(r), addend(s)));
  loop_close(l, loops);
}
