/* Pools, and convolutions of a group a channel, as loops over the same points: for each row of the
 * small side and each tap, the large side's row is there or it is padding (or another device's);
 * along the innermost spatial dim the positions that are there are a range. Names of more than one
 * letter that are written here end in _, which no tensor's name does. */
#include "loop_build.h"
#include "slide.h"
#include "op_list.h"
#include <math.h>

typedef struct PoolPoints {
  Loop *l;
  Slide s;
  const Node *large, *small; /* x and y of a convolution */
  int loops;                 /* opened so far */
  Expr row_s, row_l, tap;    /* the flat rows that a range begins with, the tap's number */
  Expr width;                /* of the range */
  Expr q, i;                 /* along the range, along the channels */
} PoolPoints;

static PoolPoints points_of(Loop *l, NodeId id) {
  const SlideTensors t = slide_tensors(l->g, id);
  return (PoolPoints){.l = l,
                      .s = slide_of(graph_node(l->g, id)),
                      .large = graph_node(l->g, t.large),
                      .small = graph_node(l->g, t.small)};
}

static Expr number(PoolPoints *c, int64_t v) { return loop_int(c->l, v); }
static Expr add(PoolPoints *c, Expr a, Expr b) { return expr_add(c->l->x, a, b); }
static Expr mul(PoolPoints *c, Expr a, Expr b) { return expr_mul(c->l->x, a, b); }

static Expr own_name(PoolPoints *c, const char *word, int d, int64_t count) {
  return loop_symbol(c->l, arena_printf(c->l->arena, "%s%d_", word, d), 0, count - 1);
}

static void open(PoolPoints *c, Expr index, Expr to) {
  loop_open(c->l, index, to, LOOP_OUTER);
  c->loops++;
}

static void when(PoolPoints *c, Expr cond) {
  loop_if(c->l, cond);
  c->loops++;
}

/* Where the large side's block has position q, tap k. */
static Expr position(PoolPoints *c, int d, Expr q, Expr k) {
  Loop *l = c->l;
  const Expr from = loop_offset(l, c->small, 1 + d), lo = loop_offset(l, c->large, 1 + d);
  const Expr p = add(c, expr_scale(l->x, add(c, q, from), c->s.stride[d]),
                     expr_scale(l->x, k, c->s.dilation[d]));
  return expr_sub(l->x, add(c, p, number(c, -c->s.before[d])), lo);
}

/* Opens the loops down to one range of the innermost spatial dim. */
static void open_points(PoolPoints *c, bool tapped) {
  Loop *l = c->l;
  const int n = c->s.n, last = n - 1;
  const Expr b = loop_symbol(l, "b", 0, c->small->shape.dim[0] - 1);
  Expr row_s = b, row_l = b, tap = number(c, 0);
  open(c, b, loop_extent(l, c->small, 0));
  for (int d = 0; d < last; d++) {
    const Expr q = own_name(c, "r", d, c->s.small[d]), k = own_name(c, "k", d, c->s.taps[d]),
               ns = loop_extent(l, c->small, 1 + d), nl = loop_extent(l, c->large, 1 + d);
    open(c, q, ns);
    open(c, k, number(c, c->s.taps[d]));
    const Expr p = loop_integer(l, arena_printf(l->arena, "p%d_", d), position(c, d, q, k), true);
    when(c, expr_within(l->x, p, number(c, 0), nl));
    row_s = add(c, mul(c, row_s, ns), q);
    row_l = add(c, mul(c, row_l, nl), p);
    tap = add(c, expr_scale(l->x, tap, c->s.taps[d]), k);
  }
  const Expr k = own_name(c, "k", last, c->s.taps[last]), ns = loop_extent(l, c->small, n),
             nl = loop_extent(l, c->large, n), stride = number(c, c->s.stride[last]);
  open(c, k, number(c, c->s.taps[last]));
  const Expr at = loop_integer(l, "input_first_", position(c, last, number(c, 0), k), true);
  const Expr q0 =
      loop_integer(l, "q0_", loop_call(l, "dtrt_first", DT_I64, 3, (Expr[]){at, stride, ns}), true);
  const Expr q1 = loop_integer(
      l, "q1_", loop_call(l, "dtrt_last", DT_I64, 4, (Expr[]){at, stride, ns, nl}), true);
  when(c, expr_compare(l->x, EXPR_LESS, q0, q1));
  c->row_s = loop_integer(l, "output_row_", add(c, mul(c, row_s, ns), q0), true);
  c->row_l = loop_integer(l, "input_row_",
                          add(c, add(c, mul(c, row_l, nl), mul(c, q0, stride)), at), true);
  tap = add(c, expr_scale(l->x, tap, c->s.taps[last]), k);
  if (tapped) c->tap = loop_integer(l, "tap_", tap, true);
  c->width = expr_sub(l->x, q1, q0);
  c->q = loop_symbol(l, "q", 0, INT64_MAX);
  c->i = loop_symbol(l, "i", 0, INT64_MAX);
}

