/* Parts of tensors that products read where they lie: slices and windows without steps and rows, of
 * whole dims or of dims that no device has cut, and of those as much as is filled (prefix.c). */
#include "plan.h"
#include <string.h>

static void no_positions(TensorPart *p) {
  for (int d = 0; d < MAX_RANK; d++) p->begin[d] = p->reach[d] = 0, p->at[d] = NO_NODE;
}

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
  const TensorPart seen = *p;
  no_positions(p);
  for (int d = 0; d < n->shape.rank; d++) {
    if (to[d] == NO_DIM) continue;
    p->begin[to[d]] = seen.begin[d];
    p->at[to[d]] = seen.at[d];
    p->reach[to[d]] = seen.reach[d];
  }
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

static bool through_window(const Graph *g, const Node *n, const Node *x, TensorPart *p) {
  for (int d = 0, k = 1; d < n->shape.rank; d++) {
    const DimLayout *to = &n->layout->dim[d], *from = &x->layout->dim[d];
    if (!(node_attr(n, "axis") >> d & 1)) {
      if (!dim_equal(to, from)) return false;
      continue;
    }
    const NodeId at = n->operand[k++];
    if (to->naxes || from->naxes || p->at[d] != NO_NODE ||
        node_is_const(graph_node(g, node_base(g, at))) ||
        (n->shape.dim[d] > 1 && node_attrs(n, "step")[d] != 1))
      return false;
    p->at[d] = at;
    p->reach[d] = n->shape.dim[d] - 1;
  }
  return true;
}

/* Of the dim that it picks from one position is in the part. */
static bool through_pick(const Graph *g, const Node *n, const Node *x, TensorPart *p, int rank) {
  const int from = (int)node_attr(n, "axis");
  const DimLayout *lies = &x->layout->dim[from];
  if (lies->naxes || lies->window.of || node_is_const(graph_node(g, node_base(g, n->operand[1]))))
    return false;
  for (int d = 0; d < n->shape.rank; d++)
    if (!dim_equal(&n->layout->dim[d], &x->layout->dim[d + (d >= from)])) return false;
  const TensorPart seen = *p;
  no_positions(p);
  for (int d = 0; d < n->shape.rank; d++) {
    const int to = d + (d >= from);
    p->begin[to] = seen.begin[d], p->at[to] = seen.at[d], p->reach[to] = seen.reach[d];
  }
  p->at[from] = n->operand[1];
  for (int d = 0; d < rank; d++)
    if (p->dim[d] != NO_DIM) p->dim[d] += p->dim[d] >= from;
  return true;
}

static bool is_slice(const Node *n) {
  return op_class(n) == OPC_MOVE && n->noperands == 1 && op_has_attr(n->op, "begin") &&
         op_has_attr(n->op, "step");
}

/* Of elements at positions known while running. */
static bool is_window(const Node *n) {
  return op_class(n) == OPC_MOVE && !n->op->updates && n->op->by_index == 1 &&
         op_has_attr(n->op, "step");
}

/* Of one position along a dim, known while running: the row of a stack that a scan is at. */
static bool is_pick(const Graph *g, const Node *n) {
  return op_class(n) == OPC_MOVE && n->op->rows && n->op->by_index == 1 && n->noperands == 2 &&
         graph_operand(g, n, 1)->shape.rank == 0;
}

/* It may be a prefix, as node_prefix finds out. */
static bool is_choice(const Graph *g, const Node *n) {
  return op_is(n, OPF_CHOICE) && node_is_const(graph_operand(g, n, 2)) &&
         graph_operand(g, n, 2)->value == 0;
}

/* The same order of elements in other dims. */
static bool is_reshape(const Node *n) {
  return node_class(n) == CLASS_VIEW && !op_is(n, OPF_AFTER) && !op_has_attr(n->op, "perm");
}

int part_operand(const Graph *g, const Node *n) {
  if (is_reshape(n) || is_slice(n) || is_window(n) || is_pick(g, n)) return 0;
  return is_choice(g, n) ? 1 : -1;
}

static bool begins_alike(const Graph *g, const Node *put, const Node *part, int k, int d) {
  if (is_window(part)) return part->operand[1 + k] == put->operand[2 + k];
  const Node *begin = graph_operand(g, put, 2 + k);
  return node_is_const(begin) && begin->whole == node_attrs(part, "begin")[d];
}

