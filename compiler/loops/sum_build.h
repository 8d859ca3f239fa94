/* A sum or product of floats while its loops are built: what sum.c, sum_lines.c and sum_rows.c
 * share. */
#ifndef DTG_SUM_BUILD_H
#define DTG_SUM_BUILD_H
#include "loop_reduce.h"

typedef struct SumNest {
  ReduceNest *r;
  Loop *l;
  const Node *n, *x;
  SumOrder order;
  int64_t unit;  /* rows that are added up apart from others; 0: all are one run */
  Expr in_part;  /* the unit of this turn, where cores have some each; NO_EXPR */
  Expr from;     /* ... and the first of this core's: units that one core adds up share memory */
  int first_row; /* reduced dims from here to the last that counts rows are one loop */
  int end;       /* of the dims of rows: from here on a line is one element of them */
  int kept;      /* kept dims from here to the last that counts rows are loops within a block */
} SumNest;

static inline Expr number(SumNest *s, int64_t v) { return loop_int(s->l, v); }
static inline Expr add(SumNest *s, Expr a, Expr b) { return expr_add(s->l->x, a, b); }
static inline Expr sub(SumNest *s, Expr a, Expr b) { return expr_sub(s->l->x, a, b); }
static inline Expr mul(SumNest *s, Expr a, Expr b) { return expr_mul(s->l->x, a, b); }
static inline Expr equal(SumNest *s, Expr a, Expr b) {
  return expr_compare(s->l->x, EXPR_EQUAL, a, b);
}
static inline Expr less(SumNest *s, Expr a, Expr b) {
  return expr_compare(s->l->x, EXPR_LESS, a, b);
}
static inline Expr block_word(SumNest *s) { return loop_word(s->l, "DTRT_SUM_BLOCK", SUM_BLOCK); }
static inline Expr blocks_in(SumNest *s, Expr i) { return expr_div(s->l->x, i, block_word(s)); }
static inline Expr in_block(SumNest *s, Expr i) { return expr_mod(s->l->x, i, block_word(s)); }
static inline Expr operand(SumNest *s) { return loop_value(s->l, s->n->operand[0], &s->r->in); }
static inline bool row_dim(const SumNest *s, int d) { return s->r->gone[d] && d < s->end; }
static inline bool has(const SumNest *s, int d) { return has_loop(s->l, &s->r->in, d); }

/* -------- sum_picked.c -------- */

/* A sum with at most one addend that is not 0, by its index, is that one. False: it is another. */
bool sum_picked(SumNest *s);

/* -------- sum_lines.c -------- */

bool sum_several_dims(const SumNest *s); /* a line is a loop over more than one dim */
void sum_lines(SumNest *s);

/* -------- sum_rows.c -------- */

/* Reduced dims side by side become one loop: blocks of 32 rows then end where they will. */
void sum_join_rows(SumNest *s);
void sum_rows(SumNest *s);

#endif
