/* Message passing along the graph: the cost of a layout of a value beyond an edge.
 *
 * An edge joins the op that computes a value to one operand of an op that reads it. Min-sum: a
 * message over an edge is, for each layout at this end, the least cost of the other end and
 * everything behind it (Pearl). On chains and trees that is exact.
 *
 * For a lower bound a message is a cost that was moved from an edge to the op at its end. Moving
 * changes no total, so no choice costs less than the sum of the minima of all ops and edges; each
 * visit of an op collects the costs of its edges and redistributes them in equal parts, which
 * never reduces that sum (Kolmogorov's TRW-S in its dual form).
 *
 * Ops whose surroundings are equal up to ROUNDS edges away form a class, such as the same op in all
 * blocks of a deep model except the outer ones. Edges between equal classes share their messages
 * and one op of each class is visited, so that a model of 96 blocks costs little more than one
 * of 6. A bound counts each class as often as it has members. */
#include "choose.h"
#include <math.h>
#include <string.h>

typedef struct Edge {
  NodeId maker, reader;
  int operand;
  const Distinct *r, *t; /* layouts at the maker's end, at the reader's */
  double *up, *down;     /* to the maker, by r; to the reader, by t. up is NULL when the value lies
                            fixed: then down never changes */
  double part;           /* of a conversion's price in one run that counts here */
  const double *price, *turned; /* of conversions in one run: by r, then t; and by t, then r */
  int first;                    /* of its class */
  NodeId writes_up, writes_down; /* the op of the reader's, the maker's classes that sets them */
} Edge;

enum { ROUNDS = 6 };

/* The ops, each the first of its class, that read what is sent to one end of the edges of a class.
 */
typedef struct Ends {
  NodeVec makers, readers;
} Ends;

enum { STALE_LATER = 1, STALE_EARLIER = 2, STALE = 3 };

typedef struct Incident {
  VEC(int32_t) in, out; /* edges over which the op reads, and over which it is read */
  int before, after;    /* how many lead to ops earlier and later in the graph */
} Incident;

struct MinSum {
  Choice *c;
  bool shared, bound;
  VEC(Edge) edges;  /* those of one class have the same `up` and `down` */
  Incident *at;     /* by node */
  NodeVec first;    /* of each class of ops */
  int *members;     /* by node: of its class when it is the first, else 0 */
  NodeId *class_of; /* by node: the first of its class */
  int *seen;        /* by edge that is first: the last visit that set a message of its class */
  int visits;
  int *same_edges;      /* by edge that is first: how many there are */
  Ends *ends;           /* by edge that is first */
  unsigned char *stale; /* by node: what it has to send again, since a message to it changed */
  double *fresh;        /* a message before it is sent */
  double **nudge;       /* by node that is the first of its class, by layout of its result */
  double *theta, *here;
  NodeId held; /* an op, or NO_NODE ... */
  int held_result;
};

static const double NOT_HELD = 1e6;   /* seconds, of other results than an op is held to */
static const double IMPOSSIBLE = 1e4; /* seconds, in bounds, where infinity would not add up */
static const double SAME = 1e-16;     /* seconds: rounding, far below CHOICE_TIE */

static double least_of(double a, double b) { return a < b ? a : b; }

static double priced(const MinSum *m, const Edge *e, double price) {
  if (m->bound && price > IMPOSSIBLE) price = IMPOSSIBLE;
  return price * e->part;
}

/* -------- edges and classes -------- */

static void add_edge(MinSum *m, NodeId reader, int k) {
  Choice *c = m->c;
  NodeId maker = c->operand[reader][k];
  const ChoiceValue *v = &c->value[maker];
  Edge e = {.maker = maker, .reader = reader, .operand = k, .t = &c->ways[reader]->need[k]};
  if (!v->free && !choice_is_fixed(v)) {
    e.r = &c->ways[maker]->result;
    m->at[maker].after += reader > maker, m->at[maker].before += reader < maker;
    m->at[reader].before += reader > maker, m->at[reader].after += reader < maker;
    vec_push(c->arena, &m->at[maker].out, m->edges.n);
  }
  vec_push(c->arena, &m->at[reader].in, m->edges.n);
  vec_push(c->arena, &m->edges, e);
}

