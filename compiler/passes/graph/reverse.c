/* The backward pass of loops whose number of runs is known or bounded, and of branches.
 *
 * The reverse of a loop is a loop with as many runs, which takes the rows from the last to the
 * first; that of a branch is a branch with the same condition. It carries the cotangents of what
 * the region carries, and of each value from outside that the body reads: such a sum begins with
 * what comes from behind the region, and run by run, from the last to the first, adds each use in
 * the order in which the unrolled program would; products and sums among them are lifted behind the
 * loop (reverse_sums.c).
 *
 * What the backward pass requires of the body is recomputed from what is kept: the carried values
 * (of a table that runs read small parts of, these) and what is neither of single elements
 * nor moved (products, sums, results of regions within), or comes from another device
 * (KEEP_FETCHED).
 * Each is kept in a row of a stack that the forward region gains. Only what is read is kept. The
 * result is ordinary regions, so that second gradients need no rule of their own. */
#include "reverse_parts.h"
#include <string.h>

bool reverse_closed(const Reverse *v, int region) {
  return !reverse_is_within(v, v->region[v->loss], region);
}

bool reverse_begins_branch(const Reverse *v, NodeId carry) {
  const int r = v->region[carry];
  return op_is(graph_node(v->b->graph, carry), OPF_CARRY) && r != NO_REGION &&
         v->entry->regions.at[r].kind == REGION_BRANCH && !reverse_closed(v, r);
}

void reverse_init(Reverse *v) {
  const int regions = v->entry->regions.n;
  Arena *a = v->arena;
  v->region = regions_find(a, v->entry, v->b->graph);
  v->value = arena_array(a, NodeId, v->loss + 1);
  v->made_for = arena_array(a, int, regions + 1);
  v->first_in = arena_array(a, NodeId, regions + 1);
  v->first_after = arena_array(a, NodeId, regions + 1);
  v->last_after = arena_array(a, NodeId, regions + 1);
  v->last_within = arena_array(a, int, regions + 1);
  /* Carries of a region have different numbers, those of an earlier backward pass too. */
  v->numbers = 1000000;
  for (NodeId i = 0; i < v->b->graph->nodes.n; i++) {
    const Node *n = graph_node(v->b->graph, i);
    if (op_is(n, OPF_CARRY) && node_attr(n, "number") >= v->numbers)
      v->numbers = node_attr(n, "number") + 1;
  }
  for (NodeId i = 0; i <= v->loss; i++) v->value[i] = i;
  for (int r = 0; r < regions; r++) {
    v->made_for[r] = v->last_within[r] = r;
    v->first_in[r] = v->loss + 1, v->first_after[r] = v->last_after[r] = NO_NODE;
  }
  for (int r = regions - 1; r >= 0; r--)
    for (int p = v->entry->regions.at[r].parent; p != NO_REGION; p = v->entry->regions.at[p].parent)
      if (v->last_within[p] < v->last_within[r]) v->last_within[p] = v->last_within[r];
  for (NodeId i = v->loss; i >= 0; i--) {
    const Node *n = graph_node(v->b->graph, i);
    const int of = op_is(n, OPF_AFTER) ? v->region[n->operand[0]] : NO_REGION;
    if (of == NO_REGION) continue;
    if (v->last_after[of] == NO_NODE) v->last_after[of] = i;
    v->first_after[of] = i;
  }
  for (NodeId i = 0; i <= v->loss; i++)
    for (int r = v->region[i]; r != NO_REGION && v->first_in[r] > i;
         r = v->entry->regions.at[r].parent)
      v->first_in[r] = i;
}

/* -------- one region -------- */

static NodeId zeros_like(Reverse *v, NodeId x) {
  const Node n = *graph_node(v->b->graph, x);
  return reverse_zeros(v, n.dtype, &n.shape);
}

static void add_to(Reverse *v, NodeId x, NodeId dx) {
  v->cot[x] = v->cot[x] == NO_NODE ? dx : mk_add(v->b, v->cot[x], dx);
}

static void sum_outside(Reverse *v, Back *k, NodeId x) {
  if (reverse_is_within(v, v->region[x], k->region) || !v->dep[x]) return;
  for (int i = 0; i < k->sums.n; i++)
    if (k->sums.at[i].of == x) return;
  const NodeId from = v->cot[x] == NO_NODE ? zeros_like(v, x) : v->cot[x];
  vec_push(
      v->arena, &k->sums,
      ((ReverseSum){x, true, reverse_add_back(v, k, from), true, v->cot[x] == NO_NODE, NO_NODE}));
}

