/* Which values loops write past the caches. A store brings its line into the cache first, which is
 * a read of memory for nothing where the value is read again only after so much else that the line
 * is gone by then: a large result, what the backward pass reads, the next state of a large grid.
 * Such a value is written to memory directly (loop_bypass.c), which saves a third of the traffic of
 * a loop that reads and writes as much.
 *
 * What decides is how many bytes are read and written from where an element of the value is made to
 * where it is read next, in the next run of a loop or the next call, too: whether they are on
 * average more than the last cache holds. A value that a core's own cache holds is left to that:
 * it is written to memory later, while the core goes on. */
#include <math.h>
#include <stdlib.h>
#include "depend.h"
#include "schedule_passes.h"
#include "work.h"

typedef struct Bypass {
  const Plan *plan;
  LocalEntry *le;
  double near, capacity; /* of a core's own caches, and of the last one */
  double *most_read;     /* by node: the bytes that the step at hand is known to read */
  NodeVec were_read;     /* nodes with such bytes */
  double *before;        /* by step: bytes touched by the steps before it; [steps.n]: by all */
  IntVec *readers;       /* by buffer: steps that read it, ascending; a region's end counts as the
                          * step behind it */
  int *region_at;        /* by step: the innermost loop, or NO_REGION */
  RegionSpan *span;      /* by region */
} Bypass;

/* Bytes that are touched of what a step makes: of what is updated in place its rows alone. */
static double bytes_made(const Bypass *b, const Step *s, NodeId id) {
  const Program *program = b->plan->program;
  const Graph *g = b->le->graph;
  const Node *n = graph_node(g, id);
  const double bytes = (double)node_bytes(program, n);
  if (b->le->tile_bytes[id]) return 0;
  if (s->named) return bytes * work_named_share(&program->mesh, g, s->named - 1);
  if (n->op->updates) return fmin(bytes, (double)node_bytes(program, graph_operand(g, n, 1)));
  return bytes;
}

/* A product reads of a tensor the part that is its operand: the row of a stack. */
static double bytes_of_part(const Bypass *b, const Step *s, NodeId id) {
  const LocalEntry *le = b->le;
  const Node *of = graph_node(le->graph, id), *n = graph_node(le->graph, s->nodes.at[0]);
  const double whole = (double)node_bytes(b->plan->program, of);
  double bytes = 0;
  for (int k = 0; k < n->noperands; k++) {
    const NodeId read = n->operand[k];
    const Node *x = graph_node(le->graph, read);
    TensorPart part;
    if (le->stored[node_base(le->graph, read)]) {
      if (node_base(le->graph, read) == id) return whole;
    } else if (product_part(le, n, k, &part) && node_base(le->graph, part.of) == id) {
      bytes +=
          (double)node_bytes(b->plan->program, x) / dtype_size(x->dtype) * dtype_size(of->dtype);
    }
  }
  return bytes > 0 ? fmin(bytes, whole) : whole; /* 0: an end of what counts */
}

/* A map reads no more elements of each operand than it makes. */
static double bytes_read(const Bypass *b, const Step *s, NodeId id) {
  const Program *program = b->plan->program;
  const Node *n = graph_node(b->le->graph, id);
  double most = 0;
  if (b->le->tile_bytes[id]) return 0;
  const double bytes = (double)node_bytes(program, n);
  const bool product = op_class(graph_node(b->le->graph, s->nodes.at[0])) == OPC_PRODUCT;
  if (s->kind == STEP_KERNEL && product) return bytes_of_part(b, s, id);
  if (s->kind != STEP_MAP) return bytes;
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *made = graph_node(b->le->graph, s->nodes.at[i]);
    most = fmax(most, bytes_made(b, s, s->nodes.at[i]) / dtype_size(made->dtype));
  }
  return fmin(bytes, most * dtype_size(n->dtype));
}

static void add_reader(Bypass *b, int buffer, int step) {
  IntVec *list = buffer < 0 ? NULL : &b->readers[buffer];
  if (list && (!list->n || list->at[list->n - 1] != step)) vec_push(b->plan->scratch, list, step);
}

