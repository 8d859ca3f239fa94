/* Causal attention does about twice the necessary work: half of the score matrix is masked. If a
 * tile nest applies an index mask to its scores, its steps run on the unmasked band only, provided
 * that values outside of the band have no uses, or are 0 and only summed:
 *
 *   score = q @ k ; e = exp(where(row >= column, score, -1e9) - max) ; out = (e / sum(e)) @ v
 *
 * The mask hides score; e is 0 outside of the band if -1e9 - max is far enough below 0, which
 * depends on the row's other scores: the nest tests this at run time (`vanishes`) and repeats the
 * tile without a band if it fails. 0 times anything counts as 0. */
#include "tile_band.h"
#include <string.h>

/* What an element is outside of the band. */
typedef enum Outside {
  OUTSIDE_UNKNOWN,  /* not computed yet */
  OUTSIDE_UNDEFINED, /* any value, possibly unwritten */
  OUTSIDE_OF_ROW,   /* a function of the other dims: all columns have the same */
  OUTSIDE_ZERO
} Outside;

typedef struct Bands {
  const LocalEntry *le;
  const Graph *g;
  Tiles *s;
  Band band;
  Arena *arena;
  uint8_t *outside; /* by node */
  uint8_t *touches; /* by node: 1 no, 2 yes */
  int step;         /* the current one */
  bool fails;
} Bands;

static bool in_space(const Bands *b, NodeId id) {
  return same_space(graph_node(b->g, id), graph_node(b->g, b->s->band.of));
}

static bool in_band(const Bands *b, NodeId id) { return tiles_in_band(b->s, b->g, id); }

/* Computing the node, or reading it from memory, reads only values computed inside the band. */
static bool touches_band(Bands *b, NodeId id) {
  const Node *n = graph_node(b->g, id);
  NodeId base = node_base(b->g, id);
  if (b->le->stored[base]) return in_band(b, base);
  if (b->touches[id]) return b->touches[id] == 2;
  bool any = false;
  for (int k = 0; k < n->noperands && !any; k++) any = touches_band(b, n->operand[k]);
  b->touches[id] = any ? 2 : 1;
  return any;
}

static Outside outside(Bands *b, NodeId id);

static bool is_mask(Bands *b, NodeId id, int *dead) {
  Band m;
  if (!band_of_mask(b->g, id, &m, dead) || m.row != b->band.row || m.low < b->band.low ||
      m.high > b->band.high)
    return false;
  for (int i = 0; i < b->s->band.masks.n; i++)
    if (b->s->band.masks.at[i].node == id) return true;
  vec_push(b->arena, &b->s->band.masks, ((BandMask){id, *dead}));
  return true;
}

/* What is in the band is computed from what is in the band. */
static bool stays_in_band(Bands *b, NodeId id) {
  const Node *n = graph_node(b->g, id);
  if (!touches_band(b, id)) return true;
  if (!in_space(b, id) || node_base(b->g, id) != id) return false;
  if (b->le->stored[id]) return true;
  bool stays = op_is(n, OPF_ELEMENTWISE);
  for (int k = 0; k < n->noperands && stays; k++) stays = stays_in_band(b, n->operand[k]);
  return stays;
}

/* The operand that a mask hides may be anything outside of the band. */
static Outside of_mask(Bands *b, const Node *n, int dead) {
  if (touches_band(b, n->operand[0]) || !stays_in_band(b, n->operand[3 - dead])) b->fails = true;
  return outside(b, n->operand[dead]);
}

/* exp of a function of the row: tiles see to it that it is 0. */
static Outside of_vanishing(Bands *b, NodeId id, Outside x) {
  TileBand *s = &b->s->band;
  if (x < OUTSIDE_OF_ROW || (s->vanishes != NO_NODE && s->vanishes != id)) return x;
  if (s->vanishes == NO_NODE) s->at = b->step;
  s->vanishes = id;
  return OUTSIDE_ZERO;
}

