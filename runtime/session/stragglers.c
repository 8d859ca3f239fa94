/* stragglers.c: which devices the others wait for, exchange by exchange.
 *
 * In an exchange those that come early wait for those that come late, so of a group the device that
 * waits least was last. Clocks of hosts differ, and are not compared: in each call a device is late
 * by as much as it waited less than the middle one of its group. So one that is slow is late by
 * what it costs the others, one that is early makes nobody late, and the time that bytes take on
 * their way, in which all wait, counts for none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "session.h"

enum { STRAGGLERS_ROWS = 10 };

typedef struct Late {
  int64_t total, most, table, step; /* nanoseconds; of the calls that are kept */
  int device;
} Late;

/* What every rank has kept: its process, then of each table the waits of its devices. */
typedef struct RecentWaits {
  const dtrt_session *s;
  int64_t **of; /* [nranks]; rank 0's own first */
  Late *late;
  int64_t nlate;
} RecentWaits;

static int64_t kept_calls(const ProfileTable *t) {
  return t->calls < PROFILE_RECENT ? t->calls : PROFILE_RECENT;
}

enum { RECENT_WORDS = sizeof(ProfileRecent) / 8 };

static int64_t *put_kept(const dtrt_session *s, int64_t *n) {
  const Profile *p = s->profile;
  *n = 1;
  for (int64_t i = 0; i < p->ntables; i++) *n += p->devices * p->table[i].nrecent * RECENT_WORDS;
  int64_t *words = malloc((size_t)*n * sizeof *words), *at = words;
  if (!words) return NULL;
  *at++ = getpid();
  for (int64_t i = 0; i < p->ntables; i++) {
    int64_t m = p->devices * p->table[i].nrecent * RECENT_WORDS;
    if (m) memcpy(at, p->table[i].recent, (size_t)m * sizeof *at);
    at += m;
  }
  return words;
}

/* Of exchange `nth` of table i, on a device of any rank. */
static const ProfileRecent *recent_of(const RecentWaits *k, int64_t i, int64_t nth, int device) {
  const Comm *c = k->s->comm;
  const Profile *p = k->s->profile;
  const int64_t *at = k->of[device / c->count] + 1;
  for (int64_t j = 0; j < i; j++) at += p->devices * p->table[j].nrecent * RECENT_WORDS;
  at += (device % c->count * p->table[i].nrecent + nth) * RECENT_WORDS;
  return (const ProfileRecent *)(const void *)at;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static bool same_group(const BlockMesh *m, int64_t axes, int a, int b) {
  int32_t x[DTRT_MAX_AXES], y[DTRT_MAX_AXES];
  block_coord(m, a, x);
  block_coord(m, b, y);
  for (int i = 0; i < m->naxes; i++)
    if (!(axes >> i & 1) && x[i] != y[i]) return false;
  return true;
}

/* One group, whose members are in `member`, in the calls that are kept. */
static void count_group(RecentWaits *k, Late *of, int64_t i, int64_t nth, const int *member, int n,
                        int64_t *sorted) {
  int64_t calls = kept_calls(&k->s->profile->table[i]);
  for (int64_t call = 0; call < calls; call++) {
    for (int d = 0; d < n; d++) sorted[d] = recent_of(k, i, nth, member[d])->waited[call];
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int d = 0; d < n; d++) {
      int64_t late = sorted[n / 2] - recent_of(k, i, nth, member[d])->waited[call];
      if (late <= 0) continue;
      of[member[d]].total += late;
      if (late > of[member[d]].most) of[member[d]].most = late;
    }
  }
}

/* An exchange, group by group: each by its first device. */
static bool count_exchange(RecentWaits *k, int64_t i, int64_t step) {
  int devices = k->s->comm->ndevices, *member = malloc((size_t)devices * sizeof *member);
  int64_t nth = k->s->profile->table[i].nth[step];
  int64_t *sorted = malloc((size_t)devices * sizeof *sorted);
  char *done = calloc((size_t)devices, 1);
  bool good = member && sorted && done;
  Late *of = k->late + k->nlate;
  for (int d = 0; good && d < devices; d++) of[d] = (Late){.table = i, .step = step, .device = d};
  for (int first = 0; good && first < devices; first++) {
    int n = 0;
    if (done[first]) continue;
    int64_t axes = recent_of(k, i, nth, first)->axes;
    for (int d = first; d < devices; d++)
      if (!done[d] && same_group(&k->s->mesh, axes, first, d)) done[d] = 1, member[n++] = d;
    count_group(k, of, i, nth, member, n, sorted);
  }
  k->nlate += devices;
  free(member);
  free(sorted);
  free(done);
  return good;
}

