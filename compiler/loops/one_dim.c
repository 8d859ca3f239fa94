/* Dims that lie side by side in all that a loop reads become one loop: that over the last of them,
 * as the index of the others is 0.
 *
 *   for (j < 500) for (k < 7) y[j][k] = exp(x[j][k])     for (k < 3500) y[0][k] = exp(x[0][k])
 */
#include "loop_build.h"

/* Whether dims [first, first + n) of a node are one dim to whoever reads it at an index of them:
 * they lie side by side in whatever has them. */
static bool is_one_dim(Loop *l, NodeId id, int first, int n, int *looks) {
  enum { MOST_LOOKS = 64 };
  const Node *x = graph_node(l->g, id);
  const NodeId base = node_base(l->g, id);
  if (++*looks > MOST_LOOKS) return false;
  if (node_is_const(x)) return true;
  if (l->le->stored[base] && !loop_stores(l, base)) {
    return site_is_one_dim(l, x, first, n);
  }
  if (op_is(x, OPF_REPEATS)) {
    const int rank = graph_operand(l->g, x, 0)->shape.rank;
    int with = 0, at = 0, of[MAX_RANK];
    x->op->dims(l->g, x, of);
    for (int d = rank - 1; d >= 0; d--)
      if (of[d] >= first && of[d] < first + n) at = d, with++;
    for (int d = 0; d < with; d++)
      if (of[at + d] != first + d) return false;
    return !with || (with == n && is_one_dim(l, x->operand[0], at, n, looks));
  }
  if (!op_is(x, OPF_ELEMENTWISE)) return false;
  for (int k = 0; k < x->noperands; k++)
    if (!is_one_dim(l, x->operand[k], first, n, looks)) return false;
  return true;
}

bool loop_is_one_dim(Loop *l, NodeId id, int first, int n) {
  int looks = 0;
  return is_one_dim(l, id, first, n, &looks);
}

At loop_join_last(Loop *l, const Step *s, const Node *n) {
  enum { SHORT = 64 }; /* elements: what a longer line gains is little */
  At at = loop_nest_index(l, n);
  const int last = n->shape.rank - 1;
  int first = last;
  if (last < 1 || loop_band(l) || !has_loop(l, &at, last) || most_of(l, n, last) >= SHORT)
    return at;
  for (bool fits = true; fits && first > 0; first -= fits)
    for (int i = 0; i < s->nodes.n && fits; i++) {
      const NodeId id = s->nodes.at[i];
      const int dims = last - first + 2;
      fits = site_is_one_dim(l, graph_node(l->g, id), first - 1, dims) &&
             loop_is_one_dim(l, id, first - 1, dims);
    }
  if (first == last) return at;
  int64_t most = 1;
  for (int d = first; d <= last; d++) most *= most_of(l, n, d);
  for (int d = first; d < last; d++) at.dim[d] = loop_int(l, 0);
  at.dim[last] = loop_symbol(l, expr_node(l->x, at.dim[last])->name, 0, most - 1);
  l->joined = n;
  for (int d = 0; d <= last; d++) l->joined_from[d] = (int8_t)(d == last ? first : d);
  return at;
}
