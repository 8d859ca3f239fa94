/* progress.c: messages in flight go on while devices compute and call nothing of the runtime: with a
 * progress thread to their end, without one not at all. The sums are the same, those below the
 * smallest normal number included, which devices flush to zero. Devices send messages
 * (rendezvous.c), each on a thread of its own. */
#include <pthread.h>
#include <time.h>
#include "device.h"
#include "harness.h"

enum { DEVICES = 3, ELEMENTS = 1 << 18, CALLS = 3, LATEST = 30 };

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
static pthread_barrier_t started;
static bool threaded;

static bool in_flight(dtrt_device *dev) { return atomic_load(&device_of(dev)->under_way) > 0; }

/* What is computed meanwhile: nothing that takes a core. */
static void compute(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

static void run(dtrt_device *dev) {
  float *x = (float *)(void *)dev->arena, *to = x + ELEMENTS;
  const int me = dev->coord[0];
  const float tiny[DEVICES] = {1.2e-38f, -1.1e-38f, 0}; /* normal numbers, their sum is not */
  for (int i = 0; i < ELEMENTS; i++) x[i] = i % 8 ? (float)(me + i) : tiny[me];
  dtrt_start_exchange(dev, 1, &sum, x, to);
  pthread_barrier_wait(&started);
  const double latest = comm_now() + LATEST;
  if (threaded)
    while (in_flight(dev) && comm_now() < latest) compute();
  else
    for (int i = 0; i < 5; i++) compute();
  CHECK(in_flight(dev) == !threaded, "device %d, %s: %s", me, threaded ? "thread" : "poll",
        threaded ? "still in flight" : "went on by itself");
  pthread_barrier_wait(&started);
  dtrt_wait_exchange(dev, 1);
  int wrong = 0;
  for (int i = 0; i < ELEMENTS; i++)
    wrong += to[i] != (i % 8 ? (float)(DEVICES * (DEVICES - 1) / 2 + DEVICES * i) : 0);
  CHECK(!wrong, "device %d, %s: %d wrong sums", me, threaded ? "thread" : "poll", wrong);
}

int main(void) {
  static Fixture f;
  int size[] = {DEVICES};
  setenv("DTRT_THREAD_EACH", "1", 1);
  pthread_barrier_init(&started, NULL, DEVICES);
  harness_program(&f, 1, size, 2 * ELEMENTS * 4);
  harness_entry(&f, "run", run);
  f.program.nexchanges = 1;
  f.program.exchange = list;
  for (int i = 0; i < 2; i++) {
    threaded = i;
    setenv("DTRT_PROGRESS", threaded ? "thread" : "poll", 1);
    dtrt_session *s = harness_open(&f, "threads");
    CHECK(dtrt_session_progress(s) == (threaded ? DTRT_PROGRESS_THREAD : DTRT_PROGRESS_POLL),
          "the session has another progress");
    for (int k = 0; k < CALLS; k++)
      CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
    dtrt_close(s);
  }
  dtrt_session *s = NULL;
  CHECK(dtrt_open(&f.program, &(dtrt_options){.progress = 3}, &s) == DTRT_INVALID, "progress 3");
  dtrt_close(s);
  setenv("DTRT_PROGRESS", "always", 1);
  CHECK(dtrt_open(&f.program, NULL, &s) == DTRT_INVALID &&
            strstr(dtrt_session_error(s), "DTRT_PROGRESS is `always`: expected thread or poll"),
        "%s", dtrt_session_error(s));
  dtrt_close(s);
  return harness_result();
}
