/* Machine files, the link of an axis, and the cost model on cases computed by hand.
 *
 * The hand-computed cases use machines whose rates are powers of ten far from each other, so that a
 * term that is missing or counted twice cannot hide behind another. */
#include "cpu_family.h"
#include "host_machine.h"
#include "cost.h"
#include "frontend.h"
#include "machine.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const OpDef op_contract, op_exp, op_sum, op_reshape; /* compiler/ops */

static int failed, checked;

#define CHECK(ok, ...)                                                                             \
  do {                                                                                             \
    checked++;                                                                                     \
    if (!(ok)) {                                                                                   \
      printf("FAIL line %d: ", __LINE__);                                                          \
      printf(__VA_ARGS__);                                                                         \
      printf("\n");                                                                                \
      failed = 1;                                                                                  \
    }                                                                                              \
  } while (0)

/* -------- reading -------- */

typedef struct Said {
  char first[512]; /* the first error, rendered */
  int errors;
} Said;

static void on_message(void *user, const Message *m) {
  Said *s = user;
  if (m->severity == SEV_ERROR && s->errors++ == 0)
    snprintf(s->first, sizeof s->first, "%s", m->rendered);
}

static const Machine *read_text(Arena *a, const char *text, size_t n, Said *said) {
  Diag *d = arena_new_of(a, Diag);
  *said = (Said){0};
  diag_init(d, a, on_message, said);
  return machine_read(a, d, diag_add_source(d, "dir/some.machine", text, n));
}

#define REST "memory_bandwidth = 1 GB/s\nlink bandwidth=1GB/s latency=1us\n"

static void test_units(Arena *a) {
  static const struct {
    const char *text;
    double value;
  } flops[] = {{"312 Tflop/s", 312e12}, {"312Tflop/s", 312e12},
               {"312 TFLOPS", 312e12},  {"312 TFLOPs", 312e12},
               {"3.12e14", 3.12e14},    {"0.312 Pflop/s", 312e12},
               {"5Eflop/s", 5e18},      {"5E+10", 5e10},
               {"+7 kflop/s", 7e3},     {"1.1 Gflop/s # x", 1.1e9},
               {"1000", 1e3},           {".5e4", 5e3},
               {"1.e5", 1e5},           {"12345678901234567890", 12345678901234567890.0}},
    rate[] = {{"2.0 TB/s", 2e12},   {"1.555 TB/s", 1555e9}, {"1555GB/s", 1555e9},
              {"100 Gb/s", 12.5e9}, {"100 Gbit/s", 12.5e9}, {"100 Gbps", 12.5e9},
              {"1 GiB/s", 1 << 30}, {"16 Kib/s", 2048},     {"300 GBps", 300e9},
              {"8 kbits/s", 1e3},   {"0.1 GB/s", 0.1e9},    {"70000", 7e4}},
    memory[] = {{"40 GB", 40e9}, {"40 GiB", 40.0 * (1 << 30)}, {"1.5 TB", 1.5e12}, {"80e9", 80e9}},
    start[] = {{"5 us", 5e-6},     {"5us", 5e-6},      {"5 \xc2\xb5s", 5e-6}, {"5 \xce\xbcs", 5e-6},
               {"0.3 ms", 0.3e-3}, {"7 ns", 7e-9},     {"0.9 s", 0.9},        {"0", 0},
               {"2.5e-7", 2.5e-7}, {"300 ps", 300e-12}};
  char text[512];
  Said said;
#define EACH(TABLE, FIELD, FORMAT)                                                                 \
  for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {                                      \
    snprintf(text, sizeof text, FORMAT, TABLE[i].text);                                            \
    const Machine *m = read_text(a, text, strlen(text), &said);                                    \
    CHECK(m && m->FIELD == TABLE[i].value, "`%s` is %.17g: %s", TABLE[i].text, m ? m->FIELD : -1,  \
          said.first);                                                                             \
  }
  EACH(flops, flops, "flops = %s\n" REST)
  EACH(rate, memory_bandwidth,
       "flops = 1 Gflop/s\nlink bandwidth=1GB/s latency=1us\nmemory_bandwidth=%s")
  EACH(rate, link[0].bandwidth,
       "flops = 1 Gflop/s\nmemory_bandwidth=1GB/s\r\nlink latency=1us "
       "bandwidth = %s\r\n")
  EACH(memory, memory, "memory = %s\nflops = 1 Gflop/s\n" REST)
  EACH(start, start, "start = %s\nflops = 1 Gflop/s\n" REST)
  EACH(start, link[0].latency,
       "flops=1Gflop/s\nmemory_bandwidth=1GB/s\nlink latency= %s bandwidth=1GB/s")
}

