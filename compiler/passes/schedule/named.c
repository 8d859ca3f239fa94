/* Updates of the rows that are named: the gradient of a table is zero but where an index names a
 * row, and where a gradient of zero leaves a variable, or a carry, as it is (sgd, adagrad, a lazy
 * adam), only those rows need be read and written. So it is with `table[index] <- rows` and other
 * scatters: the rest has the identity of their reduction. The sums of rows and the updates keep
 * their order, so that the bits are those of a pass over the whole table, and the time does not
 * grow with the table.
 *
 *   g = 0; g[index[i]] += u[i]                 last[index[i]] = i; g[last[index[i]]] += u[i]
 *   for row, j: p[row, j] -= rate * g[row, j]  for i with last[index[i]] = i, row = index[i], j:
 *                                                p[row, j] -= rate * g[i, j]
 *
 * g has a row for each index, and `last`, in whose place nothing is set before, one number for each
 * row of the table. Not for a rate that is infinite or NaN: that would leave no element of the
 * table a number.
 */
#include "depend.h"
#include "schedule_passes.h"
#include "unnamed.h"
#include <string.h>

typedef struct NamedUpdates {
  Plan *plan;
  LocalEntry *le;
  Depend d;
  NodeId scatter;
  const Step *step; /* the map that is looked at; NULL: all maps are taken as one */
  Unnamed *rest;
} NamedUpdates;

/* What another step stores. */
static bool is_from_memory(void *user, NodeId id) {
  const NamedUpdates *s = user;
  if (!s->le->stored[id]) return false;
  if (s->step) return !step_stores(s->step, id);
  const int by = s->d.made_by[id];
  return by < 0 || s->le->steps.at[by].kind != STEP_MAP;
}

static bool is_new(const NamedUpdates *s, NodeId id) {
  return s->d.variable[id] >= 0 || entry_carry_of(s->le, id) != NO_NODE ||
         graph_node(s->le->graph, id)->op->updates;
}

/* A new value of a variable or a carry, or a window that is written, which stays as it is in the
 * other rows. */
static bool is_left(NamedUpdates *s, NodeId id, RowDims *rows) {
  const Graph *g = s->le->graph;
  const NodeId carry = entry_carry_of(s->le, id);
  const int var = s->d.variable[id];
  const NodeId old = is_new(s, id) ? unnamed_kept(s->rest, id, rows) : NO_NODE;
  if (old == NO_NODE) return false;
  if (graph_node(g, id)->op->updates) return s->le->stored[old]; /* in its place, or a copy */
  if (carry != NO_NODE) return old == carry;
  return graph_node(g, old)->op == OP_var && node_source(graph_node(g, old)) == var;
}

static uint32_t sharers(const NamedUpdates *s, NodeId id) {
  return s->d.variable[id] < 0 ? 0 : share_axes(s->plan, s->d.variable[id]);
}

static bool leaves_the_rest(NamedUpdates *s, Step *step) {
  s->step = step;
  unnamed_of(s->rest, s->scatter);
  for (int i = 0; i < step->nodes.n; i++) {
    RowDims rows = {0};
    if (!is_left(s, step->nodes.at[i], &rows) ||
        sharers(s, step->nodes.at[i]) != sharers(s, step->nodes.at[0]))
      return false;
    if (i && memcmp(&rows, &step->rows, sizeof rows)) return false;
    step->rows = rows;
  }
  return true;
}

/* The scatter goes to whole rows, few of them. */
static bool is_sparse(const NamedUpdates *s, const Step *step) {
  if (step->kind != STEP_SCATTER) return false;
  const Mesh *m = &s->plan->program->mesh;
  const Node *n = graph_node(s->le->graph, step->nodes.at[0]);
  if (op_class(n) != OPC_ADD_ROWS || node_attr(n, "axis") != 0) return false;
  const Node *x = graph_operand(s->le->graph, n, 0);
  const Shape table = node_local(m, n), index = node_local(m, x);
  const int64_t updates = shape_count(&index);
  return updates < INT32_MAX && updates <= table.dim[0] / NAMED_ROWS;
}

static void look_at(NamedUpdates *s, int t) {
  LocalEntry *le = s->le;
  Step *own = &le->steps.at[t];
  if (!is_sparse(s, own)) return;
  s->scatter = own->nodes.at[0];
  const IntVec *readers = &s->d.readers[s->scatter];
  if (s->d.at_end[s->scatter] || !readers->n) return;
  for (int i = 0; i < readers->n; i++) {
    Step *step = &le->steps.at[readers->at[i]];
    if (step->kind != STEP_MAP || step->segment != own->segment || step->named ||
        !leaves_the_rest(s, step))
      return;
  }
  own->named = 1 + s->scatter;
  for (int i = 0; i < readers->n; i++) le->steps.at[readers->at[i]].named = 1 + s->scatter;
}

