/* From the global graph to one device's: every op works on boxes, and exchanges convert boxes that
 * are owned to boxes that are required.
 *
 * `choose` has selected how each op is computed. A value may exist in several layouts at once
 * (versions); it is converted at its first use, along the value's tree of conversions, so a
 * partial value is reduced late and once.
 *
 *   %5 = contract %3, %4     x [batch, model], w [model, _]
 *   ->  %5 = contract %3, %4        [batch, _] partial(model)
 *       %6 = exchange %5            [batch, _]                     all-reduce over model */
#include "choose.h"
#include "opdefs.h"
#include <math.h>
#include <string.h>

typedef struct Version {
  const Layout *layout;
  NodeId local;
} Version;

typedef struct Versions {
  VEC(Version) v;
  const Tree *tree; /* conversions from the layout that all others come from; NULL: none */
} Versions;

/* The layouts that shifts need of a value. */
typedef struct ShiftNeeds {
  VEC(const Layout *) v;
} ShiftNeeds;

typedef struct Partition {
  Plan *plan;
  Program *program;
  const Mesh *mesh;
  Arena *arena;
  const Graph *g;
  LocalEntry *le;
  const Choice *choice;
  Versions **have; /* by global node */
  ShiftNeeds *shifts;   /* by global node */
} Partition;

static NodeId add_local(Partition *p, const Node *n, NodeId from, NodeId cause) {
  NodeId id = graph_add(p->le->graph, n);
  vec_push(p->arena, &p->le->origin, from);
  vec_push(p->arena, &p->le->cause, cause);
  return id;
}

static NodeId add_exchange(Partition *p, NodeId x, const Layout *to, NodeId origin, NodeId cause) {
  const Node *from = graph_node(p->le->graph, x);
  Node n = {.op = OP_exchange,
            .dtype = from->dtype,
            .shape = from->shape,
            .noperands = 1,
            .operand = &x,
            .name = from->name,
            .layout = to};
  const Node *for_whom = graph_node(p->g, cause == NO_NODE ? origin : cause);
  n.span = for_whom->span, n.site = for_whom->site;
  return add_local(p, &n, origin, cause);
}

/* -------- versions -------- */

static NodeId add_version(Partition *p, NodeId id, NodeId local) {
  Version v = {graph_node(p->le->graph, local)->layout, local};
  vec_push(p->arena, &p->have[id]->v, v);
  return local;
}

static int layout_number(Partition *p, NodeId id, const Layout *l) {
  return form_layout(p->choice->routes, p->choice->value[id].form, l);
}

/* Sets the layout that the others are converted from. */
static void grow_tree(Partition *p, NodeId id, int from) {
  int wanted[MAX_HOPS], n = choice_wanted(p->choice, id, wanted, MAX_HOPS);
  Tree t;
  if (route_tree(p->choice->routes, p->choice->value[id].form, from, wanted, n, &t) < INFINITY &&
      t.nhops)
    p->have[id]->tree = arena_copy(p->arena, &t, sizeof t);
}

static NodeId no_way(Partition *p, NodeId id, const Layout *need, NodeId cause) {
  Node copy = *graph_node(p->g, id);
  diag_error(
      p->plan->program->diag, graph_node(p->g, cause == NO_NODE ? id : cause)->span,
      "%s cannot be computed in layout %s: it is not a partial value; split an operand of the "
      "op that computes it over that axis",
      node_text(p->plan->program, p->g, id, p->arena), layout_text(p->arena, p->mesh, need));
  node_becomes_zero(&copy);
  copy.layout = need;
  return add_local(p, &copy, id, NO_NODE);
}

/* What is made of its index alone is not made at places below 0 and from n on, as a cyclic window
 * has them: such dims are whole. */
static const Layout *made_in(Partition *p, const Node *n, const Layout *need) {
  Layout l = *need;
  for (int d = 0; d < l.rank && op_class(n) != OPC_CONST; d++)
    if (l.dim[d].window.cyclic) l.dim[d] = (DimLayout){.granule = 1};
  return layout_of(p->program->layouts, &l, &n->shape);
}

