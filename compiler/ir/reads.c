/* What a step reads from memory. */
#include "plan.h"

/* The walk from a step through the values that are not stored. Shared ones are met along many ways,
 * so it keeps what it saw of each node: without that it would take as long as there are ways. */
typedef struct SeenNode {
  NodeId node;  /* NO_NODE: free */
  uint32_t how; /* set of ReadHow */
  int read;     /* 1 + its place in `out`; 0: not read */
} SeenNode;

typedef enum ReadHow {
  READ_LOOSE,     /* at another index than the loop's */
  READ_ALIGNED,   /* at the loop's own */
  READ_IN_WINDOW, /* at that of the element that is written into a window */
  READ_IN_PLACE,  /* where that element lies of what is written all over, in other dims */
} ReadHow;

enum { FEW = 8, SOME = 64 };

typedef struct ReadWalk {
  const LocalEntry *le;
  Arena *arena;
  const Node *made; /* by the step */
  Reads *out;
  SeenNode *seen; /* a hash table of a power of two, at most half full */
  int nslots, nseen;
  SeenNode few[FEW], some[SOME]; /* most steps read few values */
} ReadWalk;

static SeenNode *slot_of(SeenNode *table, int nslots, NodeId id) {
  const uint32_t mask = (uint32_t)nslots - 1;
  uint32_t i = (uint32_t)id * 2654435769u & mask;
  while (table[i].node != NO_NODE && table[i].node != id) i = (i + 1) & mask;
  return &table[i];
}

static void walk_table(ReadWalk *w, SeenNode *table, int nslots) {
  for (int i = 0; i < nslots; i++) table[i] = (SeenNode){.node = NO_NODE};
  for (int i = 0; i < w->nslots; i++)
    if (w->seen[i].node != NO_NODE) *slot_of(table, nslots, w->seen[i].node) = w->seen[i];
  w->seen = table;
  w->nslots = nslots;
}

static SeenNode *walk_slot(ReadWalk *w, NodeId id, bool *is_new) {
  if (2 * w->nseen >= w->nslots) {
    const bool first = w->nslots == FEW;
    const int nslots = first ? SOME : 4 * w->nslots;
    walk_table(w, first ? w->some : arena_array(w->arena, SeenNode, nslots), nslots);
  }
  SeenNode *s = slot_of(w->seen, w->nslots, id);
  *is_new = s->node == NO_NODE;
  if (*is_new) w->nseen++;
  s->node = id;
  return s;
}

static void add_read(ReadWalk *w, NodeId base, bool aligned) {
  bool is_new;
  if (w->le->borders && w->le->borders[base])
    add_read(w, node_base(w->le->graph, graph_node(w->le->graph, base)->operand[0]), false);
  SeenNode *s = walk_slot(w, base, &is_new);
  if (s->read) {
    w->out->at[s->read - 1].aligned = w->out->at[s->read - 1].aligned && aligned;
    return;
  }
  vec_push(w->arena, w->out, ((Read){base, aligned}));
  s->read = w->out->n;
}

static ReadHow read_of(ReadHow how, const Node *n, int k) {
  if (how == READ_ALIGNED && n->op->updates && k == 1)
    return node_attr(n, "axis") ? READ_IN_WINDOW : READ_ALIGNED;
  return op_at_same_index(n->op, k) ? how : READ_LOOSE;
}

/* What a view shows. What is written into is read as one array, in whatever dims (loop_value.c). */
static ReadHow read_through(const ReadWalk *w, const Node *view, ReadHow how) {
  if (how == READ_IN_WINDOW || how == READ_IN_PLACE) return how;
  const bool all = w->made->op->updates && !node_attr(w->made, "axis");
  return how == READ_ALIGNED && all && same_space(view, w->made) ? READ_IN_PLACE : READ_LOOSE;
}

static bool is_aligned(const ReadWalk *w, NodeId id, NodeId base, ReadHow how) {
  const Graph *g = w->le->graph;
  if (how == READ_ALIGNED && same_space(graph_node(g, id), w->made)) return true;
  if (base != id) how = read_through(w, graph_node(g, id), how);
  return how == READ_IN_PLACE && base == w->made->operand[0] &&
         same_space(graph_node(g, base), w->made);
}

static void reads_of(ReadWalk *w, NodeId id, ReadHow how) {
  const Graph *g = w->le->graph;
  const Node *n = graph_node(g, id);
  NodeId base = node_base(g, id);
  if (w->le->stored[base]) { /* seen as what is stored, it is the same array in C */
    add_read(w, base, is_aligned(w, id, base, how));
    return;
  }
  if (base != id) {
    reads_of(w, base, read_through(w, n, how));
    return;
  }
  bool is_new;
  SeenNode *s = walk_slot(w, id, &is_new);
  if (s->how & (1u << how | 1u << READ_LOOSE)) return; /* once more would add nothing */
  s->how |= 1u << how;
  const bool written = how == READ_IN_WINDOW && part_is_written(g, w->made, n);
  for (int k = 0; k < n->noperands; k++)
    reads_of(w, n->operand[k], written && !k ? READ_ALIGNED : read_of(how, n, k));
}

/* What the tiles make is not read from outside; all else is, at any index. */
static void tiles_reads(const LocalEntry *le, const Tiles *s, Arena *a, Reads *out) {
  for (int i = 0; i < s->steps.n; i++) {
    Reads r = {0};
    step_reads(le, &s->steps.at[i], a, &r);
    for (int k = 0; k < r.n; k++) {
      bool had = tiles_made_before(s, i, r.at[k].node);
      for (int j = 0; j < out->n && !had; j++) had = out->at[j].node == r.at[k].node;
      if (!had) vec_push(a, out, ((Read){r.at[k].node, false}));
    }
  }
}

void step_reads(const LocalEntry *le, const Step *s, Arena *a, Reads *out) {
  if (s->kind == STEP_TILES) {
    tiles_reads(le, s->tile, a, out);
    return;
  }
  ReadWalk w; /* `some` is not cleared: that took longer than the walk */
  w.le = le, w.arena = a, w.made = NULL, w.out = out, w.nslots = w.nseen = 0;
  walk_table(&w, w.few, FEW);
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = w.made = graph_node(le->graph, s->nodes.at[i]);
    for (int k = 0; k < n->noperands; k++)
      reads_of(&w, n->operand[k], s->kind == STEP_MAP ? read_of(READ_ALIGNED, n, k) : READ_LOOSE);
  }
  if (s->kind == STEP_MAP && s->named) /* the indices */
    reads_of(&w, graph_node(le->graph, s->named - 1)->operand[0], READ_LOOSE);
}
