/* The body of a region once more, where its gradient is computed: in the reverse region, and, of a
 * loop that is gone back through in segments, in a loop that computes the segment's runs again.
 *
 *   repeat i in 0..n { h = f(h) }      its reverse, in segments of k runs:
 *
 *     repeat s in 0..ceil(n / k) {           around: the segments, the last one first
 *       h = the h with which the segment began, which the loop has kept
 *       repeat j in 0..k { h = f(h) }        again: what the backward pass requires, for k runs
 *       repeat j in 0..k { ... }             the reverse, from the segment's last run to its first
 *     }
 *
 * Runs have the numbers that they had, so that they draw the same random values; the rows of what
 * is added up behind the loop, too, so that sums have the same order. */
#include "reverse_parts.h"

bool reverse_is_within(const Reverse *v, int r, int outer) {
  return region_within(v->entry, r, outer);
}

int reverse_around(const Reverse *v, const Region *r) {
  const int in = v->region[v->loss], outer = reverse_is_within(v, in, r->parent) ? in : r->parent;
  return outer == NO_REGION ? NO_REGION : v->made_for[outer];
}

bool reverse_is_zero(const Reverse *v, NodeId x) {
  const Node *n = graph_node(v->b->graph, x);
  return node_is_const(n) && (dtype_is_int(n->dtype) ? n->whole == 0 : n->value == 0);
}

static NodeId copy_node(Reverse *v, NodeId i) {
  Node copy = *graph_node(v->b->graph, i);
  NodeId *x = arena_array(v->arena, NodeId, copy.noperands + 1);
  for (int k = 0; k < copy.noperands; k++) x[k] = v->value[copy.operand[k]];
  copy.operand = x, copy.name = NULL;
  if (copy.within) copy.within = v->made_for[copy.within - 1] + 1;
  return graph_add(v->b->graph, &copy);
}

/* With what a segment begins: run 0 leaves its value in row 0, runs 1 to k in row 1, of which the
 * last one's stays, and so on. */
static NodeId begin_again(Reverse *v, Back *k, NodeId i) {
  const Region *r = &v->entry->regions.at[k->region];
  const int64_t all = r->turns == TURNS_UNKNOWN ? r->most : r->turns;
  const int64_t runs = k->levels > 1 ? k->segment[k->levels - 2] : all;
  const int64_t every = k->segment[k->levels - 1];
  const int c =
      reverse_keep_rows(v, k->from, v->value[i], k->begins, (runs + every - 2) / every + 1);
  const NodeId first = reverse_row(v, reverse_after(v, c), k->begun, 0);
  const int begun = reverse_add_carry(v, k->forward, first);
  return reverse_carry(v, begun);
}

static void copy_carry(Reverse *v, Back *k, NodeId i) {
  const Node n = *graph_node(v->b->graph, i);
  const int r = v->region[i];
  const Region *of = &v->entry->regions.at[r];
  const Carry *c = reverse_carry_of(v, i);
  v->b->back = n.back, v->b->stores = n.stores;
  if (c->variable) v->b->precision = 0; /* its values are no activations */
  if (r != k->region) {
    v->value[i] = reverse_carry(v, reverse_add_carry(v, v->made_for[r], v->value[n.operand[0]]));
  } else if (of->kind == REGION_BRANCH || c->next == i) { /* nothing has changed it */
    v->value[i] = v->value[n.operand[0]];
  } else if (reverse_counts(v, c) && reverse_is_zero(v, v->value[n.operand[0]]) &&
             n.dtype == DT_I64) {
    v->value[i] = k->at;
  } else if (reverse_counts(v, c)) {
    v->value[i] = reverse_operate(v, "+", v->value[n.operand[0]], build_cast(v->b, k->at, n.dtype));
  } else if (k->made == NO_REGION) {
    v->value[i] = begin_again(v, k, i);
  } else {
    v->value[i] = copy_node(v, i); /* what was kept takes its place */
  }
  v->b->back = v->b->stores = false;
}

static void copy_nexts(Reverse *v, int region) {
  const Region *of = &v->entry->regions.at[region];
  for (int c = 0; c < of->carries.n; c++)
    for (int i = reverse_carries(v, v->made_for[region]); i >= 0; i = v->carries.at[i].next)
      if (v->carries.at[i].carry.node == v->value[of->carries.at[c].node])
        v->carries.at[i].carry.next = v->value[of->carries.at[c].next];
}

/* The body, with copies of the regions within: in the reverse region, or before that is made in the
 * one that computes a segment again. */
