/* messages.c: runs the transfers of exchanges by messages, where peers' memory cannot be read.
 *
 * The law: besides the two blocks it takes COMM_SCRATCH bytes at most, in flight
 * COMM_SLOT_SCRATCH (or 144 for each device whose terms are combined, if that is more). Pieces go
 * in parts, in the order of the transfer's rounds, those of several exchanges one after the other;
 * when the scratch is full nothing is posted until all that was has come, and has been put where it
 * belongs. transfer.h explains why there is no deadlock. Both ends cut a piece alike, since it is
 * the same at both. */
#include "messages.h"
#include <limits.h>
#include "device.h"
#include "exchange.h"
#include "reduce_terms.h"

/* -------- all kinds -------- */

void messages_send(const Together *t, int peer, const void *at, int64_t bytes) {
  Device *d = t->d;
  if (d->comm->verbs->send(d->comm, d->id, t->lane, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, bytes, 0);
}

void messages_recv(const Together *t, int peer, void *at, int64_t bytes) {
  Device *d = t->d;
  if (d->comm->verbs->recv(d->comm, d->id, t->lane, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, 0, bytes);
  if (!d->uncounted) d->ran[t->algorithm].messages++;
}

int64_t messages_limit(const Together *t) { return t->lane ? COMM_SLOT_SCRATCH : COMM_SCRATCH; }

/* -------- one part: each returns how much scratch it takes -------- */

typedef enum Act { ACT_MEASURE, ACT_POST, ACT_TAKE } Act;

static int64_t part_most(const Together *t, const Transfer *p) {
  Collective c = p->one;
  c.in_flight = t->lane > 0;
  return collective_part(&c);
}

/* A box that is contiguous at both ends and only moved needs no scratch: it is one message. */
static bool part_of(const CollectiveRun *m, const MessagePart *s, const Piece *q, Piece *part) {
  const Transfer *p = m->all->transfer[s->of];
  return block_part(q, p->nterms > 1 || q->nloops ? part_most(m->all, p) : q->elements, s->number,
                    part);
}

/* All terms as dense boxes, mine too. */
static int64_t recv_terms(CollectiveRun *m, int of, const Piece *part, Act act, char *at) {
  const Together *t = m->all;
  const Transfer *p = t->transfer[of];
  int64_t bytes = part->elements * p->size;
  for (int i = 0; act == ACT_POST && i < p->nterms; i++) {
    int peer = part->peer + p->term[i];
    if (peer == t->d->id)
      block_pack(part, p->size, at + i * bytes, t->from[of]);
    else
      messages_recv(t, peer, at + i * bytes, bytes);
  }
  if (act == ACT_TAKE) {
    for (int i = 0; i < p->nterms; i++) m->term[i] = at + i * bytes;
    exchange_reduce(p, part, m->term, true, t->to[of]);
  }
  return bytes * p->nterms;
}

static int64_t recv_one(CollectiveRun *m, int of, const Piece *part, Act act, char *at) {
  const Together *t = m->all;
  int64_t size = t->transfer[of]->size, bytes = part->elements * size;
  char *to = t->to[of];
  if (part->peer == t->d->id) { /* what I own, while the rest is on its way */
    if (act == ACT_POST) block_copy(part, size, to, t->from[of]);
    return 0;
  }
  bool packed = part->nloops > 0;
  if (act == ACT_POST) messages_recv(t, part->peer, packed ? at : to + part->to * size, bytes);
  if (act == ACT_TAKE && packed) block_unpack(part, size, to, at);
  return packed ? bytes : 0;
}

static int64_t send_one(CollectiveRun *m, int of, const Piece *part, Act act, char *at) {
  const Together *t = m->all;
  const char *from = t->from[of];
  int64_t size = t->transfer[of]->size, bytes = part->elements * size;
  bool packed = part->nloops > 0;
  if (act == ACT_POST) {
    if (packed) block_pack(part, size, at, from);
    messages_send(t, part->peer, packed ? at : from + part->from * size, bytes);
  }
  return packed ? bytes : 0;
}

/* -------- parts in their order -------- */

static int64_t part_do(CollectiveRun *m, const MessagePart *s, Act act, int64_t at) {
  const Transfer *p = m->all->transfer[s->of];
  Piece part;
  int64_t first = at;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, s, &p->recv[i], &part))
      at += (p->nterms > 1 ? recv_terms : recv_one)(m, s->of, &part, act, m->scratch + at);
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, s, &p->send[i], &part)) at += send_one(m, s->of, &part, act, m->scratch + at);
  return at - first;
}

/* The round that begins with these pieces of exchange `of`, or the first of a later one; false:
 * there are no more. */
