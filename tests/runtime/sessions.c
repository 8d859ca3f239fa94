/* sessions.c: calls, variables, added programs, wrong arguments, several sessions at once, many
 * devices. */
#include <pthread.h>
#include "harness.h"

/* A model of one variable w[12] split over a mesh axis: `step` adds x to it and returns the sum of
 * both w and x as a scalar; `echo` returns its input. */
static const dtrt_dim cut12 = {.n = 12, .granule = 1, .naxes = 1};
static const dtrt_dim cut2d[] = {{.n = 5, .granule = 1}, {.n = 7, .granule = 1, .naxes = 1}};
static const dtrt_layout split = {1, 0, DTRT_SUM, &cut12};
static const dtrt_layout scalar_part = {0, 1, DTRT_SUM, NULL}, scalar = {0, 0, DTRT_SUM, NULL};
static const dtrt_layout columns = {2, 0, DTRT_SUM, cut2d};
static const dtrt_exchange sum_x = {.id = 0,
                                    .kind = DTRT_ALL_REDUCE,
                                    .dtype = DTRT_F32,
                                    .axes = 1,
                                    .from = &scalar_part,
                                    .to = &scalar,
                                    .what = "s",
                                    .where = "s:1"};
static const dtrt_exchange *const list[] = {&sum_x};
static const dtrt_tensor var = {
    .name = "m.w", .dtype = DTRT_F32, .trainable = 1, .layout = &split, .offset = 64, .bytes = 48};
static const dtrt_tensor step_in[] = {
    {.name = "x", .dtype = DTRT_F32, .layout = &split, .offset = 128}};
static const dtrt_tensor step_out[] = {
    {.name = "sum", .dtype = DTRT_F32, .layout = &scalar, .offset = 64},
    {.name = "w", .dtype = DTRT_F32, .layout = &split, .offset = 256}};
static const dtrt_tensor echo_io[] = {
    {.name = "y", .dtype = DTRT_I64, .layout = &columns, .offset = 512}};

static void init(dtrt_device *dev) {
  float *w = (float *)(void *)(dev->vars + 64);
  int64_t lo = dtrt_lo(dev, &cut12), hi = dtrt_hi(dev, &cut12);
  for (int64_t i = lo; i < hi; i++) w[i - lo] = (float)i + (float)dev->seed;
}

static void step(dtrt_device *dev) {
  float *w = (float *)(void *)(dev->vars + 64), *x = (float *)(void *)(dev->arena + 128);
  float *out = (float *)(void *)(dev->arena + 256), *sum = (float *)(void *)(dev->arena + 64);
  int64_t n = dtrt_hi(dev, &cut12) - dtrt_lo(dev, &cut12);
  *sum = 0;
  for (int64_t i = 0; i < n; i++) {
    w[i] += x[i];
    *sum += w[i];
    out[i] = w[i];
  }
  dtrt_run_exchange(dev, &sum_x, sum, sum);
}

static void program(Fixture *f, int n) {
  int size[] = {n};
  harness_program(f, 1, size, 1024);
  f->entry[0].run = init;
  dtrt_entry *e = harness_entry(f, "step", step);
  *e = (dtrt_entry){.name = "step",
                    .run = step,
                    .nin = 1,
                    .nout = 2,
                    .in = step_in,
                    .out = step_out,
                    .assigns = 1,
                    .arena_bytes = 1024};
  e = harness_entry(f, "echo", harness_nothing);
  e->nin = e->nout = 1;
  e->in = e->out = echo_io;
  f->program.nvars = 1;
  f->program.var = &var;
  f->program.vars_bytes = 128;
  f->program.nexchanges = 1;
  f->program.exchange = list;
}

