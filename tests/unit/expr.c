/* Integers of the loop IR: random indices, built as lowering builds them, are evaluated at random
 * points as they were asked for and as they came out simplified. Divisions are C's, which round
 * towards zero: where no dividend was negative, none may have become so. */
#include "expr.h"
#include "op_list.h"
#include <stdio.h>
#include <stdlib.h>

enum { SYMBOLS = 5, POINTS = 12, MADE = 40, TRIALS = 3000 };

typedef struct Made {
  Expr e;
  int64_t at[POINTS];
  bool exact; /* made without dividing what is negative */
} Made;

static uint64_t state = 1;
static int64_t draw(int64_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)n);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t value(const Exprs *x, Expr e, const int64_t *symbol, bool *negative) {
  const ExprNode *n = expr_node(x, e);
  int64_t v = n->v, a, b;
  switch (n->kind) {
  case EXPR_LINEAR:
    for (int i = 0; i < n->n; i++) v += n->coef[i] * value(x, n->arg[i], symbol, negative);
    return v;
  case EXPR_SYMBOL: return symbol[n->name[0] - 'a'];
  default: break;
  }
  a = value(x, n->arg[0], symbol, negative), b = value(x, n->arg[1], symbol, negative);
  *negative = *negative || (n->kind != EXPR_PRODUCT && a < 0);
  return n->kind == EXPR_PRODUCT ? a * b : n->kind == EXPR_DIV ? a / b : a % b;
}

static int check(const Exprs *x, const Made *m, const int64_t point[][SYMBOLS]) {
  const ExprNode *n = expr_node(x, m->e);
  for (int p = 0; p < POINTS; p++) {
    bool negative = false;
    const int64_t v = value(x, m->e, point[p], &negative);
    const bool in_range = n->lo <= m->at[p] && m->at[p] <= n->hi;
    if (in_range && (!m->exact || (!negative && v == m->at[p]))) continue;
    printf("FAIL point %d: %ld, expected %ld, within [%ld, %ld]%s\n", p, (long)v, (long)m->at[p],
           (long)n->lo, (long)n->hi, negative ? ", a negative number is divided" : "");
    return 1;
  }
  return 0;
}

static int trial(Arena *a) {
  static const char *const names[SYMBOLS] = {"a", "b", "c", "d", "e"};
  Exprs *x = exprs_new(a);
  int64_t most[SYMBOLS], point[POINTS][SYMBOLS];
  Made made[MADE];
  for (int s = 0; s < SYMBOLS; s++) most[s] = draw(2) ? draw(9) : draw(100);
  for (int p = 0; p < POINTS; p++)
    for (int s = 0; s < SYMBOLS; s++) point[p][s] = draw(most[s] + 1);
  for (int i = 0; i < MADE; i++) {
    Made *m = &made[i];
    const int s = (int)draw(SYMBOLS);
    m->exact = true;
    if (i < SYMBOLS) {
      m->e = draw(8) ? expr_symbol(x, names[i], 0, most[i])
                     : expr_symbol(x, names[i], INT64_MIN, INT64_MAX);
      for (int p = 0; p < POINTS; p++) m->at[p] = point[p][i];
      continue;
    }
    const Made *l = &made[draw(i)], *r = &made[draw(i)];
    const int64_t by = draw(2) ? draw(8) + 1 : most[s] + 1, k = draw(17) - 8;
    const int op = (int)draw(6);
    bool far = false; /* from any index */
    m->exact = l->exact && (op > 1 || r->exact);
    for (int p = 0; p < POINTS; p++) {
      m->exact = m->exact && (op < 4 || l->at[p] >= 0);
      m->at[p] = op == 0   ? l->at[p] + r->at[p]
                 : op == 1 ? l->at[p] - r->at[p]
                 : op == 2 ? l->at[p] * k
                 : op == 3 ? l->at[p] * by + point[p][s] % by
                 : op == 4 ? floor_div(l->at[p], by)
                           : l->at[p] - by * floor_div(l->at[p], by);
      far = far || labs(m->at[p]) > 1l << 40;
    }
    if (far) {
      *m = *l;
      continue;
    }
    const Expr size = expr_int(x, by);
    if (op == 0) m->e = expr_add(x, l->e, r->e);
    if (op == 1) m->e = expr_sub(x, l->e, r->e);
    if (op == 2) m->e = expr_scale(x, l->e, k);
    if (op == 3) m->e = expr_add(x, expr_mul(x, l->e, size), expr_mod(x, made[s].e, size));
    if (op == 4) m->e = expr_div(x, l->e, size);
    if (op == 5) m->e = expr_mod(x, l->e, size);
    if (check(x, m, (const int64_t(*)[SYMBOLS])point)) return 1;
  }
  return 0;
}

/* What one reshape splits and another joins is the index itself. */
static int joins(Arena *a) {
  Exprs *x = exprs_new(a);
  const Expr i = expr_symbol(x, "a", 0, 6 * 5 * 4 - 1), n4 = expr_int(x, 4), n5 = expr_int(x, 5);
  const Expr k = expr_mod(x, i, n4), rest = expr_div(x, i, n4), j = expr_mod(x, rest, n5),
             b = expr_div(x, rest, n5);
  const Expr all = expr_add(x, expr_mul(x, expr_add(x, expr_mul(x, b, n5), j), n4), k);
  const Expr back = expr_add(x, expr_add(x, k, expr_scale(x, j, 4)), expr_scale(x, b, 20));
  const Expr again = expr_mod(x, expr_add(x, expr_scale(x, rest, 4), k), n4);
  if (all == i && back == i && again == k) return 0;
  printf("FAIL a split index is not joined\n");
  return 1;
}

/* What an index of 3 to 7, as an i32, is beside numbers. */
static int decides(Arena *a) {
  Exprs *x = exprs_new(a);
  const Expr i = expr_symbol(x, "a", 3, 7), count = expr_count(x, DT_I32, i);
  int wrong = 0;
  for (int v = 2; v <= 8; v++) {
    const Expr n = expr_number(x, DT_I32, 0, v), both[] = {count, n};
    const Expr no = expr_number(x, DT_BOOL, 0, 0), yes = expr_number(x, DT_BOOL, 0, 1);
    const Expr below = expr_op(x, op_operator("<", 2), DT_BOOL, 2, both);
    const Expr is = expr_op(x, op_operator("==", 2), DT_BOOL, 2, both);
    const Expr most = expr_op(x, op_find("max"), DT_I32, 2, both);
    const Expr least = expr_op(x, op_find("min"), DT_I32, 2, both);
    const Expr choice[] = {below, count, n};
    const Expr chosen = expr_op(x, op_find("where"), DT_I32, 3, choice);
    wrong += (below == yes) != (v > 7) || (below == no) != (v <= 3) || is == yes ||
             (is == no) != (v < 3 || v > 7) || (most == count) != (v <= 3) ||
             (most == n) != (v >= 7) || (least == n) != (v <= 3) || (least == count) != (v >= 7) ||
             (chosen == count) != (v > 7) || (chosen == n) != (v <= 3);
  }
  wrong += expr_index(x, count, 0, 8) != i || expr_index(x, count, 0, 7) == i;
  if (wrong) printf("FAIL ranges decide %d times otherwise\n", wrong);
  return wrong;
}

int main(void) {
  Arena *a = arena_new();
  int failed = joins(a) + decides(a);
  for (int i = 0; i < TRIALS && !failed; i++) {
    const ArenaMark mark = arena_mark(a);
    failed = trial(a);
    arena_release(a, mark);
    if (failed) printf("in trial %d\n", i);
  }
  arena_free(a);
  return failed;
}
