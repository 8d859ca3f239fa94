/* Loops and branches that the running program decides on: `while`, `repeat`, and `if` on a tensor.
 * The body is executed once, here, and makes nodes of a region (ir/graph.h).
 *
 * A name that was bound before and is bound in the body is carried; so is a variable that the body
 * reads or assigns (`simplify` drops those that it only reads). Law: what is carried has one type
 * and shape, before, at the end of each run and behind. Other names that the body binds end with
 * it, but for those that both parts of an `if` bind. */
#include "flow.h"
#include "op.h"

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
    while (all->at[--all->n] != c->node) continue; /* no gradient is taken with respect to those */
    if (c->next == c->node && current(e, v->var) != v->before)
      vec_push(e->arena, variable_versions(e, e->at, v->var), v->before);
    else if (c->next != c->node)
      variable_assign(e, v->var, value_node(variable_after(e, c->node)), flow_region(e, r)->span);
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
static Value carry_value(Elab *e, OpenRegion *r, Value v, Ident name, Where where) {
  Build *b = &e->at->build;
  b->span = name.span;
  NodeId id = NO_NODE;
  if (v.kind == V_INT) id = build_whole(b, DT_I64, v.i);
  if (v.kind == V_REAL) id = build_const(b, DT_F32, v.real);
  if (v.kind == V_BOOL) id = build_const(b, DT_BOOL, v.i ? 1 : 0);
  if (v.kind == V_TENSOR) id = v.node;
  if (v.kind == V_LIST) {
    Value *at = arena_array(e->arena, Value, v.list->n);
    for (int i = 0; i < v.list->n; i++) at[i] = carry_value(e, r, v.list->at[i], name, IN_FN);
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
  if (!n->shape.rank) return arena_printf(e->arena, "%s(%g)", type, real);
  Str s = str_new(e->arena);
  str_puts(&s, "full([");
  for (int d = 0; d < n->shape.rank; d++)
    str_printf(&s, "%s%ld", d ? ", " : "", (long)n->shape.dim[d]);
  str_printf(&s, "], %g, %s)", real, type);
  return s.at;
}

static void mismatch(Elab *e, const Carried *c, const Value *before, const Value *v, Span region) {
  elab_fail(e, c->name.span,
            "`%s` is %s where the body ends, but %s where it begins: a name that a loop or a "
            "branch changes must keep its type and shape",
            c->name.text, value_describe(e, v), value_describe(e, before));
  const char *number = number_like(e, c, v);
  diag_note(e->diag, c->before, "it was bound before here%s%s",
            number ? ", to a number; one of the other type is written " : "", number ? number : "");
  diag_note(e->diag, region, "the body is this one's");
}

/* The value at the end of the body as that of the carry; NO_NODE: it has another type. */
static NodeId next_of(Elab *e, NodeId carry, Value v, Span at) {
  Build *b = &e->at->build;
  const Node *n = graph_node(b->graph, carry);
  b->span = at;
  if (v.kind == V_TENSOR) {
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

static void close_value(Elab *e, OpenRegion *r, const Carried *c, const Value *before, Value v) {
  const Span region = flow_region(e, r)->span;
  if (v.kind == V_ERROR || before->kind == V_ERROR) return;
  v = eval_read(e, v, c->name.span);
  if (before->kind == V_LIST && v.kind == V_LIST && v.list->n == before->list->n) {
    for (int i = 0; i < v.list->n; i++) close_value(e, r, c, &before->list->at[i], v.list->at[i]);
    return;
  }
  if (before->kind != V_TENSOR) {
    if (!value_same(before, &v)) mismatch(e, c, before, &v, region);
    return;
  }
  const NodeId next = next_of(e, before->node, v, c->name.span);
  if (next == NO_NODE)
    mismatch(e, c, before, &v, region);
  else
    flow_carry_of(e, r, before->node)->next = next;
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
    const Value before = eval_read(e, b->value, names.at[i].span);
    flow_be_in(e, r);
    c.inside = carry_value(e, r, before, (Ident){names.at[i].text, b->span}, where);
    scope_bind(e, in, c.name, c.inside);
    vec_push(e->arena, out, c);
  }
}

void flow_body(Elab *e, NameScope *in, const StmtVec *body, Span at, Where where) {
  if (!stmt_run(e, in, body, where)) return;
  elab_fail(e, at,
            "`return` is not allowed in a loop or branch that is decided at run time: bind the "
            "value before this statement, change it inside, and return it after");
}

void flow_close(Elab *e, OpenRegion *r, NameScope *in, const CarriedVec *carried, Where where) {
  for (int i = 0; i < carried->n; i++) {
    const Carried *c = &carried->at[i];
    close_value(e, r, c, &c->inside, scope_find(in, c->name.text)->value);
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
    scope_bind(e, in->up, (Ident){c->name.text, c->before},
               after_value(e, c->inside, (Ident){c->name.text, c->before}, where));
  }
  for (int i = 0; i < r->collected.n; i++) {
    const Collected *c = &r->collected.at[i];
    e->at->build.span = c->name.span;
    const NodeId id = build_after(&e->at->build, c->carry);
    if (id == NO_NODE) continue;
    scope_bind(e, in->up, c->name, value_node(id));
    flow_name(e, where, c->name.text, id);
  }
  close_vars(e, r);
}

/* -------- conditions -------- */

static NodeId condition(Elab *e, Value v, const AstExpr *x, const char *word) {
  v = eval_read(e, v, x->span);
  if (v.kind == V_TENSOR) {
    const Node *n = graph_node(e->at->build.graph, v.node);
    if (n->dtype == DT_BOOL && n->shape.rank == 0) return v.node;
    const char *how = n->shape.rank && n->dtype == DT_BOOL ? "; take any(...) or all(...) of it"
                      : n->shape.rank                      ? ""
                                                           : "; compare it, as in x > 0";
    elab_fail(e, x->span, "`%s` requires a scalar of type bool, but this is %s%s", word,
              value_describe(e, &v), how);
  } else if (v.kind == V_BOOL) {
    elab_fail(e, x->span,
              "this is %s from the beginning and never changes: the condition of a "
              "`while` is a tensor, computed from what the body changes",
              v.i ? "true" : "false");
  } else if (v.kind != V_ERROR) {
    elab_fail(e, x->span, "`%s` requires a scalar of type bool, but this is %s", word,
              value_describe(e, &v));
  }
  return NO_NODE;
}

/* -------- the statements -------- */

bool flow_misplaced(Elab *e, const Stmt *s, Where where, const char *what) {
  if (e->at && where != IN_TOP && where != IN_LAYER) return false;
  elab_fail(e, s->span, "%s is not allowed %s: it belongs in an entry, a fn or a method", what,
            where == IN_TOP ? "at top level" : "in a layer");
  return true;
}

/* `most=N`: the loop ends after N runs, too. Its runs are counted from `run` on, of the body. */
static void bound_runs(Elab *e, NameScope *s, OpenRegion *r, const Stmt *stmt, NodeId run) {
  Region *in;
  if (!stmt->most) return;
  const Value v = eval_expr(e, s, stmt->most);
  if (v.kind == V_ERROR) return;
  if (v.kind != V_INT || v.i < 1) {
    elab_fail(e, stmt->most->span, "`most` is a number of runs from 1 on, but this is %s",
              value_describe(e, &v));
    return;
  }
  in = flow_region(e, r);
  if (in->turns != TURNS_UNKNOWN)
    elab_fail(e, stmt->most->span,
              "this loop runs %ld times: `most` bounds one whose number of runs is not known",
              (long)in->turns);
  if (in->condition == NO_NODE || in->turns != TURNS_UNKNOWN) return;
  e->at->build.span = stmt->most->span;
  const NodeId below = flow_operate(e, "<", tensor_arg(run), int_arg(v.i));
  const NodeId both = flow_operate(e, "and", tensor_arg(in->condition), tensor_arg(below));
  in = flow_region(e, r);
  in->condition = both, in->most = v.i;
}

/* Of a loop that a `break` may have ended the condition is not computed any more. */
static NodeId condition_of_while(Elab *e, NameScope *in, const Stmt *stmt, const Jumps *j) {
  NameScope none = {0};
  const CarriedVec carried = {0};
  if (!j->stop.text) return condition(e, eval_expr(e, in, stmt->value), stmt->value, "while");
  Build *b = &e->at->build;
  b->span = stmt->value->span;
  const NodeId go_on = jumps_none(e, in, j);
  OpenRegion *r = flow_open(e, REGION_BRANCH, stmt->value->span);
  flow_region(e, r)->condition = go_on;
  const NodeId carry = flow_carry(e, r, build_const(b, DT_BOOL, 0), NULL, stmt->value->span);
  const Value v = eval_expr(e, in, stmt->value);
  const bool always = v.kind == V_BOOL && v.i;
  const NodeId next = always ? build_const(b, DT_BOOL, 1) : condition(e, v, stmt->value, "while");
  if (next != NO_NODE) flow_carry_of(e, r, carry)->next = next;
  flow_close(e, r, &none, &carried, IN_FN);
  return next == NO_NODE ? next : build_after(&e->at->build, carry);
}

void region_while(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  if (flow_misplaced(e, stmt, where, "`while`")) return;
  const Jumps j = jumps_begin(e, s, stmt);
  OpenRegion *r = flow_open(e, REGION_LOOP, stmt->span);
  flow_names(e, r, &in, &j.body, where, &carried);
  const NodeId c = condition_of_while(e, &in, stmt, &j);
  flow_region(e, r)->condition = c;
  if (stmt->most) bound_runs(e, s, r, stmt, flow_counter(e, r));
  flow_body(e, &in, &j.body, stmt->span, where);
  flow_close(e, r, &in, &carried, where);
}

/* How far it is from one number of a range to the next. */
static bool step_of(Elab *e, NameScope *s, const AstExpr *by, int64_t *step) {
  *step = 1;
  if (!by) return true;
  const Value v = eval_expr(e, s, by);
  if (v.kind == V_ERROR) return false;
  *step = v.kind == V_INT ? v.i : 0;
  if (*step) return true;
  elab_fail(e, by->span,
            "the step of `by` is an integer known while compiling, and not 0, but this is %s",
            value_describe(e, &v));
  return false;
}

/* Numbers of a range, which goes up or down. */
static int64_t steps_between(int64_t from, int64_t to, int64_t step) {
  const int64_t size = step > 0 ? step : -step, far = step > 0 ? to - from : from - to;
  return far <= 0 ? 0 : (far - 1) / size + 1;
}

static DType type_of(const Elab *e, NodeId id) { return graph_node(e->at->build.graph, id)->dtype; }

/* The same while running, of ends of 64 bits: those of narrower types may be further apart than the
 * type goes, and unsigned ones have no number below 0. */
static NodeId count_steps(Elab *e, NodeId from, NodeId to, int64_t step) {
  const Arg a = tensor_arg(step > 0 ? from : to), b = tensor_arg(step > 0 ? to : from);
  const Arg size = int_arg(step > 0 ? step : -step);
  const DType t = type_of(e, from);
  const NodeId some = build_cast(&e->at->build, flow_operate(e, "<", a, b), t);
  const NodeId far = flow_operate(e, "*", tensor_arg(flow_operate(e, "-", b, a)), tensor_arg(some));
  const NodeId rest = flow_operate(e, "%", tensor_arg(far), size);
  const NodeId last =
      build_cast(&e->at->build, flow_operate(e, "!=", tensor_arg(rest), int_arg(0)), t);
  const NodeId whole = flow_operate(e, "//", tensor_arg(far), size);
  return flow_operate(e, "+", tensor_arg(whole), tensor_arg(last));
}

/* The bounds of a range as scalars of one integer type. */
static bool range(Elab *e, NameScope *s, const Stmt *stmt, int64_t step, NodeId *from, NodeId *to,
                  int64_t *turns) {
  const AstExpr *const x[] = {stmt->from, stmt->to};
  Value v[2];
  DType t = DT_I64;
  bool known = true;
  for (int i = 0; i < 2; i++) {
    v[i] = eval_read(e, eval_expr(e, s, x[i]), x[i]->span);
    const Node *n = v[i].kind == V_TENSOR ? graph_node(e->at->build.graph, v[i].node) : NULL;
    if (v[i].kind == V_ERROR) return false;
    if (v[i].kind != V_INT && !(n && dtype_is_int(n->dtype) && n->shape.rank == 0)) {
      elab_fail(e, x[i]->span,
                "a range goes from integer to integer, numbers or scalar tensors, but this is %s",
                value_describe(e, &v[i]));
      return false;
    }
    if (n && i && !known && n->dtype != t) {
      elab_fail(e, x[1]->span,
                "the range begins with %s and ends with %s: both must have the same type",
                value_describe(e, &v[0]), value_describe(e, &v[1]));
      return false;
    }
    if (n) t = n->dtype, known = false;
  }
  NodeId id[2];
  for (int i = 0; i < 2; i++) {
    Arg a;
    e->at->build.span = x[i]->span;
    if (!builtin_arg(e, &v[i], x[i]->span, &a)) return false;
    id[i] = build_tensor(&e->at->build, &a, t);
  }
  *from = id[0], *to = id[1];
  *turns = known ? steps_between(v[0].i, v[1].i, step) : TURNS_UNKNOWN;
  return id[0] != NO_NODE && id[1] != NO_NODE;
}

void region_repeat(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  NodeId from, to, first = NO_NODE;
  int64_t turns, step;
  if (flow_misplaced(e, stmt, where, "`repeat`") || !step_of(e, s, stmt->by, &step) ||
      !range(e, s, stmt, step, &from, &to, &turns))
    return;
  const DType type = type_of(e, from), wide = type == DT_U64 ? type : DT_I64;
  if (step != 1) { /* runs are counted, and tell the number */
    e->at->build.span = stmt->span;
    first = build_cast(&e->at->build, from, wide);
    to = count_steps(e, first, build_cast(&e->at->build, to, wide), step);
    from = build_whole(&e->at->build, wide, 0);
  }
  const Jumps j = jumps_begin(e, s, stmt);
  const int64_t most = j.stop.text && turns != TURNS_UNKNOWN ? turns : 0;
  if (most) turns = TURNS_UNKNOWN;
  OpenRegion *r = flow_open(e, REGION_LOOP, stmt->span);
  flow_region(e, r)->turns = turns, flow_region(e, r)->most = most;
  r->counter = flow_carry(e, r, from, stmt->name.text, stmt->name.span);
  r->body = &in;
  if (turns != TURNS_UNKNOWN)
    r->run = flow_operate(e, "-", tensor_arg(r->counter), tensor_arg(from));
  NodeId number = r->counter;
  if (step != 1) {
    number = flow_operate(e, "*", tensor_arg(number), int_arg(step > 0 ? step : -step));
    number = flow_operate(e, step > 0 ? "+" : "-", tensor_arg(first), tensor_arg(number));
    number = build_cast(&e->at->build, number, type);
  }
  scope_bind(e, &in, stmt->name, value_node(number));
  flow_names(e, r, &in, &j.body, where, &carried);
  e->at->build.span = stmt->span;
  const NodeId more = flow_operate(e, "<", tensor_arg(r->counter), tensor_arg(to));
  const NodeId go_on = jumps_and(e, &in, &j, more);
  flow_region(e, r)->condition = go_on;
  if (stmt->most)
    bound_runs(e, s, r, stmt, flow_operate(e, "-", tensor_arg(r->counter), tensor_arg(from)));
  flow_body(e, &in, &j.body, stmt->span, where);
  e->at->build.span = stmt->span;
  r->counts = true;
  flow_close(e, r, &in, &carried, where);
}

/* What a branch binds that was not bound before, and the other branch binds, too: there it is
 * changed, from a zero that has no uses. */
static void new_names(Elab *e, OpenRegion *r, const NameScope *in, const StmtVec *other,
                      Where where, CarriedVec *carried) {
  IdentVec names = {0};
  bound_names(e, other, false, &names);
  for (int i = 0; i < names.n; i++) {
    const Binding *b = scope_find(in, names.at[i].text);
    if (!b || bound_before(in->up, names.at[i].text)) continue;
    const Value v = eval_read(e, b->value, b->span);
    const Node *n = v.kind == V_TENSOR ? graph_node(e->at->build.graph, v.node) : NULL;
    Value zero = v;
    if (n) zero = value_node(flow_zeros(e, n->dtype, n->shape.rank, n->shape.dim, b->span));
    Carried c = {.name = {b->name, b->span}, .before = b->span};
    c.inside = carry_value(e, r, zero, c.name, where);
    vec_push(e->arena, carried, c);
  }
}

static void branch(Elab *e, NameScope *s, const Stmt *stmt, const StmtVec *body,
                   const StmtVec *other, NodeId cond, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  OpenRegion *r = flow_open(e, REGION_BRANCH, stmt->span);
  flow_region(e, r)->condition = cond;
  flow_names(e, r, &in, body, where, &carried);
  flow_body(e, &in, body, stmt->span, where);
  new_names(e, r, &in, other, where, &carried);
  flow_close(e, r, &in, &carried, where);
}

void region_if(Elab *e, NameScope *s, const Stmt *stmt, Value v, Where where) {
  static const StmtVec none = {0};
  if (flow_misplaced(e, stmt, where, "`if` on a tensor")) return;
  const NodeId cond = condition(e, v, stmt->value, "if");
  if (cond == NO_NODE) return;
  branch(e, s, stmt, &stmt->body, &stmt->other, cond, where);
  if (!stmt->other.n) return;
  e->at->build.span = stmt->value->span;
  const Arg x = tensor_arg(cond);
  const NodeId not = build_operator(&e->at->build, op_operator("not", 1), &x, NULL).node;
  branch(e, s, stmt, &stmt->other, &none, not, where);
}
