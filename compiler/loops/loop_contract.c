/* Products that no kernel of matrices fits, such as those of integers: loops over the letters of
 * their dims. Rows are added up into rows, some of each at a time, so that what is loaded is used
 * for several products and a row of the result is stored once for several:
 *
 *   for i by 4: for k by 4: for j:
 *     out[i][j]     = out[i][j]     + x[i][k] * y[k][j]     + x[i][k + 1] * y[k + 1][j]     + ...
 *     out[i + 1][j] = out[i + 1][j] + x[i + 1][k] * y[k][j] + x[i + 1][k + 1] * y[k + 1][j] + ...
 *
 * An element's products are added in sequence either way. */
#include "loop_build.h"
#include "op_list.h"
#include <string.h>

enum { SOME = 4 }; /* 16 products for each 8 loads and 4 stores, in 8 registers: any CPU has 16 */

typedef struct LetterLoop {
  Expr index, len;
  int64_t most;
  bool met, open;
} LetterLoop;

typedef struct Contract {
  Loop *l;
  NodeId id;
  const Node *n, *x, *y;
  Letters letters;
  LetterLoop of[26];
  LetterLoop *row;   /* along which rows lie; NULL: they do not */
  LetterLoop *rows;  /* of the result, which read the same rows of an operand; NULL: none do */
  LetterLoop *depth; /* the innermost that is summed; NULL: of one element */
} Contract;

static void meet_letters(Contract *c, const Node *n, const int64_t *letter, int *count) {
  Loop *l = c->l;
  for (int d = 0; d < n->shape.rank; d++) {
    LetterLoop *of = &c->of[letter[d]];
    if (of->met) continue;
    of->met = true;
    of->len = loop_extent(l, n, d);
    of->most = dim_block_most(l->mesh, &n->layout->dim[d], n->shape.dim[d]);
    of->index = is_int(l, of->len, 1)
                    ? loop_int(l, 0)
                    : loop_symbol(l, arena_printf(l->arena, "i%d", (*count)++), 0, of->most - 1);
  }
}

static bool has_letter_loop(const Loop *l, const LetterLoop *c) { return !is_int(l, c->index, 0); }

static At index_of(const Contract *c, const Node *n, const int64_t *letter) {
  At at = {.flat = NO_EXPR};
  for (int d = 0; d < n->shape.rank; d++) at.dim[d] = c->of[letter[d]].index;
  return at;
}

static Expr element(Contract *c) {
  const At at = index_of(c, c->n, c->letters.out);
  return loop_load(c->l, c->id, &at);
}

/* `sum` and the products at so many depths from the letters' indices on. */
static Expr add_products(Contract *c, Expr sum, int depths) {
  Loop *l = c->l;
  const DType t = c->n->dtype;
  const Expr from = c->depth ? c->depth->index : NO_EXPR;
  for (int i = 0; i < depths; i++) {
    if (i) c->depth->index = expr_add(l->x, from, loop_int(l, i));
    const At ax = index_of(c, c->x, c->letters.x), ay = index_of(c, c->y, c->letters.y);
    const Expr both = loop_op2(l, loop_ops.mul, t, loop_value(l, c->n->operand[0], &ax),
                               loop_value(l, c->n->operand[1], &ay));
    sum = loop_op2(l, loop_ops.add, t, sum, both);
  }
  if (c->depth) c->depth->index = from;
  return sum;
}

/* Loops over the letters of a tensor that have none open yet, but for those of rows; of the result,
 * up to the one of the blocks. */
static int open_letters(Contract *c, const Node *n, const int64_t *letter) {
  int loops = 0;
  for (int d = 0; d < n->shape.rank; d++) {
    LetterLoop *of = &c->of[letter[d]];
    if (of == c->rows && n == c->n && !of->open) break;
    if (of->open || of == c->row || of == c->rows || of == c->depth || !has_letter_loop(c->l, of))
      continue;
    loop_open(c->l, of->index, of->len, LOOP_SOME), loops++;
    of->open = true;
  }
  return loops;
}

/* -------- an element at a time -------- */

