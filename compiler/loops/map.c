/* Maps: one nest over the dims of what is stored, or one loop over all elements where everything
 * lies in the same order. */
#include "loop_build.h"

static void map_loops(Loop *l, const Step *s, int d, const At *at, SplitDims split);

/* What is inside of all conditions of dim d apart from the rest, which asks for each element. */
static void map_inner(Loop *l, const Step *s, int d, const At *at, SplitDims split) {
  Cuts cut = {0};
  const At part = loop_inner_part(l, s, at, d, &cut);
  const Expr i = loop_index(l, at, d);
  loop_if(l, expr_within(l->x, i, loop_int(l, cut.at[0]), loop_int(l, cut.at[1])));
  map_loops(l, s, d + 1, &part, split);
  loop_else(l);
  map_loops(l, s, d + 1, at, (SplitDims){0});
  loop_close(l, 1);
}

/* A loop over a part of dim d; of the outermost one, where cores share it, what is in its range. */
static void open_range(Loop *l, int d, Expr i, Expr from, Expr to, LoopHow how) {
  const bool dealt = l->ranges && d == l->outermost;
  if (dealt) {
    const int64_t most = expr_node(l->x, i)->hi + 1;
    from = loop_further(l, from, loop_symbol(l, LOOP_PART_FROM, 0, most), true);
    to = loop_further(l, to, loop_symbol(l, "part_to", 0, most), false);
    from = loop_bound(l, "begin", i, true, from);
    to = loop_bound(l, "end", i, true, to);
  }
  loop_open_from(l, i, from, to, how);
  l->open.at[l->open.n - 1].of->within = dealt;
}

static void map_range(Loop *l, const Step *s, int d, const At *at, Expr from, Expr to) {
  open_range(l, d, loop_index(l, at, d), from, to, LOOP_PLAIN);
  map_body(l, s, at);
  loop_close(l, 1);
}

/* The interior of dim d: in the innermost loop by loops before, for and behind it; in others by
 * asking once a turn. */
static void map_ranged(Loop *l, const Step *s, int d, const At *at, SplitDims split, bool last) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  const Interior *in = &l->interior[d];
  const Expr i = loop_index(l, at, d), from = expr_sub(l->x, i, at->dim[d]),
             to = expr_add(l->x, from, loop_extent(l, n, d)),
             begin = in->from == NO_EXPR ? from : in->from, end = in->to == NO_EXPR ? to : in->to;
  if (!last) {
    loop_open_from(l, i, from, to, LOOP_OUTER);
    const Expr reaches =
        in->from == NO_EXPR ? loop_int(l, 1) : expr_compare(l->x, EXPR_LEAST, i, begin);
    loop_if(l, in->to == NO_EXPR ? reaches
                                 : expr_and(l->x, reaches, expr_compare(l->x, EXPR_LESS, i, end)));
  } else {
    if (in->from != NO_EXPR) map_range(l, s, d, at, from, begin);
    open_range(l, d, i, begin, end, LOOP_PLAIN);
    l->open.at[l->open.n - 1].of->within = true;
  }
  const int had = loop_holds(l, in);
  map_loops(l, s, d + 1, at, split);
  l->holds.n = had;
  if (!last) {
    loop_else(l);
    map_loops(l, s, d + 1, at, (SplitDims){0});
    loop_close(l, 2);
    return;
  }
  loop_close(l, 1);
  if (in->to != NO_EXPR) map_range(l, s, d, at, end, to);
}

/* The loops over dims from `d` on, and the body in them. */
static void map_loops(Loop *l, const Step *s, int d, const At *at, SplitDims split) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  const int last = loop_last(l, n, at);
  if (last < d) {
    map_body(l, s, at);
    return;
  }
  while (!has_loop(l, at, d)) d++;
  if (split.ranged >> d & 1) {
    map_ranged(l, s, d, at, split, d == last);
    return;
  }
  const LoopHow how = d == last ? LOOP_PLAIN : LOOP_OUTER;
  if (!(split.parts >> d & 1)) {
    if (in_band(l, s->nodes.at[0]) && d == last) {
      const Expr from = loop_integer(l, "from", live_from(l, n, at), true);
      const Expr to = loop_integer(l, "to", live_to(l, n, at), true);
      loop_open_from(l, at->dim[d], from, to, LOOP_PLAIN);
    } else {
      loop_open_dim(l, n, at, d, how);
    }
    if (split.inner >> d & 1)
      map_inner(l, s, d, at, split);
    else
      map_loops(l, s, d + 1, at, split);
    loop_close(l, 1);
    return;
  }
  Cuts cut = {0};
  loop_cuts(l, s, at, d, &cut);
  for (int i = 0; i + 1 < cut.n; i++) {
    const int64_t from = cut.at[i], to = cut.at[i + 1];
    const At part = at_part(l, at, d, from, to - 1);
    const bool one = to == from + 1 && !(l->ranges && d == l->outermost);
    const Expr i = to == from + 1 || l->ranges ? loop_index(l, at, d) : part.dim[d];
    if (!one) open_range(l, d, i, loop_int(l, from), loop_int(l, to), how);
    map_loops(l, s, d + 1, &part, split);
    loop_close(l, !one);
  }
}

