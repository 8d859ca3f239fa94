/* A hand-written program for the runtime: matrix products, exchanges and memory reads, timed where
 * they run.
 *
 * Its jobs are an input of the entry and the times an output, reduced to those of the slowest
 * device by an exchange of their own; so all MPI ranks see the same times and choose the same
 * number of iterations. */
#include "calibrate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, JOB_PRODUCT = PROBE_KINDS, JOB_READ };

/* The arena: job, times of this device, times of the slowest, two operands or blocks, a result. */
enum {
  AT_JOB = 0,
  AT_TIMES = 64,
  AT_SLOWEST = AT_TIMES + 128,
  AT_SUM = AT_SLOWEST + 128, /* of what was read */
  AT_A = 4096,
  MOST_BYTES = 16 << 20,
  AT_B = AT_A + MOST_BYTES,
  ARENA = AT_B + 2 * MOST_BYTES
};

static const int64_t sides[PROBE_PRODUCTS] = {256, 512, 1024};

/* -------- tables -------- */

/* Sizes are rows * columns; a vector has one column. */
#define ROWS0 1
#define ROWS1 32
#define ROWS2 128
#define ROWS3 512
#define ROWS4 2048
#define PLAIN(N)                                                                                   \
  { .n = (N), .granule = 1 }
#define CUT(N)                                                                                     \
  {                                                                                                \
    .n = (N), .granule = 1, .naxes = 1, .axis = { 0 }                                              \
  }
/* One row more on both sides. */
#define WIDE(N)                                                                                    \
  {                                                                                                \
    .n = (N), .granule = 1, .of = (N), .mul = 1, .div = 1, .first = -1, .last = 1, .naxes = 1,     \
    .axis = {                                                                                      \
      0                                                                                            \
    }                                                                                              \
  }
#define DIMS(R)                                                                                    \
  {                                                                                                \
    {PLAIN(R), PLAIN(R)}, {CUT(R), PLAIN(R)}, {PLAIN(R), CUT(R)}, { WIDE(R), PLAIN(R) }            \
  }
enum { WHOLE, BY_ROWS, BY_COLUMNS, WITH_HALO, FORMS };
static const dtrt_dim dims[PROBE_SIZES][FORMS][2] = {DIMS(ROWS0), DIMS(ROWS1), DIMS(ROWS2),
                                                     DIMS(ROWS3), DIMS(ROWS4)};
static const int64_t rows[PROBE_SIZES] = {ROWS0, ROWS1, ROWS2, ROWS3, ROWS4};

#define LAYOUTS(S)                                                                                 \
  {                                                                                                \
    {2, 0, DTRT_SUM, dims[S][WHOLE]}, {2, 0, DTRT_SUM, dims[S][BY_ROWS]},                          \
        {2, 0, DTRT_SUM, dims[S][BY_COLUMNS]}, {2, 0, DTRT_SUM, dims[S][WITH_HALO]}, {             \
      2, 1, DTRT_SUM, dims[S][WHOLE]                                                               \
    }                                                                                              \
  }
enum { PARTIAL = FORMS };
static const dtrt_layout layouts[PROBE_SIZES][FORMS + 1] = {LAYOUTS(0), LAYOUTS(1), LAYOUTS(2),
                                                            LAYOUTS(3), LAYOUTS(4)};

#define EXCHANGE(S, KIND, DTRT, FROM, TO)                                                          \
  {                                                                                                \
    .id = (S)*PROBE_KINDS + (KIND), .kind = (DTRT), .dtype = DTRT_F32, .axes = 1,                  \
    .from = &layouts[S][FROM], .to = &layouts[S][TO], .what = "calibrate", .where = ""             \
  }
#define EXCHANGES(S)                                                                               \
  {                                                                                                \
    EXCHANGE(S, PROBE_ALL_REDUCE, DTRT_ALL_REDUCE, PARTIAL, WHOLE),                                \
        EXCHANGE(S, PROBE_ALL_GATHER, DTRT_ALL_GATHER, BY_ROWS, WHOLE),                            \
        EXCHANGE(S, PROBE_ALL_TO_ALL, DTRT_ALL_TO_ALL, BY_ROWS, BY_COLUMNS),                       \
        EXCHANGE(S, PROBE_HALO, DTRT_HALO, BY_ROWS, WITH_HALO)                                     \
  }
