/* Inlining: decides which values are stored; all others are computed inside the loops that use
 * them. A value is stored if a kernel or an exchange uses it, if it is an output, or if recomputing
 * it costs more than loading it.
 *
 * A value used at several indices (shifted, padded, concatenated) would be recomputed at each, with
 * everything it is computed from: chains of stencils would grow by a factor at each step. The law
 * of bounded work (sites.h) limits this. Decisions go from the last value to the first, so that all
 * sites of a value are known when it is decided: expensive values are stored if they would be
 * computed more than WORK_MOST times an element, cheap ones are not. If many cheap values together
 * exceed the bound, stricter limits apply.
 *
 * --disable=inline stores every value once. */
#include "depend.h"
#include "in_place.h"
#include "schedule_passes.h"
#include "sites.h"
#include <string.h>

typedef struct Limits {
  double cheap; /* operations an element that may be done again rather than stored */
  double mask;  /* the same of what is made of indices alone */
  int sites;    /* of a value that is not cheap */
} Limits;

/* Operations that take as long as so many bytes at a rate. */
static double ops_of(double bytes, double rate) {
  return machine_generic()->vector_flops * bytes / rate;
}

double inline_cheap(void) {
  const Cache *cache = machine_generic()->cache;
  const double each = 2 * sizeof(float);
  return (ops_of(each, cache[CACHE_L2].bandwidth) + ops_of(each, cache[CACHE_L3].bandwidth)) / 2;
}

/* A mask is quadratic: it goes to memory, where a store reads its line first. The second limits are
 * for what stays in L1. The last alone ensures bounded work: nothing is computed at more than
 * WORK_MOST sites. */
enum { LIMITS = 3 };
static void find_limits(Limits *limits) {
  const Machine *m = machine_generic();
  const double near = ops_of(2 * sizeof(float), m->cache[CACHE_L1].bandwidth);
  limits[0] =
      (Limits){inline_cheap(), ops_of(3 * sizeof(float), m->memory_bandwidth), 2 * WORK_MOST};
  limits[1] = (Limits){near, inline_cheap(), WORK_MOST};
  limits[2] = (Limits){-1, 0, WORK_MOST};
}

typedef struct Uses {
  VEC(Site) site;
  double turns; /* at all of them */
  bool loops;   /* they are in several loops */
} Uses;

typedef struct Inline {
  Arena *arena;
  const Plan *plan;
  LocalEntry *le;
  const Graph *g;
  const Limits *limits;
  Sites *sites;
  double *cost; /* of computing one element, by node */
  bool *index;  /* by node: made of indices alone, by few operations: never worth memory */
  double *made; /* by node: of those, the operations */
  Uses *uses;   /* by node */
  int *body;    /* by node: le->body */
  int *products;     /* by node: that read it */
  const int *region; /* by node; NULL: the entry has none */
} Inline;

/* n computes an element of `base` again for each of a larger result, or at a computed index. */
static bool repeats(const Inline *s, const Node *n, NodeId base) {
  return (op_is(n, OPF_REPEATS) || n->op->in_memory) && s->cost[base] > 1 &&
         shape_count(&n->shape) > shape_count(&graph_node(s->g, base)->shape);
}

/* A mask such as `row >= column`: quadratic in memory, and quicker to make than to read. */
static bool of_index(const Inline *s, const Node *n, double cost) {
  if (op_is(n, OPF_FREE)) return true;
  if (cost > s->limits->cheap || !n->noperands) return false;
  if (!op_is(n, OPF_REPEATS | OPF_ELEMENTWISE) || op_is(n, OPF_CARRY)) return false;
  for (int k = 0; k < n->noperands; k++)
    if (!s->index[n->operand[k]]) return false;
  return true;
}

static void find_cost(Inline *s, NodeId i) {
  const Node *x = graph_node(s->g, i);
  if (node_class(x) == CLASS_VIEW) s->cost[i] = s->cost[x->operand[0]];
  if (node_class(x) != CLASS_MAP) return;
  s->cost[i] = s->made[i] = sites_own(x);
  for (int k = 0; k < x->noperands; k++) { /* what will be stored is only read */
    if (graph_node(s->g, node_base(s->g, x->operand[k]))->keep == KEEP_ALWAYS) continue;
    s->cost[i] += repeats(s, x, node_base(s->g, x->operand[k])) ? 0 : s->cost[x->operand[k]];
    s->made[i] += s->made[x->operand[k]];
  }
  s->index[i] = of_index(s, x, s->cost[i]) && s->made[i] <= s->limits->mask;
  if (s->index[i] && s->cost[i] > 1) s->cost[i] = 1;
}

