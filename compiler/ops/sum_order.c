/* The order of sums and products of floats (docs/sums.md).
 *
 * The trailing reduced dims form a line, the other reduced dims count rows. A line goes to lanes,
 * element i to lane i mod 32, and lanes are joined by halves; a line of fewer than 32 is taken in
 * sequence. Lanes, and rows, take SUM_BLOCK addends in sequence and combine such blocks pairwise,
 * so that the error grows with the logarithm of the length. */
#include "sum_order.h"
#include "opdefs.h"
#include "dtrt.h"
#include "dtrt_math.h"
#include "op.h"
#include "scan.h"
#include "slide.h"

enum {
  SHORT_LINE = 512, /* so that a block has two lines at least */
  IN_ROWS = 32      /* bytes of a line that is an element of a row: part of the order, on any CPU */
};

SumOrder sum_order(const Mesh *m, const Graph *g, const Node *n) {
  SumOrder o = {.fixed =
                    op_class(n) == OPC_REDUCE && op_is(n, OPF_SUMS) && dtype_is_float(n->dtype),
                .line = 1,
                .rows = 1};
  if (!o.fixed) return o;
  const Node *x = graph_operand(g, n, 0);
  const Shape local = node_local(m, x);
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
  o.in_rows = o.line > 1 && o.rows > 1 && !dtype_is_half(n->dtype) &&
              o.line * (int64_t)dtype_size(n->dtype) <= IN_ROWS;
  if (o.line >= DTRT_LANES && o.line <= SHORT_LINE && o.rows > 1)
    o.lines_in_block = SUM_BLOCK / ((o.line + DTRT_LANES - 1) / DTRT_LANES);
  return o;
}

/* It has no lines, or lines are elements of rows. */
static bool has_rows(const SumOrder *o, const Node *x) {
  return o->in_rows || o->first == x->shape.rank;
}

int sum_levels(int64_t addends) {
  int levels = 0;
  for (int64_t blocks = addends / SUM_BLOCK; blocks; blocks /= 2) levels++;
  return levels;
}

/* A running sum along a dim with others inside it: the rows of dtrt_scan_rows_f32. */
static int64_t scan_scratch(const Mesh *m, const Shape *local, const Node *n) {
  const int dim = (int)node_attr(n, "axis");
  int64_t row = 1;
  bool line = true; /* on all devices: a dim that is empty on some is looped over */
  for (int d = dim + 1; d < local->rank; d++) {
    row *= local->dim[d];
    line = line && local->dim[d] == 1 && dim_even(m, &n->layout->dim[d], n->shape.dim[d]);
  }
  if (!dtype_is_float(n->dtype) || line || local->dim[dim] <= SUM_BLOCK) return 0;
  return (2 + 2 * sum_levels(local->dim[dim])) * (row ? row : 1) * dtype_size(n->dtype);
}

int64_t scatter_updates(const Mesh *m, const Graph *g, const Node *n) {
  const Node *index = graph_operand(g, n, 0);
  const Shape local = node_local(m, index);
  const int dim = (int)node_attr(n, "axis");
  const bool each = op_class(n) == OPC_ADD_EACH;
  if (!dtype_is_float(n->dtype) || dtype_is_half(n->dtype) || n->op->reduce != RED_SUM) return 0;
  int64_t updates = 1;
  for (int d = each ? dim : 0; d < local.rank; d++) updates *= local.dim[d];
  return (each ? local.dim[dim] : updates) > SUM_BLOCK ? updates : 0;
}

static bool is_whole(const Node *n) {
  for (int d = 0; d < n->shape.rank; d++)
    if (n->layout->dim[d].naxes || n->layout->dim[d].window.of) return false;
  return true;
}

bool scatter_is_last(const Graph *g, const Node *n) {
  const Node *index = graph_operand(g, n, 0), *number = graph_operand(g, n, 1);
  if (n->op->reduce != RED_MAX || n->dtype != DT_I32 || !is_whole(index)) return false;
  while (op_class(number) == OPC_VIEW && is_whole(number)) number = graph_operand(g, number, 0);
  return number->op == &op_iota && number->shape.rank == 1 && is_whole(number) &&
         shape_count(&number->shape) == shape_count(&index->shape);
}

