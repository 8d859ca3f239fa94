/* The definition of an operation: one OpDef each, in compiler/ops, listed in ops.def.
 *
 * A *primitive* occurs in graphs: it has a rule. A *composite* only has a call that builds
 * primitives (softmax builds max, sub, exp, sum, div), whose gradients and layouts apply. */
#ifndef DTG_OP_H
#define DTG_OP_H
#include "graph.h"
#include "op_ids.h"

/* -------- rule: the equation of an op -------- */

/* A factor is one letter of the equation. In operands and result it passes a split through; in
 * operands only, a split leaves the result partial; in the result only, each device makes its own
 * part. */
typedef enum FactorKind {
  FACTOR_PASS,
  FACTOR_REDUCE,
  FACTOR_NEW,
  FACTOR_SHIFT, /* result blocks need shifted or grown operand blocks: a window */
  FACTOR_WHOLE  /* must not be split */
} FactorKind;

enum { MAX_FACTORS = 24, NO_FACTOR = -1 };

typedef struct Factor {
  int64_t size;
  FactorKind kind;
} Factor;

typedef struct RuleDim {
  int n;
  int8_t factor[MAX_RANK]; /* major to minor; several when a reshape merges or splits */
  Window window;           /* for an operand dim of a shift factor; window.of is the result's dim */
} RuleDim;

typedef struct Rule {
  int nfactors;
  Factor factor[MAX_FACTORS];
  int noperands;
  RuleDim (*operand)[MAX_RANK]; /* [noperands] */
  RuleDim result[MAX_RANK];
  Reduce reduce; /* how the parts of a split reduce factor combine */
  /* Partial (sum) values may pass instead of being reduced: in any one of these operands alone, the
   * others being reduced; or in all operands at once (add, sub, concat). */
  uint32_t linear_in; /* set of operands */
  bool linear_jointly;
} Rule;

int rule_factor(Rule *r, int64_t size, FactorKind kind);
/* Reads "b m k, b k n -> b m n"; sizes come from the node's operands and result. */
void rule_from_text(Rule *r, const Graph *g, const Node *n, const char *equation);

/* -------- arguments of a call in the language -------- */

typedef enum ArgKind {
  ARG_NONE, /* not given, or `none` */
  ARG_TENSOR,
  ARG_INT,
  ARG_REAL,
  ARG_BOOL,
  ARG_LIST,
  ARG_STRING,
  ARG_DTYPE
} ArgKind;

typedef struct Arg {
  ArgKind kind;
  Span span;
  NodeId node;
  int64_t i;        /* ARG_INT; ARG_BOOL as 0 or 1; ARG_DTYPE as DType */
  double real;      /* ARG_REAL; also set for ARG_INT */
  const char *text; /* ARG_STRING */
  struct Arg *at;   /* ARG_LIST */
  int n;
} Arg;

/* -------- numbers known while compiling -------- */

typedef enum ScalarKind { NUM_NONE, NUM_INT, NUM_REAL, NUM_BOOL } ScalarKind;

/* An integer of 64 bits, a real (an f64) or a truth value. NUM_NONE: an argument not given. */
typedef struct Scalar {
  ScalarKind kind;
  int64_t i;   /* NUM_INT; NUM_BOOL as 0 or 1 */
  double real; /* NUM_REAL */
} Scalar;

typedef enum Folded {
  FOLDED,
  FOLD_NONE,       /* the op makes nothing of such numbers */
  FOLD_BY_ZERO,    /* a division by zero */
  FOLD_TOO_LARGE,  /* the integer does not fit in 64 bits */
  FOLD_NOT_FINITE, /* finite numbers gave infinity or NaN */
} Folded;

enum { MOST_NUMBERS = 3 }; /* arguments of an op that folds */

static inline double number_real(const Scalar *x) {
  return x->kind == NUM_REAL ? x->real : (double)x->i;
}

/* -------- building graphs -------- */

typedef struct Untyped Untyped; /* numbers that have no type yet (ops/untyped.c) */

/* Where new nodes go. Elaboration, gradients and composites all build through this; a wrong call
 * reports to `diag` at `span` and returns NO_NODE, and every build function given NO_NODE returns
 * NO_NODE without a second report. */
