/* Where values lie. Each stored value has a buffer that lives from the step that makes it to the
 * last that reads it; buffers whose lives do not meet may share bytes of the one arena. An update
 * is written straight into its variable when nobody reads the old value afterwards. */
#include "passes.h"
#include <stdlib.h>

enum { ALIGN = 64 };

static int64_t round_up(int64_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

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
  Reads *reads;
  int *var_buffer;  /* by variable: index, or -1 */
  NodeId *var_node; /* by variable: the first node that reads it, or NO_NODE ... */
  NodeId *var_next; /* ... and by node: the next of the same variable */
} Memory;

static int add_buffer(Memory *m, NodeId id, Place place) {
  const Node *n = graph_node(m->le->graph, id);
  Buffer b = {.place = place,
              .bytes = local_bytes(m->plan, n->layout, &n->shape, n->dtype),
              .first = m->made_at[id],
              .last = m->last_read[id],
              .node = id,
              .var = -1};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->le->buffers.n - 1;
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

static void find_lives(Memory *m) {
  LocalEntry *le = m->le;
  for (int t = 0; t < m->nsteps; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      m->made_at[s->nodes.at[i]] = t;
      read_at(m, s->nodes.at[i], t);
    }
    step_reads(le, s, m->plan->arena, &m->reads[t]);
    for (int i = 0; i < m->reads[t].r.n; i++) read_at(m, m->reads[t].r.at[i].node, t);
  }
  for (int i = 0; i < le->entry->outputs.n; i++)
    read_at(m, node_base(le->graph, le->output[i]), m->nsteps);
}

/* The node may be made in the variable's place: the old value is read no later than where it is
 * made, and there only at the same index. */
static bool in_place(const Memory *m, NodeId base, int var) {
  const LocalEntry *le = m->le;
  int t = m->made_at[base];
  if (t < 0) return false;
  for (NodeId i = m->var_node[var]; i != NO_NODE; i = m->var_next[i]) {
    if (m->last_read[i] > t) return false;
    if (m->last_read[i] < t) continue;
    if (le->steps.at[t].kind != STEP_MAP) return false;
    for (int k = 0; k < m->reads[t].r.n; k++)
      if (m->reads[t].r.at[k].node == i && !m->reads[t].r.at[k].aligned) return false;
  }
  return true;
}

static void place_assigns(Memory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  VEC(Copy) second = {0};
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    int var = le->entry->assigns.at[i].var, to = var_buffer(m, var);
    if (n->op == OP_var && n->attr[1] == var) continue;
    if (le->buffer[base] < 0 && n->op != OP_input && n->op != OP_var && in_place(m, base, var)) {
      le->buffer[base] = to;
      continue;
    }
    read_at(m, base, m->nsteps);
    if (n->op == OP_var) {
      /* Two variables may change places: all old values are read before any is written. */
      int other = var_buffer(m, (int)n->attr[1]);
      Buffer b = {.place = PLACE_ARENA,
                  .bytes = le->buffers.at[to].bytes,
                  .first = m->nsteps,
                  .last = m->nsteps,
                  .node = base,
                  .var = -1};
      vec_push(a, &le->buffers, b);
      vec_push(a, &le->copies, ((Copy){other, le->buffers.n - 1}));
      vec_push(a, &second, ((Copy){le->buffers.n - 1, to}));
    } else {
      vec_push(a, &second, ((Copy){-1 - base, to})); /* the buffer is not known yet */
    }
  }
  for (int i = 0; i < second.n; i++) vec_push(a, &le->copies, second.at[i]);
}

/* An all-reduce is done in place when nobody else reads the terms. */
static bool reduces_in_place(const Memory *m, NodeId id) {
  const LocalEntry *le = m->le;
  const Node *n = graph_node(le->graph, id);
  if (n->op != OP_exchange) return false;
  NodeId term = node_base(le->graph, n->operand[0]);
  const Node *x = graph_operand(le->graph, n, 0);
  if (!same_space(n, x) || !(x->layout->partial & ~n->layout->partial)) return false;
  int b = le->buffer[term];
  return b >= 0 && le->buffers.at[b].place == PLACE_ARENA &&
         graph_node(le->graph, term)->op != OP_input && m->last_read[term] == m->made_at[id] &&
         le->buffers.at[b].last == m->made_at[id];
}

