/* Layouts of outputs that are not annotated. Propagation has a layout for each; an output may
 * instead keep the layout it is computed in, if converting it makes a call slower by more than
 * GAIN. The requirements of ops along a dim are known at this point (distribute).
 *
 *   return sum(x, axis=0), x [a, _]   inferred [_], an all-reduce -> [a], a reduce-scatter
 *
 * An axis splits an output only if it splits something else in the entry. The work is bounded by
 * the size of the program, so that large ones compile as fast as before: there all outputs keep
 * their inferred layouts. */
#include "choose.h"
#include <math.h>

static const double GAIN = 0.01; /* of the time */
enum { MOST_TRIED = 2000 };      /* nodes, over all trials */

typedef struct Outputs {
  Plan *plan;
  Entry *entry;
  int index, left; /* trials */
  Routes *routes;
  WaysCache *ways;
  Choice *best;
  uint32_t axes; /* that cut something in the entry: no others may cut an output */
} Outputs;

static Choice *choose_now(const Outputs *o) {
  return choose_entry(o->plan, o->index, o->routes, o->ways);
}

static void only_axes(Layout *l, uint32_t axes) {
  for (int d = 0; d < l->rank; d++) {
    DimLayout *x = &l->dim[d];
    int n = 0;
    for (int i = 0; i < x->naxes; i++)
      if (axes & 1u << x->axis[i]) x->axis[n++] = x->axis[i];
    if (n < x->naxes) x->granule = 1;
    x->naxes = n;
    x->window = (Window){0};
  }
}

/* True when the output has that layout from now on. */
static bool try_output(Outputs *o, int output, Layout *l) {
  Output *x = &o->entry->outputs.at[output];
  const Layout *was = x->layout;
  const Shape *s = &graph_node(o->entry->graph, x->node)->shape;
  l->partial = 0;
  x->layout = layout_of(o->plan->program->layouts, l, s);
  if (x->layout == was || o->left-- <= 0) {
    x->layout = was;
    return false;
  }
  Choice *c = choose_now(o);
  if (!(c->total < o->best->total * (1 - GAIN))) {
    x->layout = was;
    return false;
  }
  o->best = c;
  return true;
}

/* Where it is made in the choice that is free to leave it there; terms are summed up in pieces. */
static void place_output(Outputs *o, int output, const Choice *anywhere) {
  NodeId id = o->entry->outputs.at[output].node;
  const ChoiceValue *v = &anywhere->value[id];
  const Shape *s = &graph_node(o->entry->graph, id)->shape;
  if (v->free || !s->rank) return;
  Layout made = *form_at(anywhere->routes, v->form, choice_result(anywhere, id));
  uint32_t terms = made.partial & o->axes;
  only_axes(&made, o->axes);
  Layout l = made;
  try_output(o, output, &l);
  for (int d = 0; d < s->rank && terms; d++) {
    l = made;
    for (int a = 0; a < MAX_AXES; a++)
      if (terms & 1u << a) l.dim[d].axis[l.dim[d].naxes++] = a;
    l.dim[d].granule = 1;
    if (dim_parts(&o->plan->program->mesh, &l.dim[d]) <= s->dim[d]) try_output(o, output, &l);
  }
}

static bool any_unsaid(const Entry *e) {
  for (int i = 0; i < e->outputs.n; i++)
    if (!e->outputs.at[i].spec && graph_node(e->graph, e->outputs.at[i].node)->shape.rank)
      return true;
  return false;
}

static void place_outputs(Outputs *o) {
  Plan *p = o->plan;
  if (!(o->best->total < INFINITY)) return;
  for (NodeId i = 0; i < o->entry->graph->nodes.n; i++)
    o->axes |= layout_axes(graph_node(o->entry->graph, i)->layout);
  p->outputs_anywhere = true;
  const Choice *anywhere = choose_now(o);
  p->outputs_anywhere = false;
  if (!(anywhere->total < o->best->total * (1 - GAIN))) return;
  for (int i = 0; i < o->entry->outputs.n; i++)
    if (!o->entry->outputs.at[i].spec) place_output(o, i, anywhere);
}

/* -------- the pass -------- */

void outputs(Plan *p) {
  Program *g = p->program;
  int n = g->entries.n;
  if (!g->mesh.naxes) return;
  Routes *routes = arena_new_of(p->arena, Routes);
  *routes = (Routes){.program = g, .arena = p->arena};
  WaysCache *ways = ways_cache(routes, true);
  Choice **chosen = arena_array(p->arena, Choice *, n + 1);
  for (int e = 1; e < n; e++) {
    Outputs o = {.plan = p, .entry = &g->entries.at[e], .index = e, .routes = routes, .ways = ways};
    chosen[e] = p->chosen ? p->chosen[e] : NULL;
    o.left = MOST_TRIED / (o.entry->graph->nodes.n + 1);
    if (o.left < 2 || !any_unsaid(o.entry)) continue;
    o.best = chosen[e] ? chosen[e] : choose_now(&o);
    place_outputs(&o);
    chosen[e] = o.best;
  }
  p->chosen = chosen;
}
