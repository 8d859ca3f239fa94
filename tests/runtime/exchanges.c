/* exchanges.c: every pair of layouts of rank 1 to 3 on small meshes: the right values arrive, from
 * the nearest owner, and the bytes received and sent, as the runtime counts them where they move,
 * are those of law.h: needed minus owned, a reduce-scatter or an all-reduce at its bound.
 * Scratch keeps to its bound. With predict.c linked in nothing runs, and the compiler's description
 * of the exchange is compared with the same figures. exchanges TRANSPORT [NDEVICES [STEP]]    only
 * the meshes of so many devices; every STEP-th pair exchanges large TRANSPORT   tensors that do not
 * fit the scratch; a few pairs exchanges flights TRANSPORT [NDEVICES [STEP]]   several in flight at
 * a time, or as one */
#include "harness.h"
#include "law.h"

/* Bytes that a device receives at most in this exchange, as the compiler predicts it (predict.c).
 */
__attribute__((weak)) int64_t predict_bytes(const Grid *g, const dtrt_exchange *x);

#ifndef DTRT_TEST_MESSAGES
#define DTRT_TEST_MESSAGES 0 /* 1: threads that send messages (rendezvous.c) */
#endif

enum { BATCH = 24, SCRATCH = 1 << 20 };

static Grid grid;
static int64_t to_offset, pair_bytes; /* of the blocks of a pair; of both */
static bool flights;
static int step = 1;
static bool shared_ranks; /* of whom the counters of what was sent may still be on their way */

/* One exchange with what is needed to check it. */
typedef struct Pair {
  dtrt_exchange x;
  const Laid *from, *to;
} Pair;
static const Pair *batch[BATCH];
static int batched;

static int device_of(const dtrt_device *dev) {
  int device = 0;
  for (int i = 0; i < grid.naxes; i++) device = device * grid.size[i] + dev->coord[i];
  return device;
}

/* The blocks of the pair that has place `place` in the arena. */
static float *from_of(dtrt_device *dev, int place) {
  return (float *)(void *)(dev->arena + place * pair_bytes);
}
static float *to_of(dtrt_device *dev, int place) {
  return (float *)(void *)(dev->arena + place * pair_bytes + to_offset);
}

static int64_t held_of(const dtrt_device *dev, const Pair *p) {
  int64_t held = 1;
  for (int i = 0; i < p->x.to->rank; i++)
    held *= dtrt_hi(dev, &p->x.to->dim[i]) - dtrt_lo(dev, &p->x.to->dim[i]);
  return held;
}

static void fill(dtrt_device *dev, const Pair *p, int place) {
  float *from = from_of(dev, place), *to = to_of(dev, place);
  int64_t at = 0, n = law_count(p->x.from), held = held_of(dev, p);
  int me = device_of(dev);
  for (int64_t e = 0; e < n; e++)
    if (p->from->held[e] >> me & 1) from[at++] = law_term(e, me);
  from[at] = -1;
  for (int64_t i = 0; i <= held; i++) to[i] = -1;
}

static void check(dtrt_device *dev, const Pair *p, int place) {
  const float *to = to_of(dev, place);
  int64_t at = 0, n = law_count(p->x.from), held = held_of(dev, p);
  int me = device_of(dev);
  for (int64_t e = 0; e < n; e++) {
    if (!(p->to->held[e] >> me & 1)) continue;
    float v = law_value(&grid, &p->x, p->from, e, me);
    CHECK(to[at] == v, "device %d element %ld: %g, not %g", me, (long)e, to[at], v);
    at++;
  }
  CHECK(at == held, "device %d holds %ld, not %ld", me, (long)held, (long)at);
  CHECK(to[held] == -1, "written past the end");
}

static void run_one(dtrt_device *dev, const Pair *p) {
  fill(dev, p, 0);
  dtrt_run_exchange(dev, &p->x, from_of(dev, 0), to_of(dev, 0));
  check(dev, p, 0);
}

/* Starts n, awaits them in another order, with one that is not in flight between. */
static void run_flights(dtrt_device *dev, const Pair *const *p, int n) {
  for (int i = 0; i < n; i++) {
    fill(dev, p[i], i);
    if (i != 2) dtrt_start_exchange(dev, i + 1, &p[i]->x, from_of(dev, i), to_of(dev, i));
  }
  if (n > 2) dtrt_run_exchange(dev, &p[2]->x, from_of(dev, 2), to_of(dev, 2));
  for (int k = 0; k < n; k++) {
    int i = (k * 3 + n / 2) % n; /* n is 8 or less */
    if (n % 3 == 0) i = n - 1 - k;
    if (i != 2) dtrt_wait_exchange(dev, i + 1);
    check(dev, p[i], i);
    dtrt_begin_step(dev, k);
  }
}

