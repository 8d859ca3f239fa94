/* Verifies bounded work (sites.h) on a plan: walks from every loop through the values
 * that are not stored, and counts. */
#include "sites.h"

typedef struct Item {
  NodeId id;
  Site at;
} Item;

typedef struct WorkWalk {
  const LocalEntry *le;
  Arena *arena;
  Sites *sites;
  VEC(Item) todo;
  bool *met;  /* by node */
  int *times; /* by node: its sites */
  Work work;
  double most; /* code that cannot be right any more */
} WorkWalk;

static void meet(WorkWalk *w, NodeId id, const Site *at) {
  if (!sites_first(w->sites, id, at)) return;
  vec_push(w->arena, &w->todo, ((Item){id, *at}));
}

static void want(WorkWalk *w, NodeId id, const Site *at) {
  const Graph *g = w->le->graph;
  if (!w->le->stored[node_base(g, id)] && !node_is_const(graph_node(g, id))) meet(w, id, at);
}

static void walk(WorkWalk *w) {
  const Graph *g = w->le->graph;
  while (w->todo.n && w->work.code <= w->most) {
    Item x = w->todo.at[--w->todo.n];
    const Node *n = graph_node(g, x.id);
    bool reduces = node_class(n) == CLASS_REDUCE;
    w->met[x.id] = true;
    w->times[x.id]++;
    sites_add(w->sites, w->le->stored, x.id, &x.at, &w->work);
    if (reduces) {
      for (int k = 0; k < n->noperands; k++) want(w, n->operand[k], &x.at);
      continue;
    }
    SiteUses uses = {0};
    sites_uses(w->sites, x.id, &x.at, &uses);
    for (int i = 0; i < uses.use.n; i++)
      if (!uses.use.at[i].loaded) want(w, uses.use.at[i].node, &uses.use.at[i].at);
  }
}

/* Nodes that one loop nest stores. Sites are of one loop each. */
static void walk_loop(WorkWalk *w, const NodeId *node, int n) {
  const Graph *g = w->le->graph;
  const ArenaMark mark = arena_mark(w->arena);
  w->todo.n = w->todo.cap = 0;
  sites_forget(w->sites, w->arena);
  for (int i = 0; i < n; i++) {
    const Node *x = graph_node(g, node[i]);
    NodeClass c = node_class(x);
    if (c != CLASS_MAP && c != CLASS_REDUCE && c != CLASS_SCATTER) continue;
    const NodeId over = sites_over(g, node[i]);
    const Site body = sites_body(w->sites, node[0], over);
    if (c == CLASS_SCATTER) { /* a kernel, but for what its loop computes of rows */
      want(w, over, &body);
      continue;
    }
    sites_add_store(w->sites, node[i], &w->work);
    meet(w, node[i], &body);
  }
  walk(w);
  arena_release(w->arena, mark);
}

static void walk_all(WorkWalk *w) {
  const LocalEntry *le = w->le;
  for (int t = 0; t < le->steps.n; t++)
    if (step_loops(&le->steps.at[t]))
      walk_loop(w, le->steps.at[t].nodes.at, le->steps.at[t].nodes.n);
  for (NodeId i = 0; !le->steps.n && i < le->graph->nodes.n; i++)
    if (le->stored[i]) walk_loop(w, &i, 1);
}

Work work_count(const Plan *p, const LocalEntry *le, Work *once, NodeId *where) {
  int n = le->graph->nodes.n;
  WorkWalk w = {.le = le,
                .arena = p->arena,
                .sites = sites_new(p->arena, &p->program->mesh, le->graph),
                .met = arena_array(p->arena, bool, n + 1),
                .times = arena_array(p->arena, int, n + 1)};
  Work all = {0};
  *once = (Work){0};
  *where = 0;
  for (NodeId i = 0; i < n; i++) sites_once(w.sites, i, &all);
  w.most = WORK_MOST * all.code + 1;
  walk_all(&w);
  for (NodeId i = 0; i < n; i++) {
    if (w.met[i]) sites_once(w.sites, i, once);
    if (w.times[i] > w.times[*where]) *where = i;
  }
  return w.work;
}