typedef struct Build {
  Arena *arena;
  Diag *diag;
  Graph *graph;
  Span span, site;  /* given to new nodes */
  int precision;    /* given to them, too */
  bool back, stores; /* and these, */
  int within;       /* and this */
  const char *what; /* name of the call for messages: "softmax" */
  Untyped *untyped; /* NULL: all have one */
  /* Random calls: a key unique to the call in the program, and the node that holds the step number
   * (i64[]). The elaborator provides both. */
  void *user;
  uint64_t (*stream)(void *user);
  /* i64[], known while running, of the draw that `stream` was asked for last, in place of it;
   * NO_NODE: that one holds. */
  NodeId (*row_stream)(void *user);
  NodeId (*step)(void *user);
  /* The token of what the entry told last, and of what it tells now: that comes after it. */
  NodeId (*told)(void *user);
  void (*tells)(void *user, NodeId token);
  /* A node that has a name was made again in another type: it has the name, too. */
  void (*remade)(void *user, NodeId from, NodeId to);
} Build;

struct Lower;
struct At;
/* -------- definitions -------- */

/* The kind of code that computes an op's result; passes and emitters use this and the properties
 * below, never which op it is. */
typedef enum OpClass {
  OPC_CALL,   /* a composite, or what a pass replaces: no code */
  OPC_SOURCE, /* an input or a variable: there from the beginning */
  /* An expression at each index, in any loop that uses it: */
  OPC_CONST,
  OPC_INDEX,   /* the index along a dim */
  OPC_RANDOM,  /* a number drawn by the index */
  OPC_ELEMENT, /* of the operands' elements at the same index: `c`, or a cast where that is NULL */
  OPC_MOVE,    /* of operands' at other indices: `lower` */
  OPC_VIEW,    /* the operand's bytes under another shape */
  /* Reductions of one operand in a loop nest of their own: */
  OPC_REDUCE, /* over a set of dims, by `reduce` */
  OPC_SEARCH, /* for the index of the largest or smallest (`reduce`) along a dim */
  OPC_SCAN,
  /* Kernels that read operands from memory and write the result there: */
  OPC_PRODUCT,     /* an einsum of two operands */
  OPC_CONVOLUTION, /* ir/slide.h; `makes` is which of its three tensors is the result */
  OPC_POOL,        /* ir/slide.h; `pool`, `makes` */
  OPC_SORT,
  OPC_TELL,     /* a check or a print: tells a person, and gives a token (ops/told.c) */
  OPC_MATRIX,   /* of the last two dims of each operand, or of lines along `axis`: `kernel` */
  OPC_ADD_ROWS, /* at rows whose indices are data */
  OPC_ADD_EACH, /* the same with an index for each element */
  OPC_EXCHANGE
} OpClass;

/* Of the tensors of a sliding window: the one of more elements, the one of fewer, the weights. */
typedef enum SlideSide { SIDE_SMALL, SIDE_LARGE, SIDE_TAPS } SlideSide;
typedef enum Pool { POOL_SUM, POOL_MAX, POOL_WHICH, POOL_AT } Pool;

/* The attributes of a node, as its op's definition lists them: Node.attr has their values in that
 * order. Dumps print those that the type of the result does not show. */
typedef enum AttrKind {
  ATTR_NONE,
  ATTR_INT,
  ATTR_BOOL,
  ATTR_SET,     /* of dims, as bits */
  ATTR_KEY,     /* of a stream of random numbers */
  ATTR_LIST,    /* one a dim of the result */
  ATTR_MAP,     /* one a dim of operand 0: what the others leave */
  ATTR_DTYPE,   /* the result's */
  ATTR_SHAPE,   /* the result's */
  ATTR_INDEX,   /* of a variable or an input */
  ATTR_LETTERS, /* of a product: see product_letters */
  ATTR_SLIDE    /* see ir/slide.h */
} AttrKind;
typedef struct Attr {
  const char *name;
  AttrKind kind;
} Attr;
enum { MAX_ATTRS = 4 };

/* How an operator binds in the language, as the grammar's levels. */
typedef enum Precedence {
  BINDS_NONE, /* no operator */
  BINDS_OR,
  BINDS_AND,
  BINDS_NOT,
  BINDS_COMPARE,
  BINDS_SUM,
  BINDS_TERM,
  BINDS_FACTOR,
  BINDS_POWER,
  BINDS_POSTFIX
} Precedence;

