/* Reverse-mode differentiation. A `grad` node is replaced by the nodes that compute it; all grads
 * of one loss share one backward pass, placed at the first of them. Gradients of gradients work
 * because graphs are rewritten in order: an inner backward pass consists of ordinary nodes by the
 * time it is needed. Where an entry has regions, each loss is a rewriting of its own, since the way
 * back adds to regions that come before it (reverse.c). Where it has none, what a loss takes
 * follows from the operations that it is computed from, however many others there are.
 *
 *   %9 = grad(%8 loss, %1 w)   becomes   %9.. = cotangents from %8 back to %1 */
#include "graph_passes.h"
#include "reverse.h"
#include <stdlib.h>
#include <string.h>

typedef struct Autodiff {
  Plan *plan;
  const Entry *entry;
  Build b;
  const Graph *old;
  NodeId *map;      /* old node -> new node */
  NodeId *gradient; /* old grad node -> its value in the new graph, once computed */
  NodeId *next;     /* old grad node -> the next one of the same loss, or NO_NODE */
  Reverse v;
  int index; /* of the entry */
  LoopsKeep keep;
  bool rewound; /* this rewriting has had its loss */
  /* Without regions: the new nodes that the loss is computed from, rising, and by new node, up to
   * `room`, what each loss finds, and leaves, as if it were the first. */
  NodeVec from, look;
  int room;
  bool *met, *wrt, *dep;
  NodeId *cot, *value;
  int *region;
} Autodiff;

/* What a run leaves in a carry, by the carry's new node; NO_NODE of other nodes. */
static NodeId *left_by_runs(const Autodiff *d) {
  const int n = d->b.graph->nodes.n;
  NodeId *next = arena_array(d->plan->arena, NodeId, n + 1);
  for (NodeId i = 0; i < n; i++) next[i] = NO_NODE;
  for (int r = 0; r < d->entry->regions.n; r++)
    for (int k = 0; k < d->entry->regions.at[r].carries.n; k++) {
      const Carry *c = &d->entry->regions.at[r].carries.at[k];
      if (d->map[c->node] != NO_NODE) next[d->map[c->node]] = d->map[c->next];
    }
  return next;
}

/* Whether the gradient ends at a node on purpose: nothing before it is asked for one. */
static bool ends_gradient(const Node *n) {
  return !dtype_is_float(n->dtype) || (n->op->grad && n->op->no_grad);
}

/* Which new nodes the loss is computed from by a path that no node ends. Of what a region carries
 * that is what comes out of it into the loss, and what that takes: no cotangents go back through
 * the rest. */
static bool *leads_to(const Autodiff *d, NodeId loss) {
  const Graph *g = d->b.graph;
  bool *leads = arena_array(d->plan->arena, bool, loss + 1);
  const NodeId *next = left_by_runs(d);
  NodeVec look = {0};
  vec_push(d->plan->arena, &look, loss);
  while (look.n) {
    const NodeId i = look.at[--look.n];
    if (i < 0 || i > loss || leads[i]) continue;
    leads[i] = true;
    const Node *n = graph_node(g, i);
    if (ends_gradient(n)) continue;
    for (int k = 0; k < n->noperands; k++) vec_push(d->plan->arena, &look, n->operand[k]);
    if (op_is(n, OPF_CARRY)) vec_push(d->plan->arena, &look, next[i]);
  }
  return leads;
}

/* One step of the law; what a run leaves in a carry comes into the next. */
static bool finds_more(const Autodiff *d, NodeId loss, const bool *leads, bool *dep) {
  const Graph *g = d->b.graph;
  bool more = false;
  for (NodeId i = 0; i <= loss; i++) {
    const Node *n = graph_node(g, i);
    if (!leads[i] && op_is(n, OPF_CARRY | OPF_AFTER)) continue;
    for (int k = 0; !dep[i] && k < n->noperands; k++)
      if (dep[n->operand[k]] && dtype_is_float(n->dtype)) dep[i] = true;
  }
  for (int r = 0; r < d->entry->regions.n; r++) {
    const Region *x = &d->entry->regions.at[r];
    if (d->v.first_after[r] == NO_NODE || !reverse_closed(&d->v, r)) continue;
    for (int k = 0; k < x->carries.n; k++) {
      const Carry *c = &x->carries.at[k];
      if (!dep[c->next] || dep[c->node] || !leads[c->node]) continue;
      dep[c->node] = more = true;
    }
  }
  return more;
}

