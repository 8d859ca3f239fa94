/* reduce_terms.h: combines the addends of a partial value element by element.
 *
 * Invariant: ((t0 + t1) + t2) + ... in the order the addends are given, whatever the vector width,
 * so the same addends give the same bits on every transport. Sums and products of more than 32
 * addends of f32 or f64 combine blocks of 32 pairwise (docs/sums.md). f16 and bf16 add in f32 and
 * round once. Integers wrap. For bool, sum and max mean or, prod and min mean and. max and min
 * propagate NaN. */
#ifndef DTG_RUNTIME_REDUCE_TERMS_H
#define DTG_RUNTIME_REDUCE_TERMS_H
#include "dtrt.h"

/* to[j][i] = the sum (or max ...) of from[0..terms-1][i], for i < n and each of nto results. A
 * result may be the same array as a term, but not overlap one otherwise. terms >= 1. */
void reduce_terms(int dtype, int op, void *const *to, int nto, const void *const *from, int terms,
                  int64_t n);
/* Fills with the value that changes nothing: 0 for sum, 1 for prod (max and min need none). */
void reduce_identity(int dtype, int op, void *to, int64_t n);

#endif
