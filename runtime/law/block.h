/* block.h: which part of a tensor a device holds, and copies of boxes.
 *
 * A block comes of the number of granules and the cut alone (block_law.h), so any device can
 * compute what any other holds without asking. */
#ifndef DTG_RUNTIME_BLOCK_H
#define DTG_RUNTIME_BLOCK_H
#include <stdbool.h>
#include "dtrt.h"
#include "block_law.h"

typedef struct BlockMesh {
  int naxes;
  int ndevices;
  int32_t size[DTRT_MAX_AXES];
  int32_t stride[DTRT_MAX_AXES]; /* devices between neighbours along an axis; the last axis has 1 */
} BlockMesh;

int64_t block_parts(const BlockMesh *m, const dtrt_dim *d); /* how many ways the dim is cut */
/* Part i of k of the elements that are cut: of the dim itself, or of the other dim of its window.
 */
BlockSpan block_cut(const dtrt_dim *d, int64_t k, int64_t i);
/* What a device that holds `part` of the other dim needs of this one, before (raw) and after
 * cutting off at 0 and n. Both ends of the raw form grow with the part, or shrink when mul < 0,
 * even if it is empty. */
BlockSpan block_window_raw(const dtrt_dim *d, BlockSpan part);
BlockSpan block_window(const dtrt_dim *d, BlockSpan part);
BlockSpan block_span(const BlockMesh *m, const dtrt_dim *d, const int32_t *coord);
/* Spans of all dims; returns how many elements the box has. */
int64_t block_box(const BlockMesh *m, const dtrt_layout *l, const int32_t *coord, BlockSpan *box);
int64_t block_most(const BlockMesh *m, const dtrt_dim *d); /* elements of the largest block */
void block_coord(const BlockMesh *m, int device, int32_t *coord);
/* Whether the device there is the lowest of all holders of the same block. */
bool block_lowest_owner(const BlockMesh *m, const int32_t *coord, const dtrt_layout *l);
uint32_t block_axes(const BlockMesh *m,
                    const dtrt_layout *l); /* axes longer than 1 that cut some dim */
/* Whether two dims have the same blocks on every device, as far as their form shows. */
bool block_same(const BlockMesh *m, const dtrt_dim *a, const dtrt_dim *b);

/* "[(batch, model) by 28, _] partial(model, max)", as in docs/language.md. */
void block_layout_text(const dtrt_program *p, const dtrt_layout *l, char *text, size_t size);

/* A box in two dense blocks: `run` elements are contiguous in both, and `count` loops
 * step between the runs, outermost first. Offsets and steps are in elements. */
typedef struct Piece {
  int32_t peer;  /* the device at the other end */
  int32_t round; /* when it goes, by messages (transfer.h) */
  int32_t nloops;
  int64_t from, to; /* offsets of its first element */
  int64_t run, elements;
  int64_t count[DTRT_MAX_RANK], from_step[DTRT_MAX_RANK], to_step[DTRT_MAX_RANK];
} Piece;

/* The piece that is `box`, within blocks that hold `from` and `to` (each encloses the box). */
void block_piece(Piece *p, int rank, const BlockSpan *box, const BlockSpan *from,
                 const BlockSpan *to);
/* Part k of a piece that is cut, in its own order, into parts of at most `most` elements. False: it
 * has no more. */
bool block_part(const Piece *p, int64_t most, int64_t k, Piece *out);
void block_copy(const Piece *p, int64_t size, void *to, const void *from);
/* Between a piece in a block and the dense row-major box alone. */
void block_pack(const Piece *p, int64_t size, void *dense, const void *from);
void block_unpack(const Piece *p, int64_t size, void *to, const void *dense);

/* Steps over the runs of a piece. */
typedef struct BlockWalk {
  const Piece *p;
  int64_t from, to, dense; /* offsets of this run: in the two blocks and in the dense box */
  int64_t at[DTRT_MAX_RANK];
} BlockWalk;
BlockWalk block_walk(const Piece *p);
bool block_next(BlockWalk *w); /* false after the last run */

#endif
