/* `precision bf16, master f32`: activations are kept in bf16. Runs before gradients are taken, so
 * that the cotangent of a value that is rounded is rounded, too, while gradients of variables are
 * what products and sums give in f32.
 *
 * An activation is a value of f32 that an input, a random number or a product leads to and no
 * gradient does. op_stands says in which type its op's result stands. One that stands short is
 * rounded where it is kept: unless its only reader is elementwise, which computes on in f32. What a
 * region carries is rounded where a product reads it, which rounds it anyway, as the hidden state
 * of an LSTM; else it may be what is added up over the runs, as its cell state, and stays f32.
 *
 *   %5 = add %3, %4   ->   %5 = add %3, %4 ; %6 = cast %5 bf16 ; %7 = cast %6 f32 */
#include "graph_passes.h"
#include "op.h"
#include "opdefs.h"

typedef struct Activation {
  bool led;           /* it is computed from more than variables and constants, or is a product */
  bool narrow;        /* it stands short */
  bool sums;          /* it is made of sums alone, as a variance is */
  bool after;         /* it is computed from a gradient */
  bool kept;          /* something but one elementwise op reads it */
  bool product;       /* a product or a convolution reads it */
  NodeId reader;      /* the last seen; NO_NODE: none */
  bool fed;           /* a carry that becomes what is computed so */
  bool stores;        /* a carry in which values are stored for the backward pass ... */
  bool stored;        /* ... gradients, for those of gradients */
  const Carry *carry; /* of a carry that is an activation; else NULL */
  bool carried;       /* a carry that is kept short */
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

static void find_carries(const Program *p, const Entry *e, Activation *at) {
  const Graph *g = e->graph;
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++) {
      const Carry *c = &e->regions.at[i].carries.at[k];
      const Node *n = graph_node(g, c->node);
      at[c->node].stores = n->stores;
      if (n->dtype != DT_F32 || c->next == c->node || c->variable) continue;
      if (!n->stores && !said_of(p, n)) continue;
      at[c->node].carry = c, at[c->node].sums = true; /* until one of its values is none */
    }
}

/* Whether a carry becomes what it was not known to become. */
static bool carry_is_fed(Activation *first, Activation *x, Activation *next) {
  (void)first; /* it is an operand */
  const bool fed = next->led && !x->fed, stored = x->stores && next->after && !x->stored;
  x->fed |= fed, x->stored |= stored;
  return fed || stored;
}

/* Whether a carry is other than it was taken to be. */
static bool carry_changes(Activation *first, Activation *x, Activation *next) {
  bool more = false;
  if (x->carry && (first->after || next->after)) x->carry = NULL, x->carried = false, more = true;
  if (!x->carry) return more;
  if (x->sums && ((next->led && !next->sums) || (first->led && !first->sums)))
    x->sums = false, more = true;
  if (!x->carried && x->product) x->carried = next->product = more = true;
  if (x->carried && first->carry && !first->product) first->product = more = true;
  return more;
}

typedef bool (*CarryRule)(Activation *first, Activation *x, Activation *next);

static bool carries_change(const Entry *e, Activation *at, CarryRule rule) {
  bool more = false;
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++) {
      const Carry *c = &e->regions.at[i].carries.at[k];
      const NodeId first = graph_node(e->graph, c->node)->operand[0];
      more |= rule(&at[first], &at[c->node], &at[c->next]);
    }
  return more;
}

