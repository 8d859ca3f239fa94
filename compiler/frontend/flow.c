/* Loops and branches that the running program decides on: `while`, `repeat`, and `if` on a tensor.
 * The body is executed once, here, and makes nodes of a region (ir/graph.h).
 *
 * A name that was bound before and is bound in the body is carried; so is a variable that the body
 * reads or assigns (`simplify` drops those that it only reads). Law: what is carried has one type
 * and shape, before, at the end of each run and behind. Other names that the body binds end with
 * it, but for those that both parts of an `if` bind. */
#include "flow.h"
#include "op.h"
#include <math.h>

Region *flow_region(Elab *e, const OpenRegion *r) { return &e->at->entry.regions.at[r->index]; }

NodeId flow_operate(Elab *e, const char *sign, Arg x, Arg y) {
  return build_operator(&e->at->build, op_operator(sign, 2), &x, &y).node;
}

/* -------- opening -------- */

/* Nodes from here on are written in this region. */
void flow_be_in(Elab *e, OpenRegion *r) {
  e->at->open = r;
  while (r && !region_may_rest(flow_region(e, r))) r = r->up;
  e->at->build.within = r ? r->index + 1 : 0;
}

OpenRegion *flow_open(Elab *e, RegionKind kind, Span at) {
  Building *b = e->at;
  OpenRegion *r = arena_new_of(e->arena, OpenRegion);
  *r = (OpenRegion){.up = b->open,
                    .index = b->entry.regions.n,
                    .frame = e->frame,
                    .counter = NO_NODE,
                    .told = NO_NODE,
                    .run = NO_NODE};
  vec_push(e->arena, &b->entry.regions,
           ((Region){.kind = kind,
                     .parent = b->open ? b->open->index : NO_REGION,
                     .span = at,
                     .condition = NO_NODE,
                     .turns = TURNS_UNKNOWN}));
  flow_be_in(e, r);
  return r;
}

NodeId flow_carry(Elab *e, OpenRegion *r, NodeId init, const char *name, Span at) {
  Region *to = flow_region(e, r);
  if (init == NO_NODE) return NO_NODE;
  e->at->build.span = at;
  const NodeId id = build_carry(&e->at->build, init, r->index, to->carries.n);
  if (id != NO_NODE) vec_push(e->arena, &to->carries, ((Carry){id, id, name, at, false}));
  return id;
}

Carry *flow_carry_of(Elab *e, const OpenRegion *r, NodeId node) {
  Region *in = flow_region(e, r);
  for (int i = 0; i < in->carries.n; i++)
    if (in->carries.at[i].node == node) return &in->carries.at[i];
  return NULL;
}

/* -------- variables -------- */

static RegionVar *var_in(OpenRegion *r, int var) {
  for (int i = 0; i < r->vars.n; i++)
    if (r->vars.at[i].var == var) return &r->vars.at[i];
  return NULL;
}

static NodeId carry_var(Elab *e, OpenRegion *r, int var, NodeId before, Span at) {
  Carry *c;
  const NodeId id = flow_carry(e, r, before, e->program->vars.at[var].path, at);
  if (id == NO_NODE) return id;
  c = flow_carry_of(e, r, id);
  c->variable = true;
  graph_node(e->at->build.graph, id)->name = e->program->vars.at[var].path;
  vec_push(e->arena, &r->vars,
           ((RegionVar){var, (int)(c - flow_region(e, r)->carries.at), before}));
  return id;
}

int region_variable_of(Elab *e, NodeId id) {
  const Node *n = graph_node(e->at->build.graph, id);
  const NodeId carry = op_is(n, OPF_AFTER) ? n->operand[0] : id;
  n = graph_node(e->at->build.graph, carry);
  if (!op_is(n, OPF_CARRY)) return -1;
  const Region *r = &e->at->entry.regions.at[node_attr(n, "region")];
  for (int i = 0; i < r->carries.n; i++)
    for (int v = 0; r->carries.at[i].node == carry && r->carries.at[i].variable; v++)
      if (e->program->vars.at[v].path == r->carries.at[i].name) return v;
  return -1;
}

