/* Chooses how each op of an entry is computed, for the least modelled time of the whole.
 *
 *   total = sum over ops of the work of their way
 *         + sum over values of the conversions from the layout they are computed in to all layouts
 *           they are wanted in (route_tree)
 *
 * Begun greedily: each op in turn takes the way that is cheapest given what is there already. Then
 * messages along the graph tell each op what a layout of its operand or result would cost further
 * off, and ops are set again by them (min_sum.c). Then single ops move while that helps, and
 * readers of one value together (together.c). With what comes out layouts are compared. For the
 * plan itself small graphs are searched whole (exact.c), others probed (probe.c), and the best few
 * compared by what the plan costs (weigh.c). The best
 * of all is kept, so no plan is dearer than the greedy one.
 *
 * In ties an op stays with the layout that propagate found. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 4, ROUNDS = 12, TOGETHER = 3 };

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

/* Conversions of value id when it is computed in layout `from`. */
double choice_value_cost_from(const Choice *c, NodeId id, int from) {
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

double choice_value_cost(const Choice *c, NodeId id) {
  return choice_value_cost_from(c, id, c->value[id].free ? 0 : choice_result(c, id));
}

double choice_total(const Choice *c) {
  double total = 0;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (c->ways[i]) total += c->ways[i]->way[c->way[i]].work;
    total += choice_value_cost(c, i);
  }
  return total;
}

/* -------- one op -------- */

static void want_operands(Choice *c, NodeId id, int way, int by) {
  const Ways *w = c->ways[id];
  for (int k = 0; k < w->noperands; k++) want(c, c->operand[id][k], w->way[way].need[k], by);
}

void choice_set(Choice *c, NodeId id, int way) {
  if (c->way[id] >= 0) want_operands(c, id, c->way[id], -1);
  c->way[id] = way;
  want_operands(c, id, way, 1);
}

void choice_unset(Choice *c, NodeId id) {
  if (c->way[id] >= 0) want_operands(c, id, c->way[id], -1);
  c->way[id] = -1;
}

static bool seen_before(const Choice *c, NodeId id, int k) {
  for (int j = 0; j < k; j++)
    if (c->operand[id][j] == c->operand[id][k]) return true;
  return false;
}

/* What is known of where a value is computed: 0 stands for anywhere. */
static bool is_chosen(const Choice *c, NodeId id) {
  return !c->value[id].free && (c->value[id].lies >= 0 || c->way[id] >= 0);
}

/* The layouts but `from` that a value is wanted in. */
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

/* What each layout would cost that op id can want an operand in, while all other ops stay. Two
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
    bool chosen = is_chosen(c, x);
    if (chosen) {
      from = choice_source(c, x, choice_result(c, x));
      n = others_wanted(v, from, wanted);
      if (n) without = route_tree(c->routes, v->form, from, wanted, n, NULL);
    }
    for (int t = 0; t < d->n; t++)
      price[t] = chosen ? price_of(c, v, from, wanted, n, d->layout[t], without)
                 : v->free && form_at(c->routes, v->form, d->layout[t])->partial ? INFINITY
                                                                                 : 0;
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
int choice_best_way(const Choice *c, NodeId id, const double *result) {
  const Ways *w = c->ways[id];
  double least = INFINITY;
  int best = -1;
  for (int i = 0; i < w->n; i++) {
    double cost =
        result[w->result.of[i]] + (w->way[i].result != c->value[id].prefer ? CHOICE_TIE : 0);
    if (cost >= least) continue;
    cost += operands_price(c, w, i);
    if (cost < least) least = cost, best = i;
  }
  return best;
}

/* All that the way of op id bears on: its work, its operands' conversions and its result's. */
static double cost_around(const Choice *c, NodeId id) {
  const Way *w = &c->ways[id]->way[c->way[id]];
  double cost = w->work + choice_value_cost_from(c, id, w->result);
  if (w->result != c->value[id].prefer) cost += CHOICE_TIE;
  for (int k = 0; k < c->ways[id]->noperands; k++) {
    NodeId x = c->operand[id][k];
    if (!seen_before(c, id, k))
      cost += choice_value_cost_from(c, x, is_chosen(c, x) ? choice_result(c, x) : 0);
  }
  return cost;
}

/* Operands that are the same value share their conversions: then each way is tried. */
static bool improve_twice(Choice *c, NodeId id, double before) {
  int best = c->way[id], now = best;
  double least = before - CHOICE_TIE / 2;
  for (int i = 0; i < c->ways[id]->n; i++) {
    choice_set(c, id, i);
    double cost = cost_around(c, id);
    if (cost < least) least = cost, best = i;
  }
  choice_set(c, id, best);
  return best != now;
}

