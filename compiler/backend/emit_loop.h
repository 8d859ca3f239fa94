/* A loop function while it is being written: shared by emit_value.c, which turns nodes into
 * expressions, and emit_loop.c and emit_reduce.c, which write the nests around them.
 *
 * Its parameters are marks until it is done (\1p0\2 a pointer, \1n0\2 a number), so that two loops
 * that do the same to other tensors are the same text, and one function serves both. */
#ifndef DTG_EMIT_LOOP_H
#define DTG_EMIT_LOOP_H
#include "emit.h"

typedef struct Index {
  const char *flat; /* one index over all elements; else: */
  const char *at[MAX_RANK];
} Index;

typedef struct Pointer {
  int buffer;
  NodeId node; /* as seen: gives the extents */
  bool written;
} Pointer;

typedef struct Number {
  const char *value; /* in the entry */
  char kind;         /* n: extent, o: offset, k: key, r: the first row, or that after the last,
                        f: whether a strip is the first, b: a bound of the band */
} Number;

typedef struct Memo {
  int uses;
  const char *text; /* NULL: not written yet, or in a block that has ended */
} Memo;

/* A long index, which has a name wherever it is used. */
typedef struct IndexName {
  const char *name;
  bool declared; /* in an open block */
} IndexName;

typedef struct Loop {
  Emit *e;
  const LocalEntry *le;
  const Graph *g;
  const Step *step; /* what a map stores; NULL for other loops */
  const char *then; /* a dtrt_then, which the function passes on; NULL: none */
  bool flat, counting, needs_dev;
  bool outside;        /* values are wanted as they are outside of a strip's band (emit_band.c) */
  const char *returns; /* a type; NULL: nothing */
  const char *partial; /* where partial sums lie, passed as `partial` ... */
  DType partial_type;  /* ... an array of these; NULL: there are none */
  int guard;           /* inside an expression that is not always evaluated */
  int temps;
  VEC(Pointer) pointers;
  VEC(Number) numbers;
  VEC(Memo) memo;
  VEC(IndexName) places;
  Lookup memo_at, place_at; /* 1 + where in those, by interned text */
  /* What is known in the innermost guard alone, and is forgotten at its end: places in `memo`, and
   * -1 - those in `places`. */
  VEC(int) known;
  Lookup flat_known; /* nodes that loop_is_flat said yes of: shared ones are met along many ways */
  Str code;
} Loop;

/* Marks. */
const char *loop_number(Loop *l, char kind, const char *value);
const char *loop_extent(Loop *l, const Node *n, int d);
const char *loop_room(Loop *l, const Node *n, int d); /* of what lies in memory */
const char *loop_offset(Loop *l, const Node *n, int d);
const char *loop_pointer(Loop *l, NodeId id, bool written);

/* Nests: `s` is what a map stores, or NULL. A pragma of "" is none. loop_finish writes the
 * function, unless an equal one is there, and the call; `what` names it. */
Loop loop_new(Emit *e, const Step *s);
/* The index of a nest over the dims of n: dims of one element have no loop. */
Index loop_nest_index(Loop *l, const Node *n);
/* A value can be had by one flat index: everything in memory is seen in the same order. */
bool loop_is_flat(Loop *l, NodeId id);
void loop_open(Loop *l, const char *var, const char *len, const char *pragma);
void loop_close(Loop *l, int n);
void loop_finish(Loop *l, const char *what);
const char *loop_call(Loop *l, const char *what); /* the same, but the call is left to be written */
/* The function alone; its name. */
const char *loop_function(Loop *l, const char *what);
/* A map's nest. dims: so many leading dims of it are rows, `columns` elements each, of which the
 * function does those from `from` to `to`, names where it is called; 0: all of the map. */
Loop map_loop(Emit *e, const Step *s, int dims, int64_t columns);

/* Of a nest over n, of which a strip makes the band alone: the columns of a row that it goes over,
 * and the loop over them. */
const char *loop_live_from(Loop *l, const Node *n, const Index *at);
const char *loop_live_to(Loop *l, const Node *n, const Index *at);
void loop_open_live(Loop *l, const Node *n, const Index *at);
/* The value of a node, of such a nest, in the other columns: all have one. */
const char *loop_value_outside(Loop *l, NodeId id, const Index *at);

/* Indices (emit_guard.c): the text of a node at an index, by which values are known; a name for an
 * index, whose key is the same when uses are counted and when they are written, so that what is
 * made of the name is, too; a name for an index that is long. */
enum { LONG_TEXT = 110, LONGEST_TEXT = 800 /* compilers do not take brackets without end */ };
const char *loop_key(Loop *l, NodeId id, const Index *at);
const char *loop_place(Loop *l, const char *key, const char *text);
const char *loop_short(Loop *l, const char *text);

/* What is computed only where a condition holds: elsewhere its index would be outside of memory. A
 * long text that it needs twice becomes a variable of a block of its own. */
typedef struct Part {
  const char *cond, *value;
  bool wraps;        /* the condition has parentheses within an expression */
  const char *block; /* what has to stand before the value; "": nothing */
} Part;

Part loop_part(Loop *l, NodeId id, const Index *at); /* but for its condition */
/* The first part whose condition holds, or `other`; NULL: the last part's is not looked at. */
const char *loop_choose(Loop *l, const Node *n, const Part *part, int nparts, const char *other);

/* Expressions. `value` is that of a node at an index: loaded, or computed from its operands. What
 * is asked for twice is computed once: the first pass over a body counts (loop_count), the second
 * writes. */
void loop_count(Loop *l, bool counting);
const char *loop_value(Loop *l, NodeId id, const Index *at);
const char *loop_load(Loop *l, NodeId id, const Index *at);
const char *loop_element(Loop *l, NodeId id, const Index *at, bool written); /* an lvalue */
const char *loop_constant(Emit *e, DType t, double v);
const char *loop_wrap(Emit *e, const char *s); /* in parentheses where it needs them */
const char *loop_type(DType t);                /* of a value in a register */
bool loop_is_half(DType t);
DType loop_computed_as(DType t); /* half-width floats as f32 */
const char *loop_literal(Loop *l, int64_t v);
bool loop_stores(const Loop *l, NodeId id); /* the loop's own step stores it */

#endif
