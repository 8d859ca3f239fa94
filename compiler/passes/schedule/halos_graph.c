/* The graph of an entry with several runs of a loop as one. From the last run to the first it is
 * found which part of each value is needed: a device's own block at the end, and around it as much
 * more, in each run before, as the run behind it reaches over. Each run computes that part; what
 * the first needs of its neighbours one exchange brings, before it. Values are computed twice, by
 * two devices, from equal numbers and by equal operations, so their bits are the same.
 *
 * A loop that counts up to a limit has a second loop behind it, as it was, for the runs that are
 * left; of any other, a run that is not to be leaves what is carried as it was, by choices. */
#include "opdefs.h"
#include "halos.h"
#include <string.h>

/* Of a value in one run: the part of it that is needed. Dims that are cut have a window. */
typedef struct PartNeed {
  bool any;
  Layout part;
} PartNeed;

/* Several parts of one value. */
typedef struct Fitted {
  NodeId of; /* new */
  const Layout *part;
  NodeId node;
} Fitted;

typedef struct Widen {
  const Plan *plan;
  const LocalEntry *from;
  LocalEntry *to;
  const Graph *g;
  Build b;
  int region, runs, ncarries;
  const LocalRegion *loop;
  int *in;           /* by old node: its region */
  int *carry;        /* by old node: 1 + its number, of a carry of the loop */
  PartNeed **need;   /* by run and old node */
  PartNeed **enters; /* by run, and once more behind the last, and carry */
  PartNeed *outside; /* by old node, of what the loop reads */
  bool counts;
  Counts count;
  bool fails;
  /* the new graph */
  NodeId *map;    /* by old node: what it is outside of the loop */
  NodeId **made;  /* by run and old node */
  NodeId **entry; /* by run and carry: what it is when the run begins, as far as it is needed */
  NodeId *wide;   /* by old node outside: the part of it that the loop needs */
  NodeId *rest;   /* by old node: in the loop for the runs that are left */
  VEC(Fitted) fitted;
  NodeId condition; /* of the loop */
} Widen;

/* -------- what is needed -------- */

/* All cut dims as windows of the blocks that they are cut into. */
static bool as_windows(const Layout *l, const Shape *s, Layout *out) {
  *out = *l;
  if (l->partial) return false;
  for (int d = 0; d < s->rank; d++) {
    DimLayout *x = &out->dim[d];
    if (!x->naxes) {
      *x = (DimLayout){.granule = 1};
    } else if (!x->window.of) {
      if (x->granule != 1) return false;
      x->window = (Window){s->dim[d], 1, 1, 0, 0, 0};
    } else if (x->window.mul != 1 || x->window.div != 1 || x->granule != 1) {
      return false;
    }
  }
  return true;
}

static void add_need(Widen *w, PartNeed *to, const Layout *part) {
  if (!to->any) {
    *to = (PartNeed){true, *part};
    return;
  }
  for (int d = 0; d < part->rank; d++) {
    DimLayout *x = &to->part.dim[d];
    const DimLayout *y = &part->dim[d];
    if (!dim_same_axes(x, y) || x->window.of != y->window.of) {
      w->fails = true;
      return;
    }
    if (y->window.first < x->window.first) x->window.first = y->window.first;
    if (y->window.last > x->window.last) x->window.last = y->window.last;
    if (y->window.cyclic) x->window.cyclic = 1;
  }
}

/* It is no wider than a block, so that it comes from neighbours. */
static bool is_near(const Widen *w, const Layout *part) {
  for (int d = 0; d < part->rank; d++) {
    const DimLayout *x = &part->dim[d];
    if (!x->naxes) continue;
    const int64_t block = x->window.of / dim_parts(&w->plan->program->mesh, x);
    const int64_t before = -x->window.first, behind = x->window.last;
    if (before > HALOS_WIDEST || behind > HALOS_WIDEST || before > block || behind > block)
      return false;
    if (x->window.cyclic && !cyclic_fits(&w->plan->program->mesh, x, x->window.of)) return false;
  }
  return true;
}

static const Layout *laid(const Widen *w, const Layout *part, const Shape *s) {
  return layout_of(w->plan->program->layouts, part, s);
}

/* Any part of it can be computed by itself, of such parts of its operands. */
static bool has_parts(const Node *n) {
  switch (op_class(n)) {
  case OPC_CONST:
  case OPC_INDEX:
  case OPC_MOVE: return true;
  case OPC_ELEMENT: return !op_is(n, OPF_CARRY);
  default: return false;
  }
}

