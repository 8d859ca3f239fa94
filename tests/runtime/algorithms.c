/* algorithms.c: what the runtime does in an exchange is what the compiler's cost model priced: the
 * same algorithm, as many waits and messages, and as many bytes. Groups of 2 to 64, blocks of 0
 * bytes to 64 MB, one tensor or several as one, at once or in flight, on machines whose rates are
 * far apart; kinds of exchanges by every algorithm there is.
 *   algorithms TRANSPORT memory|messages [DEVICES]   by what the devices of a group exchange
 *   algorithms TRANSPORT hosts [DEVICES HOSTS [COPIES]]   by memory within a host, else by
 * messages; COPIES: as many devices beside each, on the same host, which do the same With
 * TEST_SUMS=fast as --sums=fast does it. */
#include "cost.h"
#include "algorithm_table.h"
#include "harness.h"

enum { TENSORS = 3, MOST_CASES = 4096 };
static const int64_t MOST_BYTES = (int64_t)192 << 20; /* that all devices' blocks take */

typedef struct Case {
  const char *what;
  int64_t bytes; /* of a block, about */
  int n;
  bool in_flight;
  const dtrt_exchange *x[TENSORS];
  int64_t from[TENSORS], to[TENSORS]; /* offsets in the arena */
  ExchangePrice said;
} Case;

static Case *now; /* what the devices do when they are called */

static void run(dtrt_device *dev) {
  const void *from[TENSORS];
  void *to[TENSORS];
  for (int i = 0; i < now->n; i++)
    from[i] = dev->arena + now->from[i], to[i] = dev->arena + now->to[i];
  if (!now->in_flight) {
    dtrt_run_exchanges(dev, now->n, now->x, from, to);
    return;
  }
  dtrt_start_exchanges(dev, 1, now->n, now->x, from, to);
  dtrt_wait_exchange(dev, 1);
}

/* -------- the cases of one group -------- */

typedef struct Maker {
  Arena *arena;
  Program program;
  int group,
      hosts; /* hosts: of several devices each; 0: each device is alone, or all are together */
  int copies;
  Case *at;
  int n;
  VEC(const dtrt_exchange *) exchanges;
  int64_t most; /* bytes of an arena */
} Maker;

static const dtrt_layout *table_of(Maker *m, const Layout *l, const Shape *s) {
  dtrt_dim *dim = arena_array(m->arena, dtrt_dim, s->rank);
  for (int d = 0; d < s->rank; d++) {
    const DimLayout *x = &l->dim[d];
    dim[d] = (dtrt_dim){.n = s->dim[d], .granule = x->granule, .naxes = x->naxes};
    dim[d].of = x->window.of, dim[d].mul = x->window.mul, dim[d].div = x->window.div;
    dim[d].first = x->window.first, dim[d].last = x->window.last;
    dim[d].cyclic = x->window.cyclic;
  }
  dtrt_layout *t = arena_new_of(m->arena, dtrt_layout);
  *t = (dtrt_layout){.rank = s->rank, .partial = l->partial, .reduce = DTRT_SUM, .dim = dim};
  return t;
}

/* As the compiler writes it. */
static const dtrt_exchange *exchange_row(Maker *m, const Exchange *x, const Layout *from,
                                         const Layout *to, const Shape *s) {
  dtrt_exchange *row = arena_new_of(m->arena, dtrt_exchange);
  *row = (dtrt_exchange){.id = m->exchanges.n,
                         .kind = x->kind,
                         .dtype = DTRT_F32,
                         .axes = x->axes,
                         .from = table_of(m, from, s),
                         .to = table_of(m, to, s),
                         .what = "x",
                         .where = "algorithms.c:1",
                         .received = x->bytes,
                         .senders = x->senders,
                         .run = x->run};
  vec_push(m->arena, &m->exchanges, row);
  return row;
}

typedef enum Kind {
  ALL_REDUCE,
  REDUCE_SCATTER,
  ALL_GATHER,
  GATHER_COLUMNS,
  ALL_TO_ALL,
  HALO,
  KINDS
} Kind;

static DimLayout cut(void) { return (DimLayout){.naxes = 1, .granule = 1}; }

