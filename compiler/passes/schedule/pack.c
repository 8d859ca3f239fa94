/* Offsets in the arena. Finding the smallest arena is NP-hard (Garey and Johnson 1979, dynamic
 * storage allocation), but the most live bytes of any step are a lower bound, and simple orders
 * usually reach it: each buffer in turn takes the lowest offset that is free during its lifetime.
 * Several orders are tried until one reaches the bound; then the buffers above the bound are placed
 * first, repeatedly while that helps. */
#include "pack.h"
#include <stdlib.h>
#include <string.h>

/* What has its place already, in the order of offsets, in runs. A run knows when any of its members
 * is alive, so that most are passed over whole. */
enum { RUN = 64 };

typedef struct PackedBuffer {
  int64_t offset, end;
  int first, last;
} PackedBuffer;

typedef struct PackRun {
  int n, first, last;
  PackedBuffer at[RUN];
} PackRun;

typedef struct Shelf {
  Arena *arena;
  VEC(PackRun *) runs;
  int64_t looks; /* at runs and at their members */
} Shelf;

/* The lowest place with room for b during its life. */
static int64_t lowest_free(Shelf *s, const Buffer *b) {
  int64_t at = 0, size = pack_room(b->bytes);
  for (int r = 0; r < s->runs.n; r++) {
    const PackRun *run = s->runs.at[r];
    if (run->at[0].offset >= at + size) return at;
    s->looks++;
    if (run->last < b->first || b->last < run->first) continue;
    s->looks += run->n;
    for (int i = 0; i < run->n; i++) {
      const PackedBuffer *o = &run->at[i];
      if (o->last < b->first || b->last < o->first) continue;
      if (o->offset >= at + size) return at;
      if (o->end > at) at = o->end;
    }
  }
  return at;
}

static void run_lives(PackRun *run) {
  run->first = run->at[0].first, run->last = run->at[0].last;
  for (int i = 1; i < run->n; i++) {
    if (run->at[i].first < run->first) run->first = run->at[i].first;
    if (run->at[i].last > run->last) run->last = run->at[i].last;
  }
}

/* The upper half of run r becomes a run of its own behind it. */
static void split_run(Shelf *s, int r) {
  PackRun *low = s->runs.at[r], *high = arena_new_of(s->arena, PackRun);
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
  PackedBuffer p = {b->offset, b->offset + pack_room(b->bytes), b->first, b->last};
  int r = 0;
  while (r + 1 < s->runs.n && s->runs.at[r + 1]->at[0].offset <= p.offset) r++;
  if (!s->runs.n) vec_push(s->arena, &s->runs, arena_new_of(s->arena, PackRun));
  if (s->runs.at[r]->n == RUN) {
    split_run(s, r);
    r += s->runs.at[r + 1]->at[0].offset <= p.offset;
  }
  PackRun *run = s->runs.at[r];
  int i = run->n++;
  for (; i > 0 && run->at[i - 1].offset > p.offset; i--) run->at[i] = run->at[i - 1];
  run->at[i] = p;
  if (run->n == 1 || p.first < run->first) run->first = p.first;
  if (run->n == 1 || p.last > run->last) run->last = p.last;
}

/* Places all in the order given, and returns where the last of them ends. Takes what it looked at
 * off what is left. */
static int64_t place(Arena *a, Buffer **order, int n, int64_t *left) {
  ArenaMark mark = arena_mark(a);
  Shelf shelf = {.arena = a};
  int64_t end = 0;
  for (int i = 0; i < n; i++) {
    order[i]->offset = lowest_free(&shelf, order[i]);
    put(&shelf, order[i]);
    int64_t e = order[i]->offset + pack_room(order[i]->bytes);
    if (e > end) end = e;
  }
  *left -= shelf.looks;
  arena_release(a, mark);
  return end;
}

/* -------- orders -------- */

static int64_t life(const Buffer *b) { return b->last - b->first + 1; }

/* Equal ones stand by their beginning, then in the order of the buffers. */
static int by_rest(const Buffer *a, const Buffer *b) {
  if (a->first != b->first) return a->first > b->first ? 1 : -1;
  return (a > b) - (a < b);
}

static int by_size(const void *x, const void *y) {
  const Buffer *a = *(Buffer *const *)x, *b = *(Buffer *const *)y;
  if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
  return by_rest(a, b);
}

static int by_area(const void *x, const void *y) {
  const Buffer *a = *(Buffer *const *)x, *b = *(Buffer *const *)y;
  double m = (double)a->bytes * (double)life(a), n = (double)b->bytes * (double)life(b);
  if (m < n || m > n) return m < n ? 1 : -1;
  return by_rest(a, b);
}

