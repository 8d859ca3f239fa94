/* Halos without the block between them. What stencils read of their neighbours is exchanged into a
 * block with a border, and the block itself would be copied there with it: more bytes than come
 * from others, once in each run of a loop. Where loops alone read it, at places that they compute,
 * they read the block where it is and the border where it came: the index says which, and loops are
 * split there. The block has to stay as it is for so long, for which what comes of it may take
 * other memory; not under --memory. */
#include "depend.h"
#include "schedule_passes.h"

static bool is_loop(const Step *s) { return step_loops(s) && !s->named; }

/* Loops alone read it there, and none that run within a kernel. */
static bool loops_read(const LocalEntry *le, Arena *a, const Step *s, NodeId id) {
  if (s->kind != STEP_TILES) return is_loop(s);
  for (int i = 0; i < s->tile->steps.n; i++) {
    Reads r = {0};
    step_reads(le, &s->tile->steps.at[i], a, &r);
    if (reads_node(&r, id) && (s->tile->epilogue || !is_loop(&s->tile->steps.at[i]))) return false;
  }
  return true;
}

/* Tiles read what is theirs of the block, and around it. */
static void read_around(LocalEntry *le, const Depend *d, NodeId id) {
  const NodeId of = node_base(le->graph, graph_node(le->graph, id)->operand[0]);
  for (int i = 0; i < d->readers[id].n; i++) {
    const Step *s = &le->steps.at[d->readers[id].at[i]];
    for (int k = 0; s->kind == STEP_TILES && k < s->tile->nodes.n; k++)
      if (s->tile->nodes.at[k].node == of) s->tile->nodes.at[k].beyond = true;
  }
}

/* By node: it is read as something else, too. */
static const bool *viewed_of(Arena *a, const LocalEntry *le) {
  bool *viewed = arena_array(a, bool, le->graph->nodes.n + 1);
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const NodeId base = node_base(le->graph, i);
    viewed[base] = viewed[base] || base != i;
  }
  return viewed;
}

/* What it has itself is at its own place, and nowhere else: not a lap further. */
static bool holds_own(const Layout *l) {
  for (int d = 0; d < l->rank; d++) {
    const Window *w = &l->dim[d].window;
    if (w->cyclic && (w->first > 0 || w->last < 0)) return false;
  }
  return true;
}

/* Loops alone read node `id`. */
static bool is_read_by_loops(const LocalEntry *le, const Depend *d, NodeId id) {
  if (d->at_end[id]) return false;
  for (int i = 0; i < d->readers[id].n; i++)
    if (!loops_read(le, d->arena, &le->steps.at[d->readers[id].at[i]], id)) return false;
  return true;
}

static void borders_entry(Plan *p, LocalEntry *le) {
  const ArenaMark mark = arena_mark(p->scratch);
  const Depend d = depend_of(p->scratch, le);
  const bool *viewed = viewed_of(p->scratch, le);
  bool *kept = arena_array(p->scratch, bool, le->graph->nodes.n + 1);
  bool *found = arena_array(p->scratch, bool, le->graph->nodes.n + 1), any = false;
  regions_mark(le, kept);
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; s->kind == STEP_EXCHANGE && i < s->nodes.n; i++) {
      const Node *n = graph_node(le->graph, s->nodes.at[i]);
      const NodeId of = n->operand[0];
      if (n->op != OP_exchange || exchange_at(p->program, le->graph, n).kind != DTRT_HALO ||
          n->layout->partial || !holds_own(n->layout) ||
          graph_node(le->graph, of)->layout->partial || !le->stored[node_base(le->graph, of)] ||
          kept[s->nodes.at[i]] || viewed[s->nodes.at[i]] ||
          !is_read_by_loops(le, &d, s->nodes.at[i]))
        continue;
      found[s->nodes.at[i]] = any = true;
      read_around(le, &d, s->nodes.at[i]);
    }
  }
  if (any)
    le->borders = arena_copy(p->arena, found, sizeof *found * (size_t)(le->graph->nodes.n + 1));
  arena_release(p->scratch, mark);
}

void borders(Plan *p) {
  if (p->memory > 0 || p->observe != OBSERVE_NOTHING) return;
  for (int e = 0; e < p->entries.n; e++) borders_entry(p, &p->entries.at[e]);
}