void verify_work(const Plan *p, const char *after) {
  verify_local(p, after);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    NodeId where;
    Work once;
    ArenaMark mark = arena_mark(p->arena);
    Work work = work_count(p, le, &once, &where);
    arena_release(p->arena, mark);
    if (!work_within(&work, &once))
      verify_breach(p, le->entry, le->graph, where, after,
                    "more work than twice that of storing every value once");
  }
}

/* -------- tiles -------- */

typedef struct Repeats {
  const Plan *plan;
  const LocalEntry *le;
  bool *made;               /* by node */
  double work, once, again; /* again: of copies that --memory made (remat.c) */
  int values, distinct;
  NodeId where; /* made more than once */
} Repeats;

static void count_step(Repeats *r, const Step *s) {
  if (s->kind == STEP_TILES) {
    for (int i = 0; i < s->tile->steps.n; i++) count_step(r, &s->tile->steps.at[i]);
    return;
  }
  double flops = cost_step_flops(r->plan, r->le, s);
  r->work += flops, r->values += s->nodes.n;
  if (!s->nodes.n || r->made[s->nodes.at[0]]) {
    if (s->nodes.n) r->where = s->nodes.at[0];
    return;
  }
  if (r->le->again && r->le->again[s->nodes.at[0]])
    r->again += flops;
  else
    r->once += flops;
  r->distinct += s->nodes.n;
  for (int i = 0; i < s->nodes.n; i++) r->made[s->nodes.at[i]] = true;
}

static Repeats count_steps(const Plan *p, const LocalEntry *le) {
  ArenaMark mark = arena_mark(p->arena);
  Repeats r = {.plan = p, .le = le, .made = arena_array(p->arena, bool, le->graph->nodes.n + 1)};
  for (int t = 0; t < le->steps.n; t++) count_step(&r, &le->steps.at[t]);
  arena_release(p->arena, mark);
  return r;
}

bool work_again_within(const Plan *p, const LocalEntry *le) {
  Repeats r = count_steps(p, le);
  return r.again <= r.once * (1 + 1e-9);
}

void verify_again(const Plan *p, const char *after) {
  verify_memory(p, after);
  verify_sums(p, after);
  for (int e = 0; e < p->entries.n; e++)
    if (!work_again_within(p, &p->entries.at[e]))
      verify_breach(p, p->entries.at[e].entry, p->entries.at[e].graph, 0, after,
                    "more is computed again than the entry takes without");
}

/* A value with memory for one tile that a step reads which does not compute it; NO_NODE: none. */
static NodeId read_outside(const Plan *p, const LocalEntry *le) {
  NodeId found = NO_NODE;
  const ArenaMark mark = arena_mark(p->arena);
  for (int t = 0; le->tile_bytes && t < le->steps.n && found == NO_NODE; t++) {
    const Step *s = &le->steps.at[t];
    Reads r = {0};
    step_reads(le, s, p->arena, &r);
    for (int i = 0; i < r.n; i++) {
      const NodeId id = r.at[i].node;
      if (le->tile_bytes[id] && !(s->kind == STEP_TILES && tiles_make(s->tile, id))) found = id;
    }
  }
  arena_release(p->arena, mark);
  return found;
}

void verify_tiles(const Plan *p, const char *after) {
  verify_sums(p, after);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    const NodeId outside = read_outside(p, le);
    if (outside != NO_NODE)
      verify_breach(p, le->entry, le->graph, outside, after,
                    "memory for one tile is read by a step outside of its tiles");
    Repeats r = count_steps(p, le);
    if (r.work <= WORK_MOST * (1 + 1e-9) * (r.once + r.again) && r.values <= WORK_MOST * r.distinct)
      continue;
    verify_breach(p, le->entry, le->graph, r.where, after,
                  "tiles recompute more than the entry computes without them");
  }
}
