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
  DType *fits;               /* by old node of f32: the short type that holds it; else DT_F32 */
  unsigned *becomes; /* by old node: a bit for the type of each short carry that becomes it */
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

/* -------- what is kept short -------- */

static bool widens(const Graph *g, const Node *n) {
  return op_class(n) == OPC_ELEMENT && n->op->passes == 1 && n->noperands == 1 &&
         dtype_is_half(graph_operand(g, n, 0)->dtype);
}

static bool moves(const Node *n) {
  return (op_class(n) == OPC_MOVE || op_class(n) == OPC_VIEW) &&
         !op_is(n, OPF_AFTER | OPF_CARRY | OPF_FREE);
}

/* Whether type t holds a node of f32, if it holds the operands that it is said to. */
static bool is_held(const Rounds *r, const Program *p, NodeId i, DType t) {
  const Node *n = graph_node(r->old, i);
  const Precision *said = n->precision ? &p->precisions.at[n->precision - 1] : NULL;
  if (n->dtype != DT_F32) return false;
  if (op_class(n) == OPC_CONST) return dtype_round(t, n->value) == n->value;
  if (widens(r->old, n)) return graph_operand(r->old, n, 0)->dtype == t;
  if (op_is(n, OPF_CARRY)) return r->fits[i] == t; /* what runs leave counts, too */
  if (op_is(n, OPF_AFTER)) return r->fits[n->operand[0]] == t;
  if (!said || !said->activations || !moves(n) || n->spec || dtype_round(t, n->value) != n->value)
    return false;
  bool any = false;
  for (int k = 0; k < n->noperands; k++) {
    if (graph_operand(r->old, n, k)->dtype != DT_F32) continue;
    any = true;
    if (r->fits[n->operand[k]] != t && !is_held(r, p, n->operand[k], t)) return false;
  }
  return any;
}

static bool may_be_short(const Program *p, const Node *n) {
  return n->dtype == DT_F32 && n->precision && p->precisions.at[n->precision - 1].activations;
}

/* First all carries are taken to be short, then those are not of which the first or the next value
 * is not, and so on. */
static void find_short(Rounds *r, const Program *p, const Entry *e) {
  const Graph *g = r->old;
  bool *not = arena_array(r->b.arena, bool, g->nodes.n + 1), more = true;
  while (more) {
    more = false;
    for (NodeId i = 0; i < g->nodes.n; i++) {
      const Node *n = graph_node(g, i);
      const DType t = n->precision ? p->precisions.at[n->precision - 1].dtype : DT_F32;
      r->fits[i] = DT_F32;
      if (op_is(n, OPF_CARRY) && may_be_short(p, n) && !not [i]) r->fits[i] = t;
      if (!op_is(n, OPF_CARRY) && op_class(n) != OPC_CONST)
        for (int s = 0; s < DT_COUNT; s++)
          if (dtype_is_half((DType)s) && is_held(r, p, i, (DType)s)) r->fits[i] = (DType)s;
    }
    for (int k = 0; k < e->regions.n; k++)
      for (int c = 0; c < e->regions.at[k].carries.n; c++) {
        const Carry *x = &e->regions.at[k].carries.at[c];
        const DType t = r->fits[x->node];
        const NodeId first = graph_node(g, x->node)->operand[0];
        if (t == DT_F32 || not [x->node]) continue;
        const bool holds = (r->fits[first] == t || is_held(r, p, first, t)) &&
                           (r->fits[x->next] == t || is_held(r, p, x->next, t));
        if (!holds) not [x->node] = more = true;
      }
  }
  for (int k = 0; k < e->regions.n; k++)
    for (int c = 0; c < e->regions.at[k].carries.n; c++) {
      const Carry *x = &e->regions.at[k].carries.at[c];
      if (r->fits[x->node] != DT_F32) r->becomes[x->next] |= 1u << r->fits[x->node];
    }
}

/* The short value that a new node was widened from, or that a constant has. */
static NodeId short_of(Rounds *r, NodeId y, DType t) {
  const NodeId x = narrow(r, y, t);
  return x != NO_NODE ? x : build_cast(&r->b, y, t);
}

/* What moves elements alone, and what a loop carries, is kept as its operands are, and widened
 * behind it to the same numbers. */
static NodeId kept_short(Rounds *r, NodeId i) {
  const Node *n = graph_node(r->old, i);
  const DType t = r->fits[i];
  if (t == DT_F32 || widens(r->old, n)) return NO_NODE;
  r->b.span = n->span, r->b.site = n->site,
  r->b.within = op_is(n, OPF_CARRY) ? 0 : n->within; /* what it begins with is outside */
  NodeId *x = arena_array(r->b.arena, NodeId, n->noperands);
  for (int k = 0; k < n->noperands; k++) {
    x[k] = r->map[n->operand[k]];
    if (graph_node(r->b.graph, x[k])->dtype == DT_F32) x[k] = short_of(r, x[k], t);
  }
  Node copy = *n;
  copy.operand = x, copy.dtype = t, copy.precision = 0, copy.back = false;
  return build_cast(&r->b, graph_add(r->b.graph, &copy), DT_F32);
}

/* The regions carry the short values. */
static void carry_short(Rounds *r, Entry *e) {
  Region *old = arena_copy(r->b.arena, e->regions.at, sizeof *old * (size_t)e->regions.n);
  for (int k = 0; k < e->regions.n; k++) {
    old[k].carries.at = arena_copy(r->b.arena, old[k].carries.at,
                                   sizeof *old[k].carries.at * (size_t)old[k].carries.n);
    for (int c = 0; c < old[k].carries.n; c++) {
      Carry *x = &old[k].carries.at[c];
      const DType t = r->fits[x->node];
      const NodeId node = r->map[x->node];
      x->node = t == DT_F32 ? node : narrow(r, node, t);
      x->next = t == DT_F32 ? r->map[x->next] : rounded(r, x->next, t);
    }
    if (old[k].condition != NO_NODE) old[k].condition = r->map[old[k].condition];
  }
  entry_rewritten(e, r->b.graph, r->map);
  for (int k = 0; k < e->regions.n; k++) e->regions.at[k] = old[k];
}

static NodeId add_node(Rounds *r, const Program *p, NodeId i) {
  Node copy = *graph_node(r->old, i);
  const NodeId kept = kept_short(r, i);
  if (kept != NO_NODE) return kept;
  copy.back = false;
  copy.precision = statement_of(r->old, &copy);
  const DType t = rounds_to(p, r->old, &copy);
  NodeId *x = arena_array(r->b.arena, NodeId, copy.noperands);
  for (int k = 0; k < copy.noperands; k++)
    x[k] = dtype_is_half(t) ? rounded(r, copy.operand[k], t) : r->map[copy.operand[k]];
  copy.operand = x;
  return graph_add(r->b.graph, &copy);
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
  r.fits = arena_array(p->arena, DType, n + 1);
  r.becomes = arena_array(p->arena, unsigned, n + 1);
  find_short(&r, g, e);
  for (NodeId i = 0; i < n; i++) {
    r.map[i] = add_node(&r, g, i);
    /* A carry's next value comes before what is behind the region. */
    for (int t = 0; r.becomes[i] >> t; t++)
      if (r.becomes[i] >> t & 1) rounded(&r, i, (DType)t);
  }
  carry_short(&r, e);
}

void precision(Plan *p) {
  for (int i = 0; i < p->program->entries.n && p->program->precisions.n; i++)
    rewrite(p, &p->program->entries.at[i]);
}
