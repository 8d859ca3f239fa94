/* turns.c: more devices than cores. They take turns on one thread a core, each on a stack of its
 * own, and get what they would get on threads; with DTRT_THREAD_EACH=1 each has a thread. */
#include <pthread.h>
#include <sched.h>
#include "harness.h"

enum { DEVICES = 7, ELEMENTS = 5000, STEPS = 40 };

static const dtrt_dim dim = {.n = ELEMENTS, .granule = 1};
static const dtrt_layout partial = {1, 1, DTRT_SUM, &dim}, whole = {1, 0, DTRT_SUM, &dim};
static const dtrt_exchange sum = {.id = 0,
                                  .kind = DTRT_ALL_REDUCE,
                                  .dtype = DTRT_F32,
                                  .axes = 1,
                                  .from = &partial,
                                  .to = &whole,
                                  .what = "x",
                                  .where = "a.dtg:1"};
static const dtrt_exchange *const list[] = {&sum};
#if defined(__SSE2__)
static const bool flushes = true;
#else
static const bool flushes = false;
#endif
static pthread_t thread[DEVICES]; /* that each device ran on */
static char *stack[DEVICES];

/* As deep as an eighth of a stack; its contents must survive while others run. */
static int deep(int n, dtrt_device *dev) {
  volatile char room[1024];
  for (int i = 0; i < 1024; i++) room[i] = (char)(n + dev->coord[0]);
  if (n > 0) {
    int wrong = deep(n - 1, dev);
    for (int i = 0; i < 1024; i++) wrong += room[i] != (char)(n + dev->coord[0]);
    return wrong;
  }
  dtrt_run_exchange(dev, &sum, dev->arena, dev->arena);
  return 0;
}

static void sums(dtrt_device *dev) {
  float *x = (float *)(void *)dev->arena;
  int me = dev->coord[0];
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < ELEMENTS; i++) x[i] = (float)(me * step + i);
    if (step % 10)
      dtrt_run_exchange(dev, &sum, x, x);
    else
      CHECK(deep(1000, dev) == 0, "device %d: its stack was changed", me);
    /* Entries flush to zero; another's end, or its beginning, is no matter. */
    volatile float tiny = 1e-38f, tenth = 0.1f;
    CHECK(!flushes || tiny * tenth == 0, "device %d, step %d: not flushed", me, step);
    int wrong = 0;
    for (int i = 0; i < ELEMENTS; i++)
      wrong += x[i] != (float)(DEVICES * (DEVICES - 1) / 2 * step + i * DEVICES);
    CHECK(!wrong, "device %d, step %d: %d wrong sums", me, step, wrong);
  }
}

static void run(dtrt_device *dev) {
  char here;
  thread[dev->coord[0]] = pthread_self();
  stack[dev->coord[0]] = &here;
  sums(dev);
}

static dtrt_session *open_one(void) {
  static Fixture f;
  int size[] = {DEVICES};
  harness_program(&f, 1, size, ELEMENTS * 4);
  harness_entry(&f, "run", run);
  f.program.nexchanges = 1;
  f.program.exchange = list;
  return harness_open(&f, "threads");
}

/* Called on a thread of its own: a session may change hands, and the stacks with it. */
static void *call(void *arg) {
  dtrt_session *s = arg;
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  return NULL;
}

static int threads_seen(void) {
  int n = 0;
  for (int i = 0; i < DEVICES; i++) {
    int j = 0;
    while (j < i && !pthread_equal(thread[i], thread[j])) j++;
    n += j == i;
  }
  return n;
}

static bool each(void) {
  const char *say = getenv("DTRT_THREAD_EACH");
  return say && !strcmp(say, "1");
}

static void on_cores(int n) {
  cpu_set_t may, some;
  CPU_ZERO(&some);
  sched_getaffinity(0, sizeof may, &may);
  for (int i = 0, k = 0; i < CPU_SETSIZE && k < n; i++)
    if (CPU_ISSET(i, &may)) CPU_SET(i, &some), k++;
  const int cores = CPU_COUNT(&some);
  sched_setaffinity(0, sizeof some, &some);
  dtrt_session *s = open_one();
  call(s);
  int want = each() ? DEVICES : cores < DEVICES ? cores : DEVICES;
  CHECK(threads_seen() == want, "%d devices on %d cores ran on %d threads", DEVICES, cores,
        threads_seen());
  CHECK(pthread_equal(thread[0], pthread_self()), "the first is not the caller's");
  for (int i = 0; i < DEVICES; i++)
    for (int j = 0; j < i; j++)
      CHECK(labs(stack[i] - stack[j]) > 65536, "devices %d and %d share a stack", i, j);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, call, s) == 0, "no thread");
  pthread_join(other, NULL);
  CHECK(!pthread_equal(thread[0], pthread_self()), "the first is not the new caller's");
  call(s);
  dtrt_close(s);
  sched_setaffinity(0, sizeof may, &may);
}

/* A host's fill may run another session, whose devices take turns in the middle of ours. */
static dtrt_session *inner;
static int fill(void *user, int device, int input, const int64_t *lo, const int64_t *hi, void *to,
                char *why) {
  (void)user, (void)input, (void)why;
  memset(to, 0, (size_t)(hi[0] - lo[0]) * 4);
  volatile float tiny = 1e-38f, tenth = 0.1f;
  CHECK(tiny * tenth > 0, "device %d: a host's numbers are flushed", device);
  if (device == 0) call(inner);
  return 0;
}

static void nested(void) {
  static const dtrt_tensor in = {
      .name = "x", .dtype = DTRT_F32, .layout = &whole, .bytes = ELEMENTS * 4};
  static Fixture f;
  int size[] = {DEVICES};
  harness_program(&f, 1, size, ELEMENTS * 4);
  dtrt_entry *e = harness_entry(&f, "outer", sums);
  e->nin = 1;
  e->in = &in;
  f.program.nexchanges = 1;
  f.program.exchange = list;
  inner = open_one();
  dtrt_session *s = harness_open(&f, "threads");
  CHECK(dtrt_call_fill(s, 1, fill, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  dtrt_close(s);
  dtrt_close(inner);
}

int main(void) {
  on_cores(1);
  on_cores(2);
  nested();
  return harness_result();
}
