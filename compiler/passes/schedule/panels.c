/* Products in panels (collective matmul): a product whose operand is exchanged before it, or whose
 * result behind it, is cut along a dim that it keeps, so that one panel is on the wire while
 * another is multiplied. `overlap` then starts the exchanges early and waits for them late.
 *
 *   %3 = exchange %1 ; %4 = contract %3, %2
 *   ->  %5 = exchange %1[:n/2] ; %6 = exchange %1[n/2:] ; %7 = contract %5, %2 ; %8 = contract %6,
 * %2 %4 = concat %7, %8
 *
 * Panels of a kept dim are apart in the result: each element is the sum it was, in the order it
 * was, also where the exchange gathers the dim that is summed. So bits stay. (Panels of the summed
 * dim, as SUMMA has them, would add in an order of their own; a kept dim serves as well.)
 *
 * Which products, along which dim and in how many panels: by the model. With x and y on the wire
 * for a panel before and behind it and c of computation,
 *
 *   x + c + y + (panels - 1) max(c + m, x + y)
 *
 * (m: of x and y, the device's own time for messages, which nothing hides) against the whole, of
 * which what is exposed can be saved at most. Of products that are alike all go in panels or none,
 * and only if the time of the entry, with the schedule that comes of it, is less. */
#include "panels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct PanelSearch {
  Plan *plan;
  const LocalEntry *le;
  const Graph *g;
  int *readers;    /* by node */
  bool *kept;      /* by node: it outlives the steps that read it */
  int *region;     /* by node */
  double *exposed; /* by node: of an exchange by messages, seconds that nothing hides */
  VEC(Panels) found;
} PanelSearch;

/* -------- what an entry takes -------- */

/* Its time, with the schedule that later passes make, and a device's own for messages that are
 * hidden: it has many more of them in panels. exposed: by node, or NULL. */
static double time_of(const Plan *p, const LocalEntry *le, double *exposed) {
  Plan trial = *p;
  memset(&trial.entries, 0, sizeof trial.entries);
  vec_push(p->arena, &trial.entries, *le);
  p->steps(&trial);
  const LocalEntry *done = &trial.entries.at[0];
  double *hidden = arena_array(p->arena, double, done->steps.n + 1);
  cost_hidden(&trial, done, 1, hidden);
  double own = 0;
  for (int t = 0; t < done->steps.n; t++) {
    const Step *s = &done->steps.at[t];
    const StepCost c = cost_step(&trial, done, t);
    if (s->kind != STEP_EXCHANGE || !c.messages) continue;
    own += step_turns(done, t).times * fmin(c.own, hidden[t]);
    for (int i = 0; exposed && i < s->nodes.n; i++)
      exposed[s->nodes.at[i]] = (c.exchange - hidden[t]) / s->nodes.n;
  }
  return cost_entry(&trial, done).time + own;
}

/* What is copied where values are cut and joined is read and written at the rate of memory. */
static double copy_time(const Plan *p, int64_t bytes) {
  return 2 * (double)bytes / p->program->machine->memory_bandwidth;
}

/* Each panel but the first reads and packs the operand that is not cut once more. */
static double pack_time(const Plan *p, const Graph *g, const Panels *x) {
  const Machine *m = p->program->machine;
  double time = 0;
  for (int k = 0; k < 2; k++) {
    if (panels_dim(g, x->product, k, x->letter) >= 0) continue;
    const int64_t bytes = node_bytes(p->program, graph_operand(g, graph_node(g, x->product), k));
    const bool near = bytes <= machine_cache(m, CACHE_L2);
    time += (double)bytes / (near ? m->cache[CACHE_L2].bandwidth : m->memory_bandwidth);
  }
  return (x->n - 1) * time;
}

/* -------- the cut -------- */

static bool is_plain_cut(const DimLayout *d) {
  return !d->window.of && (!d->naxes || d->granule == 1);
}

static bool begins_alike(const DimLayout *a, const DimLayout *b) {
  for (int i = 0; i < a->naxes && i < b->naxes; i++)
    if (a->axis[i] != b->axis[i]) return false;
  return true;
}

/* The cut in dim d of a layout is of the same blocks as `along`, some of them as one; `along`
 * becomes the finer one. */
static bool refines(DimLayout *along, const Layout *l, int d) {
  if (d < 0) return true;
  if (!layout_is_plain(l) || !is_plain_cut(&l->dim[d]) || !begins_alike(along, &l->dim[d]))
    return false;
  if (l->dim[d].naxes > along->naxes) *along = l->dim[d];
  return true;
}

