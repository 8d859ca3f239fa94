/* Shared by the definitions of ops: reading arguments, reporting errors, and building the nodes of
 * composites and gradients. Functions called with NO_NODE return NO_NODE. */
#ifndef DTG_OPDEFS_H
#define DTG_OPDEFS_H
#include "expr.h"
#include "op_list.h"
#include <math.h>

/* Reports at the build's span, prefixed with the name of the call; returns NO_NODE / false. */
NodeId op_fail(Build *b, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* At least 1. */
static inline double shape_size(const Shape *s) { return fmax((double)shape_count(s), 1); }

static inline const Node *op_node(const Build *b, NodeId id) { return graph_node(b->graph, id); }
static inline Arg arg_node(NodeId id) { return (Arg){.kind = ARG_TENSOR, .node = id}; }
/* Notes under an error where the tensors of a wrong call were declared, when they are variables or
 * inputs. */
void op_declared(Build *b, int n, const NodeId *x);
/* The error that the types of x and y differ; returns NO_NODE. */
NodeId op_types_differ(Build *b, NodeId x, NodeId y);
const char *op_describe(const Build *b, NodeId id); /* f32[64, 784] */

/* Arguments. Each reports and returns false when the argument is not of the wanted kind. */
bool arg_tensor(Build *b, const Arg *a, const char *param,
                NodeId *out); /* numbers become f32 scalars, true and false bool ones */
bool arg_int(Build *b, const Arg *a, const char *param, int64_t *out);
bool arg_bool(Build *b, const Arg *a, const char *param, bool *out);
bool arg_number(Build *b, const Arg *a, const char *param, double *out);
/* What fills a tensor of type t: a number, or of a bool tensor true, false, 0 or 1. */
bool arg_fill(Build *b, const Arg *a, const char *param, DType t, double *out);
bool arg_dtype(Build *b, const Arg *a, const char *param, DType *out);
bool arg_shape(Build *b, const Arg *a, const char *param, Shape *out);
/* One dim of a tensor of that rank; negative counts from the end. */
bool arg_dim(Build *b, const Arg *a, const char *param, int rank, int *out);
/* One dim, a list of dims, or none (all): a set. */
bool arg_dims(Build *b, const Arg *a, const char *param, int rank, uint32_t *out);
/* Whether a floating-point type has the number; warns of one that becomes 0. */
bool op_check_number(Build *b, Span at, DType t, double v);
/* A checked product of sizes: false after "too large". */
bool op_check_size(Build *b, Span at, DType t, const Shape *s);

/* An error: `of`, a type or a tensor, is complex. */
void op_not_complex(Build *b, Op op, const char *of);
/* False after an error: the type is one to store numbers in alone. */
bool op_computes_in(Build *b, DType t);

/* Nodes. */
NodeId mk1(Build *b, Op op, NodeId x);
NodeId mk2(Build *b, Op op, NodeId x, NodeId y); /* equal shapes and dtypes */
/* n as a constant of its dtype and shape that is 0, or as its operand 0 under no other layout. */
void node_becomes_zero(Node *n);
void node_becomes_operand(Node *n);
NodeId mk_add(Build *b, NodeId x, NodeId y);
NodeId mk_number(Build *b, NodeId like, double value); /* const of like's dtype and shape */
NodeId mk_const(Build *b, DType t, const Shape *s, double value);
NodeId mk_whole(Build *b, DType t, const Shape *s, int64_t value);
NodeId mk_scale(Build *b, NodeId x, double by);
NodeId mk_shift(Build *b, NodeId x, double by);
NodeId mk_reshape(Build *b, NodeId x, const Shape *s);
NodeId mk_transpose(Build *b, NodeId x, const int *perm);
/* Operand dim d becomes result dim map[d]; the other result dims are new. */
NodeId mk_broadcast(Build *b, NodeId x, const Shape *s, const int *map);
NodeId mk_broadcast_to(Build *b, NodeId x, const Shape *s); /* NumPy's right-aligned rule */
NodeId mk_reduce(Build *b, Op op, NodeId x, uint32_t dims, bool keepdims);
/* Puts back dims that a reduction without keepdims dropped. */
NodeId mk_unreduce(Build *b, NodeId x, const Shape *full, uint32_t dims);
/* `node` as a gradient is to compare its operands with it. Under a policy of types (shorten.c) the
 * backward pass reads operands rounded, or what was computed again from such, but not sums and
 * extremes; so it is made of those operands once more. Else it is `node` itself. */
NodeId mk_again(Build *b, NodeId node);
NodeId mk_slice(Build *b, NodeId x, const int64_t *start, const int64_t *size, const int64_t *step);
/* All of x, under another layout: a window of the same blocks that x has. */
NodeId mk_slice_whole(Build *b, NodeId x);
NodeId mk_pad(Build *b, NodeId x, const int64_t *lo, const int64_t *hi, const int64_t *interior,
              double value);
NodeId mk_concat(Build *b, int n, const NodeId *x, int dim);
NodeId mk_iota(Build *b, DType t, const Shape *s, int dim);
/* The elements from begin[] on in each dim of the set `dims`, one begin each, and x with those
 * replaced; size and step are by dim. */
NodeId mk_window(Build *b, NodeId x, uint32_t dims, const NodeId *begin, const int64_t *size,
                 const int64_t *step);
NodeId mk_put(Build *b, NodeId x, NodeId v, uint32_t dims, const NodeId *begin,
              const int64_t *step);
/* What a slice or an index of numbers names in a dim of n: `size` elements in positive steps from
 * `start`; of one with a begin that is running, counted from that. */
typedef struct SubscriptRange {
  int64_t start, size, step;
  bool inside; /* false: an index that is none of the dim */
} SubscriptRange;
SubscriptRange subscript_range(const Subscript *u, int64_t n);
NodeId mk_gather(Build *b, NodeId table, NodeId index, int dim);
NodeId mk_scatter(Build *b, NodeId index, NodeId updates, int dim, int64_t size);
/* Class numbers of any integer type as i32; invalid class numbers stay invalid. */
NodeId mk_class(Build *b, NodeId label, int64_t classes);
/* Integers of 8 and 16 bits as i64, in which their sums and products do not wrap. */
NodeId mk_wide_integer(Build *b, NodeId x);
NodeId mk_contract(Build *b, NodeId x, NodeId y, const int8_t *lx, const int8_t *ly, int rank,
                   const int8_t *lout);
NodeId mk_select(Build *b, NodeId cond, NodeId x, NodeId y);
/* Of loops (carried.c): the condition is that an integer, to which each run adds `by`, is below a
 * limit. */
typedef struct Counts {
  int64_t by;
  NodeId limit;
} Counts;
bool loop_counts(const Graph *g, NodeId condition, NodeId carry, NodeId next, Counts *out);
/* ... for so many runs from here. */
NodeId mk_has_runs(Build *b, NodeId carry, NodeId limit, int64_t by, int64_t runs);
NodeId mk_after(Build *b, NodeId carry);
/* The tensor of a list of numbers, or of lists of them; NULL: of the type that they have. */
NodeId build_array(Build *b, const Arg *a, const DType *type);

/* Numbers that have no type yet (untyped.c). Remembers that `id` is one, if it is made of such and
 * of numbers alone. */
void untyped_add(Build *b, NodeId id, Op op, int n, const Arg *a);
bool untyped_is(const Build *b, NodeId id);
/* A node in type t, if it is one, else itself; NO_NODE after an error: it does not go. */
NodeId untyped_as(Build *b, NodeId id, DType t);
/* Those of x that are such in the type of the first that is none; false after an error. */
bool untyped_agree(Build *b, int n, NodeId *x);
/* As what has at least the precision of `to`, to be cast. */
NodeId untyped_cast(Build *b, NodeId id, DType to);

/* Folding (fold.c): what ops make of numbers. */
typedef Folded FoldFn(const Scalar *x, Scalar *out);
FoldFn fold_add, fold_sub, fold_mul, fold_div, fold_floordiv, fold_mod, fold_pow, fold_min,
    fold_max, fold_eq, fold_ne, fold_lt, fold_le, fold_gt, fold_ge, fold_and, fold_or, fold_where,
    fold_clamp;

/* What a sum may add up instead of its operand: the same without terms that add up to zero. */
NodeId simplify_sum(NewGraph *w, Node *n);
/* A product of two half-width floats that were made f32 reads them as they are. */
NodeId read_halves(NewGraph *w, Node *n);
/* What a product is that has nothing to sum, or neither rows nor columns; NO_NODE: it is one of
 * matrices. */
NodeId simplify_product(NewGraph *w, const Node *n);
/* Where the operand of a shift by so many places begins: the nearer way round. */
int64_t roll_from(int64_t by, int64_t size);
/* pad's `mode` asks for x with its own elements around it. */
bool pad_has_mode(const Arg *mode);
NodeId pad_by_mode(Build *b, const Arg *a, NodeId x, const int64_t *lo, const int64_t *hi);
/* What a sum of disjoint parts is: the parts side by side; NO_NODE: it is none. */
NodeId simplify_pads(NewGraph *w, const Node *n);
/* A sum with what is zero but for a window (simplify_puts.c). */
NodeId simplify_puts(NewGraph *w, const Node *n);
/* A broadcast of indices (simplify_index.c). */
NodeId simplify_broadcast(NewGraph *w, Node *n);
NodeId simplify_concat(NewGraph *w, Node *n);
NodeId simplify_roll(NewGraph *w, Node *n);
NodeId simplify_slice(NewGraph *w, Node *n);
NodeId join_convolution(NewGraph *w, Node *n);
/* The operand that convolution n slides over, with what wraps put around it in the dims of a set,
 * where n has no border then. */
NodeId convolution_ends(Build *b, Node *n, uint32_t dims);
/* A concat that is the elements of x along `dim` from `begin` on, round and round. */
typedef struct Cycle {
  NodeId x;
  int dim;
  int64_t begin;
} Cycle;
bool is_cycle(const NewGraph *w, const Node *n, Cycle *c);

NodeId distribute_slice(Distribute *d, NodeId id, NodeId y);
NodeId distribute_rows(Distribute *d, NodeId id, NodeId y); /* joined_dims.c */
NodeId distribute_apart(Distribute *d, NodeId id, NodeId y);

/* Elements (lower.c). */
typedef Expr LowerFn(Lower *l, NodeId id, const At *at);
LowerFn lower_const, lower_broadcast, lower_transpose, lower_transpose_view, lower_reshape,
    lower_slice, lower_reverse, lower_roll, lower_pad, lower_concat, lower_small_contract,
    lower_gather, lower_pick, lower_deal, lower_undeal, lower_iota, lower_random, lower_put,
    lower_window, lower_position;
/* Whether all elements of a tensor of integers are indices into a dim of `size` (index_range.c). */
bool index_lies_within(const Graph *g, NodeId id, int64_t size);
/* Whether one of them surely is none, and which. */
bool index_lies_outside(const Graph *g, NodeId id, int64_t size, int64_t *index);

/* Of complex numbers (complex.c). */
typedef Complex ComplexFn(Build *b, const Node *n, const Complex *x);
ComplexFn complex_mul, complex_div, complex_eq, complex_ne, complex_abs, complex_exp, complex_log,
    complex_sqrt, complex_rsqrt, complex_sin, complex_cos, complex_tanh, complex_sinh, complex_cosh,
    complex_any, complex_all, complex_cast, complex_bilinear;
NodeId complex_power(Build *b, const Arg *x, const Arg *y);
/* A complex number that is written in the program has the type of what it meets. */
void complex_agree(Build *b, NodeId *x, NodeId *y);
/* The same of one, where it meets type t; another node is left as it is. */
NodeId complex_literal_as(Build *b, NodeId z, DType t);
/* What an operator, or exp, makes of numbers of the text, one of them complex: another; or
 * NO_NODE. */
NodeId complex_written(Build *b, Op op, const Arg *x, const Arg *y);
/* So has a number that has no type yet; false after an error. */
bool literals_agree(Build *b, NodeId *x, NodeId *y);
NodeId complex_prod(Build *b, NodeId x, uint32_t dims);

/* Rules. */
void rule_elementwise(const Graph *g, const Node *n, Rule *r);

/* The definitions that others build on. */
extern const OpDef op_abs, op_add, op_after, op_all, op_and, op_any, op_argmax, op_argmin,
    op_argsort, op_bit_not, op_broadcast, op_carry, op_cast, op_concat, op_const, op_contract,
    op_conv, op_conv_input, op_conv_weight, op_copysign, op_cos, op_cosh, op_cumsum, op_deal,
    op_digamma, op_div, op_eq, op_erfinv, op_exp, op_floordiv, op_gamma_drawn, op_gamma_slope,
    op_gather, op_ge, op_grad, op_gt, op_hypot, op_iota, op_isinf, op_isnan, op_le, op_log, op_lt,
    op_max, op_mean, op_min, op_mod, op_mul, op_ne, op_neg, op_normal, op_not, op_or, op_order,
    op_pad, op_pick, op_polygamma, op_pool_index, op_pool_max, op_pool_pick, op_pool_sum, op_pow,
    op_prod, op_put, op_reduce_max, op_reduce_min, op_relayout, op_relayout_like,
    op_repeat_interleave, op_reshape, op_reverse, op_roll, op_rsqrt, op_scatter_add, op_sigmoid,
    op_sign, op_sin, op_sinh, op_slice, op_small_contract, op_sort, op_sqrt, op_stack,
    op_stop_gradient, op_sub, op_sum, op_top_k, op_transpose, op_trunc, op_undeal, op_uniform,
    op_unpick, op_unpool, op_unpool_sum, op_where, op_window;
#endif
