/* progress_thread.c: the progress thread of a process: takes messages in flight further while its
 * devices compute, so that long steps hide them. MPI moves bytes only while somebody is in it.
 *
 * It polls again at once while something goes on, else after a short sleep: the network has buffers
 * for as long, and a core that it shares with a device is left to that. It sleeps on a condition
 * while nothing is in flight. What it combines, it combines alone. */
#include "progress_thread.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include "device.h"
#include "thread.h"

enum {
  PAUSE_NS = 50000, /* between two polls in vain */
  SLACK_NS = 1000   /* by which the system may make it longer */
};

struct ProgressThread {
  Device *device; /* [n] */
  int n;
  ProgressTurn *turn;
  unsigned forks; /* of the process when it was started */
  _Atomic int sleeping;
  _Atomic bool ends;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

static bool is_busy(const ProgressThread *t) {
  for (int i = 0; i < t->n; i++)
    if (atomic_load(&t->device[i].under_way) && !device_stopped(&t->device[i])) return true;
  return false;
}

static void sleep_until_busy(ProgressThread *t) {
  pthread_mutex_lock(&t->mutex);
  atomic_store(&t->sleeping, 1);
  while (!atomic_load(&t->ends) && !is_busy(t)) pthread_cond_wait(&t->wake, &t->mutex);
  atomic_store(&t->sleeping, 0);
  pthread_mutex_unlock(&t->mutex);
}

static void *thread_main(void *arg) {
  ProgressThread *t = arg;
  fail_alt_stack(true);
  prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0);
  while (!atomic_load(&t->ends)) {
    bool moved = false;
    for (int i = 0; i < t->n; i++)
      if (atomic_load(&t->device[i].under_way)) moved = t->turn(&t->device[i]) || moved;
    if (moved) continue;
    if (is_busy(t))
      nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    else
      sleep_until_busy(t);
  }
  fail_alt_stack(false);
  return NULL;
}

void progress_thread_wake(ProgressThread *t) {
  if (!t || !atomic_load(&t->sleeping)) return; /* in one order with the sleeper's two steps */
  pthread_mutex_lock(&t->mutex);
  pthread_cond_signal(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

ProgressThread *progress_thread_open(Device *devices, int n, ProgressTurn *turn, char *why) {
  ProgressThread *t = calloc(1, sizeof *t);
  if (!t) return snprintf(why, COMM_WHY, "out of memory for the progress thread"), NULL;
  t->device = devices, t->n = n, t->turn = turn, t->forks = thread_forks();
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->wake, NULL);
  const int error = thread_start(&t->thread, thread_main, t, "dtrt progress");
  if (!error) return t;
  snprintf(why, COMM_WHY, "cannot start the progress thread: %s", strerror(error));
  free(t);
  return NULL;
}

void progress_thread_close(ProgressThread *t) {
  if (!t) return;
  if (t->forks == thread_forks()) {
    atomic_store(&t->ends, true);
    pthread_mutex_lock(&t->mutex);
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
  }
  free(t);
}