/* The dim of the result with the factor; -1: none. */
static int result_dim(const Rule *r, int rank, int factor) {
  for (int e = 0; e < rank; e++)
    if (r->result[e].n == 1 && r->result[e].factor[0] == factor) return e;
  return -1;
}

/* What is computed there does not depend on where that is: places below 0 and from n on are those
 * of a cyclic window, and what they hold is the same at the other end. */
static bool is_same_everywhere(const Node *n, const Layout *part) {
  for (int d = 0; op_class(n) == OPC_INDEX && d < part->rank; d++)
    if (part->dim[d].window.cyclic) return false;
  return true;
}

/* What `part` of node n needs of operand k. */
static bool needs_of(const Widen *w, const Node *n, const Rule *r, int k, const Layout *part,
                     Layout *out) {
  const Node *x = graph_operand(w->g, n, k);
  *out = (Layout){.rank = x->shape.rank};
  for (int d = 0; d < x->shape.rank; d++) {
    const RuleDim *rd = &r->operand[k][d];
    out->dim[d] = (DimLayout){.granule = 1};
    const int e = rd->n == 1 ? result_dim(r, n->shape.rank, rd->factor[0]) : -1;
    if (e < 0 && x->layout->dim[d].naxes) return false;
    if (e < 0 || !part->dim[e].naxes) continue;
    out->dim[d] = part->dim[e];
    if (!rd->window.of) continue;
    if (rd->window.mul != 1 || rd->window.div != 1) return false;
    if (out->dim[d].window.cyclic && !rd->window.cyclic) return false;
    if (rd->window.cyclic) out->dim[d].window.cyclic = 1;
    out->dim[d].window.first += rd->window.first;
    out->dim[d].window.last += rd->window.last;
  }
  return true;
}

/* An exchange that brings parts of a tensor, whichever: which are needed, readers say. */
static bool is_halo(const Widen *w, const Node *n) {
  return n->op == OP_exchange && !n->layout->partial && !graph_operand(w->g, n, 0)->layout->partial;
}

/* The part is one of the blocks that the value has itself. */
static bool is_around(const Node *n, const Layout *part) {
  for (int d = 0; d < part->rank; d++)
    if (!dim_same_axes(&part->dim[d], &n->layout->dim[d])) return false;
  return true;
}

static void need_operand(Widen *w, int run, NodeId x, const Layout *part) {
  const Node *n = graph_node(w->g, x);
  const bool own = w->in[x] == w->region && n->op != OP_exchange;
  if (!is_near(w, part) || (own && !is_around(n, part)) || !is_same_everywhere(n, part))
    w->fails = true;
  if (w->in[x] == w->region)
    add_need(w, &w->need[run][x], part);
  else
    add_need(w, &w->outside[x], part);
}

static void need_operands(Widen *w, int run, NodeId id) {
  const Node *n = graph_node(w->g, id);
  const PartNeed *need = &w->need[run][id];
  if (n->op == OP_exchange) { /* a halo: is_fit */
    need_operand(w, run, n->operand[0], &need->part);
    return;
  }
  const ArenaMark mark = arena_mark(w->plan->scratch);
  Rule r;
  rule_of(w->g, n, &r, w->plan->scratch);
  const bool whole = laid(w, &need->part, &n->shape) == n->layout;
  if (op_class(n) == OPC_TELL || (!whole && !has_parts(n))) w->fails = true;
  for (int k = 0; k < n->noperands && !w->fails; k++) {
    const Node *x = graph_operand(w->g, n, k);
    Layout part;
    if (has_parts(n) ? needs_of(w, n, &r, k, &need->part, &part)
                     : as_windows(x->layout, &x->shape, &part))
      need_operand(w, run, n->operand[k], &part);
    else
      w->fails = true;
  }
  arena_release(w->plan->scratch, mark);
}

/* A run that may not be, and leaves what it carries as it was. */
static bool is_chosen(const Widen *w, int run) { return run > 0 && !w->counts; }

static void need_run(Widen *w, int run) {
  for (int c = 0; c < w->ncarries && !w->fails; c++) {
    const PartNeed *behind = &w->enters[run + 1][c];
    if (!behind->any) continue;
    need_operand(w, run, w->loop->carries.at[c].next, &behind->part);
    if (is_chosen(w, run)) add_need(w, &w->enters[run][c], &behind->part);
  }
  if (!w->counts) {
    const Layout one = {.rank = 0};
    need_operand(w, run, w->loop->condition, &one);
  }
  for (NodeId i = w->g->nodes.n - 1; i >= 0 && !w->fails; i--) {
    if (w->in[i] != w->region || !w->need[run][i].any) continue;
    if (w->carry[i])
      add_need(w, &w->enters[run][w->carry[i] - 1], &w->need[run][i].part);
    else
      need_operands(w, run, i);
  }
}

