/* Finds layouts for tensors that are not annotated.
 *
 * The entries that train are merged into one graph, in which a variable is one node: it may have
 * any layout at no cost, is read from that layout, and its assigned values are required in it.
 * Inputs may have any layout too, what loops and branches carry likewise, and outputs any that is
 * not partial. Then the choice is made as for one entry (choose.c), and messages prove its distance
 * from the optimum. */
#include "auto.h"
#include "choose.h"
#include "opdefs.h"
#include <math.h>

enum { MOST_BOUND_SWEEPS = 60 };

typedef struct Merge {
  const Plan *plan;
  Arena *arena;
  const Program *program;
  Graph *graph;
  NodeId *var;     /* by variable, or NO_NODE */
  NodeVec outputs; /* nodes that stand for an output */
  NodeVec inputs;
  VEC(const char *) input_path;
  NodeId **map; /* [entry][node] */
} Merge;

bool auto_entry(const Plan *p, int entry) {
  bool any = false;
  for (int e = 1; e < p->program->entries.n; e++) any = any || p->program->entries.at[e].assigns.n;
  return entry > 0 && (!any || p->program->entries.at[entry].assigns.n);
}

bool auto_carries(const Plan *p) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *x = &p->program->entries.at[e];
    for (int r = 0; auto_entry(p, e) && r < x->regions.n; r++)
      if (x->regions.at[r].condition != NO_NODE) return true;
  }
  return false;
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
      map[i] = m->var[node_source(&n)];
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
    node_becomes_operand(&n);
    n.operand = &x, n.spec = NULL;
    vec_push(m->arena, &m->outputs, graph_add(m->graph, &n));
  }
}

static const int *forms_of(const Merge *m, const Choice *c, const NodeId *id, int n) {
  int *form = arena_array(m->arena, int, n + 1);
  for (int i = 0; i < n; i++) form[i] = c->value[id[i]].form;
  return form;
}

/* What a region carries lies as before it at its beginning, and as its next value at the end of
 * each run. The layouts that it has in the plan follow from those of variables and inputs, which
 * are open here: so it is open too. */
static void open_carries(Choice *c, WaysCache *cache, const Merge *m, const Entry *e,
                         const NodeId *map) {
  for (int r = 0; r < e->regions.n; r++) {
    const Region *x = &e->regions.at[r];
    for (int i = 0; x->condition != NO_NODE && i < x->carries.n; i++) {
      const NodeId id = map[x->carries.at[i].node];
      const Node *n = graph_node(c->graph, id);
      if (n->spec || c->value[id].free) continue;
      const int noperands = n->noperands + 1;
      NodeId *from = arena_array(m->arena, NodeId, noperands);
      for (int k = 0; k < n->noperands; k++) from[k] = n->operand[k];
      from[n->noperands] = map[x->carries.at[i].next];
      c->operand[id] = from;
      c->ways[id] =
          ways_of_lying(cache, c->value[id].form, noperands, forms_of(m, c, from, noperands), 0);
    }
  }
  for (NodeId i = 0; i < e->graph->nodes.n; i++) { /* behind the region: in the same memory */
    const NodeId id = map[i];
    const Node *n = graph_node(c->graph, id);
    if (!op_is(n, OPF_AFTER) || n->spec || !choice_is_open(c, n->operand[0])) continue;
    c->ways[id] = ways_of_lying(cache, c->value[id].form, n->noperands,
                                forms_of(m, c, n->operand, n->noperands), 0);
  }
}

