/* Checks of indices that are data, behind the loops that read by them. A call of dtrt_index in an
 * innermost loop may leave it, so compilers compute element by element. Here such a loop goes on
 * with index 0 in the place of one that is outside, keeps the index that is farthest outside, and
 * the function checks that one at its end:
 *
 *   uint32_t farthest = 0;
 *   for (i ...) {
 *     farthest = dtrt_farther_i32(farthest, at[i]);
 *     y[i] = table[dtrt_within_i32(at[i], n)];
 *   }
 *   dtrt_check_i32(dev, farthest, n);
 *
 * What a condition guards counts where that holds. An index that is the same in all turns of the
 * loop is checked in front of it, if there is a turn; compilers do that where nothing is stored
 * before. One that says where to write is left as it is. */
#include "loop_build.h"
#include <string.h>

typedef struct Farthest {
  int64_t n;       /* of the dim */
  bool wide;       /* of 64 bits */
  Expr local, met; /* `met`: of the statements at hand; NO_EXPR: none */
} Farthest;

/* How a call is reached from the statements at hand: in each turn, within part `part` of `of`,
 * which chooses, or under another one there. */
enum { IN_EACH = 1, IN_PART = 2, DEEPER = 4 };
typedef struct Reading {
  Expr call, of; /* NO_EXPR: in each turn */
  int part;
} Reading;

/* A call that is the same in all turns, and its result, which never changes. */
typedef struct InFront {
  Expr call, place;
} InFront;

typedef struct Checks {
  Loop *l;
  bool runs;                /* the loop at hand has a turn */
  VEC(InFront) in_front;    /* of it */
  int fronts;               /* of all loops */
  VEC(Farthest) farthest;   /* of the function */
  VEC(const char *) moving; /* the loop's index, and integers that its body declares */
  VEC(Reading) reading;
  VEC(Expr) choice; /* in each turn */
  uint8_t *reached; /* by expression, of `size` */
  int *stamp, look; /* ... the number of the look at it */
  Expr *now;        /* ... 1 + what it becomes */
  int size, most;   /* looks at expressions that may be */
} Checks;

static bool checks_index(const ExprNode *n) {
  return n->kind == EXPR_CALL && !strcmp(n->name, "dtrt_index");
}

/* Argument i counts where the conditions say so alone. */
static bool is_part(const ExprNode *n, int i) {
  return expr_is_part(n, i) || (n->kind == EXPR_OP && n->op->flags & OPF_CHOICE && i);
}

static bool chooses(const ExprNode *n) { return n->n && is_part(n, n->n - 1); }

static bool moves_at(Checks *c, Expr e) {
  const ExprNode *n = expr_node(c->l->x, e);
  if (c->stamp[e] == c->look) return false;
  c->stamp[e] = c->look;
  bool found = n->kind == EXPR_LOCAL;
  for (int i = 0; n->kind == EXPR_SYMBOL && i < c->moving.n; i++)
    found |= n->name == c->moving.at[i];
  for (int i = 0; i < n->n && !found; i++) found = moves_at(c, n->arg[i]);
  return found;
}

static bool moves(Checks *c, Expr e) {
  c->look++;
  return moves_at(c, e);
}

/* A call that may be checked behind the loop, of a dim that has an element 0. */
static bool is_call(const Checks *c, Expr e) {
  const ExprNode *n = expr_node(c->l->x, e);
  int64_t size;
  return checks_index(n) && expr_node(c->l->x, n->arg[0])->kind >= EXPR_NUMBER &&
         expr_is_int(c->l->x, n->arg[1], &size) && size > 0;
}

static void look_in_each(Checks *c, Expr e) {
  if (c->reached[e] & IN_EACH) return;
  c->reached[e] |= IN_EACH;
  const ExprNode n = *expr_node(c->l->x, e);
  for (int i = 0; i < n.n; i++)
    if (!is_part(&n, i)) look_in_each(c, n.arg[i]);
  if (chooses(&n)) vec_push(c->l->arena, &c->choice, e);
  if (is_call(c, e)) vec_push(c->l->arena, &c->reading, ((Reading){e, NO_EXPR, 0}));
}