/* -------- sites -------- */

static void add_use(Inline *s, NodeId id, const Site *at) {
  Uses *u = &s->uses[id];
  if (node_is_const(graph_node(s->g, id)) || !sites_first(s->sites, id, at)) return;
  u->loops = u->loops || (u->site.n && u->site.at[0].loop != at->loop);
  u->turns += at->turns;
  vec_push(s->arena, &u->site, *at);
}

/* Node id is computed at a site: its operands are required at the sites it reads them at. */
static void use_operands(Inline *s, NodeId id, const Site *at) {
  const Node *n = graph_node(s->g, id);
  bool *stored = s->le->stored;
  for (int k = 0; k < n->noperands; k++) {
    NodeId base = node_base(s->g, n->operand[k]);
    if (repeats(s, n, base)) stored[base] = true;
  }
  SiteUses uses = {0};
  sites_uses(s->sites, id, at, &uses);
  for (int i = 0; i < uses.use.n; i++) {
    const SiteUse *u = &uses.use.at[i];
    NodeId base = node_base(s->g, u->node);
    if (u->loaded && !node_is_const(graph_node(s->g, base))) stored[base] = true;
    if (!stored[base] && !u->loaded) add_use(s, u->node, &u->at);
  }
}

static bool has_loop(const Inline *s, NodeId id) {
  NodeClass c = node_class(graph_node(s->g, id));
  return c == CLASS_REDUCE || c == CLASS_SCATTER || (c == CLASS_MAP && s->le->stored[id]);
}

static void use_in_loop(Inline *s, NodeId id) {
  const Node *n = graph_node(s->g, id);
  const NodeId over = sites_over(s->g, id);
  const Site body = sites_body(s->sites, id, over);
  if (node_class(n) == CLASS_MAP)
    use_operands(s, id, &body);
  else if (!s->le->stored[node_base(s->g, over)])
    add_use(s, over, &body);
}

/* To pack f32 as half-width numbers takes reading twice as many bytes each time; to store these
 * first, reading all and writing half. */
enum { PACKED_WIDE = 2 };
static bool is_better_packed(const Inline *s, const TensorPart *part, NodeId product, NodeId id) {
  if (!part->rounds) return true;
  const NodeId base = node_base(s->g, id);
  return s->products[base] <= PACKED_WIDE && (!s->region || s->region[product] == s->region[base]);
}

/* A scatter's loop computes what goes to its rows, each element once: where rows are vectors, or
 * that is no more than to read it. */
static bool computes_rows(const Inline *s, const Node *scatter) {
  const Machine *m = machine_generic();
  const NodeId base = node_base(s->g, scatter->operand[1]);
  const Node *x = graph_operand(s->g, scatter, 1);
  const int indices = graph_operand(s->g, scatter, 0)->shape.rank;
  int64_t row = 1;
  for (int d = (int)node_attr(scatter, "axis") + indices; d < x->shape.rank; d++)
    row *= x->shape.dim[d];
  return node_class(graph_node(s->g, base)) == CLASS_MAP &&
         (s->cost[base] <= s->limits->cheap ||
          row >= machine_vector(m, (int64_t)dtype_size(x->dtype)));
}

/* `all`: parts too, which a product could read where they lie, and what a scatter could compute.
 * A number that all of an operand's elements have stands in its loop. */
static void store_operands(Inline *s, NodeId id, bool all) {
  const Node *n = graph_node(s->g, id);
  for (int k = 0; k < n->noperands; k++) {
    TensorPart part;
    const NodeId base = node_base(s->g, n->operand[k]);
    const bool scatters = node_class(n) == CLASS_SCATTER;
    if (scatters && node_is_const(graph_node(s->g, base))) continue;
    if (scatters && k && !all && computes_rows(s, n)) continue;
    const bool there = !all && !s->le->stored[base] && product_part(s->le, n, k, &part) &&
                       is_better_packed(s, &part, id, n->operand[k]);
    s->le->stored[there ? part.of : base] = true;
    for (int d = 0; there && d < graph_node(s->g, part.of)->shape.rank; d++)
      if (part.at[d] != NO_NODE) s->le->stored[node_base(s->g, part.at[d])] = true;
    if (there && part.filled != NO_NODE) s->le->stored[node_base(s->g, part.filled)] = true;
  }
}

/* -------- decisions -------- */

/* Computations of one element, for those who compile them. */
static int code_of(const Node *n) {
  const double half = sites_own(n) / 2;
  return n->op->by_index ? BODY_INDEX_SITES : half > 1 ? (int)half : 1;
}

