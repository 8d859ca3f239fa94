/* The ways in which an op could have been computed, as `choose` compared them: what the whole entry
 * would cost if this op alone took another. */
#include "choose.h"
#include "why.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 8, MAX_OPERANDS_TRIED = 8 };
static const double TIE = 1e-12; /* seconds: as in choose.c */

typedef struct Ranked {
  int way;
  double total;
} Ranked;

static int by_total(const void *a, const void *b) {
  const Ranked *x = a, *y = b;
  if (x->total != y->total) return x->total < y->total ? -1 : 1;
  return x->way - y->way;
}

/* A choice of its own to change: the requirements on the node's operands are copied too. */
static Choice copy_around(const Plan *p, const Choice *from, NodeId id) {
  Choice c = *from;
  size_t n = (size_t)c.graph->nodes.n;
  const Node *x = graph_node(c.graph, id);
  c.way = arena_copy(p->arena, c.way, n * sizeof *c.way);
  c.value = arena_copy(p->arena, c.value, n * sizeof *c.value);
  for (int k = 0; k < x->noperands; k++) {
    ChoiceValue *v = &c.value[x->operand[k]];
    if (v->want.n)
      v->want.at = arena_copy(p->arena, v->want.at, sizeof *v->want.at * (size_t)v->want.n);
    v->want.cap = v->want.n;
  }
  return c;
}

static void want_one(const Plan *p, ChoiceValue *v, int layout, int by) {
  for (int i = 0; i < v->want.n; i++)
    if (v->want.at[i].layout == layout) {
      v->want.at[i].count += by;
      return;
    }
  vec_push(p->arena, &v->want, ((Want){layout, by}));
}

static double total_with(const Plan *p, Choice *c, NodeId id, int way) {
  const Node *n = graph_node(c->graph, id);
  for (int k = 0; k < n->noperands; k++) {
    ChoiceValue *v = &c->value[n->operand[k]];
    want_one(p, v, c->ways[id]->way[c->way[id]].need[k], -1);
    want_one(p, v, c->ways[id]->way[way].need[k], 1);
  }
  c->way[id] = way;
  return choice_total(c);
}

static void put_way(const Plan *p, const Choice *c, NodeId id, int way, Str *out) {
  const Node *n = graph_node(c->graph, id);
  const Way *w = &c->ways[id]->way[way];
  str_printf(out, "%s", report_layout(p, form_at(c->routes, c->value[id].form, w->result)));
  for (int k = 0; k < n->noperands; k++)
    str_printf(out, "%s %s", k ? "," : " of",
               report_layout(p, form_at(c->routes, c->value[n->operand[k]].form, w->need[k])));
  str_printf(out, ", work %s", report_time(p, choice_work(c, id, way)));
}

void why_alternatives(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const Choice *chosen = le->choice;
  if (!chosen || !chosen->ways[id] || chosen->ways[id]->n < 2) return;
  int n = chosen->ways[id]->n, now = chosen->way[id];
  double base = choice_total(chosen);
  Choice c = copy_around(p, chosen, id);
  Ranked *r = arena_array(p->arena, Ranked, n);
  for (int w = 0; w < n; w++) r[w] = (Ranked){w, w == now ? -1 : total_with(p, &c, id, w)};
  qsort(r, (size_t)n, sizeof *r, by_total); /* what was chosen comes first */
  str_printf(
      out,
      "  could be computed in %d ways; modelled change of the entry with each of them, all else"
      " equal (sum over ops and conversions):\n",
      n);
  int shown = 0, impossible = 0, forbidden = 0;
  for (int i = 0; i < n; i++) {
    if (r[i].total == INFINITY || r[i].total > base + CHOICE_FORBIDDEN / 2) {
      forbidden += r[i].total < 1e20;
      impossible++;
      continue;
    }
    if (shown == MOST_WAYS) continue;
    shown++;
    bool tie = fabs(r[i].total - base) < TIE;
    if (r[i].way == now)
      str_printf(out, "    %-12s ", "chosen");
    else if (tie)
      str_printf(out, "    %-12s ", "the same");
    else
      str_printf(out, "    %s%-11s ", r[i].total < base ? "-" : "+",
                 report_time(p, fabs(r[i].total - base)));
    put_way(p, chosen, id, r[i].way, out);
    str_puts(out, "\n");
  }
  if (n - impossible > shown)
    str_printf(out, "    and %d more expensive ones\n", n - impossible - shown);
  if (forbidden)
    str_printf(out, "    and %d that gather what `forbid gather` protects\n", forbidden);
}

/* -------- one op's saving -------- */

Choice *why_trial(const Plan *p, const Choice *from) {
  Choice *c = arena_copy(p->arena, from, sizeof *from);
  size_t n = (size_t)c->graph->nodes.n;
  c->way = arena_copy(p->arena, c->way, n * sizeof *c->way);
  c->value = arena_copy(p->arena, c->value, n * sizeof *c->value);
  for (size_t i = 0; i < n; i++) {
    ChoiceValue *v = &c->value[i];
    size_t had = (size_t)v->want.n;
    Want *room = arena_array(p->arena, Want, had + MAX_OPERANDS_TRIED);
    if (had) memcpy(room, v->want.at, had * sizeof *room);
    v->want.at = room;
    v->want.cap = (int)(had + MAX_OPERANDS_TRIED);
  }
  return c;
}

/* The part of the entry's cost that this op's way decides. */
static double around(const Choice *c, NodeId id) {
  double sum = choice_work(c, id, c->way[id]) + choice_value_cost(c, id);
  for (int k = 0; k < c->ways[id]->noperands; k++) {
    bool again = false;
    for (int i = 0; i < k; i++) again = again || c->operand[id][i] == c->operand[id][k];
    if (!again) sum += choice_value_cost(c, c->operand[id][k]);
  }
  return sum;
}

static void take_way(const Plan *p, Choice *c, NodeId id, int way) {
  const Ways *w = c->ways[id];
  for (int k = 0; k < w->noperands; k++) {
    ChoiceValue *v = &c->value[c->operand[id][k]];
    want_one(p, v, w->way[c->way[id]].need[k], -1);
    want_one(p, v, w->way[way].need[k], 1);
  }
  c->way[id] = way;
}

double why_saving(const Plan *p, Choice *trial, NodeId id, const Layout *instead) {
  const Ways *w = trial->ways[id];
  const Shape *shape = &graph_node(trial->graph, id)->shape;
  int now = trial->way[id];
  double base = around(trial, id), least = INFINITY;
  for (int i = 0; i < w->n; i++) {
    const Layout *made = form_at(trial->routes, trial->value[id].form, w->way[i].result);
    if (layout_without_partial(p->program->layouts, made, shape) != instead) continue;
    take_way(p, trial, id, i);
    least = fmin(least, around(trial, id));
    take_way(p, trial, id, now);
    /* Uses that the trial added are at the end, with a count of 0. */
    for (int k = 0; k < w->noperands; k++) {
      ChoiceValue *v = &trial->value[trial->operand[id][k]];
      while (v->want.n && !v->want.at[v->want.n - 1].count) v->want.n--;
    }
  }
  bool possible = least < INFINITY && least - base < CHOICE_FORBIDDEN / 2 && trial->total > 0;
  return possible ? (least - base) / trial->total : -1;
}
