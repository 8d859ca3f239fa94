/* Predefined names: element types, the operations of compiler/ops, and functions of the elaborator
 * itself (params, like, shape, grad ...). Calls with only numbers are folded (fold_numbers.c). */
#include "stack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------- what the elaborator does itself -------- */

typedef Value MakeFn(Elab *e, Span call, const Actual *a);

static Type without_first(DType t, const Shape *s, int n) {
  Type out = {.dtype = t, .shape = {.rank = s->rank - n}};
  memcpy(out.shape.dim, s->dim + n, sizeof *s->dim * (size_t)out.shape.rank);
  return out;
}

/* Dtype and shape of a variable, a tensor or a type. */
static bool type_of(Elab *e, const Value *v, Type *out) {
  if (v->kind == V_TYPE)
    *out = *v->type;
  else if (v->kind == V_VAR) {
    const Var *var = &e->program->vars.at[v->var];
    *out = without_first(var->dtype, &var->shape, stack_own(e, var));
  } else if (v->kind == V_ROW) {
    const Var *var = &e->program->vars.at[v->row->var];
    *out = without_first(var->dtype, &var->shape, v->row->n);
  } else if (v->kind == V_TENSOR && e->at) {
    const Node *n = graph_node(e->at->build.graph, v->node);
    *out = (Type){n->dtype, n->shape};
  } else
    return false;
  return true;
}

static Value no_type(Elab *e, const char *what, const Actual *a) {
  return elab_fail(e, a->span, "`%s` takes a tensor or a variable, but this is %s", what,
                   value_describe(e, &a->value));
}

static Value make_like(Elab *e, Span call, const Actual *a) {
  (void)call;
  Type t;
  return type_of(e, &a->value, &t) ? value_type(e, t.dtype, &t.shape) : no_type(e, "like", a);
}

static Value shape_list(Elab *e, const Shape *s) {
  Value at[MAX_RANK];
  for (int i = 0; i < s->rank; i++) at[i] = value_int(s->dim[i]);
  return value_list(e, at, s->rank);
}

static Value make_shape(Elab *e, Span call, const Actual *a) {
  (void)call;
  Type t;
  return type_of(e, &a->value, &t) ? shape_list(e, &t.shape) : no_type(e, "shape", a);
}

static Value make_dtype(Elab *e, Span call, const Actual *a) {
  (void)call;
  Type t;
  return type_of(e, &a->value, &t) ? (Value){.kind = V_DTYPE, .dtype = t.dtype}
                                   : no_type(e, "dtype", a);
}

static Value make_rank(Elab *e, Span call, const Actual *a) {
  (void)call;
  Type t;
  return type_of(e, &a->value, &t) ? value_int(t.shape.rank) : no_type(e, "rank", a);
}

static Value make_len(Elab *e, Span call, const Actual *a) {
  (void)call;
  Type t;
  if (a->value.kind == V_LIST) return value_int(a->value.list->n);
  if (value_stack(&a->value)) return value_int(value_stack(&a->value)->n);
  if (!type_of(e, &a->value, &t))
    return elab_fail(e, a->span, "`len` takes a list or a tensor, but this is %s",
                     value_describe(e, &a->value));
  if (t.shape.rank) return value_int(t.shape.dim[0]);
  return elab_fail(e, a->span, "a scalar has no length");
}

/* Paths below P begin with "P." or "P[". */
static bool below(const char *path, const char *top) {
  size_t n = strlen(top);
  return !strncmp(path, top, n) && (path[n] == '.' || path[n] == '[');
}

typedef VEC(Value) Values;

static void add_param(Elab *e, Values *out, int var) {
  if (!e->program->vars.at[var].trainable) return;
  for (int i = 0; i < out->n; i++)
    if (out->at[i].var == var) return;
  vec_push(e->arena, out, ((Value){.kind = V_VAR, .var = var}));
}

static bool add_params(Elab *e, Values *out, const Value *v, Span at) {
  if (v->kind == V_ERROR) return false;
  if (v->kind == V_VAR)
    add_param(e, out, v->var);
  else if (v->kind == V_INSTANCE) {
    for (int i = 0; i < e->program->vars.n; i++)
      if (below(e->program->vars.at[i].path, v->instance->path)) add_param(e, out, i);
  } else if (v->kind == V_LIST) {
    for (int i = 0; i < v->list->n; i++)
      if (!add_params(e, out, &v->list->at[i], at)) return false;
  } else {
    elab_fail(e, at,
              "`params` takes a layer instance, a variable or a list of them, but this is %s",
              value_describe(e, v));
    return false;
  }
  return true;
}