static void test_defaults(Arena *a) {
  Said said;
  static const char text[] = "\xef\xbb\xbf# a comment\n\n  flops = 8 Gflop/s\t# and one\n" REST;
  const Machine *m = read_text(a, text, sizeof text - 1, &said);
  CHECK(m, "the smallest machine: %s", said.first);
  if (!m) return;
  CHECK(m->vector_flops == 1e9, "vector_flops is %g", m->vector_flops);
  CHECK(m->start == 0 && m->memory == 0, "start %g, memory %g", m->start, m->memory);
  for (int l = 0; l < CACHE_LEVELS; l++)
    CHECK(m->cache[l].size == machine_generic()->cache[l].size &&
              m->cache[l].bandwidth == 1e9 * (8 >> l),
          "L%d: %g bytes at %g", l + 1, m->cache[l].size, m->cache[l].bandwidth);
  static const char cached[] = "flops = 8 Gflop/s\ncores = 12\n" REST
                               "cache L2 size=3 MiB cores=2 bandwidth=9GB/s\ncache L1 size=48KiB\n";
  m = read_text(a, cached, sizeof cached - 1, &said);
  CHECK(m && m->cores == 12 && m->cache[CACHE_L1].size == 48 << 10 &&
            m->cache[CACHE_L1].cores == 1 && m->cache[CACHE_L1].bandwidth == 8e9 &&
            machine_cache(m, CACHE_L1) == 48 << 10,
        "L1: %s", said.first);
  CHECK(m && m->cache[CACHE_L2].bandwidth == 9e9 && machine_cache(m, CACHE_L2) == 3 << 19 &&
            m->cache[CACHE_L3].size == 0 && machine_cache(m, CACHE_L3) == 0,
        "L2 and no L3: %s", said.first);
  CHECK(!strcmp(m->name, "some"), "it is called %s", m->name);
  CHECK(m->nlinks == 1 && !m->link[0].axis && !m->link[0].devices, "%d links", m->nlinks);
}

static bool near(double x, double y) { return fabs(x - y) <= 1e-12 * fabs(y); }

