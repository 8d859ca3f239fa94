/* cpus.h: which cores this process may keep busy, and where they are. */
#ifndef DTG_RUNTIME_CPUS_H
#define DTG_RUNTIME_CPUS_H
#include <sched.h>

/* CPUs in the process's affinity mask, hyperthreads of one core counted once, limited by its
 * cgroup's quota. At least 1. */
int cpus_cores(void);

typedef struct cpus_core {
  int cpu, node; /* its first hyperthread in the mask; the NUMA node, 0 where there are none */
} cpus_core;
/* The cores in the affinity mask, by node and number; malloc'ed. 0: unknown. */
int cpus_list(cpus_core **list);
/* The first core of device i of n that share out so many cores, which need not divide. */
int cpus_first(int cores, int n, int i);
/* The CPUs of a node that are in `mask`. */
void cpus_of_node(int node, const cpu_set_t *mask, cpu_set_t *set);

#endif
