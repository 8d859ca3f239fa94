/* Buffers. Each stored value has a buffer that is live from the step that computes it to its last
 * use; buffers with disjoint lifetimes may share bytes of the arena (pack.c). A value reuses the
 * buffer of another at that value's last use: an update its variable's, an elementwise result an
 * operand's, an all-reduce its input's. */
#include "depend.h"
#include "pack.h"
#include "sum_order.h"
#include "schedule_passes.h"
#include <string.h>

static int64_t local_bytes(const Plan *p, const Layout *l, const Shape *s, DType t) {
  Shape local = layout_local(&p->program->mesh, l, s);
  return shape_count(&local) * dtype_size(t);
}

typedef struct Memory {
  Plan *plan;
  LocalEntry *le;
  int nsteps;
  int *last_read; /* by base node: -1 never, nsteps: at the end */
  int *made_at;
  int *done_at; /* the same, or where the wait for an exchange in flight is */
  Depend d;
  int *var_buffer;  /* by variable: index, or -1 */
  NodeId *var_node; /* by variable: the first node that reads it, or NO_NODE ... */
  NodeId *var_next; /* ... and by node: the next of the same variable */
  RegionSpan *span; /* by region */
  NodeId *next_of;  /* by node: the carry in whose place it is made, or NO_NODE */
} Memory;

/* A place in the arena for so many bytes of a node, from step `first` to step `last`. */
static int add_bytes(Memory *m, NodeId id, int64_t bytes, int first, int last) {
  const Buffer b = {.bytes = bytes, .first = first, .last = last, .node = id, .var = -1};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->le->buffers.n - 1;
}

static int add_buffer(Memory *m, NodeId id) {
  const int64_t tile = m->le->tile_bytes[id],
                bytes = tile ? tile : node_bytes(m->plan->program, graph_node(m->le->graph, id));
  return add_bytes(m, id, bytes, m->made_at[id], m->last_read[id]);
}

/* Room for partial sums, while the step runs that makes the node. */
static void add_scratch(Memory *m, const Step *s, NodeId id) {
  const Node *n = graph_node(m->le->graph, id);
  int64_t bytes = sum_scratch(&m->plan->program->mesh, m->le->graph, n);
  const TileNode *tile = s->tile ? tiles_node(s->tile, m->le->graph, id) : NULL;
  if (tile && tile->sums)
    bytes += product_scratch(&m->plan->program->mesh, m->le->graph, n) +
             sum_line_scratch(&m->plan->program->mesh, m->le->graph, n, s->tile->unit > 0);
  int last = m->done_at[id];
  if (s->named && s->kind == STEP_SCATTER) { /* by whom rows are named is asked later, too */
    bytes += scatter_named(&m->plan->program->mesh, n);
    last = m->last_read[id];
  }
  if (!bytes) return;
  const int own = m->le->scratch[id] = add_bytes(m, id, bytes, m->made_at[id], last);
  m->le->buffers.at[own].scratch = true;
}

static int var_buffer(Memory *m, int var) {
  if (m->var_buffer[var] >= 0) return m->var_buffer[var];
  const Var *v = &m->plan->program->vars.at[var];
  Buffer b = {.place = PLACE_VAR,
              .var = var,
              .offset = m->plan->var_offset[var],
              .first = -1,
              .last = m->nsteps,
              .node = NO_NODE,
              .bytes = local_bytes(m->plan, v->layout, &v->shape, v->dtype)};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->var_buffer[var] = m->le->buffers.n - 1;
}

static void read_at(Memory *m, NodeId base, int step) {
  if (m->last_read[base] < step) m->last_read[base] = step;
}

/* -------- regions -------- */

static bool is_live(const Memory *m, int region) {
  return m->le->region[region].condition != NO_NODE;
}

/* The last step of a region; of one without steps the one behind it. */
static int last_of(const RegionSpan *s) { return s->end > s->begin ? s->end - 1 : s->begin; }

/* The end of a run of region r needs it, in each run of the regions around that, too. */
static void wanted_in(Memory *m, int r, NodeId id) {
  const Entry *e = m->le->entry;
  read_at(m, id, last_of(&m->span[r]));
  while ((r = e->regions.at[r].parent) != NO_REGION)
    if (m->made_at[id] < m->span[r].begin) read_at(m, id, last_of(&m->span[r]));
}