int64_t scatter_named(const Mesh *m, const Graph *g, const Node *n) {
  if (scatter_is_last(g, n)) return 0;
  const Shape local = node_local(m, n);
  return dtrt_scatter_part(local.dim[node_attr(n, "axis")] * (int64_t)sizeof(int32_t));
}

int64_t scatter_named_bytes(const Mesh *m, const Graph *g, const Node *n) {
  Shape local = node_local(m, n);
  const Shape index = node_local(m, graph_operand(g, n, 0));
  if (!scatter_is_last(g, n)) local.dim[node_attr(n, "axis")] = shape_count(&index);
  return shape_count(&local) * dtype_size(n->dtype);
}

/* Rows of a scatter's table, and elements of each. */
static void scatter_table(const Shape *local, const Node *n, int64_t *rows, int64_t *size) {
  const int dim = (int)node_attr(n, "axis");
  *rows = local->dim[dim], *size = 1;
  for (int d = dim + 1; d < local->rank; d++)
    *(op_class(n) == OPC_ADD_EACH ? rows : size) *= local->dim[d];
}

bool scatter_in_f64(const Mesh *m, const Graph *g, const Node *n) {
  const Shape local = node_local(m, n);
  int64_t rows, size;
  scatter_table(&local, n, &rows, &size);
  return n->dtype == DT_F32 && size == 1 && scatter_updates(m, g, n) > rows;
}

static int64_t scatter_scratch(const Mesh *m, const Graph *g, const Shape *local, const Node *n) {
  const int64_t updates = scatter_updates(m, g, n);
  int64_t rows, size;
  scatter_table(local, n, &rows, &size);
  if (scatter_in_f64(m, g, n)) return (rows ? rows : 1) * (int64_t)sizeof(double);
  return updates ? dtrt_scatter_room(rows, updates, size * dtype_size(n->dtype)) : 0;
}

bool depthwise_in_f64(const Mesh *m, const Graph *g, const Node *n) {
  if (op_class(n) != OPC_CONVOLUTION || n->op->makes != SIDE_TAPS || n->dtype != DT_F32)
    return false;
  const Slide s = slide_of(n);
  const Node *y = graph_operand(g, n, 1);
  const Shape local = node_local(m, y);
  int64_t pixels = 1;
  for (int d = 0; d <= s.n; d++) pixels *= local.dim[d];
  return slide_is_depthwise(g, n) && pixels > DEPTHWISE_PIECE;
}

/* The sum of each unit is written and read once more: of 512 rows, under one row in a hundred.
 * Fewer rows than give several cores such units each are dealt in smaller ones. */
static int64_t unit_of_rows(int64_t rows) {
  enum { LEAST_BLOCKS = 4, CHEAP_BLOCKS = 16, FEW_UNITS = 4, MOST_UNITS = 32 };
  const int64_t blocks = (rows + SUM_BLOCK - 1) / SUM_BLOCK;
  int64_t own = LEAST_BLOCKS;
  while (own * (own < CHEAP_BLOCKS ? FEW_UNITS : MOST_UNITS) < blocks) own *= 2;
  return blocks < 2 * LEAST_BLOCKS ? 0 : own * SUM_BLOCK;
}

int64_t sum_unit(const Mesh *m, const Graph *g, const Node *n) {
  const SumOrder o = sum_order(m, g, n);
  if (!o.fixed || dtype_is_half(n->dtype) || !has_rows(&o, graph_operand(g, n, 0))) return 0;
  return unit_of_rows(o.rows);
}

int64_t sum_line_unit(const Mesh *m, const Graph *g, const Node *n) {
  const SumOrder o = sum_order(m, g, n);
  if (!o.fixed || dtype_is_half(n->dtype) || n->shape.rank || o.rows > 1) return 0;
  return DTRT_LANES * unit_of_rows(o.line / DTRT_LANES);
}

