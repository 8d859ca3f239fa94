/* places.c: see places.h. */
#include "places.h"
#include <stdlib.h>

int places_deputy(const Places *p, int place, int member) {
  return p->member[p->first[place] + p->seat[member] % places_near(p, place)];
}

/* Numbers places, and counts the members of each in first[place + 1]. */
static void number(Places *p, const int *where) {
  for (int i = 0; i < p->n; i++) {
    int k = 0; /* of runs in a row the one before is asked first */
    if (i && where[i] == where[i - 1])
      k = p->place[i - 1];
    else
      while (k < p->count && where[p->member[k]] != where[i]) k++;
    if (k == p->count) p->member[p->count++] = i; /* its first; `member` is made after this */
    p->place[i] = k;
    p->seat[i] = p->first[k + 1]++;
  }
}

Places *places_new(int n, const int *where, bool fast) {
  const size_t m = (size_t)n, ints = 5 * m + 2;
  Places *p = calloc(1, sizeof *p + m * sizeof(SumNode) + ints * sizeof(int));
  if (!p) return NULL;
  p->n = n;
  p->fast = fast;
  p->node = (SumNode *)(void *)(p + 1);
  p->place = (int *)(void *)(p->node + m);
  p->seat = p->place + m;
  p->member = p->seat + m;
  p->first = p->member + m;
  p->subtree = p->first + m + 1;
  number(p, where);
  for (int k = 0; k < p->count; k++) p->first[k + 1] += p->first[k];
  for (int i = 0; i < n; i++) p->member[p->first[p->place[i]] + p->seat[i]] = i;
  for (int k = 0; k < p->count; k++) {
    SumNode *node = p->node + p->subtree[k];
    int nodes = 1;
    if (fast)
      *node = (SumNode){0, k};
    else
      nodes = sum_tree_nodes(p->member + p->first[k], places_near(p, k), n, node);
    p->subtree[k + 1] = p->subtree[k] + nodes;
  }
  return p;
}

void places_free(Places *p) { free(p); }

PlacesShape places_shape(const Places *p) {
  PlacesShape s = {.places = p->count, .fewest = p->n};
  for (int k = 0; k < p->count; k++) {
    const int64_t near = places_near(p, k), subtrees = places_subtrees(p, k);
    const int64_t outside = p->subtree[p->count] - subtrees;
    int64_t deputy = 0;
    for (int other = 0; other < p->count; other++)
      if (other != k) deputy += (places_near(p, other) + near - 1) / near;
    if (near > s.near) s.near = near;
    if (near < s.fewest) s.fewest = near;
    if (subtrees > s.subtrees) s.subtrees = subtrees;
    if (outside > s.outside) s.outside = outside;
    if (deputy > s.deputy) s.deputy = deputy;
  }
  return s;
}

/* Whether members that are of one place in `where` are so in `other`. */
static bool together(int n, const int *where, const int *other) {
  for (int i = 0, first = 0; i < n; i++) {
    if (!i || where[i] != where[i - 1])
      for (first = 0; where[first] != where[i]; first++) continue;
    if (other[i] != other[first]) return false;
  }
  return true;
}

bool places_alike(int n, const int *where, const int *other) {
  return together(n, where, other) && together(n, other, where);
}

/* Subtrees of the row of leaves [at, at + near) of n. */
static int64_t row_subtrees(int64_t at, int64_t near, int64_t n) {
  int64_t count = 0, end = at + near;
  for (; at < end; count++) {
    int64_t size = 1;
    while (at % (2 * size) == 0 && (at + 2 * size <= end || end == n) && size < n) size *= 2;
    at += size;
  }
  return count;
}

PlacesShape places_regular(int64_t n, int64_t near, bool fast) {
  const int64_t places = n / near;
  PlacesShape s = {
      .places = places, .near = near, .fewest = near, .subtrees = 1, .deputy = places - 1};
  if ((near & (near - 1)) == 0 || places == 1 || fast) {
    s.outside = places - 1;
    return s;
  }
  int64_t all = 0, fewest = near;
  for (int64_t k = 0; k < places; k++) {
    const int64_t subtrees = row_subtrees(k * near, near, n);
    all += subtrees;
    if (subtrees > s.subtrees) s.subtrees = subtrees;
    if (subtrees < fewest) fewest = subtrees;
  }
  s.outside = all - fewest;
  return s;
}
