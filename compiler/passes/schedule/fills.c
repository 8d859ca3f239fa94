/* First values that no one reads. What a loop collects, and what its gradient keeps of each run, is
 * a tensor of zeros into which run t writes row t: where the number of runs is known to be that of
 * the rows, nothing is left of the zeros, and they are not stored. Not where values are watched,
 * which may look at rows that are not there yet. */
#include "schedule_passes.h"

/* A whole number: from + by * that of `of`, a carry (NO_NODE: there is none, and `by` is 0). */
typedef struct Affine {
  NodeId of;
  int64_t from, by;
} Affine;

static bool affine(const LocalEntry *le, NodeId id, Affine *a) {
  Position p;
  if (!position_of(le->graph, id, &p) || p.n > 1) return false;
  *a = (Affine){NO_NODE, p.number, 0};
  if (p.n) a->of = p.node[0], a->by = p.times[0];
  return !p.n || op_is(graph_node(le->graph, a->of), OPF_CARRY);
}

/* What it is in run t of a region: a->from + a->by * t. */
static bool in_run(const LocalEntry *le, NodeId id, int region, Affine *a) {
  const LocalRegion *r = &le->region[region];
  if (!affine(le, id, a) || !a->by) return false;
  for (int i = 0; i < r->carries.n; i++) {
    Affine first, next;
    if (r->carries.at[i].node != a->of) continue;
    if (!affine(le, graph_node(le->graph, a->of)->operand[0], &first) || first.by ||
        !affine(le, r->carries.at[i].next, &next) || next.of != a->of || next.by != 1)
      return false;
    a->from += a->by * first.from, a->by *= next.from;
    return true;
  }
  return false;
}

/* Whether `put` writes, in a loop of so many runs, each row of its tensor. */
static bool writes_all(const LocalEntry *le, const Node *put, int region, int64_t turns) {
  const Node *v = graph_node(le->graph, put->operand[1]);
  const int64_t axis = node_attr(put, "axis");
  Affine at;
  if (turns < 1 || put->noperands != 3 || node_begins_by_row(le->graph, put))
    return false; /* of one dim */
  for (int d = 0; d < put->shape.rank; d++) {
    const bool row = axis >> d & 1;
    if (row && (put->shape.dim[d] != turns || put->layout->dim[d].naxes)) return false;
    if (v->shape.dim[d] != (row ? 1 : put->shape.dim[d])) return false;
  }
  return in_run(le, put->operand[2], region, &at) &&
         ((at.by == 1 && at.from == 0) || (at.by == -1 && at.from == turns - 1));
}

/* By node: how many read it, or a view of it, before a region that it goes into is over. */
static int *find_readers(Arena *a, const Graph *g) {
  int *readers = arena_array(a, int, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    for (int k = 0; k < n->noperands && node_class(n) != CLASS_VIEW; k++)
      readers[node_base_here(g, n->operand[k])]++;
  }
  return readers;
}

static void fills_entry(Plan *p, LocalEntry *le) {
  const Graph *g = le->graph;
  const ArenaMark mark = arena_mark(p->scratch);
  const int *readers = find_readers(p->scratch, g);
  const int *region = regions_find(p->scratch, le->entry, g);
  for (int r = 0; r < le->entry->regions.n; r++) {
    const LocalRegion *x = &le->region[r];
    if (x->condition == NO_NODE || le->entry->regions.at[r].kind != REGION_LOOP) continue;
    for (int i = 0; i < x->carries.n; i++) {
      const NodeId carry = x->carries.at[i].node, next = node_base(g, x->carries.at[i].next);
      const Node *put = graph_node(g, next);
      if (!put->op->updates || put->operand[0] != carry || readers[carry] != 1 || readers[next] ||
          region[next] != r || !writes_all(le, put, r, le->entry->regions.at[r].turns))
        continue;
      if (!le->unfilled) le->unfilled = arena_array(p->arena, bool, g->nodes.n + 1);
      le->unfilled[carry] = true;
    }
  }
  arena_release(p->scratch, mark);
}

void fills(Plan *p) {
  if (p->observe != OBSERVE_NOTHING) return;
  for (int e = 0; e < p->entries.n; e++) fills_entry(p, &p->entries.at[e]);
}
