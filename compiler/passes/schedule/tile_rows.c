/* Tiles of rows: groups loops over the same large values, such as reductions along rows with their
 * uses, and sums over all rows. Run on a few rows at a time (tile.c), they pass over memory once:
 * the first loop brings a tile into cache and the others find it there.
 *
 *   mean = sum(x) ; var = sum((x - mean)^2) ; y = (x - mean) * rsqrt(var)
 *   ->  for tiles of rows: { mean = sum(x[rows]) ; var = ... ; y[rows] = ... }
 *
 * A sum over rows continues from tile to tile; its uses need another pass. Updates of variables do
 * not join. --disable=rows turns it off; the bits are the same. */
#include <string.h>
#include "tile_group.h"

typedef struct RowTiling {
  Tiling *s;
  int *touched; /* by node: 1 + the last group in whose loops it was read or made; 0: none */
} RowTiling;

static const Node *first_node(const Tiling *s, int k) {
  return graph_node(s->le->graph, s->le->steps.at[k].nodes.at[0]);
}

static bool is_row_step(const RowTiling *r, int k) {
  const Tiling *s = r->s;
  const Step *t = &s->le->steps.at[k];
  const Node *n = first_node(s, k);
  if (s->group_of[k] >= 0 || !t->nodes.n || step_updates(s->le->graph, t)) return false;
  for (int i = 0; i < t->nodes.n; i++)
    if (s->d.variable[t->nodes.at[i]] >= 0) return false;
  return t->kind == STEP_MAP || (t->kind == STEP_REDUCE && op_class(n) == OPC_REDUCE);
}

static bool is_large(const Tiling *s, NodeId id) { return tiling_bytes(s, id) >= s->budget; }

/* The step goes over a large value, and over more of it than stays in cache: not where it takes a
 * row of a table, or a window. */
static bool goes_over(const Tiling *s, int k, NodeId id) {
  const Step *t = &s->le->steps.at[k];
  const Node *n = first_node(s, k);
  const NodeId over = t->kind == STEP_REDUCE ? n->operand[0] : t->nodes.at[0];
  const int64_t elements =
      tiling_bytes(s, over) / dtype_size(graph_node(s->le->graph, over)->dtype);
  return is_large(s, id) && elements * dtype_size(graph_node(s->le->graph, id)->dtype) >= s->budget;
}

static bool touches_large(const Tiling *s, int k) {
  for (int i = 0; i < s->d.reads[k].n; i++)
    if (goes_over(s, k, s->d.reads[k].at[i].node)) return true;
  for (int i = 0; i < s->le->steps.at[k].nodes.n; i++)
    if (is_large(s, s->le->steps.at[k].nodes.at[i])) return true;
  return false;
}

/* What runs in the group's loops is where the next step finds it. */
static void touch(RowTiling *r, NodeId id, int index) {
  Group *g = r->s->groups.at[index];
  if (loop_map_any(&g->map, loop_map_find(&g->map, id))) r->touched[id] = 1 + index;
}

static void touch_step(RowTiling *r, int k, int index) {
  for (int i = 0; i < r->s->d.reads[k].n; i++) touch(r, r->s->d.reads[k].at[i].node, index);
  for (int i = 0; i < r->s->le->steps.at[k].nodes.n; i++)
    touch(r, r->s->le->steps.at[k].nodes.at[i], index);
}

static bool join(RowTiling *r, int k, int index) {
  Tiling *s = r->s;
  Group *g = s->groups.at[index];
  if (!g->rows || k - g->member.at[g->member.n - 1] > ROWS_STEPS) return false;
  while (g->member.at[0] + g->after.n < k)
    group_note_after(s, g, index, g->member.at[0] + g->after.n);
  if (group_reads_after(s, g, k) || !group_join(s, index, k, true)) return false;
  touch_step(r, k, index);
  return true;
}

static bool join_any(RowTiling *r, int k) {
  int tried = 0;
  for (int i = 0; i < r->s->d.reads[k].n; i++) {
    int group = r->touched[r->s->d.reads[k].at[i].node];
    if (!group || group == tried) continue;
    if (join(r, k, group - 1)) return true;
    tried = group;
  }
  return false;
}

static void begin(RowTiling *r, int k) {
  Tiling *s = r->s;
  const Node *n = first_node(s, k);
  NodeId over =
      s->le->steps.at[k].kind == STEP_MAP ? s->le->steps.at[k].nodes.at[0] : n->operand[0];
  if (graph_node(s->le->graph, over)->shape.rank > MAX_TILE_LOOPS || !group_begin(s, k, over, true))
    return;
  touch_step(r, k, s->groups.n - 1);
}

