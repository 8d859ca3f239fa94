/* From a plan's steps to the statements of its entries (ir/loop.h), shared by the files that build
 * one kind of them each: entry_build.c (steps, memory, exchanges), tile_nest.c (tiles and
 * epilogues), product.c, kernels.c (calls of kernels), repeated.c (blocks of steps that repeat). */
#ifndef DTG_ENTRY_BUILD_H
#define DTG_ENTRY_BUILD_H
#include "loop_build.h"

typedef struct Sharing Sharing;
typedef struct EntryBuild {
  Loop *l; /* of statements and integers of the entry; its tile is the one that is built */
  LoopEntry *en;
  LoopProgram *program;
  Names *names;
  Lookup *unit_at; /* 1 + the number, by interned key */
  Lookup view_at;  /* 1 + the place, by interned key */
  const int *region;       /* by node of the entry: regions_find; NULL: there are none */
  const bool *stays;       /* by region: entry_products_stay */
  VEC(LoopFunction) joins; /* of what the epilogue that is built adds up, when its kernel is done */
  Sharing *sharing;        /* NULL: devices share no variables */
  LoopNumbers *numbers;    /* of the program's functions */
  Arena *functions; /* of loop functions; what is made of one that equals an earlier one goes ... */
  bool whole;       /* ... unless all stay as they are */
} EntryBuild;

/* -------- memory -------- */

/* The address of a view, which is there once. */
Expr entry_view(EntryBuild *b, const LoopView *v);
/* The address of a node's first element, or of the tile's. */
Expr entry_place(EntryBuild *b, NodeId id);
/* Of a part of `of`, which no tile makes: so many elements from its first. */
Expr entry_part(EntryBuild *b, NodeId part, NodeId of, Expr begin);
/* The value of a stored scalar, an integer: a position in a dim of `size`, with `reach` elements
 * behind it. */
Expr entry_position(EntryBuild *b, NodeId id, int64_t reach, int64_t size);
/* The integer at an address and `more`, between 0 and size. */
Expr entry_filled(EntryBuild *b, DType t, Expr address, int64_t more, Expr size);
bool entry_has_memory(const EntryBuild *b); /* `memory` has run */
/* The memory as it is, without tiles. */
Expr entry_whole(EntryBuild *b, NodeId id);
/* Of a reduction's partial results (sum_scratch), for the tile that is built. */
Expr entry_partial(EntryBuild *b, NodeId id, DType t);
/* `elements` of t after an address. */
Expr entry_after(EntryBuild *b, DType t, Expr address, Expr elements);
Expr entry_list(EntryBuild *b, const char *name, int n, const Expr *arg);
/* What strides the dims of n have in memory, in elements. */
void entry_strides(EntryBuild *b, const Node *n, Expr *stride);

/* -------- variables that devices share: meet.c -------- */

LoopSpace shared_space(const EntryBuild *b, int buffer);
void shared_begin(EntryBuild *b);
/* Before a step, whose statements then come between open and close, a region, a copy; behind all.
 * What is returned is for open. */
int shared_step(EntryBuild *b, const Step *s);
int shared_copy(EntryBuild *b, const Copy *c);
void shared_open(EntryBuild *b, int shared);
void shared_close(EntryBuild *b, int shared);
void shared_region(EntryBuild *b, int region);
void shared_region_end(EntryBuild *b);
void shared_end(EntryBuild *b);

/* -------- statements -------- */

/* The call, as an expression, of a function that was built since `before`, of b->functions. */
Expr entry_run(EntryBuild *b, const LoopFunction *f, ArenaMark before);
LoopSite entry_site(const EntryBuild *b); /* where the statement that is built stands */
/* The call of a loop for a node. */
typedef void LoopBuilder(const LoopSite *s, NodeId id, LoopFunction *out);
void entry_loop(EntryBuild *b, LoopBuilder *build, NodeId id);
/* The number of what has that key; what is new is `unit`. */
int entry_unit(EntryBuild *b, const char *kind, const Str *key, LoopUnit unit);
/* The calls of a step; `epilogue`: of the kernel that it is, NULL. */
void entry_step(EntryBuild *b, const Step *s);
/* A map and the reduction behind it as one loop. False: they are two. */
bool entry_storing(EntryBuild *b, const Step *made, const Step *reduce);
void entry_tiles(EntryBuild *b, const Step *s);
/* The epilogue as the last argument of its kernel. */
Expr entry_rows(EntryBuild *b, const Tiles *s);
/* What a tile's rows have outside of the band, to be 0 (band.c). */
void entry_clear(EntryBuild *b, const Node *n, Expr place, const Expr *stride);
/* Calls of kernels; true: it took the epilogue along, which may be NULL. */
bool entry_product(EntryBuild *b, NodeId id, const Tiles *epilogue);
/* By region: products of the loop, those of loops within left out, read a matrix that it does not
 * change. */
bool *entry_products_stay(const EntryBuild *b);
bool entry_convolution(EntryBuild *b, NodeId id, const Tiles *epilogue);
void entry_sort(EntryBuild *b, NodeId id);
void entry_tell(EntryBuild *b, NodeId id);
void entry_matrix(EntryBuild *b, NodeId id);
/* Blocks of steps that save at least so many become one STMT_REPEAT each. */
void entry_repeats(EntryBuild *b, int least);

#endif
