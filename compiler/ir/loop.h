/* The loop IR: what runs on one device's blocks, as loops and statements over expressions (expr.h).
 * The emitted C and --dump=loops are printed from this and from nothing else.
 *
 * A loop function computes elements. Its buffers are nodes of the entry's graph, integers that
 * differ between calls are parameters; both are numbered by their first use, so that functions that
 * do the same to other tensors are equal, and one serves both. Law (loop_verify.c): an index into
 * memory that is made of loop indices alone, with no condition around it, lies in the block; loops
 * whose bounds are computed (`within`) apart. And (loop_verify_sum.c): sums of floats have the
 * order of docs/sums.md.
 *
 * An entry is a list of statements, too, which may nest: its steps, and in them tile loops, calls
 * of loop functions and of the runtime's kernels with their epilogues, exchanges, and blocks of
 * steps that run several times. Its memory are views, whose addresses are expressions. Laws
 * (loop_verify_entry): steps count up; a call passes what the function takes; views and the tiles
 * of them that calls are passed lie in their buffers; what is started is awaited; buffers change
 * places at the end of runs of the loop that they are said to before, and are back behind it. */
#ifndef DTG_LOOP_H
#define DTG_LOOP_H
#include "expr.h"
#include "plan.h"

typedef enum LoopStmtKind {
  STMT_FOR,    /* body, for index `name` from a up to b by c */
  STMT_WHILE,  /* body, while a */
  STMT_IF,     /* body if a, else other */
  STMT_LOCAL,  /* declares `name`, of value a (NO_EXPR: none yet) */
  STMT_SET,    /* a, a local or an element of memory, becomes b */
  STMT_STORE,  /* the same of an element; of stores that follow each other no value sees another */
  STMT_CALL,   /* of a */
  STMT_RETURN, /* a */
  STMT_NEXT,   /* the loop around goes on with its next turn */
  STMT_LEAVE,  /* the loop around ends */
  /* Of entries: */
  STMT_STEP,     /* body; step number a of the entry. NO_EXPR: a step within a tile */
  STMT_EXCHANGE, /* a: a list of exchange, from and to for each that is run, or for slot `count`
                    started; NO_EXPR: the end of that slot */
  STMT_REPEAT,   /* body, once for each run of `repeat` */
  STMT_ROTATE    /* buffers of `rotation` change places; `count`: a RotateWhen */
} LoopStmtKind;

typedef enum RotateWhen {
  ROTATE_BEGIN, /* before the loop: the places where they are to be again behind it */
  ROTATE_RUN,   /* at the end of a run */
  ROTATE_END    /* behind the loop: what is wanted is copied there if it is elsewhere */
} RotateWhen;

/* Hints to C compilers in front of a loop: DTRT_PLAIN, ... in dtrt.h. */
typedef enum LoopHow { LOOP_SOME, LOOP_PLAIN, LOOP_OUTER, LOOP_FEW, LOOP_WHOLE, LOOP_LONG } LoopHow;

typedef enum LocalKind {
  LOCAL_VALUE,
  LOCAL_CONST,
  LOCAL_ARRAY,       /* of `count` */
  LOCAL_LANES,       /* a register of lanes, each of value a */
  LOCAL_LANES_ARRAY, /* of `count` registers */
  LOCAL_POINTER,     /* to elements */
  LOCAL_SCATTER      /* a dtrt_scatter */
} LocalKind;

/* A block of steps that are alike but for what they are given: addresses, keys, exchanges. */
typedef struct LoopRepeat {
  int runs, columns;
  const int64_t *given; /* [runs][columns] */
  int first, steps;     /* of the first run; 0 steps: statements of one step */
} LoopRepeat;

typedef struct LoopStmt LoopStmt;
struct LoopStmt {
  LoopStmtKind kind;
  LoopHow how;
  bool goes_on; /* STMT_FOR: the index is a local, goes on from what it is, and stays below or at b
                   with c added */
  bool within;  /* STMT_FOR: the bounds may be narrower than the range of the index */
  LocalKind local;
  DType type; /* STMT_LOCAL; DT_I64: an integer, which is an EXPR_SYMBOL */
  const char *name;
  int64_t count;
  Expr a, b, c;
  const Step *step; /* STMT_STEP, STMT_EXCHANGE; NULL: the copies at the end */
  const LoopRepeat *repeat;
  const Rotation *rotation;
  LoopStmt *body, *other, *next;
};

