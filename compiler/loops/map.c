/* Maps: one nest over the dims of what is stored, or one loop over all elements where everything
 * lies in the same order. */
#include "loop_build.h"

static void map_body(Loop *l, const Step *s, const At *at) {
  for (int i = 0; i < s->nodes.n; i++) {
    const Expr v = loop_value(l, s->nodes.at[i], at);
    loop_add(l, (LoopStmt){.kind = STMT_STORE, .a = loop_load(l, s->nodes.at[i], at), .b = v});
  }
}

/* The loops over dims from `d` on, and the body in them. `split`: a dim that is gone over in parts,
 * or -1. */
static void map_loops(Loop *l, const Step *s, int d, const At *at, int split, const Cuts *cut) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  int last = -1;
  for (int k = d; k < n->shape.rank; k++)
    if (has_loop(l, at, k)) last = k;
  if (last < 0) {
    map_body(l, s, at);
    return;
  }
  while (!has_loop(l, at, d)) d++;
  const LoopHow how = d == last ? LOOP_PLAIN : LOOP_OUTER;
  if (d != split) {
    if (in_band(l, s->nodes.at[0]) && d == last) {
      const Expr from = live_from(l, n, at);
      loop_open_from(l, at->dim[d], from, live_to(l, n, at), LOOP_PLAIN);
    } else {
      loop_open(l, at->dim[d], loop_extent(l, n, d), how);
    }
    map_loops(l, s, d + 1, at, split, cut);
    loop_close(l, 1);
    return;
  }
  for (int i = 0; i + 1 < cut->n; i++) {
    const int64_t from = cut->at[i], to = cut->at[i + 1];
    const At part = at_part(l, at, d, from, to - 1);
    const bool one = to == from + 1;
    if (!one) loop_open_from(l, part.dim[d], loop_int(l, from), loop_int(l, to), how);
    map_loops(l, s, d + 1, &part, -1, NULL);
    loop_close(l, !one);
  }
}

/* Elements that a map goes over: of the tile, if there is one. */
static Expr map_count(Loop *l, const Node *n) {
  Expr count = loop_int(l, 1);
  for (int d = 0; d < n->shape.rank; d++) count = expr_mul(l->x, count, site_len(l, n, d));
  return count;
}

static Loop *map_nest(const LoopSite *site, const Step *s, bool flat) {
  Loop *l = loop_new(site);
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  l->step = s;
  flat = flat && n->shape.rank > 0;
  for (int i = 0; i < s->nodes.n; i++) flat = flat && loop_is_flat(l, s->nodes.at[i]);
  l->f.flat = flat;
  if (flat) {
    const Expr count = map_count(l, n);
    const bool many = !is_int(l, count, 1);
    const At at = at_flat(many ? loop_symbol(l, "i", 0, most_elements(l, n) - 1) : loop_int(l, 0));
    if (many) loop_open(l, at.flat, loop_param(l, PARAM_EXTENT, count), LOOP_PLAIN);
    map_body(l, s, &at);
    return l;
  }
  const At at = loop_nest_index(l, n);
  Cuts cut = {0};
  const int split = l->tile ? -1 : loop_split(l, s, &at, &cut);
  map_loops(l, s, 0, &at, split, &cut);
  return l;
}

/* In a tile, what depends on the index itself (random numbers) wants the whole's. */
void build_map(const LoopSite *site, const Step *s, LoopFunction *out) {
  Loop *l = map_nest(site, s, true);
  const bool again = l->tile && l->f.flat && l->f.params.n > 1;
  loop_done_as(again ? l = map_nest(site, s, false) : l, s->nodes.at[0], out);
}