/* What the reverse region carries, and the cotangents with which a run of it begins. */
static void begin_sums(Reverse *v, Back *k) {
  const Region *r = &v->entry->regions.at[k->region];
  const Graph *g = v->b->graph;
  for (NodeId i = v->first_after[k->region] - 1; i >= v->first_in[k->region]; i--) {
    if (!reverse_is_within(v, v->region[i], k->region)) continue;
    const Node n = *graph_node(g, i);
    for (int o = 0; (!op_is(&n, OPF_CARRY) || v->region[i] != k->region) && o < n.noperands; o++)
      if (v->dep[i]) sum_outside(v, k, n.operand[o]);
    if (v->region[i] == k->region) v->cot[i] = NO_NODE;
  }
  for (int q = k->region; q <= v->last_within[k->region]; q++) {
    const Region *in = &v->entry->regions.at[q];
    for (int c = 0; reverse_is_within(v, q, k->region) && c < in->carries.n; c++)
      if (v->dep[in->carries.at[c].node]) sum_outside(v, k, in->carries.at[c].next);
  }
  const int outside = k->sums.n;
  for (int c = 0; c < r->carries.n; c++) {
    const NodeId node = r->carries.at[c].node;
    NodeId from = NO_NODE;
    if (!v->dep[node]) continue;
    for (NodeId i = v->last_after[k->region]; i >= v->first_after[k->region]; i--) {
      const Node *n = graph_node(g, i);
      if (!op_is(n, OPF_AFTER) || n->operand[0] != node || v->cot[i] == NO_NODE) continue;
      from = from == NO_NODE ? v->cot[i] : mk_add(v->b, from, v->cot[i]);
    }
    if (reverse_collects(v, k, &r->carries.at[c])) {
      if (from != NO_NODE) add_to(v, r->carries.at[c].next, from);
      continue;
    }
    const bool zero = from == NO_NODE, same = r->carries.at[c].next == node;
    if (zero) from = zeros_like(v, node);
    vec_push(v->arena, &k->sums,
             ((ReverseSum){node, false, reverse_add_back(v, k, from), same, zero, NO_NODE}));
  }
  for (int i = 0; i < k->sums.n; i++) {
    const NodeId sum = reverse_carry(v, k->sums.at[i].carry);
    if (i < outside)
      v->cot[k->sums.at[i].of] = sum;
    else
      add_to(v, reverse_carry_of(v, k->sums.at[i].of)->next, sum);
  }
}

static void end_sums(Reverse *v, Back *k) {
  for (int i = 0; i < k->sums.n; i++) {
    const ReverseSum *s = &k->sums.at[i];
    const NodeId next = v->cot[s->of] == NO_NODE ? zeros_like(v, s->of) : v->cot[s->of];
    v->carries.at[s->carry].carry.next = next;
  }
}

/* What a segment leaves comes into the one before. */
static void join_segments(Reverse *v, const Back *k) {
  for (int i = reverse_carries(v, k->made); k->levels && i >= 0; i = v->carries.at[i].next)
    for (int c = i; v->carries.at[c].around >= 0; c = v->carries.at[c].around) {
      const Carry *inner = &v->carries.at[c].carry;
      Carry *outer = &v->carries.at[v->carries.at[c].around].carry;
      outer->next = inner->next == inner->node ? outer->node : reverse_inner_after(v, c);
    }
}

/* Behind the reverse region. */
static void leave_sums(Reverse *v, const Back *k) {
  for (int i = 0; i < k->sums.n; i++)
    if (k->sums.at[i].outside) v->cot[k->sums.at[i].of] = reverse_summed(v, &k->sums.at[i]);
  for (int i = 0; i < k->sums.n; i++) {
    const ReverseSum *s = &k->sums.at[i];
    if (s->outside) continue;
    const NodeId init = graph_node(v->b->graph, s->of)->operand[0];
    if (v->dep[init]) add_to(v, init, reverse_summed(v, s));
  }
}

/* -------- what is kept -------- */

