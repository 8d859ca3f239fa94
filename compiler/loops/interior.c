/* The inside of a loop whose conditions change at places that are known while running alone: the
 * borders of a halo or a pad, and the parts of a concat, where devices have blocks of several sizes
 * or begin at several places. Cuts at numbers make a loop for each part (split.c); here there is
 * one part, in which conditions hold, or fail, as they do in the middle of the block of a device in
 * the middle, and its bounds are computed:
 *
 *   begin_j = 1 - from_w, end_j = 1022 - from_w
 *   for j to begin_j           select(j + from_w >= 1, ...)
 *   for j from begin_j to end_j    x[i, j - 1] + x[i, j + 1]
 *   for j from end_j to block_w    select(j + from_w >= 1, ...) */
#include "loop_build.h"
#include <string.h>

/* Of numbers and parameters alone: the same in all turns of all loops. */
static bool is_same(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_PARAM) return true;
  if (n->kind != EXPR_LINEAR && n->kind != EXPR_PRODUCT && n->kind != EXPR_DIV &&
      n->kind != EXPR_MOD)
    return false;
  for (int i = 0; i < n->n; i++)
    if (!is_same(x, n->arg[i])) return false;
  return true;
}

static bool has_range(const ExprNode *n) { return n->lo > INT64_MIN / 4 && n->hi < INT64_MAX / 4; }

/* Where the block of a device in the middle begins, or how long it is. */
static bool of_middle_device(const Loop *l, Expr symbol, int64_t *v) {
  for (int i = 0; i < l->f.symbols.n; i++) {
    const LoopSymbol *s = &l->f.symbols.at[i];
    if (s->symbol != symbol || (s->kind != INTEGER_FROM && s->kind != INTEGER_BLOCK)) continue;
    const Node *n = graph_node(l->g, s->node);
    const DimLayout *d = &n->layout->dim[s->dim];
    int64_t lo, hi;
    dim_box_at(l->mesh, d, n->shape.dim[s->dim], dim_parts(l->mesh, d) / 2, &lo, &hi);
    *v = s->kind == INTEGER_FROM ? lo : hi - lo;
    return true;
  }
  return false;
}

/* Twice what it is in the middle of the block of such a device. */
static int64_t middle(const Loop *l, Expr e) {
  const ExprNode *n = expr_node(l->x, e);
  int64_t v, sum = 2 * n->v;
  if (n->kind == EXPR_PARAM) return middle(l, l->f.params.at[n->v].value);
  if (n->kind == EXPR_SYMBOL && of_middle_device(l, e, &v)) return 2 * v;
  if (n->kind != EXPR_LINEAR) return n->lo + n->hi;
  for (int i = 0; i < n->n; i++) sum += n->coef[i] * middle(l, n->arg[i]);
  return sum;
}

/* The floor of e / by, where C's division has no negative number: shifted up, and back. */
static Expr floor_of(Exprs *x, Expr e, int64_t by) {
  const int64_t lo = expr_node(x, e)->lo, up = lo < 0 ? (by - 1 - lo) / by : 0;
  if (by == 1) return e;
  return expr_sub(x, expr_div(x, expr_add(x, e, expr_int(x, by * up)), expr_int(x, by)),
                  expr_int(x, up));
}

/* The condition holds for index < at if `below`, else for index >= at. */
typedef struct Border {
  Expr at;
  bool below;
} Border;

static bool is_border(Loop *l, const ExprNode *cond, Expr index, Border *b) {
  Exprs *x = l->x;
  const Expr left = expr_sub(x, cond->arg[0], cond->arg[1]);
  const ExprNode n = *expr_node(x, left);
  int64_t by = left == index;
  for (int i = 0; n.kind == EXPR_LINEAR && i < n.n; i++)
    if (n.arg[i] == index) by = n.coef[i];
  if (!by) return false;
  const Expr rest = expr_sub(x, left, expr_scale(x, index, by));
  if (!is_same(x, rest) || !has_range(expr_node(x, rest))) return false;
  const bool less = cond->kind == EXPR_LESS;
  /* by * index + rest < 0, or >= 0 */
  const Expr whole = floor_of(x, rest, by > 0 ? by : -by);
  b->at = by > 0 ? expr_scale(x, whole, -1) : expr_add(x, whole, loop_int(l, 1));
  b->below = less == (by > 0);
  return true;
}

