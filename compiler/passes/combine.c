/* Several all-reduces over the same axes become one. An all-reduce waits until somebody needs its
 * result; then all with the same axes, type and way of combining go together whose terms are there,
 * those that stand later included.
 *
 *   grad w2 ; all-reduce w2 ; grad w1 ; all-reduce w1 ; update
 *   ->  grad w2 ; grad w1 ; all-reduce w2, w1 ; update */
#include "passes.h"

typedef struct Combine {
  Plan *plan;
  LocalEntry *le;
  VEC(Step) out;
  VEC(NodeId) waiting; /* exchange nodes whose terms are there */
  bool *sent;          /* by node: exchanges done */
  bool *there;         /* by node: values made */
  int at;              /* step being looked at */
} Combine;

static Exchange node_exchange(const Combine *c, NodeId id) {
  const Node *n = graph_node(c->le->graph, id);
  return exchange_of(c->plan->program, graph_operand(c->le->graph, n, 0)->layout, n->layout,
                     &n->shape, n->dtype);
}

static bool alike(const Combine *c, NodeId a, NodeId b) {
  const Node *x = graph_node(c->le->graph, a), *y = graph_node(c->le->graph, b);
  return x->dtype == y->dtype && node_exchange(c, a).axes == node_exchange(c, b).axes &&
         graph_operand(c->le->graph, x, 0)->layout->reduce ==
             graph_operand(c->le->graph, y, 0)->layout->reduce;
}

static bool is_all_reduce(const Combine *c, const Step *s) {
  return s->kind == STEP_EXCHANGE && node_exchange(c, s->nodes.at[0]).kind == DTRT_ALL_REDUCE;
}

static void wait_for(Combine *c, NodeId id) {
  vec_push(c->plan->arena, &c->waiting, id);
  c->sent[id] = true;
}

/* All-reduces that stand later but whose terms are there already. */
static void look_ahead(Combine *c, NodeId like) {
  for (int t = c->at + 1; t < c->le->steps.n; t++) {
    const Step *s = &c->le->steps.at[t];
    if (!is_all_reduce(c, s) || c->sent[s->nodes.at[0]] || !alike(c, s->nodes.at[0], like))
      continue;
    NodeId term = node_base(c->le->graph, graph_node(c->le->graph, s->nodes.at[0])->operand[0]);
    if (c->there[term]) wait_for(c, s->nodes.at[0]);
  }
}

/* Sends off the group of waiting all-reduces that `id` belongs to. */
static void flush(Combine *c, NodeId id) {
  Arena *a = c->plan->arena;
  Step s = {.kind = STEP_EXCHANGE};
  look_ahead(c, id);
  int kept = 0;
  for (int i = 0; i < c->waiting.n; i++) {
    if (alike(c, c->waiting.at[i], id))
      vec_push(a, &s.nodes, c->waiting.at[i]);
    else
      c->waiting.at[kept++] = c->waiting.at[i];
  }
  c->waiting.n = kept;
  for (int i = 0; i < s.nodes.n; i++) c->there[s.nodes.at[i]] = true;
  vec_push(a, &c->out, s);
}

static bool is_waiting(const Combine *c, NodeId id) {
  for (int i = 0; i < c->waiting.n; i++)
    if (c->waiting.at[i] == id) return true;
  return false;
}

static void need(Combine *c, const Step *s) {
  Reads r = {0};
  step_reads(c->le, s, c->plan->arena, &r);
  for (int i = 0; i < r.r.n; i++)
    if (is_waiting(c, r.r.at[i].node)) flush(c, r.r.at[i].node);
}

static void combine_entry(Plan *p, LocalEntry *le) {
  Combine c = {.plan = p, .le = le};
  int n = le->graph->nodes.n;
  c.sent = arena_array(p->arena, bool, n + 1);
  c.there = arena_array(p->arena, bool, n + 1);
  for (NodeId i = 0; i < n; i++) c.there[i] = node_class(graph_node(le->graph, i)) == CLASS_SOURCE;
  for (c.at = 0; c.at < le->steps.n; c.at++) {
    Step *s = &le->steps.at[c.at];
    if (c.sent[s->nodes.at[0]]) continue;
    need(&c, s);
    if (is_all_reduce(&c, s)) {
      wait_for(&c, s->nodes.at[0]);
      continue;
    }
    for (int i = 0; i < s->nodes.n; i++) c.there[s->nodes.at[i]] = true;
    vec_push(p->arena, &c.out, *s);
  }
  while (c.waiting.n) flush(&c, c.waiting.at[0]);
  le->steps.at = c.out.at;
  le->steps.n = c.out.n;
  le->steps.cap = c.out.cap;
}

void combine(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) combine_entry(p, &p->entries.at[e]);
}