/* What a region reads and does not make is there until it ends, and so is what it carries. */
static void live_in_region(Memory *m, int r) {
  const LocalEntry *le = m->le;
  const LocalRegion *x = &le->region[r];
  if (!is_live(m, r)) return;
  const RegionSpan s = m->span[r];
  const int last = last_of(&s);
  for (int t = s.begin; t < s.end; t++)
    for (int i = 0; i < m->d.reads[t].r.n; i++) {
      const NodeId id = m->d.reads[t].r.at[i].node;
      if (m->made_at[id] < s.begin) read_at(m, id, last);
    }
  wanted_in(m, r, node_base(le->graph, x->condition));
  for (int i = 0; i < x->carries.n; i++) {
    wanted_in(m, r, x->carries.at[i].node);
    wanted_in(m, r, node_base(le->graph, x->carries.at[i].next));
  }
}

/* Step t runs again, in a region that the value comes from outside of: it is wanted then. */
static bool is_wanted_again(const Memory *m, NodeId id, int t) {
  for (int r = 0; r < m->le->entry->regions.n; r++)
    if (is_live(m, r) && t >= m->span[r].begin && t < m->span[r].end &&
        m->made_at[id] < m->span[r].begin)
      return true;
  return false;
}

static bool is_in(const Entry *e, int region, int outer) {
  while (region != outer && region != NO_REGION) region = e->regions.at[region].parent;
  return region == outer;
}

/* Step t is one of the region's body and of no region within it. */
static bool is_in_body(const Memory *m, int region, int t) {
  const Entry *e = m->le->entry;
  if (t < m->span[region].test || t >= m->span[region].end) return false;
  for (int r = 0; r < e->regions.n; r++)
    if (is_live(m, r) && r != region && is_in(e, r, region) && t >= m->span[r].begin &&
        t < m->span[r].end)
      return false;
  return true;
}

static Reads over_what(const Memory *m, NodeId id);

static bool reads_aligned(const Reads *r, NodeId id) {
  for (int i = 0; i < r->r.n; i++)
    if (r->r.at[i].node == id && r->r.at[i].aligned) return true;
  return false;
}

/* The next value of a carry is made in its place where that is read no later than there, and there
 * only at the same index. */
static bool makes_in_place(const Memory *m, int region, NodeId carry, NodeId next) {
  const LocalEntry *le = m->le;
  const LocalRegion *x = &le->region[region];
  const int t = m->made_at[next];
  Reads over = {0};
  if (m->plan->observe == OBSERVE_ALL || m->next_of[next] != NO_NODE || le->buffer[next] >= 0 ||
      op_class(graph_node(le->graph, next)) == OPC_SOURCE || !is_in_body(m, region, t))
    return false;
  for (int i = 0; i < x->carries.n; i++)
    if (node_base(le->graph, x->carries.at[i].next) == carry) return false;
  for (int k = m->span[region].begin; k < m->span[region].end; k++) {
    if (!reads_node(&m->d.reads[k], carry) || k < t) continue;
    if (k > t) return false;
    over = over_what(m, next);
    if (!reads_aligned(&over, carry)) return false;
  }
  return true;
}

/* The value that node `id` is made of but for a window, or that it begins with as a carry;
 * NO_NODE: it is another kind of node. */
static NodeId made_over(const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  return n->op->updates || op_is(n, OPF_CARRY) ? node_base(le->graph, n->operand[0]) : NO_NODE;
}

/* Some carry becomes it, which reads it when the run is over. */
static bool is_next(const Memory *m, NodeId id) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; is_live(m, r) && i < le->region[r].carries.n; i++)
      if (node_base(le->graph, le->region[r].carries.at[i].next) == id) return true;
  return false;
}

/* Value `id`, of which `later` is made in another's place, may be made there, too: nothing reads it
 * after that, or then but at the same index. */
static bool passes_place(const Memory *m, NodeId id, NodeId later) {
  const LocalEntry *le = m->le;
  const Node *n = graph_node(le->graph, id);
  const int t = m->made_at[later];
  if (m->made_at[id] < 0 || m->last_read[id] > t || le->buffer[id] >= 0 ||
      m->next_of[id] != NO_NODE || !(n->op->updates || op_is(n, OPF_CARRY)) || is_next(m, id))
    return false;
  const Reads over = over_what(m, later);
  return reads_aligned(&over, id);
}

/* Several windows of a carry are written one after the other, all in its place. */
static void chain_in_place(Memory *m, int region, NodeId carry, NodeId next) {
  for (NodeId id = made_over(m->le, next); id != carry && id != NO_NODE;
       next = id, id = made_over(m->le, id)) {
    if (!passes_place(m, id, next) || !makes_in_place(m, region, carry, id)) return;
    m->next_of[id] = carry;
  }
}

