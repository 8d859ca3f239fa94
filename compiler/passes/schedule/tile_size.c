/* The size of a tile of a group of steps. */
#include "tile_group.h"

static int64_t loop_most(const Tiling *s, const Group *g, int loop) {
  return tiling_most(s, g->map.ref[loop].node, g->map.ref[loop].dim);
}

/* Of all loops. */
static int64_t tiling_rows(const Tiling *s, const Group *g) {
  int64_t rows = 1;
  for (int i = 0; i < g->nloops; i++) rows *= loop_most(s, g, i);
  return rows;
}

static int64_t tile_size(const Tiling *s, const Group *g, const int64_t *most) {
  int64_t bytes = 0;
  for (int i = 0; i < g->again.n; i++) bytes += tiling_part(s, g, g->again.at[i], most);
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    for (int k = 0; k < t->nodes.n; k++) bytes += tiling_part(s, g, t->nodes.at[k], most);
  }
  return bytes;
}

/* A product of the group sums over the loop, or has it as its rows. */
static bool in_product(const Tiling *s, const Group *g, int loop, bool summed) {
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    if (t->kind != STEP_KERNEL) continue;
    const Node *n = graph_node(s->le->graph, t->nodes.at[0]);
    int with = 0;
    for (int k = 0; k < 2; k++) {
      const LoopDims *x = loop_map_find(&g->map, n->operand[k]);
      for (int d = 0; x && d < MAX_RANK; d++) with += x->loop[d] == loop;
    }
    bool sums = loop_map_summed(&g->map, t->nodes.at[0]) >> loop & 1;
    if (summed ? sums : !sums && with == 1) return true;
  }
  return false;
}

/* Loop i is that of the last dim. */
static bool is_last(const Tiling *s, const Group *g, int i) {
  return g->map.ref[i].dim == graph_node(s->le->graph, g->map.ref[i].node)->shape.rank - 1;
}

/* Elements of loop i that a vector takes at a time, of the last dim. */
static int64_t whole_vectors(const Tiling *s, const Group *g, int i) {
  const Node *n = graph_node(s->le->graph, g->map.ref[i].node);
  return is_last(s, g, i) ? machine_vector(s->plan->program->machine, dtype_size(n->dtype)) : 1;
}

/* Turns of loop i. Of the last dim as many as half of L2 holds: fewer would be pieces of lines that
 * lie far apart. */
static int64_t turns_fit(const Tiling *s, const Group *g, int i, const int64_t *most) {
  if (!g->rows) return s->budget / tile_size(s, g, most);
  return rows_fit(s, g, most, is_last(s, g, i) ? s->budget : s->row_tile);
}

/* The elements of loop i that a product of the group needs at least: whole parts of what it sums,
 * and of its rows more than one, which would be a vector. 1: it needs no more. */
static int64_t least(const Tiling *s, const Group *g, int i) {
  const int64_t n = loop_most(s, g, i);
  const int64_t most = in_product(s, g, i, true)    ? dtrt_gemm_part(n)
                       : in_product(s, g, i, false) ? KERNEL_ROWS
                                                    : 1;
  return most < n ? most : n;
}

/* Sets most[i], of which the budget holds `fit`. */
static void size_loop(const Tiling *s, const Group *g, int i, int64_t fit, int64_t *most) {
  const int64_t n = loop_most(s, g, i), vector = whole_vectors(s, g, i);
  const bool summed = in_product(s, g, i, true);
  if (fit < KERNEL_ROWS && in_product(s, g, i, false)) fit = KERNEL_ROWS;
  if (summed) fit = dtrt_gemm_part(n);
  if (!summed && fit > vector) fit -= fit % vector;
  most[i] = fit < n ? (fit > 1 ? fit : 1) : n;
  /* One row left over would be a matrix times a vector, which sums in another order. */
  while (!(summed && n > DTRT_GEMM_BLOCK) && most[i] > 1 && most[i] < n &&
         (n % most[i] == 1 || n % most[i] == 2))
    most[i] += summed ? 16 : 1;
  if (most[i] > n) most[i] = n;
}

/* From the innermost loop outwards, as much as the budget holds; loops within what fits are left to
 * the steps. Outside of one that is cut, tiles have single elements, or the `least` of products.
 * False: these would have made the inner ones smaller. */
static bool sizes(const Tiling *s, Group *g, bool leasts, int64_t *most) {
  bool cut = false;
  for (int i = 0; i < g->nloops; i++) most[i] = leasts && g->map.live >> i & 1 ? least(s, g, i) : 1;
  for (int i = g->nloops - 1; i >= 0; i--) {
    if (!(g->map.live >> i & 1) || (cut && least(s, g, i) == 1)) continue;
    if (cut && !leasts) return false;
    most[i] = 1;
    size_loop(s, g, i, cut ? 1 : turns_fit(s, g, i, most), most);
    if (most[i] < loop_most(s, g, i))
      cut = true;
    else
      g->map.live &= ~(1u << i);
  }
  return true;
}

void tiling_sizes(const Tiling *s, Group *g, int64_t *most) {
  const uint32_t live = g->map.live;
  if (g->epilogue) { /* the rows are one loop, that of the last dim */
    for (int i = 0; i < g->nloops; i++) most[i] = 1;
    const int64_t fit = rows_fit(s, g, most, s->row_tile), all = tiling_rows(s, g);
    most[g->nloops - 1] = fit < 1 ? 1 : fit < all ? fit : all;
    return;
  }
  if (sizes(s, g, false, most)) return;
  g->map.live = live;
  sizes(s, g, true, most);
}

bool tiling_keeps_sums(const Tiling *s, const Group *g, const int64_t *most) {
  for (int k = 0; k < g->member.n; k++) {
    const Step *t = &s->le->steps.at[g->member.at[k]];
    const uint32_t summed = loop_map_summed(&g->map, t->nodes.at[0]);
    bool single = true; /* of all loops before */
    for (int i = 0; t->kind == STEP_REDUCE && i < g->nloops; i++) {
      if (!(summed >> i & 1)) continue;
      if (!single && most[i] < loop_most(s, g, i)) return false;
      single = single && most[i] == 1;
    }
  }
  return true;
}