static void add_element(Contract *c, Expr begins) {
  Loop *l = c->l;
  const Expr own = element(c), zero = loop_number(l, c->n->dtype, 0);
  const Expr begin = begins == NO_EXPR ? zero : loop_choose(l, begins, zero, own);
  const Expr sum = loop_local(l, LOCAL_VALUE, c->n->dtype, "acc", 0, begin);
  int inner = open_letters(c, c->x, c->letters.x);
  inner += open_letters(c, c->y, c->letters.y);
  loop_set(l, sum, add_products(c, sum, 1));
  loop_close(l, inner);
  loop_set(l, own, sum);
}

/* -------- by rows -------- */

/* The innermost dim of the result, if both operands that have it have it innermost. */
static LetterLoop *row_of(Contract *c) {
  const Letters *s = &c->letters;
  if (!c->n->shape.rank) return NULL;
  const int64_t last = s->out[c->n->shape.rank - 1];
  const bool in_x = s->in[last] & LETTER_X, in_y = s->in[last] & LETTER_Y;
  if (in_x && s->x[c->x->shape.rank - 1] != last) return NULL;
  if (in_y && s->y[c->y->shape.rank - 1] != last) return NULL;
  return has_letter_loop(c->l, &c->of[last]) ? &c->of[last] : NULL;
}

/* The last dim of the result that the operand with the row does not have. */
static LetterLoop *rows_of(Contract *c) {
  const int row = c->letters.in[c->letters.out[c->n->shape.rank - 1]];
  for (int d = c->n->shape.rank - 2; d >= 0; d--) {
    LetterLoop *of = &c->of[c->letters.out[d]];
    const int in = c->letters.in[c->letters.out[d]];
    if (in != row && in != LETTER_BATCH && row != LETTER_BATCH && of->most >= SOME &&
        has_letter_loop(c->l, of))
      return of;
  }
  return NULL;
}

static LetterLoop *depth_of(Contract *c) {
  for (int d = c->x->shape.rank - 1; d >= 0; d--) {
    LetterLoop *of = &c->of[c->letters.x[d]];
    if (c->letters.in[c->letters.x[d]] == LETTER_SUMMED && has_letter_loop(c->l, of)) return of;
  }
  return NULL;
}

/* So many rows, from the index on: a statement each, in a loop along them. `begins`: their sums do.
 */
static void along_rows(Contract *c, int rows, int depths, bool begins) {
  Loop *l = c->l;
  const Expr from = c->rows ? c->rows->index : NO_EXPR, zero = loop_number(l, c->n->dtype, 0);
  loop_open(l, c->row->index, c->row->len, LOOP_PLAIN);
  for (int i = 0; i < rows; i++) {
    if (i) c->rows->index = expr_add(l->x, from, loop_int(l, i));
    const Expr own = element(c);
    loop_set(l, own, add_products(c, begins ? zero : own, depths));
  }
  if (c->rows) c->rows->index = from;
  loop_close(l, 1);
}

/* Depths where those are the same few on all devices, and none of other letters; else 0. */
static int few_depths(const Contract *c) {
  const Loop *l = c->l;
  int summed = 0;
  int64_t count = 1;
  for (int i = 0; i < 26; i++)
    summed += c->letters.in[i] == LETTER_SUMMED && has_letter_loop(l, &c->of[i]);
  if (summed > 1) return 0;
  if (!c->depth) return 1;
  const ExprNode *len = expr_node(l->x, c->depth->len);
  const Expr own = len->kind == EXPR_PARAM ? l->f.params.at[len->v].value : c->depth->len;
  return expr_is_int(l->x, own, &count) && count <= SOME ? (int)count : 0;
}

static void add_depths(Contract *c, int rows) {
  Loop *l = c->l;
  if (!c->depth || c->depth->most < SOME) {
    if (c->depth) loop_open(l, c->depth->index, c->depth->len, LOOP_OUTER);
    along_rows(c, rows, 1, false);
    loop_close(l, c->depth != NULL);
    return;
  }
  const Expr index = c->depth->index;
  loop_local(l, LOCAL_VALUE, DT_I64, "from", 0, loop_int(l, 0));
  const Expr from = loop_symbol(l, "from", 0, c->depth->most - SOME);
  c->depth->index = from;
  loop_open_on(l, from, c->depth->len, loop_int(l, SOME), LOOP_OUTER);
  along_rows(c, rows, SOME, false);
  loop_close(l, 1);
  c->depth->index = index;
  loop_open_from(l, index, from, c->depth->len, LOOP_OUTER);
  along_rows(c, rows, 1, false);
  loop_close(l, 1);
}

