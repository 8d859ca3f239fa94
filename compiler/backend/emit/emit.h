/* Shared by the parts of the C writer: emit_c.c (tables), emit_entry.c and emit_step.c,
 * print_loop.c (loop functions) and print_expr.c, and the kernels that steps call: emit_contract.c
 * (products) and others. */
#ifndef DTG_EMIT_H
#define DTG_EMIT_H
#include "emit_c.h"
#include "loops.h"

/* A loop function already written: its text without names decides whether another is the same. */
typedef struct LoopText {
  const char *key, *name;
} LoopText;

typedef struct Table {
  const char *text, *name;
} Table;

/* What a step is given that a like step is given otherwise: where a value lies, the key of random
 * draws. */
typedef struct Given {
  const char *before, *after;  /* a pointer's type around its name; NULL: a number */
  const char *base, *end;      /* "(dev->arena + " and ")", around the value */
  const char *short_name;      /* of a pointer, within an epilogue */
  const char *name, *note;     /* of a pointer */
  int64_t value;               /* its offset, the number, or which input it is */
  const struct StepText *step; /* the last that was given it */
} Given;

/* A step as C. In `code` stand marks, a kind, a number and MARK_END, for what depends on the
 * function that it becomes part of: the entry, or a block that runs several times (emit_entry.c).
 */
typedef struct StepText {
  const char *what, *where; /* for comments, messages and profiles */
  const char *code;
  Span at;
  VEC(int) given; /* in the order of first use */
  int exchange;   /* the number of its first, or of the next */
  int key;        /* like steps have the same */
} StepText;
enum { MARK_GIVEN = 4, MARK_DECLARE, MARK_EXCHANGE, MARK_EXTENT, MARK_END };