static NodeId value_in(Partition *p, NodeId id, const Layout *need, NodeId cause);

static bool is_hop_of(Partition *p, NodeId id, const Layout *l) {
  const Tree *t = p->have[id]->tree;
  for (int i = 0; t && i < t->nhops; i++)
    if (form_at(p->choice->routes, p->choice->value[id].form, t->hop[i].to) == l) return true;
  return false;
}

/* The complete sum that a view `x` shows partial terms of is made of what it shows, where other
 * uses find it, too: a loop that keeps a sum of each run has it in other dims. NO_NODE: something
 * else is needed, or shown. */
static NodeId reduced_below(Partition *p, NodeId id, NodeId x, const Layout *need, NodeId cause) {
  const Node *n = graph_node(p->g, id);
  Node view = *graph_node(p->le->graph, x);
  Layout l = *view.layout;
  l.partial = need->partial;
  if (node_class(n) != CLASS_VIEW || op_is(n, OPF_CARRY | OPF_AFTER) || view.op != n->op ||
      !(view.layout->partial & ~need->partial) ||
      layout_of(p->program->layouts, &l, &n->shape) != need)
    return NO_NODE;
  const NodeId of = n->operand[0];
  NodeId terms = view.operand[0];
  const Node *shown = graph_node(p->le->graph, terms);
  if (shown->layout->partial != view.layout->partial || p->choice->value[of].free) return NO_NODE;
  l = *shown->layout;
  l.partial = need->partial;
  const Layout *whole = layout_of(p->program->layouts, &l, &shown->shape);
  const Versions *have = p->have[of];
  NodeId sum = NO_NODE;
  for (int i = 0; i < have->v.n; i++)
    if (have->v.at[i].layout == whole) sum = have->v.at[i].local;
  if (sum == NO_NODE && is_hop_of(p, of, whole)) sum = value_in(p, of, whole, cause);
  if (sum == NO_NODE) sum = reduced_below(p, of, terms, whole, cause);
  if (sum == NO_NODE) sum = add_version(p, of, add_exchange(p, terms, whole, of, cause));
  view.operand = &sum;
  view.layout = need;
  return add_local(p, &view, id, NO_NODE);
}

/* Where more layouts are required than a tree of conversions has, each of the others is converted
 * by itself, from that in which the value was made. NO_NODE: it cannot be. */
static NodeId value_by_route(Partition *p, NodeId id, int to, NodeId cause) {
  const Versions *have = p->have[id];
  const int form = p->choice->value[id].form;
  Routes *r = p->choice->routes;
  if (!have->v.n) return NO_NODE;
  NodeId x = have->v.at[0].local;
  int from = layout_number(p, id, have->v.at[0].layout);
  if (route(r, form, from, to) == INFINITY) return NO_NODE;
  while (from != to) {
    from = route_next(r, form, from, to);
    const Layout *l = form_at(r, form, from);
    int known = have->v.n;
    while (known && have->v.at[known - 1].layout != l) known--;
    const NodeId below = known ? NO_NODE : reduced_below(p, id, x, l, cause);
    x = known              ? have->v.at[known - 1].local
        : below != NO_NODE ? add_version(p, id, below)
                           : add_version(p, id, add_exchange(p, x, l, id, cause));
  }
  return x;
}

