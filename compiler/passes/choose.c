/* Chooses how each op of an entry is computed, for the least modelled time of the whole.
 *
 *   total = sum over ops of the work of their way
 *         + sum over values of the conversions from the layout they are computed in to all layouts
 *           they are wanted in (route_tree)
 *
 * Begun greedily: each op in turn takes the way that is cheapest given what is there already. Then
 * messages along the graph, forward and back, tell each op what a layout of its operand or result
 * would cost further off (min-sum, exact on chains and trees), and ops are set again by them. Then
 * single ops move while that helps. Small graphs are searched whole (exact.c). The best of all is
 * kept, so no plan is dearer than the greedy one.
 *
 * In ties an op stays with the layout that propagate found. */
#include "choose.h"
#include <math.h>
#include <string.h>

static const double TIE = 1e-12; /* seconds: less is no difference */
enum { SWEEPS = 4, ROUNDS = 12 };

/* -------- values -------- */

static void want(Choice *c, NodeId id, int layout, int by) {
  Value *v = &c->value[id];
  for (int i = 0; i < v->want.n; i++)
    if (v->want.at[i].layout == layout) {
      v->want.at[i].count += by;
      return;
    }
  vec_push(c->plan->arena, &v->want, ((Want){layout, by}));
}

int choice_wanted(const Choice *c, NodeId id, int *out, int most) {
  const Value *v = &c->value[id];
  int n = 0;
  for (int i = 0; i < v->want.n && n < most; i++)
    if (v->want.at[i].count > 0) out[n++] = v->want.at[i].layout;
  return n;
}

int choice_result(const Choice *c, NodeId id) {
  const Value *v = &c->value[id];
  return v->lies >= 0 ? v->lies : c->ways[id]->way[c->way[id]].result;
}

/* Conversions of value id when it is computed in layout `from`. */
static double value_cost(const Choice *c, NodeId id, int from) {
  const Value *v = &c->value[id];
  int wanted[MAX_HOPS], n;
  double cost = 0;
  if (v->free) {
    for (int i = 0; i < v->want.n; i++)
      if (v->want.at[i].count > 0 && form_at(c->routes, v->form, v->want.at[i].layout)->partial)
        return INFINITY;
    return 0;
  }
  if (v->said >= 0 && v->said != from) {
    cost = route(c->routes, v->form, from, v->said);
    from = v->said;
  }
  n = choice_wanted(c, id, wanted, MAX_HOPS);
  if (n == 0 || (n == 1 && wanted[0] == from)) return cost;
  return cost + route_tree(c->routes, v->form, from, wanted, n, NULL);
}

double choice_total(const Choice *c) {
  double total = 0;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (c->ways[i]) total += c->ways[i]->way[c->way[i]].work;
    if (c->value[i].free || c->value[i].lies >= 0 || c->ways[i])
      total += value_cost(c, i, c->value[i].free ? 0 : choice_result(c, i));
  }
  return total;
}

/* -------- one op -------- */

static void want_operands(Choice *c, NodeId id, int way, int by) {
  const Node *n = graph_node(c->graph, id);
  const Way *w = &c->ways[id]->way[way];
  for (int k = 0; k < n->noperands; k++) want(c, n->operand[k], w->need[k], by);
}

static void set_way(Choice *c, NodeId id, int way) {
  if (c->way[id] >= 0) want_operands(c, id, c->way[id], -1);
  c->way[id] = way;
  want_operands(c, id, way, 1);
}

static bool seen_before(const Node *n, int k) {
  for (int j = 0; j < k; j++)
    if (n->operand[j] == n->operand[k]) return true;
  return false;
}

/* What each layout would cost that op id can want an operand in, or compute its result in, while
 * all other ops stay. Two operands that are the same value are priced apart: nearly right, and
 * exact where they are wanted alike. */
static void price_operands(Choice *c, NodeId id) {
  const Node *n = graph_node(c->graph, id);
  const Ways *w = c->ways[id];
  double *price = c->price;
  for (int k = 0; k < n->noperands; k++) {
    NodeId x = n->operand[k];
    const Value *v = &c->value[x];
    int from = v->free ? 0 : choice_result(c, x);
    double without = v->free || seen_before(n, k) ? 0 : value_cost(c, x, from);
    for (int t = 0; t < w->need[k].n; t++) {
      want(c, x, w->need[k].layout[t], 1);
      price[t] = value_cost(c, x, from) - without;
      want(c, x, w->need[k].layout[t], -1);
    }
    price += w->need[k].n;
  }
}