/* Distinguishes classes. */
static uint64_t mix(uint64_t h, uint64_t x) { return hash_words(&x, sizeof x, h); }

static void hash_alone(const MinSum *m, uint64_t *h) {
  const Choice *c = m->c;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const ChoiceValue *v = &c->value[i];
    int64_t x[] = {(int64_t)c->runs[i],
                   (int64_t)c->moves[i],
                   (int64_t)(uintptr_t)c->ways[i],
                   v->form,
                   v->free,
                   v->lies,
                   v->said,
                   v->prefer,
                   v->readers.n,
                   v->at_the_end.n};
    h[i] = hash_words(x, sizeof x, 0);
    if (v->at_the_end.n)
      h[i] = hash_words(v->at_the_end.at, sizeof *v->at_the_end.at * (size_t)v->at_the_end.n, h[i]);
  }
}

static void hash_neighbours(const MinSum *m, const uint64_t *old, uint64_t *h) {
  const Choice *c = m->c;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const Incident *x = &m->at[i];
    h[i] = old[i];
    for (int k = 0; c->ways[i] && k < c->ways[i]->noperands; k++) {
      NodeId y = c->operand[i][k];
      h[i] = mix(h[i], old[y] * 31 + (y > i));
    }
    for (int k = 0; k < x->out.n; k++) {
      const Edge *e = &m->edges.at[x->out.at[k]];
      h[i] = mix(h[i], old[e->reader] * 31 + (uint64_t)e->operand);
    }
  }
}

typedef struct MinSumTable {
  int n, *slot;
  uint64_t *key;
} MinSumTable;

static MinSumTable table_new(Arena *a, int entries) {
  MinSumTable t = {.n = entries * 2 + 16};
  t.slot = arena_array(a, int, t.n);
  t.key = arena_array(a, uint64_t, t.n);
  return t;
}

/* What was first put under the key: `value`, when nothing was. */
static int table_first(MinSumTable *t, uint64_t key, int value) {
  int i = (int)(key % (uint64_t)t->n);
  for (; t->slot[i]; i = (i + 1) % t->n)
    if (t->key[i] == key) return t->slot[i] - 1;
  t->slot[i] = value + 1, t->key[i] = key;
  return value;
}

static const double *possible(Arena *a, const double *price, int n) {
  double *x = arena_copy(a, price, sizeof *x * (size_t)n);
  for (int i = 0; i < n; i++) x[i] = least_of(x[i], IMPOSSIBLE);
  return x;
}

/* None changes while messages go round. */
static void set_prices(const MinSum *m, Edge *e) {
  const Choice *c = m->c;
  const RouteTable *t =
      route_table(c->routes, c->value[e->maker].form, e->r->layout, e->r->n, e->t->layout, e->t->n);
  e->price = t->cost, e->turned = t->turned;
  if (!m->bound) return;
  e->price = possible(c->arena, t->cost, e->r->n * e->t->n);
  e->turned = possible(c->arena, t->turned, e->r->n * e->t->n);
}

static void find_ends(MinSum *m) {
  Arena *a = m->c->arena;
  m->ends = arena_array(a, Ends, m->edges.n + 1);
  for (int i = 0; i < m->edges.n; i++) {
    const Edge *e = &m->edges.at[i];
    Ends *x = &m->ends[e->first];
    NodeId maker = m->class_of[e->maker], reader = m->class_of[e->reader];
    bool known = false;
    if (!e->r) continue;
    for (int k = 0; k < x->makers.n; k++) known = known || x->makers.at[k] == maker;
    if (!known) vec_push(a, &x->makers, maker);
    known = false;
    for (int k = 0; k < x->readers.n; k++) known = known || x->readers.at[k] == reader;
    if (!known) vec_push(a, &x->readers, reader);
  }
}

