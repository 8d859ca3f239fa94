/* Reads the arguments of a call and reports invalid ones. */
#include "opdefs.h"
#include "plural.h"
#include <string.h>

NodeId op_fail(Build *b, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *text = arena_vprintf(b->arena, fmt, ap);
  va_end(ap);
  if (b->what)
    diag_error(b->diag, at.file ? at : b->span, "`%s`: %s", b->what, text);
  else
    diag_error(b->diag, at.file ? at : b->span, "%s", text);
  return NO_NODE;
}

const char *op_describe(const Build *b, NodeId id) {
  const Node *n = op_node(b, id);
  Str s = str_new(b->arena);
  str_puts(&s, dtype_name(n->dtype));
  shape_put(&s, &n->shape);
  return s.at;
}

/* Whether it is a number of the text, or what `where` chose between such. */
static bool is_number(const Build *b, NodeId id) {
  const Node *n = op_node(b, id);
  if (n->op == &op_const) return true;
  if (n->op != &op_where) return false;
  for (int k = 1; k < 3; k++) {
    NodeId x = n->operand[k];
    while (op_node(b, x)->op == &op_reshape || op_node(b, x)->op == &op_broadcast)
      x = op_node(b, x)->operand[0];
    if (op_node(b, x)->op != &op_const) return false;
  }
  return true;
}

/* The carry of a number from which, and from numbers, a scalar is computed; NO_NODE: none, or of a
 * tensor too, whose type it has. */
static NodeId carried_number(const Build *b, NodeId id, int *left) {
  const Node *n = op_node(b, id);
  if (n->shape.rank || --*left < 0 || n->op == &op_var || n->op == &op_input) return NO_NODE;
  if (n->op == &op_carry && is_number(b, n->operand[0])) return id;
  NodeId found = NO_NODE;
  for (int k = 0; k < n->noperands; k++) {
    const NodeId x = n->operand[k];
    if (op_node(b, x)->op == &op_const) continue;
    found = carried_number(b, x, left);
    if (found == NO_NODE) return NO_NODE;
  }
  return found;
}

NodeId op_types_differ(Build *b, NodeId x, NodeId y) {
  const DType t = op_node(b, x)->dtype, u = op_node(b, y)->dtype;
  op_fail(b, b->span, "types differ: %s and %s; cast one, as in %s(...)", op_describe(b, x),
          op_describe(b, y), dtype_name(t > u ? t : u));
  op_declared(b, 2, (NodeId[]){x, y});
  return NO_NODE;
}

void op_declared(Build *b, int n, const NodeId *x) {
  for (int i = 0; i < n; i++) {
    NodeId id = x[i];
    int first = 0;
    while (x[first] != id) first++;
    if (first < i) continue; /* said already */
    while (op_node(b, id)->op == &op_reshape || op_node(b, id)->op == &op_broadcast)
      id = op_node(b, id)->operand[0];
    const Node *o = op_node(b, id);
    if (o->op == &op_var || o->op == &op_input)
      diag_note(b->diag, o->span, "`%s` is declared here: %s", o->name, op_describe(b, id));
    int left = 100;
    const NodeId number = carried_number(b, id, &left);
    if (number != NO_NODE && op_node(b, number)->dtype == o->dtype)
      diag_note(b->diag, op_node(b, number)->span,
                "a loop carries this number as %s; %s(...) gives it the other type",
                op_describe(b, number), dtype_name(op_node(b, x[n - 1 - i])->dtype));
    if (o->op == &op_carry && untyped_is(b, o->operand[0]))
      diag_note(b->diag, op_node(b, o->operand[0])->span,
                "what is made of numbers alone here is carried as f32; %s(...) of one of them "
                "gives it the other type",
                dtype_name(op_node(b, x[n - 1 - i])->dtype));
  }
}

static const char *kind_text(const Build *b, const Arg *a) {
  switch (a->kind) {
  case ARG_NONE: return "nothing";
  case ARG_TENSOR:
    return a->node == NO_NODE ? "a tensor"
                              : arena_printf(b->arena, "a tensor %s", op_describe(b, a->node));
  case ARG_INT: return arena_printf(b->arena, "%ld", (long)a->i);
  case ARG_REAL: return arena_printf(b->arena, "%g", a->real);
  case ARG_BOOL: return a->i ? "true" : "false";
  case ARG_LIST: return "a list";
  case ARG_STRING: return arena_printf(b->arena, "\"%s\"", a->text);
  case ARG_DTYPE: return arena_printf(b->arena, "the type %s", dtype_name((DType)a->i));
  }
  return "?";
}

static bool wrong(Build *b, const Arg *a, const char *param, const char *wanted) {
  if (a->kind == ARG_TENSOR && a->node == NO_NODE) return false; /* reported already */
  const bool late =
      a->kind == ARG_TENSOR && (strstr(wanted, "integer") || strstr(wanted, "number"));
  op_fail(b, a->span, "`%s` must be %s, but it is %s%s", param, wanted, kind_text(b, a),
          late ? ", known only while running" : "");
  return false;
}

static bool has_tensor(const Arg *a) {
  bool any = a->kind == ARG_TENSOR;
  for (int i = 0; a->kind == ARG_LIST && i < a->n; i++) any = any || has_tensor(&a->at[i]);
  return any;
}

