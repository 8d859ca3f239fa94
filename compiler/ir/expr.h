/* Expressions of the loop IR: what a loop computes at one point of its nest. They are hash-consed:
 * equal expressions have equal numbers, so sharing is visible and comparing is free.
 *
 * Integers (indices, extents, offsets) are kept as linear forms over atoms, with floor division and
 * modulo by positive numbers; a form whose atoms have known ranges is simplified by them, so that
 * an index that a reshape splits and another joins comes out as it went in. Values have the dtype
 * of the tensor; conditions are DT_BOOL. An op defines in OpDef.lower what an element of its result
 * is, as an expression of elements of its operands; that is the only place where index maps are
 * written. */
#ifndef DTG_EXPR_H
#define DTG_EXPR_H
#include "graph.h"

typedef int32_t Expr;
enum { NO_EXPR = -1 };

typedef enum ExprKind {
  EXPR_LINEAR,  /* integer: v + sum of coef[i] * arg[i] */
  EXPR_SYMBOL,  /* integer: `name`, a loop index, an extent, an offset, a key */
  EXPR_PARAM,   /* integer: the loop function's parameter number v */
  EXPR_PRODUCT, /* integer: arg[0] * arg[1], neither constant */
  EXPR_DIV,     /* integer: floor of arg[0] / arg[1] */
  EXPR_MOD,     /* integer: arg[0] - arg[1] * floor of arg[0] / arg[1] */
  EXPR_LESS,    /* condition: arg[0] < arg[1] */
  EXPR_LEAST,   /* condition: arg[0] >= arg[1] */
  EXPR_EQUAL,   /* condition: arg[0] == arg[1] */
  EXPR_AND,     /* condition: of all arguments, in order; each may rely on those before it */
  EXPR_OR,      /* condition: of any argument */
  EXPR_CALL,    /* function `name` of dtrt.h or dtrt_math.h; of any type */
  /* In entries alone (loop.h). A view is memory seen as a tensor: number v. */
  EXPR_GIVEN,  /* integer: v, in place of which steps alike may have another */
  EXPR_COLUMN, /* integer: number v of those that a run of a repeated block is given */
  EXPR_MEMORY, /* address: arg[0] bytes into space v of the device (LoopSpace) */
  EXPR_PLACE,  /* address: of element arg[...] of view v; no arguments: of its first */
  EXPR_AFTER,  /* address: arg[1] elements of the type after arg[0] */
  EXPR_LIST,   /* a struct of dtrt.h called `name`, or within one the array of that name */
  EXPR_RUN,    /* call v of a loop function; of one that runs in parts, its last arguments are how many
                  iterations there are and how many a part has at least */
  EXPR_ROWS,   /* epilogue v of a kernel: what it is passed */
  EXPR_ADDRESS, /* where arg[0], a load or a local, lies; a load without index: its node's memory;
                   v: nothing is written there */
  EXPR_NUMBER,  /* value: a constant, v or real */
  EXPR_COUNT,   /* value: the integer arg[0] */
  EXPR_LOCAL,   /* value: of the function's local `name`, or of its element arg[0] */
  EXPR_LOAD,    /* value: of node v in memory at the index arg[...] */
  EXPR_VALUE,   /* value: the same of one that is in memory or not */
  EXPR_OP,      /* value: elementwise `op` of values */
  EXPR_RANDOM,  /* value: `op`'s draw of the key arg[0], step arg[1] and element arg[2] */
  EXPR_SELECT /* value: arg[i + 1] for the first even i whose condition arg[i] holds, else the last.
                 What is not taken is not computed: its index may be out of bounds. */
} ExprKind;

typedef struct ExprNode {
  ExprKind kind;
  DType type; /* of a value; else DT_I64 or DT_BOOL */
  int n;
  bool reads; /* an element of a tensor is part of it */
  const Expr *arg;
  const int64_t *coef; /* EXPR_LINEAR */
  int64_t v;
  double real;      /* EXPR_NUMBER of a floating-point type */
  Op op;            /* EXPR_OP, EXPR_RANDOM */
  const char *name; /* EXPR_SYMBOL, EXPR_CALL, EXPR_LOCAL: equal names are equal pointers */
  int64_t lo, hi;   /* what an integer can be; INT64_MIN, INT64_MAX: unknown */
  uint64_t hash;
} ExprNode;