static void use(const char *transport, int n, int times) {
  Fixture f;
  program(&f, n);
  dtrt_session *s;
  dtrt_options o = {.transport = transport, .seed = 3};
  CHECK(dtrt_open(&f.program, &o, &s) == DTRT_OK, "%s", dtrt_session_error(s));
  float x[12], w[12], sum;
  for (int i = 0; i < 12; i++) x[i] = (float)(i + 1);
  const void *in[] = {x};
  void *out[] = {&sum, w};
  for (int t = 1; t <= times; t++) {
    memset(w, 0, sizeof w);
    CHECK(dtrt_call(s, 1, in, out) == DTRT_OK, "%s", dtrt_session_error(s));
    float want = 0;
    for (int i = 0; i < 12; i++) {
      CHECK(w[i] == (float)(i + 3 + t * (i + 1)), "%s %d: w[%d] = %g", transport, n, i, w[i]);
      want += w[i];
    }
    CHECK(sum == want, "%g, not %g", sum, want);
  }
  out[1] = NULL;
  CHECK(dtrt_call(s, 1, in, out) == DTRT_OK, "an output not wanted");
  CHECK(dtrt_get_var(s, 0, w, sizeof w) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(w[11] == (float)(11 + 3 + (times + 1) * 12), "w[11] = %g", w[11]);
  CHECK(dtrt_set_var(s, 0, x, sizeof x) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(dtrt_get_var(s, 0, w, sizeof w) == DTRT_OK && !memcmp(w, x, sizeof x), "set, then get");
  int64_t y[35], z[35] = {0};
  for (int i = 0; i < 35; i++) y[i] = i * i;
  const void *yin[] = {y};
  void *zout[] = {z};
  CHECK(dtrt_call(s, dtrt_find_entry(&f.program, "echo"), yin, zout) == DTRT_OK, "echo");
  CHECK(!memcmp(y, z, sizeof y), "echo of columns");
  dtrt_close(s);
}

static void wrong(void) {
  Fixture f, g;
  program(&f, 2);
  dtrt_session *s;
  CHECK(dtrt_open(&f.program, &(dtrt_options){.transport = "pigeon"}, &s) == DTRT_INVALID,
        "pigeon");
  CHECK(strstr(dtrt_session_error(s), "pigeon"), "%s", dtrt_session_error(s));
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_INVALID, "call of a session that did not open");
  dtrt_close(s);
  CHECK(dtrt_open(&f.program, &(dtrt_options){.transport = "self"}, &s) == DTRT_INVALID,
        "self of 2");
  CHECK(strstr(dtrt_session_error(s), "threads"), "%s", dtrt_session_error(s));
  dtrt_close(s);
  dtrt_close(NULL);
  g = f;
  g.program.abi = 99;
  CHECK(dtrt_open(&g.program, NULL, &s) == DTRT_INVALID, "abi");
  dtrt_close(s);
  CHECK(dtrt_open(NULL, NULL, &s) == DTRT_INVALID, "no program");
  dtrt_close(s);

  s = harness_open(&f, "threads");
  float x[12] = {0};
  const void *in[] = {NULL};
  CHECK(dtrt_call(s, 1, in, NULL) == DTRT_INVALID, "no input");
  CHECK(strstr(dtrt_session_error(s), "`x`"), "%s", dtrt_session_error(s));
  CHECK(dtrt_call(s, 9, NULL, NULL) == DTRT_INVALID && dtrt_call(s, -1, NULL, NULL) == DTRT_INVALID,
        "bad argument");
  CHECK(dtrt_get_var(s, 0, x, 47) == DTRT_INVALID, "wrong size");
  CHECK(strstr(dtrt_session_error(s), "m.w has 48 bytes, not 47"), "%s", dtrt_session_error(s));
  CHECK(dtrt_get_var(s, 1, x, 48) == DTRT_INVALID && dtrt_set_var(s, -1, x, 48) == DTRT_INVALID,
        "bad argument");
  CHECK(dtrt_get_var(s, 0, NULL, 48) == DTRT_INVALID, "no buffer");
  in[0] = x;
  CHECK(dtrt_call(s, 1, in, NULL) == DTRT_OK, "still usable: %s", dtrt_session_error(s));
  CHECK(dtrt_call_fill_in(s, 1, 0, NULL, NULL, NULL) == DTRT_INVALID, "no such program");

  program(&g, 3);
  int which = -1;
  CHECK(dtrt_add_program(s, &g.program, &which) == DTRT_INVALID, "another mesh");
  program(&g, 2);
  dtrt_tensor other = var;
  other.name = "m.v";
  g.program.var = &other;
  CHECK(dtrt_add_program(s, &g.program, &which) == DTRT_INVALID, "another variable");
  CHECK(strstr(dtrt_session_error(s), "m.v, not m.w"), "%s", dtrt_session_error(s));
  dtrt_close(s);
}

/* -------- another program on the same variables -------- */

static int fill_ones(void *user, int device, int input, const int64_t *lo, const int64_t *hi,
                     void *to, char *why) {
  (void)device;
  (void)input;
  (void)why;
  for (int64_t i = 0; i < hi[0] - lo[0]; i++) ((float *)to)[i] = 1;
  *(_Atomic int64_t *)user += hi[0] - lo[0];
  return 0;
}

static void added(void) {
  Fixture f, g;
  program(&f, 4);
  program(&g, 4);
  g.entry[1].arena_bytes = 5 << 20; /* a larger arena, on huge pages */
  dtrt_session *s = harness_open(&f, "threads");
  int which = 0;
  int64_t before = dtrt_session_memory(s);
  CHECK(dtrt_add_program(s, &g.program, &which) == DTRT_OK && which == 1, "%s",
        dtrt_session_error(s));
  CHECK(dtrt_session_memory(s) > before + (4 << 20), "the arena has not grown");
  _Atomic int64_t filled = 0;
  float sum, w[12];
  void *out[] = {&sum, w};
  CHECK(dtrt_call_fill_in(s, which, 1, fill_ones, &filled, out) == DTRT_OK, "%s",
        dtrt_session_error(s));
  CHECK(dtrt_call_fill(s, 1, fill_ones, &filled, out) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(filled == 24, "%ld elements filled", (long)filled);
  for (int i = 0; i < 12; i++) CHECK(w[i] == (float)(i + 2), "w[%d] = %g", i, w[i]);
  dtrt_close(s);
}

/* -------- several calls in one -------- */

/* The results of n calls one by one, and in one call. */
static void many_as_one_by_one(int devices, int check_nan, int n) {
  Fixture f;
  float x[9][12], sum[9], w[9][12], sums[9], ws[9][12];
  dtrt_session *one = NULL, *all = NULL;
  const dtrt_options o = {.transport = devices == 1 ? "self" : "threads", .check_nan = check_nan};
  program(&f, devices);
  CHECK(!dtrt_open(&f.program, &o, &one) && !dtrt_open(&f.program, &o, &all), "open");
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 12; i++) x[k][i] = (float)((k * 5 + i * 3) % 7);
  for (int k = 0; k < n; k++)
    CHECK(!dtrt_call(one, 1, (const void *[]){x[k]}, (void *[]){&sum[k], w[k]}), "call %d", k);
  const void *in[] = {x};
  void *out[] = {sums, ws};
  int64_t in_bytes[] = {48 * n}, out_bytes[] = {4 * n, 48 * n};
  CHECK(!dtrt_call_many(all, 1, n, in, in_bytes, out, out_bytes), "%s", dtrt_session_error(all));
  CHECK(!memcmp(sum, sums, 4 * (size_t)n) && !memcmp(w, ws, 48 * (size_t)n), "%d devices, %d calls",
        devices, n);
  /* One input for all, and outputs that nobody wants. */
  in_bytes[0] = 48;
  for (int k = 0; k < n; k++)
    CHECK(!dtrt_call(one, 1, (const void *[]){x[0]}, (void *[]){&sum[k], NULL}), "call %d", k);
  CHECK(!dtrt_call_many(all, 1, n, in, in_bytes, (void *[]){sums, NULL}, out_bytes), "%s",
        dtrt_session_error(all));
  CHECK(!memcmp(sum, sums, 4 * (size_t)n), "one input for all");
  dtrt_close(one);
  dtrt_close(all);
}

static void many(void) {
  Fixture f;
  for (int devices = 1; devices <= 12; devices += devices < 4 ? 1 : 4)
    for (int n = 1; n <= 9; n += 4) many_as_one_by_one(devices, DTRT_CHECK_OFF, n);
  many_as_one_by_one(3, DTRT_CHECK_CHEAP, 5);
  program(&f, 2);
  dtrt_session *s = harness_open(&f, "threads");
  float x[24] = {0};
  const void *in[] = {x};
  void *out[] = {x, NULL};
  int64_t bytes[] = {96, 0}, wrong[] = {95, 0};
  CHECK(dtrt_call_many(s, 1, 0, in, bytes, NULL, NULL) == DTRT_INVALID, "no calls");
  CHECK(strstr(dtrt_session_error(s), "0 calls, expected at least 1"), "%s", dtrt_session_error(s));
  CHECK(dtrt_call_many(s, 1, 2, in, wrong, NULL, NULL) == DTRT_INVALID, "a wrong size");
  CHECK(strstr(dtrt_session_error(s), "input `x` of 2 calls has 95 bytes, not 2 times 48"), "%s",
        dtrt_session_error(s));
  CHECK(dtrt_call_many(s, 1, 2, in, bytes, out, (int64_t[]){4, 0}) == DTRT_INVALID, "no room");
  CHECK(strstr(dtrt_session_error(s), "output `sum` of 2 calls has 4 bytes, not 2 times 4"), "%s",
        dtrt_session_error(s));
  CHECK(dtrt_call_many(s, 1, (int64_t)1 << 62, in, bytes, NULL, NULL) == DTRT_INVALID,
        "far too many");
  CHECK(dtrt_call_many(s, 1, 2, in, NULL, NULL, NULL) == DTRT_INVALID, "no sizes");
  CHECK(dtrt_call_many(s, 1, 2, (const void *[]){NULL}, bytes, NULL, NULL) == DTRT_INVALID,
        "no input");
  CHECK(strstr(dtrt_session_error(s), "input `x` is not given"), "%s", dtrt_session_error(s));
  CHECK(dtrt_call_many(s, 9, 2, in, bytes, NULL, NULL) == DTRT_INVALID, "no such entry");
  CHECK(dtrt_call_many(s, 1, 2, in, bytes, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  dtrt_close(s);
}

#if defined(__SSE2__)
static volatile float tiny = 0x1p-126f, half = 0.5f, sixteenth = 0x1p-130f;

static void decay(dtrt_device *dev) {
  (void)dev;
  CHECK(tiny * half == 0, "a subnormal result");
  CHECK(sixteenth * 16 == tiny, "a subnormal operand is read as it is");
}

/* Adam's moments of weights without gradients decayed into subnormal numbers, and from step 800 on
 * a step took twice as long. The host's own arithmetic stays as it was. */
static void subnormal_results_slowed_training(const char *transport, int n) {
  Fixture f;
  harness_program(&f, 1, &n, 64);
  harness_entry(&f, "decay", decay);
  dtrt_session *s = harness_open(&f, transport);
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  CHECK(tiny * half == 0x1p-127f, "the host flushes to zero after a call");
  dtrt_close(s);
}
#endif

static void *in_thread(void *n) {
  use("threads", *(int *)n, 300);
  return NULL;
}

int main(void) {
  use("self", 1, 5);
  use(NULL, 1, 5);
  for (int n = 1; n <= 16; n++) use("threads", n, 50); /* more than 12: some blocks are empty */
  wrong();
  added();
  many();
#if defined(__SSE2__)
  subnormal_results_slowed_training("self", 1);
  subnormal_results_slowed_training("threads", 3);
#endif
  pthread_t t[3];
  int n[] = {2, 3, 8};
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, in_thread, &n[i]);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return harness_result();
}