static int later(const void *a, const void *b) {
  const Late *x = a, *y = b;
  if (x->total != y->total) return x->total < y->total ? 1 : -1;
  if (x->table != y->table) return x->table < y->table ? -1 : 1;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return x->device - y->device;
}

static void put_row(FILE *to, const RecentWaits *k, const Late *l) {
  const Comm *c = k->s->comm;
  const ProfileTable *t = &k->s->profile->table[l->table];
  const dtrt_entry *e = &k->s->program[t->program].p->entry[t->entry];
  const dtrt_step *step = &e->step[l->step];
  const char *host = dtrt_session_host(k->s, l->device / c->count);
  fprintf(to, "%11.2f%11.1f%11.1f%6d%8d%9lld  %-16s  %s: %s    %s\n", (double)l->total / 1e6,
          (double)l->total / 1e3 / (double)kept_calls(t), (double)l->most / 1e3,
          l->device / c->count, l->device, (long long)k->of[l->device / c->count][0],
          *host ? host : "this", e->name, step->what, step->where ? step->where : "");
}

static char *kept_text(RecentWaits *k) {
  const Profile *p = k->s->profile;
  int64_t rows = 0;
  char *text = NULL;
  size_t n = 0;
  for (int64_t i = 0; i < p->ntables; i++) rows += p->table[i].nrecent * k->s->comm->ndevices;
  k->late = calloc((size_t)rows + 1, sizeof *k->late);
  FILE *to = k->late ? open_memstream(&text, &n) : NULL;
  bool good = to != NULL;
  for (int64_t i = 0; good && i < p->ntables; i++)
    for (int64_t step = 0; good && step < p->table[i].parts; step++)
      if (p->table[i].nth[step] >= 0) good = count_exchange(k, i, step);
  if (good) qsort(k->late, (size_t)k->nlate, sizeof *k->late, later);
  if (good && (!k->nlate || !k->late->total))
    fputs("stragglers: no device has waited for another\n", to);
  else if (good)
    fprintf(to,
            "stragglers: by how much devices came later than the middle one, in the last %d "
            "calls\n%11s%11s%11s%6s%8s%9s  %-16s  %s\n",
            PROFILE_RECENT, "total ms", "mean us", "most us", "rank", "device", "process", "host",
            "exchange");
  for (int64_t i = 0; good && i < k->nlate && i < STRAGGLERS_ROWS && k->late[i].total; i++)
    put_row(to, k, &k->late[i]);
  if (to && fclose(to)) good = false;
  free(k->late);
  if (good) return text;
  free(text);
  return NULL;
}

dtrt_status profile_stragglers(dtrt_session *s, char **text) {
  const Comm *c = s->comm;
  dtrt_status status = session_usable(s);
  int64_t n = 0;
  *text = NULL;
  if (status != DTRT_OK) return status;
  if (!s->profile) return session_error(s, DTRT_INVALID, "no profile was begun");
  RecentWaits k = {.s = s, .of = calloc((size_t)c->nranks, sizeof *k.of)};
  int64_t *mine = k.of ? put_kept(s, &n) : NULL;
  if (!mine) status = session_error(s, DTRT_NO_MEMORY, "out of memory for the slowest ranks");
  if (c->nranks > 1) status = session_agree(s, status);
  if (!status) status = profile_gather(s, mine, n, k.of);
  if (!status) {
    if (c->rank == 0) k.of[0] = mine;
    *text = c->rank ? calloc(1, 1) : kept_text(&k);
    if (!*text) status = session_error(s, DTRT_NO_MEMORY, "out of memory for the slowest ranks");
  }
  for (int r = 1; k.of && r < c->nranks; r++) free(k.of[r]);
  free(k.of);
  free(mine);
  return status;
}
