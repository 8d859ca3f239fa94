/* Prefixes: tensors that are 0 from an index on that is known while running, as a cache is where
 * nothing is written yet:
 *
 *   where(iota([n, width], axis=0) < filled, rows, 0)
 *
 * or, where each row of another dim has its own,
 *
 *   where(iota([n, width], axis=0) < expand(filled, [1, 2]), rows, 0)
 *
 * A product need not read what is 0 (part.c). What the condition is at an index, the ops say
 * themselves (OpDef.lower). */
#include "expr.h"
#include "plan.h"

enum { MOST_INDEX = 1 << 29 }; /* no sum of two overflows 32 bits */

typedef struct Sides {
  Lower lower; /* user: `stored` of node_prefix */
  Exprs *x;
  At index;
} Sides;

static bool is_integer(DType t) { return !dtype_is_float(t) && t != DT_BOOL; }

static bool is_counted(const Node *n) { /* as dtrt_filled_... has it */
  return is_integer(n->dtype) && n->dtype != DT_U64 && !node_is_const(n);
}

static bool is_one_integer(const Lower *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  return shape_count(&n->shape) == 1 && is_counted(n);
}

/* The dim in which a list of integers has them; NO_DIM: it is none. */
static int list_dim(const Lower *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  int dim = NO_DIM;
  if (!is_counted(n)) return NO_DIM;
  for (int d = 0; d < n->shape.rank; d++) {
    if (n->shape.dim[d] == 1) continue;
    if (dim != NO_DIM || !n->shape.dim[d]) return NO_DIM;
    dim = d;
  }
  return dim;
}

/* The node that an expression is the value of, if it is one integer, or one for each row of dim
 * *row of n; NO_NODE. */
static NodeId integer_of(const Sides *s, Expr e, const Node *n, int *row) {
  const ExprNode *v = expr_node(s->x, e);
  *row = NO_DIM;
  if (v->kind != EXPR_VALUE) return NO_NODE;
  const NodeId id = (NodeId)v->v;
  if (is_one_integer(&s->lower, id)) return id;
  const int dim = list_dim(&s->lower, id);
  const Node *list = graph_node(s->lower.g, id);
  for (int d = 0; dim != NO_DIM && d < n->shape.rank; d++)
    if (v->arg[dim] == s->index.dim[d] && list->shape.dim[dim] == n->shape.dim[d] &&
        dim_equal(&list->layout->dim[dim], &n->layout->dim[d]))
      return *row = d, id;
  return NO_NODE;
}

/* What is stored is not computed again, nor is one integer. */
static bool stops(const Lower *l, NodeId id) {
  const bool *stored = l->user;
  return is_one_integer(l, id) ||
         (stored && stored[node_base(l->g, id)] && !node_is_const(graph_node(l->g, id)));
}

static bool stops_at_lists(const Lower *l, NodeId id) {
  return stops(l, id) || list_dim(l, id) != NO_DIM;
}

static Expr computed_as(Sides *s, Expr e) { return lower_out(&s->lower, e, stops); }

static bool is_small(int64_t v) { return v > -MOST_INDEX && v < MOST_INDEX; }

/* Adds e `by` times (1 or -1): an index once, whose dim is *dim then, and numbers, of integers that
 * do not overflow. */
static bool add_index(Sides *s, Expr e, int64_t by, int rank, int *dim, int64_t *number) {
  const ExprNode n = *expr_node(s->x, e = computed_as(s, e));
  if (n.kind == EXPR_NUMBER && is_integer(n.type) && is_small(n.v))
    return is_small(*number += by * n.v);
  if (n.kind == EXPR_COUNT && (n.type == DT_I32 || n.type == DT_I64)) {
    const ExprNode at = *expr_node(s->x, n.arg[0]);
    const bool moved = at.kind == EXPR_LINEAR && at.n == 1 && at.coef[0] == 1;
    const Expr index = moved ? at.arg[0] : n.arg[0];
    int d = 0;
    while (d < rank && s->index.dim[d] != index) d++;
    if (d == rank || *dim >= 0 || by != 1) return false;
    *dim = d;
    return is_small(*number += moved ? at.v : 0);
  }
  if (n.kind != EXPR_OP) return false;
  for (int k = 0; k < n.n; k++) /* a sum or a difference */
    if ((n.op->index[k] != 1 && n.op->index[k] != -1) ||
        !add_index(s, n.arg[k], by * n.op->index[k], rank, dim, number))
      return false;
  return n.n > 0;
}

/* Of comparison c, whose integer is one for all, or else (`lists`) one for each row. */
static bool find_end(Sides *s, const Node *n, const ExprNode *c, bool lists, Prefix *out) {
  for (int k = 0; k < 2; k++) {
    const int below = k ? ORDER_GREATER : ORDER_LESS; /* the index, argument k, than the integer */
    int64_t number = 0;
    int dim = -1, row;
    const Expr other = lower_out(&s->lower, c->arg[!k], lists ? stops_at_lists : stops);
    const NodeId integer = integer_of(s, other, n, &row);
    if (integer == NO_NODE || (c->op->compares & ~ORDER_EQUAL) != below) continue;
    if (!add_index(s, c->arg[k], 1, n->shape.rank, &dim, &number) || dim < 0 || dim == row)
      continue;
    *out = (Prefix){dim, row, integer, (c->op->compares & ORDER_EQUAL ? 1 : 0) - number};
    return true;
  }
  return false;
}

static bool find_prefix(Sides *s, const Node *n, Prefix *out) {
  s->index = lower_whole_index(&s->lower, n);
  const ExprNode c = *expr_node(
      s->x, computed_as(s, lower_element(&s->lower, EXPR_VALUE, n->operand[0], &s->index)));
  if (c.kind != EXPR_OP || !c.op->compares || c.n != 2) return false;
  return find_end(s, n, &c, false, out) || find_end(s, n, &c, true, out);
}

bool node_prefix(const Graph *g, const bool *stored, NodeId id, Prefix *out) {
  const Node *n = graph_node(g, id);
  const ArenaMark mark = arena_mark(g->arena);
  Sides s = {.x = exprs_new(g->arena)};
  s.lower = lower_whole(s.x, g);
  s.lower.user = (void *)(uintptr_t)stored;
  const bool found = find_prefix(&s, n, out);
  arena_release(g->arena, mark);
  return found;
}
