/* The middle of the compiler: one graph per entry. A node computes one tensor from earlier nodes;
 * nodes are identified by ids, not pointers, and the array is in topological order. A pass that
 * changes structure writes a new graph. In a global graph shapes are those of the whole tensor and
 * `layout` is inferred; in a local graph (after `partition`) `shape` is still the whole tensor's,
 * `layout` is the box that the device holds, and only nodes of op `exchange` communicate with
 * other devices. */
#ifndef DTG_GRAPH_H
#define DTG_GRAPH_H
#include "dtype.h"
#include "layout.h"
#include "machine.h"

typedef int32_t NodeId;
typedef VEC(NodeId) NodeVec;
enum { NO_NODE = -1 };

typedef const struct OpDef *Op; /* its definition: op.h */

/* A user's annotation of a tensor's layout. A dim is closed (kept as annotated) or open to
 * inference. */
typedef struct Spec {
  int rank;
  DimLayout dim[MAX_RANK];
  uint32_t open;    /* set of dims left to inference */
  uint32_t partial; /* set of axes */
  Reduce reduce;
  Span span;
} Spec;

/* Of a value rounded to be kept: stored, so that what it is rounded from need not be. */
typedef enum Keep {
  KEEP_NOT,
  KEEP_DEAR, /* if it is not cheap to make again */
  KEEP_ALWAYS,
  KEEP_FETCHED /* none, but of another device: the backward pass of a loop does not ask again */
} Keep;

typedef struct Node {
  Op op;
  DType dtype;
  Shape shape;
  int noperands;
  const NodeId *operand;
  int nattr;
  const int64_t *attr; /* integer attributes, as each op's definition lists them */
  double value;        /* const, pad: the fill value */
  int64_t whole;       /* the same of a whole-number dtype, which a double may not hold */
  const char *name;    /* path of the user's name, "train.logits", "model.d1.output"; NULL: none */
  const char *text;    /* OPC_TELL: what the runtime is given, line by line; else NULL */
  Span span;
  Span site; /* the innermost call outside the shipped library that led to it; file 0: the span
                itself is */
  const Spec *spec;     /* annotated by the user; NULL: not annotated */
  const Layout *layout; /* NULL before propagate */
  Span forbid;          /* the statement that forbids gathering it; file 0: none */
  int precision;        /* of products and convolutions: 1 + the Precision they follow; 0: none */
  bool back;            /* of a gradient's way back; until the pass `precision` */
  bool stores;          /* ... and no gradient: it stores a value for that, or is the stored one */
  int within;           /* 1 + the branch that it is written in, and runs in; 0: none */
  Keep keep;
  /* Of a product in panels and the exchanges with it (passes/schedule/panels.c): which such product
   * of the entry, and which panel of how many, from 1 on; 0: it is whole. */
  int32_t in_panels;
  uint8_t panel, panels;
  int32_t tag; /* its number before layouts come in: the same value's on any mesh; 0: it has none */
} Node;

typedef enum View { VIEW_GLOBAL, VIEW_LOCAL } View;

/* How many nodes before one have the same op on the same line; made when a text first needs it. */
typedef struct Ordinals {
  int n; /* of how many nodes */
  const int32_t *nth;
} Ordinals;

typedef struct Graph {
  Arena *arena;
  View view;
  VEC(Node) nodes;
  Ordinals *ordinals;
  uint64_t *verified; /* a hash of the nodes as they were when they were last found right, or 0 */
} Graph;

/* `nodes`: about how many it will have. */
Graph *graph_new(Arena *a, View view, int nodes);
NodeId graph_add(Graph *g, const Node *n); /* copies operands and attributes */
static inline Node *graph_node(const Graph *g, NodeId id) { return &g->nodes.at[id]; }
static inline Node *graph_operand(const Graph *g, const Node *n, int i) {
  return &g->nodes.at[n->operand[i]];
}
/* The largest block of it. */
static inline Shape node_local(const Mesh *m, const Node *n) {
  return layout_local(m, n->layout, &n->shape);
}

