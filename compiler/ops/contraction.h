/* Steps of einsum and matmul. Letters are numbers from 0 to 25, one a dim. */
#ifndef DTG_CONTRACTION_H
#define DTG_CONTRACTION_H
#include "opdefs.h"

uint32_t letter_set(const int8_t *l, int n);
/* Takes the diagonal of repeated letters. */
NodeId unrepeat(Build *b, NodeId x, int8_t *l);
/* Sums the dims whose letters are not wanted; `l` then has the others. */
NodeId sum_alone(Build *b, NodeId x, int8_t *l, uint32_t wanted);
/* The product of x and y with the letters lout. Half-width floats are stored, not computed with:
 * the product is taken in f32. */
NodeId contract_any(Build *b, NodeId x, NodeId y, const int8_t *lx, const int8_t *ly, int rank,
                    const int8_t *lout);

#endif
