/* Stores past the caches, of values for which that pays (bypass.c): a line of them is computed at a
 * time, and goes to memory as a whole; what is in front of the first line and behind the last is
 * stored as usual.
 *
 *   line0 = dtrt_next_line(&y[i][0], 4, 0, n);
 *   for head0 to line0 { y[i][head0] = ... }
 *   for (; line0 + 16 <= n; line0 += 16) {
 *     for lane in 16 { line[lane] = ... }
 *     dtrt_bypass(&y[i][line0], line);
 *   }
 *   for rest0 from line0 to n { y[i][rest0] = ... }
 *
 * Rows that are whole lines have the loop in the middle alone. Other cores and devices may read
 * what is written so only behind dtrt_bypass_end. */
#include <string.h>
#include "loop_build.h"

enum { LINE_BYTES = 64 }; /* that dtrt_bypass writes: a line, or whole ones, of any CPU */

typedef struct Bypassed {
  Loop *l;
  const char *index; /* of the loop that is taken apart */
  const char *at;    /* the local that counts lines */
  const char *one;   /* the index in front of them or behind them; NULL: in the loop over lines */
  int64_t line;      /* elements */
  int done;
} Bypassed;

static bool passes_by(const Loop *l, const LoopStmt *store) {
  const ExprNode *to = expr_node(l->x, store->a);
  if (to->kind != EXPR_LOAD || !to->n || !l->le->bypass[node_base(l->g, (NodeId)to->v)])
    return false;
  const DType t = graph_node(l->g, (NodeId)to->v)->dtype;
  return dtype_computed(t) == t && (dtype_size(t) == 4 || dtype_size(t) == 8);
}

/* It writes elements that lie side by side, as the loop goes. */
static bool along(const Loop *l, const LoopStmt *store, const char *index) {
  const ExprNode *to = expr_node(l->x, store->a), *last = expr_node(l->x, to->arg[to->n - 1]);
  for (int d = 0; d < to->n - 1; d++)
    if (expr_mentions(l->x, to->arg[d], index)) return false;
  return last->kind == EXPR_SYMBOL && last->name == index;
}

/* The elements of a line of what the loop writes so; 0: it is another loop. */
static int64_t line_of(const Loop *l, const LoopStmt *s) {
  int64_t by, line = 0;
  if (s->kind != STMT_FOR || s->how != LOOP_PLAIN || s->goes_on || s->within ||
      !expr_is_int(l->x, s->c, &by) || by != 1)
    return 0;
  for (const LoopStmt *b = s->body; b; b = b->next) {
    if (b->kind != STMT_STORE) return 0;
    if (!passes_by(l, b)) continue;
    const ExprNode *to = expr_node(l->x, b->a), *last = expr_node(l->x, to->arg[to->n - 1]);
    if (!along(l, b, s->name)) return 0;
    const int64_t own = LINE_BYTES / dtype_size(graph_node(l->g, (NodeId)to->v)->dtype);
    if ((line && own != line) || last->hi - last->lo + 1 < own) return 0;
    line = own;
  }
  return line;
}

static Expr in_line(void *user, Expr e) {
  const Bypassed *x = user;
  Exprs *exprs = x->l->x;
  const ExprNode n = *expr_node(exprs, e);
  if (n.kind != EXPR_SYMBOL || n.name != x->index) return NO_EXPR;
  if (x->one) return expr_symbol(exprs, x->one, n.lo, n.hi);
  return expr_add(exprs, expr_symbol(exprs, x->at, n.lo, n.hi - x->line + 1),
                  expr_symbol(exprs, "lane", 0, x->line - 1));
}

static Expr rewritten(const Bypassed *x, Expr e, Expr *now) {
  return expr_rewrite(x->l->x, e, now, in_line, (void *)x);
}

static LoopStmt *add(const Bypassed *x, LoopStmt ***to, LoopStmt s) {
  LoopStmt *made = loop_stmt(x->l, s);
  **to = made;
  *to = &made->next;
  return made;
}

/* What the loop over lines is made of: arrays, what a loop over their lanes sets and stores, and
 * the lines' stores. */
typedef struct Body {
  LoopStmt *arrays, *sets, *stores, *calls, **array, **set, **store, **call;
  int lines;
} Body;

