/* dtgc_verify: inputs drawn according to their types and uses: class numbers below the number of
 * classes, indices within their range, positive numbers for logarithms. Values depend on the seed
 * and the element alone. */
#include "verify.h"
#include <math.h>
#include <string.h>

typedef struct IndexBound {
  int64_t below; /* 0: no bound was seen */
  bool positive;
} IndexBound;

static void bound(IndexBound *f, int64_t n) {
  if (n > 0 && (f->below == 0 || n < f->below)) f->below = n;
}

/* Follows the input through what leaves its numbers as they are. */
static IndexBound look(const Entry *e, NodeId from) {
  const Graph *g = e->graph;
  IndexBound f = {0};
  bool *is = arena_array(g->arena, bool, g->nodes.n + 1);
  is[from] = true;
  for (NodeId i = from + 1; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands; k++) {
      if (!is[n->operand[k]]) continue;
      const OpDef *op = n->op;
      if (op->below) bound(&f, op->below(g, n, k));
      f.positive = f.positive || op->positive >> k & 1;
      is[i] = is[i] || op->passes >> k & 1;
    }
  }
  return f;
}

Range draw_range(const Entry *e, int input) {
  NodeId id = e->inputs.at[input].node;
  DType t = graph_node(e->graph, id)->dtype;
  IndexBound f = look(e, id);
  if (dtype_is_float(t))
    return f.positive ? (Range){.low = 0.5, .high = 1.5} : (Range){.low = -1, .high = 1};
  Range r = {.whole = true, .most = 7};
  if (t == DT_BOOL) r.most = 1;
  if (t == DT_U8) r.most = 255; /* a byte of an image or a text */
  if (dtype_least(t) == 0) r.least = 0;
  const int64_t most = dtype_most(t) < INT32_MAX ? dtype_most(t) : INT32_MAX;
  if (f.below) r.most = f.below - 1 < most ? f.below - 1 : most;
  return r;
}

static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void draw_input(const Range *r, const dtgc_tensor *t, uint64_t seed, void *to) {
  const DType type = dtype_part((DType)t->dtype);
  const int64_t count = type == (DType)t->dtype ? t->count : 2 * t->count;
  for (int64_t i = 0; i < count; i++) {
    uint64_t z = mix(seed ^ mix((uint64_t)i));
    double x = r->low + (r->high - r->low) * (double)(z >> 11) * 0x1p-53;
    int64_t n = r->least + (int64_t)(z % (uint64_t)(r->most - r->least + 1));
    dtype_set(type, to, i, dtype_is_float(type) ? x : (double)n);
  }
}