/* Of blocks of about so many elements, before and behind. */
static void layouts_of(Maker *m, Kind kind, int64_t e, const Layout **from, const Layout **to,
                       Shape *s) {
  const DimLayout whole = {.granule = 1};
  Layout a = {.rank = 1, .dim = {whole}}, b = a;
  const int64_t g = m->group;
  *s = (Shape){1, {e}};
  if (kind == ALL_REDUCE || kind == REDUCE_SCATTER) a.partial = 1;
  if (kind == REDUCE_SCATTER) b.dim[0] = cut();
  if (kind == ALL_GATHER || kind == HALO) {
    s->dim[0] = e * g;
    a.dim[0] = cut();
    if (kind == HALO) {
      b.dim[0] = cut();
      b.dim[0].window = (Window){.of = e * g, .mul = 1, .div = 1, .first = -1, .last = 1};
    }
  }
  if (kind == GATHER_COLUMNS || kind == ALL_TO_ALL) {
    a.rank = b.rank = 2;
    a.dim[1] = b.dim[1] = whole;
    *s = (Shape){2, {8, (e + 7) / 8 * g}};
    a.dim[1] = cut();
    if (kind == ALL_TO_ALL) b.dim[0] = cut();
  }
  *from = layout_of(m->program.layouts, &a, s);
  *to = layout_of(m->program.layouts, &b, s);
}

static int64_t block_bytes(const Maker *m, const Layout *l, const Shape *s) {
  Shape local = layout_local(&m->program.mesh, l, s);
  return (4 * shape_count(&local) + 127) / 64 * 64;
}

/* Of those that are no all-reduces only small ones go as one (compiler/passes/combine.c). */
enum { SMALL = 8 << 10 };

/* `n` exchanges as one, the others of other sizes. */
static void add_case(Maker *m, Kind kind, int64_t e, int n, bool in_flight) {
  static const char *const name[] = {"all-reduce",     "reduce-scatter", "all-gather",
                                     "gather columns", "all-to-all",     "halo"};
  Exchange x[TENSORS];
  Case c = {.what = name[kind], .bytes = 4 * e, .n = n, .in_flight = in_flight};
  const int mark = m->exchanges.n;
  int64_t at = 0;
  if (n > 1 && kind != ALL_REDUCE && e * 4 * m->group > SMALL) return;
  for (int i = 0; i < n; i++) {
    const Layout *from, *to;
    Shape s;
    layouts_of(m, kind, i == 0 ? e : i == 1 ? e / 2 + 1 : 1, &from, &to, &s);
    x[i] = exchange_of(&m->program, from, to, &s, DT_F32);
    c.x[i] = exchange_row(m, &x[i], from, to, &s);
    c.from[i] = at, at += block_bytes(m, from, &s);
    c.to[i] = at, at += block_bytes(m, to, &s);
    if (x[i].kind == DTRT_COPY) at = INT64_MAX / 4; /* nothing to do */
  }
  if (at > MOST_BYTES / m->group / m->copies || m->n == MOST_CASES) {
    m->exchanges.n = mark;
    return;
  }
  if (at > m->most) m->most = at;
  c.said = cost_price(&m->program, x, n, in_flight);
  m->at[m->n++] = c;
}

static void add_cases(Maker *m) {
  static const int64_t elements[] = {0,      1,      2,       7,       8,      63,   250,
                                     256,    257,    1000,    1024,    1025,   4096, 16384,
                                     100001, 262144, 1 << 20, 1 << 22, 1 << 24};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int n = 1; n <= TENSORS; n += TENSORS - 1)
        for (int in_flight = 0; in_flight < 2; in_flight++)
          add_case(m, (Kind)kind, elements[i], n, in_flight);
}

/* -------- running -------- */

typedef struct Counts {
  int64_t bytes, far, messages, rounds, exchanges; /* far: bytes by messages */
} Counts;

/* Of the device of this process that has most, since `before`; the algorithm that ran, which must
 * be one. */
static int count(dtrt_session *s, dtrt_traffic *traffic, dtrt_algorithm (*before)[ALGORITHMS],
                 Counts *out) {
  int first = dtrt_session_first_device(s), n = dtrt_session_local_devices(s), ran = ALGORITHMS;
  *out = (Counts){0};
  for (int d = 0; d < n; d++) {
    dtrt_traffic t = dtrt_session_traffic(s, first + d);
    if (t.bytes - traffic[d].bytes > out->bytes) out->bytes = t.bytes - traffic[d].bytes;
    traffic[d] = t;
    for (int i = 0; i < ALGORITHMS; i++) {
      dtrt_algorithm a = dtrt_session_algorithm(s, first + d, i), *b = &before[d][i];
      if (a.exchanges > b->exchanges) {
        CHECK(ran == ALGORITHMS || ran == i, "devices do it by several algorithms");
        ran = i;
        out->exchanges = a.exchanges - b->exchanges;
        if (a.rounds - b->rounds > out->rounds) out->rounds = a.rounds - b->rounds;
        if (a.messages - b->messages > out->messages) out->messages = a.messages - b->messages;
        if (a.bytes - b->bytes > out->far) out->far = a.bytes - b->bytes;
      } else {
        CHECK(a.rounds == b->rounds && a.messages == b->messages, "%s counts without running",
              a.name);
      }
      *b = a;
    }
  }
  return ran;
}

