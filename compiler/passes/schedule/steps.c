/* Initial order: one step for each stored value, in the order of the graph. An exchange with a
 * smaller result than its operand, and the only use of it, comes right after the operand, so that
 * the operand is freed early: a reduce-scatter of a gradient, a copy of the local block.
 *
 *   grad w2 ; grad w1 ; scatter w2 ; update w2 ; ...  ->  grad w2 ; scatter w2 ; grad w1 ; ...
 *
 * What is written in the place of another value comes behind all that read that one and are not
 * computed from what is written: else a copy would be written.
 *
 *   add to rows of p ; add to rows of q, by rows of p  ->  add to rows of q ; add to rows of p */
#include "depend.h"
#include "schedule_passes.h"
#include <string.h>

static StepKind step_kind(const Node *n) {
  switch (node_class(n)) {
  case CLASS_REDUCE: return STEP_REDUCE;
  case CLASS_KERNEL: return STEP_KERNEL;
  case CLASS_SCATTER: return STEP_SCATTER;
  case CLASS_EXCHANGE: return STEP_EXCHANGE;
  default: return STEP_MAP;
  }
}

typedef struct Ordering {
  Plan *plan;
  LocalEntry *le;
  const bool *needed;
  NodeId
      *only; /* by base node: the exchange that alone reads it and makes less of it, or NO_NODE */
  bool *is_early; /* by node: it is somebody's `only` */
  const int *region; /* by node */
  NodeVec *nodes;    /* by region + 1 */
  bool *in_test;     /* by node: it comes before its loop reads its condition */
  int *tested;       /* by node: 1 + the last region whose condition it was met from */
  bool *added;       /* by region: its steps are there */
} Ordering;

static void find_early(Ordering *s) {
  const Program *p = s->plan->program;
  const Graph *g = s->le->graph;
  int n = g->nodes.n, *readers = arena_array(s->plan->scratch, int, n + 1);
  s->only = arena_array(s->plan->scratch, NodeId, n + 1);
  s->is_early = arena_array(s->plan->scratch, bool, n + 1);
  for (NodeId i = 0; i < n; i++) s->only[i] = NO_NODE;
  bool *kept = arena_array(s->plan->scratch, bool, n + 1);
  kept_mark(s->le, kept);
  for (NodeId i = 0; i < n; i++) readers[i] = kept[i] ? 2 : 0;
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(g, i);
    if (!s->needed[i] || node_class(x) == CLASS_VIEW) continue;
    for (int k = 0; k < x->noperands; k++) {
      NodeId base = node_base(g, x->operand[k]);
      readers[base]++;
      if (node_class(x) == CLASS_EXCHANGE) s->only[base] = i;
    }
  }
  for (NodeId i = 0; i < n; i++) {
    NodeId e = s->only[i];
    if (e == NO_NODE) continue;
    NodeClass c = node_class(graph_node(g, i));
    /* An all-reduce is not issued early: it may join others in a bucket (bucket.c). */
    if (readers[i] == 1 && c != CLASS_SOURCE && s->region[i] == s->region[e] &&
        !op_is(graph_node(g, i), OPF_CARRY) && (c != CLASS_EXCHANGE || s->is_early[i]) &&
        node_bytes(p, graph_node(g, e)) < node_bytes(p, graph_node(g, i)))
      s->is_early[e] = true;
    else
      s->only[i] = NO_NODE;
  }
}

static void add_step(Ordering *s, NodeId id) {
  for (NodeId i = id; i != NO_NODE; i = s->only[i]) {
    Step step = {.kind = step_kind(graph_node(s->le->graph, i)), .segment = s->le->bounds.n};
    vec_push(s->plan->arena, &step.nodes, i);
    vec_push(s->plan->arena, &s->le->steps, step);
  }
}

/* -------- regions -------- */