static void classify(const Program *p, const Graph *g, NodeId i, Activation *at) {
  const Node *n = graph_node(g, i);
  const Stands stands = op_stands(g, n);
  bool narrow = true, sums = true, read = false;
  at[i].led = n->op == OP_input || at[i].fed || op_class(n) == OPC_RANDOM || stands == STANDS_SHORT;
  at[i].after = op_is(n, OPF_GRAD) || (n->back && !n->stores) || at[i].stored;
  for (int k = 0; k < n->noperands; k++) {
    const Activation *x = &at[n->operand[k]];
    const DType t = graph_node(g, n->operand[k])->dtype;
    at[i].led |= x->led, at[i].after |= x->after && dtype_is_float(t);
    if (t != DT_F32 || !x->led) continue;
    narrow &= x->narrow, sums &= x->sums, read = true;
  }
  if (op_is(n, OPF_CARRY | OPF_AFTER)) {
    const Activation *x = op_is(n, OPF_AFTER) ? &at[n->operand[0]] : &at[i];
    at[i].narrow = x->carried, at[i].sums = x->carry && x->sums;
    return;
  }
  at[i].narrow =
      at[i].led && !at[i].after && said_of(p, n) &&
      (stands == STANDS_SHORT || (stands == STANDS_AS_READ && (narrow || at[i].product)));
  at[i].sums = stands == STANDS_SUM || (stands == STANDS_AS_READ && read && sums);
}

static void settle(const Program *p, const Entry *e, Activation *at, CarryRule rule) {
  do
    for (NodeId i = 0; i < e->graph->nodes.n; i++) classify(p, e->graph, i, at);
  while (carries_change(e, at, rule));
}

static Activation *find(const Plan *p, const Entry *e) {
  const Graph *g = e->graph;
  Activation *at = arena_array(p->arena, Activation, g->nodes.n + 1);
  find_readers(e, at);
  find_carries(p->program, e, at);
  /* What they are made of counts once it is known which values are activations. */
  settle(p->program, e, at, carry_is_fed);
  settle(p->program, e, at, carry_changes);
  return at;
}

/* Node `x` of the new graph, rounded and widened again. */
static NodeId rounded(Build *b, const Program *p, const Node *old, NodeId x, Keep keep) {
  b->span = old->span, b->site = old->site, b->precision = old->precision;
  b->within = op_is(old, OPF_CARRY) ? 0 : old->within; /* what it begins with is outside */
  const NodeId narrow = build_cast(b, x, said_of(p, old)->dtype);
  graph_node(b->graph, narrow)->keep = keep;
  return build_cast(b, narrow, DT_F32);
}

/* What a region carries is read where it is used. */
static bool reads_for_back(const Node *n) { return n->back && !op_is(n, OPF_CARRY | OPF_AFTER); }

/* By node: the backward pass reads it of the forward pass. */
static bool *find_back(const Plan *p, const Graph *g, const Activation *at) {
  bool *back = arena_array(p->arena, bool, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands && reads_for_back(n); k++) {
      const Activation *x = &at[n->operand[k]];
      if (x->led && !x->after) back[n->operand[k]] = true;
    }
  }
  return back;
}

/* Sums and what is made of them alone stay f32; what is stored was rounded before. */
static bool is_rounded_back(const Graph *g, NodeId i, const Activation *at) {
  const Node *n = graph_node(g, i);
  const Stands s = op_stands(g, n);
  if (n->stores) return false;
  if (op_is(n, OPF_CARRY | OPF_AFTER))
    return !at[i].sums && n->dtype == DT_F32 && at[op_is(n, OPF_AFTER) ? n->operand[0] : i].carry;
  return !at[i].sums && (s == STANDS_SHORT || s == STANDS_AS_READ);
}

/* A truth of numbers is smaller than they are. */
static bool is_truth(const Graph *g, NodeId i) {
  const Node *n = graph_node(g, i);
  if (n->dtype != DT_BOOL || op_class(n) != OPC_ELEMENT || op_is(n, OPF_CARRY)) return false;
  for (int k = 0; k < n->noperands; k++)
    if (graph_operand(g, n, k)->dtype == DT_F32) return true;
  return false;
}

/* -------- writing it out -------- */

typedef struct Shorten {
  const Program *program;
  const Graph *old;
  const Activation *at;
  const bool *reads; /* by node: the backward pass does; NULL: this is before there is one */
  Build b;
  NodeId *map, *of_back; /* old node -> new node, and the one that the backward pass reads */
} Shorten;

