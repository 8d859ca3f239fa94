/* The statements `while`, `repeat` and `if` on a tensor (flow.c). */
#include "flow.h"
#include "op.h"
#include "plural.h"

/* -------- conditions -------- */

static void never_changes(Elab *e, const AstExpr *x, bool is) {
  elab_fail(e, x->span,
            "this is %s from the beginning and never changes: the condition of a `while` is a "
            "tensor, computed from what the body changes%s",
            is ? "true" : "false", is ? ", or it is ended by a `break`" : "");
}

static NodeId condition(Elab *e, Value v, const AstExpr *x, const char *word) {
  v = eval_read(e, v, x->span);
  if (v.kind == V_TENSOR) {
    const Node *n = graph_node(e->at->build.graph, v.node);
    if (n->dtype == DT_BOOL && n->shape.rank == 0) return v.node;
    const char *how =
        n->shape.rank && n->dtype == DT_BOOL && *word == 'i'
            ? "; take any(...) or all(...) of it, or choose elements by where(cond, x, y)"
        : n->shape.rank && n->dtype == DT_BOOL ? "; take any(...) or all(...) of it"
        : n->shape.rank                        ? ""
                                               : "; compare it, as in x > 0";
    elab_fail(e, x->span, "`%s` requires a scalar of type bool, but this is %s%s", word,
              value_describe(e, &v), how);
  } else if (v.kind == V_BOOL && e->peels) { /* it is of a number that the loop is to carry */
    return NO_NODE;
  } else if (v.kind == V_BOOL) {
    never_changes(e, x, v.i);
  } else if (v.kind != V_ERROR) {
    elab_fail(e, x->span, "`%s` requires a scalar of type bool, but this is %s", word,
              value_describe(e, &v));
  }
  return NO_NODE;
}

/* -------- the statements -------- */

bool flow_misplaced(Elab *e, const Stmt *s, Where where, const char *what) {
  if (e->at && where != IN_TOP && where != IN_LAYER) return false;
  bound_in_vain(e, s);
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
              "this loop runs %ld time%s: `most` bounds one whose number of runs is not known",
              (long)in->turns, PLURAL(in->turns));
  if (in->condition == NO_NODE || in->turns != TURNS_UNKNOWN) return;
  e->at->build.span = stmt->most->span;
  const NodeId below = flow_operate(e, "<", tensor_arg(run), int_arg(v.i));
  const NodeId both = flow_operate(e, "and", tensor_arg(in->condition), tensor_arg(below));
  in = flow_region(e, r);
  in->condition = both, in->most = v.i;
  r->run = run;
}

/* Of a loop that a `break` may have ended the condition is not computed any more. One without an
 * end is an error, *endless, if its body does not return, which is one by itself. */
