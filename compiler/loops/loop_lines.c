/* Lines that loops around read again. What the innermost loop computes of an element that it finds
 * by a division of its index, as one of a group of columns has, no vector load reaches; and where
 * loops around have no part in it, it is the same in all their turns. Then the line is made once,
 * in front of those:
 *
 *   for (i ...)                               for (i ...) {
 *     for (j ...)                               for (l ...) line0[l] = m[i][l / 4];
 *       for (l ...)                       ->    for (j ...)
 *         y[i][j][l] = x[i][j][l] * m[i][l / 4];  for (l ...) y[i][j][l] = x[i][j][l] * line0[l];
 *                                             }
 *
 * All lines of a loop lie in half of L1. */
#include "loop_build.h"

enum { MOST_LINES = 8 };

typedef struct KeptLine {
  Expr value, place; /* as it is, and the element of the array */
  LoopStmt *before;  /* the outermost of the loops that have no part in it */
} KeptLine;

typedef struct LineSearch {
  Loop *l;
  VEC(LoopStmt *) around; /* loops, outermost first */
  int first;              /* from here on with no condition between them */
  const LoopStmt *inner;
  KeptLine line[MOST_LINES];
  int n, all; /* of this loop; of the function */
  double bytes;
  Expr *now; /* by expression, for expr_rewrite */
  bool *each; /* by expression, of `size`: computed in each turn, whatever conditions say */
  int size;
} LineSearch;

/* -------- what may be a line -------- */

static bool is_written(const Loop *l, const LoopStmt *s, NodeId id) {
  for (; s; s = s->next) {
    const bool stores = (s->kind == STMT_STORE || s->kind == STMT_SET) && s->a != NO_EXPR;
    const ExprNode *to = stores ? expr_node(l->x, s->a) : NULL;
    if (to && to->kind == EXPR_LOAD && loop_memory(l, (NodeId)to->v) == loop_memory(l, id))
      return true;
    if (is_written(l, s->body, id) || is_written(l, s->other, id)) return true;
  }
  return false;
}

/* What the loop counts, or one of those around it. */
static bool is_index(const LineSearch *t, const char *name) {
  bool found = t->inner->name == name;
  for (int i = 0; i < t->around.n; i++) found = found || t->around.at[i]->name == name;
  return found;
}

/* It is made of indices and of elements that the function leaves alone. */
static bool is_still(const LineSearch *t, Expr e) {
  const ExprNode *n = expr_node(t->l->x, e);
  switch (n->kind) {
  case EXPR_SYMBOL: return is_index(t, n->name);
  case EXPR_LINEAR:
  case EXPR_PARAM:
  case EXPR_PRODUCT:
  case EXPR_DIV:
  case EXPR_MOD:
  case EXPR_NUMBER:
  case EXPR_COUNT:
  case EXPR_OP: break;
  case EXPR_LOAD:
    if (!n->n || is_written(t->l, t->l->f.body, (NodeId)n->v)) return false;
    break;
  default: return false;
  }
  for (int i = 0; i < n->n; i++)
    if (!is_still(t, n->arg[i])) return false;
  return true;
}

static void mark_each(LineSearch *t, Expr e) {
  const ExprNode *n = expr_node(t->l->x, e);
  if (t->each[e]) return;
  t->each[e] = true;
  for (int i = 0; i < n->n; i++)
    if (!expr_is_part(n, i)) mark_each(t, n->arg[i]);
}

/* What an `if` guards is not computed in each turn. */
static void mark_all(LineSearch *t, const LoopStmt *s) {
  for (; s; s = s->next) {
    const Expr value = s->kind == STMT_LOCAL ? s->a : s->b;
    if (s->kind != STMT_FOR && value != NO_EXPR) mark_each(t, value);
    if (s->kind != STMT_IF) mark_all(t, s->body);
  }
}

