/* The roll, as a table. */
#include "opdefs.h"
#include <string.h>

#define OP(def) extern const OpDef def;
#include "ops.def"

static const OpDef *const table[] = {
#define OP(def) &def,
#include "ops.def"
};

enum { OPS = sizeof table / sizeof *table };

const OpDef *op_at(int i) { return i >= 0 && i < OPS ? table[i] : NULL; }

const OpDef *op_find(const char *name) {
  for (int i = 0; i < OPS; i++)
    if (table[i]->params && !strcmp(table[i]->name, name)) return table[i];
  return NULL;
}

const char *op_written(Op op) { return op->sign ? op->sign : op->name; }

Op op_operator(const char *sign, int operands) {
  for (int i = 0; i < OPS; i++)
    if (table[i]->sign && !strcmp(table[i]->sign, sign) &&
        (table[i]->numbers == 1) == (operands == 1))
      return table[i];
  return NULL;
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
