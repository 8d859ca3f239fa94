/* Pooling over windows: x [batch, space..., channels] of 1 to 3 spatial dims. The gradient of a
 * window's maximum goes to its first tap with that value (pool_index records which); a mean
 * divides by the number of elements inside x, so padding does not count. Halves are computed in
 * f32. */
#include "compose.h"
#include "slide_args.h"
#include <string.h>

#define IN(i) (op_node(b, node)->operand[i])

static bool goes_down(Op op) { return op->makes == SIDE_LARGE; }

static bool infer_pool(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0);
  Slide s = slide_of(n);
  if (!dtype_is_float(x->dtype) || dtype_is_half(x->dtype)) {
    op_fail(b, b->span, "takes floating-point tensors, not %s", op_describe(b, n->operand[0]));
    return false;
  }
  n->dtype = n->op->pool == POOL_WHICH ? DT_I32 : x->dtype;
  n->shape = x->shape;
  for (int d = 0; d < s.n; d++) n->shape.dim[1 + d] = goes_down(n->op) ? s.large[d] : s.small[d];
  return op_check_size(b, b->span, n->dtype, &n->shape);
}

/* Where windows are tiles, a dim of the large side is the small side's position, then the place in
 * the tile; else it is seen through the windows. */
static RuleDim large_side(Rule *r, const Slide *s, int d, int f, bool result) {
  RuleDim rd = {.n = 1, .factor = {(int8_t)f}};
  if (slide_is_tiles(s, d)) {
    if (s->taps[d] > 1) rd.factor[rd.n++] = (int8_t)rule_factor(r, s->taps[d], FACTOR_WHOLE);
  } else if (!result) {
    rd.window = slide_up(s, d);
  }
  return rd;
}

/* pool_index also reads the largest values, pool_pick and unpool the indices: all lie like the
 * small side. */
static void rule_pool(const Graph *g, const Node *n, Rule *r) {
  (void)g;
  Slide s = slide_of(n);
  int rank = n->shape.rank;
  bool down = goes_down(n->op);
  for (int d = 0; d < rank; d++) {
    bool space = d >= 1 && d <= s.n, tiles = space && slide_is_tiles(&s, d - 1);
    int64_t size = tiles ? s.small[d - 1] : n->shape.dim[d];
    int f = rule_factor(r, size, space && !tiles ? FACTOR_SHIFT : FACTOR_PASS);
    RuleDim plain = {.n = 1, .factor = {(int8_t)f}};
    RuleDim large = space ? large_side(r, &s, d - 1, f, down) : plain, small = plain;
    if (space && down && !tiles) small.window = slide_down(&s, d - 1);
    r->result[d] = down ? large : small;
    for (int i = 0; i < n->noperands; i++) r->operand[i][d] = down || i == 1 ? small : large;
  }
}

static NodeId mk_pool(Build *b, Op op, NodeId x, NodeId other, const Slide *s) {
  int64_t attr[SLIDE_ATTRS];
  int n = slide_attrs(s, attr);
  return build_node(b, op, other == NO_NODE ? 1 : 2, (NodeId[]){x, other}, n, attr, 0);
}

static void grad_pool_max(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Slide s = slide_of(op_node(b, node));
  NodeId x = IN(0);
  dx[0] = mk_pool(b, &op_unpool, dy, mk_pool(b, &op_pool_index, x, node, &s), &s);
}
static void grad_pool_sum(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Slide s = slide_of(op_node(b, node));
  dx[0] = mk_pool(b, &op_unpool_sum, dy, NO_NODE, &s);
}
static void grad_unpool_sum(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Slide s = slide_of(op_node(b, node));
  dx[0] = mk_pool(b, &op_pool_sum, dy, NO_NODE, &s);
}

