/* exchanges.c: every pair of layouts of rank 1 to 3 on small meshes: the right values arrive, from
 * the nearest owner, and the bytes received and sent, as the runtime counts them where they move,
 * are those of law.h: needed minus owned, a reduce-scatter or an all-reduce at its bound.
 * Scratch keeps to its bound. With predict.c linked in nothing runs, and the compiler's description
 * of the exchange is compared with the same figures. exchanges TRANSPORT [NDEVICES [STEP]]    only
 * the meshes of so many devices; every STEP-th pair exchanges large TRANSPORT   tensors that do not
 * fit the scratch; a few pairs exchanges flights TRANSPORT [NDEVICES [STEP]]   several in flight at
 * a time, or as one
 *   exchanges random TRANSPORT NDEVICES SEED [SESSIONS]   sessions one after the other, each of
 * another mesh and of tensors of other sizes: exchanges of any kind one by one, as one and in
 * flight, and devices that are late now and then. Nothing may hang whoever waits for whom, or be
 * taken for what another exchange or session has sent */
#include "harness.h"
#include <time.h>
#include "law.h"

/* Bytes that a device receives at most in this exchange, as the compiler predicts it (predict.c).
 */
__attribute__((weak)) int64_t predict_bytes(const Grid *g, const dtrt_exchange *x);

#ifndef DTRT_TEST_MESSAGES
#define DTRT_TEST_MESSAGES 0 /* 1: threads that send messages (rendezvous.c) */
#endif

enum { BATCH = 24, SCRATCH = 4 << 20 };

static Grid grid;
static int64_t to_offset, pair_bytes; /* of the blocks of a pair; of both */
static bool flights;
static int step = 1;
static bool places; /* devices share memory with some that they exchange with, not with all: */
static int place_of[LAW_DEVICES];
static bool shared_ranks; /* of whom the counters of what was sent may still be on their way */

/* One exchange with what is needed to check it. */
typedef struct Pair {
  dtrt_exchange x;
  const Laid *from, *to;
} Pair;
static const Pair *batch[BATCH];
static int batched;
static uint64_t seed; /* of random sessions; 0: all pairs in their order, and no device is late */
static unsigned calls[LAW_DEVICES];

static uint64_t draw(uint64_t n) { /* the same on all ranks */
  return (seed = harness_mix(seed)) % n;
}

static int device_of(const dtrt_device *dev) {
  int device = 0;
  for (int i = 0; i < grid.naxes; i++) device = device * grid.size[i] + dev->coord[i];
  return device;
}

