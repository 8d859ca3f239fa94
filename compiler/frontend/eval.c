/* Evaluates expressions. Numbers, lists, types and instances are computed immediately; tensors
 * become nodes of the entry that is being built. */
#include "foreign.h"
#include "stack.h"
#include <math.h>
#include <string.h>

enum { DEEPEST = 1000, LONGEST_LIST = 1000000 };
static const int64_t MOST_STEPS = 20000000, MOST_NODES = 400000;

/* Every expression and statement passes here: no text makes it run forever or out of stack.
 */
bool elab_tick(Elab *e, Span at) {
  if (e->stop) return false;
  const char *what = NULL;
  if (++e->steps > MOST_STEPS)
    what = "unrolling takes more than 20 million steps; is a loop too long?";
  else if (e->depth > DEEPEST)
    what = "calls and expressions are nested too deeply here";
  else if (e->at && e->at->build.graph->nodes.n > MOST_NODES)
    what = "the entry has grown past 400 thousand operations; is a loop too long?";
  if (what) diag_error(e->diag, at, "%s", what);
  /* Messages past the limit are not shown: continuing is pointless. */
  e->full = !what && e->diag->errors > e->diag->most_errors;
  e->stop = what || e->full;
  return !e->stop;
}

Value eval_read(Elab *e, Value v, Span at) {
  if (v.kind == V_ROW) return value_node(variable_read_row(e, v.row, at));
  if (v.kind != V_VAR) return v;
  if (!e->at)
    return elab_fail(e, at, "the value of %s is available only in entries and methods",
                     e->program->vars.at[v.var].path);
  return value_node(variable_read(e, v.var, at));
}

/* -------- types and sizes -------- */

static bool whole_number(Elab *e, const Value *v, Span at, const char *what, int64_t *out) {
  if (v->kind == V_ERROR) return false;
  if (v->kind == V_INT)
    *out = v->i;
  else if (v->kind == V_REAL && floor(v->real) == v->real && fabs(v->real) < 9e15)
    *out = (int64_t)v->real;
  else if (v->kind == V_TENSOR || v->kind == V_VAR)
    elab_fail(e, at, "%s must be a compile-time constant, but this is %s", what,
              value_describe(e, v));
  else
    elab_fail(e, at, "%s must be an integer, but this is %s", what, value_describe(e, v));
  return v->kind == V_INT ||
         (v->kind == V_REAL && floor(v->real) == v->real && fabs(v->real) < 9e15);
}

static bool size_from(Elab *e, const Value *v, Span at, const char *what, int64_t *out) {
  if (!whole_number(e, v, at, what, out)) return false;
  if (*out >= 0) return true;
  elab_fail(e, at, "%s cannot be negative: %ld", what, (long)*out);
  return false;
}

bool eval_size(Elab *e, NameScope *s, const AstExpr *x, const char *what, int64_t *out) {
  Value v = eval_expr(e, s, x);
  const bool good = size_from(e, &v, x->span, what, out);
  if (!good && v.kind != V_ERROR) lookup_note(e, s, x, "bound here");
  return good;
}

static bool add_dim(Elab *e, Shape *shape, const Value *v, Span at) {
  if (v->kind == V_LIST) {
    for (int i = 0; i < v->list->n; i++)
      if (!add_dim(e, shape, &v->list->at[i], at)) return false;
    return true;
  }
  int64_t n;
  if (!size_from(e, v, at, "a size", &n)) return false;
  if (shape->rank == MAX_RANK) {
    elab_fail(e, at, "a tensor has at most %d dims", MAX_RANK);
    return false;
  }
  shape->dim[shape->rank++] = n;
  return true;
}

static bool type_fits(Elab *e, Span at, DType t, const Shape *s) {
  int64_t bytes = dtype_size(t), most = (int64_t)1 << 46;
  for (int i = 0; i < s->rank; i++) {
    if (s->dim[i] == 0) continue; /* nothing to store, but the other sizes are still multiplied */
    if (bytes > most / s->dim[i]) {
      elab_fail(e, at, "%s is too large: more than 2^46 bytes", type_text(e, t, s));
      return false;
    }
    bytes *= s->dim[i];
  }
  return true;
}

/* f32[2, n]: an index expression whose base is an element type. */
static Value type_index(Elab *e, NameScope *s, const AstExpr *x, DType t) {
  Shape shape = {0};
  for (int i = 0; i < x->subs.n; i++) {
    const Sub *sub = &x->subs.at[i];
    if (sub->slice || sub->rest)
      return elab_fail(e, sub->span, "a type has plain sizes, as in f32[8, 3]");
    const bool unknown = sub->begin->kind == EX_NAME && !lookup_known(e, s, sub->begin->name);
    const int errors = e->diag->errors;
    Value v = eval_expr(e, s, sub->begin);
    if (!add_dim(e, &shape, &v, sub->span)) {
      if (unknown && e->diag->errors > errors)
        diag_note(e->diag, sub->span,
                  "sizes are known while compiling: `const %s = 8` declares one",
                  sub->begin->name.text);
      if (v.kind != V_ERROR) lookup_note(e, s, sub->begin, "bound here");
      return value_error;
    }
  }
  if (!type_fits(e, x->span, t, &shape)) return value_error;
  return value_type(e, t, &shape);
}