static bool find_cut(const PanelSearch *s, Panels *x) {
  const Node *n = graph_node(s->g, x->product);
  int rank = n->shape.rank;
  x->along = (DimLayout){.granule = 1};
  for (int k = 0; k < 2; k++) {
    const int d = panels_dim(s->g, x->product, k, x->letter);
    const Node *y = graph_operand(s->g, n, k);
    if (d >= 0 && y->shape.rank > rank) rank = y->shape.rank;
    if (!refines(&x->along, y->layout, d)) return false;
    if (x->in[k] != NO_NODE && !refines(&x->along, graph_operand(s->g, y, 0)->layout, d))
      return false;
  }
  const int d = panels_dim(s->g, x->product, 2, x->letter);
  if (!refines(&x->along, n->layout, d)) return false;
  if (x->out != NO_NODE && !refines(&x->along, graph_node(s->g, x->out)->layout, d)) return false;
  const int64_t blocks = dim_parts(&s->plan->program->mesh, &x->along);
  return n->shape.dim[d] % blocks == 0 && (blocks == 1 || rank < MAX_RANK);
}

/* -------- what it gains -------- */

/* A tensor with the part of a dim that the largest panel has. */
static Node part_of(const PanelSearch *s, const Panels *x, NodeId id, int d) {
  Node n = *graph_node(s->g, id);
  if (d < 0) return n;
  const int64_t blocks = dim_parts(&s->plan->program->mesh, &x->along),
                block = n.shape.dim[d] / blocks;
  n.shape.dim[d] = blocks * ((block + x->n - 1) / x->n);
  n.layout = layout_of(s->plan->program->layouts, n.layout, &n.shape);
  return n;
}

/* own: what of it the device itself takes for messages is added. */
static double exchange_time(const PanelSearch *s, const Panels *x, NodeId id, int d, double *own) {
  const Program *p = s->plan->program;
  const Node to = part_of(s, x, id, d);
  const Node from = part_of(s, x, graph_node(s->g, id)->operand[0], d);
  const Exchange one = exchange_of(p, from.layout, to.layout, &to.shape, to.dtype);
  *own += cost_price(p, &one, 1, true).price.own;
  return cost_exchange(p, from.layout, to.layout, &to.shape, to.dtype);
}

/* Of a panel, what is copied for it included. */
static double compute_time(const PanelSearch *s, const Panels *x) {
  const Program *p = s->plan->program;
  const Node *n = graph_node(s->g, x->product);
  Graph *g = graph_new(s->plan->arena, VIEW_LOCAL, 3);
  const Layout *l[2];
  NodeId operand[2];
  Rule r;
  double time = p->machine->start + pack_time(s->plan, s->g, x) / x->n;
  for (int k = 0; k < 2; k++) {
    const int d = panels_dim(s->g, x->product, k, x->letter);
    Node y = part_of(s, x, n->operand[k], d);
    y.noperands = 0;
    l[k] = y.layout, operand[k] = graph_add(g, &y);
    if (d < 0 || x->n == 1) continue;
    Node cut = part_of(
        s, x, x->in[k] != NO_NODE ? graph_operand(s->g, n, k)->operand[0] : n->operand[k], d);
    time += p->machine->start + copy_time(s->plan, node_bytes(p, &cut));
    if (x->in[k] != NO_NODE && s->readers[x->in[k]] > 1)
      time += copy_time(s->plan, node_bytes(p, &y));
  }
  Node y = part_of(s, x, x->product, panels_dim(s->g, x->product, 2, x->letter));
  y.operand = operand;
  rule_of(g, &y, &r, s->plan->arena);
  if (x->n > 1) time += copy_time(s->plan, node_bytes(p, &y));
  return time + cost_op(p, g, &y, &r, l, y.layout);
}

static double modelled(const PanelSearch *s, const Panels *x) {
  double before = 0, behind = 0, own = 0;
  for (int k = 0; k < 2; k++)
    if (x->in[k] != NO_NODE)
      before += exchange_time(s, x, x->in[k], panels_dim(s->g, x->product, k, x->letter), &own);
  if (x->out != NO_NODE)
    behind = exchange_time(s, x, x->out, panels_dim(s->g, x->product, 2, x->letter), &own);
  const double c = compute_time(s, x);
  return before + c + behind + (x->n - 1) * fmax(c + own, before + behind);
}

/* The best number of panels. A panel has two elements of the dim at least in every block, as a
 * matrix times a vector is added up in another order. */