/* Integers of the entry that calls, which are the symbols that parameters' values are made of. */
typedef enum EntryInteger {
  INTEGER_BLOCK, /* extent of a dim in the device's block */
  INTEGER_FROM,  /* global index of the block's first element */
  INTEGER_AT,    /* the element that a tile begins with, of tile loop `dim`; its extent */
  INTEGER_LEN,
  INTEGER_LOW, /* bounds of the band (tile_nest.c) */
  INTEGER_HIGH
} EntryInteger;
typedef struct LoopSymbol {
  Expr symbol;
  EntryInteger kind;
  NodeId node;
  int dim;
} LoopSymbol;
typedef VEC(LoopSymbol) LoopSymbols;

/* What a parameter is for; it is named so. */
typedef enum ParamUse {
  PARAM_EXTENT,
  PARAM_OFFSET,
  PARAM_KEY,
  PARAM_FIRST, /* whether a tile is the first */
  PARAM_BOUND,
  PARAM_BITS, /* of an f32 */
  PARAM_INDEX /* that does not move */
} ParamUse;
typedef struct LoopParam {
  ParamUse use;
  Expr value; /* in the entry */
  int place;  /* among those that the function uses; -1: it does not */
} LoopParam;

typedef struct LoopBuffer {
  NodeId node; /* as seen: gives type and dims */
  bool written;
  int first; /* dim: those before have index 0 wherever it is used, and are none to the function */
  Expr room[MAX_RANK]; /* dims as stored, from the second on */
} LoopBuffer;

/* A sum or product of floats, as it was when its loops were built: the order of its addends, which
 * no pass over them may change (loop_verify_sum.c). */
typedef enum LoopSumKind { SUM_REDUCED, SUM_RUNNING, SUM_SCATTERED, SUM_OF_PRODUCTS } LoopSumKind;
typedef struct LoopSum {
  NodeId node;
  LoopSumKind kind;
  int dims;
  Expr at[MAX_RANK]; /* indices of the dims that are added up, or along, outermost first; those of
                        several loops over parts of a dim as their sum */
  int lanes;         /* elements that are taken to the lanes at once; 0: none are */
  bool blocks;       /* there is more than a block, so some are combined */
  const char *calls; /* loop_sum_calls */
  VEC(const char *)
  counts;              /* integers from which follow where blocks begin and end, what they are
                          combined with, and when; ... */
  const char *counted; /* ... as loop_sum_counts finds them */
} LoopSum;

typedef struct LoopFunction {
  Exprs *x;
  const char *what; /* for its name */
  LoopStmt *body;
  bool flat;       /* buffers are seen as of one dim */
  bool uses_dev;   /* it takes the device */
  bool draws_once; /* random numbers, in `init`: compiling it takes as long as running it */
  bool fills_first; /* what it calls fills memory before the loop that reads it, and not in it */
  bool returns;    /* an integer */
  const LoopSum *sum; /* NULL: it adds up nothing whose order matters */
  NodeId partial; /* whose partial sums are in the local `partial`; NO_NODE: none */
  DType partial_type;
  LoopSymbols symbols;
  VEC(LoopParam) params; /* by number */
  VEC(int) used;         /* params in the order of their places */
  VEC(LoopBuffer) buffers;
  /* It may run in parts: the index whose loops then go over part of their range; NULL: it may not.
   * How many iterations there are, and how many a part has at least. */
  const char *part;
  Expr iterations;
  int64_t grain;
  /* The helper of dtrt_math.h that joins the sums of `units` units of node `partial`, `size`
   * elements each, when all parts are done; NULL: none. */
  const char *join;
  Expr size, units;
  Lookup buffer_at; /* 1 + the place in buffers, by address of the node in the graph */
  Str key;          /* equal of equal functions */
  int number;       /* in the program: the same of equal ones */
} LoopFunction;

/* The part of a function that does a range at once, from LOOP_PART_FROM to part_to. */
#define LOOP_PART_FROM "part_from"

/* A loop that goes over part of its range. */
static inline bool loop_in_parts(const LoopFunction *f, const LoopStmt *s) {
  return f && f->part && s->kind == STMT_FOR && s->name == f->part;
}

/* A loop over all of [0, b), one after the other. */
bool loop_counts_up(const Exprs *x, const LoopStmt *s);

/* -------- entries -------- */

/* SPACE_SHARED + k: variables with the memory of Plan.shared[k]. */
typedef enum LoopSpace {
  SPACE_ARENA,
  SPACE_VARS,
  SPACE_INPUT,
  SPACE_OUTPUT,
  SPACE_SHARED
} LoopSpace;

