/* What the files of `memory` share: the values of an entry, from which step to which each lives,
 * and the buffers they are given. */
#ifndef DTG_LIVES_H
#define DTG_LIVES_H
#include "depend.h"
#include "schedule_passes.h"

/* The end of a region reads a value: a carry becomes it, or it is the condition. */
typedef struct RegionWant {
  int region;
  bool condition;
  int next; /* 1 + that of the same value; 0: none */
} RegionWant;

typedef struct EntryMemory {
  Plan *plan;
  LocalEntry *le;
  int nsteps;
  int *last_read; /* by base node: -1 never, nsteps: at the end */
  int *made_at;
  IntVec *remade; /* by node: the other steps that make it, in tiles */
  int *done_at; /* the same, or where the wait for an exchange in flight is */
  Depend d;
  int *var_buffer;  /* by variable: index, or -1 */
  RegionSpan *span; /* by region */
  int *region_at;   /* by step: the innermost region that it is of, or NO_REGION */
  NodeId *next_of;  /* by node: the carry in whose place it is made, or NO_NODE */
  int *wanted;      /* by base node: 1 + the place in `wants`; 0: none */
  VEC(RegionWant) wants;
} EntryMemory;

/* -------- lives.c -------- */

/* Buffers: a place in the arena for so many bytes of a node, from step `first` to step `last`; a
 * variable's; and a place for what buffer `like` holds, after the last step. */
int buffer_add(EntryMemory *m, NodeId id, int64_t bytes, int first, int last);
int buffer_of_variable(EntryMemory *m, int var);
int buffer_at_end(EntryMemory *m, NodeId id, int like);

void lives_find(EntryMemory *m);
void lives_read(EntryMemory *m, NodeId base, int step);
bool lives_region(const EntryMemory *m, int region); /* something needs it */
int lives_last(const EntryMemory *m,
               int region); /* its last step; without steps the one before */
/* What a carry becomes at the end of a run. */
NodeId lives_next(const EntryMemory *m, int region, int carry);
/* Step t runs again, in a region that the value comes from outside of: it is wanted then. */
bool lives_again(const EntryMemory *m, NodeId id, int t);
/* The end of a region reads it behind step t, in region `within` (NO_REGION: of any) and before its
 * end. A region without steps of its own reads its condition there, too. */
bool lives_behind(const EntryMemory *m, NodeId id, int t, int within);
/* Step t is one of the region's body and of no region within it. */
bool lives_in_body(const EntryMemory *m, int region, int t);

/* The values in whose places node `id` could be made: of a map, what it reads; of a map in tiles,
 * the parts that it is the last in the tile to read, in all steps that make it. A kernel reads its
 * operands as long as it runs. */
Reads lives_over(const EntryMemory *m, NodeId id);
/* A tile alone has it, and every tile that reads it makes it. */
bool lives_in_tile(const EntryMemory *m, NodeId id);
bool reads_aligned(const Reads *r, NodeId id); /* ... at the same index */
/* The value that node `id` is made of but for a window, or that it begins with as a carry;
 * NO_NODE: it is another kind of node. */
NodeId lives_made_of(const LocalEntry *le, NodeId id);
/* Value `id`, of which `later` is made in another's place, may be made there, too: nothing reads it
 * after that, or then but at the same index. */
bool lives_passes(const EntryMemory *m, NodeId id, NodeId later);
/* The node may be made in the variable's place: the old value is read no later than where it is
 * made, and there only at the same index. */
bool lives_in_variable(const EntryMemory *m, NodeId base, int var);

/* -------- carry_place.c -------- */

/* Sets next_of. */
void carry_place_find(EntryMemory *m);
/* The carry of a loop gets its next value from memory of its own, or that of a loop within does. */
bool carry_place_elsewhere(const EntryMemory *m, NodeId carry);
/* What a carry becomes is in buffer b, and is read when the run of the region is over that step t
 * is of. */
bool carry_place_left(const EntryMemory *m, int b, int t);

/* -------- row_place.c -------- */

/* Sets le->over_rows, and next_of of the carries there. */
void row_place_find(EntryMemory *m);

/* -------- rotation.c -------- */

/* Runs of a loop may go over to other memory with pointers, where nobody looks for values at their
 * places: whether that is less than to copy `bytes` is asked for each of them. */
bool rotation_pays(const EntryMemory *m, int region, int64_t bytes);
void rotation_place(EntryMemory *m, int region);

/* -------- variable_place.c -------- */

/* New values in their variables' places, or copies at the end. */
void variable_place(EntryMemory *m);

/* -------- output_place.c -------- */

/* Sets Buffer.output. */
void output_place(EntryMemory *m);

/* -------- share.c -------- */

/* Makes the new value of a variable that is shared in its place, with all that its step makes, or
 * nothing. */
bool share_place(EntryMemory *m, NodeId base);
/* With others it would take a place of its own and a copy: so it is not shared, or, where the
 * program that this one is a variant of has it shared, has those. */
void share_set_apart(EntryMemory *m, int var);
void share_check(EntryMemory *m);
void share_spread(Plan *p);

#endif
