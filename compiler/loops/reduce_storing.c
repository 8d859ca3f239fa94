/* A map and the reduction behind it in a tile as one loop, which stores what it adds up:
 *
 *   for i { r[i] = r[i] - a * q[i]; }             for i { v = r[i] - a * q[i]; r[i] = v;
 *   for i { sum += r[i] * r[i]; }          ->             sum += v * v; }
 *
 * A map that waits for memory has time to add up. So what it goes over in a tile is more than L1 has,
 * and no step before it in the tile has brought that there. Lines end with whole lanes or are many
 * of them: the rest of a line is put together from parts, for which it waits until all stores
 * before have been done. */
#include "loop_reduce.h"

static bool reads_node(const LocalEntry *le, const Step *s, Arena *a, NodeId id) {
  Reads reads = {0};
  step_reads(le, s, a, &reads);
  for (int i = 0; i < reads.n; i++)
    if (reads.at[i].node == id) return true;
  return step_stores(s, id);
}

/* A step of the tile before `made` reads it, or makes it. */
static bool was_there(const LoopSite *s, const Step *made, NodeId id) {
  for (const Step *t = s->tile->steps.at; t < made; t++)
    if (reads_node(s->le, t, s->plan->scratch, id)) return true;
  return false;
}

/* Bytes that the map goes over in a tile; 0: it finds all that it reads in cache. */
static int64_t bytes_in_tile(const LoopSite *s, const Step *made) {
  const Graph *g = s->le->graph;
  const Node *n = graph_node(g, made->nodes.at[0]);
  const TileNode *tile = tiles_node(s->tile, g, made->nodes.at[0]);
  const ArenaMark mark = arena_mark(s->plan->scratch);
  const Loop *l = loop_new(s);
  Reads reads = {0};
  int64_t elements = 1, size = 0;
  bool streams = false;
  for (int d = 0; d < n->shape.rank; d++) {
    const int loop = tile->loop[d];
    elements *= loop == IN_ROWS ? 1 : loop == NO_LOOP ? most_of(l, n, d) : s->tile->loop[loop].most;
  }
  step_reads(s->le, made, s->plan->scratch, &reads);
  for (int i = 0; i < made->nodes.n; i++)
    size += dtype_size(graph_node(g, made->nodes.at[i])->dtype);
  for (int i = 0; i < reads.n; i++) {
    if (!reads.at[i].aligned) continue;
    size += dtype_size(graph_node(g, reads.at[i].node)->dtype);
    streams = streams || !was_there(s, made, reads.at[i].node);
  }
  arena_release(s->plan->scratch, mark);
  return streams ? elements * size : 0;
}

/* The reduction reads what the map stores at its own index alone, over the same loops. */
static bool reads_in_step(const LoopSite *s, const Step *made, const Node *n) {
  const Graph *g = s->le->graph;
  const NodeId x = n->operand[0], base = node_base(g, x), first = made->nodes.at[0];
  const ArenaMark mark = arena_mark(s->plan->scratch);
  Reads reads = {0};
  bool any = false, aligned = same_space(graph_node(g, x), graph_node(g, first));
  if (s->le->stored[base])
    vec_push(s->plan->scratch, &reads,
             ((Read){base, same_space(graph_node(g, x), graph_node(g, base))}));
  else
    step_reads(s->le, &(Step){.kind = STEP_MAP, .nodes = {(NodeId *)&n->operand[0], 1, 1}},
               s->plan->scratch, &reads);
  for (int i = 0; i < reads.n; i++) {
    if (!step_stores(made, reads.at[i].node)) continue;
    any = true;
    aligned = aligned && reads.at[i].aligned;
  }
  arena_release(s->plan->scratch, mark);
  const TileNode *a = tiles_node(s->tile, g, x), *b = tiles_node(s->tile, g, first);
  for (int d = 0; a && b && d < graph_node(g, x)->shape.rank; d++)
    aligned = aligned && a->loop[d] == b->loop[d];
  return any && aligned && a && b;
}

/* It asks for its index, and would have loops for parts of it. */
static bool is_split(const LoopSite *s, const Step *made) {
  Loop *l = loop_new(s);
  l->step = made;
  const Node *n = graph_node(l->g, made->nodes.at[0]);
  const At at = loop_nest_index(l, n);
  At in_block = at;
  SplitDims dims = {0};
  const bool counts = at_in_block(l, n, &in_block);
  if (counts) loop_split(l, made, &in_block, &dims);
  if (dims.inner) return true;
  loop_in_tile(l);
  return !loop_split(l, made, &at, &dims) || dims.parts || dims.inner || dims.ranged;
}

static bool ends_with_lanes(const LoopSite *s, const Node *n) {
  const Loop *l = loop_new(s);
  const Node *x = graph_operand(l->g, n, 0);
  const int last = x->shape.rank - 1;
  const int64_t most = last < 0 ? 0 : most_of(l, x, last);
  const bool even = last >= 0 && dim_even(l->mesh, &x->layout->dim[last], x->shape.dim[last]);
  return most > LANES_BLOCK || (even && most % LANES == 0);
}

bool build_reduce_storing(const LoopSite *s, const Step *made, NodeId id, LoopFunction *out) {
  const Node *n = graph_node(s->le->graph, id);
  const int64_t l1 = machine_cache(s->plan->program->machine, CACHE_L1);
  if (!plan_has(s->plan, FEATURE_STORING) || !s->tile || s->tile->band.of != NO_NODE) return false;
  if (made->named || op_class(n) != OPC_REDUCE || !reads_in_step(s, made, n)) return false;
  if (!ends_with_lanes(s, n) || is_split(s, made) || bytes_in_tile(s, made) <= l1) return false;
  bool stores;
  Loop *l = reduce_nest(s, id, made, &stores);
  if (stores) loop_done_as(l, id, out);
  return stores;
}
