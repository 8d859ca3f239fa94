/* two_shot.c: the all-reduce by messages in two shots (collective.h): terms to the device of their
 * chunk, sums from there.
 *
 * What a place has for a chunk elsewhere its deputy combines and sends; the sums of a chunk go to
 * the deputy of each other place, which writes them to all of it (places.h). So one stream of what
 * all have leaves a host, and one enters, however many devices it has.
 *
 * Chunks go in pieces, the same part of every chunk at a time, COMM_PIECES of which are under way:
 * while the terms of one come the sums of others go. Each takes two tracks and its part of the
 * scratch. No deadlock: all post the pieces in one order, the terms of piece p +
 * COMM_PIECES after the sums of piece p, so of all that wait, the one that is least far finds what
 * it waits for posted. */
#include "collective.h"
#include "messages.h"

static bool two_fits(const Collective *c) { return !c->direct && c->all_reduce; }

/* Chunks elsewhere that a device is the deputy for and that are not empty, at most: of fewer
 * elements than devices. */
static int64_t few_chunks(const Collective *c, int64_t n) {
  const int64_t near = c->places.near, g = c->group;
  int64_t most = 0;
  for (int64_t seat = 0; seat < near; seat++) {
    int64_t chunks = 0;
    for (int64_t i = seat; i < g; i += near) chunks += law_share(i, n, g) < law_share(i + 1, n, g);
    if (chunks > most) most = chunks;
  }
  return most < c->places.deputy ? most : c->places.deputy;
}

/* Of a device whose chunk is one of the longest, `ends` of which are left when the shorter have
 * gone. */
static Price two_price(const Collective *c, const Speed *s) {
  const PlacesShape *p = &c->places;
  const int64_t g = c->group, n = c->share / c->size, k = divide_up(n, g), near = p->near;
  const int64_t others = c->most / c->size - n; /* elements that copies of mine bring */
  const int64_t piece = collective_piece(c, s), pieces = piece ? divide_up(k, piece) : 0;
  const int64_t wide = near > 1 ? c->wide : c->size;
  if (near == 1) {
    int64_t whole = piece ? divide_up(n / g, piece) : 0, ends = n % g ? n % g : g;
    const int64_t far = (n + (g - 2) * k) * c->size, local = c->copies > 1 ? 2 : 0;
    return (Price){.bytes = far + others * c->size,
                   .far = far,
                   .peers = g - 1,
                   .messages = (pieces + whole) * (g - 1) + (pieces - whole) * (ends - 1),
                   .rounds = 2 + local,
                   .local = local};
  }
  const int64_t sums = p->deputy * k < n - k ? p->deputy * k : n - k;
  const int64_t far = p->outside * k * wide + sums * c->size;
  const int64_t chunks = n < g ? few_chunks(c, n) : p->deputy;
  return (Price){.bytes =
                     far + (near - 1) * (k + sums) * c->size + (n + others - k - sums) * c->size,
                 .far = far,
                 .peers = g - 1,
                 .messages = pieces * (p->places - 1) + pieces * chunks,
                 .rounds = 4,
                 .local = 2};
}

/* -------- where things are -------- */

typedef struct Shot {
  CollectiveRun *m;
  const Together *t;
  const DeviceGroup *g;
  const Places *p;
  Reduction r;
  int mine; /* my place */
} Shot;

static Shot shot_of(CollectiveRun *m) {
  const DeviceGroup *g = m->all->g;
  return (Shot){m, m->all, g, g->places, reduction_of(m->all), g->places->place[g->me]};
}

/* As its members cut it: `how` is of the largest block there is. */
static Collective own_of(const Shot *s) {
  Collective own = s->t->how;
  own.share = s->r.most;
  return own;
}

static BlockSpan span_of(const Shot *s, int member, int64_t piece) {
  BlockSpan chunk = reduction_chunk(&s->r, member);
  int64_t bytes = s->m->len * s->r.size, lo = chunk.lo + piece * bytes;
  if (lo > chunk.hi) lo = chunk.hi;
  return (BlockSpan){lo, lo + bytes < chunk.hi ? lo + bytes : chunk.hi};
}

/* Scratch: pointers to the subtrees of the piece that is combined, room to combine, and for each
 * piece under way the subtrees that come, what is sent, and, of several tensors, the sums. */