/* Each is refused, with this in the first error. */
static void test_wrong(Arena *a) {
  static const struct {
    const char *text, *part;
  } wrong[] = {
      {"", "`flops = 312 Tflop/s` is missing"},
      {"flops = 1 Gflop/s\nlink bandwidth=1GB/s latency=1us",
       "`memory_bandwidth = 300 GB/s` is missing"},
      {"flops = 1 Gflop/s\nmemory_bandwidth = 1 GB/s",
       "2:26: error: the link of all devices is missing"},
      {"flops = 1 Gflop/s\nmemory_bandwidth = 1 GB/s\nlink devices=8 bandwidth=1GB/s latency=1us\n"
       "axis a bandwidth=1GB/s latency=1us",
       "the link of all devices is missing"},
      {"flosp = 1 Gflop/s\n" REST, "1:1: error: unknown key `flosp`: do you mean `flops`?"},
      {"speed = 1 Gflop/s\n" REST, "unknown key `speed`; there are"},
      {"flops = nan\n" REST, "1:9: error: a rate of computation is a number"},
      {"flops = inf\n" REST, "is a number"},
      {"flops = 0x10\n" REST, "1:10: error: invalid unit"},
      {"flops =\n" REST, "is a number"},
      {"flops = -1 Gflop/s\n" REST, "above 0"},
      {"flops = 0 Gflop/s\n" REST, "above 0"},
      {"flops = 300\n" REST, "is a unit missing, as in 312 Tflop/s?"},
      {"flops = 1e99\n" REST, "is out of range"},
      {"flops = 1e-400\n" REST, "above 0"},
      {"flops = 1e99999999999999999999\n" REST, "is out of range"},
      {"flops = 5000 Eflop/s\n" REST, "is out of range"},
      {"flops = 1 gflop/s\n" REST, "1:11: error: invalid unit of a rate of computation"},
      {"flops = 1 Giflop/s\n" REST, "invalid unit"},
      {"flops = 1 Gflop/s 2\n" REST, "1:19: error: expected the end of the line"},
      {"flops = 1 Gflop/s\nflops = 1 Gflop/s\n" REST, "2:1: error: flops is given twice"},
      {"memory = 40 Gb\nflops = 1 Gflop/s\n" REST, "invalid unit of a size of memory"},
      {"start = -1 us\nflops = 1 Gflop/s\n" REST, "not negative"},
      {"start = 2 min\nflops = 1 Gflop/s\n" REST, "invalid unit of a time"},
      {"start = 5\nflops = 1 Gflop/s\n" REST, "is out of range"},
      {"call = -1 us\n", "not negative"},
      {"vector = 48 B\n", "1:10: error: a size of a vector, a line or a page is a power of two"},
      {"line = 16.5 B\n", "is a power of two, like 64 B"},
      {"vector = 8 B\n", "is out of range: it is 16 B to 1 GiB"},
      {"page = 4\n", "is a unit missing, as in 64 B?"},
      {"page = 4 kB\npage = 4 KiB\n", "is a power of two"},
      {"line = 64\nline = 64\n", "2:1: error: line is given twice"},
      {"registers = 4\n", "the number of registers for vectors is an integer of at least 8"},
      {"streams = 0\n", "1:11: error: the number of streams"},
      {"streams = 8\nstreams = 8\n", "2:1: error: streams is given twice"},
      {"flops 1 Gflop/s\n" REST, "1:1: error: a line is"},
      {"= 1 Gflop/s\n" REST, "a line is"},
      {"link = 1 Gflop/s\n" REST, "`link` takes no `=`"},
      {"name =\n", "a name has"},
      {"name = \x01\n", "printable"},
      {"link\n", "this link has no bandwidth"},
      {"link bandwidth=1GB/s\n", "this link has no latency"},
      {"link bandwidth latency=1us\n", "`bandwidth` requires a value"},
      {"link bandwith=1GB/s latency=1us\n", "1:6: error: unknown property of a link `bandwith`: "
                                            "do you mean `bandwidth`?"},
      {"link bandwidth=1GB/s bandwidth=1GB/s\n", "1:22: error: bandwidth is given twice"},
      {"link bandwidth=4gb/s latency=1us\n", "1:17: error: invalid unit of a bandwidth"},
      {"link devices=1 bandwidth=1GB/s latency=1us\n",
       "1:14: error: the number of devices in a group"},
      {"link bandwidth=4GB/s latency=1us by=air\n", "by=memory or by=messages"},
      {"link bandwidth=4GB/s latency=1us by=\n", "by=memory or by=messages"},
      {"link bandwidth=4GB/s latency=1us message=-1us\n", "not negative"},
      {"link bandwidth=4GB/s latency=1us by=memory by=memory\n", "by is given twice"},
      {"link devices=8.0 bandwidth=1GB/s latency=1us\n", "the number of devices in a group"},
      {"link devices=99999999999999999999999 bandwidth=1GB/s latency=1us\n",
       "the number of devices in a group"},
      {"link 8 bandwidth=1GB/s latency=1us\n", "expected a link as"},
      {"axis bandwidth=1GB/s latency=1us\n", "`axis` requires a name"},
      {"axis\n", "`axis` requires a name"},
      {"axis a devices=2 bandwidth=1GB/s latency=1us\n", "a link of an axis takes no devices"},
      {"axis a bandwidth=1GB/s latency=1us\naxis a bandwidth=1GB/s latency=1us\n",
       "2:1: error: the link of this axis is given twice"},
      {REST "link bandwidth=1GB/s latency=1us\n",
       "3:1: error: the link of all devices is given twice"},
      {"cores = 0\n", "1:9: error: the number of cores of a host is an integer of at least 1"},
      {"cores = 4 8\n", "1:11: error: expected the end of the line"},
      {"cores = 4\ncores = 4\n", "2:1: error: cores is given twice"},
      {"cache = 1 MiB\n", "`cache` takes no `=`"},
      {"cahce L1 size=32KiB\n", "1:1: error: a line is `key = value`, `cache LEVEL ...`"},
      {"cache\n", "1:6: error: the levels of a cache are L1, L2 and L3"},
      {"cache L4 size=1MiB\n", "1:7: error: the levels of a cache are L1, L2 and L3"},
      {"cache 1 size=1MiB\n", "the levels of a cache are L1, L2 and L3"},
      {"cache L2 bandwidth=1GB/s\n", "1:1: error: this cache has no size: size=1MiB"},
      {"cache L2 size=1MB/s\n", "1:16: error: invalid unit of a size of a cache"},
      {"cache L2 size=32\n", "is out of range: it is 64 B to 1 EB; is a unit missing"},
      {"cache L2 size=-1KiB\n", "a size of a cache is above 0"},
      {"cache L2 size=1MiB size=1MiB\n", "1:20: error: size is given twice"},
      {"cache L2 size=1MiB cores=0\n",
       "1:26: error: the number of cores that share a cache is an integer"},
      {"cache L2 size=1MiB cores=1.5\n", "the number of cores that share a cache is an integer"},
      {"cache L2 size=1MiB latency=9ns\n", "1:20: error: unknown property of a cache `latency`; "
                                           "there are size, cores and bandwidth"},
      {"cache L2 sise=1MiB\n", "do you mean `size`?"},
      {"cache L2 size\n", "`size` requires a value: size=1MiB"},
      {"cache L2 1MiB\n", "1:10: error: expected a cache as size=1MiB"},
      {"cache L1 size=1KiB\ncache L1 size=1KiB\n",
       "2:1: error: this level of cache is given twice"},
      {"flops = 1 Gflop/s\n" REST "cache L2 size=1MiB\n", "4:1: error: L2 is given, but not L1"},
      {"flops = 1 Gflop/s\n" REST "cache L1 size=32KiB\n", "4:1: error: L1 is given, but not L2"},
      {"flops = 1 Gflop/s\n" REST "cache L1 size=1KiB\ncache L2 size=512B\n",
       "5:1: error: L2 is smaller than L1"},
      {"flops = 1 Gflop/s\n" REST "cores = 4\ncache L1 size=1KiB\ncache L2 size=1MiB cores=8\n",
       "6:1: error: 8 cores share L2, but a host has 4 (`cores`)"},
      {"link devices=8 bandwidth=1GB/s latency=1us\nlink devices=12 bandwidth=1GB/s latency=1us\n",
       "groups nest, but neither of 12 and 8"},
  };
  Said said;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const Machine *m = read_text(a, wrong[i].text, strlen(wrong[i].text), &said);
    CHECK(!m && strstr(said.first, wrong[i].part), "`%s`: no `%s` in: %s", wrong[i].text,
          wrong[i].part, said.first);
  }
  static const char nul[] = "flops = 1 Gflop/s\0\n" REST;
  CHECK(!read_text(a, nul, sizeof nul - 1, &said), "a NUL goes unnoticed");
  char many[4096] = "flops = 1 Gflop/s\n" REST;
  for (int i = 0; i < MAX_LINKS; i++)
    sprintf(many + strlen(many), "axis a%d bandwidth=1GB/s latency=1us\n", i);
  CHECK(!read_text(a, many, strlen(many), &said) && strstr(said.first, "at most 16 links"), "%s",
        said.first);
}

