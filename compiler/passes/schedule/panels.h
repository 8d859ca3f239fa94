/* Products in panels (panels.c): a product and the exchanges before and behind it, cut along one of
 * its kept dims. */
#ifndef DTG_PANELS_H
#define DTG_PANELS_H
#include "schedule_passes.h"

/* One product in panels. */
typedef struct Panels {
  NodeId product;
  int64_t letter;  /* of a dim that it keeps */
  int n;           /* panels */
  NodeId in[2];    /* exchanges of its operands that go panel by panel, too; NO_NODE */
  NodeId out;      /* the same of its result */
  DimLayout along; /* the finest cut that the dim has in any of these: a device's panels are parts
                      of its blocks there */
  double gains;    /* seconds, about */
} Panels;

/* Where the letter is in operand k of the product, or for k = 2 in its result; -1: nowhere. */
int panels_dim(const Graph *g, NodeId product, int k, int64_t letter);
/* Elements of a block of `along`, of a dim of n. */
int64_t panels_block(const Mesh *m, const DimLayout *along, int64_t n);

/* The entry with these products in panels, and nothing after its graph. copied: bytes of what is
 * cut out and joined. */
LocalEntry panels_made(const Plan *p, const LocalEntry *le, int n, const Panels *products,
                       int64_t *copied);

#endif
