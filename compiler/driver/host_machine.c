/* The machine that plans are made for if none is described: caches and cores as the system reports
 * them for the first CPU of this computer, rates by a table of instruction sets. Linux reports the
 * former below /sys/devices/system/cpu; otherwise sysconf may know sizes. Unknown values stay
 * generic. Invariant: two runs on one computer get the same machine, so nothing is measured. */
#include "host_machine.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU0 "/sys/devices/system/cpu/cpu0/"

/* The first line of a small file, without its end; false: there is none. */
static bool read_line(const char *path, char *out, size_t n) {
  FILE *f = fopen(path, "re");
  bool ok = f && fgets(out, (int)n, f);
  if (f) fclose(f);
  if (ok) out[strcspn(out, "\n")] = 0;
  return ok;
}

int64_t host_count_list(const char *list) {
  int64_t n = 0;
  for (const char *at = list; *at;) {
    char *end;
    long first = strtol(at, &end, 10), last = first;
    if (end == at || first < 0) return 0;
    if (*end == '-') {
      at = end + 1;
      last = strtol(at, &end, 10);
      if (end == at || last < first) return 0;
    }
    n += last - first + 1;
    if (*end && *end != ',') return 0;
    at = *end ? end + 1 : end;
  }
  return n;
}

double host_size(const char *text) {
  char *end;
  double n = (double)strtoll(text, &end, 10);
  n *= *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : *end == 'G' ? 1 << 30 : 1;
  return n >= 64 && n < 1e15 ? n : 0;
}

/* Of a file of the first CPU that lists CPUs; at least 1. */
static int64_t count_cpus(const char *path) {
  char list[4096];
  int64_t n = read_line(path, list, sizeof list) ? host_count_list(list) : 0;
  return n > 1 ? n : 1;
}

static bool read_index(int i, const char *file, char *out, size_t n) {
  char path[96];
  snprintf(path, sizeof path, CPU0 "cache/index%d/%s", i, file);
  return read_line(path, out, n);
}

/* A core may be several CPUs to the system, which share all its caches. */
static void read_system(Cache *cache, int64_t threads) {
  char text[64], path[96];
  for (int i = 0; i < 16 && read_index(i, "level", text, sizeof text); i++) {
    int level = atoi(text) - 1;
    if (level < 0 || level >= CACHE_LEVELS || !read_index(i, "type", text, sizeof text) ||
        !strcmp(text, "Instruction") || !read_index(i, "size", text, sizeof text))
      continue;
    snprintf(path, sizeof path, CPU0 "cache/index%d/shared_cpu_list", i);
    int64_t cores = count_cpus(path) / threads;
    cache[level] = (Cache){.size = host_size(text), .cores = cores > 1 ? cores : 1};
  }
}

static void ask_sysconf(Cache *cache, int64_t cores) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const int names[CACHE_LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                          _SC_LEVEL3_CACHE_SIZE};
  for (int l = 0; l < CACHE_LEVELS; l++) {
    long size = sysconf(names[l]);
    cache[l] = (Cache){.size = size >= 64 ? (double)size : 0, .cores = l == CACHE_L3 ? cores : 1};
  }
#else
  (void)cache, (void)cores;
#endif
}

/* -------- vectors -------- */

typedef struct VectorUnit {
  const char *name;
  double flops; /* f32, a cycle of one core: two a lane of each unit that multiplies and adds */
  double bytes; /* of a vector */
  int64_t registers; /* that hold one */
} VectorUnit;

#if defined(__x86_64__)
/* Zen 4: family 25 of AMD; the next one has whole vectors. */
static bool halves_vectors(void) {
  unsigned a, b, c, d;
  return __builtin_cpu_is("amd") && __get_cpuid(1, &a, &b, &c, &d) &&
         (a >> 8 & 15) + (a >> 20 & 255) == 25;
}
#endif

