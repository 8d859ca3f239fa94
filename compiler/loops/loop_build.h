/* From a step to its loop function (ir/loop.h): shared by the files that build one kind of step
 * each. A nest asks for the value of what it stores at its own index; a node that has no memory is
 * a function from an index to an expression. Inside a tile, a node that the tile's loops run over
 * is seen as the part of it that belongs to the tile: fewer elements, another offset. */
#ifndef DTG_BUILD_H
#define DTG_BUILD_H
#include "loops.h"
#include "sum_order.h"
#include "thresholds.h"

typedef struct OpenBody {
  LoopStmt *of;    /* NULL: the function */
  LoopStmt **next; /* where its next statement goes */
} OpenBody;

/* A condition that is known to hold, or to fail, where a body is built. */
typedef struct KnownCondition {
  Expr cond;
  bool holds;
} KnownCondition;

/* The part of a loop's index, from `from` up to `to` (NO_EXPR: there is no such bound), in which
 * conditions of it are known. */
typedef struct Interior {
  Expr from, to;
  bool begins, ends; /* the bound is never before the loop's begin, or behind its end */
  VEC(KnownCondition) known;
} Interior;

typedef struct Loop {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const Graph *g;
  const Mesh *mesh;
  const Tiles *tile;        /* it stands inside this one's loops; NULL */
  struct LoopNumbers *numbers;
  const Step *step;         /* what a map stores; NULL for other loops */
  Expr apart, apart_extent; /* an index whose turns write apart, as the builder knows; NO_EXPR */
  bool ranges;   /* no loop has it: the function does turns part_from to part_to at once ... */
  int64_t looks; /* ... for which it looks at so many elements, whatever its part */
  double called_ops; /* operations on elements of what it calls the runtime for */
  int outermost; /* of a map: the dim of its outermost loop, ... */
  bool cuts_outermost; /* ... which is several loops, one after the other */
  double share;  /* of what it reads and writes, that it touches; 0: all */
  bool outside;  /* values are wanted as they are outside of the tile's band */
  NodeId same;   /* a node in memory that is `same_as` wherever the loop reads it; NO_NODE */
  Expr same_as;
  NodeId slots; /* a scatter that has a row for each index in the place of the table's: all that the
                   loop reads of it is row `slot`; NO_NODE */
  Expr slot;
  /* Dims joined_from[d] to d of this operand of a reduction are one loop, that over d; NULL. */
  const Node *joined;
  int8_t joined_from[MAX_RANK];
  Expr in_block[MAX_RANK]; /* of a nest in a tile whose loop over a dim counts from the begin of the
                              device's block (at_in_block): its index; else NO_EXPR */
  Exprs *x;
  Lower lower;
  /* By the number of an EXPR_VALUE: 1 + what it is. The second two are of `outside`, the odd ones
   * at flat indices: of one dim these are the same numbers, and lead to others where that was a
   * view. */
  VEC(Expr) known[4];
  Lookup flat_known;  /* nodes that loop_is_flat said yes of: shared ones are met along many ways */
  VEC(KnownCondition) holds;
  Interior interior[MAX_RANK]; /* by dim, of loop_split's `ranged` */
  VEC(OpenBody) open;          /* blocks, outermost first */
  LoopFunction f;
} Loop;

Loop *loop_new(const LoopSite *s);
static inline const Machine *loop_machine(const Loop *l) { return l->plan->program->machine; }
/* Elements that compilers take at once in an innermost loop: some vectors, of f32. */
static inline int64_t loop_unrolled(const Loop *l) {
  return LOOP_UNROLLED * machine_vector(loop_machine(l), sizeof(float));
}
/* Finds the loop that may be done in parts: parallel.c. */
void loop_part(Loop *l);
/* The function takes so long that cores share it, if one of its loops can be done in parts. */
bool loop_deals(Loop *l);
/* Whether the turns of all loops of that index may come in any order. */
bool loop_turns_apart(Loop *l, const char *index);
/* Writes out innermost loops over few elements: loop_few.c. */
void loop_few(Loop *l);
/* Goes in blocks over what is read across: loop_blocks.c. */
void loop_blocks(Loop *l);
/* Writes past the caches what bypass.c says: loop_bypass.c. */
void loop_bypass(Loop *l);
/* Has the last vector of innermost loops masked where that is faster: loop_masks.c. */
void loop_masks(Loop *l);
/* Makes lines once that several turns of loops around read: loop_lines.c. */
void loop_lines(Loop *l);
/* Leaves no check of an index that is data in innermost loops that can do without. */
void loop_check_behind(Loop *l);
/* Makes parameters of constant indices: index_numbers.c. */
void loop_index_numbers(Loop *l);