static void map_split(Loop *l, const Step *s, const At *at, SplitDims split) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  const int last = loop_last(l, n, at);
  for (int d = last; d >= 0; d--)
    if (has_loop(l, at, d)) l->outermost = d;
  const uint32_t cut = split.parts | (last == l->outermost ? split.ranged : 0);
  l->cuts_outermost = !l->tile && cut >> l->outermost & 1;
  if (l->cuts_outermost && l->ranges) {
    l->apart = loop_symbol(l, LOOP_PART_FROM, 0, INT64_MAX);
    l->apart_extent = loop_extent(l, n, l->outermost);
  }
  for (int d = 0; d < n->shape.rank; d++)
    if (split.ranged >> d & 1) loop_interior_bounds(l, n, at, d, d == last, &l->interior[d]);
  map_loops(l, s, 0, at, split);
}

static void map_all(Loop *l, const Step *s, const At *at) {
  StepList groups = {0};
  SplitDims dims;
  At in_block = *at;
  if (at_in_block(l, graph_node(l->g, s->nodes.at[0]), &in_block)) {
    loop_split(l, s, &in_block, &dims);
    if (dims.inner) {
      map_loops(l, s, 0, &in_block, dims);
      return;
    }
    loop_in_tile(l);
  }
  if (loop_split(l, s, at, &dims) || s->nodes.n == 1 ||
      !loop_apart(l, s, at, dims.inner, &groups)) {
    map_split(l, s, at, dims);
    return;
  }
  for (int k = 0; k < groups.n; k++) {
    loop_step_is(l, groups.at[k].rest);
    loop_split(l, groups.at[k].own, at, &dims);
    map_split(l, groups.at[k].own, at, dims);
  }
  l->cuts_outermost = false; /* one of them may read what another wrote */
}

/* -------- first values -------- */

/* Elements whose numbers follow each other, in memory and among those of a draw. */
typedef struct Draws {
  Loop *l;
  Expr *now;    /* by expression: 1 + what is in its place */
  At at, begin; /* each element, at `index`; the first of them, at `from` */
  Expr index, from, n;
  NodeId into; /* whose memory has a draw next; NO_NODE: it has one */
} Draws;

/* A draw of f32 for each element goes into the memory of what is made of it. */
static Expr drawn(void *user, Expr e) {
  Draws *d = user;
  Loop *l = d->l;
  const ExprNode n = *expr_node(l->x, e);
  const char *index = expr_node(l->x, d->index)->name;
  if (n.kind != EXPR_RANDOM || n.type != DT_F32 || d->into == NO_NODE) return NO_EXPR;
  const Expr before = expr_sub(l->x, n.arg[2], d->index);
  if (expr_mentions(l->x, before, index) || expr_mentions(l->x, n.arg[0], index) ||
      expr_mentions(l->x, n.arg[1], index))
    return NO_EXPR;
  const Expr arg[] = {expr_address(l->x, loop_load(l, d->into, &d->begin)), n.arg[0], n.arg[1],
                      expr_add(l->x, d->from, before), d->n};
  loop_run(l, arena_printf(l->arena, "dtrt_draw_%s_f32", n.op->name), 5, arg);
  l->called_ops += n.op->flops * (double)most_elements(l, graph_node(l->g, d->into));
  const Expr has = loop_load(l, d->into, &d->at);
  d->into = NO_NODE;
  return has;
}

static bool draws(const Exprs *x, Expr e, bool *met) {
  const ExprNode *n = expr_node(x, e);
  if (met[e]) return false;
  met[e] = true;
  for (int i = 0; i < n->n; i++)
    if (draws(x, n->arg[i], met)) return true;
  return n->kind == EXPR_RANDOM && n->type == DT_F32;
}

/* First values of variables are drawn by the runtime, and loops do what is left. */
static bool is_drawn(Loop *l, const Step *s, const At *at) {
  if (!loop_runs_once(l) || l->tile) return false;
  for (int k = 0; k < s->nodes.n; k++) {
    if (graph_node(l->g, s->nodes.at[k])->dtype != DT_F32) continue;
    const Expr v = loop_value(l, s->nodes.at[k], at);
    if (draws(l->x, v, arena_array(l->arena, bool, l->x->n))) return true;
  }
  return false;
}

