/* The invariants of a stage. A violation is a bug of the compiler: it is reported with the pass
 * and the node, and compilation stops.
 *
 * Exchanges: every device runs the same steps, so all members of a group run the same exchanges in
 * the same order, provided that the order is executable (every operand of a step is computed
 * before it), that every exchange is run once, and that an exchange is the same on all devices:
 * verify_exchanges.
 *
 * Most passes change little or nothing: what was found right is looked at again only where a hash
 * of all that the check reads differs. */
#include "loops.h"
#include "verify_plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void verify_breach(const Plan *p, const Entry *e, const Graph *g, NodeId id, const char *after,
                   const char *law) {
  Str s = str_new(p->arena);
  const Node *n = graph_node(g, id);
  str_printf(&s, "dtgc: bug after pass %s: entry %s, %%%d = %s", after, e->name, id, n->op->name);
  for (int k = 0; k < n->noperands; k++) str_printf(&s, " %%%d", n->operand[k]);
  str_printf(&s, " %s", dtype_name(n->dtype));
  shape_put(&s, &n->shape);
  str_printf(&s, ": %s\n", law);
  fputs(s.at, stderr);
  abort();
}

/* Operands come first, every dim of a factor has the factor's size. */
static const char *broken(Arena *scratch, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  Rule r;
  for (int k = 0; k < n->noperands; k++)
    if (n->operand[k] < 0 || n->operand[k] >= id) return "an operand does not come before its use";
  if (n->shape.rank > MAX_RANK) return "too many dims";
  if (n->op == OP_exchange) return NULL;
  rule_of(g, n, &r, scratch);
  for (int i = 0; i <= n->noperands; i++) {
    const Shape *s = i < n->noperands ? &graph_operand(g, n, i)->shape : &n->shape;
    const RuleDim *rd = i < n->noperands ? r.operand[i] : r.result;
    for (int d = 0; d < s->rank; d++) {
      int64_t size = 1;
      for (int j = 0; j < rd[d].n; j++) size *= r.factor[rd[d].factor[j]].size;
      if (rd[d].n && !rd[d].window.of && size != s->dim[d])
        return "a dim does not have the size of its factors";
    }
  }
  return NULL;
}

/* -------- what has changed -------- */

static uint64_t add(uint64_t h, uint64_t x) { return (h + x) * 0x9e3779b97f4a7c15ull; }

static uint64_t add_ids(uint64_t h, const NodeId *id, int n) {
  for (int i = 0; i < n; i++) h = add(h, (uint64_t)id[i]);
  return add(h, (uint64_t)n) ^ h >> 32;
}

/* All that a rule and a layout's checks read. */
static uint64_t state_of_graph(const Graph *g) {
  uint64_t h = 1;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    uint64_t bits, own = add((uint64_t)(uintptr_t)n->op, (uint64_t)(uintptr_t)n->layout);
    memcpy(&bits, &n->value, sizeof bits);
    own = add(add(add(own, bits), (uint64_t)n->whole), (uint64_t)n->dtype);
    own = add(own, (uint64_t)(uintptr_t)n->spec);
    own = add(add(own, (uint64_t)n->shape.rank), (uint64_t)n->nattr);
    for (int d = 0; d < n->shape.rank && d < MAX_RANK; d++)
      own = add(own, (uint64_t)n->shape.dim[d]);
    for (int k = 0; k < n->nattr; k++) own = add(own, (uint64_t)n->attr[k]);
    h = add(h ^ h >> 32, add_ids(own, n->operand, n->noperands));
  }
  return h | 1;
}

static uint64_t add_steps(uint64_t h, const StepVec *steps) {
  for (int t = 0; t < steps->n; t++) {
    const Step *s = &steps->at[t];
    h = add(add(h, (uint64_t)s->kind << 8 | s->slot), (uint64_t)s->named);
    h = add_ids(h, s->nodes.at, s->nodes.n);
    if (s->kind == STEP_TILES) h = add_steps(h, &s->tile->steps);
  }
  return h;
}

/* And all that steps read and make. */
static uint64_t state_of(const LocalEntry *le, uint64_t graph) {
  const size_t n = (size_t)le->graph->nodes.n;
  uint64_t h = add_ids(graph, le->output, le->entry->outputs.n);
  h = add_ids(h, le->assign, le->entry->assigns.n);
  if (le->stored) h = hash_words(le->stored, n * sizeof *le->stored, h);
  if (le->borders) h = hash_words(le->borders, n * sizeof *le->borders, h);
  return add_steps(h, &le->steps) | 1;
}

