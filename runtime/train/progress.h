/* progress.h: the progress line of an epoch, redrawn on a terminal only. */
#ifndef DTG_RUNTIME_PROGRESS_H
#define DTG_RUNTIME_PROGRESS_H
#include <stdbool.h>
#include "dtrt.h"

typedef struct progress {
  bool on;     /* stderr is a terminal that can do it */
  bool shown;  /* there is a line to clear */
  int to;      /* a socket that takes a line of text each time; -1: none */
  double last; /* when it was drawn, seconds */
} progress;

double progress_now(void); /* seconds of a clock that only goes forward */
void progress_start(progress *p, bool wanted, int to);
/* At most ten times a second: "head [====>   ] 14/39  metrics  112 steps/s  0:03 left". `seconds`
 * are those of the steps from `begun` to `done`. */
void progress_step(progress *p, const char *head, int64_t begun, int64_t done, int64_t all,
                   double seconds, const char *metrics);
bool progress_due(const progress *p); /* whether progress_step would draw */
void progress_clear(progress *p);
#endif
