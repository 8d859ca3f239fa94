/* Rematerialization: recomputes values instead of keeping them until variables and arena fit the
 * memory limit (Plan.memory). Works on the step with peak memory: of the values computed before it
 * and used after it, those that save most bytes for their recomputation time are recomputed before
 * their first use after it (Chen et al. 2016 select layers; here any value qualifies). Then the
 * later passes run again, and the next peak is examined.
 *
 *   h = f(x) ; ... the peak ... ; dy * h   ->   h = f(x) ; ... ; h' = f(x) ; dy * h'
 *
 * The same op on the same operands gives the same bits, random draws included: they depend on the
 * node's own number. Exchanges are never repeated. Recomputation takes at most as many operations
 * as the entry without it (verify_work.c); beyond that a limit is rejected. */
#include "pack.h"
#include "schedule_passes.h"
#include <stdlib.h>
#include <string.h>

typedef struct Remat {
  Plan *plan;
  const LocalEntry *le;
  int worst;    /* the step */
  Reads *reads; /* by step */
  int *late;    /* by base node: the first step behind the worst one that reads it; steps.n: none */
  bool *fixed;  /* by base node: is there behind the worst step whatever is chosen */
  bool *chosen; /* by node: to be recomputed */
  double *time; /* by node: modelled, of computing it; < 0: not computed yet */
} Remat;

static int64_t bytes_of(const Remat *r, NodeId id) {
  const int64_t tile = r->le->tile_bytes[id];
  return pack_room(tile ? tile : node_bytes(r->plan->program, graph_node(r->le->graph, id)));
}

static double time_of(Remat *r, NodeId id) {
  if (r->time[id] >= 0) return r->time[id];
  const Step *s = &r->le->steps.at[r->le->made_at[id]];
  double t = cost_step(r->plan, r->le, r->le->made_at[id]).compute / s->nodes.n;
  return r->time[id] = t + (double)bytes_of(r, id) / r->plan->program->machine->memory_bandwidth;
}

/* -------- choosing -------- */

/* What is alive in the worst step and was there before. */
static bool is_alive(const Remat *r, NodeId id) {
  return r->le->made_at[id] < r->worst && r->le->last_read[id] > r->worst;
}

static bool may_be_again(const Remat *r, NodeId id) {
  const LocalEntry *le = r->le;
  NodeClass c = node_class(graph_node(le->graph, id));
  return c != CLASS_SOURCE && c != CLASS_EXCHANGE && !op_is(graph_node(le->graph, id), OPF_TELLS) &&
         le->made_at[id] >= 0 && le->made_at[id] < r->worst && !le->again[id] &&
         !le->tile_bytes[id] && le->last_read[id] < le->steps.n && le->buffer[id] >= 0 &&
         le->buffers.at[le->buffer[id]].place == PLACE_ARENA;
}

/* What choosing a value means: bytes alive at the worst step that go, and time. */
typedef struct Offer {
  double bytes, time;
  NodeId node[REMAT_DEPTH]; /* recomputed, too; the first is the value */
  int n;
} Offer;

static bool offered(const Offer *o, NodeId id) {
  for (int i = 0; i < o->n; i++)
    if (o->node[i] == id) return true;
  return false;
}

/* Adds a value to the offer. What it is computed from must be there behind the worst step: kept, or
 * recomputed as well when that is smaller than a quarter. */
static bool add_to_offer(Remat *r, NodeId id, Offer *o) {
  const LocalEntry *le = r->le;
  if (o->n == REMAT_DEPTH) return false;
  o->node[o->n++] = id;
  o->time += time_of(r, id);
  if (is_alive(r, id)) o->bytes += (double)bytes_of(r, id);
  const Reads *reads = &r->reads[le->made_at[id]];
  for (int i = 0; i < reads->n; i++) {
    NodeId x = reads->at[i].node;
    const Node *n = graph_node(le->graph, x);
    if (n->op == OP_var || r->chosen[x] || offered(o, x)) continue;
    if (r->fixed[x] || (is_alive(r, x) && le->last_read[x] >= r->late[id])) continue;
    if (may_be_again(r, x) && 4 * bytes_of(r, x) > bytes_of(r, id)) {
      if (!add_to_offer(r, x, o)) return false;
    } else if (!is_alive(r, x)) {
      o->bytes -= (double)bytes_of(r, x);
    }
  }
  return true;
}