/* Nodes lie in blocks that stay where they are: most loops fill one, and none is copied. */
enum { EXPR_BLOCK_BITS = 5, EXPR_BLOCK = 1 << EXPR_BLOCK_BITS };

typedef struct Exprs {
  Arena *arena;
  Names *names;
  int n;
  VEC(ExprNode *) block; /* of EXPR_BLOCK nodes each */
  Expr *slot;            /* hash table, a power of two */
  int nslots;
} Exprs;

/* Argument i is a value that a select may take, no condition of it. */
static inline bool expr_is_part(const ExprNode *n, int i) {
  return n->kind == EXPR_SELECT && (i % 2 || i == n->n - 1);
}

Exprs *exprs_new(Arena *a);
static inline const ExprNode *expr_node(const Exprs *x, Expr e) {
  return &x->block.at[e >> EXPR_BLOCK_BITS][e & (EXPR_BLOCK - 1)];
}

/* Integers. */
Expr expr_int(Exprs *x, int64_t v);
Expr expr_symbol(Exprs *x, const char *name, int64_t lo, int64_t hi);
/* The same of `bytes` in place of a name, for what is compared and not printed. */
Expr expr_symbol_of(Exprs *x, const void *key, size_t bytes, int64_t lo, int64_t hi);
Expr expr_param(Exprs *x, int number, int64_t lo, int64_t hi);
Expr expr_add(Exprs *x, Expr a, Expr b);
Expr expr_sub(Exprs *x, Expr a, Expr b);
Expr expr_mul(Exprs *x, Expr a, Expr b);
Expr expr_scale(Exprs *x, Expr a, int64_t by);
Expr expr_div(Exprs *x, Expr a, Expr b); /* b is positive */
Expr expr_mod(Exprs *x, Expr a, Expr b);
bool expr_is_int(const Exprs *x, Expr e, int64_t *v); /* a known one */
bool expr_mentions(const Exprs *x, Expr e, const char *symbol);

/* Conditions: true and false are the integers 1 and 0. */
Expr expr_compare(Exprs *x, ExprKind how, Expr a, Expr b);
Expr expr_within(Exprs *x, Expr i, Expr from, Expr to); /* from <= i < to */
Expr expr_and(Exprs *x, Expr a, Expr b);
Expr expr_or(Exprs *x, Expr a, Expr b);
bool expr_is_true(const Exprs *x, Expr e);
bool expr_is_false(const Exprs *x, Expr e);

Expr expr_call(Exprs *x, const char *name, DType type, int n, const Expr *arg, int64_t lo,
               int64_t hi);

/* An index that is data, where `reach` elements behind it are read or written, too: checked against
 * the size, unless it is a number that lies within. */
Expr expr_index(Exprs *x, Expr i, int64_t reach, int64_t size);

/* A call that is passed the device first, as it may end the program. */
bool expr_takes_device(const ExprNode *n);

/* One of those of entries. `name` may be NULL. */
Expr expr_of_entry(Exprs *x, ExprKind kind, DType t, int64_t v, const char *name, int n,
                   const Expr *arg);
/* The same expression in `to`, `atom` being asked first, from the outside in and in order, what
 * stands for a part of it; NO_EXPR: it does itself. */
typedef Expr (*ExprAtom)(void *user, Expr e);
Expr expr_rebuild(Exprs *to, const Exprs *from, Expr e, ExprAtom atom, void *user);
/* The same within x, each part once however often it is shared. `now`: by expression, 1 + what it
 * is already known to be, or 0. */
Expr expr_rewrite(Exprs *x, Expr e, Expr *now, ExprAtom atom, void *user);

