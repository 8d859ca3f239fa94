/* Reorders the steps of an entry to lower peak memory (list scheduling). A step that frees at least
 * as many bytes as it allocates runs as soon as it can: an update right after its gradient. A step
 * that allocates more than it frees is delayed to its first use. Both rules are applied, in both
 * sequences; the original order stays unless another lowers the peak by 1 %. Exchanges keep their
 * order, and uses of a variable stay before its update.
 *
 *   grad w2 ; grad w1 ; update w1 ; update w2   ->  grad w2 ; update w2 ; grad w1 ; update w1 */
#include "depend.h"
#include "pack.h"
#include "schedule_passes.h"
#include <stdlib.h>
#include <string.h>

typedef struct Reorder {
  Plan *plan;
  LocalEntry *le;
  int nsteps;
  Depend d;
  IntVec *after;  /* by step: those that must come after it */
  IntVec *before; /* ... and before it */
  int64_t *bytes; /* by base node: of its buffer in the arena, 0 when it has none of its own */
  bool *at_end;   /* by base node: used after the last step */
  bool *in_var;   /* by node: will be made in its variable's place */
} Reorder;

static void add_edge(Reorder *a, int from, int to) {
  if (from < 0 || from == to) return;
  vec_push(a->plan->scratch, &a->after[from], to);
  vec_push(a->plan->scratch, &a->before[to], from);
}

/* The update of a variable overwrites it when all who read the old value come before. */
static void order_updates(Reorder *a) {
  LocalEntry *le = a->le;
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const int var = le->entry->assigns.at[i].var, t = a->d.made_by[base];
    const IntVec *old = &a->d.old[var];
    a->in_var[base] = t >= 0 && !depend_old_read(&a->d, var, t + 1, a->nsteps);
    if (!a->in_var[base]) continue; /* it will be copied at the end */
    for (int v = 0; v < old->n; v++) {
      const IntVec *r = &a->d.readers[old->at[v]];
      for (int k = 0; k < r->n; k++) add_edge(a, r->at[k], t);
    }
  }
}

/* A window is written in the place of a value when all who read that come before. */
static void order_windows(Reorder *a) {
  const Graph *g = a->le->graph;
  for (int t = 0; t < a->nsteps; t++) {
    const Step *s = &a->le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      const Node *n = graph_node(g, s->nodes.at[i]);
      if (!node_goes_on(n)) continue;
      const IntVec *r = &a->d.readers[node_base(g, n->operand[0])];
      for (int k = 0; k < r->n && r->at[k] < t; k++) add_edge(a, r->at[k], t);
    }
  }
}

/* Panels of a product and the exchanges with them stay in turns, for one to hide the other. */
static void order_panels(Reorder *a) {
  int *last = arena_array(a->plan->scratch, int, a->nsteps + 1);
  for (int t = 0; t <= a->nsteps; t++) last[t] = -1;
  for (int t = 0; t < a->nsteps; t++) {
    const int of = graph_node(a->le->graph, a->le->steps.at[t].nodes.at[0])->in_panels;
    if (!of) continue;
    add_edge(a, last[of], t);
    last[of] = t;
  }
}

static void find_edges(Reorder *a) {
  LocalEntry *le = a->le;
  int exchange = -1;
  for (int t = 0; t < a->nsteps; t++) {
    for (int i = 0; i < a->d.reads[t].n; i++)
      add_edge(a, a->d.made_by[a->d.reads[t].at[i].node], t);
    if (le->steps.at[t].kind != STEP_EXCHANGE) continue;
    add_edge(a, exchange, t);
    exchange = t;
  }
  for (int i = 0; i < le->entry->outputs.n; i++)
    a->at_end[node_base(le->graph, le->output[i])] = true;
  regions_mark(le, a->at_end);
  order_updates(a);
  order_windows(a);
  order_panels(a);
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    if (!a->in_var[base]) a->at_end[base] = true;
  }
  for (NodeId i = 0; i < le->graph->nodes.n; i++)
    if ((a->d.readers[i].n || a->at_end[i]) && !a->in_var[i] &&
        (a->d.made_by[i] >= 0 || graph_node(le->graph, i)->op == OP_input))
      a->bytes[i] = pack_room(node_bytes(a->plan->program, graph_node(le->graph, i)));
}

/* -------- the peak of an order -------- */

static int64_t made_bytes(const Reorder *a, int t) {
  const Step *s = &a->le->steps.at[t];
  int64_t sum = 0;
  for (int i = 0; i < s->nodes.n; i++) sum += a->bytes[s->nodes.at[i]];
  return sum;
}

/* A loop makes a value in the place of one that it reads for the last time. */
static int64_t reused_bytes(const Reorder *a, int t, int64_t made, int64_t freed) {
  if (a->le->steps.at[t].kind != STEP_MAP) return 0;
  return made < freed ? made : freed;
}

static int64_t peak_of(const Reorder *a, const int *order) {
  ArenaMark mark = arena_mark(a->plan->scratch);
  int n = a->le->graph->nodes.n, *left = arena_array(a->plan->scratch, int, n + 1);
  int64_t live = 0, peak = 0;
  for (NodeId i = 0; i < n; i++) {
    left[i] = a->d.readers[i].n + a->at_end[i];
    if (graph_node(a->le->graph, i)->op == OP_input) live += a->bytes[i];
  }
  for (int k = 0; k < a->nsteps; k++) {
    int t = order[k];
    int64_t made = made_bytes(a, t), freed = 0;
    for (int i = 0; i < a->d.reads[t].n; i++) {
      NodeId x = a->d.reads[t].at[i].node;
      if (--left[x] == 0) freed += a->bytes[x];
    }
    int64_t here = live + made - reused_bytes(a, t, made, freed);
    if (here > peak) peak = here;
    live += made - freed;
  }
  arena_release(a->plan->scratch, mark);
  return peak;
}