/* All in one call, or in one flight: the runtime finds out which can go as one. */
static void run_together(dtrt_device *dev, const Pair *const *p, int n, int flight) {
  const dtrt_exchange *x[DTRT_SLOTS];
  const void *from[DTRT_SLOTS];
  void *to[DTRT_SLOTS];
  for (int i = 0; i < n; i++) {
    fill(dev, p[i], i);
    x[i] = &p[i]->x, from[i] = from_of(dev, i), to[i] = to_of(dev, i);
  }
  if (flight) {
    dtrt_start_exchanges(dev, flight, n, x, from, to);
    dtrt_wait_exchange(dev, flight);
  } else {
    dtrt_run_exchanges(dev, n, x, from, to);
  }
  for (int i = 0; i < n; i++) check(dev, p[i], i);
}

static void run(dtrt_device *dev) {
  for (int i = 0, turn = 0; i < batched; turn++) {
    int n = batched - i < DTRT_SLOTS ? batched - i : DTRT_SLOTS;
    if (!flights)
      run_one(dev, batch[i]), n = 1;
    else if (turn % 3 == 0)
      run_flights(dev, batch + i, n);
    else
      run_together(dev, batch + i, n, turn % 3 == 1 ? 0 : DTRT_SLOTS);
    i += n;
  }
}

static int64_t scratch_bound(const Pair *p) {
  int64_t terms = 1;
  for (int i = 0; i < grid.naxes; i++)
    if (p->x.from->partial & 1u << i) terms *= grid.size[i];
  return 4096 + 16 * terms; /* where memory can be read; all of exchange.c's bounds are below */
}

/* Runs the batch; says whether all was right. Bytes are compared as sums over it. */
static bool run_batch(dtrt_session *s, bool messages) {
  int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  dtrt_traffic before[LAW_DEVICES];
  Moved sum = {0};
  int64_t most_scratch = 0;
  int failures = atomic_load(&harness_failures);
  for (int i = 0; i < n; i++) before[i] = dtrt_session_traffic(s, first + i);
  for (int i = 0; i < batched; i++) {
    const Pair *p = batch[i];
    Moved m = law_moved(&grid, &p->x, p->from, p->to);
    CHECK(!m.ambiguous, "the nearest owner is not one");
    for (int d = 0; d < grid.ndevices; d++) {
      sum.received[d] += m.received[d] * (int64_t)sizeof(float);
      sum.sent[d] += m.sent[d] * (int64_t)sizeof(float);
    }
    if (scratch_bound(p) > most_scratch) most_scratch = scratch_bound(p);
  }
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  for (int i = 0; i < n; i++) {
    dtrt_traffic t = dtrt_session_traffic(s, first + i);
    int64_t got = t.bytes - before[i].bytes, gave = t.sent - before[i].sent;
    CHECK(got == sum.received[first + i], "device %d received %ld bytes, not %ld", first + i,
          (long)got, (long)sum.received[first + i]);
    CHECK(shared_ranks || gave == sum.sent[first + i], "device %d sent %ld bytes, not %ld",
          first + i, (long)gave, (long)sum.sent[first + i]);
    CHECK(t.scratch <= (messages ? flights ? 4 * SCRATCH : SCRATCH : most_scratch) ||
              t.scratch == before[i].scratch,
          "device %d took %ld bytes of scratch", first + i, (long)t.scratch);
  }
  return atomic_load(&harness_failures) == failures;
}

/* All pairs of a session, in batches; what goes wrong is run again by itself, to be named. */
static int64_t run_all(dtrt_session *s, const Pair *p, int total, int every, bool messages) {
  int64_t done = 0;
  for (int i = 0; i < total;) {
    for (batched = 0; batched < BATCH && i < total; i += every) batch[batched++] = &p[i];
    done += batched;
    if (run_batch(s, messages)) continue;
    const Pair *all[BATCH];
    int n = batched;
    memcpy(all, batch, sizeof all);
    batched = 1;
    for (int j = 0; j < n && atomic_load(&harness_failures) < 40; j++) {
      batch[0] = all[j];
      if (!run_batch(s, messages)) law_print(&grid, &all[j]->x);
    }
  }
  return done;
}

static int64_t predict_all(const Pair *p, int total) {
  int64_t done = 0;
  for (int i = 0; i < total; i += step) {
    Moved m = law_moved(&grid, &p[i].x, p[i].from, p[i].to);
    int64_t said = predict_bytes(&grid, &p[i].x), is = m.most * (int64_t)sizeof(float);
    if (said < 0) continue;
    done++;
    if (said == is) continue;
    CHECK(said == is, "the compiler predicts %ld bytes, not %ld", (long)said, (long)is);
    if (atomic_load(&harness_failures) < 20) law_print(&grid, &p[i].x);
  }
  return done;
}

typedef struct Set { /* of layouts */
  Laid *at;
  int n;
} Set;

static Set new_set(int rank, const int64_t *n, bool granules, bool windows) {
  Set s = {calloc(LAW_LAYOUTS * (1 + LAW_WINDOWS), sizeof(Laid)), 0};
  s.n = law_layouts(&grid, s.at, rank, n, granules);
  int plain = s.n;
  for (int w = 0; w < (windows ? LAW_WINDOWS : 0); w++)
    for (int i = 0; i < plain; i++) {
      s.at[s.n] = s.at[i];
      s.n += law_window(&s.at[s.n], w);
    }
  for (int i = 0; i < s.n; i++) {
    s.at[i].l.dim = s.at[i].dim;
    law_hold(&grid, &s.at[i]);
  }
  return s;
}

