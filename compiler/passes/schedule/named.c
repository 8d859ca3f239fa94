/* Updates of the rows that are named: the gradient of a table is zero but where an index names a
 * row, and where a gradient of zero leaves a variable, or a carry, as it is (sgd, adagrad, a lazy
 * adam), only those rows need be read and written. The sums of rows and the updates keep their
 * order, so that the bits are those of a pass over the whole table, and the time does not grow with
 * the table.
 *
 *   g = 0; g[index[i]] += u[i]                 g = 0 at the rows named; g[index[i]] += u[i]
 *   for row, j: p[row, j] -= rate * g[row, j]  for rows named, each once, j: p[row, j] -= ...
 *
 * The place of g stays that of the whole table; what is not named there is neither written nor
 * read. Not for a rate that is infinite or NaN: that would leave no element of the table a number.
 */
#include "depend.h"
#include "schedule_passes.h"

/* What a value is where the scatter is zero: a node, or one of these. */
enum { ZERO = -2, TRUE = -3, FALSE = -4, UNKNOWN = -5 };

typedef struct Naming {
  Plan *plan;
  LocalEntry *le;
  Depend d;
  NodeId scatter;
  const Step *step; /* the map that is looked at; NULL: all maps are taken as one */
  NodeId *is;       /* by node: what it is, where `known` has the round that is looked at */
  int *known, round;
} Naming;

static NodeId at_zero(Naming *s, NodeId id);

static NodeId of_number(const Node *n, NodeId id) {
  if (n->dtype == DT_BOOL) return n->value != 0 ? TRUE : FALSE;
  return n->value == 0 && n->whole == 0 ? ZERO : id;
}

static NodeId of_element(const Node *n, const NodeId *x) {
  bool all = n->noperands > 0;
  for (int k = 0; k < n->noperands; k++) all = all && x[k] == ZERO;
  if (op_is(n, OPF_CHOICE)) {
    if (x[0] == TRUE || x[0] == FALSE) return x[x[0] == TRUE ? 1 : 2];
    return x[1] == x[2] ? x[1] : UNKNOWN;
  }
  if (n->op->compares && n->noperands == 2 && all)
    return n->op->compares & ORDER_EQUAL ? TRUE : FALSE;
  for (int k = 0; k < n->noperands; k++)
    if (n->op->linear >> k & 1 && x[k] == ZERO) return ZERO;
  if (!n->op->linear_jointly) return UNKNOWN;
  if (all) return ZERO;
  if (n->noperands != 2 || n->op->index[0] != 1) return UNKNOWN;
  if (x[1] == ZERO) return x[0]; /* x + 0, x - 0 */
  return x[0] == ZERO && n->op->index[1] == 1 ? x[1] : UNKNOWN;
}

/* What another step stores. */
static bool is_from_memory(const Naming *s, NodeId id) {
  if (!s->le->stored[id]) return false;
  if (s->step) return !step_stores(s->step, id);
  const int by = s->d.made_by[id];
  return by < 0 || s->le->steps.at[by].kind != STEP_MAP;
}

static NodeId find_at_zero(Naming *s, NodeId id) {
  const LocalEntry *le = s->le;
  const Node *n = graph_node(le->graph, id);
  if (id == s->scatter) return ZERO;
  if (node_is_const(n)) return of_number(n, id);
  if (!n->noperands || n->noperands > 4 || is_from_memory(s, id)) return id;
  if (op_is(n, OPF_CARRY | OPF_AFTER)) return id;
  NodeId x[4];
  bool same = true;
  for (int k = 0; k < n->noperands; k++) {
    x[k] = at_zero(s, n->operand[k]);
    same = same && (x[k] == n->operand[k] || node_is_const(graph_operand(le->graph, n, k)));
  }
  if (op_is(n, OPF_ELEMENTWISE)) return same && !op_is(n, OPF_CHOICE) ? id : of_element(n, x);
  if (same) return id;
  return n->noperands == 1 && n->op->linear == 1 && x[0] == ZERO ? ZERO : UNKNOWN;
}

static NodeId at_zero(Naming *s, NodeId id) {
  if (s->known[id] != s->round) {
    s->is[id] = find_at_zero(s, id);
    s->known[id] = s->round;
  }
  return s->is[id];
}

