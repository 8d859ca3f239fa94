/* What the compiler knows of an operation: one OpDef each, in compiler/ops, named in ops.def.
 *
 * A *primitive* stands in graphs: it has a rule. A *composite* only has a call that builds
 * primitives (softmax builds max, sub, exp, sum, div); its gradient and its layouts follow from
 * theirs. */
#ifndef DTG_OP_H
#define DTG_OP_H
#include "graph.h"

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
  /* Partial (sum) values may pass instead of being settled: in any one of these operands alone, the
   * others being settled; or in all operands at once (add, sub, concat). */
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

/* Where new nodes go. Elaboration, gradients and composites all build through this; a wrong call
 * reports to `diag` at `span` and returns NO_NODE, and every build function given NO_NODE returns
 * NO_NODE without a second report. */
typedef struct Build {
  Arena *arena;
  Diag *diag;
  Graph *graph;
  Span span, site;  /* given to new nodes */
  const char *what; /* name of the call for messages: "softmax" */
  /* Random calls: a key unique to the call in the program, and the node that holds the step number
   * (i64[]). The elaborator provides both. */
  void *user;
  uint64_t (*stream)(void *user);
  NodeId (*step)(void *user);
} Build;

struct Lower;
struct At;
typedef struct OpDef OpDef;
struct OpDef {
  const char *name; /* as the user writes it and as dumps print it */
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
  bool (*infer)(Build *b, Node *n); /* checks operands, sets dtype and shape */
  void (*rule)(const Graph *g, const Node *n, Rule *r);
  /* The gradient: given the result's cotangent, writes one cotangent an operand (NO_NODE: none
   * flows). */
  void (*grad)(Build *b, NodeId node, NodeId cotangent, NodeId *operand_cotangents);
  const char *no_grad; /* why there is none: "its result is a whole number" */
  /* What an element of the result is, at an index into the device's block (expr.h). NULL: the op
   * makes it of its operands' elements at the same index. Of ops with OPF_MAP. An Expr, a name that
   * the front end has too. */
  int32_t (*lower)(struct Lower *l, NodeId id, const struct At *at);
  const char
      *c; /* elementwise: C with $0, $1 for operands and @ for the type's suffix (f32, i64) */
  uint32_t flags;
  double flops; /* an element of the result (for contractions: of the iteration space) */
  /* How many units in the last place an element of the result may be off where its operands are
   * exact, however it is compiled: 0 where it is one of them, or a comparison, or drawn by its
   * index. A sum (OPF_SUMS) adds its length: op_rounding. */
  double rounding;
};

enum {
  OPF_ELEMENTWISE = 1, /* result[i] depends on operand[i] alone, all shapes equal */
  OPF_MAP = 2, /* result[i] is an expression over operands at computed indices: may be fused */
  OPF_REDUCE = 4,
  OPF_FREE = 8, /* no operands, cheap: made anew for each use under any layout */
  OPF_SUMS = 16, /* adds (or multiplies) many operand elements up, in an order of its own */
};

/* The bound that an op states for its rounding, relative and for its dtype: of the result itself,
 * and, where it sums n elements up, of each of them before (backward): 1 + sqrt(n) units, what n
 * roundings that know nothing of each other come to. dtgc_verify moves values by so much to see how
 * far the results go. */
typedef struct Rounding {
  double result, operands;
} Rounding;
Rounding op_rounding(const Graph *g, const Node *n);
double op_unit(DType t); /* of the last place, relative: 2^-23 for f32; 0 for whole numbers */

const OpDef *op_def(Op op);
const char *op_written(Op op); /* as the user writes it in an expression: "+", "and", "exp" */
const OpDef *op_find(const char *name, Op *op); /* by the user's name; NULL: none */
const OpDef *op_at(int i); /* the roll in order, for docs and "did you mean"; NULL past it */

/* FOLD_NONE too for an op without `fold` and for the wrong number of arguments. */
Folded op_fold(const OpDef *d, const Scalar *x, int n, Scalar *out);

/* A function that others have and dtg has not, and an example of how to write it. */
typedef struct Concept {
  const char *name, *example; /* as OpDef.example: "f32[4, 6] x: x != x" */
} Concept;
const Concept *op_concept_at(int i);      /* NULL past the last */
const char *op_instead(const char *name); /* "x != x" for isnan; NULL: nothing is known of it */

void ops_doc(Str *out); /* the text of docs/ops.md */

void rule_of(const Graph *g, const Node *n, Rule *r, Arena *scratch);

/* A new node of a primitive, checked by its `infer`. `attr` and `operands` are copied. */
NodeId build_node(Build *b, Op op, int noperands, const NodeId *operands, int nattr,
                  const int64_t *attr, double value);
/* Builtin `name` called with arguments already bound to its parameters. */
Arg build_call(Build *b, const OpDef *def, const Arg *args);
/* The binary and unary operators of the language on tensors and numbers: at least one is a tensor,
 * a number takes the tensor's dtype, shapes are broadcast as NumPy does. op: OP_add ... OP_neg,
 * OP_not. */
Arg build_operator(Build *b, Op op, const Arg *x, const Arg *y);
/* x[a:b:s, :, i]: one triple a dim given, `whole` for `:`; `drop` removes the dim (a plain index).
 */
typedef struct Subscript {
  Span span;
  bool whole, drop, has_begin, has_end;
  int64_t begin, end, step;
} Subscript;
NodeId build_subscript(Build *b, NodeId x, int n, const Subscript *subs);
NodeId build_cast(Build *b, NodeId x, DType to);
/* A scalar (rank 0) constant. */
NodeId build_const(Build *b, DType t, double value);
NodeId build_whole(Build *b, DType t, int64_t value); /* of a whole-number dtype */
/* A number or tensor as a tensor of that dtype. */
NodeId build_tensor(Build *b, const Arg *x, DType t);
/* d loss / d wrt, left as a `grad` node until the autodiff pass. Reports a loss that is no scalar.
 */
NodeId build_grad(Build *b, NodeId loss, NodeId wrt);
NodeId build_input(Build *b, DType t, const Shape *shape, const char *name, int index);
NodeId build_var(Build *b, const Var *v, int index);
NodeId build_relayout(Build *b, NodeId x, const Spec *spec);
NodeId build_relayout_like(Build *b, NodeId x, NodeId like);

#endif
