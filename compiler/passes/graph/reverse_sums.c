/* What the backward pass of a loop does once for all runs instead of in each.
 *
 * The gradient of a value from outside, such as weights, is a sum over the runs. Where its terms
 * are products (or sums) of what a run has, their operands are stacked, and one product behind the
 * loop adds up over the runs, too: one pass over the weights, one exchange between devices. The
 * order of such a sum is that of the one product (docs/sums.md), not that of the unrolled loop.
 *
 * The cotangent of what a loop collects does not change in the reverse loop: each run reads the row
 * that it left. */
#include "reverse_parts.h"
#include <string.h>

/* A run's operands are stacked if they are no more than so many times the gradient, or small. */
enum { MORE_THAN_GRADIENT = 4, SMALL = 1 << 16 };

/* -------- each run has a row of its own -------- */

/* Position `at`, an old node, is another one in each run of the region. */
bool reverse_each_its_own(const Reverse *v, int region, NodeId at) {
  const Graph *g = v->b->graph;
  while (region != NO_REGION && v->region[at] == region) {
    const Node *n = graph_node(g, at);
    if (op_is(n, OPF_CARRY)) return reverse_counts(v, reverse_carry_of(v, at));
    if (n->noperands == 2 && (op_adds(n->op) || op_subtracts(n->op))) {
      const bool first = v->region[n->operand[0]] == region;
      if (first == (v->region[n->operand[1]] == region)) return false;
      at = n->operand[first ? 0 : 1];
    } else {
      return false;
    }
  }
  return false;
}

static bool puts_row(const Graph *g, const Node *n, NodeId into) {
  return n->op->updates && n->noperands == 3 && n->operand[0] == into &&
         node_attr(n, "axis") == 1 && graph_operand(g, n, 1)->shape.dim[0] == 1;
}

/* Each run puts a row of its own into it, and nothing in the loop reads it. */
bool reverse_collects(const Reverse *v, const Back *k, const Carry *c) {
  const Graph *g = v->b->graph;
  const Node *next = graph_node(g, c->next);
  if (v->entry->regions.at[k->region].kind != REGION_LOOP || !puts_row(g, next, c->node))
    return false;
  if (v->dep[graph_node(g, c->node)->operand[0]]) return false;
  if (!reverse_each_its_own(v, k->region, next->operand[2])) return false;
  for (NodeId i = c->node + 1; i < v->first_after[k->region]; i++) {
    const Node *n = graph_node(g, i);
    for (int o = 0; o < n->noperands; o++)
      if (!op_is(n, OPF_AFTER) && i != c->next &&
          (n->operand[o] == c->node || n->operand[o] == c->next))
        return false;
  }
  const Region *r = &v->entry->regions.at[k->region];
  for (int i = 0; i < r->carries.n; i++)
    if (&r->carries.at[i] != c && r->carries.at[i].next == c->next) return false;
  return true;
}

/* -------- stacks -------- */

static NodeId stack_that_is_there(Reverse *v, const Back *k, NodeId x) {
  const Graph *g = v->b->graph;
  const Node *n = graph_node(g, x);
  const int64_t turns = v->entry->regions.at[k->region].turns;
  for (int i = 0; i < k->rows.n; i++)
    if (k->rows.at[i].of == x) return k->rows.at[i].stack;
  if (n->op->rows && n->operand[1] == k->at && n->operand[0] < k->start &&
      node_attr(n, "axis") == 0 && graph_operand(g, n, 0)->shape.dim[0] == turns)
    return n->operand[0];
  for (int c = reverse_carries(v, k->made); c >= 0; c = v->carries.at[c].next) {
    const Carry *carry = &v->carries.at[c].carry;
    if (carry->next == NO_NODE) continue;
    const Node *put = graph_node(g, carry->next);
    if (!puts_row(g, put, carry->node) || put->operand[2] != k->at || put->shape.dim[0] != turns)
      continue;
    const Node *row = graph_operand(g, put, 1);
    if (row->noperands == 1 && row->operand[0] == x && op_class(row) == OPC_VIEW)
      return reverse_after(v, c);
  }
  return NO_NODE;
}