/* Runs of a loop may go over to other memory with pointers, where nobody looks for values at their
 * places: whether that is less than to copy `bytes` is asked for each of them (a place and what
 * points there are both written). */
enum { POINTERS_BYTES = 2 * 8 };
static bool may_rotate(const Memory *m, int region, int64_t bytes) {
  return m->plan->observe == OBSERVE_NOTHING && bytes > POINTERS_BYTES &&
         m->le->entry->regions.at[region].kind == REGION_LOOP;
}

/* Of carries that hand their values on (a, b = b, new) the one at the end, whose own value no other
 * takes over: the new one may be made in its place, and all change places then. */
static NodeId hands_on_to(const Memory *m, int region, NodeId carry) {
  const LocalRegion *x = &m->le->region[region];
  NodeId last = carry;
  for (int turn = 0, k = 0; turn < x->carries.n && k < x->carries.n; turn++) {
    for (k = 0; k < x->carries.n; k++)
      if (node_base(m->le->graph, x->carries.at[k].next) == last) break;
    if (k < x->carries.n) last = x->carries.at[k].node;
  }
  return last;
}

static bool makes_in_last(const Memory *m, int region, NodeId carry, NodeId last, NodeId next) {
  const Graph *g = m->le->graph;
  const Node *a = graph_node(g, last), *b = graph_node(g, next);
  const int64_t bytes = node_bytes(m->plan->program, a);
  return last != carry && a->dtype == b->dtype && m->le->buffer[last] < 0 && same_space(a, b) &&
         bytes == node_bytes(m->plan->program, b) && may_rotate(m, region, bytes) &&
         makes_in_place(m, region, last, next);
}

static void find_in_place(Memory *m) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; is_live(m, r) && i < le->region[r].carries.n; i++) {
      const LocalCarry *c = &le->region[r].carries.at[i];
      const NodeId next = node_base(le->graph, c->next), last = hands_on_to(m, r, c->node);
      if (makes_in_place(m, r, c->node, next)) {
        m->next_of[next] = c->node;
        chain_in_place(m, r, c->node, next);
      } else if (makes_in_last(m, r, c->node, last, next)) {
        m->next_of[next] = last;
      }
    }
}

/* The carry of a loop gets its next value from memory of its own, or that of a loop within does. */
static bool is_made_elsewhere(const Memory *m, NodeId carry) {
  const LocalEntry *le = m->le;
  const int r = (int)node_attr(graph_node(le->graph, carry), "region");
  const LocalRegion *x = &le->region[r];
  NodeId next = NO_NODE;
  for (int i = 0; i < x->carries.n; i++)
    if (x->carries.at[i].node == carry) next = node_base(le->graph, x->carries.at[i].next);
  if (next == NO_NODE || next == carry || m->made_at[next] < m->span[r].begin ||
      !may_rotate(m, r, node_bytes(m->plan->program, graph_node(le->graph, carry))))
    return false;
  if (!makes_in_place(m, r, carry, next)) return true;
  for (NodeId id = next; id != NO_NODE && id != carry; id = made_over(le, id))
    if (op_is(graph_node(le->graph, id), OPF_CARRY) && is_made_elsewhere(m, id)) return true;
  return false;
}

typedef VEC(Copy) Copies;

/* The copy into buffer b, or from it; -1: there is none. */
static int copy_into(const Copies *all, int b) {
  for (int i = 0; i < all->n; i++)
    if (all->at[i].to == b) return i;
  return -1;
}
static int copy_from(const Copies *all, int b) {
  for (int i = 0; i < all->n; i++)
    if (all->at[i].from == b) return i;
  return -1;
}

/* What is in a carry's buffer is read behind its loop. */
static bool is_wanted_behind(const Memory *m, int region, int buffer) {
  const LocalEntry *le = m->le;
  for (int i = 0; i < le->region[region].carries.n; i++) {
    const NodeId carry = le->region[region].carries.at[i].node;
    if (le->buffer[carry] != buffer) continue;
    if (m->last_read[carry] > last_of(&m->span[region])) return true;
    for (int r = 0; r < le->entry->regions.n; r++)
      for (int k = 0; is_live(m, r) && r != region && k < le->region[r].carries.n; k++)
        if (node_base(le->graph, le->region[r].carries.at[k].next) == carry) return true;
  }
  return false;
}

/* All of a row of copies can change places: alike, read by no other copy, the condition not among
 * them, and what is no carry's place is of the loop's body alone. */