Expr loop_further(Loop *l, Expr a, Expr b, bool larger) {
  const ExprNode d = *expr_node(l->x, expr_sub(l->x, b, a)), *p = expr_node(l->x, a),
                 *q = expr_node(l->x, b);
  if (d.hi <= 0 || q->hi <= p->lo) return larger ? a : b;
  if (d.lo >= 0 || p->hi <= q->lo) return larger ? b : a;
  const Expr cond = expr_compare(l->x, EXPR_LESS, a, b);
  return larger ? loop_choose(l, cond, b, a) : loop_choose(l, cond, a, b);
}

typedef VEC(Expr) Edges;
typedef struct InteriorSearch {
  Loop *l;
  Expr index, first, behind; /* the index goes from `first` up to `behind` */
  bool *met;                 /* by expression; of `size` */
  int size;
  Interior *in;
  Edges from, to; /* the places where it begins and ends */
} InteriorSearch;

/* One more place that is to be met, unless another is always beyond it. */
static void add_bound(Loop *l, Edges *all, Expr at, bool larger) {
  int n = 0;
  for (int i = 0; i < all->n; i++) {
    const ExprNode d = *expr_node(l->x, expr_sub(l->x, at, all->at[i]));
    if (larger ? d.hi <= 0 : d.lo >= 0) return;
    if (larger ? d.lo < 0 : d.hi > 0) all->at[n++] = all->at[i];
  }
  all->n = n;
  vec_push(l->arena, all, at);
}

static Expr joined_bounds(Loop *l, const Edges *all, bool larger) {
  Expr at = all->n ? all->at[0] : NO_EXPR;
  for (int i = 1; i < all->n; i++) at = loop_further(l, at, all->at[i], larger);
  return at;
}

static void take_border(InteriorSearch *s, Expr e) {
  Loop *l = s->l;
  const ExprNode cond = *expr_node(l->x, e);
  Interior *in = s->in;
  Border b;
  if (!is_border(l, &cond, s->index, &b)) return;
  const ExprNode room = *expr_node(l->x, expr_sub(l->x, s->behind, b.at));
  const ExprNode before = *expr_node(l->x, expr_sub(l->x, b.at, s->first));
  const bool always = b.below ? room.hi <= 0 : before.hi <= 0;
  const int64_t at = middle(l, b.at), i = middle(l, s->index);
  const bool holds = always || (b.below ? i < at : i >= at);
  if (always) {
    vec_push(l->arena, &l->holds, ((KnownCondition){e, true}));
    return;
  }
  if (b.below == holds) {
    add_bound(l, &s->to, b.at, false);
    in->ends = in->ends || room.lo >= 0;
  } else {
    add_bound(l, &s->from, b.at, true);
    in->begins = in->begins || before.lo >= 0;
  }
  vec_push(l->arena, &in->known, ((KnownCondition){e, holds}));
}

static void search(InteriorSearch *s, Expr e) {
  if (e >= s->size || s->met[e]) return;
  const ExprNode n = *expr_node(s->l->x, e);
  s->met[e] = true;
  if (n.kind == EXPR_LESS || n.kind == EXPR_LEAST) take_border(s, e);
  for (int i = 0; i < n.n; i++) search(s, n.arg[i]);
}