/* param or state */
typedef struct Var {
  const char *path;
  DType dtype;
  Shape shape;
  bool trainable; /* param */
  int key;     /* of a state of a family: 1 + the variable that is its key, as w of m[w]; else 0 */
  int stacked; /* how many of its first dims are of stacks of layers */
  Span span;
  const Spec *spec;
  const Layout *layout; /* NULL before propagate; the same in every entry */
  Span forbid;          /* as of a node: also of what is assigned to it */
  Span forbid_keep;     /* the statement that makes each use fetch it again; file 0: none */
} Var;

typedef struct Input {
  const char *name;
  NodeId node;
  const char *dim_const[MAX_RANK]; /* the `const` a dim was written as, or NULL: `u8[batch, 28]` */
} Input;

typedef struct Output {
  const char *name;
  NodeId node;
  Span span;
  const Spec *spec;
  const Layout *layout;
} Output;

typedef struct Assign {
  int var;
  NodeId node;
  Span span;
} Assign;

/* A part of an entry that a condition decides on while the program runs: a loop, which runs as long
 * as it holds, or a branch, which runs once or not at all. Its nodes are nodes of the entry's
 * graph.
 *
 * A value that it changes is a *carry*: `node`, of op `carry`, is what it is when a run of the body
 * begins, at first its operand; `next` what it is when that run ends; and an `after` node of the
 * carry what it is behind the region. All of them have one layout and one place in memory.
 *
 * A node belongs to the innermost region whose carries it depends on, so what does not depend on
 * the iteration is outside of the loop, or to the branch that it is written in if that is further
 * in (regions_find): where the branch is not taken, an index may be out of range, and a value or
 * its gradient not finite. */
typedef enum RegionKind { REGION_LOOP, REGION_BRANCH } RegionKind;

typedef struct Carry {
  NodeId node, next;
  const char *name; /* as written; NULL: the compiler's own, as the number of a run */
  Span span;        /* where it was bound before */
  bool variable;    /* what a variable is in the body */
} Carry;

/* What loops of an entry keep for gradients that go back through them (reverse.c). */
enum { KEEP_LEVELS = 3 };
typedef struct LoopsKeep {
  /* A loop of n runs is computed again in segments of n^power[0] runs, each of which is in segments
   * of n^power[1], and so on; 0 is one run. */
  int levels;
  double power[KEEP_LEVELS];
  bool again; /* not so: a gradient of the gradient is wanted */
} LoopsKeep;

typedef struct Region {
  RegionKind kind;
  int parent; /* the region around it, which comes before it; NO_REGION: none */
  Span span;
  NodeId condition; /* bool[]; NO_NODE: nothing needs the region any more */
  VEC(Carry) carries;
  int64_t turns; /* of a loop whose number of runs is known; else TURNS_UNKNOWN */
  int64_t most;  /* then: it runs no more often than that; 0: nothing is known */
  int64_t as_one; /* of a device's loop: how many runs as written one of it is; 0: one */
  bool rest;      /* ... it does the runs that such a loop before it left */
  double mean;    /* ... runs expected while its cost is looked at; 0: see region_runs */
  /* Of a loop that a gradient goes back through: */
  bool gone_back;
  bool differentiated_again; /* and a gradient of that, so that all of its runs is kept */
  /* What it carries is kept at each segment[0] runs, and the runs are computed again from there; in
   * them at each segment[1] runs, and so on. 0: all that the backward pass requires is kept. */
  int64_t segment[KEEP_LEVELS];
} Region;
enum { NO_REGION = -1, TURNS_UNKNOWN = -1 };

typedef struct Entry {
  const char *name;
  Span span;
  Graph *graph;
  VEC(Region) regions;
  VEC(Input) inputs;
  VEC(Output) outputs;
  VEC(Assign) assigns; /* at most one a variable: its last value */
} Entry;