static NodeId current(Elab *e, int var) {
  const NodeVec *v = variable_versions(e, e->at, var);
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

static NodeId variable_after(Elab *e, NodeId carry) {
  const NodeId id = build_after(&e->at->build, carry);
  graph_node(e->at->build.graph, id)->name = graph_node(e->at->build.graph, carry)->name;
  return id;
}

/* What each run of the body has made of it. Behind, it has its value of before if that is the same.
 */
static void close_vars(Elab *e, const OpenRegion *r) {
  for (int i = 0; i < r->vars.n; i++) {
    const RegionVar *v = &r->vars.at[i];
    Carry *c = &flow_region(e, r)->carries.at[v->carry];
    NodeVec *all = variable_versions(e, e->at, v->var);
    c->next = current(e, v->var);
    /* No gradient is taken with respect to those. The body may have assigned what it begins with. */
    for (int first = 0; first < all->n; first++)
      if (all->at[first] == c->node) all->n = first;
    const int assigned = e->at->assigned[v->var];
    const bool back = assigned && e->at->assigns.at[assigned - 1].node == c->node;
    if (c->next != c->node)
      variable_assign(e, v->var, value_node(variable_after(e, c->node)), flow_region(e, r)->span);
    else if (back) /* the last that the body assigns is what it began with */
      variable_assign(e, v->var, value_node(v->before), flow_region(e, r)->span);
    else if (current(e, v->var) != v->before)
      vec_push(e->arena, variable_versions(e, e->at, v->var), v->before);
  }
}

/* -------- the number of a run, for random values -------- */

NodeId flow_counter(Elab *e, OpenRegion *r) {
  if (r->counter != NO_NODE) return r->counter;
  r->counts = true;
  return r->counter =
             flow_carry(e, r, build_whole(&e->at->build, DT_I64, 0), NULL, e->at->build.span);
}

/* In a loop each run has draws of its own, the same on any mesh: odd numbers, another for each
 * depth, keep the runs of nested loops and of later calls apart. */
NodeId region_random_step(Elab *e, NodeId step) {
  uint64_t odd = 0x9e3779b97f4a7c15u;
  const Span span = e->at->build.span;
  for (OpenRegion *r = e->at->open; r && !r->rows && step != NO_NODE;
       r = r->up, odd = odd * 5 + 2) {
    if (flow_region(e, r)->kind != REGION_LOOP) continue;
    const NodeId run = build_cast(&e->at->build, flow_counter(e, r), DT_I64);
    const NodeId from_one = flow_operate(e, "+", tensor_arg(run), int_arg(1));
    const NodeId far = flow_operate(e, "*", tensor_arg(from_one), int_arg((int64_t)odd));
    step = flow_operate(e, "+", tensor_arg(step), tensor_arg(far));
  }
  if (e->at->run != NO_NODE && step != NO_NODE) { /* of a pipeline: a run of its own for each */
    const NodeId from_one = flow_operate(e, "+", tensor_arg(e->at->run), int_arg(1));
    const NodeId far = flow_operate(e, "*", tensor_arg(from_one), int_arg((int64_t)odd));
    step = flow_operate(e, "+", tensor_arg(step), tensor_arg(far));
  }
  e->at->build.span = span;
  return step;
}

static void close_counter(Elab *e, OpenRegion *r) {
  if (!r->counts || r->counter == NO_NODE) return;
  flow_carry_of(e, r, r->counter)->next = flow_operate(e, "+", tensor_arg(r->counter), int_arg(1));
}

/* -------- what is told, in order -------- */

static void carry_told(Elab *e, OpenRegion *r) {
  if (!r || r->told != NO_NODE) return;
  carry_told(e, r->up);
  e->at->told = r->told = flow_carry(e, r, e->at->told, NULL, e->at->build.span);
}

NodeId region_told(Elab *e) {
  if (e->at->told == NO_NODE) e->at->told = build_whole(&e->at->build, DT_I32, 0);
  carry_told(e, e->at->open);
  return e->at->told;
}

static void close_told(Elab *e, OpenRegion *r) {
  if (r->told == NO_NODE) return;
  flow_carry_of(e, r, r->told)->next = e->at->told;
  e->at->told = build_after(&e->at->build, r->told);
}

/* -------- names -------- */

/* As `bind` names what it binds. */
void flow_name(Elab *e, Where where, const char *name, NodeId id) {
  if (where == IN_ENTRY) entry_name_node(e, path_join(e, e->at->entry.name, name), id);
  if (where == IN_METHOD) entry_name_node(e, path_join(e, e->frame->instance->path, name), id);
}

/* The value that a run of the body begins with. */
Value flow_carry_value(Elab *e, OpenRegion *r, Value v, Ident name, Where where, uint64_t key) {
  Build *b = &e->at->build;
  b->span = name.span;
  NodeId id = NO_NODE;
  if (key && adopt_is_number(&v)) {
    if (r->peels) return v;
    id = adopt_first(e, r->types, &v, key, name.span);
  }
  if (id != NO_NODE) v.kind = V_NONE;
  if (v.kind == V_INT) id = build_whole(b, DT_I64, v.i);
  if (v.kind == V_REAL) id = build_const(b, DT_F32, v.real);
  if (v.kind == V_BOOL) id = build_const(b, DT_BOOL, v.i ? 1 : 0);
  if (v.kind == V_TENSOR) id = v.node;
  if (v.kind == V_LIST) {
    Value *at = arena_array(e->arena, Value, v.list->n);
    for (int i = 0; i < v.list->n; i++)
      at[i] = flow_carry_value(e, r, v.list->at[i], name, IN_FN, adopt_item(key, i));
    return value_list(e, at, v.list->n);
  }
  if (id == NO_NODE) return v;
  id = flow_carry(e, r, id, name.text, name.span);
  if (id != NO_NODE) flow_name(e, where, name.text, id);
  return value_node(id);
}

/* The number that a name was bound to, as a tensor of v's type; NULL: it was none. */
static const char *number_like(Elab *e, const Carried *c, const Value *v) {
  double real;
  if (v->kind != V_TENSOR || c->first.kind == V_BOOL || !value_number(&c->first, &real))
    return NULL;
  const Node *n = graph_node(e->at->build.graph, v->node);
  const char *type = dtype_name(n->dtype);
  if (dtype_is_int(n->dtype) && (real != floor(real) || real < (double)dtype_least(n->dtype) ||
                                 real > (double)dtype_most(n->dtype)))
    return NULL;
  if (n->dtype == DT_BOOL) return NULL;
  if (!n->shape.rank) return arena_printf(e->arena, "%s(%g)", type, real);
  Str s = str_new(e->arena);
  str_puts(&s, "full([");
  for (int d = 0; d < n->shape.rank; d++)
    str_printf(&s, "%s%ld", d ? ", " : "", (long)n->shape.dim[d]);
  str_printf(&s, "], %g, %s)", real, type);
  return s.at;
}

/* Whether each run adds something to a list, or to the rows of a tensor. */
static bool grows(Elab *e, const Value *before, const Value *v) {
  if (before->kind == V_LIST && v->kind == V_LIST) return v->list->n > before->list->n;
  if (before->kind != V_TENSOR || v->kind != V_TENSOR) return false;
  const Node *x = graph_node(e->at->build.graph, before->node);
  const Node *y = graph_node(e->at->build.graph, v->node);
  bool same = x->dtype == y->dtype && x->shape.rank == y->shape.rank && x->shape.rank > 0;
  for (int d = 1; same && d < x->shape.rank; d++) same = x->shape.dim[d] == y->shape.dim[d];
  return same && y->shape.dim[0] > x->shape.dim[0];
}

static bool is_read(const Graph *g, NodeId id) {
  for (int i = id + 1; i < g->nodes.n; i++)
    for (int k = 0; k < g->nodes.at[i].noperands; k++)
      if (g->nodes.at[i].operand[k] == id) return true;
  return false;
}

static void mismatch(Elab *e, const OpenRegion *r, const Carried *c, const Value *before,
                     const Value *v) {
  const Region *region = flow_region(e, r);
  const char *collect = "";
  if (region->kind == REGION_LOOP && grows(e, before, v))
    collect = arena_printf(e->arena, "; `collect %s = row` keeps one row a run", c->name.text);
  elab_fail(e, c->name.span,
            "`%s` is %s where the body ends, but %s where it begins: a name that a loop or a "
            "branch changes must keep its type and shape%s",
            c->name.text, value_describe(e, v), value_describe(e, before), collect);
  const char *number = number_like(e, c, v);
  diag_note(e->diag, c->before, "it was bound before here%s%s",
            number ? ", to a number; one of the other type is written " : "", number ? number : "");
  diag_note(e->diag, region->span, "the body is this one's");
  if (region->kind == REGION_LOOP && before->kind == V_TENSOR &&
      !is_read(e->at->build.graph, before->node))
    diag_note(e->diag, c->name.span,
              "no run reads what `%s` was before: under a name of the body's own it is not carried",
              c->name.text);
}

/* The value at the end of the body as that of the carry; NO_NODE: it has another type. */
static NodeId next_of(Elab *e, NodeId carry, Value v, Span at) {
  Build *b = &e->at->build;
  const Node *n = graph_node(b->graph, carry);
  b->span = at;
  if (v.kind == V_TENSOR) {
    const Arg a = tensor_arg(v.node);
    v.node = build_tensor(b, &a, n->dtype);
    if (v.node == NO_NODE) return NO_NODE;
    n = graph_node(b->graph, carry);
    const Node *x = graph_node(b->graph, v.node);
    return x->dtype == n->dtype && shape_equal(&x->shape, &n->shape) ? v.node : NO_NODE;
  }
  if (n->shape.rank) return NO_NODE;
  if (v.kind == V_BOOL && n->dtype == DT_BOOL) return build_const(b, DT_BOOL, v.i ? 1 : 0);
  if (v.kind == V_INT && dtype_is_int(n->dtype)) return build_whole(b, n->dtype, v.i);
  double real;
  if (dtype_is_float(n->dtype) && value_number(&v, &real)) return build_const(b, n->dtype, real);
  return NO_NODE;
}

/* False: the value that the body ends with is not of the kind that it began with. */
static bool close_value(Elab *e, OpenRegion *r, const Carried *c, const Value *before, Value v,
                        uint64_t key) {
  if (v.kind == V_ERROR || before->kind == V_ERROR) return true;
  v = eval_read(e, v, c->name.span);
  if (before->kind == V_LIST && v.kind == V_LIST && v.list->n == before->list->n) {
    bool fits = true;
    for (int i = 0; i < v.list->n; i++)
      fits &= close_value(e, r, c, &before->list->at[i], v.list->at[i], adopt_item(key, i));
    return fits;
  }
  if (key && r->peels && adopt_is_number(before)) {
    adopt_found(e, before, &v, key);
    return true;
  }
  if (before->kind != V_TENSOR) {
    if (value_same(before, &v)) return true;
  } else {
    const NodeId next = next_of(e, before->node, v, c->name.span);
    if (next != NO_NODE) {
      flow_carry_of(e, r, before->node)->next = next;
      return true;
    }
  }
  mismatch(e, r, c, before, &v);
  return false;
}

static Value after_value(Elab *e, Value inside, Ident name, Where where) {
  if (inside.kind == V_LIST) {
    Value *at = arena_array(e->arena, Value, inside.list->n);
    for (int i = 0; i < inside.list->n; i++)
      at[i] = after_value(e, inside.list->at[i], name, IN_FN);
    return value_list(e, at, inside.list->n);
  }
  if (inside.kind != V_TENSOR) return inside;
  e->at->build.span = name.span;
  const NodeId id = build_after(&e->at->build, inside.node);
  if (id != NO_NODE) flow_name(e, where, name.text, id);
  return value_node(id);
}

/* Variables, in lists too, as their values. */
static Value read_all(Elab *e, Value v, Span at) {
  if (v.kind != V_LIST) return eval_read(e, v, at);
  Value *item = arena_array(e->arena, Value, v.list->n);
  for (int i = 0; i < v.list->n; i++) item[i] = read_all(e, v.list->at[i], at);
  return value_list(e, item, v.list->n);
}

/* What the loop itself binds in its body is bound there by now. */
void flow_names(Elab *e, OpenRegion *r, NameScope *in, const StmtVec *body, Where where,
                CarriedVec *out) {
  IdentVec names = {0};
  bound_names(e, body, false, &names);
  const int bound = names.n;
  bound_names(e, body, true, &names);
  for (int i = 0; i < names.n; i++) {
    const Binding *b = bound_before(in->up, names.at[i].text);
    if (!b || b->lazy || b->value.kind == V_ERROR || scope_find(in, names.at[i].text)) continue;
    if (i >= bound && b->value.kind != V_TENSOR) continue; /* a part of a variable is written */
    Carried c = {.name = names.at[i], .before = b->span, .first = b->value};
    flow_be_in(e, r->up); /* a variable's value before, not what it is in a run */
    const Value before = read_all(e, b->value, names.at[i].span);
    flow_be_in(e, r);
    c.key = adopt_key(e, flow_region(e, r)->span, names.at[i].text);
    c.inside = flow_carry_value(e, r, before, (Ident){names.at[i].text, b->span}, where, c.key);
    scope_bind(e, in, c.name, c.inside);
    vec_push(e->arena, out, c);
  }
}

void flow_body(Elab *e, NameScope *in, const StmtVec *body, Where where) {
  bool loop = false; /* around what is open, in the same fn, method or entry */
  e->result = value_none;
  if (!stmt_run(e, in, body, where)) return;
  for (OpenRegion *r = e->at->open; r && r->frame == e->frame; r = r->up) {
    loop = loop || flow_region(e, r)->kind == REGION_LOOP;
    r->returns = true;
  }
  if (e->result.kind == V_ERROR) return;
  elab_fail(e, e->returned, "%s",
            loop ? "`return` does not end a loop that runs: end it with `break`, and return the "
                   "value behind it"
                 : "`return` is not allowed in a branch that is decided at run time: bind the "
                   "value before the branch, change it inside, and return it behind");
}

void flow_close(Elab *e, OpenRegion *r, NameScope *in, const CarriedVec *carried, Where where) {
  for (int i = 0; i < carried->n; i++) {
    Carried *c = &carried->at[i];
    const Value end = scope_find(in, c->name.text)->value;
    /* What reads it behind the region is not wrong by itself. Numbers may become other types. */
    if (!close_value(e, r, c, &c->inside, end, c->key) && !adopt_is_number(&c->first))
      c->inside = value_error;
  }
  for (int i = 0; i < in->names.n; i++)
    if (!bound_before(in->up, in->names.at[i]->name))
      bound_add(e, &e->ended, (Ident){in->names.at[i]->name, in->names.at[i]->span});
  e->at->build.span = flow_region(e, r)->span;
  close_counter(e, r);
  close_told(e, r);
  flow_be_in(e, r->up);
  for (int i = 0; i < carried->n; i++) {
    const Carried *c = &carried->at[i];
    const Ident name = {c->name.text, c->before};
    const Value end = scope_find(in, name.text)->value;
    const bool number = e->peels && c->key && adopt_is_number(&c->first) && adopt_is_number(&end);
    scope_bind(e, in->up, name, number ? end : after_value(e, c->inside, name, where));
  }
  for (int i = 0; i < r->collected.n; i++) {
    const Collected *c = &r->collected.at[i];
    e->at->build.span = c->name.span;
    const NodeId id = build_after(&e->at->build, c->carry);
    if (id == NO_NODE) continue;
    if (r->rest) {
      flow_leave(e, r->up, id, c->name, where);
      continue;
    }
    scope_bind(e, in->up, c->name, value_node(id));
    flow_name(e, where, c->name.text, id);
  }
  close_vars(e, r);
}
