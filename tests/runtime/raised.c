/* Numbers that threads and processes wait for asleep (os/raised.h): no sleep goes on once the
 * number has been raised, and who sleeps takes no time of a core.
 *
 * A sleep here lasts a second if nobody ends it, so that a call to wake that is missing is seen. */
#include "raised.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIDES = 3, ROUNDS = 5000, NS = 999999999 };

typedef struct Shared {
  _Alignas(128) Raised at[SIDES];
} Shared;

static int failures;
static void expect(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "FAIL %s\n", what);
  failures++;
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* False if one sleep took its whole time. */
static int until(Raised *r, uint64_t least) {
  const double from = seconds(CLOCK_MONOTONIC);
  while (raised_get(r) < least) raised_sleep(r, least, NS);
  return seconds(CLOCK_MONOTONIC) - from < 0.9;
}

/* A core that others keep busy may hold up a round, but not many. */
enum { HELD_UP = 3 };

/* Rounds of a barrier: all raise their own, and wait for the others'. */
static int meet(Shared *s, int side) {
  int slow = 0;
  for (uint64_t round = 1; round <= ROUNDS && slow <= HELD_UP; round++) {
    raised_set(&s->at[side], round);
    for (int i = 0; i < SIDES; i++) slow += !until(&s->at[i], round);
  }
  raised_set(&s->at[side], ROUNDS); /* who gives up keeps nobody waiting */
  return slow;
}

typedef struct Side {
  Shared *shared;
  int side, slow;
} Side;
static void *thread_main(void *arg) {
  Side *s = arg;
  s->slow = meet(s->shared, s->side);
  return NULL;
}

static void threads_meet(void) {
  static Shared shared;
  Side side[SIDES];
  pthread_t thread[SIDES];
  for (int i = 0; i < SIDES; i++) side[i] = (Side){&shared, i, 0};
  for (int i = 0; i < SIDES; i++) pthread_create(&thread[i], NULL, thread_main, &side[i]);
  for (int i = 0; i < SIDES; i++) {
    pthread_join(thread[i], NULL);
    expect(side[i].slow <= HELD_UP, "threads: sleeps that nobody ended");
  }
}

static Shared *map(void) {
  void *p = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void processes_meet(void) {
  Shared *shared = map();
  expect(shared != NULL, "shared memory");
  if (!shared) return;
  for (int i = 1; i < SIDES; i++)
    if (fork() == 0) _exit(meet(shared, i) > HELD_UP);
  expect(meet(shared, 0) <= HELD_UP, "processes: sleeps that nobody ended");
  for (int i = 1; i < SIDES; i++) {
    int status = 1;
    wait(&status);
    expect(status == 0, "a process: sleeps that nobody ended");
  }
}

static void sleeping_takes_no_core(void) {
  Shared *shared = map();
  expect(shared != NULL, "shared memory");
  if (!shared) return;
  if (fork() == 0) {
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    raised_set(&shared->at[0], 1);
    _exit(0);
  }
  const double from = seconds(CLOCK_THREAD_CPUTIME_ID);
  until(&shared->at[0], 1);
  expect(seconds(CLOCK_THREAD_CPUTIME_ID) - from < 0.1, "a sleep that takes a quarter of a core");
  wait(NULL);
}

int main(void) {
  threads_meet();
  processes_meet();
  sleeping_takes_no_core();
  return failures != 0;
}
