/* wait.c: how devices that share memory wait for one another.
 *
 * A barrier is: raise my flag, wait until the flags of all in the group are as high. Flags only
 * grow and count exchanges, which all devices run in the same order, so nothing is ever reset, and
 * a device that is already further is no trouble. Every wait polls the failure flag. */
#include "device.h"
#include "clock.h"
#include <time.h>

/* -------- barriers -------- */

/* A long wait: reports my position to others, and stops all when a rank has been missing for too
 * long.
 */
static void look(Device *d, CommWait *w, int peer) {
  CommState s = {.waits = 1, .npeers = peer < 0 ? peer : 1, .peer = {peer}};
  char why[COMM_WHY];
  fail_place(d, s.at, sizeof s.at);
  w->watched = true;
  if (d->comm->verbs->watch(d->comm, d->id, &s, w->waited, why)) device_missing(d, why);
}

/* A connection can end before the check for dead ranks knows whose it was: it gets some
 * polls, so that the rank is named. */
void device_messages_failed(Device *d) {
  const double grace = 2, step = 0.02;
  CommWait w = {0};
  for (double end = comm_now() + grace; d->comm->verbs->watch && comm_now() < end;) {
    if (device_stopped(d)) device_give_up(d);
    look(d, &w, COMM_MESSAGES);
    nanosleep(&(struct timespec){.tv_nsec = (long)(step * 1e9)}, NULL);
  }
  device_fail(d, "messages to or from other ranks have failed");
}

static Raised *flag_of(const Device *d, int device, int lane) {
  Slot *slot = d->comm->slot[device];
  return lane ? &slot->lane[lane - 1].flag : &slot->flag;
}

void device_pause(Device *d, unsigned turn) {
  Team *team = d->team;
  if (team)
    team_pause(team, d->id, turn);
  else
    comm_pause(d->comm->spin, turn);
}

/* Failures and messages are looked for between sleeps. */
enum { ASLEEP_NS = 1000000 };

/* Not while the thread has other devices to run, or an exchange in flight to go on with. */
static bool may_sleep(const Device *d) {
  return !d->under_way && (!d->team || team_alone(d->team, d->id));
}

static void wait_for(Device *d, int peer, int lane, uint64_t flag) {
  Comm *c = d->comm;
  Raised *at = flag_of(d, peer, lane);
  CommWait w = {0};
  for (unsigned turn = 0; raised_get(at) < flag; turn++) {
    if (device_stopped(d)) device_give_up(d);
    if (d->under_way) d->progress(d);
    if (comm_awake(c->spin, turn) || !may_sleep(d))
      device_pause(d, turn);
    else
      raised_sleep(at, flag, ASLEEP_NS);
    if (c->verbs->watch && comm_wait_is_long(&w, turn)) look(d, &w, peer);
  }
  if (w.watched) c->verbs->watch(c, d->id, NULL, 0, NULL);
}

static void wait_all(Device *d, const DeviceGroup *g, int lane, uint64_t flag) {
  int64_t from = d->profile ? clock_ns() : 0;
  for (int i = 1; i < g->n; i++)
    wait_for(d, g->device[g->me + i < g->n ? g->me + i : g->me + i - g->n], lane, flag);
  if (d->profile) d->waited += clock_ns() - from;
}

void device_begin(Device *d, bool direct) {
  Slot *slot = d->comm->slot[d->id];
  d->count++;
  /* No device waits in this exchange, but one may wait in the exchanges before it. */
  if (!direct && slot) raised_set(&slot->flag, 2 * d->count);
}

void device_arrive(Device *d, const DeviceGroup *g) {
  uint64_t flag = 2 * d->count + 1;
  raised_set(&d->comm->slot[d->id]->flag, flag);
  wait_all(d, g, 0, flag);
}

void device_leave(Device *d, const DeviceGroup *g) {
  uint64_t flag = 2 * d->count + 2;
  raised_set(&d->comm->slot[d->id]->flag, flag);
  wait_all(d, g, 0, flag);
}

void device_lane_raise(Device *d, int lane, uint64_t flag) {
  raised_set(flag_of(d, d->id, lane), flag);
}

void device_lane_wait(Device *d, const DeviceGroup *g, int lane, uint64_t flag) {
  wait_all(d, g, lane, flag);
}

/* A stage may be written again when all who read it have raised their flags since. Within one group
 * the barriers between have shown that already; groups may change in between. */
char *device_open_stage(Together *t) {
  Device *d = t->d;
  if (t->lane) return d->comm->slot[d->id]->lane[t->lane - 1].stage;
  /* By the number of the exchange, which is the same on all: others may send messages instead. */
  int i = t->stage = (int)(d->count % COMM_STAGES);
  if (d->stage[i].group) wait_all(d, d->stage[i].group, 0, 2 * d->stage[i].count + 2);
  d->stage[i].group = t->g;
  d->stage[i].count = d->count;
  return d->comm->slot[d->id]->stage[i];
}

