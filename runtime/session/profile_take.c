/* profile_take.c: taking times; see profile.h. */
#include "profile.h"
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "pending.h"
#include "session.h"

void dtrt_begin_step(dtrt_device *dev, int32_t step) {
  Device *d = device_of(dev);
  if (watch_wanted(d)) watch_until(d, step);
  dev->at = step;
  if (d->profile) profile_part(d, step);
  if (d->under_way) pending_poll(d);
}

/* -------- a device's side -------- */

static void keep(DeviceProfile *p, int64_t part, int64_t began, int64_t ended, int64_t waited) {
  if (p->keeps && p->nevents < p->room)
    p->event[p->nevents++] = (ProfileEvent){p->table, part, began, ended, waited};
}

/* Ends the running part. */
static void end_part(Device *d, int64_t now) {
  DeviceProfile *p = d->profile;
  ProfileTime *t = &p->time[p->part];
  t->times++;
  t->ns += now - p->since;
  t->waited += d->waited;
  keep(p, p->part, p->since, now, d->waited);
  int64_t nth = p->nth[p->part];
  if (nth >= 0) {
    p->recent[nth].waited[p->slot] += d->waited;
    p->recent[nth].axes |= d->across;
  }
  p->waited_in_call += d->waited;
  d->waited = 0;
  d->across = 0;
  p->since = now;
}

void profile_part(Device *d, int64_t part) {
  DeviceProfile *p = d->profile;
  if (p->part < 0) return;
  end_part(d, clock_ns());
  p->part = part;
}

void profile_enter(Device *d) {
  DeviceProfile *p = d->profile;
  const Profile *all = d->session->profile;
  const ProfileTable *t = &all->table[all->running];
  p->table = all->running;
  p->nsteps = d->entry->nsteps;
  p->time = t->time + (d->id - d->comm->first) * t->parts;
  p->nth = t->nth;
  p->recent = t->recent + (d->id - d->comm->first) * t->nrecent;
  p->slot = (t->calls + d->run) % PROFILE_RECENT;
  for (int64_t i = 0; i < t->nrecent; i++) p->recent[i].waited[p->slot] = 0;
  p->keeps = p->room - p->nevents >= t->parts;
  p->part = p->nsteps + PROFILE_INPUTS;
  d->waited = p->waited_in_call = 0;
  d->across = 0;
  p->began = p->since = clock_ns();
}

void profile_leave(Device *d) {
  DeviceProfile *p = d->profile;
  end_part(d, clock_ns());
  int64_t call = p->nsteps + PROFILE_CALL;
  p->time[call].times++;
  p->time[call].ns += p->since - p->began;
  p->time[call].waited += p->waited_in_call;
  keep(p, call, p->began, p->since, p->waited_in_call);
  p->part = -1;
}

/* -------- the host's side -------- */

static int find_table(Profile *p, int program, int entry) {
  int64_t i = 0;
  while (i < p->ntables && (p->table[i].program != program || p->table[i].entry != entry)) i++;
  return (int)i;
}

static bool number_exchanges(ProfileTable *t, const dtrt_entry *e, int64_t devices) {
  t->nth = malloc((size_t)t->parts * sizeof *t->nth);
  if (!t->nth) return false;
  for (int64_t i = 0; i < t->parts; i++)
    t->nth[i] = i < e->nsteps && e->step[i].kind == DTRT_STEP_EXCHANGE ? t->nrecent++ : -1;
  t->recent = calloc((size_t)(devices * t->nrecent) + 1, sizeof *t->recent);
  return t->recent != NULL;
}

static void free_table(ProfileTable *t) {
  free(t->time);
  free(t->nth);
  free(t->recent);
}

static int add_table(Profile *p, int program, int entry, const dtrt_entry *e) {
  ProfileTable *list = realloc(p->table, ((size_t)p->ntables + 1) * sizeof *list);
  if (!list) return -1;
  p->table = list;
  ProfileTable t = {.program = program, .entry = entry, .parts = e->nsteps + PROFILE_PARTS};
  t.time = calloc((size_t)(p->devices * t.parts), sizeof *t.time);
  if (!t.time || !number_exchanges(&t, e, p->devices)) return free_table(&t), -1;
  list[p->ntables++] = t;
  return 0;
}

int profile_call(dtrt_session *s, int program, int entry) {
  Profile *p = s->profile;
  const dtrt_entry *e = &s->program[program].p->entry[entry];
  p->running = find_table(p, program, entry);
  if (p->running == p->ntables && add_table(p, program, entry, e)) return -1;
  for (int i = 0; i < s->comm->count; i++) {
    DeviceProfile *d = s->device[i].profile;
    if (d->room) continue;
    /* The first call has room, however many steps it has. */
    int64_t room = PROFILE_EVENTS / s->comm->count, parts = p->table[p->running].parts;
    d->event = malloc((size_t)(room > parts ? room : parts) * sizeof *d->event);
    if (!d->event) return -1;
    d->room = room > parts ? room : parts;
  }
  p->last = clock_ns();
  if (!p->first) p->first = p->last;
  return 0;
}

void profile_called(dtrt_session *s, int64_t runs) {
  Profile *p = s->profile;
  ProfileTable *t = &p->table[p->running];
  int64_t began = p->last;
  p->last = clock_ns();
  t->calls += runs;
  t->ns += p->last - began;
}

void profile_free(Profile *p) {
  for (int64_t i = 0; i < p->ntables; i++) free_table(&p->table[i]);
  for (int64_t i = 0; p->event && i < p->devices; i++) free(p->event[i]);
  free(p->table);
  free(p->event);
  free(p->nevents);
  *p = (Profile){0};
}

void profile_close(dtrt_session *s) {
  for (int i = 0; s->device && i < s->comm->count; i++) {
    if (s->device[i].profile) free(s->device[i].profile->event);
    free(s->device[i].profile);
    s->device[i].profile = NULL;
  }
  if (s->profile) profile_free(s->profile);
  free(s->profile);
  s->profile = NULL;
}

static dtrt_status start(dtrt_session *s) {
  s->profile = calloc(1, sizeof *s->profile);
  if (!s->profile) return session_error(s, DTRT_NO_MEMORY, "out of memory for a profile");
  s->profile->devices = s->comm->count;
  for (int i = 0; i < s->comm->count; i++) {
    DeviceProfile *d = s->device[i].profile = calloc(1, sizeof *d);
    if (!d) return session_error(s, DTRT_NO_MEMORY, "out of memory for a profile");
    d->part = -1;
  }
  return DTRT_OK;
}

dtrt_status dtrt_profile_start(dtrt_session *s) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  profile_close(s);
  status = start(s);
  if (status == DTRT_OK) status = dtrt_barrier(s, "profile", 0); /* clocks of hosts differ */
  if (status != DTRT_OK)
    profile_close(s);
  else
    s->profile->origin = clock_ns();
  return status;
}
