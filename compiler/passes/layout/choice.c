/* A choice of a way for each op: what it costs, and what changes when an op takes another way. */
#include "choose.h"
#include <math.h>
#include <string.h>

/* -------- values -------- */

static void want(Choice *c, NodeId id, int layout, int by) {
  ChoiceValue *v = &c->value[id];
  for (int i = 0; i < v->want.n; i++)
    if (v->want.at[i].layout == layout) {
      v->want.at[i].count += by;
      if (!v->want.at[i].count) v->want.at[i] = v->want.at[--v->want.n];
      return;
    }
  vec_push(c->arena, &v->want, ((Want){layout, by}));
}

int choice_wanted(const Choice *c, NodeId id, int *out, int most) {
  const ChoiceValue *v = &c->value[id];
  int n = 0;
  for (int i = 0; i < v->want.n && n < most; i++)
    if (v->want.at[i].count > 0) out[n++] = v->want.at[i].layout;
  return n;
}

int choice_result(const Choice *c, NodeId id) {
  const ChoiceValue *v = &c->value[id];
  return v->lies >= 0 ? v->lies : c->ways[id]->way[c->way[id]].result;
}

int choice_source(const Choice *c, NodeId id, int result) {
  return c->value[id].said >= 0 ? c->value[id].said : result;
}

/* Conversions of value id when it is computed in layout `from`, in one run. */
static double value_cost(const Choice *c, NodeId id, int from) {
  const ChoiceValue *v = &c->value[id];
  int wanted[MAX_HOPS], n = 0;
  double cost = 0;
  if (!v->free) {
    const int source = choice_source(c, id, from);
    if (source != from) cost = route(c->routes, v->form, from, source);
    from = source;
  }
  for (int i = 0; i < v->want.n; i++) {
    if (v->want.at[i].count <= 0 || (v->want.at[i].layout == from && !v->free)) continue;
    if (v->free && form_at(c->routes, v->form, v->want.at[i].layout)->partial) return INFINITY;
    if (n < MAX_HOPS) wanted[n++] = v->want.at[i].layout;
  }
  if (n == 0 || v->free) return cost;
  if (n == 1) return cost + route(c->routes, v->form, from, wanted[0]);
  return cost + route_tree(c->routes, v->form, from, wanted, n, NULL);
}

/* What is made outside of a loop is converted there, too. */
double choice_value_cost_from(const Choice *c, NodeId id, int from) {
  return value_cost(c, id, from) * c->moves[id];
}

double choice_value_cost(const Choice *c, NodeId id) {
  return choice_value_cost_from(c, id, c->value[id].free ? 0 : choice_result(c, id));
}

double choice_total(const Choice *c) {
  double total = 0;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (c->ways[i]) total += choice_work(c, i, c->way[i]);
    total += choice_value_cost(c, i);
  }
  return total;
}

/* -------- one op -------- */

void choice_want_operands(Choice *c, NodeId id, int way, int by) {
  const Ways *w = c->ways[id];
  for (int k = 0; k < w->noperands; k++) want(c, c->operand[id][k], w->way[way].need[k], by);
}

void choice_set(Choice *c, NodeId id, int way) {
  if (c->way[id] >= 0) choice_want_operands(c, id, c->way[id], -1);
  c->way[id] = way;
  choice_want_operands(c, id, way, 1);
}

void choice_unset(Choice *c, NodeId id) {
  if (c->way[id] >= 0) choice_want_operands(c, id, c->way[id], -1);
  c->way[id] = -1;
}

/* The layouts other than `from` that uses of a value require. */
static int others_wanted(const ChoiceValue *v, int from, int *out) {
  int n = 0;
  for (int i = 0; i < v->want.n && n < MAX_HOPS - 1; i++)
    if (v->want.at[i].count > 0 && v->want.at[i].layout != from) out[n++] = v->want.at[i].layout;
  return n;
}

static double price_of(const Choice *c, const ChoiceValue *v, int from, int *wanted, int n,
                       int layout, double without) {
  if (layout == from) return 0;
  for (int i = 0; i < n; i++)
    if (wanted[i] == layout) return 0;
  wanted[n] = layout;
  return n ? route_tree(c->routes, v->form, from, wanted, n + 1, NULL) - without
           : route(c->routes, v->form, from, layout);
}

