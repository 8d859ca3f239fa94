/* The order of sums and products of floats (docs/sums.md).
 *
 * The trailing reduced dims form a line, the other reduced dims count rows. A line goes to lanes,
 * element i to lane i mod 32, and lanes are joined by halves; a line of fewer than 32 is taken in
 * sequence. Lanes, and rows, take SUM_BLOCK addends in sequence and combine such blocks pairwise,
 * so that the error grows with the logarithm of the length. */
#include "sum_order.h"
#include "dtrt.h"
#include "op.h"
#include "scan.h"

SumOrder sum_order(const Mesh *m, const Graph *g, const Node *n) {
  SumOrder o = {.fixed =
                    op_class(n) == OPC_REDUCE && op_is(n, OPF_SUMS) && dtype_is_float(n->dtype),
                .line = 1,
                .rows = 1};
  if (!o.fixed) return o;
  const Node *x = graph_operand(g, n, 0);
  const Shape local = layout_local(m, x->layout, &x->shape);
  bool in_line = true;
  o.first = x->shape.rank;
  for (int d = x->shape.rank - 1; d >= 0; d--) {
    const bool gone = node_attr(n, "axis") >> d & 1;
    if (local.dim[d] == 1 && dim_even(m, &x->layout->dim[d], x->shape.dim[d])) continue;
    in_line = in_line && gone;
    if (in_line) o.first = d;
    if (gone && in_line) o.line *= local.dim[d];
    if (gone && !in_line) o.rows *= local.dim[d];
  }
  return o;
}

int sum_levels(int64_t addends) {
  int levels = 0;
  for (int64_t blocks = addends / SUM_BLOCK; blocks; blocks /= 2) levels++;
  return levels;
}

/* A running sum along a dim with others inside it: the sum of all blocks before, and as below. */
static int64_t scan_scratch(const Mesh *m, const Shape *local, const Node *n) {
  const int dim = (int)node_attr(n, "axis");
  int64_t row = 1;
  bool line = true; /* on all devices: a dim of which some have nothing is one to loop over */
  for (int d = dim + 1; d < local->rank; d++) {
    row *= local->dim[d];
    line = line && local->dim[d] == 1 && dim_even(m, &n->layout->dim[d], n->shape.dim[d]);
  }
  if (!dtype_is_float(n->dtype) || line || local->dim[dim] <= SUM_BLOCK) return 0;
  return (2 + sum_levels(local->dim[dim])) * (row ? row : 1) * dtype_size(n->dtype);
}

int64_t sum_scratch(const Mesh *m, const Graph *g, const Node *n) {
  const Shape local = layout_local(m, n->layout, &n->shape);
  if (op_class(n) == OPC_SCAN) return scan_scratch(m, &local, n);
  const SumOrder o = sum_order(m, g, n);
  if (!o.fixed || o.rows <= SUM_BLOCK || o.first < graph_operand(g, n, 0)->shape.rank) return 0;
  const int64_t row = shape_count(&local); /* 0: nothing is stored, but a place is named */
  return (1 + sum_levels(o.rows)) * (row ? row : 1) * dtype_size(n->dtype);
}

enum { LANES = 32 }; /* DTRT_LANES */

bool sum_goes_on(const Mesh *m, const Graph *g, const Node *n) {
  const SumOrder o = sum_order(m, g, n);
  const Node *x = graph_operand(g, n, 0);
  const Shape in = layout_local(m, x->layout, &x->shape);
  if (!o.fixed || dtype_is_half(n->dtype) || in.rank == 0 || in.dim[in.rank - 1] % LANES)
    return false;
  for (int d = 0; d < in.rank; d++) {
    if (!dim_even(m, &x->layout->dim[d], x->shape.dim[d])) return false;
    if (in.dim[d] != 1 && !(node_attr(n, "axis") >> d & 1)) return false;
  }
  return true;
}

int64_t sum_line_scratch(const Mesh *m, const Graph *g, const Node *n) {
  const SumOrder o = sum_order(m, g, n);
  if (!o.fixed || o.first == graph_operand(g, n, 0)->shape.rank) return 0;
  return (1 + sum_levels(o.line / LANES)) * LANES * dtype_size(n->dtype);
}

int64_t product_scratch(const Mesh *m, const Graph *g, const Node *n) {
  if (op_class(n) != OPC_PRODUCT || n->dtype != DT_F32) return 0;
  const Node *x = graph_operand(g, n, 0);
  const Letters letters = product_letters(g, n);
  const Shape in = layout_local(m, x->layout, &x->shape),
              out = layout_local(m, n->layout, &n->shape);
  int64_t depth = 1;
  for (int d = 0; d < in.rank; d++) {
    bool kept = false;
    for (int o = 0; o < out.rank; o++) kept = kept || letters.out[o] == letters.x[d];
    if (!kept) depth *= in.dim[d];
  }
  const int64_t bytes = shape_count(&out) * (int64_t)sizeof(double);
  return depth <= DTRT_GEMM_BLOCK ? 0 : bytes ? bytes : (int64_t)sizeof(double);
}
