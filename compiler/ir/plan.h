/* The program of one device: the local graphs, how their nodes are grouped into loops, their
 * order, and the offsets of their values. `partition` creates it, the passes of schedule/
 * complete it, loops and the backend read it.
 *
 * A local node's `shape` is the whole tensor's and its `layout` the box of it that a device holds,
 * so the plan is the same for every device and its size does not depend on their number. */
#ifndef DTG_PLAN_H
#define DTG_PLAN_H
#include "op.h"

/* A tensor that propagate gives a layout. */
typedef enum TensorKind { TENSOR_NODE, TENSOR_VAR, TENSOR_OUTPUT } TensorKind;
typedef struct TensorId {
  TensorKind kind;
  int entry; /* not of a variable */
  int index; /* of the node, the variable or the output */
} TensorId;

typedef enum ReasonKind {
  WHY_NOTHING,   /* the axis does not cut the tensor */
  WHY_ANNOTATED, /* by the user's statement `said` */
  WHY_FROM,      /* from tensor `from`, by an op or an equality */
  WHY_KEPT,      /* the program that this one is a variant of has it so */
  WHY_SHARED,    /* the devices of the axis share the work of the variable's update */
  WHY_CHEAPEST   /* of an output, or what a loop carries, that is not annotated */
} ReasonKind;

/* How `from` won where an op's tensors bring several lists of axes for one factor. */
typedef enum Won { WON_ALONE, WON_LONGEST, WON_LARGEST } Won;

/* Why an axis splits a tensor. Invariant: `from` had the axis before, so that a chain of reasons
 * ends. */
typedef struct Reason {
  ReasonKind kind;
  Won won;
  Span said;
  TensorId from;
  /* Where the op stands, and the op. NO_NODE: `from` is the value that a variable or an output is
   * given, or the reverse. */
  int entry;
  NodeId op;
} Reason;

/* What propagate leaves for one tensor. An axis cuts one dim of it at most. */
typedef struct Inferred {
  Reason why[MAX_AXES]; /* by axis of the mesh */
} Inferred;

/* What `updates` adds to the layout that propagate finds for a variable that is not annotated.
 */
typedef struct Added {
  int dim;       /* that is cut ... */
  uint32_t axes; /* ... over these, after what cuts it already */
  bool closed;   /* it takes no other axes then */
} Added;

/* A list of axes that some op would have a dim cut over, where another has the dim, or the axes, by
 * now: all tensors of one shape where it is so. When it is `held`, the list has the dim, and no
 * other dim its axes. */
typedef struct Contest {
  Shape shape;
  int dim, naxes, axis[MAX_AXES];
  VEC(TensorId) tensors;
  bool held, tried;
} Contest;
typedef struct Contests {
  VEC(Contest) at;
  bool known; /* the search is over */
} Contests;

typedef enum StepKind {
  STEP_MAP,      /* one loop nest that stores one or several nodes of the same local shape */
  STEP_REDUCE,   /* one loop nest with accumulators for one node */
  STEP_KERNEL,   /* a call of the runtime (a product, a sort ...), calls in loops, or in its place loops */
  STEP_SCATTER,
  STEP_EXCHANGE, /* one exchange, or several as one; or only their start */
  STEP_TILES,    /* several of the first three, tile by tile, or in the epilogue of a kernel */
  STEP_WAIT      /* the end of what a STEP_EXCHANGE with this slot has started; the same nodes */
} StepKind;

typedef struct Tiles Tiles;
/* Dims of a value whose indices make the row of a table, the outermost first: row 1024 * i + k of
 * [i, j, k]. */
typedef struct RowDims {
  int n, dim[MAX_RANK];
} RowDims;

typedef struct Step {
  StepKind kind;
  NodeVec nodes; /* what it stores */
  uint8_t slot;      /* of exchanges that are started, and of their end; 0: done at once */
  int segment;       /* between which bounds it stands: LocalEntry.bounds */
  const Tiles *tile; /* STEP_TILES */
  int named; /* 1 + a scatter: of the rows of its table those alone that its indices name; 0: all */
  RowDims rows; /* those of a map that is named */
} Step;
typedef VEC(Step) StepVec;
static inline bool step_moves(const Step *s) { /* exchanges, their start or their end */
  return s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT;
}
static inline bool step_loops(const Step *s) {
  return s->kind == STEP_MAP || s->kind == STEP_REDUCE;
}

