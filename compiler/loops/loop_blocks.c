/* Blocks of loops that read across. Where the innermost loop goes from line to line of what it
 * reads, and a loop around it along the lines, each line is read again for each of its elements,
 * and by then it has left the cache. In blocks of two loops it is still there:
 *
 *   for (i = 0; i < n; i += 16)
 *     for (j = 0; j < m; j += 16)
 *       for (i_ = i; i_ < i_end_; i_++)
 *         for (j_ = j; j_ < j_end_; j_++) y[i_][j_] = x[j_][i_];
 *
 * A block is a cache line of elements each way. Other loops that stood side by side within that
 * over i follow each other within its blocks. Turns of i write apart, so their order is free. The
 * two inner loops of a copy are a call of the runtime's, which transposes in registers:
 *
 *   dtrt_transpose_4(&y[i][j], n0, &x[j][i], n0, i_end_ - i, j_end_ - j); */
#include "loop_build.h"
#include <string.h>

typedef struct Nest {
  Loop *l;
  VEC(LoopStmt *) around; /* loops, outermost first */
  LoopStmt *along, *across;
  int64_t block;
  bool copies; /* elements of one type, transposed */
} Nest;

static int64_t common(int64_t a, int64_t b) { return b ? common(b, a % b) : a; }

/* The index and what does not ask for it. */
static bool steps_by_one(const Exprs *x, Expr e, const char *index) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_SYMBOL) return n->name == index;
  if (n->kind != EXPR_LINEAR) return false;
  bool steps = false;
  for (int i = 0; i < n->n; i++) {
    const ExprNode *part = expr_node(x, n->arg[i]);
    const bool is = part->kind == EXPR_SYMBOL && part->name == index;
    if (is && n->coef[i] != 1) return false;
    if (!is && expr_mentions(x, n->arg[i], index)) return false;
    steps = steps || is;
  }
  return steps;
}

/* The loop around that goes along the last dim of the element; -1: none. */
static int loop_along(const Nest *t, const ExprNode *load) {
  const ExprNode *last = expr_node(t->l->x, load->arg[load->n - 1]);
  for (int i = 0; i < t->around.n; i++) {
    const char *name = t->around.at[i]->name;
    if (last->kind == EXPR_SYMBOL && last->name == name) return i;
    for (int k = 0; last->kind == EXPR_LINEAR && k < last->n; k++) {
      const ExprNode *part = expr_node(t->l->x, last->arg[k]);
      const bool one = last->coef[k] == 1 || last->coef[k] == -1;
      if (one && part->kind == EXPR_SYMBOL && part->name == name) return i;
    }
  }
  return -1;
}

/* What the lines take of L1 that the loop `across` meets, and more where they share sets: a first
 * cache finds a line's set while the address is translated, by its place in a page. 0: it goes
 * along them. */
static double lines_of(const Nest *t, const ExprNode *load, const LoopStmt *across) {
  const Exprs *x = t->l->x;
  const Machine *m = loop_machine(t->l);
  const int64_t line = (int64_t)m->line, way = (int64_t)m->page;
  const Node *n = graph_node(t->l->g, (NodeId)load->v);
  const ExprNode *to = expr_node(x, across->b);
  if (expr_mentions(x, load->arg[load->n - 1], across->name) || to->hi >= INT64_MAX / 2) return 0;
  int64_t apart = dtype_size(n->dtype);
  for (int d = load->n - 1; d >= 0; d--) {
    if (expr_mentions(x, load->arg[d], across->name)) {
      const int64_t own = common(apart, way);
      return (double)to->hi * (double)(own > line ? own : line);
    }
    apart *= n->shape.dim[d];
  }
  return 0;
}

/* Statements of a loop that only store. */
static bool stores_alone(const LoopStmt *s) {
  for (; s; s = s->next)
    if (s->kind != STMT_STORE) return false;
  return true;
}

/* -------- transposed copies -------- */

/* The one dim but the last with a loop's index, which steps by 1; -1: it has none or others, too.
 */
static int stepped_dim(const Nest *t, const ExprNode *load, const char *index) {
  const Exprs *x = t->l->x;
  int dim = -1;
  for (int d = 0; d + 1 < load->n; d++) {
    if (!expr_mentions(x, load->arg[d], index)) continue;
    if (dim >= 0 || !steps_by_one(x, load->arg[d], index)) return -1;
    dim = d;
  }
  return dim;
}

/* The last dim goes by the one index alone, and another by the other alone. */
static int row_dim(const Nest *t, const ExprNode *load, const char *last, const char *row) {
  const Expr in_row = load->arg[load->n - 1];
  if (!steps_by_one(t->l->x, in_row, last) || expr_mentions(t->l->x, in_row, row)) return -1;
  for (int d = 0; d + 1 < load->n; d++)
    if (expr_mentions(t->l->x, load->arg[d], last)) return -1;
  return stepped_dim(t, load, row);
}

/* Squares of as many lines as a vector of 16 bytes has elements are what dtrt_transpose_4 and its
 * like do at once: with fewer there is none. */