/* Which functions of a program there are but for their numbers, and those of the first of each. */
typedef struct LoopNumbers {
  Arena *arena;
  Names *names;
  Lookup first; /* 1 + the place in `own`, by interned key */
  VEC(const char *) own;
} LoopNumbers;

/* Whether the number that is operand k may be a parameter: loop_numbers.c. */
bool loop_number_may_be_given(const Loop *l, const ExprNode *n, int k);
/* Whether the first function with that key, without numbers, has others: by place, which. */
bool loop_numbers_differ(LoopNumbers *t, const Str *key, const Str *numbers, bool *differs);
/* Makes parameters of the numbers that differ; `place` is by expression 1 + the place, or 0. */
void loop_numbers_given(Loop *l, const int *place, const bool *differs);
/* All loops of a sum are built: this is the order of its addends. */
void loop_adds_up(Loop *l, const LoopSum *sum);
/* Counts parameters and buffers, and makes the key. */
void loop_done(Loop *l, const char *what, LoopFunction *out);
/* The same of what node `id` is called. */
void loop_done_as(Loop *l, NodeId id, LoopFunction *out);

/* -------- integers: numbers, or parameters -------- */

Expr loop_int(Loop *l, int64_t v);
Expr loop_given(Loop *l, int64_t v); /* of which steps alike may have another */
bool is_int(const Loop *l, Expr e, int64_t v);
/* Of the entry: the extent of a dim in the tile, in the block, and in memory; where it begins,
 * globally and in the block; elements of the block. */
Expr site_len(Loop *l, const Node *n, int d);
Expr site_extent(Loop *l, const Node *n, int d);
/* No loop of a tile runs over dims [first, first + ndims); these lie side by side in memory, too.
 */
bool site_is_whole(const Loop *l, const Node *n, int first, int ndims);
bool site_is_one_dim(Loop *l, const Node *n, int first, int ndims);
/* Whether dims [first, first + n) of a node are one dim to whoever reads it at an index of them:
 * they lie side by side in whatever has them. */
bool loop_is_one_dim(Loop *l, NodeId id, int first, int n);
/* The index of a nest over n, the first node of a map, whose last dims are one loop if they are
 * short and lie side by side. */
At loop_join_last(Loop *l, const Step *s, const Node *n);
bool loop_joins(const Loop *l, const Node *n, int d); /* the loop over d is one over several dims */
Expr site_room(Loop *l, const Node *n, int d);
Expr site_from(Loop *l, const Node *n, int d);
Expr site_at(Loop *l, const Node *n, int d);
Expr site_tile(Loop *l, EntryInteger kind, int loop); /* INTEGER_AT, INTEGER_LEN */
bool site_is_part(const Loop *l, const Node *n);      /* a tile has a part of what is in memory */
/* The product of one of these of dims [from, to); of all dims' extents in the block. */
typedef Expr SiteSize(Loop *l, const Node *n, int d);
Expr site_product(Loop *l, const Node *n, int from, int to, SiteSize *size);
Expr site_count(Loop *l, const Node *n);
/* A condition that is true in the first of the tiles that a node sums over; NO_EXPR: it does not.
 */
Expr site_first(Loop *l, NodeId id);
Expr site_bound(Loop *l, EntryInteger which);
/* A parameter of that value; 0 and 1 are themselves. */
Expr loop_param(Loop *l, ParamUse use, Expr value);
bool loop_runs_once(const Loop *l); /* it gives variables their first values */
Expr loop_extent(Loop *l, const Node *n, int d); /* of site_len */
Expr loop_room(Loop *l, const Node *n, int d);
Expr loop_offset(Loop *l, const Node *n, int d);
Expr loop_count(Loop *l, const Node *n);

/* The most that any device has, of a dim and of all elements. */
int64_t most_of(const Loop *l, const Node *n, int d);
int64_t most_elements(const Loop *l, const Node *n);

/* -------- statements -------- */