static void look_deeper(Checks *c, Expr e) {
  if (c->reached[e] & DEEPER) return;
  c->reached[e] |= DEEPER;
  const ExprNode *n = expr_node(c->l->x, e);
  for (int i = 0; i < n->n; i++) look_deeper(c, n->arg[i]);
}

static void look_in_part(Checks *c, Expr e, Expr of, int part) {
  if (c->stamp[e] == c->look || c->reached[e] & IN_EACH) return;
  c->stamp[e] = c->look;
  c->reached[e] |= IN_PART;
  c->most--;
  const ExprNode n = *expr_node(c->l->x, e);
  for (int i = 0; i < n.n; i++) {
    if (is_part(&n, i) || c->most < 0)
      look_deeper(c, n.arg[i]);
    else
      look_in_part(c, n.arg[i], of, part);
  }
  if (is_call(c, e)) vec_push(c->l->arena, &c->reading, ((Reading){e, of, part}));
}

static void look_at(Checks *c, Expr e) {
  c->choice.n = 0;
  look_in_each(c, e);
  for (int k = 0; k < c->choice.n; k++) {
    const ExprNode n = *expr_node(c->l->x, c->choice.at[k]);
    for (int i = 0; i < n.n; i++) {
      if (!is_part(&n, i)) continue;
      c->look++;
      look_in_part(c, n.arg[i], c->choice.at[k], i);
    }
  }
}

/* How it is reached is known, and it differs between turns. */
static bool is_checked_behind(Checks *c, Expr e) {
  const bool known =
      c->reached[e] & IN_EACH || (c->reached[e] & IN_PART && !(c->reached[e] & DEEPER));
  return is_call(c, e) && known && moves(c, expr_node(c->l->x, e)->arg[0]);
}

/* -------- what they become -------- */

static bool is_wide(const Checks *c, Expr call) {
  const Exprs *x = c->l->x;
  const ExprNode *n = expr_node(x, call);
  const DType t = expr_node(x, n->arg[0])->type;
  int64_t size = 0;
  expr_is_int(x, n->arg[1], &size);
  return size > INT32_MAX || dtype_size(t) > 4 || t == DT_U32;
}

static const char *named(const Checks *c, const char *verb, bool wide) {
  return arena_printf(c->l->arena, "dtrt_%s_i%d", verb, wide ? 64 : 32);
}

static Expr rewrite(Checks *c, Expr e);

static bool is_checked_in_front(Checks *c, Expr e) {
  return c->runs && is_call(c, e) && c->reached[e] & IN_EACH &&
         !moves(c, expr_node(c->l->x, e)->arg[0]);
}

static Expr checked_in_front(Checks *c, Expr call) {
  for (int i = 0; i < c->in_front.n; i++)
    if (c->in_front.at[i].call == call) return c->in_front.at[i].place;
  const ExprNode n = *expr_node(c->l->x, call);
  const char *name = arena_printf(c->l->arena, "place%d", c->fronts++);
  const Expr place = loop_symbol(c->l, name, n.lo, n.hi);
  vec_push(c->l->arena, &c->in_front, ((InFront){call, place}));
  return place;
}

static Expr checked_elsewhere(void *user, Expr e) {
  Checks *c = user;
  const ExprNode n = *expr_node(c->l->x, e);
  if (is_checked_in_front(c, e)) return checked_in_front(c, e);
  if (!is_checked_behind(c, e)) return NO_EXPR;
  const Expr arg[] = {rewrite(c, n.arg[0]), n.arg[1]};
  return expr_call(c->l->x, named(c, "within", is_wide(c, e)), DT_I64, 2, arg, n.lo, n.hi);
}

static Expr rewrite(Checks *c, Expr e) {
  return expr_rewrite(c->l->x, e, c->now, checked_elsewhere, c);
}

