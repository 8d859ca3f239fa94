/* Compares the cost of a group's products in tiles with their cost as whole products. A tile of few
 * rows is slow: a product packs its operands for each call. By the machine's rates, a call of
 * m x n x k takes
 *
 *   2 m n k / flops + (m k + k n + m n) elements packed or stored, at the bandwidth of L2
 *
 * and tiles save the memory traffic of values with storage for one tile: one write, and one read
 * for each use. A product that shares no more with a group than an operand saves one read of it.
 * Recomputation for later groups is not counted: it saves memory, and the law of
 * bounded work limits it. */
#include "tile_group.h"

static double size_of(const Tiling *s, const Group *g, NodeId id, int d, const int64_t *most) {
  const LoopDims *x = most ? loop_map_find(&g->map, id) : NULL;
  const int loop = x ? x->loop[d] : NO_LOOP;
  return (double)(loop_map_lives(&g->map, loop) ? most[loop] : tiling_most(s, id, d));
}

/* By index letter: in both operands and the result, in one of them and the result, in both alone.
 */
static ProductSizes sizes_of(const Tiling *s, const Group *g, NodeId id, const int64_t *most) {
  const Node *n = graph_node(s->le->graph, id);
  const Letters l = product_letters(s->le->graph, n);
  const NodeId of[] = {n->operand[0], n->operand[1], id};
  const int64_t *const letter[] = {l.x, l.y, l.out};
  double size[26] = {0};
  for (int t = 0; t < 3; t++)
    for (int d = 0; d < graph_node(s->le->graph, of[t])->shape.rank; d++)
      size[letter[t][d]] = size_of(s, g, of[t], d, most);
  return product_sizes(&l, size);
}

static double tiles_of(const Tiling *s, const Group *g, const int64_t *most) {
  double tiles = 1;
  for (int i = 0; i < g->nloops; i++) {
    const int64_t n = tiling_most(s, g->map.ref[i].node, g->map.ref[i].dim);
    if (g->map.live >> i & 1) tiles *= (double)((n + most[i] - 1) / most[i]);
  }
  return tiles;
}

static double product_time(const Tiling *s, const Group *g, NodeId id, const int64_t *most) {
  const Machine *machine = s->plan->program->machine;
  const ProductSizes z = sizes_of(s, g, id, most);
  const double bytes = dtype_size(graph_node(s->le->graph, id)->dtype);
  const double cache = machine->cache[CACHE_L2].bandwidth;
  return z.batch * (2 * z.m * z.n * z.k / machine->flops +
                    (z.m * z.k + z.k * z.n + z.m * z.n) * bytes / cache);
}

bool tiling_pay(const Tiling *s, const Group *g, const int64_t *most) {
  const double tiles = tiles_of(s, g, most);
  double whole = 0, tiled = 0, saved = 0;
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    for (int k = 0; k < t->nodes.n; k++) {
      const NodeId id = t->nodes.at[k];
      if (s->is_inner[id]) saved += (double)tiling_bytes(s, id) * (1 + s->d.readers[id].n);
      if (t->kind != STEP_KERNEL) continue;
      whole += product_time(s, g, id, NULL);
      tiled += tiles * product_time(s, g, id, most);
    }
  }
  return tiled <= whole + saved / s->plan->program->machine->memory_bandwidth;
}

static bool pay_sharing(const Tiling *s, const Group *g, int k, const int64_t *most) {
  const NodeId id = s->le->steps.at[k].nodes.at[0];
  const Node *n = graph_node(s->le->graph, id);
  double saved = 0;
  for (int j = 0; j < n->noperands; j++) {
    const NodeId of = node_base(s->le->graph, n->operand[j]);
    bool shared = false;
    for (int i = 0; i < g->member.n; i++)
      shared = shared || (g->member.at[i] != k && reads_node(&s->d.reads[g->member.at[i]], of));
    if (shared) saved += (double)tiling_bytes(s, of);
  }
  return tiles_of(s, g, most) * product_time(s, g, id, most) <=
         product_time(s, g, id, NULL) + saved / s->plan->program->machine->memory_bandwidth;
}

/* Of a member: it makes what others read, or reads what they make. */
static bool is_linked(const Tiling *s, const Group *g, int index, int k) {
  for (int i = 0; i < s->d.reads[k].n; i++) {
    const int by = s->d.made_by[s->d.reads[k].at[i].node];
    if (by >= 0 && by != k && s->group_of[by] == index) return true;
  }
  for (int i = 0; i < g->member.n; i++)
    for (int j = 0; j < s->le->steps.at[k].nodes.n; j++)
      if (g->member.at[i] != k &&
          reads_node(&s->d.reads[g->member.at[i]], s->le->steps.at[k].nodes.at[j]))
        return true;
  return false;
}

/* A product that no more than reads what the group reads may make its tiles too small for it, and
 * then the group would be given up for its sake. */
bool tiling_may_stay(const Tiling *s, int index, int k) {
  const Group *g = s->groups.at[index];
  if (s->le->steps.at[k].kind != STEP_KERNEL || g->rows || is_linked(s, g, index, k)) return true;
  Group sized = *g; /* without the loops that a tile holds whole */
  int64_t most[MAX_TILE_LOOPS];
  tiling_sizes(s, &sized, most);
  return pay_sharing(s, &sized, k, most);
}
