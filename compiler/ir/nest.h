/* A step as a nest of loops: what each of its values is at one point, over the values in memory.
 * Values that no loop stores are expressions in the loops that use them. Made from OpDef.lower, as
 * the emitted C is. Law (nest_verify): an index into memory that is made of loop indices alone,
 * with no condition around it, lies in the block. */
#ifndef DTG_NEST_H
#define DTG_NEST_H
#include "expr.h"
#include "plan.h"

typedef struct NestLoop {
  const char *index;
  Expr extent;
} NestLoop;

typedef struct NestStore {
  NodeId node; /* a reduction: of `value` over the loops that its index has not */
  int nindex;
  Expr index[MAX_RANK], value;
} NestStore;

typedef struct Nest {
  Exprs *x;
  int nloops;
  NestLoop loop[MAX_RANK];
  VEC(NestStore) stores;
} Nest;

/* Of a map or reduction; other steps are kernels and exchanges, and have no nest. */
bool nest_of(Arena *a, const Plan *p, const LocalEntry *le, const Step *s, Nest *out);
/* The store whose index leaves its block, as text; NULL: none. */
const char *nest_verify(Arena *a, const Plan *p, const LocalEntry *le, const Nest *n);

#endif