static bool is_new(const Naming *s, NodeId id) {
  return s->d.variable[id] >= 0 || entry_carry_of(s->le, id) != NO_NODE;
}

/* A new value of a variable or a carry, which stays as it is where the scatter is zero. */
static bool is_left(Naming *s, NodeId id) {
  const Graph *g = s->le->graph;
  const NodeId carry = entry_carry_of(s->le, id);
  const int var = s->d.variable[id];
  if (!is_new(s, id) || !same_space(graph_node(g, id), graph_node(g, s->scatter))) return false;
  const NodeId old = at_zero(s, id);
  if (old < 0 || !same_space(graph_node(g, old), graph_node(g, id))) return false;
  if (carry != NO_NODE) return old == carry;
  return graph_node(g, old)->op == OP_var && node_source(graph_node(g, old)) == var;
}

static uint32_t sharers(const Naming *s, NodeId id) {
  return s->d.variable[id] < 0 ? 0 : share_axes(s->plan, s->d.variable[id]);
}

static bool leaves_the_rest(Naming *s, const Step *step) {
  s->step = step;
  s->round++;
  for (int i = 0; i < step->nodes.n; i++)
    if (!is_left(s, step->nodes.at[i]) ||
        sharers(s, step->nodes.at[i]) != sharers(s, step->nodes.at[0]))
      return false;
  return true;
}

/* The scatter adds whole rows, few of them. */
static bool is_sparse(const Naming *s, const Step *step) {
  if (step->kind != STEP_SCATTER) return false;
  const Mesh *m = &s->plan->program->mesh;
  const Node *n = graph_node(s->le->graph, step->nodes.at[0]);
  if (op_class(n) != OPC_ADD_ROWS || n->op->reduce != RED_SUM || node_attr(n, "axis") != 0)
    return false;
  const Node *x = graph_operand(s->le->graph, n, 0);
  const Shape table = node_local(m, n), index = node_local(m, x);
  const int64_t updates = shape_count(&index);
  return updates < INT32_MAX && updates <= table.dim[0] / NAMED_ROWS;
}

static void look_at(Naming *s, int t) {
  LocalEntry *le = s->le;
  Step *own = &le->steps.at[t];
  if (!is_sparse(s, own)) return;
  s->scatter = own->nodes.at[0];
  const IntVec *readers = &s->d.readers[s->scatter];
  if (s->d.at_end[s->scatter] || !readers->n) return;
  for (int i = 0; i < readers->n; i++) {
    const Step *step = &le->steps.at[readers->at[i]];
    if (step->kind != STEP_MAP || step->segment != own->segment || step->named ||
        !leaves_the_rest(s, step))
      return;
  }
  own->named = 1 + s->scatter;
  for (int i = 0; i < readers->n; i++) le->steps.at[readers->at[i]].named = 1 + s->scatter;
}

static bool begin(Naming *s) {
  bool any = false;
  const LocalEntry *le = s->le;
  for (int t = 0; t < le->steps.n; t++) any = any || is_sparse(s, &le->steps.at[t]);
  if (!any) return false;
  s->d = depend_of(s->plan->arena, le);
  s->is = arena_array(s->plan->arena, NodeId, le->graph->nodes.n + 1);
  s->known = arena_array(s->plan->arena, int, le->graph->nodes.n + 1);
  return true;
}

void named(Plan *p) {
  if (p->observe) return; /* values are looked at whole */
  for (int e = 0; e < p->entries.n; e++) {
    LocalEntry *le = &p->entries.at[e];
    Naming s = {.plan = p, .le = le};
    if (!begin(&s)) continue;
    for (int t = 0; t < le->steps.n; t++) look_at(&s, t);
  }
}

/* -------- before maps are joined -------- */

/* The maps that may become one over the rows that a scatter names. */
typedef struct NamedMaps {
  Naming *s;
  int segment;
  int *of; /* by step: 1 + a scatter */
  IntVec steps;
  int updates; /* variables that get new values */
  bool fails;
} NamedMaps;

static void add_member(NamedMaps *g, int t);