static void open_channels(PoolPoints *c) {
  loop_open(c->l, c->i, loop_extent(c->l, c->small, c->s.n + 1), LOOP_PLAIN);
}

static void open_range(PoolPoints *c) {
  open(c, c->q, c->width);
  open_channels(c);
  c->loops++;
}

enum { VECTOR = 16 }; /* channels */

/* The same of a pool: with stride 1 neither side leaves out a position, and all channels of the
 * range are one line. That is done where they are few, or leave much of a vector over. */
static void open_line(PoolPoints *c) {
  Loop *l = c->l;
  const int64_t most = most_of(l, c->small, c->s.n + 1);
  const bool uneven = most < 4 * VECTOR && most % VECTOR;
  if (c->s.stride[c->s.n - 1] != 1 || !uneven) {
    open_range(c);
    return;
  }
  const Expr channels = loop_extent(l, c->small, c->s.n + 1);
  c->q = number(c, 0);
  loop_open(l, c->i, mul(c, c->width, channels), LOOP_PLAIN);
  c->loops++;
}

static Expr at_large(PoolPoints *c, NodeId id) {
  const Expr width = loop_extent(c->l, c->large, c->s.n + 1);
  const Expr row = add(c, c->row_l, expr_scale(c->l->x, c->q, c->s.stride[c->s.n - 1]));
  const At at = at_flat(add(c, mul(c, row, width), c->i));
  return loop_load(c->l, id, &at);
}

static Expr at_small(PoolPoints *c, NodeId id) {
  const Expr width = loop_extent(c->l, c->small, c->s.n + 1);
  const At at = at_flat(add(c, mul(c, add(c, c->row_s, c->q), width), c->i));
  return loop_load(c->l, id, &at);
}

static void add_to(PoolPoints *c, DType t, Expr to, Expr v) {
  loop_set(c->l, to, loop_op2(c->l, loop_ops.add, t, to, v));
}

/* The loop over the pixels of a line, where the sums of pieces go to `partial`: of a long line's,
 * or of several short lines. */
static void add_pieces(PoolPoints *c, Expr to, Expr v, Expr partial) {
  Loop *l = c->l;
  const int64_t wide = most_of(l, c->small, c->s.n), lines = wide ? DEPTHWISE_PIECE / wide : 0;
  const Expr from = loop_integer(l, "from_", number(c, 0), false);
  loop_while(l, expr_compare(l->x, EXPR_LESS, from, c->width), LOOP_OUTER);
  const Expr end = loop_part_end(l, from, c->width, number(c, DEPTHWISE_PIECE));
  const Expr until = loop_integer(l, "to_", end, true);
  loop_open_from(l, c->q, from, until, LOOP_OUTER);
  open_channels(c);
  add_to(c, DT_F32, to, v);
  loop_close(l, 2);
  loop_set(l, from, until);
  if (lines > 1) {
    const Expr line = expr_div(l->x, c->row_s, loop_extent(l, c->small, c->s.n)),
               rest = expr_mod(l->x, add(c, line, number(c, 1)), number(c, lines));
    loop_if(l, expr_compare(l->x, EXPR_EQUAL, rest, number(c, 0)));
  }
  open_channels(c);
  loop_set(l, partial, loop_op2(l, loop_ops.add, DT_F64, partial, to));
  loop_set(l, to, loop_number(l, DT_F32, 0));
  loop_close(l, 2 + (lines > 1));
}

/* All pieces, and the last one's rest. */
static void round_pieces(PoolPoints *c, NodeId w, Expr partial) {
  Loop *l = c->l;
  const At at = at_flat(loop_symbol(l, "i", 0, INT64_MAX));
  const Expr to = loop_load(l, w, &at), sum = loop_element(l, partial, at.flat);
  loop_open(l, at.flat, loop_count(l, graph_node(l->g, w)), LOOP_SOME);
  loop_set(l, to, loop_op2(l, loop_ops.add, DT_F64, sum, to));
  loop_close(l, 1);
}

