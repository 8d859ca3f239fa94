/* A gradient asks on which side of a bound a value was:
 *
 *   y = max(x, 0), dx = where(x > 0, dy, 0)  ->  dx = where(y > 0, dy, 0)
 *
 * which the clamped value says as well, also of NaN. Where y is stored anyway, x need not be: this
 * is done where nothing else asks for x, and x would be stored, or some value in memory kept, for
 * that alone. */
#include <string.h>
#include "depend.h"
#include "op_list.h"
#include "schedule_passes.h"
#include "sites.h"

enum { NODES = 64 }; /* that are looked at */

typedef struct Clamps {
  Arena *arena;
  Graph *g;
  const int *region;
  IntVec *reader;  /* by node */
  const bool *end; /* by node: an output, or a variable's new value */
} Clamps;

static bool is_same(const Graph *g, NodeId a, NodeId b) {
  const Node *x = graph_node(g, a), *y = graph_node(g, b);
  return a == b || (node_is_const(x) && node_is_const(y) && x->dtype == y->dtype &&
                    x->value == y->value && x->whole == y->whole);
}

/* Node m asks whether operand 0 lies beyond the bound that y keeps it within, or at. */
static bool asks(const Clamps *c, NodeId m, NodeId y) {
  const Node *n = graph_node(c->g, m), *clamped = graph_node(c->g, y);
  const int order = clamped->op->extreme;
  return order && n->op->compares == order && m > y && c->region[m] == c->region[y] &&
         n->operand[0] == clamped->operand[0] && is_same(c->g, n->operand[1], clamped->operand[1]);
}

/* A kernel or an exchange reads it, through views. */
static bool is_stored(const Clamps *c, NodeId y) {
  for (int i = 0; i < c->reader[y].n; i++) {
    const NodeId r = c->reader[y].at[i];
    const NodeClass class = node_class(graph_node(c->g, r));
    if (class == CLASS_KERNEL || class == CLASS_EXCHANGE ||
        (class == CLASS_VIEW && is_stored(c, r)))
      return true;
  }
  return false;
}

/* Operations of an element of x, and whether a value in memory as large is read for x alone. */
static double made_by(const Clamps *c, NodeId x, bool *alone, int *nodes) {
  const Node *n = graph_node(c->g, x);
  if (++*nodes > NODES) return 0;
  if (node_class(n) == CLASS_VIEW) return made_by(c, n->operand[0], alone, nodes);
  if (node_class(n) != CLASS_MAP) {
    *alone = *alone || (node_class(n) != CLASS_SOURCE && !c->end[x]);
    return 0;
  }
  double cost = sites_own(n);
  for (int k = 0; k < n->noperands; k++) {
    const NodeId from = n->operand[k];
    if (shape_count(&graph_node(c->g, from)->shape) < shape_count(&n->shape)) continue;
    bool only = false;
    if (!node_is_const(graph_node(c->g, from))) cost += made_by(c, from, &only, nodes);
    *alone = *alone || (only && c->reader[from].n == 1);
  }
  return cost;
}

static void ask_instead(Clamps *c, NodeId y) {
  const NodeId x = graph_node(c->g, y)->operand[0];
  int asked = 0, others = 0;
  for (int i = 0; i < c->reader[x].n; i++) {
    const NodeId r = c->reader[x].at[i];
    if (r != y && asks(c, r, y)) asked++;
    if (r > y && !asks(c, r, y)) others++;
  }
  bool alone = false;
  int nodes = 0;
  if (!asked || others || c->end[x] || !is_stored(c, y)) return;
  if (made_by(c, x, &alone, &nodes) <= inline_cheap() && !alone) return;
  for (int i = 0; i < c->reader[x].n; i++) {
    Node *m = graph_node(c->g, c->reader[x].at[i]);
    if (!asks(c, c->reader[x].at[i], y)) continue;
    m->operand =
        memcpy(arena_array(c->arena, NodeId, 2), (NodeId[]){y, m->operand[1]}, 2 * sizeof(NodeId));
  }
}

static void clamps_entry(Plan *p, LocalEntry *le) {
  const int n = le->graph->nodes.n;
  Clamps c = {.arena = p->arena,
              .g = le->graph,
              .region = regions_find(p->arena, le->entry, le->graph),
              .reader = arena_array(p->arena, IntVec, n + 1)};
  bool *end = arena_array(p->arena, bool, n + 1);
  kept_mark(le, end);
  c.end = end;
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(c.g, i);
    for (int k = 0; k < x->noperands; k++) vec_push(c.arena, &c.reader[x->operand[k]], i);
  }
  for (NodeId i = 0; i < n; i++)
    if (op_is(graph_node(c.g, i), OPF_EXTREME) && op_is(graph_node(c.g, i), OPF_ELEMENTWISE))
      ask_instead(&c, i);
}

void clamps(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) clamps_entry(p, &p->entries.at[i]);
}
