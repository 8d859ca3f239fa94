/* What regions carry from run to run that no name of the body says: variables, the number of a run
 * for random values, and the order of what is told.
 *
 * Law: a region carries it from its first use on, and so does each region around it. */
#include "flow.h"
#include "op.h"

Region *region_at(Elab *e, const OpenRegion *r) { return &e->at->entry.regions.at[r->index]; }

NodeId region_operate(Elab *e, const char *sign, Arg x, Arg y) {
  return build_operator(&e->at->build, op_operator(sign, 2), &x, &y).node;
}
/* -------- opening -------- */

OpenRegion *region_open(Elab *e, RegionKind kind, Span at) {
  Building *b = e->at;
  OpenRegion *r = arena_new_of(e->arena, OpenRegion);
  *r = (OpenRegion){.up = b->open,
                    .index = b->entry.regions.n,
                    .counter = NO_NODE,
                    .told = NO_NODE,
                    .run = NO_NODE};
  vec_push(e->arena, &b->entry.regions,
           ((Region){.kind = kind,
                     .parent = b->open ? b->open->index : NO_REGION,
                     .span = at,
                     .condition = NO_NODE,
                     .turns = TURNS_UNKNOWN}));
  b->open = r;
  return r;
}

NodeId region_add_carry(Elab *e, OpenRegion *r, NodeId init, const char *name, Span at) {
  Region *to = region_at(e, r);
  const int64_t attr[] = {r->index, to->carries.n};
  if (init == NO_NODE) return NO_NODE;
  e->at->build.span = at;
  const NodeId id = build_node(&e->at->build, OP_carry, 1, &init, 2, attr, 0);
  if (id != NO_NODE) vec_push(e->arena, &to->carries, ((Carry){id, id, name, at}));
  return id;
}

Carry *region_carry_of(Elab *e, const OpenRegion *r, NodeId node) {
  Region *in = region_at(e, r);
  for (int i = 0; i < in->carries.n; i++)
    if (in->carries.at[i].node == node) return &in->carries.at[i];
  return NULL;
}

NodeId region_after(Elab *e, NodeId carry) {
  return build_node(&e->at->build, OP_after, 1, &carry, 0, NULL, 0);
}

/* -------- variables -------- */

static RegionVar *var_in(OpenRegion *r, int var) {
  for (int i = 0; i < r->vars.n; i++)
    if (r->vars.at[i].var == var) return &r->vars.at[i];
  return NULL;
}

static NodeId carry_var(Elab *e, OpenRegion *r, int var, NodeId before, Span at) {
  const Carry *c;
  const NodeId id = region_add_carry(e, r, before, e->program->vars.at[var].path, at);
  if (id == NO_NODE) return id;
  c = region_carry_of(e, r, id);
  graph_node(e->at->build.graph, id)->name = e->program->vars.at[var].path;
  vec_push(e->arena, &r->vars, ((RegionVar){var, (int)(c - region_at(e, r)->carries.at), before}));
  return id;
}

static NodeId current(Elab *e, int var) {
  const NodeList *v = variable_versions(e, e->at, var);
  return v->n ? v->at[v->n - 1] : NO_NODE;
}

static void carry_in(Elab *e, OpenRegion *r, int var, Span at) {
  if (var_in(r, var)) return;
  if (r->up) carry_in(e, r->up, var, at);
  const NodeId id = carry_var(e, r, var, current(e, var), at);
  if (id != NO_NODE) vec_push(e->arena, variable_versions(e, e->at, var), id);
}

void region_carry_variable(Elab *e, int var, Span at) {
  if (e->at->open && current(e, var) != NO_NODE) carry_in(e, e->at->open, var, at);
}

/* What each run of the body has made of it. Behind, it has its value of before if that is the same.
 */
void region_close_vars(Elab *e, const OpenRegion *r) {
  for (int i = 0; i < r->vars.n; i++) {
    const RegionVar *v = &r->vars.at[i];
    Carry *c = &region_at(e, r)->carries.at[v->carry];
    c->next = current(e, v->var);
    if (c->next == c->node)
      vec_push(e->arena, variable_versions(e, e->at, v->var), v->before);
    else
      variable_assign(e, v->var, value_node(region_after(e, c->node)), region_at(e, r)->span);
  }
}

/* -------- the number of a run, for random values -------- */

NodeId region_counter(Elab *e, OpenRegion *r) {
  if (r->counter != NO_NODE) return r->counter;
  r->counts = true;
  return r->counter =
             region_add_carry(e, r, build_whole(&e->at->build, DT_I64, 0), NULL, e->at->build.span);
}

/* In a loop each run has draws of its own, the same on any mesh: odd numbers, another for each
 * depth, keep the runs of nested loops and of later calls apart. */
NodeId region_random_step(Elab *e, NodeId step) {
  uint64_t odd = 0x9e3779b97f4a7c15u;
  const Span span = e->at->build.span;
  for (OpenRegion *r = e->at->open; r && step != NO_NODE; r = r->up, odd = odd * 5 + 2) {
    if (region_at(e, r)->kind != REGION_LOOP) continue;
    const NodeId run = build_cast(&e->at->build, region_counter(e, r), DT_I64);
    const NodeId from_one = region_operate(e, "+", tensor_arg(run), int_arg(1));
    const NodeId far = region_operate(e, "*", tensor_arg(from_one), int_arg((int64_t)odd));
    step = region_operate(e, "+", tensor_arg(step), tensor_arg(far));
  }
  e->at->build.span = span;
  return step;
}

void region_close_counter(Elab *e, OpenRegion *r) {
  if (!r->counts || r->counter == NO_NODE) return;
  region_carry_of(e, r, r->counter)->next =
      region_operate(e, "+", tensor_arg(r->counter), int_arg(1));
}

/* -------- what is told, in order -------- */

static void carry_told(Elab *e, OpenRegion *r) {
  if (!r || r->told != NO_NODE) return;
  carry_told(e, r->up);
  e->at->told = r->told = region_add_carry(e, r, e->at->told, NULL, e->at->build.span);
}

NodeId region_told(Elab *e) {
  if (e->at->told == NO_NODE) e->at->told = build_whole(&e->at->build, DT_I32, 0);
  carry_told(e, e->at->open);
  return e->at->told;
}

void region_close_told(Elab *e, OpenRegion *r) {
  if (r->told == NO_NODE) return;
  region_carry_of(e, r, r->told)->next = e->at->told;
  e->at->told = region_after(e, r->told);
}
