/* Ops along a split dim (passes/layout/distribute.c): the queries and builders for an op's
 * `distribute`. */
#ifndef DTG_BLOCKS_H
#define DTG_BLOCKS_H
#include "opdefs.h"

typedef struct Split { /* how the dim is cut */
  int64_t n, parts, granule;
} Split;

struct Distribute {
  const Program *program;
  Build b; /* of the new graph */
  const Graph *old;
  NodeId *map;    /* old node -> new node */
  NodeId *best;   /* old sorting node -> the values of its candidates, or NO_NODE */
  NodeId *chosen; /* and which of them it took */
  bool (*may_be_whole)(const Program *p, const Node *n); /* no statement forbids it */
  double (*cost)(const Program *p, const Layout *from, const Layout *to, const Shape *shape,
                 DType t); /* of an exchange, in seconds */
};

bool split_of(const Distribute *d, const Node *n, int dim, Split *s); /* false: it is not cut */
/* Another dim can take the axes, so that making this one whole is no gather. */
bool split_has_room(const Node *n, int dim, int64_t parts);
/* It may not be made whole, and no other dim can take the axes: the merge is the only way. */
bool split_must_merge(const Distribute *d, const Node *x, int dim, const Split *s);
bool split_rank_fits(const Node *n, const Split *s);

/* The shape with `n` sizes in place of `drop` from dim on. */
Shape shape_with(const Shape *s, int dim, int drop, int n, const int64_t *sizes);
/* [.., n, ..] -> [.., k, most of a block, ..] */
NodeId split_deal(Build *b, NodeId x, int dim, const Split *s, double fill, int64_t whole);
NodeId split_undeal(Build *b, NodeId x, int dim, const Split *s);
/* Where row i begins in the dim, i being the index along dim of a tensor of this shape. */
NodeId split_row_begin(Build *b, const Shape *shape, int dim, const Split *s);
NodeId split_element(Build *b, NodeId x, int dim, int64_t at); /* of a dim, which is dropped */

#endif