static bool pool_args(Build *b, const Arg *a, NodeId *x, Slide *s) {
  if (!arg_tensor(b, &a[0], "x", x)) return false;
  const Shape *p = &op_node(b, *x)->shape;
  s->n = p->rank - 2;
  s->groups = 1;
  if (s->n < 1 || s->n > MAX_SLIDE) {
    op_fail(b, b->span, "x is [batch, space..., channels] with 1 to %d spatial dims; this is %s",
            MAX_SLIDE, op_describe(b, *x));
    return false;
  }
  if (a[1].kind == ARG_LIST && a[1].n != s->n) {
    op_fail(b, a[1].span, "`window` must be a number or list %d of them", s->n);
    return false;
  }
  for (int d = 0; d < s->n; d++) {
    if (!arg_int(b, a[1].kind == ARG_LIST ? &a[1].at[d] : &a[1], "window", &s->taps[d]))
      return false;
    if (s->taps[d] < 1 || s->taps[d] > 1 << 20) {
      op_fail(b, a[1].span, "`window` must be between 1 and 2^20, but it is %ld", (long)s->taps[d]);
      return false;
    }
    s->large[d] = p->dim[1 + d];
  }
  /* By default windows lie side by side. */
  Arg one = {.kind = ARG_INT, .i = 1, .real = 1};
  return slide_args(b, a[2].kind == ARG_NONE ? &a[1] : &a[2], &a[3], &one, false, s);
}

static Arg call_max_pool(Build *b, const Arg *a) {
  NodeId x;
  Slide s = {0};
  if (!pool_args(b, a, &x, &s)) return NOTHING;
  return arg_node(build_cast(b, mk_pool(b, &op_pool_max, wide(b, x), NO_NODE, &s), type_of(b, x)));
}

/* A window is added up tap by tap, which is right for small ones. Large ones that lie side by side
 * are a sum over dims of their own, in the order of all sums; others are added up one dim after the
 * other, and a long side as sums of some 32 taps, which are added up in the same way: the error
 * grows with the logarithm of the window, and so does the work with that of its sides. */
enum { LARGE_WINDOW = 32 };

/* Of windows along dim d that do not overlap: a dim of their own. */
static NodeId sum_apart(Build *b, NodeId x, const Slide *s, int d) {
  Shape own = op_node(b, x)->shape, split = {0};
  const int64_t from = -s->before[d], to = from + s->small[d] * s->stride[d];
  const int64_t first = from < 0 ? 0 : from, end = to < own.dim[1 + d] ? to : own.dim[1 + d];
  int64_t start[MAX_RANK] = {0}, size[MAX_RANK], step[MAX_RANK], lo[MAX_RANK] = {0},
          hi[MAX_RANK] = {0}, interior[MAX_RANK] = {0};
  for (int k = 0; k < own.rank; k++) size[k] = own.dim[k], step[k] = 1;
  if (first >= end) {
    own.dim[1 + d] = s->small[d];
    return mk_const(b, op_node(b, x)->dtype, &own, 0);
  }
  start[1 + d] = first, size[1 + d] = end - first;
  lo[1 + d] = first - from, hi[1 + d] = to - end;
  x = mk_pad(b, mk_slice(b, x, start, size, step), lo, hi, interior, 0);
  for (int k = 0; k < own.rank; k++) {
    start[split.rank] = 0, step[split.rank] = 1;
    split.dim[split.rank++] = k == 1 + d ? s->small[d] : own.dim[k];
    if (k == 1 + d)
      start[split.rank] = 0, step[split.rank] = 1, split.dim[split.rank++] = s->stride[d];
  }
  x = mk_reshape(b, x, &split);
  memcpy(size, split.dim, sizeof size);
  size[2 + d] = s->taps[d];
  return mk_reduce(b, &op_sum, mk_slice(b, x, start, size, step), 1u << (2 + d), false);
}

static int64_t divisor(int64_t a, int64_t b) { return b ? divisor(b, a % b) : a; }

/* Of windows along dim d alone. Sums of some taps are made where a window, and another some taps
 * further in it, begin: at multiples of the stride. */
