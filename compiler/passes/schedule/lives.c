/* Buffers, from which step to which values live, regions included, and in whose places one may be
 * made. */
#include "lives.h"
#include <string.h>

int buffer_add(EntryMemory *m, NodeId id, int64_t bytes, int first, int last) {
  const Buffer b = {.bytes = bytes, .first = first, .last = last, .node = id, .var = -1};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->le->buffers.n - 1;
}

int buffer_of_variable(EntryMemory *m, int var) {
  if (m->var_buffer[var] >= 0) return m->var_buffer[var];
  const Var *v = &m->plan->program->vars.at[var];
  Buffer b = {.place = PLACE_VAR,
              .var = var,
              .offset = m->plan->var_offset[var],
              .first = -1,
              .last = m->nsteps,
              .node = NO_NODE,
              .bytes = layout_bytes(&m->plan->program->mesh, v->layout, &v->shape, v->dtype)};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->var_buffer[var] = m->le->buffers.n - 1;
}

int buffer_at_end(EntryMemory *m, NodeId base, int like) {
  return buffer_add(m, base, m->le->buffers.at[like].bytes, m->nsteps, m->nsteps);
}

/* -------- lives -------- */

void lives_read(EntryMemory *m, NodeId base, int step) {
  if (m->last_read[base] < step) m->last_read[base] = step;
}

/* -------- regions -------- */

bool lives_region(const EntryMemory *m, int region) {
  return m->le->region[region].condition != NO_NODE;
}

int lives_last(const EntryMemory *m, int region) { return m->span[region].end - 1; }

NodeId lives_next(const EntryMemory *m, int region, int carry) {
  return node_base(m->le->graph, m->le->region[region].carries.at[carry].next);
}

/* The end of a run of region r needs it, in each run of the regions around that, too. */
static void wanted_in(EntryMemory *m, int r, NodeId id) {
  const Entry *e = m->le->entry;
  lives_read(m, id, lives_last(m, r));
  while ((r = e->regions.at[r].parent) != NO_REGION)
    if (m->made_at[id] < m->span[r].begin) lives_read(m, id, lives_last(m, r));
}

/* What a region reads and does not make is there until it ends, and so is what it carries. */
static void live_in_region(EntryMemory *m, int r) {
  const LocalEntry *le = m->le;
  const LocalRegion *x = &le->region[r];
  if (!lives_region(m, r)) return;
  const RegionSpan s = m->span[r];
  const int last = lives_last(m, r);
  for (int t = s.begin; t < s.end; t++)
    for (int i = 0; i < m->d.reads[t].n; i++) {
      const NodeId id = m->d.reads[t].at[i].node;
      if (m->made_at[id] < s.begin) lives_read(m, id, last);
    }
  wanted_in(m, r, node_base(le->graph, x->condition));
  for (int i = 0; i < x->carries.n; i++) {
    wanted_in(m, r, x->carries.at[i].node);
    wanted_in(m, r, lives_next(m, r, i));
  }
}

bool lives_again(const EntryMemory *m, NodeId id, int t) {
  for (int r = m->region_at[t]; r != NO_REGION; r = m->le->entry->regions.at[r].parent)
    if (lives_region(m, r) && m->made_at[id] < m->span[r].begin) return true;
  return false;
}

/* A region ends between two steps. What it reads then is live up to the one before, which must not
 * make another value in its place. */
bool lives_behind(const EntryMemory *m, NodeId id, int t, int within) {
  for (int k = m->wanted[id]; k; k = m->wants.at[k - 1].next) {
    const RegionWant *w = &m->wants.at[k - 1];
    const RegionSpan s = m->span[w->region];
    if (s.end <= t || w->region == within || (w->condition && s.begin != s.end)) continue;
    if (within == NO_REGION ? s.end <= t + 1 : region_within(m->le->entry, w->region, within))
      return true;
  }
  return false;
}

bool lives_in_body(const EntryMemory *m, int region, int t) {
  return t >= m->span[region].test && t < m->span[region].end && m->region_at[t] == region;
}

/* Spans lie within each other as regions do. */
static void find_spans(EntryMemory *m) {
  const Entry *e = m->le->entry;
  for (int t = 0; t <= m->nsteps; t++) m->region_at[t] = NO_REGION;
  for (int r = 0; r < e->regions.n; r++) {
    if (!lives_region(m, r)) continue;
    m->span[r] = region_span(m->le, r);
    for (int t = m->span[r].begin; t < m->span[r].end; t++)
      if (m->region_at[t] == NO_REGION || region_within(e, r, m->region_at[t])) m->region_at[t] = r;
  }
}

static void add_want(EntryMemory *m, int r, NodeId id, bool condition) {
  vec_push(m->plan->scratch, &m->wants, ((RegionWant){r, condition, m->wanted[id]}));
  m->wanted[id] = m->wants.n;
}

static void find_wants(EntryMemory *m) {
  const LocalEntry *le = m->le;
  for (int r = 0; r < le->entry->regions.n; r++) {
    if (!lives_region(m, r)) continue;
    add_want(m, r, node_base(le->graph, le->region[r].condition), true);
    for (int i = 0; i < le->region[r].carries.n; i++) add_want(m, r, lives_next(m, r, i), false);
  }
}

