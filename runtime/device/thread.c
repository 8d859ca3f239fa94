/* thread.c: see thread.h. Faults of a thread come to it whatever it blocks. */
#include "thread.h"
#include <signal.h>

int thread_start(pthread_t *t, void *(*f)(void *), void *arg, const char *name) {
  sigset_t all, old;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  const int error = pthread_create(t, NULL, f, arg);
  if (!error) pthread_setname_np(*t, name);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return error;
}
