/* See loop_map.h. Loops propagate from known values up to a step's results, factor by factor of
 * each op's equation, and from there down to all operands, where they must agree. */
#include "loop_map.h"
#include <string.h>

typedef struct MapWalk {
  LoopMap *m, *fresh;
  const Step *step;
  Lookup up_done;
} MapWalk;

LoopDims *loop_map_find(const LoopMap *m, NodeId id) {
  int at = lookup_get(&m->at, graph_node(m->le->graph, id));
  return at ? &m->known.at[at - 1] : NULL;
}

void loop_map_put(LoopMap *m, const LoopDims *d) {
  vec_push(m->arena, &m->known, *d);
  lookup_put(&m->at, m->arena, graph_node(m->le->graph, d->node), m->known.n);
}

LoopDims loop_dims_none(NodeId id) {
  LoopDims d = {.node = id};
  memset(d.loop, NO_LOOP, sizeof d.loop);
  return d;
}

uint32_t loop_map_loops(const LoopMap *m, const LoopDims *d) {
  uint32_t loops = 0;
  for (int i = 0; d && i < MAX_RANK; i++)
    if (loop_map_lives(m, d->loop[i])) loops |= 1u << d->loop[i];
  return loops;
}

bool loop_map_beyond(const LoopMap *m, NodeId id) {
  for (int i = 0; i < m->beyond.n; i++)
    if (m->beyond.at[i].node == id && m->beyond.at[i].loops & m->live) return true;
  return false;
}

/* Some use sees all of the node. */
static bool is_whole(const LoopMap *m, NodeId id) {
  for (int i = 0; i < m->whole.n; i++)
    if (m->whole.at[i] == id) return true;
  return false;
}

bool loop_map_add(LoopMap *m, const LoopMap *fresh) {
  for (int i = 0; i < fresh->known.n; i++)
    if (loop_map_any(m, &fresh->known.at[i]) &&
        (is_whole(m, fresh->known.at[i].node) || is_whole(fresh, fresh->known.at[i].node)))
      return false;
  for (int i = 0; i < fresh->known.n; i++) loop_map_put(m, &fresh->known.at[i]);
  for (int i = 0; i < fresh->beyond.n; i++) vec_push(m->arena, &m->beyond, fresh->beyond.at[i]);
  for (int i = 0; i < fresh->whole.n; i++) vec_push(m->arena, &m->whole, fresh->whole.at[i]);
  return true;
}

LoopsKnown loop_map_mark(const LoopMap *m) {
  return (LoopsKnown){m->live, m->known.n, m->beyond.n, m->whole.n};
}

void loop_map_return(LoopMap *m, LoopsKnown to) {
  m->live = to.live;
  for (; m->known.n > to.known; m->known.n--)
    lookup_put(&m->at, m->arena, graph_node(m->le->graph, m->known.at[m->known.n - 1].node), 0);
  m->beyond.n = to.beyond, m->whole.n = to.whole;
}

static const LoopDims *known(const MapWalk *w, NodeId id) {
  const LoopDims *d = loop_map_find(w->fresh, id);
  return d ? d : loop_map_find(w->m, id);
}

/* It is there in memory. Of a value that these loops do not make, a view is as good as the value:
 * the same bytes under other dims, of which the loops may run over one, as over the heads that a
 * reshape makes of a product's columns. */
static bool is_read(const MapWalk *w, NodeId id) {
  const Graph *g = w->m->le->graph;
  const NodeId base = node_base(g, id);
  if (!w->m->le->stored[base] || step_stores(w->step, base)) return false;
  return base == id ||
         (!shape_equal_but_ones(&graph_node(g, id)->shape, &graph_node(g, base)->shape) &&
          !known(w, base));
}

/* A view of it was taken for something that is there before the loops. */
static bool is_viewed(const LoopMap *m, NodeId id) {
  for (int i = 0; i < m->known.n; i++)
    if (m->known.at[i].node != id && node_base(m->le->graph, m->known.at[i].node) == id &&
        !loop_map_find(m, id))
      return true;
  return false;
}