static bool is_kept(const Node *n) {
  if (op_is(n, OPF_AFTER) || n->keep == KEEP_FETCHED) return true;
  switch (op_class(n)) {
  case OPC_CONST:
  case OPC_INDEX:
  case OPC_RANDOM:
  case OPC_MOVE:
  case OPC_VIEW: return false;
  case OPC_ELEMENT: return op_is(n, OPF_CARRY);
  default: return true;
  }
}

/* Elements of a tensor for one of a part of it that is kept in its place, at least. */
static const int64_t SMALL = 4;

/* Of the elements of operand 0. */
static bool is_part(const Node *n) { return op_class(n) == OPC_MOVE && n->op->passes == 1; }

static bool is_written(const Node *n) {
  return n->op->updates || (op_class(n) == OPC_VIEW && !op_is(n, OPF_AFTER));
}

/* What the loop carries and node i reads a small part of, behind what the run has written by
 * then; or NO_NODE. */
static NodeId whole_of_part(const Reverse *v, const Back *k, NodeId i) {
  const Graph *g = v->b->graph;
  if (v->entry->regions.at[k->region].kind != REGION_LOOP || !is_part(graph_node(g, i)))
    return NO_NODE;
  NodeId x = graph_node(g, i)->operand[0];
  while (v->region[x] == k->region && is_written(graph_node(g, x)))
    x = graph_node(g, x)->operand[0];
  if (v->region[x] != k->region || !op_is(graph_node(g, x), OPF_CARRY) || v->value[x] < k->start)
    return NO_NODE;
  const int64_t part = shape_count(&graph_node(g, i)->shape);
  return part * SMALL <= shape_count(&graph_node(g, x)->shape) ? x : NO_NODE;
}

static void look_at_region(Reverse *v, NodeVec *look, int r) {
  if (r >= v->entry->regions.n) vec_push(v->arena, look, reverse_region_of(v, r)->condition);
  for (int c = reverse_carries(v, r); c >= 0; c = v->carries.at[c].next) {
    vec_push(v->arena, look, v->carries.at[c].carry.node);
    vec_push(v->arena, look, v->carries.at[c].carry.next);
  }
}

/* Which nodes of the copy of the body are kept, if they are read. */
static void find_old(Reverse *v, Back *k) {
  k->nold = v->b->graph->nodes.n;
  k->old = arena_array(v->arena, NodeId, k->nold - k->start + 1);
  for (NodeId i = k->start; i < k->nold; i++) k->old[i - k->start] = NO_NODE;
  for (NodeId i = v->first_in[k->region]; i < v->first_after[k->region]; i++) {
    const Node *n = graph_node(v->b->graph, i);
    const NodeId x = v->value[i];
    if (v->region[i] != k->region || x < k->start || graph_node(v->b->graph, x)->op != n->op)
      continue;
    const NodeId whole = is_kept(n) ? NO_NODE : whole_of_part(v, k, i);
    if (!is_kept(n) && whole == NO_NODE) continue;
    k->old[x - k->start] = i;
    if (whole != NO_NODE)
      vec_push(v->arena, &k->parts, ((KeptPart){x, v->value[whole], shape_count(&n->shape)}));
  }
}

/* Which nodes the reverse region reads of the copy of the body, from `start` on; what is to be
 * kept, if `keeps`, is. */
static bool *find_needed(Reverse *v, Back *k, bool keeps) {
  const int end = v->b->graph->nodes.n;
  bool *met = arena_array(v->arena, bool, end - k->start + 1);
  NodeVec look = {0};
  look_at_region(v, &look, k->made);
  while (look.n) {
    const NodeId x = reverse_instead(v, look.at[--look.n]);
    if (x < k->start || x >= end || met[x - k->start]) continue;
    met[x - k->start] = true;
    if (x < k->nold && k->old[x - k->start] != NO_NODE) {
      if (keeps) reverse_keep(v, k, x);
      continue;
    }
    const Node *n = graph_node(v->b->graph, x);
    for (int o = 0; o < n->noperands; o++) vec_push(v->arena, &look, n->operand[o]);
    if (op_is(n, OPF_AFTER))
      look_at_region(v, &look, (int)node_attr(graph_node(v->b->graph, n->operand[0]), "region"));
  }
  return met;
}