/* Marks the nodes of region r, a loop, that its condition depends on: they come before the test. */
static void find_tests(Ordering *s, int r) {
  const LocalEntry *le = s->le;
  const Graph *g = le->graph;
  NodeVec look = {0};
  vec_push(s->plan->scratch, &look, le->region[r].condition);
  while (look.n) {
    const NodeId i = look.at[--look.n];
    const Node *n = graph_node(g, i);
    if (s->tested[i] == r + 1 || !region_within(le->entry, s->region[i], r)) continue;
    s->tested[i] = r + 1;
    s->in_test[i] = s->in_test[i] || s->region[i] == r;
    for (int k = 0; k < n->noperands; k++) vec_push(s->plan->scratch, &look, n->operand[k]);
    if (!op_is(n, OPF_CARRY) || s->region[i] == r) continue;
    const LocalRegion *in = &le->region[s->region[i]]; /* all of a region within goes with it */
    vec_push(s->plan->scratch, &look, in->condition);
    for (int k = 0; k < in->carries.n; k++) {
      vec_push(s->plan->scratch, &look, in->carries.at[k].node);
      vec_push(s->plan->scratch, &look, in->carries.at[k].next);
    }
  }
}

static void add_bound(Ordering *s, BoundKind kind, int region) {
  vec_push(s->plan->arena, &s->le->bounds, ((Bound){kind, region}));
}

static void add_region(Ordering *s, int r);

/* The steps of a region's nodes, in the order of the graph; a region within it comes where the
 * first value that it leaves is asked for: all that it reads stands before. */
static void add_steps(Ordering *s, int region, bool test) {
  const NodeVec *all = &s->nodes[region + 1];
  for (int k = 0; k < all->n; k++) {
    const NodeId i = all->at[k];
    const Node *n = graph_node(s->le->graph, i);
    if (!s->needed[i] || s->in_test[i] != test) continue;
    if (op_is(n, OPF_AFTER)) add_region(s, s->region[n->operand[0]]);
    if (!s->le->stored[i] || s->is_early[i] || op_is(n, OPF_CARRY) ||
        node_class(n) == CLASS_SOURCE || node_class(n) == CLASS_VIEW)
      continue;
    add_step(s, i);
  }
}

static void add_region(Ordering *s, int r) {
  const LocalRegion *x = &s->le->region[r];
  const bool loops = s->le->entry->regions.at[r].kind == REGION_LOOP;
  if (s->added[r] || x->condition == NO_NODE) return;
  s->added[r] = true;
  for (int i = 0; i < x->carries.n; i++) add_step(s, x->carries.at[i].node);
  add_bound(s, BOUND_BEGIN, r);
  if (loops) {
    find_tests(s, r);
    add_steps(s, r, true);
    add_bound(s, BOUND_TEST, r);
  }
  add_steps(s, r, false);
  add_bound(s, BOUND_END, r);
}

/* -------- what is written in the place of another value -------- */

typedef struct Waiting {
  LocalEntry *le;
  Depend d;
  int *order, *place; /* by place: the step there; by step: its place */
  int *later;         /* room for as many */
  bool *behind;       /* by step: it is what waits, or has to stay behind that */
} Waiting;

/* A step that waits reads x. */
static bool read_by_waiting(const Waiting *w, NodeId x) {
  const IntVec *r = &w->d.readers[x];
  for (int i = 0; i < r->n; i++)
    if (w->behind[r->at[i]]) return true;
  return false;
}

/* Step t reads what a step that waits makes, or overwrites what that reads. */
static bool stays_behind(const Waiting *w, int t) {
  const Graph *g = w->le->graph;
  for (int i = 0; i < w->d.reads[t].n; i++) {
    const int by = w->d.made_by[w->d.reads[t].at[i].node];
    if (by >= 0 && w->behind[by]) return true;
  }
  const NodeVec *made = &w->le->steps.at[t].nodes;
  for (int i = 0; i < made->n; i++) {
    const Node *n = graph_node(g, made->at[i]);
    const int var = w->d.variable[made->at[i]];
    if (n->op->updates && read_by_waiting(w, node_base(g, n->operand[0]))) return true;
    for (int k = 0; var >= 0 && k < w->d.old[var].n; k++)
      if (read_by_waiting(w, w->d.old[var].at[k])) return true;
  }
  return false;
}

