/* reduce_terms.h: terms of a partial value combined element by element.
 *
 * The law: ((t0 + t1) + t2) + ... in the order the terms are given, whatever the vector width, so
 * the same terms give the same bits on every transport. Sums and products of more than 32 terms of
 * f32 or f64 combine blocks of 32 pairwise (docs/sums.md). f16 and bf16 add in f32 and round once.
 * Whole numbers wrap. For bool, sum and max mean or, prod and min mean and. NaN wins in max and
 * min. */
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