/* A layout statement and what came of it. */
typedef struct Statement {
  Span span;                 /* of its target */
  VEC(const char *) gave;    /* the tensors that it gives their layout (or forbids gathering) */
  VEC(const char *) yielded; /* those it names, but for which a stronger or earlier statement ... */
  VEC(Span) to;              /* ... has spoken, which is here */
} Statement;

/* A `precision` statement: products of f32 tensors round their operands to bf16 or f16 before they
 * multiply them. The pass `precision` writes that out as casts. */
typedef struct Precision {
  Span span;
  DType dtype;      /* DT_F32: they do not */
  bool activations; /* so are activations, where they are kept: the pass `shorten` */
} Precision;

/* A const of the sources (those of the library apart), with its value as text. */
typedef struct Constant {
  const char *name, *value;
} Constant;

typedef struct KnownExchanges KnownExchanges;

/* All that elaboration makes of the sources. entries.at[0] is `init`: it has no inputs and assigns
 * every variable its first value. */
typedef struct Program {
  Arena *arena;
  Diag *diag;
  Mesh mesh; /* naxes == 0: one device */
  const Machine *machine;
  bool fast_sums; /* a host sends one sum of partial values (--sums=fast) */
  LayoutSet *layouts;
  Span forbid;                 /* the statement that forbids gathering any tensor; file 0: none */
  Span forbid_keep;            /* ... and that no variable's copies may be kept */
  VEC(Statement *) statements; /* in order, those of the command line last */
  VEC(Precision) precisions;
  VEC(Var) vars;
  VEC(Entry) entries;
  /* What finding layouts has taken so far: steps, of about a nanosecond each on no particular
   * machine, so that searches that it bounds find the same on all. */
  double effort;
  KnownExchanges *known; /* cache of exchanges (exchange_dims.h); NULL: none is kept */
  VEC(Constant) constants;
  const struct Parsed *parsed; /* for compilations of variants (frontend.h) */
} Program;

/* By node: the region that it belongs to, or NO_REGION. */
int *regions_find(Arena *a, const Entry *e, const Graph *g);
bool region_within(const Entry *e, int region, int outer); /* it is that, or in it */
int region_loop(const Entry *e, int region); /* the innermost loop that it is, or is in; NO_REGION */
/* Before gradients are written out: what is read from outside of the branch that it is written in
 * (a constant of the program, which the first use computes) is computed outside of it. */
void regions_settle(Arena *a, const Entry *e);
/* It has an index to check, or more of them. */
bool node_may_fail(const Graph *g, const Node *n);
/* A node that is read where the region that it is in may not have run; NO_NODE: there is none. */
NodeId regions_broken(Arena *a, const Entry *e);
/* Once gradients are written out, a value in a branch within a loop that does not depend on its
 * runs need not stay there if all it does is to be computed: it is, once and before the loop. */
void regions_loosen(const Entry *e);
/* It may not run at all: a branch, or a loop whose number of runs is 0 or not known. */
bool region_may_rest(const Region *r);
/* The innermost region that is around both, or is both. */
int regions_common(const Entry *e, int r, int other);
/* How often the body of a region is taken to run each time that it is reached: a branch once, as if
 * it were taken; a loop as often as is known, else as often as it may at most, else
 * REGION_RUNS_GUESS times. */
enum { REGION_RUNS_GUESS = 10 };
double region_runs(const Region *r);
/* By node: how often that makes it run in a call, at least once and at most REGION_RUNS_MOST times,
 * by which costs are weighed. */
enum { REGION_RUNS_MOST = 1000000 };
double *regions_runs(Arena *a, const Entry *e, const Graph *g);
/* The entry has graph g now: all that names nodes follows map, by old node. Carries that are gone
 * leave their regions. */
void entry_rewritten(Entry *e, Graph *g, const NodeId *map);

int program_find_entry(const Program *p, const char *name); /* -1 */
int program_find_var(const Program *p, const char *path);   /* -1 */

#endif