static void verify_regions(const Plan *p, const Entry *e, const char *after) {
  ArenaMark mark = arena_mark(p->arena);
  const NodeId bad = e->regions.n ? regions_broken(p->arena, e) : NO_NODE;
  arena_release(p->arena, mark);
  if (bad != NO_NODE)
    verify_breach(p, e, e->graph, bad, after, "it is read where its region may not have run");
}

void verify_global(const Plan *p, const char *after) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    verify_regions(p, en, after);
    const uint64_t state = state_of_graph(en->graph);
    if (*en->graph->verified == state) continue;
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      ArenaMark mark = arena_mark(p->arena);
      const char *law = broken(p->arena, en->graph, i);
      arena_release(p->arena, mark);
      if (law) verify_breach(p, en, en->graph, i, after, law);
    }
    *en->graph->verified = state;
  }
}

/* -------- exchanges -------- */

/* An exchange that devices could not run, or would not run alike. */
static const char *bad_exchange(const Plan *p, const Graph *g, const Node *n) {
  const Mesh *m = &p->program->mesh;
  const Node *x = graph_operand(g, n, 0);
  const Layout *from = x->layout, *to = n->layout;
  if (!from || !to || from->rank != to->rank)
    return "an exchange between tensors of different ranks";
  if (x->dtype != n->dtype || !shape_equal(&x->shape, &n->shape))
    return "an exchange that changes its tensor";
  if ((from->partial | to->partial | layout_axes(from) | layout_axes(to)) >> m->naxes)
    return "an exchange over an axis that the mesh does not have";
  if (from->partial & layout_axes(from) || to->partial & layout_axes(to))
    return "an axis both splits a tensor and is partial";
  if (from->partial && to->partial && from->reduce != to->reduce)
    return "an exchange changes the reduction op";
  for (int d = 0; d < from->rank; d++)
    if (from->dim[d].window.of && !dim_equal(&from->dim[d], &to->dim[d]))
      return "an exchange from a layout with windows";
  return NULL;
}

/* All exchanges of a step go as one: of one kind, all-reduces alike, over the same devices. */
static const char *bad_step(const Plan *p, const Graph *g, const Step *s) {
  const Node *first = graph_node(g, s->nodes.at[0]);
  Exchange a = {0};
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(g, s->nodes.at[i]), *x = graph_operand(g, n, 0);
    const char *law = n->op != OP_exchange ? "an exchange step with another op" : NULL;
    if (!law) law = bad_exchange(p, g, n);
    if (law) return law;
    if (s->nodes.n == 1) break;
    Exchange e = exchange_at(p->program, g, n);
    if (i == 0) a = e;
    if (e.kind != a.kind || e.kind == DTRT_COPY)
      return "a combined step holds exchanges of several kinds, or a copy";
    bool alike = e.kind != DTRT_ALL_REDUCE ||
                 (n->dtype == first->dtype &&
                  x->layout->reduce == graph_operand(g, first, 0)->layout->reduce);
    if (e.axes != a.axes || e.group != a.group || !alike)
      return "a combined step holds exchanges with different axes, groups or reduction ops";
    if (i && s->nodes.at[i] <= s->nodes.at[i - 1])
      return "the exchanges of a combined step are not in the order of the graph";
  }
  return NULL;
}

/* The end of an exchange in flight: of what was started with this number and is under way still. */
static const char *bad_wait(const Step *const *flying, const Step *s) {
  const Step *start = flying[s->slot];
  if (!start || start->nodes.n != s->nodes.n) return "a wait for an exchange that was not started";
  for (int i = 0; i < s->nodes.n; i++)
    if (start->nodes.at[i] != s->nodes.at[i]) return "a wait for an exchange that was not started";
  return NULL;
}

