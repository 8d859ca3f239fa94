/* one_shot.c: the all-reduce of few bytes by messages (collective.h): everyone's terms to everyone,
 * who combines them all: two algorithms.
 *
 * Only the first of each place takes part, for its copies too; it combines what is its place's and
 * writes the sums to all of it. One shot: to all at once. Doubling: what one has it sends half as many times, to one
 * that is 1, 2, 4, ... places away, so the waits and the messages are as many as the number of
 * places has doublings (Bruck et al., 1997). Terms are gathered, not added on the way: that is what
 * keeps the order of sums. Both take as many bytes. */
#include "collective.h"
#include "messages.h"

static int64_t terms_bytes(const Collective *c) {
  return c->places.outside * c->most / c->size *
         (c->places.near > 1 ? c->wide : c->size);
}

static bool small(const Collective *c) {
  return !c->direct && c->all_reduce && terms_bytes(c) <= COMM_SCRATCH / 16;
}

static Price price_of(const Collective *c, int64_t rounds) {
  const int64_t near = c->places.near, far = terms_bytes(c);
  const int64_t local = (near > 1 || c->copies > 1) && c->most ? 2 : 0;
  return (Price){.bytes = far + 2 * (near - 1) * c->most, /* to send, and to combine with others */
                 .far = far,
                 .peers = c->group - 1,
                 .rounds = c->most ? rounds + local : 0,
                 .local = local};
}

/* -------- the terms of all places, from mine on -------- */

typedef struct Gather {
  CollectiveRun *m;
  const DeviceGroup *g;
  const Places *p;
  Reduction r;
  int mine;
} Gather;

static Gather gather_of(CollectiveRun *m) {
  const DeviceGroup *g = m->all->g;
  return (Gather){m, g, g->places, reduction_by_first(m->all), g->places->place[g->me]};
}

static int place_at(const Gather *s, int i) { return (s->mine + i) % s->p->count; }
static int leader_of(const Gather *s, int place) {
  return s->g->device[s->p->member[s->p->first[place]]];
}

/* Bytes of the terms of n places from the i-th after mine on. */
static int64_t bytes_of(const Gather *s, int i, int n) {
  int64_t bytes = 0;
  for (int k = 0; k < n; k++)
    bytes += reduction_subtrees_bytes(&s->r, place_at(s, i + k), s->r.total);
  return bytes;
}

/* Scratch: room to combine, where subtrees are, and the terms. */
static char *terms_of(const Gather *s) {
  return s->m->scratch + terms_room_bytes(s->g) + s->g->n * (int64_t)sizeof(char *);
}

static void begin(Gather *s) {
  const Together *t = s->m->all;
  int64_t bytes = terms_room_bytes(s->g) + s->g->n * (int64_t)sizeof(char *);
  bytes += bytes_of(s, 0, s->p->count);
  s->m->scratch = device_lane_scratch(t->d, t->lane, bytes);
  const TermsRoom room = terms_room(s->g, s->m->scratch);
  reduction_subtrees(&s->r, (BlockSpan){0, s->r.total}, terms_of(s), room.from, room.node);
}

static void settle(const Gather *s) {
  const char **at = (const char **)(void *)(s->m->scratch + terms_room_bytes(s->g));
  const TermsRoom room = terms_room(s->g, s->m->scratch);
  const char *from = terms_of(s) + bytes_of(s, 0, 1);
  const int64_t wide = s->m->all->how.wide, elements = s->r.total / s->r.size;
  for (int i = 1; i < s->p->count; i++) {
    int place = place_at(s, i), number = s->p->subtree[place];
    if (place > s->mine) number -= places_subtrees(s->p, s->mine);
    for (int k = s->p->subtree[place]; k < s->p->subtree[place + 1]; k++) {
      at[number++] = from;
      from += elements * (s->p->node[k].level > 0 ? wide : s->r.size);
    }
  }
  reduction_settle(&s->r, (BlockSpan){0, s->r.total}, &room, at, NULL);
}

/* -------- the algorithms -------- */

/* Posts what is next; false: all is there. */
typedef bool Post(Gather *s);

static RunWait run(CollectiveRun *m, Post *post) {
  Gather s = gather_of(m);
  const bool near = s.g->near->n > 1, leads = s.p->seat[s.g->me] == 0;
  if (!s.r.most || m->taken) return RUN_OVER;
  if (m->step == 0 && near) {
    reduction_publish(&s.r);
    return RUN_ARRIVE;
  }
  if (leads && s.r.total) {
    if (!m->have) begin(&s);
    if (post(&s)) return RUN_MESSAGES;
    settle(&s);
  }
  m->taken = true;
  return near ? RUN_LEAVE : RUN_OVER;
}

static bool post_all(Gather *s) {
  const Together *t = s->m->all;
  if (s->m->have) return false;
  const int64_t own = bytes_of(s, 0, 1);
  char *to = terms_of(s) + own;
  for (int i = 1; i < s->p->count; i++) {
    int64_t bytes = bytes_of(s, i, 1);
    messages_recv(t, 0, leader_of(s, place_at(s, i)), to, bytes);
    to += bytes;
  }
  for (int i = 1; i < s->p->count; i++)
    messages_send(t, 0, leader_of(s, place_at(s, i)), terms_of(s), own);
  s->m->have = s->p->count;
  return true;
}

static Price one_price(const Collective *c, const Speed *s) {
  Price p = price_of(c, 1);
  (void)s;
  p.messages = c->most ? c->places.places - 1 : 0;
  return p;
}

static RunWait one_run(CollectiveRun *m) { return run(m, post_all); }

const CollectiveAlgorithm messages_one_shot = {"messages-one-shot", small, one_price, one_run};

/* I have the terms of `have` places from mine on: those as many places before me want them. */
static bool post_doubled(Gather *s) {
  const Together *t = s->m->all;
  const int have = s->m->have ? s->m->have : 1, all = s->p->count;
  if (have == all) return false;
  const int next = 2 * have < all ? 2 * have : all;
  messages_recv(t, 0, leader_of(s, place_at(s, have)), terms_of(s) + bytes_of(s, 0, have),
                bytes_of(s, have, next - have));
  messages_send(t, 0, leader_of(s, place_at(s, all - have)), terms_of(s),
                bytes_of(s, 0, next - have));
  s->m->have = next;
  return true;
}

static Price doubling_price(const Collective *c, const Speed *s) {
  int64_t rounds = 0;
  for (int64_t n = c->places.places; n > 1; n = (n + 1) / 2) rounds++;
  Price p = price_of(c, rounds);
  (void)s;
  p.messages = c->most ? rounds : 0;
  return p;
}

static RunWait doubling_run(CollectiveRun *m) { return run(m, post_doubled); }

const CollectiveAlgorithm messages_doubling = {"messages-doubling", small, doubling_price,
                                               doubling_run};
