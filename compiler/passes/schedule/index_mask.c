/* Index masks: derives from a predicate such as `row >= column` which elements it can keep. A
 * comparison of two dims leaves a band along the diagonal; further conditions (`and`) may narrow
 * it. What a mask's elements are at an index, the ops say themselves (OpDef.lower): blocks are
 * taken for whole tensors, so that indices are global. */
#include "expr.h"
#include "tile_band.h"
#include <math.h>

enum { MOST_INDEX = 1 << 29 }; /* no sum of two overflows 32 bits */

typedef struct Mask {
  Lower lower;
  Exprs *x;
  Expr index[MAX_RANK];
  int column;
  Band *out;
} Mask;

static bool holds_indices(DType t) {
  return t == DT_I32 || t == DT_I64 || t == DT_F32 || t == DT_F64;
}

/* The sum of indices that a value is; NO_EXPR: it is none. */
static Expr sum_of_indices(Mask *m, Expr e) {
  Exprs *x = m->x;
  const ExprNode n = *expr_node(x, e = lower_out(&m->lower, e, NULL));
  Expr sum = NO_EXPR;
  if (!holds_indices(n.type)) return NO_EXPR;
  if (n.kind == EXPR_COUNT) sum = n.arg[0];
  if (n.kind == EXPR_NUMBER && !dtype_is_float(n.type)) sum = expr_int(x, n.v);
  if (n.kind == EXPR_NUMBER && fabs(n.real) < MOST_INDEX && n.real == floor(n.real) &&
      dtype_is_float(n.type))
    sum = expr_int(x, (int64_t)n.real);
  if (n.kind == EXPR_OP && n.op->index[0]) sum = expr_int(x, 0);
  for (int k = 0; n.kind == EXPR_OP && sum != NO_EXPR && k < n.n; k++) {
    const Expr own = sum_of_indices(m, n.arg[k]);
    sum = own == NO_EXPR ? own : expr_add(x, sum, expr_scale(x, own, n.op->index[k]));
  }
  if (sum == NO_EXPR) return sum;
  const ExprNode *s = expr_node(x, sum);
  return s->lo > -MOST_INDEX && s->hi < MOST_INDEX ? sum : NO_EXPR;
}

/* low <= column - row < high, if `a` is at least `least`: nothing, if it is of other dims. */
static void at_least(Mask *m, Expr a, int64_t least) {
  const ExprNode *n = expr_node(m->x, a);
  if (n->kind != EXPR_LINEAR || n->n != 2) return;
  const int at = n->arg[1] == m->index[m->column];
  const int64_t by = n->coef[at];
  int row = 0;
  while (row < m->column && m->index[row] != n->arg[!at]) row++;
  Band *b = m->out;
  if (n->arg[at] != m->index[m->column] || row == m->column || (b->row >= 0 && b->row != row))
    return;
  if ((by != 1 && by != -1) || n->coef[!at] != -by) return;
  b->row = row;
  if (by == 1 && b->low < least - n->v) b->low = least - n->v;
  if (by == -1 && b->high > n->v - least + 1) b->high = n->v - least + 1;
}

static void compare(Mask *m, const ExprNode *n, bool truth) {
  const Expr a = sum_of_indices(m, n->arg[0]), b = sum_of_indices(m, n->arg[1]);
  const int all = ORDER_LESS | ORDER_EQUAL | ORDER_GREATER;
  const int orders = truth ? n->op->compares : all & ~n->op->compares;
  if (a == NO_EXPR || b == NO_EXPR) return;
  if (!(orders & ORDER_LESS)) at_least(m, expr_sub(m->x, a, b), !(orders & ORDER_EQUAL));
  if (!(orders & ORDER_GREATER)) at_least(m, expr_sub(m->x, b, a), !(orders & ORDER_EQUAL));
}

/* What must hold of the indices where the condition is `truth`. */
static void implied(Mask *m, Expr e, bool truth) {
  const ExprNode n = *expr_node(m->x, lower_out(&m->lower, e, NULL));
  if (n.kind != EXPR_OP) return;
  if (n.op->logic == '!')
    implied(m, n.arg[0], !truth);
  else if (n.op->logic && (n.op->logic == '&') == truth)
    implied(m, n.arg[0], truth), implied(m, n.arg[1], truth);
  else if (n.op->compares)
    compare(m, &n, truth);
}

bool band_of_mask(const Graph *g, NodeId id, Band *out, int *dead) {
  const Node *n = graph_node(g, id);
  const int column = n->shape.rank - 1;
  if (!op_is(n, OPF_CHOICE) || column < 1) return false;
  const ArenaMark mark = arena_mark(g->arena);
  Mask m = {.x = exprs_new(g->arena), .column = column, .out = out};
  m.lower = lower_whole(m.x, g);
  const At at = lower_whole_index(&m.lower, n);
  for (int d = 0; d <= column; d++) m.index[d] = at.dim[d];
  *out = (Band){.row = -1};
  for (int k = 0; k < 2 && out->row < 0; k++) {
    *out = (Band){.row = -1, .low = -BAND_FAR, .high = BAND_FAR};
    implied(&m, lower_element(&m.lower, EXPR_VALUE, n->operand[0], &at), k == 0);
    *dead = 2 - k;
  }
  arena_release(g->arena, mark);
  return out->row >= 0;
}
