/* Takes factors out of sums along whose dims they are the same.
 *
 *   sum(-(a * broadcast k) * b)  ->  -sum(a * b) * k
 *
 * The backward pass of a norm has four such sums, with other factors each, but of two products: of
 * dy, and of dy times the centred input. So two sums are left, and what only a sum read is not
 * made. */
#include "opdefs.h"
#include <string.h>

enum { MOST = 8 /* factors of either kind, and products within products */ };

typedef struct Factors {
  int level, rest;
  NodeId at_level[MOST], at_rest[MOST]; /* broadcasts along all summed dims, and others */
  bool negated;
} Factors;

static bool is_level(const Graph *g, const Node *n, int64_t dims) {
  if (n->op != &op_broadcast || n->spec) return false;
  for (int d = 0; d < graph_operand(g, n, 0)->shape.rank; d++)
    if (dims >> node_attrs(n, "dims")[d] & 1) return false;
  return true;
}

/* A function's value may be kept in its product with a factor alone: it is not computed again. */
static bool is_dear(const Node *n) {
  enum { FEW = 4 };
  return n->op->flags & OPF_ELEMENTWISE && n->op->flops > FEW;
}

/* False: they are too many, or better left together. */
static bool factors_of(const Graph *g, NodeId id, int64_t dims, int deep, Factors *f) {
  const Node *n = graph_node(g, id);
  if (is_level(g, n, dims)) {
    if (f->level == MOST) return false;
    f->at_level[f->level++] = id;
    return true;
  }
  if (deep && !n->spec && n->op == &op_neg) {
    f->negated = !f->negated;
    return factors_of(g, n->operand[0], dims, deep - 1, f);
  }
  if (deep && !n->spec && n->op == &op_mul)
    return factors_of(g, n->operand[0], dims, deep - 1, f) &&
           factors_of(g, n->operand[1], dims, deep - 1, f);
  if (f->rest == MOST || is_dear(n)) return false;
  f->at_rest[f->rest++] = id;
  return true;
}

/* The same factors in one order, so that equal products are one. */
static void sort(NodeId *at, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && at[k - 1] > at[k]; k--) {
      const NodeId x = at[k];
      at[k] = at[k - 1], at[k - 1] = x;
    }
}

static NodeId make(NewGraph *w, const Node *like, Op op, const Shape *s, int noperands, NodeId a,
                   NodeId b) {
  NodeId x[2] = {a, b};
  const Node n = {.op = op,
                  .dtype = like->dtype,
                  .shape = *s,
                  .span = like->span,
                  .site = like->site,
                  .noperands = noperands,
                  .operand = x};
  return w->intern(w->user, &n);
}

/* What a factor that is level becomes beside a sum of shape s. */
static NodeId beside(NewGraph *w, const Node *sum, NodeId id, int64_t dims) {
  const Node n = *graph_node(w->graph, id);
  const Node *x = graph_operand(w->graph, &n, 0);
  const Shape *s = &sum->shape;
  if (shape_equal(&x->shape, s)) return n.operand[0];
  int64_t attr[2 * MAX_RANK];
  const int rank = x->shape.rank;
  for (int d = 0; d < rank; d++) {
    const int64_t to = node_attrs(&n, "dims")[d];
    attr[d] = to - __builtin_popcountll((uint64_t)dims & ((1ull << to) - 1));
  }
  memcpy(attr + rank, s->dim, sizeof *attr * (size_t)s->rank);
  Node one = {.op = &op_broadcast,
              .dtype = n.dtype,
              .shape = *s,
              .span = sum->span,
              .site = sum->site,
              .noperands = 1,
              .operand = n.operand,
              .nattr = rank + s->rank,
              .attr = attr};
  return w->intern(w->user, &one);
}

/* The sum without what can be taken out of it, times that; NO_NODE: there is nothing. */
NodeId simplify_factors(NewGraph *w, const Node *sum) {
  const int64_t dims = node_attr(sum, "axis");
  Factors f = {0};
  if ((sum->dtype != DT_F32 && sum->dtype != DT_F64) || w->full) return NO_NODE;
  const Shape whole = graph_operand(w->graph, sum, 0)->shape;
  for (int d = 0; d < whole.rank; d++)
    if (!whole.dim[d]) return NO_NODE; /* a sum of nothing is 0, whatever the factors are */
  if (!factors_of(w->graph, sum->operand[0], dims, MOST, &f) || !f.level || !f.rest) return NO_NODE;
  sort(f.at_level, f.level), sort(f.at_rest, f.rest);
  NodeId x = f.at_rest[0];
  for (int i = 1; i < f.rest; i++) x = make(w, sum, &op_mul, &whole, 2, x, f.at_rest[i]);
  Node n = *sum; /* its name is the whole's */
  n.operand = &x, n.name = NULL, n.forbid.file = 0;
  NodeId y = w->intern(w->user, &n);
  for (int i = 0; i < f.level; i++)
    y = make(w, sum, &op_mul, &sum->shape, 2, y, beside(w, sum, f.at_level[i], dims));
  return f.negated ? make(w, sum, &op_neg, &sum->shape, 1, y, NO_NODE) : y;
}