static void find_number(const PanelSearch *s, Panels *x) {
  const Node *n = graph_node(s->g, x->product);
  const int64_t size = n->shape.dim[panels_dim(s->g, x->product, 2, x->letter)],
                block = panels_block(&s->plan->program->mesh, &x->along, size);
  double exposed = x->out != NO_NODE ? s->exposed[x->out] : 0;
  for (int k = 0; k < 2; k++)
    if (x->in[k] != NO_NODE) exposed += s->exposed[x->in[k]];
  Panels best = *x, at = *x;
  at.n = 1;
  const double whole = modelled(s, &at);
  for (at.n = 2; at.n <= PANELS_MOST && block >= 2 * at.n; at.n++) {
    at.gains = fmin(whole - modelled(s, &at), exposed);
    if (at.gains > best.gains * (1 + 1e-6)) best = at;
  }
  *x = best;
}

/* -------- which products -------- */

static bool goes_by_messages(const PanelSearch *s, NodeId id) {
  const Node *n = graph_node(s->g, id);
  if (n->op != OP_exchange) return false;
  const Exchange x = exchange_at(s->plan->program, s->g, n);
  return x.kind != DTRT_COPY && layout_is_plain(n->layout) &&
         layout_is_plain(graph_operand(s->g, n, 0)->layout) &&
         cost_price(s->plan->program, &x, 1, true).price.messages > 0;
}

/* The exchange that alone reads the product, or NO_NODE. */
static NodeId behind(const PanelSearch *s, NodeId product) {
  if (s->readers[product] != 1 || s->kept[product]) return NO_NODE;
  for (NodeId i = product + 1; i < s->g->nodes.n; i++) {
    const Node *n = graph_node(s->g, i);
    for (int k = 0; k < n->noperands; k++)
      if (n->operand[k] == product)
        return goes_by_messages(s, i) && s->region[i] == s->region[product] ? i : NO_NODE;
  }
  return NO_NODE;
}

/* Sums of f64 are in the order of the BLAS, which may depend on the shape. */
static bool may_go(const PanelSearch *s, NodeId id) {
  const Node *n = graph_node(s->g, id);
  return op_class(n) == OPC_PRODUCT && n->dtype != DT_F64 &&
         graph_operand(s->g, n, 0)->dtype != DT_F64;
}

static void try(const PanelSearch *s, Panels x, Panels *best) {
  for (int k = 0; k < 2; k++)
    if (panels_dim(s->g, x.product, k, x.letter) < 0) x.in[k] = NO_NODE;
  if (x.in[0] == NO_NODE && x.in[1] == NO_NODE && x.out == NO_NODE) return;
  if (!find_cut(s, &x)) return;
  x.gains = 0;
  find_number(s, &x);
  if (x.gains > best->gains) *best = x;
}

static void find_panels(PanelSearch *s, NodeId id) {
  const Node *n = graph_node(s->g, id);
  Panels x = {.product = id, .out = behind(s, id)}, best = {.gains = 0};
  for (int k = 0; k < 2; k++) {
    const NodeId y = n->operand[k];
    x.in[k] = goes_by_messages(s, y) && s->region[y] == s->region[id] ? y : NO_NODE;
  }
  if (x.in[0] == x.in[1]) x.in[0] = x.in[1] = NO_NODE;
  const Letters l = product_letters(s->g, n);
  for (int d = 0; d < n->shape.rank; d++) {
    x.letter = l.out[d];
    Panels before = x, after = x;
    before.out = after.in[0] = after.in[1] = NO_NODE;
    try(s, x, &best);
    try(s, before, &best);
    try(s, after, &best);
  }
  if (best.gains > 0) vec_push(s->plan->arena, &s->found, best);
}

/* -------- which of them -------- */

static const Layout *layout_at(const Graph *g, NodeId id) {
  return id == NO_NODE ? NULL : graph_node(g, id)->layout;
}

/* The same product of the same tensors' like, in the same panels. */
static bool alike(const Graph *g, const Panels *a, const Panels *b) {
  const Node *x = graph_node(g, a->product), *y = graph_node(g, b->product);
  if (a->letter != b->letter || a->n != b->n || x->dtype != y->dtype || x->nattr != y->nattr ||
      x->layout != y->layout || !shape_equal(&x->shape, &y->shape) ||
      memcmp(x->attr, y->attr, (size_t)x->nattr * sizeof *x->attr) ||
      layout_at(g, a->out) != layout_at(g, b->out))
    return false;
  for (int k = 0; k < 2; k++) {
    const Node *p = graph_operand(g, x, k), *q = graph_operand(g, y, k);
    if (!shape_equal(&p->shape, &q->shape) || p->layout != q->layout || p->dtype != q->dtype ||
        (a->in[k] == NO_NODE) != (b->in[k] == NO_NODE))
      return false;
    if (a->in[k] != NO_NODE && graph_operand(g, p, 0)->layout != graph_operand(g, q, 0)->layout)
      return false;
  }
  return true;
}