static bool is_worth_memory(const Inline *s, NodeId id) {
  const Uses *u = &s->uses[id];
  double most = WORK_MOST * sites_count(s->sites, id) * (1 + 1e-9);
  const int code = code_of(graph_node(s->g, id));
  for (int i = 0; i < u->site.n; i++)
    if (!s->index[id] && (s->body[u->site.at[i].loop] + u->site.n * code > BODY_SITES ||
                          u->site.at[i].depth > BODY_NESTED))
      return true;
  const Keep keep = graph_node(s->g, id)->keep;
  if (keep == KEEP_ALWAYS) return true;
  if (s->cost[id] <= s->limits->cheap) return false;
  if (keep) return true;
  return u->loops || u->turns > most || u->site.n > s->limits->sites;
}

/* Read from several parts in a loop that is not split where they meet: each element would ask in
 * which part it is. loops/split.c splits the loops of maps, at conditions on one index, as long as
 * that takes no more than twice the code: each part has all that the loop computes of the value. */
static bool asks_for_parts(Inline *s, NodeId id) {
  const Uses *u = &s->uses[id];
  if (op_class(graph_node(s->g, id)) != OPC_MOVE) return false;
  for (int i = 0; i < u->site.n; i++) {
    bool mixed;
    const int parts = sites_parts(s->sites, id, &u->site.at[i], &mixed);
    const int body = s->body[u->site.at[i].loop];
    const bool sums = node_class(graph_node(s->g, u->site.at[i].loop)) == CLASS_REDUCE,
               much = parts * (body + 1) > WORK_MOST * (3 * body + 2 + parts);
    if (parts > 1 && (sums || mixed || much)) return true;
  }
  return false;
}

/* The innermost loop goes along the last dim of what is computed there, and from line to line of
 * what that is read from. Short sums have vectors of lines. */
static bool goes_across(Inline *s, NodeId id, const Site *at) {
  const Node *loop = graph_node(s->g, at->loop);
  SiteUses uses = {0};
  if (!sites_innermost(s->sites, id, at, shape_last(&graph_node(s->g, id)->shape))) return false;
  if (node_class(loop) == CLASS_REDUCE && sites_line(s->sites, at) <= SUM_FEW) return false;
  sites_uses(s->sites, id, at, &uses);
  for (int i = 0; i < uses.use.n; i++) {
    const SiteUse *u = &uses.use.at[i];
    const Shape *shape = &graph_node(s->g, u->node)->shape;
    int64_t between = 1; /* elements from one to the next */
    int d = shape_last(shape);
    for (; d >= 0 && !sites_innermost(s->sites, u->node, &u->at, d); d--) between *= shape->dim[d];
    if (d >= 0 && between > 1) return true;
  }
  return false;
}

/* A value that is moved, as by a transpose, and read so again for each element of dims that it does
 * not have: one pass stores it as the loop goes, and reads the lines that it goes across once. */
static bool is_read_across(Inline *s, NodeId id) {
  const Uses *u = &s->uses[id];
  const double most = WORK_MOST * sites_count(s->sites, id) * (1 + 1e-9);
  double turns = 0;
  if (op_class(graph_node(s->g, id)) != OPC_MOVE || u->turns <= most || s->index[id]) return false;
  for (int i = 0; i < u->site.n; i++)
    if (goes_across(s, id, &u->site.at[i])) turns += u->site.at[i].turns;
  return turns > most;
}

static void decide(Inline *s, NodeId id, bool all) {
  const int code = code_of(graph_node(s->g, id));
  NodeClass c = node_class(graph_node(s->g, id));
  Uses *u = &s->uses[id];
  bool *stored = s->le->stored;
  if (c == CLASS_MAP && u->site.n &&
      (all || is_worth_memory(s, id) || asks_for_parts(s, id) || is_read_across(s, id)))
    stored[id] = true;
  if (c == CLASS_KERNEL || c == CLASS_SCATTER || c == CLASS_EXCHANGE) store_operands(s, id, all);
  if (has_loop(s, id)) s->body[id] += code, use_in_loop(s, id);
  for (int i = 0; i < u->site.n && !stored[id]; i++) {
    s->body[u->site.at[i].loop] += code;
    use_operands(s, id, &u->site.at[i]);
  }
}

