/* rank_log.h: `fit --log-ranks FILE`: one line per training step and rank, with the rank's host and
 * clock, how long its step took, how long of that it waited for data, rows a second, and its
 * metrics. One process writes: ranks keep what they measured, and rank 0 gathers it some four times
 * a second, at the end of each epoch and before each checkpoint; so the file can be read while
 * training runs, and a resumed run has each line once (step_log.h). */
#ifndef DTG_RUNTIME_RANK_LOG_H
#define DTG_RUNTIME_RANK_LOG_H
#include "step_log.h"

typedef struct rank_log {
  const char *path; /* the same on all ranks or on none; NULL: there is no such log */
  step_log file;    /* rank 0's */
  int64_t *words;   /* of the steps that have not been gathered, each with its metrics */
  int64_t n, room;
} rank_log;

fit_status rank_log_open(rank_log *l, fit *f, int64_t first); /* on all ranks; only 0 can fail */
fit_status rank_log_add(rank_log *l, fit *f);                 /* after a step of training */
/* All ranks call, after the same step: what was added is in rank 0's file. */
fit_status rank_log_gather(rank_log *l, fit *f);
void rank_log_close(rank_log *l);
#endif
