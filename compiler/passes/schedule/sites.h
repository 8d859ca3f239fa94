/* Sites: where values are computed. A value that has no memory is computed inside the loops that
 * use it, once for each index at which they use it: `v + roll(v, 1)` computes v at two sites. A
 * site is a loop, the conditions around the expression (the parts of a concat, the inside of a
 * pad), and the index; equal sites are one computation, whose result has a name in the C.
 *
 * Invariant, bounded work: what a program executes, and the C that it is written as, are at most
 * WORK_MOST times what they would be if every value were stored once. Counted are
 *   executed  for each site and element: the op's own operations, one for each operand that is
 *             read from memory, and one for each element stored
 *   code      the same for each site, an op being one
 * of maps and reductions; products, sorts and exchanges work on stored values alone. `inline` keeps
 * the law, verify_work.c checks it from what the passes leave. */
#ifndef DTG_SITES_H
#define DTG_SITES_H
#include "expr.h"
#include "schedule_passes.h"

typedef struct Site {
  NodeId loop;  /* names the loop */
  Expr guard;   /* the conditions; NO_EXPR: none */
  int depth;    /* how many there are */
  Expr index;   /* the dims of one, as arguments */
  double turns; /* how often a device computes it there, the one with the largest blocks */
} Site;

/* The site at which a value is required for another to be computed at a site. */
typedef struct SiteUse {
  NodeId node;
  bool loaded; /* from memory, whatever else is so, at an index that is computed too */
  Site at;
} SiteUse;
typedef struct SiteUses {
  VEC(SiteUse) use;
  int depth; /* of the site itself */
} SiteUses;

typedef struct Work {
  double executed, code;
} Work;

typedef struct Sites Sites;
Sites *sites_new(Arena *a, const Mesh *m, const Graph *g);
/* Nothing is known of any site any more; from now on they are in what `a` has to give. */
void sites_forget(Sites *s, Arena *a);
/* What the loop that makes node id goes over: the operand that it reduces or scatters, or itself. */
NodeId sites_over(const Graph *g, NodeId id);
/* In the loop's body, at the index of the loop itself, which goes over the elements of `over`. */
Site sites_body(Sites *s, NodeId loop, NodeId over);
void sites_uses(Sites *s, NodeId id, const Site *at, SiteUses *out); /* in place of what it has */
/* How many parts a value is read from there, as that of a concat, by conditions on the index;
 * *mixed: on what several indices of the loop or quotients of them are. */
int sites_parts(Sites *s, NodeId id, const Site *at, bool *mixed);
/* Whether index d of the node there is that of the loop's last dim, and how long that is. */
bool sites_innermost(const Sites *s, NodeId id, const Site *at, int d);
int64_t sites_line(const Sites *s, const Site *at);
/* True on the first call for this node and site. */
bool sites_first(Sites *s, NodeId id, const Site *at);
double sites_count(Sites *s, NodeId id);         /* elements of a device's block */
double sites_own(const Node *n);                 /* operations an element */
void sites_once(Sites *s, NodeId id, Work *sum); /* as if every value were stored */
/* At a site, or what storing its result takes; `stored`: by node. */
void sites_add(Sites *s, const bool *stored, NodeId id, const Site *at, Work *sum);
void sites_add_store(Sites *s, NodeId id, Work *sum);
bool work_within(const Work *work, const Work *once); /* bounded work */
/* verify_work.c: of a plan as it is, and *once; *where: the node with most sites. What breaks the
 * law beyond doubt is not counted to its end. */
Work work_count(const Plan *p, const LocalEntry *le, Work *once, NodeId *where);

#endif
