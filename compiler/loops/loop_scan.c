/* Running sums along one dim, which `distribute` has seen to it is whole here. Sums of floats over
 * more than a block are the sum of the blocks before, and that of the block so far (docs/sums.md).
 */
#include "loop_build.h"
#include "scan.h"
#include "op_list.h"

typedef struct Scan {
  Loop *l;
  NodeId id;
  const Node *n;
  int dim;
  bool reverse, exclusive, blocks;
  At at;
  Expr len, begin, end; /* of the dim; of a block's turns */
  const char *type;
} Scan;

static Expr sum_of(Scan *s, Expr a, Expr b) {
  return loop_op2(s->l, loop_ops.add, s->n->dtype, a, b);
}

/* "dtrt_carry_sum_f32" */
static const char *helper(Scan *s, const char *what) {
  return arena_printf(s->l->arena, "dtrt_%s_%s", what, s->type);
}

static Expr block_word(Scan *s) { return loop_word(s->l, "DTRT_SUM_BLOCK", SUM_BLOCK); }

/* The index along the dim in turn `i`. */
static Expr place_of(Scan *s, Expr i) {
  Loop *l = s->l;
  if (!s->reverse) return i;
  return expr_sub(l->x, expr_sub(l->x, s->len, loop_int(l, 1)), i);
}

static int64_t most_turns(const Scan *s) {
  return dim_block_most(s->l->mesh, &s->n->layout->dim[s->dim], s->n->shape.dim[s->dim]);
}

static Expr turn_of(Scan *s) { return loop_symbol(s->l, "i", 0, most_turns(s) - 1); }

/* One step of a running sum: `so_far` is the sum with `acc` in it. */
static void scan_step(Scan *s, Expr acc, Expr so_far) {
  Loop *l = s->l;
  const Expr to = loop_load(l, s->id, &s->at), v = loop_value(l, s->n->operand[0], &s->at);
  if (s->exclusive) {
    /* The value is read before it may be overwritten. */
    const Expr x = loop_local(l, LOCAL_CONST, s->n->dtype, "x", 0, v);
    loop_set(l, to, so_far);
    loop_set(l, acc, sum_of(s, acc, x));
  } else {
    loop_set(l, acc, sum_of(s, acc, v));
    loop_set(l, to, so_far);
  }
}

static Expr zero_of(Scan *s) { return loop_number(s->l, s->n->dtype, 0); }

/* Opens the loop over blocks, each of turns [begin, end). */
static Expr open_blocks(Scan *s) {
  Loop *l = s->l;
  const Expr over = expr_add(l->x, s->len, loop_int(l, SUM_BLOCK - 1)),
             block = loop_symbol(l, "block", 0, (most_turns(s) - 1) / SUM_BLOCK);
  loop_open(l, block, expr_div(l->x, over, block_word(s)), LOOP_OUTER);
  s->begin = loop_integer(l, "begin", expr_mul(l->x, block, block_word(s)), true);
  s->end = loop_integer(l, "end", loop_part_end(l, s->begin, s->len, block_word(s)), true);
  return block;
}

/* The sum of all blocks before the next is what `after` says, if there is a next one. */
static void close_blocks(Scan *s, Expr before, Expr after) {
  Loop *l = s->l;
  const Expr rest = expr_mod(l->x, s->end, block_word(s));
  loop_if(l, expr_compare(l->x, EXPR_EQUAL, rest, loop_int(l, 0)));
  loop_set(l, before, after);
  loop_close(l, 2);
}

/* The summed dim is the innermost with a loop: the sum stays in a register. */
static void scan_line(Scan *s) {
  Loop *l = s->l;
  const DType t = s->n->dtype;
  const int levels = sum_levels(most_turns(s));
  Expr before = NO_EXPR, partial = NO_EXPR, above = NO_EXPR, block = NO_EXPR;
  if (s->blocks) {
    before = loop_local(l, LOCAL_VALUE, t, "before", 0, zero_of(s));
    partial = loop_local(l, LOCAL_ARRAY, t, "partial", levels, NO_EXPR);
    above = loop_local(l, LOCAL_ARRAY, t, "above", levels, NO_EXPR);
    block = open_blocks(s);
  }
  const Expr acc = loop_local(l, LOCAL_VALUE, t, "acc", 0, zero_of(s)), i = turn_of(s);
  loop_open_from(l, i, s->blocks ? s->begin : loop_int(l, 0), s->blocks ? s->end : s->len,
                 LOOP_SOME);
  s->at.dim[s->dim] = s->reverse ? loop_integer(l, "place", place_of(s, i), true) : i;
  scan_step(s, acc, s->blocks ? sum_of(s, before, acc) : acc);
  loop_close(l, 1);
  if (s->blocks)
    close_blocks(s, before,
                 loop_call(l, helper(s, "scan"), t, 4, (Expr[]){partial, above, block, acc}));
}

/* Elements of the dims inside the summed one from `d` on. */
static Expr inside(Scan *s, int d) {
  const Expr size = site_product(s->l, s->n, d, s->n->shape.rank, site_extent);
  return loop_param(s->l, PARAM_EXTENT, size);
}

/* The flat index of the dims inside the summed one. */
static Expr row_place(Scan *s) {
  Expr place = loop_int(s->l, 0);
  for (int d = s->dim + 1; d < s->n->shape.rank; d++)
    place = expr_add(s->l->x, place, expr_mul(s->l->x, s->at.dim[d], inside(s, d + 1)));
  return place;
}

static int open_row(Scan *s) {
  return loop_open_dims(s->l, s->n, &s->at, s->dim + 1, s->n->shape.rank, LOOP_OUTER, LOOP_PLAIN);
}

/* The rows of a block, of all dims inside. The innermost is taken in parts whose sums stay in the
 * first cache. */
