/* file_jobs.c: see file_jobs.h. */
#include "file_jobs.h"
#include <stdio.h>

void work_open(Work *w) {
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->room, NULL);
  w->running = 0;
  w->failed = -1;
  w->why[0] = 0;
}

void work_close(Work *w) {
  pthread_cond_destroy(&w->room);
  pthread_mutex_destroy(&w->mutex);
}

void work_enter(Work *w) {
  pthread_mutex_lock(&w->mutex);
  while (w->running == WORK_AT_ONCE) pthread_cond_wait(&w->room, &w->mutex);
  w->running++;
  pthread_mutex_unlock(&w->mutex);
}

void work_leave(Work *w) {
  pthread_mutex_lock(&w->mutex);
  w->running--;
  pthread_cond_signal(&w->room);
  pthread_mutex_unlock(&w->mutex);
}

void work_fail(Work *w, int number, const char *why) {
  pthread_mutex_lock(&w->mutex);
  if (w->failed < 0 || number < w->failed) {
    w->failed = number;
    snprintf(w->why, sizeof w->why, "%s", why);
  }
  pthread_mutex_unlock(&w->mutex);
}
