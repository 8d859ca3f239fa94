/* Scatters of all kinds (scatters.c): the places that indices name, as rows of a table along a dim
 * (`each` is false) or as places of its lines. */
#ifndef DTG_SCATTERS_H
#define DTG_SCATTERS_H
#include "compose.h"
#include "scan.h"

typedef enum Scatters { SCATTER_SET, SCATTER_ADD, SCATTER_MUL, SCATTER_MAX, SCATTER_MIN } Scatters;

/* A tensor of updates alone: `how` of those with one index. Half-width sums and products are
 * computed in f32. */
NodeId mk_scatter_by(Build *b, Reduce how, NodeId index, NodeId updates, int axis, int64_t size,
                     bool each);
/* The same together with base, whose type the updates have. */
NodeId mk_scatter_with(Build *b, Scatters how, NodeId base, NodeId index, NodeId updates, int axis,
                       bool each);
/* y, which is base but for what `index` names of so many rows: where these are few and base has a
 * place, y is written there, so that several scatters may follow each other in it. */
NodeId mk_put_few(Build *b, NodeId base, NodeId y, NodeId index, int64_t rows);

/* Base with updates in n of its dims, in rising order: `row` says where in those dims, as if they
 * were one; of equal rows the last wins. The dims of updates are those of row, at `first`, among
 * base's others. */
NodeId mk_set_places(Build *b, NodeId base, int n, const int *dim, NodeId row, NodeId updates,
                     int first);

Arg call_scatter_add(Build *b, const Arg *a);
bool infer_scatter(Build *b, Node *n);
void rule_scatter(const Graph *g, const Node *n, Rule *r);
bool infer_unpick(Build *b, Node *n);
void rule_unpick(const Graph *g, const Node *n, Rule *r);

extern const OpDef op_scatter_mul, op_scatter_max, op_scatter_min, op_unpick_prod, op_unpick_max,
    op_unpick_min;

/* For each x what `total` says of all that it is reduced with; the product of the others among
 * these, with derivatives (reduce.c). */
NodeId product_of_others(Build *b, NodeId x, NodeId (*total)(void *user, Reduce how, NodeId x),
                         void *user);
#endif
