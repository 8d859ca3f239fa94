/* The innermost line of a reduction of floats, in 32 lanes (dtrt_math.h). Sums and products combine
 * blocks of 32 turns pairwise:
 *
 *   while (lane0 + 32 <= len) {
 *     const int64_t next = ..., end = ...;              // of the block
 *     for (; lane0 + 32 <= end; lane0 += 32) { ...; turn(&acc, line); }
 *     if (lane0 == next) carry(partial, lane0 / 1024 - 1, &acc);
 *   }
 */
#include "loop_reduce.h"

enum { BLOCK = LANES_BLOCK };

/* Blocks are combined pairwise: a line can be longer than one. */
static bool in_blocks(const ReduceNest *r, int64_t most) {
  return op_is(r->n, OPF_SUMS) && most > BLOCK;
}

bool lanes_fit(const Node *n, int64_t most) { return dtype_is_float(n->dtype) && most >= LANES; }

static Expr local(ReduceNest *r, const char *name) {
  return expr_local(r->l->x, dtype_computed(r->n->dtype), name, NO_EXPR);
}
static Expr address(ReduceNest *r, Expr of) { return expr_address(r->l->x, of); }
static Expr acc_address(ReduceNest *r) { return address(r, local(r, "acc")); }
static Expr number(ReduceNest *r, int64_t v) { return loop_int(r->l, v); }
static Expr lanes_word(ReduceNest *r) { return loop_word(r->l, "DTRT_LANES", LANES); }
static Expr lane(Loop *l) { return loop_symbol(l, "lane", 0, LANES - 1); }
static Expr at_now(Loop *l) { return loop_symbol(l, "lane0", INT64_MIN, INT64_MAX); }
static Expr add(ReduceNest *r, Expr a, Expr b) { return expr_add(r->l->x, a, b); }
static Expr sub(ReduceNest *r, Expr a, Expr b) { return expr_sub(r->l->x, a, b); }
static Expr less(ReduceNest *r, Expr a, Expr b) { return expr_compare(r->l->x, EXPR_LESS, a, b); }
static Expr equal(ReduceNest *r, Expr a, Expr b) { return expr_compare(r->l->x, EXPR_EQUAL, a, b); }
static Expr blocks_in(ReduceNest *r, Expr i) { return expr_div(r->l->x, i, number(r, BLOCK)); }

Expr lanes_index(Loop *l, int64_t most) {
  const Expr at = loop_symbol(l, "lane0", 0, most > LANES ? most - LANES : 0);
  return expr_add(l->x, at, loop_symbol(l, "lane", 0, (most < LANES ? most : LANES) - 1));
}

bool lanes_flat(ReduceNest *r, int64_t line) {
  Loop *l = r->l;
  const Expr count = site_count(l, r->x);
  const bool lanes = !is_int(l, count, 1) && lanes_fit(r->n, line);
  l->f.flat = true;
  r->in = lanes ? at_flat(lanes_index(l, most_elements(l, r->x))) : loop_flat_index(l, r->x, count);
  return lanes;
}

/* The first element of the block after i's. */
static Expr next_block(ReduceNest *r, Expr i) {
  return expr_scale(r->l->x, add(r, blocks_in(r, i), number(r, 1)), BLOCK);
}

static Expr lesser(ReduceNest *r, Expr a, Expr b) { return loop_choose(r->l, less(r, a, b), a, b); }

void lanes_begin(ReduceNest *r, int64_t most, Expr from) {
  Loop *l = r->l;
  const int levels = sum_levels(most / LANES);
  const Expr acc = loop_local(l, LOCAL_LANES, r->n->dtype, "acc", 0, reduction_identity(r));
  if (!in_blocks(r, most)) return;
  const Expr partial = loop_local(l, LOCAL_LANES_ARRAY, r->n->dtype, "blocks", levels, NO_EXPR);
  if (is_int(l, from, 0)) return;
  /* The blocks in front of `from` count as combined. */
  const Expr b = loop_symbol(l, "b", 0, levels - 1);
  loop_open(l, b, number(r, levels), LOOP_SOME);
  loop_set(l, loop_element(l, partial, b), acc);
  loop_close(l, 1);
}

