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
} SharedRules;

SharedRule *shared_rule(SharedRules *r, const Graph *g, NodeId id);
/* Fills in what follows from `rule` alone. */
void shared_rule_finish(Arena *a, SharedRule *s);

#endif
