/* comm_threads.c: the devices are threads of this process.
 *
 * The caller's thread is device 0, so that as many threads run as there are devices. The others are
 * started once and wait between jobs: they look for a new one for some time (a training step
 * follows the last at once) and then sleep on a condition. A job is announced by raising `turn`. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm.h"

void fail_alt_stack(
    bool on); /* of fail.c: signals on a thread's own stack could not tell of its overflow */

typedef struct Threads Threads;

typedef struct Worker {
  Threads *team;
  int device;
  pthread_t thread;
} Worker;

struct Threads {
  Comm comm; /* first */
  _Atomic int failed;
  _Atomic unsigned turn; /* number of the last job */
  _Atomic int running;   /* workers still in it */
  _Atomic int sleeping;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  CommJob *job; /* NULL: end */
  void *arg;
  int started;
  Worker *worker; /* [count]; 0 is not used */
  Slot *slots;    /* [count] */
};

static int threads_segment(Comm *c, int which, int64_t bytes, char *why) {
  for (int i = 0; i < c->count; i++) {
    comm_unmap(c->segment[which][i], c->segment_bytes[which]);
    c->segment[which][i] = NULL;
  }
  c->segment_bytes[which] = bytes;
  for (int i = 0; i < c->count; i++) {
    c->segment[which][i] = comm_map(bytes);
    if (c->segment[which][i]) continue;
    snprintf(why, COMM_WHY, "out of memory: %lld bytes for each of %d devices", (long long)bytes,
             c->count);
    return -1;
  }
  return 0;
}

enum { LOOKS = 4000, LOOKS_YIELDING = 100 };

static void wait_for_turn(Threads *t, unsigned seen) {
  unsigned looks = t->comm.spin ? LOOKS : LOOKS_YIELDING;
  for (unsigned i = 0; i < looks; i++) {
    if (atomic_load_explicit(&t->turn, memory_order_acquire) != seen) return;
    comm_pause(t->comm.spin, i);
  }
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->sleeping, 1);
  while (atomic_load(&t->turn) == seen) pthread_cond_wait(&t->wake, &t->mutex);
  atomic_fetch_sub(&t->sleeping, 1);
  pthread_mutex_unlock(&t->mutex);
}

static void *worker_main(void *arg) {
  Worker *w = arg;
  Threads *t = w->team;
  fail_alt_stack(true);
  for (unsigned seen = 0;; seen++) {
    wait_for_turn(t, seen);
    if (!t->job) break;
    t->job(t->arg, w->device);
    atomic_fetch_sub_explicit(&t->running, 1, memory_order_release);
  }
  fail_alt_stack(false);
  return NULL;
}

static void announce(Threads *t, CommJob *job, void *arg) {
  t->job = job;
  t->arg = arg;
  atomic_store_explicit(&t->running, t->started, memory_order_relaxed);
  atomic_fetch_add(&t->turn, 1);
  if (atomic_load(&t->sleeping) == 0) return; /* in one order with the sleeper's two steps */
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

static void threads_run(Comm *c, CommJob *job, void *arg) {
  Threads *t = (Threads *)(void *)c;
  announce(t, job, arg);
  job(arg, c->first);
  for (unsigned i = 0; atomic_load_explicit(&t->running, memory_order_acquire) > 0; i++)
    comm_pause(c->spin, i);
}

static void threads_close(Comm *c) {
  Threads *t = (Threads *)(void *)c;
  announce(t, NULL, NULL);
  for (int i = 1; i <= t->started; i++) pthread_join(t->worker[i].thread, NULL);
  for (int s = 0; s < NSEGMENTS; s++) {
    for (int i = 0; c->segment[s] && i < c->count; i++)
      comm_unmap(c->segment[s][i], c->segment_bytes[s]);
    free(c->segment[s]);
  }
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->mutex);
  free(c->slot);
  free(t->slots);
  free(t->worker);
  free(t);
}

/* Signals to the process belong to the host's own threads; faults of a thread come to it anyway. */
static bool start(Threads *t, char *why) {
  sigset_t all, old;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  int error = 0;
  for (int i = 1; i < t->comm.count && !error; i++) {
    t->worker[i] = (Worker){.team = t, .device = i};
    error = pthread_create(&t->worker[i].thread, NULL, worker_main, &t->worker[i]);
    if (error) break;
    t->started = i;
    char name[16];
    snprintf(name, sizeof name, "dtrt %d", i);
    pthread_setname_np(t->worker[i].thread, name);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error)
    snprintf(why, COMM_WHY, "cannot start thread %d of %d: %s", t->started + 1, t->comm.count,
             strerror(error));
  return !error;
}

Comm *comm_open_threads(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {
      .name = "threads", .segment = threads_segment, .run = threads_run, .close = threads_close};
  Threads *t = calloc(1, sizeof *t);
  size_t n = (size_t)o->ndevices;
  snprintf(why, COMM_WHY, "out of memory for %d devices", o->ndevices);
  if (!t) return NULL;
  t->comm = (Comm){.verbs = &verbs,
                   .ndevices = o->ndevices,
                   .count = o->ndevices,
                   .nranks = 1,
                   .spin = comm_cores() >= o->ndevices,
                   .all_direct = true,
                   .failed = &t->failed};
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->wake, NULL);
  t->slots = aligned_alloc(_Alignof(Slot), n * sizeof(Slot));
  t->worker = calloc(n, sizeof *t->worker);
  t->comm.slot = calloc(n, sizeof *t->comm.slot);
  bool fine = t->slots && t->worker && t->comm.slot;
  for (int i = 0; i < NSEGMENTS; i++) {
    t->comm.segment[i] = calloc(n, sizeof(char *));
    fine = fine && t->comm.segment[i];
  }
  if (fine) {
    memset(t->slots, 0, n * sizeof(Slot));
    for (size_t i = 0; i < n; i++) t->comm.slot[i] = &t->slots[i];
    fine = start(t, why);
  }
  if (fine) return &t->comm;
  threads_close(&t->comm);
  return NULL;
}
