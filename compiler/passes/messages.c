/* Messages along the graph: what a layout of a value would cost on the far side of an edge.
 *
 * An edge joins the op that makes a value to one operand of an op that reads it. Min-sum: a message
 * over an edge is, for each layout at this end, the least that the other end and all behind it cost
 * (Pearl). On chains and trees that is exact. Weighted by the chains through each op (Kolmogorov's
 * TRW-S) the same messages prove a lower bound: moving costs between ops and edges along them
 * changes no total, and no choice can cost less than the sum of each op's and each edge's least. */
#include "choose.h"
#include <math.h>

typedef struct Edge {
  NodeId maker, reader;
  int operand;
  const Distinct *r, *t; /* layouts at the maker's end, at the reader's */
  double *up, *down;     /* to the maker, by r; to the reader, by t. up is NULL when the value lies
                            fixed: then down never changes */
} Edge;

typedef struct Incident {
  VEC(int32_t) in, out; /* edges over which the op reads, and over which it is read */
  int before, after;    /* how many lead to ops earlier and later in the graph */
} Incident;

struct Messages {
  Choice *c;
  bool shared, bound;
  VEC(Edge) edges;
  Incident *at; /* by node */
  double *theta, *here;
};

static double least_of(double a, double b) { return a < b ? a : b; }

static double edge_cost(const Messages *m, const Edge *e, int r, int t) {
  const Value *v = &m->c->value[e->maker];
  double c = route(m->c->routes, v->form, r, t);
  return m->shared ? c / (v->readers.n + v->at_the_end.n) : c;
}

static void add_edge(Messages *m, NodeId reader, int k) {
  Choice *c = m->c;
  NodeId maker = c->operand[reader][k];
  const Value *v = &c->value[maker];
  Edge e = {.maker = maker, .reader = reader, .operand = k, .t = &c->ways[reader]->need[k]};
  e.down = arena_array(c->arena, double, e.t->n);
  if (!v->free && !choice_is_fixed(v)) {
    e.r = &c->ways[maker]->result;
    e.up = arena_array(c->arena, double, e.r->n);
    m->at[maker].after += reader > maker, m->at[maker].before += reader < maker;
    m->at[reader].before += reader > maker, m->at[reader].after += reader < maker;
    vec_push(c->arena, &m->at[maker].out, m->edges.n);
  } else {
    for (int t = 0; t < e.t->n; t++) {
      bool partial = form_at(c->routes, v->form, e.t->layout[t])->partial != 0;
      e.down[t] = v->free ? (partial ? INFINITY : 0)
                          : edge_cost(m, &e, v->said >= 0 ? v->said : v->lies, e.t->layout[t]);
    }
  }
  vec_push(c->arena, &m->at[reader].in, m->edges.n);
  vec_push(c->arena, &m->edges, e);
}

Messages *messages_new(Choice *c, bool shared, bool bound) {
  Messages *m = arena_new_of(c->arena, Messages);
  int n = c->graph->nodes.n, most = 1;
  *m = (Messages){.c = c, .shared = shared, .bound = bound};
  m->at = arena_array(c->arena, Incident, n + 1);
  for (NodeId i = 0; i < n; i++) {
    if (!c->ways[i]) continue;
    if (c->ways[i]->n > most) most = c->ways[i]->n;
    for (int k = 0; k < c->ways[i]->noperands; k++) add_edge(m, i, k);
  }
  m->theta = arena_array(c->arena, double, most);
  m->here = arena_array(c->arena, double, most);
  return m;
}

/* -------- one op -------- */

/* To what the user said of the value, or to what the end of the entry wants. */
static double far_side(const Messages *m, NodeId id, int result) {
  const Value *v = &m->c->value[id];
  double t = 0;
  if (v->said >= 0) return route(m->c->routes, v->form, result, v->said);
  for (int i = 0; i < v->at_the_end.n; i++)
    t += route(m->c->routes, v->form, result, v->at_the_end.at[i]);
  return m->shared && v->at_the_end.n ? t / (v->readers.n + v->at_the_end.n) : t;
}

