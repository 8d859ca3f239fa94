/* The text of expressions, as --dump=loops and messages of the verifier show them. */
#include "expr.h"
#include "op.h"
#include "plan.h"
#include <stdlib.h>
#include <string.h>

typedef struct ExprText {
  Str *out;
  const Exprs *x;
  const Program *program;
  const Graph *g;
  const ExprNames *names;
} ExprText;

/* `inner`: within another expression, where an operator takes parentheses. */
static void put(const ExprText *t, Expr e, bool inner);

static void put_linear(const ExprText *t, const ExprNode *n, bool inner) {
  bool first = true;
  Str *out = t->out;
  const bool wraps = inner && n->n + (n->v != 0) > 1;
  str_puts(out, wraps ? "(" : "");
  for (int k = 0; k < 2 * n->n; k++) { /* what is added, then what is taken off */
    const int i = k % n->n;
    const int64_t c = n->coef[i];
    if ((c < 0) != (k >= n->n)) continue;
    str_puts(out, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
    if (c != 1 && c != -1) str_printf(out, "%ld*", c < 0 ? -(long)c : (long)c);
    put(t, n->arg[i], true);
    first = false;
  }
  if (first)
    str_printf(out, "%ld", (long)n->v);
  else if (n->v)
    str_printf(out, n->v < 0 ? " - %ld" : " + %ld", n->v < 0 ? -(long)n->v : (long)n->v);
  str_puts(out, wraps ? ")" : "");
}

static void put_arguments(const ExprText *t, const ExprNode *n, const char *sep, bool inner) {
  for (int i = 0; i < n->n; i++) {
    if (i) str_puts(t->out, sep);
    put(t, n->arg[i], inner);
  }
}

static void put_between(const ExprText *t, const ExprNode *n, const char *sign, bool inner) {
  str_puts(t->out, inner ? "(" : "");
  put_arguments(t, n, sign, true);
  str_puts(t->out, inner ? ")" : "");
}

static void put_number(Str *out, const ExprNode *n) {
  if (dtype_is_float(n->type))
    str_printf(out, n->type == DT_F64 ? "%.15g" : "%.7g", n->real);
  else
    str_printf(out, "%ld", (long)n->v);
}

/* A number that a function is passed is read as what it is: of an f64 put_given has written digits
 * of base 16. */
static bool put_from_bits(const ExprText *t, const ExprNode *n) {
  const bool is_short = !strcmp(n->name, "dtrt_from_bits_f32");
  if (!is_short && strcmp(n->name, "dtrt_from_bits_f64")) return false;
  const Expr given = n->arg[0];
  const char *text = t->names && given < t->names->n ? t->names->at[given] : NULL;
  char *end = NULL;
  const int64_t bits = text ? strtoll(text, &end, is_short ? 10 : 16) : 0;
  if (!end || end == text || *end) return false;
  ExprNode number = {.type = is_short ? DT_F32 : DT_F64};
  if (is_short) {
    const uint32_t half = (uint32_t)bits;
    float real;
    memcpy(&real, &half, sizeof real);
    number.real = real;
  } else {
    memcpy(&number.real, &bits, sizeof bits);
  }
  put_number(t->out, &number);
  return true;
}

/* An element of what is called so, or all of it. */
static void put_element(const ExprText *t, const char *name, const ExprNode *n) {
  str_puts(t->out, name);
  if (!n->n) return;
  str_puts(t->out, "[");
  put_arguments(t, n, ", ", false);
  str_puts(t->out, "]");
}

static void put_call(const ExprText *t, const char *name, const ExprNode *n) {
  str_puts(t->out, name);
  str_puts(t->out, "(");
  put_arguments(t, n, ", ", false);
  str_puts(t->out, ")");
}

static void put_given(Str *out, int64_t v) { str_printf(out, v >> 48 ? "%lx" : "%ld", (long)v); }

static void put_memory(const ExprText *t, const ExprNode *n) {
  static const char *const space[] = {"arena", "variables", "input", "shared"};
  str_printf(t->out, "%s + ", space[n->v < 3 ? n->v : 3]);
  put(t, n->arg[0], true);
}

static const char *value_text(const ExprText *t, NodeId id) {
  if (t->names && t->names->value) return t->names->value(t->names->user, id);
  return node_text(t->program, t->g, id, t->x->arena);
}

/* An element of a part of a tensor, by its index in the whole. */
static void put_part(const ExprText *t, const ExprNode *n) {
  str_puts(t->out, value_text(t, (NodeId)n->v));
  for (int d = 0; d < n->n; d++) {
    const char *begin = t->names->begin(t->names->user, (NodeId)n->v, d);
    const ExprNode *i = expr_node(t->x, n->arg[d]);
    const bool first = begin && i->kind == EXPR_LINEAR && !i->n && !i->v;
    str_puts(t->out, d ? ", " : "[");
    if (!first) put(t, n->arg[d], false);
    if (begin) str_printf(t->out, first ? "%s" : " + %s", begin);
  }
  if (n->n) str_puts(t->out, "]");
}

static void put(const ExprText *t, Expr e, bool inner) {
  static const char *const between[] = {
      [EXPR_PRODUCT] = " * ", [EXPR_DIV] = " div ",  [EXPR_MOD] = " mod ", [EXPR_LESS] = " < ",
      [EXPR_LEAST] = " >= ",  [EXPR_EQUAL] = " == ", [EXPR_AND] = " and ", [EXPR_OR] = " or "};
  const ExprNode *n = expr_node(t->x, e);
  if (t->names && e < t->names->n && t->names->at[e]) {
    str_puts(t->out, t->names->at[e]);
    return;
  }
  switch (n->kind) {
  case EXPR_LINEAR: put_linear(t, n, inner); return;
  case EXPR_SYMBOL: str_puts(t->out, n->name); return;
  case EXPR_PARAM: str_printf(t->out, "n%ld", (long)n->v); return;
  case EXPR_NUMBER: put_number(t->out, n); return;
  case EXPR_LOCAL: put_element(t, n->name, n); return;
  case EXPR_ADDRESS:
    str_puts(t->out, "&");
    put(t, n->arg[0], true);
    return;
  case EXPR_LOAD:
    if (t->names && t->names->begin) {
      put_part(t, n);
      return;
    }
    /* fallthrough */
  case EXPR_VALUE: put_element(t, value_text(t, (NodeId)n->v), n); return;
  case EXPR_CALL:
    if (put_from_bits(t, n)) return;
    if (strcmp(n->name, "dtrt_stream_key")) {
      put_call(t, n->name, n);
      return;
    }
    str_puts(t->out, "key");
    put(t, n->arg[0], true);
    return;
  case EXPR_GIVEN: put_given(t->out, n->v); return;
  case EXPR_COLUMN: str_printf(t->out, "given[%ld]", (long)n->v); return;
  case EXPR_MEMORY: put_memory(t, n); return;
  case EXPR_PLACE: put_element(t, t->names->view(t->names->user, n->v), n); return;
  case EXPR_AFTER: put_between(t, n, " + ", inner); return;
  case EXPR_LIST: put_call(t, n->name, n); return;
  case EXPR_RUN: put_call(t, t->names->called(t->names->user, n->v), n); return;
  case EXPR_ROWS: str_puts(t->out, "epilogue"); return;
  case EXPR_COUNT: put_call(t, dtype_name(n->type), n); return;
  case EXPR_SELECT: put_call(t, "select", n); return;
  case EXPR_RANDOM: put_call(t, n->op->name, n); return;
  case EXPR_OP: {
    const char *sign = op_written(n->op), *name = n->op->name;
    if (n->n == 2 && strcmp(sign, name)) {
      char spaced[16] = " ";
      strncat(strncat(spaced, sign, 8), " ", 2);
      put_between(t, n, spaced, inner);
    } else {
      put_call(t, name, n);
    }
    return;
  }
  default: put_between(t, n, between[n->kind], inner);
  }
}

void expr_put(Str *out, const Exprs *x, const Program *p, const Graph *g, Expr e,
              const ExprNames *names) {
  const ExprText t = {out, x, p, g, names};
  put(&t, e, false);
}