static bool can_stack(const Reverse *v, const Back *k, NodeId x, double most) {
  const Node *n = graph_node(v->b->graph, x);
  return x >= k->start && !op_is(n, OPF_AFTER) && n->shape.rank < MAX_RANK &&
         (double)shape_size(&n->shape) <= most;
}

static NodeId stack_of(Reverse *v, Back *k, NodeId x) {
  NodeId stack = stack_that_is_there(v, k, x);
  /* Of a segment `forward` keeps the rows alone. */
  if (stack == NO_NODE && !k->levels && x < k->nold && x >= k->start &&
      k->old[x - k->start] != NO_NODE) {
    stack = reverse_keep(v, k, x);
    x = reverse_instead(v, x);
  } else if (stack == NO_NODE) {
    const Node n = *graph_node(v->b->graph, x);
    Shape s = n.shape;
    memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
    s.dim[0] = v->entry->regions.at[k->region].turns;
    const int c = reverse_add_back(v, k, reverse_zeros(v, n.dtype, &s));
    v->carries.at[c].carry.next = reverse_put_row(v, reverse_carry(v, c), k->at, x, 0);
    stack = reverse_after(v, c);
  }
  vec_push(v->arena, &k->rows, ((ReverseRows){x, stack}));
  return stack;
}

/* -------- sums over the runs -------- */

static NodeId lift_product(Reverse *v, Back *k, const Node *n) {
  const Graph *g = v->b->graph;
  int8_t l[3][MAX_RANK];
  const int rank[3] = {graph_operand(g, n, 0)->shape.rank, graph_operand(g, n, 1)->shape.rank,
                       n->shape.rank};
  const int64_t *at = n->attr;
  uint32_t used = 0;
  int letter = 0;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < rank[t]; i++) {
      l[t][t < 2 ? i + 1 : i] = (int8_t)*at;
      used |= 1u << *at;
      at++;
    }
  while (used >> letter & 1) letter++;
  if (letter >= 26) return NO_NODE;
  l[0][0] = l[1][0] = (int8_t)letter;
  const NodeId x = stack_of(v, k, reverse_instead(v, n->operand[0]));
  const NodeId y = stack_of(v, k, reverse_instead(v, n->operand[1]));
  return mk_contract(v->b, x, y, l[0], l[1], rank[2], l[2]);
}

static bool is_float_cast(const Graph *g, const Node *n) {
  const DType from = graph_operand(g, n, 0)->dtype;
  return op_class(n) == OPC_ELEMENT && n->noperands == 1 && n->dtype != from &&
         dtype_is_float(n->dtype) && dtype_is_float(from);
}

static bool is_sum(const Node *n) {
  return op_class(n) == OPC_REDUCE && op_is(n, OPF_SUMS) && n->op->reduce == RED_SUM;
}

/* The sum over all runs of x, a value of the reverse region; NO_NODE: it stays there. Sums of what
 * is stacked for no product remain, too, unless they are small. */
static NodeId lift(Reverse *v, Back *k, NodeId id) {
  const Graph *g = v->b->graph;
  const NodeId x = reverse_instead(v, id);
  const Node n = *graph_node(g, x);
  const double most = fmax(SMALL, MORE_THAN_GRADIENT * (double)shape_size(&n.shape));
  if (x < k->start || !n.noperands || n.spec) return NO_NODE;
  v->b->span = n.span, v->b->site = n.site;
  if (op_class(&n) == OPC_PRODUCT)
    return can_stack(v, k, n.operand[0], most) && can_stack(v, k, n.operand[1], most)
               ? lift_product(v, k, &n)
               : NO_NODE;
  if (is_sum(&n)) {
    const NodeId of = reverse_instead(v, n.operand[0]);
    const uint32_t dims = (uint32_t)node_attr(&n, "axis") << 1 | 1;
    if (stack_that_is_there(v, k, of) == NO_NODE && !can_stack(v, k, of, most)) return NO_NODE;
    return mk_reduce(v->b, n.op, stack_of(v, k, of), dims, false);
  }
  if (n.noperands != 1 ||
      (op_class(&n) != OPC_MOVE && op_class(&n) != OPC_VIEW && !is_float_cast(g, &n)) ||
      op_is(&n, OPF_CARRY | OPF_AFTER))
    return NO_NODE;
  const NodeId inner = lift(v, k, n.operand[0]);
  if (inner == NO_NODE) return NO_NODE;
  Node copy = n;
  copy.operand = arena_copy(v->arena, &inner, sizeof inner), copy.name = NULL;
  return graph_add(v->b->graph, &copy);
}