static void scan_block(Scan *s, Expr before, Expr own_row) {
  Loop *l = s->l;
  /* Of four rows: the sum before, the block's own, what is read and what is stored. */
  const int64_t part = machine_cache(l->plan->program->machine, CACHE_L1) / 4 /
                       dtype_size(dtype_computed(s->n->dtype));
  const int last = s->n->shape.rank - 1;
  const bool parts = most_of(l, s->n, last) > part && s->dim < last;
  const Expr len = loop_extent(l, s->n, last), i = turn_of(s);
  Expr from = NO_EXPR, to = NO_EXPR;
  if (parts) {
    from = loop_integer(l, "from", loop_int(l, 0), false);
    loop_while(l, expr_compare(l->x, EXPR_LESS, from, len), LOOP_OUTER);
    to = loop_integer(l, "to", loop_part_end(l, from, len, loop_int(l, part)), true);
  }
  loop_open_from(l, i, s->begin, s->end, LOOP_OUTER);
  s->at.dim[s->dim] = loop_integer(l, "place", place_of(s, i), true);
  const int loops =
      loop_open_dims(l, s->n, &s->at, s->dim + 1, parts ? last : last + 1, LOOP_OUTER, LOOP_PLAIN);
  if (parts) loop_open_from(l, s->at.dim[last], from, to, LOOP_PLAIN);
  const Expr place = row_place(s), own = loop_element(l, own_row, place);
  const Expr acc = loop_local(l, LOCAL_VALUE, s->n->dtype, "acc", 0, own);
  scan_step(s, acc, sum_of(s, loop_element(l, before, place), acc));
  loop_set(l, own, acc);
  loop_close(l, loops + 1 + parts);
  if (!parts) return;
  loop_set(l, from, to);
  loop_close(l, 1);
}

/* Dims lie inside the summed one, and it has several blocks. */
static void scan_blocks(Scan *s) {
  Loop *l = s->l;
  const DType t = s->n->dtype;
  const int levels = sum_levels(most_turns(s));
  const Expr size = inside(s, s->dim + 1), partial = loop_partial(l, s->id, t);
  const Expr all = loop_element(l, partial, expr_scale(l->x, size, 1 + levels));
  const Expr rows = loop_local(l, LOCAL_POINTER, t, "rows", 0, expr_address(l->x, all));
  const Expr before = loop_local(l, LOCAL_POINTER, t, "before", 0, partial);
  loop_zero_at(l, partial, size, dtype_size(t));
  const Expr block = open_blocks(s), odd = expr_mod(l->x, block, loop_int(l, 2));
  const Expr row = loop_element(l, rows, expr_mul(l->x, odd, size));
  const Expr own = loop_local(l, LOCAL_POINTER, t, "own", 0, expr_address(l->x, row));
  loop_zero_at(l, own, size, dtype_size(t));
  scan_block(s, before, own);
  close_blocks(s, before,
               loop_call(l, helper(s, "scan_rows"), t, 4,
                         (Expr[]){partial, size, loop_int(l, levels), block}));
}

/* Dims lie inside the summed one: each row of them is the one before it and what is added. */
static void scan_rows(Scan *s) {
  Loop *l = s->l;
  const Expr one = loop_int(l, 1);
  At from;
  s->at.dim[s->dim] = place_of(s, loop_int(l, 0));
  const int first = open_row(s);
  loop_set(l, loop_load(l, s->id, &s->at),
           s->exclusive ? loop_number(l, s->n->dtype, 0) : loop_value(l, s->n->operand[0], &s->at));
  loop_close(l, first);
  const Expr i = turn_of(s);
  loop_open(l, i, expr_sub(l->x, s->len, one), LOOP_OUTER);
  const Expr row = loop_integer(l, "row", place_of(s, i), true);
  const Expr at = s->reverse ? expr_sub(l->x, row, one) : expr_add(l->x, row, one);
  s->at.dim[s->dim] = loop_integer(l, "place", at, true);
  const int loops = open_row(s);
  from = s->at;
  from.dim[s->dim] = row;
  const Expr v = loop_value(l, s->n->operand[0], s->exclusive ? &from : &s->at);
  loop_set(l, loop_load(l, s->id, &s->at), sum_of(s, loop_load(l, s->id, &from), v));
  loop_close(l, loops + 1);
}

void build_cumsum(const LoopSite *site, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(site);
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis");
  Scan s = {.l = l,
            .id = id,
            .n = n,
            .dim = dim,
            .reverse = node_attr(n, "reverse"),
            .exclusive = node_attr(n, "exclusive"),
            .at = {.flat = NO_EXPR},
            .len = loop_extent(l, n, dim),
            .type = dtype_name(dtype_computed(n->dtype))};
  bool lines = true;
  scan_need_placed(n);
  s.blocks = dtype_is_float(n->dtype) && most_turns(&s) > SUM_BLOCK;
  /* `i` is the dim that is summed along. */
  for (int d = 0; d < n->shape.rank; d++) {
    s.at.dim[d] = loop_letter(l, "jklpqrst"[d], n, d);
    lines = lines && (d <= dim || !has_loop(l, &s.at, d));
  }
  if (n->shape.dim[dim] > 0) {
    loop_open_dims(l, n, &s.at, 0, dim, LOOP_OUTER, LOOP_OUTER);
    if (!lines && s.blocks)
      scan_blocks(&s);
    else if (lines)
      scan_line(&s);
    else
      scan_rows(&s);
    if (dtype_is_float(n->dtype))
      loop_adds_up(
          l,
          &(LoopSum){
              .node = id, .kind = SUM_RUNNING, .dims = 1, .at = {turn_of(&s)}, .blocks = s.blocks});
  }
  loop_done_as(l, id, out);
}
