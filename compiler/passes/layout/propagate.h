/* propagate.h: what the files of propagation share: tensors, and what ties them to each other. */
#ifndef DTG_PROPAGATE_H
#define DTG_PROPAGATE_H
#include "shared_rules.h"

enum { MAX_HELD = 2 };

typedef struct Cell {
  Shape shape;
  DimLayout *dim;                /* [rank] */
  VEC(int) ties;                 /* it is in */
  uint32_t closed;               /* dims */
  uint32_t used;                 /* axes */
  const Contest *held[MAX_HELD]; /* what is decided of it */
  double bytes;
  const char *name;
  const Spec *spec;
  TensorId id;
  Inferred why;
} Cell;

typedef struct Tie { /* an op, or an equality of two cells (an assignment, an output) */
  int entry;
  NodeId node; /* NO_NODE for an equality */
  int rank;    /* sweeps in which it takes part: 0 renames, 1 others, 2 broadcasts */
  const SharedRule *shared;
  const Rule *rule; /* shared->rule */
  int ncells;
  Cell **cell; /* operands, then the result; NULL: takes no part */
} Tie;

/* What sweeps change of a cell. */
typedef struct CellState {
  DimLayout *dim;
  uint32_t closed, used;
  Inferred why;
} CellState;

typedef struct Propagate {
  Plan *plan;
  const Mesh *mesh;
  Cell *var;
  Cell ***node;  /* [entry][node] */
  Cell **output; /* flat over entries */
  VEC(Tie) ties;
  uint64_t *dirty; /* set of ties with a tensor changed since their last visit */
  SharedRules rules;
  const Layout *whole[MAX_RANK + 1]; /* by rank */
  VEC(Cell *) cells;                 /* all */
  CellState *before; /* by cell: before `updates` added anything; NULL: it has not yet */
} Propagate;

/* -------- ties.c -------- */

/* All tensors with what is said of them, and all ties. Variables that `as` has, too, have its
 * layouts. */
void ties_set_up(Propagate *p, const Plan *as);

/* -------- sweeps.c -------- */

/* Until nothing changes any more. */
void sweeps_all(Propagate *p);
/* Relayouts pass their layouts back to operands that have none. True if one did. */
bool sweeps_reach_back(Propagate *p);

#endif
