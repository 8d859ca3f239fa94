/* Bucketing: an all-reduce is deferred until its first use; at that point every pending or ready
 * all-reduce with the same axes, dtype and reduction op is issued with it as one. By messages they
 * are issued as soon as they move bytes for much longer than they wait for the first to come, and
 * in any case from BUCKET_MOST on: more of them would save little, and what comes after them can
 * hide them (overlap.c). Reduce-scatters
 * and all-gathers are bucketed only if their messages cost more than their bytes, up to a size
 * limit, so that little memory is held for longer. Gathers of a variable that each use repeats are
 * not bucketed. The pass is linear: it visits each exchange when its input is computed, when it
 * becomes pending, and when its bucket is issued.
 *
 *   grad w2 ; all-reduce w2 ; grad w1 ; all-reduce w1 ; update
 *   ->  grad w2 ; grad w1 ; all-reduce w2, w1 ; update */
#include "schedule_passes.h"
#include <stdlib.h>

/* Exchanges that may become one. */
typedef struct Bucket {
  int kind;
  DType dtype; /* as `reduce`, of all-reduces */
  uint32_t axes;
  Reduce reduce;
  int segment;
  NodeVec waiting; /* began to wait, in that order */
  NodeVec ready;   /* their terms are there, but their steps stand later; some may wait by now */
  int64_t bytes;   /* of the deferred exchanges, unless they are all-reduces */
  Exchange sum;    /* of all-reduces that wait or are ready, as one ... */
  int nsum;        /* ... and how many they are */
} Bucket;

enum { NO_GROUP = -1 };

typedef struct Bucketing {
  Plan *plan;
  LocalEntry *le;
  StepVec out;
  VEC(Bucket) groups;
  int *group;    /* by node: of what may be combined; NO_GROUP for all else */
  NodeId *first; /* by base node: the first of them that reads it, or NO_NODE ... */
  NodeId *next;  /* ... and the next of the same term */
  int *gathers;  /* by variable: all-gathers of it */
  int *begun;    /* by node: 1 + how many began to wait before it; 0: it did not */
  bool *waiting; /* by node */
  int nbegun;
} Bucketing;

static int group_of(Bucketing *c, const Exchange *x, DType t, Reduce reduce, int segment) {
  Bucket a = {.kind = x->kind, .axes = x->axes, .segment = segment};
  if (x->kind == DTRT_ALL_REDUCE) a.dtype = t, a.reduce = reduce;
  for (int i = 0; i < c->groups.n; i++) {
    const Bucket *g = &c->groups.at[i];
    if (g->kind == a.kind && g->dtype == a.dtype && g->axes == a.axes && g->reduce == a.reduce &&
        g->segment == segment)
      return i;
  }
  vec_push(c->plan->scratch, &c->groups, a);
  return c->groups.n - 1;
}

/* How often the variable that a term is, if it is one, is gathered. */
static int *gathers_of(const Bucketing *c, NodeId term) {
  const Node *n = graph_node(c->le->graph, term);
  return n->op == OP_var ? &c->gathers[node_source(n)] : NULL;
}

/* Of a device, of the larger side: the terms of a reduce-scatter, the result of an all-gather. */
static int64_t bytes_of(const Bucketing *c, NodeId id) {
  const Program *p = c->plan->program;
  const Node *n = graph_node(c->le->graph, id);
  const int64_t from = node_bytes(p, graph_operand(c->le->graph, n, 0)), to = node_bytes(p, n);
  return from > to ? from : to;
}

static bool may_bucket(const Bucketing *c, const Exchange *x, NodeId id, NodeId term) {
  if (graph_node(c->le->graph, id)->panels) return false; /* each is to go as soon as it can */
  if (x->kind == DTRT_ALL_REDUCE) return true;
  const int *gathers = gathers_of(c, term);
  if (x->kind == DTRT_ALL_GATHER && gathers && *gathers > 1) return false;
  return (x->kind == DTRT_REDUCE_SCATTER || x->kind == DTRT_ALL_GATHER) &&
         bytes_of(c, id) <= BUCKET_EACH && cost_is_brief(c->plan->program, x);
}

/* Which group each exchange belongs to, and which wait for one term. */
static void find_groups(Bucketing *c) {
  const Program *p = c->plan->program;
  const Graph *g = c->le->graph;
  for (int t = 0; t < c->le->steps.n; t++) {
    NodeId id = c->le->steps.at[t].nodes.at[0];
    if (c->le->steps.at[t].kind != STEP_EXCHANGE) continue;
    int *gathers = gathers_of(c, node_base(g, graph_node(g, id)->operand[0]));
    if (gathers && exchange_at(p, g, graph_node(g, id)).kind == DTRT_ALL_GATHER) ++*gathers;
  }
  for (int t = c->le->steps.n - 1; t >= 0; t--) { /* backwards, so that lists are in order */
    const Step *s = &c->le->steps.at[t];
    NodeId id = s->nodes.at[0];
    const Node *n = graph_node(g, id);
    if (s->kind != STEP_EXCHANGE) continue;
    Exchange x = exchange_at(p, g, n);
    NodeId term = node_base(g, n->operand[0]);
    if (!may_bucket(c, &x, id, term)) continue;
    c->group[id] = group_of(c, &x, n->dtype, graph_operand(g, n, 0)->layout->reduce, s->segment);
    c->next[id] = c->first[term];
    c->first[term] = id;
  }
}

static void made(Bucketing *c, NodeId id) {
  for (NodeId r = c->first[id]; r != NO_NODE; r = c->next[r]) {
    Bucket *g = &c->groups.at[c->group[r]];
    vec_push(c->plan->scratch, &g->ready, r);
    if (g->kind != DTRT_ALL_REDUCE) continue;
    const Exchange x = exchange_at(c->plan->program, c->le->graph, graph_node(c->le->graph, r));
    const int64_t most = g->nsum++ ? g->sum.most : 0;
    g->sum = x;
    g->sum.most += most;
  }
}