static NodeId sum_along(Build *b, NodeId x, const Slide *s, int d) {
  const int64_t taps = s->taps[d], unit = s->stride[d] / divisor(s->stride[d], s->dilation[d]);
  if (taps <= LARGE_WINDOW) return mk_pool(b, &op_pool_sum, x, NO_NODE, s);
  if (taps <= s->stride[d] && s->dilation[d] == 1) return sum_apart(b, x, s, d);
  int64_t some = (LARGE_WINDOW + unit - 1) / unit * unit;
  if (some >= taps) some = LARGE_WINDOW; /* the rest has no more than these */
  const int64_t blocks = taps / some, rest = taps % some, far = some * s->dilation[d];
  Slide in = *s, over = *s, tail = *s;
  in.taps[d] = some;
  tail.taps[d] = rest;
  tail.before[d] -= blocks * far;
  over.large[d] = in.small[d] = s->small[d] + (blocks - 1) * (far / s->stride[d]);
  over.taps[d] = blocks;
  over.stride[d] = 1;
  over.dilation[d] = far / s->stride[d];
  over.before[d] = 0;
  NodeId sum = sum_along(b, x, &in, d);
  if (blocks > 1) sum = sum_along(b, sum, &over, d);
  return rest ? mk_add(b, sum, sum_along(b, x, &tail, d)) : sum;
}

static NodeId sum_of_tiles(Build *b, NodeId x, const Slide *s) {
  Shape split = {0}, own = op_node(b, x)->shape;
  uint32_t taps = 0;
  for (int d = 0; d < own.rank; d++) {
    const bool space = d >= 1 && d <= s->n && s->taps[d - 1] > 1;
    split.dim[split.rank++] = space ? s->small[d - 1] : own.dim[d];
    if (!space) continue;
    taps |= 1u << split.rank;
    split.dim[split.rank++] = s->taps[d - 1];
  }
  return mk_reduce(b, &op_sum, mk_reshape(b, x, &split), taps, false);
}

static NodeId sum_by_dims(Build *b, NodeId x, const Slide *s) {
  for (int d = 0; d < s->n; d++) {
    Slide one = *s;
    for (int k = 0; k < s->n; k++) {
      if (k == d) continue;
      one.taps[k] = one.stride[k] = one.dilation[k] = 1;
      one.before[k] = 0;
      one.large[k] = one.small[k] = k < d ? s->small[k] : s->large[k];
    }
    x = sum_along(b, x, &one, d);
  }
  return x;
}

static NodeId window_sums(Build *b, NodeId x, const Slide *s) {
  int64_t taps = 1;
  bool tiles = true;
  for (int d = 0; d < s->n; d++) {
    taps *= s->taps[d];
    tiles = tiles && slide_is_tiles(s, d);
  }
  if (taps <= LARGE_WINDOW) return mk_pool(b, &op_pool_sum, x, NO_NODE, s);
  return tiles ? sum_of_tiles(b, x, s) : sum_by_dims(b, x, s);
}

/* How many elements each window has: padding is none. */
static NodeId window_counts(Build *b, NodeId x, const Slide *s) {
  int64_t taps = 1;
  for (int d = 0; d < s->n; d++) {
    const int64_t end = (s->small[d] - 1) * s->stride[d] + (s->taps[d] - 1) * s->dilation[d] + 1;
    if (s->before[d] > 0 || end > s->large[d])
      return mk_pool(b, &op_pool_sum, mk_number(b, x, 1), NO_NODE, s);
    taps *= s->taps[d];
  }
  const Node *n = op_node(b, x);
  Shape small = n->shape;
  for (int d = 0; d < s->n; d++) small.dim[1 + d] = s->small[d];
  return mk_const(b, n->dtype, &small, (double)taps);
}

static Arg call_avg_pool(Build *b, const Arg *a) {
  NodeId x;
  Slide s = {0};
  if (!pool_args(b, a, &x, &s) || (x = wide(b, x)) == NO_NODE) return NOTHING;
  NodeId y = mk2(b, &op_div, window_sums(b, x, &s), window_counts(b, x, &s));
  return arg_node(build_cast(b, y, type_of(b, a[0].node)));
}

