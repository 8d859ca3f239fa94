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
  all->share += one->share;
  if (one->copies > all->copies) all->copies = one->copies;
  all->received += one->received;
  all->boxes += one->senders;
  if (one->senders > all->senders) all->senders = one->senders;
  if (one->run < all->run) all->run = one->run;
  if (one->terms > all->terms) all->terms = one->terms;
}

void collective_share(Collective *c, int64_t copies) {
  c->copies = copies;
  c->share = divide_up(c->most / c->size, copies) * c->size;
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

/* Subtrees of others, and what others are sent: in the type in which sums are held. */
int64_t collective_terms_room(const Collective *c, int64_t piece) {
  const PlacesShape *p = &c->places;
  return (p->outside + p->deputy * p->subtrees) * piece * c->wide;
}

int64_t collective_sums_room(const Collective *c, int64_t piece) {
  return (c->places.deputy + 1) * piece * c->size;
}

/* What is under way must fill the link for the time that a message and its answer take, twice. */
int64_t collective_piece(const Collective *c, const Speed *s) {
  const int64_t longest = divide_up(c->share / c->size, c->group), line = COMM_LINE / c->size;
  const double path = 4 * s->latency * s->bandwidth;
  int64_t room = path < COMM_SCRATCH        ? COMM_SCRATCH
                 : path < COMM_MOST_SCRATCH ? (int64_t)path
                                            : COMM_MOST_SCRATCH;
  int64_t peers = c->places.places > 1 ? c->places.places - 1 : 1, wanted = COMM_PIECE;
  if (path / COMM_PIECES / (double)peers > (double)wanted)
    wanted = (int64_t)(path / COMM_PIECES / (double)peers);
  int64_t unit = collective_terms_room(c, 1) + collective_sums_room(c, 1);
  int64_t piece = room / (COMM_PIECES * (unit ? unit : 1));
  if (piece > wanted / c->size) piece = wanted / c->size;
  if (piece < line) piece = line;
  return piece < longest ? piece : longest;
}

int64_t collective_box_part(const Collective *c, int64_t most, int64_t box, int64_t run) {
  const int64_t line = COMM_LINE / c->size;
  int64_t share = divide_up(box, c->copies);
  if (c->copies == 1) return most;
  if (run < share) share = divide_up(share, run) * run;
  if (share < line) share = line;
  return share < most ? share : most;
}

/* A step takes at most the terms of one part and as many parts to send. */
int64_t collective_part(const Collective *c) {
  int64_t line = COMM_LINE / c->size,
          most = COMM_SCRATCH / (4 * COMM_PIECES * c->terms * c->wide);
  return most < line ? line : most;
}