static Outside of_elementwise(Bands *b, NodeId id) {
  const Node *n = graph_node(b->g, id);
  Outside x[3] = {OUTSIDE_OF_ROW, OUTSIDE_OF_ROW, OUTSIDE_OF_ROW}, least = OUTSIDE_ZERO;
  for (int k = 0; k < n->noperands; k++) {
    x[k] = outside(b, n->operand[k]);
    if (x[k] < least) least = x[k];
  }
  const OpDef *op = n->op;
  for (int k = 0; k < n->noperands; k++)
    if (op->linear >> k & 1 && x[k] == OUTSIDE_ZERO) return OUTSIDE_ZERO;
  if (op->linear_jointly || (n->noperands == 1 && op->passes)) return least;
  if (op->vanishes) return of_vanishing(b, id, x[0]);
  return least < OUTSIDE_OF_ROW ? least : OUTSIDE_OF_ROW;
}

/* Of what a node is computed as. */
static Outside computed(Bands *b, NodeId id) {
  const Node *n = graph_node(b->g, id);
  int dead;
  if (node_is_const(n)) return n->value == 0 ? OUTSIDE_ZERO : OUTSIDE_OF_ROW;
  if (is_mask(b, id, &dead)) return of_mask(b, n, dead);
  if (op_is(n, OPF_ELEMENTWISE)) return of_elementwise(b, id);
  if (touches_band(b, id)) b->fails = true;
  if (op_is(n, OPF_REPEATS)) {
    const Node *x = graph_operand(b->g, n, 0);
    int of[MAX_RANK];
    n->op->dims(b->g, n, of);
    for (int i = 0; i < x->shape.rank; i++)
      if (of[i] == n->shape.rank - 1 && x->shape.dim[i] > 1) return OUTSIDE_UNDEFINED;
    return OUTSIDE_OF_ROW;
  }
  return OUTSIDE_UNDEFINED;
}

/* Of a node of the masked space, as others see it. */
static Outside outside(Bands *b, NodeId id) {
  uint8_t *known = &b->outside[id];
  if (*known) return (Outside)*known;
  const NodeId base = node_base(b->g, id);
  Outside o = OUTSIDE_UNDEFINED;
  if (!in_space(b, id) || base != id) {
    if (touches_band(b, id)) b->fails = true;
  } else if (!b->le->stored[id] || in_band(b, id)) {
    o = op_class(graph_node(b->g, id)) == OPC_PRODUCT ? OUTSIDE_UNDEFINED : computed(b, id);
  }
  *known = (uint8_t)o;
  return o;
}

/* -------- steps -------- */

static bool map_runs(Bands *b, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i];
    const Node *n = graph_node(b->g, id);
    if (in_band(b, id)) {
      Outside o = outside(b, id); /* zeros can be stored for others */
      if (n->dtype != DT_F32 || (!b->le->tile_bytes[id] && o != OUTSIDE_ZERO)) return false;
    } else {
      for (int k = 0; k < n->noperands; k++)
        if (touches_band(b, n->operand[k])) return false;
    }
  }
  return true;
}

/* Along the columns: adding 0 and taking the extreme of what all dead columns have is as good as
 * going over them. */
static bool reduce_runs(Bands *b, const Step *s) {
  const Node *n = graph_node(b->g, s->nodes.at[0]), *x = graph_operand(b->g, n, 0);
  if (!in_space(b, n->operand[0])) return !touches_band(b, n->operand[0]);
  for (int d = 0; d < x->shape.rank; d++)
    if (x->shape.dim[d] > 1 && (node_attr(n, "axis") >> d & 1) != (d == x->shape.rank - 1))
      return false;
  Outside o = outside(b, n->operand[0]);
  if (op_class(n) != OPC_REDUCE || n->dtype != DT_F32) return false;
  return op_is(n, OPF_EXTREME) ? o >= OUTSIDE_OF_ROW
                               : n->op->reduce == RED_SUM && o == OUTSIDE_ZERO;
}