bool part_is_written(const Graph *g, const Node *put, const Node *part) {
  if (!put->op->updates || !(is_slice(part) || is_window(part)) ||
      part->operand[0] != put->operand[0] || !same_space(part, graph_operand(g, put, 1)))
    return false;
  const int64_t in = node_attr(put, "axis");
  if (is_window(part) && node_attr(part, "axis") != in) return false;
  for (int d = 0, k = 0; d < put->shape.rank; d++) {
    const DimLayout *lies = &put->layout->dim[d];
    if (!dim_equal(lies, &graph_operand(g, put, 0)->layout->dim[d])) return false;
    if (!(in >> d & 1)) {
      if (part->shape.dim[d] != put->shape.dim[d] || !dim_equal(&part->layout->dim[d], lies))
        return false;
    } else if (lies->naxes || lies->window.of || !begins_alike(g, put, part, k++, d) ||
               node_attrs(part, "step")[d] != node_attrs(put, "step")[d]) {
      return false;
    }
  }
  return true;
}

static bool through_prefix(const LocalEntry *le, NodeId id, TensorPart *p, int rank) {
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 1);
  Prefix of;
  if (p->filled != NO_NODE || !node_prefix(le->graph, le->stored, id, &of)) return false;
  for (int d = 0; d < n->shape.rank; d++)
    if (!dim_equal(&n->layout->dim[d], &x->layout->dim[d])) return false;
  int along = 0;
  while (along < rank && p->dim[along] != of.dim) along++;
  int row = 0;
  while (of.row != NO_DIM && row < rank && p->dim[row] != of.row) row++;
  if (of.row != NO_DIM && (row == rank || p->begin[of.row] || p->at[of.row] != NO_NODE))
    return false;
  /* A slice of a prefix begins elsewhere. */
  if (along == rank || n->layout->dim[of.dim].naxes || p->begin[of.dim] || p->at[of.dim] != NO_NODE)
    return false;
  p->filled = of.below, p->along = along, p->more = of.more;
  p->row = of.row == NO_DIM ? NO_DIM : row;
  return true;
}

/* Its last dim of more than one element is the tensor's. */
static bool ends_alike(const Node *n, const Node *of, const TensorPart *p) {
  int last = of->shape.rank - 1, d = n->shape.rank - 1;
  while (last >= 0 && of->shape.dim[last] == 1) last--;
  while (d >= 0 && n->shape.dim[d] == 1) d--;
  return d >= 0 && p->dim[d] == last;
}

static bool rounds(const Graph *g, const Node *n) {
  return op_class(n) == OPC_ELEMENT && n->op->passes == 1 && n->noperands == 1 &&
         dtype_is_half(n->dtype) && graph_operand(g, n, 0)->dtype == DT_F32;
}

/* Local node `id` is a slice, a window or a row of what lies in memory from before: a source, a
 * carried tensor, what is behind its loop, or one into which a window was written; and nothing
 * between the two is stored. Or it is all or part of such a tensor, rounded. */
static bool tensor_part(const LocalEntry *le, NodeId id, TensorPart *p) {
  const Graph *g = le->graph;
  const Node *whole = graph_node(g, id), *n = whole;
  *p = (TensorPart){.of = id, .filled = NO_NODE, .row = NO_DIM};
  no_positions(p);
  for (int d = 0; d < n->shape.rank; d++) p->dim[d] = n->shape.dim[d] > 1 ? d : NO_DIM;
  bool sliced = false;
  for (;;) {
    const bool slices = is_slice(n), moves = is_window(n), picks = is_pick(g, n),
               fills = is_choice(g, n), casts = !p->rounds && rounds(g, n);
    if (!slices && !moves && !picks && !fills && !casts && !is_reshape(n)) break;
    const Node *x = graph_operand(g, n, fills);
    if (slices  ? !through_slice(n, x, p)
        : moves ? !through_window(g, n, x, p)
        : picks ? !through_pick(g, n, x, p, whole->shape.rank)
        : fills ? !through_prefix(le, p->of, p, whole->shape.rank)
                : !through_view(n, x, p, whole->shape.rank))
      return false;
    sliced = sliced || slices || moves || picks || fills || casts;
    p->rounds = p->rounds || casts;
    p->of = n->operand[fills];
    n = x;
    if ((is_slice(n) || is_window(n) || is_pick(g, n) || is_choice(g, n) || rounds(g, n)) &&
        le->stored[p->of])
      return false;
  }
  return sliced && n->dtype == (p->rounds ? DT_F32 : whole->dtype) && layout_is_plain(n->layout) &&
         layout_is_plain(whole->layout) &&
         (node_class(n) == CLASS_SOURCE || node_goes_on(n) || op_is(n, OPF_AFTER)) &&
         ends_alike(whole, n, p);
}