/* What a member stores is the new value of a variable or a carry, or is for members. */
static void check_store(NamedMaps *g, NodeId id) {
  const Naming *s = g->s;
  const IntVec *readers = &s->d.readers[id];
  if (is_new(s, id)) {
    g->fails = g->fails || !is_left(g->s, id);
    g->updates++;
    return;
  }
  if (s->d.at_end[id] || !readers->n) g->fails = true;
  for (int i = 0; i < readers->n && !g->fails; i++) add_member(g, readers->at[i]);
}

static void add_member(NamedMaps *g, int t) {
  const Naming *s = g->s;
  const Step *step = &s->le->steps.at[t];
  if (g->of[t] == 1 + s->scatter || g->fails) return;
  if (step->kind != STEP_MAP || step->segment != g->segment || g->of[t] ||
      g->steps.n >= TILE_MEMBERS ||
      !same_space(graph_node(s->le->graph, step->nodes.at[0]),
                  graph_node(s->le->graph, s->scatter))) {
    g->fails = true;
    return;
  }
  g->of[t] = 1 + s->scatter;
  vec_push(s->plan->arena, &g->steps, t);
  for (int i = 0; i < step->nodes.n && !g->fails; i++) check_store(g, step->nodes.at[i]);
}

/* All that a map stores is for members. */
static bool serves(const NamedMaps *g, int t) {
  const Naming *s = g->s;
  const Step *step = &s->le->steps.at[t];
  if (step->kind != STEP_MAP || step->segment != g->segment || g->of[t]) return false;
  for (int i = 0; i < step->nodes.n; i++) {
    const NodeId id = step->nodes.at[i];
    if (s->d.at_end[id] ||
        !same_space(graph_node(s->le->graph, id), graph_node(s->le->graph, s->scatter)))
      return false;
    for (int k = 0; k < s->d.readers[id].n; k++)
      if (g->of[s->d.readers[id].at[k]] != 1 + s->scatter) return false;
  }
  return true;
}

/* What the rows that are not named save, zeroing the gradient among it, is worth a loop. */
static bool is_worth_it(const NamedMaps *g) {
  const Naming *s = g->s;
  const Program *p = s->plan->program;
  const Node *n = graph_node(s->le->graph, s->scatter);
  const Mesh *m = &p->mesh;
  const Node *x = graph_operand(s->le->graph, n, 0);
  const Shape table = node_local(m, n), index = node_local(m, x);
  const double rows = (double)(table.dim[0] - NAMED_ROWS * shape_count(&index)),
               bytes = node_bytes(p, n) / (double)table.dim[0];
  return (1 + 3 * g->updates) * rows * bytes >
         p->machine->start * p->machine->cache[CACHE_L1].bandwidth;
}

static void find_group(Naming *s, int t, int *of) {
  const Step *own = &s->le->steps.at[t];
  if (!is_sparse(s, own)) return;
  s->scatter = own->nodes.at[0];
  s->step = NULL;
  s->round++;
  NamedMaps g = {.s = s, .segment = own->segment, .of = of};
  const IntVec *readers = &s->d.readers[s->scatter];
  g.fails = s->d.at_end[s->scatter] || !readers->n;
  for (int i = 0; i < readers->n && !g.fails; i++) add_member(&g, readers->at[i]);
  for (int i = 0; i < g.steps.n && !g.fails; i++) {
    const Reads *r = &s->d.reads[g.steps.at[i]];
    for (int k = 0; k < r->n; k++) {
      const int by = s->d.made_by[r->at[k].node];
      if (by < 0 || !serves(&g, by)) continue;
      of[by] = 1 + s->scatter;
      vec_push(s->plan->arena, &g.steps, by);
    }
  }
  if (!g.fails && is_worth_it(&g)) return;
  for (int i = 0; i < g.steps.n; i++) of[g.steps.at[i]] = 0;
}

int *named_groups(Plan *p, LocalEntry *le) {
  int *of = arena_array(p->arena, int, le->steps.n + 1);
  Naming s = {.plan = p, .le = le};
  if (p->observe || !begin(&s)) return of;
  for (int t = 0; t < le->steps.n; t++) find_group(&s, t, of);
  return of;
}
