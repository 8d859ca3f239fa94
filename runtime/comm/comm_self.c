/* comm_self.c: one device, in the thread that calls. Nothing is ever waited for. */
#include <stdlib.h>
#include <stdio.h>
#include "comm.h"

typedef struct Self {
  Comm comm; /* first */
  Slot *slot[1];
  char *segment[NSEGMENTS][1];
  _Atomic int failed;
} Self;

static int self_segment(Comm *c, int which, int64_t bytes, char *why) {
  comm_unmap(c->segment[which][0], c->segment_bytes[which]);
  c->segment[which][0] = comm_map(bytes);
  c->segment_bytes[which] = c->segment[which][0] ? bytes : 0;
  if (c->segment[which][0]) return 0;
  snprintf(why, COMM_WHY, "out of memory: %lld bytes for the device", (long long)bytes);
  return -1;
}

static void self_close(Comm *c) {
  for (int i = 0; i < NSEGMENTS; i++) comm_unmap(c->segment[i][0], c->segment_bytes[i]);
  free(c);
}

Comm *comm_open_self(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {.name = "self", .segment = self_segment, .close = self_close};
  if (o->ndevices != 1) {
    snprintf(why, COMM_WHY, "transport self has one device, the mesh %d: use threads or mpi",
             o->ndevices);
    return NULL;
  }
  Self *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, COMM_WHY, "out of memory");
    return NULL;
  }
  s->comm = (Comm){.verbs = &verbs,
                   .ndevices = 1,
                   .count = 1,
                   .nranks = 1,
                   .nhosts = 1,
                   .beside = 1,
                   .spin = true,
                   .all_direct = true,
                   .failed = &s->failed,
                   .slot = s->slot};
  for (int i = 0; i < NSEGMENTS; i++) s->comm.segment[i] = s->segment[i];
  return &s->comm;
}