static bool is_rounded(const Graph *g, NodeId x) {
  const Node *n = graph_node(g, x);
  return op_class(n) == OPC_ELEMENT && n->op->passes == 1 && n->noperands == 1 &&
         dtype_is_half(graph_operand(g, n, 0)->dtype);
}

/* What a carry that is kept short begins with, or becomes. */
static NodeId rounded_for(Shorten *s, NodeId carry, NodeId x) {
  if (is_rounded(s->b.graph, x)) return x;
  return rounded(&s->b, s->program, graph_node(s->old, carry), x, KEEP_ALWAYS);
}

static void add_node(Shorten *s, NodeId i) {
  Build *b = &s->b;
  Node copy = *graph_node(s->old, i);
  NodeId *x = arena_array(b->arena, NodeId, copy.noperands);
  for (int k = 0; k < copy.noperands; k++)
    x[k] = (reads_for_back(&copy) ? s->of_back : s->map)[copy.operand[k]];
  const bool back = s->reads != NULL;
  if (!back && s->at[i].carried) x[0] = rounded_for(s, i, x[0]);
  copy.operand = x;
  s->map[i] = s->of_back[i] = graph_add(b->graph, &copy);
  if (!said_of(s->program, &copy)) return;
  if (back && s->reads[i] && is_truth(s->old, i)) graph_node(b->graph, s->map[i])->keep = KEEP_DEAR;
  if (back && s->reads[i] && is_rounded_back(s->old, i, s->at))
    s->of_back[i] = rounded(b, s->program, &copy, s->map[i], KEEP_DEAR);
  if (!back && s->at[i].narrow && s->at[i].kept && !op_is(&copy, OPF_CARRY | OPF_AFTER))
    s->map[i] = s->of_back[i] = rounded(b, s->program, &copy, s->map[i], KEEP_ALWAYS);
}

/* What a carry that is kept short becomes. */
typedef struct ShortNext {
  NodeId carry, next;
} ShortNext;
typedef VEC(ShortNext) ShortNexts;

static void carry_short(Entry *e, const ShortNexts *all) {
  for (int i = 0; i < e->regions.n; i++)
    for (int k = 0; k < e->regions.at[i].carries.n; k++)
      for (int s = 0; s < all->n; s++)
        if (e->regions.at[i].carries.at[k].node == all->at[s].carry)
          e->regions.at[i].carries.at[k].next = all->at[s].next;
}

static void rewrite(Plan *p, Entry *e, bool back) {
  const int n = e->graph->nodes.n;
  const Activation *at = find(p, e);
  Shorten s = {.program = p->program,
               .old = e->graph,
               .at = at,
               .reads = back ? find_back(p, e->graph, at) : NULL,
               .b = {.arena = p->arena,
                     .diag = p->program->diag,
                     .graph = graph_new(p->arena, VIEW_GLOBAL, 2 * n)},
               .map = arena_array(p->arena, NodeId, n),
               .of_back = arena_array(p->arena, NodeId, n)};
  NodeId *of = arena_array(p->arena, NodeId, n + 1); /* by node: a short carry that becomes it */
  ShortNexts nexts = {0};
  for (NodeId i = 0; i < n; i++) of[i] = NO_NODE;
  for (NodeId i = 0; i < n && !back; i++)
    if (at[i].carried) of[at[i].carry->next] = i;
  NodeId *next = arena_array(p->arena, NodeId, n + 1);
  for (NodeId i = 0; i < n; i++) {
    add_node(&s, i);
    if (of[i] != NO_NODE) next[i] = rounded_for(&s, of[i], s.map[i]);
  }
  for (NodeId i = 0; i < n && !back; i++)
    if (at[i].carried) vec_push(p->arena, &nexts, ((ShortNext){s.map[i], next[at[i].carry->next]}));
  entry_rewritten(e, s.b.graph, s.map);
  carry_short(e, &nexts);
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
