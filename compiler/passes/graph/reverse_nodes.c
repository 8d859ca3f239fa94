/* Nodes and carries that the backward pass of regions adds, and what the forward regions keep for
 * it. */
#include "reverse_parts.h"
#include <string.h>

const Region *reverse_region_of(const Reverse *v, int r) {
  return r < v->entry->regions.n ? &v->entry->regions.at[r] : &v->made.at[r - v->entry->regions.n];
}

/* -------- making nodes -------- */

int reverse_written_in(const Reverse *v, int r) {
  while (r != NO_REGION && !region_may_rest(reverse_region_of(v, r)))
    r = reverse_region_of(v, r)->parent;
  return r + 1;
}

static int written_around(const Reverse *v, int r) {
  return reverse_written_in(v, reverse_region_of(v, r)->parent);
}

NodeId reverse_operate(Reverse *v, const char *sign, NodeId x, NodeId y) {
  const Arg l = {.kind = ARG_TENSOR, .node = x}, r = {.kind = ARG_TENSOR, .node = y};
  return build_operator(v->b, op_operator(sign, 2), &l, &r).node;
}
NodeId reverse_whole(Reverse *v, int64_t i) { return build_whole(v->b, DT_I64, i); }

NodeId reverse_row(Reverse *v, NodeId x, NodeId at, int axis) {
  const int64_t attr = axis;
  return build_node(v->b, op_find("gather"), 2, (NodeId[]){x, at}, 1, &attr, 0);
}
NodeId reverse_put_row(Reverse *v, NodeId x, NodeId at, NodeId row, int axis) {
  const Arg arg[] = {{.kind = ARG_TENSOR, .node = x},
                     {.kind = ARG_TENSOR, .node = at},
                     {.kind = ARG_TENSOR, .node = row},
                     {.kind = ARG_INT, .i = axis, .real = axis}};
  if (x == NO_NODE || row == NO_NODE) return NO_NODE;
  if (!graph_node(v->b->graph, x)->shape.dim[axis]) return x; /* a loop without runs */
  return build_call(v->b, op_find("put"), arg).node;
}

NodeId reverse_zeros(Reverse *v, DType t, const Shape *s) {
  Arg dims = {.kind = ARG_LIST, .n = s->rank, .at = arena_array(v->arena, Arg, s->rank + 1)};
  const Arg type = {.kind = ARG_DTYPE, .i = (int64_t)t};
  for (int d = 0; d < s->rank; d++)
    dims.at[d] = (Arg){.kind = ARG_INT, .i = s->dim[d], .real = (double)s->dim[d]};
  return build_call(v->b, op_find("zeros"), (Arg[]){dims, type}).node;
}

int reverse_add_region(Reverse *v, const Region *like, int parent) {
  const Region made = {.kind = like->kind,
                       .parent = parent,
                       .span = like->span,
                       .condition = NO_NODE,
                       .turns = like->turns,
                       .most = like->most};
  vec_push(v->arena, &v->made, made);
  return v->entry->regions.n + v->made.n - 1;
}

/* Returns its place in `carries`; its `next` is still to come. */
int reverse_add_carry(Reverse *v, int region, NodeId init) {
  const NodeId id = build_carry(v->b, init, region, v->numbers + v->carries.n);
  const Carry carry = {id, NO_NODE, NULL, reverse_region_of(v, region)->span, false};
  vec_push(v->arena, &v->carries, ((NewCarry){region, carry, -1, -1}));
  while (v->first_carry.n <= region) {
    vec_push(v->arena, &v->first_carry, 0);
    vec_push(v->arena, &v->last_carry, 0);
  }
  const int k = v->carries.n - 1;
  if (v->first_carry.at[region])
    v->carries.at[v->last_carry.at[region]].next = k;
  else
    v->first_carry.at[region] = k + 1;
  v->last_carry.at[region] = k;
  return k;
}

int reverse_carries(const Reverse *v, int region) {
  return region < v->first_carry.n ? v->first_carry.at[region] - 1 : -1;
}

int reverse_add_back(Reverse *v, const Back *k, NodeId init) {
  int around = -1;
  for (int l = 0; l <= k->levels; l++) {
    const int c = reverse_add_carry(v, l < k->levels ? k->around[l] : k->made, init);
    v->carries.at[c].around = around;
    around = c, init = reverse_carry(v, c);
  }
  return around;
}

static int outermost(const Reverse *v, int k) {
  while (v->carries.at[k].around >= 0) k = v->carries.at[k].around;
  return k;
}

NodeId reverse_first(const Reverse *v, int k) {
  return graph_node(v->b->graph, reverse_carry(v, outermost(v, k)))->operand[0];
}

NodeId reverse_carry(const Reverse *v, int k) { return v->carries.at[k].carry.node; }
NodeId reverse_after(Reverse *v, int k) {
  return build_after(v->b, reverse_carry(v, outermost(v, k)));
}

