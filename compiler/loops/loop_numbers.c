/* Numbers as parameters, so that functions that differ in nothing else are one, which is compiled
 * once:
 *
 *   y[i] = sin(x[i] * 3.5)   ->   y[i] = sin(x[i] * from_bits(bits0)), bits0 0x40600000
 *
 * The first of them keeps its numbers, and with it all that equal it; a later one is passed those
 * in which it differs from the first, so that all that differ in the same places are one. Most
 * programs have no second one. What a compiler makes of a number that it knows must be no loss:
 * that is so of what is added, multiplied, compared, or a bound; not of a divisor, an exponent, or
 * what a function is given, which stay. */
#include "loop_build.h"
#include <float.h>
#include <string.h>

typedef struct GivenNumbers {
  Loop *l;
  const int *place;    /* by expression: 1 + its place among the numbers */
  const bool *differs; /* by place */
  Expr *now;           /* by expression: 1 + what it becomes */
} GivenNumbers;

/* Of a float that is not 0; 0: of others. An f64 is positive, since a negative parameter would have
 * no range, and normal. */
static int64_t bits_of(const ExprNode *n) {
  const float f = (float)n->real;
  uint32_t short_bits;
  int64_t bits;
  memcpy(&short_bits, &f, sizeof short_bits);
  memcpy(&bits, &n->real, sizeof bits);
  if (n->kind != EXPR_NUMBER) return 0;
  if (n->type == DT_F32) return short_bits;
  return n->type == DT_F64 && n->real >= DBL_MIN ? bits : 0;
}

bool loop_number_may_be_given(const Loop *l, const ExprNode *n, int k) {
  if (n->kind != EXPR_OP || !bits_of(expr_node(l->x, n->arg[k]))) return false;
  return n->op->linear_jointly || n->op->compares || n->op->extreme || (n->op->linear >> k & 1);
}

static Expr given(GivenNumbers *c, const ExprNode *n) {
  const Expr bits = loop_param(c->l, PARAM_BITS, loop_given(c->l, bits_of(n)));
  const bool is_short = n->type == DT_F32;
  return loop_call(c->l, is_short ? "dtrt_from_bits_f32" : "dtrt_from_bits_f64", n->type, 1, &bits);
}

static bool is_given(const GivenNumbers *c, const ExprNode *n, int k) {
  return loop_number_may_be_given(c->l, n, k) && c->differs[c->place[n->arg[k]] - 1];
}

static Expr rewrite(GivenNumbers *c, Expr e);

static Expr with_given(void *user, Expr e) {
  GivenNumbers *c = user;
  const ExprNode n = *expr_node(c->l->x, e);
  bool any = false;
  if (n.kind != EXPR_OP) return NO_EXPR;
  for (int k = 0; k < n.n; k++) any = any || is_given(c, &n, k);
  if (!any) return NO_EXPR;
  Expr *arg = arena_array(c->l->arena, Expr, n.n);
  for (int k = 0; k < n.n; k++) {
    const ExprNode own = *expr_node(c->l->x, n.arg[k]);
    arg[k] = is_given(c, &n, k) ? given(c, &own) : rewrite(c, n.arg[k]);
  }
  return expr_op(c->l->x, n.op, n.type, n.n, arg);
}

static Expr rewrite(GivenNumbers *c, Expr e) {
  return e == NO_EXPR ? e : expr_rewrite(c->l->x, e, c->now, with_given, c);
}

static void rewrite_all(GivenNumbers *c, LoopStmt *s) {
  for (; s; s = s->next) {
    s->a = rewrite(c, s->a), s->b = rewrite(c, s->b), s->c = rewrite(c, s->c);
    rewrite_all(c, s->body);
    rewrite_all(c, s->other);
  }
}

void loop_numbers_given(Loop *l, const int *place, const bool *differs) {
  const ArenaMark mark = arena_mark(l->plan->scratch);
  GivenNumbers c = {.l = l,
                    .place = place,
                    .differs = differs,
                    .now = arena_array(l->plan->scratch, Expr, l->x->n)};
  rewrite_all(&c, l->f.body);
  arena_release(l->plan->scratch, mark);
}

bool loop_numbers_differ(LoopNumbers *t, const Str *key, const Str *numbers, bool *differs) {
  const size_t size = sizeof(double);
  const char *name = name_of(t->names, key->at, key->n);
  const int had = lookup_get(&t->first, name);
  bool any = false;
  if (!had) {
    vec_push(t->arena, &t->own, arena_copy(t->arena, numbers->at, numbers->n));
    lookup_put(&t->first, t->arena, name, t->own.n);
    return false;
  }
  for (size_t i = 0; i < numbers->n / size; i++) {
    differs[i] = memcmp(t->own.at[had - 1] + i * size, numbers->at + i * size, size) != 0;
    any = any || differs[i];
  }
  return any;
}