/* Steps that loop together over dims that all of them carry. A tile is what they make in one turn;
 * a value without other uses (`inner`) has memory for one tile only.
 *
 * Of an epilogue the first step is a kernel, a product or a convolution, that runs as a whole. The
 * leading dims of its result are one loop over rows; the others steps run upon rows as soon as they
 * are final, from the first to the last. */
enum {
  MAX_TILE_LOOPS = 8,
  NO_LOOP = -1,
  IN_ROWS = -2 /* a dim that is part of the loop over rows */
};
typedef struct TileLoop {
  NodeId node; /* a dim it runs over: its extent is the loop's */
  int dim;
  int64_t most; /* elements of a tile; the last may have fewer */
} TileLoop;
typedef struct TileNode {
  NodeId node;
  int8_t loop[MAX_RANK]; /* by dim: the loop that runs over it, IN_ROWS or NO_LOOP */
  uint32_t sums;         /* set of loops over which it is added up, tile by tile */
  bool inner;
  bool beyond; /* steps read it beyond the tile's part, too: in other turns it is as it was */
} TileNode;
/* A `where` of a mask of indices. */
typedef struct BandMask {
  NodeId node;
  int dead; /* the operand that it is outside of the band */
} BandMask;
/* The band of a tile's scores that masks leave alive: low <= column - row < high, of all tensors
 * of the space of `of` that the tile makes; the column is their last dim. Nothing reads what they
 * are elsewhere, or it is 0 there, provided that `vanishes` is 0 wherever the masks require it,
 * which has to be seen before step `at`. */
typedef struct TileBand {
  NodeId of; /* NO_NODE: there is no band */
  int row;   /* dim */
  int64_t low, high;
  VEC(BandMask) masks;
  NodeId vanishes; /* NO_NODE: there is nothing to see to */
  int at;          /* in the tile's steps */
} TileBand;
enum { BAND_FAR = 1 << 30 /* no bound */ };
struct Tiles {
  bool epilogue; /* of steps.at[0]; the loop is over rows, `most` of them at a time */
  int64_t unit;  /* what is added up from turn to turn is added in units of so many turns at most,
                    which are joined when all is over; 0: there is nothing, or in order from the
                    first turn to the last */
  int nloops;
  TileLoop loop[MAX_TILE_LOOPS]; /* outermost first */
  StepVec steps;
  VEC(TileNode) nodes; /* all that the loops of these steps touch and that a tile has a part of */
  Lookup at;           /* 1 + the place in `nodes`, by address of the node in the graph */
  TileBand band;
};
const TileNode *tiles_node(const Tiles *s, const Graph *g, NodeId id); /* NULL: it has no tiles */
/* The tile makes it, in the band alone. */
bool tiles_in_band(const Tiles *s, const Graph *g, NodeId id);
bool tiles_made_before(const Tiles *s, int step, NodeId id);
static inline bool tiles_make(const Tiles *s, NodeId id) {
  return tiles_made_before(s, s->steps.n, id);
}
/* Turns of the outermost loop, or of an epilogue's rows: at most how many there are on a device, and
 * whether they write apart, as nothing is added up over them. */
int64_t tiles_turns(const Mesh *m, const Graph *g, const Tiles *s);
bool tiles_apart(const Tiles *s, const Graph *g);
/* What a tile alone has lies in the arena for the first core of the device; another core, which
 * works on other tiles meanwhile, has it in so many bytes of its own. own: by buffer, 1 + the
 * offset there, or 0; zeros before. */
struct LocalEntry;
int64_t tiles_own(const struct LocalEntry *le, const Tiles *s, int64_t *own);
void tiles_own_none(const struct LocalEntry *le, const Tiles *s, int64_t *own); /* zeros again */

/* Where a node's value is. Several nodes may share a buffer: a reshape its operand's, an update the
 * variable's. */
typedef enum Place { PLACE_ARENA, PLACE_VAR } Place;