/* A turn has one piece of it, of all dims behind those that loops run over. */
static bool is_in_one_piece(const Tiling *s, const Group *g, NodeId id) {
  const LoopDims *x = loop_map_find(&g->map, id);
  const int rank = graph_node(s->le->graph, id)->shape.rank;
  bool before = true;
  for (int d = 0; d < rank; d++) {
    const bool loops = x && loop_map_lives(&g->map, x->loop[d]);
    if (loops && !before) return false;
    before = before && (loops || tiling_most(s, id, d) == 1);
  }
  return true;
}

/* What is read or made where the group sees a value: a view is of what it shows, unless the group
 * sees that itself. What turns have pieces of, as of groups of channels, is better done by whole
 * loops. */
static NodeId seen_in(const Tiling *s, const Group *g, NodeId id) {
  const NodeId base = node_base(s->le->graph, id);
  const LoopDims *known = base == id ? NULL : loop_map_find(&g->map, base);
  if (known && loop_map_any(&g->map, known)) return id;
  return base == id || is_in_one_piece(s, g, id) ? base : id;
}

/* How often members read or make a value; `over`: and go over it. */
static int times_touched(const Tiling *s, const Group *g, NodeId id, bool over) {
  int times = 0;
  for (int i = 0; i < g->member.n; i++) {
    const int k = g->member.at[i];
    const bool counts = !over || goes_over(s, k, id);
    for (int j = 0; counts && j < s->d.reads[k].n; j++) times += s->d.reads[k].at[j].node == id;
    times += step_stores(&s->le->steps.at[k], id);
  }
  return times;
}

/* Two members go over the same large value, a part of it in each turn. */
static bool pays(const Tiling *s, const Group *g) {
  for (int i = 0; i < g->map.known.n; i++) {
    const NodeId id = g->map.known.at[i].node;
    if (is_large(s, id) && loop_map_any(&g->map, loop_map_find(&g->map, id)) &&
        times_touched(s, g, seen_in(s, g, id), true) > 1)
      return true;
  }
  return false;
}

/* By node of the group and by what it reads: 1 + the bytes that ops which move elements read of it
 * in a tile, such as the row of a stack that a run of a loop reads; 0: something else reads it. */
static void bytes_moved(const Tiling *s, const Group *g, const int64_t *most, int64_t *moved) {
  const Graph *graph = s->le->graph;
  for (int i = 0; i < g->map.known.n; i++) {
    const NodeId id = g->map.known.at[i].node;
    const Node *n = graph_node(graph, id);
    moved[id] = 0;
    for (int k = 0; k < n->noperands; k++) moved[node_base(graph, n->operand[k])] = 0;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < g->map.known.n; i++) {
      const NodeId id = g->map.known.at[i].node;
      const Node *n = graph_node(graph, id);
      if (node_base(graph, id) != id) continue; /* a view: its readers say */
      const bool moves = op_is(n, OPF_MOVES) && !op_is(n, OPF_REPEATS);
      for (int k = 0; k < n->noperands; k++) {
        int64_t *at = &moved[node_base(graph, n->operand[k])];
        if (!pass && moves) *at += tiling_part(s, g, id, most) + !*at;
        if (pass && !moves) *at = 0;
      }
    }
}

/* What every tile reads alike, such as a table of embeddings, makes no tile smaller. */
int64_t rows_fit(const Tiling *s, const Group *g, const int64_t *most, int64_t budget) {
  int64_t bytes = 1;
  int64_t *moved = s->moved;
  bytes_moved(s, g, most, moved);
  for (int i = 0; i < g->map.known.n; i++) {
    const LoopDims *x = &g->map.known.at[i];
    const NodeId of = seen_in(s, g, x->node);
    if (loop_map_find(&g->map, x->node) == x && loop_map_any(&g->map, x) &&
        times_touched(s, g, of, false)) {
      const int64_t part = tiling_part(s, g, x->node, most), some = moved[of] - 1;
      bytes += some >= 0 && some < part ? some : part;
    }
  }
  return budget / bytes;
}

void rows_find(Tiling *s) {
  const LocalEntry *le = s->le;
  int first = s->groups.n;
  RowTiling r = {.s = s, .touched = arena_array(s->plan->scratch, int, le->graph->nodes.n + 1)};
  if (!plan_has(s->plan, FEATURE_ROWS)) return;
  for (int k = 0; k < le->steps.n; k++)
    if (is_row_step(&r, k) && !join_any(&r, k) && touches_large(s, k)) begin(&r, k);
  for (int i = first; i < s->groups.n; i++)
    if (s->groups.at[i]->member.n < 2 || !pays(s, s->groups.at[i]) || !group_gather(s, i))
      group_dissolve(s, i);
}