/* One that stands nowhere yet, and one behind the last of the innermost open body. */
static inline LoopStmt *loop_stmt(const Loop *l, LoopStmt s) {
  return arena_copy(l->arena, &s, sizeof s);
}
LoopStmt *loop_add(Loop *l, LoopStmt s);
void loop_open_body(Loop *l, LoopStmt s);
/* `index` counts from 0 up to `to`, or from `from`. */
void loop_open(Loop *l, Expr index, Expr to, LoopHow how);
void loop_open_from(Loop *l, Expr index, Expr from, Expr to, LoopHow how);
void loop_open_by(Loop *l, Expr index, Expr from, Expr to, Expr step, LoopHow how);
/* The local `index` goes on by `step` as long as that stays within `to`. */
void loop_open_on(Loop *l, Expr index, Expr to, Expr step, LoopHow how);
void loop_while(Loop *l, Expr cond, LoopHow how);
void loop_if(Loop *l, Expr cond);
void loop_else(Loop *l);
void loop_close(Loop *l, int n);
void loop_close_filled(Loop *l); /* the last one, which is gone if nothing is in it */
Expr loop_local(Loop *l, LocalKind kind, DType t, const char *name, int64_t count, Expr value);
Expr loop_element(Loop *l, Expr local, Expr index); /* of an array */
Expr loop_integer(Loop *l, const char *name, Expr value, bool constant);
void loop_set(Loop *l, Expr place, Expr value);
void loop_run(Loop *l, const char *function, int n, const Expr *arg);
void loop_zero(Loop *l, NodeId id);
void loop_zero_at(Loop *l, Expr address, Expr count, int size);
void loop_step(Loop *l, Expr integer, int64_t by); /* it goes on by so much */
/* Where a part of at most `size` of [0, len) ends that begins there. */
Expr loop_part_end(Loop *l, Expr begin, Expr len, Expr size);
/* The local `partial`, which the function is passed for node `id`. */
Expr loop_partial(Loop *l, NodeId id, DType t);

/* -------- values -------- */

/* The index of a nest over the dims of n: dims of one element have no loop. */
At loop_nest_index(Loop *l, const Node *n);
/* The same where loops over dims of a tile count from the begin of the device's block, as
 * conditions do that are about the place in the whole. False: there is no such dim. */
bool at_in_block(Loop *l, const Node *n, At *at);
void loop_in_tile(Loop *l); /* they count from the tile's begin again */
/* What counts dim d, whose index is at->dim[d]. */
Expr loop_index(Loop *l, const At *at, int d);
/* The loop over dim d. */
void loop_open_dim(Loop *l, const Node *n, const At *at, int d, LoopHow how);
bool has_loop(const Loop *l, const At *at, int d);
Expr loop_symbol(Loop *l, const char *name, int64_t lo, int64_t hi);
Expr loop_letter(Loop *l, char letter, const Node *n, int d);
/* Opens loops over dims [from, to) of n that have one; how many. */
int loop_open_dims(Loop *l, const Node *n, const At *at, int from, int to, LoopHow how,
                   LoopHow last);
At at_flat(Expr i);
At loop_flat_index(Loop *l, const Node *n, Expr count); /* over so many elements of n */
Expr loop_value(Loop *l, NodeId id, const At *at);
Expr loop_load(Loop *l, NodeId id, const At *at);
/* Equal of nodes in the same memory. Before there are buffers, each value has its own. */
static inline int loop_memory(const Loop *l, NodeId id) {
  const NodeId base = node_base(l->g, id);
  return l->le->buffer ? l->le->buffer[base] : base;
}
bool loop_stores(const Loop *l, NodeId id); /* the loop's own step stores it */
/* A value can be had by one flat index: everything in memory is seen in the same order. */
bool loop_is_flat(Loop *l, NodeId id);
Expr loop_number(Loop *l, DType t, double v);
Expr loop_op2(Loop *l, Op op, DType t, Expr a, Expr b);
Expr loop_call(Loop *l, const char *function, DType t, int n, const Expr *arg);
Expr loop_choose(Loop *l, Expr cond, Expr v, Expr other);
Expr loop_word(Loop *l, const char *name, int64_t v); /* a number that has a name in dtrt.h */

/* -------- a tile's band (band.c; the first two: loop_value.c) -------- */

const TileBand *loop_band(const Loop *l); /* NULL: none */
bool in_band(const Loop *l, NodeId id);
/* The node is the result of a reduction over the band's space. */
bool reads_band(const Loop *l, NodeId id);
/* The columns of a row that a nest over n goes over. */
Expr live_from(Loop *l, const Node *n, const At *at);
Expr live_to(Loop *l, const Node *n, const At *at);
/* The value of a node, of such a nest, in the other columns: all have one. */
Expr value_outside(Loop *l, NodeId id, const At *at);

/* -------- kinds of steps -------- */

void build_map(const LoopSite *s, const Step *step, LoopFunction *out);
void build_reduce(const LoopSite *s, NodeId id, LoopFunction *out);
/* The same in a tile, of what the map `made` before it stores, which its loop stores as well.
 * False: they are loops apart. */