int sum_unit_levels(int64_t unit) { return 1 + sum_levels(unit); }

int64_t sum_line_of(DType t) {
  enum { LINE = 64 };
  return LINE / (int64_t)dtype_size(dtype_computed(t));
}

static int64_t whole_lines(int64_t n, DType t) {
  const int64_t line = sum_line_of(t);
  return (n + line - 1) / line * line;
}

int64_t sum_scratch(const Mesh *m, const Graph *g, const Node *n) {
  const Shape local = node_local(m, n);
  if (op_class(n) == OPC_ADD_ROWS || op_class(n) == OPC_ADD_EACH)
    return scatter_scratch(m, g, &local, n);
  if (depthwise_in_f64(m, g, n)) {
    const int64_t bytes = shape_count(&local) * (int64_t)sizeof(double);
    return bytes ? bytes : (int64_t)sizeof(double);
  }
  if (op_class(n) == OPC_SCAN) return scan_scratch(m, &local, n);
  const SumOrder o = sum_order(m, g, n);
  const int64_t in_line = sum_line_unit(m, g, n);
  if (in_line) return (o.line + in_line - 1) / in_line * DTRT_LANES * dtype_size(n->dtype);
  if (!o.fixed || o.rows <= SUM_BLOCK || !has_rows(&o, graph_operand(g, n, 0))) return 0;
  const int64_t row = shape_count(&local); /* 0: nothing is stored, but a place is named */
  const int64_t unit = sum_unit(m, g, n), units = unit ? (o.rows + unit - 1) / unit : 0;
  const int64_t rows = unit ? units * sum_unit_levels(unit) : 1 + sum_levels(o.rows);
  const int64_t all =
      whole_lines(units * row, n->dtype) + rows * whole_lines(row ? row : 1, n->dtype);
  return all * dtype_size(n->dtype);
}

enum { LANES = 32 }; /* DTRT_LANES */

bool sum_goes_on(const Mesh *m, const Graph *g, const Node *n) {
  const SumOrder o = sum_order(m, g, n);
  const Node *x = graph_operand(g, n, 0);
  const Shape in = node_local(m, x);
  if (!o.fixed || dtype_is_half(n->dtype) || in.rank == 0 || in.dim[in.rank - 1] % LANES)
    return false;
  for (int d = 0; d < in.rank; d++) {
    if (!dim_even(m, &x->layout->dim[d], x->shape.dim[d])) return false;
    if (in.dim[d] != 1 && !(node_attr(n, "axis") >> d & 1)) return false;
  }
  return true;
}

int64_t sum_line_kept(int64_t elements) { return (1 + sum_levels(elements / LANES)) * LANES; }

int64_t sum_line_scratch(const Mesh *m, const Graph *g, const Node *n, bool in_units) {
  const SumOrder o = sum_order(m, g, n);
  const int64_t unit = in_units ? sum_line_unit(m, g, n) : 0;
  if (!o.fixed || o.first == graph_operand(g, n, 0)->shape.rank) return 0;
  const int64_t kept =
      unit ? (o.line + unit - 1) / unit * sum_line_kept(unit) : sum_line_kept(o.line);
  return kept * dtype_size(n->dtype);
}

int64_t product_scratch(const Mesh *m, const Graph *g, const Node *n) {
  if (op_class(n) != OPC_PRODUCT || n->dtype != DT_F32) return 0;
  const Node *x = graph_operand(g, n, 0);
  if (dtype_is_half(x->dtype)) return 0;
  const Letters letters = product_letters(g, n);
  const Shape in = node_local(m, x), out = node_local(m, n);
  int64_t depth = 1;
  for (int d = 0; d < in.rank; d++)
    if (!(letters.in[letters.x[d]] & LETTER_OUT)) depth *= in.dim[d];
  const int64_t bytes = shape_count(&out) * (int64_t)sizeof(double);
  return depth <= DTRT_GEMM_BLOCK ? 0 : bytes ? bytes : (int64_t)sizeof(double);
}
