/* Moves of several ops at once, where no single one gains: all uses of one value require the same
 * layout, and share the conversion.
 *
 *   g [batch] -> m = g * a [batch] -> gathered, g * g [batch] -> gathered
 *   ->  g gathered once, and both products from that */
#include "choose.h"
#include <math.h>
#include <string.h>

enum { MOST_READERS = 8, MOST_VALUES = 64, MOST_TRIES = 12 };

typedef struct OpGroup {
  Choice *c;
  NodeId value;
  int n, way[MOST_READERS]; /* as it was */
  NodeId reader[MOST_READERS];
  int nvalues; /* all that the readers read or make */
  NodeId around[MOST_VALUES];
} OpGroup;

static bool add_around(OpGroup *g, NodeId id) {
  for (int i = 0; i < g->nvalues; i++)
    if (g->around[i] == id) return true;
  if (g->nvalues == MOST_VALUES) return false;
  g->around[g->nvalues++] = id;
  return true;
}

/* False: too many, or none that could share. */
static bool gather_group(OpGroup *g) {
  const Choice *c = g->c;
  const ChoiceValue *v = &c->value[g->value];
  if (v->free || v->readers.n < 2) return false;
  if (!add_around(g, g->value)) return false;
  for (int i = 0; i < v->readers.n; i++) {
    NodeId r = v->readers.at[i];
    bool known = false;
    for (int k = 0; k < g->n; k++) known = known || g->reader[k] == r;
    if (known) continue;
    if (g->n == MOST_READERS) return false;
    g->way[g->n] = c->way[r];
    g->reader[g->n++] = r;
    if (!add_around(g, r)) return false;
    for (int k = 0; k < c->ways[r]->noperands; k++)
      if (!add_around(g, c->operand[r][k])) return false;
  }
  return g->n > 1;
}

static double group_cost(const OpGroup *g, bool work) {
  double sum = 0;
  for (int i = 0; i < g->nvalues; i++) sum += choice_value_cost(g->c, g->around[i]);
  for (int i = 0; i < g->n && work; i++)
    sum += choice_work(g->c, g->reader[i], g->c->way[g->reader[i]]);
  return sum;
}

/* Sets the reader to its best way that requires the value in that layout. */
static bool set_reader(Choice *c, NodeId id, NodeId value, int layout) {
  const Ways *w = c->ways[id];
  bool any = false;
  choice_unset(c, id);
  choice_price_operands(c, id);
  double *price = c->price;
  for (int k = 0; k < w->noperands; price += w->need[k++].n)
    for (int t = 0; t < w->need[k].n && c->operand[id][k] == value; t++) {
      any = any || w->need[k].layout[t] == layout;
      if (w->need[k].layout[t] != layout) price[t] = INFINITY;
    }
  for (int r = 0; r < w->result.n; r++)
    c->result_price[r] = choice_value_cost_from(c, id, w->result.layout[r]);
  int best = any ? choice_best_way(c, id, c->result_price) : -1;
  if (best >= 0) choice_set(c, id, best);
  return best >= 0;
}

static bool try_layout(OpGroup *g, int layout, double before) {
  int done = 0;
  bool possible = true;
  for (; done < g->n && possible; done++)
    possible = set_reader(g->c, g->reader[done], g->value, layout);
  if (possible && group_cost(g, true) < before - CHOICE_TIE) return true;
  for (int i = 0; i < done; i++) choice_set(g->c, g->reader[i], g->way[i]);
  return false;
}

/* Layouts to try: those that give a reader's result in a layout that its uses require. */
static int candidates(const OpGroup *g, int *out) {
  const Choice *c = g->c;
  int n = 0;
  for (int i = 0; i < g->n; i++) {
    const Ways *w = c->ways[g->reader[i]];
    int wanted[MOST_VALUES], nwanted = choice_wanted(c, g->reader[i], wanted, MOST_VALUES);
    for (int s = 0; s < w->n; s++) {
      bool is = false, known = false;
      for (int k = 0; k < nwanted; k++) is = is || w->way[s].result == wanted[k];
      for (int k = 0; is && k < w->noperands; k++) {
        if (c->operand[g->reader[i]][k] != g->value) continue;
        for (int j = 0; j < n; j++) known = known || out[j] == w->way[s].need[k];
        if (!known && n < MOST_TRIES) out[n++] = w->way[s].need[k];
        break;
      }
    }
  }
  return n;
}

bool improve_together(Choice *c) {
  bool changed = false;
  for (NodeId id = 0; id < c->graph->nodes.n; id++) {
    OpGroup g = {.c = c, .value = id};
    int layout[MOST_TRIES];
    if (!gather_group(&g) || !(group_cost(&g, false) > CHOICE_TIE)) continue;
    double before = group_cost(&g, true);
    int n = candidates(&g, layout);
    bool better = false;
    for (int i = 0; i < n && !better; i++) better = try_layout(&g, layout[i], before);
    changed = changed || better;
  }
  return changed;
}
