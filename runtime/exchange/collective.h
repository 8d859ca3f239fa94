/* collective.h: an all-reduce of one tensor or of several as one. */
#ifndef DTG_RUNTIME_COLLECTIVE_H
#define DTG_RUNTIME_COLLECTIVE_H
#include "device.h"

typedef struct Reduction {
  const Together *t;
  int64_t size, total; /* bytes of an element; bytes of all tensors */
} Reduction;

Reduction reduction_of(const Together *t);
/* All-reduces where devices take all terms of each other and combine everything: it moves no more
 * to any, or little between two. */
bool one_shot_fits(const Collective *c, int64_t pair_bytes /* between two devices */);
/* Chunk i of the tensors laid end to end, in bytes. */
BlockSpan reduction_chunk(const Reduction *r, int i);
/* Bytes of the tensors laid end to end from and to memory that is. */
void reduction_to_dense(const Reduction *r, BlockSpan s, char *dense);
void reduction_from_dense(const Reduction *r, BlockSpan s, const char *dense);
/* Takes bytes from each device's term, in their order, into each of `to`. */
void reduction_combine(const Reduction *r, void *const *to, int nto, const void *const *from,
                       int64_t bytes);

#endif
