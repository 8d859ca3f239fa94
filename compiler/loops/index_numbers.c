/* Constant indices as parameters, so that steps that differ in nothing else share a function and
 * may become a repeated block, as those of a loop over time that the compiler unrolled:
 *
 *   y[i][j] = tanh(x[i][7][j] + v0)   ->   y[i][j] = tanh(x[i][index0][j] + v0), index0 7
 *
 * Neighbours count from the first of them: w[12], w[13], w[14] are w[index0], w[index0 + 1],
 * w[index0 + 2]. What is added to an index that moves is such a number, too: x[i + 96], of a slice.
 *
 * Runs of neighbours that begin with 0 or 1 stay, as parameters that are 0 or 1 do, and the taps of
 * a stencil with them; so do constant indices of a dim that loops of the function go along, too, as
 * ends of its ranges; and the same numbers anywhere else. A compiler gains nothing from the others:
 * they are a part of the address that is the same in all iterations. Done last, when all that looks
 * at indices has seen the numbers. */
#include "loop_build.h"
#include <stdlib.h>
#include <string.h>

enum {
  MOVES = -1,           /* no number */
  OFFSET = MAX_RANK + 1 /* `dim` of offsets in a dim: what is added to an index that moves */
};

typedef struct IndexNumber {
  NodeId of; /* the tensor that is indexed */
  int dim;
  int64_t index;
} IndexNumber;

typedef struct IndexNumbers {
  Loop *l;
  VEC(IndexNumber) at; /* in order, each once */
  bool *seen;          /* by expression */
  Expr *now;           /* ... 1 + what it becomes */
} IndexNumbers;

static int compare(const void *one, const void *other) {
  const IndexNumber *a = one, *b = other;
  if (a->of != b->of) return a->of < b->of ? -1 : 1;
  if (a->dim != b->dim) return a->dim < b->dim ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* -------- which there are -------- */

/* The number in an index that moves: 96 of i + 96. */
static int64_t offset_of(const IndexNumbers *c, Expr index) {
  const ExprNode *n = expr_node(c->l->x, index);
  return n->kind == EXPR_LINEAR ? n->v : 0;
}

static void collect(IndexNumbers *c, Expr e) {
  if (e == NO_EXPR || c->seen[e]) return;
  const ExprNode *n = expr_node(c->l->x, e);
  c->seen[e] = true;
  for (int i = 0; i < n->n; i++) {
    IndexNumber own = {(NodeId)n->v, i, MOVES};
    const bool known = expr_is_int(c->l->x, n->arg[i], &own.index);
    const IndexNumber offset = {own.of, OFFSET + i, offset_of(c, n->arg[i])};
    if (n->kind == EXPR_LOAD) vec_push(c->l->plan->scratch, &c->at, own);
    if (n->kind == EXPR_LOAD && !known) vec_push(c->l->plan->scratch, &c->at, offset);
    if (!known) collect(c, n->arg[i]);
  }
}

static void collect_all(IndexNumbers *c, const LoopStmt *s) {
  for (; s; s = s->next) {
    collect(c, s->a), collect(c, s->b), collect(c, s->c);
    collect_all(c, s->body);
    collect_all(c, s->other);
  }
}

static void sort(IndexNumbers *c) {
  int n = 0;
  if (c->at.n) qsort(c->at.at, (size_t)c->at.n, sizeof *c->at.at, compare);
  for (int i = 0; i < c->at.n; i++)
    if (!n || compare(&c->at.at[n - 1], &c->at.at[i])) c->at.at[n++] = c->at.at[i];
  c->at.n = n;
}

/* The numbers that stay, as of no tensor. */
static void collect_kept(IndexNumbers *c) {
  const int n = c->at.n;
  bool moves = false;
  int64_t first = 0; /* of the neighbours */
  for (int i = 0; i < n; i++) {
    const IndexNumber x = c->at.at[i], *before = i ? &c->at.at[i - 1] : NULL;
    const bool same = before && before->of == x.of && before->dim == x.dim;
    if (!same) moves = x.index == MOVES;
    if (!same || before->index != x.index - 1) first = x.index;
    const IndexNumber kept = {NO_NODE, 0, x.index};
    if ((moves || first < 2) && x.index >= 2) vec_push(c->l->plan->scratch, &c->at, kept);
  }
}

static const IndexNumber *find(const IndexNumbers *c, const IndexNumber *own) {
  return bsearch(own, c->at.at, (size_t)c->at.n, sizeof *own, compare);
}

/* The first of the neighbours that this one is among; 0: it stays. */
static int64_t first_of(const IndexNumbers *c, const IndexNumber *own) {
  const IndexNumber *at = find(c, own), kept = {NO_NODE, 0, own->index};
  if (own->index < 2 || find(c, &kept)) return 0;
  while (at > c->at.at && at[-1].of == own->of && at[-1].dim == own->dim &&
         at[-1].index == at->index - 1)
    at--;
  return at->index;
}

/* -------- what becomes of them -------- */

static Expr rewrite(IndexNumbers *c, Expr e);

static Expr index_given(IndexNumbers *c, NodeId of, int dim, Expr index) {
  IndexNumber own = {of, dim, 0};
  const bool moves = !expr_is_int(c->l->x, index, &own.index);
  if (moves) own = (IndexNumber){of, OFFSET + dim, offset_of(c, index)}, index = rewrite(c, index);
  const int64_t first = first_of(c, &own);
  if (first < 2) return index;
  const Expr given = loop_param(c->l, PARAM_INDEX, loop_given(c->l, first));
  return expr_add(c->l->x, expr_sub(c->l->x, index, loop_int(c->l, first)), given);
}

static Expr element_given(void *user, Expr e) {
  IndexNumbers *c = user;
  const ExprNode n = *expr_node(c->l->x, e);
  Expr index[MAX_RANK + 1];
  if (n.kind != EXPR_LOAD || !n.n) return NO_EXPR;
  for (int i = 0; i < n.n; i++) index[i] = index_given(c, (NodeId)n.v, i, n.arg[i]);
  return expr_element(c->l->x, EXPR_LOAD, n.type, (NodeId)n.v, n.n, index);
}

static Expr rewrite(IndexNumbers *c, Expr e) {
  return e == NO_EXPR ? e : expr_rewrite(c->l->x, e, c->now, element_given, c);
}

static void rewrite_all(IndexNumbers *c, LoopStmt *s) {
  for (; s; s = s->next) {
    s->a = rewrite(c, s->a), s->b = rewrite(c, s->b), s->c = rewrite(c, s->c);
    rewrite_all(c, s->body);
    rewrite_all(c, s->other);
  }
}

static bool any_given(const IndexNumbers *c) {
  for (int i = 0; i < c->at.n; i++)
    if (c->at.at[i].index >= 2) return true;
  return false;
}

void loop_index_numbers(Loop *l) {
  Arena *scratch = l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  IndexNumbers c = {.l = l, .seen = arena_array(scratch, bool, l->x->n)};
  collect_all(&c, l->f.body);
  sort(&c);
  collect_kept(&c);
  sort(&c);
  if (any_given(&c)) {
    c.now = arena_array(scratch, Expr, l->x->n);
    rewrite_all(&c, l->f.body);
  }
  arena_release(scratch, mark);
}