static bool rotates(const Memory *m, int region, const Rotation *x, const Copies *all) {
  const LocalEntry *le = m->le;
  const int condition = le->buffer[node_base(le->graph, le->region[region].condition)];
  const int64_t bytes = le->buffers.at[x->buffers.at[0]].bytes;
  if (!may_rotate(m, region, bytes)) return false;
  for (int i = 0; i < x->buffers.n; i++) {
    const int own = x->buffers.at[i];
    const Buffer *b = &le->buffers.at[own];
    int read = 0;
    for (int k = 0; k < all->n; k++) read += all->at[k].from == own;
    if (b->place != PLACE_ARENA || b->bytes != bytes || b->scratch || own == condition || read > 1)
      return false;
    if (copy_into(all, own) < 0 && b->first < m->span[region].begin) return false;
  }
  return true;
}

/* The copies that hang together with copy i, from the one that nothing is copied on from. */
static Rotation hanging_together(const Memory *m, const Copies *all, int i) {
  Arena *a = m->plan->arena;
  Rotation x = {.between = -1};
  int first = i;
  for (int k = copy_from(all, all->at[first].to); k >= 0 && k != i;
       k = copy_from(all, all->at[first].to))
    first = k;
  vec_push(a, &x.buffers, all->at[first].to);
  for (int k = first; k >= 0 && x.buffers.n <= all->n; k = copy_into(all, all->at[k].from))
    if (all->at[k].from == all->at[first].to)
      break;
    else
      vec_push(a, &x.buffers, all->at[k].from);
  return x;
}

/* Their places are theirs, as long as the loop runs. */
static void live_in_rotation(Memory *m, int r, Rotation *x) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  const int last = last_of(&m->span[r]);
  for (int i = 0; i < x->buffers.n; i++) {
    Buffer *b = &le->buffers.at[x->buffers.at[i]];
    if (b->first > m->span[r].begin) b->first = m->span[r].begin;
    if (b->last < last) b->last = last;
    if (is_wanted_behind(m, r, x->buffers.at[i])) vec_push(a, &x->wanted, x->buffers.at[i]);
  }
  const Buffer *first = &le->buffers.at[x->buffers.at[0]];
  if (x->wanted.n > 1) x->between = add_bytes(m, first->node, first->bytes, last, last);
}

static bool is_in_rotation(const LocalRegion *x, int buffer) {
  for (int i = 0; i < x->rotations.n; i++)
    for (int k = 0; k < x->rotations.at[i].buffers.n; k++)
      if (x->rotations.at[i].buffers.at[k] == buffer) return true;
  return false;
}

static void place_rotations(Memory *m, int r, Copies *all) {
  LocalRegion *x = &m->le->region[r];
  int n = 0;
  for (int i = 0; i < all->n; i++) {
    if (is_in_rotation(x, all->at[i].to)) continue;
    Rotation own = hanging_together(m, all, i);
    if (!rotates(m, r, &own, all)) continue;
    live_in_rotation(m, r, &own);
    vec_push(m->plan->arena, &x->rotations, own);
  }
  for (int i = 0; i < all->n; i++)
    if (!is_in_rotation(x, all->at[i].to)) all->at[n++] = all->at[i];
  all->n = n;
}

/* What carries become that was made elsewhere is theirs at the end of each run, all at once:
 * buffers change places, or are copied. What a copy would overwrite before another has read it goes
 * by way of a place of its own. */
static void place_copies(Memory *m, int r) {
  LocalEntry *le = m->le;
  LocalRegion *x = &le->region[r];
  Arena *a = m->plan->arena;
  Copies all = {0};
  const int last = last_of(&m->span[r]);
  x->copies.n = x->rotations.n = 0;
  for (int i = 0; i < x->carries.n; i++) {
    const int from = le->buffer[node_base(le->graph, x->carries.at[i].next)],
              to = le->buffer[x->carries.at[i].node];
    if (from != to) vec_push(a, &all, ((Copy){from, to}));
  }
  place_rotations(m, r, &all);
  for (int i = 0; i < all.n; i++)
    for (int k = 0; k < all.n; k++) {
      if (all.at[k].to != all.at[i].from) continue;
      const int64_t bytes = le->buffers.at[all.at[i].from].bytes;
      const int between = add_bytes(m, le->buffers.at[all.at[i].to].node, bytes, last, last);
      vec_push(a, &x->copies, ((Copy){all.at[i].from, between}));
      all.at[i].from = between;
    }
  for (int i = 0; i < all.n; i++) vec_push(a, &x->copies, all.at[i]);
}

