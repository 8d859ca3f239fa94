/* What a step computes, as a loop function. */
#ifndef DTG_LOOPS_H
#define DTG_LOOPS_H
#include "loop.h"

/* Where a step stands: in an entry, and within a tile's loops or not. */
typedef struct LoopSite {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const Tiles *tile; /* NULL */
} LoopSite;

/* False: the step is a call of a kernel, or an exchange. */
bool loop_of(const LoopSite *s, const Step *step, LoopFunction *out);
/* The function that sees whether some row's value outside of the tile's band is not 0. */
void loop_of_band_check(const LoopSite *s, LoopFunction *out);
/* A product that no matrix product fits; a convolution of a group a channel, and a pool. */
void loop_of_contract(const LoopSite *s, NodeId id, LoopFunction *out);
void loop_of_pool(const LoopSite *s, NodeId id, LoopFunction *out);
void loop_of_depthwise(const LoopSite *s, NodeId id, LoopFunction *out);

/* All entries of a plan as statements, and the functions that they call. */
LoopProgram *loop_program(const Plan *p);

#endif