/* Parts of what is kept whole anyway are read there; so are parts that would be more than that. */
static void forget_parts(Reverse *v, Back *k) {
  for (bool more = k->parts.n; more;) {
    const bool *met = find_needed(v, k, false);
    more = false;
    for (int i = 0; i < k->parts.n; i++) {
      const NodeId whole = k->parts.at[i].whole, own = k->parts.at[i].node;
      int64_t size = 0;
      if (!met[own - k->start] || k->old[own - k->start] == NO_NODE) continue;
      for (int j = 0; j < k->parts.n; j++)
        if (k->parts.at[j].whole == whole && met[k->parts.at[j].node - k->start])
          size += k->parts.at[j].size;
      if (!met[whole - k->start] && size <= shape_count(&graph_node(v->b->graph, whole)->shape))
        continue;
      for (int j = 0; j < k->parts.n; j++)
        if (k->parts.at[j].whole == whole) k->old[k->parts.at[j].node - k->start] = NO_NODE;
      more = true;
    }
  }
}

/* Keeps what the reverse region reads of the copy of the body. */
static void keep_needed(Reverse *v, Back *k) {
  forget_parts(v, k);
  find_needed(v, k, true);
}

/* -------- from the last to the first -------- */

static void go_back(Reverse *v, int region, NodeId from);

/* What is not known is counted by the forward region. */
static NodeId number_of_runs(Reverse *v, Back *k) {
  const int64_t turns = v->entry->regions.at[k->region].turns;
  if (turns != TURNS_UNKNOWN) return reverse_whole(v, turns);
  const int c = reverse_count_carry(v, k->forward);
  k->count = reverse_carry(v, c);
  return reverse_after(v, c);
}

static void note_kept(Reverse *v, const Back *k) {
  KeptRuns kept = {.region = k->region};
  if (v->entry->regions.at[k->region].kind != REGION_LOOP) return;
  for (int l = 0; l < k->levels; l++) kept.segment[l] = k->segment[l];
  vec_push(v->arena, &v->kept, kept);
}

static void reverse_region(Reverse *v, int region) {
  const Region *r = &v->entry->regions.at[region];
  Back k = {.region = region,
            .forward = v->made_for[region],
            .row = NO_NODE,
            .at = NO_NODE,
            .count = NO_NODE};
  int outer = reverse_around(v, r);
  const int within = v->b->within;
  const size_t regions = (size_t)(v->last_within[region] - region + 1);
  int *where = arena_copy(v->arena, v->made_for + region, sizeof *where * regions);
  v->b->span = r->span;
  NodeId runs = r->kind == REGION_LOOP ? number_of_runs(v, &k) : NO_NODE;
  if (r->kind == REGION_LOOP) runs = reverse_open_segments(v, &k, runs);
  if (k.levels) outer = k.around[k.levels - 1];
  v->b->span = r->span;
  k.from_node = v->first_in[region];
  k.found = arena_copy(v->arena, v->value + k.from_node,
                       sizeof *k.found * (size_t)(v->first_after[region] - k.from_node));
  k.start = v->b->graph->nodes.n;
  k.made = reverse_add_region(v, r, outer);
  NodeId condition = v->value[r->condition];
  if (r->kind == REGION_LOOP) {
    const NodeId run = reverse_count_runs(v, k.made);
    const NodeId last = reverse_operate(v, "-", runs, reverse_whole(v, 1));
    condition = reverse_operate(v, "<", run, runs);
    if (k.levels) reverse_bound(v, k.made, runs, k.segment[k.levels - 1]);
    k.row = reverse_operate(v, "-", last, run);
    k.at = k.levels ? reverse_operate(v, "+", k.base, k.row) : k.row;
  }
  v->made.at[k.made - v->entry->regions.n].condition = condition;
  v->made_for[region] = k.made;
  if (region_may_rest(r)) v->b->within = k.made + 1;
  reverse_copy_body(v, &k);
  begin_sums(v, &k);
  go_back(v, region, v->first_after[region] - 1);
  end_sums(v, &k);
  v->b->within = within;
  find_old(v, &k);
  reverse_lift_sums(v, &k);
  keep_needed(v, &k);
  v->b->span = r->span;
  join_segments(v, &k);
  leave_sums(v, &k);
  note_kept(v, &k);
  memcpy(v->made_for + region, where, sizeof *where * regions);
}

static bool is_zero_carry(const Reverse *v, NodeId carry) {
  for (int c = 0; c < v->carries.n; c++)
    if (reverse_carry(v, c) == carry) return reverse_is_zero(v, reverse_first(v, c));
  return reverse_is_zero(v, graph_node(v->b->graph, carry)->operand[0]);
}

