/* op_list.h: the list of ops, what they make of numbers, and nodes made by them. */
#ifndef DTG_OP_LIST_H
#define DTG_OP_LIST_H
#include "op.h"

/* The operator of one operand or two that is written so: "+", "not", "@". */
Op op_operator(const char *sign, int operands);
const OpDef *op_find(const char *name); /* by the user's name; NULL: none */
const OpDef *op_at(int i); /* the list in order, for docs and "did you mean"; NULL past it */

/* FOLD_NONE too for an op without `fold` and for the wrong number of arguments. */
Folded op_fold(const OpDef *d, const Scalar *x, int n, Scalar *out);

/* A function that others have and dtg has not, and an example of how to write it. */
typedef struct Concept {
  const char *name, *example; /* as OpDef.example: "f32[4, 6] x: x != x" */
} Concept;
const Concept *op_concept_at(int i);      /* NULL past the last */
const char *op_instead(const char *name); /* "x != x" for isnan; NULL: nothing is known of it */
/* Elementwise ops that loops are made of; and the one that joins two values of a reduction. */
typedef struct LoopOps {
  Op add, mul, max, bit_or, greater, less, equal, unequal, where;
} LoopOps;
extern const LoopOps loop_ops;
Op reduction_step(const Node *n);
Scalar reduction_none(const Node *n); /* what it makes of nothing */

void ops_doc(Str *out); /* the text of docs/ops.md */

/* A new node of a primitive, checked by its `infer`. `attr` and `operands` are copied. */
NodeId build_node(Build *b, Op op, int noperands, const NodeId *operands, int nattr,
                  const int64_t *attr, double value);
/* Builtin `name` called with arguments already bound to its parameters. */
/* A check of a bool[] while running (ops/told.c). text: what to say, the condition as written, and
 * a name for each of the scalars to show; a line each. */
enum { MOST_SHOWN = 8 };
void build_told(Build *b, NodeId token); /* at the end of an entry */
void build_assert(Build *b, NodeId holds, int n, const NodeId *shown, const char *text);
Arg build_call(Build *b, const OpDef *def, const Arg *args);
/* The binary and unary operators of the language on tensors and numbers: at least one is a tensor,
 * a number takes the tensor's dtype, shapes are broadcast as NumPy does. op: of op_operator. */
Arg build_operator(Build *b, Op op, const Arg *x, const Arg *y);
/* x[a:b:s, :, i]: one triple a dim given, `whole` for `:`; `drop` removes the dim (a plain index).
 * `running`: it begins at the scalar `at`, and ends `end` behind that (`begin` is 0); or in row i
 * of dim `rows` - 1, which comes before and is whole, at element i of `at`. */
typedef struct Subscript {
  Span span;
  bool whole, drop, has_begin, has_end, running;
  int64_t begin, end, step;
  NodeId at;
  int rows; /* 0: a scalar */
} Subscript;
/* The running dims alone, which then are whole or have an index of 0 in sub[]. */
NodeId build_window(Build *b, NodeId x, int n, Subscript *sub);
/* 0, 1, ... n - 1 */
bool build_is_iota(const Build *b, NodeId x, int64_t n);
/* x with the value in the place of x[sub]. */
NodeId build_put(Build *b, NodeId x, int n, const Subscript *sub, const Arg *value);
NodeId build_subscript(Build *b, NodeId x, int n, const Subscript *subs);
/* x with n dims from `dim` on as n tensors of integers say, which are broadcast: their shape in the
 * place of these dims (positions.c). */
NodeId build_pick(Build *b, NodeId x, int dim, int n, NodeId *index);
/* x with the value at such places in the dims of `dim`, of equal places the last. The tensors' dims
 * are the value's from `first` on. `whole`: x is a tensor, not a window of one that is put back. */
NodeId build_put_rows(Build *b, NodeId x, int n, const int *dim, NodeId *index, int first,
                      const Arg *value, bool whole);
NodeId build_cast(Build *b, NodeId x, DType to);
/* A scalar (rank 0) constant. */
NodeId build_const(Build *b, DType t, double value);
NodeId build_whole(Build *b, DType t, int64_t value); /* of a whole-number dtype */
/* A number or tensor as a tensor of that dtype. */
NodeId build_tensor(Build *b, const Arg *x, DType t);
/* Numbers that have no type yet (untyped.c). */
Untyped *untyped_new(Arena *a);
/* d loss / d wrt, left as a `grad` node until the autodiff pass. Reports a loss that is no scalar.
 */
NodeId build_grad(Build *b, NodeId loss, NodeId wrt);
NodeId build_input(Build *b, DType t, const Shape *shape, const char *name, int index);
NodeId build_var(Build *b, const Var *v, int index);
/* A value that a region carries, from `init` on; what it is behind the region. */
NodeId build_carry(Build *b, NodeId init, int region, int number);
NodeId build_after(Build *b, NodeId carry);
NodeId build_relayout(Build *b, NodeId x, const Spec *spec);
NodeId build_relayout_like(Build *b, NodeId x, NodeId like);
/* What node n computes of one row, for all rows of a new first dim; `many` of its operands have it,
 * the others are the same for each row. Reports an op that has no such form (rows.c). */
NodeId build_rows(Build *b, const Node *n, const NodeId *operand, const bool *many, int64_t rows);

#endif