static Offer offer_of(Remat *r, NodeId id) {
  Offer o = {0};
  if (!add_to_offer(r, id, &o)) o.bytes = 0;
  return o;
}

/* What the chosen values are computed from stays. */
static void take_offer(Remat *r, const Offer *o) {
  for (int i = 0; i < o->n; i++) r->chosen[o->node[i]] = true;
  for (int i = 0; i < o->n; i++) {
    const Reads *reads = &r->reads[r->le->made_at[o->node[i]]];
    for (int k = 0; k < reads->n; k++) r->fixed[reads->at[k].node] = true;
  }
}

typedef struct Candidate {
  NodeId id;
  double worth; /* bytes a second */
} Candidate;

static int by_worth(const void *x, const void *y) {
  const Candidate *a = x, *b = y;
  if (a->worth < b->worth || a->worth > b->worth) return a->worth < b->worth ? 1 : -1;
  return (a->id > b->id) - (a->id < b->id);
}

/* Chooses until `over` bytes less are alive at the worst step. False: nothing can go. */
static bool choose_values(Remat *r, int64_t over) {
  const Graph *g = r->le->graph;
  Candidate *c = arena_array(r->plan->arena, Candidate, g->nodes.n + 1);
  int n = 0;
  bool any = false;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    if (!may_be_again(r, i) || !is_alive(r, i)) continue;
    Offer o = offer_of(r, i);
    if (o.bytes > 0) c[n++] = (Candidate){i, o.bytes / o.time};
  }
  qsort(c, (size_t)n, sizeof *c, by_worth);
  for (int k = 0; k < n && over > 0; k++) {
    if (r->chosen[c[k].id] || r->fixed[c[k].id]) continue;
    Offer o = offer_of(r, c[k].id);
    if (o.bytes <= 0) continue;
    take_offer(r, &o);
    over -= (int64_t)o.bytes;
    any = true;
  }
  return any;
}

/* -------- rewriting -------- */

/* The new graph: each node as it was, and behind the worst step some once more. */
typedef struct RematRewrite {
  const Remat *r;
  const LocalEntry *from;
  LocalEntry *to;
  NodeId *first; /* by old node: the new one */
  NodeId *later; /* ... as used after the worst step, or NO_NODE when not computed yet */
  NodeId *part;  /* ... for a recomputed value: what is not stored is its own */
} RematRewrite;

static NodeId put_node(RematRewrite *w, NodeId old, const NodeId *operand, bool again) {
  Arena *a = w->r->plan->arena;
  Node n = *graph_node(w->from->graph, old);
  n.operand = (NodeId *)operand;
  NodeId id = graph_add(w->to->graph, &n);
  vec_push(a, &w->to->origin, w->from->origin.at[old]);
  vec_push(a, &w->to->cause, w->from->cause.at[old]);
  vec_push(a, &w->to->is_again, again || w->from->again[old]);
  return id;
}

static NodeId later_value(RematRewrite *w, NodeId old);

/* It is in memory, possibly from the beginning: all uses read that. */
static bool is_kept(const RematRewrite *w, NodeId old) {
  NodeClass c = node_class(graph_node(w->from->graph, old));
  bool stored = w->from->stored[old] && !w->from->tile_bytes[old] && c != CLASS_VIEW;
  return !w->r->chosen[old] && (c == CLASS_SOURCE || stored);
}

/* An operand of a recomputed value. */
static NodeId part_value(RematRewrite *w, NodeId old) {
  const Node *n = graph_node(w->from->graph, old);
  if (w->r->chosen[old] || is_kept(w, old)) return later_value(w, old);
  if (w->part[old] != NO_NODE) return w->part[old];
  NodeId *x = arena_array(w->r->plan->arena, NodeId, n->noperands + 1);
  for (int k = 0; k < n->noperands; k++) x[k] = part_value(w, n->operand[k]);
  return w->part[old] = put_node(w, old, x, false);
}

