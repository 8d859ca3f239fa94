/* exchange.c: exchanges, one or several as one, by the algorithm that collective_choose takes.
 *
 * All combine the same terms in the same order, so their bits are the same. What a device
 * owns is copied, never sent.
 *
 * Memory: the block that goes in, the block that comes out, and scratch. Reading peers' memory
 * takes 16 bytes of scratch for each device whose terms are combined, and the slot's stages, 16
 * KiB and 1 KiB an in-flight slot. By messages it is COMM_SCRATCH, 4 MiB, or 1 KiB for each such
 * device if that is more, and beside that as much for each that is in flight. An all-reduce
 * (collective.c) takes 16 bytes a device and 4 KiB; by messages the same as above, or four times
 * what is on its way at a time, at most COMM_MOST_SCRATCH, 64 MiB. Beside that a device keeps the
 * transfers it has made: a piece (240 bytes) for each device it meets.
 */
#include <stddef.h>
#include "exchange.h"
#include "algorithm_table.h"
#include "collective.h"
#include "messages.h"
#include "reduce_terms.h"

/* -------- what to do: computed once for each exchange -------- */

static Speed speed_of(const Device *d, const dtrt_exchange *x, uint32_t axes) {
  const dtrt_program *p = d->transfers[d->program].program;
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
  device_teams(d, p);
  for (int i = 0; i < 2; i++) {
    Collective c = p->one;
    device_places(&c, device_group_with(d, p->axes, p->copied));
    c.in_flight = i;
    p->alone[i] = (int8_t)collective_choose(&c, &speed);
  }
}

const Transfer *exchange_transfer(Device *d, const dtrt_exchange *x) {
  const TransferTable *table = &d->transfers[d->program];
  Transfer **at = device_transfer(d, x);
  if (*at) return *at;
  char why[256];
  *at = transfer_new(d->mesh, d->coord, x, !d->comm->all_direct, why);
  if (!*at) device_fail(d, "%s", why);
  if (x->id >= table->program->nexchanges) transfer_for_hosts(*at, d->id, d->comm->count);
  if ((*at)->axes) choose_alone(d, *at, speed_of(d, x, (*at)->axes));
  return *at;
}

/* -------- exchanges that go as one -------- */

static bool is_reduce(const Transfer *p) { return p->kind == TRANSFER_ALL_REDUCE; }

/* All that need others over the same axes; all-reduces also of the same kind. */
static bool go_together(const Transfer *a, const Transfer *b) {
  if (a->kind != b->kind || a->axes != b->axes || !a->axes) return false;
  return !is_reduce(a) || (a->dtype == b->dtype && a->reduce == b->reduce);
}

void exchange_gather(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                     void *const *to, const Transfer **p, Together *t) {
  int len = 0;
  for (; len < n && len < COMM_BATCH; len++) {
    p[len] = exchange_transfer(d, x[len]);
    if (len && !go_together(p[0], p[len])) break;
  }
  *t = (Together){.d = d, .n = len, .transfer = p, .from = from, .to = to};
}

void exchange_check(Device *d, int n, const Transfer *const *p, void *const *to) {
  for (int i = 0; d->brought && i < n; i++)
    if (!p[i]->borders) d->brought(d, p[i]->dtype, p[i]->to_elements, to[i]);
}

/* Of those with the same block of `from` the first. */
static void write_own(Device *d, const dtrt_exchange *x, uint32_t axes, const void *from,
                      char *to) {
  BlockSpan own[DTRT_MAX_RANK], all[DTRT_MAX_RANK];
  Piece p;
  const int64_t n = block_box(d->mesh, x->from, d->coord, own);
  if (d->brought) d->brought(d, x->dtype, n, from);
  axes &= ~block_axes(d->mesh, x->from);
  for (int a = 0; a < d->mesh->naxes; a++)
    if (axes >> a & 1 && d->coord[a]) return;
  block_box(d->mesh, x->to, d->coord, all);
  block_piece(&p, x->from->rank, own, own, all);
  if (n) crew_copy(&p, dtrt_dtype_size(x->dtype), to, from);
}

/* Of an exchange into a variable that devices share: true where each writes its own part, which is
 * done; else *to is where this device receives it all, which is the variable for one of them. */
static bool exchange_shared(Device *d, const dtrt_exchange *x, const void *from, void **to) {
  const uint32_t axes = device_shared_at(d, x->to, *to);
  if (!axes) return false;
  if (d->comm->nranks == 1 && x->kind == DTRT_ALL_GATHER && !x->from->partial) {
    write_own(d, x, axes, from, *to);
    return true;
  }
  *to = device_apart(d, axes, *to);
  return false;
}

int exchange_batch(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                   void *const *to, ExchangesLeft *b) {
  int taken = 0;
  for (b->n = 0; taken < n && b->n < COMM_BATCH; taken++) {
    const int i = b->n;
    b->x[i] = x[taken], b->from[i] = from[taken], b->to[i] = to[taken];
    b->n += !exchange_shared(d, x[taken], from[taken], &b->to[i]);
  }
  return taken;
}

