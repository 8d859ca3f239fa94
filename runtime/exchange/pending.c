/* pending.c: exchanges that are started early and awaited late.
 *
 * Where peers can be addressed a start publishes the addresses of the device's blocks, and the rest
 * is done by the wait, by when the others have mostly started too, so that none waits for the
 * slowest. By messages a start posts them, and they progress whenever the device polls: at the
 * beginning of each step and while it waits, for whatever that is; and while it computes by a
 * progress thread, where there is one (progress_thread.h). Which of the two polls never shows in
 * bits. Law: a slot with messages is touched only with Device.polled, or once its device has taken
 * it out of that state with it.
 *
 * Each in-flight slot has its lane, so that flags and messages of one are never taken for those of
 * another. No deadlock: what a device waits for was started by it before, so that those who are
 * behind it in the program come to start it, and those who are ahead have left nothing of it undone
 * that they would not do while they wait. */
#include <stdlib.h>
#include "collective.h"
#include "exchange.h"
#include "float_mode.h"
#include "pending.h"
#include "progress_thread.h"

int pending_open(Device *d) {
  d->pending = calloc(DTRT_SLOTS, sizeof *d->pending);
  d->progress = pending_poll;
  return d->pending ? 0 : -1;
}

void pending_close(Device *d) {
  free(d->pending);
  d->pending = NULL;
}

static Pending *pending_of(Device *d, int slot) {
  if (slot < 1 || slot > DTRT_SLOTS) device_fail(d, "there is no in-flight slot %d", slot);
  return &d->pending[slot - 1];
}

/* -------- who takes messages further -------- */

static bool enter(Device *d, int who) {
  int none = DEVICE_POLLED_BY_NONE;
  return atomic_compare_exchange_strong(&d->polled, &none, who);
}

static void leave(Device *d) { atomic_store(&d->polled, DEVICE_POLLED_BY_NONE); }

/* One that is over is the device's again. True: some have gone on. */
static bool turn_all(Device *d, bool guest) {
  bool moved = false;
  for (int i = 0; i < DTRT_SLOTS; i++) {
    Pending *f = &d->pending[i];
    if (atomic_load_explicit(&f->state, memory_order_acquire) != PENDING_MESSAGES) continue;
    const int before = f->run.step;
    if (guest) float_mode_set(f->mode);
    const bool over = run_turn(&f->run);
    moved = moved || f->run.step != before;
    if (!over) continue;
    atomic_fetch_sub(&d->under_way, 1);
    atomic_store_explicit(&f->state, PENDING_OVER, memory_order_release);
  }
  return moved;
}

void pending_poll(Device *d) {
  if (!enter(d, DEVICE_POLLED_BY_ITSELF)) return; /* the other thread is at it */
  turn_all(d, false);
  leave(d);
}

typedef struct PendingTurn {
  Device *d;
  bool moved;
} PendingTurn;

static void turn_guarded(void *arg) {
  PendingTurn *t = arg;
  t->moved = turn_all(t->d, true);
}

bool pending_turn(Device *d) {
  PendingTurn t = {d, false};
  if (!enter(d, DEVICE_POLLED_BY_GUEST)) return false;
  /* Looked at with the flag raised: a device that has failed waits for it before its call returns.
   */
  if (!atomic_load(d->comm->failed)) fail_guard_part(d, 0, turn_guarded, &t);
  leave(d);
  return t.moved;
}

/* The device's own again, from where it is. False: it is over. */
static bool take_back(Device *d, Pending *f) {
  for (unsigned turn = 0; !enter(d, DEVICE_POLLED_BY_ITSELF); turn++) {
    if (device_stopped(d)) device_give_up(d);
    comm_pause(d->comm->spin, turn);
  }
  const bool is_under_way = f->state == PENDING_MESSAGES;
  if (is_under_way) {
    f->state = PENDING_OVER;
    atomic_fetch_sub(&d->under_way, 1);
  }
  leave(d);
  return is_under_way;
}