void reverse_copy_body(Reverse *v, Back *k) {
  const NodeId last = v->first_after[k->region];
  const bool back = v->b->back;
  v->b->back = false; /* a policy of types takes it for what it is a copy of */
  /* The nodes of a region may come before those of the one around it. */
  for (int r = k->region + 1; r <= v->last_within[k->region]; r++) {
    const Region *of = &v->entry->regions.at[r];
    if (reverse_is_within(v, r, k->region) && of->carries.n)
      v->made_for[r] = reverse_add_region(v, of, v->made_for[of->parent]);
  }
  for (NodeId i = v->first_in[k->region]; i < last; i++) {
    if (!reverse_is_within(v, v->region[i], k->region)) continue;
    const Node *n = graph_node(v->b->graph, i);
    v->b->span = n->span, v->b->site = n->site, v->b->precision = n->precision;
    if (op_is(n, OPF_CARRY))
      copy_carry(v, k, i);
    else
      v->value[i] = copy_node(v, i);
  }
  for (int r = k->region + 1; r <= v->last_within[k->region]; r++) {
    const Region *of = &v->entry->regions.at[r];
    if (!reverse_is_within(v, r, k->region) || v->made_for[r] < v->entry->regions.n) continue;
    v->made.at[v->made_for[r] - v->entry->regions.n].condition = v->value[of->condition];
    copy_nexts(v, r);
  }
  v->b->back = back;
}

/* -------- segments -------- */

/* How many of the runs a segment has: about `want`, and a divisor if one is near. */
static int64_t segment_of(double want, int64_t runs) {
  int64_t best = want < 1 ? 1 : (int64_t)(want + 0.5);
  double off = log(1.5);
  for (int64_t k = 2; (double)k < 1.5 * want && k < runs; k++) {
    const double far = fabs(log((double)k / want));
    if (runs % k == 0 && far < off) off = far, best = k;
  }
  return best;
}

/* A stack has a dim more than its rows. */
static bool has_stacks(const Reverse *v, const Region *r) {
  for (int c = 0; c < r->carries.n; c++)
    if (graph_node(v->b->graph, r->carries.at[c].node)->shape.rank == MAX_RANK) return false;
  return true;
}

/* The loop has `runs` runs, at most `most`. */
void reverse_bound(Reverse *v, int made, NodeId runs, int64_t most) {
  Region *r = &v->made.at[made - v->entry->regions.n];
  const Node *n = graph_node(v->b->graph, runs);
  r->turns = node_is_const(n) ? n->whole : TURNS_UNKNOWN;
  r->most = node_is_const(n) ? 0 : most;
}

/* Its count. */
static NodeId add_loop(Reverse *v, int made, NodeId runs, int64_t most) {
  reverse_bound(v, made, runs, most);
  const NodeId run = reverse_count_runs(v, made);
  const NodeId condition = reverse_operate(v, "<", run, runs);
  v->made.at[made - v->entry->regions.n].condition = condition;
  return run;
}

/* How many runs the segment has that begins at `begin`: the last may have fewer. */
static NodeId runs_of(Reverse *v, NodeId runs, int64_t most, int64_t every, NodeId begin) {
  const NodeId full = reverse_whole(v, every);
  if (node_is_const(graph_node(v->b->graph, runs)) && most % every == 0) return full;
  const Arg x = {.kind = ARG_TENSOR, .node = full};
  const Arg y = {.kind = ARG_TENSOR, .node = reverse_operate(v, "-", runs, begin)};
  return build_operator(v->b, op_find("min"), &x, &y).node;
}

/* Of `runs` runs, at most `most`, segments of `every`. */
static NodeId open_level(Reverse *v, Back *k, NodeId runs, int64_t most, int64_t every) {
  const Region *r = &v->entry->regions.at[k->region];
  const int64_t segments = (most + every - 1) / every;
  const NodeId all = node_is_const(graph_node(v->b->graph, runs)) ? reverse_whole(v, segments)
                                                                  : reverse_ceiling(v, runs, every);
  const int outer = k->levels ? k->around[k->levels - 1] : reverse_around(v, r),
            within = v->b->within;
  if (k->count == NO_NODE) k->count = reverse_count_runs(v, k->forward);
  k->from = k->forward;
  v->b->within = reverse_written_in(v, k->forward);
  k->begins = reverse_ceiling(v, k->count, every);
  v->b->within = within;
  k->segment[k->levels] = every;
  const int around = k->around[k->levels++] = reverse_add_region(v, r, outer);
  const NodeId past = add_loop(v, around, all, segments);
  const NodeId last = reverse_operate(v, "-", all, reverse_whole(v, 1));
  k->begun = reverse_operate(v, "-", last, past);
  const NodeId begin = reverse_operate(v, "*", k->begun, reverse_whole(v, every));
  const NodeId here = runs_of(v, runs, most, every, begin);
  k->base = k->base == NO_NODE ? begin : reverse_operate(v, "+", k->base, begin);
  k->forward = reverse_add_region(v, r, around);
  k->count = add_loop(v, k->forward, here, every);
  k->at = reverse_operate(v, "+", k->base, k->count);
  v->made_for[k->region] = k->forward;
  reverse_copy_body(v, k);
  copy_nexts(v, k->region);
  return here;
}

NodeId reverse_open_segments(Reverse *v, Back *k, NodeId runs) {
  const Region *r = &v->entry->regions.at[k->region];
  const int64_t all = r->turns == TURNS_UNKNOWN ? r->most : r->turns;
  int64_t most = all;
  k->base = NO_NODE, k->made = NO_REGION;
  for (int l = 0; l < v->keep.levels && has_stacks(v, r); l++) {
    const int64_t every = segment_of(pow((double)all, v->keep.power[l]), most);
    if (every >= most) continue;
    runs = open_level(v, k, runs, most, every);
    most = every;
  }
  return runs;
}
