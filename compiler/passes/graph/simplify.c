/* Removes nodes without uses, duplicates of earlier nodes, and operations without effect, as each
 * op's definition specifies. Keeps every input, so that an entry's arguments stay.
 *
 *   %3 = reshape %1 ; %4 = reshape %3     ->  %4 = reshape %1
 *   %5 = mul %2, 1                        ->  %2
 *   %7 = sum (%5 + %2 * (%1 - mean %1))   ->  %7 = sum %5    ops/simplify_sum.c
 *   %8 = pad %1 + pad %2                  ->  concat %1, %2  ops/simplify_pads.c
 *   %9 = contract %1, %2 "ij,ij->i"       ->  sum (%1 * %2)  ops/simplify_product.c */
#include "graph_passes.h"
#include <string.h>

typedef struct Simplify {
  NewGraph w;
  const Entry *entry;
  int within;  /* the branch of the node that is rewritten */
  NodeId *map; /* old node -> new node */
  int nslots;
  NodeId *slot; /* hash table of new nodes */
} Simplify;

/* What a region needs because of its carries that are used; whether that is more than before. */
static bool use_carried(const Entry *e, bool *used) {
  bool more = false;
  for (int i = 0; i < e->regions.n; i++) {
    const Region *r = &e->regions.at[i];
    for (int k = 0; k < r->carries.n; k++) {
      const Carry *c = &r->carries.at[k];
      if (!used[c->node] || c->next == c->node) continue;
      more = more || !used[c->next] || !used[r->condition];
      used[c->next] = used[r->condition] = true;
    }
  }
  return more;
}

/* What tells a person, and --disable leaves that out. */
static bool left_out(const Plan *p, const Node *n) {
  return op_is(n, OPF_TELLS) && !(n->op->feature & ~p->disabled.features);
}

static bool *find_used(const Plan *p, const Entry *e) {
  bool *used = arena_array(p->scratch, bool, e->graph->nodes.n + 1);
  for (int i = 0; i < e->inputs.n; i++) used[e->inputs.at[i].node] = true;
  for (int i = 0; i < e->outputs.n; i++) used[e->outputs.at[i].node] = true;
  for (int i = 0; i < e->assigns.n; i++) used[e->assigns.at[i].node] = true;
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    const Node *n = graph_node(e->graph, i);
    if (op_is(n, OPF_TELLS)) used[i] = !left_out(p, n);
  }
  do /* a carry that is used needs what the body makes of it, which may use other carries */
    for (NodeId i = e->graph->nodes.n - 1; i >= 0; i--) {
      const Node *n = graph_node(e->graph, i);
      for (int k = 0; used[i] && k < n->noperands; k++) used[n->operand[k]] = true;
    }
  while (use_carried(e, used));
  return used;
}

/* By node: a carry that no run of the body changes, so that it is its first value. */
static bool *find_unchanged(Arena *a, const Entry *e) {
  bool *same = arena_array(a, bool, e->graph->nodes.n + 1);
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++) {
      const Carry *c = &e->regions.at[i].carries.at[k];
      if (c->node == c->next) same[c->node] = true;
    }
  return same;
}

static bool same_type(const Graph *g, NodeId x, const Node *n) {
  const Node *o = graph_node(g, x);
  return o->dtype == n->dtype && shape_equal(&o->shape, &n->shape);
}

static bool node_equal(const Node *a, const Node *b) {
  return a->op == b->op && a->dtype == b->dtype && a->noperands == b->noperands &&
         a->nattr == b->nattr && !memcmp(&a->value, &b->value, sizeof a->value) &&
         a->spec == b->spec && a->whole == b->whole && shape_equal(&a->shape, &b->shape) &&
         (!a->noperands ||
          !memcmp(a->operand, b->operand, sizeof *a->operand * (size_t)a->noperands)) &&
         (!a->nattr || !memcmp(a->attr, b->attr, sizeof *a->attr * (size_t)a->nattr));
}

static uint64_t node_hash(const Node *n) {
  uint64_t h = hash_words(&n->value, sizeof n->value, op_hash(n->op) * 31 + (uint64_t)n->dtype);
  h = hash_words(n->shape.dim, sizeof *n->shape.dim * (size_t)n->shape.rank, h);
  h = hash_words(n->operand, sizeof *n->operand * (size_t)n->noperands, h);
  return hash_words(n->attr, sizeof *n->attr * (size_t)n->nattr, h);
}

/* Whether o can be in place of n: of two branches that are written side by side either may run
 * alone; and what may fail in a branch is not moved in front of it for what comes behind. */