/* -------- there and back -------- */

static uint64_t dice(uint64_t *s) {
  *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
  return *s;
}

/* Log-uniform between 10^low and 10^high, with all bits of a double in use. */
static double any(uint64_t *s, double low, double high) {
  return pow(10, low + (high - low) * ((double)(dice(s) >> 11) / 9007199254740992.0));
}

static bool same(const Machine *x, const Machine *y) {
  bool ok = !strcmp(x->name, y->name) && x->flops == y->flops && x->cores == y->cores &&
            x->host_bandwidth == y->host_bandwidth && x->vector_flops == y->vector_flops &&
            x->memory_bandwidth == y->memory_bandwidth && x->memory == y->memory &&
            x->start == y->start && x->nlinks == y->nlinks && x->call == y->call &&
            x->memory_latency == y->memory_latency && x->vector == y->vector &&
            x->registers == y->registers && x->line == y->line && x->page == y->page &&
            x->streams == y->streams;
  for (int l = 0; ok && l < CACHE_LEVELS; l++)
    ok = x->cache[l].size == y->cache[l].size && x->cache[l].bandwidth == y->cache[l].bandwidth &&
         (x->cache[l].cores > 1 ? x->cache[l].cores : 1) ==
             (y->cache[l].cores > 1 ? y->cache[l].cores : 1);
  for (int i = 0; ok && i < x->nlinks; i++) {
    const Link *k = &x->link[i], *l = &y->link[i];
    ok = k->devices == l->devices && k->bandwidth == l->bandwidth && k->latency == l->latency &&
         k->message == l->message && k->by == l->by && !k->axis == !l->axis &&
         (!k->axis || !strcmp(k->axis, l->axis));
  }
  return ok;
}

static void test_round_trip(Arena *a) {
  static const char *const axes[] = {"a", "model", "x_1"};
  uint64_t s = 88172645463325252u;
  for (int i = 0; i < 2000; i++) {
    ArenaMark mark = arena_mark(a);
    bool plain = i % 2; /* figures as people write them */
    Machine m = {.name = "a name, of 2 + words", .nlinks = 1 + (int)(dice(&s) % 5)};
    m.flops = plain ? (double)(dice(&s) % 1000 + 1) * 1e9 : any(&s, 3.1, 20.9);
    m.vector_flops = plain ? m.flops / 4 : any(&s, 3.1, 20.9);
    m.memory_bandwidth = any(&s, 3.1, 17.9);
    m.memory = dice(&s) % 2 ? any(&s, 3.1, 17.9) : 0;
    m.start = dice(&s) % 2 ? any(&s, -11.9, -0.1) : 0;
    m.link[0] = (Link){.bandwidth = any(&s, 3.1, 17.9),
                       .latency = any(&s, -11.9, -0.1),
                       .message = plain ? -1 : any(&s, -11.9, -0.1),
                       .by = (LinkBy)(dice(&s) % 3)};
    m.cores = plain ? 0 : 8 + (int64_t)(dice(&s) % 100);
    m.host_bandwidth = plain ? 0 : any(&s, 3.1, 17.9);
    m.call = plain ? 0 : any(&s, -11.9, -0.1), m.memory_latency = any(&s, -11.9, -0.1);
    m.vector = 16 << dice(&s) % 4, m.line = 16 << dice(&s) % 5, m.page = 1 << (9 + dice(&s) % 13);
    m.registers = 8 + (int64_t)(dice(&s) % 100), m.streams = 4 + (int64_t)(dice(&s) % 30);
    double size = 64;
    for (int l = 0; l < CACHE_LEVELS - (int)(dice(&s) % 2); l++) {
      size = plain ? 2 * size * (double)(dice(&s) % 64 + 1) : size * any(&s, 0, 3);
      m.cache[l] = (Cache){size, 1 + (int64_t)(dice(&s) % 8), any(&s, 3.1, 17.9)};
    }
    int64_t devices = 1;
    for (int k = 1; k < m.nlinks; k++) {
      m.link[k] = (Link){.bandwidth = any(&s, 3.1, 17.9), .latency = plain ? 2e-6 : 0};
      if (k % 2)
        m.link[k].devices = devices *= 2 + (int64_t)(dice(&s) % 4);
      else
        m.link[k].axis = axes[k / 2];
    }
    Str text = str_new(a);
    Said said;
    machine_put(&text, &m);
    const Machine *back = read_text(a, text.at, text.n, &said);
    CHECK(back && same(&m, back), "not the same after reading:\n%s%s", text.at, said.first);
    arena_release(a, mark);
  }
  Str text = str_new(a);
  machine_put(
      &text,
      &(Machine){
          .name = "m",
          .flops = 312e12,
          .vector_flops = 19.5e12,
          .memory_bandwidth = 1.555e12,
          .memory = 40e9,
          .start = 5e-6,
          .nlinks = 2,
          .link = {{.devices = 8, .bandwidth = 300e9, .latency = 0.25e-6, .by = LINK_MEMORY},
                   {.bandwidth = 25e9, .latency = 0.1, .message = -1, .by = LINK_MESSAGES}}});
  CHECK(!strcmp(text.at, "name = m\nflops = 312 Tflop/s\nvector_flops = 19.5 Tflop/s\n"
                         "memory_bandwidth = 1.555 TB/s\nmemory = 40 GB\nstart = 5 us\n"
                         "call = 0 s\nmemory_latency = 0 s\n"
                         "link devices=8 bandwidth=300GB/s latency=250ns message=0s by=memory\n"
                         "link bandwidth=25GB/s latency=100ms by=messages\n"),
        "as a file:\n%s", text.at);
  Said said;
  text = str_new(a);
  machine_put(&text, machine_generic());
  CHECK(strstr(text.at,
               "cache L1 size=32KiB bandwidth=80GB/s\ncache L2 size=2MiB bandwidth=40GB/s\n"
               "cache L3 size=32MiB cores=8 bandwidth=20GB/s\n"),
        "caches as a file:\n%s", text.at);
  const Machine *back = read_text(a, text.at, text.n, &said);
  CHECK(back && same(back, machine_generic()), "the generic machine:\n%s", text.at);
  Mesh two = {.naxes = 1, .axis = {{.name = "a", .size = 2}}};
  Link l = machine_axis(machine_generic(), &two, 0);
  Speed s0 = speed_default();
  CHECK(l.bandwidth == s0.bandwidth && l.latency == s0.latency && near(l.message, s0.message),
        "programs without links are run by other rates than the default machine's");
}