/* Dims d and the next that has more than one element lie in the part as in a tensor of its own. */
static bool is_dense(const Node *n, const Node *of, const TensorPart *p, int d, int next) {
  for (int i = p->dim[d] + 1; i < p->dim[next]; i++)
    if (of->shape.dim[i] != 1) return false;
  return n->shape.dim[next] == of->shape.dim[p->dim[next]];
}

/* Both operands end in the same letter, but at different values, or have rows of different letters:
 * a product goes by one. */
static bool ends_otherwise(const Letters *l, const TensorPart *x, const TensorPart *y) {
  if (x->filled == NO_NODE || y->filled == NO_NODE) return false;
  if (x->row != NO_DIM && y->row != NO_DIM && l->x[x->row] != l->y[y->row]) return true;
  return l->x[x->along] == l->y[y->along] &&
         (x->filled != y->filled || x->more != y->more || (x->row == NO_DIM) != (y->row == NO_DIM));
}

/* The letters of one role, dims of one element left out; -1: they do not lie side by side. */
static int letters_of(const Letters *l, const int64_t *letter, const Shape *s, int role,
                      int64_t *out) {
  int n = 0, runs = 0;
  bool in = false;
  for (int d = 0; d < s->rank; d++) {
    if (s->dim[d] == 1) continue;
    const bool is = l->in[letter[d]] == role;
    if (is) out[n++] = letter[d];
    runs += is && !in;
    in = is;
  }
  return runs > 1 ? -1 : n;
}

/* A product of two matrices whose second one is operand k, as kernels see it: letters of a role
 * lie side by side in both tensors, in one order, and the result ends in the operand's own. */
static bool is_second_matrix(const Graph *g, const Node *product, int k) {
  const Letters l = product_letters(g, product);
  const int64_t *const letter[] = {l.x, l.y, l.out};
  const Shape *const shape[] = {&graph_operand(g, product, 0)->shape,
                                &graph_operand(g, product, 1)->shape, &product->shape};
  static const struct {
    int role, in[2];
  } roles[] = {{LETTER_M, {0, 2}}, {LETTER_N, {1, 2}}, {LETTER_SUMMED, {0, 1}}};
  if (product_is_batch(g, product)) return false;
  for (int r = 0; r < 3; r++) {
    int64_t of[2][MAX_RANK];
    int n[2];
    for (int i = 0; i < 2; i++) {
      const int t = roles[r].in[i];
      n[i] = letters_of(&l, letter[t], shape[t], roles[r].role, of[i]);
    }
    if (n[0] < 0 || n[0] != n[1] || memcmp(of[0], of[1], (size_t)n[0] * sizeof **of)) return false;
  }
  int last = product->shape.rank - 1;
  while (last >= 0 && product->shape.dim[last] == 1) last--;
  return last >= 0 && l.in[l.out[last]] == (k ? LETTER_N : LETTER_M);
}

bool product_part(const LocalEntry *le, const Node *product, int k, TensorPart *p) {
  const Graph *g = le->graph;
  const NodeId id = product->operand[k];
  const Node *n = graph_node(g, id);
  if (op_class(product) != OPC_PRODUCT || !tensor_part(le, id, p) ||
      (p->rounds && !is_second_matrix(g, product, k)))
    return false;
  const Letters l = product_letters(g, product);
  const int64_t *letter = k ? l.y : l.x;
  int before = -1;
  /* A row of its own for each product: the other operand and the result have the rows too. */
  if (p->row != NO_DIM && l.in[letter[p->row]] != LETTER_BATCH) return false;
  TensorPart x;
  if (k && p->filled != NO_NODE && !le->stored[node_base(g, product->operand[0])] &&
      product_part(le, product, 0, &x) && ends_otherwise(&l, &x, p))
    return false;
  for (int d = 0; d < n->shape.rank; d++) {
    if (p->dim[d] == NO_DIM) continue;
    if (before >= 0 && l.in[letter[before]] == l.in[letter[d]] &&
        !is_dense(n, graph_node(g, p->of), p, before, d))
      return false;
    before = d;
  }
  return true;
}