static void find_last(const Waiting *w, NodeId x, int *last) {
  const IntVec *r = &w->d.readers[x];
  for (int i = 0; i < r->n; i++)
    if (w->place[r->at[i]] > *last) *last = w->place[r->at[i]];
}

/* Step t, and what has to stay behind it, goes behind the place `last`, if no reader of the old
 * values is among them, and all are in one segment. */
static void wait_until(Waiting *w, int t, int last, const NodeVec *old) {
  const int from = w->place[t], segment = w->le->steps.at[t].segment;
  if (last <= from || w->le->steps.at[w->order[last]].segment != segment) return;
  int n = 0, to = from;
  bool waits = true;
  for (int k = from; k <= last; k++) {
    const int step = w->order[k];
    w->behind[step] = k == from || stays_behind(w, step);
  }
  for (int i = 0; i < old->n && waits; i++) { /* t itself may read what it replaces */
    const IntVec *r = &w->d.readers[old->at[i]];
    for (int k = 0; k < r->n && waits; k++) waits = r->at[k] == t || !w->behind[r->at[k]];
  }
  for (int k = from; k <= last && waits; k++)
    if (w->behind[w->order[k]])
      w->later[n++] = w->order[k];
    else
      w->order[to++] = w->order[k];
  for (int i = 0; i < n; i++) w->order[to++] = w->later[i];
  for (int k = from; k <= last; k++) {
    w->place[w->order[k]] = k;
    w->behind[w->order[k]] = false;
  }
}

static void updates_wait(Plan *p, LocalEntry *le) {
  Arena *a = p->scratch;
  const Graph *g = le->graph;
  const int steps = le->steps.n;
  Waiting w = {.le = le,
               .d = depend_of(a, le),
               .order = arena_array(a, int, steps + 1),
               .place = arena_array(a, int, steps + 1),
               .later = arena_array(a, int, steps + 1),
               .behind = arena_array(a, bool, steps + 1)};
  for (int t = 0; t < steps; t++) w.order[t] = w.place[t] = t;
  for (int t = 0; t < steps; t++) {
    const NodeId id = le->steps.at[t].nodes.at[0];
    const Node *n = graph_node(g, id), *of;
    int var = w.d.variable[id], last = -1;
    NodeVec old = {0};
    if (n->op->updates) {
      vec_push(a, &old, node_base(g, n->operand[0]));
      of = graph_node(g, old.at[0]);
      if (of->op == OP_var) var = node_source(of);
    }
    for (int i = 0; var >= 0 && i < w.d.old[var].n; i++) vec_push(a, &old, w.d.old[var].at[i]);
    for (int i = 0; i < old.n; i++) find_last(&w, old.at[i], &last);
    wait_until(&w, t, last, &old);
  }
  Step *sorted = arena_array(a, Step, steps + 1);
  for (int k = 0; k < steps; k++) sorted[k] = le->steps.at[w.order[k]];
  if (steps) memcpy(le->steps.at, sorted, (size_t)steps * sizeof *sorted);
}

static void steps_entry(Plan *p, LocalEntry *le) {
  Arena *a = p->scratch;
  const ArenaMark mark = arena_mark(a);
  const int n = le->graph->nodes.n, regions = le->entry->regions.n;
  Ordering s = {.plan = p,
                .le = le,
                .needed = entry_needed(a, le),
                .region = regions_find(a, le->entry, le->graph),
                .nodes = arena_array(a, NodeVec, regions + 1),
                .in_test = arena_array(a, bool, n + 1),
                .tested = arena_array(a, int, n + 1),
                .added = arena_array(a, bool, regions + 1)};
  le->bounds.n = 0;
  le->borders = le->unfilled = NULL;
  le->over_rows = NULL;
  for (NodeId i = 0; i < n; i++) vec_push(a, &s.nodes[s.region[i] + 1], i);
  find_early(&s);
  add_steps(&s, NO_REGION, false);
  if (!p->observe) updates_wait(p, le); /* where values are observed, steps are not moved */
  arena_release(a, mark);
}

void make_steps(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) steps_entry(p, &p->entries.at[e]);
}
