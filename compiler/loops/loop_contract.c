/* Products that no kernel of matrices fits, such as those of integers: loops over the letters of
 * their dims. */
#include "loop_build.h"
#include "op_list.h"

typedef struct LetterLoop {
  Expr index, len;
  bool met, open;
} LetterLoop;

static void meet_letters(Loop *l, LetterLoop *of, const Node *n, const int64_t *letter, At *at,
                         int *count) {
  for (int d = 0; d < n->shape.rank; d++) {
    LetterLoop *c = &of[letter[d]];
    if (!c->met) {
      c->met = true;
      c->len = loop_extent(l, n, d);
      c->index =
          is_int(l, c->len, 1)
              ? loop_int(l, 0)
              : loop_symbol(l, arena_printf(l->arena, "i%d", (*count)++), 0,
                            dim_block_most(l->mesh, &n->layout->dim[d], n->shape.dim[d]) - 1);
    }
    at->dim[d] = c->index;
  }
}

static bool has_letter_loop(const Loop *l, const LetterLoop *c) { return !is_int(l, c->index, 0); }

/* Loops over the letters of a tensor that have none open yet, but for `left`. */
static int open_letters(Loop *l, LetterLoop *of, const Node *n, const int64_t *letter,
                        const LetterLoop *left) {
  int loops = 0;
  for (int d = 0; d < n->shape.rank; d++) {
    LetterLoop *c = &of[letter[d]];
    if (c->open || c == left || !has_letter_loop(l, c)) continue;
    loop_open(l, c->index, c->len, LOOP_SOME), loops++;
    c->open = true;
  }
  return loops;
}

/* The innermost dim of the result, if both operands that have it have it innermost: rows are added
 * up into rows, element by element. */
static LetterLoop *row_of(const Loop *l, LetterLoop *of, const Letters *letters, const Node *n,
                          const Node *x, const Node *y) {
  if (!n->shape.rank) return NULL;
  const int64_t last = letters->out[n->shape.rank - 1];
  const bool in_x = letters->in[last] & LETTER_X, in_y = letters->in[last] & LETTER_Y;
  if (in_x && letters->x[x->shape.rank - 1] != last) return NULL;
  if (in_y && letters->y[y->shape.rank - 1] != last) return NULL;
  return has_letter_loop(l, &of[last]) ? &of[last] : NULL;
}

void build_contract(const LoopSite *s, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(s);
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0),
             *y = graph_operand(l->g, n, 1);
  const Letters letters = product_letters(l->g, n);
  LetterLoop of[26] = {0};
  At to = {.flat = NO_EXPR}, ax = to, ay = to;
  int count = 0;
  meet_letters(l, of, n, letters.out, &to, &count);
  meet_letters(l, of, x, letters.x, &ax, &count);
  meet_letters(l, of, y, letters.y, &ay, &count);
  LetterLoop *row = row_of(l, of, &letters, n, x, y);
  const int outer = open_letters(l, of, n, letters.out, row);
  const Expr own = loop_load(l, id, &to), zero = loop_number(l, n->dtype, 0),
             first = site_first(l, id);
  const Expr begins = first == NO_EXPR ? NO_EXPR : loop_param(l, PARAM_FIRST, first);
  Expr sum = own;
  if (row) {
    if (first != NO_EXPR) loop_if(l, begins);
    loop_open(l, row->index, row->len, LOOP_PLAIN);
    loop_set(l, own, zero);
    loop_close(l, first == NO_EXPR ? 1 : 2);
  } else {
    const Expr begin = first == NO_EXPR ? zero : loop_choose(l, begins, zero, own);
    sum = loop_local(l, LOCAL_VALUE, n->dtype, "acc", 0, begin);
  }
  int inner = open_letters(l, of, x, letters.x, row);
  inner += open_letters(l, of, y, letters.y, row);
  if (row) loop_open(l, row->index, row->len, LOOP_PLAIN), inner++;
  const Expr both = loop_op2(l, loop_ops.mul, n->dtype, loop_value(l, n->operand[0], &ax),
                             loop_value(l, n->operand[1], &ay));
  loop_set(l, sum, loop_op2(l, loop_ops.add, n->dtype, sum, both));
  loop_close(l, inner);
  if (!row) loop_set(l, own, sum);
  loop_close(l, outer);
  loop_done_as(l, id, out);
}
