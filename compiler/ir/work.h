/* The work of one device: operations and bytes, of the device with the largest blocks. Used by the
 * cost model, for what cores are dealt, and by the profile's rates. */
#ifndef DTG_WORK_H
#define DTG_WORK_H
#include "plan.h"

double work_block_bytes(const Program *p, const Layout *l, const Shape *s, DType t);
/* Of one device's part of op n, whose rule is r, given the layouts of its operands and result. */
double work_flops(const Program *p, const Graph *g, const Node *n, const Rule *r,
                  const Layout *const *operands, const Layout *result);
/* Of the elements of a tensor that a mask leaves in the band low <= column - row < high, the column
 * being the last dim, those that kernels compute, by blocks, as a part of all. On several devices,
 * that of all of them. */
double work_band_share(const Shape *s, int row, int64_t low, int64_t high);
/* Of the rows of a scatter's table, the part that is named at most. */
double work_named_share(const Mesh *m, const Graph *g, NodeId scatter);

/* Of a step as it is done; what tiles keep to themselves stays in cache, and counts for nothing. */
typedef struct StepWork {
  bool exchange; /* something moves between devices */
  double flops;  /* of its products; 0 for loops, whose memory is what takes time */
  double bytes;  /* exchanges: received; others: every value read or stored, counted once */
} StepWork;
StepWork work_step(const Program *p, const LocalEntry *le, const Step *s);

#endif