static Value make_params(Elab *e, Span call, const Actual *a) {
  (void)call;
  Values out = {0};
  if (!add_params(e, &out, &a->value, a->span)) return value_error;
  return value_list(e, out.at, out.n);
}

static Value gradient(Elab *e, Span call, NodeId loss, const Value *v, Span at) {
  NodeId x = NO_NODE;
  if (v->kind == V_LIST) {
    Value *all = arena_array(e->arena, Value, v->list->n);
    for (int i = 0; i < v->list->n; i++) {
      all[i] = gradient(e, call, loss, &v->list->at[i], at);
      if (all[i].kind == V_ERROR) return value_error;
    }
    return value_list(e, all, v->list->n);
  }
  if (v->kind == V_ROW)
    return elab_fail(
        e, at,
        "this is a variable of one layer of a stack: take the gradient with respect to "
        "the stack's, `%s`, and its row",
        e->program->vars.at[v->row->var].path);
  if (v->kind == V_VAR)
    x = variable_in_loss(e, v->var, loss, at);
  else if (v->kind == V_TENSOR)
    x = v->node;
  else
    return elab_fail(e, at,
                     "`grad` differentiates with respect to a variable or a tensor, but this is %s",
                     value_describe(e, v));
  e->at->build.span = call;
  return value_node(build_grad(&e->at->build, loss, x));
}

static Value make_grad(Elab *e, Span call, const Actual *a) {
  if (!e->at) return elab_fail(e, call, "`grad` can be taken in entries and methods only");
  Value loss = eval_read(e, a[0].value, a[0].span);
  if (loss.kind == V_ERROR) return loss;
  if (loss.kind != V_TENSOR)
    return elab_fail(e, a[0].span, "the loss must be a scalar tensor, but this is %s",
                     value_describe(e, &loss));
  return gradient(e, call, loss.node, &a[1].value, a[1].span);
}

/* A library's error for arguments that it rejects; the notes name the callers. */
static Value make_error(Elab *e, Span call, const Actual *a) {
  if (a->value.kind != V_STRING)
    return elab_fail(e, a->span, "`error` takes a string, but this is %s",
                     value_describe(e, &a->value));
  return elab_fail(e, call, "%s", a->value.text);
}

static const struct {
  const char *name, *signature;
  int n;
  MakeFn *fn;
} makes[] = {
    {"len", "x", 1, make_len},
    {"params", "x", 1, make_params},
    {"like", "x", 1, make_like},
    {"shape", "x", 1, make_shape},
    {"dtype", "x", 1, make_dtype},
    {"rank", "x", 1, make_rank},
    {"grad", "loss, x", 2, make_grad},
    {"error", "x", 1, make_error},
    {"pipeline", "blocks, x, microbatches, given...", 3, NULL /* call_pipeline */},
};
enum { NMAKES = sizeof makes / sizeof *makes };

/* What is given by other names is for the layers' method. */
static Value call_pipeline(Elab *e, Span call, const Actual *a, int n) {
  static const Formal own[] = {
      {"blocks", true, false}, {"x", true, false}, {"microbatches", true, false}};
  Actual *mine = arena_array(e->arena, Actual, n + 1), *more = arena_array(e->arena, Actual, n + 1);
  int which[3], rest, nmine = 0, nmore = 0;
  for (int i = 0; i < n; i++) {
    bool is_own = !a[i].name.text;
    for (int k = 0; k < 3 && !is_own; k++) is_own = !strcmp(a[i].name.text, own[k].name);
    if (is_own && a[i].taken) *a[i].taken = true;
    if (is_own)
      mine[nmine++] = a[i];
    else
      more[nmore++] = a[i];
  }
  if (!call_bind(e, call, "pipeline", "blocks, x, microbatches, given...", (Span){0}, own, 3, mine,
                 nmine, which, &rest))
    return value_error;
  return pipeline_call(e, call, &mine[which[0]], &mine[which[1]], &mine[which[2]], more, nmore);
}