void lives_find(EntryMemory *m) {
  LocalEntry *le = m->le;
  for (int t = 0; t < m->nsteps; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      m->done_at[s->nodes.at[i]] = t;
      lives_read(m, s->nodes.at[i], t);
      if (m->made_at[s->nodes.at[i]] < t) vec_push(m->plan->scratch, &m->remade[s->nodes.at[i]], t);
    }
    for (int i = 0; i < m->d.reads[t].n; i++) lives_read(m, m->d.reads[t].at[i].node, t);
  }
  for (int i = 0; i < le->entry->outputs.n; i++)
    lives_read(m, node_base(le->graph, le->output[i]), m->nsteps);
  find_spans(m);
  find_wants(m);
  for (int r = 0; r < le->entry->regions.n; r++) live_in_region(m, r);
}

/* -------- places -------- */

bool reads_aligned(const Reads *r, NodeId id) {
  for (int i = 0; i < r->n; i++)
    if (r->at[i].node == id && r->at[i].aligned) return true;
  return false;
}

NodeId lives_made_of(const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  return node_goes_on(n) ? node_base(le->graph, n->operand[0]) : NO_NODE;
}

/* Some carry becomes it, which reads it when the run is over. */
static bool is_next(const EntryMemory *m, NodeId id) {
  for (int k = m->wanted[id]; k; k = m->wants.at[k - 1].next)
    if (!m->wants.at[k - 1].condition) return true;
  return false;
}

bool lives_passes(const EntryMemory *m, NodeId id, NodeId later) {
  const LocalEntry *le = m->le;
  const Node *n = graph_node(le->graph, id);
  const int t = m->made_at[later];
  if (m->made_at[id] < 0 || m->last_read[id] > t || le->buffer[id] >= 0 ||
      m->next_of[id] != NO_NODE || !node_goes_on(n) || is_next(m, id))
    return false;
  const Reads over = lives_over(m, later);
  return reads_aligned(&over, id);
}

bool lives_in_tile(const EntryMemory *m, NodeId id) {
  return m->le->tile_bytes && m->le->tile_bytes[id];
}

/* Turn after turn of a tile goes over parts of both that are apart from those of other turns; or
 * each makes its part of both, in memory for one. */
static bool same_parts(const LocalEntry *le, const Tiles *s, NodeId a, NodeId b) {
  const TileNode *x = tiles_node(s, le->graph, a), *y = tiles_node(s, le->graph, b);
  if (!x || !y || x->inner != y->inner || x->sums || y->sums || x->beyond || y->beyond ||
      memcmp(x->loop, y->loop, sizeof x->loop))
    return false;
  if (x->inner) return le->tile_bytes[a] == le->tile_bytes[b];
  uint32_t loops = 0;
  for (int d = 0; d < MAX_RANK; d++)
    if (x->loop[d] >= 0) loops |= 1u << x->loop[d];
  return loops == (1u << s->nloops) - 1;
}

static void leave_out(Reads *out, const Reads *r) {
  int n = 0;
  for (int k = 0; k < out->n; k++)
    if (!reads_node(r, out->at[k].node)) out->at[n++] = out->at[k];
  out->n = n;
}

/* ... where step s makes it. */
static Reads over_in(const EntryMemory *m, const Step *s, NodeId id) {
  const LocalEntry *le = m->le;
  Arena *a = m->plan->scratch;
  Reads out = {0}, first = {0};
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++) {
    const Step *t = &s->tile->steps.at[i];
    Reads r = {0};
    step_reads(le, t, a, &r);
    if (i == 0) first = r;
    leave_out(&out, &r);
    const bool makes = step_stores(t, id);
    for (int k = 0; makes && t->kind == STEP_MAP && k < r.n; k++)
      if (same_parts(le, s->tile, id, r.at[k].node) &&
          !(s->tile->epilogue && reads_node(&first, r.at[k].node)))
        vec_push(a, &out, r.at[k]);
  }
  return out;
}

Reads lives_over(const EntryMemory *m, NodeId id) {
  const int t = m->made_at[id];
  if (m->le->steps.at[t].kind == STEP_MAP) return m->d.reads[t];
  Reads out = over_in(m, &m->le->steps.at[t], id);
  for (int i = 0; i < m->remade[id].n && out.n; i++) {
    const Reads r = over_in(m, &m->le->steps.at[m->remade[id].at[i]], id);
    for (int k = 0; k < out.n; k++)
      out.at[k].aligned = out.at[k].aligned && reads_aligned(&r, out.at[k].node);
  }
  return out;
}

bool lives_in_variable(const EntryMemory *m, NodeId base, int var) {
  Reads over = {0};
  int t = m->made_at[base];
  if (t < 0 || m->plan->observe == OBSERVE_ALL) return false;
  for (int i = 0; i < m->d.old[var].n; i++) {
    const NodeId old = m->d.old[var].at[i];
    if (m->last_read[old] > t || lives_behind(m, old, t, NO_REGION)) return false;
    if (m->last_read[old] < t) continue;
    if (!over.n) over = lives_over(m, base);
    if (!reads_aligned(&over, old)) return false;
  }
  return true;
}
