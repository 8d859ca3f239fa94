/* Loops and branches that the running program decides on: `while`, `repeat`, and `if` on a tensor.
 * The body is executed once, here, and makes nodes of a region (ir/graph.h).
 *
 * A name that was bound before and is bound in the body is carried; so is a variable that the body
 * reads or assigns (`simplify` drops those that it only reads). Law: what is carried has one type
 * and shape, before, at the end of each run and behind. Other names that the body binds end with
 * it, but for those that both parts of an `if` bind. */
#include "flow.h"
#include "op.h"
#include <string.h>

/* A name that the body binds. */
typedef struct Carried {
  Ident name;
  Span before;  /* where it was bound */
  Value inside; /* with carries in place of tensors and numbers */
} Carried;
typedef VEC(Carried) CarriedVec;

/* -------- names -------- */

/* As `bind` names what it binds. */
static void name_node(Elab *e, Where where, const char *name, NodeId id) {
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
  id = region_add_carry(e, r, id, name.text, name.span);
  if (id != NO_NODE) name_node(e, where, name.text, id);
  return value_node(id);
}

static void mismatch(Elab *e, const Carried *c, const Value *before, const Value *v, Span region) {
  elab_fail(e, c->name.span,
            "`%s` is %s where the body ends, but %s where it begins: a name that a loop or a "
            "branch changes must keep its type and shape",
            c->name.text, value_describe(e, v), value_describe(e, before));
  diag_note(e->diag, c->before, "it was bound before here");
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
  const Span region = region_at(e, r)->span;
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
    region_carry_of(e, r, before->node)->next = next;
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
  const NodeId id = region_after(e, inside.node);
  if (id != NO_NODE) name_node(e, where, name.text, id);
  return value_node(id);
}

/* What the loop itself binds in its body is bound there by now. */
static void carry_names(Elab *e, OpenRegion *r, NameScope *in, const StmtVec *body, Where where,
                        CarriedVec *out) {
  IdentVec names = {0};
  bound_names(e, body, false, &names);
  const int bound = names.n;
  bound_names(e, body, true, &names);
  for (int i = 0; i < names.n; i++) {
    const Binding *b = bound_before(in->up, names.at[i].text);
    if (!b || b->lazy || b->value.kind == V_ERROR || scope_find(in, names.at[i].text)) continue;
    if (i >= bound && b->value.kind != V_TENSOR) continue; /* a part of a variable is written */
    Carried c = {.name = names.at[i], .before = b->span};
    const Value before = eval_read(e, b->value, names.at[i].span);
    c.inside = carry_value(e, r, before, (Ident){names.at[i].text, b->span}, where);
    scope_bind(e, in, c.name, c.inside);
    vec_push(e->arena, out, c);
  }
}

static void run_body(Elab *e, NameScope *in, const StmtVec *body, Span at, Where where) {
  if (!stmt_run(e, in, body, where)) return;
  elab_fail(e, at,
            "`return` is not allowed in a loop or branch that is decided at run time: bind the "
            "value before this statement, change it inside, and return it after");
}