/* -------- starting and waiting -------- */

/* The stage may be written when all who read what it held have done so. */
static void publish(Device *d, Pending *f) {
  int lane = f->all.lane;
  if (f->readers) device_lane_wait(d, f->readers, lane, 2 * f->read_at);
  f->readers = NULL;
  f->state = PENDING_DIRECT;
  run_next(&f->run); /* which says that it has arrived */
}

static void take(Device *d, Pending *f) {
  const Together *t = &f->all;
  device_lane_wait(d, t->g, t->lane, 2 * f->uses - 1);
  if (run_next(&f->run) == RUN_LEAVE) {
    device_lane_wait(d, t->g, t->lane, 2 * f->uses);
    run_next(&f->run);
  } else {
    device_lane_raise(d, t->lane, 2 * f->uses);
    f->readers = t->g;
    f->read_at = f->uses;
  }
}

static void start(Device *d, Pending *f) {
  Together *t = &f->all;
  f->state = PENDING_OVER;
  if (exchange_alone(t)) return;
  exchange_choose(t);
  if (!t->g->direct && d->comm->lanes < COMM_LANES) {
    t->lane = 0;
    exchange_choose(t);
  }
  device_counted(t);
  run_begin(&f->run, t, f->uses);
  if (t->g->direct) {
    publish(d, f);
    return;
  }
  RunWait wait = run_next(&f->run);
  if (!t->lane) run_wait(&f->run, wait);
  if (!t->lane || wait == RUN_OVER) return;
  f->mode = float_mode();
  atomic_fetch_add(&d->under_way, 1);
  atomic_store_explicit(&f->state, PENDING_MESSAGES, memory_order_release);
  progress_thread_wake(d->thread);
}

void dtrt_start_exchanges(dtrt_device *dev, int slot, int n, const dtrt_exchange *const *x,
                          const void *const *from, void *const *to) {
  Device *d = device_of(dev);
  Pending *f = pending_of(d, slot);
  ExchangesLeft b = {0};
  if (f->state != PENDING_NONE) device_fail(d, "in-flight slot %d has not been awaited", slot);
  const int taken = exchange_batch(d, n, x, from, to, &b);
  f->uses++;
  f->state = PENDING_OVER;
  f->all.n = 0; /* nothing is left to be looked at when it is awaited */
  if (taken == n && !b.n) return;
  exchange_gather(d, b.n, b.x, b.from, b.to, f->transfer, &f->all);
  if (taken < n || f->all.n < b.n) { /* they do not go as one after all: such as an axis of 1 */
    dtrt_run_exchanges(dev, b.n, b.x, b.from, b.to);
    dtrt_run_exchanges(dev, n - taken, x + taken, from + taken, to + taken);
    f->all.n = 0;
    return;
  }
  for (int i = 0; i < b.n; i++) f->from[i] = b.from[i], f->to[i] = b.to[i];
  f->all.transfer = f->transfer, f->all.from = f->from, f->all.to = f->to;
  f->all.lane = slot;
  start(d, f);
}

void dtrt_start_exchange(dtrt_device *dev, int slot, const dtrt_exchange *x, const void *from,
                         void *to) {
  dtrt_start_exchanges(dev, slot, 1, &x, &from, &to);
}

void dtrt_wait_exchange(dtrt_device *dev, int slot) {
  Device *d = device_of(dev);
  Pending *f = pending_of(d, slot);
  if (f->state == PENDING_NONE) device_fail(d, "in-flight slot %d was not started", slot);
  if (f->all.n) d->across |= f->transfer[0]->axes;
  if (f->state == PENDING_DIRECT) take(d, f);
  /* While it waits, only the others are taken further. */
  if (f->state == PENDING_MESSAGES && take_back(d, f)) run_wait(&f->run, f->run.wait);
  f->state = PENDING_NONE;
  exchange_check(d, f->all.n, f->transfer, f->to);
}