bool builtin_gives(const Value *callee) {
  return callee->kind == V_MAKE && !strcmp(callee->make, "pipeline");
}

Value builtin_call(Elab *e, const char *name, Span call, const Actual *a, int n) {
  static const Formal formals[2][2] = {{{"x", true, false}},
                                       {{"loss", true, false}, {"x", true, false}}};
  int which[2], rest, make = 0;
  while (makes[make].name != name) make++;
  if (!makes[make].fn) return call_pipeline(e, call, a, n);
  if (!call_bind(e, call, makes[make].name, makes[make].signature, (Span){0},
                 formals[makes[make].n - 1], makes[make].n, a, n, which, &rest))
    return value_error;
  Actual ordered[2] = {{.name = {0}}};
  for (int i = 0; i < makes[make].n; i++) ordered[i] = a[which[i]];
  return makes[make].fn(e, call, ordered);
}

Value builtin_field(Elab *e, const Value *v, const char *name, bool *found) {
  Type t;
  *found = type_of(e, v, &t) && (!strcmp(name, "shape") || !strcmp(name, "dtype"));
  if (!*found) return value_error;
  return *name == 's' ? shape_list(e, &t.shape) : (Value){.kind = V_DTYPE, .dtype = t.dtype};
}

/* -------- names -------- */

static const struct {
  const char *name;
  double value;
} numbers[] = {{"pi", 3.14159265358979323846}, {"inf", INFINITY}, {"nan", NAN}};
enum { NNUMBERS = sizeof numbers / sizeof *numbers };

bool builtin_find(const char *name, Value *out) {
  DType t;
  if (dtype_from_name(name, &t)) {
    *out = (Value){.kind = V_DTYPE, .dtype = t};
    return true;
  }
  for (int i = 0; i < NMAKES; i++)
    if (!strcmp(makes[i].name, name)) {
      *out = (Value){.kind = V_MAKE, .make = makes[i].name};
      return true;
    }
  for (int i = 0; i < NNUMBERS; i++)
    if (!strcmp(numbers[i].name, name)) {
      *out = value_real(numbers[i].value);
      return true;
    }
  const OpDef *op = op_find(name);
  if (op) *out = (Value){.kind = V_OP, .op = op};
  return op;
}

const char *builtin_shipped(const char *name) {
  static const char *const words[] = {"\nfn ", "\nlayer "};
  size_t n = strlen(name);
  for (const FrontModule *m = front_library; m->name; m++)
    for (int i = 0; i < 2; i++)
      for (const char *s = m->text; (s = strstr(s, words[i])); s++) {
        const char *at = s + strlen(words[i]);
        if (!strncmp(at, name, n) && at[n] == '(') return m->name;
      }
  return NULL;
}

void builtin_near(Near *n) {
  for (int i = 0; i < DT_COUNT; i++) near_offer(n, dtype_name((DType)i));
  for (int i = 0; i < NMAKES; i++) near_offer(n, makes[i].name);
  for (int i = 0; i < NNUMBERS; i++) near_offer(n, numbers[i].name);
  for (int i = 0; op_at(i); i++)
    if (op_at(i)->params) near_offer(n, op_at(i)->name);
}

/* -------- between values and arguments -------- */

static bool list_arg(Elab *e, const ValueList *l, Span at, Arg *out) {
  *out = (Arg){.kind = ARG_LIST, .span = at, .at = arena_array(e->arena, Arg, l->n), .n = l->n};
  for (int i = 0; i < l->n; i++)
    if (!builtin_arg(e, &l->at[i], at, &out->at[i])) return false;
  return true;
}

bool builtin_arg(Elab *e, const Value *v, Span at, Arg *out) {
  *out = (Arg){.span = at};
  switch (v->kind) {
  case V_ERROR: return false;
  case V_NONE: return true;
  case V_INT: out->kind = ARG_INT, out->i = v->i, out->real = (double)v->i; return true;
  case V_REAL: out->kind = ARG_REAL, out->real = v->real; return true;
  case V_BOOL: out->kind = ARG_BOOL, out->i = v->i; return true;
  case V_STRING: out->kind = ARG_STRING, out->text = v->text; return true;
  case V_DTYPE: out->kind = ARG_DTYPE, out->i = v->dtype; return true;
  case V_LIST: return list_arg(e, v->list, at, out);
  case V_TENSOR: out->kind = ARG_TENSOR, out->node = v->node; return true;
  case V_VAR:
    out->kind = ARG_TENSOR, out->node = variable_read(e, v->var, at);
    return out->node != NO_NODE;
  case V_ROW:
    out->kind = ARG_TENSOR, out->node = variable_read_row(e, v->row, at);
    return out->node != NO_NODE;
  default:
    elab_fail(e, at, "expected a tensor or a number, found %s%s", value_describe(e, v),
              value_instead(e, v));
    return false;
  }
}