static NodeId later_value(RematRewrite *w, NodeId old) {
  const Node *n = graph_node(w->from->graph, old);
  if (w->later[old] != NO_NODE) return w->later[old];
  if (is_kept(w, old)) return w->later[old] = w->first[old];
  NodeId *x = arena_array(w->r->plan->arena, NodeId, n->noperands + 1);
  bool other = w->r->chosen[old];
  for (int k = 0; k < n->noperands; k++) {
    x[k] = w->r->chosen[old] ? part_value(w, n->operand[k]) : later_value(w, n->operand[k]);
    other = other || x[k] != w->first[n->operand[k]];
  }
  return w->later[old] = other ? put_node(w, old, x, w->r->chosen[old]) : w->first[old];
}

static void put_all(RematRewrite *w) {
  const LocalEntry *from = w->from;
  for (NodeId i = 0; i < from->graph->nodes.n; i++) {
    const Node *n = graph_node(from->graph, i);
    bool late = from->stored[i] && from->made_at[i] > w->r->worst;
    NodeId *x = arena_array(w->r->plan->arena, NodeId, n->noperands + 1);
    for (int k = 0; k < n->noperands; k++)
      x[k] = late ? later_value(w, n->operand[k]) : w->first[n->operand[k]];
    w->first[i] = put_node(w, i, x, false);
  }
}

/* The entry without dead values. */
static void drop_unused(Plan *p, LocalEntry *le) {
  const Graph *old = le->graph;
  int n = old->nodes.n;
  bool *needed = entry_needed(p->arena, le);
  NodeId *to = arena_array(p->arena, NodeId, n + 1);
  LocalEntry out = *le;
  out.graph = graph_new(p->arena, VIEW_LOCAL, n);
  memset(&out.origin, 0, sizeof out.origin);
  memset(&out.cause, 0, sizeof out.cause);
  out.again = arena_array(p->arena, bool, n + 1);
  for (int i = 0; i < le->entry->inputs.n; i++) needed[le->input[i]] = true;
  for (NodeId i = 0; i < n; i++) {
    if (!needed[i]) continue;
    Node copy = *graph_node(old, i);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands + 1);
    for (int k = 0; k < copy.noperands; k++) x[k] = to[copy.operand[k]];
    copy.operand = x;
    to[i] = graph_add(out.graph, &copy);
    out.again[to[i]] = le->is_again.at[i];
    vec_push(p->arena, &out.origin, le->origin.at[i]);
    vec_push(p->arena, &out.cause, le->cause.at[i]);
  }
  for (int i = 0; i < le->entry->inputs.n; i++) out.input[i] = to[le->input[i]];
  for (int i = 0; i < le->entry->outputs.n; i++) out.output[i] = to[le->output[i]];
  for (int i = 0; i < le->entry->assigns.n; i++) out.assign[i] = to[le->assign[i]];
  *le = out;
}

static NodeId *moved(Plan *p, const NodeId *from, int n, const NodeId *to) {
  NodeId *list = arena_array(p->arena, NodeId, n + 1);
  for (int i = 0; i < n; i++) list[i] = to[from[i]];
  return list;
}

/* The entry with its graph rewritten, and nothing after that. */
static LocalEntry rewrite(const Remat *r) {
  Plan *p = r->plan;
  const LocalEntry *from = r->le;
  int n = from->graph->nodes.n;
  LocalEntry to = {.entry = from->entry,
                   .index = from->index,
                   .choice = from->choice,
                   .graph = graph_new(p->arena, VIEW_LOCAL, n)};
  RematRewrite w = {r,
                    from,
                    &to,
                    arena_array(p->arena, NodeId, n + 1),
                    arena_array(p->arena, NodeId, n + 1),
                    arena_array(p->arena, NodeId, n + 1)};
  for (int i = 0; i < n; i++) w.first[i] = w.later[i] = w.part[i] = NO_NODE;
  to.region = arena_array(p->arena, LocalRegion, from->entry->regions.n + 1);
  for (int i = 0; i < from->entry->regions.n; i++)
    to.region[i].condition = NO_NODE; /* nothing needs any of them, see remat_entry */
  put_all(&w);
  to.input = moved(p, from->input, from->entry->inputs.n, w.first);
  to.output = moved(p, from->output, from->entry->outputs.n, w.first);
  to.assign = moved(p, from->assign, from->entry->assigns.n, w.first);
  drop_unused(p, &to);
  return to;
}

/* -------- the loop -------- */

