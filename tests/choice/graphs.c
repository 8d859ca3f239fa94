/* Random graphs of a few ops under random layouts:
 *
 *   - no choice is dearer than the greedy one;
 *   - of a graph of at most 8 ops that can be computed in several ways the best of all combinations
 * is met (the plan may be made of another, which costs less by the figures: weigh.c); of larger
 * ones that can still be searched it is counted how often;
 *   - the local graph that was built has the cost that the choice predicts.
 *
 * Every third has loops, whose costs count as often as they run.
 *
 *   choice_graphs [first seed] [how many] */
#include "kit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- all combinations -------- */

enum { MOST_LEAVES = 3000000 };

typedef struct Brute {
  const Choice *c;
  NodeId op[64];
  int nops, way[1024]; /* by node */
  double best;
  long leaves;
} Brute;

static double value_cost(Brute *b, NodeId id) {
  const Choice *c = b->c;
  const ChoiceValue *v = &c->value[id];
  int wanted[MAX_HOPS], n = 0;
  if (v->free) return 0;
  int from = v->lies >= 0 ? v->lies : c->ways[id]->way[b->way[id]].result;
  double cost = 0;
  const int source = choice_source(c, id, from);
  if (source != from) cost = route(c->routes, v->form, from, source);
  from = source;
  for (int i = 0; i < v->at_the_end.n; i++) wanted[n++] = v->at_the_end.at[i];
  for (int i = 0; i < b->nops; i++) {
    const Ways *op = c->ways[b->op[i]];
    for (int k = 0; k < op->noperands; k++) {
      if (c->operand[b->op[i]][k] != id) continue;
      int l = c->ways[b->op[i]]->way[b->way[b->op[i]]].need[k];
      bool known = false;
      for (int j = 0; j < n; j++) known = known || wanted[j] == l;
      if (!known) wanted[n++] = l;
    }
  }
  return c->moves[id] *
         (cost + (n ? route_tree(c->routes, v->form, from, wanted, n, NULL) : 0));
}

static bool free_ones_whole(Brute *b) {
  for (int i = 0; i < b->nops; i++) {
    const Node *op = graph_node(b->c->graph, b->op[i]);
    for (int k = 0; k < op->noperands; k++) {
      const ChoiceValue *v = &b->c->value[op->operand[k]];
      if (v->free &&
          form_at(b->c->routes, v->form, b->c->ways[b->op[i]]->way[b->way[b->op[i]]].need[k])
              ->partial)
        return false;
    }
  }
  return true;
}

static void try_all(Brute *b, int at, double work) {
  if (b->leaves > MOST_LEAVES || work >= b->best) return;
  if (at == b->nops) {
    b->leaves++;
    if (!free_ones_whole(b)) return;
    for (NodeId i = 0; i < b->c->graph->nodes.n && work < b->best; i++) work += value_cost(b, i);
    if (work < b->best) b->best = work;
    return;
  }
  const Ways *w = b->c->ways[b->op[at]];
  for (int i = 0; i < w->n; i++) {
    b->way[b->op[at]] = i;
    try_all(b, at + 1, work + choice_work(b->c, b->op[at], i));
  }
}

/* -------- the graph that was built -------- */

static double built_cost(Kit *k, const LocalEntry *le) {
  const double *runs = regions_runs(k->arena, le->entry, le->graph);
  double total = 0;
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    const Layout *l[16];
    Rule r;
    if (!n->noperands) continue;
    for (int j = 0; j < n->noperands; j++) l[j] = graph_operand(le->graph, n, j)->layout;
    if (n->op == &op_exchange) {
      total += runs[i] * cost_exchange(k->program, l[0], n->layout, &n->shape, n->dtype);
      continue;
    }
    rule_of(le->graph, n, &r, k->arena);
    total += runs[i] * cost_op(k->program, le->graph, n, &r, l, n->layout);
  }
  return total;
}

/* The cost of an annotated version counts, but it is not built if it has no uses. */
static bool all_said_are_built(const LocalEntry *le) {
  const Graph *g = le->entry->graph;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    bool built = !choice_is_said(graph_node(g, i));
    for (NodeId k = 0; k < le->graph->nodes.n && !built; k++)
      built = le->origin.at[k] == i && graph_node(le->graph, k)->layout == graph_node(g, i)->layout;
    if (!built) return false;
  }
  return true;
}

static bool near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-13;
}

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 60, wrong = 0, searched = 0, better = 0, missed = 0;
  double most = 1, worst = 1;
  for (int i = 0; i < count; i++) {
    char text[8192];
    if ((first + (uint64_t)i) % 3)
      kit_program(first + (uint64_t)i, text, sizeof text);
    else
      kit_loop_program(first + (uint64_t)i, text, sizeof text);
    Kit *k = kit_compile(text);
    if (!k) {
      printf("FAIL seed %ld does not compile:\n%s", (long)(first + (uint64_t)i), text);
      return 1;
    }
    const LocalEntry *le = &k->plan->entries.at[1];
    const Choice *c = le->choice;
    static Brute b;
    b = (Brute){.c = c, .best = INFINITY};
    for (NodeId n = 0; n < c->graph->nodes.n; n++)
      if (c->ways[n]) b.op[b.nops++] = n;
    const char *what = NULL;
    int open = 0;
    for (int n = 0; n < b.nops; n++) open += c->ways[b.op[n]]->n > 1;
    if (c->least > c->greedy * (1 + 1e-12)) what = "dearer than greedy";
    double built = built_cost(k, le);
    if (!near(built, c->total) && (built > c->total || all_said_are_built(le)))
      what = "what was built costs something else";
    double combinations = 1;
    for (int n = 0; n < b.nops; n++) combinations *= c->ways[b.op[n]]->n;
    if (combinations <= MOST_LEAVES) {
      try_all(&b, 0, 0);
      searched++;
      if (!near(b.best, c->least) && open <= 8) what = "not the best";
      if (!near(b.best, c->least)) missed++, worst = fmax(worst, c->least / b.best);
    }
    better += c->least < c->greedy * (1 - 1e-9);
    most = fmax(most, c->greedy / c->least);
    if (what) {
      wrong++;
      printf("FAIL seed %ld: %s: plan %.9g, greedy %.9g, best %.9g, built %.9g\n%s",
             (long)(first + (uint64_t)i), what, c->least, c->greedy, b.best, built_cost(k, le),
             text);
    }
    kit_free(k);
  }
  printf(
      "%d graphs: %d wrong; %d searched whole, %d of them not the best (up to %.3f times dearer); "
      "%d cheaper than greedy (up to %.2f times)\n",
      count, wrong, searched, missed, worst, better, most);
  return wrong != 0;
}
