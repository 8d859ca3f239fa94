/* Replaces products that are none of matrices by products of elements, which fuse with what is
 * around them: a call of a kernel for each single number would be a hundred times as slow.
 *
 *   contract x, y "bi,bj->bij"   ->  x * y, broadcast         nothing is summed: outer products
 *   contract x, y "ij,ij->i"     ->  sum (x * y) over j       each sum is one number: no rows, no
 * columns
 *
 * Dims of size 1 count as none. */
#include "opdefs.h"
#include <string.h>

/* The dims of the product of elements, by their letters. */
typedef struct Space {
  int64_t letter[3 * MAX_RANK], size[3 * MAX_RANK];
  int rank;
} Space;

static void put(Space *s, int64_t letter, int64_t size) {
  for (int i = 0; i < s->rank; i++)
    if (s->letter[i] == letter) return;
  s->letter[s->rank] = letter;
  s->size[s->rank++] = size;
}

static int place_of(const Space *s, int64_t letter) {
  for (int i = 0; i < s->rank; i++)
    if (s->letter[i] == letter) return i;
  return -1;
}

static NodeId make(NewGraph *w, const Node *like, Op op, int noperands, const NodeId *operand,
                   const Shape *shape, int nattr, const int64_t *attr) {
  Node n = {.op = op,
            .dtype = like->dtype,
            .shape = *shape,
            .span = like->span,
            .site = like->site,
            .noperands = noperands,
            .operand = operand,
            .nattr = nattr,
            .attr = attr};
  return w->intern(w->user, &n);
}

/* x with its dims in another order. */
static NodeId turned(NewGraph *w, const Node *like, NodeId x, const int *perm) {
  const Node *n = graph_node(w->graph, x);
  Shape s = {.rank = n->shape.rank};
  int64_t *attr = arena_array(w->arena, int64_t, s.rank);
  NodeId *of = arena_array(w->arena, NodeId, 1);
  bool same = true;
  for (int d = 0; d < s.rank; d++) {
    attr[d] = perm[d];
    s.dim[d] = n->shape.dim[perm[d]];
    same = same && perm[d] == d;
  }
  *of = x;
  return same ? x : make(w, like, &op_transpose, 1, of, &s, s.rank, attr);
}

/* An operand with the dims of the whole space. */
static NodeId spread(NewGraph *w, const Node *like, NodeId x, const int64_t *letter,
                     const Space *s) {
  const int rank = graph_node(w->graph, x)->shape.rank;
  int perm[MAX_RANK], k = 0;
  int64_t *attr = arena_array(w->arena, int64_t, rank + s->rank);
  NodeId *of = arena_array(w->arena, NodeId, 1);
  Shape full = {.rank = s->rank};
  for (int i = 0; i < s->rank; i++) {
    full.dim[i] = attr[rank + i] = s->size[i];
    for (int d = 0; d < rank; d++)
      if (letter[d] == s->letter[i]) attr[k] = i, perm[k++] = d;
  }
  *of = turned(w, like, x, perm);
  return rank == s->rank ? *of : make(w, like, &op_broadcast, 1, of, &full, rank + s->rank, attr);
}

NodeId simplify_product(NewGraph *w, const Node *n) {
  const Letters l = product_letters(w->graph, n);
  const Node *x = graph_operand(w->graph, n, 0), *y = graph_operand(w->graph, n, 1);
  Space s = {0};
  uint32_t summed = 0;
  bool sums = false, rows = false, columns = false;
  if (w->full || x->dtype != n->dtype || y->dtype != n->dtype || dtype_size(n->dtype) < 4)
    return NO_NODE;
  for (int d = 0; d < x->shape.rank; d++) {
    const bool one = x->shape.dim[d] == 1;
    sums |= !one && !(l.in[l.x[d]] & LETTER_OUT);
    rows |= !one && !(l.in[l.x[d]] & LETTER_Y);
  }
  for (int d = 0; d < y->shape.rank; d++)
    columns |= y->shape.dim[d] != 1 && !(l.in[l.y[d]] & LETTER_X);
  if (sums && (rows || columns)) return NO_NODE;
  /* What is not summed comes in the order of the result; else as x lies. */
  for (int d = 0; !sums && d < n->shape.rank; d++) put(&s, l.out[d], n->shape.dim[d]);
  for (int d = 0; d < x->shape.rank; d++) put(&s, l.x[d], x->shape.dim[d]);
  for (int d = 0; d < y->shape.rank; d++) put(&s, l.y[d], y->shape.dim[d]);
  if (s.rank > MAX_RANK) return NO_NODE;
  NodeId *of = arena_array(w->arena, NodeId, 2);
  of[0] = spread(w, n, n->operand[0], l.x, &s);
  of[1] = spread(w, n, n->operand[1], l.y, &s);
  Shape full = {.rank = s.rank}, left = {0};
  memcpy(full.dim, s.size, sizeof *s.size * (size_t)s.rank);
  NodeId *made = arena_array(w->arena, NodeId, 1);
  *made = make(w, n, &op_mul, 2, of, &full, 0, NULL);
  Space kept = {0};
  for (int i = 0; i < s.rank; i++) {
    if (l.in[s.letter[i]] & LETTER_OUT) {
      put(&kept, s.letter[i], s.size[i]);
      left.dim[left.rank++] = s.size[i];
    } else {
      summed |= 1u << i;
    }
  }
  NodeId result = *made;
  if (sums) {
    int64_t *dims = arena_array(w->arena, int64_t, 1);
    *dims = summed;
    result = make(w, n, &op_sum, 1, made, &left, 1, dims);
  } else if (summed) {
    int64_t *dims = arena_array(w->arena, int64_t, left.rank);
    memcpy(dims, left.dim, sizeof *dims * (size_t)left.rank);
    result = make(w, n, &op_reshape, 1, made, &left, left.rank, dims);
  }
  int perm[MAX_RANK];
  for (int d = 0; d < n->shape.rank; d++) perm[d] = place_of(&kept, l.out[d]);
  return turned(w, n, result, perm);
}