static bool improve(Plan *p, LocalEntry *le, int64_t limit) {
  int n = le->graph->nodes.n, steps = le->steps.n;
  Remat r = {.plan = p,
             .le = le,
             .reads = arena_array(p->arena, Reads, steps + 1),
             .late = arena_array(p->arena, int, n + 1),
             .fixed = arena_array(p->arena, bool, n + 1),
             .chosen = arena_array(p->arena, bool, n + 1),
             .time = arena_array(p->arena, double, n + 1)};
  int64_t alive = pack_most_live(p->arena, le, &r.worst), slack = le->arena_bytes - alive;
  for (int i = 0; i < n; i++) r.late[i] = steps, r.time[i] = -1;
  for (int t = steps - 1; t >= 0; t--) {
    step_reads(le, &le->steps.at[t], p->arena, &r.reads[t]);
    for (int i = 0; t > r.worst && i < r.reads[t].n; i++) r.late[r.reads[t].at[i].node] = t;
  }
  if (!choose_values(&r, alive - (limit - slack))) return false;
  LocalEntry next = rewrite(&r);
  Plan one = *p;
  one.variables_of = p; /* they lie and are shared as all entries have them */
  memset(&one.entries, 0, sizeof one.entries);
  vec_push(p->arena, &one.entries, next);
  p->place(&one);
  *le = one.entries.at[0];
  return true;
}

/* The largest values that are alive at a step. */
static void put_largest(const Plan *p, const LocalEntry *le, int at) {
  enum { SHOWN = 4 };
  int n = 0;
  const Buffer **list = entry_live(p->arena, le, at, &n);
  for (int i = 0; i < n && i < SHOWN; i++)
    diag_note(p->program->diag, graph_node(le->graph, list[i]->node)->span,
              "%lld bytes of %s are live at the peak", (long long)list[i]->bytes,
              node_text(p->program, le->entry->graph, le->origin.at[list[i]->node], p->arena));
}

static void too_large(const Plan *p, const LocalEntry *le) {
  int at = -1;
  pack_most_live(p->arena, le, &at);
  diag_error(p->program->diag, le->entry->span,
             "entry %s does not fit %lld bytes a device: with everything recomputed that can be it "
             "requires "
             "%lld, %lld of them variables",
             le->entry->name, (long long)p->memory, (long long)(p->vars_bytes + le->arena_bytes),
             (long long)p->vars_bytes);
  put_largest(p, le, at);
}

/* Goes on from what was just recomputed to the next peak, each time down to `target`, until the
 * entry fits or nothing more can go. The least that it took. */
static LocalEntry recomputed(Plan *p, const LocalEntry *le, int64_t limit, int64_t target) {
  LocalEntry best = *le, now = *le;
  now.again = arena_array(p->arena, bool, le->graph->nodes.n + 1);
  for (int i = 0; i < REMAT_ROUNDS && best.arena_bytes > limit; i++) {
    if (!improve(p, &now, target) || !work_again_within(p, &now)) break;
    if (now.arena_bytes < best.arena_bytes) best = now;
  }
  return best;
}

/* What is chosen for a peak decides what can be for the next: to go further down than a limit may
 * be the only way to it. What these other ways take does not depend on the limit, so that the bytes
 * an error tells are enough. */
static void remat_entry(Plan *p, LocalEntry *le) {
  const int64_t limit = p->memory - p->vars_bytes;
  LocalEntry least = *le;
  /* In a region a value that is computed again could be that of another run: it is left out. */
  if (!le->bounds.n) {
    LocalEntry r = recomputed(p, le, limit, limit);
    for (int k = 1; k <= REMAT_WAYS && r.arena_bytes > limit; k++) {
      r = recomputed(p, le, limit, k < REMAT_WAYS ? le->arena_bytes >> k : 0);
      if (r.arena_bytes < least.arena_bytes) least = r;
    }
    if (r.arena_bytes <= limit) least = r;
  }
  *le = least;
  if (least.arena_bytes > limit && !p->trying) too_large(p, &least);
}

void remat(Plan *p) {
  if (p->memory <= 0) return;
  for (int i = 0; i < p->entries.n; i++) {
    LocalEntry *le = &p->entries.at[i];
    if (p->vars_bytes + le->arena_bytes > p->memory) remat_entry(p, le);
  }
}