static void put_turn(ReduceNest *r, Expr line) {
  loop_run(r->l, reduction_helper(r, "accumulate"), 2, (Expr[]){acc_address(r), line});
}

static void carry(ReduceNest *r, Expr partial, Expr block) {
  loop_run(r->l, reduction_helper(r, "carry_lanes"), 3, (Expr[]){partial, block, acc_address(r)});
}

static void fold(ReduceNest *r, Expr partial, Expr blocks) {
  loop_run(r->l, reduction_helper(r, "fold_lanes"), 3, (Expr[]){partial, blocks, acc_address(r)});
}

static void set_line(ReduceNest *r, Expr i, Expr v) {
  loop_set(r->l, loop_element(r->l, local(r, "line"), i), v);
}

/* One value in all lanes. */
static void fill_line(ReduceNest *r, Expr v) {
  loop_open(r->l, lane(r->l), lanes_word(r), LOOP_SOME);
  set_line(r, lane(r->l), v);
  loop_close(r->l, 1);
}

/* The element, and what is stored along with it, which may take the place of what it is made of. */
static void put_element(ReduceNest *r, Expr v) {
  set_line(r, lane(r->l), v);
  if (r->storing) map_body(r->l, r->l->step, &r->in);
  r->stores = r->storing;
}

/* The first of the elements that a turn takes, if these lie side by side in memory as they are. */
static Expr in_memory(ReduceNest *r, Expr v) {
  Loop *l = r->l;
  const ExprNode n = *expr_node(l->x, v);
  Expr index[MAX_RANK];
  if (n.kind != EXPR_LOAD || n.n < 1 || n.type != dtype_computed(r->n->dtype)) return NO_EXPR;
  for (int d = 0; d < n.n; d++) index[d] = d < n.n - 1 ? n.arg[d] : sub(r, n.arg[d], lane(l));
  for (int d = 0; d < n.n; d++)
    if (expr_mentions(l->x, index[d], "lane")) return NO_EXPR;
  return expr_element(l->x, EXPR_LOAD, n.type, (NodeId)n.v, n.n, index);
}

/* The turns from `at` to `end`; the compiler may unroll the few of a short line. */
static void put_turns(ReduceNest *r, Expr v, Expr end, LoopHow how) {
  Loop *l = r->l;
  const Expr first = r->storing ? NO_EXPR : in_memory(r, v);
  loop_open_on(l, at_now(l), end, lanes_word(r), how);
  if (first == NO_EXPR) {
    loop_open(l, lane(l), lanes_word(r), LOOP_PLAIN);
    put_element(r, v);
    loop_close(l, 1);
  }
  put_turn(r, first == NO_EXPR ? local(r, "line") : address(r, first));
  loop_close(l, 1);
}

static bool chooses(const Exprs *x, Expr e, bool *seen) {
  const ExprNode *n = expr_node(x, e);
  if (seen[e]) return false;
  seen[e] = true;
  if (n->kind == EXPR_SELECT || n->type == DT_BOOL) return true;
  for (int i = 0; i < n->n; i++)
    if (chooses(x, n->arg[i], seen)) return true;
  return false;
}

/* It is computed, and not by conditions, which would stand in one more. */
static bool is_plainly_computed(ReduceNest *r, Expr v) {
  const Exprs *x = r->l->x;
  return in_memory(r, v) == NO_EXPR && !chooses(x, v, arena_array(r->l->arena, bool, x->n));
}

/* The line's last elements, and identities behind them. What is computed is stored as whole vectors
 * where those have masks: a turn that loads what several stores left waits until all stores before
 * are done. A copy stays in registers. */