/* Sets the op to the way that is best where all others stay. True when that is another. */
static bool improve(Choice *c, NodeId id) {
  const Ways *w = c->ways[id];
  int now = c->way[id];
  double before = cost_around(c, id), *result = c->result_price;
  if (before <= w->least + 2 * CHOICE_TIE)
    return false; /* nothing is converted and no work is saved */
  for (int k = 1; k < w->noperands; k++)
    if (seen_before(c, id, k)) return improve_twice(c, id, before);
  want_operands(c, id, now, -1);
  choice_price_operands(c, id);
  for (int i = 0; i < w->result.n; i++)
    result[i] = choice_value_cost_from(c, id, w->result.layout[i]);
  int best = choice_best_way(c, id, result);
  want_operands(c, id, now, 1);
  if (best < 0 || best == now) return false;
  choice_set(c, id, best);
  if (cost_around(c, id) < before - CHOICE_TIE / 2) return true;
  choice_set(c, id, now);
  return false;
}

void choice_clear(Choice *c) {
  for (NodeId i = 0; i < c->graph->nodes.n; i++) choice_unset(c, i);
}

/* -------- greedy -------- */

/* Some reader of the value cannot carry terms on. */
static void find_settlers(Choice *c, bool *must_settle) {
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    for (int k = 0; c->ways[i] && k < c->ways[i]->noperands; k++) {
      const Distinct *d = &c->ways[i]->need[k];
      NodeId x = c->operand[i][k];
      bool carries = false;
      for (int j = 0; j < d->n; j++)
        carries = carries || form_at(c->routes, c->value[x].form, d->layout[j])->partial;
      if (!carries) must_settle[x] = true;
    }
    const ChoiceValue *v = &c->value[i];
    for (int k = 0; k < v->at_the_end.n; k++)
      if (!form_at(c->routes, v->form, v->at_the_end.at[k])->partial) must_settle[i] = true;
  }
}

/* A value that must be settled anyhow is settled before its first reader. */
static void forbid_partial(Choice *c, NodeId id, const bool *must_settle) {
  double *price = c->price;
  for (int k = 0; k < c->ways[id]->noperands; k++) {
    const Distinct *d = &c->ways[id]->need[k];
    NodeId x = c->operand[id][k];
    for (int t = 0; t < d->n && must_settle[x]; t++)
      if (form_at(c->routes, c->value[x].form, d->layout[t])->partial) price[t] += 1e10;
    price += d->n;
  }
}

/* Each op in turn, by what is there already and by the layout that propagate found for its result.
 */
static void choose_greedily(Choice *c) {
  bool *must_settle = arena_array(c->arena, bool, c->graph->nodes.n + 1);
  find_settlers(c, must_settle);
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    double *result = c->result_price;
    for (int r = 0; r < w->result.n; r++)
      result[r] =
          fmin(route(c->routes, c->value[i].form, w->result.layout[r], c->value[i].prefer), 1e20);
    choice_price_operands(c, i);
    forbid_partial(c, i, must_settle);
    int best = choice_best_way(c, i, result);
    choice_set(c, i, best < 0 ? 0 : best);
  }
}

/* -------- all together -------- */

/* An op is looked at again when one beside it has changed. */
static void touch(Choice *c, NodeId id, bool *dirty) {
  for (int k = 0; k < c->ways[id]->noperands; k++) {
    NodeId x = c->operand[id][k];
    const ChoiceValue *v = &c->value[x];
    dirty[x] = true;
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
  choice_note(c);
  if (!(total < c->total - CHOICE_TIE)) return;
  c->total = total;
  memcpy(best, c->way, sizeof *best * (size_t)c->graph->nodes.n);
}

static void set_all(Choice *c, const int *way) {
  choice_clear(c);
  for (NodeId i = 0; i < c->graph->nodes.n; i++)
    if (c->ways[i]) choice_set(c, i, way[i]);
}

/* Made once an entry. */
static MinSum *messages(Choice *c, bool shared) {
  if (c->messages)
    min_sum_reset(c->messages, shared);
  else
    c->messages = min_sum_new(c, shared, false);
  return c->messages;
}

static void send_messages(Choice *c, int *best, bool shared) {
  MinSum *m = messages(c, shared);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double before = c->total;
    min_sum_sweep(m);
    min_sum_decode(m);
    keep_best(c, best);
    improve_all(c);
    keep_best(c, best);
    if (sweep > 0 && !(c->total < before)) break;
  }
}

/* Notes the choices that are good where messages are shared. */
static void search_brief(Choice *c) {
  int *other = arena_array(c->arena, int, c->graph->nodes.n + 1);
  double total = c->total;
  c->routes = choice_brief_routes(c);
  c->total = INFINITY;
  choose_greedily(c);
  improve_all(c);
  keep_best(c, other);
  send_messages(c, other, false);
  send_messages(c, other, true);
  c->routes = c->figures;
  c->total = total;
}

