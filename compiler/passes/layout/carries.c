/* Layouts of values that loops carry, where none is given. Propagation has one for each, from what
 * cuts it first; in a loop of many runs another may be worth converting the value before the loop
 * and behind it. It is kept when a call becomes faster by more than TRIAL_GAIN, by the sum that
 * `choose` minimizes and by the figures of the plan:
 *
 *   repeat i in 0..100 { y = y @ w }, w [m, _]   inferred [_, m], 100 reduce-scatters
 *   -> y [_, _], and w gathered once
 *
 * Tried are: not cut, cut along one dim by axes that cut something in the entry, and what the next
 * value is computed in; for all carries of a name (those of a loop in a loop go on from each other)
 * and for all of a shape. A carried variable, and what a variable becomes, stay. The work is
 * bounded by the size of the program, so that large ones compile as fast as before: there all
 * carries keep their inferred layouts. */
#include "choose.h"
#include <string.h>

enum { MOST_TRIED = 4000 }; /* nodes, over all trials */

typedef struct CarryTrials {
  EntryTrials *t;
  NodeVec group; /* carries that have one layout, and what is behind their regions */
} CarryTrials;

static Node *carry_node(const CarryTrials *c, NodeId id) {
  return graph_node(c->t->entry->graph, id);
}

/* What a variable becomes behind the loop, as a stack's rows do in `init`. */
static bool is_assigned(const CarryTrials *c, NodeId carry) {
  for (int i = 0; i < c->t->entry->assigns.n; i++) {
    NodeId at = c->t->entry->assigns.at[i].node;
    while (op_is(carry_node(c, at), OPF_AFTER | OPF_CARRY) && at != carry)
      at = carry_node(c, at)->operand[0];
    if (at == carry) return true;
  }
  return false;
}

/* A variable is carried as it lies, and an annotation stands. */
static bool is_open(const CarryTrials *c, const Carry *x) {
  const Node *n = carry_node(c, x->node);
  return n->shape.rank && !n->spec && !carry_node(c, x->next)->spec &&
         carry_node(c, n->operand[0])->op != OP_var && !is_assigned(c, x->node) &&
         layout_is_plain(n->layout) && !n->layout->partial;
}

static bool alike(const CarryTrials *c, const Carry *a, const Carry *b, bool by_name) {
  const Node *x = carry_node(c, a->node), *y = carry_node(c, b->node);
  if (!shape_equal(&x->shape, &y->shape)) return false;
  if (a->node == b->node || !by_name) return true;
  return a->name && b->name && !strcmp(a->name, b->name);
}

/* False: one of them is not open, or none runs in a loop. */
static bool gather_group(CarryTrials *c, const Carry *like, bool by_name) {
  const Graph *g = c->t->entry->graph;
  bool loops = false;
  c->group.n = 0;
  for (int r = 0; r < c->t->entry->regions.n; r++) {
    const Region *x = &c->t->entry->regions.at[r];
    for (int i = 0; i < x->carries.n; i++) {
      if (!alike(c, like, &x->carries.at[i], by_name)) continue;
      if (!is_open(c, &x->carries.at[i])) return false;
      loops = loops || x->kind == REGION_LOOP;
      vec_push(c->t->plan->arena, &c->group, x->carries.at[i].node);
    }
  }
  const int carries = c->group.n;
  for (NodeId i = 0; i < g->nodes.n; i++)
    for (int k = 0; k < carries && op_is(graph_node(g, i), OPF_AFTER); k++)
      if (graph_node(g, i)->operand[0] == c->group.at[k]) {
        if (graph_node(g, i)->spec) return false;
        vec_push(c->t->plan->arena, &c->group, i);
      }
  return loops;
}

static const Layout **layouts_now(const CarryTrials *c) {
  const Layout **now = arena_array(c->t->plan->arena, const Layout *, c->group.n + 2);
  for (int k = 0; k < c->group.n; k++) now[k] = carry_node(c, c->group.at[k])->layout;
  return now;
}