/* A graph while `joins` or `simplify` rewrites it. */
typedef struct NewGraph {
  Arena *arena;
  Graph *graph; /* the new one */
  bool full;    /* nothing but what the old graph has may be added */
  bool alone;   /* for one device */
  void *user;
  bool (*stays)(void *user, NodeId x); /* what reads the new graph's node x has to go on to */
  NodeId (*intern)(void *user,
                   const Node *n); /* the new graph's node that is the same, or it added */
} NewGraph;

typedef struct Distribute Distribute; /* ops/blocks.h */

/* A complex tensor as the tensors of its parts; of a real one, or one whose `im` is known to be 0,
 * `im` is NO_NODE. */
typedef struct Complex {
  NodeId re, im;
} Complex;

typedef struct OpDef OpDef;
struct OpDef {
  const char *name; /* as the user writes it and as dumps print it */
  const char *sign; /* of an operator: "+", or the name of one that is a word; NULL: it is none */
  Precedence binds; /* of an operator */
  /* Parameters as the user writes them: "x, axis=none, keepdims=false". A name ending in ... takes
   * the remaining positional arguments as a list. NULL: not callable by name (only operators or the
   * compiler make it). A default of `declared` is the shape or dtype of the variable being
   * initialised. */
  const char *params;
  const char *doc; /* one line */
  const char
      *example; /* .dtg statements over named inputs; becomes tests and docs. See docs/ops.md */
  Arg (*call)(Build *b, const Arg *args); /* one Arg a parameter, in order */
  /* What the op makes of numbers instead of tensors: its first `numbers` parameters, those without
   * a default given. The result is that of i64 or f64 tensors; where that would wrap or leave the
   * finite numbers, it says so instead. Call it by op_fold. */
  Folded (*fold)(const Scalar *x, Scalar *out);
  int numbers;
  /* primitives */
  OpClass class;
  Attr attr[MAX_ATTRS];
  bool (*infer)(Build *b, Node *n);                     /* checks operands, sets dtype and shape */
  void (*rule)(const Graph *g, const Node *n, Rule *r); /* `linear`, `reduce` are set before */
  /* The gradient: given the result's cotangent, writes one cotangent an operand (NO_NODE: none
   * flows). */
  void (*grad)(Build *b, NodeId node, NodeId cotangent, NodeId *operand_cotangents);
  const char *no_grad; /* why there is none: "its result is an integer" */
  /* What an element of the result is, at an index into the device's block (expr.h). NULL: the op
   * computes it from its operands' elements at the same index. An Expr, a name that
   * the front end has too. */
  int32_t (*lower)(struct Lower *l, NodeId id, const struct At *at);
  /* OPC_ELEMENT: C with $0, $1 for operands and @ for the type's suffix (f32, i64), and the same
   * where the result is an integer, if that is another. */
  const char *c, *c_whole;
  bool c_special, c_special_f64; /* their functions, or those of f64, are in dtrt_special.h */
  uint32_t flags;
  double flops; /* an element of the result (for contractions: of the iteration space) */
  /* The points of the iteration space where that is not the product of the rule's factors, which
   * come to `points`. */
  double (*points)(const Node *n, double points);
  /* How many units in the last place an element of the result may be off where its operands are
   * exact, however it is compiled: 0 where it is one of them, or a comparison, or drawn by its
   * index. A sum (OPF_SUMS) adds its length: op_rounding. */
  double rounding;
  double (*addends)(const Graph *g, const Node *n); /* OPF_SUMS: how many, at most; NULL: few */

  /* -------- what it does to values; sets of operands are bits -------- */
  uint32_t linear;     /* in any one of these operands alone; the rule may take it back */
  bool linear_jointly; /* in all operands at once */
  Reduce reduce;       /* what OPC_REDUCE and OPC_SEARCH do */
  uint32_t passes;     /* elements of these operands are elements of the result, rounded at most */
  uint32_t positive;   /* these operands are to be positive */
  uint32_t by_index;   /* elements of these operands are read at indices that are data */
  uint32_t in_memory;  /* these operands are read from memory alone */
  bool rows; /* the result is rows of operand 0 along `axis`, at the indices that operand 1 has */
  bool updates; /* the result is operand 0 but for a row, so it can be made in that one's place */
  int8_t index[2]; /* of integers: the sum of the operands times these; 0, 0: something else */
  /* Of two operands: the orders (ORDER_LESS ...) of them for which it is true; 0: no comparison. */
  uint8_t compares;
  uint8_t extreme; /* the larger of two operands (ORDER_GREATER), or the smaller (ORDER_LESS) */
  char logic;    /* of truth values: '&', '|', '!' */
  bool vanishes; /* 0 for numbers far enough below 0 */
  SlideSide makes;
  Pool pool;
  uint32_t feature;   /* OPC_TELL: the feature (plan.h) without which it is left out */
  const char *kernel; /* OPC_MATRIX, OPC_TELL: the function of the runtime */
  /* OPC_MATRIX: the op that makes no more than what is read of the node, or its own; NULL: there is
   * none. Asked of whole tensors: bits do not depend on layouts. */
  Op (*as_read)(const Graph *g, NodeId id);
  /* OPC_PRODUCT: the op of the same operands whose elements are expressions. */
  Op unrolled;
  /* Of what puts dims in another order or adds some: for each dim of the operand, the result's. */
  void (*dims)(const Graph *g, const Node *n, int *of);
  /* The number that operand k, of integers, has to stay below as the program uses it; 0: any.
   */
  int64_t (*below)(const Graph *g, const Node *n, int k);

