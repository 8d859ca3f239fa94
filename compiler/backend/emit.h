/* Shared by the parts of the C writer: emit_c.c (tables and entries), emit_loop.c (loop nests),
 * emit_value.c (expressions) and emit_contract.c (products). */
#ifndef DTG_EMIT_H
#define DTG_EMIT_H
#include "emit_c.h"

/* A loop function already written: its text without names decides whether another is the same. */
typedef struct LoopText {
  const char *key, *name;
} LoopText;

typedef struct Table {
  const char *text, *name;
} Table;

typedef struct Emit {
  Arena *arena;
  const Plan *plan;
  const Program *program;
  const Mesh *mesh;
  const EmitOptions *options;
  Str tables, loops, entries;
  Names *names;
  VEC(LoopText) loop;
  VEC(Table) dims, layouts;          /* written once each, by text */
  Lookup loop_at, dim_at, layout_at; /* 1 + the place in those, by interned text */
  VEC(const char *) exchange_names;
  /* the entry being written */
  const LocalEntry *le;
  Str head, body;             /* head: extents and offsets; body: steps */
  VEC(Table) extents;         /* by defining text */
  VEC(const char *) pointers; /* by buffer and shape: names already declared, see emit_pointer */
  Lookup extent_at;           /* 1 + the place in extents, by interned text */
  Lookup pointer_at;          /* 1 + the place of the name in pointers, by interned key */
  Lookup used;                /* identifiers of the entry, interned: the next number for another */
} Emit;

/* What a table holds under that text; 0: nothing. */
int emit_find(Emit *e, const Lookup *table, const char *text);
void emit_keep(Emit *e, Lookup *table, const char *text, int value);

/* Block extent and global offset of a dim, as C usable in the entry: a number where all devices
 * agree. */
const char *emit_extent(Emit *e, const DimLayout *d, int64_t n);
const char *emit_offset(Emit *e, const DimLayout *d, int64_t n);
bool is_number(const char *text, int64_t v);
const char *emit_product(Emit *e, const char *a, const char *b);
/* Elements of the local block. */
const char *emit_count(Emit *e, const Node *n);
/* The entry's pointer to a node's bytes, declared when first asked for. */
const char *emit_pointer(Emit *e, NodeId id);
/* A C identifier from a user's name. */
const char *emit_identifier(Emit *e, const char *name);

void emit_map(Emit *e, const Step *s);
void emit_reduce(Emit *e, NodeId id);
void emit_scatter(Emit *e, NodeId id);
void emit_contract(Emit *e, NodeId id);
void emit_conv(Emit *e, NodeId id);
void emit_pool(Emit *e, NodeId id);
void emit_cumsum(Emit *e, NodeId id);
void emit_order(Emit *e, NodeId id);
void emit_unpick(Emit *e, NodeId id);
/* A product that no matrix product fits: plain loops. */
void emit_contract_loops(Emit *e, NodeId id);

typedef struct StepWork {
  bool exchange; /* something moves between devices */
  double flops;  /* of its products; 0 for loops, whose memory is what takes time */
  double bytes;  /* exchanges: received; others: every value read or stored, counted once */
} StepWork;
StepWork emit_work(Emit *e, const Step *s);

#endif