static void close_region(Elab *e, OpenRegion *r, NameScope *in, const CarriedVec *carried,
                         Where where) {
  for (int i = 0; i < carried->n; i++) {
    const Carried *c = &carried->at[i];
    close_value(e, r, c, &c->inside, scope_find(in, c->name.text)->value);
  }
  for (int i = 0; i < in->names.n; i++)
    if (!bound_before(in->up, in->names.at[i]->name))
      bound_add(e, &e->ended, (Ident){in->names.at[i]->name, in->names.at[i]->span});
  e->at->build.span = region_at(e, r)->span;
  region_close_counter(e, r);
  region_close_told(e, r);
  e->at->open = r->up;
  for (int i = 0; i < carried->n; i++) {
    const Carried *c = &carried->at[i];
    scope_bind(e, in->up, (Ident){c->name.text, c->before},
               after_value(e, c->inside, (Ident){c->name.text, c->before}, where));
  }
  for (int i = 0; i < r->collected.n; i++) {
    const Collected *c = &r->collected.at[i];
    e->at->build.span = c->name.span;
    const NodeId id = region_after(e, c->carry);
    if (id == NO_NODE) continue;
    scope_bind(e, in->up, c->name, value_node(id));
    name_node(e, where, c->name.text, id);
  }
  region_close_vars(e, r);
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

static bool misplaced(Elab *e, const Stmt *s, Where where, const char *what) {
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
  in = region_at(e, r);
  if (in->turns != TURNS_UNKNOWN)
    elab_fail(e, stmt->most->span,
              "this loop runs %ld times: `most` bounds one whose number of runs is not known",
              (long)in->turns);
  if (in->condition == NO_NODE || in->turns != TURNS_UNKNOWN) return;
  e->at->build.span = stmt->most->span;
  const NodeId below = region_operate(e, "<", tensor_arg(run), int_arg(v.i));
  const NodeId both = region_operate(e, "and", tensor_arg(in->condition), tensor_arg(below));
  in = region_at(e, r);
  in->condition = both, in->most = v.i;
}

void region_while(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  if (misplaced(e, stmt, where, "`while`")) return;
  OpenRegion *r = region_open(e, REGION_LOOP, stmt->span);
  carry_names(e, r, &in, &stmt->body, where, &carried);
  const NodeId c = condition(e, eval_expr(e, &in, stmt->value), stmt->value, "while");
  region_at(e, r)->condition = c;
  if (stmt->most) bound_runs(e, s, r, stmt, region_counter(e, r));
  run_body(e, &in, &stmt->body, stmt->span, where);
  close_region(e, r, &in, &carried, where);
}

/* The bounds of a range as scalars of one integer type. */
static bool range(Elab *e, NameScope *s, const Stmt *stmt, NodeId *from, NodeId *to,
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
  *turns = !known ? TURNS_UNKNOWN : v[1].i > v[0].i ? v[1].i - v[0].i : 0;
  return id[0] != NO_NODE && id[1] != NO_NODE;
}

void region_repeat(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  NodeId from, to;
  int64_t turns;
  if (misplaced(e, stmt, where, "`repeat`") || !range(e, s, stmt, &from, &to, &turns)) return;
  OpenRegion *r = region_open(e, REGION_LOOP, stmt->span);
  region_at(e, r)->turns = turns;
  r->counter = region_add_carry(e, r, from, stmt->name.text, stmt->name.span);
  r->body = &in;
  if (turns != TURNS_UNKNOWN)
    r->run = region_operate(e, "-", tensor_arg(r->counter), tensor_arg(from));
  scope_bind(e, &in, stmt->name, value_node(r->counter));
  carry_names(e, r, &in, &stmt->body, where, &carried);
  e->at->build.span = stmt->span;
  region_at(e, r)->condition = region_operate(e, "<", tensor_arg(r->counter), tensor_arg(to));
  if (stmt->most)
    bound_runs(e, s, r, stmt, region_operate(e, "-", tensor_arg(r->counter), tensor_arg(from)));
  run_body(e, &in, &stmt->body, stmt->span, where);
  e->at->build.span = stmt->span;
  r->counts = true;
  close_region(e, r, &in, &carried, where);
}

static Arg shape_arg(Elab *e, int rank, const int64_t *dim, Span at) {
  Arg dims = {.kind = ARG_LIST, .span = at, .n = rank};
  dims.at = arena_array(e->arena, Arg, rank + 1);
  for (int d = 0; d < rank; d++) dims.at[d] = int_arg(dim[d]);
  return dims;
}

static NodeId zeros(Elab *e, DType t, int rank, const int64_t *dim, Span at) {
  const Arg type = {.kind = ARG_DTYPE, .i = (int64_t)t};
  e->at->build.span = at;
  return build_call(&e->at->build, op_find("zeros"), (Arg[]){shape_arg(e, rank, dim, at), type})
      .node;
}

/* The tensors that a scan goes through, and how many rows they have; false after a report. */
static bool sequences(Elab *e, NameScope *s, const Stmt *stmt, NodeId *x, int64_t *rows) {
  for (int i = 0; i < stmt->given.n; i++) {
    const AstExpr *at = stmt->given.at[i].value;
    const Value v = eval_read(e, eval_expr(e, s, at), at->span);
    if (v.kind == V_ERROR) return false;
    const Node *n = v.kind == V_TENSOR ? graph_node(e->at->build.graph, v.node) : NULL;
    if (!n || !n->shape.rank) {
      elab_fail(e, at->span, "`scan` goes through the rows of a tensor, but this is %s",
                value_describe(e, &v));
      return false;
    }
    if (i && n->shape.dim[0] != *rows) {
      elab_fail(e, at->span, "this has %ld rows, and `%s` has %ld: a scan goes through all at once",
                (long)n->shape.dim[0], stmt->given.at[0].name.text, (long)*rows);
      return false;
    }
    x[i] = v.node;
    *rows = n->shape.dim[0];
  }
  return true;
}

void region_scan(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  int64_t rows = 0;
  if (misplaced(e, stmt, where, "`scan`")) return;
  NodeId *x = arena_array(e->arena, NodeId, stmt->given.n + 1);
  if (!sequences(e, s, stmt, x, &rows)) return;
  Build *b = &e->at->build;
  OpenRegion *r = region_open(e, REGION_LOOP, stmt->span);
  b->span = stmt->span;
  region_at(e, r)->turns = rows;
  r->body = &in;
  r->counter = region_add_carry(e, r, build_whole(b, DT_I64, 0), NULL, stmt->span);
  r->counts = true;
  const Arg run = tensor_arg(r->counter), last = int_arg(rows - 1);
  r->run = stmt->keep ? region_operate(e, "-", last, run) : r->counter;
  for (int i = 0; i < stmt->given.n; i++) {
    const Ident name = stmt->given.at[i].name;
    b->span = name.span;
    const Arg row =
        build_call(b, op_find("gather"), (Arg[]){tensor_arg(x[i]), tensor_arg(r->run), int_arg(0)});
    if (row.node != NO_NODE) name_node(e, where, name.text, row.node);
    scope_bind(e, &in, name, value_node(row.node));
  }
  b->span = stmt->span;
  region_at(e, r)->condition = region_operate(e, "<", run, int_arg(rows));
  carry_names(e, r, &in, &stmt->body, where, &carried);
  run_body(e, &in, &stmt->body, stmt->span, where);
  close_region(e, r, &in, &carried, where);
}

void region_collect(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  OpenRegion *r = e->at ? e->at->open : NULL;
  if (misplaced(e, stmt, where, "`collect`")) return;
  if (!r || r->run == NO_NODE || r->body != s) {
    elab_fail(
        e, stmt->span,
        "`collect` belongs in the body of a `scan`, or of a `repeat` from number "
        "to number: it makes one row a run, so the number of runs must be known at compile time");
    return;
  }
  for (int i = 0; i < r->collected.n; i++)
    if (r->collected.at[i].name.text == stmt->name.text) {
      elab_fail(e, stmt->name.span, "`%s` is collected twice in each run", stmt->name.text);
      diag_note(e->diag, r->collected.at[i].name.span, "the first is here");
      return;
    }
  const Value v = eval_read(e, eval_expr(e, s, stmt->value), stmt->value->span);
  NodeId row = v.node;
  e->at->build.span = stmt->span;
  if (v.kind == V_ERROR) return;
  if (v.kind == V_INT) row = build_whole(&e->at->build, DT_I64, v.i);
  if (v.kind == V_REAL) row = build_const(&e->at->build, DT_F32, v.real);
  if (v.kind == V_BOOL) row = build_const(&e->at->build, DT_BOOL, v.i ? 1 : 0);
  if (v.kind != V_INT && v.kind != V_REAL && v.kind != V_BOOL && v.kind != V_TENSOR) {
    elab_fail(e, stmt->value->span, "`collect` takes a tensor in each run, but this is %s",
              value_describe(e, &v));
    return;
  }
  const Node n = *graph_node(e->at->build.graph, row);
  int64_t dim[MAX_RANK + 1] = {region_at(e, r)->turns};
  memcpy(dim + 1, n.shape.dim, sizeof *dim * (size_t)n.shape.rank);
  const NodeId none = zeros(e, n.dtype, n.shape.rank + 1, dim, stmt->span);
  const NodeId id = region_add_carry(e, r, none, stmt->name.text, stmt->name.span);
  if (id == NO_NODE) return;
  name_node(e, where, stmt->name.text, id);
  const Arg put =
      build_call(&e->at->build, op_find("put"),
                 (Arg[]){tensor_arg(id), tensor_arg(r->run), tensor_arg(row), int_arg(0)});
  if (put.node == NO_NODE) return;
  region_carry_of(e, r, id)->next = put.node;
  vec_push(e->arena, &r->collected, ((Collected){stmt->name, id}));
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
    if (n) zero = value_node(zeros(e, n->dtype, n->shape.rank, n->shape.dim, b->span));
    Carried c = {.name = {b->name, b->span}, .before = b->span};
    c.inside = carry_value(e, r, zero, c.name, where);
    vec_push(e->arena, carried, c);
  }
}

static void branch(Elab *e, NameScope *s, const Stmt *stmt, const StmtVec *body,
                   const StmtVec *other, NodeId cond, Where where) {
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  OpenRegion *r = region_open(e, REGION_BRANCH, stmt->span);
  region_at(e, r)->condition = cond;
  carry_names(e, r, &in, body, where, &carried);
  run_body(e, &in, body, stmt->span, where);
  new_names(e, r, &in, other, where, &carried);
  close_region(e, r, &in, &carried, where);
}

void region_if(Elab *e, NameScope *s, const Stmt *stmt, Value v, Where where) {
  static const StmtVec none = {0};
  if (misplaced(e, stmt, where, "`if` on a tensor")) return;
  const NodeId cond = condition(e, v, stmt->value, "if");
  if (cond == NO_NODE) return;
  branch(e, s, stmt, &stmt->body, &stmt->other, cond, where);
  if (!stmt->other.n) return;
  e->at->build.span = stmt->value->span;
  const Arg x = tensor_arg(cond);
  const NodeId not = build_operator(&e->at->build, op_operator("not", 1), &x, NULL).node;
  branch(e, s, stmt, &stmt->other, &none, not, where);
}