/* Memory as a tensor of one type and shape. */
typedef struct LoopView {
  Expr address; /* EXPR_MEMORY, of bytes; SPACE_INPUT, SPACE_OUTPUT: of which input or output */
  DType type;
  int rank;
  Expr room[MAX_RANK]; /* dims as they lie in memory, from the second on */
  NodeId node;         /* whose memory it is */
  bool partial;        /* ... of its partial sums */
  int buffer;
} LoopView;

/* An epilogue: it runs on rows [first_row, end_row) of a kernel's result as soon as they are final;
 * or tiles that cores work on at once, of elements [first_row, end_row) of the outermost loop, by a
 * STMT_CALL, whose last two arguments are its extent and what a part has of it at least.
 * What differs between kernels that share one it is passed: the places and then the integers that
 * are the arguments of EXPR_ROWS, and last what it reads of the kernel's size, to be fetched ahead.
 */
#define LOOP_ALL_ROWS ((int64_t)1 << 40)
typedef struct LoopRows {
  LoopStmt *body;
  const char *what; /* for its name */
  int64_t most;     /* rows at a time */
  bool tiles;       /* they are no epilogue */
  int64_t unit; /* rows that are added up, so one core has them in order; LOOP_ALL_ROWS; 0: none */
  VEC(int) views;
  VEC(int64_t) own; /* by view: tiles_own of its buffer */
  VEC(Expr) integers;
  int ahead;
  int number; /* in the program: the same of equal ones */
} LoopRows;

typedef struct LoopEntry {
  const LocalEntry *le;
  Exprs *x;
  LoopStmt *body;
  LoopSymbols symbols;
  VEC(LoopView) views;
  /* What EXPR_RUN calls, each as it was built for that call. x NULL: it equals an earlier one, and
   * has no more than what it is passed. */
  VEC(LoopFunction) runs;
  const char *outside; /* what is wrong with one of those, as text; or NULL */
  VEC(LoopRows) rows;
  NodeVec exchanges; /* numbered on from those of the entries before */
  int first_exchange;
  uint64_t identity; /* a hash of all that it computes */
} LoopEntry;

/* A function of the emitted C: a loop function or an epilogue, as its first use has it. */
typedef struct LoopUnit {
  const LoopEntry *entry;
  int run, rows; /* -1: it is the other */
} LoopUnit;

typedef struct LoopProgram {
  VEC(LoopEntry *) entries;
  VEC(LoopUnit) units; /* by number; what one calls comes before it */
} LoopProgram;

/* A statement's own expressions, in the order in which they are evaluated, but what is assigned to
 * and the bounds of a loop in parts, which are passed. How many. */
enum { LOOP_EXPRS = MAX_RANK + 2 };
int loop_exprs(const Exprs *x, const LoopFunction *f, const LoopStmt *s, Expr *e);
/* The place in `buffers`. */
int loop_buffer(const LoopFunction *f, const Graph *g, NodeId id);

/* The text form, a line for each statement; loops over the same dims are one line. */
void loop_put(Str *out, const Plan *p, const LocalEntry *le, const LoopFunction *f, int indent);
void loop_put_entry(Str *out, const Plan *p, const LoopEntry *en);

/* The element whose index leaves its block, as text; NULL: none. */
const char *loop_verify(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f);
/* How the order of the function's sum is not what it was when its loops were built, as text; NULL:
 * it is. */
const char *loop_verify_sum(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f);
/* The functions of the runtime that take addends to the lanes and combine blocks, in order. */
const char *loop_sum_calls(Arena *a, const LoopFunction *f);
/* Finds the integers that count a sum's blocks. */
void loop_sum_find_counts(Arena *a, const LoopFunction *f, LoopSum *sum);
/* What they are set to, and under which conditions blocks are combined, in order. */
const char *loop_sum_counts(Arena *a, const LoopFunction *f, const LoopSum *sum);
/* Both, and whether what the function writes lies apart. */
const char *loop_verify_function(Arena *a, const Plan *p, const LocalEntry *le,
                                 const LoopFunction *f);
/* What breaks the laws, as text; NULL: nothing. *where: the step's node. */
const char *loop_verify_entry(Arena *a, const Plan *p, const LoopEntry *en, NodeId *where);

/* What a list of statements uses, each in the order of its first use, and its key: equal of lists
 * that differ in no more than what they are given and which views they use. */
typedef struct LoopUses {
  VEC(int) views;
  VEC(Expr) given;    /* each time that it is used */
  VEC(Expr) integers; /* of the entry: those given, block sizes and offsets */
  Str key;
} LoopUses;
void loop_uses(Arena *a, const LoopEntry *en, const LoopStmt *s, LoopUses *out);
/* A hash of all that an entry computes, the same in each process. */
uint64_t loop_identity(const LoopEntry *en);

#endif
