/* The passes, each in the file of its name. `autodiff` and `simplify` rewrite global graphs in
 * place of the old ones; `propagate` gives every tensor a layout; `partition` makes the local
 * graphs; the others arrange them. */
#ifndef DTG_PASSES_H
#define DTG_PASSES_H
#include "cost.h"
#include "cut.h"
#include "pipeline.h"

void autodiff(Plan *p);
void simplify(Plan *p);
void single(Plan *p);
void refetch(Plan *p);
void propagate(Plan *p);
void contest(Plan *p);
void updates(Plan *p);
void distribute(Plan *p);
void outputs(Plan *p);
void weigh(Plan *p);
void partition(Plan *p);
void forbid(Plan *p);
void store(Plan *p);
void schedule(Plan *p);
void combine(Plan *p);
void fuse(Plan *p);
void strip(Plan *p);
void arrange(Plan *p);
void follow(Plan *p);
void overlap(Plan *p);
void memory(Plan *p);
void remat(Plan *p);

void verify_global(const Plan *p, const char *after);
void verify_local(const Plan *p, const char *after);
/* The law of bounded work, too (sites.h): from what lies in memory and, once there are some, the
 * steps. */
void verify_work(const Plan *p, const char *after);
/* And that what strips make anew at most doubles what the entry's steps take without. */
void verify_strip(const Plan *p, const char *after);
/* What --memory computes again takes no more operations than the entry does without: the law, and
 * its check. */
bool work_again_within(const Plan *p, const LocalEntry *le);
void verify_again(const Plan *p, const char *after);
/* Every value lies where it was put until its last reader. */
void verify_memory(const Plan *p, const char *after);
/* Once there are steps: every device can run them, and all meet the same exchanges. */
void verify_exchanges(const Plan *p, const LocalEntry *le, const char *after);

/* Names the pass and the node, and aborts: a bug of the compiler. */
void verify_breach(const Plan *p, const Entry *e, const Graph *g, NodeId id, const char *after,
                   const char *law);

/* What `memory` does before it gives buffers their offsets in the arena: variables' places, and for
 * an entry its buffers and from which step to which they live. */
void memory_variables(Plan *p);
void memory_lives(Plan *p, LocalEntry *le);

#endif
