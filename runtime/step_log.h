/* step_log.h: `fit --log-steps FILE.csv`: a line a training step, `step,epoch` and the step's
 * metrics; steps count from 1 over all epochs. Lines are added as steps end, and are on disk after
 * each epoch. */
#ifndef DTG_RUNTIME_STEP_LOG_H
#define DTG_RUNTIME_STEP_LOG_H
#include <stdio.h>
#include "fit.h"

typedef struct step_log {
  const char *path; /* NULL: no such log, and nothing is done */
  FILE *file;
} step_log;

/* A training that goes on with step `first` keeps the lines before it when the file is its log;
 * else the file begins anew. A failure is told in f->why. */
fit_status step_log_open(step_log *l, fit *f, int64_t first);
fit_status step_log_add(step_log *l, fit *f);
fit_status step_log_flush(step_log *l, fit *f);
void step_log_close(step_log *l);
#endif
