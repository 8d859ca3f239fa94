/* Overlap: starts exchanges early and waits for them late, so that they run during computation. The
 * start moves up to where the operands are computed, the wait down to the first use, both only if
 * peak memory does not grow, and only as far as needed to hide the exchange.
 *
 *   grad w2 ; grad w1 ; all-reduce w2 ; update w2
 *   ->  grad w2 ; start all-reduce w2 ; grad w1 ; wait for all-reduce w2 ; update w2 */
#include "depend.h"
#include "pack.h"
#include "schedule_passes.h"
#include <string.h>

/* Where an exchange goes; positions are those of the steps that it is put before. */
typedef struct Move {
  int start, wait; /* wait 0: it stays as it is */
} Move;

typedef struct Overlap {
  Plan *plan;
  LocalEntry *le;
  int nsteps;
  int *done_by;    /* by node: the step behind which it is there; -1: it is from the beginning */
  IntVec *readers; /* by base node: the steps that read it */
  int *updated;    /* by variable: the step that overwrites it, or nsteps */
  double *time;    /* by step: modelled */
  int64_t *live;   /* by step: bytes */
  int *under_way;  /* by step: exchanges in flight during it */
  int64_t most;    /* that may be alive */
  Move *move;      /* by step */
} Overlap;

static int64_t bytes_of(const Overlap *o, NodeId id) {
  const Buffer *b = &o->le->buffers.at[o->le->buffer[id]];
  return b->place == PLACE_ARENA ? pack_room(b->bytes) : 0;
}

static NodeId term_of(const Overlap *o, NodeId id) {
  const Graph *g = o->le->graph;
  return node_base(g, graph_node(g, id)->operand[0]);
}

static bool in_place(const Overlap *o, NodeId id) {
  return o->le->buffer[id] == o->le->buffer[term_of(o, id)];
}

/* -------- what is known before -------- */

static void find_order(Overlap *o) {
  LocalEntry *le = o->le;
  for (int t = 0; t < o->nsteps; t++) {
    StepCost c = cost_step(o->plan, le, t);
    o->time[t] = c.compute + c.exchange;
  }
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const Buffer *b = le->buffer[base] < 0 ? NULL : &le->buffers.at[le->buffer[base]];
    if (b && b->place == PLACE_VAR && le->made_at[base] >= 0)
      o->updated[b->var] = le->made_at[base];
  }
}

/* -------- one exchange -------- */

/* The first position where all of step t can be started. What is made in a variable's place, or in
 * that of its terms, comes after the steps that read its old contents. */
static int earliest(const Overlap *o, int t) {
  const Step *s = &o->le->steps.at[t];
  int at = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i], term = term_of(o, id);
    int after = o->done_by[term];
    const IntVec *r = &o->readers[term];
    if (in_place(o, id) && r->n > 1 && r->at[r->n - 2] > after) after = r->at[r->n - 2];
    if (o->le->buffers.at[o->le->buffer[id]].place == PLACE_VAR) return t;
    if (after + 1 > at) at = after + 1;
  }
  while (o->le->steps.at[at].segment != s->segment) at++;
  return at;
}

/* The last position where it can be awaited. */
static int latest(const Overlap *o, int t) {
  const Step *s = &o->le->steps.at[t];
  int at = o->nsteps;
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *term = graph_node(o->le->graph, term_of(o, s->nodes.at[i]));
    const IntVec *r = &o->readers[s->nodes.at[i]];
    if (r->n && r->at[0] < at) at = r->at[0];
    if (term->op == OP_var && o->updated[node_source(term)] < at)
      at = o->updated[node_source(term)];
  }
  while (at > t + 1 && o->le->steps.at[at - 1].segment != s->segment) at--;
  return at;
}

/* Bytes that live during step k as well, when step t is under way from `start` until `wait`. */
static int64_t more_alive(const Overlap *o, int t, int k) {
  const Step *s = &o->le->steps.at[t];
  int64_t sum = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i], term = term_of(o, id);
    if (in_place(o, id)) continue;
    const Buffer *b = &o->le->buffers.at[o->le->buffer[term]];
    int last = o->le->last_read[term];
    if (k < t)
      sum += bytes_of(o, id);
    else if (k > last ||
             (k == last && k > t && b->last > last)) /* another value is there by then */
      sum += bytes_of(o, term);
  }
  return sum;
}

static bool has_room(const Overlap *o, int t, int k) {
  return o->live[k] + more_alive(o, t, k) <= o->most && o->under_way[k] < DTRT_SLOTS;
}

