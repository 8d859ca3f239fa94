/* Buffers. Each stored value has a buffer that is live from the step that computes it to its last
 * use; buffers with disjoint lifetimes may share bytes of the arena (pack.c). A value reuses the
 * buffer of another at that value's last use: an update its variable's, an elementwise result an
 * operand's, an all-reduce its input's. */
#include "lives.h"
#include "pack.h"
#include "sum_order.h"
#include <string.h>

static int add_buffer(EntryMemory *m, NodeId id) {
  const Program *p = m->plan->program;
  const Node *n = graph_node(m->le->graph, id);
  const Step *by = m->made_at[id] < 0 ? NULL : &m->le->steps.at[m->made_at[id]];
  const int64_t tile = m->le->tile_bytes[id];
  const int64_t bytes = tile ? tile
                        : by && by->named && by->kind == STEP_SCATTER
                            ? scatter_named_bytes(&p->mesh, m->le->graph, n)
                            : node_bytes(p, n);
  return buffer_add(m, id, bytes, m->made_at[id], m->last_read[id]);
}

/* Room for partial sums, while the step runs that makes the node. */
static void add_scratch(EntryMemory *m, const Step *s, NodeId id) {
  const Node *n = graph_node(m->le->graph, id);
  int64_t bytes = sum_scratch(&m->plan->program->mesh, m->le->graph, n);
  const TileNode *tile = s->tile ? tiles_node(s->tile, m->le->graph, id) : NULL;
  if (tile && tile->sums)
    bytes += product_scratch(&m->plan->program->mesh, m->le->graph, n) +
             sum_line_scratch(&m->plan->program->mesh, m->le->graph, n, s->tile->unit > 0);
  int last = m->done_at[id];
  if (s->named && s->kind == STEP_SCATTER) { /* by whom rows are named is asked later, too */
    bytes += scatter_named(&m->plan->program->mesh, m->le->graph, n);
    last = m->last_read[id];
  }
  if (!bytes) return;
  const int own = m->le->scratch[id] = buffer_add(m, id, bytes, m->made_at[id], last);
  m->le->buffers.at[own].scratch = true;
}

static bool is_read(const EntryMemory *m, NodeId base, int from, int to) {
  for (int t = from; t <= to; t++)
    if (reads_node(&m->d.reads[t], base)) return true;
  return false;
}

/* Another exchange of the step that makes `id` reads its term, too, be it in another shape. */
static bool is_sent_twice(const EntryMemory *m, NodeId id, NodeId term) {
  const NodeVec *all = &m->le->steps.at[m->made_at[id]].nodes;
  for (int i = 0; i < all->n; i++) {
    const Node *n = graph_node(m->le->graph, all->at[i]);
    if (all->at[i] != id && node_base(m->le->graph, n->operand[0]) == term) return true;
  }
  return false;
}

/* An all-reduce is done in place when nothing else reads its input once it has begun. */
static bool reduces_in_place(const EntryMemory *m, NodeId id) {
  const LocalEntry *le = m->le;
  const Node *n = graph_node(le->graph, id);
  if (n->op != OP_exchange) return false;
  NodeId term = node_base(le->graph, n->operand[0]);
  const Node *x = graph_operand(le->graph, n, 0);
  if (!same_space(n, x) || !(x->layout->partial & ~n->layout->partial)) return false;
  int b = le->buffer[term], done = m->done_at[id];
  return b >= 0 && le->buffers.at[b].place == PLACE_ARENA &&
         graph_node(le->graph, term)->op != OP_input && m->last_read[term] == done &&
         le->buffers.at[b].last == done && !lives_again(m, term, done) &&
         !lives_behind(m, term, done, NO_REGION) && !carry_place_left(m, b, done) &&
         !is_read(m, term, m->made_at[id] + 1, done - 1) && !is_sent_twice(m, id, term);
}