typedef struct Buffer {
  Place place;
  int64_t offset, bytes; /* bytes: of the largest block */
  int var;               /* PLACE_VAR */
  int first, last; /* steps during which it lives; -1: from the beginning; nsteps: to the end */
  NodeId node;     /* the node it was made for; names it */
  bool scratch;    /* holds partial results while the node is computed */
  bool rotates;    /* it is in one of the rotations of a region */
  int output; /* 1 + the output whose value alone it holds, and which the host may pass the memory
                 for (output_place.c); 0: none */
} Buffer;

/* A whole buffer into another, after the last step: into a variable or an output. */
typedef struct Copy {
  int from, to;
} Copy;
typedef VEC(Copy) Copies;

/* Where a region begins, where a loop reads its condition, and where the region ends, among the
 * steps: bound k stands between the steps of segment k and those of segment k + 1. A pass may join
 * and move steps of one segment only. */
typedef enum BoundKind { BOUND_BEGIN, BOUND_TEST, BOUND_END } BoundKind;
typedef struct Bound {
  BoundKind kind;
  int region;
} Bound;

/* A region as one device runs it. The step that makes a carry stands before the region and gives it
 * its first value. */
typedef struct LocalCarry {
  NodeId node, next;
} LocalCarry;
/* Buffers of one size that change places at the end of each run of a loop, so that nothing is
 * copied: buffer i of the list is then where buffer i + 1 was, the last one where the first was.
 * Behind the loop each is in its own place again. */
typedef struct Rotation {
  VEC(int) buffers;
  VEC(int) wanted; /* those of them whose contents are read behind the loop */
  int between;     /* where one is copied by way of, if several are wanted; else -1 */
} Rotation;
typedef struct LocalRegion {
  NodeId condition; /* NO_NODE: nothing needs the region */
  VEC(LocalCarry) carries;
  /* At the end of each run, of what was not made in its carry's place: */
  VEC(Rotation) rotations;
  Copies copies;
} LocalRegion;

/* Whether an input may stay with the host, or an output be made there: numbered as in dtrt.h. */
typedef enum Lent { NOT_LENT, LENT_TO_ALL, LENT_TO_ONE } Lent;

typedef struct LocalEntry {
  const Entry *entry;
  int index;
  Graph *graph;
  NodeId *input, *output, *assign; /* local nodes, beside entry->inputs, ->outputs, ->assigns */
  LocalRegion *region;             /* beside entry->regions */
  VEC(Bound) bounds;
  Lent *lent;         /* by input */
  NodeVec origin; /* the global node that each local node came from */
  bool *again;        /* by node: a second computation, to save memory; NULL: there is none */
  VEC(bool) is_again; /* the same while it is made */
  NodeVec cause;  /* exchanges: the global node that required it, or NO_NODE */
  StepVec steps;
  bool *stored;        /* by node: has a buffer */
  int *body;           /* by node: computations in its loop, as stored values were found */
  int64_t *tile_bytes; /* by node: of its buffer, when that is for one tile; else 0 */
  /* By node: an exchange that brings the device what it does not have itself, around its block;
   * what reads it reads the block where it is (borders.c). NULL: none is so. */
  bool *borders;
  bool *unfilled; /* by node: a carry whose first value nothing reads (fills.c); NULL: none */
  /* By node: of such a carry, the tensor in whose place its rows are written, each when the same
   * row of that has been read for the last time (row_place.c), or NO_NODE. NULL: none. */
  NodeId *over_rows;
  bool *bypass;   /* by node: loops write it past the caches (bypass.c); NULL: none is so */
  int *buffer;    /* by node: index, or -1 */
  int *scratch;   /* by node: the buffer of partial results (sum_scratch) while it is made, or -1 */
  /* By node with a buffer: the step that makes it, -1 if it is there from the beginning, and the
   * last that reads it, -1 if none does; steps.n: it is used at the end. */
  int *made_at, *last_read;
  VEC(Buffer) buffers;
  Copies copies;
  int *output_buffer;          /* beside entry->outputs; all in the arena */
  const struct Choice *choice; /* how each op was chosen to be computed, and what else there was */
  int64_t arena_bytes;
  int64_t own_bytes;  /* of a core beside the first: for tiles that cores work on at once */
  int64_t live_bytes; /* the most that is alive at once: no plan can need less */
  uint64_t verified;  /* a hash of nodes and steps when they were last found right, or 0 */
} LocalEntry;

