/* Reductions: loop_reduce.c (any order), sum.c (the fixed order of float sums) and lanes.c (the
 * innermost line of a reduction of floats). */
#ifndef DTG_REDUCE_H
#define DTG_REDUCE_H
#include "loop_build.h"

enum { LANES = 32 }; /* of a line that is summed in lanes: DTRT_LANES */

typedef struct ReduceNest {
  Loop *l;
  NodeId id;
  const Node *n, *x;
  At in, out;           /* of the operand, of the result; `in` of a flat loop is flat */
  bool gone[MAX_RANK];  /* by dim of the operand: it is reduced */
  int first_gone, last; /* dims with loops; first_gone: the operand's rank if there is none */
  bool storing;         /* lanes store what the loop's step is, element by element, ... */
  bool stores;          /* ... and have done so */
  bool whole_turns;     /* lines end where the lanes do */
  const char *word;     /* of the helpers in dtrt_math.h: "sum", "max" */
  const char *type;
} ReduceNest;

Expr reduction_identity(ReduceNest *r);
Expr loop_reduced_none(Loop *l, const Node *n); /* what a reduction makes of nothing */
Expr reduction_joined(ReduceNest *r, Expr acc, Expr v);
Expr reduction_result(ReduceNest *r); /* its place */
/* "dtrt_carry_lanes_sum_f32" */
const char *reduction_helper(ReduceNest *r, const char *what);
/* Opens loops over dims [from, to) that are reduced, or that are not; how many. */
int reduction_open(ReduceNest *r, int from, int to, bool gone, LoopHow how);
int reduction_open_row(ReduceNest *r, int from); /* of kept dims, the innermost without others */
/* Neighbours among the dims from `from` on that are all reduced, or all kept, become one loop where
 * they lie side by side: rows of few elements are long ones then. */
void reduction_join(ReduceNest *r, int from);
bool reduction_widens(ReduceNest *r); /* to integers of a longer type than is loaded */
int64_t reduction_most(const ReduceNest *r, int d); /* turns of the loop over dim d, at most */
Expr reduction_line(ReduceNest *r); /* elements of a line of the innermost dim, or of all */
/* Rows of few elements, whose number is known and fills no vectors, all of whose results registers
 * hold: of the dims from `first` on the last is kept and has a loop, the others are reduced. */
bool reduction_few_columns(ReduceNest *r, int first);
void reduction_in_registers(ReduceNest *r, int first);
/* The accumulator of reduced dims from `first` on, one element after the other. */
Expr reduction_in_sequence(ReduceNest *r, int first);
/* An element takes so little to compute that its code may be there twice. */
bool reduction_is_cheap(ReduceNest *r, Expr v);
/* How many rows, turns of the loop over dim `last`, go to a result at a time; v: the operand's
 * value. Dims from first_row on are that loop. */
int reduction_together(ReduceNest *r, int first_row, int last, Expr v);
/* If the node is added up tile by tile: what follows is for the first of them. 1 block, or 0. */
int reduction_if_first(ReduceNest *r);

/* A line in lanes of at most `most` elements. lanes_begin makes the accumulator and, for sums of
 * more than a block, what is kept of blocks. */
bool lanes_fit(const Node *n, int64_t most);
/* The index along a line of `most` elements in lanes. */
Expr lanes_index(Loop *l, int64_t most);
/* All elements become one loop, or none if there is one element: a line of at most `line`. Whether it
 * is in lanes. */
bool lanes_flat(ReduceNest *r, int64_t line);
void lanes_begin(ReduceNest *r, int64_t most, Expr from);
void lanes_line(ReduceNest *r, int64_t most, Expr from, Expr len);
/* The columns of a banded row that are in the band, and then the others, all of which are equal. */
void lanes_band(ReduceNest *r, int64_t most);
/* A line of several dims, over the loops from dim `first` on: it goes through a buffer of one
 * block. */
void lanes_buffered(ReduceNest *r, int64_t most, int first);
/* A sum of all elements, in tiles of rows: a line, or a `unit` of it if that is not 0, goes on from
 * one tile to the next (sum_goes_on). Between them, `partial` keeps what it needs. */
void lanes_on(ReduceNest *r, int64_t most, int64_t unit);
/* A line of all elements, in units of `size` that cores may have some of each (sum_line_unit). */
void lanes_units(ReduceNest *r, int64_t line, int64_t size);
enum { LANES_BLOCK = 32 * SUM_BLOCK }; /* elements */
/* The lanes of block number `block` are done; all `blocks` are. */
void lanes_carry(ReduceNest *r, Expr block);
void lanes_fold(ReduceNest *r, Expr blocks);
Expr lanes_end(ReduceNest *r); /* the result of the line */
/* Sets `found` to the place of the best of the line, and `best` to that. */
void lanes_find(ReduceNest *r, Expr found, Expr best);
bool lanes_can_find(ReduceNest *r);

void build_sum(ReduceNest *r, const SumOrder *o);
/* All loops of a reduction. With `made`, each element stores what that map stores; if this is not
 * how the reduction goes over them, *stores is false. */
Loop *reduce_nest(const LoopSite *s, NodeId id, const Step *made, bool *stores);

#endif
