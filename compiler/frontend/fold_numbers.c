/* Constant folding of calls and operators on numbers: ops compute them (op_fold); this file
 * converts values and reports errors. */
#include "elaborate.h"
#include <string.h>

static bool is_number(const Value *v) { return v->kind == V_INT || v->kind == V_REAL; }

static Scalar number_of(const Value *v) {
  switch (v->kind) {
  case V_INT: return (Scalar){.kind = NUM_INT, .i = v->i};
  case V_REAL: return (Scalar){.kind = NUM_REAL, .real = v->real};
  case V_BOOL: return (Scalar){.kind = NUM_BOOL, .i = v->i};
  default: return (Scalar){.kind = NUM_NONE};
  }
}

static Value value_of(const Scalar *x) {
  return x->kind == NUM_INT    ? value_int(x->i)
         : x->kind == NUM_REAL ? value_real(x->real)
                               : value_bool(x->i);
}

static const char *number_text(Elab *e, const Scalar *x) {
  return x->kind == NUM_REAL ? arena_printf(e->arena, "%g", x->real)
                             : arena_printf(e->arena, "%ld", (long)x->i);
}

/* `sqrt(-1)`, `2 ** 0.5`: as the user may have written it. */
static const char *written(Elab *e, Op op, const Scalar *x, int n) {
  const char *sign = op_written(op), *name = op->name;
  if (n == 2 && strcmp(sign, name))
    return arena_printf(e->arena, "%s %s %s", number_text(e, x), sign, number_text(e, x + 1));
  Str s = str_new(e->arena);
  for (int i = 0; i < n; i++)
    if (x[i].kind) str_printf(&s, "%s%s", s.n ? ", " : "", number_text(e, &x[i]));
  return arena_printf(e->arena, "%s(%s)", name, s.at);
}

Value fold_values(Elab *e, Op op, Span at, const Value *const *v, int n) {
  Scalar x[MOST_NUMBERS], out;
  if (n > MOST_NUMBERS) return value_none;
  for (int i = 0; i < n; i++) x[i] = number_of(v[i]);
  switch (op_fold(op, x, n, &out)) {
  case FOLDED: return value_of(&out);
  case FOLD_NONE: return value_none;
  case FOLD_BY_ZERO: return elab_fail(e, at, "division by zero");
  case FOLD_TOO_LARGE:
    return elab_fail(e, at, "the result of `%s` does not fit in 64 bits", op_written(op));
  case FOLD_NOT_FINITE: return elab_fail(e, at, "%s is not a finite number", written(e, op, x, n));
  }
  return value_none;
}

Value fold_call(Elab *e, const OpDef *def, Span call, const Actual *a, const int *which, int n) {
  const Value *v[MOST_NUMBERS];
  for (int i = 0; i < n; i++) {
    const Value *given = which[i] >= 0 ? &a[which[i]].value : &value_none;
    if (i >= def->numbers && given->kind != V_NONE) return value_none;
    if (i < def->numbers) v[i] = given;
  }
  /* An op such as max(x, axis=...) of one number computes a tensor. */
  return is_number(v[0]) || v[0]->kind == V_BOOL ? fold_values(e, def, call, v, def->numbers)
                                                 : value_none;
}
