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
  bool meets;               /* a meeting is to be had before a region */
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

typedef void (*OnBuffer)(EntryBuild *b, int buffer);

/* What the region stores, and reads beside that: a step reads what it updates at the same index. */
static void for_region(EntryBuild *b, int region, OnBuffer on_read, OnBuffer on_write) {
  const LocalEntry *le = b->en->le;
  const RegionSpan span = region_span(le, region);
  const LocalRegion *x = &le->region[region];
  for (int t = span.begin; t < span.end; t++) {
    const Step *s = &le->steps.at[t];
    Reads r = {0};
    for (int i = 0; i < s->nodes.n; i++) on_write(b, stored_in(b, s, i));
    step_reads(le, s, b->l->arena, &r);
    for (int i = 0; i < r.n; i++) {
      const int buffer = le->buffer[r.at[i].node];
      int k = 0;
      while (k < s->nodes.n && stored_in(b, s, k) != buffer) k++;
      if (k == s->nodes.n) on_read(b, buffer);
    }
  }
  for (int i = 0; i < x->copies.n; i++) on_read(b, x->copies.at[i].from);
  if (x->condition != NO_NODE) on_read(b, le->buffer[node_base(le->graph, x->condition)]);
}

static bool *of_variable(const EntryBuild *b, bool *state, int buffer) {
  return buffer >= 0 && shared_of(b, buffer) ? &state[b->en->le->buffers.at[buffer].var] : NULL;
}
static void nothing(EntryBuild *b, int buffer) { (void)b, (void)buffer; }
static void fills(EntryBuild *b, int buffer) {
  bool *x = of_variable(b, b->sharing->now.filled, buffer);
  if (x) *x = true;
}
static void fills_not(EntryBuild *b, int buffer) {
  bool *x = of_variable(b, b->sharing->now.filled, buffer);
  const SharingState *outer = &b->sharing->before.at[b->sharing->before.n - 1];
  if (x) *x = outer->filled[b->en->le->buffers.at[buffer].var];
}
static void is_read_in(EntryBuild *b, int buffer) {
  const bool *x = of_variable(b, b->sharing->now.written, buffer);
  if (x && *x) b->sharing->meets = true;
}
/* Several loops may fill one after the other: the same device stores. */
static void is_filled_in(EntryBuild *b, int buffer) {
  const bool *x = of_variable(b, b->sharing->now.filled, buffer);
  if (x && *x && *of_variable(b, b->sharing->now.read, buffer)) b->sharing->meets = true;
}
static void marks_read(EntryBuild *b, int buffer) {
  bool *x = of_variable(b, b->sharing->now.read, buffer);
  if (x) *x = true;
}
/* What others of its runs do with what a loop reads and stores is not known to be over. */
static void marks_written(EntryBuild *b, int buffer) {
  bool *x = of_variable(b, b->sharing->now.written, buffer);
  if (x) *x = true;
}

/* Devices meet before a region where what it reads was written, or what it fills read: then no run
 * of it has to. */
void shared_region(EntryBuild *b, int region) {
  Sharing *s = b->sharing;
  if (!s) return;
  vec_push(b->l->arena, &s->before, state_like(b, &s->now));
  s->meets = false;
  for_region(b, region, nothing, fills);
  for_region(b, region, fills_not, nothing);
  for_region(b, region, is_read_in, is_filled_in);
  if (s->meets) {
    SharingState *before = &s->before.at[s->before.n - 1];
    meet(b);
    memset(before->read, 0, (size_t)b->l->plan->program->vars.n * sizeof(bool));
    memset(before->written, 0, (size_t)b->l->plan->program->vars.n * sizeof(bool));
  }
  for_region(b, region, marks_read, nothing);
  for_region(b, region, nothing, marks_written);
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
