/* See expr.h: hash-consed nodes, and the simplification of integers and conditions. */
#include "expr.h"
#include "op.h"
#include "plan.h"
#include <string.h>

enum { FEW_SLOTS = 64, MOST_ARGS = 4 * MAX_RANK };

Exprs *exprs_new(Arena *a) {
  Exprs *x = arena_new_of(a, Exprs);
  *x = (Exprs){.arena = a, .names = names_new(a), .nslots = FEW_SLOTS};
  x->slot = arena_array(a, Expr, x->nslots);
  return x;
}

/* -------- hash-consing -------- */

static uint64_t mixed(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0xd6e8feb86659fd93ull;
  return h ^ h >> 32;
}

static uint64_t hash_of(const ExprNode *n) {
  uint64_t bits, h = mixed((uint64_t)n->kind << 8 | (uint64_t)n->type, (uint64_t)n->v);
  memcpy(&bits, &n->real, sizeof bits);
  if (bits) h = mixed(h, bits);
  if (n->name) h = mixed(mixed(h, (uint64_t)(uintptr_t)n->name), (uint64_t)n->hi);
  if (n->op) h = mixed(h, (uint64_t)(uintptr_t)n->op);
  for (int i = 0; i < n->n; i++) h = mixed(h, (uint64_t)n->arg[i]);
  for (int i = 0; n->coef && i < n->n; i++) h = mixed(h, (uint64_t)n->coef[i]);
  return h;
}

static bool same(const ExprNode *a, const ExprNode *b) {
  return a->hash == b->hash && a->kind == b->kind && a->type == b->type && a->n == b->n &&
         a->v == b->v && !memcmp(&a->real, &b->real, sizeof a->real) && a->name == b->name &&
         a->op == b->op && a->lo == b->lo && a->hi == b->hi && (!a->coef) == (!b->coef) &&
         (!a->n || !memcmp(a->arg, b->arg, sizeof *a->arg * (size_t)a->n)) &&
         (!a->n || !a->coef || !memcmp(a->coef, b->coef, sizeof *a->coef * (size_t)a->n));
}

static void put_slot(Exprs *x, Expr e) {
  int i = (int)(expr_node(x, e)->hash & (uint64_t)(x->nslots - 1));
  while (x->slot[i]) i = (i + 1) & (x->nslots - 1);
  x->slot[i] = e + 1;
}

static void grow(Exprs *x) {
  x->nslots *= 2;
  x->slot = arena_array(x->arena, Expr, x->nslots);
  for (Expr e = 0; e < x->n; e++) put_slot(x, e);
}

/* The arguments are copied. */
static Expr intern(Exprs *x, ExprNode n) {
  n.hash = hash_of(&n);
  for (int i = (int)(n.hash & (uint64_t)(x->nslots - 1)); x->slot[i]; i = (i + 1) & (x->nslots - 1))
    if (same(expr_node(x, x->slot[i] - 1), &n)) return x->slot[i] - 1;
  n.reads = n.kind == EXPR_VALUE || n.kind == EXPR_LOAD;
  for (int i = 0; i < n.n; i++) n.reads = n.reads || expr_node(x, n.arg[i])->reads;
  if (n.n) n.arg = arena_copy(x->arena, n.arg, sizeof *n.arg * (size_t)n.n);
  if (n.n && n.coef) n.coef = arena_copy(x->arena, n.coef, sizeof *n.coef * (size_t)n.n);
  if (x->n % EXPR_BLOCK == 0)
    vec_push(x->arena, &x->block, arena_array(x->arena, ExprNode, EXPR_BLOCK));
  const Expr e = x->n++;
  x->block.at[e >> EXPR_BLOCK_BITS][e & (EXPR_BLOCK - 1)] = n;
  if (2 * x->n > x->nslots)
    grow(x);
  else
    put_slot(x, e);
  return e;
}

/* -------- ranges -------- */

static bool known(int64_t lo, int64_t hi) { return lo != INT64_MIN && hi != INT64_MAX; }

