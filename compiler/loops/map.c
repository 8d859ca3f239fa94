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

/* In its operand's place a row alone is written, where the device has all rows. */
static bool writes_row(const LoopSite *site, const Step *s) {
  const Graph *g = site->le->graph;
  const NodeId id = s->nodes.at[0];
  const Node *n = graph_node(g, id);
  const int *buffer = site->le->buffer;
  if (!n->op->updates || s->nodes.n > 1 || site->tile || !buffer || buffer[id] < 0) return false;
  const DimLayout *d = &n->layout->dim[node_attr(n, "axis")];
  return !d->naxes && !d->window.of && buffer[id] == buffer[node_base(g, n->operand[0])];
}

static void row_loops(Loop *l, NodeId id, int d, int dim, const At *at) {
  const Node *n = graph_node(l->g, id);
  At row = {.flat = NO_EXPR};
  int last = -1;
  for (int k = d; k < n->shape.rank; k++)
    if (k != dim && has_loop(l, at, k)) last = k;
  if (last >= 0) {
    while (d == dim || !has_loop(l, at, d)) d++;
    loop_open(l, at->dim[d], loop_extent(l, n, d), d == last ? LOOP_PLAIN : LOOP_OUTER);
    row_loops(l, id, d + 1, dim, at);
    loop_close(l, 1);
    return;
  }
  for (int k = 0; k < n->shape.rank; k++)
    if (k != dim) row.dim[k < dim ? k : k - 1] = at->dim[k];
  const Expr v = loop_value(l, n->operand[2], &row);
  loop_add(l, (LoopStmt){.kind = STMT_STORE, .a = loop_load(l, id, at), .b = v});
}

static Loop *map_row(const LoopSite *site, const Step *s) {
  Loop *l = loop_new(site);
  const NodeId id = s->nodes.at[0];
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis");
  l->step = s;
  At at = loop_nest_index(l, n);
  const At scalar = {.flat = NO_EXPR};
  const Expr index[] = {loop_value(l, n->operand[1], &scalar), loop_int(l, n->shape.dim[dim])};
  at.dim[dim] = expr_call(l->x, "dtrt_index", DT_I64, 2, index, 0, n->shape.dim[dim] - 1);
  row_loops(l, id, 0, dim, &at);
  return l;
}

/* In a tile, what depends on the index itself (random numbers) wants the whole's. */
void build_map(const LoopSite *site, const Step *s, LoopFunction *out) {
  if (writes_row(site, s)) {
    loop_done_as(map_row(site, s), s->nodes.at[0], out);
    return;
  }
  Loop *l = map_nest(site, s, true);
  const bool again = l->tile && l->f.flat && l->f.params.n > 1;
  loop_done_as(again ? l = map_nest(site, s, false) : l, s->nodes.at[0], out);
}
