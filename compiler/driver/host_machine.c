/* The machine that plans are made for if none is described: caches and cores as the system reports
 * them for the first CPU of this computer, rates by a table of families of CPUs. Linux reports the
 * former below /sys/devices/system/cpu; otherwise sysconf may know sizes. Unknown values stay
 * generic. Invariant: two runs on one computer get the same machine, so nothing is measured. */
#include "host_machine.h"
#include "cpu_family.h"
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

static CpuVectors find_vectors(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return CPU_AVX512;
  return host_multiplies_adds() ? CPU_AVX2 : CPU_SSE2;
#elif defined(__aarch64__)
  return CPU_NEON;
#else
  return CPU_NO_VECTORS;
#endif
}

/* Bytes of a vector, and registers that hold one. */
static void find_registers(Machine *m) {
  static const struct {
    double bytes;
    int64_t registers;
  } units[] = {
      [CPU_SSE2] = {16, 16}, [CPU_AVX2] = {32, 16}, [CPU_AVX512] = {64, 32}, [CPU_NEON] = {16, 32}};
  const CpuVectors v = find_vectors();
  if (v != CPU_NO_VECTORS) m->vector = units[v].bytes, m->registers = units[v].registers;
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

void host_hardware(Machine *m) {
  const int64_t threads = count_cpus(CPU0 "topology/thread_siblings_list");
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  m->cores = online > threads ? online / threads : 1;
  memset(m->cache, 0, sizeof m->cache);
  read_system(m->cache, threads);
  if (m->cache[CACHE_L2].size == 0) ask_sysconf(m->cache, m->cores);
  find_pieces(m);
  find_registers(m);
  for (int l = 1; l < CACHE_LEVELS; l++) /* nonsense of a virtual machine */
    if (m->cache[l].size > 0 && m->cache[l].size < m->cache[l - 1].size)
      memset(m->cache, 0, sizeof m->cache);
  machine_complete(m);
  for (int l = 0; l < CACHE_LEVELS; l++) /* a part of a computer: a container, a virtual machine */
    if (m->cache[l].cores > m->cores) m->cache[l].cores = m->cores;
}

/* -------- rates -------- */

static void identify(Cpu *cpu) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  __builtin_cpu_init();
  if (!__get_cpuid(1, &a, &b, &c, &d)) return;
  cpu->maker = __builtin_cpu_is("amd")     ? CPU_AMD
               : __builtin_cpu_is("intel") ? CPU_INTEL
                                           : CPU_UNKNOWN;
  cpu_read_version(a, cpu);
#elif defined(__aarch64__)
  char text[64];
  if (read_line(CPU0 "regs/identification/midr_el1", text, sizeof text)) cpu_read_midr(text, cpu);
#else
  (void)cpu;
#endif
}

static Cpu find_cpu(void) {
  Cpu cpu = {.vectors = find_vectors()};
  char text[64];
  identify(&cpu);
  if (read_line(CPU0 "cpufreq/cpuinfo_max_freq", text, sizeof text)) cpu.clock = 1e3 * atof(text);
  return cpu;
}

/* What the cores of a host have of memory together: of AMD's CPUs 60 GB/s for the cores of an L3,
 * whose chip has one link to memory, of others 200 GB/s, of the eight channels of a socket. */
static double find_host_bandwidth(const Machine *m, bool amd) {
  const double each = amd ? 60e9 : 200e9;
  const int64_t sharing = m->cache[CACHE_L3].size > 0 ? m->cache[CACHE_L3].cores : m->cores;
  const double groups = fmax(1, (double)m->cores / (double)(sharing > 1 ? sharing : 1));
  return fmax(m->memory_bandwidth, groups * each);
}

/* Of a peak products have 0.9, and loops, which rarely multiply and add at once and wait for what
 * they read, an eighth. Devices are threads that read each other's memory: each byte is read and
 * written, and a wait is a cache line's way there and back, some times over. */
static void find_rates(Machine *m, const CpuRates *cpu) {
  static const double of_products = 0.9, of_loops = 0.125;
  const double peak = cpu->flops * cpu->clock;
  m->flops = of_products * peak;
  m->vector_flops = of_loops * peak;
  m->memory_bandwidth = cpu->lines * m->line / m->memory_latency;
  m->link[0] = (Link){
      .bandwidth = m->memory_bandwidth / 2, .latency = 1e-6, .message = -1, .by = LINK_MEMORY};
}

const Machine *host_machine(Arena *a) {
  Machine *m = arena_new_of(a, Machine);
  const Cpu cpu = find_cpu();
  const CpuRates rates = cpu_rates(&cpu);
  *m = *machine_generic();
  m->name = "native";
  find_pieces(m);
  if (rates.flops > 0) find_rates(m, &rates);
  host_hardware(m);
  if (rates.flops > 0) m->host_bandwidth = find_host_bandwidth(m, cpu.maker == CPU_AMD);
  return m;
}
