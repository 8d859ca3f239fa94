/* cpus.h: how many cores this process may keep busy. */
#ifndef DTG_RUNTIME_CPUS_H
#define DTG_RUNTIME_CPUS_H

/* CPUs of its affinity mask, of which those that are hyperthreads of one core count once, and no
 * more than the quota of its cgroup pays for. At least 1. */
int cpus_cores(void);

#endif
