/* Mixed precision (Micikevicius et al. 2018). Products and convolutions of f32 tensors, those of
 * gradients included, round their operands to the type that a `precision` statement gives them;
 * they add in f32, and their results are f32. All else stays f32: variables, sums, norms, softmax,
 * losses. A rounded operand is one value, however many products read it.
 *
 *   %5 = contract %3, %4   ->   %5 = cast %3 bf16 ; %6 = cast %4 bf16 ; %7 = contract %5, %6 */
#include "graph_passes.h"
#include "op.h"
#include "opdefs.h"
#include "slide.h"

typedef struct Rounds {
  Build b;
  const Graph *old;
  NodeId *map;               /* old node -> new node */
  NodeId *rounded[DT_COUNT]; /* by old node: its value of a short type; NO_NODE: not made */
} Rounds;

/* 1 + the statement that is for a product or convolution of f32; 0: none. */
static int statement_of(const Graph *g, const Node *n) {
  if (op_class(n) != OPC_PRODUCT && op_class(n) != OPC_CONVOLUTION) return 0;
  for (int k = 0; k < 2; k++)
    if (graph_operand(g, n, k)->dtype != DT_F32) return 0;
  return n->precision;
}

/* Depthwise convolutions are loops of f32. */
static DType rounds_to(const Program *p, const Graph *g, const Node *n) {
  if (!n->precision || (op_class(n) == OPC_CONVOLUTION && slide_is_depthwise(g, n))) return DT_F32;
  return p->precisions.at[n->precision - 1].dtype;
}

/* What a new value was widened from, if that is of type t. */
static NodeId narrow(const Rounds *r, NodeId y, DType t) {
  const Node *n = graph_node(r->b.graph, y);
  if (op_class(n) != OPC_ELEMENT || n->op->passes != 1 || n->dtype != DT_F32) return NO_NODE;
  return graph_operand(r->b.graph, n, 0)->dtype == t ? n->operand[0] : NO_NODE;
}

static NodeId rounded(Rounds *r, NodeId x, DType t) {
  const Node *n = graph_node(r->old, x);
  NodeId *made = &r->rounded[t][x];
  if (*made == NO_NODE) *made = narrow(r, r->map[x], t);
  if (*made != NO_NODE) return *made;
  r->b.span = n->span, r->b.site = n->site, r->b.within = n->within;
  return *made = build_cast(&r->b, r->map[x], t);
}

/* What moves elements alone moves them as they are kept: widened behind it, to the same numbers. */
static NodeId moved(Rounds *r, const Program *p, const Node *n) {
  const Precision *said = n->precision ? &p->precisions.at[n->precision - 1] : NULL;
  if (!said || !said->activations || n->dtype != DT_F32 || op_is(n, OPF_AFTER | OPF_FREE) ||
      (op_class(n) != OPC_MOVE && op_class(n) != OPC_VIEW) || n->spec ||
      dtype_round(said->dtype, n->value) != n->value)
    return NO_NODE;
  NodeId *x = arena_array(r->b.arena, NodeId, n->noperands);
  for (int k = 0; k < n->noperands; k++) {
    x[k] = r->map[n->operand[k]];
    if (graph_node(r->b.graph, x[k])->dtype != DT_F32) continue;
    x[k] = narrow(r, x[k], said->dtype);
    if (x[k] == NO_NODE) return NO_NODE;
  }
  Node copy = *n;
  copy.operand = x, copy.dtype = said->dtype, copy.precision = 0;
  r->b.span = n->span, r->b.site = n->site, r->b.within = n->within;
  return build_cast(&r->b, graph_add(r->b.graph, &copy), DT_F32);
}

static void rewrite(Plan *p, Entry *e) {
  Program *g = p->program;
  const int n = e->graph->nodes.n;
  Rounds r = {.old = e->graph};
  r.b =
      (Build){.arena = p->arena, .diag = g->diag, .graph = graph_new(p->arena, VIEW_GLOBAL, 2 * n)};
  r.map = arena_array(p->arena, NodeId, n);
  for (int t = 0; t < DT_COUNT; t++) {
    if (!dtype_is_half((DType)t)) continue;
    r.rounded[t] = arena_array(p->arena, NodeId, n);
    for (NodeId i = 0; i < n; i++) r.rounded[t][i] = NO_NODE;
  }
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(e->graph, i);
    r.map[i] = moved(&r, g, &copy);
    if (r.map[i] != NO_NODE) continue;
    copy.back = false;
    copy.precision = statement_of(e->graph, &copy);
    const DType t = rounds_to(g, e->graph, &copy);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++)
      x[k] = dtype_is_half(t) ? rounded(&r, copy.operand[k], t) : r.map[copy.operand[k]];
    copy.operand = x;
    r.map[i] = graph_add(r.b.graph, &copy);
  }
  entry_rewritten(e, r.b.graph, r.map);
}

void precision(Plan *p) {
  for (int i = 0; i < p->program->entries.n && p->program->precisions.n; i++)
    rewrite(p, &p->program->entries.at[i]);
}