bool loop_interior(Loop *l, const Step *step, const At *at, int d, Interior *in) {
  const Node *n = graph_node(l->g, step->nodes.at[0]);
  const Expr index = loop_index(l, at, d), first = expr_sub(l->x, index, at->dim[d]);
  *in = (Interior){.from = NO_EXPR, .to = NO_EXPR};
  if (!has_range(expr_node(l->x, index))) return false;
  Expr *value = arena_array(l->arena, Expr, step->nodes.n);
  for (int i = 0; i < step->nodes.n; i++)
    value[i] = loop_as_holds(l, loop_value(l, step->nodes.at[i], at));
  InteriorSearch s = {.l = l,
                      .index = index,
                      .first = first,
                      .behind = expr_add(l->x, first, loop_extent(l, n, d)),
                      .met = arena_array(l->arena, bool, l->x->n),
                      .size = l->x->n,
                      .in = in};
  for (int i = 0; i < step->nodes.n; i++) search(&s, value[i]);
  in->from = joined_bounds(l, &s.from, true);
  in->to = joined_bounds(l, &s.to, false);
  return in->known.n > 0;
}

static bool is_declared(const Loop *l, const char *name) {
  for (const LoopStmt *s = l->f.body; s; s = s->next)
    if (s->kind == STMT_LOCAL && !strcmp(s->name, name)) return true;
  return false;
}

Expr loop_bound(Loop *l, const char *what, Expr index, bool lies, Expr value) {
  const ExprNode n = *expr_node(l->x, value), i = *expr_node(l->x, index);
  if (n.kind == EXPR_PARAM || n.kind == EXPR_SYMBOL || n.lo == n.hi) return value;
  const char *name = arena_printf(l->arena, "%s_%s", what, i.name);
  for (int k = 2; is_declared(l, name); k++)
    name = arena_printf(l->arena, "%s_%s%d", what, i.name, k);
  loop_local(l, LOCAL_CONST, DT_I64, name, 0, value);
  const bool known = !lies || (n.lo >= i.lo && n.hi <= i.hi + 1);
  return loop_symbol(l, name, known ? n.lo : i.lo, known ? n.hi : i.hi + 1);
}

void loop_interior_bounds(Loop *l, const Node *n, const At *at, int d, bool cuts, Interior *in) {
  const Expr first = expr_sub(l->x, loop_index(l, at, d), at->dim[d]),
             behind = expr_add(l->x, first, loop_extent(l, n, d));
  if (cuts && in->from != NO_EXPR && !in->begins) in->from = loop_further(l, in->from, first, true);
  if (cuts && in->from != NO_EXPR) in->from = loop_further(l, in->from, behind, false);
  if (in->from != NO_EXPR) in->from = loop_bound(l, "begin", loop_index(l, at, d), cuts, in->from);
  if (cuts && in->to != NO_EXPR && !in->ends) in->to = loop_further(l, in->to, behind, false);
  if (cuts && in->to != NO_EXPR)
    in->to = loop_further(l, in->to, in->from == NO_EXPR ? first : in->from, true);
  if (in->to != NO_EXPR) in->to = loop_bound(l, "end", loop_index(l, at, d), cuts, in->to);
}

/* -------- what is known -------- */

int loop_holds(Loop *l, const Interior *in) {
  const int had = l->holds.n;
  for (int i = 0; i < in->known.n; i++) vec_push(l->arena, &l->holds, in->known.at[i]);
  return had;
}

static Expr no_atom(void *user, Expr e) {
  (void)user, (void)e;
  return NO_EXPR;
}

Expr loop_as_holds(Loop *l, Expr e) {
  if (!l->holds.n) return e;
  Expr *now = arena_array(l->arena, Expr, l->x->n);
  const Expr no = loop_int(l, 0), yes = loop_int(l, 1);
  for (int i = 0; i < l->holds.n; i++)
    now[l->holds.at[i].cond] = 1 + (l->holds.at[i].holds ? yes : no);
  return expr_rewrite(l->x, e, now, no_atom, NULL);
}

void map_body(Loop *l, const Step *s, const At *at) {
  for (int i = 0; i < s->nodes.n; i++) {
    const Expr v = loop_as_holds(l, loop_value(l, s->nodes.at[i], at));
    loop_add(l, (LoopStmt){.kind = STMT_STORE, .a = loop_load(l, s->nodes.at[i], at), .b = v});
  }
}
