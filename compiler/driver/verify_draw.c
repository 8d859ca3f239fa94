/* dtgc_verify: inputs made up from their types and from what the program does with them: class
 * numbers below the classes, indices within what they index, positive numbers for logarithms.
 * Values depend on the seed and the element alone. */
#include "verify.h"
#include <math.h>
#include <string.h>

typedef struct Found {
  int64_t below; /* 0: no bound was seen */
  bool positive;
} Found;

static void bound(Found *f, int64_t n) {
  if (n > 0 && (f->below == 0 || n < f->below)) f->below = n;
}

/* The size of the dim along which an iota counts, through casts and broadcasts. */
static int64_t counts_to(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  while (n->op == OP_cast || n->op == OP_broadcast || n->op == OP_reshape)
    n = graph_operand(g, n, 0);
  return n->op == OP_iota ? n->shape.dim[n->attr[1]] : 0;
}

/* The integer that a tensor is everywhere; else 0. */
static int64_t constant_of(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  while (n->op == OP_cast || n->op == OP_broadcast || n->op == OP_reshape)
    n = graph_operand(g, n, 0);
  if (n->op != OP_const || !dtype_is_int(n->dtype)) return 0;
  return n->value > 0 && n->value < 0x1p31 ? (int64_t)n->value : 0;
}

static void look_at(const Graph *g, const Node *n, int k, Found *f) {
  switch (n->op) {
  case OP_gather:
    if (k == 1) bound(f, graph_operand(g, n, 0)->shape.dim[n->attr[0]]);
    break;
  case OP_pick:
    if (k == 1) bound(f, graph_operand(g, n, 0)->shape.dim[n->attr[0]]);
    break;
  case OP_scatter_add:
    if (k == 0) bound(f, n->attr[1]);
    break;
  case OP_eq: bound(f, counts_to(g, n->operand[1 - k])); break;
  case OP_lt: /* a class that is checked against their number */
    if (k == 0) bound(f, constant_of(g, n->operand[1]));
    break;
  case OP_log:
  case OP_sqrt:
  case OP_rsqrt: f->positive = true; break;
  case OP_pow: f->positive = f->positive || k == 0; break;
  case OP_div: f->positive = f->positive || k == 1; break;
  default: break;
  }
}

/* Follows the input through what leaves its numbers as they are. */
static Found look(const Entry *e, NodeId from) {
  const Graph *g = e->graph;
  Found f = {0};
  bool *is = arena_array(g->arena, bool, g->nodes.n + 1);
  is[from] = true;
  for (NodeId i = from + 1; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands; k++) {
      if (!is[n->operand[k]]) continue;
      look_at(g, n, k, &f);
      switch (n->op) {
      case OP_cast:
      case OP_reshape:
      case OP_transpose:
      case OP_broadcast:
      case OP_slice:
      case OP_reverse:
      case OP_relayout:
      case OP_relayout_like:
      case OP_stop_gradient: is[i] = is[i] || k == 0; break;
      case OP_where: is[i] = is[i] || k > 0; break;
      case OP_min:
      case OP_max: is[i] = true; break;
      default: break;
      }
    }
  }
  return f;
}

Range draw_range(const Entry *e, int input) {
  NodeId id = e->inputs.at[input].node;
  DType t = graph_node(e->graph, id)->dtype;
  Found f = look(e, id);
  if (dtype_is_float(t))
    return f.positive ? (Range){.low = 0.5, .high = 1.5} : (Range){.low = -1, .high = 1};
  Range r = {.whole = true, .most = 7};
  if (t == DT_BOOL) r.most = 1;
  if (t == DT_U8) r.most = 255; /* a byte of an image or a text */
  if (t == DT_U8 || t == DT_BOOL) r.least = 0;
  if (f.below && f.below - 1 < (t == DT_I8 ? 127 : t == DT_U8 ? 255 : INT32_MAX))
    r.most = f.below - 1;
  else if (f.below && t == DT_I8)
    r.most = 127;
  return r;
}

static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void draw_input(const Range *r, const dtgc_tensor *t, uint64_t seed, void *to) {
  for (int64_t i = 0; i < t->count; i++) {
    uint64_t z = mix(seed ^ mix((uint64_t)i));
    double x = r->low + (r->high - r->low) * (double)(z >> 11) * 0x1p-53;
    int64_t n = r->least + (int64_t)(z % (uint64_t)(r->most - r->least + 1));
    switch (t->dtype) {
    case DTGC_BOOL:
    case DTGC_U8: ((uint8_t *)to)[i] = (uint8_t)n; break;
    case DTGC_I8: ((int8_t *)to)[i] = (int8_t)n; break;
    case DTGC_I32: ((int32_t *)to)[i] = (int32_t)n; break;
    case DTGC_I64: ((int64_t *)to)[i] = n; break;
    case DTGC_F16: ((uint16_t *)to)[i] = dtrt_f32_to_f16((float)x); break;
    case DTGC_BF16: ((uint16_t *)to)[i] = dtrt_f32_to_bf16((float)x); break;
    case DTGC_F32: ((float *)to)[i] = (float)x; break;
    default: ((double *)to)[i] = x; break;
    }
  }
}