  /* Of complex operands: builds what node n is from the parts of its operands; of a real result `re`
   * is it. NULL: op_takes_complex says whether the op does the same to both parts. */
  Complex (*complex)(Build *b, const Node *n, const Complex *x);

  /* -------- rewriting -------- */
  /* The new node that n, its operands already new, is the same as, or NO_NODE. May give n other
   * operands. */
  NodeId (*simplify)(NewGraph *w, Node *n);
  /* The same before gradients are taken, of what reads paddings and joined ends: so that their
   * gradients are of that form, too. */
  NodeId (*join)(NewGraph *w, Node *n);
  /* What computes the same along a cut dim of node `id` of the old graph, block by block, where
   * that moves less; `y`: the new node of its operand 0. NO_NODE: it stays as it is. */
  NodeId (*distribute)(Distribute *d, NodeId id, NodeId y);
  Op stays; /* of a transpose: what it is on a device where no element moves in memory; else NULL */
};

enum {
  OPF_ELEMENTWISE = 1, /* result[i] depends on operand[i] alone, all shapes equal */
  OPF_MOVES = 2,       /* elements of the result are the operands', or a fill value */
  OPF_ONE_TO_ONE = 4,  /* each element of the operand once: OPF_MOVES */
  OPF_FREE = 8,        /* no operands, cheap: recomputed for each use under any layout */
  OPF_SUMS = 16,       /* adds (or multiplies) many operand elements up, in an order of its own */
  OPF_REPEATS = 32,    /* a line of the result is one element of the operand: a broadcast */
  OPF_SHIFTS = 64,     /* blocks of the result are shifted or clipped blocks of the operand */
  OPF_PRODUCT = 128,   /* multiplies and adds: runs at the speed of matrix products */
  OPF_ROWS = 256,      /* its kernel finishes the result row by row */
  OPF_EXTREME = 512,   /* the largest or smallest of what it reads */
  OPF_NO_WORK = 1024,  /* an element costs nothing beside reading it */
  OPF_GRAD = 2048,     /* stands for a gradient until autodiff has written it out */
  OPF_CHOICE = 4096,   /* operand 0 selects one of operands 1 and 2 */
  OPF_CARRY = 8192,    /* begins a value that a region carries ... */
  OPF_AFTER = 16384,   /* ... and is what that is behind the region */
  OPF_TELLS = 32768,   /* acts: it is kept though nothing reads its result */
  OPF_COMPLEX = 65536, /* OPC_CALL: right for complex numbers, too */
  OPF_LAYOUT = 131072, /* lays its operand out, as its node says or as operand 1 lies */
};

enum { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4 }; /* OpDef.compares */

/* The bound that an op states for its rounding, relative and for its dtype: of the result itself,
 * and, where it sums n elements up, of each of them before (backward): 1 + sqrt(n) units, what n
 * roundings that know nothing of each other come to. dtgc_verify moves values by so much to see how
 * far the results go. */
typedef struct Rounding {
  double result, operands;
} Rounding;
Rounding op_rounding(const Graph *g, const Node *n);

/* Node n, which has complex operands or a complex result, is defined. */
bool op_takes_complex(const Graph *g, const Node *n);

