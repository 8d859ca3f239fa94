/* agree.c: what processes tell each other outside of programs: did all succeed, and why not. A word
 * of each travels at a time, by the verb that compares programs when a session opens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"

enum { WORDS = COMM_FACES, BYTES = WORDS * 8 };

/* Each rank's words, in the order of ranks; NULL when one has not come, which is the session's
 * error, or when out of memory, which ends all ranks. */
static CommFace *gather(dtrt_session *s, CommFace *mine) {
  Comm *c = s->comm;
  CommFace *all = calloc((size_t)c->nranks, sizeof *all);
  snprintf(mine->at, sizeof mine->at, "%s", "saving or restoring");
  if (!all) {
    c->verbs->fail(c, "out of memory to compare ranks");
    return NULL;
  }
  if (session_gather(s, mine, all, c->timeout) == DTRT_OK) return all;
  free(all);
  return NULL;
}

uint64_t session_share(dtrt_session *s, uint64_t mine) {
  if (s->comm->nranks == 1 || !s->comm->verbs->faces) return mine;
  CommFace *all = gather(s, &(CommFace){.hash = {mine}});
  uint64_t v = all ? all[0].hash[0] : mine;
  free(all);
  return v;
}

/* The text of one rank, to all. */
static void spread(dtrt_session *s, int from, char *text, size_t size) {
  for (size_t at = 0; at < size; at += BYTES) {
    CommFace mine = {.hash = {0}};
    size_t n = size - at < BYTES ? size - at : BYTES;
    memcpy(mine.hash, text + at, n);
    CommFace *all = gather(s, &mine);
    if (!all) return;
    memcpy(text + at, all[from].hash, n);
    free(all);
  }
  text[size - 1] = 0;
}

dtrt_status session_agree(dtrt_session *s, dtrt_status mine) {
  Comm *c = s->comm;
  if (c->nranks == 1 || !c->verbs->faces) return mine;
  CommFace *all = gather(s, &(CommFace){.hash = {(uint64_t)mine}});
  if (!all) return DTRT_FAILED;
  int from = 0;
  while (from < c->nranks && all[from].hash[0] == DTRT_OK) from++;
  dtrt_status status = from < c->nranks ? (dtrt_status)all[from].hash[0] : DTRT_OK;
  free(all);
  if (status == DTRT_OK) return DTRT_OK;
  char text[sizeof s->error];
  memcpy(text, s->error, sizeof text);
  spread(s, from, text, sizeof text);
  if (c->rank == from) return status;
  if (from == 0) return session_error(s, status, "%.1000s", text);
  return session_error(s, status, "rank %d: %.1000s", from, text);
}
