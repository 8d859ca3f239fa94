/* The work of one device: operations and bytes, of the device with the largest blocks. Used by the
 * cost model and by the profile's rates. */
#ifndef DTG_WORK_H
#define DTG_WORK_H
#include "plan.h"

double work_block_bytes(const Program *p, const Layout *l, const Shape *s, DType t);
/* Of one device's part of op n, whose rule is r, given the layouts of its operands and result. */
double work_flops(const Program *p, const Graph *g, const Node *n, const Rule *r,
                  const Layout *const *operands, const Layout *result);
/* The same of a local node. */
double work_node_flops(const Program *p, const Graph *g, const Node *n);

#endif