/* Whether all-reduces that have their terms are to go at once. */
static bool is_full(const Bucketing *c, const Bucket *g) {
  if (!g->nsum) return false;
  if (g->sum.most * dtype_size(g->dtype) >= BUCKET_MOST) return true;
  const Price price = cost_price(c->plan->program, &g->sum, 1, true).price;
  return price.messages > 0 &&
         (g->nsum >= COMM_BATCH || price.moving > BUCKET_MOVES * price.waiting);
}

static bool has_room(const Bucketing *c, const Bucket *g, NodeId id) {
  return g->kind == DTRT_ALL_REDUCE || g->bytes + bytes_of(c, id) <= BUCKET_ALL;
}

static void defer(Bucketing *c, NodeId id) {
  Bucket *g = &c->groups.at[c->group[id]];
  vec_push(c->plan->scratch, &g->waiting, id);
  if (g->kind != DTRT_ALL_REDUCE) g->bytes += bytes_of(c, id);
  c->begun[id] = ++c->nbegun;
  c->waiting[id] = true;
}

static int by_id(const void *x, const void *y) {
  NodeId a = *(const NodeId *)x, b = *(const NodeId *)y;
  return (a > b) - (a < b);
}

/* Issues a bucket: the deferred exchanges, and later ones whose inputs are ready, as far
 * as there is room. */
static void flush(Bucketing *c, int group) {
  Bucket *g = &c->groups.at[group];
  Step s = {.kind = STEP_EXCHANGE, .segment = g->segment};
  if (g->ready.n > 1) /* into the order of the steps */
    qsort(g->ready.at, (size_t)g->ready.n, sizeof *g->ready.at, by_id);
  int left = 0;
  for (int i = 0; i < g->ready.n; i++) {
    NodeId id = g->ready.at[i];
    if (c->begun[id]) continue;
    if (has_room(c, g, id))
      defer(c, id);
    else
      g->ready.at[left++] = id;
  }
  g->ready.n = left;
  for (int i = 0; i < g->waiting.n; i++) {
    vec_push(c->plan->arena, &s.nodes, g->waiting.at[i]);
    c->waiting[g->waiting.at[i]] = false;
  }
  g->waiting.n = 0;
  g->bytes = 0;
  g->nsum = 0;
  qsort(s.nodes.at, (size_t)s.nodes.n, sizeof *s.nodes.at, by_id);
  for (int i = 0; i < s.nodes.n; i++) made(c, s.nodes.at[i]);
  vec_push(c->plan->arena, &c->out, s);
}

static void need(Bucketing *c, const Step *s) {
  Reads r = {0};
  step_reads(c->le, s, c->plan->scratch, &r);
  for (int i = 0; i < r.n; i++)
    if (c->waiting[r.at[i].node]) flush(c, c->group[r.at[i].node]);
}

/* Issues what this step has made full. */
static void flush_full(Bucketing *c, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++)
    for (NodeId r = c->first[s->nodes.at[i]]; r != NO_NODE; r = c->next[r]) {
      const Bucket *g = &c->groups.at[c->group[r]];
      if (g->segment == s->segment && is_full(c, g)) flush(c, c->group[r]);
    }
}

/* Exchanges without a use before the end: the bucket deferred longest comes first. */
static void flush_rest(Bucketing *c) {
  for (;;) {
    int first = NO_GROUP, least = 0;
    for (int i = 0; i < c->groups.n; i++) {
      const NodeVec *w = &c->groups.at[i].waiting;
      if (w->n && (first == NO_GROUP || c->begun[w->at[0]] < least))
        first = i, least = c->begun[w->at[0]];
    }
    if (first == NO_GROUP) return;
    flush(c, first);
  }
}

static void bucket_entry(Plan *p, LocalEntry *le) {
  Bucketing c = {.plan = p, .le = le};
  int n = le->graph->nodes.n;
  const ArenaMark mark = arena_mark(p->scratch);
  c.group = arena_array(p->scratch, int, n + 1);
  c.first = arena_array(p->scratch, NodeId, n + 1);
  c.next = arena_array(p->scratch, NodeId, n + 1);
  c.gathers = arena_array(p->scratch, int, p->program->vars.n + 1);
  c.begun = arena_array(p->scratch, int, n + 1);
  c.waiting = arena_array(p->scratch, bool, n + 1);
  for (NodeId i = 0; i <= n; i++) c.group[i] = NO_GROUP, c.first[i] = c.next[i] = NO_NODE;
  find_groups(&c);
  for (NodeId i = 0; i < n; i++)
    if (node_class(graph_node(le->graph, i)) == CLASS_SOURCE) made(&c, i);
  for (int t = 0, segment = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    NodeId id = s->nodes.at[0];
    if (s->segment != segment) flush_rest(&c);
    segment = s->segment;
    if (c.begun[id]) continue;
    need(&c, s);
    if (c.group[id] != NO_GROUP) {
      if (!has_room(&c, &c.groups.at[c.group[id]], id)) flush(&c, c.group[id]);
      if (!c.begun[id]) defer(&c, id);
      continue;
    }
    for (int i = 0; i < s->nodes.n; i++) made(&c, s->nodes.at[i]);
    vec_push(p->arena, &c.out, *s);
    flush_full(&c, s);
  }
  flush_rest(&c);
  le->steps = c.out;
  arena_release(p->scratch, mark);
}

void bucket(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) bucket_entry(p, &p->entries.at[e]);
}
