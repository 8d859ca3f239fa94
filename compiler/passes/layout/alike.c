/* The ops of a plan that recomputes (attempts.c) that are ops of the plan that keeps all: so that
 * they can be laid out and computed as there, and sums have the same order.
 *
 * Two graphs are compared by a key for each node: a hash of the op and of the keys of its operands.
 * What is kept and read again has the key of what was kept, wherever that was computed. The runs of
 * a loop are alike, whatever their numbers: whole scalars have one key. */
#include "choose.h"
#include "layout_passes.h"
#include <string.h>

typedef struct Keys {
  const Entry *entry;
  const Graph *graph;
  NodeId *next;  /* by node: of a carry what it becomes, or NO_NODE */
  uint64_t *key; /* by node */
  uint64_t *of;  /* by node: of what is kept and read again, the key of that; else 0 */
} Keys;

static bool is_row_number(const Node *n) { return !n->shape.rank && dtype_is_int(n->dtype); }

/* What was put in the row that node i reads, of a stack behind the loop that filled it; NO_NODE: it
 * is no such row. */
static NodeId kept_by(const Keys *k, NodeId i) {
  const Node *n = graph_node(k->graph, i);
  if (n->noperands != 2 || !op_is(graph_operand(k->graph, n, 0), OPF_AFTER)) return NO_NODE;
  const NodeId stack = graph_operand(k->graph, n, 0)->operand[0], next = k->next[stack];
  if (!is_row_number(graph_operand(k->graph, n, 1)) || next == NO_NODE) return NO_NODE;
  const Node *put = graph_node(k->graph, next);
  if (put->noperands != 3 || put->operand[0] != stack ||
      !is_row_number(graph_operand(k->graph, put, 2)))
    return NO_NODE;
  NodeId row = put->operand[1];
  const Node *view = graph_node(k->graph, row);
  if (op_class(view) == OPC_VIEW && view->noperands == 1) row = view->operand[0];
  return row < i && shape_equal(&graph_node(k->graph, row)->shape, &n->shape) ? row : NO_NODE;
}

static uint64_t key_with(uint64_t key, uint64_t more) {
  return hash_words(&more, sizeof more, key);
}

static uint64_t key_of(Keys *k, NodeId i) {
  const Node *n = graph_node(k->graph, i);
  uint64_t key = key_with(op_hash(n->op) * 31 + (uint64_t)n->dtype, (uint64_t)n->span.begin);
  if (!n->shape.rank && !dtype_is_float(n->dtype) && n->noperands) return 1;
  key = hash_words(n->shape.dim, sizeof *n->shape.dim * (size_t)n->shape.rank, key);
  if (op_is(n, OPF_CARRY)) {
    const NodeId init = n->operand[0];
    if (k->of[init]) return k->of[init];
    if (op_is(graph_node(k->graph, init), OPF_CARRY)) return k->key[init];
    return key_with(key, k->key[init]);
  }
  const NodeId kept = kept_by(k, i);
  if (kept != NO_NODE) {
    k->of[i] = k->key[kept];
    return key_with(7, k->key[kept]);
  }
  key = hash_words(n->attr, sizeof *n->attr * (size_t)n->nattr, key);
  key = hash_words(&n->value, sizeof n->value, key_with(key, (uint64_t)n->whole));
  for (int o = 0; o < n->noperands; o++) key = key_with(key, k->key[n->operand[o]]);
  return key ? key : 1;
}

static Keys keys_of(Arena *a, const Entry *e) {
  const int n = e->graph->nodes.n;
  Keys k = {e, e->graph, arena_array(a, NodeId, n + 1), arena_array(a, uint64_t, n + 1),
            arena_array(a, uint64_t, n + 1)};
  for (NodeId i = 0; i < n; i++) k.next[i] = NO_NODE;
  for (int r = 0; r < e->regions.n; r++)
    for (int c = 0; c < e->regions.at[r].carries.n; c++)
      k.next[e->regions.at[r].carries.at[c].node] = e->regions.at[r].carries.at[c].next;
  for (NodeId i = 0; i < n; i++) k.key[i] = key_of(&k, i);
  return k;
}

/* -------- the other plan's nodes by key -------- */

typedef struct AlikeSlot {
  uint64_t key;
  NodeId node; /* NO_NODE: several that are not alike */
} AlikeSlot;

typedef struct AlikeTable {
  const Plan *plan;
  int entry;
  uint64_t slots;
  AlikeSlot *slot;
} AlikeTable;