/* A tensor that a plan has whole on every device, although it is split and may not be gathered. */
typedef struct Forbidden {
  int entry;
  NodeId node;        /* global */
  NodeId consumer;    /* the op that requires the full tensor, or the node itself */
  int output, assign; /* of the entry, which require it; -1: the consumer does */
  Span by;            /* the statement that forbids it */
  const char *cure;   /* the cheapest edit without it, as a note; NULL: not searched */
  Span cure_at;
} Forbidden;

/* Which values have memory of their own, for checks that look at each after the step that makes it
 * (dtrt_watch). The local graphs, with their layouts and exchanges, are the same but for panels; steps
 * are neither fused nor moved. */
typedef enum Observe {
  OBSERVE_NOTHING,
  OBSERVE_NAMED, /* those with a name too: the user's, gradients */
  OBSERVE_ALL    /* all but constants and masks of indices; none is made in another's place */
} Observe;

/* Optimizations that are not whole passes but can be left out; pipeline.c has their names. */
typedef enum Feature {
  FEATURE_INLINE = 1,    /* a value is computed where it is read instead of being stored */
  FEATURE_ROWS = 2,      /* loops over the same rows run tile by tile */
  FEATURE_BAND = 4,      /* what masks of indices take away is not computed */
  FEATURE_EPILOGUE = 8,  /* loops run in the product or convolution whose result they read */
  FEATURE_REPEAT = 16,   /* steps that repeat become a function */
  FEATURE_ASSERT = 64,   /* what the program checks while it runs */
  FEATURE_PRINT = 128,   /* ... and prints */
  FEATURE_SHARE = 256,   /* replicas of a variable in one process have one memory */
  FEATURE_STORING = 512, /* a reduction stores what the loop before it would */
  FEATURE_TILE = 32      /* steps run tile by tile: products, loops over rows, epilogues */
} Feature;
/* What --disable names: sets of passes, by place in the pipeline, and of features. */
typedef struct Disabled {
  uint64_t passes;
  uint32_t features;
} Disabled;

typedef struct Plan Plan;
struct Plan {
  Arena *arena;
  Arena *scratch; /* of what a function forgets at its end: marked, then released */
  Program *program;
  bool single; /* one device, whatever mesh and layouts the program has */
  Observe observe;
  Disabled disabled;
  int repeat_saves;           /* steps that a block of repeated steps saves at least; 0: as usual */
  struct LoopProgram *loops;  /* what a device runs (loop.h), from `statements` on */
  const Plan *variables_of;   /* a variant of this plan, whose variables' layouts it has; or NULL */
  const Plan *variables_as;   /* variables keep the layouts of this plan; NULL: none */
  const Inferred ***inferred; /* [entry][node] */
  const Added *added;         /* [var]; NULL: nothing */
  Contests *contests;
  struct Propagate *propagated; /* by `propagate`, with nothing added; NULL: there is none */
  bool outputs_anywhere; /* of an entry being searched: outputs that are not annotated cost nothing
                          */
  /* [entry], from `choose` on; before, where `contest`, `updates` or `outputs` has tried the
   * layouts as they are now, NULL: not */
  struct Choice **chosen;
  struct WaysCache *ways; /* of `plan_ways`; NULL: none yet */
  Inferred *var_inferred; /* [var] */
  VEC(LocalEntry) entries;
  VEC(Forbidden) forbidden;
  bool lists_forbidden; /* they are no errors: an edit is tried */
  /* Fills in the cures of `forbidden`, by a floor above; the entries have no steps yet. */
  void (*cure)(void *user, Plan *p);
  void *cure_user;
  int64_t *var_offset, vars_bytes;
  /* Sets of axes along which some variables are whole, whose replicas share memory; by variable, 1
   * + the index there, or 0 (share.c). */
  VEC(uint32_t) shared;
  int *var_shared;
  /* By variable, or NULL: it is not shared, and it is and takes a copy (memory.c). */
  bool *var_apart, *var_copied;
  int64_t memory;              /* bytes that variables and arena of a device may take; 0: any */
  const LoopsKeep *loops_keep; /* [entry]; NULL: all that the backward pass requires */
  const Plan *all_kept;        /* the same program with all of it kept; NULL: this one is */
  const Plan *alike;           /* what this one has too is laid out and computed as there; or NULL */
  bool trying;                 /* what does not fit is no error: there will be another attempt */
  /* For passes that judge a plan by what later ones make of it, over a plan whose entries have
   * graphs and nothing after them: all that arranges what one device runs, to where it lies in
   * memory; and to before that, which is all that a modelled time depends on. */
  void (*place)(Plan *p), (*steps)(Plan *p);
};