static void find_lives(Memory *m) {
  LocalEntry *le = m->le;
  for (int t = 0; t < m->nsteps; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      m->done_at[s->nodes.at[i]] = t;
      read_at(m, s->nodes.at[i], t);
    }
    for (int i = 0; i < m->d.reads[t].r.n; i++) read_at(m, m->d.reads[t].r.at[i].node, t);
  }
  for (int i = 0; i < le->entry->outputs.n; i++)
    read_at(m, node_base(le->graph, le->output[i]), m->nsteps);
  for (int r = 0; r < le->entry->regions.n; r++)
    if (is_live(m, r)) m->span[r] = region_span(le, r);
  for (int r = 0; r < le->entry->regions.n; r++) live_in_region(m, r);
}

/* Turn after turn of a tile goes over parts of both that are apart from those of other turns. */
static bool same_parts(const LocalEntry *le, const Tiles *s, NodeId a, NodeId b) {
  const TileNode *x = tiles_node(s, le->graph, a), *y = tiles_node(s, le->graph, b);
  if (!x || !y || x->inner || y->inner || x->sums || y->sums || x->beyond || y->beyond ||
      memcmp(x->loop, y->loop, sizeof x->loop))
    return false;
  uint32_t loops = 0;
  for (int d = 0; d < MAX_RANK; d++)
    if (x->loop[d] >= 0) loops |= 1u << x->loop[d];
  return loops == (1u << s->nloops) - 1;
}

/* The values in whose places node `id` could be made: of a map, what it reads; of a map in tiles,
 * the parts that it is the last in the tile to read. A kernel reads its operands as long as it
 * runs. */
static Reads over_what(const Memory *m, NodeId id) {
  const LocalEntry *le = m->le;
  const Step *s = &le->steps.at[m->made_at[id]];
  Arena *a = m->plan->arena;
  Reads out = {0}, first = {0};
  if (s->kind == STEP_MAP) return m->d.reads[m->made_at[id]];
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++) {
    const Step *t = &s->tile->steps.at[i];
    Reads r = {0};
    step_reads(le, t, a, &r);
    if (i == 0) first = r;
    int n = 0;
    for (int k = 0; k < out.r.n; k++)
      if (!reads_node(&r, out.r.at[k].node)) out.r.at[n++] = out.r.at[k];
    out.r.n = n;
    const bool makes = step_stores(t, id);
    for (int k = 0; makes && t->kind == STEP_MAP && k < r.r.n; k++)
      if (same_parts(le, s->tile, id, r.r.at[k].node) &&
          !(s->tile->epilogue && reads_node(&first, r.r.at[k].node)))
        vec_push(a, &out.r, r.r.at[k]);
  }
  return out;
}

/* The node may be made in the variable's place: the old value is read no later than where it is
 * made, and there only at the same index. */
static bool in_place(const Memory *m, NodeId base, int var) {
  Reads over = {0};
  int t = m->made_at[base];
  if (t < 0 || m->plan->observe == OBSERVE_ALL) return false;
  for (NodeId i = m->var_node[var]; i != NO_NODE; i = m->var_next[i]) {
    if (m->last_read[i] > t) return false;
    if (m->last_read[i] < t) continue;
    if (!over.r.n) over = over_what(m, base);
    if (!reads_aligned(&over, i)) return false;
  }
  return true;
}

/* A place for what buffer `like` holds, after the last step. */
static int copied_at_end(Memory *m, NodeId base, int like) {
  return add_bytes(m, base, m->le->buffers.at[like].bytes, m->nsteps, m->nsteps);
}

/* The same of a variable, whose place is `to`. */
static void chain_in_variable(Memory *m, NodeId last, int var, int to) {
  const LocalEntry *le = m->le;
  for (NodeId id = made_over(le, last); id != NO_NODE; last = id, id = made_over(le, id)) {
    if (!passes_place(m, id, last) || !in_place(m, id, var)) return;
    le->buffer[id] = to;
  }
}

static bool asks_in_place(const void *user, NodeId id, int var) { return in_place(user, id, var); }

/* All that the step makes, or nothing. */
static bool place_shared(Memory *m, NodeId base) {
  LocalEntry *le = m->le;
  const int t = m->made_at[base];
  NewValues all = {0};
  if (t < 0 || !share_in_place(m->plan, le, base, &le->steps.at[t], asks_in_place, m, &all))
    return false;
  for (int i = 0; i < all.n; i++) le->buffer[all.at[i].node] = var_buffer(m, all.at[i].var);
  return true;
}

/* With others it would take a place of its own and a copy: so it is not shared, or, where the
 * program that this one is a variant of has it shared, has those. */
