/* thread_state.c: see thread_state.h. */
#include "thread_state.h"
#include <fenv.h>
#include "float_mode.h"

/* The C library has the locale "C" in static memory, so that this takes none, cannot fail, and
 * leaves nothing to free. Rounding is asked for first: it is also a setting of the x87 unit, which
 * takes long to change and which strtod looks at. */
ThreadState thread_state_plain(void) {
  const ThreadState before = {uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)), float_mode(),
                              fegetround()};
  if (before.rounding != FE_TONEAREST) fesetround(FE_TONEAREST);
  float_mode_set(FLOAT_PLAIN);
  return before;
}

void thread_state_restore(ThreadState *before) {
  if (before->rounding != FE_TONEAREST) fesetround(before->rounding);
  float_mode_set(before->floats);
  uselocale(before->locale);
}