/* The one factor that a dim stands for; NO_FACTOR: none, or several. */
static int sole_factor(const Rule *r, const RuleDim *rd) {
  int f = NO_FACTOR;
  for (int i = 0; i < rd->n; i++) {
    if (r->factor[rd->factor[i]].size == 1) continue;
    if (f != NO_FACTOR) return NO_FACTOR;
    f = rd->factor[i];
  }
  return f;
}

/* The loops of the dims of a tensor go to the factors; false: two loops for one, or a dim that is
 * no plain factor. */
static bool to_factors(const MapWalk *w, const Rule *r, const RuleDim *rd, const LoopDims *d,
                       int8_t *loop_of, bool sums) {
  for (int i = 0; d && i < MAX_RANK; i++) {
    if (!loop_map_lives(w->m, d->loop[i])) continue;
    int f = rd[i].window.of ? NO_FACTOR : sole_factor(r, &rd[i]);
    if (f == NO_FACTOR || r->factor[f].kind == FACTOR_SHIFT || r->factor[f].kind == FACTOR_WHOLE ||
        (r->factor[f].kind == FACTOR_REDUCE && !sums))
      return false;
    if (loop_of[f] != NO_LOOP && loop_of[f] != d->loop[i]) return false;
    loop_of[f] = d->loop[i];
  }
  return true;
}

/* And from the factors to a tensor; all dims of a loop have equal layouts. */
static bool from_factors(const MapWalk *w, const Rule *r, const RuleDim *rd, const int8_t *loop_of,
                         LoopDims *out) {
  const Graph *g = w->m->le->graph;
  const Node *n = graph_node(g, out->node);
  uint32_t had = 0;
  for (int d = 0; d < n->shape.rank; d++)
    for (int i = 0; i < rd[d].n; i++) {
      int loop = loop_of[rd[d].factor[i]];
      if (loop == NO_LOOP) continue;
      const Node *ref = graph_node(g, w->m->ref[loop].node);
      int at = w->m->ref[loop].dim;
      if (rd[d].window.of || sole_factor(r, &rd[d]) != rd[d].factor[i] || had >> loop & 1 ||
          n->shape.dim[d] != ref->shape.dim[at] ||
          !dim_equal(&n->layout->dim[d], &ref->layout->dim[at]))
        return false;
      had |= 1u << loop;
      out->loop[d] = (int8_t)loop;
    }
  return true;
}

/* A gather finds the whole of its dim in one turn, though devices may add theirs up. */
static bool adds_up(const Node *n) {
  return node_class(n) == CLASS_REDUCE || node_class(n) == CLASS_KERNEL;
}

/* The op finds its operands' elements by their place in the whole, whatever part of it and of them
 * a tile has. */
static bool shifts(const LoopMap *m, const Node *n) { return m->shifts && op_is(n, OPF_SHIFTS); }

/* A broadcast of what is in memory and is broadcast along other dims, too. */
static bool reads_spread(const MapWalk *w, const Node *n) {
  if (!w->m->shifts || !op_is(n, OPF_REPEATS)) return false;
  const NodeId base = node_base(w->m->le->graph, n->operand[0]);
  return w->m->spread[base] && w->m->le->stored[base] && !step_stores(w->step, base);
}

static void no_loops(int8_t *loop_of) { memset(loop_of, NO_LOOP, MAX_FACTORS); }

