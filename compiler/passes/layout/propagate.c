/* Gives every tensor a layout, from the annotations, forward and backward through all entries at
 * once (a variable is one tensor in all of them) until nothing changes.
 *
 * A relayout's layout propagates back to an operand that has none by then. `updates` then adds
 * layouts of variables, and propagation continues.
 *
 * Facts are only added: an annotated dim that is not open never changes; others may gain axes,
 * each axis at most once per tensor; so the sweeps end. A sweep skips ops none of whose tensors
 * has changed since their last visit. One step handles one factor of one op: the longest list of
 * axes that its tensors agree on is written to every tensor that can take it. If they disagree the
 * largest tensor's list is taken, and the others stay as they are, unless `contest` finds another
 * outcome cheaper.
 *
 * Order: ops that only rename dims first, then factors that pass, then those that reduce or shift,
 * and broadcasts forward last, so that a bias does not decide for its batch. After Shardy
 * (OpenXLA). */
#include "propagate.h"
#include <string.h>

/* What `updates` adds, behind what cuts the dim already. */
static void cell_add(Propagate *p, Cell *c, const Added *x) {
  DimLayout *d = &c->dim[x->dim];
  for (int a = 0; a < p->mesh->naxes; a++) {
    if (!(x->axes & 1u << a) || c->used & 1u << a) continue;
    d->axis[d->naxes++] = a;
    c->used |= 1u << a;
    c->why.why[a] = (Reason){.kind = WHY_SHARED};
  }
  if (x->closed) c->closed = ~0u;
}

static Cell *cell_of(const Propagate *p, TensorId t) {
  if (t.kind == TENSOR_VAR) return &p->var[t.index];
  if (t.kind == TENSOR_NODE) return p->node[t.entry][t.index];
  int before = 0;
  for (int e = 0; e < t.entry; e++) before += p->plan->program->entries.at[e].outputs.n;
  return p->output[before + t.index];
}

/* Decisions so far; the first time, contests are collected. */
static void hold_contests(Propagate *p) {
  Plan *plan = p->plan;
  if (!plan->contests) plan->contests = arena_new_of(plan->arena, Contests);
  if (!plan->contests->known) plan->contests->at.n = 0;
  for (int i = 0; i < plan->contests->at.n; i++) {
    const Contest *x = &plan->contests->at.at[i];
    for (int k = 0; k < x->tensors.n && x->held; k++) {
      Cell *c = cell_of(p, x->tensors.at[k]);
      int h = 0;
      while (h < MAX_HELD && c->held[h]) h++;
      if (h < MAX_HELD) c->held[h] = x;
    }
  }
}

static const Layout *cell_layout(Propagate *p, const Cell *c) {
  const Layout **whole = &p->whole[c->shape.rank];
  if (!c->used && !c->spec) {
    if (!*whole) *whole = layout_whole(p->plan->program->layouts, c->shape.rank);
    return *whole;
  }
  Layout l = {.rank = c->shape.rank};
  memcpy(l.dim, c->dim, sizeof l.dim[0] * (size_t)l.rank);
  if (c->spec) l.partial = c->spec->partial, l.reduce = c->spec->reduce;
  return layout_of(p->plan->program->layouts, &l, &c->shape);
}

static void finish(Propagate *p) {
  Program *g = p->plan->program;
  Plan *plan = p->plan;
  int noutputs = 0;
  plan->var_inferred = arena_array(plan->arena, Inferred, g->vars.n + 1);
  plan->inferred = arena_array(plan->arena, const Inferred **, g->entries.n);
  for (int i = 0; i < g->vars.n; i++) {
    g->vars.at[i].layout = cell_layout(p, &p->var[i]);
    plan->var_inferred[i] = p->var[i].why;
  }
  for (int e = 0; e < g->entries.n; e++) {
    Entry *en = &g->entries.at[e];
    plan->inferred[e] = arena_array(plan->arena, const Inferred *, en->graph->nodes.n + 1);
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      graph_node(en->graph, i)->layout = cell_layout(p, p->node[e][i]);
      plan->inferred[e][i] = &p->node[e][i]->why;
    }
    for (int i = 0; i < en->outputs.n; i++, noutputs++) {
      Output *o = &en->outputs.at[i];
      const Cell *c = p->output[noutputs] ? p->output[noutputs] : p->node[e][o->node];
      o->layout = layout_without_partial(g->layouts, cell_layout(p, c), &c->shape);
    }
  }
}

static void add(Propagate *p) {
  const Plan *plan = p->plan;
  if (!plan->added) return;
  for (int v = 0; v < plan->program->vars.n; v++) cell_add(p, &p->var[v], &plan->added[v]);
  sweeps_all(p);
}

void propagate(Plan *plan) {
  Propagate *p = arena_new_of(plan->arena, Propagate);
  *p = (Propagate){.plan = plan, .mesh = &plan->program->mesh, .rules.arena = plan->arena};
  ties_set_up(p, plan->variables_as);
  hold_contests(p);
  p->dirty = arena_array(plan->arena, uint64_t, p->ties.n / 64 + 1);
  sweeps_all(p);
  while (sweeps_reach_back(p)) sweeps_all(p);
  add(p);
  finish(p);
  plan->propagated = plan->added ? NULL : p;
}

static void remember(Propagate *p) {
  Arena *a = p->plan->arena;
  p->before = arena_array(a, CellState, p->cells.n + 1);
  for (int i = 0; i < p->cells.n; i++) {
    const Cell *c = p->cells.at[i];
    p->before[i] = (CellState){.closed = c->closed, .used = c->used, .why = c->why};
    p->before[i].dim = arena_copy(a, c->dim, sizeof *c->dim * (size_t)c->shape.rank);
  }
}

static void restore(Propagate *p) {
  for (int i = 0; i < p->cells.n; i++) {
    Cell *c = p->cells.at[i];
    const CellState *s = &p->before[i];
    c->closed = s->closed, c->used = s->used, c->why = s->why;
    memcpy(c->dim, s->dim, sizeof *c->dim * (size_t)c->shape.rank);
  }
}

void propagate_added(Plan *plan) {
  Propagate *p = plan->propagated;
  if (!p) {
    propagate(plan);
    return;
  }
  if (p->before)
    restore(p);
  else
    remember(p);
  add(p);
  finish(p);
}