/* Values. */
Expr expr_number(Exprs *x, DType t, double real, int64_t whole);
Expr expr_count(Exprs *x, DType t, Expr i);
Expr expr_op(Exprs *x, Op op, DType t, int n, const Expr *arg);
/* expr_decide.c: between which integers a value of an integer type is, where that is known. */
bool expr_range(const Exprs *x, Expr e, int64_t *lo, int64_t *hi);
/* Gives a choice between integers the range of its parts; another stays unknown. */
void expr_range_of_parts(const Exprs *x, ExprNode *select);
/* Which of its arguments an op is, by their ranges: of a choice, or of the larger or smaller of
 * two; or what a comparison is. */
enum { UNDECIDED = -1, DECIDED_FALSE = -2, DECIDED_TRUE = -3 };
int expr_decided(const Exprs *x, Op op, int n, const Expr *arg);
Expr expr_random(Exprs *x, Op op, DType t, Expr key, Expr step, Expr i);
Expr expr_element(Exprs *x, ExprKind kind, DType t, NodeId id, int n, const Expr *index);
Expr expr_local(Exprs *x, DType t, const char *name, Expr index); /* NO_EXPR: of no array */
Expr expr_address(Exprs *x, Expr of);
Expr expr_address_read(Exprs *x, Expr of); /* of what is read there alone */
/* n arguments: conditions and values in turn, and last the value where none holds. */
Expr expr_select(Exprs *x, int n, const Expr *arg);

/* The text form: `select(i >= 1, x[i - 1], 0) * 2`. `names`: by expression, what stands for it;
 * NULL: nothing does. */
typedef struct ExprNames {
  const char *const *at;
  int n;
  const char *(*value)(void *user, NodeId id); /* NULL: node_text */
  const char *(*view)(void *user, int64_t v); /* of a place, a run, an epilogue: EXPR_PLACE ... */
  const char *(*called)(void *user, int64_t v);
  /* Where the memory of an EXPR_LOAD begins that is seen as a part of a tensor: what is added to the
   * index of dim d; NULL: nothing, or `value` says where. NULL: all is seen whole. */
  const char *(*begin)(void *user, NodeId id, int d);
  void *user;
} ExprNames;
void expr_put(Str *out, const Exprs *x, const Program *p, const Graph *g, Expr e,
              const ExprNames *names);

/* -------- lowering -------- */

/* An index into a device's block of a tensor: one for each dim, or one over all elements. */
typedef struct At {
  Expr flat; /* NO_EXPR: */
  Expr dim[MAX_RANK];
} At;

/* What an op's `lower` is written in terms of. */
typedef struct Lower Lower;
struct Lower {
  Exprs *x;
  const Graph *g;
  const Mesh *mesh;
  void *user;
  Expr (*value)(Lower *l, NodeId id, const At *at); /* an element, wherever it comes from */
  Expr (*load)(Lower *l, NodeId id, const At *at);  /* an element that has to be in memory */
  Expr (*extent)(Lower *l, const Node *n, int dim); /* of the device's block */
  Expr (*offset)(Lower *l, const Node *n, int dim); /* global index of the block's first element */
  /* How far a tile's part of n begins behind that of another node in dims of one layout; NULL: they
   * begin together. */
  Expr (*behind)(Lower *l, const Node *n, int dim, const Node *other, int other_dim);
  Expr (*key)(Lower *l, const Node *n);             /* of a random draw */
};

/* An EXPR_LOAD or EXPR_VALUE of a node at an index. */
Expr lower_element(Lower *l, ExprKind kind, NodeId id, const At *at);
/* For a Lower that leaves operands as they are: elements of them, and keys that are numbers. */
Expr lower_leaf_value(Lower *l, NodeId id, const At *at);
Expr lower_leaf_load(Lower *l, NodeId id, const At *at);
Expr lower_leaf_key(Lower *l, const Node *n);
/* Such a one over whole tensors, as if no device had cut them; and n's index there, a symbol a dim. */
Lower lower_whole(Exprs *x, const Graph *g);
At lower_whole_index(Lower *l, const Node *n);
/* What an element is computed as, as far as ops say. Values for which `stops` (or NULL) holds stay
 * as they are. */
Expr lower_out(Lower *l, Expr e, bool (*stops)(const Lower *l, NodeId id));
/* What a value is at an index, by its op: OpDef.lower, or its operands' values at the same index.
 */
Expr lower_node(Lower *l, NodeId id, const At *at);

#endif