/* lo + c * [a.lo, a.hi]; false: unknown. */
static bool widen(int64_t c, const ExprNode *a, int64_t *lo, int64_t *hi) {
  int64_t p, q;
  if (!known(a->lo, a->hi) || __builtin_mul_overflow(c, c > 0 ? a->lo : a->hi, &p) ||
      __builtin_mul_overflow(c, c > 0 ? a->hi : a->lo, &q))
    return false;
  return !__builtin_add_overflow(*lo, p, lo) && !__builtin_add_overflow(*hi, q, hi);
}

/* -------- linear forms -------- */

typedef struct Linear {
  int64_t v;
  int n;
  Expr arg[MOST_ARGS];
  int64_t coef[MOST_ARGS];
} Linear;

static Linear linear_of(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  Linear r = {.n = 1, .arg = {e}, .coef = {1}};
  if (n->kind != EXPR_LINEAR) return r;
  r = (Linear){.v = n->v, .n = n->n};
  for (int i = 0; i < n->n; i++) r.arg[i] = n->arg[i], r.coef[i] = n->coef[i];
  return r;
}

static Expr of_linear(Exprs *x, const Linear *r) {
  int64_t lo = r->v, hi = r->v;
  if (r->n == 1 && r->coef[0] == 1 && r->v == 0) return r->arg[0];
  for (int i = 0; i < r->n; i++)
    if (!widen(r->coef[i], expr_node(x, r->arg[i]), &lo, &hi)) {
      lo = INT64_MIN, hi = INT64_MAX;
      break;
    }
  return intern(x, (ExprNode){.kind = EXPR_LINEAR,
                              .type = DT_I64,
                              .n = r->n,
                              .arg = r->arg,
                              .coef = r->coef,
                              .v = r->v,
                              .lo = lo,
                              .hi = hi});
}

/* c * (a mod b) + c * b * (a div b) is c * a: what a reshape took apart comes together again. */
static bool find_split(Exprs *x, const Linear *r, int *mod, int *div) {
  for (int i = 0; i < r->n; i++) {
    const ExprNode m = *expr_node(x, r->arg[i]);
    int64_t by, c;
    if (m.kind != EXPR_MOD || !expr_is_int(x, m.arg[1], &by) ||
        __builtin_mul_overflow(r->coef[i], by, &c))
      continue;
    const Expr quotient = expr_div(x, m.arg[0], m.arg[1]);
    for (int j = 0; j < r->n; j++)
      if (r->arg[j] == quotient && r->coef[j] == c) {
        *mod = i, *div = j;
        return true;
      }
  }
  return false;
}

static Expr add_scaled(Exprs *x, Expr a, Expr b, int64_t by);

static Expr joined(Exprs *x, const Linear *r) {
  int mod, div;
  Linear rest = {.v = r->v};
  if (!find_split(x, r, &mod, &div)) return of_linear(x, r);
  for (int i = 0; i < r->n; i++)
    if (i != mod && i != div) rest.arg[rest.n] = r->arg[i], rest.coef[rest.n++] = r->coef[i];
  return add_scaled(x, of_linear(x, &rest), expr_node(x, r->arg[mod])->arg[0], r->coef[mod]);
}

/* A sum too long, or of factors too large, to be one form: of two atoms that are sums. */
static Expr sum_of_two(Exprs *x, Expr a, Expr b, int64_t by) {
  const Expr arg[] = {a, b};
  const int64_t coef[] = {1, by};
  return intern(x, (ExprNode){.kind = EXPR_LINEAR,
                              .type = DT_I64,
                              .n = 2,
                              .arg = arg,
                              .coef = coef,
                              .lo = INT64_MIN,
                              .hi = INT64_MAX});
}

