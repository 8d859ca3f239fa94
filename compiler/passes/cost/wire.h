/* wire.h: how much of the exchanges of an entry its computation hides, in the model.
 *
 * What is sent by messages takes the wire one exchange after the other, in the order in which they
 * start, while the device goes on to compute; the rest of it is exposed where the device waits. By
 * memory the devices move the bytes themselves when they wait, so nothing is hidden. Messages are
 * taken to go on by themselves while devices compute, as with the runtime's progress thread. */
#ifndef DTG_WIRE_H
#define DTG_WIRE_H
#include "cost.h"

typedef struct Wire {
  double now, free; /* when the device is as far as this step; when the wire is free */
  struct {
    bool flies;
    int step; /* where it starts */
    double begin, end;
  } slot[DTRT_SLOTS + 1]; /* 0: of what is done at once */
} Wire;

/* Goes on by a step. hidden: [steps], of exchanges by messages the seconds that are hidden, as far
 * as the steps until now expose none of it. */
void wire_step(Wire *w, const Step *s, int t, const StepCost *c, double *hidden);

#endif
