/* hold.h: an object that one thread at a time may use reports a second one, instead of
 * giving wrong values: each public call holds it from beginning to end. The thread that holds it
 * may call again (from callbacks); between calls any thread may be the next. While it holds, it has
 * a plain state (thread_state.h). */
#ifndef DTG_HOLD_H
#define DTG_HOLD_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "thread_state.h"

/* Begins zeroed. */
typedef struct Hold {
  _Atomic uintptr_t owner; /* the thread, 0: none */
  int depth;               /* the owner's alone */
  ThreadState before;      /* of the owner */
} Hold;

/* h, or NULL when another thread holds it; hold_refused(h) is then true in this thread, until it
 * holds h. */
Hold *hold_take(Hold *h);
void hold_give(Hold **h); /* *h may be NULL; for __attribute__((cleanup)) */
bool hold_refused(const Hold *h);

/* Holds for the rest of the block, or returns `busy` from the function. */
#define HOLD_OR_RETURN(h, busy)                                                                    \
  __attribute__((cleanup(hold_give))) Hold *held_here = hold_take(h);                              \
  if (!held_here) return busy
#endif
