/* messages.c: runs the plan of an exchange by messages, where peers' memory cannot be read.
 *
 * The law: besides the two blocks it takes COMM_SCRATCH bytes at most (or 144 for each device whose
 * terms are combined, if that is more). Pieces go in parts, in the order of the plan's rounds; when
 * the scratch is full the device waits for what is posted, puts it where it belongs and goes on.
 * plan.h says why nobody waits for ever. Both ends cut a piece alike, since it is the same at both.
 */
#include <limits.h>
#include "device.h"
#include "reduce.h"

typedef struct Messages {
  Device *d;
  const Plan *p;
  const char *from;
  char *to, *scratch;
  bool terms;
  int64_t most;      /* elements of a part */
  const char **term; /* [2 * nterms]: where they lie, and a run of them */
} Messages;

/* Part `part` of the pieces of one round. */
typedef struct Step {
  int recv, recv_end, send, send_end;
  int64_t part;
} Step;

typedef enum Act { ACT_MEASURE, ACT_POST, ACT_TAKE } Act;

/* What lies in one run at both ends and is only moved needs no scratch, so it goes as one. */
static bool part_of(const Messages *m, const Piece *q, int64_t k, Piece *part) {
  return block_part(q, m->terms || q->nloops ? m->most : q->elements, k, part);
}

static void post_send(Device *d, int peer, const void *at, int64_t bytes) {
  if (d->comm->verbs->send(d->comm, d->id, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, bytes, 0);
}
static void post_recv(Device *d, int peer, void *at, int64_t bytes) {
  if (d->comm->verbs->recv(d->comm, d->id, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, 0, bytes);
}

/* -------- one part: each returns how much scratch it takes -------- */

/* All terms as dense boxes, mine too. */
static int64_t recv_terms(Messages *m, const Piece *part, Act act, char *at) {
  const Plan *p = m->p;
  int64_t bytes = part->elements * p->size;
  for (int t = 0; act == ACT_POST && t < p->nterms; t++) {
    int peer = part->peer + p->term[t];
    if (peer == m->d->id)
      block_pack(part, p->size, at + t * bytes, m->from);
    else
      post_recv(m->d, peer, at + t * bytes, bytes);
  }
  if (act == ACT_TAKE) {
    for (int t = 0; t < p->nterms; t++) m->term[t] = at + t * bytes;
    exchange_settle(p, part, m->term, true, m->to);
  }
  return bytes * p->nterms;
}

static int64_t recv_one(Messages *m, const Piece *part, Act act, char *at) {
  const Plan *p = m->p;
  int64_t bytes = part->elements * p->size;
  if (part->peer == m->d->id) { /* what I own, while the rest is on its way */
    if (act == ACT_POST) block_copy(part, p->size, m->to, m->from);
    return 0;
  }
  bool packed = part->nloops > 0;
  if (act == ACT_POST) post_recv(m->d, part->peer, packed ? at : m->to + part->to * p->size, bytes);
  if (act == ACT_TAKE && packed) block_unpack(part, p->size, m->to, at);
  return packed ? bytes : 0;
}

static int64_t send_one(Messages *m, const Piece *part, Act act, char *at) {
  int64_t size = m->p->size, bytes = part->elements * size;
  bool packed = part->nloops > 0;
  if (act == ACT_POST) {
    if (packed) block_pack(part, size, at, m->from);
    post_send(m->d, part->peer, packed ? at : m->from + part->from * size, bytes);
  }
  return packed ? bytes : 0;
}

/* -------- steps -------- */

static int64_t step_do(Messages *m, const Step *s, Act act, int64_t at) {
  Piece part;
  int64_t first = at;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, &m->p->recv[i], s->part, &part))
      at += (m->terms ? recv_terms : recv_one)(m, &part, act, m->scratch + at);
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, &m->p->send[i], s->part, &part)) at += send_one(m, &part, act, m->scratch + at);
  return at - first;
}

/* The round that begins with these pieces; false: there are no more. */
static bool step_begin(const Messages *m, Step *s, int recv, int send) {
  const Plan *p = m->p;
  *s = (Step){recv, recv, send, send, 0};
  if (recv == p->nrecv && send == p->nsend) return false;
  int round = recv < p->nrecv ? p->recv[recv].round : INT_MAX;
  if (send < p->nsend && p->send[send].round < round) round = p->send[send].round;
  while (s->recv_end < p->nrecv && p->recv[s->recv_end].round == round) s->recv_end++;
  while (s->send_end < p->nsend && p->send[s->send_end].round == round) s->send_end++;
  return true;
}

static bool step_next(const Messages *m, Step *s) {
  Piece part;
  s->part++;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, &m->p->recv[i], s->part, &part)) return true;
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, &m->p->send[i], s->part, &part)) return true;
  return step_begin(m, s, s->recv_end, s->send_end);
}

/* Posts steps until the scratch is full, waits, and takes what has come. */
static bool batch(Messages *m, Step *s, int64_t room) {
  Step taken = *s;
  int64_t at = 0, n = 0;
  bool more = true;
  do {
    if (n && at + step_do(m, s, ACT_MEASURE, at) > room) break;
    at += step_do(m, s, ACT_POST, at);
    n++;
    more = step_next(m, s);
  } while (more);
  device_finish(m->d);
  for (at = 0; n > 0; n--) {
    at += step_do(m, &taken, ACT_TAKE, at);
    step_next(m, &taken);
  }
  return more;
}

void messages_run(Device *d, const Plan *p, const char *from, char *to) {
  int64_t pointers = 2 * (int64_t)sizeof(char *) * p->nterms, line = COMM_LINE / p->size;
  Messages m = {.d = d, .p = p, .from = from, .to = to, .terms = p->nterms > 1};
  /* A step takes at most the terms of one part and as many parts to send. */
  m.most = COMM_SCRATCH / (4 * p->nterms * p->size);
  if (m.most < line) m.most = line;
  int64_t room = 2 * m.most * p->nterms * p->size, all = 0;
  if (room < COMM_SCRATCH - pointers) room = COMM_SCRATCH - pointers;
  for (int i = 0; i < p->nsend; i++) all += p->send[i].elements * p->size;
  for (int i = 0; i < p->nrecv; i++) all += p->recv[i].elements * p->size * p->nterms;
  device_begin(d, false);
  m.term = (const char **)(void *)device_scratch(d, pointers + (all < room ? all : room));
  m.scratch = (char *)m.term + pointers;
  Step s;
  for (bool more = step_begin(&m, &s, 0, 0); more;) more = batch(&m, &s, room);
}