#define PARAMS "x, window, stride=none, padding=\"valid\""
const OpDef op_max_pool = {
    .name = "max_pool",
    .params = PARAMS,
    .doc = "the largest of each window of x [batch, space..., channels]; windows lie side by side "
           "unless stride says otherwise",
    .example = "f32[2, 7, 6, 3] x: max_pool(x, 2)",
    .call = call_max_pool};
const OpDef op_avg_pool = {
    .name = "avg_pool",
    .params = PARAMS,
    .doc = "the mean of each window of x [batch, space..., channels]; padding is not counted",
    .example = "f32[2, 7, 6, 3] x: avg_pool(x, 3, stride=2, padding=\"same\")",
    .call = call_avg_pool};
const OpDef op_pool_max = {.name = "pool_max",
                           .doc = "max_pool after lowering",
                           .class = OPC_POOL,
                           .pool = POOL_MAX,
                           .makes = SIDE_SMALL,
                           .flags = OPF_EXTREME,
                           .attr = {{"slide", ATTR_SLIDE}},
                           .infer = infer_pool,
                           .rule = rule_pool,
                           .grad = grad_pool_max,
                           .flops = 4};
const OpDef op_pool_sum = {.name = "pool_sum",
                           .doc = "avg_pool after lowering",
                           .class = OPC_POOL,
                           .pool = POOL_SUM,
                           .makes = SIDE_SMALL,
                           .linear = 1,
                           .attr = {{"slide", ATTR_SLIDE}},
                           .infer = infer_pool,
                           .rule = rule_pool,
                           .grad = grad_pool_sum,
                           .flags = OPF_SUMS,
                           .flops = 4,
                           .rounding = 1};
const OpDef op_pool_index = {.name = "pool_index",
                             .doc = "which tap of each window has the largest value",
                             .class = OPC_POOL,
                             .pool = POOL_WHICH,
                             .makes = SIDE_SMALL,
                             .attr = {{"slide", ATTR_SLIDE}},
                             .infer = infer_pool,
                             .rule = rule_pool,
                             .no_grad = "its result is an integer",
                             .flops = 4};
/* Where the largest value stands jumps from tap to tap: almost everywhere its slope is 0. */
static void grad_unpool(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Slide s = slide_of(op_node(b, node));
  dx[0] = mk_pool(b, &op_pool_pick, dy, IN(1), &s);
  dx[1] = NO_NODE;
}
static void grad_pool_pick(Build *b, NodeId node, NodeId dy, NodeId *dx) {
  Slide s = slide_of(op_node(b, node));
  dx[0] = mk_pool(b, &op_unpool, dy, IN(1), &s);
  dx[1] = NO_NODE;
}
const OpDef op_pool_pick = {
    .name = "pool_pick",
    .doc = "the value at pool_index's tap of each window, and unpool's gradient",
    .class = OPC_POOL,
    .pool = POOL_AT,
    .makes = SIDE_SMALL,
    .linear = 1,
    .attr = {{"slide", ATTR_SLIDE}},
    .infer = infer_pool,
    .rule = rule_pool,
    .grad = grad_pool_pick,
    .flops = 4};
const OpDef op_unpool = {.name = "unpool",
                         .doc = "max_pool's gradient",
                         .class = OPC_POOL,
                         .pool = POOL_AT,
                         .makes = SIDE_LARGE,
                         .linear = 1,
                         .attr = {{"slide", ATTR_SLIDE}},
                         .infer = infer_pool,
                         .rule = rule_pool,
                         .grad = grad_unpool,
                         .flags = OPF_SUMS,
                         .flops = 4,
                         .rounding = 1};
const OpDef op_unpool_sum = {.name = "unpool_sum",
                             .doc = "pool_sum's gradient",
                             .class = OPC_POOL,
                             .pool = POOL_SUM,
                             .makes = SIDE_LARGE,
                             .linear = 1,
                             .attr = {{"slide", ATTR_SLIDE}},
                             .infer = infer_pool,
                             .rule = rule_pool,
                             .grad = grad_unpool_sum,
                             .flags = OPF_SUMS,
                             .flops = 4,
                             .rounding = 1};