static void put_rest(ReduceNest *r, Expr v, Expr n) {
  Loop *l = r->l;
  const int64_t size = (int64_t)dtype_size(dtype_computed(r->n->dtype));
  const Expr lanes = number(r, machine_vector(loop_machine(l), size));
  fill_line(r, reduction_identity(r));
  if (r->storing || !is_plainly_computed(r, v)) {
    loop_open(l, lane(l), n, LOOP_FEW);
    put_element(r, v);
  } else {
    const Expr arg[] = {n, lanes};
    loop_open(l, lane(l), expr_call(l->x, "DTRT_REST", DT_I64, 2, arg, 1, LANES), LOOP_FEW);
    put_element(r, loop_choose(l, less(r, lane(l), n), v, reduction_identity(r)));
  }
  loop_close(l, 1);
}

/* How many elements a line has that begins at `from`, where that is known: a function that others
 * share is passed the length, but of these all are whole turns or blocks, or all are shorter than a
 * turn. */
typedef enum LineTurns { TURNS_AND_REST, WHOLE_TURNS, WHOLE_BLOCKS, REST_ALONE } LineTurns;
static LineTurns line_turns(const ReduceNest *r, Expr from, Expr len) {
  const ExprNode *n = expr_node(r->l->x, len);
  int64_t known;
  if (r->whole_turns) return WHOLE_TURNS;
  if (n->kind == EXPR_PARAM) len = r->l->f.params.at[n->v].value;
  if (!is_int(r->l, from, 0) || !expr_is_int(r->l->x, len, &known) || !known) return TURNS_AND_REST;
  if (known % BLOCK == 0) return WHOLE_BLOCKS;
  return known % LANES == 0 ? WHOLE_TURNS : known < LANES ? REST_ALONE : TURNS_AND_REST;
}

static bool has_rest(LineTurns t) { return t == TURNS_AND_REST || t == REST_ALONE; }

/* Where elements are cheap, whole blocks are a loop apart: all counts follow from the length, and a
 * compiler that knows it unrolls them. */
void lanes_line(ReduceNest *r, int64_t most, Expr from, Expr len) {
  Loop *l = r->l;
  const bool blocks = in_blocks(r, most);
  const Expr v = loop_value(l, r->n->operand[0], &r->in);
  const LineTurns turns = line_turns(r, from, len);
  const bool rest = has_rest(turns);
  if (rest || r->storing || in_memory(r, v) == NO_EXPR)
    loop_local(l, LOCAL_ARRAY, r->n->dtype, "line", LANES, NO_EXPR);
  const Expr at = loop_integer(l, "lane0", from, false), partial = local(r, "blocks");
  const Expr whole = blocks_in(r, len);
  const bool counted = blocks && is_int(l, from, 0) && reduction_is_cheap(r, v);
  if (counted) {
    const Expr block = loop_symbol(l, "block", 0, most / BLOCK);
    loop_open(l, block, whole, LOOP_OUTER);
    put_turns(r, v, expr_scale(l->x, add(r, block, number(r, 1)), BLOCK), LOOP_OUTER);
    carry(r, partial, block);
    loop_close(l, 1);
    if (turns != WHOLE_BLOCKS) {
      loop_set(l, at, expr_scale(l->x, whole, BLOCK));
      put_turns(r, v, len, LOOP_OUTER);
    }
    if (rest) loop_set(l, at, expr_scale(l->x, expr_div(l->x, len, number(r, LANES)), LANES));
  } else if (blocks) {
    loop_while(l, expr_compare(l->x, EXPR_LEAST, len, add(r, at, lanes_word(r))), LOOP_OUTER);
    const Expr next = loop_integer(l, "next", next_block(r, at), true);
    put_turns(r, v, loop_integer(l, "end", lesser(r, next, len), true), LOOP_OUTER);
    loop_if(l, equal(r, at, next));
    carry(r, partial, sub(r, blocks_in(r, at), number(r, 1)));
    loop_close(l, 2);
  } else if (turns != REST_ALONE) {
    put_turns(r, v, len, LOOP_SOME);
  }
  if (rest) {
    if (turns == TURNS_AND_REST) loop_if(l, less(r, at, len));
    put_rest(r, v, turns == REST_ALONE ? len : sub(r, len, at));
    put_turn(r, local(r, "line"));
    loop_close(l, turns == TURNS_AND_REST);
  }
  if (blocks) fold(r, partial, counted ? whole : blocks_in(r, at));
}

