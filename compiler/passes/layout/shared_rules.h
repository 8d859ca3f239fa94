/* shared_rules.h: the rules of ops, one for all equal ops of equal shapes: propagate builds each
 * once, however often a model repeats a block. */
#ifndef DTG_SHARED_RULES_H
#define DTG_SHARED_RULES_H
#include "layout_passes.h"

/* Equal ops of equal shapes have one. */
typedef struct SharedRule {
  struct SharedRule *next;
  uint64_t hash;
  const Graph *graph; /* of the first that needed it */
  NodeId node;
  bool shifts;   /* some factor does */
  int8_t *where; /* [tensor][factor]: the dim that carries it, or -1; the result comes last */
  Rule rule;
} SharedRule;

enum { SHARED_RULES = 4096 };
typedef struct SharedRules {
  Arena *arena;
  SharedRule *slot[SHARED_RULES];
  VEC(SharedRule *) equal; /* of equalities of two tensors, each of another shape */
} SharedRules;

SharedRule *shared_rule(SharedRules *r, const Graph *g, NodeId id);
/* Of two tensors of that shape that are to be laid out alike: every dim is a factor. */
SharedRule *shared_equality(SharedRules *r, const Shape *shape);

#endif