/* Variables, inputs, outputs and what regions carry, without a required layout. */
static void open_up(Merge *m, Choice *c, WaysCache *cache, double byte_price, bool carries) {
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
    c->ways[id] = ways_of_lying(cache, c->value[id].form, n, forms_of(m, c, stored, n), byte_price);
  }
  for (int i = 0; i < m->inputs.n; i++) {
    NodeId id = m->inputs.at[i];
    c->value[id].lies = -1;
    c->ways[id] = ways_of_lying(cache, c->value[id].form, 0, NULL, 0);
  }
  for (int i = 0; i < m->outputs.n; i++) {
    NodeId id = m->outputs.at[i];
    c->ways[id] = ways_of_lying(cache, c->value[id].form, 1, forms_of(m, c, c->operand[id], 1), 0);
  }
  for (int e = 0; e < g->entries.n; e++) {
    const Entry *en = &g->entries.at[e];
    if (auto_entry(m->plan, e)) {
      if (carries) open_carries(c, cache, m, en, m->map[e]);
      choice_add_regions(c, en, m->map[e]);
      choice_weigh(c, en, m->map[e]);
    }
    for (int i = 0; auto_entry(m->plan, e) && i < en->outputs.n; i++)
      if (en->outputs.at[i].spec)
        choice_add_end(c, m->map[e][en->outputs.at[i].node], en->outputs.at[i].layout);
  }
}

static double find_bound(Choice *c) {
  MinSum *m = min_sum_new(c, true);
  min_sum_reset(m, true);
  double best = 0;
  for (int i = 0, idle = 0; i < MOST_BOUND_SWEEPS && idle < 4; i++) {
    min_sum_sweep(m);
    double b = min_sum_bound(m);
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

/* Whether a tensor will be split is known where it is annotated, and chosen here for variables and
 * inputs. Of the others propagation decides later: the search takes them as if what is cut
 * anywhere would be split, the bound (`sure`) leaves them free. */
static const Guard *guards_of(const Merge *m, bool sure, bool *unsure) {
  const Program *g = m->program;
  Guard *guard = arena_array(m->arena, Guard, m->graph->nodes.n + 1);
  for (int e = 0; e < g->entries.n; e++) {
    const Span *by = auto_entry(m->plan, e) ? forbid_find(g, &g->entries.at[e]) : NULL;
    for (NodeId i = 0; by && i < g->entries.at[e].graph->nodes.n; i++) {
      const Node *n = graph_node(g->entries.at[e].graph, i);
      bool known = !n->noperands || n->spec;
      if (!by[i].file || (sure && !known)) continue;
      *unsure = *unsure || !known;
      guard[m->map[e][i]] = n->spec && layout_axes(n->layout) ? GUARD_WHOLE : GUARD_GATHER;
    }
    /* Of an assignment to a variable that may become split. */
    for (int i = 0; by && !sure && i < g->entries.at[e].assigns.n; i++) {
      const Assign *x = &g->entries.at[e].assigns.at[i];
      const Var *v = &g->vars.at[x->var];
      if (!v->forbid.file || v->spec || guard[m->map[e][x->node]]) continue;
      guard[m->map[e][x->node]] = GUARD_GATHER;
      *unsure = true;
    }
  }
  return guard;
}

static Choice *set_up(Merge *m, WaysCache *cache, const Guard *guard, double byte_price,
                      bool carries) {
  Choice *c = arena_new_of(m->arena, Choice);
  choice_begin(c, (Plan *)m->plan, m->graph, ways_routes(cache));
  choice_guard(c, guard);
  choice_list_ways(c, cache);
  open_up(m, c, cache, byte_price, carries);
  choice_ready(c);
  return c;
}

Auto *auto_find(const Plan *p, double byte_price, bool carries, bool bound) {
  Arena *a = p->arena;
  Merge m = {.plan = p, .arena = a, .program = p->program, .graph = graph_new(a, VIEW_GLOBAL, 0)};
  Auto *out = arena_new_of(a, Auto);
  bool unsure = false;
  m.map = arena_array(a, NodeId *, p->program->entries.n + 1);
  m.var = arena_array(a, NodeId, p->program->vars.n + 1);
  for (int v = 0; v < p->program->vars.n; v++) m.var[v] = add_var(&m, v);
  for (int e = 0; e < p->program->entries.n; e++)
    if (auto_entry(p, e)) merge_entry(&m, e);
  WaysCache *cache = ways_cache(p->program, a, true);
  Choice *c = set_up(&m, cache, guards_of(&m, false, &unsure), byte_price, carries);
  choice_search(c, false);
  out->time = c->total, out->choice = c;
  if (bound) {
    Choice *b = unsure ? set_up(&m, cache, guards_of(&m, true, &unsure), byte_price, carries) : c;
    out->bound = find_bound(b);
  }
  report(&m, c, out);
  return out;
}