static void lay(CarryTrials *c, const Layout *const *layout, bool each) {
  for (int k = 0; k < c->group.n; k++) carry_node(c, c->group.at[k])->layout = layout[each ? k : 0];
}

/* True when the group has that layout from now on. */
static bool try_layout(CarryTrials *c, const Layout *l) {
  const Layout **was = layouts_now(c);
  bool other = false;
  for (int k = 0; k < c->group.n; k++) other = other || was[k] != l;
  if (!other) return false;
  lay(c, &l, false);
  if (trial_wins(c->t)) return true;
  lay(c, was, true);
  return false;
}

/* For --why: of what cuts it otherwise than inferred. Other reasons stay, as chains from tensors
 * beyond go on over them. */
static void give_reason(CarryTrials *c, const Layout *const *was) {
  for (int k = 0; k < c->group.n; k++) {
    const Inferred **of = &c->t->plan->inferred[c->t->index][c->group.at[k]];
    Inferred *why = arena_copy(c->t->plan->arena, *of, sizeof *why);
    const Layout *is = carry_node(c, c->group.at[k])->layout;
    for (int a = 0; a < c->t->plan->program->mesh.naxes; a++) {
      const int d = layout_dim_cut(is, a);
      if (d >= 0 && d != layout_dim_cut(was[k], a)) why->why[a] = (Reason){.kind = WHY_CHEAPEST};
    }
    *of = why;
  }
}

static const Layout *made(const CarryTrials *c, NodeId next, const Shape *s) {
  const ChoiceValue *v = &c->t->best->value[next];
  if (v->free) return NULL;
  const Layout *l = form_at(c->t->best->routes, v->form, choice_result(c->t->best, next));
  if (!layout_is_plain(l)) return NULL;
  return layout_without_partial(c->t->plan->program->layouts, l, s);
}

static bool try_cuts(CarryTrials *c, const Shape *s) {
  const Mesh *m = &c->t->plan->program->mesh;
  bool any = false;
  for (int d = 0; d < s->rank; d++)
    for (int a = 0; a < m->naxes; a++) {
      Layout l = {.rank = s->rank, .reduce = RED_SUM};
      for (int k = 0; k < s->rank; k++) l.dim[k].granule = 1;
      if (!(c->t->axes & 1u << a) || m->axis[a].size > s->dim[d]) continue;
      l.dim[d].axis[l.dim[d].naxes++] = a;
      any = try_layout(c, layout_of(c->t->plan->program->layouts, &l, s)) || any;
    }
  return any;
}

static void place_group(CarryTrials *c, const Carry *x) {
  const Shape *s = &carry_node(c, x->node)->shape;
  Choice *before = c->t->best;
  const Layout *next = made(c, x->next, s), **was = layouts_now(c);
  bool any = try_layout(c, layout_whole(c->t->plan->program->layouts, s->rank));
  if (next) any = try_layout(c, next) || any;
  any = try_cuts(c, s) || any;
  if (!any) return;
  const double is = choice_figure(c->t->plan, c->t->index, c->t->best);
  const Layout **found = layouts_now(c);
  lay(c, was, true);
  if (is < choice_figure(c->t->plan, c->t->index, before) * (1 - TRIAL_GAIN)) {
    lay(c, found, true);
    give_reason(c, was);
  } else {
    c->t->best = before;
  }
}

static void place_carries(EntryTrials *t) {
  CarryTrials c = {.t = t};
  for (int by_name = 1; by_name >= 0; by_name--)
    for (int r = 0; r < t->entry->regions.n; r++)
      for (int i = 0; i < t->entry->regions.at[r].carries.n && t->left > 0; i++) {
        const Carry *x = &t->entry->regions.at[r].carries.at[i];
        if (is_open(&c, x) && gather_group(&c, x, by_name) && c.group.at[0] == x->node)
          place_group(&c, x);
      }
}

static bool has_regions(const Entry *e) { return e->regions.n > 0; }

void carries(Plan *p) { trials_of_entries(p, MOST_TRIED, has_regions, place_carries); }
