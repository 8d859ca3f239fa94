/* The regions that are open while a body is executed (flow.c), and what they carry (flow_carry.c):
 * values of before, the number of a run, the order of what is told. */
#pragma once
#include "elaborate.h"

/* A variable of the program in a region: its value before, and the carry. */
typedef struct RegionVar {
  int var, carry;
  NodeId before;
} RegionVar;

/* What the runs of a loop leave, one row each. */
typedef struct Collected {
  Ident name;
  NodeId carry;
} Collected;

struct OpenRegion {
  OpenRegion *up;
  int index;      /* among the entry's */
  NodeId counter; /* of a loop: the carry that tells its runs apart; NO_NODE: none yet */
  bool counts;    /* the counter is carried for that alone, and moved on at the end */
  VEC(RegionVar) vars;
  const NameScope *body;
  NodeId told; /* the carry of the token of what is told; NO_NODE: nothing is told in it */
  NodeId run; /* of a loop whose number of runs is known: which one this is, from 0; else NO_NODE */
  VEC(Collected) collected;
};

Region *region_at(Elab *e, const OpenRegion *r);
OpenRegion *region_open(Elab *e, RegionKind kind, Span at);
/* NO_NODE for one. The name may be NULL. */
NodeId region_add_carry(Elab *e, OpenRegion *r, NodeId init, const char *name, Span at);
Carry *region_carry_of(Elab *e, const OpenRegion *r, NodeId node);
/* The value of a carry behind its region. */
NodeId region_after(Elab *e, NodeId carry);
/* The carry that tells the runs of a loop apart. */
NodeId region_counter(Elab *e, OpenRegion *r);
/* At the end of the body. */
void region_close_vars(Elab *e, const OpenRegion *r);
void region_close_counter(Elab *e, OpenRegion *r);
void region_close_told(Elab *e, OpenRegion *r);

NodeId region_operate(Elab *e, const char *sign, Arg x, Arg y);
static inline Arg tensor_arg(NodeId id) { return (Arg){.kind = ARG_TENSOR, .node = id}; }
static inline Arg int_arg(int64_t i) { return (Arg){.kind = ARG_INT, .i = i, .real = (double)i}; }