static int buffer_of(const Bypass *b, NodeId id) {
  return b->le->buffer[node_base(b->le->graph, id)];
}

/* What the steps of step t read, each value by the one that reads the most of it. */
static double count_reads(Bypass *b, const Step *s, int t) {
  Reads reads = {0};
  double bytes = 0;
  step_reads(b->le, s, b->plan->scratch, &reads);
  for (int i = 0; i < reads.n; i++) {
    const NodeId id = reads.at[i].node;
    const double own = bytes_read(b, s, id);
    add_reader(b, b->le->buffer[id], t);
    if (own > b->most_read[id]) bytes += own - b->most_read[id], b->most_read[id] = own;
    vec_push(b->plan->scratch, &b->were_read, id);
  }
  return bytes;
}

static void count_step(Bypass *b, int t) {
  const Step *s = &b->le->steps.at[t];
  double bytes = 0;
  for (int i = 0; i < s->nodes.n && !step_moves(s); i++) bytes += bytes_made(b, s, s->nodes.at[i]);
  b->were_read.n = 0;
  if (s->kind != STEP_TILES) bytes += count_reads(b, s, t);
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++)
    bytes += count_reads(b, &s->tile->steps.at[i], t);
  for (int i = 0; i < b->were_read.n; i++) b->most_read[b->were_read.at[i]] = 0;
  b->before[t + 1] = b->before[t] + bytes;
}

/* Loops, outermost first, so that the innermost that a step is of stays. What a carry becomes is
 * read where the carry is, and by copies at the end of the run. */
static void take_regions(Bypass *b) {
  const LocalEntry *le = b->le;
  for (int r = 0; r < le->entry->regions.n; r++) {
    const LocalRegion *x = &le->region[r];
    if (x->condition == NO_NODE || le->entry->regions.at[r].kind != REGION_LOOP) continue;
    b->span[r] = region_span(le, r);
    for (int t = b->span[r].begin; t < b->span[r].end; t++) {
      const int had = b->region_at[t];
      if (had == NO_REGION ||
          b->span[had].end - b->span[had].begin >= b->span[r].end - b->span[r].begin)
        b->region_at[t] = r;
    }
  }
}