/* Why no gradient goes through a node; NULL: one does. */
static const char *why_not(const Autodiff *d, const Node *n, NodeId i) {
  if (n->op->grad) return NULL;
  if (!op_is(n, OPF_CARRY | OPF_AFTER)) return n->op->no_grad;
  const int r = d->v.region[op_is(n, OPF_CARRY) ? i : n->operand[0]];
  const Region *x = &d->entry->regions.at[r];
  if (reverse_begins_branch(&d->v, i)) return NULL;
  if (!reverse_closed(&d->v, r)) return n->op->no_grad;
  if (op_is(n, OPF_AFTER) && x->kind == REGION_LOOP && x->turns == TURNS_UNKNOWN && !x->most)
    return "its number of runs is known only at run time; bound it with `most=`, or use "
           "`scan`, or `repeat` from number to number, or take the gradient inside of the body";
  return NULL;
}

static void note_site(const Autodiff *d, const Node *n) {
  if (n->site.file && n->site.file != n->span.file)
    diag_note(d->plan->program->diag, n->site, "called here");
}

/* `n` is carried by the region, or what it has left. */
static void no_way_through(const Autodiff *d, int region, const Node *n, const char *why) {
  const Region *x = &d->entry->regions.at[region];
  Diag *diag = d->plan->program->diag;
  diag_error(diag, x->span, "no gradient goes through this loop: %s", why);
  diag_note(diag, n->span, "the gradient goes through what it carries, which is bound here");
  note_site(d, n);
}

/* Whether a step to this old node takes a gradient further. */
static bool carries_on(const Node *n) {
  return dtype_is_float(n->dtype) &&
         (op_is(n, OPF_CARRY | OPF_AFTER | OPF_GRAD) || (n->op->grad && !n->op->no_grad));
}

/* Which old nodes depend on those of `wrt` that are outside of a loop, through its earlier runs, too. */
static bool *depends_through_runs(const Autodiff *d, const bool *wrt, int loop, const int *region) {
  const Graph *g = d->old;
  bool *dep = arena_array(d->plan->arena, bool, g->nodes.n + 1), more = true;
  for (NodeId i = 0; i < g->nodes.n; i++)
    dep[i] = wrt[i] && !region_within(d->entry, region[i], loop);
  while (more) {
    more = false;
    for (NodeId i = 0; i < g->nodes.n; i++) {
      const Node *n = graph_node(g, i);
      for (int k = 0; !dep[i] && carries_on(n) && k < n->noperands; k++)
        dep[i] = dep[n->operand[k]];
    }
    for (int r = 0; r < d->entry->regions.n; r++)
      for (int k = 0; k < d->entry->regions.at[r].carries.n; k++) {
        const Carry *c = &d->entry->regions.at[r].carries.at[k];
        if (dep[c->next] && !dep[c->node]) dep[c->node] = more = true;
      }
  }
  return dep;
}

/* A loss in the body of a loop reads what earlier runs have made of what is outside of it: that part
 * of the gradient is no silent zero, either. */
