/* Small products in a loop read a matrix that the loop does not change along the result's last dim,
 * which are the lanes of vectors: where it lies otherwise, the kernel transposed it in each run. It
 * is transposed before the loop:
 *
 *   loop: contract(A, y) "ij,j->i"   ->   B = transpose(A) ; loop: contract(B, y) "ji,j->i"
 *
 * A matrix that is larger than a core's own cache is left as it is: bringing its bytes takes the
 * time, however they lie, and another of its size would take memory.
 *
 * Invariant: up to PRODUCT_SEQUENCE numbers are added in sequence whichever way they lie
 * (docs/sums.md), so bits are the same; and larger products are packed anyway. */
#include "graph_passes.h"
#include "opdefs.h"
#include <string.h>

typedef struct TransposeRewrite {
  Build b;
  const Program *program;
  const Machine *machine;
  const Entry *e;
  const int *region; /* by old node */
  NodeId *map;       /* old node -> new node */
  NodeId *made;      /* by old node: its new node with dim made_dim last; NO_NODE */
  int *made_dim;
} TransposeRewrite;

/* One that the kernels of small products take. */
static bool is_small(const Graph *g, const Node *n) {
  if (op_class(n) != OPC_PRODUCT || (n->dtype != DT_F32 && n->dtype != DT_F64)) return false;
  if (graph_operand(g, n, 0)->dtype != n->dtype) return false;
  const ProductSizes z = product_sizes_of(g, n);
  return z.k <= PRODUCT_SEQUENCE &&
         (z.m == 1 || z.n == 1 || (z.m <= PRODUCT_SIDE && z.n <= PRODUCT_SIDE));
}

/* The dim of operand k that is to be its last; -1: it lies as it should, or each run has another.
 */
static int dim_across(const TransposeRewrite *w, const Graph *g, NodeId id, int k) {
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, k);
  const Letters l = product_letters(g, n);
  const int loop = region_loop(w->e, w->region[id]), last = shape_last(&n->shape),
            own = shape_last(&x->shape);
  if (loop == NO_REGION || last < 0 || own < 0) return -1;
  if (shape_count(&x->shape) * dtype_size(x->dtype) > machine_cache(w->machine, CACHE_L2))
    return -1;
  if (region_within(w->e, w->region[n->operand[k]], loop)) return -1;
  const int64_t *letter = k ? l.y : l.x;
  for (int d = 0; d < own; d++)
    if (letter[d] == l.out[last]) return d;
  return -1;
}

Span forbid_of(const Program *p, const Node *n) {
  if (n->forbid.file) return n->forbid;
  if (n->op == OP_var && p->vars.at[node_source(n)].forbid.file)
    return p->vars.at[node_source(n)].forbid;
  return p->forbid;
}

/* The value with dim d last. */
static NodeId transposed(TransposeRewrite *w, const Graph *g, NodeId x, int d) {
  const Node *n = graph_node(g, x);
  int perm[MAX_RANK], k = 0;
  if (w->made[x] != NO_NODE && w->made_dim[x] == d) return w->made[x];
  for (int i = 0; i < n->shape.rank; i++)
    if (i != d) perm[k++] = i;
  perm[k] = d;
  w->b.span = n->span, w->b.site = n->site, w->b.within = n->within;
  w->made_dim[x] = d;
  w->made[x] = mk_transpose(&w->b, w->map[x], perm);
  /* What must not be gathered must not be in another order. */
  graph_node(w->b.graph, w->made[x])->forbid = forbid_of(w->program, n);
  return w->made[x];
}

/* Its letters move with it. */
static NodeId read_along(TransposeRewrite *w, const Graph *g, NodeId id, Node *copy, int k, int d) {
  const Node *n = graph_node(g, id);
  const int first = k ? graph_operand(g, n, 0)->shape.rank : 0,
            rank = graph_operand(g, n, k)->shape.rank;
  int64_t *letter = arena_array(w->b.arena, int64_t, copy->nattr);
  memcpy(letter, copy->attr, (size_t)copy->nattr * sizeof *letter);
  const int64_t moved = letter[first + d];
  memmove(letter + first + d, letter + first + d + 1, (size_t)(rank - d - 1) * sizeof *letter);
  letter[first + rank - 1] = moved;
  copy->attr = letter;
  return transposed(w, g, n->operand[k], d);
}

static void rewrite(Plan *p, Entry *e) {
  const Graph *g = e->graph;
  const int n = g->nodes.n;
  TransposeRewrite w = {.program = p->program,
                        .machine = p->program->machine,
                        .e = e,
                        .region = regions_find(p->arena, e, g),
                        .map = arena_array(p->arena, NodeId, n),
                        .made = arena_array(p->arena, NodeId, n),
                        .made_dim = arena_array(p->arena, int, n)};
  w.b = (Build){.arena = p->arena,
                .diag = p->program->diag,
                .graph = graph_new(p->arena, VIEW_GLOBAL, n + n / 8)};
  for (NodeId i = 0; i < n; i++) w.made[i] = NO_NODE;
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(g, i);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++) x[k] = w.map[copy.operand[k]];
    for (int k = 0; k < 2 && is_small(g, graph_node(g, i)); k++) {
      const int d = dim_across(&w, g, i, k);
      if (d >= 0) x[k] = read_along(&w, g, i, &copy, k, d);
    }
    copy.operand = x;
    w.map[i] = graph_add(w.b.graph, &copy);
  }
  entry_rewritten(e, w.b.graph, w.map);
}

void transpose_before_loops(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++)
    if (p->program->entries.at[i].regions.n) rewrite(p, &p->program->entries.at[i]);
}