static void find_classes(MinSum *m) {
  Choice *c = m->c;
  int n = c->graph->nodes.n;
  uint64_t *h = arena_array(c->arena, uint64_t, n + 1),
           *old = arena_array(c->arena, uint64_t, n + 1);
  m->class_of = arena_array(c->arena, NodeId, n + 1);
  hash_alone(m, h);
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t *x = old;
    old = h, h = x;
    hash_neighbours(m, old, h);
  }
  MinSumTable ops = table_new(c->arena, n), edges = table_new(c->arena, m->edges.n);
  m->members = arena_array(c->arena, int, n + 1);
  m->seen = arena_array(c->arena, int, m->edges.n + 1);
  m->same_edges = arena_array(c->arena, int, m->edges.n + 1);
  for (NodeId i = 0; i < n; i++) {
    if (!c->ways[i]) continue;
    int first = table_first(&ops, h[i], i);
    if (first == i) vec_push(c->arena, &m->first, i);
    m->members[first]++;
    m->class_of[i] = first;
  }
  for (int i = 0; i < m->edges.n; i++) {
    Edge *e = &m->edges.at[i];
    /* One round less than for ops: then equal ops have edges of equal classes. */
    uint64_t key = mix(mix(old[e->maker], old[e->reader]), (uint64_t)e->operand);
    int first = table_first(&edges, key, i);
    const Edge *f = &m->edges.at[first];
    e->first = first;
    m->same_edges[first]++;
    if (first != i) {
      e->up = f->up, e->down = f->down;
      e->writes_up = f->writes_up, e->writes_down = f->writes_down;
      continue;
    }
    e->writes_up = m->class_of[e->reader], e->writes_down = m->class_of[e->maker];
    e->down = arena_array(c->arena, double, e->t->n);
    if (!e->r) continue;
    e->up = arena_array(c->arena, double, e->r->n);
  }
}

/* Over edges whose value has a fixed layout, or is free, the message is known. */
static void set_fixed(const MinSum *m, const Edge *e) {
  const ChoiceValue *v = &m->c->value[e->maker];
  for (int t = 0; t < e->t->n; t++) {
    bool partial = form_at(m->c->routes, v->form, e->t->layout[t])->partial != 0;
    if (v->free)
      e->down[t] = !partial ? 0 : m->bound ? IMPOSSIBLE : INFINITY;
    else
      e->down[t] = priced(m, e, route(m->c->routes, v->form, v->lies, e->t->layout[t]));
  }
}

/* Of layouts of equal cost one gets a small advantage, so that ops far apart, each of which
 * could do either, agree on one. */
static double nudge_of(uint64_t class, int layout) {
  uint64_t which = (uint64_t)layout, h = hash_bytes(&which, sizeof which, class);
  return CHOICE_TIE / 2 * (double)(h >> 11) / (double)(1ull << 53);
}

static void set_nudges(MinSum *m) {
  for (int i = 0; i < m->first.n; i++) {
    NodeId id = m->first.at[i];
    const Distinct *d = &m->c->ways[id]->result;
    uint64_t of = (uint64_t)id, class = hash_bytes(&of, sizeof of, 1);
    m->nudge[id] = arena_array(m->c->arena, double, d->n + 1);
    for (int r = 0; r < d->n; r++) m->nudge[id][r] = nudge_of(class, d->layout[r]);
  }
}

/* By layout of the result; those of a class have the same ways. */
static const double *nudges(const MinSum *m, NodeId id) { return m->nudge[m->class_of[id]]; }

const NodeId *min_sum_classes(const MinSum *m) { return m->class_of; }

MinSum *min_sum_new(Choice *c, bool bound) {
  MinSum *m = arena_new_of(c->arena, MinSum);
  int n = c->graph->nodes.n, most = 1, nedges = 0;
  *m = (MinSum){.c = c, .bound = bound, .held = NO_NODE};
  m->at = arena_array(c->arena, Incident, n + 1);
  for (NodeId i = 0; i < n; i++) nedges += c->ways[i] ? c->ways[i]->noperands : 0;
  vec_reserve(c->arena, &m->edges, nedges + 1);
  for (NodeId i = 0; i < n; i++) {
    if (!c->ways[i]) continue;
    if (c->ways[i]->n > most) most = c->ways[i]->n;
    for (int k = 0; k < c->ways[i]->noperands; k++) add_edge(m, i, k);
  }
  find_classes(m);
  find_ends(m);
  m->stale = arena_array(c->arena, unsigned char, n + 1);
  m->nudge = arena_array(c->arena, double *, n + 1);
  if (!bound) set_nudges(m);
  m->theta = arena_array(c->arena, double, most);
  m->here = arena_array(c->arena, double, most);
  m->fresh = arena_array(c->arena, double, most);
  return m;
}

