/* What the files of gradients through regions share (reverse.c, reverse_sums.c). */
#ifndef DTG_REVERSE_PARTS_H
#define DTG_REVERSE_PARTS_H
#include "reverse.h"

/* A cotangent that the reverse region carries: of a value from outside, or of carry `k`. */
typedef struct ReverseSum {
  NodeId of; /* the value, or the carry */
  bool outside;
  int carry;
  bool same;     /* no run changes the value */
  bool zero;     /* nothing comes from behind the region */
  NodeId lifted; /* what of it is added up behind the reverse region; or NO_NODE */
} ReverseSum;

/* A value of the reverse region, and the stack of those of all runs. */
typedef struct ReverseRows {
  NodeId of, stack;
} ReverseRows;

/* A small part of what a loop carries, which a run reads. */
typedef struct KeptPart {
  NodeId node, whole; /* of the reverse: the part, and the copy of the carry */
  int64_t size;
} KeptPart;

typedef struct Back {
  int region;    /* the one that is gone through */
  int forward;   /* where its values are computed and kept: itself, or its copy */
  int made;      /* its reverse; NO_REGION: there is none yet */
  NodeId row;    /* of a loop: the run of `forward` whose gradient is computed */
  NodeId at;     /* ... its number in the whole loop */
  NodeId count;  /* of a loop: the run of `forward`, once something is kept; or NO_NODE */
  NodeId start;  /* from here on nodes are of the reverse */
  NodeId *found; /* by old node, from `from_node` on: its value in `forward` */
  NodeId from_node;
  NodeId *old; /* by node of the reverse, from `start` on: the old node whose value would be kept,
                  or NO_NODE */
  int nold;
  VEC(KeptPart) parts;
  VEC(ReverseSum) sums;
  VEC(ReverseRows) rows;
  /* Of a loop in segments (reverse_copy.c); `forward` and `made` are loops over one of the last
   * level. */
  int levels;
  int64_t segment[KEEP_LEVELS]; /* how many runs one of a level has */
  int around[KEEP_LEVELS];      /* the loop over those of a level */
  NodeId base;                  /* the number of a segment's first run */
  /* While a level is opened: where its runs are kept, the row for what a run begins with, and in
   * the loop over segments the row with what a segment begins with. */
  int from;
  NodeId begins, begun;
} Back;

/* reverse_nodes.c */
const Region *reverse_region_of(const Reverse *v, int r);
NodeId reverse_operate(Reverse *v, const char *sign, NodeId x, NodeId y);
NodeId reverse_whole(Reverse *v, int64_t i);
NodeId reverse_row(Reverse *v, NodeId x, NodeId at, int axis);
NodeId reverse_put_row(Reverse *v, NodeId x, NodeId at, NodeId row, int axis);
NodeId reverse_zeros(Reverse *v, DType t, const Shape *s);
int reverse_add_region(Reverse *v, const Region *like, int parent);
/* Returns its place in `carries`; its `next` is still to come. */
int reverse_add_carry(Reverse *v, int region, NodeId init);
/* ... of the reverse; in segments the loop over these carries it, too. */
int reverse_add_back(Reverse *v, const Back *k, NodeId init);
/* The first carry that a region gains; -1: none. The others follow by NewCarry.next. */
int reverse_carries(const Reverse *v, int region);
NodeId reverse_first(const Reverse *v, int k); /* before the first run */
NodeId reverse_carry(const Reverse *v, int k);
NodeId reverse_after(Reverse *v, int k); /* behind all segments */
NodeId reverse_inner_after(Reverse *v, int k);
NodeId reverse_ceiling(Reverse *v, NodeId x, int64_t by);
/* What Build.within is for nodes of a region: 1 + the innermost one that may not run, or 0. The
 * forward regions gain nodes in places of their own, not where the gradient is computed. */
int reverse_written_in(const Reverse *v, int region);
/* Counts the runs of a loop from 0. */
int reverse_count_carry(Reverse *v, int region);
NodeId reverse_count_runs(Reverse *v, int region);
/* What takes the place of x. */
NodeId reverse_instead(const Reverse *v, NodeId x);
const Carry *reverse_carry_of(const Reverse *v, NodeId node); /* of an old node */
bool reverse_counts(const Reverse *v, const Carry *c);
/* A stack that a region gains, in whose row `at` each run leaves x. Returns its carry. */
int reverse_keep_rows(Reverse *v, int region, NodeId x, NodeId at, int64_t rows);
/* Has the forward region keep the value that x of the reverse computes again, and x read that: of a
 * loop, returns the stack of its values. NO_NODE: after an error. */
NodeId reverse_keep(Reverse *v, Back *k, NodeId x);

/* reverse_copy.c */
bool reverse_is_within(const Reverse *v, int r, int outer);
/* The region in which the gradient of a region is computed: the way back from a loss in a region
 * stays in that, through the regions before it, too. */
int reverse_around(const Reverse *v, const Region *r);
bool reverse_is_zero(const Reverse *v, NodeId x);
void reverse_copy_body(Reverse *v, Back *k);
void reverse_bound(Reverse *v, int made, NodeId runs, int64_t most);
/* The loops over segments, if there are any, and the one that computes a segment again; returns the
 * runs of that. */
NodeId reverse_open_segments(Reverse *v, Back *k, NodeId runs);

/* reverse_sums.c */
bool reverse_each_its_own(const Reverse *v, int region, NodeId at);
bool reverse_collects(const Reverse *v, const Back *k, const Carry *c);
void reverse_lift_sums(Reverse *v, Back *k);
NodeId reverse_summed(Reverse *v, const ReverseSum *s);

#endif