static const dtrt_exchange exchanges[PROBE_SIZES][PROBE_KINDS] = {
    EXCHANGES(0), EXCHANGES(1), EXCHANGES(2), EXCHANGES(3), EXCHANGES(4)};

static const dtrt_dim time_dim = PLAIN(ROUNDS), job_dim = PLAIN(4);
static const dtrt_layout time_layout = {1, 0, DTRT_SUM, &time_dim},
                         times_layout = {1, 1, DTRT_MAX, &time_dim},
                         job_layout = {1, 0, DTRT_SUM, &job_dim};
static const dtrt_exchange slowest = {.id = PROBE_SIZES * PROBE_KINDS,
                                      .kind = DTRT_ALL_REDUCE,
                                      .dtype = DTRT_F64,
                                      .axes = 1,
                                      .from = &times_layout,
                                      .to = &time_layout,
                                      .what = "times",
                                      .where = ""};

/* -------- on the devices -------- */

double probe_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nothing(dtrt_device *dev) { memset(dev->arena, 0, AT_A); }

/* Memory that was never written is one page of zeros for all: it would be read too fast. */
static void touch(dtrt_device *dev, const int64_t *job) {
  if (job[0] == JOB_READ) {
    memset(dev->arena + AT_A, 1, (size_t)job[1]);
    return;
  }
  int64_t n = job[0] == JOB_PRODUCT ? sides[job[1]] : rows[job[1]];
  size_t bytes = (size_t)(n * n) * sizeof(float);
  memset(dev->arena + AT_A, 0, bytes);
  memset(dev->arena + AT_B, 0, bytes);
  if (job[0] == JOB_PRODUCT) memset(dev->arena + AT_B + MOST_BYTES, 0, bytes);
}

static void work(dtrt_device *dev, const int64_t *job) {
  char *a = dev->arena + AT_A, *b = dev->arena + AT_B;
  if (job[0] == JOB_READ) {
    *(volatile int64_t *)(void *)(dev->arena + AT_SUM) = read_stream(a, job[1]);
    return;
  }
  if (job[0] != JOB_PRODUCT) {
    dtrt_run_exchange(dev, &exchanges[job[1]][job[0]], a, b);
    return;
  }
  int64_t n = sides[job[1]];
  dtrt_gemm(DTRT_F32, 0, 0, n, n, n, a, n, b, n, b + MOST_BYTES, n, 0);
}

/* job: kind, size (of a read: bytes), turns, rounds. */
static void run(dtrt_device *dev) {
  const int64_t *job = (const int64_t *)(const void *)(dev->arena + AT_JOB);
  double *times = (double *)(void *)(dev->arena + AT_TIMES);
  touch(dev, job);
  for (int64_t r = 0; r < ROUNDS; r++) {
    times[r] = 0;
    if (r >= job[3]) continue;
    /* All begin together: the exchange waits for the last one. */
    dtrt_run_exchange(dev, &slowest, times, dev->arena + AT_SLOWEST);
    double start = probe_now();
    for (int64_t i = 0; i < job[2]; i++) work(dev, job);
    times[r] = (probe_now() - start) / (double)job[2];
  }
  dtrt_run_exchange(dev, &slowest, times, dev->arena + AT_SLOWEST);
}

/* -------- on the host -------- */

struct Probe {
  dtrt_program program;
  dtrt_entry entry[2];
  dtrt_tensor in, out;
  const char *axis, *no_const;
  int32_t devices;
  const dtrt_exchange *list[PROBE_SIZES * PROBE_KINDS + 1];
  dtrt_session *session;
  double noise;
};

