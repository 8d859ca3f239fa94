/* Convolutions of 1 to 3 spatial dims: x [batch, space..., in], w [taps..., in/groups, out], y
 * [batch, space..., out]. The product x*w summed into y, its gradient with respect to x (which is
 * also the transposed convolution) and to w iterate over the same points; only the roles of
 * operands and result differ. If space is split, a device receives exactly the elements of its
 * neighbours that its windows reach. */
#include "slide_args.h"
#include <string.h>

#define IN(i) (op_node(b, node)->operand[i])

enum { X = SIDE_LARGE, W = SIDE_TAPS, Y = SIDE_SMALL }; /* the three tensors */

/* Which tensor each operand is, and the result. */
static void roles(Op op, int *first, int *second, int *result) {
  *result = (int)op->makes;
  *first = *result == X ? Y : X;
  *second = *result == W ? Y : W;
}

static bool infer_conv(Build *b, Node *n) {
  const Node *x = graph_operand(b->graph, n, 0), *y = graph_operand(b->graph, n, 1);
  Slide s = slide_of(n);
  int first, second, result;
  roles(n->op, &first, &second, &result);
  const Shape *t[3] = {0};
  t[first] = &x->shape, t[second] = &y->shape;
  n->dtype = dtype_computed(x->dtype); /* of half-width floats it is not rounded */
  if (x->dtype != y->dtype || !dtype_is_float(x->dtype)) {
    op_fail(b, b->span, "takes two tensors of one type of floats, not %s and %s",
            op_describe(b, n->operand[0]), op_describe(b, n->operand[1]));
    return false;
  }
  Shape *out = &n->shape;
  out->rank = s.n + 2;
  if (result == Y) {
    out->dim[0] = t[X]->dim[0];
    for (int d = 0; d < s.n; d++) out->dim[1 + d] = s.small[d];
    out->dim[s.n + 1] = t[W]->dim[s.n + 1];
  } else if (result == X) {
    out->dim[0] = t[Y]->dim[0];
    for (int d = 0; d < s.n; d++) out->dim[1 + d] = s.large[d];
    out->dim[s.n + 1] = t[W]->dim[s.n] * s.groups;
  } else {
    for (int d = 0; d < s.n; d++) out->dim[d] = s.taps[d];
    out->dim[s.n] = t[X]->dim[s.n + 1] / s.groups;
    out->dim[s.n + 1] = t[Y]->dim[s.n + 1];
  }
  return op_check_size(b, b->span, n->dtype, out);
}

static RuleDim one(int f) { return (RuleDim){.n = 1, .factor = {(int8_t)f}}; }
static RuleDim two(int f, int g) { return (RuleDim){.n = 2, .factor = {(int8_t)f, (int8_t)g}}; }

static void rule_conv(const Graph *g, const Node *n, Rule *r) {
  Slide s = slide_of(n);
  int first, second, result;
  roles(n->op, &first, &second, &result);
  const Shape *shape[3];
  RuleDim *t[3];
  shape[first] = &graph_operand(g, n, 0)->shape, t[first] = r->operand[0];
  shape[second] = &graph_operand(g, n, 1)->shape, t[second] = r->operand[1];
  shape[result] = &n->shape, t[result] = r->result;
  FactorKind if_w = result == W ? FACTOR_REDUCE : FACTOR_PASS,
             if_y = result == Y ? FACTOR_REDUCE : FACTOR_PASS,
             if_x = result == X ? FACTOR_REDUCE : FACTOR_PASS;
  int batch = rule_factor(r, shape[X]->dim[0], if_w);
  int in = rule_factor(r, shape[W]->dim[s.n], if_y);
  int out = rule_factor(r, shape[W]->dim[s.n + 1] / s.groups, if_x);
  int group = s.groups > 1 ? rule_factor(r, s.groups, FACTOR_PASS) : NO_FACTOR;
  t[X][0] = t[Y][0] = one(batch);
  t[W][s.n] = one(in);
  t[X][s.n + 1] = group >= 0 ? two(group, in) : one(in);
  t[W][s.n + 1] = t[Y][s.n + 1] = group >= 0 ? two(group, out) : one(out);
  for (int d = 0; d < s.n; d++) {
    int64_t small = shape[Y]->dim[1 + d], large = shape[X]->dim[1 + d];
    t[W][d] = one(rule_factor(r, s.taps[d], FACTOR_WHOLE));
    /* The cut side keeps blocks; the other is seen through a window of them. */
    int f = rule_factor(r, result == X ? large : small, result == W ? FACTOR_REDUCE : FACTOR_SHIFT);
    t[X][1 + d] = t[Y][1 + d] = one(f);
    if (result == X)
      t[Y][1 + d].window = slide_down(&s, d);
    else
      t[X][1 + d].window = slide_up(&s, d);
  }
}

