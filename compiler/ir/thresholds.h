/* The numbers by which schedule and loops decide and that are no property of a CPU: laws, what
 * compilers take, how far searches look. All other thresholds are computed from the Machine where
 * they are used: sizes of tiles and what counts as large from its caches (tile.c, fuse.c), what
 * products in tiles, exchanges, steps and parts for cores cost from its rates (tile_cost.c, cost.c,
 * unroll.c, parallel.c), how loops are written from its vectors, registers, lines and pages
 * (lanes.c, sum_rows.c, loop_blocks.c). */
#ifndef DTG_THRESHOLDS_H
#define DTG_THRESHOLDS_H

enum {
  /* Bounded work, a law (sites.h): operations and code, by what storing every value once takes. */
  WORK_MOST = 2,

  /* What C compilers take. Their time grows faster than a function does: above 1000 computations in
   * one loop it is seconds. A function such as tanh stands for as many as half its operations (a
   * loop of 400 drawn masks took 19 s), an index that is checked for 25; clang gives up at 256
   * brackets, of which a condition takes several. */
  BODY_SITES = 1000,
  BODY_INDEX_SITES = 25,
  BODY_NESTED = 24,
  LOOP_PARTS = 256,  /* of one loop that is split at conditions */
  LOOP_UNROLLED = 4, /* vectors that compilers take at once in an innermost loop */
  PARTS_ENOUGH = 16, /* turns of a loop that is dealt: of n turns c cores have c / n more to do than
                        their share at worst. The same for any number of cores, as code is */
  CALLS_COPIES = 16, /* more copies than this are a table */
  REPEAT_SAVES = 24, /* steps that a function of repeated ones spares: with fewer it reads worse */

  SUM_FEW = 8, /* elements of a line whose sums are written out, in vectors of such lines */

  /* A table is updated in the rows that are named alone from so many rows an index on: each costs
   * several cache misses, and a pass over the table none. */
  NAMED_ROWS = 2,

  /* How far is looked, in steps, so that passes take time proportional to their number: a loop to
   * join, a member of a tile, and the next member of a loop over rows, whose operands others would
   * keep longer. */
  FUSE_STEPS = 64,
  TILE_STEPS = 96,
  ROWS_STEPS = 32,
  TILE_MEMBERS = 48,
  REMAT_ROUNDS = 64,
  REMAT_DEPTH = 4, /* values recomputed for one */
  REMAT_WAYS = 3,  /* to a limit that is not met on the first: to a half, a quarter, nothing */

  /* Shapes of the runtime's kernels (runtime/kernels/gemm.c). */
  KERNEL_ROWS = 64, /* of a product: fewer pack an operand for too few rows */
  KERNEL_BAND = 32, /* side of the blocks that a masked product leaves out */

  /* Exchanges. Those other than all-reduces are bucketed up to these bytes, so that little memory
   * is held for longer; whether it is worth it, the machine's links say (cost_is_brief). One is
   * under way for up to 4 times its modelled time, as the model may be wrong by so much, and not at
   * all where less than a quarter of it would be hidden. All-reduces by messages go once they move
   * bytes for so many times as long as they wait: more would hide nothing of that; and those by
   * whatever means from so many bytes on, since a machine that is not described may be several. */
  BUCKET_EACH = 8 << 10,
  BUCKET_ALL = 32 << 10,
  BUCKET_MOVES = 16,
  BUCKET_MOST = 25 << 20,
  OVERLAP_TIMES = 4,
  OVERLAP_PART = 4,

  /* Panels of a product: each is steps and code. Of exchange and product that take as long as each
   * other, 16 panels hide 15 of 16 parts of the one behind the other. */
  PANELS_MOST = 16
};

#endif