void lanes_band(ReduceNest *r, int64_t most) {
  Loop *l = r->l;
  const Expr from = live_from(l, r->x, &r->in), len = live_to(l, r->x, &r->in);
  if (most) lanes_begin(r, most, from);
  lanes_line(r, most, from, len);
  if (r->n->op->reduce == RED_SUM) return; /* they are 0 there */
  const Expr all = loop_extent(l, r->x, r->x->shape.rank - 1);
  loop_if(l, expr_or(l->x, less(r, number(r, 0), from), less(r, len, all)));
  fill_line(r, value_outside(l, r->n->operand[0], &r->in));
  put_turn(r, local(r, "line"));
  loop_close(l, 1);
}

/* Turns of the buffer up to `end`. */
static void put_buffer(ReduceNest *r, Expr end) {
  Loop *l = r->l;
  const Expr turn = loop_symbol(l, "turn", 0, BLOCK - 1);
  loop_open_by(l, turn, number(r, 0), end, lanes_word(r), LOOP_SOME);
  put_turn(r, address(r, loop_element(l, local(r, "line"), turn)));
  loop_close(l, 1);
}

void lanes_buffered(ReduceNest *r, int64_t most, int first) {
  Loop *l = r->l;
  const bool blocks = in_blocks(r, most);
  const Expr len = loop_extent(l, r->x, r->last), size = number(r, BLOCK), i = r->in.dim[r->last];
  loop_local(l, LOCAL_ARRAY, r->n->dtype, "line", BLOCK, NO_EXPR);
  const Expr filled = loop_integer(l, "filled", number(r, 0), false);
  const Expr block = blocks ? loop_integer(l, "block", number(r, 0), false) : NO_EXPR;
  const int loops = reduction_open(r, first, r->last, true, LOOP_OUTER);
  const Expr from = loop_integer(l, "from", number(r, 0), false);
  loop_while(l, less(r, from, len), LOOP_SOME);
  const Expr room = sub(r, size, filled);
  const Expr to = loop_integer(l, "to", lesser(r, len, add(r, from, room)), true);
  loop_open_from(l, i, from, to, LOOP_PLAIN);
  set_line(r, sub(r, add(r, filled, i), from), loop_value(l, r->n->operand[0], &r->in));
  loop_close(l, 1);
  loop_set(l, filled, sub(r, add(r, filled, to), from));
  loop_set(l, from, to);
  loop_if(l, equal(r, filled, size));
  put_buffer(r, size);
  if (blocks) {
    carry(r, local(r, "blocks"), block);
    loop_set(l, block, add(r, block, number(r, 1)));
  }
  loop_set(l, filled, number(r, 0));
  loop_close(l, 2 + loops);
  const Expr turn = loop_symbol(l, "turn", 0, BLOCK - 1);
  const Expr turns = expr_div(l->x, add(r, filled, number(r, LANES - 1)), number(r, LANES));
  loop_open_from(l, turn, filled, expr_scale(l->x, turns, LANES), LOOP_SOME);
  set_line(r, turn, reduction_identity(r));
  loop_close(l, 1);
  put_buffer(r, filled);
  if (blocks) fold(r, local(r, "blocks"), block);
}

/* Elements of the block in front of this tile's, where whole rows are done in order. */
static Expr elements_before(ReduceNest *r) {
  Loop *l = r->l;
  Expr before = number(r, 0), below = number(r, 1);
  for (int d = r->x->shape.rank - 1; d >= 0; d--) {
    before = add(r, before, expr_mul(l->x, site_at(l, r->x, d), below));
    below = expr_mul(l->x, below, site_extent(l, r->x, d));
  }
  return loop_param(l, PARAM_OFFSET, before);
}

