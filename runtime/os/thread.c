/* thread.c: see thread.h. Faults of a thread come to it whatever it blocks. */
#include "thread.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "thread_state.h"

static _Atomic unsigned forks;
static void forked(void) { atomic_fetch_add(&forks, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, forked); }

unsigned thread_forks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  return atomic_load_explicit(&forks, memory_order_relaxed);
}

typedef struct Start {
  void *(*f)(void *);
  void *arg;
} Start;

static void *thread_main(void *arg) {
  const Start s = *(Start *)arg;
  free(arg);
  thread_state_plain();
  return s.f(s.arg);
}

int thread_start(pthread_t *t, void *(*f)(void *), void *arg, const char *name) {
  Start *s = malloc(sizeof *s);
  if (!s) return ENOMEM;
  *s = (Start){f, arg};
  sigset_t all, old;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  const int error = pthread_create(t, NULL, thread_main, s);
  if (!error) pthread_setname_np(*t, name);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error) free(s);
  return error;
}