static void look_at_earlier_runs(Autodiff *d, NodeId first) {
  const Graph *g = d->old;
  const NodeId loss = graph_node(g, first)->operand[0];
  const int *region = regions_find(d->plan->arena, d->entry, g);
  bool *wrt = arena_array(d->plan->arena, bool, g->nodes.n + 1);
  if (region[loss] == NO_REGION) return;
  for (NodeId i = first; i < g->nodes.n; i++)
    if (op_is(graph_node(g, i), OPF_GRAD) && graph_node(g, i)->operand[0] == loss)
      wrt[graph_node(g, i)->operand[1]] = true;
  bool *leads = arena_array(d->plan->arena, bool, g->nodes.n + 1);
  leads[loss] = true;
  for (NodeId i = loss; i >= 0; i--) {
    const Node *n = graph_node(g, i);
    for (int k = 0; leads[i] && !wrt[i] && carries_on(n) && k < n->noperands; k++)
      leads[n->operand[k]] = true;
  }
  for (int r = region[loss]; r != NO_REGION; r = d->entry->regions.at[r].parent) {
    const Region *x = &d->entry->regions.at[r];
    if (x->kind != REGION_LOOP) continue;
    const bool *dep = depends_through_runs(d, wrt, r, region);
    for (int k = 0; k < x->carries.n; k++) {
      const Carry *c = &x->carries.at[k];
      if (!leads[c->node] || wrt[c->node] || !dep[c->next] || c->next == c->node) continue;
      const Node *n = graph_node(g, c->node);
      no_way_through(d, r, n, n->op->no_grad);
    }
  }
}

/* Never a silent zero. */
static void check_derivative(const Autodiff *d, NodeId i) {
  const Node *n = graph_node(d->b.graph, i);
  const char *why = why_not(d, n, i);
  if (!why) return;
  if (op_is(n, OPF_AFTER | OPF_CARRY)) {
    no_way_through(d, d->v.region[op_is(n, OPF_CARRY) ? i : n->operand[0]], n, why);
    return;
  }
  diag_error(d->plan->program->diag, n->span, "`%s` has no derivative: %s", n->op->name, why);
  note_site(d, n);
}

/* Which new nodes depend on a node in `wrt` by a path that carries a gradient, to the loss. */
static bool *depends_on(Autodiff *d, NodeId loss, const bool *wrt) {
  bool *dep = arena_array(d->plan->arena, bool, loss + 1);
  const bool *leads = leads_to(d, loss);
  for (NodeId i = 0; i <= loss; i++) dep[i] = wrt[i];
  while (finds_more(d, loss, leads, dep)) continue;
  for (NodeId i = 0; i <= loss; i++)
    if (dep[i] && !wrt[i]) check_derivative(d, i);
  return dep;
}

/* -------- without regions -------- */

static bool is_straight(const Autodiff *d) { return !d->entry->regions.n; }

static void *grown(Autodiff *d, const void *at, size_t size, int room) {
  void *new = arena_alloc(d->plan->arena, size * (size_t)room);
  if (d->room) memcpy(new, at, size * (size_t)d->room);
  return new;
}

static void make_room(Autodiff *d, NodeId loss) {
  const int room = 2 * (loss + 1);
  if (loss < d->room) return;
  d->met = grown(d, d->met, sizeof *d->met, room);
  d->wrt = grown(d, d->wrt, sizeof *d->wrt, room);
  d->dep = grown(d, d->dep, sizeof *d->dep, room);
  d->cot = grown(d, d->cot, sizeof *d->cot, room);
  d->value = grown(d, d->value, sizeof *d->value, room);
  d->region = grown(d, d->region, sizeof *d->region, room);
  for (NodeId i = d->room; i < room; i++) {
    d->met[i] = d->wrt[i] = d->dep[i] = false;
    d->cot[i] = NO_NODE, d->value[i] = i, d->region[i] = NO_REGION;
  }
  d->room = room;
}

static int rising(const void *one, const void *other) {
  const NodeId a = *(const NodeId *)one, b = *(const NodeId *)other;
  return (a > b) - (a < b);
}