/* The sum of this unit is one of `sums`; those of all units are joined by the entry, when they are
 * done. */
static void leave_sum(ReduceNest *r, Expr sums, Expr units) {
  Loop *l = r->l;
  const Expr to = address(r, loop_element(l, sums, number(r, 0))),
             bytes = number(r, LANES * (int64_t)dtype_size(r->n->dtype));
  loop_run(l, "dtrt_copy", 3, (Expr[]){to, acc_address(r), bytes});
  l->f.join = reduction_helper(r, "join_lines");
  l->f.size = number(r, LANES), l->f.units = units;
}

static Expr units_of(ReduceNest *r, int64_t size) {
  const Expr count = site_count(r->l, r->x), per = number(r, size);
  return loop_param(r->l, PARAM_EXTENT, expr_div(r->l->x, add(r, count, number(r, size - 1)), per));
}

/* Where lanes of `partial` are, behind so many others. */
static Expr lanes_behind(ReduceNest *r, Expr partial, const char *name, Expr lanes) {
  const Expr at = loop_element(r->l, partial, expr_scale(r->l->x, lanes, LANES));
  return loop_local(r->l, LOCAL_POINTER, r->n->dtype, name, 0, address(r, at));
}

void lanes_on(ReduceNest *r, int64_t most, int64_t unit) {
  Loop *l = r->l;
  const DType t = dtype_computed(r->n->dtype);
  const Expr len = loop_extent(l, r->x, r->last), all = loop_count(l, r->x);
  const int64_t levels = sum_line_kept(unit ? unit : most) / LANES;
  const Expr bytes = number(r, levels * LANES * dtype_size(t)), partial = loop_partial(l, r->id, t);
  loop_local(l, LOCAL_ARRAY, t, "line", LANES, NO_EXPR);
  const Expr kept = loop_local(l, LOCAL_LANES_ARRAY, t, "kept", levels, NO_EXPR);
  const Expr first = loop_element(l, kept, number(r, 0)),
             rest = address(r, loop_element(l, kept, number(r, 1)));
  const Expr before = elements_before(r);
  Expr begin = number(r, 0), end_of = all, sums = NO_EXPR, units = NO_EXPR, memory = partial;
  if (unit) { /* a tile lies in one */
    const Expr own = loop_integer(l, "unit", expr_div(l->x, before, number(r, unit)), true);
    units = units_of(r, unit);
    sums = lanes_behind(r, partial, "sums", own);
    memory = lanes_behind(r, partial, "memory", add(r, units, expr_scale(l->x, own, levels)));
    begin = loop_integer(l, "base", expr_scale(l->x, own, unit), true);
    end_of = lesser(r, sub(r, all, begin), number(r, unit));
  }
  const Expr done = loop_integer(l, "done", sub(r, before, begin), false);
  const Expr acc = loop_local(l, LOCAL_LANES, t, "acc", 0, reduction_identity(r));
  loop_if(l, less(r, number(r, 0), done));
  loop_run(l, "dtrt_copy", 3, (Expr[]){kept, memory, bytes});
  loop_set(l, acc, first);
  loop_close(l, 1);
  const int loops = loop_open_dims(l, r->x, &r->in, 0, r->last, LOOP_OUTER, LOOP_OUTER);
  const Expr at = loop_integer(l, "lane0", number(r, 0), false);
  loop_while(l, less(r, at, len), LOOP_OUTER);
  const Expr next = loop_integer(l, "next", sub(r, next_block(r, add(r, done, at)), done), true);
  const Expr end = loop_integer(l, "end", lesser(r, next, len), true);
  put_turns(r, loop_value(l, r->n->operand[0], &r->in), end, LOOP_OUTER);
  loop_if(l, equal(r, at, next));
  carry(r, rest, sub(r, blocks_in(r, add(r, done, at)), number(r, 1)));
  loop_close(l, 2);
  loop_set(l, done, add(r, done, len));
  loop_close(l, loops);
  loop_if(l, equal(r, done, end_of));
  fold(r, rest, blocks_in(r, done));
  if (unit)
    leave_sum(r, sums, units);
  else
    loop_set(l, reduction_result(r), lanes_end(r));
  loop_else(l);
  loop_set(l, first, acc);
  loop_run(l, "dtrt_copy", 3, (Expr[]){memory, kept, bytes});
  loop_close(l, 1);
}