/* Finds the loops of a node from its operands', where they are known. */
static bool up(MapWalk *w, NodeId id, LoopDims *out) {
  const Graph *g = w->m->le->graph;
  const Node *n = graph_node(g, id);
  const LoopDims *had = known(w, id);
  *out = had ? *had : loop_dims_none(id);
  if (had || is_read(w, id) || lookup_get(&w->up_done, n)) return true;
  lookup_put(&w->up_done, w->m->arena, n, 1);
  for (int k = 0; k < n->noperands; k++) {
    LoopDims x;
    if (!up(w, n->operand[k], &x)) return false;
  }
  Rule r;
  int8_t loop_of[MAX_FACTORS];
  const ArenaMark mark = arena_mark(w->m->arena);
  rule_of(g, n, &r, w->m->arena);
  no_loops(loop_of);
  bool fits = true;
  for (int k = 0; fits && k < n->noperands && !reads_spread(w, n); k++)
    fits = to_factors(w, &r, r.operand[k], known(w, n->operand[k]), loop_of, adds_up(n));
  fits = fits && from_factors(w, &r, r.result, loop_of, out);
  arena_release(w->m->arena, mark);
  if (!fits && shifts(w->m, n)) { /* its uses will say */
    *out = loop_dims_none(id);
    return true;
  }
  if (!fits) return false;
  if (loop_map_any(w->m, out)) loop_map_put(w->fresh, out);
  return true;
}

/* The loops of an operand that is read by a shift: those that pass. */
static LoopDims not_shifted(const MapWalk *w, const Rule *r, int k, const LoopDims *d,
                            NodeId operand) {
  LoopDims x = loop_dims_none(operand);
  for (int i = 0; i < graph_node(w->m->le->graph, operand)->shape.rank; i++) {
    LoopDims one = loop_dims_none(d->node), to = loop_dims_none(operand);
    int8_t loop_of[MAX_FACTORS];
    no_loops(loop_of);
    one.loop[i] = d->loop[i];
    if (to_factors(w, r, r->result, &one, loop_of, false) &&
        from_factors(w, r, r->operand[k], loop_of, &to))
      x.loop[i] = to.loop[i];
  }
  return x;
}

/* A shift's operand that is in memory: all of it is there, whatever part of it other uses see. */
static void read_beyond(MapWalk *w, const LoopDims *x) {
  const NodeId base = node_base(w->m->le->graph, x->node);
  const uint32_t loops = w->m->live & ~loop_map_loops(w->m, x);
  vec_push(w->m->arena, &w->fresh->beyond, ((LoopsBeyond){base, loops}));
}

static bool same_loops(const LoopMap *m, const LoopDims *a, const LoopDims *b) {
  for (int i = 0; i < MAX_RANK; i++)
    if ((loop_map_lives(m, a->loop[i]) || loop_map_lives(m, b->loop[i])) &&
        a->loop[i] != b->loop[i])
      return false;
  return true;
}

/* A broadcast reads what is in memory at its place in the whole, as rows and columns are read of
 * one list of numbers, unless these loops have it in the same order. What is seen through a view
 * has no loops then. */
static bool broadcast_beyond(MapWalk *w, const Node *n, const LoopDims *x) {
  if (!reads_spread(w, n)) return false;
  const NodeId base = node_base(w->m->le->graph, x->node);
  const LoopDims *had = known(w, base);
  if (base != x->node) {
    if (loop_map_any(w->m, had) || loop_map_any(w->m, known(w, x->node))) return false;
    vec_push(w->m->arena, &w->fresh->whole, base);
    return true;
  }
  if (had && same_loops(w->m, had, x)) return false;
  if (had) read_beyond(w, x);
  return true;
}

static bool down(MapWalk *w, const LoopDims *d, Lookup *done);

/* To the operands of a shift; `fits`: all of its loops pass. */
static bool down_shift(MapWalk *w, const Rule *r, const LoopDims *d, bool fits, Lookup *done) {
  const Node *n = graph_node(w->m->le->graph, d->node);
  for (int k = 0; k < n->noperands; k++) {
    const LoopDims x = not_shifted(w, r, k, d, n->operand[k]);
    if (is_read(w, x.node) && !(fits && loop_map_any(w->m, &x)))
      read_beyond(w, &x);
    else if (!down(w, &x, done))
      return false;
  }
  return true;
}

