/* Tiling: a chain of producers and consumers shares one outer tile loop, so that intermediates stay
 * in cache and need storage for one tile only. A chain begins at a product with a result larger
 * than its operands, such as attention's scores, and extends over the steps that use it, up to the
 * product that reduces them again:
 *
 *   score = q @ k ; e = exp(score - max) ; p = e / sum ; out = p @ v
 *   ->  for b, h, rows of s: { score = q[b, s, h] @ k[b, h] ; ... ; out[b, s, h] = p @ v[b, h] }
 *
 * Large intermediates shared between groups are recomputed rather than stored: attention's backward
 * pass recomputes the scores, as in FlashAttention (Dao et al. 2022). tile_rows.c and
 * tile_epilogue.c form groups of other kinds; all are sized, checked and written here.
 *
 * Tiles do not change any bit. A row of a product does not depend on the rows beside it, sums over
 * tiles keep the order of the sum, and where a product sums over a tile loop, tiles end at the
 * kernels' own blocks. */
#include "tile_band.h"
#include "sum_order.h"
#include "tile_group.h"
#include "work.h"

/* What a mask hides, and what it is computed from element by element. */
static void note_share(Tiling *s, NodeId id, double share) {
  const Graph *g = s->le->graph;
  const NodeId of = node_base(g, id);
  const Node *n = graph_node(g, of);
  if (share >= s->share[of]) return;
  s->share[of] = share;
  for (int k = 0; op_is(n, OPF_ELEMENTWISE) && k < n->noperands; k++)
    if (same_space(n, graph_operand(g, n, k))) note_share(s, n->operand[k], share);
}

static void find_masked(Tiling *s) {
  const Graph *g = s->le->graph;
  s->share = arena_array(s->plan->scratch, double, g->nodes.n + 1);
  for (int i = 0; i < g->nodes.n; i++) s->share[i] = 1;
  for (int i = 0; i < g->nodes.n && plan_has(s->plan, FEATURE_BAND); i++) {
    Band b;
    int dead;
    const Node *n = graph_node(g, i);
    if (n->dtype != DT_F32 || !band_of_mask(g, i, &b, &dead)) continue;
    if (n->shape.dim[n->shape.rank - 1] >= 2 * KERNEL_BAND)
      note_share(s, n->operand[3 - dead], work_band_share(&n->shape, b.row, b.low, b.high));
  }
}

/* What is broadcast along different dims, as the numbers of documents that rows and columns of a
 * mask are of. */
static void find_spread(Tiling *s) {
  const Graph *g = s->le->graph;
  const Node **first = arena_array(s->plan->scratch, const Node *, g->nodes.n + 1);
  s->spread = arena_array(s->plan->scratch, bool, g->nodes.n + 1);
  for (int i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (!op_is(n, OPF_REPEATS)) continue;
    const NodeId x = n->operand[0], base = node_base(g, x);
    if (!first[base]) first[base] = n;
    bool same = first[base]->operand[0] == x;
    for (int d = 0; same && d < graph_node(g, x)->shape.rank; d++)
      same = node_attrs(n, "dims")[d] == node_attrs(first[base], "dims")[d];
    s->spread[base] = s->spread[base] || !same;
  }
}

/* Tiles leave out what a mask hides, of the product and of another at least that reads it; its part
 * in the mask's band is computed once more for the backward pass. */
static bool saves_masked(const Tiling *s, NodeId id) {
  const double share = s->share[id];
  return !dtype_is_half(graph_operand(s->le->graph, graph_node(s->le->graph, id), 0)->dtype) &&
         share <= 2 * (1 - share);
}

/* A product whose result is larger than its operands, twice as large if its tiles share one, which
 * each packs again; or masked to a good part. */
static bool begins_group(const Tiling *s, const Step *step) {
  if (step->kind != STEP_KERNEL) return false;
  NodeId id = step->nodes.at[0];
  const Node *n = graph_node(s->le->graph, id);
  if (op_class(n) != OPC_PRODUCT || tiling_bytes(s, id) < s->budget ||
      n->shape.rank > MAX_TILE_LOOPS || s->d.at_end[id])
    return false;
  const bool batch = product_is_batch(s->le->graph, n);
  const int64_t read = tiling_bytes(s, n->operand[0]) + tiling_bytes(s, n->operand[1]);
  return (tiling_bytes(s, id) > (batch ? read : 2 * read) || saves_masked(s, id)) &&
         (batch || tiling_bytes(s, id) >= s->far);
}