static double operands_price(const Choice *c, const Ways *w, int way) {
  const double *price = c->price;
  double sum = w->way[way].work;
  for (int k = 0; k < w->noperands; k++) {
    sum += price[w->need[k].of[way]];
    price += w->need[k].n;
  }
  return sum;
}

/* The way whose operands and whose result, by result[distinct layout], cost least. */
static int best_way(const Choice *c, NodeId id, const double *result) {
  const Ways *w = c->ways[id];
  double least = INFINITY;
  int best = -1;
  for (int i = 0; i < w->n; i++) {
    double cost = result[w->result.of[i]] + (w->way[i].result != c->value[id].prefer ? TIE : 0);
    if (cost >= least) continue;
    cost += operands_price(c, w, i);
    if (cost < least) least = cost, best = i;
  }
  return best;
}

/* All that the way of op id bears on: its work, its operands' conversions and its result's. */
static double cost_around(const Choice *c, NodeId id) {
  const Node *n = graph_node(c->graph, id);
  const Way *w = &c->ways[id]->way[c->way[id]];
  double cost = w->work + value_cost(c, id, w->result);
  if (w->result != c->value[id].prefer) cost += TIE;
  for (int k = 0; k < n->noperands; k++) {
    NodeId x = n->operand[k];
    if (!seen_before(n, k)) cost += value_cost(c, x, c->value[x].free ? 0 : choice_result(c, x));
  }
  return cost;
}

/* Sets the op to the way that is best where all others stay. True when that is another. */
static bool improve(Choice *c, NodeId id) {
  const Ways *w = c->ways[id];
  int now = c->way[id];
  double before = cost_around(c, id), *result = c->result_price;
  if (before <= w->least + 2 * TIE) return false; /* nothing is converted and no work is saved */
  want_operands(c, id, now, -1);
  price_operands(c, id);
  for (int i = 0; i < w->result.n; i++) result[i] = value_cost(c, id, w->result.layout[i]);
  int best = best_way(c, id, result);
  want_operands(c, id, now, 1);
  if (best < 0 || best == now) return false;
  set_way(c, id, best);
  if (cost_around(c, id) < before - TIE / 2) return true;
  set_way(c, id, now);
  return false;
}

static void clear(Choice *c) {
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (c->ways[i] && c->way[i] >= 0) want_operands(c, i, c->way[i], -1);
    c->way[i] = -1;
  }
}

/* -------- greedy -------- */

/* Some reader of the value cannot carry terms on. */
static void find_settlers(Choice *c, bool *must_settle) {
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const Node *n = graph_node(c->graph, i);
    for (int k = 0; c->ways[i] && k < n->noperands; k++) {
      const Distinct *d = &c->ways[i]->need[k];
      bool carries = false;
      for (int j = 0; j < d->n; j++)
        carries =
            carries || form_at(c->routes, c->value[n->operand[k]].form, d->layout[j])->partial;
      if (!carries) must_settle[n->operand[k]] = true;
    }
    if (c->value[i].at_the_end.n) must_settle[i] = true;
  }
}

/* A value that must be settled anyhow is settled before its first reader. */
static void forbid_partial(Choice *c, NodeId id, const bool *must_settle) {
  const Node *n = graph_node(c->graph, id);
  double *price = c->price;
  for (int k = 0; k < n->noperands; k++) {
    const Distinct *d = &c->ways[id]->need[k];
    int form = c->value[n->operand[k]].form;
    for (int t = 0; t < d->n && must_settle[n->operand[k]]; t++)
      if (form_at(c->routes, form, d->layout[t])->partial) price[t] += 1e10;
    price += d->n;
  }
}

/* Each op in turn, by what is there already and by the layout that propagate found for its result.
 */
static void choose_greedily(Choice *c) {
  bool *must_settle = arena_array(c->plan->arena, bool, c->graph->nodes.n + 1);
  find_settlers(c, must_settle);
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    double *result = c->result_price;
    for (int r = 0; r < w->result.n; r++)
      result[r] =
          fmin(route(c->routes, c->value[i].form, w->result.layout[r], c->value[i].prefer), 1e20);
    price_operands(c, i);
    forbid_partial(c, i, must_settle);
    int best = best_way(c, i, result);
    set_way(c, i, best < 0 ? 0 : best);
  }
}

