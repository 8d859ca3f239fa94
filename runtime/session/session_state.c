/* session_state.c: whether a session can go on, and why not; where its processes are. */
#include "session.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dtrt_status session_error(dtrt_session *s, dtrt_status status, const char *why, ...) {
  va_list ap;
  va_start(ap, why);
  vsnprintf(s->error, sizeof s->error, why, ap);
  va_end(ap);
  return status;
}

dtrt_status session_usable(dtrt_session *s) {
  if (s->comm && atomic_load(s->comm->failed)) return DTRT_FAILED;
  return s->opened ? DTRT_OK : DTRT_INVALID; /* keeps the reason why it did not open */
}

/* All ranks' faces. They are at the same place, or the error names who is elsewhere: the names of
 * programs do not count, since they may be paths. */
dtrt_status session_gather(dtrt_session *s, const CommFace *mine, CommFace *all, double timeout) {
  const Comm *c = s->comm;
  char why[COMM_WHY] = "";
  if (atomic_load(c->failed)) return DTRT_FAILED;
  if (c->verbs->faces(s->comm, mine, all, timeout, why)) {
    atomic_store(c->failed, 1);
    return session_error(s, DTRT_FAILED, "%s", why);
  }
  for (int i = 1; i < c->nranks; i++) {
    bool barrier = !strncmp(all[i].at, "barrier", 7) || !strncmp(all[0].at, "barrier", 7);
    size_t n = barrier ? sizeof all->at : strcspn(all[i].at, " ");
    if (!strncmp(all[i].at, all[0].at, n)) continue;
    atomic_store(c->failed, 1);
    return session_error(s, DTRT_FAILED, "rank %d is at %s, but rank 0 at %s", i, all[i].at,
                         all[0].at);
  }
  return DTRT_OK;
}

dtrt_status dtrt_barrier(dtrt_session *s, const char *name, double timeout) {
  SESSION_USE(s);
  if (!s->opened) return DTRT_INVALID;
  Comm *c = s->comm;
  if (atomic_load(c->failed)) return DTRT_FAILED;
  if (!name) name = "";
  if (!c->verbs->faces || c->nranks == 1) return DTRT_OK;
  CommFace mine = {{0}, {0}}, *all = calloc((size_t)c->nranks, sizeof *all);
  snprintf(mine.at, sizeof mine.at, "barrier `%.100s`", name);
  if (!all) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  double t = timeout > 0 ? timeout : timeout < 0 ? 0 : c->timeout;
  dtrt_status status = session_gather(s, &mine, all, t);
  free(all);
  return status;
}
