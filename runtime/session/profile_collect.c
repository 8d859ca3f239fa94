/* profile_collect.c: collects the profiles of all ranks on rank 0. A profile is sent as one
 * sequence of int64_t, written by put_profile and read by take_profile in the same order. */
#include "profile.h"
#include <stdlib.h>
#include <string.h>
#include "session.h"

typedef struct ProfileWords {
  int64_t *at, n, room;
} ProfileWords;

static bool put(ProfileWords *w, const void *from, int64_t n) {
  if (w->n + n > w->room) {
    int64_t room = w->n + n + w->room;
    int64_t *at = realloc(w->at, (size_t)room * sizeof *at);
    if (!at) return false;
    w->at = at;
    w->room = room;
  }
  if (n) memcpy(w->at + w->n, from, (size_t)n * sizeof *w->at); /* `from` may be NULL */
  w->n += n;
  return true;
}

enum {
  TIME_WORDS = sizeof(ProfileTime) / 8,
  EVENT_WORDS = sizeof(ProfileEvent) / 8,
  HEAD_WORDS = 3,
  TABLE_WORDS = 5
};

static bool put_profile(const dtrt_session *s, ProfileWords *w) {
  const Profile *p = s->profile;
  bool good = put(w, (int64_t[]){p->origin, p->last - p->first, p->ntables}, HEAD_WORDS);
  for (int64_t i = 0; good && i < p->ntables; i++) {
    const ProfileTable *t = &p->table[i];
    good = put(w, (int64_t[]){t->program, t->entry, t->parts, t->calls, t->ns}, TABLE_WORDS) &&
           put(w, t->time, p->devices * t->parts * TIME_WORDS);
  }
  for (int64_t i = 0; good && i < p->devices; i++) {
    const DeviceProfile *d = s->device[i].profile;
    good = put(w, &d->nevents, 1) && put(w, d->event, d->nevents * EVENT_WORDS);
  }
  return good;
}

static const int64_t *take_table(Profile *to, int64_t i, int64_t first, int64_t count,
                                 const int64_t *at) {
  ProfileTable *t = &to->table[i];
  if (!t->time) {
    t->program = at[0], t->entry = at[1], t->parts = at[2], t->calls = at[3];
    t->time = calloc((size_t)(to->devices * t->parts), sizeof *t->time);
    if (!t->time) return NULL;
  }
  t->ns += at[4] * count / to->devices;
  memcpy(t->time + first * t->parts, at + TABLE_WORDS,
         (size_t)(count * t->parts) * sizeof *t->time);
  return at + TABLE_WORDS + count * t->parts * TIME_WORDS;
}

/* Of the devices [first, first + count). The tables are rank 0's, which comes first: all ranks make
 * the same calls. Events count from the instant at which a rank's profile began, which is one
 * instant but for a barrier. */
static bool take_profile(Profile *to, int64_t first, int64_t count, const int64_t *at) {
  int64_t origin = at[0], ntables = at[2];
  if (!to->table) {
    to->ntables = ntables;
    to->table = calloc((size_t)ntables + 1, sizeof *to->table);
  }
  if (!to->table || ntables != to->ntables) return false;
  to->elapsed += at[1] * count / to->devices;
  at += HEAD_WORDS;
  for (int64_t i = 0; at && i < ntables; i++) at = take_table(to, i, first, count, at);
  for (int64_t i = first; at && i < first + count; i++) {
    int64_t n = to->nevents[i] = *at++;
    to->event[i] = malloc((size_t)(n + 1) * sizeof *to->event[i]);
    if (!to->event[i]) return false;
    memcpy(to->event[i], at, (size_t)n * sizeof *to->event[i]);
    for (int64_t k = 0; k < n; k++) {
      to->event[i][k].began -= origin;
      to->event[i][k].ended -= origin;
    }
    at += n * EVENT_WORDS;
  }
  return at != NULL;
}

/* -------- between ranks -------- */

typedef struct ProfileJob {
  const int64_t *mine;
  int64_t n;
  int64_t **of; /* [nranks] what rank 0 has received; NULL elsewhere */
} ProfileJob;

static void recv_rank(Device *d, ProfileJob *t, int rank) {
  Comm *c = d->comm;
  int64_t n = 0;
  bool bad = c->verbs->recv(c, d->id, 0, rank * c->count, &n, sizeof n);
  if (!bad) device_finish(d, 0);
  t->of[rank] = bad ? NULL : malloc((size_t)n * sizeof n);
  if (!t->of[rank]) device_fail(d, "out of memory for the profiles of all ranks");
  if (c->verbs->recv(c, d->id, 0, rank * c->count, t->of[rank], n * (int64_t)sizeof n))
    device_fail(d, "out of memory for messages");
  device_finish(d, 0);
}

/* The first device of each rank speaks for it. */
static void collect_device(Device *d, void *arg) {
  ProfileJob *t = arg;
  Comm *c = d->comm;
  if (d->id != c->first) return;
  d->doing = "collecting the profile";
  if (c->rank == 0) {
    for (int r = 1; r < c->nranks; r++) recv_rank(d, t, r);
    return;
  }
  if (c->verbs->send(c, d->id, 0, 0, &t->n, sizeof t->n) ||
      c->verbs->send(c, d->id, 0, 0, t->mine, t->n * (int64_t)sizeof *t->mine))
    device_fail(d, "out of memory for messages");
  device_finish(d, 0);
}

dtrt_status profile_gather(dtrt_session *s, const int64_t *mine, int64_t n, int64_t **of) {
  ProfileJob t = {.mine = mine, .n = n, .of = of};
  return s->comm->nranks > 1 ? session_run(s, collect_device, &t) : DTRT_OK;
}

static dtrt_status assemble(dtrt_session *s, const int64_t *mine, int64_t *const *of,
                            Profile *out) {
  const Comm *c = s->comm;
  bool all = c->nranks > 1 && c->rank == 0;
  *out = (Profile){.devices = all ? c->ndevices : c->count};
  out->event = calloc((size_t)out->devices + 1, sizeof *out->event);
  out->nevents = calloc((size_t)out->devices + 1, sizeof *out->nevents);
  bool good = out->event && out->nevents && take_profile(out, 0, c->count, mine);
  for (int r = 1; good && all && r < c->nranks; r++)
    good = take_profile(out, (int64_t)r * c->count, c->count, of[r]);
  if (good) return DTRT_OK;
  profile_free(out);
  return session_error(s, DTRT_NO_MEMORY, "out of memory for the profile");
}

dtrt_status profile_collect(dtrt_session *s, Profile *out) {
  const Comm *c = s->comm;
  ProfileWords mine = {0};
  dtrt_status status = DTRT_OK;
  if (!s->profile) return session_error(s, DTRT_INVALID, "no profile was begun");
  int64_t **of = calloc((size_t)c->nranks, sizeof *of);
  if (!of || !put_profile(s, &mine))
    status = session_error(s, DTRT_NO_MEMORY, "out of memory for the profile");
  if (c->nranks > 1) status = session_agree(s, status);
  if (!status) status = profile_gather(s, mine.at, mine.n, of);
  if (!status) status = assemble(s, mine.at, of, out);
  for (int r = 0; of && r < c->nranks; r++) free(of[r]);
  free(of);
  free(mine.at);
  return status;
}