/* -------- messages -------- */

/* What a layout would cost on the far side of the edge from a value to operand k of its reader. */
typedef struct Edge {
  NodeId from, to;
  int operand;
  double *down; /* to the reader, by distinct need */
  double *up;   /* to the maker, by distinct result; NULL: the value lies fixed */
} Edge;

typedef struct Messages {
  Choice *c;
  VEC(Edge) edges;
  int *first; /* by node: its first operand edge, in the order of operands; -1 */
  double *theta;
  bool shared; /* a conversion's price is split among all readers of the value: they may share it */
} Messages;

static const Distinct *results_of(const Messages *m, NodeId id) { return &m->c->ways[id]->result; }

static double edge_cost(const Messages *m, const Edge *e, int r, int t) {
  const Value *v = &m->c->value[e->from];
  double c = route(m->c->routes, v->form, r, t);
  return m->shared ? c / v->use.n : c;
}

static bool is_fixed(const Value *v) { return v->lies >= 0 || v->said >= 0; }

static void add_edges(Messages *m) {
  Choice *c = m->c;
  Arena *a = c->plan->arena;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) c->value[i].use.n = 0;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    m->first[i] = m->edges.n;
    const Node *n = graph_node(c->graph, i);
    for (int k = 0; c->ways[i] && k < n->noperands; k++) {
      NodeId x = n->operand[k];
      Edge e = {.from = x, .to = i, .operand = k};
      e.down = arena_array(a, double, c->ways[i]->need[k].n);
      if (!c->value[x].free && !is_fixed(&c->value[x]))
        e.up = arena_array(a, double, results_of(m, x)->n);
      vec_push(a, &c->value[x].use, m->edges.n);
      vec_push(a, &m->edges, e);
    }
  }
}

/* Messages over edges whose value lies fixed, or is free, never change. */
static void set_fixed(Messages *m) {
  for (int i = 0; i < m->edges.n; i++) {
    Edge *e = &m->edges.at[i];
    const Value *v = &m->c->value[e->from];
    const Distinct *d = &m->c->ways[e->to]->need[e->operand];
    if (e->up) continue;
    for (int t = 0; t < d->n; t++) {
      bool partial = form_at(m->c->routes, v->form, d->layout[t])->partial != 0;
      e->down[t] = v->free ? (partial ? INFINITY : 0)
                           : edge_cost(m, e, v->said >= 0 ? v->said : v->lies, d->layout[t]);
    }
  }
}

/* To what the user said of the value, or to what the end of the entry wants. */
static double far_side(const Messages *m, NodeId id, int result) {
  const Value *v = &m->c->value[id];
  double t = 0;
  if (v->said >= 0) return route(m->c->routes, v->form, result, v->said);
  for (int i = 0; i < v->at_the_end.n; i++)
    t += route(m->c->routes, v->form, result, v->at_the_end.at[i]);
  return t;
}

/* What each way of op id would cost, by the messages. */
static void sum_up(const Messages *m, NodeId id) {
  const Choice *c = m->c;
  const Ways *w = c->ways[id];
  const Value *v = &c->value[id];
  for (int s = 0; s < w->n; s++) {
    double t = w->way[s].work + (w->way[s].result != v->prefer ? TIE : 0);
    t += far_side(m, id, w->way[s].result);
    for (int k = 0; k < w->noperands; k++)
      t += m->edges.at[m->first[id] + k].down[w->need[k].of[s]];
    for (int i = 0; i < v->use.n; i++) {
      const Edge *e = &m->edges.at[v->use.at[i]];
      if (e->up) t += e->up[w->result.of[s]];
    }
    m->theta[s] = t;
  }
}

static void normalise(double *x, int n) {
  double least = INFINITY;
  for (int i = 0; i < n; i++) least = fmin(least, x[i]);
  for (int i = 0; i < n && least < INFINITY; i++) x[i] -= least;
}

/* min over ways that agree, less what came over this edge itself. */
static void gather(const Messages *m, const Distinct *d, int nways, const double *back,
                   double *out) {
  for (int i = 0; i < d->n; i++) out[i] = INFINITY;
  for (int s = 0; s < nways; s++) {
    double *x = &out[d->of[s]];
    if (m->theta[s] < *x) *x = m->theta[s];
  }
  for (int i = 0; i < d->n; i++)
    if (out[i] < INFINITY) out[i] -= back[i];
}