static NodeId mk_conv(Build *b, Op op, NodeId x, NodeId y, const Slide *s) {
  int64_t attr[SLIDE_ATTRS];
  int n = slide_attrs(s, attr);
  return build_node(b, op, 2, (NodeId[]){x, y}, n, attr, 0);
}

/* Of half-width floats they are rounded to the operands' type, as other ops' results are. */
static NodeId conv_any(Build *b, Op op, NodeId x, NodeId y, const Slide *s) {
  const DType t = op_node(b, x)->dtype;
  if (!dtype_is_half(t) || op_node(b, y)->dtype != t) return mk_conv(b, op, x, y, s);
  return build_cast(b, mk_conv(b, op, build_cast(b, x, DT_F32), build_cast(b, y, DT_F32), s), t);
}

static void grad_conv(Build *b, NodeId node, NodeId dz, NodeId *dx) {
  const Node *n = op_node(b, node);
  Slide s = slide_of(n);
  int first, second, result;
  roles(n->op, &first, &second, &result);
  NodeId t[3] = {NO_NODE, NO_NODE, NO_NODE};
  t[first] = n->operand[0], t[second] = n->operand[1], t[result] = dz;
  for (int i = 0; i < 2; i++) {
    int wanted = i == 0 ? first : second;
    dx[i] = wanted == X   ? mk_conv(b, &op_conv_input, t[Y], t[W], &s)
            : wanted == W ? mk_conv(b, &op_conv_weight, t[X], t[Y], &s)
                          : mk_conv(b, &op_conv, t[X], t[W], &s);
  }
}

/* x, w and groups, checked against each other. */
static bool conv_args(Build *b, const Arg *a, const Arg *groups, NodeId *x, NodeId *w, Slide *s) {
  if (!arg_tensor(b, &a[0], "x", x) || !arg_tensor(b, &a[1], "w", w) ||
      !arg_int(b, groups, "groups", &s->groups))
    return false;
  const Shape *p = &op_node(b, *x)->shape, *q = &op_node(b, *w)->shape;
  s->n = p->rank - 2;
  if (s->n < 1 || s->n > MAX_SLIDE || q->rank != p->rank) {
    const bool one = q->rank == 3 && s->n > 1 && s->n <= MAX_SLIDE;
    op_fail(b, b->span,
            "x is [batch, space..., in] with 1 to %d spatial dims and w [taps..., in, out]; these "
            "are %s and %s%s",
            MAX_SLIDE, op_describe(b, *x), op_describe(b, *w),
            one ? ", with taps along one dim: a window over several is a list, as [3, 3]" : "");
    op_declared(b, 2, (NodeId[]){*x, *w});
    return false;
  }
  if (s->groups < 1) {
    op_fail(b, groups->span, "`groups` must be at least 1");
    return false;
  }
  if (s->groups > 1 && s->groups > q->dim[s->n + 1]) {
    op_fail(b, groups->span, "%ld groups are more than the last dim of the weights %s",
            (long)s->groups, op_describe(b, *w));
    return false;
  }
  for (int d = 0; d < s->n; d++) s->taps[d] = q->dim[d];
  return true;
}

static bool channels_fit(Build *b, const Slide *s, NodeId x, NodeId w, int64_t have, int64_t want) {
  if (have == want && op_node(b, w)->shape.dim[s->n + 1] % s->groups == 0) return true;
  op_fail(b, b->span, "the channels of %s do not match weights %s in %ld group%s",
          op_describe(b, x), op_describe(b, w), (long)s->groups, s->groups == 1 ? "" : "s");
  op_declared(b, 2, (NodeId[]){x, w});
  return false;
}

static Arg call_conv(Build *b, const Arg *a) {
  NodeId x, w;
  Slide s = {0};
  if (!conv_args(b, a, &a[5], &x, &w, &s)) return arg_node(NO_NODE);
  const Shape *p = &op_node(b, x)->shape;
  for (int d = 0; d < s.n; d++) s.large[d] = p->dim[1 + d];
  if (!channels_fit(b, &s, x, w, p->dim[s.n + 1], op_node(b, w)->shape.dim[s.n] * s.groups) ||
      !slide_args(b, &a[2], &a[3], &a[4], true, &s) || !slide_can_wrap(b, &a[3], &s))
    return arg_node(NO_NODE);
  return arg_node(conv_any(b, &op_conv, x, w, &s));
}

/* y [batch, space..., out] back to [batch, space..., in]: the weights are those of the convolution
 * it undoes. */
