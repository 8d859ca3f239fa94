/* collective_messages.c: the all-reduce by messages (collective.c): two algorithms.
 *
 * The same part of every chunk goes at a time, so that the scratch is bounded: my terms (then the
 * results) of all chunks, and all terms of my own. */
#include "collective.h"
#include "messages.h"

/* -------- one shot: everyone's terms to everyone -------- */

static bool one_fits(const Collective *c) {
  return !c->direct && one_shot_fits(c, COMM_STAGE_BYTES);
}

static Price one_price(const Collective *c) {
  return (Price){.bytes = (c->group - 1) * c->most,
                 .peers = c->group - 1,
                 .messages = c->most ? c->group - 1 : 0,
                 .rounds = 1};
}

static void combine_terms(const CollectiveRun *m, const Reduction *r) {
  const Together *t = m->all;
  const void **from = (const void **)(void *)m->scratch;
  char *terms = (char *)(from + t->g->n), *own = terms + t->g->me * r->total;
  for (int i = 0; i < t->g->n; i++) from[i] = terms + i * r->total;
  void *sum = own; /* over my own term: elements are combined one by one */
  reduction_combine(r, &sum, 1, from, r->total);
  reduction_from_dense(r, (BlockSpan){0, r->total}, own);
}

static void post_own(CollectiveRun *m, const Reduction *r) {
  const Together *t = m->all;
  const DeviceGroup *g = t->g;
  int64_t pointers = g->n * (int64_t)sizeof(void *);
  m->scratch = device_lane_scratch(t->d, t->lane, pointers + r->total * g->n);
  char *terms = m->scratch + pointers, *own = terms + g->me * r->total;
  reduction_to_dense(r, (BlockSpan){0, r->total}, own);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && r->total) messages_recv(t, g->device[i], terms + i * r->total, r->total);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && r->total) messages_send(t, g->device[i], own, r->total);
}

static RunWait one_run(CollectiveRun *m) {
  Reduction r = reduction_of(m->all);
  if (m->step == 0) {
    post_own(m, &r);
    return RUN_MESSAGES;
  }
  combine_terms(m, &r);
  return RUN_OVER;
}

const CollectiveAlgorithm messages_one_shot = {"messages-one-shot", one_fits, one_price, one_run};

/* -------- two shots: terms to the device of their chunk, results from there -------- */

static bool two_fits(const Collective *c) { return !c->direct && c->all_reduce; }

/* Of a device whose chunk is one of the longest, `ends` of which are left when the shorter have
 * gone. Every piece of its chunk takes a message from each other device, and so does a sum from
 * each other that has one. */
static Price two_price(const Collective *c) {
  int64_t n = c->most / c->size, g = c->group, piece = collective_piece(c);
  int64_t pieces = piece ? divide_up(divide_up(n, g) * c->size, piece) : 0;
  int64_t whole = piece ? divide_up(n / g * c->size, piece) : 0, ends = n % g ? n % g : g;
  return (Price){.bytes = collective_chunked(c),
                 .peers = g - 1,
                 .messages = (pieces + whole) * (g - 1) + (pieces - whole) * (ends - 1),
                 .rounds = 2 * pieces};
}

/* Bytes [m->at, m->at + m->len) of chunk i. */
static BlockSpan chunk_part(const CollectiveRun *m, const Reduction *r, int i) {
  BlockSpan s = reduction_chunk(r, i);
  int64_t lo = s.lo + m->at < s.hi ? s.lo + m->at : s.hi;
  return (BlockSpan){lo, lo + m->len < s.hi ? lo + m->len : s.hi};
}

static char *mine_of(const CollectiveRun *m, int i) {
  return m->scratch + m->all->g->n * (int64_t)sizeof(void *) + i * m->len;
}
static char *term_of(const CollectiveRun *m, int i) { return mine_of(m, m->all->g->n + i); }

static void post_terms(CollectiveRun *m, const Reduction *r) {
  const Together *t = m->all;
  const DeviceGroup *g = t->g;
  BlockSpan own = chunk_part(m, r, g->me);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && own.lo < own.hi)
      messages_recv(t, g->device[i], term_of(m, i), own.hi - own.lo);
  for (int i = 0; i < g->n; i++) {
    BlockSpan s = chunk_part(m, r, i);
    reduction_to_dense(r, s, mine_of(m, i));
    if (i != g->me && s.lo < s.hi) messages_send(t, g->device[i], mine_of(m, i), s.hi - s.lo);
  }
  m->sums = false;
}

static void post_sums(CollectiveRun *m, const Reduction *r) {
  const Together *t = m->all;
  const DeviceGroup *g = t->g;
  BlockSpan own = chunk_part(m, r, g->me);
  const void **from = (const void **)(void *)m->scratch;
  for (int i = 0; i < g->n; i++) from[i] = i == g->me ? mine_of(m, i) : term_of(m, i);
  void *sum = mine_of(m, g->me);
  reduction_combine(r, &sum, 1, from, own.hi - own.lo);
  for (int i = 0; i < g->n; i++) {
    BlockSpan s = chunk_part(m, r, i);
    if (i == g->me) continue;
    if (s.lo < s.hi) messages_recv(t, g->device[i], mine_of(m, i), s.hi - s.lo);
    if (own.lo < own.hi) messages_send(t, g->device[i], sum, own.hi - own.lo);
  }
  m->sums = true;
}

static void begin(CollectiveRun *m, const Reduction *r) {
  const Together *t = m->all;
  const DeviceGroup *g = t->g;
  Collective own = t->how;
  own.most = r->total;
  m->longest = divide_up(r->total / r->size, g->n) * r->size;
  m->len = collective_piece(&own);
  int64_t pointers = g->n * (int64_t)sizeof(void *);
  m->scratch = device_lane_scratch(t->d, t->lane, pointers + 2 * g->n * m->len);
}

static RunWait two_run(CollectiveRun *m) {
  Reduction r = reduction_of(m->all);
  if (m->step == 0) {
    begin(m, &r);
    if (!m->longest) return RUN_OVER;
  } else if (!m->sums) {
    post_sums(m, &r);
    return RUN_MESSAGES;
  } else {
    for (int i = 0; i < m->all->g->n; i++)
      reduction_from_dense(&r, chunk_part(m, &r, i), mine_of(m, i));
    m->at += m->len;
    if (m->at >= m->longest) return RUN_OVER;
  }
  post_terms(m, &r);
  return RUN_MESSAGES;
}

const CollectiveAlgorithm messages_two_shot = {"messages-two-shot", two_fits, two_price, two_run};