void dtrt_run_exchange(dtrt_device *dev, const dtrt_exchange *x, const void *from, void *to) {
  Device *d = device_of(dev);
  if (exchange_shared(d, x, from, &to)) return;
  const Transfer *p = exchange_transfer(d, x);
  exchange_do(&(Together){.d = d, .n = 1, .transfer = &p, .from = &from, .to = &to});
  exchange_check(d, 1, &p, &to);
}

void dtrt_run_exchanges(dtrt_device *dev, int n, const dtrt_exchange *const *x,
                        const void *const *from, void *const *to) {
  Device *d = device_of(dev);
  while (n > 0) {
    ExchangesLeft b;
    const Transfer *p[COMM_BATCH];
    Together t;
    const int taken = exchange_batch(d, n, x, from, to, &b);
    x += taken, from += taken, to += taken, n -= taken;
    for (int i = 0; i < b.n; i += t.n) {
      exchange_gather(d, b.n - i, b.x + i, b.from + i, b.to + i, p, &t);
      exchange_do(&t);
      exchange_check(d, t.n, p, b.to + i);
    }
  }
}

void exchange_run(Device *d, const Transfer *p, const void *from, void *to) {
  exchange_do(&(Together){.d = d, .n = 1, .transfer = &p, .from = &from, .to = &to});
}

/* Uniform over the group: all of it is the plan's, or the same for all of a mesh. */
void exchange_choose(Together *t) {
  Device *d = t->d;
  uint32_t copied = 0;
  t->how = (Collective){0};
  for (int i = 0; i < t->n; i++) {
    collective_add(&t->how, &t->transfer[i]->one);
    copied |= t->transfer[i]->copied;
  }
  t->g = device_group_with(d, t->transfer[0]->axes, copied);
  device_places(&t->how, t->g);
  t->how.in_flight = t->lane > 0;
  t->algorithm = t->n == 1 ? t->transfer[0]->alone[t->how.in_flight]
                           : collective_choose(&t->how, &t->transfer[0]->speed);
}

void exchange_do(Together *t) {
  Device *d = t->d;
  CollectiveRun r;
  if (exchange_alone(t)) return;
  exchange_choose(t);
  device_begin(d, t->g->direct);
  device_counted(t);
  run_begin(&r, t, 0);
  run_wait(&r, run_next(&r));
}

/* -------- running -------- */

void run_begin(CollectiveRun *r, Together *all, uint64_t use) {
  *r = (CollectiveRun){.all = all, .use = use};
}

RunWait run_next(CollectiveRun *r) {
  const Together *t = r->all;
  r->wait = collective_algorithm(t->algorithm)->run(r);
  r->step++;
  if (r->wait != RUN_OVER && r->wait != RUN_PIECE && !t->d->uncounted)
    device_count(&t->d->ran[t->algorithm].rounds, 1);
  if (t->lane && r->wait == RUN_ARRIVE) device_lane_raise(t->d, t->lane, 2 * r->use - 1);
  if (t->lane && r->wait == RUN_LEAVE) device_lane_raise(t->d, t->lane, 2 * r->use);
  return r->wait;
}

static int track_of(const CollectiveRun *r) { return r->all->lane * COMM_TRACKS + r->track; }

static void wait_now(const CollectiveRun *r) {
  const Together *t = r->all;
  const bool arrives = r->wait == RUN_ARRIVE;
  if (r->wait == RUN_MESSAGES || r->wait == RUN_PIECE)
    device_finish(t->d, track_of(r));
  else if (t->lane)
    device_lane_wait(t->d, t->g->near, t->lane, 2 * r->use - arrives);
  else
    (arrives ? device_arrive : device_leave)(t->d, t->g->near);
}

void run_wait(CollectiveRun *r, RunWait wait) {
  for (; wait != RUN_OVER; wait = run_next(r)) wait_now(r);
}

/* Of what is in flight: in lane 0 all is waited for at once. */
bool run_turn(CollectiveRun *r) {
  Device *d = r->all->d;
  for (;;) {
    const bool messages = r->wait == RUN_MESSAGES || r->wait == RUN_PIECE;
    const uint64_t flag = 2 * r->use - (r->wait == RUN_ARRIVE);
    if (messages ? !device_finished(d, track_of(r))
                 : !device_lane_raised(d, r->all->g->near, r->all->lane, flag))
      return false;
    if (run_next(r) == RUN_OVER) return true;
  }
}

bool exchange_alone(const Together *t) {
  const Transfer *p = t->transfer[0];
  if (is_reduce(p)) return false;
  for (int k = 0; k < t->n; k++)
    if (t->transfer[k]->identity)
      reduce_identity(t->transfer[k]->dtype, t->transfer[k]->reduce, t->to[k],
                      t->transfer[k]->to_elements);
  if (p->axes) return false;
  if (p->kind == TRANSFER_LOCAL) {
    if (t->from[0] != t->to[0]) dtrt_copy(t->to[0], t->from[0], p->elements * p->size);
    return true;
  }
  /* The device owns all it needs: uniform over the mesh, so no device waits. */
  for (int i = 0; i < p->nrecv; i++) crew_copy(&p->recv[i], p->size, t->to[0], t->from[0]);
  return true;
}
