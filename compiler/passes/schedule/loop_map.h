/* Loops over dims that several steps share: which dim of each node a loop runs over, derived from
 * the ops' equations. */
#ifndef DTG_LOOP_MAP_H
#define DTG_LOOP_MAP_H
#include "schedule_passes.h"

typedef struct LoopDims {
  NodeId node;
  int8_t loop[MAX_RANK]; /* by dim: a loop, or NO_LOOP */
} LoopDims;

/* A stored value that is read beyond a tile's part of it along these loops: `x[:-1] + x[1:]`. */
typedef struct LoopsBeyond {
  NodeId node;
  uint32_t loops;
} LoopsBeyond;

/* What is known of nodes; a trial's knowledge is laid over the group's. */
typedef struct LoopMap {
  Arena *arena;
  const LocalEntry *le;
  bool shifts;   /* elements of tiles beside may be read of what these loops do not make */
  const bool *spread; /* by node: it is broadcast along different dims */
  uint32_t live; /* the loops that are left */
  struct {
    NodeId node;
    int dim;
  } ref[MAX_TILE_LOOPS]; /* a dim of each loop: the others must have its layout */
  VEC(LoopDims) known;
  Lookup at; /* 1 + the place in known, by address of the node */
  VEC(LoopsBeyond) beyond;
  NodeVec whole; /* stored values of which some use that is no shift sees all */
} LoopMap;

/* How much a map knows. */
typedef struct LoopsKnown {
  uint32_t live;
  int known, beyond, whole;
} LoopsKnown;

LoopDims loop_dims_none(NodeId id); /* no loop runs over it */
LoopDims *loop_map_find(const LoopMap *m, NodeId id); /* NULL: nothing is known */
void loop_map_put(LoopMap *m, const LoopDims *d);
static inline bool loop_map_lives(const LoopMap *m, int loop) {
  return loop != NO_LOOP && m->live >> loop & 1;
}
/* The live loops that run over dims of it; d may be NULL: none do. */
uint32_t loop_map_loops(const LoopMap *m, const LoopDims *d);
static inline bool loop_map_any(const LoopMap *m, const LoopDims *d) {
  return loop_map_loops(m, d) != 0;
}
bool loop_map_beyond(const LoopMap *m, NodeId id);      /* it is read beyond tiles of live loops */
/* Adds what a trial has found; false, and nothing is: a node that is read whole would have tiles.
 */
bool loop_map_add(LoopMap *m, const LoopMap *fresh);
LoopsKnown loop_map_mark(const LoopMap *m);
void loop_map_return(LoopMap *m, LoopsKnown to); /* forgets what was added since */

/* Finds the loops of all nodes that a step computes, from those of what it reads that are in m;
 * what is new is added to `fresh`. False: the step cannot run in these loops. *used: the loops that
 * it takes part in. */
bool loop_map_step(LoopMap *m, const Step *s, LoopMap *fresh, uint32_t *used);
/* The loops that a reduction or product sums over. */
uint32_t loop_map_summed(const LoopMap *m, NodeId id);

#endif