static const Choice *choice_in(const Plan *p, int entry) {
  return p->chosen ? p->chosen[entry] : NULL;
}

static const Layout *way_result(const Choice *c, NodeId i) {
  return form_at(c->routes, c->value[i].form, c->ways[i]->way[c->way[i]].result);
}
static const Layout *way_need(const Choice *c, NodeId i, int way, int o) {
  return form_at(c->routes, c->value[c->operand[i][o]].form, c->ways[i]->way[way].need[o]);
}

/* Whether way `way` of node i is how the other plan computes j. */
static bool same_way(const Choice *c, NodeId i, int way, const Choice *d, NodeId j) {
  const Ways *w = c->ways[i];
  if (w->noperands != d->ways[j]->noperands) return false;
  if (form_at(c->routes, c->value[i].form, w->way[way].result) != way_result(d, j)) return false;
  for (int o = 0; o < w->noperands; o++)
    if (way_need(c, i, way, o) != way_need(d, j, d->way[j], o)) return false;
  return true;
}

static bool has_way(const Choice *c, NodeId i) { return c && c->ways[i] && c->way[i] >= 0; }

static bool same_node(const AlikeTable *t, NodeId i, NodeId j) {
  const Graph *g = t->plan->program->entries.at[t->entry].graph;
  const Choice *c = choice_in(t->plan, t->entry);
  if (graph_node(g, i)->layout != graph_node(g, j)->layout) return false;
  return has_way(c, i) == has_way(c, j) && (!has_way(c, i) || same_way(c, i, c->way[i], c, j));
}

static AlikeSlot *slot_of(const AlikeTable *t, uint64_t key) {
  uint64_t i = key % t->slots;
  while (t->slot[i].key && t->slot[i].key != key) i = (i + 1) % t->slots;
  return &t->slot[i];
}

static AlikeTable table_of(Arena *a, const Plan *p, int entry) {
  const Entry *e = &p->program->entries.at[entry];
  const Keys k = keys_of(a, e);
  AlikeTable t = {p, entry, 2 * (uint64_t)e->graph->nodes.n + 8, NULL};
  t.slot = arena_array(a, AlikeSlot, t.slots);
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    AlikeSlot *s = slot_of(&t, k.key[i]);
    if (!s->key)
      *s = (AlikeSlot){k.key[i], i};
    else if (s->node != NO_NODE && !same_node(&t, s->node, i))
      s->node = NO_NODE;
  }
  return t;
}

NodeId *alike_find(const Plan *p, const Plan *other, int entry) {
  const Entry *e = &p->program->entries.at[entry];
  const Keys k = keys_of(p->arena, e);
  const AlikeTable t = table_of(p->arena, other, entry);
  NodeId *found = arena_array(p->arena, NodeId, e->graph->nodes.n + 1);
  const Graph *g = other->program->entries.at[entry].graph;
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    const AlikeSlot *s = slot_of(&t, k.key[i]);
    found[i] = s->key ? s->node : NO_NODE;
    if (found[i] == NO_NODE) continue;
    const Node *x = graph_node(e->graph, i), *y = graph_node(g, found[i]);
    if (x->op != y->op || !shape_equal(&x->shape, &y->shape)) found[i] = NO_NODE;
  }
  return found;
}

/* -------- as there -------- */

void alike_ways(Choice *c, const Plan *other, int entry) {
  const NodeId *as = alike_find(c->plan, other, entry);
  const Choice *d = choice_in(other, entry);
  for (NodeId i = 0; d && i < c->graph->nodes.n; i++) {
    if (as[i] == NO_NODE || !c->ways[i] || !has_way(d, as[i])) continue;
    for (int w = 0; w < c->ways[i]->n; w++)
      if (same_way(c, i, w, d, as[i])) {
        c->ways[i] = ways_one(c->arena, c->routes, c->value[i].form, c->ways[i], w);
        break;
      }
  }
}

bool alike_plans(const Plan *p, const Plan *other) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *x = &p->program->entries.at[e], *y = &other->program->entries.at[e];
    const NodeId *as = alike_find(p, other, e);
    const Choice *c = choice_in(p, e), *d = choice_in(other, e);
    for (NodeId i = 0; i < x->graph->nodes.n; i++) {
      if (as[i] == NO_NODE) continue;
      if (graph_node(x->graph, i)->layout != graph_node(y->graph, as[i])->layout) return false;
      if (has_way(c, i) && has_way(d, as[i]) && !same_way(c, i, c->way[i], d, as[i])) return false;
    }
  }
  return true;
}