bool host_multiplies_adds(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

static VectorUnit find_vectors(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return halves_vectors() ? (VectorUnit){"AVX-512 in halves", 32, 64, 32}
                            : (VectorUnit){"AVX-512", 64, 64, 32};
  if (host_multiplies_adds()) return (VectorUnit){"AVX2", 32, 32, 16};
  return (VectorUnit){"SSE2", 8, 16, 16};
#elif defined(__aarch64__)
  return (VectorUnit){"NEON", 16, 16, 32};
#else
  return (VectorUnit){NULL, 0, 0, 0};
#endif
}

/* -------- caches -------- */

static double power_of_two(double n, double otherwise) {
  return n >= 16 && n <= 1 << 30 && ((int64_t)n & ((int64_t)n - 1)) == 0 ? n : otherwise;
}

/* Lines and pages, as the system reports them. */
static void find_pieces(Machine *m) {
  const Machine *generic = machine_generic();
  char text[64];
  double line = 0;
  if (read_index(0, "coherency_line_size", text, sizeof text)) line = atof(text);
  m->line = power_of_two(line, generic->line);
  m->page = power_of_two((double)sysconf(_SC_PAGESIZE), generic->page);
}

void host_caches(Machine *m) {
  const int64_t threads = count_cpus(CPU0 "topology/thread_siblings_list");
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  m->cores = online > threads ? online / threads : 1;
  memset(m->cache, 0, sizeof m->cache);
  read_system(m->cache, threads);
  if (m->cache[CACHE_L2].size == 0) ask_sysconf(m->cache, m->cores);
  find_pieces(m);
  const VectorUnit unit = find_vectors();
  if (unit.name) m->vector = unit.bytes, m->registers = unit.registers;
  for (int l = 1; l < CACHE_LEVELS; l++) /* nonsense of a virtual machine */
    if (m->cache[l].size > 0 && m->cache[l].size < m->cache[l - 1].size)
      memset(m->cache, 0, sizeof m->cache);
  machine_complete(m);
  for (int l = 0; l < CACHE_LEVELS; l++) /* a part of a computer: a container, a virtual machine */
    if (m->cache[l].cores > m->cores) m->cache[l].cores = m->cores;
}

/* -------- rates -------- */

/* Cycles a second at best; those of today's servers where the system does not know. */
static double find_clock(void) {
  static const double unknown = 3e9, least = 5e8, most = 1e10;
  char text[64];
  double clock = 0;
  if (read_line(CPU0 "cpufreq/cpuinfo_max_freq", text, sizeof text)) clock = 1e3 * atof(text);
  return clock >= least && clock <= most ? clock : unknown;
}

/* What one core reads or writes of memory: the cache lines that it has under way, some 16 on
 * Intel's CPUs and 48 on AMD's, in the time that each takes. */
static double find_bandwidth(const Machine *m) {
  double lines = 16;
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd") && __builtin_cpu_supports("avx2")) lines = 48;
#endif
  return lines * m->line / m->memory_latency;
}

/* What the cores of a host have of memory together: of AMD's CPUs 60 GB/s for the cores of an L3,
 * whose chip has one link to memory, of others 200 GB/s, of the eight channels of a socket. */
static double find_host_bandwidth(const Machine *m) {
  double each = 200e9;
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) each = 60e9;
#endif
  const int64_t sharing = m->cache[CACHE_L3].size > 0 ? m->cache[CACHE_L3].cores : m->cores;
  const double groups = fmax(1, (double)m->cores / (double)(sharing > 1 ? sharing : 1));
  return fmax(m->memory_bandwidth, groups * each);
}

/* Of a peak products have 0.8, and loops, which rarely multiply and add at once and wait for what
 * they read, an eighth. Devices are threads that read each other's memory: each byte is read and
 * written, and a wait is a cache line's way there and back, some times over. */
static void find_rates(Machine *m) {
  static const double of_products = 0.8, of_loops = 0.125;
  const VectorUnit unit = find_vectors();
  if (!unit.name) return;
  const double peak = unit.flops * find_clock();
  m->flops = of_products * peak;
  m->vector_flops = of_loops * peak;
  m->memory_bandwidth = find_bandwidth(m);
  m->link[0] = (Link){
      .bandwidth = m->memory_bandwidth / 2, .latency = 1e-6, .message = -1, .by = LINK_MEMORY};
}

const Machine *host_machine(Arena *a) {
  Machine *m = arena_new_of(a, Machine);
  *m = *machine_generic();
  m->name = "native";
  find_pieces(m);
  find_rates(m);
  host_caches(m);
  if (find_vectors().name) m->host_bandwidth = find_host_bandwidth(m);
  return m;
}
