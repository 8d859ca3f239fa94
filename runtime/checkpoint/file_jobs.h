/* file_jobs.h: devices of one process at work on files: some at a time, for each holds a file open, and
 * the failure of the first in order is kept. */
#ifndef DTG_RUNTIME_FILE_JOBS_H
#define DTG_RUNTIME_FILE_JOBS_H
#include <pthread.h>
#include <stdbool.h>

enum { WORK_AT_ONCE = 32, WORK_WHY = 1024 };

typedef struct Work {
  pthread_mutex_t mutex;
  pthread_cond_t room;
  int running;
  int failed; /* number of the one whose failure is told; -1: none failed */
  char why[WORK_WHY];
} Work;

void work_open(Work *w);
void work_close(Work *w); /* why stays */
void work_enter(Work *w);
void work_leave(Work *w);
void work_fail(Work *w, int number, const char *why);
static inline bool work_failed(const Work *w) { return w->failed >= 0; }
#endif