static void put_drawn(Draws *d, const Step *s, Expr to) {
  Loop *l = d->l;
  const int n = s->nodes.n;
  int left = 0;
  Expr *v = arena_array(l->arena, Expr, n);
  for (int k = 0; k < n; k++) v[k] = loop_value(l, s->nodes.at[k], &d->at);
  d->now = arena_array(l->arena, Expr, l->x->n);
  for (int k = 0; k < n; k++) {
    d->into = graph_node(l->g, s->nodes.at[k])->dtype == DT_F32 ? s->nodes.at[k] : NO_NODE;
    v[k] = expr_rewrite(l->x, v[k], d->now, drawn, d);
    left += v[k] != loop_load(l, s->nodes.at[k], &d->at);
  }
  l->f.fills_first = true;
  if (left) loop_open_from(l, d->index, d->from, to, LOOP_PLAIN);
  for (int k = 0; k < n; k++) {
    const Expr a = loop_load(l, s->nodes.at[k], &d->at);
    if (v[k] != a) loop_add(l, (LoopStmt){.kind = STMT_STORE, .a = a, .b = v[k]});
  }
  loop_close(l, left > 0);
}

static void map_drawn(Loop *l, const Step *s, const At *at, Expr count) {
  Expr from = loop_int(l, 0), to = count;
  l->cuts_outermost = true;
  if (l->ranges) {
    l->apart_extent = to;
    l->apart = from = loop_symbol(l, LOOP_PART_FROM, 0, INT64_MAX);
    to = loop_symbol(l, "part_to", 0, INT64_MAX);
  }
  Draws d = {.l = l, .at = *at, .begin = at_flat(from), .index = at->flat, .from = from};
  d.n = expr_sub(l->x, to, from);
  put_drawn(&d, s, to);
}

/* The same of rows, which lie apart: vectors and more. */
static bool map_drawn_rows(Loop *l, const Step *s, const At *at) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  const int last = loop_last(l, n, at);
  if (last < 1 || expr_node(l->x, at->dim[last])->kind != EXPR_SYMBOL || !is_drawn(l, s, at))
    return false;
  if (most_of(l, n, last) < machine_vector(loop_machine(l), sizeof(float))) return false;
  int loops = 0;
  for (int d = 0; d < last; d++) {
    if (!has_loop(l, at, d)) continue;
    if (!loops++) l->apart = at->dim[d], l->apart_extent = loop_extent(l, n, d);
    loop_open_dim(l, n, at, d, LOOP_OUTER);
  }
  const Expr to = loop_extent(l, n, last);
  Draws d = {.l = l, .at = *at, .begin = *at, .index = at->dim[last], .from = loop_int(l, 0)};
  d.begin.dim[last] = d.from, d.n = to;
  put_drawn(&d, s, to);
  loop_close(l, loops);
  return true;
}

static Loop *map_nest(const LoopSite *site, const Step *s, bool flat, bool deals) {
  Loop *l = loop_new(site);
  l->ranges = deals;
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  l->step = s;
  flat = flat && n->shape.rank > 0;
  for (int i = 0; i < s->nodes.n; i++) flat = flat && loop_is_flat(l, s->nodes.at[i]);
  l->f.flat = flat;
  if (flat) {
    const Expr count = site_product(l, n, 0, n->shape.rank, site_len);
    const At at = loop_flat_index(l, n, count);
    const Expr all = loop_param(l, PARAM_EXTENT, count);
    if (!is_int(l, count, 1) && is_drawn(l, s, &at)) {
      map_drawn(l, s, &at, all);
      return l;
    }
    if (!is_int(l, count, 1)) loop_open(l, at.flat, all, LOOP_PLAIN);
    map_body(l, s, &at);
    return l;
  }
  const At at = loop_join_last(l, s, n);
  if (!map_drawn_rows(l, s, &at)) map_all(l, s, &at);
  return l;
}

/* In its operand's place the window alone is written. */
static bool writes_window(const LoopSite *site, const Step *s) {
  const Graph *g = site->le->graph;
  const NodeId id = s->nodes.at[0];
  const Node *n = graph_node(g, id);
  const int *buffer = site->le->buffer;
  if (!n->op->updates || s->nodes.n > 1 || site->tile || !buffer || buffer[id] < 0) return false;
  for (int d = 0; d < n->shape.rank; d++)
    if (n->layout->dim[d].window.of) return false;
  return buffer[id] == buffer[node_base(g, n->operand[0])];
}

/* In a tile, what depends on the index itself (random numbers) wants the whole's. */
void build_map(const LoopSite *site, const Step *s, LoopFunction *out) {
  if (s->named) {
    build_map_named(site, s, out);
    return;
  }
  if (writes_window(site, s)) {
    build_map_window(site, s, out);
    return;
  }
  Loop *l = map_nest(site, s, true, false);
  if (l->tile && l->f.flat && l->f.params.n > 1) l = map_nest(site, s, false, false);
  if (l->cuts_outermost && loop_deals(l)) l = map_nest(site, s, l->f.flat, true);
  loop_done_as(l, s->nodes.at[0], out);
}
