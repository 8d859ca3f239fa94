/* hang.c: one rank does not come, and is named.   mpiexec -n R hang DEVICES HOW
 * Of HOW before-mpi, before-open, call, step, stopped, barrier, never: rank 1 sleeps there
 * (stopped: stops itself). elsewhere: it is at another barrier; other-call: at a barrier while the
 * others run an entry. pending: where the others await an exchange in flight. slow: it comes late,
 * but in time. long: steps for a minute. Mesh [2, devices / 2], so that with 8 devices some wait
 * only for devices that wait for the one that hangs. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
#include "../runtime/harness.h"

static dtrt_dim dim = {.n = 64, .granule = 1};
static const dtrt_layout over_a = {1, 1, DTRT_SUM, &dim}, over_b = {1, 2, DTRT_SUM, &dim};
static const dtrt_layout whole = {1, 0, DTRT_SUM, &dim};
static const dtrt_exchange reduce_a = {.id = 0,
                                       .kind = DTRT_ALL_REDUCE,
                                       .dtype = DTRT_F32,
                                       .axes = 1,
                                       .from = &over_a,
                                       .to = &whole,
                                       .what = "x",
                                       .where = "a.dtg:8"},
                           reduce_b = {.id = 1,
                                       .kind = DTRT_ALL_REDUCE,
                                       .dtype = DTRT_F32,
                                       .axes = 2,
                                       .from = &over_b,
                                       .to = &whole,
                                       .what = "y",
                                       .where = "a.dtg:9"};
static const dtrt_exchange *const list[] = {&reduce_a, &reduce_b};
static const dtrt_step steps[] = {{.what = "product of w", .where = "a.dtg:7"},
                                  {.what = "all-reduce of x", .where = "a.dtg:8"},
                                  {.what = "all-reduce of y", .where = "a.dtg:9"},
                                  {.what = "wait for all-reduce of x", .where = "a.dtg:8"}};
static const char *how;
static int nranks, rank, ndevices;

static void hang(const char *where) {
  if (rank == 1 && !strcmp(how, where)) sleep(100);
}

/* As the kernel does it to a rank that takes too much memory. */
static void die(const char *where) {
  if (rank == 1 && !strcmp(how, where)) raise(SIGKILL);
  if (rank == 0 && !strncmp(how, "first-", 6) && !strcmp(how + 6, where)) raise(SIGKILL);
}

static void run(dtrt_device *dev) {
  int device = dev->coord[0] * (ndevices / 2) + dev->coord[1];
  int victim = ndevices / nranks; /* the first of rank 1 */
  if (device == victim && !strcmp(how, "stopped")) raise(SIGSTOP);
  if (device == victim && !strcmp(how, "slow")) sleep(4);
  if (device == victim) hang("step");
  if (device == victim) die("dies-step");
  bool forever = !strcmp(how, "long");
  for (int i = 0; i < (forever ? 600 : 3); i++) {
    if (forever) usleep(100000);
    dtrt_begin_step(dev, 1);
    if (!strcmp(how, "pending")) {
      if (device == victim && i == 1) hang("pending");
      dtrt_start_exchange(dev, 1, &reduce_a, dev->arena, dev->arena);
      dtrt_begin_step(dev, 3);
      dtrt_wait_exchange(dev, 1);
      continue;
    }
    dtrt_run_exchange(dev, &reduce_a, dev->arena, dev->arena);
    dtrt_begin_step(dev, 2);
    dtrt_run_exchange(dev, &reduce_b, dev->arena, dev->arena);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "hang DEVICES HOW\n"), 2;
  const char *text = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");
  rank = text ? atoi(text) : 0;
  nranks = size ? atoi(size) : 1;
  ndevices = atoi(argv[1]);
  how = argv[2];
  hang("before-mpi");
  int level;
  if (!strcmp(how, "before-open")) MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  hang("before-open");
  Fixture f;
  int mesh[] = {2, ndevices / 2};
  harness_program(&f, 2, mesh, 4096);
  dtrt_entry *e = harness_entry(&f, "train", run);
  e->nsteps = 4;
  e->step = steps;
  f.program.nexchanges = 2;
  f.program.exchange = list;
  dtrt_session *s = NULL;
  dtrt_options o = {.transport = "mpi", .timeout = strcmp(how, "slow") ? 3 : 12};
  if (strstr(how, "dies")) o.timeout = -1;
  dtrt_status status = dtrt_open(&f.program, &o, &s);
  if (!strcmp(how, "call")) hang("call");
  die("dies-call");
  if (!status && rank == 1 && !strcmp(how, "other-call"))
    status = dtrt_barrier(s, "saved", 0);
  else if (!status)
    status = dtrt_call(s, 1, NULL, NULL);
  hang("barrier");
  die("dies-barrier");
  bool other = rank == 1 && !strcmp(how, "elsewhere");
  if (!status) status = dtrt_barrier(s, other ? "loaded" : "saved", strcmp(how, "slow") ? 0 : -1);
  if (!status && !strcmp(how, "never")) return dtrt_close(s), 0;
  if (status && (rank == 0 || nranks == 1 || strstr(how, "dies")))
    fprintf(stderr, "%s\n", dtrt_session_error(s));
  if (status) usleep(200000); /* what rank 0 says comes first */
  if (status) _exit(1);
  dtrt_close(s);
  return 0;
}
