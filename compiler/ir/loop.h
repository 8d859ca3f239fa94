/* The loop IR: a function that runs on one device's blocks, as loops and statements over
 * expressions (expr.h). Buffers are nodes of the entry's graph, integers that differ between calls
 * are parameters; both are numbered by their first use, so that functions that do the same to other
 * tensors are equal, and one serves both. The emitted C and --dump=loops are printed from this and
 * from nothing else. Law (loop_verify): an index into memory that is made of loop indices alone,
 * with no condition around it, lies in the block. */
#ifndef DTG_LOOP_H
#define DTG_LOOP_H
#include "expr.h"
#include "plan.h"

typedef enum LoopStmtKind {
  STMT_FOR,   /* body, for index `name` from a up to b by c */
  STMT_WHILE, /* body, while a */
  STMT_IF,    /* body if a, else other */
  STMT_LOCAL, /* declares `name`, of value a (NO_EXPR: none yet) */
  STMT_SET,   /* a, a local or an element of memory, becomes b */
  STMT_STORE, /* the same of an element; of stores that follow each other no value sees another */
  STMT_CALL,  /* of a */
  STMT_RETURN /* a */
} LoopStmtKind;

/* What is said to C compilers in front of a loop: DTRT_PLAIN, ... in dtrt.h. */
typedef enum LoopHow { LOOP_SOME, LOOP_PLAIN, LOOP_OUTER, LOOP_FEW, LOOP_WHOLE } LoopHow;

typedef enum LocalKind {
  LOCAL_VALUE,
  LOCAL_CONST,
  LOCAL_ARRAY,       /* of `count` */
  LOCAL_LANES,       /* a register of lanes, each of value a */
  LOCAL_LANES_ARRAY, /* of `count` registers */
  LOCAL_POINTER,     /* to elements */
  LOCAL_SCATTER      /* a dtrt_scatter */
} LocalKind;

typedef struct LoopStmt LoopStmt;
struct LoopStmt {
  LoopStmtKind kind;
  LoopHow how;
  bool goes_on; /* STMT_FOR: the index is a local, goes on from what it is, and stays below or at b
                   with c added */
  LocalKind local;
  DType type; /* STMT_LOCAL; DT_I64: an integer, which is an EXPR_SYMBOL */
  const char *name;
  int64_t count;
  Expr a, b, c;
  LoopStmt *body, *other, *next;
};

/* Integers of the entry that calls, which are the symbols that parameters' values are made of. */
typedef enum EntryInteger {
  INTEGER_BLOCK, /* extent of a dim in the device's block */
  INTEGER_FROM,  /* global index of the block's first element */
  INTEGER_AT,    /* the element that a tile begins with, of tile loop `dim`; its extent */
  INTEGER_LEN,
  INTEGER_KEY, /* of random draws */
  INTEGER_LOW, /* bounds of the band (emit_band.c) */
  INTEGER_HIGH
} EntryInteger;
typedef struct LoopSymbol {
  Expr symbol;
  EntryInteger kind;
  NodeId node;
  int dim;
} LoopSymbol;

/* What a parameter is for; it is named so. */
typedef enum ParamUse {
  PARAM_EXTENT,
  PARAM_OFFSET,
  PARAM_KEY,
  PARAM_FIRST, /* whether a tile is the first */
  PARAM_BOUND
} ParamUse;
typedef struct LoopParam {
  ParamUse use;
  Expr value; /* in the entry */
  int place;  /* among those that the function uses; -1: it does not */
} LoopParam;

typedef struct LoopBuffer {
  NodeId node; /* as seen: gives type and dims */
  bool written;
  Expr room[MAX_RANK]; /* dims as they lie in memory, from the second on */
} LoopBuffer;

typedef struct LoopFunction {
  Exprs *x;
  const char *what; /* for its name */
  LoopStmt *body;
  bool flat;      /* buffers are seen as of one dim */
  bool uses_dev;  /* it takes the device */
  bool returns;   /* an integer */
  NodeId partial; /* whose partial sums lie in the local `partial`; NO_NODE: there are none */
  DType partial_type;
  VEC(LoopSymbol) symbols;
  VEC(LoopParam) params; /* by number */
  VEC(int) used;         /* params in the order of their places */
  VEC(LoopBuffer) buffers;
  /* It may run in parts: the index whose loops then go over part of their range; NULL: it may not.
   * How many iterations there are, and how many a part has at least. */
  const char *part;
  Expr iterations;
  int64_t grain;
  Lookup buffer_at; /* 1 + the place in buffers, by address of the node in the graph */
  Str key;          /* equal of equal functions */
} LoopFunction;

/* A loop that goes over part of its range. */
static inline bool loop_in_parts(const LoopFunction *f, const LoopStmt *s) {
  return f->part && s->kind == STMT_FOR && s->name == f->part;
}
/* The place in `buffers`. */
int loop_buffer(const LoopFunction *f, const Graph *g, NodeId id);

/* The text form, a line for each statement; `names`: loops over the same dims are one line. */
void loop_put(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f, int indent);
/* The element whose index leaves its block, as text; NULL: none. */
const char *loop_verify(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f);

#endif