static int by_life(const void *x, const void *y) {
  const Buffer *a = *(Buffer *const *)x, *b = *(Buffer *const *)y;
  if (life(a) != life(b)) return life(a) < life(b) ? 1 : -1;
  return by_size(x, y);
}

static int by_begin(const void *x, const void *y) {
  const Buffer *a = *(Buffer *const *)x, *b = *(Buffer *const *)y;
  if (a->first != b->first) return a->first > b->first ? 1 : -1;
  return by_size(x, y);
}

/* Those that end above `bound` first, each group in the order it had. */
static void lift(Buffer **order, int n, int64_t bound, Buffer **room) {
  int k = 0;
  for (int high = 1; high >= 0; high--)
    for (int i = 0; i < n; i++)
      if ((order[i]->offset + pack_room(order[i]->bytes) > bound) == high) room[k++] = order[i];
  memcpy(order, room, (size_t)n * sizeof *order);
}

typedef struct Best {
  int64_t end;
  Buffer **order;
  int64_t *offset; /* beside order */
} Best;

static void keep(Best *b, Buffer **order, int n, int64_t end) {
  if (end >= b->end) return;
  b->end = end;
  for (int i = 0; i < n; i++) b->order[i] = order[i], b->offset[i] = order[i]->offset;
}

enum {
  LIFTS = 24,          /* rounds without gain before the search ends */
  MANY = 2048,         /* buffers; above it a round takes milliseconds */
  MOST_LOOKS = 1 << 28 /* some 0.3 s: a round takes the square of the buffers, and there may be as
                          many rounds as they are */
};

/* The search ends at this: the bound, or with many buffers 1/2000 above it. */
static int64_t good_enough(int64_t bound, int n) { return n > MANY ? bound + bound / 2000 : bound; }

static void place_own(Arena *a, LocalEntry *le) {
  ArenaMark mark = arena_mark(a);
  int64_t *own = arena_array(a, int64_t, le->buffers.n + 1);
  le->own_bytes = 0;
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    if (s->kind != STEP_TILES) continue;
    const int64_t bytes = tiles_own(le, s->tile, own);
    tiles_own_none(le, s->tile, own);
    if (bytes > le->own_bytes) le->own_bytes = bytes;
  }
  arena_release(a, mark);
}

void pack_arena(Arena *a, LocalEntry *le) {
  static int (*const orders[])(const void *, const void *) = {by_size, by_area, by_life, by_begin};
  int most = le->buffers.n + 1, n = 0;
  const ArenaMark mark = arena_mark(a);
  Buffer **order = arena_array(a, Buffer *, most), **room = arena_array(a, Buffer *, most);
  Best best = {INT64_MAX, arena_array(a, Buffer *, most), arena_array(a, int64_t, most)};
  int64_t bound = le->live_bytes = pack_most_live(a, le, NULL);
  for (int i = 0; i < le->buffers.n; i++)
    if (le->buffers.at[i].place == PLACE_ARENA) order[n++] = &le->buffers.at[i];
  int64_t enough = good_enough(bound, n), left = MOST_LOOKS;
  for (size_t k = 0; k < sizeof orders / sizeof *orders && best.end > enough && left > 0; k++) {
    qsort(order, (size_t)n, sizeof *order, orders[k]);
    int64_t end = place(a, order, n, &left);
    keep(&best, order, n, end);
    for (int i = 0; i < LIFTS && best.end > enough && left > 0; i++) {
      int64_t before = best.end;
      lift(order, n, bound, room);
      end = place(a, order, n, &left);
      keep(&best, order, n, end);
      if (best.end < before) i = 0;
    }
  }
  for (int i = 0; i < n; i++) best.order[i]->offset = best.offset[i];
  le->arena_bytes = best.end;
  place_own(a, le);
  arena_release(a, mark);
}

int64_t *pack_live(Arena *a, const LocalEntry *le) {
  int64_t *live = arena_array(a, int64_t, le->steps.n + 3);
  live++;
  for (int i = 0; i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    if (b->place != PLACE_ARENA || b->first > b->last) continue;
    live[b->first] += pack_room(b->bytes);
    live[b->last + 1] -= pack_room(b->bytes);
  }
  for (int t = 0; t <= le->steps.n; t++) live[t] += live[t - 1];
  return live;
}

int64_t pack_most_live(Arena *a, const LocalEntry *le, int *at) {
  const int64_t *live = pack_live(a, le);
  int64_t most = 0;
  for (int t = -1; t <= le->steps.n; t++) {
    if (live[t] <= most) continue;
    most = live[t];
    if (at) *at = t;
  }
  return most;
}