static bool find_needs(Widen *w) {
  for (int c = 0; c < w->ncarries; c++) {
    const Node *n = graph_node(w->g, w->loop->carries.at[c].node);
    Layout part;
    if (!as_windows(n->layout, &n->shape, &part)) return false;
    add_need(w, &w->enters[w->runs][c], &part);
  }
  for (int run = w->runs - 1; run >= 0 && !w->fails; run--) need_run(w, run);
  return !w->fails;
}

/* -------- nodes -------- */

/* What was added to the graph since the last call comes from this. */
static void note_origin(Widen *w, NodeId old) {
  while (w->to->origin.n < w->to->graph->nodes.n) {
    vec_push(w->plan->arena, &w->to->origin, w->from->origin.at[old]);
    vec_push(w->plan->arena, &w->to->cause, w->from->cause.at[old]);
  }
}

static void begin_nodes(Widen *w, NodeId like) {
  const Node *n = graph_node(w->g, like);
  w->b.span = n->span, w->b.site = n->site, w->b.within = n->within;
}

static NodeId laid_out(Widen *w, NodeId id, const Layout *l) {
  graph_node(w->to->graph, id)->layout = l;
  return id;
}

/* That part alone of node `id`, which has it, and may have more. */
static NodeId fitted(Widen *w, NodeId old, NodeId id, const Layout *part) {
  if (graph_node(w->to->graph, id)->layout == part) return id;
  for (int i = 0; i < w->fitted.n; i++)
    if (w->fitted.at[i].of == id && w->fitted.at[i].part == part) return w->fitted.at[i].node;
  begin_nodes(w, old);
  const NodeId out = laid_out(w, mk_slice_whole(&w->b, id), part);
  note_origin(w, old);
  vec_push(w->plan->arena, &w->fitted, ((Fitted){id, part, out}));
  return out;
}

static NodeId exchanged(Widen *w, NodeId old, NodeId id, const Layout *to) {
  Node n = *graph_node(w->to->graph, id);
  if (n.layout == to) return id;
  n.op = OP_exchange, n.noperands = 1, n.operand = &id, n.nattr = 0, n.attr = NULL, n.layout = to;
  n.keep = KEEP_NOT, n.spec = NULL;
  const NodeId out = graph_add(w->to->graph, &n);
  note_origin(w, old);
  return out;
}

static NodeId copied(Widen *w, NodeId old, const NodeId *operand, const Layout *l) {
  Node n = *graph_node(w->g, old);
  n.operand = operand;
  n.layout = l;
  const NodeId id = graph_add(w->to->graph, &n);
  note_origin(w, old);
  return id;
}

/* What the loop reads from outside, as far as it needs it: made again if it is made of nothing,
 * else brought once, before the loop. */
static NodeId from_outside(Widen *w, NodeId old, const Layout *part) {
  if (w->wide[old] == NO_NODE) {
    const Node *n = graph_node(w->g, old);
    const Layout *all = laid(w, &w->outside[old].part, &n->shape);
    NodeId source = old;
    if (!n->noperands && (op_class(n) == OPC_CONST || op_class(n) == OPC_INDEX)) {
      w->wide[old] = all == n->layout ? w->map[old] : copied(w, old, NULL, all);
    } else {
      if (all != n->layout && is_halo(w, n)) source = n->operand[0];
      w->wide[old] = exchanged(w, source, w->map[source], all);
    }
  }
  return fitted(w, old, w->wide[old], part);
}

static NodeId value(Widen *w, int run, NodeId old);

/* In a run, as that part alone. */
static NodeId value_as(Widen *w, int run, NodeId old, const Layout *part) {
  const Layout *l = laid(w, part, &graph_node(w->g, old)->shape);
  if (w->in[old] != w->region) return from_outside(w, old, l);
  const NodeId first = run == 0 && w->carry[old] ? w->map[old] : NO_NODE;
  if (first != NO_NODE && graph_node(w->to->graph, first)->layout == l) return first;
  return fitted(w, old, value(w, run, old), l);
}

