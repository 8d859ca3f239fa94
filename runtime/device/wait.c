/* wait.c: how devices that share memory wait for one another, and the tables a device makes as it
 * goes.
 *
 * A barrier is: raise my flag, wait until the flags of all in the group are as high. Flags only
 * grow and count exchanges, which all devices run in the same order, so nothing is ever reset, and
 * a device that is already further is no trouble. Every wait looks at the failure flag. */
#include "device.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

int device_init(Device *d, dtrt_session *s, int id) {
  d->id = id;
  d->session = s;
  d->comm = s->comm;
  block_coord(&s->mesh, id, d->coord);
  d->pub.coord = d->coord;
  d->pub.seed = s->seed;
  d->group = calloc((size_t)1 << s->mesh.naxes, sizeof(DeviceGroup *));
  return d->group ? 0 : -1;
}

void device_free(Device *d) {
  dtrt_session *s = d->session;
  if (!s) return;
  for (int i = 0; d->transfer && i < d->ntransfers; i++) {
    for (int j = 0; d->transfer[i] && j < s->program[i].nexchanges; j++)
      transfer_free(d->transfer[i][j]);
    free(d->transfer[i]);
  }
  free(d->transfer);
  for (int i = 0; d->group && i < 1 << s->mesh.naxes; i++) free(d->group[i]);
  free(d->group);
  free(d->scratch);
  for (int i = 0; i < DTRT_FLIGHTS; i++) free(d->flight[i].scratch);
  free(d->in);
}

static int most_inputs(const dtrt_program *p) {
  int most = 0;
  for (int i = 0; i < p->nentries; i++)
    if (p->entry[i].nin > most) most = p->entry[i].nin;
  return most;
}

int device_add_program(Device *d, int nprograms, const SessionProgram *g) {
  int nin = most_inputs(g->p);
  if (nin > d->room_in) {
    const void **in = realloc(d->in, (size_t)nin * sizeof *in);
    if (!in) return -1;
    d->pub.in = d->in = in;
    d->room_in = nin;
  }
  Transfer ***table = realloc(d->transfer, (size_t)nprograms * sizeof *table);
  if (!table) return -1;
  d->transfer = table;
  table[nprograms - 1] = calloc((size_t)g->nexchanges + 1, sizeof(Transfer *));
  if (!table[nprograms - 1]) return -1;
  d->ntransfers = nprograms;
  return 0;
}

const DeviceGroup *device_group(Device *d, uint32_t axes) {
  if (d->group[axes]) return d->group[axes];
  const BlockMesh *m = &d->session->mesh;
  int n = 1, base = 0;
  for (int i = 0; i < m->naxes; i++) {
    if (axes & 1u << i)
      n *= m->size[i];
    else
      base += d->coord[i] * m->stride[i];
  }
  DeviceGroup *g = malloc(sizeof *g + (size_t)n * sizeof(int));
  if (!g) device_fail(d, "out of memory");
  g->axes = axes;
  g->n = n;
  g->direct = true;
  for (int i = 0; i < n; i++) {
    int device = base, rest = i;
    for (int a = m->naxes - 1; a >= 0; a--) {
      if (!(axes & 1u << a)) continue;
      device += rest % m->size[a] * m->stride[a];
      rest /= m->size[a];
    }
    g->device[i] = device;
    if (device == d->id) g->me = i;
    if (!d->comm->slot[device]) g->direct = false;
  }
  return d->group[axes] = g;
}

static Speed speed_of(const Device *d, const dtrt_exchange *x, uint32_t axes) {
  const dtrt_program *p = d->session->program[d->program].p;
  Speed all = {0};
  if (x->axes) axes = x->axes;
  if (!p->link) return speed_default();
  for (int i = 0; i < p->naxes; i++) {
    if (!(axes & 1u << i) || p->axis_size[i] == 1) continue;
    const dtrt_link *l = &p->link[i];
    Speed one = {l->bandwidth, l->latency, l->message};
    all = all.bandwidth > 0 ? speed_slower(all, one) : one;
  }
  return all.bandwidth > 0 ? all : speed_default();
}

static void choose_alone(Device *d, Transfer *p, Speed speed) {
  p->speed = speed;
  for (int i = 0; i < 2; i++) {
    Collective c = p->one;
    c.direct = device_group(d, p->axes)->direct;
    c.in_flight = i;
    p->alone[i] = (int8_t)collective_choose(&c, &speed);
  }
}

const Transfer *device_transfer(Device *d, const dtrt_exchange *x) {
  Transfer **at = &d->transfer[d->program][x->id];
  if (*at) return *at;
  char why[256];
  *at = transfer_new(&d->session->mesh, d->coord, x, !d->comm->all_direct, why);
  if (!*at) device_fail(d, "%s", why);
  if ((*at)->axes) choose_alone(d, *at, speed_of(d, x, (*at)->axes));
  if (x->id >= d->session->program[d->program].p->nexchanges && d->comm->count > 1)
    transfer_for_hosts(*at, d->id, d->comm->count);
  return *at;
}

static char *scratch_of(Device *d, char **at, int64_t *has, int64_t bytes) {
  if (bytes <= *has) return *at;
  free(*at);
  *has = 0;
  *at = malloc((size_t)bytes);
  if (!*at) device_fail(d, "out of memory: %lld bytes of scratch", (long long)bytes);
  *has = bytes;
  return *at;
}

char *device_scratch(Device *d, int64_t bytes) {
  return scratch_of(d, &d->scratch, &d->scratch_bytes, bytes);
}

char *device_lane_scratch(Device *d, int lane, int64_t bytes) {
  if (!lane) return device_scratch(d, bytes);
  Flight *f = &d->flight[lane - 1];
  return scratch_of(d, &f->scratch, &f->scratch_bytes, bytes);
}