NodeId reverse_inner_after(Reverse *v, int k) { return build_after(v->b, reverse_carry(v, k)); }

NodeId reverse_ceiling(Reverse *v, NodeId x, int64_t by) {
  if (by == 1) return x;
  const NodeId up = reverse_operate(v, "+", x, reverse_whole(v, by - 1));
  return reverse_operate(v, "//", up, reverse_whole(v, by));
}

int reverse_count_carry(Reverse *v, int region) {
  const int within = v->b->within;
  v->b->within = written_around(v, region);
  const int k = reverse_add_carry(v, region, reverse_whole(v, 0));
  v->b->within = reverse_written_in(v, region);
  const NodeId next = reverse_operate(v, "+", reverse_carry(v, k), reverse_whole(v, 1));
  v->carries.at[k].carry.next = next;
  v->b->within = within;
  return k;
}

NodeId reverse_count_runs(Reverse *v, int region) {
  return reverse_carry(v, reverse_count_carry(v, region));
}

NodeId reverse_instead(const Reverse *v, NodeId x) {
  while (x < v->instead.n && v->instead.at[x] != NO_NODE) x = v->instead.at[x];
  return x;
}

static void reverse_put_instead(Reverse *v, NodeId of, NodeId x) {
  while (v->instead.n <= of) vec_push(v->arena, &v->instead, NO_NODE);
  v->instead.at[of] = x;
}

/* -------- regions -------- */

const Carry *reverse_carry_of(const Reverse *v, NodeId node) {
  const Region *r = &v->entry->regions.at[v->region[node]];
  for (int i = 0; i < r->carries.n; i++)
    if (r->carries.at[i].node == node) return &r->carries.at[i];
  return NULL;
}

/* The carry is an integer that grows by one in each run. */
bool reverse_counts(const Reverse *v, const Carry *c) {
  const Graph *g = v->b->graph;
  const Node *n = graph_node(g, c->next), *one;
  if (!dtype_is_int(n->dtype) || n->shape.rank || !op_adds(n->op)) return false;
  one = graph_node(g, n->operand[1]);
  return n->operand[0] == c->node && node_is_const(one) && one->whole == 1;
}

/* -------- what is kept -------- */

int reverse_keep_rows(Reverse *v, int region, NodeId x, NodeId at, int64_t rows) {
  const Node n = *graph_node(v->b->graph, x);
  Shape s = n.shape;
  memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
  s.dim[0] = rows;
  const int within = v->b->within;
  v->b->within = written_around(v, region);
  const int c = reverse_add_carry(v, region, reverse_zeros(v, n.dtype, &s));
  v->b->within = reverse_written_in(v, region);
  v->carries.at[c].carry.next = reverse_put_row(v, reverse_carry(v, c), at, x, 0);
  v->b->within = within;
  return c;
}

/* The values of an old node of the region as the forward region keeps them: of a loop, those of all
 * its runs. */
static NodeId keep(Reverse *v, Back *k, NodeId i) {
  const Node n = *graph_node(v->b->graph, i);
  const Region *r = &v->entry->regions.at[k->region];
  const int64_t runs = k->levels                   ? k->segment[k->levels - 1]
                       : r->turns == TURNS_UNKNOWN ? r->most
                                                   : r->turns;
  v->b->span = n.span, v->b->site = n.site, v->b->precision = n.precision;
  if (r->kind != REGION_LOOP) {
    const int within = v->b->within;
    v->b->within = written_around(v, k->forward);
    const int c = reverse_add_carry(v, k->forward, reverse_zeros(v, n.dtype, &n.shape));
    v->carries.at[c].carry.next = k->found[i - k->from_node];
    v->b->within = within;
    return reverse_after(v, c);
  }
  if (n.shape.rank == MAX_RANK) {
    diag_error(v->diag, n.span,
               "the gradient through this loop keeps a tensor of %d dims for each run, and the "
               "stack would have one more than a tensor may have",
               n.shape.rank);
    return NO_NODE;
  }
  if (k->count == NO_NODE) k->count = reverse_count_runs(v, k->forward);
  return reverse_after(
      v, reverse_keep_rows(v, k->forward, k->found[i - k->from_node], k->count, runs));
}

NodeId reverse_keep(Reverse *v, Back *k, NodeId x) {
  const bool loops = v->entry->regions.at[k->region].kind == REGION_LOOP, back = v->b->back;
  v->b->back = v->b->stores = true;
  const NodeId kept = keep(v, k, k->old[x - k->start]);
  if (kept != NO_NODE) reverse_put_instead(v, x, loops ? reverse_row(v, kept, k->row, 0) : kept);
  v->b->back = back, v->b->stores = false;
  return kept;
}
