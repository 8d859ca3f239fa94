/* cpus.c: see cpus.h. */
#include "cpus.h"
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool read_line(const char *path, char *line, int n) {
  FILE *f = fopen(path, "re");
  const bool ok = f && fgets(line, n, f);
  if (f) fclose(f);
  return ok;
}

static int affinity_cores(void) {
  static const char smt[] = "/sys/devices/system/cpu/smt/active";
  cpu_set_t set, cores;
  char line[256], path[96];
  if (sched_getaffinity(0, sizeof set, &set)) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
  }
  if (!read_line(smt, line, sizeof line) || *line != '1') return CPU_COUNT(&set);
  CPU_ZERO(&cores);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &set)) continue;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
    const int first = read_line(path, line, sizeof line) ? atoi(line) : i;
    CPU_SET(first >= 0 && first < CPU_SETSIZE ? first : i, &cores);
  }
  return CPU_COUNT(&cores);
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
