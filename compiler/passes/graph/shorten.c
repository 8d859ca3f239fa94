/* `precision bf16, master f32`: activations are kept in bf16. Runs before gradients are taken, so
 * that the cotangent of a value that is rounded is rounded, too, while gradients of variables are
 * what products and sums give in f32.
 *
 * An activation is a value of f32 that an input, a random number or a product leads to and no
 * gradient does. op_stands says in which type its op's result stands. One that stands short is
 * rounded where it is kept: unless its only reader is elementwise, which computes on in f32.
 *
 *   %5 = add %3, %4   ->   %5 = add %3, %4 ; %6 = cast %5 bf16 ; %7 = cast %6 f32 */
#include "graph_passes.h"
#include "op.h"
#include "opdefs.h"

typedef struct Activation {
  bool led;      /* it is computed from more than variables and constants, or is a product */
  bool narrow;   /* it stands short */
  bool sums;     /* it is made of sums alone, as a variance is */
  bool after;    /* it is computed from a gradient */
  bool kept;     /* something but one elementwise op reads it */
  bool product;  /* a product or a convolution reads it */
  NodeId reader; /* the last seen; NO_NODE: none */
} Activation;

static void read_by(Activation *x, NodeId reader, bool elementwise) {
  if (!elementwise || (x->reader != NO_NODE && x->reader != reader)) x->kept = true;
  x->reader = reader;
}

static void find_readers(const Entry *e, Activation *at) {
  const Graph *g = e->graph;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    at[i].reader = NO_NODE;
    const bool elementwise =
        op_is(n, OPF_ELEMENTWISE) && !op_is(n, OPF_CARRY) && op_class(n) == OPC_ELEMENT;
    for (int k = 0; k < n->noperands && !op_is(n, OPF_GRAD); k++)
      read_by(&at[n->operand[k]], i, elementwise);
    for (int k = 0; k < n->noperands && op_stands(g, n) == STANDS_SHORT; k++)
      at[n->operand[k]].product = true;
  }
  for (int i = 0; i < e->outputs.n; i++) at[e->outputs.at[i].node].kept = true;
  for (int i = 0; i < e->assigns.n; i++) at[e->assigns.at[i].node].kept = true;
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++)
      at[e->regions.at[i].carries.at[k].next].kept = true;
}

static const Precision *said_of(const Program *p, const Node *n) {
  const Precision *x = n->precision ? &p->precisions.at[n->precision - 1] : NULL;
  return x && x->activations ? x : NULL;
}

static void classify(const Program *p, const Graph *g, NodeId i, Activation *at) {
  const Node *n = graph_node(g, i);
  const Stands stands = op_stands(g, n);
  bool narrow = true, sums = true, read = false;
  at[i].led = n->op == OP_input || op_is(n, OPF_CARRY) || op_class(n) == OPC_RANDOM ||
              stands == STANDS_SHORT;
  at[i].after = op_is(n, OPF_GRAD) || n->back;
  for (int k = 0; k < n->noperands; k++) {
    const Activation *x = &at[n->operand[k]];
    at[i].led |= x->led, at[i].after |= x->after;
    if (graph_node(g, n->operand[k])->dtype != DT_F32 || !x->led) continue;
    narrow &= x->narrow, sums &= x->sums, read = true;
  }
  at[i].narrow =
      at[i].led && !at[i].after && said_of(p, n) &&
      (stands == STANDS_SHORT || (stands == STANDS_AS_READ && (narrow || at[i].product)));
  at[i].sums = stands == STANDS_SUM || (stands == STANDS_AS_READ && read && sums);
}

static Activation *find(const Plan *p, const Entry *e) {
  const Graph *g = e->graph;
  Activation *at = arena_array(p->arena, Activation, g->nodes.n + 1);
  find_readers(e, at);
  for (NodeId i = 0; i < g->nodes.n; i++) classify(p->program, g, i, at);
  return at;
}

/* Node `x` of the new graph, rounded and widened again. */
static NodeId rounded(Build *b, const Program *p, const Node *old, NodeId x, Keep keep) {
  b->span = old->span, b->site = old->site, b->precision = old->precision;
  b->within = old->within;
  const NodeId narrow = build_cast(b, x, said_of(p, old)->dtype);
  graph_node(b->graph, narrow)->keep = keep;
  return build_cast(b, narrow, DT_F32);
}

/* By node: the backward pass reads it of the forward pass. */
static bool *find_back(const Plan *p, const Graph *g, const Activation *at) {
  bool *back = arena_array(p->arena, bool, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands && n->back && !op_is(n, OPF_CARRY); k++) {
      const Activation *x = &at[n->operand[k]];
      if (x->led && !x->after) back[n->operand[k]] = true;
    }
  }
  return back;
}

/* Sums and what is made of them alone stay f32. */
static bool is_rounded_back(const Graph *g, NodeId i, const Activation *x) {
  const Stands s = op_stands(g, graph_node(g, i));
  return !x->sums && (s == STANDS_SHORT || s == STANDS_AS_READ);
}

/* A truth of numbers is smaller than they are. */
static bool is_truth(const Graph *g, NodeId i) {
  const Node *n = graph_node(g, i);
  if (n->dtype != DT_BOOL || op_class(n) != OPC_ELEMENT || op_is(n, OPF_CARRY)) return false;
  for (int k = 0; k < n->noperands; k++)
    if (graph_operand(g, n, k)->dtype == DT_F32) return true;
  return false;
}

static void rewrite(Plan *p, Entry *e, bool back) {
  const Graph *g = e->graph;
  const int n = g->nodes.n;
  const Activation *at = find(p, e);
  const bool *reads = back ? find_back(p, g, at) : NULL;
  NodeId *map = arena_array(p->arena, NodeId, n), *of_back = arena_array(p->arena, NodeId, n);
  Build b = {.arena = p->arena,
             .diag = p->program->diag,
             .graph = graph_new(p->arena, VIEW_GLOBAL, 2 * n)};
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(g, i);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++) x[k] = (copy.back ? of_back : map)[copy.operand[k]];
    copy.operand = x;
    map[i] = of_back[i] = graph_add(b.graph, &copy);
    if (!said_of(p->program, &copy)) continue;
    if (back && reads[i] && is_truth(g, i)) graph_node(b.graph, map[i])->keep = KEEP_DEAR;
    if (back && reads[i] && is_rounded_back(g, i, &at[i]))
      of_back[i] = rounded(&b, p->program, &copy, map[i], KEEP_DEAR);
    if (!back && at[i].narrow && at[i].kept)
      map[i] = of_back[i] = rounded(&b, p->program, &copy, map[i], KEEP_ALWAYS);
  }
  entry_rewritten(e, b.graph, map);
}

static bool any(const Program *p) {
  bool found = false;
  for (int i = 0; i < p->precisions.n; i++) found |= p->precisions.at[i].activations;
  return found;
}

/* Rounds what is kept, for all that read it. */
void shorten(Plan *p) {
  for (int i = 0; i < p->program->entries.n && any(p->program); i++)
    rewrite(p, &p->program->entries.at[i], false);
}

/* Rounds what only the backward pass has kept, for that alone. */
void kept(Plan *p) {
  for (int i = 0; i < p->program->entries.n && any(p->program); i++)
    rewrite(p, &p->program->entries.at[i], true);
}
