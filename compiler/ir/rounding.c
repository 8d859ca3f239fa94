/* What an op's rounding may come to: see op.h. The number of elements that a sum adds up follows
 * from the sizes of what it reads and makes. */
#include "op.h"
#include <math.h>

double op_unit(DType t) {
  switch (t) {
  case DT_F16: return 0x1p-10;
  case DT_BF16: return 0x1p-7;
  case DT_F32: return 0x1p-23;
  case DT_F64: return 0x1p-52;
  default: return 0;
  }
}

/* How many products or elements one of the result is summed from, at most. */
static double sum_length(const Graph *g, const Node *n) {
  double made = fmax((double)shape_count(&n->shape), 1), x[2] = {1, 1};
  for (int k = 0; k < n->noperands && k < 2; k++)
    x[k] = fmax((double)shape_count(&graph_operand(g, n, k)->shape), 1);
  switch (n->op) {
  case OP_contract: return fmax(1, sqrt(x[0] * x[1] / made)); /* k sqrt(batch) */
  case OP_sum:
  case OP_prod: return fmax(1, x[0] / made);
  case OP_cumsum: return (double)n->shape.dim[n->attr[0]];
  case OP_conv:
  case OP_conv_input:
    return x[1] / (double)graph_operand(g, n, 1)->shape.dim[0];               /* of a row of taps */
  case OP_conv_weight: return x[1] / (double)n->shape.dim[n->shape.rank - 1]; /* pixels */
  case OP_scatter_add: return x[0]; /* all rows may go to one */
  default: return 64;               /* windows of pools */
  }
}

Rounding op_rounding(const Graph *g, const Node *n) {
  double unit = op_unit(n->dtype);
  const OpDef *d = op_def(n->op);
  Rounding r = {.result = d->rounding * unit};
  for (int k = 0; d->flags & OPF_SUMS && k < n->noperands; k++)
    unit = fmax(unit, op_unit(graph_operand(g, n, k)->dtype));
  if (d->flags & OPF_SUMS) r.operands = (1 + sqrt(sum_length(g, n))) * unit;
  return r;
}
