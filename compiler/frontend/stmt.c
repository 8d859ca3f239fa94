/* Statements, executed in order, and where each is allowed: instances and variables are created at
 * top level and in layers; tensors are computed, and variables assigned, in methods and entries; a
 * fn only computes. */
#include "elaborate.h"
#include "foreign.h"
#include <string.h>

static const char *place(Where where) {
  switch (where) {
  case IN_TOP: return "at top level";
  case IN_LAYER: return "in a layer";
  case IN_FN: return "in a fn";
  case IN_METHOD: return "in a method";
  case IN_ENTRY: return "in an entry";
  }
  return "here";
}

static void misplaced(Elab *e, const Stmt *s, const char *what, Where where, const char *belongs) {
  elab_fail(e, s->span, "%s is not allowed %s: it belongs %s", what, place(where), belongs);
}

/* -------- binding -------- */

static bool lasting(const Value *v) {
  return v->kind == V_VAR || v->kind == V_FAMILY || v->kind == V_INSTANCE || v->kind == V_LAYER ||
         v->kind == V_FN || v->kind == V_METHOD || v->kind == V_ENTRY;
}

/* What is made keeps its name; numbers may be bound again, and tensors always. */
static bool may_bind(Elab *e, NameScope *s, Ident name, Where where) {
  Binding *had = scope_find(s, name.text);
  if (where != IN_TOP && where != IN_LAYER) {
    /* A fn assigns none: what it binds beside one of the top level is its own. */
    for (NameScope *up = s->up; !had && up && !(up->module && where == IN_FN); up = up->up) {
      had = scope_find(up, name.text);
      if (had && had->value.kind == V_VAR)
        diag_warning(e->diag, name.span, "this hides the variable %s; it is assigned with `<-`",
                     e->program->vars.at[had->value.var].path);
    }
    return true;
  }
  if (!had || (!lasting(&had->value) && !had->is_const)) return true;
  elab_fail(e, name.span, "`%s` is already defined", name.text);
  diag_note(e->diag, had->span, "the first is here");
  return false;
}

static void bind_one(Elab *e, NameScope *s, Ident name, Value v, Span at, Where where) {
  const char *path = e->at && v.kind == V_VAR ? e->program->vars.at[v.var].path : NULL;
  if (e->at) v = eval_read(e, v, at);
  if (v.kind == V_TENSOR && where == IN_ENTRY)
    entry_name_node(e, path_join(e, e->at->entry.name, name.text), v.node);
  if (v.kind == V_TENSOR && where == IN_METHOD)
    entry_name_node(e, path_join(e, e->frame->instance->path, name.text), v.node);
  Binding *b = scope_bind(e, s, name, v);
  b->value_of = path, b->as = at;
}

static void bind(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  int n = stmt->targets.n;
  const char *base = e->base;
  for (int i = 0; i < n; i++)
    if (!may_bind(e, s, stmt->targets.at[i]->name, where)) return;
  e->base = n == 1 && !e->at ? path_join(e, e->owner, stmt->targets.at[0]->name.text) : NULL;
  Value v = eval_expr(e, s, stmt->value);
  e->base = base;
  if (n > 1 && v.kind != V_ERROR && (v.kind != V_LIST || v.list->n != n)) {
    elab_fail(e, stmt->value->span, "%d names require a list of %d values, but this is %s", n, n,
              value_describe(e, &v));
    v = value_error;
  }
  for (int i = 0; i < n; i++) {
    Value one = n == 1 || v.kind == V_ERROR ? v : v.list->at[i];
    if (one.kind == V_INSTANCE && !e->at) loss_scaling_of(e, one.instance);
    bind_one(e, s, stmt->targets.at[i]->name, one, stmt->value->span, where);
  }
}

/* -------- assigning -------- */

static void not_a_variable(Elab *e, const NameScope *s, const AstExpr *x, const Value *v) {
  bool input = v->kind == V_TENSOR && graph_node(e->at->build.graph, v->node)->op == OP_input;
  if (input && x->kind == EX_NAME)
    elab_fail(e, x->span,
              "`%s` is an input of the entry: it cannot be assigned; bind another name with `=`",
              x->name.text);
  else if (v->kind == V_TENSOR && x->kind != EX_NAME)
    elab_fail(e, x->span, "a part is written of a variable or of a tensor that has a name");
  else if (x->kind == EX_NAME && v->kind == V_TENSOR && lookup_value_of(e, s, x)) {
    elab_fail(e, x->span, "`%s` is a plain name, not a variable", x->name.text);
    lookup_note_value(e, s, x);
  } else if (x->kind == EX_NAME && v->kind == V_TENSOR)
    elab_fail(e, x->span, "`%s` is a plain name, not a variable; bind it again with `=`",
              x->name.text);
  else
    elab_fail(e, x->span, "`<-` assigns a variable (a `param` or `state`), but this is %s",
              value_describe(e, v));
}