/* a + by * b */
static Expr add_scaled(Exprs *x, Expr a, Expr b, int64_t by) {
  const Linear p = linear_of(x, a), q = linear_of(x, b);
  Linear r = {0};
  int64_t scaled;
  if (p.n + q.n > MOST_ARGS || __builtin_mul_overflow(q.v, by, &scaled) ||
      __builtin_add_overflow(p.v, scaled, &r.v))
    return sum_of_two(x, a, b, by);
  for (int i = 0, j = 0; i < p.n || j < q.n;) {
    const bool from_p = j == q.n || (i < p.n && p.arg[i] <= q.arg[j]),
               from_q = i == p.n || (j < q.n && q.arg[j] <= p.arg[i]);
    int64_t c = 0;
    const Expr atom = from_p ? p.arg[i] : q.arg[j];
    if (from_q && __builtin_mul_overflow(q.coef[j], by, &c)) return sum_of_two(x, a, b, by);
    if (from_p && __builtin_add_overflow(c, p.coef[i], &c)) return sum_of_two(x, a, b, by);
    if (c) r.arg[r.n] = atom, r.coef[r.n++] = c;
    i += from_p, j += from_q;
  }
  return joined(x, &r);
}

Expr expr_int(Exprs *x, int64_t v) { return of_linear(x, &(Linear){.v = v}); }

bool expr_is_int(const Exprs *x, Expr e, int64_t *v) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind != EXPR_LINEAR || n->n) return false;
  *v = n->v;
  return true;
}

bool expr_mentions(const Exprs *x, Expr e, const char *symbol) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_SYMBOL) return !strcmp(n->name, symbol);
  for (int i = 0; i < n->n; i++)
    if (expr_mentions(x, n->arg[i], symbol)) return true;
  return false;
}

static Expr symbol(Exprs *x, const char *name, int64_t lo, int64_t hi) {
  return intern(x,
                (ExprNode){.kind = EXPR_SYMBOL, .type = DT_I64, .name = name, .lo = lo, .hi = hi});
}

Expr expr_symbol(Exprs *x, const char *name, int64_t lo, int64_t hi) {
  return symbol(x, name_of(x->names, name, strlen(name)), lo, hi);
}

Expr expr_symbol_of(Exprs *x, const void *key, size_t bytes, int64_t lo, int64_t hi) {
  return symbol(x, name_of(x->names, key, bytes), lo, hi);
}

Expr expr_param(Exprs *x, int number, int64_t lo, int64_t hi) {
  return intern(x, (ExprNode){.kind = EXPR_PARAM, .type = DT_I64, .v = number, .lo = lo, .hi = hi});
}

Expr expr_add(Exprs *x, Expr a, Expr b) { return add_scaled(x, a, b, 1); }
Expr expr_sub(Exprs *x, Expr a, Expr b) { return add_scaled(x, a, b, -1); }
Expr expr_scale(Exprs *x, Expr a, int64_t by) {
  return by ? add_scaled(x, expr_int(x, 0), a, by) : expr_int(x, 0);
}