static void free_set(Set *s) {
  for (int i = 0; i < s->n; i++) free(s->at[i].held);
  free(s->at);
}

/* Pairs of plain layouts, all; with windows, and by their largest instead of their sum, every
 * `sparse`-th. */
static int pairs_of(const Set *from, const Set *most, const Set *to, int nplain, int sparse,
                    Pair *out) {
  int total = 0, skipped = 0;
  for (int i = 0; i < from->n; i++)
    for (int j = 0; j < to->n; j++)
      for (int op = 0; op < (from->at[i].l.partial && !to->at[j].l.partial ? 2 : 1); op++) {
        if ((op || j >= nplain) && skipped++ % sparse) continue;
        const Laid *f = op ? &most->at[i] : &from->at[i], *t = &to->at[j];
        out[total] = (Pair){.x = {.id = total,
                                  .kind = DTRT_BOXES,
                                  .dtype = DTRT_F32,
                                  .from = &f->l,
                                  .to = &t->l,
                                  .what = "x",
                                  .where = "exchanges.c:1"},
                            .from = f,
                            .to = t};
        total++;
      }
  return total;
}

static int64_t run_pairs(const char *transport, const Pair *p, int total, bool large) {
  const dtrt_exchange **list = calloc((size_t)total, sizeof *list);
  for (int i = 0; i < total; i++) list[i] = &p[i].x;
  to_offset = (law_count(p[0].x.from) * 4 + 127) / 64 * 64;
  Fixture f;
  pair_bytes = (to_offset * 2 + 127) / 64 * 64;
  harness_program(&f, grid.naxes, grid.size, pair_bytes * (flights ? DTRT_SLOTS : 1));
  f.program.nexchanges = total;
  f.program.exchange = list;
  harness_entry(&f, "all", run);
  dtrt_session *s = harness_open(&f, transport);
  const char *shared = getenv("DTRT_MPI_SHARED");
  bool ranks = dtrt_session_nranks(s) > 1, apart = shared && !strcmp(shared, "0");
  shared_ranks = ranks && !apart;
  bool messages = ranks ? apart : DTRT_TEST_MESSAGES;
  int64_t done = run_all(s, p, total, large ? total / 5 + 1 : step, messages);
  if (!large) run_all(s, p, total, 7 * step, messages); /* with plans made before */
  dtrt_close(s);
  free(list);
  return done;
}

static int64_t shape_pairs(const char *transport, int rank, const int64_t *n, bool granules,
                           bool large) {
  Set from = new_set(rank, n, granules, false), most = new_set(rank, n, granules, false);
  Set to = new_set(rank, n, false, !large);
  for (int i = 0; i < most.n; i++) most.at[i].l.reduce = DTRT_MAX;
  Pair *p = calloc((size_t)from.n * (size_t)to.n * 2, sizeof *p);
  int total = pairs_of(&from, &most, &to, from.n, grid.naxes == 3 ? 7 : 1, p);
  int64_t done = predict_bytes ? predict_all(p, total) : run_pairs(transport, p, total, large);
  free_set(&from);
  free_set(&most);
  free_set(&to);
  free(p);
  return done;
}

int main(int argc, char **argv) {
  static const int meshes[][4] = {{1, 2},    {1, 3},    {1, 4},      {2, 2, 2},
                                  {2, 2, 3}, {2, 1, 2}, {3, 2, 2, 2}};
  static const struct {
    int rank;
    int64_t n[3];
    bool granules, large;
  } shapes[] = {
      {1, {12}, false, false},      {1, {7}, false, false},       {1, {3}, false, false},
      {1, {9}, true, false},        {1, {2600}, false, false},    {2, {6, 5}, false, false},
      {2, {2, 9}, true, false},     {2, {24, 35}, false, false},  {2, {1, 0}, false, false},
      {3, {4, 3, 5}, false, false}, {3, {2, 6, 3}, true, false},  {3, {8, 4, 2}, false, false},
      {2, {600, 901}, false, true}, {3, {60, 70, 90}, true, true}};
  bool large = argc > 1 && !strcmp(argv[1], "large");
  flights = argc > 1 && !strcmp(argv[1], "flights");
  if (large || flights) argc--, argv++;
  const char *transport = argc > 1 ? argv[1] : "threads";
  int only = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3 && atoi(argv[3]) > 0) step = atoi(argv[3]);
  int64_t total = 0;
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
    grid = grid_of(meshes[i][0], meshes[i] + 1);
    if (large ? i != 3 && i != 4 : only && only != grid.ndevices) continue; /* 2x2 and 2x3 */
    for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
      if (shapes[j].large == large)
        total += shape_pairs(transport, shapes[j].rank, shapes[j].n, shapes[j].granules, large);
  }
  printf("%ld pairs\n", (long)total);
  return harness_result();
}