static bool runs_for(const Simplify *s, Node *o, const Node *n) {
  if (o->within == n->within) return true;
  const int both = regions_common(s->entry, o->within - 1, n->within - 1) + 1;
  if (both != o->within && (both != n->within || node_may_fail(s->w.graph, n))) return false;
  o->within = both;
  return true;
}

/* The new graph's node that is the same, or it added. */
static NodeId intern(void *user, const Node *new) {
  Simplify *s = user;
  Node copy = *new, *n = &copy;
  if (n->noperands && !n->within) n->within = s->within;
  Graph *g = s->w.graph;
  s->w.full = g->nodes.n > s->nslots / 2;
  if (n->op == OP_input) return graph_add(g, n);
  uint64_t i = node_hash(n) % (uint64_t)s->nslots;
  for (; s->slot[i] != NO_NODE; i = (i + 1) % (uint64_t)s->nslots) {
    Node *o = graph_node(g, s->slot[i]);
    if (!node_equal(o, n) || !runs_for(s, o, n)) continue;
    if (!o->name) o->name = n->name;
    if (!o->forbid.file) o->forbid = n->forbid;
    return s->slot[i];
  }
  return s->slot[i] = graph_add(g, n);
}

/* What is annotated has its own layout. */
static bool is_annotated(void *user, NodeId x) {
  const Simplify *s = user;
  const Node *n = graph_node(s->w.graph, x);
  return n->spec || n->forbid.file;
}

/* The new graph is of arena `to`; names, and what ops come to be made of, are of the plan's. */
static void rewrite(Plan *p, Entry *e, Arena *to) {
  int count = e->graph->nodes.n;
  Graph *g = graph_new(to, VIEW_GLOBAL, count + 1); /* it hardly gets larger */
  Simplify s = {.w = {.arena = p->arena,
                      .graph = g,
                      .alone = mesh_devices(&p->program->mesh) == 1,
                      .stays = is_annotated,
                      .intern = intern},
                .entry = e};
  s.w.user = &s;
  s.nslots = 4 * count + 16;
  s.slot = arena_array(p->scratch, NodeId, s.nslots);
  for (int i = 0; i < s.nslots; i++) s.slot[i] = NO_NODE;
  s.map = arena_array(p->scratch, NodeId, count + 1);
  const bool *used = find_used(p, e), *unchanged = find_unchanged(p->scratch, e);
  for (NodeId i = 0; i < count; i++) {
    s.map[i] = NO_NODE;
    if (!used[i]) continue;
    Node n = *graph_node(e->graph, i);
    if (left_out(p, &n)) {
      s.map[i] = s.map[n.operand[0]]; /* the token of what was told before */
      continue;
    }
    if (unchanged[i] || (op_is(&n, OPF_AFTER) && unchanged[n.operand[0]])) {
      s.map[i] = s.map[n.operand[0]];
      continue;
    }
    NodeId *x = arena_array(p->scratch, NodeId, n.noperands);
    for (int k = 0; k < n.noperands; k++) x[k] = s.map[n.operand[k]];
    n.operand = x;
    s.within = n.within;
    const OpDef *op = n.op;
    NodeId same = n.spec || !op->simplify ? NO_NODE : op->simplify(&s.w, &n);
    if (same != NO_NODE && same_type(g, same, &n)) {
      Node *o = graph_node(g, same);
      if (!o->name) o->name = n.name;
      if (!o->forbid.file) o->forbid = n.forbid;
      s.map[i] = same;
    } else {
      s.map[i] = intern(&s, &n);
    }
  }
  entry_rewritten(e, g, s.map);
}

/* Ops that have a form for what is read of them: which it is depends on no layout from here on.
 * What a region carries is read whole, as by a gradient behind it. */
static void make_what_is_read(Arena *a, Entry *e) {
  Graph *g = e->graph;
  bool *carried = arena_array(a, bool, g->nodes.n + 1);
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++)
      carried[e->regions.at[i].carries.at[k].next] = true;
  for (NodeId k = 0; k < g->nodes.n; k++) {
    Node *n = graph_node(g, k);
    if (n->op->as_read && !carried[k]) n->op = n->op->as_read(g, k);
  }
}

void simplify(Plan *p) {
  /* Twice: the first round leaves values without uses. */
  for (int i = 0; i < p->program->entries.n; i++) {
    Entry *e = &p->program->entries.at[i];
    const ArenaMark mark = arena_mark(p->scratch);
    rewrite(p, e, p->scratch);
    rewrite(p, e, p->arena);
    make_what_is_read(p->scratch, e);
    arena_release(p->scratch, mark);
  }
}
