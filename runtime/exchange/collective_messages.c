/* collective_messages.c: the all-reduce by messages (collective.c).
 *
 * The same part of every chunk goes at a time, so that the scratch is bounded: my terms (then the
 * results) of all chunks, and all terms of my own. */
#include "collective.h"

/* -------- small: everyone's terms to everyone -------- */

static bool take_small(Messages *m) {
  const Together *t = m->all;
  Reduction r = reduction_of(t);
  const void **from = (const void **)(void *)m->scratch;
  char *terms = (char *)(from + t->g->n), *own = terms + t->g->me * r.total;
  for (int i = 0; i < t->g->n; i++) from[i] = terms + i * r.total;
  void *sum = own; /* over my own term: elements are combined one by one */
  reduction_combine(&r, &sum, 1, from, r.total);
  reduction_from_dense(&r, (Span){0, r.total}, own);
  return false;
}

static void post_small(Messages *m, const Reduction *r) {
  const Together *t = m->all;
  const Group *g = t->g;
  int64_t pointers = g->n * (int64_t)sizeof(void *);
  m->scratch = device_lane_scratch(t->d, t->lane, pointers + r->total * g->n);
  m->next = take_small;
  char *terms = m->scratch + pointers, *own = terms + g->me * r->total;
  reduction_to_dense(r, (Span){0, r->total}, own);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && r->total) messages_recv(t, g->device[i], terms + i * r->total, r->total);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && r->total) messages_send(t, g->device[i], own, r->total);
}

/* -------- large: terms to the device of their chunk, results from there -------- */

/* Bytes [m->at, m->at + m->len) of chunk i. */
static Span chunk_part(const Messages *m, const Reduction *r, int i) {
  Span s = reduction_chunk(r, i);
  int64_t lo = s.lo + m->at < s.hi ? s.lo + m->at : s.hi;
  return (Span){lo, lo + m->len < s.hi ? lo + m->len : s.hi};
}

static char *mine_of(const Messages *m, int i) {
  return m->scratch + m->all->g->n * (int64_t)sizeof(void *) + i * m->len;
}
static char *term_of(const Messages *m, int i) { return mine_of(m, m->all->g->n + i); }

static void post_terms(Messages *m, const Reduction *r) {
  const Together *t = m->all;
  const Group *g = t->g;
  Span own = chunk_part(m, r, g->me);
  for (int i = 0; i < g->n; i++)
    if (i != g->me && own.lo < own.hi)
      messages_recv(t, g->device[i], term_of(m, i), own.hi - own.lo);
  for (int i = 0; i < g->n; i++) {
    Span s = chunk_part(m, r, i);
    reduction_to_dense(r, s, mine_of(m, i));
    if (i != g->me && s.lo < s.hi) messages_send(t, g->device[i], mine_of(m, i), s.hi - s.lo);
  }
  m->sums = false;
}

static void post_sums(Messages *m, const Reduction *r) {
  const Together *t = m->all;
  const Group *g = t->g;
  Span own = chunk_part(m, r, g->me);
  const void **from = (const void **)(void *)m->scratch;
  for (int i = 0; i < g->n; i++) from[i] = i == g->me ? mine_of(m, i) : term_of(m, i);
  void *sum = mine_of(m, g->me);
  reduction_combine(r, &sum, 1, from, own.hi - own.lo);
  for (int i = 0; i < g->n; i++) {
    Span s = chunk_part(m, r, i);
    if (i == g->me) continue;
    if (s.lo < s.hi) messages_recv(t, g->device[i], mine_of(m, i), s.hi - s.lo);
    if (own.lo < own.hi) messages_send(t, g->device[i], sum, own.hi - own.lo);
  }
  m->sums = true;
}

static bool next_large(Messages *m) {
  Reduction r = reduction_of(m->all);
  if (!m->sums) {
    post_sums(m, &r);
    return true;
  }
  for (int i = 0; i < m->all->g->n; i++)
    reduction_from_dense(&r, chunk_part(m, &r, i), mine_of(m, i));
  m->at += m->len;
  if (m->at >= m->longest) return false;
  post_terms(m, &r);
  return true;
}

static bool nothing(Messages *m) {
  (void)m;
  return false;
}

static void post_large(Messages *m, const Reduction *r) {
  const Together *t = m->all;
  const Group *g = t->g;
  int64_t pointers = g->n * (int64_t)sizeof(void *);
  for (int i = 0; i < g->n; i++) {
    Span s = reduction_chunk(r, i);
    if (s.hi - s.lo > m->longest) m->longest = s.hi - s.lo;
  }
  m->len = (messages_limit(t) - pointers) / (2 * g->n) / COMM_LINE * COMM_LINE;
  if (m->len < COMM_LINE) m->len = COMM_LINE;
  if (m->len > m->longest) m->len = m->longest;
  m->scratch = device_lane_scratch(t->d, t->lane, pointers + 2 * g->n * m->len);
  m->next = m->longest ? next_large : nothing;
  if (m->longest) post_terms(m, r);
}

void messages_all_reduce(Messages *m) {
  Reduction r = reduction_of(m->all);
  if (reduction_small(&r, COMM_STAGE_BYTES))
    post_small(m, &r);
  else
    post_large(m, &r);
}
