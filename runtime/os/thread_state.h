/* thread_state.h: what a host may have set for its threads that would change results. With a locale
 * whose numbers have a comma strtod reads 0.3 as 0 and printf writes C that does not compile;
 * rounding upwards, as interval arithmetic has it, and taking subnormal operands for 0, which gcc's
 * -ffast-math sets for a whole program, give results other bits. So public calls (hold.h) and the
 * library's own threads run in a plain state. */
#ifndef DTG_THREAD_STATE_H
#define DTG_THREAD_STATE_H
#include <locale.h>

typedef struct ThreadState {
  locale_t locale; /* 0: it was not changed, as its numbers have a point */
  unsigned floats; /* float_mode.h */
  int rounding;    /* of <fenv.h> */
} ThreadState;

/* Gives the calling thread a locale whose numbers have a point, rounding to nearest, and subnormal
 * numbers; the state that it had. */
ThreadState thread_state_plain(void);
void thread_state_restore(ThreadState *before); /* for __attribute__((cleanup)) */

/* For the rest of the block. Clang 14 does not see that its end uses the variable. */
#define PLAIN_THREAD_HERE                                                                          \
  __attribute__((unused, cleanup(thread_state_restore))) ThreadState state_before =                \
      thread_state_plain()
#endif