static Arg call_conv_transpose(Build *b, const Arg *a) {
  NodeId y, w;
  Slide s = {0};
  if (!conv_args(b, a, &a[5], &y, &w, &s)) return arg_node(NO_NODE);
  const Shape *p = &op_node(b, y)->shape;
  if (!channels_fit(b, &s, y, w, p->dim[s.n + 1], op_node(b, w)->shape.dim[s.n + 1]))
    return arg_node(NO_NODE);
  /* The large side: the one whose convolution has y's sizes. */
  for (int d = 0; d < s.n; d++) s.large[d] = (int64_t)1 << 30;
  if (!slide_args(b, &a[2], &a[3], &a[4], true, &s)) return arg_node(NO_NODE);
  bool same = a[3].kind == ARG_STRING && strcmp(a[3].text, "valid");
  for (int d = 0; d < s.n; d++) {
    int64_t small = p->dim[1 + d];
    int64_t reach = (s.taps[d] - 1) * s.dilation[d] + 1, after = 0;
    if (a[3].kind == ARG_LIST) after = a[3].at[d].at[1].i;
    s.large[d] =
        same ? small * s.stride[d] : (small - 1) * s.stride[d] + reach - s.before[d] - after;
    if (s.large[d] < 1)
      return arg_node(op_fail(
          b, b->span, "the padding is too large: the result is empty in spatial dim %d", d));
  }
  if (!slide_args(b, &a[2], &a[3], &a[4], true, &s) || !slide_can_wrap(b, &a[3], &s))
    return arg_node(NO_NODE);
  return arg_node(conv_any(b, &op_conv_input, y, w, &s));
}

/* Of a row of taps. */
static double addends(const Graph *g, const Node *n) {
  const Shape *w = &graph_operand(g, n, 1)->shape;
  return shape_size(w) / (double)w->dim[0];
}
/* Pixels. */
static double addends_of_weight(const Graph *g, const Node *n) {
  return shape_size(&graph_operand(g, n, 1)->shape) / (double)n->shape.dim[n->shape.rank - 1];
}

/* The rule's factors are those of the large side; the points are pairs of a tap and an element of
 * the small one. */
static double points_of_small(const Node *n, double points) {
  Slide s = slide_of(n);
  for (int d = 0; d < s.n && points > 0; d++) points *= (double)s.small[d] / (double)s.large[d];
  return points;
}

/* One channel a group in and out: loops, of f32 and f64. */
static NodeId read_half_convolution(NewGraph *w, Node *n) {
  return slide_is_depthwise(w->graph, n) ? NO_NODE : read_halves(w, n);
}

const OpDef op_conv = {
    .name = "conv",
    .params = "x, w, stride=1, padding=\"same\", dilation=1, groups=1",
    .doc =
        "convolution of x [batch, space..., in] with w [taps..., in/groups, out], 1 to 3 spatial "
        "dims; padding \"same\", \"wrap\" (what is at the other end), \"valid\" or a list of "
        "[before, "
        "after]",
    .example = "f32[2, 7, 6, 4] x, f32[3, 3, 4, 5] w: conv(x, w)",
    .call = call_conv,
    .attr = {{"slide", ATTR_SLIDE}},
    .infer = infer_conv,
    .rule = rule_conv,
    .grad = grad_conv,
    .class = OPC_CONVOLUTION,
    .makes = SIDE_SMALL,
    .flags = OPF_SUMS | OPF_PRODUCT | OPF_ROWS,
    .linear = 3,
    .addends = addends,
    .flops = 2,
    .rounding = 1,
    .simplify = read_half_convolution,
    .join = join_convolution};
const OpDef op_conv_transpose = {
    .name = "conv_transpose",
    .params = "y, w, stride=1, padding=\"same\", dilation=1, groups=1",
    .doc = "the convolution's transpose: y [batch, space..., out] to [batch, space..., in]; "
           "with \"same\" it is stride times as large",
    .example = "f32[2, 4, 3, 5] y, f32[3, 3, 4, 5] w: conv_transpose(y, w, stride=2)",
    .call = call_conv_transpose};
const OpDef op_conv_input = {.name = "conv_input",
                             .doc = "conv's gradient to x",
                             .attr = {{"slide", ATTR_SLIDE}},
                             .infer = infer_conv,
                             .rule = rule_conv,
                             .grad = grad_conv,
                             .class = OPC_CONVOLUTION,
                             .makes = SIDE_LARGE,
                             .flags = OPF_SUMS | OPF_PRODUCT | OPF_ROWS,
                             .linear = 3,
                             .addends = addends,
                             .points = points_of_small,
                             .flops = 2,
                             .rounding = 1,
                             .simplify = read_half_convolution};
const OpDef op_conv_weight = {.name = "conv_weight",
                              .doc = "conv's gradient to w",
                              .attr = {{"slide", ATTR_SLIDE}},
                              .infer = infer_conv,
                              .rule = rule_conv,
                              .grad = grad_conv,
                              .class = OPC_CONVOLUTION,
                              .makes = SIDE_TAPS,
                              .flags = OPF_SUMS | OPF_PRODUCT,
                              .linear = 3,
                              .addends = addends_of_weight,
                              .flops = 2,
                              .rounding = 1,
                              .simplify = read_half_convolution};