/* The value of a global node in a layout, made if it is not there yet. */
static NodeId value_in(Partition *p, NodeId id, const Layout *need, NodeId cause) {
  Versions *have = p->have[id];
  for (int i = 0; i < have->v.n; i++)
    if (have->v.at[i].layout == need) return have->v.at[i].local;
  if (p->choice->value[id].free) {
    Node n = *graph_node(p->g, id);
    n.layout = made_in(p, &n, need);
    return add_version(p, id, add_local(p, &n, id, NO_NODE));
  }
  int to = layout_number(p, id, need);
  for (int i = 0; have->tree && i < have->tree->nhops; i++) {
    if (have->tree->hop[i].to != to) continue;
    const Layout *from =
        form_at(p->choice->routes, p->choice->value[id].form, have->tree->hop[i].from);
    NodeId x = value_in(p, id, from, cause);
    const NodeId below = reduced_below(p, id, x, need, cause);
    return add_version(p, id, below != NO_NODE ? below : add_exchange(p, x, need, id, cause));
  }
  const NodeId x = value_by_route(p, id, to, cause);
  return x != NO_NODE ? x : add_version(p, id, no_way(p, id, need, cause));
}

/* What a shift needs need not be cut out of a larger box that the device has already. */
static bool serves(const Partition *p, NodeId id, const Layout *l, const Layout *need) {
  const Shape *s = &graph_node(p->g, id)->shape;
  if (l->partial != need->partial || (l->partial && l->reduce != need->reduce)) return false;
  for (int d = 0; d < l->rank; d++)
    if (!dim_inside(p->mesh, &l->dim[d], &need->dim[d], s->dim[d])) return false;
  return true;
}

/* The layout that a needed one is converted from; NULL: from none. */
static const Layout *converted_from(Partition *p, NodeId id, const Layout *need) {
  const Tree *t = p->have[id]->tree;
  const int form = p->choice->value[id].form, to = layout_number(p, id, need);
  for (int i = 0; t && i < t->nhops; i++)
    if (t->hop[i].to == to) return form_at(p->choice->routes, form, t->hop[i].from);
  return NULL;
}

/* What several shifts need of a value around its blocks is fetched at once where that costs less
 * than one after the other: a stencil's neighbours in one exchange, with one copy of the block.
 * NULL: no. */
static const Layout *around_all(Partition *p, NodeId id, const Layout *first, const Layout *from) {
  const ShiftNeeds *all = &p->shifts[id];
  const Node *n = graph_node(p->g, id);
  const Layout *wide = first;
  double apart = 0;
  int served = 0;
  for (int i = 0; i < all->v.n; i++) {
    Layout l;
    if (converted_from(p, id, all->v.at[i]) == from &&
        layout_around(p->mesh, &l, wide, all->v.at[i], &n->shape))
      wide = layout_of(p->program->layouts, &l, &n->shape);
  }
  for (int i = 0; i < all->v.n; i++) {
    const Layout *l = all->v.at[i];
    bool other = !serves(p, id, wide, l) || converted_from(p, id, l) != from;
    for (int k = 0; k < i && !other; k++) other = all->v.at[k] == l;
    if (other) continue;
    apart += cost_exchange(p->program, from, l, &n->shape, n->dtype);
    served++;
  }
  const bool gains = served > 1 && serves(p, id, wide, first) &&
                     cost_exchange(p->program, from, wide, &n->shape, n->dtype) < apart;
  return gains ? wide : NULL;
}

/* The value in a layout that has what a shift needs. */
static NodeId value_around(Partition *p, NodeId id, const Layout *need, NodeId cause) {
  const Versions *have = p->have[id];
  for (int i = 0; i < have->v.n; i++)
    if (serves(p, id, have->v.at[i].layout, need)) return have->v.at[i].local;
  const Layout *from = converted_from(p, id, need);
  const Layout *wide = from ? around_all(p, id, need, from) : NULL;
  if (!wide) return value_in(p, id, need, cause);
  const NodeId x = value_in(p, id, from, cause);
  return add_version(p, id, add_exchange(p, x, wide, id, cause));
}

/* -------- nodes -------- */

