/* comm.c: what all transports use: waiting politely, memory, and finding the MPI transport.
 * Also part of libdtrt-mpi.so, which is why it calls nothing else of the runtime. */
#include "comm.h"
#include "variables.h"
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int comm_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}

/* A pause is 40 to 140 cycles. With a core for each, peers arrive within microseconds or are in a
 * long loop, and then a yield costs nothing if the core is ours alone. Else only giving the core
 * away lets them arrive. */
enum { SPINS = 50, YIELDS = 20000, LONG_YIELDS = 40000 };

void comm_pause(bool spin, unsigned turn) {
  if (spin && turn < SPINS) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return;
  }
  if (turn < YIELDS) {
    sched_yield();
    return;
  }
  /* Peers are in a long computation: leave them the machine, and wake up soon enough. */
  nanosleep(&(struct timespec){.tv_nsec = turn < LONG_YIELDS ? 20000 : 500000}, NULL);
}

double comm_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* About as long as a sleep and its end take. Peers with a core of their own come within
 * microseconds, or are in a long loop; where they share a core they come as it is given away. But
 * where other programs run, too, each may have the core for milliseconds then. */
enum { AWAKE = 200, AWAKE_SHARED = 50 };

bool comm_awake(bool spin, unsigned turn) { return turn < (unsigned)(spin ? AWAKE : AWAKE_SHARED); }

bool comm_wait_is_long(CommWait *w, unsigned turn) {
  if (turn % (turn < YIELDS ? 64 : 8)) return false;
  double now = comm_now(), more = w->last > 0 ? now - w->last : 0;
  if (w->last > 0 && more < 0.05) return false;
  w->last = now;
  w->waited += more < 1 ? more : 1;
  return true;
}

static double seconds(variable_id id, const char *name, double usual, char *why) {
  const char *text = variable(id);
  if (!text || !*text) return usual;
  char *end;
  double v = strtod(text, &end);
  if (!*end && v >= 0 && v <= 1e9) return v;
  snprintf(why, COMM_WHY, "%s is `%.40s`, not a number of seconds", name, text);
  return -1;
}

double comm_timeout(char *why) { return seconds(VARIABLE_TIMEOUT, "DTRT_TIMEOUT", 600, why); }
double comm_slow(char *why) { return seconds(VARIABLE_SLOW, "DTRT_SLOW", 10, why); }

static const int64_t HUGE = 2 << 20;

static size_t map_size(int64_t bytes) {
  int64_t unit = bytes >= HUGE ? HUGE : 4096;
  return (size_t)((bytes + unit - 1) / unit * unit);
}

char *comm_map(int64_t bytes) {
  if (bytes <= 0) bytes = 1;
  if (bytes > INT64_MAX / 2) return NULL;
  size_t size = map_size(bytes), room = size + (bytes >= HUGE ? (size_t)HUGE : 0);
  char *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  if (bytes < HUGE) return at;
  /* On a 2 MiB boundary, or no page of it could be a huge one. */
  size_t skip = (size_t)(-(uintptr_t)at & (uintptr_t)(HUGE - 1));
  if (skip) munmap(at, skip);
  if (room - skip > size) munmap(at + skip + size, room - skip - size);
  at += skip;
  madvise(at, size, MADV_HUGEPAGE);
  return at;
}

void comm_unmap(char *at, int64_t bytes) {
  if (at) munmap(at, map_size(bytes <= 0 ? 1 : bytes));
}
