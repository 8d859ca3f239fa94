/* clock.h: time that only goes on, in nanoseconds. */
#ifndef DTG_CLOCK_H
#define DTG_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