Expr expr_mul(Exprs *x, Expr a, Expr b) {
  int64_t v;
  if (expr_is_int(x, a, &v)) return expr_scale(x, b, v);
  if (expr_is_int(x, b, &v)) return expr_scale(x, a, v);
  const Expr arg[] = {a, b};
  const ExprNode *p = expr_node(x, a), *q = expr_node(x, b);
  int64_t lo = INT64_MIN, hi = INT64_MAX;
  if (p->lo >= 0 && q->lo >= 0 && known(p->lo, p->hi) && known(q->lo, q->hi) &&
      !__builtin_mul_overflow(p->hi, q->hi, &hi))
    lo = p->lo * q->lo;
  else
    hi = INT64_MAX;
  return intern(
      x, (ExprNode){.kind = EXPR_PRODUCT, .type = DT_I64, .n = 2, .arg = arg, .lo = lo, .hi = hi});
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* e = by * *whole + *rest, where the rest's atoms have coefficients that `by` does not divide. */
static void take_apart(Exprs *x, Expr e, int64_t by, Expr *whole, Expr *rest) {
  const Linear p = linear_of(x, e);
  Linear w = {.v = floor_div(p.v, by)}, r = {.v = p.v - floor_div(p.v, by) * by};
  for (int i = 0; i < p.n; i++)
    if (p.coef[i] % by == 0)
      w.arg[w.n] = p.arg[i], w.coef[w.n++] = p.coef[i] / by;
    else
      r.arg[r.n] = p.arg[i], r.coef[r.n++] = p.coef[i];
  *whole = of_linear(x, &w), *rest = of_linear(x, &r);
}

static Expr divided(Exprs *x, ExprKind kind, Expr a, Expr b) {
  const Expr arg[] = {a, b};
  const ExprNode *p = expr_node(x, a), *q = expr_node(x, b);
  int64_t lo = INT64_MIN, hi = INT64_MAX, by;
  if (kind == EXPR_MOD && q->hi != INT64_MAX)
    lo = 0, hi = q->hi - 1;
  else if (kind == EXPR_DIV && known(p->lo, p->hi) && expr_is_int(x, b, &by))
    lo = floor_div(p->lo, by), hi = floor_div(p->hi, by);
  return intern(x,
                (ExprNode){.kind = kind, .type = DT_I64, .n = 2, .arg = arg, .lo = lo, .hi = hi});
}

Expr expr_div(Exprs *x, Expr a, Expr b) {
  int64_t by;
  if (!expr_is_int(x, b, &by)) return divided(x, EXPR_DIV, a, b);
  if (by == 1 || !by) return a; /* by 0, the size of an empty dim, nothing is divided */
  Expr whole, rest;
  take_apart(x, a, by, &whole, &rest);
  const ExprNode left = *expr_node(x, rest), *r = &left;
  if (known(r->lo, r->hi) && r->lo >= 0 && r->hi < by) return whole;
  /* floor(floor(i / p) / q) = floor(i / pq) */
  int64_t inner, both;
  const ExprNode n = *expr_node(x, a);
  if (n.kind == EXPR_DIV && expr_is_int(x, n.arg[1], &inner) &&
      !__builtin_mul_overflow(inner, by, &both))
    return expr_div(x, n.arg[0], expr_int(x, both));
  if (!known(r->lo, r->hi) || r->lo < 0) return divided(x, EXPR_DIV, a, b);
  return expr_add(x, whole, divided(x, EXPR_DIV, rest, b));
}

Expr expr_mod(Exprs *x, Expr a, Expr b) {
  int64_t by;
  if (!expr_is_int(x, b, &by)) return divided(x, EXPR_MOD, a, b);
  if (by == 1 || !by) return expr_int(x, 0);
  Expr whole, rest;
  take_apart(x, a, by, &whole, &rest);
  const ExprNode *r = expr_node(x, rest);
  if (known(r->lo, r->hi) && r->lo >= 0 && r->hi < by) return rest;
  return divided(x, EXPR_MOD, known(r->lo, r->hi) && r->lo >= 0 ? rest : a, b);
}

/* -------- conditions -------- */

bool expr_is_true(const Exprs *x, Expr e) {
  int64_t v;
  return expr_is_int(x, e, &v) && v;
}

bool expr_is_false(const Exprs *x, Expr e) {
  int64_t v;
  return expr_is_int(x, e, &v) && !v;
}

Expr expr_compare(Exprs *x, ExprKind how, Expr a, Expr b) {
  const ExprNode *p = expr_node(x, a), *q = expr_node(x, b);
  const Expr arg[] = {a, b};
  if (known(p->lo, p->hi) && known(q->lo, q->hi)) {
    if (p->hi < q->lo) return expr_int(x, how == EXPR_LESS);
    if (p->lo >= q->hi && how != EXPR_EQUAL) return expr_int(x, how == EXPR_LEAST);
    if (how == EXPR_EQUAL && p->lo > q->hi) return expr_int(x, 0);
    if (how == EXPR_EQUAL && p->lo == p->hi && q->lo == q->hi && p->lo == q->lo)
      return expr_int(x, 1);
  }
  return intern(x, (ExprNode){.kind = how, .type = DT_BOOL, .n = 2, .arg = arg, .lo = 0, .hi = 1});
}

/* `kind` of conditions one after the other, which may be of that kind themselves. */
static Expr chained(Exprs *x, ExprKind kind, Expr a, Expr b) {
  const ExprNode *p = expr_node(x, a), *q = expr_node(x, b);
  const int np = p->kind == kind ? p->n : 1, nq = q->kind == kind ? q->n : 1;
  Expr *arg = arena_array(x->arena, Expr, np + nq);
  for (int i = 0; i < np; i++) arg[i] = p->kind == kind ? p->arg[i] : a;
  for (int i = 0; i < nq; i++) arg[np + i] = q->kind == kind ? q->arg[i] : b;
  return intern(
      x, (ExprNode){.kind = kind, .type = DT_BOOL, .n = np + nq, .arg = arg, .lo = 0, .hi = 1});
}

Expr expr_and(Exprs *x, Expr a, Expr b) {
  if (expr_is_true(x, a)) return b;
  if (expr_is_true(x, b)) return a;
  if (expr_is_false(x, b)) return b;
  return expr_is_false(x, a) ? a : chained(x, EXPR_AND, a, b);
}

Expr expr_within(Exprs *x, Expr i, Expr from, Expr to) {
  const Expr least = expr_compare(x, EXPR_LEAST, i, from);
  return expr_and(x, least, expr_compare(x, EXPR_LESS, i, to));
}

Expr expr_or(Exprs *x, Expr a, Expr b) {
  if (expr_is_false(x, a)) return b;
  if (expr_is_false(x, b)) return a;
  return expr_is_true(x, a) ? a : chained(x, EXPR_OR, a, b);
}

Expr expr_call(Exprs *x, const char *name, DType type, int n, const Expr *arg, int64_t lo,
               int64_t hi) {
  return intern(x, (ExprNode){.kind = EXPR_CALL,
                              .type = type,
                              .n = n,
                              .arg = arg,
                              .name = name_of(x->names, name, strlen(name)),
                              .lo = lo,
                              .hi = hi});
}

bool expr_takes_device(const ExprNode *n) {
  static const char *const begins[] = {"dtrt_index", "dtrt_window", "dtrt_check_", "dtrt_begin_"};
  for (size_t i = 0; n->kind == EXPR_CALL && i < sizeof begins / sizeof *begins; i++)
    if (!strncmp(n->name, begins[i], strlen(begins[i]))) return true;
  return false;
}

Expr expr_index(Exprs *x, Expr i, int64_t reach, int64_t size) {
  const ExprNode *n = expr_node(x, i);
  const bool number = n->kind == EXPR_NUMBER && dtype_is_int(n->type);
  if (number && n->v >= 0 && n->v < size - reach) return expr_int(x, n->v);
  int64_t lo, hi;
  if (n->kind == EXPR_COUNT && expr_range(x, i, &lo, &hi) && lo >= 0 && hi < size - reach)
    return n->arg[0];
  const Expr arg[] = {i, expr_int(x, reach ? reach : size), expr_int(x, size)};
  return expr_call(x, reach ? "dtrt_window" : "dtrt_index", DT_I64, reach ? 3 : 2, arg, 0,
                   size - 1 - reach);
}

/* -------- of entries -------- */

Expr expr_of_entry(Exprs *x, ExprKind kind, DType t, int64_t v, const char *name, int n,
                   const Expr *arg) {
  return intern(x, (ExprNode){.kind = kind,
                              .type = t,
                              .n = n,
                              .arg = arg,
                              .v = v,
                              .name = name ? name_of(x->names, name, strlen(name)) : NULL,
                              .lo = INT64_MIN,
                              .hi = INT64_MAX});
}

Expr expr_rebuild(Exprs *to, const Exprs *from, Expr e, ExprAtom atom, void *user) {
  ExprNode n = *expr_node(from, e);
  Expr r = atom(user, e);
  if (r != NO_EXPR) return r;
  Expr *arg = arena_array(to->arena, Expr, n.n + 1);
  for (int i = 0; i < n.n; i++) arg[i] = expr_rebuild(to, from, n.arg[i], atom, user);
  switch (n.kind) {
  case EXPR_LINEAR:
    r = expr_int(to, n.v);
    for (int i = 0; i < n.n; i++) r = add_scaled(to, r, arg[i], n.coef[i]);
    return r;
  case EXPR_PRODUCT: return expr_mul(to, arg[0], arg[1]);
  case EXPR_DIV: return expr_div(to, arg[0], arg[1]);
  case EXPR_MOD: return expr_mod(to, arg[0], arg[1]);
  case EXPR_LESS:
  case EXPR_LEAST:
  case EXPR_EQUAL: return expr_compare(to, n.kind, arg[0], arg[1]);
  case EXPR_AND:
  case EXPR_OR:
    r = arg[0];
    for (int i = 1; i < n.n; i++) r = (n.kind == EXPR_AND ? expr_and : expr_or)(to, r, arg[i]);
    return r;
  case EXPR_SELECT: return expr_select(to, n.n, arg);
  default:
    n.arg = arg;
    if (n.name) n.name = name_of(to->names, n.name, strlen(n.name));
    return intern(to, n);
  }
}

typedef struct ExprRewrite {
  Exprs *x;
  Expr *now, top;
  ExprAtom atom;
  void *user;
} ExprRewrite;

static Expr rewrite(ExprRewrite *r, Expr e);

static Expr rewrite_part(void *user, Expr e) {
  ExprRewrite *r = user;
  return e == r->top ? NO_EXPR : rewrite(r, e);
}

static Expr rewrite(ExprRewrite *r, Expr e) {
  if (r->now[e]) return r->now[e] - 1;
  Expr own = r->atom(r->user, e);
  if (own == NO_EXPR) {
    const Expr around = r->top;
    r->top = e;
    own = expr_rebuild(r->x, r->x, e, rewrite_part, r);
    r->top = around;
  }
  r->now[e] = own + 1;
  return own;
}

Expr expr_rewrite(Exprs *x, Expr e, Expr *now, ExprAtom atom, void *user) {
  ExprRewrite r = {x, now, NO_EXPR, atom, user};
  return rewrite(&r, e);
}

/* -------- values -------- */

Expr expr_number(Exprs *x, DType t, double real, int64_t whole) {
  return intern(x, (ExprNode){.kind = EXPR_NUMBER, .type = t, .v = whole, .real = real});
}

Expr expr_count(Exprs *x, DType t, Expr i) {
  return intern(x, (ExprNode){.kind = EXPR_COUNT, .type = t, .n = 1, .arg = &i});
}

Expr expr_op(Exprs *x, Op op, DType t, int n, const Expr *arg) {
  const int known = expr_decided(x, op, n, arg);
  if (known >= 0) return arg[known];
  if (known != UNDECIDED) return expr_number(x, DT_BOOL, 0, known == DECIDED_TRUE);
  return intern(x, (ExprNode){.kind = EXPR_OP, .type = t, .n = n, .arg = arg, .op = op});
}

Expr expr_random(Exprs *x, Op op, DType t, Expr key, Expr step, Expr i) {
  const Expr arg[] = {key, step, i};
  return intern(x, (ExprNode){.kind = EXPR_RANDOM, .type = t, .n = 3, .arg = arg, .op = op});
}

Expr expr_element(Exprs *x, ExprKind kind, DType t, NodeId id, int n, const Expr *index) {
  return intern(x, (ExprNode){.kind = kind,
                              .type = t,
                              .n = n,
                              .arg = index,
                              .v = id,
                              .lo = INT64_MIN,
                              .hi = INT64_MAX});
}

Expr expr_local(Exprs *x, DType t, const char *name, Expr index) {
  return intern(x, (ExprNode){.kind = EXPR_LOCAL,
                              .type = t,
                              .n = index != NO_EXPR,
                              .arg = &index,
                              .name = name_of(x->names, name, strlen(name))});
}

Expr expr_address(Exprs *x, Expr of) {
  return intern(x, (ExprNode){.kind = EXPR_ADDRESS, .type = DT_I64, .n = 1, .arg = &of});
}

Expr expr_address_read(Exprs *x, Expr of) {
  return intern(x, (ExprNode){.kind = EXPR_ADDRESS, .type = DT_I64, .n = 1, .arg = &of, .v = 1});
}

Expr expr_select(Exprs *x, int n, const Expr *arg) {
  Expr *kept = arena_array(x->arena, Expr, n);
  int m = 0, i = 0;
  for (; i + 1 < n; i += 2) {
    if (expr_is_false(x, arg[i])) continue;
    if (expr_is_true(x, arg[i])) {
      kept[m++] = arg[i + 1];
      break;
    }
    kept[m++] = arg[i], kept[m++] = arg[i + 1];
  }
  if (i + 1 >= n) kept[m++] = arg[n - 1];
  if (m == 1) return kept[0];
  ExprNode node = {.kind = EXPR_SELECT,
                   .type = expr_node(x, kept[m - 1])->type,
                   .n = m,
                   .arg = kept,
                   .lo = INT64_MIN,
                   .hi = INT64_MAX};
  expr_range_of_parts(x, &node);
  return intern(x, node);
}

/* -------- of a node -------- */

Expr lower_element(Lower *l, ExprKind kind, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const bool flat = at->flat != NO_EXPR;
  return expr_element(l->x, kind, n->dtype, id, flat ? 1 : n->shape.rank,
                      flat ? &at->flat : at->dim);
}

Expr lower_leaf_value(Lower *l, NodeId id, const At *at) {
  return lower_element(l, EXPR_VALUE, id, at);
}
Expr lower_leaf_load(Lower *l, NodeId id, const At *at) {
  return lower_element(l, EXPR_LOAD, id, at);
}
Expr lower_leaf_key(Lower *l, const Node *n) { return expr_int(l->x, node_attr(n, "key")); }

static Expr whole_extent(Lower *l, const Node *n, int d) { return expr_int(l->x, n->shape.dim[d]); }
static Expr whole_offset(Lower *l, const Node *n, int d) {
  (void)n, (void)d;
  return expr_int(l->x, 0);
}

Lower lower_whole(Exprs *x, const Graph *g) {
  return (Lower){.x = x,
                 .g = g,
                 .value = lower_leaf_value,
                 .load = lower_leaf_value,
                 .extent = whole_extent,
                 .offset = whole_offset,
                 .key = lower_leaf_key};
}

At lower_whole_index(Lower *l, const Node *n) {
  At at = {.flat = NO_EXPR};
  for (int d = 0; d < n->shape.rank; d++) {
    const char *name = arena_printf(l->g->arena, "i%d", d);
    const int64_t last = n->shape.dim[d] - 1;
    at.dim[d] = last > 0 ? expr_symbol(l->x, name, 0, last) : expr_int(l->x, 0);
  }
  return at;
}

Expr lower_out(Lower *l, Expr e, bool (*stops)(const Lower *l, NodeId id)) {
  for (;;) {
    const ExprNode v = *expr_node(l->x, e);
    const NodeId id = (NodeId)v.v;
    const Node *n = v.kind == EXPR_VALUE ? graph_node(l->g, id) : NULL;
    At at = {.flat = NO_EXPR};
    if (!n || (!n->op->lower && !op_is(n, OPF_ELEMENTWISE)) || (stops && stops(l, id))) return e;
    for (int d = 0; d < v.n; d++) at.dim[d] = v.arg[d];
    e = lower_node(l, id, &at);
  }
}

Expr lower_node(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  Expr (*lower)(Lower *, NodeId, const At *) = n->op->lower;
  if (lower) return lower(l, id, at);
  Expr arg[MOST_NUMBERS];
  for (int k = 0; k < n->noperands; k++) arg[k] = l->value(l, n->operand[k], at);
  return expr_op(l->x, n->op, n->dtype, n->noperands, arg);
}
