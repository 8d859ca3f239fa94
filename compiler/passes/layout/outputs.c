/* Layouts of outputs that are not annotated. Propagation has a layout for each; an output may
 * instead keep the layout it is computed in, if converting it makes a call slower by more than
 * TRIAL_GAIN. The requirements of ops along a dim are known at this point (distribute).
 *
 *   return sum(x, axis=0), x [a, _]   inferred [_], an all-reduce -> [a], a reduce-scatter
 *
 * An axis splits an output only if it splits something else in the entry. The work is bounded by
 * the size of the program, so that large ones compile as fast as before: there all outputs keep
 * their inferred layouts. */
#include "choose.h"

enum { MOST_TRIED = 2000 }; /* nodes, over all trials */

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

static void try_output(EntryTrials *o, int output, Layout *l) {
  Output *x = &o->entry->outputs.at[output];
  const Layout *was = x->layout;
  const Shape *s = &graph_node(o->entry->graph, x->node)->shape;
  l->partial = 0;
  x->layout = layout_of(o->plan->program->layouts, l, s);
  if (x->layout == was || !trial_wins(o)) x->layout = was;
}

/* Where it is made in the choice that is free to leave it there; terms are summed up in pieces. */
static void place_output(EntryTrials *o, int output, const Choice *anywhere) {
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

static void place_outputs(EntryTrials *o) {
  o->plan->outputs_anywhere = true;
  const Choice *anywhere = choose_entry(o->plan, o->index, o->ways);
  o->plan->outputs_anywhere = false;
  if (!(anywhere->total < o->best->total * (1 - TRIAL_GAIN))) return;
  for (int i = 0; i < o->entry->outputs.n; i++)
    if (!o->entry->outputs.at[i].spec) place_output(o, i, anywhere);
}

void outputs(Plan *p) { trials_of_entries(p, MOST_TRIED, any_unsaid, place_outputs); }