/* Walks the steps as a device does. */
static const char *bad_order(const Plan *p, const LocalEntry *le, NodeId *where) {
  const Graph *g = le->graph;
  bool *there = arena_array(p->arena, bool, g->nodes.n + 1);
  bool *started = arena_array(p->arena, bool, g->nodes.n + 1);
  const Step *flying[DTRT_SLOTS + 1] = {0};
  for (NodeId i = 0; i < g->nodes.n; i++) there[i] = node_class(graph_node(g, i)) == CLASS_SOURCE;
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    *where = s->nodes.at[0];
    const char *law = s->kind == STEP_EXCHANGE ? bad_step(p, g, s) : NULL;
    if (law) return law;
    for (int i = 0; i < s->nodes.n; i++)
      if (graph_node(g, s->nodes.at[i])->op == OP_exchange && s->kind != STEP_EXCHANGE &&
          s->kind != STEP_WAIT)
        return "an exchange in a loop";
    if (s->slot > DTRT_SLOTS) return "too many exchanges in flight";
    if (s->kind == STEP_WAIT && (law = bad_wait(flying, s))) return law;
    if (s->kind == STEP_EXCHANGE && s->slot && flying[s->slot])
      return "two exchanges in the same slot";
    if (s->slot) flying[s->slot] = s->kind == STEP_EXCHANGE ? s : NULL;
    Reads r = {0};
    step_reads(le, s, p->arena, &r);
    for (int i = 0; i < r.n; i++) {
      /* a loop may read what it has just stored at the same index */
      const bool own = s->kind != STEP_EXCHANGE && step_stores(s, r.at[i].node);
      if (!there[r.at[i].node] && !own) return "a step reads a value that no earlier step computes";
    }
    for (int i = 0; i < s->nodes.n; i++) {
      *where = s->nodes.at[i];
      if (started[s->nodes.at[i]] && s->kind == STEP_EXCHANGE)
        return "an exchange is executed twice";
      started[s->nodes.at[i]] = started[s->nodes.at[i]] || s->kind == STEP_EXCHANGE;
      there[s->nodes.at[i]] = s->kind != STEP_EXCHANGE || !s->slot;
    }
  }
  for (int i = 1; i <= DTRT_SLOTS; i++)
    if (flying[i]) {
      *where = flying[i]->nodes.at[0];
      return "an exchange is never awaited";
    }
  const Entry *en = le->entry;
  for (int i = 0; i < en->outputs.n + en->assigns.n; i++) {
    *where = i < en->outputs.n ? le->output[i] : le->assign[i - en->outputs.n];
    if (!there[node_base(g, *where)] && le->stored[node_base(g, *where)])
      return "no step computes an output";
  }
  return NULL;
}

void verify_exchanges(const Plan *p, const LocalEntry *le, const char *after) {
  NodeId where = 0;
  ArenaMark mark = arena_mark(p->arena);
  const char *law = bad_order(p, le, &where);
  arena_release(p->arena, mark);
  if (law) verify_breach(p, le->entry, le->graph, where, after, law);
}

void verify_local(const Plan *p, const char *after) {
  for (int e = 0; e < p->entries.n; e++) {
    LocalEntry *le = &p->entries.at[e];
    const uint64_t graph = state_of_graph(le->graph), state = state_of(le, graph);
    if (le->verified == state) continue;
    for (NodeId i = 0; *le->graph->verified != graph && i < le->graph->nodes.n; i++) {
      const Node *n = graph_node(le->graph, i);
      ArenaMark mark = arena_mark(p->arena);
      const char *law = broken(p->arena, le->graph, i);
      arena_release(p->arena, mark);
      if (!law && !n->layout) law = "no layout";
      if (!law && n->layout->rank != n->shape.rank)
        law = "the layout has a different number of dims";
      if (!law && n->layout->partial & layout_axes(n->layout))
        law = "an axis both splits it and is summed over";
      if (law) verify_breach(p, le->entry, le->graph, i, after, law);
    }
    for (int i = 0; i < le->entry->outputs.n; i++)
      if (graph_node(le->graph, le->output[i])->layout->partial)
        verify_breach(p, le->entry, le->graph, le->output[i], after, "an output is partial");
    if (le->steps.n) verify_exchanges(p, le, after);
    *le->graph->verified = graph;
    le->verified = state;
  }
}

/* -------- memory -------- */

/* The contents of one place of the arena. */
typedef struct Held {
  int64_t offset, end;
  NodeId node;
} Held;

typedef struct Memory {
  const Plan *plan;
  const LocalEntry *le;
  bool *holds;    /* by node: its value is where it was put */
  NodeId *in_var; /* by variable: the new value that it has, or NO_NODE */
  VEC(Held) held; /* apart, by offset */
} Memory;