/* Its elements are there in all turns. */
static bool has_elements(const LineSearch *t, Expr e) {
  const Loop *l = t->l;
  const ExprNode *n = expr_node(l->x, e);
  const Node *of = n->kind == EXPR_LOAD ? graph_node(l->g, (NodeId)n->v) : NULL;
  if (of && n->n != of->shape.rank) return false;
  for (int d = 0; of && d < n->n; d++) {
    const ExprNode *i = expr_node(l->x, n->arg[d]);
    const DimLayout *lies = &of->layout->dim[d];
    const int64_t size = of->shape.dim[d];
    if (!dim_even(l->mesh, lies, size)) return false; /* a device may have fewer */
    if (i->lo < 0 || i->hi >= dim_block_most(l->mesh, lies, size)) return false;
  }
  for (int i = 0; i < n->n; i++)
    if (!has_elements(t, n->arg[i])) return false;
  return true;
}

/* A line has all of its elements: those of a pad's border, too, that its conditions leave out. */
static bool may_be_read(const LineSearch *t, Expr e) {
  return (e < t->size && t->each[e]) || has_elements(t, e);
}

static bool divides(const Exprs *x, Expr e, const char *index) {
  const ExprNode *n = expr_node(x, e);
  if ((n->kind == EXPR_DIV || n->kind == EXPR_MOD) && expr_mentions(x, e, index)) return true;
  for (int i = 0; i < n->n; i++)
    if (divides(x, n->arg[i], index)) return true;
  return false;
}

/* An element is found by a division of the index. */
static bool finds_by_division(const LineSearch *t, Expr e) {
  const ExprNode *n = expr_node(t->l->x, e);
  if (n->kind == EXPR_LOAD) return divides(t->l->x, e, t->inner->name);
  for (int i = 0; i < n->n; i++)
    if (finds_by_division(t, n->arg[i])) return true;
  return false;
}

/* The expression mentions a number that is declared among the statements. */
static bool needs_any(const Exprs *x, Expr e, const LoopStmt *s) {
  for (; s; s = s->next) {
    if (s->kind == STMT_LOCAL && expr_mentions(x, e, s->name)) return true;
    if (needs_any(x, e, s->body) || needs_any(x, e, s->other)) return true;
  }
  return false;
}

/* The outermost of the loops around that have no part in it; NULL: the next one has. */
static LoopStmt *outside_of(const LineSearch *t, Expr e) {
  const Exprs *x = t->l->x;
  LoopStmt *found = NULL;
  bool again = false;
  for (int i = t->around.n - 1; i >= t->first; i--) {
    LoopStmt *s = t->around.at[i];
    if (expr_mentions(x, e, s->name) || expr_mentions(x, t->inner->a, s->name) ||
        expr_mentions(x, t->inner->b, s->name) || needs_any(x, t->inner->a, s->body) ||
        needs_any(x, t->inner->b, s->body))
      break;
    found = s;
    again = again || expr_node(x, s->b)->hi > 1;
  }
  return again ? found : NULL;
}

/* -------- what becomes of it -------- */

static Expr line_of(LineSearch *t, Expr e) {
  Exprs *x = t->l->x;
  const ExprNode n = *expr_node(x, e);
  for (int i = 0; i < t->n; i++)
    if (t->line[i].value == e) return t->line[i].place;
  if (n.kind != EXPR_LOAD && n.kind != EXPR_OP) return NO_EXPR;
  LoopStmt *before = t->n < MOST_LINES ? outside_of(t, e) : NULL;
  if (!before || !finds_by_division(t, e) || !is_still(t, e) || !may_be_read(t, e)) return NO_EXPR;
  const int64_t most = expr_node(x, t->inner->b)->hi;
  const double room = (double)machine_cache(t->l->plan->program->machine, CACHE_L1) / 2,
               bytes = (double)most * dtype_size(n.type);
  if (t->bytes + bytes > room) return NO_EXPR;
  t->bytes += bytes;
  const Expr i = expr_symbol(x, t->inner->name, 0, most - 1);
  const Expr place = expr_local(x, n.type, arena_printf(t->l->arena, "line%d_", t->all++), i);
  t->line[t->n++] = (KeptLine){e, place, before};
  return place;
}

