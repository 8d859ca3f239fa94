/* Gradients through regions (ir/graph.h), for autodiff.c. */
#ifndef DTG_REVERSE_H
#define DTG_REVERSE_H
#include "opdefs.h"
#include "plan.h"

/* A carry that a region gains; regions that the entry does not have come behind its own. */
typedef struct NewCarry {
  int region;
  Carry carry;
  int around; /* of a loop over one segment: its carry in the loop over all of them; else -1 */
  int next;   /* of the same region, in order; -1: none */
} NewCarry;

/* Of a loop of the entry: what is kept of its runs. */
typedef struct KeptRuns {
  int region;
  int64_t segment[KEEP_LEVELS];
} KeptRuns;

/* Everything by node is by the nodes that are there before the gradient, up to the loss. */
typedef struct Reverse {
  Arena *arena;
  Diag *diag;
  const Entry *entry;
  LoopsKeep keep;
  Build *b;
  NodeId loss;
  const bool *dep;     /* a gradient goes through it */
  NodeId *cot;         /* its cotangent so far */
  int *region;         /* which it belongs to */
  NodeId *value;       /* it, where the gradient is computed now */
  int *made_for;       /* by region: where its values are now */
  /* By region: its first node, or that of one within, the first one behind all that is in it, and
   * the last of its results; the last region that is within. */
  NodeId *first_in, *first_after, *last_after;
  int *last_within;
  int64_t numbers;     /* of the carries that it adds, from there on */
  VEC(Region) made;
  VEC(NewCarry) carries;
  VEC(int) first_carry; /* by region: 1 + its first of those; 0: none; and its last */
  VEC(int) last_carry;
  VEC(KeptRuns) kept;
  /* Of an entry without regions: the nodes that the loss is computed from, rising; NULL: of others.
   */
  const NodeVec *from;
  NodeVec instead; /* by new node: what takes its place; NO_NODE: nothing does */
} Reverse;

/* Whether all of a region comes before the loss, which is outside of it. */
bool reverse_closed(const Reverse *v, int region);
/* Whether a node is what a branch that the loss is in begins with: no run comes before, so it is its
 * operand. */
bool reverse_begins_branch(const Reverse *v, NodeId carry);
void reverse_init(Reverse *v);
/* Cotangents from the loss, whose own is there, back to all that it depends on. */
void reverse_all(Reverse *v);
/* Puts the nodes in an order in which a region's come before what reads its results; map, of n old
 * nodes, follows, and the entry has the new graph and regions. */
void reverse_finish(Reverse *v, Entry *e, NodeId *map, int n);

#endif
