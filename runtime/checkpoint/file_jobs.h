/* file_jobs.h: runs the devices of one process on files: a limited number at a time, since each
 * holds a file open; the first failure in order is kept. */
#ifndef DTG_RUNTIME_FILE_JOBS_H
#define DTG_RUNTIME_FILE_JOBS_H
#include <pthread.h>
#include <stdbool.h>

enum { FILE_JOBS_AT_ONCE = 32, FILE_JOBS_WHY = 1024 };

typedef struct FileJobs {
  pthread_mutex_t mutex;
  pthread_cond_t room;
  int running;
  int failed; /* number of the one whose failure is told; -1: none failed */
  char why[FILE_JOBS_WHY];
} FileJobs;

void file_jobs_open(FileJobs *w);
void file_jobs_close(FileJobs *w); /* why stays */
void file_jobs_enter(FileJobs *w);
void file_jobs_leave(FileJobs *w);
void file_jobs_fail(FileJobs *w, int number, const char *why);
static inline bool file_jobs_failed(const FileJobs *w) { return w->failed >= 0; }
#endif