static bool product_runs(Bands *b, const Step *s) {
  NodeId id = s->nodes.at[0];
  const Node *n = graph_node(b->g, id);
  bool own = in_band(b, id);
  if (dtype_is_half(graph_operand(b->g, n, 0)->dtype)) /* its kernel knows of no band */
    return !own && !touches_band(b, n->operand[0]) && !touches_band(b, n->operand[1]);
  if (own && (n->dtype != DT_F32 || !b->le->tile_bytes[id] || op_class(n) != OPC_PRODUCT))
    return false;
  for (int k = 0; k < n->noperands; k++) {
    if (!touches_band(b, n->operand[k])) continue;
    if (own || !in_band(b, n->operand[k]) || outside(b, n->operand[k]) != OUTSIDE_ZERO)
      return false;
  }
  return true;
}

static bool step_runs(Bands *b, const Step *s) {
  switch (s->kind) {
  case STEP_MAP: return map_runs(b, s);
  case STEP_REDUCE: return reduce_runs(b, s);
  case STEP_KERNEL: return product_runs(b, s);
  default: return false;
  }
}

/* The first mask that steps depend on. */
static NodeId first_mask(Bands *b, NodeId id, bool own) {
  const Node *n = graph_node(b->g, id);
  int dead;
  if (b->touches[id] || (!own && b->le->stored[id])) return NO_NODE;
  b->touches[id] = 1;
  for (int k = 0; k < n->noperands; k++) {
    NodeId m = first_mask(b, n->operand[k], false);
    if (m != NO_NODE) return m;
  }
  return band_of_mask(b->g, id, &b->band, &dead) && n->dtype == DT_F32 ? id : NO_NODE;
}

static NodeId find_mask(Bands *b) {
  NodeId m = NO_NODE;
  for (int i = 0; i < b->s->steps.n && m == NO_NODE; i++) {
    const Step *s = &b->s->steps.at[i];
    if (!step_loops(s)) continue;
    for (int k = 0; k < s->nodes.n && m == NO_NODE; k++) m = first_mask(b, s->nodes.at[k], true);
  }
  return m;
}

/* What is done again before it is known that there is a band adds nothing up over tiles. */
static bool repeats(const Bands *b) {
  for (int i = 0; b->s->band.vanishes != NO_NODE && i < b->s->band.at; i++)
    for (int k = 0; k < b->s->steps.at[i].nodes.n; k++) {
      const TileNode *n = tiles_node(b->s, b->g, b->s->steps.at[i].nodes.at[k]);
      if (n && n->sums) return false;
    }
  return true;
}

static void find_band(Plan *p, const LocalEntry *le, Tiles *s) {
  int n = le->graph->nodes.n;
  Bands b = {.le = le, .g = le->graph, .s = s, .arena = p->arena};
  b.outside = arena_array(p->scratch, uint8_t, n + 1);
  b.touches = arena_array(p->scratch, uint8_t, n + 1);
  NodeId mask = find_mask(&b);
  memset(b.touches, 0, (size_t)n + 1);
  if (mask == NO_NODE) return;
  const Node *of = graph_node(b.g, mask);
  if (of->shape.dim[of->shape.rank - 1] < 2 * KERNEL_BAND) return;
  s->band.of = mask;
  s->band.row = b.band.row, s->band.low = b.band.low, s->band.high = b.band.high;
  bool runs = true;
  for (b.step = 0; b.step < s->steps.n && runs; b.step++)
    runs = step_runs(&b, &s->steps.at[b.step]) && !b.fails;
  if (!runs || !repeats(&b)) s->band.of = NO_NODE;
}

void tile_band(Plan *p, const LocalEntry *le, Tiles *s) {
  const ArenaMark mark = arena_mark(p->scratch);
  s->band = (TileBand){.of = NO_NODE, .vanishes = NO_NODE};
  if (plan_has(p, FEATURE_BAND)) find_band(p, le, s);
  arena_release(p->scratch, mark);
}
