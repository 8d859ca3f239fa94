/* Calls of kernels of the runtime but products: convolutions and their gradients, which are told
 * how the blocks lie to each other, sorts, and linear algebra. */
#include "entry_build.h"
#include "scan.h"
#include "slide.h"
#include "sum_order.h"
#include <string.h>

/* Where the large side's block has the small one's first position, tap 0. */
static Expr position(Loop *l, const Slide *s, int d, const Node *large, const Node *small) {
  const Expr first = expr_scale(l->x, site_from(l, small, 1 + d), s->stride[d]),
             from = expr_sub(l->x, first, site_from(l, large, 1 + d));
  return expr_add(l->x, from, loop_int(l, -s->before[d]));
}

static Expr numbers(EntryBuild *b, const char *field, int n, const int64_t *v) {
  Expr e[MAX_SLIDE];
  for (int d = 0; d < n; d++) e[d] = loop_int(b->l, v[d]);
  return entry_list(b, field, n, e);
}

static Expr extents(EntryBuild *b, const char *field, int n, const Node *side) {
  Expr e[MAX_SLIDE];
  for (int d = 0; d < n; d++) e[d] = site_len(b->l, side, 1 + d);
  return entry_list(b, field, n, e);
}

static Expr slide(EntryBuild *b, const Slide *s, DType read, const Node *large, const Node *taps,
                  const Node *small) {
  Loop *l = b->l;
  Expr at[MAX_SLIDE];
  for (int d = 0; d < s->n; d++) at[d] = position(l, s, d, large, small);
  const Expr field[] = {loop_word(l, dtype_constant(read), 0),
                        loop_int(l, s->n),
                        site_len(l, large, 0),
                        site_len(l, large, s->n + 1),
                        site_len(l, taps, s->n),
                        site_len(l, small, s->n + 1),
                        extents(b, "large", s->n, large),
                        extents(b, "small", s->n, small),
                        numbers(b, "taps", s->n, s->taps),
                        numbers(b, "stride", s->n, s->stride),
                        numbers(b, "dilation", s->n, s->dilation),
                        entry_list(b, "start", s->n, at)};
  return expr_address(l->x, entry_list(b, "dtrt_slide", 12, field));
}

/* Of a channel a group: whose sums are one piece each. */
static bool has_depthwise_kernel(const Node *n, const Slide *s) {
  int64_t taps = 1;
  for (int d = 0; d < s->n; d++) taps *= s->taps[d];
  return n->dtype == DT_F32 && n->op->makes != SIDE_TAPS && taps <= DEPTHWISE_PIECE;
}

bool entry_convolution(EntryBuild *b, NodeId id, const Tiles *epilogue) {
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id);
  const SlideSide makes = n->op->makes;
  const Slide s = slide_of(n);
  const SlideTensors t = slide_tensors(g, id);
  if (slide_is_depthwise(g, n) && !has_depthwise_kernel(n, &s)) {
    entry_loop(b, build_depthwise, id);
    return false;
  }
  const bool takes = epilogue && makes != SIDE_TAPS;
  Expr arg[5] = {slide(b, &s, graph_operand(g, n, 0)->dtype, graph_node(g, t.large),
                       graph_node(g, t.taps), graph_node(g, t.small)),
                 entry_place(b, n->operand[0]), entry_place(b, n->operand[1]), entry_place(b, id)};
  if (takes) arg[4] = entry_rows(b, epilogue);
  static const char *const function[][2] = {
      [SIDE_SMALL] = {"dtrt_conv", "dtrt_conv_epilogue"},
      [SIDE_LARGE] = {"dtrt_conv_input", "dtrt_conv_input_epilogue"},
      [SIDE_TAPS] = {"dtrt_conv_weight", NULL}};
  loop_run(b->l, function[makes][takes], 4 + takes, arg);
  return takes;
}

/* `distribute` has seen to it that the dim is whole here. */
void entry_sort(EntryBuild *b, NodeId id) {
  Loop *l = b->l;
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  const int dim = (int)node_attr(n, "axis");
  scan_need_placed(n);
  const Expr arg[] = {loop_word(l, dtype_constant(x->dtype), 0),
                      site_product(l, n, 0, dim, site_extent),
                      loop_int(l, x->shape.dim[dim]),
                      site_product(l, n, dim + 1, n->shape.rank, site_extent),
                      entry_place(b, n->operand[0]),
                      loop_int(l, node_attr(n, "count")),
                      loop_int(l, node_attr(n, "descending")),
                      entry_after(b, DT_I32, entry_place(b, id), loop_int(l, 0))};
  loop_run(b->l, "dtrt_order", 8, arg);
}

/* Lines along a dim, whose elements are numbers or pairs of them: the last dim. */
static void entry_lines(EntryBuild *b, NodeId id) {
  Loop *l = b->l;
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  const int dim = (int)node_attr(n, "axis");
  Expr outer = loop_int(l, 1), inner = loop_int(l, 1), arg[7];
  for (int d = 0; d < x->shape.rank - 1; d++) {
    const Expr len = site_extent(l, x, d);
    if (d < dim) outer = expr_mul(l->x, outer, len);
    if (d > dim) inner = expr_mul(l->x, inner, len);
  }
  int k = 0;
  arg[k++] = loop_word(l, dtype_constant(n->dtype), 0);
  arg[k++] = outer;
  arg[k++] = site_extent(l, x, dim);
  arg[k++] = inner;
  arg[k++] = entry_place(b, n->operand[0]);
  arg[k++] = entry_place(b, id);
  if (op_has_attr(n->op, "length")) arg[k++] = loop_int(l, node_attr(n, "length"));
  loop_run(l, n->op->kernel, k, arg);
}

/* The last two dims are whole but for the columns of right-hand sides. */
void entry_matrix(EntryBuild *b, NodeId id) {
  Loop *l = b->l;
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, n->noperands - 1);
  if (op_has_attr(n->op, "axis")) {
    entry_lines(b, id);
    return;
  }
  const int batch = x->shape.rank - 2;
  static const char *const flag[] = {"lower", "transposed", "unit"};
  int64_t flags = 0;
  for (int i = 0; i < 3; i++)
    if (op_has_attr(n->op, flag[i])) flags |= node_attr(n, flag[i]) << i;
  Expr arg[8];
  int k = 0;
  arg[k++] = loop_word(l, dtype_constant(n->dtype), 0);
  arg[k++] = site_product(l, x, 0, batch, site_extent);
  arg[k++] = site_extent(l, x, batch);
  arg[k++] = site_extent(l, x, batch + 1);
  for (int i = 0; i < n->noperands; i++) arg[k++] = entry_place(b, n->operand[i]);
  arg[k++] = entry_place(b, id);
  if (n->noperands == 2) arg[k++] = loop_int(l, flags);
  loop_run(b->l, n->op->kernel, k, arg);
}

/* The token's place, the text, and what is told of, each with its type. */
void entry_tell(EntryBuild *b, NodeId id) {
  Loop *l = b->l;
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id);
  Expr *arg = arena_array(l->arena, Expr, 3 + 2 * n->noperands);
  int k = 0;
  Str text = str_new(l->arena);
  str_literal(&text, n->text, false);
  arg[k++] = loop_word(l, "dev", 0);
  arg[k++] = entry_place(b, id);
  arg[k++] = loop_word(l, text.at, 0);
  for (int i = 1; i < n->noperands; i++) {
    arg[k++] = loop_word(l, dtype_constant(graph_operand(g, n, i)->dtype), 0);
    arg[k++] = entry_place(b, n->operand[i]);
  }
  loop_run(b->l, n->op->kernel, k, arg);
}
