/* prefetch.c: batches that a thread reads ahead, on a hand-written program whose step shows whether
 * its rows are the right ones. That reading and working overlap is shown by a step that waits for
 * the batch after its own: without a thread it would wait forever. */
#include "prefetch.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "device.h"

static int failures, checks;

#define CHECK(x)                                                                                   \
  do {                                                                                             \
    checks++;                                                                                      \
    if (!(x)) {                                                                                    \
      failures++;                                                                                  \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #x);                                       \
    }                                                                                              \
  } while (0)

enum { BATCH = 6, STEPS = 40, DEVICES = 4, SECONDS = 120 };

/* What the thread and the devices have come to. */
static atomic_int asked, step, wrong, late;
static int wait_depth; /* 0: steps do not wait */

static const int32_t axis_size[] = {DEVICES};
static const char *const axis_name[] = {"batch"}, *const dim_const[] = {"batch"};
static const dtrt_dim cut = {.n = BATCH, .granule = 1, .naxes = 1},
                      full = {.n = BATCH, .granule = 1};
static const dtrt_layout cut_row = {.rank = 1, .dim = &cut}, full_row = {.rank = 1, .dim = &full};
static const dtrt_tensor in[2] = {
    {.name = "x", .dtype = DTRT_I32, .layout = &cut_row, .offset = 0, .dim_const = dim_const},
    {.name = "y", .dtype = DTRT_I32, .layout = &full_row, .offset = 64, .dim_const = dim_const}};

static void nothing(dtrt_device *dev) { (void)dev; }