void lanes_units(ReduceNest *r, int64_t line, int64_t size) {
  Loop *l = r->l;
  const int64_t most = (line + size - 1) / size;
  const Expr per = number(r, size), count = loop_count(l, r->x);
  const Expr n = units_of(r, size), unit = loop_symbol(l, "unit", 0, most - 1),
             partial = loop_partial(l, r->id, r->n->dtype);
  loop_open(l, unit, n, LOOP_OUTER);
  l->apart = unit, l->apart_extent = n;
  const Expr base = loop_integer(l, "base", expr_mul(l->x, unit, per), true);
  const Expr len = loop_integer(l, "len", lesser(r, sub(r, count, base), per), true);
  const Expr sums = lanes_behind(r, partial, "sums", unit);
  r->in = at_flat(add(r, base, lanes_index(l, size)));
  int64_t all;
  r->whole_turns = expr_is_int(l->x, site_count(l, r->x), &all) && all % LANES == 0;
  lanes_begin(r, size, number(r, 0));
  lanes_line(r, size, number(r, 0), len);
  leave_sum(r, sums, n);
  loop_close(l, 1);
}

void lanes_carry(ReduceNest *r, Expr block) { carry(r, local(r, "blocks"), block); }
void lanes_fold(ReduceNest *r, Expr blocks) { fold(r, local(r, "blocks"), blocks); }

Expr lanes_end(ReduceNest *r) {
  return loop_call(r->l, reduction_helper(r, "line"), r->n->dtype, 1, (Expr[]){acc_address(r)});
}

/* 32 values at a time go into `line`, side by side; dtrt_find_... looks for the best of them. */
void lanes_find(ReduceNest *r, Expr found, Expr best) {
  Loop *l = r->l;
  const DType t = dtype_computed(r->x->dtype);
  const char *find = arena_printf(l->arena, "dtrt_find_%s_%s", r->word, dtype_name(t));
  r->in.dim[r->last] = lanes_index(l, most_of(l, r->x, r->last));
  const Expr len = loop_extent(l, r->x, r->last), v = loop_value(l, r->n->operand[0], &r->in);
  const Expr line = loop_local(l, LOCAL_ARRAY, t, "line", LANES, NO_EXPR);
  const Expr at = loop_integer(l, "lane0", number(r, 0), false);
  const LineTurns turns = line_turns(r, number(r, 0), len);
  for (int rest = turns == REST_ALONE; rest < 1 + has_rest(turns); rest++) {
    const Expr n = rest ? sub(r, len, at) : lanes_word(r);
    if (rest)
      loop_if(l, less(r, at, len));
    else
      loop_open_on(l, at_now(l), len, lanes_word(r), LOOP_SOME);
    loop_open(l, lane(l), n, rest ? LOOP_FEW : LOOP_PLAIN);
    loop_set(l, loop_element(l, line, lane(l)), v);
    loop_close(l, 1);
    const Expr arg[] = {address(r, best), line, n, at_now(l), found};
    loop_set(l, found, loop_call(l, find, DT_I64, 5, arg));
    loop_close(l, 1);
  }
}

/* A short line is worth it where its elements are computed, which vectors do at once. */
bool lanes_can_find(ReduceNest *r) {
  Loop *l = r->l;
  const DType t = dtype_computed(r->x->dtype);
  if ((t != DT_F32 && t != DT_F64) || r->last != (int)node_attr(r->n, "axis")) return false;
  return most_of(l, r->x, r->last) >= LANES ||
         expr_node(l->x, loop_value(l, r->n->operand[0], &r->in))->kind != EXPR_LOAD;
}