void min_sum_reset(MinSum *m, bool shared) {
  m->shared = shared;
  m->held = NO_NODE;
  memset(m->stale, STALE, (size_t)m->c->graph->nodes.n + 1);
  for (int i = 0; i < m->edges.n; i++) {
    Edge *e = &m->edges.at[i];
    const ChoiceValue *v = &m->c->value[e->maker];
    e->part = (shared ? 1.0 / (v->readers.n + v->at_the_end.n) : 1) * m->c->moves[e->maker];
    if (e->first != i) {
      e->price = m->edges.at[e->first].price, e->turned = m->edges.at[e->first].turned;
      continue;
    }
    if (!e->up) {
      set_fixed(m, e);
      continue;
    }
    set_prices(m, e);
    memset(e->up, 0, sizeof *e->up * (size_t)e->r->n);
    memset(e->down, 0, sizeof *e->down * (size_t)e->t->n);
  }
}

/* -------- one op -------- */

/* To what the annotation and the end of the entry require. */
static double far_side(const MinSum *m, NodeId id, int result) {
  const ChoiceValue *v = &m->c->value[id];
  double t = 0;
  for (int i = 0; i < v->at_the_end.n; i++)
    t += route(m->c->routes, v->form, result, v->at_the_end.at[i]);
  if (m->bound && t > IMPOSSIBLE) t = IMPOSSIBLE;
  t *= m->c->moves[id];
  return m->shared && v->at_the_end.n ? t / (v->readers.n + v->at_the_end.n) : t;
}

void min_sum_hold(MinSum *m, NodeId id, int result) {
  if (m->held != NO_NODE) m->stale[m->held] = STALE;
  if (id != NO_NODE) m->stale[id] = STALE;
  m->held = id, m->held_result = result;
}

static double not_held(const MinSum *m, NodeId id, int result) {
  return m->held == id && m->held_result != result ? NOT_HELD : 0;
}

/* What each way of op id would cost, by the messages. */
static void sum_up(const MinSum *m, NodeId id) {
  const Choice *c = m->c;
  const Ways *w = c->ways[id];
  const ChoiceValue *v = &c->value[id];
  const Incident *x = &m->at[id];
  for (int r = 0; r < w->result.n; r++) {
    double t = far_side(m, id, w->result.layout[r]) + not_held(m, id, r);
    if (w->result.layout[r] != v->prefer && !m->bound) t += CHOICE_TIE;
    if (!m->bound) t += nudges(m, id)[r];
    for (int i = 0; i < x->out.n; i++) t += m->edges.at[x->out.at[i]].up[r];
    m->here[r] = t;
  }
  for (int s = 0; s < w->n; s++) {
    double t = choice_work(c, id, s) + m->here[w->result.of[s]];
    for (int k = 0; k < x->in.n; k++) t += m->edges.at[x->in.at[k]].down[w->need[k].of[s]];
    m->theta[s] = t;
  }
}

static void normalise(double *x, int n) {
  double least = INFINITY;
  for (int i = 0; i < n; i++) least = least_of(least, x[i]);
  for (int i = 0; i < n && least < INFINITY; i++) x[i] -= least;
}

/* Over each layout at this end, the least of the ways that have it, less what came over the edge
 * itself. */
static void gather(const MinSum *m, NodeId id, const Distinct *d, const double *came) {
  for (int i = 0; i < d->n; i++) m->here[i] = INFINITY;
  for (int s = 0; s < m->c->ways[id]->n; s++) {
    double *y = &m->here[d->of[s]];
    if (m->theta[s] < *y) *y = m->theta[s];
  }
  for (int i = 0; i < d->n; i++)
    if (m->here[i] < INFINITY) m->here[i] -= came ? came[i] : 0;
}

/* By way of one layout, what is known of which is `here`. */
static inline void lower(double *fresh, double here, const double *price, double part, int n) {
  for (int t = 0; t < n; t++) fresh[t] = least_of(here + price[t] * part, fresh[t]);
}

/* Without fused multiply-adds, so that plans do not depend on the CPU. */
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void lower_avx2(double *fresh, double here,
                                                       const double *price, double part, int n) {
  lower(fresh, here, price, part, n);
}
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define HAS_AVX2 0
#define lower_avx2 lower
#endif

