/* file_jobs.c: see file_jobs.h. */
#include "file_jobs.h"
#include <stdio.h>

void file_jobs_open(FileJobs *w) {
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->room, NULL);
  w->running = 0;
  w->failed = -1;
  w->why[0] = 0;
}

void file_jobs_close(FileJobs *w) {
  pthread_cond_destroy(&w->room);
  pthread_mutex_destroy(&w->mutex);
}

void file_jobs_enter(FileJobs *w) {
  pthread_mutex_lock(&w->mutex);
  while (w->running == FILE_JOBS_AT_ONCE) pthread_cond_wait(&w->room, &w->mutex);
  w->running++;
  pthread_mutex_unlock(&w->mutex);
}

void file_jobs_leave(FileJobs *w) {
  pthread_mutex_lock(&w->mutex);
  w->running--;
  pthread_cond_signal(&w->room);
  pthread_mutex_unlock(&w->mutex);
}

void file_jobs_fail(FileJobs *w, int number, const char *why) {
  pthread_mutex_lock(&w->mutex);
  if (w->failed < 0 || number < w->failed) {
    w->failed = number;
    snprintf(w->why, sizeof w->why, "%s", why);
  }
  pthread_mutex_unlock(&w->mutex);
}
