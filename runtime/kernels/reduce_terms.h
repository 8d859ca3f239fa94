/* reduce_terms.h: combines the addends of a partial value element by element.
 *
 * Invariant: the addends are combined as the tree of sum_tree.h says, whatever the vector width and
 * however many of them were combined elsewhere before, so the same addends give the same bits on
 * every transport. f16 and bf16 are combined in f32 and rounded once. Integers wrap. For bool, sum
 * and max mean or, prod and min mean and. max and min propagate NaN. */
#ifndef DTG_RUNTIME_REDUCE_TERMS_H
#define DTG_RUNTIME_REDUCE_TERMS_H
#include <stdbool.h>
#include "dtrt.h"
#include "sum_tree.h"

/* to[j][i] = the sum (or max ...) of from[0..terms-1][i], for i < n and each of nto results. A
 * result may be the same array as a term, but not overlap one otherwise. terms >= 1. */
void reduce_terms(int dtype, int op, void *const *to, int nto, const void *const *from, int terms,
                  int64_t n);
/* The same of subtrees that make up a subtree, in their order. A leaf is of the type itself; what
 * stands for more is of reduce_wide, and so is the result where it does (`wide`). node NULL: leaves
 * from 0 on. */
void reduce_nodes(int dtype, int op, bool wide, void *const *to, int nto, const void *const *from,
                  const SumNode *node, int nodes, int64_t n);
/* The type in which results that are not rounded yet are held: f32 for f16 and bf16. */
int reduce_wide(int dtype);
/* Fills with the value that changes nothing: 0 for sum, 1 for prod (max and min need none). */
void reduce_identity(int dtype, int op, void *to, int64_t n);

#endif