const char *op_written(Op op); /* as the user writes it in an expression: "+", "and", "exp" */
bool op_picks(Op op, int k);   /* operand k is read at indices that are data (by_index) */
uint64_t op_hash(Op op);       /* the same in every run */
static inline bool op_is(const Node *n, uint32_t flags) { return n->op->flags & flags; }
/* Addition and subtraction of two operands. */
static inline bool op_adds(Op op) { return op->index[0] == 1 && op->index[1] == 1; }
static inline bool op_subtracts(Op op) { return op->index[0] == 1 && op->index[1] == -1; }
/* It can be made in the place of operand 0: it is that but for a window, or begins with it. */
static inline bool node_goes_on(const Node *n) { return n->op->updates || op_is(n, OPF_CARRY); }
/* What it writes begins elsewhere in each row: a position is a tensor. */
bool node_begins_by_row(const Graph *g, const Node *put);
/* In which type a result of f32 stands under `precision bf16, master f32`: see docs/language.md. */
typedef enum Stands {
  STANDS_F32,     /* sorts, matrices, what a loop carries, numbers that were of other types */
  STANDS_SUM,     /* in f32, too: sums and extremes along dims */
  STANDS_SHORT,   /* a product: added in f32, then rounded */
  STANDS_AS_READ, /* as its operands of f32: short, unless one that an input led to stands in f32 */
} Stands;
Stands op_stands(const Graph *g, const Node *n);
/* An element of the result depends on operand k's at the same index alone. */
static inline bool op_at_same_index(Op op, int k) {
  return op->flags & OPF_ELEMENTWISE || (op->updates && k == 0);
}
static inline const char *node_called(const Node *n) { return n->name ? n->name : n->op->name; }
static inline OpClass op_class(const Node *n) { return n->op->class; }
static inline bool node_is_const(const Node *n) { return op_class(n) == OPC_CONST; }
/* The values of the attribute of that name, which the op must have; the first alone. */
const int64_t *node_attrs(const Node *n, const char *name);
static inline int64_t node_attr(const Node *n, const char *name) { return *node_attrs(n, name); }
/* Which variable or input of its entry a source is. */
static inline int node_source(const Node *n) { return (int)node_attr(n, "index"); }
bool op_has_attr(Op op, const char *name);
/* {axis=1 exclusive}, or "ik,kj->ij" of a product, after a space; nothing if there is nothing to
 * say. */
void node_attrs_put(Str *out, const Graph *g, const Node *n);
/* OPC_PRODUCT: the letters of operand 0, operand 1 and the result, one a dim, from 0 on; and by
 * letter which of them have it, which is its role in a product of matrices. */
enum {
  LETTER_X = 1,
  LETTER_Y = 2,
  LETTER_OUT = 4,
  LETTER_M = LETTER_X | LETTER_OUT,
  LETTER_N = LETTER_Y | LETTER_OUT,
  LETTER_SUMMED = LETTER_X | LETTER_Y,
  LETTER_BATCH = LETTER_X | LETTER_Y | LETTER_OUT
};
typedef struct Letters {
  const int64_t *x, *y, *out;
  uint8_t in[26];
} Letters;
Letters product_letters(const Graph *g, const Node *n);
/* Elements by role. */
typedef struct ProductSizes {
  double batch, m, n, k;
} ProductSizes;
ProductSizes product_sizes(const Letters *l, const double *size /* [26], by letter */);
ProductSizes product_sizes_of(const Graph *g, const Node *n); /* by the shapes of its operands */
/* How kernels add small products (gemm_small.h, docs/sums.md): up to so many numbers of a sum in
 * sequence, whichever way the operands lie; and, with no operand packed, up to so many rows and
 * columns. */
enum { PRODUCT_SEQUENCE = 64, PRODUCT_SIDE = 32 };
/* A letter of several elements is in both operands and the result: there are as many products. */
bool product_is_batch(const Graph *g, const Node *n);

/* An integer known while running, as far as its expression shows it: a number and the
 * sum of times[] * node[], of nodes that differ and are no such sums. False: of too many. */
enum { POSITION_TERMS = 8 };
typedef struct Position {
  int64_t number;
  int n;
  NodeId node[POSITION_TERMS];
  int64_t times[POSITION_TERMS]; /* not 0 */
} Position;
bool position_of(const Graph *g, NodeId id, Position *out);
/* How far scalar `to` is behind scalar `from`, where that is always the same. */
bool position_distance(const Graph *g, NodeId from, NodeId to, int64_t *out);

void rule_of(const Graph *g, const Node *n, Rule *r, Arena *scratch);

#endif