static void add_line(Bypassed *x, Body *b, Expr place, Expr v, Expr lane) {
  Loop *l = x->l;
  const ExprNode n = *expr_node(l->x, place);
  const DType t = graph_node(l->g, (NodeId)n.v)->dtype;
  const char *text = b->lines ? arena_printf(l->arena, "line_%d", b->lines + 1) : "line";
  const char *name = name_of(l->x->names, text, strlen(text));
  b->lines++;
  add(x, &b->array,
      (LoopStmt){.kind = STMT_LOCAL,
                 .local = LOCAL_ARRAY,
                 .type = t,
                 .name = name,
                 .count = x->line,
                 .a = NO_EXPR});
  add(x, &b->set, (LoopStmt){.kind = STMT_SET, .a = expr_local(l->x, t, name, lane), .b = v});
  Expr index[MAX_RANK];
  for (int d = 0; d < n.n; d++) index[d] = d < n.n - 1 ? n.arg[d] : expr_sub(l->x, n.arg[d], lane);
  const Expr first = expr_element(l->x, EXPR_LOAD, n.type, (NodeId)n.v, n.n, index);
  const Expr arg[] = {expr_address(l->x, first), expr_local(l->x, t, name, NO_EXPR)};
  add(x, &b->call, (LoopStmt){.kind = STMT_CALL, .a = loop_call(l, "dtrt_bypass", DT_I64, 2, arg)});
}

static LoopStmt *whole_line(Bypassed *x, const LoopStmt *body, Expr *now) {
  Loop *l = x->l;
  Body b = {0};
  b.array = &b.arrays, b.set = &b.sets, b.store = &b.stores, b.call = &b.calls;
  const Expr lane = expr_symbol(l->x, "lane", 0, x->line - 1);
  x->one = NULL;
  for (const LoopStmt *s = body; s; s = s->next) {
    const Expr place = rewritten(x, s->a, now), v = rewritten(x, s->b, now);
    if (passes_by(l, s))
      add_line(x, &b, place, v, lane);
    else
      add(x, &b.store, (LoopStmt){.kind = STMT_STORE, .a = place, .b = v});
  }
  *b.set = b.stores;
  add(x, &b.array,
      (LoopStmt){.kind = STMT_FOR,
                 .how = LOOP_PLAIN,
                 .name = expr_node(l->x, lane)->name,
                 .a = loop_int(l, 0),
                 .b = loop_int(l, x->line),
                 .c = loop_int(l, 1),
                 .body = b.sets});
  *b.array = b.calls;
  return b.arrays;
}

/* The loop as it was, over elements that are no whole line. */
static void one_by_one(Bypassed *x, LoopStmt ***to, const LoopStmt *body, const char *name,
                       Expr from, Expr end) {
  Loop *l = x->l;
  LoopStmt *all = NULL, **next = &all;
  const Expr index = expr_symbol(l->x, arena_printf(l->arena, "%s%d", name, x->done), 0, 0);
  x->one = expr_node(l->x, index)->name;
  Expr *now = arena_array(l->plan->scratch, Expr, l->x->n);
  for (const LoopStmt *b = body; b; b = b->next)
    add(x, &next,
        (LoopStmt){.kind = STMT_STORE, .a = rewritten(x, b->a, now), .b = rewritten(x, b->b, now)});
  add(x, to,
      (LoopStmt){.kind = STMT_FOR,
                 .how = LOOP_FEW,
                 .name = x->one,
                 .a = from,
                 .b = end,
                 .c = loop_int(l, 1),
                 .body = all});
}

/* The first that the loop writes a line of. */
static const LoopStmt *first_of(const Loop *l, const LoopStmt *s) {
  const LoopStmt *b = s->body;
  while (!passes_by(l, b)) b = b->next;
  return b;
}

/* The host's memory need not begin with a line. */
static bool is_hosts(const Loop *l, NodeId id) {
  const LocalEntry *le = l->le;
  const int buffer = le->buffers.n ? le->buffer[node_base(l->g, id)] : -1; /* not known yet */
  return buffer >= 0 && le->buffers.at[buffer].output;
}

/* A row takes as much as memory brings while it is waited for. */
static bool has_time(const Loop *l, const LoopStmt *s, int64_t line) {
  const Machine *m = loop_machine(l);
  const double bytes = (double)expr_node(l->x, s->b)->hi * LINE_BYTES / (double)line;
  return bytes >= m->memory_latency * m->memory_bandwidth;
}

/* All rows begin and end with lines, wherever the buffer begins with one. Short ones of the host's
 * are stored as usual if they do not (dtrt_bypass); of long ones the ends alone are. */
static bool rows_are_lines(const Loop *l, const LoopStmt *s, int64_t line) {
  const ExprNode *to = expr_node(l->x, first_of(l, s)->a);
  const Node *n = graph_node(l->g, (NodeId)to->v);
  const int last = n->shape.rank - 1;
  if (l->f.flat || to->n != n->shape.rank || n->layout->dim[last].naxes) return false;
  if (is_hosts(l, (NodeId)to->v) && has_time(l, s, line)) return false;
  return is_int(l, s->a, 0) && !site_is_part(l, n) && n->shape.dim[last] % line == 0 &&
         expr_node(l->x, s->b)->hi == n->shape.dim[last] && !loop_in_parts(&l->f, s);
}

