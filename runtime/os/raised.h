/* raised.h: a number that only grows, which threads and processes that share its memory wait for
 * asleep. Whoever raises it makes a system call only if somebody sleeps. */
#ifndef DTG_RAISED_H
#define DTG_RAISED_H
#include <stdatomic.h>
#include <stdint.h>

typedef struct Raised {
  _Atomic uint64_t value;
  _Atomic uint32_t asleep; /* how many sleep on it. One killed in its sleep counts on. */
} Raised;

/* Whoever sees the value sees what was written before it. */
void raised_set(Raised *r, uint64_t value);
static inline uint64_t raised_get(const Raised *r) {
  return atomic_load_explicit(&r->value, memory_order_acquire);
}
/* Sleeps until the value is no longer below `least`, so many nanoseconds (below a second; 0: any
 * number) have passed, or for less. */
void raised_sleep(Raised *r, uint64_t least, long ns);

#endif
