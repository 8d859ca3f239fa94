/* thread.h: a thread of the runtime's own, which leaves signals to the process to the host's, and
 * has a plain state (thread_state.h). */
#ifndef DTG_THREAD_H
#define DTG_THREAD_H
#include <pthread.h>

/* 0, or an error number. `name`: what debuggers show, up to 15 bytes. */
int thread_start(pthread_t *t, void *(*f)(void *), void *arg, const char *name);
/* How often this process and those it comes from have forked since this was first called. The child
 * of a fork has the memory, but not the threads. */
unsigned thread_forks(void);

#endif
