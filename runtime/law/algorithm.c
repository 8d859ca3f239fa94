/* algorithm.c: what is the same for all collective algorithms, in the runtime and in the cost model. */
#include "algorithm.h"

void collective_add(Collective *all, const Collective *one) {
  if (!all->group) {
    *all = *one;
    all->staged = one->most;
    all->boxes = one->senders;
    return;
  }
  all->staged = divide_up(all->staged, COMM_LINE) * COMM_LINE + one->most;
  all->most += one->most;
  all->received += one->received;
  all->boxes += one->senders;
  if (one->senders > all->senders) all->senders = one->senders;
  if (one->run < all->run) all->run = one->run;
  if (one->terms > all->terms) all->terms = one->terms;
}

/* -------- speeds -------- */

Speed speed_default(void) { return (Speed){.bandwidth = 2e9, .latency = 10e-6, .message = 1e-6}; }

Speed speed_slower(Speed a, Speed b) {
  return (Speed){.bandwidth = a.bandwidth < b.bandwidth ? a.bandwidth : b.bandwidth,
                 .latency = a.latency > b.latency ? a.latency : b.latency,
                 .message = a.message > b.message ? a.message : b.message};
}

/* -------- measures -------- */

int64_t collective_stage(const Collective *c) {
  return c->in_flight ? COMM_LANE_BYTES : COMM_STAGE_BYTES;
}

int64_t collective_scratch(const Collective *c) {
  return c->in_flight ? COMM_SLOT_SCRATCH : COMM_SCRATCH;
}

int64_t collective_piece(const Collective *c) {
  int64_t longest = divide_up(c->most / c->size, c->group) * c->size;
  int64_t room = collective_scratch(c) - c->group * (int64_t)sizeof(void *);
  int64_t piece = room / (2 * c->group) / COMM_LINE * COMM_LINE;
  if (piece < COMM_LINE) piece = COMM_LINE;
  return piece < longest ? piece : longest;
}

/* A step takes at most the terms of one part and as many parts to send. */
int64_t collective_part(const Collective *c) {
  int64_t line = COMM_LINE / c->size, most = collective_scratch(c) / (4 * c->terms * c->size);
  return most < line ? line : most;
}
