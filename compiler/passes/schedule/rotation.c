/* What carries become that was made elsewhere, at the end of each run of a region: buffers change
 * places, or are copied. */
#include "lives.h"

/* A place and what points there are both written. */
enum { POINTERS_BYTES = 2 * 8 };
bool rotation_pays(const EntryMemory *m, int region, int64_t bytes) {
  return m->plan->observe == OBSERVE_NOTHING && bytes > POINTERS_BYTES &&
         m->le->entry->regions.at[region].kind == REGION_LOOP;
}

/* The copy into buffer b, or from it; -1: there is none. */
static int copy_into(const Copies *all, int b) {
  for (int i = 0; i < all->n; i++)
    if (all->at[i].to == b) return i;
  return -1;
}
static int copy_from(const Copies *all, int b) {
  for (int i = 0; i < all->n; i++)
    if (all->at[i].from == b) return i;
  return -1;
}

/* What is in a carry's buffer is read behind its loop. */
static bool is_wanted_behind(const EntryMemory *m, int region, int buffer) {
  const LocalEntry *le = m->le;
  for (int i = 0; i < le->region[region].carries.n; i++) {
    const NodeId carry = le->region[region].carries.at[i].node;
    if (le->buffer[carry] != buffer) continue;
    if (m->last_read[carry] > lives_last(m, region)) return true;
    for (int r = 0; r < le->entry->regions.n; r++)
      for (int k = 0; lives_region(m, r) && r != region && k < le->region[r].carries.n; k++)
        if (lives_next(m, r, k) == carry) return true;
  }
  return false;
}

/* All of a row of copies can change places: alike, read by no other copy, the condition not among
 * them, and what is no carry's place is of the loop's body alone. */
static bool rotates(const EntryMemory *m, int region, const Rotation *x, const Copies *all) {
  const LocalEntry *le = m->le;
  const int condition = le->buffer[node_base(le->graph, le->region[region].condition)];
  const int64_t bytes = le->buffers.at[x->buffers.at[0]].bytes;
  if (!rotation_pays(m, region, bytes)) return false;
  for (int i = 0; i < x->buffers.n; i++) {
    const int own = x->buffers.at[i];
    const Buffer *b = &le->buffers.at[own];
    int read = 0;
    for (int k = 0; k < all->n; k++) read += all->at[k].from == own;
    if (b->place != PLACE_ARENA || b->bytes != bytes || b->scratch || own == condition || read > 1)
      return false;
    if (copy_into(all, own) < 0 && b->first < m->span[region].begin) return false;
  }
  return true;
}

/* The copies that hang together with copy i, from the one that nothing is copied on from. */
static Rotation hanging_together(const EntryMemory *m, const Copies *all, int i) {
  Arena *a = m->plan->arena;
  Rotation x = {.between = -1};
  int first = i;
  for (int k = copy_from(all, all->at[first].to); k >= 0 && k != i;
       k = copy_from(all, all->at[first].to))
    first = k;
  vec_push(a, &x.buffers, all->at[first].to);
  for (int k = first; k >= 0 && x.buffers.n <= all->n; k = copy_into(all, all->at[k].from))
    if (all->at[k].from == all->at[first].to)
      break;
    else
      vec_push(a, &x.buffers, all->at[k].from);
  return x;
}

/* Their places are theirs, as long as the loop runs. */
static void live_in_rotation(EntryMemory *m, int r, Rotation *x) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  const int last = lives_last(m, r);
  for (int i = 0; i < x->buffers.n; i++) {
    Buffer *b = &le->buffers.at[x->buffers.at[i]];
    if (b->first > m->span[r].begin) b->first = m->span[r].begin;
    if (b->last < last) b->last = last;
    if (is_wanted_behind(m, r, x->buffers.at[i])) vec_push(a, &x->wanted, x->buffers.at[i]);
  }
  const Buffer *first = &le->buffers.at[x->buffers.at[0]];
  if (x->wanted.n > 1) x->between = buffer_add(m, first->node, first->bytes, last, last);
}

static bool is_in_rotation(const LocalRegion *x, int buffer) {
  for (int i = 0; i < x->rotations.n; i++)
    for (int k = 0; k < x->rotations.at[i].buffers.n; k++)
      if (x->rotations.at[i].buffers.at[k] == buffer) return true;
  return false;
}

static void place_rotations(EntryMemory *m, int r, Copies *all) {
  LocalRegion *x = &m->le->region[r];
  int n = 0;
  for (int i = 0; i < all->n; i++) {
    if (is_in_rotation(x, all->at[i].to)) continue;
    Rotation own = hanging_together(m, all, i);
    if (!rotates(m, r, &own, all)) continue;
    live_in_rotation(m, r, &own);
    vec_push(m->plan->arena, &x->rotations, own);
    for (int k = 0; k < own.buffers.n; k++) m->le->buffers.at[own.buffers.at[k]].rotates = true;
  }
  for (int i = 0; i < all->n; i++)
    if (!is_in_rotation(x, all->at[i].to)) all->at[n++] = all->at[i];
  all->n = n;
}

/* What carries become that was made elsewhere is theirs at the end of each run, all at once:
 * buffers change places, or are copied. What a copy would overwrite before another has read it goes
 * by way of a place of its own. */
void rotation_place(EntryMemory *m, int r) {
  LocalEntry *le = m->le;
  LocalRegion *x = &le->region[r];
  Arena *a = m->plan->arena;
  Copies all = {0};
  const int last = lives_last(m, r);
  x->copies.n = x->rotations.n = 0;
  for (int i = 0; i < x->carries.n; i++) {
    const int from = le->buffer[lives_next(m, r, i)], to = le->buffer[x->carries.at[i].node];
    if (from != to) vec_push(a, &all, ((Copy){from, to}));
  }
  place_rotations(m, r, &all);
  for (int i = 0; i < all.n; i++)
    for (int k = 0; k < all.n; k++) {
      if (all.at[k].to != all.at[i].from) continue;
      const int64_t bytes = le->buffers.at[all.at[i].from].bytes;
      const int between = buffer_add(m, le->buffers.at[all.at[i].to].node, bytes, last, last);
      vec_push(a, &x->copies, ((Copy){all.at[i].from, between}));
      all.at[i].from = between;
    }
  for (int i = 0; i < all.n; i++) vec_push(a, &x->copies, all.at[i]);
}