/* Cotangents are of floats, and go through nothing else. */
static void find_from(Autodiff *d, NodeId loss) {
  d->from.n = 0;
  vec_push(d->plan->arena, &d->look, loss);
  while (d->look.n) {
    const NodeId i = d->look.at[--d->look.n];
    const Node *n = graph_node(d->b.graph, i);
    if (d->met[i] || !dtype_is_float(n->dtype)) continue;
    d->met[i] = true;
    vec_push(d->plan->arena, &d->from, i);
    for (int k = 0; k < n->noperands; k++) vec_push(d->plan->arena, &d->look, n->operand[k]);
  }
  if (d->from.n) qsort(d->from.at, (size_t)d->from.n, sizeof *d->from.at, rising);
}

static const bool *depends_straight(Autodiff *d, NodeId loss) {
  find_from(d, loss);
  for (int at = 0; at < d->from.n; at++) {
    const NodeId i = d->from.at[at];
    const Node *n = graph_node(d->b.graph, i);
    d->dep[i] = d->wrt[i];
    for (int k = 0; !d->dep[i] && k < n->noperands; k++) d->dep[i] = d->dep[n->operand[k]];
    if (d->dep[i] && !d->wrt[i]) check_derivative(d, i);
  }
  return d->dep;
}

static void forget(Autodiff *d) {
  for (int at = 0; at < d->from.n; at++) {
    const NodeId i = d->from.at[at];
    d->met[i] = d->dep[i] = false, d->cot[i] = NO_NODE;
  }
}

/* -------- one loss -------- */

static void backward(Autodiff *d, NodeId loss, const bool *wrt, NodeId *cot) {
  Build *b = &d->b;
  const Span outer = b->span, outer_site = b->site;
  const int within = b->within;
  d->v = (Reverse){.arena = d->plan->arena,
                   .diag = d->plan->program->diag,
                   .entry = d->entry,
                   .keep = d->keep,
                   .b = b,
                   .loss = loss,
                   .cot = cot};
  if (is_straight(d)) {
    d->v.region = d->region, d->v.value = d->value;
    d->v.dep = depends_straight(d, loss);
    d->v.from = &d->from;
  } else {
    reverse_init(&d->v);
    d->v.dep = depends_on(d, loss, wrt);
  }
  b->span = graph_node(b->graph, loss)->span;
  cot[loss] = build_const(b, graph_node(b->graph, loss)->dtype, 1);
  if (!d->plan->program->diag->errors) reverse_all(&d->v);
  b->span = outer, b->site = outer_site, b->back = false, b->within = within;
}

/* Whether a gradient of the gradient is left to be taken. Its bits would be others if the backward
 * pass recomputed values: terms that are one sum, if they come from one value, would be two. */
static bool is_again(const Autodiff *d, NodeId loss) {
  const Graph *g = d->old;
  bool *from = arena_array(d->plan->arena, bool, g->nodes.n + 1), more = true;
  while (more) {
    more = false;
    for (NodeId i = 0; i < g->nodes.n; i++) {
      const Node *n = graph_node(g, i);
      const bool grad = op_is(n, OPF_GRAD);
      if (grad && n->operand[0] != loss && from[n->operand[0]]) return true;
      if (grad && n->operand[0] == loss) from[i] = true;
      for (int k = 0; !from[i] && k < n->noperands; k++) from[i] = from[n->operand[k]];
    }
    for (int r = 0; r < d->entry->regions.n; r++)
      for (int c = 0; c < d->entry->regions.at[r].carries.n; c++) {
        const Carry *x = &d->entry->regions.at[r].carries.at[c];
        if (from[x->next] && !from[x->node]) from[x->node] = more = true;
      }
  }
  return false;
}

/* Of a gradient with respect to the real parts of a complex value, that of the imaginary ones, which
 * stands behind it, and the other way round. */
static NodeId twin_of(const Graph *g, NodeId grad) {
  const Node *n = graph_node(g, grad);
  return !n->nattr ? NO_NODE : n->attr[0] == 1 ? grad + 1 : grad - 1;
}