static Expr in_line(void *user, Expr e) { return line_of(user, e); }

/* Where a statement stands. */
static LoopStmt **place_of(LoopStmt **list, const LoopStmt *s) {
  for (; *list; list = &(*list)->next) {
    if (*list == s) return list;
    LoopStmt **in = place_of(&(*list)->body, s);
    if (!in) in = place_of(&(*list)->other, s);
    if (in) return in;
  }
  return NULL;
}

static void make_line(LineSearch *t, const KeptLine *line) {
  Loop *l = t->l;
  const ExprNode to = *expr_node(l->x, line->place);
  LoopStmt **at = place_of(&l->f.body, line->before);
  LoopStmt *set = loop_stmt(l, (LoopStmt){.kind = STMT_SET, .a = line->place, .b = line->value});
  set->c = NO_EXPR;
  LoopStmt *fill = loop_stmt(l, *t->inner);
  fill->body = set, fill->other = NULL, fill->next = line->before;
  LoopStmt *array = loop_stmt(l, (LoopStmt){.kind = STMT_LOCAL,
                                            .local = LOCAL_ARRAY,
                                            .type = to.type,
                                            .name = to.name,
                                            .count = expr_node(l->x, t->inner->b)->hi,
                                            .a = NO_EXPR,
                                            .b = NO_EXPR,
                                            .c = NO_EXPR,
                                            .next = fill});
  *at = array;
}

/* Values alone, which each turn computes: in loops within that are written out, too. */
static bool computes_alone(const LoopStmt *s) {
  for (; s; s = s->next) {
    const bool loop = s->kind == STMT_FOR && s->how == LOOP_WHOLE && !s->goes_on;
    if (loop && computes_alone(s->body)) continue;
    if (s->kind != STMT_STORE && s->kind != STMT_SET && s->kind != STMT_LOCAL) return false;
  }
  return true;
}

static void rewrite(LineSearch *t, LoopStmt *s) {
  for (; s; s = s->next) {
    Expr *value = s->kind == STMT_LOCAL ? &s->a : &s->b;
    if (s->kind != STMT_FOR && *value != NO_EXPR)
      *value = expr_rewrite(t->l->x, *value, t->now, in_line, t);
    rewrite(t, s->body);
  }
}

static void look(LineSearch *t, LoopStmt *s) {
  Exprs *x = t->l->x;
  const int64_t most = expr_node(x, s->b)->hi;
  if (s->how != LOOP_PLAIN || s->goes_on || t->around.n == t->first || !computes_alone(s->body))
    return;
  if (most < 2 || most >= INT64_MAX / 2) return;
  t->inner = s, t->n = 0;
  t->now = arena_array(t->l->plan->scratch, Expr, x->n);
  t->each = arena_array(t->l->plan->scratch, bool, t->size = x->n);
  mark_all(t, s->body);
  rewrite(t, s->body);
  for (int i = 0; i < t->n; i++) make_line(t, &t->line[i]);
}

static void look_at_all(LineSearch *t, LoopStmt *s) {
  for (; s; s = s->next) {
    const int had = t->around.n, first = t->first;
    if (s->kind == STMT_FOR) look(t, s);
    /* In front of a condition nothing is known of what is behind it. */
    if (s->kind == STMT_FOR && !s->goes_on)
      vec_push(t->l->arena, &t->around, s);
    else
      t->first = had;
    look_at_all(t, s->body);
    look_at_all(t, s->other);
    t->around.n = had, t->first = first;
  }
}

void loop_lines(Loop *l) {
  LineSearch t = {.l = l};
  if (l->f.flat || l->f.returns) return;
  const ArenaMark mark = arena_mark(l->plan->scratch);
  look_at_all(&t, l->f.body);
  arena_release(l->plan->scratch, mark);
}