void build_depthwise(const LoopSite *site, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(site);
  const Node *n = graph_node(l->g, id);
  const SlideSide makes = n->op->makes;
  const SlideTensors t = slide_tensors(l->g, id);
  PoolPoints c = points_of(l, id);
  const bool in_f64 = depthwise_in_f64(l->mesh, l->g, n);
  const Expr partial = in_f64 ? loop_partial(l, id, DT_F64) : NO_EXPR;
  l->f.flat = true;
  loop_zero(l, id);
  if (in_f64) loop_zero_at(l, partial, loop_count(l, n), dtype_size(DT_F64));
  open_points(&c, true);
  const Expr width = loop_extent(l, graph_node(l->g, t.taps), c.s.n + 1);
  const At tap = at_flat(add(&c, mul(&c, c.tap, width), c.i));
  const Expr ex = at_large(&c, t.large), ey = at_small(&c, t.small), ew = loop_load(l, t.taps, &tap);
  const Expr to = makes == SIDE_SMALL   ? ey
                  : makes == SIDE_LARGE ? ex
                                        : ew,
             a = makes == SIDE_SMALL ? ex : ey, b = makes == SIDE_TAPS ? ex : ew;
  const Expr v = loop_op2(l, loop_ops.mul, n->dtype, a, b);
  if (in_f64) {
    add_pieces(&c, to, v, loop_element(l, partial, tap.flat));
  } else {
    open_range(&c);
    add_to(&c, n->dtype, to, v);
  }
  loop_close(l, c.loops);
  if (in_f64) round_pieces(&c, id, partial);
  loop_done_as(l, id, out);
}

static void fill(Loop *l, NodeId id, Expr v) {
  const Node *n = graph_node(l->g, id);
  const At at = at_flat(loop_symbol(l, "i", 0, INT64_MAX));
  loop_open(l, at.flat, loop_count(l, n), LOOP_PLAIN);
  loop_set(l, loop_load(l, id, &at), v);
  loop_close(l, 1);
}

/* The first tap that has the largest value, which may be NaN. */
static void note_tap(PoolPoints *c, const Node *n, Expr which, Expr largest, Expr v) {
  Loop *l = c->l;
  const LoopOps *o = &loop_ops;
  const Expr none = loop_op2(l, o->less, DT_BOOL, which, loop_number(l, n->dtype, 0)),
             is = expr_or(l->x, loop_op2(l, o->equal, DT_BOOL, v, largest),
                          loop_op2(l, o->unequal, DT_BOOL, v, v));
  const Expr noted = expr_and(l->x, none, is), tap = expr_count(l->x, n->dtype, c->tap);
  /* What vectors of channels leave over would be branches that nothing foretells. */
  if (most_of(l, c->small, c->s.n + 1) >= VECTOR) {
    loop_set(l, which, loop_choose(l, noted, tap, which));
    return;
  }
  loop_if(l, noted);
  loop_set(l, which, tap);
  loop_close(l, 1);
}

void build_pool(const LoopSite *site, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(site);
  const Node *n = graph_node(l->g, id);
  const Pool pool = n->op->pool;
  const bool down = n->op->makes == SIDE_LARGE;
  const SlideTensors t = slide_tensors(l->g, id);
  PoolPoints c = points_of(l, id);
  bool once = down; /* each element of the result is met once: no sum */
  for (int d = 0; d < c.s.n; d++) once = once && slide_is_tiles(&c.s, d);
  l->f.flat = true;
  if (pool == POOL_MAX)
    fill(l, id, loop_number(l, n->dtype, -INFINITY));
  else if (pool == POOL_WHICH)
    fill(l, id, loop_number(l, n->dtype, -1));
  else if (!once)
    loop_zero(l, id);
  open_points(&c, pool == POOL_WHICH || pool == POOL_AT);
  open_line(&c);
  const Expr el = at_large(&c, t.large), es = at_small(&c, t.small), to = down ? el : es,
             v = down ? es : el, zero = loop_number(l, n->dtype, 0);
  Expr here = NO_EXPR;
  if (pool == POOL_AT)
    here = loop_op2(l, loop_ops.equal, DT_BOOL, at_small(&c, n->operand[1]), c.tap);
  switch (pool) {
  case POOL_MAX: loop_set(l, es, loop_op2(l, loop_ops.max, n->dtype, es, el)); break;
  case POOL_SUM:
    if (once)
      loop_set(l, to, v);
    else
      add_to(&c, n->dtype, to, v);
    break;
  case POOL_WHICH: note_tap(&c, n, es, at_small(&c, n->operand[1]), el); break;
  case POOL_AT:
    if (once) {
      loop_set(l, to, loop_choose(l, here, v, zero));
      break;
    }
    loop_if(l, here);
    if (down)
      add_to(&c, n->dtype, to, v);
    else
      loop_set(l, to, v);
    loop_close(l, 1);
  }
  loop_close(l, c.loops);
  loop_done_as(l, id, out);
}
