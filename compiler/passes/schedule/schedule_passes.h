/* Passes over local graphs, each in the file of its name: which values are stored, which loops
 * compute them, in what order, and at which offsets. */
#ifndef DTG_SCHEDULE_PASSES_H
#define DTG_SCHEDULE_PASSES_H
#include "cost.h"
#include "cut.h"
#include "thresholds.h"
#include "verify_plan.h"

void halos(Plan *p);
void panels(Plan *p);
void unroll(Plan *p);
void clamps(Plan *p);
void inline_values(Plan *p);
/* Operations an element that are rather done again than stored: what it takes to write and read an
 * f32 between L2 and L3, of the generic machine, so that programs take the same memory on all. */
double inline_cheap(void);
void make_steps(Plan *p);
void bucket(Plan *p);
void fuse(Plan *p);
void tile(Plan *p);
void borders(Plan *p);
void fills(Plan *p);
void reorder(Plan *p);
void overlap(Plan *p);
void named(Plan *p);
/* By step, before maps are joined: 1 + the scatter whose rows alone maps may come to touch that are
 * joined with no others; 0: it is not one of them. */
int *named_groups(Plan *p, LocalEntry *le);
void memory(Plan *p);
void remat(Plan *p);
void bypass(Plan *p);

/* What `memory` does before it gives buffers their offsets in the arena: variables' places, and for
 * an entry its buffers and from which step to which they live. */
void memory_variables(Plan *p);
void memory_lives(Plan *p, LocalEntry *le);

/* -------- share.c -------- */

/* Axes along which a variable's replicas share memory; 0: they do not. */
uint32_t share_axes(const Plan *p, int var);

/* -------- verify_work.c -------- */

/* As verify_local, and bounded work (sites.h): from what is in memory and, once there
 * are some, the steps. */
void verify_work(const Plan *p, const char *after);
/* And that recomputation in tiles at most doubles the operations of the entry's steps. */
void verify_tiles(const Plan *p, const char *after);

/* -------- verify_sums.c -------- */

/* How an entry's tiles add up in another order than that of docs/sums.md; *where: which sum. NULL:
 * they do not. */
const char *sums_breach(const Plan *p, const LocalEntry *le, NodeId *where);
/* The same, and what verify_local checks. */
void verify_sums(const Plan *p, const char *after);
/* Recomputation for --memory takes no more operations than the entry without it: bounded work, and
 * its check. */
bool work_again_within(const Plan *p, const LocalEntry *le);
void verify_again(const Plan *p, const char *after);

#endif
