/* Variables whose memory devices share (passes/schedule/share.c): one device runs the steps that
 * write there, and devices meet between those who read and those who write. What is read and
 * written is followed from step to step, so that steps of an optimizer that follow each other take
 * one meeting before all and one behind. All devices run the same statements: a meeting stands at
 * the same place for all.
 *
 *   meet                          all have read the weights
 *   if this device writes { w[i] = w[i] - rate * g[i] }
 *   meet                          the new ones are there */
#include "entry_build.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By variable. `filled`: the region that is open stores parts of it, which nothing else there
 * reads. */
typedef struct SharingState {
  bool *read, *written, *filled; /* since the last meeting */
} SharingState;

struct Sharing {
  SharingState now;
  VEC(SharingState) before; /* regions that are open */
};

static int shared_of(const EntryBuild *b, int buffer) {
  if (buffer < 0) return 0;
  const Buffer *own = &b->en->le->buffers.at[buffer];
  return own->place == PLACE_VAR ? b->l->plan->var_shared[own->var] : 0;
}

LoopSpace shared_space(const EntryBuild *b, int buffer) {
  const int shared = shared_of(b, buffer);
  if (shared) return SPACE_SHARED + shared - 1;
  return b->en->le->buffers.at[buffer].place == PLACE_VAR ? SPACE_VARS : SPACE_ARENA;
}

static SharingState state_like(const EntryBuild *b, const SharingState *x) {
  const size_t n = (size_t)b->l->plan->program->vars.n;
  bool *all = arena_array(b->l->arena, bool, (int)(3 * n + 1));
  SharingState s = {all, all + n, all + 2 * n};
  if (x) {
    memcpy(s.read, x->read, n * sizeof(bool));
    memcpy(s.written, x->written, n * sizeof(bool));
    memcpy(s.filled, x->filled, n * sizeof(bool));
  }
  return s;
}

/* An entry begins with what others may still do at the end of the call before. */
void shared_begin(EntryBuild *b) {
  const Plan *p = b->l->plan;
  if (!p->shared.n || !b->en->le->buffers.n) return;
  Sharing *s = b->sharing = arena_new_of(b->l->arena, Sharing);
  s->now = state_like(b, NULL);
  for (int i = 0; i < p->program->vars.n; i++) s->now.read[i] = true;
}

static void meet(EntryBuild *b) {
  Sharing *s = b->sharing;
  const Expr dev = loop_word(b->l, "dev", 0);
  for (int i = 0; i < b->l->plan->program->vars.n; i++) s->now.read[i] = s->now.written[i] = false;
  loop_run(b->l, "dtrt_meet", 1, &dev);
}

static void reads(EntryBuild *b, int buffer) {
  Sharing *s = b->sharing;
  if (!shared_of(b, buffer)) return;
  const int var = b->en->le->buffers.at[buffer].var;
  if (s->now.written[var]) meet(b);
  s->now.read[var] = true;
}

static void before_write(EntryBuild *b, int buffer) {
  const SharingState *s = &b->sharing->now;
  if (!shared_of(b, buffer)) return;
  const int var = b->en->le->buffers.at[buffer].var;
  if (s->read[var] || s->written[var]) meet(b);
}

static void writes(EntryBuild *b, int buffer) {
  if (shared_of(b, buffer)) b->sharing->now.written[b->en->le->buffers.at[buffer].var] = true;
}

/* What the step stores outside of tiles. */
static int stored_in(const EntryBuild *b, const Step *s, int i) {
  const LocalEntry *le = b->en->le;
  return le->tile_bytes[s->nodes.at[i]] ? -1 : le->buffer[s->nodes.at[i]];
}

/* 1 + the index of those who share all that the step stores; 0: nobody does. */
static int sharers(const EntryBuild *b, const Step *s) {
  const LocalEntry *le = b->en->le;
  int shared = 0, apart = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    const int buffer = stored_in(b, s, i), own = shared_of(b, buffer);
    if (buffer < 0 || (!own && !step_leaves(le, s, i))) continue;
    if (own && !shared) shared = own;
    apart += own != shared;
  }
  if (shared && apart) {
    fprintf(stderr, "dtgc: bug: a step writes memory that others share, and its own\n");
    abort();
  }
  return shared;
}

/* The devices have met before the region. */
static bool is_in_filling(const EntryBuild *b, const Step *s) {
  if (!b->sharing->before.n || !sharers(b, s)) return false;
  for (int i = 0; i < s->nodes.n; i++) {
    const int buffer = stored_in(b, s, i);
    if (buffer >= 0 && !b->sharing->now.filled[b->en->le->buffers.at[buffer].var]) return false;
  }
  return true;
}

