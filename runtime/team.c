/* team.c: see team.h. Workers look for a new job for some time (a training step follows the last at
 * once) and then sleep on a condition. A job is announced by raising `turn`. */
#include "team.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm.h"

void fail_alt_stack(
    bool on); /* of fail.c: signals on a thread's own stack could not tell of its overflow */

typedef struct Worker {
  Team *team;
  int device;
  pthread_t thread;
} Worker;

struct Team {
  _Atomic unsigned turn; /* number of the last job */
  _Atomic int running;   /* workers still in it */
  _Atomic int sleeping;
  bool spin;
  bool keeps; /* each worker to a core */
  int first, started;
  TeamJob *job; /* NULL: end */
  void *arg;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  Worker worker[]; /* [n]; 0 is not used */
};

enum { LOOKS = 4000, LOOKS_YIELDING = 100 };

static void wait_for_turn(Team *t, unsigned seen) {
  unsigned looks = t->spin ? LOOKS : LOOKS_YIELDING;
  for (unsigned i = 0; i < looks; i++) {
    if (atomic_load_explicit(&t->turn, memory_order_acquire) != seen) return;
    comm_pause(t->spin, i);
  }
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->sleeping, 1);
  while (atomic_load(&t->turn) == seen) pthread_cond_wait(&t->wake, &t->mutex);
  atomic_fetch_sub(&t->sleeping, 1);
  pthread_mutex_unlock(&t->mutex);
}

/* With more devices than cores, each worker keeps to one core that this process may use. Devices
 * that wait do not sleep, so a scheduler would see nothing wrong in five on one core and three on
 * the other. The host's own thread, which is the first device, goes where there is room. Several
 * processes would all choose the same cores. */
static void keep_to_core(int device) {
  cpu_set_t may, one;
  if (sched_getaffinity(0, sizeof may, &may)) return;
  int skip = device % CPU_COUNT(&may), core = 0;
  for (; core < CPU_SETSIZE; core++)
    if (CPU_ISSET(core, &may) && skip-- == 0) break;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one); /* or not: it only saves time */
}

static void *worker_main(void *arg) {
  Worker *w = arg;
  Team *t = w->team;
  fail_alt_stack(true);
  if (t->keeps) keep_to_core(w->device);
  for (unsigned seen = 0;; seen++) {
    wait_for_turn(t, seen);
    if (!t->job) break;
    t->job(t->arg, w->device);
    atomic_fetch_sub_explicit(&t->running, 1, memory_order_release);
  }
  fail_alt_stack(false);
  return NULL;
}

static void announce(Team *t, TeamJob *job, void *arg) {
  t->job = job;
  t->arg = arg;
  atomic_store_explicit(&t->running, t->started, memory_order_relaxed);
  atomic_fetch_add(&t->turn, 1);
  if (atomic_load(&t->sleeping) == 0) return; /* in one order with the sleeper's two steps */
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

void team_run(Team *t, TeamJob *job, void *arg) {
  announce(t, job, arg);
  job(arg, t->first);
  for (unsigned i = 0; atomic_load_explicit(&t->running, memory_order_acquire) > 0; i++)
    comm_pause(t->spin, i);
}

void team_close(Team *t) {
  if (!t) return;
  announce(t, NULL, NULL);
  for (int i = 1; i <= t->started; i++) pthread_join(t->worker[i].thread, NULL);
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->mutex);
  free(t);
}

/* Signals to the process belong to the host's own threads; faults of a thread come to it anyway. */
static bool start(Team *t, int n, char *why) {
  sigset_t all, old;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  int error = 0;
  for (int i = 1; i < n && !error; i++) {
    t->worker[i] = (Worker){.team = t, .device = t->first + i};
    error = pthread_create(&t->worker[i].thread, NULL, worker_main, &t->worker[i]);
    if (error) break;
    t->started = i;
    char name[32];
    snprintf(name, sizeof name, "dtrt %d", t->first + i);
    pthread_setname_np(t->worker[i].thread, name);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error)
    snprintf(why, COMM_WHY, "cannot start thread %d of %d: %s", t->started + 1, n, strerror(error));
  return !error;
}

Team *team_open(int first, int n, bool spin, bool alone, char *why) {
  Team *t = calloc(1, sizeof *t + (size_t)n * sizeof *t->worker);
  if (!t) {
    snprintf(why, COMM_WHY, "out of memory for %d devices", n);
    return NULL;
  }
  t->first = first;
  t->spin = spin;
  t->keeps = alone && !spin;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->wake, NULL);
  if (start(t, n, why)) return t;
  team_close(t);
  return NULL;
}