/* A value that may not be gathered is read from the layout that it was given, and no other. */
static void keep_as_said(Partition *p, NodeId id, NodeId local, int said) {
  const ChoiceValue *v = &p->choice->value[id];
  int from = layout_number(p, id, graph_node(p->le->graph, local)->layout);
  while (from != said) {
    if (route(p->choice->routes, v->form, from, said) == INFINITY) {
      local = no_way(p, id, graph_node(p->g, id)->layout, NO_NODE);
      break;
    }
    from = route_next(p->choice->routes, v->form, from, said);
    local = add_exchange(p, local, form_at(p->choice->routes, v->form, from), id, id);
  }
  add_version(p, id, local);
  grow_tree(p, id, said);
}

/* What region r needs at the end of a run, in its layouts: before anything that comes after it. */
static void place_region(Partition *p, int r) {
  const Region *x = &p->le->entry->regions.at[r];
  LocalRegion *to = &p->le->region[r];
  if (to->condition != NO_NODE || x->condition == NO_NODE) return;
  to->condition = value_in(p, x->condition, layout_whole(p->program->layouts, 0), NO_NODE);
  for (int i = 0; i < x->carries.n; i++) {
    const NodeId node = x->carries.at[i].node;
    const NodeId next = value_in(p, x->carries.at[i].next, graph_node(p->g, node)->layout, node);
    vec_push(p->arena, &to->carries, ((LocalCarry){p->have[node]->v.at[0].local, next}));
  }
}

/* A carry keeps its layout through the region, and behind it. */
static void place_carried(Partition *p, NodeId id, Node n, const Way *w) {
  const bool after = op_is(&n, OPF_AFTER);
  const NodeId from = n.operand[0];
  NodeId x;
  if (after) {
    n.layout = graph_node(p->g, from)->layout;
    place_region(p, (int)node_attr(graph_node(p->g, from), "region"));
  }
  x = value_in(p, from, n.layout, after ? NO_NODE : id);
  n.operand = &x;
  add_version(p, id, add_local(p, &n, id, NO_NODE));
  grow_tree(p, id, w->result);
}

/* Of operand i of a node. */
static const Layout *needed(const Partition *p, NodeId id, int i) {
  const Way *w = &p->choice->ways[id]->way[p->choice->way[id]];
  const int form = p->choice->value[graph_node(p->g, id)->operand[i]].form;
  return form_at(p->choice->routes, form, w->need[i]);
}

/* What a wrapped border shows of a cut dim has come with the block; around a whole dim the ends are
 * put here, and the convolution has no border there. */
static void put_ends(Partition *p, Node *n, NodeId id) {
  Graph *g = p->le->graph;
  Build b = {
      .arena = p->arena, .diag = p->program->diag, .graph = g, .span = n->span, .site = n->site};
  NodeId *x = (NodeId *)n->operand;
  const NodeId had = x[0];
  uint32_t whole = 0;
  for (int d = 0; d < graph_node(g, had)->shape.rank; d++)
    if (!graph_node(g, had)->layout->dim[d].naxes) whole |= 1u << d;
  x[0] = convolution_ends(&b, n, whole);
  while (p->le->origin.n < g->nodes.n) {
    Node *made = graph_node(g, p->le->origin.n);
    made->layout = layout_of(p->program->layouts, graph_node(g, had)->layout, &made->shape);
    vec_push(p->arena, &p->le->origin, graph_node(p->g, id)->operand[0]);
    vec_push(p->arena, &p->le->cause, NO_NODE);
  }
}

/* All dims of more than one element on a device keep their order. */
static bool stays_in_place(const Partition *p, const Node *n) {
  const Shape s = node_local(p->mesh, n);
  int64_t last = -1;
  for (int d = 0; d < n->shape.rank; d++) {
    if (s.dim[d] == 1) continue;
    if (node_attrs(n, "perm")[d] < last) return false;
    last = node_attrs(n, "perm")[d];
  }
  return true;
}

static void list_shifts(Partition *p, NodeId id) {
  const Node *n = graph_node(p->g, id);
  if (!op_is(n, OPF_SHIFTS) || p->choice->value[id].free) return;
  for (int i = 0; i < n->noperands; i++)
    vec_push(p->arena, &p->shifts[n->operand[i]].v, needed(p, id, i));
}