enum { MOST_DISTINCT = 2048 };

static void send_down(const Messages *m, NodeId id) {
  const Ways *w = m->c->ways[id];
  const Value *v = &m->c->value[id];
  double here[MOST_DISTINCT];
  if (is_fixed(v)) return;
  for (int i = 0; i < v->use.n; i++) {
    const Edge *e = &m->edges.at[v->use.at[i]];
    const Distinct *r = &w->result, *t = &m->c->ways[e->to]->need[e->operand];
    gather(m, r, w->n, e->up, here);
    for (int j = 0; j < t->n; j++) {
      double least = INFINITY;
      for (int k = 0; k < r->n; k++)
        if (here[k] < least)
          least = fmin(least, here[k] + edge_cost(m, e, r->layout[k], t->layout[j]));
      e->down[j] = least;
    }
    normalise(e->down, t->n);
  }
}

static void send_up(const Messages *m, NodeId id) {
  const Ways *w = m->c->ways[id];
  double here[MOST_DISTINCT];
  for (int k = 0; k < w->noperands; k++) {
    const Edge *e = &m->edges.at[m->first[id] + k];
    if (!e->up) continue;
    const Distinct *r = results_of(m, e->from), *t = &w->need[k];
    gather(m, t, w->n, e->down, here);
    for (int i = 0; i < r->n; i++) {
      double least = INFINITY;
      for (int j = 0; j < t->n; j++)
        if (here[j] < least)
          least = fmin(least, here[j] + edge_cost(m, e, r->layout[i], t->layout[j]));
      e->up[i] = least;
    }
    normalise(e->up, r->n);
  }
}

/* Each op in turn takes the way that is best by the choices made before it and the messages from
 * those after it. */
static void decode(Messages *m) {
  Choice *c = m->c;
  clear(c);
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    const Value *v = &c->value[i];
    double *result = c->result_price;
    for (int r = 0; r < w->result.n; r++) {
      double t = far_side(m, i, w->result.layout[r]);
      for (int k = 0; k < v->use.n; k++) {
        const Edge *e = &m->edges.at[v->use.at[k]];
        if (e->up) t += e->up[r];
      }
      result[r] = t;
    }
    price_operands(c, i);
    int best = best_way(c, i, result);
    set_way(c, i, best < 0 ? 0 : best);
  }
}

/* -------- all together -------- */

/* An op is looked at again when one beside it has changed. */
static void touch(Choice *c, NodeId id, bool *dirty) {
  const Node *n = graph_node(c->graph, id);
  for (int k = 0; k < n->noperands; k++) {
    const Value *v = &c->value[n->operand[k]];
    dirty[n->operand[k]] = true;
    for (int i = 0; i < v->readers.n && !v->free; i++) dirty[v->readers.at[i]] = true;
  }
  for (int i = 0; i < c->value[id].readers.n; i++) dirty[c->value[id].readers.at[i]] = true;
}

static void improve_all(Choice *c) {
  int n = c->graph->nodes.n;
  bool *dirty = c->dirty;
  memset(dirty, 1, sizeof *dirty * (size_t)n);
  for (int round = 0; round < ROUNDS; round++) {
    bool changed = false;
    for (NodeId k = 0; k < n; k++) {
      NodeId i = round % 2 ? n - 1 - k : k;
      if (!dirty[i] || !c->ways[i]) continue;
      dirty[i] = false;
      if (c->ways[i]->n == 1 || !improve(c, i)) continue;
      changed = true;
      touch(c, i, dirty);
    }
    if (!changed) break;
  }
}

static void keep_best(Choice *c, int *best) {
  double total = choice_total(c);
  if (!(total < c->total - TIE)) return;
  c->total = total;
  memcpy(best, c->way, sizeof *best * (size_t)c->graph->nodes.n);
}

static void set_all(Choice *c, const int *way) {
  clear(c);
  for (NodeId i = 0; i < c->graph->nodes.n; i++)
    if (c->ways[i]) set_way(c, i, way[i]);
}

