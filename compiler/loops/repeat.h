/* Where a list of steps repeats itself: the blocks of a deep model, the turns of a loop in the
 * text. */
#ifndef DTG_REPEAT_H
#define DTG_REPEAT_H
#include "arena.h"

/* Places first .. first + period * count - 1, of which each stretch of `period` is like the first.
 */
typedef struct Repeat {
  int first, period, count;
} Repeat;
typedef VEC(Repeat) EntryRepeats; /* in order, none over another */

/* Those that save at least `least` places, (count - 1) * period, of a list of n keys; equal steps
 * have equal keys, which are from 0 to n - 1. What saves most is taken first. */
void repeat_find(Arena *a, const int *key, int n, int least, EntryRepeats *out);

#endif