static const char *algorithm_name(int algorithm) {
  return algorithm < ALGORITHMS ? collective_algorithm(algorithm)->name : "nothing";
}

/* Boxes of unequal parts, cut by the scratch, and chunks of devices that do unequal work for their
 * hosts, are counted within so much by the price. */
static bool about(int64_t said, int64_t is) {
  return is <= said + said / 4 + 2 && said <= is + is / 4 + 2;
}
/* Other processes may have the device that has most. */
static bool about_here(int64_t said, int64_t is, bool all_here) {
  return about(said, all_here || is > said ? is : said);
}

/* On `hosts` of several devices: all is within a quarter. */
static void compare_hosts(const Maker *m, const Case *c, int ran, const Counts *is, bool all_here) {
  const Price *p = &c->said.price;
#define HOSTS "%s of %ld bytes x %d%s in a group of %d on %d hosts, %s: "
#define SUCH                                                                                       \
  c->what, (long)c->bytes, c->n, c->in_flight ? " in flight" : "", m->group, m->hosts,             \
      algorithm_name(ran)
  CHECK(ran == c->said.algorithm, HOSTS "priced as %s", SUCH, algorithm_name(c->said.algorithm));
  if (ran != c->said.algorithm) return;
  /* Of fewer elements than devices, those whose blocks are empty have nothing combined for them. */
  const bool few = c->x[0]->kind == DTRT_REDUCE_SCATTER && c->bytes < 4 * m->group;
  CHECK(few || about_here(p->bytes / 64, is->bytes / 64, all_here), HOSTS "%ld bytes, priced %ld",
        SUCH, (long)is->bytes, (long)p->bytes);
  CHECK(about_here(p->far / 64, is->far / 64, all_here), HOSTS "%ld bytes by messages, priced %ld",
        SUCH, (long)is->far, (long)p->far);
  CHECK(about_here(p->messages, is->messages, all_here), HOSTS "%ld messages, priced %ld", SUCH,
        (long)is->messages, (long)p->messages);
  CHECK(about_here(p->rounds, is->rounds, all_here), HOSTS "%ld waits, priced %ld", SUCH,
        (long)is->rounds, (long)p->rounds);
}

static void compare(const Maker *m, const Case *c, int ran, const Counts *is, bool all_here) {
  const Price *p = &c->said.price;
  bool all_reduce = c->x[0]->kind == DTRT_ALL_REDUCE, same = ran == c->said.algorithm;
  bool exact = all_reduce || p->messages == 0;
#define WHERE "%s of %ld bytes x %d%s in a group of %d, %s: "
#define WHICH                                                                                      \
  c->what, (long)c->bytes, c->n, c->in_flight ? " in flight" : "", m->group, algorithm_name(ran)
  CHECK(same, WHERE "priced as %s", WHICH, algorithm_name(c->said.algorithm));
  if (!same) return;
  CHECK(is->exchanges == 1, WHERE "%ld exchanges", WHICH, (long)is->exchanges);
  CHECK(all_here ? is->bytes == p->bytes : is->bytes <= p->bytes, WHERE "%ld bytes, priced %ld",
        WHICH, (long)is->bytes, (long)p->bytes);
  CHECK(exact ? is->rounds == p->rounds : about(p->rounds, is->rounds),
        WHERE "%ld waits, priced %ld", WHICH, (long)is->rounds, (long)p->rounds);
  CHECK(is->far == (p->messages ? is->bytes : 0) && (!all_here || is->far == p->far),
        WHERE "%ld bytes by messages, priced %ld", WHICH, (long)is->far, (long)p->far);
  if (!all_here && is->messages < p->messages) return;
  CHECK(exact ? is->messages == p->messages : about(p->messages, is->messages),
        WHERE "%ld messages, priced %ld", WHICH, (long)is->messages, (long)p->messages);
}

static int met[ALGORITHMS];

