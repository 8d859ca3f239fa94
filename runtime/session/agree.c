/* agree.c: agreement of processes outside of programs: whether all succeeded, and if not, why.
 * Each sends one word at a time, by the verb that compares programs when a session opens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files.h"
#include "same.h"
#include "session.h"

static const char agree_at[] = "saving or restoring";
enum { WORDS = COMM_FACES, BYTES = WORDS * 8 };

/* Each rank's words, in the order of ranks; NULL when one has not come, which is the session's
 * error, or when out of memory, which ends all ranks. */
static CommFace *gather(dtrt_session *s, const char *at, CommFace *mine) {
  Comm *c = s->comm;
  CommFace *all = calloc((size_t)c->nranks, sizeof *all);
  snprintf(mine->at, sizeof mine->at, "%s", at);
  if (!all) {
    c->verbs->fail(c, "out of memory to compare ranks");
    return NULL;
  }
  if (session_gather(s, mine, all, c->timeout) == DTRT_OK) return all;
  free(all);
  return NULL;
}

dtrt_status session_gather_words(dtrt_session *s, const char *at, const uint64_t *mine, int n,
                                 uint64_t *all) {
  Comm *c = s->comm;
  if (c->nranks == 1 || !c->verbs->faces) {
    memcpy(all, mine, (size_t)n * sizeof *all);
    return DTRT_OK;
  }
  CommFace *face = calloc((size_t)c->nranks, sizeof *face);
  if (!face) {
    c->verbs->fail(c, "out of memory to compare ranks");
    return session_error(s, DTRT_NO_MEMORY, "out of memory");
  }
  dtrt_status status = DTRT_OK;
  for (int from = 0; from < n && status == DTRT_OK; from += WORDS) {
    size_t bytes = (size_t)(n - from < WORDS ? n - from : WORDS) * sizeof *mine;
    CommFace own = {.hash = {0}};
    snprintf(own.at, sizeof own.at, "%s", at);
    memcpy(own.hash, mine + from, bytes);
    status = session_gather(s, &own, face, c->timeout);
    for (int r = 0; status == DTRT_OK && r < c->nranks; r++)
      memcpy(all + (size_t)r * (size_t)n + from, face[r].hash, bytes);
  }
  free(face);
  return status;
}

uint64_t session_share(dtrt_session *s, uint64_t mine) {
  if (s->comm->nranks == 1 || !s->comm->verbs->faces) return mine;
  CommFace *all = gather(s, agree_at, &(CommFace){.hash = {mine}});
  uint64_t v = all ? all[0].hash[0] : mine;
  free(all);
  return v;
}

uint64_t session_most(dtrt_session *s, uint64_t mine) {
  if (s->comm->nranks == 1 || !s->comm->verbs->faces) return mine;
  CommFace *all = gather(s, agree_at, &(CommFace){.hash = {mine}});
  for (int i = 0; all && i < s->comm->nranks; i++)
    if (all[i].hash[0] > mine) mine = all[i].hash[0];
  free(all);
  return mine;
}

dtrt_status session_spread(dtrt_session *s, const char *place, int from, char *text, size_t size) {
  for (size_t at = 0; at < size; at += BYTES) {
    CommFace mine = {.hash = {0}};
    size_t n = size - at < BYTES ? size - at : BYTES;
    memcpy(mine.hash, text + at, n);
    CommFace *all = gather(s, place, &mine);
    if (!all) return DTRT_FAILED;
    memcpy(text + at, all[from].hash, n);
    free(all);
  }
  return DTRT_OK;
}

dtrt_status session_agree(dtrt_session *s, dtrt_status mine) {
  Comm *c = s->comm;
  if (c->nranks == 1 || !c->verbs->faces) return mine;
  CommFace *all = gather(s, agree_at, &(CommFace){.hash = {(uint64_t)mine}});
  if (!all) return DTRT_FAILED;
  int from = 0;
  while (from < c->nranks && all[from].hash[0] == DTRT_OK) from++;
  dtrt_status status = from < c->nranks ? (dtrt_status)all[from].hash[0] : DTRT_OK;
  free(all);
  if (status == DTRT_OK) return DTRT_OK;
  char text[sizeof s->error];
  memcpy(text, s->error, sizeof text);
  if (session_spread(s, agree_at, from, text, sizeof text) != DTRT_OK) return DTRT_FAILED;
  text[sizeof text - 1] = 0;
  if (c->rank == from) return status;
  if (from == 0) return session_error(s, status, "%.1000s", text);
  return session_error(s, status, "rank %d: %.1000s", from, text);
}

spool_job session_job(dtrt_session *s) {
  return (spool_job){.id = session_share(s, file_random()), .shared = s->comm->nranks > 1};
}
