/* crew.c: the cores of a device. Every part of a loop runs once, whatever the numbers; what fails
 * on any core is told as if there were one; and a host that forks, or opens many sessions, goes on.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include "caches.h"
#include "harness.h"

enum { MOST = 3000 };
static const dtrt_step steps[] = {{.what = "gather of table", .where = "a.dtg:7"}};
static _Atomic int met[MOST], parts, others;
static int64_t count, grain;
static const char *how;
static int victim; /* core that fails */

static void part(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  CHECK(p[0] == dev && n[0] == 7, "the arguments of a part are others");
  const bool begins = from % grain == 0, ends = to % grain == 0 || to == count;
  CHECK(begins && ends, "[%ld, %ld)", (long)from, (long)to);
  for (int64_t i = from; i < to; i++) atomic_fetch_add(&met[i], 1);
  atomic_fetch_add(&parts, 1);
  if (dtrt_core() > 0) atomic_store(&others, 1);
#if defined(__SSE2__)
  volatile float tiny = 1e-38f, tenth = 0.1f;
  CHECK(tiny * tenth == 0, "core %d does not flush to zero", dtrt_core());
#endif
}

static void cover(dtrt_device *dev) {
  static const int64_t counts[] = {0, 1, 2, 3, 5, 8, 31, 64, 100, 1000, MOST};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (grain = 1; grain <= 256; grain = grain * 3 + 1) {
      count = counts[c];
      for (int i = 0; i < MOST; i++) atomic_store(&met[i], 0);
      dtrt_parallel(dev, part, count, grain, (void *const[]){dev}, (const int64_t[]){7});
      int wrong = 0;
      for (int i = 0; i < MOST; i++) wrong += atomic_load(&met[i]) != (i < count);
      CHECK(!wrong, "%d of %ld by %ld run not once", wrong, (long)count, (long)grain);
      CHECK(dtrt_core() == 0, "core %d outside of parts", dtrt_core());
    }
}

static void inner(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  if (n[0] < 0) {
    dtrt_parallel(dev, inner, to - from, 1, p, (const int64_t[]){dtrt_core()});
    return;
  }
  CHECK(dtrt_core() == n[0], "a part within a part runs on another core");
  atomic_fetch_add((_Atomic int *)p[0], (int)(to - from));
}

static void nested(dtrt_device *dev) {
  _Atomic int sum = 0;
  dtrt_parallel(dev, inner, 100, 1, (void *const[]){&sum}, (const int64_t[]){-1});
  CHECK(sum == 100, "%d", sum);
}

/* Only the victim's parts fail; the others wait until there was one, or core 0 would do them all.
 */
static _Atomic int failed;
__attribute__((no_sanitize("undefined", "address"))) static void
breaks(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  volatile int zero = 0;
  (void)p, (void)n, (void)from, (void)to;
  if (dtrt_core() != victim) {
    for (int i = 0; i < 20000 && !atomic_load(&failed); i++) usleep(100);
    return;
  }
  atomic_store(&failed, 1);
  if (!strcmp(how, "index")) dtrt_bad_index(dev, 12, 10);
  if (!strcmp(how, "segv")) *(volatile int *)(uintptr_t)(zero + 8) = 1;
  if (!strcmp(how, "fpe")) zero = 100000 / zero;
}

static void fails(dtrt_device *dev) {
  dtrt_begin_step(dev, 0);
  atomic_store(&failed, 0);
  dtrt_parallel(dev, breaks, 8, 1, NULL, NULL);
  CHECK(false, "went on after a part has failed");
}

static dtrt_session *open_one(Fixture *f, int devices, int cores, void (*run)(dtrt_device *)) {
  dtrt_session *s = NULL;
  const dtrt_options o = {.cores = cores};
  harness_program(f, devices > 1, &devices, 4096);
  dtrt_entry *e = harness_entry(f, "train", run);
  e->nsteps = 1, e->step = steps;
  CHECK(dtrt_open(&f->program, &o, &s) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(dtrt_session_cores(s) == cores || !cores, "%d cores", dtrt_session_cores(s));
  return s;
}

static void runs(int devices, int cores, void (*run)(dtrt_device *)) {
  Fixture f;
  dtrt_session *s = open_one(&f, devices, cores, run);
  for (int i = 0; i < 3; i++)
    CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  dtrt_close(s);
}

static void failing(int cores, int who) {
  static const char *const ways[][2] = {
      {"index", "index 12 is outside [0, 10)"},
      {"segv", "invalid memory access (SIGSEGV)"},
      {"fpe", "arithmetic fault, such as an integer divided by zero (SIGFPE)"}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    Fixture f;
    char want[300];
#if defined(__SANITIZE_THREAD__) /* which ends the process at a SIGFPE */
    if (!strcmp(ways[i][0], "fpe")) continue;
#endif
    how = ways[i][0], victim = who;
    dtrt_session *s = open_one(&f, 1, cores, fails);
    CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_FAILED, "%s on core %d did not fail", how, who);
    snprintf(want, sizeof want, "device 0 failed in entry `train` at gather of table (a.dtg:7): %s",
             ways[i][1]);
    CHECK(!strcmp(dtrt_session_error(s), want), "%s", dtrt_session_error(s));
    dtrt_close(s);
  }
}

