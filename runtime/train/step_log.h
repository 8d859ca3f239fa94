/* step_log.h: `fit --log-steps FILE`: one line per training step, `step,epoch` and the step's
 * metrics; steps count from 1 over all epochs. A file whose name ends in .jsonl has JSON lines, any
 * other CSV. Invariant: lines stay in memory until they are written, so that a full disk loses
 * none, and a checkpoint is put in place only after the lines up to its step are on disk, so that a
 * resumed run has each line once. The file of rank_log.h is one, too. */
#ifndef DTG_RUNTIME_STEP_LOG_H
#define DTG_RUNTIME_STEP_LOG_H
#include <stddef.h>
#include "fit.h"

typedef struct step_log {
  const char *path; /* NULL: no such log, and nothing is done */
  int fd;           /* -1: not open */
  bool json;        /* by the name's suffix */
  char *text;       /* lines that are not written yet */
  size_t n, room;
} step_log;

/* A training that goes on with step `first` keeps the lines before it when the file is its log;
 * else the file starts over. A failure is reported in f->why. */
fit_status step_log_open(step_log *l, fit *f, int64_t first);
/* The same with other columns after `step`: the header of a CSV file, without metrics. */
fit_status step_log_open_as(step_log *l, fit *f, const char *columns, int64_t first);
fit_status step_log_add(step_log *l, fit *f);
/* The parts of a line: numbers and texts in the order of the columns, then the metrics, then the
 * end. `step` begins a line. A number that is not finite is null in JSON. False: out of memory. */
bool step_log_int(step_log *l, const char *name, int64_t v);
bool step_log_real(step_log *l, const char *name, double v);
bool step_log_number(step_log *l, const char *name, const char *digits);
bool step_log_text(step_log *l, const char *name, const char *v);
bool step_log_end(step_log *l);
int step_log_write(step_log *l); /* writes all lines; errno, or 0 when none is left */
bool log_is_json(const char *path);
/* Writes all lines, and waits for the disk. False with why: what is left is written next time. */
bool step_log_sync(step_log *l, char *why, size_t whysize);
void step_log_close(step_log *l);
#endif