static void set_apart(Memory *m, int var) {
  const Plan *p = m->plan;
  bool *set = p->variables_of ? p->var_copied : p->var_apart;
  if (set) set[var] = true;
}

static void place_assigns(Memory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  VEC(Copy) second = {0};
  for (int i = 0; i < le->entry->assigns.n; i++) { /* what others become is read at the end */
    const NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    if (n->op == OP_var && node_source(n) != le->entry->assigns.at[i].var)
      read_at(m, base, m->nsteps);
  }
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    int var = le->entry->assigns.at[i].var, to = var_buffer(m, var);
    if (n->op == OP_var && node_source(n) == var) continue;
    const bool shared = m->plan->var_shared[var] > 0, carry = op_is(n, OPF_CARRY);
    if (shared && (le->buffer[base] == to || (le->buffer[base] < 0 && place_shared(m, base))))
      continue;
    if (le->buffer[base] < 0 && n->op != OP_input && n->op != OP_var &&
        !(carry && is_made_elsewhere(m, base)) && in_place(m, base, var)) {
      if (shared && !carry) set_apart(m, var);
      if (!shared || (carry && !(m->plan->var_copied && m->plan->var_copied[var]))) {
        le->buffer[base] = to;
        chain_in_variable(m, base, var, to);
        continue;
      }
    }
    read_at(m, base, m->nsteps);
    if (n->op == OP_var) {
      /* Two variables may change places: all old values are read before any is written. */
      int other = var_buffer(m, node_source(n));
      const int between = copied_at_end(m, base, to);
      vec_push(a, &le->copies, ((Copy){other, between}));
      vec_push(a, &second, ((Copy){between, to}));
    } else {
      vec_push(a, &second, ((Copy){-1 - base, to})); /* the buffer is not known yet */
    }
  }
  for (int i = 0; i < second.n; i++) vec_push(a, &le->copies, second.at[i]);
}

static bool is_read(const Memory *m, NodeId base, int from, int to) {
  for (int t = from; t <= to; t++)
    if (reads_node(&m->d.reads[t], base)) return true;
  return false;
}

/* What a carry becomes is in buffer b, and is read when the run of the region is over that step t
 * is of. */
static bool is_left_in(const Memory *m, int b, int t) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; is_live(m, r) && t >= m->span[r].begin && t < m->span[r].end &&
                    i < le->region[r].carries.n;
         i++) {
      const LocalCarry *c = &le->region[r].carries.at[i];
      if (le->buffer[node_base(le->graph, c->next)] == b) return true;
    }
  return false;
}

/* An all-reduce is done in place when no other step reads its input once it has begun. */
static bool reduces_in_place(const Memory *m, NodeId id) {
  const LocalEntry *le = m->le;
  const Node *n = graph_node(le->graph, id);
  if (n->op != OP_exchange) return false;
  NodeId term = node_base(le->graph, n->operand[0]);
  const Node *x = graph_operand(le->graph, n, 0);
  if (!same_space(n, x) || !(x->layout->partial & ~n->layout->partial)) return false;
  int b = le->buffer[term], done = m->done_at[id];
  return b >= 0 && le->buffers.at[b].place == PLACE_ARENA &&
         graph_node(le->graph, term)->op != OP_input && m->last_read[term] == done &&
         le->buffers.at[b].last == done && !is_wanted_again(m, term, done) &&
         !is_left_in(m, b, done) && !is_read(m, term, m->made_at[id] + 1, done - 1);
}

/* The loop that makes node `id` stores another value in buffer b. */
static bool shares_loop(const Memory *m, NodeId id, int b) {
  const Step *s = &m->le->steps.at[m->made_at[id]], *loop = s;
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++)
    if (step_stores(&s->tile->steps.at[i], id)) loop = &s->tile->steps.at[i];
  for (int i = 0; i < loop->nodes.n; i++) {
    const NodeId own = loop->nodes.at[i], next_of = m->next_of[own];
    const int place = m->le->buffer[own];
    if (own == id) continue;
    if (place == b || (place < 0 && next_of != NO_NODE && m->le->buffer[next_of] == b)) return true;
  }
  return false;
}

static bool is_lent(const LocalEntry *le, NodeId base) {
  for (int i = 0; i < le->entry->inputs.n; i++)
    if (le->input[i] == base) return le->lent[i] != NOT_LENT;
  return false;
}

/* The buffer of a value that a loop reads for the last time, at the index where it stores node
 * `id`, and of the same type, so that the two can be one array; -1: none. */
