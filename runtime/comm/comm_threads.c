/* comm_threads.c: the devices are threads of this process (team.h), which see all of each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm.h"

typedef struct Threads {
  Comm comm; /* first */
  _Atomic int failed;
  Slot *slots; /* [count] */
} Threads;

static int threads_segment(Comm *c, int which, int64_t bytes, char *why) {
  for (int i = 0; i < c->count; i++) {
    comm_unmap(c->segment[which][i], c->segment_bytes[which]);
    c->segment[which][i] = NULL;
  }
  c->segment_bytes[which] = bytes;
  for (int i = 0; i < c->count; i++) {
    c->segment[which][i] = comm_map(bytes);
    if (c->segment[which][i]) continue;
    snprintf(why, COMM_WHY, "out of memory: %lld bytes for each of %d devices", (long long)bytes,
             c->count);
    return -1;
  }
  return 0;
}

static void threads_close(Comm *c) {
  Threads *t = (Threads *)(void *)c;
  for (int s = 0; s < NSEGMENTS; s++) {
    for (int i = 0; c->segment[s] && i < c->count; i++)
      comm_unmap(c->segment[s][i], c->segment_bytes[s]);
    free(c->segment[s]);
  }
  free(c->slot);
  free(t->slots);
  free(t);
}

Comm *comm_open_threads(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {
      .name = "threads", .segment = threads_segment, .close = threads_close};
  Threads *t = calloc(1, sizeof *t);
  size_t n = (size_t)o->ndevices;
  snprintf(why, COMM_WHY, "out of memory for %d devices", o->ndevices);
  if (!t) return NULL;
  t->comm = (Comm){.verbs = &verbs,
                   .ndevices = o->ndevices,
                   .count = o->ndevices,
                   .nranks = 1,
                   .nhosts = 1,
                   .beside = o->ndevices,
                   .spin = comm_cores() >= o->ndevices,
                   .all_direct = true,
                   .failed = &t->failed};
  t->slots = aligned_alloc(_Alignof(Slot), n * sizeof(Slot));
  t->comm.slot = calloc(n, sizeof *t->comm.slot);
  bool fine = t->slots && t->comm.slot;
  for (int i = 0; i < NSEGMENTS; i++) {
    t->comm.segment[i] = calloc(n, sizeof(char *));
    fine = fine && t->comm.segment[i];
  }
  if (fine) {
    memset(t->slots, 0, n * sizeof(Slot));
    for (size_t i = 0; i < n; i++) t->comm.slot[i] = &t->slots[i];
    return &t->comm;
  }
  threads_close(&t->comm);
  return NULL;
}