static int64_t offset_of(const Shot *s, int64_t piece) {
  const Collective own = own_of(s);
  int64_t each = collective_terms_room(&own, s->m->len) + collective_sums_room(&own, s->m->len);
  each = divide_up(each, COMM_LINE) * COMM_LINE;
  return terms_room_bytes(s->g) + s->g->n * (int64_t)sizeof(char *) + piece * each;
}

static char *room_of(const Shot *s, int64_t piece) {
  return s->m->scratch + offset_of(s, piece % COMM_PIECES);
}

static char *sends_of(const Shot *s, int64_t piece) {
  return room_of(s, piece) + s->g->shape.outside * s->m->len * s->t->how.wide;
}

static char *sums_of(const Shot *s, int64_t piece) {
  const Collective own = own_of(s);
  return room_of(s, piece) + collective_terms_room(&own, s->m->len);
}

/* Steps over the members elsewhere that I am the deputy for. */
static bool next_charge(const Shot *s, int *member) {
  for (++*member; *member < s->g->n; ++*member)
    if (s->p->place[*member] != s->mine && places_deputy(s->p, s->mine, *member) == s->g->me)
      return true;
  return false;
}

static int device_at(const Shot *s, int place) {
  return s->g->device[places_deputy(s->p, place, s->g->me)];
}

/* -------- terms -------- */

/* A block that is one term and one tensor goes from where it lies. */
static void send_terms(const Shot *s, int64_t piece) {
  const Together *t = s->t;
  const TermsRoom room = terms_room(s->g, s->m->scratch);
  char *to = sends_of(s, piece);
  for (int i = -1; next_charge(s, &i);) {
    BlockSpan span = span_of(s, i, piece);
    const char *at = to;
    int64_t bytes = span.hi - span.lo;
    if (!bytes) continue;
    if (places_near(s->p, s->mine) == 1 && t->n == 1) {
      at = (const char *)t->from[0] + reduction_begin(&s->r) + span.lo;
    } else {
      bytes = reduction_subtrees(&s->r, span, to, room.from, room.node);
      to += bytes;
    }
    messages_send(t, (int)(piece % COMM_PIECES), s->g->device[i], at, bytes);
  }
}

static void post_terms(const Shot *s, int64_t piece) {
  BlockSpan own = span_of(s, s->g->me, piece);
  char *to = room_of(s, piece);
  for (int i = 1; own.lo < own.hi && i < s->p->count; i++) { /* not all the first one's at first */
    int place = (s->mine + i) % s->p->count;
    int64_t bytes = reduction_subtrees_bytes(&s->r, place, own.hi - own.lo);
    messages_recv(s->t, (int)(piece % COMM_PIECES), device_at(s, place), to, bytes);
    to += bytes;
  }
  send_terms(s, piece);
}

/* Where each subtree has come to, by its number. */
static const char *const *find_subtrees(const Shot *s, int64_t piece, int64_t bytes) {
  const char **at = (const char **)(void *)(s->m->scratch + terms_room_bytes(s->g));
  const char *from = room_of(s, piece);
  const int64_t wide = s->t->how.wide, elements = bytes / s->r.size;
  for (int i = 1; i < s->p->count; i++) {
    int place = (s->mine + i) % s->p->count, number = s->p->subtree[place];
    if (place > s->mine) number -= places_subtrees(s->p, s->mine);
    for (int k = s->p->subtree[place]; k < s->p->subtree[place + 1]; k++) {
      at[number++] = from;
      from += elements * (s->p->node[k].level > 0 ? wide : s->r.size);
    }
  }
  return at;
}

/* -------- sums -------- */

static void post_sums(const Shot *s, int64_t piece) {
  const Together *t = s->t;
  const int track = COMM_PIECES + (int)(piece % COMM_PIECES);
  const bool packed = t->n > 1;
  char *dense = sums_of(s, piece);
  BlockSpan own = span_of(s, s->g->me, piece);
  char *block = (char *)t->to[0] + reduction_begin(&s->r); /* of one tensor */
  const char *sum = packed ? dense : block + own.lo;
  if (packed) dense += own.hi - own.lo;
  for (int i = -1; next_charge(s, &i);) {
    BlockSpan span = span_of(s, i, piece);
    if (span.lo == span.hi) continue;
    messages_recv(t, track, s->g->device[i], packed ? dense : block + span.lo, span.hi - span.lo);
    if (packed) dense += span.hi - span.lo;
  }
  for (int i = 1; own.lo < own.hi && i < s->p->count; i++)
    messages_send(t, track, device_at(s, (s->mine + i) % s->p->count), sum, own.hi - own.lo);
}

