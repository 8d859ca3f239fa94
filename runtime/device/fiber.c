/* fiber.c: see fiber.h. makecontext begins a stack; from then on jumps switch, as in QEMU's
 * coroutines, since swapcontext would call the system at every switch to keep signal masks apart
 * that are the same. */
#undef _FORTIFY_SOURCE /* takes a jump to another stack for a mistake */
#include "fiber.h"
#include "float_mode.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN
#endif
#if __has_feature(thread_sanitizer)
#define TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(ASAN)
#define ASAN
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TSAN)
#define TSAN
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef TSAN
#include <sanitizer/tsan_interface.h>
#endif

#define INLINE                                                                                     \
  static inline __attribute__((                                                                    \
      always_inline)) /* or TSan would see a call that began on one stack and ended on another */

INLINE void leave(Fiber *from, const Fiber *to) {
  (void)from, (void)to;
#ifdef ASAN
  __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
#ifdef TSAN
  __tsan_switch_to_fiber(to->tsan, 0);
#endif
}

INLINE void arrive(Fiber *f) {
  (void)f;
#ifdef ASAN
  __sanitizer_finish_switch_fiber(f->fake, NULL, NULL);
#endif
}

void fiber_here(Fiber *f) {
  memset(f, 0, sizeof *f);
  f->begun = true;
#ifdef ASAN
  static _Thread_local Fiber own; /* asking takes all of /proc/self/maps */
  pthread_attr_t attr;
  void *low;
  if (!own.size && !pthread_getattr_np(pthread_self(), &attr)) {
    if (!pthread_attr_getstack(&attr, &low, &own.size)) own.bottom = low;
    pthread_attr_destroy(&attr);
  }
  f->bottom = own.bottom, f->size = own.size;
#endif
#ifdef TSAN
  f->tsan = __tsan_get_current_fiber();
#endif
}

/* -------- the beginning of a stack -------- */

static _Thread_local Fiber *beginning; /* makecontext hands over numbers, not pointers */

static void begin(void) {
  Fiber *f = beginning;
  arrive(f);
  float_mode_set(f->mode);
  f->run(f->arg);
  abort();
}

/* Does not return, and so would leave what ASan marks around its variables. */
__attribute__((noreturn, no_sanitize_address)) static void start(Fiber *f) {
  ucontext_t c;
  if (getcontext(&c)) abort();
  c.uc_stack.ss_sp = f->stack;
  c.uc_stack.ss_size = f->bytes;
  c.uc_link = NULL;
  makecontext(&c, begin, 0);
  f->begun = true;
  beginning = f;
  setcontext(&c);
  abort();
}

/* As large as threads' stacks are, and as they are, with a page below that faults. */
static size_t stack_bytes(void) {
  pthread_attr_t attr;
  size_t bytes = 8 << 20;
  if (pthread_attr_init(&attr)) return bytes;
  pthread_attr_getstacksize(&attr, &bytes);
  pthread_attr_destroy(&attr);
  return bytes;
}

int fiber_open(Fiber *f, FiberMain *run, void *arg) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = stack_bytes();
  memset(f, 0, sizeof *f);
  char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  f->run = run, f->arg = arg;
  f->mode = float_mode();
  f->stack = stack, f->bytes = bytes;
  f->bottom = stack, f->size = bytes;
  if (mprotect(stack, page, PROT_NONE)) {
    fiber_close(f);
    return -1;
  }
#ifdef ASAN
  __asan_unpoison_memory_region(stack, bytes); /* of one that lay there before */
#endif
#ifdef TSAN
  f->tsan = __tsan_create_fiber(0);
#endif
  return 0;
}

void fiber_close(Fiber *f) {
#ifdef TSAN
  if (f->stack && f->tsan) __tsan_destroy_fiber(f->tsan);
#endif
  if (f->stack) munmap(f->stack, f->bytes);
  memset(f, 0, sizeof *f);
}

/* How floats are computed with is a stack's own, as it would be a thread's; jumps leave it alone.
 */
void fiber_switch(Fiber *from, Fiber *to) {
  from->mode = float_mode();
  if (sigsetjmp(from->at, 0) == 0) {
    leave(from, to);
    if (!to->begun) start(to);
    siglongjmp(to->at, 1);
  }
  arrive(from);
  float_mode_set(from->mode);
}