/* What each layout that op id can require of an operand would cost, while all other ops stay. Two
 * operands that are the same value are priced apart. */
void choice_price_operands(Choice *c, NodeId id) {
  const Ways *w = c->ways[id];
  double *price = c->price;
  for (int k = 0; k < w->noperands; price += w->need[k++].n) {
    NodeId x = c->operand[id][k];
    const ChoiceValue *v = &c->value[x];
    const Distinct *d = &w->need[k];
    int wanted[MAX_HOPS], n = 0, from = 0;
    double without = 0;
    bool chosen = choice_is_made(c, x);
    if (chosen) {
      from = choice_source(c, x, choice_result(c, x));
      n = others_wanted(v, from, wanted);
      if (n) without = route_tree(c->routes, v->form, from, wanted, n, NULL);
    }
    for (int t = 0; t < d->n; t++)
      price[t] = chosen ? price_of(c, v, from, wanted, n, d->layout[t], without) * c->moves[x]
                 : v->free && form_at(c->routes, v->form, d->layout[t])->partial ? INFINITY
                                                                                 : 0;
  }
}

static double operands_price(const Choice *c, NodeId id, int way) {
  const double *price = c->price;
  const Ways *w = c->ways[id];
  double sum = choice_work(c, id, way);
  for (int k = 0; k < w->noperands; k++) {
    sum += price[w->need[k].of[way]];
    price += w->need[k].n;
  }
  return sum;
}

/* The way whose operands and whose result, by result[distinct layout], cost least. */
int choice_best_way(const Choice *c, NodeId id, const double *result) {
  const Ways *w = c->ways[id];
  double least = INFINITY;
  int best = -1;
  for (int i = 0; i < w->n; i++) {
    double cost =
        result[w->result.of[i]] + (w->way[i].result != c->value[id].prefer ? CHOICE_TIE : 0);
    if (cost >= least) continue;
    cost += operands_price(c, id, i);
    if (cost < least) least = cost, best = i;
  }
  return best;
}

void choice_clear(Choice *c) {
  for (NodeId i = 0; i < c->graph->nodes.n; i++) choice_unset(c, i);
}

/* -------- setting up -------- */

bool choice_is_fixed(const ChoiceValue *v) { return v->lies >= 0; }

bool choice_is_open(const Choice *c, NodeId id) {
  return c->operand[id] != graph_node(c->graph, id)->operand;
}

void choice_begin(Choice *c, Plan *p, const Graph *g, Routes *routes) {
  int n = g->nodes.n;
  *c = (Choice){.plan = p, .routes = routes, .figures = routes, .arena = p->arena, .graph = g};
  c->value = arena_array(c->arena, ChoiceValue, n + 1);
  c->ways = arena_array(c->arena, const Ways *, n + 1);
  c->operand = arena_array(c->arena, const NodeId *, n + 1);
  c->way = arena_array(c->arena, int, n + 1);
  c->runs = arena_array(c->arena, double, n + 1);
  c->moves = arena_array(c->arena, double, n + 1);
  for (NodeId i = 0; i < n; i++) c->runs[i] = c->moves[i] = 1;
  c->dirty = arena_array(c->arena, bool, n + 1);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(g, i);
    ChoiceValue *v = &c->value[i];
    int form = form_of(routes, &x->shape, x->dtype);
    *v = (ChoiceValue){.form = form, .free = node_is_free(x), .lies = -1, .said = -1};
    v->prefer = form_layout(routes, form, x->layout);
    c->operand[i] = x->operand;
    c->way[i] = -1;
    if (v->free) continue;
    if (!x->noperands) v->lies = v->prefer;
  }
}

void choice_guard(Choice *c, const Guard *guard) {
  for (NodeId i = 0; guard && i < c->graph->nodes.n; i++) {
    const Node *x = graph_node(c->graph, i);
    ChoiceValue *v = &c->value[i];
    if (guard[i] == GUARD_NONE || v->free) continue;
    v->form = form_guarded(c->routes, &x->shape, x->dtype, guard[i]);
    v->prefer = form_layout(c->routes, v->form, x->layout);
    if (v->lies >= 0) v->lies = v->prefer;
  }
}

