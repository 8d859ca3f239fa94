/* step_log.h: `fit --log-steps FILE.csv`: one line per training step, `step,epoch` and the step's
 * metrics; steps count from 1 over all epochs. Invariant: lines stay in memory until they are
 * written, so that a full disk loses none, and a checkpoint is put in place only after the lines
 * up to its step are on disk, so that a resumed run has each line once. */
#ifndef DTG_RUNTIME_STEP_LOG_H
#define DTG_RUNTIME_STEP_LOG_H
#include <stddef.h>
#include "fit.h"

typedef struct step_log {
  const char *path; /* NULL: no such log, and nothing is done */
  int fd;           /* -1: not open */
  char *text;       /* lines that are not written yet */
  size_t n, room;
} step_log;

/* A training that goes on with step `first` keeps the lines before it when the file is its log;
 * else the file starts over. A failure is reported in f->why. */
fit_status step_log_open(step_log *l, fit *f, int64_t first);
fit_status step_log_add(step_log *l, fit *f);
/* Writes all lines, and waits for the disk. False with why: what is left is written next time. */
bool step_log_sync(step_log *l, char *why, size_t whysize);
void step_log_close(step_log *l);
#endif