static inline bool plan_has(const Plan *p, Feature f) { return !(p->disabled.features & f); }

/* Whether `updates` split the variable, which is not annotated: shared weight update. */
bool plan_shares_update(const Plan *p, int var);

/* What an exchange is. */
typedef struct Exchange {
  int kind;         /* DTRT_COPY ... */
  uint32_t axes;    /* along which data moves */
  uint32_t settled; /* of these, those whose terms are combined */
  uint32_t alike;   /* of these, those along which all need the same */
  uint32_t idle;    /* others, along which devices do the same */
  int64_t bytes;    /* that one device receives (the most any does) */
  int64_t group;    /* devices that take part together */
  int64_t senders;  /* devices that one device receives from (the most any does) */
  int64_t most;     /* bytes of the largest block of the operand */
  int64_t terms;    /* of each element of the result */
  int64_t size;     /* bytes of an element */
  int64_t wide;     /* and of a sum of several before it is rounded */
  int64_t run;      /* contiguous bytes of what moves, in source and destination */
} Exchange;
Exchange exchange_of(const Program *p, const Layout *from, const Layout *to, const Shape *shape,
                     DType t);
Exchange exchange_at(const Program *p, const Graph *g, const Node *n); /* that local node n is */
const char *exchange_name(int kind);

/* How a local node is computed. */
typedef enum NodeClass {
  CLASS_SOURCE, /* input, var: there from the beginning */
  CLASS_VIEW,   /* a reshape: the same bytes under another shape */
  CLASS_MAP,
  CLASS_REDUCE,
  CLASS_KERNEL,
  CLASS_SCATTER,
  CLASS_EXCHANGE
} NodeClass;
NodeClass node_class(const Node *n);
/* The node whose bytes a chain of views shows; the same, at most up to the end of a region that the
 * value comes out of. */
NodeId node_base(const Graph *g, NodeId id);
NodeId node_base_here(const Graph *g, NodeId id);
/* Of a tensor: dim d of the part runs along dim[d] of `of`, from begin[dim[d]] on; NO_DIM: it has
 * one element. Dims of `of` that no dim of the part runs along are at their `begin`. */
enum { NO_DIM = -1 };
typedef struct TensorPart {
  NodeId of;
  int dim[MAX_RANK];
  int64_t begin[MAX_RANK]; /* by dim of `of` */
  NodeId at[MAX_RANK];     /* by dim of `of`: a position known while running, from which `begin`
                            * counts and `reach` elements behind it have to be there; NO_NODE */
  int64_t reach[MAX_RANK];
  NodeId filled; /* NO_NODE; of dim `along` of the part as many elements count as this value and
                  * `more`, and the others are 0 */
  int along;
  bool rounds; /* it is a cast of what lies there, of f32, to a shorter float */
  int row; /* a dim of the part, of whose rows each has a value of its own; NO_DIM: one for all */
  int64_t more;
} TensorPart;
/* The operand that a slice, a window, a view or a prefix (see node_prefix) shows a part of; -1: n
 * is none. Such parts are made of them. */
int part_operand(const Graph *g, const Node *n);
/* `part` is the window that `put` writes, of the tensor that it writes into, on each device. */
bool part_is_written(const Graph *g, const Node *put, const Node *part);
/* Of a node that is its operand 1 where an index is below a value known while running, and 0
 * elsewhere: where(iota(shape, axis) < n, x, 0). */
