/* Chooses how each op of an entry is computed, for the least modelled time of the whole.
 *
 *   total = sum over ops of the work of their way
 *         + sum over values of the conversions from the layout they are computed in to all layouts
 *           that their uses require (route_tree)
 *   each times the runs in a call of the loop that makes the value: what comes from outside of it is
 *   converted there, once
 *
 * Begun greedily: each op in turn takes the way that is cheapest given the layouts that exist
 * already. Then messages along the graph carry to each op what a layout of its operand or result
 * would cost further off, and ops are set again by them (min_sum.c). Then single ops move while
 * that helps, and readers of one value together (together.c). With what comes out layouts are
 * compared. For the plan itself small graphs are searched whole (exact.c), others probed (probe.c),
 * and the best few compared by what the plan costs (weigh.c). The best of all is kept, so no plan
 * is dearer than the greedy one.
 *
 * In ties an op keeps the layout that propagate found. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 4, ROUNDS = 12, TOGETHER = 3 };

static bool seen_before(const Choice *c, NodeId id, int k) {
  for (int j = 0; j < k; j++)
    if (c->operand[id][j] == c->operand[id][k]) return true;
  return false;
}

/* All that the way of op id bears on: its work, its operands' conversions and its result's. */
static double cost_around(const Choice *c, NodeId id) {
  const Way *w = &c->ways[id]->way[c->way[id]];
  double cost = choice_work(c, id, c->way[id]) + choice_value_cost_from(c, id, w->result);
  if (w->result != c->value[id].prefer) cost += CHOICE_TIE;
  for (int k = 0; k < c->ways[id]->noperands; k++) {
    NodeId x = c->operand[id][k];
    if (!seen_before(c, id, k))
      cost += choice_value_cost_from(c, x, choice_is_made(c, x) ? choice_result(c, x) : 0);
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

enum { LEFT_AS_IT_IS, LOOKED_AT }; /* found by `improve`, which changed nothing */

/* Sets the op to the way that is best where all others stay. True when that is another. */
static bool improve(Choice *c, NodeId id) {
  const Ways *w = c->ways[id];
  int now = c->way[id], found;
  if (choice_seen(c, LOOK_IMPROVE, id, NULL, 0, &found)) {
    if (found == LOOKED_AT) { /* which leaves what is wanted in another order */
      choice_want_operands(c, id, now, -1);
      choice_want_operands(c, id, now, 1);
    }
    return false;
  }
  double before = cost_around(c, id), *result = c->result_price;
  if (before <= w->least * c->runs[id] + 2 * CHOICE_TIE) {
    choice_see(c, LOOK_IMPROVE, id, LEFT_AS_IT_IS);
    return false; /* nothing is converted and no work is saved */
  }
  for (int k = 1; k < w->noperands; k++)
    if (seen_before(c, id, k)) return improve_twice(c, id, before);
  choice_want_operands(c, id, now, -1);
  choice_price_operands(c, id);
  for (int i = 0; i < w->result.n; i++)
    result[i] = choice_value_cost_from(c, id, w->result.layout[i]);
  int best = choice_best_way(c, id, result);
  choice_want_operands(c, id, now, 1);
  if (best < 0 || best == now) {
    choice_see(c, LOOK_IMPROVE, id, LOOKED_AT);
    return false;
  }
  choice_set(c, id, best);
  if (cost_around(c, id) < before - CHOICE_TIE / 2) return true;
  choice_set(c, id, now);
  return false;
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

/* A partial value that must be reduced in any case is reduced before its first use. */
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

/* Another op of its class was set where all was alike. */
static bool greedy_seen(Choice *c, NodeId id, const bool *must_settle, int *best) {
  enum { FEW = 32 };
  const int n = c->ways[id]->noperands;
  int settles[FEW];
  if (n > FEW) return false;
  for (int k = 0; k < n; k++) settles[k] = must_settle[c->operand[id][k]];
  return choice_seen(c, LOOK_GREEDY, id, settles, n, best);
}

/* Each op in turn, by the layouts that exist already and the layout that propagate found for its
 * result.
 */
static void choose_greedily(Choice *c) {
  bool *must_settle = arena_array(c->arena, bool, c->graph->nodes.n + 1);
  find_settlers(c, must_settle);
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    if (!c->ways[i]) continue;
    const Ways *w = c->ways[i];
    double *result = c->result_price;
    int best;
    if (greedy_seen(c, i, must_settle, &best)) {
      choice_set(c, i, best);
      continue;
    }
    for (int r = 0; r < w->result.n; r++)
      result[r] =
          fmin(route(c->routes, c->value[i].form, w->result.layout[r], c->value[i].prefer), 1e20) *
          c->moves[i];
    choice_price_operands(c, i);
    forbid_partial(c, i, must_settle);
    best = choice_best_way(c, i, result);
    if (best < 0) best = 0;
    choice_see(c, LOOK_GREEDY, i, best);
    choice_set(c, i, best);
  }
}

/* -------- all together -------- */

/* An op is revisited when a neighbor has changed. */
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
  if (!c->messages) c->messages = min_sum_new(c, false);
  min_sum_reset(c->messages, shared);
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

void choice_search(Choice *c, bool each) {
  int n = c->graph->nodes.n;
  int *best = arena_array(c->arena, int, n + 1);
  c->messages = min_sum_new(c, false);
  if (!each) choice_classes(c, min_sum_classes(c->messages));
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

Choice *choose_entry_by(Plan *p, int entry, WaysCache *cache, bool each) {
  const Entry *e = &p->program->entries.at[entry];
  Choice *c = arena_new_of(p->arena, Choice);
  choice_begin(c, p, e->graph, ways_routes(cache));
  choice_guard(c, forbid_guards(p->program, e));
  choice_list_ways(c, cache);
  if (p->alike) alike_ways(c, p->alike, entry);
  for (int i = 0; i < e->assigns.n; i++)
    choice_add_end(c, e->assigns.at[i].node, p->program->vars.at[e->assigns.at[i].var].layout);
  choice_add_regions(c, e, NULL);
  choice_weigh(c, e, NULL);
  for (int i = 0; i < e->outputs.n; i++)
    if (!p->outputs_anywhere || e->outputs.at[i].spec)
      choice_add_end(c, e->outputs.at[i].node, e->outputs.at[i].layout);
  choice_ready(c);
  choice_search(c, each);
  return c;
}

Choice *choose_entry(Plan *p, int entry, WaysCache *cache) {
  return choose_entry_by(p, entry, cache, false);
}

/* Initial values are computed where they are stored, even if twice: init runs once. */
void choose(Plan *p) {
  const int n = p->program->entries.n;
  Choice **chosen = arena_array(p->arena, Choice *, n + 1);
  WaysCache *once = ways_cache(p->program, p->arena, false),
            *ways = plan_ways(p);
  for (int e = 0; e < n; e++) {
    chosen[e] = p->chosen ? p->chosen[e] : NULL; /* by a pass that tried these layouts */
    if (!chosen[e]) chosen[e] = choose_entry(p, e, e > 0 ? ways : once);
  }
  p->chosen = chosen;
}
