/* fit_ahead.h: the sequence of batches of the loop of fit.h, for the thread of prefetch.h: every
 * pass of every epoch, so that reading continues across their ends. The thread has its own order
 * of the rows. */
#ifndef DTG_RUNTIME_FIT_AHEAD_H
#define DTG_RUNTIME_FIT_AHEAD_H
#include "fit.h"
#include "prefetch.h"

typedef struct fit_ahead fit_ahead;
/* For f as fit_run begins. NULL when out of memory or threads. */
fit_ahead *fit_ahead_start(const fit *f);
prefetch *fit_ahead_reader(const fit_ahead *a);
void fit_ahead_stop(fit_ahead *a); /* NULL is allowed */
#endif