static Farthest *farthest_of(Checks *c, Expr call) {
  Loop *l = c->l;
  const bool wide = is_wide(c, call);
  int64_t n = 0;
  expr_is_int(l->x, expr_node(l->x, call)->arg[1], &n);
  for (int i = 0; i < c->farthest.n; i++)
    if (c->farthest.at[i].n == n && c->farthest.at[i].wide == wide) return &c->farthest.at[i];
  const char *name =
      c->farthest.n ? arena_printf(l->arena, "farthest%d", c->farthest.n) : "farthest";
  name = name_of(l->x->names, name, strlen(name));
  const Expr local = expr_local(l->x, wide ? DT_U64 : DT_U32, name, NO_EXPR);
  vec_push(l->arena, &c->farthest, ((Farthest){n, wide, local, NO_EXPR}));
  return &c->farthest.at[c->farthest.n - 1];
}

static Expr farther(Checks *c, const Farthest *f, Expr a, Expr b) {
  return loop_call(c->l, named(c, "farther", f->wide), f->wide ? DT_U64 : DT_U32, 2,
                   (Expr[]){a, b});
}

/* The index; where its part is not the one that is chosen, 0. */
static Expr index_met(Checks *c, const Reading *w) {
  Exprs *x = c->l->x;
  const Expr i = rewrite(c, expr_node(x, w->call)->arg[0]);
  if (w->of == NO_EXPR) return i;
  const ExprNode n = *expr_node(x, w->of);
  Expr *arg = arena_array(c->l->arena, Expr, n.n);
  const Expr zero = expr_number(x, expr_node(x, i)->type, 0, 0);
  for (int k = 0; k < n.n; k++)
    arg[k] = !is_part(&n, k) ? rewrite(c, n.arg[k]) : k == w->part ? i : zero;
  return n.kind == EXPR_OP ? expr_op(x, n.op, expr_node(x, i)->type, n.n, arg)
                           : expr_select(x, n.n, arg);
}

/* -------- statements -------- */

/* In front of *at, what its expressions add to the farthest; what is behind that. */
static LoopStmt **put_farthest(Checks *c, LoopStmt **at) {
  Loop *l = c->l;
  for (int k = 0; k < c->reading.n; k++) {
    const Reading *w = &c->reading.at[k];
    if (!is_checked_behind(c, w->call)) continue;
    const Expr i = index_met(c, w);
    Farthest *f = farthest_of(c, w->call);
    f->met = f->met == NO_EXPR ? i : farther(c, f, f->met, i);
  }
  for (int k = 0; k < c->farthest.n; k++) {
    Farthest *f = &c->farthest.at[k];
    if (f->met == NO_EXPR) continue;
    *at = loop_stmt(
        l, (LoopStmt){
               .kind = STMT_SET, .a = f->local, .b = farther(c, f, f->local, f->met), .next = *at});
    at = &(*at)->next;
    f->met = NO_EXPR;
  }
  return at;
}

static Expr *value_of(LoopStmt *s) { return s->kind == STMT_LOCAL ? &s->a : &s->b; }

/* The statement at *at, or stores that follow each other; where the next begins. */
static LoopStmt **check_behind(Checks *c, LoopStmt **at) {
  Loop *l = c->l;
  LoopStmt *first = *at, *end = first->next;
  while (first->kind == STMT_STORE && end && end->kind == STMT_STORE) end = end->next;
  c->size = l->x->n;
  c->most = 4 * c->size;
  c->reached = arena_array(l->arena, uint8_t, c->size);
  c->stamp = arena_array(l->arena, int, c->size);
  c->now = arena_array(l->arena, Expr, c->size);
  c->look = 0, c->reading.n = 0;
  for (LoopStmt *s = first; s != end; s = s->next)
    if (*value_of(s) != NO_EXPR) look_at(c, *value_of(s));
  for (LoopStmt *s = first; c->reading.n && s != end; s = s->next)
    if (*value_of(s) != NO_EXPR) *value_of(s) = rewrite(c, *value_of(s));
  if (first->kind == STMT_LOCAL && first->type == DT_I64)
    vec_push(l->arena, &c->moving, first->name);
  at = put_farthest(c, at);
  while (*at != end) at = &(*at)->next;
  return at;
}