bool choice_is_said(const Node *n) { return n->spec && n->noperands && !op_is(n, OPF_LAYOUT); }

void choice_add_end(Choice *c, NodeId id, const Layout *l) {
  ChoiceValue *v = &c->value[id];
  int to = form_layout(c->routes, v->form, l);
  want(c, id, to, 1);
  for (int k = 0; k < v->at_the_end.n; k++)
    if (v->at_the_end.at[k] == to) return;
  vec_push(c->arena, &v->at_the_end, to);
}

void choice_add_regions(Choice *c, const Entry *e, const NodeId *map) {
  for (int r = 0; r < e->regions.n; r++) {
    const Region *x = &e->regions.at[r];
    if (x->condition == NO_NODE) continue;
    choice_add_end(c, map ? map[x->condition] : x->condition,
                   layout_whole(c->plan->program->layouts, 0));
    for (int i = 0; i < x->carries.n; i++) {
      const NodeId node = x->carries.at[i].node, next = x->carries.at[i].next;
      if (choice_is_open(c, map ? map[node] : node)) continue;
      choice_add_end(c, map ? map[next] : next, graph_node(e->graph, node)->layout);
    }
  }
}

/* By node: a variable, or what its elements become one by one, as when they are cast. */
static bool *find_stored(Arena *a, const Graph *g) {
  bool *stored = arena_array(a, bool, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    stored[i] = n->op == OP_var ||
                (n->noperands == 1 && op_is(n, OPF_ELEMENTWISE) && stored[n->operand[0]]);
  }
  return stored;
}

/* What parts of stored values that are read in loops make of their conversions. */
static void weigh_parts(const Graph *g, const bool *stored, const double *runs, double *moves) {
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands; k++) {
      const NodeId x = n->operand[k];
      const bool part =
          op_picks(n->op, k) && shape_count(&n->shape) < shape_count(&graph_node(g, x)->shape);
      if (part && stored[x] && moves[x] < runs[i]) moves[x] = runs[i];
    }
  }
  for (NodeId i = g->nodes.n - 1; i >= 0; i--) { /* and of what these are casts of */
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands && stored[i]; k++)
      if (moves[n->operand[k]] < moves[i]) moves[n->operand[k]] = moves[i];
  }
}

void choice_weigh(Choice *c, const Entry *e, const NodeId *map) {
  if (!e->regions.n) return;
  const int n = e->graph->nodes.n;
  const double *runs = regions_runs(c->arena, e, e->graph);
  double *moves = arena_copy(c->arena, runs, sizeof *moves * (size_t)(n + 1));
  weigh_parts(e->graph, find_stored(c->arena, e->graph), runs, moves);
  for (NodeId i = 0; i < n; i++) {
    const NodeId to = map ? map[i] : i;
    c->runs[to] = runs[i];
    c->moves[to] = fmax(c->moves[to], moves[i]); /* of variables: in any entry */
  }
}

void choice_ready(Choice *c) {
  int needs = 1, results = 1;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const Ways *w = c->ways[i];
    int sum = 0;
    if (!w) continue;
    for (int k = 0; k < w->noperands; k++) {
      vec_push(c->arena, &c->value[c->operand[i][k]].readers, i);
      sum += w->need[k].n;
    }
    if (sum > needs) needs = sum;
    if (w->result.n > results) results = w->result.n;
  }
  c->price = arena_array(c->arena, double, needs);
  c->result_price = arena_array(c->arena, double, results);
}

void choice_list_ways(Choice *c, WaysCache *cache) {
  int n = c->graph->nodes.n;
  int *form = arena_array(c->arena, int, n + 1);
  bool *partial = arena_array(c->arena, bool, n + 1);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(c->graph, i);
    form[i] = c->value[i].form;
    if (!x->noperands) continue;
    ChoiceValue *v = &c->value[i];
    if (choice_is_said(x)) {
      choice_add_end(c, i, x->layout);
      if (c->routes->forms.at[form[i]].guard != GUARD_NONE)
        v->said = form_layout(c->routes, form[i], x->layout);
    }
    c->ways[i] = ways_of(cache, c->graph, i, form, partial);
    partial[i] = v->said >= 0 ? x->layout->partial != 0 : c->ways[i]->partial;
  }
}
