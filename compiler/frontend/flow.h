/* Inside of flow.c, flow_stmt.c, flow_rows.c: regions of an entry while their bodies are built. */
#ifndef DTG_FLOW_H
#define DTG_FLOW_H
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

/* What numbers that the first run leaves numbers are carried as; 0: as f32 and i64 (adopt.c). */
typedef struct NumberTypes {
  DType real, whole;
} NumberTypes;

struct OpenRegion {
  OpenRegion *up;
  int index;      /* among the entry's */
  const Frame *frame;
  bool returns;   /* its body does, which was reported */
  NodeId counter; /* of a loop: the carry that tells its runs apart; NO_NODE: none yet */
  bool counts;    /* the counter is carried for that alone, and moved on at the end */
  VEC(RegionVar) vars;
  const NameScope *body; /* NULL: of a branch that is written as one */
  bool rest;             /* a branch: what follows a jump in the body around it */
  NodeId told; /* the carry of the token of what is told; NO_NODE: nothing is told in it */
  bool peels;  /* its first run alone is built, of the numbers that it begins with (adopt.c) */
  NumberTypes types;
  bool rows;  /* it draws the rows of a stack: its runs are no steps */
  NodeId run; /* of a loop that runs at most so often: which run this is, from 0; else NO_NODE */
  VEC(Collected) collected;
};

/* A name that the body binds. */
typedef struct Carried {
  Ident name;
  Span before; /* where it was bound */
  Value first;
  uint64_t key; /* of its numbers (adopt.c); 0: they are i64, f32 and bool */
  Value inside; /* with carries in place of tensors and numbers */
} Carried;
typedef VEC(Carried) CarriedVec;

static inline Arg tensor_arg(NodeId id) { return (Arg){.kind = ARG_TENSOR, .node = id}; }
static inline Arg int_arg(int64_t i) { return (Arg){.kind = ARG_INT, .i = i, .real = (double)i}; }

Region *flow_region(Elab *e, const OpenRegion *r);
NodeId flow_operate(Elab *e, const char *sign, Arg x, Arg y);
NodeId flow_zeros(Elab *e, DType t, int rank, const int64_t *dim, Span at);
bool flow_misplaced(Elab *e, const Stmt *s, Where where, const char *what);
/* As `bind` names what it binds. */
void flow_name(Elab *e, Where where, const char *name, NodeId id);

void flow_be_in(Elab *e, OpenRegion *r);
OpenRegion *flow_open(Elab *e, RegionKind kind, Span at);
NodeId flow_carry(Elab *e, OpenRegion *r, NodeId init, const char *name, Span at);
Carry *flow_carry_of(Elab *e, const OpenRegion *r, NodeId node);
/* The value that a run of the body begins with. */
Value flow_carry_value(Elab *e, OpenRegion *r, Value v, Ident name, Where where, uint64_t key);
/* The number of its run, from 0. */
NodeId flow_counter(Elab *e, OpenRegion *r);
/* What the loop itself binds in its body is bound there by now. */
void flow_names(Elab *e, OpenRegion *r, NameScope *in, const StmtVec *body, Where where,
                CarriedVec *out);
void flow_body(Elab *e, NameScope *in, const StmtVec *body, Where where);
void flow_close(Elab *e, OpenRegion *r, NameScope *in, const CarriedVec *carried, Where where);

/* -------- adopt.c -------- */

/* A region to be built. */
typedef struct Running {
  const Stmt *stmt;
  Where where;
  const StmtVec *body;
  NodeId condition;
  const Jumps *jumps; /* a turn of a `for` */
  Value step;
  bool peels;
  NumberTypes types;
} Running;
typedef void RunFn(Elab *e, NameScope *s, const Running *x);
/* Runs it, perhaps with numbers that take other types than i64, f32 and bool. */
void adopt_run(Elab *e, NameScope *s, const Running *x, RunFn *run);
uint64_t adopt_key(const Elab *e, Span region, const char *name);
uint64_t adopt_item(uint64_t key, int i); /* of item i of a list */
bool adopt_is_number(const Value *v);
/* As what the number begins; NO_NODE: as by itself. */
NodeId adopt_first(Elab *e, NumberTypes types, const Value *v, uint64_t key, Span at);
/* The type of the numbers of a `repeat` from number to number. */
DType adopt_counter(Elab *e, const Running *x, int64_t from, int64_t to);
/* The first run made `to` of the number. */
void adopt_found(Elab *e, const Value *number, const Value *to, uint64_t key);

/* -------- jumps.c -------- */

/* In the loop: no `break` was met; and so is the condition. */
NodeId jumps_none(Elab *e, const NameScope *in, const Jumps *j);
NodeId jumps_and(Elab *e, const NameScope *in, const Jumps *j, NodeId condition);

/* A carry that each run puts its row into, at `run`. */
NodeId flow_collect(Elab *e, OpenRegion *r, NodeId run, NodeId row, Ident name);
/* The row that this run leaves of what is collected by that name. */
void flow_leave(Elab *e, OpenRegion *r, NodeId row, Ident name, Where where);

#endif