/* The loop of step t that makes node `id` stores another value in buffer b. */
static bool shares_loop_of(const EntryMemory *m, int t, NodeId id, int b) {
  const Step *s = &m->le->steps.at[t], *loop = s;
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

static bool shares_loop(const EntryMemory *m, NodeId id, int b) {
  bool shares = shares_loop_of(m, m->made_at[id], id, b);
  for (int i = 0; i < m->remade[id].n; i++)
    shares = shares || shares_loop_of(m, m->remade[id].at[i], id, b);
  return shares;
}

/* The buffer of a value that a loop reads for the last time, at the index where it stores node
 * `id`, and of the same type, so that the two can be one array; -1: none. */
static int mapped_over(const EntryMemory *m, NodeId id) {
  const LocalEntry *le = m->le;
  int t = m->made_at[id];
  if (le->steps.at[t].named) return -1; /* rows that are not named stay as they are */
  Reads over = lives_over(m, id);
  for (int i = 0; i < over.n; i++) {
    const Read *r = &over.at[i];
    int b = le->buffer[r->node];
    if (b < 0 || !r->aligned || le->buffers.at[b].place != PLACE_ARENA) continue;
    const bool dies = le->buffers.at[b].last == t || lives_in_tile(m, r->node);
    if (dies && r->node != id &&
        graph_node(le->graph, r->node)->dtype == graph_node(le->graph, id)->dtype &&
        !lives_again(m, r->node, t) && !lives_behind(m, r->node, t, NO_REGION) &&
        !carry_place_left(m, b, t) && !shares_loop(m, id, b) && lent_input(le, r->node) < 0)
      return b;
  }
  return -1;
}

static void place_made(EntryMemory *m, NodeId id) {
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

static void place_rest(EntryMemory *m) {
  LocalEntry *le = m->le;
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    if (n->op == OP_var && m->last_read[i] >= 0)
      le->buffer[i] = buffer_of_variable(m, node_source(n));
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

/* Outputs have a place in the arena: a value that is in a variable is copied there, before
 * variables that are copied into change. */
static void place_outputs(EntryMemory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  Copies all = {0};
  for (int i = 0; i < le->entry->outputs.n; i++) {
    NodeId base = node_base(le->graph, le->output[i]);
    int b = le->buffer[base];
    if (le->buffers.at[b].place == PLACE_VAR) {
      const int copy = buffer_at_end(m, base, b);
      vec_push(a, &all, ((Copy){b, copy}));
      b = copy;
    }
    le->buffers.at[b].last = m->nsteps;
    le->output_buffer[i] = b;
  }
  for (int i = 0; i < le->copies.n; i++) vec_push(a, &all, le->copies.at[i]);
  le->copies = all;
}

/* An input may stay with the host unless an output or a variable is copied from its place. What an
 * exchange sends must be where others can reach it. The place in the arena stays, for callers that
 * fill blocks in; no other value is made over it while it lives, as that would be in the host's
 * memory. */
static void find_lent(EntryMemory *m) {
  LocalEntry *le = m->le;
  Lent *most = arena_array(m->plan->scratch, Lent, le->graph->nodes.n + 1);
  for (int i = 0; i < le->entry->inputs.n; i++) most[le->input[i]] = LENT_TO_ONE;
  for (int t = 0; t < m->nsteps; t++)
    if (le->steps.at[t].kind == STEP_EXCHANGE)
      for (int i = 0; i < m->d.reads[t].n; i++) most[m->d.reads[t].at[i].node] = LENT_TO_ALL;
  for (NodeId i = 0; i < le->graph->nodes.n; i++)
    if (m->d.at_end[i]) most[i] = NOT_LENT;
  le->lent = arena_array(m->plan->arena, Lent, le->entry->inputs.n + 1);
  for (int i = 0; i < le->entry->inputs.n; i++) le->lent[i] = most[le->input[i]];
}

void memory_lives(Plan *p, LocalEntry *le) {
  EntryMemory m = {.plan = p, .le = le, .nsteps = le->steps.n};
  int n = le->graph->nodes.n;
  const ArenaMark mark = arena_mark(p->scratch);
  m.last_read = le->last_read = arena_array(p->arena, int, n + 1);
  m.done_at = arena_array(p->scratch, int, n + 1);
  m.d = depend_of(p->scratch, le);
  m.made_at = le->made_at = m.d.made_by;
  m.remade = arena_array(p->scratch, IntVec, n + 1);
  le->buffer = arena_array(p->arena, int, n + 1);
  le->scratch = arena_array(p->arena, int, n + 1);
  le->output_buffer = arena_array(p->arena, int, le->entry->outputs.n + 1);
  m.span = arena_array(p->scratch, RegionSpan, le->entry->regions.n + 1);
  m.region_at = arena_array(p->scratch, int, m.nsteps + 1);
  m.next_of = arena_array(p->scratch, NodeId, n + 1);
  m.wanted = arena_array(p->scratch, int, n + 1);
  m.var_buffer = arena_array(p->scratch, int, p->program->vars.n + 1);
  for (int i = 0; i < p->program->vars.n; i++) m.var_buffer[i] = -1;
  for (int i = 0; i <= n; i++) m.next_of[i] = NO_NODE;
  for (int i = 0; i <= n; i++) m.last_read[i] = m.done_at[i] = le->buffer[i] = le->scratch[i] = -1;
  le->buffers.n = le->copies.n = 0;
  lives_find(&m);
  find_lent(&m);
  variable_place(&m);
  carry_place_find(&m);
  row_place_find(&m);
  place_rest(&m);
  place_outputs(&m);
  for (int r = 0; r < le->entry->regions.n; r++)
    if (lives_region(&m, r)) rotation_place(&m, r);
  output_place(&m);
  if (p->shared.n) share_check(&m);
  le->made_at = arena_copy(p->arena, m.made_at, sizeof *m.made_at * (size_t)(n + 1));
  arena_release(p->scratch, mark);
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
    share_spread(p);
  }
  for (int i = 0; i < p->entries.n; i++) pack_arena(p->arena, &p->entries.at[i]);
}
