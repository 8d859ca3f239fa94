/* Loops that go through rows: `scan`, what `collect` leaves, and the rows of a stack's variables,
 * which `init` computes. Law: each run reads and writes the row of its own number alone. */
#include "flow.h"
#include "op.h"
#include "plural.h"
#include "stack.h"
#include <string.h>

static Arg shape_arg(Elab *e, int rank, const int64_t *dim, Span at) {
  Arg dims = {.kind = ARG_LIST, .span = at, .n = rank};
  dims.at = arena_array(e->arena, Arg, rank + 1);
  for (int d = 0; d < rank; d++) dims.at[d] = int_arg(dim[d]);
  return dims;
}

NodeId flow_zeros(Elab *e, DType t, int rank, const int64_t *dim, Span at) {
  const Arg type = {.kind = ARG_DTYPE, .i = (int64_t)t};
  e->at->build.span = at;
  return build_call(&e->at->build, op_find("zeros"), (Arg[]){shape_arg(e, rank, dim, at), type})
      .node;
}

/* The tensors and stacks of layers that a scan goes through, and how many rows they have; false
 * after a report. */
static bool sequences(Elab *e, NameScope *s, const Stmt *stmt, Value *x, int64_t *rows) {
  for (int i = 0; i < stmt->given.n; i++) {
    const AstExpr *at = stmt->given.at[i].value;
    const Value v = eval_read(e, eval_expr(e, s, at), at->span);
    if (v.kind == V_ERROR) return false;
    const Stack *k = value_stack(&v);
    const Node *n = v.kind == V_TENSOR ? graph_node(e->at->build.graph, v.node) : NULL;
    if (!k && (!n || !n->shape.rank)) {
      elab_fail(
          e, at->span,
          "`scan` goes through the rows of a tensor, or the layers of a stack, but this is %s",
          value_describe(e, &v));
      return false;
    }
    const int64_t has = k ? k->n : n->shape.dim[0];
    if (i && has != *rows) {
      elab_fail(e, at->span,
                "this has %ld row%s, and `%s` has %ld: a scan goes through all at once", (long)has,
                PLURAL(has), stmt->given.at[0].name.text, (long)*rows);
      return false;
    }
    x[i] = v;
    *rows = has;
  }
  return true;
}

static void run_scan(Elab *e, NameScope *s, const Running *of) {
  const Stmt *stmt = of->stmt;
  const Where where = of->where;
  NameScope in = {.up = s};
  CarriedVec carried = {0};
  int64_t rows = 0;
  Value *x = arena_array(e->arena, Value, stmt->given.n + 1);
  if (!sequences(e, s, stmt, x, &rows)) {
    bound_in_vain(e, stmt);
    return;
  }
  Build *b = &e->at->build;
  const Jumps j = jumps_begin(e, s, stmt);
  OpenRegion *r = flow_open(e, REGION_LOOP, stmt->span);
  b->span = stmt->span;
  flow_region(e, r)->turns = j.stop.text && rows ? TURNS_UNKNOWN : rows;
  flow_region(e, r)->most = j.stop.text ? rows : 0;
  r->body = &in, r->peels = of->peels, r->types = of->types;
  r->counter = flow_carry(e, r, build_whole(b, DT_I64, 0), NULL, stmt->span);
  r->counts = true;
  const Arg run = tensor_arg(r->counter), last = int_arg(rows - 1);
  r->run = stmt->keep ? flow_operate(e, "-", last, run) : r->counter;
  for (int i = 0; i < stmt->given.n; i++) {
    const Ident name = stmt->given.at[i].name;
    b->span = name.span;
    if (x[i].kind == V_INSTANCE) {
      scope_bind(e, &in, name, stack_view(e, x[i].instance, r->run));
      continue;
    }
    const Arg row = build_call(b, op_find("gather"),
                               (Arg[]){tensor_arg(x[i].node), tensor_arg(r->run), int_arg(0)});
    if (row.node != NO_NODE) flow_name(e, where, name.text, row.node);
    scope_bind(e, &in, name, value_node(row.node));
  }
  b->span = stmt->span;
  const NodeId more = flow_operate(e, "<", run, int_arg(rows));
  flow_names(e, r, &in, &j.body, where, &carried);
  b->span = stmt->span;
  const NodeId go_on = jumps_and(e, &in, &j, more);
  flow_region(e, r)->condition = go_on;
  flow_body(e, &in, &j.body, where);
  flow_close(e, r, &in, &carried, where);
  jumps_end(s, &j);
}

void region_scan(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  const Running x = {.stmt = stmt, .where = where, .body = &stmt->body};
  if (!flow_misplaced(e, stmt, where, "`scan`")) adopt_run(e, s, &x, run_scan);
}