/* The least over the other end's n layouts of what is known there and the conversion. */
static void convert(const MinSum *m, const double *price, double part, int n, int to) {
  double *fresh = m->fresh;
  const bool wide = HAS_AVX2;
  for (int t = 0; t < to; t++) fresh[t] = INFINITY;
  for (int r = 0; r < n; r++, price += to) {
    const double here = m->here[r];
    if (!(here < INFINITY)) continue;
    if (wide)
      lower_avx2(fresh, here, price, part, to);
    else
      lower(fresh, here, price, part, to);
  }
  normalise(fresh, to);
}

/* The other end need not be revisited if the message did not change. */
static void deliver(MinSum *m, double *message, int n, const NodeId *to, int nto) {
  bool same = true;
  for (int i = 0; i < n && same; i++)
    same = m->fresh[i] == message[i] || fabs(m->fresh[i] - message[i]) <= SAME;
  if (same) return;
  memcpy(message, m->fresh, sizeof *message * (size_t)n);
  for (int i = 0; i < nto; i++) m->stale[to[i]] = STALE;
}

static void send_down(MinSum *m, NodeId id, const Edge *e) {
  const Ends *x = &m->ends[e->first];
  gather(m, id, e->r, e->up);
  convert(m, e->price, e->part, e->r->n, e->t->n);
  deliver(m, e->down, e->t->n, x->readers.at, x->readers.n);
}

static void send_up(MinSum *m, NodeId id, const Edge *e) {
  const Ends *x = &m->ends[e->first];
  gather(m, id, e->t, e->down);
  convert(m, e->turned, e->part, e->t->n, e->r->n);
  deliver(m, e->up, e->r->n, x->makers.at, x->makers.n);
}

/* An op may have several edges of one class: they are set once. */
static bool is_new(MinSum *m, const Edge *e) {
  bool is = m->seen[e->first] != m->visits;
  m->seen[e->first] = m->visits;
  return is;
}

static void send(MinSum *m, NodeId id, bool later) {
  const Incident *x = &m->at[id];
  unsigned char bit = later ? STALE_LATER : STALE_EARLIER;
  if (!(m->stale[id] & bit)) return;
  m->stale[id] &= (unsigned char)~bit;
  sum_up(m, id);
  m->visits++;
  for (int i = 0; i < x->out.n; i++) {
    const Edge *e = &m->edges.at[x->out.at[i]];
    if (e->writes_down == id && (e->reader > id) == later && is_new(m, e)) send_down(m, id, e);
  }
  for (int i = 0; i < x->in.n; i++) {
    const Edge *e = &m->edges.at[x->in.at[i]];
    if (e->up && e->writes_up == id && (e->maker > id) == later && is_new(m, e)) send_up(m, id, e);
  }
}

/* Draws to one end what the edge holds: of each layout there the least over those at the other. */
static void draw(const Edge *e, bool at_maker) {
  for (int t = 0; t < e->t->n && !at_maker; t++) e->down[t] = INFINITY;
  for (int r = 0; r < e->r->n; r++) {
    double least = INFINITY;
    for (int t = 0; t < e->t->n; t++) {
      double c = e->price[r * e->t->n + t] * e->part;
      if (at_maker)
        least = least_of(least, c - e->down[t]);
      else
        e->down[t] = least_of(e->down[t], c - e->up[r]);
    }
    if (at_maker) e->up[r] = least;
  }
}

/* Over its edge i, out edges first, op id may set a message; the other end is later or not. */
static const Edge *own_edge(const MinSum *m, NodeId id, int i, bool later, bool *maker) {
  const Incident *x = &m->at[id];
  *maker = i < x->out.n;
  const Edge *e = &m->edges.at[*maker ? x->out.at[i] : x->in.at[i - x->out.n]];
  NodeId other = *maker ? e->reader : e->maker;
  bool owns = e->up && (*maker ? e->writes_down : e->writes_up) == id && (other > id) == later;
  return owns ? e : NULL;
}

