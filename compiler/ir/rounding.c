/* What an op's rounding may come to: see op.h. */
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

enum { FEW_ADDENDS = 64 }; /* of an op that does not say: windows of pools */

Rounding op_rounding(const Graph *g, const Node *n) {
  double unit = op_unit(n->dtype);
  const OpDef *d = n->op;
  Rounding r = {.result = d->rounding * unit};
  for (int k = 0; d->flags & OPF_SUMS && k < n->noperands; k++)
    unit = fmax(unit, op_unit(graph_operand(g, n, k)->dtype));
  if (d->flags & OPF_SUMS)
    r.operands = (1 + sqrt(d->addends ? d->addends(g, n) : FEW_ADDENDS)) * unit;
  return r;
}
