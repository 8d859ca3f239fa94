/* The invariants of a plan, checked after each pass. */
#ifndef DTG_VERIFY_PLAN_H
#define DTG_VERIFY_PLAN_H
#include "plan.h"

void verify_global(const Plan *p, const char *after);
void verify_local(const Plan *p, const char *after);
/* Every value stays in its place until its last use. */
void verify_memory(const Plan *p, const char *after);
/* What a device runs keeps the laws of loop.h. */
void verify_statements(const Plan *p, const char *after);
/* Once there are steps: every device can run them, and all meet the same exchanges. */
void verify_exchanges(const Plan *p, const LocalEntry *le, const char *after);

/* Names the pass and the node, and aborts: a bug of the compiler. */
void verify_breach(const Plan *p, const Entry *e, const Graph *g, NodeId id, const char *after,
                   const char *law);

#endif