static void add_rows(Contract *c, int rows, Expr begins) {
  Loop *l = c->l;
  LetterLoop of[26];
  memcpy(of, c->of, sizeof of); /* what is open: loops within are opened for other rows again */
  int inner = open_letters(c, c->n, c->letters.out);
  const int few = begins == NO_EXPR ? few_depths(c) : 0;
  if (few) {
    if (c->depth) c->depth->index = loop_int(l, 0);
    along_rows(c, rows, few, true);
  } else {
    if (begins != NO_EXPR) loop_if(l, begins);
    along_rows(c, rows, 0, true);
    loop_close(l, begins != NO_EXPR);
    inner += open_letters(c, c->x, c->letters.x);
    inner += open_letters(c, c->y, c->letters.y);
    add_depths(c, rows);
  }
  loop_close(l, inner);
  memcpy(c->of, of, sizeof of);
}

/* Blocks of rows: whole ones, and at most one that is not, row by row. */
static void add_blocks(Contract *c, int outer, Expr begins) {
  Loop *l = c->l;
  Exprs *x = l->x;
  const Expr index = c->rows->index, size = loop_int(l, SOME), len = c->rows->len;
  const int64_t blocks = (c->rows->most + SOME - 1) / SOME;
  const Expr n = expr_div(x, expr_add(x, len, loop_int(l, SOME - 1)), size),
             block = loop_symbol(l, "block_", 0, blocks - 1);
  if (!outer) l->apart = block, l->apart_extent = n;
  loop_open(l, block, n, LOOP_OUTER);
  c->rows->open = true;
  const Expr begin = loop_integer(l, "begin_", expr_mul(x, block, size), true);
  const Expr end = loop_integer(l, "end_", loop_part_end(l, begin, len, size), true);
  loop_if(l, expr_compare(x, EXPR_EQUAL, expr_sub(x, end, begin), size));
  c->rows->index = begin;
  add_rows(c, SOME, begins);
  loop_else(l);
  c->rows->index = index;
  loop_open_from(l, index, begin, end, LOOP_OUTER);
  add_rows(c, 1, begins);
  loop_close(l, 3);
}

/* Products come row-major over what is summed, in the order of the first operand's dims; the depth,
 * taken in steps of SOME, is the last of them. */
static void adds_up(Contract *c) {
  LoopSum sum = {.node = c->id, .kind = SUM_OF_PRODUCTS};
  if (!dtype_is_float(c->n->dtype)) return;
  for (int d = 0; d < c->x->shape.rank; d++) {
    const LetterLoop *of = &c->of[c->letters.x[d]];
    if (c->letters.in[c->letters.x[d]] != LETTER_SUMMED || !has_letter_loop(c->l, of)) continue;
    Expr at = of->index;
    if (of == c->depth && of->most >= SOME)
      at = expr_add(c->l->x, at, loop_symbol(c->l, "from", 0, of->most - SOME));
    sum.at[sum.dims++] = at;
  }
  loop_adds_up(c->l, &sum);
}

void build_contract(const LoopSite *s, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(s);
  const Node *n = graph_node(l->g, id);
  Contract c = {.l = l,
                .id = id,
                .n = n,
                .x = graph_operand(l->g, n, 0),
                .y = graph_operand(l->g, n, 1),
                .letters = product_letters(l->g, n)};
  int count = 0;
  meet_letters(&c, n, c.letters.out, &count);
  meet_letters(&c, c.x, c.letters.x, &count);
  meet_letters(&c, c.y, c.letters.y, &count);
  const Expr first = site_first(l, id);
  const Expr begins = first == NO_EXPR ? NO_EXPR : loop_param(l, PARAM_FIRST, first);
  c.row = row_of(&c);
  if (c.row) c.rows = rows_of(&c), c.depth = depth_of(&c);
  const int outer = open_letters(&c, n, c.letters.out);
  if (!c.row)
    add_element(&c, begins);
  else if (c.rows)
    add_blocks(&c, outer, begins);
  else
    add_rows(&c, 1, begins);
  loop_close(l, outer);
  adds_up(&c);
  loop_done_as(l, id, out);
}