static void find_groups(Tiling *s) {
  int open = 0; /* groups before it are closed */
  for (int k = 0; k < s->le->steps.n; k++) {
    bool joined = false;
    for (int i = open; i < s->groups.n; i++) {
      Group *g = s->groups.at[i];
      if (k - g->member.at[g->member.n - 1] > TILE_STEPS) g->closed = true;
      if (!g->closed && !joined && !group_reads_after(s, g, k)) joined = group_join(s, i, k, false);
    }
    while (open < s->groups.n && s->groups.at[open]->closed) open++;
    if (!joined && begins_group(s, &s->le->steps.at[k]))
      group_begin(s, k, s->le->steps.at[k].nodes.at[0], false);
    for (int i = open; i < s->groups.n; i++) group_note_after(s, s->groups.at[i], i, k);
  }
}

/* Steps that were rejected because of loops removed since, or that come before the first. */
static void join_late(Tiling *s, int index) {
  Group *g = s->groups.at[index];
  int first = g->member.at[0] - TILE_STEPS, last = g->member.at[g->member.n - 1] + TILE_STEPS;
  for (int k = first < 0 ? 0 : first; k < last && k < s->le->steps.n; k++)
    if (s->group_of[k] < 0) group_join(s, index, k, true);
}

static void order_groups(Tiling *s) {
  for (int i = 0; i < s->groups.n; i++) {
    if (s->groups.at[i]->member.n > 1 && group_gathers(s, i)) join_late(s, i);
    if (s->groups.at[i]->member.n < 2 || !group_gather(s, i)) group_dissolve(s, i);
  }
}

/* -------- recomputed values, and values with memory for one tile -------- */

static Step step_of(const Tiling *s, Arena *a, NodeId id) {
  Step t = {.kind = s->le->steps.at[s->d.made_by[id]].kind};
  vec_push(a, &t.nodes, id);
  return t;
}

/* The group can recompute the value, tile by tile. */
static bool can_repeat(Tiling *s, Group *g, NodeId id) {
  LoopMap fresh = {.arena = s->plan->scratch, .le = s->le};
  Step t = step_of(s, fresh.arena, id);
  uint32_t used;
  if (!loop_map_find(&g->map, id) || loop_map_beyond(&g->map, id) ||
      !loop_map_step(&g->map, &t, &fresh, &used) || used != g->map.live ||
      !loop_map_add(&g->map, &fresh))
    return false;
  return loop_map_summed(&g->map, id) == 0 && group_fits(s, g);
}

static void add_once(Arena *a, IntVec *v, int x) {
  for (int i = 0; i < v->n; i++)
    if (v->at[i] == x) return;
  vec_push(a, v, x);
}

/* Bounded work: recomputing it in n groups leaves all recomputation in tiles at no more
 * than what the entry takes without. */
static bool may_repeat(const Tiling *s, NodeId id, int n) {
  Step t = step_of(s, s->plan->scratch, id);
  return s->again + n * cost_step_flops(s->plan, s->le, &t) <= s->work &&
         s->repeats + n <= s->values;
}

/* Only groups read it, and those that do not compute it can recompute it. */
static void decide(Tiling *s, NodeId id) {
  Arena *a = s->plan->scratch;
  int own = s->group_of[s->d.made_by[id]];
  IntVec at = {0};
  if (s->groups.at[own]->epilogue &&
      id == s->le->steps.at[s->groups.at[own]->member.at[0]].nodes.at[0])
    return; /* the kernel writes all of it */
  if (s->d.at_end[id] || loop_map_summed(&s->groups.at[own]->map, id)) return;
  for (int i = 0; i < s->d.readers[id].n; i++) {
    int group = s->group_of[s->d.readers[id].at[i]];
    if (group < 0) return;
    if (group != own) add_once(a, &at, group);
  }
  for (int i = 0; i < s->wanted[id].n; i++)
    if (s->wanted[id].at[i] != own) add_once(a, &at, s->wanted[id].at[i]);
  bool rows = s->groups.at[own]->rows;
  for (int i = 0; i < at.n; i++) rows = rows || s->groups.at[at.at[i]]->rows;
  if (at.n && (rows || tiling_bytes(s, id) < s->budget)) return;
  for (int i = 0; i < at.n; i++)
    if (!can_repeat(s, s->groups.at[at.at[i]], id)) return;
  if (!may_repeat(s, id, at.n)) return;
  for (int i = 0; i < at.n; i++) /* in another run of a loop it could be another value */
    if (s->le->steps.at[s->groups.at[at.at[i]]->member.at[0]].segment !=
        s->le->steps.at[s->d.made_by[id]].segment)
      return;
  s->is_inner[id] = true;
  Reads r = {0};
  Step t = step_of(s, a, id);
  step_reads(s->le, &t, a, &r);
  s->again += at.n * cost_step_flops(s->plan, s->le, &t);
  s->repeats += at.n;
  for (int i = 0; i < at.n; i++) {
    vec_push(a, &s->groups.at[at.at[i]]->again, id);
    for (int k = 0; k < r.n; k++) add_once(a, &s->wanted[r.at[k].node], at.at[i]);
  }
}