bool eval_type(Elab *e, NameScope *s, const AstExpr *x, Type *out) {
  Value v = eval_expr(e, s, x);
  if (v.kind == V_TYPE)
    *out = *v.type;
  else if (v.kind == V_DTYPE)
    elab_fail(e, x->span, "a type has a shape: %s[8, 3], or %s[] for a scalar", dtype_name(v.dtype),
              dtype_name(v.dtype));
  else if (v.kind != V_ERROR)
    elab_fail(e, x->span, "expected a type such as f32[8, 3], found %s", value_describe(e, &v));
  if (v.kind != V_TYPE && v.kind != V_ERROR) lookup_note(e, s, x, "bound here");
  return v.kind == V_TYPE;
}

/* -------- lists -------- */

static Value layers_of(Elab *e, const Instance *in) {
  const int n = (int)in->stack->n;
  Value *at = arena_array(e->arena, Value, n);
  for (int i = 0; i < n; i++) at[i] = stack_item(e, in, i);
  return value_list(e, at, n);
}

/* An end or the step of a range that is unrolled. */
static bool range_number(Elab *e, const Value *v, Span at, const char *what, int64_t *out) {
  if (v->kind != V_TENSOR && v->kind != V_VAR) return whole_number(e, v, at, what, out);
  elab_fail(e, at,
            "%s must be a compile-time constant, but this is %s; `repeat i in 0..n { }` is a loop "
            "that runs to a tensor",
            what, value_describe(e, v));
  return false;
}

bool eval_sequence(Elab *e, NameScope *s, AstRange over, Sequence *out) {
  const AstExpr *from = over.from, *to = over.to;
  Value v = eval_expr(e, s, from);
  int64_t lo = 0, hi = 0, by = 1;
  if (!to) {
    if (value_stack(&v) && e->at) v = layers_of(e, v.instance);
    if (v.kind == V_LIST)
      *out = (Sequence){.list = v.list, .n = v.list->n};
    else if (v.kind == V_INT)
      elab_fail(e, from->span, "`for` iterates over a list or a range; write 0..%ld", (long)v.i);
    else if (v.kind != V_ERROR)
      elab_fail(e, from->span, "`for` iterates over a list or a range, but this is %s%s",
                value_describe(e, &v),
                v.kind == V_TENSOR || v.kind == V_VAR
                    ? "; `scan row in x { }` goes through the rows of a tensor"
                    : "");
    return v.kind == V_LIST;
  }
  Value w = eval_expr(e, s, to);
  const bool begins = range_number(e, &v, from->span, "the beginning of a range", &lo);
  if (!begins && v.kind != V_ERROR) lookup_note(e, s, from, "bound here");
  if (!begins) return false;
  const bool ends = range_number(e, &w, to->span, "the end of a range", &hi);
  if (!ends && w.kind != V_ERROR) lookup_note(e, s, to, "bound here");
  if (!ends) return false;
  if (over.by) {
    Value step = eval_expr(e, s, over.by);
    if (!range_number(e, &step, over.by->span, "the step of a range", &by)) return false;
    if (by == 0 || by == INT64_MIN)
      return elab_fail(e, over.by->span, "the step of a range cannot be %ld", (long)by), false;
  }
  uint64_t way = by > 0 ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
  uint64_t n = (by > 0 ? hi > lo : lo > hi) ? (way - 1) / (uint64_t)(by > 0 ? by : -by) + 1 : 0;
  if (n > LONGEST_LIST) {
    elab_fail(e, span_join(from->span, to->span),
              "this range has more than a million steps: loops are unrolled while compiling");
    return false;
  }
  *out = (Sequence){.first = lo, .by = by, .n = (int)n};
  return true;
}

bool eval_step(Elab *e, const Sequence *q, int i, Span at, Value *out) {
  if (!elab_tick(e, at)) return false;
  *out = q->list ? q->list->at[i] : value_int(q->first + i * q->by);
  return true;
}

/* An instance made as item i of a list takes the path base[i]. */
static void enter_item(Elab *e, const char *base, int i) {
  if (base && !e->at) e->base = arena_printf(e->arena, "%s[%d]", base, i);
}