static NodeId condition_of_while(Elab *e, NameScope *in, const Stmt *stmt, const Jumps *j,
                                 bool *endless) {
  NameScope none = {0};
  const CarriedVec carried = {0};
  *endless = false;
  if (!j->stop.text) {
    const Value v = eval_expr(e, in, stmt->value);
    *endless = v.kind == V_BOOL && v.i && !e->peels;
    return *endless ? NO_NODE : condition(e, v, stmt->value, "while");
  }
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

static void run_while(Elab *e, NameScope *s, const Running *x) {
  const Stmt *stmt = x->stmt;
  const Where where = x->where;
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  const Jumps j = jumps_begin(e, s, stmt);
  OpenRegion *r = flow_open(e, REGION_LOOP, stmt->span);
  r->body = &in, r->peels = x->peels, r->types = x->types;
  flow_names(e, r, &in, &j.body, where, &carried);
  bool endless;
  const NodeId c = condition_of_while(e, &in, stmt, &j, &endless);
  flow_region(e, r)->condition = c;
  if (stmt->most) bound_runs(e, s, r, stmt, flow_counter(e, r));
  flow_body(e, &in, &j.body, where);
  if (endless && !r->returns) never_changes(e, stmt->value, true);
  flow_close(e, r, &in, &carried, where);
  jumps_end(s, &j);
}

void region_while(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  const Running x = {.stmt = stmt, .where = where, .body = &stmt->body};
  if (!flow_misplaced(e, stmt, where, "`while`")) adopt_run(e, s, &x, run_while);
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

/* The numbers of a range whose ends are known while compiling, if their type, which counts them one
 * by one, goes so far. */
static int64_t turns_between(const Elab *e, NodeId from, NodeId to, int64_t step) {
  const Node *a = graph_node(e->at->build.graph, from), *b = graph_node(e->at->build.graph, to);
  if (!node_is_const(a) || !node_is_const(b) || a->dtype == DT_U64) return TURNS_UNKNOWN;
  const int64_t far = a->whole < b->whole ? b->whole - a->whole : a->whole - b->whole;
  if (step == 1 && dtype_size(a->dtype) < 8 && far >> (8 * dtype_size(a->dtype) - 1))
    return TURNS_UNKNOWN;
  return steps_between(a->whole, b->whole, step);
}

/* The bounds of a range as scalars of one integer type. */
static bool range(Elab *e, NameScope *s, const Running *of, int64_t step, NodeId *from, NodeId *to,
                  int64_t *turns) {
  const Stmt *stmt = of->stmt;
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
  if (known) t = adopt_counter(e, of, v[0].i, v[1].i);
  NodeId id[2];
  for (int i = 0; i < 2; i++) {
    Arg a;
    e->at->build.span = x[i]->span;
    if (!builtin_arg(e, &v[i], x[i]->span, &a)) return false;
    id[i] = build_tensor(&e->at->build, &a, t);
  }
  *from = id[0], *to = id[1];
  if (id[0] == NO_NODE || id[1] == NO_NODE) return false;
  *turns = known ? steps_between(v[0].i, v[1].i, step) : turns_between(e, id[0], id[1], step);
  return true;
}

static void run_repeat(Elab *e, NameScope *s, const Running *x) {
  const Stmt *stmt = x->stmt;
  const Where where = x->where;
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  NodeId from, to, first = NO_NODE;
  int64_t turns, step;
  if (!step_of(e, s, stmt->by, &step) || !range(e, s, x, step, &from, &to, &turns)) {
    bound_in_vain(e, stmt);
    return;
  }
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
  r->body = &in, r->peels = x->peels, r->types = x->types;
  if (turns != TURNS_UNKNOWN || most)
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
  flow_body(e, &in, &j.body, where);
  e->at->build.span = stmt->span;
  r->counts = true;
  flow_close(e, r, &in, &carried, where);
  jumps_end(s, &j);
}

void region_repeat(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  const Running x = {.stmt = stmt, .where = where, .body = &stmt->body};
  if (!flow_misplaced(e, stmt, where, "`repeat`")) adopt_run(e, s, &x, run_repeat);
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
    Carried c = {.name = {b->name, b->span}, .before = b->span, .first = zero};
    c.key = adopt_key(e, flow_region(e, r)->span, b->name);
    c.inside = flow_carry_value(e, r, zero, c.name, where, c.key);
    vec_push(e->arena, carried, c);
  }
}

static void branch(Elab *e, NameScope *s, const Running *x, const StmtVec *body,
                   const StmtVec *other, NodeId cond) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  OpenRegion *r = flow_open(e, REGION_BRANCH, x->stmt->span);
  flow_region(e, r)->condition = cond;
  r->peels = x->peels, r->types = x->types;
  if (x->stmt->rest) r->body = &in, r->rest = true;
  flow_names(e, r, &in, body, x->where, &carried);
  flow_body(e, &in, body, x->where);
  new_names(e, r, &in, other, x->where, &carried);
  flow_close(e, r, &in, &carried, x->where);
}

static void run_if(Elab *e, NameScope *s, const Running *x) {
  static const StmtVec none = {0};
  branch(e, s, x, &x->stmt->body, &x->stmt->other, x->condition);
  if (!x->stmt->other.n) return;
  e->at->build.span = x->stmt->value->span;
  const Arg is = tensor_arg(x->condition);
  const NodeId no = build_operator(&e->at->build, op_operator("not", 1), &is, NULL).node;
  branch(e, s, x, &x->stmt->other, &none, no);
}

void region_if(Elab *e, NameScope *s, const Stmt *stmt, Value v, Where where) {
  if (flow_misplaced(e, stmt, where, "`if` on a tensor")) return;
  const NodeId cond = condition(e, v, stmt->value, "if");
  StmtVec both = {0};
  for (int i = 0; i < stmt->body.n; i++) vec_push(e->arena, &both, stmt->body.at[i]);
  for (int i = 0; i < stmt->other.n; i++) vec_push(e->arena, &both, stmt->other.at[i]);
  const Running x = {.stmt = stmt, .where = where, .body = &both, .condition = cond};
  if (cond == NO_NODE)
    bound_in_vain(e, stmt);
  else
    adopt_run(e, s, &x, run_if);
}

/* A number of the loop is a scalar behind it: that of its last turn. What else it goes through ends
 * with the turn. */
static void run_turn(Elab *e, NameScope *s, const Running *x) {
  const Ident name = x->stmt->name;
  const Span at = x->stmt->span;
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  const Binding *b = scope_find(s, name.text);
  e->at->build.span = at;
  const NodeId go_on = jumps_none(e, s, x->jumps);
  OpenRegion *r = flow_open(e, REGION_BRANCH, at);
  flow_region(e, r)->condition = go_on;
  r->peels = x->peels, r->types = x->types;
  if (x->step.kind == V_INT) {
    Carried c = {.name = name, .before = name.span, .first = b->value};
    c.inside = flow_carry_value(e, r, b->value, name, x->where, 0);
    vec_push(e->arena, &carried, c);
  }
  scope_bind(e, &in, name, x->step);
  flow_names(e, r, &in, x->body, x->where, &carried);
  flow_body(e, &in, x->body, x->where);
  flow_close(e, r, &in, &carried, x->where);
}

void region_turn(Elab *e, NameScope *s, const Stmt *stmt, const Jumps *j, Value step, Where where) {
  const Running x = {.stmt = stmt, .where = where, .body = &j->body, .jumps = j, .step = step};
  adopt_run(e, s, &x, run_turn);
}