typedef struct Prefix {
  int dim;      /* what the index is of */
  int row;      /* NO_DIM; each row of this dim has an integer of its own */
  NodeId below; /* a node of one integer, or one a row, and */
  int64_t more;
} Prefix;
/* `stored`: nodes whose values are not computed again, NULL. */
bool node_prefix(const Graph *g, const bool *stored, NodeId id, Prefix *out);
/* Operand k of the product, not stored, is read where it lies: dims of one role lie there as in a
 * tensor of its own, so that the product is the same calls. One that `rounds` is the second matrix
 * of a single call, which packs it once. */
bool product_part(const LocalEntry *le, const Node *product, int k, TensorPart *p);
/* The nodes with buffers that a step reads, and whether at the same index as it stores (`aligned`).
 */
typedef struct Read {
  NodeId node; /* a base */
  bool aligned;
} Read;
typedef VEC(Read) Reads;
void step_reads(const LocalEntry *le, const Step *s, Arena *a, Reads *out);
/* Marks what regions need in memory, by base node: their carries, what comes after those in the
 * next run, and their conditions. */
void regions_mark(const LocalEntry *le, bool *kept);
/* The carry whose next value `id` is, or NO_NODE. */
NodeId entry_carry_of(const LocalEntry *le, NodeId id);
/* The same, and outputs and new values of variables: what outlives the steps that read it. */
void kept_mark(const LocalEntry *le, bool *kept);
/* Which input of the entry a node is that stays with the host, or -1. */
int lent_input(const LocalEntry *le, NodeId base);
/* By node: what the entry leaves, tells or runs by depends on it. */
bool *entry_needed(Arena *a, const LocalEntry *le);
/* Buffers of the arena that live at step t, the largest first; *n of them. */
const Buffer **entry_live(Arena *a, const LocalEntry *le, int t, int *n);
/* Bytes of a local node on the device that has most. */
int64_t node_bytes(const Program *p, const Node *n);
/* Of a region: its steps are `begin` to before `end`, those of a loop's body from `test` on. */
typedef struct RegionSpan {
  int begin, test, end;
} RegionSpan;
RegionSpan region_span(const LocalEntry *le, int region);
/* Each run of the region reads tensor `of`, if at all, in the row alone that node `put` of that run
 * writes of its own, and before it does (over_rows.c). */
bool over_rows_hold(Arena *a, const LocalEntry *le, int region, NodeId put, NodeId of);
/* A loop or a branch runs it. */
bool step_stores(const Step *s, NodeId id);
bool step_in_region(const LocalEntry *le, const Step *s);
/* Its i-th node is in memory behind it, too, and not only for the step itself: in a loop or a branch
 * all is. */
bool step_leaves(const LocalEntry *le, const Step *s, int i);
/* How often a step runs in a call, by region_runs. */
typedef struct Turns {
  double times, known; /* known: of the loops whose number of runs is */
  bool in_loop, unknown;
  int64_t as_one; /* runs as written that one run of the innermost loop is; 0: one */
} Turns;
Turns step_turns(const LocalEntry *le, int step);
/* Equal local shapes: one loop nest can store both. */
bool same_space(const Node *a, const Node *b);
/* It changes places with others in some loop. */
bool plan_rotates(const LocalEntry *le, int buffer);

/* "dtg/optim.dtg:20, called at mlp.dtg:14": where a node stands, and the user's line that led
 * there. */
const char *node_where(const Program *p, const Node *n);
/* Its name; without one its op and line, "exp@m.dtg:13", and of several such on one line from the
 * second on their number too: "exp@m.dtg:13#2". Not while a mark of the arena is held. */
const char *node_text(const Program *p, const Graph *g, NodeId id, Arena *a);
/* The same, of several values of one name from the second on with their number, "model.d1.y#2". */
const char *node_label(const Program *p, const Graph *g, NodeId id, Arena *a);
/* Of a node of a device's graph: its name with the number that the value has in the entry. */
const char *local_label(const Program *p, const LocalEntry *le, NodeId id, Arena *a);

#endif
