/* team.c: see team.h. Workers look for a new job for some time (a training step follows the last at
 * once) and then sleep, as the caller does until all have done theirs. */
#include "team.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "fiber.h"
#include "raised.h"
#include "thread.h"

typedef struct Worker Worker;

/* A device's place on its worker. The first of a worker runs on the thread's own stack. */
typedef struct Seat {
  _Alignas(COMM_APART) Worker *worker;
  int device;
  bool running;
  Fiber fiber;
} Seat;

struct Worker {
  _Alignas(COMM_APART) Team *team;
  Seat *seat; /* [n] */
  int n, running;
  unsigned idle; /* polls of waiting devices since one made progress */
  pthread_t thread;
};

struct Team {
  Raised turn;         /* number of the last job */
  Raised over;         /* of the last that all workers have done */
  _Atomic int running; /* workers still in it */
  bool spin;
  int first, n, nworkers, started;
  TeamJob *job; /* NULL: end */
  void *arg;
  Worker *worker; /* [nworkers]; 0 is the caller's thread */
  Seat *seat;     /* [n], in the order of workers */
};

/* -------- devices of one worker -------- */

/* The next device of the worker that has not finished; itself, if there is no other. */
static Seat *next_of(Seat *s) {
  Worker *w = s->worker;
  int at = (int)(s - w->seat);
  for (int i = 1; i < w->n; i++) {
    Seat *other = &w->seat[(at + i) % w->n];
    if (other->running) return other;
  }
  return s;
}

static void switch_to(Seat *from, Seat *to) {
  if (from == to) return;
  Device *device = fail_swap(NULL); /* is the thread's, and should be the device's */
  fiber_switch(&from->fiber, &to->fiber);
  fail_swap(device);
}

void team_pause(Team *t, int device, unsigned turn) {
  Seat *s = &t->seat[device - t->first];
  Worker *w = s->worker;
  w->idle = turn ? w->idle + 1 : 0;
  /* All have polled in vain since one made progress: this thread waits for others. */
  if (w->idle > (unsigned)w->running) comm_pause(t->spin, w->idle / (unsigned)w->running - 1);
  switch_to(s, next_of(s));
}

bool team_alone(const Team *t, int device) {
  return t->seat[device - t->first].worker->running == 1;
}

static void run_seat(Seat *s) {
  Worker *w = s->worker;
  w->team->job(w->team->arg, s->device);
  s->running = false;
  w->running--;
  w->idle = 0;
}

/* A fiber begins here once, and comes back to here for each job. */
static void seat_main(void *arg) {
  Seat *s = arg;
  for (;;) {
    run_seat(s);
    Seat *next = next_of(s);
    switch_to(s, next == s ? s->worker->seat : next);
  }
}

static void run_worker(Worker *w) {
  for (int i = 0; i < w->n; i++) w->seat[i].running = true;
  w->running = w->n;
  fiber_here(&w->seat->fiber);
  run_seat(w->seat);
  while (w->running > 0) switch_to(w->seat, next_of(w->seat));
}

/* -------- workers -------- */

static void wait_until(const Team *t, Raised *r, uint64_t least) {
  for (unsigned i = 0; raised_get(r) < least; i++) {
    if (comm_awake(t->spin, i))
      comm_pause(t->spin, i);
    else
      raised_sleep(r, least, 0);
  }
}

static void *worker_main(void *arg) {
  Worker *w = arg;
  Team *t = w->team;
  fail_alt_stack(true);
  for (uint64_t turn = 1;; turn++) {
    wait_until(t, &t->turn, turn);
    if (!t->job) break;
    run_worker(w);
    if (atomic_fetch_sub(&t->running, 1) == 1) raised_set(&t->over, turn);
  }
  fail_alt_stack(false);
  return NULL;
}

/* Its number. */
static uint64_t announce(Team *t, TeamJob *job, void *arg) {
  const uint64_t turn = raised_get(&t->turn) + 1;
  t->job = job;
  t->arg = arg;
  atomic_store(&t->running, t->started);
  raised_set(&t->turn, turn);
  return turn;
}

void team_run(Team *t, TeamJob *job, void *arg) {
  const bool turns = t->worker->n > 1; /* on stacks of ours, whose overflow can be told */
  const uint64_t turn = announce(t, job, arg);
  if (turns) fail_alt_stack(true);
  run_worker(t->worker);
  if (turns) fail_alt_stack(false);
  if (t->started) wait_until(t, &t->over, turn);
}

/* -------- opening -------- */

void team_close(Team *t) {
  if (!t) return;
  announce(t, NULL, NULL);
  for (int i = 1; i <= t->started; i++) pthread_join(t->worker[i].thread, NULL);
  for (int i = 0; t->seat && i < t->n; i++) fiber_close(&t->seat[i].fiber);
  free(t->worker);
  free(t->seat);
  free(t);
}

/* Devices are assigned to workers in order. */
static bool seats(Team *t, char *why) {
  for (int i = 0; i < t->nworkers; i++) {
    int from = i * t->n / t->nworkers, to = (i + 1) * t->n / t->nworkers;
    t->worker[i] = (Worker){.team = t, .seat = &t->seat[from], .n = to - from};
    for (int j = from; j < to; j++) {
      t->seat[j] = (Seat){.worker = &t->worker[i], .device = t->first + j};
      if (j == from || !fiber_open(&t->seat[j].fiber, seat_main, &t->seat[j])) continue;
      snprintf(why, COMM_WHY, "out of memory for the stack of device %d", t->first + j);
      return false;
    }
  }
  return true;
}

static bool start(Team *t, char *why) {
  int error = 0;
  for (int i = 1; i < t->nworkers && !error; i++) {
    Worker *w = &t->worker[i];
    char name[32];
    snprintf(name, sizeof name, "dtrt %d", w->seat->device);
    error = thread_start(&w->thread, worker_main, w, name);
    t->started += !error;
  }
  if (error)
    snprintf(why, COMM_WHY, "cannot start thread %d of %d: %s", t->started + 1, t->nworkers,
             strerror(error));
  return !error;
}

static void *zeroed(size_t bytes) {
  void *at = aligned_alloc(COMM_APART, bytes);
  return at ? memset(at, 0, bytes) : NULL;
}

Team *team_open(int first, int n, int threads, bool spin, char *why) {
  Team *t = calloc(1, sizeof *t);
  if (!t) {
    snprintf(why, COMM_WHY, "out of memory for %d devices", n);
    return NULL;
  }
  *t = (Team){.first = first, .n = n, .nworkers = threads < n ? threads : n, .spin = spin};
  t->worker = zeroed((size_t)t->nworkers * sizeof *t->worker);
  t->seat = zeroed((size_t)n * sizeof *t->seat);
  if (!t->worker || !t->seat)
    snprintf(why, COMM_WHY, "out of memory for %d devices", n);
  else if (seats(t, why) && start(t, why))
    return t;
  team_close(t);
  return NULL;
}