/* Takes the loops of a node to all that it is computed from. */
static bool down(MapWalk *w, const LoopDims *d, Lookup *done) {
  const Graph *g = w->m->le->graph;
  const Node *n = graph_node(g, d->node);
  const LoopDims *had = known(w, d->node);
  if (had && !same_loops(w->m, had, d)) return false;
  if (is_read(w, d->node) && !loop_map_any(w->m, d))
    vec_push(w->m->arena, &w->fresh->whole, d->node);
  if (!had) {
    /* What was met before without loops is there for every turn alike. */
    if (lookup_get(done, n)) return !loop_map_any(w->m, d);
    if (loop_map_any(w->m, d)) loop_map_put(w->fresh, d);
  }
  if (is_read(w, d->node) || lookup_get(done, n)) return true;
  lookup_put(done, w->m->arena, n, 1);
  LoopDims *x = arena_array(w->m->arena, LoopDims, n->noperands);
  Rule r;
  int8_t loop_of[MAX_FACTORS];
  const ArenaMark mark = arena_mark(w->m->arena);
  rule_of(g, n, &r, w->m->arena);
  no_loops(loop_of);
  bool fits = to_factors(w, &r, r.result, d, loop_of, true);
  for (int k = 0; k < n->noperands && !reads_spread(w, n); k++)
    fits = fits && to_factors(w, &r, r.operand[k], known(w, n->operand[k]), loop_of, adds_up(n));
  if (shifts(w->m, n)) return down_shift(w, &r, d, fits, done);
  LoopDims own = loop_dims_none(d->node); /* with the loops that operands have already */
  fits = fits && from_factors(w, &r, r.result, loop_of, &own) && same_loops(w->m, &own, d);
  for (int k = 0; fits && k < n->noperands; k++) {
    x[k] = loop_dims_none(n->operand[k]);
    fits = from_factors(w, &r, r.operand[k], loop_of, &x[k]);
  }
  arena_release(w->m->arena, mark);
  for (int k = 0; fits && k < n->noperands; k++)
    fits = broadcast_beyond(w, n, &x[k]) || down(w, &x[k], done);
  return fits;
}

uint32_t loop_map_summed(const LoopMap *m, NodeId id) {
  const Node *n = graph_node(m->le->graph, id);
  uint32_t in = 0;
  if (shifts(m, n)) return 0;
  for (int k = 0; k < n->noperands; k++)
    in |= loop_map_loops(m, loop_map_find(m, n->operand[k]));
  return in & ~loop_map_loops(m, loop_map_find(m, id));
}

bool loop_map_step(LoopMap *m, const Step *s, LoopMap *fresh, uint32_t *used) {
  MapWalk w = {.m = m, .fresh = fresh, .step = s};
  Lookup done = {0};
  *used = 0;
  for (int i = 0; i < s->nodes.n; i++)
    if (is_viewed(m, s->nodes.at[i])) return false;
  for (int i = 0; i < s->nodes.n; i++) {
    LoopDims d;
    if (!up(&w, s->nodes.at[i], &d)) return false;
  }
  /* Values of one loop nest have the same space, so that one that nothing is known of takes after
   * the others. */
  for (int i = 0; i < s->nodes.n; i++) {
    LoopDims d;
    if (!up(&w, s->nodes.at[i], &d)) return false;
    for (int k = 0; k < s->nodes.n && !loop_map_any(m, &d) && s->kind == STEP_MAP; k++) {
      LoopDims o;
      up(&w, s->nodes.at[k], &o);
      memcpy(d.loop, o.loop, sizeof d.loop);
    }
    if (!down(&w, &d, &done)) return false;
    const Node *n = graph_node(m->le->graph, d.node);
    *used |= loop_map_loops(m, known(&w, d.node));
    for (int k = 0; k < n->noperands && !shifts(m, n); k++)
      *used |= loop_map_loops(m, known(&w, n->operand[k]));
  }
  return true;
}
