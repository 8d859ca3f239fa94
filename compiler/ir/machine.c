/* Machines: the default one, and which of a machine's links an axis of a mesh runs over. */
#include "machine.h"
#include <string.h>

const Machine *machine_default(void) {
  static const Machine m = {.name = "default",
                            .flops = 50e9,
                            .vector_flops = 10e9,
                            .memory_bandwidth = 8e9,
                            .start = 0.5e-6,
                            .nlinks = 1,
                            .link = {{.bandwidth = 4e9, .latency = 5e-6}}};
  return &m;
}

/* How many consecutive devices a line along the axis reaches over. */
static int64_t reach(const Mesh *mesh, int axis) {
  int64_t n = 1;
  for (int a = axis; a < mesh->naxes; a++) n *= mesh->axis[a].size;
  return n;
}

Link machine_axis(const Machine *m, const Mesh *mesh, int axis) {
  int64_t span = reach(mesh, axis);
  const Link *best = &m->link[m->nlinks - 1];
  for (int i = m->nlinks - 1; i >= 0; i--) {
    const Link *l = &m->link[i];
    if (l->axis && !strcmp(l->axis, mesh->axis[axis].name)) return *l;
    if (!l->axis && (l->devices == 0 || l->devices >= span)) best = l;
  }
  return *best;
}
