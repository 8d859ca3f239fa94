/* Groups of steps that run strip by strip: strip_group.c says what can be in one and in which order
 * steps stand then; strip.c begins them and writes them out. */
#ifndef DTG_STRIP_GROUP_H
#define DTG_STRIP_GROUP_H
#include "depend.h"
#include "strip.h"

enum { LOOK_BACK = 96 /* steps */ };

typedef struct Group {
  LoopMap map;
  int nloops;
  IntVec member;     /* steps, in order */
  VEC(NodeId) again; /* nodes of earlier groups that are made anew */
  VEC(bool) after;   /* by step from the first on: it reads what the group makes */
  bool closed;
  bool rows;    /* it began at a loop, not at a product: see rows.c */
  int epilogue; /* of its first member: leading dims of the result that are its rows; 0: it is none
                 */
} Group;

typedef struct Strips {
  Plan *plan;
  LocalEntry *le;
  Depend d;
  int *group_of;                 /* by step, or -1 */
  int *place;                    /* by step: where it stands in `order` */
  IntVec order;                  /* of steps */
  bool *is_late, *is_late_group; /* false, but within group_gather */
  bool *is_inner;                /* by node */
  IntVec *wanted;                /* by node: groups that make anew what reads it */
  VEC(Group *) groups;
  /* Operations, and values: of the entry's steps, and of what strips make anew. */
  double work, again;
  int values, repeats;
  int64_t budget;    /* bytes that one strip makes, half of L2; smaller values are left */
  int64_t far;       /* bytes that no cache holds: worth packing an operand again for each strip */
  int64_t row_strip; /* bytes that a strip of rows reads and makes: a part of L2, so that much of
                        what else it touches stays there too */
  int64_t least_epilogue; /* bytes of a kernel's result that is worth one: it would not stay in L2
                             until a loop after it reads it */
} Strips;

int64_t strips_bytes(const Strips *s, NodeId id);       /* of its block */
int64_t strips_rows(const Strips *s, const Group *g);   /* of all its loops */
int64_t strips_most(const Strips *s, NodeId id, int d); /* elements of the largest block of a dim */

/* Begins a group of step k, with a loop for each dim of node `over`; false: it cannot run so.
 * `rows`: its outermost loop has to stay, so that strips are rows, not columns. */
bool group_begin(Strips *s, int k, NodeId over, bool rows);
/* Begins a group of a kernel, whose result's leading `dims` are rows, for what can run upon them.
 */
int group_begin_epilogue(Strips *s, int k, int dims);
/* Takes step k into a group if it can run in its loops, perhaps with fewer of them. `gathers`: only
 * if the members can stand side by side then. */
bool group_join(Strips *s, int index, int k, bool gathers);
void group_dissolve(Strips *s, int index);
/* All members can run in the loops that are left. What a reduction cannot add up strip by strip is
 * no loop. */
bool group_fits(const Strips *s, Group *g);
/* Puts the members side by side: what stands between them goes before where it can, else after.
 * False: one of them needs what must come after; nothing is moved then. */
bool group_gather(Strips *s, int index);
bool group_gathers(const Strips *s, int index); /* it would */
/* Notes whether step k, between members, has to come after the group; asked of a later one. */
void group_note_after(Strips *s, Group *g, int index, int k);
bool group_reads_after(const Strips *s, const Group *g, int k);

/* Groups that begin at large kernels: what can run upon their rows as soon as they are final. */
void epilogues_find(Strips *s);
/* Rows are one loop, and what is known of the members allows that. */
bool epilogue_fits(const Strips *s, const Group *g);

/* Groups that begin at loops, of steps that are in no group yet. */
void rows_find(Strips *s);
int64_t rows_fit(const Strips *s, const Group *g,
                 const int64_t *most); /* turns that make a strip */
/* Bytes of a node's part in a strip of `most` elements along each loop. */
int64_t strips_part(const Strips *s, const Group *g, NodeId id, const int64_t *most);
/* strip_cost.c: products in tiles of `most` elements along each loop take no longer than products
 * of the whole and the memory traffic that tiles save. */
bool strips_pay(const Strips *s, const Group *g, const int64_t *most);

#endif
