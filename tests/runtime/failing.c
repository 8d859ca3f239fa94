/* failing.c: one device that fails stops all, with one message, and the host lives on.
 *   failing                  every way to fail, on threads and self, in one process
 *   failing TRANSPORT HOW    one way, on 4 devices; the message goes to stderr and the status is 1
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include "harness.h"

static dtrt_dim dim = {.n = 64, .granule = 1}, cut = {.n = 64, .granule = 1, .naxes = 1};
static const dtrt_layout partial = {1, 1, DTRT_SUM, &dim}, whole = {1, 0, DTRT_SUM, &dim};
static const dtrt_layout split = {1, 0, DTRT_SUM, &cut};
static const dtrt_exchange reduce = {.id = 0,
                                     .kind = DTRT_ALL_REDUCE,
                                     .dtype = DTRT_F32,
                                     .axes = 1,
                                     .from = &partial,
                                     .to = &whole,
                                     .what = "x",
                                     .where = "a.dtg:1"};
static const dtrt_exchange *const list[] = {&reduce};
static const dtrt_step steps[] = {{.what = "gather of table", .where = "a.dtg:7"},
                                  {.what = "all-reduce of x", .where = "a.dtg:8"}};
static const char *how;
static int victim;

static int overflow(int n) { /* deeper than any stack */
  volatile char room[4096];
  room[0] = (char)n;
  if (n < 0) return room[0]; /* as far as a compiler can know */
  return overflow(n + 1) + room[0];
}

/* These faults are meant, so no sanitizer is to see them first. */
__attribute__((no_sanitize("undefined", "address"))) static void run(dtrt_device *dev) {
  volatile int zero = 0;
  if (dev->coord[0] == victim) {
    if (!strcmp(how, "index")) dtrt_bad_index(dev, 12, 10);
    if (!strcmp(how, "segv")) *(volatile int *)(uintptr_t)(zero + 8) = 1;
    if (!strcmp(how, "fpe")) zero = 100000 / zero;
    if (!strcmp(how, "ill")) __builtin_trap();
    if (!strcmp(how, "killed")) raise(SIGKILL);
    if (!strcmp(how, "stack")) zero = overflow(0);
  }
  dtrt_begin_step(dev, 1);
  for (int i = 0; i < 100; i++) /* the others wait here, and must not for ever */
    dtrt_run_exchange(dev, &reduce, dev->arena, dev->arena);
}

static int fill(void *user, int device, int input, const int64_t *lo, const int64_t *hi, void *to,
                char *why) {
  (void)user;
  (void)input;
  memset(to, 0, (size_t)(hi[0] - lo[0]) * 4);
  if (strcmp(how, "fill") || device != victim) return 0;
  snprintf(why, 256, "digits.csv: line 3 has 7 columns, not 65");
  return 1;
}

static void program(Fixture *f, int n) {
  static const dtrt_tensor in = {
      .name = "images", .dtype = DTRT_F32, .layout = &split, .bytes = 256};
  int size[] = {n};
  harness_program(f, 1, size, 4096);
  dtrt_entry *e = harness_entry(f, "train", run);
  e->nin = 1;
  e->in = &in;
  e->nsteps = 2;
  e->step = steps;
  f->program.nexchanges = 1;
  f->program.exchange = list;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void one(const char *transport, int n, int who, const char *way, const char *want) {
  Fixture f;
  program(&f, n);
  how = "none";
  victim = who;
  dtrt_session *s = harness_open(&f, transport);
  CHECK(dtrt_call_fill(s, 1, fill, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  how = way;
  double start = now();
  CHECK(dtrt_call_fill(s, 1, fill, NULL, NULL) == DTRT_FAILED, "%s did not fail", way);
  /* Not by the timeout of a call, which is of minutes; a busy machine may take seconds. */
  CHECK(now() - start < 60, "%s took %g s", way, now() - start);
  CHECK(!strcmp(dtrt_session_error(s), want), "\n  got  %s\n  want %s", dtrt_session_error(s),
        want);
  CHECK(dtrt_call_fill(s, 1, fill, NULL, NULL) == DTRT_FAILED, "used after %s", way);
  CHECK(dtrt_get_var(s, 0, NULL, 0) == DTRT_FAILED, "used after %s", way);
  CHECK(!strcmp(dtrt_session_error(s), want), "message lost: %s", dtrt_session_error(s));
  dtrt_close(s);
}

static void all(const char *transport, int n, int who) {
  static const char *const ways[][2] = {
      {"index", "in entry `train` at gather of table (a.dtg:7): index 12 is outside [0, 10)"},
      {"segv", "in entry `train` at gather of table (a.dtg:7): invalid memory access (SIGSEGV)"},
      {"fpe",
       "in entry `train` at gather of table (a.dtg:7): arithmetic fault, such as an integer "
       "divided by zero (SIGFPE)"},
      {"ill",
       "in entry `train` at gather of table (a.dtg:7): illegal instruction (SIGILL): compiled for "
       "another CPU?"},
      {"fill",
       "in entry `train`, reading input `images`: digits.csv: line 3 has 7 columns, not 65"},
      {"stack", "in entry `train` at gather of table (a.dtg:7): invalid memory access (SIGSEGV)"}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char want[300];
    snprintf(want, sizeof want, "device %d failed %s", who, ways[i][1]); /* no ranks */
    /* Only threads of ours have a stack for signals; sanitizers see an overflow before we do. */
    if (!strcmp(ways[i][0], "stack") && (who == 0 || getenv("DTRT_TEST_NO_STACK"))) continue;
    one(transport, n, who, ways[i][0], want);
  }
}

static volatile sig_atomic_t host_saw;
static sigjmp_buf host_jump;
static void host_handler(int sig) {
  host_saw = sig;
  siglongjmp(host_jump, 1);
}

/* A fault of the host's own, while a session is open, is the host's. */
static void host_fault(void) {
  signal(SIGSEGV, host_handler);
  Fixture f;
  program(&f, 2);
  how = "none";
  dtrt_session *s = harness_open(&f, "threads");
  volatile uintptr_t bad = 8;
  if (sigsetjmp(host_jump, 1) == 0) *(volatile int *)bad = 1;
  CHECK(host_saw == SIGSEGV, "the host's handler was not called");
  CHECK(dtrt_call_fill(s, 1, fill, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  dtrt_close(s);
  struct sigaction now_set;
  sigaction(SIGSEGV, NULL, &now_set);
  CHECK(now_set.sa_handler == host_handler, "the host's handler was not restored");
}

int main(int argc, char **argv) {
  if (argc == 3) {
    Fixture f;
    program(&f, 4);
    how = argv[2];
    victim = 2;
    dtrt_session *s = harness_open(&f, argv[1]);
    dtrt_status status = dtrt_call_fill(s, 1, fill, NULL, NULL);
    if (status && dtrt_session_nranks(s) == 1) fprintf(stderr, "%s\n", dtrt_session_error(s));
    dtrt_close(s);
    return status != DTRT_OK;
  }
  all("threads", 2, 1);
  all("threads", 8, 5);
  all("threads", 8, 0);
  all("threads", 8, 1); /* with fewer cores than 8 on a stack of ours, in this thread */
  all("self", 1, 0);
  host_fault();
  return harness_result();
}
