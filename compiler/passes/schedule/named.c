/* Updates of the rows that are named: the gradient of a table is zero but where an index names a
 * row, and where a gradient of zero leaves a variable as it is (sgd, adagrad, a lazy adam), only
 * those rows need be read and written. The sums of rows and the updates keep their order, so that
 * the bits are those of a pass over the whole table, and the time does not grow with the table.
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
  const Step *step; /* the map that is looked at */
  NodeId *is;       /* by node: what it is; NO_NODE: not known yet */
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

static NodeId find_at_zero(Naming *s, NodeId id) {
  const LocalEntry *le = s->le;
  const Node *n = graph_node(le->graph, id);
  if (id == s->scatter) return ZERO;
  if (node_is_const(n)) return of_number(n, id);
  if (!n->noperands || n->noperands > 4 || (le->stored[id] && !step_stores(s->step, id))) return id;
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
  if (s->is[id] == NO_NODE) s->is[id] = find_at_zero(s, id);
  return s->is[id];
}

/* All that a map stores are new values of variables, which stay as they are where the scatter is
 * zero. */
static bool leaves_the_rest(Naming *s, const Step *step) {
  const Graph *g = s->le->graph;
  s->step = step;
  for (NodeId i = 0; i < g->nodes.n; i++) s->is[i] = NO_NODE;
  for (int i = 0; i < step->nodes.n; i++) {
    const NodeId id = step->nodes.at[i];
    const int var = s->d.variable[id];
    if (var < 0 || !same_space(graph_node(g, id), graph_node(g, s->scatter))) return false;
    const NodeId old = at_zero(s, id);
    if (old < 0 || graph_node(g, old)->op != OP_var || node_source(graph_node(g, old)) != var ||
        !same_space(graph_node(g, old), graph_node(g, id)))
      return false;
  }
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
  const Shape table = layout_local(m, n->layout, &n->shape),
              index = layout_local(m, x->layout, &x->shape);
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

void named(Plan *p) {
  if (p->observe) return; /* values are looked at whole */
  for (int e = 0; e < p->entries.n; e++) {
    LocalEntry *le = &p->entries.at[e];
    bool any = false;
    Naming s = {.plan = p, .le = le};
    for (int t = 0; t < le->steps.n; t++) any = any || is_sparse(&s, &le->steps.at[t]);
    if (!any) continue;
    s.d = depend_of(p->arena, le);
    s.is = arena_array(p->arena, NodeId, le->graph->nodes.n + 1);
    for (int t = 0; t < le->steps.n; t++) look_at(&s, t);
  }
}
