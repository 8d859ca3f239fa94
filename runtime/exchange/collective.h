/* collective.h: an all-reduce of one tensor or of several as one. */
#ifndef DTG_RUNTIME_COLLECTIVE_H
#define DTG_RUNTIME_COLLECTIVE_H
#include "device.h"

typedef struct Reduction {
  const Together *t;
  bool whole;          /* what is copied goes as one, with the first copy */
  int64_t size, total; /* bytes of an element; of all tensors, what is for my copy */
  int64_t most;        /* of the copy that has most */
} Reduction;

/* Of all tensors, each copy (transfer.h) has a share of those that are copied. */
Reduction reduction_of(const Together *t);
Reduction reduction_by_first(const Together *t);
/* Of one tensor, where in its block the chunks lie. */
int64_t reduction_begin(const Reduction *r);
/* All-reduces in memory where devices take all terms of each other and combine everything: it moves
 * no more to any, or little between two. */
bool one_shot_fits(const Collective *c);
/* Chunk i of the tensors laid end to end, in bytes. */
BlockSpan reduction_chunk(const Reduction *r, int i);
/* Steps over the parts of span s of the tensors laid end to end, in bytes; false: there is no more.
 * The caller sets *tensor and *base to 0 before the first step. After a step the part lies in tensor
 * *tensor - 1, counted from that tensor's first byte; *base is where that tensor ends. */
bool reduction_part(const Reduction *r, BlockSpan s, int *tensor, int64_t *base, BlockSpan *part);
/* Steps over all blocks of my place that take some bytes of tensor i; NULL: there are no more. Both
 * numbers begin at 0. */
char *reduction_next_to(const Reduction *r, int i, int *near, int *copy, int64_t bytes);
/* Tells peers where mine are. */
void reduction_publish(const Reduction *r);
/* Subtrees of my place, one after the other, into `to`; returns the bytes that they take. `from`
 * and `node` have room for all of a place. */
int64_t reduction_subtrees(const Reduction *r, BlockSpan s, char *to, const void **from,
                           SumNode *node);
/* What the subtrees of a place take. */
int64_t reduction_subtrees_bytes(const Reduction *r, int place, int64_t bytes);

typedef struct TermsRoom { /* for what is combined at a time, one for each term and each of a place
                            */
  const void **from;
  SumNode *node;
  void **to;
} TermsRoom;
int64_t terms_room_bytes(const DeviceGroup *g);
TermsRoom terms_room(const DeviceGroup *g, char *at);
/* Combines leaves of my place with the subtrees of the others, subtree[number], into the blocks of
 * all of the place, and into `dense`, which may be NULL. */
void reduction_settle(const Reduction *r, BlockSpan s, const TermsRoom *room,
                      const char *const *subtree, char *dense);
void reduction_to_dense(const Reduction *r, BlockSpan s, char *dense);
void reduction_from_dense(const Reduction *r, BlockSpan s, const char *dense);
/* Takes bytes from each device's term, in their order, into each of `to`. */
void reduction_combine(const Reduction *r, void *const *to, int nto, const void *const *from,
                       int64_t bytes);

#endif