/* What each way of op id would cost, by the messages. */
static void sum_up(const Messages *m, NodeId id) {
  const Choice *c = m->c;
  const Ways *w = c->ways[id];
  const Value *v = &c->value[id];
  const Incident *x = &m->at[id];
  for (int r = 0; r < w->result.n; r++) {
    double t = far_side(m, id, w->result.layout[r]);
    if (w->result.layout[r] != v->prefer && !m->bound) t += CHOICE_TIE;
    for (int i = 0; i < x->out.n; i++) t += m->edges.at[x->out.at[i]].up[r];
    m->here[r] = t;
  }
  for (int s = 0; s < w->n; s++) {
    double t = w->way[s].work + m->here[w->result.of[s]];
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
static void gather(const Messages *m, NodeId id, const Distinct *d, const double *came) {
  const Incident *x = &m->at[id];
  int chains = x->before > x->after ? x->before : x->after;
  double part = m->bound && chains > 1 ? 1.0 / chains : 1;
  for (int i = 0; i < d->n; i++) m->here[i] = INFINITY;
  for (int s = 0; s < m->c->ways[id]->n; s++) {
    double *y = &m->here[d->of[s]];
    if (m->theta[s] < *y) *y = m->theta[s];
  }
  for (int i = 0; i < d->n; i++)
    if (m->here[i] < INFINITY) m->here[i] = part * m->here[i] - came[i];
}

static void send_down(const Messages *m, NodeId id, const Edge *e) {
  gather(m, id, e->r, e->up);
  for (int j = 0; j < e->t->n; j++) {
    double least = INFINITY;
    for (int k = 0; k < e->r->n; k++)
      if (m->here[k] < least)
        least = least_of(least, m->here[k] + edge_cost(m, e, e->r->layout[k], e->t->layout[j]));
    e->down[j] = least;
  }
  normalise(e->down, e->t->n);
}

static void send_up(const Messages *m, NodeId id, const Edge *e) {
  gather(m, id, e->t, e->down);
  for (int i = 0; i < e->r->n; i++) {
    double least = INFINITY;
    for (int j = 0; j < e->t->n; j++)
      if (m->here[j] < least)
        least = least_of(least, m->here[j] + edge_cost(m, e, e->r->layout[i], e->t->layout[j]));
    e->up[i] = least;
  }
  normalise(e->up, e->r->n);
}

static void send(const Messages *m, NodeId id, bool later) {
  const Incident *x = &m->at[id];
  sum_up(m, id);
  for (int i = 0; i < x->out.n; i++) {
    const Edge *e = &m->edges.at[x->out.at[i]];
    if ((e->reader > id) == later) send_down(m, id, e);
  }
  for (int i = 0; i < x->in.n; i++) {
    const Edge *e = &m->edges.at[x->in.at[i]];
    if (e->up && (e->maker > id) == later) send_up(m, id, e);
  }
}

void messages_sweep(Messages *m) {
  int n = m->c->graph->nodes.n;
  for (NodeId i = 0; i < n; i++)
    if (m->c->ways[i]) send(m, i, true);
  for (NodeId i = n - 1; i >= 0; i--)
    if (m->c->ways[i]) send(m, i, false);
}

/* -------- what follows from them -------- */

void messages_decode(Messages *m) {
  Choice *c = m->c;
  choice_clear(c);
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    const Incident *x = &m->at[i];
    for (int r = 0; r < w->result.n; r++) {
      double t = far_side(m, i, w->result.layout[r]);
      for (int k = 0; k < x->out.n; k++) {
        const Edge *e = &m->edges.at[x->out.at[k]];
        int way = c->way[e->reader];
        t += way < 0 ? e->up[r]
                     : route(c->routes, c->value[i].form, w->result.layout[r],
                             c->ways[e->reader]->way[way].need[e->operand]);
      }
      c->result_price[r] = t;
    }
    choice_price_operands(c, i);
    double *price = c->price; /* of those that are not chosen yet: what their message says */
    for (int k = 0; k < x->in.n; price += w->need[k++].n) {
      const Edge *e = &m->edges.at[x->in.at[k]];
      for (int t = 0; e->up && c->way[e->maker] < 0 && t < e->t->n; t++) price[t] = e->down[t];
    }
    int best = choice_best_way(c, i, c->result_price);
    choice_set(c, i, best < 0 ? 0 : best);
  }
}

double messages_bound(Messages *m) {
  double sum = 0;
  for (NodeId i = 0; i < m->c->graph->nodes.n; i++) {
    if (!m->c->ways[i]) continue;
    double least = INFINITY;
    sum_up(m, i);
    for (int s = 0; s < m->c->ways[i]->n; s++) least = least_of(least, m->theta[s]);
    sum += least;
  }
  for (int i = 0; i < m->edges.n; i++) {
    const Edge *e = &m->edges.at[i];
    double least = INFINITY;
    for (int r = 0; e->up && r < e->r->n; r++)
      for (int t = 0; t < e->t->n; t++)
        if (e->up[r] < INFINITY && e->down[t] < INFINITY)
          least = least_of(least, edge_cost(m, e, e->r->layout[r], e->t->layout[t]) - e->up[r] -
                                      e->down[t]);
    if (e->up) sum += least;
  }
  return sum;
}