static Value list_of(Elab *e, NameScope *s, const AstExpr *x) {
  const char *base = e->base;
  Value *at = arena_array(e->arena, Value, x->list.n);
  bool ok = true;
  for (int i = 0; i < x->list.n; i++) {
    enter_item(e, base, i);
    at[i] = eval_expr(e, s, x->list.at[i]);
    ok = ok && at[i].kind != V_ERROR;
  }
  e->base = base;
  return ok ? value_list(e, at, x->list.n) : value_error;
}

/* -------- fields, relayout -------- */

/* Whether more than the first of `x, shape, axis=0` has no default. */
static bool requires_more(const char *params) {
  const char *second = strchr(params, ',');
  const size_t n = second ? strcspn(second + 1, ",=") : 0;
  return n && second[1 + n] != '=';
}

static const char *as_function(Elab *e, const char *written, const char *name) {
  const char *example = strcmp(written, "T") ? builtin_example(name) : NULL;
  Value v;
  if (example && builtin_find(name, &v) && v.op->params && !requires_more(v.op->params))
    example = NULL;
  return example ? example : arena_printf(e->arena, "%s(x)", name);
}

/* The variables, layers and methods of an instance. */
static const char *what_it_has(Elab *e, const NameScope *s) {
  enum { MOST = 12 };
  Str out = str_new(e->arena);
  int n = 0;
  for (int i = 0; i < s->names.n; i++) {
    const ValueKind k = s->names.at[i]->value.kind;
    if (k != V_VAR && k != V_FAMILY && k != V_INSTANCE && k != V_METHOD) continue;
    if (n < MOST) str_printf(&out, "%s`%s`", n ? ", " : "; it has ", s->names.at[i]->name);
    n++;
  }
  if (n > MOST) str_puts(&out, ", ...");
  return n ? out.at : "";
}

static Value field(Elab *e, const AstExpr *x, const Value *v) {
  bool found = false;
  if (v->kind == V_ERROR) return *v;
  if (v->kind == V_INSTANCE) {
    const NameScope *s = &v->instance->scope;
    Binding *b = scope_find(s, x->name.text);
    if (b) return b->value;
    Near near = {.want = x->name.text};
    for (int i = 0; i < s->names.n; i++) near_offer(&near, s->names.at[i]->name);
    const char *foreign = foreign_instance(x->name.text), *close = near_text(e, &near);
    const char *tail = *close    ? close
                       : foreign ? arena_printf(e->arena, ": %s", foreign)
                                 : what_it_has(e, s);
    elab_fail(e, x->name.span, "%s has no `%s`%s", value_describe(e, v), x->name.text, tail);
    diag_note(e->diag, v->instance->def->stmt->span, "the layer is declared here");
    return value_error;
  }
  Value r = builtin_field(e, v, x->name.text, &found);
  if (found) return r;
  Value op;
  bool tensor = v->kind == V_TENSOR || v->kind == V_VAR || v->kind == V_ROW;
  const char *name = !strcmp(x->name.text, "T") ? "transpose" : x->name.text;
  if (tensor && builtin_find(name, &op))
    return elab_fail(e, x->name.span, "%s has no `%s`: operations are functions, as in %s",
                     value_describe(e, v), x->name.text, as_function(e, x->name.text, name));
  const char *foreign = tensor              ? foreign_member(name)
                        : v->kind == V_LIST ? foreign_list(name)
                                            : NULL;
  if (foreign)
    return elab_fail(e, x->name.span, "%s has no `%s`: %s", value_describe(e, v), name, foreign);
  const char *instead = tensor ? op_instead(name) : NULL;
  if (instead)
    return elab_fail(e, x->name.span, "%s has no `%s`; write it as in `%s`", value_describe(e, v),
                     name, instead);
  if (tensor && *name && name[strlen(name) - 1] == '_')
    return elab_fail(e, x->name.span,
                     "%s has no `%s`: a tensor does not change; its name is bound again, as in x = "
                     "x + 1, and a variable assigned with `<-`",
                     value_describe(e, v), name);
  return elab_fail(e, x->name.span, "%s has no `%s`", value_describe(e, v), x->name.text);
}

static Value relayout(Elab *e, NameScope *s, const AstExpr *x) {
  Value v = eval_read(e, eval_expr(e, s, x->x), x->x->span);
  if (v.kind == V_ERROR) return v;
  if (v.kind != V_TENSOR)
    return elab_fail(e, x->x->span, "only a tensor has a layout, but this is %s",
                     value_describe(e, &v));
  Build *b = &e->at->build;
  const SpecExpr *named = spec_named(e, s, x->spec);
  if (!named) return value_error;
  const Spec *spec =
      spec_make(e, named, graph_node(b->graph, v.node)->shape.rank, "this tensor", true, true);
  if (!spec) return value_error;
  b->span = x->span;
  return value_node(build_relayout(b, v.node, spec));
}

