/* Ops along one dim that require all of it in order: running sums and sorting. Their attributes,
 * and the ops that `distribute` builds for them. */
#ifndef DTG_SCAN_H
#define DTG_SCAN_H
#include "op.h"

/* PLACED is set by `distribute`: from then on the dim must be whole where the op runs. */
enum { SCAN_DIM, SCAN_PLACED, SCAN_REVERSE, SCAN_EXCLUSIVE, SCAN_ATTRS };     /* cumsum */
enum { ORDER_DIM, ORDER_PLACED, ORDER_COUNT, ORDER_DESCENDING, ORDER_ATTRS }; /* order */

/* Ends the program where `distribute` has not been. */
void scan_need_placed(const Node *n);

/* The indices (i32) of the first `count` along dim in sorted order; equals by index, NaN the
 * largest. */
NodeId mk_order(Build *b, NodeId x, int dim, int64_t count, bool descending, bool placed);
/* x[.., index[.., j, ..], ..] */
NodeId mk_pick(Build *b, NodeId x, NodeId index, int dim);

/* The k blocks of a dim as rows, [.., n, ..] -> [.., k, ceil(n/k), ..], short rows filled up with
 * `fill` (`whole` for integer dtypes); and back. Where k divides n both are
 * reshapes. */
NodeId mk_deal(Build *b, NodeId x, int dim, int64_t k, double fill, int64_t whole);
NodeId mk_undeal(Build *b, NodeId x, int dim, int64_t n);

#endif