static bool says_where(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  bool found = checks_index(n);
  for (int i = 0; i < n->n && !found; i++) found = says_where(x, n->arg[i]);
  return found;
}

/* An innermost loop of values alone. */
static bool is_plain(const Exprs *x, const LoopStmt *s) {
  const bool plain = s->how == LOOP_PLAIN || s->how == LOOP_FEW || s->how == LOOP_LONG;
  if (s->kind != STMT_FOR || !plain) return false;
  for (const LoopStmt *b = s->body; b; b = b->next) {
    const bool sets = b->kind == STMT_SET || b->kind == STMT_STORE;
    if (!sets && b->kind != STMT_LOCAL) return false;
    if (sets && says_where(x, b->a)) return false;
  }
  return true;
}

/* Its ends are numbers, which say so; they may be given. */
static bool has_turn(const Loop *l, const LoopStmt *s) {
  const ExprNode *to = expr_node(l->x, s->b);
  int64_t first, end;
  return expr_is_int(l->x, s->a, &first) &&
         expr_is_int(l->x, to->kind == EXPR_PARAM ? l->f.params.at[to->v].value : s->b, &end) &&
         first < end;
}

/* The loop at *at; where the next statement begins. */
static LoopStmt **check_loop(Checks *c, LoopStmt **at) {
  Loop *l = c->l;
  LoopStmt *s = *at;
  c->moving.n = c->in_front.n = 0;
  c->runs = has_turn(l, s);
  vec_push(l->arena, &c->moving, s->name);
  for (LoopStmt **in = &s->body; *in;) in = check_behind(c, in);
  for (int i = 0; i < c->in_front.n; i++) {
    const InFront *f = &c->in_front.at[i];
    *at = loop_stmt(l, (LoopStmt){.kind = STMT_LOCAL,
                                  .local = LOCAL_CONST,
                                  .type = DT_I64,
                                  .name = expr_node(l->x, f->place)->name,
                                  .a = f->call,
                                  .next = s});
    at = &(*at)->next;
  }
  return &s->next;
}

static void check_loops(Checks *c, LoopStmt **at) {
  while (*at) {
    LoopStmt *s = *at;
    if (is_plain(c->l->x, s)) {
      at = check_loop(c, at);
      continue;
    }
    check_loops(c, &s->body);
    check_loops(c, &s->other);
    at = &s->next;
  }
}

static bool has_checks(const Exprs *x) {
  for (Expr e = 0; e < x->n; e++)
    if (checks_index(expr_node(x, e))) return true;
  return false;
}

void loop_check_behind(Loop *l) {
  Checks c = {.l = l};
  if (l->f.returns || !has_checks(l->x)) return;
  check_loops(&c, &l->f.body);
  LoopStmt **end = &l->f.body;
  while (*end) end = &(*end)->next;
  for (int i = 0; i < c.farthest.n; i++) {
    const Farthest *f = &c.farthest.at[i];
    const Expr arg[] = {f->local, loop_int(l, f->n)};
    *end = loop_stmt(l, (LoopStmt){.kind = STMT_CALL,
                                   .a = loop_call(l, named(&c, "check", f->wide), DT_I64, 2, arg)});
    end = &(*end)->next;
  }
  for (int i = c.farthest.n - 1; i >= 0; i--) {
    const ExprNode n = *expr_node(l->x, c.farthest.at[i].local);
    l->f.body = loop_stmt(l, (LoopStmt){.kind = STMT_LOCAL,
                                        .local = LOCAL_VALUE,
                                        .type = n.type,
                                        .name = n.name,
                                        .a = expr_number(l->x, n.type, 0, 0),
                                        .next = l->f.body});
  }
}