int shared_step(EntryBuild *b, const Step *s) {
  const LocalEntry *le = b->en->le;
  const bool moves = step_moves(s);
  Reads r = {0};
  if (!b->sharing) return 0;
  if (!moves && is_in_filling(b, s)) return sharers(b, s);
  step_reads(le, s, b->l->arena, &r);
  for (int i = 0; i < r.n; i++) {
    const int buffer = le->buffer[r.at[i].node];
    if (buffer >= 0 && shared_of(b, buffer) && b->sharing->now.written[le->buffers.at[buffer].var])
      meet(b);
  }
  for (int i = 0; i < s->nodes.n && s->kind != STEP_WAIT; i++) before_write(b, stored_in(b, s, i));
  for (int i = 0; i < r.n; i++) reads(b, le->buffer[r.at[i].node]);
  for (int i = 0; i < s->nodes.n; i++) writes(b, stored_in(b, s, i));
  return moves ? 0 : sharers(b, s);
}

void shared_open(EntryBuild *b, int shared) {
  const Expr arg[] = {loop_word(b->l, "dev", 0), loop_int(b->l, shared - 1)};
  if (shared) loop_if(b->l, expr_call(b->en->x, "dtrt_writes", DT_I64, 2, arg, 0, 1));
}

void shared_close(EntryBuild *b, int shared) {
  if (shared) loop_close_filled(b->l);
}

/* -------- regions -------- */

/* Of each variable that is shared, whether the region stores it, and reads it beside that: a step
 * reads what it updates at the same index. */
typedef struct RegionUses {
  bool *reads, *stores;
} RegionUses;

static void use(const EntryBuild *b, bool *set, int buffer) {
  if (shared_of(b, buffer)) set[b->en->le->buffers.at[buffer].var] = true;
}

static bool step_updates_buffer(const EntryBuild *b, const Step *s, int buffer) {
  for (int i = 0; i < s->nodes.n; i++)
    if (stored_in(b, s, i) == buffer) return true;
  return false;
}

static RegionUses uses_in_region(const EntryBuild *b, int region) {
  const LocalEntry *le = b->en->le;
  const RegionSpan span = region_span(le, region);
  const LocalRegion *x = &le->region[region];
  const int n = b->l->plan->program->vars.n;
  RegionUses u = {arena_array(b->l->arena, bool, n), arena_array(b->l->arena, bool, n)};
  for (int t = span.begin; t < span.end; t++) {
    const Step *s = &le->steps.at[t];
    Reads r = {0};
    for (int i = 0; i < s->nodes.n; i++) use(b, u.stores, stored_in(b, s, i));
    step_reads(le, s, b->l->arena, &r);
    for (int i = 0; i < r.n; i++) {
      const int buffer = le->buffer[r.at[i].node];
      if (!step_updates_buffer(b, s, buffer)) use(b, u.reads, buffer);
    }
  }
  for (int i = 0; i < x->copies.n; i++) use(b, u.reads, x->copies.at[i].from);
  if (x->condition != NO_NODE)
    use(b, u.reads, le->buffer[node_base(le->graph, x->condition)]);
  return u;
}

/* Devices meet before a region where what it reads was written, or what it fills read: then no run
 * of it has to. Several loops may fill one after the other: the same device stores. What others of
 * its runs do with what it reads and stores is not known to be over. */
void shared_region(EntryBuild *b, int region) {
  Sharing *s = b->sharing;
  if (!s) return;
  const int n = b->l->plan->program->vars.n;
  const RegionUses u = uses_in_region(b, region);
  bool meets = false;
  vec_push(b->l->arena, &s->before, state_like(b, &s->now));
  for (int i = 0; i < n; i++) {
    if (u.stores[i] && !u.reads[i]) s->now.filled[i] = true;
    meets = meets || (u.reads[i] && s->now.written[i]) ||
            (u.stores[i] && s->now.filled[i] && s->now.read[i]);
  }
  if (meets) {
    SharingState *before = &s->before.at[s->before.n - 1];
    meet(b);
    memset(before->read, 0, (size_t)n * sizeof(bool));
    memset(before->written, 0, (size_t)n * sizeof(bool));
  }
  for (int i = 0; i < n; i++) {
    s->now.read[i] |= u.reads[i];
    s->now.written[i] |= u.stores[i];
  }
}

/* Behind it: as before it, if it did not run, or as at the end of a run. */
void shared_region_end(EntryBuild *b) {
  Sharing *s = b->sharing;
  if (!s) return;
  const SharingState before = s->before.at[--s->before.n];
  for (int i = 0; i < b->l->plan->program->vars.n; i++) {
    s->now.read[i] |= before.read[i];
    s->now.written[i] |= before.written[i];
    s->now.filled[i] = before.filled[i];
  }
}

int shared_copy(EntryBuild *b, const Copy *c) {
  if (!b->sharing) return 0;
  reads(b, c->from);
  before_write(b, c->to);
  writes(b, c->to);
  return shared_of(b, c->to);
}

void shared_end(EntryBuild *b) {
  const int n = b->sharing ? b->l->plan->program->vars.n : 0;
  int i = 0;
  while (i < n && !b->sharing->now.written[i]) i++;
  if (i < n) meet(b);
}