/* Each device at times of its own. */
static void be_late(const dtrt_device *dev) {
  const int me = device_of(dev);
  if (!seed) return;
  const uint64_t r = harness_mix(seed ^ harness_mix((uint64_t)(me + 1) << 32 | calls[me]++));
  if (r % 16 == 0) nanosleep(&(struct timespec){.tv_nsec = (long)(r >> 8) % 1500000}, NULL);
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

static uint32_t copied_of(const Pair *p) { return places ? law_copied(&grid, &p->x, place_of) : 0; }

static void fill(dtrt_device *dev, const Pair *p, int place) {
  float *from = from_of(dev, place), *to = to_of(dev, place);
  be_late(dev);
  int64_t at = 0, n = law_count(p->x.from), held = held_of(dev, p);
  int me = device_of(dev), alike = law_first(&grid, copied_of(p), me);
  for (int64_t e = 0; e < n; e++)
    if (p->from->held[e] >> me & 1) from[at++] = law_term(e, alike);
  from[at] = -1;
  for (int64_t i = 0; i <= held; i++) to[i] = -1;
}

/* Where the device's block has element e of the tensor: cyclic windows begin below 0. */
static int64_t place_in_block(const dtrt_device *dev, const dtrt_layout *l, int64_t e) {
  int64_t at = 0, stride = 1;
  for (int i = l->rank - 1; i >= 0; i--) {
    const dtrt_dim *d = &l->dim[i];
    const int64_t lo = dtrt_lo(dev, d), hi = dtrt_hi(dev, d);
    int64_t c = e % d->n;
    if (d->cyclic && c < lo) c += d->n;
    if (d->cyclic && c >= hi) c -= d->n;
    at += (c - lo) * stride;
    stride *= hi - lo;
    e /= d->n;
  }
  return at;
}

static void check(dtrt_device *dev, const Pair *p, int place) {
  const float *to = to_of(dev, place);
  be_late(dev);
  int64_t at = 0, n = law_count(p->x.from), held = held_of(dev, p);
  int me = device_of(dev);
  const uint32_t copied = copied_of(p);
  for (int64_t e = 0; e < n; e++) {
    if (!(p->to->held[e] >> me & 1)) continue;
    float v = law_value(&grid, &p->x, p->from, e, me, copied);
    const float is = to[place_in_block(dev, p->x.to, e)];
    CHECK(is == v, "device %d element %ld: %g, not %g", me, (long)e, is, v);
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
    const int how = seed ? (int)(harness_mix(seed + (uint64_t)turn) % 5) : turn % 3;
    int n = batched - i < DTRT_SLOTS ? batched - i : DTRT_SLOTS;
    if (!flights || how > 2)
      run_one(dev, batch[i]), n = 1;
    else if (how == 0)
      run_flights(dev, batch + i, n);
    else
      run_together(dev, batch + i, n, how == 1 ? 0 : DTRT_SLOTS);
    i += n;
  }
}

static int64_t scratch_bound(const Pair *p) {
  int64_t terms = 1;
  for (int i = 0; i < grid.naxes; i++)
    if (p->x.from->partial & 1u << i) terms *= grid.size[i];
  return 4096 + 16 * terms; /* where memory can be read; all of exchange.c's bounds are below */
}

/* -------- what was moved, as sums over the batch -------- */

typedef struct Counted { /* of the devices of this process, before */
  dtrt_traffic traffic[LAW_DEVICES];
  int64_t far; /* bytes by messages, of all of them */
} Counted;

static Counted count(const dtrt_session *s) {
  const int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  Counted c = {.far = 0};
  for (int i = 0; i < n; i++) {
    c.traffic[i] = dtrt_session_traffic(s, first + i);
    for (int k = 0; dtrt_session_algorithm(s, first + i, k).name; k++)
      c.far += dtrt_session_algorithm(s, first + i, k).bytes;
  }
  return c;
}

/* Devices share memory with all that they exchange with, or with none. */
static void check_alone(const dtrt_session *s, const Counted *before, bool messages) {
  const int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  Moved sum = {0};
  /* Chunks of several all-reduces as one are those of all laid end to end: less than an element
   * apart for each, times the terms of one. */
  const int64_t off = seed ? (int64_t)batched * grid.ndevices * (int64_t)sizeof(float) : 0;
  for (int i = 0; i < batched; i++) {
    const Moved m = law_moved(&grid, &batch[i]->x, batch[i]->from, batch[i]->to);
    for (int d = 0; d < grid.ndevices; d++) {
      sum.received[d] += m.received[d] * (int64_t)sizeof(float);
      sum.sent[d] += m.sent[d] * (int64_t)sizeof(float);
      if (messages && m.all_terms[d] > m.received[d])
        sum.all_terms[d] += (m.all_terms[d] - m.received[d]) * (int64_t)sizeof(float);
    }
  }
  for (int i = 0; i < n; i++) {
    const dtrt_traffic t = dtrt_session_traffic(s, first + i);
    const int64_t got = t.bytes - before->traffic[i].bytes;
    const int64_t gave = t.sent - before->traffic[i].sent;
    /* Which way an all-reduce by messages goes, algorithms.c compares with its price. */
    const int64_t more = sum.all_terms[first + i] + off;
    CHECK(got >= sum.received[first + i] - off && got <= sum.received[first + i] + more,
          "device %d received %ld bytes, not %ld", first + i, (long)got,
          (long)sum.received[first + i]);
    CHECK(shared_ranks ||
              (gave >= sum.sent[first + i] - more && gave <= sum.sent[first + i] + more),
          "device %d sent %ld bytes, not %ld", first + i, (long)gave, (long)sum.sent[first + i]);
  }
}

/* Places of several devices: all of this process, which counts them. Which device of a place acts
 * for it, algorithms.c compares with the price. */
static void check_places(const dtrt_session *s, const Counted *before) {
  const int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  if (shared_ranks) return;
  const int64_t got = count(s).far - before->far;
  int64_t least = 0, most = 0;
  bool mine[LAW_DEVICES] = {false};
  for (int i = 0; i < n; i++) mine[place_of[first + i]] = true;
  for (int i = 0; i < batched; i++) {
    const MovedFar m = law_far(&grid, &batch[i]->x, batch[i]->from, batch[i]->to, place_of);
    for (int k = 0; k < grid.ndevices; k++)
      if (mine[k]) least += m.least[k], most += m.most[k];
  }
  least *= (int64_t)sizeof(float), most *= (int64_t)sizeof(float);
  CHECK(got >= least && got <= most,
        "devices %d to %d received %ld bytes by messages, not %ld to %ld", first, first + n - 1,
        (long)got, (long)least, (long)most);
}

/* Runs the batch; says whether all was right. */
static bool run_batch(dtrt_session *s, bool messages) {
  const int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  const Counted before = count(s);
  const int failures = atomic_load(&harness_failures);
  int64_t most_scratch = 0;
  for (int i = 0; i < batched; i++) {
    const Pair *p = batch[i];
    CHECK(!law_moved(&grid, &p->x, p->from, p->to).ambiguous, "the nearest owner is not one");
    if (scratch_bound(p) > most_scratch) most_scratch = scratch_bound(p);
  }
  CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  if (places)
    check_places(s, &before);
  else
    check_alone(s, &before, messages);
  for (int i = 0; i < n; i++) {
    const int64_t scratch = dtrt_session_traffic(s, first + i).scratch;
    CHECK(scratch <= (messages || places ? SCRATCH : most_scratch) || scratch == before.traffic[i].scratch,
          "device %d took %ld bytes of scratch", first + i, (long)scratch);
  }
  return atomic_load(&harness_failures) == failures;
}

/* Runs the batch; what goes wrong is run again by itself, to be named. Not with other ranks, which
 * know nothing of it: they would go on to what is next, and all would wait. */
static void run_named(dtrt_session *s, bool messages) {
  const Pair *all[BATCH];
  const int n = batched;
  if (run_batch(s, messages)) return;
  memcpy(all, batch, sizeof all);
  batched = 1;
  for (int j = 0; j < n && atomic_load(&harness_failures) < 40; j++) {
    batch[0] = all[j];
    if (dtrt_session_nranks(s) > 1 || !run_batch(s, messages)) law_print(&grid, &all[j]->x);
  }
}

static int64_t run_all(dtrt_session *s, const Pair *p, int total, int every, bool messages) {
  int64_t done = 0;
  for (int i = 0; i < total;) {
    for (batched = 0; batched < BATCH && i < total; i += every) batch[batched++] = &p[i];
    done += batched;
    run_named(s, messages);
  }
  return done;
}

static int64_t run_some(dtrt_session *s, const Pair *p, int total, bool messages) {
  int64_t done = 0;
  for (int k = 0; k < 4; k++) {
    batched = 1 + (int)draw(BATCH);
    for (int i = 0; i < batched; i++) batch[i] = &p[draw((uint64_t)total)];
    done += batched;
    run_named(s, messages);
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
      s.n += law_window(&grid, &s.at[s.n], w);
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

/* As comm_mpi_share.c and rendezvous.c do. Ranks that share memory are on TEST_HOSTS hosts. */
static void find_places(const dtrt_session *s, bool messages) {
  const char *said = getenv("TEST_HOSTS");
  const int ranks = dtrt_session_nranks(s), n = grid.ndevices;
  const int count = ranks > 1 && !(said && shared_ranks) ? ranks : said ? atoi(said) : n;
  places = (messages || (said && shared_ranks)) && count < n;
  for (int i = 0; i < n; i++)
    place_of[i] = ranks == 1 && said && strchr(said, ' ') ? i % count : i * count / n;
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
  find_places(s, messages);
  int64_t done = seed ? run_some(s, p, total, messages)
                      : run_all(s, p, total, large ? total / 5 + 1 : step, messages);
  if (!large && !seed) run_all(s, p, total, 7 * step, messages); /* with plans made before */
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

/* A mesh of one to three axes, some of them of one device. */
static Grid draw_grid(int ndevices) {
  int size[LAW_AXES], naxes = 1 + (int)draw(LAW_AXES), left = ndevices;
  for (int a = 0; a < naxes; a++) {
    size[a] = a == naxes - 1 ? left : 1 + (int)draw((uint64_t)left);
    while (left % size[a]) size[a]--;
    left /= size[a];
  }
  return grid_of(naxes, size);
}

static int64_t random_sessions(const char *transport, int ndevices, int sessions) {
  int64_t done = 0;
  flights = true;
  for (int i = 0; i < sessions; i++) {
    const int rank = 1 + (int)draw(2), largest = draw(3) ? 12 : rank == 1 ? 9000 : 90;
    int64_t n[LAW_RANK];
    grid = draw_grid(ndevices);
    for (int d = 0; d < rank; d++) n[d] = (int64_t)draw((uint64_t)largest + 1);
    done += shape_pairs(transport, rank, n, draw(2), false);
  }
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
  if (argc > 4 && !strcmp(argv[1], "random")) {
    seed = strtoull(argv[4], NULL, 10) + 1;
    const int sessions = argc > 5 ? atoi(argv[5]) : 3;
    printf("%ld exchanges\n", (long)random_sessions(argv[2], atoi(argv[3]), sessions));
    return harness_result();
  }
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