/* Both may go in panels: what they exchange together goes in the same. */
static bool agree(const Graph *g, const Mesh *m, const Panels *a, const Panels *b) {
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 3; j++) {
      const NodeId other = j < 2 ? b->in[j] : b->out;
      if (a->in[k] == NO_NODE || a->in[k] != other) continue;
      if (a->n != b->n || dim_parts(m, &a->along) != dim_parts(m, &b->along) ||
          panels_dim(g, a->product, k, a->letter) != panels_dim(g, b->product, j, b->letter))
        return false;
    }
  return true;
}

typedef VEC(Panels) PanelsList;

static bool fits(const PanelSearch *s, const PanelsList *all, const Panels *x) {
  const Mesh *m = &s->plan->program->mesh;
  for (int i = 0; i < all->n; i++)
    if (!agree(s->g, m, x, &all->at[i]) || !agree(s->g, m, &all->at[i], x)) return false;
  return true;
}

static int by_gain(const void *x, const void *y) {
  const Panels *a = x, *b = y;
  if (a->gains != b->gains) return a->gains < b->gains ? 1 : -1;
  return (a->product > b->product) - (a->product < b->product);
}

/* Panels of a shared exchange are as its first product has them. */
static void follow(const PanelsList *all, Panels *x) {
  for (int i = 0; i < all->n; i++)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 2; j++)
        if (x->in[k] != NO_NODE && x->in[k] == all->at[i].in[j]) x->n = all->at[i].n;
}

/* What was taken, and all that are like candidate i and have not been tried. */
static PanelsList with_alike(const PanelSearch *s, const PanelsList *taken, int i, bool *tried) {
  PanelsList out = {0};
  for (int k = 0; k < taken->n; k++) vec_push(s->plan->arena, &out, taken->at[k]);
  const Panels *first = &s->found.at[i];
  for (int k = i; k < s->found.n; k++) {
    if (tried[k] || !alike(s->g, first, &s->found.at[k])) continue;
    tried[k] = true;
    Panels x = s->found.at[k];
    follow(&out, &x);
    if (fits(s, &out, &x)) vec_push(s->plan->arena, &out, x);
  }
  return out;
}

static void take_best(const PanelSearch *s, LocalEntry *le, double least) {
  Plan *p = s->plan;
  PanelsList taken = {0};
  LocalEntry best = *le;
  bool *tried = arena_array(p->arena, bool, s->found.n);
  for (int i = 0; i < s->found.n; i++) {
    if (tried[i]) continue;
    const PanelsList trial = with_alike(s, &taken, i, tried);
    if (trial.n == taken.n) continue;
    int64_t copied;
    const LocalEntry made = panels_made(p, le, trial.n, trial.at, &copied);
    double time = time_of(p, &made, NULL) + copy_time(p, copied);
    for (int k = 0; k < trial.n; k++) time += pack_time(p, s->g, &trial.at[k]);
    if (time < least * (1 - 1e-6)) least = time, best = made, taken = trial;
  }
  *le = best;
}

static bool has_messages(const PanelSearch *s) {
  for (NodeId i = 0; i < s->g->nodes.n; i++)
    if (goes_by_messages(s, i)) return true;
  return false;
}

static void panels_entry(Plan *p, LocalEntry *le) {
  PanelSearch s = {.plan = p, .le = le, .g = le->graph};
  const int n = s.g->nodes.n;
  if (!has_messages(&s)) return;
  s.readers = arena_array(p->arena, int, n + 1);
  s.kept = arena_array(p->arena, bool, n + 1);
  s.exposed = arena_array(p->arena, double, n + 1);
  s.region = regions_find(p->arena, le->entry, s.g);
  kept_mark(le, s.kept);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(s.g, i);
    for (int k = 0; k < x->noperands; k++) s.readers[x->operand[k]]++;
  }
  const double least = time_of(p, le, s.exposed);
  for (NodeId i = 0; i < n; i++)
    if (may_go(&s, i)) find_panels(&s, i);
  if (!s.found.n) return;
  qsort(s.found.at, (size_t)s.found.n, sizeof *s.found.at, by_gain);
  take_best(&s, le, least);
}

void panels(Plan *p) {
  if (!p->program->mesh.naxes || p->observe) return;
  for (int e = 1; e < p->entries.n; e++) panels_entry(p, &p->entries.at[e]);
}
