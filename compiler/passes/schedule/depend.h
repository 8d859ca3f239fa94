/* Producers and uses by step: the dependences that passes over steps share. A pass computes it when
 * it starts; passes that move or merge steps keep it up to date. */
#ifndef DTG_DEPEND_H
#define DTG_DEPEND_H
#include "plan.h"

typedef VEC(int) IntVec;

typedef struct Depend {
  Arena *arena;
  const LocalEntry *le;
  Reads *reads;    /* by step */
  int *made_by;    /* by node: the first step that makes it, or -1 */
  IntVec *readers; /* by node: the steps that read it, in order */
  bool *at_end;    /* by node: an output, or the new value of a variable */
  int *variable;   /* by node: the first variable that it is the new value of, or -1 */
  IntVec *old;     /* by variable: the nodes that are its old value */
} Depend;

Depend depend_of(Arena *a, const LocalEntry *le);
bool reads_node(const Reads *r, NodeId id);
/* It may come to write a window alone of what lies in memory, or nothing, in no loop with others.
 */
bool step_updates(const Graph *g, const Step *s);
/* Somebody from step `from` on and before step `to` reads the variable's old value; one that a step
 * gives a new value, which then could not be put in its place there. */
bool depend_old_read(const Depend *d, int var, int from, int to);
bool depend_update_waits(const Depend *d, const Step *s, int from, int to);

#endif