static void place_rest(Memory *m) {
  LocalEntry *le = m->le;
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    bool made = le->stored[i] && m->made_at[i] >= 0 && le->buffer[i] < 0;
    if (n->op == OP_var && m->last_read[i] >= 0) {
      le->buffer[i] = var_buffer(m, (int)n->attr[1]);
    } else if (made && reduces_in_place(m, i)) {
      le->buffer[i] = le->buffer[node_base(le->graph, n->operand[0])];
      le->buffers.at[le->buffer[i]].last = m->last_read[i];
    } else if (n->op == OP_input || made) {
      le->buffer[i] = add_buffer(m, i, PLACE_ARENA);
    }
  }
  for (int i = 0; i < le->copies.n; i++)
    if (le->copies.at[i].from < 0) le->copies.at[i].from = le->buffer[-1 - le->copies.at[i].from];
}

/* Outputs lie in the arena: a value that is in a variable is copied there, before variables that
 * are copied into change. */
static void place_outputs(Memory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  VEC(Copy) all = {0};
  for (int i = 0; i < le->entry->outputs.n; i++) {
    NodeId base = node_base(le->graph, le->output[i]);
    int b = le->buffer[base];
    if (le->buffers.at[b].place == PLACE_VAR) {
      Buffer copy = {.place = PLACE_ARENA,
                     .bytes = le->buffers.at[b].bytes,
                     .first = m->nsteps,
                     .last = m->nsteps,
                     .node = base,
                     .var = -1};
      vec_push(a, &le->buffers, copy);
      vec_push(a, &all, ((Copy){b, le->buffers.n - 1}));
      b = le->buffers.n - 1;
    }
    le->buffers.at[b].last = m->nsteps;
    le->output_buffer[i] = b;
  }
  for (int i = 0; i < le->copies.n; i++) vec_push(a, &all, le->copies.at[i]);
  le->copies.at = all.at, le->copies.n = all.n, le->copies.cap = all.cap;
}

/* -------- offsets -------- */

/* What has its place already, in the order of offsets, in runs. A run knows when any of its members
 * is alive, so that most are passed over whole. */
enum { RUN = 64 };

typedef struct Placed {
  int64_t offset, end;
  int first, last;
} Placed;

typedef struct Run {
  int n, first, last;
  Placed at[RUN];
} Run;

typedef struct Shelf {
  Arena *arena;
  VEC(Run *) runs;
} Shelf;

/* The lowest place with room for b during its life. */
static int64_t lowest_free(const Shelf *s, const Buffer *b) {
  int64_t at = 0, size = round_up(b->bytes);
  for (int r = 0; r < s->runs.n; r++) {
    const Run *run = s->runs.at[r];
    if (run->at[0].offset >= at + size) return at;
    if (run->last < b->first || b->last < run->first) continue;
    for (int i = 0; i < run->n; i++) {
      const Placed *o = &run->at[i];
      if (o->last < b->first || b->last < o->first) continue;
      if (o->offset >= at + size) return at;
      if (o->end > at) at = o->end;
    }
  }
  return at;
}

static void run_lives(Run *run) {
  run->first = run->at[0].first, run->last = run->at[0].last;
  for (int i = 1; i < run->n; i++) {
    if (run->at[i].first < run->first) run->first = run->at[i].first;
    if (run->at[i].last > run->last) run->last = run->at[i].last;
  }
}

/* The upper half of run r becomes a run of its own behind it. */
static void split_run(Shelf *s, int r) {
  Run *low = s->runs.at[r], *high = arena_new_of(s->arena, Run);
  vec_push(s->arena, &s->runs, high);
  for (int i = s->runs.n - 1; i > r + 1; i--) s->runs.at[i] = s->runs.at[i - 1];
  s->runs.at[r + 1] = high;
  high->n = low->n - RUN / 2;
  low->n = RUN / 2;
  for (int i = 0; i < high->n; i++) high->at[i] = low->at[RUN / 2 + i];
  run_lives(low);
  run_lives(high);
}