static int mapped_over(const Memory *m, NodeId id) {
  const LocalEntry *le = m->le;
  int t = m->made_at[id];
  if (le->steps.at[t].named) return -1; /* rows that are not named stay as they are */
  Reads over = over_what(m, id);
  for (int i = 0; i < over.r.n; i++) {
    const Read *r = &over.r.at[i];
    int b = le->buffer[r->node];
    if (b < 0 || !r->aligned || le->buffers.at[b].place != PLACE_ARENA) continue;
    if (le->buffers.at[b].last == t && r->node != id &&
        graph_node(le->graph, r->node)->dtype == graph_node(le->graph, id)->dtype &&
        !is_wanted_again(m, r->node, t) && !is_left_in(m, b, t) && !shares_loop(m, id, b) &&
        !is_lent(le, r->node))
      return b;
  }
  return -1;
}

static void place_made(Memory *m, NodeId id) {
  LocalEntry *le = m->le;
  if (le->buffer[id] >= 0) return;
  int over = m->next_of[id] != NO_NODE         ? le->buffer[m->next_of[id]]
             : m->plan->observe == OBSERVE_ALL ? -1 /* operands are checked after the step */
             : reduces_in_place(m, id)
                 ? le->buffer[node_base(le->graph, graph_node(le->graph, id)->operand[0])]
                 : mapped_over(m, id);
  if (over < 0) {
    le->buffer[id] = add_buffer(m, id);
    return;
  }
  le->buffer[id] = over;
  if (le->buffers.at[over].last < m->last_read[id]) le->buffers.at[over].last = m->last_read[id];
}

static void place_rest(Memory *m) {
  LocalEntry *le = m->le;
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    if (n->op == OP_var && m->last_read[i] >= 0)
      le->buffer[i] = var_buffer(m, node_source(n));
    else if (n->op == OP_input)
      le->buffer[i] = add_buffer(m, i);
  }
  for (int t = 0; t < m->nsteps; t++)
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) {
      place_made(m, le->steps.at[t].nodes.at[i]);
      if (le->scratch[le->steps.at[t].nodes.at[i]] < 0)
        add_scratch(m, &le->steps.at[t], le->steps.at[t].nodes.at[i]);
    }
  for (int i = 0; i < le->copies.n; i++)
    if (le->copies.at[i].from < 0) le->copies.at[i].from = le->buffer[-1 - le->copies.at[i].from];
}

/* Outputs are in the arena: a value that is in a variable is copied there, before variables that
 * are copied into change. */
static void place_outputs(Memory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  VEC(Copy) all = {0};
  for (int i = 0; i < le->entry->outputs.n; i++) {
    NodeId base = node_base(le->graph, le->output[i]);
    int b = le->buffer[base];
    if (le->buffers.at[b].place == PLACE_VAR) {
      const int copy = copied_at_end(m, base, b);
      vec_push(a, &all, ((Copy){b, copy}));
      b = copy;
    }
    le->buffers.at[b].last = m->nsteps;
    le->output_buffer[i] = b;
  }
  for (int i = 0; i < le->copies.n; i++) vec_push(a, &all, le->copies.at[i]);
  le->copies.at = all.at, le->copies.n = all.n, le->copies.cap = all.cap;
}

/* An input may stay with the host unless an output or a variable is copied from its place. What an
 * exchange sends must be where others can reach it. The place in the arena stays, for callers that
 * fill blocks in; no other value is made over it while it lives, as that would be in the host's
 * memory. */
static void find_lent(Memory *m) {
  LocalEntry *le = m->le;
  Lent *most = arena_array(m->plan->arena, Lent, le->graph->nodes.n + 1);
  for (int i = 0; i < le->entry->inputs.n; i++) most[le->input[i]] = LENT_TO_ONE;
  for (int t = 0; t < m->nsteps; t++)
    if (le->steps.at[t].kind == STEP_EXCHANGE)
      for (int i = 0; i < m->d.reads[t].r.n; i++) most[m->d.reads[t].r.at[i].node] = LENT_TO_ALL;
  for (NodeId i = 0; i < le->graph->nodes.n; i++)
    if (m->d.at_end[i]) most[i] = NOT_LENT;
  le->lent = arena_array(m->plan->arena, Lent, le->entry->inputs.n + 1);
  for (int i = 0; i < le->entry->inputs.n; i++) le->lent[i] = most[le->input[i]];
}

