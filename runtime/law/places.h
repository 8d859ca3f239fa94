/* places.h: which members of a group read each other's memory, and what that means for an exchange:
 * the one place that says who sends what to whom.
 *
 * A place is the memory of a host (or of a process, where hosts share none). Law: what a place has
 * for a member elsewhere one of its own sends, the deputy; what a member elsewhere has for a place
 * its deputy takes. It is the deputy of the same seat, so that all are as often one. */
#ifndef DTG_RUNTIME_PLACES_H
#define DTG_RUNTIME_PLACES_H
#include <stdbool.h>
#include <stdint.h>
#include "sum_tree.h"

typedef struct Places {
  int n, count;  /* members of the group; places */
  int *place;    /* [n] of a member, numbered in the order of their first members */
  int *seat;     /* [n] its number among those of its place */
  int *first;    /* [count + 1] into `member`: those of a place are [first, next first) */
  int *member;   /* [n] */
  int *subtree;  /* [count + 1] into `node`, likewise */
  SumNode *node; /* [n] the largest subtrees that each place holds (sum_tree.h) */
  bool fast;     /* --sums=fast: a place has one sum, which is leaf `place` of the tree */
} Places;

/* What prices depend on: the same for all members of a group. */
typedef struct PlacesShape {
  int64_t places;
  int64_t near;     /* members of the largest place ... */
  int64_t fewest;   /* ... and of the smallest */
  int64_t subtrees; /* of a place, at most */
  int64_t outside;  /* subtrees of all places but one, at most */
  int64_t deputy;   /* members elsewhere that one is deputy for, at most */
} PlacesShape;

/* where: [n] the memory of each, by any numbers. NULL when out of memory. */
Places *places_new(int n, const int *where, bool fast);
void places_free(Places *p);
/* The member of a place that acts for a member elsewhere. */
int places_deputy(const Places *p, int place, int member);
static inline int places_near(const Places *p, int place) {
  return p->first[place + 1] - p->first[place];
}
static inline int places_subtrees(const Places *p, int place) {
  return p->subtree[place + 1] - p->subtree[place];
}
PlacesShape places_shape(const Places *p);
/* Of a group of n in places of `near` in a row. */
PlacesShape places_regular(int64_t n, int64_t near, bool fast);
/* How many leaves of a place from member[0] on are in its node. */
static inline int places_leaves(const Places *p, SumNode node, const int *member, int n) {
  return p->fast ? n : sum_tree_leaves(node, member, n);
}
/* Whether the members of two groups of n are shared out among places alike, member by member. Only
 * where this is so of all groups along some axes --sums=fast gives all of them the same bits. */
bool places_alike(int n, const int *where, const int *other);

#endif
