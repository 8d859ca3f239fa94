/* What follows of an op's definition. Its equation: factors, and the text form "b m k, b k n -> b m
 * n". */
#include "op.h"
#include <string.h>

int rule_factor(Rule *r, int64_t size, FactorKind kind) {
  if (r->nfactors == MAX_FACTORS) return NO_FACTOR;
  r->factor[r->nfactors] = (Factor){size, kind};
  return r->nfactors++;
}

static void dim_add(RuleDim *d, int f) { d->factor[d->n++] = (int8_t)f; }

/* One tensor's letters; returns the text after them. */
static const char *read_tensor(Rule *r, const char *s, RuleDim *dims, const Shape *shape,
                               int *letter_factor, bool result) {
  for (int d = 0; d < shape->rank; d++) {
    while (*s == ' ') s++;
    int *f = &letter_factor[*s++ - 'a'];
    if (*f == NO_FACTOR)
      *f = rule_factor(r, shape->dim[d], result ? FACTOR_NEW : FACTOR_REDUCE);
    else if (result)
      r->factor[*f].kind = FACTOR_PASS;
    dim_add(&dims[d], *f);
  }
  while (*s == ' ' || *s == ',') s++;
  return s;
}

void rule_from_text(Rule *r, const Graph *g, const Node *n, const char *equation) {
  int letter_factor[26];
  for (int i = 0; i < 26; i++) letter_factor[i] = NO_FACTOR;
  const char *s = equation;
  for (int i = 0; i < n->noperands; i++)
    s = read_tensor(r, s, r->operand[i], &graph_operand(g, n, i)->shape, letter_factor, false);
  read_tensor(r, strstr(equation, "->") + 2, r->result, &n->shape, letter_factor, true);
}

uint64_t op_hash(Op op) {
  uint64_t h = 0;
  for (const char *c = op->name; *c; c++) h = h * 131 + (unsigned char)*c;
  return h;
}

void rule_of(const Graph *g, const Node *n, Rule *r, Arena *scratch) {
  memset(r, 0, sizeof *r);
  r->noperands = n->noperands;
  r->operand = arena_alloc(scratch, sizeof *r->operand * (size_t)(n->noperands ? n->noperands : 1));
  r->linear_in = n->op->linear;
  r->linear_jointly = n->op->linear_jointly;
  r->reduce = n->op->reduce;
  n->op->rule(g, n, r);
}

bool op_picks(Op op, int k) { return k < 32 && op->by_index >> k & 1; }

const char *op_written(Op op) { return op->sign ? op->sign : op->name; }

bool node_begins_by_row(const Graph *g, const Node *put) {
  for (int k = 2; k < put->noperands; k++)
    if (graph_operand(g, put, k)->shape.rank) return true;
  return false;
}