static void place(Partition *p, NodeId id) {
  Node n = *graph_node(p->g, id);
  const ChoiceValue *v = &p->choice->value[id];
  p->have[id] = arena_new_of(p->arena, Versions);
  if (v->free) return;
  if (!n.noperands) {
    add_version(p, id, add_local(p, &n, id, NO_NODE));
    grow_tree(p, id, v->lies);
    return;
  }
  const Way *w = &p->choice->ways[id]->way[p->choice->way[id]];
  if (op_is(&n, OPF_LAYOUT)) {
    add_version(p, id, value_in(p, n.operand[0], n.layout, id));
    grow_tree(p, id, w->result);
    return;
  }
  if (op_is(&n, OPF_CARRY | OPF_AFTER)) {
    place_carried(p, id, n, w);
    return;
  }
  NodeId *x = arena_array(p->arena, NodeId, n.noperands);
  for (int i = 0; i < n.noperands; i++) {
    const Layout *need = needed(p, id, i);
    x[i] = op_is(&n, OPF_SHIFTS) ? value_around(p, n.operand[i], need, id)
                                 : value_in(p, n.operand[i], need, id);
  }
  n.operand = x;
  n.layout = form_at(p->choice->routes, v->form, w->result);
  if (op_class(&n) == OPC_CONVOLUTION) put_ends(p, &n, id);
  if (n.op->stays && stays_in_place(p, &n)) n.op = n.op->stays;
  const NodeId local = add_local(p, &n, id, NO_NODE);
  const int source = choice_source(p->choice, id, w->result);
  if (source != w->result) {
    keep_as_said(p, id, local, source);
    return;
  }
  add_version(p, id, local);
  const Node *global = graph_node(p->g, id);
  if (choice_is_said(global)) { /* an error even where no use requires it */
    int said = layout_number(p, id, global->layout);
    if (route(p->choice->routes, v->form, w->result, said) == INFINITY) {
      no_way(p, id, global->layout, NO_NODE);
      return;
    }
  }
  grow_tree(p, id, w->result);
}

void partition_as(Plan *plan, int index, const Choice *choice) {
  Program *g = plan->program;
  const Entry *e = &g->entries.at[index];
  int n = e->graph->nodes.n;
  LocalEntry le = {
      .entry = e, .index = index, .graph = graph_new(plan->arena, VIEW_LOCAL, n + n / 4)};
  Partition p = {
      .plan = plan, .program = g, .mesh = &g->mesh, .arena = plan->arena, .g = e->graph, .le = &le};
  p.choice = choice;
  p.have = arena_array(plan->arena, Versions *, n + 1);
  le.region = arena_array(plan->arena, LocalRegion, e->regions.n + 1);
  for (int r = 0; r < e->regions.n; r++) le.region[r].condition = NO_NODE;
  p.shifts = arena_array(plan->arena, ShiftNeeds, n + 1);
  for (NodeId i = 0; i < n; i++) list_shifts(&p, i);
  for (NodeId i = 0; i < n; i++) place(&p, i);
  le.choice = p.choice;
  le.input = arena_array(plan->arena, NodeId, e->inputs.n + 1);
  le.output = arena_array(plan->arena, NodeId, e->outputs.n + 1);
  le.assign = arena_array(plan->arena, NodeId, e->assigns.n + 1);
  for (int i = 0; i < e->inputs.n; i++) le.input[i] = p.have[e->inputs.at[i].node]->v.at[0].local;
  for (int i = 0; i < e->assigns.n; i++)
    le.assign[i] =
        value_in(&p, e->assigns.at[i].node, g->vars.at[e->assigns.at[i].var].layout, NO_NODE);
  for (int i = 0; i < e->outputs.n; i++)
    le.output[i] = value_in(&p, e->outputs.at[i].node, e->outputs.at[i].layout, NO_NODE);
  vec_push(plan->arena, &plan->entries, le);
}

void partition(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) partition_as(p, i, p->chosen[i]);
}