static void run_group(const char *transport, LinkBy by, int group, int hosts, int copies,
                      const Machine *machine) {
  Arena *a = arena_new();
  if (!a || arena_catch(a)) exit(1);
  Machine here = *machine;
  here.link[0].by = by;
  if (hosts) {
    char said[16];
    snprintf(said, sizeof said, "%d", hosts);
    setenv("TEST_HOSTS", said, 1);
    here.link[here.nlinks] = here.link[0];
    here.link[here.nlinks].by = LINK_MEMORY;
    here.link[here.nlinks++].devices = group * copies / hosts;
  }
  Maker m = {.arena = a,
             .group = group,
             .hosts = hosts,
             .copies = copies,
             .at = calloc(MOST_CASES, sizeof *m.at)};
  m.program =
      (Program){.arena = a,
                .machine = &here,
                .mesh = {.naxes = 1 + (copies > 1),
                         .axis = {{.name = "d", .size = group}, {.name = "c", .size = copies}}}};
  m.program.layouts = layout_set_new(a, &m.program.mesh);
  m.program.fast_sums = getenv("TEST_SUMS") != NULL;
  add_cases(&m);
  Link l = machine_axis(&here, &m.program.mesh, 0);
  const dtrt_link link[] = {{l.bandwidth, l.latency, l.message}, {1e9, 0, 0}};
  const int sizes[] = {group, copies}, all = group * copies;
  Fixture f;
  harness_program(&f, m.program.mesh.naxes, sizes, m.most);
  f.program.nexchanges = m.exchanges.n;
  f.program.exchange = m.exchanges.at;
  f.program.link = link;
  harness_entry(&f, "run", run);
  dtrt_session *s = harness_open(&f, transport);
  bool all_here = dtrt_session_nranks(s) == 1;
  dtrt_traffic *traffic = calloc((size_t)all, sizeof *traffic);
  dtrt_algorithm(*before)[ALGORITHMS] = calloc((size_t)all, sizeof *before);
  Counts is;
  count(s, traffic, before, &is);
  for (int i = 0; i < m.n; i++) {
    now = &m.at[i];
    dtrt_status status = dtrt_call(s, 1, NULL, NULL);
    CHECK(status == DTRT_OK, "%s", dtrt_session_error(s));
    if (status) break;
    int ran = count(s, traffic, before, &is);
    if (ran < ALGORITHMS) met[ran]++;
    if (hosts)
      compare_hosts(&m, now, ran, &is, all_here);
    else
      compare(&m, now, ran, &is, all_here);
  }
  dtrt_close(s);
  free(traffic);
  free(before);
  free(m.at);
  arena_free(a);
}

int main(int argc, char **argv) {
  static const int groups[] = {2, 3, 4, 5, 8, 16, 64, 31};
  static const int shared[][2] = {{4, 2}, {6, 2},  {6, 3},  {8, 2},
                                  {8, 4}, {12, 4}, {16, 4}, {64, 8}};
  static const Machine machines[] = {
      {.nlinks = 1,
       .memory_bandwidth = 1e10,
       .link = {{.bandwidth = 2e9, .latency = 1e-5, .message = -1}}},
      {.nlinks = 1, .memory_bandwidth = 1e10, .link = {{.bandwidth = 1e12}}},
      {.nlinks = 1,
       .memory_bandwidth = 1e10,
       .link = {{.bandwidth = 1e8, .latency = 1e-3, .message = 1e-6}}}};
  if (argc < 3) return 2;
  LinkBy by = strcmp(argv[2], "memory") ? LINK_MESSAGES : LINK_MEMORY;
  const bool hosts = !strcmp(argv[2], "hosts");
  int only = argc > 3 ? atoi(argv[3]) : 0, cases = 0, nmet = 0;
  for (size_t i = 0; !hosts && i < sizeof groups / sizeof *groups; i++)
    if (!only || only == groups[i]) run_group(argv[1], by, groups[i], 0, 1, &machines[i % 3]);
  const int copies = argc > 5 ? atoi(argv[5]) : 1;
  if (hosts && argc > 4) run_group(argv[1], by, only, atoi(argv[4]), copies, &machines[0]);
  for (size_t i = 0; hosts && argc == 3 && i < sizeof shared / sizeof *shared; i++)
    run_group(argv[1], by, shared[i][0], shared[i][1], 1, &machines[i % 3]);
  for (int i = 0; i < ALGORITHMS; i++) {
    bool memory = !strncmp(algorithm_name(i), "memory", 6);
    printf("%s %d\n", algorithm_name(i), met[i]);
    cases += met[i];
    nmet += met[i] > 0;
    CHECK(met[i] > 0 || memory != (by == LINK_MEMORY) || hosts, "nothing was done by %s",
          algorithm_name(i));
  }
  printf("%d exchanges by %d algorithms\n", cases, nmet);
  return harness_result();
}