/* `x[i] <- v` of a tensor binds its name again. */
static void write_part(Elab *e, NameScope *s, const Stmt *stmt, Value base, Where where) {
  const AstExpr *target = stmt->targets.at[0];
  /* The host's tensor is not written: under its own name that would look as if it were. */
  const Node *n = base.kind == V_TENSOR ? graph_node(e->at->build.graph, base.node) : NULL;
  const bool input = n && where == IN_ENTRY && n->op == OP_input && target->x->kind == EX_NAME &&
                     !strcmp(n->name, target->x->name.text);
  if (input || (n && target->x->kind != EX_NAME)) {
    not_a_variable(e, s, target->x, &base);
    return;
  }
  const Value now = eval_read(e, base, target->x->span);
  if (now.kind == V_ERROR) return;
  const Value v = eval_expr(e, s, stmt->value);
  if (v.kind == V_ERROR) return;
  const Value all = operate_put(e, s, target, now.node, v, stmt->value->span);
  if (all.kind == V_ERROR) return;
  if (base.kind == V_VAR)
    variable_assign(e, base.var, all, stmt->span);
  else if (base.kind == V_ROW)
    variable_assign_row(e, base.row, all, stmt->span);
  else
    bind_one(e, s, target->x->name, all, stmt->span, where);
}

static void assign(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  const AstExpr *target = stmt->targets.at[0];
  const bool builds = where == IN_METHOD || where == IN_ENTRY;
  if (!builds && !(where == IN_FN && target->kind == EX_INDEX)) {
    misplaced(e, stmt, "an assignment `<-`", where, "in a method or an entry");
    return;
  }
  Value to = {.kind = V_ERROR};
  /* x[i] of a tensor is written, not read. */
  if (target->kind == EX_INDEX) {
    Value base = eval_expr(e, s, target->x);
    if (base.kind == V_ERROR) return;
    const bool variable = base.kind == V_VAR || base.kind == V_ROW;
    if (builds ? base.kind == V_TENSOR || variable : base.kind == V_TENSOR) {
      write_part(e, s, stmt, base, where);
      return;
    }
    if (!builds) {
      misplaced(e, stmt, "an assignment `<-`", where, "in a method or an entry");
      return;
    }
  }
  to = eval_expr(e, s, target);
  Value v = eval_expr(e, s, stmt->value);
  if (to.kind == V_VAR)
    variable_assign(e, to.var, v, stmt->value->span);
  else if (to.kind == V_ROW)
    variable_assign_row(e, to.row, v, stmt->value->span);
  else if (to.kind != V_ERROR)
    not_a_variable(e, s, target, &to);
}

/* -------- flow -------- */

/* Once a condition that is known while running has met `break`, each turn is a branch. */
static bool run_for(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  Sequence over;
  Value step;
  bool returned = false, last = false;
  if (!eval_sequence(e, s, (AstRange){stmt->from, stmt->to, stmt->by}, &over)) {
    bound_in_vain(e, stmt);
    return false;
  }
  const Jumps j = jumps_begin(e, s, stmt);
  const uint64_t place = e->place;
  for (int i = 0; i < over.n && !last && eval_step(e, &over, i, stmt->span, &step); i++) {
    e->place = place;
    place_enter(e, (uint64_t)i);
    if (jumps_met(s, &j).kind == V_TENSOR) {
      region_turn(e, s, stmt, &j, step, where);
      continue;
    }
    scope_bind(e, s, stmt->name, step);
    returned = stmt_run(e, s, &j.body, where);
    last = returned || (jumps_met(s, &j).kind == V_BOOL && jumps_met(s, &j).i);
  }
  e->place = place;
  if (over.n && jumps_met(s, &j).kind == V_TENSOR && step.kind != V_INT) {
    scope_drop(s, stmt->name.text); /* which one was the last is known while running */
    bound_add(e, &e->ended, stmt->name);
  }
  jumps_end(s, &j);
  return returned;
}

static bool run_if(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  Value v = eval_expr(e, s, stmt->value);
  if (v.kind == V_BOOL) return stmt_run(e, s, v.i ? &stmt->body : &stmt->other, where);
  if (v.kind == V_TENSOR || v.kind == V_VAR || v.kind == V_ROW)
    region_if(e, s, stmt, v, where);
  else {
    if (v.kind != V_ERROR)
      elab_fail(e, stmt->value->span, "`if` requires true or false, but this is %s",
                value_describe(e, &v));
    bound_in_vain(e, stmt);
  }
  return false;
}

