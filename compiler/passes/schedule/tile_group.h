/* Groups of steps that share tile loops: which steps can join, and in which order they then run. */
#ifndef DTG_TILE_GROUP_H
#define DTG_TILE_GROUP_H
#include "depend.h"
#include "loop_map.h"

typedef struct Group {
  LoopMap map;
  int nloops;
  IntVec member;   /* steps, in order */
  NodeVec again;   /* recomputed nodes of earlier groups */
  VEC(bool) after; /* by step from the first on: it reads what the group makes */
  bool closed;
  bool rows;    /* it began at a loop, not at a product: see tile_rows.c */
  int epilogue; /* of its first member: leading dims of the result that are its rows; 0: it is none
                 */
} Group;

typedef struct Tiling Tiling;
struct Tiling {
  Plan *plan;
  LocalEntry *le;
  Depend d;
  int *group_of;                 /* by step, or -1 */
  int *place;                    /* by step: where it stands in `order` */
  IntVec order;                  /* of steps */
  bool *is_late, *is_late_group; /* false, but within group_gather */
  bool *is_inner;                /* by node */
  double *share;                 /* by node: the least part of it that a mask leaves */
  bool *spread;                  /* by node: it is broadcast along different dims */
  IntVec *wanted;                /* by node: groups that recompute its readers */
  int64_t *moved;                /* by node: of rows_fit, which writes before it reads */
  VEC(Group *) groups;
  /* Operations, and values: of the entry's steps, and recomputed in tiles. */
  double work, again;
  int values, repeats;
  int64_t budget;   /* bytes that one tile makes, half of L2; smaller values are left */
  int64_t far;      /* bytes that no cache holds: worth packing an operand again for each tile */
  int64_t row_tile; /* bytes that a tile of rows reads and makes: a part of L2, so that much of
                        what else it touches stays there too */
  int64_t least_epilogue; /* bytes of a kernel's result that is worth one: it would not stay in L2
                             until a loop after it reads it */
  bool (*may_stay)(const Tiling *s, int index, int k); /* tiling_may_stay */
};

int64_t tiling_bytes(const Tiling *s, NodeId id);       /* of its block */
int64_t tiling_most(const Tiling *s, NodeId id, int d); /* elements of the largest block of a dim */

/* Begins a group of step k, with a loop for each dim of node `over`; false: it cannot run so.
 * `rows`: its outermost loop has to stay, so that tiles are rows, not columns. */
bool group_begin(Tiling *s, int k, NodeId over, bool rows);
/* Begins a group of a kernel, whose result's leading `dims` are rows, for what can run upon them.
 */
int group_begin_epilogue(Tiling *s, int k, int dims);
/* Takes step k into a group if it can run in its loops, perhaps with fewer of them. `gathers`: only
 * if the members can stand side by side then. */
bool group_join(Tiling *s, int index, int k, bool gathers);
void group_dissolve(Tiling *s, int index);
/* All members can run in the loops that are left. What a reduction cannot add up tile by tile is
 * no loop. */
bool group_fits(const Tiling *s, Group *g);
/* Puts the members side by side: what stands between them goes before where it can, else after.
 * False: one of them needs what must come after; nothing is moved then. */
bool group_gather(Tiling *s, int index);
bool group_gathers(const Tiling *s, int index); /* it would */
/* Records whether step k, between members, has to come after the group. */
void group_note_after(Tiling *s, Group *g, int index, int k);
bool group_reads_after(const Tiling *s, const Group *g, int k);

/* Groups that begin at large kernels: what can run upon their rows as soon as they are final. */
void epilogues_find(Tiling *s);

/* Groups that begin at loops, of steps that are in no group yet. */
void rows_find(Tiling *s);
/* Turns that read and make so many bytes. */
int64_t rows_fit(const Tiling *s, const Group *g, const int64_t *most, int64_t budget);
/* Bytes of a node's part in a tile of `most` elements along each loop. */
int64_t tiling_part(const Tiling *s, const Group *g, NodeId id, const int64_t *most);
/* tile_cost.c: products in tiles of `most` elements along each loop take no longer than products
 * of the whole and the memory traffic that tiles save. */
bool tiling_pay(const Tiling *s, const Group *g, const int64_t *most);
/* Step k, a member for now, may stay one: a product that shares operands alone with the others
 * takes no longer in their tiles than whole. */
bool tiling_may_stay(const Tiling *s, int index, int k);
/* tile_size.c: the elements of a tile along each loop; loops that it holds whole are taken off the
 * group. */
void tiling_sizes(const Tiling *s, Group *g, int64_t *most);
/* Reductions of the group, as it was before, go row-major through such tiles. */
bool tiling_keeps_sums(const Tiling *s, const Group *g, const int64_t *most);

/* tile_units.c: whether cores can have turns of the loop each though sums go on from turn to turn.
 * Sets Tiles.unit, and makes tiles no larger than lines of sums allow. */
void tile_units(const Tiling *s, Tiles *tile);

#endif