/* A row whose ends share lines with others waits for memory once more: those lines are read there,
 * and no longer fetched ahead with what lies before. It has to be longer than what memory brings in
 * the meantime. */
static bool row_is_long(const Loop *l, const LoopStmt *s, int64_t line) {
  const Node *n = graph_node(l->g, (NodeId)expr_node(l->x, first_of(l, s)->a)->v);
  const int last = n->shape.rank - 1;
  const bool lines = last >= 0 && !is_hosts(l, expr_node(l->x, first_of(l, s)->a)->v) &&
                     dim_even(l->mesh, &n->layout->dim[last], n->shape.dim[last]) &&
                     most_of(l, n, last) % line == 0;
  return lines || has_time(l, s, line);
}

/* Where the first line begins that is written as a whole. */
static Expr first_line(Bypassed *x, const LoopStmt *s, Expr from, Expr end) {
  Loop *l = x->l;
  const LoopStmt *store = first_of(l, s);
  const ExprNode n = *expr_node(l->x, store->a);
  Expr index[MAX_RANK];
  for (int d = 0; d < n.n; d++) index[d] = d < n.n - 1 ? n.arg[d] : from;
  const Expr at = expr_element(l->x, EXPR_LOAD, n.type, (NodeId)n.v, n.n, index);
  const Expr arg[] = {expr_address(l->x, at), loop_int(l, LINE_BYTES / x->line), from, end};
  return loop_call(l, "dtrt_next_line", DT_I64, 4, arg);
}

/* In the place of the loop. Where it ends is to be *last. */
static LoopStmt *in_lines(Bypassed *x, LoopStmt *s, LoopStmt **last) {
  Loop *l = x->l;
  const bool part = loop_in_parts(&l->f, s), whole = rows_are_lines(l, s, x->line);
  const int64_t hi = expr_node(l->x, s->b)->hi;
  const Expr from = part ? expr_symbol(l->x, LOOP_PART_FROM, 0, hi) : s->a,
             end = part ? expr_symbol(l->x, "part_to", 0, hi) : s->b;
  const Expr at = expr_symbol(l->x, arena_printf(l->arena, "line%d", x->done), 0, hi);
  x->index = s->name, x->at = expr_node(l->x, at)->name;
  const ArenaMark mark = arena_mark(l->plan->scratch);
  LoopStmt *all = NULL, **to = &all;
  add(x, &to,
      (LoopStmt){.kind = STMT_LOCAL,
                 .local = LOCAL_VALUE,
                 .type = DT_I64,
                 .name = x->at,
                 .a = whole ? from : first_line(x, s, from, end)});
  if (!whole) one_by_one(x, &to, s->body, "head", from, at);
  *last = add(x, &to,
              (LoopStmt){.kind = STMT_FOR,
                         .how = LOOP_OUTER,
                         .goes_on = true,
                         .name = x->at,
                         .a = at,
                         .b = end,
                         .c = loop_int(l, x->line)});
  (*last)->body = whole_line(x, s->body, arena_array(l->plan->scratch, Expr, l->x->n));
  if (!whole) one_by_one(x, &to, s->body, "rest", at, end), *last = (*last)->next;
  (*last)->next = s->next;
  x->done++;
  arena_release(l->plan->scratch, mark);
  return all;
}

static void take(Bypassed *x, LoopStmt **s) {
  for (LoopStmt *last; *s; s = &last->next) {
    last = *s;
    x->line = line_of(x->l, *s);
    if (x->line && (rows_are_lines(x->l, *s, x->line) || row_is_long(x->l, *s, x->line))) {
      *s = in_lines(x, *s, &last);
    } else {
      take(x, &(*s)->body);
      take(x, &(*s)->other);
    }
  }
}

void loop_bypass(Loop *l) {
  Bypassed x = {.l = l};
  if (!l->le->bypass || l->f.returns || loop_runs_once(l)) return;
  take(&x, &l->f.body);
  if (!x.done) return;
  LoopStmt **end = &l->f.body;
  while (*end) end = &(*end)->next;
  *end = loop_stmt(l, (LoopStmt){.kind = STMT_CALL,
                                 .a = loop_call(l, "dtrt_bypass_end", DT_I64, 0, NULL),
                                 .b = NO_EXPR,
                                 .c = NO_EXPR});
}