typedef struct Emit {
  Arena *arena;
  const Plan *plan;
  const Program *program;
  const Mesh *mesh;
  const EmitOptions *options;
  Str tables, loops, entries;
  Names *names;
  VEC(LoopText) loop;
  Lookup function_at;                /* 1 + the place in loop, by interned key */
  VEC(Table) dims, layouts;          /* written once each, by text */
  Lookup loop_at, dim_at, layout_at; /* 1 + the place in those, by interned text */
  VEC(const char *) exchanges;       /* what each is, but for names */
  VEC(uint64_t) code;                /* by entry: a hash of what it computes */
  /* the entry being written */
  const LocalEntry *le;
  const char **assigned; /* by node: the variable it is the new value of, or NULL */
  VEC(Table) extents;    /* by defining text */
  VEC(Given) givens;
  Lookup extent_at; /* 1 + the place in extents, by interned text */
  Lookup given_at;  /* 1 + the place in givens, by interned key */
  Lookup used;      /* identifiers of the entry, interned: the next number for another */
  Lookup key_at;    /* 1 + the key of steps, by interned text */
  int nkeys;
  /* the step being written */
  StepText *step;
  Str body;
  const Tiles *tile; /* it goes tile by tile, and this is inside its loops; else NULL */
  Str before;        /* what stands before those loops */
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
/* The same of a dim of a node, in the tile that is being written, if there is one; and the extent
 * of what is in memory. */
const char *emit_len(Emit *e, const Node *n, int d);
const char *emit_from(Emit *e, const Node *n, int d);
const char *emit_room(Emit *e, const Node *n, int d);
/* The address of its first element: emit_pointer, or that of the tile's, a part (`part`, or NULL).
 */
const char *emit_start(Emit *e, NodeId id, bool *part);
/* Where the tile begins in a dim of this device's block of n: "0" outside of tiles. */
const char *emit_at(Emit *e, const Node *n, int d);
/* The address of a reduction's partial results (sum_scratch), for the tile being written. */
const char *emit_partial(Emit *e, NodeId id);
/* A condition that is true in the first of the tiles that a node sums over; NULL: it does not. */
const char *emit_first(Emit *e, NodeId id);
/* emit_band.c. Of the tile that is being written: it makes the node in the band alone. */
bool emit_in_band(Emit *e, NodeId id);
void emit_band_begin(Emit *e);
/* Before step i of the tile, where it has to be seen whether the rest of the columns is 0. */
void emit_band_check(Emit *e, int i);
void emit_band_end(Emit *e);
/* What a step of the tile makes in the band, and others read, is 0 elsewhere; `clear`: of a tensor
 * at p. */
void emit_band_clear(Emit *e, const Step *s);
void emit_clear(Emit *e, const Node *n, const char *p, const char *const *stride);
/* Elements of the local block. */
const char *emit_count(Emit *e, const Node *n);
/* The pointer to a node's bytes: a mark, like extents that are no numbers. It is declared where the
 * step first asks for it, so not within a loop. */
const char *emit_pointer(Emit *e, NodeId id);
/* A number that like steps may have otherwise: a mark. */
const char *emit_number(Emit *e, uint64_t value);
/* A part of a C identifier from a user's name; a whole one, which no name in emitted loops equals.
 */
const char *emit_word(Emit *e, const char *name);
const char *emit_identifier(Emit *e, const char *name);

/* What a kernel does to rows of its result: a dtrt_then, and the same for all rows at once, for
 * kernels that take none along. */
typedef struct Epilogue {
  const char *then, *call;
} Epilogue;

/* The calls of a step; of a kernel, with its epilogue or NULL. */
void emit_calls(Emit *e, const Step *s, const Epilogue *epilogue);
void emit_tiles(Emit *e, const Step *s);
/* Writes the function of a tile's rows, `body` being the loop over them. */
const Epilogue *emit_epilogue(Emit *e, const Tiles *s, const char *body);
/* The call of a loop function, which is written if no equal one is there; as a line of the step,
 * and as an expression. */
void emit_loop(Emit *e, const LoopFunction *f);
const char *emit_loop_call(Emit *e, const LoopFunction *f);
LoopSite emit_site(const Emit *e);
/* True: it took the epilogue along. */
bool emit_contract(Emit *e, NodeId id, const Epilogue *epilogue);
bool emit_conv(Emit *e, NodeId id, const Epilogue *epilogue);
void emit_order(Emit *e, NodeId id);

/* The last two parts of a value's name, which tell loops' parameters apart: d1_w of model.d1.w. */
const char *emit_short_name(Emit *e, const Node *n);

/* The number of the mark at *c, which is left at its end. */
int mark_number(const char **c);
/* Which of those that a step is given. */
int step_given(const StepText *t, int number);
void emit_step(Emit *e, const Step *s, StepText *out);
/* Writes an entry, called `id`; its steps, as many as it has, for their table. */
const StepText *emit_entry(Emit *e, const LocalEntry *le, const char *id);

/* emit_c.c: names of tables, which are written when first asked for, and texts of C. */
const char *emit_dim(Emit *e, const DimLayout *d, int64_t n);
const char *emit_layout(Emit *e, const Layout *l, const Shape *shape);
const char *emit_kind(int kind);                 /* of an exchange: "DTRT_COPY" */
const char *emit_dtype(Emit *e, DType t);        /* "DTRT_F32" */
void emit_string(Str *s, const char *text);      /* in quotes; NULL: 0 */
void emit_line_string(Str *s, const char *text); /* the same for #line: one literal on one line */
/* What may stand between the marks of a comment, whatever the text (names of files) holds. */
const char *emit_comment(const Emit *e, const char *text);

/* emit_watch.c: the table of the entry's values, and its two fields in the entry's own table. */
void emit_values(Emit *e, Str *tables, Str *row, const char *id);
/* --drop-exchange=N leaves exchange number N out, counted from 1 over all entries by the nodes that
 * steps do: to see what notices. */
bool emit_is_dropped(const Emit *e, NodeId id);

typedef struct StepWork {
  bool exchange; /* something moves between devices */
  double flops;  /* of its products; 0 for loops, whose memory is what takes time */
  double bytes;  /* exchanges: received; others: every value read or stored, counted once */
} StepWork;
StepWork emit_work(Emit *e, const Step *s);

#endif
