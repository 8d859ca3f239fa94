/* The order of sums and products of floats (docs/sums.md). It follows from the shape of the local
 * block alone, so no fusion or tiling changes a bit. */
#ifndef DTG_SUM_ORDER_H
#define DTG_SUM_ORDER_H
#include "graph.h"

enum { SUM_BLOCK = 32 }; /* addends in sequence; DTRT_SUM_BLOCK in emitted C */
typedef struct SumOrder {
  bool fixed; /* a sum or product of floats; the order of other reductions does not matter */
  int first;  /* the dims from here on form a line; the operand's rank: there is none */
  int64_t line, rows; /* at most, on any device: elements of a line; lines, or elements where there
                         is no line, that are combined above it */
  int64_t lines_in_block; /* so many lines side by side in the lanes are a block; 0: there is one
                             line, or each is joined to one addend */
  bool in_rows; /* lines are so short that each is an element of a row of the kept dims before */
} SumOrder;
SumOrder sum_order(const Mesh *m, const Graph *g, const Node *n);
/* Partial results that pairwise combination of n blocks of SUM_BLOCK addends keeps. */
int sum_levels(int64_t addends);
/* Of a scatter: at most so many updates go to rows of its table, or elements of a line, with one
 * index of the dims before; 0: so few that they are added in sequence, or of integers. */
int64_t scatter_updates(const Mesh *m, const Graph *g, const Node *n);
/* Whether it has, by row of the table, the last index that names it: the largest of the indices'
 * own numbers. They rise, so it is set to each. */
bool scatter_is_last(const Graph *g, const Node *n);
/* Bytes that the place of partial results begins with where named rows alone are touched
 * (Step.named): by row of the table, the last index that names it, an i32. 0: its own result is
 * that. */
int64_t scatter_named(const Mesh *m, const Graph *g, const Node *n);
/* Bytes of its result there: a row for each index; what goes to a row of the table is in that of
 * the last index that names it; or, by row of the table, the last index. */
int64_t scatter_named_bytes(const Mesh *m, const Graph *g, const Node *n);
/* Scatters that add more single f32 elements than the table has sum in f64. */
bool scatter_in_f64(const Mesh *m, const Graph *g, const Node *n);
/* A gradient to the weights of a convolution of a group a channel: pieces of so many pixels are added
 * in f32 and these in f64. */
enum { DEPTHWISE_PIECE = 64 };
bool depthwise_in_f64(const Mesh *m, const Graph *g, const Node *n);
/* Sums of many rows are made of units, a power of two of blocks each: whole subtrees of the order,
 * so that cores can add them up at once. Rows of a unit; 0: there are few, or no rows. */
int64_t sum_unit(const Mesh *m, const Graph *g, const Node *n);
/* The same of a sum of all elements, which is one line: elements. */
int64_t sum_line_unit(const Mesh *m, const Graph *g, const Node *n);
/* Elements of a sum of such a type in a cache line; partial results of rows fill whole ones. */
int64_t sum_line_of(DType t);
/* Partial results that a unit keeps while its rows are added up. Those of all units come behind the
 * sums of the units. */
int sum_unit_levels(int64_t unit);
/* Bytes of partial results that such a gradient, a scatter, a reduction of rows, or a running sum of
 * rows, keeps in memory while it is computed: dtrt_carry_row_sum_f32 in dtrt_math.h has their
 * layout. */
int64_t sum_scratch(const Mesh *m, const Graph *g, const Node *n);
/* A sum of all elements of a block can go on from some of its rows to the next: each begins with a
 * whole group of lanes. What it keeps while it is computed so, of a line or a unit of one: elements;
 * and bytes in all, `in_units` behind the sums of these. */
bool sum_goes_on(const Mesh *m, const Graph *g, const Node *n);
int64_t sum_line_kept(int64_t elements);
int64_t sum_line_scratch(const Mesh *m, const Graph *g, const Node *n, bool in_units);
/* Bytes of partial sums that a product tiled over its inner dim keeps: dtrt_gemm_sum. */
int64_t product_scratch(const Mesh *m, const Graph *g, const Node *n);

#endif