/* -------- barriers -------- */

/* A long wait: tells others where I am, and stops all when somebody has been missing for too long.
 */
static void look(Device *d, CommWait *w, int peer) {
  CommState s = {.waits = 1, .npeers = peer < 0 ? peer : 1, .peer = {peer}};
  char why[COMM_WHY];
  fail_place(d, s.at, sizeof s.at);
  w->watched = true;
  if (d->comm->verbs->watch(d->comm, d->id, &s, w->waited, why)) device_missing(d, why);
}

/* A connection can end before those who look after dead ranks know whose it was: they get some
 * looks, so that the rank is named. */
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

static _Atomic uint64_t *flag_of(const Device *d, int device, int lane) {
  Slot *slot = d->comm->slot[device];
  return lane ? &slot->lane[lane - 1].flag : &slot->flag;
}

void device_pause(Device *d, unsigned turn) {
  Team *team = d->session->team;
  if (team)
    team_pause(team, d->id, turn);
  else
    comm_pause(d->comm->spin, turn);
}

static void wait_for(Device *d, int peer, int lane, uint64_t flag) {
  Comm *c = d->comm;
  const _Atomic uint64_t *at = flag_of(d, peer, lane);
  CommWait w = {0};
  for (unsigned turn = 0; atomic_load_explicit(at, memory_order_acquire) < flag; turn++) {
    if (device_stopped(d)) device_give_up(d);
    if (d->under_way) flights_turn(d);
    device_pause(d, turn);
    if (c->verbs->watch && comm_wait_is_long(&w, turn)) look(d, &w, peer);
  }
  if (w.watched) c->verbs->watch(c, d->id, NULL, 0, NULL);
}

static void wait_all(Device *d, const DeviceGroup *g, int lane, uint64_t flag) {
  int64_t from = d->profile ? profile_now() : 0;
  for (int i = 1; i < g->n; i++)
    wait_for(d, g->device[g->me + i < g->n ? g->me + i : g->me + i - g->n], lane, flag);
  if (d->profile) d->profile->waited += profile_now() - from;
}

void device_begin(Device *d, bool direct) {
  Slot *slot = d->comm->slot[d->id];
  d->count++;
  /* Nobody waits in this exchange, but somebody may wait for the ones before it. */
  if (!direct && slot) atomic_store_explicit(&slot->flag, 2 * d->count, memory_order_release);
}

void device_arrive(Device *d, const DeviceGroup *g) {
  uint64_t flag = 2 * d->count + 1;
  atomic_store_explicit(&d->comm->slot[d->id]->flag, flag, memory_order_release);
  wait_all(d, g, 0, flag);
}

void device_leave(Device *d, const DeviceGroup *g) {
  uint64_t flag = 2 * d->count + 2;
  atomic_store_explicit(&d->comm->slot[d->id]->flag, flag, memory_order_release);
  wait_all(d, g, 0, flag);
}

void device_lane_raise(Device *d, int lane, uint64_t flag) {
  atomic_store_explicit(flag_of(d, d->id, lane), flag, memory_order_release);
}

void device_lane_wait(Device *d, const DeviceGroup *g, int lane, uint64_t flag) {
  wait_all(d, g, lane, flag);
}

/* A stage may be written again when all who read it have raised their flags since. Within one group
 * the barriers between have shown that already; groups may change in between. */
char *device_open_stage(Together *t) {
  Device *d = t->d;
  if (t->lane) return d->comm->slot[d->id]->lane[t->lane - 1].stage;
  int i = t->stage = d->next_stage;
  d->next_stage = (i + 1) % COMM_STAGES;
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

void device_finish(Device *d, int lane) {
  Comm *c = d->comm;
  CommWait w = {0};
  int64_t from = d->profile ? profile_now() : 0;
  for (unsigned turn = 0;; turn++) {
    int done = c->verbs->finish(c, d->id, lane);
    if (done > 0) break;
    if (d->under_way) flights_turn(d);
    if (done < 0) device_messages_failed(d);
    if (device_stopped(d)) device_give_up(d);
    device_pause(d, turn);
    if (c->verbs->watch && comm_wait_is_long(&w, turn)) look(d, &w, COMM_MESSAGES);
  }
  if (w.watched) c->verbs->watch(c, d->id, NULL, 0, NULL);
  if (d->profile) d->profile->waited += profile_now() - from;
}

/* -------- addresses -------- */

/* What lies in a segment by its offset there, as processes see segments at other places; anything
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
  d->received += bytes;
  atomic_fetch_add_explicit(&d->comm->slot[peer]->taken, bytes, memory_order_relaxed);
}

void device_gave(Device *d, int peer, int64_t bytes) {
  if (d->uncounted) return;
  d->sent += bytes;
  atomic_fetch_add_explicit(&d->comm->slot[peer]->given, bytes, memory_order_relaxed);
}

void device_staged(Device *d, int64_t sent, int64_t received) {
  if (d->uncounted) return;
  d->sent += sent;
  d->received += received;
}

void device_counted(const Together *t) {
  Device *d = t->d;
  if (d->uncounted) return;
  d->exchanges++;
  d->ran[t->algorithm].exchanges++;
}

dtrt_traffic device_traffic(const Device *d) {
  Slot *slot = d->comm->slot[d->id];
  dtrt_traffic t = {d->received, d->exchanges, d->sent, d->scratch_bytes};
  for (int i = 0; i < DTRT_FLIGHTS; i++)
    if (d->flight[i].scratch_bytes > t.scratch) t.scratch = d->flight[i].scratch_bytes;
  if (!slot) return t;
  t.bytes += atomic_load_explicit(&slot->given, memory_order_relaxed);
  t.sent += atomic_load_explicit(&slot->taken, memory_order_relaxed);
  return t;
}