static void visit(MinSum *m, NodeId id, bool later) {
  const Incident *x = &m->at[id];
  int most = x->before > x->after ? x->before : x->after, nedges = x->out.n + x->in.n;
  bool maker;
  m->visits++;
  for (int i = 0; i < nedges; i++) {
    const Edge *e = own_edge(m, id, i, !later, &maker);
    if (e && is_new(m, e)) draw(e, maker);
  }
  sum_up(m, id);
  m->visits++;
  for (int i = 0; i < nedges; i++) {
    const Edge *e = own_edge(m, id, i, later, &maker);
    if (!e || !is_new(m, e)) continue;
    gather(m, id, maker ? e->r : e->t, NULL);
    for (int k = 0; k < (maker ? e->r : e->t)->n; k++)
      (maker ? e->up : e->down)[k] -= m->here[k] / most;
  }
}

void min_sum_sweep(MinSum *m) {
  void (*pass)(MinSum *, NodeId, bool) = m->bound ? visit : send;
  for (int i = 0; i < m->first.n; i++) pass(m, m->first.at[i], true);
  for (int i = m->first.n - 1; i >= 0; i--) pass(m, m->first.at[i], false);
}

/* -------- what follows from them -------- */

/* Another op of its class was set where all was alike. Over equal edges are equal messages. */
static bool decoded(const MinSum *m, NodeId id, int *best) {
  enum { FEW = 32 };
  Choice *c = m->c;
  const Incident *x = &m->at[id];
  int reads[3 * FEW + 1] = {c->round}, n = 1;
  if (m->held == id || x->out.n + x->in.n > FEW) return false;
  for (int k = 0; k < x->out.n; k++) {
    const Edge *e = &m->edges.at[x->out.at[k]];
    const int way = c->way[e->reader];
    reads[n++] = e->first;
    reads[n++] = way < 0 ? -1 : c->ways[e->reader]->way[way].need[e->operand];
  }
  for (int k = 0; k < x->in.n; k++) {
    const Edge *e = &m->edges.at[x->in.at[k]];
    reads[n++] = e->first;
    reads[n++] = e->up != NULL;
    reads[n++] = c->way[e->maker] < 0;
  }
  return choice_seen(c, LOOK_DECODE, id, reads, n, best);
}

void min_sum_decode(MinSum *m) {
  Choice *c = m->c;
  choice_clear(c);
  c->round++;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    const Incident *x = &m->at[i];
    int best;
    if (decoded(m, i, &best)) {
      choice_set(c, i, best);
      continue;
    }
    for (int r = 0; r < w->result.n; r++) {
      double t = far_side(m, i, w->result.layout[r]) + nudges(m, i)[r] + not_held(m, i, r);
      for (int k = 0; k < x->out.n; k++) {
        const Edge *e = &m->edges.at[x->out.at[k]];
        int way = c->way[e->reader];
        t += way < 0 ? e->up[r]
                     : route(c->routes, c->value[i].form, w->result.layout[r],
                             c->ways[e->reader]->way[way].need[e->operand]) *
                           c->moves[i];
      }
      c->result_price[r] = t;
    }
    choice_price_operands(c, i);
    double *price = c->price; /* of those not chosen yet: their message */
    for (int k = 0; k < x->in.n; price += w->need[k++].n) {
      const Edge *e = &m->edges.at[x->in.at[k]];
      for (int t = 0; e->up && c->way[e->maker] < 0 && t < e->t->n; t++) price[t] = e->down[t];
    }
    best = choice_best_way(c, i, c->result_price);
    if (best < 0) best = 0;
    choice_see(c, LOOK_DECODE, i, best);
    choice_set(c, i, best);
  }
}

const double *min_sum_costs(MinSum *m, NodeId id) {
  sum_up(m, id);
  gather(m, id, &m->c->ways[id]->result, NULL);
  return m->here;
}

double min_sum_bound(MinSum *m) {
  double sum = 0;
  for (int i = 0; i < m->first.n; i++) {
    NodeId id = m->first.at[i];
    double least = INFINITY;
    sum_up(m, id);
    for (int s = 0; s < m->c->ways[id]->n; s++) least = least_of(least, m->theta[s]);
    sum += least * m->members[id];
  }
  for (int i = 0; i < m->edges.n; i++) {
    const Edge *e = &m->edges.at[i];
    double least = INFINITY;
    if (!e->up || !(m->edges.at[i].first == i)) continue;
    for (int r = 0; r < e->r->n; r++)
      for (int t = 0; t < e->t->n; t++)
        least = least_of(least, e->price[r * e->t->n + t] * e->part - e->up[r] - e->down[t]);
    sum += least * m->same_edges[i];
  }
  return sum;
}
