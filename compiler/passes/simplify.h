/* A graph while simplify rewrites it: shared by simplify.c and simplify_sum.c. */
#ifndef DTG_SIMPLIFY_H
#define DTG_SIMPLIFY_H
#include "passes.h"

typedef struct Simplify {
  Arena *arena;
  const Graph *old;
  Graph *graph;
  NodeId *map;
  int nslots;
  NodeId *slot; /* hash table of new nodes */
} Simplify;

/* The new graph's node that is the same, or it added. */
NodeId simplify_intern(Simplify *s, const Node *n);
/* What a sum may add up instead of its operand: the same without terms that add up to zero. */
NodeId simplify_sum(Simplify *s, const Node *n);

/* What a sum of disjoint parts is: the parts side by side; NO_NODE: it is none. */
NodeId simplify_pads(Simplify *s, const Node *n);

#endif
