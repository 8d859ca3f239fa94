/* Parts of tensors that products read where they lie: a slice without steps, of whole dims or of
 * dims that no device has cut. */
#include "plan.h"

/* The dims of n, by those of its view x that differ in dims of one element alone; false: they
 * differ otherwise. */
static bool through_view(const Node *n, const Node *x, TensorPart *p, int rank) {
  int to[MAX_RANK], i = 0, j = 0;
  for (;;) {
    while (i < n->shape.rank && n->shape.dim[i] == 1) to[i++] = NO_DIM;
    while (j < x->shape.rank && x->shape.dim[j] == 1) j++;
    if (i == n->shape.rank || j == x->shape.rank) break;
    if (n->shape.dim[i] != x->shape.dim[j] || !dim_equal(&n->layout->dim[i], &x->layout->dim[j]))
      return false;
    to[i++] = j++;
  }
  if (i < n->shape.rank || j < x->shape.rank) return false;
  int64_t begin[MAX_RANK] = {0};
  for (int d = 0; d < n->shape.rank; d++)
    if (to[d] != NO_DIM) begin[to[d]] = p->begin[d];
  for (int d = 0; d < MAX_RANK; d++) p->begin[d] = begin[d];
  for (int d = 0; d < rank; d++)
    if (p->dim[d] != NO_DIM) p->dim[d] = to[p->dim[d]];
  return true;
}

static bool through_slice(const Node *n, const Node *x, TensorPart *p) {
  const int64_t *begin = node_attrs(n, "begin"), *step = node_attrs(n, "step");
  for (int d = 0; d < n->shape.rank; d++) {
    const DimLayout *to = &n->layout->dim[d], *from = &x->layout->dim[d];
    if (n->shape.dim[d] == x->shape.dim[d] && step[d] == 1 ? !dim_equal(to, from)
                                                           : to->naxes || from->naxes)
      return false;
    if (n->shape.dim[d] > 1 && step[d] != 1) return false;
    p->begin[d] += begin[d];
  }
  return true;
}

/* Its last dim of more than one element is the tensor's. */
static bool ends_alike(const Node *n, const Node *of, const TensorPart *p) {
  int last = of->shape.rank - 1, d = n->shape.rank - 1;
  while (last >= 0 && of->shape.dim[last] == 1) last--;
  while (d >= 0 && n->shape.dim[d] == 1) d--;
  return d >= 0 && p->dim[d] == last;
}

bool tensor_part(const Graph *g, NodeId id, TensorPart *p) {
  const Node *whole = graph_node(g, id), *n = whole;
  *p = (TensorPart){.of = id};
  for (int d = 0; d < n->shape.rank; d++) p->dim[d] = n->shape.dim[d] > 1 ? d : NO_DIM;
  bool sliced = false;
  for (;;) {
    const bool slices = op_class(n) == OPC_MOVE && n->noperands == 1 &&
                        op_has_attr(n->op, "begin") && op_has_attr(n->op, "step");
    if (!slices && (op_class(n) != OPC_VIEW || op_is(n, OPF_AFTER))) break;
    const Node *x = graph_operand(g, n, 0);
    if (slices ? !through_slice(n, x, p) : !through_view(n, x, p, whole->shape.rank)) return false;
    sliced = sliced || slices;
    p->of = n->operand[0];
    n = x;
  }
  return sliced && n->dtype == whole->dtype && layout_is_plain(n->layout) &&
         layout_is_plain(whole->layout) &&
         (node_class(n) == CLASS_SOURCE || op_is(n, OPF_CARRY) || n->op->updates) &&
         ends_alike(whole, n, p);
}

/* Dims d and the next that has more than one element lie in the part as in a tensor of its own. */
static bool is_dense(const Node *n, const Node *of, const TensorPart *p, int d, int next) {
  for (int i = p->dim[d] + 1; i < p->dim[next]; i++)
    if (of->shape.dim[i] != 1) return false;
  return n->shape.dim[next] == of->shape.dim[p->dim[next]];
}

bool product_part(const Graph *g, const Node *product, int k, TensorPart *p) {
  const NodeId id = product->operand[k];
  const Node *n = graph_node(g, id);
  if (op_class(product) != OPC_PRODUCT || !tensor_part(g, id, p)) return false;
  const Letters l = product_letters(g, product);
  const int64_t *letter = k ? l.y : l.x;
  int before = -1;
  for (int d = 0; d < n->shape.rank; d++) {
    if (p->dim[d] == NO_DIM) continue;
    if (before >= 0 && l.in[letter[before]] == l.in[letter[d]] &&
        !is_dense(n, graph_node(g, p->of), p, before, d))
      return false;
    before = d;
  }
  return true;
}