static bool begin(NamedUpdates *s) {
  bool any = false;
  const LocalEntry *le = s->le;
  for (int t = 0; t < le->steps.n; t++) any = any || is_sparse(s, &le->steps.at[t]);
  if (!any) return false;
  s->d = depend_of(s->plan->arena, le);
  s->rest = unnamed_new(s->plan->arena, &s->plan->program->mesh, le, is_from_memory, s);
  return true;
}

void named(Plan *p) {
  if (p->observe) return; /* values are looked at whole */
  for (int e = 0; e < p->entries.n; e++) {
    LocalEntry *le = &p->entries.at[e];
    NamedUpdates s = {.plan = p, .le = le};
    if (!begin(&s)) continue;
    for (int t = 0; t < le->steps.n; t++) look_at(&s, t);
  }
}

/* -------- before maps are joined -------- */

/* The maps that may become one over the rows that a scatter names. */
typedef struct NamedMaps {
  NamedUpdates *s;
  int segment;
  int *of; /* by step: 1 + a scatter */
  IntVec steps;
  double bytes; /* of the new values of variables and carries */
  bool fails;
} NamedMaps;

/* Its rows are those of the scatter. */
static bool has_rows_of(const NamedUpdates *s, NodeId id) {
  const Node *n = graph_node(s->le->graph, id), *rows = graph_node(s->le->graph, s->scatter);
  return n->shape.rank && n->shape.dim[0] == rows->shape.dim[0] &&
         dim_equal(&n->layout->dim[0], &rows->layout->dim[0]);
}

static void add_member(NamedMaps *g, int t);

/* What a member stores is the new value of a variable or a carry, or is for members. */
static void check_store(NamedMaps *g, NodeId id) {
  const NamedUpdates *s = g->s;
  const IntVec *readers = &s->d.readers[id];
  if (is_new(s, id)) {
    RowDims rows;
    g->fails = g->fails || !is_left(g->s, id, &rows);
    const Node *n = graph_node(s->le->graph, id);
    g->bytes +=
        node_bytes(s->plan->program, n->op->updates ? graph_operand(s->le->graph, n, 1) : n);
    return;
  }
  if (s->d.at_end[id] || !readers->n) g->fails = true;
  for (int i = 0; i < readers->n && !g->fails; i++) add_member(g, readers->at[i]);
}

static void add_member(NamedMaps *g, int t) {
  const NamedUpdates *s = g->s;
  const Step *step = &s->le->steps.at[t];
  if (g->of[t] == 1 + s->scatter || g->fails) return;
  if (step->kind != STEP_MAP || step->segment != g->segment || g->of[t] ||
      g->steps.n >= TILE_MEMBERS ||
      !(is_new(s, step->nodes.at[0]) || has_rows_of(s, step->nodes.at[0]))) {
    g->fails = true;
    return;
  }
  g->of[t] = 1 + s->scatter;
  vec_push(s->plan->arena, &g->steps, t);
  for (int i = 0; i < step->nodes.n && !g->fails; i++) check_store(g, step->nodes.at[i]);
}

/* All that a map stores is for members. */
static bool serves(const NamedMaps *g, int t) {
  const NamedUpdates *s = g->s;
  const Step *step = &s->le->steps.at[t];
  if (step->kind != STEP_MAP || step->segment != g->segment || g->of[t]) return false;
  for (int i = 0; i < step->nodes.n; i++) {
    const NodeId id = step->nodes.at[i];
    if (s->d.at_end[id] || !has_rows_of(s, id)) return false;
    for (int k = 0; k < s->d.readers[id].n; k++)
      if (g->of[s->d.readers[id].at[k]] != 1 + s->scatter) return false;
  }
  return true;
}

/* What the rows that are not named save, zeroing the gradient among it, is worth a loop. */
static bool is_worth_it(const NamedMaps *g) {
  const NamedUpdates *s = g->s;
  const Program *p = s->plan->program;
  const Node *n = graph_node(s->le->graph, s->scatter);
  const Mesh *m = &p->mesh;
  const Node *x = graph_operand(s->le->graph, n, 0);
  const Shape table = node_local(m, n), index = node_local(m, x);
  const double rows = (double)(table.dim[0] - NAMED_ROWS * shape_count(&index));
  return (node_bytes(p, n) + 3 * g->bytes) * rows / (double)table.dim[0] >
         p->machine->start * p->machine->cache[CACHE_L1].bandwidth;
}

static void find_group(NamedUpdates *s, int t, int *of) {
  const Step *own = &s->le->steps.at[t];
  if (!is_sparse(s, own)) return;
  s->scatter = own->nodes.at[0];
  s->step = NULL;
  unnamed_of(s->rest, s->scatter);
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
  NamedUpdates s = {.plan = p, .le = le};
  if (p->observe || !begin(&s)) return of;
  for (int t = 0; t < le->steps.n; t++) find_group(&s, t, of);
  return of;
}
