/* Shared by emit_reduce.c (any order), emit_sum.c (the fixed order of float sums) and
 * emit_lanes.c (the innermost line of a reduction of floats). */
#ifndef DTG_EMIT_REDUCE_H
#define DTG_EMIT_REDUCE_H
#include "emit_loop.h"
#include "sum_order.h"

typedef struct Nest {
  Index in, out;        /* of the operand, of the result */
  bool gone[MAX_RANK];  /* by dim of the operand: it is reduced */
  int first_gone, last; /* dims with loops; first_gone: the operand's rank if there is none */
} Nest;
Nest reduction_nest(Loop *l, const Node *n, uint32_t dims);
bool nest_has_loop(const Nest *t, int d);

const char *reduction_identity(Emit *e, const Node *n);
/* acc op v */
const char *reduction_combined(Emit *e, const Node *n, const char *acc, const char *v);
void reduction_store(Loop *l, NodeId id, const Index *at, const char *v);
/* Counts what the operand's expression asks for at `at`, so that writing it computes shared parts
 * once. */
void reduction_count(Loop *l, const Node *n, const Index *at);

/* What computes a value, as lines to be put in one or more places, `indent` deeper than here; then
 * `value` is the expression. The same lines one level deeper. */
const char *loop_body(Loop *l, NodeId id, const Index *at, int indent, const char **value);
const char *text_deeper(Arena *a, const char *body);

/* A line in lanes of at most `most` elements: LANE stands in `at` for the index along it. `acc`
 * and, for sums of more than a block, `partial` and `block` are declared by lanes_begin. */
extern const char LANE[];
bool lanes_fit(const Node *n, int64_t most);
void lanes_begin(Loop *l, const Node *n, int64_t most, const char *from);
void lanes_line(Loop *l, const Node *n, int64_t most, const Index *at, const char *from,
                const char *len);
/* Takes the elements outside of [from, len) of a banded row, all of which are equal. */
void lanes_of_dead(Loop *l, const Node *n, const Index *at, const char *from, const char *len);
/* A line of several dims, whose loops over dims [first, last] are opened and closed in here: it
 * goes through a buffer of one block. */
void lanes_buffered(Loop *l, const Node *n, int64_t most, const Nest *t, int first);
/* A sum of all elements, in tiles of rows: a line goes on from one tile to the next (sum_goes_on).
 * Between them, `partial` keeps what it needs. */
void lanes_on(Loop *l, NodeId id, int64_t most, const Nest *t);
/* The expression for the result of the line. */
const char *lanes_end(Loop *l, const Node *n);

void emit_sum(Loop *l, NodeId id, const SumOrder *o);
#endif