/* The row of a sequence adds to that row alone. */
static bool back_to_row(Reverse *v, const Node *n, NodeId dy) {
  const NodeId x = n->operand[0];
  if (!n->op->rows || graph_node(v->b->graph, n->operand[1])->shape.rank || v->cot[x] == NO_NODE ||
      !v->dep[x])
    return false;
  const int axis = (int)node_attr(n, "axis");
  const NodeId at = v->value[n->operand[1]], sum = v->cot[x];
  /* Still the zero that it was, if runs have a row each. */
  const bool first = op_is(graph_node(v->b->graph, sum), OPF_CARRY) && is_zero_carry(v, sum) &&
                     reverse_each_its_own(v, v->region[n->operand[1]], n->operand[1]) &&
                     !reverse_is_within(v, v->region[x], v->region[n->operand[1]]);
  const NodeId new = first ? dy : mk_add(v->b, reverse_row(v, sum, at, axis), dy);
  v->cot[x] = reverse_put_row(v, sum, at, new, axis);
  return true;
}

static void back_through(Reverse *v, NodeId i) {
  const Node n = *graph_node(v->b->graph, i);
  NodeId *dx = arena_array(v->arena, NodeId, n.noperands);
  if (!n.op->grad || !n.noperands) return;
  v->b->span = n.span, v->b->site = n.site, v->b->precision = n.precision;
  v->b->back = true;
  if (v->region[i] != NO_REGION && back_to_row(v, &n, v->cot[i])) return;
  for (int k = 0; k < n.noperands; k++) dx[k] = NO_NODE;
  n.op->grad(v->b, v->value[i], v->cot[i], dx);
  for (int k = 0; k < n.noperands; k++)
    if (dx[k] != NO_NODE && v->dep[n.operand[k]]) add_to(v, n.operand[k], dx[k]);
}

/* Whether some cotangent comes in from behind the region. */
static bool reached(const Reverse *v, int region) {
  for (NodeId i = v->first_after[region]; i <= v->last_after[region]; i++) {
    const Node *n = graph_node(v->b->graph, i);
    if (op_is(n, OPF_AFTER) && v->region[n->operand[0]] == region && v->dep[i] &&
        v->cot[i] != NO_NODE)
      return true;
  }
  return false;
}

static void name_gradient(Reverse *v, NodeId of) {
  Node *c = graph_node(v->b->graph, v->cot[of]);
  const char *name = graph_node(v->b->graph, of)->name;
  if (name && !c->name && !node_is_const(c) && v->value[of] == of)
    c->name = arena_printf(v->arena, "grad(%s)", name);
}

/* Nodes of a region; of those around the loss, too, where the region is that of the loss. */
static void go_back(Reverse *v, int region, NodeId from) {
  const NodeId to = from == v->loss ? 0 : v->first_in[region];
  for (NodeId i = from; i >= to; i--) {
    const bool here = from == v->loss
                          ? reverse_is_within(v, region, v->region[i]) || v->region[i] == NO_REGION
                          : v->region[i] == region;
    if (!here) continue;
    const Node n = *graph_node(v->b->graph, i);
    const int within = op_is(&n, OPF_AFTER) ? v->region[n.operand[0]] : NO_REGION;
    if (v->dep[i] && v->cot[i] != NO_NODE) name_gradient(v, i);
    if (within != NO_REGION && v->first_after[within] == i && reached(v, within))
      reverse_region(v, within);
    if (!v->dep[i] || v->cot[i] == NO_NODE) continue;
    if (reverse_begins_branch(v, i))
      add_to(v, n.operand[0], v->cot[i]);
    else if (!op_is(&n, OPF_AFTER | OPF_CARRY))
      back_through(v, i);
  }
}

static void go_straight_back(Reverse *v) {
  for (int at = v->from->n - 1; at >= 0; at--) {
    const NodeId i = v->from->at[at];
    if (!v->dep[i] || v->cot[i] == NO_NODE) continue;
    name_gradient(v, i);
    back_through(v, i);
  }
}

void reverse_all(Reverse *v) {
  if (v->from) {
    v->b->within = 0;
    go_straight_back(v);
    return;
  }
  int in = v->region[v->loss];
  while (in != NO_REGION && !region_may_rest(&v->entry->regions.at[in]))
    in = v->entry->regions.at[in].parent;
  v->b->within = in + 1;
  go_back(v, v->region[v->loss], v->loss);
}