static bool is_transposed_copy(const Nest *t, const LoopStmt *along, const LoopStmt *across) {
  enum { VECTOR = 16 };
  const Exprs *x = t->l->x;
  const LoopStmt *s = across->body;
  if (s->next) return false;
  const ExprNode *to = expr_node(x, s->a), *from = expr_node(x, s->b);
  if (to->kind != EXPR_LOAD || from->kind != EXPR_LOAD || to->type != from->type || to->n < 2 ||
      from->n < 2 || dtype_is_complex(to->type))
    return false;
  const int64_t square = VECTOR / dtype_size(to->type);
  return expr_node(x, along->b)->hi >= square && expr_node(x, across->b)->hi >= square &&
         row_dim(t, to, across->name, along->name) >= 0 &&
         row_dim(t, from, along->name, across->name) >= 0;
}

/* Elements from one index of the dim to the next. */
static Expr apart(Loop *l, const ExprNode *load, int dim) {
  const Node *n = graph_node(l->g, (NodeId)load->v);
  return loop_param(l, PARAM_EXTENT, site_product(l, n, dim + 1, n->shape.rank, site_room));
}

/* The block that begins at the two loops' indices. */
static LoopStmt *transposed(Nest *t) {
  Loop *l = t->l;
  Exprs *x = l->x;
  const LoopStmt *s = t->across->body, *of[] = {t->along, t->across};
  const ExprNode *to = expr_node(x, s->a), *from = expr_node(x, s->b);
  Expr arg[6] = {expr_address(x, s->a),
                 apart(l, to, row_dim(t, to, t->across->name, t->along->name)),
                 expr_address_read(x, s->b),
                 apart(l, from, row_dim(t, from, t->along->name, t->across->name))};
  for (int i = 0; i < 2; i++) {
    const int64_t most = expr_node(x, of[i]->b)->hi;
    const char *end = arena_printf(l->arena, "%s_end_", of[i]->name);
    arg[4 + i] =
        expr_sub(x, expr_symbol(x, end, 0, most), expr_symbol(x, of[i]->name, 0, most - 1));
  }
  const char *name = arena_printf(l->arena, "dtrt_transpose_%d", (int)dtype_size(to->type));
  return loop_stmt(l, (LoopStmt){.kind = STMT_CALL, .a = loop_call(l, name, DT_I64, 6, arg)});
}

static void look(Nest *t, const LoopStmt *inner, Expr e, bool *met) {
  Exprs *x = t->l->x;
  const ExprNode *n = expr_node(x, e);
  if (met[e] || t->across) return;
  met[e] = true;
  if (n->kind == EXPR_LOAD && n->n > 1) {
    const int i = loop_along(t, n);
    const Machine *m = loop_machine(t->l);
    const double most = (double)machine_cache(m, CACHE_L1) / 2;
    const DType type = graph_node(t->l->g, (NodeId)n->v)->dtype;
    const int64_t block = machine_line(m, (int64_t)dtype_size(type));
    t->copies = i >= 0 && is_transposed_copy(t, t->around.at[i], inner);
    if (i >= 0 && block > 1 && (t->copies || lines_of(t, n, inner) > most)) {
      t->along = t->around.at[i], t->block = block;
      t->across = (LoopStmt *)inner;
    }
  }
  for (int i = 0; i < n->n; i++) look(t, inner, n->arg[i], met);
}

/* Loops and stores alone: what a local declares would not be there for the next of them. */
static bool may_part(const LoopStmt *s) {
  for (; s; s = s->next)
    if (s->kind != STMT_FOR && s->kind != STMT_STORE) return false;
  return true;
}

/* Between the two there are loops alone, whose bounds do not ask for the outer one's index, and
 * beside these no more than stores. */
static bool is_clear(const Nest *t) {
  const Exprs *x = t->l->x;
  int i = 0;
  while (t->around.at[i] != t->along) i++;
  if (!may_part(t->along->body)) return false;
  for (i++; i <= t->around.n; i++) {
    const LoopStmt *s = i < t->around.n ? t->around.at[i] : t->across;
    if (s->kind != STMT_FOR || s->goes_on || !may_part(s->body)) return false;
    if (expr_mentions(x, s->a, t->along->name) || expr_mentions(x, s->b, t->along->name))
      return false;
  }
  int64_t by;
  const bool ones = expr_is_int(x, t->across->c, &by) && by == 1;
  return ones && expr_is_int(x, t->along->c, &by) && by == 1;
}

/* The first pair of loops below s. */
static bool find(Nest *t, LoopStmt *s) {
  for (; s; s = s->next) {
    const bool loops = s->kind == STMT_FOR && s->body;
    if (loops && s->how == LOOP_PLAIN && stores_alone(s->body)) {
      bool *met = arena_array(t->l->plan->scratch, bool, t->l->x->n);
      for (const LoopStmt *b = s->body; b; b = b->next) look(t, s, b->b, met);
      if (t->across && is_clear(t)) return true;
      t->across = NULL;
    }
    vec_push(t->l->arena, &t->around, s);
    if (find(t, s->body) || find(t, s->other)) return true;
    t->around.n--;
  }
  return false;
}