NodeId flow_collect(Elab *e, OpenRegion *r, NodeId run, NodeId row, Ident name) {
  const Node n = *graph_node(e->at->build.graph, row);
  const Region *in = flow_region(e, r);
  int64_t dim[MAX_RANK + 1] = {in->turns == TURNS_UNKNOWN ? in->most : in->turns};
  memcpy(dim + 1, n.shape.dim, sizeof *dim * (size_t)n.shape.rank);
  const NodeId none = flow_zeros(e, n.dtype, n.shape.rank + 1, dim, e->at->build.span);
  const NodeId id = flow_carry(e, r, none, name.text, name.span);
  if (id == NO_NODE || !dim[0]) return id; /* no run has a row to put */
  const Arg put = build_call(&e->at->build, op_find("put"),
                             (Arg[]){tensor_arg(id), tensor_arg(run), tensor_arg(row), int_arg(0)});
  if (put.node == NO_NODE) return put.node;
  flow_carry_of(e, r, id)->next = put.node;
  return id;
}

/* Behind a jump the row goes through the branch, which leaves zeros where it is not taken. */
void flow_leave(Elab *e, OpenRegion *r, NodeId row, Ident name, Where where) {
  NodeId id;
  if (r->rest) {
    const Node n = *graph_node(e->at->build.graph, row);
    id = flow_carry(e, r, flow_zeros(e, n.dtype, n.shape.rank, n.shape.dim, name.span), NULL,
                    name.span);
    if (id != NO_NODE) flow_carry_of(e, r, id)->next = row;
  } else {
    id = flow_collect(e, r, r->run, row, name);
    if (id != NO_NODE) flow_name(e, where, name.text, id);
  }
  if (id != NO_NODE) vec_push(e->arena, &r->collected, ((Collected){name, id}));
}

/* The loop whose body s is, or what follows a jump in that; NULL: there is none. */
static const OpenRegion *loop_of(const OpenRegion *r, const NameScope *s) {
  for (; r && r->rest && r->body == s; r = r->up) s = s->up;
  return r && r->body == s ? r : NULL;
}

static bool may_collect(Elab *e, const NameScope *s, const Stmt *stmt) {
  const OpenRegion *loop = loop_of(e->at->open, s);
  if (!loop && e->at->open && flow_region(e, e->at->open)->kind == REGION_BRANCH) {
    elab_fail(e, stmt->span,
              "`collect` does not stand in an `if`: bind a name in each of its parts, and collect "
              "that behind it");
    return false;
  }
  if (!loop || loop->run == NO_NODE) {
    elab_fail(e, stmt->span,
              "`collect` belongs in the body of a `scan`, of a `repeat` from number to number, or "
              "of a loop with `most=`: it makes one row a run, so the number of runs, or a bound "
              "on it, must be known at compile time");
    return false;
  }
  for (const OpenRegion *r = e->at->open; r; r = r == loop ? NULL : r->up)
    for (int i = 0; i < r->collected.n; i++)
      if (r->collected.at[i].name.text == stmt->name.text) {
        elab_fail(e, stmt->name.span, "`%s` is collected twice in each run", stmt->name.text);
        diag_note(e->diag, r->collected.at[i].name.span, "the first is here");
        return false;
      }
  return true;
}

void region_collect(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  if (flow_misplaced(e, stmt, where, "`collect`")) return;
  const Value v = may_collect(e, s, stmt)
                      ? eval_read(e, eval_expr(e, s, stmt->value), stmt->value->span)
                      : value_error;
  NodeId row = v.node;
  e->at->build.span = stmt->span;
  if (v.kind == V_ERROR) {
    bound_in_vain(e, stmt);
    return;
  }
  if (v.kind == V_INT) row = build_whole(&e->at->build, DT_I64, v.i);
  if (v.kind == V_REAL) row = build_const(&e->at->build, DT_F32, v.real);
  if (v.kind == V_BOOL) row = build_const(&e->at->build, DT_BOOL, v.i ? 1 : 0);
  if (v.kind != V_INT && v.kind != V_REAL && v.kind != V_BOOL && v.kind != V_TENSOR) {
    elab_fail(e, stmt->value->span, "`collect` takes a tensor in each run, but this is %s",
              value_describe(e, &v));
    bound_in_vain(e, stmt);
    return;
  }
  flow_leave(e, e->at->open, row, stmt->name, where);
}

/* -------- rows of a stack's variables -------- */

OpenRegion *region_rows_begin(Elab *e, int64_t n, Span at) {
  OpenRegion *r = flow_open(e, REGION_LOOP, at);
  flow_region(e, r)->turns = n;
  r->rows = true;
  return r;
}

NodeId region_rows_run(Elab *e, OpenRegion *r) { return flow_counter(e, r); }

NodeId region_rows_end(Elab *e, OpenRegion *r, NodeId row) {
  NameScope none = {0};
  const CarriedVec carried = {0};
  Building *b = e->at;
  if (row == NO_NODE || (r->counter == NO_NODE && b->entry.regions.n == r->index + 1)) {
    if (b->entry.regions.n == r->index + 1) b->entry.regions.n--;
    flow_be_in(e, r->up);
    return row;
  }
  const NodeId run = flow_counter(e, r);
  b->build.span = flow_region(e, r)->span;
  const NodeId condition = flow_operate(e, "<", tensor_arg(run), int_arg(flow_region(e, r)->turns));
  flow_region(e, r)->condition = condition;
  const NodeId rows = flow_collect(e, r, run, row, (Ident){.span = b->build.span});
  flow_close(e, r, &none, &carried, IN_FN);
  return rows == NO_NODE ? rows : build_after(&b->build, rows);
}