static NodeId made(Widen *w, int run, NodeId old) {
  const Node *n = graph_node(w->g, old);
  const PartNeed *need = &w->need[run][old];
  if (w->carry[old]) return w->entry[run][w->carry[old] - 1];
  if (n->op == OP_exchange) return value_as(w, run, n->operand[0], &need->part);
  NodeId *x = arena_array(w->plan->arena, NodeId, n->noperands + 1);
  const ArenaMark mark = arena_mark(w->plan->scratch);
  Rule r;
  rule_of(w->g, n, &r, w->plan->scratch);
  for (int k = 0; k < n->noperands; k++) {
    const Node *y = graph_operand(w->g, n, k);
    Layout part;
    if (has_parts(n))
      needs_of(w, n, &r, k, &need->part, &part);
    else
      as_windows(y->layout, &y->shape, &part);
    x[k] = value_as(w, run, n->operand[k], &part);
  }
  arena_release(w->plan->scratch, mark);
  return copied(w, old, x, laid(w, &need->part, &n->shape));
}

static NodeId value(Widen *w, int run, NodeId old) {
  if (w->made[run][old] == NO_NODE) w->made[run][old] = made(w, run, old);
  return w->made[run][old];
}

/* What carry c is behind a run. */
static NodeId leaves(Widen *w, int run, int c) {
  const NodeId next = w->loop->carries.at[c].next, carry = w->loop->carries.at[c].node;
  const Shape *s = &graph_node(w->g, carry)->shape;
  const Layout *part = &w->enters[run + 1][c].part, *l = laid(w, part, s);
  NodeId x = value_as(w, run, next, part);
  if (!is_chosen(w, run)) return x;
  const NodeId was = fitted(w, carry, w->entry[run][c], l);
  if (x == was) return x;
  const NodeId cond = value(w, run, w->loop->condition);
  begin_nodes(w, next);
  const NodeId all = s->rank ? laid_out(w, mk_broadcast(&w->b, cond, s, NULL), l) : cond;
  x = laid_out(w, mk_select(&w->b, all, x, was), l);
  graph_node(w->to->graph, x)->name = graph_node(w->g, next)->name;
  note_origin(w, next);
  return x;
}

static void put_run(Widen *w, int run) {
  for (NodeId i = 0; i < w->g->nodes.n; i++)
    if (w->in[i] == w->region && w->need[run][i].any) value(w, run, i);
  for (int c = 0; c < w->ncarries; c++)
    if (w->enters[run + 1][c].any) w->entry[run + 1][c] = leaves(w, run, c);
}

/* -------- the loop for the runs that are left -------- */

static void put_rest(Widen *w, NodeId old, int region) {
  const Node *n = graph_node(w->g, old);
  if (!w->carry[old]) {
    NodeId *x = arena_array(w->plan->arena, NodeId, n->noperands + 1);
    for (int k = 0; k < n->noperands; k++) {
      const NodeId y = n->operand[k];
      x[k] = w->in[y] == w->region ? w->rest[y] : w->map[y];
    }
    w->rest[old] = copied(w, old, x, n->layout);
    return;
  }
  begin_nodes(w, old);
  w->b.within = 0;
  const NodeId after = laid_out(w, mk_after(&w->b, w->map[old]), n->layout);
  graph_node(w->to->graph, after)->name = n->name;
  note_origin(w, old);
  w->rest[old] = copied(w, old, &after, n->layout);
  Node *carry = graph_node(w->to->graph, w->rest[old]);
  int64_t *attr = arena_copy(w->plan->arena, carry->attr, sizeof *attr * (size_t)carry->nattr);
  attr[0] = region; /* `region` is the first */
  carry->attr = attr;
}

/* -------- the entry -------- */

static NodeId *moved(const Widen *w, const NodeId *from, int n) {
  NodeId *list = arena_array(w->plan->arena, NodeId, n + 1);
  for (int i = 0; i < n; i++) list[i] = w->map[from[i]];
  return list;
}