const char *device_stage_of(const Together *t, int peer) {
  const Slot *slot = t->d->comm->slot[peer];
  return t->lane ? slot->lane[t->lane - 1].stage : slot->stage[t->stage];
}

uint64_t *device_from(const Together *t, int device) {
  Slot *slot = t->d->comm->slot[device];
  return t->lane ? slot->lane[t->lane - 1].from : slot->from;
}

uint64_t *device_to(const Together *t, int device) {
  Slot *slot = t->d->comm->slot[device];
  return t->lane ? slot->lane[t->lane - 1].to : slot->to;
}

bool device_lane_raised(const Device *d, const DeviceGroup *g, int lane, uint64_t flag) {
  for (int i = 0; i < g->n; i++)
    if (raised_get(flag_of(d, g->device[i], lane)) < flag) return false;
  return true;
}

bool device_finished(Device *d, int track) {
  int done = d->comm->verbs->finish(d->comm, d->id, track);
  if (done < 0 && fail_in_part()) return false; /* the device finds out for itself, and reports */
  if (done < 0) device_messages_failed(d);
  return done;
}

void device_finish(Device *d, int track) {
  Comm *c = d->comm;
  CommWait w = {0};
  int64_t from = d->profile ? clock_ns() : 0;
  for (unsigned turn = 0;; turn++) {
    int done = c->verbs->finish(c, d->id, track);
    if (done > 0) break;
    if (d->under_way) d->progress(d);
    if (done < 0) device_messages_failed(d);
    if (device_stopped(d)) device_give_up(d);
    device_pause(d, turn);
    if (c->verbs->watch && comm_wait_is_long(&w, turn)) look(d, &w, COMM_MESSAGES);
  }
  if (w.watched) c->verbs->watch(c, d->id, NULL, 0, NULL);
  if (d->profile) d->waited += clock_ns() - from;
}

/* -------- addresses -------- */

/* Addresses in a segment by their offset there, as processes see segments at other places; anything
 * else of the one process as it is. */
enum { ANYWHERE = NSEGMENTS, ADDRESSES };

uint64_t device_address(Device *d, const void *at) {
  const char *p = at;
  for (unsigned i = 0; i < NSEGMENTS; i++) {
    const char *base = d->comm->segment[i][d->id];
    if (base && p >= base && p <= base + d->comm->segment_bytes[i])
      return (uint64_t)(p - base) * ADDRESSES + i;
  }
  if (d->comm->nranks == 1) return (uint64_t)(uintptr_t)p * ADDRESSES + ANYWHERE;
  device_fail(d, "a buffer of an exchange is outside the arena and the variables");
}

char *device_peer(const Device *d, int peer, uint64_t address) {
  const uint64_t kind = address % ADDRESSES, at = address / ADDRESSES;
  return kind == ANYWHERE ? (char *)(uintptr_t)at : d->comm->segment[kind][peer] + at;
}

/* -------- traffic -------- */

void device_took(Device *d, int peer, int64_t bytes) {
  if (d->uncounted) return;
  device_count(&d->received, bytes);
  atomic_fetch_add_explicit(&d->comm->slot[peer]->taken, bytes, memory_order_relaxed);
}

void device_gave(Device *d, int peer, int64_t bytes) {
  if (d->uncounted) return;
  device_count(&d->sent, bytes);
  atomic_fetch_add_explicit(&d->comm->slot[peer]->given, bytes, memory_order_relaxed);
}

void device_staged(Device *d, int64_t sent, int64_t received) {
  if (d->uncounted) return;
  device_count(&d->sent, sent);
  device_count(&d->received, received);
}

void device_counted(const Together *t) {
  Device *d = t->d;
  d->across |= t->g->axes;
  if (d->uncounted) return;
  device_count(&d->exchanges, 1);
  device_count(&d->ran[t->algorithm].exchanges, 1);
}

dtrt_traffic device_traffic(const Device *d) {
  Slot *slot = d->comm->slot[d->id];
  dtrt_traffic t = {d->received, d->exchanges, d->sent, d->scratch[0].bytes};
  for (int i = 1; i < COMM_LANES; i++)
    if (d->scratch[i].bytes > t.scratch) t.scratch = d->scratch[i].bytes;
  if (!slot) return t;
  t.bytes += atomic_load_explicit(&slot->given, memory_order_relaxed);
  t.sent += atomic_load_explicit(&slot->taken, memory_order_relaxed);
  return t;
}