static bool run_return(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  if (where == IN_ENTRY) {
    e->returned = stmt->span;
    if (!e->at->open) entry_return(e, s, stmt); /* else it is an error (flow_body) */
    return true;
  }
  if (where == IN_TOP || where == IN_LAYER) {
    misplaced(e, stmt, "`return`", where, "in a fn, a method or an entry");
    return false;
  }
  const char *base = e->base;
  Value *at = arena_array(e->arena, Value, stmt->given.n);
  bool ok = true;
  for (int i = 0; i < stmt->given.n; i++) {
    const AstGiven *g = &stmt->given.at[i];
    if (g->name.text) elab_fail(e, g->name.span, "only the results of an entry can be named");
    e->base = stmt->given.n == 1 && !e->at ? e->owner : NULL;
    at[i] = eval_expr(e, s, g->value);
    /* What a caller gets is the value of now, whatever is assigned later. */
    if (e->at) at[i] = eval_read(e, at[i], g->value->span);
    ok = ok && at[i].kind != V_ERROR;
  }
  e->base = base;
  e->result = !ok                  ? value_error
              : stmt->given.n == 0 ? value_none
              : stmt->given.n == 1 ? at[0]
                                   : value_list(e, at, stmt->given.n);
  e->returned = stmt->span;
  return true;
}

/* Whether the call rejects what the body was given: what else would be said follows from that. */
static bool rejects(const Stmt *call, const Value *v, Where where) {
  const AstExpr *of = call->value->x;
  const bool body = where == IN_FN || where == IN_METHOD;
  return body && v->kind == V_ERROR && of->kind == EX_NAME && !strcmp(of->name.text, "error");
}

/* Whether it begins with a sign, as the second line of `y = a` and `  - b`. */
static bool begins_with_sign(const Elab *e, Span at) {
  const char *text = diag_source(e->diag, at.file)->text, *c = text + at.begin;
  while (c > text && (c[-1] == ' ' || c[-1] == '\t')) c--;
  return *c == '-' || text[at.begin] == '-' || (c > text && c[-1] == '+');
}

static bool run_expr(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  const char *base = e->base;
  if (stmt->value->kind != EX_CALL) {
    const char *foreign =
        stmt->value->kind == EX_NAME ? foreign_statement(stmt->value->name.text) : NULL;
    elab_fail(
        e, stmt->span, "%s%s",
        foreign ? foreign
                : "this has no effect: expected a binding, an assignment, a call or a declaration",
        foreign || !begins_with_sign(e, stmt->span) ? "" : "; " FOREIGN_NEXT_LINE);
    return false;
  }
  e->base = NULL;
  const Value v = eval_expr(e, s, stmt->value);
  e->base = base;
  const bool ends = rejects(stmt, &v, where);
  if (ends) e->result = value_error;
  return ends;
}

/* -------- one statement -------- */

/* Its name is not reported where it is read. */
static void only_at_top(Elab *e, const Stmt *s, Where where) {
  static const char *const word[] = {
      [ST_IMPORT] = "`import`", [ST_CONST] = "`const`",         [ST_FN] = "a `fn`",
      [ST_LAYER] = "a `layer`", [ST_ENTRY] = "an `entry`",      [ST_MESH] = "`mesh`",
      [ST_LAYOUT] = "`layout`", [ST_PRECISION] = "`precision`",
  };
  if (where == IN_TOP)
    elab_fail(e, s->span, "%s is not allowed inside `if` or `for`: move it to top level",
              word[s->kind]);
  else
    misplaced(e, s, word[s->kind], where, "at top level");
  if (s->name.text) bound_add(e, &e->failed, s->name);
}

static bool run_one(Elab *e, NameScope *s, const Stmt *stmt, Where where) {
  switch (stmt->kind) {
  case ST_ERROR: break;
  case ST_IMPORT:
  case ST_CONST:
  case ST_FN:
  case ST_LAYER:
  case ST_ENTRY:
  case ST_MESH:
  case ST_LAYOUT:
  case ST_PRECISION: only_at_top(e, stmt, where); break;
  case ST_METHOD:
    if (where != IN_LAYER) misplaced(e, stmt, "a method", where, "in a layer");
    break; /* bound when the instance was begun */
  case ST_PARAM:
  case ST_STATE:
    if (where == IN_TOP || where == IN_LAYER)
      variable_declare(e, s, stmt);
    else
      misplaced(e, stmt, stmt->kind == ST_PARAM ? "a `param`" : "a `state`", where,
                "in a layer or at top level");
    break;
  case ST_BIND: bind(e, s, stmt, where); break;
  case ST_ASSIGN: assign(e, s, stmt, where); break;
  case ST_EXPR: return run_expr(e, s, stmt, where);
  case ST_FOR: return run_for(e, s, stmt, where);
  case ST_IF: return run_if(e, s, stmt, where);
  case ST_WHILE: region_while(e, s, stmt, where); break;
  case ST_REPEAT: region_repeat(e, s, stmt, where); break;
  case ST_SCAN: region_scan(e, s, stmt, where); break;
  case ST_COLLECT: region_collect(e, s, stmt, where); break;
  case ST_ASSERT: tell_assert(e, s, stmt); break;
  case ST_RETURN: return run_return(e, s, stmt, where);
  }
  return false;
}

bool stmt_run(Elab *e, NameScope *s, const StmtVec *body, Where where) {
  bool returned = false;
  e->depth++;
  for (int i = 0; i < body->n && !returned; i++) {
    if (!elab_tick(e, body->at[i]->span)) break;
    returned = run_one(e, s, body->at[i], where);
  }
  e->depth--;
  return returned;
}
