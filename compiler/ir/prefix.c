/* Prefixes: tensors that are 0 from an index on that is known while running, as a cache is where
 * nothing is written yet:
 *
 *   where(iota([n, width], axis=0) < filled, rows, 0)
 *
 * A product need not read what is 0 (part.c). What the condition is at an index, the ops say
 * themselves (OpDef.lower). */
#include "expr.h"
#include "plan.h"

enum { MOST_INDEX = 1 << 29 }; /* no sum of two overflows 32 bits */

typedef struct Sides {
  Lower lower;
  Exprs *x;
  const bool *stored;
  Expr index[MAX_RANK];
} Sides;

static Expr value_of(Lower *l, NodeId id, const At *at) {
  return lower_element(l, EXPR_VALUE, id, at);
}
static Expr extent_of(Lower *l, const Node *n, int d) { return expr_int(l->x, n->shape.dim[d]); }
static Expr offset_of(Lower *l, const Node *n, int d) {
  (void)n, (void)d;
  return expr_int(l->x, 0); /* of the dims that count, which no device has cut */
}
static Expr key_of(Lower *l, const Node *n) { return expr_int(l->x, node_attr(n, "key")); }

static bool is_integer(DType t) { return !dtype_is_float(t) && t != DT_BOOL; }

/* The node that an expression is the value of, if it is one integer; NO_NODE. */
static NodeId integer_of(const Sides *s, Expr e) {
  const ExprNode *v = expr_node(s->x, e);
  if (v->kind != EXPR_VALUE) return NO_NODE;
  const Node *n = graph_node(s->lower.g, (NodeId)v->v);
  const bool integer = is_integer(n->dtype) && n->dtype != DT_U64; /* as dtrt_filled_... has */
  return shape_count(&n->shape) == 1 && integer && !node_is_const(n) ? (NodeId)v->v : NO_NODE;
}

/* What an element is computed as, as far as ops say, up to what is stored, or one integer. */
static Expr computed_as(Sides *s, Expr e) {
  for (;;) {
    const ExprNode v = *expr_node(s->x, e);
    if (v.kind != EXPR_VALUE || integer_of(s, e) != NO_NODE) return e;
    const NodeId id = (NodeId)v.v;
    const Node *n = graph_node(s->lower.g, id);
    if (s->stored && s->stored[node_base(s->lower.g, id)] && !node_is_const(n)) return e;
    if (!n->op->lower && !op_is(n, OPF_ELEMENTWISE)) return e;
    At at = {.flat = NO_EXPR};
    for (int d = 0; d < v.n; d++) at.dim[d] = v.arg[d];
    e = lower_node(&s->lower, id, &at);
  }
}

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
    while (d < rank && s->index[d] != index) d++;
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

static bool find_prefix(Sides *s, const Node *n, Prefix *out) {
  At at = {.flat = NO_EXPR};
  for (int d = 0; d < n->shape.rank; d++) {
    const char *name = arena_printf(s->lower.g->arena, "i%d", d);
    const int64_t last = n->shape.dim[d] - 1;
    at.dim[d] = s->index[d] = last > 0 ? expr_symbol(s->x, name, 0, last) : expr_int(s->x, 0);
  }
  const ExprNode c =
      *expr_node(s->x, computed_as(s, lower_element(&s->lower, EXPR_VALUE, n->operand[0], &at)));
  if (c.kind != EXPR_OP || !c.op->compares || c.n != 2) return false;
  for (int k = 0; k < 2; k++) {
    const int below = k ? ORDER_GREATER : ORDER_LESS; /* the index, argument k, than the integer */
    int64_t number = 0;
    int dim = -1;
    const Expr other = computed_as(s, c.arg[!k]);
    const NodeId integer = integer_of(s, other);
    if (integer == NO_NODE || (c.op->compares & ~ORDER_EQUAL) != below) continue;
    if (!add_index(s, c.arg[k], 1, n->shape.rank, &dim, &number) || dim < 0) continue;
    *out = (Prefix){dim, integer, (c.op->compares & ORDER_EQUAL ? 1 : 0) - number};
    return true;
  }
  return false;
}

bool node_prefix(const Graph *g, const bool *stored, NodeId id, Prefix *out) {
  const Node *n = graph_node(g, id);
  const ArenaMark mark = arena_mark(g->arena);
  Sides s = {.x = exprs_new(g->arena), .stored = stored};
  s.lower = (Lower){.x = s.x,
                    .g = g,
                    .value = value_of,
                    .load = value_of,
                    .extent = extent_of,
                    .offset = offset_of,
                    .key = key_of};
  const bool found = find_prefix(&s, n, out);
  arena_release(g->arena, mark);
  return found;
}