static bool part_begin(const CollectiveRun *m, MessagePart *s, int of, int recv, int send) {
  for (; of < m->all->n; of++, recv = send = 0) {
    const Transfer *p = m->all->transfer[of];
    *s = (MessagePart){of, recv, recv, send, send, 0};
    if (recv == p->nrecv && send == p->nsend) continue;
    int round = recv < p->nrecv ? p->recv[recv].round : INT_MAX;
    if (send < p->nsend && p->send[send].round < round) round = p->send[send].round;
    while (s->recv_end < p->nrecv && p->recv[s->recv_end].round == round) s->recv_end++;
    while (s->send_end < p->nsend && p->send[s->send_end].round == round) s->send_end++;
    return true;
  }
  return false;
}

static bool part_next(const CollectiveRun *m, MessagePart *s) {
  const Transfer *p = m->all->transfer[s->of];
  Piece part;
  s->number++;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, s, &p->recv[i], &part)) return true;
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, s, &p->send[i], &part)) return true;
  return part_begin(m, s, s->of, s->recv_end, s->send_end);
}

/* Posts parts until the scratch is full. */
static void post(CollectiveRun *m) {
  int64_t at = 0;
  m->first = m->end;
  m->posted = 0;
  do {
    if (m->posted && at + part_do(m, &m->end, ACT_MEASURE, at) > m->room) break;
    at += part_do(m, &m->end, ACT_POST, at);
    m->posted++;
    m->more = part_next(m, &m->end);
  } while (m->more);
}

static RunWait take_and_post(CollectiveRun *m) {
  int64_t at = 0;
  for (; m->posted > 0; m->posted--) {
    at += part_do(m, &m->first, ACT_TAKE, at);
    part_next(m, &m->first);
  }
  if (!m->more) return RUN_OVER;
  post(m);
  return RUN_MESSAGES;
}

/* -------- the algorithm -------- */

static bool direct_fits(const Collective *c) { return !c->direct && !c->all_reduce; }

/* How a box is cut (block_part): contiguous runs are sent in place, and of shorter runs as many are
 * packed together, packed, as fit into a part. */
typedef struct MessageCut {
  int64_t parts, bytes; /* of one part */
  bool packed;
} MessageCut;

static MessageCut cut_of(const Collective *c, int64_t box) {
  int64_t run = c->run > 0 && c->run < box ? c->run : box, part = collective_part(c) * c->size;
  MessageCut cut = {.parts = 1, .bytes = box, .packed = run < box && run <= part};
  if (c->terms == 1 && run == box) return cut;
  if (cut.packed) part = part / run * run;
  cut.parts = cut.packed ? divide_up(box, part) : box / run * divide_up(run, part);
  cut.bytes = divide_up(box, cut.parts);
  return cut;
}

/* Boxes are taken to be about as large. A step is one part of a box from each team, which takes
 * room for all terms that are combined, and for what is packed at either end. */
static Price direct_price(const Collective *c) {
  Price p = {.bytes = c->received, .peers = c->senders};
  if (!c->received || !c->boxes) return p;
  MessageCut cut = cut_of(c, divide_up(c->received, c->boxes));
  int64_t held = c->terms > 1 ? c->terms : cut.packed, sent = cut.packed ? c->terms : 0;
  int64_t step = cut.bytes * (held + (c->terms > 1 && sent ? sent - 1 : sent));
  int64_t room = collective_scratch(c) - 2 * (int64_t)sizeof(char *) * c->terms;
  int64_t steps = cut.parts * (c->terms > 1 ? divide_up(c->boxes, c->terms) : c->boxes);
  int64_t together = !step ? steps : step < room ? room / step : 1;
  p.messages = cut.parts * c->boxes;
  p.rounds = divide_up(steps, together);
  return p;
}

static RunWait begin(CollectiveRun *m) {
  const Together *t = m->all;
  int64_t pointers = 0, all = 0;
  for (int k = 0; k < t->n; k++) {
    const Transfer *p = t->transfer[k];
    int64_t own = 2 * (int64_t)sizeof(char *) * p->nterms;
    int64_t room = 2 * part_most(t, p) * p->nterms * p->size;
    if (own > pointers) pointers = own;
    if (room > m->room) m->room = room;
    for (int i = 0; i < p->nsend; i++) all += p->send[i].elements * p->size;
    for (int i = 0; i < p->nrecv; i++) all += p->recv[i].elements * p->size * p->nterms;
  }
  if (m->room < messages_limit(t) - pointers) m->room = messages_limit(t) - pointers;
  m->term = (const char **)(void *)device_lane_scratch(t->d, t->lane,
                                                       pointers + (all < m->room ? all : m->room));
  m->scratch = (char *)m->term + pointers;
  m->more = part_begin(m, &m->end, 0, 0, 0);
  if (!m->more) return RUN_OVER;
  post(m);
  return RUN_MESSAGES;
}

static RunWait direct_run(CollectiveRun *m) { return m->step ? take_and_post(m) : begin(m); }

const CollectiveAlgorithm messages_direct = {"messages-direct", direct_fits, direct_price,
                                             direct_run};