/* What a value is in the region that it comes out of, whose number it gives; NULL: in none. */
static const Carry *carry_of(const Autodiff *d, NodeId id, int *region) {
  const Node *n = graph_node(d->old, node_base_here(d->old, id));
  if (!op_is(n, OPF_AFTER)) return NULL;
  for (int r = 0; r < d->entry->regions.n; r++)
    for (int c = 0; c < d->entry->regions.at[r].carries.n; c++) {
      const Carry *x = &d->entry->regions.at[r].carries.at[c];
      if (x->node != n->operand[0]) continue;
      *region = r;
      return x;
    }
  return NULL;
}

static void warn_of_zero(const Autodiff *d, const Node *grad) {
  const Program *p = d->plan->program;
  diag_warning(p->diag, grad->span, "the loss does not depend on %s: its gradient is zero",
               node_text(p, d->old, grad->operand[1], d->plan->arena));
  note_site(d, grad);
  int of_loss, of_x;
  const Carry *loss = carry_of(d, grad->operand[0], &of_loss),
              *x = carry_of(d, grad->operand[1], &of_x);
  if (!loss || !x || !loss->name || !x->name || of_loss != of_x) return;
  const bool loops = d->entry->regions.at[of_x].kind == REGION_LOOP;
  diag_note(p->diag, x->span,
            "`%s` and the loss `%s` both come out of one %s: compute `%s` again from `%s` "
            "behind it",
            x->name, loss->name, loops ? "loop" : "branch", loss->name, x->name);
}

static void mark_wrt(const Autodiff *d, NodeId grad, NodeId loss, bool *wrt, bool is) {
  const Node *n = graph_node(d->old, grad);
  if (n->operand[1] <= n->operand[0] && d->map[n->operand[1]] <= loss)
    wrt[d->map[n->operand[1]]] = is;
}

/* Computes every grad of this grad's loss. */
static void differentiate(Autodiff *d, NodeId first) {
  Arena *a = d->plan->arena;
  NodeId old_loss = graph_node(d->old, first)->operand[0], loss = d->map[old_loss];
  bool *wrt;
  NodeId *cot;
  if (is_straight(d)) {
    make_room(d, loss);
    wrt = d->wrt, cot = d->cot;
  } else {
    look_at_earlier_runs(d, first);
    wrt = arena_array(a, bool, loss + 1), cot = arena_array(a, NodeId, loss + 1);
    for (NodeId i = 0; i <= loss; i++) cot[i] = NO_NODE;
  }
  for (NodeId i = first; i != NO_NODE; i = d->next[i]) mark_wrt(d, i, loss, wrt, true);
  d->keep = d->plan->loops_keep ? d->plan->loops_keep[d->index] : (LoopsKeep){0};
  if (d->keep.levels && is_again(d, old_loss))
    d->keep = (LoopsKeep){.again = true};
  backward(d, loss, wrt, cot);
  for (NodeId i = first; i != NO_NODE; i = d->next[i]) {
    const Node *n = graph_node(d->old, i);
    NodeId x = n->operand[1] <= old_loss ? d->map[n->operand[1]] : NO_NODE;
    NodeId value = x != NO_NODE && x <= loss ? cot[x] : NO_NODE;
    if (value == NO_NODE) {
      const NodeId twin = twin_of(d->old, i);
      const NodeId u = twin == NO_NODE ? x : d->map[graph_node(d->old, twin)->operand[1]];
      const bool warns = twin == NO_NODE || (twin > i && (u > loss || cot[u] == NO_NODE));
      const Node *of = graph_node(d->old, n->operand[1]);
      if (warns && !d->plan->program->diag->errors) /* else the backward pass ended before it came to x */
        warn_of_zero(d, n);
      d->b.span = n->span, d->b.site = n->site;
      value = mk_const(&d->b, of->dtype, &of->shape, 0);
    }
    d->gradient[i] = value;
  }
  if (!is_straight(d)) return;
  for (NodeId i = first; i != NO_NODE; i = d->next[i]) mark_wrt(d, i, loss, wrt, false);
  forget(d);
}

