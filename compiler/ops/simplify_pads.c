/* Replaces sums of disjoint padded parts by their concatenation. The gradient of reading x[:, t]
 * for every t is such a sum, one pad per index; otherwise each element would test every index.
 *
 *   pad(a, [0], [5]) + pad(b, [3], [2])  ->  concat([a, b, zeros])     a and b of 3 elements */
#include "opdefs.h"
#include <string.h>

typedef struct PadPart {
  NodeId node;
  int64_t begin, size;
} PadPart;

typedef struct PadParts {
  int dim;
  VEC(PadPart) part; /* the nonzero parts, in order */
} PadParts;

static bool is_zero(const Node *n) { return n->op == &op_const && n->value == 0 && n->whole == 0; }

/* A pad with zeros of one dim. */
static bool parts_of_pad(NewGraph *w, const Node *n, PadParts *out) {
  const int rank = n->shape.rank;
  out->dim = -1;
  if (n->value != 0 || n->whole != 0) return false;
  for (int d = 0; d < rank; d++) {
    const int64_t lo = node_attrs(n, "before")[d], hi = node_attrs(n, "after")[d],
                  gap = node_attrs(n, "between")[d];
    if (!lo && !hi && !gap) continue;
    if (lo < 0 || hi < 0 || gap || out->dim >= 0) return false;
    out->dim = d;
  }
  if (out->dim < 0) return false;
  const int64_t size = graph_operand(w->graph, n, 0)->shape.dim[out->dim];
  vec_push(w->arena, &out->part,
           ((PadPart){n->operand[0], node_attrs(n, "before")[out->dim], size}));
  return true;
}

static bool parts_of(NewGraph *w, NodeId id, PadParts *out) {
  const Node *n = graph_node(w->graph, id);
  if (w->stays(w->user, id)) return false;
  if (n->op == &op_pad) return parts_of_pad(w, n, out);
  if (n->op != &op_concat) return false;
  out->dim = (int)node_attr(n, "axis");
  int64_t begin = 0;
  for (int k = 0; k < n->noperands; k++) {
    const Node *x = graph_operand(w->graph, n, k);
    const int64_t size = x->shape.dim[out->dim];
    if (!is_zero(x)) vec_push(w->arena, &out->part, ((PadPart){n->operand[k], begin, size}));
    begin += size;
  }
  return true;
}

/* Into one list; false: two of them overlap. */
static bool merge(NewGraph *w, const PadParts *a, const PadParts *b, PadParts *out) {
  int64_t end = 0;
  out->dim = a->dim;
  for (int i = 0, j = 0; i < a->part.n || j < b->part.n;) {
    const bool from_a =
        j == b->part.n || (i < a->part.n && a->part.at[i].begin < b->part.at[j].begin);
    const PadPart *p = from_a ? &a->part.at[i++] : &b->part.at[j++];
    if (p->begin < end) return false;
    end = p->begin + p->size;
    vec_push(w->arena, &out->part, *p);
  }
  return true;
}

static NodeId zeros(NewGraph *w, const Node *like, int dim, int64_t size) {
  Node n = {.op = &op_const,
            .dtype = like->dtype,
            .shape = like->shape,
            .span = like->span,
            .site = like->site};
  n.shape.dim[dim] = size;
  return w->intern(w->user, &n);
}

NodeId simplify_pads(NewGraph *w, const Node *n) {
  PadParts a = {0}, b = {0}, all = {0};
  if (w->full || !parts_of(w, n->operand[0], &a) || !parts_of(w, n->operand[1], &b) ||
      a.dim != b.dim || !merge(w, &a, &b, &all))
    return NO_NODE;
  const int64_t attr[] = {all.dim}, size = n->shape.dim[all.dim];
  NodeId *x = arena_array(w->arena, NodeId, 2 * all.part.n + 1);
  int64_t end = 0;
  int k = 0;
  for (int i = 0; i < all.part.n; i++) {
    const PadPart *p = &all.part.at[i];
    if (p->begin > end) x[k++] = zeros(w, n, all.dim, p->begin - end);
    x[k++] = p->node;
    end = p->begin + p->size;
  }
  if (end < size) x[k++] = zeros(w, n, all.dim, size - end);
  Node new = {.op = &op_concat,
              .dtype = n->dtype,
              .shape = n->shape,
              .span = n->span,
              .site = n->site,
              .noperands = k,
              .operand = x,
              .nattr = 1,
              .attr = attr};
  return w->intern(w->user, &new);
}