static bool has_thread(const char *name) {
  bool found = false;
  DIR *d = opendir("/proc/self/task");
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[300], line[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f)) line[strcspn(line, "\n")] = 0;
    if (f) fclose(f);
    found = found || !strcmp(line, name);
  }
  if (d) closedir(d);
  return found;
}

/* Threads do not come along to a child; its session runs on one core. */
static void forks(void) {
  Fixture f;
  dtrt_session *s = open_one(&f, 1, 3, nested);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
    dtrt_close(s);
    _exit(harness_result());
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0, "the child: status %d", status);
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  dtrt_close(s);
}

static void options(void) {
  Fixture f;
  const int one = 1;
  dtrt_session *s = NULL;
  harness_program(&f, 0, &one, 64);
  CHECK(dtrt_open(&f.program, &(dtrt_options){.cores = -1}, &s) == DTRT_INVALID, "-1 cores");
  CHECK(strstr(dtrt_session_error(s), "-1 cores a device"), "%s", dtrt_session_error(s));
  dtrt_close(s);
  /* A misspelled word was taken for none: what was to be measured was something else. */
  static const char *const wrong[][3] = {
      {"DTRT_GEMM", "avx", "expected openblas, avx2, portable, pairs or avx512"},
      {"DTRT_PROGRESS", "poll ", "expected thread or poll"},
      {"DTRT_THREAD_EACH", "yes", "expected 0 or 1"},
      {"DTRT_MPI_SHARED", "off", "expected 0 or 1"},
      {"DTRT_SLOW", "1s", "not a number of seconds"},
      {"DTRT_TIMEOUT", "1m", "not a number of seconds"}};
  for (int i = 0; i < 6; i++) {
    char was[64];
    const char *set = getenv(wrong[i][0]);
    snprintf(was, sizeof was, "%s", set ? set : "");
    setenv(wrong[i][0], wrong[i][1], 1);
    CHECK(dtrt_open(&f.program, NULL, &s) == DTRT_INVALID, "%s=%s", wrong[i][0], wrong[i][1]);
    CHECK(strstr(dtrt_session_error(s), wrong[i][0]) && strstr(dtrt_session_error(s), wrong[i][2]),
          "%s", dtrt_session_error(s));
    dtrt_close(s);
    setenv(wrong[i][0], was, 1); /* an empty one counts as not set */
  }
  setenv("DTRT_CORES", "two", 1);
  CHECK(dtrt_open(&f.program, NULL, &s) == DTRT_INVALID, "DTRT_CORES=two");
  CHECK(strstr(dtrt_session_error(s), "DTRT_CORES is `two`"), "%s", dtrt_session_error(s));
  dtrt_close(s);
  setenv("DTRT_CORES", "3", 1);
  CHECK(dtrt_open(&f.program, NULL, &s) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(dtrt_session_cores(s) == 3, "%d cores", dtrt_session_cores(s));
  dtrt_close(s);
  unsetenv("DTRT_CORES");
}

/* Of more than the last cache holds the ends are not whole lines of it, and nothing around them is
 * written. */
static void copies_a_lot(dtrt_device *dev) {
  enum { AROUND = 100 };
  const int64_t last = caches_bytes(3), n = (last > 0 ? last : 1 << 20) / 2 + 77;
  unsigned char *from = malloc((size_t)n + 2 * AROUND), *to = malloc((size_t)n + 2 * AROUND);
  (void)dev;
  CHECK(from && to, "no memory for %ld bytes", (long)n);
  for (int64_t i = 0; from && to && i < n + 2 * AROUND; i++)
    from[i] = (unsigned char)(i * 7 + i / 997 % 5);
  for (int shift = 0; from && to && shift < 2; shift++) {
    unsigned char *at = to + 64 - (uintptr_t)to % 64 + 29 * shift;
    memset(to, 0xff, (size_t)n + 2 * AROUND);
    dtrt_copy(at, from + 3, n);
    CHECK(!memcmp(at, from + 3, (size_t)n), "%ld bytes differ", (long)n);
    CHECK(at[-1] == 0xff && at[n] == 0xff, "a byte beside them");
  }
  free(from);
  free(to);
}

int main(void) {
  static const int cores[] = {1, 2, 3, 7, 40};
  unsetenv("DTRT_CORES");
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
    runs(1, cores[i], cover);
    runs(1, cores[i], nested);
  }
  for (int k = 0; k < 1000 && !atomic_load(&others); k++) runs(1, 2, cover); /* of a busy machine */
  CHECK(atomic_load(&others), "no core but the first has run a part");
  runs(5, 3, nested); /* more devices than cores, each with more of them */
  runs(2, 0, nested);
  runs(1, 2, copies_a_lot);
  for (int who = 0; who < 3; who++) failing(3, who);
  Fixture f;
  dtrt_session *s = open_one(&f, 1, 2, nested);
  CHECK(has_thread("dtrt 0.1"), "no thread is called so");
  dtrt_close(s);
  CHECK(!has_thread("dtrt 0.1"), "the thread has outlived its session");
  forks();
  options();
  return harness_result();
}