/* Of nodes from `start` on. */
static int *count_readers(Reverse *v, const Back *k) {
  int *readers = arena_array(v->arena, int, k->nold - k->start + 1);
  for (NodeId i = k->start; i < k->nold; i++) {
    const Node *n = graph_node(v->b->graph, i);
    for (int o = 0; o < n->noperands; o++)
      if (n->operand[o] >= k->start) readers[n->operand[o] - k->start]++;
  }
  return readers;
}

/* The terms that a run adds to the sum, last first; -1: it does something else, too. */
static int terms_of(const Reverse *v, const Back *k, const ReverseSum *s, const int *readers,
                    NodeId *term) {
  const Graph *g = v->b->graph;
  const NodeId carry = reverse_carry(v, s->carry);
  int n = 0;
  for (NodeId x = v->carries.at[s->carry].carry.next; x != carry;) {
    const Node *add = graph_node(g, x);
    if (x < k->start || !op_adds(add->op) || add->operand[0] < k->start) return -1;
    if (readers[add->operand[0] - k->start] != 1) return -1;
    term[n++] = add->operand[1];
    x = add->operand[0];
  }
  return n;
}

static bool is_term(const Node *n, bool product) {
  return product ? op_class(n) == OPC_PRODUCT : is_sum(n);
}

/* Lifts products, or sums, of one gradient. */
static void lift_sum(Reverse *v, Back *k, ReverseSum *s, const int *readers, NodeId *term,
                     bool product) {
  const int n = terms_of(v, k, s, readers, term);
  NodeId rest = reverse_carry(v, s->carry);
  bool any = false;
  for (int i = n - 1; i >= 0; i--) {
    NodeId from = reverse_instead(v, term[i]);
    const Node *x = graph_node(v->b->graph, from);
    while (from >= k->start && x->noperands == 1 && !is_term(x, product)) {
      from = reverse_instead(v, x->operand[0]);
      x = graph_node(v->b->graph, from);
    }
    const NodeId lifted = is_term(x, product) ? lift(v, k, term[i]) : NO_NODE;
    if (lifted == NO_NODE) {
      rest = mk_add(v->b, rest, term[i]);
      continue;
    }
    any = true;
    s->lifted = s->lifted == NO_NODE ? lifted : mk_add(v->b, s->lifted, lifted);
  }
  if (any) v->carries.at[s->carry].carry.next = rest;
}

void reverse_lift_sums(Reverse *v, Back *k) {
  const Region *r = &v->entry->regions.at[k->region];
  /* Where the number of runs is not known, most rows of the stacks may be of no run. */
  if (r->kind != REGION_LOOP || r->turns == TURNS_UNKNOWN) return;
  const int *readers = count_readers(v, k);
  NodeId *term = arena_array(v->arena, NodeId, k->nold - k->start + 1);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < k->sums.n; i++) {
      ReverseSum *s = &k->sums.at[i];
      if (s->same && (pass == 0 || s->lifted == NO_NODE))
        lift_sum(v, k, s, readers, term, pass == 0);
    }
}

/* Behind the reverse region: the gradient so far. */
NodeId reverse_summed(Reverse *v, const ReverseSum *s) {
  const NodeId carry = reverse_carry(v, s->carry);
  if (s->lifted == NO_NODE) return reverse_after(v, s->carry);
  if (v->carries.at[s->carry].carry.next != carry)
    return mk_add(v->b, reverse_after(v, s->carry), s->lifted);
  return s->zero ? s->lifted : mk_add(v->b, reverse_first(v, s->carry), s->lifted);
}