static void put(Shelf *s, const Buffer *b) {
  Placed p = {b->offset, b->offset + round_up(b->bytes), b->first, b->last};
  int r = 0;
  while (r + 1 < s->runs.n && s->runs.at[r + 1]->at[0].offset <= p.offset) r++;
  if (!s->runs.n) vec_push(s->arena, &s->runs, arena_new_of(s->arena, Run));
  if (s->runs.at[r]->n == RUN) {
    split_run(s, r);
    r += s->runs.at[r + 1]->at[0].offset <= p.offset;
  }
  Run *run = s->runs.at[r];
  int i = run->n++;
  for (; i > 0 && run->at[i - 1].offset > p.offset; i--) run->at[i] = run->at[i - 1];
  run->at[i] = p;
  if (run->n == 1 || p.first < run->first) run->first = p.first;
  if (run->n == 1 || p.last > run->last) run->last = p.last;
}

/* Equal ones stay in the order of their buffers. */
static int by_size(const void *x, const void *y) {
  const Buffer *a = *(Buffer *const *)x, *b = *(Buffer *const *)y;
  if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
  if (a->first != b->first) return a->first > b->first ? 1 : -1;
  return (a > b) - (a < b);
}

/* The most that is alive at one step. */
static int64_t most_live(const Memory *m) {
  int64_t *change = arena_array(m->plan->arena, int64_t, m->nsteps + 3), live = 0, most = 0;
  for (int i = 0; i < m->le->buffers.n; i++) {
    const Buffer *b = &m->le->buffers.at[i];
    if (b->place != PLACE_ARENA || b->first > b->last) continue;
    change[b->first + 1] += round_up(b->bytes);
    change[b->last + 2] -= round_up(b->bytes);
  }
  for (int t = -1; t <= m->nsteps; t++) {
    live += change[t + 1];
    if (live > most) most = live;
  }
  return most;
}

/* Largest first, each at the lowest place that is free during its life. */
static void assign_offsets(Memory *m) {
  LocalEntry *le = m->le;
  Shelf shelf = {.arena = m->plan->arena};
  Buffer **order = arena_array(m->plan->arena, Buffer *, le->buffers.n + 1);
  int n = 0;
  for (int i = 0; i < le->buffers.n; i++)
    if (le->buffers.at[i].place == PLACE_ARENA) order[n++] = &le->buffers.at[i];
  qsort(order, (size_t)n, sizeof *order, by_size);
  for (int i = 0; i < n; i++) {
    Buffer *b = order[i];
    b->offset = lowest_free(&shelf, b);
    put(&shelf, b);
    int64_t end = b->offset + round_up(b->bytes);
    if (end > le->arena_bytes) le->arena_bytes = end;
  }
  le->live_bytes = most_live(m);
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
    m->var_next[i] = m->var_node[n->attr[1]];
    m->var_node[n->attr[1]] = i;
  }
}

static void memory_entry(Plan *p, LocalEntry *le) {
  Memory m = {.plan = p, .le = le, .nsteps = le->steps.n};
  int n = le->graph->nodes.n;
  m.last_read = arena_array(p->arena, int, n + 1);
  m.made_at = arena_array(p->arena, int, n + 1);
  m.reads = arena_array(p->arena, Reads, m.nsteps + 1);
  le->buffer = arena_array(p->arena, int, n + 1);
  le->output_buffer = arena_array(p->arena, int, le->entry->outputs.n + 1);
  for (int i = 0; i <= n; i++) m.last_read[i] = m.made_at[i] = le->buffer[i] = -1;
  find_var_nodes(&m);
  find_lives(&m);
  place_assigns(&m);
  place_rest(&m);
  place_outputs(&m);
  assign_offsets(&m);
}

void memory(Plan *p) {
  int n = p->program->vars.n;
  p->var_offset = arena_array(p->arena, int64_t, n + 1);
  for (int i = 0; i < n; i++) {
    const Var *v = &p->program->vars.at[i];
    p->var_offset[i] = p->vars_bytes;
    p->vars_bytes += round_up(local_bytes(p, v->layout, &v->shape, v->dtype));
  }
  for (int i = 0; i < p->entries.n; i++) memory_entry(p, &p->entries.at[i]);
}