/* -------- what becomes of them -------- */

static bool holds(const LoopStmt *s, const LoopStmt *inner) {
  bool found = s == inner;
  for (const LoopStmt *b = s->body; b && !found; b = b->next) found = holds(b, inner);
  return found;
}

typedef struct Index {
  Loop *l;
  const char *block, *own;
} Index;

/* Parts of a dim have indices of one name and other ranges. */
static Expr in_block(void *user, Expr e) {
  const Index *i = user;
  const ExprNode n = *expr_node(i->l->x, e);
  const bool is = n.kind == EXPR_SYMBOL && n.name == i->block;
  return is ? expr_symbol(i->l->x, i->own, n.lo, n.hi) : NO_EXPR;
}

static Expr renamed(const Index *i, Expr e, Expr *now) {
  return e == NO_EXPR ? e : expr_rewrite(i->l->x, e, now, in_block, (void *)i);
}

/* In all statements from s on, the block's index is the one within it. */
static void rename_all(const Index *i, LoopStmt *s, Expr *now) {
  for (; s; s = s->next) {
    s->a = renamed(i, s->a, now), s->b = renamed(i, s->b, now), s->c = renamed(i, s->c, now);
    rename_all(i, s->body, now);
    rename_all(i, s->other, now);
  }
}

/* The loop over the block that begins at `of`'s index, around `body`. */
static LoopStmt *within(Nest *t, const LoopStmt *of, LoopStmt *body, LoopHow how) {
  Loop *l = t->l;
  Exprs *x = l->x;
  const ExprNode *last = expr_node(x, of->b);
  const Expr begin = expr_symbol(x, of->name, 0, last->hi - 1);
  const char *own = arena_printf(l->arena, "%s_", of->name),
             *end = arena_printf(l->arena, "%s_end_", of->name);
  const Index i = {l, of->name, own};
  rename_all(&i, body, arena_array(l->arena, Expr, x->n));
  return loop_stmt(l, (LoopStmt){.kind = STMT_FOR,
                                 .how = how,
                                 .name = expr_node(x, expr_symbol(x, own, 0, last->hi - 1))->name,
                                 .a = begin,
                                 .b = expr_symbol(x, end, 0, last->hi),
                                 .c = loop_int(l, 1),
                                 .body = body});
}

/* Where the block ends, which begins at the loop's index. */
static LoopStmt *end_of(Nest *t, const LoopStmt *of) {
  Loop *l = t->l;
  Exprs *x = l->x;
  const ExprNode *last = expr_node(x, of->b);
  const Expr end = loop_in_parts(&l->f, of) ? expr_symbol(x, "part_to", 0, last->hi) : of->b;
  const Expr begin = expr_symbol(x, of->name, 0, last->hi - 1);
  const Expr size = loop_int(l, t->block), next = expr_add(x, begin, size);
  const Expr last_one = expr_compare(x, EXPR_LESS, expr_sub(x, end, begin), size);
  const char *name = arena_printf(l->arena, "%s_end_", of->name);
  return loop_stmt(l, (LoopStmt){.kind = STMT_LOCAL,
                                 .local = LOCAL_CONST,
                                 .type = DT_I64,
                                 .name = expr_node(x, expr_symbol(x, name, 0, last->hi))->name,
                                 .a = loop_choose(l, last_one, end, next)});
}

/* `body`, which stands within the block of `along`: loops over that stand as far inside as they
 * can. */
static LoopStmt *within_block(Nest *t, LoopStmt *body) {
  Loop *l = t->l;
  LoopStmt *all = NULL, **to = &all;
  while (body) {
    LoopStmt *s = body, **last = &body;
    if (holds(s, t->across)) {
      body = s->next;
      s->next = NULL;
      if (s == t->across) {
        s->how = LOOP_OUTER, s->c = loop_int(l, t->block);
        LoopStmt *inner = t->copies ? transposed(t) : within(t, s, s->body, LOOP_PLAIN);
        s->body = end_of(t, s);
        s->body->next = t->copies ? inner : within(t, t->along, inner, LOOP_OUTER);
      } else {
        s->body = within_block(t, s->body);
      }
      *to = s;
    } else {
      while (*last && !holds(*last, t->across)) last = &(*last)->next;
      body = *last;
      *last = NULL;
      *to = within(t, t->along, s, LOOP_OUTER);
    }
    to = &(*to)->next;
  }
  return all;
}

void loop_blocks(Loop *l) {
  const LoopFunction *f = &l->f;
  Nest t = {.l = l};
  if (l->tile || f->flat || f->returns || f->partial != NO_NODE) return;
  const ArenaMark mark = arena_mark(l->plan->scratch);
  const bool found = find(&t, f->body);
  arena_release(l->plan->scratch, mark);
  if (!found || !loop_turns_apart(l, t.along->name)) return;
  t.along->how = LOOP_OUTER, t.along->c = loop_int(l, t.block);
  LoopStmt *end = end_of(&t, t.along);
  end->next = within_block(&t, t.along->body);
  t.along->body = end;
}