static void chain_grads(Autodiff *d) {
  const int n = d->old->nodes.n;
  NodeId *last = arena_array(d->plan->arena, NodeId, n); /* by loss: 1 + its first grad behind */
  d->next = arena_array(d->plan->arena, NodeId, n);
  for (NodeId i = n - 1; i >= 0; i--) {
    const Node *grad = graph_node(d->old, i);
    if (!op_is(grad, OPF_GRAD)) continue;
    d->next[i] = last[grad->operand[0]] ? last[grad->operand[0]] - 1 : NO_NODE;
    last[grad->operand[0]] = i + 1;
  }
}

/* A gradient with an annotated layout is a relayout of the cotangent: that may be the same for
 * several `grad`s, or anything else that the backward pass has made. */
static NodeId lay_out(Autodiff *d, const Node *grad, NodeId value) {
  if (!grad->spec) return value;
  d->b.span = grad->span, d->b.site = grad->site;
  NodeId id = build_relayout(&d->b, value, grad->spec);
  Node *made = graph_node(d->b.graph, id), *x = graph_node(d->b.graph, value);
  made->name = x->name ? x->name : grad->name;
  return id;
}

static NodeId add_copy(Autodiff *d, const Node *n) {
  Node copy = *n;
  NodeId *x = arena_array(d->plan->arena, NodeId, n->noperands);
  for (int k = 0; k < n->noperands; k++) x[k] = d->map[n->operand[k]];
  copy.operand = x;
  return graph_add(d->b.graph, &copy);
}

/* Each gradient of a gradient is some three times as large: three times as many operations as a text
 * may write out are enough, and more is no program that somebody meant. */
enum { MOST_NODES = 3 * 400000 };
static void check_size(const Autodiff *d, const Node *grad) {
  Diag *diag = d->plan->program->diag;
  if (d->b.graph->nodes.n > MOST_NODES && !diag->errors)
    diag_error(diag, grad->span,
               "with its gradients the entry has grown past 1.2 million operations; is this one "
               "taken of too many others?");
}

/* Returns whether grads of other losses are left. */
static bool rewrite(Plan *p, int index) {
  Entry *e = &p->program->entries.at[index];
  Autodiff d = {.plan = p, .entry = e, .index = index, .old = e->graph};
  int n = e->graph->nodes.n;
  bool any = false, left = false;
  for (NodeId i = 0; i < n; i++) any = any || op_is(graph_node(e->graph, i), OPF_GRAD);
  if (!any) return false;
  d.b = (Build){.arena = p->arena,
                .diag = p->program->diag,
                .graph = graph_new(p->arena, VIEW_GLOBAL, 2 * e->graph->nodes.n)};
  d.map = arena_array(p->arena, NodeId, n);
  d.gradient = arena_array(p->arena, NodeId, n);
  for (NodeId i = 0; i < n; i++) d.gradient[i] = NO_NODE;
  chain_grads(&d);
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(e->graph, i);
    if (op_is(&copy, OPF_GRAD)) {
      if (d.gradient[i] == NO_NODE && d.rewound && e->regions.n) {
        left = true;
        d.map[i] = add_copy(&d, &copy);
        continue;
      }
      if (d.gradient[i] == NO_NODE) differentiate(&d, i);
      check_size(&d, &copy);
      d.rewound = true;
      d.map[i] = lay_out(&d, &copy, d.gradient[i]);
      Node *made = graph_node(d.b.graph, d.map[i]);
      if (!made->forbid.file) made->forbid = copy.forbid;
      continue;
    }
    d.map[i] = add_copy(&d, &copy);
  }
  if (e->regions.n)
    reverse_finish(&d.v, e, d.map, n);
  else
    entry_rewritten(e, d.b.graph, d.map);
  return left;
}

void autodiff(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) {
    while (rewrite(p, i)) continue;
    regions_loosen(&p->program->entries.at[i]);
  }
}