/* -------- orders -------- */

/* A list schedule that follows `from`, but does a step early that lowers what is alive. Backwards
 * it is the same from the end: there a step makes its operands live, and ends its results. */
typedef struct List {
  const Reorder *a;
  bool backwards;
  int *left;   /* by step: those that must be placed before it */
  int *wanted; /* by node, forwards: readers not yet placed; backwards: readers placed */
  bool *done;  /* by step */
  int *out, n;
  IntVec look; /* steps that may be ready */
} List;

/* By how much what is alive grows when t is placed next. */
static int64_t growth(const List *l, int t) {
  const Reorder *a = l->a;
  int64_t made = made_bytes(a, t), other = 0;
  for (int i = 0; i < a->d.reads[t].n; i++) {
    NodeId x = a->d.reads[t].at[i].node;
    if (l->wanted[x] == (l->backwards ? 0 : 1)) other += a->bytes[x];
  }
  return l->backwards ? other - made : made - other;
}

static void place_step(List *l, int t) {
  const Reorder *a = l->a;
  Arena *m = a->plan->scratch;
  const IntVec *next = l->backwards ? &a->before[t] : &a->after[t];
  l->done[t] = true;
  l->out[l->n++] = t;
  for (int i = 0; i < next->n; i++)
    if (--l->left[next->at[i]] == 0) vec_push(m, &l->look, next->at[i]);
  for (int i = 0; i < a->d.reads[t].n; i++) {
    NodeId x = a->d.reads[t].at[i].node;
    l->wanted[x] += l->backwards ? 1 : -1;
    if (l->wanted[x] == 1) /* its last use frees it at no further cost */
      for (int k = 0; k < a->d.readers[x].n; k++) vec_push(m, &l->look, a->d.readers[x].at[k]);
  }
}

static bool may_go_early(const List *l, int t) {
  return !l->done[t] && l->left[t] == 0 && l->a->le->steps.at[t].kind != STEP_EXCHANGE &&
         growth(l, t) <= 0;
}

static int *list_order(const Reorder *a, const int *from, bool backwards) {
  Arena *m = a->plan->scratch;
  int nodes = a->le->graph->nodes.n, n = a->nsteps;
  List l = {.a = a,
            .backwards = backwards,
            .left = arena_array(m, int, n + 1),
            .wanted = arena_array(m, int, nodes + 1),
            .done = arena_array(m, bool, n + 1),
            .out = arena_array(m, int, n + 1)};
  for (int t = 0; t < n; t++) l.left[t] = backwards ? a->after[t].n : a->before[t].n;
  for (NodeId i = 0; i < nodes; i++)
    l.wanted[i] = a->at_end[i] + (backwards ? 0 : a->d.readers[i].n);
  for (int k = 0; k < n; k++) {
    int t = from[backwards ? n - 1 - k : k];
    if (!l.done[t]) place_step(&l, t);
    for (int i = 0; i < l.look.n; i++) /* grows meanwhile */
      if (may_go_early(&l, l.look.at[i]) &&
          a->le->steps.at[l.look.at[i]].segment == a->le->steps.at[t].segment)
        place_step(&l, l.look.at[i]);
    l.look.n = 0;
  }
  for (int i = 0; backwards && i < n / 2; i++) {
    int t = l.out[i];
    l.out[i] = l.out[n - 1 - i];
    l.out[n - 1 - i] = t;
  }
  return l.out;
}

static void reorder_entry(Plan *p, LocalEntry *le) {
  int n = le->graph->nodes.n, steps = le->steps.n;
  const ArenaMark mark = arena_mark(p->scratch);
  Reorder a = {.plan = p,
               .le = le,
               .nsteps = steps,
               .d = depend_of(p->scratch, le),
               .after = arena_array(p->scratch, IntVec, steps + 1),
               .before = arena_array(p->scratch, IntVec, steps + 1),
               .bytes = arena_array(p->scratch, int64_t, n + 1),
               .at_end = arena_array(p->scratch, bool, n + 1),
               .in_var = arena_array(p->scratch, bool, n + 1)};
  find_edges(&a);
  int *as_is = arena_array(p->scratch, int, steps + 1);
  for (int t = 0; t < steps; t++) as_is[t] = t;
  int *early = list_order(&a, as_is, false), *late = list_order(&a, as_is, true);
  int *orders[] = {early, late, list_order(&a, early, true), list_order(&a, late, false)};
  int64_t least = peak_of(&a, as_is);
  const int *best = as_is;
  least -= least / 100;
  for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
    int64_t peak = peak_of(&a, orders[k]);
    if (peak < least) least = peak, best = orders[k];
  }
  Step *sorted = arena_array(p->scratch, Step, steps + 1);
  for (int t = 0; t < steps; t++) sorted[t] = le->steps.at[best[t]];
  if (steps) memcpy(le->steps.at, sorted, (size_t)steps * sizeof *sorted);
  arena_release(p->scratch, mark);
}

void reorder(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) reorder_entry(p, &p->entries.at[e]);
}