static void describe(Probe *p, int devices) {
  p->axis = "d";
  p->devices = devices;
  p->in = (dtrt_tensor){.name = "job",
                        .dtype = DTRT_I64,
                        .layout = &job_layout,
                        .offset = AT_JOB,
                        .bytes = 32,
                        .dim_const = &p->no_const,
                        .where = ""};
  p->out = (dtrt_tensor){.name = "times",
                         .dtype = DTRT_F64,
                         .layout = &time_layout,
                         .offset = AT_SLOWEST,
                         .bytes = ROUNDS * 8,
                         .dim_const = &p->no_const,
                         .where = ""};
  p->entry[0] = (dtrt_entry){.name = "init", .run = nothing, .arena_bytes = ARENA};
  p->entry[1] = (dtrt_entry){.name = "run",
                             .run = run,
                             .nin = 1,
                             .nout = 1,
                             .in = &p->in,
                             .out = &p->out,
                             .arena_bytes = ARENA};
  for (int s = 0; s < PROBE_SIZES; s++)
    for (int k = 0; k < PROBE_KINDS; k++) p->list[s * PROBE_KINDS + k] = &exchanges[s][k];
  p->list[PROBE_SIZES * PROBE_KINDS] = &slowest;
  p->program = (dtrt_program){.abi = DTRT_ABI,
                              .name = "calibrate",
                              .naxes = 1,
                              .axis_name = &p->axis,
                              .axis_size = &p->devices,
                              .nentries = 2,
                              .entry = p->entry,
                              .nexchanges = PROBE_SIZES * PROBE_KINDS + 1,
                              .exchange = p->list};
}

Probe *probe_open(const char *transport, int devices, char **error) {
  Probe *p = calloc(1, sizeof *p);
  *error = NULL;
  if (!p) return NULL;
  describe(p, devices);
  dtrt_options o = {.transport = transport};
  if (dtrt_open(&p->program, &o, &p->session) == DTRT_OK) return p;
  *error = strdup(dtrt_session_error(p->session));
  probe_close(p);
  return NULL;
}

void probe_close(Probe *p) {
  if (p && p->session) dtrt_close(p->session);
  free(p);
}

const char *probe_error(const Probe *p) { return dtrt_session_error(p->session); }

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double probe_median(double *x, int n, double *noise) {
  qsort(x, (size_t)n, sizeof *x, compare);
  double median = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
  if (noise && x[0] > 0 && median / x[0] > *noise) *noise = median / x[0];
  return median;
}

double probe_noise(const Probe *p) { return p->noise; }

/* Rounds last at least `least` seconds, so that the clock and the meeting before a round do not
 * count. */
static double measure(Probe *p, int kind, int64_t size, bool quick) {
  int64_t job[4] = {kind, size, 1, 2};
  double times[ROUNDS], least = quick ? 2e-4 : 5e-3;
  const void *in[] = {job};
  void *out[] = {times};
  for (;;) {
    if (dtrt_call(p->session, 1, in, out)) return -1;
    if (job[3] > 2 || (kind == JOB_PRODUCT && quick)) break;
    double turns = least / (times[1] > 1e-8 ? times[1] : 1e-8);
    job[2] = turns < 1 ? 1 : (int64_t)turns + 1;
    job[3] = quick ? 3 : ROUNDS;
  }
  double median = probe_median(times, (int)job[3], kind == JOB_READ ? NULL : &p->noise);
  return kind == JOB_READ ? times[0] : median; /* they are sorted now */
}

double probe_product(Probe *p, int which, bool quick) {
  return measure(p, JOB_PRODUCT, which, quick);
}
double probe_read(Probe *p, int64_t bytes, bool quick) {
  return measure(p, JOB_READ, bytes, quick);
}
int64_t probe_read_most(void) { return ARENA - AT_A; }
double probe_exchange(Probe *p, int kind, int size, bool quick) {
  return measure(p, kind, size, quick);
}

LinkBy probe_by(const Probe *p) {
  int first, count;
  dtrt_local_devices(p->session, &first, &count);
  for (int i = 0;; i++) {
    dtrt_algorithm a = dtrt_session_algorithm(p->session, first, i);
    if (!a.name) return LINK_MEMORY;
    if (a.messages > 0) return LINK_MESSAGES;
  }
}

int64_t probe_product_size(int which) { return sides[which]; }
int64_t probe_exchange_count(int size) { return rows[size] * rows[size]; }
const dtrt_exchange *probe_tables(int kind, int size) { return &exchanges[size][kind]; }

const char *probe_exchange_name(int kind) {
  static const char *const names[] = {"all-reduce", "all-gather", "all-to-all", "halo"};
  return names[kind];
}

void probe_shape(int kind, int size, Shape *out) {
  (void)kind;
  *out = (Shape){2, {rows[size], rows[size]}};
}
