/* bind.c: see bind.h. Cores are in the order of nodes, so that neighbouring devices, and the cores
 * of a device, share a node where they can; counts need not divide. */
#include "bind.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include "comm.h"
#include "cpus.h"

struct CpuBinding {
  cpu_set_t mask; /* of the process */
  cpus_core *core;
  int ncores, how, index, beside, each;
};

CpuBinding *bind_open(int how, int index, int beside, int cores, char *why) {
  CpuBinding *b = calloc(1, sizeof *b);
  if (!b) return snprintf(why, COMM_WHY, "out of memory"), NULL;
  *b = (CpuBinding){.how = how, .index = index, .beside = beside, .each = cores};
  b->ncores = sched_getaffinity(0, sizeof b->mask, &b->mask) ? 0 : cpus_list(&b->core);
  if (b->ncores >= beside * cores) return b;
  if (b->ncores)
    snprintf(
        why, COMM_WHY,
        "--bind: %d device%s of %d core%s cannot be bound to %d core%s of this host; bind only "
        "where each has its own",
        beside, beside == 1 ? "" : "s", cores, cores == 1 ? "" : "s", b->ncores,
        b->ncores == 1 ? "" : "s");
  else
    snprintf(why, COMM_WHY, "--bind: the system does not tell the CPUs of this process");
  free(b->core);
  free(b);
  return NULL;
}

bool bind_device(const CpuBinding *b, int i, Crew *crew) {
  const int first = cpus_first(b->ncores, b->beside, b->index + i);
  bool good = true;
  for (int k = 0; k < b->each; k++) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (b->how == DTRT_BIND_CORE)
      CPU_SET(b->core[first + k].cpu, &set);
    else
      cpus_of_node(b->core[first].node, &b->mask, &set);
    if (k == 0)
      good = sched_setaffinity(0, sizeof set, &set) == 0;
    else if (crew)
      good = crew_bind(crew, k, &set) && good;
  }
  return good;
}

void bind_loosen(const CpuBinding *b) {
  if (b) sched_setaffinity(0, sizeof b->mask, &b->mask);
}

void bind_close(CpuBinding *b) {
  if (!b) return;
  bind_loosen(b);
  free(b->core);
  free(b);
}