static void work(dtrt_device *dev) {
  const int32_t *x = (const int32_t *)(const void *)dev->arena;
  const int32_t *y = (const int32_t *)(const void *)(dev->arena + 64);
  int first = (atomic_load(&step) + (int)device_of(dev)->run) * BATCH;
  int64_t lo = dtrt_lo(dev, &cut), hi = dtrt_hi(dev, &cut);
  for (int64_t i = lo; i < hi; i++) wrong += x[i - lo] != first + i;
  for (int64_t i = 0; i < BATCH; i++) wrong += y[i] != first + i;
  /* During step k batch k + depth is asked for, and those before it have been read. */
  int want = atomic_load(&step) + 1 + wait_depth;
  for (int ms = 0; wait_depth && want <= STEPS && atomic_load(&asked) < want; ms++) {
    if (ms == SECONDS * 1000) late++;
    if (ms == SECONDS * 1000) break;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static const dtrt_entry entry[2] = {
    {.name = "init", .run = nothing},
    {.name = "work", .nin = 2, .in = in, .run = work, .arena_bytes = 128}};
static const dtrt_program program = {.abi = DTRT_ABI,
                                     .name = "prefetch",
                                     .naxes = 1,
                                     .axis_name = axis_name,
                                     .axis_size = axis_size,
                                     .nentries = 2,
                                     .entry = entry};

typedef struct source {
  data_set set;
  int next, most; /* how far ahead of the running step a batch was ever asked for */
  int fail_at;
} source;

static bool next(void *user, prefetch_batch *b, char *why) {
  source *s = user;
  int ahead = s->next - atomic_load(&step);
  if (ahead > s->most) s->most = ahead;
  if (s->next == s->fail_at) return snprintf(why, 256, "no luck"), false;
  if (s->next == STEPS) return false;
  atomic_fetch_add(&asked, 1);
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* a slow disk */
  b->set = &s->set;
  b->entry = &entry[1];
  s->set.first = (int64_t)s->next++ * BATCH;
  return true;
}

static void open_source(source *s) {
  char why[512];
  FILE *f = fopen("rows.csv", "w");
  if (!f) exit(99);
  for (int i = 0; i < STEPS * BATCH; i++) fprintf(f, "%d\n", i);
  fclose(f);
  const data_pair feed[2] = {{.name = "x", .file = "rows.csv"}, {.name = "y", .file = "rows.csv"}};
  *s = (source){.fail_at = -1};
  if (data_open(&s->set, &entry[1], feed, 2, false, 0, 0, NULL, why, sizeof why)) return;
  printf("%s\n", why);
  exit(1);
}

static void start(void) {
  atomic_store(&asked, 0);
  atomic_store(&step, 0);
}

static dtrt_status run_many(dtrt_session *s, prefetch *p, int64_t runs) {
  return session_call(s,
                      &(SessionCall){.entry = 1, .runs = runs, .fill = prefetch_fill, .user = p});
}

static dtrt_status run(dtrt_session *s, prefetch *p) { return run_many(s, p, 1); }

static void test_depth(dtrt_session *s, int depth) {
  source from;
  open_source(&from);
  start();
  wait_depth = depth;
  prefetch *p = prefetch_start(s, depth, next, &from);
  CHECK(p);
  for (int i = 0; i < STEPS; i++) {
    prefetch_take(p, 1);
    CHECK(run(s, p) == DTRT_OK);
    atomic_fetch_add(&step, 1);
  }
  prefetch_stop(p);
  CHECK(late == 0);
  CHECK(wrong == 0);
  CHECK(asked == STEPS);
  CHECK(from.most == depth);
  data_close(&from.set);
}

/* Calls of several runs, whose devices go on by themselves; the last call has fewer. */
static void test_runs(dtrt_session *s, int runs, int more) {
  source from;
  open_source(&from);
  start();
  wait_depth = 0;
  prefetch *p = prefetch_start(s, runs - 1 + more, next, &from);
  CHECK(p);
  for (int i = 0; i < STEPS; i += runs) {
    int n = STEPS - i < runs ? STEPS - i : runs;
    prefetch_take(p, n);
    CHECK(run_many(s, p, n) == DTRT_OK);
    CHECK(prefetch_waited(p) >= 0);
    atomic_fetch_add(&step, n);
  }
  prefetch_stop(p);
  CHECK(wrong == 0);
  CHECK(asked == STEPS);
  data_close(&from.set);
}

/* Stopped while batches are ready, being read, or all read. */
static void test_stop(dtrt_session *s) {
  wait_depth = 0;
  for (int taken = 0; taken < 4; taken++) {
    source from;
    open_source(&from);
    start();
    prefetch *p = prefetch_start(s, 3, next, &from);
    for (int i = 0; i < taken; i++) {
      prefetch_take(p, 1);
      CHECK(run(s, p) == DTRT_OK);
      atomic_fetch_add(&step, 1);
    }
    prefetch_stop(p);
    CHECK(wrong == 0);
    data_close(&from.set);
  }
  prefetch_stop(NULL);
}

/* A failure of the thread is reported by the step that needs the batch; earlier steps run. */
static void test_failure(bool end) {
  dtrt_session *s = NULL;
  source from;
  open_source(&from);
  start();
  from.fail_at = end ? -1 : 3;
  from.next = end ? STEPS - 3 : 0;
  atomic_store(&step, from.next);
  CHECK(dtrt_open(&program, NULL, &s) == DTRT_OK);
  prefetch *p = prefetch_start(s, 2, next, &from);
  for (int i = 0; i < 3; i++) {
    prefetch_take(p, 1);
    CHECK(run(s, p) == DTRT_OK);
    atomic_fetch_add(&step, 1);
  }
  prefetch_take(p, 1);
  CHECK(run(s, p) == DTRT_FAILED);
  CHECK(strstr(dtrt_session_error(s), end ? "no batch is left" : "no luck"));
  CHECK(wrong == 0);
  prefetch_stop(p);
  dtrt_close(s);
  data_close(&from.set);
}

int main(int argc, char **argv) {
  dtrt_session *s = NULL;
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1]))) return 99;
  if (dtrt_open(&program, NULL, &s)) return printf("%s\n", dtrt_session_error(s)), 1;
  for (int depth = 1; depth <= 4; depth++) test_depth(s, depth);
  for (int runs = 1; runs <= 16; runs += 5)
    for (int more = 1; more <= 3; more++) test_runs(s, runs, more);
  test_stop(s);
  dtrt_close(s);
  test_failure(false);
  test_failure(true);
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
