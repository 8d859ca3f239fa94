/* Splitting loops at the conditions of their index. The parts of a concat, the borders of a pad:
 * for each range of the index the conditions are known, so that a loop over it computes one part
 * and asks nothing. Emitted code may not grow by it beyond the law of bounded work: the expressions
 * of all parts together are at most twice the one they replace. */
#include "loop_build.h"
#include "thresholds.h"
#include <stdlib.h>

typedef struct Find {
  const Loop *l;
  Expr index; /* NO_EXPR: no cuts are looked for */
  int64_t len;
  Cuts *cut;
  bool *met; /* by expression; of `size` */
  int size;
  int code, once; /* operations and reads; the same if each value had a loop */
} Find;

/* The index at which a condition changes, where it is about the index alone. */
static void add_cut(Find *f, const ExprNode *n) {
  Exprs *x = f->l->x;
  const Expr left = expr_sub(x, n->arg[0], n->arg[1]);
  const ExprNode d = *expr_node(x, left);
  int64_t at = 0;
  if (left != f->index) {
    if (d.kind != EXPR_LINEAR || d.n != 1 || d.arg[0] != f->index) return;
    if (d.coef[0] != 1 && d.coef[0] != -1) return;
    at = d.coef[0] > 0 ? -d.v : d.v + 1;
  }
  if (at > 0 && at < f->len) vec_push(f->l->arena, f->cut, at);
}

static void find(Find *f, Expr e) {
  if (e < f->size && f->met[e]) return;
  const ExprNode n = *expr_node(f->l->x, e);
  if (e < f->size) f->met[e] = true;
  const bool select = n.kind == EXPR_SELECT;
  f->code += n.kind == EXPR_LOAD || n.kind >= EXPR_OP || n.kind == EXPR_COUNT;
  if (n.kind >= EXPR_OP) f->once += 2 + (select ? n.n / 2 : n.n);
  if (f->index != NO_EXPR && (n.kind == EXPR_LESS || n.kind == EXPR_LEAST)) add_cut(f, &n);
  for (int i = 0; i < n.n; i++) find(f, n.arg[i]);
}

static Find look(Loop *l, const Step *s, const At *at, Expr index, int64_t len, Cuts *cut) {
  Find f = {.l = l, .index = index, .len = len, .cut = cut};
  Expr *e = arena_array(l->arena, Expr, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) e[i] = loop_value(l, s->nodes.at[i], at);
  f.size = l->x->at.n;
  f.met = arena_array(l->arena, bool, f.size);
  for (int i = 0; i < s->nodes.n; i++) find(&f, e[i]);
  return f;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_cuts(Arena *a, Cuts *cut, int64_t len) {
  vec_push(a, cut, 0);
  vec_push(a, cut, len);
  qsort(cut->at, (size_t)cut->n, sizeof *cut->at, by_value);
  int n = 0;
  for (int i = 0; i < cut->n; i++)
    if (!n || cut->at[i] != cut->at[n - 1]) cut->at[n++] = cut->at[i];
  cut->n = n;
}

static bool grows_too_much(Loop *l, const Step *s, const At *at, int d, const Cuts *cut, int once) {
  int sum = 0;
  for (int i = 0; i + 1 < cut->n && sum <= WORK_MOST * once; i++) {
    const At part = at_part(l, at, d, cut->at[i], cut->at[i + 1] - 1);
    sum += look(l, s, &part, NO_EXPR, 0, NULL).code;
  }
  return sum > WORK_MOST * once;
}

int loop_split(Loop *l, const Step *s, const At *at, Cuts *cut) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  int best = -1, once = 0;
  for (int d = 0; d < n->shape.rank; d++) {
    Cuts found = {0};
    int64_t size;
    if (!has_loop(l, at, d) || !expr_is_int(l->x, site_len(l, n, d), &size)) continue;
    once = look(l, s, at, at->dim[d], size, &found).once;
    if (!found.n) continue;
    sort_cuts(l->arena, &found, size);
    if (found.n > LOOP_PARTS || (best >= 0 && found.n < cut->n)) continue;
    *cut = found;
    best = d;
  }
  return best >= 0 && grows_too_much(l, s, at, best, cut, once) ? -1 : best;
}
