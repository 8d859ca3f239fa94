/* Passes that choose layouts, each in the file of its name: `propagate` gives every tensor a
 * layout, the next ones decide by cost what it leaves open, and `partition` makes the local
 * graphs. */
#ifndef DTG_LAYOUT_PASSES_H
#define DTG_LAYOUT_PASSES_H
#include "cost.h"
#include "cut.h"

void propagate(Plan *p);
/* The same, where nothing but Plan.added has changed since: goes on from what was found without. */
void propagate_added(Plan *p);
void contest(Plan *p);
void updates(Plan *p);
void distribute(Plan *p);
void outputs(Plan *p);
void carries(Plan *p);
void choose(Plan *p);
void weigh(Plan *p);
void partition(Plan *p);
void forbid(Plan *p);

/* Whether what two plans of a program have alike is laid out and computed alike (alike.c). */
bool alike_plans(const Plan *p, const Plan *other);
/* By node of an entry: that of the other plan that is the same, or NO_NODE. */
NodeId *alike_find(const Plan *p, const Plan *other, int entry);

#endif