static void decide_all(Tiling *s) {
  Arena *a = s->plan->scratch;
  int n = s->le->graph->nodes.n;
  s->wanted = arena_array(a, IntVec, n + 1);
  for (int t = 0; t < s->le->steps.n; t++)
    s->work += cost_step_flops(s->plan, s->le, &s->le->steps.at[t]),
        s->values += s->le->steps.at[t].nodes.n;
  for (int t = s->le->steps.n - 1; t >= 0; t--)
    for (int i = s->le->steps.at[t].nodes.n - 1; s->group_of[t] >= 0 && i >= 0; i--)
      decide(s, s->le->steps.at[t].nodes.at[i]);
}

/* -------- which groups stay -------- */

/* Tiles of rows pay unless one would hold all that is read, as of one row of a stack. */
static bool keeps_products_fast(const Tiling *s, const Group *g) {
  Group sized = *g; /* without the loops that a tile holds whole */
  int64_t most[MAX_TILE_LOOPS];
  tiling_sizes(s, &sized, most);
  if (!tiling_keeps_sums(s, g, most)) return false;
  return g->rows ? sized.map.live & 1 : tiling_pay(s, &sized, most);
}

static bool pays(const Tiling *s, const Group *g) {
  bool saves = g->again.n > 0 || g->rows;
  for (int k = 0; k < g->member.n; k++) {
    const Step *t = &s->le->steps.at[g->member.at[k]];
    for (int j = 0; j < t->nodes.n; j++)
      saves =
          saves || (s->is_inner[t->nodes.at[j]] && tiling_bytes(s, t->nodes.at[j]) >= s->budget);
  }
  return saves && keeps_products_fast(s, g);
}

/* Its values are stored whole from now on, also those of other groups that it would have
 * recomputed. */
static void drop(Tiling *s, int index) {
  const Group *g = s->groups.at[index];
  for (int k = 0; k < g->member.n; k++) {
    const Step *t = &s->le->steps.at[g->member.at[k]];
    for (int j = 0; j < t->nodes.n; j++) s->is_inner[t->nodes.at[j]] = false;
  }
  for (int i = 0; i < g->again.n; i++) s->is_inner[g->again.at[i]] = false;
  group_dissolve(s, index);
}

/* What is stored is read, not recomputed. */
static void forget_stored(const Tiling *s, Group *g) {
  int n = 0;
  for (int i = 0; i < g->again.n; i++)
    if (s->is_inner[g->again.at[i]]) g->again.at[n++] = g->again.at[i];
  g->again.n = n;
}

/* Groups that save no memory, or whose tiles are too small for their products, are dissolved; one
 * may be the reason of the next. */
static void drop_idle(Tiling *s) {
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < s->groups.n; i++) {
      Group *g = s->groups.at[i];
      if (!g->member.n) continue;
      forget_stored(s, g);
      if (pays(s, g)) continue;
      drop(s, i);
      again = true;
    }
  }
}

/* -------- the new steps -------- */

static void add_node(const Tiling *s, const Group *g, const int *number, Tiles *tile,
                     const LoopDims *x) {
  TileNode n = {
      .node = x->node, .inner = s->is_inner[x->node], .beyond = loop_map_beyond(&g->map, x->node)};
  for (int d = 0; d < MAX_RANK; d++) {
    const bool loops = loop_map_lives(&g->map, x->loop[d]);
    n.loop[d] = (int8_t)(loops ? number[x->loop[d]] : NO_LOOP);
  }
  /* What is made elsewhere is not added up here, though its operands may be read here, too. */
  const int by = s->d.made_by[x->node];
  const bool own = by >= 0 && s->group_of[by] == s->group_of[g->member.at[0]];
  const uint32_t summed = own ? loop_map_summed(&g->map, x->node) : 0;
  for (int i = 0; i < g->nloops; i++)
    if (summed >> i & 1 && number[i] != IN_ROWS) n.sums |= 1u << number[i];
  if (!loop_map_any(&g->map, x) && !n.sums) return;
  vec_push(s->plan->arena, &tile->nodes, n);
  lookup_put(&tile->at, s->plan->arena, graph_node(s->le->graph, x->node), tile->nodes.n);
}

