/* Which results are kept in a short type under `precision bf16, master f32`. */
#include "opdefs.h"

Stands op_stands(const Graph *g, const Node *n) {
  if (n->dtype != DT_F32 || op_is(n, OPF_CARRY | OPF_AFTER | OPF_GRAD)) return STANDS_F32;
  switch (op_class(n)) {
  case OPC_PRODUCT:
  case OPC_CONVOLUTION: return STANDS_SHORT;
  case OPC_ELEMENT:
    /* A number of another type has been written to become one of f32. */
    if (n->op == &op_cast && graph_operand(g, n, 0)->dtype != DT_F32) return STANDS_F32;
    return STANDS_AS_READ;
  case OPC_CONST:
  case OPC_INDEX:
  case OPC_RANDOM:
  case OPC_MOVE:
  case OPC_VIEW:
  case OPC_EXCHANGE:
  case OPC_POOL: return STANDS_AS_READ;
  case OPC_REDUCE:
  case OPC_SCAN: return STANDS_SUM;
  default: return STANDS_F32;
  }
}