bool build_reduce_storing(const LoopSite *s, const Step *made, NodeId id, LoopFunction *out);
void build_cumsum(const LoopSite *s, NodeId id, LoopFunction *out);
void build_scatter(const LoopSite *s, const Step *step, LoopFunction *out);
/* The stores of all values of a map, in its innermost loop. */
void map_body(Loop *l, const Step *s, const At *at);
/* The begin of a window that is written in each of its dims, in the whole tensor; by row, where the
 * loops of the rows are open. */
typedef struct Begins {
  Expr is[MAX_RANK], name[MAX_RANK]; /* what it is computed as, and what it is called */
} Begins;
Begins window_begins(Loop *l, const Node *put);
/* Where element `at` of the value goes in dim d; and its store there. */
Expr window_place(Loop *l, const Node *put, const Begins *begin, const At *at, int d);
void window_store(Loop *l, NodeId put, Begins *begin, const At *at, const At *to);
void build_map_window(const LoopSite *s, const Step *step, LoopFunction *out);
/* Of maps over named rows alone. */
void build_map_named(const LoopSite *s, const Step *step, LoopFunction *out);
void build_unpick(const LoopSite *s, NodeId id, LoopFunction *out);
/* A product that no matrix product fits; a convolution of a group a channel, and a pool. */
void build_contract(const LoopSite *s, NodeId id, LoopFunction *out);
void build_depthwise(const LoopSite *s, NodeId id, LoopFunction *out);
void build_pool(const LoopSite *s, NodeId id, LoopFunction *out);
/* The function that sees whether some row's value outside of the tile's band is not 0. */
void build_band_check(const LoopSite *s, LoopFunction *out);
/* Where a map's expressions ask whether the index of a dim is before some number, the loop over it
 * is split there, and each part has the expression of its own (split.c): *dims, of which that is
 * so. False: there are others, which it would be too much code for. Then the parts' begins and the
 * end, for what `at` still has of the dims before. */
typedef VEC(int64_t) Cuts;
typedef struct SplitDims {
  uint32_t parts; /* dims with a loop for each part */
  uint32_t inner; /* dims with one loop, which asks whether it is in the longest part, and if so has
                     loops within for that */
  uint32_t ranged; /* dims with a body of its own for their interior, whose bounds are computed: the
                      innermost dim by a loop for it, others as `inner` */
} SplitDims;
/* The innermost dim of n that has a loop; -1: none. */
int loop_last(const Loop *l, const Node *n, const At *at);
/* Whether in loops of these parts nothing asks. */
bool loop_split(Loop *l, const Step *s, const At *at, SplitDims *dims);
/* The longest part of dim d, for which *longest gets its begin and its end. */
At loop_inner_part(Loop *l, const Step *s, const At *at, int d, Cuts *longest);
/* Values that ask have loops of their own, one after the other: `own` is stored in each, `rest`
 * from it on. False: one would read what another was written over, or, if `whole`, asks there
 * too. */
typedef struct StepPart {
  const Step *own, *rest;
} StepPart;
typedef VEC(StepPart) StepList;
bool loop_apart(Loop *l, const Step *s, const At *at, bool whole, StepList *groups);
void loop_step_is(Loop *l, const Step *rest); /* what is not in memory yet */
void loop_cuts(Loop *l, const Step *s, const At *at, int d, Cuts *cut);
/* The larger of two integers, or the smaller. */
Expr loop_further(Loop *l, Expr a, Expr b, bool larger);
/* A number, a parameter, or a local of that value, called `what` of the index, within whose range it
 * `lies`, or one behind. */
Expr loop_bound(Loop *l, const char *what, Expr index, bool lies, Expr value);
/* What conditions of the index of dim d are in its interior; what holds in all turns is known from
 * then on. False: there are no others. */
bool loop_interior(Loop *l, const Step *s, const At *at, int d, Interior *in);
/* Computes the bounds; for loops, `cuts`, where the loop over the dim ends, too. */
void loop_interior_bounds(Loop *l, const Node *n, const At *at, int d, bool cuts, Interior *in);
/* They are known until l->holds has as many again as it had, which is the result. */
int loop_holds(Loop *l, const Interior *in);
Expr loop_as_holds(Loop *l, Expr e); /* by what is known */
/* At index d, the numbers from `lo` to `hi` alone. */
At at_part(Loop *l, const At *at, int d, int64_t lo, int64_t hi);

#endif