static bool is_observed(const Inline *s, NodeId id) {
  Observe observe = s->plan->observe;
  const Node *n = graph_node(s->g, id), *base = graph_node(s->g, node_base(s->g, id));
  if (!observe || node_class(base) == CLASS_SOURCE || node_is_const(base)) return false;
  return n->name || (observe == OBSERVE_ALL && !s->index[node_base(s->g, id)]);
}

/* What does not change from run to run of a loop is not computed in each, where that is more than
 * reading it. */
static void store_outside(Inline *s) {
  const Entry *e = s->le->entry;
  if (!e->regions.n) return;
  const int *region = s->region;
  for (NodeId i = 0; i < s->g->nodes.n; i++) {
    const Node *n = graph_node(s->g, i);
    for (int k = 0; k < n->noperands && !op_is(n, OPF_AFTER); k++) {
      const NodeId x = n->operand[k], base = node_base(s->g, x);
      if (region[i] == region[x] || s->cost[base] <= 1 || s->index[base]) continue;
      s->le->stored[base] = true;
    }
  }
}

static void begin(Inline *s) {
  LocalEntry *le = s->le;
  int n = s->g->nodes.n;
  for (NodeId i = 0; i < n; i++) {
    NodeClass c = node_class(graph_node(s->g, i));
    le->stored[i] = c != CLASS_MAP && c != CLASS_VIEW;
    find_cost(s, i);
  }
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(s->g, i);
    for (int k = 0; k < x->noperands && op_class(x) == OPC_PRODUCT; k++)
      s->products[node_base(s->g, x->operand[k])]++;
  }
  if (le->entry->regions.n) s->region = regions_find(s->arena, le->entry, s->g);
  kept_mark(le, le->stored);
  store_outside(s);
  in_place_store(s->plan, le, s->sites, s->region, s->arena);
  for (NodeId i = 0; i < n; i++)
    if (is_observed(s, i)) le->stored[node_base(le->graph, i)] = true;
}

static bool keeps_law(const Inline *s) {
  const bool *stored = s->le->stored;
  Work work = {0}, once = {0};
  for (NodeId i = 0; i < s->g->nodes.n; i++) {
    const Uses *u = &s->uses[i];
    if (has_loop(s, i) && node_class(graph_node(s->g, i)) != CLASS_SCATTER) {
      Site body = sites_body(s->sites, i, sites_over(s->g, i));
      sites_add(s->sites, stored, i, &body, &work);
      sites_add_store(s->sites, i, &work);
    }
    for (int k = 0; k < u->site.n && !stored[i]; k++)
      sites_add(s->sites, stored, i, &u->site.at[k], &work);
    if (has_loop(s, i) || u->site.n) sites_once(s->sites, i, &once);
  }
  return work_within(&work, &once);
}

/* A product's operand that is a part of something which was stored after all is stored, too. */
static void store_hidden(Inline *s) {
  for (NodeId i = 0; i < s->g->nodes.n; i++) {
    const Node *n = graph_node(s->g, i);
    for (int k = 0; op_class(n) == OPC_PRODUCT && k < n->noperands; k++) {
      TensorPart part;
      bool *stored = &s->le->stored[node_base(s->g, n->operand[k])];
      *stored = *stored || !product_part(s->le, n, k, &part);
    }
  }
}

/* False: the work is not bounded. */
static bool inline_within(Plan *p, LocalEntry *le, const Limits *with) {
  int n = le->graph->nodes.n;
  Arena *a = p->scratch;
  const ArenaMark mark = arena_mark(a);
  Inline s = {.arena = a,
              .plan = p,
              .le = le,
              .g = le->graph,
              .limits = with,
              .sites = sites_new(a, &p->program->mesh, le->graph),
              .cost = arena_array(a, double, n + 1),
              .index = arena_array(a, bool, n + 1),
              .made = arena_array(a, double, n + 1),
              .uses = arena_array(a, Uses, n + 1),
              .products = arena_array(a, int, n + 1),
              .body = le->body = arena_array(p->arena, int, n + 1)};
  begin(&s);
  for (NodeId i = n - 1; i >= 0; i--) decide(&s, i, !plan_has(p, FEATURE_INLINE));
  store_hidden(&s);
  const bool keeps = keeps_law(&s);
  arena_release(a, mark);
  return keeps;
}

static void inline_entry(Plan *p, LocalEntry *le) {
  bool *stored = arena_array(p->arena, bool, le->graph->nodes.n + 1);
  Limits limits[LIMITS];
  le->stored = stored;
  find_limits(limits);
  for (int i = 0; i < LIMITS; i++)
    if (inline_within(p, le, &limits[i])) return;
}

void inline_values(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) inline_entry(p, &p->entries.at[i]);
}
