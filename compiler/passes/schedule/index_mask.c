/* Index masks: derives from a predicate such as `row >= column` which elements it can keep. A
 * comparison of two dims leaves a band along the diagonal; further conditions (`and`) may narrow
 * it.
 */
#include "tile_band.h"
#include <math.h>
#include <string.h>

enum { MOST_INDEX = 1 << 29 }; /* no sum of two overflows 32 bits */

/* coef . index + add */
typedef struct Affine {
  int64_t coef[MAX_RANK], add;
} Affine;

/* By dim of a node, the dim of the masked space that it is; -1: none, it has one element. */
typedef struct Dims {
  int8_t to[MAX_RANK];
} Dims;

/* A view that adds or drops dims of one element. */
static bool through_reshape(const Node *n, const Node *x, const Dims *d, Dims *out) {
  int i = 0;
  for (int k = 0; k < x->shape.rank; k++) {
    out->to[k] = -1;
    if (x->shape.dim[k] == 1) continue;
    while (i < n->shape.rank && n->shape.dim[i] == 1) i++;
    if (i == n->shape.rank || n->shape.dim[i] != x->shape.dim[k]) return false;
    out->to[k] = d->to[i++];
  }
  for (; i < n->shape.rank; i++)
    if (n->shape.dim[i] != 1) return false;
  return true;
}

/* The dims of the operand of a node that only moves elements; false: it does not. */
static bool through(const Graph *g, const Node *n, const Node *x, const Dims *d, Dims *out) {
  int of[MAX_RANK];
  if (op_class(n) == OPC_VIEW) return through_reshape(n, x, d, out);
  if (!n->op->dims) return false;
  n->op->dims(g, n, of);
  for (int i = 0; i < x->shape.rank; i++)
    out->to[i] = (int8_t)(x->shape.dim[i] == 1 ? -1 : d->to[of[i]]);
  return true;
}

static bool holds_indices(DType t) {
  return t == DT_I32 || t == DT_I64 || t == DT_F32 || t == DT_F64;
}

static bool affine(const Graph *g, NodeId id, const Dims *d, Affine *out) {
  const Node *n = graph_node(g, id), *x = n->noperands ? graph_operand(g, n, 0) : NULL;
  Dims in;
  Affine b;
  int axis;
  if (!holds_indices(n->dtype)) return false;
  memset(out, 0, sizeof *out);
  const OpDef *op = n->op;
  switch (op->class) {
  case OPC_INDEX:
    axis = (int)node_attr(n, "axis");
    if (d->to[axis] >= 0) out->coef[d->to[axis]] = 1;
    return n->shape.dim[axis] < MOST_INDEX;
  case OPC_CONST:
    if (dtype_is_float(n->dtype) ? n->value != floor(n->value) || fabs(n->value) > MOST_INDEX
                                 : n->whole < -MOST_INDEX || n->whole > MOST_INDEX)
      return false;
    out->add = dtype_is_float(n->dtype) ? (int64_t)n->value : n->whole;
    return true;
  case OPC_ELEMENT:
    if (!op->index[0]) return false;
    for (int k = 0; k < n->noperands; k++) {
      if (!affine(g, n->operand[k], d, &b)) return false;
      for (int i = 0; i < MAX_RANK; i++) out->coef[i] += op->index[k] * b.coef[i];
      out->add += op->index[k] * b.add;
    }
    return n->noperands == 1 || (out->add > -MOST_INDEX && out->add < MOST_INDEX);
  default: return x && through(g, n, x, d, &in) && affine(g, n->operand[0], &in, out);
  }
}

/* low <= column - row < high, if `a` is at least `least`: nothing, if it is of other dims. */
static void at_least(Band *b, int column, const Affine *a, int64_t least) {
  int row = -1;
  for (int i = 0; i < MAX_RANK; i++)
    if (i != column && a->coef[i]) {
      if (row >= 0) return;
      row = i;
    }
  const int64_t by = a->coef[column];
  if (row < 0 || row > column || (b->row >= 0 && b->row != row)) return;
  if ((by != 1 && by != -1) || a->coef[row] != -by) return;
  b->row = row;
  if (by == 1 && b->low < least - a->add) b->low = least - a->add;
  if (by == -1 && b->high > a->add - least + 1) b->high = a->add - least + 1;
}

static void compare(const Graph *g, const Node *n, bool truth, const Dims *d, int column,
                    Band *out) {
  Affine a, b, other;
  if (!affine(g, n->operand[0], d, &a) || !affine(g, n->operand[1], d, &b)) return;
  for (int i = 0; i < MAX_RANK; i++) {
    a.coef[i] -= b.coef[i];
    other.coef[i] = -a.coef[i];
  }
  a.add -= b.add;
  other.add = -a.add;
  const int all = ORDER_LESS | ORDER_EQUAL | ORDER_GREATER;
  const int orders = truth ? n->op->compares : all & ~n->op->compares;
  if (!(orders & ORDER_LESS)) at_least(out, column, &a, !(orders & ORDER_EQUAL));
  if (!(orders & ORDER_GREATER)) at_least(out, column, &other, !(orders & ORDER_EQUAL));
}

/* What must hold of the indices where the condition is `truth`. */
static void implied(const Graph *g, NodeId id, bool truth, const Dims *d, int column, Band *out) {
  const Node *n = graph_node(g, id), *x = n->noperands ? graph_operand(g, n, 0) : NULL;
  Dims in;
  const OpDef *op = n->op;
  if (op->logic == '!') {
    implied(g, n->operand[0], !truth, d, column, out);
  } else if (op->logic) {
    for (int k = 0; k < 2 && (op->logic == '&') == truth; k++)
      implied(g, n->operand[k], truth, d, column, out);
  } else if (op->compares) {
    compare(g, n, truth, d, column, out);
  } else if (x && through(g, n, x, d, &in)) {
    implied(g, n->operand[0], truth, &in, column, out);
  }
}

bool band_of_mask(const Graph *g, NodeId id, Band *out, int *dead) {
  const Node *n = graph_node(g, id);
  const int column = n->shape.rank - 1;
  if (!op_is(n, OPF_CHOICE) || column < 1) return false;
  Dims d;
  for (int i = 0; i < MAX_RANK; i++)
    d.to[i] = (int8_t)(i <= column && n->shape.dim[i] > 1 ? i : -1);
  for (int k = 0; k < 2; k++) {
    *out = (Band){.row = -1, .low = -BAND_FAR, .high = BAND_FAR};
    implied(g, n->operand[0], k == 0, &d, column, out);
    *dead = 2 - k;
    if (out->row >= 0) return true;
  }
  return false;
}
