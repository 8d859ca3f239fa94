/* Steps that come again one distance later, and again, are found by that distance: whatever is rare
 * within a block meets itself one block later, so each place votes for the distances to its next
 * likes, and only those with most votes are tried, each by one walk over the list. Time is
 * proportional to the length of the list. */
#include "repeat.h"
#include <stdbool.h>

enum {
  MOST_HOPS = 16,    /* likes that a place votes for */
  MOST_PERIODS = 32, /* distances that are tried */
  MOST_REPEATS = 64
};

typedef struct RepeatSearch {
  Arena *arena;
  const int *key;
  int least;
  int *next; /* the next place with an equal key; -1: none */
  int *vote; /* by distance; zero between uses */
  EntryRepeats *out;
} RepeatSearch;

typedef struct Period {
  int distance, votes;
} Period;

static int saved(const Repeat *r) { return (r->count - 1) * r->period; }

static bool better(const Repeat *a, const Repeat *b) {
  if (saved(a) != saved(b)) return saved(a) > saved(b);
  return a->period != b->period ? a->period < b->period : a->first < b->first;
}

/* Keeps those with most votes, most first. */
static int keep_period(Period *kept, int n, Period new) {
  if (n == MOST_PERIODS && kept[n - 1].votes >= new.votes) return n;
  int k = n < MOST_PERIODS ? n++ : n - 1;
  for (; k > 0 && kept[k - 1].votes < new.votes; k--) kept[k] = kept[k - 1];
  kept[k] = new;
  return n;
}

/* The distances that most of the places lo .. hi - 1 vote for. */
static int find_periods(RepeatSearch *s, int lo, int hi, Period *kept) {
  int n = 0;
  for (int i = lo; i < hi; i++)
    for (int j = s->next[i], hop = 0; j >= 0 && j < hi && hop < MOST_HOPS; j = s->next[j], hop++)
      s->vote[j - i]++;
  for (int i = lo; i < hi; i++)
    for (int j = s->next[i], hop = 0; j >= 0 && j < hi && hop < MOST_HOPS; j = s->next[j], hop++) {
      if (s->vote[j - i]) n = keep_period(kept, n, (Period){j - i, s->vote[j - i]});
      s->vote[j - i] = 0;
    }
  return n;
}

/* The best stretch of places that are each like the one `distance` later. */
static Repeat best_at(const RepeatSearch *s, int lo, int hi, int distance) {
  Repeat best = {0};
  for (int i = lo, alike = 0; i + distance < hi; i++) {
    alike = s->key[i] == s->key[i + distance] ? alike + 1 : 0;
    int count = alike / distance + 1;
    Repeat r = {i + 1 - alike, distance, count};
    if (count > 1 && (best.count == 0 || better(&r, &best))) best = r;
  }
  return best;
}

static void find(RepeatSearch *s, int lo, int hi) {
  Period period[MOST_PERIODS];
  Repeat best = {0};
  int n = s->out->n < MOST_REPEATS ? find_periods(s, lo, hi, period) : 0;
  for (int i = 0; i < n; i++) {
    Repeat r = best_at(s, lo, hi, period[i].distance);
    if (r.count && (best.count == 0 || better(&r, &best))) best = r;
  }
  if (best.count == 0 || saved(&best) < s->least) return;
  find(s, lo, best.first);
  vec_push(s->arena, s->out, best);
  find(s, best.first + best.period * best.count, hi);
}

void repeat_find(Arena *a, const int *key, int n, int least, EntryRepeats *out) {
  RepeatSearch s = {.arena = a, .key = key, .least = least, .out = out};
  if (n < 2) return;
  s.next = arena_array(a, int, n);
  s.vote = arena_array(a, int, n);
  int *last = arena_array(a, int, n); /* by key: 1 + its nearest place to the right */
  for (int i = n - 1; i >= 0; i--) {
    s.next[i] = last[key[i]] - 1;
    last[key[i]] = i + 1;
  }
  find(&s, 0, n);
}