/* The first that ends behind an offset. */
static int held_from(const Memory *m, int64_t offset) {
  int lo = 0, hi = m->held.n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (m->held.at[mid].end > offset)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

/* The tensor in whose place the rows of a carry are written; NO_NODE: none. */
static NodeId under(const LocalEntry *le, NodeId carry) {
  return le->over_rows ? le->over_rows[carry] : NO_NODE;
}

/* What it overlaps is gone, but for the tensor under a carry, which is until a row is written. */
static void hold(Memory *m, NodeId id) {
  const Buffer *b = &m->le->buffers.at[m->le->buffer[id]];
  const Node *own = graph_node(m->le->graph, id);
  const NodeId stays = under(m->le, id);
  const bool stayed = stays != NO_NODE && m->holds[stays];
  if (own->op->updates && under(m->le, own->operand[0]) != NO_NODE)
    m->holds[under(m->le, own->operand[0])] = false;
  if (b->place == PLACE_VAR) {
    if (m->in_var[b->var] != NO_NODE) m->holds[m->in_var[b->var]] = false;
    m->in_var[b->var] = id;
    m->holds[id] = true;
    return;
  }
  m->holds[id] = true;
  if (b->bytes == 0) return;
  Held h = {b->offset, b->offset + b->bytes, id};
  int at = held_from(m, h.offset), end = at, n = m->held.n;
  for (; end < n && m->held.at[end].offset < h.end; end++) m->holds[m->held.at[end].node] = false;
  m->holds[id] = true; /* a tile recomputes a value in its own place */
  if (stayed) m->holds[stays] = true;
  if (end == at) vec_push(m->plan->arena, &m->held, h);
  memmove(&m->held.at[at + 1], &m->held.at[end], sizeof h * (size_t)(n - end));
  m->held.n = n + 1 - (end - at);
  m->held.at[at] = h;
}

/* Partial results are written over whatever lay there. */
static void clobber(Memory *m, const Buffer *b) {
  for (int i = held_from(m, b->offset);
       i < m->held.n && m->held.at[i].offset < b->offset + b->bytes; i++)
    m->holds[m->held.at[i].node] = false;
}

/* An all-reduce in flight may be in the place of its terms. */
static bool in_its_place(const LocalEntry *le, const Step *s, NodeId id) {
  for (int i = 0; s->kind == STEP_WAIT && i < s->nodes.n; i++)
    if (le->buffer[s->nodes.at[i]] == le->buffer[id]) return true;
  return false;
}

/* A later step of the tile stores its value in the place of node i, which has no further uses. */
static bool is_replaced(const LocalEntry *le, const Step *s, int i) {
  const NodeId id = s->nodes.at[i];
  bool after = false;
  for (int k = 0; s->kind == STEP_TILES && k < s->tile->steps.n; k++) {
    const Step *t = &s->tile->steps.at[k];
    for (int j = 0; j < t->nodes.n && after; j++)
      if (le->buffer[t->nodes.at[j]] == le->buffer[id]) return true;
    after = after || step_stores(t, id);
  }
  return false;
}

/* Where what is in buffer b comes to be at the end of a run. */
static int goes_to(const LocalRegion *x, int b) {
  for (int i = 0; i < x->rotations.n; i++) {
    const Rotation *r = &x->rotations.at[i];
    for (int k = 0; k < r->buffers.n; k++)
      if (r->buffers.at[k] == b) return r->buffers.at[(k + r->buffers.n - 1) % r->buffers.n];
  }
  return b;
}

/* What a carry becomes is in its place: made there, moved there with its buffer, or copied. */
static bool comes_home(const LocalEntry *le, const LocalRegion *x, const LocalCarry *c) {
  int from = goes_to(x, le->buffer[node_base(le->graph, c->next)]), to = le->buffer[c->node];
  for (int i = x->copies.n - 1; i >= 0; i--) /* by way of others, from the last */
    if (x->copies.at[i].to == to) to = x->copies.at[i].from;
  return from == to;
}

/* Buffers that change places are alike, and in the loop no other has memory in any of them. */
static const char *bad_rotation(const Memory *m, int region, const Rotation *r) {
  const LocalEntry *le = m->le;
  const RegionSpan span = region_span(le, region);
  for (int i = 0; i < r->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[r->buffers.at[i]];
    if (b->place != PLACE_ARENA || b->bytes != le->buffers.at[r->buffers.at[0]].bytes)
      return "buffers that change places are not alike";
    if (b->first > span.begin || b->last < span.end - 1)
      return "buffers change places where one of them is dead";
    for (int k = 0; k < le->buffers.n; k++) {
      const Buffer *o = &le->buffers.at[k];
      if (o == b || o->place != PLACE_ARENA || o->last < span.begin || o->first >= span.end)
        continue;
      if (o->first <= o->last && o->offset < b->offset + b->bytes &&
          b->offset < o->offset + o->bytes)
        return "buffers change places where another has memory in them";
    }
  }
  return NULL;
}

/* What lies under the region's carries is there, or is not. */
static void find_under(Memory *m, const LocalRegion *x, bool there) {
  for (int i = 0; i < x->carries.n; i++) {
    const NodeId id = under(m->le, x->carries.at[i].node);
    if (id != NO_NODE) m->holds[id] = there;
  }
}

/* The end of a run: what the carries become must be there, and then is in their places. */
static const char *bad_run_end(Memory *m, int region, NodeId *where) {
  const LocalEntry *le = m->le;
  const LocalRegion *x = &le->region[region];
  const char *law = NULL;
  for (int i = 0; i < x->rotations.n && !law; i++)
    law = bad_rotation(m, region, &x->rotations.at[i]);
  if (law) return law;
  for (int i = 0; i < x->carries.n; i++) {
    const NodeId next = node_base(le->graph, x->carries.at[i].next);
    *where = next;
    if (graph_node(le->graph, next)->op != OP_var && !m->holds[next])
      return "what a carry becomes is overwritten before the run ends";
    if (!comes_home(le, x, &x->carries.at[i])) return "what a carry becomes is not in its place";
  }
  for (int i = 0; i < x->rotations.n; i++)
    for (int k = 0; k < x->rotations.at[i].buffers.n; k++)
      clobber(m, &le->buffers.at[x->rotations.at[i].buffers.at[k]]);
  for (int i = 0; i < x->copies.n; i++) {
    const Buffer *to = &le->buffers.at[x->copies.at[i].to];
    if (to->place == PLACE_ARENA) clobber(m, to);
  }
  for (int i = 0; i < x->carries.n; i++) hold(m, x->carries.at[i].node);
  find_under(m, x, true); /* the next run reads another row */
  for (int i = 0; i < x->carries.n; i++)
    if (*where = x->carries.at[i].node, !m->holds[*where]) return "two carries are in one place";
  return NULL;
}

/* A loop around the region is walked for the second time. */
static bool is_around_again(const LocalEntry *le, const bool *again, int region) {
  int r = le->entry->regions.at[region].parent;
  while (r != NO_REGION && !again[r]) r = le->entry->regions.at[r].parent;
  return r != NO_REGION;
}

/* Bounds from *k on that stand before step t. A loop is walked twice, as if it ran two times, but
 * once while one around it is walked again: what its second run could find it found before, and
 * loops within loops would take a time that doubles with each. The step to go on with. */
static int pass_bounds(Memory *m, int t, int *k, bool *again, const char **law, NodeId *where) {
  const LocalEntry *le = m->le;
  const int segment = t < le->steps.n ? le->steps.at[t].segment : le->bounds.n;
  for (; *k < segment && !*law; ++*k) {
    const Bound *b = &le->bounds.at[*k];
    const LocalRegion *x = &le->region[b->region];
    *where = node_base(le->graph, x->condition);
    const bool reads =
        b->kind == BOUND_TEST ||
        (b->kind == BOUND_BEGIN && le->entry->regions.at[b->region].kind == REGION_BRANCH);
    if (reads && graph_node(le->graph, *where)->op != OP_var && !m->holds[*where])
      *law = "a condition is overwritten before it is read";
    if (reads && (graph_node(le->graph, x->condition)->shape.rank ||
                  graph_node(le->graph, x->condition)->layout->partial))
      *law = "a condition is not the same on all devices";
    if (b->kind != BOUND_END || *law) continue;
    *law = bad_run_end(m, b->region, where);
    if (le->entry->regions.at[b->region].kind == REGION_BRANCH) continue;
    again[b->region] = !again[b->region] && !is_around_again(le, again, b->region);
    if (!again[b->region]) {
      find_under(m, x, false);
      continue;
    }
    int begin = 0;
    while (le->bounds.at[begin].kind != BOUND_BEGIN || le->bounds.at[begin].region != b->region)
      begin++;
    *k = begin + 1;
    return region_span(le, b->region).begin;
  }
  return t;
}

/* Rows that are written in the place of another tensor's. */
static const char *bad_rows(Memory *m, NodeId *where) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; le->region[r].condition != NO_NODE && i < le->region[r].carries.n; i++) {
      const LocalCarry *c = &le->region[r].carries.at[i];
      const NodeId next = node_base(le->graph, c->next), of = under(le, c->node);
      *where = c->node;
      if (of == NO_NODE) continue;
      if (!le->unfilled || !le->unfilled[c->node] || le->buffer[of] != le->buffer[c->node] ||
          le->buffer[of] != le->buffer[next] || !over_rows_hold(m->plan->arena, le, r, next, of))
        return "rows are written where another tensor's are still read";
    }
  return NULL;
}