/* The entry whose loop has so many runs as one, and what is left as a region of its own. */
static const Entry *entry_of(const Widen *w) {
  Entry *e = arena_copy(w->plan->arena, w->from->entry, sizeof *e);
  memset(&e->regions, 0, sizeof e->regions);
  for (int r = 0; r < w->from->entry->regions.n; r++)
    vec_push(w->plan->arena, &e->regions, w->from->entry->regions.at[r]);
  Region *loop = &e->regions.at[w->region], rest = *loop;
  loop->as_one = w->runs;
  if (loop->turns != TURNS_UNKNOWN)
    loop->turns = (loop->turns + (w->counts ? 0 : w->runs - 1)) / w->runs;
  if (loop->most) loop->most = (loop->most + w->runs - 1) / w->runs;
  if (loop->mean > 0) loop->mean /= w->runs;
  if (!w->counts) return e;
  rest.rest = true;
  if (rest.turns != TURNS_UNKNOWN) rest.turns %= w->runs;
  rest.most = w->runs - 1;
  if (rest.mean > 0) rest.mean = (double)rest.most / 2;
  vec_push(w->plan->arena, &e->regions, rest);
  return e;
}

static void put_regions(Widen *w) {
  const int n = w->from->entry->regions.n;
  w->to->region = arena_array(w->plan->arena, LocalRegion, n + 2);
  for (int r = 0; r < n; r++) {
    const LocalRegion *from = &w->from->region[r];
    LocalRegion *to = &w->to->region[r];
    const bool own = r == w->region;
    to->condition = from->condition == NO_NODE || own ? from->condition : w->map[from->condition];
    for (int c = 0; c < from->carries.n; c++) {
      LocalCarry x = {w->map[from->carries.at[c].node], NO_NODE};
      x.next = own ? w->entry[w->runs][c] : w->map[from->carries.at[c].next];
      vec_push(w->plan->arena, &to->carries, x);
    }
  }
  w->to->region[w->region].condition = w->condition;
  if (!w->counts) return;
  LocalRegion *rest = &w->to->region[n];
  rest->condition = w->rest[w->loop->condition];
  for (int c = 0; c < w->ncarries; c++) {
    const LocalCarry *x = &w->loop->carries.at[c];
    const NodeId next = w->in[x->next] == w->region ? w->rest[x->next] : w->map[x->next];
    vec_push(w->plan->arena, &rest->carries, ((LocalCarry){w->rest[x->node], next}));
  }
}

/* All runs, and the loop for those that are left, where the last node of the loop was. */
static void put_loop(Widen *w) {
  for (int c = 0; c < w->ncarries; c++) {
    const NodeId carry = w->loop->carries.at[c].node;
    const Node *n = graph_node(w->g, carry);
    w->entry[0][c] = w->map[carry];
    if (w->enters[0][c].any)
      w->entry[0][c] =
          exchanged(w, carry, w->map[carry], laid(w, &w->enters[0][c].part, &n->shape));
  }
  if (w->counts) {
    const NodeId counter = graph_node(w->g, w->loop->condition)->operand[0];
    begin_nodes(w, w->loop->condition);
    w->condition =
        mk_has_runs(&w->b, w->map[counter], w->map[w->count.limit], w->count.by, w->runs);
    const Layout *one = graph_node(w->g, w->loop->condition)->layout;
    for (NodeId i = w->to->origin.n; i < w->to->graph->nodes.n; i++) laid_out(w, i, one);
    note_origin(w, w->loop->condition);
  }
  for (int run = 0; run < w->runs; run++) put_run(w, run);
  for (NodeId i = 0; w->counts && i < w->g->nodes.n; i++)
    if (w->in[i] == w->region) put_rest(w, i, w->from->entry->regions.n);
  if (!w->counts) w->condition = value(w, 0, w->loop->condition);
}

static void put_outer(Widen *w, NodeId old) {
  const Node *n = graph_node(w->g, old);
  NodeId *x = arena_array(w->plan->arena, NodeId, n->noperands + 1);
  for (int k = 0; k < n->noperands; k++) {
    const NodeId y = n->operand[k];
    x[k] = op_is(n, OPF_AFTER) && w->carry[y] && w->counts ? w->rest[y] : w->map[y];
  }
  w->map[old] = copied(w, old, x, n->layout);
}

/* The loop stands where all is there that it reads, before what is behind it. */
static void put_all(Widen *w) {
  const int nodes = w->g->nodes.n;
  bool *behind = arena_array(w->plan->arena, bool, nodes + 1);
  NodeId last = 0;
  for (NodeId i = 0; i < nodes; i++) {
    const Node *n = graph_node(w->g, i);
    if (w->in[i] == w->region || w->outside[i].any) last = i;
    for (int k = 0; k < n->noperands; k++)
      behind[i] =
          behind[i] || behind[n->operand[k]] || (op_is(n, OPF_AFTER) && w->carry[n->operand[k]]);
  }
  for (NodeId i = 0; i <= last; i++)
    if ((w->in[i] != w->region || w->carry[i]) && !behind[i]) put_outer(w, i);
  put_loop(w);
  for (NodeId i = 0; i < nodes; i++)
    if (w->in[i] != w->region && (i > last || behind[i])) put_outer(w, i);
  put_regions(w);
}