Value builtin_from_arg(Elab *e, const Arg *a) {
  switch (a->kind) {
  case ARG_NONE: return value_none;
  case ARG_TENSOR: return value_node(a->node);
  case ARG_INT: return value_int(a->i);
  case ARG_REAL: return value_real(a->real);
  case ARG_BOOL: return value_bool(a->i);
  case ARG_STRING: return value_text(a->text);
  case ARG_DTYPE: return (Value){.kind = V_DTYPE, .dtype = (DType)a->i};
  case ARG_LIST: break;
  }
  Value *at = arena_array(e->arena, Value, a->n);
  for (int i = 0; i < a->n; i++) {
    at[i] = builtin_from_arg(e, &a->at[i]);
    if (at[i].kind == V_ERROR) return value_error;
  }
  return value_list(e, at, a->n);
}

/* -------- casts -------- */

static Value cast_number(Elab *e, DType t, const Actual *a, double x) {
  if (t == DT_BOOL) return value_bool(x != 0);
  if (dtype_is_float(t)) {
    double r = dtype_round(t, x);
    return isfinite(x) && !isfinite(r)
               ? elab_fail(e, a->span, "%.9g does not fit in %s; inf is infinity", x, dtype_name(t))
               : value_real(r);
  }
  bool whole = a->value.kind == V_INT, fits = whole || (x > -0x1p63 && x < 0x1p63);
  int64_t i = !fits ? 0 : whole ? a->value.i : (int64_t)x;
  if (!fits || i < dtype_least(t) || i > dtype_most(t))
    return elab_fail(e, a->span, "%.17g does not fit in %s", x, dtype_name(t));
  return value_int(i);
}

Value builtin_cast(Elab *e, DType t, Span call, const Actual *a, int n) {
  double x;
  if (n != 1 || a[0].name.text)
    return elab_fail(e, call, "a cast takes one value, as in %s(x)%s", dtype_name(t),
                     n > 1 ? arena_printf(e->arena, "; a type is written %s[8, 3]", dtype_name(t))
                           : "");
  if (value_number(&a[0].value, &x)) {
    Value v = cast_number(e, t, a, x);
    if (!e->at || v.kind == V_ERROR || v.kind == V_BOOL) return v;
    /* Where tensors are computed it is a scalar of that type. */
    Arg arg = {.kind = v.kind == V_INT ? ARG_INT : ARG_REAL,
               .span = call,
               .i = v.i,
               .real = v.kind == V_INT ? (double)v.i : v.real};
    e->at->build.span = call;
    return value_node(build_tensor(&e->at->build, &arg, t));
  }
  if (a[0].value.kind == V_BOOL)
    return t == DT_BOOL        ? a[0].value
           : dtype_is_float(t) ? value_real((double)a[0].value.i)
                               : value_int(a[0].value.i);
  Value v = eval_read(e, a[0].value, a[0].span);
  if (v.kind == V_ERROR) return v;
  if (v.kind != V_TENSOR)
    return elab_fail(e, a[0].span, "%s(...) casts tensors and numbers, but this is %s%s",
                     dtype_name(t), value_describe(e, &v), value_instead(e, &v));
  e->at->build.span = call;
  return value_node(build_cast(&e->at->build, v.node, t));
}

/* -------- operations -------- */

enum { MOST_PARAMS = 12 };

typedef struct Signature {
  Formal formal[MOST_PARAMS];
  const char *value[MOST_PARAMS]; /* text of the default */
  int n;
} Signature;

