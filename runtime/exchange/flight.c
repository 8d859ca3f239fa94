/* flight.c: exchanges that are started early and awaited late.
 *
 * Where peers can be addressed a start tells them where the device's blocks lie, and the rest is
 * done by the wait, by when the others have mostly started too: nobody waits for the slowest. By
 * messages a start posts them, and they go on whenever the device looks after them: at the begin of
 * each step and while it waits, for whatever that is.
 *
 * Each flight has its lane, so that flags and messages of one are never taken for those of another.
 * No deadlock: what a device waits for was started by it before, so that those who are behind it in
 * the program come to start it, and those who are ahead have left nothing of it undone that they
 * would not do while they wait. */
#include <stdlib.h>
#include "device.h"

static bool is_reduce(const Together *t) { return t->plan[0]->kind == PLAN_ALL_REDUCE; }

static Flight *flight_of(Device *d, int flight) {
  if (flight < 1 || flight > DTRT_FLIGHTS) device_fail(d, "there is no flight %d", flight);
  return &d->flight[flight - 1];
}

/* The stage may be written when all who read what it held have done so. */
static void publish(Device *d, Flight *f) {
  Together *t = &f->all;
  bool staged = is_reduce(t) ? collective_staged(t) : exchange_staged(t);
  if (f->readers) device_lane_wait(d, f->readers, t->lane, 2 * f->read_at);
  f->readers = staged ? t->g : NULL;
  f->read_at = f->uses;
  is_reduce(t) ? collective_publish(t) : exchange_publish(t);
  device_lane_raise(d, t->lane, 2 * f->uses - 1);
}

static void take(Device *d, Flight *f) {
  const Together *t = &f->all;
  device_lane_wait(d, t->g, t->lane, 2 * f->uses - 1);
  is_reduce(t) ? collective_take(t) : exchange_take(t);
  device_lane_raise(d, t->lane, 2 * f->uses);
  if (!f->readers) device_lane_wait(d, t->g, t->lane, 2 * f->uses);
}

static void start(Device *d, Flight *f) {
  Together *t = &f->all;
  f->state = FLIGHT_OVER;
  if (exchange_alone(t)) return;
  t->g = device_group(d, t->plan[0]->axes);
  device_counted(d);
  if (t->g->direct) {
    f->state = FLIGHT_DIRECT;
    publish(d, f);
    return;
  }
  if (d->comm->lanes < COMM_LANES) t->lane = 0;
  messages_begin(&f->messages, t);
  if (!t->lane) {
    messages_wait(&f->messages);
    return;
  }
  f->state = FLIGHT_MESSAGES;
  d->under_way++;
}

void dtrt_start_exchanges(dtrt_device *dev, int flight, int n, const dtrt_exchange *const *x,
                          const void *const *from, void *const *to) {
  Device *d = device_of(dev);
  Flight *f = flight_of(d, flight);
  if (f->state != FLIGHT_NONE) device_fail(d, "flight %d has not been awaited", flight);
  exchange_gather(d, n, x, from, to, f->plan, &f->all);
  f->uses++;
  f->state = FLIGHT_OVER;
  if (f->all.n < n) { /* they do not go as one after all: a mesh axis of 1, say */
    dtrt_run_exchanges(dev, n, x, from, to);
    return;
  }
  for (int i = 0; i < n; i++) f->from[i] = from[i], f->to[i] = to[i];
  f->all.plan = f->plan, f->all.from = f->from, f->all.to = f->to;
  f->all.lane = flight;
  start(d, f);
}

void dtrt_start_exchange(dtrt_device *dev, int flight, const dtrt_exchange *x, const void *from,
                         void *to) {
  dtrt_start_exchanges(dev, flight, 1, &x, &from, &to);
}

void dtrt_wait_exchange(dtrt_device *dev, int flight) {
  Device *d = device_of(dev);
  Flight *f = flight_of(d, flight);
  if (f->state == FLIGHT_NONE) device_fail(d, "flight %d was not started", flight);
  if (f->state == FLIGHT_DIRECT) take(d, f);
  if (f->state == FLIGHT_MESSAGES) {
    f->state = FLIGHT_OVER; /* while it waits, only the others are taken further */
    d->under_way--;
    messages_wait(&f->messages);
  }
  f->state = FLIGHT_NONE;
  exchange_check(d, f->all.n, f->plan, f->to);
}

void flights_turn(Device *d) {
  for (int i = 0; i < DTRT_FLIGHTS; i++) {
    Flight *f = &d->flight[i];
    if (f->state != FLIGHT_MESSAGES || !messages_turn(&f->messages)) continue;
    f->state = FLIGHT_OVER;
    d->under_way--;
  }
}