/* `and` and `or` of compile-time values evaluate their right side only if needed. */
static Value binary(Elab *e, NameScope *s, const AstExpr *x) {
  Value l = eval_expr(e, s, x->x);
  if (l.kind == V_BOOL && x->op->logic == (l.i ? '|' : '&')) return l;
  Value r = eval_expr(e, s, x->y);
  if (l.kind == V_ERROR || r.kind == V_ERROR) return value_error;
  return operate_binary(e, x, l, r);
}

/* A condition that is decided while compiling; false after a report. */
static bool eval_condition(Elab *e, NameScope *s, const AstExpr *x, bool *out) {
  Value v = eval_expr(e, s, x);
  *out = v.i;
  if (v.kind == V_BOOL) return true;
  if (v.kind == V_TENSOR || v.kind == V_VAR)
    elab_fail(
        e, x->span,
        "`if` is decided while compiling, but this is %s; choose elements with where(cond, x, y)",
        value_describe(e, &v));
  else if (v.kind != V_ERROR)
    elab_fail(e, x->span, "`if` requires true or false, but this is %s", value_describe(e, &v));
  return false;
}

/* Only the side that is taken is evaluated. */
static Value choice(Elab *e, NameScope *s, const AstExpr *x) {
  bool yes;
  if (!eval_condition(e, s, x->from, &yes)) return value_error;
  return eval_expr(e, s, yes ? x->x : x->y);
}

typedef VEC(Value) Items;

/* The items that a `for` of a list gives, behind those of the ones around it. */
static bool put_each(Elab *e, NameScope *s, const AstExpr *x, const char *base, Items *out) {
  Sequence over;
  const uint64_t place = e->place;
  e->base = NULL;
  bool ok = eval_sequence(e, s, (AstRange){x->from, x->to, x->by}, &over);
  for (int i = 0; ok && i < over.n; i++) {
    NameScope inner = {.up = s};
    Value step, item;
    bool taken = true;
    if (!eval_step(e, &over, i, x->span, &step)) return false;
    scope_bind(e, &inner, x->name, step);
    e->base = NULL;
    e->place = place;
    place_enter(e, (uint64_t)i);
    if (x->y && !eval_condition(e, &inner, x->y, &taken)) return false;
    if (!taken) continue;
    if (x->joined) {
      ok = put_each(e, &inner, x->x, base, out);
      continue;
    }
    if (!list_fits(e, x->span, out->n + 1)) return false;
    enter_item(e, base, out->n);
    item = eval_expr(e, &inner, x->x);
    ok = item.kind != V_ERROR;
    vec_push(e->arena, out, item);
  }
  return ok;
}

static Value list_each(Elab *e, NameScope *s, const AstExpr *x) {
  const char *base = e->base;
  const uint64_t place = e->place;
  Items items = {0};
  const bool ok = put_each(e, s, x, base, &items);
  e->base = base, e->place = place;
  return ok ? value_list(e, items.at, items.n) : value_error;
}

static Value index_of(Elab *e, NameScope *s, const AstExpr *x) {
  Value base = eval_expr(e, s, x->x);
  if (base.kind == V_ERROR) return base;
  return base.kind == V_DTYPE ? type_index(e, s, x, base.dtype) : operate_index(e, s, x, base);
}

static Value eval_kind(Elab *e, NameScope *s, const AstExpr *x) {
  Value v;
  switch (x->kind) {
  case EX_ERROR: return value_error;
  case EX_INT: return value_int(x->i);
  case EX_REAL: return value_real(x->real);
  case EX_STRING: return value_text(x->text);
  case EX_BOOL: return value_bool(x->i);
  case EX_NONE: return value_none;
  case EX_NAME: return scope_lookup(e, s, x->name);
  case EX_LIST: return list_of(e, s, x);
  case EX_EACH: return list_each(e, s, x);
  case EX_CALL: return call_expr(e, s, x);
  case EX_INDEX: return index_of(e, s, x);
  case EX_FIELD:
    if (lookup_module(e, s, x)) return value_error;
    v = eval_expr(e, s, x->x);
    return field(e, x, &v);
  case EX_UNARY: v = eval_expr(e, s, x->x); return operate_unary(e, x, v);
  case EX_BINARY: return binary(e, s, x);
  case EX_CHOICE: return choice(e, s, x);
  case EX_RELAYOUT: return relayout(e, s, x);
  case EX_STACK: return stack_make(e, s, x);
  }
  return value_error;
}

Value eval_expr(Elab *e, NameScope *s, const AstExpr *x) {
  e->depth++;
  Value v = elab_tick(e, x->span) ? eval_kind(e, s, x) : value_error;
  e->depth--;
  return v;
}