static void find_var_nodes(Memory *m) {
  int nvars = m->plan->program->vars.n;
  const Graph *g = m->le->graph;
  m->var_buffer = arena_array(m->plan->arena, int, nvars + 1);
  m->var_node = arena_array(m->plan->arena, NodeId, nvars + 1);
  m->var_next = arena_array(m->plan->arena, NodeId, g->nodes.n + 1);
  for (int i = 0; i < nvars; i++) m->var_buffer[i] = -1, m->var_node[i] = NO_NODE;
  for (NodeId i = g->nodes.n - 1; i >= 0; i--) {
    const Node *n = graph_node(g, i);
    if (n->op != OP_var) continue;
    m->var_next[i] = m->var_node[node_source(n)];
    m->var_node[node_source(n)] = i;
  }
}

/* What a step stores where devices share it one of them stores, so that the step may store nothing
 * else, and no exchange may, but for one that brings each its part (share.c). */
static void check_shared(Memory *m) {
  const LocalEntry *le = m->le;
  for (int t = 0; t < m->nsteps; t++) {
    const Step *s = &le->steps.at[t];
    const bool moves = s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT;
    int first = -1;
    bool alike = !moves || !step_in_region(le, s);
    for (int i = 0; i < s->nodes.n; i++) {
      const NodeId own = s->nodes.at[i];
      if (le->tile_bytes[own]) continue;
      const Buffer *b = &le->buffers.at[le->buffer[own]];
      if (b->place != PLACE_VAR && !step_leaves(le, s, i)) continue;
      const int with = b->place == PLACE_VAR ? m->plan->var_shared[b->var] : 0;
      if (moves && with && !share_is_gathered(m->plan, le, own)) alike = false;
      if (first >= 0 && with != first && !moves) alike = false;
      first = with;
    }
    for (int i = 0; i < s->nodes.n && !alike; i++) {
      if (le->tile_bytes[s->nodes.at[i]]) continue;
      const Buffer *b = &le->buffers.at[le->buffer[s->nodes.at[i]]];
      if (b->place == PLACE_VAR) set_apart(m, b->var);
    }
  }
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; is_live(m, r) && i < le->region[r].copies.n; i++) {
      const Buffer *b = &le->buffers.at[le->region[r].copies.at[i].to];
      if (b->place == PLACE_VAR) set_apart(m, b->var);
    }
}

void memory_lives(Plan *p, LocalEntry *le) {
  Memory m = {.plan = p, .le = le, .nsteps = le->steps.n};
  int n = le->graph->nodes.n;
  m.last_read = le->last_read = arena_array(p->arena, int, n + 1);
  m.done_at = arena_array(p->arena, int, n + 1);
  m.d = depend_of(p->arena, le);
  m.made_at = le->made_at = m.d.made_by;
  le->buffer = arena_array(p->arena, int, n + 1);
  le->scratch = arena_array(p->arena, int, n + 1);
  le->output_buffer = arena_array(p->arena, int, le->entry->outputs.n + 1);
  m.span = arena_array(p->arena, RegionSpan, le->entry->regions.n + 1);
  m.next_of = arena_array(p->arena, NodeId, n + 1);
  for (int i = 0; i <= n; i++) m.next_of[i] = NO_NODE;
  for (int i = 0; i <= n; i++) m.last_read[i] = m.done_at[i] = le->buffer[i] = le->scratch[i] = -1;
  le->buffers.n = le->copies.n = 0;
  find_var_nodes(&m);
  find_lives(&m);
  find_lent(&m);
  place_assigns(&m);
  find_in_place(&m);
  place_rest(&m);
  place_outputs(&m);
  for (int r = 0; r < le->entry->regions.n; r++)
    if (is_live(&m, r)) place_copies(&m, r);
  if (p->shared.n) check_shared(&m);
}

static void lives_of_all(Plan *p) {
  memory_variables(p);
  for (int i = 0; i < p->entries.n; i++) memory_lives(p, &p->entries.at[i]);
}

static int set_so_far(const Plan *p) {
  int n = 0;
  for (int i = 0; i < p->program->vars.n; i++) n += p->var_apart[i] + p->var_copied[i];
  return n;
}

void memory(Plan *p) {
  const int n = p->program->vars.n;
  p->var_copied = arena_array(p->arena, bool, n + 1);
  p->var_apart = arena_array(p->arena, bool, n + 1);
  if (p->variables_of && p->variables_of->var_apart)
    memcpy(p->var_apart, p->variables_of->var_apart, (size_t)n * sizeof(bool));
  for (int before = -1; before < set_so_far(p);) {
    before = set_so_far(p);
    lives_of_all(p);
  }
  for (int i = 0; i < p->entries.n; i++) pack_arena(p->arena, &p->entries.at[i]);
}