void choice_probe(Choice *c) {
  int *best = arena_copy(c->arena, c->way, sizeof *c->way * (size_t)c->graph->nodes.n);
  int *exact = arena_array(c->arena, int, c->graph->nodes.n + 1);
  if (choose_exactly(c, c->total - CHOICE_TIE, exact)) {
    set_all(c, exact);
    keep_best(c, best);
  }
  int room = 4 * c->graph->nodes.n;
  ChoiceProbe *p = arena_array(c->arena, ChoiceProbe, room + 1);
  MinSum *m = messages(c, false);
  for (int i = 0; i < SWEEPS; i++) min_sum_sweep(m);
  set_all(c, best);
  int n = probes(c, m, p, room);
  c->notes = true;
  choice_note(c);
  choice_clear(c);
  choose_greedily(c); /* so that no plan is dearer by the figures either */
  choice_note(c);
  for (int i = 0; i < n; i++) {
    min_sum_hold(m, p[i].op, p[i].result);
    min_sum_sweep(m);
    min_sum_decode(m);
    min_sum_hold(m, NO_NODE, 0);
    keep_best(c, best);
    improve_all(c);
    keep_best(c, best);
  }
  if (n) search_brief(c);
  set_all(c, best);
  c->least = c->total;
}

void choice_take(Choice *c, const Noted *x) {
  set_all(c, x->way);
  c->total = choice_total(c);
}

void choice_search(Choice *c) {
  int n = c->graph->nodes.n;
  int *best = arena_array(c->arena, int, n + 1);
  c->total = INFINITY;
  choose_greedily(c);
  memcpy(best, c->way, sizeof *best * (size_t)n);
  keep_best(c, best);
  c->greedy = c->total;
  improve_all(c);
  keep_best(c, best);
  send_messages(c, best, false);
  send_messages(c, best, true);
  set_all(c, best);
  for (int i = 0; i < TOGETHER && improve_together(c); i++) improve_all(c);
  keep_best(c, best);
  c->least = c->total;
  set_all(c, best);
}

/* -------- setting up -------- */

bool choice_is_fixed(const ChoiceValue *v) { return v->lies >= 0; }

void choice_begin(Choice *c, Plan *p, const Graph *g, Routes *routes) {
  int n = g->nodes.n;
  *c = (Choice){.plan = p, .routes = routes, .figures = routes, .arena = p->arena, .graph = g};
  c->value = arena_array(c->arena, ChoiceValue, n + 1);
  c->ways = arena_array(c->arena, const Ways *, n + 1);
  c->operand = arena_array(c->arena, const NodeId *, n + 1);
  c->way = arena_array(c->arena, int, n + 1);
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

bool choice_is_said(const Node *n) {
  return n->spec && n->noperands && n->op != OP_relayout && n->op != OP_relayout_like;
}

void choice_add_end(Choice *c, NodeId id, const Layout *l) {
  ChoiceValue *v = &c->value[id];
  int to = form_layout(c->routes, v->form, l);
  want(c, id, to, 1);
  for (int k = 0; k < v->at_the_end.n; k++)
    if (v->at_the_end.at[k] == to) return;
  vec_push(c->arena, &v->at_the_end, to);
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

Choice *choose_entry(Plan *p, int entry, Routes *routes, WaysCache *cache) {
  const Entry *e = &p->program->entries.at[entry];
  Choice *c = arena_new_of(p->arena, Choice);
  choice_begin(c, p, e->graph, routes);
  choice_guard(c, forbid_guards(p->program, e));
  choice_list_ways(c, cache);
  for (int i = 0; i < e->assigns.n; i++)
    choice_add_end(c, e->assigns.at[i].node, p->program->vars.at[e->assigns.at[i].var].layout);
  for (int i = 0; i < e->outputs.n; i++)
    if (!p->outputs_anywhere || e->outputs.at[i].spec)
      choice_add_end(c, e->outputs.at[i].node, e->outputs.at[i].layout);
  choice_ready(c);
  choice_search(c);
  return c;
}

/* First values are made where they lie, whatever that computes twice: init runs once. */
void choose(Plan *p) {
  const int n = p->program->entries.n;
  Choice **chosen = arena_array(p->arena, Choice *, n + 1);
  Routes *routes = arena_array(p->arena, Routes, 2);
  for (int i = 0; i < 2; i++) routes[i] = (Routes){.program = p->program, .arena = p->arena};
  WaysCache *once = ways_cache(&routes[0], false), *ways = ways_cache(&routes[1], true);
  for (int e = 0; e < n; e++) {
    chosen[e] = p->chosen ? p->chosen[e] : NULL; /* by a pass that tried these layouts */
    if (!chosen[e]) chosen[e] = choose_entry(p, e, &routes[e > 0], e > 0 ? ways : once);
  }
  p->chosen = chosen;
}
