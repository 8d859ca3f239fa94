/* fiber.h: stacks that take turns on one thread. A switch is a jump: no system call, some 10 ns.
 *
 * A fiber is a stack of its own, or the one that its thread came with. Only one of a thread runs at
 * a time, and it runs until it switches to another. */
#ifndef DTG_RUNTIME_FIBER_H
#define DTG_RUNTIME_FIBER_H
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef void FiberMain(void *arg); /* never returns: it switches to another and is not resumed */

typedef struct Fiber {
  sigjmp_buf at; /* where it goes on */
  FiberMain *run;
  void *arg;
  bool begun;
  unsigned mode; /* how floats are rounded there */
  char *stack;   /* NULL: its thread's */
  size_t bytes;
  /* For sanitizers, which follow stacks. */
  void *tsan, *fake;
  const void *bottom;
  size_t size;
} Fiber;

/* The running stack of this thread as a fiber to come back to. */
void fiber_here(Fiber *f);
/* A new one; -1 when out of memory. It begins with run(arg) when it is first switched to. */
int fiber_open(Fiber *f, FiberMain *run, void *arg);
void fiber_close(Fiber *f); /* one that is not running; all zeros is allowed */
/* Leaves `from`, which runs, for `to`; returns when somebody switches back. */
void fiber_switch(Fiber *from, Fiber *to);

#endif