/* -------- the graph in order -------- */

typedef struct Ordered {
  Reverse *v;
  Graph *to;
  bool *live;
  NodeId *map;
  int *carry; /* by node: 1 + the carry that it is */
} Ordered;

static void find_live(Ordered *o, const NodeId *map, int n) {
  Reverse *v = o->v;
  NodeVec look = {0};
  for (int i = 0; i < n; i++) vec_push(v->arena, &look, map[i]);
  while (look.n) {
    const NodeId x = reverse_instead(v, look.at[--look.n]);
    const Node *node = graph_node(v->b->graph, x);
    if (o->live[x]) continue;
    o->live[x] = true;
    for (int k = 0; k < node->noperands; k++) vec_push(v->arena, &look, node->operand[k]);
    if (!o->carry[x]) continue;
    const NewCarry *added = &v->carries.at[o->carry[x] - 1];
    vec_push(v->arena, &look, added->carry.next);
    if (added->region >= v->entry->regions.n)
      vec_push(v->arena, &look, reverse_region_of(v, added->region)->condition);
  }
}

static NodeId emit(Ordered *o, NodeId id) {
  Reverse *v = o->v;
  const NodeId x = reverse_instead(v, id);
  if (o->map[x] != NO_NODE) return o->map[x];
  Node n = *graph_node(v->b->graph, x);
  NodeId *operand = arena_array(v->arena, NodeId, n.noperands + 1);
  for (int k = 0; k < n.noperands; k++) operand[k] = emit(o, n.operand[k]);
  if (op_is(&n, OPF_AFTER)) {
    const int r =
        (int)node_attr(graph_node(v->b->graph, reverse_instead(v, n.operand[0])), "region");
    if (r >= v->entry->regions.n) emit(o, reverse_region_of(v, r)->condition);
    for (int c = reverse_carries(v, r); c >= 0; c = v->carries.at[c].next)
      if (o->live[v->carries.at[c].carry.node]) {
        emit(o, v->carries.at[c].carry.node);
        emit(o, v->carries.at[c].carry.next);
      }
  }
  if (o->map[x] != NO_NODE) return o->map[x];
  n.operand = operand;
  return o->map[x] = graph_add(o->to, &n);
}

void reverse_finish(Reverse *v, Entry *e, NodeId *map, int n) {
  const int nodes = v->b->graph->nodes.n, regions = e->regions.n;
  Ordered o = {.v = v,
               .to = graph_new(v->arena, VIEW_GLOBAL, nodes),
               .live = arena_array(v->arena, bool, nodes + 1),
               .map = arena_array(v->arena, NodeId, nodes + 1),
               .carry = arena_array(v->arena, int, nodes + 1)};
  for (int c = 0; c < v->carries.n; c++) o.carry[v->carries.at[c].carry.node] = c + 1;
  for (int i = 0; i < nodes; i++) o.map[i] = NO_NODE;
  find_live(&o, map, n);
  for (NodeId i = 0; i < nodes; i++)
    if (o.live[i]) emit(&o, i);
  for (int i = 0; i < n; i++) map[i] = o.map[reverse_instead(v, map[i])];
  entry_rewritten(e, o.to, map);
  for (int r = 0; r < v->made.n; r++) {
    Region made = v->made.at[r];
    made.condition =
        made.condition == NO_NODE ? NO_NODE : o.map[reverse_instead(v, made.condition)];
    vec_push(v->arena, &e->regions, made);
  }
  for (int i = 0; i < v->kept.n; i++) {
    Region *r = &e->regions.at[v->kept.at[i].region];
    r->gone_back = true;
    r->differentiated_again = r->differentiated_again || v->keep.again;
    memcpy(r->segment, v->kept.at[i].segment, sizeof r->segment);
  }
  for (int c = 0; c < v->carries.n; c++) {
    Carry carry = v->carries.at[c].carry;
    if (!o.live[carry.node]) continue;
    carry.node = o.map[carry.node], carry.next = o.map[reverse_instead(v, carry.next)];
    vec_push(v->arena, &e->regions.at[v->carries.at[c].region].carries, carry);
  }
  for (int r = regions; r < e->regions.n; r++)
    if (!e->regions.at[r].carries.n) e->regions.at[r].condition = NO_NODE;
}
