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
  struct LoopNumbers *numbers; /* of the functions before it (loop_numbers.c); NULL: all stay */
} LoopSite;

/* False: the step is a call of a kernel, or an exchange. */
bool loop_of(const LoopSite *s, const Step *step, LoopFunction *out);

/* All entries of a plan as statements, and the functions that they call. */
LoopProgram *loop_program(const Plan *p);
/* The same, verified as it is built: functions that equal an earlier one are left without
 * statements and expressions, which would be most of the memory of a deep model's. */
LoopProgram *loop_program_once(const Plan *p);

#endif
