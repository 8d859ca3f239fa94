/* A loop function while it is being written: shared by emit_value.c, which turns nodes into
 * expressions, and emit_loop.c and emit_reduce.c, which write the nests around them.
 *
 * Its parameters are marks until it is done (\1p0\2 a pointer, \1n0\2 a number), so that two loops
 * that do the same to other tensors are the same text, and one function serves both. */
#ifndef DTG_EMIT_LOOP_H
#define DTG_EMIT_LOOP_H
#include "emit.h"
#include "expr.h"

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
  char kind;         /* n: extent, o: offset, k: key, f: whether a tile is the first, l: whether it
                        is the last, b: a bound of the band */
} Number;

/* Where an expression is written: the body of the loop, which is scope 0, or one part of a select,
 * whose statements run only where it is taken. */
typedef struct Scope {
  int parent;
  Expr select;
  int part; /* the argument of it */
  Str code; /* not of scope 0, whose code is the loop's */
} Scope;

/* An expression in the outermost scope that uses it. */
typedef struct ExprUse {
  Expr of;
  int scope, uses, next; /* next: of the same expression; -1: none */
  const char *text;      /* NULL: not written yet */
} ExprUse;

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
  int temps, places;
  const char
      *part; /* an index that goes over a part of its dim alone: [part_lo, part_hi]; or NULL */
  int64_t part_lo, part_hi;
  VEC(Pointer) pointers;
  VEC(Number) numbers;
  Exprs *x;
  Lower lower;
  VEC(Expr) known[2]; /* by the number of an EXPR_VALUE: 1 + what it is; the second of `outside` */
  VEC(Scope) scopes;
  VEC(ExprUse) uses;
  VEC(int) use_of;   /* by expression: 1 + its first in `uses` */
  int looked;        /* scopes whose own uses are counted */
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
/* Where a map's expressions ask whether the index of a dim is before some number, the loop over it
 * is split there, and each part has the expression of its own (emit_split.c). The dim, its parts'
 * begins and the end in *cut; -1: none. */
typedef VEC(int64_t) Cuts;
int loop_split(Loop *l, const Step *s, const Index *at, Cuts *cut);
void loop_close(Loop *l, int n);
void loop_finish(Loop *l, const char *what);
const char *loop_call(Loop *l, const char *what); /* the same, but the call is left to be written */
/* The function alone; its name. */
const char *loop_function(Loop *l, const char *what);
/* Of a nest over n, of which a strip makes the band alone: the columns of a row that it goes over,
 * and the loop over them. */
const char *loop_live_from(Loop *l, const Node *n, const Index *at);
const char *loop_live_to(Loop *l, const Node *n, const Index *at);
void loop_open_live(Loop *l, const Node *n, const Index *at);
/* The value of a node, of such a nest, in the other columns: all have one. */
const char *loop_value_outside(Loop *l, NodeId id, const Index *at);

/* An expression as C (emit_expr.c). The first pass over a body counts how often each is used; in
 * the second, what is used twice is computed once, in the outermost scope that uses it. */
enum { LONG_TEXT = 110, LONGEST_TEXT = 800 /* compilers do not take brackets without end */ };
void loop_use(Loop *l, Expr e);
const char *loop_text(Loop *l, Expr e);

/* Values: of a node at an index, loaded, or computed from its operands. The first pass over a body
 * counts (loop_count), the second writes. */
void loop_count(Loop *l, bool counting);
const char *loop_value(Loop *l, NodeId id, const Index *at);
Expr loop_expr(Loop *l, NodeId id, const Index *at); /* the same as an expression */
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