/* -------- what the system tells -------- */

static void test_host(Arena *a) {
  static const struct {
    const char *text;
    int64_t n;
  } lists[] = {{"0", 1}, {"0-1", 2}, {"0,4", 2}, {"0-3,8-11,16", 9}, {"127", 1}, {"", 0},
               {"x", 0}, {"0-", 0},  {"3-1", 0}, {"0-1x", 0},        {"-1", 0},  {"0,,2", 0}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    CHECK(host_count_list(lists[i].text) == lists[i].n, "`%s` lists %ld CPUs", lists[i].text,
          (long)host_count_list(lists[i].text));
  static const struct {
    const char *text;
    double n;
  } sizes[] = {{"48K", 48 << 10}, {"1024K", 1 << 20}, {"32M", 32 << 20}, {"2G", 2147483648.0},
               {"512", 512},      {"0K", 0},          {"", 0},           {"-4K", 0},
               {"x", 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    CHECK(host_size(sizes[i].text) == sizes[i].n, "`%s` is %g bytes", sizes[i].text,
          host_size(sizes[i].text));
  const Machine *m = host_machine(a), *again = host_machine(a);
  CHECK(same(m, again), "this computer is two");
  CHECK(m->cores >= 1, "%ld cores", (long)m->cores);
  CHECK(m->host_bandwidth >= m->memory_bandwidth, "all cores read less than one");
  CHECK(m->flops > m->vector_flops && m->vector_flops > 1e9 && m->flops < 1e12, "%g and %g flops",
        m->flops, m->vector_flops);
  CHECK(m->cache[CACHE_L2].bandwidth > m->memory_bandwidth, "L2 is no faster than memory");
  Str text = str_new(a);
  Said said;
  machine_put(&text, m);
  const Machine *back = read_text(a, text.at, text.n, &said);
  CHECK(back && same(m, back), "this computer as a file:\n%s%s", text.at, said.first);
}

/* Of GFLOP/s that were measured, and of CPUs that say other things than their kin. */
static void test_families(void) {
  static const struct {
    const char *what;
    Cpu cpu;
    const char *name;
    double flops, clock; /* GHz */
  } cases[] = {{"117.8 measured", {CPU_AMD, 0x19, 0x11, CPU_AVX512, 0}, "Zen 4", 32, 3.7},
               {"base clock", {CPU_AMD, 0x19, 0x11, CPU_AVX512, 2.4e9}, "Zen 4", 32, 3.7},
               {"boost of one core", {CPU_AMD, 0x19, 0x11, CPU_AVX512, 4.1e9}, "Zen 4", 32, 3.7},
               {"AVX-512 hidden", {CPU_AMD, 0x19, 0x11, CPU_AVX2, 0}, "Zen 4", 32, 3.7},
               {"229 to 255 measured", {CPU_AMD, 0x1a, 0x02, CPU_AVX512, 0}, "Zen 5", 64, 3.8},
               {"AVX-512 hidden", {CPU_AMD, 0x1a, 0x02, CPU_AVX2, 0}, "Zen 5", 32, 3.8},
               {"a laptop", {CPU_AMD, 0x1a, 0x24, CPU_AVX512, 5.1e9}, "Zen 5 of laptops", 32, 5.1},
               {"Milan", {CPU_AMD, 0x19, 0x01, CPU_AVX2, 0}, "Zen 3", 32, 3.4},
               {"a desktop", {CPU_AMD, 0x19, 0x61, CPU_AVX512, 5.7e9}, "Zen 3 or 4", 32, 5.7},
               {"Naples", {CPU_AMD, 0x17, 0x01, CPU_AVX2, 0}, "Zen", 16, 2.7},
               {"179 measured", {CPU_INTEL, 6, 0x8f, CPU_AVX512, 0}, "Sapphire Rapids", 64, 2.8},
               {"178 measured", {CPU_INTEL, 6, 0xcf, CPU_AVX512, 0}, "Emerald Rapids", 64, 2.8},
               {"no FMA", {CPU_INTEL, 6, 0xcf, CPU_SSE2, 0}, "Emerald Rapids", 8, 2.8},
               {"one wide unit", {CPU_INTEL, 6, 0x8c, CPU_AVX512, 4.7e9}, "Tiger Lake", 32, 4.7},
               {"not in the table", {CPU_INTEL, 6, 0xfe, CPU_AVX512, 0}, NULL, 64, 3},
               {"a clock of nonsense", {CPU_INTEL, 6, 0xfe, CPU_AVX2, 1e6}, NULL, 32, 3},
               {"another maker", {CPU_UNKNOWN, 6, 0x8f, CPU_AVX2, 0}, NULL, 32, 3},
               {"Graviton 2", {CPU_ARM, 0, 0xd0c, CPU_NEON, 0}, "Neoverse N1", 16, 2.6},
               {"Graviton 4", {CPU_ARM, 0, 0xd4f, CPU_NEON, 0}, "Neoverse V2", 32, 2.8},
               {"another of Arm", {CPU_ARM, 0, 0xd00, CPU_NEON, 2e9}, NULL, 16, 2},
               {"no vectors", {CPU_UNKNOWN, 0, 0, CPU_NO_VECTORS, 0}, NULL, 0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const CpuRates r = cpu_rates(&cases[i].cpu);
    const bool named = cases[i].name ? r.name && !strcmp(r.name, cases[i].name) : !r.name;
    CHECK(named && r.flops == cases[i].flops && near(r.clock, cases[i].clock * 1e9),
          "%s: %s, %g flops a cycle, %g Hz", cases[i].what, r.name ? r.name : "none", r.flops,
          r.clock);
    CHECK(r.lines >= 16, "%s: %g cache lines", cases[i].what, r.lines);
  }
  Cpu cpu = {.maker = CPU_UNKNOWN};
  cpu_read_version(0x00a10f11, &cpu);
  CHECK(cpu.family == 0x19 && cpu.model == 0x11, "Genoa is %x, %x", cpu.family, cpu.model);
  cpu_read_version(0x000806f8, &cpu);
  CHECK(cpu.family == 6 && cpu.model == 0x8f, "Sapphire Rapids is %x, %x", cpu.family, cpu.model);
  CHECK(cpu_read_midr("0x00000000413fd0c1", &cpu) && cpu.maker == CPU_ARM && cpu.family == 0 &&
            cpu.model == 0xd0c,
        "Neoverse N1 is %x, %x", (unsigned)cpu.maker, cpu.model);
  CHECK(!cpu_read_midr("", &cpu) && !cpu_read_midr("none", &cpu), "a register of no number");
}

/* -------- axes -------- */

/* Groups of 2, 8 and all; latency tells which link was taken. */
static const Machine nested = {.name = "nested",
                               .nlinks = 3,
                               .link = {{.bandwidth = 1, .latency = 0},
                                        {.devices = 8, .bandwidth = 1, .latency = 8},
                                        {.devices = 2, .bandwidth = 1, .latency = 2}}};

/* By enumeration: the narrowest group that no line along the axis leaves. */
static double by_hand(const Mesh *m, int axis) {
  int64_t total = mesh_devices(m), stride = 1;
  for (int a = axis + 1; a < m->naxes; a++) stride *= m->axis[a].size;
  static const int64_t groups[] = {2, 8};
  for (int k = 0; k < 2; k++) {
    bool held = true;
    for (int64_t d = 0; d < total; d++) {
      int64_t first = d - d / stride % m->axis[axis].size * stride;
      if (d / groups[k] != first / groups[k]) held = false;
    }
    if (held) return (double)groups[k];
  }
  return 0;
}

static Mesh mesh_of(int64_t a, int64_t b, int64_t c) {
  return (Mesh){
      .naxes = 3,
      .axis = {{.name = "a", .size = a}, {.name = "b", .size = b}, {.name = "c", .size = c}}};
}

static void test_axes(void) {
  for (int64_t a = 1; a <= 8; a++)
    for (int64_t b = 1; b <= 9; b++)
      for (int64_t c = 1; c <= 9; c++) {
        Mesh m = mesh_of(a, b, c);
        for (int k = 0; k < 3; k++) {
          double got = machine_axis(&nested, &m, k).latency, want = by_hand(&m, k);
          CHECK(got == want, "mesh %d x %d x %d, axis %d: the link of %g, not of %g", (int)a,
                (int)b, (int)c, k, got, want);
        }
      }
  Machine named = nested;
  named.link[named.nlinks++] = (Link){.axis = "b", .bandwidth = 1, .latency = 77};
  Mesh m = mesh_of(2, 4, 2);
  CHECK(machine_axis(&named, &m, 1).latency == 77, "an axis line does not count");
  CHECK(machine_axis(&named, &m, 0).latency == 0, "axis a, 16 devices in boxes of 8");
  CHECK(machine_axis(&named, &m, 2).latency == 2, "axis c, pairs");
  CHECK(machine_axis(&named, &m, 2).by == LINK_MEMORY, "pairs do not share memory");
  CHECK(machine_axis(&named, &m, 0).by == LINK_MESSAGES, "all devices share memory");
  CHECK(machine_axis(&named, &m, 1).by == LINK_MEMORY,
        "axis b lies within a box, and says nothing");
  named.link[0].by = LINK_MEMORY, named.link[0].message = -1, named.link[0].latency = 5;
  CHECK(machine_axis(&named, &m, 0).by == LINK_MEMORY, "what is said does not count");
  CHECK(machine_axis(&named, &m, 0).message == 0.5, "a message is a tenth of the latency");
  named.link[0] = nested.link[0];
  Mesh big = mesh_of(1 << 20, 1 << 20, 1);
  CHECK(machine_axis(&named, &big, 0).latency == 0, "a mesh of 2^40");
}

/* -------- exchanges -------- */

enum { A = 1, B = 2 };
/* The rates that fill different digits: bytes arrive in 1e-3 s each over a and 2e-3 over b, a
 * message takes 1 s over a and 3 over b, a byte of memory 1e-7. */
static const Machine rates = {.name = "rates",
                              .flops = 1e3,
                              .vector_flops = 1e2,
                              .memory_bandwidth = 1e7,
                              .nlinks = 3,
                              .link = {{.bandwidth = 1, .latency = 100},
                                       {.axis = "a", .bandwidth = 1000, .latency = 1},
                                       {.axis = "b", .bandwidth = 500, .latency = 3}}};

/* A dim cut over the axes in `axes`, the lower one major. */
static DimLayout cut(uint32_t axes) {
  DimLayout d = {.granule = 1};
  for (int i = 0; i < 2; i++)
    if (axes & 1u << i) d.axis[d.naxes++] = i;
  return d;
}

static const Layout *matrix(Program *p, const Shape *s, uint32_t rows, uint32_t columns,
                            uint32_t partial) {
  Layout l = {.rank = 2, .partial = partial, .dim = {cut(rows), cut(columns)}};
  return layout_of(p->layouts, &l, s);
}

static Program *program_on(Arena *a, int64_t na, int64_t nb) {
  Program *p = arena_new_of(a, Program);
  *p = (Program){.arena = a, .machine = &rates};
  p->mesh = (Mesh){.naxes = 2, .axis = {{.name = "a", .size = na}, {.name = "b", .size = nb}}};
  p->layouts = layout_set_new(a, &p->mesh);
  return p;
}

static void test_exchanges(Arena *a) {
  Program *p = program_on(a, 4, 2);
  Shape s = {2, {8, 8}}, uneven = {2, {10, 8}};
  struct {
    const char *what;
    const Shape *shape;
    const Layout *from, *to;
    double messages, each, bytes, pace, block;
  } cases[] = {
      {"nothing", &s, matrix(p, &s, A, 0, 0), matrix(p, &s, A, 0, 0), 0, 0, 0, 0, 0},
      {"copy", &s, matrix(p, &s, 0, 0, 0), matrix(p, &s, A, 0, 0), 0, 0, 0, 0, 64},
      /* 8x8 f32 is 256 bytes; 3/4 of them are elsewhere; 4 devices meet in 2 rounds */
      {"all-gather a", &s, matrix(p, &s, A, 0, 0), matrix(p, &s, 0, 0, 0), 2, 1, 192, 1e-3, 256},
      {"all-gather b", &s, matrix(p, &s, 0, B, 0), matrix(p, &s, 0, 0, 0), 1, 3, 128, 2e-3, 256},
      {"all-gather b beside a", &s, matrix(p, &s, A, B, 0), matrix(p, &s, A, 0, 0), 1, 3, 32, 2e-3,
       64},
      /* both axes: 8 devices in 3 rounds, at the slower rates of the two */
      {"all-gather (a, b)", &s, matrix(p, &s, A | B, 0, 0), matrix(p, &s, 0, 0, 0), 3, 3, 224, 2e-3,
       256},
      /* 2 (g-1)/g of 256 bytes */
      {"all-reduce a", &s, matrix(p, &s, 0, 0, A), matrix(p, &s, 0, 0, 0), 2, 1, 384, 1e-3, 256},
      {"all-reduce b", &s, matrix(p, &s, 0, 0, B), matrix(p, &s, 0, 0, 0), 1, 3, 256, 2e-3, 256},
      /* the three terms of others for a block of 64 bytes */
      {"reduce-scatter a", &s, matrix(p, &s, 0, 0, A), matrix(p, &s, A, 0, 0), 2, 1, 192, 1e-3, 64},
      /* a block of 16 elements, 4 of which are own */
      {"all-to-all a", &s, matrix(p, &s, A, 0, 0), matrix(p, &s, 0, A, 0), 2, 1, 48, 1e-3, 64},
      /* blocks of 2, 3, 2, 3 rows: who has 2 receives 8 rows of 32 bytes */
      {"uneven", &uneven, matrix(p, &uneven, A, 0, 0), matrix(p, &uneven, 0, 0, 0), 2, 1, 256, 1e-3,
       320},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    /* what of the new block was there already is copied */
    double kept = fmax(0, cases[i].block - cases[i].bytes);
    double want = cases[i].messages * cases[i].each + cases[i].bytes * cases[i].pace + kept * 1e-7;
    double got = cost_exchange(p, cases[i].from, cases[i].to, cases[i].shape, DT_F32);
    CHECK(near(got, want) || (want == 0 && got == 0), "%s: %.12g, by hand %.12g", cases[i].what,
          got, want);
  }
  /* Two neighbours: ceil(log2 3) messages. Rows 2i-1 to 2i+2 are needed, 2i and 2i+1 own: two rows
   * of 32 bytes.
   */
  Layout halo = *cases[2].from;
  halo.dim[0].window = (Window){.of = 8, .mul = 1, .div = 1, .first = -1, .last = 1};
  double got = cost_exchange(p, cases[2].from, layout_of(p->layouts, &halo, &s), &s, DT_F32);
  CHECK(near(got, 2 + 64e-3 + 64e-7), "halo: %.12g", got);
  /* 5 devices meet in 3 rounds, and need 4/5 of 5 rows of 32 bytes. */
  Program *five = program_on(a, 5, 1);
  Shape rows = {2, {5, 8}};
  got = cost_exchange(five, matrix(five, &rows, A, 0, 0), matrix(five, &rows, 0, 0, 0), &rows,
                      DT_F32);
  CHECK(near(got, 3 + 128e-3 + 32e-7), "five devices: %.12g", got);
}

/* -------- ops -------- */

static const char ops_text[] =
    "entry f(x: f32[8, 16], w: f32[16, 4]) {\n"
    "  return y = x @ w, e = exp(x), s = sum(x, 1), r = reshape(x, [128])\n"
    "}\n";

static NodeId find(const Graph *g, Op op) {
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (graph_node(g, i)->op == op) return i;
  return NO_NODE;
}

static double cost_of(const Program *p, const Graph *g, Op op, const Layout *const *operands,
                      const Layout *result, Arena *a) {
  NodeId id = find(g, op);
  Rule r;
  if (id == NO_NODE) return -1;
  const Node *n = graph_node(g, id);
  rule_of(g, n, &r, a);
  return cost_op(p, g, n, &r, operands, result);
}

static void test_ops(Arena *a) {
  Diag d;
  Said said = {0};
  FrontSource source = {"f.dtg", ops_text, sizeof ops_text - 1};
  FrontOptions o = {.source = &source, .nsources = 1, .mesh = "a=4,b=2"};
  diag_init(&d, a, on_message, &said);
  Program *p = front_compile(a, &d, &o);
  CHECK(p, "%s", said.first);
  if (!p) return;
  const Graph *g = p->entries.at[1].graph;
  Shape x = {2, {8, 16}}, w = {2, {16, 4}}, y = {2, {8, 4}}, s = {1, {8}}, line = {1, {128}};
  p->machine = &rates;
  p->layouts = layout_set_new(a, &p->mesh);
  const Layout *xl = matrix(p, &x, A, B, 0), *wl = matrix(p, &w, B, 0, 0);
  const Layout *in[] = {xl, wl}, *out = matrix(p, &y, A, 0, B);
  /* Here m = 8/4, k = 16/2, n = 4: 64 products of 2 flops; blocks of 2x8, 8x4 and 2x4. */
  double got = cost_of(p, g, &op_contract, in, out, a);
  CHECK(near(got, 128 / 1e3), "product, by its flops: %.12g", got);
  Machine slow = rates;
  slow.memory_bandwidth = 100;
  p->machine = &slow;
  got = cost_of(p, g, &op_contract, in, out, a);
  CHECK(near(got, (64 + 128 + 32) / 100.0), "product, by its bytes: %.12g", got);
  p->machine = &rates;
  /* exp of 2x8 */
  double flops = op_exp.flops;
  got = cost_of(p, g, &op_exp, &xl, xl, a);
  CHECK(flops > 0 && near(got, 16 * flops / 1e2), "exp: %.12g", got);
  /* sum of 2x8 to 2 partial elements: a flop an element that is read */
  Layout sum = {.rank = 1, .partial = B, .dim = {cut(A)}};
  got = cost_of(p, g, &op_sum, &xl, layout_of(p->layouts, &sum, &s), a);
  CHECK(near(got, 16 / 1e2), "sum: %.12g", got);
  Layout flat = {.rank = 1, .dim = {cut(A)}};
  const Layout *by_rows = matrix(p, &x, A, 0, 0);
  got = cost_of(p, g, &op_reshape, &by_rows, layout_of(p->layouts, &flat, &line), a);
  CHECK(got == 0, "a reshape is free: %.12g", got);
}

int main(void) {
  Arena *a = arena_new();
  if (!a || arena_catch(a)) return 2;
  test_units(a);
  test_defaults(a);
  test_wrong(a);
  test_round_trip(a);
  test_host(a);
  test_families();
  test_axes();
  test_exchanges(a);
  test_ops(a);
  arena_free(a);
  printf("%d checks%s\n", checked, failed ? ", some failed" : "");
  return failed;
}