static void combine(const Shot *s, int64_t piece) {
  const TermsRoom room = terms_room(s->g, s->m->scratch);
  BlockSpan own = span_of(s, s->g->me, piece);
  if (own.lo == own.hi) return;
  reduction_settle(&s->r, own, &room, find_subtrees(s, piece, own.hi - own.lo),
                   s->t->n > 1 ? sums_of(s, piece) : NULL);
}

/* Puts what has come into the blocks of all of my place. */
static void take_sums(const Shot *s, int64_t piece) {
  const DeviceGroup *g = s->g;
  BlockSpan own = span_of(s, g->me, piece), part;
  const bool packed = s->t->n > 1;
  const char *dense = sums_of(s, piece) + (own.hi - own.lo);
  if (!packed && g->near->n == 1) return;
  for (int i = -1; next_charge(s, &i);) {
    int64_t base = 0;
    for (int k = 0; reduction_part(&s->r, span_of(s, i, piece), &k, &base, &part);) {
      const int64_t bytes = part.hi - part.lo;
      const char *from = packed ? dense : (char *)s->t->to[0] + part.lo;
      int near = 0, copy = 0;
      for (char *to; (to = reduction_next_to(&s->r, k - 1, &near, &copy, bytes));)
        if (to + part.lo != from) dtrt_copy(to + part.lo, from, bytes);
      dense += bytes;
    }
  }
}

/* -------- the algorithm -------- */

static void begin(CollectiveRun *m, Shot *s) {
  const Collective own = own_of(s);
  const int64_t longest = divide_up(s->r.most / s->r.size, s->g->n);
  m->len = collective_piece(&own, &s->t->transfer[0]->speed);
  m->pieces = m->len ? divide_up(longest, m->len) : 0;
  int64_t last = m->pieces < COMM_PIECES ? m->pieces : COMM_PIECES;
  m->scratch = device_lane_scratch(s->t->d, s->t->lane, offset_of(s, last));
}

static RunWait wait_for(CollectiveRun *m, int track, bool alone) {
  m->track = track;
  return alone ? RUN_MESSAGES : RUN_PIECE;
}

static RunWait leave(CollectiveRun *m) {
  m->taken = m->waited = false;
  m->piece = INT64_MAX;
  return m->all->g->near->n > 1 ? RUN_LEAVE : RUN_OVER;
}

/* Goes on until something must be waited for: the terms of the next piece, or, before its track is
 * taken by sums again, those that it had. */
static RunWait go_on(CollectiveRun *m, const Shot *s) {
  for (; m->piece < m->pieces + COMM_PIECES; m->piece++, m->waited = m->taken = false) {
    const int64_t before = m->piece - COMM_PIECES;
    const int track = (int)(m->piece % COMM_PIECES);
    if (!m->waited && m->piece < m->pieces) {
      m->waited = true;
      return wait_for(m, track, m->piece == 0);
    }
    if (!m->taken && before >= 0 && before < m->pieces) {
      m->taken = true;
      return wait_for(m, COMM_PIECES + track, before == m->pieces - 1);
    }
    if (m->taken) take_sums(s, before);
    if (m->piece >= m->pieces) continue;
    combine(s, m->piece);
    post_sums(s, m->piece);
    if (m->piece + COMM_PIECES < m->pieces) post_terms(s, m->piece + COMM_PIECES);
  }
  return leave(m);
}

static RunWait two_run(CollectiveRun *m) {
  Shot s = shot_of(m);
  const bool near = s.g->near->n > 1;
  if (m->step == 0) {
    begin(m, &s);
    if (!m->pieces) return RUN_OVER;
    if (near) reduction_publish(&s.r);
    if (near) return RUN_ARRIVE;
  }
  if (m->piece == INT64_MAX) return RUN_OVER;
  for (int64_t i = 0; m->step == near && i < COMM_PIECES && i < m->pieces; i++) post_terms(&s, i);
  return go_on(m, &s);
}

const CollectiveAlgorithm messages_two_shot = {"messages-two-shot", two_fits, two_price, two_run};