static Move choose(const Overlap *o, int t) {
  Move m = {t, 0};
  double hidden = 0, enough = OVERLAP_TIMES * o->time[t];
  int first = earliest(o, t), last = latest(o, t), at = t + 1;
  for (double sum = 0; at < last && sum < enough && has_room(o, t, at);) {
    sum += o->time[at++];
    m.wait = at, hidden = sum;
  }
  at = t;
  for (double sum = hidden; at > first && sum < enough && has_room(o, t, at - 1);) {
    sum += o->time[--at];
    m.start = at, hidden = sum;
  }
  if (OVERLAP_PART * hidden < o->time[t] || !has_room(o, t, t)) return (Move){0};
  if (!m.wait) m.wait = t + 1;
  return m;
}

static void take(Overlap *o, int t, Move m) {
  const Step *s = &o->le->steps.at[t];
  for (int k = m.start; k < m.wait; k++) {
    o->live[k] += more_alive(o, t, k);
    o->under_way[k]++;
  }
  for (int i = 0; i < s->nodes.n; i++) o->done_by[s->nodes.at[i]] = m.wait - 1;
  o->move[t] = m;
}

/* -------- the new steps -------- */

typedef struct Steps {
  Arena *arena;
  StepVec out;
  bool busy[DTRT_SLOTS + 1];
} Steps;

static uint8_t free_slot(Steps *s) {
  uint8_t i = 1;
  while (s->busy[i]) i++;
  s->busy[i] = true;
  return i;
}

/* Lists of what begins and ends at each position: by step, the next of the same position. */
typedef struct StepLists {
  int *first, *next;
} StepLists;

static StepLists step_lists(const Overlap *o, bool waits) {
  int n = o->nsteps;
  StepLists p = {arena_array(o->plan->scratch, int, n + 2),
                 arena_array(o->plan->scratch, int, n + 2)};
  for (int i = 0; i <= n; i++) p.first[i] = -1;
  for (int t = n - 1; t >= 0; t--) {
    if (!o->move[t].wait) continue;
    int at = waits ? o->move[t].wait : o->move[t].start;
    p.next[t] = p.first[at];
    p.first[at] = t;
  }
  return p;
}

/* What came between may itself be under way by now: then it is done at once after all. */
static void put_wait(Steps *s, Step wait) {
  Step *last = &s->out.at[s->out.n - 1];
  s->busy[wait.slot] = false;
  wait.kind = STEP_WAIT;
  if (last->kind == STEP_EXCHANGE && last->slot == wait.slot)
    last->slot = 0;
  else
    vec_push(s->arena, &s->out, wait);
}

static void rewrite(Overlap *o) {
  LocalEntry *le = o->le;
  Steps s = {.arena = o->plan->arena};
  StepLists starts = step_lists(o, false), waits = step_lists(o, true);
  for (int t = 0; t <= o->nsteps; t++) {
    for (int i = waits.first[t]; i >= 0; i = waits.next[i]) put_wait(&s, le->steps.at[i]);
    for (int i = starts.first[t]; i >= 0; i = starts.next[i]) {
      le->steps.at[i].slot = free_slot(&s);
      vec_push(s.arena, &s.out, le->steps.at[i]);
    }
    if (t < o->nsteps && !o->move[t].wait) vec_push(s.arena, &s.out, le->steps.at[t]);
  }
  le->steps = s.out;
}

static bool moves(const Overlap *o, int t) {
  const Step *s = &o->le->steps.at[t];
  return s->kind == STEP_EXCHANGE && cost_step(o->plan, o->le, t).exchange > 0;
}

static void overlap_entry(Plan *p, LocalEntry *le) {
  int n = le->steps.n, moving = 0;
  Overlap o = {.plan = p, .le = le, .nsteps = n};
  for (int t = 0; t < n; t++) moving += moves(&o, t);
  if (!moving) return;
  memory_lives(p, le);
  const ArenaMark mark = arena_mark(p->scratch);
  const Depend d = depend_of(p->scratch, le);
  o.done_by = d.made_by, o.readers = d.readers;
  o.updated = arena_array(p->scratch, int, p->program->vars.n + 1);
  o.time = arena_array(p->scratch, double, n + 1);
  o.live = pack_live(p->scratch, le);
  for (int t = 0; t < n; t++)
    if (o.live[t] > o.most) o.most = o.live[t];
  o.under_way = arena_array(p->scratch, int, n + 1);
  o.move = arena_array(p->scratch, Move, n + 1);
  for (int i = 0; i < p->program->vars.n; i++) o.updated[i] = n;
  find_order(&o);
  for (int t = 0; t < n; t++) {
    if (!moves(&o, t)) continue;
    Move m = choose(&o, t);
    if (m.wait) take(&o, t, m);
  }
  rewrite(&o);
  arena_release(p->scratch, mark);
}

void overlap(Plan *p) {
  memory_variables(p);
  for (int e = 0; e < p->entries.n; e++) overlap_entry(p, &p->entries.at[e]);
}