static int by_step(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void take_carries(Bypass *b) {
  const LocalEntry *le = b->le;
  for (int r = 0; r < le->entry->regions.n; r++) {
    const LocalRegion *x = &le->region[r];
    if (x->condition == NO_NODE) continue;
    for (int i = 0; i < x->carries.n; i++) {
      const int from = buffer_of(b, x->carries.at[i].node),
                to = buffer_of(b, x->carries.at[i].next);
      if (from < 0 || to < 0 || from == to) continue;
      for (int k = 0; k < b->readers[from].n; k++) add_reader(b, to, b->readers[from].at[k]);
    }
    for (int i = 0; i < x->copies.n; i++)
      add_reader(b, x->copies.at[i].from, region_span(le, r).end);
  }
  for (int i = 0; i < le->copies.n; i++) add_reader(b, le->copies.at[i].from, le->steps.n);
  for (int k = 0; k < le->buffers.n; k++)
    if (b->readers[k].n) qsort(b->readers[k].at, (size_t)b->readers[k].n, sizeof(int), by_step);
}

/* The first step of [from, to) that reads a buffer; -1: none. */
static int reader(const Bypass *b, int buffer, int from, int to) {
  const IntVec *list = &b->readers[buffer];
  for (int i = 0; i < list->n; i++)
    if (list->at[i] >= from && list->at[i] < to) return list->at[i];
  return -1;
}

static double touched(const Bypass *b, int t) { return b->before[t + 1] - b->before[t]; }

/* Bytes that are touched from the middle of step t, which makes a value, to that of step q, which
 * reads it: what lies between for an element, on average, of both in the same order. `rest`: what
 * is between the two steps. */
static double to_reader(const Bypass *b, int t, double rest, int q) {
  return touched(b, t) / 2 + rest + (q < b->le->steps.n ? touched(b, q) / 2 : 0);
}

/* The same to where the buffer is read next that step t makes. */
static double until_read(const Bypass *b, int t, int buffer) {
  const int n = b->le->steps.n, r = b->region_at[t];
  const double *before = b->before;
  const int end = r == NO_REGION ? n : b->span[r].end;
  int q = reader(b, buffer, t + 1, r == NO_REGION ? n + 1 : end + 1);
  if (q >= 0) return to_reader(b, t, before[q] - before[t + 1], q);
  if (r != NO_REGION) { /* the next run */
    const int begin = b->span[r].begin;
    q = reader(b, buffer, begin, t + 1);
    if (q >= 0) return to_reader(b, t, before[end] - before[t + 1] + before[q] - before[begin], q);
    q = reader(b, buffer, end, n + 1);
    if (q >= 0) return to_reader(b, t, before[q] - before[t + 1], q);
  }
  /* the next call, or the host */
  q = b->le->buffers.at[buffer].place == PLACE_VAR ? reader(b, buffer, 0, t + 1) : -1;
  return to_reader(b, t, before[n] - before[t + 1] + (q >= 0 ? before[q] : 0), q >= 0 ? q : n);
}

static bool reads_buffer(const Bypass *b, const Step *s, int buffer) {
  Reads reads = {0};
  step_reads(b->le, s, b->plan->scratch, &reads);
  for (int i = 0; i < reads.n; i++)
    if (b->le->buffer[reads.at[i].node] == buffer) return true;
  return false;
}

/* What a loop reads in the place where it writes is in the cache already, and what steps of a tile
 * read of each other is to stay there. */
static bool may_bypass(const Bypass *b, const Step *s, int buffer) {
  if (reads_buffer(b, s, buffer)) return false;
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++)
    if (reads_buffer(b, &s->tile->steps.at[i], buffer)) return false;
  return true;
}

static void bypass_entry(Plan *p, LocalEntry *le) {
  const Machine *m = p->program->machine;
  const ArenaMark mark = arena_mark(p->scratch);
  Bypass b = {.plan = p, .le = le, .near = (double)machine_cache(m, CACHE_L2)};
  for (int l = 0; l < CACHE_LEVELS; l++) {
    const double sharing = fmin((double)mesh_devices(&p->program->mesh), (double)m->cache[l].cores);
    b.capacity = fmax(b.capacity, m->cache[l].size / fmax(1, sharing));
  }
  b.most_read = arena_array(p->scratch, double, le->graph->nodes.n + 1);
  b.before = arena_array(p->scratch, double, le->steps.n + 1);
  b.readers = arena_array(p->scratch, IntVec, le->buffers.n + 1);
  b.region_at = arena_array(p->scratch, int, le->steps.n + 1);
  b.span = arena_array(p->scratch, RegionSpan, le->entry->regions.n + 1);
  for (int t = 0; t <= le->steps.n; t++) b.region_at[t] = NO_REGION;
  for (int t = 0; t < le->steps.n; t++) count_step(&b, t);
  le->bypass = NULL;
  if (b.before[le->steps.n] > b.capacity) {
    take_regions(&b);
    take_carries(&b);
    le->bypass = arena_array(p->arena, bool, le->graph->nodes.n + 1);
    for (int t = 0; t < le->steps.n; t++) {
      const Step *s = &le->steps.at[t];
      for (int i = 0; i < s->nodes.n && !step_moves(s); i++) {
        const NodeId id = s->nodes.at[i];
        const int buffer = le->buffer[id];
        const double bytes = (double)node_bytes(p->program, graph_node(le->graph, id));
        le->bypass[id] = buffer >= 0 && !le->tile_bytes[id] && bytes >= b.near &&
                         may_bypass(&b, s, buffer) && until_read(&b, t, buffer) > b.capacity;
      }
    }
  }
  arena_release(p->scratch, mark);
}

void bypass(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) bypass_entry(p, &p->entries.at[e]);
}