/* Walks the steps: what is read must not have been overwritten. A node that is read from its
 * variable may be there as several nodes. */
static const char *bad_memory(Memory *m, NodeId *where) {
  const LocalEntry *le = m->le;
  const char *law = bad_rows(m, where);
  bool *again = arena_array(m->plan->arena, bool, le->entry->regions.n + 1);
  for (NodeId i = 0; i < le->graph->nodes.n; i++)
    if (le->buffer[i] >= 0 && graph_node(le->graph, i)->op == OP_input) hold(m, i);
  for (int t = 0, k = 0;; t++) {
    for (int from = -1;
         from != t && !law;) /* a region may have no steps, or end where one begins */
      from = t, t = pass_bounds(m, t, &k, again, &law, where);
    if (law) return law;
    if (t >= le->steps.n) break;
    const Step *s = &le->steps.at[t];
    Reads r = {0};
    step_reads(le, s, m->plan->arena, &r);
    for (int i = 0; i < s->nodes.n; i++) /* while the step still reads */
      if (le->scratch[s->nodes.at[i]] >= 0)
        clobber(m, &le->buffers.at[le->scratch[s->nodes.at[i]]]);
    for (int i = 0; i < r.n; i++) {
      *where = r.at[i].node;
      const bool own = step_stores(s, *where);
      const Node *n = graph_node(le->graph, *where);
      if (n->op == OP_var && m->in_var[node_source(n)] != NO_NODE)
        return "a variable's old value is read after its update";
      if (!own && n->op != OP_var && !m->holds[*where] && !in_its_place(le, s, *where))
        return "its buffer is overwritten before its last use";
    }
    for (int i = 0; s->kind == STEP_WAIT && i < s->nodes.n; i++)
      if (*where = s->nodes.at[i], !m->holds[*where])
        return "its buffer is overwritten while it is received";
    for (int i = 0; i < s->nodes.n; i++) hold(m, s->nodes.at[i]);
    for (int i = 0; i < s->nodes.n; i++)
      if (*where = s->nodes.at[i], !m->holds[*where] && !is_replaced(le, s, i))
        return "a step stores two values in one buffer";
  }
  return NULL;
}

void verify_memory(const Plan *p, const char *after) {
  verify_local(p, after);
  for (int e = 0; e < p->entries.n; e++) {
    ArenaMark mark = arena_mark(p->arena);
    const LocalEntry *le = &p->entries.at[e];
    int nvars = p->program->vars.n;
    Memory m = {.plan = p,
                .le = le,
                .holds = arena_array(p->arena, bool, le->graph->nodes.n + 1),
                .in_var = arena_array(p->arena, NodeId, nvars + 1)};
    for (int i = 0; i < nvars; i++) m.in_var[i] = NO_NODE;
    NodeId where = 0;
    const char *law = bad_memory(&m, &where);
    arena_release(p->arena, mark);
    if (law) verify_breach(p, m.le->entry, m.le->graph, where, after, law);
  }
}

void verify_statements(const Plan *p, const char *after) {
  for (int e = 0; e < p->loops->entries.n; e++) {
    NodeId where = 0;
    const LoopEntry *en = p->loops->entries.at[e];
    const char *law = loop_verify_entry(p->arena, p, en, &where);
    if (law) verify_breach(p, en->le->entry, en->le->graph, where, after, law);
  }
}
