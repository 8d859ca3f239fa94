/* cpus.h: how many cores this process may keep busy. */
#ifndef DTG_RUNTIME_CPUS_H
#define DTG_RUNTIME_CPUS_H

/* CPUs in the process's affinity mask, hyperthreads of one core counted once, limited by its
 * cgroup's quota. At least 1. */
int cpus_cores(void);

#endif
