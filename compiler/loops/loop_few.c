/* Innermost loops over 2 to FEW elements, as of the channels of an image. They are written out
 * within the loop around them, which becomes vectors of that:
 *
 *   for (k = 0; k < n; k++)
 *     for (l = 0; l < 3; l++) y[k][l] = x[k][l] - mean[l];
 *
 * So many streams compilers load and store interleaved. A loop over few that goes along the
 * lines of what the innermost one reads across moves into it, so that these are read once:
 *
 *   for (k = 0; k < n; k++)
 *     for (j = 0; j < 3; j++) y[j][k] = x[k][j]; */
#include "loop_build.h"

enum { FEW = 4 };

typedef struct Few {
  Loop *l;
  VEC(LoopStmt *) around;      /* outermost first */
  VEC(const ExprNode *) loads; /* of the innermost loop */
} Few;

/* Turns of a loop from 0 on; 0: who knows. */
static int64_t turns_of(const Loop *l, const LoopStmt *s) {
  int64_t from, by, to;
  if (s->kind != STMT_FOR || s->goes_on || s->within || loop_in_parts(&l->f, s) ||
      !expr_is_int(l->x, s->a, &from) || from || !expr_is_int(l->x, s->c, &by) || by != 1)
    return 0;
  const ExprNode *n = expr_node(l->x, s->b);
  const Expr end = n->kind == EXPR_PARAM ? l->f.params.at[n->v].value : s->b;
  return expr_is_int(l->x, end, &to) ? to : 0;
}

static bool is_few(const Loop *l, const LoopStmt *s) {
  const int64_t n = turns_of(l, s);
  return n > 1 && n <= FEW;
}

/* The elements that the value reads. False: it calls what may stop the program, or keeps a loop
 * from becoming vectors. */
static bool find_loads(Few *t, Expr e, bool *met) {
  const ExprNode *n = expr_node(t->l->x, e);
  if (met[e]) return true;
  met[e] = true;
  if (n->kind == EXPR_CALL || n->kind == EXPR_RANDOM || n->kind == EXPR_LOCAL) return false;
  if (n->kind == EXPR_LOAD && n->n) vec_push(t->l->arena, &t->loads, n);
  for (int i = 0; i < n->n; i++)
    if (!find_loads(t, n->arg[i], met)) return false;
  return true;
}

/* Stores alone, whose loads are found. */
static bool stores_alone(Few *t, const LoopStmt *s) {
  Arena *scratch = t->l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  bool *met = arena_array(scratch, bool, t->l->x->n), alone = true;
  t->loads.n = 0;
  for (; s && alone; s = s->next)
    alone = s->kind == STMT_STORE && find_loads(t, s->b, met) && expr_node(t->l->x, s->a)->n;
  arena_release(scratch, mark);
  return alone;
}

/* Elements of one turn lie side by side with those of the next. */
static bool goes_along(const Exprs *x, const ExprNode *load, const char *index) {
  return expr_mentions(x, load->arg[load->n - 1], index);
}

static bool reads_along(const Few *t, const char *index) {
  for (int i = 0; i < t->loads.n; i++)
    if (goes_along(t->l->x, t->loads.at[i], index)) return true;
  return false;
}

static bool stores_along(const Few *t, const LoopStmt *s, const char *index) {
  for (; s; s = s->next)
    if (!goes_along(t->l->x, expr_node(t->l->x, s->a), index)) return false;
  return true;
}

/* It has a vector of turns. */
static bool is_long(const Loop *l, const LoopStmt *s) {
  return loop_in_parts(&l->f, s) ||
         expr_node(l->x, s->b)->hi >= machine_vector(loop_machine(l), sizeof(float));
}

static void write_out(Loop *l, LoopStmt *s) {
  s->b = loop_int(l, turns_of(l, s));
  s->how = LOOP_WHOLE;
}

/* Loops with nothing beside them, from the i-th one around on. */
static bool is_alone(const Few *t, int i, const LoopStmt *inner) {
  for (; i < t->around.n; i++) {
    const LoopStmt *s = t->around.at[i], *body = i + 1 < t->around.n ? t->around.at[i + 1] : inner;
    if (s->kind != STMT_FOR || s->body != body || body->next) return false;
  }
  return true;
}

/* A loop around that is over few and goes along the lines of what is read moves into `inner`, which
 * goes across all of that and along what is stored. */
static void move_in(Few *t, LoopStmt *inner) {
  Loop *l = t->l;
  if (reads_along(t, inner->name) || !stores_along(t, inner->body, inner->name)) return;
  for (int i = t->around.n - 1; i >= 0; i--) {
    LoopStmt *few = t->around.at[i];
    if (!is_few(l, few) || !is_alone(t, i, inner) || !reads_along(t, few->name) ||
        !loop_turns_apart(l, few->name))
      continue;
    const LoopStmt was = *few;
    LoopStmt *body = inner->body, *next = few->next;
    *few = *few->body; /* where it stood */
    few->next = next;
    LoopStmt *own = i == t->around.n - 1 ? few : inner;
    own->body = loop_stmt(l, was);
    own->body->next = NULL;
    own->body->body = body;
    write_out(l, own->body);
    return;
  }
}

static void visit(Few *t, LoopStmt *s) {
  Loop *l = t->l;
  for (; s; s = s->next) {
    if (s->kind == STMT_FOR && s->how == LOOP_PLAIN && stores_alone(t, s->body)) {
      LoopStmt *outer = t->around.n ? t->around.at[t->around.n - 1] : NULL;
      if (is_few(l, s)) {
        if (!outer || !is_alone(t, t->around.n - 1, s) || outer->goes_on || !is_long(l, outer))
          continue;
        write_out(l, s);
        outer->how = LOOP_PLAIN;
      } else if (is_long(l, s)) {
        move_in(t, s);
      }
      continue;
    }
    vec_push(l->arena, &t->around, s);
    visit(t, s->body);
    visit(t, s->other);
    t->around.n--;
  }
}

void loop_few(Loop *l) {
  Few t = {.l = l};
  if (l->tile || l->f.flat || l->f.returns || l->f.partial != NO_NODE) return;
  visit(&t, l->f.body);
}