/* -------- whether it can be done -------- */

/* All exchanges of the loop are halos, and nothing in it has an index to check. */
static bool is_fit(const Widen *w) {
  int nodes = 0;
  for (NodeId i = 0; i < w->g->nodes.n; i++) {
    const Node *n = graph_node(w->g, i);
    if (w->in[i] != w->region) continue;
    nodes++;
    const bool fails = node_may_fail(w->g, n) && !op_is(n, OPF_ELEMENTWISE);
    if (fails || (n->op == OP_exchange && !is_halo(w, n))) return false;
  }
  return nodes * w->runs <= HALOS_NODES;
}

static void find_counter(Widen *w) {
  const NodeId condition = w->loop->condition;
  if (w->in[condition] != w->region) return;
  for (int c = 0; c < w->ncarries && !w->counts; c++) {
    const LocalCarry *x = &w->loop->carries.at[c];
    w->counts = loop_counts(w->g, condition, x->node, x->next, &w->count) &&
                w->in[w->count.limit] != w->region;
  }
}

/* No outer value that the loop needs more of than there is has another layout than a plain one. */
static bool can_bring(const Widen *w) {
  for (NodeId i = 0; i < w->g->nodes.n; i++) {
    const Node *n = graph_node(w->g, i);
    if (!w->outside[i].any || laid(w, &w->outside[i].part, &n->shape) == n->layout) continue;
    if (!n->noperands && (op_class(n) == OPC_CONST || op_class(n) == OPC_INDEX)) continue;
    if (!is_near(w, &w->outside[i].part)) return false;
    if ((!layout_is_plain(n->layout) && !is_halo(w, n)) || n->layout->partial) return false;
  }
  return true;
}

static NodeId *no_nodes(Arena *a, int n) {
  NodeId *list = arena_array(a, NodeId, n + 1);
  for (int i = 0; i < n; i++) list[i] = NO_NODE;
  return list;
}

/* All that is found and made, of nothing yet. */
static void begin(Widen *w, Arena *a) {
  const int nodes = w->g->nodes.n;
  w->outside = arena_array(a, PartNeed, nodes + 1);
  w->map = no_nodes(a, nodes), w->wide = no_nodes(a, nodes), w->rest = no_nodes(a, nodes);
  w->need = arena_array(a, PartNeed *, w->runs + 1);
  w->enters = arena_array(a, PartNeed *, w->runs + 1);
  w->made = arena_array(a, NodeId *, w->runs + 1);
  w->entry = arena_array(a, NodeId *, w->runs + 1);
  for (int run = 0; run <= w->runs; run++) {
    w->need[run] = arena_array(a, PartNeed, nodes + 1);
    w->enters[run] = arena_array(a, PartNeed, w->ncarries + 1);
    w->made[run] = no_nodes(a, nodes);
    w->entry[run] = no_nodes(a, w->ncarries);
  }
}

bool halos_made(const Plan *p, const LocalEntry *le, int region, int runs, LocalEntry *out) {
  Arena *a = p->arena;
  *out = (LocalEntry){.index = le->index, .choice = le->choice};
  Widen w = {.plan = p,
             .from = le,
             .to = out,
             .g = le->graph,
             .region = region,
             .runs = runs,
             .loop = &le->region[region],
             .ncarries = le->region[region].carries.n,
             .in = regions_find(a, le->entry, le->graph),
             .carry = arena_array(a, int, le->graph->nodes.n + 1)};
  for (int c = 0; c < w.ncarries; c++) w.carry[w.loop->carries.at[c].node] = c + 1;
  if (!is_fit(&w)) return false;
  find_counter(&w);
  begin(&w, a);
  if (!find_needs(&w) || !can_bring(&w)) return false;
  out->graph = graph_new(a, VIEW_LOCAL, w.g->nodes.n * (runs + 1));
  w.b = (Build){.arena = a, .diag = p->program->diag, .graph = out->graph};
  out->entry = entry_of(&w);
  put_all(&w);
  out->input = moved(&w, le->input, le->entry->inputs.n);
  out->output = moved(&w, le->output, le->entry->outputs.n);
  out->assign = moved(&w, le->assign, le->entry->assigns.n);
  return true;
}
