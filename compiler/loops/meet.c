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

/* Since the last meeting, by variable. Regions write no shared variables (share.c). */
struct Sharing {
  bool *read, *written, any;
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

/* An entry begins with what others may still do at the end of the call before. */
void shared_begin(EntryBuild *b) {
  const Plan *p = b->l->plan;
  const int n = p->program->vars.n;
  if (!p->shared.n || !b->en->le->buffers.n) return;
  Sharing *s = b->sharing = arena_new_of(b->l->arena, Sharing);
  s->read = arena_array(b->l->arena, bool, n);
  s->written = arena_array(b->l->arena, bool, n);
  for (int i = 0; i < n; i++) s->read[i] = true;
}

static void meet(EntryBuild *b) {
  Sharing *s = b->sharing;
  const Expr dev = loop_word(b->l, "dev", 0);
  for (int i = 0; i < b->l->plan->program->vars.n; i++) s->read[i] = s->written[i] = false;
  s->any = false;
  loop_run(b->l, "dtrt_meet", 1, &dev);
}

static void reads(EntryBuild *b, int buffer) {
  Sharing *s = b->sharing;
  if (!shared_of(b, buffer)) return;
  const int var = b->en->le->buffers.at[buffer].var;
  if (s->written[var]) meet(b);
  s->read[var] = true;
}

static void before_write(EntryBuild *b, int buffer) {
  const Sharing *s = b->sharing;
  if (!shared_of(b, buffer)) return;
  const int var = b->en->le->buffers.at[buffer].var;
  if (s->read[var] || s->written[var]) meet(b);
}

static void writes(EntryBuild *b, int buffer) {
  if (shared_of(b, buffer))
    b->sharing->any = b->sharing->written[b->en->le->buffers.at[buffer].var] = true;
}

/* What the step stores outside of tiles. */
static int stored_in(const EntryBuild *b, const Step *s, int i) {
  const LocalEntry *le = b->en->le;
  return le->tile_bytes[s->nodes.at[i]] ? -1 : le->buffer[s->nodes.at[i]];
}

/* 1 + the index of those who share all that the step stores; 0: nobody does. */
static int sharers(const EntryBuild *b, const Step *s) {
  int shared = 0, apart = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    const int buffer = stored_in(b, s, i), own = shared_of(b, buffer);
    if (buffer < 0) continue;
    if (own && !shared) shared = own;
    apart += own != shared;
  }
  if (shared && apart) {
    fprintf(stderr, "dtgc: bug: a step writes memory that others share, and its own\n");
    abort();
  }
  return shared;
}

int shared_step(EntryBuild *b, const Step *s) {
  const LocalEntry *le = b->en->le;
  const bool moves = s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT;
  Reads r = {0};
  if (!b->sharing) return 0;
  step_reads(le, s, b->l->arena, &r);
  for (int i = 0; i < r.r.n; i++) {
    const int buffer = le->buffer[r.r.at[i].node];
    if (buffer >= 0 && shared_of(b, buffer) && b->sharing->written[le->buffers.at[buffer].var])
      meet(b);
  }
  for (int i = 0; i < s->nodes.n && s->kind != STEP_WAIT; i++) before_write(b, stored_in(b, s, i));
  for (int i = 0; i < r.r.n; i++) reads(b, le->buffer[r.r.at[i].node]);
  for (int i = 0; i < s->nodes.n; i++) writes(b, stored_in(b, s, i));
  return moves ? 0 : sharers(b, s);
}

void shared_open(EntryBuild *b, int shared) {
  const Expr arg[] = {loop_word(b->l, "dev", 0), loop_int(b->l, shared - 1)};
  if (shared) loop_if(b->l, expr_call(b->en->x, "dtrt_writes", DT_I64, 2, arg, 0, 1));
}

void shared_close(EntryBuild *b, int shared) {
  if (shared) loop_close(b->l, 1);
}

/* All that the region reads is read before it, as far as anybody can tell behind it. */
void shared_region(EntryBuild *b, int region) {
  const LocalEntry *le = b->en->le;
  if (!b->sharing) return;
  if (b->sharing->any) meet(b);
  const RegionSpan span = region_span(le, region);
  const LocalRegion *x = &le->region[region];
  for (int t = span.begin; t < span.end; t++) {
    Reads r = {0};
    step_reads(le, &le->steps.at[t], b->l->arena, &r);
    for (int i = 0; i < r.r.n; i++) reads(b, le->buffer[r.r.at[i].node]);
  }
  for (int i = 0; i < x->copies.n; i++) reads(b, x->copies.at[i].from);
  if (x->condition != NO_NODE) reads(b, le->buffer[node_base(le->graph, x->condition)]);
}

int shared_copy(EntryBuild *b, const Copy *c) {
  if (!b->sharing) return 0;
  reads(b, c->from);
  before_write(b, c->to);
  writes(b, c->to);
  return shared_of(b, c->to);
}

void shared_end(EntryBuild *b) {
  if (b->sharing && b->sharing->any) meet(b);
}