static void send_messages(Choice *c, int *best, bool shared) {
  Arena *a = c->plan->arena;
  int n = c->graph->nodes.n, most = 1;
  for (NodeId i = 0; i < n; i++)
    if (c->ways[i] && c->ways[i]->n > most) most = c->ways[i]->n;
  if (most == 1 || most >= MOST_DISTINCT) return;
  Messages m = {.c = c,
                .first = arena_array(a, int, n + 1),
                .theta = arena_array(a, double, most),
                .shared = shared};
  add_edges(&m);
  set_fixed(&m);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (NodeId i = 0; i < n; i++)
      if (c->ways[i]) sum_up(&m, i), send_down(&m, i);
    for (NodeId i = n - 1; i >= 0; i--)
      if (c->ways[i]) sum_up(&m, i), send_up(&m, i);
    double before = c->total;
    decode(&m);
    keep_best(c, best);
    improve_all(c);
    keep_best(c, best);
    if (sweep > 0 && !(c->total < before)) break;
  }
}

static void search(Choice *c) {
  Arena *a = c->plan->arena;
  int n = c->graph->nodes.n;
  int *best = arena_array(a, int, n + 1);
  c->total = INFINITY;
  choose_greedily(c);
  memcpy(best, c->way, sizeof *best * (size_t)n);
  keep_best(c, best);
  c->greedy = c->total;
  improve_all(c);
  keep_best(c, best);
  send_messages(c, best, false);
  send_messages(c, best, true);
  int *exact = arena_array(a, int, n + 1);
  if (choose_exactly(c, c->total - TIE, exact)) {
    set_all(c, exact);
    keep_best(c, best);
  }
  set_all(c, best);
}

static void set_up(Choice *c, WaysCache *cache, int index) {
  Plan *p = c->plan;
  Arena *a = p->arena;
  const Program *g = p->program;
  const Entry *e = &g->entries.at[index];
  int n = e->graph->nodes.n;
  int *form = arena_array(a, int, n + 1);
  bool *partial = arena_array(a, bool, n + 1);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(e->graph, i);
    Value *v = &c->value[i];
    form[i] = form_of(c->routes, &x->shape, x->dtype);
    *v = (Value){.form = form[i], .free = node_is_free(x), .said = -1, .lies = -1};
    v->prefer = form_layout(c->routes, form[i], x->layout);
    c->way[i] = -1;
    if (v->free) continue;
    if (!x->noperands) {
      v->lies = v->prefer;
      continue;
    }
    if (x->spec && x->op != OP_relayout && x->op != OP_relayout_like) v->said = v->prefer;
    c->ways[i] = ways_of(cache, e->graph, i, form, partial);
    for (int k = 0; k < x->noperands; k++) vec_push(a, &c->value[x->operand[k]].readers, i);
    partial[i] = v->said >= 0 ? x->layout->partial != 0 : c->ways[i]->partial;
  }
  for (int i = 0; i < e->assigns.n + e->outputs.n; i++) {
    bool assign = i < e->assigns.n;
    NodeId x = assign ? e->assigns.at[i].node : e->outputs.at[i - e->assigns.n].node;
    const Layout *l =
        assign ? g->vars.at[e->assigns.at[i].var].layout : e->outputs.at[i - e->assigns.n].layout;
    int to = form_layout(c->routes, form[x], l);
    want(c, x, to, 1);
    bool known = false;
    for (int k = 0; k < c->value[x].at_the_end.n; k++)
      known = known || c->value[x].at_the_end.at[k] == to;
    if (!known) vec_push(a, &c->value[x].at_the_end, to);
  }
}

Choice *choose(Plan *p, int entry, Routes *routes, WaysCache *cache) {
  Choice *c = arena_new_of(p->arena, Choice);
  c->plan = p;
  c->routes = routes;
  c->entry = &p->program->entries.at[entry];
  c->graph = c->entry->graph;
  int n = c->graph->nodes.n;
  c->value = arena_array(p->arena, Value, n + 1);
  c->ways = arena_array(p->arena, const Ways *, n + 1);
  c->way = arena_array(p->arena, int, n + 1);
  c->dirty = arena_array(p->arena, bool, n + 1);
  set_up(c, cache, entry);
  int needs = 1, results = 1;
  for (NodeId i = 0; i < n; i++) {
    const Ways *w = c->ways[i];
    int sum = 0;
    for (int k = 0; w && k < w->noperands; k++) sum += w->need[k].n;
    if (sum > needs) needs = sum;
    if (w && w->result.n > results) results = w->result.n;
  }
  c->price = arena_array(p->arena, double, needs);
  c->result_price = arena_array(p->arena, double, results);
  search(c);
  return c;
}
