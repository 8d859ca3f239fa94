/* Bounds of ops' rounding errors: see op.h. */
#include "op.h"
#include <math.h>

enum { FEW_ADDENDS = 64 }; /* of an op without its own number: windows of pools */

Rounding op_rounding(const Graph *g, const Node *n) {
  double unit = dtype_unit(n->dtype);
  const OpDef *d = n->op;
  Rounding r = {.result = d->rounding * unit};
  for (int k = 0; d->flags & OPF_SUMS && k < n->noperands; k++)
    unit = fmax(unit, dtype_unit(graph_operand(g, n, k)->dtype));
  if (d->flags & OPF_SUMS)
    r.operands = (1 + sqrt(d->addends ? d->addends(g, n) : FEW_ADDENDS)) * unit;
  return r;
}