bool arg_tensor(Build *b, const Arg *a, const char *param, NodeId *out) {
  if (a->kind == ARG_TENSOR) return (*out = a->node) != NO_NODE;
  if (a->kind == ARG_INT || a->kind == ARG_REAL) {
    *out = build_tensor(b, a, DT_F32);
    return *out != NO_NODE;
  }
  if (a->kind == ARG_BOOL) return (*out = build_tensor(b, a, DT_BOOL)) != NO_NODE;
  wrong(b, a, param, "a tensor");
  if (a->kind == ARG_LIST)
    diag_note(b->diag, a->span,
              has_tensor(a) ? "`stack` and `concat` make a tensor of a list of tensors"
                            : "`array` makes a tensor of a list of numbers");
  return false;
}

bool arg_int(Build *b, const Arg *a, const char *param, int64_t *out) {
  if (a->kind == ARG_REAL && a->real == floor(a->real) && fabs(a->real) < 9e15) {
    *out = (int64_t)a->real;
    return true;
  }
  if (a->kind != ARG_INT) return wrong(b, a, param, "an integer");
  *out = a->i;
  return true;
}

bool arg_bool(Build *b, const Arg *a, const char *param, bool *out) {
  if (a->kind != ARG_BOOL) return wrong(b, a, param, "true or false");
  *out = a->i != 0;
  return true;
}

bool arg_number(Build *b, const Arg *a, const char *param, double *out) {
  if (a->kind != ARG_INT && a->kind != ARG_REAL) return wrong(b, a, param, "a number");
  *out = a->real;
  return true;
}

bool arg_fill(Build *b, const Arg *a, const char *param, DType t, double *out) {
  if (a->kind == ARG_BOOL && t == DT_BOOL) return *out = a->i ? 1 : 0, true;
  if (a->kind == ARG_BOOL) {
    op_fail(b, a->span, "`%s` is %s, which only bool tensors hold; of %s it is a number", param,
            kind_text(b, a), dtype_name(t));
    return false;
  }
  if (!arg_number(b, a, param, out)) return false;
  if (t != DT_BOOL || *out == 0 || *out == 1) return op_check_number(b, a->span, t, *out);
  op_fail(b, a->span, "`%s` of a bool tensor must be true or false, but it is %.9g", param, *out);
  return false;
}

bool arg_dtype(Build *b, const Arg *a, const char *param, DType *out) {
  if (a->kind != ARG_DTYPE) return wrong(b, a, param, "a type such as f32");
  *out = (DType)a->i;
  return true;
}

bool arg_shape(Build *b, const Arg *a, const char *param, Shape *out) {
  Arg one = *a;
  const Arg *at = a->at;
  int n = a->n;
  if (a->kind == ARG_INT)
    at = &one, n = 1;
  else if (a->kind != ARG_LIST)
    return wrong(b, a, param, "a shape such as [2, 3]");
  if (n > MAX_RANK) {
    op_fail(b, a->span, "`%s` has %d dims; at most %d are possible", param, n, MAX_RANK);
    return false;
  }
  out->rank = n;
  for (int i = 0; i < n; i++) {
    if (!arg_int(b, &at[i], param, &out->dim[i])) return false;
    if (out->dim[i] < 0) {
      op_fail(b, at[i].span, "a size cannot be negative: %ld", (long)out->dim[i]);
      return false;
    }
  }
  return true;
}

bool arg_dim(Build *b, const Arg *a, const char *param, int rank, int *out) {
  int64_t d;
  if (!arg_int(b, a, param, &d)) return false;
  if (d < -rank || d >= rank) {
    op_fail(b, a->span, "there is no dim %ld in a tensor of %d dim%s", (long)d, rank, PLURAL(rank));
    return false;
  }
  *out = (int)(d < 0 ? d + rank : d);
  return true;
}

bool arg_dims(Build *b, const Arg *a, const char *param, int rank, uint32_t *out) {
  *out = 0;
  if (a->kind == ARG_NONE) {
    *out = (1u << rank) - 1;
    return true;
  }
  const Arg *at = a->kind == ARG_LIST ? a->at : a;
  int n = a->kind == ARG_LIST ? a->n : 1, d;
  for (int i = 0; i < n; i++) {
    if (!arg_dim(b, &at[i], param, rank, &d)) return false;
    if (*out & 1u << d) {
      op_fail(b, at[i].span, "dim %d is given twice", d);
      return false;
    }
    *out |= 1u << d;
  }
  return true;
}

bool op_check_number(Build *b, Span at, DType t, double v) {
  if (!dtype_is_float(t) || !isfinite(v)) return true;
  double r = dtype_round(t, v);
  if (!isfinite(r)) {
    op_fail(b, at, "%.9g does not fit in %s, whose largest number is %.9g; %sinf is infinity", v,
            dtype_name(t), dtype_largest(t), v < 0 ? "-" : "");
    return false;
  }
  if (r == 0 && v != 0)
    diag_warning(b->diag, at.file ? at : b->span, "%.9g is too small for %s and becomes 0", v,
                 dtype_name(t));
  return true;
}

bool op_check_size(Build *b, Span at, DType t, const Shape *s) {
  int64_t bytes = dtype_size(t), most = (int64_t)1 << 46;
  for (int i = 0; i < s->rank; i++) {
    if (s->dim[i] == 0) continue; /* nothing to store, but the other sizes are still multiplied */
    if (bytes > most / s->dim[i]) {
      Str text = str_new(b->arena);
      shape_put(&text, s);
      op_fail(b, at, "%s%s is too large: more than 2^46 bytes", dtype_name(t), text.at);
      return false;
    }
    bytes *= s->dim[i];
  }
  return true;
}