static void put_tile_nest(Tiling *s, Group *g, Step *out) {
  Arena *a = s->plan->arena;
  Tiles *tile = arena_new_of(a, Tiles);
  int64_t most[MAX_TILE_LOOPS], all[MAX_TILE_LOOPS] = {0};
  int number[MAX_TILE_LOOPS] = {0};
  tile->epilogue = g->epilogue > 0;
  tiling_sizes(s, g, most);
  for (int i = 0; i < g->nloops; i++) {
    all[i] = most[i];
    if (!(g->map.live >> i & 1)) continue;
    if (g->epilogue && i + 1 < g->nloops) {
      number[i] = IN_ROWS;
      continue;
    }
    number[i] = tile->nloops++;
    tile->loop[number[i]] = (TileLoop){g->map.ref[i].node, g->map.ref[i].dim, most[i]};
  }
  for (int i = 0; i < g->map.known.n; i++)
    if (loop_map_find(&g->map, g->map.known.at[i].node) == &g->map.known.at[i])
      add_node(s, g, number, tile, &g->map.known.at[i]);
  for (int i = g->again.n - 1; i >= 0; i--)
    vec_push(a, &tile->steps, step_of(s, a, g->again.at[i]));
  for (int i = 0; i < g->member.n; i++) vec_push(a, &tile->steps, s->le->steps.at[g->member.at[i]]);
  *out =
      (Step){.kind = STEP_TILES, .segment = s->le->steps.at[g->member.at[0]].segment, .tile = tile};
  for (int i = 0; i < tile->steps.n; i++)
    for (int k = 0; k < tile->steps.at[i].nodes.n; k++) {
      NodeId id = tile->steps.at[i].nodes.at[k];
      if (!tiles_node(tile, s->le->graph, id)) { /* a sum over all loops has no dim of them */
        const LoopDims none = loop_dims_none(id);
        add_node(s, g, number, tile, &none);
      }
      int64_t bytes = tiling_part(s, g, id, all);
      vec_push(a, &out->nodes, id);
      if (s->is_inner[id] && bytes > s->le->tile_bytes[id]) s->le->tile_bytes[id] = bytes;
    }
  if (g->rows) tile_units(s, tile);
  if (g->epilogue)
    tile->band = (TileBand){.of = NO_NODE, .vanishes = NO_NODE};
  else
    tile_band(s->plan, s->le, tile);
}

static void tile_entry(Plan *p, LocalEntry *le) {
  Arena *a = p->scratch;
  const int64_t l2 = machine_cache(p->program->machine, CACHE_L2);
  Tiling s = {.plan = p,
              .le = le,
              .budget = l2 / 2,
              .row_tile = l2 / 16,
              .least_epilogue = l2 / 4,
              .may_stay = tiling_may_stay};
  for (int l = 0; l < CACHE_LEVELS; l++) {
    const int64_t size = (int64_t)p->program->machine->cache[l].size;
    if (size > s.far) s.far = size;
  }
  int n = le->graph->nodes.n;
  le->tile_bytes = arena_array(p->arena, int64_t, n + 1);
  if (p->observe || !plan_has(p, FEATURE_TILE)) return;
  s.d = depend_of(a, le);
  s.moved = arena_array(a, int64_t, n + 1);
  s.group_of = arena_array(a, int, le->steps.n + 1);
  s.is_inner = arena_array(a, bool, n + 1);
  s.place = arena_array(a, int, le->steps.n + 1);
  s.is_late = arena_array(a, bool, le->steps.n + 1);
  s.is_late_group = arena_array(a, bool, le->steps.n + 1); /* no more groups than steps */
  for (int t = 0; t < le->steps.n; t++) {
    vec_push(a, &s.order, t);
    s.place[t] = t;
    s.group_of[t] = -1;
  }
  find_masked(&s);
  find_spread(&s);
  find_groups(&s);
  order_groups(&s);
  epilogues_find(&s);
  rows_find(&s);
  if (!s.groups.n) return;
  decide_all(&s);
  drop_idle(&s);
  StepVec out = {0};
  for (int i = 0; i < s.order.n; i++) {
    int k = s.order.at[i], of = s.group_of[k];
    Step step = le->steps.at[k];
    if (of >= 0 && s.groups.at[of]->member.at[0] != k) continue;
    if (of >= 0) put_tile_nest(&s, s.groups.at[of], &step);
    vec_push(p->arena, &out, step);
  }
  le->steps = out;
}

void tile(Plan *p) {
  const ArenaMark mark = arena_mark(p->scratch);
  for (int i = 0; i < p->entries.n; i++) {
    tile_entry(p, &p->entries.at[i]);
    arena_release(p->scratch, mark);
  }
}
