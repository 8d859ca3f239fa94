/* harness.h: small hand-written programs for the tests of the runtime, and checks that count. */
#ifndef DTG_TESTS_RUNTIME_HARNESS_H
#define DTG_TESTS_RUNTIME_HARNESS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"

static _Atomic int harness_failures;

#define CHECK(x, ...)                                                                              \
  do {                                                                                             \
    if (x) break;                                                                                  \
    if (atomic_fetch_add(&harness_failures, 1) < 20) {                                             \
      fprintf(stderr, "%s:%d: " #x ": ", __FILE__, __LINE__);                                      \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
    }                                                                                              \
  } while (0)

static inline int harness_result(void) {
  int n = atomic_load(&harness_failures);
  if (n) fprintf(stderr, "%d checks failed\n", n);
  return n != 0;
}

typedef struct Fixture { /* a program with tables to fill in; init does nothing */
  dtrt_program program;
  dtrt_entry entry[8];
  int32_t size[DTRT_MAX_AXES];
  int ndevices;
} Fixture;

static void harness_nothing(dtrt_device *dev) { (void)dev; }

static inline void harness_program(Fixture *f, int naxes, const int *size, int64_t arena) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  memset(f, 0, sizeof *f);
  f->ndevices = 1;
  for (int i = 0; i < naxes; i++) f->ndevices *= f->size[i] = size[i];
  f->entry[0] = (dtrt_entry){.name = "init", .run = harness_nothing, .arena_bytes = arena};
  f->program = (dtrt_program){.abi = DTRT_ABI,
                              .name = "test",
                              .naxes = naxes,
                              .axis_name = names,
                              .axis_size = f->size,
                              .nentries = 1,
                              .entry = f->entry};
  const char *sums = getenv("TEST_SUMS"); /* "fast" */
  if (sums && !strcmp(sums, "fast")) f->program.sums = DTRT_SUMS_FAST;
}

static inline dtrt_entry *harness_entry(Fixture *f, const char *name, void (*run)(dtrt_device *)) {
  dtrt_entry *e = &f->entry[f->program.nentries++];
  *e = (dtrt_entry){.name = name, .run = run, .arena_bytes = f->entry[0].arena_bytes};
  return e;
}

static inline dtrt_session *harness_open(const Fixture *f, const char *transport) {
  dtrt_session *s = NULL;
  dtrt_options o = {.transport = transport};
  dtrt_status status = dtrt_open(&f->program, &o, &s);
  if (status == DTRT_OK) return s;
  fprintf(stderr, "open: %s\n", dtrt_session_error(s));
  exit(1);
}

static inline uint64_t harness_mix(uint64_t x) { /* splitmix64 */
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

#endif