/* "x, axis=none, names..." */
static void read_signature(Elab *e, const char *params, Signature *out) {
  const char *s = params;
  out->n = 0;
  while (*s && out->n < MOST_PARAMS) {
    size_t n = strcspn(s, ",");
    char *word = arena_strndup(e->arena, s, n), *eq = strchr(word, '='),
         *dots = strstr(word, "...");
    if (eq) *eq = 0;
    if (dots) *dots = 0;
    out->formal[out->n] = (Formal){word, !eq && !dots, dots};
    out->value[out->n++] = eq ? eq + 1 : NULL;
    s += n;
    while (*s == ',' || *s == ' ') s++;
  }
}

static bool from_declaration(Elab *e, const OpDef *op, const char *param, Span call, Arg *out) {
  bool dtype = !strcmp(param, "dtype");
  if (!e->declared && !dtype) {
    elab_fail(
        e, call,
        "`%s` requires its argument `%s`; only the initial value of a variable takes it from the "
        "declaration",
        op->name, param);
    return false;
  }
  Value v = dtype ? (Value){.kind = V_DTYPE, .dtype = e->declared ? e->declared->dtype : DT_F32}
                  : shape_list(e, &e->declared->shape);
  return builtin_arg(e, &v, call, out);
}

static bool default_arg(Elab *e, const OpDef *op, const char *param, const char *text, Span call,
                        Arg *out) {
  DType t;
  char *end;
  *out = (Arg){.span = call};
  if (!strcmp(text, "declared")) return from_declaration(e, op, param, call, out);
  if (*text == '"') {
    *out = (Arg){.kind = ARG_STRING,
                 .span = call,
                 .text = arena_strndup(e->arena, text + 1, strlen(text) - 2)};
    return true;
  }
  if (!strcmp(text, "none")) return true;
  if (!strcmp(text, "true") || !strcmp(text, "false"))
    out->kind = ARG_BOOL, out->i = *text == 't';
  else if (dtype_from_name(text, &t))
    out->kind = ARG_DTYPE, out->i = t;
  else {
    out->kind = strchr(text, '.') ? ARG_REAL : ARG_INT;
    out->real = strtod(text, &end);
    out->i = (int64_t)out->real;
  }
  return true;
}

static Value no_tensors_here(Elab *e, const OpDef *op, Span call) {
  return elab_fail(
      e, call,
      "`%s` computes a tensor: this is allowed in entries, methods and initial values of variables",
      op->name);
}

Value builtin_op(Elab *e, const OpDef *op, Span call, const Actual *a, int n) {
  Signature sig;
  Arg args[MOST_PARAMS];
  int which[MOST_PARAMS], rest;
  read_signature(e, op->params, &sig);
  bool numbers = true;
  for (int i = 0; i < n; i++) {
    ValueKind k = a[i].value.kind;
    numbers = numbers && (k == V_INT || k == V_REAL || k == V_BOOL || k == V_NONE);
  }
  if (!e->at && !(numbers && op->fold)) return no_tensors_here(e, op, call);
  if (!call_bind(e, call, op->name, op->params, (Span){0}, sig.formal, sig.n, a, n, which, &rest))
    return value_error;
  if (numbers && op->fold) {
    Value v = fold_call(e, op, call, a, which, sig.n);
    if (v.kind != V_NONE) return v;
    if (!e->at) return no_tensors_here(e, op, call);
  }
  for (int i = 0; i < sig.n; i++) {
    if (sig.formal[i].rest) {
      VEC(Arg) more = {0};
      for (int k = rest; k < n && !a[k].name.text; k++) {
        Arg one;
        if (!builtin_arg(e, &a[k].value, a[k].span, &one)) return value_error;
        vec_push(e->arena, &more, one);
      }
      args[i] = (Arg){.kind = ARG_LIST, .span = call, .at = more.at, .n = more.n};
    } else if (which[i] >= 0) {
      if (!builtin_arg(e, &a[which[i]].value, a[which[i]].span, &args[i])) return value_error;
    } else if (!default_arg(e, op, sig.formal[i].name, sig.value[i], call, &args[i])) {
      return value_error;
    }
  }
  e->at->build.span = call;
  Arg out = build_call(&e->at->build, op, args);
  return builtin_from_arg(e, &out);
}

const char *builtin_example(const char *name) {
  Value v;
  if (!builtin_find(name, &v) || v.kind != V_OP) return NULL;
  const char *call = v.op->example ? strstr(v.op->example, ": ") : NULL;
  const size_t n = strlen(name);
  return call && !strncmp(call + 2, name, n) && call[2 + n] == '(' ? call + 2 : NULL;
}
