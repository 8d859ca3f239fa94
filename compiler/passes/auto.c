/* Finds layouts for what the user left unsaid.
 *
 * The entries that train are put into one graph, where a variable is one node: it may lie in any
 * layout, costs nothing to lie so, is read from it and wants what is assigned to it in the same.
 * Inputs may lie in any layout too, and outputs leave in any that has no terms. Then the choice is
 * made as for one entry (choose.c), and messages prove how far from the best it can be. */
#include "auto.h"
#include "choose.h"
#include <math.h>

enum { MOST_BOUND_SWEEPS = 60 };

typedef struct Merge {
  const Plan *plan;
  Arena *arena;
  const Program *program;
  Graph *graph;
  NodeId *var;         /* by variable, or NO_NODE */
  VEC(NodeId) outputs; /* nodes that stand for an output */
  VEC(NodeId) inputs;
  VEC(const char *) input_path;
  NodeId **map; /* [entry][node] */
} Merge;

bool auto_entry(const Plan *p, int entry) {
  bool any = false;
  for (int e = 1; e < p->program->entries.n; e++) any = any || p->program->entries.at[e].assigns.n;
  return entry > 0 && (!any || p->program->entries.at[entry].assigns.n);
}

static NodeId add_var(Merge *m, int index) {
  const Var *v = &m->program->vars.at[index];
  int64_t attr[2] = {0, index};
  Node n = {.op = OP_var,
            .dtype = v->dtype,
            .shape = v->shape,
            .nattr = 2,
            .attr = attr,
            .name = v->path,
            .layout = v->layout};
  return graph_add(m->graph, &n);
}

static void merge_entry(Merge *m, int index) {
  const Entry *e = &m->program->entries.at[index];
  NodeId *map = m->map[index] = arena_array(m->arena, NodeId, e->graph->nodes.n + 1);
  for (NodeId i = 0; i < e->graph->nodes.n; i++) {
    Node n = *graph_node(e->graph, i);
    if (n.op == OP_var) {
      map[i] = m->var[n.attr[1]];
      continue;
    }
    NodeId *x = arena_array(m->arena, NodeId, n.noperands + 1);
    for (int k = 0; k < n.noperands; k++) x[k] = map[n.operand[k]];
    n.operand = x;
    map[i] = graph_add(m->graph, &n);
  }
  for (int i = 0; i < e->inputs.n; i++) {
    NodeId x = map[e->inputs.at[i].node];
    if (graph_node(m->graph, x)->spec) continue;
    vec_push(m->arena, &m->inputs, x);
    vec_push(m->arena, &m->input_path,
             arena_printf(m->arena, "%s.%s", e->name, e->inputs.at[i].name));
  }
  for (int i = 0; i < e->outputs.n; i++) {
    if (e->outputs.at[i].spec) continue;
    NodeId x = map[e->outputs.at[i].node];
    Node n = *graph_node(m->graph, x);
    n.op = OP_stop_gradient, n.noperands = 1, n.operand = &x, n.nattr = 0, n.spec = NULL;
    vec_push(m->arena, &m->outputs, graph_add(m->graph, &n));
  }
}

/* Variables and inputs that may lie anywhere, outputs that may leave in any layout. */
static void open_up(Merge *m, Choice *c, WaysCache *cache, double byte_price) {
  const Program *g = m->program;
  for (int v = 0; v < g->vars.n; v++) {
    NodeId *stored = NULL;
    int n = 0;
    for (int e = 0; e < g->entries.n; e++) {
      const Entry *en = &g->entries.at[e];
      for (int i = 0; auto_entry(m->plan, e) && i < en->assigns.n; i++) {
        if (en->assigns.at[i].var != v) continue;
        NodeId x = m->map[e][en->assigns.at[i].node];
        if (g->vars.at[v].spec) {
          choice_add_end(c, x, g->vars.at[v].layout);
          continue;
        }
        if (!stored) stored = arena_array(m->arena, NodeId, g->entries.n);
        stored[n++] = x;
      }
    }
    NodeId id = m->var[v];
    if (g->vars.at[v].spec) continue;
    c->value[id].lies = -1;
    c->operand[id] = stored;
    c->ways[id] = ways_of_lying(cache, c->value[id].form, n, byte_price);
  }
  for (int i = 0; i < m->inputs.n; i++) {
    NodeId id = m->inputs.at[i];
    c->value[id].lies = -1;
    c->ways[id] = ways_of_lying(cache, c->value[id].form, 0, 0);
  }
  for (int i = 0; i < m->outputs.n; i++) {
    NodeId id = m->outputs.at[i];
    c->ways[id] = ways_of_lying(cache, c->value[id].form, 1, 0);
  }
  for (int e = 0; e < g->entries.n; e++) {
    const Entry *en = &g->entries.at[e];
    for (int i = 0; auto_entry(m->plan, e) && i < en->outputs.n; i++)
      if (en->outputs.at[i].spec)
        choice_add_end(c, m->map[e][en->outputs.at[i].node], en->outputs.at[i].layout);
  }
}

static double find_bound(Choice *c) {
  Messages *m = messages_new(c, true, true);
  double best = 0;
  for (int i = 0, idle = 0; i < MOST_BOUND_SWEEPS && idle < 4; i++) {
    messages_sweep(m);
    double b = messages_bound(m);
    idle = b > best * 1.001 ? 0 : idle + 1;
    best = fmax(best, b);
  }
  return best;
}

static void report(const Merge *m, const Choice *c, Auto *out) {
  const Program *g = m->program;
  for (int i = 0; i < m->inputs.n; i++) {
    NodeId id = m->inputs.at[i];
    const Node *n = graph_node(m->graph, id);
    AutoLayout a = {m->input_path.at[i], n->shape, n->dtype,
                    form_at(c->routes, c->value[id].form, choice_result(c, id)), n->span};
    vec_push(m->arena, &out->found, a);
  }
  for (int v = 0; v < g->vars.n; v++) {
    const Var *x = &g->vars.at[v];
    NodeId id = m->var[v];
    if (x->spec) continue;
    AutoLayout a = {x->path, x->shape, x->dtype,
                    form_at(c->routes, c->value[id].form, choice_result(c, id)), x->span};
    vec_push(m->arena, &out->found, a);
  }
}

Auto *auto_find(const Plan *p, double byte_price, bool bound) {
  Arena *a = p->arena;
  Merge m = {.plan = p, .arena = a, .program = p->program, .graph = graph_new(a, VIEW_GLOBAL)};
  Auto *out = arena_new_of(a, Auto);
  Choice *c = arena_new_of(a, Choice);
  Routes *routes = arena_new_of(a, Routes);
  m.map = arena_array(a, NodeId *, p->program->entries.n + 1);
  m.var = arena_array(a, NodeId, p->program->vars.n + 1);
  for (int v = 0; v < p->program->vars.n; v++) m.var[v] = add_var(&m, v);
  for (int e = 0; e < p->program->entries.n; e++)
    if (auto_entry(p, e)) merge_entry(&m, e);
  *routes = (Routes){.program = p->program, .arena = a};
  WaysCache *cache = ways_cache(routes);
  choice_begin(c, (Plan *)p, m.graph, routes);
  choice_list_ways(c, cache);
  open_up(&m, c, cache, byte_price);
  choice_ready(c);
  choice_search(c, false);
  out->time = c->total;
  if (bound) out->bound = find_bound(c);
  report(&m, c, out);
  return out;
}
