/* cpus.c: see cpus.h. */
#include "cpus.h"
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool read_line(const char *path, char *line, int n) {
  FILE *f = fopen(path, "re");
  const bool ok = f && fgets(line, n, f);
  if (f) fclose(f);
  return ok;
}

/* The first hyperthread of a core: its own number where there is one. */
static int first_thread(int cpu) {
  char line[256], path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  const int first = read_line(path, line, sizeof line) ? atoi(line) : cpu;
  return first >= 0 && first < CPU_SETSIZE ? first : cpu;
}

static bool has_threads(void) {
  char line[16];
  return read_line("/sys/devices/system/cpu/smt/active", line, sizeof line) && *line == '1';
}

static int affinity_cores(void) {
  cpu_set_t set, cores;
  if (sched_getaffinity(0, sizeof set, &set)) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
  }
  if (!has_threads()) return CPU_COUNT(&set);
  CPU_ZERO(&cores);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &set)) CPU_SET(first_thread(i), &cores);
  return CPU_COUNT(&cores);
}

static int node_of(int cpu) {
  char path[64];
  int node = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", cpu);
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));)
    if (sscanf(e->d_name, "node%d", &node) == 1) break;
  if (d) closedir(d);
  return node;
}

static int by_node(const void *a, const void *b) {
  const cpus_core *x = a, *y = b;
  return x->node != y->node ? x->node - y->node : x->cpu - y->cpu;
}

int cpus_list(cpus_core **list) {
  cpu_set_t set, cores;
  int n = 0;
  *list = NULL;
  if (sched_getaffinity(0, sizeof set, &set)) return 0;
  *list = calloc((size_t)CPU_COUNT(&set) + 1, sizeof **list);
  if (!*list) return 0;
  const bool threads = has_threads();
  CPU_ZERO(&cores);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    const int core = CPU_ISSET(i, &set) && threads ? first_thread(i) : i;
    if (!CPU_ISSET(i, &set) || CPU_ISSET(core, &cores)) continue;
    CPU_SET(core, &cores);
    (*list)[n++] = (cpus_core){i, node_of(i)};
  }
  qsort(*list, (size_t)n, sizeof **list, by_node);
  return n;
}

int cpus_first(int cores, int n, int i) { return (int)((int64_t)i * cores / n); }

void cpus_of_node(int node, const cpu_set_t *mask, cpu_set_t *set) {
  CPU_ZERO(set);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, mask) && node_of(i) == node) CPU_SET(i, set);
}

/* Cores that a container's CPU quota per period amounts to, rounded up; 0: not limited. */
static int quota_cores(void) {
  char line[64];
  double quota = 0, period = 0;
  if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line)) {
    if (sscanf(line, "%lf %lf", &quota, &period) != 2) return 0; /* "max" */
  } else {
    if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line)) quota = atof(line);
    if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof line)) period = atof(line);
  }
  if (!(quota > 0) || !(period > 0) || quota / period > 1e6) return 0;
  const int whole = (int)(quota / period);
  return whole + (whole < quota / period);
}

int cpus_cores(void) {
  const int may = affinity_cores(), pays = quota_cores();
  const int n = pays && pays < may ? pays : may;
  return n > 1 ? n : 1;
}
